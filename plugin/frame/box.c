/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "frame/box.h"

#include "common/debug.h"

#include <dlfcn.h>
#include <string.h>

#define LIBRARY "libgstanalytics-1.0.so.0"
#define API_NAME "GstAnalyticsRelationMetaAPI"

enum { RELATION_IS_PART_OF = 1 << 1 }; /* GST_ANALYTICS_REL_TYPE_IS_PART_OF */

/* A GstAnalyticsMtd. Declared here, because the headers of 1.22 lack it. */
typedef struct {
  guint id;
  GstMeta *meta; /* the GstAnalyticsRelationMeta */
} Mtd;

static struct {
  GType (*gst_analytics_relation_meta_api_get_type) (void);
  gboolean (*gst_analytics_relation_meta_iterate) (GstMeta *meta, gpointer *state, guintptr type, Mtd *mtd);
  gboolean (*gst_analytics_relation_meta_get_direct_related) (GstMeta *meta, guint id, gint relation, guintptr type,
                                                              gpointer *state, Mtd *mtd);
  guintptr (*gst_analytics_od_mtd_get_mtd_type) (void);
  gboolean (*gst_analytics_od_mtd_get_location) (const Mtd *mtd, gint *x, gint *y, gint *width, gint *height,
                                                 gfloat *confidence);
  GQuark (*gst_analytics_od_mtd_get_obj_type) (const Mtd *mtd);
} library;

/* Stores the result of dlsym() in a function pointer. */
static gboolean
gst_cuda_histo_box_find_function (gpointer handle, const gchar *name, gpointer function)
{
  gpointer address = dlsym (handle, name);

  memcpy (function, &address, sizeof address);
  return address != NULL;
}

#define FIND(name) gst_cuda_histo_box_find_function (handle, #name, &library.name)

static gboolean
gst_cuda_histo_box_load (void)
{
  gpointer handle = dlopen (LIBRARY, RTLD_LAZY | RTLD_NOLOAD); /* never closed */

  if (handle == NULL)
    handle = dlopen (NULL, RTLD_LAZY); /* a program linked statically with GStreamer */
  return handle != NULL && FIND (gst_analytics_relation_meta_api_get_type) && FIND (gst_analytics_relation_meta_iterate)
         && FIND (gst_analytics_relation_meta_get_direct_related) && FIND (gst_analytics_od_mtd_get_mtd_type)
         && FIND (gst_analytics_od_mtd_get_location) && FIND (gst_analytics_od_mtd_get_obj_type);
}

/* FALSE: no buffer has boxes, since the process has not loaded the library yet; or they cannot be read. */
static gboolean
gst_cuda_histo_box_is_available (void)
{
  static gsize loaded; /* 1: unavailable, 2: available */

  if (g_type_from_name (API_NAME) == 0)
    return FALSE;
  if (g_once_init_enter (&loaded)) {
    const gboolean is_loaded = gst_cuda_histo_box_load ();

    if (!is_loaded)
      GST_WARNING ("%s lacks a function or has another version: GstAnalyticsODMtds are ignored", LIBRARY);
    g_once_init_leave (&loaded, is_loaded ? 2 : 1);
  }
  return loaded == 2;
}

static gboolean
gst_cuda_histo_box_read (const Mtd *mtd, GstCudaHistoBox *box)
{
  const GQuark type = library.gst_analytics_od_mtd_get_obj_type (mtd);
  gpointer state = NULL;
  Mtd parent;

  *box = (GstCudaHistoBox){ .id = (gint)mtd->id, .type = type != 0 ? g_quark_to_string (type) : NULL };
  if (library.gst_analytics_relation_meta_get_direct_related (mtd->meta, mtd->id, RELATION_IS_PART_OF,
                                                              library.gst_analytics_od_mtd_get_mtd_type (), &state, &parent)) {
    box->has_parent = TRUE;
    box->parent_id = (gint)parent.id;
  }
  return library.gst_analytics_od_mtd_get_location (mtd, &box->x, &box->y, &box->width, &box->height, &box->confidence);
}

void
gst_cuda_histo_box_foreach (GstBuffer *buffer, GstCudaHistoBoxFunc found, gpointer user_data)
{
  gpointer meta_state = NULL;
  GstMeta *meta;
  GType api;

  if (!gst_cuda_histo_box_is_available ())
    return;
  api = library.gst_analytics_relation_meta_api_get_type ();
  while ((meta = gst_buffer_iterate_meta_filtered (buffer, &meta_state, api)) != NULL) {
    const guintptr type = library.gst_analytics_od_mtd_get_mtd_type ();
    GstCudaHistoBox box;
    gpointer state = NULL;
    Mtd mtd;

    while (library.gst_analytics_relation_meta_iterate (meta, &state, type, &mtd)) {
      if (gst_cuda_histo_box_read (&mtd, &box))
        found (&box, user_data);
    }
  }
}
