#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""test_examples.py FOLDER: builds the examples in docs/examples as a user would, in a copy, and runs each on a film or picture
whose numbers are known. Those in Python are run by the distribution's python3. What this machine has not is skipped by name."""

import os
import pathlib
import pty
import re
import select
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest
from fcntl import ioctl

EXAMPLES = pathlib.Path(sys.argv.pop(1))
PYTHON = "/usr/bin/python3"
NO_VIDEO = "No video found, or no installed plugin decodes it; list the streams with gst-discoverer-1.0.\n"


def setUpModule():
    global folder
    scratch = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(scratch.cleanup)
    folder = pathlib.Path(scratch.name, "examples")
    shutil.copytree(EXAMPLES, folder)
    for command in ["meson", "setup", "build", "-Dwerror=true"], ["meson", "compile", "-C", "build"]:
        done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert done.returncode == 0, done.stdout
    make_film(folder / "film.mkv")
    # As most films are: H.264 and sound, in mp4; lossless, so that the numbers are the same.
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-i", folder / "film.mkv", "-f", "lavfi", "-i", "sine=duration=6",
                    "-c:v", "libx264", "-qp", "0", "-c:a", "aac", folder / "film.mp4"], check=True)
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-i", folder / "film.mp4", "-vn", "-c", "copy", folder / "sound.m4a"],
                   check=True)


def make_film(path):
    """Two seconds of a gradient, three of black, one of white, at 25 frames a second."""
    parts = [("pattern=gradient", 50), ("pattern=black", 75), ("pattern=white", 25)]
    caps = "video/x-raw,format=I420,width=64,height=48,framerate=25/1"
    sources = " ".join(f"videotestsrc {pattern} num-buffers={n} ! {caps} ! c." for pattern, n in parts)
    run_line(f"concat name=c ! matroskamux ! filesink location={path} {sources}")


def run_line(line):
    subprocess.run(["gst-launch-1.0", "-q", *line.split()], check=True)


def run(*command, status=0, **options):
    """Standard output of a program, which must end with this status; of one that fails, standard error."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, **options)
    assert done.returncode == status, (done.returncode, done.stdout, done.stderr)
    return done.stderr if status else done.stdout


def need_python(*modules):
    """Skips the test where the distribution's python3 lacks one."""
    lines = ["gi.require_version('{}', '{}')".format(*m.split("-")) if "-" in m else f"import {m}" for m in modules]
    done = subprocess.run([PYTHON, "-c", "\n".join(lines)], capture_output=True, text=True)
    if done.returncode:
        raise unittest.SkipTest(done.stderr.strip().splitlines()[-1])


class Terminal:
    """A program in a terminal of this size, and what it shows there."""

    def __init__(self, command, columns, rows):
        self.columns, self.rows, self.written = columns, rows, b""
        self.process, self.fd = pty.fork()
        if self.process == 0:
            os.chdir(folder)
            os.execvp(command[0], command)
        self.resize(columns, rows)

    def resize(self, columns, rows):
        ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def read(self, seconds, until=None):
        """Reads for so long, to the end, or until this is written."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and not (until and until in self.written):
            if select.select([self.fd], [], [], 0.1)[0]:
                try:
                    data = os.read(self.fd, 65536)
                except OSError:  # it has ended
                    break
                if not data:
                    break
                self.written += data

    def end(self):
        status = os.waitpid(self.process, 0)[1]
        os.close(self.fd)
        return os.waitstatus_to_exitcode(status)

    def get_pictures(self):
        """The lines of each picture that it drew, without escape sequences."""
        pictures = self.written.decode().split("\033[H")[2:]
        return [re.sub(r"\033\[\??\d*[A-Za-z]", "", picture).replace("\r", "").splitlines() for picture in pictures]


class Examples(unittest.TestCase):
    def test_each_is_short_and_listed(self):
        index = (EXAMPLES / "README.md").read_text()
        for path in EXAMPLES.iterdir():
            if path.name in ("README.md", "meson.build"):
                continue
            self.assertIn(f"[{path.name}]({path.name})", index)
            self.assertLess(len(path.read_text().splitlines()), 100, path.name)

    def test_lines_that_build(self):
        """Those of the README, without Meson."""
        lines = [line for line in (EXAMPLES / "README.md").read_text().splitlines() if line.startswith("cc ")]
        self.assertEqual(len(lines), len(list(EXAMPLES.glob("*.c"))))
        for line in lines:
            done = subprocess.run(line, shell=True, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            self.assertEqual((done.returncode, done.stdout), (0, ""), line)
        self.assertIn("usage", run("./bus", status=2))

    def test_bus(self):
        for film in "film.mkv", "film.mp4":
            self.check_bus(film)
        self.assertIn("Resource not found", run("build/bus", "nowhere.mkv", status=1))
        self.assertEqual(run("build/bus", "sound.m4a", status=1), NO_VIDEO)
        self.assertIn("usage", run("build/bus", status=2))

    def check_bus(self, film):
        lines = run("build/bus", film).splitlines()
        results = [line for line in lines if "frames, mean" in line]
        events = [line.strip() for line in lines if "frames, mean" not in line]
        self.assertEqual(len(results), 6)
        self.assertEqual(results[2].strip(), "2.000 s: 25 frames, mean  16.00, most within 16 to 16")
        self.assertEqual(results[5].strip(), "5.000 s: 25 frames, mean 235.00, most within 235 to 235")
        self.assertEqual(sorted(events), ["0.000 s: freeze, until 2.000 s", "2.000 s: black begins",
                                          "2.000 s: black, until 5.000 s", "2.000 s: freeze begins",
                                          "2.000 s: freeze, until 5.000 s", "2.000 s: scene-change", "5.000 s: scene-change"])

    def test_probe(self):
        for film in "film.mkv", "film.mp4":
            self.assertEqual(run("build/probe", film), "75 frames kept, 75 dark ones dropped\n")
        self.assertEqual(run("build/probe", (folder / "film.mkv").as_uri()), "75 frames kept, 75 dark ones dropped\n")
        self.assertIn("Resource not found", run("build/probe", "nowhere.mkv", status=1))
        self.assertEqual(run("build/probe", "sound.m4a", status=1), NO_VIDEO)

    def test_engine(self):
        (folder / "a.ppm").write_bytes(b"P6 # a comment\n#another\n3 1\n255\n" + bytes(range(1, 10)))
        (folder / "a.pgm").write_bytes(b"P5 2 2 255\n" + bytes([10, 10, 20, 40]))
        (folder / "short.pgm").write_bytes(b"P5 2 2 255\n" + bytes([10, 10, 20]))
        (folder / "deep.pgm").write_bytes(b"P5 2 2 65535\n" + bytes(8))
        self.assertEqual(run("build/engine", "a.ppm").splitlines(),
                         ["red   3 samples, mean 4.000, deviation 2.449, from 1 to 7, median 4",
                          "green 3 samples, mean 5.000, deviation 2.449, from 2 to 8, median 5",
                          "blue  3 samples, mean 6.000, deviation 2.449, from 3 to 9, median 6"])
        self.assertEqual(run("build/engine", "a.pgm"),
                         "grey  4 samples, mean 20.000, deviation 12.247, from 10 to 40, median 10\n")
        for name, words in (("short.pgm", "truncated"), ("deep.pgm", "8 bits"), ("film.mkv", "not a binary PGM"),
                            ("nowhere.pgm", "cannot open the file")):
            self.assertIn(words, run("build/engine", name, status=1))

    def test_batch(self):
        self.assertEqual(run("build/batch"), "1228800 samples, their sum is 18432000\n")

    def test_sums(self):
        self.assertEqual(run("build/sums").splitlines(),
                         ["4 samples have the value 5", "row 0: last less first 30", "row 1: last less first 0",
                          "row 2: last less first -1023", "column 0: sum 1028", "column 1: sum 1015", "column 2: sum 525",
                          "column 3: sum 35"])

    def test_terminal(self):
        need_python("gi", "Gst-1.0", "GstCudaHisto-1.0")
        for columns, rows, film in (80, 24, "film.mkv"), (20, 8, "film.mp4"):
            terminal = Terminal([PYTHON, "terminal.py", film], columns, rows)
            terminal.read(60)
            self.assertEqual(terminal.end(), 0)
            pictures = terminal.get_pictures()
            self.assertGreater(len(pictures), 50)
            for lines in pictures:
                self.assertLess(len(lines), rows)
                self.assertLess(max(map(len, lines)), columns)
            white = pictures[-1]  # one bar where 235 is, as high as there is room
            column = min(235 * (columns - 1) // 256, columns - 2)
            for line in white[1:rows - 5]:
                self.assertEqual(re.findall("█", line), ["█"])
                self.assertIn(line.index("█"), (column, column + 1))
            self.assertTrue(white[0].startswith("Y of frame 14"[:columns - 1]))
            self.assertTrue(terminal.written.endswith(b"\033[?25h"), "the cursor is there again")

    def test_terminal_without_video(self):
        need_python("gi", "Gst-1.0", "GstCudaHisto-1.0")
        self.assertTrue(run(PYTHON, "terminal.py", "sound.m4a", status=1).endswith(NO_VIDEO))

    def test_terminal_is_resized_and_interrupted(self):
        need_python("gi", "Gst-1.0", "GstCudaHisto-1.0")
        terminal = Terminal([PYTHON, "terminal.py"], 60, 20)
        terminal.read(30, b"frame 10:")
        terminal.resize(30, 10)
        terminal.written = b""
        terminal.read(30, b"frame 40:")
        os.write(terminal.fd, b"\003")
        terminal.read(30)
        self.assertEqual(terminal.end(), 0)
        self.assertLess(max(map(len, terminal.get_pictures()[-2])), 30)
        self.assertIn(b"\033[?25h", terminal.written)

    def test_exposure(self):
        need_python("gi", "Gst-1.0", "GstCudaHisto-1.0", "Aravis-0.8")
        if subprocess.run(["gst-inspect-1.0", "--exists", "--atleast-version=0.0", "aravissrc"]).returncode:
            self.skipTest("there is no aravissrc")
        for target in 110, 60:
            # The camera does not wait: on a busy machine the loop sees few of its frames in time, and needs more.
            for frames in 80, 800:
                lines = run(PYTHON, "exposure.py", "--target", str(target), "--frames", str(frames)).splitlines()
                reached = float(re.match(r"luma (\S+) at", lines[-1])[1])
                if abs(reached - target) <= 1.1:
                    break
            self.assertAlmostEqual(reached, target, delta=1.1)
            self.assertGreater(len(lines), 2)
            self.assertLess(len(lines), 15, "it does not rest")
        self.assertIn("nobody", run(PYTHON, "exposure.py", "--camera", "nobody", status=1))


unittest.main()
