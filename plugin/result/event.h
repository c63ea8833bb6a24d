/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Events: their types, and their output. One table of fields makes the message, the line of the sidecar and the table of
 * docs/messages.md. */

#pragma once

#include <gst/gst.h>

#define GST_CUDA_HISTO_EVENT_MESSAGE_NAME "cudahisto-event"

/* The events to detect. */
typedef enum {
  GST_CUDA_HISTO_EVENTS_BLACK = 1 << 0,
  GST_CUDA_HISTO_EVENTS_FREEZE = 1 << 1,
  GST_CUDA_HISTO_EVENTS_SCENE_CHANGE = 1 << 2,
  GST_CUDA_HISTO_EVENTS_CLIPPED = 1 << 3,
  GST_CUDA_HISTO_EVENTS_DAMAGED = 1 << 4
} GstCudaHistoEvents;

#define GST_CUDA_HISTO_N_EVENTS 5

/* A message and a line: the beginning or the end of an event, or an event that is reported only at its end. Temporary; borrows
 * all pointers. */
typedef struct {
  const gchar *kind;     /* "black" */
  const gchar *element;  /* name of the element; invalid UTF-8 is replaced */
  const gchar *input;    /* `input-name`, treated the same, or NULL */
  const gchar *sampling; /* as in results */
  /* Stream time of its first frame, and of the first frame after it, or of its last frame if none follows. GST_CLOCK_TIME_NONE:
   * unknown. */
  GstClockTime start, end;
  GstClockTime running_time, end_running_time; /* the same two in running time */
  /* From `start` to `end`; unknown until it ends, or if times are unusable. */
  GstClockTime duration;
  GstClockTime utc_time; /* arrival of its first frame, since 1970; GST_CLOCK_TIME_NONE: unknown */
  /* The value at which it began, and its threshold. NaN: none. */
  gdouble value, threshold;
  const gchar *ended_by; /* NULL until it ends */
  guint64 frame;         /* index of its first frame */
  guint64 frames;        /* number so far */
  guint64 missing;       /* missing frames in it */
  const gchar *cause;    /* NULL: no cause and no `missing` */
} GstCudaHistoFinding;

/* Returns the name of one kind. Static. */
const gchar *gst_cuda_histo_event_get_kind_name (GstCudaHistoEvents kind);

/* Returns the structure of the message, owned by the caller. */
GstStructure *gst_cuda_histo_event_to_structure (const GstCudaHistoFinding *event);

/* Returns the event as one line of JSON without a newline. Unknown times are null. It begins with {"cudahisto":1,"event":. Free
 * with g_free(). */
gchar *gst_cuda_histo_event_to_json (const GstCudaHistoFinding *event);

/* Returns the table of docs/messages.md, in Markdown. Free with g_free(). */
gchar *gst_cuda_histo_event_to_markdown (void);
