# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""test_help.py COMMAND: the help fits into a terminal; the manual page and bash completion have the same options."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import films
from lines import COMMAND

COMPLETION = pathlib.Path(__file__).resolve().parents[2] / "command" / "completion.bash"
PAGE = COMMAND.parent / "cudahisto.1"
COMPLETE = """
source "$1"
shift
complete -p cudahisto >/dev/null || exit 1
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_POINT=${#COMP_LINE}
_cudahisto "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
printf '%s\\n' "${COMPREPLY[@]}"
"""


def run(*arguments, **options):
    return subprocess.run([COMMAND, *arguments], capture_output=True, encoding="utf-8", env=films.make_environment(), **options)


def list_commands():
    block = re.search(r"\nCommands:\n(.*?)\n\n", run("--help").stdout, re.DOTALL).group(1)
    return [line.split()[0] for line in block.splitlines()]


def list_options(command):
    """["-o", "--output", ...]."""
    lines = run(command, "--help").stdout.split("\nOptions:\n")[1].splitlines()
    return re.findall(r"(?<!\S)(--?[a-z][a-z-]*)", "\n".join(line[:line.find("  ", 3)] for line in lines if line))


class Help(unittest.TestCase):
    def test_width(self):
        for arguments in ([], *([command] for command in list_commands())):
            helped = run(*arguments, "--help")
            self.assertEqual((helped.returncode, helped.stderr), (0, ""))
            for line in helped.stdout.splitlines():
                self.assertLessEqual(len(line), 80, line)
            self.assertIn("  cudahisto ", helped.stdout.split("\nOptions:\n")[0].split("\n\n", 1)[1])  # an example

    def test_commands(self):
        self.assertEqual(list_commands(), ["measure", "show", "watch", "csv", "events", "light", "check", "report", "merge",
                                           "scan"])
        self.assertRegex(run("--version").stdout, r"\Acudahisto \d+\.\d+\.\d+ \(GStreamer 1\.\d+\.\d+\)\n\Z")
        wrong = run("mesure")
        self.assertEqual((wrong.returncode, wrong.stdout), (2, ""))
        self.assertEqual(wrong.stderr, 'cudahisto: unknown command "mesure". Run `cudahisto --help`.\n')
        self.assertEqual(run().returncode, 2)

    def test_statistics(self):
        """One line each, without a film, and the names that the element has."""
        helped = run("measure", "--statistics=help")
        self.assertEqual((helped.returncode, helped.stderr), (0, ""))
        listed = dict(line.split(maxsplit=1) for line in helped.stdout.splitlines())
        self.assertEqual(listed["hue"], "Angle of colours, in degrees (HUE)")
        named = re.search(r"Use one of (.*?)[.;]", run("measure", "-s", "x", "film.mp4").stderr).group(1).split(", ")
        self.assertEqual(list(listed), named)
        self.assertEqual(run("measure", "-s", "help+hue").stdout, helped.stdout)

    def test_closed_files(self):
        for arguments, closed in ((("measure", "-"), "<&-"), (("show", "-"), "<&-"), (("--version",), ">&-")):
            with tempfile.TemporaryDirectory() as folder:
                done = subprocess.run(["bash", "-c", f'exec "$@" {closed}', "-", COMMAND, *arguments], cwd=folder, timeout=300,
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, check=False)
                self.assertEqual(done.returncode, 2, arguments)
                self.assertIn(b"cudahisto: ", done.stderr)
                self.assertEqual(os.listdir(folder), [])

    def test_full_disk(self):
        with open("/dev/full", "wb") as full:
            for arguments in (["--help"], ["measure", "--help"], ["--version"]):
                failed = subprocess.run([COMMAND, *arguments], stdout=full, stderr=subprocess.PIPE)
                self.assertEqual(failed.returncode, 2)
                self.assertEqual(failed.stderr.count(b"\n"), 1)


class Page(unittest.TestCase):
    def test_options(self):
        """The manual page has exactly the options of the help, in the section of their command."""
        page = PAGE.read_text().replace("\\-", "-").replace("\\fI", "").replace("\\fR", "")
        commands = re.split(r"^\.S[SH] ", page.split("\n.SH COMMANDS\n")[1].split("\n.SH EXIT STATUS")[0], flags=re.MULTILINE)
        sections = {section.split("\n")[0]: section for section in commands if section.strip()}
        self.assertEqual(sorted(sections), sorted(list_commands()))
        for command, section in sections.items():
            lines = re.findall(r"^\.TP\n\.BR? (.*)$", section, re.MULTILINE)
            options = [option for line in lines for option in re.findall(r"(?<![\w-])--?[a-z][a-z-]*", line.split("=")[0])]
            self.assertEqual(sorted([*options, "-h", "--help"]), sorted(list_options(command)), command)

    @unittest.skipUnless(shutil.which("groff"), "groff is not there")
    def test_form(self):
        formed = subprocess.run(["groff", "-man", "-ww", "-Tutf8", "-rLL=80n", PAGE], capture_output=True, encoding="utf-8")
        self.assertEqual((formed.returncode, formed.stderr), (0, ""))
        self.assertIn("EXIT STATUS", re.sub(r"\x1b\[[0-9;]*m|.\x08", "", formed.stdout))


class Completion(unittest.TestCase):
    def complete(self, *words, cwd=None):
        completed = subprocess.run(["bash", "-c", COMPLETE, "bash", COMPLETION, COMMAND, *words], capture_output=True,
                                   encoding="utf-8", env=films.make_environment(), cwd=cwd)
        self.assertEqual((completed.returncode, completed.stderr), (0, ""))
        return completed.stdout.split()

    def test_commands(self):
        self.assertEqual(self.complete(""), [*list_commands(), "--help", "--version"])
        self.assertEqual(self.complete("me"), ["measure", "merge"])

    def test_options(self):
        for command in list_commands():
            self.assertEqual(self.complete(command, "--"), [name for name in list_options(command) if name.startswith("--")])
        self.assertEqual(self.complete("measure", "film.mp4", "--st"), ["--statistics"])
        self.assertEqual(self.complete("nothing", "--"), [])

    def test_values(self):
        """All values of the element, which it lists in an error."""
        for option in ("--statistics", "--events", "--backend", "--bins", "--fields"):
            listed = re.search(r"Use one of (.*?)[.;]", run("measure", option, "x", "film.mp4").stderr).group(1).split(", ")
            self.assertEqual(sorted(self.complete("measure", option, "")), sorted(listed))
            self.assertEqual(sorted(self.complete("measure", option, "=")), sorted(listed))
        self.assertEqual(self.complete("measure", "-s", "basic+hu"), ["basic+hue"])
        self.assertEqual(self.complete("measure", "--events", "=", "black,fr"), ["black,freeze"])
        self.assertEqual(self.complete("events", "-f", "e"), ["edl"])
        self.assertEqual(self.complete("light", "-f", "m"), ["madvr5", "madvr6"])
        self.assertEqual(self.complete("light", "--active-picture", "=", "s"), ["scene"])
        self.assertEqual(self.complete("check", "--format", "=", "j"), ["json", "junit"])
        self.assertEqual(self.complete("check", "--show", "=", "b"), ["black", "broadcast-range"])
        self.assertEqual(self.complete("check", "-f", "h"), ["html"])
        for command in ("check", "report"):
            self.assertEqual(self.complete(command, "-p", "r"), ["r103"])

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("film.mp4", "film.jsonl", "notes.txt"):
                pathlib.Path(folder, name).touch()
            os.mkdir(pathlib.Path(folder, "folder"))
            self.assertEqual(sorted(self.complete("measure", "f", cwd=folder)), ["film.jsonl", "film.mp4", "folder"])
            self.assertEqual(sorted(self.complete("show", "", cwd=folder)), ["film.jsonl", "folder"])
            self.assertEqual(sorted(self.complete("csv", "-o", "n", cwd=folder)), ["notes.txt"])


unittest.main()
