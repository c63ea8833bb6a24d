/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Limits the number of an element's messages that wait on a bus. If the reader is slow, a stream waits, and a live stream drops
 * messages. */

#pragma once

#include <gst/gst.h>

typedef struct _Backlog Backlog;

/* Owns the bus's sync handler until it is freed. The element is not owned. */
Backlog *backlog_new (GstBus *bus, GstElement *element);
void backlog_free (Backlog *backlog);

/* Call it when one of these messages has been read from the bus. */
void backlog_take_off (Backlog *backlog);

/* From now on nothing waits and nothing is dropped. Call it before the stream is stopped. */
void backlog_release (Backlog *backlog);

/* Returns the number of messages dropped since the last call. */
guint64 backlog_take_dropped (Backlog *backlog);
