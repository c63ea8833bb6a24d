/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The element's counter: start and stop. */

#pragma once

#include "count/counter.h"
#include "element.h"

/* From start to stop, for the streaming thread. */
typedef struct {
  GstCudaHistoCounter *counter; /* other threads take a reference under the object lock */
  /* Of the memory that the counter reads fastest. */
  GstAllocator *frame_allocator, *byte_allocator;
  const gchar *backend, *device; /* `active-backend`, `active-device`; under the object lock; static strings */
} GstCudaHistoCounterUse;

/* Opens the counter. `parts` is the number of frames of a picture. FALSE with an element error. */
gboolean gst_cuda_histo_open_counter (GstCudaHisto *self, guint parts, const GstCudaHistoCounterCallbacks *callbacks);

/* Sets `active-backend` and `active-device`, and notifies. Any thread. `counter` NULL: nothing counts. */
void gst_cuda_histo_notify_backend (GstCudaHisto *self, GstCudaHistoCounter *counter);

/* Releases the reference to the stopped counter. */
void gst_cuda_histo_release_counter (GstCudaHisto *self);
