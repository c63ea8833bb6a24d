#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""test_merge.py COMMAND: the sum of results equals, bit for bit, the element's result of one window over all of them."""

import csv
import json
import unittest

from lines import SharedFolderTest, complain, cudahisto, dump, list_fields, need, read, run

need("ffmpeg")

FILMS = {
    "yuv420p": "testsrc2=s=65x49:r=25,noise=alls=12:allf=t:all_seed=3,pad=80:64:3:7,format=yuv420p",
    "yuv422p10le": "mandelbrot=s=64x48:end_pts=60:r=25,format=yuv422p10le",
    "rgb24": "testsrc=s=48x32:r=25,format=gbrp",
    "gray": "life=s=60x40:r=25:seed=5,format=gray",
    "pq": "testsrc2=s=65x49:r=25,format=yuv420p10le",
}
PQ = "-color_trc", "smpte2084", "-color_primaries", "bt2020", "-colorspace", "bt2020nc", "-color_range", "tv"
STATISTICS = "signalstats+comparison+gamut+active-picture+row-sums+column-sums+waveform+vectorscope"
OPTIONS = ("--set=dot=previous", "--set=metering=center", "--set=waveform-columns=16", "--set=sidecar-arrays=all",
           "--set=regions=0,0,9,7;8,4,30,16")
# Fields that only the element's window can have.
OF_THE_WINDOW = ("utc-time", "ended-by")


def parse(text):
    """Parses the only line, keeping the digits of its numbers: -0.0 is not 0, and 2^64 is not 18446744073709552000."""
    (line,) = text.splitlines()
    return json.loads(line, parse_int=lambda digits: ("int", digits), parse_float=lambda digits: ("double", digits))


def strip(line):
    return {key: value for key, value in line.items() if key not in OF_THE_WINDOW}


class Merge(SharedFolderTest):
    maxDiff = 4000

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for name, graph in FILMS.items():
            run("ffmpeg", "-v", "error", "-f", "lavfi", "-i", graph, "-frames:v", 60, "-c:v", "ffv1",
                *(PQ if name == "pq" else ()), cls.folder / f"{name}.mkv")

    def measure(self, name, out, *options):
        path = self.folder / out
        statistics = STATISTICS + ("+light" if name == "pq" else "")
        cudahisto("measure", "-q", self.folder / f"{name}.mkv", "-o", path, "-s", statistics, *OPTIONS, *options)
        return path

    def test_equals_one_window(self):
        for name in FILMS:
            with self.subTest(film=name):
                frames = self.measure(name, "frames.jsonl", "--bins=native", "--set=reference-location="
                                      + str(self.folder / f"{name}.mkv"), "--set=reference-mode=fixed")
                whole = self.measure(name, "whole.jsonl", "--bins=native", "--set=window=stream", "--set=reference-location="
                                     + str(self.folder / f"{name}.mkv"), "--set=reference-mode=fixed")
                self.assertEqual(len(read(frames)), 60)
                merged, wanted = strip(parse(cudahisto("merge", frames))), strip(parse(whole.read_text()))
                self.assertEqual(merged, wanted)
                self.assertEqual(list(merged), list(wanted))
                self.assertGreater(len(merged["components"]), 0)
                self.assertEqual("light" in merged, name == "pq")

    def test_intervals(self):
        frames = self.measure("yuv420p", "frames.jsonl")
        windows = self.measure("yuv420p", "windows.jsonl", "-i", "0.5")
        merged = [parse(line) for line in cudahisto("merge", "-i", "500ms", frames).splitlines()]
        wanted = [parse(line) for line in windows.read_text().splitlines()]
        self.assertEqual([strip(line) for line in merged], [strip(line) for line in wanted])
        self.assertEqual(len(merged), 5)
        # Parts that were measured separately have their own times: they share no interval.
        part = self.folder / "part.jsonl"
        part.write_text("".join(frames.read_text().splitlines(keepends=True)[:18]))
        twice = [parse(line) for line in cudahisto("merge", "-i", "500ms", part, frames).splitlines()]
        self.assertEqual([line["frames"] for line in twice[:2]], [("int", "13"), ("int", "5")])
        self.assertEqual(twice[2:], merged)
        # An earlier time does not begin another run.
        lines = [json.loads(line) for line in frames.read_text().splitlines()]
        lines[10]["running-time"] -= 100_000_000
        early = self.folder / "early.jsonl"
        early.write_text("".join(json.dumps(line) + "\n" for line in lines))
        early = [parse(line)["frames"] for line in cudahisto("merge", "-i", "500ms", early).splitlines()]
        self.assertEqual(early, [line["frames"] for line in merged])

    def test_damage(self):
        """Results without damage have no such fields."""
        lines = [json.loads(line) for line in self.measure("yuv420p", "damage.jsonl").read_text().splitlines()[:4]]
        lines[1].update({"damaged": 1, "missing": 5})
        lines[3]["missing"] = 7
        path = self.folder / "damaged.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        total = json.loads(cudahisto("merge", path))
        self.assertEqual((total["frames"], total["damaged"], total["missing"]), (4, 1, 12))

    def test_bytes(self):
        out = self.folder / "blocks.jsonl"
        film = self.folder / "yuv420p.mkv"
        cudahisto("measure", "-q", "--bytes", film, "-o", out, "--set=window=bytes", "--set=window-size=1000")
        whole = self.folder / "bytes.jsonl"
        cudahisto("measure", "-q", "--bytes", film, "-o", whole)
        self.assertEqual(strip(parse(cudahisto("merge", out))), strip(parse(whole.read_text())))
        lines = out.read_text().splitlines(keepends=True)
        gap = self.folder / "gap.jsonl"
        gap.write_text("".join(lines[:3] + lines[4:]))
        self.assertRegex(complain("merge", gap, status=1), "frames.* omitted, since the results do not follow each other")

    def test_parts(self):
        """Addition is associative, has a neutral element, and takes files in order."""
        lines = self.measure("yuv420p", "frames.jsonl").read_text().splitlines(keepends=True)
        parts = [self.folder / f"part{i}.jsonl" for i in range(3)]
        for path, piece in zip(parts, (lines[:7], lines[7:30], lines[30:])):
            path.write_text("".join(piece))
        empty = self.folder / "empty.jsonl"
        empty.write_text("")
        whole = cudahisto("merge", *parts)
        left, right = self.folder / "left.jsonl", self.folder / "right.jsonl"
        cudahisto("merge", *parts[:2], "-o", left)
        cudahisto("merge", *parts[1:], "-o", right)
        self.assertEqual(cudahisto("merge", left, parts[2]), whole)
        self.assertEqual(cudahisto("merge", parts[0], right), whole)
        self.assertEqual(cudahisto("merge", empty, left, empty), left.read_text())
        self.assertEqual(parse(cudahisto("merge", parts[0]))["frames"], ("int", "7"))
        self.assertEqual(len(cudahisto("merge", "--by-file", *parts).splitlines()), 3)
        # In another order, times would go back and there would be no duration.
        backwards = self.run_with_findings(*reversed(parts))
        self.assertIn("duration omitted, since the results do not follow each other", backwards[1])
        self.assertEqual(json.loads(backwards[0])["components"], json.loads(whole)["components"])

    def run_with_findings(self, *paths):
        out = self.folder / "out.jsonl"
        said = complain("merge", *paths, "-o", out, status=1)
        return out.read_text(), said

    def test_percentiles_of_deep_samples(self):
        frames = self.measure("yuv422p10le", "frames.jsonl")
        text, said = self.run_with_findings(frames)
        self.assertRegex(said, "Y-low, Y-median, Y-high, .* omitted, since 256 bins are too few .* bins=native")
        whole = parse(self.measure("yuv422p10le", "whole.jsonl", "--set=window=stream").read_text())
        merged = parse(text)
        self.assertEqual(merged["components"]["Y"]["histogram"], whole["components"]["Y"]["histogram"])
        for name, wanted in whole["components"].items():
            for key in ("low", "median", "high"):
                self.assertNotIn(key, merged["components"][name])
                del wanted[key]
            self.assertEqual(merged["components"][name], wanted)

    def test_without_histograms(self):
        frames = self.measure("yuv420p", "frames.jsonl", "--set=sidecar-arrays=none")
        text, said = self.run_with_findings(frames)
        self.assertRegex(said, "saturation-min, .*Y-low, .* omitted, since not all results have the values that they follow")
        whole = parse(self.measure("yuv420p", "whole.jsonl", "--set=window=stream").read_text())
        luma = parse(text)["components"]["Y"]
        for key in ("mean", "variance", "stddev", "min", "max", "used-bits", "psnr", "dot", "reference"):
            self.assertEqual(luma.get(key), whole["components"]["Y"].get(key), key)

    def test_other_statistics(self):
        """Fields that not all lines have are listed, with those that follow from them."""
        first = read(self.measure("yuv420p", "frames.jsonl"))[:4]
        del first[2]["outliers-count"], first[2]["components"]["U"]["sum-of-squares"], first[3]["components"]["V"]["ssd"]
        first[1]["later"] = 7
        path = self.folder / "mixed.jsonl"
        path.write_text(dump(first))
        text, said = self.run_with_findings(path)
        left_out = said.split(" omitted")[0].removeprefix("cudahisto: ").split(", ")
        gone = {"outliers-count": "", "sum-of-squares": "U-", "ssd": "V-"}
        follow = {gone[field["dividend"]] + field["name"] for field in list_fields() if field.get("dividend") in gone}
        self.assertLessEqual({"outliers", "V-mse", "V-psnr"}, follow)
        self.assertEqual(set(left_out), {prefix + name for name, prefix in gone.items()} | follow | {"U-variance", "U-stddev"})
        self.assertIn("later omitted, since this version", said)
        merged = json.loads(text)
        self.assertNotIn("outliers", merged)
        self.assertIn("mean", merged["components"]["U"])
        self.assertNotIn("psnr", merged["components"]["V"])

    def test_wide_integers(self):
        line = {"cudahisto": 1, "frame": 0, "frames": 1, "components":
                {"Y": {"count": 1, "sum": 1, "sum-of-squares": 2**127 + 1, "variance": 0.0}}}
        merged = json.loads(cudahisto("merge", input=dump([line]).encode()))
        self.assertEqual(merged["components"]["Y"]["sum-of-squares"], 2**127 + 1)
        said = complain("merge", status=1, input=dump([line, line]).encode())
        self.assertIn("Y-sum-of-squares omitted, since they are too large", said)

    def add_up(self, *lines, status=0):
        """Returns the sum of results of one picture each, and the omitted fields in the order of the messages."""
        text = dump([{"cudahisto": 1, "frame": i, "frames": 1, "depth": 8, **line} for i, line in enumerate(lines)])
        out = self.folder / "sum.jsonl"
        said = complain("merge", "-o", out, status=status, input=text.encode())
        left_out = [name for line in said.splitlines()
                    for name in line.split(" omitted, since ")[0].removeprefix("cudahisto: ").split(", ")]
        return json.loads(out.read_text()), left_out, said

    def check_rule(self, where, name, values, total, without):
        """Adds three results with these values of a field; then the first and the last again, between which one lacks it."""
        def line(value):
            group, _, member = where.partition("/")
            inner = {} if value is None else {name: value}
            inner = {member: inner} if member and value is not None else inner
            luma = {"components": {"Y": {"count": 100, **(inner if group == "Y" else {})}}}
            return luma if group == "Y" else {**luma, **({group: inner} if group and value is not None else inner)}

        def find(total):
            for key in ("components", "Y", *where.split("/")[1:]) if where.startswith("Y") else filter(None, [where]):
                total = total.get(key, {})
            return total.get(name)

        for chosen, expected in ((values, total), ((values[0], None, values[2]), without)):
            omits = expected is None and any(value is not None for value in chosen)
            merged, *_ = self.add_up(*map(line, chosen), status=1 if omits else 0)
            self.assertEqual(find(merged), expected, f"{where} {name} of {chosen}")

    def test_rules(self):
        """Each kind of addition, for each field that is not computed from others."""
        counts = ("outliers-count", "repeats-count", "out-of-range-count", "out-of-gamut-count")
        for where, names in ("", counts + ("metered-luma-sum", "metered-luma-weights")), ("Y", ("sum", "sum-of-squares")):
            for name in names:
                self.check_rule(where, name, (3, 6, 4), 13, None)
        compared = ("difference-count", "histogram-distance-count")
        for where, names in ("", ("damaged", "missing")), ("Y", ("dot-count", *compared)), ("Y/reference", compared):
            for name in names:
                self.check_rule(where, name, (3, 6, 4), 13, 7)
        both, one = ({"components": {"Y": {"count": 100, "dot-count": 2, **dot}}} for dot in ({"dot": 4}, {}))
        self.assertEqual(self.add_up(both, both)[0]["components"]["Y"]["dot"], 8)
        self.assertEqual(self.add_up(both, one, status=1)[1], ["Y-dot"])
        self.check_rule("Y", "min", (4, 3, 6), 3, None)
        self.check_rule("Y", "max", (4, 6, 3), 6, None)
        self.check_rule("Y", "used-mask", (3, 6, 4), 7, None)
        self.check_rule("", "sampling", ("every=2", "every=2", "every=2"), "every=2", "mixed")
        self.check_rule("", "sampling", (None, "every=2", None), "mixed", None)
        self.check_rule("", "sampling", ("every=2", "every=2", "keyframes"), "mixed", "mixed")
        for name in "sum", "pq-sum":
            self.check_rule("light", name, (3, 6, 4), 13, None)
        for name in "max-nits", "max-cll", "max-fall", "max-cll-99-99", "max-fall-99-99":
            self.check_rule("light", name, (4.25, 6.5, 3.75), 6.5, None)
        self.check_rule("light", "min-pq", (4, 3, 6), 3, None)
        self.check_rule("light", "max-pq", (4, 6, 3), 6, None)
        rectangles = [dict(zip(("x", "y", "width", "height"), four)) for four in
                      ((0, 0, 2, 2), (3, 1, 2, 2), (1, 1, 1, 1), (0, 0, 5, 3))]
        self.check_rule("", "active-extent", rectangles[:3], rectangles[3], None)
        self.check_rule("", "crop", rectangles[:3], rectangles[0], rectangles[0])
        for name in ("element", "input", "timecode", "reference-clock", "utc-time"):
            self.check_rule("", name, ("b", "c", "a"), "b", "b")
        for name in ("stream-time", "running-time", "reference-time", "reference-offset"):
            self.check_rule("", name, (6, 7, 5), 6, 6)
        for name in ("backend", "ended-by"):
            self.check_rule("", name, ("b", "c", "a"), "a", "a")
        self.check_rule("", "framerate", ("25/1", "25/1", "25/1"), "25/1", None)
        self.check_rule("", "field", ("top", "top", "top"), "top", None)
        self.check_rule("", "field", ("top", "bottom", "both"), "both", None)
        self.check_rule("", "framerate", ("25/1", "24/1", "25/1"), None, None)

    def test_rules_of_arrays(self):
        def bins(length, *numbers):
            return list(numbers) + [0] * (length - len(numbers))

        def nest(numbers):
            return [numbers[i:i + 256] for i in range(0, len(numbers), 256)]

        for name, length in ("row-sums", 2), ("column-sums", 2), ("histogram", 256), ("waveform", 512), ("vectorscope", 65536):
            parts = [bins(length, *two) for two in ((3, 97), (6, 94), (4, 96))]
            total = bins(length, 13, 287)
            if name in ("waveform", "vectorscope"):
                parts, total = [nest(part) for part in parts], nest(total)
            self.check_rule("" if name == "vectorscope" else "Y", name, parts, total, None)
        for group, length in ("saturation", 182), ("hue", 360):
            self.check_rule(group, "histogram", [bins(length, n) for n in (3, 6, 4)], bins(length, 13), None)

    def test_sources(self):
        for name, values in (("format", ("I420", "Y444")), ("width", (4, 5)), ("height", (4, 5)), ("depth", (8, 10)),
                             ("range", ("full", "limited")), ("colorimetry", ("bt709", "bt601"))):
            lines = [{"cudahisto": 1, "frame": i, "frames": 1, name: value, "components": {"Y": {}}}
                     for i, value in enumerate(values)]
            said = complain("merge", status=2, input=dump(lines).encode())
            self.assertIn("earlier results", said, name)

    def test_unequal_fields(self):
        """Fields of frames of 17 rows are of one source: in a window of the element, and added up."""
        paths = [self.folder / "window.jsonl", self.folder / "fields.jsonl"]
        for path, window in zip(paths, ("window=stream", "")):
            run("gst-launch-1.0", "-q", "videotestsrc", "num-buffers=2", "!", "video/x-raw,format=I420,width=64,height=17,"
                "framerate=25/1,interlace-mode=interleaved,field-order=top-field-first", "!", "cudahisto", "fields=apart",
                *window.split(), "post-messages=false", f"sidecar-location={path}", "!", "fakesink")
        cudahisto("csv", paths[0])
        window, merged = json.loads(paths[0].read_text()), json.loads(cudahisto("merge", paths[1]))
        self.assertEqual([line["height"] for line in read(paths[1])], [9, 8, 9, 8])
        for name in "height", "field", "frames", "components":
            self.assertEqual(merged[name], window[name])
        # Two rows are another size, and so is one of whole frames.
        lines = read(paths[1])
        lines = [{**line, "components": {"Y": {}}} for line in lines[:2]]
        whole = [{name: line[name] for name in line if name != "field"} for line in lines]
        for others in [lines[0], {**lines[1], "height": 7}], whole:
            self.assertIn("earlier results", complain("merge", status=2, input=dump(others).encode()))

    def test_numbers_at_the_edge(self):
        def luma(**fields):
            return {"components": {"Y": fields}}

        for name in ("row-sums", "column-sums"):
            for most, least in ((2**63 - 1, 1), (-2**63, -1)):
                merged, left_out, said = self.add_up(*(luma(count=1, **{name: [3, n]}) for n in (most, least)), status=1)
                self.assertEqual((left_out, merged["components"]["Y"]), ([f"Y-{name}"], {"count": 2}))
                self.assertIn("they are too large", said)
            merged, *_ = self.add_up(*(luma(count=1, **{name: [n]}) for n in (2**63 - 1, -2**63)))
            self.assertEqual(merged["components"]["Y"][name], [-1])

        # 2^63 - 1 twice: a tenth of them is at 3, and ranks exceed signed integers.
        part = luma(count=2**63 - 1, histogram=[0, 2**63 - 2, 0, 1] + [0] * 252, low=1, median=1, high=1)
        last = luma(count=2**63 - 1, histogram=[0, 0, 0, 2**63 - 1] + [0] * 252, low=3, median=3, high=3)
        merged, *_ = self.add_up(part, last)
        self.assertEqual([merged["components"]["Y"][name] for name in ("low", "median", "high")], [1, 3, 3])

        for name, length in ("saturation", 182), ("hue", 360):
            colours = {"histogram": [0] * 100 + [2**62] + [0] * (length - 101), "mean": 1.0}
            merged, *_ = self.add_up(*({"components": {"Y": {"count": 1}}, name: colours} for _ in range(2)))
            self.assertEqual(merged[name]["mean"], 100)
            colours["histogram"][7] = 2**62
            merged, left_out, _ = self.add_up(*({"components": {"Y": {"count": 1}}, name: colours} for _ in range(2)), status=1)
            self.assertEqual((left_out, list(merged[name])), ([f"{name}-mean"], ["histogram"]))

        extents = ({"active-extent": {"x": x, "y": 0, "width": width, "height": 1}, "components": {"Y": {"count": 1}}}
                   for x, width in ((2**32 - 1, 2**32 - 1), (0, 1)))
        merged, left_out, _ = self.add_up(*extents, status=1)
        self.assertEqual((left_out, "active-extent" in merged), (["active-extent"], False))

    def test_depths_that_no_sample_has(self):
        for depth in (17, 33, 64, 200):
            luma = {"count": 1, "sum": 3, "mean": 3.0, "low": 3, "difference-count": 1, "ssd": 4, "psnr": 7.0,
                    "histogram": [0] * 255 + [1]}
            line = {"depth": depth, "components": {"Y": luma}}
            said = complain("merge", input=dump([{"cudahisto": 1, "frame": 0, "frames": 1, **line}]).encode())
            self.assertIn("line 1 contradicts itself: `depth` is more than 16", said)

    def test_pairs_of_one_result(self):
        """The two fields are in the same number of results, but not in the same ones."""
        for part, count, quotient in (("sad", "difference-count", "difference"), ("ssd", "difference-count", "mse"),
                                      ("histogram-distance-moved", "histogram-distance-count", "histogram-distance")):
            half = {part: 1, quotient: 0.5}
            for prefix in ("", "reference-"):
                def line(**fields):
                    fields = {name.replace("_", "-"): value for name, value in fields.items()}
                    return {"components": {"Y": {"count": 2, "reference": fields} if prefix else {"count": 2, **fields}}}
                one, other = line(**half), line(**{count: 1, quotient: 0.5})
                both, neither = line(**half, **{count: 2}), line()
                for lines in ((one, other), (other, one), (both, one, other), (one, both, other), (one, other, neither)):
                    merged, left_out, _ = self.add_up(*lines, status=1)
                    self.assertEqual(set(left_out), {f"Y-{prefix}{part}", f"Y-{prefix}{quotient}"})
                merged, *_ = self.add_up(neither, both, neither, both)
                luma = merged["components"]["Y"]
                self.assertEqual((luma["reference"] if prefix else luma)[quotient], 0.5)

    def test_without_a_count(self):
        """A result with sums and without the number of samples."""
        whole, part = ({"components": {"Y": {**count, "sum": 10, "mean": 5.0, "min": 1}}} for count in ({"count": 2}, {}))
        for lines in ((whole, part), (part, whole)):
            merged, left_out, _ = self.add_up(*lines, status=1)
            self.assertEqual(set(left_out), {"Y-count", "Y-mean"})
            self.assertEqual(merged["components"]["Y"], {"sum": 20, "min": 1})

    def test_too_large(self):
        """Values that its own readers would refuse are not written."""
        def make(**fields):
            return {"cudahisto": 1, "frame": 0, "frames": 2**63, "depth": 8, "timestamp": 0, "duration": 5, **fields}

        counts = {"count": 2**63, "sum": 2**63, "min": 1, "max": 1, "sad": 2**63, "difference-count": 2**63, "difference": 1.0,
                  "dot": 2**64 - 1, "dot-count": 2**63, "histogram": [0, 2**63] + [0] * 254, "row-sums": [2**62, -2**62]}
        region = {"x": 0, "y": 0, "width": 1, "height": 1, "components": {"Y": dict(counts)}}
        del region["components"]["Y"]["row-sums"]
        line = make(components={"Y": counts}, regions=[region], saturation={"histogram": [2**62] * 3 + [0] * 179, "min": 0},
                    **{"outliers-count": 2**63})
        text = dump([line, {**line, "timestamp": 2**64 - 3}])
        self.out = self.folder / "out.jsonl"
        said = complain("merge", "-", "-o", self.out, status=1, input=text.encode())
        (merged,) = read(self.out)
        for name in ("frames", "duration", "saturation-min", "Y-count", "Y-sum", "Y-sad", "Y-difference-count", "Y-dot-count",
                     "Y-histogram", "Y-row-sums", "region 0 Y-count", "outliers-count"):
            self.assertRegex(said, f"[ ,]{name}[ ,].* omitted, since they are too large", name)
        self.assertEqual((merged["components"]["Y"]["difference"], merged["components"]["Y"]["dot"]), (1.0, 2**65 - 2))
        self.assertEqual(merged["saturation"]["histogram"][:4], [2**63] * 3 + [0])
        self.assertNotIn("frames", merged)
        cudahisto("show", self.out)
        parts = [{"cudahisto": 1, "frame": i, "offset": 0, "size": 2**63, "components": {}} for i in range(2)]
        said = complain("merge", status=1, input=dump(parts).encode())
        self.assertRegex(said, "size omitted, since they are too large")

    def test_not_the_same_source(self):
        frames = self.measure("yuv420p", "frames.jsonl")
        other = self.measure("rgb24", "other.jsonl")
        out = self.folder / "never.jsonl"
        said = complain("merge", frames, other, "-o", out)
        self.assertRegex(said, f"^cudahisto: {other}: line 1 does not add up: its source is \\w+ 48x32, .* is I420 80x64\n$")
        self.assertFalse(out.exists())
        lines = read(frames)[:2]
        lines[1]["range"] = "full"
        self.assertIn("its `range` differs", complain("merge", input=dump(lines).encode()))
        lines = read(frames)[:2]
        lines[1]["regions"][1]["x"] += 1
        self.assertIn("regions omitted", complain("merge", status=1, input=dump(lines).encode()))
        lines = read(frames)[:2]
        lines[1]["framerate"] = "30/1"
        said = complain("merge", status=1, input=dump(lines).encode())
        self.assertIn("framerate omitted, since they are not the same", said)

    def test_detections(self):
        """A region of a detector: that of the first frame, as in a window of several frames."""
        frames = read(self.measure("gray", "frames.jsonl"))[:3]
        for frame, confidence in zip(frames, (0.5, 0.75, 0.25)):
            frame["regions"][1] |= {"id": 3, "type": "cat", "confidence": confidence}
        text = dump(frames).encode()
        merged = json.loads(cudahisto("merge", input=text))
        self.assertEqual([merged["regions"][1][name] for name in ("id", "type", "confidence")], [3, "cat", 0.5])
        self.assertNotIn("confidence", merged["regions"][0])
        header, *rows = csv.reader(cudahisto("csv", input=text).splitlines())
        self.assertEqual([row[header.index("region1_confidence")] for row in rows], ["0.5", "0.75", "0.25"])
        del frames[1]["regions"][1]["confidence"]
        self.assertEqual(json.loads(cudahisto("merge", input=dump(frames).encode()))["regions"][1]["confidence"], 0.5)

    def test_bad_input(self):
        frames = self.measure("gray", "frames.jsonl")
        lines = frames.read_text().splitlines(keepends=True)
        torn = self.folder / "torn.jsonl"
        torn.write_text("".join(lines[:3]) + lines[3][:100])
        self.assertIn("ends within a line", complain("merge", torn, status=1))
        mark = {"cudahisto": 1, "event": "incomplete", "start": 5, "end": None, "frame": 10, "frames": 0, "reason": "SIGINT",
                "element": "a"}
        torn.write_text("".join(lines[:3]) + dump([mark]))
        self.assertIn("does not reach the end of its film: SIGINT", complain("merge", torn, status=1))
        torn.write_text("".join(lines[:3]) + "film\n" + lines[3])
        self.assertIn("line 4 is not JSON", complain("merge", torn))
        self.assertIn("No such file", complain("merge", "/nowhere/a.jsonl"))
        self.assertIn("there are no results to add up", complain("merge", status=0, input=b""))
        self.assertIn("name another file", complain("merge", frames, "-o", frames))
        self.assertIn("No space left", complain("merge", frames, "-o", "/dev/full"))


unittest.main()
