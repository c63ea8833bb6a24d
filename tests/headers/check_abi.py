# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""check_abi.py [--record] LIBRARY HEADERS NAME RECORDS COMPILER...: compares the library with the record of its ABI,
RECORDS/SONAME.abi: the constants of its header HEADERS/cudahisto/NAME, which programs have in them, its functions, and the
layout of the header's types. COMPILER has the options that the header needs.

--record writes that file: `meson compile -C BUILD record-abi`. Exit status 77 without libabigail's `abidw`, without the debug
information of the library, which it reads, and if the processor does not have 64 bits."""
import difflib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

SKIPPED = 77
LICENSE = """# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""


def skip(why):
    print(why)
    sys.exit(SKIPPED)


def read_elf(option):
    return subprocess.run(["readelf", "-W", option, library], check=True, capture_output=True, text=True).stdout


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
    values = {**macros, **evaluate([*enumerators, *filter(is_integer, macros)])}
    return [f"constant {constant} {value}".rstrip() for constant, value in sorted(values.items())]


class Interface:
    """The exported symbols of a library, and the types that their declarations name."""

    def __init__(self, corpus, header):
        self.corpus, self.header = corpus, header
        self.types = {element.get("id"): element for element in corpus.iter() if element.get("id")}
        self.layouts = {}  # the lines of each type that the header defines, by its name

    def spell(self, type_id):
        """The type from left to right, without typedefs: `char const*[4]` is an array of pointers."""
        element = self.types[type_id]
        if element.tag == "typedef-decl":
            return self.spell(element.get("type-id"))
        if element.tag == "qualified-type-def":
            return self.spell(element.get("type-id")) + " const"
        if element.tag == "pointer-type-def":
            return self.spell(element.get("type-id")) + "*"
        if element.tag == "array-type-def":
            return self.spell(element.get("type-id")) + "".join(f"[{part.get('length')}]" for part in element)
        if element.tag == "function-type":
            return self.spell_function(element, "")
        if element.tag != "type-decl":
            self.add_layout(element)
        return re.sub("(long|short) int", r"\1", element.get("name"))  # as later versions of abidw have it

    def spell_function(self, element, name):
        parameters = [self.spell(part.get("type-id")) if part.get("type-id") else "..." for part in element.iter("parameter")]
        return f"{self.spell(element.find('return').get('type-id'))} {name}({', '.join(parameters)})"

    def add_layout(self, element):
        """Adds a struct or an enum of the header. The values of an enum are constants of the header."""
        name, size = element.get("name"), element.get("size-in-bits")
        if element.get("is-declaration-only") or name in self.layouts or not re.search(rf"\b{name}\s*{{", self.header):
            return
        if element.tag == "enum-decl":
            size = self.types[element.find("underlying-type").get("type-id")].get("size-in-bits")
        lines = self.layouts[name] = [f"type {name}: {size} bits"]
        for member in element.iter("data-member"):
            variable = member.find("var-decl")
            type_name = self.spell(variable.get("type-id"))
            lines.append(f"  {member.get('layout-offset-in-bits', 0)}: {type_name} {variable.get('name')}")

    def describe(self):
        declarations = {}
        for element in self.corpus.iter("function-decl"):
            declarations[element.get("elf-symbol-id")] = self.spell_function(element, element.get("name") + " ")
        for element in self.corpus.iterfind("abi-instr/var-decl"):
            declarations[element.get("elf-symbol-id")] = f"{self.spell(element.get('type-id'))} {element.get('name')}"
        for element in self.corpus.iter("elf-symbol"):
            declarations.setdefault(element.get("name"), f"{element.get('name')}, without a declaration")
        functions = [f"symbol {declarations[symbol]}" for symbol in sorted(declarations)]
        return functions + [line for name in sorted(self.layouts) for line in self.layouts[name]]


def describe_library():
    command = ["abidw", "--exported-interfaces-only", "--drop-undefined-syms", library]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return Interface(xml.etree.ElementTree.fromstring(text), pathlib.Path(headers, "cudahisto", name).read_text()).describe()


arguments = sys.argv[1:]
is_recording = arguments[0] == "--record"
library, headers, name, records, *compiler = arguments[1:] if is_recording else arguments
for program in ("abidw", "readelf"):
    if not shutil.which(program):
        skip(f"{program} is not there (Debian: abigail-tools, binutils)")
if ".debug_info" not in read_elf("--section-headers"):
    skip("the library has no debug information (buildtype=debugoptimized has)")
if "ELF64" not in read_elf("--file-header"):
    skip("the records are of 64-bit processors")

soname = re.search(r"\(SONAME\).*\[(.*)\]", read_elf("--dynamic"))[1]
record = pathlib.Path(records) / (soname + ".abi")
built = LICENSE + "".join(line + "\n" for line in [*read_constants(), *describe_library()])
if is_recording:
    record.write_text(built)
    print(f"recorded {record}")
    sys.exit(0)

if not record.is_file():
    print(f"{soname} has no record: meson compile -C {os.getcwd()} record-abi, and commit {record}")
    sys.exit(1)
recorded = record.read_text()
if recorded == built:
    print(f"the ABI is that of {record.name}")
    sys.exit(0)
sys.stdout.writelines(difflib.unified_diff(recorded.splitlines(True), built.splitlines(True), record.name, library))
print(f"""
The library is {soname}, and its ABI is not the one that {record.name} records. If that is meant:
where a release has this soname, raise the minor version in meson.build first, so that programs built with that release do not
load this library. Then record anew, meson compile -C {os.getcwd()} record-abi, and commit tests/headers/{soname}.abi.""")
sys.exit(1)
