/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "damage/boundsstream.h"

#include <string.h>

#include "decoding/boxes.h"
#include "decoding/numbers.h"

#define START 4096                      /* kept bytes of the beginning */
#define MOST_BOXES 100000               /* a limit for long streams */
#define MOST_BYTES ((guint64)256 << 20) /* of the box `moov` */

/* The kept bytes of a box. */
typedef struct {
  guint64 at;   /* offset in the stream */
  gsize place;  /* offset in `kept` */
  gsize length; /* number of bytes */
} Piece;

struct _BoundsStream {
  guint64 size;
  guint8 start[START];
  GArray *pieces; /* Piece, in the order of the stream */
  GByteArray *kept;
  gsize wanted; /* bytes to keep of the current box, the last piece */
  guint64 end;  /* end of the current box; G_MAXUINT64: unknown */
};

static gboolean
bounds_stream_is_riff (const BoundsStream *stream)
{
  return memcmp (stream->start, "RIFF", 4) == 0;
}

/* A RIFF is read like a box. */
static void
bounds_stream_begin_box (BoundsStream *stream)
{
  const Piece piece = { stream->size, stream->kept->len, 0 };

  g_array_append_val (stream->pieces, piece);
  stream->wanted = bounds_stream_is_riff (stream) ? BOUNDS_RIFF_HEAD : DECODING_BOX_HEAD;
  stream->end = G_MAXUINT64;
}

BoundsStream *
bounds_stream_new (void)
{
  BoundsStream *stream = g_new0 (BoundsStream, 1);

  stream->pieces = g_array_new (FALSE, FALSE, sizeof (Piece));
  stream->kept = g_byte_array_new ();
  bounds_stream_begin_box (stream);
  return stream;
}

void
bounds_stream_free (BoundsStream *stream)
{
  g_array_unref (stream->pieces);
  g_byte_array_unref (stream->kept);
  g_free (stream);
}

/* Returns the size of a RIFF; 0: this is none, or it is unknown. */
static guint64
bounds_stream_get_riff_size (const guint8 *head)
{
  const guint64 size = decoding_read_uint32_le (head + 4);

  return memcmp (head, "RIFF", 4) == 0 && size >= 4 ? 8 + size + (size & 1) : 0;
}

/* Reads the head of the current box as far as it is kept. The last box, and a damaged one, have no end. */
static void
bounds_stream_read_head (BoundsStream *stream, const Piece *piece)
{
  const guint8 *head = stream->kept->data + piece->place;
  const gboolean is_riff = bounds_stream_is_riff (stream);
  gsize head_bytes;
  guint64 size;

  if (is_riff) {
    size = bounds_stream_get_riff_size (head);
  } else if (!decoding_box_read_head (head, piece->length, &size, &head_bytes)) {
    stream->wanted = head_bytes;
    return;
  }
  if (size == 0 || size > G_MAXINT64 || stream->pieces->len >= MOST_BOXES)
    return;
  stream->end = piece->at + size;
  if (!is_riff && memcmp (head + 4, "moov", 4) == 0 && size <= MOST_BYTES)
    stream->wanted = (gsize)size;
}

/* Takes bytes of the current box. Returns their number. */
static gsize
bounds_stream_take (BoundsStream *stream, const guint8 *bytes, gsize count)
{
  Piece *piece = &g_array_index (stream->pieces, Piece, stream->pieces->len - 1);

  if (piece->length == stream->wanted)
    return (gsize)MIN (count, stream->end - stream->size);
  count = MIN (count, stream->wanted - piece->length);
  g_byte_array_append (stream->kept, bytes, (guint)count);
  piece->length += count;
  if (piece->length == stream->wanted && stream->end == G_MAXUINT64)
    bounds_stream_read_head (stream, piece);
  return count;
}

void
bounds_stream_push (BoundsStream *stream, GstBuffer *buffer)
{
  GstMapInfo map;
  gsize count;

  if (!gst_buffer_map (buffer, &map, GST_MAP_READ))
    return;
  if (stream->size < START)
    memcpy (stream->start + stream->size, map.data, MIN (map.size, START - stream->size));
  for (gsize at = 0; at < map.size; at += count) {
    count = bounds_stream_take (stream, map.data + at, map.size - at);
    stream->size += count;
    if (stream->size == stream->end)
      bounds_stream_begin_box (stream);
  }
  gst_buffer_unmap (buffer, &map);
}

guint64
bounds_stream_get_size (const BoundsStream *stream)
{
  return stream->size;
}

static gint
bounds_stream_compare (gconstpointer a, gconstpointer b)
{
  const Piece *piece = a, *sought = b;

  return piece->at > sought->at ? 1 : piece->at + piece->length <= sought->at ? -1 : 0;
}

gboolean
bounds_stream_get (const BoundsStream *stream, guint64 at, gpointer bytes, gsize count)
{
  const Piece sought = { .at = at };
  const Piece *piece;
  gsize skipped;
  guint index;

  if (at + count <= MIN (stream->size, START)) {
    memcpy (bytes, stream->start + at, count);
    return TRUE;
  }
  if (!g_array_binary_search (stream->pieces, &sought, bounds_stream_compare, &index))
    return FALSE;
  piece = &g_array_index (stream->pieces, Piece, index);
  skipped = (gsize)(at - piece->at);
  if (count > piece->length - skipped)
    return FALSE;
  memcpy (bytes, stream->kept->data + piece->place + skipped, count);
  return TRUE;
}
