# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""check_properties.py ROOT: checks that each property of an element has a documentation block, "/**" and its name."""
import pathlib
import re
import sys


def find_undocumented(path):
    text = path.read_text()
    for name in re.findall(r'g_param_spec_\w+ \(\s*"([a-z0-9-]+)"', text):
        if not re.search(rf"/\*\*\n\s*\* \w+:{name}:\n", text):
            yield name


def main():
    root = pathlib.Path(sys.argv[1])
    sources = [path for folder in ("plugin", "scope") for path in sorted((root / folder).rglob("*.c"))]
    undocumented = [f"{path}: {name}" for path in sources for name in find_undocumented(path)]
    for line in undocumented:
        print(f"{line} has no documentation block")
    return 1 if undocumented or not sources else 0


sys.exit(main())
