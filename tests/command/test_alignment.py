#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""test_alignment.py COMMAND: `cudahisto measure -r` finds the offset of a reference from the first seconds of both films, and
leaves ambiguous ones alone."""

import pathlib
import subprocess
import tempfile
import unittest

import films
from lines import COMMAND, SharedFolderTest, complain, need, read, run

need("ffmpeg")

SOURCES = {  # name: input of FFmpeg
    "pattern": "testsrc2=s=160x120:r=25:d=3,noise=alls=8:allf=t:all_seed=3",
    "fractal": "mandelbrot=s=160x120:r=25,trim=duration=3",
    "film": "life=s=160x120:r=25:mold=10:ratio=0.1:seed=5,trim=duration=3,boxblur=4",
    "still": "color=c=gray:s=160x120:r=25:d=3",
    "object": "testsrc2=s=320x240:r=25,trim=end_frame=1,loop=-1:1,setpts=N/25/TB,trim=duration=4[still];"
              "color=c=white:s=16x16:r=25:d=4[small];[still][small]overlay=x='20+10*t':y='100+40*sin(t)'",
    "dark": "testsrc2=s=160x120:r=25:d=4,fade=st=1:d=1:color=black,trim=duration=3",
}
DIFFERENT = 30  # mean squared error of unrelated frames


class Alignment(SharedFolderTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for name, source in SOURCES.items():
            run("ffmpeg", "-v", "error", "-f", "lavfi", "-i", source, "-pix_fmt", "yuv420p", "-c:v", "libx264", "-preset",
                "ultrafast", "-qp", 8, "-bf", 2, "-g", 25, cls.folder / f"{name}.mp4")
        run("ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=160x120:r=25:d=0.4", "-pix_fmt", "yuv420p", "-c:v",
            "libx264", "-qp", 0, cls.folder / "once.mp4")
        run("ffmpeg", "-v", "error", "-stream_loop", 7, "-i", cls.folder / "once.mp4", "-c", "copy", cls.folder / "loop.mp4")

    def make(self, name, *options, source, before=()):
        run("ffmpeg", "-v", "error", "-y", *before, "-i", self.folder / source, *options, self.folder / name)

    def compare(self, film, reference, *more):
        """Returns the messages, the offset, and the numbers of frames that were not compared, and that were compared with a
        wrong one."""
        with tempfile.TemporaryDirectory() as folder:
            lines = pathlib.Path(folder, "x.jsonl")
            command = [COMMAND, "measure", self.folder / film, "-r", self.folder / reference, "-o", lines, *more]
            measured = subprocess.run(command, capture_output=True, env=films.make_environment(), timeout=120)
            self.assertEqual(measured.returncode, 0, measured.stderr)
            results = [line for line in read(lines) if "event" not in line]
        errors = self.errors = [line["components"]["Y"].get("reference", {}).get("mse") for line in results]
        for line, error in zip(results, errors):
            self.assertEqual("reference-offset" in line, error is not None)
        offsets = {line["reference-offset"] for line in results if "reference-offset" in line}
        self.assertEqual(len(offsets), 1)
        return (measured.stderr.decode(), offsets.pop(), errors.count(None),
                sum(error is not None and error > DIFFERENT for error in errors))

    def check(self, film, reference, offset, missing=0):
        said, found, uncompared, different = self.compare(film, reference)
        self.assertAlmostEqual(found / 1e6, offset, delta=1.5, msg=said)
        self.assertEqual(different, 0)
        self.assertLessEqual(uncompared, missing)
        words = f"{abs(found) / 1e9:.3f} s of the " + ("film is 0 s of the reference" if found > 0 else
                                                       "reference is 0 s of the film") + f" (--reference-offset={found}ns)"
        self.assertEqual(words in said, found != 0, said)
        self.assertNotIn("set reference-offset", said)

    def test_the_same(self):
        for name in SOURCES:
            with self.subTest(name):
                said, found, uncompared, different = self.compare(f"{name}.mp4", f"{name}.mp4")
                self.assertEqual((found, uncompared, different), (0, 0, 0))
                self.assertNotIn("reference-offset", said)

    def test_shifted(self):
        """Edit lists of about 33, 73 and 500 ms, and MPEG-TS, which begins later."""
        for name, shift in ("pattern", 33), ("fractal", 73), ("film", 73), ("film", 500):
            with self.subTest(name, shift=shift):
                self.make("shifted.mp4", "-c", "copy", source=f"{name}.mp4", before=("-itsoffset", shift / 1000))
                self.check("shifted.mp4", f"{name}.mp4", shift)
                self.check(f"{name}.mp4", "shifted.mp4", -shift)
        for name in "pattern", "fractal":
            with self.subTest(name, container="ts"):
                self.make("film.ts", "-c", "copy", source=f"{name}.mp4")
                found = self.compare("film.ts", f"{name}.mp4")[1] / 1e6
                self.assertGreater(found, 100)
                self.check("film.ts", f"{name}.mp4", found)

    def test_demuxer_that_reads_past_its_end(self):
        """With a film that is shorter than the compared part."""
        for name, skipped in ("whole.nut", "0"), ("later.nut", "0.4"):
            self.make(name, "-c:v", "mpeg4", "-q", "2", "-t", "3", source="pattern.mp4", before=("-ss", skipped))
        self.check("later.nut", "whole.nut", -400, missing=10)

    def test_cut_between_frames(self):
        """GStreamer shows the rest of a frame that `-c copy` leaves at the beginning, and FFmpeg drops it."""
        for name in "pattern", "fractal", "film":
            with self.subTest(name):
                self.make("cut.mp4", "-c", "copy", source=f"{name}.mp4", before=("-ss", 1.01))
                self.make("encoded.mp4", "-c:v", "libx264", "-preset", "ultrafast", "-qp", 8, source="cut.mp4")
                self.check("cut.mp4", "encoded.mp4", 30, missing=1)
                self.check("encoded.mp4", "cut.mp4", -30)

    def test_another_encoder(self):
        """Coding noise does not make a frame different."""
        for name in "pattern", "film":
            self.make("encoded.mp4", "-c:v", "libx264", "-crf", 20, "-bf", 0, source=f"{name}.mp4", before=("-itsoffset", 0.2))
            self.assertAlmostEqual(self.compare("encoded.mp4", f"{name}.mp4")[1] / 1e6, 200, delta=1.5)
            self.make("coarse.mp4", "-c:v", "libx264", "-crf", 40, "-bf", 0, source=f"{name}.mp4", before=("-itsoffset", 0.2))
            self.assertIn(self.compare("coarse.mp4", f"{name}.mp4")[1], (0, 200000000))

    def test_colorimetry(self):
        """Films whose samples have the same range, but other tags."""
        tags = "setparams=range=tv:colorspace=bt709:color_primaries=bt709:color_trc=bt709"
        for name in "pattern", "film":
            self.make("tagged.mp4", "-vf", tags, "-c:v", "libx264", "-qp", 8, source=f"{name}.mp4", before=("-itsoffset", 0.2))
            self.make("untagged.mkv", "-vf", "setparams=colorspace=unknown", "-c:v", "ffv1", source=f"{name}.mp4")
            self.check("tagged.mp4", "untagged.mkv", 200, missing=5)

    def test_ambiguous(self):
        """Repetitive, still or unrelated films are compared by stream time, unless their first frames belong together."""
        self.make("shifted.mp4", "-c", "copy", source="still.mp4", before=("-itsoffset", 0.2))
        said, found, _, _ = self.compare("shifted.mp4", "still.mp4")
        self.assertEqual(found, 0)
        self.assertIn("set reference-offset=", said)
        self.assertNotIn("found no unique offset", said)
        self.make("cut.mp4", "-c:v", "libx264", "-qp", 8, source="loop.mp4", before=("-ss", 0.2))
        said, found, _, _ = self.compare("cut.mp4", "loop.mp4")
        self.assertEqual(found, 0)
        self.assertIn("found no unique offset", said)
        self.assertEqual(self.compare("fractal.mp4", "pattern.mp4")[1], 0)

    def test_first_frames(self):
        """They decide if several offsets fit, and 0 does not."""
        self.make("shifted.mp4", "-c", "copy", source="loop.mp4", before=("-itsoffset", 0.2))
        self.check("shifted.mp4", "loop.mp4", 200)
        self.check("loop.mp4", "shifted.mp4", -200)

    def test_small_object(self):
        """A small object moves before a still background."""
        for skipped in 0.4, 1:
            self.make("cut.mp4", "-c:v", "libx264", "-crf", 32, source="object.mp4", before=("-ss", skipped))
            self.check("cut.mp4", "object.mp4", -1000 * skipped)
        self.make("coarse.mp4", "-c:v", "libx264", "-crf", 45, source="object.mp4")
        said, found, _, _ = self.compare("coarse.mp4", "object.mp4")
        self.assertEqual(found, 0)
        self.assertNotIn("found no unique offset", said)

    def test_users_offset(self):
        self.make("shifted.mp4", "-c", "copy", source="film.mp4", before=("-itsoffset", 0.2))
        for offset, options in ((0, ("--set=reference-offset=0", "--reference-offset=0", "--reference-offset=0ms")),
                                (80000000, ("--set=reference-offset=80000000", "--set=reference_offset=80000000",
                                            "--reference-offset=80000000ns", "--reference-offset=80ms")),
                                (-40000000, ("--reference-offset=-40000000ns", "--reference-offset=-0.04s"))):
            for option in options:
                self.assertEqual(self.compare("shifted.mp4", "film.mp4", option)[1], offset, option)
        with tempfile.TemporaryDirectory() as folder:
            lines = pathlib.Path(folder, "x.jsonl")
            run(COMMAND, "measure", "-q", self.folder / "film.mp4", "-r", self.folder / "film.mp4", "-o", lines,
                "--set=reference-mode=fixed")
            self.assertTrue(all("reference-offset" not in line for line in read(lines)))

    def test_jump_in_transport_stream(self):
        """An offset that is reached by a seek, or by reading on where seeks are wrong. Luma tells the frame. Demuxers estimate
        the place of a time from the bit rate, which changes here."""
        source = ("color=s=160x90:r=24:d=42,format=yuv420p,geq=lum='20+mod(N,180)':cb=128:cr=128,"
                  "noise=c1s=20:c1f=t:c2s=20:c2f=t:enable='gt(t,18)'")
        run("ffmpeg", "-v", "error", "-f", "lavfi", "-i", source, "-c:v", "libx264", "-qp", 0, "-bf", 2, "-g", 250,
            "-sc_threshold", 0, self.folder / "numbers.mp4")
        for name in "numbers.ts", "numbers.mkv":
            self.make(name, "-c", "copy", source="numbers.mp4")
        for name in "numbers.mp4", "numbers.mkv", "numbers.ts":
            start = 0  # frames before the first one
            for seconds in 3, 12.5, 20, 500 / 24:  # the first without a seek
                with self.subTest((name, seconds)):
                    _, _, uncompared, _ = self.compare("numbers.mp4", name, f"--reference-offset=-{seconds:.9f}s")
                    shift, found = round(24 * seconds), round(self.errors[0]**0.5)
                    if name == "numbers.ts" and seconds == 3:
                        start = (shift - found) % 180
                    self.assertEqual(found, (shift - start) % 180)
                    self.assertTrue(set(self.errors) <= {found**2, (180 - found)**2, None}, set(self.errors))
                    self.assertEqual(uncompared, shift - start)

    def test_auto(self):
        automatic = "--reference-offset=auto"
        self.make("shifted.mp4", "-c", "copy", source="film.mp4", before=("-itsoffset", 0.2))
        said, found, _, _ = self.compare("shifted.mp4", "film.mp4", automatic, "--set=reference-mode=in-step")
        self.assertAlmostEqual(found / 1e6, 200, delta=1.5, msg=said)
        said, found, _, _ = self.compare("fractal.mp4", "pattern.mp4", automatic)
        self.assertEqual(found, 0)
        self.assertIn("found no unique offset of the reference", said)
        self.assertIn("found no unique offset", self.compare("fractal.mp4", "pattern.mp4")[0])
        self.assertNotIn("found no unique offset", self.compare("still.mp4", "still.mp4")[0])
        film = self.folder / "film.mp4"
        self.assertIn("needs a reference: set --reference.", complain("measure", film, automatic))
        for text in "soon", "40", "-40000000", "1.5", "-", "--1s", "1 day", "":
            self.assertIn(f'"{text}" is not an offset with a unit. Use auto, or a number and ns, us, ms, ',
                          complain("measure", film, "-r", film, f"--reference-offset={text}"))
        for text in "auto", "0", "80ms":
            for other, words in (("reference-offset=80000000", "contradict each other: omit one"),
                                 ("reference-mode=fixed", "has no effect with --set reference-mode=fixed")):
                self.assertIn(words, complain("measure", film, "-r", film, f"--reference-offset={text}", f"--set={other}"))
        self.assertIn('"" is not a whole number', complain("measure", film, "-r", film, "--set=reference-offset="))


unittest.main(verbosity=0)
