# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""test_damage.py COMMAND: `cudahisto measure` reports damage to films: damaged and missing frames, ends that are cut off,
joined films; and nothing for undamaged films."""
import json
import os
import re
import subprocess
import unittest

import damaged
import films
from lines import COMMAND, FolderTest, cudahisto, read


class Damage(FolderTest):
    def measure(self, path, *arguments, **options):
        done = subprocess.run([COMMAND, "measure", path, "-o", self.folder / "results.jsonl", *arguments], capture_output=True,
                              timeout=60, env=films.make_environment(), check=False, **options)
        lines = read(self.folder / "results.jsonl") if (self.folder / "results.jsonl").exists() else []
        events = [line for line in lines if line.get("event") == "damaged"]
        return done.returncode, done.stderr.decode(), events, [line for line in lines if "event" not in line]

    def check(self, path, *causes, missing=None, measured=None, some_missing=False, some_damaged=False):
        """Checks exit status 1, one event for each cause, and the same sums in summary and results."""
        status, said, events, results = self.measure(path)
        self.assertEqual(status, 1, said)
        found = {cause for event in events for cause in event["cause"].split("+")}
        self.assertTrue(found.issuperset(causes), (found, causes))
        frames, lost = (sum(event[name] for event in events) for name in ("frames", "missing"))
        of = f"{len(results)} of {len(results) + lost} frames" if lost > 0 else f"{len(results)} frame{'s'[:len(results) != 1]}"
        self.assertIn(f"{path}: {of}" + (f", {frames} damaged, " if frames > 0 else ", "), said)
        self.assertEqual(sum(result.get("damaged", 0) for result in results), frames)
        if measured is not None:
            self.assertIn(len(results), measured, said)
        if missing is not None:
            self.assertEqual(lost, missing)
        self.assertTrue(lost > 0 or not some_missing, events)
        self.assertTrue(frames > 0 or not some_damaged, events)
        for event in events:
            self.assertGreaterEqual(event["end"] or 0, event["start"])
            for index in range(event["frame"], event["frame"] + event["frames"]):
                self.assertEqual(results[index].get("damaged"), 1)
        return said, events

    # ---- no damage

    def test_sound_films(self):
        for name in damaged.FILMS:
            with self.subTest(name):
                status, said, events, results = self.measure(damaged.make(self.folder, name))
                self.assertEqual((status, events, len(results)), (0, [], damaged.FRAMES), said)
                self.assertNotIn("damaged", said)
                self.assertFalse([result for result in results if "damaged" in result or "missing" in result])

    def make(self, name, *options, pattern="testsrc2=size=160x120:rate=25:duration=2"):
        path = self.folder / name
        subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", "-f", "lavfi", "-i", pattern, *options, path], check=True)
        return path

    def test_sound_films_that_are_odd(self):
        h264 = ("-pix_fmt", "yuv420p", "-c:v", "libx264", "-preset", "fast")
        sound = ("-f", "lavfi", "-t", "3", "-i", "sine", "-c:a", "aac")
        for name, options in {
                "open.ts": (*h264, "-x264-params", "open-gop=1:keyint=12:bframes=3"),
                "open.mkv": (*h264, "-x264-params", "open-gop=1:keyint=12:bframes=3"),
                "fields.ts": (*h264, "-x264-params", "tff=1:keyint=12"),
                "fields.mpg": ("-c:v", "mpeg2video", "-flags", "+ildct+ilme", "-bf", "2"),
                "variable.mkv": ("-vf", "select='mod(n\\,7)*mod(n\\,5)'", "-vsync", "vfr", *h264),
                "variable.mp4": ("-vf", "select='mod(n\\,7)*mod(n\\,5)'", "-vsync", "vfr", *h264),
                **{f"last{suffix}": ("-vf", "select='lt(n\\,20)+gt(n\\,48)'", "-vsync", "vfr", *options)
                   for suffix, *options in ((".mkv", *h264), (".webm", "-c:v", "libvpx", "-cpu-used", "8"),
                                            (".flv", "-c:v", "flv"))},
                "variable.webm": ("-vf", "select='mod(n\\,7)*mod(n\\,5)'", "-vsync", "vfr", "-c:v", "libvpx", "-cpu-used", "8"),
                "hidden.webm": ("-c:v", "libvpx", "-auto-alt-ref", "1", "-lag-in-frames", "12", "-b:v", "100k"),
                "hidden9.webm": ("-c:v", "libvpx-vp9", "-auto-alt-ref", "1", "-lag-in-frames", "12", "-cpu-used", "8"),
                "fragments.mp4": (*h264, "-movflags", "frag_keyframe+empty_moov"),
                "frames.flv": (*h264, "-x264-params", "bframes=3:b-adapt=0"), # H.264 ends with a tag that flvdemux warns of
                "sound.mp4": (*sound, *h264), "sound.mkv": (*sound, *h264), "sound.flv": (*sound, *h264),
                "still.avi": ("-vf", "trim=end_frame=1,loop=49:1", "-c:v", "mpeg4"),
                "black.mkv": ("-vf", "drawbox=t=fill", "-c:v", "ffv1", "-level", "1"),
                "raw.avi": ("-c:v", "rawvideo", "-pix_fmt", "yuv420p"),
                **{f"late{suffix}": (*options, "-output_ts_offset", "5") for suffix, *options in (
                    (".mp4", *h264), (".mkv", *h264), (".webm", "-c:v", "libvpx", "-cpu-used", "8"), (".ts", *h264),
                    (".flv", *h264), (".avi", "-c:v", "mpeg4"), (".ogv", "-c:v", "libtheora"))}}.items():
            with self.subTest(name):
                status, said, events, _ = self.measure(self.make(name, *options))
                self.assertEqual((status, events), (0, []), said)

    def test_cut_films_that_begin_late(self):
        for name, codec in (("late.mkv", "ffv1"), ("late.webm", "libvpx")):
            with self.subTest(name):
                path = self.make(name, "-c:v", codec, "-output_ts_offset", "5")
                damaged.cut(path, 0.6)
                _, events = self.check(path, "cut", some_missing=True)
                self.assertEqual(events[-1]["frame"] + events[-1]["missing"], 50)

    def test_stream_that_is_joined_in_its_middle(self):
        """Frames before its first key frame are not damage."""
        path = self.make("whole.ts", "-pix_fmt", "yuv420p", "-c:v", "libx264", "-preset", "fast", "-x264-params",
                         "open-gop=1:keyint=12:bframes=3")
        data = path.read_bytes()
        begin = len(data) * 2 // 5 // 188 * 188
        path.write_bytes(data[:188 * 3] + data[begin:])
        status, said, events, results = self.measure(path)
        self.assertEqual((status, events), (0, []), said)
        self.assertGreater(len(results), 15)

    def test_damage_to_the_reference(self):
        """libav does not report which film has an error."""
        path, reference = damaged.make(self.folder, "mpeg4.avi"), damaged.make(self.folder, "h264.mkv")
        damaged.flip(reference, 40)
        status, said, events, results = self.measure(path, "-r", reference)
        self.assertEqual((events, len(results)), ([], damaged.FRAMES), said)
        self.assertNotIn("damaged,", said)
        status, said, events, results = self.measure(path, "-r", reference, "--force")
        self.assertEqual((status, events), (0, []), said)
        damaged.cut(path, 0.6)
        status, said, events, _ = self.measure(path, "-r", reference, "--force")
        self.assertEqual((status, events[-1]["cause"]), (1, "cut"), said)

    # ---- damage

    def test_flipped_bits(self):
        for name in ("h264.mp4", "h264.mkv", "mpeg4.avi", "ffv1.mkv", "prores.mov", "flv.flv", "mpeg2.mxf"):
            with self.subTest(name):
                path = damaged.make(self.folder, name)
                damaged.flip(path, 40)
                self.check(path, "decoder", some_damaged=True)

    def test_frames_that_cannot_be_decoded(self):
        path = damaged.make(self.folder, "mjpeg.avi")
        data = bytearray(path.read_bytes())
        begin = -1
        for index in range(30):
            begin = data.index(b"\xff\xd8\xff", begin + 1)
            if index in (10, 11, 20):
                data[begin:begin + 64] = bytes(64)
        path.write_bytes(data)
        _, events = self.check(path, "undecoded", missing=3)
        self.assertEqual([(event["start"] / 4e7, event["end"] / 4e7, event["missing"]) for event in events],
                         [(10, 12, 2), (20, 21, 1)])

    def test_zeros(self):
        for name, cause in (("h264.mp4", "undecoded"), ("mpeg4.avi", None), ("mjpeg.avi", "undecoded"),
                            ("ffv1.avi", "zeros")):
            with self.subTest(name):
                path = damaged.make(self.folder, name)
                damaged.zero(path, 8000)
                self.check(path, *[cause] if cause else [])
        path = damaged.make(self.folder, "prores.mov")
        data = bytearray(path.read_bytes())
        begin = data.index(b"icpf", len(data) // 2) + 4000  # within a frame
        data[begin:begin + 1500] = bytes(1500)
        path.write_bytes(data)
        self.check(path, "zeros", some_damaged=True)

    def test_data_that_the_demuxer_skips(self):
        for name in ("theora.ogv", "h264.ts"):
            with self.subTest(name):
                path = damaged.make(self.folder, name)
                damaged.zero(path, 6000)
                self.check(path)
        path = self.make("clusters.mkv", "-c:v", "ffv1", "-cluster_time_limit", "200")
        data = bytearray(path.read_bytes())
        cluster = data.index(b"\x1f\x43\xb6\x75", len(data) // 2)
        data[cluster + 16:cluster + 600] = bytes(584)
        path.write_bytes(data)
        self.check(path, "gap", some_missing=True)

    def test_zeros_up_to_the_end(self):
        """Also if less than half a second is missing: the demuxer warns before the decoder has the last packet."""
        for name in ("vp8.webm", "ffv1.mkv", "h264.mkv"):
            with self.subTest(name):
                path = damaged.make(self.folder, name)
                damaged.zero(path, path.stat().st_size // 5, at=0.8)
                said, _ = self.check(path, "cut", some_missing=True)
                self.assertIn(f" of {damaged.FRAMES} frames, ", said)

    def test_films_that_are_cut_off(self):
        for name in ("mpeg4.avi", "h264.mp4", "ffv1.mkv", "vp8.webm", "flv.flv", "mjpeg.avi"):
            for part in (0.97, 0.6):
                with self.subTest(name, part=part):
                    path = damaged.make(self.folder, name)
                    damaged.cut(path, part)
                    said, events = self.check(path, "cut", some_missing=True)
                    self.assertIn("is shorter than its header says: ", said)
                    if name.endswith((".avi", ".mp4")):
                        self.assertIn(f" of {damaged.FRAMES} frames, ", said)
                    self.assertEqual(events[-1]["ended-by"], "eos")
        for name, frames, most, *options in (("order.mkv", 50, 1),
                                             ("rate.mkv", 34, 11, "-vf", "select='mod(n\\,7)*mod(n\\,5)'", "-vsync", "vfr")):
            for part in (0.5, 0.75):  # reordered frames, and skipped ones
                with self.subTest(name, part=part):
                    path = self.make(name, *options, "-pix_fmt", "yuv420p", "-c:v", "libx264", "-preset", "fast")
                    damaged.cut(path, part)
                    said, _ = self.check(path, "cut", some_missing=True)
                    self.assertAlmostEqual(int(re.search(" of ([0-9]+) frames", said)[1]), frames, delta=most)
        path = damaged.make(self.folder, "mpeg2.mxf")
        damaged.cut(path, 0.9)
        self.check(path)

    def test_films_from_a_pipe_that_are_cut_off(self):
        h264 = ("-pix_fmt", "yuv420p", "-c:v", "libx264", "-bf", "2")
        sound = ("-f", "lavfi", "-t", "2", "-i", "sine", "-c:a", "aac")
        for name, is_counted, *options in (
                ("reordered.mp4", True, *h264, "-movflags", "+faststart"),
                ("sound.mp4", True, *sound, *h264, "-movflags", "+faststart"),
                ("mpeg4.mov", True, "-c:v", "mpeg4", "-movflags", "+faststart"),
                ("fragments.mp4", False, *h264, "-movflags", "frag_keyframe+empty_moov"),
                ("dash.mp4", False, *sound, *h264, "-movflags", "dash+frag_keyframe", "-g", "12"),
                ("ffv1.mkv", True, "-c:v", "ffv1"), ("vp8.webm", True, "-c:v", "libvpx", "-cpu-used", "8"),
                ("flv.flv", True, "-c:v", "flv"), ("mpeg4.avi", True, "-c:v", "mpeg4", "-bf", "2"),
                ("sound.avi", True, *sound, "-c:v", "mjpeg")):
            film = self.make(name, *options).read_bytes()
            status, said, events, results = self.measure("-", input=film)
            self.assertEqual((status, events, len(results)), (0, [], 50), (name, said))
            for part in (0.97, 0.6):
                with self.subTest(name, part=part):
                    status, said, events, results = self.measure("-", input=film[:int(len(film) * part)])
                    self.assertEqual((status, [event["cause"] for event in events]), (1, ["cut"]), said)
                    self.assertIn('"standard input" is shorter than its header says', said)
                    self.assertGreater(len(results), 15)
                    if is_counted:
                        self.assertEqual(len(results) + events[0]["missing"], 50)

    def test_matroska_that_is_cut_off_within_a_subtitle(self):
        """If the subtitle lasts until the end of the film, the duration may be the subtitle's."""
        film = damaged.make(self.folder, "ffv1.mkv")
        for seconds, total in (30, None), (1, damaged.FRAMES):
            with self.subTest(seconds=seconds):
                (self.folder / "text.srt").write_text(f"1\n00:00:00,000 --> 00:00:{seconds:02},000\ntext\n")
                path = self.folder / "subtitle.mkv"
                subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", "-i", film, "-i", self.folder / "text.srt", "-map",
                                "0", "-map", "1", "-c:v", "copy", path], check=True)
                status, said, events, results = self.measure(path)
                self.assertEqual((status, events, len(results)), (0, [], damaged.FRAMES), said)
                damaged.cut(path, 0.5)
                said, events = self.check(path, "cut")
                if total is None:
                    self.assertIn("is shorter than its header says; the number of missing frames is unknown.", said)
                else:
                    self.assertIn(f" of {total} frames, ", said)

    def test_matroska_without_its_last_bytes(self):
        """The last packets are those of B frames before the last frame. No frame is in the index after them."""
        path = self.make("order.mkv", "-frames:v", "49", "-pix_fmt", "yuv420p", "-c:v", "libx264", "-x264-params",
                         "bframes=3:b-adapt=0:scenecut=0")
        data = path.read_bytes()
        index = data.rindex(b"\x1c\x53\xbb\x6b")
        path.write_bytes(data[:index + 10])
        status, said, events, results = self.measure(path)
        self.assertEqual((status, events, len(results)), (0, [], 49), said)
        for cut in (10, 800):
            with self.subTest(cut=cut):
                path.write_bytes(data[:index - cut])
                said, _ = self.check(path, "cut", some_missing=True)
                self.assertIn(" of 49 frames, ", said)

    def check_cut(self, path, end, missed=0):
        """Each frame of the whole film is in the results of the cut one, or reported missing, except `missed` frames."""
        whole = damaged.count(path)
        data = path.read_bytes()
        for part in (0.6, 0.8, 0.9, 0.95):
            with self.subTest(path.name, part=part):
                path.write_bytes(data[:int(len(data) * part)])
                said, events = self.check(path, "cut", some_missing=True)
                results = int(re.search("([0-9]+) of [0-9]+ frames", said)[1])
                self.assertAlmostEqual(results, damaged.count(path), delta=1)  # FFmpeg decodes half a frame
                self.assertAlmostEqual(results + sum(event["missing"] for event in events), whole, delta=missed)
                self.assertAlmostEqual(events[-1]["end"], end, delta=4e7)

    def test_packed_frames_that_are_cut_off(self):
        """A parser separates them, and makes more packets than the container has."""
        packed = self.make("packed.avi", "-c:v", "mpeg4", "-bf", "1", "-b_strategy", "0", "-q", "4")
        damaged.pack(packed)
        status, said, events, _ = self.measure(packed)
        self.assertEqual((status, events), (0, []), said)
        self.assertEqual(damaged.count(packed), 50)
        remuxed = self.folder / "packed.mp4"
        subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-i", packed, "-c", "copy", "-movflags", "+faststart", remuxed],
                       check=True)
        for path in packed, remuxed:
            self.check_cut(path, 2e9)

    def test_mp4_with_sound_that_is_cut_off(self):
        """The end comes from the file's header, not from the existing data."""
        path = self.folder / "sound.mp4"
        subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=160x120:rate=25",
                        "-f", "lavfi", "-i", "sine",
                        "-t", "4", "-pix_fmt", "yuv420p", "-c:v", "libx264", "-bf", "0", "-c:a", "aac",
                        "-movflags", "+faststart", path], check=True)
        data, whole = path.read_bytes(), damaged.count(path)
        for part in (0.6, 0.8, 0.9):
            with self.subTest(part=part):
                path.write_bytes(data[:int(len(data) * part)])
                said, events = self.check(path, "cut", some_missing=True)
                results = int(re.search("([0-9]+) of [0-9]+ frames", said)[1])
                self.assertLessEqual(results, damaged.count(path))
                self.assertEqual(results + events[-1]["missing"], whole)
                self.assertAlmostEqual(events[-1]["end"], 4e9, delta=4e7)

    def test_edited_mp4_that_is_cut_off(self):
        """Frames that the edit list skips are not missing. With several edits, the number of missing frames is unknown."""
        encode = "-pix_fmt", "yuv420p", "-c:v", "libx264", "-movflags", "+faststart"
        for offset, options in ("-2", ("-bf", "2", "-g", "25")), ("-3", ("-bf", "0", "-g", "250")):
            path = self.make("edit.mp4", *encode, *options, "-output_ts_offset", offset,
                             pattern="testsrc2=size=160x120:rate=25:duration=8")
            self.check_cut(path, (8 + int(offset)) * 1e9)
        path = self.make("edits.mp4", *encode, "-output_ts_offset", "1")
        edits, changes = re.subn(rb"(elst\0{7}\x02.{4})\xff{4}", rb"\1\0\0\0\0", path.read_bytes(), flags=re.DOTALL)
        self.assertEqual(changes, 1)
        path.write_bytes(edits[:len(edits) * 3 // 4])
        said, _ = self.check(path, "cut", missing=0)
        self.assertIn("is shorter than its header says; the number of missing frames is unknown.", said)

    def test_avi_of_empty_chunks_that_is_cut_off(self):
        """Its header counts them with the frames."""
        for name, select, missed in (("half.avi", "not(mod(n\\,2))", 0), ("some.avi", "mod(n\\,7)*mod(n\\,5)", 2)):
            path = self.make(name, "-vf", f"select='{select}'", "-vsync", "vfr", "-c:v", "mpeg4", "-q", "4")
            self.assertLess(damaged.count(path), 40)
            self.check_cut(path, 2e9, missed)

    def test_avi_without_an_index(self):
        """avidemux then takes decode times for presentation times."""
        for codec in ("libx264", "mpeg4"):
            path = self.make(f"{codec}.avi", "-c:v", codec, "-bf", "2", "-g", "12")
            times = [line["stream-time"] for line in self.measure(path)[3]]
            self.assertEqual(times, [40_000_000 * n for n in range(50)])
            data = path.read_bytes()
            for cut, is_whole in ((10, True), (len(data) // 10, False)):
                with self.subTest(codec, cut=cut):
                    path.write_bytes(data[:-cut])
                    status, said, _, lines = self.measure(path)
                    self.assertEqual(status, 0 if is_whole else 1, said)
                    self.assertEqual([line["stream-time"] for line in lines], times[:len(lines)])
                    self.assertEqual(len(lines) == 50, is_whole)

    def test_zeros_after_avi(self):
        """A recorder that broke off leaves them. They are not read one by one."""
        path = self.make("tail.avi", "-c:v", "mpeg4")
        with open(path, "r+b") as film:
            film.seek(4)
            film.write((0x7ffffff0).to_bytes(4, "little"))
        os.truncate(path, path.stat().st_size + (1 << 28))
        status, said, _, lines = self.measure(path)
        self.assertEqual((status, len(lines)), (0, 50), said)

    def test_films_that_were_joined(self):
        for name in ("h264.mp4", "h264.mkv", "mpeg4.avi", "prores.mov", "vp8.webm", "flv.flv", "mpeg2.mxf", "gif.gif"):
            with self.subTest(name):
                path = damaged.make(self.folder, name)
                begin = damaged.join(path)
                most = damaged.FRAMES + name.endswith((".mkv", ".webm"))  # one frame of the second film
                said, _ = self.check(path, "joined", measured=range(damaged.FRAMES, most + 1))
                self.assertIn(f"ends at byte {begin}, where another film begins that is not measured.", said)
        for name in ("h264.ts", "theora.ogv"):  # these continue, and are measured
            with self.subTest(name):
                path = damaged.make(self.folder, name)
                damaged.join(path)
                status, said, events, results = self.measure(path)
                self.assertEqual((status, events, len(results)), (0, [], 2 * damaged.FRAMES), said)

    def test_films_of_ogg_that_were_joined(self):
        """GStreamer measures some in sequence, and of others only the first."""
        films_of_ogg = [damaged.make(self.folder, "theora.ogv"), self.make("other.ogv", "-c:v", "libtheora", "-t", "1")]
        sound = self.folder / "sound.ogg"
        subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "sine=duration=1", "-c:a", "libvorbis",
                        sound], check=True)
        path = self.folder / "joined.ogv"
        for parts in (*films_of_ogg, sound), (films_of_ogg[0], sound, films_of_ogg[1]), (sound, *films_of_ogg):
            path.write_bytes(b"".join(film.read_bytes() for film in parts))
            status, said, events, results = self.measure(path, "--force")
            self.assertEqual((status, events, len(results)), (0, [], 75), said)

        own = self.folder / "own.ogv"  # its streams have the same numbers each time
        subprocess.run(["gst-launch-1.0", "-q", "videotestsrc", "num-buffers=50", "!", "video/x-raw,width=160,height=120,"
                        "framerate=25/1", "!", "theoraenc", "!", "oggmux", "!", "filesink", f"location={own}"], check=True,
                       capture_output=True)
        begin = damaged.join(own)
        said, events = self.check(own, "joined", missing=0, measured=[50])
        self.assertIn(f"ends at byte {begin}, where another film begins that is not measured.", said)

    def test_gif_films_that_were_joined(self):
        """FFmpeg's demuxer measures the last one or not, depending on its size."""
        parts = [self.make(f"{frames}.gif", "-frames:v", str(frames), pattern="testsrc=size=100x80:rate=10")
                 for frames in (10, 20, 1, 2, 40)]
        path = self.folder / "joined.gif"
        statuses = set()
        for chosen in ((0, 1), (0, 4), (4, 4), (2, 3), (3, 2, 4), (2, 3, 0, 1)):
            path.write_bytes(b"".join(parts[index].read_bytes() for index in chosen))
            counts = [int(parts[index].stem) for index in chosen]
            measured = damaged.count(path)
            with self.subTest(counts=counts, measured=measured):
                status, said, events, results = self.measure(path, "--force")
                self.assertEqual(len(results), measured)
                statuses.add(status)
                if measured == sum(counts):
                    self.assertEqual((status, events), (0, []), said)
                    self.assertNotIn("another film", said)
                    continue
                before = next(index for index in range(len(chosen)) if sum(counts[:index]) == measured)
                begin = sum(parts[index].stat().st_size for index in chosen[:before])
                self.assertEqual((status, events[-1]["cause"], events[-1]["missing"]), (1, "joined", 0), said)
                self.assertIn(f"ends at byte {begin}, where another film begins that is not measured.", said)
        self.assertIn(0, statuses)

    def test_films_without_the_mark_that_ends_them(self):
        """All of their frames may be there."""
        for name in ("theora.ogv", "vp8.ogv", "gif.gif"):
            with self.subTest(name):
                path = damaged.make(self.folder, name)
                damaged.unmark(path)
                status, said, events, results = self.measure(path)
                self.assertEqual((status, events, len(results)), (0, [], damaged.count(path)), said)
                self.assertEqual(len(results), damaged.FRAMES)
                self.assertIn(f"\"{path}\" has no end mark; its end may be missing.\n", said)
                self.assertNotIn("shorter", said)

    def test_nut_that_is_cut_off(self):
        """Only the missing index at its end shows it."""
        for name, codec in (("raw.nut", "rawvideo"), ("mpeg4.nut", "mpeg4")):
            path = self.make(name, "-c:v", codec, "-g", "5", "-t", "1", "-pix_fmt", "yuv420p")
            for part in (1, 0.95, 0.6):
                with self.subTest(name, part=part):
                    damaged.cut(path, part)
                    status, said, events, results = self.measure(path, "--force")
                    if part == 1 or codec == "rawvideo":  # other decoders report half a packet
                        self.assertEqual((status, events), (0, []), said)
                    self.assertEqual("has no end mark; its end may be missing" in said, part < 1, said)
                    self.assertAlmostEqual(len(results), damaged.count(path), delta=1)

    def test_ogg_and_gif_that_are_cut_off(self):
        """They have no duration in their header, but an end mark."""
        for name in ("theora.ogv", "vp8.ogv", "gif.gif"):
            with self.subTest(name):
                path = damaged.make(self.folder, name)
                damaged.cut(path, 0.6)
                said, _ = self.check(path, "cut")
                self.assertIn("the number of missing frames is unknown.", said)
        path = damaged.make(self.folder, "theora.ogv")
        whole = path.read_bytes()
        path.write_bytes(whole[:len(whole) // 2] + whole)
        self.check(path, "cut")
        path = damaged.make(self.folder, "gif.gif")
        damaged.zero(path, 2000)
        said, _ = self.check(path, "cut")
        self.assertRegex(said, "is damaged at byte [0-9]+: the rest is not measured")

    def test_total_of_a_cut_film(self):
        """Never exceeds the container's number, whatever was reported before."""
        path = self.make("frames.avi", "-c:v", "mpeg4", "-bf", "2", pattern="testsrc2=size=320x240:rate=25:duration=2")
        damaged.cut(path, 0.6)
        said, _ = self.check(path, "cut", some_missing=True)
        self.assertIn(" of 50 frames, ", said)

    def test_readers(self):
        """Other subcommands handle it like other events."""
        path = damaged.make(self.folder, "mpeg4.avi")
        damaged.cut(path, 0.6)
        self.check(path, "cut")
        lines = self.folder / "results.jsonl"
        listed = cudahisto("events", lines, status=1)
        self.assertRegex(listed, r"damaged .*\s+\(\d+ missing, cut\)")  # in the same line, if it fits
        event = json.loads(cudahisto("events", "--format=json", lines, status=1))[-1]
        self.assertEqual((event["event"], event["cause"]), ("damaged", "cut"))
        self.assertGreater(event["missing"], 0)
        self.assertIn("damaged", cudahisto("events", "--format=edl", lines, status=1))
        cudahisto("events", "--format=ffmetadata", lines, status=1)
        self.assertIn("damaged: ", cudahisto("show", lines))
        cudahisto("csv", lines)
        cudahisto("report", lines, "-o", self.folder / "page.html")

    def test_merge_adds_damaged_frames(self):
        path = damaged.make(self.folder, "ffv1.mkv")
        damaged.flip(path, 40)
        _, events = self.check(path, "decoder")
        merged = json.loads(cudahisto("merge", self.folder / "results.jsonl"))
        self.assertEqual(merged["damaged"], sum(event["frames"] for event in events))


unittest.main()
