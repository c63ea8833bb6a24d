# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Shared by the tests of subcommands that read lines: runs them, makes films and measures them."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SKIP = 77
COMMAND = pathlib.Path(sys.argv.pop(1)).resolve()


def need(*programs):
    for program in programs:
        if shutil.which(program) is None:
            print("skipped: no program", program)
            sys.exit(SKIP)


def run(*command, status=0, **options):
    """Returns the output; `status` is the expected exit status."""
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300,
                          check=False, **options)
    if done.returncode != status:
        words = done.stderr.decode(errors="replace")[-3000:]
        raise AssertionError(f"{' '.join(map(str, command))}\nended with {done.returncode}, not {status}:\n{words}")
    return done.stdout.decode()


def cudahisto(*arguments, status=0, **options):
    return run(COMMAND, *arguments, status=status, **options)


def complain(*arguments, status=2, **options):
    """Returns the messages on standard error."""
    done = subprocess.run([COMMAND, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300, check=False,
                          env={**os.environ, "LC_ALL": "C.UTF-8"}, **options)
    if done.returncode != status:
        raise AssertionError(f"{arguments} ended with {done.returncode}, not {status}: {done.stderr.decode()[-3000:]}")
    return done.stderr.decode()


def list_fields():
    """The fields that results can have, in their order: `name`, `group`, `member`, `chart`, `dividend` and so on."""
    return [json.loads(line) for line in run(os.environ["CUDAHISTO_TEST_SCHEMA"], "--fields").splitlines()]


def read(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def dump(lines):
    return "".join(json.dumps(line) + "\n" for line in lines)


class FolderTest(unittest.TestCase):
    """Each test has a folder."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="cudahisto-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)


class SharedFolderTest(unittest.TestCase):
    """All tests of the class have one folder."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="cudahisto-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
