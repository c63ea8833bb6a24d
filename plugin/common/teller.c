/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "common/teller.h"

guint64
gst_cuda_histo_teller_finish (GstCudaHistoTeller *teller)
{
  guint64 untold = teller->untold;

  teller->untold = 0;
  return untold;
}

guint64
gst_cuda_histo_teller_add (GstCudaHistoTeller *teller, guint64 times)
{
  gint64 now = g_get_monotonic_time ();

  teller->untold += times;
  if (teller->last != 0 && now - teller->last < G_USEC_PER_SEC)
    return 0;
  teller->last = now;
  return gst_cuda_histo_teller_finish (teller);
}
