/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Fields of the boxes of MP4 and QuickTime. Numbers are big-endian. Times have 8 bytes in version 1 of a box, otherwise 4. */

#pragma once

#include <gst/gst.h>

#define DECODING_BOX_HEAD 8 /* bytes */
#define DECODING_BOX_LONG_HEAD 16
#define DECODING_BOX_LIST_HEAD 8      /* bytes of a box `elst` before its edits */
#define DECODING_BOX_MOST_DURATION 32 /* bytes of a box `mvhd` or `mdhd` up to the end of the duration, at most */
#define DECODING_BOX_MOST_EDIT 20     /* bytes of an edit, at most */

/* Reads the head of a box from its first `count` bytes, at least DECODING_BOX_HEAD. *size includes the head of *head bytes; 0:
 * up to the end of the file. FALSE: `count` is less than *head, or the box is damaged. */
gboolean decoding_box_read_head (const guint8 *bytes, gsize count, guint64 *size, gsize *head);

/* The duration in a box `mvhd` or `mdhd`. */
typedef struct {
  gsize at;          /* its offset in the content of the box */
  guint width;       /* bytes of a time */
  guint32 timescale; /* units per second; 0: unknown */
  guint64 value;     /* in these units; 0: unknown */
} DecodingDuration;

/* `content`: the first `count` bytes after the head of the box. FALSE: the duration is not in them. */
gboolean decoding_box_read_duration (const guint8 *content, gsize count, DecodingDuration *duration);

/* An edit in a box `elst`. */
typedef struct {
  guint64 duration;  /* in units of the film; 0: up to the end of the media */
  guint64 time;      /* at which it begins, in units of the track */
  gboolean is_empty; /* shows no media; `time` is -1 */
} DecodingEdit;

/* Reads the first DECODING_BOX_LIST_HEAD bytes of a box `elst` after its head. Returns the number of edits. */
guint32 decoding_box_read_list (const guint8 *content, guint *width, gsize *edit_bytes);
DecodingEdit decoding_box_read_edit (const guint8 *bytes, guint width);

/* Returns the largest time, which means "unknown". */
guint64 decoding_box_get_unknown (guint width);
void decoding_box_set_time (guint8 *bytes, guint width, guint64 time);
