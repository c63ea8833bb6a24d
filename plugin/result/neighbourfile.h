/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which file a neighbour reads or writes, so that the sidecar is not written over it. */

#ifndef GST_CUDA_HISTO_NEIGHBOURFILE_H
#define GST_CUDA_HISTO_NEIGHBOURFILE_H

#include <gst/gst.h>
#include <sys/stat.h>

G_BEGIN_DECLS

/* The status of the file that is read or written at the other end of the pad's link, or beyond. FALSE: none is known now. */
gboolean gst_cuda_histo_neighbour_file_stat (GstPad *pad, struct stat *status);

G_END_DECLS

#endif
