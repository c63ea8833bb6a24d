/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "play/watchdog.h"

#define BLOCK_BYTES (16 * 1024)
#define MOST_BLOCKS (G_GUINT64_CONSTANT (1) << 32) /* 64 TiB; reads beyond that are not counted as progress */
#define MOST_STEP_US (G_USEC_PER_SEC / 2)          /* longest time between two calls that counts */

struct _Watchdog {
  gint progress;          /* atomic: counts progress */
  gint n_sources, n_ends; /* atomic: pads that push, and those that pushed EOS */
  GMutex lock;            /* for `read` */
  GByteArray *read;       /* a bit for each block of a file that was read */
  gint seen;              /* only for watchdog_check(), like the next ones: progress at its last call */
  gint64 last_us, quiet_us;
};

/* Returns whether a part of the range is new. */
static gboolean
watchdog_take_range (Watchdog *watchdog, guint64 offset, guint64 size)
{
  const guint64 first = offset / BLOCK_BYTES, last = (offset + MAX (size, 1) - 1) / BLOCK_BYTES;
  gboolean is_new = FALSE;

  if (last >= MOST_BLOCKS)
    return FALSE;
  g_mutex_lock (&watchdog->lock);
  if (watchdog->read->len <= last / 8) {
    const guint length = watchdog->read->len;

    g_byte_array_set_size (watchdog->read, (guint)(last / 8 + 1));
    memset (watchdog->read->data + length, 0, watchdog->read->len - length);
  }
  for (guint64 i = first; i <= last; i++) {
    const guint8 bit = (guint8)(1U << (i % 8));

    is_new = is_new || !(watchdog->read->data[i / 8] & bit);
    watchdog->read->data[i / 8] |= bit;
  }
  g_mutex_unlock (&watchdog->lock);
  return is_new;
}

static GstPadProbeReturn
watchdog_take_source (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info, gpointer user_data)
{
  Watchdog *watchdog = user_data;

  if (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM) {
    if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_EOS)
      g_atomic_int_inc (&watchdog->n_ends);
  } else if (!(GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_PULL)
             || watchdog_take_range (watchdog, GST_PAD_PROBE_INFO_OFFSET (info),
                                     gst_buffer_get_size (GST_PAD_PROBE_INFO_BUFFER (info)))) {
    g_atomic_int_inc (&watchdog->progress);
  }
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
watchdog_take_buffer (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info G_GNUC_UNUSED, gpointer user_data)
{
  Watchdog *watchdog = user_data;

  g_atomic_int_inc (&watchdog->progress);
  return GST_PAD_PROBE_OK;
}

static void
watchdog_take_pad (GstElement *element G_GNUC_UNUSED, GstPad *pad, gpointer user_data)
{
  Watchdog *watchdog = user_data;

  if (!GST_PAD_IS_SRC (pad))
    return;
  g_atomic_int_inc (&watchdog->n_sources);
  gst_pad_add_probe (pad,
                     GST_PAD_PROBE_TYPE_PUSH | GST_PAD_PROBE_TYPE_PULL | GST_PAD_PROBE_TYPE_BUFFER
                         | GST_PAD_PROBE_TYPE_BUFFER_LIST | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
                     watchdog_take_source, watchdog, NULL);
}

static void
watchdog_take_element (GstBin *pipeline G_GNUC_UNUSED, GstBin *bin G_GNUC_UNUSED, GstElement *element, gpointer user_data)
{
  g_autoptr (GstIterator) pads = NULL;
  g_auto (GValue) value = G_VALUE_INIT;

  if (GST_IS_BIN (element) || !GST_OBJECT_FLAG_IS_SET (element, GST_ELEMENT_FLAG_SOURCE))
    return;
  pads = gst_element_iterate_src_pads (element);
  while (gst_iterator_next (pads, &value) == GST_ITERATOR_OK) {
    watchdog_take_pad (element, g_value_get_object (&value), user_data);
    g_value_reset (&value);
  }
  g_signal_connect (element, "pad-added", G_CALLBACK (watchdog_take_pad), user_data);
}

Watchdog *
watchdog_new (GstElement *pipeline)
{
  Watchdog *watchdog = g_new0 (Watchdog, 1);

  g_mutex_init (&watchdog->lock);
  watchdog->read = g_byte_array_new ();
  watchdog->last_us = g_get_monotonic_time ();
  g_signal_connect (pipeline, "deep-element-added", G_CALLBACK (watchdog_take_element), watchdog);
  return watchdog;
}

void
watchdog_free (Watchdog *watchdog)
{
  g_byte_array_unref (watchdog->read);
  g_mutex_clear (&watchdog->lock);
  g_free (watchdog);
}

void
watchdog_watch (Watchdog *watchdog, GstPad *pad)
{
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST, watchdog_take_buffer, watchdog, NULL);
}

guint64
watchdog_check (Watchdog *watchdog, gboolean is_held_up)
{
  const gint64 now = g_get_monotonic_time ();
  const gint progress = g_atomic_int_get (&watchdog->progress);

  if (progress != watchdog->seen)
    watchdog->quiet_us = 0;
  else if (!is_held_up)
    watchdog->quiet_us += MIN (now - watchdog->last_us, MOST_STEP_US);
  watchdog->seen = progress;
  watchdog->last_us = now;
  return (guint64)watchdog->quiet_us * 1000;
}

gboolean
watchdog_has_ended (Watchdog *watchdog)
{
  const gint n_ends = g_atomic_int_get (&watchdog->n_ends);

  return n_ends > 0 && n_ends >= g_atomic_int_get (&watchdog->n_sources);
}

void
watchdog_reset (Watchdog *watchdog)
{
  watchdog->quiet_us = 0;
}
