/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Under a sanitizer, all tests of a program run in one process. After a failed check, Check leaves the test by longjmp and
 * starts the next one. The threads of the failed test still use its stack, which the next test overwrites. The sanitizer would
 * report this instead of the failure. Here, the first failed check therefore ends the program: the linker replaces Check's
 * function by this one (--wrap). */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

_Noreturn void __wrap__ck_assert_failed (const char *file, int line, const char *expression, ...);

/* The first argument after `expression` is a format or NULL. Some versions of Check declare it by name. */
_Noreturn void
__wrap__ck_assert_failed (const char *file, int line, const char *expression, ...)
{
  va_list arguments;
  const char *format;

  fflush (stdout);
  fprintf (stderr, "%s:%d: %s", file, line, expression);
  va_start (arguments, expression);
  format = va_arg (arguments, const char *);
  if (format != NULL) {
    fputs (": ", stderr);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    vfprintf (stderr, format, arguments);
#pragma GCC diagnostic pop
  }
  va_end (arguments);
  fputs ("\nThe first failed check ends the program: the tests after it did not run\n", stderr);
  fflush (stderr);
  _exit (EXIT_FAILURE);
}
