# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""check_calls.py [--print] LIBRARY...: checks that calls between the files of a library run one way.

Of each object file, in LIBRARY.p, nm tells the functions that it defines and those that it needs. A file uses another if it
needs one of its functions, whether it calls it or takes its address. gst_cuda_histo_get_type(), which each cast to the element
needs, does not count. Prints each group of files that use each other in a circle. --print: prints what each file uses.
"""
import collections
import os
import pathlib
import subprocess
import sys

IGNORED = {"gst_cuda_histo_get_type"}


def read_symbols(library):
    """Returns {file: defined functions}, {file: undefined symbols}."""
    defined, needed = collections.defaultdict(set), collections.defaultdict(set)
    paths = sorted(pathlib.Path(library + ".p").glob("*.o"))
    for line in subprocess.run(["nm", "-A", *paths], check=True, capture_output=True, text=True).stdout.splitlines():
        path, symbol = line.split(".o:", 1)
        kind, name = symbol.split()[-2:]
        if kind in "TW":
            defined[os.path.basename(path)].add(name)
        elif kind == "U":
            needed[os.path.basename(path)].add(name)
    return defined, needed


def find_uses(library):
    defined, needed = read_symbols(library)
    owner = {name: file for file, names in defined.items() for name in names - IGNORED}
    return {file: sorted({owner[name] for name in needed[file] if name in owner} - {file}) for file in sorted(defined | needed)}


def find_circles(uses):
    """Returns the strongly connected components with more than one file (Tarjan)."""
    index, low, stack, circles = {}, {}, [], []

    def visit(file):
        index[file] = low[file] = len(index)
        stack.append(file)
        for used in uses.get(file, []):
            if used not in index:
                visit(used)
                low[file] = min(low[file], low[used])
            elif used in stack:
                low[file] = min(low[file], index[used])
        if low[file] == index[file]:
            group = []
            while not group or group[-1] != file:
                group.append(stack.pop())
            if len(group) > 1:
                circles.append(sorted(group))

    for file in uses:
        if file not in index:
            visit(file)
    return circles


libraries = [argument for argument in sys.argv[1:] if argument != "--print"]
faults = 0
for library in libraries:
    uses = find_uses(library)
    if "--print" in sys.argv:
        for file, used in uses.items():
            if used:
                print(f"{file} -> {' '.join(used)}")
    for circle in find_circles(uses):
        faults += 1
        print(f"{os.path.basename(library)}: these files call each other in a circle: {' '.join(circle)}")
    print(f"{os.path.basename(library)}: {len(uses)} files, {sum(map(len, uses.values()))} uses")
    faults += not uses
sys.exit(1 if faults else 0)
