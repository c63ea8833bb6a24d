/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* probe FILE|URI: drops the dark frames of a film, by the meta on each buffer. A recorder would do that before its encoder;
 * here a fakesink receives the remaining frames. */

#include <cudahisto/gstcudahisto.h>

#define DARK 32         /* 8-bit luma below this is dark */
#define DARK_SHARE 0.98 /* a frame is dark if this share of its luma is */
#define NO_VIDEO "No video found, or no installed plugin decodes it; list the streams with gst-discoverer-1.0."

typedef struct {
  guint kept, dropped; /* used by the streaming thread */
} Counts;

static gboolean
is_dark (const GstCudaHistoResult *result)
{
  const GstCudaHistoComponent *luma = gst_cuda_histo_result_get_main_component (result);
  gsize n_bins;
  const guint64 *bins = luma != NULL ? gst_cuda_histo_component_get_histogram (luma, &n_bins) : NULL;
  guint64 n_dark = 0;

  for (gsize value = 0; bins != NULL && value < MIN (n_bins, DARK); value++)
    n_dark += bins[value];
  return bins != NULL && (gdouble)n_dark >= DARK_SHARE * (gdouble)luma->count;
}

/* GstPadProbeCallback */
static GstPadProbeReturn
judge_buffer (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info, gpointer user_data)
{
  GstCudaHistoResult *result = gst_cuda_histo_result_from_buffer (GST_PAD_PROBE_INFO_BUFFER (info));
  Counts *counts = user_data;
  gboolean is_dropped = result != NULL && is_dark (result);

  if (result != NULL)
    gst_cuda_histo_result_unref (result);
  if (is_dropped)
    counts->dropped++;
  else
    counts->kept++;
  return is_dropped ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK;
}

int
main (int argc, char **argv)
{
  Counts counts = { 0, 0 };
  GstElement *pipeline, *source, *histo;
  GError *error = NULL;
  GstMessage *message;
  GstPad *pad;
  GstBus *bus;
  gchar *uri;
  int status = 0;

  gst_init (&argc, &argv);
  if (argc != 2) {
    g_printerr ("usage: probe FILE|URI\n");
    return 2;
  }
  pipeline = gst_parse_launch ("uridecodebin name=source caps=video/x-raw ! videoconvert ! cudahisto"
                               " name=histo add-meta=true post-messages=false message-arrays=packed ! fakesink",
                               &error);
  if (pipeline == NULL) {
    g_printerr ("%s\n", error->message);
    return 1;
  }
  source = gst_bin_get_by_name (GST_BIN (pipeline), "source");
  histo = gst_bin_get_by_name (GST_BIN (pipeline), "histo");
  uri = gst_uri_is_valid (argv[1]) ? g_strdup (argv[1]) : gst_filename_to_uri (argv[1], NULL);
  g_object_set (source, "uri", uri, NULL);
  pad = gst_element_get_static_pad (histo, "src");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, judge_buffer, &counts, NULL);

  bus = gst_element_get_bus (pipeline);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE, GST_MESSAGE_ERROR | GST_MESSAGE_EOS);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    gst_message_parse_error (message, &error, NULL);
    g_printerr ("%s\n", g_error_matches (error, GST_CORE_ERROR, GST_CORE_ERROR_MISSING_PLUGIN) ? NO_VIDEO : error->message);
    g_error_free (error);
    status = 1;
  }
  g_print ("%u frames kept, %u dark ones dropped\n", counts.kept, counts.dropped);
  gst_message_unref (message);
  gst_object_unref (bus);
  gst_object_unref (pad);
  gst_object_unref (histo);
  gst_object_unref (source);
  gst_object_unref (pipeline);
  g_free (uri);
  return status;
}
