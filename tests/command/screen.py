# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs a program in a pseudoterminal of a given width, and shows its screen."""
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time

TOKEN = re.compile(r"\x1b\[([0-9;]*)([A-Za-z])|(\r)|(\n)|([^\x1b\r\n])", re.DOTALL)


class Screen:
    """Starts the command with all three standard files on a terminal of `columns` columns."""

    def __init__(self, command, columns, cwd, env):
        self.columns = columns
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        self.process = subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, cwd=cwd, env=env,
                                        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0), start_new_session=True)
        os.close(slave)
        self.text = b""

    def read(self, timeout=200, until=None):
        """Reads to the end, or until the pattern has been seen."""
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            if until and re.search(until, self.text.decode(errors="replace")):
                return True
            if not select.select([self.master], [], [], 0.1)[0]:
                continue
            try:
                piece = os.read(self.master, 65536)
            except OSError:  # the program has closed the terminal
                piece = b""
            if not piece:
                return until is None
            self.text += piece
        return False

    def type(self, text):
        os.write(self.master, text)

    def finish(self, timeout=200):
        self.read(timeout)
        status = self.process.wait(timeout)
        os.close(self.master)
        return status

    def show(self):
        """Returns the lines on the screen, including those scrolled away, without colours. Lines that are too wide wrap."""
        lines, column = [[]], 0
        for match in TOKEN.finditer(self.text.decode()):
            parameters, code, is_return, is_newline, character = match.groups()
            if is_return:
                column = 0
            elif is_newline:
                lines.append([])
            elif character:
                if column == self.columns:
                    lines.append([])
                    column = 0
                lines[-1][column:] = [*lines[-1][column:column], character, *lines[-1][column + 1:]]
                column += 1
            elif code == "K":
                assert parameters == ""
                del lines[-1][column:]
            else:
                assert code == "m", f"an escape sequence that is none of colours: {match.group()!r}"
        return ["".join(line).rstrip() for line in lines]
