/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The journal of one element: all buffers that enter and leave, all events and queries between them, and all results. It
 * computes each result a second time from the buffers, in plain loops, and accounts for every frame: reported, discarded by a
 * flush, or skipped. It checks only those ends of windows that hold in every pipeline. */

#pragma once

#include "rig.h"

typedef struct _Journal Journal;

/* Operations that a run may use. They limit what the journal can check. */
typedef struct {
  gboolean messages_are_complete; /* `post-messages` stays on; otherwise a sidecar has all results */
  gboolean windows_are_fixed;     /* `interval` and `regions` are constant */
  gboolean frames_are_complete;   /* each has times and can be counted; there is no sidecar */
  gboolean may_hold;              /* `when-busy` is not at its default */
  gboolean may_skip;              /* `when-busy=skip`: each buffer is a window */
  gboolean may_fail;              /* an element downstream returns errors */
} JournalPromises;

/* Sums over all finished runs. */
typedef struct {
  guint64 frames, reported, discarded, skipped; /* frames (of byte streams: buffers); frames = the other three */
  guint64 out;                                  /* buffers that left */
  guint64 results, lines, metas;                /* recomputed messages and lines; metas that were compared with them */
  guint64 dots;                                 /* components whose dot product was recomputed */
  guint64 flushes, caps_changes, starts, copies;
  guint64 samples; /* reads of `stats` while frames flowed */
} JournalTotals;

/* Text that is printed before a failure ends the program: the place in the run, and how to repeat it. Set it once. */
extern void (*journal_explain) (void);

/* Prints it and the text, and ends the program. Any thread. */
void journal_fail (const gchar *format, ...) G_GNUC_PRINTF (1, 2) G_GNUC_NORETURN;
#define JOURNAL_REQUIRE(condition, ...) \
  G_STMT_START                          \
  {                                     \
    if (!(condition))                   \
      journal_fail (__VA_ARGS__);       \
  }                                     \
  G_STMT_END

/* Watches the pads of a stopped element, which outlives the journal. */
Journal *journal_new (GstElement *element);
void journal_free (Journal *journal);

/* Call it before the element starts, when properties have the values of the start. */
void journal_begin (Journal *journal, const JournalPromises *promises);

/* Adds a message of the element, from a sync handler. Any thread. */
void journal_take_message (Journal *journal, GstMessage *message);

/* Checks `stats` once, on any thread: the numbers balance and never decrease. */
void journal_sample (Journal *journal);

/* Notes that the sidecar was renamed to `path`. The element will create a new one. */
void journal_rotate (Journal *journal, const gchar *path);

/* Recomputes the results so far. Returns the number of frames since the run began. */
guint64 journal_digest (Journal *journal);

/* Call these before and after the element is stopped. Afterwards everything has to be accounted for. */
void journal_stopping (Journal *journal);
void journal_end (Journal *journal);

JournalTotals journal_get_totals (void);
