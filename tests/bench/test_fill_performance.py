# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""test_fill_performance.py BENCH_PIPELINE: what it prints of the statistics becomes a table with a line for each that the
element has; a table whose figures are not there yet stays as it is."""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

BENCH = sys.argv.pop(1)
FILL = pathlib.Path(__file__).parent / "fill_performance.py"
EMPTY = "<!-- table: device -->\n<!-- end -->\n"


def list_flags(name):
    """The values that gst-inspect-1.0 shows of a property that is a set of flags."""
    words = subprocess.run(["gst-inspect-1.0", "cudahisto"], stdout=subprocess.PIPE, text=True, check=True).stdout
    of_property = re.search(rf"^  {name} +:.*?\n(?=  \S)", words, re.M | re.S)[0]
    return re.findall(r"^ +\(0x[0-9a-f]+\): (\S+)", of_property, re.M)


class Statistics(unittest.TestCase):
    def test_table(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            page = folder / "page.md"
            page.write_text(EMPTY + "<!-- table: statistics -->\nold\n<!-- end -->\n")
            # One frame a measurement: the figures mean nothing.
            printed = subprocess.run([BENCH, "--only=statistics", "--seconds=0"], stdout=subprocess.PIPE, text=True, check=True)
            for backend in ("cuda", "cpu"):
                (folder / f"statistics_{backend}.txt").write_text(printed.stdout)
            subprocess.run([sys.executable, FILL, folder, "--page", page], stdout=subprocess.PIPE, check=True)
            words = page.read_text()
        self.assertIn(EMPTY, words)
        self.assertNotIn("old", words)
        names = re.findall(r"^\| `?(.*?)`? \| (?:-|[\d.]+) \| (?:-|[\d.]+) \|$", words, re.M)
        sets = ["histogram", "basic", "signalstats"]
        for each in list_flags("statistics"):
            if each not in sets:
                self.assertIn(each, names)
        self.assertIn("statistics=signalstats", names)
        self.assertEqual([each for each in names if each.startswith("events=")],
                         [f"events={each}" for each in list_flags("events")])
        self.assertIn("16 regions, statistics=basic", names)


unittest.main()
