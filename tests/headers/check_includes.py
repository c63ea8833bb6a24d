# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""check_includes.py ROOT: checks the dependency rule in all sources.

  fields/    includes only GLib; only plugin/, command/ and tests/ include it
  kernels/   includes nothing of GLib, GStreamer, plugin/ or tests/, and of CUDA only <cuda.h> and its own headers
  plugin/    includes of kernels/ only <cudahisto/histo.h>, nothing of tests/, and no CUDA; only cudacontext.c includes
             GStreamer's CUDA library
  library/   includes nothing of other folders, and of GStreamer only its core
  decoding/  includes nothing of other folders, and of GStreamer only its core and base; only command/ and the plugin's compare/
             include it
  scope/     includes nothing of kernels/, plugin/ or tests/, and no CUDA
  others     include of library/ only its public header, and nothing of plugin/, except tests/

In kernels/ a folder includes from the others what FOLDERS_OF_THE_ENGINE allows. In plugin/ it includes what
FOLDERS_OF_THE_PLUGIN allows, and nothing from the element, which is in none of them. In command/ it includes what
FOLDERS_OF_THE_COMMAND allows. The subcommands, which are in none of them, include from all.

Prints each line that breaks the rule.
"""
import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
SOURCES = {".c", ".h", ".cu", ".cuh", ".cc", ".cpp", ".hpp"}
FOREIGN_TO_KERNELS = re.compile(r"^(glib|gst|gio|gobject|gmodule|json-glib)([./-]|$)")
CUDA = re.compile(r"^(cuda|cudart|nvrtc|cub|npp|nvml|ffnvcodec|dynlink_)[^/]*(/|\.|$)")
PUBLIC = "cudahisto/histo.h"
PUBLIC_OF_THE_LIBRARY = "cudahisto/gstcudahisto.h"
NOT_OF_THE_BASE = re.compile(r"^(gst/(?!gst|base/|video/)|gio|json-glib|gmodule|cudahisto/)")
NOT_GLIB = re.compile(r"^(gst|gio|gobject|json-glib|gmodule|cudahisto)([./-]|$)")
NOT_OF_THE_CORE = re.compile(r"^(gst/(?!gst)|gio|json-glib|gmodule)")
FOLDERS_OF_THE_ENGINE = {
    ".": set(),
    "reference": {"."},
    "cpu": {"."},
    "cpu/scalar": {".", "cpu"},
    "cpu/avx2": {".", "cpu"},
    "cuda": {"."},
    "cuda/device": {".", "cuda"},
    "cuda/host/plan": {".", "cuda", "cuda/host"},
    "cuda/host/upload": {".", "cuda", "cuda/host"},
    "cuda/host/launch": {".", "cuda", "cuda/host", "cuda/host/plan"},
    "cuda/host": {".", "cuda", "cuda/host/launch", "cuda/host/plan", "cuda/host/upload"},
}
FOLDERS_OF_THE_PLUGIN = {
    "common": set(),
    "result": {"common"},
    "detect": {"common", "result"},
    "frame": {"common", "result"},
    "compare": {"common", "frame"},
    "input": {"common", "frame"},
    "count": {"common", "frame", "result"},
    "parts": {"common", "compare", "count", "frame", "result"},
    "settings": {"common", "compare", "count", "detect", "frame", "result"},
}
FOLDERS_OF_THE_COMMAND = {
    "common": set(),
    "lines": {"common"},
    "output": {"common", "lines", "play"},
    "damage": set(),
    "play": {"common", "damage"},
    "align": {"common"},
    "merging": {"common", "lines"},
    "formats": {"common", "lines", "output"},
    "report": {"common", "lines"},
    "policy": {"common", "formats", "lines", "output", "play"},
    "scan": {"common", "lines", "merging", "output", "policy"},
}

root = pathlib.Path(sys.argv[1])


def list_sources(folder):
    # The main loop skips hidden and build folders of the root, and no source folder has such a name.
    return sorted(path for path in (root / folder).rglob("*") if path.suffix in SOURCES and path.is_file())


def find_folder(source, included, is_quoted):
    """Returns the top folder of the included file ('decoding', 'kernels' ...), or None if it is outside the repository."""
    if is_quoted:
        path = (source.parent / included).resolve()
        if path.is_file() and root.resolve() in path.parents:
            return path.relative_to(root.resolve()).parts[0]
    first = pathlib.PurePath(included).parts[0]
    if first in FOLDERS:
        return first
    for folder, headers in HEADERS.items():
        # As that folder's include paths find it.
        if any(header.endswith("/" + included) for header in headers):
            return folder
    return None


FOLDERS = ("command", "decoding", "fields", "kernels", "library", "plugin", "scope", "tests")
HEADERS = {
    folder: ["/" + str(path.relative_to(root)) for path in list_sources(folder) if path.suffix in {".h", ".cuh", ".hpp"}]
    for folder in FOLDERS
}


def find_fault_of_the_engine(source, included):
    """Returns what is wrong with a quoted include in kernels/, or None. It is relative to the file or to kernels/."""
    engine = root / "kernels"
    path = next((path for path in (source.parent / included, engine / included) if path.is_file()), None)
    if not path:
        return None
    home, target = (folder.resolve().relative_to(engine.resolve()).as_posix() for folder in (source.parent, path.parent))
    if target != home and target not in FOLDERS_OF_THE_ENGINE[home]:
        return f"kernels/{home}/ includes nothing of kernels/{target}/"
    return None


def find_inner_fault(source, included):
    """Returns what is wrong with a quoted include in plugin/, or None. Each include must name the folder."""
    home = source.relative_to(root / "plugin").parts[:-1]
    target = pathlib.PurePath(included).parts[:-1]
    if target == ("decoding",):
        return None if home == ("compare",) else "of the plugin, compare/ alone includes of decoding/"
    if target == ("fields",):
        return None if home in ((), ("result",), ("settings",)) else "the element, settings/ and result/ include of fields/"
    if not (root / "plugin" / included).is_file():
        return "the plugin includes its own headers by folder and name"
    if not home or home == target:
        return None
    if not target:
        return "no folder of the plugin includes from the element"
    if target[0] not in FOLDERS_OF_THE_PLUGIN[home[0]]:
        return f"{home[0]}/ includes nothing of {target[0]}/"
    return None


def find_fault_of_the_command(source, included):
    """Returns what is wrong with a quoted include in command/, or None. Each include must name the folder."""
    home = source.relative_to(root / "command").parts[:-1]
    target = pathlib.PurePath(included).parts[:-1]
    if target in (("decoding",), ("fields",)) or not home:
        return None
    if not (root / "command" / included).is_file():
        return "the command includes its own headers by folder and name"
    if not target:
        return "no folder of the command includes from the subcommands"
    if target != home and target[0] not in FOLDERS_OF_THE_COMMAND[home[0]]:
        return f"command/{home[0]}/ includes nothing of {target[0]}/"
    return None


def find_fault(source, included, is_quoted):
    home = source.relative_to(root).parts[0]
    target = find_folder(source, included, is_quoted)
    if target == "library" and home != "library" and included != PUBLIC_OF_THE_LIBRARY:
        return f"{home}/ has of the library <{PUBLIC_OF_THE_LIBRARY}> alone"
    if target == "fields" and home not in ("command", "fields", "plugin", "tests"):
        return "only plugin/, command/ and tests/ include of fields/"
    if home == "fields":
        if target not in (None, "fields") or CUDA.match(included) or NOT_GLIB.match(included):
            return "fields/ has GLib, and nothing else"
    elif home == "kernels":
        if FOREIGN_TO_KERNELS.match(included):
            return "the engine knows neither GLib nor GStreamer"
        if target in ("library", "plugin", "tests"):
            return f"the engine includes nothing of {target}/"
        if CUDA.match(included) and included != "cuda.h" and target != "kernels" and source.suffix in {".c", ".h"}:
            return "the engine's host code has the driver's cuda.h and no other CUDA header"
        if is_quoted:
            return find_fault_of_the_engine(source, included)
    elif home == "plugin":
        if target == "kernels" and included != PUBLIC:
            return f"the plugin has of the engine <{PUBLIC}> alone"
        if target == "tests":
            return "the plugin includes nothing of tests/"
        if CUDA.match(included) and included != PUBLIC and target != "plugin":
            return "the plugin leaves CUDA to the engine and to gst/cuda"
        if included.startswith("gst/cuda/") and source.name != "cudacontext.c":
            return "GStreamer's CUDA library is for cudacontext.c alone"
        if is_quoted:
            return find_inner_fault(source, included)
    elif home == "command" and is_quoted and target != "plugin":
        return find_fault_of_the_command(source, included)
    elif home == "library":
        if target in ("kernels", "plugin", "tests"):
            return f"the library includes nothing of {target}/"
        if CUDA.match(included) and target != "library" or NOT_OF_THE_CORE.match(included):
            return "the library has GStreamer's core, and nothing else"
    elif home == "decoding":
        if target not in (None, "decoding") or CUDA.match(included) or NOT_OF_THE_BASE.match(included):
            return "decoding/ has GStreamer's core and base, and nothing else"
    elif target == "decoding" and home not in ("command", "tests"):
        return "only command/ and the plugin's compare/ include of decoding/"
    elif home == "scope":
        if target in ("kernels", "plugin", "tests") or CUDA.match(included) and included != PUBLIC_OF_THE_LIBRARY:
            return "the scope has of the project the library alone"
    elif home != "tests" and target == "plugin":
        return "nothing but tests/ includes from plugin/"
    return None


faults = 0
seen = 0
for folder in sorted(path.name for path in root.iterdir() if path.is_dir() and not path.name.startswith((".", "build"))):
    for source in list_sources(folder):
        for number, line in enumerate(source.read_text(errors="replace").splitlines(), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            seen += 1
            fault = find_fault(source, match[2], match[1] == '"')
            if fault:
                faults += 1
                print(f"{source.relative_to(root)}:{number}: {line.strip()}    ({fault})")
print(f"{seen} includes, {faults} against the dependency rule")
sys.exit(1 if faults or not seen else 0)
