/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A part of a film: passes the frames between two stream times, drops those before, and ends the stream after the last one. It
 * may seek to the beginning of the part; its frames are the same without a seek. */

#pragma once

#include <gst/gst.h>

typedef struct _Part Part;

typedef struct {
  GstClockTime from, to; /* stream times; GST_CLOCK_TIME_NONE: no limit */
  GstClockTime length;   /* from `from` or, without it, from the first frame; GST_CLOCK_TIME_NONE: no limit */
  guint64 frames;        /* most frames; 0: no limit */
  gboolean is_of_keys;   /* demuxers may omit frames that are not key frames */
} PartLimits;

typedef struct {
  /* Both are called on the streaming thread. `seek` arranges a call of part_seek() on another thread, and returns FALSE if the
   * film must not be sought. `end` is called before the end of the part is sent downstream, and `ended` after it. */
  gboolean (*seek) (gpointer data);
  void (*end) (gpointer data);
  void (*ended) (gpointer data);
  gpointer data;
} PartCallbacks;

/* Filters the frames that leave `pad`. Call it before the pipeline gets its demuxer. */
Part *part_new (GstElement *pipeline, GstPad *pad, const PartLimits *limits, const PartCallbacks *callbacks);

/* Stop the pad before freeing this. */
void part_free (Part *part);

/* Seeks, as `seek` has arranged. It may block as long as upstream takes. */
void part_seek (Part *part);

/* From now on no thread waits for a seek. Call it before the pipeline stops. */
void part_release (Part *part);

/* Returns the number of frames that were passed. */
guint64 part_count (Part *part);
