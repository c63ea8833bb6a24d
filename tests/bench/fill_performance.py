#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Makes the tables and the picture of docs/internals/performance.md from what the programs of this folder printed.

  fill_performance.py FOLDER ... --page docs/internals/performance.md --svg docs/internals/performance.svg

A file is taken from the first folder that has it:

  ladder.jsonl                        ladder --json, of the picture (draw_ladder.py makes the tables of kernels.md)
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


class Ladder:
    def __init__(self, path):
        self.run, self.sections = draw_ladder.read(path)

    def find(self, section, content, name):
        """The rung whose name begins so, or None."""
        return next((row for row in self.sections.get(section, []) if row["content"] == content
                     and row["name"].startswith(name)), None)

    def limit(self, name):
        return self.find("limits", "random" if name == "read" else "", name)


def both(row):
    return f"{rate_text(row)}, {percent_text(row)}"


def spread(values, decimals=0):
    """The least and the greatest of some figures of one thing, or the only one."""
    numbers = [float(value) for value in values]
    words = list(dict.fromkeys(f"{number:,.{decimals}f}" for number in (min(numbers), max(numbers))))
    return " to ".join(words)


# ---- from bench_cuda.txt ----------------------------------------------------------------------------------------------


def make_device(words):
    found = re.findall(r"^  (\S+ \S+)\s+submit to collect: median\s+([\d.]+) us, 99th percentile\s+([\d.]+) us;"
                       r"\s+(\d+) frames/s,\s+[\d.]+ GB/s",
                       words, re.M)
    batches = dict(re.findall(r"^  (\S+ \S+)\s+(\d+) frames/s in submissions of \d+,\s+[\d.]+ GB/s", words, re.M))
    return table(["frame", "submit to collect, µs", "99th percentile, µs", "many in flight, frames/s",
                  "64 in a submission, frames/s"],
                 [[name, median, late, f"{int(rate):,}", f"{int(batches[name]):,}" if name in batches else ""]
                  for name, median, late, rate in found])


ONE_READING = ["difference", "saturation", "hue", "outliers", "repeats", "out of range", "gamut"]  # of the same kernel


def make_picture(words):
    lines = re.findall(r"^  (1080p NV12|4K NV12) +(\S.*?) +on the device: median +([\d.]+) us; "
                       r"submit to collect: median +[\d.]+ us, 99th percentile +[\d.]+ us; "
                       r"+\d+ frames/s; by 64 +(\d+) frames/s", words, re.M)
    groups = {}
    for frame, name, *figures in lines:
        name = "one of these seven" if name in ONE_READING else name
        groups.setdefault(name, {}).setdefault(frame, []).append(figures)
    rows = []
    for name, frames in groups.items():
        row = [name]
        for frame in ("1080p NV12", "4K NV12"):
            device, many = zip(*frames[frame])
            row += [spread(device, 1), spread(many)]
        rows.append(row)
    return table(["statistic", "1080p: one, µs", "many, frames/s", "4K: one, µs", "many, frames/s"], rows)


def make_native_device(words):
    found = re.findall(r"^  (\S+)\s+\d+ bits,\s+(\d+) bins: median\s+([\d.]+) us, 99th percentile", words, re.M)
    medians = {}
    for name, bins, median in found:
        medians.setdefault(int(bins), {}).setdefault(name, []).append(median)
    return table(["bins", "1080p, µs", "4K, µs"],
                 [[f"{bins:,}"] + [spread(frames[name], 1) for name in ("1080p", "4K")] for bins, frames in medians.items()])


def make_host(words):
    found = re.findall(r"^  (\S+ \S+)\s+(pinned|pageable)\s+\d+ frames/s,\s+([\d.]+) GB/s;"
                       r" copies\s+([\d.]+) GB/s: [\d.]+ of it; median\s+([\d.]+) us",
                       words, re.M)
    lines = [[f"{name}, {memory}", speed, copies, f"{float(median):.0f}"]
             for name, memory, speed, copies, median in sorted(found, key=lambda each: each[1], reverse=True)]
    return table(["frame", "engine, GB/s", "plain copies, GB/s", "one frame, µs"], lines)


SIZES = [32, 64, 512, 4096]  # KiB: those at which the engine changes its choice, and beyond


def make_copying(words):
    lines = []
    for size, rest in re.findall(r"^\s+(\d+) KiB \|(.*)$", words, re.M):
        columns = [re.findall(r"[\d.]+", column) for column in rest.split("|")]
        if int(size) in SIZES:
            lines.append([f"{size} KiB"] + [f"{each[0]}; {each[2]}" for each in columns])
    return table(["frame: µs; GB/s", "pinned, read in place", "pinned, copied", "pageable, in place", "pageable, staged"],
                 lines)


# ---- from bench_pipeline ----------------------------------------------------------------------------------------------


def make_plain(cuda, cpu):
    lines = []
    for words in (cuda, cpu):
        backend = re.search(r"backend=(\w+) ", words)[1]
        rates = [(float(rate), rate, size) for size, rate in
                 re.findall(r"without cudahisto, blocksize\s+(\d+) KiB\s+([\d.]+)", words)]
        ours = re.search(r"^  cudahisto\s+([\d.]+) GB/s\s+([\d.]+)x", words, re.M)
        _, best, size = max(rates)
        lines.append([backend, f"{best} ({size} KiB)", ours[1], ours[2]])
    return table(["backend", "best without (its blocks), GB/s", "with `cudahisto`, GB/s", "time divided by the best"], lines)


def make_push(cuda, cpu):
    def rows(words):
        return re.findall(r"^\s+(\d+) KiB (\w+)\s+([\d.]+)\s+([\d.]+)\s+([\d.]+)\s+([\d.]+)x", words, re.M)
    lines = [[backend, f"`{after}`", f"{size} KiB", identity, ours, ratio]
             for backend, words in (("cuda", cuda), ("cpu", cpu)) for size, after, identity, _, ours, ratio in rows(words)]
    return table(["backend", "before", "blocks", "`identity`, GB/s", "`cudahisto`, GB/s", "time divided by `identity`"], lines)


def make_offered(appsrc, pool):
    def rate(words, name):
        found = re.search(re.escape(name) + r"\s+(\d+) frames/s", words)
        return f"{int(found[1]):,}"
    return table(["frames/s", "without `cudahisto`", "with it", "with it, memory of the source's own"],
                 [["`appsrc`, frames filled before", rate(appsrc, "without cudahisto"), rate(appsrc, "cudahisto, packed bins"),
                   ""],
                  ["`videotestsrc pattern=black`", rate(pool, "without cudahisto"),
                   rate(pool, "cudahisto, the memory it offers"),
                   rate(pool, "cudahisto, videotestsrc's memory")]])


NOISE_US = {"cuda": 10, "cpu": 40}  # a line that costs a frame less than this more than basic statistics shares their row


def find_prices(words, backend):
    """Frames a second of basic statistics; the price of each line by its name, but "-" in the noise; and the prices there. Of a
    CPU by processor time, which other work on a machine of few cores does not change."""
    by_processor = backend == "cpu"
    found = re.findall(r"^  (\S.*?) {2,}(\d+)\s+([\d.]+)\s+(-?[\d.]+)\s+(\d+)\s+([\d.]+)\s+(-?[\d.]+)$", words, re.M)
    prices, noise, basic = {}, [], None
    for name, rate, *by_clock, processor_rate, ratio, more in found:
        rate, ratio, more = (processor_rate, ratio, more) if by_processor else (rate, *by_clock)
        is_noise = float(more) < NOISE_US[backend]
        prices[name] = "-" if is_noise else ratio
        if is_noise:
            noise.append(ratio)
        basic = basic or rate
    return basic, prices, noise


def make_statistics(cuda, cpu):
    columns = [find_prices(cuda, "cuda"), find_prices(cpu, "cpu")]
    lines = [["basic statistics, again (frames/s)"] + [f"{int(basic):,}" for basic, _, _ in columns],
             ["rows with -"] + [spread(noise, 2) if noise else "" for _, _, noise in columns]]
    for name in list(columns[1][1])[1:]:
        shown = f"`{name.removeprefix('statistics=basic+')}`" if re.fullmatch(r"[\w-]+=[\w+-]+", name) else name
        lines.append([shown] + [prices.get(name, "") for _, prices, _ in columns])
    return table(["beside basic statistics", "GPU", "CPU"], lines)


# ---- from bench_cpu.txt -----------------------------------------------------------------------------------------------

FORMATS = ["luma", "NV12", "RGBA", "10/1024", "16/256", "luma, and dot product"]
SAMPLES = ["random", "ramp and noise", "constant", "multiples of 32"]


def make_cpu(words):
    found = re.findall(r"^(\S+(?:, ?dot)?) +"
                       r"(random|constant|two values|ramp and noise|alternating|multiples of 32|interrupted runs)\s+"
                       r"([\d.]+)\s+([\d.]+)\s+([\d.]+)$", words, re.M)
    by_place = {(re.sub(", ?dot", ", and dot product", each[0]), each[1]): each[2:] for each in found}
    lines = []
    for name in FORMATS:
        cells = [by_place.get((name, content)) for content in SAMPLES]
        lines.append([name] + [f"{each[1]} ({each[2]})" if each else "" for each in cells])
    return table(["format"] + SAMPLES, lines)


def make_cores(words):
    found = re.findall(r"^\s+(\d+)\s+([\d.]+)\s+([\d.]+)\s+(\d+)\s+([\d.]+)$", words, re.M)
    return table(["threads"] + [each[0] for each in found],
                 [["RGBA, basic: GB/s"] + [each[1] for each in found],
                  ["NV12, signalstats: frames/s"] + [f"{int(each[3]):,}" for each in found]])


def make_native(words):
    """The factor by which it takes longer, with one thread and with two."""
    found = re.findall(r"^(\d+) bits, (\w[\w ]*?)\s+" + r"\s+".join([r"([\d.]+)"] * 6) + "$", words, re.M)
    groups = {}
    for bits, content, *figures in found:
        groups.setdefault("10 and 12 bits" if int(bits) < 16 else f"16 bits, {content}", []).append(figures)
    return table(["samples", "1 thread", "2 threads"],
                 [[name, spread([each[2] for each in figures], 2), spread([each[5] for each in figures], 2)]
                  for name, figures in groups.items()])


def make_reductions(words):
    found = re.findall(r"^(reading \w+ streams?|(?:flat )?bytes: .*?|up to 15 bits: .*?|16 bits: .*?)\s+([\d.]+)\s+([\d.]+)$",
                       words, re.M)
    groups = {}
    for name, rate, ratio in found:
        what = name.split(": ")[-1].replace("sum, squares", "squares")
        what = "reading" if what.startswith("reading") else "flat bytes: histogram" if name.startswith("flat") else what
        groups.setdefault(what, []).append((rate, ratio))
    return table(["", "GB/s", "over reading alone"],
                 [[name] + [spread(column, 2) for column in zip(*rows)] for name, rows in groups.items()])


TABLES = {
    "device": (make_device, "bench_cuda.txt"), "picture": (make_picture, "bench_picture.txt"),
    "host": (make_host, "bench_cuda.txt"),
    "copying": (make_copying, "bench_cuda.txt"),
    "deepdevice": (make_native_device, "bench_cuda.txt"),
    "plain": (make_plain, "plain_cuda.txt", "plain_cpu.txt"), "push": (make_push, "push_cuda.txt", "push_cpu.txt"),
    "statistics": (make_statistics, "statistics_cuda.txt", "statistics_cpu.txt"),
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
                                         f"The line at the right: all bytes read, no histogram: "
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
