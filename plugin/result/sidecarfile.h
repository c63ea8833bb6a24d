/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The file, pipe, socket, terminal or device of a sidecar. Opening changes no contents. Writing does not block, except to
 * regular files, for which the system has no other way. */

#pragma once

#include <glib.h>
#include <sys/stat.h>

typedef struct _GstCudaHistoSidecarFile GstCudaHistoSidecarFile;

/* Opens the location as described for gst_cuda_histo_sidecar_open(). Free with gst_cuda_histo_sidecar_file_close(). */
GstCudaHistoSidecarFile *gst_cuda_histo_sidecar_file_open (const gchar *location, gboolean empties, gboolean overwrites,
                                                           GError **error);

/* Prepares the file for the first line. A regular file opened by name is emptied, if it is still at `location`, or its end is
 * repaired: a torn line is removed, and the line before it gets its newline. *cut: number of removed bytes, also if it fails
 * afterwards. Then closing no longer removes the file. A second call has no effect. FALSE with @error (domain G_IO_ERROR):
 * EXISTS with a sentence if it is no longer a sidecar, or the system's error. The caller has blocked SIGXFSZ. */
gboolean gst_cuda_histo_sidecar_file_prepare (GstCudaHistoSidecarFile *file, const gchar *location, gboolean empties,
                                              guint64 *cut, GError **error);

/* Writes some of `size` bytes, at least one, and returns their number. 0: it would block; poll
 * gst_cuda_histo_sidecar_file_get_fd() for POLLOUT. -1 with @error (domain G_IO_ERROR). The caller has blocked SIGPIPE and
 * SIGXFSZ. */
gssize gst_cuda_histo_sidecar_file_write (GstCudaHistoSidecarFile *file, const gchar *data, gsize size, GError **error);

/* Returns the number of unread bytes in a pipe, a socket or a terminal; 0 if unknown. */
gint gst_cuda_histo_sidecar_file_count_untaken (const GstCudaHistoSidecarFile *file);

/* Removes the last `size` written bytes. FALSE if that is impossible and `size` is not 0. */
gboolean gst_cuda_histo_sidecar_file_take_back (GstCudaHistoSidecarFile *file, gsize size);

/* Whether opening the location would open this file, or the process had it open, so that no other can be opened. */
gboolean gst_cuda_histo_sidecar_file_is_at (const GstCudaHistoSidecarFile *file, const gchar *location);

/* Returns the status at opening. Type and identity stay the same, the size may change. */
struct stat gst_cuda_histo_sidecar_file_get_status (const GstCudaHistoSidecarFile *file);

gint gst_cuda_histo_sidecar_file_get_fd (const GstCudaHistoSidecarFile *file);

/* Closes and frees. Removes a file that was created and not prepared. */
void gst_cuda_histo_sidecar_file_close (GstCudaHistoSidecarFile *file);
