/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The struct of the element: its settings, and the state of each subject, which the subject's header describes. */

#pragma once

#include "activation.h"
#include "buffers.h"
#include "common/host.h"
#include "context.h"
#include "count/ledger.h"
#include "counteruse.h"
#include "detection.h"
#include "element.h"
#include "frame/format.h"
#include "input/gather.h"
#include "parts/comparison.h"
#include "parts/metering.h"
#include "parts/operands.h"
#include "parts/sums.h"
#include "queries.h"
#include "regions.h"
#include "reports.h"
#include "settings/settings.h"
#include "sidecaruse.h"
#include "start.h"
#include "statistics.h"
#include "stream.h"
#include "windows.h"

struct _GstCudaHisto {
  GstBaseTransform parent;

  GstCudaHistoSettings settings; /* under the object lock */
  gint settings_changed;         /* atomic: the streaming thread has not seen `settings` */
  GstCudaHistoSettings active;   /* for the streaming thread: `settings` at the start, with later changes of properties that may
                                    change while playing */
  /* Properties: names of files; under the object lock. */
  gchar *reference_location, *row_weights_location, *column_weights_location, *weights_location;

  GstCudaHistoHost host;
  GstCudaHistoLedger ledger; /* any thread */
  GstCudaHistoStarting starting;
  GstCudaHistoPads pads;
  GstCudaHistoRefused refused;
  GstCudaHistoContextUse context;
  GstCudaHistoSidecarUse sidecar_use;
  GstCudaHistoCounterUse use;

  /* From caps to caps. */
  GstCudaHistoFormat format;
  GstCudaHistoChosen chosen;

  /* The stream. */
  GstCudaHistoStream stream;
  GstCudaHistoBufferUse buffer;
  GstCudaHistoGather *gather; /* from start to stop */
  GstCudaHistoWindows windows;

  /* The parts of each picture. */
  GstCudaHistoRegionUse regions;
  GstCudaHistoOperands operands;
  GstCudaHistoComparison comparison;
  GstCudaHistoMeter meter;
  GstCudaHistoSums sums;

  /* The results. */
  GstCudaHistoDetectionUse detection;
  GstCudaHistoReports reports;
};

/* Returns the parent class. */
static inline GstBaseTransformClass *
gst_cuda_histo_get_base_class (void)
{
  return GST_BASE_TRANSFORM_CLASS (g_type_class_peek_static (GST_TYPE_BASE_TRANSFORM));
}
