/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "context.h"

#include "gstcudahistoprivate.h"
#include "frame/cudacontext.h"

gboolean
gst_cuda_histo_takes_cuda (GstCudaHisto *self)
{
  GstCudaHistoBackend backend;

  if (g_atomic_int_get (&self->host.is_started))
    return g_atomic_int_get (&self->context.takes_cuda);
  GST_OBJECT_LOCK (self);
  backend = self->settings.backend;
  GST_OBJECT_UNLOCK (self);
  return gst_cuda_histo_cuda_is_built () && (backend == GST_CUDA_HISTO_BACKEND_AUTO || backend == GST_CUDA_HISTO_BACKEND_CUDA);
}

void
gst_cuda_histo_look_for_context (GstCudaHisto *self)
{
  GstElement *element = GST_ELEMENT (self);
  gint device = self->active.cuda_device_id;
  GstContext *shared;

  if (self->active.backend != GST_CUDA_HISTO_BACKEND_AUTO && self->active.backend != GST_CUDA_HISTO_BACKEND_CUDA)
    return;
  if (!gst_cuda_histo_cuda_is_in_use ())
    return;
  if (self->context.shared.context != NULL && device >= 0
      && gst_cuda_histo_cuda_get_device (self->context.shared.context) != device)
    gst_cuda_histo_shared_context_replace (&self->context.shared, NULL);
  /* Set while the element was stopped, or before an earlier stop. */
  shared = gst_element_get_context (element, "gst.cuda.context");
  gst_cuda_histo_shared_context_take (&self->context.shared, shared, device);
  g_clear_pointer (&shared, gst_context_unref);
  if (!gst_cuda_histo_shared_context_ensure (&self->context.shared, device))
    GST_INFO_OBJECT (self, "no CUDA context to share");
}

void
gst_cuda_histo_set_context (GstElement *element, GstContext *context)
{
  GstCudaHisto *self = GST_CUDA_HISTO (element);
  gint device;

  GST_OBJECT_LOCK (self);
  device = self->settings.cuda_device_id;
  GST_OBJECT_UNLOCK (self);
  gst_cuda_histo_shared_context_take (&self->context.shared, context, device);
  GST_ELEMENT_CLASS (gst_cuda_histo_get_base_class ())->set_context (element, context);
}

static gboolean
gst_cuda_histo_switch_context (GstCudaHisto *self, GstObject *context)
{
  const gint stops = g_atomic_int_get (&self->host.stops);
  gint wanted = self->active.cuda_device_id;
  gint device = gst_cuda_histo_cuda_get_device (context);

  if (wanted >= 0 && wanted != device) {
    gst_cuda_histo_fail (&self->host, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
                         g_strdup_printf ("cuda-device-id=%d cannot count frames on CUDA device %d.", wanted, device),
                         g_strdup ("select the same device upstream, or set cuda-device-id=-1"));
    return FALSE;
  }
  GST_INFO_OBJECT (self, "changing to another context, %" GST_PTR_FORMAT ", on device %d", (gpointer)context, device);
  gst_cuda_histo_operands_forget (&self->operands); /* it is in the old context */
  /* Not earlier: after a flush, frames of another context may arrive, and then neighbours must not be notified. */
  if (!gst_cuda_histo_counter_use_context (self->use.counter, context))
    return FALSE;
  gst_cuda_histo_shared_context_replace (&self->context.shared, gst_object_ref (context));
  gst_cuda_histo_notify_backend (self, self->use.counter);
  return stops == g_atomic_int_get (&self->host.stops);
}

gboolean
gst_cuda_histo_follow_context (GstCudaHisto *self, GstObject *context)
{
  /* The counter's context may differ from the element's if that was set after the start, or if a flush came while the counter
   * changed context. */
  if (context == self->context.shared.context && gst_cuda_histo_counter_is_in_context (self->use.counter, context))
    return TRUE;
  return gst_cuda_histo_switch_context (self, context);
}

gboolean
gst_cuda_histo_prepare_for_cuda (GstCudaHisto *self)
{
  const gint stops = g_atomic_int_get (&self->host.stops);
  const gboolean has_context = gst_cuda_histo_shared_context_ensure (&self->context.shared, self->active.cuda_device_id);

  if (stops != g_atomic_int_get (&self->host.stops)) /* stopped by a handler of the message that requests a context */
    return FALSE;
  if (!has_context) {
    gst_cuda_histo_fail (&self->host, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND,
                         g_strdup ("Cannot count frames on the GPU: no CUDA context can be created for them."), NULL);
    return FALSE;
  }
  /* If it was set after the start, the engine has opened its own. */
  return gst_cuda_histo_follow_context (self, self->context.shared.context);
}
