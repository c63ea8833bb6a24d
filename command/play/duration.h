/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The duration of a playing element. A source, such as one of a server, may take long to answer, so a thread queries it. Use it
 * on one thread. */

#pragma once

#include <gst/gst.h>

typedef struct _Duration Duration;

/* The element must stay valid until duration_free() has returned TRUE. */
Duration *duration_new (GstElement *element, GstFormat format);

/* Waits up to `ms` milliseconds for an answer. FALSE: there was none; nothing is freed, and the element's resources must stay
 * valid. */
gboolean duration_free (Duration *duration, guint ms);

/* Returns the latest answer; -1: unknown. Queries again unless a query is pending. Never waits. */
gint64 duration_get (Duration *duration);

/* Queries, and waits up to `ms` milliseconds. Returns the latest answer. */
gint64 duration_wait (Duration *duration, guint ms);
