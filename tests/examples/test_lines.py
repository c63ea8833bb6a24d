#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""test_lines.py FOLDER COMMAND: the examples in FOLDER that read lines of a sidecar, against the real ones: InfluxDB's server,
that is asked what it has stored, promtool, and pandas. What this machine has not is skipped by name."""

import datetime
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.parse
import urllib.request

COMMAND = sys.argv.pop(2)
EXAMPLES = sys.argv.pop(1)
PYTHON = "/usr/bin/python3"
STREAM = 'cam "1",a=b\\'
PIPELINE = """videotestsrc num-buffers=100 pattern=black ! video/x-raw,format=I420,width=320,height=240,framerate=25/1
  ! cudahisto backend=cpu events=black interval=1000000000 post-messages=false sidecar-slow=block sidecar-location=-
  ! fakesink"""
# All numbers that there are: of components, of the picture, of its regions, and of a reference.
EVERYTHING = """videotestsrc num-buffers=75 pattern=ball ! video/x-raw,format=I420,width=320,height=240,framerate=25/1
  ! cudahisto backend=cpu interval=1000000000 post-messages=false sidecar-slow=block sidecar-location=- reference-location={}
  statistics=signalstats+gamut+comparison+active-picture metering=average regions=0,0,64,64;64,32,100,100 dot=previous
  ! fakesink"""

CONFIGURATION = """reporting-disabled = true
bind-address = "127.0.0.1:0"
[meta]
  dir = "{folder}/meta"
[data]
  dir = "{folder}/data"
  wal-dir = "{folder}/wal"
[http]
  bind-address = "127.0.0.1:{port}"
"""


def measure(pipeline=PIPELINE):
    return subprocess.run(["gst-launch-1.0", "-q", *pipeline.split()], check=True, stdout=subprocess.PIPE).stdout


def flatten(record, *without):
    """What a point has to have of it: numbers and texts, those of objects with the object's name in front."""
    flat = {}
    for name, value in record.items():
        if isinstance(value, dict) and name not in without:
            flat.update({f"{name}-{inner}": number for inner, number in flatten(value).items()})
        elif isinstance(value, (int, float, str)) and name not in without:
            flat[name] = value
    return flat


def run(example, *arguments, lines):
    return subprocess.run([PYTHON, os.path.join(EXAMPLES, example), *arguments], input=lines, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False)


class Server:
    def __init__(self, folder):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        path = os.path.join(folder, "influxdb.conf")
        with open(path, "w", encoding="utf-8") as file:
            file.write(CONFIGURATION.format(folder=folder, port=port))
        self.url = f"http://127.0.0.1:{port}"
        self.process = subprocess.Popen(["influxd", "-config", path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(600):
            try:
                urllib.request.urlopen(self.url + "/ping", timeout=5).close()
                return
            except OSError:
                time.sleep(0.1)
        raise TimeoutError("influxd does not answer")

    def query(self, text):
        data = urllib.parse.urlencode({"db": "video", "q": text, "epoch": "ns"}).encode()
        with urllib.request.urlopen(self.url + "/query", data=data, timeout=30) as answer:
            series = json.load(answer)["results"][0].get("series", [])
        return [dict(zip(one["columns"], row)) for one in series for row in one["values"]]

    def stop(self):
        self.process.terminate()
        self.process.wait()


class Databases(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.lines = measure()
        read = [json.loads(line) for line in cls.lines.splitlines()]
        cls.results = [line for line in read if "event" not in line]
        cls.events = [line for line in read if "event" in line]

    def test_lines(self):
        self.assertEqual(len(self.results), 4)
        self.assertEqual([event["ended-by"] if "ended-by" in event else None for event in self.events], [None, "eos"])

    @unittest.skipUnless(shutil.which("influxd"), "influxd (package influxdb) is not installed")
    def test_influxdb(self):
        with tempfile.TemporaryDirectory() as folder:
            server = Server(folder)
            try:
                server.query("create database video")
                done = run("influxdb.py", STREAM, server.url + "/write?db=video", lines=self.lines)
                self.assertEqual((done.returncode, done.stderr), (0, b""))
                for name in "Y", "U", "V":
                    rows = server.query(f"select * from picture where component = '{name}'")
                    self.assertEqual(len(rows), len(self.results))
                    for row, result in zip(rows, self.results):
                        self.assertEqual(row["stream"], STREAM.replace("\\", "/"))
                        for field, value in result["components"][name].items():
                            if field != "histogram":
                                self.assertEqual(row[field], value, field)
                event, = server.query("select * from event")  # its beginning and its end, at its first frame
                self.assertEqual((event["ended-by"], event["kind"]), ("eos", "black"))
                for field, value in flatten(self.events[-1], "cudahisto", "event", "utc-time").items():
                    self.assertEqual(event[field], value, field)
                at = datetime.datetime.fromisoformat(self.events[0]["utc-time"].replace("Z", "+00:00"))
                self.assertEqual(event["time"] // 1000, round(at.timestamp() * 10**6))
                self.check_everything(server, folder)
                done = run("influxdb.py", STREAM, server.url + "/write?db=none", lines=self.lines)
                self.assertEqual(done.returncode, 1)
                self.assertIn(b"database not found", done.stderr)
            finally:
                server.stop()

    def check_everything(self, server, folder):
        reference = os.path.join(folder, "reference.y4m")
        subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=320x240:r=25:d=3", "-pix_fmt",
                        "yuv420p", reference], check=True)
        lines = measure(EVERYTHING.format(reference))
        done = run("influxdb.py", "all", server.url + "/write?db=video", lines=lines)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        results = [json.loads(line) for line in lines.splitlines()]
        self.assertEqual(len(results), 3)
        for result in results:
            self.assertLess(0, result["components"]["Y"]["reference"]["psnr"])
        of_line = ("cudahisto", "utc-time", "components")
        self.check_points(server, "picture", "component = ''", [flatten(result, *of_line) for result in results])
        for name in "Y", "U", "V":
            self.check_points(server, "picture", f"component = '{name}'",
                              [flatten(result["components"][name]) for result in results])
        for index, name in enumerate(("64x64+0+0", "100x100+64+32")):
            regions = [result["regions"][index] for result in results]
            self.check_points(server, "region", f"region = '{name}' and component = ''",
                              [flatten(region, "components") for region in regions])
            self.check_points(server, "region", f"region = '{name}' and component = 'V'",
                              [flatten(region["components"]["V"]) for region in regions])

    def check_points(self, server, measurement, which, expected):
        rows = server.query(f"select * from {measurement} where stream = 'all' and {which}")
        self.assertEqual(len(rows), len(expected))
        for row, numbers in zip(rows, expected):
            self.assertGreater(len(numbers), 10)
            self.assertEqual({name: row.get(name) for name in numbers}, numbers)

    @unittest.skipUnless(shutil.which("promtool"), "promtool (package prometheus) is not installed")
    def test_prometheus(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "film.prom")
            # The mark of `cudahisto measure` that it has not come to the end of a film is no event in it.
            mark = b'{"cudahisto":1,"event":"incomplete","start":4000000000,"end":null,"frame":100,"reason":"interrupted"}\n'
            done = run("prometheus.py", STREAM, path, lines=self.lines + mark)
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            self.assertEqual(os.listdir(folder), ["film.prom"])
            with open(path, encoding="utf-8") as file:
                text = file.read()
        checked = subprocess.run(["promtool", "check", "metrics"], input=text, stdout=subprocess.PIPE, encoding="utf-8",
                                 stderr=subprocess.STDOUT, check=False)
        self.assertEqual((checked.returncode, checked.stdout), (0, ""))
        label = '{stream="cam \\"1\\",a=b\\\\"'
        last = self.results[-1]["components"]["Y"]
        for line in (f"cudahisto_frames_total{label}}} 100", f'cudahisto_mean{label},component="Y"}} {last["mean"]!r}',
                     f'cudahisto_events_total{label},event="black"}} 1', f'cudahisto_event{label},event="black"}} 0'):
            self.assertIn("\n" + line + "\n", text)
        self.assertNotIn("incomplete", text)

    @unittest.skipIf(subprocess.run([PYTHON, "-c", "import pandas"], capture_output=True, check=False).returncode,
                     "the package python3-pandas is not installed")
    def test_dataframe(self):
        rows = subprocess.run([COMMAND, "csv", "-"], input=self.lines, stdout=subprocess.PIPE, check=True).stdout
        done = run("dataframe.py", lines=rows)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        table = [line.split() for line in done.stdout.decode().splitlines()]
        seconds = [[float(word) for word in words] for words in table if len(words) == 6]
        luma = [result["components"]["Y"] for result in self.results]
        self.assertEqual(seconds, [[second, y["mean"], y["mean"], y["mean"], y["low"], y["high"]]
                                   for second, y in enumerate(luma)])
        with tempfile.TemporaryDirectory() as folder:
            table = os.path.join(folder, "film.csv")
            with open(table, "wb") as file:
                file.write(rows)
            of_file = run("dataframe.py", table, lines=b"")
            self.assertEqual((of_file.returncode, of_file.stdout, of_file.stderr), (0, done.stdout, b""))
            for arguments, fault in (([os.path.join(folder, "none.csv")], b"none.csv: No such file or directory\n"),
                                     ([folder], b": Is a directory\n"), ([table, table], b"usage: dataframe.py [film.csv]\n")):
                done = run("dataframe.py", *arguments, lines=rows)
                self.assertEqual((done.returncode, done.stdout, done.stderr[-len(fault):]), (1, b"", fault))
        for lines, fault in ((b"a,b\n", b"has no frames with times"), (b"", b"is not a table of `cudahisto csv`"),
                             (self.lines, b"")):
            done = run("dataframe.py", lines=lines)
            self.assertEqual((done.returncode, done.stdout, done.stderr.count(b"\n")), (1, b"", 1))
            self.assertTrue(done.stderr.startswith(b"dataframe.py: standard input " + fault), done.stderr)


unittest.main(verbosity=2)
