/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Calls a function for each element that any bin adds, on the thread that adds it. GLib's emission hooks must not be removed
 * while they run on another thread: here the end waits for them. */

#pragma once

#include <gst/gst.h>

typedef void (*ElementAdded) (GstElement *element, gpointer data);

/* One at a time. */
void element_watch_start (ElementAdded added, gpointer data);

/* Returns when the function no longer runs. */
void element_watch_end (void);
