/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The element from outside: pads, caps, properties, states, negotiation, totals, the meta on a buffer. */

#include "rig.h"

#include <gst/base/gstbasetransform.h>
#include <gst/video/video.h>
#include <stdio.h>
#include <string.h>

#define GRAY_4X4 "video/x-raw,format=GRAY8,width=4,height=4,framerate=25/1"

/* ---- what gst-inspect shows ----------------------------------------------------------------------------------------- */

TEST (test_metadata)
{
  g_autoptr (GstElementFactory) factory = gst_element_factory_find ("cudahisto");

  ck_assert (factory != NULL);
  ck_assert_str_eq (gst_element_factory_get_metadata (factory, GST_ELEMENT_METADATA_LONGNAME),
                    "Picture statistics: histogram, events, regions, reference, scopes, metering");
  ck_assert_str_eq (gst_element_factory_get_metadata (factory, GST_ELEMENT_METADATA_KLASS), "Filter/Analyzer/Video");
}

TEST (test_pads)
{
  g_autoptr (GstElementFactory) factory = gst_element_factory_find ("cudahisto");
  const GList *templates = gst_element_factory_get_static_pad_templates (factory);

  ck_assert_uint_eq (g_list_length ((GList *)templates), 2);
  for (; templates != NULL; templates = templates->next) {
    GstStaticPadTemplate *template = templates->data;
    g_autoptr (GstCaps) caps = gst_static_pad_template_get_caps (template);

    ck_assert_str_eq (template->name_template, template->direction == GST_PAD_SINK ? "sink" : "src");
    ck_assert_int_eq (template->presence, GST_PAD_ALWAYS);
    ck_assert (gst_caps_is_any (caps));
  }
}

static void
check_plugin_api (GType type)
{
  if (g_str_has_prefix (g_type_name (type), "GstCudaHisto"))
    ck_assert_msg (gst_type_is_plugin_api (type, NULL), "%s is not marked as API of the plugin", g_type_name (type));
}

/* All types of properties, signals and pads are documented as part of the plugin. */
TEST (test_plugin_api)
{
  static const gchar *const names[] = { "cudahisto", "cudahistoscope" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autoptr (GstElement) element = gst_object_ref_sink (gst_element_factory_make (names[i], NULL));
    guint n_properties, n_signals;
    g_autofree GParamSpec **properties = g_object_class_list_properties (G_OBJECT_GET_CLASS (element), &n_properties);
    g_autofree guint *signals = g_signal_list_ids (G_OBJECT_TYPE (element), &n_signals);

    for (guint p = 0; p < n_properties; p++)
      check_plugin_api (properties[p]->value_type);
    for (guint s = 0; s < n_signals; s++) {
      GSignalQuery query;

      g_signal_query (signals[s], &query);
      check_plugin_api (query.return_type);
      for (guint p = 0; p < query.n_params; p++)
        check_plugin_api (query.param_types[p]);
    }
    for (const GList *pad = GST_ELEMENT_GET_CLASS (element)->padtemplates; pad != NULL; pad = pad->next)
      check_plugin_api (GST_PAD_TEMPLATE_GTYPE (pad->data));
  }
}

/* A property's value in gst-launch's syntax. Free with g_free(). */
static gchar *
write_value (const GValue *value)
{
  if (G_VALUE_HOLDS (value, GST_TYPE_STRUCTURE))
    return g_strdup (gst_structure_get_name (gst_value_get_structure (value)));
  if (G_VALUE_HOLDS_FLAGS (value)) { /* GStreamer writes the descriptions */
    GFlagsClass *class = g_type_class_ref (G_VALUE_TYPE (value));
    GString *text = g_string_new (NULL);
    guint left = g_value_get_flags (value);

    for (guint i = 0; i < class->n_values && left != 0; i++) {
      if ((left & class->values[i].value) == 0)
        continue;
      g_string_append_printf (text, "%s%s", text->len > 0 ? "+" : "", class->values[i].value_nick);
      left &= ~class->values[i].value;
    }
    g_type_class_unref (class);
    return g_string_free (text, FALSE);
  }
  if (G_VALUE_HOLDS_DOUBLE (value))
    return g_strdup_printf ("%g", g_value_get_double (value));
  return gst_value_serialize (value);
}

enum { ANY_TIME, STOPPED, NEVER };

TEST (test_properties)
{
  static const struct {
    const gchar *name;
    const gchar *value; /* the default, as text */
    guint changeable;
  } properties[] = {
    // The element's properties.
    { "backend", "auto", STOPPED },
    { "cuda-device-id", "-1", STOPPED },
    { "threads", "0", STOPPED },
    { "window", "auto", STOPPED },
    { "window-size", "0", STOPPED },
    { "interval", "0", ANY_TIME },
    { "post-messages", "true", ANY_TIME },
    { "message-arrays", "histograms", ANY_TIME },
    { "add-meta", "false", STOPPED },
    { "dot", "none", STOPPED },
    { "statistics", "histogram", STOPPED },
    { "waveform-columns", "256", STOPPED },
    { "events", "", STOPPED },
    { "black-min-duration", "2000000000", STOPPED },
    { "black-ratio", "0.98", STOPPED },
    { "black-level", "0.1", STOPPED },
    { "freeze-min-duration", "2000000000", STOPPED },
    { "freeze-noise", "0.001", STOPPED },
    { "scene-change-threshold", "10", STOPPED },
    { "clipped-min-duration", "0", STOPPED },
    { "clipped-ratio", "0.01", STOPPED },
    { "light-source", "max-rgb", STOPPED },
    { "bins", "256", ANY_TIME },
    { "when-busy", "wait", ANY_TIME },
    { "every", "1", STOPPED },
    { "fields", "together", STOPPED },
    { "reference-location", "NULL", STOPPED },
    { "reference-mode", "in-step", STOPPED },
    { "reference-offset", "0", STOPPED },
    { "regions", "NULL", ANY_TIME },
    { "region-metas", "false", ANY_TIME },
    { "row-weights-location", "NULL", STOPPED },
    { "column-weights-location", "NULL", STOPPED },
    { "metering", "none", STOPPED },
    { "weights-location", "NULL", STOPPED },
    { "input-name", "NULL", ANY_TIME },
    { "input-sampling", "NULL", ANY_TIME },
    { "sidecar-location", "NULL", STOPPED },
    { "sidecar-mode", "truncate", STOPPED },
    { "sidecar-slow", "auto", STOPPED },
    { "sidecar-arrays", "histograms", ANY_TIME },
    { "active-backend", "NULL", NEVER },
    { "active-device", "NULL", NEVER },
    { "stats", "cudahisto-stats", NEVER },
    // Of the base class.
    { "qos", "false", ANY_TIME },
  };
  g_autoptr (GstElement) element = gst_object_ref_sink (gst_element_factory_make ("cudahisto", NULL));
  guint count, listed = 0;
  GParamSpec **specs;

  for (guint i = 0; i < G_N_ELEMENTS (properties); i++) {
    GParamSpec *spec = g_object_class_find_property (G_OBJECT_GET_CLASS (element), properties[i].name);
    GValue value = G_VALUE_INIT;

    ck_assert_msg (spec != NULL, "no property %s", properties[i].name);
    ck_assert_msg (strlen (g_param_spec_get_blurb (spec)) > 10, "%s is not explained", properties[i].name);
    ck_assert (spec->flags & G_PARAM_READABLE);
    ck_assert_msg (!(spec->flags & G_PARAM_WRITABLE) == (properties[i].changeable == NEVER), "%s: writable?",
                   properties[i].name);
    if (spec->owner_type != GST_TYPE_BASE_TRANSFORM) {
      ck_assert_msg (!(spec->flags & GST_PARAM_MUTABLE_READY) == (properties[i].changeable != STOPPED), "%s: READY?",
                     properties[i].name);
      ck_assert_msg (!(spec->flags & GST_PARAM_MUTABLE_PLAYING) == (properties[i].changeable != ANY_TIME), "%s: PLAYING?",
                     properties[i].name);
    }
    g_value_init (&value, spec->value_type);
    g_object_get_property (G_OBJECT (element), properties[i].name, &value);
    g_autofree gchar *text = write_value (&value);
    ck_assert_msg (g_strcmp0 (text != NULL ? text : "NULL", properties[i].value) == 0, "%s is %s by default, not %s",
                   properties[i].name, text, properties[i].value);
    g_value_unset (&value);
  }
  /* No property is missing in this table: "name", "parent" and "qos" are inherited. */
  specs = g_object_class_list_properties (G_OBJECT_GET_CLASS (element), &count);
  for (guint i = 0; i < count; i++)
    listed += (specs[i]->flags & G_PARAM_DEPRECATED) == 0;
  ck_assert_uint_eq (listed, G_N_ELEMENTS (properties) + 2);
  g_free (specs);
}

TEST (test_property_enums)
{
  static const struct {
    const gchar *property;
    const gchar *nicks[6]; /* by value */
  } enums[] = {
    { "backend", { "auto", "reference", "cpu", "cuda", NULL } },
    { "window", { "auto", "buffer", "stream", "bytes", NULL } },
    { "message-arrays", { "none", "all", "packed", "histograms", NULL } },
    { "dot", { "none", "previous", NULL } },
    { "light-source", { "max-rgb", "luminance", NULL } },
    { "bins", { "256", "native", NULL } },
    { "when-busy", { "wait", "skip", NULL } },
    { "metering", { "none", "average", "center", "spot", "weights", NULL } },
    { "reference-mode", { "in-step", "fixed", NULL } },
    { "sidecar-mode", { "truncate", "append", "overwrite", NULL } },
    { "sidecar-slow", { "auto", "block", "drop", NULL } },
    { "sidecar-arrays", { "none", "all", "histograms", NULL } },
  };
  static const gchar *const flags[]
      = { "histogram",       "luma",        "saturation",     "hue",        "difference", "outliers",    "repeats",
          "broadcast-range", "used-bits",   "gamut",          "comparison", "waveform",   "vectorscope", "light",
          "row-sums",        "column-sums", "active-picture", "hdr",        "basic",      "signalstats" };
  static const gchar *const apart[] = { "luma",  "gamut",    "comparison",  "waveform",       "vectorscope",
                                        "light", "row-sums", "column-sums", "active-picture", "hdr" }; /* from signalstats */
  g_autoptr (GstElement) element = gst_object_ref_sink (gst_element_factory_make ("cudahisto", NULL));
  GParamSpec *statistics = g_object_class_find_property (G_OBJECT_GET_CLASS (element), "statistics");
  GFlagsClass *flags_class = G_PARAM_SPEC_FLAGS (statistics)->flags_class;
  guint all = 0;

  ck_assert_uint_eq (flags_class->n_values, G_N_ELEMENTS (flags));
  for (guint i = 0; i < G_N_ELEMENTS (flags); i++) {
    const guint value = flags_class->values[i].value;

    ck_assert_str_eq (flags_class->values[i].value_nick, flags[i]);
    if (i < G_N_ELEMENTS (flags) - 2) { /* its own bit */
      ck_assert_uint_eq (value & (value - 1), 0);
      ck_assert_uint_eq (all & value, 0);
      all |= value;
    }
  }
  ck_assert_uint_eq (g_flags_get_value_by_nick (flags_class, "basic")->value, flags_class->values[0].value);
  for (guint i = 0; i < G_N_ELEMENTS (apart); i++)
    all &= ~g_flags_get_value_by_nick (flags_class, apart[i])->value;
  ck_assert_uint_eq (g_flags_get_value_by_nick (flags_class, "signalstats")->value, all);

  for (guint i = 0; i < G_N_ELEMENTS (enums); i++) {
    GParamSpec *spec = g_object_class_find_property (G_OBJECT_GET_CLASS (element), enums[i].property);
    GEnumClass *class = G_PARAM_SPEC_ENUM (spec)->enum_class;
    guint count = 0;

    for (; enums[i].nicks[count] != NULL; count++) {
      const GEnumValue *value = g_enum_get_value_by_nick (class, enums[i].nicks[count]);

      ck_assert_msg (value != NULL && value->value == (gint)count, "%s=%s", enums[i].property, enums[i].nicks[count]);
    }
    if (g_str_has_suffix (enums[i].property, "-arrays")) { /* a removed value */
      ck_assert_int_lt (g_enum_get_value_by_nick (class, "array")->value, 0);
      count++;
    }
    ck_assert_uint_eq (class->n_values, count);
  }
}

TEST (test_property_ranges)
{
  g_autoptr (GstElement) element = gst_object_ref_sink (gst_element_factory_make ("cudahisto", NULL));
  GObjectClass *class = G_OBJECT_GET_CLASS (element);

  ck_assert_int_eq (G_PARAM_SPEC_INT (g_object_class_find_property (class, "cuda-device-id"))->minimum, -1);
  ck_assert_int_eq (G_PARAM_SPEC_INT (g_object_class_find_property (class, "cuda-device-id"))->maximum, G_MAXINT);
  ck_assert_uint_eq (G_PARAM_SPEC_UINT (g_object_class_find_property (class, "threads"))->maximum, 1024);
  ck_assert_uint_eq (G_PARAM_SPEC_UINT (g_object_class_find_property (class, "waveform-columns"))->maximum, 16384);
  ck_assert_uint_eq (G_PARAM_SPEC_UINT64 (g_object_class_find_property (class, "window-size"))->maximum, G_MAXUINT64);
  ck_assert_uint_eq (G_PARAM_SPEC_UINT64 (g_object_class_find_property (class, "interval"))->maximum, G_MAXUINT64);
}

TEST (test_property_nonsense)
{
  static const gchar *const lines[] = { "cudahisto backend=gpu", "cudahisto window=frame", "cudahisto message-arrays=arrays",
                                        "cudahisto no-such-property=1", "cudahisto statistics=basic+colour" };

  for (guint i = 0; i < G_N_ELEMENTS (lines); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (GstElement) element G_GNUC_UNUSED = gst_parse_launch (lines[i], &error);

    ck_assert_msg (error != NULL, "accepted: %s", lines[i]);
  }
}

/* Every property, with a value that is not the default. */
TEST (test_set_and_get)
{
  static const struct {
    const gchar *name;
    const gchar *value;
  } settings[] = {
    { "backend", "cpu" },
    { "cuda-device-id", "3" },
    { "threads", "5" },
    { "window", "bytes" },
    { "window-size", "18446744073709551615" },
    { "interval", "40000000" },
    { "post-messages", "false" },
    { "message-arrays", "packed" },
    { "add-meta", "true" },
    { "dot", "previous" },
    { "statistics", "histogram+hue+used-bits" },
    { "waveform-columns", "0" },
    { "events", "black+freeze+scene-change+clipped" },
    { "black-min-duration", "40000000" },
    { "black-ratio", "0.5" },
    { "black-level", "0.25" },
    { "freeze-min-duration", "80000000" },
    { "freeze-noise", "0.125" },
    { "scene-change-threshold", "7.5" },
    { "clipped-min-duration", "40000000" },
    { "clipped-ratio", "0.25" },
    { "light-source", "luminance" },
    { "bins", "native" },
    { "when-busy", "skip" },
    { "every", "10" },
    { "fields", "apart" },
    { "reference-location", "/tmp/a.mkv" },
    { "reference-mode", "fixed" },
    { "reference-offset", "-40000000" },
    { "regions", "\"1\\,2\\,3\\,4\\;\\ 5\\,6\\,7\\,8\"" },
    { "region-metas", "true" },
    { "row-weights-location", "/tmp/row" },
    { "column-weights-location", "/tmp/column" },
    { "metering", "spot" },
    { "weights-location", "/tmp/map.pgm" },
    { "input-name", "film.mp4" },
    { "input-sampling", "keyframes" },
    { "sidecar-location", "\"/tmp/a\\ b.jsonl\"" },
    { "sidecar-mode", "append" },
    { "sidecar-slow", "drop" },
    { "sidecar-arrays", "all" },
  };
  g_autoptr (GString) line = g_string_new (NULL);
  GParamSpec **specs;
  guint count, writable = 0;

  for (guint i = 0; i < G_N_ELEMENTS (settings); i++)
    g_string_append_printf (line, "%s=%s ", settings[i].name, settings[i].value);
  g_autoptr (GstElement) element = make_element (line->str);
  for (guint i = 0; i < G_N_ELEMENTS (settings); i++) {
    GParamSpec *spec = g_object_class_find_property (G_OBJECT_GET_CLASS (element), settings[i].name);
    GValue value = G_VALUE_INIT;

    g_value_init (&value, spec->value_type);
    g_object_get_property (G_OBJECT (element), settings[i].name, &value);
    g_autofree gchar *text = write_value (&value);
    ck_assert_msg (g_strcmp0 (text, settings[i].value) == 0, "%s is %s, not %s", settings[i].name, text, settings[i].value);
    ck_assert_msg (!g_param_value_defaults (spec, &value), "%s=%s is the default", settings[i].name, text);
    g_value_unset (&value);
  }
  specs = g_object_class_list_properties (G_OBJECT_GET_CLASS (element), &count);
  for (guint i = 0; i < count; i++)
    writable += specs[i]->owner_type == G_OBJECT_TYPE (element)
                && (specs[i]->flags & (G_PARAM_WRITABLE | G_PARAM_DEPRECATED)) == G_PARAM_WRITABLE;
  ck_assert_uint_eq (writable, G_N_ELEMENTS (settings));
  g_free (specs);
}

/* ---- caps ----------------------------------------------------------------------------------------------------------- */

static gboolean
accepts (GstElement *element, const gchar *text)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (element, "sink");
  g_autoptr (GstCaps) caps = gst_caps_from_string (text);

  ck_assert_msg (caps != NULL, "%s", text);
  return gst_pad_query_accept_caps (pad, caps);
}

/* Whether the element offers these caps. Without a filter its answer has to be ANY: bytes can have any caps, and caps cannot
 * express "all but these". */
static gboolean
offers (GstElement *element, const gchar *pad_name, const gchar *text)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (element, pad_name);
  g_autoptr (GstCaps) caps = gst_caps_from_string (text);
  g_autoptr (GstCaps) filtered = gst_pad_query_caps (pad, caps);

  return !gst_caps_is_empty (filtered);
}

TEST (test_caps_accepted)
{
  static const gchar *const others[] = {
    "video/x-raw,format=I420,width=4,height=4",
    "video/x-raw(memory:SystemMemory),format=I420,width=4,height=4,framerate=25/1",
    "video/x-raw(meta:GstVideoOverlayComposition),format=NV12,width=4,height=4,framerate=25/1",
    "video/x-raw(memory:SystemMemory,meta:GstVideoOverlayComposition),format=NV12,width=4,height=4,framerate=25/1",
    "video/x-raw,format=I420,width=4,height=4,framerate=25/1,interlace-mode=interleaved",
    "video/x-raw,format=I420,width=1,height=1,framerate=0/1",
    "audio/x-raw,format=S16LE,rate=8000,channels=1,layout=interleaved",
    "video/x-h264,stream-format=byte-stream,alignment=au",
    "video/x-bayer,format=bggr,width=4,height=4,framerate=25/1",
    "application/octet-stream",
    "text/x-raw,format=utf8",
  };
  guint n_formats;
  const GstVideoFormat *formats = gst_video_formats_raw (&n_formats);
  g_auto (Rig) rig = open_rig ("");

  for (guint i = 0; i < n_formats; i++) {
    g_autofree gchar *caps
        = g_strdup_printf ("video/x-raw,format=%s,width=6,height=4,framerate=25/1", gst_video_format_to_string (formats[i]));

    ck_assert_msg (accepts (rig.element, caps), "refused: %s", caps);
    ck_assert_msg (offers (rig.element, "sink", caps), "not offered: %s", caps);
    ck_assert_msg (offers (rig.element, "src", caps), "not offered: %s", caps);
  }
  for (guint i = 0; i < G_N_ELEMENTS (others); i++) {
    ck_assert_msg (accepts (rig.element, others[i]), "refused: %s", others[i]);
    ck_assert_msg (offers (rig.element, "sink", others[i]), "not offered: %s", others[i]);
  }
}

TEST (test_caps_refused)
{
  static const gchar *const refused[] = {
    "video/x-raw,format=FUTURE,width=4,height=4,framerate=25/1",
    "video/x-raw(memory:GLMemory),format=RGBA,width=4,height=4,framerate=25/1",
    "video/x-raw(memory:DMABuf),format=NV12,width=4,height=4,framerate=25/1",
    "video/x-raw(memory:NVMM),format=NV12,width=4,height=4,framerate=25/1",
    "video/x-raw,format=I420,width=4,height=4,framerate=25/1,interlace-mode=alternate",
  };
  g_auto (Rig) rig = open_rig ("");

  for (guint i = 0; i < G_N_ELEMENTS (refused); i++) {
    ck_assert_msg (!accepts (rig.element, refused[i]), "accepted: %s", refused[i]);
    ck_assert_msg (!offers (rig.element, "sink", refused[i]), "offered: %s", refused[i]);
    ck_assert_msg (!offers (rig.element, "src", refused[i]), "offered: %s", refused[i]);
  }
}

/* Frames on the GPU are for an element that counts there (test_cudamemory.c). Others leave them to a cudadownload. */
TEST (test_caps_of_gpu_refused)
{
  static const gchar *const properties[] = { "backend=cpu", "backend=reference", "backend=auto" };
  static const gchar *const caps = "video/x-raw(memory:CUDAMemory),format=NV12,width=4,height=4,framerate=25/1";

  for (guint i = 0; i < G_N_ELEMENTS (properties); i++) {
    GstElement *stopped = make_element (properties[i]);
    g_autofree gchar *backend = NULL;

    if (i < 2) {
      ck_assert (!accepts (stopped, caps));
      ck_assert (!offers (stopped, "sink", caps));
    }
    gst_object_unref (stopped);
    g_auto (Rig) rig = open_rig (properties[i]);
    g_object_get (rig.element, "active-backend", &backend, NULL);
    if (strcmp (backend, "cuda") != 0) {
      ck_assert (!accepts (rig.element, caps));
      ck_assert (!offers (rig.element, "sink", caps));
      ck_assert (!offers (rig.element, "src", caps));
    }
  }
}

/* A refused caps event must stop the stream without a result. */
TEST (test_caps_event_refused)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string ("video/x-raw,format=FUTURE,width=4,height=4,framerate=25/1");
  GstSegment segment;
  guint8 data[48] = { 0 };

  g_auto (Rig) rig = open_rig ("");
  gst_segment_init (&segment, GST_FORMAT_TIME);
  ck_assert (gst_harness_push_event (rig.harness, gst_event_new_stream_start ("refused")));
  /* The pad keeps a refused sticky event and sends it again with the buffer, which fails. */
  gst_harness_push_event (rig.harness, gst_event_new_caps (caps));
  gst_harness_push_event (rig.harness, gst_event_new_segment (&segment));
  ck_assert_int_ne (gst_harness_push (rig.harness, make_buffer (data, sizeof data, 0, GST_SECOND)), GST_FLOW_OK);
  ck_assert_uint_eq (get_stat (rig.element, "frames-reported"), 0);
}

/* ---- negotiation in pipelines --------------------------------------------------------------------------------------- */

TEST (test_negotiate_testsrc)
{
  g_autolist (GstStructure) results
      = run_line (NULL, "videotestsrc num-buffers=3 ! cudahisto %s ! fakesink", get_backend_words ());

  ck_assert_uint_eq (g_list_length (results), 3);
}

/* The element narrows videotestsrc's choice, and passes on the caps of a filter downstream. */
TEST (test_negotiate_each_format)
{
  guint n_formats;
  const GstVideoFormat *formats = gst_video_formats_raw (&n_formats);

  for (guint i = 0; i < n_formats; i++) {
    const gchar *format = gst_video_format_to_string (formats[i]);
    g_autolist (GstStructure) results = run_line (NULL,
                                                  "videotestsrc num-buffers=2 ! cudahisto %s ! "
                                                  "video/x-raw,format=%s,width=33,height=17 ! fakesink",
                                                  get_backend_words (), format);

    ck_assert_uint_eq (g_list_length (results), 2);
    ck_assert_str_eq (gst_structure_get_string (results->data, "format"), format);
  }
}

TEST (test_caps_without_framerate)
{
  guint8 data[16];
  Tally tally = { 0 };

  fill_random (data, sizeof data);
  tally_bytes (&tally, data, sizeof data);
  g_auto (Rig) rig = open_video ("", "video/x-raw,format=GRAY8,width=4,height=4");
  push_timed (&rig, data, sizeof data, 3 * GST_SECOND, GST_CLOCK_TIME_NONE);
  g_autoptr (GstStructure) result = pop_result (rig.bus);
  check_component (result, "GRAY", &tally, BINS_ARRAY);
  check_times (result, 3 * GST_SECOND, 3 * GST_SECOND, 3 * GST_SECOND, GST_CLOCK_TIME_NONE);
}

/* ---- states --------------------------------------------------------------------------------------------------------- */

static gchar *
get_string (GstElement *element, const gchar *property)
{
  gchar *value = NULL;

  g_object_get (element, property, &value, NULL);
  return value;
}

static void
count_notification (GObject *object G_GNUC_UNUSED, GParamSpec *spec G_GNUC_UNUSED, gpointer count)
{
  g_atomic_int_inc ((gint *)count);
}

TEST (test_states_twice)
{
  static const GstState walk[]
      = { GST_STATE_READY, GST_STATE_PAUSED, GST_STATE_PLAYING, GST_STATE_PAUSED, GST_STATE_READY, GST_STATE_NULL };
  const gchar *path = make_path ("sidecar.jsonl");
  g_autoptr (GstElement) element = make_element ("sidecar-location=/nowhere threads=2");
  g_autoptr (GstBus) bus = attach_bus (element);
  gint notified = 0;

  g_object_set (element, "sidecar-location", path, NULL);
  g_signal_connect (element, "notify::active-backend", G_CALLBACK (count_notification), &notified);
  for (guint round = 0; round < 2; round++)
    for (guint i = 0; i < G_N_ELEMENTS (walk); i++) {
      gchar *backend;
      gboolean running = walk[i] >= GST_STATE_PAUSED;

      ck_assert_int_eq (gst_element_set_state (element, walk[i]), GST_STATE_CHANGE_SUCCESS);
      backend = get_string (element, "active-backend");
      ck_assert_msg ((backend != NULL) == running, "active-backend is %s in state %s", backend,
                     gst_element_state_get_name (walk[i]));
      g_free (backend);
      backend = get_string (element, "active-device");
      ck_assert_msg (!running || backend != NULL, "no active-device in state %s", gst_element_state_get_name (walk[i]));
      g_free (backend);
    }
  /* Set and unset, twice. */
  ck_assert_int_ge (notified, 4);
  check_bus_empty (bus);
  gst_element_set_bus (element, NULL);
}

/* Twice through all states with data: the second run gives the same results, and totals restart at 0. */
TEST (test_run_twice)
{
  guint8 data[16];

  fill_random (data, sizeof data);
  g_auto (Rig) rig = open_rig ("dot=previous");
  for (guint round = 0; round < 2; round++) {
    Tally tally = { 0 };

    ck_assert_uint_eq (get_stat (rig.element, "frames-reported"), 0);
    ck_assert_uint_eq (get_stat (rig.element, "bytes-counted"), 0);
    ck_assert (gst_harness_push_event (rig.harness, gst_event_new_stream_start ("again")));
    start_video (&rig, GRAY_4X4);
    tally_bytes (&tally, data, sizeof data);
    for (guint frame = 0; frame < 3; frame++) {
      push_timed (&rig, data, sizeof data, frame * GST_SECOND / 25, GST_SECOND / 25);
      g_autoptr (GstStructure) result = pop_result (rig.bus);
      ck_assert_uint_eq (get_field_u64 (result, "frame"), frame);
      if (frame == 1)
        tally_dot (&tally, data, data, sizeof data);
      check_component (result, "GRAY", &tally, BINS_ARRAY);
    }
    push_eos (&rig);
    check_bus_empty (rig.bus);
    ck_assert_uint_eq (get_stat (rig.element, "frames-reported"), 3);
    ck_assert_uint_eq (get_stat (rig.element, "bytes-counted"), 48);
    ck_assert_int_eq (gst_element_set_state (rig.element, GST_STATE_NULL), GST_STATE_CHANGE_SUCCESS);
    ck_assert_int_eq (gst_element_set_state (rig.element, GST_STATE_PLAYING), GST_STATE_CHANGE_SUCCESS);
  }
}

/* The result names the backend that the property names. */
TEST (test_active_backend)
{
  static const gchar *const lines[] = { "backend=reference", "backend=cpu threads=1", "backend=cpu threads=0", "" };
  guint8 data[100] = { 1, 2, 3 };

  for (guint i = 0; i < G_N_ELEMENTS (lines); i++) {
    g_autofree gchar *backend = NULL;
    g_autofree gchar *device = NULL;

    g_auto (Rig) rig = open_rig (lines[i]);
    backend = get_string (rig.element, "active-backend");
    device = get_string (rig.element, "active-device");
    ck_assert (backend != NULL);
    ck_assert (device != NULL && *device != '\0');
    if (g_str_has_prefix (lines[i], "backend=reference"))
      ck_assert_str_eq (backend, "reference");
    else if (g_str_has_prefix (lines[i], "backend=cpu"))
      ck_assert_str_eq (backend, "cpu");
    else if (get_test_backend () != NULL)
      ck_assert_str_eq (backend, get_test_backend ());
    else
      ck_assert (strcmp (backend, "cuda") == 0 || strcmp (backend, "cpu") == 0);
    start_bytes (&rig, NULL);
    push_bytes (&rig, data, sizeof data);
    push_eos (&rig);
    g_autoptr (GstStructure) result = pop_result (rig.bus);
    ck_assert_str_eq (gst_structure_get_string (result, "backend"), backend);
    check_bytes (result, data, sizeof data, 0, 1, 0);
  }
}

/* ---- counters ------------------------------------------------------------------------------------------------------- */

TEST (test_counters_video)
{
  guint8 data[5 * 3 + 2 * 3 * 2 + 100] = { 7 };

  g_auto (Rig) rig = open_rig ("window=stream");
  /* 5x3 in I420: rows of 8 and 4 bytes; 15 + 6 + 6 samples are visible. */
  start_video (&rig, "video/x-raw,format=I420,width=5,height=3,framerate=25/1");
  for (guint i = 0; i < 4; i++)
    push_timed (&rig, data, sizeof data, i * GST_SECOND / 25, GST_SECOND / 25);
  push_eos (&rig);
  ck_assert_uint_eq (get_stat (rig.element, "frames-reported"), 4);
  ck_assert_uint_eq (get_stat (rig.element, "bytes-counted"), 4 * 27);
  ck_assert_uint_eq (get_stat (rig.element, "frames-skipped"), 0);
}

/* Omitted frames are in the ledger, and in the index of frames. A frame after one has no previous frame. */
TEST (test_every)
{
  guint8 data[16] = { 7 };

  g_auto (Rig) rig = open_video ("every=3 input-sampling=keyframes dot=previous statistics=difference", GRAY_4X4);
  for (guint i = 0; i < 8; i++)
    push_timed (&rig, data, sizeof data, i * GST_SECOND / 25, GST_SECOND / 25);
  push_eos (&rig);
  for (guint i = 0; i < 3; i++) {
    g_autoptr (GstStructure) result = pop_result (rig.bus);

    ck_assert_uint_eq (get_field_u64 (result, "frame"), 3 * i);
    ck_assert_uint_eq (get_field_u64 (result, "frames"), 1);
    ck_assert_uint_eq (get_field_u64 (result, "timestamp"), 3 * i * GST_SECOND / 25);
    ck_assert_str_eq (gst_structure_get_string (result, "sampling"), "every=3+keyframes");
    ck_assert (!gst_structure_has_field (result, "GRAY-sad"));
    ck_assert (!gst_structure_has_field (result, "GRAY-dot"));
  }
  check_bus_empty (rig.bus);
  ck_assert_uint_eq (get_stat (rig.element, "frames-in"), 8);
  ck_assert_uint_eq (get_stat (rig.element, "frames-reported"), 3);
  ck_assert_uint_eq (get_stat (rig.element, "frames-skipped"), 5);
  ck_assert_uint_eq (get_stat (rig.element, "frames-pending"), 0);
  ck_assert_uint_eq (gst_harness_buffers_received (rig.harness), 8);
}

/* Bytes are all counted. */
TEST (test_every_of_bytes)
{
  guint8 data[16] = { 7 };

  g_auto (Rig) rig = open_bytes ("every=3 window=stream", NULL);
  for (guint i = 0; i < 4; i++)
    push_bytes (&rig, data, sizeof data);
  push_eos (&rig);
  g_autoptr (GstStructure) result = pop_result (rig.bus);
  ck_assert_uint_eq (get_field_u64 (result, "size"), sizeof data * 4);
  ck_assert (!gst_structure_has_field (result, "sampling"));
}

TEST (test_decode_only)
{
  g_auto (Rig) rig = open_video ("", GRAY_4X4);
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 16, NULL);

  GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DECODE_ONLY);
  ck_assert_int_eq (gst_harness_push (rig.harness, buffer), GST_FLOW_OK);
  gst_structure_free (pop_result (rig.bus));
  ck_assert_uint_eq (get_stat (rig.element, "frames-reported"), 1);
}

TEST (test_counters_bytes)
{
  static const gchar *const lines[] = { "", "window=bytes window-size=7", "window=buffer" };
  guint8 data[1000] = { 7 };

  for (guint i = 0; i < G_N_ELEMENTS (lines); i++) {
    g_auto (Rig) rig = open_bytes (lines[i], NULL);

    for (guint size = 0; size <= 1000; size += 100)
      push_bytes (&rig, data, size);
    push_eos (&rig);
    ck_assert_msg (get_stat (rig.element, "frames-reported") == 11, "%s: %" G_GUINT64_FORMAT " buffers", lines[i],
                   get_stat (rig.element, "frames-reported"));
    ck_assert_uint_eq (get_stat (rig.element, "bytes-counted"), 5500);
  }
}

/* ---- many elements -------------------------------------------------------------------------------------------------- */

TEST (test_32_elements)
{
  enum { COUNT = 32, SIZE = 6000 };
  Rig rigs[COUNT];
  g_autofree guint8 *data = g_malloc (SIZE + COUNT);

  fill_random (data, SIZE + COUNT);
  for (guint i = 0; i < COUNT; i++) {
    rigs[i] = open_rig (i % 2 ? "threads=2" : "window=buffer");
    start_bytes (&rigs[i], NULL);
  }
  for (guint i = 0; i < COUNT; i++)
    push_bytes (&rigs[i], data + i, SIZE);
  for (guint i = 0; i < COUNT; i++)
    push_eos (&rigs[i]);
  for (guint i = 0; i < COUNT; i++) {
    g_autoptr (GstStructure) result = pop_result (rigs[i].bus);

    check_bytes (result, data + i, SIZE, 0, 1, 0);
  }
  for (guint i = 0; i < COUNT; i++)
    close_rig (&rigs[i]);
}

TEST (test_32_in_a_row)
{
  g_autoptr (GString) line = g_string_new ("videotestsrc num-buffers=3 ! video/x-raw,format=NV12,width=64,height=32");
  g_autolist (GstStructure) results = NULL;

  for (guint i = 0; i < 32; i++)
    g_string_append_printf (line, " ! cudahisto threads=1 add-meta=%s %s", i % 4 == 3 ? "true" : "false", get_backend_words ());
  g_string_append (line, " ! fakesink");
  results = run_line (NULL, "%s", line->str);
  ck_assert_uint_eq (g_list_length (results), 32 * 3);
}

/* ---- the buffer on its way ------------------------------------------------------------------------------------------ */

TEST (test_passthrough)
{
  guint8 data[16] = { 1, 2, 3 };
  g_autoptr (GstBuffer) sent = make_buffer (data, sizeof data, 0, GST_SECOND);

  g_auto (Rig) rig = open_rig ("");
  ck_assert (gst_base_transform_is_passthrough (GST_BASE_TRANSFORM (rig.element)));
  ck_assert (!gst_base_transform_is_qos_enabled (GST_BASE_TRANSFORM (rig.element)));
  start_video (&rig, GRAY_4X4);
  g_autoptr (GstBuffer) received = gst_harness_push_and_pull (rig.harness, gst_buffer_ref (sent));
  ck_assert_ptr_eq (received, sent);
  ck_assert (get_meta (received) == NULL);
}

TEST (test_add_meta_writable)
{
  guint8 data[16] = { 1, 2, 3 };
  GstBuffer *sent = make_buffer (data, sizeof data, 0, GST_SECOND);
  GstMemory *memory = gst_buffer_peek_memory (sent, 0);
  Tally tally = { 0 };

  tally_bytes (&tally, data, sizeof data);
  g_auto (Rig) rig = open_video ("add-meta=true", GRAY_4X4);
  g_autoptr (GstBuffer) received = gst_harness_push_and_pull (rig.harness, sent);
  /* With a single reference the meta is on the same buffer. */
  ck_assert_ptr_eq (received, sent);
  ck_assert_ptr_eq (gst_buffer_peek_memory (received, 0), memory);
  ck_assert (get_meta (received) != NULL);
  check_component (get_meta (received), "GRAY", &tally, BINS_ARRAY);
  g_autoptr (GstStructure) result = pop_result (rig.bus);
  check_same_fields (result, get_meta (received));
}

TEST (test_add_meta_shared)
{
  guint8 data[16] = { 1, 2, 3 };
  g_autoptr (GstBuffer) sent = make_buffer (data, sizeof data, GST_SECOND, GST_SECOND);

  g_auto (Rig) rig = open_video ("add-meta=true", GRAY_4X4);
  g_autoptr (GstBuffer) received = gst_harness_push_and_pull (rig.harness, gst_buffer_ref (sent));
  /* With another reference a shallow copy gets the meta, and the pixels are the same memory. */
  ck_assert_ptr_ne (received, sent);
  ck_assert_ptr_eq (gst_buffer_peek_memory (received, 0), gst_buffer_peek_memory (sent, 0));
  ck_assert_uint_eq (GST_BUFFER_PTS (received), GST_SECOND);
  ck_assert (get_meta (received) != NULL);
  ck_assert (get_meta (sent) == NULL);
}

/* Only the buffer that completes a window has the result. */
TEST (test_add_meta_windows)
{
  guint8 data[10];
  static const gboolean completes[] = { FALSE, TRUE, FALSE, TRUE };

  fill_random (data, sizeof data);
  g_auto (Rig) rig = open_bytes ("add-meta=true window=bytes window-size=20", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (completes); i++) {
    g_autoptr (GstBuffer) received
        = gst_harness_push_and_pull (rig.harness, make_buffer (data, sizeof data, GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE));

    ck_assert_msg ((get_meta (received) != NULL) == completes[i], "buffer %u", i);
    if (completes[i]) {
      ck_assert_uint_eq (get_field_u64 (get_meta (received), "size"), 20);
      ck_assert_uint_eq (get_field_u64 (get_meta (received), "frame"), i - 1);
    }
  }
}

/* ---- starts that fail ----------------------------------------------------------------------------------------------- */

static void
check_start_fails (const gchar *properties, GQuark domain, gint code, const gchar *words)
{
  g_autoptr (GstElement) element = make_element (properties);
  g_autoptr (GstBus) bus = attach_bus (element);

  ck_assert_int_eq (gst_element_set_state (element, GST_STATE_READY), GST_STATE_CHANGE_SUCCESS);
  ck_assert_int_eq (gst_element_set_state (element, GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
  check_error (bus, GST_MESSAGE_ERROR, domain, code, words);
  check_bus_empty (bus);
  ck_assert_int_eq (gst_element_set_state (element, GST_STATE_NULL), GST_STATE_CHANGE_SUCCESS);
  gst_element_set_bus (element, NULL);
}

TEST (test_window_size_zero)
{
  check_start_fails ("window=bytes window-size=0", GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS, "window-size");
  check_start_fails ("window=bytes", GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS, "window-size");
}

/* A removed property can be set as before, and in any other spelling. The start then fails with the remedy. */
TEST (test_removed_properties)
{
  static const struct {
    const gchar *name, *values[4], *remedy;
    gint number;
  } removed[] = {
    { "message-bins",
      { "array", "packed", "none", "2" },
      "The property message-bins no longer exists. Set message-arrays=histograms (the default) instead of array; ",
      2 },
    { "sidecar-bins",
      { "array", "none", NULL },
      "The property sidecar-bins no longer exists. Set sidecar-arrays=histograms (the default) instead of array; ",
      1 },
    { "max-in-flight", { "1", "256", "-1" }, "The property max-in-flight no longer exists. Remove it", 256 },
    { "hold-buffers", { "auto", "true", "TRUE", "yes" }, "The property hold-buffers no longer exists. Remove it", 2 },
    { "pull", { "auto", "always", "never", "NEVER" }, "The property pull no longer exists. Remove it", 2 },
  };
  guint count, deprecated = 0;
  GParamSpec **specs;

  for (guint i = 0; i < G_N_ELEMENTS (removed); i++) {
    g_autoptr (GstElement) element = make_element ("");
    GParamSpec *spec = g_object_class_find_property (G_OBJECT_GET_CLASS (element), removed[i].name);
    GstBus *bus = attach_bus (element);

    for (guint v = 0; v < G_N_ELEMENTS (removed[i].values) && removed[i].values[v] != NULL; v++) {
      g_autofree gchar *line = g_strdup_printf ("%s=%s", removed[i].name, removed[i].values[v]);

      check_start_fails (line, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS, removed[i].remedy);
    }
    ck_assert_int_eq (spec->flags & (G_PARAM_READWRITE | G_PARAM_DEPRECATED), G_PARAM_WRITABLE | G_PARAM_DEPRECATED);
    ck_assert (!G_IS_PARAM_SPEC_ENUM (spec)); /* gst-inspect-1.0 would list its values */
    g_object_set (element, removed[i].name, removed[i].number, "threads", 3, NULL);
    ck_assert_int_eq (gst_element_set_state (element, GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
    check_error (bus, GST_MESSAGE_ERROR, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS, removed[i].remedy);
    gst_element_set_state (element, GST_STATE_NULL);
    gst_element_set_bus (element, NULL);
    gst_object_unref (bus);
    if (i + 1 == G_N_ELEMENTS (removed)) {
      specs = g_object_class_list_properties (G_OBJECT_GET_CLASS (element), &count);
      for (guint s = 0; s < count; s++)
        deprecated += (specs[s]->flags & G_PARAM_DEPRECATED) != 0;
      ck_assert_uint_eq (deprecated, G_N_ELEMENTS (removed));
      g_free (specs);
    }
  }
}

/* The same applies to a removed value, until the property has another one. */
/* Bindings set properties with values of any type. */
TEST (test_removed_properties_of_any_type)
{
  GValue values[5] = { G_VALUE_INIT };

  g_value_set_boolean (g_value_init (&values[0], G_TYPE_BOOLEAN), TRUE);
  g_value_set_uint (g_value_init (&values[1], G_TYPE_UINT), 4);
  g_value_set_static_string (g_value_init (&values[2], G_TYPE_STRING), "");
  g_value_set_enum (g_value_init (&values[3], GST_TYPE_STATE), GST_STATE_PAUSED);
  g_value_set_double (g_value_init (&values[4], G_TYPE_DOUBLE), 0.5);
  for (guint i = 0; i < G_N_ELEMENTS (values); i++) {
    g_autoptr (GstElement) element = make_element ("");

    g_object_set_property (G_OBJECT (element), "pull", &values[i]);
    ck_assert_int_eq (gst_element_set_state (element, GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
    gst_element_set_state (element, GST_STATE_NULL);
    g_value_unset (&values[i]);
  }
}

TEST (test_removed_values)
{
  static const gchar *const properties[] = { "message-arrays", "sidecar-arrays" };

  g_log_set_fatal_mask ("cudahisto", G_LOG_FATAL_MASK | G_LOG_LEVEL_WARNING); /* GObject's, for an unknown property */
  for (guint i = 0; i < G_N_ELEMENTS (properties); i++) {
    g_autofree gchar *line = g_strdup_printf ("%s=array", properties[i]);
    g_autofree gchar *words
        = g_strdup_printf ("The value array of %s no longer exists. Set %s=all.", properties[i], properties[i]);
    g_autoptr (GstElement) element = make_element (line);
    gint value = -1;

    check_start_fails (line, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS, words);
    g_object_get (element, properties[i], &value, NULL);
    ck_assert_int_eq (
        value, G_PARAM_SPEC_ENUM (g_object_class_find_property (G_OBJECT_GET_CLASS (element), properties[i]))->default_value);
    gst_util_set_object_arg (G_OBJECT (element), properties[i], "all");
    ck_assert_int_eq (gst_element_set_state (element, GST_STATE_PAUSED), GST_STATE_CHANGE_SUCCESS);
    gst_element_set_state (element, GST_STATE_NULL);
  }
}

/* The next buffer fails if the element is playing. */
TEST (test_removed_property_while_playing)
{
  guint8 data[16] = { 0 };
  g_auto (Rig) rig = open_video ("", GRAY_4X4);

  push_timed (&rig, data, sizeof data, 0, GST_SECOND);
  gst_structure_free (pop_result (rig.bus));
  gst_util_set_object_arg (G_OBJECT (rig.element), "hold-buffers", "true");
  ck_assert_int_eq (gst_harness_push (rig.harness, make_buffer (data, sizeof data, GST_SECOND, GST_SECOND)), GST_FLOW_ERROR);
  check_error (rig.bus, GST_MESSAGE_ERROR, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
               "The property hold-buffers no longer exists. ");
}

TEST (test_every_has_no_events)
{
  static const gchar *const events[] = { "black", "freeze", "scene-change", "clipped", "damaged+black" };

  for (guint i = 0; i < G_N_ELEMENTS (events); i++) {
    g_autofree gchar *line = g_strdup_printf ("every=2 events=%s", events[i]);

    check_start_fails (line, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
                       "Cannot detect events with every=2: they need each frame. ");
  }
  g_auto (Rig) rig G_GNUC_UNUSED = open_video ("every=2 events=damaged", GRAY_4X4);
}

/* A setting without effect causes a warning, once per start. */
TEST (test_settings_without_effect)
{
  static const struct {
    const gchar *line, *words;
  } cases[] = {
    { "interval=1000000 window=stream", "interval" },
    { "window-size=10", "window-size" },
    { "window-size=10 window=buffer interval=1000000", "window-size" },
    { "window-size=10 window=stream", "window-size" },
    { "window-size=10 window=bytes interval=1000000", NULL },
    { "interval=1000000", NULL },
    { "interval=1000000 window=buffer", NULL },
    { "window=stream", NULL },
    { "weights-location=/no/such/file", "weights-location has no effect without metering=weights" },
    { "weights-location=/no/such/file metering=center", "weights-location has no effect" },
    { "row-weights-location=/no/such/file", "row-weights-location has no effect without statistics=row-sums" },
    { "column-weights-location=/no/such/file statistics=row-sums add-meta=true", "column-weights-location has no effect" },
    { "statistics=waveform", "No result has the requested arrays (waveform). Set message-arrays=all, " },
    { "statistics=basic+vectorscope+row-sums post-messages=false message-arrays=packed",
      "No result has the requested arrays (vectorscope, row-sums). " },
    { "statistics=row-sums sidecar-arrays=all add-meta=true", "sidecar-arrays has no effect without sidecar-location" },
    { "sidecar-arrays=none", "sidecar-arrays has no effect" },
    { "waveform-columns=0", "waveform-columns has no effect without statistics=waveform" },
    { "reference-mode=fixed", "reference-mode has no effect without reference-location" },
    { "reference-offset=-1", "reference-offset has no effect without reference-location" },
    { "reference-location=a reference-mode=fixed reference-offset=1", "reference-offset has no effect without reference-mode" },
    { "reference-location=a reference-offset=1", NULL },
    { "events=freeze black-level=0", "black-level has no effect without events=black" },
    { "events=black freeze-noise=0.5 black-level=0", "freeze-noise has no effect without events=freeze" },
    { "scene-change-threshold=5", "scene-change-threshold has no effect without events=scene-change" },
    { "events=black+freeze+scene-change clipped-min-duration=5", "clipped-min-duration has no effect without events=clipped" },
    { "statistics=column-sums sidecar-location=/dev/null", "No result has the requested arrays" },
    { "statistics=column-sums sidecar-location=/dev/null sidecar-arrays=all", NULL },
    { "statistics=waveform+row-sums message-arrays=packed", NULL },
    { "statistics=vectorscope post-messages=false add-meta=true", NULL },
    { "statistics=signalstats+active-picture", NULL },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GstElement) element = make_element (cases[i].line);
    g_autoptr (GstBus) bus = attach_bus (element);

    for (guint start = 0; start < 2; start++) {
      ck_assert_int_ne (gst_element_set_state (element, GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
      if (cases[i].words != NULL)
        check_error (bus, GST_MESSAGE_WARNING, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS, cases[i].words);
      check_bus_empty (bus);
      ck_assert_int_eq (gst_element_set_state (element, GST_STATE_READY), GST_STATE_CHANGE_SUCCESS);
    }
    gst_element_set_state (element, GST_STATE_NULL);
    gst_element_set_bus (element, NULL);
  }
}

TEST (test_window_bytes_on_video)
{
  guint8 data[16] = { 0 };

  g_auto (Rig) rig = open_video ("window=bytes window-size=10", GRAY_4X4);
  ck_assert_int_ne (gst_harness_push (rig.harness, make_buffer (data, sizeof data, 0, GST_SECOND)), GST_FLOW_OK);
  check_error (rig.bus, GST_MESSAGE_ERROR, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, "window");
}

TEST (test_no_driver)
{
  g_autofree gchar *problem = get_driver_problem ();
  g_autofree gchar *backend = NULL;

  if (problem == NULL) {
    printf ("not tested without a driver: libcuda.so.1 is there\n");
    return;
  }
  check_start_fails ("backend=cuda", GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND, problem);
  check_start_fails ("backend=cuda cuda-device-id=7", GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND, problem);
  g_auto (Rig) rig = open_rig ("backend=auto");
  backend = get_string (rig.element, "active-backend");
  ck_assert_str_eq (backend, "cpu");
  check_bus_empty (rig.bus);
}

RIG_MAIN (NULL)
