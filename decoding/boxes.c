/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "decoding/boxes.h"

#include "decoding/numbers.h"

gboolean
decoding_box_read_head (const guint8 *bytes, gsize count, guint64 *size, gsize *head)
{
  *size = decoding_read_uint32_be (bytes);
  *head = *size == 1 ? DECODING_BOX_LONG_HEAD : DECODING_BOX_HEAD;
  if (count < *head)
    return FALSE;
  if (*size != 1)
    return *size == 0 || *size >= *head;
  *size = decoding_read_uint64_be (bytes + DECODING_BOX_HEAD);
  return *size >= *head;
}

static guint
decoding_box_get_width (guint8 version)
{
  return version == 1 ? 8 : 4;
}

static guint64
decoding_box_get_time (const guint8 *bytes, guint width)
{
  return width == 8 ? decoding_read_uint64_be (bytes) : decoding_read_uint32_be (bytes);
}

gboolean
decoding_box_read_duration (const guint8 *content, gsize count, DecodingDuration *duration)
{
  const guint width = count > 0 ? decoding_box_get_width (content[0]) : 4;
  const gsize at = 4 + 2 * (gsize)width; /* after the version and two other times */

  *duration = (DecodingDuration){ .at = at + 4, .width = width };
  if (count < at + 4 + width)
    return FALSE;
  duration->timescale = decoding_read_uint32_be (content + at);
  duration->value = decoding_box_get_time (content + at + 4, width);
  if (duration->value == decoding_box_get_unknown (width))
    duration->value = 0;
  return TRUE;
}

guint32
decoding_box_read_list (const guint8 *content, guint *width, gsize *edit_bytes)
{
  *width = decoding_box_get_width (content[0]);
  *edit_bytes = 2 * (gsize)*width + 4; /* duration, time and rate */
  return decoding_read_uint32_be (content + 4);
}

DecodingEdit
decoding_box_read_edit (const guint8 *bytes, guint width)
{
  const guint64 time = decoding_box_get_time (bytes + width, width);

  return (DecodingEdit){ decoding_box_get_time (bytes, width), time, time == decoding_box_get_unknown (width) };
}

guint64
decoding_box_get_unknown (guint width)
{
  return G_MAXUINT64 >> (64 - 8 * width);
}

void
decoding_box_set_time (guint8 *bytes, guint width, guint64 time)
{
  if (width == 8)
    decoding_write_uint64_be (bytes, time);
  else
    decoding_write_uint32_be (bytes, (guint32)time);
}
