/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A result: the numbers and the origin of one window. */

#pragma once

#include <cudahisto/histo.h>
#include <gst/gst.h>

#include "fields/statistics.h"
#include "result/origin.h"

/* Number of bins in reported histograms. */
typedef enum { GST_CUDA_HISTO_BINS_256, GST_CUDA_HISTO_BINS_NATIVE } GstCudaHistoBins;

/* The light of a pixel. */
typedef enum { GST_CUDA_HISTO_LIGHT_SOURCE_MAX_RGB, GST_CUDA_HISTO_LIGHT_SOURCE_LUMINANCE } GstCudaHistoLightSource;

/* The numbers in results: GST_CUDA_HISTO_STATISTICS_HUE and so on, for each entry of fields/statisticlist.h. */
typedef enum {
#define STATISTIC(id, bits, nick, blurb) GST_CUDA_HISTO_STATISTICS_##id = STATISTIC_##id,
#include "fields/statisticlist.h"
#undef STATISTIC
} GstCudaHistoStatistics;

/* Statistics of differences from the previous frame. */
#define GST_CUDA_HISTO_DIFFERENCE_STATISTICS (GST_CUDA_HISTO_STATISTICS_DIFFERENCE | GST_CUDA_HISTO_STATISTICS_COMPARISON)

/* Statistics that follow from row and column sums. */
#define GST_CUDA_HISTO_SUM_STATISTICS \
  (GST_CUDA_HISTO_STATISTICS_ROW_SUMS | GST_CUDA_HISTO_STATISTICS_COLUMN_SUMS | GST_CUDA_HISTO_STATISTICS_ACTIVE_PICTURE)

/* Statistics with the active picture. */
#define GST_CUDA_HISTO_ACTIVE_STATISTICS (GST_CUDA_HISTO_STATISTICS_ACTIVE_PICTURE | GST_CUDA_HISTO_STATISTICS_HDR)

/* Statistics that are arrays larger than histograms. */
#define GST_CUDA_HISTO_ARRAY_STATISTICS                                                                            \
  (GST_CUDA_HISTO_STATISTICS_WAVEFORM | GST_CUDA_HISTO_STATISTICS_VECTORSCOPE | GST_CUDA_HISTO_STATISTICS_ROW_SUMS \
   | GST_CUDA_HISTO_STATISTICS_COLUMN_SUMS)

/* Limit of regions of a picture. */
#define GST_CUDA_HISTO_MAX_REGIONS 16

/* A rectangle of the visible picture, in pixels, that is measured separately. */
typedef struct {
  guint x, y, width, height;
  gboolean is_meta; /* of a GstVideoRegionOfInterestMeta or a GstAnalyticsODMtd; only these have the following fields */
  gboolean has_parent, has_confidence;
  gint id, parent_id;
  const gchar *type;  /* interned, or NULL */
  gdouble confidence; /* of a GstAnalyticsODMtd: the detector's confidence in the window's first frame */
} GstCudaHistoRegion;

typedef struct {
  guint count;
  GstCudaHistoRegion regions[GST_CUDA_HISTO_MAX_REGIONS];
} GstCudaHistoRegions;

/* The parts of a buffer that are counted. Each part is a frame with its own totals. */
typedef enum {
  GST_CUDA_HISTO_PART_PICTURE,   /* a picture, or bytes: the buffer's own content */
  GST_CUDA_HISTO_PART_REFERENCE, /* the picture, compared with a reference */
  GST_CUDA_HISTO_PART_FREEZE,    /* the picture, compared with the one at which a freeze began */
  GST_CUDA_HISTO_PART_METERING,  /* the picture, multiplied by the weights of its pixels */
  GST_CUDA_HISTO_PART_REGION,    /* the first region of the picture; the others follow */
  GST_CUDA_HISTO_MAX_PARTS = GST_CUDA_HISTO_PART_REGION + GST_CUDA_HISTO_MAX_REGIONS
} GstCudaHistoPart;

/* The kind of data that was measured. Constant until the caps or the visible rectangle change. */
typedef struct {
  gboolean is_video;   /* FALSE: a byte stream of one component, "byte" */
  const gchar *format; /* GStreamer's name, "NV12"; "bytes". Static or interned */
  guint width, height; /* visible pixels; 0 for bytes */
  /* Video: position of the first visible pixel in its chroma sample, from 0. With a phase, chroma may have one more column or
   * row. */
  guint phase_x, phase_y;
  guint depth;        /* bits of a sample */
  const gchar *range; /* "full", "limited" or "unknown". Static */
  /* Video: as in GstVideoInfo; interned; NULL: unknown */
  const gchar *colorimetry;
  const gchar *light_transfer;   /* the transfer function of light: "pq" or "hlg-1000"; static; NULL: none */
  gint framerate_n, framerate_d; /* video; 0/1: unknown, or variable */
  /* Video of R, G and B: components that are derived from them, the first of n_components: 0, 1 (luma) or 3 (also chroma). */
  guint n_derived;
  guint n_components;
  /* "Y", "U", ... Static; the order of histo_stats.components. NULL: it is not reported. */
  const gchar *components[HISTO_MAX_COUNTED];
} GstCudaHistoSource;

/* Why a window or an event ended: as its mode and interval require (complete), or early. */
typedef enum {
  GST_CUDA_HISTO_ENDED_BY_COMPLETE,     /* as its mode requires */
  GST_CUDA_HISTO_ENDED_BY_EOS,          /* the stream ended */
  GST_CUDA_HISTO_ENDED_BY_STOP,         /* the element was stopped */
  GST_CUDA_HISTO_ENDED_BY_CAPS,         /* the caps changed */
  GST_CUDA_HISTO_ENDED_BY_CROP,         /* the visible size changed, or the size of arrays may have */
  GST_CUDA_HISTO_ENDED_BY_REGIONS,      /* the regions changed */
  GST_CUDA_HISTO_ENDED_BY_SEGMENT,      /* a new segment gave timestamps another meaning */
  GST_CUDA_HISTO_ENDED_BY_SEGMENT_DONE, /* a segment played in a loop ended */
  GST_CUDA_HISTO_ENDED_BY_STREAM_START, /* another stream started */
  /* Only for events: */
  GST_CUDA_HISTO_ENDED_BY_FLUSH, /* a flush discarded the later frames */
  GST_CUDA_HISTO_ENDED_BY_GAP    /* frames are missing or were not counted */
} GstCudaHistoEndedBy;

/* A field of interlaced video; of a window, BOTH if it has fields of both kinds. */
typedef enum {
  GST_CUDA_HISTO_FIELD_NONE,
  GST_CUDA_HISTO_FIELD_TOP,
  GST_CUDA_HISTO_FIELD_BOTTOM,
  GST_CUDA_HISTO_FIELD_BOTH
} GstCudaHistoField;

/* The part of the stream that a window covers: see window.h. */
typedef struct {
  guint64 frame;           /* index of the first frame (bytes: buffer), from 0 */
  guint64 frames;          /* frames (bytes: buffers, whole or in part) in the window */
  guint64 ended_frames;    /* frames of it that end in it: each frame ends in one window. Not reported */
  guint64 damaged;         /* video: damaged frames in it */
  guint64 missing;         /* video: frames missing in it or before its first frame */
  GstCudaHistoField field; /* video: of all its frames; NONE: they are whole, or their kind is unknown */
  guint64 offset;          /* bytes: position of the first byte in the stream */
  guint64 size;            /* bytes: bytes in the window */
  /* As GstLevel reports them. GST_CLOCK_TIME_NONE: unknown. */
  GstClockTime timestamp, stream_time, running_time, duration;
  GstCudaHistoEndedBy ended_by;
  GstCudaHistoOrigin origin; /* of the window's first buffer */
  GstCudaHistoRegions regions;
} GstCudaHistoSpan;

/* Total distance between the histograms of pairs of frames. */
typedef struct {
  guint64 moved; /* samples that would have to change their value to make both histograms equal */
  guint64 count; /* samples of one frame of each pair; 0: no pair */
} GstCudaHistoDistance;

/* Luma, weighted by position: sum / weights is the weighted mean. */
typedef struct {
  guint64 sum;      /* of the products: bits 0 to 63 */
  guint64 sum_high; /* bits 64 to 127 */
  guint64 weights;  /* sum of the weights of all samples; not 0 */
} GstCudaHistoMeteredLuma;

/* The largest numbers of a window's frames, in nits. */
typedef struct {
  gboolean is_known; /* at least one frame has light */
  gdouble max_cll, max_fall;
  gdouble max_cll_99_99, max_fall_99_99; /* of each frame's 99.99th percentile */
} GstCudaHistoLightPeaks;

/* The complete result of a window. Temporary; borrows all pointers. */
typedef struct {
  const gchar *element;  /* name of the element; invalid UTF-8 is replaced */
  const gchar *input;    /* `input-name`, treated the same; NULL: none */
  const gchar *sampling; /* part of the input, treated the same; NULL: all of it */
  const gchar *backend;  /* "cuda", "cpu" or "reference": backend of the window's last frame */
  const GstCudaHistoSource *source;
  const GstCudaHistoSpan *span;
  const struct histo_stats *stats; /* without components: an empty window, all counts are 0 */
  /* GST_CUDA_HISTO_MAX_PARTS, of which `stats` is the first; without components: not counted. */
  const struct histo_stats *parts;
  /* Distances from the previous frames' histograms, HISTO_MAX_COUNTED; NULL: none. */
  const GstCudaHistoDistance *distances;
  const GstCudaHistoDistance *reference_distances; /* from the reference frames' histograms */
  GstClockTimeDiff reference_offset;               /* stream time of frames, less that of their reference frames */
  gboolean has_reference_offset;                   /* they are compared in step */
  const GstCudaHistoMeteredLuma *metered_luma;     /* NULL: none */
  /* GST_CUDA_HISTO_MAX_PARTS, of all frames together, see gst_cuda_histo_active_pictures_take(); NULL: not measured. */
  const GstCudaHistoRegion *active_pictures;
  const GstCudaHistoLightPeaks *light_peaks; /* GST_CUDA_HISTO_MAX_PARTS; NULL: not measured */
  const gchar *light_source;                 /* the property's value; static */
  GstCudaHistoStatistics statistics;         /* requested statistics; `stats` may have more or fewer */
  GstCudaHistoBins bins;                     /* bins of reported histograms; `stats` may have more */
} GstCudaHistoWindowResult;
