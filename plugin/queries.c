/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "queries.h"

#include "counting.h"
#include "gstcudahistoprivate.h"
#include "input/caps.h"
#include "input/offer.h"
#include "input/refusal.h"
#include "input/sender.h"

GstCaps *
gst_cuda_histo_transform_caps (GstBaseTransform *base, GstPadDirection direction G_GNUC_UNUSED, GstCaps *caps, GstCaps *filter)
{
  GstCaps *narrowed = gst_cuda_histo_caps_narrow (caps, gst_cuda_histo_takes_cuda (GST_CUDA_HISTO (base)));
  GstCaps *result;

  if (filter == NULL)
    return narrowed;
  result = gst_caps_intersect_full (filter, narrowed, GST_CAPS_INTERSECT_FIRST);
  gst_caps_unref (narrowed);
  return result;
}

/* Posts an error or a warning about raw video that upstream sends or would send. Each text once, though an error may follow a
 * warning. `place`: where the remedy goes, "in front" or "after cudahisto". */
static void
gst_cuda_histo_report_refusal (GstCudaHisto *self, GstMessageType type, GstCaps *caps, const gchar *place)
{
  g_autofree gchar *text = gst_cuda_histo_refusal_describe (caps, gst_cuda_histo_takes_cuda (self), place);
  const gboolean is_fatal = type == GST_MESSAGE_ERROR;
  gboolean is_new;

  GST_OBJECT_LOCK (self);
  is_new = g_strcmp0 (text, self->refused.text) != 0 || (is_fatal && !self->refused.is_fatal);
  if (is_new) {
    g_free (self->refused.text);
    self->refused.text = g_strdup (text);
    self->refused.is_fatal = is_fatal;
  }
  GST_OBJECT_UNLOCK (self);
  if (is_new)
    gst_cuda_histo_post (self, type, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, g_strdup (text), gst_caps_to_string (caps));
}

static gboolean
gst_cuda_histo_can_count_some (GstCudaHisto *self, GstCaps *caps)
{
  g_autoptr (GstCaps) narrowed = gst_cuda_histo_caps_narrow (caps, gst_cuda_histo_takes_cuda (self));

  return !gst_caps_is_empty (narrowed);
}

static gboolean
gst_cuda_histo_is_countable (GstCudaHisto *self, GstCaps *caps)
{
  return !gst_cuda_histo_caps_are_video (caps) || gst_cuda_histo_caps_are_taken (caps, gst_cuda_histo_takes_cuda (self));
}

/* Posts an error if upstream sends raw video that is refused: `caps`, or any if NULL. */
static gboolean
gst_cuda_histo_report_sent (GstCudaHisto *self, GstCaps *caps)
{
  g_autoptr (GstCaps) sent = gst_cuda_histo_sender_get_caps (GST_BASE_TRANSFORM_SINK_PAD (self));
  const gboolean is_refused
      = sent != NULL && (caps != NULL ? gst_caps_is_equal (sent, caps) : !gst_cuda_histo_is_countable (self, sent));

  if (is_refused)
    gst_cuda_histo_report_refusal (self, GST_MESSAGE_ERROR, sent, "in front");
  return is_refused;
}

/* For an empty answer to upstream's CAPS query: posts an error if upstream queries because it receives refused caps. Otherwise
 * reports if the neighbours have no other caps in common. Upstream then fails, with an error that names neither the caps nor
 * this element. Before the first caps that is certain, and reported as an error: applications such as gst-launch-1.0 may not
 * show a warning that comes just before upstream's error. Later, upstream may still send other caps than it offers. */
static void
gst_cuda_histo_look_for_choice (GstCudaHisto *self)
{
  GstBaseTransform *base = GST_BASE_TRANSFORM (self);
  GstMessageType type;
  g_autoptr (GstCaps) offered = NULL, wanted = NULL;

  if (!g_atomic_int_get (&self->host.is_started) || gst_cuda_histo_report_sent (self, NULL))
    return;
  type = gst_cuda_histo_sender_has_caps (GST_BASE_TRANSFORM_SINK_PAD (base)) ? GST_MESSAGE_WARNING : GST_MESSAGE_ERROR;
  offered = gst_pad_peer_query_caps (GST_BASE_TRANSFORM_SINK_PAD (base), NULL);
  wanted = gst_pad_peer_query_caps (GST_BASE_TRANSFORM_SRC_PAD (base), offered);
  if (!gst_caps_is_empty (offered) && !gst_cuda_histo_can_count_some (self, offered))
    gst_cuda_histo_report_refusal (self, type, offered, "in front");
  else if (!gst_caps_is_empty (wanted) && !gst_cuda_histo_can_count_some (self, wanted))
    gst_cuda_histo_report_refusal (self, type, wanted, "after cudahisto");
}

void
gst_cuda_histo_forget_refusal (GstCudaHisto *self)
{
  GST_OBJECT_LOCK (self);
  g_clear_pointer (&self->refused.text, g_free);
  GST_OBJECT_UNLOCK (self);
}

/* Returns the raw video that upstream offers, if it offers nothing else and none of it can be counted, or NULL. Until the
 * element runs, it is offered downstream: the link succeeds, and the element reports why it refuses the caps when the pipeline
 * runs. With an EMPTY answer, gst_parse_launch() would report a failed link without a reason. */
static GstCaps *
gst_cuda_histo_get_uncountable_offer (GstCudaHisto *self)
{
  GstCaps *offered;

  if (g_atomic_int_get (&self->host.is_started))
    return NULL;
  offered = gst_pad_peer_query_caps (GST_BASE_TRANSFORM_SINK_PAD (self), NULL);
  if (gst_cuda_histo_can_count_some (self, offered))
    gst_clear_caps (&offered);
  return offered;
}

static gboolean
gst_cuda_histo_is_in_uncountable_offer (GstCudaHisto *self, GstCaps *caps)
{
  g_autoptr (GstCaps) offered = gst_cuda_histo_get_uncountable_offer (self);

  return offered != NULL && gst_caps_is_subset (caps, offered);
}

/* Accepts the caps of the answer to a CAPS query. Neither query loads GStreamer's CUDA library: an element with frames on the
 * GPU has loaded it. */
gboolean
gst_cuda_histo_accept_caps (GstBaseTransform *base, GstPadDirection direction, GstCaps *caps)
{
  GstCudaHisto *self = GST_CUDA_HISTO (base);

  if (!gst_cuda_histo_caps_are_video (caps))
    return gst_cuda_histo_get_base_class ()->accept_caps (base, direction, caps);
  if (gst_cuda_histo_caps_are_taken (caps, gst_cuda_histo_takes_cuda (self)))
    return TRUE;
  if (direction == GST_PAD_SRC && gst_cuda_histo_is_in_uncountable_offer (self, caps))
    return TRUE;
  GST_INFO_OBJECT (base, "refusing %" GST_PTR_FORMAT, (gpointer)caps);
  if (direction == GST_PAD_SINK)
    gst_cuda_histo_report_sent (self, caps);
  return FALSE;
}

/* Narrows the base class's answer, which without a peer on the other side follows from the templates alone. */
static void
gst_cuda_histo_finish_caps (GstCudaHisto *self, GstPadDirection direction, GstQuery *query)
{
  GstCaps *caps, *narrowed, *filter, *offered = NULL;

  gst_query_parse_caps_result (query, &caps);
  narrowed = gst_cuda_histo_caps_narrow (caps, gst_cuda_histo_takes_cuda (self));
  if (gst_caps_is_empty (narrowed) && direction == GST_PAD_SINK)
    gst_cuda_histo_look_for_choice (self);
  else if (gst_caps_is_empty (narrowed))
    offered = gst_cuda_histo_get_uncountable_offer (self);
  if (offered != NULL) {
    gst_query_parse_caps (query, &filter);
    gst_caps_unref (narrowed);
    narrowed = filter != NULL ? gst_caps_intersect_full (filter, offered, GST_CAPS_INTERSECT_FIRST) : gst_caps_ref (offered);
    gst_caps_unref (offered);
  }
  gst_query_set_caps_result (query, narrowed);
  gst_caps_unref (narrowed);
}

/* Reports push mode only to downstream. In pull mode data arrives in any order and repeatedly, without an end, so that windows
 * would be meaningless. */
static void
gst_cuda_histo_answer_scheduling (GstBaseTransform *base, GstQuery *query)
{
  GstQuery *upstream = gst_query_new_scheduling ();
  GstSchedulingFlags flags = 0;
  gint min_bytes = 1, max_bytes = -1, align = 0;

  if (gst_pad_peer_query (GST_BASE_TRANSFORM_SINK_PAD (base), upstream))
    gst_query_parse_scheduling (upstream, &flags, &min_bytes, &max_bytes, &align);
  gst_query_unref (upstream);
  gst_query_set_scheduling (query, flags, min_bytes, max_bytes, align);
  gst_query_add_scheduling_mode (query, GST_PAD_MODE_PUSH);
}

/* Releases upstream's buffers. On the streaming thread, or with its lock. */
static void
gst_cuda_histo_release_buffers (GstCudaHisto *self)
{
  g_autoptr (GstCudaHistoCounter) counter = gst_cuda_histo_counter_ref (self->use.counter);
  const gint stops = g_atomic_int_get (&self->host.stops);
  gboolean succeeded;

  gst_cuda_histo_operands_forget (&self->operands);
  succeeded = gst_cuda_histo_flush_gathered (self);
  if (stops == g_atomic_int_get (&self->host.stops))
    self->windows.has_partial_buffer |= !succeeded;
  gst_cuda_histo_counter_drain (counter);
}

gboolean
gst_cuda_histo_query (GstBaseTransform *base, GstPadDirection direction, GstQuery *query)
{
  GstCudaHisto *self = GST_CUDA_HISTO (base);
  gboolean answered;

  if (GST_QUERY_TYPE (query) == GST_QUERY_SCHEDULING && direction == GST_PAD_SRC) {
    gst_cuda_histo_answer_scheduling (base, query);
    return TRUE;
  }
  if (direction == GST_PAD_SRC && g_atomic_int_get (&self->pads.is_pulling)
      && gst_cuda_histo_puller_query (self->pads.puller, query))
    return TRUE;
  if (GST_QUERY_TYPE (query) == GST_QUERY_CONTEXT && gst_cuda_histo_shared_context_answer (&self->context.shared, query))
    return TRUE;
  if (GST_QUERY_TYPE (query) == GST_QUERY_DRAIN && direction == GST_PAD_SINK && g_atomic_int_get (&self->host.is_started))
    gst_cuda_histo_release_buffers (self);

  answered = gst_cuda_histo_get_base_class ()->query (base, direction, query);
  if (answered && GST_QUERY_TYPE (query) == GST_QUERY_CAPS)
    gst_cuda_histo_finish_caps (self, direction, query);
  return answered;
}

/* If a GPU counts, offers pinned memory for frames and for bytes. If the CPU counts, offers memory for bytes before a fakesink
 * only: they may be held there until others arrive, and contiguous ones are counted without a copy.
 *
 * If frames are compared with the previous one, a pool needs one more buffer, since upstream's own buffer may be the next
 * operand (a frame on the GPU is not copied), and another for the frame at which a freeze may have begun. Buffers in
 * flight need none: they return without waiting for another frame. */
gboolean
gst_cuda_histo_propose_allocation (GstBaseTransform *base, GstQuery *decide_query, GstQuery *query)
{
  GstCudaHisto *self = GST_CUDA_HISTO (base);
  gboolean answered = gst_cuda_histo_get_base_class ()->propose_allocation (base, decide_query, query);
  guint held;

  if (!g_atomic_int_get (&self->host.is_started))
    return answered;
  held = gst_cuda_histo_count_held (self);
  if (gst_cuda_histo_counter_is_on_gpu (self->use.counter))
    answered |= gst_cuda_histo_offer_memory (GST_ELEMENT (self), query, self->use.frame_allocator, self->use.byte_allocator);
  else if (g_atomic_int_get (&self->pads.is_before_fakesink))
    answered |= gst_cuda_histo_offer_memory (GST_ELEMENT (self), query, NULL, self->use.byte_allocator);
  if (held > 0)
    answered |= gst_cuda_histo_offer_more_buffers (query, held);
  return answered;
}
