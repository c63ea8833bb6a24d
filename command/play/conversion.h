/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The frames that the element counts without conversion, and the target formats for the others. */

#ifndef CUDAHISTO_CONVERSION_H
#define CUDAHISTO_CONVERSION_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Returns the part of the caps that the element counts without conversion. The caller unrefs it. */
GstCaps *conversion_narrow (GstElement *histo, GstCaps *caps);

/* Returns the caps to which frames of the format `decoded` are converted: supported formats of the same kind, and if possible
 * of no fewer bits. Among them videoconvert finds the one that loses least. Among all formats it would keep alpha and lose
 * bits. The caller unrefs it. */
GstCaps *conversion_make_caps (GstElement *histo, const gchar *decoded);

/* Returns the colorimetry for grey in fixed `caps`, with the unknown parts set, for both sides of videoconvert. videoconvert
 * (1.22, and later versions so far) treats an unknown matrix as different from any other, so that grey gets colours, and gives
 * its grey output the default range. NULL: the caps are not of grey. The caller frees it. */
gchar *conversion_describe_grey (const GstCaps *caps);

/* Returns the bits of a sample of the first component. */
guint conversion_get_depth (const gchar *format);

G_END_DECLS

#endif
