#!/usr/bin/python3
# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Converts lines of a sidecar on standard input for InfluxDB: prints its line protocol, or sends it to a server.

    cudahisto measure --interval 1s -o - rtsp://camera/1 | ./influxdb.py camera1 'http://localhost:8086/write?db=video'

Measurement `picture` has a point for each component of each result (tag `component`), and one without that tag for the whole
picture. `region` has the same for each region (tag `region`). `event` has a point for each event (tag `kind`), complete when
it ends. The time of a point is the time of day of its first frame. With a URL, points are sent once a second; it is an error
if the server refuses one."""

import datetime
import json
import sys
import time
import urllib.request

WIDE = {"sum", "sum-of-squares", "sad", "ssd", "dot", "metered-luma-sum"}  # may exceed 63 bits: always floats
NO_FIELDS = {"cudahisto", "utc-time", "components", "event"}


def escape(text):
    """Escapes a tag for the line protocol: it cannot end with a backslash or contain a newline."""
    text = text.replace("\\", "/").replace("\n", " ")
    for character in ", =":
        text = text.replace(character, "\\" + character)
    return text


def find_fields(record):
    """Numbers and strings; those of a nested object as `saturation-mean`. No arrays, and no unknown or infinite values."""
    for name, value in record.items():
        if name in NO_FIELDS:
            continue
        if isinstance(value, dict):
            yield from ((f"{name}-{inner}", text) for inner, text in find_fields(value))
        elif isinstance(value, str):
            yield name, '"' + value.replace("\n", " ").replace("\\", "\\\\").replace('"', '\\"') + '"'
        elif isinstance(value, int) and name not in WIDE:
            yield name, f"{value}i"
        elif isinstance(value, (int, float)):
            yield name, repr(float(value))


def make_point(measurement, tags, record, at):
    key = ",".join([measurement, *(f"{name}={escape(tag)}" for name, tag in tags.items())])
    return f"{key} {','.join(f'{name}={value}' for name, value in find_fields(record))} {at}"


def nanoseconds(utc_time):
    return round(datetime.datetime.fromisoformat(utc_time.replace("Z", "+00:00")).timestamp() * 10**6) * 1000


def points(stream, line):
    at = nanoseconds(line["utc-time"])
    if "event" in line:
        yield make_point("event", {"stream": stream, "kind": line["event"]}, line, at)
        return
    parts = [("picture", {}, line)]
    for region in line.get("regions", []):
        name = "{type} {id}" if "id" in region else "{width}x{height}+{x}+{y}"
        parts.append(("region", {"region": name.format(**{"type": "region", **region})}, region))
    place = {"frame": line["frame"], "frames": line["frames"]}
    for measurement, tags, part in parts:
        tags = {"stream": stream, **tags}
        yield make_point(measurement, tags, {**place, **part}, at)
        for name, numbers in part["components"].items():
            yield make_point(measurement, {**tags, "component": name}, {**place, **numbers}, at)


def deliver(url, waiting):
    text = "\n".join(waiting)
    try:
        if url is None and waiting:
            print(text, flush=True)
        elif waiting:
            urllib.request.urlopen(urllib.request.Request(url, text.encode(), method="POST"), timeout=10).close()
    except OSError as error:
        sys.exit(f"influxdb.py: {url or 'standard output'}: {error} {error.read().decode() if hasattr(error, 'read') else ''}")


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit("usage: influxdb.py STREAM [URL] < film.jsonl")
    stream, url = sys.argv[1], sys.argv[2] if len(sys.argv) == 3 else None
    waiting, sent = [], time.monotonic()
    for line in sys.stdin:
        waiting += points(stream, json.loads(line))
        if url is None or time.monotonic() - sent >= 1:
            deliver(url, waiting)
            waiting, sent = [], time.monotonic()
    deliver(url, waiting)


if __name__ == "__main__":
    main()
