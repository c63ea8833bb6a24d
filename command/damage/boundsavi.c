/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include <gst/gst.h>
#include <string.h>

#include "damage/boundsformats.h"
#include "decoding/numbers.h"

#define MOST_PARTS 100000 /* parts per level, a limit for corrupt files */
#define MOST_CHUNKS (1u << 24)
#define MOST_TICKS (1u << 30)
#define MOST_STREAMS 100
#define MOST_TAIL 1024 /* bytes after a RIFF */

/* The first video stream, or the requested one: its header and chunks. Each tick has a chunk, which is empty if the picture
 * does not change. */
typedef struct {
  BoundsFile *file;
  guint streams; /* so far */
  gboolean is_video;
  gchar name[2]; /* of its chunks: the stream's number */
  guint64 ticks, scale, rate;
  guint64 chunks, pictures; /* in the file, and those of them with data */
  gboolean is_halved;       /* the file ends within a picture */
} Avi;

static gboolean
avi_is_list (const guint8 *head, const gchar *type)
{
  return memcmp (head, "LIST", 4) == 0 && memcmp (head + 8, type, 4) == 0;
}

static void
avi_take_header (Avi *avi, const guint8 *header)
{
  if (!avi->is_video && memcmp (header, "vids", 4) == 0 && avi->streams < MOST_STREAMS
      && (avi->file->track == NULL || *avi->file->track == avi->streams + 1)) {
    avi->is_video = TRUE;
    avi->name[0] = (gchar)('0' + avi->streams / 10);
    avi->name[1] = (gchar)('0' + avi->streams % 10);
    avi->scale = decoding_read_uint32_le (header + 20);
    avi->rate = decoding_read_uint32_le (header + 24);
    avi->ticks = decoding_read_uint32_le (header + 32);
  }
  avi->streams++;
}

/* Returns the offset of the next chunk, or of the first one in this list. */
static guint64
avi_find_next (const guint8 *head, guint64 at)
{
  const guint64 size = decoding_read_uint32_le (head + 4);

  if (memcmp (head, "RIFF", 4) == 0 || avi_is_list (head, "hdrl") || avi_is_list (head, "strl") || avi_is_list (head, "movi")
      || avi_is_list (head, "rec "))
    return at + 12;
  return at + 8 + size + (size & 1);
}

static void
avi_read_headers (Avi *avi)
{
  guint8 head[44];
  guint64 at = 0;

  for (guint i = 0; i < MOST_PARTS && bounds_get (avi->file, at, head, sizeof head) && head[0] != 0; i++) {
    if (memcmp (head, "strh", 4) == 0)
      avi_take_header (avi, head + 8);
    else if (avi_is_list (head, "movi"))
      return;
    at = avi_find_next (head, at);
  }
}

/* Ends at zeros: an interrupted download may end with many GB of them. */
static void
avi_count_chunks (Avi *avi)
{
  guint8 head[12] = { 0 };
  guint64 at = 0;

  for (guint i = 0; i < MOST_CHUNKS && bounds_get (avi->file, at, head, 8) && head[0] != 0; i++) {
    bounds_get (avi->file, at, head, sizeof head);
    if (memcmp (head, avi->name, 2) == 0 && head[2] == 'd' && (head[3] == 'c' || head[3] == 'b')) {
      if (avi_find_next (head, at) > avi->file->size + 1) {
        avi->is_halved = TRUE;
        return;
      }
      avi->chunks++;
      avi->pictures += decoding_read_uint32_le (head + 4) > 0 ? 1 : 0;
    }
    at = avi_find_next (head, at);
  }
}

/* Estimates the frames of the whole film. Assumes the same number of frames per tick in the missing part. */
static guint64
avi_get_frames (const Avi *avi)
{
  const guint64 rest = avi->ticks - MIN (avi->ticks, avi->chunks);

  if (avi->chunks == 0)
    return avi->ticks;
  return avi->pictures + MAX (avi->is_halved ? 1 : 0, gst_util_uint64_scale_round (rest, avi->pictures, avi->chunks));
}

/* A file written to a pipe has neither size nor number of frames. The chunks of a stream are unknown. */
static void
avi_set_frames (const Avi *avi)
{
  Bounds *bounds = &avi->file->bounds;

  if (avi->ticks == 0 || avi->ticks >= MOST_TICKS)
    return;
  bounds->frames = avi->file->stream == NULL ? avi_get_frames (avi) : 0;
  bounds->is_estimate = avi->pictures < avi->chunks;
  if (avi->scale > 0 && avi->rate > 0)
    bounds->duration = MIN (G_MAXINT64, gst_util_uint64_scale (avi->ticks, avi->scale * GST_SECOND, avi->rate));
}

/* Finds a RIFF at *at, or shortly after it: some writers do not count its last bytes. */
static gboolean
avi_find_riff (BoundsFile *file, guint64 *at, guint8 head[BOUNDS_RIFF_HEAD])
{
  for (guint64 end = *at + MOST_TAIL; *at < end && bounds_get (file, *at, head, BOUNDS_RIFF_HEAD); ++*at)
    if (memcmp (head, "RIFF", 4) == 0 && memcmp (head + 8, "AVI", 3) == 0)
      return TRUE;
  return FALSE;
}

/* A file of more than 1 GB has further parts. */
void
bounds_read_avi (BoundsFile *file)
{
  Avi avi = { .file = file };
  guint8 head[BOUNDS_RIFF_HEAD];
  guint64 at = 0;

  for (guint i = 0; i < MOST_PARTS && avi_find_riff (file, &at, head); i++) {
    const guint64 size = decoding_read_uint32_le (head + 4), end = at + 8 + size + (size & 1);

    if (i > 0 && memcmp (head + 8, "AVI ", 4) == 0) {
      file->bounds.joined = at;
      return;
    }
    if (size < 12 || size >= G_MAXINT32)
      return;
    file->bounds.is_cut = end > file->size + 1;
    at = end;
  }
  if (!file->bounds.is_cut && file->track == NULL)
    return;
  avi_read_headers (&avi);
  if (!avi.is_video)
    return;
  avi_count_chunks (&avi);
  avi_set_frames (&avi);
}
