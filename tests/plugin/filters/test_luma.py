#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Compares luma and chroma that the element derives from R, G and B with FFmpeg's conversion to YUV 4:4:4, for each frame of
very different clips: the values of signalstats, which may differ by one step, and the events of blackdetect, freezedetect and
scdet. Prints a table.

    meson devenv -C build -w . tests/plugin/filters/test_luma.py [CLIP ...]

The exit status is 77 if a tool is missing.
"""

import json
import os
import pathlib
import re
import subprocess
import tempfile

from test_compare import check, choose_clips, finish, launch, read_metadata, run

FRAMES, WIDTH, HEIGHT = 120, 96, 54


def segments(*parts):
    """Returns a graph that concatenates sources, each with its number of frames."""
    graph = ";".join(f"{source}{':' if '=' in source else '='}s={WIDTH}x{HEIGHT}:r=25,setsar=1,format=gbrp,"
                     f"trim=end_frame={frames},setpts=N/25/TB[s{n}]" for n, (source, frames) in enumerate(parts))
    return graph + ";" + "".join(f"[s{n}]" for n in range(len(parts))) + f"concat=n={len(parts)},fps=25"


CLIPS = {
    "colours": segments(("testsrc2", 130)),
    "fractal": segments(("mandelbrot=end_pts=130", 130)),
    "noise": f"color=gray:s={WIDTH}x{HEIGHT}:r=25,format=gbrp,noise=alls=100:allf=t:all_seed=5",
    "black": segments(("testsrc2", 20), ("color=black", 60), ("smptehdbars", 50)),
    "still": segments(("testsrc2", 20), ("smptehdbars", 70), ("mandelbrot=end_pts=40", 40)),
    "cuts": segments(("smptehdbars", 30), ("testsrc2", 30), ("color=black", 30), ("mandelbrot=end_pts=40", 40)),
}

# FFmpeg's and GStreamer's names of the formats, and the matrices: FFmpeg's name, and its number in colorimetry.
FORMATS = {"rgb24": "rgb", "bgra": "bgra", "gbrp": "gbr"}
MATRICES = {"bt709": 3, "bt470bg": 4, "smpte240m": 5, "bt2020": 6, "fcc": 2}

# The largest difference of a value, besides the rounding of the mean of saturations, which are lengths of two components.
STEPS = {"YMIN": 1, "YLOW": 1, "YAVG": 1, "YHIGH": 1, "YMAX": 1, "SATLOW": 2, "SATAVG": 2, "SATHIGH": 2, "SATMAX": 2}
PLACES = {"YMIN": ("components", "luma", "min"), "YLOW": ("components", "luma", "low"), "YAVG": ("components", "luma", "mean"),
          "YHIGH": ("components", "luma", "high"), "YMAX": ("components", "luma", "max"), "SATLOW": ("saturation", "low"),
          "SATAVG": ("saturation", "mean"), "SATHIGH": ("saturation", "high"), "SATMAX": ("saturation", "max")}


def find_theirs(directory, pixel_format, matrix):
    """Returns the values of each frame, and the events as (kind, first frame, frame after the last)."""
    scale = f"scale=in_range=full:out_range=full:out_color_matrix={matrix}:flags=accurate_rnd+full_chroma_int+full_chroma_inp"
    ran = subprocess.run(
        ["ffmpeg", "-hide_banner", "-nostats", "-f", "rawvideo", "-pix_fmt", pixel_format, "-s", f"{WIDTH}x{HEIGHT}",
         "-r", "25", "-i", f"{pixel_format}.raw", "-vf",
         f"{scale},format=yuvj444p,signalstats,blackdetect=d=0.4,freezedetect=d=0.4,scdet,metadata=print:file=stats.txt",
         "-f", "null", "-"], cwd=directory, check=True, capture_output=True, text=True)
    frames, events, freeze = read_metadata(directory / "stats.txt", "lavfi.signalstats."), [], None
    frame = lambda text: round(float(text) * 25)
    for line in ran.stderr.splitlines():
        if found := re.search(r"black_start:(\S+) black_end:(\S+)", line):
            events.append(("black", frame(found[1]), frame(found[2])))
        elif found := re.search(r"freeze_start: (\S+)", line):
            freeze = frame(found[1])
        elif found := re.search(r"freeze_end: (\S+)", line):
            events.append(("freeze", freeze, frame(found[1])))
            freeze = None
        elif found := re.search(r"lavfi.scd.score: \S+, lavfi.scd.time: (\S+)", line):
            events.append(("scene-change", frame(found[1]), frame(found[1])))
    if freeze is not None:  # the element ends it with the last frame, which has no duration here
        events.append(("freeze", freeze, FRAMES - 1))
    return frames, sorted(events)


def find_ours(directory, pixel_format, matrix):
    backend = os.environ.get("CUDAHISTO_TEST_BACKEND")
    sidecar = directory / "ours.jsonl"
    launch("-q", "filesrc", f"location={directory / pixel_format}.raw", "!", "rawvideoparse", f"format={FORMATS[pixel_format]}",
           f"width={WIDTH}", f"height={HEIGHT}", "framerate=25/1", "!", "capssetter", "replace=false",
           f"caps=video/x-raw,colorimetry=(string)1:{MATRICES[matrix]}:0:1", "!", "cudahisto", f"sidecar-location={sidecar}",
           "statistics=luma+saturation", "sidecar-arrays=none", "sidecar-mode=overwrite", "post-messages=false",
           "events=black+freeze+scene-change", "black-min-duration=400000000", "freeze-min-duration=400000000",
           *([f"backend={backend}"] if backend else []), "!", "fakesink")
    lines = [json.loads(line) for line in sidecar.read_text().splitlines()]
    frame = lambda time: round(time / 40_000_000)
    events = []
    for event in lines:
        if event.get("event") == "scene-change":
            events.append(("scene-change", frame(event["start"]), frame(event["start"])))
        elif "event" in event and event["end"] is not None:
            events.append((event["event"], frame(event["start"]), frame(event["end"])))
    events.sort()
    return [line for line in lines if "components" in line], events


def find(result, path):
    for name in path:
        result = result[name]
    return result


def compare(name, theirs, ours):
    """Returns the number of compared values, the largest difference of luma, and a description of each that is too large."""
    compared, largest, differences = 0, 0, []
    check(len(theirs) == len(ours) == FRAMES, name, len(theirs), "and", len(ours), "frames")
    for index, (their, our) in enumerate(zip(theirs, ours)):
        for value, steps in STEPS.items():
            apart = abs(float(their[value]) - find(our, PLACES[value]))
            compared += 1
            largest = max(largest, apart if value.startswith("Y") else 0)
            if apart > steps:
                differences.append(f"{name} frame {index}: {value} {their[value]}, ours {find(our, PLACES[value])}")
    return compared, largest, differences


def main():
    clips = choose_clips(__doc__, CLIPS, "capssetter")

    differences, all_values, all_events = [], 0, 0
    row = "{:12} {:>7} {:>8} {:>7} {:>13} {}"
    print(row.format("clip", "formats", "values", "events", "largest of Y", "differences"))
    for clip in clips:
        values, events, largest, found = 0, 0, 0, []
        with tempfile.TemporaryDirectory(prefix="cudahisto-") as directory:
            directory = pathlib.Path(directory)
            for pixel_format in FORMATS:
                run("ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", CLIPS[clip], "-frames:v", str(FRAMES), "-pix_fmt",
                    pixel_format, "-f", "rawvideo", directory / f"{pixel_format}.raw")
                for matrix in MATRICES if pixel_format == "rgb24" else ("bt709",):
                    name = f"{clip} {pixel_format} {matrix}"
                    theirs, their_events = find_theirs(directory, pixel_format, matrix)
                    ours, our_events = find_ours(directory, pixel_format, matrix)
                    compared, most, more = compare(name, theirs, ours)
                    values += compared
                    events += len(our_events)
                    largest = max(largest, most)
                    found += more
                    if their_events != our_events:
                        found.append(f"{name}: events {their_events}, ours {our_events}")
        print(row.format(clip, len(FORMATS), values, events, f"{largest:.3f}", len(found) or "none"), flush=True)
        differences += found
        all_values += values
        all_events += events
    print(row.format("all", "", all_values, all_events, "", len(differences) or "none"))
    finish(differences)


if __name__ == "__main__":
    main()
