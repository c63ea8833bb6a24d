#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""test_follow.py COMMAND: `cudahisto show --follow` shows each result as it is written, through rotation and truncation."""

import json
import os
import pty
import re
import select
import signal
import subprocess
import time
import unittest

from lines import COMMAND, FolderTest

PATIENCE_S = 200


def line(index):
    luma = {"count": 100, "sum": 100 * index + 25, "mean": index + 0.25, "variance": 0.1875, "stddev": 0.1875**0.5,
            "min": index, "low": index, "median": index, "high": index + 1, "max": index + 1,
            "histogram": [0] * index + [75, 25] + [0] * (254 - index)}
    return json.dumps({"cudahisto": 1, "element": "a", "backend": "cpu", "frame": index, "frames": 1, "format": "GRAY8",
                       "width": 10, "height": 10, "depth": 8, "range": "limited", "stream-time": index * 10**9,
                       "components": {"GRAY": luma}}) + "\n"


class Follow(FolderTest):
    def setUp(self):
        super().setUp()
        self.path = self.folder / "film.jsonl"
        self.text = ""

    def start(self, path, **options):
        self.out, theirs = os.pipe()
        self.process = subprocess.Popen([COMMAND, "show", "--follow", path], stdout=theirs, stderr=subprocess.STDOUT,
                                        **options)
        os.close(theirs)

    def wait_for(self, pattern):
        end = time.monotonic() + PATIENCE_S
        while not re.search(pattern, self.text):
            left = end - time.monotonic()
            self.assertTrue(left > 0 and select.select([self.out], [], [], left)[0], f"no {pattern} in {self.text}")
            try:
                block = os.read(self.out, 65536)
            except OSError:  # a pseudo-terminal whose other end is closed
                block = b""
            self.assertTrue(block, f"no {pattern} in {self.text}")
            self.text += block.decode()

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        self.assertEqual(self.process.wait(PATIENCE_S), -signal.SIGINT)
        os.close(self.out)

    def write(self, text, mode="a"):
        with self.path.open(mode) as file:
            file.write(text)

    def test_growing(self):
        self.write(line(1) + line(2))
        self.start(self.path)
        self.wait_for(r"2\.25")
        self.assertNotIn("1.25", self.text)  # the last line at the start
        whole = line(3)
        self.write(whole[:50])
        time.sleep(0.3)
        self.assertNotIn("3.25", self.text)
        self.write(whole[50:])
        self.wait_for(r"3\.25")
        self.write('{"cudahisto":1,"event":"black","start":4000000000,"end":null,"frame":4,"frames":1,"element":"a"}\n')
        self.wait_for("black")
        self.write("film\n" + line(5))
        self.wait_for(r"line 5 is not JSON[^$]*5\.25")
        self.stop()

    def test_rotation(self):
        self.write(line(1))
        self.start(self.path)
        self.wait_for(r"1\.25")
        self.path.rename(self.path.with_suffix(".1"))
        with self.path.with_suffix(".1").open("a") as file:
            file.write(line(2))
        self.wait_for(r"2\.25")
        self.write(line(3))
        self.wait_for(r"3\.25")
        self.write(line(4), "w")  # truncated: shorter than the part that was read
        self.write(line(5))
        self.wait_for(r"5\.25")
        self.write("", "w")
        time.sleep(0.3)
        self.write(line(6))
        self.wait_for(r"was replaced or truncated[^$]*6\.25")
        self.stop()

    def test_rotation_with_create(self):
        """The new file exists, empty, before the writer knows: it writes to the old one until it is signalled."""
        self.write(line(1))
        self.start(self.path)
        self.wait_for(r"1\.25")
        with self.path.open("a") as old:
            self.path.rename(self.path.with_suffix(".1"))
            self.path.touch()
            for index in (2, 3, 4):
                time.sleep(0.2)  # four polling intervals
                old.write(line(index))
                old.flush()
                self.wait_for(rf"{index}\.25")
            old.write(line(5))
        self.write(line(6))
        self.wait_for(r"6\.25")
        self.stop()
        self.assertEqual(re.findall(r"\d\.25", self.text), [f"{index}.25" for index in range(1, 7)])

    def test_pipe(self):
        self.start("-", stdin=subprocess.PIPE)
        self.process.stdin.write(line(1).encode() + line(2)[:30].encode())
        self.process.stdin.flush()
        self.wait_for(r"1\.25")
        self.process.stdin.write(line(2)[30:].encode())
        self.process.stdin.close()
        self.wait_for(r"2\.25")
        self.assertEqual(self.process.wait(PATIENCE_S), 0)
        os.close(self.out)

    def test_interrupted_pipe(self):
        self.start("-", stdin=subprocess.PIPE)
        self.process.stdin.write(line(1).encode())
        self.process.stdin.flush()
        self.wait_for(r"1\.25")
        self.stop()
        self.process.stdin.close()

    def test_terminal(self):
        for columns in (20, 80):
            self.text = ""
            self.path.write_text(line(1))
            self.out, theirs = pty.openpty()
            self.process = subprocess.Popen([COMMAND, "show", "--follow", self.path], stdout=theirs, stderr=theirs,
                                            env={**os.environ, "COLUMNS": str(columns), "TERM": "xterm", "LC_ALL": "C.UTF-8"})
            os.close(theirs)
            self.wait_for(r"1\.2")
            self.write(line(2))
            self.wait_for(r"2\.2")
            time.sleep(0.4)  # eight polling intervals
            self.write('{"cudahisto":1,"event":"black","start":0,"end":null,"frame":4,"frames":1,"element":"a"}\n')
            self.wait_for(r"black[^$]*2\.2")  # after the event
            self.assertEqual(self.text.count("2.2"), 2)
            self.stop()
            self.assertLessEqual(self.text.count("\n"), 2 + 2)  # the header, the event; results are in place
            for shown in re.split(r"[\r\n]+", re.sub("\x1b\\[[0-9;?]*[A-Za-z]", "", self.text)):
                self.assertLessEqual(len(shown), columns, shown)

    def test_dumb_terminal(self):
        """It gets a new line for each result, and no escape sequence."""
        self.path.write_text(line(1))
        self.out, theirs = pty.openpty()
        self.process = subprocess.Popen([COMMAND, "show", "--follow", self.path], stdout=theirs, stderr=theirs,
                                        env={**os.environ, "TERM": "dumb", "LC_ALL": "C.UTF-8"})
        os.close(theirs)
        self.wait_for(r"1\.2[^\n]*\n")
        self.write(line(2))
        self.wait_for(r"2\.2[^\n]*\n")
        self.stop()
        self.assertNotIn("\x1b", self.text)

    def test_nothing_is_obeyed(self):
        """A terminal gets no control characters from names in a file."""
        name = "\x1b[2J\u202ename"
        event = {"cudahisto": 1, "event": name, "start": 4, "end": None, "frame": 4, "frames": 1, "element": "a"}
        text = line(1) + json.dumps(event) + "\n" + json.dumps({**event, "end": 8, "ended-by": "eos"}) + "\n"
        text += json.dumps({**event, "frame": 9, "start": 4, "end": 4, "ended-by": name}) + "\n"
        done = subprocess.run([COMMAND, "show", "--follow"], input=text.encode(), capture_output=True, timeout=PATIENCE_S,
                              check=False, env={**os.environ, "LC_ALL": "C.UTF-8"})
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        shown = done.stdout.decode().splitlines()
        self.assertEqual(len(shown), 5)
        self.assertTrue(all(row.isprintable() for row in shown), shown)

    def test_results_without_components(self):
        """They are skipped, since later ones may have the component."""
        bare = {**json.loads(line(1)), "components": {}}
        other = json.loads(line(3))
        other["components"] = {"Y": other["components"]["GRAY"]}
        text = json.dumps(bare) + "\n" + line(2) + json.dumps(bare) + "\n" + json.dumps(other) + "\n" + line(4)
        for arguments, wanted in ((), ["2.25", "3.25", "4.25"]), (("-c", "GRAY"), ["2.25", "4.25"]):
            done = subprocess.run([COMMAND, "show", "--follow", *arguments], input=text.encode(), capture_output=True,
                                  timeout=PATIENCE_S, check=False)
            self.assertEqual(done.returncode, 0)
            self.assertRegex(done.stderr.decode(), "line 1 has no known component .*: this and similar lines are skipped")
            self.assertEqual(done.stderr.count(b"\n"), 1)
            self.assertEqual(re.findall(r"\d\.25", done.stdout.decode()), wanted)
        text = line(1) + json.dumps(other) + "\n"
        done = subprocess.run([COMMAND, "show", "--follow", "-c", "GRAY"], input=text.encode(), capture_output=True,
                              timeout=PATIENCE_S, check=False)
        self.assertIn(b'line 2 has no component "GRAY"', done.stderr)

    def test_errors(self):
        for arguments, words in ((["/nowhere/a.jsonl"], "No such file or directory"), (["/"], "is a folder"),
                                 (["-c", "Q", str(self.path)], 'no result has a component "Q"')):
            self.path.write_text(line(1))
            done = subprocess.run([COMMAND, "show", "--follow", *arguments], capture_output=True, timeout=PATIENCE_S,
                                  check=False)
            self.assertEqual(done.returncode, 2)
            self.assertIn(words.encode(), done.stderr)
        done = subprocess.run([COMMAND, "show", "--follow"], input=b"film\n" * 200, capture_output=True, timeout=PATIENCE_S,
                              check=False)
        self.assertEqual((done.returncode, done.stdout), (2, b""))
        self.assertIn(b"standard input is not a sidecar of cudahisto", done.stderr)



unittest.main()
