# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Films for the tests of the command. FFmpeg makes them once per program."""
import atexit
import http.server
import json
import os
import pathlib
import subprocess
import tempfile

PATTERN = "testsrc2=size=320x240:rate=25"
# name: options of FFmpeg, after its input
FILMS = {
    "h264.mp4": "-t 2 -pix_fmt yuv420p -c:v libx264 -preset ultrafast",
    "sound.mp4": "-f lavfi -i sine -t 2 -pix_fmt yuv420p -c:v libx264 -preset ultrafast -c:a aac",
    "vp9.webm": "-t 2 -c:v libvpx-vp9 -pix_fmt yuv420p -deadline realtime -cpu-used 8",
    "mjpeg.avi": "-t 2 -c:v mjpeg -pix_fmt yuvj420p",
    "stream.ts": "-t 2 -pix_fmt yuv420p -c:v libx264 -preset ultrafast",
    "prores.mov": "-t 1 -c:v prores_ks -pix_fmt yuv422p10le",
    "h265.mkv": "-t 1 -c:v libx265 -preset ultrafast -x265-params log-level=none -pix_fmt yuv420p10le",
    "v210.mov": "-t 1 -c:v v210",
    "picture.png": "-frames:v 1 -pix_fmt rgb24",
    "deep.png": "-frames:v 1 -pix_fmt rgba64be",
    "black.mp4": "-t 2 -vf fade=st=1:d=1 -pix_fmt yuv420p -c:v libx264 -preset ultrafast",
    "long.mp4": "-t 60 -pix_fmt yuv420p -c:v libx264 -preset ultrafast",
    "many.mkv": "-t 10 -vf scale=64:64,fps=1000 -pix_fmt yuv420p -c:v mpeg4",
    # Full range, the only colour information in the stream: grey, which in limited range would be black, and black.
    "full.mp4": "-t 5.2 -vf geq=lum='if(lt(N,60),30,if(lt(N,120),20,lum(X,Y)))':cb='if(lt(N,120),128,cb(X,Y))'"
                ":cr='if(lt(N,120),128,cr(X,Y))',setrange=pc,format=yuvj420p -c:v libx264 -qp 0",
    "only-sound.m4a": None,
}
REPEATED = {"longer.mp4": "9", "endless.mp4": "39"}  # long.mp4, repeated this many times more

folder = tempfile.TemporaryDirectory()
atexit.register(folder.cleanup)


def get(name):
    """Returns the path of a film, and makes it the first time."""
    path = pathlib.Path(folder.name, name)
    if name in REPEATED and not path.exists():
        subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-stream_loop", REPEATED[name], "-i", get("long.mp4"), "-c",
                        "copy", path], check=True)
    if not path.exists():
        head = ["ffmpeg", "-nostdin", "-v", "error", "-y", "-f", "lavfi", "-i"]
        if FILMS[name] is None:
            command = [*head, "sine", "-t", "2", path]
        else:
            command = [*head, PATTERN, *FILMS[name].split(), path]
        subprocess.run(command, check=True)
    return path


def probe(path, name):
    """A value of each frame, from FFmpeg's signalstats."""
    graph = "movie=" + str(path) + ",signalstats=stat=brng"
    probed = subprocess.run(["ffprobe", "-v", "error", "-f", "lavfi", "-i", graph, "-show_entries",
                             "frame_tags=lavfi.signalstats." + name, "-of", "json"], check=True, capture_output=True)
    return [float(frame["tags"]["lavfi.signalstats." + name]) for frame in json.loads(probed.stdout)["frames"]]


def probe_luma(path):
    """The mean luma of each frame."""
    return probe(path, "YAVG")


def make_environment(**more):
    """The environment without the shell's terminal and plugin paths."""
    left_out = ("GST_", "COLUMNS", "LINES", "NO_COLOR", "TERM", "LC_", "LANG")
    kept = {key: value for key, value in os.environ.items() if not key.startswith(left_out)}
    return {**kept, "LC_ALL": "C.UTF-8", **more}


class OneFilm(http.server.BaseHTTPRequestHandler):
    """Answers each HTTP request with the film of its server."""

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", str(len(self.server.film)))
        self.end_headers()
        self.wfile.write(self.server.film)

    def log_message(self, *_):
        pass
