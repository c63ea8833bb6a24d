/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "input/sender.h"

#include <gst/base/gstbasetransform.h>

#define MAX_ELEMENTS 32 /* limit of elements between the pads */

/* A source pad stores caps before it sends them. It has the flag PENDING_EVENTS until it sends them, and again if they are
 * refused; its peer stores them when they are accepted. */
static GstCaps *
gst_cuda_histo_sender_get_caps_in_transit (GstPad *srcpad, GstPad *sinkpad)
{
  GstCaps *sent = GST_PAD_HAS_PENDING_EVENTS (srcpad) ? NULL : gst_pad_get_current_caps (srcpad);
  g_autoptr (GstCaps) arrived = gst_pad_get_current_caps (sinkpad);

  if (sent != NULL && arrived != NULL && gst_caps_is_equal (sent, arrived))
    gst_clear_caps (&sent);
  return sent;
}

static GstCaps *
gst_cuda_histo_sender_get_current_caps (GstPad *srcpad, GstPad *sinkpad G_GNUC_UNUSED)
{
  return gst_pad_get_current_caps (srcpad);
}

/* Whether a filter uses the base class's caps transform, or only passes or refuses caps, as capsfilter does. */
static gboolean
gst_cuda_histo_sender_is_transparent_filter (GstBaseTransform *filter)
{
  const GstBaseTransformClass *base_class = g_type_class_peek (GST_TYPE_BASE_TRANSFORM);

  return GST_BASE_TRANSFORM_GET_CLASS (filter)->transform_caps == base_class->transform_caps
         || g_str_equal (G_OBJECT_TYPE_NAME (filter), "GstCapsFilter");
}

/* Whether the element of this sink pad sends caps on unchanged. */
static gboolean
gst_cuda_histo_sender_is_transparent (GstPad *sinkpad)
{
  g_autoptr (GstObject) parent = NULL;

  if (GST_PAD_IS_PROXY_CAPS (sinkpad))
    return TRUE;
  parent = gst_object_get_parent (GST_OBJECT (sinkpad));
  return GST_IS_BASE_TRANSFORM (parent) && gst_cuda_histo_sender_is_transparent_filter (GST_BASE_TRANSFORM (parent));
}

/* Returns the caps of a source pad that are searched for, or NULL. */
typedef GstCaps *(*GstCudaHistoSenderGetter) (GstPad *srcpad, GstPad *sinkpad);

static GstCaps *gst_cuda_histo_sender_search (GstPad *sinkpad, GstCudaHistoSenderGetter get_caps, guint depth);

/* Searches upstream of the element, or the ghost pad, of `srcpad`. */
static GstCaps *
gst_cuda_histo_sender_search_upstream (GstPad *srcpad, GstCudaHistoSenderGetter get_caps, guint depth)
{
  GstIterator *sinkpads = gst_pad_iterate_internal_links (srcpad);
  GValue item = G_VALUE_INIT;
  GstCaps *caps = NULL;

  if (sinkpads == NULL)
    return NULL;
  while (caps == NULL && gst_iterator_next (sinkpads, &item) == GST_ITERATOR_OK) {
    GstPad *sinkpad = g_value_get_object (&item);

    if (gst_cuda_histo_sender_is_transparent (sinkpad))
      caps = gst_cuda_histo_sender_search (sinkpad, get_caps, depth + 1);
    g_value_reset (&item);
  }
  if (G_IS_VALUE (&item))
    g_value_unset (&item);
  gst_iterator_free (sinkpads);
  return caps;
}

static GstCaps *
gst_cuda_histo_sender_search (GstPad *sinkpad, GstCudaHistoSenderGetter get_caps, guint depth)
{
  g_autoptr (GstPad) srcpad = gst_pad_get_peer (sinkpad);
  GstCaps *caps;

  if (srcpad == NULL)
    return NULL;
  caps = get_caps (srcpad, sinkpad);
  if (caps == NULL && depth < MAX_ELEMENTS)
    caps = gst_cuda_histo_sender_search_upstream (srcpad, get_caps, depth);
  return caps;
}

GstCaps *
gst_cuda_histo_sender_get_caps (GstPad *sinkpad)
{
  return gst_cuda_histo_sender_search (sinkpad, gst_cuda_histo_sender_get_caps_in_transit, 0);
}

gboolean
gst_cuda_histo_sender_has_caps (GstPad *sinkpad)
{
  g_autoptr (GstCaps) caps = gst_cuda_histo_sender_search (sinkpad, gst_cuda_histo_sender_get_current_caps, 0);

  return caps != NULL;
}
