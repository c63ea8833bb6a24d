/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Events: what is detected in pictures, and how it leaves. One table of fields makes the message, the line of the sidecar and
 * the table of docs/messages.md. */

#ifndef GST_CUDA_HISTO_EVENT_H
#define GST_CUDA_HISTO_EVENT_H

#include <gst/gst.h>

G_BEGIN_DECLS

#define GST_CUDA_HISTO_EVENT_MESSAGE_NAME "cudahisto-event"

/**
 * GstCudaHistoEvents:
 * @GST_CUDA_HISTO_EVENTS_BLACK: black frames, as FFmpeg's blackdetect finds them
 * @GST_CUDA_HISTO_EVENTS_FREEZE: frames like the one at which they began, as freezedetect finds them
 * @GST_CUDA_HISTO_EVENTS_SCENE_CHANGE: a frame unlike the one before, as scdet finds it
 * @GST_CUDA_HISTO_EVENTS_CLIPPED: frames of which too much is outside of the preferred range of EBU R103
 * @GST_CUDA_HISTO_EVENTS_DAMAGED: frames that are damaged or missing, as upstream reports them
 *
 * What is detected.
 *
 * Since: 0.2
 */
typedef enum {
  GST_CUDA_HISTO_EVENTS_BLACK = 1 << 0,
  GST_CUDA_HISTO_EVENTS_FREEZE = 1 << 1,
  GST_CUDA_HISTO_EVENTS_SCENE_CHANGE = 1 << 2,
  GST_CUDA_HISTO_EVENTS_CLIPPED = 1 << 3,
  GST_CUDA_HISTO_EVENTS_DAMAGED = 1 << 4
} GstCudaHistoEvents;

#define GST_CUDA_HISTO_N_EVENTS 5

/* One message and one line: an event that begins, that ends, or that is known only now that it is over. A temporary, which
 * borrows everything. */
typedef struct {
  const gchar *kind;    /* "black" */
  const gchar *element; /* the element's name; written with replacement characters where it is not UTF-8 */
  const gchar *input;   /* `input-name`, written in the same way, or NULL */
  /* Stream time of its first frame, and of the first one after it; or of the last one, where no more came.
   * GST_CLOCK_TIME_NONE where unknown. */
  GstClockTime start, end;
  GstClockTime running_time, end_running_time; /* the same two in running time */
  GstClockTime duration;                       /* from `start` to `end`; unknown while it lasts, and where times do not say */
  GstClockTime utc_time;                       /* when its first frame came, since 1970; GST_CLOCK_TIME_NONE: unknown */
  /* The number by which it began, and what that was compared with; NaN where there is none. */
  gdouble value, threshold;
  const gchar *ended_by; /* NULL while it lasts */
  guint64 frame;         /* index of its first frame */
  guint64 frames;        /* in it, as far as it is known */
  guint64 missing;       /* frames that should be in it, and did not come */
  const gchar *cause;    /* NULL: there is none, and no `missing` */
} GstCudaHistoFinding;

/* The name of one kind. Static. */
const gchar *gst_cuda_histo_event_get_kind_name (GstCudaHistoEvents kind);

/* The structure of the message. Free with gst_structure_free() or hand on. */
GstStructure *gst_cuda_histo_event_to_structure (const GstCudaHistoFinding *event);

/* The same as one line of JSON without a newline; unknown times are null. It begins with {"cudahisto":1,"event":. Free with
 * g_free(). */
gchar *gst_cuda_histo_event_to_json (const GstCudaHistoFinding *event);

/* The table of docs/messages.md, in Markdown. Free with g_free(). */
gchar *gst_cuda_histo_event_to_markdown (void);

G_END_DECLS

#endif
