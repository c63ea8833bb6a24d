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


def list_muxers():
    """Muxer: suffix of its files, and the only codec that it takes, or None."""
    muxers = {}
    for line in run("ffmpeg", "-hide_banner", "-muxers").stdout.splitlines():
        found = re.match(r" +E (\S+) +(.*)", line)
        if not found or found[1] in NO_MUXERS:
            continue
        described = run("ffmpeg", "-hide_banner", "-h", "muxer=" + found[1]).stdout
        suffix = re.search(r"Common extensions: (\w+)", described)
        codec = re.search(r"Default video codec: (\w+)", described)
        if suffix and codec:
            muxers[found[1]] = (suffix[1], codec[1] if found[2].startswith("raw ") else None)
    return muxers


def encode(folder, encoder, codec, muxers):
    """Film of each muxer; nothing if the encoder does not run here."""
    made = {}
    for size in SIZES:
        head = [*FFMPEG, "-f", "lavfi", "-i", f"testsrc2=size={size}:rate=25", "-frames:v", str(FRAMES), "-strict", "-2",
                "-c:v", encoder, *OPTIONS.get(encoder, "").split()]
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
        break
    return made


def probe(path):
    """Times of all frames, in seconds, and their pixel format; None: FFmpeg itself does not read what it has written."""
    try:
        probed = run("ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries",
                     "frame=best_effort_timestamp_time,pix_fmt", "-of", "json", path)
    except subprocess.TimeoutExpired:
        return None
    frames = json.loads(probed.stdout or "{}").get("frames", []) if probed.returncode == 0 else []
    if not frames or any("best_effort_timestamp_time" not in frame for frame in frames):
        return None
    return [float(frame["best_effort_timestamp_time"]) for frame in frames], frames[0]["pix_fmt"]


def make_all(folder):
    """(encoder, muxer): path, times, pixel format."""
    muxers = list_muxers()
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        films = {}
        encoders = list_encoders()
        for encoder, made in zip(encoders, pool.map(lambda item: encode(folder, *item, muxers), encoders.items())):
            films |= {(encoder, muxer): path for muxer, path in made.items()}
        probed = dict(zip(films, pool.map(probe, films.values())))
    return {key: (path, *probed[key]) for key, path in films.items() if probed[key] is not None}
