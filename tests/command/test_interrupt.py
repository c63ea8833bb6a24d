# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""test_interrupt.py COMMAND: Ctrl-C, and a stop by a service manager, leave a valid file that is marked as incomplete; a second
signal ends the process at once."""
import datetime
import json
import os
import re
import select
import signal
import subprocess
import time
import unittest

import films
from lines import COMMAND, FolderTest, read
from pipe import MOST_OF_A_PIPE, count_waiting
from screen import Screen



class Interrupt(FolderTest):
    def start(self, *arguments, **options):
        # The command does not handle a signal that it was started to ignore, as nohup does with SIGHUP.
        options = {"preexec_fn": lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL), **options}
        return subprocess.Popen([COMMAND, *arguments], stderr=subprocess.PIPE, encoding="utf-8", cwd=self.folder,
                                env=films.make_environment(), **options)

    def wait_for(self, path, size):
        end = time.monotonic() + 200
        while not path.exists() or path.stat().st_size < size:
            self.assertLess(time.monotonic(), end, path)
            time.sleep(0.01)

    def check_marked(self, path, first, element="cudahisto0"):
        """Each line is complete, the frames are consecutive, and the last line is the mark. Returns the number of frames and
        the reason."""
        text = path.read_text()
        self.assertTrue(text.endswith("}\n"))
        *results, mark = map(json.loads, text.splitlines())
        self.assertEqual([result["frame"] for result in results], list(range(first, first + len(results))))
        self.assertEqual((mark["cudahisto"], mark["event"], mark["element"]), (1, "incomplete", element))
        self.assertEqual((mark["frame"], mark["frames"], mark["end"]), (first + len(results), 0, None))
        self.assertEqual(mark["start"], results[-1]["stream-time"] + results[-1]["duration"])
        written = datetime.datetime.fromisoformat(mark["utc-time"].replace("Z", "+00:00"))
        self.assertLess(abs((datetime.datetime.now(datetime.timezone.utc) - written).total_seconds()), 60)
        return len(results), mark["reason"]

    def test_signals(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            path = self.folder / "endless.jsonl"
            path.unlink(missing_ok=True)
            process = self.start("measure", films.get("endless.mp4"))
            self.wait_for(path, 100000)
            process.send_signal(number)
            said = process.communicate(timeout=200)[1]
            self.assertEqual(process.returncode, -number, said)
            frames, reason = self.check_marked(path, 0)
            self.assertEqual(reason, f"ended by {number.name}")
            self.assertRegex(said, rf"\Acudahisto: \"[^\n]*endless.mp4\" was measured in part, {frames} frames, [^\n]*; "
                             r"the last line of the results says so\.\n\Z")

    def test_interval(self):
        path = self.folder / "endless.jsonl"
        process = self.start("measure", films.get("endless.mp4"), "-i", "2s")
        self.wait_for(path, 1000)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=200)
        *_, last, mark = read(path)
        self.assertEqual(mark["event"], "incomplete")
        # The stop may come after the last frame of a window.
        self.assertEqual(last["ended-by"], "complete" if last["duration"] == 2_000_000_000 else "stop")
        self.assertEqual(last["frame"] + last["frames"], mark["frame"])
        self.assertEqual(last["stream-time"] + last["duration"], mark["start"])

    def test_standard_output(self):
        with open(self.folder / "out", "wb") as out:
            process = self.start("measure", films.get("endless.mp4"), "-o", "-", stdout=out)
            self.wait_for(self.folder / "out", 100000)
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=200)
        self.check_marked(self.folder / "out", 0)

    def test_no_more_files(self):
        process = self.start("measure", films.get("endless.mp4"), films.get("h264.mp4"))
        self.wait_for(self.folder / "endless.jsonl", 100000)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=200)
        self.assertEqual(os.listdir(self.folder), ["endless.jsonl"])

    def test_what_does_not_stop(self):
        """GStreamer's reader of NUT neither reaches the end of a pipe nor can be stopped there. The results are marked all the
        same."""
        reader, writer = os.pipe()
        process = self.start("measure", "-", "-o", "nut.jsonl", stdin=reader)
        os.close(reader)
        film = subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=64x48:d=1", "-c:v",
                               "rawvideo", "-f", "nut", "-"], check=True, stdout=subprocess.PIPE).stdout
        with os.fdopen(writer, "wb") as pipe:
            pipe.write(film)
        self.wait_for(self.folder / "nut.jsonl", 30000)
        time.sleep(2)
        process.send_signal(signal.SIGTERM)
        said = process.communicate(timeout=200)[1]
        self.assertEqual(process.returncode, -signal.SIGTERM, said)
        self.assertIn('the source of "standard input" did not stop', said)
        self.assertEqual(self.check_marked(self.folder / "nut.jsonl", 0)[1], "ended by SIGTERM")

    def test_before_the_first_frame(self):
        os.mkfifo(self.folder / "in.mp4")
        (self.folder / "in.jsonl").write_text('{"cudahisto":1,"of":"before"}\n')
        os.setxattr(self.folder / "in.jsonl", "user.cudahisto", b"measure unfinished")
        process = self.start("measure", "in.mp4")
        time.sleep(1)
        self.assertIsNone(process.poll())
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=200)
        self.assertEqual(process.returncode, -signal.SIGINT)
        self.assertEqual((self.folder / "in.jsonl").read_text(), '{"cudahisto":1,"of":"before"}\n')

    def test_second_one(self):
        """A pipe that is not read delays the stop by two seconds."""
        os.mkfifo(self.folder / "out")
        reader = os.open(self.folder / "out", os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, reader)
        process = self.start("measure", films.get("endless.mp4"), "-o", "out")
        time.sleep(3)
        for _ in range(2):
            process.send_signal(signal.SIGINT)
            time.sleep(0.3)
        self.assertEqual(process.communicate(timeout=200)[1], "")  # an orderly stop would print a summary
        self.assertEqual(process.returncode, -signal.SIGINT)

    def interrupt_a_pipe(self, words, *options):
        """Sends SIGTERM while the results are not read; reads the pipe once `words` appear on standard error. Returns the lines
        and all messages."""
        os.mkfifo(self.folder / "out")
        reader = os.open(self.folder / "out", os.O_RDONLY | os.O_NONBLOCK)
        process = self.start("measure", films.get("endless.mp4"), "-o", "out", *options)
        filled, deadline = -1, time.monotonic() + 200
        while (more := count_waiting(reader)) != filled or more < MOST_OF_A_PIPE:
            self.assertLess(time.monotonic(), deadline, f"{more} bytes")
            filled = more
            time.sleep(0.5)
        process.send_signal(signal.SIGTERM)
        said = ""
        while words not in said:
            line = process.stderr.readline()
            self.assertNotEqual(line, "", said)
            said += line
        os.set_blocking(reader, True)
        with os.fdopen(reader, encoding="utf-8") as pipe:
            lines = pipe.read().splitlines()
        said += process.communicate(timeout=200)[1]
        self.assertEqual(process.returncode, -signal.SIGTERM)
        return lines, said

    def test_what_nobody_took(self):
        """The mark has the number of lost lines, and is its own line, also after a partial one."""
        lines, said = self.interrupt_a_pipe("not written to the sidecar")
        *results, mark = map(json.loads, [line for line in lines if line.endswith("}")])
        self.assertEqual([result["frame"] for result in results], list(range(len(results))))
        lost = re.fullmatch("ended by SIGTERM; the last ([0-9]+) lines were not written", mark["reason"])[1]
        self.assertEqual((mark["event"], mark["frame"]), ("incomplete", len(results) + int(lost)))
        self.assertIn("; the last line of the results says so.", said)

    def test_no_line_of_a_pipe_is_empty(self):
        """Lines that a pipe accepts at once are not torn, and the mark follows the last of them; a torn line ends with it."""
        long = ("-s", "waveform", "--set=sidecar-arrays=all")
        for options, n_torn in (("--set=sidecar-arrays=none",), 0), (long, 1):
            lines, _ = self.interrupt_a_pipe("not written to the sidecar", *options)
            os.unlink(self.folder / "out")
            self.assertEqual(json.loads(lines[-1])["event"], "incomplete")
            self.assertTrue(all(lines), [len(line) for line in lines])
            self.assertEqual(len([line for line in lines if not line.endswith("}")]), n_torn)

    def test_a_mark_that_nobody_took(self):
        lines, said = self.interrupt_a_pipe("was measured in part")
        self.assertNotIn("incomplete", "".join(lines))
        self.assertRegex(said, "was measured in part, .*; no line of the results says so, since it could not be written")

    def test_a_file_that_was_renamed(self):
        """The mark goes to the file with the results, not to its replacement."""
        path, other = self.folder / "endless.jsonl", self.folder / "other.jsonl"
        process = self.start("measure", films.get("endless.mp4"))
        self.wait_for(path, 100000)
        time.sleep(0.5)
        path.rename(other)
        path.write_text("something else\n")
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=200)[1]
        self.assertIn("the last line of the results says so", said)
        self.check_marked(other, 0)
        self.assertEqual(path.read_text(), "something else\n")

    def test_reader_that_has_stopped(self):
        """The reader does not read any more: there is no wait."""
        camera = "testbin://video,caps=[video/x-raw,format=I420,width=64,height=64,framerate=1000/1],is-live=true"
        path = self.folder / "many.jsonl"
        subprocess.run([COMMAND, "measure", "-q", films.get("long.mp4"), "-o", path], check=True, env=films.make_environment())
        first, *others = path.read_text().splitlines(True)
        path.write_text(first)
        for arguments in (["watch", films.get("endless.mp4"), "--fast"], ["watch", camera], ["show", "--follow", path]):
            reader, writer = os.pipe()
            process = self.start(*arguments, stdout=writer)
            os.close(writer)
            select.select([reader], [], [], 200)
            with path.open("a") as file:
                file.writelines(others)
            filled, deadline = 0, time.monotonic() + 200
            while (more := count_waiting(reader)) != filled or more < 32768:
                self.assertLess(time.monotonic(), deadline, f"{arguments}: {more} bytes")
                filled = more
                time.sleep(1)
            began = time.monotonic()
            process.send_signal(signal.SIGINT)
            said = process.communicate(timeout=200)[1]
            self.assertLess(time.monotonic() - began, 100, said)
            self.assertEqual(process.returncode, -signal.SIGINT)
            self.assertNotRegex(said, r"(?m)^cudahisto: (?!\d+ lines? w.* of the live input .* dropped: )")
            os.close(reader)

    def test_ignored_signal(self):
        """As by nohup, and by a shell that starts it in the background."""
        process = self.start("measure", films.get("vp9.webm"), preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        process.send_signal(signal.SIGHUP)
        self.assertRegex(process.communicate(timeout=200)[1], " 50 frames")
        self.assertEqual(process.returncode, 0)


    def test_keys(self):
        """Ctrl-C typed on a terminal: the progress line disappears, and the prompt has its own line."""
        screen = Screen([COMMAND, "measure", films.get("endless.mp4")], 80, self.folder, films.make_environment(TERM="xterm"))
        self.assertTrue(screen.read(until=r"frames/s .* left"))
        screen.type(b"\x03")
        self.assertEqual(screen.finish(), -signal.SIGINT)
        lines = screen.show()
        self.assertEqual(lines[-1], "")
        self.assertIn("was measured in part", "".join(lines))
        self.assertNotRegex("".join(lines), "left|%")
        self.check_marked(self.folder / "endless.jsonl", 0)

    def test_watch(self):
        screen = Screen([COMMAND, "watch", films.get("endless.mp4")], 80, self.folder, films.make_environment(TERM="xterm"))
        self.assertTrue(screen.read(until=r"0:00\.[5-9]"))
        screen.type(b"\x03")
        self.assertEqual(screen.finish(), -signal.SIGINT)
        self.assertEqual(screen.show()[-1], "")


unittest.main()
