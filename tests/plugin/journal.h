/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The journal of one element: every buffer that went in and came out, everything else that came between them, and every result.
 * From the buffers each result is counted a second time, in plain loops, and every frame is accounted for: reported, discarded
 * by a flush, or skipped. It asks of the ends of windows only what holds in every pipeline. */

#ifndef CUDAHISTO_TEST_JOURNAL_H
#define CUDAHISTO_TEST_JOURNAL_H

#include "rig.h"

G_BEGIN_DECLS

typedef struct _Journal Journal;

/* What may happen in a run, and so what may be relied on. */
typedef struct {
  gboolean messages_are_complete; /* `post-messages` stays on; else a sidecar has everything */
  gboolean windows_are_fixed;     /* `interval` and `regions` stay as they are */
  gboolean may_hold;              /* `hold-buffers` is not what it is by default, or `when-busy` */
  gboolean may_skip;              /* `when-busy=skip`: then each buffer is a window */
  gboolean may_fail;              /* an element behind returns errors */
} JournalPromises;

/* Sums over all runs that ended. */
typedef struct {
  guint64 frames, reported, discarded, skipped; /* frames (of byte streams: buffers); frames = the other three */
  guint64 out;                                  /* buffers that came out */
  guint64 results, lines, metas;                /* messages and lines that were recounted; metas that were compared with them */
  guint64 dots;                                 /* components whose dot product was recounted */
  guint64 flushes, caps_changes, starts, copies;
  guint64 samples; /* of `stats`, while frames flowed */
} JournalTotals;

/* What is printed before a failure ends the program: where the run is, and how to repeat it. Set once. */
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

/* Watches the pads of an element that is stopped, and that outlives the journal. */
Journal *journal_new (GstElement *element);
void journal_free (Journal *journal);

/* Before the element starts: properties are what they will be at the start. */
void journal_begin (Journal *journal, const JournalPromises *promises);

/* A message of the element, from a sync handler. Any thread. */
void journal_take_message (Journal *journal, GstMessage *message);

/* Looks at `stats` once, from any thread: they balance, and go forward only. */
void journal_sample (Journal *journal);

/* The sidecar was renamed to `path`, and a new one will be begun. */
void journal_rotate (Journal *journal, const gchar *path);

/* Recounts the results that came so far. Returns frames that went in since the run began. */
guint64 journal_digest (Journal *journal);

/* Before and after the element is stopped; then everything must be accounted for. */
void journal_stopping (Journal *journal);
void journal_end (Journal *journal);

JournalTotals journal_get_totals (void);

G_END_DECLS

#endif
