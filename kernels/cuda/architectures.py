# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""architectures.py NVCC VALUE: what the build option cuda-arch means to this nvcc. Prints three lines: nvcc's options; four
compute capabilities (75 for 7.5); and the version of the toolkit. The four are named as the macros HISTO_CUDA_... that they
become: KERNELS_FROM is the lowest for which the kernels are written, TOOLKIT_FROM the lowest for which this nvcc can compile
them, BUILT_FROM the lowest for which they will be compiled, and BUILT_TO the highest.

Machine code for one compute capability runs on later ones of the same major version, on desktops and servers; PTX runs on all
later ones, where the driver compiles it at the first start. Exit status 2: the value asks for what cannot be; 1: this nvcc does
not work here. The last line of standard error says why."""
import pathlib
import re
import subprocess
import sys

LEAST = 70  # what the kernels are written for: __grid_constant__ and ld.global.L1::no_allocate begin with 7.0
GENERATIONS = (70, 75, 80, 90, 100, 120)  # 7.5 is not the first of its major version, but the first that CUDA 13 knows

nvcc, value = sys.argv[1:]


def fail(status, why):
    print(why, file=sys.stderr)
    sys.exit(status)


def ask(*arguments):
    """What nvcc prints; ends the program with nvcc's own words where it fails."""
    run = subprocess.run([nvcc, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if run.returncode != 0:
        words = [line for line in run.stderr.splitlines() if "error" in line or "fatal" in line] or [f"{nvcc} fails"]
        fail(2 if re.search("gpu.architecture", words[0]) else 1, words[0])
    return run.stdout


def ask_targets(options):
    """The compute capabilities that nvcc compiles for with these options, in rising order."""
    last_line = ask(*options, "-E", "-x", "cu", str(pathlib.Path(__file__).with_name("arch_list.cu"))).strip().splitlines()[-1]
    return sorted(int(number) // 10 for number in re.findall("[0-9]+", last_line))


def name(target):
    return f"{target // 10}.{target % 10}"


def name_targets(machine_code, ptx):
    yield from (f"-gencode=arch=compute_{target},code=sm_{target}" for target in machine_code)
    yield from (f"-gencode=arch=compute_{target},code=compute_{target}" for target in ptx)
    yield "-Wno-deprecated-gpu-targets"  # before a toolkit drops a generation, it warns of that in each compilation


known = [int(number) for number in re.findall(r"^sm_([0-9]+)$", ask("--list-gpu-code"), re.MULTILINE)]
usable = sorted(target for target in known if target >= LEAST)
if not usable:
    fail(1, f"{nvcc} compiles for no compute capability from {name(LEAST)} on")
if value == "auto":
    targets = [target for target in GENERATIONS if target in usable]
    options = name_targets(targets, targets[:1])
elif value == "all-major":  # as nvcc means it, from the lowest that the kernels can be compiled for
    targets = [target for target in usable if target == usable[0] or target % 10 == 0]
    options = name_targets(targets, targets[-1:])
elif value == "all":
    options = name_targets(usable, usable[-1:])
elif value == "native":
    # Without a GPU nvcc would take its default, for which the kernels may not compile; and beside a GPU that is too old for
    # them another may be put in.
    options = name_targets([target for target in ask_targets(["-arch=native"]) if target in usable] or usable[:1], [])
else:
    wanted = re.fullmatch("(?:sm|compute|lto)_([0-9]+)[a-z]?", value)
    if wanted and int(wanted[1]) < usable[0]:
        fail(2, f"{value}: the kernels need compute capability {name(usable[0])} or later with this nvcc, sm_{usable[0]}")
    options = ["-arch=" + value]
options = list(options)
targets = ask_targets(options)
print(*options)
print(LEAST, usable[0], targets[0], targets[-1])
print(re.search("release ([0-9.]+)", ask("--version"))[1])
