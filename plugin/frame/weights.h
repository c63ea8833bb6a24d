/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Weights: read from a file and, those of row and column sums, brought to the samples of a component. */

#ifndef GST_CUDA_HISTO_WEIGHTS_H
#define GST_CUDA_HISTO_WEIGHTS_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Reads a file of weights of any kind, with a 0 behind it; free with g_free(). Waits for no FIFO and no device: NULL with
 * @error, in the user's words, where it cannot be read, is no regular file or has more than `most_bytes`, whole MiB. */
gchar *gst_cuda_histo_weights_load (const gchar *location, gsize most_bytes, gsize *size_bytes, GError **error);

/* Reads a text file of integers from -32768 to 32767, one a line, of which there is at least one: an array of gint16. NULL with
 * @error, in the user's words, where it cannot be read or is not that. */
GArray *gst_cuda_histo_weights_read (const gchar *location, GError **error);

/* The weights of the samples of a component, gint16: sample i has that of the first pixel that it belongs to, and pixel x has
 * weight number x * `pixels_each`. There are enough of them. */
GBytes *gst_cuda_histo_weights_spread (const GArray *weights, guint samples, guint shift, guint phase, guint pixels_each,
                                       gboolean is_reversed);

G_END_DECLS

#endif
