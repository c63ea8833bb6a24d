/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "settings/removedsettings.h"

#define FIRST_ID 1000 /* after all others */

static const struct {
  const gchar *property;
  const gchar *value; /* removed value; NULL: the property is removed */
  const gchar *remedy;
} removed_settings[] = {
  { "message-bins", NULL, "Set message-arrays=histograms (the default) instead of array; packed and none keep their names" },
  { "sidecar-bins", NULL, "Set sidecar-arrays=histograms (the default) instead of array; none keeps its name" },
  { "max-in-flight", NULL, "Remove it: the limit is always 8" },
  { "hold-buffers", NULL, "Remove it: the element holds buffers where this delays no other element" },
  { "pull", NULL, "Remove it: the element pulls only directly before a fakesink; put a queue in front to have buffers pushed" },
  { "message-arrays", "array", "Set message-arrays=all" },
  { "sidecar-arrays", "array", "Set sidecar-arrays=all" },
};

/* Collects an old value in g_object_set(): an enum or a guint. */
static gchar *
gst_cuda_histo_removed_collect (GValue *value, guint n_arguments G_GNUC_UNUSED, GTypeCValue *arguments G_GNUC_UNUSED,
                                guint flags G_GNUC_UNUSED)
{
  value->data[0].v_pointer = NULL;
  return NULL;
}

/* Takes any value of g_object_set_property(). */
static void
gst_cuda_histo_removed_transform (const GValue *from G_GNUC_UNUSED, GValue *to)
{
  g_value_set_static_string (to, NULL);
}

/* The type of removed properties: a string, so that any text is accepted, but in g_object_set() a number. */
static GType
gst_cuda_histo_removed_value_get_type (void)
{
  static gsize type = 0;

  if (g_once_init_enter (&type)) {
    GTypeValueTable table = *g_type_value_table_peek (G_TYPE_STRING);
    const GTypeInfo info = { .value_table = &table };

    table.collect_format = "i";
    table.collect_value = gst_cuda_histo_removed_collect;
    const GType types[]
        = { G_TYPE_STRING, G_TYPE_BOOLEAN, G_TYPE_CHAR,   G_TYPE_UCHAR, G_TYPE_INT,   G_TYPE_UINT,  G_TYPE_LONG,
            G_TYPE_ULONG,  G_TYPE_INT64,   G_TYPE_UINT64, G_TYPE_ENUM,  G_TYPE_FLAGS, G_TYPE_FLOAT, G_TYPE_DOUBLE };
    const GType removed = g_type_register_static (G_TYPE_STRING, "GstCudaHistoRemovedValue", &info, 0);

    for (guint i = 0; i < G_N_ELEMENTS (types); i++)
      g_value_register_transform_func (types[i], removed, gst_cuda_histo_removed_transform);
    g_once_init_leave (&type, removed);
  }
  return type;
}

void
gst_cuda_histo_removed_install (GObjectClass *object_class)
{
  const GParamFlags flags = G_PARAM_WRITABLE | G_PARAM_DEPRECATED | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY;

  for (guint i = 0; i < G_N_ELEMENTS (removed_settings) && removed_settings[i].value == NULL; i++) {
    const gchar *name = removed_settings[i].property;
    g_autofree gchar *blurb = g_strdup_printf ("Obsolete. %s", removed_settings[i].remedy);
    /* Of a pointer's, gst-inspect-1.0 prints the name of the type; of others that it does not know, the address. */
    GParamSpec *spec = g_param_spec_pointer (name, name, g_intern_string (blurb), flags);

    spec->value_type = gst_cuda_histo_removed_value_get_type ();
    g_object_class_install_property (object_class, FIRST_ID + i, spec);
  }
  gst_type_mark_as_plugin_api (gst_cuda_histo_removed_value_get_type (), 0);
}

gboolean
gst_cuda_histo_removed_set (guint *removed, guint id)
{
  if (id < FIRST_ID || id >= FIRST_ID + G_N_ELEMENTS (removed_settings))
    return FALSE;
  *removed |= 1u << (id - FIRST_ID);
  return TRUE;
}

gboolean
gst_cuda_histo_removed_set_value (guint *removed, const gchar *property, const GValue *value)
{
  const gboolean is_removed = g_value_get_enum (value) == GST_CUDA_HISTO_REMOVED_VALUE;

  for (guint i = 0; i < G_N_ELEMENTS (removed_settings); i++) {
    if (g_str_equal (removed_settings[i].property, property))
      *removed = is_removed ? *removed | 1u << i : *removed & ~(1u << i);
  }
  return is_removed;
}

gchar *
gst_cuda_histo_removed_explain (guint removed)
{
  for (guint i = 0; i < G_N_ELEMENTS (removed_settings); i++) {
    const gchar *property = removed_settings[i].property, *value = removed_settings[i].value;

    if ((removed & 1u << i) != 0 && value != NULL)
      return g_strdup_printf ("The value %s of %s no longer exists. %s.", value, property, removed_settings[i].remedy);
    if ((removed & 1u << i) != 0)
      return g_strdup_printf ("The property %s no longer exists. %s.", property, removed_settings[i].remedy);
  }
  return NULL;
}
