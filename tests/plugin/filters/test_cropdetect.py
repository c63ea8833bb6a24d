#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Compares the element's active picture with the rectangle of FFmpeg's cropdetect, for each frame and for whole clips. Prints a
table.

    meson devenv -C build -w . tests/plugin/filters/test_cropdetect.py [CLIP ...]

`ffmpeg` makes each clip in each format and detects its black bars: cropdetect=skip=0:reset=1 for each frame, and reset=0 for
all frames together. The element reads the same samples. The program compares x1, x2, y1 and y2, which cropdetect does not
round.
For a black frame, cropdetect prints its initial values, whose first row is after the last. The element's rectangle is empty.
The exit status is 77 if a tool is missing.
"""

import pathlib
import tempfile

from test_compare import analyse, check, choose_clips, finish, read_metadata, run

FRAMES = 30
WIDTH, HEIGHT = 160, 120

CLIPS = {
    "letterbox": "testsrc2=s=160x90,pad=160:120:0:15",
    "pillarbox": "mandelbrot=s=120x120:end_pts=60,pad=160:120:21:0",
    "both": "smptehdbars=s=110x70,noise=alls=20:allf=t:all_seed=3,pad=160:120:31:18",
    "none": "testsrc2=s=160x120",
    "noisy-bars": "testsrc2=s=160x90,pad=160:120:0:15,noise=alls=12:allf=t:all_seed=5",
    "dark": "color=0x101010:s=160x120,noise=alls=6:allf=t:all_seed=7",
    "fade": "testsrc2=s=128x72,fade=in:0:25,pad=160:120:10:20",
    "growing": "color=black:s=160x120,format=yuv444p,"
               "geq=lum='if(lt(abs(X-80),4+2*N)*lt(abs(Y-50),2+N),200,16)':cb=128:cr=128",
    "grey-bars": "mandelbrot=s=160x80:end_pts=60,pad=160:120:0:20:color=0x181818",
}

# FFmpeg's and GStreamer's names of the formats.
FORMATS = {"yuv420p": "i420", "nv12": "nv12", "yuv422p": "y42b", "gray": "gray8", "yuv444p10le": "y444-10le", "rgb24": "rgb",
           "bgra": "bgra"}


def find_theirs(directory, raw, pixel_format, reset):
    printed = directory / "cropdetect.txt"
    # The element derives luma of R, G and B in their range.
    luma = "scale=in_range=full:out_range=full:out_color_matrix=bt709:flags=accurate_rnd+full_chroma_int,format=yuvj444p,"
    luma = luma if pixel_format in ("rgb24", "bgra") else ""
    run("ffmpeg", "-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", pixel_format, "-s", f"{WIDTH}x{HEIGHT}", "-r", "25", "-i",
        raw, "-vf", f"{luma}cropdetect=skip=0:round=2:reset={reset},metadata=print:file={printed.name}", "-f", "null", "-",
        cwd=directory)
    rectangles = []
    for frame in read_metadata(printed, "lavfi.cropdetect."):
        x, y, x2, y2 = (int(float(frame[name])) for name in ("x1", "y1", "x2", "y2"))
        width, height = x2 - x + 1, y2 - y + 1
        rectangles.append((x, y, width, height) if width > 0 and height > 0 else (0, 0, 0, 0))
    return rectangles


def find_ours(directory, raw, pixel_format, *properties):
    results = analyse(directory, "filesrc", f"location={raw}", "!", "rawvideoparse", f"format={FORMATS[pixel_format]}",
                      f"width={WIDTH}", f"height={HEIGHT}", "framerate=25/1",
                      properties=("statistics=active-picture", "post-messages=false", *properties))
    return [tuple(result["active-picture"][name] for name in ("x", "y", "width", "height")) for result in results]


def main():
    clips = choose_clips(__doc__, CLIPS)

    differences, all_values = [], 0
    row = "{:12} {:>7} {:>6} {:>10} {:22} {}"
    print(row.format("clip", "formats", "frames", "rectangles", "of all frames", "differences"))
    for clip in clips:
        found, compared = [], 0
        with tempfile.TemporaryDirectory(prefix="cudahisto-") as directory:
            directory = pathlib.Path(directory)
            for pixel_format in FORMATS:
                raw = directory / "clip.raw"
                run("ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", CLIPS[clip], "-frames:v", str(FRAMES), "-pix_fmt",
                    pixel_format, "-f", "rawvideo", raw)
                theirs = find_theirs(directory, raw, pixel_format, 1)
                ours = find_ours(directory, raw, pixel_format)
                check(len(theirs) == len(ours) == FRAMES, clip, pixel_format, len(theirs), "and", len(ours), "frames")
                theirs.append(find_theirs(directory, raw, pixel_format, 0)[-1])
                ours += find_ours(directory, raw, pixel_format, "window=stream")
                compared += len(ours)
                for index, (their, our) in enumerate(zip(theirs, ours, strict=True)):
                    if their != our:
                        found.append(f"{clip} {pixel_format} frame {index}: {their}, ours {our}")
        print(row.format(clip, len(FORMATS), FRAMES, compared, str(ours[-1]), len(found) or "none"), flush=True)
        differences += found
        all_values += compared
    print(row.format("all", "", "", all_values, "", len(differences) or "none"))
    finish(differences)


if __name__ == "__main__":
    main()
