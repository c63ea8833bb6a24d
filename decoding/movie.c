/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "decoding/movie.h"

#include <string.h>

#include "decoding/boxes.h"

/* Bytes of a box, without its header. */
typedef struct {
  guint8 *data;
  gsize size;
} Box;

/* Finds the first box of a type in another one. FALSE: there is none. */
static gboolean
decoding_movie_find_box (const Box *outer, const gchar *type, Box *box)
{
  gsize at = 0, head;
  guint64 size;

  for (; outer->size - at >= DECODING_BOX_HEAD; at += (gsize)size) {
    if (!decoding_box_read_head (outer->data + at, DECODING_BOX_HEAD, &size, &head) || size == 0 || size > outer->size - at)
      return FALSE;
    if (memcmp (outer->data + at + 4, type, 4) == 0) {
      *box = (Box){ outer->data + at + head, (gsize)size - head };
      return TRUE;
    }
  }
  return FALSE;
}

/* Finds the duration in the box `mvhd` or `mdhd` of another one. FALSE: its unit is unknown. */
static gboolean
decoding_movie_find_duration (const Box *outer, const gchar *type, Box *header, DecodingDuration *duration)
{
  return decoding_movie_find_box (outer, type, header) && decoding_box_read_duration (header->data, header->size, duration)
         && duration->timescale > 0;
}

/* Finds the next track after `*track`, or the first one if its data is NULL. */
static gboolean
decoding_movie_find_track (const Box *movie, Box *track)
{
  Box rest = *movie;

  if (track->data != NULL) {
    rest.data = track->data + track->size;
    rest.size = (gsize)(movie->data + movie->size - rest.data);
  }
  return decoding_movie_find_box (&rest, "trak", track);
}

/* Finds a track's edits. Returns their number. */
static guint
decoding_movie_find_edits (const Box *track, guint *width, gsize *edit_bytes, Box *edits)
{
  Box outer, list;
  guint64 count;

  if (!decoding_movie_find_box (track, "edts", &outer) || !decoding_movie_find_box (&outer, "elst", &list)
      || list.size < DECODING_BOX_LIST_HEAD)
    return 0;
  count = decoding_box_read_list (list.data, width, edit_bytes);
  *edits = (Box){ list.data + DECODING_BOX_LIST_HEAD, list.size - DECODING_BOX_LIST_HEAD };
  return (guint)MIN (count, edits->size / *edit_bytes);
}

/* Returns the media time at which the only edit of a track begins, in ns. 0: the track has none, or several. */
static GstClockTime
decoding_movie_get_start (const Box *track)
{
  Box edits, media, header;
  DecodingDuration duration;
  DecodingEdit edit;
  gsize edit_bytes;
  guint width;

  if (decoding_movie_find_edits (track, &width, &edit_bytes, &edits) != 1 || !decoding_movie_find_box (track, "mdia", &media)
      || !decoding_movie_find_duration (&media, "mdhd", &header, &duration))
    return 0;
  edit = decoding_box_read_edit (edits.data, width);
  return edit.is_empty ? 0 : gst_util_uint64_scale (edit.time, GST_SECOND, duration.timescale);
}

static GstClockTime
decoding_movie_get_latest_start (const Box *movie)
{
  Box track = { NULL, 0 };
  GstClockTime start = 0;

  while (decoding_movie_find_track (movie, &track))
    start = MAX (start, decoding_movie_get_start (&track));
  return start;
}

/* qtdemux 1.22 compares media times with the film's duration. Adds the time that an edit list skips to the duration, so that
 * qtdemux ends with the edit. Ignores less than `least`. Returns the added time, in ns. */
static GstClockTime
decoding_movie_lengthen (const Box *movie, GstClockTime least)
{
  const GstClockTime start = decoding_movie_get_latest_start (movie);
  DecodingDuration duration;
  Box header;
  guint64 added;

  if (start < least || !decoding_movie_find_duration (movie, "mvhd", &header, &duration))
    return 0;
  added = gst_util_uint64_scale_ceil (start, duration.timescale, GST_SECOND);
  if (duration.value == 0 || added >= decoding_box_get_unknown (duration.width) - duration.value) /* unknown, or damaged */
    return 0;
  decoding_box_set_time (header.data + duration.at, duration.width, duration.value + added);
  return gst_util_uint64_scale (added, GST_SECOND, duration.timescale);
}

/* Makes the last edit of each track end with the media. Some programs store the duration without fragments, and others the
 * total. FFmpeg ignores it. */
static void
decoding_movie_extend_edits (const Box *movie)
{
  Box track = { NULL, 0 }, edits;
  gsize edit_bytes;
  guint width, count;

  while (decoding_movie_find_track (movie, &track)) {
    if ((count = decoding_movie_find_edits (&track, &width, &edit_bytes, &edits)) == 0)
      continue;
    edits.data += (count - 1) * edit_bytes;
    if (!decoding_box_read_edit (edits.data, width).is_empty)
      decoding_box_set_time (edits.data, width, 0);
  }
}

/* Some programs store the duration without fragments. In a stream, qtdemux would end there. */
static void
decoding_movie_forget_duration (const Box *movie)
{
  DecodingDuration duration;
  Box header;

  if (decoding_movie_find_duration (movie, "mvhd", &header, &duration))
    decoding_box_set_time (header.data + duration.at, duration.width, 0);
}

DecodingMovie
decoding_movie_change (guint8 *data, gsize size, GstClockTime least)
{
  DecodingMovie change = { 0, FALSE };
  Box movie, fragments;

  if (!decoding_movie_find_box (&(Box){ data, size }, "moov", &movie))
    return change;
  change.is_fragmented = decoding_movie_find_box (&movie, "mvex", &fragments);
  if (!change.is_fragmented) {
    change.excess = decoding_movie_lengthen (&movie, least);
  } else {
    decoding_movie_extend_edits (&movie);
    decoding_movie_forget_duration (&movie);
    change.excess = decoding_movie_get_latest_start (&movie);
  }
  return change;
}
