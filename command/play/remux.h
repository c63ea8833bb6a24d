/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Films whose codec GStreamer cannot read in their container, or at all; and the ffmpeg command that converts them. */

#pragma once

#include <gst/gst.h>

/* For a message about a missing plugin: returns the problem and the remedy. NULL: a package would help. Free with g_free(). */
gchar *remux_advise (const gchar *film, GstMessage *missing);
