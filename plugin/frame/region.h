/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Regions: rectangles of a picture that are measured separately, set by the user or by metas of a buffer. */

#pragma once

#include <gst/gst.h>

#include "frame/frame.h"
#include "result/result.h"

G_BEGIN_DECLS

/* Requested regions that are not measured as requested. */
typedef struct {
  guint clipped;  /* reach beyond the picture */
  guint outside;  /* outside the picture, or empty: omitted */
  guint too_many; /* beyond GST_CUDA_HISTO_MAX_REGIONS: omitted */
} GstCudaHistoRegionLoss;

/* Reads "x,y,width,height; x,y,width,height" in pixels. NULL and "" are no regions. FALSE, and *regions unchanged, if the text
 * is invalid. */
gboolean gst_cuda_histo_regions_parse (GstCudaHistoRegions *regions, const gchar *text);

/* Collects the regions of `asked`, then those of the GstVideoRegionOfInterestMetas and GstAnalyticsODMtds of a buffer (NULL:
 * none), clipped to a picture of width x height pixels. Metas are in pixels of the whole buffer, and its GstVideoCropMeta
 * locates the picture: videocrop adds that meta and does not change the others. A detection in both kinds of metas, with the
 * same number, type and rectangle, is one region. */
void gst_cuda_histo_regions_collect (GstCudaHistoRegions *regions, const GstCudaHistoRegions *asked, GstBuffer *buffer,
                                     guint width, guint height, GstCudaHistoRegionLoss *loss);

/* Finds the rows of a field, which has `rows`, that belong to the region of a frame. FALSE: none. */
gboolean gst_cuda_histo_region_find_in_field (GstCudaHistoRegion *region, guint rows);

/* Omits regions of a frame that have no rows in a field of `rows`. Returns their number. */
guint gst_cuda_histo_regions_omit (GstCudaHistoRegions *regions, guint rows);

/* Replaces the regions of a frame by those of its fields, of which the larger has `rows`. */
void gst_cuda_histo_regions_divide (GstCudaHistoRegions *regions, guint rows);

/* Whether both have the same rectangles from the same metas. Confidence may differ. */
gboolean gst_cuda_histo_regions_are_equal (const GstCudaHistoRegions *left, const GstCudaHistoRegions *right);

/* Whether one of them has this rectangle. */
gboolean gst_cuda_histo_regions_have (const GstCudaHistoRegions *regions, const GstCudaHistoRegion *region);

/* Returns the region of a picture as a separate frame, without a copy. It keeps `frame`. The region lies inside the picture,
 * and has all samples of a subsampled component that it touches. */
GstCudaHistoFrame *gst_cuda_histo_frame_cut_out (GstCudaHistoFrame *frame, const GstCudaHistoRegion *region);

G_END_DECLS
