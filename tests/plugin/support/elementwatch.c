/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "elementwatch.h"

static struct {
  GMutex lock; /* for all members; not held while the function runs, which may stop and start elements */
  GCond returned;
  ElementAdded added; /* NULL: no watch */
  gpointer data;
  guint n_running;
} watch;

static gboolean
take_element (GSignalInvocationHint *hint, guint n_values, const GValue *values, gpointer unused)
{
  ElementAdded added;
  gpointer data;

  (void)hint, (void)n_values, (void)unused;
  g_mutex_lock (&watch.lock);
  added = watch.added;
  data = watch.data;
  if (added != NULL)
    watch.n_running++;
  g_mutex_unlock (&watch.lock);
  if (added == NULL)
    return TRUE;
  added (g_value_get_object (&values[1]), data);
  g_mutex_lock (&watch.lock);
  watch.n_running--;
  g_cond_signal (&watch.returned);
  g_mutex_unlock (&watch.lock);
  return TRUE;
}

void
element_watch_start (ElementAdded added, gpointer data)
{
  static gsize is_hooked;

  if (g_once_init_enter (&is_hooked)) {
    g_type_class_ref (GST_TYPE_BIN);
    g_signal_add_emission_hook (g_signal_lookup ("element-added", GST_TYPE_BIN), 0, take_element, NULL, NULL);
    g_once_init_leave (&is_hooked, 1);
  }
  g_mutex_lock (&watch.lock);
  g_assert (watch.added == NULL);
  watch.added = added;
  watch.data = data;
  g_mutex_unlock (&watch.lock);
}

void
element_watch_end (void)
{
  g_mutex_lock (&watch.lock);
  watch.added = NULL;
  while (watch.n_running > 0)
    g_cond_wait (&watch.returned, &watch.lock);
  g_mutex_unlock (&watch.lock);
}
