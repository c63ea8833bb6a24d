/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A result from within: what its file and that of its components share. */

#ifndef GST_CUDA_HISTO_RESULT_PRIVATE_H
#define GST_CUDA_HISTO_RESULT_PRIVATE_H

#include <cudahisto/gstcudahisto.h>

G_BEGIN_DECLS

/* `priv` of a result. */
typedef struct {
  GstStructure *fields;
  GstCudaHistoResult *whole; /* of which this is a region; NULL: it is whole itself */
  gatomicrefcount count;     /* of references to the whole one; a region is part of it */
} GstCudaHistoResultPrivate;

/* Of one component, whose name is static, with the numbers that the result's fields have of it. Free with g_free(). */
GstCudaHistoComponent *gst_cuda_histo_component_read (GstCudaHistoResult *result, const gchar *name);

/* The component that a field's name shows: "Y" for "Y-count". NULL: it shows none. Static. */
const gchar *gst_cuda_histo_component_name_of_count (const gchar *field);

G_END_DECLS

#endif
