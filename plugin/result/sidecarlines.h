/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Whether a file holds lines of a sidecar and nothing else, by the beginnings and the ends of its lines. What has been changed
 * within a line is not seen. */

#ifndef GST_CUDA_HISTO_SIDECARLINES_H
#define GST_CUDA_HISTO_SIDECARLINES_H

#include <glib.h>

G_BEGIN_DECLS

/* Whether the text begins as a line of the element does: with the version of the format, or, as those of 0.1 did, with the
 * name of the element and what counted. A sum of `cudahisto merge` has a blank behind the version, and does not. */
gboolean gst_cuda_histo_sidecar_lines_is_beginning (const gchar *text);

/* Whether text that nothing follows may be the beginning of a line that was torn before it can be told by that. */
gboolean gst_cuda_histo_sidecar_lines_is_torn (const gchar *text);

/* Whether a file of `size` bytes is one. The last line may be torn, and have NULs in the place of what was lost. Of a file of
 * more than 64 MiB the first and the last 32 are read. FALSE where it cannot be read, too. */
gboolean gst_cuda_histo_sidecar_lines_are_alone (gint fd, goffset size);

G_END_DECLS

#endif
