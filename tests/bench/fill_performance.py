#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Makes the tables and the picture of docs/performance.md from what the programs of this folder printed.

  fill_performance.py FOLDER ... --page docs/performance.md --svg docs/performance.svg

A file is taken from the first folder that has it:

  ladder.jsonl                        ladder --json
  bench_cuda.txt  bench_cpu.txt  bench_picture.txt   the programs of these names
  plain_cuda.txt  plain_cpu.txt       bench_pipeline --only=plain, --backend as in the name; likewise
  push_cuda.txt  push_cpu.txt  appsrc_cuda.txt  pool_cuda.txt  statistics_cuda.txt  statistics_cpu.txt

What stands between <!-- table: NAME --> and <!-- end --> is replaced; a table whose file is nowhere stays as it is. Prints
which table came from which file."""

import argparse
import os
import re
import sys

import draw_ladder
from draw_ladder import percent_text, rate_text, table

CONTENTS = ["random", "natural", "constant", "two values", "modulo 32", "skewed"]
PLANES = ["1080p, natural", "1080p, modulo 32", "4K, natural", "4K, modulo 32"]


class Ladder:
    def __init__(self, path):
        self.run, self.sections = draw_ladder.read(path)

    def find(self, section, content, name):
        """The rung whose name begins so, or None."""
        return next((row for row in self.sections.get(section, []) if row["content"] == content
                     and row["name"].startswith(name)), None)

    def limit(self, name):
        return self.find("limits", "random" if name == "read" else "", name)


def cell(row, value=rate_text):
    return value(row) if row else ""


def both(row):
    return f"{rate_text(row)}, {percent_text(row)}"


# ---- from ladder.jsonl ------------------------------------------------------------------------------------------------


def make_kernels(ladder):
    lines = [[content, cell(ladder.find("histogram", content, "the engine"), both),
              cell(ladder.find("histogram", content, "CUB")),
              cell(ladder.find("histogram", content, "NPP"))] for content in CONTENTS]
    return table(["content", f"engine, and share of {rate_text(ladder.limit('read'))}", "CUB", "NPP"], lines)


def make_frame(ladder):
    empty = ladder.limit("empty")["us"]
    names = ["the engine", "CUB", "NPP"]
    lines = [[content] + [cell(ladder.find("frame", content, name), lambda row: f"{row['us']:.1f} µs ({row['us'] - empty:.1f})")
                          for name in names] for content in PLANES]
    lines += [[content] + [cell(ladder.find("nv12", content, name), lambda row: f"{row['us']:.1f} µs ({row['us'] - empty:.1f})")
                           for name in names] for content in ["1080p NV12", "4K NV12"]]
    return table(["plane or frame, content", f"engine (less an empty kernel, {empty:.1f} µs)", "CUB", "NPP"], lines)


def make_dots(ladder):
    def line(words, section, content, name):
        row = ladder.find(section, content, name)
        return [words, rate_text(row), percent_text(row)] if row else None
    lines = [
        line("engine: histogram, sums and dot product, natural", "both", "natural", "the engine"),
        line("engine: the same, random", "both", "random", "the engine"),
        line("CUB: histogram, then dot product, natural", "both", "natural", "CUB"),
        line("CUB: the same, random", "both", "random", "CUB"),
        line("dot product alone: 16-byte loads, dp4a (a kernel of the ladder)", "dot", "large", "16-byte loads"),
        line("dot product alone: CUB", "dot", "large", "CUB"),
        line("dot product alone: NPP", "dot", "large", "NPP"),
    ]
    return table(["", "bytes of both frames", "of the read ceiling"], [each for each in lines if each])


def make_deep(ladder):
    contents = list(dict.fromkeys(row["content"] for row in ladder.sections["deep"]))
    lines = []
    for content in contents:
        names = ["the engine: 256", "CUB DeviceHistogram::HistogramEven, 256", "the engine: 1024",
                 "CUB DeviceHistogram::HistogramEven, 1024"]
        lines.append([content] + [cell(ladder.find("deep", content, name), both if i % 2 == 0 else rate_text)
                                  for i, name in enumerate(names)])
    return table(["content", "256 bins: engine", "CUB", "1024 bins: engine", "CUB"], lines)


def short_time(us):
    return f"{us:.2f} µs" if us > 0.1 else f"{us * 1000:.1f} ns"


def make_many(ladder):
    lines = []
    for content in ["64 x 1080p", "64 x 4K", "4096 x 4 KiB"]:
        count = int(content.split(" ")[0])
        names = ["the engine: launch after", "the engine: one launch", "the engine, a launch", "CUB"]
        lines.append([content] + [cell(ladder.find("batch", content, name),
                                       lambda row, i=i:
                                       f"{both(row) if i < 2 else rate_text(row)}; {short_time(row['us'] / count)}")
                                  for i, name in enumerate(names)])
    return table(["frames", "engine: launches on two streams", "engine: one launch", "engine: a launch a frame",
                  "CUB: a call a frame"], lines)


def make_projections(ladder):
    lines = []
    for weights in ["", ", 16-bit weights", ", large weights"]:
        cells = [next((row for row in ladder.sections["project"] if row["content"] == content and row["kind"] == "ours"
                       and row["name"] == "the engine: histogram, row and column sums" + weights), None)
                 for content in ["64 x 4K", "16 x 4K"]]
        lines.append(["engine: histogram, row and column sums" + (weights or ", weights of one")]
                     + [cell(row, both) for row in cells])
    lines.append(["CUB DeviceSegmentedReduce: row sums alone"] + [cell(ladder.find("project", content, "CUB"), both)
                                                                  for content in ["64 x 4K", "16 x 4K"]])
    return table(["", "64 x 4K", "16 x 4K"], lines)


# ---- from bench_cuda.txt ----------------------------------------------------------------------------------------------


def make_device(words):
    found = re.findall(r"^  (\S+ \S+)\s+submit to collect: median\s+([\d.]+) us, 99th percentile\s+([\d.]+) us;"
                       r"\s+(\d+) frames/s,\s+([\d.]+) GB/s",
                       words, re.M)
    batches = {name: f"{int(rate):,} frames/s, {float(speed):.0f} GB/s" for name, rate, speed in
               re.findall(r"^  (\S+ \S+)\s+(\d+) frames/s in submissions of \d+,\s+([\d.]+) GB/s", words, re.M)}
    return table(["frame", "submit to collect, median", "99th percentile", "many in flight", "64 in a submission"],
                 [[name, f"{median} µs", f"{late} µs", f"{int(rate):,} frames/s, {float(speed):.0f} GB/s",
                   batches.get(name, "")]
                  for name, median, late, rate, speed in found])


def make_picture(words):
    lines = re.findall(r"^  (1080p NV12|4K NV12) +(\S.*?) +on the device: median +([\d.]+) us; "
                       r"submit to collect: median +([\d.]+) us, 99th percentile +([\d.]+) us; "
                       r"+(\d+) frames/s; by 64 +(\d+) frames/s", words, re.M)
    return table(["frame", "statistic", "event to event", "submit to collect", "99th percentile", "many in flight",
                  "64 in a submission"],
                 [[frame, name, f"{device} µs", f"{median} µs", f"{high} µs", f"{int(one):,} frames/s",
                   f"{int(many):,} frames/s"]
                  for frame, name, device, median, high, one, many in lines])


def make_native_device(words):
    found = re.findall(r"^  (\S+)\s+(\d+) bits,\s+(\d+) bins: median\s+([\d.]+) us, 99th percentile\s+([\d.]+) us;"
                       r"\s+(\d+) frames/s,\s+([\d.]+) GB/s",
                       words, re.M)
    return table(["frame", "submit to collect, median", "99th percentile", "many in flight"],
                 [[f"{name}, {bits} bits in {int(bins):,} bins", f"{median} µs", f"{late} µs",
                   f"{int(rate):,} frames/s, {float(speed):.0f} GB/s"]
                  for name, bits, bins, median, late, rate, speed in found])


def make_host(words):
    found = re.findall(r"^  (\S+ \S+)\s+(pinned|pageable)\s+(\d+) frames/s,\s+([\d.]+) GB/s;"
                       r" copies\s+([\d.]+) GB/s: ([\d.]+) of it; median\s+([\d.]+) us",
                       words, re.M)
    lines = [[f"{name}, {memory}", f"{int(rate):,} frames/s", f"{speed} GB/s", f"{copies} GB/s", ratio,
              f"{float(median):.0f} µs"]
             for name, memory, rate, speed, copies, ratio, median in sorted(found, key=lambda each: each[1], reverse=True)]
    return table(["frame", "engine, many in flight", "", "plain copies", "engine over copies",
                  "submit to collect, one frame, median"], lines)


def make_copying(words):
    lines = []
    for size, rest in re.findall(r"^\s+(\d+) KiB \|(.*)$", words, re.M):
        columns = [re.findall(r"[\d.]+", column) for column in rest.split("|")]
        lines.append([f"{size} KiB"] + [f"{each[0]} µs, {each[2]} GB/s" for each in columns])
    return table(["frame", "pinned, read in place", "pinned, copied", "pageable, in place", "pageable, staged"], lines)


# ---- from bench_pipeline ----------------------------------------------------------------------------------------------


def make_plain(cuda, cpu):
    columns, blocks = [], []
    for words in (cuda, cpu):
        rows = re.findall(r"without cudahisto, blocksize\s+(\d+) KiB\s+([\d.]+)", words)
        ours = re.search(r"^  cudahisto\s+([\d.]+) GB/s\s+([\d.]+)x", words, re.M)
        blocks = [size for size, _ in rows]
        columns.append([f"{rate} GB/s" for _, rate in rows] + [f"**{ours[1]} GB/s**", f"**{ours[2]}**"])
    names = [f"`filesrc blocksize={int(size) << 10} ! fakesink`" for size in blocks] + ["`filesrc ! cudahisto ! fakesink`",
                                                                                       "time over that of the best without it"]
    about = [re.search(r"backend=(\w+) .* file of (\d+ GiB), median of (\d+)", words) for words in (cuda, cpu)]
    return table([""] + [f"`backend={each[1]}`, {each[2]}, {f'median of {each[3]}' if each[3] != '1' else 'one run'}"
                         for each in about],
                 [[name, first, second] for name, first, second in zip(names, *columns)])


def make_push(cuda, cpu):
    def rows(words):
        return re.findall(r"^\s+(\d+) KiB (\w+)\s+([\d.]+)\s+([\d.]+)\s+([\d.]+)\s+([\d.]+)x", words, re.M)
    lines = [[backend, f"`{behind}`", f"{size} KiB", f"{identity} GB/s", f"{ours} GB/s", ratio]
             for backend, words in (("cuda", cuda), ("cpu", cpu)) for size, behind, identity, _, ours, ratio in rows(words)]
    return table(["backend", "before", "blocks", "`identity`", "`cudahisto`", "time over `identity`"], lines)


def make_offered(appsrc, pool):
    def rate(words, name):
        found = re.search(re.escape(name) + r"\s+(\d+) frames/s", words)
        return f"{int(found[1]):,} frames/s"
    return table(["", "without `cudahisto`", "with it", "with it, memory of the source's own"],
                 [["`appsrc`, frames filled before", rate(appsrc, "without cudahisto"), rate(appsrc, "cudahisto, packed bins"),
                   ""],
                  ["`videotestsrc pattern=black`", rate(pool, "without cudahisto"),
                   rate(pool, "cudahisto, the memory it offers"),
                   rate(pool, "cudahisto, videotestsrc's memory")]])


def make_statistics(words, by_processor):
    """Prices by the clock, or by processor time, which other work on a machine of few cores does not change."""
    found = re.findall(r"^  (\S.*?) {2,}(\d+)\s+([\d.]+)\s+(-?[\d.]+)\s+(\d+)\s+([\d.]+)\s+(-?[\d.]+)$", words, re.M)
    lines = []
    for name, rate, *by_clock, processor_rate, ratio, more in found:
        ratio, more = (ratio, more) if by_processor else by_clock
        lines.append([f"`{name}`" if re.fullmatch(r"[\w-]+=[\w+-]+", name) else name, f"{int(rate):,} frames/s",
                      f"{int(processor_rate):,} frames/s", ratio, f"{round(float(more))} µs" if by_processor else f"{more} µs"])
    return table(["asked for", "by the clock", "of processor time", "price", "more for a frame"], lines)


# ---- from bench_cpu.txt -----------------------------------------------------------------------------------------------


def make_cpu(words):
    found = re.findall(r"^(\S+(?:, ?dot)?) +"
                       r"(random|constant|two values|ramp and noise|alternating|multiples of 32|interrupted runs)\s+"
                       r"([\d.]+)\s+([\d.]+)\s+([\d.]+)$", words, re.M)
    formats = list(dict.fromkeys(each[0] for each in found))
    contents = list(dict.fromkeys(each[1] for each in found))
    by_place = {(each[0], each[1]): each[2:] for each in found}
    formats.sort(key=lambda name: name.endswith("dot"))  # stable
    lines = []
    for name in formats:
        cells = [by_place.get((name, content)) for content in contents]
        lines.append([re.sub(", ?dot", ", and dot product", name)]
                     + [f"{each[1]} ({each[2]})" if each else "" for each in cells])
    return table(["format"] + contents, lines)


def make_cores(words):
    found = re.findall(r"^\s+(\d+)\s+([\d.]+)\s+([\d.]+)\s+(\d+)\s+([\d.]+)$", words, re.M)
    return table(["threads"] + [each[0] for each in found],
                 [["RGBA, basic: GB/s"] + [each[1] for each in found],
                  ["each, over one alone"] + [each[2] for each in found],
                  ["NV12, signalstats: frames/s"] + [f"{int(each[3]):,}" for each in found],
                  ["each, over one alone"] + [each[4] for each in found]])


def make_native(words):
    found = re.findall(r"^(\d+ bits), (\w[\w ]*?)\s+" + r"\s+".join([r"([\d.]+)"] * 6) + "$", words, re.M)
    return table(["", "1 thread: 256 bins", "native", "over 256", "2 threads: 256 bins", "native", "over 256"],
                 [[f"{bits}, {content}"] + [f"{each} µs" if i % 3 < 2 else each for i, each in enumerate(figures)]
                  for bits, content, *figures in found])


def make_reductions(words):
    found = re.findall(r"^(reading \w+ streams?|(?:flat )?bytes: .*?|up to 15 bits: .*?|16 bits: .*?)\s+([\d.]+)\s+([\d.]+)$",
                       words, re.M)
    return table(["", "GB/s", "over reading alone"], [list(each) for each in found])


TABLES = {
    "kernels": (make_kernels, "ladder.jsonl"), "frame": (make_frame, "ladder.jsonl"), "dots": (make_dots, "ladder.jsonl"),
    "deep": (make_deep, "ladder.jsonl"), "many": (make_many, "ladder.jsonl"), "projections": (make_projections, "ladder.jsonl"),
    "device": (make_device, "bench_cuda.txt"), "picture": (make_picture, "bench_picture.txt"),
    "host": (make_host, "bench_cuda.txt"),
    "copying": (make_copying, "bench_cuda.txt"),
    "deepdevice": (make_native_device, "bench_cuda.txt"),
    "plain": (make_plain, "plain_cuda.txt", "plain_cpu.txt"), "push": (make_push, "push_cuda.txt", "push_cpu.txt"),
    "statistics-gpu": (lambda words: make_statistics(words, False), "statistics_cuda.txt"),
    "statistics-cpu": (lambda words: make_statistics(words, True), "statistics_cpu.txt"),
    "offered": (make_offered, "appsrc_cuda.txt", "pool_cuda.txt"),
    "cpu": (make_cpu, "bench_cpu.txt"), "cores": (make_cores, "bench_cpu.txt"),
    "reductions": (make_reductions, "bench_cpu.txt"),
    "native": (make_native, "bench_cpu.txt"),
}


def draw(ladder):
    """Engine, CUB and NPP beside the read ceiling, on each content: bars from the ladder, one panel."""
    y = 28
    parts = [draw_ladder.text(16, y, "Histogram of 1 GiB in device memory", size=17, weight="bold")]
    y += 20
    parts.append(draw_ladder.text(16, y, f"{ladder.run['device']}, {ladder.run['date']}, CUDA {ladder.run['cuda']}. "
                                         f"The line at the right: all bytes read, and nothing counted: "
                                         f"{rate_text(ladder.limit('read'))}.", size=11, colour="faint"))
    for content in CONTENTS:
        rows = [row for name in ("the engine", "CUB", "NPP") for row in [ladder.find("histogram", content, name)] if row]
        panel, y = draw_ladder.draw_panel(y + 30, content, rows, lambda row: [], lambda row, others: both(row))
        parts += panel
    return draw_ladder.picture(draw_ladder.WIDTH, y + 20, parts)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", metavar="FOLDER")
    parser.add_argument("--page", help="the page whose tables are replaced")
    parser.add_argument("--svg", help="where the picture goes")
    options = parser.parse_args()
    loaded = {}

    def load(name):
        """What is in the file, and where it was; None where it is nowhere."""
        if name not in loaded:
            path = next((os.path.join(folder, name) for folder in options.folders
                         if os.path.exists(os.path.join(folder, name))), None)
            if path is None:
                loaded[name] = None, None
            elif name.endswith(".jsonl"):
                loaded[name] = Ladder(path), path
            else:
                with open(path, encoding="utf-8") as file:
                    loaded[name] = file.read(), path
        return loaded[name]

    if options.page:
        with open(options.page, encoding="utf-8") as file:
            page = file.read()
        for name in re.findall(r"<!-- table: ([\w-]+) -->", page):
            if name not in TABLES:
                sys.exit(f"{options.page}: no table is named {name}")
            make, *files = TABLES[name]
            sources = [load(file) for file in files]
            if any(words is None for words, _ in sources):
                print(f"{name}: stays, no {' or '.join(files)}")
                continue
            made = make(*(words for words, _ in sources))
            if not re.search(r"\d", made):
                sys.exit(f"{name}: no figures in {' '.join(path for _, path in sources)}: was the program stopped?")
            page = re.sub(rf"(<!-- table: {name} -->\n).*?(<!-- end -->)",
                          lambda match, made=made: match[1] + made + "\n" + match[2], page,
                          flags=re.DOTALL)
            print(f"{name}: {' '.join(path for _, path in sources)}")
        with open(options.page, "w", encoding="utf-8") as file:
            file.write(page)
    if options.svg and load("ladder.jsonl")[0]:
        with open(options.svg, "w", encoding="utf-8") as file:
            file.write(draw(load("ladder.jsonl")[0]))


if __name__ == "__main__":
    main()
