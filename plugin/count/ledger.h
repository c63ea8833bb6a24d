/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The ledger: numbers of frames (of a byte stream: buffers) since the start. At any instant
 *
 * in = reported + discarded + skipped + pending
 *
 * where each frame is in one of the four. Any thread may write and read. */

#pragma once

#include <gst/gst.h>

/* A consistent copy. */
typedef struct {
  guint64 in;
  guint64 reported;  /* in a reported result */
  guint64 discarded; /* in a window that a flush or a failure discarded */
  guint64 skipped;   /* unreadable, or passed on: the element was busy, or `every` */
  guint64 pending;   /* not yet one of the above: in an open window, or being counted */
  guint64 bytes;     /* of counted samples */
  guint64 results;   /* reported */
  guint64 fallbacks; /* times that a GPU failed and the CPU continued */
  guint64 damages;   /* events `damaged` */
  guint64 damaged;   /* frames in these events */
  guint64 missing;   /* missing frames in these events */
} GstCudaHistoCounts;

typedef struct {
  /* Written without the lock, by the thread that adds frames only. Locking would cost each small buffer as much as counting
   * it. */
  _Atomic guint64 in;
  GMutex lock;
  GstCudaHistoCounts counts; /* except `in`, and `pending`, which follows from the others */
} GstCudaHistoLedger;

void gst_cuda_histo_ledger_init (GstCudaHistoLedger *ledger);
void gst_cuda_histo_ledger_clear (GstCudaHistoLedger *ledger);

/* Sets all numbers to 0, for a new start. */
void gst_cuda_histo_ledger_reset (GstCudaHistoLedger *ledger);

/* Counts an arriving frame. By one thread at a time. */
void gst_cuda_histo_ledger_add_in (GstCudaHistoLedger *ledger);

/* Moves frames from pending to another number. */
void gst_cuda_histo_ledger_add_skipped (GstCudaHistoLedger *ledger);
void gst_cuda_histo_ledger_add_result (GstCudaHistoLedger *ledger, guint64 frames);
void gst_cuda_histo_ledger_add_discarded (GstCudaHistoLedger *ledger, guint64 frames);

void gst_cuda_histo_ledger_add_bytes (GstCudaHistoLedger *ledger, guint64 bytes);
void gst_cuda_histo_ledger_add_fallback (GstCudaHistoLedger *ledger);
void gst_cuda_histo_ledger_add_damage (GstCudaHistoLedger *ledger, guint64 damaged, guint64 missing);

/* At the end: discards the frames that are still pending. Returns their number. */
guint64 gst_cuda_histo_ledger_discard_pending (GstCudaHistoLedger *ledger);

GstCudaHistoCounts gst_cuda_histo_ledger_get (GstCudaHistoLedger *ledger);
