/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The ledger: what became of every frame (of a byte stream: buffer) that came in since the start. At any instant
 *
 *   in = reported + discarded + skipped + pending
 *
 * where each frame is in one of the four. Any thread may write and read. */

#ifndef GST_CUDA_HISTO_LEDGER_H
#define GST_CUDA_HISTO_LEDGER_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* A consistent copy. */
typedef struct {
  guint64 in;
  guint64 reported;  /* are in a result that was handed out */
  guint64 discarded; /* were counted, or about to be, when a flush or a failure made their window void */
  guint64 skipped;   /* could not be read, or were let pass because the element was busy */
  guint64 pending;   /* will be one of the above: are in an open window, or are being counted */
  guint64 bytes;     /* of samples, counted */
  guint64 results;   /* handed out */
  guint64 fallbacks; /* times that a GPU failed and the CPU went on */
  guint64 damages;   /* events of damage */
  guint64 damaged;   /* frames in them */
  guint64 missing;   /* frames that should be in them, and did not come */
} GstCudaHistoCounts;

typedef struct {
  /* Written without the lock, and only by the thread that adds: locking would cost each small buffer as much as counting it. */
  _Atomic guint64 in;
  GMutex lock;
  GstCudaHistoCounts counts; /* but for `in`, and `pending`, which follows from the others */
} GstCudaHistoLedger;

void gst_cuda_histo_ledger_init (GstCudaHistoLedger *ledger);
void gst_cuda_histo_ledger_clear (GstCudaHistoLedger *ledger);

/* Everything at 0, for a new start. */
void gst_cuda_histo_ledger_reset (GstCudaHistoLedger *ledger);

/* A frame came in; by one thread at a time. */
void gst_cuda_histo_ledger_add_in (GstCudaHistoLedger *ledger);

/* Pending frames became something else. */
void gst_cuda_histo_ledger_add_skipped (GstCudaHistoLedger *ledger);
void gst_cuda_histo_ledger_add_result (GstCudaHistoLedger *ledger, guint64 frames);
void gst_cuda_histo_ledger_add_discarded (GstCudaHistoLedger *ledger, guint64 frames);

void gst_cuda_histo_ledger_add_bytes (GstCudaHistoLedger *ledger, guint64 bytes);
void gst_cuda_histo_ledger_add_fallback (GstCudaHistoLedger *ledger);
void gst_cuda_histo_ledger_add_damage (GstCudaHistoLedger *ledger, guint64 damaged, guint64 missing);

/* At the end: what is still pending will not be reported. Returns how many frames that were. */
guint64 gst_cuda_histo_ledger_discard_pending (GstCudaHistoLedger *ledger);

GstCudaHistoCounts gst_cuda_histo_ledger_get (GstCudaHistoLedger *ledger);

G_END_DECLS

#endif
