/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "decoding/watch.h"

#include "decoding/avi.h"
#include "decoding/choice.h"
#include "decoding/edits.h"
#include "decoding/ending.h"
#include "decoding/guard.h"
#include "decoding/png.h"
#include "decoding/rawmovie.h"
#include "decoding/unknown.h"

void
decoding_watch (GstElement *pipeline, GstElement *source)
{
  decoding_choice_make (source);
  decoding_guard (pipeline);
  decoding_ending_watch (pipeline);
  decoding_edits_watch (pipeline);
  decoding_png_watch (pipeline);
  decoding_rawmovie_watch (pipeline);
  decoding_avi_watch (pipeline);
  decoding_unknown_watch (pipeline);
}

void
decoding_prepare_sink (GstElement *sink, gboolean is_live)
{
  g_object_set (sink, "async", FALSE, "sync", is_live, "enable-last-sample", FALSE, NULL);
}

void
decoding_choose_clock (GstElement *pipeline, const gchar *uri)
{
  if (uri == NULL || gst_uri_has_protocol (uri, "file") || gst_uri_has_protocol (uri, "fd"))
    gst_pipeline_use_clock (GST_PIPELINE (pipeline), NULL);
}
