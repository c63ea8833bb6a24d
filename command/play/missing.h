/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Missing plugins: their names, and the Debian packages that have them. */

#pragma once

#include <gst/gst.h>

/* Returns whether the message reports a missing plugin that the video, or the whole file, needs. */
gboolean missing_is_message (GstMessage *message);

/* Returns whether a known Debian package has a decoder of these caps. */
gboolean missing_has_package (const GstCaps *caps);

/* Describes the missing plugin: "H.265 decoder (Debian package gstreamer1.0-libav)". Free with g_free(). */
gchar *missing_describe (GstMessage *message);
