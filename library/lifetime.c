/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "resultprivate.h"

/* G_DEFINE_BOXED_TYPE is not ISO C. */
GType
gst_cuda_histo_result_get_type (void)
{
  static gsize type;

  if (g_once_init_enter (&type)) {
    g_once_init_leave (&type, g_boxed_type_register_static (g_intern_static_string ("GstCudaHistoResult"),
                                                            (GBoxedCopyFunc)gst_cuda_histo_result_ref,
                                                            (GBoxedFreeFunc)gst_cuda_histo_result_unref));
  }
  return type;
}

GstCudaHistoResultPrivate *
gst_cuda_histo_result_get_private (const GstCudaHistoResult *result)
{
  return result->priv;
}

gboolean
gst_cuda_histo_result_is_made (const GstCudaHistoResult *result)
{
  return result != NULL && result->priv != NULL;
}

static void
gst_cuda_histo_result_free (GstCudaHistoResult *result)
{
  GstCudaHistoResultPrivate *priv = gst_cuda_histo_result_get_private (result);

  g_list_free_full (result->regions, (GDestroyNotify)gst_cuda_histo_result_free);
  g_list_free_full (result->components, g_free);
  gst_structure_free (priv->fields);
  g_free (priv);
  g_free (result);
}

/* A region shares the reference count of the whole result. */
static GstCudaHistoResult *
gst_cuda_histo_result_get_whole (GstCudaHistoResult *result)
{
  GstCudaHistoResult *whole = gst_cuda_histo_result_get_private (result)->whole;

  return whole != NULL ? whole : result;
}

GstCudaHistoResult *
gst_cuda_histo_result_ref (GstCudaHistoResult *result)
{
  g_return_val_if_fail (gst_cuda_histo_result_is_made (result), NULL);
  g_atomic_ref_count_inc (&gst_cuda_histo_result_get_private (gst_cuda_histo_result_get_whole (result))->count);
  return result;
}

void
gst_cuda_histo_result_unref (GstCudaHistoResult *result)
{
  GstCudaHistoResult *whole;

  g_return_if_fail (gst_cuda_histo_result_is_made (result));
  whole = gst_cuda_histo_result_get_whole (result);
  if (g_atomic_ref_count_dec (&gst_cuda_histo_result_get_private (whole)->count))
    gst_cuda_histo_result_free (whole);
}
