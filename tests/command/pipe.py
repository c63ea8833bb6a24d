# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What is in a pipe that nobody reads for the moment."""
import fcntl
import struct
import termios

MOST_OF_A_PIPE = 32768  # bytes, of 65536: a line that a pipe takes whole does not go on in another page


def count_waiting(pipe):
    return struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, b"    "))[0]
