# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""test_endings.py COMMAND: `cudahisto measure` ends with any input, also if no data comes any more."""
import json
import os
import socket
import subprocess
import time
import unittest

import films
from lines import COMMAND, FolderTest, read

# Extra time for a machine under load, in seconds.
PATIENCE = 60


def make(path, *options):
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=64x48:r=25", "-t", "2", *options,
                    path], check=True)
    return path


class Endings(FolderTest):
    def start(self, *arguments, **options):
        process = subprocess.Popen([COMMAND, "measure", *arguments], stderr=subprocess.PIPE, encoding="utf-8", cwd=self.folder,
                                   env=films.make_environment(), **options)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def finish(self, process, status):
        process.wait(PATIENCE)
        said = process.stderr.read()
        self.assertEqual(process.returncode, status, said)
        return said

    def check_part(self, path, words):
        """Checks complete, consecutive lines, and the last one with the reason. Returns the number of frames."""
        text = path.read_text()
        self.assertTrue(text.endswith("}\n"))
        *results, mark = map(json.loads, text.splitlines())
        self.assertEqual([result["frame"] for result in results], list(range(len(results))))
        self.assertEqual((mark["event"], mark["frame"]), ("incomplete", len(results)))
        self.assertIn(words, mark["reason"])
        return len(results)

    # ---- demuxers that miss their end

    def test_files_that_are_read_past_their_end(self):
        for name, *options in (["a.gif"], ["a.nut", "-c:v", "rawvideo"],
                               ["b.nut", "-c:v", "libx264", "-pix_fmt", "yuv420p", "-bf", "3"]):
            with self.subTest(name):
                make(self.folder / name, *options)
                said = self.finish(self.start(name, "-o", "out.jsonl"), 0)
                self.assertRegex(said, rf"\A{name}: 50 frames[^\n]*\n  50 results in out.jsonl; [^\n]*\n\Z")
                self.assertEqual(len(read(self.folder / "out.jsonl")), 50)
                (self.folder / "out.jsonl").unlink()

    def test_files_that_are_shorter_than_a_demuxer_reads_ahead(self):
        """Without waiting for a timeout."""
        make(self.folder / "short.nut", "-c:v", "mpeg4", "-frames:v", "12")
        for name, *options in (["cut.gif"], ["cut.nut", "-c:v", "mpeg4", "-g", "5"]):
            path = make(self.folder / name, *options)
            path.write_bytes(path.read_bytes()[:path.stat().st_size * 6 // 10])
        for name, status, frames in ("short.nut", 0, 12), ("cut.gif", 1, None), ("cut.nut", None, None):
            with self.subTest(name):
                process = self.start(name, "-o", "out.jsonl", "--force", "--timeout=600")
                process.wait(PATIENCE)
                said = process.stderr.read()
                self.assertIn(process.returncode, (0, 1) if status is None else (status,), said)
                results = [line for line in read(self.folder / "out.jsonl") if "event" not in line]
                self.assertEqual(len(results), frames or len(results), said)
                self.assertGreater(len(results), 10)

    def test_pipe_that_is_read_past_its_end(self):
        """Loses no frame in the decoder, and measures the next film."""
        film = make(self.folder / "b.nut", "-c:v", "libx264", "-pix_fmt", "yuv420p", "-bf", "3", "-qp", "1").read_bytes()
        process = self.start("-", films.get("h264.mp4"), "-o", "out/", "--timeout=3", stdin=subprocess.PIPE)
        process.stdin.buffer.write(film)
        process.stdin.close()
        said = self.finish(process, 0)
        self.assertIn("did not stop", said)
        for name in "stdin", "h264":
            results = read(self.folder / f"out/{name}.jsonl")
            self.assertEqual([result["frame"] for result in results], list(range(50)))

    def test_gif_from_a_pipe(self):
        """FFmpeg's demuxer needs a file. The error names the remedy, which helps."""
        path = make(self.folder / "a.gif")
        process = self.start("-", "-o", "out.jsonl", "--timeout=20", stdin=subprocess.PIPE)
        process.stdin.buffer.write(path.read_bytes())
        process.stdin.close()
        process.wait(PATIENCE)
        if process.returncode != 0:  # other versions of GStreamer may read it
            self.assertEqual(self.finish(process, 2), "cudahisto: \"standard input\" cannot be decoded: GStreamer cannot read "
                             "this film from a pipe. Measure it from a file.\n")
            self.assertFalse((self.folder / "out.jsonl").exists())
            self.finish(self.start("a.gif", "-o", "out.jsonl"), 0)
        self.assertEqual(len(read(self.folder / "out.jsonl")), 50)

    def test_mxf_from_a_pipe(self):
        """With sound, the error was that there is no video."""
        for name, *options in ("a.mxf",), ("b.mxf", "-f", "lavfi", "-i", "sine=sample_rate=48000", "-t", "2", "-c:a",
                               "pcm_s16le"):
            path = make(self.folder / name, *options, "-c:v", "mpeg2video")
            process = self.start("-", "-o", "out.jsonl", "--timeout=20", stdin=subprocess.PIPE)
            process.stdin.buffer.write(path.read_bytes())
            process.stdin.close()
            process.wait(PATIENCE)
            if process.returncode != 0:
                self.assertEqual(self.finish(process, 2), "cudahisto: \"standard input\" cannot be decoded: GStreamer cannot "
                                 "read this film from a pipe. Measure it from a file.\n")
            self.finish(self.start(path, "-o", "file.jsonl", "--force"), 0)

    # ---- nothing comes

    def test_nobody_is_there(self):
        os.mkfifo(self.folder / "fifo")
        ports = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)  # bound and never read, so that no other program uses it
        ports.bind(("127.0.0.1", 0))
        port = ports.getsockname()[1]
        ports.close()
        for where in "fifo", f"udp://127.0.0.1:{port}", f"srt://127.0.0.1:{port}":
            with self.subTest(where):
                process = self.start(where, "-o", "out.jsonl", "--timeout=2")
                lines = self.finish(process, 2).splitlines()
                self.assertIn(f'cudahisto: "{where}": no data for 2 s. --timeout=SECONDS waits longer, '
                              "--timeout=0 forever.", lines)
                self.assertFalse((self.folder / "out.jsonl").exists())

    def send(self, pause, *options):
        """Sends a film through a pipe, with a pause in the middle. The pipe stays open for a while after it."""
        film = make(self.folder / "film.mkv", "-c:v", "ffv1", "-g", "1").read_bytes()
        process = self.start("-", "-o", "out.jsonl", *options, stdin=subprocess.PIPE)
        process.stdin.buffer.write(film[:len(film) // 2])
        process.stdin.flush()
        time.sleep(pause)
        if process.poll() is None:
            process.stdin.buffer.write(film[len(film) // 2:])
            process.stdin.flush()
            process.stdin.close()
        return process

    def test_writer_that_stops(self):
        process = self.start("-", "-o", "out.jsonl", "--timeout=2", stdin=subprocess.PIPE)
        film = make(self.folder / "film.mkv", "-c:v", "ffv1", "-g", "1").read_bytes()
        process.stdin.buffer.write(film[:len(film) // 2])
        process.stdin.flush()
        said = self.finish(process, 2)
        process.stdin.close()
        frames = self.check_part(self.folder / "out.jsonl", '"standard input": no data for 2 s')
        self.assertGreater(frames, 10)
        self.assertIn(f"was measured in part, {frames} frames", said)

    def test_reference_that_stops(self):
        """The error is about the reference, which the film waits for."""
        film = make(self.folder / "film.mkv", "-c:v", "ffv1", "-g", "1").read_bytes()
        os.mkfifo(self.folder / "reference.mkv")
        process = self.start("film.mkv", "-r", "reference.mkv", "-o", "out.jsonl", "--timeout=2")
        with open(self.folder / "reference.mkv", "wb") as fifo:
            fifo.write(film[:len(film) // 2])
            fifo.flush()
            said = self.finish(process, 2)
        words = '"film.mkv" waits for its reference "reference.mkv": no data for 2 s'
        self.assertIn(f"cudahisto: {words}. --timeout=SECONDS waits longer, --timeout=0 forever.\n", said)
        self.assertGreater(self.check_part(self.folder / "out.jsonl", words), 10)

    def test_writer_that_pauses(self):
        for option in "--timeout=40", "--timeout=0":
            self.finish(self.send(4, option), 0)
            self.assertEqual(len(read(self.folder / "out.jsonl")), 50)
            os.unlink(self.folder / "film.mkv")

    def test_reader_that_pauses(self):
        """The wait for a reader of the results does not count as the film's."""
        process = self.start(films.get("many.mkv"), "-o", "-", "--timeout=1", stdout=subprocess.PIPE)
        time.sleep(4)
        lines = process.stdout.readlines()
        process.stdout.close()
        self.finish(process, 0)
        self.assertEqual([json.loads(line)["frame"] for line in lines], list(range(10000)))

    def test_suspended(self):
        """As by Ctrl-Z: time while the process is stopped does not count."""
        process = self.start("-", "-o", "out.jsonl", "--timeout=3", stdin=subprocess.PIPE)
        time.sleep(1)
        process.send_signal(19)  # SIGSTOP
        time.sleep(5)
        process.send_signal(18)  # SIGCONT
        process.stdin.buffer.write(make(self.folder / "film.mkv", "-c:v", "ffv1").read_bytes())
        process.stdin.close()
        self.finish(process, 0)

    def test_times(self):
        for text in "x", "-1", "":
            said = self.finish(self.start(films.get("h264.mp4"), f"--timeout={text}"), 2)
            self.assertIn("--timeout", said)


unittest.main()
