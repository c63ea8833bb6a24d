# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""test_once.py TOOLS: tools/once reuses a compiler's output for the same arguments, files and environment, also with concurrent
runs. The compiler is a script that counts its runs."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ONCE = pathlib.Path(sys.argv.pop(1)).resolve() / "once"
TOGETHER = 12
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith("NVCC_") and name != "CPATH"}

# compiler -MF depfile -o output source: the output has the source, and the flags from the environment. If START is set, it
# waits until START programs have started.
COMPILER = """#!/bin/sh
[ "$1" = --version ] && echo 'version 1' && exit
echo run >>"$RUNS"
while [ "$(wc -l <"$RUNS")" -lt "${START:-0}" ]; do sleep 0.01; done
{ echo "$NVCC_PREPEND_FLAGS $NVCC_APPEND_FLAGS $CPATH"; cat "$5"; } >"$4"
printf '%s : \\\\\\n  %s\\n' "$4" "$5" >"$2"
"""


class Once(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.compiler = self.folder / "compiler"
        self.compiler.write_text(COMPILER)
        self.compiler.chmod(0o755)
        self.source = self.folder / "source"
        self.source.write_text("text\n")
        self.runs = self.folder / "runs"
        self.runs.touch()

    def start(self, place="one", **environment):
        """Compiles in a separate folder, with the same arguments."""
        place = self.folder / place
        place.mkdir(exist_ok=True)
        environment = {**CLEAN, "CUDAHISTO_ONCE": str(self.folder / "kept"), "RUNS": str(self.runs), **environment}
        command = [ONCE, self.compiler, "-MF", "depfile", "-o", "output", self.source]
        return place, subprocess.Popen(command, cwd=place, env=environment, stderr=subprocess.PIPE, text=True)

    def finish(self, started):
        """Returns the output."""
        place, process = started
        errors = process.communicate()[1]
        self.assertEqual((process.returncode, errors), (0, ""))
        self.assertEqual((place / "depfile").read_text(), f"output : \\\n  {self.source}\n")
        return (place / "output").read_text()

    def make(self, **arguments):
        return self.finish(self.start(**arguments))

    def count_runs(self):
        return len(self.runs.read_text().split())

    def test_kept(self):
        self.assertEqual(self.make(), "  \ntext\n")
        self.assertEqual(self.make(place="two"), "  \ntext\n")
        self.assertEqual(self.count_runs(), 1)
        self.source.write_text("other\n")
        self.assertEqual(self.make(), "  \nother\n")
        self.assertEqual(self.make(place="two"), "  \nother\n")
        self.assertEqual(self.count_runs(), 2)

    def test_environment(self):
        for number, name in enumerate(("NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS", "CPATH"), 1):
            for _ in range(2):
                self.assertIn("-DX", self.make(**{name: "-DX"}))
            self.assertEqual(self.count_runs(), number)
        self.make(UNHEARD="-DX")
        self.make(UNHEARD="-DY")
        self.assertEqual(self.count_runs(), 4)

    def test_together(self):
        for text in ("text", "other"):  # no entry, and an outdated one
            self.source.write_text(text + "\n")
            self.runs.write_text("")
            started = [self.start(place=str(number), START=str(TOGETHER)) for number in range(TOGETHER)]
            for one in started:
                self.assertEqual(self.finish(one), f"  \n{text}\n")
            self.assertEqual(self.count_runs(), TOGETHER)
            self.assertEqual(self.make(), f"  \n{text}\n")
            self.assertEqual(self.count_runs(), TOGETHER)
            self.assertEqual(len(list((self.folder / "kept").iterdir())), 1)

    def test_failure(self):
        self.source.unlink()
        place, process = self.start()
        process.communicate()
        self.assertNotEqual(process.returncode, 0)
        self.assertEqual(list((self.folder / "kept").iterdir()), [])


unittest.main()
