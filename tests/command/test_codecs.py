# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""test_codecs.py COMMAND: `cudahisto measure` agrees with ffprobe on the number, the times, the bit depth and the chroma of all
frames, for every video encoder of this FFmpeg in every container that it supports, or reports the difference."""
import concurrent.futures
import itertools
import json
import re
import subprocess
import unittest

import codecfilms
import films
from lines import COMMAND, FolderTest, complain, cudahisto, read

PROCESSES = 8       # that measure at once; films at which GStreamer hangs only wait for their time-out
TOLERANCE = 0.0011  # seconds: some containers round to milliseconds
# Containers with absolute times. In others, GStreamer's stream time begins with the first frame.
WITH_START = {"matroska", "webm", "mov", "mp4", "3gp", "3g2", "flv"}

# Differences by encoder and muxer, the words of measure's report (None if nothing is lost), and their causes.
KNOWN = [
    (r"h263", r"h263", None, "the raw stream has no times: both assume 29.97 frames/s, FFmpeg not for the first frame"),
    (r"png|libopenjpeg", r"mov ya8", None, "decoded to RGB, in which grey stands three times"),
    (r"png", r"mov monob", None, "bits are decoded to bytes"),
    (r"libx264.*|mpeg2video", r"wtv", r"damaged", "GStreamer's WTV demuxer gives out packets that are no whole frames"),
]
TIMES = r"has no presentation times from frame"
DAMAGE = r"damaged|cut off|of \d+ frames|where another film begins"
FORMATS = r"which GStreamer's \w+ decodes to"


def list_faults(path, times, pix_fmt, kinds):
    """Lists differences of the results from ffprobe; None: there are no results."""
    if not path.exists():
        return None
    results = [line for line in read(path) if "event" not in line]
    faults = []
    measured = [result["stream-time"] for result in results]
    if len(measured) != len(times):
        faults.append(f"frames: {len(measured)}, not {len(times)}")
    elif None in measured:
        faults.append("times: unknown")
    else:
        start = (0, 0) if path.name.split(".")[1] in WITH_START else (measured[0] / 1e9, times[0])
        if any(abs(time / 1e9 - start[0] - wanted + start[1]) > TOLERANCE for time, wanted in zip(measured, times)):
            faults.append(f"times: {[round(time / 1e9, 3) for time in measured]}, not {times}")
    chroma, depth = kinds[pix_fmt]
    found = (codecfilms.describe_chroma(results[0]["format"]), results[0]["depth"])
    if found != (chroma, depth) and (chroma, found[0]) != ("rgb", "rgb") or found[1] < depth:
        faults.append(f"format: {results[0]['format']}, not {pix_fmt}")
    return faults


def is_reported(fault, said):
    frames = r"damaged|cut off|shorter than its header says|was measured in part"
    words = {"times": TIMES, "format": FORMATS, "frames": frames}[fault.split(":")[0]]
    return re.search(words, said) is not None


class Codecs(FolderTest):
    def measure(self, paths):
        """Returns the messages about each film."""
        ran = subprocess.run([COMMAND, "measure", "--backend=cpu", "--set=sidecar-arrays=none", "--timeout=5", "-o",
                              f"{self.folder}/results/", *paths], capture_output=True, text=True, errors="replace",
                             timeout=600, cwd=self.folder, env=films.make_environment())
        self.assertIn(ran.returncode, (0, 1, 2), ran.stderr[-2000:])
        return {path: [line for line in ran.stderr.splitlines() if str(path) in line] for path in paths}

    def check(self, key, film, said, kinds):
        """The kind of the outcome, and a fault that nothing reports, or None."""
        path, times, pix_fmt = film
        text = "\n".join(said)
        faults = list_faults(self.folder / "results" / (path.stem + ".jsonl"), times, pix_fmt, kinds)
        if faults is None:
            return "not decoded", None if text.startswith("cudahisto: ") else "no result and no error"
        for encoder, muxer, words, _ in KNOWN:
            if re.fullmatch(encoder, key[0]) and re.fullmatch(muxer, key[1]):
                return "known", None if words is None or re.search(words, text) else f"not reported: {faults}: {text}"
        if not faults and re.search(DAMAGE, text):
            return "wrong", "a sound film is damaged: " + text
        silent = [fault for fault in faults if not is_reported(fault, text)]
        if silent:
            return "wrong", "; ".join(silent) + " " + text
        return ("reported" if faults else "same"), None

    def test_every_codec_in_every_container(self):
        made = codecfilms.make_all(self.folder)
        self.assertGreater(len(made), 300)
        kinds = codecfilms.list_formats()
        keys = list(made)
        table, wrong = {}, []
        parts = [[made[key][0] for key in keys[first::PROCESSES]] for first in range(PROCESSES)]
        with concurrent.futures.ThreadPoolExecutor(PROCESSES) as pool:
            said = {path: lines for part in pool.map(self.measure, parts) for path, lines in part.items()}
        for key in keys:
            outcome, fault = self.check(key, made[key], said[made[key][0]], kinds)
            table.setdefault(key[0], {}).setdefault(outcome, []).append(key[1])
            wrong += [f"{' '.join(key)}: {fault}"] if fault else []
        for encoder, outcomes in table.items():
            print(encoder, *(f"{outcome}: {', '.join(muxers)}" for outcome, muxers in sorted(outcomes.items())), sep="\n    ")
        self.assertEqual(wrong, [], "\n".join(wrong))

    def make(self, name, *options):
        subprocess.run([*codecfilms.FFMPEG, "-f", "lavfi", "-i", "testsrc2=size=64x48:rate=25", "-frames:v", "25", *options,
                        self.folder / name], check=True)
        return self.folder / name

    def run_measure(self, *arguments, **options):
        """Returns the messages about a measured film."""
        return subprocess.run([COMMAND, "measure", *arguments], capture_output=True, check=True, cwd=self.folder, timeout=60,
                              env=films.make_environment(), **options).stderr.decode()

    def test_decoder_that_keeps_the_format(self):
        formats = {"yuvj422p": "Y42B", "yuvj444p": "Y444", "yuvj420p": "I420"}
        for muxer, pix_fmt in itertools.product(("avi", "mkv", "nut", "mov", "mp4"), formats):
            with self.subTest(muxer=muxer, pix_fmt=pix_fmt):
                path = self.make(f"{muxer}-{pix_fmt}.{muxer}", "-c:v", "mjpeg", "-pix_fmt", pix_fmt)
                said = "".join(self.measure([path])[path])
                self.assertNotIn("decodes to", said)
                self.assertNotIn("CRITICAL", said)
                self.assertEqual([result["format"] for result in read(self.folder / "results" / f"{path.stem}.jsonl")],
                                 [formats[pix_fmt]] * 25)
        piped = self.run_measure("-", "-o", "piped.jsonl", input=(self.folder / "avi-yuvj422p.avi").read_bytes())
        self.assertIn('"standard input" has frames of 4:2:2, 8 bits, which GStreamer\'s jpegdec decodes to 4:2:0, 8 bits; in '
                      "a file, another decoder would keep them.\n", piped)

    def test_two_streams_that_change_decoders(self):
        path = self.make("two.avi", "-map", "0", "-map", "0", "-c:v", "mjpeg", "-pix_fmt", "yuvj422p")
        self.run_measure(path)
        self.assertEqual([result["format"] for result in read(self.folder / "two.jsonl")], ["Y42B"] * 25)

    def test_decoder_that_fails(self):
        """openjpegdec mistakes JPEG 2000 with subsampled chroma in QuickTime for RGB."""
        path = self.make("film.mov", "-c:v", "jpeg2000", "-pix_fmt", "yuv420p")
        self.assertNotIn("cudahisto: ", self.run_measure(path, "--reference", path))
        results = read(self.folder / "film.jsonl")
        self.assertEqual([(result["format"], result["components"]["Y"]["reference"]["mse"]) for result in results],
                         [("I420", 0)] * 25)

    def test_edit_decision_list_of_avi_with_b_frames(self):
        self.make("film.avi", "-vf", "negate=enable='gte(n,13)'", "-c:v", "mpeg4", "-bf", "2", "-g", "8")
        self.assertIn('"film.avi" has no presentation times from frame ', self.run_measure("film.avi", "--events=scene-change"))
        listed = cudahisto("events", "--format=edl", self.folder / "film.jsonl", status=1)
        self.assertIn("00:00:00:00 00:00:00:13", listed)
        self.assertIn("00:00:00:13 00:00:01:00", listed)
        clocks = [result.get("reference-clock") for result in read(self.folder / "film.jsonl") if "event" not in result]
        self.assertEqual(clocks[0], None)
        self.assertEqual(clocks[-1], "timestamp/x-before-derivation")

    def test_time_codes_of_containers(self):
        """Stream time begins differently in each of them. FFmpeg counts from the first frame."""
        for options in (["film.mp4"], ["film.mkv"], ["film.ts"], ["-muxdelay", "2", "late.ts"], ["film.mpg"], ["film.mov"],
                        ["film.avi"]):
            with self.subTest(options=options):
                codec = ["-c:v", "mpeg2video" if options[-1].endswith("mpg") else "libx264", "-bf", "2"]
                path = self.make(options[-1], "-vf", "scale=320:240,drawbox=t=fill:c=black:enable='gte(n,13)'", *codec,
                                 *options[:-1])
                self.run_measure(path, "--events=black", "--set=black-min-duration=0", "--force", "-o", "film.jsonl")
                found = json.loads(cudahisto("events", "--format=json", self.folder / "film.jsonl", status=1))
                self.assertEqual([(event["frame"], event["start-timecode"]) for event in found], [(13, "00:00:00:13")])
                said = subprocess.run(["ffmpeg", "-nostdin", "-i", path, "-vf", "blackdetect=d=0.1", "-f", "null", "-"],
                                      capture_output=True, text=True).stderr
                if not options[-1].endswith("avi"):  # FFmpeg's frames are later there, by the delay of B-frames
                    self.assertAlmostEqual(float(re.search(r"black_start:([\d.]+)", said)[1]), 0.52, delta=TOLERANCE)

    def test_avi_that_counts_two_ticks_a_frame(self):
        """FFmpeg writes such a rate when it copies H.264 with B-frames."""
        self.make("film.mp4", "-vf", "negate=enable='gte(n,13)'", "-c:v", "libx264", "-bf", "2", "-g", "10")
        subprocess.run([*codecfilms.FFMPEG, "-i", self.folder / "film.mp4", "-c", "copy", self.folder / "film.avi"], check=True)
        self.run_measure("film.avi", "--events=scene-change", "--reference=film.avi")
        results = [line for line in read(self.folder / "film.jsonl") if "event" not in line]
        self.assertEqual([result["stream-time"] for result in results], [number * 40_000_000 for number in range(25)])
        self.assertEqual([result["components"]["Y"]["reference"]["mse"] for result in results], [0] * 25)
        listed = cudahisto("events", "--format=edl", self.folder / "film.jsonl", status=1)
        self.assertIn("00:00:00:00 00:00:00:13", listed)
        self.assertIn("00:00:00:13 00:00:01:00", listed)

    def test_edit_that_begins_within_a_frame(self):
        self.make("film.mp4", "-frames:v", "50", "-c:v", "libx264", "-bf", "2", "-g", "10")
        for start, rest in ("0.94", 20), ("0.92", 0):
            with self.subTest(start=start):
                subprocess.run([*codecfilms.FFMPEG, "-ss", start, "-i", self.folder / "film.mp4", "-c", "copy",
                                self.folder / "cut.mp4"], check=True)
                said = self.run_measure("cut.mp4", "--force")
                probed = codecfilms.probe(self.folder / "cut.mp4")[0]
                results = read(self.folder / "cut.jsonl")
                self.assertEqual(len(results) - len(probed), 1 if rest else 0)
                self.assertEqual(f'"cut.mp4" begins within a frame: frame 0 is its last {rest:.3f} ms. FFmpeg drops this '
                                 "frame: its frame 0 is frame 1 here.\n" in said, rest > 0, said)

    def test_edit_that_skips_more_than_it_lasts(self):
        """GStreamer's qtdemux stops at a key frame that is later in the media than the edit is long, and its duration is too
        short. `measure` corrects the duration."""
        self.make("film.mp4", "-c:v", "libx264", "-bf", "2", "-g", "10")
        for start, count in ("0.60", 10), ("0.68", 8):
            with self.subTest(start=start):
                subprocess.run([*codecfilms.FFMPEG, "-ss", start, "-i", self.folder / "film.mp4", "-c", "copy",
                                self.folder / "cut.mp4"], check=True)
                self.assertIn(f"{count} frames, ", self.run_measure("cut.mp4", "--force"))
                self.assertEqual(len(codecfilms.probe(self.folder / "cut.mp4")[0]), count)
                self.assertEqual(len(read(self.folder / "cut.jsonl")), count)

    def test_times_that_a_decoder_guesses(self):
        """In MPEG-PS some packets have no time, and the decoder guesses one that skips frames, before a time goes back."""
        path = self.make("film.mpg", "-vf", "scale=160:120", "-frames:v", "50", "-c:v", "mpeg2video", "-bf", "2")
        said = self.run_measure(path)
        self.assertIn("50 frames, ", said)
        times = [result["timestamp"] for result in read(self.folder / "film.jsonl")]
        self.assertEqual([time - times[0] for time in times], [number * 40_000_000 for number in range(50)])

    def test_times_that_are_unknown(self):
        path = self.make("film.mjpg", "-c:v", "mjpeg", "-f", "mjpeg", "-pix_fmt", "yuvj420p")
        self.assertIn("and no constant frame rate: times from there on are unreliable.\n", self.run_measure(path))
        self.assertIn("no frame rate", complain("events", "--format=edl", self.folder / "film.jsonl"))


unittest.main()
