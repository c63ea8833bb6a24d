#!/usr/bin/python3
# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Reads the output of `cudahisto csv` with pandas: prints the levels of each second, and the scene changes.

    cudahisto measure film.mp4 && cudahisto csv film.jsonl | ./dataframe.py
    cudahisto csv film.jsonl -o film.csv && ./dataframe.py film.csv

Needs the package python3-pandas."""

import sys

import pandas

STEPS = 5


def read_frames(path):
    name = path or "standard input"
    try:
        frames = pandas.read_csv(path or sys.stdin)
    except OSError as error:
        sys.exit(f"dataframe.py: cannot read {name}: {error.strerror}")
    except ValueError as error:
        sys.exit(f"dataframe.py: {name} is not a table of `cudahisto csv`: {error}")
    if frames.empty or "stream_time_s" not in frames:
        sys.exit(f"dataframe.py: {name} has no frames with times; `cudahisto csv` writes such a table")
    return frames


def main():
    if len(sys.argv) > 2:
        sys.exit("usage: dataframe.py [film.csv]")
    frames = read_frames(sys.argv[1] if len(sys.argv) == 2 else None)
    luma = next(name for name in ("Y", "GRAY", "G") if f"{name}_mean" in frames)
    seconds = frames.groupby(frames["stream_time_s"].astype(int))
    levels = seconds.agg(darkest=(f"{luma}_mean", "min"), mean=(f"{luma}_mean", "mean"), brightest=(f"{luma}_mean", "max"),
                         low=(f"{luma}_low", "median"), high=(f"{luma}_high", "median"))
    print(f"{luma}, second by second:")
    print(levels.round(2).to_string())

    change = frames[f"{luma}_mean"].diff().abs()
    largest = frames.assign(step=change).nlargest(STEPS, "step")
    print("\nThe largest steps from one frame to the next:")
    print(largest[["frame", "stream_time_s", f"{luma}_mean", "step"]].to_string(index=False))


if __name__ == "__main__":
    main()
