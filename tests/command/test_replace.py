#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""test_replace.py COMMAND MEANWHILE: a change by another program between a subcommand's last check of a file and the rename of
the new one (meanwhile.c) is not lost, nor one during the check."""

import os
import pathlib
import subprocess
import sys
import unittest

MEANWHILE = pathlib.Path(sys.argv.pop(2)).resolve()

from lines import COMMAND, FolderTest, cudahisto, dump  # noqa: E402, what is left in argv is the command, for lines

LINE = {"cudahisto": 1, "element": "a", "frame": 0, "frames": 1, "format": "GRAY8", "stream-time": 0, "components": {}}


class Replace(FolderTest):
    def setUp(self):
        super().setUp()
        self.lines, self.out, self.mine = (self.folder / name for name in ("film.jsonl", "out", "mine"))
        self.lines.write_text(dump([LINE]))
        self.text = cudahisto("csv", self.lines)

    def run_preloaded(self, *arguments, **settings):
        # AddressSanitizer insists on being the first library.
        options = ":".join(filter(None, (os.environ.get("ASAN_OPTIONS"), "verify_asan_link_order=0")))
        environment = {**os.environ, "LD_PRELOAD": str(MEANWHILE), "ASAN_OPTIONS": options,
                       **{f"MEANWHILE_{name}": str(value) for name, value in settings.items()}}
        return subprocess.run([COMMAND, *arguments], env=environment, stderr=subprocess.PIPE, encoding="utf-8", timeout=300,
                              check=False)

    def write(self, **settings):
        return self.run_preloaded("csv", self.lines, "-o", self.out, **settings)

    def check(self, done, words):
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn(f"{self.out} {words} while cudahisto was running: nothing is written", done.stderr)
        self.assertEqual([path.name for path in self.folder.iterdir() if path.name.startswith(".")], [])

    def test_file_is_replaced(self):
        for content in "mine", self.text:  # also by an equal one
            self.out.unlink(missing_ok=True)
            self.assertEqual(self.write().returncode, 0)
            self.mine.write_text(content)
            identity = self.mine.stat().st_ino
            self.check(self.write(FROM=self.mine, TO=self.out), "was replaced")
            self.assertEqual((self.out.read_text(), self.out.stat().st_ino), (content, identity))

    def test_file_appears(self):
        self.mine.write_text("mine")
        self.check(self.write(FROM=self.mine, TO=self.out), "appeared")
        self.assertEqual(self.out.read_text(), "mine")

    def test_file_disappears(self):
        self.assertEqual(self.write().returncode, 0)
        self.check(self.write(TO=self.out), "disappeared")
        self.assertFalse(self.out.exists())

    def test_link_takes_its_place(self):
        self.assertEqual(self.write().returncode, 0)
        (self.folder / "theirs").write_text("theirs")
        self.mine.symlink_to("theirs")
        self.check(self.write(FROM=self.mine, TO=self.out), "was replaced")
        self.assertEqual((os.readlink(self.out), self.out.read_text()), ("theirs", "theirs"))

    def test_results_shrink_while_they_are_read(self):
        data, results = self.folder / "data", self.folder / "data.jsonl"
        data.write_bytes(bytes(1000))
        measure = "measure", "--quiet", "--bytes", data, "-o", results
        cudahisto(*measure)
        done = self.run_preloaded(*measure, SHRINK=results)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn(f'"{results}" exists and was changed, or was not written by ', done.stderr)
        self.assertEqual(results.read_text(), "")

    def test_file_system_that_cannot_exchange(self):
        for _ in range(2):  # a file that was not there, and one that was
            done = self.write(OLD=1)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(self.out.read_text(), self.text)
        self.assertEqual(sorted(os.listdir(self.folder)), ["film.jsonl", "out"])


unittest.main()
