/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The decoder of a reference: a separate pipeline. It decodes the first video stream of a picture or clip, converts its format
 * but not its size, and returns the frames one by one. It decodes a few frames ahead, on its own threads. A thread of the
 * decoder changes the pipeline's state and seeks, so that a stuck source blocks no other thread. */

#pragma once

#include <gst/video/video.h>

typedef struct _GstCudaHistoDecoder GstCudaHistoDecoder;

typedef enum {
  GST_CUDA_HISTO_DECODER_FRAME,    /* a frame */
  GST_CUDA_HISTO_DECODER_END,      /* no more frames */
  GST_CUDA_HISTO_DECODER_LATE,     /* no frame yet */
  GST_CUDA_HISTO_DECODER_FLUSHING, /* flushing */
  GST_CUDA_HISTO_DECODER_FAILED    /* an error; no more frames */
} GstCudaHistoDecoderOutcome;

/* A decoded frame. */
typedef struct {
  GstSample *sample;        /* with caps and segment; owned by the frame's owner */
  GstClockTime time;        /* stream time, in ns; GST_CLOCK_TIME_NONE: unknown */
  GstClockTime first_time;  /* time of frame number 0 */
  guint64 number;           /* since the start or the last seek, from 0 */
  guint repeats;            /* frames directly before it with the same time */
  gboolean follows_skipped; /* the frame before it was skipped */
} GstCudaHistoDecoderFrame;

/* Frees its sample. */
void gst_cuda_histo_decoder_clear_frame (GstCudaHistoDecoderFrame *frame);

/* Starts to decode `location`, a path or a URI, to the format of `info`. An existing path is never treated as a URI. `owner` is
 * the element of log lines and messages. It posts the pipeline's warnings, at most once a second, and messages about missing
 * video plugins. Messages about contexts are posted at once, on a thread of the pipeline. NULL with @error, a text for users,
 * if an element is missing or the thread cannot be started. An invalid location fails later. Reference counted; call
 * gst_cuda_histo_decoder_stop() before the owner drops its last reference. */
GstCudaHistoDecoder *gst_cuda_histo_decoder_new (GstElement *owner, const gchar *location, const GstVideoInfo *info,
                                                 GError **error);
void gst_cuda_histo_decoder_unref (GstCudaHistoDecoder *decoder);

/* Returns the next frame with outcome FRAME. The caller clears it. If it `waits`, waits for the frame, at most 20 seconds: then
 * the decoder has failed. With FAILED, *error is a text for users. By one thread at a time. */
GstCudaHistoDecoderOutcome gst_cuda_histo_decoder_next (GstCudaHistoDecoder *decoder, gboolean waits,
                                                        GstCudaHistoDecoderFrame *frame, GError **error);

/* For callers that do not wait: until the next seek, the decoder decodes ahead to stream time `until`. It skips frames that are
 * followed by one that is not later than `from`, and all but the last frame at a time that stands still. If either side has no
 * times, both are frame `number`. Does not wait. */
void gst_cuda_histo_decoder_go_on (GstCudaHistoDecoder *decoder, GstClockTime from, GstClockTime until, guint64 number);

/* Seeks: the next frame is the one at `stream_time`, or the first one if the source cannot seek. Does not wait. */
void gst_cuda_histo_decoder_seek (GstCudaHistoDecoder *decoder, GstClockTime stream_time);

/* FALSE: a seek has failed because the source cannot seek. */
gboolean gst_cuda_histo_decoder_can_seek (GstCudaHistoDecoder *decoder);

/* While flushing, no call waits for a frame. Any thread. */
void gst_cuda_histo_decoder_set_flushing (GstCudaHistoDecoder *decoder, gboolean flushing);

/* Stops the pipeline; there are no more frames. Waits at most two seconds. If a source is stuck longer, in a read that cannot
 * be interrupted, its thread stops it later. Call it once. */
void gst_cuda_histo_decoder_stop (GstCudaHistoDecoder *decoder);

/* Returns the number of stopped decoders of the process that are still stuck. With eight of them no other is made. Any
 * thread. */
guint gst_cuda_histo_decoder_count_stuck (void);

/* Returns the number of decoders of the process whose next frame is awaited. Any thread. */
guint gst_cuda_histo_decoder_count_awaited (void);
