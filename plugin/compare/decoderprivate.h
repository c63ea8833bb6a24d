/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Declarations shared by the decoder's files. */

#pragma once

#include "common/ratelimit.h"
#include "common/timestamps.h"
#include "compare/conversion.h"
#include "compare/decoder.h"
#include "compare/interruption.h"
#include "decoding/timeline.h"

#include <gst/app/gstappsink.h>

struct _GstCudaHistoDecoder {
  gatomicrefcount ref_count;
  GstElement *owner; /* until the stop; the pipeline, which may outlive it, logs under its name */
  gchar *location;   /* for texts and the log, without passwords */
  gchar *uri;
  gint fd; /* descriptor that GStreamer reads, or -1 */
  GstVideoInfo info;
  GstElement *pipeline, *convert; /* `pipeline` owns the other, and the sink */
  GstAppSink *sink;
  GstCudaHistoConversion *conversion;
  GThread *thread;

  GstCudaHistoInterruption interruption;

  GMutex lock;
  GCond changed;
  gboolean is_flushing, is_stopping;
  gboolean is_playing;  /* the pipeline has reached PLAYING and can seek */
  gboolean is_seeking;  /* to `seek_time`: frames are of the time before the seek */
  gboolean has_ended;   /* no more frames arrive; the sink may still have some */
  gboolean has_stopped; /* the pipeline has stopped */
  gboolean is_stuck;    /* the stop no longer waits for the pipeline */
  gboolean can_seek;    /* as far as known */
  GstClockTime seek_time;
  GQueue frames; /* GstCudaHistoDecoderFrame already taken from the sink */
  DecodingTimeline line;
  guint64 next_number;
  /* Of the frames since the start or the last seek. */
  GstClockTime first_time;
  GstCudaHistoTimestamps times;
  gboolean goes_on; /* decode ahead to `until`, or number `until_number`, and skip frames before `from` */
  GstClockTime from, until;
  guint64 until_number;
  gboolean lacks_decoder;         /* for video */
  GError *error;                  /* a text for users, or NULL */
  GstCudaHistoRateLimit warnings; /* number of the pipeline's warnings */
  gchar *warning;                 /* the last of them; NULL: all are reported */
  GQueue missing;                 /* GstStructure: missing plugins that the application may install */
};

/* ---- decodermessages.c: messages of the pipeline, on any of its threads -------------------------------------------------- */

/* Takes `error`, and keeps it if it is the first. */
void gst_cuda_histo_decoder_fail (GstCudaHistoDecoder *decoder, GError *error);

/* Returns the error of a reference that has no video to decode. */
GError *gst_cuda_histo_decoder_new_codec_error (GstCudaHistoDecoder *decoder);

/* The bus's synchronous handler, with the decoder as its data. */
GstBusSyncReply gst_cuda_histo_decoder_take_message (GstBus *bus, GstMessage *message, gpointer user_data);

/* Posts the pipeline's messages as the owner's. A handler may stop the decoder. */
void gst_cuda_histo_decoder_pass_messages (GstCudaHistoDecoder *decoder, gboolean is_last);

/* ---- decoderframes.c: all with `lock` held ------------------------------------------------------------------------------- */

/* Frees a GstCudaHistoDecoderFrame. */
void gst_cuda_histo_decoder_free_frame (gpointer data);

/* Takes a frame from the sink. FALSE: it has none. */
gboolean gst_cuda_histo_decoder_pull (GstCudaHistoDecoder *decoder);

/* Takes the next frame while decoding ahead. FALSE: nothing to do yet. */
gboolean gst_cuda_histo_decoder_go_on_now (GstCudaHistoDecoder *decoder);
