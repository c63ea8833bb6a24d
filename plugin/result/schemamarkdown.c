/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The tables of docs/messages.md. */

#include "result/schemaprivate.h"

#include <string.h>

static const gchar *
gst_cuda_histo_schema_describe_type (GstCudaHistoFieldType type)
{
  switch (type) {
  case TYPE_STRING:
    return "string";
  case TYPE_INT:
    return "int";
  case TYPE_INT64:
    return "int64";
  case TYPE_UINT:
    return "uint";
  case TYPE_UINT64:
    return "uint64";
  case TYPE_TIME:
    return "time";
  case TYPE_WIDE:
    return "uint128";
  case TYPE_DOUBLE:
    return "double";
  case TYPE_FRACTION:
    return "fraction";
  case TYPE_RECTANGLE:
    return "rectangle";
  case TYPE_TABLE:
    return "uint64[][256]";
  case TYPE_SUMS:
    return "int64[]";
  default:
    return "uint64[]";
  }
}

static const gchar *
gst_cuda_histo_schema_describe_scope (const GstCudaHistoField *field)
{
  if (strcmp (field->condition, ALWAYS) != 0 || gst_cuda_histo_schema_is_of_components (field))
    return field->condition;
  switch (field->scope) {
  case SCOPE_VIDEO:
    return "video";
  case SCOPE_BYTES:
    return "bytes";
  default:
    return "always";
  }
}

/* Returns the value of the property `statistics` that enables the field; NULL: always present. */
static const gchar *
gst_cuda_histo_schema_describe_statistics (const GstCudaHistoField *field)
{
  switch (field->statistics) {
  case GST_CUDA_HISTO_STATISTICS_HISTOGRAM:
    return "histogram";
  case GST_CUDA_HISTO_STATISTICS_SATURATION:
    return "saturation";
  case GST_CUDA_HISTO_STATISTICS_HUE:
    return "hue";
  case GST_CUDA_HISTO_DIFFERENCE_STATISTICS:
    return "difference` or `comparison";
  case GST_CUDA_HISTO_STATISTICS_COMPARISON:
    return "comparison";
  case GST_CUDA_HISTO_STATISTICS_OUTLIERS:
    return "outliers";
  case GST_CUDA_HISTO_STATISTICS_REPEATS:
    return "repeats";
  case GST_CUDA_HISTO_STATISTICS_BROADCAST_RANGE:
    return "broadcast-range";
  case GST_CUDA_HISTO_STATISTICS_GAMUT:
    return "gamut";
  case GST_CUDA_HISTO_STATISTICS_WAVEFORM:
    return "waveform";
  case GST_CUDA_HISTO_STATISTICS_VECTORSCOPE:
    return "vectorscope";
  case GST_CUDA_HISTO_STATISTICS_USED_BITS:
    return "used-bits";
  case GST_CUDA_HISTO_STATISTICS_ROW_SUMS:
    return "row-sums";
  case GST_CUDA_HISTO_STATISTICS_COLUMN_SUMS:
    return "column-sums";
  case GST_CUDA_HISTO_STATISTICS_ACTIVE_PICTURE:
    return "active-picture";
  default:
    return NULL;
  }
}

static void
gst_cuda_histo_schema_append_row (GString *text, const GstCudaHistoField *field)
{
  const gchar *statistics = gst_cuda_histo_schema_describe_statistics (field);
  const gchar *condition = gst_cuda_histo_schema_describe_scope (field);

  g_string_append_printf (text, "| `%s%s` | %s", gst_cuda_histo_schema_is_of_components (field) ? "<C>-" : "", field->name,
                          gst_cuda_histo_schema_describe_type (field->type));
  if (field->unit[0] != '\0')
    g_string_append_printf (text, " (%s)", field->unit);
  g_string_append (text, " | ");
  if (statistics == NULL)
    g_string_append (text, condition);
  else if (strcmp (condition, ALWAYS) == 0)
    g_string_append_printf (text, "`statistics=%s`", statistics);
  else
    g_string_append_printf (text, "`statistics=%s`; %s", statistics, condition);
  g_string_append_printf (text, " | %s |\n", field->meaning);
}

typedef enum { TABLE_PROVENANCE, TABLE_PICTURES, TABLE_COMPONENTS, TABLE_REGIONS } Table;

static Table
gst_cuda_histo_schema_get_table (const GstCudaHistoField *field)
{
  if (gst_cuda_histo_schema_is_of_pictures (field))
    return TABLE_PICTURES;
  if (field->scope == SCOPE_REGION)
    return TABLE_REGIONS;
  return gst_cuda_histo_schema_is_of_components (field) ? TABLE_COMPONENTS : TABLE_PROVENANCE;
}

static void
gst_cuda_histo_schema_append_table (GString *text, Table table)
{
  g_string_append (text, "| field | type | present | meaning |\n| --- | --- | --- | --- |\n");
  for (guint f = 0; f < gst_cuda_histo_schema_n_fields; f++) {
    if (gst_cuda_histo_schema_get_table (&gst_cuda_histo_schema_fields[f]) == table)
      gst_cuda_histo_schema_append_row (text, &gst_cuda_histo_schema_fields[f]);
  }
}

gchar *
gst_cuda_histo_schema_to_markdown (void)
{
  GString *text = g_string_new ("### Window and source\n\n");

  gst_cuda_histo_schema_append_table (text, TABLE_PROVENANCE);
  g_string_append (text, "\n### Components\n\n"
                         "In JSON `Y-mean` is `components.Y.mean`, and `Y-reference-psnr` is `components.Y.reference.psnr`.\n\n"
                         "| `<C>` | samples |\n| --- | --- |\n");
  for (guint c = 0; c < gst_cuda_histo_schema_n_components; c++)
    g_string_append_printf (text, "| `%s` | %s |\n", gst_cuda_histo_schema_components[c].name,
                            gst_cuda_histo_schema_components[c].meaning);
  g_string_append (text, "\nFields of each component:\n\n");
  gst_cuda_histo_schema_append_table (text, TABLE_COMPONENTS);
  g_string_append (text,
                   "\n### Pictures\n\nFractions are of all luma samples. In JSON `saturation-min` is `saturation.min`, and "
                   "`hue-mean` is `hue.mean`.\n\n");
  gst_cuda_histo_schema_append_table (text, TABLE_PICTURES);
  g_string_append (text,
                   "\n### Regions\n\n`" GST_CUDA_HISTO_REGIONS_NAME
                   "` is an array with a structure named `region`, in JSON an object, for each region. A region has the\n"
                   "fields of components and pictures, and those below. It lacks `waveform`, `vectorscope`, `metered-luma`,\n"
                   "`histogram-distance`, their counts and sums, and the fields of the reference.\n\n"
                   "ROI: the region comes from a GstVideoRegionOfInterestMeta. OD: from a GstAnalyticsODMtd.\n\n");
  gst_cuda_histo_schema_append_table (text, TABLE_REGIONS);
  return g_string_free (text, FALSE);
}
