#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Compares the element's statistics with those of FFmpeg's signalstats, for each frame of very different clips. Prints a table.

    meson devenv -C build -w . tests/plugin/filters/test_signalstats.py [CLIP ...]

`ffmpeg` makes each clip in each format and measures it with signalstats=stat=tout+vrep+brng. The element reads the same
samples, and also as NV12, P010, YUY2 and UYVY, which FFmpeg has to convert first. Values are equal if they are printed alike
(%g). The program does not compare

- the difference of a first frame: FFmpeg prints 0, and the element has none
- hue of 12 bits, and hue and saturation of 16 bits, which FFmpeg rounds to single precision in between

The exit status is 77 if a tool is missing.
"""

import json
import os
import pathlib
import tempfile

from test_compare import check, choose_clips, finish, launch, read_metadata, run

FRAMES = 100

# Sizes and graphs, in 4:4:4. Some sizes are odd: sources that make only even sizes are cropped.
CLIPS = {
    "testsrc2": ((160, 120), "testsrc2=s=160x120"),
    "mandelbrot": ((96, 72), "mandelbrot=s=96x72:end_pts=100"),
    "grain": ((95, 71), "mandelbrot=s=96x72:end_pts=200:maxiter=500,gblur=2,noise=alls=14:allf=t+u:all_seed=3"),
    "noise": ((61, 47), "color=gray:s=62x48,noise=alls=100:allf=t:all_seed=5"),
    "life": ((97, 73), "life=s=98x74:mold=10:ratio=0.4:seed=7:death_color=#c83232:life_color=#00ff00:mold_color=#0000c8"),
    "gradients": ((80, 60), "gradients=s=80x60:n=5:speed=0.05:seed=11"),
    "cellauto": ((128, 97), "cellauto=s=128x98:rule=110:seed=13,noise=alls=3:allf=t:all_seed=1"),
    "fades": ((112, 64), "smptehdbars=s=112x64,fade=in:0:35,fade=out:65:35:color=0x204060"),
    "interlaced": ((64, 48), "testsrc2=s=64x48:r=50,noise=alls=8:allf=t:all_seed=17,tinterlace=interleave_top"),
    "letterboxed": ((64, 49), "mandelbrot=s=64x28:end_pts=80,noise=alls=6:allf=t:all_seed=19,pad=64:50:0:11"),
    "extremes": ((63, 49), "color=black:s=64x50,format=yuv444p,geq=lum='255*mod(floor(X/5)+floor(Y/3)+N,2)'"
                           ":cb='255*mod(floor(X/7)+N,2)':cr='if(lt(mod(X+N,9),3),128,255*gt(mod(Y*N,11),5))'"),
    "flat": ((64, 48), "color=0x7a3b52:s=64x48"),
    # Rows that repeat others, as a time base corrector fills them in, and dropouts.
    "tape": ((90, 66), "testsrc2=s=90x66,noise=alls=10:allf=t:all_seed=23,format=yuv444p,"
                       "geq=lum='if(eq(mod(Y+N,16),5),p(X,Y-4),if(lt(random(1),0.01),250,p(X,Y)))':cb='p(X,Y)':cr='p(X,Y)'"),
}

# FFmpeg's and GStreamer's names of a format; the columns and rows that share a chroma sample; the bytes of a sample.
PLANAR = {
    "yuv420p": ("i420", 2, 2, 1), "yuv422p": ("y42b", 2, 1, 1), "yuv444p": ("y444", 1, 1, 1),
    "yuv420p10le": ("i420-10le", 2, 2, 2), "yuv422p10le": ("i422-10le", 2, 1, 2), "yuv444p10le": ("y444-10le", 1, 1, 2),
    "yuv420p12le": ("i420-12le", 2, 2, 2), "yuv444p16le": ("y444-16le", 1, 1, 2),
}
# FFmpeg's and GStreamer's names of a format, and the planar format that has the same samples.
PACKED = {"nv12": ("nv12", "yuv420p"), "p010le": ("p010-10le", "yuv420p10le"), "yuyv422": ("yuy2", "yuv422p"),
          "uyvy422": ("uyvy", "yuv422p")}

# A gain that is no power of two, so that all bits of deep samples vary.
DEEPEN = "format=yuv444p16le,lutyuv=y=val*0.93+5:u=val*0.97+3:v=val*0.91+9,"


def component_names(letter):
    path = ("components", letter)
    return {f"{letter}MIN": (*path, "min"), f"{letter}LOW": (*path, "low"), f"{letter}AVG": (*path, "mean"),
            f"{letter}HIGH": (*path, "high"), f"{letter}MAX": (*path, "max"), f"{letter}DIF": (*path, "difference"),
            f"{letter}BITDEPTH": (*path, "used-bits")}


# signalstats' name of a value, and its place in a line of the sidecar.
NAMES = {
    **component_names("Y"), **component_names("U"), **component_names("V"),
    "SATMIN": ("saturation", "min"), "SATLOW": ("saturation", "low"), "SATAVG": ("saturation", "mean"),
    "SATHIGH": ("saturation", "high"), "SATMAX": ("saturation", "max"),
    "HUEMED": ("hue", "median"), "HUEAVG": ("hue", "mean"),
    "TOUT": ("outliers",), "VREP": ("repeats",), "BRNG": ("out-of-range",),
}


# Values that FFmpeg rounds to single precision, which are not compared.
ROUNDED = {"yuv420p12le": ("HUE",), "yuv444p16le": ("HUE", "SAT")}


def plane_sizes(pixel_format, width, height):
    """Returns the bytes of a row and the number of rows of each plane, without padding."""
    if pixel_format in ("yuyv422", "uyvy422"):
        return [(-(-width // 2) * 4, height)]
    if pixel_format in ("nv12", "p010le"):
        size = 2 if pixel_format == "p010le" else 1
        return [(width * size, height), (-(-width // 2) * 2 * size, -(-height // 2))]
    _, columns, rows, size = PLANAR[pixel_format]
    chroma = (-(-width // columns) * size, -(-height // rows))
    return [(width * size, height), chroma, chroma]


def source(path, pixel_format, width, height):
    offsets, strides, at = [], [], 0
    for stride, rows in plane_sizes(pixel_format, width, height):
        offsets.append(str(at))
        strides.append(str(stride))
        at += stride * rows
    check(path.stat().st_size == FRAMES * at, path.name, "has", path.stat().st_size, "bytes")
    name = (PLANAR | PACKED)[pixel_format][0]
    return ("filesrc", f"location={path}", "!", "rawvideoparse", f"format={name}", f"width={width}", f"height={height}",
            "framerate=25/1", f"plane-strides=<{','.join(strides)}>", f"plane-offsets=<{','.join(offsets)}>",
            f"frame-size={at}")


def interleave(even, odd, size):
    """Returns the samples, of `size` bytes, of both by turns."""
    both = bytearray(2 * len(even))
    for byte in range(size):
        both[byte::2 * size] = even[byte::size]
        both[size + byte::2 * size] = odd[byte::size]
    return both


def pack(pixel_format, planar, width, height):
    """Returns frames of 4:2:0 or 4:2:2 with their samples in packed order. FFmpeg itself would omit columns of odd widths."""
    (luma_row, _), (chroma_row, chroma_rows), _ = plane_sizes(PACKED[pixel_format][1], width, height)
    luma_bytes, chroma_bytes = luma_row * height, chroma_row * chroma_rows
    packed = bytearray()
    for at in range(0, len(planar), luma_bytes + 2 * chroma_bytes):
        luma = planar[at:at + luma_bytes]
        blue = planar[at + luma_bytes:at + luma_bytes + chroma_bytes]
        red = planar[at + luma_bytes + chroma_bytes:at + luma_bytes + 2 * chroma_bytes]
        if pixel_format == "nv12":
            packed += luma + interleave(blue, red, 1)
        elif pixel_format == "p010le":
            frame = luma + interleave(blue, red, 2)
            # Shifts all samples at once: the bits that leave one are 0.
            packed += (int.from_bytes(frame, "little") << 6).to_bytes(len(frame), "little")
        else:
            padding = bytes(width % 2)
            rows = b"".join(luma[y:y + width] + padding for y in range(0, luma_bytes, width))
            chroma = interleave(blue, red, 1)
            packed += interleave(rows, chroma, 1) if pixel_format == "yuyv422" else interleave(chroma, rows, 1)
    return packed


def make(directory, clip):
    """Makes files of raw frames of the clip in each format, and the output of signalstats for the planar ones."""
    (width, height), graph = CLIPS[clip]
    pieces = [f"{graph},setrange=tv,format=yuv444p,crop={width}:{height}:0:0:exact=1,split={len(PLANAR)}"
              + "".join(f"[in{n}]" for n in range(len(PLANAR)))]
    outputs = []
    for n, pixel_format in enumerate(PLANAR):
        pieces.append(f"[in{n}]{DEEPEN if pixel_format.endswith('le') else ''}format={pixel_format},split[raw{n}][stats{n}]")
        pieces.append(f"[stats{n}]signalstats=stat=tout+vrep+brng,metadata=print:file={pixel_format}.txt[out{n}]")
        outputs += ["-map", f"[raw{n}]", "-frames:v", str(FRAMES), "-f", "rawvideo", f"{pixel_format}.raw",
                    "-map", f"[out{n}]", "-frames:v", str(FRAMES), "-f", "null", "-"]
    run("ffmpeg", "-v", "error", "-y", "-filter_complex", ";".join(pieces), *outputs, cwd=directory)
    for name, (_, planar) in PACKED.items():
        (directory / f"{name}.raw").write_bytes(pack(name, (directory / f"{planar}.raw").read_bytes(), width, height))


def analyse(directory, clip):
    """Returns the lines of the sidecar of each format."""
    width, height = CLIPS[clip][0]
    backend = os.environ.get("CUDAHISTO_TEST_BACKEND")
    line = []
    for pixel_format in PLANAR | PACKED:
        line += [*source(directory / f"{pixel_format}.raw", pixel_format, width, height), "!", "cudahisto",
                 "statistics=signalstats", f"sidecar-location={directory / pixel_format}.jsonl", "sidecar-arrays=none",
                 "post-messages=false"]
        line += [f"backend={backend}"] if backend else []
        line += ["!", "fakesink"]
    launch("-q", *line)
    results = {}
    for pixel_format in PLANAR | PACKED:
        text = (directory / f"{pixel_format}.jsonl").read_text()
        results[pixel_format] = [json.loads(line) for line in text.splitlines()]
        check(all(backend in (None, result["backend"]) for result in results[pixel_format]), "another backend than", backend,
              "counted")
    return results


def find(result, path):
    for name in path:
        result = result.get(name)
        if result is None:
            return None
    return f"{result:g}" if isinstance(result, float) else str(result)


def compare(clip, pixel_format, theirs, ours):
    """Returns the number of compared values, and a description of each that differs."""
    compared, differences = 0, []
    check(len(theirs) == len(ours) == FRAMES, clip, pixel_format, len(theirs), "and", len(ours), "frames")
    for index, (their, our) in enumerate(zip(theirs, ours)):
        check(set(their) == set(NAMES), clip, pixel_format, "FFmpeg prints other values:", set(their) ^ set(NAMES))
        for name, path in NAMES.items():
            value = find(our, path)
            if index == 0 and name.endswith("DIF"):
                check(value is None and their[name] == "0", clip, pixel_format, "a first frame has", name, value)
                continue
            if name.startswith(ROUNDED.get(pixel_format, ())):
                continue
            compared += 1
            if value != their[name]:
                differences.append(f"{clip} {pixel_format} frame {index}: {name} {their[name]}, ours {value}")
    return compared, differences


def main():
    clips = choose_clips(__doc__, CLIPS)

    differences, all_frames, all_values = [], 0, 0
    row = "{:12} {:8} {:>7} {:>6} {:>8} {}"
    print(row.format("clip", "size", "formats", "frames", "values", "differences"))
    for clip in clips:
        with tempfile.TemporaryDirectory(prefix="cudahisto-") as directory:
            directory = pathlib.Path(directory)
            make(directory, clip)
            ours = analyse(directory, clip)
            frames, values, found = 0, 0, []
            for pixel_format in PLANAR | PACKED:
                planar = PACKED[pixel_format][1] if pixel_format in PACKED else pixel_format
                theirs = read_metadata(directory / f"{planar}.txt", "lavfi.signalstats.")[:FRAMES]
                compared, more = compare(clip, pixel_format, theirs, ours[pixel_format])
                frames += FRAMES
                values += compared
                found += more
        print(row.format(clip, "x".join(map(str, CLIPS[clip][0])), len(PLANAR | PACKED), frames, values, len(found) or "none"),
              flush=True)
        differences += found
        all_frames += frames
        all_values += values
    print(row.format("all", "", "", all_frames, all_values, len(differences) or "none"))
    finish(differences)


if __name__ == "__main__":
    main()
