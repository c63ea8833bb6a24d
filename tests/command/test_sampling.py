# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""test_sampling.py COMMAND: `cudahisto measure` with --every, --keyframes, --from, --to and --head measures the frames that
ffprobe finds, with the numbers of the whole film, and all results say so."""
import http.server
import json
import os
import subprocess
import threading
import unittest

import films
from lines import COMMAND, SharedFolderTest, complain, cudahisto, dump, need, read, run

need("ffmpeg", "ffprobe")

X264 = "-pix_fmt yuv420p -c:v libx264 -preset veryfast -g 25 -bf 3"
X265 = "-pix_fmt yuv420p -c:v libx265 -preset ultrafast -x265-params log-level=none:keyint=25:bframes=3"
SOUND = "-f lavfi -i sine -shortest -c:a aac"
# name: options of FFmpeg, after its input. Groups of pictures are open with H.265, MPEG-2 and "open".
FILMS = {
    "h264.mp4": X264, "h264.mkv": X264, "h264.ts": X264, "h264.flv": X264, "h264.mov": X264, "sound.mp4": f"{SOUND} {X264}",
    "open.mp4": X264 + " -x264-params open-gop=1", "open.ts": X264 + " -x264-params open-gop=1",
    "open.mkv": X264 + " -x264-params open-gop=1", "h265.mp4": X265, "h265.mkv": X265, "h265.ts": X265,
    "mpeg2.ts": "-c:v mpeg2video -g 15 -bf 2 -b:v 2M", "mpeg2.mxf": "-c:v mpeg2video -g 15 -bf 2 -b:v 2M",
    "mpeg2.mkv": "-c:v mpeg2video -g 15 -bf 2 -b:v 2M", "mpeg4.mp4": "-c:v mpeg4 -g 25 -bf 2 -q 5",
    "vp8.webm": "-c:v libvpx -g 25 -deadline realtime -cpu-used 8", "theora.ogv": "-c:v libtheora -g 25",
    "vp9.webm": "-c:v libvpx-vp9 -g 25 -deadline realtime -cpu-used 8", "flv.flv": "-c:v flv -g 25",
    "ffv1.mkv": "-c:v ffv1 -g 1", "prores.mov": "-c:v prores_ks", "mjpeg.avi": "-c:v mjpeg -pix_fmt yuvj420p",
    "nut.nut": X264, "msmpeg4.avi": "-c:v msmpeg4v2 -g 25",
}
PATTERN = "testsrc2=size=160x120:rate=25:duration=6"
TICK = 0.0011  # seconds: some containers round to milliseconds


def probe(path, *options):
    """The frames that ffprobe decodes."""
    probed = run("ffprobe", "-v", "error", *options, "-select_streams", "v:0", "-show_entries",
                 "frame=best_effort_timestamp_time,key_frame", "-of", "json", path)
    return json.loads(probed)["frames"]


def get_times(frames):
    return [float(frame["best_effort_timestamp_time"]) for frame in frames]


class Sampling(SharedFolderTest):
    def make(self, name, options=None, pattern=PATTERN):
        path = self.folder / name
        if not path.exists():
            run("ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", pattern, *(options or FILMS[name]).split(), path)
        return path

    def measure(self, path, *options, status=0, **more):
        """The results, without arrays."""
        out = self.folder / "results.jsonl"
        out.unlink(missing_ok=True)
        done = subprocess.run([COMMAND, "measure", path, "--set=sidecar-arrays=none", "-o", out, *options], capture_output=True,
                              env=films.make_environment(), timeout=120, check=False, **more)
        self.said = done.stderr.decode()
        self.assertEqual(done.returncode, status, self.said)
        lines = read(out) if out.exists() else []
        self.events = [line for line in lines if "event" in line]
        return [line for line in lines if "event" not in line]

    def check_quiet(self):
        self.assertNotIn("cudahisto: ", self.said)
        self.assertEqual(self.events, [])

    def check_same(self, results, wanted, sampling):
        """Checks that results have the times and numbers of these results of the whole film."""
        for name in ("timestamp", "stream-time", "duration"):
            self.assertEqual([result[name] for result in results], [result[name] for result in wanted], name)
        self.assertEqual([result["components"] for result in results], [result["components"] for result in wanted])
        self.assertEqual({result["sampling"] for result in results}, {sampling})
        self.check_quiet()

    # ---- key frames

    def find_keys(self, path):
        """Times of the key frames from the first frame on. ffprobe does not omit frames of VP9 and others, and loses some of
        H.264 with open groups."""
        frames = probe(path)
        first = get_times(frames)[0]
        return [time - first for time in get_times(frame for frame in frames if frame["key_frame"] == 1)]

    def test_keyframes(self):
        for name in FILMS:
            with self.subTest(name):
                path = self.make(name)
                whole = {result["stream-time"]: result for result in self.measure(path)}
                first = min(whole)
                keys = self.measure(path, "--keyframes")
                times = [(key["stream-time"] - first) / 1e9 for key in keys]
                wanted = self.find_keys(path)
                if name.startswith("h26") and not name.startswith("h265"):
                    frames = get_times(probe(path, "-skip_frame", "nokey"))
                    self.assertEqual([round(time - frames[0], 3) for time in frames], [round(time, 3) for time in wanted])
                self.assertEqual(len(times), len(wanted), (times, wanted))
                for time, other in zip(times, wanted):
                    self.assertAlmostEqual(time, other, delta=TICK)
                self.assertEqual([key["frame"] for key in keys], list(range(len(keys))))
                for key in keys:
                    self.assertEqual(key["components"], whole[key["stream-time"]]["components"], key["stream-time"])
                self.assertEqual({key["sampling"] for key in keys}, {"keyframes"})
                self.check_quiet()
                self.assertIn(f" {len(keys)} frames (keyframes), ", self.said)

    def test_keyframes_have_no_previous_frame(self):
        for name in "h264.mp4", "ffv1.mkv":
            results = self.measure(self.make(name), "--keyframes", "-s", "basic+comparison", "--set=dot=previous")
            self.assertFalse([result for result in results if {"sad", "dot"} & result["components"]["Y"].keys()])

    def test_keyframes_of_wrong_flags(self):
        """Matroska that marks each packet as a key frame, in the byte after the number and time of its block."""
        for name in "vp8.webm", "vp9.webm", "mpeg2.mkv":
            path = self.make(name)
            data = bytearray(path.read_bytes())
            places = run("ffprobe", "-v", "error", "-show_entries", "packet=pos", "-of", "csv=p=0", path).split()
            for place in places:
                data[int(place.strip(",")) + 3] |= 0x80
            marked = self.folder / ("marked-" + name)
            marked.write_bytes(data)
            wanted = [key["components"] for key in self.measure(path, "--keyframes")]
            self.assertEqual([key["components"] for key in self.measure(marked, "--keyframes")], wanted)
            self.assertLess(len(wanted), 13)

    def test_keyframes_without_times(self):
        """Times would follow from the frames that are omitted: raw streams have none, AVI and some Matroska have only decode
        times."""
        run("ffmpeg", "-nostdin", "-v", "error", "-i", self.make("open.mp4"), "-c", "copy", self.folder / "lengths.avi")
        for name, options in (("raw.h264", X264), ("xvid.avi", "-c:v mpeg4 -vtag xvid -g 25 -bf 2"), ("lengths.avi", ""),
                              ("open.avi", X264 + " -x264-params open-gop=1"), ("mpeg2.avi", "-c:v mpeg2video -g 15 -bf 2"),
                              ("vfw.mkv", "-c:v msmpeg4v2 -g 25")):
            with self.subTest(name):
                self.measure(self.make(name, options), "--keyframes", status=2)
                self.assertIn("has key frames without timestamps", self.said)
                self.assertIn("use --every", self.said)

    def test_keyframes_of_decode_times(self):
        """Without B-frames, decode times are exact, also where a parser loses one."""
        for name, options in (("cuts.avi", "-c:v mpeg4 -g 12 -force_key_frames 2,2.04,2.08,3"),
                              ("simple.avi", X264 + " -bf 0 -force_key_frames 2,2.04,2.08,3")):
            path = self.make(name, options)
            whole = {result["stream-time"]: result["components"] for result in self.measure(path)}
            keys = self.measure(path, "--keyframes")
            self.assertLessEqual({2000000000, 2040000000, 2080000000, 3000000000}, {key["stream-time"] for key in keys})
            for key in keys:
                self.assertEqual(key["components"], whole[key["stream-time"]], (name, key["stream-time"]))

    def test_keyframes_of_a_pipe(self):
        for name in "h264.ts", "h264.mkv", "h264.mp4":
            wanted = self.measure(self.make(name), "--keyframes")
            with open(self.make(name), "rb") as film:
                piped = subprocess.Popen(["cat"], stdin=film, stdout=subprocess.PIPE)
                results = self.measure("-", "--keyframes", stdin=piped.stdout)
            piped.communicate()
            self.check_same(results, wanted, "keyframes")

    def test_damage_is_not_looked_for(self):
        """Missing packets are not damage, even in a film that lacks its end."""
        path = self.make("h264.mkv")
        cut = self.folder / "cut.mkv"
        cut.write_bytes(path.read_bytes()[:path.stat().st_size * 2 // 3])
        results = self.measure(cut, "--keyframes")
        self.check_quiet()
        self.assertGreater(len(results), 2)

    # ---- a part

    def test_parts(self):
        for name in FILMS:
            path = self.make(name)
            whole = self.measure(path)
            end = whole[-1]["stream-time"] / 1e9
            for begin, stop in (end * 0.55, end * 0.8), (end * 0.8, end * 2), (0, end * 0.3), (end * 0.34, end * 0.35):
                begin, stop = round(begin, 3), round(stop, 3)
                with self.subTest(name, begin=begin, stop=stop):
                    results = self.measure(path, f"--from={begin}", f"--to={stop}s")
                    wanted = [result for result in whole if begin * 1e9 <= result["stream-time"] < stop * 1e9]
                    self.check_same(results, wanted, f"from={begin:g}s+to={stop:g}s")
                    self.assertEqual([result["frame"] for result in results], list(range(len(wanted))))

    def test_forms_of_files(self):
        """Edit lists, fragments, coarse time scales, no index, and variable frame rates."""
        source = self.make("sound.mp4")
        for name, options in (("edit.mp4", "-ss 1.3 -i {} -c copy"), ("fragments.mp4", "-i {} -c copy -movflags frag_keyframe"),
                              ("noindex.mkv", "-i {} -c copy -live 1"), ("late.mkv", "-itsoffset 3 -i {} -c copy"),
                              ("late.mp4", "-itsoffset 3 -i {} -c copy"), ("pipe.avi", "-i {} -an -c copy -f avi pipe:"),
                              ("coarse.mp4", "-i {} -an -c:v libx264 -g 30 -video_track_timescale 25"),
                              ("decode.mkv", "-i {} -an -r 24000/1001 -vsync cfr -c:v msmpeg4v2"),
                              ("variable.mp4", "-i {} -an -vf select=lt(mod(n\\,11)\\,4) -vsync vfr -c:v libx264")):
            path = self.folder / name
            command = ["ffmpeg", "-nostdin", "-v", "error", *options.format(source).split()]
            if "pipe:" in command:
                path.write_bytes(subprocess.run(command, check=True, capture_output=True).stdout)
            else:
                run(*command, path)
            whole = self.measure(path)
            first, last = whole[0]["stream-time"] / 1e9, whole[-1]["stream-time"] / 1e9
            for share in 0.3, 0.6, 0.8:
                begin = round(first + (last - first) * share, 3)
                with self.subTest(name, begin=begin):
                    results = self.measure(path, f"--from={begin}", "--head=1s")
                    wanted = [result for result in whole if begin * 1e9 <= result["stream-time"] < (begin + 1) * 1e9]
                    for field in "stream-time", "duration", "components":
                        self.assertEqual([result[field] for result in results], [result[field] for result in wanted])
                    self.assertEqual(self.events, [])
            if name not in ("pipe.avi", "decode.mkv"):  # which have no times
                whole = {result["timestamp"]: result["components"] for result in whole}
                with self.subTest(name):
                    for key in self.measure(path, "--keyframes"):
                        self.assertEqual(key["components"], whole.get(key["timestamp"]), key["timestamp"])

    def test_network(self):
        """A server that cannot seek."""
        path = self.make("h264.mkv")
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), films.OneFilm)
        server.film = path.read_bytes()
        self.addCleanup(server.server_close)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.shutdown)
        whole = self.measure(path)
        uri = f"http://127.0.0.1:{server.server_port}/film.mkv"
        self.check_same(self.measure(uri, "--from=4s", "--head=2"), whole[100:102], "from=4s+head=2")
        self.check_same(self.measure(uri, "--keyframes"), self.measure(path, "--keyframes"), "keyframes")

    def test_times_of_ffprobe(self):
        """ffprobe begins at the key frame before, and ends at a packet."""
        for name in "h264.mp4", "h265.mkv", "mpeg4.mp4":
            path = self.make(name)
            times = [time for time in get_times(probe(path, "-read_intervals", "3.3%4.5")) if 3.3 <= time < 4.1]
            results = self.measure(path, "--from=3.3", "--to=4.1")
            self.assertEqual([round(result["stream-time"] / 1e9, 3) for result in results], [round(time, 3) for time in times])

    def test_each_frame_begins_a_part(self):
        """No frame is cut or lost at the beginning, at key frames and between them."""
        path = self.make("open.mp4")
        whole = self.measure(path)
        for index in (74, 75, 76, 99, 100, 101, 110):
            begin = whole[index]["stream-time"]
            for sooner, first in (0, index), (1, index), (-1, index + 1):
                results = self.measure(path, f"--from={begin - sooner}ns", "--head=2")
                self.assertEqual([result["stream-time"] for result in results],
                                 [result["stream-time"] for result in whole[first:first + 2]])

    def test_head(self):
        path = self.make("h264.mp4")
        whole = self.measure(path)
        self.check_same(self.measure(path, "--head=7"), whole[:7], "head=7")
        self.check_same(self.measure(path, "--head=200ms"), whole[:5], "head=0.2s")
        self.check_same(self.measure(path, "--head=1h"), whole, "head=3600s")
        self.check_same(self.measure(path, "--head=1000"), whole, "head=1000")
        self.check_same(self.measure(path, "--from=4s", "--head=80ms"), whole[100:102], "from=4s+head=0.08s")
        self.check_same(self.measure(path, "--from=4s", "--to=4.04", "--head=80"), whole[100:101], "from=4s+to=4.04s+head=80")
        stream = self.make("h264.ts")  # which does not begin at 0
        self.check_same(self.measure(stream, "--head=0.12s"), self.measure(stream)[:3], "head=0.12s")
        self.check_same(self.measure(path, "--keyframes", "--head=3"), self.measure(path, "--keyframes")[:3],
                        "keyframes+head=3")

    def test_pipes_and_sequences(self):
        path = self.make("h264.mkv")
        wanted = self.measure(path)[75:80]
        with open(path, "rb") as film:
            piped = subprocess.Popen(["cat"], stdin=film, stdout=subprocess.PIPE)
            results = self.measure("-", "--from=3s", "--to=3.2s", stdin=piped.stdout)
        piped.communicate()
        self.check_same(results, wanted, "from=3s+to=3.2s")
        shots = self.folder / "shots"
        shots.mkdir(exist_ok=True)
        run("ffmpeg", "-nostdin", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=size=64x48:rate=25", "-frames:v", "9",
            shots / "shot.%d.png")
        whole = self.measure(shots, "--framerate=25")
        self.check_same(self.measure(shots, "--framerate=25", "--from=0.12", "--to=0.2"), whole[3:5], "from=0.12s+to=0.2s")
        self.check_same(self.measure(shots, "--framerate=25", "--every=4"), whole[::4], "every=4")
        self.check_same(self.measure(shots, "--framerate=25", "--keyframes"), whole, "keyframes")

    def test_events_of_a_part(self):
        """A part has the events between its ends, and time codes of the film."""
        path = self.make("black.mp4", X264, PATTERN + ",drawbox=t=fill:c=black:enable='between(t,3,3.5)'")
        options = ("-e", "black+scene-change", "--set=black-min-duration=0")
        self.measure(path, *options)
        whole = [event for event in self.events if "ended-by" in event]
        self.measure(path, *options, "--from=2.5", "--to=4")
        part = [event for event in self.events if "ended-by" in event]
        self.assertEqual([(event["event"], event["start"], event["end"]) for event in part],
                         [(event["event"], event["start"], event["end"]) for event in whole])
        self.assertEqual({event["sampling"] for event in self.events}, {"from=2.5s+to=4s"})
        lines = self.folder / "results.jsonl"
        text = cudahisto("events", lines, status=1).splitlines()
        self.assertEqual(text[0], "measured only: from=2.5s+to=4s")
        self.assertIn("00:00:03:00", "".join(text))
        found = json.loads(cudahisto("events", "--format=json", lines, status=1))
        self.assertEqual({event["sampling"] for event in found}, {"from=2.5s+to=4s"})

    def test_damage_in_a_part(self):
        """Damage inside is reported, damage outside and the missing end are not."""
        path = self.make("h264.mkv")
        packets = run("ffprobe", "-v", "error", "-show_entries", "packet=pos,size,pts_time", "-of", "csv=p=0", path).split()
        at, size = next((int(pos), int(size)) for time, size, pos in (packet.split(",")[:3] for packet in packets)
                        if float(time) == 3.0)
        data = bytearray(path.read_bytes())
        data[at + size // 2:at + size // 2 + 300] = bytes(300)
        damaged = self.folder / "damaged.mkv"
        damaged.write_bytes(data)
        self.measure(damaged, "--from=2.9", "--to=3.3", status=1)
        self.assertEqual({event["event"] for event in self.events}, {"damaged"})
        self.assertEqual({event["sampling"] for event in self.events}, {"from=2.9s+to=3.3s"})
        self.measure(damaged, "--from=4.2", "--to=4.4")
        self.check_quiet()
        self.measure(damaged, "--to=2s")
        self.check_quiet()

    def test_reference(self):
        """Frames are compared with those of the same stream time."""
        path = self.make("h264.mp4")
        other = self.make("mpeg4.mp4")

        def compare(*options):
            return {result["stream-time"]: result["components"]["Y"]["reference"]["psnr"]
                    for result in self.measure(path, "-r", other, *options)}

        whole = compare()
        for options in ("--every=20",), ("--keyframes",), ("--from=3.1", "--to=3.4"):
            part = compare(*options)
            self.assertGreater(len(part), 4)
            for time, psnr in part.items():
                self.assertEqual(psnr, whole[time], (options, time))

    # ---- one frame of N

    def test_every(self):
        for name in "h264.mp4", "mpeg2.ts", "mjpeg.avi":
            path = self.make(name)
            whole = self.measure(path)
            for step in 7, 50, 4294967295:
                results = self.measure(path, f"--every={step}")
                self.check_same(results, whole[::step], f"every={step}")
                self.assertEqual([result["frame"] for result in results], list(range(0, len(whole), step)))
                self.assertIn(f"{path}: {len(results)} frame{'s'[:len(results) != 1]} (every={step}), ", self.said)
        self.check_same(self.measure(path, "--every=10", "--from=2", "--head=3"), whole[50:80:10], "every=10+from=2s+head=3")
        keys = self.measure(self.make("h264.mp4"), "--keyframes")
        self.check_same(self.measure(self.make("h264.mp4"), "--keyframes", "--every=2"), keys[::2], "every=2+keyframes")
        self.assertNotIn("sampling", self.measure(path, "--every=1")[0])

    def test_every_of_fields(self):
        """Both fields of a frame are measured, or none."""
        path = self.make("interlaced.ts", "-vf interlace -c:v mpeg2video -flags +ilme+ildct -b:v 2M")
        whole = self.measure(path, "--fields=apart")
        self.assertEqual({result["field"] for result in whole}, {"top", "bottom"})
        results = self.measure(path, "--fields=apart", "--every=3")
        self.check_same(results, [result for result in whole if result["frame"] % 6 < 2], "every=3")
        self.check_same(self.measure(path, "--fields=apart", "--every=3", "--head=2"), results[:4], "every=3+head=2")

    def test_every_with_damage(self):
        """All frames are decoded, so that damage to omitted frames is reported; the number of measured frames is no loss."""
        path = self.make("h264.mkv")
        data = bytearray(path.read_bytes())
        data[len(data) // 2:len(data) // 2 + 300] = bytes(300)
        damaged = self.folder / "damaged.mkv"
        damaged.write_bytes(data)
        self.measure(damaged, "--every=10", status=1)
        # The decoder's threads may mark a frame more or less. Of three adjacent ones, two are omitted.
        frames = sum(event["frames"] for event in self.events)
        self.assertGreaterEqual(frames, 3)
        self.assertRegex(self.said, rf"15 frames \(every=10\), {frames} damaged, ")

    def test_every_has_no_previous_frame(self):
        results = self.measure(self.make("h264.mp4"), "--every=2", "-s", "basic+comparison", "--set=dot=previous")
        self.assertFalse([result for result in results if {"sad", "dot"} & result["components"]["Y"].keys()])

    # ---- readers

    def test_readers(self):
        """Each form of the results says that they are of some frames."""
        path = self.make("h264.mp4")
        every, part, whole = (self.folder / f"{name}.jsonl" for name in ("every", "part", "whole"))
        cudahisto("measure", "-q", path, "--every=10", "-o", every, "-s", "signalstats")
        cudahisto("measure", "-q", path, "--from=1s", "--to=2s", "-o", part, "-s", "signalstats")
        cudahisto("measure", "-q", path, "-o", whole, "-s", "signalstats")
        rows = [row.split(",") for row in cudahisto("csv", every).splitlines()]
        self.assertEqual({row[rows[0].index("sampling")] for row in rows[1:]}, {"every=10"})
        self.assertNotIn("sampling", cudahisto("csv", whole).splitlines()[0].split(","))
        for form in "--signalstats", "--qctools":
            said = subprocess.run([COMMAND, "csv", form, part], capture_output=True, text=True, check=True).stderr
            self.assertIn("does not have all frames of the film (from=1s+to=2s)", said)
        cudahisto("report", every, "-o", self.folder / "page.html", "--force")
        self.assertIn("Not all frames of the film were measured: every=10.", (self.folder / "page.html").read_text())
        self.assertIn("frame 0, 0.00 s: I420 160x120 (every=10)\n", cudahisto("show", every))
        for lines, is_sample in (every, True), (part, True), (whole, False):
            checked = subprocess.run([COMMAND, "check", "--policy=broadcast-range", "--format=json", lines],
                                     capture_output=True, check=False)
            self.assertEqual(json.loads(checked.stdout)[0]["sample"], is_sample, (lines, checked.stderr))
        for inputs, sampling in ((every,), "every=10"), ((every, part), "mixed"), ((whole, part), "mixed"), ((whole,), None):
            merged = subprocess.run([COMMAND, "merge", *inputs], capture_output=True, check=False)
            self.assertIn(merged.returncode, (0, 1))
            self.assertEqual(json.loads(merged.stdout).get("sampling"), sampling)

    def test_events_need_every_frame(self):
        path = self.make("h264.mp4")
        lines = self.folder / "gaps.jsonl"
        for option in "--every=2", "--keyframes":
            for events in "black", "freeze+damaged", "scene-change", "clipped":
                self.measure(path, option, "-e", events, status=2)
                self.assertRegex(self.said, r"\Acudahisto: --events needs every frame, and --\w+ omits frames: .*\.\n\Z")
            self.measure(path, option, "-e", "damaged", status=2 if option == "--keyframes" else 0)
            self.measure(path, option, "--set=events=black", status=2)
            cudahisto("measure", "-q", path, option, "-o", lines)
            for form in "text", "json", "edl", "ffmetadata":
                failed = subprocess.run([COMMAND, "events", f"--format={form}", lines], capture_output=True, check=False)
                self.assertEqual((failed.returncode, failed.stdout), (2, b""))
                self.assertIn(b"does not have all frames", failed.stderr)

    def test_light_needs_every_frame(self):
        film = self.make("hdr.mkv", "-pix_fmt yuv420p10le -color_trc smpte2084 -color_primaries bt2020 -colorspace bt2020nc "
                         "-c:v ffv1")
        lines = self.folder / "light.jsonl"
        for option, sampling in ("--head=3s", "head=3s"), ("--keyframes", "keyframes"):
            cudahisto("measure", "-q", film, option, "-o", lines)
            text = subprocess.run([COMMAND, "light", lines], capture_output=True, text=True, check=True)
            self.assertIn(f"does not have all frames of the film ({sampling})", text.stderr)
            for form in "scenes", "hdr10plus", "madvr5":
                failed = subprocess.run([COMMAND, "light", "-f", form, lines], capture_output=True, text=True, check=False)
                self.assertEqual((failed.returncode, failed.stdout), (2, ""))
                self.assertIn(f"which --format={form} needs", failed.stderr)
        cudahisto("measure", "-q", film, "--every=10", "-o", lines)
        cudahisto("light", lines, status=2)

    # ---- bad input

    def test_bad_options(self):
        path = self.make("h264.mp4")
        for options, words in (
                (["--every=0"], "--every: \"0\" is not a whole number from 1"), (["--every=-2"], "--every: \"-2\""),
                (["--every=x"], "--every: \"x\""), (["--every=4294967296"], "--every: \"4294967296\""),
                (["--from=-1"], "--from: \"-1\" is not a time"), (["--to=x"], "--to: \"x\" is not a time"),
                (["--from=5", "--to=5s"], "--to=5s is not after --from=5"),
                (["--from=3", "--to=2"], "--to=2 is not after --from=3"),
                (["--to=0"], "--to=0 is not after the beginning"), (["--head=0"], "--head: \"0\" is neither"),
                (["--head=-5"], "--head: \"-5\" is neither"), (["--head=1.5"], "--head: \"1.5\" is neither"),
                (["--head=0s"], "--head: \"0s\" is neither"), (["--bytes", "--every=2"], "or --bytes"),
                (["--bytes", "--keyframes"], "or --bytes"), (["--bytes", "--head=3"], "or --bytes"),
                (["--from=1h"], "has no frames in the part from=3600s"),
                (["--from=7", "--to=8"], "has no frames in the part from=7s+to=8s"),
                (["--set=every=2"], "--set: every cannot be set"),
                (["--set=input-sampling=x"], "input-sampling cannot be set")):
            results = self.measure(path, *options, status=2)
            self.assertEqual(results, [])
            self.assertRegex(self.said, r"\Acudahisto: [^\n]*\.\n\Z")
            self.assertIn(words, self.said)

    def test_existing_results_stay(self):
        path = self.make("h264.mp4")
        lines = self.folder / "kept.jsonl"
        cudahisto("measure", "-q", path, "--head=2", "-o", lines)
        before = lines.read_bytes()
        cudahisto("measure", "-q", path, "--from=1h", "-o", lines, status=2)
        self.assertEqual(lines.read_bytes(), before)

    def test_interrupt(self):
        """A signal ends a measurement that waits for the end of the way to its part."""
        fifo = self.folder / "fifo"
        os.mkfifo(fifo)
        data = self.make("h264.mkv").read_bytes()
        measuring = subprocess.Popen([COMMAND, "measure", fifo, "--from=4s", "-o", self.folder / "fifo.jsonl"],
                                     stderr=subprocess.PIPE, env=films.make_environment())
        with open(fifo, "wb") as pipe:
            pipe.write(data[:len(data) // 2])
            pipe.flush()
            try:
                measuring.wait(timeout=1)
            except subprocess.TimeoutExpired:
                measuring.terminate()
            self.assertEqual(measuring.wait(timeout=30), -15, measuring.stderr.read())
        measuring.stderr.close()


class Runs(SharedFolderTest):
    def test_runs(self):
        """Omitted frames do not begin another run."""
        line = {"cudahisto": 1, "sampling": "every=10", "frames": 1, "format": "GRAY8", "width": 1, "height": 1, "depth": 8,
                "components": {"GRAY": {"count": 1}}}
        damage = {"cudahisto": 1, "event": "damaged", "start": 0, "end": 0, "frame": 12, "frames": 1, "missing": 0,
                  "cause": "gap", "ended-by": "complete", "sampling": "every=10"}
        lines = self.folder / "lines.jsonl"
        lines.write_text(dump([{**line, "frame": 0}, {**line, "frame": 10}, damage, {**line, "frame": 20}]))
        listed = cudahisto("events", lines, status=1)
        self.assertNotIn("run 2", listed)
        self.assertIn("measured only: every=10\n", listed)
        self.assertIn("damaged", listed)
        black = {**damage, "event": "black", "end": 1}
        for name in "missing", "cause":
            del black[name]
        lines.write_text(dump([{**line, "frame": 0}, {**line, "frame": 10}, damage, black, {**line, "frame": 20}]))
        self.assertIn("does not have all frames (every=10)", complain("events", lines))


unittest.main()
