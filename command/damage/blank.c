/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "damage/blank.h"

#include <string.h>

#define LEAST_BYTES 64 /* of a packet of zeros; a shorter one may be a frame that is not coded */
#define LEAST_RUN 512

static gboolean
blank_are_zeros (const guint8 *bytes, gsize count)
{
  return count == 0 || (bytes[0] == 0 && memcmp (bytes, bytes + 1, count - 1) == 0);
}

/* These codecs' entropy codes have no long runs of zeros. Others have runs, padding, or decoders that report errors. */
static gboolean
blank_has_short_runs (const GstCaps *caps)
{
  static const gchar *const types[] = { "video/x-prores", NULL };

  return caps != NULL && g_strv_contains (types, gst_structure_get_name (gst_caps_get_structure (caps, 0)));
}

/* Zeros at the end may be padding. */
static gboolean
blank_has_run (const guint8 *bytes, gsize count)
{
  while (count > 0 && bytes[count - 1] == 0)
    count--;
  for (gsize at = 0; at + LEAST_RUN <= count; at += LEAST_RUN / 2)
    if (blank_are_zeros (bytes + at, LEAST_RUN))
      return TRUE;
  return FALSE;
}

gboolean
blank_check_packet (GstBuffer *packet, const GstCaps *caps)
{
  gboolean is_blank;
  GstMapInfo map;

  if (!gst_buffer_map (packet, &map, GST_MAP_READ))
    return FALSE;
  is_blank = map.size >= LEAST_BYTES
             && (blank_are_zeros (map.data, map.size) || (blank_has_short_runs (caps) && blank_has_run (map.data, map.size)));
  gst_buffer_unmap (packet, &map);
  return is_blank;
}
