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

    def test_other_files(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "note.txt").write_text("no film")
            subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "sine=d=1", "-f", "lavfi", "-i",
                            "testsrc=s=64x64:d=0.04", "-c:a", "aac", "-c:v", "mjpeg", "-pix_fmt", "yuvj420p",
                            "-disposition:v", "attached_pic", "-f", "mp4", pathlib.Path(folder, "cover.m4a")], check=True)
            done = subprocess.run([sys.executable, SCRIPT, folder, "false"], capture_output=True, text=True, check=False)
        self.assertEqual(done.stdout.splitlines()[1:], ["cover.m4a: skipped: its video is a cover",
                                                        "note.txt: skipped: FFmpeg cannot read it",
                                                        "0 passed, 0 failed, 2 skipped"], done.stderr)


if __name__ == "__main__":
    if shutil.which("ffmpeg") is None:
        print("skipped: no program ffmpeg")
        sys.exit(SKIP)
    unittest.main()
