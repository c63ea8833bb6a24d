/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Recognises files that contain only lines of a sidecar, by the beginnings and ends of the lines. Changes within a line are not
 * detected. */

#pragma once

#include <glib.h>

/* Whether the text begins like a line of the element: with the version of the format or, from 0.1, with the names of element
 * and backend. A sum of `cudahisto merge` does not: it has a blank after the version. */
gboolean gst_cuda_histo_sidecar_lines_is_beginning (const gchar *text);

/* Whether text at the end of a file may be a torn line that is too short to be recognised. */
gboolean gst_cuda_histo_sidecar_lines_is_torn (const gchar *text);

/* Whether a file of `size` bytes contains only such lines. The last line may be torn, and have NULs in place of lost data. Of a
 * file of more than 64 MiB, the first and the last 32 MiB are read. FALSE also if it is unreadable. */
gboolean gst_cuda_histo_sidecar_lines_are_alone (gint fd, goffset size);
