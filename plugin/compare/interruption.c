/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "compare/interruption.h"

#include <gst/base/gstbasesrc.h>

#define INTERRUPT_US (G_USEC_PER_SEC / 10)

void
gst_cuda_histo_interruption_init (GstCudaHistoInterruption *interruption, GstElement *pipeline)
{
  interruption->pipeline = pipeline;
  g_mutex_init (&interruption->lock);
  interruption->begun = g_hash_table_new_full (NULL, NULL, gst_object_unref, g_free);
}

void
gst_cuda_histo_interruption_clear (GstCudaHistoInterruption *interruption)
{
  g_mutex_clear (&interruption->lock);
  g_hash_table_unref (interruption->begun);
}

void
gst_cuda_histo_interruption_set_waiting (GstCudaHistoInterruption *interruption, gboolean is_waiting)
{
  g_mutex_lock (&interruption->lock);
  interruption->is_waiting = is_waiting;
  g_mutex_unlock (&interruption->lock);
}

/* Whether the source has started. From then on GstBaseSrc balances each unlock() with an unlock_stop() before it calls
 * stop(). */
static gboolean
gst_cuda_histo_interruption_has_begun (GstElement *element)
{
  gboolean has_begun;

  if (!GST_IS_BASE_SRC (element))
    return FALSE;
  GST_OBJECT_LOCK (element);
  has_begun = GST_BASE_SRC_IS_STARTING (element) || GST_BASE_SRC_IS_STARTED (element);
  GST_OBJECT_UNLOCK (element);
  return has_begun;
}

static void
gst_cuda_histo_interruption_unlock (const GValue *item, gpointer user_data)
{
  GstElement *element = g_value_get_object (item);
  GHashTable *begun = user_data;
  const gint64 now = g_get_monotonic_time ();
  const gint64 *since = g_hash_table_lookup (begun, element);

  if (!gst_cuda_histo_interruption_has_begun (element))
    g_hash_table_remove (begun, element);
  else if (since == NULL)
    g_hash_table_insert (begun, gst_object_ref (element), g_memdup2 (&now, sizeof now));
  else if (now - *since >= INTERRUPT_US && GST_BASE_SRC_GET_CLASS (element)->unlock != NULL)
    GST_BASE_SRC_GET_CLASS (element)->unlock (GST_BASE_SRC (element));
}

void
gst_cuda_histo_interruption_make (GstCudaHistoInterruption *interruption)
{
  GstIterator *elements;

  g_mutex_lock (&interruption->lock);
  elements = interruption->is_waiting ? gst_bin_iterate_recurse (GST_BIN (interruption->pipeline)) : NULL;
  if (elements != NULL) {
    while (gst_iterator_foreach (elements, gst_cuda_histo_interruption_unlock, interruption->begun) == GST_ITERATOR_RESYNC)
      gst_iterator_resync (elements);
    gst_iterator_free (elements);
  }
  g_mutex_unlock (&interruption->lock);
}
