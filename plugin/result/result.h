/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A result: the numbers of one window, and where they come from. */

#ifndef GST_CUDA_HISTO_RESULT_H
#define GST_CUDA_HISTO_RESULT_H

#include <cudahisto/histo.h>
#include <gst/gst.h>

#include "result/origin.h"

G_BEGIN_DECLS

/**
 * GstCudaHistoBins:
 * @GST_CUDA_HISTO_BINS_256: 256, of deeper samples one for each value of their upper 8 bits
 * @GST_CUDA_HISTO_BINS_NATIVE: one for each value
 *
 * How many counters a histogram has that is handed out.
 *
 * Since: 0.2
 */
typedef enum { GST_CUDA_HISTO_BINS_256, GST_CUDA_HISTO_BINS_NATIVE } GstCudaHistoBins;

/**
 * GstCudaHistoStatistics:
 * @GST_CUDA_HISTO_STATISTICS_SATURATION: how far colours are from grey
 * @GST_CUDA_HISTO_STATISTICS_HUE: their angle in degrees
 * @GST_CUDA_HISTO_STATISTICS_DIFFERENCE: mean absolute difference from the previous frame
 * @GST_CUDA_HISTO_STATISTICS_OUTLIERS: luma samples unlike those above and below
 * @GST_CUDA_HISTO_STATISTICS_REPEATS: rows of luma like the fourth above
 * @GST_CUDA_HISTO_STATISTICS_BROADCAST_RANGE: samples outside of the broadcast range
 * @GST_CUDA_HISTO_STATISTICS_GAMUT: samples outside of the preferred range of EBU R103, converted to R, G and B
 * @GST_CUDA_HISTO_STATISTICS_WAVEFORM: a histogram for each column, or some adjacent ones
 * @GST_CUDA_HISTO_STATISTICS_VECTORSCOPE: how often each U occurs with each V
 * @GST_CUDA_HISTO_STATISTICS_HISTOGRAM: histogram and sums, and what follows from them
 * @GST_CUDA_HISTO_STATISTICS_USED_BITS: bits of a sample that are 1 in any
 * @GST_CUDA_HISTO_STATISTICS_COMPARISON: sums of differences from the previous frame, and what follows from them
 * @GST_CUDA_HISTO_STATISTICS_ROW_SUMS: the sum of each row, of each component
 * @GST_CUDA_HISTO_STATISTICS_COLUMN_SUMS: the sum of each column
 * @GST_CUDA_HISTO_STATISTICS_ACTIVE_PICTURE: the rectangle that black bars leave
 * @GST_CUDA_HISTO_STATISTICS_BASIC: the default
 * @GST_CUDA_HISTO_STATISTICS_SIGNALSTATS: all that FFmpeg's signalstats has
 *
 * Which numbers results have.
 *
 * Since: 0.2
 */
typedef enum {
  GST_CUDA_HISTO_STATISTICS_DIFFERENCE = HISTO_STATISTIC_DIFFERENCE,
  GST_CUDA_HISTO_STATISTICS_OUTLIERS = HISTO_STATISTIC_OUTLIERS,
  GST_CUDA_HISTO_STATISTICS_REPEATS = HISTO_STATISTIC_REPEATS,
  GST_CUDA_HISTO_STATISTICS_SATURATION = HISTO_STATISTIC_SATURATION,
  GST_CUDA_HISTO_STATISTICS_HUE = HISTO_STATISTIC_HUE,
  GST_CUDA_HISTO_STATISTICS_BROADCAST_RANGE = HISTO_STATISTIC_OUT_OF_RANGE,
  GST_CUDA_HISTO_STATISTICS_GAMUT = HISTO_STATISTIC_GAMUT,
  GST_CUDA_HISTO_STATISTICS_WAVEFORM = HISTO_STATISTIC_WAVEFORM,
  GST_CUDA_HISTO_STATISTICS_VECTORSCOPE = HISTO_STATISTIC_VECTORSCOPE,
  /* These follow from what the engine counts in any case. */
  GST_CUDA_HISTO_STATISTICS_HISTOGRAM = 1 << 16,
  GST_CUDA_HISTO_STATISTICS_USED_BITS = 1 << 17,
  GST_CUDA_HISTO_STATISTICS_COMPARISON = 1 << 18, /* of what the engine counts for DIFFERENCE */
  GST_CUDA_HISTO_STATISTICS_ROW_SUMS = 1 << 20,
  GST_CUDA_HISTO_STATISTICS_COLUMN_SUMS = 1 << 21,
  GST_CUDA_HISTO_STATISTICS_ACTIVE_PICTURE = 1 << 22,

  GST_CUDA_HISTO_STATISTICS_BASIC = GST_CUDA_HISTO_STATISTICS_HISTOGRAM,
  GST_CUDA_HISTO_STATISTICS_SIGNALSTATS = GST_CUDA_HISTO_STATISTICS_HISTOGRAM | GST_CUDA_HISTO_STATISTICS_SATURATION
                                          | GST_CUDA_HISTO_STATISTICS_HUE | GST_CUDA_HISTO_STATISTICS_DIFFERENCE
                                          | GST_CUDA_HISTO_STATISTICS_OUTLIERS | GST_CUDA_HISTO_STATISTICS_REPEATS
                                          | GST_CUDA_HISTO_STATISTICS_BROADCAST_RANGE | GST_CUDA_HISTO_STATISTICS_USED_BITS
} GstCudaHistoStatistics;

/* Those that are of differences from the previous frame. */
#define GST_CUDA_HISTO_DIFFERENCE_STATISTICS (GST_CUDA_HISTO_STATISTICS_DIFFERENCE | GST_CUDA_HISTO_STATISTICS_COMPARISON)

/* Those that follow from row and column sums. */
#define GST_CUDA_HISTO_SUM_STATISTICS \
  (GST_CUDA_HISTO_STATISTICS_ROW_SUMS | GST_CUDA_HISTO_STATISTICS_COLUMN_SUMS | GST_CUDA_HISTO_STATISTICS_ACTIVE_PICTURE)

/* Those that are arrays larger than histograms. */
#define GST_CUDA_HISTO_ARRAY_STATISTICS                                                                            \
  (GST_CUDA_HISTO_STATISTICS_WAVEFORM | GST_CUDA_HISTO_STATISTICS_VECTORSCOPE | GST_CUDA_HISTO_STATISTICS_ROW_SUMS \
   | GST_CUDA_HISTO_STATISTICS_COLUMN_SUMS)

/* The most regions of a picture that are counted. */
#define GST_CUDA_HISTO_MAX_REGIONS 16

/* A rectangle of the visible picture, in pixels, that is counted by itself. */
typedef struct {
  guint x, y, width, height;
  gboolean is_meta; /* of a GstVideoRegionOfInterestMeta or a GstAnalyticsODMtd, which have the following */
  gboolean has_parent, has_confidence;
  gint id, parent_id;
  const gchar *type;  /* interned, or NULL */
  gdouble confidence; /* of a GstAnalyticsODMtd: how sure the detector was in the window's first frame */
} GstCudaHistoRegion;

typedef struct {
  guint count;
  GstCudaHistoRegion regions[GST_CUDA_HISTO_MAX_REGIONS];
} GstCudaHistoRegions;

/* What is counted of a buffer: its pictures, and what else is asked about them. Each part is a frame for itself, with totals
 * of its own. */
typedef enum {
  GST_CUDA_HISTO_PART_PICTURE,   /* a picture, or bytes: what a buffer consists of */
  GST_CUDA_HISTO_PART_REFERENCE, /* the picture, measured against a reference */
  GST_CUDA_HISTO_PART_FREEZE,    /* the picture, measured against the one at which a freeze began */
  GST_CUDA_HISTO_PART_METERING,  /* the picture, times the weights of its pixels */
  GST_CUDA_HISTO_PART_REGION,    /* a region of the picture, the first; the others follow */
  GST_CUDA_HISTO_MAX_PARTS = GST_CUDA_HISTO_PART_REGION + GST_CUDA_HISTO_MAX_REGIONS
} GstCudaHistoPart;

/* What the numbers were taken from. Constant between two changes of caps, or of the visible rectangle. */
typedef struct {
  gboolean is_video;   /* else a byte stream: one component, "byte" */
  const gchar *format; /* GStreamer's name, "NV12"; "bytes". Static or interned */
  guint width, height; /* visible pixels; 0 for bytes */
  /* Video: which pixel of its chroma sample the first visible one is, from 0; so chroma may have a column or row more. */
  guint phase_x, phase_y;
  guint depth;        /* bits of a sample */
  const gchar *range; /* "full", "limited" or "unknown". Static */
  /* Video: as GstVideoInfo has it; interned; NULL: unknown */
  const gchar *colorimetry;
  gint framerate_n, framerate_d; /* video; 0/1: unknown, or variable */
  guint n_components;
  const gchar *components[HISTO_MAX_COMPONENTS]; /* "Y", "U", ... Static; the order of histo_stats.components */
} GstCudaHistoSource;

/* Why a window, or an event, ended: complete, where its mode and the interval end it, or early. */
typedef enum {
  GST_CUDA_HISTO_ENDED_BY_COMPLETE,     /* the window is a whole one */
  GST_CUDA_HISTO_ENDED_BY_EOS,          /* the stream ended */
  GST_CUDA_HISTO_ENDED_BY_STOP,         /* the element was stopped */
  GST_CUDA_HISTO_ENDED_BY_CAPS,         /* other caps came */
  GST_CUDA_HISTO_ENDED_BY_CROP,         /* the visible size changed, or arrays may have */
  GST_CUDA_HISTO_ENDED_BY_REGIONS,      /* other regions are counted */
  GST_CUDA_HISTO_ENDED_BY_SEGMENT,      /* a segment came after which a timestamp means another time */
  GST_CUDA_HISTO_ENDED_BY_SEGMENT_DONE, /* a segment that is played in a loop ended */
  GST_CUDA_HISTO_ENDED_BY_STREAM_START, /* another stream began */
  /* Events alone: */
  GST_CUDA_HISTO_ENDED_BY_FLUSH, /* what came since is discarded */
  GST_CUDA_HISTO_ENDED_BY_GAP    /* frames are missing, or were not counted */
} GstCudaHistoEndedBy;

/* Which part of the stream: see window.h. */
typedef struct {
  guint64 frame;        /* index of the first frame (bytes: buffer), from 0 */
  guint64 frames;       /* frames (bytes: buffers, whole or in part) in the window */
  guint64 ended_frames; /* those of them that end in it: each is in one window's number alone. No field of a result */
  guint64 damaged;      /* video: frames of it that are damaged */
  guint64 missing;      /* video: frames that should be in it, or before its first one, and did not come */
  guint64 offset;       /* bytes: position of the first byte in the stream */
  guint64 size;         /* bytes: bytes in the window */
  /* As GstLevel gives them; GST_CLOCK_TIME_NONE where unknown. */
  GstClockTime timestamp, stream_time, running_time, duration;
  GstCudaHistoEndedBy ended_by;
  GstCudaHistoOrigin origin; /* of the window's first buffer */
  GstCudaHistoRegions regions;
} GstCudaHistoSpan;

/* How far apart the histograms of pairs of frames are, added up. */
typedef struct {
  guint64 moved; /* samples that would have to take another value, so that the one histogram becomes the other */
  guint64 count; /* samples of one frame of each pair; 0: there was none */
} GstCudaHistoDistance;

/* Luma, each sample times the weight of its place: sum / weights is its weighted mean. */
typedef struct {
  guint64 sum;      /* of the products: bits 0 to 63 */
  guint64 sum_high; /* bits 64 to 127 */
  guint64 weights;  /* of all samples added up; not 0 */
} GstCudaHistoMeteredLuma;

/* One window's complete result. Borrows everything; a temporary for the calls below. */
typedef struct {
  const gchar *element; /* the element's name; written with replacement characters where it is not UTF-8 */
  const gchar *input;   /* the name of what is measured, likewise; NULL: it has none */
  const gchar *backend; /* "cuda", "cpu", "reference": who counted the window's last frame */
  const GstCudaHistoSource *source;
  const GstCudaHistoSpan *span;
  const struct histo_stats *stats; /* no component: an empty window, all counts 0 */
  const struct histo_stats *parts; /* GST_CUDA_HISTO_MAX_PARTS, of which `stats` is the first; no component: nothing counted */
  /* Of each component, between its histograms and those of the previous frames; HISTO_MAX_COMPONENTS, or NULL: none. */
  const GstCudaHistoDistance *distances;
  const GstCudaHistoDistance *reference_distances; /* and those of the reference's frames */
  GstClockTimeDiff reference_offset; /* by which frames are later than those of the reference that they are compared with */
  gboolean has_reference_offset;     /* they are compared in step */
  const GstCudaHistoMeteredLuma *metered_luma; /* NULL: there is none */
  /* GST_CUDA_HISTO_MAX_PARTS, of all frames together, see gst_cuda_histo_active_pictures_take; NULL: not looked for. */
  const GstCudaHistoRegion *active_pictures;
  GstCudaHistoStatistics statistics; /* which of the numbers are asked for; `stats` may have more, or less */
  GstCudaHistoBins bins;             /* of the histograms that are handed out; `stats` may have more */
} GstCudaHistoWindowResult;

G_END_DECLS

#endif
