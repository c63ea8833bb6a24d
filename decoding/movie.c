/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "decoding/movie.h"

#include <string.h>

/* Bytes of a box, without its header. */
typedef struct {
  guint8 *data;
  gsize size;
} Box;

/* Reads and writes times of 4 or 8 bytes. */
static guint64
decoding_movie_get_time (const guint8 *bytes, guint width)
{
  return width == 8 ? GST_READ_UINT64_BE (bytes) : GST_READ_UINT32_BE (bytes);
}

static void
decoding_movie_set_time (guint8 *bytes, guint width, guint64 number)
{
  if (width == 8)
    GST_WRITE_UINT64_BE (bytes, number);
  else
    GST_WRITE_UINT32_BE (bytes, (guint32)number);
}

/* Finds the first box of a type in another one. FALSE: there is none. */
static gboolean
decoding_movie_find_box (const Box *outer, const gchar *type, Box *box)
{
  gsize at = 0, size;

  for (; outer->size - at >= 8; at += size) {
    size = GST_READ_UINT32_BE (outer->data + at);
    if (size < 8 || size > outer->size - at)
      return FALSE;
    if (memcmp (outer->data + at + 4, type, 4) == 0) {
      *box = (Box){ outer->data + at + 8, size - 8 };
      return TRUE;
    }
  }
  return FALSE;
}

/* Returns the number of bytes of each time in a box, which depends on the box's version. */
static guint
decoding_movie_get_width (const Box *box)
{
  return box->size > 0 && box->data[0] == 1 ? 8 : 4;
}

/* Finds the duration in a box `mvhd` or `mdhd`. Returns its unit, per second. 0: unknown. */
static guint32
decoding_movie_find_duration (const Box *header, guint8 **duration)
{
  const guint width = decoding_movie_get_width (header);
  const gsize at = 4 + 2 * (gsize)width; /* after the version and two other times */

  if (header->size < at + 4 + width)
    return 0;
  *duration = header->data + at + 4;
  return GST_READ_UINT32_BE (header->data + at);
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

/* Finds a track's edits. Each has a duration, a media time and a rate. Returns their number. */
static guint
decoding_movie_find_edits (const Box *track, guint *width, Box *edits)
{
  Box outer, list;
  guint64 count;

  if (!decoding_movie_find_box (track, "edts", &outer) || !decoding_movie_find_box (&outer, "elst", &list) || list.size < 8)
    return 0;
  *width = decoding_movie_get_width (&list);
  *edits = (Box){ list.data + 8, list.size - 8 };
  count = GST_READ_UINT32_BE (list.data + 4);
  return (guint)MIN (count, edits->size / (2 * (gsize)*width + 4));
}

/* Returns the largest number of that many bytes, which means "unknown" in durations, and "no media" in media times. */
static guint64
decoding_movie_get_unknown (guint width)
{
  return G_MAXUINT64 >> (64 - 8 * width);
}

/* Returns the media time at which the only edit of a track begins, in ns. 0: the track has none, or several. */
static GstClockTime
decoding_movie_get_start (const Box *track)
{
  Box edits, media, header;
  guint8 *duration;
  guint64 time;
  guint32 timescale;
  guint width;

  if (decoding_movie_find_edits (track, &width, &edits) != 1 || !decoding_movie_find_box (track, "mdia", &media)
      || !decoding_movie_find_box (&media, "mdhd", &header)
      || (timescale = decoding_movie_find_duration (&header, &duration)) == 0)
    return 0;
  time = decoding_movie_get_time (edits.data + width, width);
  return time != decoding_movie_get_unknown (width) ? gst_util_uint64_scale (time, GST_SECOND, timescale) : 0;
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
  Box header;
  guint8 *duration;
  guint64 added, length, unknown;
  guint32 timescale;
  guint width;

  if (start < least || !decoding_movie_find_box (movie, "mvhd", &header)
      || (timescale = decoding_movie_find_duration (&header, &duration)) == 0)
    return 0;
  width = decoding_movie_get_width (&header);
  unknown = decoding_movie_get_unknown (width);
  length = decoding_movie_get_time (duration, width);
  added = gst_util_uint64_scale_ceil (start, timescale, GST_SECOND);
  if (length == 0 || length == unknown || added >= unknown - length) /* unknown, or damaged */
    return 0;
  decoding_movie_set_time (duration, width, length + added);
  return gst_util_uint64_scale (added, GST_SECOND, timescale);
}

/* Makes the last edit of each track end with the media. Some programs store the duration without fragments, and others the
 * total. FFmpeg ignores it. */
static void
decoding_movie_extend_edits (const Box *movie)
{
  Box track = { NULL, 0 }, edits;
  guint width, count;

  while (decoding_movie_find_track (movie, &track)) {
    if ((count = decoding_movie_find_edits (&track, &width, &edits)) == 0)
      continue;
    edits.data += (count - 1) * (2 * (gsize)width + 4);
    if (decoding_movie_get_time (edits.data + width, width) != decoding_movie_get_unknown (width))
      decoding_movie_set_time (edits.data, width, 0);
  }
}

/* Some programs store the duration without fragments. In a stream, qtdemux would end there. */
static void
decoding_movie_forget_duration (const Box *movie)
{
  Box header;
  guint8 *duration;

  if (decoding_movie_find_box (movie, "mvhd", &header) && decoding_movie_find_duration (&header, &duration) != 0)
    decoding_movie_set_time (duration, decoding_movie_get_width (&header), 0);
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
