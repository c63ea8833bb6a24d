/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Shows a sidecar while it is written, result by result, like `tail -F`. */

#pragma once

#include "lines/reader.h"

/* Prints the last line and each new one, in place on a terminal, until Ctrl-C, or until all writers of a pipe have closed it.
 * If the file is rotated, continues with the new file once that has a line. If the file is truncated, starts again.
 * `component`: the component to show; NULL: the main one. */
CommandStatus follow_file (Reader *reader, const gchar *path, const gchar *component);
