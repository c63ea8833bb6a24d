# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""test_remux.py COMMAND: if GStreamer cannot read a codec in its container, the error advises an ffmpeg command, and the film
that it makes is measured, with the same pictures."""
import re
import shlex
import subprocess
import unittest

import films
from lines import COMMAND, FolderTest, read

FFMPEG = ["ffmpeg", "-nostdin", "-v", "error"]
# encoder, container, more options, the codec's name in the advice
UNREADABLE = (
    ("libvpx-vp9", "avi", ["-pix_fmt", "yuv420p"], "VP90"),
    ("utvideo", "avi", ["-pix_fmt", "yuv420p"], "ULY0"),
    ("utvideo", "mkv", ["-pix_fmt", "yuv422p"], "ULY2"),
    ("utvideo", "mov", ["-pix_fmt", "gbrp"], "ULRG"),
    ("magicyuv", "avi", ["-pix_fmt", "yuv420p"], "M8Y0"),
    ("snow", "avi", ["-pix_fmt", "yuv420p", "-strict", "-2"], "SNOW"),
    ("snow", "mkv", ["-pix_fmt", "yuv420p", "-strict", "-2"], "SNOW"),
    ("prores_ks", "avi", ["-pix_fmt", "yuv422p10le"], "apch"),
    ("amv", "avi", ["-pix_fmt", "yuvj420p", "-strict", "-1"], "AMVF"),
    ("zlib", "avi", ["-pix_fmt", "bgr24"], "zlib"),
)


def digest(path):
    """Digests of the samples of each frame."""
    made = subprocess.run([*FFMPEG, "-i", path, "-pix_fmt", "yuv444p16", "-f", "framemd5", "-"], check=True, text=True,
                          stdout=subprocess.PIPE).stdout
    return [line.split(",")[-1] for line in made.splitlines() if not line.startswith("#")]


class Remux(FolderTest):
    def measure(self, path):
        return subprocess.run([COMMAND, "measure", path], capture_output=True, text=True, cwd=self.folder, timeout=120,
                              env=films.make_environment())

    def test_advice(self):
        encoders = subprocess.run(["ffmpeg", "-v", "error", "-encoders"], check=True, text=True, stdout=subprocess.PIPE).stdout
        for encoder, container, options, name in UNREADABLE:
            with self.subTest(encoder=encoder, container=container):
                if not re.search(rf"\b{encoder}\b", encoders):
                    self.skipTest(f"this ffmpeg has no encoder {encoder}")
                film, better = self.folder / f"input.{container}", self.folder / "better.mkv"
                subprocess.run([*FFMPEG, "-y", "-f", "lavfi", "-i", "testsrc2=s=64x64:r=25", "-frames:v", "5", "-c:v", encoder,
                                *options, film], check=True)
                measured = self.measure(film)
                self.assertEqual(measured.returncode, 2)
                self.assertIn(name, measured.stderr)
                self.assertNotIn("not installed", measured.stderr)
                advice = re.search("`(ffmpeg [^`]*)`", measured.stderr)[1].replace("FILM", str(film))
                subprocess.run([*FFMPEG, "-y", *shlex.split(advice.replace("film.mkv", str(better)))[1:]], check=True)
                measured = self.measure(better)
                self.assertEqual(measured.returncode, 0, measured.stderr)
                self.assertEqual(len(read(self.folder / "better.jsonl")), 5)
                self.assertEqual(digest(better), digest(film))


unittest.main()
