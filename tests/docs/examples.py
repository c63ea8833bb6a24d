#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Runs the examples in the documentation and compares their output with the text.

In a page:
  ```sh     bash runs the block in the root of the repository. It must succeed.
  ```text   after such a block: its output. Each line must be in it, in this order; several may be parts of one long line.
            " ... " stands for any text. Numbers of messages and the backend's name may differ.
  ```c, ```python  after <!-- file: NAME -->: the block is written to a scratch folder, in which the page's sh blocks run.
  <!-- skip: WHY --> before a block: the block does not run, and WHY is printed.
  <!-- needs: NAME --> before a block: it is skipped if FFmpeg has no encoder of that name.
  <!-- status: N --> before a block: it must end with exit status N instead of 0.
  <!-- folder: PATH --> anywhere in a page: its sh blocks run in a scratch folder that has only the films (*.mp4) of PATH, so
            that the page must make any other file that it reads.

The program ignores other blocks.

Of other files, it runs the launch lines: in *.c, the text between |[ and ]| in gtk-doc comments; in a script, lines that begin
with `  gst-launch-1.0`. The files any.bin and clip.mp4 exist. A line with a missing element is skipped. Messages about
videotestsrc must have the component Y, since that source offers RGB formats first.

The program prints a line for each block, and `N passed, N failed, N skipped`. It exits with status 1 if a block failed."""

import argparse
import atexit
import functools
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"^(?:<!-- (?P<key>skip|file|status|needs): (?P<value>.*?) -->\n+)?```(?P<language>\w+)\n(?P<body>.*?)^```$",
                   re.MULTILINE | re.DOTALL)
LAUNCH_LINES = {
    ".c": re.compile(r"^ \* \|\[\n(?P<body>.*?)^ \* \]\|$", re.MULTILINE | re.DOTALL),
    "": re.compile(r"^  (?P<body>gst-launch-1\.0 .*)$", re.MULTILINE),
}
VARYING = [(re.compile(r"message #\d+"), "message #N"), (re.compile(r"(backend=\(string\)|counted by:? )\w+"), r"\1ANY")]


def same_for_all(text):
    for pattern, replacement in VARYING:
        text = pattern.sub(replacement, text)
    return text


def line_that_is_missing(expected, output):
    """Returns the first line of `expected` that is not in `output` after the lines before it, or None."""
    output = same_for_all(output)
    position = 0
    for line in expected.splitlines():
        parts = [re.escape(part) for part in same_for_all(line).strip().removesuffix(" ...").split(" ... ")]
        found = re.compile(".*?".join(parts)).search(output, position)
        if not found:
            return line
        position = found.end()
    return None


@functools.cache
def open_display():
    """Starts an invisible X server, which ends with this program. Returns an environment that uses it."""
    reading, writing = os.pipe()
    server = subprocess.Popen(["Xvfb", "-displayfd", str(writing), "-screen", "0", "1280x1024x24", "-nolisten", "tcp",
                               "-noreset"], pass_fds=[writing], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL)
    atexit.register(server.kill)
    os.close(writing)
    with os.fdopen(reading, encoding="ascii") as pipe:
        return {**os.environ, "DISPLAY": ":" + pipe.readline().strip()}


@functools.cache
def has_encoder(name):
    listed = subprocess.run(["ffmpeg", "-hide_banner", "-encoders"], stdout=subprocess.PIPE, encoding="utf-8", check=False)
    return name in listed.stdout.split()


def run_shell(script, folder):
    """Returns the script's exit status and output."""
    environment = open_display() if "autovideosink" in script else None
    try:
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", script], env=environment, cwd=folder, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300, encoding="utf-8", errors="replace",
                              check=False)
    except subprocess.TimeoutExpired as expired:
        output = expired.stdout or b""
        return 124, output if isinstance(output, str) else output.decode(errors="replace")
    return done.returncode, done.stdout


class Page:
    def __init__(self, path, scratch):
        with open(path, encoding="utf-8") as file:
            self.text = file.read()
        self.path = path
        self.launch_lines = LAUNCH_LINES.get(os.path.splitext(path)[1])
        self.scratch = scratch
        folder = re.search(r"^<!-- folder: (.*?) -->$", self.text, re.MULTILINE)
        self.folder = scratch if folder or "<!-- file: " in self.text else "."
        for film in glob.glob(os.path.join(folder[1], "*.mp4")) if folder else ():
            shutil.copy(film, scratch)
        self.counts = {"ok": 0, "FAILED": 0, "skipped": 0}

    def report(self, match, outcome, words, detail=""):
        self.counts[outcome] += 1
        line = self.text.count("\n", 0, match.start("body" if self.launch_lines else "language")) + 1
        print(f"{self.path}:{line}: {outcome:8}{words}")
        if detail:
            print("  | " + detail.rstrip().replace("\n", "\n  | "))
        sys.stdout.flush()

    def run_launch_lines(self):
        shutil.copy("LICENSE", os.path.join(self.scratch, "any.bin"))
        shutil.copy("build/demo/film.mp4", os.path.join(self.scratch, "clip.mp4"))
        for match in self.launch_lines.finditer(self.text):
            body = re.sub(r"^ \* ", "", match["body"], flags=re.MULTILINE)
            words = body.strip().splitlines()[0][:100]
            elements = re.findall(r"! (\w+)", re.sub(r" \| .*", "", body))
            missing = [name for name in elements if name != "video" and run_shell(f"gst-inspect-1.0 {name}", ".")[0]]
            if missing:
                self.report(match, "skipped", f"{words} (needs {missing[0]})")
                continue
            status, output = run_shell(body, self.scratch)
            if status:
                self.report(match, "FAILED", f"{words} (exit status {status})", output[-3000:])
            elif "-m videotestsrc" in body and " Y-mean" not in output:
                self.report(match, "FAILED", f"{words} (says nothing of Y)", output[-3000:])
            else:
                self.report(match, "ok", words)

    def run(self):
        if self.launch_lines:
            self.run_launch_lines()
            return
        output = None
        for match in BLOCK.finditer(self.text):
            language, body = match["language"], match["body"]
            words = body.strip().splitlines()[0][:100] if body.strip() else ""
            is_missing = match["key"] == "needs" and not has_encoder(match["value"])
            if match["key"] == "skip" or is_missing:
                if language == "sh":
                    why = f"FFmpeg has no {match['value']}" if is_missing else match["value"]
                    self.report(match, "skipped", f"{words} ({why})")
                    output = None
            elif match["key"] == "file":
                with open(os.path.join(self.folder, match["value"]), "w", encoding="utf-8") as file:
                    file.write(body)
            elif language == "sh":
                status, output = run_shell(body, self.folder)
                if status == (int(match["value"]) if match["key"] == "status" else 0):
                    self.report(match, "ok", words)
                else:
                    self.report(match, "FAILED", f"{words} (exit status {status})", output[-3000:])
            elif language == "text" and output is not None:
                line = line_that_is_missing(body, output)
                if line is None:
                    self.report(match, "ok", "the output is as shown")
                else:
                    self.report(match, "FAILED", f"not in the output: {line[:100]}", output[-3000:])
                output = None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", nargs="+", metavar="PAGE")
    counts = {}
    for path in parser.parse_args().pages:
        with tempfile.TemporaryDirectory() as scratch:
            page = Page(path, scratch)
            page.run()
            for outcome, count in page.counts.items():
                counts[outcome] = counts.get(outcome, 0) + count
    print(f"{counts['ok']} passed, {counts['FAILED']} failed, {counts['skipped']} skipped")
    sys.exit(counts["FAILED"] > 0)


main()
