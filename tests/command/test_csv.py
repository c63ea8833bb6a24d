#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""test_csv.py COMMAND: `cudahisto csv` writes every scalar of the lines, the values of FFmpeg's signalstats, and reports that
QCTools can read."""

import csv
import gzip
import io
import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import unittest
import xml.etree.ElementTree

from lines import COMMAND, SharedFolderTest, complain, cudahisto, dump, need, read, run

need("ffmpeg", "ffprobe")

CLIP = "testsrc2=s=160x120:r=25,noise=alls=8:allf=t:all_seed=3,format=yuv420p"
STATISTICS = ("signalstats+comparison+gamut+active-picture+used-bits+waveform+vectorscope+row-sums+column-sums+hue"
              "+saturation+outliers+repeats+broadcast-range+difference")
SCHEMA = pathlib.Path("/usr/share/ffmpeg/ffprobe.xsd")


def flatten(line):
    """Maps column names to the scalars of a line."""
    cells = {}

    def take(prefix, value):
        if isinstance(value, dict):
            for key, member in value.items():
                take(prefix if key == "components" else f"{prefix}{key}_", member)
        elif isinstance(value, list):
            for index, member in enumerate(value):
                if isinstance(member, dict):
                    take(f"region{index}_", member)
        else:
            cells[re.sub(r"[^A-Za-z0-9_]", "_", prefix[:-1])] = value

    take("", line)
    del cells["cudahisto"]
    return cells


class Csv(SharedFolderTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.film = cls.folder / "film.mp4"  # has an edit list, since x264 reorders frames
        run("ffmpeg", "-v", "error", "-f", "lavfi", "-i", CLIP, "-frames:v", 50, "-c:v", "libx264", "-bf", 2, cls.film)
        cls.lines = cls.folder / "film.jsonl"
        cudahisto("measure", "-q", cls.film, "-o", cls.lines, "-s", "signalstats+comparison+gamut+active-picture",
                  "--set=regions=0,0,9,7;8,4,16,16", "--set=metering=center", "-e", "scene-change+black")

    def read_rows(self, text):
        return list(csv.DictReader(io.StringIO(text)))

    def test_every_scalar(self):
        text = cudahisto("csv", self.lines)
        rows, lines = self.read_rows(text), [line for line in read(self.lines) if "event" not in line]
        self.assertEqual((len(rows), len(lines)), (50, 50))
        header = text.splitlines()[0].split(",")
        self.assertEqual(len(set(header)), len(header))
        self.assertTrue(all(re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name) for name in header), header)
        self.assertEqual(header.index("Y_difference"), header.index("Y_high") + 1)
        compared = 0
        for row, line in zip(rows, lines):
            cells = flatten(line)
            self.assertEqual(row.pop("framerate"), "25")
            self.assertEqual((row.pop("framerate_numerator"), row.pop("framerate_denominator")), ("25", "1"))
            self.assertEqual(cells.pop("framerate"), "25/1")
            self.assertEqual(int(row.pop("stream_time_s").replace(".", "")), int(row["stream_time"]))
            for name, cell in row.items():
                value = cells.pop(name, "")
                if value is None:
                    value = "inf" if name.endswith("_psnr") else ""
                self.assertEqual(type(value)(cell) if cell else "", value, name)
                compared += 1
            self.assertEqual(cells, {}, "not in the table")
        self.assertGreater(compared, 50 * 150)

    def test_histograms(self):
        rows, lines = self.read_rows(cudahisto("csv", "--histograms", self.lines)), read(self.lines)
        results = [line for line in lines if "event" not in line]
        for row, line in zip(rows, results):
            for name, component in line["components"].items():
                self.assertEqual([int(row[f"{name}_histogram_{i}"]) for i in range(256)], component["histogram"])
            self.assertEqual([int(row[f"hue_histogram_{i}"]) for i in range(360)], line["hue"]["histogram"])

    def test_own_are_told_from_others(self):
        """Own tables, of video and bytes, complete or cut within the header, are overwritten."""
        lines, out = self.folder / "all.jsonl", self.folder / "all.csv"
        cudahisto("measure", "-q", self.film, "-o", lines, "-r", self.film, "-s", STATISTICS, "--set=regions=0,0,9,7;8,4,16,16",
                  "--set=sidecar-arrays=all", "--set=metering=center")
        raw = self.folder / "bytes.jsonl"
        cudahisto("measure", "-q", "--bytes", self.film, "-o", raw)
        for path in (lines, raw):
            for form in ((), ("--histograms",), ("--signalstats",), ("--qctools",)):
                if path == raw and form in (("--signalstats",), ("--qctools",)):
                    continue
                for _ in range(2):
                    cudahisto("csv", *form, path, "-o", out)
                header, rest = out.read_text().split("\n", 1)
                if form != ("--qctools",):
                    out.write_text(f"{header},verdict\n{rest}" if len(header) < 4000 else f"verdict,{header}\n{rest}")
                    self.assertIn(" exists and was changed", complain("csv", *form, path, "-o", out))
                out.unlink()

    def test_other_fields_in_mid_film(self):
        lines = [{"cudahisto": 1, "frame": 0, "frames": 1, "a": 'x,"y"\nz', "components": {"Y": {"count": 1}}},
                 {"cudahisto": 1, "frame": 1, "frames": 1, "b": 2**70,
                  "components": {"R": {"count": 2}, "G": {"dot-count": 4}}}]
        text = cudahisto("csv", "-", input=dump(lines).encode())
        self.assertEqual(text.splitlines()[0], "frame,frames,b,R_count,G_dot_count,a,Y_count")
        rows = self.read_rows(text)
        self.assertEqual(rows[0]["a"], 'x,"y"\nz')
        self.assertEqual((rows[1]["b"], rows[1]["a"], rows[1]["Y_count"], rows[1]["R_count"]), (str(2**70), "", "", "2"))

    def test_names_of_columns(self):
        """They are unique, whatever the fields' names; fields of the element keep theirs."""
        long = "k" * 250
        line = {"cudahisto": 1, "frame": 0, "a_b": 1, "a-b": 2, "a.b": 3, "Y_mean": 4, "a_b_2": 5, "": 6, "-": 7,
                "stream-time": 8, "stream_time_s": 9, "crop": {"x": 1, "y": 2, "width": 3, "height": 4}, "crop_x": 5,
                "region0-Y-mean": 6, "components": {"Y": {"mean": 1.5}}, "regions": [{"components": {"Y": {"mean": 2.5}}}]}
        text = cudahisto("csv", "-", input=dump([line]).encode())
        header = text.splitlines()[0].split(",")
        self.assertEqual(len(header), len(set(header)), header)
        self.assertTrue(all(re.fullmatch(r"[A-Za-z0-9_]+", name) for name in header), header)
        (row,) = self.read_rows(text)
        self.assertEqual((row["Y_mean"], row["Y_mean_2"], row["a_b"], row["stream_time_s"], row["crop_x"]),
                         ("1.5", "4", "2", "0.000000008", "1"))
        self.assertEqual(sorted(row[name] for name in header if name.startswith("a_b")), ["1", "2", "3", "5"])
        # Names of more than 600 characters with the same first 600.
        deep = {"cudahisto": 1, "frame": 0, "components": {long: {"reference": {long + "x": 1, long + "y": 2}}}}
        deep["regions"] = [{"components": {long: {"reference": {long + "x": 3, long + "y": 4}}}}]
        (row,) = self.read_rows(cudahisto("csv", "-", input=dump([deep]).encode()))
        self.assertEqual([row[f"{where}{long}_reference_{long}{end}"] for where in ("", "region0_") for end in "xy"],
                         ["1", "2", "3", "4"])

    def test_many_names_that_come_to_one(self):
        """Hostile lines take as long as others of their size."""
        names = [format(number, "011b").translate(str.maketrans("01", "._")) + "-histogram" for number in range(1800)]
        text = dump([{"cudahisto": 1, "frame": i, "frames": 1, **{name: [1] * 64 for name in names[i::2]}, "components": {}}
                     for i in range(2)])
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        header, row, _ = cudahisto("csv", "--histograms", "-", input=text.encode()).splitlines()
        self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before, 20)
        header = header.split(",")
        self.assertEqual((len(header), len(set(header)), row.count(",")), (2 + 1800 * 64,) * 2 + (1 + 1800 * 64,))

    def test_field_of_two_kinds(self):
        """It has the columns of the first one."""
        lines = [{"cudahisto": 1, "frame": i, "frames": 1, "x-histogram": value, "components": {}}
                 for i, value in enumerate((5, [1, 2, 3], 7, {"x": 1}))]
        for text, wanted in ((dump(lines[:3]), ["5", "", "7"]), (dump(lines[1::-1]), ["1", ""])):
            rows = self.read_rows(cudahisto("csv", "--histograms", "-", input=text.encode()))
            self.assertEqual([row.get("x_histogram", row.get("x_histogram_0")) for row in rows], wanted)

    def test_no_formulas(self):
        texts = {"=1+1": "'=1+1", "+1": "'+1", "-1+cmd|' /C calc'!A0": "'-1+cmd|' /C calc'!A0", "@SUM(A1)": "'@SUM(A1)",
                 "\t=1": "'\t'=1", "\r=1": "'\r'=1", "\ta": "'\ta", "-": "'-", "a;=1+1": "a;'=1+1", "a;=1+1;b": "a;'=1+1;b",
                 "a\n@SUM(A1)": "a\n'@SUM(A1)", "a\t+1": "a\t'+1", ";-7;-8x": ";-7;'-8x", "a;b": "a;b", " =1": "' =1",
                 "\uff1d1+1": "'\uff1d1+1", "a;\uff20A1": "a;'\uff20A1", "\uff0d1": "'\uff0d1", "\ufe621": "'\ufe621",
                 "\u00e9=1": "\u00e9=1", " a": " a", "a,=1": "a,=1", "a=1": "a=1", "": "", "\"=": "\"=", "-7": "-7"}
        for text, wanted in texts.items():
            line = {"cudahisto": 1, "frame": 0, "format": text, "later": -2**70, "less": -5,
                    "components": {"Y": {"drift": -0.5}}}
            written = cudahisto("csv", "-", input=dump([line]).encode())
            (row,) = csv.DictReader(io.StringIO(written, newline=""))
            cells = re.split("[;\t\r\n]", written)
            self.assertFalse([cell for cell in cells if re.match("[=+@\uff1d\uff20]|-[^0-9.]", cell)], written)
            self.assertEqual(row, {"frame": "0", "format": wanted, "later": str(-2**70), "less": "-5", "Y_drift": "-0.5"})

    def test_rest_of_standard_input(self):
        """Reads the remaining part of a file that this or another program began to read."""
        for lines in (read(self.lines), [{"cudahisto": 1, "frame": i, "frames": 1, f"only-{i}": i, "components": {}}
                                         for i in range(6)]):
            path, rest = self.folder / "off.jsonl", self.folder / "rest.jsonl"
            path.write_text(dump(lines))
            rest.write_text(dump(lines[1:]))
            for options in ("csv", "csv --histograms", "show --rows=1", "events -f json", "merge"):
                with path.open("rb", buffering=0) as file:
                    file.seek(len(dump(lines[:1])))
                    done = subprocess.run([COMMAND, *options.split(), "-"], stdin=file, capture_output=True, check=False)
                with rest.open("rb", buffering=0) as file:
                    wanted = subprocess.run([COMMAND, *options.split(), "-"], stdin=file, capture_output=True, check=False)
                self.assertEqual((done.returncode, done.stderr), (wanted.returncode, wanted.stderr), options)
                self.assertTrue(done.stdout == wanted.stdout != b"", options)

    def test_fifo_and_pipe(self):
        whole = cudahisto("csv", self.lines)
        self.assertEqual(cudahisto("csv", input=self.lines.read_bytes()), whole)
        fifo = self.folder / "fifo"
        os.mkfifo(fifo)
        with subprocess.Popen([COMMAND, "csv", fifo], stdout=subprocess.PIPE, encoding="utf-8") as reading:
            fifo.write_bytes(self.lines.read_bytes())
            self.assertEqual(reading.communicate()[0], whole)
        self.assertEqual(reading.returncode, 0)

    def measure_by_ffmpeg(self, film=None):
        """Returns ffprobe's values of the frames, by FFmpeg's names."""
        text = run("ffprobe", "-v", "error", "-f", "lavfi", "-i",
                   f"movie={film or self.film},format=yuv420p,signalstats=stat=tout+vrep+brng", "-show_frames", "-of", "xml")
        frames = xml.etree.ElementTree.fromstring(text).find("frames")
        return [{tag.get("key"): tag.get("value") for tag in frame.iter("tag")} | {"pts_time": frame.get("pts_time")}
                for frame in frames]

    def test_signalstats(self):
        rows, frames = self.read_rows(cudahisto("csv", "--signalstats", self.lines)), self.measure_by_ffmpeg()
        self.assertEqual((len(rows), len(frames)), (50, 50))
        for index, (row, frame) in enumerate(zip(rows, frames)):
            self.assertEqual(row.pop("frame"), str(index))
            self.assertEqual(row, frame)
        self.assertEqual(len(row), 1 + 31)

    def test_sound_that_begins_earlier(self):
        """matroskademux sends a second segment after the first frame, which continues the timeline."""
        film, lines = self.folder / "early.mkv", self.folder / "early.jsonl"
        run("ffmpeg", "-v", "error", "-f", "lavfi", "-i", CLIP, "-itsoffset", "-0.021", "-f", "lavfi", "-i", "sine", "-t", 1,
            "-c:v", "libx264", "-c:a", "aac", film)
        cudahisto("measure", "-q", film, "-o", lines, "-s", "signalstats")
        rows, frames = self.read_rows(cudahisto("csv", "--signalstats", lines)), self.measure_by_ffmpeg(film)
        self.assertEqual(len(rows), len(frames))
        for row, frame in zip(rows, frames):
            frame.pop("pts_time")
            self.assertEqual({key: row[key] for key in frame}, frame)

    def test_gap(self):
        """A missing value is an empty cell, except the difference of the first frame."""
        lines = self.folder / "gap.jsonl"
        texts = self.lines.read_text().splitlines()
        results = [line for line in map(json.loads, texts) if "event" not in line][:4]
        for component in results[2]["components"].values():
            del component["difference"]
        del results[0]["components"]["Y"]["mean"]
        lines.write_bytes(dump(results).encode())
        rows = self.read_rows(cudahisto("csv", "--signalstats", lines))
        differences = [row["lavfi.signalstats.YDIF"] for row in rows]
        self.assertEqual((differences[0], differences[2]), ("0", ""))
        self.assertTrue(float(differences[1]) > 0 and float(differences[3]) > 0)
        self.assertEqual([row["lavfi.signalstats.YAVG"] != "" for row in rows], [False, True, True, True])
        frames = xml.etree.ElementTree.fromstring(cudahisto("csv", "--qctools", lines)).find("frames").findall("frame")
        self.assertEqual([len(frame.findall("tag[@key='lavfi.signalstats.YDIF']")) for frame in frames], [1, 1, 0, 1])
        for result in results:
            for component in result["components"].values():
                component.pop("difference", None)
        frames = xml.etree.ElementTree.fromstring(cudahisto("csv", "--qctools", input=dump(results).encode())).find("frames")
        self.assertEqual(frames.findall("frame/tag[@key='lavfi.signalstats.YDIF']"), [])

    def test_missing_of_signalstats(self):
        line = {"cudahisto": 1, "frame": 0, "frames": 2, "timestamp": None, "components": {"Y": {"count": 1, "mean": 2.5}}}
        said = complain("csv", "--signalstats", status=0, input=dump([line]).encode())
        self.assertRegex(said, "lacks YMIN YLOW YHIGH .* BRNG: measure with statistics=signalstats to have all numbers")
        self.assertIn("results of more than one frame", said)
        line["components"] = {"R": {"count": 1}}
        self.assertIn("has no numbers of signalstats", complain("csv", "--qctools", input=dump([line]).encode()))

    def test_qctools(self):
        report = self.folder / 'a&b"<.mkv.qctools.xml.gz'
        cudahisto("csv", "--qctools", self.lines, "-o", report)
        text = gzip.decompress(report.read_bytes()).decode()
        self.assertEqual(text, cudahisto("csv", "--qctools", self.lines).replace(str(self.lines), "a&amp;b&quot;&lt;.mkv"))
        self.check_schema(text)
        # QCTools parses in blocks, and prepends this to the text after a </frame>.
        pieces = re.split("(?<=</frame>)", text)
        self.assertTrue(pieces[0].startswith('<?xml version="1.0" encoding="UTF-8"?>\n<ffprobe:ffprobe '))
        frames, theirs = [], self.measure_by_ffmpeg()
        for index, piece in enumerate(pieces):
            piece = (f"<ffprobe:ffprobe xmlns:ffprobe='x'><frames>{piece}" if index else piece)
            piece += "</frames></ffprobe:ffprobe>" if index < len(pieces) - 1 else ""
            frames += xml.etree.ElementTree.fromstring(piece).iter("frame")
        self.assertEqual(len(frames), 50)
        for index, (frame, their) in enumerate(zip(frames, theirs)):
            tags = {tag.get("key"): tag.get("value") for tag in frame.iter("tag")}
            del their["pts_time"]
            self.assertEqual({key: tags[key] for key in their}, their)
            self.assertEqual([frame.get(key) for key in ("media_type", "stream_index", "pix_fmt")], ["video", "0", "yuv420p"])
            self.assertAlmostEqual(float(frame.get("pkt_pts_time")), index / 25)
            self.assertEqual((frame.get("pkt_duration_time"), frame.get("width")), ("0.0400000", "160"))
            self.assertEqual((tags["lavfi.cropdetect.x2"], tags["lavfi.cropdetect.h"]), ("159", "120"))

    def test_qctools_of_fields(self):
        fields = [{**line, "field": "top"} for line in read(self.lines)]
        self.assertIn("measure with --fields=together", complain("csv", "--qctools", input=dump(fields).encode(), status=0))

    def check_schema(self, text):
        """Ignores pkt_pts_time, which QCTools needs and the schema has only up to FFmpeg 4."""
        if shutil.which("xmllint") is None or not SCHEMA.exists():
            return
        path = self.folder / "report.xml"
        path.write_text(text.replace(" pkt_pts_time=", " pkt_dts_time="))
        run("xmllint", "--noout", "--schema", SCHEMA, path)

    def test_bad_input(self):
        good = self.lines.read_text().splitlines(keepends=True)
        bad = self.folder / "bad.jsonl"
        bad.write_text(good[0] + "film\n" + good[1] + '{"frame":NaN}\n' + '{"cudahisto":7}\n' + good[2][:-20])
        said = complain("csv", bad, "-o", self.folder / "bad.csv")
        self.assertIn(f"{bad}: line 2 is not JSON", said)
        self.assertIn("line 4 is not JSON", said)
        self.assertIn("line 5 is of version 7", said)
        self.assertIn("ends within a line, which is skipped", said)
        self.assertEqual(len((self.folder / "bad.csv").read_text().splitlines()), 3)
        self.assertIn("name another file to write", complain("csv", self.lines, "-o", self.lines))
        self.assertEqual(len(self.lines.read_text().splitlines()), len(good))
        self.assertIn("No such file", complain("csv", "/nowhere/a.jsonl"))
        self.assertIn("cannot be written: there is no folder", complain("csv", self.lines, "-o", "/nowhere/a.csv"))
        self.assertIn("cannot be written: No space left", complain("csv", self.lines, "-o", "/dev/full"))
        with open("/dev/full", "wb") as full:
            done = subprocess.run([COMMAND, "csv", self.lines], stdout=full, stderr=subprocess.PIPE, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"standard output cannot be written", done.stderr)

    def test_closed_pipe(self):
        script = f'"{COMMAND}" csv --histograms "{self.lines}" | head -n 1 >/dev/null; echo ${{PIPESTATUS[0]}}'
        done = subprocess.run(["bash", "-c", script], capture_output=True, encoding="utf-8", check=True)
        self.assertEqual((done.stdout, done.stderr), ("0\n", ""))


unittest.main()
