#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""test_report.py COMMAND: `cudahisto report` makes a page that shows the numbers of the lines in a browser, and runs no code
from them."""

import json
import os
import pathlib
import re
import subprocess
import unittest

from browser import Browser
from lines import COMMAND, FolderTest, SharedFolderTest, complain, cudahisto, dump, list_fields, need, read, run

need("ffmpeg", "chromium", "chromedriver")

# A film with a fade, a cut, black, a still, and noise.
SCENES = ("testsrc2=s=160x90:r=25:d=3,fade=t=in:st=0:d=1", "color=black:s=160x90:r=25:d=3", "smptehdbars=s=160x90:r=25:d=3",
          "mandelbrot=s=160x90:r=25,trim=duration=3,noise=alls=30:allf=t")
RATE = 25
FRAMES = 300
KINDS = ["black", "freeze", "scene-change", "clipped"]


def make_film(path, scenes=SCENES, pixels="yuv420p"):
    inputs = [word for scene in scenes for word in ("-f", "lavfi", "-i", f"{scene},format={pixels}")]
    run("ffmpeg", "-v", "error", *inputs, "-filter_complex", f"concat=n={len(scenes)}", "-c:v", "ffv1", path)


def number(text):
    return float(text.replace(",", "").replace("−", "-"))


def facts_of(page):
    """Reads the page's description of its films."""
    text = re.search(r'<script type="application/json" id="page">(.*?)</script>', page.read_text(encoding="utf-8"), re.S)[1]
    return json.loads(text)["films"]


class Pages(SharedFolderTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.browser = Browser()
        film = cls.folder / "film.mkv"
        make_film(film)
        cls.lines = cls.folder / "film.jsonl"
        cudahisto("measure", "-q", film, "-o", cls.lines, "-s", "signalstats+gamut", "-e", "+".join(KINDS), "--set",
                  "clipped-ratio=0.001")
        cls.all = read(cls.lines)
        cls.results = [line for line in cls.all if "event" not in line]
        cls.ended = [line for line in cls.all if "ended-by" in line and "event" in line]
        cls.page = cls.folder / "film.html"

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()

    def setUp(self):
        self.browser.take_log()
        self.browser.set_media()
        self.browser.set_width(1500)

    def tearDown(self):
        self.assertEqual([message for message in self.browser.take_log() if "Multiple readback" not in message], [])

    def write(self, name, lines):
        path = self.folder / name
        path.write_text(lines if isinstance(lines, str) else dump(lines), encoding="utf-8")
        return path

    def show(self, *files, status=0, name="page.html"):
        page = self.folder / name
        cudahisto("report", *files, "-o", page, status=status)
        self.browser.open(page)
        return page

    def notes(self):
        return " ".join(self.browser.texts(".notes li"))

    def warnings(self):
        return " ".join(self.browser.texts(".warnings li"))

    def axes(self):
        return " ".join(self.browser.run("return [...document.querySelectorAll('#axes button')].map(e => e.value)"))

    def hover(self, frame, chart=".levels .u-over", down=0.5, film=""):
        """Points at the middle of a frame, with all frames in view."""
        self.browser.move(f"{film} {chart}".strip(), (frame + 0.5) / len(self.results), down)

    def pixel(self, selector, across, down):
        return self.browser.run(
            "const c = document.querySelector(arguments[0] + ' canvas'), o = document.querySelector(arguments[0] + ' .u-over');"
            "const a = c.getBoundingClientRect(), b = o.getBoundingClientRect();"
            "const x = b.left - a.left + b.width * arguments[1], y = b.top - a.top + b.height * arguments[2];"
            "return [...c.getContext('2d').getImageData(x, y, 1, 1).data]", selector, across, down)

    def count_labels(self, selector):
        """The labels at the right of a chart that do not touch each other."""
        return self.browser.run(
            "const c = document.querySelector(arguments[0] + ' canvas'), o = document.querySelector(arguments[0] + ' .u-over');"
            "const a = c.getBoundingClientRect(), b = o.getBoundingClientRect(), left = Math.ceil(b.right - a.left) + 5;"
            "const image = c.getContext('2d').getImageData(left, 0, c.width - left, Math.floor(b.bottom - a.top));"
            "let labels = 0, inside = false;"
            "for (let y = 0; y < image.height; y++) {"
            "  let has = false;"
            "  for (let x = 0; x < image.width; x++) has ||= image.data[4 * (y * image.width + x) + 3] > 0;"
            "  labels += has && !inside; inside = has;"
            "}"
            "return labels", selector)

    def readout(self, film=""):
        cells = self.browser.run("return [...document.querySelectorAll(arguments[0])].map(e => [e.dataset.field, e.innerText])",
                                 f"{film} .readout b[data-field]".strip())
        return {name: text for name, text in cells}


class Film(Pages):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        said = cudahisto("report", cls.lines)
        assert re.fullmatch(rf"{re.escape(str(cls.page))}: 1 file, \d\.\d MB\n", said), said

    def setUp(self):
        super().setUp()
        self.browser.open(self.page)

    def check_values(self, frame, component):
        expected = self.results[frame]["components"][component]
        read_back = self.readout()
        self.assertEqual(set(read_back), {"min", "low", "median", "mean", "high", "max"})
        for name, text in read_back.items():
            self.assertAlmostEqual(number(text), expected[name], delta=0.005000001, msg=f"{name} of {component} in {frame}")

    def test_hover(self):
        for index, component in enumerate("YUV"):
            self.browser.click(f'[role="tab"]:nth-child({index + 1})')
            for frame in (0, 1, 24, 74, 75, 149, 150, 224, 225, 298, 299):
                self.hover(frame)
                self.assertEqual(self.browser.text(".readout .place"), f"frame {frame}, 0:{frame / RATE:06.3f}")
                self.check_values(frame, component)

    def has_field(self, field):
        for result in self.results:
            numbers = result["components"]["Y"] if field["is-of-component"] else result
            if field["member"] in (numbers.get(field["group"], {}) if "group" in field else numbers):
                return True
        return False

    def test_further_numbers(self):
        names = self.browser.run("return [...document.querySelectorAll('.panel select option')].map(e => e.value)")
        charts = sorted((field for field in list_fields() if field["chart"] > 0),
                        key=lambda field: (not field["is-of-component"], field["chart"]))
        self.assertEqual(names, [field["name"] for field in charts if self.has_field(field)])
        known = ["difference", "stddev", "out-of-range", "out-of-gamut", "outliers", "repeats", "saturation-mean", "hue-median"]
        self.assertEqual([name for name in names if name in known], known)
        for name, find in (("stddev", lambda r: r["components"]["Y"]["stddev"]),
                           ("saturation-mean", lambda r: r["saturation"]["mean"]),
                           ("hue-median", lambda r: r["hue"]["median"]), ("outliers", lambda r: 100 * r["outliers"])):
            self.browser.run("const s = document.querySelector('.panel select'); s.value = arguments[0];"
                             "s.dispatchEvent(new Event('change'))", name)
            for frame in (30, 160, 260):
                self.hover(frame, ".numbers .u-over")
                text = self.browser.text("output.scalar")
                expected = find(self.results[frame])
                self.assertAlmostEqual(number(re.match(r"[\d.,]+", text)[0]), expected, msg=text,
                                       delta=max(0.005, expected * 0.0006))

    def test_click_shows_histogram(self):
        for component, frame in (("Y", 250), ("Y", 20), ("V", 262)):
            self.browser.click(f'[role="tab"]:nth-child({"YUV".index(component) + 1})')
            self.browser.click(".levels .u-over", (frame + 0.5) / FRAMES)
            self.assertEqual(self.browser.text(".side .title"), f"frame {frame}, 0:{frame / RATE:06.3f}")
            numbers = self.results[frame]["components"][component]
            for value in {numbers["min"], numbers["low"], numbers["median"], numbers["max"], 0, 255}:
                self.browser.move(".histogram .u-over", (value + 0.5) / 256)
                count = numbers["histogram"][value]
                said = self.browser.text(".side-readout")
                self.assertTrue(said.startswith(f"value {value}: {count:,} sample{'s' * (count != 1)}, "),
                                f"{value} of {component} in {frame}: {said}")
        self.browser.click(".side .all")
        self.assertEqual(self.browser.text(".side .title"), "All frames")
        self.browser.move(".histogram .u-over", 128.5 / 256)
        total = sum(result["components"]["V"]["histogram"][128] for result in self.results)
        self.assertTrue(self.browser.text(".side-readout").startswith(f"value 128: {total:,} samples, "))

    def find_line(self, across, colour):
        """Returns the values at which a column of the levels' chart has a colour."""
        rows = self.browser.run(
            "const c = document.querySelector('.levels canvas'), o = document.querySelector('.levels .u-over');"
            "const a = c.getBoundingClientRect(), b = o.getBoundingClientRect(), h = Math.round(b.height);"
            "const x = b.left - a.left + b.width * arguments[0];"
            "const d = c.getContext('2d').getImageData(x, b.top - a.top, 1, h).data;"
            "return Array.from({length: h}, (_, y) => [...d.slice(4 * y, 4 * y + 3), 255 * (1 - (y + 0.5) / h)])", across)
        return [value for *found, value in rows if all(abs(f - c) <= 12 for f, c in zip(found, colour))]

    def test_lines_are_where_they_belong(self):
        """Both if each result has its own pixels, and if many share one."""
        self.browser.click('#themes button[value="dark"]')
        for width in (1500, 700, 400):
            self.browser.set_width(width)
            self.browser.settle()
            drawn = 0
            for frame in (60, 120, 180, 200, 240, 270, 290):
                numbers = self.results[frame]["components"]["Y"]
                found = self.find_line((frame + 0.5) / FRAMES, (0x56, 0xB4, 0xE9))  # its median, if no other line covers it
                edges = [numbers[name] for name in ("min", "low", "high", "max")]  # with similar colours if they are dense
                found = [value for value in found if min(abs(value - edge) for edge in edges) > 2]
                drawn += len(found) > 0
                self.assertTrue(not found or min(abs(value - numbers["median"]) for value in found) < 4, (width, frame, found))
            self.assertGreater(drawn, 4)

    def test_heat_map(self):
        frame = 262
        histogram = self.results[frame]["components"]["Y"]["histogram"]
        count = sum(histogram)
        fullest = max(range(256), key=lambda value: histogram[value])
        emptiest = next(value for value in reversed(range(256)) if histogram[value] == 0 and value not in (16, 235))
        across = (frame + 0.5) / FRAMES
        for value in (fullest, emptiest):
            down = 1 - (value + 0.5) / 256
            self.hover(frame, ".heat .u-over", down)
            said = self.browser.text(".value.share")
            self.assertRegex(said, rf"^value {value} ")
            self.assertAlmostEqual(number(re.search(r"([\d.]+) %", said)[1]), 100 * histogram[value] / count, delta=0.005)
        lit, empty = (self.pixel(".heat", across, 1 - (value + 0.5) / 256) for value in (fullest, emptiest))
        self.assertEqual(empty[:3], [0x17, 0x18, 0x1A])
        share = histogram[fullest] / count
        self.assertEqual(lit[:3], self.browser.run("const t = Colours.heat[Colours.placeOf(arguments[0])];"
                                                   "return [t & 255, t >> 8 & 255, t >> 16 & 255]", share))

    def visible(self):
        """Returns the visible range, in seconds, from the page's text."""
        text = self.browser.text(".shown output")
        if text == "the whole":
            return 0, FRAMES / RATE
        return tuple(60 * int(minutes) + float(seconds) for minutes, seconds in re.findall(r"(\d+):([\d.]+)", text))

    def assert_visible(self, begin, end, delta=0.03):
        self.assertAlmostEqual(self.visible()[0], begin, delta=delta)
        self.assertAlmostEqual(self.visible()[1], end, delta=delta)

    def test_zoom(self):
        self.browser.drag(".levels .u-over", 0.25, 0.5)
        self.assert_visible(3, 6)
        self.browser.move(".heat .u-over", 0.5)  # all charts have moved
        self.assertRegex(self.browser.text(".readout .place"), r"^frame 112, ")
        self.browser.double_click(".heat .u-over")
        self.assert_visible(0, 12)
        self.browser.drag(".numbers .u-over", 0.75, 0.5)
        self.assert_visible(6, 9)
        self.browser.click(".shown button")
        self.assertEqual(self.browser.text(".shown output"), "the whole")
        self.browser.turn_wheel(".levels .u-over", -400, 0.25)
        begin, end = self.visible()
        self.assertAlmostEqual(end - begin, 12 * 2.718281828 ** -0.8, delta=0.05)
        self.assertAlmostEqual(begin + (end - begin) * 0.25, 3, delta=0.05)
        self.browser.turn_wheel(".levels .u-over", 3000)
        self.assert_visible(0, 12)

    def crosshair(self, chart=".levels"):
        """Its position as a share of the chart's width; None: hidden."""
        return self.browser.run(
            "const o = document.querySelector(arguments[0] + ' .u-over'), c = o.querySelector('.u-cursor-x');"
            "const a = o.getBoundingClientRect(), b = c.getBoundingClientRect(), share = (b.right - a.left) / a.width;"
            "return share >= 0 && share <= 1.01 ? share : null", chart)

    def check_crosshair(self):
        """The readout has the values at the crosshair, in every chart."""
        begin, end = self.visible()
        frame = int(re.match(r"frame (\d+)", self.browser.text(".readout .place"))[1])
        for chart in (".levels", ".heat", ".numbers"):
            place = (begin + (end - begin) * self.crosshair(chart)) * RATE
            pixel = (end - begin) * RATE / self.browser.run("return document.querySelector('.levels .u-over').clientWidth")
            self.assertTrue(frame - 2 * pixel <= place <= frame + 1 + 2 * pixel, (chart, frame, place))

    def test_readout_is_of_the_crosshair(self):
        """Also if the film moves under a resting pointer."""
        self.hover(40)
        self.check_crosshair()
        self.browser.drag(".levels .u-over", 0.25, 0.5)
        self.check_crosshair()
        self.browser.turn_wheel(".levels .u-over", 120, 0.9)
        self.check_crosshair()
        self.browser.turn_wheel(".levels .u-over", 3000, 0.9)
        self.check_crosshair()
        self.browser.drag(".heat .u-over", 0.75, 0.5)
        self.check_crosshair()
        self.browser.double_click(".heat .u-over")
        self.check_crosshair()
        self.browser.click(".levels .u-over", 0.3)
        self.check_crosshair()
        for keys in (["+"], ["+"], ["ArrowRight"], ["-"], ["End"], ["0"]):
            self.browser.press(*keys)
            self.check_crosshair()
        self.browser.set_width(900)
        self.browser.settle()
        self.browser.settle()
        self.check_crosshair()
        self.browser.move("h1")
        self.assertIsNone(self.crosshair())

    def test_title_is_the_film(self):
        self.assertEqual(self.browser.text("h2"), "film.mkv")
        self.assertEqual(self.browser.run("return document.title"), "film.mkv")
        self.assertIn("from film.jsonl", self.browser.text(".facts"))

    def drawn_texts(self):
        """Returns the texts drawn into the charts' canvases."""
        return self.browser.call("POST", "/execute/async", {"args": [], "script":
            "const done = arguments[0], texts = [], real = CanvasRenderingContext2D.prototype.fillText;"
            "CanvasRenderingContext2D.prototype.fillText = function(text, ...more) {"
            "  texts.push(String(text)); real.call(this, text, ...more); };"
            "document.querySelector('#themes button[value=light]').click();"
            "setTimeout(() => { CanvasRenderingContext2D.prototype.fillText = real; done(texts); }, 200)"})

    def test_one_name_for_a_scene_change(self):
        drawn = self.drawn_texts()
        self.assertIn("scene change", drawn)
        self.assertNotIn("cut", drawn)
        text = self.browser.run("document.querySelectorAll('details').forEach(d => d.open = true);"
                                "return document.body.innerText")
        for said in (text, cudahisto("--help"), cudahisto("events", "--help")):
            self.assertNotRegex(said, r"\b[Cc]uts?\b")

    def test_numbers_are_explained(self):
        """By mouse, touch and keys, without hovering."""
        terms = {"outliers": "TOUT", "repeats": "VREP", "out-of-range": "BRNG", "out-of-gamut": "R103"}
        for name, term in terms.items():
            self.browser.run("const s = document.querySelector('.panel select'); s.value = arguments[0];"
                             "s.dispatchEvent(new Event('change'))", name)
            about = self.browser.run("const s = document.querySelector('.panel select');"
                                     "return document.getElementById(s.getAttribute('aria-describedby')).innerText")
            self.assertRegex(about, rf"\b{term}\b.*\w+.*\.$")
            row = f'.extremes tr[data-what="{name}-greatest"]'
            self.assertNotIn(about, self.browser.text(row))
            self.browser.run("document.querySelector(arguments[0]).focus()", f"{row} .explain")
            self.browser.press("Enter")
            self.assertIn(about, self.browser.text(row))
            self.browser.click(f"{row} .explain")
            self.assertNotIn(about, self.browser.text(row))
            self.browser.tap(f"{row} .explain")
            self.assertIn(about, self.browser.text(row))
        shown = self.browser.texts(".events .terms dt")
        self.assertEqual(sorted(shown), ["black", "clipped", "freeze", "scene change"])
        self.browser.run("const s = document.querySelector('.panel select'); s.value = 'out-of-gamut';"
                         "s.dispatchEvent(new Event('change'))")
        self.assertIn("0.1 %", self.drawn_texts(), "the threshold is drawn")

    def test_values_have_units(self):
        self.assertIn("0 to 255 (8 bits)", self.browser.text(".panel .title"))
        for name, pattern in (("difference", r"^[\d.]+ of 255$"), ("stddev", r"^[\d.]+ of 255$"), ("hue-median", r"^\d+ °$"),
                              ("saturation-mean", r"^[\d.]+ of 181$"), ("outliers", r"^[\d.]+ %$")):
            self.browser.run("const s = document.querySelector('.panel select'); s.value = arguments[0];"
                             "s.dispatchEvent(new Event('change'))", name)
            self.hover(260, ".numbers .u-over")
            self.assertRegex(self.browser.text("output.scalar"), pattern)
        for text in self.browser.texts(".extremes tbody td:nth-child(2)"):
            self.assertRegex(text, r"^[\d.]+ (%|of \d+)$")

    def test_events_are_gone_to(self):
        black = next(line for line in self.ended if line["event"] == "black")
        names = [row.split()[0] for row in self.browser.texts(".table.events tbody tr")]
        is_seen = ("const r = document.querySelector('.levels').getBoundingClientRect();"
                   "return r.top >= 0 && r.bottom <= innerHeight")
        self.browser.click(f".table.events tbody tr:nth-child({names.index('black') + 1}) button")
        self.assertTrue(self.browser.run(is_seen))
        self.assertEqual(self.browser.run("return document.activeElement.className"), "chart levels")
        self.assertRegex(self.browser.text(".side .title"), rf"^frame {black['frame']}, ")
        self.browser.press("ArrowRight")  # from that position
        self.assertRegex(self.browser.text(".side .title"), rf"^frame {black['frame'] + 1}, ")
        # A short event of a long film: the charts show its surroundings.
        last = max(line["frame"] for line in self.ended if line["event"] == "scene-change")
        index = [row for row in range(len(names)) if names[row] == "scene"][-1]
        self.browser.click(f".table.events tbody tr:nth-child({index + 1}) button")
        begin, end = self.visible()
        self.assertTrue(begin < last / RATE < end and end - begin < 6, (begin, end))
        self.browser.click(".shown button")
        # In the chart, at any height.
        self.browser.click(".events .u-over", (black["frame"] + black["frames"] * 0.8) / FRAMES, 0.125)
        self.assertRegex(self.browser.text(".side .title"), rf"^frame {black['frame']}, ")
        self.assertRegex(self.browser.text(".happens"), r"^.*black 0:0\d\.\d{3} to 0:0\d\.\d{3}, 100 % black")
        self.browser.tap(".events .u-over", (last + 0.5) / FRAMES, 0.625)
        self.assertRegex(self.browser.text(".side .title"), rf"^frame {last}, ")

    def test_nothing_moves_under_the_pointer(self):
        """The readout has a constant size."""
        def top():
            return self.browser.run("return document.querySelector('.levels').getBoundingClientRect().top + scrollY")

        for width in (1500, 900):
            self.browser.set_width(width)
            self.browser.settle()
            self.browser.move("h1")
            empty = top()
            for frame in (10, 100, 160, 290):
                self.hover(frame, ".heat .u-over")
                self.assertEqual(top(), empty)

    def test_keys(self):
        self.browser.run("document.querySelector('.levels').focus()")
        self.browser.press("Home", "ArrowRight", "ArrowRight")
        self.assertRegex(self.browser.text(".side .title"), r"^frame 2, ")
        self.check_values(2, "Y")
        self.browser.press("n")
        first = min(line["start"] for line in self.ended if line["start"] > 2e9 / RATE)
        self.assertRegex(self.browser.text(".side .title"), rf"^frame {round(first * RATE / 1e9)}, ")
        self.browser.press("End", "+")
        self.assertRegex(self.browser.text(".side .title"), r"^frame 299, ")
        self.assert_visible(6, 12, 0.1)
        spoken = self.browser.run("return document.getElementById('spoken').textContent")
        self.assertRegex(spoken, r"frame 299, .*median \d+ .*; difference from the previous frame: [\d.]+ of 255")
        self.browser.press("0", "Escape")
        self.assert_visible(0, 12)
        self.assertEqual(self.browser.text(".side .title"), "All frames")
        self.browser.open(self.page)
        reached = set()
        for _ in range(20):
            self.browser.press("Tab")
            reached.add(self.browser.run("return document.activeElement.className || document.activeElement.id"))
        self.assertLessEqual({"print", "chart levels", "chart events", "chart heat", "chart numbers"}, reached)

    def test_events(self):
        rows = self.browser.run("return [...document.querySelectorAll('.table.events tbody tr')].map("
                                "r => [...r.children].map(c => c.innerText))")
        self.assertEqual(len(rows), len(self.ended))
        self.assertEqual({row[0] for row in rows}, {"black", "freeze", "scene change", "clipped"})
        expected = sorted((line["event"].replace("-", " "), line["frame"]) for line in self.ended)
        self.assertEqual(sorted((row[0], int(row[4])) for row in rows), expected)
        black = next(row for row in rows if row[0] == "black")
        line = next(line for line in self.ended if line["event"] == "black")
        self.assertEqual(black[1:4], [f"0:{time / 1e9:06.3f}" for time in (line["start"], line["end"], line["duration"])])
        values = {row[0]: row[5] for row in rows}
        self.assertEqual(values["black"], "100 % black (at least 98 %)")
        self.assertRegex(values["freeze"], r"^[\d.]+ % difference \(at most 0\.1 %\)$")
        self.assertRegex(values["scene change"], r"^score [\d.]+ \(at least 10\)$")
        self.assertRegex(values["clipped"], r"^[\d.]+ % out of gamut \(more than 0\.1 %\)$")
        for clipped in (line for line in self.ended if line["event"] == "clipped"):
            shown = next(row[5] for row in rows if row[0] == "clipped" and int(row[4]) == clipped["frame"])
            self.assertAlmostEqual(number(shown.split()[0]), 100 * clipped["value"], delta=0.06 * clipped["value"])
        index = rows.index(black)
        self.browser.click(f".table.events tbody tr:nth-child({index + 1}) button")
        self.assertRegex(self.browser.text(".side .title"), rf"^frame {line['frame']}, ")
        # A band during black, nothing before; the names of the rows are beside them.
        across = (line["frame"] + line["frames"] / 2 + 20) / FRAMES
        background = self.pixel(".events", 10 / FRAMES, 0.125)
        self.assertNotEqual(self.pixel(".events", across, 0.125), background)

    def test_extremes(self):
        means = [result["components"]["Y"]["mean"] for result in self.results]
        steps = [abs(b - a) for a, b in zip(means, means[1:])]
        spreads = [result["components"]["Y"]["high"] - result["components"]["Y"]["low"] for result in self.results]
        differences = [result["components"]["Y"].get("difference", 0) for result in self.results]
        expected = {"mean-least": (min(means), means.index(min(means))), "mean-greatest": (max(means), means.index(max(means))),
                    "change-greatest": (max(steps), steps.index(max(steps)) + 1),
                    "spread-greatest": (max(spreads), spreads.index(max(spreads))),
                    "difference-greatest": (max(differences), differences.index(max(differences)))}
        for what, (value, frame) in expected.items():
            cells = self.browser.texts(f'.extremes tr[data-what="{what}"] td')
            self.assertRegex(cells[1], r"^[\d.]+ of 255$")
            self.assertAlmostEqual(number(cells[1].split()[0]), value, delta=0.00501, msg=what)
            self.assertEqual((number(cells[2]), cells[3]), (frame, f"0:{frame / RATE:06.3f}"), what)
        self.browser.click('.extremes tr[data-what="mean-greatest"] button')
        self.assertRegex(self.browser.text(".side .title"), rf"^frame {expected['mean-greatest'][1]}, ")

    def test_axis(self):
        self.browser.click('#axes button[value="frame"]')
        self.browser.drag(".levels .u-over", 0.5, 0.75)
        self.assertRegex(self.browser.text(".shown output"), r"^frame 1[45]\d.* to frame 2[23]\d")

    def test_themes(self):
        background = "return getComputedStyle(document.body).backgroundColor"
        self.browser.set_media(prefers_color_scheme="dark")
        self.browser.settle()
        dark, dark_pixel = self.browser.run(background), self.pixel(".levels", 0.995, 0.02)
        self.browser.set_media(prefers_color_scheme="light")
        self.browser.settle()
        light = self.browser.run(background)
        self.assertNotEqual(dark, light)
        self.browser.click('#themes button[value="dark"]')
        self.assertEqual((self.browser.run(background), self.pixel(".levels", 0.995, 0.02)), (dark, dark_pixel))
        self.browser.click('#themes button[value="light"]')
        self.assertEqual(self.browser.run(background), light)

    def test_narrow(self):
        for width in (320, 420, 800, 2500):
            self.browser.set_width(width)
            self.browser.settle()
            self.assertLessEqual(self.browser.run("return document.documentElement.scrollWidth"), width)
            self.hover(100)
            self.check_values(100, "Y")

    def test_print(self):
        width = self.browser.box(".levels .u-over")[2]
        self.browser.run("addEventListener('beforeprint', () => queueMicrotask(() => { window.printed = ["
                         "document.querySelector('.levels canvas').getBoundingClientRect().width,"
                         "document.documentElement.dataset.theme]; }))")
        self.browser.click('#themes button[value="dark"]')
        printed = self.browser.print()
        self.assertTrue(printed.startswith(b"%PDF") and len(printed) > 20000)
        paper, theme = self.browser.run("return window.printed")
        self.assertEqual(theme, "light")
        self.assertLess(paper, 700)  # 178 mm
        self.browser.settle()
        self.assertEqual(self.browser.box(".levels .u-over")[2], width)

    def test_loads_nothing(self):
        self.assertEqual(self.browser.run("return performance.getEntriesByType('resource').map(e => e.name)"), [])
        self.assertNotRegex(re.sub(r"https?://www\.w3\.org/\S*", "", self.page.read_text(encoding="utf-8")),
                            r"""(src|href)=["']?(https?:)?//""")

    def test_policy(self):
        """Scripts other than the page's own do not run, and nothing is sent."""
        text = self.page.read_text(encoding="utf-8")
        spoiled = self.write("spoiled.html", text.replace("<main", '<script>document.title = "owned"</script>'
                                                          '<img src="x" onerror="document.title=\'owned\'"><main'))
        self.browser.open(spoiled)
        self.assertEqual(self.browser.run("return document.title"), "film.mkv")
        refused = [message for message in self.browser.take_log() if "Content Security Policy" in message]
        self.assertGreaterEqual(len(refused), 2)


class Several(Pages):
    def test_side_by_side(self):
        other = self.write("other.jsonl", self.all[: len(self.all) // 2])
        self.show(self.lines, other)
        self.assertEqual(self.browser.texts("h2"), ["film.mkv", "film.mkv"])
        files = [text.split(" · ")[-1] for text in self.browser.texts(".facts")]
        self.assertEqual(files, ["from film.jsonl", "from other.jsonl"])
        tops = "return [...document.querySelectorAll('.film')].map(e => e.getBoundingClientRect().top)"
        above, below = self.browser.run(tops)
        self.assertLess(above, below)
        self.browser.click('#layouts button[value="beside"]')
        left, right = self.browser.run(tops)
        self.assertEqual(left, right)
        self.browser.click('#joins button[value="common"]')
        self.browser.drag("#film-0 .levels .u-over", 0.25, 0.375)  # 75 to 112
        self.browser.move("#film-1 .levels .u-over", 0.5)
        places = self.browser.texts(".readout .place")
        self.assertEqual(len(places), 2)
        self.assertEqual(places[0], places[1])
        self.assertRegex(places[0], r"^frame 9[34], ")
        mean = number(self.readout("#film-1")["mean"])
        frame = int(re.match(r"frame (\d+)", places[1])[1])
        self.assertAlmostEqual(mean, self.results[frame]["components"]["Y"]["mean"], delta=0.005)
        self.browser.click('#film-1 [role="tab"]:nth-child(3)')  # the other film keeps its selection
        self.assertEqual(self.browser.texts('[aria-selected="true"]'), ["Y", "V"])

    def test_each_film_has_its_axis(self):
        """10 seconds beside 10 minutes, unless the axis is common."""
        long = [{**self.results[n % FRAMES], "frame": n, "stream-time": n * 10**9 // RATE, "components":
                 {"Y": {k: v for k, v in self.results[n % FRAMES]["components"]["Y"].items() if k != "histogram"}}}
                for n in range(600 * RATE)]
        self.show(self.write("short.jsonl", self.results[:250]), self.write("long.jsonl", long))
        for film, frames in (("#film-0", 250), ("#film-1", 600 * RATE)):
            self.browser.move(f"{film} .levels .u-over", 0.98)
            frame = number(re.match(r"frame ([\d,]+)", self.browser.text(f"{film} .readout .place"))[1])
            self.assertAlmostEqual(frame, 0.98 * frames, delta=0.005 * frames)
            other = "#film-1" if film == "#film-0" else "#film-0"
            self.assertEqual(self.browser.texts(f"{other} .readout .place"), [])
        self.browser.drag("#film-1 .levels .u-over", 0.5, 0.75)
        self.assertEqual(self.browser.text("#film-0 .shown output"), "the whole")
        self.assertRegex(self.browser.text("#film-1 .shown output"), r"^(4:59|5:00)\.\d* to (7:29|7:30)\.\d*$")
        self.browser.click('#joins button[value="common"]')
        self.browser.drag("#film-1 .levels .u-over", 0, 0.25)
        self.assertEqual(*self.browser.texts(".shown output"))
        self.browser.click('#joins button[value="own"]')
        self.assertEqual(self.browser.texts(".shown output"), ["the whole", "the whole"])

    def test_different_axes(self):
        timeless = self.write("timeless.jsonl", [{**line, "stream-time": None, "duration": None} for line in self.results])
        self.show(self.lines, timeless)
        self.assertEqual(self.axes(), "frame result")


class Odd(Pages):
    def test_hostile_names(self):
        evil = "</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
        region = {**self.results[0], "x": 0, "y": 0, "type": evil, "id": 3}
        lines = [{**self.results[0], "backend": evil, "format": evil, "range": evil, "utc-time": evil, "element": evil,
                  "regions": [region], "components": {evil[:30]: self.results[0]["components"]["Y"]}},
                 {**self.ended[0], "event": evil, "ended-by": evil}]
        for name in ('<img src=x onerror=document.title="owned">.jsonl', "<!--<script>.jsonl", "a&lt;b'\"@PAGE@.jsonl",
                     "\u202e\n\t.jsonl"):
            for film in (None, f"film {name}"):
                shown = [{**line, "input": film} if film else {k: v for k, v in line.items() if k != "input"} for line in lines]
                self.show(self.write(name, shown))
                self.assertEqual(self.browser.run("return document.querySelectorAll('img, main script, h2 *').length"), 0)
                self.assertEqual(self.browser.run("return document.querySelector('h2').textContent"), film or name)
            self.assertNotEqual(self.browser.run("return document.title"), "owned")
            self.assertIn(evil, self.browser.run("return document.querySelector('.facts').textContent"))

    def test_names_of_what_objects_have(self):
        """Names of properties of every JavaScript object are ordinary names."""
        for name in ("constructor", "__proto__", "toString", "hasOwnProperty"):
            numbers = self.results[0]["components"]["Y"]
            lines = [{**self.results[0], "range": name, "format": name, "components": {name: numbers}, "utc-time": name,
                      "regions": [{**self.results[0], "x": 0, "y": 0, "type": name, "id": 3, "components": {name: numbers}}]},
                     {**self.ended[0], "event": name, "ended-by": name}]
            self.show(self.write("names.jsonl", lines))
            self.assertEqual(self.browser.texts('[role="tab"]'), [name])
            self.assertEqual(self.browser.text(".facts").split(" · ")[0], f"{name} 160 × 90, 8 bits, 25 frames/s")
            row = self.browser.texts(".table.events tbody td")
            self.assertEqual((row[0], row[-1]), (name, f"ended early by {name}"))
            self.hover(0)
            self.assertAlmostEqual(number(self.readout()["mean"]), numbers["mean"], delta=0.005)

    def test_steps_are_within_a_run(self):
        """Changes of run or bit depth in a file are not steps."""
        def line(frame, mean, **others):
            numbers = {"count": 4, "min": 0, "low": 0, "median": 0, "high": 255, "max": 255, "mean": mean}
            return {"cudahisto": 1, "frame": frame, "frames": 1, "format": "GRAY8", "width": 2, "height": 2, "depth": 8,
                    "stream-time": frame * 40_000_000, "components": {"GRAY": numbers}, **others}

        first, second = [10.0, 12.0, 15.0], [200.0, 201.0, 202.0]
        runs = [[line(frame, mean) for frame, mean in enumerate(means)] for means in (first, second)]
        timeless = [[{**result, "stream-time": None} for result in run] for run in runs]
        deep = [line(frame + 3, 4 * mean, depth=10, format="GRAY10_LE32") for frame, mean in enumerate(first)]
        regions = [[{**result, "regions": [{"x": 0, "y": 0, "width": 2, "height": 2, "components": result["components"]}]}
                    for result in run] for run in runs]
        later = [{**result, "stream-time": result["stream-time"] + 10**9} for result in runs[1]]
        for lines, largest in ((runs[0] + runs[1], 3), (timeless[0] + timeless[1], 3), (regions[0] + regions[1], 3),
                               (runs[0] + later, 3), (runs[0] + deep, 12),
                               (runs[0] + [line(frame + 3, mean) for frame, mean in enumerate(second)], 185)):
            page = self.show(self.write("runs.jsonl", lines))
            steps = [row["value"] for row in facts_of(page)[0]["extremes"] if row["what"] == "change-greatest"]
            self.assertEqual(set(steps), {largest})
            shown = self.browser.texts('.extremes tr[data-what="change-greatest"] td')[1]
            self.assertEqual(shown, f"{largest} of {'1,023' if deep[0] in lines else '255'}")

    def test_not_utf8(self):
        name = os.fsencode(self.folder) + b"/\xff\xfe.jsonl"
        pathlib.Path(os.fsdecode(name)).write_text(dump([{**result, "input": ""} for result in self.results[:3]]))
        self.show(os.fsdecode(name))
        self.assertIn("\ufffd", self.browser.text("h2"))

    def test_one_line(self):
        self.show(self.write("one.jsonl", self.results[:1]))
        self.hover(0)
        self.browser.click(".heat .u-over", 0.6)
        self.assertRegex(self.browser.text(".side .title"), r"^frame 0, 0:00\.000$")

    def test_times(self):
        for lines, axes, note in (
            ([{**r, "stream-time": None, "duration": None} for r in self.results], "frame result", "no stream time"),
            (self.results + self.results, "result", "Times go back"),
            ([{**r, "stream-time": None} if r["frame"] == 7 else r for r in self.results], "frame result", "first at result 8"),
            ([{**r, "duration": None} for r in self.results], "time frame result", ""),
            ([{**r, "stream-time": 10**18 + r["stream-time"]} for r in self.results], "time frame result", ""),
        ):
            self.show(self.write("times.jsonl", lines))
            self.assertEqual(self.axes(), axes)
            self.assertIn(note, self.notes())
            self.browser.click(".levels .u-over", 100.5 / len(lines))
            self.assertRegex(self.browser.text(".side .title"), r"^frame 100\b")

    def test_fields(self):
        """Two fields are a frame: the page shows the frames of the film."""
        lines = [{**self.results[n], "frame": n, "field": ("top", "bottom")[n % 2], "framerate": "50/1",
                  "stream-time": n * 20_000_000, "duration": 20_000_000} for n in range(100)]
        cut = {**self.ended[0], "event": "black", "frame": 31, "frames": 2, "start": 620_000_000, "end": 660_000_000}
        self.show(self.write("fields.jsonl", [*lines, cut]))
        facts = self.browser.text(".facts")
        self.assertIn("50 fields/s", facts)
        self.assertIn("50 frames", facts)
        self.assertIn("100 results", facts)
        self.browser.click(".levels .u-over", 31.5 / 100)
        self.assertRegex(self.browser.text(".side .title"), r"^frame 15, ")
        self.assertIn("15", [cell.strip() for cell in self.browser.text(".table.events tbody tr").split("\t")])

    def test_bytes(self):
        lines, program, size = self.folder / "bytes.jsonl", self.folder / "program", 300_000
        program.write_bytes(COMMAND.read_bytes()[:size])
        cudahisto("measure", "-q", "--bytes", "--set", "window=bytes", "--set", "window-size=10000", program, "-o", lines)
        results = read(lines)
        self.show(lines)
        self.browser.move(".levels .u-over", 15000 / size)
        self.assertEqual(self.browser.text(".readout .place"), "bytes 10,000 to 19,999")
        self.assertAlmostEqual(number(self.readout()["mean"]), results[1]["components"]["byte"]["mean"], delta=0.005)
        self.browser.click(".heat .u-over", 15000 / size)
        self.browser.move(".histogram .u-over", 0.5 / 256)
        self.assertTrue(self.browser.text(".side-readout").startswith(
            f"value 0: {results[1]['components']['byte']['histogram'][0]:,} samples"))

    def test_depths(self):
        film, lines = self.folder / "deep.mkv", self.folder / "deep.jsonl"
        make_film(film, SCENES[:1], "yuv420p10le")
        cudahisto("measure", "-q", film, "-o", lines, "--bins", "native", "--set", "regions=0,0,80,90;80,0,80,90")
        deep = read(lines)
        self.show(lines)
        self.assertIn("256 bins here", self.notes())
        for frame in (0, 40):
            self.browser.move(".levels .u-over", (frame + 0.5) / 75)
            self.assertEqual(number(self.readout()["median"]), deep[frame]["components"]["Y"]["median"])
        self.browser.click(".levels .u-over", 40.5 / 75)
        median = deep[40]["components"]["Y"]["median"] // 4
        self.browser.move(".histogram .u-over", (median + 0.5) / 256)
        count = sum(deep[40]["components"]["Y"]["histogram"][4 * median:4 * median + 4])
        said = self.browser.text(".side-readout")
        self.assertTrue(said.startswith(f"values {4 * median} to {4 * median + 3}: {count:,} sample"), said)
        self.browser.run("const s = document.querySelector('select.region'); s.value = 1; s.dispatchEvent(new Event('change'))")
        self.browser.move(".levels .u-over", 40.6 / 75)
        self.assertEqual(number(self.readout()["median"]), deep[40]["regions"][0]["components"]["Y"]["median"])

        # 8 bits after 10 in one file: a level keeps its own number, and is drawn on the axis of 10 bits.
        shallow = [{**result, "frame": result["frame"] + 75, "stream-time": result["stream-time"] + 3 * 10**9}
                   for result in self.results[:75]]
        self.show(self.write("mixed.jsonl", deep + shallow))
        self.assertIn("bit depth changes", self.notes())
        self.assertEqual(len(self.browser.texts(".table.parts tbody tr")), 2)
        self.browser.move(".levels .u-over", (75 + 40.5) / 150)
        self.assertEqual(number(self.readout()["median"]), shallow[40]["components"]["Y"]["median"])

    def test_without_histograms(self):
        lines = json.loads(json.dumps(self.results))
        for line in lines:
            for numbers in line["components"].values():
                del numbers["histogram"]
        self.show(self.write("bare.jsonl", lines))
        self.assertIn("no histograms", self.notes())
        self.hover(50)
        self.assertEqual(number(self.readout()["median"]), self.results[50]["components"]["Y"]["median"])
        self.assertEqual(self.browser.run("return document.querySelectorAll('.heat, .histogram').length"), 0)

    def test_events_alone(self):
        self.show(self.write("events.jsonl", [line for line in self.all if "event" in line]))
        self.assertIn("no results", self.notes())
        self.assertEqual(len(self.browser.texts(".table.events tbody tr")), len(self.ended))

    def test_damage_and_unknown_events(self):
        line = {"cudahisto": 1, "start": 3 * 10**9, "end": 4 * 10**9, "frame": 75, "frames": 25, "ended-by": "complete",
                "element": "x"}
        damaged = {**line, "event": "damaged", "cause": "decoder+<b>", "missing": 3}
        unknown = {**line, "event": "a-kind-of-later-versions", "frame": 150, "start": 6 * 10**9, "end": 7 * 10**9,
                   "value": 0.00034, "threshold": 0.0001}
        self.show(self.write("damaged.jsonl", self.all + [damaged, unknown]))
        self.assertIn("damaged in 1 place", self.warnings())
        cells = self.browser.run("return [...document.querySelectorAll('.table.events tbody tr')].map("
                                 "r => [...r.children].map(c => c.innerText))")
        rows = {row[0]: row[1:6] for row in cells}
        self.assertEqual(rows["damaged"], ["0:03.000", "0:04.000", "0:01.000", "75", "decoder error, <b>, 3 frames missing"])
        self.assertEqual(rows["a-kind-of-later-versions"][3:], ["150", "0.00034 (0.0001)"])
        self.browser.click(".events .u-over", 87.5 / FRAMES, 0.5 / 6)  # the first row
        self.assertRegex(self.browser.text(".side .title"), r"^frame 75, ")
        self.assertIn("damaged 0:03.000 to 0:04.000, decoder error, <b>, 3 frames missing", self.browser.text(".happens"))
        self.browser.click(".shown button")
        self.browser.click(".events .u-over", 160 / FRAMES, 5.5 / 6)
        self.assertRegex(self.browser.text(".side .title"), r"^frame 150, ")

    def test_frame_is_shown_until_the_next(self):
        """At a variable rate, the durations are averages. Missing frames leave a gap."""
        lines = [{**self.results[40 + n], "frame": n, "stream-time": n * 120_000_000, "duration": 40_000_000}
                 for n in range(20)]
        for line in lines[15:]:  # one frame is missing
            line["frame"] += 1
        damaged = {**self.ended[0], "event": "damaged", "cause": "missing", "missing": 2, "frame": 10, "frames": 0,
                   "start": 1_100_000_000, "end": 1_200_000_000, "ended-by": "complete"}
        self.show(self.write("variable.jsonl", [*lines[:10], damaged, *lines[10:]]))
        nothing = self.pixel(".heat", 0.5, 0.001)
        column = ("const c = document.querySelector('.heat canvas'), o = document.querySelector('.heat .u-over');"
                  "const a = c.getBoundingClientRect(), b = o.getBoundingClientRect();"
                  "return [...c.getContext('2d').getImageData(b.left - a.left + b.width * arguments[0], b.top - a.top, 1,"
                  "b.height).data].reduce((sum, byte, i) => sum + (byte !== arguments[1][i % 4]), 0)")
        for frame in range(19):
            for share in 0.2, 0.6, 0.9:
                is_hole = frame in (9, 14) and share > 0.5
                drawn = self.browser.run(column, (frame + share) * 0.12 / 2.32, nothing)
                self.assertEqual(drawn < 60, is_hole, (frame, share, drawn))

    def test_several_inputs(self):
        lines = [{**line, "input": "b.mkv" if line["frame"] >= 20 else "a<b>.mkv"} for line in self.results[:40]]
        self.show(self.write("inputs.jsonl", lines))
        self.assertIn("The results are of several inputs: a<b>.mkv, b.mkv from result 21.", self.notes())
        self.assertEqual(self.browser.text("h2"), "inputs.jsonl")
        self.show(self.write("only.jsonl", [{**self.ended[0], "input": "a.mkv"}]))
        self.assertEqual(self.browser.text("h2"), "a.mkv")  # for a file without results

    def test_tables_fit(self):
        """Nothing scrolls sideways in a window of a common width."""
        hour = 3_600_000_000_000
        lines = [{**line, **{name: line[name] + hour for name in ("start", "end", "stream-time") if line.get(name) is not None},
                  "frame": line["frame"] + 90_000} for line in self.all]
        for number, some in enumerate((self.all, lines)):
            path = self.write(f"wide{number}.jsonl", some)
            for width in 1024, 1200, 1300, 1400, 1500, 1920:
                self.browser.set_width(width)
                self.show(path)
                tables = self.browser.run("return [...document.querySelectorAll('.scroll')].map("
                                          "e => [e.parentNode.className, e.scrollWidth - e.clientWidth])")
                self.assertEqual(dict(tables)["table events"], 0, (number, width))
                self.assertEqual([table for table in tables if table[1] > 0], [], (number, width))

    def test_active_picture(self):
        film, lines = self.folder / "bars.mkv", self.folder / "bars.jsonl"
        run("ffmpeg", "-v", "error", "-f", "lavfi", "-i", "color=gray:s=160x68:r=25:d=2,pad=160:90:0:10,format=yuv420p", "-f",
            "lavfi", "-i", "color=black:s=160x90:r=25:d=1,format=yuv420p", "-f", "lavfi", "-i",
            "color=gray:s=120x90:r=25:d=1,pad=160:90:20:0,format=yuv420p", "-filter_complex",
            "[0]setsar=1[a];[1]setsar=1[b];[2]setsar=1[c];[a][b][c]concat=n=3", "-c:v", "ffv1", film)
        cudahisto("measure", "-q", film, "-o", lines, "-s", "basic+active-picture")
        rectangles = [tuple(line["active-picture"][name] for name in ("x", "y", "width", "height")) for line in read(lines)]
        self.assertEqual(set(rectangles), {(0, 10, 160, 68), (0, 0, 0, 0), (20, 0, 120, 90)})
        self.show(lines)
        rows = self.browser.run("return [...document.querySelectorAll('.table.active tbody tr')].map("
                                "r => [...r.children].map(c => c.innerText))")
        self.assertEqual(rows, [["160 × 68 at 0,10", "2.35:1", "50", "50 %", "0", "0:00.000"],
                                ["all black", "", "25", "25 %", "50", "0:02.000"],
                                ["120 × 90 at 20,0", "1.33:1", "25", "25 %", "75", "0:03.000"]])
        self.assertIn("active picture 160 × 68 at 0,10 (2.35:1)", self.browser.text(".facts"))
        for frame, said in ((20, "160 × 68 at 0,10"), (60, "all black"), (80, "120 × 90 at 20,0")):
            self.browser.move(".active-rows .u-over", (frame + 0.5) / 100)
            self.assertTrue(self.browser.text("output.active").startswith(said))
        self.browser.click(".table.active tbody tr:nth-child(3) button")
        self.assertRegex(self.browser.text(".side .title"), r"^frame 75, ")
        # Expected: no line in the bar above the first picture, lines in it, no line while all is black, and the last from top
        # to bottom.
        colours = {place: self.pixel(".active-rows", *place) for place in
                   ((0.25, 0.05), (0.25, 0.5), (0.6, 0.45), (0.8, 0.05), (0.8, 0.45))}
        nothing = colours[0.6, 0.45]
        self.assertEqual(colours[0.25, 0.05], nothing)
        for place in ((0.25, 0.5), (0.8, 0.05), (0.8, 0.45)):
            self.assertNotEqual(colours[place], nothing, place)

    def test_light(self):
        """On an axis of PQ signals: 0.508 is 100 nits, 0.752 is 1000 nits."""
        lines = [{"cudahisto": 1, "element": "a", "frame": number, "frames": 1, "stream-time": number * 40000000,
                  "duration": 40000000, "components": {},
                  "light": {"max-nits": 1000.25 if number < 50 else 203, "average-nits": 100 if number < 50 else 1.5}}
                 for number in range(100)]
        self.show(self.write("light.jsonl", lines))
        self.assertEqual(self.browser.text(".peaks"), "MaxCLL 1000.3 nits, MaxFALL 100 nits, of whole frames")
        for frame, said in ((20, "1000.3 nits, mean 100"), (80, "203 nits, mean 1.50")):
            self.browser.move(".light .u-over", (frame + 0.5) / 100)
            self.assertEqual(self.browser.text("output.light"), said)
        nothing = self.pixel(".light", 0.25, 0.65)
        for across, nits in ((0.25, 1000.25), (0.75, 203)):
            power = (nits / 10000) ** (2610 / 16384)
            signal = ((3424 / 4096 + 2413 / 128 * power) / (1 + 2392 / 128 * power)) ** (2523 / 32)
            self.assertNotEqual(self.pixel(".light", across, 1 - signal), nothing, nits)
        self.show(self.write("window.jsonl", [{**line, "frame": 25 * line["frame"], "frames": 25} for line in lines]))
        self.assertEqual(self.browser.text(".peaks"), "MaxCLL 1000.3 nits, largest mean 100 nits, of whole frames")
        for line in lines:
            line["light"] = {"max-nits": 10000, "average-nits": 9000}
        self.show(self.write("bright.jsonl", lines))
        self.assertEqual(self.count_labels(".light"), 2)
        self.show(self.lines)
        self.assertEqual(self.browser.texts("output.light"), [])

    def test_events_without_end(self):
        begun = next(line for line in self.all if line.get("event") == "black" and "ended-by" not in line)
        self.show(self.write("open.jsonl", self.results[:150] + [begun]))
        row = self.browser.texts(".table.events tbody td")
        self.assertEqual((row[0], row[2]), ("black", "lasts"))

    def test_same_event_in_two_runs(self):
        """A service that was killed during black, and restarts during black, has two events."""
        black = [line for line in self.all if line.get("event") == "black"]
        again = [{**line, "utc-time": "2999-01-01T00:00:00.000000Z"} for line in black]
        self.show(self.write("killed.jsonl", self.results[:150] + black[:1] + again[:1] + self.results[:150] + again[1:]))
        self.assertEqual([row.split()[0] for row in self.browser.texts(".table.events tbody tr")].count("black"), 2)

    def test_events_of_two_runs(self):
        """Then neither times nor frames can be an axis, and events are drawn at their results."""
        later = [{**line, "utc-time": line["utc-time"].replace("2", "3", 1)} for line in self.all]
        page = self.show(self.write("twice.jsonl", self.all + later))
        self.assertEqual(self.axes(), "result")
        expected = [(e["event"], first + e["frame"], first + e["frame"] + e["frames"])
                    for first in (0, FRAMES) for e in self.ended]
        self.assertEqual(sorted((e["event"], e["result"], e["result-end"]) for e in facts_of(page)[0]["events"]),
                         sorted(expected))

    def test_events_of_intervals(self):
        """An event is reported after it has lasted for a while, and began in an earlier result."""
        each = 17  # frames
        path = self.folder / "service.jsonl"
        path.unlink(missing_ok=True)
        for _ in range(2):
            cudahisto("measure", "-q", self.folder / "film.mkv", "-o", path, "-i", f"{each * 40}ms", "-e", "black+freeze",
                      "--set=sidecar-mode=append", "--set=black-min-duration=480000000", "--set=freeze-min-duration=480000000")
        events = facts_of(self.show(path))[0]["events"]
        lines = read(path)
        n_results = sum("event" not in line for line in lines) // 2
        ended = [line for line in lines if "event" in line and "ended-by" in line]
        expected = [(e["event"], first + e["frame"] // each, first - (-(e["frame"] + e["frames"]) // each))
                    for first, some in ((0, ended[:len(ended) // 2]), (n_results, ended[len(ended) // 2:])) for e in some]
        self.assertGreater(len(expected), 1)
        self.assertEqual(sorted((e["event"], e["result"], e["result-end"]) for e in events), sorted(expected))

    def test_histogram_says_what_it_covers(self):
        """For a column of the heat map, a histogram, and a pixel that several results share."""
        luma = [{**result, "components": {"Y": result["components"]["Y"]}} for result in self.results]
        for n_results, together in ((5000, 2), (9000, 4)):
            many = [{**luma[n % FRAMES], "frame": n, "stream-time": n * 40_000_000} for n in range(n_results)]
            self.show(self.write("many.jsonl", many))
            self.assertEqual(self.browser.text(".together"), f"{together} results a column")
            self.browser.move(".heat .u-over", 0.6669, 0.5)
            said = re.match(r"value 12\d in frames ([\d,]+) to ([\d,]+) ", self.browser.text(".value.share"))
            first, last = (int(text.replace(",", "")) for text in said.groups())
            self.assertEqual((first % together, last), (0, first + together - 1))
            around = int(re.match(r"one of (\d+) results at this pixel", self.browser.text(".near"))[1])
            pixels = self.browser.run("return document.querySelector('.heat .u-over').clientWidth")
            self.assertAlmostEqual(around, n_results / pixels, delta=1)
            self.browser.click(".heat .u-over", 0.6669, 0.5)
            self.assertEqual(self.browser.text(".side .title"), f"frames {first:,} to {last:,}")
            self.browser.move(".histogram .u-over", 100.5 / 256)
            count = sum(line["components"]["Y"]["histogram"][100] for line in many[first:last + 1])
            self.assertTrue(self.browser.text(".side-readout").startswith(f"value 100: {count:,} sample"))

    def test_coarse(self):
        """More results than columns: the heat map and the histograms are sums, the curves are exact."""
        many = [{**self.results[n % FRAMES], "frame": n, "stream-time": n * 40_000_000} for n in range(5000)]
        page = self.show(self.write("many.jsonl", many))
        self.assertIn("sum of 2 results", self.notes())
        self.assertEqual(self.warnings(), "")
        border = ("const note = [...document.querySelectorAll('li')].find(e => e.innerText.includes('sum of 2'));"
                  "return getComputedStyle(note.parentNode).borderLeftWidth")
        self.assertEqual(self.browser.run(border), "0px")  # it is not a warning
        self.assertEqual(facts_of(page)[0]["results-per-point"], 1)
        self.browser.click(".levels .u-over", 3334.5 / 5000)
        chosen = int(re.match(r"Levels of frame ([\d,]+)", self.browser.text(".side .chosen"))[1].replace(",", ""))
        self.assertEqual(number(self.browser.text('.side dd[data-field="median"]')), many[chosen]["components"]["Y"]["median"])
        first = chosen // 2 * 2
        self.assertEqual(f"frames {first:,} to {first + 1:,}", self.browser.text(".side .title"))
        self.assertIn("sum of 2 results", self.browser.text(".side .note"))
        value = many[chosen]["components"]["Y"]["median"]
        self.browser.move(".histogram .u-over", (value + 0.5) / 256)
        count = sum(many[n]["components"]["Y"]["histogram"][value] for n in (first, first + 1))
        self.assertTrue(self.browser.text(".side-readout").startswith(f"value {value}: {count:,} sample"))
        # A single frame is visible even if many share a pixel.
        flat = {"count": many[0]["components"]["Y"]["count"], "mean": 100.0}
        flat.update(dict.fromkeys(("min", "low", "median", "high", "max"), 100))
        single = [{**r, "components": {"Y": flat}} for r in many]
        single[2501] = {**single[2501], "components": {"Y": {**flat, "max": 250}}}
        self.show(self.write("single.jsonl", single))
        column = (
            "const u = document.querySelector('.levels canvas'), o = document.querySelector('.levels .u-over');"
            "const a = u.getBoundingClientRect(), b = o.getBoundingClientRect();"
            "const x = b.left - a.left + b.width * 2501 / 5000 - 3, y = b.top - a.top + b.height * (1 - 200 / 255);"
            "const d = u.getContext('2d').getImageData(x, y, 7, 1).data;"
            "return new Set(Array.from({length: 7}, (_, i) => d.slice(4 * i, 4 * i + 4).join())).size")
        self.assertGreater(self.browser.run(column), 1)

    def test_broken_lines(self):
        text = dump(self.results[:20])
        self.show(self.write("bad.jsonl", text + "hello\n" + dump(self.results[20:40])), status=2)
        self.assertIn("Some lines of the file are invalid", self.warnings())
        self.hover(0)
        self.show(self.write("torn.jsonl", text[:-500]))
        self.assertIn("ends within a line", self.warnings())
        mark = {"cudahisto": 1, "event": "incomplete", "start": 1, "end": None, "frame": 20, "frames": 0,
                "reason": "SIGINT <b>", "element": "cudahisto0"}
        self.show(self.write("marked.jsonl", text + dump([mark])))
        self.assertIn("Measuring stopped before the end of the film: SIGINT <b>", self.warnings())


class Command(FolderTest):
    def setUp(self):
        super().setUp()
        self.lines = self.folder / "film.jsonl"
        component = {"count": 4, "mean": 1.0, "min": 1, "low": 1, "median": 1, "high": 1, "max": 1}
        self.line = {"cudahisto": 1, "frame": 0, "frames": 1, "format": "GRAY8", "width": 2, "height": 2, "depth": 8,
                     "stream-time": 0, "components": {"GRAY": component}}
        self.lines.write_text(dump([self.line]))

    def test_more_events_than_are_shown(self):
        """Each counts once, also if its start is a separate line beyond the limit."""
        begin = [{"cudahisto": 1, "event": "black", "start": i * 10, "end": None, "frame": i, "frames": 1, "element": "a"}
                 for i in range(20010)]
        lines = [line for event in begin for line in (event, {**event, "end": event["start"] + 5, "ended-by": "content"})]
        self.lines.write_text(dump([self.line, *lines]))
        self.assertIn("Of 20010 events, the first 20000 are shown", cudahisto("report", self.lines, "-o", "-"))

    def test_output(self):
        page = cudahisto("report", self.lines, "-o", "-")
        self.assertTrue(page.startswith("<!DOCTYPE html>") and page.endswith("</html>\n"))
        self.assertEqual(cudahisto("report", "-", "-o", "-", input=self.lines.read_bytes()).count("standard input"), 3)
        cudahisto("report", self.lines)
        made = (self.folder / "film.html").read_text()
        self.assertEqual(made, page)
        cudahisto("report", self.lines)  # its own page is overwritten
        # A missing word would show the whole text.
        for words in ("uPlot 1.6.32 (github.com/leeoniya/uPlot)", "https://github.com/leeoniya/uPlot (v1.6.32)",
                      "Copyright (c) 2022 Leon Sorokin"):
            self.assertTrue(words in made, words)

    def test_scripts_and_styles_are_source(self):
        """They are not minified, so that they can be changed."""
        page = cudahisto("report", self.lines, "-o", "-")
        for tag in ("script", "style"):
            for text in re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.S):
                self.assertLess(max(map(len, text.splitlines())), 200, text[:100])

    def test_nothing_is_lost(self):
        mine = self.folder / "film.html"
        mine.write_text("<html>mine</html>")
        self.assertIn("exists and was changed, or was not written by `cudahisto report`. ", complain("report", self.lines))
        self.assertEqual(mine.read_text(), "<html>mine</html>")
        self.assertIn("is an input: name another file", complain("report", self.lines, "-o", self.lines))
        link = self.folder / "link"
        link.hardlink_to(self.lines)
        self.assertIn("is an input", complain("report", self.lines, "-o", link))
        self.assertEqual(read(self.lines), [self.line])

    def test_errors(self):
        missing, empty = self.folder / "missing.jsonl", self.folder / "empty.jsonl"
        empty.write_text("")
        for arguments, said in (([missing], "missing.jsonl"), ([empty], "empty.jsonl has no results"), ([], "name the files"),
                                (["-"], "name the file for the page with -o"), ([self.folder], "folder"),
                                ([self.lines, "-o", self.folder / "no" / "film.html"], "there is no folder"),
                                ([self.lines, "-o", self.folder], "is a folder"),
                                ([self.lines, "-o", "/dev/full"], "/dev/full"),
                                ([self.lines, "--nonsense"], "nonsense")):
            words = complain("report", *arguments)
            self.assertIn(said, words)
            self.assertTrue(words.startswith("cudahisto: "))
        self.assertFalse((self.folder / "empty.html").exists())

    def test_rest_is_reported(self):
        page = self.folder / "page.html"
        self.assertIn("missing.jsonl", complain("report", self.folder / "missing.jsonl", self.lines, "-o", page))
        self.assertEqual([film["name"] for film in facts_of(page)], ["film.jsonl"])

    def test_closed_pipe(self):
        done = subprocess.run(f"'{COMMAND}' report '{self.lines}' -o - | head -c 100", shell=True, capture_output=True,
                              check=True)
        self.assertEqual((len(done.stdout), done.stderr), (100, b""))


if __name__ == "__main__":
    unittest.main()
