/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include <cudahisto/gstcudahisto.h>

#include "fields.h"

#define MESSAGE_NAME "cudahisto-event"

/* The `priv` of an event. */
typedef struct {
  GstStructure *fields;
  gatomicrefcount count;
} GstCudaHistoEventPrivate;

/* G_DEFINE_BOXED_TYPE is not ISO C. */
GType
gst_cuda_histo_event_get_type (void)
{
  static gsize type;

  if (g_once_init_enter (&type)) {
    g_once_init_leave (&type, g_boxed_type_register_static (g_intern_static_string ("GstCudaHistoEvent"),
                                                            (GBoxedCopyFunc)gst_cuda_histo_event_ref,
                                                            (GBoxedFreeFunc)gst_cuda_histo_event_unref));
  }
  return type;
}

static GstCudaHistoEventPrivate *
gst_cuda_histo_event_get_private (const GstCudaHistoEvent *event)
{
  return event->priv;
}

static GstCudaHistoEvent *
gst_cuda_histo_event_read (const GstStructure *structure)
{
  GstCudaHistoEvent *event = g_new0 (GstCudaHistoEvent, 1);
  GstCudaHistoEventPrivate *priv = g_new0 (GstCudaHistoEventPrivate, 1);
  const GstStructure *fields;

  event->priv = priv;
  g_atomic_ref_count_init (&priv->count);
  fields = priv->fields = gst_cuda_histo_fields_keep (structure, NULL);
  event->kind = gst_cuda_histo_fields_get_string (fields, "event");
  event->element = gst_cuda_histo_fields_get_string (fields, "element");
  event->start = gst_cuda_histo_fields_get_uint64 (fields, "start", GST_CLOCK_TIME_NONE);
  event->end = gst_cuda_histo_fields_get_uint64 (fields, "end", GST_CLOCK_TIME_NONE);
  event->running_time = gst_cuda_histo_fields_get_uint64 (fields, "running-time", GST_CLOCK_TIME_NONE);
  event->end_running_time = gst_cuda_histo_fields_get_uint64 (fields, "end-running-time", GST_CLOCK_TIME_NONE);
  event->duration = gst_cuda_histo_fields_get_uint64 (fields, "duration", GST_CLOCK_TIME_NONE);
  event->value = gst_cuda_histo_fields_get_double (fields, "value");
  event->threshold = gst_cuda_histo_fields_get_double (fields, "threshold");
  event->ended_by = gst_structure_get_string (fields, "ended-by");
  event->frame = gst_cuda_histo_fields_get_uint64 (fields, "frame", 0);
  event->frames = gst_cuda_histo_fields_get_uint64 (fields, "frames", 0);
  return event;
}

GstCudaHistoEvent *
gst_cuda_histo_event_new (void)
{
  g_autoptr (GstStructure) nothing = gst_structure_new_empty (MESSAGE_NAME);

  return gst_cuda_histo_event_read (nothing);
}

GstCudaHistoEvent *
gst_cuda_histo_event_from_structure (const GstStructure *structure)
{
  g_return_val_if_fail (structure != NULL, NULL);
  return gst_structure_has_name (structure, MESSAGE_NAME) ? gst_cuda_histo_event_read (structure) : NULL;
}

GstCudaHistoEvent *
gst_cuda_histo_event_from_message (GstMessage *message)
{
  g_return_val_if_fail (GST_IS_MESSAGE (message), NULL);
  if (GST_MESSAGE_TYPE (message) != GST_MESSAGE_ELEMENT || !gst_message_has_name (message, MESSAGE_NAME))
    return NULL;
  return gst_cuda_histo_event_from_structure (gst_message_get_structure (message));
}

GstCudaHistoEvent *
gst_cuda_histo_event_ref (GstCudaHistoEvent *event)
{
  g_return_val_if_fail (event != NULL && event->priv != NULL, NULL);
  g_atomic_ref_count_inc (&gst_cuda_histo_event_get_private (event)->count);
  return event;
}

void
gst_cuda_histo_event_unref (GstCudaHistoEvent *event)
{
  GstCudaHistoEventPrivate *priv;

  g_return_if_fail (event != NULL && event->priv != NULL);
  priv = gst_cuda_histo_event_get_private (event);
  if (!g_atomic_ref_count_dec (&priv->count))
    return;
  gst_structure_free (priv->fields);
  g_free (priv);
  g_free (event);
}

const GValue *
gst_cuda_histo_event_get_field (const GstCudaHistoEvent *event, const gchar *name)
{
  g_return_val_if_fail (event != NULL && event->priv != NULL && name != NULL, NULL);
  return gst_structure_get_value (gst_cuda_histo_event_get_private (event)->fields, name);
}
