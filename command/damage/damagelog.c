/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "damage/damagelog.h"

#include <string.h>

#define LIBAV "libav" /* the category of libav's own messages */

struct _DamageLog {
  GHashTable *decoders, *demuxers; /* elements; guarded by the lock of all logs */
  gboolean has_libav, has_foreign;
  GThread *demuxing;     /* the demuxer's thread, not owned; atomic */
  gint errors, warnings; /* atomic */
};

static GMutex lock; /* do not log while holding it */
static GSList *logs;

/* Returns whether this log watches all of libav's decoders in the process; libav does not report which one has an error. Call
 * it with the lock. */
static gboolean
damage_log_owns_libav (const DamageLog *log)
{
  if (!log->has_libav || log->has_foreign)
    return FALSE;
  for (const GSList *other = logs; other != NULL; other = other->next)
    if (other->data != log && ((const DamageLog *)other->data)->has_libav)
      return FALSE;
  return TRUE;
}

/* flvdemux warns at each end of a file, and at the tag that FFmpeg and others write after the last frame of H.264. */
static gboolean
damage_log_is_end (const gchar *function, GstDebugMessage *message)
{
  return g_str_has_suffix (function, "_pull_range")
         || (strcmp (function, "gst_flv_demux_parse_tag_video") == 0
             && g_str_has_suffix (gst_debug_message_get (message), "invalid video packet type 2"));
}

/* With the lock. */
static void
damage_log_take (DamageLog *log, const gchar *category, GstDebugLevel level, const gchar *function, gpointer object,
                 GstDebugMessage *message)
{
  if (object == NULL) {
    if (level <= GST_LEVEL_ERROR && strcmp (category, LIBAV) == 0 && damage_log_owns_libav (log)
        && g_atomic_pointer_get (&log->demuxing) != g_thread_self ())
      g_atomic_int_inc (&log->errors);
  } else if (g_hash_table_contains (log->decoders, object)) {
    if (strcmp (function, "_gst_video_decoder_error") == 0)
      g_atomic_int_inc (&log->errors);
  } else if (g_hash_table_contains (log->demuxers, object)) {
    if (!damage_log_is_end (function, message))
      g_atomic_int_inc (&log->warnings);
  }
}

static void
damage_log_read (GstDebugCategory *category, GstDebugLevel level, const gchar *file G_GNUC_UNUSED, const gchar *function,
                 gint line G_GNUC_UNUSED, GObject *object, GstDebugMessage *message, gpointer user_data G_GNUC_UNUSED)
{
  if (level > GST_LEVEL_WARNING)
    return;
  g_mutex_lock (&lock);
  for (const GSList *log = logs; log != NULL; log = log->next)
    damage_log_take (log->data, gst_debug_category_get_name (category), level, function, object, message);
  g_mutex_unlock (&lock);
}

/* Categories appear when their plugins load. One that GST_DEBUG has set higher keeps its level. */
static void
damage_log_enable (const gchar *name, GstDebugLevel level)
{
  GSList *all = gst_debug_get_all_categories ();

  for (const GSList *category = all; category != NULL; category = category->next)
    if (strcmp (gst_debug_category_get_name (category->data), name) == 0
        && gst_debug_category_get_threshold (category->data) < level)
      gst_debug_category_set_threshold (category->data, level);
  g_slist_free (all);
}

/* Without GST_DEBUG, removes GStreamer's own log function, which would print the messages. The parentheses avoid macros of the
 * same names, which convert function pointers to data pointers. */
static gpointer
damage_log_install (gpointer user_data)
{
  const gchar *wanted = g_getenv ("GST_DEBUG");

  if (wanted == NULL || *wanted == '\0')
    (gst_debug_remove_log_function) (NULL);
  (gst_debug_add_log_function) (damage_log_read, NULL, NULL);
  return user_data;
}

DamageLog *
damage_log_new (void)
{
  static GOnce once = G_ONCE_INIT;
  DamageLog *log = g_new0 (DamageLog, 1);

  g_once (&once, damage_log_install, NULL);
  log->decoders = g_hash_table_new (NULL, NULL);
  log->demuxers = g_hash_table_new (NULL, NULL);
  g_mutex_lock (&lock);
  logs = g_slist_prepend (logs, log);
  g_mutex_unlock (&lock);
  return log;
}

void
damage_log_free (DamageLog *log)
{
  g_mutex_lock (&lock);
  logs = g_slist_remove (logs, log);
  g_mutex_unlock (&lock);
  g_hash_table_unref (log->decoders);
  g_hash_table_unref (log->demuxers);
  g_free (log);
}

void
damage_log_expect_foreign (DamageLog *log)
{
  g_mutex_lock (&lock);
  log->has_foreign = TRUE;
  g_mutex_unlock (&lock);
}

void
damage_log_watch_decoder (DamageLog *log, GstElement *decoder)
{
  const gboolean is_libav = g_str_has_prefix (GST_OBJECT_NAME (gst_element_get_factory (decoder)), "avdec_");

  damage_log_enable ("videodecoder", GST_LEVEL_WARNING);
  if (is_libav)
    damage_log_enable (LIBAV, GST_LEVEL_ERROR);
  g_mutex_lock (&lock);
  g_hash_table_add (log->decoders, decoder);
  log->has_libav |= is_libav;
  g_mutex_unlock (&lock);
}

void
damage_log_watch_demuxer (DamageLog *log, GstElement *demuxer)
{
  damage_log_enable (GST_OBJECT_NAME (gst_element_get_factory (demuxer)), GST_LEVEL_WARNING);
  g_mutex_lock (&lock);
  g_hash_table_add (log->demuxers, demuxer);
  g_mutex_unlock (&lock);
}

void
damage_log_enter_demuxer (DamageLog *log)
{
  g_atomic_pointer_set (&log->demuxing, g_thread_self ());
}

gint
damage_log_get_errors (DamageLog *log)
{
  return g_atomic_int_get (&log->errors);
}

gint
damage_log_get_warnings (DamageLog *log)
{
  return g_atomic_int_get (&log->warnings);
}
