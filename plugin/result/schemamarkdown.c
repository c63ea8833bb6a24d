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
  case TYPE_UINT:
    return "uint";
  case TYPE_UINT64:
  case TYPE_TIME:
    return "uint64";
  case TYPE_DOUBLE:
    return "double";
  case TYPE_FRACTION:
    return "fraction; JSON: string";
  case TYPE_RECTANGLE:
    return "array of 4 uint; JSON: object";
  default:
    return "array of uint64";
  }
}

static const gchar *
gst_cuda_histo_schema_describe_scope (const GstCudaHistoField *field)
{
  if (strcmp (field->condition, ALWAYS) != 0)
    return field->condition;
  switch (field->scope) {
  case SCOPE_VIDEO:
    return "video only";
  case SCOPE_BYTES:
    return "bytes only";
  default:
    return "always";
  }
}

static void
gst_cuda_histo_schema_append_rows (GString *text, gboolean are_components)
{
  for (guint f = 0; f < gst_cuda_histo_schema_n_fields; f++) {
    const GstCudaHistoField *field = &gst_cuda_histo_schema_fields[f];
    gboolean is_component = field->scope == SCOPE_COMPONENT;

    if (is_component != are_components)
      continue;
    g_string_append_printf (text, "| `%s%s` | %s | %s | %s | %s |\n", is_component ? "<C>-" : "", field->name,
                            gst_cuda_histo_schema_describe_type (field->type), field->unit,
                            is_component ? field->condition : gst_cuda_histo_schema_describe_scope (field), field->meaning);
  }
}

gchar *
gst_cuda_histo_schema_to_markdown (void)
{
  static const gchar head[] = "| field | type | unit | present | meaning |\n| --- | --- | --- | --- | --- |\n";
  GString *text = g_string_new ("Where the numbers come from:\n\n");

  g_string_append (text, head);
  gst_cuda_histo_schema_append_rows (text, FALSE);
  g_string_append (text, "\nThe numbers of component `<C>`, in JSON `components.<C>`:\n\n");
  g_string_append (text, head);
  gst_cuda_histo_schema_append_rows (text, TRUE);
  g_string_append (text, "\nComponents:\n\n| `<C>` | samples |\n| --- | --- |\n");
  for (guint c = 0; c < gst_cuda_histo_schema_n_components; c++)
    g_string_append_printf (text, "| `%s` | %s |\n", gst_cuda_histo_schema_components[c].name,
                            gst_cuda_histo_schema_components[c].meaning);
  return g_string_free (text, FALSE);
}
