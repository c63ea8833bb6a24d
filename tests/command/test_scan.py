# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""test_scan.py COMMAND: a scan finds films by content, measures each once, loses nothing when it is killed, and its index
accounts for each film."""
import csv
import html.parser
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import time
import unittest
import urllib.parse

import films
from lines import COMMAND, FolderTest, cudahisto, need, read, run

need("ffmpeg")

NAMES = ("frames", "format", "width", "height", "framerate", "colorimetry")
FILMS = {
    "picture.mp4": ("testsrc2=s=160x120:r=25:d=0.8,format=yuv420p", "libx264"),
    "black.mkv": ("color=s=160x120:r=25:d=3,format=yuv420p", "ffv1"),
    "rgb.avi": ("testsrc=s=64x48:r=25:d=0.4,format=bgr0", "rawvideo"),
}
# Accepted in names by Linux.
BAD_NAMES = (b"new\nline.mp4", b"quo\"te'.mp4", b"<b>&amp;.mp4", b"\xff\xfe.mp4", b"a,b.mp4", b"50%20#?x.mp4", b"-o.mp4",
             b" = .mp4", "é.mp4".encode())


def make(name):
    """Returns a small film; FFmpeg makes it the first time."""
    path = pathlib.Path(films.folder.name, "scan-" + name)
    if not path.exists():
        graph, codec = FILMS[name]
        run("ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", graph, "-c:v", codec, path)
    return path


class Page(html.parser.HTMLParser):
    """The links, elements and text of a page."""

    def __init__(self, text):
        super().__init__()
        self.links, self.elements, self.text, self.titles = [], set(), "", []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.add(tag)
        attributes = dict(attrs)
        self.links += [attributes["href"]] if tag == "a" else []
        self.titles += [attributes["title"]] if "title" in attributes else []

    def handle_data(self, data):
        self.text += data


class ScanTest(FolderTest):
    def setUp(self):
        super().setUp()
        self.out = self.folder / "results"
        self.tapes = self.folder / "tapes"
        self.tapes.mkdir()

    def put(self, name="picture.mp4", *wheres):
        """Copies a film to paths in the folder of films."""
        for where in wheres or (name,):
            path = os.fsencode(self.tapes) + b"/" + (where if isinstance(where, bytes) else where.encode())
            os.makedirs(os.path.dirname(path), exist_ok=True)
            shutil.copy(make(name), path)

    def start(self, *arguments, **options):
        return subprocess.Popen([COMMAND, "scan", "-o", self.out, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                cwd=self.folder, env=films.make_environment(), **options)

    def scan(self, *arguments, status=0, stdin=None, **options):
        """Returns the messages."""
        process = self.start(*arguments, stdin=subprocess.PIPE, **options)
        out, said = process.communicate(stdin, timeout=300)
        said = said.decode()
        self.assertEqual((process.returncode, out), (status, b""), said)
        self.check_account(said)
        return said

    def check_account(self, said):
        """Each film has one status, and the summary has the numbers of the index."""
        found = re.search(r"^(\d+) films?((?:, \d+ [a-z ]+)*); (\d+) measured in", said, re.MULTILINE)
        if not found:
            return
        counts = {words: int(count) for count, words in re.findall(r"(\d+) ([a-z ]+)", found[2])}
        statuses = [row["status"] for row in self.index()]
        self.assertEqual(len(statuses), int(found[1]))
        self.assertEqual(sum(counts.get(one, 0) for one in ("complete", "damaged", "failed", "missing")), int(found[1]))
        for one in ("complete", "damaged", "failed", "missing"):
            self.assertEqual(statuses.count(one), counts.get(one, 0))
        page = Page((self.out / "index.html").read_text())
        self.assertIn(f"{found[1]} film", page.text)

    def count_measured(self, said):
        return int(re.search(r"; (\d+) measured in", said)[1])

    def index(self):
        with open(self.out / "index.csv", encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file, strict=True))

    def list_results(self):
        """The results with a final name, in bytes."""
        root = os.fsencode(self.out)
        return sorted(os.path.relpath(os.path.join(folder, name), root) for folder, _, names in os.walk(root)
                      for name in names if name.endswith(b".jsonl") and b"/.scan" not in folder and name != b"summary.jsonl")

    def check_no_rest(self):
        """Nothing temporary is left."""
        kinds = {".film", ".lock", ".sum"}
        for folder, _, names in os.walk(self.out / ".scan"):
            for name in names:
                self.assertIn(pathlib.Path(name).suffix, kinds, folder)
        self.assertEqual([path for path in self.out.rglob(".cudahisto-*")], [])

    def wait_for(self, condition, process):
        end = time.monotonic() + 200
        while not condition():
            self.assertIsNone(process.poll(), "the scan ended")
            self.assertLess(time.monotonic(), end)
            time.sleep(0.005)

    def list_children(self, process):
        try:
            return [int(pid) for pid in pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()]
        except FileNotFoundError:
            self.skipTest("this kernel does not list children")


class Folders(ScanTest):
    def test_content_not_names(self):
        self.put("picture.mp4", "a.mp4", "deep/er/b", "c.txt")
        self.put("black.mkv", "deep/d.wrong")
        self.put("rgb.avi", "e.avi")
        (self.tapes / "notes.txt").write_text("a.mp4\n" * 1000)
        (self.tapes / "empty.mp4").write_text("")
        (self.tapes / "page.html").write_text("<!DOCTYPE html><html>")
        shutil.copy(films.get("picture.png"), self.tapes)
        shutil.copy(films.get("only-sound.m4a"), self.tapes)
        os.mkfifo(self.tapes / "fifo.mp4")
        (self.tapes / "deep" / "up").symlink_to("..")
        (self.tapes / "self").symlink_to(".")
        self.scan("tapes")
        names = [b"a.mp4", b"c.txt", b"deep/d.wrong", b"deep/er/b", b"e.avi"]
        self.assertEqual(self.list_results(), [b"tapes/" + name + b".jsonl" for name in names])
        self.assertEqual([row["film"] for row in self.index()], [str(self.tapes / name.decode()) for name in names])
        self.assertEqual({row["status"] for row in self.index()}, {"complete"})
        self.check_no_rest()

    def test_results_inside(self):
        """The folder of results is skipped, by whatever name; it cannot be the folder of the films."""
        self.out = self.tapes / "results"
        self.put()
        self.scan("tapes")
        shutil.copy(make("picture.mp4"), self.out)
        (self.folder / "other").symlink_to(self.tapes)
        self.assertEqual(self.count_measured(self.scan(self.folder / "other/../tapes")), 0)
        self.scan("other")
        self.assertEqual(self.list_results(), [b"other/picture.mp4.jsonl", b"tapes/picture.mp4.jsonl"])
        self.out = self.tapes
        self.assertIn("is the folder of the results: name another one", self.scan("tapes", status=2))
        self.assertEqual(sorted(os.listdir(self.tapes)), ["picture.mp4", "results"])

    def test_nothing(self):
        (self.tapes / "notes.txt").write_text("hello\n")
        self.assertEqual(self.scan("tapes", status=2),
                         "cudahisto: there are no films: scan measures files whose content is video\n")
        self.assertFalse(self.out.exists())
        for arguments, said in ((("tapes", "no"), '"no" cannot be read: No such file'), ((), "scan: name a folder"),
                                ((make("picture.mp4"), films.get("picture.png")), "is neither a film, a folder nor a list")):
            self.assertIn(said, self.scan(*arguments, status=2))
        self.assertFalse(self.out.exists())
        self.assertIn("name the folder of the results",
                      subprocess.run([COMMAND, "scan", self.tapes], stderr=subprocess.PIPE, text=True, check=False).stderr)

    def test_what_cannot_be_read(self):
        """A broken link and a folder without permission are reported; other films are measured."""
        self.put()
        (self.tapes / "gone.mp4").symlink_to("nowhere")
        self.assertIn('gone.mp4" cannot be read: No such file', self.scan("tapes", status=2))
        self.assertEqual(self.list_results(), [b"tapes/picture.mp4.jsonl"])
        (self.tapes / "gone.mp4").unlink()
        (self.tapes / "closed").mkdir(mode=0)
        self.addCleanup((self.tapes / "closed").chmod, 0o700)
        if os.geteuid() == 0:
            self.skipTest("root can read every folder")
        self.assertIn('closed" cannot be read: Permission denied', self.scan("tapes", status=2))

    def test_bad_names(self):
        for name in BAD_NAMES:
            self.put("picture.mp4", b"in/" + name)
        said = self.scan("tapes")
        self.assertNotIn("\x1b", said)
        self.assertEqual(self.list_results(), sorted(b"tapes/in/" + name + b".jsonl" for name in BAD_NAMES))
        self.assertEqual(sorted(row["film"] for row in self.index()),
                         sorted(str(self.tapes / "in/") + "/" + name.decode(errors="replace") for name in BAD_NAMES))
        text = (self.out / "index.html").read_text(encoding="utf-8")
        page = Page(text)
        self.assertNotIn("b", page.elements)
        self.assertIn("<b>&amp;.mp4", page.text)
        links = [urllib.parse.unquote_to_bytes(link) for link in page.links]
        self.assertEqual(len(links), len(BAD_NAMES) + 2)
        for link in links:
            self.assertTrue(os.path.exists(os.path.join(os.fsencode(self.out), link)), link)


class Lists(ScanTest):
    def test_forms(self):
        self.put("picture.mp4", "a.mp4", "b c.mp4")
        names = ["tapes/a.mp4", "tapes/b c.mp4", str(self.tapes / "a.mp4"), "tapes/../tapes/a.mp4"]
        for text in ("\n".join(names), "\r\n".join(names) + "\r\n\r\n", "\0".join(names) + "\0", "\ufeff" + "\n".join(names)):
            (self.folder / "list").write_bytes(text.encode())
            self.scan("list")
            self.assertEqual([row["film"] for row in self.index()], [str(self.tapes / name) for name in ("a.mp4", "b c.mp4")])
            self.assertEqual(self.list_results(), [b"tapes/a.mp4.jsonl", b"tapes/b c.mp4.jsonl"])
            self.scan("-", stdin=text.encode())
            self.assertEqual(len(self.index()), 2)

    def test_pipe(self):
        """A shell's <(find ...)."""
        for name in BAD_NAMES:
            self.put("picture.mp4", name)
        done = subprocess.run(["bash", "-c", '"$1" scan -o results <(find tapes -type f -print0)', "-", COMMAND],
                              cwd=self.folder, capture_output=True, env=films.make_environment(), check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.list_results(), sorted(b"tapes/" + name + b".jsonl" for name in BAD_NAMES))

    def test_folder_in_list(self):
        self.put("picture.mp4", "a.mp4", "b/c.mp4")
        self.scan("-", stdin=b"tapes/b\ntapes/a.mp4\n")
        self.assertEqual(self.list_results(), [b"b/c.mp4.jsonl", b"tapes/a.mp4.jsonl"])

    def test_missing(self):
        """A film that is missing has its sentence, and keeps the results of an earlier scan."""
        self.put("picture.mp4", "a.mp4", "b.mp4")
        names = b"tapes/a.mp4\ntapes/b.mp4\ntapes/never.mp4\n"
        said = self.scan("-", stdin=names, status=2)
        self.assertIn('never.mp4" cannot be read: No such file', said)
        self.assertIn("3 films, 2 complete, 1 missing; 2 measured", said)
        (self.tapes / "a.mp4").unlink()
        self.assertIn("3 films, 1 complete, 2 missing; 0 measured", self.scan("-", stdin=names, status=2))
        self.assertEqual(self.list_results(), [b"tapes/a.mp4.jsonl", b"tapes/b.mp4.jsonl"])
        row = self.index()[0]
        self.assertEqual((row["status"], row["message"], row["frames"]), ("missing", "No such file or directory", ""))

    def test_no_film(self):
        """A text in a list of films is measured, and fails."""
        self.put()
        (self.tapes / "text").write_text("hello")
        said = self.scan("-", stdin=b"tapes/text\ntapes/picture.mp4\n", status=2)
        self.assertIn("2 films, 1 complete, 1 failed; 2 measured", said)
        self.assertIn('tapes/text"', self.index()[0]["message"])
        self.assertEqual(self.list_results(), [b"tapes/picture.mp4.jsonl"])

    def test_uris(self):
        """A file's URI is its path. Names of others have neither password nor query, and stay in the folder."""
        self.put()
        self.scan((self.tapes / "picture.mp4").as_uri(), "tapes/picture.mp4")
        self.assertEqual(self.list_results(), [b"tapes/picture.mp4.jsonl"])
        secret = "http://user:secret@localhost:1/../../x/./film.mp4?token=secret"
        self.scan("-", stdin=secret.encode() + b"\n" + secret.encode() + b"2\n", status=2)
        self.assertEqual([row["status"] for row in self.index()], ["failed", "failed"])
        written = [os.path.join(folder, name) for folder, _, names in os.walk(self.folder) for name in names]
        self.assertNotIn("secret", "".join(written))
        for path in written:
            if not path.endswith((".mp4", ".film")):
                self.assertNotIn(b"secret", pathlib.Path(path).read_bytes(), path)
        self.assertTrue(all(path.startswith((str(self.out), str(self.tapes))) for path in written))
        self.assertEqual(sum("/x/film.mp4-" in path and path.endswith(".film") for path in written), 2)


class Names(ScanTest):
    def test_stable(self):
        """A name depends on the film only: films that come, go or fail do not change it."""
        self.put("picture.mp4", "b/x.mp4", "c.mp4")
        self.scan("tapes")
        before = self.list_results()
        self.put("picture.mp4", "a/x.mp4", "b/a.mp4")
        self.assertEqual(self.count_measured(self.scan(str(self.tapes) + "/", "--jobs=1")), 2)
        self.assertLess(set(before), set(self.list_results()))

    def test_collisions(self):
        (self.folder / "one/tapes").mkdir(parents=True)
        shutil.copy(make("picture.mp4"), self.folder / "one/tapes/picture.mp4")
        self.put()
        said = self.scan("tapes", "one/tapes", status=2)
        self.assertIn('would have the same name: scan them into different folders', said)
        self.assertFalse(self.out.exists())
        self.scan("tapes", "tapes/picture.mp4", "tapes")  # the same film
        self.assertEqual(len(self.index()), 1)

    def test_own_files(self):
        """No film has the name of a file of the scan, or of another film."""
        names = ["a", "a.sum", "a.film", "a.lock", "a.jsonl", "a.html", "a.page", "a.verdict", "index", "index.html", "summary",
                 "summary.jsonl", "_"]
        for name in names:
            shutil.copy(make("picture.mp4"), self.folder / name)
        (self.folder / ".scan").mkdir()
        shutil.copy(make("picture.mp4"), self.folder / ".scan/a")
        self.scan("-p", "black", *names, ".scan/a")
        self.assertEqual(len(self.list_results()), len(names) + 1)
        for row in self.index():
            self.assertEqual((row["status"], row["frames"], row["verdict"]), ("complete", "20", "pass"))
            self.assertEqual(len(read(self.out / row["results"])), 20)
        self.assertEqual(len({row["results"] for row in self.index()}), len(names) + 1)
        self.assertEqual(self.count_measured(self.scan("-p", "black", *names, ".scan/a")), 0)

    def test_foreign_files(self):
        """Files that no scan wrote are kept, unless --force."""
        self.put()
        (self.out / "tapes").mkdir(parents=True)
        for name in ("tapes/picture.mp4.jsonl", "tapes/picture.mp4.html"):
            (self.out / name).write_text("mine")
            said = self.scan("tapes", status=2)
            self.assertIn(f'{name}" exists, and no scan wrote it: use another folder, or --force', said)
            self.assertIn("1 film, 1 missing; 0 measured", said)
            self.assertEqual((self.out / name).read_text(), "mine")
            self.scan("tapes", "--force")
            self.assertNotEqual((self.out / name).read_text(), "mine")
            shutil.rmtree(self.out)
            (self.out / "tapes").mkdir(parents=True)
        for name in ("index.csv", "index.html", "summary.jsonl"):
            (self.out / name).write_text("mine")
            self.assertIn(name, self.scan("tapes", status=2))
            self.assertEqual(self.list_results(), [], "films were measured before that was noticed")
            self.assertEqual((self.out / name).read_text(), "mine")
            (self.out / name).unlink()

    def test_long(self):
        """Names that leave no room for a suffix."""
        self.put("picture.mp4", "x" * 255, "y" * 200)
        said = self.scan("tapes", status=2)
        self.assertIn("File name too long", said)
        self.assertIn("2 films, 1 complete, 1 missing; 1 measured", said)


class Again(ScanTest):
    def test_only_what_is_needed(self):
        self.put("picture.mp4", "a.mp4", "b.mp4")
        (self.tapes / "cut.mp4").write_bytes(make("picture.mp4").read_bytes()[:2000])
        self.assertIn("3 films, 2 complete, 1 failed; 3 measured", self.scan("tapes", status=2))
        first = (self.out / "index.csv").read_text()
        self.assertIn("; 1 measured", self.scan("tapes", status=2))  # the one that failed
        self.put("picture.mp4", "cut.mp4")
        self.assertIn("3 films, 3 complete; 1 measured", self.scan("tapes"))
        self.assertIn("3 films, 3 complete; 0 measured", self.scan("tapes"))
        self.assertNotEqual((self.out / "index.csv").read_text(), first)
        self.put("rgb.avi", "a.mp4")
        self.assertIn("; 1 measured", self.scan("tapes"))
        self.assertEqual([row["format"] for row in self.index()], ["BGR", "I420", "I420"])
        os.utime(self.tapes / "b.mp4", (1, 1))
        self.assertIn("; 1 measured", self.scan("tapes"))
        (self.out / "tapes/b.mp4.jsonl").unlink()
        self.assertIn("; 1 measured", self.scan("tapes"))
        self.assertIn("; 3 measured", self.scan("tapes", "-i", "1s"))
        self.assertEqual(len(read(self.out / "tapes/b.mp4.jsonl")), 1)
        self.assertIn("; 0 measured", self.scan("tapes", "--interval=1s", "--jobs=1"))
        self.check_no_rest()

    def test_film_fails_later(self):
        """Its old results are removed, so that they are not taken for those of the new film."""
        self.put("picture.mp4", "a.mp4")
        self.scan("tapes")
        (self.folder / "list").write_text("tapes/a.mp4\n")
        (self.tapes / "a.mp4").write_text("no film any more")
        self.assertIn("1 failed", self.scan("list", status=2))
        self.assertEqual(self.list_results(), [])
        self.assertEqual([path.name for path in (self.out / "tapes").iterdir()], [])
        self.assertEqual((self.out / "summary.jsonl").read_text(), "")

    def test_wrong_options(self):
        """A typing error is one error, and old results stay."""
        self.put()
        self.scan("tapes")
        for option in ("--statistics=huge", "--events=blacc", "--interval=1x", "--timeout=x", "--backend=gpu", "--bins=7",
                       "--fields=odd", "--set=no=1", "--policy=none", "--policy=declared", "--jobs=0", "--jobs=-1",
                       "--jobs=1025", "--jobs=x"):
            said = self.scan("tapes", option, status=2)
            self.assertEqual(len(said.splitlines()), 1, said)
            self.assertEqual(self.list_results(), [b"tapes/picture.mp4.jsonl"])
        said = self.scan("tapes", "-p", "black", "--set=events=black", status=2)
        self.assertIn("with --policy, scan sets events itself", said)
        self.assertIn("; 0 measured", self.scan("tapes"))

    def test_unavailable_backend(self):
        self.put()
        self.scan("tapes")
        environment = {**films.make_environment(), "CUDAHISTO_CUDA_LIBRARY": "/nowhere", "CUDA_VISIBLE_DEVICES": ""}
        done = subprocess.run([COMMAND, "scan", "-o", self.out, self.tapes, "-b", "cuda"], env=environment, text=True,
                              capture_output=True, check=False)
        if done.returncode == 0:
            self.skipTest("there is a GPU")
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertEqual(self.list_results(), [b"tapes/picture.mp4.jsonl"])

    def test_other_version(self):
        """A record of another version is not used."""
        self.put()
        self.scan("tapes")
        record = self.out / ".scan/tapes/picture.mp4.film"
        for old, new in (("version=1", "version=2"), ("status=0", "status=7"), ("[film]", "[file]"), ("size=", "size=x")):
            text = record.read_text()
            self.assertIn(old, text)
            record.write_text(text.replace(old, new))
            self.assertIn("; 1 measured", self.scan("tapes"), old)


class Ends(ScanTest):
    def partial(self, name):
        path = self.out / ".scan" / "tapes" / (name + ".jsonl")
        return path.exists() and path.stat().st_size > 100_000

    def put_long(self, name="long.mp4"):
        shutil.copy(films.get("long.mp4"), self.tapes / name)

    def test_kill(self):
        """A killed scan is continued by the next one."""
        self.put("picture.mp4", "a.mp4", "z.mp4")
        self.put_long()
        process = self.start("tapes", "--jobs=1")
        self.wait_for(lambda: self.partial("long.mp4"), process)
        children = self.list_children(process)
        process.kill()
        process.communicate()
        self.assertEqual(len(children), 1)
        end = time.monotonic() + 60
        while any(pathlib.Path(f"/proc/{child}/exe").exists() for child in children):
            self.assertLess(time.monotonic(), end, "the process of the measurement goes on")
            time.sleep(0.01)
        self.assertEqual(self.list_results(), [b"tapes/a.mp4.jsonl"])
        self.assertFalse((self.out / "tapes/long.mp4.html").exists())
        self.assertIn("3 films, 3 complete; 2 measured", self.scan("tapes"))
        self.assertEqual(len(read(self.out / "tapes/long.mp4.jsonl")), 1500)
        self.check_no_rest()

    def test_interrupt(self):
        """Ctrl-C, as a terminal sends it to all processes, and as a service manager sends it to one."""
        self.put("picture.mp4", "a.mp4", "z.mp4")
        self.put_long()
        for number, send in ((signal.SIGINT, os.killpg), (signal.SIGTERM, os.kill)):
            process = self.start("tapes", "--jobs=1", start_new_session=True)
            self.wait_for(lambda: self.partial("long.mp4"), process)
            send(process.pid, number)
            said = process.communicate(timeout=200)[1].decode()
            self.assertEqual(process.returncode, -number, said)
            self.assertEqual(said, "")
            self.assertEqual(self.list_results(), [b"tapes/a.mp4.jsonl"])
            self.assertEqual([row["status"] for row in self.index()], ["complete", "missing", "missing"])
            self.check_no_rest()
        self.assertIn("; 2 measured", self.scan("tapes"))

    def test_interrupt_with_old_results(self):
        """The index has no row of an earlier measurement."""
        self.put_long()
        self.scan("tapes", "-i", "10s")
        process = self.start("tapes")
        self.wait_for(lambda: self.partial("long.mp4"), process)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=200)
        (row,) = self.index()
        self.assertEqual((row["status"], row["frames"], row["results"]), ("missing", "", ""))
        self.assertEqual(len(read(self.out / "tapes/long.mp4.jsonl")), 6)

    def test_film_goes(self):
        """A film that disappears during the scan keeps its old results."""
        self.put_long("a.mp4")
        self.put("picture.mp4", "b.mp4")
        self.scan("tapes", "-i", "10s")
        process = self.start("tapes", "--jobs=1")
        self.wait_for(lambda: self.partial("a.mp4"), process)
        (self.tapes / "b.mp4").unlink()
        said = process.communicate(timeout=200)[1].decode()
        self.assertEqual(process.returncode, 2)
        self.assertIn('there is no file "', said)
        self.assertIn("2 films, 1 complete, 1 missing; 1 measured", said)
        self.assertEqual(len(read(self.out / "tapes/b.mp4.jsonl")), 1)
        self.check_no_rest()

    def test_together(self):
        """Two scans share the films."""
        for i in range(8):
            self.put("picture.mp4", f"{i}.mp4")
        processes = [self.start("tapes", "--jobs=2") for _ in range(2)]
        said = [process.communicate(timeout=300)[1].decode() for process in processes]
        self.assertEqual([process.returncode for process in processes], [0, 0], said)
        self.assertEqual(sum(map(self.count_measured, said)), 8, said)
        self.assertEqual(len(self.list_results()), 8)
        self.assertEqual(len(self.index()), 8)
        self.check_no_rest()

    def test_crash(self):
        """A decoder that crashes ends one measurement."""
        self.put("picture.mp4", "a.mp4", "z.mp4")
        self.put_long()
        process = self.start("tapes", "--jobs=1")
        self.wait_for(lambda: self.partial("long.mp4"), process)
        (child,) = self.list_children(process)
        os.kill(child, signal.SIGSEGV)
        said = process.communicate(timeout=200)[1].decode()
        self.assertEqual(process.returncode, 2)
        self.assertIn('long.mp4": the process of its measurement was ended by signal 11', said)
        self.assertIn("3 films, 2 complete, 1 failed", said)
        self.assertIn("signal 11", self.index()[1]["message"])
        self.check_no_rest()

    def test_file_size_limit(self):
        """Results that cannot be written have no final name."""
        self.put("rgb.avi", "a.avi")
        self.put_long()
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))
        self.assertIn("2 films, 1 complete, 1 failed", self.scan("tapes", status=2, preexec_fn=limit))
        self.assertEqual(self.list_results(), [b"tapes/a.avi.jsonl"])
        self.check_no_rest()
        self.assertIn("2 films, 2 complete; 1 measured", self.scan("tapes"))

    def test_full_disk(self):
        """Nothing is complete that is not, and the index is not replaced by a part of it."""
        self.put("picture.mp4", *(f"{i:02}.mp4" for i in range(12)))
        self.out.mkdir()
        script = ('mount -t tmpfs -o size=512k tmpfs results || exit 77; "$@"; echo $?; rm -rf after; cp -a results after;'
                  "mount -o remount,size=64m results; \"$@\"; echo $?; cp -a results later")
        done = subprocess.run(["unshare", "-rm", "bash", "-c", script, "-", COMMAND, "scan", "tapes", "-o", "results"],
                              cwd=self.folder, capture_output=True, text=True, env=films.make_environment(), check=False)
        if done.returncode == 77 or "unshare" in done.stderr:
            self.skipTest("nothing can be mounted here")
        self.assertEqual(done.stdout.split(), ["2", "0"], done.stderr)
        self.assertIn("No space left on device", done.stderr)
        self.out.rmdir()
        (self.folder / "after").rename(self.out)
        for path in self.list_results():
            self.assertEqual(len(read(self.out / path.decode())), 20)
        if (self.out / "index.html").exists():
            self.assertTrue((self.out / "index.html").read_text().endswith("</html>\n"))
        shutil.rmtree(self.out)
        (self.folder / "later").rename(self.out)
        self.assertEqual(len(self.list_results()), 12)

    def test_jobs(self):
        """As many films at once as --jobs allows."""
        for i in range(3):
            self.put_long(f"{i}.mp4")
        for jobs in (1, 3):
            shutil.rmtree(self.out, ignore_errors=True)
            process = self.start("tapes", f"--jobs={jobs}")
            most = 0
            while process.poll() is None:
                most = max(most, len(self.list_children(process)))
                time.sleep(0.002)
            process.communicate()
            self.assertEqual((process.returncode, most), (0, jobs))


class Index(ScanTest):
    def test_numbers(self):
        """Those of `merge`."""
        self.put("picture.mp4", "a.mp4", "b.mp4")
        self.put("black.mkv", "black.mkv")
        self.put("rgb.avi", "rgb.avi")
        self.scan("tapes", "-e", "black+scene-change")
        rows = self.index()
        sums = {}
        for row in rows:
            merged = json.loads(cudahisto("merge", self.out / row["results"]))
            component = "Y" if "Y" in merged["components"] else next(iter(merged["components"]))
            self.assertEqual(row["component"], component)
            for name in NAMES:
                self.assertEqual(row[name], str(merged.get(name, "")), name)
            for name in ("min", "mean", "max"):
                self.assertEqual(float(row[name]), merged["components"][component][name])
            events = [line["event"] for line in read(self.out / row["results"]) if line.get("end") is not None]
            for kind in ("black", "freeze", "scene-change", "clipped", "damaged"):
                self.assertEqual(int(row[kind]), events.count(kind))
            sums.setdefault((row["format"], row["width"]), []).append(self.out / row["results"])
        self.assertEqual([row["black"] for row in rows], ["0", "0", "1", "0"])
        wanted = "".join(cudahisto("merge", *paths, status=int(len(paths) > 1)) for paths in sums.values())
        self.assertEqual((self.out / "summary.jsonl").read_text(), wanted)
        page = Page((self.out / "index.html").read_text())
        for link in page.links:
            self.assertTrue((self.out / urllib.parse.unquote(link)).is_file(), link)
        self.assertEqual(page.titles, [row["film"] for row in rows])
        self.assertNotIn("verdict", page.text)

    def test_no_pages(self):
        self.put()
        self.scan("tapes", "--no-pages")
        self.assertEqual(os.listdir(self.out / "tapes"), ["picture.mp4.jsonl"])
        self.assertEqual([row["page"] for row in self.index()], [""])
        self.assertEqual(Page((self.out / "index.html").read_text()).links, ["index.csv", "summary.jsonl"])
        self.check_no_rest()

    def test_change_of_size(self):
        """Such a film has results, and no sum."""
        self.put()
        for i, size in enumerate(("64x48", "80x60")):
            graph = f"testsrc2=s={size}:r=25:d=0.4,format=yuv420p"
            run("ffmpeg", "-v", "error", "-f", "lavfi", "-i", graph, "-c:v", "mpeg2video", self.folder / f"{i}.ts")
        (self.tapes / "change.ts").write_bytes(b"".join((self.folder / f"{i}.ts").read_bytes() for i in range(2)))
        self.assertIn("2 films, 2 complete", self.scan("tapes"))
        row = self.index()[0]
        self.assertEqual((row["frames"], row["format"], row["results"]), ("", "", "tapes/change.ts.jsonl"))
        self.assertIn(f'"{self.tapes}/change.ts": line 11 does not add up: its source is I420 80x60', row["message"])
        self.assertEqual([line["frames"] for line in read(self.out / "summary.jsonl")], [20])

    def test_damaged(self):
        self.put()
        shutil.copy(films.get("stream.ts"), self.tapes / "cut.ts")
        data = bytearray((self.tapes / "cut.ts").read_bytes())
        data[len(data) // 2:len(data) // 2 + 30_000] = bytes(30_000)
        (self.tapes / "cut.ts").write_bytes(data)
        said = self.scan("tapes", status=1)
        self.assertIn("2 films, 1 complete, 1 damaged; 2 measured", said)
        self.assertEqual(self.index()[0]["status"], "damaged")
        self.assertIn("1 damaged; 0 measured", self.scan("tapes", status=1))
        self.assertIn("1 damaged", self.scan("tapes", "--policy=black", status=2))
        self.assertEqual([row["verdict"] for row in self.index()], ["not-measured", "pass"])

    def test_policy(self):
        self.put("picture.mp4", "a.mp4")
        self.put("black.mkv", "black.mkv")
        said = self.scan("tapes", "--policy=black+freeze", "-s", "saturation", status=1)
        self.assertIn("2 films, 2 complete, 1 rejected by the policy", said)
        for row in self.index():
            checked = subprocess.run([COMMAND, "check", row["film"], "-p", "black+freeze", "-f", "json"], capture_output=True,
                                     check=False)
            self.assertEqual(row["verdict"], json.loads(checked.stdout)[0]["outcome"])
        self.assertEqual([row["verdict"] for row in self.index()], ["pass", "fail"])
        self.assertIn("saturation", json.dumps(read(self.out / "tapes/a.mp4.jsonl")[0]))
        self.assertIn("verdict", Page((self.out / "index.html").read_text()).text)
        self.assertIn("black/black", (self.out / "tapes/black.mkv.html").read_text())
        self.assertIn("; 0 measured", self.scan("tapes", "--policy=black+freeze", "-s", "saturation", status=1))

    def test_policy_file(self):
        """Another content is another policy."""
        self.put("black.mkv", "black.mkv")
        policy = self.folder / "house.policy"
        policy.write_text(cudahisto("check", "--show=black"))
        self.scan("tapes", "--policy=./house.policy", status=1)
        text = policy.read_text()
        self.assertRegex(text, r"(?m)^duration ?= ?2$")
        policy.write_text(re.sub(r"(?m)^(duration ?= ?)2$", r"\g<1>20", text))
        self.assertIn("; 1 measured", self.scan("tapes", "--policy=./house.policy"))
        self.assertEqual(self.index()[0]["verdict"], "pass")


if __name__ == "__main__":
    unittest.main()
