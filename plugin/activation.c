/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "activation.h"

#include "gstcudahistoprivate.h"

/* Whether to pull from upstream. `is_before_fakesink`: downstream does not see the sizes of buffers. */
static gboolean
gst_cuda_histo_wants_to_pull (GstCudaHisto *self, GstPad *sinkpad, gboolean is_before_fakesink)
{
  gboolean takes_any_size;

  GST_OBJECT_LOCK (self);
  /* Not if results depend on the sizes of buffers: each is a window or an operand, or carries a meta. */
  takes_any_size = self->settings.window != GST_CUDA_HISTO_WINDOW_BUFFER && self->settings.dot == GST_CUDA_HISTO_DOT_NONE
                   && !self->settings.add_meta;
  GST_OBJECT_UNLOCK (self);
  return takes_any_size && is_before_fakesink && gst_cuda_histo_puller_can_pull (sinkpad);
}

/* Posts an error for a source that offered pull mode and then refused it: not every source posts one itself. */
static void
gst_cuda_histo_post_refusal (GstCudaHisto *self, GstPad *sinkpad)
{
  g_autoptr (GstPad) peer = gst_pad_get_peer (sinkpad);

  if (peer != NULL && !gst_pad_is_active (peer)) /* otherwise the element itself failed and has posted an error */
    gst_cuda_histo_post (self, GST_MESSAGE_ERROR, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_OPEN_READ,
                         g_strdup ("Cannot read the source in pull mode. Put a queue after it."),
                         g_strdup_printf ("%s:%s offers pull mode but refuses it", GST_DEBUG_PAD_NAME (peer)));
}

gboolean
gst_cuda_histo_look_downstream (GstCudaHisto *self)
{
  const gboolean is_before_fakesink
      = gst_cuda_histo_puller_is_before_fakesink (GST_BASE_TRANSFORM_SRC_PAD (GST_BASE_TRANSFORM_CAST (self)));

  g_atomic_int_set (&self->pads.is_before_fakesink, is_before_fakesink);
  return is_before_fakesink;
}

static gboolean
gst_cuda_histo_activate_sink (GstPad *pad, GstObject *parent)
{
  GstCudaHisto *self = GST_CUDA_HISTO (parent);
  gboolean is_activated;
  GstPadMode mode;

  mode
      = gst_cuda_histo_wants_to_pull (self, pad, gst_cuda_histo_look_downstream (self)) ? GST_PAD_MODE_PULL : GST_PAD_MODE_PUSH;
  GST_DEBUG_OBJECT (parent, "activating in %s mode", gst_pad_mode_get_name (mode));
  is_activated = gst_pad_activate_mode (pad, mode, TRUE);
  if (!is_activated && mode == GST_PAD_MODE_PULL)
    gst_cuda_histo_post_refusal (self, pad);
  return is_activated;
}

/* The base class always runs in push mode. */
static gboolean
gst_cuda_histo_activate_sink_mode (GstPad *pad, GstObject *parent, GstPadMode mode, gboolean active)
{
  GstCudaHisto *self = GST_CUDA_HISTO (parent);

  if (mode != GST_PAD_MODE_PULL)
    return self->pads.activate_sink_in_base (pad, parent, mode, active);

  if (!active) {
    g_atomic_int_set (&self->pads.is_pulling, FALSE);
    gst_cuda_histo_puller_stop (self->pads.puller);
    return self->pads.activate_sink_in_base (pad, parent, GST_PAD_MODE_PUSH, FALSE);
  }
  if (!self->pads.activate_sink_in_base (pad, parent, GST_PAD_MODE_PUSH, TRUE))
    return FALSE;
  g_atomic_int_set (&self->pads.is_pulling, TRUE);
  if (gst_cuda_histo_puller_start (self->pads.puller, self->use.byte_allocator))
    return TRUE;
  g_atomic_int_set (&self->pads.is_pulling, FALSE);
  self->pads.activate_sink_in_base (pad, parent, GST_PAD_MODE_PUSH, FALSE);
  GST_ELEMENT_ERROR (self, RESOURCE, FAILED, ("Cannot start the thread that reads the source."), (NULL));
  return FALSE;
}

void
gst_cuda_histo_init_pads (GstCudaHisto *self, GstPadEventFullFunction receive_event,
                          void (*report_segment) (GstElement *element))
{
  GstBaseTransform *base = GST_BASE_TRANSFORM (self);
  GstPad *sinkpad = GST_BASE_TRANSFORM_SINK_PAD (base);

  self->pads.puller
      = gst_cuda_histo_puller_new (GST_ELEMENT (self), sinkpad, GST_BASE_TRANSFORM_SRC_PAD (base), report_segment);
  self->pads.activate_sink_in_base = GST_PAD_ACTIVATEMODEFUNC (sinkpad);
  self->pads.receive_event_in_base = GST_PAD_EVENTFUNC (sinkpad);
  gst_pad_set_activate_function (sinkpad, gst_cuda_histo_activate_sink);
  gst_pad_set_activatemode_function (sinkpad, gst_cuda_histo_activate_sink_mode);
  gst_pad_set_event_full_function (sinkpad, receive_event);
}
