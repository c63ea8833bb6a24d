/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Damage: frames that are damaged, and frames that are missing, as upstream reports them: by GST_BUFFER_FLAG_CORRUPTED, and by
 * the custom event of docs/messages.md. */

#ifndef GST_CUDA_HISTO_DAMAGE_H
#define GST_CUDA_HISTO_DAMAGE_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* A serialized custom downstream event. It describes the buffer that follows, and what is missing before that. */
#define GST_CUDA_HISTO_DAMAGE_EVENT_NAME "cudahisto-damage"

/* Of a frame, or of the end of a stream. All 0: it is sound, and nothing is missing before it. */
typedef struct {
  gboolean is_damaged; /* the frame itself */
  guint causes;        /* bits, see gst_cuda_histo_damage_name_causes() */
  guint64 missing;     /* frames before it; 0 also where their number is unknown */
  guint64 skipped;     /* damaged frames before it that were not counted, */
  guint64 frame;       /* of which this is the index of the first one */
  gboolean has_time;   /* where the missing or skipped ones begin: */
  GstClockTime stream_time, running_time;
  gboolean has_end; /* where they end, if no buffer shows that: */
  GstClockTime end_stream_time, end_running_time;
} GstCudaHistoDamage;

/* Adds what the event says; its times are timestamps of `segment`. Causes that are unknown count as "flagged". */
void gst_cuda_histo_damage_add_event (GstCudaHistoDamage *damage, const GstStructure *event, const GstSegment *segment);

/* Adds what the flags of the buffer say. */
void gst_cuda_histo_damage_add_flags (GstCudaHistoDamage *damage, GstBuffer *buffer);

/* The frame with this damage may be skipped: makes it damage before the next frame. Without is_damaged nothing changes. */
void gst_cuda_histo_damage_carry (GstCudaHistoDamage *damage, guint64 frame, GstClockTime stream_time,
                                  GstClockTime running_time);

/* The sum of two numbers of frames, G_MAXUINT64 at most: upstream may report any number. */
guint64 gst_cuda_histo_damage_sum (guint64 left, guint64 right);

/* Whether anything is wrong with the frame, or before it. */
gboolean gst_cuda_histo_damage_is_any (const GstCudaHistoDamage *damage);

/* "decoder+gap". Interned. */
const gchar *gst_cuda_histo_damage_name_causes (guint causes);

G_END_DECLS

#endif
