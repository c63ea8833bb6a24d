# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""check_abi.py [--record] LIBRARY HEADERS RECORDS: holds the library to the record of its ABI, RECORDS/SONAME.abi.

--record writes that file: `meson compile -C BUILD record-abi`. Exit status 77 where libabigail's programs are not there, or the
library's debug information, which they read, or its processor is not one of 64 bits."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
ABI_CHANGED, ABI_INCOMPATIBLE = 4, 8  # bits of abidiff's exit status; others are failures of its own
LICENSE = """<!-- SPDX-FileCopyrightText: 2026 the cudahisto authors -->
<!-- SPDX-License-Identifier: LGPL-2.1-or-later -->
"""
# What callers see, and neither paths nor what the next compiler may say otherwise.
ABIDW = ["--drop-private-types", "--exported-interfaces-only", "--drop-undefined-syms", "--no-corpus-path",
         "--no-comp-dir-path", "--no-show-locs", "--no-elf-needed", "--no-parameter-names", "--no-architecture",
         "--no-write-default-sizes"]


def skip(why):
    print(why)
    sys.exit(SKIPPED)


def read_elf(option):
    return subprocess.run(["readelf", "-W", option, library], check=True, capture_output=True, text=True).stdout


def describe():
    command = ["abidw", "--headers-dir", headers, *ABIDW, library]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return re.sub(r" path='[^']*/(kernels/[^']*)'", r" path='\1'", text)


arguments = sys.argv[1:]
is_recording = arguments[0] == "--record"
library, headers, records = arguments[1:] if is_recording else arguments
for program in ("abidw", "abidiff", "readelf"):
    if not shutil.which(program):
        skip(f"{program} is not there (Debian: abigail-tools, binutils)")
if ".debug_info" not in read_elf("--section-headers"):
    skip("the library has no debug information (buildtype=debugoptimized has)")
if "ELF64" not in read_elf("--file-header"):
    skip("the records are of 64-bit processors")

soname = re.search(r"\(SONAME\).*\[(.*)\]", read_elf("--dynamic"))[1]
record = pathlib.Path(records) / (soname + ".abi")
if is_recording:
    first, rest = describe().split("\n", 1)  # abidiff knows the file by its first line
    record.write_text(f"{first}\n{LICENSE}{rest}")
    print(f"recorded {record}")
    sys.exit(0)

if not record.is_file():
    print(f"{soname} has no record: meson compile -C {os.getcwd()} record-abi, and commit {record}")
    sys.exit(1)
# Of the library itself abidiff would have to be told which types are private, and would take those of the record for such.
with tempfile.NamedTemporaryFile("w", suffix=".abi") as built:
    built.write(describe())
    built.flush()
    diff = subprocess.run(["abidiff", "--no-show-locs", record, built.name], capture_output=True, text=True)
print(diff.stdout + diff.stderr, end="")
if diff.returncode == 0:
    print(f"the ABI is that of {record.name}")
    sys.exit(0)
if diff.returncode & ~(ABI_CHANGED | ABI_INCOMPATIBLE):
    print(f"abidiff failed: exit status {diff.returncode}")
else:
    print(f"""
The library is {soname}, and its ABI is not the one that {record.name} records. If that is meant:
where a release has this soname, raise the minor version in meson.build first, so that programs built with that release do not
load this library. Then record anew, meson compile -C {os.getcwd()} record-abi, and commit tests/headers/{soname}.abi.""")
sys.exit(1)
