/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "fields.h"
#include "resultprivate.h"

#include <string.h>

/* Longer than the name of any field of a component. */
#define MAX_NAME 128

static const gchar *const names[] = { "Y", "U", "V", "R", "G", "B", "A", "GRAY", "index", "luma", "byte" };

/* G_DEFINE_BOXED_TYPE is not ISO C. */
GType
gst_cuda_histo_component_get_type (void)
{
  static gsize type;

  if (g_once_init_enter (&type)) {
    g_once_init_leave (&type, g_boxed_type_register_static (g_intern_static_string ("GstCudaHistoComponent"),
                                                            (GBoxedCopyFunc)gst_cuda_histo_component_ref,
                                                            (GBoxedFreeFunc)gst_cuda_histo_component_unref));
  }
  return type;
}

const gchar *
gst_cuda_histo_component_name_of_count (const gchar *field)
{
  const gchar *dash = strchr (field, '-');

  if (dash == NULL || strcmp (dash, "-count") != 0)
    return NULL;
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    const gsize length = strlen (names[i]);

    if (length == (gsize)(dash - field) && memcmp (names[i], field, length) == 0)
      return names[i];
  }
  return NULL;
}

static const GstStructure *
gst_cuda_histo_component_get_fields (const GstCudaHistoComponent *component)
{
  const GstCudaHistoResult *result = component->priv;

  return ((const GstCudaHistoResultPrivate *)result->priv)->fields;
}

/* "Y-mean", in the caller's memory. A name that is too long is cut and matches no field. */
static const gchar *
gst_cuda_histo_component_make_name (const GstCudaHistoComponent *component, const gchar *name, gchar full[MAX_NAME])
{
  g_snprintf (full, MAX_NAME, "%s-%s", component->name, name);
  return full;
}

static guint
gst_cuda_histo_component_get_uint (const GstCudaHistoComponent *component, const gchar *name)
{
  gchar full[MAX_NAME];

  return gst_cuda_histo_fields_get_uint (gst_cuda_histo_component_get_fields (component),
                                         gst_cuda_histo_component_make_name (component, name, full));
}

static guint64
gst_cuda_histo_component_get_uint64 (const GstCudaHistoComponent *component, const gchar *name)
{
  gchar full[MAX_NAME];

  return gst_cuda_histo_fields_get_uint64 (gst_cuda_histo_component_get_fields (component),
                                           gst_cuda_histo_component_make_name (component, name, full), 0);
}

/* NULL if the component has no such array, or its length is not a multiple of `row`. */
static GBytes *
gst_cuda_histo_component_get_bytes (const GstCudaHistoComponent *component, const gchar *name, gsize row)
{
  gchar full[MAX_NAME];

  g_return_val_if_fail (component != NULL && component->priv != NULL, NULL);
  return gst_cuda_histo_fields_get_bytes (gst_cuda_histo_component_get_fields (component),
                                          gst_cuda_histo_component_make_name (component, name, full), row);
}

static gconstpointer
gst_cuda_histo_component_get_numbers (const GstCudaHistoComponent *component, const gchar *name, gsize row, gsize *n_numbers)
{
  gchar full[MAX_NAME];

  if (n_numbers != NULL)
    *n_numbers = 0;
  g_return_val_if_fail (component != NULL && component->priv != NULL, NULL);
  return gst_cuda_histo_fields_get_numbers (gst_cuda_histo_component_get_fields (component),
                                            gst_cuda_histo_component_make_name (component, name, full), row, n_numbers);
}

GstCudaHistoComponent *
gst_cuda_histo_component_read (GstCudaHistoResult *result, const gchar *name)
{
  GstCudaHistoComponent *component = g_new0 (GstCudaHistoComponent, 1);

  component->priv = result;
  component->name = name;
  component->count = gst_cuda_histo_component_get_uint64 (component, "count");
  component->sum = gst_cuda_histo_component_get_uint64 (component, "sum");
  component->mean = gst_cuda_histo_component_get_number (component, "mean");
  component->variance = gst_cuda_histo_component_get_number (component, "variance");
  component->stddev = gst_cuda_histo_component_get_number (component, "stddev");
  component->min = gst_cuda_histo_component_get_uint (component, "min");
  component->low = gst_cuda_histo_component_get_uint (component, "low");
  component->median = gst_cuda_histo_component_get_uint (component, "median");
  component->high = gst_cuda_histo_component_get_uint (component, "high");
  component->max = gst_cuda_histo_component_get_uint (component, "max");
  return component;
}

GstCudaHistoComponent *
gst_cuda_histo_component_ref (const GstCudaHistoComponent *component)
{
  g_return_val_if_fail (component != NULL && component->priv != NULL, NULL);
  gst_cuda_histo_result_ref (component->priv);
  return (GstCudaHistoComponent *)component;
}

void
gst_cuda_histo_component_unref (GstCudaHistoComponent *component)
{
  g_return_if_fail (component != NULL && component->priv != NULL);
  gst_cuda_histo_result_unref (component->priv);
}

const GValue *
gst_cuda_histo_component_get_field (const GstCudaHistoComponent *component, const gchar *name)
{
  gchar full[MAX_NAME];

  g_return_val_if_fail (component != NULL && component->priv != NULL && name != NULL, NULL);
  return gst_structure_get_value (gst_cuda_histo_component_get_fields (component),
                                  gst_cuda_histo_component_make_name (component, name, full));
}

gdouble
gst_cuda_histo_component_get_number (const GstCudaHistoComponent *component, const gchar *name)
{
  return gst_cuda_histo_fields_get_number (gst_cuda_histo_component_get_field (component, name));
}

const guint64 *
gst_cuda_histo_component_get_histogram (const GstCudaHistoComponent *component, gsize *n_bins)
{
  return gst_cuda_histo_component_get_numbers (component, "histogram", 1, n_bins);
}

GBytes *
gst_cuda_histo_component_get_histogram_bytes (const GstCudaHistoComponent *component)
{
  return gst_cuda_histo_component_get_bytes (component, "histogram", 1);
}

const guint64 *
gst_cuda_histo_component_get_waveform (const GstCudaHistoComponent *component, gsize *n_bins)
{
  return gst_cuda_histo_component_get_numbers (component, "waveform", GST_CUDA_HISTO_FIELDS_ROW, n_bins);
}

GBytes *
gst_cuda_histo_component_get_waveform_bytes (const GstCudaHistoComponent *component)
{
  return gst_cuda_histo_component_get_bytes (component, "waveform", GST_CUDA_HISTO_FIELDS_ROW);
}

const gint64 *
gst_cuda_histo_component_get_row_sums (const GstCudaHistoComponent *component, gsize *n_rows)
{
  return gst_cuda_histo_component_get_numbers (component, "row-sums", 1, n_rows);
}

GBytes *
gst_cuda_histo_component_get_row_sums_bytes (const GstCudaHistoComponent *component)
{
  return gst_cuda_histo_component_get_bytes (component, "row-sums", 1);
}

const gint64 *
gst_cuda_histo_component_get_column_sums (const GstCudaHistoComponent *component, gsize *n_columns)
{
  return gst_cuda_histo_component_get_numbers (component, "column-sums", 1, n_columns);
}

GBytes *
gst_cuda_histo_component_get_column_sums_bytes (const GstCudaHistoComponent *component)
{
  return gst_cuda_histo_component_get_bytes (component, "column-sums", 1);
}
