/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include <fcntl.h>
#include <gst/gst.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "damage/boundsformats.h"
#include "decoding/boxes.h"
#include "decoding/numbers.h"

#define MOST_PARTS 100000 /* parts per level, a limit for corrupt files */
#define MOST_SAMPLES 1000000
#define FLV_HEAD 4096 /* the metadata begins within these bytes */

/* ---- MP4 and QuickTime ------------------------------------------------------------------------------------------------ */

/* Reads the header of the box at `at`. FALSE: there is none. *end may be beyond the file. */
static gboolean
bounds_get_box (BoundsFile *file, guint64 at, gchar type[5], guint64 *content, guint64 *end)
{
  guint8 head[DECODING_BOX_LONG_HEAD];
  gsize count = sizeof head, head_bytes;
  guint64 size;

  if (!bounds_get (file, at, head, count)) {
    count = DECODING_BOX_HEAD;
    if (!bounds_get (file, at, head, count))
      return FALSE;
  }
  if (!decoding_box_read_head (head, count, &size, &head_bytes))
    return FALSE;
  memcpy (type, head + 4, 4);
  type[4] = '\0';
  if (size == 0)
    size = file->size - at;
  *content = at + head_bytes;
  *end = at + size;
  for (guint i = 0; i < 4; i++)
    if (!g_ascii_isprint (type[i]) && (guint8)type[i] != 0xa9)
      return FALSE;
  return size >= head_bytes && *end > at;
}

/* A track of a film. Boxes are the offsets of their contents; 0: there is none. */
typedef struct {
  gboolean is_video;
  guint32 id;
  guint64 samples, duration; /* in ns */
  guint32 timescale;         /* units per second */
  guint64 edits, times, offsets;
} Track;

/* A table of runs of equal values, one value for each sample. */
typedef struct {
  guint64 at;
  guint32 runs, left, value;
  BoundsWindow window;
} Runs;

/* Reads the duration in a box mvhd or mdhd, in ns; 0: unknown. */
static guint64
bounds_get_duration (BoundsFile *file, guint64 content, guint32 *timescale)
{
  guint8 words[DECODING_BOX_MOST_DURATION];
  DecodingDuration duration = { .value = 0 };

  if (bounds_get (file, content, words, sizeof words))
    decoding_box_read_duration (words, sizeof words, &duration);
  *timescale = duration.timescale;
  if (duration.timescale == 0)
    return 0;
  return MIN (G_MAXINT64, gst_util_uint64_scale (duration.value, GST_SECOND, duration.timescale));
}

static Runs
runs_open (BoundsFile *file, guint64 content)
{
  guint8 head[8] = { 0 };

  if (content > 0)
    bounds_get (file, content, head, sizeof head);
  return (Runs){ .at = content + sizeof head, .runs = decoding_read_uint32_be (head + 4) };
}

/* Reads the next sample's value. FALSE: there is none. */
static gboolean
runs_read (Runs *runs, BoundsFile *file)
{
  guint8 words[8];

  while (runs->left == 0) {
    if (runs->runs == 0 || !bounds_get_in (file, &runs->window, runs->at, words, sizeof words))
      return FALSE;
    runs->runs--;
    runs->at += sizeof words;
    runs->left = decoding_read_uint32_be (words);
    runs->value = decoding_read_uint32_be (words + 4);
  }
  runs->left--;
  return TRUE;
}

/* Returns the number of samples that are shown between two media times, in the track's units; 0: unknown. */
static guint64
bounds_count_shown (BoundsFile *file, const Track *track, gint64 start, gint64 end)
{
  Runs times = runs_open (file, track->times), offsets = runs_open (file, track->offsets);
  gint64 decoded = 0, shown;
  guint64 count = 0;

  if (track->samples > MOST_SAMPLES)
    return 0;
  for (guint64 i = 0; i < track->samples; i++, decoded += times.value) {
    if (!runs_read (&times, file))
      return 0;
    shown = decoded + (runs_read (&offsets, file) ? (gint32)offsets.value : 0);
    if (shown + MAX (1, times.value) > start && shown < end)
      count++;
  }
  return count;
}

/* For a track with an edit list that skips frames, sets the number of frames and the duration that remain. Several edits may
 * repeat frames: their number is then unknown. */
static void
bounds_apply_edits (BoundsFile *file, const Track *track, guint32 movie_timescale)
{
  guint8 words[DECODING_BOX_MOST_EDIT];
  guint64 start = 0, length = 0, total = 0, shown = 0;
  guint width, count, edits = 0;
  gsize size;

  if (track->edits == 0 || movie_timescale == 0 || !bounds_get (file, track->edits, words, DECODING_BOX_LIST_HEAD))
    return;
  count = MIN (MOST_PARTS, decoding_box_read_list (words, &width, &size));
  for (guint i = 0; i < count && bounds_get (file, track->edits + DECODING_BOX_LIST_HEAD + i * (guint64)size, words, size);
       i++) {
    const DecodingEdit edit = decoding_box_read_edit (words, width);

    total += edit.duration;
    if (edit.is_empty)
      continue;
    start = edit.time;
    length = edit.duration;
    edits++;
  }
  if (edits == 0)
    return;
  if (edits == 1) {
    length = MIN (G_MAXINT64 / 2, gst_util_uint64_scale (length, track->timescale, movie_timescale)); /* 0: up to the end */
    start = MIN (G_MAXINT64 / 2, start);
    shown = bounds_count_shown (file, track, (gint64)start, length > 0 ? (gint64)(start + length) : G_MAXINT64);
    if (shown == track->samples)
      return;
  }
  file->bounds.is_edited = TRUE;
  file->bounds.frames = shown;
  file->bounds.duration = edits == 1 && length > 0 ? gst_util_uint64_scale (total, GST_SECOND, movie_timescale) : 0;
}

static void
bounds_compare_track (const BoundsFile *file, const Track *track, Track *best)
{
  if (track->is_video && track->samples > best->samples && (file->track == NULL || *file->track == track->id))
    *best = *track;
}

/* Reads the ID in a box tkhd. */
static guint32
bounds_get_track_id (BoundsFile *file, guint64 content)
{
  guint8 words[24] = { 0 };

  bounds_get (file, content, words, sizeof words);
  return decoding_read_uint32_be (words + (words[0] == 1 ? 20 : 12));
}

/* Returns the video track with the most samples, or that with the requested number. */
static Track
bounds_read_boxes (BoundsFile *file, guint64 at, guint64 stop, guint32 *movie_timescale)
{
  static const gchar *const nested[] = { "trak", "edts", "mdia", "minf", "stbl", NULL };
  gchar type[5];
  guint64 content, end;
  guint8 words[12];
  Track track = { 0 }, best = { 0 };

  for (guint i = 0; i < MOST_PARTS && at < stop && bounds_get_box (file, at, type, &content, &end) && end <= stop; i++) {
    at = g_strv_contains (nested, type) ? content : end;
    if (g_str_equal (type, "trak")) {
      bounds_compare_track (file, &track, &best);
      track = (Track){ 0 };
    }
    if (!bounds_get (file, content, words, sizeof words))
      continue;
    else if (g_str_equal (type, "mvhd"))
      bounds_get_duration (file, content, movie_timescale);
    else if (g_str_equal (type, "tkhd"))
      track.id = bounds_get_track_id (file, content);
    else if (g_str_equal (type, "mdhd"))
      track.duration = bounds_get_duration (file, content, &track.timescale);
    else if (g_str_equal (type, "hdlr") && memcmp (words + 8, "vide", 4) == 0)
      track.is_video = TRUE;
    else if (g_str_equal (type, "elst"))
      track.edits = content;
    else if (g_str_equal (type, "stts"))
      track.times = content;
    else if (g_str_equal (type, "ctts"))
      track.offsets = content;
    else if (g_str_equal (type, "stsz") || g_str_equal (type, "stz2"))
      track.samples = decoding_read_uint32_be (words + 8);
  }
  bounds_compare_track (file, &track, &best);
  return best;
}

/* A fragmented film may have several headers. */
static void
bounds_read_mp4 (BoundsFile *file)
{
  gboolean has_moov = FALSE, has_fragments = FALSE;
  guint64 at = 0, content, end;
  guint32 timescale = 0;
  Track video = { 0 };
  gchar type[5];

  for (guint i = 0; i < MOST_PARTS && bounds_get_box (file, at, type, &content, &end); i++, at = end) {
    has_fragments |= g_str_equal (type, "moof") || g_str_equal (type, "styp") || g_str_equal (type, "sidx");
    if (has_moov && !has_fragments && (g_str_equal (type, "ftyp") || g_str_equal (type, "moov"))) {
      file->bounds.joined = at;
      return;
    }
    if (end > file->size) {
      file->bounds.is_cut = TRUE;
      if (file->track == NULL && video.samples > 0)
        bounds_apply_edits (file, &video, timescale);
      return;
    }
    if (g_str_equal (type, "moov")) {
      has_moov = TRUE;
      video = bounds_read_boxes (file, content, end, &timescale);
      file->bounds.frames = video.samples;
      file->bounds.duration = video.duration;
      if (file->track != NULL && video.samples > 0)
        bounds_apply_edits (file, &video, timescale);
    }
  }
}

/* ---- Matroska --------------------------------------------------------------------------------------------------------- */

#define EBML_HEADER 0x1a45dfa3u
#define MATROSKA_SEGMENT 0x18538067u
#define MATROSKA_CLUSTER 0x1f43b675u

typedef struct {
  guint32 id;
  guint64 content, end; /* offsets; `end` is 0 if the size is unknown */
} Element;

/* Returns the length of the number that begins with this byte, at least 1. */
static guint
bounds_get_ebml_length (guint8 byte)
{
  return byte == 0 ? 9 : 9 - (guint)g_bit_storage (byte);
}

static gboolean
bounds_get_element (BoundsFile *file, guint64 at, Element *element)
{
  guint8 head[12] = { 0 };
  guint id_length, length;
  guint64 size, unknown;

  if (!bounds_get (file, at, head, 1))
    return FALSE;
  id_length = bounds_get_ebml_length (head[0]);
  if (id_length > 4 || !bounds_get (file, at, head, id_length + 1))
    return FALSE;
  length = bounds_get_ebml_length (head[id_length]);
  if (length > 8 || !bounds_get (file, at, head, id_length + length))
    return FALSE;
  unknown = (G_GUINT64_CONSTANT (1) << 7 * length) - 1;
  size = bounds_get_big (head + id_length, length) & unknown;
  element->id = (guint32)bounds_get_big (head, id_length);
  element->content = at + id_length + length;
  element->end = size == unknown ? 0 : element->content + size;
  return TRUE;
}

/* Returns whether the file ends within the index or tags after the last cluster: all frames are there. */
static gboolean
bounds_ends_after_clusters (BoundsFile *file, guint64 at)
{
  Element element;
  gboolean has_clusters = FALSE;

  for (guint i = 0; i < MOST_PARTS && bounds_get_element (file, at, &element) && element.end > at; i++, at = element.end) {
    if (element.end > file->size)
      return has_clusters && element.id != MATROSKA_CLUSTER;
    has_clusters |= element.id == MATROSKA_CLUSTER;
  }
  return FALSE;
}

static void
bounds_read_matroska (BoundsFile *file)
{
  Element element, next;

  if (!bounds_get_element (file, 0, &element) || element.end == 0 || !bounds_get_element (file, element.end, &element)
      || element.id != MATROSKA_SEGMENT || element.end == 0)
    return;
  file->bounds.is_cut = element.end > file->size && !bounds_ends_after_clusters (file, element.content);
  if (bounds_get_element (file, element.end, &next) && next.id == EBML_HEADER)
    file->bounds.joined = element.end;
}

/* ---- FLV -------------------------------------------------------------------------------------------------------------- */

/* The metadata has the file size, a double after its name, unless the film was written to a pipe. */
static void
bounds_read_flv (BoundsFile *file)
{
  static const gchar name[] = "filesize"; /* with the byte 0 after it, the type of a double */
  guint8 head[FLV_HEAD], next[4];
  const gsize count = MIN (sizeof head, file->size);
  guint64 bits, stated_size;
  gdouble size;
  gsize at = 0;

  if (!bounds_get (file, 0, head, count))
    return;
  while (at + sizeof name + 8 <= count && memcmp (head + at, name, sizeof name) != 0)
    at++;
  if (at + sizeof name + 8 > count)
    return;
  bits = decoding_read_uint64_be (head + at + sizeof name);
  memcpy (&size, &bits, sizeof size);
  if (!(size > 13 && size < 1e18))
    return;
  stated_size = (guint64)size;
  file->bounds.is_cut = stated_size > file->size;
  if (bounds_get (file, stated_size, next, sizeof next) && memcmp (next, "FLV\1", 4) == 0)
    file->bounds.joined = stated_size;
}

/* ---- MXF -------------------------------------------------------------------------------------------------------------- */

/* Reads the header of a KLV packet (key, length, value). FALSE: there is none. */
static gboolean
bounds_get_packet (BoundsFile *file, guint64 at, guint8 key[16], guint64 *content, guint64 *end)
{
  static const guint8 prefix[] = { 0x06, 0x0e, 0x2b, 0x34 };
  guint8 length[9] = { 0 };
  guint bytes = 0;

  if (!bounds_get (file, at, key, 16) || memcmp (key, prefix, sizeof prefix) != 0 || !bounds_get (file, at + 16, length, 1))
    return FALSE;
  if ((length[0] & 0x80) != 0)
    bytes = length[0] & 0x7f;
  if (bytes > 8 || !bounds_get (file, at + 16, length, 1 + bytes))
    return FALSE;
  *content = at + 17 + bytes;
  *end = *content + (bytes == 0 ? length[0] : bounds_get_big (length + 1, bytes));
  return *end >= *content;
}

static void
bounds_read_mxf (BoundsFile *file)
{
  static const guint8 partition[] = { 0x0d, 0x01, 0x02, 0x01, 0x01, 0x02 }; /* of the header: bytes 8 to 13 of the key */
  guint64 at = 0, content, end;
  guint8 key[16], words[32];

  if (!bounds_get_packet (file, 0, key, &content, &end) || !bounds_get (file, content, words, sizeof words))
    return;
  at = decoding_read_uint64_be (words + 24); /* offset of the footer; 0: unknown when written */
  file->bounds.is_cut = at >= file->size;
  for (guint i = 0; at > 0 && i < MOST_PARTS && bounds_get_packet (file, at, key, &content, &end); i++, at = end) {
    if (memcmp (key + 8, partition, sizeof partition) == 0) {
      file->bounds.joined = at;
      return;
    }
  }
}

/* ---- NUT -------------------------------------------------------------------------------------------------------------- */

/* The file ends with an index. Its length is stored before the last 4 bytes, the checksum. */
static void
bounds_read_nut (BoundsFile *file)
{
  static const guint8 index[] = { 'N', 'X', 0xdd, 0x67, 0x2f, 0x23, 0xe6, 0x4e };
  guint8 words[sizeof index];
  guint64 length;

  if (!bounds_get (file, file->size - MIN (file->size, 12), words, sizeof words))
    return;
  length = decoding_read_uint64_be (words);
  file->bounds.is_unmarked = length > file->size || !bounds_get (file, file->size - length, words, sizeof words)
                             || memcmp (words, index, sizeof index) != 0;
}

/* ---- all formats ------------------------------------------------------------------------------------------------------ */

/* Reads formats that state their end at the beginning. `head`: the first 16 bytes. */
static void
bounds_read_outermost (BoundsFile *file, const guint8 *head)
{
  static const gchar *const boxes[] = { "ftyp", "moov", "mdat", "wide", "free", "skip", "pnot", NULL };
  gchar type[5] = { 0 };

  memcpy (type, head + 4, 4);
  if (decoding_read_uint32_be (head) == EBML_HEADER)
    bounds_read_matroska (file);
  else if (memcmp (head, "FLV\1", 4) == 0)
    bounds_read_flv (file);
  else if (memcmp (head, "RIFF", 4) == 0 && memcmp (head + 8, "AVI ", 4) == 0)
    bounds_read_avi (file);
  else if (g_strv_contains (boxes, type))
    bounds_read_mp4 (file);
}

Bounds
bounds_read_stream (const BoundsStream *stream)
{
  BoundsFile file = { .stream = stream, .fd = -1, .size = bounds_stream_get_size (stream) };
  guint8 head[16] = { 0 };

  bounds_get (&file, 0, head, sizeof head);
  bounds_read_outermost (&file, head);
  return file.bounds;
}

/* `track`: the requested video track; NULL: the end of the film. */
static Bounds
bounds_read_file (const gchar *path, const guint *track)
{
  static const guint8 mxf[] = { 0x06, 0x0e, 0x2b, 0x34, 0x02, 0x05, 0x01, 0x01, 0x0d, 0x01, 0x02, 0x01, 0x01, 0x02 };
  BoundsFile file = { .track = track, .fd = open (path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) };
  guint8 head[16] = { 0 };
  struct stat info;

  if (file.fd < 0)
    return file.bounds;
  if (fstat (file.fd, &info) == 0 && S_ISREG (info.st_mode)) {
    file.size = (guint64)info.st_size;
    bounds_get (&file, 0, head, sizeof head);
    if (memcmp (head, "OggS", 4) == 0)
      bounds_read_ogg (&file);
    else if (memcmp (head, "GIF8", 4) == 0)
      bounds_read_gif (&file);
    else if (memcmp (head, "DKIF", 4) == 0)
      bounds_read_ivf (&file);
    else if (memcmp (head, "nut/multimedia c", 16) == 0)
      bounds_read_nut (&file);
    else if (memcmp (head, mxf, sizeof mxf) == 0)
      bounds_read_mxf (&file);
    else
      bounds_read_outermost (&file, head);
  }
  close (file.fd);
  return file.bounds;
}

Bounds
bounds_read (const gchar *path)
{
  return bounds_read_file (path, NULL);
}

void
bounds_read_track (const gchar *path, guint track, guint64 *frames, guint64 *duration)
{
  Bounds bounds = bounds_read_file (path, &track);

  *frames = bounds.frames;
  *duration = bounds.duration;
  bounds_clear (&bounds);
}

void
bounds_clear (Bounds *bounds)
{
  g_clear_pointer (&bounds->links, g_array_unref);
}

guint64
bounds_find_unmeasured (const Bounds *bounds, guint64 frames, guint64 *before)
{
  *before = 0;
  for (guint i = 0; bounds->links != NULL && i < bounds->links->len; i++) {
    const BoundsLink *link = &g_array_index (bounds->links, BoundsLink, i);

    if (i > 0 && link->frames > bounds->headers && frames <= *before + i * bounds->headers)
      return link->start;
    *before += link->frames;
  }
  return 0;
}

guint64
bounds_find_mixed (const Bounds *bounds, guint64 frames, guint64 *before)
{
  const guint count = bounds->links != NULL ? bounds->links->len : 0;
  gboolean recurs = FALSE;

  *before = 0;
  for (guint i = 0; i < count; i++)
    recurs |= g_array_index (bounds->links, BoundsLink, i).recurs;
  for (guint i = 0; recurs && i < count; i++) {
    const BoundsLink *link = &g_array_index (bounds->links, BoundsLink, i);

    if (i > 0 && link->frames > 0 && frames < *before + link->frames)
      return link->start;
    *before += link->frames;
  }
  return 0;
}
