/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "start.h"

#include "gstcudahistoprivate.h"

#include "frame/allocator.h"
#include "frame/cudacontext.h"
#include "settings/removedsettings.h"

/* Serialized queries and events use the counter while `is_started` is set. None does when this returns. Starting takes no such
 * lock: an earlier query or event found no counter, and may be waiting downstream for PLAYING. */
static void
gst_cuda_histo_clear_started (GstCudaHisto *self)
{
  GstPad *sinkpad = GST_BASE_TRANSFORM_SINK_PAD (self);

  GST_PAD_STREAM_LOCK (sinkpad);
  g_atomic_int_set (&self->host.is_started, FALSE);
  GST_PAD_STREAM_UNLOCK (sinkpad);
}

static gboolean
gst_cuda_histo_has_sidecar (GstCudaHisto *self)
{
  gboolean has_sidecar;

  GST_OBJECT_LOCK (self);
  has_sidecar = self->sidecar_use.location != NULL;
  GST_OBJECT_UNLOCK (self);
  return has_sidecar;
}

/* Warns of properties that differ from their defaults and have no effect. */
static void
gst_cuda_histo_warn_of_useless_settings (GstCudaHisto *self)
{
  const GstCudaHistoSettings *settings = &self->active;
  const GstCudaHistoStatistics statistics = settings->statistics;
  const GstCudaHistoEvents events = settings->detection.events;
  const gboolean is_fixed = settings->reference_mode == GST_CUDA_HISTO_REFERENCE_FIXED;
  const gboolean has_sidecar = gst_cuda_histo_has_sidecar (self);
  const struct {
    gboolean is_used;
    const gchar *user, *properties[4];
  } uses[] = {
    { settings->window == GST_CUDA_HISTO_WINDOW_BYTES, "window=bytes", { "window-size" } },
    { settings->metering == GST_CUDA_HISTO_METERING_WEIGHTS, "metering=weights", { "weights-location" } },
    { (statistics & GST_CUDA_HISTO_STATISTICS_ROW_SUMS) != 0, "statistics=row-sums", { "row-weights-location" } },
    { (statistics & GST_CUDA_HISTO_STATISTICS_COLUMN_SUMS) != 0, "statistics=column-sums", { "column-weights-location" } },
    { (statistics & GST_CUDA_HISTO_STATISTICS_WAVEFORM) != 0, "statistics=waveform", { "waveform-columns" } },
    { self->comparison.location != NULL, "reference-location", { "reference-mode", "reference-offset" } },
    { self->comparison.location == NULL || !is_fixed, "reference-mode=in-step", { "reference-offset" } },
    { (events & GST_CUDA_HISTO_EVENTS_BLACK) != 0, "events=black", { "black-min-duration", "black-ratio", "black-level" } },
    { (events & GST_CUDA_HISTO_EVENTS_FREEZE) != 0, "events=freeze", { "freeze-min-duration", "freeze-noise" } },
    { (events & GST_CUDA_HISTO_EVENTS_SCENE_CHANGE) != 0, "events=scene-change", { "scene-change-threshold" } },
    { (events & GST_CUDA_HISTO_EVENTS_CLIPPED) != 0, "events=clipped", { "clipped-min-duration", "clipped-ratio" } },
    { has_sidecar, "sidecar-location", { "sidecar-mode", "sidecar-slow", "sidecar-arrays" } },
  };

  for (guint i = 0; i < G_N_ELEMENTS (uses); i++) {
    for (guint j = 0; !uses[i].is_used && j < G_N_ELEMENTS (uses[i].properties) && uses[i].properties[j] != NULL; j++) {
      GParamSpec *property = g_object_class_find_property (G_OBJECT_GET_CLASS (self), uses[i].properties[j]);
      g_auto (GValue) value = G_VALUE_INIT;

      g_value_init (&value, G_PARAM_SPEC_VALUE_TYPE (property));
      g_object_get_property (G_OBJECT (self), property->name, &value);
      if (!g_param_value_defaults (property, &value))
        GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS, ("%s has no effect without %s.", property->name, uses[i].user), (NULL));
    }
  }
}

/* Warns of requested arrays that no message, meta or line carries. */
static void
gst_cuda_histo_warn_of_lost_arrays (GstCudaHisto *self)
{
  const GstCudaHistoSettings *settings = &self->active;
  const gboolean is_carried
      = settings->add_meta
        || (settings->post_messages
            && (settings->message_arrays == GST_CUDA_HISTO_MESSAGE_ARRAYS_ALL
                || settings->message_arrays == GST_CUDA_HISTO_MESSAGE_ARRAYS_PACKED))
        || (gst_cuda_histo_has_sidecar (self) && settings->sidecar_arrays == GST_CUDA_HISTO_SIDECAR_ARRAYS_ALL);
  const guint32 lost = is_carried ? 0 : (guint32)settings->statistics & GST_CUDA_HISTO_ARRAY_STATISTICS;
  g_autofree gchar *names = gst_cuda_histo_name_statistics (lost);

  if (lost != 0)
    GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
                         ("No result has the requested arrays (%s). Set message-arrays=all, sidecar-arrays=all with "
                          "sidecar-location, or add-meta.",
                          names),
                         (NULL));
}

/* Posts an element error and returns FALSE if settings contradict each other. Warns of settings without effect. */
static gboolean
gst_cuda_histo_check_settings (GstCudaHisto *self)
{
  const GstCudaHistoSettings *settings = &self->active;
  g_autofree gchar *removed = gst_cuda_histo_removed_explain (settings->removed);
  g_autoptr (GError) error = NULL;

  if (removed != NULL) {
    GST_ELEMENT_ERROR (self, RESOURCE, SETTINGS, ("%s", removed), (NULL));
    return FALSE;
  }
  if (settings->window == GST_CUDA_HISTO_WINDOW_BYTES && settings->window_size == 0) {
    GST_ELEMENT_ERROR (self, LIBRARY, SETTINGS, ("Cannot use window=bytes: window-size is 0. Set it to the bytes in a window."),
                       (NULL));
    return FALSE;
  }
  if (settings->every > 1 && (settings->detection.events & ~GST_CUDA_HISTO_EVENTS_DAMAGED) != 0) {
    GST_ELEMENT_ERROR (
        self, LIBRARY, SETTINGS,
        ("Cannot detect events with every=%u: they need each frame. Set every=1, or events=damaged.", settings->every), (NULL));
    return FALSE;
  }
  if (!gst_cuda_histo_take_regions (self, &error)) {
    GST_ELEMENT_ERROR (self, LIBRARY, SETTINGS, ("%s", error->message), (NULL));
    return FALSE;
  }
  gst_cuda_histo_warn_of_useless_settings (self);
  if (settings->window == GST_CUDA_HISTO_WINDOW_STREAM && settings->interval > 0)
    GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS, ("interval has no effect with window=stream, which is one result."), (NULL));
  gst_cuda_histo_warn_of_lost_arrays (self);
  return TRUE;
}

/* Reads the files of weights. FALSE with an element error. */
static gboolean
gst_cuda_histo_read_files (GstCudaHisto *self)
{
  const guint32 statistics = (guint32)self->active.statistics;
  g_autofree gchar *row = NULL, *column = NULL, *map = NULL;
  g_autoptr (GError) error = NULL;

  GST_OBJECT_LOCK (self);
  if ((statistics & GST_CUDA_HISTO_STATISTICS_ROW_SUMS) != 0)
    row = g_strdup (self->row_weights_location);
  if ((statistics & GST_CUDA_HISTO_STATISTICS_COLUMN_SUMS) != 0)
    column = g_strdup (self->column_weights_location);
  map = g_strdup (self->weights_location);
  GST_OBJECT_UNLOCK (self);
  if (gst_cuda_histo_sums_open (&self->sums, row, column, &error)
      && gst_cuda_histo_meter_open (&self->meter, self->active.metering, map, &error))
    return TRUE;
  gst_cuda_histo_post (self, GST_MESSAGE_ERROR, error->domain, error->code, g_strdup (error->message), NULL);
  return FALSE;
}

static gboolean
gst_cuda_histo_open (GstCudaHisto *self)
{
  g_autoptr (GstCudaHistoPinner) pinner = NULL;

  g_atomic_int_set (&self->settings_changed, FALSE); /* before they are read: the first buffer sees later changes */
  GST_OBJECT_LOCK (self);
  self->active = self->settings;
  gst_cuda_histo_comparison_open (&self->comparison, self->reference_location, self->active.reference_mode,
                                  self->active.reference_offset);
  GST_OBJECT_UNLOCK (self);
  gst_cuda_histo_ledger_reset (&self->ledger);
  gst_cuda_histo_sidecar_reset_counts (self->sidecar_use.sidecar);
  g_atomic_int_set (&self->sidecar_use.check, GST_CUDA_HISTO_SIDECAR_NO_CONFLICT); /* until one is opened */
  g_atomic_int_set (&self->host.has_failed, FALSE);
  gst_cuda_histo_comparison_set_flushing (&self->comparison, GST_ELEMENT (self), FALSE);
  self->stream.next_frame = self->stream.next_buffer = self->stream.next_offset = 0;
  self->stream.timestamps = (GstCudaHistoTimestamps){ 0 };
  self->stream.latest.running_time = GST_CLOCK_TIME_NONE;
  self->regions.current.count = self->regions.asked.count = 0;
  self->format.is_configured = self->buffer.is_unaccounted = self->windows.has_partial_buffer = self->buffer.awaits_release
      = FALSE;
  self->stream.has_begun = g_atomic_int_get (&self->host.stops) == 0;
  gst_cuda_histo_open_detection (self);
  gst_cuda_histo_notices_reset (&self->host.notices);
  gst_cuda_histo_window_init (&self->windows.window, GST_CUDA_HISTO_WINDOW_STREAM, 0, 0);

  if (!gst_cuda_histo_check_settings (self) || !gst_cuda_histo_read_files (self) || !gst_cuda_histo_open_sidecar (self))
    return FALSE;
  gst_cuda_histo_look_for_context (self);
  if (!gst_cuda_histo_open_counter (self, gst_cuda_histo_get_part_count (self), &gst_cuda_histo_counter_callbacks)) {
    gst_cuda_histo_close_sidecar (self);
    gst_cuda_histo_shared_context_replace (&self->context.shared, NULL);
    return FALSE;
  }
  if (!gst_cuda_histo_start_sidecar (self)) {
    gst_cuda_histo_counter_stop (self->use.counter);
    gst_cuda_histo_release_counter (self);
    gst_cuda_histo_notify_backend (self, NULL);
    gst_cuda_histo_close_sidecar (self);
    gst_cuda_histo_shared_context_replace (&self->context.shared, NULL);
    return FALSE;
  }
  g_atomic_int_set (&self->context.takes_cuda,
                    gst_cuda_histo_cuda_is_built () && gst_cuda_histo_counter_is_on_gpu (self->use.counter));
  pinner = gst_cuda_histo_counter_get_pinner (self->use.counter);
  self->gather = gst_cuda_histo_gather_new (pinner);
  self->use.frame_allocator = gst_cuda_histo_allocator_new (pinner, 0);
  self->use.byte_allocator = gst_cuda_histo_allocator_new (pinner, GST_CUDA_HISTO_GATHER_COPIED);
  gst_base_transform_set_passthrough (GST_BASE_TRANSFORM_CAST (self), !self->active.add_meta);
  g_atomic_int_set (&self->host.is_started, TRUE); /* last */
  return TRUE;
}

gboolean
gst_cuda_histo_start (GstBaseTransform *base)
{
  GstCudaHisto *self = GST_CUDA_HISTO (base);
  gboolean is_open;

  self->starting.is_refused = FALSE;
  g_atomic_pointer_set (&self->starting.thread, g_thread_self ());
  is_open = gst_cuda_histo_open (self);
  if (is_open && self->starting.is_refused) {
    gst_cuda_histo_stop (base);
    is_open = FALSE;
    GST_ELEMENT_ERROR (self, CORE, STATE_CHANGE, ("The start was abandoned: a message handler requested another state."),
                       (NULL));
  }
  g_atomic_pointer_set (&self->starting.thread, NULL);
  return is_open;
}

/* Reports the open window and stops the counter, at the end of the stream. */
static void
gst_cuda_histo_close_counter (GstCudaHisto *self)
{
  GstCudaHistoCounter *counter = self->use.counter;
  guint64 pending;

  gst_cuda_histo_counter_begin_stop (counter);
  gst_cuda_histo_end_window_early (self, GST_CUDA_HISTO_ENDED_BY_STOP);
  gst_cuda_histo_counter_stop (counter);
  gst_cuda_histo_report_end_damage (self, GST_CUDA_HISTO_ENDED_BY_STOP);
  pending = gst_cuda_histo_ledger_discard_pending (&self->ledger);
  if (pending > 0)
    GST_WARNING_OBJECT (self, "%" G_GUINT64_FORMAT " frames are in no result", pending);
  gst_cuda_histo_release_counter (self);
  gst_cuda_histo_clear_reports (self);
  gst_cuda_histo_sums_clear (&self->sums);
  gst_cuda_histo_meter_clear (&self->meter);
}

gboolean
gst_cuda_histo_stop (GstBaseTransform *base)
{
  GstCudaHisto *self = GST_CUDA_HISTO (base);

  gst_cuda_histo_clear_started (self);
  g_atomic_int_inc (&self->host.stops);
  g_atomic_int_inc (&self->host.breaks);
  if (self->use.counter != NULL)
    gst_cuda_histo_close_counter (self);
  gst_cuda_histo_check_time (self, GST_CLOCK_TIME_NONE);
  gst_cuda_histo_notices_finish (&self->host.notices, GST_ELEMENT (self));
  gst_cuda_histo_comparison_close (&self->comparison, GST_ELEMENT (self));
  g_clear_pointer (&self->gather, gst_cuda_histo_gather_free);
  gst_clear_object (&self->use.frame_allocator);
  gst_clear_object (&self->use.byte_allocator);
  gst_cuda_histo_close_sidecar (self);
  gst_cuda_histo_shared_context_replace (&self->context.shared, NULL);
  gst_caps_replace (&self->format.caps, NULL);
  gst_cuda_histo_forget_refusal (self);
  self->format.is_configured = FALSE;
  gst_cuda_histo_notify_backend (self, NULL);
  return TRUE;
}

/* Before the pads are deactivated: deactivation waits for the streaming thread, which may be waiting for the sidecar or the
 * reference, or, if a handler of a message stops the element on one of their threads, for that thread. */
static void
gst_cuda_histo_let_go (GstCudaHisto *self)
{
  g_autoptr (GstCudaHistoCounter) counter = NULL;
  gboolean is_counting;

  gst_cuda_histo_sidecar_stop (self->sidecar_use.sidecar);
  gst_cuda_histo_comparison_set_flushing (&self->comparison, GST_ELEMENT (self), TRUE);
  GST_OBJECT_LOCK (self);
  if (self->use.counter != NULL)
    counter = gst_cuda_histo_counter_ref (self->use.counter);
  GST_OBJECT_UNLOCK (self);
  is_counting = counter != NULL && gst_cuda_histo_counter_is_own_thread (counter);
  if (is_counting)
    gst_cuda_histo_counter_set_flushing (counter, TRUE);
  if (is_counting || gst_cuda_histo_sidecar_is_own_thread (self->sidecar_use.sidecar))
    gst_cuda_histo_sidecar_set_flushing (self->sidecar_use.sidecar, TRUE);
}

GstStateChangeReturn
gst_cuda_histo_change_state (GstElement *element, GstStateChange transition)
{
  GstCudaHisto *self = GST_CUDA_HISTO (element);

  /* In a handler of a message of the start: the pad that is being activated would wait for itself. */
  if (g_atomic_pointer_get (&self->starting.thread) == g_thread_self ()) {
    self->starting.is_refused = TRUE;
    return GST_STATE_CHANGE_FAILURE;
  }
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    gst_cuda_histo_let_go (self);
  return GST_ELEMENT_CLASS (gst_cuda_histo_get_base_class ())->change_state (element, transition);
}
