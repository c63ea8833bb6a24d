/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A reference: a picture or clip with which the stream's frames are compared, and the choice of the reference frame for each of
 * them.
 *
 * In step, the counterpart is the frame with the nearest stream time; of two equally near frames, the earlier one. There is no
 * counterpart more than half a frame's duration (the longer of both) before the first or after the last frame, or in a hole of
 * the reference. So clips with rounded times, and clips that repeat or drop frames, stay in step, even after a seek. If all
 * times of one are later than those of the other, the user has to set an offset: a container that begins late (MPEG-TS) looks
 * like a stream that has lost its first frames. If the stream or the reference has no times, frames are matched by number. */

#pragma once

#include <gst/video/video.h>

#include "decoding/timeline.h" /* source of the stream times of the owner's keys */
#include "frame/frame.h"

/* The frame of the reference that each frame is compared with. */
typedef enum { GST_CUDA_HISTO_REFERENCE_IN_STEP, GST_CUDA_HISTO_REFERENCE_FIXED } GstCudaHistoReferenceMode;

typedef struct _GstCudaHistoReference GstCudaHistoReference;

typedef enum {
  GST_CUDA_HISTO_REFERENCE_FOUND,
  GST_CUDA_HISTO_REFERENCE_ABSENT,    /* its first frame is later */
  GST_CUDA_HISTO_REFERENCE_ENDED,     /* its last frame was earlier */
  GST_CUDA_HISTO_REFERENCE_MISSING,   /* it has frames before and after, but none there */
  GST_CUDA_HISTO_REFERENCE_DAMAGED,   /* the decoder reports its frame as damaged */
  GST_CUDA_HISTO_REFERENCE_UNTIMED,   /* either frame's time stands still, is shared or is missing */
  GST_CUDA_HISTO_REFERENCE_TOO_LATE,  /* its frame is not decoded yet, and the caller does not wait */
  GST_CUDA_HISTO_REFERENCE_BACKWARDS, /* the stream plays backwards, the decoder only forwards */
  GST_CUDA_HISTO_REFERENCE_FLUSHING,
  GST_CUDA_HISTO_REFERENCE_FAILED
} GstCudaHistoReferenceOutcome;

/* A frame of the stream, to be matched with its counterpart. */
typedef struct {
  guint64 frame;     /* its number since the start */
  gboolean is_first; /* the first of its stream */
  /* GST_CLOCK_TIME_NONE: unknown. */
  GstClockTime stream_time, duration;
  GstClockTime cut;         /* ns that a seek may have cut from its beginning; 0: it is whole */
  gboolean runs_back;       /* the next frame is earlier */
  gboolean lacks_time;      /* it has no time, but others of its stream have */
  guint repeats;            /* frames directly before it, in order of arrival, with its timestamp */
  gboolean follows_unknown; /* the frame before is unknown, and may have the same timestamp */
} GstCudaHistoReferenceKey;

/* Starts to read `location`, a path or a URI, in the format of `info`. In step, the counterpart of a stream's frame is `offset`
 * ns earlier. `owner` is the element of log lines. NULL with @error, a text for users. An invalid location fails later.
 * Reference counted. */
GstCudaHistoReference *gst_cuda_histo_reference_new (GstElement *owner, const gchar *location, GstCudaHistoReferenceMode mode,
                                                     GstClockTimeDiff offset, const GstVideoInfo *info, GError **error);
GstCudaHistoReference *gst_cuda_histo_reference_ref (GstCudaHistoReference *reference);
void gst_cuda_histo_reference_unref (GstCudaHistoReference *reference);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstCudaHistoReference, gst_cuda_histo_reference_unref)

/* Whether its frames can be compared with frames of `info` without reading it again. Their size may still differ. */
gboolean gst_cuda_histo_reference_fits (const GstCudaHistoReference *reference, const GstVideoInfo *info);

/* Sets the GstCudaContext to which found frames are uploaded, if possible; NULL: they are in system memory. For the thread that
 * looks for frames. */
void gst_cuda_histo_reference_set_context (GstCudaHistoReference *reference, GstObject *context);

/* Sets whether gst_cuda_histo_reference_find() waits until the frame is decoded. By default it does. For the thread that looks
 * for frames. */
void gst_cuda_histo_reference_set_waits (GstCudaHistoReference *reference, gboolean waits);

/* Finds the counterpart of a frame of the stream: *found is borrowed until the next call, *width and *height are its visible
 * size. Waits for it, at most some seconds. With FAILED, *error is a text for users. By one thread at a time. */
GstCudaHistoReferenceOutcome gst_cuda_histo_reference_find (GstCudaHistoReference *reference,
                                                            const GstCudaHistoReferenceKey *key, GstCudaHistoFrame **found,
                                                            guint *width, guint *height, GError **error);

/* Returns how much later the stream's first frame is than the reference's, in ns; negative: earlier. Of several streams, the
 * last one counts. 0: the difference is less than half a frame, or within the rounding of times, or it is unknown: the stream
 * continues the one before, or an offset is set. */
GstClockTimeDiff gst_cuda_histo_reference_get_lead (const GstCudaHistoReference *reference);

/* While flushing, no call waits. Any thread. */
void gst_cuda_histo_reference_set_flushing (GstCudaHistoReference *reference, gboolean flushing);

/* Stops reading. Waits at most two seconds. Call it once, before the owner drops its last reference. */
void gst_cuda_histo_reference_stop (GstCudaHistoReference *reference);

/* Returns the number of stopped references of the process whose source is stuck. Any thread. */
guint gst_cuda_histo_reference_count_stuck (void);

/* Returns the number of references of the process whose next frame is awaited. Any thread. */
guint gst_cuda_histo_reference_count_awaited (void);
