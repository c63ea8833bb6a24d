# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""test_style.py TOOLS: tools/style finds wide lines in all code that git tracks, and C that clang-format would change. Exit
status 77 without git."""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

TOOLS = pathlib.Path(sys.argv.pop(1)).resolve()
CODE = ["kernels/a.c", "a.h", "tests/bench/a.c", "tests/bench/a.cu", "a.cuh", "a.cpp", "tools/a.py", "tests/a.py",
        "meson.build", "tests/meson.build", "meson_options.txt", "tools/script", ".ci/run"]
FORMATTER = shutil.which("clang-format")
HAS_FORMATTER = FORMATTER is not None and "version 14." in subprocess.run([FORMATTER, "--version"], capture_output=True,
                                                                          encoding="utf-8", check=True).stdout
SKIPPED = "skipped clang-format: needs version 14\n"
OTHERS = ["a.md", "docs/a.svg", "LICENSE"]


class Style(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for name in CODE + OTHERS:
            self.write(name, 128)
        self.write("tools/style", text=(TOOLS / "style").read_text())
        self.write(".clang-format", text=(TOOLS.parent / ".clang-format").read_text())
        subprocess.run(["git", "init", "--quiet"], cwd=self.folder, check=True)
        subprocess.run(["git", "add", "."], cwd=self.folder, check=True)

    def write(self, name, width=0, text=None):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix in (".c", ".h"):
            path.write_text("/* a */\n/* " + "ä" * (width - 6) + " */\n")
        else:
            path.write_text(text or "#!/bin/sh\n# " + "ä" * (width - 2) + "\n")

    def look(self):
        return subprocess.run(["bash", "tools/style"], cwd=self.folder, capture_output=True, encoding="utf-8")

    def test_narrow(self):
        looked = self.look()
        self.assertEqual((looked.returncode, looked.stdout, looked.stderr), (0, "" if HAS_FORMATTER else SKIPPED, ""))

    def test_wide(self):
        for name in CODE:
            self.write(name, 129)
            looked = self.look()
            self.assertEqual(looked.returncode, 1, name)
            self.assertIn(f"{name}:2:", looked.stdout)
            self.write(name, 128)

    @unittest.skipUnless(HAS_FORMATTER, "needs clang-format 14")
    def test_format(self):
        (self.folder / "kernels/a.c").write_text("int a=1;\n")
        looked = self.look()
        self.assertNotEqual(looked.returncode, 0)
        self.assertIn("kernels/a.c:1:", looked.stderr)

    def test_others(self):
        for name in OTHERS:
            self.write(name, 1000, text="x" * 1000)
        self.assertEqual(self.look().returncode, 0)


if not shutil.which("git"):
    print("skipped: there is no git")
    sys.exit(77)
unittest.main()
