#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Compares the element with FFmpeg if stream and reference have different ranges, limited and full or the reverse, in planar
and other formats of 8 and 10 bits.

    meson devenv -C build -w . tests/plugin/filters/test_ranges.py

Two streams are compared with the reference: the same picture, which FFmpeg has converted to the other range, and a blurred one.

- The first may differ only where swscale rounds otherwise: its coefficients have 14 bits, and no sample differs by more than
  one step.
- This limits the difference of the blurred picture's MSE from psnr's. If the share p of the samples is one step off, it is at
  most 2 sqrt (p mse) + p, by the Cauchy-Schwarz inequality.
- swscale has no limited range of RGB and grey. In FFmpeg 5.1 it takes 1020, four times 255, as white of 10 bits in full range.
  For these formats lutrgb and lutyuv convert by the definition, and nothing may differ.

A reference whose depth changes in mid-stream, in either direction, equals the stream exactly.
The exit status is 77 if a tool is missing.
"""

import argparse
import json
import math
import pathlib
import tempfile

from test_compare import begin, check, launch, need_programs, read_metadata, run

FRAMES, WIDTH, HEIGHT = 5, 176, 144
SOURCE = f"testsrc2=size={WIDTH}x{HEIGHT}:rate=25,noise=alls=60:allf=t:all_seed=5"
CHANGE = "gblur=sigma=1"
RANGES = {"tv": ("limited", 2), "pc": ("full", 1)}
SHARE = 0.05  # share of the samples that swscale may round otherwise

# Conversion between ranges: by swscale, or with a table that lutrgb or lutyuv computes by the definition.
SCALE = "scale=in_range={was}:out_range={becomes}:flags=accurate_rnd+full_chroma_int"


def make_table(was, depth, steps, zero, full_zero):
    """Returns the formula of a table. `steps`, `zero` and `full_zero` are in levels of 8 bits."""
    unit, largest = 2 ** (depth - 8), 2 ** depth - 1
    from_limited = f"(val-{zero * unit})*{largest}/{steps * unit}+{full_zero * unit}"
    from_full = f"(val-{full_zero * unit})*{steps * unit}/{largest}+{zero * unit}"
    return f"'clip(floor({from_limited if was == 'tv' else from_full}+0.5),0,{largest})'"


def make_conversion(name, was, becomes):
    if name == "rgb24":
        return "lutrgb=" + ":".join(f"{c}={make_table(was, 8, 219, 16, 0)}" for c in "rgb")
    if name in ("gray", "yuv422p10le"):
        depth = 8 if name == "gray" else 10
        return "lutyuv=y=" + make_table(was, depth, 219, 16, 0) + "".join(f":{c}={make_table(was, depth, 224, 128, 128)}"
                                                                          for c in "uv")
    return SCALE.format(was=was, becomes=becomes)


# FFmpeg's and GStreamer's names of the stream's format, and FFmpeg's of the converted format and of the reference's file
FORMATS = (("yuv420p", "i420", "yuv420p", "yuv420p"), ("nv12", "nv12", "yuv420p", "yuv420p"),
           ("yuv422p10le", "i422-10le", "yuv422p10le", "yuv422p10le"), ("gray", "gray8", "gray", "gray"),
           ("rgb24", "rgb", "rgb24", "bgr0"))


def make(directory, name, planes, stored, was, becomes):
    """Makes reference.mkv in range `was`, clean.raw and blurred.raw in range `becomes`, and psnr's output for the latter."""
    convert = f"{make_conversion(name, was, becomes)},format={planes}"
    lay = "" if name == planes else f"scale=in_range={becomes}:out_range={becomes},"  # only reorders samples
    graph = (f"{SOURCE},format={planes},setrange={was},trim=end_frame={FRAMES},split=3[file][clean][x];"
             f"[clean]{convert},{lay}format={name}[clean_out];"
             f"[x]{convert},split=2[sharp][quiet];"
             f"[sharp]{CHANGE},split=2[blurred][y];[blurred]{lay}format={name}[blurred_out];"
             "[y][quiet]psnr,metadata=print:file=psnr.txt[null]")
    colours = [] if name == "rgb24" else ["-color_range", was] + (["-colorspace", "bt709"] if name != "gray" else [])
    run("ffmpeg", "-v", "error", "-y", "-filter_complex", graph, "-map", "[file]", "-c:v", "ffv1", "-pix_fmt", stored, *colours,
        "reference.mkv", "-map", "[clean_out]", "-f", "rawvideo", "clean.raw", "-map", "[blurred_out]", "-f", "rawvideo",
        "blurred.raw", "-map", "[null]", "-f", "null", "-", cwd=directory)


def analyse(directory, name, raw_format, colorimetry, reference):
    launch("-q", "filesrc", f"location={directory / name}.raw", "!", "rawvideoparse", f"format={raw_format}",
           f"width={WIDTH}", f"height={HEIGHT}", "framerate=25/1", f"colorimetry={colorimetry}", "!", "cudahisto",
           f"reference-location={reference}", f"sidecar-location={directory / name}.jsonl", "post-messages=false", "!",
           "fakesink")
    results = [json.loads(line) for line in (directory / f"{name}.jsonl").read_text().splitlines()]
    check(len(results) == FRAMES, name, len(results), "results")
    return results


def label(directory, number):
    """Returns the same reference, labelled with range `number`: FFmpeg labels all RGB as full range."""
    launch("-q", "filesrc", f"location={directory / 'reference.mkv'}", "!", "matroskademux", "!", "avdec_ffv1", "!",
           "videoconvert", "!", "video/x-raw,format=RGB", "!", "capssetter",
           f"caps=video/x-raw,colorimetry=(string){number}:1:5:1", "!", "matroskamux", "!", "filesink",
           f"location={directory / 'labelled.mkv'}")
    return directory / "labelled.mkv"


def compare(directory, name, raw_format, planes, stored, was, becomes):
    """Returns the number of compared planes, the largest share of samples that FFmpeg rounds otherwise, and the largest
    difference of an MSE from psnr's."""
    make(directory, name, planes, stored, was, becomes)
    theirs = read_metadata(directory / "psnr.txt", "lavfi.psnr.mse.")
    is_rgb, is_grey = name == "rgb24", name == "gray"
    is_exact = make_conversion(name, was, becomes).startswith("lut")
    reference = label(directory, RANGES[was][1]) if is_rgb else directory / "reference.mkv"
    colorimetry = f"{RANGES[becomes][1]}:{1 if is_rgb else 4 if is_grey else 3}:5:1"
    clean, blurred = (analyse(directory, raw, raw_format, colorimetry, reference) for raw in ("clean", "blurred"))
    compared, most, farthest = 0, 0.0, 0.0
    for index, (result, blur, their) in enumerate(zip(clean, blurred, theirs, strict=True)):
        where = f"{name}, {was} for {becomes}, frame {index}:"
        check(result["range"] == RANGES[becomes][0], where, "of range", result["range"])
        for letter, component in result["components"].items():
            ours = component["reference"]
            share = ours["ssd"] / ours["difference-count"]
            check(ours["ssd"] == ours["sad"], where, letter, "is more than one step away:", ours["ssd"], ours["sad"])
            check(share <= (0 if is_exact else SHARE), where, letter, "differs in", ours["ssd"], "of", ours["difference-count"])
            expected = float(their["y" if is_grey else letter.lower()])
            mse = blur["components"][letter]["reference"]["mse"]
            slack = 2 * math.sqrt(share * mse) + share + 1e-6 * mse  # psnr prints single precision
            check(mse > 1 and abs(mse - expected) <= slack, where, letter, "mse", mse, "psnr's", expected, "at most", slack)
            compared += 1
            most, farthest = max(most, share), max(farthest, abs(mse - expected))
    return compared, most, farthest


def check_changing_depth(directory):
    """The same clip in 8 and in 10 bits, a second each. FFmpeg appends two zero bits, as is right in limited range."""
    seconds = {}
    for depth, pixels in ((8, "yuv420p"), (10, "yuv420p10le")):
        for second in (0, 1):
            seconds[depth, second] = directory / f"{depth}-{second}.ts"
            run("ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", f"{SOURCE},format=yuv420p,format={pixels}", "-t", "1",
                "-c:v", "libx264", "-qp", "0", "-bf", "0", "-output_ts_offset", str(second), seconds[depth, second])
    films = {}
    for depths in ((8, 10), (10, 8), (10, 10)):
        films[depths] = directory / f"{depths[0]}-{depths[1]}.ts"
        films[depths].write_bytes(b"".join(seconds[depth, second].read_bytes() for second, depth in enumerate(depths)))
    for depths in ((8, 10), (10, 8)):
        sidecar = directory / "depths.jsonl"
        launch("-q", "filesrc", f"location={films[10, 10]}", "!", "tsdemux", "!", "h264parse", "!", "avdec_h264", "!",
               "cudahisto", f"reference-location={films[depths]}", f"sidecar-location={sidecar}", "post-messages=false", "!",
               "fakesink")
        results = [json.loads(line) for line in sidecar.read_text().splitlines()]
        check(len(results) == 50, "a reference of", depths, "bits:", len(results), "results")
        for result in results:
            for letter, component in result["components"].items():
                check(component["reference"]["ssd"] == 0, "a reference of", depths, "bits: frame", result["frame"], letter,
                      "differs:", component["reference"]["ssd"])
        print(f"a reference of {depths[0]} bits, and then of {depths[1]}: {len(results)} frames of 10 bits are equal")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    begin(parser, "rawvideoparse", "avdec_ffv1", "matroskademux", "matroskamux", "capssetter", "videoconvert", "tsdemux",
          "h264parse", "avdec_h264")
    need_programs("ffmpeg")
    row = "{:12} {:8} {:8} {:>8} {:>24} {:>16}"
    print(row.format("format", "was", "becomes", "planes", "rounded otherwise, most", "mse, farthest"))
    with tempfile.TemporaryDirectory(prefix="cudahisto-") as directory:
        directory = pathlib.Path(directory)
        for name, *formats in FORMATS:
            for was, becomes in (("tv", "pc"), ("pc", "tv")):
                compared, most, farthest = compare(directory, name, *formats, was, becomes)
                print(row.format(name, RANGES[was][0], RANGES[becomes][0], compared, f"{most:.4%}", f"{farthest:.6f}"),
                      flush=True)
        check_changing_depth(directory)


if __name__ == "__main__":
    main()
