/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Lines of a sidecar, read one after another: a file, as the structures of the messages, which libgstcudahisto opens. */

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

/* Codes of the errors, of the domain LINES_FAULT. */
typedef enum {
  LINES_FAULT_READ,    /* the file cannot be opened, or be read on: nothing comes after it */
  LINES_FAULT_LINE,    /* a line is no JSON, or JSON of something else */
  LINES_FAULT_VERSION, /* a line is of another version of the format */
  LINES_FAULT_TEXT     /* the file is none of lines of UTF-8, from its first bytes: nothing comes after it */
} LinesFault;

#define LINES_FAULT (lines_fault_quark ())
GQuark lines_fault_quark (void);

/* "-" is standard input, from where it is at. NULL: `error` is a sentence that names the file: it is not there, a folder, may
 * not be read. A FIFO is waited for. */
Lines *lines_open (const gchar *path, GError **error);
void lines_close (Lines *lines);

/* The next line. *structure, of LINES_RESULT and LINES_EVENT, is the caller's. Lines of another version of the format, lines
 * that are not JSON, and lines of JSON that are of something else are errors. Empty lines are passed over. Waits for a FIFO; a
 * signal whose handler does not restart calls ends the waiting, as LINES_END. A last line without a newline that is a whole one
 * is returned. */
LinesKind lines_next (Lines *lines, GstStructure **structure, GError **error);

/* Which line lines_next() returned last, from 1. */
guint64 lines_get_number (const Lines *lines);

/* The names of the components of the result that lines_next() returned last, in the order of the line; the last is NULL. Valid
 * until the next call; the names are, until lines_close(). */
const gchar *const *lines_get_components (const Lines *lines);

/* Whether what follows the last newline is a part of a line, which was being written, or whose writer was stopped. */
gboolean lines_ends_within_line (const Lines *lines);

/* Where in it the next line begins, and how long it is now, in bytes; its size is -1 where it has none (a FIFO). */
gint64 lines_get_position (const Lines *lines);
gint64 lines_get_size (const Lines *lines);

/* Whether the path names another file now than the one that is read, and one that is begun, as after a log rotation; or whether
 * what is read is shorter than what has been read of it. FALSE for what is no file, and where there is nothing at the path, or
 * an empty file: whoever writes may not know of it yet. */
gboolean lines_was_replaced (const Lines *lines);

/* Makes a FIFO, before it is read, a file that can be read twice: copies it to its end into a temporary one, which has no name.
 * Does nothing with a file. */
gboolean lines_keep (Lines *lines, GError **error);

/* Begins again where it began, which is the start of a file that has a name: for a second reading. FALSE: it is none that can
 * be read twice (a FIFO, a pipe). */
gboolean lines_rewind (Lines *lines);

/* Passes over all lines of a file but the last one, without looking at them. */
void lines_skip_to_last (Lines *lines);

/* From now on lines_next() does not wait for a FIFO, or a pipe: LINES_END is that there is nothing now. And whether there will
 * never be more: all writers have closed it, or it cannot be read on. A file may always grow. */
void lines_wait_no_more (Lines *lines);
gboolean lines_are_over (const Lines *lines);

/* "film.jsonl", for messages; "standard input". */
const gchar *lines_get_name (const Lines *lines);

G_END_DECLS

#endif
