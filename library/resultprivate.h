/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The private part of a result, for the files of results and components. */

#pragma once

#include <cudahisto/gstcudahisto.h>

/* The `priv` of a result. */
typedef struct {
  GstStructure *fields;
  GstCudaHistoResult *whole; /* the whole result of a region; NULL for a whole result */
  gatomicrefcount count;     /* references to the whole result and its regions */
} GstCudaHistoResultPrivate;

/* ---- lifetime.c ------------------------------------------------------------------------------------------------------ */

GstCudaHistoResultPrivate *gst_cuda_histo_result_get_private (const GstCudaHistoResult *result);

/* FALSE for a struct of zeros, which no function of the library returns. */
gboolean gst_cuda_histo_result_is_made (const GstCudaHistoResult *result);

/* ---- component.c ----------------------------------------------------------------------------------------------------- */

/* Makes a component with a static name, and fills its numbers from the result's fields. Free with g_free(). */
GstCudaHistoComponent *gst_cuda_histo_component_read (GstCudaHistoResult *result, const gchar *name);

/* Returns the component in a field's name: "Y" for "Y-count"; NULL if the name contains none. Static. */
const gchar *gst_cuda_histo_component_name_of_count (const gchar *field);
