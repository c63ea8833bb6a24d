/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The decoder of a reference: a pipeline of the element's own, which decodes the first video stream of a picture or clip,
 * converts it to a format, not to a size, and hands the frames out one by one. It decodes some frames ahead, on threads of its
 * own. A thread of the decoder changes the pipeline's state and seeks, so that nobody else waits for a source that is stuck. */

#ifndef GST_CUDA_HISTO_DECODER_H
#define GST_CUDA_HISTO_DECODER_H

#include <gst/video/video.h>

G_BEGIN_DECLS

typedef struct _GstCudaHistoDecoder GstCudaHistoDecoder;

typedef enum {
  GST_CUDA_HISTO_DECODER_FRAME,    /* here is one */
  GST_CUDA_HISTO_DECODER_END,      /* there is no more */
  GST_CUDA_HISTO_DECODER_LATE,     /* there will be more, but not yet */
  GST_CUDA_HISTO_DECODER_FLUSHING, /* nobody waits */
  GST_CUDA_HISTO_DECODER_FAILED    /* nor will there be one */
} GstCudaHistoDecoderOutcome;

/* A frame as it comes out of the decoder. */
typedef struct {
  GstSample *sample;        /* with its caps and its segment; owned by who has the frame */
  GstClockTime time;        /* stream time, in ns; GST_CLOCK_TIME_NONE where unknown */
  GstClockTime first_time;  /* that of the frame with number 0 */
  guint64 number;           /* since the start or the last seek, from 0 */
  guint repeats;            /* frames directly before it that have its time */
  gboolean follows_skipped; /* the frame before it was skipped */
} GstCudaHistoDecoderFrame;

/* Lets its sample go. */
void gst_cuda_histo_decoder_clear_frame (GstCudaHistoDecoderFrame *frame);

/* Begins to decode `location`, a path or a URI, to the format of `info`. `owner` is whom log lines and
 * warnings are about: those of the pipeline are posted as its own, at most once a second, and so are messages of plugins that
 * the video lacks; those about contexts are handed on as they come, on a thread of the pipeline. A path of a file that is there
 * is never taken for a URI. NULL with @error in the user's words where an element is missing, or the thread cannot be started;
 * that the location is of no use shows later. Reference counted; to be stopped before the last reference of its owner goes. */
GstCudaHistoDecoder *gst_cuda_histo_decoder_new (GstElement *owner, const gchar *location, const GstVideoInfo *info,
                                                 GError **error);
void gst_cuda_histo_decoder_unref (GstCudaHistoDecoder *decoder);

/* The next frame, where the outcome is FRAME; to be cleared by the caller. Waits for it, where it `waits`, at most 20
 * seconds: then the decoder has failed. *error, with FAILED, is in the user's words. By one thread at a time. */
GstCudaHistoDecoderOutcome gst_cuda_histo_decoder_next (GstCudaHistoDecoder *decoder, gboolean waits,
                                                        GstCudaHistoDecoderFrame *frame, GError **error);

/* For those who do not wait: until the next seek the decoder goes on by itself to stream time `until`, and skips frames behind
 * which there is one that is not later than `from`, and, of those with one time at which it stands still, all but the last.
 * Where either side has no times, both are frame `number`. Does not wait. */
void gst_cuda_histo_decoder_go_on (GstCudaHistoDecoder *decoder, GstClockTime from, GstClockTime until, guint64 number);

/* The next frame will be the one at `stream_time`, or, where the source cannot seek, the first one again. Does not wait. */
void gst_cuda_histo_decoder_seek (GstCudaHistoDecoder *decoder, GstClockTime stream_time);

/* FALSE: a seek has shown that the source cannot. */
gboolean gst_cuda_histo_decoder_can_seek (GstCudaHistoDecoder *decoder);

/* While flushing nobody waits for a frame. Any thread. */
void gst_cuda_histo_decoder_set_flushing (GstCudaHistoDecoder *decoder, gboolean flushing);

/* Ends the pipeline; there are no more frames. Waits two seconds at most: a source that is stuck longer, in a read that nothing
 * interrupts, is left to its thread, which ends it when it comes loose. Once. */
void gst_cuda_histo_decoder_stop (GstCudaHistoDecoder *decoder);

/* The number of decoders of the process that were left in that way, and are still stuck. With eight of them no other one is
 * made. Any thread. */
guint gst_cuda_histo_decoder_count_stuck (void);

/* The number of decoders of the process whose next frame is waited for now. Any thread. */
guint gst_cuda_histo_decoder_count_awaited (void);

G_END_DECLS

#endif
