#!/usr/bin/python3
# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Converts lines of a sidecar on standard input for Prometheus: writes a file for the textfile collector of node exporter.

    cudahisto measure --interval 1s -o - rtsp://camera/1 | ./prometheus.py camera1 /var/lib/prometheus/node-exporter/1.prom

The file is replaced as a whole, at most once a second, and at the end of the lines."""

import json
import os
import sys
import time

NUMBERS = {
    "min": "Smallest sample value",
    "low": "Sample value that a tenth of the samples do not exceed",
    "median": "Sample value that half of the samples do not exceed",
    "mean": "Mean sample value",
    "high": "Sample value that nine tenths of the samples do not exceed",
    "max": "Largest sample value",
}


def quote(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


class Metrics:
    def __init__(self, stream, path):
        self.stream, self.path = quote(stream), path
        self.frames = 0
        self.components = {}
        self.events = {}  # kind: number begun, and whether one lasts
        self.last = self.written = 0.0

    def add(self, line):
        if line.get("event") == "incomplete":
            return  # no result: `cudahisto measure` has not finished
        if "event" in line:
            begun, _ = self.events.get(line["event"], (0, False))
            lasts = line.get("ended-by") is None
            is_second_line = not lasts and self.events.get(line["event"], (0, False))[1]
            self.events[line["event"]] = (begun if is_second_line else begun + 1, lasts)
        else:
            self.frames += line["frames"]
            self.components = line["components"]
        self.last = time.time()

    def format(self):
        yield "cudahisto_frames_total", "counter", "Frames measured", [("", self.frames)]
        yield "cudahisto_last_result_seconds", "gauge", "When the last result came, seconds since 1970", [("", self.last)]
        for name, meaning in NUMBERS.items():
            yield (f"cudahisto_{name}", "gauge", meaning,
                   [(f",component={quote(key)}", numbers[name]) for key, numbers in self.components.items() if name in numbers])
        yield ("cudahisto_events_total", "counter", "Events that have begun",
               [(f",event={quote(kind)}", begun) for kind, (begun, _) in self.events.items()])
        yield ("cudahisto_event", "gauge", "1 while such an event lasts",
               [(f",event={quote(kind)}", int(lasts)) for kind, (_, lasts) in self.events.items()])

    def write(self):
        with open(self.path + ".new", "w", encoding="utf-8") as file:
            for name, kind, meaning, values in self.format():
                if values:
                    file.write(f"# HELP {name} {meaning}\n# TYPE {name} {kind}\n")
                for labels, value in values:
                    file.write(f"{name}{{stream={self.stream}{labels}}} {value!r}\n")
        os.replace(self.path + ".new", self.path)
        self.written = time.monotonic()


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: prometheus.py STREAM FILE.prom < film.jsonl")
    metrics = Metrics(*sys.argv[1:])
    for line in sys.stdin:
        metrics.add(json.loads(line))
        if time.monotonic() - metrics.written >= 1:
            metrics.write()
    metrics.write()


if __name__ == "__main__":
    main()
