# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""check_library.py READELF HEADER MACRO LIBRARY [NEEDED...]: the shared library exports what the public header declares with
MACRO and nothing else, and needs no library but the C library's own and those named. Built with a sanitizer it needs that one's
too, which is no fault."""
import pathlib
import re
import subprocess
import sys

readelf, header, macro, library, *others = sys.argv[1:]


def read(option):
    return subprocess.run([readelf, "-W", option, library], check=True, capture_output=True, text=True).stdout


declared = set(re.findall(rf"^{macro}\b[^;]*?(\w+) \(", pathlib.Path(header).read_text(), re.MULTILINE))
exported = set()
for line in read("--dyn-syms").splitlines():
    fields = line.split()
    if len(fields) >= 8 and fields[4] in ("GLOBAL", "WEAK") and fields[5] == "DEFAULT" and fields[6] != "UND":
        exported.add(fields[7].partition("@")[0])
needed = re.findall(r"\(NEEDED\).*\[(.*)\]", read("--dynamic"))
allowed = re.compile(r"^(lib(c|m|pthread|dl|rt|asan|ubsan|tsan|lsan|gcc_s|stdc\+\+)\.so|ld-linux|libclang_rt)")

faults = [f"declared and not exported: {name}" for name in sorted(declared - exported)]
faults += [f"exported and not declared: {name}" for name in sorted(exported - declared) if not name.startswith("__")]
faults += [f"needs {name}" for name in needed if not allowed.match(name) and name.partition(".so")[0] not in others]
print(*faults, f"{len(declared)} functions, needs {', '.join(needed) or 'nothing'}", sep="\n")
sys.exit(1 if faults or not declared else 0)
