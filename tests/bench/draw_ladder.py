#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Makes the picture and the tables of docs/internals/kernels.md from what `ladder --json FILE` wrote.

  draw_ladder.py FILE --svg docs/internals/ladder.svg     the picture
  draw_ladder.py FILE --page docs/internals/kernels.md    replaces the text between <!-- ladder: NAME --> and <!-- end -->
"""

import argparse
import json
import re
import sys
from html import escape

# Class: colour in light and in dark surroundings. The picture has a background of its own: a page may be dark where the
# reader's system is light, and the other way round.
COLOURS = {
    "paper": ("#ffffff", "#14181d"), "ink": ("#22272e", "#dde3ea"), "faint": ("#59636e", "#9aa6b2"),
    "grid": ("#d5dae0", "#343c45"),
    "edge": ("#7d8792", "#8c97a3"), "limit": ("#9aa5b1", "#7d8792"), "cpu": ("#b9ab90", "#8f8468"),
    "rung": ("#6f9fcb", "#4c7fae"),
    "ours": ("#3a8f4f", "#3f9d58"), "peer": ("#d0893a", "#c07d34"),
}
KINDS = {"cpu": "CPU", "rung": "step", "ours": "the engine", "peer": "CUB, NPP"}

# Title; section; content of the bars; contents of the marks.
PANELS = [
    ("Histogram of a large input. Bars: random bytes; marks: natural, constant, two values, modulo 32, skewed",
     "histogram", "random",
     ["natural", "constant", "two values", "modulo 32", "skewed"]),
    ("Histogram of one 1080p luma frame. Bars: natural; marks: modulo 32", "frame", "1080p, natural", ["1080p, modulo 32"]),
    ("Histogram of one 4K luma frame. Bars: natural; marks: modulo 32", "frame", "4K, natural", ["4K, modulo 32"]),
    ("Histograms of 64 frames. Bars: 1080p; marks: 4K", "batch", "64 x 1080p", ["64 x 4K"]),
    ("Histograms of 4096 buffers of 4 KiB", "batch", "4096 x 4 KiB", []),
    ("10-bit samples in 16 bits. Bars: random; marks: natural, constant, modulo 32", "deep", "random",
     ["natural", "constant", "modulo 32"]),
    ("Sum of bytes. Bars: large; marks: one 1080p frame", "sum", "large", ["1080p"]),
    ("Dot product of bytes. Bars: large; marks: one 1080p frame", "dot", "large", ["1080p"]),
    ("Histogram and dot product in one pass. Bars: random; marks: natural", "both", "random", ["natural"]),
    ("Dot product of floats. At the right the relative error: uniform / breaking", "float dot", "uniform", ["breaking"]),
    ("Row sums with weights, 4K frames", "row sums", None, []),
    ("Row and column sums, with the histogram. Bars: 64 4K frames; marks: 16", "project", "64 x 4K", ["16 x 4K"]),
    ("Matrix transpose", "transpose", None, []),
    ("Matrix product", "product", None, []),
]

WIDTH, LABEL, BAR, ROW, HEAD = 1010, 390, 440, 18, 34


def read(path):
    """The line about the run, and all others by section."""
    run, sections = None, {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            if row["section"] == "run":
                run = row
            else:
                sections.setdefault(row["section"], []).append(row)
    if run is None:
        sys.exit(f"{path}: no line about the run")
    wrong = [row["name"] for rows in sections.values() for row in rows if not row["right"]]
    if wrong:
        sys.exit(f"{path}: wrong results: {', '.join(wrong)}")
    return run, sections


def rate_text(row):
    """GB/s or GFLOP/s with as many digits as are worth reading."""
    value = row["rate"]
    if row["unit"] == "GFLOP/s":
        return f"{value / 1e3:.2f} TFLOP/s"
    return f"{value:.0f} GB/s" if value >= 20 else f"{value:.1f} GB/s"


def percent_text(row):
    value = 100 * row["fraction"]
    return f"{value:.0f} %" if value >= 10 else f"{value:.1f} %" if value >= 1 else f"{value:.2f} %"


def time_text(row):
    value = row["us"]
    return f"{value:.2f} µs" if value < 100 else f"{value:.0f} µs" if value < 1e4 else f"{value / 1e3:.0f} ms"


def text(x, y, words, anchor="start", size=12, weight="normal", colour="ink"):
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" font-weight="{weight}" class="{colour}">'
            f"{escape(words)}</text>")


def line(x1, x2, y1, y2, colour, width):
    return f'<line x1="{x1:.1f}" x2="{x2:.1f}" y1="{y1:.1f}" y2="{y2:.1f}" class="s-{colour}" stroke-width="{width}"/>'


def legend(y):
    parts, x = [], 16
    for kind, words in KINDS.items():
        parts.append(f'<rect x="{x}" y="{y - 10}" width="12" height="12" class="{kind}"/>')
        parts.append(text(x + 17, y, words))
        x += 36 + 7 * len(words)
    parts.append(line(x + 6, x + 6, y - 11, y + 3, "ink", 1.5))
    parts.append(text(x + 17, y, "mark: the same with another input"))
    return parts


def picture(width, height, parts):
    """The whole file. Colours are classes: `class` fills, `s-class` strokes."""
    def rules(which):
        return "".join(f".{name}{{fill:{pair[which]}}}.s-{name}{{stroke:{pair[which]}}}" for name, pair in COLOURS.items())
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
            f'font-family="DejaVu Sans, Helvetica, Arial, sans-serif">\n'
            "<!-- SPDX-FileCopyrightText: 2026 the cudahisto authors -->\n<!-- SPDX-License-Identifier: LGPL-2.1-or-later -->\n"
            f"<style>{rules(0)}@media (prefers-color-scheme:dark){{{rules(1)}}}</style>\n"
            f'<rect width="{width}" height="{height}" class="paper"/>\n' + "\n".join(parts) + "\n</svg>\n")


def draw_panel(y, title, rows, others_of, value_of):
    """Title, and a bar a row: as much of the width as the row's fraction of its limit. Returns the parts and where they end."""
    parts = [text(16, y, title, size=13, weight="bold")]
    y += 8
    top, bars = y, []
    for row in rows:
        others = others_of(row)
        width = min(row["fraction"], 1.02) * BAR
        bars.append(text(LABEL - 8, y + 13, row["name"], "end"))
        bars.append(f'<rect x="{LABEL}" y="{y + 3}" width="{max(width, 1):.1f}" height="{ROW - 5}" class="{row["kind"]}"/>')
        for other in others if "relative_error" not in row else []:
            at = LABEL + min(other["fraction"], 1.02) * BAR
            bars.append(line(at, at, y + 2, y + ROW - 1, "ink", 1.5))
        bars.append(text(LABEL + BAR + 16, y + 13, value_of(row, others), size=11))
        y += ROW
    for tenths in range(0, 11, 2):
        at = LABEL + tenths / 10 * BAR
        parts.append(line(at, at, top, y + 2, "edge" if tenths == 10 else "grid", 1.5 if tenths == 10 else 1))
    return parts + bars, y


def draw(run, sections):
    y = 28
    parts = [text(16, y, "The ladder: each step as a fraction of its limit", size=17, weight="bold")]
    y += 20
    parts.append(text(16, y, f"{run['device']}, {run['date']}, CUDA {run['cuda']}. The whole width of a bar is the limit: "
                             "the read ceiling, for frames and an empty launch; a copy; multiply-adds in registers.", size=11,
                      colour="faint"))
    y += 20
    parts += legend(y)
    for title, section, bars, marks in PANELS:
        rows = [row for row in sections.get(section, []) if row["kind"] != "limit" and bars in (None, row["content"])]
        if not rows:
            continue

        def others_of(row, section=section, marks=marks):
            return [other for other in sections[section] if other["content"] in marks and other["name"] == row["name"]]

        def value_of(row, others, section=section):
            errors = [f"{each['relative_error']:.0e}" for each in [row] + others if "relative_error" in each]
            value = time_text(row) if section == "frame" else rate_text(row)
            return " / ".join(errors) or f"{value}, {percent_text(row)}"

        panel, y = draw_panel(y + HEAD, title, rows, others_of, value_of)
        parts += panel
    return picture(WIDTH, y + 20, parts)


def table(head, lines):
    return "\n".join(["| " + " | ".join(head) + " |", "| " + " | ".join(["---"] * len(head)) + " |"] +
                     ["| " + " | ".join(line) + " |" for line in lines])


def name_text(row):
    name = row["name"]
    return f"**{name}**" if row["kind"] == "ours" else f"*{name}*" if row["kind"] == "peer" else name


def grid(rows, cell, first):
    """A line a name, a column a content. A row without `content` in some column has an empty cell there."""
    contents = list(dict.fromkeys(row["content"] for row in rows))
    names = list(dict.fromkeys(row["name"] for row in rows))
    by_place = {(row["name"], row["content"]): row for row in rows}
    lines = []
    for name in names:
        cells = [by_place.get((name, content)) for content in contents]
        lines.append([name_text(next(row for row in cells if row))] + [cell(row) if row else "" for row in cells])
    return table([first] + contents, lines)


def rate_number(row):
    """GB/s, without the unit: the head of the table has it."""
    return f"{row['rate']:.0f}" if row["rate"] >= 20 else f"{row['rate']:.1f}"


def time_number(row):
    """Microseconds."""
    return f"{row['us']:.2f}" if row["us"] < 100 else f"{row['us']:.0f}"


HISTOGRAM_CONTENTS = ["random", "natural", "constant", "modulo 32"]  # the picture has all
SMALL = "4096 x 4 KiB"
FRAME_CONTENTS = ["1080p, natural", "4K, natural", "1080p NV12"]


def select(rows, contents):
    return [row for row in rows if row["content"] in contents]


def make_sums(sections):
    """Sum and dot product of large inputs side by side. All their steps except NPP's have the same names."""
    by_place = {(section, row["name"].split(" ")[0] if row["kind"] == "peer" else row["name"]): row
                for section in ("sum", "dot") for row in select(sections[section], ["large"])}
    lines = []
    for name in dict.fromkeys(name for _, name in by_place):
        rows = [by_place.get((section, name)) for section in ("sum", "dot")]
        lines.append([name_text(next(row for row in rows if row) | {"name": name})]
                     + [rate_number(row) if row else "" for row in rows])
    return table(["step, GB/s", "sum", "dot product"], lines)


def spread_text(rows):
    """From the 10th to the 90th percentile, over the median: of all but a few of these rungs."""
    spreads = sorted(100 * row["spread"] for row in rows if row["kind"] not in ("cpu", "limit"))
    return f"{spreads[len(spreads) // 10]:.1f} to {spreads[-1 - len(spreads) // 10]:.1f} %"


def make_tables(run, sections):
    limits = {row["name"]: row for row in sections["limits"]}
    empty = next(row for name, row in limits.items() if name.startswith("empty"))
    ceiling = next(row for name, row in limits.items() if name.startswith("read"))
    return {
        "run": "\n".join([
            f"- Machine: {run['device']}, {run['sms']} SMs, CUDA {run['cuda']}, {run['date']}.",
            f"- Inputs of {run['bytes'] >> 20} MiB, CUDAHISTO_TEST_SEED={run['seed']}.",
            f"- Read ceiling: {rate_text(ceiling)}. Empty kernel, event to event: {time_text(empty)}.",
            f"- Spread between the 10th and the 90th percentile, over the median: {spread_text(sections['histogram'])} on "
            "large inputs,",
            f"  {spread_text(sections['frame'])} on single frames."]),
        "histogram": grid(select(sections["histogram"], HISTOGRAM_CONTENTS), rate_number, "step, GB/s"),
        "frame": grid(select(sections["frame"] + sections["nv12"], FRAME_CONTENTS), time_number, "step, µs"),
        "batch": grid([row for row in sections["batch"] if row["content"] != SMALL], rate_number, "step, GB/s"),
        "small": grid(select(sections["batch"], [SMALL]), rate_number, "step, GB/s"),
        "deep": grid(sections["deep"], rate_number, "step, GB/s"),
        "both": grid(sections["both"], rate_number, "step, GB/s"),
        "project": grid(sections["project"], lambda row: f"{rate_number(row)}, {percent_text(row)}",
                        "step, GB/s, and share of the limit"),
        "sums": make_sums(sections),
        "row sums": grid(sections["row sums"], rate_number, "step, GB/s"),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("--svg", help="where the picture goes")
    parser.add_argument("--page", help="the page whose tables are replaced")
    options = parser.parse_args()
    run, sections = read(options.file)
    if options.svg:
        with open(options.svg, "w", encoding="utf-8") as file:
            file.write(draw(run, sections))
    if options.page:
        with open(options.page, encoding="utf-8") as file:
            page = file.read()
        for name, words in make_tables(run, sections).items():
            pattern = re.compile(rf"(<!-- ladder: {name} -->\n).*?(<!-- end -->)", re.DOTALL)
            page, count = pattern.subn(lambda match, words=words: match[1] + words + "\n" + match[2], page)
            if count != 1:
                sys.exit(f"{options.page}: {count} places for {name}")
        with open(options.page, "w", encoding="utf-8") as file:
            file.write(page)


if __name__ == "__main__":
    main()
