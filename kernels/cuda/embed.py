# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""embed.py SYMBOL INPUT OUTPUT: writes a C file that holds INPUT as the array SYMBOL, aligned as the driver's loader wants it."""
import pathlib
import sys

symbol, source, target = sys.argv[1:]
data = pathlib.Path(source).read_bytes()
rows = (", ".join(map(str, data[i : i + 24])) for i in range(0, len(data), 24))
pathlib.Path(target).write_text(
    f"extern const unsigned char {symbol}[];\n"
    f"__attribute__ ((aligned (16))) const unsigned char {symbol}[] = {{\n" + ",\n".join(rows) + "\n};\n"
)
