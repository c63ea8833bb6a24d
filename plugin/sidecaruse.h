/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The element's sidecar. */

#pragma once

#include "element.h"
#include "result/sidecar.h"

/* Whether a neighbour also uses the sidecar's file. */
typedef enum {
  GST_CUDA_HISTO_SIDECAR_UNCHECKED,
  GST_CUDA_HISTO_SIDECAR_NO_CONFLICT,
  GST_CUDA_HISTO_SIDECAR_CONFLICT
} GstCudaHistoSidecarCheck;

typedef struct {
  gchar *location;              /* the property; under the object lock */
  GstCudaHistoSidecar *sidecar; /* for the lifetime of the element; open from start to stop */
  gint check;                   /* atomic: a GstCudaHistoSidecarCheck */
} GstCudaHistoSidecarUse;

void gst_cuda_histo_init_sidecar (GstCudaHisto *self);

/* Opens the sidecar, if requested, without changing existing contents. FALSE with an element error. */
gboolean gst_cuda_histo_open_sidecar (GstCudaHisto *self);

/* Starts the sidecar. FALSE with an element error; then close it. */
gboolean gst_cuda_histo_start_sidecar (GstCudaHisto *self);

/* Before the first line, and before the file is emptied: checks the neighbours again, which have opened their files by now and
 * may have changed since the start. FALSE: do not write to the sidecar. */
gboolean gst_cuda_histo_check_sidecar (GstCudaHisto *self);

void gst_cuda_histo_close_sidecar (GstCudaHisto *self);

/* The signal `reopen-sidecar`. */
gboolean gst_cuda_histo_reopen_sidecar (GstCudaHisto *self);
