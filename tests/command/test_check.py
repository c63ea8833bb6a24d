# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""test_check.py COMMAND: `cudahisto check`: for each built-in policy a film that passes and one that fails at a known frame."""

import json
import os
import pathlib
import shutil
import signal
import struct
import subprocess
import tempfile
import time
import unittest
import xml.etree.ElementTree as tree

from lines import COMMAND, complain, cudahisto, need, read, run

RATE = 25
SIZE = "320x180"
# Of limited range, also as R, G and B, without equal rows, and with some noise in each frame.
CLEAN = (f"gradients=s={SIZE}:r={RATE}:c0=0x405060:c1=0xa09080:d=6:seed=1,noise=alls=6:allf=t,format=yuv420p,"
         "lutyuv=y='clip(val,40,200)':u='clip(val,110,146)':v='clip(val,110,146)'")


def make(folder, name, graph, *options, inputs=()):
    path = pathlib.Path(folder, name)
    words = [word for source in inputs for word in ("-f", "lavfi", "-i", source)]
    run("ffmpeg", "-v", "error", "-y", *words, *(() if inputs else ("-f", "lavfi", "-i", graph)),
        *(options or ("-c:v", "ffv1")), path)
    return path


def paint(colour, first, last):
    """A filter that paints the frames from `first` to `last`."""
    return f"drawbox=t=fill:c={colour}:w=iw:h=ih:enable='between(n,{first},{last})'"


class Check(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.clean = make(cls.folder, "clean.mkv", CLEAN + ",trim=end_frame=100")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def check(self, film, policy, status=0, *options):
        """Returns the rules of the verdict by the names of their sections."""
        verdict = json.loads(cudahisto("check", film, "-p", policy, "-f", "json", *options, status=status))[0]
        rules = {rule["rule"].split("/", 1)[1]: rule for rule in verdict["rules"]}
        applies = any(rule["outcome"] != "not-applicable" for rule in rules.values())
        self.assertEqual(verdict["outcome"], ["pass" if applies else "not-applicable", "fail", "not-measured"][status])
        return rules

    def check_place(self, rule, first, frames):
        self.assertEqual(rule["outcome"], "fail")
        self.assertEqual([(place["frame"], place["frames"]) for place in rule["places"]], [(first, frames)])
        place = rule["places"][0]
        self.assertEqual((place["start"], place["end"]), (first * 10**9 // RATE, (first + frames) * 10**9 // RATE))
        self.assertEqual(place["timecode"], f"00:00:{first // RATE:02}:{first % RATE:02}")

    def check_policy(self, policy, name, graph, rule, first, frames):
        self.assertTrue(all(each["outcome"] == "pass" for each in self.check(self.clean, policy).values()))
        film = make(self.folder, name, graph)
        self.check_place(self.check(film, policy, 1)[rule], first, frames)

    def test_black(self):
        self.check_policy("black", "black.mkv", f"{CLEAN},{paint('black', 40, 99)},trim=end_frame=120", "black", 40, 60)

    def test_short_black(self):
        """A rule on events shorter than those that the element finds by itself."""
        film = make(self.folder, "blink.mkv", f"{CLEAN},{paint('black', 40, 52)},trim=end_frame=100")
        policy = pathlib.Path(self.folder, "short.policy")
        policy.write_text("[black]\nevent=black\nduration=0.5\n", encoding="utf-8")
        self.check_place(self.check(film, policy, 1)["black"], 40, 13)
        policy.write_text("[black]\nevent=black\nduration=0.6\n", encoding="utf-8")
        self.assertEqual(self.check(film, policy)["black"]["outcome"], "pass")

    def test_freeze(self):
        self.check_policy("freeze", "freeze.mkv", f"{CLEAN},{paint('0x608080', 30, 89)},trim=end_frame=120", "freeze", 30, 60)

    def test_black_at_the_end(self):
        """The element measures it without its last frame."""
        film = make(self.folder, "end.mkv", f"{CLEAN},{paint('black', 40, 89)},trim=end_frame=90")
        self.check_place(self.check(film, "black", 1)["black"], 40, 50)
        film = make(self.folder, "soon.mkv", f"{CLEAN},{paint('black', 40, 88)},trim=end_frame=89")
        self.assertEqual(self.check(film, "black")["black"]["outcome"], "pass")

    def test_any_black(self):
        """A rule without a duration is on every event, whatever other rules require."""
        film = make(self.folder, "one.mkv", f"{CLEAN},{paint('black', 40, 40)},trim=end_frame=90")
        policy = pathlib.Path(self.folder, "any.policy")
        policy.write_text("[any]\nevent=black\n[long]\nevent=black\nduration=2\n", encoding="utf-8")
        rules = self.check(film, policy, 1)
        self.check_place(rules["any"], 40, 1)
        self.assertEqual(rules["long"]["outcome"], "pass")

    def test_stated_minimum(self):
        """Results of events of 2 s or longer do not show whether there were shorter ones."""
        lines = pathlib.Path(self.folder, "long.jsonl")
        cudahisto("measure", self.clean, "-e", "black", "-o", lines)
        policy = pathlib.Path(self.folder, "half.policy")
        policy.write_text("[black]\nevent=black\nduration=0.5\n", encoding="utf-8")
        self.assertEqual(self.check(lines, policy, 2, "-e", "black")["black"]["outcome"], "not-measured")
        self.assertEqual(self.check(lines, policy, 0, "-e", "black:0.5")["black"]["outcome"], "pass")
        self.assertIn("black:x", complain("check", lines, "-p", policy, "-e", "black:x"))

    def cut_film(self):
        film = make(self.folder, "whole.mp4", CLEAN, "-c:v", "libx264", "-movflags", "+faststart")
        cut = pathlib.Path(self.folder, "cut.mp4")
        cut.write_bytes(film.read_bytes()[:film.stat().st_size * 6 // 10])
        return cut

    def test_truncated_film(self):
        """Nothing passes that `measure` finds incomplete; its sentence is in each format."""
        cut = self.cut_film()
        self.check(cut, "broadcast-range+black", 2)
        for form in ("text", "json", "junit", "html"):
            self.assertIn("is shorter than its header says", cudahisto("check", cut, "-p", "black", "-f", form, status=2)
                          .replace("\n", " "))
        policy = pathlib.Path(self.folder, "missing.policy")
        for text in ("field=missing\nmax=0", "event=damaged", "declared=damage"):
            policy.write_text(f"[damage]\n{text}\n", encoding="utf-8")
            self.assertEqual(self.check(cut, policy, 1)["damage"]["outcome"], "fail", text)
        lines = pathlib.Path(self.folder, "short.jsonl")
        cudahisto("measure", cut, "-o", lines, status=1)
        self.check(lines, "broadcast-range", 2)

    def test_broken_film(self):
        """A film that cannot be measured is in the report, which replaces that of an earlier check."""
        broken, output = pathlib.Path(self.folder, "broken.mkv"), pathlib.Path(self.folder, "broken.xml")
        shutil.copy(self.clean, broken)
        cudahisto("check", broken, "-p", "black", "-f", "junit", "-o", output)
        broken.write_text("no film", encoding="utf-8")
        cudahisto("check", broken, "-p", "black", "-f", "junit", "-o", output, status=2)
        self.assertEqual([suite.get("errors") for suite in tree.parse(output).getroot()], ["2"])
        for form in ("text", "json", "junit", "html"):
            self.assertIn("nowhere.mkv", cudahisto("check", "nowhere.mkv", self.clean, "-p", "black", "-f", form, status=2))

    def test_files(self):
        """Neither the report nor the lines replace a policy, and the lines need a file of their own."""
        policy = pathlib.Path(self.folder, "kept.policy")
        policy.write_text("[black]\nevent=black\n", encoding="utf-8")
        both = pathlib.Path(self.folder, "both")
        for options, words in ((("-o", policy), "is an input"), (("--lines", policy), "names a policy"),
                               (("--lines=-",), "name a file"), ((f"--lines={self.folder}",), "name a file"),
                               (("--lines=new/",), "name a file"), (("--lines", both, "-o", both), "the same file"),
                               (("--set=sidecar-mode=append",), "sidecar-mode"),
                               (("--set=clipped-min-duration=1",), "clipped-min-duration")):
            self.assertIn(words, complain("check", self.clean, "-p", policy, "--force", *options))
        self.assertEqual(policy.read_text(encoding="utf-8"), "[black]\nevent=black\n")
        self.assertFalse(both.exists())

    def test_r103(self):
        self.check_policy("r103", "levels.mkv", f"{CLEAN},geq=lum='if(between(N,50,59),254,lum(X,Y))':cb='cb(X,Y)':"
                          "cr='cr(X,Y)',trim=end_frame=100", "levels", 50, 10)

    def test_broadcast_range(self):
        self.check_policy("broadcast-range", "range.mkv", f"{CLEAN},geq=lum='if(between(N,20,24),8,lum(X,Y))':cb='cb(X,Y)':"
                          "cr='cr(X,Y)',trim=end_frame=100", "range", 20, 5)

    def test_archive(self):
        self.check_policy("archive", "saturated.mkv", f"{CLEAN},geq=lum='lum(X,Y)':cb='if(between(N,70,79),240,cb(X,Y))':"
                          "cr='if(between(N,70,79),240,cr(X,Y))',trim=end_frame=100", "saturation", 70, 10)

    def test_letterbox(self):
        bars = "drawbox=t=fill:c=black:w=iw:h=20:enable='lt(n,90)',drawbox=t=fill:c=black:w=iw:y=ih-20:h=20:enable='lt(n,90)'"
        self.check_policy("letterbox", "bars.mkv", f"{CLEAN},{bars},trim=end_frame=150", "active-picture", 90, 60)

    def test_members(self):
        """The page on policies documents each member of the verdict in JSON."""
        page = (pathlib.Path(__file__).parents[2] / "docs/policies.md").read_text(encoding="utf-8")
        bars = "drawbox=t=fill:c=black:w=iw:h=20:enable='lt(n,60)'"
        film = make(self.folder, "half.mkv", f"{CLEAN},{bars},trim=end_frame=110")
        verdict = json.loads(cudahisto("check", film, "-p", "letterbox", "-f", "json", status=1))[0]
        rule = verdict["rules"][0]
        self.assertEqual((rule["picture"], rule["places"][0]["picture"], rule["places"][0]["sides"]),
                         ([0, 20, 320, 160], [0, 0, 320, 180], ["top"]))
        for name in [*verdict, *rule, *rule["places"][0]]:
            self.assertIn(f"`{name}`", page)

    def test_titles(self):
        """A title on black has a smaller picture, which is no evidence of bars."""
        title = "drawbox=t=fill:c=black:w=iw:h=80:enable='gte(n,90)'"
        film = make(self.folder, "title.mkv", f"{CLEAN},{title},trim=end_frame=150")
        self.assertEqual(self.check(film, "letterbox")["active-picture"]["outcome"], "pass")

    def test_declared(self):
        """Only what the file declares is compared: Matroska without colours has no range, MPEG-TS no duration."""
        outcomes = {name: rule["outcome"] for name, rule in self.check(self.clean, "declared").items()}
        self.assertEqual([outcomes.pop(name) for name in ("range", "frames")], ["not-applicable"] * 2)
        self.assertEqual(set(outcomes.values()), {"pass"})
        stream = make(self.folder, "stream.ts", CLEAN + ",trim=end_frame=50", "-c:v", "libx264")
        rules = self.check(stream, "declared")
        self.assertEqual([rules[name]["outcome"] for name in ("duration", "frames")], ["not-applicable"] * 2)
        rules = self.check(self.cut_film(), "declared", 1)
        for name in ("duration", "frames", "damage"):
            self.assertEqual(rules[name]["outcome"], "fail", name)
        self.assertEqual(rules["framerate"]["outcome"], "pass")
        self.assertEqual([rules[name]["declared"] for name in ("duration", "frames", "framerate")], [6, 150, 25])

    def check_declared(self, name, inputs, options, duration, frames, rate):
        """The declared values of a film without faults; None: the rule does not apply."""
        film = make(self.folder, name, None, *options, inputs=inputs)
        rules = self.check(film, "declared", 0)
        for rule, value in (("duration", duration), ("frames", frames), ("framerate", rate)):
            self.assertEqual(rules[rule]["outcome"], "not-applicable" if value is None else "pass", (name, rule))
            if value is None:
                self.assertIsNone(rules[rule]["declared"], (name, rule))
            else:  # FFmpeg writes one more tick into some AVI files
                self.assertAlmostEqual(rules[rule]["declared"], value, delta=0.05, msg=(name, rule))

    def test_declared_of_the_measured_track(self):
        """Of several tracks, the declared values of the measured one count. Matroska declares the duration of the longest."""
        short, long, sound = "testsrc=d=2:r=25:s=64x64", "testsrc=d=4:r=25:s=64x64", "sine=d=3"
        codec = ("-c:v", "mpeg4", "-bf", "0")
        self.check_declared("two.mp4", (short, long, sound), ("-map", "0", "-map", "1", "-map", "2", *codec), 2, 50, 25)
        self.check_declared("sound.avi", (sound, short), ("-map", "0", "-map", "1", *codec), 2, 50, None)
        self.check_declared("long.mkv", (short, long), ("-map", "0", "-map", "1", *codec), None, None, 25)
        self.assertIn("was not measured", self.check(pathlib.Path(self.folder, "long.mkv"), "declared")["duration"]["reason"])
        sounding = make(self.folder, "sound.mkv", None, "-map", "0", "-map", "1", *codec, inputs=(short, sound))
        duration = self.check(sounding, "declared")["duration"]
        self.assertEqual(duration["outcome"], "pass")
        self.assertAlmostEqual(duration["declared"], 3, delta=0.1)

    def test_wrong_declaration(self):
        """A header of Matroska, and one of MP4, whose duration is changed."""
        header = bytearray(self.clean.read_bytes())
        at = header.index(b"\x44\x89\x88") + 3  # Duration, a double in ms
        header[at:at + 8] = struct.pack(">d", 4300)
        wrong = pathlib.Path(self.folder, "wrong.mkv")
        wrong.write_bytes(header)
        duration = self.check(wrong, "declared", 1)["duration"]
        self.assertEqual((duration["outcome"], duration["value"], duration["declared"]), ("fail", 4, 4.3))
        film = make(self.folder, "right.mp4", CLEAN + ",trim=end_frame=100", "-c:v", "mpeg4")
        header = bytearray(film.read_bytes())
        at = header.index(b"mdhd") + 20  # the duration in a box of version 0
        header[at:at + 4] = struct.pack(">I", struct.unpack(">I", header[at:at + 4])[0] * 3 // 2)
        film.write_bytes(header)
        duration = self.check(film, "declared", 1)["duration"]
        self.assertEqual((duration["outcome"], duration["value"], duration["declared"]), ("fail", 4, 6))

    def test_declared_rate(self):
        """It does not apply if it is variable, or if the times of the frames follow from it."""
        film = "testsrc=d=2:r=25:s=64x64"
        self.check_declared("variable.mp4", (film,), ("-vf", "select=not(mod(n\\,7))+not(mod(n\\,3))", "-vsync", "vfr", "-c:v",
                                                      "libx264"), 2, 22, None)
        self.check_declared("film.mxf", (film,), ("-c:v", "mpeg2video"), 2, 50, None)
        self.check_declared("film.mpg", (film,), ("-c:v", "mpeg2video"), None, None, None)
        self.check_declared("film.ts", (film,), ("-c:v", "mpeg2video"), None, None, 25)

    def test_hdr10(self):
        """x265 declares the light levels that it is told."""
        graph = f"color=c=gray:s={SIZE}:r={RATE}:d=1,format=yuv420p10le,geq=lum=573:cb=512:cr=512"
        options = ("-c:v", "libx265", "-x265-params", "log-level=none:lossless=1:hdr10=1:repeat-headers=1:colorprim=bt2020:"
                   "transfer=smpte2084:colormatrix=bt2020nc:range=limited:max-cll=%s")
        film = make(self.folder, "wrong.mkv", graph, *options[:-1], options[-1] % "1000,400")
        rules = self.check(film, "hdr10", 1)
        self.assertEqual({name: rule["outcome"] for name, rule in rules.items()},
                         {"depth": "pass", "max-cll": "fail", "max-fall": "fail"})
        nits = {name: rules[name]["value"] for name in ("max-cll", "max-fall")}
        levels = f"{nits['max-cll']:.0f},{nits['max-fall']:.0f}"
        film = make(self.folder, "right.mkv", graph, *options[:-1], options[-1] % levels)
        self.assertTrue(all(rule["outcome"] == "pass" for rule in self.check(film, "hdr10").values()))
        without = options[-1].replace(":max-cll=%s", "").replace("hdr10=1:", "")
        film = make(self.folder, "none.mkv", graph, *options[:-1], without)
        rules = self.check(film, "hdr10", 1)
        self.assertEqual([rules[name]["outcome"] for name in ("max-cll", "max-fall")], ["fail"] * 2)
        self.assertTrue(all(rule["outcome"] == "not-applicable" for rule in self.check(self.clean, "hdr10").values()))
        self.assertEqual(complain("check", self.clean, "-p", "hdr10", status=0), "")

    def test_lines(self):
        """Results are judged like their film; rules on events need to know that these were detected."""
        film = make(self.folder, "lines.mkv", f"{CLEAN},{paint('black', 40, 99)},trim=end_frame=120")
        lines = pathlib.Path(self.folder, "kept.jsonl")
        text = cudahisto("check", film, "-p", "black+broadcast-range", "--lines", lines, status=1)
        self.assertEqual(read(lines)[0]["cudahisto"], 1)
        again = cudahisto("check", lines, "-p", "black+broadcast-range", status=1)
        self.assertEqual(again.split("\n")[1:], text.split("\n")[1:])
        self.assertIn("not measured", cudahisto("check", lines, "-p", "freeze", status=2))
        self.assertIn("pass", cudahisto("check", lines, "-p", "freeze", "--events=freeze+black", status=0))

    def test_incomplete_lines(self):
        """Results that end early or are no results do not pass."""
        lines, output = pathlib.Path(self.folder, "cut.jsonl"), pathlib.Path(self.folder, "cut.txt")
        cudahisto("check", self.clean, "-p", "r103", "--lines", lines)
        cudahisto("check", lines, "-p", "r103", "-o", output)
        self.assertNotIn("a sample", output.read_text(encoding="utf-8"))
        whole = lines.read_bytes()
        lines.write_bytes(whole[:len(whole) // 2])
        self.assertIn("end within a line", cudahisto("check", lines, "-p", "r103", status=2))
        self.assertIn("events need all frames", cudahisto("check", lines, "-p", "black", "-e", "black", status=2))
        lines.write_bytes(whole[:len(whole) // 2] + b"\n")
        cudahisto("check", lines, "-p", "r103", "-o", output, status=2)
        self.assertIn("is not JSON", output.read_text(encoding="utf-8").replace("\n", " "))

    def test_lines_of_another_file(self):
        """Lines do not replace a file that `measure` did not write, except by force."""
        other = pathlib.Path(self.folder, "other.txt")
        other.write_text("mine", encoding="utf-8")
        self.assertIn("other.txt", complain("check", self.clean, "-p", "r103", "--lines", other))
        cudahisto("check", self.clean, "-p", "r103", "--lines", other, "--force")
        self.assertEqual(len(read(other)), 100)

    def test_pipe(self):
        """A film from a pipe is read once, and declares what its file does."""
        film = pathlib.Path(self.folder, "pipe")
        os.mkfifo(film)
        with subprocess.Popen(["cp", self.clean, film]):
            rules = self.check(film, "declared+black")
        self.assertEqual((rules["duration"]["declared"], rules["duration"]["outcome"]), (4, "pass"))

    def test_several(self):
        """Each film has its verdict, and the status is that of the worst."""
        film = make(self.folder, "two.mkv", f"{CLEAN},{paint('black', 10, 79)},trim=end_frame=100")
        text = cudahisto("check", self.clean, film, "-p", "black", status=1)
        self.assertEqual(len([line for line in text.splitlines() if line.startswith(("pass:", "fail:"))]), 2)
        suites = tree.fromstring(cudahisto("check", self.clean, film, "-p", "black", "-f", "junit", status=1))
        self.assertEqual([(suite.get("tests"), suite.get("failures")) for suite in suites], [("1", "0"), ("1", "1")])

    def test_text(self):
        film = make(self.folder, "wide.mkv", f"{CLEAN},{paint('black', 10, 79)},trim=end_frame=100")
        for line in cudahisto("check", film, "-p", "black+archive+declared+r103", status=1).splitlines():
            self.assertLessEqual(len(line), 80, line)

    def test_complaints(self):
        policy = pathlib.Path(self.folder, "bad.policy")
        for text, words in (("[a]\nfield=meen\nmax=1\n", "bad.policy:2:"),
                            ("[a]\nfield=mean\nmax=1\nmaximum=2\n", "bad.policy:4:"),
                            ("[a]\nfield=mean\nmin=3\nmax=1\n", "bad.policy:"), ("[a]\nmax=1\n", "bad.policy:1:")):
            policy.write_text(text, encoding="utf-8")
            self.assertIn(words, complain("check", self.clean, "-p", policy))
        for arguments, words in (((), "name a film"), ((self.clean,), "name a policy"),
                                 ((self.clean, "-p", "nothing"), "nothing"),
                                 ((self.clean, "-p", "black", "-e", "blak"), "unknown event `blak`"),
                                 ((self.clean, "-p", "black", "--set=events=freeze"), "check sets events itself"),
                                 (("any.jsonl", "-p", "black", "--lines=x"), "--lines takes one film"),
                                 ((self.clean, "-p", "black", "-f", "xml"), "text, json, junit and html"),
                                 (("--show=nothing",), "--list"), (("nowhere.mkv", "-p", "black"), "nowhere.mkv")):
            self.assertIn(words, complain("check", *map(str, arguments)))

    def test_show(self):
        """Each listed policy can be printed, and its print used."""
        names = [line.split()[0] for line in cudahisto("check", "--list").splitlines()]
        self.assertEqual(len(names), 8)
        for name in names:
            path = pathlib.Path(self.folder, f"own-{name}.policy")
            path.write_text(cudahisto("check", f"--show={name}"), encoding="utf-8")
            self.check(self.clean, path)

    def test_interrupt(self):
        """Ctrl-C ends it by the signal, without a verdict and without the lines."""
        with tempfile.TemporaryDirectory() as scratch:
            with subprocess.Popen([COMMAND, "check", "-p", "black", "/dev/stdin", self.clean, "-o", f"{scratch}/verdict"],
                                  env={**os.environ, "TMPDIR": scratch}, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as job:
                job.stdin.write(self.clean.read_bytes()[:100000])
                job.stdin.flush()
                while not list(pathlib.Path(scratch).glob("cudahisto-*/*")):
                    time.sleep(0.05)
                job.send_signal(signal.SIGINT)
                self.assertEqual(job.wait(), -signal.SIGINT)
            self.assertEqual(os.listdir(scratch), [])

    def test_leaves_nothing(self):
        """The lines of a measurement are removed, also if it fails."""
        with tempfile.TemporaryDirectory() as scratch:
            environment = {**os.environ, "TMPDIR": scratch}
            cudahisto("check", self.clean, "-p", "black", env=environment)
            pathlib.Path(scratch, "words.mkv").write_text("no film", encoding="utf-8")
            cudahisto("check", pathlib.Path(scratch, "words.mkv"), "-p", "black", status=2, env=environment)
            self.assertEqual(os.listdir(scratch), ["words.mkv"])


if __name__ == "__main__":
    need("ffmpeg")
    unittest.main()
