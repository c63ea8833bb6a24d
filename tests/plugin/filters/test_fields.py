#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Compares fields=apart with FFmpeg's separatefields, for each field of interlaced films. Prints a table.

    meson devenv -C build -w . tests/plugin/filters/test_fields.py [CLIP ...]

`ffmpeg` makes each film, decodes it, and measures its fields with separatefields,signalstats=stat=tout+vrep+brng. decodebin
decodes the same film for the element. Values are equal if they are printed alike (%g). The PSNR between the fields of a frame
is compared with that of psnr, to all printed digits.
The program does not compare the difference of a first field: FFmpeg prints 0, and the element has none.

The exit status is 77 if a tool is missing.
"""

import json
import os
import pathlib
import re
import tempfile

from test_compare import check, choose_clips, finish, launch, read_metadata, run
from test_signalstats import NAMES, find

FRAMES = 50

MOVING = "testsrc2=s={size}:r=50,noise=alls=8:allf=t:all_seed=17,tinterlace=interleave_{first}"
INTERLACED = ("-flags", "+ildct+ilme")

# Size, first field, pixel format, encoder's options and suffix.
CLIPS = {
    "h264-tff": ("176x144", "top", "yuv420p", ("-c:v", "libx264", *INTERLACED, "-top", "1"), "mp4"),
    "h264-bff": ("96x64", "bottom", "yuv420p", ("-c:v", "libx264", *INTERLACED, "-top", "0"), "mkv"),
    "h264-422-10": ("160x96", "top", "yuv422p10le", ("-c:v", "libx264", *INTERLACED, "-top", "1"), "mov"),
    "mpeg2-mxf": ("720x576", "top", "yuv422p", ("-c:v", "mpeg2video", "-q:v", "4", *INTERLACED, "-top", "1"), "mxf"),
    "mpeg2-ps": ("352x288", "bottom", "yuv420p", ("-c:v", "mpeg2video", "-q:v", "4", *INTERLACED, "-top", "0"), "mpg"),
    "mpeg2-ts": ("352x288", "top", "yuv420p", ("-c:v", "mpeg2video", "-q:v", "4", *INTERLACED, "-top", "1"), "ts"),
}

STATISTICS = "separatefields,signalstats=stat=tout+vrep+brng,metadata=print:file=fields.txt"


def make(directory, clip):
    """Makes the film, the numbers of its fields, and the PSNR between the fields of each frame. Returns the film."""
    size, first, pixel_format, encoder, suffix = CLIPS[clip]
    film = directory / f"film.{suffix}"
    run("ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", MOVING.format(size=size, first=first), "-frames:v", str(FRAMES),
        "-pix_fmt", pixel_format, *encoder, film, cwd=directory)
    graph = (f"[0:v]split=3[a][b][c];[a]{STATISTICS}[out];[b]field=top[top];[c]field=bottom[bottom];"
             "[top][bottom]psnr=psnr.txt[x]")
    run("ffmpeg", "-v", "error", "-y", "-i", film, "-filter_complex", graph, "-map", "[out]", "-f", "null", "-", "-map", "[x]",
        "-f", "null", "-", cwd=directory)
    return film


def measure(directory, film):
    """Returns the lines of the sidecar."""
    backend = os.environ.get("CUDAHISTO_TEST_BACKEND")
    sidecar = directory / "fields.jsonl"
    launch("-q", "filesrc", f"location={film}", "!", "decodebin", "!", "cudahisto", "fields=apart",
           "statistics=signalstats+comparison", f"sidecar-location={sidecar}", "sidecar-arrays=none", "post-messages=false",
           *([f"backend={backend}"] if backend else []), "!", "fakesink")
    results = [json.loads(line) for line in sidecar.read_text().splitlines()]
    check(all(backend in (None, result["backend"]) for result in results), "another backend than", backend, "counted")
    return results


def compare(clip, theirs, psnr, ours):
    """Returns the number of compared values, and a description of each that differs."""
    _, first, _, _, _ = CLIPS[clip]
    compared, differences = 0, []
    check(len(theirs) == len(ours) == 2 * len(psnr) == 2 * FRAMES, clip, len(theirs), "and", len(ours), "fields")
    for index, (their, our) in enumerate(zip(theirs, ours)):
        expected = first if index % 2 == 0 else {"top": "bottom", "bottom": "top"}[first]
        check(our["field"] == expected and our["frame"] == index, clip, "field", index, "is", our["field"])
        for name, path in NAMES.items():
            if index == 0 and name.endswith("DIF"):
                continue
            compared += 1
            if find(our, path) != their[name]:
                differences.append(f"{clip} field {index}: {name} {their[name]}, ours {find(our, path)}")
        if index % 2 == 0:
            continue
        for name, letter in (("psnr_y", "Y"), ("psnr_u", "U"), ("psnr_v", "V")):
            value = our["components"][letter]["psnr"]
            compared += 1
            if f"{value if value is not None else float('inf'):.2f}" != psnr[index // 2][name]:
                differences.append(f"{clip} field {index}: {name} {psnr[index // 2][name]}, ours {value}")
    return compared, differences


def main():
    clips = choose_clips(__doc__, CLIPS, "decodebin", "h264parse", "qtdemux", "matroskademux", "mxfdemux", "mpegpsdemux",
                         "tsdemux", "avdec_h264", "avdec_mpeg2video")
    os.environ["GST_PLUGIN_FEATURE_RANK"] = "avdec_h264:MAX,avdec_mpeg2video:MAX"  # FFmpeg's decoders

    differences, values = [], 0
    row = "{:12} {:8} {:12} {:>6} {:>8} {}"
    print(row.format("clip", "size", "format", "fields", "values", "differences"))
    for clip in clips:
        with tempfile.TemporaryDirectory(prefix="cudahisto-") as directory:
            directory = pathlib.Path(directory)
            film = make(directory, clip)
            psnr = [dict(re.findall(r"(\w+):(\S+)", line)) for line in (directory / "psnr.txt").read_text().splitlines()]
            theirs = read_metadata(directory / "fields.txt", "lavfi.signalstats.")
            compared, found = compare(clip, theirs, psnr, measure(directory, film))
        print(row.format(clip, CLIPS[clip][0], CLIPS[clip][2], 2 * FRAMES, compared, len(found) or "none"), flush=True)
        values += compared
        differences += found
    print(row.format("all", "", "", "", values, len(differences) or "none"))
    finish(differences)


if __name__ == "__main__":
    main()
