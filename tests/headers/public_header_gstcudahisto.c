/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A program that uses only the library's public header and pkg-config file. It is ISO C11, and C++11, except for
 * GStreamer's headers. */

#include <cudahisto/gstcudahisto.h>

static gboolean
read_structure (const GstStructure *structure)
{
  GstCudaHistoResult *result = gst_cuda_histo_result_from_structure (structure);
  const GstCudaHistoComponent *component = gst_cuda_histo_result_get_main_component (result);
  gboolean is_good = result->frame == 7 && component != NULL && component->count == 3
                     && gst_cuda_histo_component_get_histogram (component, NULL) == NULL;

  gst_cuda_histo_result_unref (result);
  return is_good;
}

int
main (void)
{
  GstStructure *structure;
  gboolean is_good;

  gst_init (NULL, NULL);
  structure = gst_structure_new ("cudahisto", "frame", G_TYPE_UINT64, G_GUINT64_CONSTANT (7), "Y-count", G_TYPE_UINT64,
                                 G_GUINT64_CONSTANT (3), NULL);
  is_good = read_structure (structure);
  gst_structure_free (structure);
  gst_deinit ();
  return is_good ? 0 : 1;
}
