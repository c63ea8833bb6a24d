/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* `hostilesrc`, a source that does whatever a source may do, in an order that a seed decides: raw video whose size and format
 * change, with buffers that are short, long, empty, made of several memories, without times, with times that go back, with
 * DISCONT and GAP; or bytes; and in between segments, flushes, gaps, stream-starts and custom events. It is seekable. */

#ifndef CUDAHISTO_TEST_HOSTILESOURCE_H
#define CUDAHISTO_TEST_HOSTILESOURCE_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* What its property `kind` chooses. */
typedef enum {
  HOSTILE_PLAIN, /* video of 8 bits in formats that the filters of gst-plugins-good take too */
  HOSTILE_DEEP,  /* video of 10 to 16 bits */
  HOSTILE_BYTES, /* bytes in a segment of bytes, some with an offset */
  HOSTILE_TIMED, /* bytes in a segment of time */
} HostileKind;

/* Registers the element. Its properties, but for those of GstBaseSrc: `seed` (guint64), `kind` (HostileKind as a guint),
 * `frames` (guint: buffers until EOS), `calm` (guint: on average so many buffers from one oddity to the next). */
void hostile_source_register (void);

G_END_DECLS

#endif
