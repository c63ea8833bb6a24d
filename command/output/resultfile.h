/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Checks of the file that `cudahisto measure` has the element write, before and after. */

#pragma once

#include <gst/gst.h>

/* Checks whether --force may overwrite the file, or whether standard output ("-") may be written. FALSE: it is the input, one
 * of its pictures, or a file that the element reads, such as the reference; `error` has the message. */
gboolean result_file_check_inputs (const gchar *location, const gchar *input, GstElement *histo, GError **error);

/* Checks whether the written file is still at the location. `fd`: its descriptor, or -1. FALSE: it disappeared or was replaced,
 * and an error was reported. */
gboolean result_file_check (const gchar *location, gint fd);

/* Returns whether the element refused the file because it has other content than its lines. --force empties such a file. */
gboolean result_file_is_refused (const GError *error);
