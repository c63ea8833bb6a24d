/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Warnings that are posted once between start and stop. */

#include "gstcudahistoscope.h"

#include "panel.h"

gboolean
gst_cuda_histo_scope_take_notice (GstCudaHistoScope *self, guint notice)
{
  const gboolean is_new = (self->notices & notice) == 0;

  self->notices |= notice;
  return is_new;
}

void
gst_cuda_histo_scope_warn_of_lacks (GstCudaHistoScope *self, const GstCudaHistoScopeSettings *settings,
                                    const GstCudaHistoScopeSignal *signal)
{
  for (guint bit = 0; bit < GST_CUDA_HISTO_SCOPE_N_MODES; bit++) {
    const guint mode = 1u << bit;
    const gchar *lack = ((guint)settings->modes & mode) != 0 ? gst_cuda_histo_scope_panel_find_lack (mode, signal) : NULL;

    if (lack != NULL && gst_cuda_histo_scope_take_notice (self, mode))
      GST_ELEMENT_WARNING (
          self, STREAM, FORMAT, ("%s.", lack),
          ("format %s, cudahisto %s; the property element selects another cudahisto", signal->format, self->result->element));
  }
}

void
gst_cuda_histo_scope_warn_of_not_drawn (GstCudaHistoScope *self, gint width, gint height)
{
  const gboolean is_picture = gst_cuda_histo_scope_get_output (self) == GST_CUDA_HISTO_SCOPE_OUTPUT_PICTURE;

  if (gst_cuda_histo_scope_take_notice (self, GST_CUDA_HISTO_SCOPE_NOTICE_NOT_DRAWN))
    GST_ELEMENT_WARNING (self, RESOURCE, NO_SPACE_LEFT,
                         ("Cannot draw a scope of %d x %d pixels: memory is exhausted; %s.", width, height,
                          is_picture ? "request a smaller picture after cudahistoscope (width and height of the caps)"
                                     : "make it smaller (size, modes)"),
                         ("%s", is_picture ? "pictures show only the background" : "frames pass without it"));
}

void
gst_cuda_histo_scope_warn_of_no_result (GstCudaHistoScope *self)
{
  const gchar *element = self->drawn_settings.element;

  if (gst_cuda_histo_scope_take_notice (self, GST_CUDA_HISTO_SCOPE_NOTICE_NO_RESULT))
    GST_ELEMENT_WARNING (self, STREAM, FORMAT,
                         ("No result to draw: put cudahisto %s%s%sadd-meta=true in front of cudahistoscope.",
                          element != NULL ? "name=" : "", element != NULL ? element : "", element != NULL ? " " : ""),
                         ("%" G_GUINT64_FORMAT
                          " frames had no GstCudaHistoMeta; with interval or window=stream the first result "
                          "comes later, and an element between the two may drop the meta",
                          self->frames_without_result));
}
