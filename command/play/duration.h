/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The duration of what an element plays. A source may keep the question waiting, a server's for example: it is asked on a
 * thread. To be used on one thread. */

#ifndef CUDAHISTO_DURATION_H
#define CUDAHISTO_DURATION_H

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _Duration Duration;

/* The element must stay until duration_free() has returned TRUE. */
Duration *duration_new (GstElement *element, GstFormat format);

/* Waits up to `ms` milliseconds for an answer. FALSE: it has not come; nothing is freed, nor may be what the element uses. */
gboolean duration_free (Duration *duration, guint ms);

/* The latest answer, -1: unknown. Asks again, unless an answer is awaited. Never waits. */
gint64 duration_get (Duration *duration);

/* Asks now, and waits up to `ms` milliseconds. The latest answer, if none comes. */
gint64 duration_wait (Duration *duration, guint ms);

G_END_DECLS

#endif
