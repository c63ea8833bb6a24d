/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a sidecar is written into: a file, a pipe, a socket, a terminal or a device. Opening changes nothing that is there.
 * Writing does not block, except to regular files, where the system has no other way. */

#ifndef GST_CUDA_HISTO_SIDECAR_FILE_H
#define GST_CUDA_HISTO_SIDECAR_FILE_H

#include <glib.h>
#include <sys/stat.h>

G_BEGIN_DECLS

typedef struct _GstCudaHistoSidecarFile GstCudaHistoSidecarFile;

/* As gst_cuda_histo_sidecar_open() says. Free with gst_cuda_histo_sidecar_file_close(). */
GstCudaHistoSidecarFile *gst_cuda_histo_sidecar_file_open (const gchar *location, gboolean empties, gboolean overwrites,
                                                           GError **error);

/* Makes it ready for the first line: a regular file that was opened by name is emptied, where it is still at `location`, or its
 * end is mended: a torn line is cut off, and what is before it gets its newline. *cut: how many bytes were cut off, also where
 * it fails after that. From now on closing does not remove it. Once: after that nothing happens. FALSE with @error (domain
 * G_IO_ERROR): EXISTS where it is no sidecar any more, with a whole sentence; and what the system says. The caller has blocked
 * SIGXFSZ. */
gboolean gst_cuda_histo_sidecar_file_prepare (GstCudaHistoSidecarFile *file, const gchar *location, gboolean empties,
                                              guint64 *cut, GError **error);

/* Writes some of `size` bytes, not none; returns how many. 0: none fits in now, poll gst_cuda_histo_sidecar_file_get_fd() for
 * POLLOUT. -1 with @error (domain G_IO_ERROR). The caller has blocked SIGPIPE and SIGXFSZ. */
gssize gst_cuda_histo_sidecar_file_write (GstCudaHistoSidecarFile *file, const gchar *data, gsize size, GError **error);

/* How many bytes of a pipe, a socket or a terminal nobody has taken yet; 0 where that cannot be told. */
gint gst_cuda_histo_sidecar_file_count_untaken (const GstCudaHistoSidecarFile *file);

/* Takes the last `size` bytes back, where that is possible. FALSE: it is not, and there are some. */
gboolean gst_cuda_histo_sidecar_file_take_back (GstCudaHistoSidecarFile *file, gsize size);

/* Whether opening the location would open this, or it was given to the process, so that there is nothing else to open. */
gboolean gst_cuda_histo_sidecar_file_is_at (const GstCudaHistoSidecarFile *file, const gchar *location);

/* As it was opened: its type and its identity stay, its size does not. */
struct stat gst_cuda_histo_sidecar_file_get_status (const GstCudaHistoSidecarFile *file);

gint gst_cuda_histo_sidecar_file_get_fd (const GstCudaHistoSidecarFile *file);

/* Closes and frees. Removes the file where it was created and not prepared. */
void gst_cuda_histo_sidecar_file_close (GstCudaHistoSidecarFile *file);

G_END_DECLS

#endif
