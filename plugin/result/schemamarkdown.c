/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The tables of docs/messages.md. */

#include "result/schemaprivate.h"

#include <string.h>

static const gchar *
gst_cuda_histo_schema_describe_type (FieldType type)
{
  switch (type) {
  case FIELD_TYPE_STRING:
    return "string";
  case FIELD_TYPE_INT:
    return "int";
  case FIELD_TYPE_INT64:
    return "int64";
  case FIELD_TYPE_UINT:
    return "uint";
  case FIELD_TYPE_UINT64:
    return "uint64";
  case FIELD_TYPE_TIME:
    return "time";
  case FIELD_TYPE_WIDE:
    return "uint128";
  case FIELD_TYPE_DOUBLE:
    return "double";
  case FIELD_TYPE_FRACTION:
    return "fraction";
  case FIELD_TYPE_RECTANGLE:
    return "rectangle";
  case FIELD_TYPE_TABLE:
    return "uint64[][256]";
  case FIELD_TYPE_SUMS:
    return "int64[]";
  default:
    return "uint64[]";
  }
}

static const gchar *
gst_cuda_histo_schema_describe_scope (const FieldDescription *field)
{
  if (field->condition != NULL)
    return field->condition;
  switch (field->scope) {
  case FIELD_SCOPE_VIDEO:
    return "video";
  case FIELD_SCOPE_BYTES:
    return "bytes";
  default:
    return "always";
  }
}

/* Appends the statistics that enable the field, without the set `hdr`. */
static void
gst_cuda_histo_schema_append_statistics (GString *text, const FieldDescription *field)
{
  const guint32 statistics = field->statistics & ~(guint32)STATISTIC_HDR;

  g_string_append (text, "`statistics=");
  for (guint32 left = statistics; left != 0; left &= left - 1)
    g_string_append_printf (text, "%s%s", left != statistics ? "` or `" : "", statistic_get_nick (left & -left));
  g_string_append_c (text, '`');
}

static void
gst_cuda_histo_schema_append_row (GString *text, const FieldDescription *field)
{
  const gchar *condition = gst_cuda_histo_schema_describe_scope (field);

  g_string_append_printf (text, "| `%s%s` | %s", field_is_of_component (field) ? "<C>-" : "", field->name,
                          gst_cuda_histo_schema_describe_type (field->type));
  if (field->unit != NULL)
    g_string_append_printf (text, " (%s)", field->unit);
  g_string_append (text, " | ");
  if (field->statistics != 0)
    gst_cuda_histo_schema_append_statistics (text, field);
  if (field->statistics != 0 && field->condition != NULL)
    g_string_append (text, "; ");
  if (field->statistics == 0 || field->condition != NULL)
    g_string_append (text, condition);
  g_string_append_printf (text, " | %s", field->meaning);
  if (field->version != NULL)
    g_string_append_printf (text, " (since %s)", field->version);
  g_string_append (text, " |\n");
}

typedef enum { TABLE_PROVENANCE, TABLE_PICTURES, TABLE_COMPONENTS, TABLE_REGIONS } Table;

static Table
gst_cuda_histo_schema_get_table (const FieldDescription *field)
{
  if (field_is_of_picture (field))
    return TABLE_PICTURES;
  if (field->scope == FIELD_SCOPE_REGION)
    return TABLE_REGIONS;
  return field_is_of_component (field) ? TABLE_COMPONENTS : TABLE_PROVENANCE;
}

static void
gst_cuda_histo_schema_append_table (GString *text, Table table)
{
  g_string_append (text, "| field | type | present | meaning |\n| --- | --- | --- | --- |\n");
  for (FieldId id = 1; id < N_FIELDS; id++) {
    if (gst_cuda_histo_schema_get_table (&field_descriptions[id]) == table)
      gst_cuda_histo_schema_append_row (text, &field_descriptions[id]);
  }
}

gchar *
gst_cuda_histo_schema_to_markdown (void)
{
  GString *text = g_string_new ("### Window and source\n\n");

  gst_cuda_histo_schema_append_table (text, TABLE_PROVENANCE);
  g_string_append (text, "\n### Components\n\n"
                         "In JSON `Y-mean` is `components.Y.mean`, and `Y-reference-psnr` is `components.Y.reference.psnr`.\n\n"
                         "`<C>` is the component:\n");
  for (guint c = 0; c < gst_cuda_histo_schema_n_components; c++)
    g_string_append_printf (text, "%s`%s` %s",
                            c == 0       ? ""
                            : c % 5 == 0 ? ",\n"
                                         : ", ",
                            gst_cuda_histo_schema_components[c].name, gst_cuda_histo_schema_components[c].meaning);
  g_string_append (text, ".\n\n");
  gst_cuda_histo_schema_append_table (text, TABLE_COMPONENTS);
  g_string_append (text,
                   "\n### Pictures\n\nFractions are of all luma samples. In JSON `saturation-min` is `saturation.min`, and "
                   "`hue-mean` is `hue.mean`.\n\n");
  gst_cuda_histo_schema_append_table (text, TABLE_PICTURES);
  g_string_append (text,
                   "\n### Regions\n\n`" GST_CUDA_HISTO_REGIONS_NAME
                   "` is an array with a structure named `region`, in JSON an object, for each region. A region has the\n"
                   "fields below and those of components and pictures, except `waveform`, `vectorscope`, `metered-luma`,\n"
                   "`histogram-distance`, their counts and sums, and the fields of the reference.\n\n"
                   "ROI: the region comes from a GstVideoRegionOfInterestMeta. OD: from a GstAnalyticsODMtd.\n\n");
  gst_cuda_histo_schema_append_table (text, TABLE_REGIONS);
  return g_string_free (text, FALSE);
}
