/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "compare/reference.h"

#include "common/timestamps.h"
#include "frame/cudacontext.h"
#include "frame/framemap.h"
#include "frame/source.h"
#include "frame/videoinfo.h"
#include "compare/decoder.h"

/* A longer jump ahead is a seek in the stream: seeking is then faster than decoding the frames between. */
#define AHEAD (10 * GST_SECOND)

/* A seek goes to this time before the target, because a decoder cuts the frame in whose middle the target is and changes its
 * time. If that frame lasts until the target, the distance is quadrupled. It is no multiple of usual frame durations: where a
 * container rounds times, a cut frame could get the time of the next one. */
#define BEFORE (507 * GST_MSECOND)

/* The largest expected error when a frame's time is predicted from the frame before. */
#define JITTER (50 * GST_MSECOND)

/* A frame of the reference; `buffer` NULL: none. */
typedef struct {
  GstBuffer *buffer;
  GstVideoInfo info;
  GstCudaHistoFrame *frame;    /* mapped frame, once it was requested */
  guint64 number;              /* in the reference, from 0; after a seek, since the seek */
  GstClockTime time, duration; /* stream time; GST_CLOCK_TIME_NONE: unknown */
  guint repeats;               /* frames directly before it with the same time */
  gboolean begins_segment;     /* a seek may have cut its beginning */
  gboolean follows_skipped;    /* an unknown frame was before it */
} GstCudaHistoReferenceFrame;

struct _GstCudaHistoReference {
  gatomicrefcount ref_count;
  GstCudaHistoReferenceMode mode;
  GstClockTimeDiff offset; /* added to the stream time of a reference frame, gives that of its counterpart */
  GstVideoInfo info;
  GstCudaHistoDecoder *decoder;
  gboolean waits;      /* of the decoder */
  GstObject *context;  /* frames are uploaded to it; NULL: they stay in system memory */
  GstBufferPool *pool; /* for memory in it, or NULL */
  /* The last two frames read. `later` is the last, `earlier` may be empty. */
  GstCudaHistoReferenceFrame earlier, later;
  gboolean has_ended;         /* `later` is the last frame */
  GstClockTime first_time;    /* of the reference's first frame; GST_CLOCK_TIME_NONE: unknown */
  GstClockTime stream_first;  /* of the stream's first frame; GST_CLOCK_TIME_NONE: unknown, or used already */
  GstClockTime stream_latest; /* of the stream's last frame; GST_CLOCK_TIME_NONE: unknown */
  GstClockTimeDiff lead;      /* time between the two first frames, if significant */
  GstClockTime start;         /* stream time where reading began: 0, or the target of a seek */
  GstClockTime before;        /* distance of that target before the time looked for */
};

GstCudaHistoReference *
gst_cuda_histo_reference_new (GstElement *owner, const gchar *location, GstCudaHistoReferenceMode mode, GstClockTimeDiff offset,
                              const GstVideoInfo *info, GError **error)
{
  GstCudaHistoDecoder *decoder = gst_cuda_histo_decoder_new (owner, location, info, error);
  GstCudaHistoReference *reference;

  if (decoder == NULL)
    return NULL;
  reference = g_new0 (GstCudaHistoReference, 1);
  g_atomic_ref_count_init (&reference->ref_count);
  reference->mode = mode;
  reference->offset = offset;
  reference->first_time = reference->stream_first = reference->stream_latest = GST_CLOCK_TIME_NONE;
  reference->info = *info;
  reference->decoder = decoder;
  reference->waits = TRUE;
  return reference;
}

GstCudaHistoReference *
gst_cuda_histo_reference_ref (GstCudaHistoReference *reference)
{
  g_atomic_ref_count_inc (&reference->ref_count);
  return reference;
}

static void
gst_cuda_histo_reference_clear (GstCudaHistoReferenceFrame *frame)
{
  g_clear_pointer (&frame->frame, gst_cuda_histo_frame_unref);
  gst_clear_buffer (&frame->buffer);
}

/* Drops all frames. */
static void
gst_cuda_histo_reference_forget (GstCudaHistoReference *reference)
{
  gst_cuda_histo_reference_clear (&reference->earlier);
  gst_cuda_histo_reference_clear (&reference->later);
}

static void
gst_cuda_histo_reference_leave_context (GstCudaHistoReference *reference)
{
  g_clear_pointer (&reference->earlier.frame, gst_cuda_histo_frame_unref);
  g_clear_pointer (&reference->later.frame, gst_cuda_histo_frame_unref);
  g_clear_pointer (&reference->pool, gst_cuda_histo_cuda_free_pool);
  gst_clear_object (&reference->context);
}

void
gst_cuda_histo_reference_set_context (GstCudaHistoReference *reference, GstObject *context)
{
  if (reference->context == context)
    return;
  gst_cuda_histo_reference_leave_context (reference);
  if (context != NULL)
    reference->context = gst_object_ref (context);
}

void
gst_cuda_histo_reference_unref (GstCudaHistoReference *reference)
{
  if (!g_atomic_ref_count_dec (&reference->ref_count))
    return;
  gst_cuda_histo_reference_forget (reference);
  gst_cuda_histo_reference_leave_context (reference);
  gst_cuda_histo_decoder_unref (reference->decoder);
  g_free (reference);
}

void
gst_cuda_histo_reference_set_waits (GstCudaHistoReference *reference, gboolean waits)
{
  reference->waits = waits;
}

void
gst_cuda_histo_reference_set_flushing (GstCudaHistoReference *reference, gboolean flushing)
{
  gst_cuda_histo_decoder_set_flushing (reference->decoder, flushing);
}

void
gst_cuda_histo_reference_stop (GstCudaHistoReference *reference)
{
  gst_cuda_histo_reference_forget (reference);
  gst_cuda_histo_reference_leave_context (reference);
  gst_cuda_histo_decoder_stop (reference->decoder);
}

guint
gst_cuda_histo_reference_count_stuck (void)
{
  return gst_cuda_histo_decoder_count_stuck ();
}

guint
gst_cuda_histo_reference_count_awaited (void)
{
  return gst_cuda_histo_decoder_count_awaited ();
}

gboolean
gst_cuda_histo_reference_fits (const GstCudaHistoReference *reference, const GstVideoInfo *info)
{
  return GST_VIDEO_INFO_FORMAT (&reference->info) == GST_VIDEO_INFO_FORMAT (info)
         && gst_video_colorimetry_is_equal (&reference->info.colorimetry, &info->colorimetry);
}

/* ---- reading --------------------------------------------------------------------------------------------------------- */

/* Maps the frame in the memory of the stream's frames, and finds its visible size. FALSE if impossible. */
static gboolean
gst_cuda_histo_reference_map (GstCudaHistoReference *reference, GstCudaHistoReferenceFrame *frame, GError **error)
{
  g_autoptr (GstBuffer) uploaded = NULL;

  if (frame->frame != NULL)
    return TRUE;
  if (reference->context != NULL) {
    if (reference->pool == NULL)
      reference->pool = gst_cuda_histo_cuda_new_pool (reference->context, &frame->info);
    if (reference->pool != NULL)
      uploaded = gst_cuda_histo_cuda_upload (reference->pool, &frame->info, frame->buffer);
  }
  /* A frame that cannot be uploaded stays in system memory, and matches no frame on the GPU. */
  if (uploaded != NULL)
    frame->frame = gst_cuda_histo_frame_map_cuda (&frame->info, uploaded, 0, NULL, error);
  else
    frame->frame = gst_cuda_histo_frame_map_video (&frame->info, frame->buffer, 0, NULL, error);
  if (frame->frame == NULL)
    return FALSE;
  frame->frame->frame.statistics = HISTO_STATISTIC_DIFFERENCE; /* the stream's frame is its operand */
  return TRUE;
}

/* Reads the next frame, or notes the end. FALSE with *outcome after a failure. */
static gboolean
gst_cuda_histo_reference_read (GstCudaHistoReference *reference, GstCudaHistoReferenceOutcome *outcome, GError **error)
{
  GstCudaHistoDecoderFrame decoded;
  GstCudaHistoReferenceFrame read = { .buffer = NULL };

  switch (gst_cuda_histo_decoder_next (reference->decoder, reference->waits, &decoded, error)) {
  case GST_CUDA_HISTO_DECODER_FRAME:
    break;
  case GST_CUDA_HISTO_DECODER_END:
    reference->has_ended = TRUE;
    return TRUE;
  case GST_CUDA_HISTO_DECODER_LATE:
    *outcome = GST_CUDA_HISTO_REFERENCE_TOO_LATE;
    return FALSE;
  case GST_CUDA_HISTO_DECODER_FLUSHING:
    *outcome = GST_CUDA_HISTO_REFERENCE_FLUSHING;
    return FALSE;
  default:
    *outcome = GST_CUDA_HISTO_REFERENCE_FAILED;
    return FALSE;
  }
  if (!gst_cuda_histo_video_info_from_caps (&read.info, gst_sample_get_caps (decoded.sample))) {
    gst_cuda_histo_decoder_clear_frame (&decoded);
    g_set_error_literal (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, "Cannot parse the caps of the reference.");
    *outcome = GST_CUDA_HISTO_REFERENCE_FAILED;
    return FALSE;
  }
  read.buffer = gst_buffer_ref (gst_sample_get_buffer (decoded.sample));
  read.duration = GST_BUFFER_DURATION (read.buffer);
  read.time = decoded.time;
  read.number = decoded.number;
  read.repeats = decoded.repeats;
  read.follows_skipped = decoded.follows_skipped;
  if (!GST_CLOCK_TIME_IS_VALID (reference->first_time))
    reference->first_time = decoded.first_time;
  if (decoded.first_time == reference->first_time)
    reference->start = 0; /* the seek went to before the first frame */
  read.begins_segment = gst_sample_get_segment (decoded.sample)->start == GST_BUFFER_PTS (read.buffer);
  gst_cuda_histo_decoder_clear_frame (&decoded);
  if (GST_CLOCK_TIME_IS_VALID (read.time) || !GST_CLOCK_TIME_IS_VALID (reference->first_time)) {
    gst_cuda_histo_reference_clear (&reference->earlier);
    reference->earlier = reference->later;
    reference->later = read;
  } else { /* its place among the others is unknown */
    gst_cuda_histo_reference_clear (&read);
  }
  return TRUE;
}

static void
gst_cuda_histo_reference_seek (GstCudaHistoReference *reference, GstClockTime time, GstClockTime before)
{
  const GstClockTime to = time - MIN (before, time);

  gst_cuda_histo_reference_forget (reference);
  reference->has_ended = FALSE;
  reference->start = to;
  reference->before = before;
  reference->stream_first = GST_CLOCK_TIME_NONE;
  gst_cuda_histo_decoder_seek (reference->decoder, to);
}

/* ---- looking for a frame --------------------------------------------------------------------------------------------- */

/* Returns the earliest known frame; its `buffer` is NULL if there is none. */
static GstCudaHistoReferenceFrame *
gst_cuda_histo_reference_get_first (GstCudaHistoReference *reference)
{
  return reference->earlier.buffer != NULL ? &reference->earlier : &reference->later;
}

/* Whether reading on reaches the frame too slowly, or never. */
static gboolean
gst_cuda_histo_reference_needs_seek (GstCudaHistoReference *reference, GstClockTime time)
{
  const GstCudaHistoReferenceFrame *first = gst_cuda_histo_reference_get_first (reference);
  GstClockTime from = reference->start, to = reference->start;

  if (first->buffer != NULL) {
    if (!GST_CLOCK_TIME_IS_VALID (first->time) || !GST_CLOCK_TIME_IS_VALID (reference->later.time))
      return FALSE;
    /* There are no frames between the start and the first frame. */
    from = first->number == 0 ? MIN (reference->start, first->time) : first->time;
    to = reference->later.time;
  }
  return time < from || (!reference->has_ended && time > to + AHEAD && gst_cuda_histo_decoder_can_seek (reference->decoder));
}

/* Whether frames are matched by times and not by numbers. */
static gboolean
gst_cuda_histo_reference_has_times (const GstCudaHistoReference *reference, const GstCudaHistoReferenceKey *key)
{
  return GST_CLOCK_TIME_IS_VALID (key->stream_time)
         && (reference->later.buffer == NULL || GST_CLOCK_TIME_IS_VALID (reference->later.time));
}

/* Whether a frame of the stream at `distance` before the first frame, or after the last one, still has that counterpart. */
static gboolean
gst_cuda_histo_reference_is_near (const GstCudaHistoReference *reference, const GstCudaHistoReferenceKey *key,
                                  GstClockTime distance)
{
  const GstCudaHistoReferenceFrame *frame = &reference->later;
  GstClockTime duration = GST_CLOCK_TIME_IS_VALID (key->duration) ? key->duration : 0;

  if (GST_CLOCK_TIME_IS_VALID (frame->duration))
    duration = MAX (duration, frame->duration);
  else if (reference->earlier.buffer != NULL && GST_CLOCK_TIME_IS_VALID (reference->earlier.time))
    duration = MAX (duration, frame->time - reference->earlier.time);
  return distance <= duration / 2;
}

/* Returns the duration of a frame if no frame is missing; 0: unknown. The duration of a frame before a gap may include the
 * gap. */
static GstClockTime
gst_cuda_histo_reference_get_period (const GstCudaHistoReferenceFrame *frame)
{
  if (GST_VIDEO_INFO_FPS_N (&frame->info) > 0 && GST_VIDEO_INFO_FPS_D (&frame->info) > 0)
    return gst_util_uint64_scale (GST_SECOND, (guint64)GST_VIDEO_INFO_FPS_D (&frame->info),
                                  (guint64)GST_VIDEO_INFO_FPS_N (&frame->info));
  return GST_CLOCK_TIME_IS_VALID (frame->duration) ? frame->duration : 0;
}

/* Whether frames are missing between the two known ones, so that a frame of the stream at `distance` from one of them has a
 * missing counterpart. */
static gboolean
gst_cuda_histo_reference_is_missing (const GstCudaHistoReference *reference, const GstCudaHistoReferenceKey *key,
                                     GstClockTime distance)
{
  const GstClockTime period = gst_cuda_histo_reference_get_period (&reference->earlier);
  const GstClockTime duration = GST_CLOCK_TIME_IS_VALID (key->duration) ? key->duration : 0;

  return period > 0 && reference->later.time - reference->earlier.time > period + period / 2 + GST_CUDA_HISTO_ROUNDING
         && distance > MAX (period, duration) / 2;
}

/* Returns when a frame of the stream began. A seek into its middle may have cut its beginning. A frame that begins with a
 * reference frame is whole, though shorter than others. */
static GstClockTime
gst_cuda_histo_reference_find_beginning (const GstCudaHistoReference *reference, const GstCudaHistoReferenceKey *key)
{
  const GstCudaHistoReferenceFrame *earlier = &reference->earlier, *later = &reference->later;
  const GstClockTime time = key->stream_time;
  GstClockTime beginning = time - MIN (key->cut, time);

  if (key->cut == 0 || (later->time >= time && later->time - time <= MIN (GST_CUDA_HISTO_ROUNDING, key->duration / 2)))
    return time;
  if (earlier->buffer == NULL || earlier->time > time)
    return beginning;
  return time - earlier->time <= GST_CUDA_HISTO_ROUNDING ? time : MAX (beginning, earlier->time);
}

/* Chooses among the frames around `key`, which have times: `later` is the first frame at or after it, or the last one. */
static GstCudaHistoReferenceOutcome
gst_cuda_histo_reference_choose_by_time (GstCudaHistoReference *reference, const GstCudaHistoReferenceKey *key,
                                         GstCudaHistoReferenceFrame **chosen)
{
  const GstClockTime time = gst_cuda_histo_reference_find_beginning (reference, key);
  GstClockTime distance;

  *chosen = &reference->later;
  if (reference->later.follows_skipped && time < reference->later.time
      && (reference->earlier.buffer == NULL || time > reference->earlier.time))
    return GST_CUDA_HISTO_REFERENCE_TOO_LATE;
  if (reference->later.time < time)
    return gst_cuda_histo_reference_is_near (reference, key, time - reference->later.time) ? GST_CUDA_HISTO_REFERENCE_FOUND
                                                                                           : GST_CUDA_HISTO_REFERENCE_ENDED;
  if (reference->earlier.buffer != NULL && reference->earlier.time <= time) {
    if (time - reference->earlier.time <= reference->later.time - time
        && (reference->later.time != time || reference->later.repeats > key->repeats))
      *chosen = &reference->earlier;
    distance = MIN (time - reference->earlier.time, reference->later.time - time);
    return gst_cuda_histo_reference_is_missing (reference, key, distance) ? GST_CUDA_HISTO_REFERENCE_MISSING
                                                                          : GST_CUDA_HISTO_REFERENCE_FOUND;
  }
  *chosen = gst_cuda_histo_reference_get_first (reference);
  if (gst_cuda_histo_reference_is_near (reference, key, (*chosen)->time - time))
    return GST_CUDA_HISTO_REFERENCE_FOUND;
  /* After a seek the first known frame is after a gap. */
  return reference->start > 0 ? GST_CUDA_HISTO_REFERENCE_MISSING : GST_CUDA_HISTO_REFERENCE_ABSENT;
}

static GstCudaHistoReferenceOutcome
gst_cuda_histo_reference_choose_by_number (GstCudaHistoReference *reference, const GstCudaHistoReferenceKey *key,
                                           GstCudaHistoReferenceFrame **chosen)
{
  *chosen
      = reference->earlier.buffer != NULL && reference->earlier.number == key->frame ? &reference->earlier : &reference->later;
  if ((*chosen)->number == key->frame)
    return GST_CUDA_HISTO_REFERENCE_FOUND;
  return (*chosen)->number < key->frame ? GST_CUDA_HISTO_REFERENCE_ENDED : GST_CUDA_HISTO_REFERENCE_ABSENT;
}

/* Whether enough is read for `key`: of frames with the same time, the one with the same number of repeats. */
static gboolean
gst_cuda_histo_reference_reaches (const GstCudaHistoReference *reference, const GstCudaHistoReferenceFrame *frame,
                                  const GstCudaHistoReferenceKey *key)
{
  if (frame->buffer == NULL)
    return FALSE;
  if (reference->mode == GST_CUDA_HISTO_REFERENCE_FIXED)
    return TRUE;
  if (!gst_cuda_histo_reference_has_times (reference, key))
    return frame->number >= key->frame;
  return frame->time > key->stream_time || (frame->time == key->stream_time && frame->repeats >= key->repeats);
}

/* Reads until `key` is reached. FALSE with *outcome after a failure. */
static gboolean
gst_cuda_histo_reference_read_to (GstCudaHistoReference *reference, const GstCudaHistoReferenceKey *key,
                                  GstCudaHistoReferenceOutcome *outcome, GError **error)
{
  while (!reference->has_ended && !gst_cuda_histo_reference_reaches (reference, &reference->later, key)) {
    if (!gst_cuda_histo_reference_read (reference, outcome, error))
      return FALSE;
  }
  return TRUE;
}

/* A stream that begins after the last frame continues the stream before, as after a change of bit rate in an adaptive
 * stream. */
static void
gst_cuda_histo_reference_begin_stream (GstCudaHistoReference *reference, GstClockTime time)
{
  const gboolean goes_on = GST_CLOCK_TIME_IS_VALID (reference->stream_latest) && time > reference->stream_latest;

  reference->stream_first = goes_on ? GST_CLOCK_TIME_NONE : time;
  reference->lead = 0;
}

/* Once both first frames are known, notes how much later the stream's is than the reference's. */
static void
gst_cuda_histo_reference_measure_lead (GstCudaHistoReference *reference, const GstCudaHistoReferenceKey *key)
{
  GstClockTimeDiff lead;

  if (reference->offset != 0 || !GST_CLOCK_TIME_IS_VALID (reference->stream_first)
      || !GST_CLOCK_TIME_IS_VALID (reference->first_time))
    return;
  lead = GST_CLOCK_DIFF (reference->first_time, reference->stream_first);
  reference->stream_first = GST_CLOCK_TIME_NONE;
  /* From half a frame on, within the rounding of times: there the previous frame is as near as the right one. */
  reference->lead
      = gst_cuda_histo_reference_is_near (reference, key, (GstClockTime)ABS (lead) + GST_CUDA_HISTO_ROUNDING) ? 0 : lead;
}

GstClockTimeDiff
gst_cuda_histo_reference_get_lead (const GstCudaHistoReference *reference)
{
  return reference->lead;
}

/* Converts `key` to the reference's times. FALSE: it lies before all of them. */
static gboolean
gst_cuda_histo_reference_shift (const GstCudaHistoReference *reference, GstCudaHistoReferenceKey *key)
{
  const GstClockTimeDiff offset = reference->offset;
  const GstClockTime half = GST_CLOCK_TIME_IS_VALID (key->duration) ? key->duration / 2 : GST_CUDA_HISTO_ROUNDING;
  GstClockTime before;

  if (!GST_CLOCK_TIME_IS_VALID (key->stream_time))
    return TRUE;
  key->stream_time = MIN (key->stream_time, G_MAXINT64);
  if (offset <= 0)
    key->stream_time = MIN (key->stream_time + (GstClockTime)-offset, G_MAXINT64);
  else if (key->stream_time >= (GstClockTime)offset)
    key->stream_time -= (GstClockTime)offset;
  else {
    before = (GstClockTime)offset - key->stream_time;
    key->stream_time = 0;
    return before <= half;
  }
  return TRUE;
}

/* Whether the counterpart may be the first frame after a seek, whose beginning is unknown. */
static gboolean
gst_cuda_histo_reference_needs_earlier (GstCudaHistoReference *reference, const GstCudaHistoReferenceKey *key)
{
  return gst_cuda_histo_reference_has_times (reference, key) && reference->later.buffer != NULL && reference->start > 0
         && gst_cuda_histo_reference_get_first (reference)->begins_segment
         && gst_cuda_histo_decoder_can_seek (reference->decoder);
}

/* Reads the frames around `key`, after a seek if needed. FALSE with *outcome after a failure. */
static gboolean
gst_cuda_histo_reference_read_around (GstCudaHistoReference *reference, const GstCudaHistoReferenceKey *key,
                                      GstCudaHistoReferenceOutcome *outcome, GError **error)
{
  /* The very first frame, which a seek would skip, has the time at which the reference begins. */
  if (reference->start == 0 && reference->later.buffer == NULL && !reference->has_ended) {
    if (!gst_cuda_histo_reference_read (reference, outcome, error))
      return FALSE;
  }
  gst_cuda_histo_reference_measure_lead (reference, key);
  if (!gst_cuda_histo_reference_has_times (reference, key))
    return gst_cuda_histo_reference_read_to (reference, key, outcome, error);
  if (gst_cuda_histo_reference_needs_seek (reference, key->stream_time))
    gst_cuda_histo_reference_seek (reference, key->stream_time, BEFORE);
  for (;;) {
    if (!gst_cuda_histo_reference_read_to (reference, key, outcome, error))
      return FALSE;
    if (!gst_cuda_histo_reference_needs_earlier (reference, key))
      return TRUE;
    gst_cuda_histo_reference_seek (reference, key->stream_time, 4 * reference->before);
  }
}

/* Lets the decoder decode ahead to the stream's next frame. Its distance from `key` is that of `key` from the frame before or,
 * if that is unknown or a jump, the duration of `key`. */
static void
gst_cuda_histo_reference_go_on (GstCudaHistoReference *reference, const GstCudaHistoReferenceKey *key)
{
  const GstClockTime time = key->stream_time, latest = reference->stream_latest;
  GstClockTime step = GST_CLOCK_TIME_IS_VALID (key->duration) ? key->duration : 0;

  if (!GST_CLOCK_TIME_IS_VALID (time)) {
    gst_cuda_histo_decoder_go_on (reference->decoder, time, time, key->frame + 1);
    return;
  }
  if (GST_CLOCK_TIME_IS_VALID (latest) && latest < time && time - latest <= GST_SECOND)
    step = time - latest;
  gst_cuda_histo_decoder_go_on (reference->decoder, time + step - MIN (step, JITTER), time + step, key->frame + 1);
}

GstCudaHistoReferenceOutcome
gst_cuda_histo_reference_find (GstCudaHistoReference *reference, const GstCudaHistoReferenceKey *key, GstCudaHistoFrame **found,
                               guint *width, guint *height, GError **error)
{
  const gboolean is_fixed = reference->mode == GST_CUDA_HISTO_REFERENCE_FIXED;
  GstCudaHistoReferenceFrame *chosen = &reference->later;
  GstCudaHistoSource source;
  GstCudaHistoReferenceOutcome outcome = GST_CUDA_HISTO_REFERENCE_FOUND;
  GstCudaHistoReferenceKey shifted = *key;
  const gboolean is_unsure = key->follows_unknown; /* of two frames with its time, either may be its counterpart */
  gboolean is_read;

  if (!is_fixed && key->runs_back)
    return GST_CUDA_HISTO_REFERENCE_BACKWARDS;
  if (!is_fixed && key->lacks_time)
    return GST_CUDA_HISTO_REFERENCE_UNTIMED;
  if (!is_fixed && !gst_cuda_histo_reference_shift (reference, &shifted))
    return GST_CUDA_HISTO_REFERENCE_ABSENT;
  if (is_unsure)
    shifted.repeats = MAX (key->repeats, 1); /* reads on until both are known */
  if (key->is_first)
    gst_cuda_histo_reference_begin_stream (reference, shifted.stream_time);
  is_read = is_fixed ? gst_cuda_histo_reference_read_to (reference, &shifted, &outcome, error)
                     : gst_cuda_histo_reference_read_around (reference, &shifted, &outcome, error);
  if (!is_fixed && !reference->waits)
    gst_cuda_histo_reference_go_on (reference, &shifted);
  reference->stream_latest = shifted.stream_time;
  if (!is_read)
    return outcome;
  if (reference->later.buffer == NULL)
    return GST_CUDA_HISTO_REFERENCE_ENDED;
  if (!is_fixed)
    outcome = gst_cuda_histo_reference_has_times (reference, &shifted)
                  ? gst_cuda_histo_reference_choose_by_time (reference, &shifted, &chosen)
                  : gst_cuda_histo_reference_choose_by_number (reference, &shifted, &chosen);
  if (outcome != GST_CUDA_HISTO_REFERENCE_FOUND)
    return outcome;
  if (!is_fixed && gst_cuda_histo_reference_has_times (reference, &shifted)
      && (key->repeats > chosen->repeats || (is_unsure && chosen->repeats > 0)
          || gst_cuda_histo_timestamps_stand_still (chosen->repeats)))
    return GST_CUDA_HISTO_REFERENCE_UNTIMED;
  if (GST_BUFFER_FLAG_IS_SET (chosen->buffer, GST_BUFFER_FLAG_CORRUPTED))
    return GST_CUDA_HISTO_REFERENCE_DAMAGED;
  if (!gst_cuda_histo_reference_map (reference, chosen, error))
    return GST_CUDA_HISTO_REFERENCE_FAILED;
  gst_cuda_histo_source_init_video (&source, &chosen->info, chosen->frame);
  *found = chosen->frame;
  *width = source.width;
  *height = source.height;
  return outcome;
}
