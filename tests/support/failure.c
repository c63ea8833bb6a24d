/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Under a sanitizer all tests of a program run in one process. Check leaves a failed test by longjmp and starts the next one:
 * the pipelines and engines of the failed test go on meanwhile, in a stack that the next one uses. The sanitizer then reports
 * that, and not the failure. So there the first failed check ends the program: the linker puts this in the place of Check's
 * function (--wrap). */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

_Noreturn void __wrap__ck_assert_failed (const char *file, int line, const char *expression, ...);

/* Of the arguments behind `expression` the first is a format, or NULL: in some versions of Check it has a name. */
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
  fputs ("\nThe first failed check ends the program: the tests behind it did not run\n", stderr);
  fflush (stderr);
  _exit (EXIT_FAILURE);
}
