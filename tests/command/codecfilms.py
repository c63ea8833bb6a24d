# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes short films with every video encoder of this FFmpeg, in every container that it supports, and reads them with
ffprobe."""
import concurrent.futures
import itertools
import json
import os
import re
import subprocess

FFMPEG = ["ffmpeg", "-nostdin", "-hide_banner", "-v", "error", "-y"]
FRAMES = 25
FEW_FRAMES = 5  # of other pixel formats
JOBS = os.cpu_count() + 1
SECONDS = 240  # time limit of a call of FFmpeg, which a busy machine makes slow

# Frame sizes; an encoder gets the first that it supports. Encoders of devices get the size that all devices support.
SIZES = ("64x64", "176x144", "720x576", "48x48")
DEVICE_ENCODER, DEVICE_SIZE = r".*_(amf|mediacodec|mf|nvenc|omx|qsv|v4l2m2m|vaapi|videotoolbox|vulkan)", "720x576"
# B-frames and open GOPs, if the codec has them, and options that make an encoder fast.
GROUPS = "-bf 2 -g 8"
OPTIONS = {
    "libx264": "-preset ultrafast -x264-params open-gop=1:keyint=8:bframes=3:b-adapt=0:weightp=0",
    "libx264rgb": "-preset ultrafast -x264-params open-gop=1:keyint=8:bframes=3:b-adapt=0",
    "libx265": "-preset ultrafast -x265-params log-level=none:open-gop=1:keyint=8:bframes=3:b-adapt=0",
    "mpeg1video": GROUPS,
    "mpeg2video": GROUPS,
    "mpeg4": GROUPS,
    "libxvid": GROUPS,
    "libaom-av1": "-cpu-used 8 -g 12 -lag-in-frames 12",
    "libsvtav1": "-preset 12 -g 12",
    "librav1e": "-speed 10 -g 12",
    "libvpx": "-deadline good -cpu-used 5 -g 12 -auto-alt-ref 1 -lag-in-frames 12",
    "libvpx-vp9": "-deadline good -cpu-used 8 -g 12 -auto-alt-ref 1 -lag-in-frames 12",
    "dnxhd": "-profile:v dnxhr_sq",
    "vbn": "-pix_fmt rgba",
}
NO_ENCODERS = {"wrapped_avframe"}  # pointers into the process
READ_AS = {"h263p": "h263", "ljpeg": "mjpeg"}  # codecs that files name differently

# Muxers whose output is not one film file, or the same as another muxer's.
NO_MUXERS = {"a64", "aiff", "asf_stream", "avm2", "avs2", "avs3", "dash", "dvd", "f4v", "flac", "hls", "ico", "image2",
             "image2pipe", "ipod", "mp3", "ogv", "psp", "svcd", "vcd", "webp"}
# Muxers that need the codec's headers separately, which another program does not get.
WITH_HEADERS = {"3g2", "3gp", "asf", "avif", "flv", "ismv", "matroska", "mov", "mp4", "mxf", "nut", "webm"}
# Containers for an encoder's other pixel formats, best first, and the suffix.
BEST_MUXERS = {"mov": "mov", "avi": "avi", "matroska": "mkv"}


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=SECONDS)


def list_encoders():
    """Encoder: codec."""
    encoders = {}
    for line in run("ffmpeg", "-hide_banner", "-codecs").stdout.splitlines():
        found = re.match(r" ..V... (\S+)", line)
        if found:
            several = re.search(r"\(encoders: ([^)]*)\)", line)
            for encoder in several[1].split() if several else [found[1]] if line[2] == "E" else []:
                encoders[encoder] = found[1]
    return {encoder: codec for encoder, codec in encoders.items() if encoder not in NO_ENCODERS}


def describe_muxer(name):
    described = run("ffmpeg", "-hide_banner", "-h", "muxer=" + name).stdout
    suffix = re.search(r"Common extensions: (\w+)", described)
    codec = re.search(r"Default video codec: (\w+)", described)
    return suffix and codec and (suffix[1], codec[1])


def list_muxers(pool):
    """Muxer: suffix of its files, and the only codec that it supports, or None."""
    names = dict(re.findall(r"^ +E (\S+) +(.*)", run("ffmpeg", "-hide_banner", "-muxers").stdout, re.M))
    names = {name: what for name, what in names.items() if name not in NO_MUXERS and not what.startswith("PCM ")}
    described = zip(names, pool.map(describe_muxer, names))
    return {name: (made[0], made[1] if names[name].startswith("raw ") else None) for name, made in described if made}


def list_formats():
    """Pixel format: its family, chroma and bits."""
    formats = {}
    for line in run("ffmpeg", "-hide_banner", "-pix_fmts").stdout.splitlines():
        found = re.match(r"[IOHPB.]{5} (\w+) +\d+ +\d+ +(\d+)", line)
        if found:
            formats[found[1]] = (describe_chroma(found[1]), int(found[2]))
    return formats


def describe_chroma(name):
    """By the name of a pixel format, of FFmpeg or GStreamer."""
    for chroma in ("444", "422", "420", "440", "411", "410"):
        if chroma in name:
            return chroma
    for pattern, chroma in ((r"gray|^y1|GRAY|mono", "gray"), (r"rgb|bgr|gbr|RGB|BGR|GBR|pal8|RGB8P|r210|^0", "rgb"),
                            (r"Y42B|YUY2|UYVY|YVYU|NV16|NV61|Y21|v210|yuyv|uyvy|nv16|nv20", "422"),
                            (r"Y41B", "411"), (r"YUV9|YVU9", "410"), (r"AYUV|VUYA|ayuv|Y4|v308|xyz", "444"),
                            (r"I420|YV12|NV12|NV21|P01|nv12|nv21|p01", "420")):
        if re.search(pattern, name):
            return chroma
    return None


def choose_formats(encoder, formats):
    """One pixel format of each kind that the encoder supports, except its first."""
    supported = re.search(r"Supported pixel formats: (.*)", run("ffmpeg", "-hide_banner", "-h", "encoder=" + encoder).stdout)
    names = [name for name in (supported[1].split() if supported else []) if not re.search(r"be$|be[0-9]|^cuda|^vaapi", name)]
    chosen = {}
    for name in names:
        chosen.setdefault(formats.get(name), name)
    return [name for name in chosen.values() if name != (names or [None])[0]]


def make_input(size):
    return [*FFMPEG, "-f", "lavfi", "-i", f"testsrc2=size={size}:rate=25"]


def make_output(encoder, frames=FRAMES):
    return ["-map", "0:v", "-frames:v", str(frames), "-strict", "-2", "-c:v", encoder, *OPTIONS.get(encoder, "").split()]


def encode_size(encoder, size, places):
    """Muxer: film; None if the encoder does not take pictures of this size."""
    made = {}
    for flags, with_headers in ((["-flags", "+global_header"], True), ([], False)):
        chosen = {muxer: path for muxer, path in places.items() if (muxer in WITH_HEADERS) == with_headers}
        # The last command never fails, so that a failure is an encoder's.
        slaves = "|".join([*(f"[f={muxer}:onfail=ignore]{path}" for muxer, path in chosen.items()), "[f=null]-"])
        done = run(*make_input(size), *make_output(encoder), *flags, "-f", "tee", slaves)
        if done.returncode != 0:
            return None
        failed = {int(number) for number in re.findall(r"Slave muxer #(\d+) failed", done.stderr)}
        made |= {muxer: path for number, (muxer, path) in enumerate(chosen.items()) if number not in failed and path.exists()}
    return made


def encode_formats(folder, encoder, size, muxer, names):
    """Pixel format: film. One call makes all; if the encoder rejects a listed format, one call for each."""
    places = {name: folder / f"{encoder}.{muxer}.{name}.{BEST_MUXERS[muxer]}" for name in names}

    def encode(chosen):
        outputs = [[*make_output(encoder, FEW_FRAMES), "-pix_fmt", name, "-flags", "+global_header", "-f", muxer, places[name]]
                   for name in chosen]
        return run(*make_input(size), *itertools.chain(*outputs)).returncode == 0

    made = places if encode(places) else [name for name in places if encode([name])]
    return {name: places[name] for name in made}


def list_readable(paths, codec):
    """Film: pixel format, for the films that FFmpeg can read back. AVI and others have no name for some codecs. One call opens
    many, and ends at the first that it cannot open."""
    readable, rest = {}, list(paths)
    while rest:
        inputs = itertools.chain(*(("-i", path) for path in rest))
        said = run("ffmpeg", "-nostdin", "-hide_banner", *inputs).stderr
        for number, found, pix_fmt in re.findall(r"^  Stream #(\d+):0.*: Video: (\w+)(?:[^,(]|\([^)]*\))*, (\w+)", said, re.M):
            if found == READ_AS.get(codec, codec) and pix_fmt != "none":
                readable[rest[int(number)]] = pix_fmt
        rest = rest[len(re.findall(r"^Input #\d+, ", said, re.M)) + 1:]
    return readable


def probe(path):
    """Times of all frames, in seconds, and their pixel format; None: FFmpeg cannot read its own film."""
    try:
        probed = run("ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries",
                     "frame=best_effort_timestamp_time,pix_fmt", "-of", "json", path)
    except subprocess.TimeoutExpired:
        return None
    frames = json.loads(probed.stdout or "{}").get("frames", []) if probed.returncode == 0 else []
    times = [float(frame.get("best_effort_timestamp_time", number / 25)) for number, frame in enumerate(frames)]
    if not times or sorted(set(times)) != times:
        return None
    return times, frames[0]["pix_fmt"]


def make_films(folder, encoder, codec, muxers, formats):
    """Muxer, and pixel format if it is not the encoder's first: path, times, pixel format. Empty if the encoder does not run
    here."""
    places = {muxer: folder / f"{encoder}.{muxer}.{suffix}" for muxer, (suffix, only) in muxers.items()
              if only in (None, codec)}
    for size in (DEVICE_SIZE,) if re.fullmatch(DEVICE_ENCODER, encoder) else SIZES:
        made = encode_size(encoder, size, places)
        if made is not None:
            break
    else:
        return {}
    readable = list_readable(made.values(), codec)
    probed = {muxer: (path, probe(path)) for muxer, path in made.items() if path in readable}
    films = {muxer: (path, *found) for muxer, (path, found) in probed.items() if found is not None}
    best = [muxer for muxer in BEST_MUXERS if muxer in films]
    if best:
        others = encode_formats(folder, encoder, size, best[0], choose_formats(encoder, formats))
        readable = list_readable(others.values(), codec)
        # Their times are the same as for the encoder's first format in this container.
        times = films[best[0]][1][:FEW_FRAMES]
        films |= {f"{best[0]} {name}": (path, times, readable[path]) for name, path in others.items() if path in readable}
    return films


def make_all(folder):
    """(encoder, muxer): path, times, pixel format."""
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        encoders, muxers, formats = list_encoders(), list_muxers(pool), list_formats()
        made_by = pool.map(lambda item: make_films(folder, *item, muxers, formats), encoders.items())
        return {(encoder, muxer): film for encoder, made in zip(encoders, made_by) for muxer, film in made.items()}
