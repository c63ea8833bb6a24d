#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""test_service.py COMMAND: `cudahisto measure` as a service: its file is rotated, it is stopped, killed and restarted, and all
results stay."""

import json
import os
import shutil
import signal
import subprocess
import time
import unittest

from lines import COMMAND, FolderTest


def lines_of(path):
    """Complete lines."""
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.endswith("\n")]


def wait_for(what):
    until = time.monotonic() + 200
    while not what():
        assert time.monotonic() < until, "it does not come"
        time.sleep(0.02)


@unittest.skipUnless(shutil.which("ffmpeg"), "ffmpeg is not installed")
class Service(FolderTest):
    def setUp(self):
        super().setUp()
        self.path = os.path.join(self.folder, "camera.jsonl")
        self.rotated = self.path + ".1"

    def start(self):
        camera = subprocess.Popen(
            ["ffmpeg", "-nostdin", "-v", "error", "-re", "-f", "lavfi", "-i", "testsrc2=s=64x48:r=50", "-c:v", "rawvideo",
             "-flush_packets", "1", "-f", "nut", "-"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        service = subprocess.Popen([COMMAND, "measure", "--quiet", "-", "-o", self.path, "--set=sidecar-mode=append"],
                                   stdin=camera.stdout, stderr=subprocess.PIPE)
        camera.stdout.close()

        def clean_up():
            camera.kill()
            camera.wait()
            service.kill()
            service.wait()
            service.stderr.close()

        self.addCleanup(clean_up)
        return service

    def has_lines(self, count):
        return os.path.exists(self.path) and len(lines_of(self.path)) >= count

    def test_rotation(self):
        service = self.start()
        wait_for(lambda: self.has_lines(20))
        os.rename(self.path, self.rotated)
        service.send_signal(signal.SIGUSR1)
        wait_for(lambda: self.has_lines(20))
        service.send_signal(signal.SIGTERM)
        self.assertEqual(service.wait(60), -signal.SIGTERM, service.stderr.read())
        lines = lines_of(self.rotated) + lines_of(self.path)
        frames = [line["frame"] for line in lines if "event" not in line]
        self.assertEqual(frames, list(range(len(frames))))
        self.assertEqual([line["event"] for line in lines if "event" in line], ["incomplete"])

    def test_reload_at_any_time(self):
        """From before the program's start, while its parent ignores the signal, until after its end."""
        film = os.path.join(os.path.dirname(self.path), "film.mkv")
        subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=64x48:d=4", "-c:v", "ffv1", film],
                       check=True)
        for _ in range(5):
            service = subprocess.Popen([COMMAND, "measure", "--quiet", film, "-o", self.path],
                                       stderr=subprocess.PIPE, encoding="utf-8",
                                       preexec_fn=lambda: signal.signal(signal.SIGUSR1, signal.SIG_IGN))
            self.addCleanup(service.stderr.close)
            self.addCleanup(service.kill)
            until = time.monotonic() + 60
            while service.poll() is None and time.monotonic() < until:
                service.send_signal(signal.SIGUSR1)
                time.sleep(0.0005)
            self.assertEqual(service.returncode, 0, service.stderr.read())

    def test_restart(self):
        service = self.start()
        wait_for(lambda: self.has_lines(10))
        service.kill()
        service.wait()
        with open(self.path, "ab") as file:
            file.write(b'{"cudahisto":1,"elem')  # torn by a power cut
        before = lines_of(self.path)
        service = self.start()
        wait_for(lambda: len(lines_of(self.path)) >= len(before) + 10)
        service.send_signal(signal.SIGTERM)
        service.wait(60)
        lines = lines_of(self.path)
        self.assertEqual(lines[:len(before)], before)
        self.assertEqual(lines[len(before)]["frame"], 0)


unittest.main(verbosity=2)
