/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The messages of one element that wait on a bus, bounded: where whoever reads them is slow, a stream waits, and one that is
 * live goes on without what is too much. */

#ifndef CUDAHISTO_BACKLOG_H
#define CUDAHISTO_BACKLOG_H

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _Backlog Backlog;

/* Takes the bus's sync handler until it is freed. The element is not owned. */
Backlog *backlog_new (GstBus *bus, GstElement *element);
void backlog_free (Backlog *backlog);

/* One of these messages has been read from the bus. */
void backlog_take_off (Backlog *backlog);

/* From now on nobody waits, and nothing more is left out: to be called before the stream is stopped. */
void backlog_release (Backlog *backlog);

/* How many messages a live stream went on without since the last call. */
guint64 backlog_get_left_out (Backlog *backlog);

G_END_DECLS

#endif
