# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""check_abi.py [--record] LIBRARY HEADERS NAME RECORDS COMPILER...: holds the library to the record of its ABI,
RECORDS/SONAME.abi: its functions and types, and the constants of its header, HEADERS/cudahisto/NAME, which programs have in
them. COMPILER has the options that the header needs.

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
ABI_CHANGED, ABI_INCOMPATIBLE = 4, 8  # bits of abidiff's exit status; other bits: abidiff itself failed
LICENSE = """<!-- SPDX-FileCopyrightText: 2026 the cudahisto authors -->
<!-- SPDX-License-Identifier: LGPL-2.1-or-later -->
"""
# What callers see, and neither paths nor what the next compiler may say otherwise.
ABIDW = ["--drop-private-types", "--exported-interfaces-only", "--drop-undefined-syms", "--no-corpus-path",
         "--no-comp-dir-path", "--no-show-locs", "--no-elf-needed", "--no-parameter-names", "--no-architecture",
         "--no-write-default-sizes"]
# The structs of GStreamer are its own business: another version may name their padding otherwise.
SUPPRESSION = """[suppress_type]
  name_regexp = ^_?(G|Gst)[A-Z]
  name_not_regexp = ^_?GstCudaHisto
"""

# An enumerator that stands for a bit of an integer, and a macro, are in no type that a function takes.
CONSTANTS = re.compile(r"<!-- constants of \w+\.h\n(.*?)-->\n", re.DOTALL)


def skip(why):
    print(why)
    sys.exit(SKIPPED)


def read_elf(option):
    return subprocess.run(["readelf", "-W", option, library], check=True, capture_output=True, text=True).stdout


def describe():
    command = ["abidw", "--headers-dir", headers, *ABIDW, library]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return re.sub(r" path='[^']*/((?:kernels|library)/[^']*)'", r" path='\1'", text)


def is_integer(macro):
    """Whether it is an integer constant."""
    text = f"#include <cudahisto/{name}>\nenum {{ value = ({macro}) }};\n"
    command = [*compiler, "-I", headers, "-fsyntax-only", "-x", "c", "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True).returncode == 0


def evaluate(names):
    """The values of integer constants, by name."""
    lines = "".join(f'printf ("{name} %lld\\n", (long long){name});\n' for name in names)
    text = f"#include <cudahisto/{name}>\n#include <stdio.h>\nint main (void) {{\n{lines}return 0; }}\n"
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "program")
        subprocess.run([*compiler, "-I", headers, "-o", program, "-x", "c", "-"], input=text, check=True, text=True)
        printed = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    return dict(line.split(" ") for line in printed.splitlines())


def read_constants():
    """The enumerators and the macros without arguments of the header itself: values or, of what is no integer, the text."""
    header = os.path.join(headers, "cudahisto", name)
    command = [*compiler, "-E", "-dD", "-I", headers, "-x", "c", header]
    macros, code, file = {}, "", None
    for line in subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines():
        if marker := re.match(r'# \d+ "(.*?)"', line):
            file = marker[1]
        elif file == header and (macro := re.match(r"#define (\w+)(?: (.*))?$", line)):
            macros[macro[1]] = macro[2] or ""
        elif file == header and not line.startswith("#"):
            code += line + "\n"
    bodies = re.findall(r"\benum\s+\w*\s*\{(.*?)\}", code, re.DOTALL)
    enumerators = [re.match(r"\w+", part.strip())[0] for body in bodies for part in body.split(",") if part.strip()]
    values = evaluate([*enumerators, *filter(is_integer, macros)])
    return dict(sorted({**macros, **values}.items()))


def report_constants(recorded, constants):
    """Prints what is different. Whether nothing is."""
    for name in sorted({*recorded, *constants}):
        if recorded.get(name) != constants.get(name):
            print(f"{name} is {constants.get(name, 'no more')}, and {recorded.get(name, 'nothing')} in the record")
    return recorded == constants


arguments = sys.argv[1:]
is_recording = arguments[0] == "--record"
library, headers, name, records, *compiler = arguments[1:] if is_recording else arguments
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
    constants = "".join(f"{name} {value}".rstrip() + "\n" for name, value in read_constants().items())
    record.write_text(f"{first}\n{LICENSE}<!-- constants of {name}\n{constants}-->\n{rest}")
    print(f"recorded {record}")
    sys.exit(0)

if not record.is_file():
    print(f"{soname} has no record: meson compile -C {os.getcwd()} record-abi, and commit {record}")
    sys.exit(1)
recorded = CONSTANTS.search(record.read_text())
lines = [f"{line} ".split(" ", 1) for line in recorded[1].splitlines()] if recorded else []
has_constants = report_constants({name: value.strip() for name, value in lines}, read_constants())
# Of the library itself abidiff would have to be told which types are private, and would take those of the record for such.
with tempfile.TemporaryDirectory() as folder:
    built, theirs = pathlib.Path(folder, "built.abi"), pathlib.Path(folder, "theirs.ini")
    built.write_text(describe())
    theirs.write_text(SUPPRESSION)
    command = ["abidiff", "--no-show-locs", "--suppressions", theirs, record, built]
    diff = subprocess.run(command, capture_output=True, text=True)
print(diff.stdout + diff.stderr, end="")
if diff.returncode == 0 and has_constants:
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
