#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""test_stop.py COMMAND LATEWARNING: other elements' warnings that only come from stopping are not shown."""

import os
import pathlib
import subprocess
import sys
import unittest

LATE_WARNING = pathlib.Path(sys.argv.pop(2)).resolve()

import films  # noqa: E402
from lines import COMMAND, FolderTest  # noqa: E402, what is left in argv is the command, for lines


class Stop(FolderTest):
    def measure(self, path):
        # AddressSanitizer insists on being the first library.
        options = ":".join(filter(None, (os.environ.get("ASAN_OPTIONS"), "verify_asan_link_order=0")))
        environment = {**films.make_environment(), "LD_PRELOAD": str(LATE_WARNING), "ASAN_OPTIONS": options}
        done = subprocess.run([COMMAND, "measure", path, "-o", "results.jsonl"], capture_output=True, text=True, timeout=60,
                              cwd=self.folder, env=environment, check=False)
        return done.returncode, done.stderr

    def test_of_a_whole_film(self):
        status, said = self.measure(films.get("h264.mp4"))
        self.assertEqual(status, 0, said)
        self.assertRegex(said, r"\A\S*h264.mp4: 50 frames, [^\n]*\n  50 results [^\n]*\n\Z")

    def test_of_a_film_with_an_error(self):
        (self.folder / "words.mp4").write_text("words\n" * 1000)
        status, said = self.measure("words.mp4")
        self.assertEqual(status, 2, said)
        self.assertRegex(said, r"\Acudahisto: [^\n]*\n\Z")


if __name__ == "__main__":
    unittest.main()
