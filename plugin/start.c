/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gstcudahistoprivate.h"

#include "frame/allocator.h"
#include "frame/cudacontext.h"

/* Serialized queries and events use the counter while `is_started` is set. None does when this returns. Starting takes no such
 * lock: an earlier query or event found no counter, and may be waiting downstream for PLAYING. */
static void
gst_cuda_histo_clear_started (GstCudaHisto *self)
{
  GstPad *sinkpad = GST_BASE_TRANSFORM_SINK_PAD (self);

  GST_PAD_STREAM_LOCK (sinkpad);
  g_atomic_int_set (&self->is_started, FALSE);
  GST_PAD_STREAM_UNLOCK (sinkpad);
}

static gboolean
gst_cuda_histo_open_counter (GstCudaHisto *self)
{
  const struct histo_config config = {
    .backend = (enum histo_backend)self->active.backend,
    .cuda_device = self->active.cuda_device_id,
    .threads = self->active.threads,
  };
  g_autoptr (GError) error = NULL;
  g_autofree gchar *warning = NULL;
  GstCudaHistoCounter *counter;

  counter = gst_cuda_histo_counter_new (&config, self->active.max_in_flight, gst_cuda_histo_get_part_count (self),
                                        self->shared.context, &gst_cuda_histo_counter_callbacks, GST_ELEMENT (self),
                                        GST_CAT_DEFAULT, &error);
  GST_OBJECT_LOCK (self);
  self->counter = counter;
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
  gst_cuda_histo_notify_backend (self, self->counter);
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
                         g_steal_pointer (&warning), g_strdup_printf ("%s counts", self->active_backend));
  return TRUE;
}

/* Releases the reference to the stopped counter. */
static void
gst_cuda_histo_release_counter (GstCudaHisto *self)
{
  GstCudaHistoCounter *counter = self->counter;

  GST_OBJECT_LOCK (self);
  self->counter = NULL; /* not earlier: frames in flight may have moved to the CPU */
  GST_OBJECT_UNLOCK (self);
  gst_cuda_histo_counter_unref (counter);
}

static gboolean
gst_cuda_histo_has_sidecar (GstCudaHisto *self)
{
  gboolean has_sidecar;

  GST_OBJECT_LOCK (self);
  has_sidecar = self->sidecar_location != NULL;
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
    { self->reference_used != NULL, "reference-location", { "reference-mode", "reference-offset" } },
    { self->reference_used == NULL || !is_fixed, "reference-mode=in-step", { "reference-offset" } },
    { (events & GST_CUDA_HISTO_EVENTS_BLACK) != 0, "events=black", { "black-min-duration", "black-ratio", "black-level" } },
    { (events & GST_CUDA_HISTO_EVENTS_FREEZE) != 0, "events=freeze", { "freeze-min-duration", "freeze-noise" } },
    { (events & GST_CUDA_HISTO_EVENTS_SCENE_CHANGE) != 0, "events=scene-change", { "scene-change-threshold" } },
    { (events & GST_CUDA_HISTO_EVENTS_CLIPPED) != 0, "events=clipped", { "clipped-min-duration", "clipped-ratio" } },
    { has_sidecar, "sidecar-location", { "sidecar-mode", "sidecar-slow", "sidecar-bins", "sidecar-arrays" } },
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
      = settings->add_meta || (settings->post_messages && settings->message_arrays != GST_CUDA_HISTO_MESSAGE_ARRAYS_NONE)
        || (gst_cuda_histo_has_sidecar (self) && settings->sidecar_arrays != GST_CUDA_HISTO_SIDECAR_ARRAYS_NONE);
  const guint32 lost = is_carried ? 0 : (guint32)settings->statistics & GST_CUDA_HISTO_ARRAY_STATISTICS;
  g_autofree gchar *names = gst_cuda_histo_name_statistics (lost);

  if (lost != 0)
    GST_ELEMENT_WARNING (
        self, LIBRARY, SETTINGS,
        ("No result has the requested arrays (%s). Set message-arrays, sidecar-arrays with sidecar-location, or "
         "add-meta.",
         names),
        (NULL));
}

/* Posts an element error and returns FALSE if settings contradict each other. Warns of settings without effect. */
static gboolean
gst_cuda_histo_check_settings (GstCudaHisto *self)
{
  const GstCudaHistoSettings *settings = &self->active;
  g_autoptr (GError) error = NULL;

  if (settings->window == GST_CUDA_HISTO_WINDOW_BYTES && settings->window_size == 0) {
    GST_ELEMENT_ERROR (self, LIBRARY, SETTINGS, ("window=bytes needs a window-size of at least 1 byte."), (NULL));
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

static gboolean
gst_cuda_histo_open (GstCudaHisto *self)
{
  g_autoptr (GstCudaHistoPinner) pinner = NULL;

  g_atomic_int_set (&self->settings_changed, FALSE); /* before they are read: the first buffer sees later changes */
  GST_OBJECT_LOCK (self);
  self->active = self->settings;
  g_free (self->reference_used);
  self->reference_used = g_strdup (self->reference_location);
  GST_OBJECT_UNLOCK (self);
  gst_cuda_histo_ledger_reset (&self->ledger);
  gst_cuda_histo_sidecar_reset_counts (self->sidecar);
  g_atomic_int_set (&self->sidecar_check, GST_CUDA_HISTO_SIDECAR_NO_CONFLICT); /* until one is opened */
  g_atomic_int_set (&self->has_failed, FALSE);
  gst_cuda_histo_flush_reference (self, FALSE);
  self->next_frame = self->next_offset = 0;
  self->timestamps = (GstCudaHistoTimestamps){ 0 };
  self->latest.running_time = GST_CLOCK_TIME_NONE;
  self->has_compared = FALSE;
  self->regions.count = self->asked_regions.count = 0;
  self->is_configured = self->is_unaccounted = self->has_partial_buffer = self->awaits_release = FALSE;
  self->has_stream = g_atomic_int_get (&self->stops) == 0;
  g_atomic_int_set (&self->is_like_start, FALSE);
  g_atomic_int_set (&self->has_unknown_end, FALSE);
  gst_cuda_histo_detectors_init (&self->detectors, &self->active.detection);
  self->flushed.n_events = 0;
  gst_cuda_histo_forget_damage (self);
  gst_cuda_histo_notices_reset (&self->notices);
  gst_cuda_histo_window_init (&self->window, GST_CUDA_HISTO_WINDOW_STREAM, 0, 0);

  if (!gst_cuda_histo_check_settings (self) || !gst_cuda_histo_read_weights (self) || !gst_cuda_histo_read_meter_map (self)
      || !gst_cuda_histo_open_sidecar (self))
    return FALSE;
  gst_cuda_histo_look_for_context (self);
  if (!gst_cuda_histo_open_counter (self)) {
    gst_cuda_histo_close_sidecar (self);
    gst_cuda_histo_shared_context_replace (&self->shared, NULL);
    return FALSE;
  }
  if (!gst_cuda_histo_start_sidecar (self)) {
    gst_cuda_histo_counter_stop (self->counter);
    gst_cuda_histo_release_counter (self);
    gst_cuda_histo_notify_backend (self, NULL);
    gst_cuda_histo_close_sidecar (self);
    gst_cuda_histo_shared_context_replace (&self->shared, NULL);
    return FALSE;
  }
  g_atomic_int_set (&self->takes_cuda, gst_cuda_histo_cuda_is_built () && gst_cuda_histo_counter_is_on_gpu (self->counter));
  pinner = gst_cuda_histo_counter_get_pinner (self->counter);
  self->gather = gst_cuda_histo_gather_new (pinner);
  self->frame_allocator = gst_cuda_histo_allocator_new (pinner, 0);
  self->byte_allocator = gst_cuda_histo_allocator_new (pinner, GST_CUDA_HISTO_GATHER_COPIED);
  gst_base_transform_set_passthrough (GST_BASE_TRANSFORM_CAST (self), !self->active.add_meta);
  g_atomic_int_set (&self->is_started, TRUE); /* last */
  return TRUE;
}

gboolean
gst_cuda_histo_start (GstBaseTransform *base)
{
  GstCudaHisto *self = GST_CUDA_HISTO (base);
  gboolean is_open;

  self->is_start_refused = FALSE;
  g_atomic_pointer_set (&self->starter, g_thread_self ());
  is_open = gst_cuda_histo_open (self);
  if (is_open && self->is_start_refused) {
    gst_cuda_histo_stop (base);
    is_open = FALSE;
    GST_ELEMENT_ERROR (self, CORE, STATE_CHANGE, ("The start was abandoned: a message handler requested another state."),
                       (NULL));
  }
  g_atomic_pointer_set (&self->starter, NULL);
  return is_open;
}

/* Reports the open window and stops the counter, at the end of the stream. */
static void
gst_cuda_histo_close_counter (GstCudaHisto *self)
{
  GstCudaHistoCounter *counter = self->counter;
  guint64 pending;

  gst_cuda_histo_counter_begin_stop (counter);
  gst_cuda_histo_end_window_early (self, GST_CUDA_HISTO_ENDED_BY_STOP);
  gst_cuda_histo_counter_stop (counter);
  gst_cuda_histo_report_end_damage (self, GST_CUDA_HISTO_ENDED_BY_STOP);
  pending = gst_cuda_histo_ledger_discard_pending (&self->ledger);
  if (pending > 0)
    GST_WARNING_OBJECT (self, "%" G_GUINT64_FORMAT " frames are in no result", pending);
  gst_cuda_histo_release_counter (self);
  gst_cuda_histo_distances_clear (&self->distances);
  gst_cuda_histo_active_pictures_take (self->active_pictures, NULL);
  gst_cuda_histo_clear_weights (self);
  gst_cuda_histo_clear_meter (self);
}

gboolean
gst_cuda_histo_stop (GstBaseTransform *base)
{
  GstCudaHisto *self = GST_CUDA_HISTO (base);

  gst_cuda_histo_clear_started (self);
  g_atomic_int_inc (&self->stops);
  g_atomic_int_inc (&self->breaks);
  if (self->counter != NULL)
    gst_cuda_histo_close_counter (self);
  gst_cuda_histo_check_time (self, GST_CLOCK_TIME_NONE);
  gst_cuda_histo_notices_finish (&self->notices, GST_ELEMENT (self));
  gst_cuda_histo_close_reference (self);
  g_clear_pointer (&self->gather, gst_cuda_histo_gather_free);
  gst_clear_object (&self->frame_allocator);
  gst_clear_object (&self->byte_allocator);
  gst_cuda_histo_close_sidecar (self);
  gst_cuda_histo_shared_context_replace (&self->shared, NULL);
  gst_caps_replace (&self->caps, NULL);
  gst_cuda_histo_forget_refusal (self);
  g_queue_clear_full (&self->structures, (GDestroyNotify)gst_structure_free);
  self->is_configured = FALSE;
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

  gst_cuda_histo_sidecar_stop (self->sidecar);
  gst_cuda_histo_flush_reference (self, TRUE);
  GST_OBJECT_LOCK (self);
  if (self->counter != NULL)
    counter = gst_cuda_histo_counter_ref (self->counter);
  GST_OBJECT_UNLOCK (self);
  is_counting = counter != NULL && gst_cuda_histo_counter_is_own_thread (counter);
  if (is_counting)
    gst_cuda_histo_counter_set_flushing (counter, TRUE);
  if (is_counting || gst_cuda_histo_sidecar_is_own_thread (self->sidecar))
    gst_cuda_histo_sidecar_set_flushing (self->sidecar, TRUE);
}

GstStateChangeReturn
gst_cuda_histo_change_state (GstElement *element, GstStateChange transition)
{
  GstCudaHisto *self = GST_CUDA_HISTO (element);

  /* In a handler of a message of the start: the pad that is being activated would wait for itself. */
  if (g_atomic_pointer_get (&self->starter) == g_thread_self ()) {
    self->is_start_refused = TRUE;
    return GST_STATE_CHANGE_FAILURE;
  }
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    gst_cuda_histo_let_go (self);
  return GST_ELEMENT_CLASS (gst_cuda_histo_base_class)->change_state (element, transition);
}
