#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""test_fuzz.py COMMAND: a thousand mutated lines, in large files, do not crash any subcommand that reads them."""

import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

from lines import COMMAND, cudahisto, need, run

need("ffmpeg")

SEED = int(os.environ.get("CUDAHISTO_TEST_SEED", random.randrange(2**32)))
LINES = 1000
PIECES = [b"{", b"}", b"[", b"]", b",", b":", b'"', b"null", b"true", b"NaN", b"-1", b"1e999", b"18446744073709551616", b"0.5",
          b"\\u0000", b"\xff", b"\x00", b"\n", b"\r\n", b'"components"', b'"regions"', b'"cudahisto":2,', b'"event":', b'"x"',
          b'"crop"', b'{"x":1}', b"4294967296", b'"histogram":[]', b'"frame":0', b'"1/0"', b"9" * 500, b"[" * 30,
          b'"ended-by":"\x1b[2J"']
COMMANDS = (("show",), ("show", "--rows=2000"), ("show", "--follow"), ("show", "--follow", "-c", "V"),
            ("csv",), ("csv", "--histograms"), ("csv", "--signalstats"), ("csv", "--qctools"),
            ("events",), ("events", "-f", "json"), ("events", "-f", "edl"),
            ("events", "-f", "ffmetadata"), ("light", "-f", "scenes"), ("merge",), ("merge", "-i", "0.1"),
            ("merge", "--by-file"), ("report", "-o", "-"), ("report", "-o", "report.html"))


def mutate(line, dice):
    """The line with up to four faults; some are valid JSON with other content."""
    if dice.random() < 0.4:
        value = json.loads(line)
        for _ in range(dice.randint(1, 3)):
            change_member(value, dice)
        return json.dumps(value).encode()
    line = bytearray(line)
    for _ in range(dice.randint(1, 4)):
        at, length = dice.randrange(len(line) + 1), dice.choice((0, 1, 1, 5, 50))
        line[at:at + length] = dice.choice(PIECES) if dice.random() < 0.8 else bytes(dice.randrange(256) for _ in range(3))
    return bytes(line)


def change_member(value, dice):
    """Changes, adds, or takes away a member, anywhere."""
    while value:
        key = dice.choice(list(value) if isinstance(value, dict) else range(len(value)))
        if isinstance(value[key], (dict, list)) and dice.random() < 0.7 and value[key]:
            value = value[key]
            continue
        kind = dice.randrange(4)
        if kind == 0:
            del value[key]
        elif kind == 1 and isinstance(value, dict):
            name = dice.choice(("Y-mean", "later", "x", "regions", "components", "offset", "event", "depth", "hue", "-", ""))
            value[name] = dice.choice((1, -1, 2**64, 2**130, 0.5, None, True, "text", [], [1, 2], {}, {"a": {"b": 1}},
                                       [[1], [2]]))
        else:
            value[key] = dice.choice((0, 1, 255, 2**32, 2**64 - 1, 2**64, -5, 1e300, 0.1, None, "", "\u202e\n", [],
                                      [2**63] * 3, {}))
        return


class Fuzz(unittest.TestCase):
    def test_mutated_lines(self):
        print("CUDAHISTO_TEST_SEED", SEED, file=sys.stderr)
        dice = random.Random(SEED)
        with tempfile.TemporaryDirectory(prefix="cudahisto-") as folder:
            folder = pathlib.Path(folder)
            film, sidecar = folder / "film.mkv", folder / "film.jsonl"
            run("ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=64x48:r=25,format=yuv420p", "-frames:v", 30, film)
            cudahisto("measure", "-q", film, "-o", sidecar, "-s", "signalstats+comparison+active-picture+row-sums+vectorscope",
                      "--set=regions=0,0,9,7;8,4,16,16", "-e", "freeze+scene-change+clipped", "--set=sidecar-arrays=all",
                      "--set=clipped-ratio=0", env=self.make_environment("detect_leaks=0"))  # of others' plugins
            good = sidecar.read_bytes().splitlines()
            # A file begins with valid lines, so that reading is not given up.
            for number in range(4):
                bad = [mutate(dice.choice(good), dice) for _ in range(LINES // 4)]
                (folder / f"{number}.jsonl").write_bytes(b"\n".join(good[:3] + bad))
            for command in COMMANDS:
                for number in range(4):
                    self.run_quietly(*command, folder / f"{number}.jsonl")

    def make_environment(self, asan_option):
        return {**os.environ, "G_DEBUG": "fatal-criticals", "LC_ALL": "C.UTF-8",
                "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":" + asan_option}

    def run_quietly(self, *arguments):
        """It ends normally, and prints no internals."""
        if "--follow" in arguments:  # from a pipe, which ends
            arguments, options = (*arguments[:-1], "-"), {"input": arguments[-1].read_bytes()}
        else:
            options = {"cwd": arguments[-1].parent}
        done = subprocess.run([COMMAND, *arguments], **options, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=200,
                              check=False, env=self.make_environment("exitcode=99"))
        self.assertIn(done.returncode, (0, 1, 2), f"{arguments}, seed {SEED}: {done.stderr.decode(errors='replace')[-3000:]}")
        for said in done.stderr.decode().splitlines():
            self.assertRegex(said, "^cudahisto: ", f"{arguments}, seed {SEED}")
        if arguments[0] in ("show", "events") and "json" not in arguments:
            self.assertTrue(all(line.isprintable() for line in done.stdout.decode().split("\n")), f"{arguments}, seed {SEED}")


unittest.main()
