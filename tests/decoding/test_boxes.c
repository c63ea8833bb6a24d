/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Fields of boxes in both versions, and damaged boxes. */

#include "cases.h"
#include "decoding/boxes.h"
#include "decoding/numbers.h"

static void
check_head (const gchar *bytes, gsize count, gboolean is_read, guint64 size, gsize head)
{
  guint64 found_size;
  gsize found_head;

  fail_unless_equals_int (decoding_box_read_head ((const guint8 *)bytes, count, &found_size, &found_head), is_read);
  fail_unless_equals_int (found_head, head);
  if (is_read)
    fail_unless_equals_uint64 (found_size, size);
}

TEST (test_heads)
{
  check_head ("\0\0\1\2moov", 8, TRUE, 258, 8);
  check_head ("\0\0\0\010free", 8, TRUE, 8, 8);
  check_head ("\0\0\0\7free", 8, FALSE, 0, 8);
  check_head ("\0\0\0\0mdat", 8, TRUE, 0, 8); /* up to the end */
  check_head ("\0\0\0\1mdat", 8, FALSE, 0, 16);
  check_head ("\0\0\0\1mdat\0\0\0\1\0\0\0\2", 16, TRUE, 0x100000002, 16);
  check_head ("\0\0\0\1mdat\0\0\0\0\0\0\0\017", 16, FALSE, 0, 16);
}

static void
check_duration (const gchar *content, gsize count, gsize at, guint32 timescale, guint64 value)
{
  DecodingDuration duration;

  fail_unless (!decoding_box_read_duration ((const guint8 *)content, count - 1, &duration));
  fail_unless (decoding_box_read_duration ((const guint8 *)content, count, &duration));
  fail_unless_equals_int (duration.at, at);
  fail_unless_equals_int (duration.width, count - at);
  fail_unless_equals_int (duration.timescale, timescale);
  fail_unless_equals_uint64 (duration.value, value);
}

TEST (test_durations)
{
  check_duration ("\0\0\0\0CCCCMMMM\0\0\2\0\0\0\1\0", 20, 16, 512, 256);
  check_duration ("\0\0\0\0CCCCMMMM\0\0\2\0\377\377\377\377", 20, 16, 512, 0);
  check_duration ("\1\0\0\0CCCCCCCCMMMMMMMM\0\0\2\0\0\0\0\1\0\0\0\0", 32, 24, 512, 0x100000000);
  check_duration ("\1\0\0\0CCCCCCCCMMMMMMMM\0\0\2\0\377\377\377\377\377\377\377\377", 32, 24, 512, 0);
}

static void
check_edit (const gchar *list, const gchar *bytes, guint width, guint64 duration, guint64 time, gboolean is_empty)
{
  gsize edit_bytes;
  guint found;

  fail_unless_equals_int (decoding_box_read_list ((const guint8 *)list, &found, &edit_bytes), 3);
  fail_unless_equals_int (found, width);
  fail_unless_equals_int (edit_bytes, 2 * width + 4);

  const DecodingEdit edit = decoding_box_read_edit ((const guint8 *)bytes, width);

  fail_unless_equals_uint64 (edit.duration, duration);
  fail_unless_equals_uint64 (edit.time, time);
  fail_unless_equals_int (edit.is_empty, is_empty);
}

/* Only -1 is an empty edit, as in qtdemux. */
TEST (test_edits)
{
  static const gchar list[] = "\0\0\0\0\0\0\0\3", long_list[] = "\1\0\0\0\0\0\0\3";

  check_edit (list, "\0\0\1\0\0\0\0\5", 4, 256, 5, FALSE);
  check_edit (list, "\0\0\1\0\200\0\0\0", 4, 256, 0x80000000, FALSE);
  check_edit (list, "\0\0\1\0\377\377\377\377", 4, 256, G_MAXUINT32, TRUE);
  check_edit (long_list, "\0\0\0\1\0\0\0\0\0\0\0\0\377\377\377\377", 8, 0x100000000, G_MAXUINT32, FALSE);
  check_edit (long_list, "\0\0\0\1\0\0\0\0\377\377\377\377\377\377\377\377", 8, 0x100000000, G_MAXUINT64, TRUE);
}

/* The sanitizer of undefined behaviour stops at a load or store that is not aligned. */
TEST_LOOP (test_addresses, 0, 8)
{
  guint64 memory[5] = { 0 };
  guint8 *bytes = (guint8 *)memory + __i__;
  guint64 size;
  gsize head;

  memcpy (bytes, "\0\0\0\1mdat\0\0\0\1\0\0\0\2", 16);
  fail_unless (decoding_box_read_head (bytes, 16, &size, &head));
  fail_unless_equals_uint64 (size, 0x100000002);
  memcpy (bytes, "\1\2\3\4\5\6\7\010", 8);
  fail_unless_equals_uint64 (decoding_read_uint16_be (bytes), 0x102);
  fail_unless_equals_uint64 (decoding_read_uint16_le (bytes), 0x201);
  fail_unless_equals_uint64 (decoding_read_uint32_be (bytes), 0x1020304);
  fail_unless_equals_uint64 (decoding_read_uint32_le (bytes), 0x4030201);
  fail_unless_equals_uint64 (decoding_read_uint64_be (bytes), 0x102030405060708);
  fail_unless_equals_uint64 (decoding_read_uint64_le (bytes), 0x807060504030201);
  decoding_box_set_time (bytes, 8, 0x807060504030201);
  fail_unless_equals_int (memcmp (bytes, "\010\7\6\5\4\3\2\1", 8), 0);
  decoding_box_set_time (bytes, 4, 0x1020304);
  fail_unless_equals_int (memcmp (bytes, "\1\2\3\4\4", 5), 0);
}

TEST_MAIN
