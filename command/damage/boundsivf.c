/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include <gst/gst.h>
#include <string.h>

#include "damage/boundsformats.h"
#include "decoding/numbers.h"

#define FILE_HEAD 32
#define FRAME_HEAD 12
#define MOST_LENGTH (1u << 30)
#define MOST_STEP (1u << 31)
#define MOST_FRAME_RATE 300 /* ticks per second; beyond that, timestamps do not count frames */

/* The frames of one film. Timestamps count ticks. */
typedef struct {
  BoundsFile *file;
  guint64 at;                /* offset after the last complete frame */
  guint64 count;             /* number of complete frames */
  guint64 first, last, step; /* timestamps, and the largest difference of consecutive ones */
  gboolean is_broken;        /* an incomplete frame follows */
  guint8 head[FRAME_HEAD];
} Frames;

/* NULL: the file ends before it. */
static const guint8 *
frames_get_head (Frames *frames)
{
  return bounds_get (frames->file, frames->at, frames->head, sizeof frames->head) ? frames->head : NULL;
}

static gboolean
frames_is_joined (Frames *frames)
{
  const guint8 *head = frames_get_head (frames);

  return head != NULL && memcmp (head, "DKIF", 4) == 0;
}

/* FALSE: no complete frame follows. GStreamer ends the film at a frame without data, such as the zeros that an interrupted
 * download may end with, many GB of them. */
static gboolean
frames_read_next (Frames *frames)
{
  const guint8 *head = frames_get_head (frames);
  guint64 size, time, step;

  if (head == NULL || decoding_read_uint32_le (head) == 0 || frames_is_joined (frames))
    return FALSE;
  size = FRAME_HEAD + (guint64)decoding_read_uint32_le (head);
  time = decoding_read_uint64_le (head + 4);
  step = frames->count > 0 && time > frames->last ? time - frames->last : 0;
  if (size > frames->file->size - frames->at || step > MOST_STEP)
    return FALSE;
  if (frames->count == 0)
    frames->first = frames->last = time;
  frames->last = MAX (frames->last, time);
  frames->step = MAX (frames->step, step);
  frames->count++;
  frames->at += size;
  return TRUE;
}

/* `length` is the number of frames or the duration in ticks, depending on the program that wrote the file. */
static void
frames_check_length (const Frames *frames, guint32 rate, guint32 scale, guint64 length, Bounds *bounds)
{
  const guint64 span = frames->count > 0 ? frames->last - frames->first + MAX (1, frames->step) : 0;
  const guint64 present = MAX (frames->count, span), lack = length - MIN (length, present);
  const gboolean is_frame_rate = scale > 0 && rate > 0 && rate / scale <= MOST_FRAME_RATE;

  if (is_frame_rate)
    bounds->is_cut = lack > 0;
  else /* the last frame's duration may be approximate */
    bounds->is_cut = frames->is_broken || lack > MAX (rate / MAX (1, scale) / 2, length / 20);
  if (is_frame_rate && frames->step <= 1 && frames->first <= G_MAXINT64) {
    bounds->frames = length;
    bounds->duration = gst_util_uint64_scale (frames->first + length, scale * GST_SECOND, rate);
  }
}

/* Each frame has a header with its size. The film's header has its length, unless it was written to a pipe. */
void
bounds_read_ivf (BoundsFile *file)
{
  g_autofree Frames *frames = g_new0 (Frames, 1);
  guint8 head[FILE_HEAD] = { 0 };
  guint64 length;

  bounds_get (file, 0, head, (gsize)MIN (file->size, sizeof head));
  frames->file = file;
  frames->at = MAX (FILE_HEAD, decoding_read_uint16_le (head + 6));
  while (frames_read_next (frames))
    ;
  if (frames_is_joined (frames))
    file->bounds.joined = frames->at;
  else
    frames->is_broken = frames->at != file->size;
  length = decoding_read_uint32_le (head + 24);
  if (length > 0 && length < MOST_LENGTH)
    frames_check_length (frames, decoding_read_uint32_le (head + 16), decoding_read_uint32_le (head + 20), length,
                         &file->bounds);
  else
    file->bounds.is_cut = frames->is_broken;
}
