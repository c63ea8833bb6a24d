# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Prints the directory of the cuda.h that belongs to the nvcc given as the argument, or nothing if there is none."""
import pathlib
import sys

toolkit = pathlib.Path(sys.argv[1]).resolve().parent.parent
for folder in (toolkit / "include", *toolkit.glob("targets/*/include"), pathlib.Path("/usr/include")):
    if (folder / "cuda.h").is_file():
        print(folder)
        break
