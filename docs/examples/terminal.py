#!/usr/bin/python3
# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""terminal.py [FILE|URI|/dev/videoN]: shows the live histogram of luma, and below it the means of earlier frames, in a terminal
of any size. Without an argument it shows a test picture. Ctrl-C ends it."""

import pathlib
import shutil
import sys
from collections import deque

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstCudaHisto", "1.0")
from gi.repository import GLib, Gst, GstCudaHisto

BLOCKS = " ▁▂▃▄▅▆▇█"
NO_VIDEO = "No video found, or no installed plugin decodes it; list the streams with gst-discoverer-1.0."
HOME, CLEAR_LINE, CLEAR_BELOW, HIDE, SHOW = "\033[H", "\033[K", "\033[J", "\033[?25l", "\033[?25h"


def find_source(name):
    if name is None:
        return "videotestsrc is-live=true pattern=ball"
    if name.startswith("/dev/video"):
        return f"v4l2src device={name}"
    uri = name if Gst.uri_is_valid(name) else pathlib.Path(name).resolve().as_uri()
    return f'uridecodebin uri="{uri}" caps=video/x-raw'


def draw_bars(values, peak, rows):
    """Lines of text from the top, with a column for each value."""
    eighths = [round(8 * rows * value / peak) if peak else 0 for value in values]
    eighths = [max(n, 1) if value else 0 for n, value in zip(eighths, values)]  # values above 0 are visible
    return ["".join(BLOCKS[min(max(n - 8 * row, 0), 8)] for n in eighths) for row in reversed(range(rows))]


def gather(bins, columns):
    """Sums adjacent bins, one sum for each column."""
    edges = [i * len(bins) // columns for i in range(columns + 1)]
    return [sum(bins[first:end]) for first, end in zip(edges, edges[1:])]


def draw(result, means, size):
    luma = result.get_main_component()
    means.append(luma.mean)
    columns, rows = min(max(size.columns - 1, 1), 256), max(size.lines - 6, 1)
    bars = gather(luma.get_histogram(), columns)
    past = list(means)[-columns:]
    text = [f"{luma.name} of frame {result.frame}: mean {luma.mean:.1f}, {luma.min} to {luma.max}, median {luma.median}",
            *draw_bars(bars, max(bars), rows),
            "0" + f"{2 ** result.depth - 1}".rjust(columns - 1),
            *draw_bars(past, 2 ** result.depth - 1, 2)]
    shown = "".join(line[:size.columns - 1] + CLEAR_LINE + "\n" for line in text[:size.lines - 1])
    print(HOME + shown + CLEAR_BELOW, end="", flush=True)


def main():
    if len(sys.argv) > 2:
        sys.exit("usage: terminal.py [FILE|URI|/dev/videoN]")
    Gst.init(None)
    means, loop, failed = deque(maxlen=256), GLib.MainLoop(), []
    pipeline = Gst.parse_launch(f"{find_source(sys.argv[1] if len(sys.argv) > 1 else None)} ! videoconvert ! queue "
                                "! cudahisto message-arrays=packed interval=50000000 ! fakesink sync=true")

    def read(_, message):
        if result := GstCudaHisto.Result.from_message(message):
            draw(result, means, shutil.get_terminal_size())
        elif message.type == Gst.MessageType.ERROR:
            error = message.parse_error().gerror
            lacks_video = error.matches(Gst.CoreError.quark(), Gst.CoreError.MISSING_PLUGIN)
            failed.append(NO_VIDEO if lacks_video else error.message)
            loop.quit()
        elif message.type == Gst.MessageType.EOS:
            loop.quit()

    bus = pipeline.get_bus()
    bus.add_signal_watch()
    bus.connect("message", read)
    print(HIDE + HOME + CLEAR_BELOW, end="")
    try:
        pipeline.set_state(Gst.State.PLAYING)
        loop.run()
    except KeyboardInterrupt:
        pass
    finally:
        print(SHOW, end="", flush=True)
        pipeline.set_state(Gst.State.NULL)
    sys.exit(failed[0] if failed else 0)


main()
