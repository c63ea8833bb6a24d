# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The number of bytes that wait in a pipe, and the files that a process has open."""
import fcntl
import os
import struct
import termios

MOST_OF_A_PIPE = 32768  # bytes, of 65536: lines that are written at once do not cross pages


def count_waiting(pipe):
    return struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, b"    "))[0]


def list_open_files(pid):
    """Their paths. The process may close one in between."""
    paths = []
    for fd in os.listdir(f"/proc/{pid}/fd"):
        try:
            paths.append(os.readlink(f"/proc/{pid}/fd/{fd}"))
        except FileNotFoundError:
            pass
    return paths
