# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""check_properties.py ROOT: checks that each property of an element has a documentation block, "/**" and its name, and that
the element's documentation lists each field of results."""
import pathlib
import re
import sys


def find_undocumented(path):
    text = path.read_text()
    for name in re.findall(r'g_param_spec_\w+ \(\s*"([a-z0-9-]+)"', text):
        if not re.search(rf"/\*\*\n\s*\* \w+:{name}:\n", text):
            yield name


def find_unlisted(root):
    """Fields that the SECTION comment lacks. It may list only the end of a name, and one field for those of a group."""
    section = re.search(r"SECTION:.*?\*/", (root / "plugin" / "gstcudahisto.c").read_text(), re.DOTALL).group()
    listed = {word.removeprefix("Y-") for word in re.findall(r"`([A-Za-z0-9-]+)`", section)}
    ends = tuple(word for word in listed if word.startswith("-"))
    for name in re.findall(r'FIELD \(\w+, "([a-z0-9-]+)"', (root / "fields" / "list.h").read_text()):
        of_frame = name.removeprefix("reference-")
        if not {name, of_frame, name.removesuffix("-count"), of_frame.removesuffix("-count")} & listed \
                and not (ends and name.endswith(ends)):
            yield name


def main():
    root = pathlib.Path(sys.argv[1])
    sources = [path for folder in ("plugin", "scope") for path in sorted((root / folder).rglob("*.c"))]
    undocumented = [f"{path}: {name}" for path in sources for name in find_undocumented(path)]
    for line in undocumented:
        print(f"{line} has no documentation block")
    unlisted = list(find_unlisted(root))
    for name in unlisted:
        print(f"plugin/gstcudahisto.c: the list of fields lacks {name}")
    return 1 if undocumented or unlisted or not sources else 0


sys.exit(main())
