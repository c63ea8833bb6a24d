/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Shared by output.c, outputcheck.c and outputfile.c. */

#pragma once

#include <gio/gio.h>
#include <glib/gstdio.h>
#include <stdio.h>

#include "output/output.h"

#define OUTPUT_BUFFER_BYTES (256 * 1024)

struct _Output {
  gchar *path;        /* NULL: standard output */
  gchar *real_path;   /* the file to replace; NULL: the path is written directly */
  gchar *new_path;    /* of the new file; NULL: unnamed so far */
  gboolean is_copied; /* the new file is in another directory, and its content is copied */
  FILE *file;
  GConverter *compressor; /* NULL: no compression */
  gboolean is_terminal;
  gboolean was_there;  /* there was a file at the path at opening */
  GStatBuf about;      /* of that file */
  GChecksum *checksum; /* of the written data */
  const gchar *kind;
  const gchar *change; /* a change by another program; NULL: none */
  int error;           /* errno of the first failed write; 0: none */
};

/* outputcheck.c */

/* Returns whether the path is standard output, by a name that needs no file system. */
gboolean output_is_named_standard (const gchar *path);

/* Checks that the path may be written, and looks at an existing file. FALSE after reporting an error. */
gboolean output_check (Output *output, const gchar *path, const gchar *const *inputs, const OutputPolicy *policy);

/* outputfile.c */

/* Opens the path, or the file that will replace it. FALSE: errno has the reason. */
gboolean output_open_file (Output *output, const gchar *path);

/* Puts the new file in the place of the existing one. A failure sets `error` or `change`. */
void output_replace (Output *output);

/* Marks the file as written by this subcommand. */
void output_mark (const Output *output, int fd);
