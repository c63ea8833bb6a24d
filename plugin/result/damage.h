/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Damage: damaged and missing frames. Upstream reports them by GST_BUFFER_FLAG_CORRUPTED and by the custom event of
 * docs/messages.md. */

#pragma once

#include <gst/gst.h>

/* A serialized custom downstream event. It describes the next buffer, and the frames missing before it. */
#define GST_CUDA_HISTO_DAMAGE_EVENT_NAME "cudahisto-damage"

/* Damage of a frame, or of the end of a stream. All 0: none. */
typedef struct {
  gboolean is_damaged; /* the frame itself */
  guint causes;        /* bits, see gst_cuda_histo_damage_name_causes() */
  guint64 missing;     /* frames missing before it; 0 also if their number is unknown */
  guint64 skipped;     /* damaged frames before it that were not counted */
  guint64 frame;       /* index of the first of them */
  gboolean has_time;   /* start of the missing or skipped frames: */
  GstClockTime stream_time, running_time;
  gboolean has_end; /* their end, if no buffer follows to show it: */
  GstClockTime end_stream_time, end_running_time;
} GstCudaHistoDamage;

/* Adds the event's report. Its times are timestamps of `segment`. Unknown causes become "flagged". */
void gst_cuda_histo_damage_add_event (GstCudaHistoDamage *damage, const GstStructure *event, const GstSegment *segment);

/* Adds the damage in the buffer's flags. */
void gst_cuda_histo_damage_add_flags (GstCudaHistoDamage *damage, GstBuffer *buffer);

/* Converts the damage of a frame that may be skipped to damage before the next frame. No effect without is_damaged. */
void gst_cuda_histo_damage_carry (GstCudaHistoDamage *damage, guint64 frame, GstClockTime stream_time,
                                  GstClockTime running_time);

/* Returns the sum of two numbers of frames, at most G_MAXUINT64: upstream may report any number. */
guint64 gst_cuda_histo_damage_sum (guint64 left, guint64 right);

/* Whether there is any damage. */
gboolean gst_cuda_histo_damage_is_any (const GstCudaHistoDamage *damage);

/* Returns the causes: "decoder+gap". Interned. */
const gchar *gst_cuda_histo_damage_name_causes (guint causes);
