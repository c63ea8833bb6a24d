# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""test_verdict.py COMMAND: the page of a report begins with the verdict, and runs no code from a policy."""

import html.parser
import json
import unittest

from browser import Browser
from lines import SharedFolderTest, complain, cudahisto, dump, need, read, run

need("ffmpeg", "chromium", "chromedriver")

RATE = 25
GRAPH = (f"gradients=s=160x90:r={RATE}:c0=0x405060:c1=0xa09080:d=6:seed=1,noise=alls=6:allf=t,format=yuv420p,"
         "lutyuv=y='clip(val,40,200)':u='clip(val,110,146)':v='clip(val,110,146)'")
FAULTS = "drawbox=t=fill:c=black:w=iw:h=ih:enable='between(n,40,99)'"
POLICY = """[policy]
title=House <script>document.title='run'</script>
source=</script><script>document.title='run'</script>
url=javascript:document.title='run'
not-covered=<b>Sound</b>; Subtitles

[levels]
about=Luma is <img src=x onerror="document.title='run'"> bright & "fine".
reference=<i>Page 1</i>
field=mean
component=luma
min=30
scale=8
duration=0.1
share=0.05

[size]
severity=warning
field=height
min=1080

[light]
field=height
max=10
transfer=pq

[gamut]
field=out-of-gamut
max=0.01
"""


class Reader(html.parser.HTMLParser):
    """Collects the elements of a page, and checks that each that must be closed is."""

    def __init__(self):
        super().__init__()
        self.open, self.scripts, self.id = [], {}, None

    def handle_starttag(self, tag, attrs):
        if tag not in ("meta", "br", "input"):
            self.open.append(tag)
        self.id = dict(attrs).get("id") if tag == "script" else None

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag

    def handle_data(self, data):
        if self.id is not None:
            self.scripts[self.id] = self.scripts.get(self.id, "") + data


def read_page(page):
    reader = Reader()
    reader.feed(page.read_text(encoding="utf-8"))
    reader.close()
    assert reader.open == []
    return reader


def outcomes_of(verdict):
    return {rule["rule"]: rule["outcome"] for rule in verdict["rules"]}


class Verdicts(SharedFolderTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.close)
        cls.good, cls.bad = cls.folder / "good.mkv", cls.folder / "bad.mkv"
        for path, graph in ((cls.good, GRAPH), (cls.bad, f"{GRAPH},{FAULTS}")):
            run("ffmpeg", "-v", "error", "-f", "lavfi", "-i", f"{graph},trim=end_frame=120", "-c:v", "ffv1", path)
        cls.policy = cls.folder / "house.policy"
        cls.policy.write_text(POLICY, encoding="utf-8")
        cls.lines = cls.folder / "bad.jsonl"
        cls.page = cls.folder / "bad.html"
        cls.policies = f"black+declared+{cls.policy}"
        cudahisto("check", cls.bad, "-p", cls.policies, "-f", "html", "-o", cls.page, "--lines", cls.lines, status=1)

    def setUp(self):
        self.browser.take_log()
        self.browser.set_width(1500)

    def tearDown(self):
        self.assertEqual([message for message in self.browser.take_log() if "Multiple readback" not in message], [])

    def show(self, *arguments, status=0):
        page = self.folder / "page.html"
        cudahisto(*arguments, "-o", page, "--force", status=status)
        self.browser.open(page)
        return page

    def rows(self, number=0):
        """The texts of the cells of each rule."""
        return self.browser.run(
            "const rows = [...document.querySelectorAll('.verdict')[arguments[0]].querySelectorAll('tbody tr')];"
            "const read = cell => cell.innerText.replace(/\\n+/g, '\\n');"
            "return Object.fromEntries(rows.map(row => [row.dataset.rule, [...row.children].map(read)]))", number)

    def test_failing_film(self):
        self.browser.open(self.page)
        self.assertEqual(self.browser.text("#verdicts h2").split(), ["fail", "bad.mkv"])
        self.assertEqual(self.browser.text(".sentence"), "2 of 11 rules fail, 1 warning, 3 not applicable")
        self.assertEqual(self.browser.run("return document.querySelector('main').previousElementSibling.id"), "verdicts")
        rows = self.rows()
        self.assertEqual(rows["black/black"], [
            "fail", "black/black\nNo part of the film is black for 2 seconds or longer. (FFmpeg blackdetect)", "error",
            "1 event", "at most 0 events of 2 s or longer", "1 place, 60 frames\n00:00:01:15 · frames 40-99 · 1",
            "60 frames, 0:02.400"])
        levels = rows["house/levels"]
        self.assertEqual([levels[0], *levels[3:5]],
                         ["fail", "16", "at least 30, except for less than 0.1 s or in 5 % of the frames"])
        self.assertEqual(rows["house/size"][:5], ["warning", "house/size", "warning", "90 pixels", "at least 1080 pixels"])
        self.assertEqual(rows["house/light"], ["not applicable", "house/light", "error", "the film is not PQ"])
        self.assertEqual(rows["declared/damage"][3:], ["0 frames", "at most 0 frames", "–", "–"])

    def test_place_is_shown_in_the_charts(self):
        for axis, frame in (("time", 40), ("frame", 40), ("result", 40)):
            self.browser.open(self.page)
            self.browser.click(f"#axes button[value={axis}]")
            for button in (".places button", ".longest button"):
                self.browser.click(f"tr[data-rule='black/black'] {button}")
                self.browser.settle()
                self.assertEqual(self.browser.text(".side .title"), f"frame {frame}, 0:{frame / RATE:06.3f}", axis)
                self.browser.press("Escape")

    def test_passing_film(self):
        page = self.show("check", self.good, "-p", "black+declared+r103", "-f", "html")
        verdict = json.loads(read_page(page).scripts["verdict-0"])
        self.assertEqual((verdict["outcome"], set(outcomes_of(verdict).values())), ("pass", {"pass", "not-applicable"}))
        self.assertEqual(self.browser.text("#verdicts h2").split(), ["pass", "good.mkv"])
        self.assertEqual(self.browser.text(".sentence"), "8 rules, 2 not applicable")
        self.assertEqual({cells[0] for cells in self.rows().values()}, {"pass", "not applicable"})
        self.assertEqual(self.rows()["declared/duration"][3:5], ["4.8 s", "declared: 4.8 s, within 0.2 s"])
        self.assertEqual(self.browser.text(".charts .title"), "Levels of Y, 0 to 255 (8 bits)")  # measured for the charts

    def test_outcomes_are_those_of_json(self):
        verdict = json.loads(read_page(self.page).scripts["verdict-0"])
        other = json.loads(cudahisto("check", self.bad, "-p", self.policies, "-f", "json", status=1))[0]
        for rule in verdict["rules"]:
            for name in ("value-text", "limit-text"):
                del rule[name]
            for place in [*rule["places"], rule["longest"]]:
                if place is not None:
                    del place["text"], place["stream-time"], place["stream-end"]
        del verdict["text"], verdict["notes"]
        self.assertEqual(verdict, other)

    def test_no_code_from_a_policy(self):
        self.browser.open(self.page)
        self.assertEqual(self.browser.run("return document.title"), "bad.mkv")
        self.assertEqual(self.browser.run("return document.querySelectorAll('.verdict :is(script, img, i, a)').length"), 0)
        self.assertIn("House <script>document.title='run'</script>", self.browser.text(".verdict .facts"))
        self.assertIn("""Luma is <img src=x onerror="document.title='run'"> bright & "fine". (<i>Page 1</i>)""",
                      self.rows()["house/levels"][1])
        self.browser.run("document.querySelector('.missing').open = true")
        self.assertIn("house: <b>Sound</b>", self.browser.texts(".missing li"))

    def test_link(self):
        self.show("report", self.lines, "-p", "r103")
        self.assertEqual(self.browser.run("return document.querySelector('.verdict a').href"),
                         "https://tech.ebu.ch/publications/r103")

    def test_report(self):
        """Of lines alone: what the film declares is unknown, and events are known if they occurred or are named."""
        page = self.show("report", self.lines, "-p", self.policies)
        verdict = json.loads(read_page(page).scripts["verdict-0"])
        outcomes = outcomes_of(verdict)
        self.assertEqual((verdict["outcome"], outcomes["black/black"], outcomes["house/size"], outcomes["declared/duration"]),
                         ("fail", "fail", "fail", "not-measured"))
        self.assertEqual(self.rows()["declared/duration"][3], "the results have no declarations: check the film itself")
        self.show("report", self.lines, "-p", "freeze")
        self.assertEqual(self.rows()["freeze/freeze"][0], "not measured")
        self.show("report", self.lines, "-p", "freeze", "-e", "freeze+black")
        self.assertEqual(self.rows()["freeze/freeze"][0], "pass")

    def test_report_without_a_policy(self):
        """It has nothing of verdicts."""
        page = self.folder / "plain.html"
        cudahisto("report", self.lines, "-o", page)
        self.assertNotIn("verdict", page.read_text(encoding="utf-8").lower())
        self.assertEqual(set(read_page(page).scripts), {"page", "curves-0", "heat-0"})

    def test_films(self):
        """Each has its verdict, also one that cannot be read."""
        broken = self.folder / "broken.mkv"
        broken.write_text("no film", encoding="utf-8")
        page = self.show("check", self.good, broken, self.bad, "-p", "black", "-f", "html", status=2)
        self.assertEqual(self.browser.texts("#verdicts h2 .outcome"), ["pass", "not measured", "fail"])
        self.assertEqual(self.browser.texts("#films h2"), ["good.mkv", "broken.mkv", "bad.mkv"])
        self.assertEqual(json.loads(read_page(page).scripts["verdict-2"])["rules"][0]["places"][0]["frame"], 40)
        self.browser.click(".verdict:nth-child(3) .places button")
        self.assertEqual(self.browser.text("#film-2 .side .title"), "frame 40, 0:01.600")
        self.assertEqual(self.browser.text("#film-0 .side .title"), "All frames")
        self.show("check", broken, "-p", "black", "-f", "html", status=2)
        self.assertEqual(self.browser.texts("#verdicts h2 .outcome"), ["not measured"])
        self.assertIn("broken.mkv", self.browser.text(".verdict .warnings"))

    def test_sample(self):
        """Lines that end early do not pass, and invalid ones have no verdict."""
        cut = self.folder / "cut.jsonl"
        cut.write_bytes(self.lines.read_bytes()[:100000])
        self.show("report", cut, "-p", "r103+declared")
        self.assertEqual(self.browser.texts(".verdict .warnings"), ["the results end within a line: results are missing"])
        cut.write_bytes(self.lines.read_bytes()[:100000] + b"\n")
        self.show("report", cut, "-p", "r103", status=2)
        self.assertIn("There is no verdict, since lines are invalid.", self.browser.texts("#films .warnings li"))

    def test_windows(self):
        """A rule on each frame cannot be judged by results of several."""
        lines = self.folder / "windows.jsonl"
        cudahisto("measure", "-q", self.good, "-o", lines, "-i", "1s", "-s", "broadcast-range")
        self.show("report", lines, "-p", "broadcast-range")
        self.assertEqual(self.browser.texts(".verdict .warnings"),
                         ["a line covers up to 25 frames: limits apply to its values, not to those of each frame"])

    def test_several_runs(self):
        runs = self.folder / "runs.jsonl"
        runs.write_text(dump(read(self.lines)) * 2, encoding="utf-8")
        page = self.folder / "page.html"
        self.assertIn("--run=1 to --run=2", complain("report", str(runs), "-p", "black", "-o", str(page), "--force"))
        self.browser.open(page)
        self.assertIn("There is no verdict", self.browser.text(".warnings"))
        self.show("report", runs, "-p", "black", "--run=2")
        self.assertEqual(self.rows()["black/black"][0], "fail")
        self.browser.click(".places button")  # there is no axis of times or frames: it does nothing
        self.assertEqual(self.browser.text(".side .title"), "All frames")

    def test_many_places(self):
        many = self.folder / "many.mkv"
        graph = "color=gray:s=64x64:r=25,trim=end_frame=240,geq=lum='if(mod(N,2),240,99)':cb=128:cr=128"
        run("ffmpeg", "-v", "error", "-f", "lavfi", "-i", graph, "-c:v", "ffv1", many)
        policy = self.folder / "max.policy"
        policy.write_text("[max]\nfield=max\ncomponent=luma\nmax=235\n", encoding="utf-8")
        self.show("check", many, "-p", policy, "-f", "html", status=1)
        self.assertEqual(len(self.browser.run("return [...document.querySelectorAll('.places > ul li')].map(e => 0)")), 5)
        self.browser.click(".places summary")
        self.assertEqual(self.browser.texts(".places summary"), ["115 more"])
        self.assertEqual(self.browser.texts(".places details li")[-1], "and 20 more")

    def test_complaints(self):
        for arguments, words in ((("-p", "nothing"), "nothing"), (("-p", "black", "-e", "blak"), "blak"),
                                 (("-p", "black", "--run=-1"), "--run=-1")):
            self.assertIn(words, complain("report", str(self.lines), *arguments, "-o", str(self.folder / "no.html")))
        self.assertFalse((self.folder / "no.html").exists())


if __name__ == "__main__":
    unittest.main()
