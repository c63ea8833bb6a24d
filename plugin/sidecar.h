/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The sidecar: a file of JSON Lines, one line a window, each written whole before the next call returns. */

#ifndef GST_CUDA_HISTO_SIDECAR_H
#define GST_CUDA_HISTO_SIDECAR_H

#include "schema.h"

G_BEGIN_DECLS

typedef struct _GstCudaHistoSidecar GstCudaHistoSidecar;

/* Creates or empties the file `location`, a path in GLib's file name encoding; a device, or a pipe that somebody reads, is
 * written to as it is. NULL with @error (domain G_IO_ERROR; BROKEN_PIPE where nobody reads) where it cannot be written. */
GstCudaHistoSidecar *gst_cuda_histo_sidecar_open (const gchar *location, GError **error);

/* FALSE with @error (domain G_IO_ERROR; NO_SPACE on a full disk, BROKEN_PIPE where nobody reads): the line is not in the file.
 * Where the part that fitted cannot be taken back (a pipe), it is the file's last. */
gboolean gst_cuda_histo_sidecar_write (GstCudaHistoSidecar *sidecar, const GstCudaHistoResult *result, GError **error);

/* Closes and frees. FALSE with @error where data was lost. NULL is fine. */
gboolean gst_cuda_histo_sidecar_close (GstCudaHistoSidecar *sidecar, GError **error);

G_END_DECLS

#endif
