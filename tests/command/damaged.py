# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Damaged films for the tests of the command: made by FFmpeg, and damaged in the same places each time."""
import random
import subprocess

PATTERN = "testsrc2=size=160x120:rate=25:duration=2"
FRAMES = 50
# name: options of FFmpeg, behind its input
FILMS = {
    "h264.mp4": "-pix_fmt yuv420p -c:v libx264 -preset fast -g 25 -movflags +faststart",
    "h264.mkv": "-pix_fmt yuv420p -c:v libx264 -preset fast -g 25",
    "h264.ts": "-pix_fmt yuv420p -c:v libx264 -preset fast -g 25",
    "mpeg4.avi": "-c:v mpeg4 -q 4",
    "ffv1.avi": "-c:v ffv1 -level 1",
    "ffv1.mkv": "-c:v ffv1 -level 3",
    "prores.mov": "-c:v prores_ks -pix_fmt yuv422p10le -movflags +faststart",
    "mjpeg.avi": "-c:v mjpeg -q 2 -pix_fmt yuvj420p",
    "vp8.webm": "-c:v libvpx -deadline realtime -cpu-used 8",
    "theora.ogv": "-c:v libtheora",
    "vp8.ogv": "-c:v libvpx -deadline realtime -cpu-used 8",
    "gif.gif": "",
    "mpeg2.mxf": "-c:v mpeg2video -b:v 2M",
    "flv.flv": "-c:v flv",
}


def make(folder, name):
    """A sound film."""
    path = folder / name
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", "-f", "lavfi", "-i", PATTERN, *FILMS[name].split(), path],
                   check=True)
    return path


def flip(path, spots, first=0.3):
    """Flips a bit in each of so many places, behind the first part of the file."""
    data, chance = bytearray(path.read_bytes()), random.Random(1)
    for _ in range(spots):
        data[chance.randrange(int(len(data) * first), int(len(data) * 0.95))] ^= 1 << chance.randrange(8)
    path.write_bytes(data)


def zero(path, size, at=0.5):
    """Bytes that are 0, as a disk or a transfer leaves them."""
    data = bytearray(path.read_bytes())
    begin = int(len(data) * at)
    data[begin:begin + size] = bytes(size)
    path.write_bytes(data)


def cut(path, part):
    data = path.read_bytes()
    path.write_bytes(data[:int(len(data) * part)])


def join(path):
    """The film twice, as `cat` does it. Returns where the second begins."""
    data = path.read_bytes()
    path.write_bytes(data + data)
    return len(data)
