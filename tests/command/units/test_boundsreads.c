/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The bytes read of a damaged file: little more than the file, and few of its zeros. */

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "cases.h"
#include "damage/bounds.h"
#include "damage/boundsformats.h"

#define PAGE_HEAD 27
#define COUNT 40000
#define NO_VERSION G_MAXUINT32
#define MOST_SEARCHED ((guint64)300 * 1024 * 1024)

/* Bytes that this process has read so far. */
static guint64
count_read (void)
{
  g_autofree gchar *text = NULL;
  guint64 count = 0;

  fail_unless (g_file_get_contents ("/proc/self/io", &text, NULL, NULL));
  fail_unless (sscanf (text, "rchar: %" G_GUINT64_FORMAT, &count) == 1);
  return count;
}

/* A page of one packet. */
static void
add_page (GByteArray *bytes, guint8 flags, guint8 number, const gchar *packet)
{
  const guint8 lacing = (guint8)strlen (packet);
  guint8 head[PAGE_HEAD] = "OggS";

  head[5] = flags;
  head[14] = 7;
  head[18] = number;
  head[26] = 1;
  g_byte_array_append (bytes, head, sizeof head);
  g_byte_array_append (bytes, &lacing, 1);
  g_byte_array_append (bytes, (const guint8 *)packet, lacing);
}

static void
add_film (GByteArray *bytes, guint8 frames)
{
  add_page (bytes, 2, 0, "\x80theora");
  add_page (bytes, 0, 1, "comments");
  add_page (bytes, 0, 2, "tables");
  for (guint8 i = 1; i <= frames; i++)
    add_page (bytes, i == frames ? 4 : 0, 2 + i, "frame");
}

static Bounds
read_bounds (const GByteArray *bytes, guint64 *read_bytes)
{
  g_autofree gchar *path = NULL;
  const gint fd = g_file_open_tmp ("bounds-XXXXXX.ogg", &path, NULL);
  Bounds bounds;

  fail_unless (fd >= 0 && write (fd, bytes->data, bytes->len) == (gssize)bytes->len);
  close (fd);
  *read_bytes = count_read ();
  bounds = bounds_read (path);
  *read_bytes = count_read () - *read_bytes;
  g_unlink (path);
  return bounds;
}

static void
add_damage (GByteArray *bytes, const gchar *damage, gsize length)
{
  for (guint i = 0; i < COUNT; i++)
    g_byte_array_append (bytes, (const guint8 *)damage, length);
}

/* Headers of pages that do not exist, close together. */
static void
check_reads (const gchar *damage, gsize length)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  guint64 read_bytes;
  g_auto (Bounds) bounds = { 0 };

  add_film (bytes, 5);
  add_damage (bytes, damage, length);
  bounds = read_bounds (bytes, &read_bytes);
  fail_unless_equals_uint64 (g_array_index (bounds.links, BoundsLink, 0).frames, 5);
  if (read_bytes > 8 * (guint64)bytes->len)
    fail ("%" G_GUINT64_FORMAT " bytes were read of %u", read_bytes, bytes->len);
}

TEST (test_reads)
{
  check_reads ("OggS\0", 5);
  check_reads ("OggS\0\1.........................", 31);
  check_reads ("OggS\0.....................\377", 27);
}

static void
check_film_after_damage (const gchar *damage, gsize length)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  guint64 read_bytes;
  g_auto (Bounds) bounds = { 0 };

  add_film (bytes, 5);
  add_damage (bytes, damage, length);
  add_film (bytes, 9);
  bounds = read_bounds (bytes, &read_bytes);
  fail_unless_equals_int (bounds.links->len, 2);
  fail_unless_equals_uint64 (g_array_index (bounds.links, BoundsLink, 0).frames, 5);
  fail_unless_equals_uint64 (g_array_index (bounds.links, BoundsLink, 1).frames, 9);
  fail_unless (g_array_index (bounds.links, BoundsLink, 1).recurs);
}

TEST (test_film_after_damage)
{
  check_film_after_damage ("OggS", 4);
  check_film_after_damage ("", 1);
  check_film_after_damage ("OggS..........................", 30);
}

TEST (test_mixed)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  guint64 read_bytes, before, start;
  Bounds bounds;

  add_film (bytes, 10);
  start = bytes->len;
  add_film (bytes, 20);
  bounds = read_bounds (bytes, &read_bytes);
  fail_unless_equals_uint64 (bounds_find_mixed (&bounds, 30, &before), 0);
  fail_unless_equals_uint64 (bounds_find_mixed (&bounds, 29, &before), start);
  fail_unless_equals_uint64 (before, 10);
  fail_unless_equals_uint64 (bounds_find_mixed (&bounds, 4, &before), start);
  fail_unless_equals_uint64 (before, 10);
  bounds_clear (&bounds);

  bytes->data[start + 18] = 1; /* a first page that does not have number 0 */
  bounds = read_bounds (bytes, &read_bytes);
  fail_unless_equals_uint64 (bounds_find_mixed (&bounds, 4, &before), 0);
  bounds_clear (&bounds);
}

/* An interrupted download: zeros up to the size that the file should have. */
TEST (test_zeros_of_ogg)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autofree gchar *path = NULL;
  const gint fd = g_file_open_tmp ("bounds-XXXXXX.ogg", &path, NULL);
  guint64 read_bytes;
  g_auto (Bounds) bounds = { 0 };

  add_film (bytes, 5);
  fail_unless (fd >= 0 && write (fd, bytes->data, bytes->len) == (gssize)bytes->len);
  fail_unless (ftruncate (fd, (off_t)1 << 40) == 0);
  close (fd);
  read_bytes = count_read ();
  bounds = bounds_read (path);
  read_bytes = count_read () - read_bytes;
  g_unlink (path);
  fail_unless_equals_int (bounds.links->len, 1);
  fail_unless_equals_uint64 (g_array_index (bounds.links, BoundsLink, 0).frames, 5);
  fail_unless (read_bytes < MOST_SEARCHED, "%" G_GUINT64_FORMAT " bytes read", read_bytes);
}

/* A GIF that becomes shorter while it is read is cut. Its next byte is not taken for a label. */
TEST (test_shrinking_gif)
{
  static const guint8 head[24] = "GIF89a\0\0\0\0\0\0\0\x2c", data[256] = { 255 };
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autofree gchar *path = NULL;
  g_autofree BoundsFile *file = g_new0 (BoundsFile, 1);

  file->fd = g_file_open_tmp ("bounds-XXXXXX.gif", &path, NULL);
  g_byte_array_append (bytes, head, sizeof head);
  for (guint i = 0; i < 300; i++)
    g_byte_array_append (bytes, data, sizeof data);
  fail_unless (file->fd >= 0 && write (file->fd, bytes->data, bytes->len) == (gssize)bytes->len);
  file->size = 2 * (guint64)bytes->len;
  bounds_read_gif (file);
  close (file->fd);
  g_unlink (path);
  fail_unless (file->bounds.is_cut);
  fail_unless_equals_uint64 (file->bounds.broken, 0);
  bounds_clear (&file->bounds);
}

static void
add_riff (GByteArray *bytes, const gchar *id, guint32 size, const gchar *type)
{
  const guint32 little = GUINT32_TO_LE (size);

  g_byte_array_append (bytes, (const guint8 *)id, 4);
  g_byte_array_append (bytes, (const guint8 *)&little, 4);
  g_byte_array_append (bytes, (const guint8 *)type, (guint)strlen (type));
}

/* An interrupted download: AVI of 50 frames, of which `frames` of 2 bytes exist, and zeros. */
static GByteArray *
make_cut_avi (guint frames, guint zeros)
{
  GByteArray *bytes = g_byte_array_new ();
  guint8 header[48] = { 0 };

  memcpy (header, "MJPG", 4);
  header[16] = 1;  /* scale */
  header[20] = 25; /* rate */
  header[28] = 50; /* ticks */
  add_riff (bytes, "RIFF", 0x7fffffe8, "AVI ");
  add_riff (bytes, "LIST", 4 + 12 + 8 + 4 + sizeof header, "hdrl");
  add_riff (bytes, "LIST", 4 + 8 + 4 + sizeof header, "strl");
  add_riff (bytes, "strh", 4 + sizeof header, "vids");
  g_byte_array_append (bytes, header, sizeof header);
  add_riff (bytes, "LIST", 0x7ffff000, "movi");
  for (guint i = 0; i < frames; i++)
    add_riff (bytes, "00dc", 2, "ab");
  g_byte_array_set_size (bytes, bytes->len + zeros);
  memset (bytes->data + bytes->len - zeros, 0, zeros);
  return bytes;
}

TEST (test_zeros_of_avi)
{
  g_autoptr (GByteArray) bytes = make_cut_avi (20, 1 << 20);
  guint64 read_bytes;
  g_auto (Bounds) bounds = read_bounds (bytes, &read_bytes);

  fail_unless (bounds.is_cut);
  fail_unless_equals_uint64 (bounds.frames, 50);
  fail_unless (read_bytes < 100000, "%" G_GUINT64_FORMAT " bytes read", read_bytes);
}

TEST (test_zeros_of_ivf)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  guint8 head[32] = "DKIF", frame[14] = { 2 };
  guint64 read_bytes;
  g_auto (Bounds) bounds = { 0 };

  head[6] = sizeof head;
  head[16] = 25; /* frames per second */
  head[20] = 1;
  head[24] = 20; /* frames */
  g_byte_array_append (bytes, head, sizeof head);
  for (frame[4] = 0; frame[4] < 10; frame[4]++)
    g_byte_array_append (bytes, frame, sizeof frame);
  g_byte_array_set_size (bytes, bytes->len + (1 << 20));
  memset (bytes->data + bytes->len - (1 << 20), 0, 1 << 20);
  bounds = read_bounds (bytes, &read_bytes);
  fail_unless (bounds.is_cut);
  fail_unless_equals_uint64 (bounds.frames, 20);
  fail_unless (read_bytes < 100000, "%" G_GUINT64_FORMAT " bytes read", read_bytes);
}

/* Headers of boxes far apart. */
TEST (test_each_window_is_read_once)
{
  const guint boxes = 200, size = 5000;
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  guint64 read_bytes;
  g_auto (Bounds) bounds = { 0 };

  g_byte_array_set_size (bytes, boxes * size);
  memset (bytes->data, 0, bytes->len);
  for (guint i = 0; i < boxes; i++) {
    const guint8 head[8] = { 0, 0, (guint8)(size >> 8), (guint8)size, 'f', 'r', 'e', 'e' };

    memcpy (bytes->data + i * size, head, sizeof head);
  }
  bounds = read_bounds (bytes, &read_bytes);
  fail_unless (read_bytes < bytes->len, "%" G_GUINT64_FORMAT " bytes were read of %u", read_bytes, bytes->len);
}

static void
add_big (GByteArray *bytes, guint32 number)
{
  const guint32 big = GUINT32_TO_BE (number);

  g_byte_array_append (bytes, (const guint8 *)&big, sizeof big);
}

/* Begins a box. Returns its offset, for end_box(). */
static guint
begin_box (GByteArray *bytes, const gchar *type, guint32 version)
{
  const guint at = bytes->len;

  add_big (bytes, 0);
  g_byte_array_append (bytes, (const guint8 *)type, 4);
  if (version != NO_VERSION)
    add_big (bytes, version);
  return at;
}

static void
end_box (GByteArray *bytes, guint at)
{
  GST_WRITE_UINT32_BE (bytes->data + at, bytes->len - at);
}

/* A table with a run for each sample. */
static void
add_runs (GByteArray *bytes, const gchar *type, guint32 samples, guint32 even, guint32 odd)
{
  const guint table = begin_box (bytes, type, 0);

  add_big (bytes, samples);
  for (guint32 i = 0; i < samples; i++) {
    add_big (bytes, 1);
    add_big (bytes, i % 2 == 0 ? even : odd);
  }
  end_box (bytes, table);
}

/* A cut film with variable frame rate, reordered frames and an edit list that skips the first 9 frames. */
static GByteArray *
make_cut_movie (guint32 samples)
{
  GByteArray *bytes = g_byte_array_new ();
  const guint32 movie_header[] = { 0, 0, 1000, samples * 2 }, media_header[] = { 0, 0, 1000, samples * 2, 0, 0, 0 };
  guint movie, track, part;

  movie = begin_box (bytes, "moov", NO_VERSION);
  part = begin_box (bytes, "mvhd", 0);
  for (guint i = 0; i < G_N_ELEMENTS (movie_header); i++)
    add_big (bytes, movie_header[i]);
  end_box (bytes, part);
  track = begin_box (bytes, "trak", NO_VERSION);
  part = begin_box (bytes, "elst", 0);
  add_big (bytes, 1);
  add_big (bytes, 0);  /* to the end */
  add_big (bytes, 20); /* media time */
  add_big (bytes, 1 << 16);
  end_box (bytes, part);
  part = begin_box (bytes, "mdhd", 0);
  for (guint i = 0; i < G_N_ELEMENTS (media_header); i++)
    add_big (bytes, media_header[i]);
  end_box (bytes, part);
  part = begin_box (bytes, "hdlr", 0);
  add_big (bytes, 0);
  g_byte_array_append (bytes, (const guint8 *)"vide", 4);
  end_box (bytes, part);
  add_runs (bytes, "stts", samples, 1, 3);
  add_runs (bytes, "ctts", samples, 0, 1);
  part = begin_box (bytes, "stsz", 0);
  add_big (bytes, 1);
  add_big (bytes, samples);
  end_box (bytes, part);
  end_box (bytes, track);
  end_box (bytes, movie);
  add_big (bytes, 1000);
  g_byte_array_append (bytes, (const guint8 *)"mdat", 4);
  return bytes;
}

/* Two tables that are read in turn. */
TEST (test_each_table_is_read_once)
{
  g_autoptr (GByteArray) bytes = make_cut_movie (5000);
  guint64 read_bytes;
  g_auto (Bounds) bounds = read_bounds (bytes, &read_bytes);

  fail_unless (bounds.is_cut && bounds.is_edited);
  fail_unless_equals_uint64 (bounds.frames, 5000 - 9);
  fail_unless (read_bytes < 2 * (guint64)bytes->len, "%" G_GUINT64_FORMAT " bytes were read of %u", read_bytes, bytes->len);
}

TEST_MAIN
