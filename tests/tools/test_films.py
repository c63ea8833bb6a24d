# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""test_films.py SCRIPT: the comparison of real films with FFmpeg skips films without video."""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(sys.argv.pop(1)).resolve()
SKIP = 77


class Films(unittest.TestCase):
    def test_sound(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "sine=d=1",
                            pathlib.Path(folder, "sound.wav")], check=True)
            done = subprocess.run([sys.executable, SCRIPT, folder, "false"], capture_output=True, text=True, check=False)
        self.assertEqual(done.stdout.splitlines()[1:], ["sound.wav: skipped: it has no video stream",
                                                        "0 passed, 0 failed, 1 skipped"], done.stderr)
        self.assertEqual(done.returncode, 1, "no film was compared")


if __name__ == "__main__":
    if shutil.which("ffmpeg") is None:
        print("skipped: no program ffmpeg")
        sys.exit(SKIP)
    unittest.main()
