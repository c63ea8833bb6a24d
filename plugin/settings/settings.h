/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Settings: the element's properties, except those that are strings. settings.c describes the values of enums. */

#pragma once

#include <cudahisto/histo.h>
#include <gst/gst.h>

#include "compare/reference.h"
#include "count/counter.h"
#include "count/window.h"
#include "frame/fieldorder.h"
#include "frame/metermap.h"
#include "settings/detectionsettings.h"
#include "result/schema.h"
#include "result/sidecar.h"

/* The device that counts. */
typedef enum {
  GST_CUDA_HISTO_BACKEND_AUTO = HISTO_BACKEND_AUTO,
  GST_CUDA_HISTO_BACKEND_REFERENCE = HISTO_BACKEND_REFERENCE,
  GST_CUDA_HISTO_BACKEND_CPU = HISTO_BACKEND_CPU,
  GST_CUDA_HISTO_BACKEND_CUDA = HISTO_BACKEND_CUDA
} GstCudaHistoBackend;

/* The other factor of the dot product. */
typedef enum { GST_CUDA_HISTO_DOT_NONE, GST_CUDA_HISTO_DOT_PREVIOUS } GstCudaHistoDot;

/* The arrays in a message, and the form of the histograms in a meta. */
typedef enum {
  GST_CUDA_HISTO_MESSAGE_ARRAYS_NONE,
  GST_CUDA_HISTO_MESSAGE_ARRAYS_ALL,
  GST_CUDA_HISTO_MESSAGE_ARRAYS_PACKED,
  GST_CUDA_HISTO_MESSAGE_ARRAYS_HISTOGRAMS
} GstCudaHistoMessageArrays;

/* Action if a frame arrives while GST_CUDA_HISTO_MAX_IN_FLIGHT frames are being counted. */
typedef enum { GST_CUDA_HISTO_BUSY_WAIT, GST_CUDA_HISTO_BUSY_SKIP } GstCudaHistoBusy;

typedef struct {
  GstCudaHistoBackend backend;
  gint cuda_device_id;
  guint threads;
  GstCudaHistoWindowMode window;
  guint64 window_size;
  GstClockTime interval;
  gboolean post_messages;
  GstCudaHistoMessageArrays message_arrays;
  GstCudaHistoBins bins;
  gboolean add_meta;
  GstCudaHistoDot dot;
  GstCudaHistoStatistics statistics;
  guint waveform_columns;
  GstCudaHistoLightSource light_source;
  GstCudaHistoSidecarMode sidecar_mode;
  GstCudaHistoSidecarSlow sidecar_slow;
  GstCudaHistoSidecarArrays sidecar_arrays;
  GstCudaHistoBusy when_busy;
  guint every;
  GstCudaHistoFields fields;
  gboolean region_metas;
  GstCudaHistoMetering metering;
  GstCudaHistoReferenceMode reference_mode;
  GstClockTimeDiff reference_offset;
  GstCudaHistoDetection detection;
  guint removed; /* removed properties and values that were set (removedsettings.h) */
} GstCudaHistoSettings;

/* The first property id after those of the settings and of detection. */
#define GST_CUDA_HISTO_SETTINGS_END (sizeof (GstCudaHistoSettings) + 1)

/* Installs the properties, with ids below GST_CUDA_HISTO_SETTINGS_END, and the removed ones. */
void gst_cuda_histo_settings_install (GObjectClass *object_class);

/* Sets all settings to their defaults. */
void gst_cuda_histo_settings_init (GstCudaHistoSettings *settings);

/* Whether frames are compared with the previous one, if any. */
gboolean gst_cuda_histo_settings_need_previous (const GstCudaHistoSettings *settings);

/* For set_property() and get_property(). FALSE: the id is not a setting. */
gboolean gst_cuda_histo_settings_set (GstCudaHistoSettings *settings, guint id, const GValue *value);
gboolean gst_cuda_histo_settings_get (const GstCudaHistoSettings *settings, guint id, GValue *value);
