/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The library's public header in C++11, linked with the C library. */

#include <cudahisto/gstcudahisto.h>

static bool
read_structure (const GstStructure *structure)
{
  GstCudaHistoResult *result = gst_cuda_histo_result_from_structure (structure);
  const GstCudaHistoComponent *component = gst_cuda_histo_result_get_main_component (result);
  bool is_good = result->frame == 7 && component != nullptr && component->count == 3
                 && gst_cuda_histo_component_get_histogram (component, nullptr) == nullptr;

  gst_cuda_histo_result_unref (result);
  return is_good;
}

int
main ()
{
  GstStructure *structure;
  bool is_good;

  gst_init (nullptr, nullptr);
  structure = gst_structure_new ("cudahisto", "frame", G_TYPE_UINT64, G_GUINT64_CONSTANT (7), "Y-count", G_TYPE_UINT64,
                                 G_GUINT64_CONSTANT (3), nullptr);
  is_good = read_structure (structure);
  gst_structure_free (structure);
  gst_deinit ();
  return is_good ? 0 : 1;
}
