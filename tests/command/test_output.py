#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""test_output.py COMMAND: subcommands never destroy a file: not an input, not a file of another kind, and not on a full
disk."""

import fcntl
import gzip
import os
import pty
import re
import resource
import subprocess
import sys
import termios
import time
import unittest

from lines import COMMAND, FolderTest, complain, cudahisto, dump
from pipe import list_open_files

LINE = {"cudahisto": 1, "element": "a", "backend": "cpu", "frame": 0, "frames": 1, "format": "GRAY8", "width": 2, "height": 1,
        "depth": 8, "framerate": "25/1", "stream-time": 0, "duration": 40000000, "light": {"histogram": [2] + [0] * 4095},
        "components": {"Y": {"count": 2, "sum": 3, "mean": 1.5, "min": 1, "max": 2, "low": 1, "median": 1, "high": 2,
                             "histogram": [0, 1, 1] + [0] * 253},
                       "U": {"count": 1}, "V": {"count": 1}}}
CUT = {"cudahisto": 1, "event": "scene-change", "start": 20000000, "end": 20000000, "frame": 1, "frames": 1,
       "ended-by": "complete", "element": "a"}
# Each output format, and its exit status.
FORMS = ((("csv",), 0), (("csv", "--histograms"), 0), (("csv", "--signalstats"), 0), (("csv", "--qctools"), 0),
         (("events",), 1), (("events", "-f", "json"), 1), (("events", "-f", "edl"), 1), (("events", "-f", "ffmetadata"), 1),
         (("light", "-f", "hdr10plus"), 0), (("merge",), 0), (("report",), 0))
F_GETPIPE_SZ = 1032
FILM = bytes(range(256)) * 20
OTHERS = (FILM, b"a,b\n1,2\n", b"frame,psnr\n0,41.2\n", b"frame,element,verdict\n1,a,notes\n",
          b"frame,frames,comment\n0,1,mine\n", b"frame,frames,width,height\n0,1,2,3\n", b"frame,frames,Y_count,mine",
          b"frame,frames,Y_count,Y_verdict\n0,1,2,3\n", b"frames,frame,Y_count\n1,0,2\n",
          b"element,backend,frame,frames,Y_count,x\na,cpu,0,1,2,mine\n", b"frame,frames,Y_count,my_mean\n0,1,2,3\n",
          b"frame,pts_time,lavfi.signalstats.YMIN,comment\n0,0.0,16,mine\n",
          b'{"cudahisto":1,"element":"a","backend":"cpu","frame":0,"frames":1,"components":{"Y":{"count":2}}}\n' * 200,
          b'{"name": "mine"}\n', b"TITLE: mine\n\n001  BL V C 00:00:00:00\n",
          b";FFMETADATA1\ntitle=mine\n", b"[1, 2]\n", b"<!DOCTYPE html><title>mine</title>\n", gzip.compress(FILM), b"\x1f\x8b",
          b'<?xml version="1.0" encoding="UTF-8"?>\n<ffprobe:ffprobe xmlns:ffprobe="http://www.ffmpeg.org/schema/ffprobe">\n'
          b'    <frames>\n        <frame media_type="video" key_frame="1" pict_type="I">\n')


class Output(FolderTest):
    def setUp(self):
        super().setUp()
        self.lines, self.out = self.folder / "film.jsonl", self.folder / "out"
        self.text = dump([LINE, CUT])
        self.lines.write_text(self.text)

    def write(self, form, out, status, **options):
        return complain(*form, self.lines, "-o", out, status=status, **options)

    def test_input_is_not_overwritten(self):
        link, symlink = self.folder / "link", self.folder / "symlink"
        link.hardlink_to(self.lines)
        symlink.symlink_to(self.lines)
        for form, _ in FORMS:
            for out in (self.lines, link, symlink):
                self.assertIn("is an input", self.write(form, out, 2))
                with self.lines.open("rb") as film:
                    self.assertIn("is an input", complain(*form, "-", "-o", out, stdin=film))
                self.assertEqual(self.lines.read_text(), self.text, form)

    def test_input_is_not_standard_output(self):
        other = self.folder / "other.jsonl"
        other.write_text(self.text)
        commands = [(*form, "-o", "-") for form, _ in FORMS if form[0] == "report"]
        commands += [form for form, _ in FORMS if form[0] != "report"]
        commands += [("merge", "-i", "10ms"), ("show", "--rows=1000"), ("show", "--follow")]
        for command in commands:
            for inputs in ([self.lines], ["-"], [other, self.lines] if command[0] in ("merge", "report") else [self.lines]):
                with self.lines.open("ab") as out, self.lines.open("rb") as film:
                    done = subprocess.run([COMMAND, *command, *inputs], stdin=film, stdout=out, stderr=subprocess.PIPE,
                                          timeout=300, check=False)
                self.assertEqual(done.returncode, 2, command)
                self.assertIn(b"standard output is the input ", done.stderr)
                self.assertEqual(self.lines.read_text(), self.text, command)
        with self.out.open("ab") as out:
            subprocess.run([COMMAND, "csv", self.lines, "-o", "/dev/stdout"], stdout=out, check=True)
        self.assertEqual(self.out.read_text(), cudahisto("csv", self.lines))

    def test_others_are_not_overwritten(self):
        for form, _ in FORMS:
            for content in OTHERS:
                for name in ("film.mp4", "film.gz"):
                    out = self.folder / name
                    out.write_bytes(content)
                    self.assertIn(f" exists and was changed, or was not written by `cudahisto {form[0]}`. ",
                                  self.write(form, out, 2))
                    self.assertEqual(out.read_bytes(), content, form)
                    out.unlink()

    def test_edited_are_not_overwritten(self):
        """Neither is a copy without the mark, nor another subcommand's output; --force overwrites all of them."""
        for form, status in FORMS:
            self.write(form, self.out, status)
            whole = self.out.read_bytes()
            edits = (whole + b"my notes\n", whole.replace(b"1", b"7", 1), whole[:-1], b"<!-- mine -->" + whole)
            for edited in edits:
                for is_in_place in True, False:
                    self.write((*form, "--force"), self.out, status)
                    self.assertEqual(self.out.read_bytes(), whole)
                    if not is_in_place:
                        self.out.unlink()
                    self.out.write_bytes(edited)
                    self.assertIn(" exists and was changed", self.write(form, self.out, 2))
                    self.assertEqual(self.out.read_bytes(), edited, form)
            self.out.unlink()
            self.out.write_bytes(whole)
            self.assertIn(" exists and was changed", self.write(form, self.out, 2))
            self.write((*form, "--force"), self.out, status)
            other = ("merge",) if form[0] != "merge" else ("csv",)
            self.assertIn(" exists and was changed", self.write(other, self.out, 2))
            self.out.unlink()

    def test_what_happens_meanwhile(self):
        """A file that appears, disappears, is replaced or changed while the command reads is kept."""
        def start(form):
            reading = subprocess.Popen([COMMAND, *form, "-", "-o", self.out], stdin=subprocess.PIPE, stderr=subprocess.PIPE,
                                       encoding="utf-8")
            end = time.monotonic() + 60
            while not any(path.startswith(str(self.folder)) and path != str(self.out) for path in list_open_files(reading.pid)):
                self.assertLess(time.monotonic(), end)  # it has not begun to write, but may be checking the old file
                time.sleep(0.02)
            return reading

        new = self.folder / "new"
        for form, status in FORMS:
            for words, happen in (("appeared", lambda: self.out.write_text("mine")),
                                  ("disappeared", self.out.unlink),
                                  ("was replaced", lambda: (new.write_text("mine"), new.replace(self.out))),
                                  ("was changed", lambda: self.out.write_text("mine"))):
                if words != "appeared":
                    self.write((*form, "--force"), self.out, status)
                reading = start(form)
                happen()
                self.assertIn(f"{self.out} {words} while cudahisto was running", reading.communicate(self.text)[1], form)
                self.assertEqual(reading.returncode, 2)
                self.assertEqual(self.out.read_text() if words != "disappeared" else "mine", "mine")
                self.out.unlink(missing_ok=True)
                self.assertEqual([path.name for path in self.folder.iterdir()], ["film.jsonl"])

    def test_fifo_without_a_reader(self):
        os.mkfifo(self.out)
        for form, status in FORMS[::3]:
            begin = time.monotonic()
            self.assertIn(f"no program reads the pipe {self.out}: start its reader first", self.write(form, self.out, 2))
            self.assertTrue(1.9 < time.monotonic() - begin < 30, "it waits two seconds for a reader")
            with open(self.folder / "read", "wb") as read, subprocess.Popen(["cat", self.out], stdout=read) as reader:
                self.write(form, self.out, status)
                self.assertEqual(reader.wait(60), 0)
            self.assertGreater((self.folder / "read").stat().st_size, 50)

    def test_own_are_overwritten(self):
        for form, status in FORMS:
            for name in ("out", "out.gz"):
                out = self.folder / name
                self.write(form, out, status)
                first = out.read_bytes()
                self.assertTrue(first)
                self.write(form, out, status)
                self.assertEqual(out.read_bytes(), first, form)
                out.write_bytes(b"")
                self.write(form, out, status)
                self.assertEqual(out.read_bytes(), first, form)
                out.unlink()
        self.lines.write_text(dump([{**LINE, "framerate": "25/1", "stream-time": None, "duration": None}]))
        for form in ("text", "json", "edl", "ffmetadata"):  # without events or scenes
            for _ in range(2):
                self.write(("events", "-f", form), self.out, 0)

    def test_links_and_permissions(self):
        folder = self.folder / "elsewhere"
        folder.mkdir()
        for form, status in FORMS:
            file, link = folder / "file", self.folder / "link"
            link.symlink_to(file)
            self.write(form, link, status)  # a link without a target
            self.assertTrue(link.is_symlink())
            text = file.read_bytes()
            file.chmod(0o640)
            self.write(form, link, status)
            self.assertTrue(link.is_symlink())
            self.assertEqual((file.stat().st_mode & 0o7777, file.read_bytes()), (0o640, text), form)
            self.assertEqual(os.listdir(folder), ["file"])
            link.unlink()
            file.unlink()

    def test_umask(self):
        self.write(("csv",), self.out, 0, preexec_fn=lambda: os.umask(0o027))
        self.assertEqual(self.out.stat().st_mode & 0o7777, 0o640)

    def test_failure_loses_nothing(self):
        """On a full disk, simulated by a limit of the file size."""
        times = [i * 40000000 for i in range(2000)]
        self.lines.write_text("".join(
            dump([{**LINE, "frame": i, "stream-time": time, "running-time": time, "timestamp": time},
                  {**CUT, "frame": i, "start": time, "end": time}]) for i, time in enumerate(times)))
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
        for form, status in FORMS:
            form = (*form, "-i", "40ms") if form[0] == "merge" else form
            self.write(form, self.out, status)
            before = self.out.read_bytes()
            said = subprocess.run([COMMAND, *form, self.lines, "-o", self.out],
                                  stderr=subprocess.PIPE, preexec_fn=limit, check=False)
            self.assertEqual(said.returncode, 2, form)
            self.assertIn(b"cannot be written: File too large", said.stderr)
            self.assertEqual(self.out.read_bytes(), before, form)
            self.assertEqual(sorted(os.listdir(self.folder)), ["film.jsonl", "out"])
            self.out.unlink()

    def test_what_cannot_be_made_loses_nothing(self):
        self.write(("merge",), self.out, 0)
        before = self.out.read_bytes()
        self.lines.write_text(dump([LINE, {**LINE, "frame": 1, "format": "I420"}]))
        for options in ((), ("-i", "40ms")):
            self.assertIn("does not add up", self.write(("merge", *options), self.out, 2))
            self.assertEqual(self.out.read_bytes(), before)
        self.out.unlink()
        self.lines.write_text(self.text)
        self.write(("events",), self.out, 1)
        before = self.out.read_bytes()
        self.lines.write_text(dump([{**LINE, "framerate": None}, CUT]).replace('"framerate": null, ', ""))
        self.assertIn("no frame rate", self.write(("events", "-f", "edl"), self.out, 2))
        self.assertEqual(self.out.read_bytes(), before)

    def write_among_mounts(self, mounts, form, out, status, after=":"):
        """In its own namespace, where the user may mount."""
        script = f'set -e; {mounts}; "$@" || status=$?; {after}; exit ${{status:-0}}'
        run = lambda *command: subprocess.run(["unshare", "-rm", "bash", "-c", script, "-", *command], cwd=self.folder,
                                              capture_output=True, encoding="utf-8", check=False)
        if run(COMMAND, "--version").returncode != 0:
            self.skipTest("nothing can be mounted here, or a sanitizer misses what is hidden")
        done = run(COMMAND, *form, self.lines, "-o", out)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stderr

    def test_folder_that_takes_no_file(self):
        """The file in it can be written."""
        folder = self.folder / "closed"
        folder.mkdir()
        mounts = ("mount --bind closed closed; mount --bind closed/out closed/out; mount -o remount,bind,ro closed;"
                  "! touch closed/x")
        for form, status in FORMS:
            out = folder / "out"
            self.lines.write_text(self.text)
            self.write(form, out, status)
            text = out.read_bytes()
            for before in (b"", text + b"\n", text):  # shorter, longer
                out.write_bytes(before)
                self.write_among_mounts(mounts, (*form, "--force"), out, status)
                self.assertEqual(out.read_bytes(), text, form)
            self.write_among_mounts(mounts, form, out, status)
            self.assertEqual(os.listdir(folder), ["out"])
            out.unlink()
        self.write(("events", "-f", "edl"), out, 1)
        text = out.read_bytes()
        self.lines.write_text(dump([{**LINE, "framerate": None}, CUT]).replace('"framerate": null, ', ""))
        self.assertIn("no frame rate", self.write_among_mounts(mounts, ("events", "-f", "edl"), out, 2))
        self.assertEqual(out.read_bytes(), text)
        said = self.write_among_mounts(f"export TMPDIR=$PWD/closed; {mounts}", ("events", "-f", "edl"), out, 2)
        self.assertIn("/closed. Set TMPDIR to another folder", said)

    def test_mount_point(self):
        self.write(("csv",), self.out, 0)
        text = self.out.read_bytes()
        (self.folder / "real").write_bytes(text * 2)
        self.write_among_mounts("mount --bind real out", ("csv", "--force"), self.out, 0)
        self.assertEqual((self.folder / "real").read_bytes(), text)
        self.write_among_mounts("mount --bind real out", ("csv",), self.out, 0)
        self.assertEqual(sorted(os.listdir(self.folder)), ["film.jsonl", "out", "real"])
        # On a full disk.
        self.lines.write_text("".join(dump([{**LINE, "frame": i}]) for i in range(2000)))
        (self.folder / "small").mkdir()
        mounts = "mount -t tmpfs -o size=16k tmpfs small; cp real small; mount --bind small/real out"
        said = self.write_among_mounts(mounts, ("csv", "--force"), self.out, 2, after="cat out >after")
        self.assertIn("cannot be written: No space left", said)
        self.assertEqual((self.folder / "after").read_bytes(), text)
        # If the free space is unknown: the C library tries, and reads the existing content.
        self.write(("csv",), self.folder / "plain", 0)
        whole = (self.folder / "plain").read_bytes()
        (self.folder / "real").write_bytes(whole[:whole.index(b"\n", len(whole) // 2) + 1])
        mounts = "mount -t ramfs ramfs small; cp real small; mount --bind small/real out"
        self.write_among_mounts(mounts, ("csv", "--force"), self.out, 0, after="cat out >after")
        self.assertEqual((self.folder / "after").read_bytes(), whole)

    def test_named_file_is_removed(self):
        """If a file without a name cannot get one."""
        self.lines.write_text(dump([{**LINE, "framerate": None}, CUT]).replace('"framerate": null, ', ""))
        mounts = "mount -t tmpfs tmpfs /proc"
        self.write_among_mounts(mounts, ("events", "-f", "edl"), self.out, 2)
        self.assertEqual(os.listdir(self.folder), ["film.jsonl"])
        self.write_among_mounts(mounts, ("csv",), self.out, 0)
        self.assertEqual(self.out.read_text(), cudahisto("csv", self.lines))
        self.assertEqual(sorted(os.listdir(self.folder)), ["film.jsonl", "out"])

    def run_as(self, user, *command):
        """Runs as another user, in a folder that all users can access."""
        able = {"user": user, "group": user, "extra_groups": [], "check": False}
        if os.geteuid() != 0 or subprocess.run([COMMAND, "--version"], capture_output=True, **able).returncode != 0:
            self.skipTest("nobody else can run it here")
        return subprocess.run([COMMAND, *command], stderr=subprocess.PIPE, encoding="utf-8", **able)

    def test_somebody_elses_file(self):
        """In a folder such as /tmp it cannot be replaced, but written by users with permission."""
        if os.geteuid() != 0:
            self.skipTest("files cannot be given away here")
        self.folder.chmod(0o1777)
        self.write(("csv",), self.out, 0)
        text = self.out.read_bytes()
        self.out.write_bytes(text * 2)
        self.out.chmod(0o666)
        os.chown(self.out, 12345, 12346)
        done = self.run_as(54321, "csv", "--force", self.lines, "-o", self.out)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        about = self.out.stat()
        self.assertEqual((about.st_uid, about.st_gid, about.st_mode & 0o7777), (12345, 12346, 0o666))
        self.assertEqual(self.out.read_bytes(), text)
        self.assertEqual(sorted(os.listdir(self.folder)), ["film.jsonl", "out"])

    def test_owner_and_group(self):
        """They are kept. If they cannot be, another group gets no permissions."""
        if os.geteuid() != 0:
            self.skipTest("files cannot be given away here")
        self.folder.chmod(0o777)
        self.write(("csv",), self.out, 0)
        os.chown(self.out, 12345, 12346)
        self.out.chmod(0o6666)
        self.write(("csv",), self.out, 0)
        about = self.out.stat()
        self.assertEqual((about.st_uid, about.st_gid, about.st_mode & 0o7777), (12345, 12346, 0o6666))
        self.assertEqual(self.run_as(54321, "csv", self.lines, "-o", self.out).returncode, 0)
        about = self.out.stat()
        self.assertEqual((about.st_uid, about.st_gid, about.st_mode & 0o7777), (54321, 54321, 0o606))

    def wait_for_full(self, pipe):
        """Waits until the pipe is full."""
        end = time.monotonic() + 60
        while int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)), sys.byteorder) < fcntl.fcntl(pipe, F_GETPIPE_SZ):
            self.assertLess(time.monotonic(), end)
            time.sleep(0.02)

    def test_cut_between_two_readings(self):
        """The header is made from the first reading. The second one waits while the pipe is full."""
        fifo = self.folder / "fifo"
        os.mkfifo(fifo)
        for change in ("cut", "other fields"):
            self.lines.write_text("".join(dump([{**LINE, "frame": i}]) for i in range(10000)))
            pipe = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
            with subprocess.Popen([COMMAND, "csv", self.lines, "-o", fifo], stderr=subprocess.PIPE) as reading:
                self.wait_for_full(pipe)
                os.set_blocking(pipe, True)
                text = self.lines.read_text()
                if change == "cut":
                    os.truncate(self.lines, len(text) // 2)
                else:
                    self.lines.write_text(text.replace('"width"', '"later"'))
                with open(pipe, "rb") as rest:
                    rest.read()
                said = reading.stderr.read().decode()
            self.assertEqual(reading.returncode, 2, change)
            self.assertIn("was changed while it was read, and the table is incomplete: it had 10000 results", said)

    def run_on_terminal(self, *command, **options):
        """Returns its two outputs."""
        ours, theirs = pty.openpty()
        with subprocess.Popen([COMMAND, *command], stdout=theirs, stderr=theirs, env={**os.environ, "LC_ALL": "C.UTF-8"},
                              **options) as showing:
            os.close(theirs)
            text = b""
            try:
                while block := os.read(ours, 65536):
                    text += block
            except OSError:  # the other side is closed
                pass
            os.close(ours)
            showing.communicate()
        return text.decode()

    def test_terminal_obeys_nothing(self):
        """No control characters come from lines or file names."""
        hostile = "\x1b[2J\u202e"
        named = self.folder / f"{hostile}.jsonl"
        components = {f"{name}{hostile}": member for name, member in LINE["components"].items()}
        self.lines.write_text(dump([{**LINE, "format": f"{hostile}a\tb\nc", "components": components, hostile: hostile},
                                    {**CUT, "event": hostile}]) * 2000 + "{" + hostile + "}\n")
        self.lines.rename(named)
        commands = [form for form, _ in FORMS if form[0] != "report"] + [("show",), ("show", "--follow", "-"), ("report",)]
        for command in commands:
            for path in (["-"] if "-" in command else [named, "/dev/stdin"]):
                output = ["-o", self.folder / f"{hostile}.html"] if command[0] == "report" else []
                with named.open("rb") as lines, subprocess.Popen(["cat"], stdin=lines, stdout=subprocess.PIPE) as cat:
                    text = self.run_on_terminal(*(word for word in command if word != "-"), path, *output, stdin=cat.stdout)
                self.assertTrue(text)
                shown = re.sub("\x1b\\[(K|[0-9;]*m)", "", text).translate(str.maketrans("", "", "\r\n\t"))
                self.assertTrue(shown.isprintable(), (command, path, re.findall(r"[^\x20-\x7e]{1,9}", shown)[:3]))

    def test_page_alone_is_in_standard_output(self):
        page = cudahisto("report", self.lines, "-o", "-")
        link = self.folder / "link"
        link.symlink_to("/proc/self/fd/1")
        for out in ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", link):
            self.assertEqual(cudahisto("report", self.lines, "-o", out), page, out)  # a pipe
            if out == link:
                continue
            with self.out.open("wb") as file:
                subprocess.run([COMMAND, "report", self.lines, "-o", out], stdout=file, check=True)
            self.assertEqual(self.out.read_text(), page, out)
        self.assertRegex(cudahisto("report", self.lines, "-o", self.folder / "a.html"), "a.html: 1 file, 0.[0-9] MB\n")


unittest.main()
