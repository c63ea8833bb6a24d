/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "settings/removedsettings.h"

#define FIRST_ID 200

static const struct {
  const gchar *name;
  gboolean is_number; /* guint; otherwise an enum */
  const gchar *remedy;
} removed_properties[] = {
  { "message-bins", FALSE, "Set message-arrays=none, histograms, all or packed" },
  { "sidecar-bins", FALSE, "Set sidecar-arrays=none, histograms or all" },
  { "max-in-flight", TRUE, "Remove it: the limit is always 8" },
  { "hold-buffers", FALSE, "Remove it: the element holds buffers where this delays no other element" },
  { "pull", FALSE,
    "Remove it: the element pulls only directly before a fakesink; put a queue in front to have buffers pushed" },
};

/* One type with the values of all removed enums, so that each old value can be written. */
static GType
gst_cuda_histo_removed_value_get_type (void)
{
  static const GEnumValue values[] = {
    { 0, "Removed", "auto" },  { 1, "Removed", "always" }, { 2, "Removed", "never" },
    { 3, "Removed", "array" }, { 4, "Removed", "packed" }, { 5, "Removed", "none" },
    { 6, "Removed", "true" },  { 7, "Removed", "false" },  { 0, NULL, NULL },
  };
  static gsize type = 0;

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstCudaHistoRemovedValue", values));
  return type;
}

void
gst_cuda_histo_removed_install (GObjectClass *object_class)
{
  const GParamFlags flags = G_PARAM_WRITABLE | G_PARAM_DEPRECATED | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY;

  for (guint i = 0; i < G_N_ELEMENTS (removed_properties); i++) {
    const gchar *name = removed_properties[i].name, *remedy = removed_properties[i].remedy;
    GParamSpec *spec;

    if (removed_properties[i].is_number)
      spec = g_param_spec_uint (name, name, remedy, 0, G_MAXUINT, 0, flags);
    else
      spec = g_param_spec_enum (name, name, remedy, gst_cuda_histo_removed_value_get_type (), 0, flags);
    g_object_class_install_property (object_class, FIRST_ID + i, spec);
  }
  gst_type_mark_as_plugin_api (gst_cuda_histo_removed_value_get_type (), 0);
}

gboolean
gst_cuda_histo_removed_set (guint *removed, guint id)
{
  if (id < FIRST_ID || id >= FIRST_ID + G_N_ELEMENTS (removed_properties))
    return FALSE;
  *removed |= 1u << (id - FIRST_ID);
  return TRUE;
}

gchar *
gst_cuda_histo_removed_explain (guint removed)
{
  for (guint i = 0; i < G_N_ELEMENTS (removed_properties); i++) {
    if ((removed & 1u << i) != 0)
      return g_strdup_printf ("The property %s no longer exists. %s.", removed_properties[i].name,
                              removed_properties[i].remedy);
  }
  return NULL;
}
