# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""test_editlists.py COMMAND: `cudahisto measure` reads MP4 with edit lists and fragments to its end, from files, pipes and
HTTP."""
import http.server
import re
import struct
import subprocess
import threading
import unittest

import films
from lines import COMMAND, FolderTest, read

FFMPEG = ["ffmpeg", "-nostdin", "-v", "error", "-y"]
LOW_DELAY = ("-pix_fmt", "yuv420p", "-c:v", "libx264", "-bf", "0")
REORDERED = ("-pix_fmt", "yuv420p", "-c:v", "libx264", "-bf", "2", "-g", "25")
FRAME = 40_000_000


class EditLists(FolderTest):
    def make(self, name, *options, seconds=4):
        path = self.folder / name
        subprocess.run([*FFMPEG, "-f", "lavfi", "-i", f"testsrc2=s=64x64:d={seconds}", *options, path], check=True)
        return path

    def measure(self, *arguments, status=0, **options):
        """Returns the results, and the warnings."""
        measured = subprocess.run([COMMAND, "measure", "--force", "-o", "out.jsonl", *arguments], capture_output=True,
                                  cwd=self.folder, env=films.make_environment(), timeout=300, **options)
        self.assertEqual(measured.returncode, status, measured.stderr)
        return [line for line in read(self.folder / "out.jsonl") if "event" not in line], measured.stderr.decode()

    def check_whole(self, path, frames, skipped=0, start=0):
        """Measures a film from the file and from a pipe."""
        for arguments, options in ([path], {}), (["-"], {"input": path.read_bytes()}):
            with self.subTest(path=path.name, arguments=arguments):
                results, said = self.measure(*arguments, **options)
                self.assertEqual([result["stream-time"] for result in results],
                                 [start + frame * FRAME for frame in range(frames)])
                self.assertEqual(re.findall(r"skips its first (\d+) frames", said), [str(skipped)] if skipped else [], said)
                self.assertEqual(said.count("cudahisto: "), 1 if skipped else 0, said)

    def test_beginning_that_is_skipped(self):
        """Negative timestamps become an edit list."""
        for offset, seconds, options in (("-2", 4, ["-g", "250"]), ("-2", 4, ["-bf", "2"]), ("-3", 10, ["-g", "25"]),
                                         ("-1", 10, ["-movflags", "+faststart"])):
            with self.subTest(offset=offset, options=options):
                film = self.make("edit.mp4", *LOW_DELAY, *options, "-output_ts_offset", offset, seconds=seconds)
                frames = int((seconds + float(offset)) * 25)
                self.check_whole(film, frames)
                results, _ = self.measure(film, "-r", film)
                self.assertEqual(sum("reference" in line["components"]["Y"] for line in results), frames)

    def test_delay_of_reordered_frames(self):
        """The edit list skips it. In a stream, GStreamer takes it for a part of the film, and ends at a later key frame."""
        for frames in range(97, 101):
            for sound in [], ["-f", "lavfi", "-i", "sine=d=4", "-c:a", "aac"]:
                film = self.make("delay.mp4", *sound, *REORDERED, "-g", "12", "-frames:v", str(frames), "-movflags",
                                 "+faststart")
                self.check_whole(film, frames)

    def test_fine_timescale(self):
        """Times of more than 31 bits."""
        for movie, track in ("1000000000", "12800"), ("1000", "1000000000"):
            film = self.make("edit.mp4", *LOW_DELAY, "-g", "25", "-output_ts_offset", "-3", "-movie_timescale", movie,
                             "-video_track_timescale", track)
            self.check_whole(film, 25)

    def test_references_over_http(self):
        """Also with the headers at the end."""
        for options in [], ["-movflags", "+faststart"]:
            film = self.make("edit.mp4", *LOW_DELAY, "-g", "25", *options, "-output_ts_offset", "-3", seconds=10)
            with http.server.ThreadingHTTPServer(("127.0.0.1", 0), films.OneFilm) as server:
                server.film = film.read_bytes()
                threading.Thread(target=server.serve_forever, daemon=True).start()
                results, said = self.measure(film, "-r", f"http://127.0.0.1:{server.server_port}/edit.mp4")
                server.shutdown()
            self.assertEqual([line["components"]["Y"].get("reference", {}).get("mse") for line in results], [0] * 175, said)

    def test_sound_that_is_skipped(self):
        """In a stream, GStreamer ends video 2 s before sound, by times without edits. The advised film has all frames."""
        film = self.make("film.mp4", "-f", "lavfi", "-itsoffset", "-3", "-i", "sine=d=12", "-map", "0:v", "-map", "1:a",
                         *LOW_DELAY, "-c:a", "aac", "-avoid_negative_ts", "disabled", "-movflags", "+faststart")
        self.assertEqual(len(self.measure(film)[0]), 100)
        results, said = self.measure("-", input=film.read_bytes(), status=2)
        self.assertLess(len(results), 100)
        self.assertIn(": qtdemux mishandles its edit list. Convert it: ", said)
        self.assertNotIn("it may be cut off", said)
        advice = re.search("`(ffmpeg [^`]*)`", said)[1].replace("FILM", str(film)).replace("film.mkv", "better.mkv").split()
        subprocess.run([*advice, "-nostdin", "-v", "error"], check=True, cwd=self.folder)
        self.assertEqual(len(self.measure("better.mkv")[0]), 100)

    def test_fragments(self):
        """Frames are reordered: the times of a fragment's last frames are after its duration."""
        film = self.make("film.mkv", *REORDERED)
        for number, (options, start) in enumerate((
                ("-movflags frag_keyframe+empty_moov", 2), ("-movflags frag_keyframe", 2), ("-frag_duration 500000", 2),
                ("-movflags frag_keyframe+skip_trailer", 2), ("-movflags frag_keyframe -use_editlist 1", 0),
                ("-frag_duration 1000000 -movflags delay_moov+skip_trailer", 0))):
            path = self.folder / f"{number}.mp4"
            subprocess.run([*FFMPEG, "-i", film, "-c", "copy", *options.split(), path], check=True)
            self.check_whole(path, 100, start=start * FRAME)

    def test_edits_of_fragments(self):
        """The edit has no duration, that of the first fragment, or of all."""
        film = self.make("film.mkv", *REORDERED, "-force_key_frames", "0,2,3", "-g", "250")
        for options in ("-frag_duration 500000 -use_editlist 1", "-frag_duration 500000 -movflags delay_moov",
                        "-frag_duration 1500000 -use_editlist 1 -movflags skip_trailer"):
            path = self.folder / "cut.mp4"
            subprocess.run([*FFMPEG, "-ss", "1.52", "-i", film, "-c", "copy", *options.split(), path], check=True)
            whole = path.read_bytes()
            at = whole.index(b"elst") + 12
            for duration in 0, 500, 2480:
                path.write_bytes(whole[:at] + struct.pack(">I", duration) + whole[at + 4:])
                self.check_whole(path, 62, skipped=38)

    def test_fragments_that_begin_late(self):
        film = self.make("film.mkv", *REORDERED)
        path = self.folder / "late.mp4"
        subprocess.run([*FFMPEG, "-i", film, "-c", "copy", "-frag_duration", "1000000", "-use_editlist", "1",
                        "-output_ts_offset", "2", path], check=True)
        whole = path.read_bytes()
        at = whole.index(b"elst") + 24
        for duration in 0, 1000:
            path.write_bytes(whole[:at] + struct.pack(">I", duration) + whole[at + 4:])
            self.check_whole(path, 100, start=2 * 10**9)


if __name__ == "__main__":
    unittest.main()
