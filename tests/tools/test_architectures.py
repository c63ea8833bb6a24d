# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""test_architectures.py ARCHITECTURES: the kernels in a build, by its option cuda-arch and the toolkit. The compiler is a
script that supports what CUDA 11.8, 12.4, 12.9 and 13.0 support."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ARCHITECTURES = pathlib.Path(sys.argv.pop(1)).resolve()
PASCAL = "35 37 50 52 53 60 61 62 70 72 75 80 86 87 89 90"
TOOLKITS = {
    "11.8": (PASCAL, 52),
    "12.4": (PASCAL[6:], 52),
    "12.9": (PASCAL[6:] + " 100 101 103 120 121", 52),
    "13.0": ("75 80 86 87 88 89 90 100 110 103 120 121", 75),
}
OPTION = re.compile(r"-gencode=arch=compute_(\d+),code=(sm|compute)_(\d+)")

# Supports nvcc --version, --list-gpu-code and option ... -E, which prints its targets like arch_list.cu.
COMPILER = """#!{python}
import re, sys
KNOWN, NATIVE, BROKEN = {known!r}.split(), {native!r}, {broken!r}
if "--version" in sys.argv:
    print("nvcc: NVIDIA (R) Cuda compiler driver\\nCopyright (c) 2005-2022 NVIDIA Corporation")
    sys.exit(print("Cuda compilation tools, release {version}, V{version}.99"))
if "--list-gpu-code" in sys.argv:
    sys.exit(print(*("sm_" + number for number in KNOWN), sep="\\n"))
if BROKEN:
    sys.exit("host_config.h:132:2: error: #error -- unsupported GNU version!\\n  132 | #error -- unsupported")
targets = set()
for option in sys.argv[1:]:
    found = re.match("-arch=(?:(native)|(?:sm|compute)_([0-9]+)|(.*))$|-gencode=arch=compute_([0-9]+)", option)
    if found:
        target = found[2] or found[4] or (NATIVE if found[1] else "none")
        if target not in KNOWN:
            value = found[3] or "sm_" + target
            if {version} < 13:
                sys.exit("nvcc fatal   : Value '" + value + "' is not defined for option 'gpu-architecture'")
            sys.exit("nvcc fatal   : Unsupported gpu architecture '" + value + "'")
        targets.add(int(target))
print("# 1 \\"arch_list.cu\\"\\n\\n" + ",".join(str(10 * target) for target in sorted(targets)))
"""


class Architectures(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.compiler = pathlib.Path(folder.name, "nvcc")

    def ask(self, version, value, native=None, broken=False):
        known, default = TOOLKITS[version]
        self.compiler.write_text(COMPILER.format(python=sys.executable, known=known, native=str(native or default),
                                                 broken=broken, version=version))
        self.compiler.chmod(0o755)
        environment = {name: text for name, text in os.environ.items() if not name.startswith("NVCC_")}
        return subprocess.run([sys.executable, ARCHITECTURES, self.compiler, value], capture_output=True, text=True,
                              check=False, env=environment)

    def check(self, version, value, machine_code, ptx, capabilities, **arguments):
        """capabilities: what the kernels need, the toolkit's lowest, and the build's lowest and highest."""
        run = self.ask(version, value, **arguments)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        options, numbers, release = run.stdout.splitlines()
        found = OPTION.findall(options)
        self.assertEqual([int(code) for arch, kind, code in found if kind == "sm" and arch == code], machine_code)
        self.assertEqual([int(code) for arch, kind, code in found if kind == "compute" and arch == code], ptx)
        self.assertEqual(len(found), len(machine_code) + len(ptx))
        self.assertEqual([int(number) for number in numbers.split()], capabilities)
        self.assertEqual(release, version)

    def test_each_generation_and_ptx_of_the_first(self):
        self.check("11.8", "auto", [70, 75, 80, 90], [70], [70, 70, 70, 90])
        self.check("12.4", "auto", [70, 75, 80, 90], [70], [70, 70, 70, 90])
        self.check("12.9", "auto", [70, 75, 80, 90, 100, 120], [70], [70, 70, 70, 120])
        self.check("13.0", "auto", [75, 80, 90, 100, 120], [75], [70, 75, 75, 120])

    def test_as_nvcc_means_it_from_the_least_on(self):
        self.check("12.4", "all-major", [70, 80, 90], [90], [70, 70, 70, 90])
        self.check("13.0", "all-major", [75, 80, 90, 100, 110, 120], [120], [70, 75, 75, 120])
        self.check("12.4", "all", [70, 72, 75, 80, 86, 87, 89, 90], [90], [70, 70, 70, 90])

    def test_the_machine_at_hand(self):
        self.check("12.4", "native", [89], [], [70, 70, 89, 89], native=89)
        self.check("13.0", "native", [75], [], [70, 75, 75, 75])
        # Without a GPU, or with one that is too old, nvcc's default or the GPU's own target would not work.
        self.check("12.4", "native", [70], [], [70, 70, 70, 70])
        self.check("11.8", "native", [70], [], [70, 70, 70, 70], native=61)

    def test_one_target(self):
        for value in "sm_90", "compute_90":
            run = self.ask("11.8", value)
            self.assertEqual(run.stdout.splitlines(), ["-arch=" + value, "70 70 90 90", "11.8"])

    def test_what_cannot_be(self):
        for version, value, words in (
            ("12.4", "sm_61", "sm_61: the kernels need compute capability 7.0 or later with this nvcc, sm_70"),
            ("13.0", "compute_70", "compute_70: the kernels need compute capability 7.5 or later with this nvcc, sm_75"),
            ("12.4", "sm_120", "nvcc fatal   : Value 'sm_120' is not defined for option 'gpu-architecture'"),
            ("12.4", "nonsense", "nvcc fatal   : Value 'nonsense' is not defined for option 'gpu-architecture'"),
            ("13.0", "nonsense", "nvcc fatal   : Unsupported gpu architecture 'nonsense'"),
        ):
            run = self.ask(version, value)
            self.assertEqual((run.returncode, run.stdout, run.stderr.strip()), (2, "", words))

    def test_a_compiler_that_does_not_work(self):
        run = self.ask("11.8", "auto", broken=True)
        self.assertEqual((run.returncode, run.stdout), (1, ""))
        self.assertIn("unsupported GNU version", run.stderr)


unittest.main()
