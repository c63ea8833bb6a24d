# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""embed.py SYMBOL INPUT OUTPUT: writes an assembler file with INPUT as the read-only data SYMBOL, aligned for the driver's
loader. The build does not know that objects made from OUTPUT contain INPUT, so each change of INPUT must rewrite OUTPUT."""
import pathlib
import sys

symbol, source, target = sys.argv[1:]
pathlib.Path(target).write_text(f"""\
  .section .rodata.{symbol}, "a", %progbits
  .balign 64
  .globl {symbol}
  .hidden {symbol}
  .type {symbol}, %object
{symbol}:
  .incbin "{source}"
  .size {symbol}, . - {symbol}
  .section .note.GNU-stack, "", %progbits /* the stack need not be executable */
""")
