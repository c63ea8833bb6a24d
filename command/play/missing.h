/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Plugins that are not installed: what they are called, and where Debian has them. */

#ifndef CUDAHISTO_MISSING_H
#define CUDAHISTO_MISSING_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Whether the message says that a plugin is missing without which video, or the whole file, cannot be decoded. */
gboolean missing_is_message (GstMessage *message);

/* Whether Debian has a decoder of these caps in a package that is named here. */
gboolean missing_has_package (const GstCaps *caps);

/* What is missing, and where it is: "H.265 decoder (Debian package gstreamer1.0-libav)". Free with g_free(). */
gchar *missing_describe (GstMessage *message);

G_END_DECLS

#endif
