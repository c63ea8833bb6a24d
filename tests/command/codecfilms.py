# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Short films of every video encoder that this FFmpeg has, in every container that takes it, and what ffprobe says of them."""
import concurrent.futures
import json
import re
import subprocess

FFMPEG = ["ffmpeg", "-nostdin", "-hide_banner", "-v", "error", "-y"]
FRAMES = 25
JOBS = 3
SECONDS = 60  # that one call of FFmpeg may take

# Frame sizes, of which an encoder gets the first that it takes.
SIZES = ("64x64", "176x144", "720x576", "1280x720", "48x48")
# B-frames and open groups of pictures, if the codec has them; and what makes an encoder fast.
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
}
NO_ENCODERS = {"wrapped_avframe"}  # pointers into the process

# Muxers that make no film of one file, or the same as another muxer.
NO_MUXERS = {"a64", "aiff", "asf_stream", "avm2", "avs2", "avs3", "dash", "dvd", "f4v", "flac", "hls", "ico", "image2",
             "image2pipe", "ipod", "mp3", "ogv", "psp", "svcd", "vcd", "webp"}
# Muxers that want the codec's headers beside the frames, which they cannot say to another program.
WITH_HEADERS = {"3g2", "3gp", "asf", "avif", "flv", "ismv", "matroska", "mov", "mp4", "mxf", "nut", "webm"}
# Where an encoder's other pixel formats are tried, best first, and the suffix.
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
    """Muxer: suffix of its files, and the only codec that it takes, or None."""
    names = dict(re.findall(r"^ +E (\S+) +(.*)", run("ffmpeg", "-hide_banner", "-muxers").stdout, re.M))
    names = {name: what for name, what in names.items() if name not in NO_MUXERS}
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
    for pattern, chroma in ((r"gray|^y1|GRAY|mono", "gray"), (r"rgb|bgr|gbr|RGB|BGR|GBR|pal8|RGB8P|^0", "rgb"),
                            (r"Y42B|YUY2|UYVY|YVYU|NV16|NV61|Y21|v210|yuyv|uyvy|nv16|nv20", "422"),
                            (r"Y41B", "411"), (r"YUV9|YVU9", "410"), (r"AYUV|VUYA|ayuv|Y4|v308|xyz", "444"),
                            (r"I420|YV12|NV12|NV21|P01|nv12|nv21|p01", "420")):
        if re.search(pattern, name):
            return chroma
    return None


def choose_formats(encoder, formats):
    """One pixel format of each kind that the encoder takes, but not its first."""
    supported = re.search(r"Supported pixel formats: (.*)", run("ffmpeg", "-hide_banner", "-h", "encoder=" + encoder).stdout)
    names = [name for name in (supported[1].split() if supported else []) if not re.search(r"be$|be[0-9]|^cuda|^vaapi", name)]
    chosen = {}
    for name in names:
        chosen.setdefault(formats.get(name), name)
    return [name for name in chosen.values() if name != (names or [None])[0]]


def make_head(encoder, size):
    return [*FFMPEG, "-f", "lavfi", "-i", f"testsrc2=size={size}:rate=25", "-frames:v", str(FRAMES), "-strict", "-2", "-c:v",
            encoder, *OPTIONS.get(encoder, "").split()]


def encode(folder, encoder, codec, muxers, formats):
    """Film of each muxer; nothing if the encoder does not run here."""
    made = {}
    for size in SIZES:
        head = make_head(encoder, size)
        if run(*head, "-f", "null", "-").returncode != 0:
            continue
        for flags, with_headers in ((["-flags", "+global_header"], True), ([], False)):
            places = {muxer: folder / f"{encoder}.{muxer}.{suffix}" for muxer, (suffix, only) in muxers.items()
                      if (muxer in WITH_HEADERS) == with_headers and only in (None, codec)}
            slaves = "|".join(f"[f={muxer}:onfail=ignore]{path}" for muxer, path in places.items())
            said = run(*head, *flags, "-map", "0:v", "-f", "tee", slaves).stderr
            failed = {int(number) for number in re.findall(r"Slave muxer #(\d+) failed", said)}
            made |= {muxer: places[muxer] for number, muxer in enumerate(places)
                     if number not in failed and places[muxer].exists()}
        return made | encode_formats(folder, encoder, size, [muxer for muxer in BEST_MUXERS if muxer in made], formats)
    return made


def encode_formats(folder, encoder, size, muxers, formats):
    """The encoder's other pixel formats, in one container."""
    made = {}
    for name in choose_formats(encoder, formats) if muxers else []:
        path = folder / f"{encoder}.{muxers[0]}.{name}.{BEST_MUXERS[muxers[0]]}"
        done = run(*make_head(encoder, size), "-pix_fmt", name, "-frames:v", "5", "-flags", "+global_header", "-f", muxers[0],
                   path)
        if done.returncode == 0:
            made[f"{muxers[0]} {name}"] = path
    return made


def probe(path):
    """Times of all frames, in seconds, and their pixel format; None: FFmpeg itself does not read what it has written."""
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


def make_all(folder):
    """(encoder, muxer): path, times, pixel format."""
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        films = {}
        encoders, muxers, formats = list_encoders(), list_muxers(pool), list_formats()
        made_by = pool.map(lambda item: encode(folder, *item, muxers, formats), encoders.items())
        for encoder, made in zip(encoders, made_by):
            films |= {(encoder, muxer): path for muxer, path in made.items()}
        probed = dict(zip(films, pool.map(probe, films.values())))
    return {key: (path, *probed[key]) for key, path in films.items() if probed[key] is not None}
