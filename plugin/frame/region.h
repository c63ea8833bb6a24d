/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Regions: rectangles of a picture that are counted by themselves, those that the user names and those that the metas of a
 * buffer do. */

#ifndef GST_CUDA_HISTO_REGION_H
#define GST_CUDA_HISTO_REGION_H

#include <gst/gst.h>

#include "frame/frame.h"
#include "result/result.h"

G_BEGIN_DECLS

/* What has become of the regions that were asked for. */
typedef struct {
  guint clipped;  /* reach beyond the picture */
  guint outside;  /* are outside of it, or empty, and so not counted */
  guint too_many; /* are more than GST_CUDA_HISTO_MAX_REGIONS, and so not counted */
} GstCudaHistoRegionLoss;

/* Reads "x,y,width,height; x,y,width,height" in pixels; NULL and "" are no regions. FALSE, and *regions untouched, where it is
 * not that. */
gboolean gst_cuda_histo_regions_parse (GstCudaHistoRegions *regions, const gchar *text);

/* Those of `asked`, and then those of the GstVideoRegionOfInterestMetas and GstAnalyticsODMtds of a buffer (NULL: none), as far
 * as they are inside of a picture of width x height pixels. Metas are in the pixels of the whole buffer: its GstVideoCropMeta
 * says where the picture is. Where videocrop adds that one, it leaves the others as they are. A detection that comes as both,
 * with the same number, type and rectangle, is one region. */
void gst_cuda_histo_regions_collect (GstCudaHistoRegions *regions, const GstCudaHistoRegions *asked, GstBuffer *buffer,
                                     guint width, guint height, GstCudaHistoRegionLoss *loss);

/* Whether both have the same rectangles of the same metas, whatever their confidence is. */
gboolean gst_cuda_histo_regions_are_equal (const GstCudaHistoRegions *left, const GstCudaHistoRegions *right);

/* Whether one of them is this rectangle. */
gboolean gst_cuda_histo_regions_have (const GstCudaHistoRegions *regions, const GstCudaHistoRegion *region);

/* The region of a picture as a frame for itself, of which it keeps a reference; no sample is copied. The region is inside of
 * the picture. Of a subsampled component it has all samples that it touches. */
GstCudaHistoFrame *gst_cuda_histo_frame_cut_out (GstCudaHistoFrame *frame, const GstCudaHistoRegion *region);

G_END_DECLS

#endif
