/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The comparison with a reference. For the streaming thread, except where noted. */

#pragma once

#include "common/host.h"
#include "compare/reference.h"
#include "frame/format.h"
#include "parts/entries.h"

/* Initialise with zeros. */
typedef struct {
  gchar *location; /* of the reference, from start to the next start; NULL: none */
  GstCudaHistoReferenceMode mode;
  GstClockTimeDiff offset;
  gboolean has_compared; /* its size has matched once since the start */
  /* From the first caps of video to stop. Other threads use it under the object lock. */
  GstCudaHistoReference *reference;
  gint is_flushing;               /* atomic: do not wait for frames of the reference. Changes under the object lock */
  GstCudaHistoFrame *counterpart; /* the reference's frame for the last buffer, or NULL */
} GstCudaHistoComparison;

/* Prepares for a start. Copies `location`. */
void gst_cuda_histo_comparison_open (GstCudaHistoComparison *comparison, const gchar *location, GstCudaHistoReferenceMode mode,
                                     GstClockTimeDiff offset);

/* Stops reading the reference. */
void gst_cuda_histo_comparison_close (GstCudaHistoComparison *comparison, GstElement *element);

/* Starts to read the reference, if requested, in the present format. FALSE after a failure, and if a handler of a message has
 * stopped the element. */
gboolean gst_cuda_histo_comparison_choose (GstCudaHistoComparison *comparison, const GstCudaHistoFormat *format,
                                           GstCudaHistoHost *host);

/* A buffer to compare with the reference. Borrows all. */
typedef struct {
  GstCudaHistoReferenceKey key;
  GstCudaHistoFrame *const *frames; /* its pictures */
  guint count;
  guint width, height; /* visible pixels of the whole frame */
  GstObject *context;  /* the GstCudaContext of frames on the GPU */
  gboolean waits;      /* for the reference's frame */
} GstCudaHistoCompared;

/* Finds the reference's frame for a buffer, and waits for it. FALSE after a failure, and while flushing. */
gboolean gst_cuda_histo_comparison_find (GstCudaHistoComparison *comparison, const GstCudaHistoCompared *compared,
                                         GstCudaHistoHost *host);

/* Drops that frame, when the buffer is counted. */
void gst_cuda_histo_comparison_forget (GstCudaHistoComparison *comparison);

/* Adds that frame, if any, to the entries; if `field` is not NONE, that field of it. */
void gst_cuda_histo_comparison_add (GstCudaHistoComparison *comparison, GstCudaHistoFrame *picture, GstCudaHistoField field,
                                    const GstCudaHistoCounted *what, GstCudaHistoEntries *entries);

/* While flushing, no thread waits for the reference. Any thread. */
void gst_cuda_histo_comparison_set_flushing (GstCudaHistoComparison *comparison, GstElement *element, gboolean flushing);
