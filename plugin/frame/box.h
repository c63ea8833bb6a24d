/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Boxes that object detectors found in a picture: the GstAnalyticsODMtds of a buffer, from GStreamer 1.24 on. A plugin built
 * with 1.22 reads them too: it looks up the library at run time when a buffer may have boxes. */

#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* A box, in pixels of the whole buffer. For a rotated box, the upright rectangle around it. It may reach beyond the picture,
 * and may be empty. */
typedef struct {
  gint id; /* unique in the buffer's GstAnalyticsRelationMeta */
  gboolean has_parent;
  gint parent_id;    /* id of the box that contains this one; only with has_parent */
  const gchar *type; /* interned, or NULL */
  gint x, y, width, height;
  gfloat confidence; /* the detector's value, usually from 0 to 1 */
} GstCudaHistoBox;

typedef void (*GstCudaHistoBoxFunc) (const GstCudaHistoBox *box, gpointer user_data);

/* Calls `found` for each box of the buffer, in the order of their addition. Any thread. */
void gst_cuda_histo_box_foreach (GstBuffer *buffer, GstCudaHistoBoxFunc found, gpointer user_data);

G_END_DECLS
