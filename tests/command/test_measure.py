# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""test_measure.py COMMAND: `cudahisto measure` measures films of several containers and codecs, writes the results to the
documented places, and reports errors in one sentence."""

import array
import concurrent.futures
import http.server
import json
import os
import re
import shutil
import signal
import struct
import subprocess
import threading
import time
import unittest

import films
from lines import COMMAND, FolderTest, read
from pipe import list_open_files

MARK = "user.cudahisto"  # the attribute of resultmark.h

H264_DECODERS = ("avdec_h264", "openh264dec", "vah264dec", "vaapih264dec", "v4l2slh264dec", "v4l2h264dec", "nvh264dec",
                 "nvh264sldec")


def find_light(luma, blue, red):
    """The largest of R', G' and B', 0 to 1, of samples of 10 bits in limited range by BT.2020."""
    y, cb, cr = (luma - 64) / 876, (blue - 512) / 896, (red - 512) / 896
    r, b = y + 1.4746 * cr, y + 1.8814 * cb
    return min(max(r, b, (y - 0.2627 * r - 0.0593 * b) / 0.678, 0), 1)


def find_nits(code):
    """The EOTF of SMPTE ST 2084 for a 12-bit code."""
    root = (code / 4095) ** (32 / 2523)
    return 10000 * (max(root - 3424 / 4096, 0) / (2413 / 128 - 2392 / 128 * root)) ** (16384 / 2610)


class Measure(FolderTest):
    def measure(self, *arguments, env=None, **options):
        return subprocess.run([COMMAND, "measure", *arguments], capture_output=True, cwd=self.folder,
                              env=films.make_environment(**(env or {})), timeout=300, **options)

    def check_done(self, measured, status=0):
        self.assertEqual((measured.returncode, measured.stdout), (status, b""), measured.stderr)
        return measured.stderr.decode()

    def check_failed(self, measured, *words):
        """Checks that the only message is one sentence with these words."""
        said = measured.stderr.decode()
        self.assertEqual(measured.returncode, 2, said)
        self.assertRegex(said, r"\Acudahisto: [^\n]*[.)]\n\Z")
        for word in words:
            self.assertIn(word, said)

    # ---- films

    def check_film(self, name, tolerance, *arguments):
        path = films.get(name)
        said = self.check_done(self.measure(path, *arguments))
        results = read(self.folder / (path.stem + ".jsonl"))
        wanted = films.probe_luma(path)
        self.assertEqual([result["frame"] for result in results], list(range(len(wanted))))
        for result, mean in zip(results, wanted):
            self.assertEqual(result["ended-by"], "complete")
            self.assertAlmostEqual(result["components"]["Y"]["mean"], mean, delta=tolerance)
        self.assertIn(f"{path}: {len(wanted)} frames, {len(wanted) / 25:.2f} s of film, in ", said)
        self.assertIn(f"  {len(wanted)} results in {path.stem}.jsonl; counted by cpu (", said)
        return results, said

    def test_h264_mp4(self):
        self.check_film("h264.mp4", 0.001)

    def test_vp9_webm(self):
        self.check_film("vp9.webm", 0.001)

    def test_mjpeg_avi(self):
        self.check_film("mjpeg.avi", 0.5)  # JPEG's decoders round differently

    def test_mpeg_ts(self):
        self.check_film("stream.ts", 0.001)

    def test_prores_mov(self):
        results, _ = self.check_film("prores.mov", 0.01)
        self.assertEqual((results[0]["format"], results[0]["depth"]), ("I422_10LE", 10))

    def test_h265_of_10_bits_mkv(self):
        results, _ = self.check_film("h265.mkv", 0.01)
        self.assertEqual((results[0]["format"], results[0]["depth"]), ("I420_10LE", 10))

    def test_v210(self):
        results, said = self.check_film("v210.mov", 0.01)
        self.assertEqual((results[0]["format"], results[0]["depth"]), ("v210", 10))

    def test_formats(self):
        """Each component's samples, unconverted, add up to FFmpeg's."""
        for codec, pix_fmt, name, size, wanted in (
                ("dvvideo", "yuv411p", "dv.avi", "720x480", "Y41B"), ("ffv1", "yuv410p", "410.mkv", "98x70", "YUV9"),
                ("ffv1", "gray16le", "grey.mkv", "97x33", "GRAY16_LE"), ("ffv1", "gbrp10le", "rgb.mkv", "97x33", "GBR_10LE"),
                ("ffv1", "gbrap12le", "rgba.mkv", "97x33", "GBRA_12LE"), ("ffv1", "yuva420p", "a420.mkv", "98x70", "A420"),
                ("ffv1", "yuva422p10le", "a422.mkv", "98x70", "A422_10LE"), ("qtrle", "rgb555be", "15.mov", "96x64", "RGB15"),
                ("r210", "gbrp10le", "r210.mov", "128x64", "r210"), ("v210", "yuv422p10le", "v210.mov", "98x70", "v210")):
            path = self.folder / name
            subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", f"testsrc2=s={size}:r=30000/1001:d=0.1",
                            "-strict", "-2", "-c:v", codec, "-pix_fmt", pix_fmt, path], check=True)
            self.check_done(self.measure(path))
            results = read(path.with_suffix(".jsonl"))
            self.assertEqual({result["format"] for result in results}, {wanted})
            for component in results[0]["components"]:
                plane = {"GRAY": "y"}.get(component, component.lower())
                planes = subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-i", path, "-vf", f"extractplanes={plane}", "-f",
                                         "rawvideo", "-"], check=True, capture_output=True).stdout
                samples = array.array("B" if results[0]["depth"] == 8 else "H", planes)
                each = len(samples) // len(results)
                self.assertEqual([result["components"][component]["sum"] for result in results],
                                 [sum(samples[i * each:(i + 1) * each]) for i in range(len(results))], f"{name} {component}")

    def test_uncompressed_video_that_gstreamer_mixes_up(self):
        for codec, pix_fmt, name, words in (("v308", "yuv444p", "v308.mov", "the components of v308"),
                                            ("r210", "gbrp10le", "narrow.mov", "a multiple of 64"),
                                            ("r210", "gbrp10le", "narrow.avi", "a multiple of 64")):
            path = self.folder / name
            subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=96x64:d=0.1", "-c:v", codec,
                            "-pix_fmt", pix_fmt, path], check=True)
            self.check_failed(self.measure(path), words, "Convert the film: ")

    def test_grey_of_16_bits(self):
        """As FFmpeg's, in the film's range, whatever its size, with or without a matrix."""
        for size in ("64x48", "1280x720"):
            for name, luma in (("pc", 40000), ("tv", 20000)):
                path = self.folder / f"grey-{name}-{size}.mkv"
                subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", f"color=c=gray:s={size}:r=25:d=0.12,"
                                f"format=gray16le,geq=lum={luma}", "-pix_fmt", "gray16le", "-color_range", name, "-c:v", "ffv1",
                                path], check=True)
                self.check_done(self.measure(path))
                results = read(path.with_suffix(".jsonl"))
                self.assertEqual(len(results), 3)
                for result in results:
                    self.assertEqual((result["format"], result["range"]),
                                     ("GRAY16_LE", {"pc": "full", "tv": "limited"}[name]))
                    self.assertEqual({name: (numbers["min"], numbers["max"])
                                      for name, numbers in result["components"].items()}, {"GRAY": (luma, luma)})

    def test_hdr10(self):
        """The light of an HDR10 film with black bars, compared with doubles for each pixel; it is measured by default."""
        width, height, bars, frames = 96, 72, 8, 5
        if subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", "-f", "lavfi", "-i",
                           f"testsrc2=s={width}x{height - 2 * bars}:r=25", "-frames:v", str(frames), "-vf",
                           f"format=yuv420p10le,pad={width}:{height}:0:{bars}", "-c:v", "libx265", "-preset", "ultrafast",
                           "-x265-params", "log-level=none:hdr10=1:repeat-headers=1:max-cll=1000,400:range=limited",
                           "-color_primaries", "bt2020", "-color_trc", "smpte2084", "-colorspace", "bt2020nc",
                           self.folder / "hdr.mkv"], check=False).returncode != 0:
            self.skipTest("FFmpeg has no libx265")
        self.check_done(self.measure("-q", "hdr.mkv"))
        results = [line for line in read(self.folder / "hdr.jsonl") if "event" not in line]
        self.assertEqual(({result["colorimetry"] for result in results}, len(results)), ({"bt2100-pq"}, frames))
        raw = subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-i", self.folder / "hdr.mkv", "-f", "rawvideo", "-pix_fmt",
                              "yuv420p10le", "-"], check=True, capture_output=True).stdout
        samples = struct.unpack(f"<{len(raw) // 2}H", raw)
        luma, chroma = width * height, width * height // 4
        falls = []
        for number, result in enumerate(results):
            frame = samples[number * luma * 3 // 2:(number + 1) * luma * 3 // 2]
            codes = []
            for place in range(luma):
                near = place // width // 2 * (width // 2) + place % width // 2
                codes.append(4095 * find_light(frame[place], frame[luma + near], frame[luma + chroma + near]))
            light = result["light"]
            self.assertLessEqual(abs(light["max-pq"] - max(codes)), 1)
            self.assertLessEqual(abs(light["min-pq"] - min(codes)), 1)
            self.assertLess(abs(light["average-pq"] - sum(codes) / luma), 0.1)
            exact = sum(map(find_nits, codes)) / luma
            self.assertLess(abs(light["average-nits"] - exact), exact / 1000)  # the errors of rounding cancel out
            self.assertLess(abs(light["percentile-50"] - find_nits(sorted(codes)[luma // 2 - 1])), light["percentile-50"] / 200)
            self.assertEqual(light["max-fall"], light["average-nits"])
            falls.append(light["average-nits"])
        total = json.loads(subprocess.run([COMMAND, "merge", self.folder / "hdr.jsonl"], capture_output=True,
                                          check=False).stdout)
        self.assertEqual(total["light"]["max-fall"], max(falls))
        self.assertEqual(total["light"]["max-cll"], max(result["light"]["max-nits"] for result in results))
        self.assertEqual(total["active-picture"], {"x": 0, "y": bars, "width": width, "height": height - 2 * bars})
        self.assertAlmostEqual(total["light"]["max-fall-active"], max(falls) * height / (height - 2 * bars))

    def test_full_range(self):
        """As in FFmpeg, and as for the same film with a colour description."""
        path = films.get("full.mp4")
        subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-i", path, "-c", "copy", "-bsf:v", "h264_metadata="
                        "video_full_range_flag=1:colour_primaries=6:transfer_characteristics=6:matrix_coefficients=6",
                        self.folder / "described.mp4"], check=True)
        self.check_done(self.measure(path, "described.mp4", "-s", "basic+broadcast-range+gamut", "-e", "black+clipped"))
        lines, described = (read(self.folder / name) for name in ("full.jsonl", "described.jsonl"))
        for line in lines + described:
            del line["utc-time"]
            line.pop("element")
            line.pop("input", None)  # the film's name
        self.assertEqual(lines, described)
        results = [line for line in lines if "event" not in line]
        self.assertEqual({(result["range"], result["colorimetry"]) for result in results}, {("full", "1:4:16:4")})

        ran = subprocess.run(["ffmpeg", "-nostdin", "-hide_banner", "-nostats", "-i", path, "-vf", "blackdetect", "-f", "null",
                              "-"], check=True, capture_output=True, text=True)
        theirs = [(float(found[1]), float(found[2])) for found in re.finditer(r"black_start:(\S+) black_end:(\S+)", ran.stderr)]
        self.assertEqual(theirs, [(2.4, 4.8)])
        self.assertEqual([(line["start"] / 1e9, line["end"] / 1e9) for line in lines
                          if line.get("event") == "black" and "ended-by" in line], theirs)
        for result, share in zip(results, films.probe(path, "BRNG")):
            self.assertAlmostEqual(result["out-of-range"], share, delta=1e-6)

    def test_sound_is_left_alone(self):
        self.check_film("sound.mp4", 0.001)

    def test_pictures(self):
        self.check_done(self.measure(films.get("picture.png"), films.get("deep.png")))
        shallow, deep = (read(self.folder / name)[0] for name in ("picture.jsonl", "deep.jsonl"))
        self.assertEqual((shallow["depth"], shallow["width"], shallow["height"]), (8, 320, 240))
        self.assertGreaterEqual(deep["depth"], 12)
        for component in "RGB":
            self.assertAlmostEqual(shallow["components"][component]["mean"] / 255,
                                   deep["components"][component]["mean"] / (2 ** deep["depth"] - 1), delta=0.002)

    def test_samples_like_headers(self):
        """Samples that begin like a film's headers with an edit list are not changed."""
        def box(name, *parts):
            return struct.pack(">I4s", 8 + sum(map(len, parts)), name) + b"".join(parts)

        header = box(b"moov", box(b"mvhd", struct.pack(">5I", 0, 0, 0, 1000, 4000)),
                     box(b"trak", box(b"edts", box(b"elst", struct.pack(">5I", 0, 1, 4000, 6000, 0x10000))),
                         box(b"mdia", box(b"mdhd", struct.pack(">5I", 0, 0, 0, 1000, 10000)))))
        frames = [header + bytes([value]) * (64 * 48 * 3 - len(header)) for value in (0, 7, 200)]
        subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", "64x48", "-i", "-",
                        "-c:v", "rawvideo", self.folder / "raw.mov"], input=b"".join(frames), check=True)
        self.check_done(self.measure("raw.mov"))
        self.assertEqual([[line["components"][name]["sum"] for name in "RGB"] for line in read(self.folder / "raw.jsonl")],
                         [[sum(frame[number::3]) for number in range(3)] for frame in frames])

    def test_animated_pictures(self):
        """GStreamer decodes one picture of them, or none. A PNG that is not animated is measured."""
        source = ["ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=64x64:r=25:d=0.4"]
        subprocess.run([*source, "-f", "apng", self.folder / "a.png"], check=True)
        subprocess.run([*source, "-c:v", "libwebp_anim", self.folder / "a.webp"], check=True)
        measured = self.measure("a.png")
        self.assertEqual(measured.returncode, 2)
        self.assertIn(b'"a.png" is an animated PNG, of which GStreamer decodes only the first picture', measured.stderr)
        *results, mark = map(json.loads, (self.folder / "a.jsonl").read_text().splitlines())
        self.assertEqual((len(results), mark["event"]), (1, "incomplete"))
        (self.folder / "a.jsonl").unlink()
        self.check_failed(self.measure("a.webp"), '"a.webp" is an animated WebP, which GStreamer cannot decode.')

    def test_film_that_is_cut_off(self):
        path = films.get("long.mp4")
        subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", "-i", path, "-c", "copy", self.folder / "whole.mkv"],
                       check=True)
        cut = (self.folder / "whole.mkv").read_bytes()
        (self.folder / "cut.mkv").write_bytes(cut[:len(cut) // 4])
        (self.folder / "cut.mp4").write_bytes(path.read_bytes()[:100000])
        said = self.check_done(self.measure("cut.mkv"), status=1)
        self.assertRegex(said, r'"cut.mkv" is shorter than its header says: about 1[01]\d\d of its frames are missing\.')
        self.assertRegex(said, r"cut.mkv: \d+ of 1(500|499|501) frames")
        self.check_failed(self.measure("cut.mp4"), '"cut.mp4" cannot be decoded, it may be damaged or cut off: ')

    def measure_often(self, times, *arguments):
        def measure(index):
            return self.measure(*arguments, "-o", f"{index}.jsonl")

        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            return list(pool.map(measure, range(times)))

    def test_formats_that_gstreamer_does_not_know(self):
        """libav's decoder in GStreamer 1.22 does not check them either."""
        for name in ("gray10le", "yuv440p"):
            path = self.folder / f"{name}.mkv"
            subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=128x96:d=0.4",
                            "-pix_fmt", name, "-c:v", "ffv1", path], check=True)
            measured = self.measure(path)
            if name == "gray10le" and measured.returncode == 0:
                continue  # later versions support it
            self.check_failed(measured, f'{name}.mkv" has a pixel format of ')
            self.check_failed(measured, ' that GStreamer does not know. Convert it: ')
            advice = re.search("`(ffmpeg [^`]*)`", measured.stderr.decode())[1]
            advice = advice.replace("FILM", str(path)).replace("film.mkv", str(self.folder / "better.mkv")).split()
            subprocess.run([*advice, "-nostdin", "-y", "-v", "error"], check=True)
            self.check_done(self.measure("better.mkv", "-o", "better.jsonl"))
            self.check_failed(self.measure(films.get("vp9.webm"), "--reference", path), f'{name}.mkv" cannot be decoded: ')

    def test_codecs_that_decode_into_the_frame_before(self):
        """Each frame has its own timestamp, of the film and of a reference."""
        for codec, name in (("qtrle", "q.mov"), ("cinepak", "c.avi"), ("flashsv", "f.flv")):
            path = self.folder / name
            subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=64x48:d=1:r=25", "-c:v",
                            codec, path], check=True)
            said = self.check_done(self.measure(path, "--reference", path, "-s", "basic+comparison", "-o", "times.jsonl"))
            self.assertIn("25 frames, 1.00 s of film, in ", said)
            self.assertNotRegex(said, "cut off|shorter than its header says")
            results = read(self.folder / "times.jsonl")
            self.assertEqual([round(result["stream-time"] / 4e7, 2) for result in results], list(range(25)))
            self.assertEqual([result["components"]["R"]["reference"]["mse"] for result in results], [0] * 25)

    def test_error_before_it_is_connected(self):
        """A demuxer may finish a cut film before decodebin has connected it, about once in fifty times."""
        (self.folder / "cut.mp4").write_bytes(films.get("long.mp4").read_bytes()[:100000])
        for measured in self.measure_often(150, "cut.mp4"):
            self.check_failed(measured, '"cut.mp4" cannot be decoded, it may be damaged or cut off: ')
        for measured in self.measure_often(80, films.get("black.mp4"), "--reference", "cut.mp4"):
            self.check_failed(measured, 'The reference "cut.mp4" cannot be decoded: ')

    def make_film(self, name, seconds, more_seconds, *options, more="-f lavfi -i sine"):
        """Makes a film with another stream that is longer than its video."""
        path = self.folder / name
        subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", "-f", "lavfi", "-t", str(seconds), "-i", films.PATTERN,
                        "-t", str(more_seconds), *more.split(), *" ".join(options).split(), "-pix_fmt", "yuv420p", path],
                       check=True, cwd=self.folder)
        return path

    def test_whole_films_with_longer_streams(self):
        (self.folder / "words.srt").write_text("1\n00:00:01,000 --> 00:00:13,000\nwords\n")
        for name, seconds, more_seconds, options in (
                ("h264.mp4", 4, 6, "-c:v libx264 -preset ultrafast -c:a aac"),
                ("first.mov", 3, 14, "-map 1:a -map 0:v -c:v mpeg4 -c:a pcm_s16le"),
                ("fragments.mp4", 2, 14, "-c:v mpeg4 -c:a aac -movflags frag_keyframe+empty_moov"),
                ("vorbis.mkv", 2, 14, "-c:v mpeg4 -c:a libvorbis"),
                ("stream.ts", 2, 14, "-c:v libx264 -preset ultrafast -c:a aac"),
                ("words.mkv", 2, 20, "-c:v mpeg4 -c:s srt")):
            with self.subTest(name):
                more = "-i words.srt" if name == "words.mkv" else "-f lavfi -i sine"
                said = self.check_done(self.measure(self.make_film(name, seconds, more_seconds, options, more=more)))
                self.assertRegex(said, rf"{name}: {seconds * 25} frames, {seconds}\.0\d s of film, in ")
                self.assertNotRegex(said, "cut off|shorter than its header says")

    def test_whole_film_with_a_longer_video(self):
        """The end of that video is not read, and is unknown."""
        for name in ("two.mkv", "two.avi"):
            path = self.make_film(name, 2, 14, "-map 0 -map 1 -c:v mpeg4", more="-f lavfi -i " + films.PATTERN)
            said = self.check_done(self.measure(path))
            self.assertIn(f'{name}" has more than one video stream; the first is measured.', said)
            self.assertIn(f"{name}: 50 frames, ", said)
            self.assertNotRegex(said, "cut off|shorter than its header says")

    def test_film_with_sound_that_is_cut_off(self):
        path = self.make_film("whole.mkv", 20, 20, "-c:v mpeg4 -c:a libvorbis")
        whole = path.read_bytes()
        path.write_bytes(whole[:len(whole) // 4])
        said = self.check_done(self.measure(path), status=1)
        self.assertRegex(said, r'whole.mkv" is shorter than its header says: about [34]\d\d of its frames are missing\.')
        self.assertEqual(said.count("shorter than its header says"), 1)

    def test_parts_one_after_the_other(self):
        """Each part of such a film has its own pads, also for its sound."""
        parts = [self.make_film(f"{seconds}.ogv", seconds, seconds + 1, "-c:v libtheora -c:a libvorbis") for seconds in (1, 2)]
        (self.folder / "both.ogv").write_bytes(b"".join(part.read_bytes() for part in parts))
        self.assertIn("both.ogv: 75 frames, ", self.check_done(self.measure(self.folder / "both.ogv")))

    def test_length_that_nobody_knows(self):
        """A header in a pipe is written before the frames are counted."""
        command = ["ffmpeg", "-v", "error", "-f", "lavfi", "-t", "2", "-i", films.PATTERN, "-c:v", "mjpeg", "-f", "avi", "-"]
        film = subprocess.run(command, check=True, capture_output=True).stdout
        measured = self.measure("-", input=film)
        self.assertEqual((measured.returncode, measured.stdout.count(b"\n")), (0, 50))
        self.assertNotRegex(measured.stderr, b"cut off|shorter than its header says")

    def test_video_that_gstreamer_leaves_out(self):
        for name, options in (("short.mp4", "-c:v mpeg4 -c:a aac"),
                              ("first.mov", "-map 1:a -map 0:v -c:v mjpeg -c:a pcm_s16le")):
            with self.subTest(name):
                path = self.make_film(name, 2, 14, options, "-strict unofficial")
                self.check_failed(self.measure(path), f'GStreamer finds no video in "{path}", only ', "shorter than a fifth",
                                  "`ffmpeg -i FILM -an -c copy film.mkv`")
                subprocess.run(["ffmpeg", "-v", "error", "-y", "-i", path, "-an", "-c", "copy", self.folder / "film.mkv"],
                               check=True)
                self.assertIn(" 50 frames, 2.00 s of film", self.check_done(self.measure("film.mkv")))

    # ---- bytes, standard input and output

    def test_bytes(self):
        (self.folder / "noise.bin").write_bytes(bytes(range(256)) * 4000)
        said = self.check_done(self.measure("--bytes", "noise.bin"))
        result, = read(self.folder / "noise.jsonl")
        self.assertEqual(result["components"]["byte"]["histogram"], [4000] * 256)
        self.assertIn("noise.bin: 1024000 bytes in ", said)
        # Bytes of a file have no times, even if GStreamer's clock comes late.
        for _ in range(60):
            self.assertEqual(json.loads(self.measure("--bytes", "noise.bin", "-o", "-").stdout)["timestamp"], None)

    def test_standard_input(self):
        for name in ("stream.ts", "vp9.webm"):
            with open(films.get(name), "rb") as film:
                measured = self.measure("-", "-q", stdin=film)
            self.assertEqual((measured.returncode, measured.stderr), (0, b""))
            self.assertEqual(len(measured.stdout.splitlines()), 50)
        measured = self.measure("--bytes", "-", input=b"abc")
        self.assertEqual(json.loads(measured.stdout)["components"]["byte"]["sum"], sum(b"abc"))

    def test_fifos(self):
        for name in ("in", "out"):
            os.mkfifo(self.folder / name)
        with open(films.get("vp9.webm"), "rb") as film:
            writer = subprocess.Popen(["dd", f"of={self.folder / 'in'}", "status=none"], stdin=film)
        with open(self.folder / "read", "wb") as copy:
            reader = subprocess.Popen(["cat", self.folder / "out"], stdout=copy)
        self.check_done(self.measure("in", "-o", "out"))
        self.assertEqual((writer.wait(), reader.wait()), (0, 0))
        self.assertEqual(len(read(self.folder / "read")), 50)

    def test_closed_pipe(self):
        command = f"{COMMAND} measure {films.get('long.mp4')} -o - | head -n 1; exit ${{PIPESTATUS[0]}}"
        measured = subprocess.run(["bash", "-c", command], capture_output=True, env=films.make_environment())
        self.assertEqual(measured.stdout.count(b"\n"), 1)
        self.assertEqual(measured.returncode, 2)
        self.assertEqual(measured.stderr.decode(), 'cudahisto: Cannot write results to the sidecar file "-". '
                         "(Broken pipe)\n")

    def test_full_disk(self):
        self.check_failed(self.measure(films.get("h264.mp4"), "-o", "/dev/full"), "/dev/full", "No space left on device")

    # ---- where the results go

    def test_folder(self):
        (self.folder / "results").mkdir()
        for output in "results", "results/", "new/", "other/new/":  # a name that ends with / is created
            self.check_done(self.measure(films.get("h264.mp4"), films.get("vp9.webm"), "-o", output))
            self.assertEqual(sorted(os.listdir(self.folder / output)), ["h264.jsonl", "vp9.jsonl"])
        self.assertEqual(sorted(os.listdir(self.folder)), ["new", "other", "results"])

    def test_uri(self):
        self.check_done(self.measure(films.get("h264.mp4").as_uri()))
        self.assertEqual(os.listdir(self.folder), ["h264.jsonl"])
        self.check_failed(self.measure("gopher://host/"), '"gopher://host/" has no name', "--output FILE")

    def test_lines_have_the_films_name(self):
        """Only its file name: neither directories nor a URI's other parts."""
        film = films.get("h264.mp4")

        def inputs(where, *more, **options):
            self.check_done(self.measure(where, "-o", "x.jsonl", "-i", "1h", *more, **options))
            return [line.get("input") for line in read(self.folder / "x.jsonl")]

        self.assertEqual(inputs(film), ["h264.mp4"])
        self.assertEqual(inputs(film.as_uri()), ["h264.mp4"])
        self.assertEqual(inputs(film, "--set", "input-name=Reel 3"), ["Reel 3"])
        self.assertEqual(inputs("-", input=film.read_bytes()), [None])
        names = (b"caf\xe9 \xff.mp4", "Ünïcode 映画.mp4".encode())
        for name in names:
            shutil.copy(film, os.path.join(os.fsencode(self.folder), name))
            self.assertEqual(inputs(name), [name.decode(errors="replace")])
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), films.OneFilm) as server:
            server.film = film.read_bytes()
            threading.Thread(target=server.serve_forever, daemon=True).start()
            uri = f"http://user:secret@127.0.0.1:{server.server_port}/secret/shot%201.mp4;secret?secret#secret"
            self.assertEqual(inputs(uri), ["shot 1.mp4"])
            self.assertNotIn("secret", (self.folder / "x.jsonl").read_text())
            server.shutdown()

    def test_passwords_are_not_shown(self):
        film = films.get("h264.mp4")
        for password in "secret", "sec@ret", "s:ecret":
            uri = f"http://user:{password}@127.0.0.1:1/film.mp4"
            for arguments in (uri,), (uri.removesuffix("film.mp4"),), (film, "-r", uri, "-o", "-"):
                measured = self.measure(*arguments)
                self.assertEqual(measured.returncode, 2)
                self.assertIn(b"http://user@127.0.0.1:1/", measured.stderr)
                self.assertNotIn(b"ret", measured.stderr)

    def test_secrets_are_neither_logged_nor_in_results(self):
        """Passwords, and the query, which may have a token, of files that can be read, are missing, are refused or are not
        films."""
        film = films.get("h264.mp4")

        class Server(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                status = {"/refused": 401, "/missing": 404, "/moved": 302, "/broken": 500}.get(self.path.split("?")[0], 200)
                self.send_response(status)
                self.send_header("Location", "http://user:secret@127.0.0.1:1/film?token=secret")
                self.end_headers()
                self.wfile.write(film.read_bytes()[:20000] if "cut" in self.path else b"no film")

            def log_message(self, *arguments):
                pass

        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            for path in "refused", "missing", "moved", "broken", "text", "cut":
                uri = f"http://user:secret@127.0.0.1:{server.server_port}/{path}?token=secret#secret"
                for arguments in (uri,), (uri, uri, "-o", "x.jsonl"), (film, "-r", uri):
                    for old in self.folder.glob("*.jsonl"):
                        old.unlink()
                    measured = self.measure(*arguments, env={"GST_DEBUG": "cudahisto*:9", "GST_DEBUG_NO_COLOR": "1"})
                    self.assertNotIn(b"secret", measured.stderr + measured.stdout, arguments)
                    if "-o" not in arguments:
                        self.assertIn(b"http://user@127.0.0.1", measured.stderr, arguments)
                        self.assertIn(b"DEBUG" if film in arguments else b"INFO", measured.stderr)
                    for lines in self.folder.glob("*.jsonl"):
                        self.assertNotIn("secret", lines.read_text())
            server.shutdown()

    def test_file_is_not_overwritten(self):
        (self.folder / "h264.jsonl").write_text("notes\n")
        refused = self.measure(films.get("h264.mp4"))
        self.check_failed(refused, '"h264.jsonl" exists and was changed, or was not written by')
        self.check_failed(refused, "Use another --output, or --force.")
        self.assertEqual((self.folder / "h264.jsonl").read_text(), "notes\n")

    def test_edited_file_is_not_overwritten(self):
        """Files with notes between the lines or after them, and sums, are kept; unchanged own files are overwritten every
        time."""
        film, path = films.get("h264.mp4"), self.folder / "h264.jsonl"
        for _ in range(3):
            self.assertEqual(self.measure(film).returncode, 0)
        whole = path.read_text()
        lines = whole.splitlines(keepends=True)
        for edited in (whole + "my notes\n", whole + "notes", "".join([lines[0], "\n", *lines[1:]]),
                       whole + lines[0][:-40] + "\n",
                       "".join([lines[0], "# here it begins\n", *lines[1:]]),
                       lines[0].replace('{"cudahisto":1,', '{"cudahisto":1, ')):
            for mark, words in (None, "was changed"), (b"measure unfinished", "is not a sidecar"):
                path.unlink(missing_ok=True)  # also removes the mark, like an editor that writes a new file
                path.write_text(edited)
                if mark is not None:
                    os.setxattr(path, MARK, mark)
                self.check_failed(self.measure(film), '"h264.jsonl" ', words)
                self.assertEqual(path.read_text(), edited)
            path.write_text(edited)
            self.assertEqual(self.measure(film, "--force").returncode, 0)
            self.assertEqual(len(path.read_text().splitlines()), len(lines))
        for torn in (whole[:-1], whole[:-20], whole + '{"cudahi', whole + "\0" * 100, ""):
            path.unlink()
            path.write_text(torn)
            os.setxattr(path, MARK, b"measure unfinished")
            self.assertEqual(self.measure(film).returncode, 0)
        self.check_failed(self.measure(film, "-o", film, "--force"), "is an input")

    def test_edit_within_a_line(self):
        """It keeps the lines' form but invalidates the mark; an editor that writes a new file drops the mark."""
        film, path = films.get("h264.mp4"), self.folder / "h264.jsonl"
        self.check_done(self.measure(film))
        whole = path.read_text()
        edited = whole.replace('"mean":', '"mean":1', 1)
        for _ in range(2):  # what --force has written is marked, too
            path.write_text(edited)
            self.check_failed(self.measure(film), '"h264.jsonl" exists and was changed', "--force")
            self.assertEqual(path.read_text(), edited)
            self.check_done(self.measure(film, "--force"))
            self.check_done(self.measure(film))
        path.unlink()
        path.write_text(edited)
        self.check_failed(self.measure(film), '"h264.jsonl" exists and was changed', "--force")
        self.assertEqual(path.read_text(), edited)
        self.check_done(self.measure(film, "--set=sidecar-mode=append"))  # which neither destroys nor repairs anything
        self.check_failed(self.measure(film), "exists and was changed")
        self.check_failed(self.measure("no-such.mp4", "-o", path), "exists and was changed")
        self.check_done(self.measure(film, "--force"))
        self.check_done(self.measure(film, "--set=sidecar-mode=append"))
        self.check_failed(self.measure("no-such.mp4", "--set=sidecar-mode=append", "-o", path))
        self.assertEqual(len(os.listxattr(path)), 1)
        self.check_done(self.measure(film))
        subprocess.run([COMMAND, "merge", "-i", "1s", path, "-o", self.folder / "sum.jsonl"], check=True)
        self.check_failed(self.measure(film, "-o", "sum.jsonl"), "was not written by `cudahisto measure`")

    def test_edit_of_a_large_file(self):
        """An edit in the middle, which the digest does not cover; an unchanged file is overwritten."""
        path = self.folder / "bytes.jsonl"
        arguments = ("--bytes", "-", "-o", path, "--set=window=bytes", "--set=window-size=512")
        for _ in range(2):
            self.check_done(self.measure(*arguments, input=os.urandom(9_000_000)))
        middle = path.stat().st_size // 2
        self.assertGreater(middle, 8 << 20)
        with path.open("r+b") as file:
            file.seek(middle)
            at = middle + re.search(rb"[0-9]", file.read(10000)).start()
            file.seek(at)
            digit = file.read(1)
            file.seek(at)
            file.write(b"1" if digit != b"1" else b"2")
        self.check_failed(self.measure(*arguments, input=b"new"), "exists and was changed")
        self.check_done(self.measure(*arguments, "--force", input=b"new"))

    def test_mark_of_what_was_not_finished(self):
        """A file ended by a signal is marked; after a kill it is unfinished; a file that the element alone wrote has no
        mark."""
        path = self.folder / "film.jsonl"
        command = (COMMAND, "measure", "--bytes", "--set=window=bytes", "--set=window-size=4096", "-", "-o", path)
        for number, word in ((signal.SIGINT, b"measure sha256:"), (signal.SIGKILL, b"measure unfinished")):
            for _ in range(2):
                with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE,
                                      env=films.make_environment()) as measuring:
                    measuring.stdin.write(bytes(50000))
                    measuring.stdin.flush()
                    while not (path.exists() and os.listxattr(path)
                               and os.getxattr(path, MARK) == b"measure unfinished"):
                        self.assertIsNone(measuring.poll(), "it has not begun to write")
                        time.sleep(0.02)
                    measuring.send_signal(number)
                    measuring.communicate()
                self.assertEqual(measuring.returncode, -number)
                self.assertTrue(os.getxattr(path, MARK).startswith(word))
        self.check_done(self.measure(films.get("h264.mp4"), "-o", path))
        subprocess.run(["gst-launch-1.0", "-q", "fakesrc", "num-buffers=1", "sizetype=fixed", "!", "cudahisto",
                        "post-messages=false", f"sidecar-location={path}", "!", "fakesink"], check=True)
        self.assertEqual(os.listxattr(path), [])
        self.check_failed(self.measure(films.get("h264.mp4"), "-o", path), "was not written by `cudahisto measure`")
        self.check_done(self.measure(films.get("h264.mp4"), "-o", path, "--force"))

    def test_force_destroys_nothing_else(self):
        """Neither the output of a film that cannot be measured, nor an input."""
        film, notes = self.folder / "film.mkv", self.folder / "notes.txt"
        shutil.copy(films.get("h264.mp4"), film)
        notes.write_text("precious\n")
        for bad in "no-such.mp4", "notes.mp4", "no/%d.png":
            (self.folder / "notes.mp4").write_text("no film")
            self.check_failed(self.measure(bad, "--force", "-o", "notes.txt"))
            self.assertEqual(notes.read_text(), "precious\n", bad)
        subprocess.run(["ffmpeg", "-v", "error", "-i", film, "-frames:v", "3", self.folder / "s.%d.png"], check=True)
        (self.folder / "pictures").mkdir()
        for picture in self.folder.glob("s.*.png"):
            (self.folder / "pictures" / picture.name).hardlink_to(picture)
        (self.folder / "link.txt").symlink_to("pictures/s.2.png")
        (self.folder / "weights").write_text("1 2 3\n")
        for arguments, out in ((("s.%d.png", "-f", "24"), "s.1.png"), (("s.%d.png", "-f", "24"), "link.txt"),
                               (("pictures", "-f", "24"), "pictures/s.3.png"), ((film, "-r", "s.1.png"), "s.1.png"),
                               ((film, "--set=reference-location=s.2.png"), "link.txt"),
                               ((film, f"--set=reference-location={(self.folder / 's.2.png').as_uri()}"), "link.txt"),
                               ((film, "--set=row-weights-location=weights"), "weights")):
            before = (self.folder / out).read_bytes()
            self.check_failed(self.measure(*arguments, "--force", "-o", out), f'"{out}" is an input')
            self.assertEqual((self.folder / out).read_bytes(), before, arguments)
        self.check_done(self.measure("s.%d.png", "-f", "24", "--force", "-o", "notes.txt"))
        self.assertEqual(len(read(notes)), 3)

    def test_standard_output_is_the_input(self):
        film = self.folder / "film.mkv"
        shutil.copy(films.get("h264.mp4"), film)
        with film.open("r+b") as out:
            measured = subprocess.run([COMMAND, "measure", film, "-o", "-"], stdout=out, stderr=subprocess.PIPE, timeout=300,
                                      env=films.make_environment(), check=False)
        self.check_failed(measured, "standard output is an input: name another file with --output.")
        self.assertEqual(film.read_bytes(), films.get("h264.mp4").read_bytes())

    def test_file_that_is_gone(self):
        new = self.folder / "new"
        for words, happen in (("disappeared while it was written", lambda path: path.unlink()),
                              ("disappeared while it was written", lambda path: path.rename(path.with_suffix(".old"))),
                              ("was replaced while it was written", lambda path: (new.write_text("mine"), new.replace(path)))):
            path = self.folder / "gone.jsonl"
            command = (COMMAND, "measure", "--bytes", "--set=window=bytes", "--set=window-size=4096", "-", "-o", path)
            with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, env=films.make_environment()) as done:
                done.stdin.write(bytes(50000))
                done.stdin.flush()
                while not (path.exists() and path.stat().st_size > 0
                           and list_open_files(done.pid).count(str(path)) > 1):
                    self.assertIsNone(done.poll())
                    time.sleep(0.02)
                happen(path)
                self.assertIn(words, done.communicate(bytes(50000))[1].decode())
            self.assertEqual(done.returncode, 2)
            path.unlink(missing_ok=True)

    def test_file_is_not_its_own(self):
        self.check_done(self.measure(films.get("h264.mp4")))
        before = (self.folder / "h264.jsonl").read_bytes()
        self.check_failed(self.measure("--bytes", "h264.jsonl"), "is the file that the source reads")
        self.assertEqual((self.folder / "h264.jsonl").read_bytes(), before)

    def test_places_that_cannot_be(self):
        film = films.get("h264.mp4")
        (self.folder / "notes").write_text("")
        self.check_failed(self.measure(film, "-o", "notes/results/"), 'cannot create the folder "notes/results/"',
                          "Not a directory")
        (self.folder / "notes").unlink()
        self.check_failed(self.measure(film, "-o", "nowhere/a.jsonl"), "nowhere/a.jsonl", "No such file or directory")
        self.check_failed(self.measure(film, film, "-o", "a.jsonl"), "several films")
        self.check_failed(self.measure(film, film), "would both be in h264.jsonl")
        self.assertEqual(os.listdir(self.folder), [])

    # ---- several

    def test_one_of_several_fails(self):
        measured = self.measure(films.get("h264.mp4"), "nothing.mp4", films.get("vp9.webm"))
        self.assertEqual(measured.returncode, 2)
        self.assertEqual(sorted(os.listdir(self.folder)), ["h264.jsonl", "vp9.jsonl"])
        self.assertIn(b'cudahisto: there is no file "nothing.mp4".\n', measured.stderr)

    # ---- options

    def test_options(self):
        self.check_done(self.measure(films.get("h264.mp4"), "-i", "500ms", "-s", "basic,hue", "--statistics=basic+saturation",
                                     "--set", "sidecar-arrays=none", "-b", "reference", "--bins", "native"))
        results = read(self.folder / "h264.jsonl")
        self.assertEqual([result["frames"] for result in results], [13, 13, 13, 11])  # frames of 40 ms
        self.assertIn("saturation", results[0])
        self.assertNotIn("hue", results[0])
        self.assertNotIn("histogram", results[0]["components"]["Y"])
        self.assertEqual(results[0]["backend"], "reference")

    def test_arrays(self):
        """Requested arrays are written, unless an option omits them: then a warning names the option's value."""
        for name in "waveform", "vectorscope", "row-sums", "column-sums":
            with self.subTest(name):
                for options, is_there in ((), True), (("--set=sidecar-arrays=none",), False):
                    measured = self.measure(films.get("h264.mp4"), "-i", "10s", "-s", f"basic+{name}", *options)
                    result, = read(self.folder / "h264.jsonl")
                    self.assertEqual(name in result or name in result["components"]["Y"], is_there)
                    self.assertEqual(b"sidecar-arrays=all" in measured.stderr, not is_there, measured.stderr)

    def test_reference(self):
        self.check_done(self.measure(films.get("h264.mp4"), "-r", films.get("vp9.webm")))
        self.assertTrue(all("psnr" in result["components"]["Y"]["reference"]
                            for result in read(self.folder / "h264.jsonl")))

    def test_events(self):
        self.check_done(self.measure(films.get("black.mp4"), "-e", "black+freeze", "--set", "black-min-duration=500000000"))
        begun, over = (line for line in read(self.folder / "black.jsonl") if "event" in line)
        self.assertEqual((begun["event"], over["event"], over["start"]), ("black", "black", 0))

    def test_wrong_options(self):
        film = films.get("h264.mp4")
        for arguments, words in (
                (["-s", "basic+hues"], ['there is no "hues". Use one of histogram, ', "signalstats"]),
                (["-e", ""], ['there is no "". Use one of black, freeze, scene-change, clipped']),
                (["-b", "gpu"], ['--backend: there is no "gpu". Use one of auto, ']),
                (["--bins", "1"], ['--bins: there is no "1". Use one of 256, native.']),
                (["-i", "5x"], ['"5x" is not a time', "500ms"]),
                (["-i", "-1"], ['"-1" is not a time']),
                (["-i", "nan"], ['"nan" is not a time']),
                (["-i", "0x10"], ['"0x10" is not a time']),
                (["-i", "1e30"], ['"1e30" is not a time']),
                (["--set", "interval"], ['"interval" has no "="']),
                (["--set", "intervall=1"], ['no writable property "intervall"']),
                (["--set", "stats=1"], ['no writable property "stats"']),
                (["--set", "sidecar-arrays=bins"], ['there is no "bins". Use one of none, histograms, all.']),
                (["--set", "sidecar-arrays=array"], ["The value array of sidecar-arrays no longer exists"]),
                (["--set", "pull=NEVER"], ["The property pull no longer exists"]),
                (["--set", "message-bins="], ["The property message-bins no longer exists"]),
                (["--set", "", "-r", film, "--reference-offset=0"], ['"" has no "="']),
                (["--set", "black-ratio=2"], ['"2" is not a number from 0 to 1']),
                (["--set", "threads=-1"], ['"-1" is not a whole number from 0 to ']),
                (["--set", "sidecar-location=x"], ["sidecar-location cannot be set"]),
                (["--set", "regions=1,2"], ["regions"]),
                (["--frames"], ["unknown option --frames", "--help"]),
                (["-o"], ["-o"])):
            with self.subTest(arguments):
                self.check_failed(self.measure(film, *arguments), *words)
        self.check_failed(self.measure(), "name a film")
        self.assertEqual(os.listdir(self.folder), [])

    # ---- what cannot be measured

    def test_what_is_no_film(self):
        (self.folder / "empty.mp4").touch()
        (self.folder / "noise.mp4").write_bytes(bytes(range(7, 256)) * 1000)
        (self.folder / "text.txt").write_text("a text\n" * 1000)
        (self.folder / "folder").mkdir()
        for where, words in (
                ("nothing.mp4", ['there is no file "nothing.mp4"']),
                ("empty.mp4", ['"empty.mp4" is empty']),
                ("noise.mp4", ['"noise.mp4" has a type that GStreamer does not know', "--bytes"]),
                ("text.txt", ['"text.txt"', "--bytes"]),
                ("folder", ['"folder" is a folder']),
                ("file:///nowhere/a.mp4", ['there is no file "file:///nowhere/a.mp4"']),
                ("gopher://host/a.mp4", ['"gopher://host/a.mp4" needs a plugin that is not installed: GOPHER protocol source']),
                ("testbin://", ['"testbin://"']),
                ("http://127.0.0.1:1/a.mp4", ['"http://127.0.0.1:1/a.mp4" cannot be read'])):
            with self.subTest(where):
                self.check_failed(self.measure(where, "-o", "out.jsonl"), *words)
        self.check_failed(self.measure(films.get("h264.mp4"), "-r", "testbin://"), "testbin://")
        self.check_failed(self.measure(films.get("only-sound.m4a")), "has no video, only MPEG-4 AAC", "--bytes")

    def test_unreadable(self):
        path = self.folder / "secret.mp4"
        path.write_bytes(b"x")
        path.chmod(0)
        self.folder.chmod(0o755)
        command = [COMMAND, "measure", path]
        if os.geteuid() == 0:
            command = ["setpriv", "--reuid=65534", "--clear-groups", "--bounding-set=-all", "--inh-caps=-all", *command]
        self.check_failed(subprocess.run(command, capture_output=True, cwd="/", env=films.make_environment(HOME="/nowhere")),
                          'secret.mp4" cannot be read: Permission denied.')

    def test_missing_plugins(self):
        for film, left_out, words in (
                ("h264.mp4", H264_DECODERS, ["H.264", "decoder (Debian package gstreamer1.0-libav)"]),
                ("stream.ts", ["h264parse"], ["H.264 decoder (Debian package gstreamer1.0-plugins-bad)"]),
                ("h264.mp4", ["qtdemux"], ["Quicktime demuxer (Debian package gstreamer1.0-plugins-good)"]),
                ("stream.ts", ["tsdemux"], ["Transport Stream demuxer (Debian package gstreamer1.0-plugins-bad)"]),
                ("h265.mkv", ["matroskademux"], ["Matroska demuxer (Debian package gstreamer1.0-plugins-good)"])):
            with self.subTest(film=film, left_out=left_out):
                ranks = ",".join(f"{name}:NONE" for name in left_out)
                self.check_failed(self.measure(films.get(film), env={"GST_PLUGIN_FEATURE_RANK": ranks}),
                                  "needs a plugin that is not installed: ", *words)
        ranks = "avdec_aac:NONE,faad:NONE,fdkaacdec:NONE"  # the sound is not needed
        self.check_done(self.measure(films.get("sound.mp4"), env={"GST_PLUGIN_FEATURE_RANK": ranks}))

    def test_names(self):
        for name in (b"caf\xe9.mp4", "Ünïcode – 映画.mp4".encode(), b"\x1b[31m\x1b]0;x\x07\n.mp4", b"a:b.mp4", b"-q.mp4", b".mp4",
                     b"a%20b?c#d.mp4"):
            with self.subTest(name):
                path = os.path.join(os.fsencode(self.folder), name)
                shutil.copy(films.get("h264.mp4"), path)
                said = self.check_done(self.measure("--", name))
                self.assertTrue(all(line.isprintable() for line in said.split("\n")), said)
                self.assertEqual(said.count("\n"), 2)
                self.assertEqual(len(read((os.path.splitext(path)[0]) + b".jsonl")), 50)

    # ---- the plugin

    def test_plugin_is_found_beside_the_command(self):
        registry = {"GST_REGISTRY": str(self.folder / "registry.bin")}
        self.check_done(self.measure(films.get("h264.mp4"), env=registry))
        alone = self.folder / "folder" / "cudahisto"
        alone.parent.mkdir()
        libraries = ":".join(str(COMMAND.parents[1] / name) for name in ("library", "kernels"))
        shutil.copy(COMMAND, alone)
        measured = subprocess.run([alone, "measure", films.get("h264.mp4")], capture_output=True, cwd=self.folder,
                                  env=films.make_environment(**registry, GST_PLUGIN_SYSTEM_PATH=str(self.folder),
                                                             LD_LIBRARY_PATH=libraries))
        self.check_failed(measured, "GStreamer has no element cudahisto", "gstreamer1.0-cudahisto")


unittest.main()
