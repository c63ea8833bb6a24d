/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "counteruse.h"

#include "gstcudahistoprivate.h"

void
gst_cuda_histo_notify_backend (GstCudaHisto *self, GstCudaHistoCounter *counter)
{
  const gchar *backend = counter != NULL ? gst_cuda_histo_counter_get_backend (counter) : NULL;
  const gchar *device = counter != NULL ? gst_cuda_histo_counter_get_device (counter) : NULL;

  GST_OBJECT_LOCK (self);
  self->use.backend = backend;
  self->use.device = device;
  GST_OBJECT_UNLOCK (self);
  g_object_notify (G_OBJECT (self), "active-backend");
  g_object_notify (G_OBJECT (self), "active-device");
}

gboolean
gst_cuda_histo_open_counter (GstCudaHisto *self, guint parts, const GstCudaHistoCounterCallbacks *callbacks)
{
  const struct histo_config config = {
    .backend = (enum histo_backend)self->active.backend,
    .cuda_device = self->active.cuda_device_id,
    .threads = self->active.threads,
  };
  g_autoptr (GError) error = NULL;
  g_autofree gchar *warning = NULL;
  GstCudaHistoCounter *counter;

  counter = gst_cuda_histo_counter_new (&config, GST_CUDA_HISTO_MAX_IN_FLIGHT, parts, self->context.shared.context, callbacks,
                                        GST_ELEMENT (self), GST_CAT_DEFAULT, &error);
  GST_OBJECT_LOCK (self);
  self->use.counter = counter;
  GST_OBJECT_UNLOCK (self);
  if (counter == NULL) {
    if (self->active.backend == GST_CUDA_HISTO_BACKEND_CUDA)
      gst_cuda_histo_post (self, GST_MESSAGE_ERROR, error->domain, error->code,
                           g_strdup_printf ("Cannot use CUDA: %s.", error->message),
                           g_strdup ("set backend=auto or backend=cpu to count on the CPU"));
    else
      gst_cuda_histo_post (self, GST_MESSAGE_ERROR, error->domain, error->code,
                           g_strdup_printf ("Cannot start counting: %s.", error->message), NULL);
    return FALSE;
  }
  gst_cuda_histo_notify_backend (self, self->use.counter);
  /* A user who selects a device needs to know that it is not used; so does the owner of a GPU that fails. */
  warning = gst_cuda_histo_counter_take_warning (counter);
  if (self->active.backend == GST_CUDA_HISTO_BACKEND_AUTO && self->active.cuda_device_id >= 0
      && !gst_cuda_histo_counter_is_on_gpu (counter))
    gst_cuda_histo_post (self, GST_MESSAGE_WARNING, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND,
                         g_strdup_printf ("Cannot use CUDA device %d; the CPU counts.", self->active.cuda_device_id),
                         warning != NULL
                             ? g_steal_pointer (&warning)
                             : g_strdup ("GST_DEBUG=cudahisto:4 shows why; cuda-device-id=-1 uses any device or the CPU"));
  else if (warning != NULL)
    gst_cuda_histo_post (self, GST_MESSAGE_WARNING, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND,
                         g_steal_pointer (&warning), g_strdup_printf ("%s counts", self->use.backend));
  return TRUE;
}

void
gst_cuda_histo_release_counter (GstCudaHisto *self)
{
  GstCudaHistoCounter *counter = self->use.counter;

  GST_OBJECT_LOCK (self);
  self->use.counter = NULL; /* not earlier: frames in flight may have moved to the CPU */
  GST_OBJECT_UNLOCK (self);
  gst_cuda_histo_counter_unref (counter);
}
