/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "count/ledger.h"

#include <stdatomic.h>

#include "result/damage.h"

void
gst_cuda_histo_ledger_init (GstCudaHistoLedger *ledger)
{
  atomic_init (&ledger->in, 0);
  g_mutex_init (&ledger->lock);
  ledger->counts = (GstCudaHistoCounts){ 0 };
}

void
gst_cuda_histo_ledger_clear (GstCudaHistoLedger *ledger)
{
  g_mutex_clear (&ledger->lock);
}

void
gst_cuda_histo_ledger_reset (GstCudaHistoLedger *ledger)
{
  g_mutex_lock (&ledger->lock);
  ledger->counts = (GstCudaHistoCounts){ 0 };
  atomic_store (&ledger->in, 0);
  g_mutex_unlock (&ledger->lock);
}

static void
gst_cuda_histo_ledger_add (GstCudaHistoLedger *ledger, guint64 *count, guint64 more)
{
  g_mutex_lock (&ledger->lock);
  *count += more;
  g_mutex_unlock (&ledger->lock);
}

void
gst_cuda_histo_ledger_add_in (GstCudaHistoLedger *ledger)
{
  const guint64 in = atomic_load_explicit (&ledger->in, memory_order_relaxed);

  atomic_store_explicit (&ledger->in, in + 1, memory_order_release);
}

void
gst_cuda_histo_ledger_add_skipped (GstCudaHistoLedger *ledger)
{
  gst_cuda_histo_ledger_add (ledger, &ledger->counts.skipped, 1);
}

void
gst_cuda_histo_ledger_add_result (GstCudaHistoLedger *ledger, guint64 frames)
{
  g_mutex_lock (&ledger->lock);
  ledger->counts.reported += frames;
  ledger->counts.results++;
  g_mutex_unlock (&ledger->lock);
}

void
gst_cuda_histo_ledger_add_discarded (GstCudaHistoLedger *ledger, guint64 frames)
{
  gst_cuda_histo_ledger_add (ledger, &ledger->counts.discarded, frames);
}

void
gst_cuda_histo_ledger_add_bytes (GstCudaHistoLedger *ledger, guint64 bytes)
{
  gst_cuda_histo_ledger_add (ledger, &ledger->counts.bytes, bytes);
}

void
gst_cuda_histo_ledger_add_fallback (GstCudaHistoLedger *ledger)
{
  gst_cuda_histo_ledger_add (ledger, &ledger->counts.fallbacks, 1);
}

void
gst_cuda_histo_ledger_add_damage (GstCudaHistoLedger *ledger, guint64 damaged, guint64 missing)
{
  g_mutex_lock (&ledger->lock);
  ledger->counts.damages++;
  ledger->counts.damaged += damaged;
  ledger->counts.missing = gst_cuda_histo_damage_sum (ledger->counts.missing, missing);
  g_mutex_unlock (&ledger->lock);
}

/* With the lock. Reads `in` last, because it increases before any other number. */
static GstCudaHistoCounts
gst_cuda_histo_ledger_read (GstCudaHistoLedger *ledger)
{
  GstCudaHistoCounts counts = ledger->counts;

  counts.in = atomic_load_explicit (&ledger->in, memory_order_acquire);
  counts.pending = counts.in - counts.reported - counts.discarded - counts.skipped;
  return counts;
}

guint64
gst_cuda_histo_ledger_discard_pending (GstCudaHistoLedger *ledger)
{
  guint64 pending;

  g_mutex_lock (&ledger->lock);
  pending = gst_cuda_histo_ledger_read (ledger).pending;
  ledger->counts.discarded += pending;
  g_mutex_unlock (&ledger->lock);
  return pending;
}

GstCudaHistoCounts
gst_cuda_histo_ledger_get (GstCudaHistoLedger *ledger)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&ledger->lock);

  return gst_cuda_histo_ledger_read (ledger);
}
