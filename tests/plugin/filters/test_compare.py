#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Compares the element's numbers with those of other tools.

    test_compare.py {bytes,videoanalyse,decoded} [--sanitized]

Runs gst-launch-1.0 with a sidecar, and the other tool on the same data. Exit status 77 where a tool is missing.
test_signalstats.py compares with FFmpeg's signalstats.
"""

import argparse
import json
import operator
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

SKIP = 77
TIMEOUT_S = 100


def skip(reason):
    print("skipped:", reason)
    sys.exit(SKIP)


def need_programs(*names):
    for name in names:
        if shutil.which(name) is None:
            skip(f"no program {name}")


def need_elements(*names):
    for name in names:
        if subprocess.run(["gst-inspect-1.0", "--exists", name], check=False).returncode != 0:
            skip(f"no element {name}")


def need_backend():
    if os.environ.get("CUDAHISTO_TEST_BACKEND") != "cuda":
        return
    line = ["gst-launch-1.0", "-q", "fakesrc", "num-buffers=1", "!", "cudahisto", "backend=cuda", "!", "fakesink"]
    probe = subprocess.run(line, stderr=subprocess.PIPE, timeout=TIMEOUT_S, check=False)
    if probe.returncode != 0:
        skip("backend=cuda does not start:\n" + probe.stderr.decode(errors="replace"))


def run(*command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=TIMEOUT_S, check=False, **options)
    if done.returncode != 0:
        words = done.stderr.decode(errors="replace")[-3000:]
        sys.exit(f"{' '.join(map(str, command))}\nended with {done.returncode}:\n{words}")
    return done.stdout


def launch(*line):
    return run("gst-launch-1.0", *map(str, line)).decode()


def analyse(directory, *source, properties=()):
    """Returns the sidecar's lines for `source`, the beginning of a pipeline."""
    sidecar = directory / "sidecar.jsonl"
    backend = os.environ.get("CUDAHISTO_TEST_BACKEND")
    if backend:
        properties = (f"backend={backend}", *properties)
    launch("-q", *source, "!", "cudahisto", f"sidecar-location={sidecar}", *properties, "!", "fakesink")
    results = [json.loads(line) for line in sidecar.read_text().splitlines()]
    if backend and any(result["backend"] != backend for result in results):
        sys.exit(f"another backend than {backend} counted")
    return results


def check(condition, *words):
    if not condition:
        sys.exit(" ".join(map(str, words)))


def read_metadata(path, prefix):
    """Returns the values that FFmpeg's filter metadata has printed for each frame, by their names after `prefix`."""
    frames = []
    for line in path.read_text().splitlines():
        if line.startswith("frame:"):
            frames.append({})
        elif line.startswith(prefix):
            name, value = line[len(prefix):].split("=")
            frames[-1][name] = value
    return frames


def finish(differences):
    """Prints the first descriptions of differences, and ends the program."""
    for words in differences[:20]:
        print(words)
    sys.exit(1 if differences else 0)


def count(data):
    return [data.count(value) for value in range(256)]


def check_component(component, data, where, previous=None):
    """Checks the numbers that a few lines of Python can compute."""
    check(component["histogram"] == count(data), where, "histogram differs")
    check(component["count"] == len(data), where, "count differs")
    check(component["sum"] == sum(data), where, "sum differs")
    check(component["sum-of-squares"] == sum(map(operator.mul, data, data)), where, "sum-of-squares differs")
    check(component["mean"] == sum(data) / len(data), where, "mean differs")
    check((component["min"], component["max"]) == (min(data), max(data)), where, "min or max differs")
    ordered = sorted(data)
    for name, share in (("low", 0.1), ("median", 0.5), ("high", 0.9)):
        # Python rounds halves to even, as lrint does.
        check(component[name] == ordered[max(1, round(len(data) * share)) - 1], where, name, "differs")
    if previous is not None:
        check(component["dot"] == sum(map(operator.mul, data, previous)), where, "dot differs")


# ---- bytes ------------------------------------------------------------------------------------------------------------


def compare_bytes(directory):
    """Files of several kinds: Python counts all of them, and coreutils one."""
    need_programs("od", "sort", "uniq", "wc", "sha1sum")
    seed = int(os.environ.get("CUDAHISTO_TEST_SEED", random.SystemRandom().randrange(1 << 30)))
    print(f"CUDAHISTO_TEST_SEED={seed}")
    source = random.Random(seed)
    files = {
        "random": source.randbytes(1000003),
        "text": pathlib.Path(__file__).read_bytes(),
        "constant": bytes(300000),
        "every-value": bytes(range(256)),
        "one": b"\xff",
        "program": pathlib.Path(sys.executable).read_bytes()[:2000000],
    }
    for name, data in files.items():
        path = directory / name
        path.write_bytes(data)
        before = run("sha1sum", path)
        results = analyse(directory, "filesrc", f"location={path}")
        check(len(results) == 1, name, "has", len(results), "results")
        check(results[0]["size"] == int(run("wc", "-c", path).split()[0]), name, "size differs from wc's")
        check_component(results[0]["components"]["byte"], data, name)
        check(run("sha1sum", path) == before, name, "has changed")

    # The textbook's histogram of bytes, for a file that is small enough.
    path = directory / "text"
    lines = run("sh", "-c", 'od -An -v -tu1 -w1 "$1" | sort -n | uniq -c', "sh", path).decode().split("\n")
    histogram = [0] * 256
    for line in filter(None, lines):
        occurrences, value = line.split()
        histogram[int(value)] = int(occurrences)
    result = analyse(directory, "filesrc", f"location={path}", "blocksize=777")[0]
    check(result["components"]["byte"]["histogram"] == histogram, "histogram differs from that of od, sort and uniq")

    # The element does not change the bytes.
    backend = os.environ.get("CUDAHISTO_TEST_BACKEND") or "auto"
    copy = directory / "copy"
    launch("-q", "filesrc", f"location={directory / 'random'}", "!", "cudahisto", f"backend={backend}", "add-meta=true",
           "window=bytes", "window-size=10000", "!", "filesink", f"location={copy}")
    check(copy.read_bytes() == files["random"], "the bytes have changed on their way through")


# ---- video ------------------------------------------------------------------------------------------------------------

CLIPS = {
    "testsrc2": "testsrc2=size={width}x{height}:rate=25,noise=alls=20:allf=t",
    "mandelbrot": "mandelbrot=size={width}x{height}:rate=25,noise=alls=5:allf=t",
    "black": "color=black:size={width}x{height}:rate=25",
}
FRAMES = 12
PLANES = ((1, 1), (2, 2), (2, 2))  # of 4:2:0: columns and rows that share a sample


def frames_of(data, width, height):
    """Yields a list of the bytes of the three planes for each frame."""
    sizes = [width // columns * (height // rows) for columns, rows in PLANES]
    for at in range(0, len(data), sum(sizes)):
        planes = []
        for size in sizes:
            planes.append(data[at:at + size])
            at += size
        yield planes


def compare_videoanalyse(directory):
    """The mean of luma, and its variance. videoanalyse truncates the mean for the variance: the test allows for that."""
    need_programs("ffmpeg")
    need_elements("rawvideoparse", "videoanalyse")
    width, height = 176, 144
    compared = 0
    for clip in CLIPS:
        path = directory / f"{clip}.yuv"
        run("ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", CLIPS[clip].format(width=width, height=height), "-frames:v",
            str(FRAMES), "-pix_fmt", "yuv420p", "-f", "rawvideo", path)
        source = ("filesrc", f"location={path}", "!", "rawvideoparse", "format=i420", f"width={width}", f"height={height}",
                  "framerate=25/1")
        printed = launch("-m", *source, "!", "videoanalyse", "!", "fakesink")
        theirs = re.findall(
            r"GstVideoAnalyse.*?luma-average=\(double\)([-+.e0-9]+), luma-variance=\(double\)([-+.e0-9]+)", printed)
        ours = analyse(directory, *source)
        check(len(theirs) == len(ours) == FRAMES, clip, len(theirs), "and", len(ours), "frames")
        for index, ((average, variance), our) in enumerate(zip(theirs, ours)):
            luma = our["components"]["Y"]
            check(abs(float(average) - luma["mean"] / 255) <= 1e-9, clip, "frame", index, "mean", luma["mean"] / 255,
                  "videoanalyse:", average)
            biased = (luma["variance"] + (luma["mean"] % 1) ** 2) / 255 ** 2
            check(abs(float(variance) - biased) <= 1e-9, clip, "frame", index, "variance", biased, "videoanalyse:", variance)
            compared += 1
    print("equal to videoanalyse:", compared, "frames")


def compare_decoded(directory):
    """A clip in H.264, which decoders decode exactly: Python counts the frames that FFmpeg decodes, with dot products."""
    need_programs("ffmpeg")
    need_elements("decodebin", "qtdemux", "h264parse")
    width, height = 322, 182  # no multiple of a macroblock: decoders crop
    clip = directory / "clip.mp4"
    raw = directory / "clip.yuv"
    source = CLIPS["mandelbrot"].format(width=width, height=height)
    encoded = subprocess.run(["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", source,
                              "-frames:v", str(FRAMES), "-pix_fmt", "yuv420p", "-c:v", "libx264", clip],
                             stderr=subprocess.PIPE, timeout=TIMEOUT_S, check=False)
    if encoded.returncode != 0:
        skip("ffmpeg makes no H.264: " + encoded.stderr.decode(errors="replace").strip()[-200:])
    run("ffmpeg", "-v", "error", "-y", "-i", clip, "-f", "rawvideo", "-pix_fmt", "yuv420p", raw)
    frames = list(frames_of(raw.read_bytes(), width, height))
    results = analyse(directory, "filesrc", f"location={clip}", "!", "decodebin", properties=("dot=previous",))
    check(len(frames) == len(results) == FRAMES, len(frames), "and", len(results), "frames")
    for index, (planes, result) in enumerate(zip(frames, results)):
        check((result["width"], result["height"]) == (width, height), "size differs")
        check(result["frame"] == index and result["frames"] == 1, "frames are not in order")
        for plane, (name, component) in enumerate(result["components"].items()):
            check(name == "YUV"[plane], "components are not in order")
            check_component(component, planes[plane], f"frame {index} {name}", frames[index - 1][plane] if index else None)


def begin(parser, *elements):
    """Returns the options of the command line. Skips a comparison that lacks what all need, or one of the `elements`."""
    parser.add_argument("--sanitized", action="store_true", help="gst-launch-1.0 cannot load the plugin")
    options = parser.parse_args()
    if options.sanitized:
        skip("gst-launch-1.0 of the system cannot load a sanitized plugin")
    need_programs("gst-launch-1.0", "gst-inspect-1.0")
    need_elements(*elements)
    need_backend()
    return options


def choose_clips(doc, clips, *elements, any_release=False):
    """Returns the `clips` that the command line of a comparison with FFmpeg names. `doc`: the program's docstring."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clips", metavar="CLIP", nargs="*", help=f"one of {', '.join(clips)}; all of them by default")
    options = begin(parser, "rawvideoparse", *elements)
    need_programs("ffmpeg")
    if set(options.clips) - set(clips):
        parser.error(f"no such clip: {', '.join(set(options.clips) - set(clips))}")
    version = subprocess.run(["ffmpeg", "-version"], capture_output=True, text=True, check=True).stdout.split()[2]
    if not any_release and not version.startswith("5.1"):
        # FFmpeg 7.1 prints another HUEAVG of yuv444p in a graph of many outputs than in a graph of one, for the same samples.
        skip(f"the definitions are those of FFmpeg 5.1, and this is {version}")
    return options.clips or clips


def main():
    comparisons = {"bytes": compare_bytes, "videoanalyse": compare_videoanalyse, "decoded": compare_decoded}
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=comparisons)
    options = begin(parser)
    with tempfile.TemporaryDirectory(prefix="cudahisto-") as directory:
        comparisons[options.what](pathlib.Path(directory))


if __name__ == "__main__":
    main()
