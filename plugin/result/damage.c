/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "result/damage.h"

#include <string.h>

/* Bit i of `causes` is name i. */
static const gchar *const names[] = { "flagged", "decoder", "undecoded", "gap", "zeros", "cut", "joined", "missing" };

static guint
gst_cuda_histo_damage_parse_causes (const gchar *text)
{
  g_auto (GStrv) words = text != NULL ? g_strsplit (text, "+", -1) : NULL;
  guint causes = 0;

  for (guint i = 0; words != NULL && words[i] != NULL; i++)
    for (guint n = 0; n < G_N_ELEMENTS (names); n++)
      if (strcmp (words[i], names[n]) == 0)
        causes |= 1u << n;
  return causes != 0 ? causes : 1;
}

/* FALSE: the event has no such time. */
static gboolean
gst_cuda_histo_damage_get_time (const GstStructure *event, const gchar *name, const GstSegment *segment,
                                GstClockTime *stream_time, GstClockTime *running_time)
{
  guint64 time;

  if (segment->format != GST_FORMAT_TIME || !gst_structure_get_uint64 (event, name, &time))
    return FALSE;
  *stream_time = gst_segment_to_stream_time (segment, GST_FORMAT_TIME, time);
  *running_time = gst_segment_to_running_time (segment, GST_FORMAT_TIME, time);
  return GST_CLOCK_TIME_IS_VALID (*stream_time);
}

void
gst_cuda_histo_damage_add_event (GstCudaHistoDamage *damage, const GstStructure *event, const GstSegment *segment)
{
  guint64 missing = 0;

  damage->causes |= gst_cuda_histo_damage_parse_causes (gst_structure_get_string (event, "cause"));
  if (gst_structure_get_uint64 (event, "missing", &missing))
    damage->missing = gst_cuda_histo_damage_sum (damage->missing, missing);
  if (!damage->has_time)
    damage->has_time = gst_cuda_histo_damage_get_time (event, "start", segment, &damage->stream_time, &damage->running_time);
  if (gst_cuda_histo_damage_get_time (event, "end", segment, &damage->end_stream_time, &damage->end_running_time))
    damage->has_end = TRUE;
}

void
gst_cuda_histo_damage_add_flags (GstCudaHistoDamage *damage, GstBuffer *buffer)
{
  if (!GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_CORRUPTED))
    return;
  damage->is_damaged = TRUE;
  if (damage->causes == 0)
    damage->causes = gst_cuda_histo_damage_parse_causes (NULL);
}

void
gst_cuda_histo_damage_carry (GstCudaHistoDamage *damage, guint64 frame, GstClockTime stream_time, GstClockTime running_time)
{
  if (!damage->is_damaged)
    return;
  damage->is_damaged = FALSE;
  if (damage->skipped++ == 0)
    damage->frame = frame;
  if (!damage->has_time) {
    damage->has_time = TRUE;
    damage->stream_time = stream_time;
    damage->running_time = running_time;
  }
  damage->has_end = TRUE;
  damage->end_stream_time = stream_time;
  damage->end_running_time = running_time;
}

guint64
gst_cuda_histo_damage_sum (guint64 left, guint64 right)
{
  return left + MIN (right, G_MAXUINT64 - left);
}

gboolean
gst_cuda_histo_damage_is_any (const GstCudaHistoDamage *damage)
{
  return damage->is_damaged || damage->causes != 0;
}

const gchar *
gst_cuda_histo_damage_name_causes (guint causes)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint n = 0; n < G_N_ELEMENTS (names); n++)
    if ((causes & 1u << n) != 0)
      g_string_append_printf (text, "%s%s", text->len > 0 ? "+" : "", names[n]);
  return g_intern_string (text->str);
}
