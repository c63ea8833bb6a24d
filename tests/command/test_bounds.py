# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""test_bounds.py COMMAND: `cudahisto measure` reports where films end by the account of their container: cut off, or before
another film that was joined to them."""
import pathlib
import subprocess
import tempfile
import unittest

import films
from lines import COMMAND, read

FRAMES = 25


class Bounds(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

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
        """`at`: the offset of the film that is named."""
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


if __name__ == "__main__":
    unittest.main()
