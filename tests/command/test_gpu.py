# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""test_gpu.py COMMAND FOLDER: with the fake driver (tests/support/fakecuda.h) in FOLDER, `cudahisto measure` opens a GPU once
for several films."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

import films

FAKE = pathlib.Path(sys.argv.pop(2)).resolve()
COMMAND = pathlib.Path(sys.argv.pop(1)).resolve()


class Gpu(unittest.TestCase):
    def measure(self, *paths, **env):
        with tempfile.TemporaryDirectory() as folder:
            return subprocess.run([COMMAND, "measure", *paths], capture_output=True, encoding="utf-8", cwd=folder, timeout=300,
                                  env=films.make_environment(LD_LIBRARY_PATH=str(FAKE), FAKECUDA_STRICT="1", **env))

    def test_context_stays(self):
        """All films are counted with the only context that can be created; a film that fails between them changes nothing."""
        measured = self.measure(films.get("h264.mp4"), "nothing.mp4", films.get("vp9.webm"), films.get("picture.png"),
                                FAKECUDA_CONTEXTS="1")
        self.assertEqual(measured.returncode, 2)
        self.assertEqual(measured.stderr.count("counted by cuda (Fake GPU 0)"), 3, measured.stderr)
        self.assertEqual(measured.stderr.count("cudahisto: "), 1, measured.stderr)

    def test_one_film(self):
        measured = self.measure(films.get("h264.mp4"), FAKECUDA_CONTEXTS="1")
        self.assertEqual((measured.returncode, measured.stderr.count("counted by cuda")), (0, 1), measured.stderr)

    def test_no_gpu(self):
        measured = self.measure(films.get("h264.mp4"), films.get("vp9.webm"), FAKECUDA_DEVICES="0")
        self.assertEqual((measured.returncode, measured.stderr.count("counted by cpu")), (0, 2), measured.stderr)


unittest.main()
