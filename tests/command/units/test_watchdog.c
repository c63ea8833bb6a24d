/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Progress of sources that are read at random, and of those that push, and time that is not counted. */

#include <glib/gstdio.h>

#include "cases.h"
#include "play/watchdog.h"

#define BYTES (1 << 20)
#define WAIT_US 20000

static GstElement *pipeline;
static Watchdog *watchdog;
static gchar *path;

static void
make_watchdog (void)
{
  g_autofree gchar *bytes = g_malloc0 (BYTES);
  gint fd = g_file_open_tmp ("watchdogXXXXXX", &path, NULL);

  g_close (fd, NULL);
  ck_assert (g_file_set_contents (path, bytes, BYTES, NULL));
  pipeline = gst_object_ref_sink (gst_pipeline_new (NULL));
  watchdog = watchdog_new (pipeline);
}

static void
free_watchdog (void)
{
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
  watchdog_free (watchdog);
  g_unlink (path);
  g_clear_pointer (&path, g_free);
}

static gboolean
has_progress (void)
{
  g_usleep (WAIT_US);
  return watchdog_check (watchdog, FALSE) == 0;
}

static void
pull (GstPad *pad, guint64 offset, guint size)
{
  g_autoptr (GstBuffer) buffer = NULL;

  ck_assert_int_eq (gst_pad_get_range (pad, offset, size, &buffer), GST_FLOW_OK);
}

TEST_FIXTURE (make_watchdog, free_watchdog)

/* Repeated reads of the same place are not progress; nor is a part of a previous read. */
TEST (test_read_anywhere)
{
  GstElement *source = gst_element_factory_make ("filesrc", NULL);
  g_autoptr (GstPad) pad = gst_element_get_static_pad (source, "src");

  g_object_set (source, "location", path, NULL);
  gst_bin_add (GST_BIN (pipeline), source);
  ck_assert_int_eq (gst_element_set_state (source, GST_STATE_READY), GST_STATE_CHANGE_SUCCESS);
  ck_assert (gst_pad_activate_mode (pad, GST_PAD_MODE_PULL, TRUE));
  ck_assert (!has_progress ());
  pull (pad, BYTES / 2, 4096);
  ck_assert (has_progress ());
  for (guint i = 0; i < 10; i++) {
    pull (pad, BYTES / 2, 4096);
    ck_assert (!has_progress ());
  }
  pull (pad, 0, BYTES / 2);
  ck_assert (has_progress ());
  pull (pad, BYTES / 4, BYTES / 4);
  ck_assert (!has_progress ());
  pull (pad, 0, BYTES);
  ck_assert (has_progress ());
  ck_assert (!watchdog_has_ended (watchdog));
  gst_pad_activate_mode (pad, GST_PAD_MODE_PULL, FALSE);
}

/* All pushed data counts, and the end is known. */
TEST (test_pushed)
{
  GstElement *source = gst_element_factory_make ("fakesrc", NULL), *sink = gst_element_factory_make ("fakesink", NULL);
  g_autoptr (GstBus) bus = gst_pipeline_get_bus (GST_PIPELINE (pipeline));
  GstMessage *message;

  gst_util_set_object_arg (G_OBJECT (source), "num-buffers", "3");
  gst_bin_add_many (GST_BIN (pipeline), source, sink, NULL);
  ck_assert (gst_element_link (source, sink));
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, 60 * GST_SECOND, GST_MESSAGE_EOS);
  ck_assert (message != NULL);
  gst_message_unref (message);
  ck_assert (has_progress ());
  ck_assert (!has_progress ());
  ck_assert (watchdog_has_ended (watchdog));
  gst_element_set_state (pipeline, GST_STATE_NULL); /* the threads must end before the fixture */
}

/* Excludes time for others, and time without calls beyond a step. */
TEST (test_time)
{
  guint64 quiet;

  ck_assert (!has_progress ());
  quiet = watchdog_check (watchdog, FALSE);
  g_usleep (WAIT_US);
  ck_assert_uint_eq (watchdog_check (watchdog, TRUE), quiet);
  g_usleep (WAIT_US);
  ck_assert_uint_ge (watchdog_check (watchdog, FALSE), quiet + G_GUINT64_CONSTANT (1000) * WAIT_US);
  quiet = watchdog_check (watchdog, FALSE);
  g_usleep (2 * G_USEC_PER_SEC);
  ck_assert_uint_le (watchdog_check (watchdog, FALSE), quiet + GST_SECOND);
  watchdog_reset (watchdog);
  ck_assert_uint_le (watchdog_check (watchdog, FALSE), GST_SECOND);
}

TEST_MAIN
