/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which frames the element counts as they are, and which format others are converted to. */

#ifndef CUDAHISTO_CONVERSION_H
#define CUDAHISTO_CONVERSION_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* The part of the caps that the element counts as it is. The caller unrefs it. */
GstCaps *conversion_narrow (GstElement *histo, GstCaps *caps);

/* What frames of the format `decoded` are converted to: raw video of those formats that are counted, of the same kind, and of
 * at least as many bits, or as many as there are. Among them videoconvert finds the one that loses least; left to itself it
 * would rather lose bits than alpha. The caller unrefs it. */
GstCaps *conversion_make_caps (GstElement *histo, const gchar *decoded);

/* The colorimetry of grey in fixed `caps`, with what these leave open: to be that in front of videoconvert, and behind it.
 * That (1.22, and later versions so far) takes a matrix that is unknown for another one than any, and makes colours of grey;
 * and what it makes of grey it gives the default range. NULL: the caps are not of grey. The caller frees it. */
gchar *conversion_describe_grey (const GstCaps *caps);

/* Bits of a sample of the first component. */
guint conversion_get_depth (const gchar *format);

G_END_DECLS

#endif
