#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""test_relations.py COMMAND: a line whose numbers contradict each other is refused, whichever number is changed, by each
subcommand that reads lines. Lines of the element, with any statistics, and sums of them are accepted."""

import copy
import csv
import io
import json
import os
import random
import re
import subprocess
import unittest

from lines import COMMAND, SharedFolderTest, complain, cudahisto, dump, need, read, run

need("gst-inspect-1.0", "gst-launch-1.0")

ALL = ("statistics=signalstats+comparison+gamut+active-picture+row-sums+column-sums+waveform dot=previous "
       "metering=center waveform-columns=4")
SEED = int(os.environ.get("CUDAHISTO_TEST_SEED", random.randrange(2**32)))
ROUNDS = 12
# No other number of a line depends on these, or limits them closely.
FREE = {"cudahisto", "frame", "timestamp", "stream-time", "running-time", "duration", "offset", "x", "y"}
FREE_OF_COMPONENTS = {"dot", "dot-count"}
FREE_OF_LIGHT = {"max-fall", "max-cll-99-99", "max-fall-99-99"}


def measure(source, properties, path):
    run("gst-launch-1.0", "-q", *source.split(), "!", "cudahisto", *properties.split(), "post-messages=false",
        f"sidecar-location={path}", "!", "fakesink")
    return read(path)


def list_numbers(value, path=()):
    """Lists the paths of all numbers; of an array, one that is 0 and one that is not."""
    if isinstance(value, bool) or isinstance(value, str) or value is None:
        return
    if isinstance(value, dict):
        for key, member in value.items():
            yield from list_numbers(member, (*path, key))
    elif isinstance(value, list) and value and isinstance(value[0], int):
        for wanted in (True, False):
            yield from ((*path, i) for i in [i for i, number in enumerate(value) if (number != 0) is wanted][:1])
    elif isinstance(value, list):
        for i, member in enumerate(value):
            yield from list_numbers(member, (*path, i))
    else:
        yield path


def change(line, index, path, amount):
    """The line with `index` as its frame, and one number changed, as text."""
    *way, last = path
    place = line
    for step in way:
        place = place[step]
    was = place[last]
    place[last] += amount * (1 + abs(was)) / 100 if isinstance(was, float) else amount
    line["frame"] = index
    text = json.dumps(line) + "\n"
    place[last] = was
    return text


def is_free(path):
    """A row more or less may belong to a frame of two fields."""
    return (len(path) == 1 and path[0] in FREE or path[-1] in FREE_OF_COMPONENTS
            or "components" not in path and path[-1] == "height" or "light" in path and path[-1] in FREE_OF_LIGHT
            or (path[0] == "regions" and len(path) == 3 and path[2] in FREE))


class Relations(SharedFolderTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.reference = cls.folder / "reference.png"
        run("gst-launch-1.0", "-q", "videotestsrc", "num-buffers=1", "!", "video/x-raw,width=32,height=24", "!", "pngenc", "!",
            "filesink", f"location={cls.reference}")

    def find_accepted(self, text):
        """The frames of the lines that `csv` reads."""
        path = self.folder / "changed.jsonl"
        path.write_text(text)
        done = subprocess.run([COMMAND, "csv", path], capture_output=True, encoding="utf-8", timeout=100, check=False)
        self.assertIn(done.returncode, (0, 2), done.stderr)
        rows = [int(row["frame"]) for row in csv.DictReader(io.StringIO(done.stdout))]
        self.assertEqual(done.returncode, 0 if len(rows) == text.count("\n") else 2)
        return rows

    def check_changes(self, line, free, only=""):
        places = [path for path in list_numbers(line) if path[-1] != "frame" and (not only or path[0] in only)]
        self.assertGreater(len(places), 1 if only else 15)
        for amount in (1, -1):
            changed = dump([{**line, "frame": 0}]) + "".join(change(line, i + 1, p, amount) for i, p in enumerate(places))
            first, *others = self.find_accepted(changed)
            self.assertEqual((first, {places[i - 1] for i in others if not free(places[i - 1])}), (0, set()))

    def test_formats(self):
        """Each subcommand accepts the lines of each format."""
        page = run("gst-inspect-1.0", "videotestsrc", env={**os.environ, "GST_INSPECT_NO_COLORS": "1"})
        formats = re.search(r"video/x-raw\n +format: \{(.*?)\}", page, re.S)[1].replace("(string)", "").split(", ")
        formats = [name.strip() for name in formats if name.strip() != "DMA_DRM"]
        self.assertGreater(len(formats), 100)
        path = self.folder / "format.jsonl"
        for i, name in enumerate(formats):
            with self.subTest(format=name):
                bins = "native" if i % 2 == 0 else "256"
                source = f"videotestsrc num-buffers=2 pattern=snow ! video/x-raw,format={name},width=16,height=8,framerate=25/1"
                first, _ = measure(source, f"{ALL} bins={bins} sidecar-arrays=all", path)
                self.assertEqual({len(c["histogram"]) for c in first["components"].values() if "histogram" in c},
                                 {2 ** first["depth"] if bins == "native" else 256})
                cudahisto("show", path)
                cudahisto("csv", path)
                cudahisto("merge", path, status=0 if bins == "native" or first["depth"] == 8 else 1)  # 1: without `low`

    def test_each_number(self):
        """Each number of a picture, its regions and its reference contradicts others if it is changed."""
        kinds = ("I420", ""), ("I420_10LE", ""), ("BGRx", ""), ("GRAY8", ""), ("I420", "statistics=basic+vectorscope")
        kinds += (("P010_10LE,colorimetry=bt2100-pq", "statistics=basic+light"),
                  ("GBR_10LE,colorimetry=1:1:14:7", "statistics=light"))
        for kind, rest in kinds:
            properties = f"{rest or ALL} bins=native sidecar-arrays=all regions=0,0,16,24;16,4,8,8"
            properties += f" reference-mode=fixed reference-location={self.reference}"
            source = f"videotestsrc num-buffers=2 pattern=snow ! video/x-raw,format={kind},width=32,height=24"
            _, line = measure(source, properties, self.folder / "rich.jsonl")
            for component in [c for part in (line, *line["regions"]) for c in part["components"].values()]:
                for name in [name for name in component if component.get("sad") == 0 and "diff" in name or "distance" in name]:
                    del component[name]  # 0 / 1 is 0 / 2
            self.check_changes(line, is_free, rest)

    def test_bytes(self):
        for window in "stream", "bytes window-size=1000":
            line = measure("fakesrc num-buffers=4 sizetype=fixed sizemax=500 filltype=random", f"window={window}",
                           self.folder / "bytes.jsonl")[0]
            self.check_changes(line, lambda path: is_free(path) or path == ("frames",))

    def test_without_histograms(self):
        """Contradictions of sums only."""
        line = measure("videotestsrc num-buffers=1 ! video/x-raw,format=GRAY8,width=32,height=24", "sidecar-arrays=none",
                       self.folder / "bare.jsonl")[0]
        luma = line["components"]["GRAY"]
        for name, value in (("sum", luma["sum"] + 1), ("sum-of-squares", luma["sum"] - 1), ("sum-of-squares", 255**2 * 768 + 1),
                            ("mean", 256.0), ("mean", -1.0), ("variance", luma["variance"] + 1), ("stddev", 0.0), ("min", 255),
                            ("max", 1), ("max", 256), ("low", luma["high"] + 1), ("count", 767), ("count", 2**64 - 1)):
            changed = {**line, "components": {"GRAY": {**luma, name: value}}}
            self.assertEqual(self.find_accepted(dump([line, {**changed, "frame": 1}])), [0], name)

    def test_depths_and_overflows(self):
        """An impossible depth, a depth that is not the format's, and bins whose sum is too large."""
        line = measure("videotestsrc num-buffers=1 ! video/x-raw,format=I420_10LE,width=32,height=24", "statistics=signalstats",
                       self.folder / "ten.jsonl")[0]
        luma = {"histogram": [2**63, 2**63] + [0] * 254}
        bare = {"cudahisto": 1, "frame": 0, "frames": 1, "components": {}}
        for changed, words in (({**line, "depth": 17}, "`depth` is "), ({**line, "depth": 200}, "`depth` is "),
                               ({**line, "depth": 16}, "`depth` is not 10"), ({**bare, "depth": 17}, "`depth` is more than 16"),
                               ({**bare, "components": {"Y": luma}}, "`Y-histogram` has bins whose sum")):
            self.assertIn("line 2 contradicts itself: " + words, complain("csv", input=dump([line, changed]).encode()))
        self.assertEqual(self.find_accepted(dump([line, {**line, "frame": 1, "format": "later"}])), [0, 1])

    def test_events(self):
        """In reverse playback, an event ends before it starts, except in running time."""
        event = {"cudahisto": 1, "event": "black", "start": 40, "end": 80, "frame": 1, "frames": 2, "element": "a"}
        for changed in ({}, {"start": 80, "end": 40, "running-time": 0, "end-running-time": 40}, {"end": None}):
            cudahisto("events", input=dump([{**event, **changed}]).encode(), status=1)
        for changed, words in (({"start": 81}, "`end` is before `start`"), ({"frame": 2**64 - 1}, "`frame` is too large"),
                               ({"frames": 2**64 - 1}, "`frames` is too large"),
                               ({"missing": 2**64 - 1}, "`missing` is too large"),
                               ({"running-time": 50, "end-running-time": 40}, "`end` is before `start`")):
            for command in "events", "report":
                arguments = ("-o", "-") if command == "report" else ()
                self.assertIn("line 2 contradicts itself: " + words,
                              complain(command, "-", *arguments, input=dump([event, {**event, **changed}]).encode()))

    def test_every_subcommand(self):
        """Reports the line's number and the contradiction, and adds no such line to a sum."""
        lines = measure("videotestsrc num-buffers=3 ! video/x-raw,format=GRAY8,width=32,height=24", "",
                        self.folder / "three.jsonl")
        out = self.folder / "never"
        for name, value, words in (
                ("sum", 1, "line 2 contradicts itself: `GRAY-sum-of-squares` is more than `GRAY-sum` and `depth` allow"),
                ("min", 255, "line 2 contradicts itself: `GRAY-min` is more than `GRAY-low`"),
                ("used-bits", 3, "line 2 contradicts itself: `GRAY-used-bits` contradicts `GRAY-max`"),
                ("count", 7, "line 2 contradicts itself: `GRAY-sum"),
                ("mean", 9.5, "line 2 contradicts itself: `GRAY-mean` is not `GRAY-sum` / `GRAY-count`"),
                ("histogram", [-3] + [0] * 255, "line 2 is not one of a sidecar of cudahisto: `GRAY-histogram` should have"
                 " whole numbers, not negative,"),
                ("sum-of-squares", -1, "`GRAY-sum-of-squares` should be a whole number of at most 128 bits"),
                ("sum-of-squares", 2**128, "`GRAY-sum-of-squares` should be a whole number of at most 128 bits"),
                ("sum-of-squares", 1.5, "`GRAY-sum-of-squares` should be a whole number of at most 128 bits"),
                ("sum-of-squares", "1", "`GRAY-sum-of-squares` should not be a text"),
                ("count", 2**64, "`GRAY-count` should be a whole number of at most 64 bits")):
            changed = copy.deepcopy(lines)
            changed[1]["components"]["GRAY"][name] = value
            path = self.folder / "impossible.jsonl"
            path.write_text(dump(changed))
            for command in (("show",), ("csv",), ("csv", "--histograms"), ("csv", "--signalstats"), ("csv", "--qctools"),
                            ("events",), ("merge",), ("merge", "--by-file"), ("report", "-o", "-")):
                self.assertIn(f"cudahisto: {path}: ", complain(*command, path), command)
                self.assertIn(words, complain(*command, path), command)
            complain("merge", path, "-o", out)
            self.assertFalse(out.exists())

    def test_old_lines(self):
        """Lines of 0.1 have the lowest value of a bin for samples above 8 bits, no version and no newer fields."""
        line = measure("videotestsrc num-buffers=1 ! video/x-raw,format=I420_10LE,width=32,height=24", "",
                       self.folder / "deep.jsonl")[0]
        for luma in line["components"].values():
            luma.update({name: luma[name] & ~3 for name in ("min", "max", "low", "median", "high")})
        del line["cudahisto"], line["range"]
        self.assertEqual(self.find_accepted(dump([line])), [0])

    def test_unknown_fields(self):
        line = measure("videotestsrc num-buffers=1 ! video/x-raw,format=GRAY8,width=32,height=24", "",
                       self.folder / "later.jsonl")[0]
        line.update({"later": -1, "newer": [-1, 2], "reference-offset": -40000000, "derived": {"times": -5, "x-mean": -1.5}})
        line["components"]["GRAY"].update({"skewness": -0.5, "later-histogram": [-1]})
        self.assertEqual(self.find_accepted(dump([line])), [0])

    def test_what_is_measured(self):
        """Lines of random formats, sizes and properties, and sums of them, have no contradiction."""
        dice = random.Random(SEED)
        print("CUDAHISTO_TEST_SEED", SEED)
        formats = ("I420", "NV12", "YUY2", "Y42B", "Y444", "UYVY", "VUYA", "BGRx", "RGBA", "GBR", "GRAY8", "I420_10LE",
                   "P010_10LE", "Y444_16LE", "I422_12LE", "GBR_10LE", "I420_10LE,colorimetry=bt2100-pq")
        path, merged = self.folder / "random.jsonl", self.folder / "merged.jsonl"
        for _ in range(ROUNDS):
            width, height = dice.randint(1, 70), dice.randint(1, 40)
            kind = dice.choice(formats)
            can_crop = kind in ("I420", "Y444", "GRAY8", "RGBA")
            crop = f" ! videocrop left={dice.randint(0, 3)} top={dice.randint(0, 3)}" if can_crop else ""
            source = (f"videotestsrc num-buffers={dice.randint(1, 9)} pattern={dice.choice(('ball', 'snow', 'black', 'smpte'))}"
                      f" ! video/x-raw,format={kind},width={width + 3},height={height + 3},framerate=25/1{crop}")
            properties = [dice.choice((ALL, "statistics=basic", "statistics=signalstats+vectorscope", "statistics=row-sums"))]
            if "pq" in kind:
                properties = ["statistics=basic+light"]
            properties += [dice.choice(("", "window=stream", "interval=80000000")), dice.choice(("", "bins=native")),
                           dice.choice(("", "sidecar-arrays=none", "sidecar-arrays=all", "sidecar-arrays=all")),
                           dice.choice(("", "regions=1,1,3,3;0,0,1,1;5,3,99,99")), dice.choice(("", "metering=spot"))]
            measure(source, " ".join(properties), path)
            cudahisto("show", path)
            merged.unlink(missing_ok=True)
            for form in (), ("--interval=80ms",):
                done = subprocess.run([COMMAND, "merge", *form, path, "-o", merged], stderr=subprocess.PIPE, check=False)
                self.assertIn(done.returncode, (0, 1), done.stderr)  # 1: some fields do not add up
                cudahisto("show", merged)
                merged.unlink()


unittest.main()
