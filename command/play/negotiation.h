/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Errors for pixel formats that GStreamer does not know, or that the element does not support. */

#pragma once

#include <gst/gst.h>

/* Explains why a pipeline that plays `film` is not negotiated. The message names the decoded pixel format, otherwise the codec,
 * and the remedy. Free with g_free(). */
gchar *negotiation_explain (GstElement *pipeline, const gchar *film);
