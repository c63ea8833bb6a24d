#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""compare_films.py FOLDER COMMAND [FILM ...]: measures real films and compares each frame with FFmpeg. Prints a table.

`tools/films` fills the folder with films that people have made: a phone's, a cartoon, screen recordings, DVD menus, old AVI
and MPEG files. No test source made any of them. For each film:

  frames   the number of frames, and the timestamp of each, are those of ffprobe (best_effort_timestamp_time)
  format   the decoded format has the bit depth and the chroma subsampling of the stream's pix_fmt
  values   `cudahisto csv --signalstats` prints what FFmpeg's signalstats says of each frame
  events   black, freeze and scene-change events are those of blackdetect, freezedetect and scdet, in frames
  psnr     a re-encoded copy, compared with the film by `measure -r`, has the PSNR that FFmpeg's psnr prints

DIFFERENCES lists, with its cause, each difference that is known. Any other difference fails.
"""

import collections
import json
import math
import pathlib
import subprocess
import sys
import tempfile

SIGNALSTATS = "signalstats=stat=tout+vrep+brng"
BLACK_MIN_S = 2
EVENTS = "blackdetect,freezedetect,scdet"
TICK_S = 0.0011  # Matroska and AVI round timestamps to milliseconds; GStreamer and FFmpeg round differently
PSNR_FRAMES = 200
# Options for a copy, which keep the pixel format.
ENCODERS = {"yuv420p": "-c:v mpeg4 -q:v 9", "rgb24": "-vf gblur,format=bgr0 -c:v ffv1"}
# signalstats prints means with six digits, in single precision.
RELATIVE = 1e-5

# The checks of a film that differ from FFmpeg, and why.
AVI = "AVI has no presentation times: frame numbers begin at 0, FFmpeg's decode times a frame later"
STILL = "the first seconds are still, so that no offset of the reference is unique"
DIFFERENCES = {
    "Megamind.avi": {"frames": AVI},
    "Megamind_bugy.avi": {"frames": AVI},
    "base_ntsc.mpg": {"psnr": STILL},
    "base_ntsc_wide.mpg": {"psnr": STILL},
    "base_pal.mpg": {"psnr": STILL},
    "base_pal_wide.mpg": {"psnr": STILL},
    "cube.mpeg": {
        "frames": "a raw MPEG-1 stream has no timestamps: FFmpeg's skip the second frame's",
        "psnr": "the copy has FFmpeg's timestamps, whose first frame is a frame early",
    },
}

# Typical edits of the real films: name, film, and FFmpeg's options before and after its input.
EDITS = [
    ("cut.mp4", "sintel_trailer-720p.mp4", "-ss 10 -t 8", "-an -c copy"),
    ("cut.mkv", "test_video.mp4", "-ss 5 -t 6", "-c copy"),
    ("remuxed.ts", "VID_20191220_170832.mp4", "", "-c copy"),
    ("variable.mkv", "display-dual-monitors.webm", "-t 8", "-vf mpdecimate -fps_mode vfr -c:v libx264 -preset veryfast"),
    ("interlaced.mpg", "test_video.mp4", "-t 6",
     "-vf scale=720:480,interlace -c:v mpeg2video -flags +ildct+ilme -top 1 -q:v 4 -bf 2 -c:a mp2"),
    ("interlaced.mkv", "test_video.mp4", "-t 4",
     "-vf scale=720:480,interlace -c:v libx264 -flags +ildct+ilme -preset veryfast"),
    ("ten-bits.mkv", "sintel_trailer-720p.mp4", "-ss 12 -t 4", "-an -pix_fmt yuv420p10le -c:v libx265 -preset ultrafast"),
    ("fields.mxf", "test_video.mp4", "-t 2",
     "-vf scale=1280:720,interlace -pix_fmt yuv422p -c:v mpeg2video -flags +ildct+ilme -intra_vlc 1 -g 1 -b:v 30M -an"),
]

Theirs = collections.namedtuple("Theirs", "times pixel_format values events")


def run(*command, **options):
    return subprocess.run(command, check=True, capture_output=True, text=True, stdin=subprocess.DEVNULL, **options).stdout


def find_obstacle(film):
    """Returns why a file cannot be compared, or None. A cover is a picture in a sound file."""
    try:
        streams = json.loads(run("ffprobe", "-v", "quiet", "-select_streams", "v", "-show_entries",
                                 "stream_disposition=attached_pic", "-of", "json", film))["streams"]
    except subprocess.CalledProcessError:
        return "FFmpeg cannot read it"
    if not streams:
        return "it has no video stream"
    return "its video is a cover" if streams[0]["disposition"]["attached_pic"] else None


def read_stream(film):
    """The timestamps of all frames, and their format."""
    probed = json.loads(run("ffprobe", "-v", "quiet", "-select_streams", "v:0", "-show_entries",
                            "frame=best_effort_timestamp_time,pix_fmt", "-of", "json", film))["frames"]
    return [frame.get("best_effort_timestamp_time") for frame in probed], probed[0]["pix_fmt"]


def read_theirs(film):
    times, pixel_format = read_stream(film)
    frames = json.loads(run("ffprobe", "-v", "quiet", "-f", "lavfi", "-i", f"movie={film},{SIGNALSTATS},{EVENTS}",
                            "-show_entries", "frame=pts_time:frame_tags", "-of", "json"))["frames"]
    values = [{key: float(value) for key, value in frame["tags"].items() if ".signalstats." in key} for frame in frames]
    return Theirs([None if time is None else float(time) for time in times], pixel_format, values, find_their_events(frames))


def find_frame(frames, seconds):
    """The number of the frame that begins at a time."""
    return min(range(len(frames)), key=lambda number: abs(float(frames[number]["pts_time"]) - seconds))


def find_their_events(frames):
    """Events of the three filters: kind, first frame, frame after the last one (None: the end of the film)."""
    events, begun = [], {}
    for number, frame in enumerate(frames):
        tags = frame["tags"]
        for kind, begin, end in (("black", "lavfi.black_start", "lavfi.black_end"),
                                 ("freeze", "lavfi.freezedetect.freeze_start", "lavfi.freezedetect.freeze_end")):
            if begin in tags:
                begun[kind] = find_frame(frames, float(tags[begin]))
            if end in tags:
                first = begun.pop(kind)
                # The tags of blackdetect are there for shorter ones, which it does not print.
                if float(tags[end]) - float(frames[first]["pts_time"]) >= BLACK_MIN_S or kind != "black":
                    events.append((kind, first, find_frame(frames, float(tags[end]))))
        if "lavfi.scd.time" in tags:
            events.append(("scene-change", number, number))
    last = float(frames[-1]["pts_time"])
    events += [(kind, first, None) for kind, first in begun.items()
               if kind != "black" or last - float(frames[first]["pts_time"]) >= BLACK_MIN_S]
    return sorted(events, key=str)


def find_our_events(results, lines):
    frames = {}
    for line in lines:
        if line["event"] not in ("black", "freeze", "scene-change") or line["end"] is None:
            continue
        first = line["frame"]
        end = first + line["frames"] if line["ended-by"] == "complete" else None
        frames[line["event"], first] = (line["event"], first, first if line["event"] == "scene-change" else end)
    return sorted(frames.values(), key=str)


def find_wrong_time(ours, theirs, start_ns):
    """Returns the first frame whose time differs from FFmpeg's, or None. FFmpeg does not always know the last one's."""
    for number, (our, their) in enumerate(zip(ours, theirs)):
        if their is not None and (our is None or abs((our + start_ns) / 1e9 - their) > TICK_S):
            return number
    return None


class Film:
    """A film and its differences."""

    def __init__(self, path, command, folder):
        self.path, self.command, self.folder = path, command, folder
        self.differences = []
        self.compared = 0

    def differ(self, what, words):
        if what not in DIFFERENCES.get(self.path.name, {}):
            self.differences.append(f"{self.path.name}: {what}: {words}")

    def measure(self, film, *arguments):
        output = self.folder / f"{film.name}.jsonl"
        done = subprocess.run([self.command, "measure", "-q", film, "-o", output, *arguments], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=300, check=False)
        if done.returncode != 0:
            self.differ("status", f"exit status {done.returncode}: {done.stderr.strip()}")
        lines = [json.loads(line) for line in output.read_text().splitlines()] if output.exists() else []
        return [line for line in lines if "event" not in line], [line for line in lines if "event" in line], output

    def compare_frames(self, results, theirs):
        """Stream times are those of a film with an edit list; timestamps those of MPEG, whose films do not begin at 0. Those of
        MPEG-TS begin with the first PCR in GStreamer: there each frame is compared with the first."""
        if len(results) != len(theirs.times):
            self.differ("frames", f"{len(results)}, FFmpeg's {len(theirs.times)}")
        starts = [0, 0]
        if self.path.suffix == ".ts":
            starts = [results[0]["timestamp"], round(theirs.times[0] * 1e9)]
        wrong = [find_wrong_time([result[field] - starts[0] for result in results], theirs.times, starts[1])
                 for field in ("stream-time", "timestamp")]
        self.compared += len(results)
        if None not in wrong:
            number = max(wrong)
            self.differ("frames", f"frame {number} at {results[number]['timestamp']}, FFmpeg's at {theirs.times[number]}")

    def compare_format(self, results, theirs):
        described = run("ffprobe", "-v", "quiet", "-show_pixel_formats", "-of", "json")
        formats = {entry["name"]: entry for entry in json.loads(described)["pixel_formats"]}
        wanted = formats[theirs.pixel_format]
        components = len(results[0]["components"])
        depth = max(int(component["bit_depth"]) for component in wanted["components"])
        if results[0]["depth"] != depth or components != int(wanted["nb_components"]):
            self.differ("format", f"{results[0]['format']}, FFmpeg's {theirs.pixel_format}")
        elif not int(wanted["flags"]["rgb"]) and components >= 3:
            luma, chroma = (results[0]["components"][name]["count"] for name in "YU")
            width, height = results[0]["width"], results[0]["height"]
            across, down = 1 << int(wanted["log2_chroma_w"]), 1 << int(wanted["log2_chroma_h"])
            if (luma, chroma) != (width * height, -(-width // across) * -(-height // down)):
                self.differ("format", f"{results[0]['format']}, FFmpeg's {theirs.pixel_format}")

    def compare_values(self, output, theirs):
        header, *rows = [line.split(",") for line in run(self.command, "csv", "--signalstats", output).splitlines()]
        if len(rows) != len(theirs.values):
            self.differ("values", f"{len(rows)} rows, FFmpeg's {len(theirs.values)}")
        for number, (row, their) in enumerate(zip(rows, theirs.values)):
            ours = dict(zip(header, row))
            for name, value in their.items():
                self.compared += 1
                if not ours.get(name) or not math.isclose(float(ours[name]), value, rel_tol=RELATIVE, abs_tol=1e-6):
                    self.differ("values", f"frame {number}: {name} is {ours.get(name)}, FFmpeg's {value}")
                    return

    def compare_psnr(self, theirs):
        copy = self.folder / (self.path.name + ".mkv")
        stats = self.folder / "psnr.txt"
        encode = ENCODERS.get(theirs.pixel_format, "-c:v libx264 -preset ultrafast -qp 30").split()
        ffmpeg = ("ffmpeg", "-nostdin", "-v", "error", "-y", "-copyts")
        run(*ffmpeg, "-i", self.path, "-an", "-frames:v", str(PSNR_FRAMES), *encode, "-fps_mode", "passthrough", copy)
        run(*ffmpeg, "-i", copy, "-i", self.path, "-lavfi",
            f"[0:v]settb=1/25,setpts=N[a];[1:v]settb=1/25,setpts=N[b];[a][b]psnr=shortest=1:stats_file={stats}",
            "-fps_mode", "passthrough", "-f", "null", "-")
        frames = [dict(pair.split(":") for pair in line.split()) for line in stats.read_text().splitlines()]
        results, _, _ = self.measure(copy, "-r", self.path)
        if len(results) != len(frames):
            self.differ("psnr", f"{len(results)} frames, FFmpeg's {len(frames)}")
        for number, (result, frame) in enumerate(zip(results, frames)):
            for name in (key for key in frame if key.startswith("mse_") and key != "mse_avg"):
                self.compared += 1
                ours = result["components"].get(name[-1].upper(), {}).get("reference", {}).get("mse")
                if ours is None or not math.isclose(ours, float(frame[name]), rel_tol=1e-4, abs_tol=0.0051):
                    self.differ("psnr", f"frame {number}: {name} is {ours}, FFmpeg's {frame[name]}")
                    return

    def compare(self):
        theirs = read_theirs(self.path)
        results, events, output = self.measure(self.path, "-s", "signalstats", "-e", "black+freeze+scene-change")
        self.compare_frames(results, theirs)
        self.compare_format(results, theirs)
        if "Y" in results[0]["components"]:
            self.compare_values(output, theirs)
        found = find_our_events(results, events)
        if found != theirs.events:
            self.differ("events", f"{found}, FFmpeg's {theirs.events}")
        self.compare_psnr(theirs)
        kinds = collections.Counter(kind for kind, *_ in found)
        counts = [kinds[kind] for kind in ("black", "freeze", "scene-change")]
        print(ROW.format(self.path.name[:32], len(results), results[0]["format"], self.compared, *counts,
                         len(self.differences) or "none"), flush=True)


ROW = "{:32} {:>6} {:>10} {:>8} {:>5} {:>6} {:>5}  {}"


def make_edits(films, folder):
    by_name = {film.name: film for film in films}
    for name, film, before, after in EDITS:
        if film in by_name:
            run("ffmpeg", "-nostdin", "-v", "error", "-y", *before.split(), "-i", by_name[film], *after.split(), folder / name)
            yield folder / name


def compare_films(films, command):
    """Returns the differences, and the number of skipped films."""
    differences, skipped = [], 0
    for path in films:
        obstacle = find_obstacle(path)
        if obstacle is not None:
            print(f"{path.name}: skipped: {obstacle}", flush=True)
            skipped += 1
            continue
        with tempfile.TemporaryDirectory(prefix="cudahisto-") as scratch:
            film = Film(path, command, pathlib.Path(scratch))
            film.compare()
            differences += film.differences
    return differences, skipped


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    folder, command = pathlib.Path(sys.argv[1]), sys.argv[2]
    films = [pathlib.Path(name) for name in sys.argv[3:]] or sorted(path for path in folder.rglob("*") if path.is_file())
    print(ROW.format("film", "frames", "format", "compared", "black", "freeze", "scene", "differences"))
    differences, skipped = compare_films(films, command)
    with tempfile.TemporaryDirectory(prefix="cudahisto-") as scratch:
        edits = list(make_edits(films, pathlib.Path(scratch)))
        differences += compare_films(edits, command)[0]
        films += edits
    for words in differences:
        print(words[:1000])
    compared = len(films) - skipped
    passed = compared - len({words.split(":")[0] for words in differences})
    print(f"{passed} passed, {compared - passed} failed, {skipped} skipped")
    sys.exit(1 if differences or not compared else 0)


if __name__ == "__main__":
    main()
