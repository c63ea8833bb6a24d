/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The host: an element as its parts know it. They post errors and warnings as the element. A handler of such a message may
 * flush, stop and restart the element. So a function that may post reads `stops` or `breaks` before, and compares it after. */

#pragma once

#include "common/notices.h"
#include "common/post.h"

typedef struct {
  GstElement *element; /* borrowed: it owns this */

  /* Atomic. */
  gint is_started; /* changes under the sink pad's stream lock, which serialized queries and events hold */
  gint has_failed; /* an element error was posted; buffers are refused */
  gint stops;      /* number of stops */
  gint breaks;     /* number of stops and finished flushes */

  GstCudaHistoNotices notices; /* for the streaming thread, and at a stop */
} GstCudaHistoHost;

/* Posts an element error, then refuses buffers. In the other order, upstream could be first to post an error, which is less
 * specific. A handler of the error may stop and restart the element. Takes `text` and `detail`. */
#define gst_cuda_histo_fail(host, domain, code, text, detail)                             \
  G_STMT_START                                                                            \
  {                                                                                       \
    const gint fail_stops = g_atomic_int_get (&(host)->stops);                            \
    gst_cuda_histo_post ((host)->element, GST_MESSAGE_ERROR, domain, code, text, detail); \
    if (fail_stops == g_atomic_int_get (&(host)->stops))                                  \
      g_atomic_int_set (&(host)->has_failed, TRUE);                                       \
  }                                                                                       \
  G_STMT_END
