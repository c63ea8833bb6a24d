#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Makes the picture and the tables of docs/kernels.md from what `ladder --json FILE` wrote.

  draw_ladder.py FILE --svg docs/ladder.svg     the picture
  draw_ladder.py FILE --page docs/kernels.md    replaces what is between <!-- ladder: NAME --> and <!-- end --> there
"""

import argparse
import json
import re
import sys
from html import escape

COLOURS = {"limit": "#9aa5b1", "cpu": "#c3b8a5", "rung": "#5b8db8", "ours": "#3a8f4f", "peer": "#c98a3c"}
KINDS = {"cpu": "CPU", "rung": "rung", "ours": "the engine", "peer": "CUB, NPP", "limit": "limit"}

# Title; section; content of the bars; contents of the marks.
PANELS = [
    ("Histogram of a large input. Bars: random bytes; marks: natural, constant, two values, modulo 32, skewed", "histogram", "random",
     ["natural", "constant", "two values", "modulo 32", "skewed"]),
    ("Histogram of one 1080p luma frame. Bars: natural; marks: modulo 32", "frame", "1080p, natural", ["1080p, modulo 32"]),
    ("Histogram of one 4K luma frame. Bars: natural; marks: modulo 32", "frame", "4K, natural", ["4K, modulo 32"]),
    ("Histograms of 64 frames. Bars: 1080p; marks: 4K", "batch", "64 x 1080p", ["64 x 4K"]),
    ("Histograms of 4096 buffers of 4 KiB", "batch", "4096 x 4 KiB", []),
    ("Sum of bytes. Bars: large; marks: one 1080p frame", "sum", "large", ["1080p"]),
    ("Dot product of bytes. Bars: large; marks: one 1080p frame", "dot", "large", ["1080p"]),
    ("Dot product of floats. At the right the relative error: uniform / breaking", "float dot", "uniform", ["breaking"]),
    ("Row sums with weights, 4K frames", "row sums", None, []),
    ("Matrix transpose", "transpose", None, []),
    ("Matrix product", "product", None, []),
]

WIDTH, LABEL, BAR, ROW, HEAD = 990, 370, 440, 18, 34


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


def text(x, y, words, anchor="start", size=12, weight="normal", colour="#222"):
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" font-weight="{weight}" fill="{colour}">'
            f"{escape(words)}</text>")


def draw(run, sections):
    parts = []
    y = 28
    parts.append(text(16, y, "The ladder: each rung as a fraction of its limit", size=17, weight="bold"))
    y += 20
    parts.append(text(16, y, f"{run['device']}, {run['date']}, CUDA {run['cuda']}. The whole width of a bar is the limit: "
                             "the read ceiling, for frames and an empty launch; a copy; multiply-adds in registers.", size=11, colour="#555"))
    y += 20
    x = 16
    for kind in ("cpu", "rung", "ours", "peer"):
        parts.append(f'<rect x="{x}" y="{y - 10}" width="12" height="12" fill="{COLOURS[kind]}"/>')
        parts.append(text(x + 17, y, KINDS[kind]))
        x += 36 + 7 * len(KINDS[kind])
    for title, section, bars, marks in PANELS:
        rows = [row for row in sections.get(section, []) if row["kind"] != "limit" and bars in (None, row["content"])]
        if not rows:
            continue
        y += HEAD
        parts.append(text(16, y, title, size=13, weight="bold"))
        y += 8
        top = y
        for row in rows:
            others = [other for other in sections[section] if other["content"] in marks and other["name"] == row["name"]]
            marks_here = [] if "relative_error" in row else others
            width = min(row["fraction"], 1.02) * BAR
            parts.append(text(LABEL - 8, y + 13, row["name"], "end"))
            parts.append(f'<rect x="{LABEL}" y="{y + 3}" width="{max(width, 1):.1f}" height="{ROW - 5}" fill="{COLOURS[row["kind"]]}"/>')
            for other in marks_here:
                at = LABEL + min(other["fraction"], 1.02) * BAR
                parts.append(f'<line x1="{at:.1f}" x2="{at:.1f}" y1="{y + 2}" y2="{y + ROW - 1}" stroke="#222" stroke-width="1.5"/>')
            value = time_text(row) if section == "frame" else rate_text(row)
            errors = [f"{each['relative_error']:.0e}" for each in [row] + others if "relative_error" in each]
            parts.append(text(LABEL + BAR + 14, y + 13, " / ".join(errors) or f"{value}, {percent_text(row)}", size=11))
            y += ROW
        for tenths in range(0, 11, 2):
            at = LABEL + tenths / 10 * BAR
            parts.append(f'<line x1="{at:.1f}" x2="{at:.1f}" y1="{top}" y2="{y + 2}" stroke="{"#888" if tenths == 10 else "#ddd"}" '
                         f'stroke-width="{1.5 if tenths == 10 else 0.5}"/>')
    y += 20
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{y}" viewBox="0 0 {WIDTH} {y}" '
            f'font-family="DejaVu Sans, Helvetica, Arial, sans-serif">\n'
            "<!-- SPDX-FileCopyrightText: 2026 the cudahisto authors -->\n<!-- SPDX-License-Identifier: LGPL-2.1-or-later -->\n"
            f'<rect width="{WIDTH}" height="{y}" fill="#fff"/>\n' + "\n".join(parts) + "\n</svg>\n")


def table(head, lines):
    return "\n".join(["| " + " | ".join(head) + " |", "| " + " | ".join(["---"] * len(head)) + " |"] +
                     ["| " + " | ".join(line) + " |" for line in lines])


def name_text(row):
    name = row["name"]
    return f"**{name}**" if row["kind"] == "ours" else f"*{name}*" if row["kind"] == "peer" else name


def grid(rows, cell, first="rung"):
    """A line a name, a column a content."""
    contents = list(dict.fromkeys(row["content"] for row in rows))
    names = list(dict.fromkeys(row["name"] for row in rows))
    by_place = {(row["name"], row["content"]): row for row in rows}
    lines = []
    for name in names:
        cells = [by_place.get((name, content)) for content in contents]
        lines.append([name_text(next(row for row in cells if row))] + [cell(row) if row else "" for row in cells])
    return table([first] + contents, lines)


def rate_and_percent(row):
    return f"{rate_text(row)}, {percent_text(row)}"


def make_tables(run, sections):
    limits = {row["name"]: row for row in sections["limits"]}
    empty = next(row for name, row in limits.items() if name.startswith("empty"))
    ceiling = next(row for name, row in limits.items() if name.startswith("read"))
    single = sections["transpose"] + sections["product"]
    return {
        "run": f"{run['device']} ({run['sms']} SMs), CUDA {run['cuda']}, {run['date']}, inputs of {run['bytes'] >> 20} MiB, "
               f"CUDAHISTO_TEST_SEED={run['seed']}. Read ceiling: {rate_text(ceiling)}. Empty kernel, event to event: {time_text(empty)}.",
        "histogram": grid(sections["histogram"], rate_and_percent),
        "frame": grid(sections["frame"], lambda row: time_text(row) + ("" if row["kind"] == "cpu" else f" ({row['us'] - empty['us']:.2f})")),
        "batch": grid(sections["batch"], rate_and_percent),
        "sum": grid(sections["sum"], lambda row: rate_and_percent(row) if row["content"] == "large" else time_text(row)),
        "dot": grid(sections["dot"], lambda row: rate_and_percent(row) if row["content"] == "large" else time_text(row)),
        "float dot": grid(sections["float dot"], lambda row: f"{row['relative_error']:.1e} at {rate_text(row)}"),
        "row sums": grid(sections["row sums"], rate_and_percent),
        "matrices": table(["matrix", "rung", "rate", "of the limit"],
                          [[row["section"], name_text(row), rate_text(row), percent_text(row)] for row in single]),
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
