#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""bench_tools.py FILM [ROUNDS]: the same job with several tools, as whole processes, decoding included, in turn.

The job is a delivery's: levels, saturation, hue, outliers, repeats and range of each frame, black, freezes, cuts, letterbox.
OpenCV and videoanalyse can do a part of it, which the table says. Prints a table in Markdown: least and median time of the
rounds, and how fast the film was measured against how it plays. What is not installed is left out. Needs the command in PATH,
as in the shell of `meson devenv`."""

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

FILTERS = "signalstats=stat=tout+vrep+brng,blackdetect,freezedetect,scdet,cropdetect=skip=0,metadata=print:file="

OPENCV = """
import sys, cv2
film = cv2.VideoCapture(sys.argv[1])
while True:
    ok, frame = film.read()
    if not ok:
        break
    planes = cv2.split(cv2.cvtColor(frame, cv2.COLOR_BGR2YUV))
    for plane in planes:
        numbers = cv2.meanStdDev(plane), cv2.minMaxLoc(plane), cv2.calcHist([plane], [0], None, [256], [0, 256])
"""


def make_jobs(film, folder):
    measure = ["cudahisto", "measure", "--quiet", film, "-o", os.path.join(folder, "film.jsonl")]
    uri = "file://" + os.path.abspath(film)
    filters = FILTERS + os.path.join(folder, "film.txt")
    return [
        ("cudahisto measure", "all of it", [*measure, "--statistics=signalstats+active-picture",
                                            "--events=black+freeze+scene-change"]),
        ("cudahisto measure", "levels and histograms", measure),
        ("FFmpeg", "all of it, without histograms",
         ["ffmpeg", "-nostdin", "-v", "error", "-i", film, "-an", "-vf", filters, "-f", "null", "-"]),
        ("OpenCV, Python", "levels and histograms",
         ["/usr/bin/python3", "-c", OPENCV, film] if python_has("cv2") else None),
        ("videoanalyse", "mean and variance of luma",
         ["gst-launch-1.0", "-q", "uridecodebin", "uri=" + uri, "!", "videoconvert", "!", "videoanalyse", "!", "fakesink"]
         if has_element("videoanalyse") else None),
        ("GStreamer", "decoding alone", ["gst-launch-1.0", "-q", "uridecodebin", "uri=" + uri, "!", "fakesink"]),
        ("FFmpeg", "decoding alone", ["ffmpeg", "-nostdin", "-v", "error", "-i", film, "-an", "-f", "null", "-"]),
    ]


def python_has(module):
    return subprocess.run(["/usr/bin/python3", "-c", "import " + module], capture_output=True, check=False).returncode == 0


def has_element(name):
    return subprocess.run(["gst-inspect-1.0", "--exists", "--atleast-version=0.0", name], check=False).returncode == 0


def length_of(film):
    done = subprocess.run(["ffprobe", "-v", "error", "-show_entries", "format=duration", "-of", "json", film], check=True,
                          stdout=subprocess.PIPE)
    return float(json.loads(done.stdout)["format"]["duration"])


def take_time(command):
    begin = time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - begin


def main():
    film, rounds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 5
    length = length_of(film)
    with tempfile.TemporaryDirectory() as folder:
        jobs = [job for job in make_jobs(film, folder) if job[2] and shutil.which(job[2][0])]
        times = [[] for _ in jobs]
        for turn in range(rounds + 1):  # the first warms up
            for job, taken in zip(jobs, times):
                seconds = take_time(job[2])
                if turn > 0:
                    taken.append(seconds)
    print("| tool | what | least | median | against playing |\n| --- | --- | --- | --- | --- |")
    for (tool, what, _), taken in zip(jobs, times):
        print(f"| {tool} | {what} | {min(taken):.2f} s | {statistics.median(taken):.2f} s | {length / min(taken):.1f} |")


if __name__ == "__main__":
    main()
