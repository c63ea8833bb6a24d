# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""test_packages.py SOURCES BUILD VERSION READELF LIBRARY...: debian/ agrees with the build: each installed file is in one
package, packages of libraries have the soname's name and list the exported symbols, and the versions are the same."""
import fnmatch
import json
import pathlib
import re
import subprocess
import sys

sources, build, version, readelf, *libraries = sys.argv[1:]
debian = pathlib.Path(sources, "debian")
faults = []


def read(name):
    """Lines of a file of debian/ without comments."""
    return [line for line in (debian / name).read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]


def read_elf(option, library):
    return subprocess.run([readelf, "-W", option, library], check=True, capture_output=True, text=True).stdout


def check_versions():
    packaged = re.match(r"cudahisto \((.*)-[^-)]*\)", read("changelog")[0])[1]  # without the revision
    noted = re.search(r"^## (\S+)", pathlib.Path(sources, "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)[1]
    for where, what in (("debian/changelog", packaged), ("CHANGELOG.md", noted)):
        if what != version:
            faults.append(f"{where} begins with version {what}, and meson.build has {version}")


def check_files():
    """The files that Meson installs, with the prefix /usr."""
    options = json.loads(pathlib.Path(build, "meson-info", "intro-buildoptions.json").read_text(encoding="utf-8"))
    prefix = next(option["value"] for option in options if option["name"] == "prefix")
    libdir = next(option["value"] for option in options if option["name"] == "libdir")
    installed = json.loads(pathlib.Path(build, "meson-info", "intro-installed.json").read_text(encoding="utf-8"))
    patterns = [(path.name, pattern.split()[0]) for path in debian.glob("*.install") for pattern in read(path.name)]
    for path in installed.values():
        path = "usr/" + str(pathlib.Path(path).relative_to(prefix))
        path = re.sub(f"^usr/{re.escape(libdir)}/", "usr/lib/triplet/", path)
        owners = [name for name, pattern in patterns if fnmatch.fnmatchcase(path, pattern)]
        if len(owners) != 1 and path != "usr/share/cudahisto/environment.sh":  # that file is for other prefixes
            faults.append(f"{path} is in {' and '.join(owners) or 'no debian/*.install'}")
    return len(installed)


def check_library(library):
    soname = re.search(r"\(SONAME\).*\[(.*)\]", read_elf("--dynamic", library))[1]
    stem, number = re.fullmatch(r"(.*)\.so\.(.*)", soname).groups()
    package = stem + ("-" if stem[-1].isdigit() else "") + number
    if f"Package: {package}" not in read("control"):
        faults.append(f"{soname} wants a package {package}, which debian/control has not")
        return
    first, *listed = read(f"{package}.symbols")
    if first.split()[:2] != [soname, package]:
        faults.append(f"debian/{package}.symbols does not begin with {soname} {package}")
    listed = {line.split("@")[0].strip() for line in listed if line.startswith(" ")}
    exported = set()
    for line in read_elf("--dyn-syms", library).splitlines():
        fields = line.split()
        if len(fields) >= 8 and fields[4] in ("GLOBAL", "WEAK") and fields[5] == "DEFAULT" and fields[6] != "UND":
            exported.add(fields[7].partition("@")[0])
    exported = {name for name in exported if not name.startswith("_")}  # from a sanitizer
    faults.extend(f"debian/{package}.symbols lacks {name}: add ` {name}@Base {version}`" for name in sorted(exported - listed))
    faults.extend(f"debian/{package}.symbols has {name}, which is gone" for name in sorted(listed - exported))


check_versions()
count = check_files()
for one in libraries:
    check_library(one)
print(*faults, f"{count} installed files, {len(libraries)} libraries", sep="\n")
sys.exit(1 if faults else 0)
