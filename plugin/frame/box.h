/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What object detectors have found in a picture: the GstAnalyticsODMtds of a buffer, of GStreamer 1.24 and later. A plugin that
 * was built with 1.22 reads them as well: their library is looked up when a buffer may have some. */

#ifndef GST_CUDA_HISTO_BOX_H
#define GST_CUDA_HISTO_BOX_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* A box, in the pixels of the whole buffer. Of a rotated one it is the upright rectangle around it. It may reach beyond the
 * picture, and be empty. */
typedef struct {
  gint id; /* unique in the buffer's GstAnalyticsRelationMeta */
  gboolean has_parent;
  gint parent_id;    /* of the box that this one is part of; only with has_parent */
  const gchar *type; /* interned, or NULL */
  gint x, y, width, height;
  gfloat confidence; /* as the detector gives it, usually from 0 to 1 */
} GstCudaHistoBox;

typedef void (*GstCudaHistoBoxFunc) (const GstCudaHistoBox *box, gpointer user_data);

/* Calls `found` for each box of the buffer, in the order in which they were added. Any thread. */
void gst_cuda_histo_box_foreach (GstBuffer *buffer, GstCudaHistoBoxFunc found, gpointer user_data);

G_END_DECLS

#endif
