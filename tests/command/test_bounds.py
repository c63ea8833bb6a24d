# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""test_bounds.py COMMAND: `cudahisto measure` reports films that are cut off, or joined to another film, according to their
container."""
import struct
import subprocess
import unittest

import films
from lines import COMMAND, FolderTest, read

FRAMES = 25


class Bounds(FolderTest):
    def make(self, name, *options, pattern="testsrc2=size=64x48:rate=25:duration=1"):
        path = self.folder / name
        subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", "-f", "lavfi", "-i", pattern, *options, path], check=True)
        return path.read_bytes()

    def measure(self, *parts, name):
        """Exit status, messages, the event `damaged` or None, and the number of results."""
        path, lines = self.folder / name, self.folder / "results.jsonl"
        path.write_bytes(b"".join(parts))
        lines.unlink(missing_ok=True)
        done = subprocess.run([COMMAND, "measure", path, "-o", lines], capture_output=True, timeout=60,
                              env=films.make_environment(), check=False)
        found = read(lines) if lines.exists() else []
        events = [line for line in found if line.get("event") == "damaged"]
        self.assertLess(len(events), 2)
        return (done.returncode, done.stderr.decode(), events[0] if events else None,
                sum(1 for line in found if "frame" in line and "event" not in line))

    def check_sound(self, *parts, name, frames):
        status, said, event, results = self.measure(*parts, name=name)
        self.assertEqual((status, event, results), (0, None, frames), said)

    def check_joined(self, *parts, name, least, most, at, missing=0):
        """`at`: offset of the reported film."""
        status, said, event, results = self.measure(*parts, name=name)
        self.assertEqual(status, 1, said)
        self.assertIn("joined", event["cause"].split("+"))
        self.assertEqual(event["missing"], missing)
        self.assertIn(f"ends at byte {at}, where another film begins that is not measured", said)
        self.assertTrue(least <= results <= most, results)
        return said, event, results

    # ---- Ogg

    def test_ogg_films_of_one_serial_number(self):
        """GStreamer takes them for one film, and measures some frames of the second one."""
        film, other = (self.make(name, "-c:v", "libtheora") for name in ("film.ogg", "other.ogg"))
        self.check_sound(film, name="one.ogg", frames=FRAMES)
        self.check_sound(film, other, name="two.ogg", frames=2 * FRAMES)
        for count in (2, 3):
            with self.subTest(copies=count):
                said, _, _ = self.check_joined(*[film] * count, name="joined.ogg", least=FRAMES, most=2 * FRAMES - 1,
                                               at=len(film))
                self.assertIn("not measured completely.", said)
        self.check_joined(other, film, film, name="third.ogg", least=2 * FRAMES, most=3 * FRAMES - 1, at=2 * len(film))

    def test_ogg_film_and_its_beginning(self):
        """The end of the first film is lost, and counts as missing."""
        film = self.make("film.ogg", "-c:v", "libtheora", pattern="testsrc2=size=160x120:rate=25:duration=2")
        status, said, event, results = self.measure(film, film[:len(film) * 6 // 10], name="joined.ogg")
        self.assertEqual(status, 1, said)
        self.assertTrue({"cut", "joined"} <= set(event["cause"].split("+")), event)
        self.assertIn(f"ends at byte {len(film)}, where another film begins", said)
        self.assertEqual(results + event["missing"], max(results, 2 * FRAMES))
        self.assertLess(results, 2 * FRAMES + 30)

    def test_ogg_films_that_cannot_be_decoded_together(self):
        film, other = (self.make(name, "-c:v", "libtheora") for name in ("film.ogg", "other.ogg"))
        sound = self.make("sound.ogg", "-c:a", "libvorbis", pattern="sine=duration=1")
        for name, parts, at in (("sound within", (film, sound, film), len(film + sound)),
                                ("film within", (sound, film, sound), len(sound)),
                                ("other within", (film, other, film), len(film))):
            with self.subTest(name):
                status, said, _, results = self.measure(*parts, name="joined.ogg")
                self.assertEqual(status, 2, said)
                self.assertLessEqual(results, FRAMES)
                self.assertIn("joined films whose streams have the same serial number. Another film begins at byte "
                              f"{at}. Measure each film separately.", said)
                self.assertNotIn("may be damaged", said)

    # ---- IVF

    def make_ivf(self, *options):
        return self.make("film.ivf", *options, "-c:v", "libvpx", "-deadline", "realtime", "-cpu-used", "8")

    def find_frames(self, film):
        """The offsets of frames of IVF, and of the end."""
        offsets = [32]
        while offsets[-1] < len(film):
            offsets.append(offsets[-1] + 12 + struct.unpack_from("<I", film, offsets[-1])[0])
        return offsets

    def check_cut(self, film, name, results, missing, end):
        """Checks the number of missing frames, and their end in ns; None: unknown."""
        status, said, event, found = self.measure(film, name=name)
        self.assertEqual((status, found), (1, results), said)
        self.assertEqual((event["cause"], event["missing"]), ("cut", missing or 0))
        if missing is None:
            self.assertIn("the number of missing frames is unknown.", said)
            return
        self.assertIn(f"is shorter than its header says: {missing} of its frames {'is' if missing == 1 else 'are'} missing.",
                      said)
        self.assertEqual(event["end"], end)

    def test_sound_ivf_films(self):
        variable = "select='mod(n\\,7)*mod(n\\,5)'", "-vsync", "vfr"
        for name, frames, *options in (("constant", FRAMES), ("late", FRAMES, "-output_ts_offset", "5"),
                                       ("variable", 17, "-vf", *variable),
                                       ("last", 11, "-vf", "select='lt(n\\,10)+gt(n\\,23)'", "-vsync", "vfr"),
                                       ("hidden", FRAMES, "-auto-alt-ref", "1", "-lag-in-frames", "12", "-b:v", "100k")):
            with self.subTest(name):
                self.check_sound(self.make_ivf(*options), name="film.ivf", frames=frames)
        film = self.make_ivf()
        self.check_sound(film[:24] + b"\xff" * 4 + film[28:], name="pipe.ivf", frames=FRAMES)
        self.make("film.mkv", "-c:v", "libvpx", "-cpu-used", "8")
        copy = self.folder / "copy.ivf"
        subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-i", self.folder / "film.mkv", "-c", "copy", copy], check=True)
        self.check_sound(copy.read_bytes(), name="film.ivf", frames=FRAMES)  # timestamps in ms
        self.check_cut(copy.read_bytes()[:-5], "film.ivf", FRAMES - 1, None, None)

    def test_ivf_films_that_are_cut_off(self):
        film = self.make_ivf()
        begin = self.find_frames(film)
        for frames in (1, 7, FRAMES - 1):
            for more in (0, 5, 20):  # at the end of a frame, and in the next one
                with self.subTest(frames=frames, more=more):
                    self.check_cut(film[:begin[frames] + more], "film.ivf", frames, FRAMES - frames, 10 ** 9)
        late = self.make_ivf("-output_ts_offset", "5")
        self.check_cut(late[:self.find_frames(late)[9]], "film.ivf", 9, FRAMES - 9, 6 * 10 ** 9)
        piped = film[:24] + b"\xff" * 4 + film[28:begin[9] + 20]
        self.check_cut(piped, "film.ivf", 9, None, None)

    def test_frames_of_ivf_without_data(self):
        """GStreamer ends the film at zeros and at other frames of no bytes; the decoder still has frames."""
        film = self.make_ivf()
        begin = self.find_frames(film)
        for after in bytes(100000), struct.pack("<IQ", 0, 9) + film[begin[9]:]:
            self.check_cut(film[:begin[9]] + after, "film.ivf", 9, FRAMES - 9, 10 ** 9)
        status, said, event, results = self.measure(film, bytes(100000), name="film.ivf")
        self.assertEqual((status, event, results), (0, None, FRAMES), said)
        self.assertIn("may be damaged: its data ends at a frame without content.", said)
        status, said, *_ = self.measure(film[:32], bytes(100000), name="film.ivf")
        self.assertEqual(status, 2, said)

    def test_frames_of_ivf_that_are_too_large(self):
        """GStreamer fails at a frame of almost 4 GiB. It takes others that are larger than the file for the end."""
        film = self.make_ivf()
        begin = self.find_frames(film)
        for size in 2**20, 2**32 - 1:
            with self.subTest(size):
                broken = film[:begin[9]] + struct.pack("<I", size) + film[begin[9] + 4:]
                self.check_cut(broken, "film.ivf", 9, FRAMES - 9, 10 ** 9)
                said = self.measure(broken, name="film.ivf")[1]
                self.assertNotIn("without content", said)
        self.assertIn(f"its data ends at a frame whose header claims {size} bytes, more than the file has.", said)
        with open(self.folder / "large.ivf", "wb") as large:
            large.write(broken)
            large.truncate(5 << 30)
        done = subprocess.run([COMMAND, "measure", "-q", "large.ivf"], cwd=self.folder, capture_output=True, timeout=60,
                              env=films.make_environment(), check=False)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(b"a frame whose header claims 4294967295 bytes, more than GStreamer can read.", done.stderr)

    def test_header_of_ivf_of_another_length(self):
        """GStreamer rejects it: no frame has failed."""
        film = self.make_ivf()
        status, said, *_ = self.measure(film[:6], b"\xff\xff", film[8:], name="film.ivf")
        self.assertEqual(status, 2, said)
        self.assertNotIn("claims", said)

    def test_ivf_films_that_were_joined(self):
        film = self.make_ivf()
        for count in (2, 3):
            self.check_joined(*[film] * count, name="film.ivf", least=FRAMES, most=FRAMES, at=len(film))
        part = film[:self.find_frames(film)[9]]
        self.check_joined(part, film, name="film.ivf", least=9, most=9, at=len(part), missing=FRAMES - 9)

    # ---- AVI

    def test_avi_films_that_were_joined(self):
        """Some writers do not count the last bytes of the first RIFF."""
        film = self.make("film.avi", "-c:v", "mpeg4")
        tail = struct.pack("<4I", 0x45112, 4, 0x9f2, 0)
        self.check_sound(film, tail, name="tail.avi", frames=FRAMES)
        for between in b"", tail:
            self.check_joined(film, between, film, name="joined.avi", least=FRAMES, most=FRAMES, at=len(film + between))

    # ---- FLV

    def test_flv_of_two_frames(self):
        """Frames need not follow each other at the frame rate."""
        film = self.make("film.flv", "-vf", "select='eq(n,0)+eq(n,60)'", "-vsync", "vfr", "-c:v", "flv",
                         pattern="testsrc2=size=160x120:rate=10:duration=7")
        self.check_sound(film, name="sound.flv", frames=2)
        status, said, event, results = self.measure(film[:len(film) * 9 // 10], name="cut.flv")
        self.assertEqual((status, event["cause"], event["missing"], results), (1, "cut", 0, 1), said)
        half = len(film) // 2
        status, said, event, results = self.measure(film[:half], bytes(200), film[half + 200:], name="zeros.flv")
        self.assertEqual((status, event["missing"], event["frames"], results), (1, 0, 1, 2), said)

    def test_flv_films(self):
        """The duration ends with the last frame, which has only a timestamp."""
        sound = ("-f", "lavfi", "-t", "1", "-i", "sine", "-c:a", "aac")
        h264 = ("-pix_fmt", "yuv420p", "-c:v", "libx264", "-preset", "fast")
        for name, *options in (("flv", "-c:v", "flv"), ("h264", *h264), ("sound", *sound, "-c:v", "flv")):
            film = self.make("film.flv", *options)
            with self.subTest(name):
                self.check_sound(film, name="one.flv", frames=FRAMES)
                for count in (2, 3):
                    said, event, _ = self.check_joined(*[film] * count, name="joined.flv", least=FRAMES, most=FRAMES,
                                                       at=len(film))
                    self.assertEqual(event["cause"], "joined")
                    self.assertIn(f": {FRAMES} frames, ", said)
            for part in 0.7, 0.85, 0.95:
                with self.subTest(name, part=part):
                    status, said, event, results = self.measure(film[:int(len(film) * part)], name="cut.flv")
                    self.assertEqual((status, event["cause"]), (1, "cut"), said)
                    self.assertEqual(results + event["missing"], FRAMES, said)
                    self.assertIn(f": {results} of {FRAMES} frames, ", said)


unittest.main()
