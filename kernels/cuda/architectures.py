# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""architectures.py NVCC VALUE: converts the build option cuda-arch for this nvcc. Prints three lines: nvcc's options; four
compute capabilities (75 for 7.5), which become macros HISTO_CUDA_...; and the version of the toolkit. The four are
KERNELS_FROM, the lowest that the kernels support; TOOLKIT_FROM, the lowest for which this nvcc can compile them; BUILT_FROM,
the lowest for which they will be compiled; and BUILT_TO, the highest.

Machine code for one compute capability runs on later ones of the same major version, on desktops and servers; PTX runs on all
later ones, where the driver compiles it at the first start. Exit status 2: the value is not possible; 1: this nvcc does not
work here. The last line of standard error is the cause."""
import pathlib
import re
import subprocess
import sys

LEAST = 70  # minimum for the kernels: __grid_constant__ and ld.global.L1::no_allocate begin with 7.0
GENERATIONS = (70, 75, 80, 90, 100, 120)  # 7.5 is not the first of its major version, but the first that CUDA 13 supports

nvcc, value = sys.argv[1:]


def fail(status, why):
    print(why, file=sys.stderr)
    sys.exit(status)


def ask(*arguments):
    """Returns the output of nvcc. If nvcc fails, ends the program with its error."""
    run = subprocess.run([nvcc, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if run.returncode != 0:
        words = [line for line in run.stderr.splitlines() if "error" in line or "fatal" in line] or [f"{nvcc} fails"]
        fail(2 if re.search("gpu.architecture", words[0]) else 1, words[0])
    return run.stdout


def ask_targets(options):
    """The compute capabilities for which nvcc compiles with these options, in rising order."""
    last_line = ask(*options, "-E", "-x", "cu", str(pathlib.Path(__file__).with_name("arch_list.cu"))).strip().splitlines()[-1]
    return sorted(int(number) // 10 for number in re.findall("[0-9]+", last_line))


def name(target):
    return f"{target // 10}.{target % 10}"


def name_targets(machine_code, ptx):
    yield from (f"-gencode=arch=compute_{target},code=sm_{target}" for target in machine_code)
    yield from (f"-gencode=arch=compute_{target},code=compute_{target}" for target in ptx)
    yield "-Wno-deprecated-gpu-targets"  # a toolkit that will drop a generation warns in each compilation


known = [int(number) for number in re.findall(r"^sm_([0-9]+)$", ask("--list-gpu-code"), re.MULTILINE)]
usable = sorted(target for target in known if target >= LEAST)
if not usable:
    fail(1, f"{nvcc} does not compile for compute capability {name(LEAST)} or later")
if value == "auto":
    targets = [target for target in GENERATIONS if target in usable]
    options = name_targets(targets, targets[:1])
elif value == "all-major":  # as nvcc defines it, from the lowest that the kernels support
    targets = [target for target in usable if target == usable[0] or target % 10 == 0]
    options = name_targets(targets, targets[-1:])
elif value == "all":
    options = name_targets(usable, usable[-1:])
elif value == "native":
    # Without a GPU nvcc uses its default, for which the kernels may not compile. A GPU that is too old may be replaced later.
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
