/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A reference: a picture or clip that frames are compared with, and which of its frames each is compared with.
 *
 * In step, that is the frame whose stream time is nearest; of two that are equally near the earlier one. Before the first and
 * after the last frame there is none, but for half the duration of a frame (the longer of both), nor is there where frames are
 * missing in between. So a clip whose times are rounded, or which repeats or drops frames, is in step all the same, and after
 * a seek as well. Where the times of one are all later than those of the other, somebody has to say so: nothing tells a
 * container that begins late (MPEG-TS) from a stream that has lost its first frames. Where the stream, or the reference, has no
 * times, frames go by their numbers. */

#ifndef GST_CUDA_HISTO_REFERENCE_H
#define GST_CUDA_HISTO_REFERENCE_H

#include <gst/video/video.h>

#include "decoding/timeline.h" /* by which the owner has the stream times of its keys */
#include "frame/frame.h"

G_BEGIN_DECLS

/**
 * GstCudaHistoReferenceMode:
 * @GST_CUDA_HISTO_REFERENCE_IN_STEP: with the frame of the same stream time
 * @GST_CUDA_HISTO_REFERENCE_FIXED: all with its first frame
 *
 * Which frame of the reference a frame is compared with.
 *
 * Since: 0.2
 */
typedef enum { GST_CUDA_HISTO_REFERENCE_IN_STEP, GST_CUDA_HISTO_REFERENCE_FIXED } GstCudaHistoReferenceMode;

typedef struct _GstCudaHistoReference GstCudaHistoReference;

typedef enum {
  GST_CUDA_HISTO_REFERENCE_FOUND,
  GST_CUDA_HISTO_REFERENCE_ABSENT,   /* its first frame is later */
  GST_CUDA_HISTO_REFERENCE_ENDED,    /* its last frame was earlier */
  GST_CUDA_HISTO_REFERENCE_MISSING,  /* it has frames before and after, and none there */
  GST_CUDA_HISTO_REFERENCE_DAMAGED,  /* its frame is, as the decoder says */
  GST_CUDA_HISTO_REFERENCE_UNTIMED,  /* its time, or that of the stream's frame, stands still, is shared or missing */
  GST_CUDA_HISTO_REFERENCE_TOO_LATE, /* its frame has not come yet, and nobody waits for it */
  GST_CUDA_HISTO_REFERENCE_FLUSHING,
  GST_CUDA_HISTO_REFERENCE_FAILED
} GstCudaHistoReferenceOutcome;

/* A frame of the stream that looks for its counterpart. */
typedef struct {
  guint64 frame;     /* its number since the start */
  gboolean is_first; /* of its stream */
  /* GST_CLOCK_TIME_NONE where unknown. */
  GstClockTime stream_time, duration;
  GstClockTime cut;         /* ns by which a seek may have cut its beginning off; 0: it is whole */
  gboolean runs_back;       /* the next one is earlier */
  gboolean lacks_time;      /* it has none, and others of its stream have */
  guint repeats;            /* frames directly before it, as they came, that have its timestamp */
  gboolean follows_unknown; /* one more may have it: nobody knows which frame came before */
} GstCudaHistoReferenceKey;

/* Begins to read `location`, a path or a URI, in the format of `info`. In step, the counterpart of a frame of the stream is the
 * one that is `offset` ns earlier. `owner` is whom log lines are about. NULL with @error in the user's words; that the location
 * is of no use shows later. Reference counted. */
GstCudaHistoReference *gst_cuda_histo_reference_new (GstElement *owner, const gchar *location, GstCudaHistoReferenceMode mode,
                                                     GstClockTimeDiff offset, const GstVideoInfo *info, GError **error);
GstCudaHistoReference *gst_cuda_histo_reference_ref (GstCudaHistoReference *reference);
void gst_cuda_histo_reference_unref (GstCudaHistoReference *reference);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstCudaHistoReference, gst_cuda_histo_reference_unref)

/* Whether its frames can be compared with frames of `info`: it need not be read anew. Their size may still differ. */
gboolean gst_cuda_histo_reference_fits (const GstCudaHistoReference *reference, const GstVideoInfo *info);

/* Frames that are found from now on are brought to the GPU, into a GstCudaContext, where they can be; NULL: they are in system
 * memory. For the thread that looks for frames. */
void gst_cuda_histo_reference_set_context (GstCudaHistoReference *reference, GstObject *context);

/* Whether somebody who looks for a frame waits until it has been decoded, as is usual. For the thread that does. */
void gst_cuda_histo_reference_set_waits (GstCudaHistoReference *reference, gboolean waits);

/* The frame that one of the stream is compared with: *found is borrowed until the next call, and *width and *height are its
 * visible size. Waits for it, at most some seconds. *error, with FAILED, is in the user's words. By one thread at a time. */
GstCudaHistoReferenceOutcome gst_cuda_histo_reference_find (GstCudaHistoReference *reference,
                                                            const GstCudaHistoReferenceKey *key, GstCudaHistoFrame **found,
                                                            guint *width, guint *height, GError **error);

/* How much later than the first frame of the reference that of the stream is, of several in a row the latest, in ns; negative:
 * earlier. 0: by less than half a frame (but for the rounding of times), or unknown, as where a stream goes on with the one
 * before, or there is an offset. */
GstClockTimeDiff gst_cuda_histo_reference_get_lead (const GstCudaHistoReference *reference);

/* While flushing nobody waits. Any thread. */
void gst_cuda_histo_reference_set_flushing (GstCudaHistoReference *reference, gboolean flushing);

/* Ends the reading. Waits two seconds at most. Once, before the owner's last reference goes. */
void gst_cuda_histo_reference_stop (GstCudaHistoReference *reference);

/* The number of references of the process that were stopped, and whose source is stuck. Any thread. */
guint gst_cuda_histo_reference_count_stuck (void);

/* The number of references of the process whose next frame is waited for now. Any thread. */
guint gst_cuda_histo_reference_count_awaited (void);

G_END_DECLS

#endif
