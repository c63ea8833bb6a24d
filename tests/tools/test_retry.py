# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""test_retry.py TOOLS: a command runs again if the network failed. If the network stays away, the last line names the failure,
also that of tools/toolkit. Exit status 77 without what tools/toolkit looks for."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

TOOLS = pathlib.Path(sys.argv.pop(1)).resolve()
FETCH = "E: Failed to fetch http://mirror/debian/dists/trixie/InRelease  Temporary failure resolving 'mirror'"

# Fails FAILURES times with this message, and then succeeds.
COMMAND = """#!/bin/sh
echo run >>"$RUNS"
[ "$(wc -l <"$RUNS")" -gt "$FAILURES" ] && echo done && exit
echo "$WORDS" >&2
exit 100
"""
# Implements the options that tools/toolkit uses, for a known mirror that is unreachable.
APT_GET = f"""#!/bin/sh
[ "$1" = indextargets ] && echo 'Debian|trixie|http://mirror/debian' && exit
echo run >>"$RUNS"
echo "{FETCH}" >&2
exit 100
"""


class Retry(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.runs = self.folder / "runs"
        self.runs.touch()

    def write_program(self, name, text):
        path = self.folder / name
        path.write_text(text)
        path.chmod(0o755)
        return path

    def run_with(self, *command, **environment):
        environment = {**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}", "RUNS": str(self.runs),
                       "CUDAHISTO_RETRY_SECONDS": "0", **environment}
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              check=False)
        return done.returncode, done.stdout.splitlines(), len(self.runs.read_text().split())

    def retry(self, failures, words):
        return self.run_with(TOOLS / "retry", self.write_program("command", COMMAND), FAILURES=str(failures), WORDS=words)

    def test_network_that_comes_back(self):
        status, lines, runs = self.retry(4, FETCH)
        self.assertEqual((status, lines[-1], runs), (0, "done", 5))

    def test_network_that_stays_away(self):
        status, lines, runs = self.retry(99, FETCH)
        self.assertEqual((status, lines[-1], runs), (77, "the network failed five times in a row: " + FETCH, 5))

    def test_other_failure(self):
        status, lines, runs = self.retry(99, "E: Unable to locate package nothing")
        self.assertEqual((status, lines[-1], runs), (100, "E: Unable to locate package nothing", 1))

    def test_toolkit(self):
        shutil.copytree(TOOLS, self.folder / "tools")
        self.write_program("apt-get", APT_GET)
        status, lines, runs = self.run_with(self.folder / "tools" / "toolkit", "12.4")
        self.assertEqual((status, lines[-1], runs), (77, "the network failed five times in a row: " + FETCH, 5))


for program in ("dpkg-deb", "/usr/share/keyrings/debian-archive-keyring.gpg"):
    if not shutil.which(program) and not os.path.exists(program):
        print("skipped: there is no", program)
        sys.exit(77)
unittest.main()
