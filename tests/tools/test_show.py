# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""test_show.py TOOLS: tools/show says what a sidecar has, in 80 columns, and what is wrong with a file that it cannot show."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SHOW = pathlib.Path(sys.argv.pop(1)).resolve() / "show"
LARGEST = {"count": 2**48, "mean": 65535.0, "stddev": 32767.5, "min": 65535, "low": 65535, "median": 65535, "high": 65535,
           "max": 65535, "histogram": [2**40] * 65536}
FRAME = {"cudahisto": 1, "backend": "reference", "frame": 10**9, "frames": 10**6, "format": "Y444_16LE", "width": 32767,
         "height": 32767, "stream-time": 10**15, "components": {"Y": LARGEST, "U": {**LARGEST}, "V": {**LARGEST}}}
BYTES = {"cudahisto": 1, "backend": "cpu", "frame": 0, "frames": 1, "offset": 2**62, "size": 2**62,
         "components": {"byte": {"count": 0, "histogram": [0] * 256}}}
BEGUN = {"cudahisto": 1, "event": "scene-change", "start": 10**15, "end": None, "duration": None, "value": 1.0,
         "threshold": 0.98, "frame": 10**9, "frames": 51, "element": "cudahisto0"}
OVER = {**BEGUN, "end": 2 * 10**15, "ended-by": "segment-done"}


class Show(unittest.TestCase):
    def show(self, *arguments, **options):
        command = [SHOW, *arguments]
        return subprocess.run(command, capture_output=True, encoding="utf-8", env={**os.environ, "COLUMNS": "80"}, **options)

    def test_width(self):
        for results in ([FRAME, FRAME], [BYTES]):
            shown = self.show(input="".join(json.dumps(result) + "\n" for result in results))
            self.assertEqual((shown.returncode, shown.stderr), (0, ""))
            self.assertIn(f" {results[0]['components'].popitem()[1]['count']} ", shown.stdout)
            self.assertLessEqual(max(map(len, shown.stdout.splitlines())), 80)

    def test_events_and_regions(self):
        result = {**FRAME, "regions": [{"x": 0, "components": {}}] * 16}
        for lines in ([BEGUN, {**OVER, "start": None}], [BEGUN, result, OVER]):
            shown = self.show(input="".join(json.dumps(line) + "\n" for line in lines))
            self.assertEqual((shown.returncode, shown.stderr), (0, ""))
            self.assertIn("\nscene-change: frame 1000000000, 1000000.00 s, begins\n", shown.stdout)
            self.assertRegex(shown.stdout, r"\nscene-change: frame 1000000000, .* to 2000000\.00 s \(segment-done\)\n")
            self.assertEqual("and numbers of 16 regions\n" in shown.stdout, result in lines)
            self.assertEqual("counted by: reference\n" in shown.stdout, result in lines)
            self.assertLessEqual(max(map(len, shown.stdout.splitlines())), 80)

    def test_missing(self):
        shown = self.show("/nowhere/a.jsonl")
        self.assertEqual((shown.returncode, shown.stdout), (1, ""))
        self.assertEqual(shown.stderr, "tools/show: /nowhere/a.jsonl: No such file or directory\n")

    def test_others(self):
        for text in ("film", "[1]\n", "{}\n", '"text"\n', "1\n", '{"components":1}\n'):
            with tempfile.NamedTemporaryFile("w") as file:
                file.write(text)
                file.flush()
                shown = self.show(file.name)
                self.assertEqual(shown.returncode, 1)
                self.assertRegex(shown.stderr, f"^tools/show: {file.name} is not a sidecar file of cudahisto: .*\n$")


unittest.main()
