/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Packets that lost their content to zeros, as a disk or a transfer leaves them. Some decoders decode them without an error. */

#ifndef CUDAHISTO_BLANK_H
#define CUDAHISTO_BLANK_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Whether a compressed packet has nothing but zeros, or, if its codec writes no such run of them, 512 of them before other
 * bytes. `caps`: its type, or NULL. */
gboolean blank_check_packet (GstBuffer *packet, const GstCaps *caps);

G_END_DECLS

#endif
