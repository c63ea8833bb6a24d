/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Layouts: the components of a format of raw video, and the place of their samples. */

#pragma once

#include <gst/video/video.h>

G_BEGIN_DECLS

/* The samples of one component. Sample i of a row begins at byte offset_bytes + i * step_bytes. */
typedef struct {
  const gchar *name; /* "Y", "U" ... as in results; static */
  guint plane;
  guint offset_bytes, step_bytes;
  guint sample_bytes; /* 1 or 2 */
  guint depth;        /* 8 in one byte, 9 .. 16 in two */
  guint shift;        /* position of the lowest significant bit */
  gboolean is_big_endian;
  guint sub_x, sub_y; /* log2 of the pixels for each sample */
} GstCudaHistoSamples;

typedef struct {
  /* The engine cannot read the samples where they are: several share a word or a tile, or they have fewer than 8 bits, or
   * unequal depths. The following fields then describe a copy with a plane for each component (unpack.h). */
  gboolean is_unpacked;
  guint n_planes, n_components;
  GstCudaHistoSamples components[GST_VIDEO_MAX_COMPONENTS];
} GstCudaHistoLayout;

/* Finds the layout of a format. All components have the same depth: that of the deepest one, at least 8 bits. FALSE, and all
 * zeros, if the format is not supported: it is not raw video, has samples of more than 16 bits, or is opaque (DMA_DRM). A
 * palette is not a component: the indices are. */
gboolean gst_cuda_histo_layout_find (GstCudaHistoLayout *layout, const GstVideoFormatInfo *finfo);

/* Initializes @formats as a list of the names of all supported formats, in the order in which GStreamer prefers them. Unset it
 * with g_value_unset(). */
void gst_cuda_histo_layout_list_formats (GValue *formats);

G_END_DECLS
