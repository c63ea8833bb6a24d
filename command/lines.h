/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Lines of a sidecar, read one after another: from JSON to the structures of the messages, which libgstcudahisto opens. */

#ifndef CUDAHISTO_LINES_H
#define CUDAHISTO_LINES_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* A file, a FIFO, or standard input, that is being read. Memory does not grow with its length. */
typedef struct _Lines Lines;

typedef enum {
  LINES_RESULT, /* a structure as that of a message "cudahisto", histograms and arrays packed, regions too; integers of 2^64
                   and more are strings of decimal digits under their names */
  LINES_EVENT,  /* a structure as that of a message "cudahisto-event" */
  LINES_END,    /* no more, for now: a line that is half written is not returned, and completed by a later call */
  LINES_ERROR   /* `error` says which line is not one of a sidecar, and why; the next call goes on with the next line */
} LinesKind;

/* "-" is standard input. NULL: `error` is a sentence that names the file: it is not there, a folder, may not be read. */
Lines *lines_open (const gchar *path, GError **error);
void lines_close (Lines *lines);

/* The next line. *structure, of LINES_RESULT and LINES_EVENT, is the caller's. Lines of another version of the format, lines
 * that are not JSON, and lines of JSON that are of something else are errors. Empty lines are passed over. Waits for a FIFO. */
LinesKind lines_next (Lines *lines, GstStructure **structure, GError **error);

/* Which line lines_next() returned last, from 1. */
guint64 lines_get_number (const Lines *lines);

/* Whether what follows the last newline is a part of a line, which was being written, or whose writer was stopped. */
gboolean lines_ends_within_line (const Lines *lines);

/* Where it reads, and how long it is now, in bytes; -1: not known (a FIFO). */
gint64 lines_get_position (const Lines *lines);
gint64 lines_get_size (const Lines *lines);

/* "film.jsonl", for messages; "standard input". */
const gchar *lines_get_name (const Lines *lines);

G_END_DECLS

#endif
