/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* bus FILE|URI: prints a film's luma, one line a second, and its events, from messages on the bus. */

#include <cudahisto/gstcudahisto.h>

#define NO_VIDEO "No video found, or no installed plugin decodes it; list the streams with gst-discoverer-1.0."

static void
print_result (const GstCudaHistoResult *result)
{
  const GstCudaHistoComponent *luma = gst_cuda_histo_result_get_main_component (result);

  if (luma != NULL)
    g_print ("%9.3f s: %" G_GUINT64_FORMAT " frames, mean %6.2f, most within %u to %u\n",
             (gdouble)result->stream_time / GST_SECOND, result->frames, luma->mean, luma->low, luma->high);
}

static void
print_event (const GstCudaHistoEvent *event)
{
  g_print ("%9.3f s: %s", (gdouble)event->start / GST_SECOND, event->kind);
  if (event->ended_by == NULL)
    g_print (" begins");
  else if (GST_CLOCK_TIME_IS_VALID (event->end) && event->end != event->start)
    g_print (", until %.3f s", (gdouble)event->end / GST_SECOND);
  g_print ("\n");
}

/* FALSE at the end of the film and after an error. */
static gboolean
read_message (GstMessage *message, int *status)
{
  GstCudaHistoResult *result = gst_cuda_histo_result_from_message (message);
  GstCudaHistoEvent *event = gst_cuda_histo_event_from_message (message);
  GError *error = NULL;

  if (result != NULL) {
    print_result (result);
    gst_cuda_histo_result_unref (result);
  } else if (event != NULL) {
    print_event (event);
    gst_cuda_histo_event_unref (event);
  } else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    gst_message_parse_error (message, &error, NULL);
    g_printerr ("%s\n", g_error_matches (error, GST_CORE_ERROR, GST_CORE_ERROR_MISSING_PLUGIN) ? NO_VIDEO : error->message);
    g_error_free (error);
    *status = 1;
    return FALSE;
  }
  return GST_MESSAGE_TYPE (message) != GST_MESSAGE_EOS;
}

int
main (int argc, char **argv)
{
  GstElement *pipeline, *source;
  GError *error = NULL;
  GstBus *bus;
  gboolean goes_on = TRUE;
  gchar *uri;
  int status = 0;

  gst_init (&argc, &argv);
  if (argc != 2) {
    g_printerr ("usage: bus FILE|URI\n");
    return 2;
  }
  pipeline
      = gst_parse_launch ("uridecodebin name=source caps=video/x-raw ! videoconvert"
                          " ! cudahisto interval=1000000000 message-arrays=none events=black+freeze+scene-change ! fakesink",
                          &error);
  if (pipeline == NULL) {
    g_printerr ("%s\n", error->message);
    return 1;
  }
  uri = gst_uri_is_valid (argv[1]) ? g_strdup (argv[1]) : gst_filename_to_uri (argv[1], NULL);
  source = gst_bin_get_by_name (GST_BIN (pipeline), "source");
  g_object_set (source, "uri", uri, NULL);
  bus = gst_element_get_bus (pipeline);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while (goes_on) {
    GstMessage *message
        = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE, GST_MESSAGE_ELEMENT | GST_MESSAGE_ERROR | GST_MESSAGE_EOS);

    goes_on = read_message (message, &status);
    gst_message_unref (message);
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (source);
  gst_object_unref (bus);
  gst_object_unref (pipeline);
  g_free (uri);
  return status;
}
