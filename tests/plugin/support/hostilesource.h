/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* `hostilesrc`, a source that does everything that a source may do, in an order that follows from a seed. It sends raw video
 * with changing size and format or bytes, in buffers that are short, long, empty, of several memories, without timestamps, with
 * decreasing timestamps, with DISCONT and GAP. Between buffers it sends segments, flushes, gaps, stream-starts and custom
 * events. It is seekable. */

#pragma once

#include <gst/gst.h>

/* Values of its property `kind`. */
typedef enum {
  HOSTILE_PLAIN, /* video of 8 bits in formats that filters of gst-plugins-good also accept */
  HOSTILE_DEEP,  /* video of 10 to 16 bits */
  HOSTILE_BYTES, /* bytes in a segment of bytes, some with an offset */
  HOSTILE_TIMED, /* bytes in a segment of time */
} HostileKind;

/* Registers the element. Its properties besides GstBaseSrc's: `seed` (guint64), `kind` (HostileKind as a guint), `frames`
 * (guint: buffers until EOS), `calm` (guint: mean number of buffers between oddities), `interlaced`
 * (gboolean: video is also interlaced and mixed). */
void hostile_source_register (void);
