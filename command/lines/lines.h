/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Reads the lines of a sidecar, one after another, as the structures of the messages. libgstcudahisto opens these. */

#pragma once

#include <gst/gst.h>

/* An open file, FIFO, or standard input. Memory does not grow with its length. */
typedef struct _Lines Lines;

typedef enum {
  LINES_RESULT, /* a structure as in a message "cudahisto", with packed histograms, arrays and regions; integers of 2^64 and
                   more are strings of decimal digits under their names */
  LINES_EVENT,  /* a structure as in a message "cudahisto-event" */
  LINES_END,    /* no more lines now; a partial line is not returned, and a later call completes it */
  LINES_ERROR   /* `error` names the invalid line and the reason; the next call continues with the next line */
} LinesKind;

/* Error codes of the domain LINES_FAULT. */
typedef enum {
  LINES_FAULT_READ,    /* the file cannot be opened or read: no lines follow */
  LINES_FAULT_LINE,    /* a line is not JSON, or is other JSON */
  LINES_FAULT_VERSION, /* a line has another version of the format */
  LINES_FAULT_TEXT     /* the file does not begin with UTF-8 text, or with too long a line: no lines follow */
} LinesFault;

#define LINES_FAULT (lines_fault_quark ())
GQuark lines_fault_quark (void);

/* Opens a sidecar; "-" is standard input, from its current position. Waits for the writer of a FIFO. NULL: it does not exist,
 * is a directory, or is not readable; `error` names the file. */
Lines *lines_open (const gchar *path, GError **error);
void lines_close (Lines *lines);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Lines, lines_close)

/* Returns the next line. The caller owns *structure of LINES_RESULT and LINES_EVENT. Lines of another version, lines that are
 * not JSON, and lines of other JSON are errors. Skips empty lines. Waits for a FIFO; a signal whose handler does not restart
 * system calls ends the wait with LINES_END. A complete last line needs no newline. */
LinesKind lines_next (Lines *lines, GstStructure **structure, GError **error);

/* Number of the line that lines_next() returned last, from 1. */
guint64 lines_get_number (const Lines *lines);

/* Names of the components of the result that lines_next() returned last, in the order of the line, NULL-terminated. The array
 * is valid until the next call, the names until lines_close(). */
const gchar *const *lines_get_components (const Lines *lines);

/* Returns whether the file ends within a line: it is still being written, or its writer was stopped. */
gboolean lines_ends_within_line (const Lines *lines);

/* Offset of the next line, and current size, in bytes; size -1: unknown (a FIFO). */
gint64 lines_get_position (const Lines *lines);
gint64 lines_get_size (const Lines *lines);

/* Returns whether the path now names another non-empty file, as after a log rotation, or whether the file is shorter than the
 * part that was read. FALSE if it is not a regular file, and if the path has no file or an empty one: the writer may still use
 * the old file. */
gboolean lines_was_replaced (const Lines *lines);

/* Makes a FIFO readable twice: copies it to its end into a temporary file without a name. Call it before reading. Does nothing
 * for a file. */
gboolean lines_keep (Lines *lines, GError **error);

/* Returns to where reading began (for a named file, its start), for a second reading. FALSE: it cannot be read twice (a FIFO or
 * pipe). */
gboolean lines_rewind (Lines *lines);

/* Skips to the last line of a file, without parsing the others. */
void lines_skip_to_last (Lines *lines);

/* From now on lines_next() does not wait for a FIFO or pipe: LINES_END means that there is nothing now. lines_are_over()
 * returns whether nothing more can follow: all writers have closed it, or reading failed. A file may always grow. */
void lines_wait_no_more (Lines *lines);
gboolean lines_are_over (const Lines *lines);

/* The name in messages: "film.jsonl", or "standard input". */
const gchar *lines_get_name (const Lines *lines);
