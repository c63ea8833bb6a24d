#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""draw_report.py COMMAND PICTURE: makes and measures a clip, makes its report, and saves a screenshot of it for the
documentation. Fails if the picture is too large, or has hardly any colours."""

import os
import pathlib
import subprocess
import sys
import tempfile

PICTURE = pathlib.Path(sys.argv.pop(2)).resolve()
LIMIT_BYTES = 200_000

from browser import Browser  # noqa: E402, what is left in argv is the command, for lines
from lines import cudahisto, need, run  # noqa: E402

need("ffmpeg", "chromium", "chromedriver")

SIZE = "640x360"
SOURCES = (f"testsrc2=s={SIZE}:r=25:d=6", f"mandelbrot=s={SIZE}:r=25", f"smptehdbars=s={SIZE}:r=25:d=3",
           f"gradients=s={SIZE}:r=25:d=8:speed=0.05:seed=3", f"color=black:s={SIZE}:r=25:d=3",
           f"life=s={SIZE}:r=25:mold=10:ratio=0.1:seed=5:death_color=#C83232:life_color=#00ff00",
           f"cellauto=s={SIZE}:r=25:seed=7")
SCENES = ("[0]fade=t=in:d=1.5", "[1]trim=duration=8,eq=brightness='0.3*sin(t)':eval=frame,fade=t=out:st=6.5:d=1.5", "[4]null",
          "[2]null", "[3]noise=alls=24:allf=t:all_seed=1,vignette,fade=t=in:d=1", "[5]trim=duration=5,boxblur=2",
          "[6]trim=duration=4,eq=contrast=0.6")


def make_clip(path):
    inputs = [word for source in SOURCES for word in ("-f", "lavfi", "-i", source)]
    chains = [f"{scene},setpts=PTS-STARTPTS,setsar=1,format=yuv420p[s{i}]" for i, scene in enumerate(SCENES)]
    joined = "".join(f"[s{i}]" for i in range(len(SCENES))) + f"concat=n={len(SCENES)}"
    run("ffmpeg", "-v", "error", *inputs, "-filter_complex", ";".join([*chains, joined]), "-r", "25", "-c:v", "libx264",
        "-preset", "veryfast", "-crf", "18", path)


def take_picture(page, path):
    browser = Browser()
    try:
        browser.set_media(prefers_color_scheme="dark")
        browser.devtools("Emulation.setDeviceMetricsOverride", width=1400, height=1050, deviceScaleFactor=1, mobile=False)
        browser.open(page)
        browser.click(".levels .u-over", 0.2)
        browser.move(".heat .u-over", 0.56, 0.4)
        browser.run("scrollTo(0, 0)")
        browser.settle()
        browser.take_picture(path)
        assert browser.take_log() == []
    finally:
        browser.close()


with tempfile.TemporaryDirectory(prefix="cudahisto-") as scratch:
    folder = pathlib.Path(scratch)
    make_clip(folder / "film.mp4")
    cudahisto("measure", "-q", folder / "film.mp4", "-o", folder / "film.jsonl", "-s", "signalstats+gamut", "-e",
              "black+freeze+scene-change+clipped")
    cudahisto("report", folder / "film.jsonl")
    take_picture(folder / "film.html", folder / "whole.png")
    # A palette of 256 colours is enough, and takes a third of the bytes.
    run("ffmpeg", "-v", "error", "-i", folder / "whole.png", "-filter_complex",
        "split[a][b];[a]palettegen=stats_mode=full[p];[b][p]paletteuse=dither=none", "-compression_level", "100",
        folder / "small.png")
    picture = (folder / "small.png").read_bytes()
    colours = subprocess.run(["ffmpeg", "-v", "error", "-i", folder / "small.png", "-f", "rawvideo", "-pix_fmt", "rgb24", "-"],
                             capture_output=True, check=True).stdout
    assert len({colours[i:i + 3] for i in range(0, len(colours), 3)}) > 100
    assert len(picture) < LIMIT_BYTES, f"{len(picture)} bytes"
    PICTURE.write_bytes(picture)
    print(f"{os.fspath(PICTURE)}: {len(picture)} bytes")
