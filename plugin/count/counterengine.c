/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The engine of the counter: its log and its replacement. */

#include "count/counterprivate.h"

void
gst_cuda_histo_counter_log (void *user_data, enum histo_log_level level, const char *message)
{
  static const GstDebugLevel levels[]
      = { [HISTO_LOG_ERROR] = GST_LEVEL_WARNING, [HISTO_LOG_WARNING] = GST_LEVEL_WARNING, [HISTO_LOG_INFO] = GST_LEVEL_INFO };
  GstCudaHistoCounter *counter = user_data;
  gchar **text;

  GST_CAT_LEVEL_LOG (counter->category, levels[level], counter->owner, "%s", message);
  if (level == HISTO_LOG_INFO)
    return;
  g_mutex_lock (&counter->log_lock);
  text = level == HISTO_LOG_ERROR ? &counter->log_text : &counter->warning;
  g_free (*text);
  *text = g_strdup (message);
  g_mutex_unlock (&counter->log_lock);
}

gchar *
gst_cuda_histo_counter_get_reason (GstCudaHistoCounter *counter, enum histo_status status)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&counter->log_lock);

  return g_strdup (counter->log_text != NULL ? counter->log_text : histo_status_text (status));
}

void
gst_cuda_histo_counter_use_engine (GstCudaHistoCounter *counter)
{
  const struct histo_info *info = histo_engine_info (counter->engine);

  g_mutex_lock (&counter->lock);
  g_atomic_int_set (&counter->active_backend, (gint)info->backend);
  counter->backend = g_intern_string (info->backend_name);
  counter->device = g_intern_string (info->device_name);
  counter->engine_limit = info->max_in_flight;
  gst_cuda_histo_counter_announce (counter);
  g_mutex_unlock (&counter->lock);
  /* With `auto`, the GPU's errors may have been logged before the CPU opened. They do not explain a later failure. */
  g_mutex_lock (&counter->log_lock);
  g_clear_pointer (&counter->log_text, g_free);
  g_mutex_unlock (&counter->log_lock);
}

enum histo_status
gst_cuda_histo_counter_give_weights (const GstCudaHistoCounter *counter, struct histo_engine *engine, guint component)
{
  const GstCudaHistoWeights *given = &counter->weights[component];
  struct histo_weights weights = { 0 };
  gsize size;

  if (given->row != NULL) {
    weights.row = g_bytes_get_data (given->row, &size);
    weights.row_count = size / sizeof *weights.row;
  }
  if (given->column != NULL) {
    weights.column = g_bytes_get_data (given->column, &size);
    weights.column_count = size / sizeof *weights.column;
  }
  return histo_set_weights (engine, component, &weights);
}

struct histo_engine *
gst_cuda_histo_counter_open_engine (const GstCudaHistoCounter *counter, enum histo_backend backend, guint limit)
{
  struct histo_config config = counter->config;
  struct histo_engine *engine = NULL;

  config.backend = backend;
  config.max_in_flight = limit;
  if (histo_open (&config, &engine) != HISTO_OK)
    return NULL;
  for (guint c = 0; engine != NULL && c < HISTO_MAX_COUNTED; c++) {
    if (gst_cuda_histo_counter_give_weights (counter, engine, c) != HISTO_OK)
      histo_close (&engine);
  }
  return engine;
}

struct histo_engine *
gst_cuda_histo_counter_exchange_engine (GstCudaHistoCounter *counter, struct histo_engine *engine)
{
  struct histo_engine *previous;
  guint pending;

  g_mutex_lock (&counter->submit_lock);
  g_mutex_lock (&counter->lock);
  pending = counter->pending;
  g_mutex_unlock (&counter->lock);
  g_assert (pending == 0); /* a frame in flight would be lost: the other engine cannot collect it */
  previous = counter->engine;
  counter->engine = engine;
  gst_cuda_histo_counter_use_engine (counter);
  g_mutex_unlock (&counter->submit_lock);
  return previous;
}
