#!/usr/bin/python3
# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Lines of a sidecar on standard input, for InfluxDB: its line protocol on standard output, or sent to a server.

    cudahisto measure --interval 1s -o - rtsp://camera/1 | ./influxdb.py camera1 'http://localhost:8086/write?db=video'

A point for each component of each result, at the time of day at which its first frame came, and one for each line of an event.
With a URL, points are sent once a second, and at the end; what the server does not take ends the program."""

import datetime
import json
import sys
import time
import urllib.error
import urllib.request


def escape(text):
    """Of a tag: https://docs.influxdata.com/influxdb/v1/write_protocols/line_protocol_reference/

    A backslash cannot end one, nor can a newline be in it."""
    text = text.replace("\\", "/").replace("\n", " ")
    for character in ", =":
        text = text.replace(character, "\\" + character)
    return text


def field(value):
    if isinstance(value, bool) or value is None or isinstance(value, (list, dict)):
        return None
    if isinstance(value, int):
        return f"{value}i" if -2**63 <= value < 2**63 else repr(float(value))
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return repr(value)


def fields(numbers):
    pairs = ((name, field(value)) for name, value in numbers.items())
    return ",".join(f"{escape(name)}={value}" for name, value in pairs if value is not None)


def nanoseconds(utc_time):
    when = datetime.datetime.fromisoformat(utc_time.replace("Z", "+00:00"))
    since = when - datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
    return ((since.days * 86400 + since.seconds) * 10**6 + since.microseconds) * 1000


def points(stream, line):
    tag = f"stream={escape(stream)}"
    if "event" in line:
        yield f"event,{tag},kind={escape(line['event'])} {fields(line)} {time.time_ns()}"
        return
    for name, numbers in line["components"].items():
        values = fields({"frame": line["frame"], "frames": line["frames"], **numbers})
        yield f"picture,{tag},component={escape(name)} {values} {nanoseconds(line['utc-time'])}"


def send(url, waiting):
    if not waiting:
        return
    try:
        urllib.request.urlopen(urllib.request.Request(url, "\n".join(waiting).encode(), method="POST"), timeout=10).close()
    except urllib.error.HTTPError as error:
        sys.exit(f"influxdb.py: {error}: {error.read().decode(errors='replace')}")
    except OSError as error:
        sys.exit(f"influxdb.py: {url}: {error}")


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit("usage: influxdb.py STREAM [URL] < film.jsonl")
    stream, url = sys.argv[1], sys.argv[2] if len(sys.argv) == 3 else None
    waiting, sent = [], time.monotonic()
    for line in sys.stdin:
        for point in points(stream, json.loads(line)):
            if url is None:
                print(point, flush=True)
            else:
                waiting.append(point)
        if url is not None and time.monotonic() - sent >= 1:
            send(url, waiting)
            waiting, sent = [], time.monotonic()
    if url is not None:
        send(url, waiting)


if __name__ == "__main__":
    main()
