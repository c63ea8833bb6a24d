#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""test_events.py COMMAND: `cudahisto events` lists each event once, in forms that ffmpeg and editors read."""

import json
import re
import unittest

from lines import SharedFolderTest, complain, cudahisto, dump, need, read, run

need("ffmpeg", "ffprobe")

RATE = "30000/1001"
SCENES = (f"color=black:s=160x90:r={RATE}:d=3", f"testsrc2=s=160x90:r={RATE}:d=3",
          f"mandelbrot=s=160x90:r={RATE},trim=duration=2", f"color=red:s=160x90:r={RATE}:d=4")
# Frames of a scene, and events that begin with them.
TIMES = ("00:00:00.000", "00:00:03.003", "00:00:06.006", "00:00:08.008")


class Events(SharedFolderTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.film = cls.folder / "film.mkv"
        inputs = [word for scene in SCENES for word in ("-f", "lavfi", "-i", scene + ",format=yuv420p")]
        run("ffmpeg", "-v", "error", *inputs, "-filter_complex", "concat=n=4", "-c:v", "ffv1", cls.film)
        cls.lines = cls.folder / "film.jsonl"
        cudahisto("measure", "-q", cls.film, "-o", cls.lines, "-e", "black+freeze+scene-change")

    def test_text(self):
        lines = cudahisto("events", self.lines, status=1).splitlines()
        self.assertRegex(lines[0], "^event +begins +ends +time code +frames$")
        self.assertEqual([re.split(" {2,}", line) for line in lines[1:]], [
            ["black", TIMES[0], TIMES[1], "00:00:00;00", "0-89"],
            ["freeze", TIMES[0], TIMES[1], "00:00:00;00", "0-89"],
            ["scene-change", TIMES[1], "00:00:03;00", "90"],
            ["scene-change", TIMES[2], "00:00:06;00", "180"],
            ["freeze", TIMES[3], "00:00:11.979", "00:00:08;00", "240-359 (to last frame)"],
            ["scene-change", TIMES[3], "00:00:08;00", "240"],
        ])
        self.assertLessEqual(max(map(len, lines)), 80)

    def test_json(self):
        found = json.loads(cudahisto("events", "--format=json", self.lines, status=1))
        ended = [line for line in read(self.lines) if "event" in line and "ended-by" in line]
        self.assertEqual(sorted((e["event"], e["start"], e["end"], e["frame"], e["frames"], e["value"]) for e in found),
                         sorted((e["event"], e["start"], e["end"], e["frame"], e["frames"], e["value"]) for e in ended))
        self.assertEqual([e["number"] for e in found], list(range(1, 7)))

    def test_chapters(self):
        chapters = self.folder / "chapters.txt"
        cudahisto("events", "--format=ffmetadata", self.lines, "-o", chapters, status=1)
        out = self.folder / "chapters.mkv"
        run("ffmpeg", "-v", "error", "-i", self.film, "-i", chapters, "-map", 0, "-map_chapters", 1, "-c", "copy", out)
        found = json.loads(run("ffprobe", "-v", "error", "-show_chapters", "-of", "json", out))["chapters"]
        self.assertEqual([(c["tags"]["title"], c["start"]) for c in found],
                         [(f"Scene {i + 1}", start) for i, start in enumerate((0, 3003000000, 6006000000, 8008000000))])
        self.assertEqual([c["end"] for c in found[:-1]], [c["start"] for c in found[1:]])
        self.assertAlmostEqual(float(found[-1]["end_time"]), 12.012, places=3)

    def test_edl(self):
        lines = cudahisto("events", "--format=edl", "--clip=film.mkv", self.lines, status=1).splitlines()
        self.assertEqual(lines[:3], ["TITLE: film.mkv", "FCM: DROP FRAME", ""])
        edits = [line for line in lines if re.match(r"\d{3} ", line)]
        code = r"\d\d:\d\d:\d\d;\d\d"
        for number, line in enumerate(edits, 1):
            self.assertRegex(line, f"^{number:03}  AX       V     C        {code} {code} {code} {code}$")
        self.assertEqual([line.split()[4:6] for line in edits],
                         [["00:00:00;00", "00:00:03;00"], ["00:00:03;00", "00:00:06;00"], ["00:00:06;00", "00:00:08;00"],
                          ["00:00:08;00", "00:00:12;00"]])
        self.assertEqual(lines.count("* FROM CLIP NAME: film.mkv"), 4)
        self.assertIn("* LOC: 00:00:08;00 CYAN freeze, 120 frames", lines)

    def test_drop_frame(self):
        # The time code skips two numbers in each minute but the tenth.
        event = {"cudahisto": 1, "event": "black", "start": 60060000000, "end": None, "frame": 1800, "frames": 1,
                 "element": "a"}
        result = {"cudahisto": 1, "frame": 0, "frames": 1, "framerate": RATE, "components": {}}
        text = cudahisto("events", status=1, input=dump([result, event]).encode())
        self.assertIn("  lasts         00:01:00;02  1800", text)
        result["timecode"] = "10:00:00:00"
        result["framerate"] = "25/1"
        text = cudahisto("events", status=1, input=dump([result, {**event, "start": 61000000000}]).encode())
        self.assertIn("  10:01:01:00  1800", text)

    def list_codes(self, times, rate="25/1", shift=0, **first):
        """Time codes of events at the results of these times, in ms."""
        lines = []
        for number, time in enumerate(times):
            result = {"cudahisto": 1, "frame": number, "frames": 1, "framerate": rate, "components": {},
                      "stream-time": time * 1000000, "timestamp": time * 1000000}
            event = {"cudahisto": 1, "event": "black", "start": time * 1000000, "end": None, "frame": number, "frames": 1,
                     "element": "a"}
            lines += [{**result, **(first if number == 0 else {})}, {**event, "start": first.get("stream-time", event["start"])}
                      if number == 0 else event]
        if shift:
            lines = [{**line, "frame": line["frame"] + shift} for line in lines]
        found = json.loads(cudahisto("events", "--format=json", status=1, input=dump(lines).encode()))
        return [event["start-timecode"][-5:] for event in found]

    def test_time_codes_count_from_the_first_frame(self):
        """MPEG-TS and MPEG-PS begin at another stream time than 0."""
        codes = ["00:00", "00:01", "00:10", "01:00"]
        times = [780, 820, 1180, 1780]
        self.assertEqual(self.list_codes(times), codes)
        self.assertEqual(self.list_codes(times, timecode="10:00:07:00"), ["07:00", "07:01", "07:10", "08:00"])
        # In Matroska with earlier sound, the first frame has stream time 0, the others their timestamps.
        self.assertEqual(self.list_codes(times, **{"stream-time": 0}), codes)
        # Without the first frame, or with a jump to before it, stream time is all there is.
        stream = ["00:20", "00:21", "01:05", "01:20"]
        self.assertEqual(self.list_codes(times, shift=7), stream)
        self.assertEqual(sorted(self.list_codes([*times, 40])), ["00:01", *stream])

    def test_each_run_counts_from_its_first_frame(self):
        lines = []
        for first in (780, 1780):
            for number in range(3):
                time = first + 40 * number
                lines.append({"cudahisto": 1, "frame": number, "frames": 1, "framerate": "25/1", "components": {},
                              "stream-time": time * 1000000, "duration": 40000000})
            lines.append({"cudahisto": 1, "event": "scene-change", "start": time * 1000000, "end": time * 1000000, "frame": 2,
                          "frames": 1, "ended-by": "complete", "element": "a"})
        for run in (1, 2):
            edits = cudahisto("events", "--format=edl", f"--run={run}", status=1, input=dump(lines).encode())
            self.assertEqual(re.findall(r"V     C        (\S+) (\S+)", edits),
                             [("00:00:00:00", "00:00:00:02"), ("00:00:00:02", "00:00:00:03")])
            chapters = cudahisto("events", "--format=ffmetadata", f"--run={run}", status=1, input=dump(lines).encode())
            self.assertEqual(re.findall(r"(?:START|END)=(\d+)", chapters), ["0", "80000000", "80000000", "120000000"])

    def test_time_codes_of_windows(self):
        window = {"cudahisto": 1, "frames": 25, "framerate": "25/1", "components": {}}
        lines = [{**window, "frame": 25 * number, "stream-time": 780000000 + number * 1000000000} for number in range(3)]
        event = {"cudahisto": 1, "event": "black", "start": 1820000000, "end": None, "frame": 26, "frames": 1, "element": "a"}
        self.assertIn(" 00:00:01:01  26\n", cudahisto("events", status=1, input=dump([event, *lines]).encode()))

    def test_two_ticks_a_frame(self):
        """FFmpeg copies H.264 with B-frames into AVI at twice the frame rate."""
        self.assertEqual(self.list_codes([0, 40, 80, 120], rate="50/1"), ["00:00", "00:01", "00:02", "00:03"])
        self.assertEqual(self.list_codes([0, 200, 240, 280, 320], rate="50/1"), ["00:00", "00:05", "00:06", "00:07", "00:08"])
        # Frames that last one tick, and a slide show.
        self.assertEqual(self.list_codes([0, 40, 80, 100], rate="50/1"), ["00:00", "00:02", "00:04", "00:05"])
        self.assertEqual(self.list_codes([0, 400, 800, 1200], rate="50/1"), ["00:00", "00:20", "00:40", "01:10"])

    def test_fields_of_a_film(self):
        # Fields are half frames: the time codes and numbers of their events are those of the film's frames.
        for rate, codec in (("25", "libx264 -x264-params tff=1"), (RATE, "mpeg2video -top 1")):
            film = self.folder / f"interlaced.{rate[:2]}.mkv"
            grey, picture = (f"{source}s=160x96:r={rate}:d=0.6,format=yuv420p" for source in ("color=gray:", "testsrc2="))
            run("ffmpeg", "-v", "error", "-f", "lavfi", "-i", grey, "-f", "lavfi", "-i", picture, "-filter_complex",
                "concat=n=2,setfield=tff", "-c:v", *codec.split(), "-flags", "+ilme+ildct", film)
            lists = {}
            for fields in ("together", "apart"):
                lines = film.with_suffix(f".{fields}.jsonl")
                cudahisto("measure", "-q", film, "-o", lines, "-e", "scene-change", f"--fields={fields}")
                lists[fields] = [cudahisto("events", f"--format={form}", "--clip=film", lines, status=1)
                                 for form in ("text", "edl", "ffmetadata")]
            self.assertIn("field", read(lines)[0])
            self.assertEqual(lists["apart"], lists["together"])
            self.assertRegex(lists["apart"][0], r"00:00:00[:;]1[58] +1[58]\n")

    def test_fields(self):
        # Two whole frames, three frames of fields, the first field of which lacks the other one, and a whole frame.
        def make(frame, field=None, **more):
            rate = {"framerate": "50/1", "field": field} if field else {"framerate": "25/1"}
            return {"cudahisto": 1, "frame": frame, "frames": 1, "components": {}, **rate, **more}

        fields = ["top", "top", "bottom", "top", "bottom"]
        results = [make(0), make(1), *(make(i + 2, field) for i, field in enumerate(fields)), make(7)]
        times = [0, 40, 80, 120, 140, 160, 180, 200, 240]
        for has_times in (True, False):
            lines = [{**line, "stream-time": time * 1000000 if has_times else None} for line, time in zip(results, times)]
            events = [{"cudahisto": 1, "event": "black", "start": lines[i]["stream-time"], "frame": i, "frames": n,
                       "end": times[i + n] * 1000000 if has_times else None, "ended-by": "complete", "element": "a"}
                      for i, n in ((1, 2), (4, 1), (4, 2), (6, 2), (7, 1))]
            found = json.loads(cudahisto("events", "--format=json", status=1, input=dump(lines + events).encode()))
            keys = ("start-timecode", "end-timecode", "frame", "frames")
            self.assertEqual([tuple(e[key] for key in keys) for e in found], [
                ("00:00:00:01", "00:00:00:03", 1, 2), ("00:00:00:03", "00:00:00:04", 3, 1),
                ("00:00:00:03", "00:00:00:05", 3, 2), ("00:00:00:04", "00:00:00:06", 4, 2),
                ("00:00:00:05", "00:00:00:06", 5, 1)])
        edits = cudahisto("events", "--format=edl", status=1, input=dump(lines + events).encode())
        self.assertIn("* LOC: 00:00:00:03 BLACK black, 2 frames", edits)

    def test_unknown_times(self):
        event = {"cudahisto": 1, "event": "black", "start": None, "end": None, "frame": 7, "frames": 1, "element": "a"}
        self.assertIn("black         ?             lasts         ?            7\n",
                      cudahisto("events", status=1, input=dump([event]).encode()))
        self.assertIn("no frame rate", complain("events", "--format=edl", input=dump([event]).encode()))

    def test_rates_without_timecode(self):
        """GStreamer's time codes abort at them."""
        result = {"cudahisto": 1, "frame": 0, "frames": 1, "components": {}, "stream-time": 0, "duration": 40000000}
        event = {"cudahisto": 1, "event": "scene-change", "start": 20000000000, "end": 20000000000, "frame": 7, "frames": 1,
                 "ended-by": "complete", "element": "a"}
        for rate in "1000000/1", "2147483647/1", "1000/1", "0/1", "1/2147483647":
            lines = dump([{**result, "framerate": rate}, event]).encode()
            self.assertIn("no frame rate that supports time codes", complain("events", "--format=edl", input=lines), rate)
            self.assertRegex(cudahisto("events", status=1, input=lines), r"scene-change +00:00:20.000 +\? +7\n")

    def test_none(self):
        result = {"cudahisto": 1, "frame": 0, "frames": 1, "components": {}}
        nothing = cudahisto("events", input=dump([result]).encode())
        self.assertLessEqual(max(map(len, nothing.splitlines())), 80)
        self.assertRegex(cudahisto("events", input=dump([result]).encode()), "^no events: ")
        self.assertEqual(json.loads(cudahisto("events", "-f", "json", input=dump([result]).encode())), [])

    def test_bad_input(self):
        event = {"cudahisto": 1, "event": "black\x1b[31m", "start": 0, "end": None, "frame": 0, "frames": 1, "element": "a"}
        said = complain("events", input=dump([event]).encode() + b"film\n" + dump([event]).encode()[:30])
        self.assertIn("line 2 is not JSON", said)
        self.assertIn("ends within a line", said)
        self.assertIn("black\ufffd[31m", cudahisto("events", status=1, input=dump([event]).encode()))
        self.assertIn("is not one of text, json, edl and ffmetadata", complain("events", "--format=xml"))
        self.assertIn("No such file", complain("events", "/nowhere/a.jsonl"))
        self.assertIn("is a folder", complain("events", "/"))
        self.assertIn("No space left", complain("events", self.lines, "-o", "/dev/full"))

    def test_incomplete(self):
        mark = {"cudahisto": 1, "event": "incomplete", "start": 5, "end": None, "frame": 10, "frames": 0, "reason": "by Ctrl-C",
                "element": "a"}
        self.assertRegex(cudahisto("events", status=1, input=dump([mark]).encode()), r"\nincomplete .* 10 \(by Ctrl-C\)\n")
        found, = json.loads(cudahisto("events", "--format=json", status=1, input=dump([mark]).encode()))
        self.assertEqual((found["value"], found["threshold"]), (0, 0))

    def test_runs(self):
        # Runs appended by a service.
        lines = self.folder / "runs.jsonl"
        for _ in range(2):
            cudahisto("measure", "-q", self.film, "-o", lines, "-e", "black+scene-change", "--set=sidecar-mode=append",
                      "--interval=1s")
        text = cudahisto("events", lines, status=1)
        runs = text.split("\n\n")
        self.assertEqual(len(runs), 2)
        day = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z"
        for number, listed in enumerate(runs, 1):
            self.assertRegex(listed, f"^run {number}: film.mkv, from {day}\nevent ")
            self.assertEqual([row.split()[0] for row in listed.splitlines()[2:]], ["black"] + ["scene-change"] * 3)
        self.assertEqual(runs[1].splitlines()[1:], runs[0].splitlines()[1:])
        self.assertEqual(cudahisto("events", "--run=2", lines, status=1), runs[1])
        found = json.loads(cudahisto("events", "--format=json", lines, status=1))
        self.assertEqual([(e["number"], e["run"]) for e in found], [(i + 1, 1 + i // 4) for i in range(8)])
        self.assertEqual(sorted(e["utc-time"] for e in found),
                         sorted(line["utc-time"] for line in read(lines) if "event" in line and "ended-by" in line))
        self.assertIn("--run=1 to --run=2", complain("events", "--format=edl", lines))
        self.assertIn("--run=1 to --run=2", complain("events", "--format=ffmetadata", lines))
        self.assertEqual(cudahisto("events", "--format=edl", "--clip=a", "--run=2", lines, status=1),
                         cudahisto("events", "--format=edl", "--clip=a", "--run=1", lines, status=1))
        self.assertIn("has 2 runs", complain("events", "--run=3", lines))
        self.assertIn("--run=-1", complain("events", "--run=-1", lines))

    def test_inputs(self):
        """Films that were measured into one file are separate runs, even if one was killed before its first result."""
        def event(name, second, **more):
            return {"cudahisto": 1, "event": "black", "start": 0, "end": None, "frame": 0, "frames": 1,
                    "utc-time": f"2026-11-23T10:00:{second:02}.000000Z", "element": "a", "input": name, **more}

        def result(name, second):
            return {"cudahisto": 1, "frame": 0, "frames": 25, "framerate": "25/1", "stream-time": 0, "duration": 1000000000,
                    "utc-time": f"2026-11-23T10:00:{second:02}.000000Z", "input": name, "components": {}}

        lines = dump([event("a.mkv", 10), event("b\x1b.mkv", 20), result("b\x1b.mkv", 20), event("c.mkv", 30),
                      event("c.mkv", 30, end=1000000000, **{"ended-by": "eos"}), result("c.mkv", 30)]).encode()
        text = cudahisto("events", status=1, input=lines)
        self.assertEqual(re.findall("^run .*", text, re.M),
                         [f"run {n}: {name}, from 2026-11-23T10:00:{n}0.000000Z"
                          for n, name in ((1, "a.mkv"), (2, "b\ufffd.mkv"), (3, "c.mkv"))])
        found = json.loads(cudahisto("events", "-f", "json", status=1, input=lines))
        self.assertEqual([(e["run"], e["input"], e["ended-by"]) for e in found],
                         [(1, "a.mkv", None), (2, "b\ufffd.mkv", None), (3, "c.mkv", "eos")])
        self.assertIn("TITLE: c.mkv\n", cudahisto("events", "-f", "edl", "--run=3", status=1, input=lines))
        self.assertIn("TITLE: d.mkv\n", cudahisto("events", "-f", "edl", "--run=3", "--clip=d.mkv", status=1, input=lines))

    def test_event_of_a_run_that_was_killed(self):
        """The next one begins with the same event of the same frame of the same film."""
        result = {"cudahisto": 1, "frame": 0, "frames": 25, "framerate": "25/1", "stream-time": 0, "components": {}}
        event = {"cudahisto": 1, "event": "black", "start": 0, "end": None, "frame": 0, "frames": 1, "element": "a"}
        first, second = ({"utc-time": f"2026-11-23T10:00:{n}0.000000Z"} for n in (1, 2))
        lines = [{**event, **first}, {**result, **first}, {**event, **second}, {**result, **second},
                 {**event, **second, "end": 1000000000, "ended-by": "complete"}]
        found = json.loads(cudahisto("events", "-f", "json", status=1, input=dump(lines).encode()))
        self.assertEqual([(e["run"], e["ended-by"], e["utc-time"]) for e in found],
                         [(1, None, first["utc-time"]), (2, "complete", second["utc-time"])])

    def test_wide_rows(self):
        event = {"cudahisto": 1, "event": "damaged", "start": 2**63, "end": 2**63 + 1, "frame": 2**52, "frames": 2**40,
                 "ended-by": "eos", "element": "a", "missing": 2**40, "cause": "decoder+undecoded+gap+missing"}
        mark = {"cudahisto": 1, "event": "incomplete", "start": 5, "end": None, "frame": 10, "frames": 0, "element": "a",
                "reason": "The film cannot be read any further, because its server has closed the connection for good"}
        result = {"cudahisto": 1, "frame": 0, "frames": 1, "framerate": "25/1", "components": {},
                  "input": "long name " * 9 + "end"}
        rows = cudahisto("events", status=1, input=dump([result, event, mark, {**result, "frame": 0}]).encode()).splitlines()
        self.assertLessEqual(max(map(len, rows)), 80)
        self.assertEqual([row for row in rows if row != row.rstrip()], [])
        self.assertIn(f" ({2**40} missing, decoder+undecoded+gap+missing)", [row[13:] for row in rows])  # in one piece
        words = " ".join(" ".join(rows).split())
        for said in (f"{2**52}-{2**52 + 2**40 - 1} (to last frame) ({2**40} missing, decoder+undecoded+gap+missing)",
                     f"10 ({mark['reason']})", "run 1: " + "long name " * 9 + "end"):
            self.assertIn(said, words)

    def test_runs_that_begin_with_an_event(self):
        def event(kind, frame, second, **more):
            return {"cudahisto": 1, "event": kind, "start": frame * 40000000, "end": None, "frame": frame, "frames": 1,
                    "utc-time": f"2026-11-23T10:00:{second:02}.000000Z", "element": "a", **more}

        def result(frame, second):
            return {"cudahisto": 1, "frame": frame, "frames": 25, "framerate": "25/1", "stream-time": frame * 40000000,
                    "utc-time": f"2026-11-23T10:00:{second:02}.000000Z", "components": {}}

        lines = [result(0, 10), result(25, 11), event("scene-change", 60, 12, **{"ended-by": "complete"}),
                 event("black", 55, 12),  # the killed run
                 event("black", 0, 20), event("scene-change", 3, 20, **{"ended-by": "complete"}), result(0, 20),
                 event("black", 0, 20, frames=30, **{"ended-by": "complete"}),
                 event("incomplete", 25, 21, reason="SIGTERM"),
                 event("black", 0, 30), result(0, 30)]
        found = json.loads(cudahisto("events", "-f", "json", status=1, input=dump(lines).encode()))
        self.assertEqual([(e["run"], e["event"], e["frame"], e["ended-by"]) for e in found],
                         [(1, "black", 55, None), (1, "scene-change", 60, "complete"),
                          (2, "black", 0, "complete"), (2, "scene-change", 3, "complete"), (2, "incomplete", 25, None),
                          (3, "black", 0, None)])


unittest.main()
