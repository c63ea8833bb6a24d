# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""test_sequence.py COMMAND: pictures are measured as the frames of a film: by a pattern or in a folder, with gaps, in order, at
their rate, and with FFmpeg's values."""
import json
import re
import subprocess
import unittest

import films
from lines import COMMAND, FolderTest, read

FFMPEG = ["ffmpeg", "-nostdin", "-v", "error", "-y"]


class Sequence(FolderTest):
    def draw(self, pattern, *options, count=5, first=1, size="64x48"):
        (self.folder / pattern).parent.mkdir(exist_ok=True)
        subprocess.run([*FFMPEG, "-f", "lavfi", "-i", f"testsrc2=s={size}:r=5", "-frames:v", str(count), *options,
                        "-start_number", str(first), self.folder / pattern], check=True)

    def measure(self, *arguments, status=0):
        measured = subprocess.run([COMMAND, "measure", *arguments], capture_output=True, text=True, cwd=self.folder,
                                  timeout=120, env=films.make_environment())
        self.assertEqual(measured.returncode, status, measured.stderr)
        return measured.stderr

    def get_means(self, pattern, pixels, n_planes, *options):
        """Means of each component of each picture, as FFmpeg decodes it to planes of one size."""
        raw = subprocess.run([*FFMPEG, *options, "-i", self.folder / pattern, "-pix_fmt", pixels, "-f", "rawvideo", "-"],
                             check=True, stdout=subprocess.PIPE).stdout
        size = 64 * 48
        planes = [raw[i:i + size] for i in range(0, len(raw), size)]
        means = [sum(plane) / size for plane in planes]
        return [means[i:i + n_planes] for i in range(0, len(means), n_planes)]

    def test_values(self):
        for pattern, options, pixels, planes in (("a.%04d.png", ["-pix_fmt", "rgb24"], "gbrp", "GBR"),
                                                 ("b.%d.png", ["-pix_fmt", "gray"], "gray", ["GRAY"]),
                                                 ("c_%02d.tif", ["-pix_fmt", "rgb24"], "gbrp", "GBR"),
                                                 ("d-%03d.bmp", ["-pix_fmt", "bgr24"], "gbrp", "GBR")):
            with self.subTest(pattern):
                self.draw(pattern, *options)
                said = self.measure(pattern, "--framerate=24")
                self.assertRegex(said, rf"\A{re.escape(pattern)}: 5 frames, 0\.21 s of film, [^\n]*\n  5 results in "
                                 rf"{pattern[0]}\.jsonl; [^\n]*\n\Z")
                results = read(self.folder / f"{pattern[0]}.jsonl")
                self.assertEqual([result["stream-time"] for result in results], [round(i * 1e9 / 24) for i in range(5)])
                self.assertEqual({result["framerate"] for result in results}, {"24/1"})
                means = self.get_means(pattern, pixels, len(planes))
                self.assertEqual([[result["components"][name]["mean"] for name in planes] for result in results], means)

    def test_jpeg(self):
        """Decoders of JPEG round differently."""
        self.draw("j%04d.jpg", "-pix_fmt", "yuvj420p", "-q:v", "2")
        self.measure("j%04d.jpg", "-f", "30000/1001")
        results = read(self.folder / "j.jsonl")
        self.assertEqual({result["framerate"] for result in results}, {"30000/1001"})
        for result, means in zip(results, self.get_means("j%04d.jpg", "gray", 1), strict=True):
            self.assertAlmostEqual(result["components"]["Y"]["mean"], means[0], delta=1)

    def test_deep_png(self):
        """With alpha they are right. Without alpha, GStreamer 1.22 mixes up the components, which is reported as an error."""
        self.draw("a%d.png", "-pix_fmt", "rgba64be")
        self.draw("b%d.png", "-pix_fmt", "rgb48be")
        self.measure("a%d.png", "-f", "24")
        means = self.get_means("a%d.png", "gbrp", 3)

        def check(name):
            for result, wanted in zip(read(self.folder / name), means, strict=True):
                for component, mean in zip("GBR", wanted):
                    self.assertAlmostEqual(result["components"][component]["mean"] / (2 ** result["depth"] - 1), mean / 255,
                                           delta=0.002)

        check("a.jsonl")
        measured = subprocess.run([COMMAND, "measure", "b%d.png", "-f", "24"], capture_output=True, text=True, cwd=self.folder,
                                  timeout=120, env=films.make_environment())
        if measured.returncode == 0:  # this version of GStreamer does not have the defect
            check("b.jsonl")
        else:
            self.assertIn("decodes PNG of 16 bits without alpha wrongly. Add alpha: ", measured.stderr)
            self.assertFalse((self.folder / "b.jsonl").exists())

    def test_exr(self):
        """Each picture is decoded once, although the decoder finds no end. GStreamer's decoder converts half floats to 16
        bits."""
        inspected = subprocess.run(["gst-inspect-1.0", "openexrdec"], capture_output=True, env=films.make_environment())
        if inspected.returncode != 0:
            self.skipTest("GStreamer has no openexrdec here")
        self.draw("e.%d.exr", "-pix_fmt", "gbrpf32le")
        self.measure("e.%d.exr", "-f", "24")
        self.assertEqual(len(read(self.folder / "e.jsonl")), 5)

    def test_rates(self):
        self.draw("a%d.png", count=2)
        for rate, wanted in (("24", "24/1"), ("23.976", "24000/1001"), ("59.94", "60000/1001"), ("12.5", "25/2"),
                             ("24000/1001", "24000/1001")):
            self.measure("a%d.png", "--framerate", rate)
            self.assertEqual(read(self.folder / "a.jsonl")[0]["framerate"], wanted)
        for rate in "0", "-1", "x", "24x", "24/", "1/0", "0x18", "":
            self.assertIn("--framerate", self.measure("a%d.png", f"--framerate={rate}", status=2))
        said = self.measure("a%d.png")
        self.assertIn('cudahisto: the pictures of "a%d.png" are measured at 25 frames per second: --framerate sets another '
                      "rate.\n", said)
        self.assertEqual(read(self.folder / "a.jsonl")[1]["stream-time"], 40000000)
        self.assertIn("--framerate needs a pattern or a folder", self.measure(films.get("h264.mp4"), "-f", "24", status=2))

    def test_gaps(self):
        """The numbers may begin anywhere, and may become longer. A missing picture leaves its time empty."""
        self.draw("shots/s.%04d.png", count=12, first=9994)
        for number in 9996, 9999, 10000, 10001:
            (self.folder / f"shots/s.{number}.png").unlink()
        for where, name in ("shots/s.%04d.png", "s"), ("shots", "shots"):
            said = self.measure(where, "-f", "25", status=1)
            self.assertIn(f'4 of the 12 pictures of "{where}" are missing: 9996, 9999-10001.\n', said)
            self.assertIn(": 8 of 12 frames, ", said)
            lines = read(self.folder / f"{name}.jsonl")
            holes = [(line["cause"], line["start"], line["end"], line["missing"]) for line in lines if "event" in line]
            self.assertEqual(holes, [("missing", 80000000, 120000000, 1), ("missing", 200000000, 320000000, 3)])
            results = [line for line in lines if "event" not in line]
            times = [result["stream-time"] // 40000000 for result in results]
            self.assertEqual(times, [0, 1, 3, 4, 8, 9, 10, 11])

    def test_damaged_pictures(self):
        """Each is reported and skipped, and the next ones are measured."""
        for kind, pixels, damages in (("png", "rgb24", ("cut", "empty", "other", "flip")), ("bmp", "bgr24", ("cut", "empty")),
                                      ("jpg", "yuvj420p", ("cut", "other")), ("tif", "rgb24", ("other",))):
            for number in 1, 3, 8:
                for damage in damages:
                    with self.subTest(f"{damage} {kind} {number}"):
                        self.draw(f"d.%d.{kind}", "-pix_fmt", pixels, count=8)
                        path = self.folder / f"d.{number}.{kind}"
                        whole = path.read_bytes()
                        middle = len(whole) // 2
                        path.write_bytes({"cut": whole[:200], "empty": b"", "other": b"x" * 1000,
                                          "flip": whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1:]}[damage])
                        said = self.measure(f"d.%d.{kind}", "-f", "25", status=1)
                        self.assertIn(f"d.{number}.{kind} ", said)
                        self.assertIn(": 7 of 8 frames, ", said)
                        lines = read(self.folder / "d.jsonl")
                        event, = [line for line in lines if "undecoded" in line.get("cause", "")]
                        self.assertEqual(event["event"], "damaged")
                        if "decoder" not in event["cause"]:  # libav reports other errors
                            self.assertEqual((event["missing"], event["start"], event["end"]),
                                             (1, (number - 1) * 40000000, number * 40000000))
                        self.assertEqual([line["stream-time"] // 40000000 + 1 for line in lines if "event" not in line],
                                         [i for i in range(1, 9) if i != number])

    def test_far_numbers(self):
        """Times end where GStreamer's do."""
        self.draw("far.%d.png", count=2)
        (self.folder / "far.2.png").rename(self.folder / "far.999999999999999999.png")
        said = self.measure("far.%d.png", "-f", "24", status=1)
        self.assertIn("are missing: 2-999999999999999998.\n", said)
        first, hole, last = read(self.folder / "far.jsonl")
        self.assertEqual((first["stream-time"], hole["start"], hole["missing"]), (0, 41666667, 10**18 - 3))
        self.assertEqual(hole["end"], last["stream-time"])
        self.assertGreater(last["stream-time"], 2**63 - 10)

    def test_folder(self):
        """In numerical order, whatever the number of digits."""
        self.draw("frames/%d.png", "-vf", "geq=lum='20+16*N':cb=128:cr=128,format=gray", count=12)
        for name in "notes.txt", ".hidden.png":
            (self.folder / "frames" / name).write_text("x")
        (self.folder / "frames" / "more").mkdir()
        said = self.measure("frames/", "-f", "25")
        self.assertIn('1 file in "frames/" is not a picture, and is skipped.', said)
        levels = [result["components"]["GRAY"]["mean"] for result in read(self.folder / "frames.jsonl")]
        self.assertEqual(levels, sorted(levels))
        self.assertEqual(len(set(levels)), 12)
        self.draw("frames/13.bmp", "-update", "1", count=1)
        self.assertIn('"frames/" has pictures of several types, PNG and BMP', self.measure("frames/", status=2))

    def test_names_without_order(self):
        """They have no numbers, so that none is missing."""
        self.draw("x/b%d.png", count=1)
        self.draw("x/a%d.png", count=2)
        self.measure("x", "-f", "25")
        self.assertEqual([result["stream-time"] // 40000000 for result in read(self.folder / "x.jsonl")], [0, 1, 2])

    def test_sizes(self):
        self.draw("a%d.png", count=2)
        self.draw("a%d.png", count=2, first=3, size="32x16")
        self.measure("a%d.png", "-f", "25")
        self.assertEqual([result["width"] for result in read(self.folder / "a.jsonl")], [64, 64, 32, 32])

    def test_percent_signs(self):
        """An existing file of that name is taken; %% is a percent sign."""
        self.draw("a%d.png", count=3)
        (self.folder / "a1.png").rename(self.folder / "a%d.png")
        said = self.measure("a%d.png", "-o", "one.jsonl")
        self.assertIn("a%d.png: 1 frame", said)
        self.draw("100%%_%d.png", count=3)
        self.measure("100%%_%d.png", "-f", "25")
        self.assertEqual(len(read(self.folder / "100%.jsonl")), 3)

    def test_what_is_no_sequence(self):
        (self.folder / "empty").mkdir()
        self.draw("x%d.dpx", count=1)
        self.draw("bad%d.png", count=3)
        for path in self.folder.glob("bad*.png"):
            path.write_bytes(b"x" * 1000)
        self.draw("none%d.png", count=3)
        for path in self.folder.glob("none*.png"):
            path.write_bytes(b"")
        for where, words in (("no%d.png", 'there is no file that matches "no%d.png".'),
                             ("a%d_%d.png", 'there is no file "a%d_%d.png".'),
                             ("a%s.png", 'there is no file "a%s.png".'),
                             ("nowhere/a%d.png", '"nowhere/a%d.png" cannot be read: '),
                             ("empty", '"empty" is a folder without pictures'),
                             ("x%d.dpx", "GStreamer does not decode"),
                             ("none%d.png", 'of the 3 pictures of "none%d.png", GStreamer decoded 0: ./none1.png is empty.'),
                             ("bad%d.png", "./bad1.png is not a PNG file.")):
            with self.subTest(where):
                said = self.measure(where, "-f", "24", "-o", "out.jsonl", status=2)
                self.assertIn(words, said)
                out = self.folder / "out.jsonl"
                if out.exists():
                    self.assertEqual(json.loads(out.read_text().splitlines()[-1])["event"], "incomplete")
                    out.unlink()


unittest.main()
