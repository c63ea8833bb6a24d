# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""test_watch.py COMMAND: `cudahisto watch` and the progress of `measure`, in terminals of several widths and in pipes."""
import os
import re
import resource
import signal
import subprocess
import threading
import time
import unittest

import films
from lines import COMMAND, FolderTest
from pipe import MOST_OF_A_PIPE, count_waiting
from screen import Screen

BAR = "[ ▁▂▃▄▅▆▇█]"
CAMERA = "testbin://video,caps=[video/x-raw,format=I420,width=64,height=64,framerate=1000/1],is-live=true"


class Watch(FolderTest):
    def run_in_pipe(self, *arguments, **env):
        return subprocess.run([COMMAND, *arguments], capture_output=True, encoding="utf-8", cwd=self.folder,
                              env=films.make_environment(**env), timeout=300)

    def run_on_screen(self, columns, *arguments, TERM="xterm-256color", **env):
        screen = Screen([COMMAND, *arguments], columns, self.folder, films.make_environment(TERM=TERM, **env))
        return screen.finish(), screen

    # ---- watch

    def test_pipe(self):
        """The numbers equal FFmpeg's, and each frame has a line."""
        watched = self.run_in_pipe("watch", films.get("h264.mp4"), "--fast")
        self.assertEqual((watched.returncode, watched.stderr), (0, ""))
        header, *lines = watched.stdout.splitlines()
        self.assertRegex(header, r"^ +time Y mean min-max low med high +0 +255$")
        means = films.probe_luma(films.get("h264.mp4"))
        self.assertEqual(len(lines), len(means))
        for index, (line, mean) in enumerate(zip(lines, means)):
            time_text, mean_text, value_range, *percentiles = line.split()[:6]
            self.assertEqual(time_text, f"0:{index * 0.04:05.2f}")
            self.assertAlmostEqual(float(mean_text), mean, delta=0.0051)
            low, high = map(int, value_range.split("-"))
            values = [low, *map(int, percentiles), high]
            self.assertEqual(values, sorted(values))
            self.assertLessEqual(len(line), 79)
        self.assertTrue(watched.stdout.replace("\n", "").isprintable())

    def test_pace(self):
        began = time.monotonic()
        self.assertEqual(self.run_in_pipe("watch", films.get("h264.mp4")).returncode, 0)
        self.assertGreater(time.monotonic() - began, 1.8)  # of 2 s

    def test_widths(self):
        for columns in (20, 39, 43, 80, 400):
            status, screen = self.run_on_screen(columns, "watch", films.get("prores.mov"), "--fast")
            header, line, end = screen.show()  # no line was too wide
            self.assertEqual((status, end), (0, ""))
            self.assertRegex(line, rf"^ *0:0[01]\.\d+ +49\d\.\d+ .*{BAR}{{3,}}")
            self.assertRegex(header, r"^ +time ")
            self.assertIn("\x1b[", screen.text.decode())

    def test_colours(self):
        for variables, has_colours in (({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True),
                                       ({"TERM": "dumb"}, False)):
            _, screen = self.run_on_screen(80, "watch", films.get("vp9.webm"), "--fast", **variables)
            with self.subTest(variables):
                self.assertEqual(re.search(rb"\x1b\[[0-9;]*m", screen.text) is not None, has_colours)
        self.assertNotIn("\x1b", self.run_in_pipe("watch", films.get("vp9.webm"), "--fast", TERM="xterm").stdout)

    def test_without_utf8(self):
        watched = self.run_in_pipe("watch", films.get("vp9.webm"), "--fast", LC_ALL="C")
        self.assertTrue(watched.stdout.isascii())
        self.assertIn("#", watched.stdout)

    def test_closed_pipe(self):
        command = f"{COMMAND} watch {films.get('long.mp4')} --fast | head -n 3; exit ${{PIPESTATUS[0]}}"
        watched = subprocess.run(["bash", "-c", command], capture_output=True, env=films.make_environment(), timeout=200)
        self.assertEqual((watched.returncode, watched.stderr, watched.stdout.count(b"\n")), (0, b"", 3))

    # ---- a reader that pauses

    def run_with_pause(self, *arguments, seconds, stop_after=None):
        """Returns the lines, the messages, and the peak memory in KiB. The reader pauses for some seconds after its pipe is
        full. With `stop_after` the command is interrupted that many seconds after the reader goes on."""
        with open(self.folder / "said", "w+", encoding="utf-8") as said:
            process = subprocess.Popen([COMMAND, "watch", *arguments], stdout=subprocess.PIPE, stderr=said,
                                       env=films.make_environment())
            deadline = time.monotonic() + 200
            while seconds and count_waiting(process.stdout) < MOST_OF_A_PIPE and time.monotonic() < deadline:
                time.sleep(0.05)
            time.sleep(seconds)
            if stop_after is not None:
                threading.Timer(stop_after, process.send_signal, [signal.SIGINT]).start()
            lines = process.stdout.read().decode().splitlines()
            process.stdout.close()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            said.seek(0)
            return lines, said.read(), usage.ru_maxrss, process.returncode

    def test_file_waits_for_its_reader(self):
        steady = self.run_with_pause(films.get("many.mkv"), "--fast", seconds=0)
        paused = self.run_with_pause(films.get("many.mkv"), "--fast", seconds=5)
        self.assertEqual((paused[0], *paused[1:2]), (steady[0], ""))
        self.assertEqual((len(paused[0]), paused[3]), (10001, 0))
        self.assertLess(paused[2] - steady[2], 16 * 1024)

    def test_camera_does_not_wait(self):
        lines, said, _, status = self.run_with_pause(CAMERA, seconds=5, stop_after=3)
        self.assertEqual(status, -signal.SIGINT, said)
        dropped = [int(number) for number in re.findall(r"cudahisto: (\d+) lines? w[^\n]* dropped: ", said)]
        self.assertGreater(len(dropped), 0, said)
        self.assertLess(len(dropped), 7)
        first, last = (re.match(r" *(\d+):(\d\d\.\d\d)", lines[index]).groups() for index in (1, -1))
        milliseconds = round(1000 * (60 * int(last[0]) + float(last[1]) - 60 * int(first[0]) - float(first[1])))
        self.assertAlmostEqual(len(lines) - 1 + sum(dropped), milliseconds, delta=80)

    def test_cameras_start(self):
        """Also if the source is slow to reach PLAYING, as with the log on. GStreamer alone may stay in PAUSED."""
        env = films.make_environment(GST_DEBUG="GST_STATES:5,bin:5", GST_DEBUG_FILE=str(self.folder / "log"))
        started = [subprocess.Popen([COMMAND, "watch", CAMERA], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=env)
                   for _ in range(16)]
        deadline = time.monotonic() + 100
        try:
            for process in started:
                while count_waiting(process.stdout) < 2000:
                    self.assertLess(time.monotonic(), deadline)
                    time.sleep(0.05)
        finally:
            for process in started:
                process.kill()
                process.communicate()

    def test_full_disk(self):
        with open("/dev/full", "wb") as full:
            watched = subprocess.run([COMMAND, "watch", films.get("vp9.webm"), "--fast"], stdout=full, stderr=subprocess.PIPE,
                                     encoding="utf-8", env=films.make_environment(), timeout=200)
        self.assertEqual(watched.returncode, 2)
        self.assertRegex(watched.stderr, r"\Acudahisto: standard output cannot be written: [^\n]*\.\n\Z")

    def test_component_interval_and_standard_input(self):
        with open(films.get("stream.ts"), "rb") as film:
            watched = subprocess.run([COMMAND, "watch", "-", "--fast", "-c", "U", "-i", "1"], stdin=film, capture_output=True,
                                     encoding="utf-8", env=films.make_environment(), timeout=200)
        self.assertEqual((watched.returncode, watched.stderr), (0, ""))
        header, *lines = watched.stdout.splitlines()
        self.assertIn("U mean", header)
        self.assertEqual(len(lines), 2)

    def test_events(self):
        watched = self.run_in_pipe("watch", films.get("black.mp4"), "--fast", "-e", "black", "--set",
                                   "black-min-duration=500000000")
        self.assertRegex(watched.stdout, r"\nblack from 0:00\.00\n(.*\n)*black from 0:00\.00 to 0:0[12]\.\d\d\n")
        _, screen = self.run_on_screen(80, "watch", films.get("black.mp4"), "--fast", "-e", "black", "--set",
                                       "black-min-duration=500000000")
        lines = screen.show()
        self.assertEqual([line for line in lines if line.startswith("black")], lines[1:3])
        self.assertEqual(len(lines), 5)

    def test_errors(self):
        for arguments, words in ((["nothing.mp4"], 'there is no file "nothing.mp4"'),
                                 ([films.get("vp9.webm"), "-c", "R"], 'there is no "R". Frames of I420 have Y, U, V.'),
                                 ([films.get("only-sound.m4a")], "has no video"),
                                 ([films.get("vp9.webm"), "-e", "white"], 'there is no "white"'),
                                 (["a.mp4", "b.mp4"], "name one film")):
            with self.subTest(words):
                watched = self.run_in_pipe("watch", *arguments)
                self.assertEqual((watched.returncode, watched.stdout), (2, ""))
                self.assertRegex(watched.stderr, r"\Acudahisto: [^\n]*[.)]\n\Z")
                self.assertIn(words, watched.stderr)

    # ---- the progress of measure

    def test_progress(self):
        for columns in (20, 30, 50, 80):
            screen = Screen([COMMAND, "measure", films.get("longer.mp4")], columns, self.folder,
                            films.make_environment(TERM="xterm"))
            self.assertTrue(screen.read(until=r"\d %.* left"), columns)
            before = screen.show()[-1]
            self.assertEqual(screen.finish(), 0)
            self.assertRegex(before, r"(^| )[1-9]?\d %(  [\d.]+ frames/s)?  \d+(:\d\d)+ left$")
            self.assertEqual("frames/s" in before, columns > 30)
            self.assertEqual("[" in before, columns >= 50)
            lines = screen.show()
            self.assertNotRegex("".join(lines), "left|%")  # the progress line was erased
            self.assertIn("15000 results in longer.jsonl", "".join(lines))
            self.assertTrue(lines[0].startswith("/"))

    def test_several(self):
        screen = Screen([COMMAND, "measure", films.get("vp9.webm"), films.get("longer.mp4")], 80, self.folder,
                        films.make_environment(TERM="xterm"))
        self.assertTrue(screen.read(until=r"2/2  .*\d %.* left"))
        self.assertEqual(screen.finish(), 0)

    def test_no_progress(self):
        self.assertNotIn("left", self.run_in_pipe("measure", films.get("long.mp4"), TERM="xterm").stderr)
        _, screen = self.run_on_screen(80, "measure", "-q", films.get("long.mp4"))
        self.assertEqual(screen.text, b"")

    # ---- what is not needed is not loaded

    def test_start(self):
        """The help and the commands that read files start within 0.1 s of CPU time, and do not load GStreamer's plugins."""
        self.run_in_pipe("measure", films.get("vp9.webm"))
        registry = self.folder / "registry.bin"
        for arguments in (["--help"], ["--version"], ["measure", "--help"], ["show", "vp9.jsonl"]):
            times = []
            for _ in range(5):
                before = resource.getrusage(resource.RUSAGE_CHILDREN)
                done = self.run_in_pipe(*arguments, GST_REGISTRY=str(registry))
                after = resource.getrusage(resource.RUSAGE_CHILDREN)
                times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertFalse(registry.exists(), arguments)
            self.assertLess(min(times), 0.1, arguments)


unittest.main()
