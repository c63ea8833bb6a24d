/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "play/backlog.h"

#define MOST_RESULTS 64
#define MOST_EVENTS 1024 /* events are rare and must not be lost */

struct _Backlog {
  GstBus *bus;
  GstElement *element;
  GMutex lock; /* for the members below */
  GCond is_shorter;
  guint length;
  guint64 dropped;
  gboolean is_released;
};

/* Called on the posting thread, since the reading one may be blocked. */
static gboolean
backlog_is_live (Backlog *backlog)
{
  g_autoptr (GstPad) sink = gst_element_get_static_pad (backlog->element, "sink");
  g_autoptr (GstQuery) query = gst_query_new_latency ();
  gboolean is_live = FALSE;

  if (gst_pad_peer_query (sink, query))
    gst_query_parse_latency (query, &is_live, NULL, NULL);
  return is_live;
}

/* FALSE: the message is dropped. */
static gboolean
backlog_add (Backlog *backlog, guint most)
{
  gboolean is_live, is_added;

  g_mutex_lock (&backlog->lock);
  if (backlog->length >= most && !backlog->is_released) {
    g_mutex_unlock (&backlog->lock);
    is_live = backlog_is_live (backlog);
    g_mutex_lock (&backlog->lock);
    while (!is_live && backlog->length >= most && !backlog->is_released)
      g_cond_wait (&backlog->is_shorter, &backlog->lock);
  }
  is_added = backlog->length < most || backlog->is_released;
  if (is_added)
    backlog->length++;
  else
    backlog->dropped++;
  g_mutex_unlock (&backlog->lock);
  return is_added;
}

static GstBusSyncReply
backlog_handle (GstBus *bus G_GNUC_UNUSED, GstMessage *message, gpointer user_data)
{
  Backlog *backlog = user_data;

  if (GST_MESSAGE_TYPE (message) != GST_MESSAGE_ELEMENT || GST_MESSAGE_SRC (message) != GST_OBJECT (backlog->element)
      || backlog_add (backlog, gst_message_has_name (message, "cudahisto-event") ? MOST_EVENTS : MOST_RESULTS))
    return GST_BUS_PASS;
  gst_message_unref (message);
  return GST_BUS_DROP;
}

Backlog *
backlog_new (GstBus *bus, GstElement *element)
{
  Backlog *backlog = g_new0 (Backlog, 1);

  g_mutex_init (&backlog->lock);
  g_cond_init (&backlog->is_shorter);
  backlog->bus = bus;
  backlog->element = element;
  gst_bus_set_sync_handler (bus, backlog_handle, backlog, NULL);
  return backlog;
}

void
backlog_free (Backlog *backlog)
{
  gst_bus_set_sync_handler (backlog->bus, NULL, NULL, NULL);
  g_cond_clear (&backlog->is_shorter);
  g_mutex_clear (&backlog->lock);
  g_free (backlog);
}

void
backlog_take_off (Backlog *backlog)
{
  g_mutex_lock (&backlog->lock);
  backlog->length--;
  g_cond_broadcast (&backlog->is_shorter);
  g_mutex_unlock (&backlog->lock);
}

void
backlog_release (Backlog *backlog)
{
  g_mutex_lock (&backlog->lock);
  backlog->is_released = TRUE;
  g_cond_broadcast (&backlog->is_shorter);
  g_mutex_unlock (&backlog->lock);
}

guint64
backlog_take_dropped (Backlog *backlog)
{
  guint64 dropped;

  g_mutex_lock (&backlog->lock);
  dropped = backlog->dropped;
  backlog->dropped = 0;
  g_mutex_unlock (&backlog->lock);
  return dropped;
}
