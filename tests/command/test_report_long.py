#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""test_report_long.py COMMAND: `cudahisto report` of long films: the page opens and zooms at once and is at most 30 MB, and the
command's memory does not grow with the film. Prints the measured values."""

import bisect
import itertools
import json
import math
import os
import random
import re
import resource
import statistics
import subprocess
import unittest

from browser import Browser
from lines import COMMAND, SharedFolderTest, cudahisto, need, run
from test_report import RATE, facts_of, make_film, number

need("ffmpeg", "chromium", "chromedriver")

LIMIT_BYTES = 30_000_000
LIMIT_MIB = 500
OPENING_S = 3
FRAME_MS = 50
# Turns of the wheel, one per frame of the screen, in and out again: measures the times between those frames.
ZOOM = """
const [turns, done] = arguments, over = document.querySelector(".levels .u-over"), box = over.getBoundingClientRect();
const times = [];
let turn = 0, last = null;
function step(now) {
  if (last !== null)
    times.push(now - last);
  last = now;
  if (turn++ === turns)
    return done(times);
  over.dispatchEvent(new WheelEvent("wheel", { deltaY: turn <= turns / 2 ? -60 : 60, clientX: box.left + box.width * 0.37,
                                               clientY: box.top + 50, bubbles: true, cancelable: true }));
  requestAnimationFrame(step);
}
requestAnimationFrame(step);
"""


SCENES = 240
SHOTS = 12  # shots per scene


class Noise:
    """Results of a film in full HD without repetitions, so that its page is as large as a real one: scenes of one to eight
    seconds, each with its own histograms, which differ slightly between frames as by grain."""

    def __init__(self, line):
        self.random = random.Random(1)
        self.head = {name: value for name, value in json.loads(line).items()
                     if isinstance(value, (int, str)) and name not in ("frame", "stream-time") and not name.endswith("-count")}
        self.head.update(width=1920, height=1080)
        self.scenes = [{name: self.make_shots(1920 * 1080 // divisor) for name, divisor in (("Y", 1), ("U", 4), ("V", 4))}
                       for _ in range(SCENES)]

    def make_shots(self, samples):
        peaks = [(self.random.uniform(20, 230), self.random.uniform(2, 30), self.random.random()) for _ in range(4)]
        shape = [sum(weight * math.exp(-(((value - middle) / width) ** 2) / 2) for middle, width, weight in peaks)
                 for value in range(256)]
        return [self.make_component(samples, shape) for _ in range(SHOTS)]

    def make_component(self, samples, shape):
        """Returns the mean and the deviation, and the other members as text."""
        drawn = [weight * self.random.uniform(0.8, 1.2) for weight in shape]
        scale = samples / sum(drawn)
        counters = [round(weight * scale) for weight in drawn]
        counters[counters.index(max(counters))] += samples - sum(counters)
        sums = list(itertools.accumulate(counters))
        present = [value for value, count in enumerate(counters) if count]
        mean = sum(value * count for value, count in enumerate(counters)) / sums[-1]
        deviation = math.sqrt(sum((value - mean) ** 2 * count for value, count in enumerate(counters)) / sums[-1])
        numbers = {"count": sums[-1], "min": present[0], "max": present[-1], "histogram": counters}
        for name, share in ("low", 0.1), ("median", 0.5), ("high", 0.9):
            numbers[name] = bisect.bisect_left(sums, round(share * sums[-1]))
        return mean, deviation, json.dumps(numbers, separators=(",", ":"))[1:-1]

    def make_line(self, frame, scene, bright):
        draw = self.random.random
        parts = []
        for name, shots in scene.items():
            mean, deviation, text = shots[int(draw() * SHOTS)]
            mean = 254.5 if name == "Y" and frame == bright else mean + draw() / 100
            parts.append(f'"{name}":{{"mean":{mean},"stddev":{deviation + draw() / 100},"difference":{draw() * 9},{text}}}')
        numbers = {**self.head, "frame": frame, "stream-time": frame * 10**9 // RATE, "outliers": draw() / 9,
                   "repeats": draw() / 9, "out-of-range": draw() / 9, "out-of-gamut": draw() / 9,
                   "saturation": {"mean": 9 + draw()},
                   "hue": {"median": int(draw() * 360)}}
        return json.dumps(numbers, separators=(",", ":"))[:-1] + ',"components":{' + ",".join(parts) + "}}\n"

    def make_lines(self, frames, bright):
        frame = 0
        while frame < frames:
            scene = self.random.choice(self.scenes)
            for frame in range(frame, min(frames, frame + self.random.randint(RATE, 8 * RATE))):
                yield self.make_line(frame, scene, bright)
            frame += 1


def brighten(line):
    """Changes the mean of Y, and removes numbers that contradict it."""
    result = json.loads(line)
    luma = result["components"]["Y"]
    result["components"]["Y"] = {"count": luma["count"], "mean": 254.5, "min": 254, "max": 255, "low": 254, "median": 254,
                                 "high": 255}
    return json.dumps(result, separators=(",", ":"))


def is_busy():
    """Returns whether other programs use this machine. Then only CPU time is checked."""
    return os.getloadavg()[0] > os.cpu_count()


class Long(SharedFolderTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        make_film(cls.folder / "film.mkv")
        cudahisto("measure", "-q", cls.folder / "film.mkv", "-o", cls.folder / "film.jsonl", "-s", "signalstats+gamut")
        cls.lines = (cls.folder / "film.jsonl").read_text().splitlines()

    def finish(self, command, page, frames):
        command.stdin.close()
        self.assertEqual(command.wait(), 0)
        self.assertLessEqual(page.stat().st_size, LIMIT_BYTES)
        used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        print(f"{frames} frames: a page of {page.stat().st_size / 1e6:.1f} MB; no program has used more than {used:.0f} MiB")
        self.assertLess(used, LIMIT_MIB)

    def start(self, page):
        return subprocess.Popen([COMMAND, "report", "-", "-o", page], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)

    def repeat(self, page, frames, bright, is_bare):
        """Repeats the lines of the film, with or without histograms, with increasing frames and times; one has another mean."""
        report = self.start(page)
        lines = [re.sub(r',"histogram":\[[\d,]*\]', "", line) if is_bare else line for line in self.lines]
        for frame in range(frames):
            line = re.sub(r'"frame":\d+', f'"frame":{frame}', lines[frame % len(lines)], count=1)
            line = re.sub(r'"stream-time":\d+', f'"stream-time":{frame * 10**9 // RATE}', line, count=1)
            if frame == bright:
                line = brighten(line)
            report.stdin.write(line.encode() + b"\n")
        self.finish(report, page, frames)

    def get_cpu_seconds(self, browser):
        """CPU time of the page's thread since it was opened."""
        metrics = browser.devtools("Performance.getMetrics")["metrics"]
        return next(metric["value"] for metric in metrics if metric["name"] == "TaskDuration")

    def check_speed(self, page):
        browser = Browser()
        self.addCleanup(browser.close)
        browser.devtools("Performance.enable", timeDomain="threadTicks")
        opening, cpu = [], []
        for _ in range(3):
            browser.open(page)
            opening.append(float(browser.run("return document.documentElement.dataset.openedAfter")) / 1000)
            cpu.append(self.get_cpu_seconds(browser))
        print(f"opened in {', '.join(f'{seconds:.2f}' for seconds in opening)} s; CPU {min(cpu):.2f} s")
        before = self.get_cpu_seconds(browser)
        times = browser.call("POST", "/execute/async", {"script": ZOOM, "args": [120]})
        work = (self.get_cpu_seconds(browser) - before) / len(times) * 1000
        slow = sorted(times)[int(0.95 * len(times))]
        print(f"zooming, by frame of the screen: median {statistics.median(times):.1f} ms, 95 % within {slow:.1f} ms; "
              f"CPU {work:.1f} ms")
        self.assertLess(min(cpu), OPENING_S)
        self.assertLess(work, FRAME_MS)
        if is_busy():
            print("others are busy here: no time of day is judged")
        else:
            self.assertLess(min(opening), OPENING_S)
            self.assertLess(statistics.median(times), FRAME_MS)
        self.assertEqual(browser.take_log(), [])
        return browser

    def test_100000(self):
        """A film without repetitions: only the histograms are thinned out."""
        page = self.folder / "page.html"
        report = self.start(page)
        for line in Noise(self.lines[-1]).make_lines(100_000, 98_766):
            report.stdin.write(line.encode())
        self.finish(report, page, 100_000)
        facts = facts_of(page)[0]
        self.assertEqual((facts["points"], facts["results-per-point"], facts["results-per-column"]), (100_000, 1, 32))
        self.assertGreater(page.stat().st_size, LIMIT_BYTES / 2, "what repeats itself proves no size")
        browser = self.check_speed(page)
        self.assertIn("sum of 32 results", browser.text(".notes"))
        browser.click('.extremes tr[data-what="mean-greatest"] button')
        self.assertTrue(browser.text(".side .chosen").startswith("Levels of frame 98,766, "))
        self.assertEqual(number(browser.text('.side dd[data-field="mean"]')), 254.5)

    def test_600000(self):
        page = self.folder / "page.html"
        self.repeat(page, 600_000, 598_766, True)
        facts = facts_of(page)[0]
        self.assertEqual((facts["points"], facts["results-per-point"]), (150_000, 4))
        browser = self.check_speed(page)
        self.assertIn("A point of the curves covers 4 results", browser.text(".notes"))
        cells = browser.texts('.extremes tr[data-what="mean-greatest"] td')
        self.assertEqual(cells[1:], ["254.50 of 255", "598,766", "6:39:10.640"])

    def test_many_files(self):
        """Together they have the same limit."""
        lines = self.folder / "some.jsonl"
        with lines.open("w") as file:
            for round_ in range(14):
                for index, line in enumerate(self.lines):
                    frame = round_ * len(self.lines) + index
                    line = re.sub(r'"frame":\d+', f'"frame":{frame}', line, count=1)
                    file.write(re.sub(r'"stream-time":\d+', f'"stream-time":{40_000_000 * frame}', line, count=1) + "\n")
        page = self.folder / "many.html"
        run(COMMAND, "report", *[lines] * 12, "-o", page)
        self.assertLessEqual(page.stat().st_size, LIMIT_BYTES)
        facts = facts_of(page)
        self.assertEqual(len(facts), 12)
        self.assertGreater(facts[0]["results-per-column"], 1)
        self.assertTrue(all(film["notes"] for film in facts))
        print(f"12 files: {page.stat().st_size / 1e6:.1f} MB")


unittest.main()
