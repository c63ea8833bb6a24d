#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Compares the element's MSE and PSNR with those of FFmpeg's psnr, for each frame of very different clips. Prints a table.

    meson devenv -C build -w . tests/plugin/filters/test_psnr.py [CLIP ...]

`ffmpeg` makes each clip in each format, unchanged and changed. It compares the changed clip with the unchanged one, and each of
its frames with the one before. So does the element, which reads the unchanged clip as its reference, from a file whose times
are rounded to milliseconds. Values are equal if they are printed alike: psnr prints single precision with six decimals.

Then an encode with reordered frames and with sound, in containers that shift and round its times, is compared with its source,
and the source with each container. psnr compares frames by number. MPEG-TS begins at another time: the program sets
`reference-offset`. An encode without its first frames is also compared: its times identify the lost frames.
The exit status is 77 if a tool is missing.
"""

import json
import math
import os
import pathlib
import struct
import tempfile

from test_compare import analyse as analyse_file, check, choose_clips, finish, launch, read_metadata, run
from test_signalstats import CLIPS, PLANAR, plane_sizes

FRAMES = 60
RATE = "30000/1001"

# The filter that changes each clip; "null" changes nothing.
CHANGES = {
    "testsrc2": "noise=alls=9:allf=t:all_seed=31",
    "grain": "gblur=sigma=1.5",
    "noise": "noise=alls=40:allf=t:all_seed=37",
    "life": "negate",
    "gradients": "null",
    "fades": "noise=c0s=4:c0f=t:c1s=20:c1f=t:all_seed=41",
    "extremes": "hflip",
    "tape": "gblur=sigma=0.6:planes=1",
}
FORMATS = ("yuv420p", "yuv422p", "yuv444p", "yuv420p10le", "yuv422p10le", "yuv444p10le", "yuv420p12le")


def make(directory, clip):
    """Makes, in each format, an encoded file of the unchanged clip, raw frames of the changed one, and the output of psnr."""
    (width, height), graph = CLIPS[clip]
    pieces = [f"{graph},setrange=tv,format=yuv444p,crop={width}:{height}:0:0:exact=1,settb=1/30000,setpts=N*1001,"
              f"trim=end_frame={FRAMES},split[a][b]",
              "[a]split=%d%s" % (len(FORMATS), "".join(f"[a{n}]" for n in range(len(FORMATS)))),
              "[b]%s,split=%d%s" % (CHANGES[clip], len(FORMATS), "".join(f"[b{n}]" for n in range(len(FORMATS))))]
    outputs = []
    for n, name in enumerate(FORMATS):
        pieces += [f"[a{n}]format={name},split[file{n}][reference{n}]",
                   f"[b{n}]format={name},split=4[raw{n}][main{n}][later{n}][previous{n}]",
                   f"[main{n}][reference{n}]psnr,metadata=print:file={name}.reference.txt[x{n}]",
                   f"[later{n}]trim=start_frame=1,setpts=PTS-STARTPTS[shifted{n}]",
                   f"[shifted{n}][previous{n}]psnr=shortest=1,metadata=print:file={name}.previous.txt[y{n}]"]
        outputs += ["-map", f"[file{n}]", "-c:v", "ffv1", "-vsync", "passthrough", f"{name}.mkv", "-map", f"[raw{n}]",
                    "-f", "rawvideo", "-vsync", "passthrough", f"{name}.raw",
                    "-map", f"[x{n}]", "-f", "null", "-", "-map", f"[y{n}]", "-f", "null", "-"]
    run("ffmpeg", "-v", "error", "-y", "-filter_complex", ";".join(pieces), *outputs, cwd=directory)


def analyse(directory, clip):
    width, height = CLIPS[clip][0]
    backend = os.environ.get("CUDAHISTO_TEST_BACKEND")
    line = []
    for name in FORMATS:
        offsets, strides, at = [], [], 0
        for stride, rows in plane_sizes(name, width, height):
            offsets.append(str(at))
            strides.append(str(stride))
            at += stride * rows
        check((directory / f"{name}.raw").stat().st_size == FRAMES * at, clip, name, "has not", FRAMES, "frames")
        line += ["filesrc", f"location={directory / name}.raw", "!", "rawvideoparse", f"format={PLANAR[name][0]}",
                 f"width={width}", f"height={height}", f"framerate={RATE}", f"plane-strides=<{','.join(strides)}>",
                 f"plane-offsets=<{','.join(offsets)}>", f"frame-size={at}", "!", "cudahisto", "statistics=comparison",
                 f"reference-location={directory / name}.mkv", f"sidecar-location={directory / name}.jsonl",
                 "post-messages=false"]
        line += [f"backend={backend}"] if backend else []
        line += ["!", "fakesink"]
    launch("-q", *line)
    results = {}
    for name in FORMATS:
        results[name] = [json.loads(line) for line in (directory / f"{name}.jsonl").read_text().splitlines()]
        check(len(results[name]) == FRAMES, clip, name, len(results[name]), "results")
        check(all(backend in (None, result["backend"]) for result in results[name]), "another backend than", backend)
    return results


def show(value):
    """Formats a value as psnr does. None is infinite."""
    if value is None:
        return "inf"
    return f"{struct.unpack('f', struct.pack('f', value))[0]:f}"


def compare(where, theirs, ours):
    """Returns the number of compared values, and a description of each that differs. `ours`: each frame's components."""
    compared, differences = 0, []
    check(len(theirs) == len(ours), where, len(theirs), "and", len(ours), "frames")
    for index, (their, our) in enumerate(zip(theirs, ours)):
        for letter in "yuv":
            component = our[letter.upper()]
            for name in ("mse", "psnr"):
                compared += 1
                if show(component[name]) != their[f"{name}.{letter}"]:
                    differences.append(f"{where} frame {index}: {name}_{letter} {their[f'{name}.{letter}']}, ours "
                                       f"{show(component[name])}")
        # psnr's value of all components together follows from the element's sums.
        squares = sum(our[letter]["ssd"] for letter in "YUV")
        samples = sum(our[letter]["difference-count"] for letter in "YUV")
        compared += 1
        if not math.isclose(squares / samples, float(their["mse_avg"]), rel_tol=1e-6, abs_tol=1e-6):
            differences.append(f"{where} frame {index}: mse_avg {their['mse_avg']}, ours {squares / samples}")
    return compared, differences


CONTAINERS = ("mp4", "mkv", "ts", "mov")
TS_START_NS = 766733333  # ffmpeg's 700 ms, and two frames because of reordering
LOST = 3


def compare_containers(directory):
    """Compares luma of H.264 clips with sound. Returns the same as compare()."""
    sources = ("-f", "lavfi", "-i", f"testsrc2=s=160x120:d=2:r={RATE}", "-f", "lavfi", "-i", "sine=d=2")
    run("ffmpeg", "-v", "error", "-y", *sources, "-pix_fmt", "yuv420p", "-map", "0", "-c:v", "ffv1", "source.mkv", "-map", "0",
        "-map", "1", "-c:v", "libx264", "-bf", "3", "-g", "25", "-c:a", "aac", "encode.mp4", cwd=directory)
    run("ffmpeg", "-v", "error", "-y", "-i", "encode.mp4", "-i", "source.mkv", "-lavfi",
        "[0]settb=1/30,setpts=N[a];[1]settb=1/30,setpts=N[b];[a][b]psnr,metadata=print:file=encode.txt", "-f", "null", "-",
        cwd=directory)
    theirs = read_metadata(directory / "encode.txt", "lavfi.psnr.")
    compared, differences = 0, []
    run("ffmpeg", "-v", "error", "-y", "-copyts", "-i", "encode.mp4", "-vf", f"select='gte(n,{LOST})'", "-vsync", "passthrough",
        "-c:v", "libx264", "-qp", "0", "-an", "lost.mp4", cwd=directory)
    pairs = [("lost.mp4", "source.mkv", theirs[LOST:])]
    for name in CONTAINERS:
        if name != "mp4":
            run("ffmpeg", "-v", "error", "-y", "-i", "encode.mp4", "-c", "copy", f"encode.{name}", cwd=directory)
        pairs += [(f"encode.{name}", "source.mkv", theirs), ("source.mkv", f"encode.{name}", theirs)]
    for stream, reference, expected in pairs:
        offset = TS_START_NS * (stream.endswith(".ts") - reference.endswith(".ts"))
        results = analyse_file(directory, "filesrc", f"location={directory / stream}", "!", "decodebin", "!", "video/x-raw",
                               properties=(f"reference-location={directory / reference}", f"reference-offset={offset}",
                                           "statistics=0"))
        check(len(results) == len(expected), stream, len(results), "and", len(expected), "frames")
        for index, (their, result) in enumerate(zip(expected, results)):
            compared += 1
            ours = show(result["components"]["Y"].get("reference", {"mse": -1})["mse"])
            if ours != their["mse.y"]:
                differences.append(f"{stream} with {reference} frame {index}: mse_y {their['mse.y']}, ours {ours}")
    return compared, differences


def main():
    clips = choose_clips(__doc__, CHANGES, "avdec_ffv1", "avdec_h264", "matroskademux", "qtdemux", "tsdemux",
                         any_release=True)

    differences, all_values = [], 0
    row = "{:10} {:8} {:24} {:>7} {:>6} {:>7} {}"
    print(row.format("clip", "size", "changed by", "formats", "frames", "values", "differences"))
    for clip in clips:
        with tempfile.TemporaryDirectory(prefix="cudahisto-") as directory:
            directory = pathlib.Path(directory)
            make(directory, clip)
            values, found = 0, []
            for name, results in analyse(directory, clip).items():
                frames = [result["components"] for result in results]
                check("mse" not in frames[0]["Y"], clip, name, "a first frame has a previous one")
                referred = [{letter: frame[letter]["reference"] for letter in "YUV"} for frame in frames]
                for other, ours in (("reference", referred), ("previous", frames[1:])):
                    theirs = read_metadata(directory / f"{name}.{other}.txt", "lavfi.psnr.")
                    compared, more = compare(f"{clip} {name} {other}", theirs, ours)
                    values += compared
                    found += more
        print(row.format(clip, "x".join(map(str, CLIPS[clip][0])), CHANGES[clip].split("=")[0], len(FORMATS),
                         FRAMES * len(FORMATS), values, len(found) or "none"), flush=True)
        differences += found
        all_values += values
    if clips is CHANGES:
        with tempfile.TemporaryDirectory(prefix="cudahisto-") as directory:
            values, found = compare_containers(pathlib.Path(directory))
        print(row.format("containers", "160x120", "libx264", len(CONTAINERS), values, values, len(found) or "none"), flush=True)
        differences += found
        all_values += values
    print(row.format("all", "", "", "", "", all_values, len(differences) or "none"))
    finish(differences)


if __name__ == "__main__":
    main()
