#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Compares the element's events with those of FFmpeg's blackdetect, freezedetect and scdet, for very different clips. Prints a
table.

    meson devenv -C build -w . tests/plugin/filters/test_events.py [CLIP ...]

`ffmpeg` makes each clip in each format and runs the three filters on it, with default and with other thresholds. The element
reads the same samples, and also as NV12, P010 and YUY2. It detects all kinds of events together or each kind separately, in
windows of a frame or in one window.

Events are equal if they begin and end with the same frame, and scores of scene changes if they are printed alike. A freeze that
FFmpeg leaves open at the end of a stream must end there. A clip whose frames share rounded timestamps goes through a container.
The exit status is 77 if a tool is missing.
"""

import collections
import fractions
import json
import os
import pathlib
import re
import subprocess
import tempfile

from test_compare import check, choose_clips, finish, launch
from test_signalstats import PACKED, PLANAR, pack, plane_sizes

WIDTH, HEIGHT = 96, 54

# Sources of the segments of clips.
PATTERN, BARS, FRACTAL = "testsrc2", "smptehdbars", "mandelbrot=end_pts=200:maxiter=300"
BLACK = "color=black"


def segments(*parts, rate=25):
    """Returns a graph that concatenates sources, each with its number of frames. Filters after its comma apply to it alone."""
    graph = []
    for n, (source, frames) in enumerate(parts):
        name, _, rest = source.partition(",")
        options = f"{name}{':' if '=' in name else '='}s={WIDTH}x{HEIGHT}:r={rate}"
        graph.append(f"{options},setsar=1,format=yuv444p{',' + rest if rest else ''},trim=end_frame={frames},"
                     f"setpts=N/{rate}/TB[s{n}]")
    return ";".join(graph) + ";" + "".join(f"[s{n}]" for n in range(len(parts))) + f"concat=n={len(parts)},fps={rate}"


# The graph of a clip, its frames per second, and whether its samples have full range, which FFmpeg expresses by the format.
# Frames are `step` / `rate` seconds apart, and the program rounds their times to multiples of 1 / `rate`.
Clip = collections.namedtuple("Clip", "graph rate is_full step", defaults=(25, False, 1))
FULL_FORMATS = {"yuv420p": "yuvj420p", "yuv422p": "yuvj422p"}

CLIPS = {
    # Black for exactly the minimum duration, a frame less, a frame more, and up to the end.
    "cuts": Clip(segments((PATTERN, 30), (BLACK, 50), (BARS, 20), (BLACK, 49), (FRACTAL, 25), (BLACK, 51), (PATTERN, 10),
                          (BLACK, 60))),
    "fades": Clip(segments((PATTERN + ",fade=in:0:40,fade=out:60:40", 140), (FRACTAL + ",fade=in:0:90:color=white", 100))),
    "dissolves": Clip(segments((FRACTAL, 60), (PATTERN, 60), (BARS, 100), (PATTERN, 60), rate=25)
                      + ",tmix=frames=12:weights='1 1 1 1 1 1 1 1 1 1 1 1'"),
    # Still except for noise of one level; a cut to another still picture; and a picture that darkens so slowly that no frame
    # differs from the one before.
    "frozen": Clip(segments((PATTERN, 20), (BARS, 50), (PATTERN, 15), (BARS + ",noise=alls=1:allf=t:all_seed=3", 80),
                            (BARS + ",hue=h=60", 70), (BARS + ",geq=lum='p(X,Y)-N/6':cb='p(X,Y)':cr='p(X,Y)'", 180),
                            (FRACTAL, 10), (BARS, 70))),
    "noise-on-black": Clip(segments((BLACK + ",noise=alls=16:allf=t:all_seed=5", 80), (PATTERN, 10),
                                    (BLACK + ",noise=alls=18:allf=t:all_seed=7", 80), (FRACTAL, 5),
                                    (BLACK + ",noise=alls=12:allf=t:all_seed=9", 70))),
    # Luma rises and falls across the threshold of black, in steps of one.
    "steps": Clip(segments((BLACK + ",geq=lum='16+N/2':cb=128:cr=128", 120), (BLACK + ",geq=lum='60-N/2':cb=128:cr=128", 110))),
    "full-range": Clip(segments((BLACK + ",geq=lum='N/2':cb=128:cr=128", 120), (BLACK + ",geq=lum='45-N/2':cb=128:cr=128", 110),
                                (PATTERN, 20)), is_full=True),
    # One frame a second: each frame alone is still for a second.
    "slides": Clip(segments((PATTERN, 6), (BARS, 4), (BLACK, 5), (FRACTAL, 6), rate=1), rate=1),
    "flashes": Clip(segments(*[(source, 1 + n % 4) for n, source in enumerate(
        [PATTERN, BLACK, "color=white", BARS, FRACTAL, "color=gray", "color=white", BLACK] * 6)])),
    # Every sixth frame has the time of the one before: a frame in an event, the first of one, or the first after it.
    "shared-times": Clip(segments(*[(PATTERN, 6), (BLACK, 7)] * 7, *[(PATTERN, 6), (BLACK, 59)] * 3,
                                  *[(PATTERN, 6), (BARS, 59)] * 3, (PATTERN, 10)), step=fractions.Fraction(25 * 1001, 30000)),
}

FORMATS = ("yuv420p", "yuv422p", "yuv420p10le", "yuv444p10le", "nv12", "p010le", "yuyv422")

# Thresholds of the filters and of the element.
THRESHOLDS = {
    "defaults": ("blackdetect", "freezedetect", "scdet", ()),
    "others": ("blackdetect=d=0.2:pic_th=0.9:pix_th=0.05", "freezedetect=n=0.006:d=0.6", "scdet=t=3",
               ("black-min-duration=200000000", "black-ratio=0.9", "black-level=0.05", "freeze-min-duration=600000000",
                "freeze-noise=0.006", "scene-change-threshold=3")),
}

Event = collections.namedtuple("Event", "kind start end score", defaults=(None,))


def make(directory, clip):
    """Makes files of raw frames: the clip in each planar format, and the packed formats from these."""
    graph = f"{CLIPS[clip].graph},setrange=tv"  # for any clip, so that nothing is converted
    planar = [name for name in FORMATS if name in PLANAR]
    pieces = [f"{graph},split={len(planar)}" + "".join(f"[in{n}]" for n in range(len(planar)))]
    outputs = []
    for n, name in enumerate(planar):
        pieces.append(f"[in{n}]format={name}[out{n}]")
        outputs += ["-map", f"[out{n}]", "-f", "rawvideo", f"{name}.raw"]
    subprocess.run(["ffmpeg", "-v", "error", "-y", "-filter_complex", ";".join(pieces), *outputs], cwd=directory, check=True)
    for name in FORMATS:
        if name in PACKED:
            raw = (directory / f"{PACKED[name][1]}.raw").read_bytes()
            (directory / f"{name}.raw").write_bytes(pack(name, raw, WIDTH, HEIGHT))


def read_raw(name, clip):
    """Returns the options with which FFmpeg reads a file of raw frames."""
    return ("-f", "rawvideo", "-pixel_format", FULL_FORMATS[name] if CLIPS[clip].is_full else name,
            "-video_size", f"{WIDTH}x{HEIGHT}", "-framerate", str(CLIPS[clip].rate), "-i", f"{name}.raw")


def space(directory, name, clip):
    """Puts the frames into a container, a step apart."""
    distance = CLIPS[clip].step / CLIPS[clip].rate
    subprocess.run(["ffmpeg", "-v", "error", "-y", *read_raw(name, clip), "-vf",
                    f"settb=1/{distance.denominator},setpts=N*{distance.numerator}", "-c:v", "ffv1", "-vsync", "passthrough",
                    f"{name}.mkv"], cwd=directory, check=True)


def find_theirs(directory, name, clip, thresholds):
    """Returns the events that the filters print for a file."""
    *filters, _ = THRESHOLDS[thresholds]
    file = read_raw(name, clip) if CLIPS[clip].step == 1 else ("-i", f"{name}.mkv")
    ran = subprocess.run(["ffmpeg", "-hide_banner", "-nostats", *file, "-vf", ",".join(filters), "-f", "null", "-"],
                         cwd=directory, check=True, capture_output=True, text=True)
    frame = lambda text: round(float(text) * CLIPS[clip].rate)
    events, freeze = [], None
    for line in ran.stderr.splitlines():
        if found := re.search(r"black_start:(\S+) black_end:(\S+)", line):
            events.append(Event("black", frame(found[1]), frame(found[2])))
        elif found := re.search(r"freeze_start: (\S+)", line):
            freeze = frame(found[1])
        elif found := re.search(r"freeze_end: (\S+)", line):
            events.append(Event("freeze", freeze, frame(found[1])))
            freeze = None
        elif found := re.search(r"scd\.score: (\S+), lavfi\.scd\.time: (\S+)", line):
            events.append(Event("scene-change", frame(found[2]), frame(found[2]), found[1]))
    if freeze is not None:
        events.append(Event("freeze", freeze, None))
    return events


def source(path, name, clip):
    offsets, strides, at = [], [], 0
    for stride, rows in plane_sizes(name, WIDTH, HEIGHT):
        offsets.append(str(at))
        strides.append(str(stride))
        at += stride * rows
    check(path.stat().st_size % at == 0, path.name, "has", path.stat().st_size, "bytes")
    line = ("filesrc", f"location={path}", "!", "rawvideoparse", f"format={(PLANAR | PACKED)[name][0]}", f"width={WIDTH}",
            f"height={HEIGHT}", f"framerate={CLIPS[clip].rate}/1", f"plane-strides=<{','.join(strides)}>",
            f"plane-offsets=<{','.join(offsets)}>", f"frame-size={at}",
            f"colorimetry={'1:4:0:1' if CLIPS[clip].is_full else '2:4:0:1'}")
    if CLIPS[clip].step != 1:
        line = ("filesrc", f"location={path.with_suffix('.mkv')}", "!", "matroskademux", "!", "avdec_ffv1")
    return line, path.stat().st_size // at


def find_ours(directory, name, clip, thresholds):
    """Returns the events in the element's sidecars, and checks the number of results."""
    line, frames = source(directory / f"{name}.raw", name, clip)
    backend = os.environ.get("CUDAHISTO_TEST_BACKEND")
    # The element may detect a kind differently if it is the only one: a freeze then needs no previous frame.
    kinds = ("black", "freeze", "scene-change") if name in PACKED else ("black+freeze+scene-change",)
    window = "stream" if name.endswith("10le") else "buffer"
    for n, events in enumerate(kinds):
        line += ("!", "cudahisto", f"events={events}", f"window={window}", f"sidecar-location={directory}/{n}.jsonl",
                 "sidecar-arrays=none", "post-messages=false", *THRESHOLDS[thresholds][3])
        line += (f"backend={backend}",) if backend else ()
    launch("-q", *line, "!", "fakesink")
    found, last = [], frames - 1
    for n in range(len(kinds)):
        lines = [json.loads(text) for text in (directory / f"{n}.jsonl").read_text().splitlines()]
        results = sum("event" not in line for line in lines)
        check(results == (1 if window == "stream" else frames), clip, name, results, "results")
        found += check_lines(clip, name, [line for line in lines if "event" in line], last)
    return found


def check_lines(clip, name, lines, last):
    """Returns the events of a sidecar, each once. The last line of an event must agree with its first."""
    frame = lambda time: None if time is None else round(time * CLIPS[clip].rate / 1e9)
    tick = lambda index: round(index * CLIPS[clip].step)
    events, begun = [], {}
    for line in lines:
        what = f"{clip} {name} {line}"
        kind = line["event"]
        check(line["cudahisto"] == 1 and frame(line["start"]) == tick(line["frame"]), what)
        if line["end"] is None:
            check(kind not in begun and line["duration"] is None and "ended-by" not in line, what)
            begun[kind] = line
            continue
        first = begun.pop(kind, line)
        check(all(first[field] == line[field] for field in ("start", "frame", "value", "threshold", "element")), what)
        check(line["duration"] == line["end"] - line["start"], what)
        check(line["ended-by"] in ("complete", "eos"), what)
        is_over = line["ended-by"] == "complete"
        check(is_over or frame(line["end"]) == tick(last), what)
        end = line["frame"] if kind == "scene-change" else line["frame"] + line["frames"] - (0 if is_over else 1)
        check(frame(line["end"]) == tick(end) and line["frames"] >= 1, what)
        # FFmpeg prints only the start of a freeze that does not end.
        is_open = kind == "freeze" and not is_over
        events.append(Event(kind, tick(line["frame"]), None if is_open else frame(line["end"]),
                            f"{line['value']:.3f}" if kind == "scene-change" else None))
    check(not begun, clip, name, "does not end:", begun)
    return events


def compare(clip, name, thresholds, theirs, ours):
    """Returns a description of each event that only one side has."""
    differences = []
    for whose, left, right in (("FFmpeg's", theirs, ours), ("ours", ours, theirs)):
        differences += [f"{clip} {name} {thresholds}: {whose} alone {tuple(event)}" for event in left if event not in right]
    if len(theirs) != len(ours):
        differences.append(f"{clip} {name} {thresholds}: {len(theirs)} events, ours {len(ours)}")
    return differences


def main():
    clips = choose_clips(__doc__, CLIPS, "matroskademux", "avdec_ffv1")

    row = "{:16} {:>7} {:>6} {:>6} {:>6} {:>6} {}"
    print(row.format("clip", "formats", "frames", "black", "freeze", "scene", "differences"))
    differences, total = [], collections.Counter()
    for clip in clips:
        found, events = [], collections.Counter()
        with tempfile.TemporaryDirectory(prefix="cudahisto-") as directory:
            directory = pathlib.Path(directory)
            make(directory, clip)
            formats = [name for name in FORMATS if not CLIPS[clip].is_full or PACKED.get(name, ("", name))[1] in FULL_FORMATS]
            if CLIPS[clip].step != 1:
                formats = [name for name in formats if name in PLANAR]  # those of FFV1
                for name in formats:
                    space(directory, name, clip)
            for name in formats:
                planar = PACKED[name][1] if name in PACKED else name
                frames = source(directory / f"{name}.raw", name, clip)[1]
                for thresholds in THRESHOLDS:
                    theirs = find_theirs(directory, planar, clip, thresholds)
                    events.update(event.kind for event in theirs)
                    found += compare(clip, name, thresholds, theirs, find_ours(directory, name, clip, thresholds))
        print(row.format(clip, len(formats), frames, events["black"], events["freeze"], events["scene-change"],
                         len(found) or "none"), flush=True)
        differences += found
        total += events
    print(row.format("all", "", "", total["black"], total["freeze"], total["scene-change"], len(differences) or "none"))
    finish(differences)


if __name__ == "__main__":
    main()
