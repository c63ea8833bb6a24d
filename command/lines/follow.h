/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A sidecar that is being written, drawn result by result, as `tail -F` would have it. */

#ifndef CUDAHISTO_FOLLOW_H
#define CUDAHISTO_FOLLOW_H

#include "lines/reader.h"

G_BEGIN_DECLS

/* Prints the last line that is there, and each one that comes, on a terminal in place, until Ctrl-C, or until nobody writes
 * to a pipe any more. A file that is rotated away is left for the one that takes its place once that has a line, and one that
 * is cut begins anew. `component`: whose numbers; NULL: the main one's. */
CommandStatus follow_file (Reader *reader, const gchar *path, const gchar *component);

G_END_DECLS

#endif
