/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Packets whose content a disk or a transfer replaced by zeros. Some decoders decode them without an error. */

#pragma once

#include <gst/gst.h>

/* Returns whether a compressed packet has only zeros or, if its codec never writes such a run, 512 zeros before other bytes.
 * `caps`: its type, or NULL. */
gboolean blank_check_packet (GstBuffer *packet, const GstCaps *caps);
