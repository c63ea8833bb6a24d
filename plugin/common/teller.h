/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A teller: something that may happen thousands of times a second is told at once the first time, and then at most once a
 * second, with how often it happened since. For one thread at a time. */

#ifndef GST_CUDA_HISTO_TELLER_H
#define GST_CUDA_HISTO_TELLER_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* All zeros: nothing has happened yet. */
typedef struct {
  gint64 last; /* when it was told, by g_get_monotonic_time(); 0: never */
  guint64 untold;
} GstCudaHistoTeller;

/* It happened `times` more. How often it did since it was told, where it is to be told now; else 0. */
guint64 gst_cuda_histo_teller_add (GstCudaHistoTeller *teller, guint64 times);

/* How often it happened since it was told, at the end, where the rest is to be told; else 0. */
guint64 gst_cuda_histo_teller_finish (GstCudaHistoTeller *teller);

G_END_DECLS

#endif
