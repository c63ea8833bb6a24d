/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Weights: read from files, and mapped to the samples of a component for row and column sums. */

#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Reads a file of weights, with a 0 appended. Free with g_free(). Does not wait for a FIFO or a device. NULL with @error, a
 * text for users, if it cannot be read, is not a regular file, or has more than `most_bytes`, which is whole MiB. */
gchar *gst_cuda_histo_weights_load (const gchar *location, gsize most_bytes, gsize *size_bytes, GError **error);

/* Reads a text file with one integer from -32768 to 32767 a line, at least one: an array of gint16. NULL with @error, a text
 * for users, if it cannot be read or has other contents. */
GArray *gst_cuda_histo_weights_read (const gchar *location, GError **error);

/* Returns the weights of a component's samples, gint16. Sample i has the weight of its first pixel. Pixel x has weight number x
 * * `pixels_each`. `weights` has enough of them. */
GBytes *gst_cuda_histo_weights_spread (const GArray *weights, guint samples, guint shift, guint phase, guint pixels_each,
                                       gboolean is_reversed);

G_END_DECLS
