# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""test_show.py COMMAND: `cudahisto show` prints a sidecar in 80 columns, and reports invalid files."""
import json
import os
import subprocess
import tempfile
import unittest

from lines import COMMAND

SAMPLES = 32767 * 32767 * 10**5
LARGEST = {"count": SAMPLES, "mean": 65535.0, "stddev": 32767.5, "min": 65535, "low": 65535, "median": 65535, "high": 65535,
           "max": 65535, "histogram": [0] * 65535 + [SAMPLES]}
FRAME = {"cudahisto": 1, "backend": "reference", "frame": 10**9, "frames": 10**5, "format": "Y444_16LE", "width": 32767,
         "height": 32767, "stream-time": 10**15, "components": {"Y": LARGEST, "U": {**LARGEST}, "V": {**LARGEST}}}
BYTES = {"cudahisto": 1, "backend": "cpu", "frame": 0, "frames": 1, "offset": 2**62, "size": 0,
         "components": {"byte": {"count": 0, "histogram": [0] * 256}}}
BEGUN = {"cudahisto": 1, "event": "scene-change", "start": 10**15, "end": None, "duration": None, "value": 1.0,
         "threshold": 0.98, "frame": 10**9, "frames": 51, "element": "cudahisto0"}
OVER = {**BEGUN, "end": 2 * 10**15, "ended-by": "segment-done"}


class Show(unittest.TestCase):
    def show(self, *arguments, **options):
        command = [COMMAND, "show", *arguments]
        return subprocess.run(command, capture_output=True, encoding="utf-8", env={**os.environ, "COLUMNS": "80"}, **options)

    def test_width(self):
        for results in ([FRAME, FRAME], [BYTES]):
            shown = self.show(input="".join(json.dumps(result) + "\n" for result in results))
            self.assertEqual((shown.returncode, shown.stderr), (0, ""))
            self.assertIn(f" {results[0]['components'].popitem()[1]['count']} ", shown.stdout)
            self.assertLessEqual(max(map(len, shown.stdout.splitlines())), 80)

    def test_events_and_regions(self):
        region = {"x": 8, "y": 4, "width": 2, "height": 3, "type": "face", "id": 7, "hue": {"median": 180}, "components": {}}
        result = {**FRAME, "regions": [region] * 16}
        for lines in ([BEGUN, {**OVER, "start": None}], [BEGUN, result, OVER]):
            shown = self.show(input="".join(json.dumps(line) + "\n" for line in lines))
            self.assertEqual((shown.returncode, shown.stderr), (0, ""))
            self.assertIn("\nscene-change: frame 1000000000, 1000000.00 s, begins\n", shown.stdout)
            self.assertRegex(shown.stdout, r"\nscene-change: frame 1000000000, .* to 2000000\.00 s \(segment-done\)\n")
            regions = shown.stdout.count("  region face 7: 2x3 at 8,4\n        hue median 180\n")
            self.assertEqual(regions, 16 * (result in lines))
            self.assertEqual("counted by: reference\n" in shown.stdout, result in lines)
            self.assertLessEqual(max(map(len, shown.stdout.splitlines())), 80)

    def test_fields(self):
        for frames, words in ((1, "field 31"), (2, "fields 31-32")):
            result = {**FRAME, "frame": 31, "frames": frames, "field": "both", "components": {}}
            shown = self.show(input=json.dumps(result) + "\n")
            self.assertIn(f"\n{words}", shown.stdout, shown.stderr)

    def test_control_characters(self):
        region = {"x": 8, "y": 4, "width": 2, "height": 3, "type": "\x1b]0;x\a\x1b[2J\n\u202eface", "components": {}}
        result = {**FRAME, "format": "\x1b[31m", "components": {"\x9bY": {**LARGEST}}, "regions": [region]}
        shown = self.show(input=json.dumps(result) + "\n" + json.dumps({**BEGUN, "event": "\rblack"}) + "\n")
        self.assertEqual((shown.returncode, shown.stderr), (0, ""))
        self.assertIn("  region \ufffd]0;x\ufffd\ufffd[2J\ufffd\ufffdface: 2x3 at 8,4\n", shown.stdout)
        self.assertTrue(all(line.isprintable() for line in shown.stdout.split("\n")))

    def test_other_numbers(self):
        difference = {"difference": 1.25, "difference-count": 4, "sad": 5, "mse": 0.0, "psnr": None}
        result = {**FRAME, "frames": 1, "width": 4, "height": 6,
                  "saturation": {"min": 0, "mean": 80.708333333333329}, "out-of-gamut": 0.5,
                  "metered-luma": 65534.123456789, "active-picture": {"x": 1, "y": 2, "width": 3, "height": 4},
                  "components": {"Y": {"count": 24, **difference, "reference": difference}, "U": {"count": 24}}}
        shown = self.show(input=json.dumps(result))
        self.assertEqual((shown.returncode, shown.stderr), (0, ""))
        self.assertEqual(shown.stdout.splitlines()[2:-2], [
            "  Y     difference 1.25; sad 5; mse 0; psnr inf; reference difference 1.25, sad",
            "        5, mse 0, psnr inf",
            "        saturation min 0, mean 80.70833; out-of-gamut 0.5; metered-luma",
            "        65534.12; active-picture x 1, y 2, width 3, height 4",
        ])

    def test_arrays(self):
        component = {"count": 4, "sad": 5, "ssd": 7, "row-sums": [1, 3], "column-sums": [2, 2],
                     "waveform": [[2] + [0] * 255] * 2}
        result = {**FRAME, "frames": 1, "width": 2, "height": 2, "vectorscope": [[0] * 256] * 256,
                  "components": {"Y": component}}
        shown = self.show(input=json.dumps(result))
        self.assertEqual((shown.returncode, shown.stderr), (0, ""))
        self.assertEqual(shown.stdout.splitlines()[2:-2], [
            "  Y     sad 5; ssd 7; row-sums of 2 values; column-sums of 2 values; waveform of",
            "        2 x 256 values",
            "        vectorscope of 256 x 256 values",
        ])

    def test_rows(self):
        lines = (json.dumps(BEGUN) + "\n") * 3
        self.assertIn("begins\n... and 2 more\n", self.show("--rows", "1", input=lines).stdout)
        shown = self.show("--rows", "1", input=lines + json.dumps(FRAME) + "\n").stdout
        self.assertRegex(shown, r"begins\nframes 1000000000-.*\n  Y .*\n  U .*\n  V .*\n\.\.\. and 2 more\n")
        self.assertEqual(self.show("--rows", "-1", input=lines).returncode, 2)

    def test_component_and_axis(self):
        chroma = {"count": 8, "mean": 1.0, "histogram": [0] * 63 + [3] + [0] * 191 + [5]}
        result = {**FRAME, "frames": 1, "width": 4, "height": 2, "depth": 10, "format": "Y444_10LE",
                  "components": {"Y": {"count": 8}, "U": chroma}}
        text = (json.dumps(result) + "\n") * 2
        shown = self.show("--component", "U", input=text).stdout
        self.assertIn("\nhistogram of U, 16 values a column, the highest has 10 samples\n", shown)
        self.assertRegex(shown, r"\n   0 +1023\n")
        self.assertRegex(shown, r"\n  \| {63}█\n.*\n(?:.*\n)*  \| {15}█ {47}█\n  \+-{64}\n")
        shown = self.show(input=text)  # of the first component, which has none
        self.assertNotIn("histogram of", shown.stdout)
        shown = self.show("--component=Q", input=text)
        self.assertEqual((shown.returncode, shown.stderr), (2, 'cudahisto: no result has a component "Q"\n'))
        shown = self.show("--component=Y", input=text)
        self.assertEqual(shown.returncode, 0)
        self.assertIn("the results have no histogram of Y", shown.stderr)

    def test_bad_lines_in_between(self):
        good = json.dumps(FRAME) + "\n"
        shown = self.show(input=good + "film\n" * 5 + '{"frame":NaN}\n' + good)
        self.assertEqual(shown.returncode, 2)
        self.assertEqual(shown.stdout.count("frames 1000000000-"), 2)
        self.assertEqual([line.split(" is ")[0] for line in shown.stderr.splitlines()[:3]],
                         [f"cudahisto: standard input: line {n}" for n in (2, 3, 4)])
        self.assertIn("standard input: 3 more lines are invalid", shown.stderr.splitlines()[3])
        shown = self.show(input="film\n" * 1000000)
        self.assertEqual((shown.returncode, len(shown.stderr.splitlines())), (2, 4))
        self.assertIn("its first 100 lines are invalid", shown.stderr)

    def test_full_disk_and_closed_pipe(self):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([COMMAND, "show"], input=json.dumps(FRAME).encode(), stdout=full, stderr=subprocess.PIPE,
                                  check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"standard output cannot be written", done.stderr)
        with tempfile.NamedTemporaryFile("w") as file:
            file.write((json.dumps(FRAME) + "\n") * 300)
            file.flush()
            script = f'"{COMMAND}" show --rows 300 {file.name} | head -n 1; echo ${{PIPESTATUS[0]}}'
            done = subprocess.run(["bash", "-c", script], capture_output=True, encoding="utf-8", check=True)
        self.assertEqual((done.stdout.splitlines()[1:], done.stderr), (["0"], ""))

    def test_cut_line(self):
        shown = self.show(input=json.dumps(BEGUN) + "\n" + json.dumps(OVER)[:-9])
        self.assertEqual((shown.returncode, shown.stderr), (0, ""))
        self.assertIn(", begins\n... and an incomplete line", shown.stdout)
        for text in ('{"cudah', '{"cudahisto":', json.dumps(OVER)[:-9]):
            shown = self.show(input=text)
            self.assertEqual((shown.returncode, shown.stderr), (0, ""))
            self.assertEqual(shown.stdout, "... and an incomplete line: it is being written, or was cut off\n")

    def test_versions(self):
        later = json.dumps({"cudahisto": 2, "what": 1}) + "\n"
        told = "... and 1 of a version other than 1, which cannot be read\n"
        shown = self.show(input=later)
        self.assertEqual((shown.returncode, shown.stdout), (2, told))
        self.assertRegex(shown.stderr, "^cudahisto: standard input: line 1 is of version 2 of the format, and .* 1: .*\n$")
        shown = self.show(input=json.dumps(BEGUN) + "\n" + later)
        self.assertEqual(shown.returncode, 2)
        self.assertIn(": line 2 is of version 2 ", shown.stderr)
        self.assertIn(", begins\n" + told, shown.stdout)

    def test_missing(self):
        shown = self.show("/nowhere/a.jsonl")
        self.assertEqual((shown.returncode, shown.stdout), (2, ""))
        self.assertEqual(shown.stderr, "cudahisto: /nowhere/a.jsonl: No such file or directory\n")

    def test_others(self):
        for text in ("film", "[1]\n", "{}\n", '"text"\n', "1\n", '{"components":1}\n'):
            with tempfile.NamedTemporaryFile("w") as file:
                file.write(text)
                file.flush()
                shown = self.show(file.name)
                self.assertEqual((shown.returncode, shown.stdout), (2, ""))
                self.assertRegex(shown.stderr, f"^cudahisto: {file.name}: line 1 is not (JSON|one of a sidecar .*): .*\n$")


unittest.main()
