# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Damaged films for the tests of the command. FFmpeg makes them, and the damage is always in the same places."""
import random
import struct
import subprocess

PATTERN = "testsrc2=size=160x120:rate=25:duration=2"
FRAMES = 50
# name: options of FFmpeg, after its input
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
    """An undamaged film."""
    path = folder / name
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", "-f", "lavfi", "-i", PATTERN, *FILMS[name].split(), path],
                   check=True)
    return path


def count(path):
    """The number of frames that FFmpeg decodes."""
    probed = subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-select_streams", "v:0", "-show_entries",
                             "stream=nb_read_frames", "-of", "csv=p=0", path], check=True, capture_output=True, text=True)
    return int(probed.stdout.strip(" ,\n"))


PICTURE = b"\0\0\1\xb6"  # start code of a picture of MPEG-4


def get_placeholder(chunk):
    """An uncoded frame with the time of a frame of MPEG-4 at 25 frames/s."""
    begin = chunk.index(PICTURE) + 4
    bits = "".join(f"{byte:08b}" for byte in chunk[begin:begin + 4])
    head = bits[:bits.index("0", 2) + 8] + "0"  # type, seconds, a marker, 5 bits of time, a marker; and: not coded
    return PICTURE + int((head + "0").ljust(24, "1"), 2).to_bytes(3, "big")


def pack(path):
    """Packs each B frame of an AVI film of MPEG-4 into the chunk of the previous frame, as DivX does. An uncoded frame takes
    its own chunk."""
    data = path.read_bytes()
    begin = data.index(b"movi")
    chunks, at = [], begin + 4
    while data[at:at + 4] == b"00dc":
        size = struct.unpack_from("<I", data, at + 4)[0]
        chunks.append(data[at + 8:at + 8 + size])
        at += 8 + size + size % 2
    is_b = [chunk[chunk.index(PICTURE) + 4] >> 6 == 2 for chunk in chunks]
    assert any(is_b) and not any(one and other for one, other in zip(is_b, is_b[1:]))
    first = chunks[0].index(PICTURE)
    chunks[0] = chunks[0][:first] + b"\0\0\1\xb2DivX503b1393p" + chunks[0][first:]
    movi, index = b"movi", b""
    for number, chunk in enumerate(chunks):
        if is_b[number]:
            chunk = get_placeholder(chunks[number - 1])
        elif is_b[number + 1:number + 2] == [True]:
            chunk += chunks[number + 1]
        index += struct.pack("<4s3I", b"00dc", 16 if number == 0 else 0, len(movi), len(chunk))
        movi += struct.pack("<4sI", b"00dc", len(chunk)) + chunk + bytes(len(chunk) % 2)
    lists = struct.pack("<4sI", b"LIST", len(movi)) + movi + struct.pack("<4sI", b"idx1", len(index)) + index
    body = data[8:begin - 8] + lists
    path.write_bytes(struct.pack("<4sI", b"RIFF", len(body)) + body)


def flip(path, spots, first=0.3):
    """Flips a bit in each of `spots` places, after the first part of the file."""
    data, chance = bytearray(path.read_bytes()), random.Random(1)
    for _ in range(spots):
        data[chance.randrange(int(len(data) * first), int(len(data) * 0.95))] ^= 1 << chance.randrange(8)
    path.write_bytes(data)


def zero(path, size, at=0.5):
    """Sets bytes to 0, as a faulty disk or transfer does."""
    data = bytearray(path.read_bytes())
    begin = int(len(data) * at)
    data[begin:begin + size] = bytes(size)
    path.write_bytes(data)


def cut(path, part):
    data = path.read_bytes()
    path.write_bytes(data[:int(len(data) * part)])


def sum_page(page):
    """The checksum of a page of Ogg."""
    sums = 0
    for byte in page:
        sums ^= byte << 24
        for _ in range(8):
            sums = (sums << 1 ^ (0x04c11db7 if sums & 0x80000000 else 0)) & 0xffffffff
    return sums


def unmark(path):
    """Removes the end mark of a GIF or Ogg film."""
    data = bytearray(path.read_bytes())
    if path.suffix == ".gif":
        del data[-1]
    else:
        page = data.rindex(b"OggS")
        data[page + 5] &= ~4
        data[page + 22:page + 26] = bytes(4)
        data[page + 22:page + 26] = struct.pack("<I", sum_page(data[page:]))
    path.write_bytes(data)


def join(path):
    """Joins the film with itself, as `cat` does. Returns the offset of the second one."""
    data = path.read_bytes()
    path.write_bytes(data + data)
    return len(data)
