/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* ACCEPT_CAPS accepts exactly what CAPS answers: many caps in both queries, on both pads, in each state, alone and between
 * neighbours with their own caps. */

#include <gst/base/gstpushsrc.h>
#include <gst/video/video.h>
#include <string.h>

#include "fakecuda.h"
#include "rig.h"

/* A source of raw video, as a later version of GStreamer may have one. It negotiates as videotestsrc does. Property `offer`:
 * its caps. */
typedef GstPushSrc FutureSource;
typedef GstPushSrcClass FutureSourceClass;

GType future_source_get_type (void);
G_DEFINE_TYPE (FutureSource, future_source, GST_TYPE_PUSH_SRC)

enum { PROP_OFFER = 1 };
enum { FUTURE_BYTES = 4 * 4 * 8, FUTURE_PAUSE_US = 5000 };

static GstStaticPadTemplate future_template = GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);

static void
future_source_set_property (GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
  (void)id, (void)spec;
  g_object_set_data_full (object, "offer", g_value_dup_boxed (value), (GDestroyNotify)gst_caps_unref);
}

static GstCaps *
future_source_get_caps (GstBaseSrc *source, GstCaps *filter)
{
  GstCaps *offer = g_object_get_data (G_OBJECT (source), "offer");

  return filter != NULL ? gst_caps_intersect_full (filter, offer, GST_CAPS_INTERSECT_FIRST) : gst_caps_ref (offer);
}

static GstFlowReturn
future_source_create (GstPushSrc *source, GstBuffer **buffer)
{
  (void)source;
  g_usleep (FUTURE_PAUSE_US);
  *buffer = gst_buffer_new_allocate (NULL, FUTURE_BYTES, NULL);
  gst_buffer_memset (*buffer, 0, 0, FUTURE_BYTES);
  return GST_FLOW_OK;
}

static void
future_source_class_init (FutureSourceClass *class)
{
  G_OBJECT_CLASS (class)->set_property = future_source_set_property;
  g_object_class_install_property (
      G_OBJECT_CLASS (class), PROP_OFFER,
      g_param_spec_boxed ("offer", "Offer", "Caps", GST_TYPE_CAPS, G_PARAM_WRITABLE | G_PARAM_STATIC_STRINGS));
  gst_element_class_add_static_pad_template (GST_ELEMENT_CLASS (class), &future_template);
  gst_element_class_set_static_metadata (GST_ELEMENT_CLASS (class), "Future source", "Source/Video", "Of tests", "the authors");
  GST_BASE_SRC_CLASS (class)->get_caps = future_source_get_caps;
  class->create = future_source_create;
}

static void
future_source_init (FutureSource *source)
{
  gst_base_src_set_format (GST_BASE_SRC (source), GST_FORMAT_TIME);
}

/* Accepted caps and, from ENCODED on, refused ones. */
static const gchar *const formats[]
    = { "GRAY8",      "I420",      "YV12",   "NV12",       "YUY2",    "VUYA",  "RGB",   "ARGB",
        "GBRA",       "P010_10LE", "Y41B",   "GBR_12LE",   "v210",    "Y410",  "RGB16", "GRAY16_LE",
        "RGB10A2_LE", "P010_10BE", "AYUV64", "NV12_64Z32", "ENCODED", "FUTURE" };

static const gchar *const features[] = { "",
                                         "(memory:SystemMemory)",
                                         "(meta:GstVideoOverlayComposition)",
                                         "(memory:SystemMemory, meta:GstVideoOverlayComposition)",
                                         "(memory:CUDAMemory)",
                                         "(memory:CUDAMemory, meta:GstVideoOverlayComposition)",
                                         "(memory:GLMemory)",
                                         "(memory:DMABuf)",
                                         "(format:Interlaced)",
                                         "(memory:CUDAMemory, format:Interlaced)",
                                         "(meta:Nobodys)",
                                         "(memory:CUDAMemory, meta:Nobodys)" };

#define SMALL ",width=4,height=4"

static const gchar *const fields[] = {
  SMALL,
  SMALL ",framerate=25/1",
  SMALL ",framerate=0/1",
  SMALL ",framerate=0/1,max-framerate=60/1",
  SMALL ",framerate=(string)fast",
  SMALL ",framerate=25/1,interlace-mode=progressive",
  SMALL ",framerate=25/1,interlace-mode=interleaved,field-order=top-field-first",
  SMALL ",framerate=25/1,interlace-mode=mixed",
  SMALL ",framerate=25/1,interlace-mode=fields",
  SMALL ",framerate=25/1,interlace-mode=alternate",
  SMALL ",framerate=25/1,interlace-mode=nonsense",
  SMALL ",framerate=25/1,multiview-mode=mono",
  SMALL ",framerate=25/1,multiview-mode=side-by-side,multiview-flags=0/4294967295/half-aspect",
  SMALL ",framerate=25/1,multiview-mode=frame-by-frame,views=2",
  SMALL ",framerate=25/1,multiview-mode=multiview-frame-by-frame,views=3",
  SMALL ",framerate=25/1,multiview-mode=separated,views=2",
  SMALL ",framerate=25/1,multiview-mode=separated,views=0",
  SMALL ",framerate=25/1,multiview-mode=separated,interlace-mode=fields,views=2",
  SMALL ",framerate=25/1,multiview-mode=separated,views=32",
  SMALL ",framerate=25/1,multiview-mode=separated,views=33",
  SMALL ",framerate=25/1,multiview-mode=separated,interlace-mode=fields,views=17",
  SMALL ",framerate=25/1,colorimetry=nonsense,chroma-site=nonsense",
  SMALL ",framerate=25/1,colorimetry=bt709,chroma-site=mpeg2,pixel-aspect-ratio=16/15",
  SMALL ",framerate=25/1,nobodys=(int)3",
  ",width=1,height=1,framerate=25/1",
  ",width=33554433,height=1,framerate=25/1",
  ",width=65535,height=65535,framerate=25/1",
  ",width=2147483647,height=2147483647,framerate=25/1",
  ",width=0,height=4,framerate=25/1",
  ",width=4,height=-4,framerate=25/1",
  ",width=4.0,height=4,framerate=25/1",
  ",width=4,framerate=25/1",
  ",framerate=25/1",
};

static const gchar *const others[] = { "application/x-test",
                                       "audio/x-raw,format=S16LE,rate=8000,channels=1,layout=interleaved",
                                       "audio/x-raw(memory:CUDAMemory),format=S16LE,rate=8000,channels=1,layout=interleaved",
                                       "video/x-h264,stream-format=byte-stream",
                                       "video/x-bayer,format=bggr,width=4,height=4",
                                       "image/jpeg,width=4,height=4" };

/* Every format with every feature, and two formats with every field. A list of fixed GstCaps, as caps of a stream are. */
static GPtrArray *
make_all_caps (void)
{
  GPtrArray *all = g_ptr_array_new_with_free_func ((GDestroyNotify)gst_caps_unref);

  for (guint feature = 0; feature < G_N_ELEMENTS (features); feature++) {
    for (guint format = 0; format < G_N_ELEMENTS (formats); format++) {
      for (guint field = 0; field < G_N_ELEMENTS (fields); field++) {
        g_autofree gchar *text
            = g_strdup_printf ("video/x-raw%s,format=(string)%s%s", features[feature], formats[format], fields[field]);
        GstCaps *caps = gst_caps_from_string (text);

        ck_assert_msg (caps != NULL && gst_caps_is_fixed (caps), "%s", text);
        if (field == 1 || strcmp (formats[format], "NV12") == 0 || strcmp (formats[format], "FUTURE") == 0)
          g_ptr_array_add (all, caps);
        else
          gst_caps_unref (caps);
      }
    }
  }
  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    g_ptr_array_add (all, gst_caps_from_string (others[i]));
  return all;
}

/* A pad that answers CAPS queries with these caps, by a probe, without an element between. */
static GstPadProbeReturn
answer_caps (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY (info);
  GstCaps *filter, *caps = user_data;

  (void)pad;
  if (GST_QUERY_TYPE (query) != GST_QUERY_CAPS)
    return GST_PAD_PROBE_OK;
  gst_query_parse_caps (query, &filter);
  caps = filter != NULL ? gst_caps_intersect_full (filter, caps, GST_CAPS_INTERSECT_FIRST) : gst_caps_ref (caps);
  gst_query_set_caps_result (query, caps);
  gst_caps_unref (caps);
  return GST_PAD_PROBE_HANDLED;
}

/* Links a pad of the element to one with `caps` (NULL: to none). The caller owns the neighbour. */
static GstPad *
link_neighbour (GstPad *pad, const gchar *caps)
{
  gboolean is_sink = GST_PAD_IS_SINK (pad);
  GstPad *neighbour;

  if (caps == NULL)
    return NULL;
  neighbour = gst_pad_new (NULL, is_sink ? GST_PAD_SRC : GST_PAD_SINK);
  gst_pad_set_active (neighbour, TRUE);
  gst_pad_add_probe (neighbour, GST_PAD_PROBE_TYPE_QUERY_BOTH, answer_caps, gst_caps_from_string (caps),
                     (GDestroyNotify)gst_caps_unref);
  ck_assert_int_eq (gst_pad_link_full (is_sink ? neighbour : pad, is_sink ? pad : neighbour, GST_PAD_LINK_CHECK_NOTHING),
                    GST_PAD_LINK_OK);
  return neighbour;
}

static void
unlink_neighbour (GstPad *pad, GstPad *neighbour)
{
  if (neighbour == NULL)
    return;
  if (GST_PAD_IS_SINK (pad))
    gst_pad_unlink (neighbour, pad);
  else
    gst_pad_unlink (pad, neighbour);
  gst_pad_set_active (neighbour, FALSE);
  gst_object_unref (neighbour);
}

static gboolean
has_too_many_views (const GstVideoInfo *info)
{
  return GST_VIDEO_INFO_MULTIVIEW_MODE (info) == GST_VIDEO_MULTIVIEW_MODE_SEPARATED
         && GST_VIDEO_INFO_VIEWS (info) > (GST_VIDEO_INFO_INTERLACE_MODE (info) == GST_VIDEO_INTERLACE_MODE_FIELDS ? 16 : 32);
}

/* `is_alone`: no other element restricts the answer, and then all accepted caps are in it. `unfiltered`: the answer to a query
 * without a filter. */
static void
check_caps (GstPad *pad, GstCaps *caps, GstCaps *unfiltered, gboolean is_alone)
{
  g_autoptr (GstCaps) answer = gst_pad_query_caps (pad, caps);
  gboolean accepted = gst_pad_query_accept_caps (pad, caps);
  gboolean promised = !gst_caps_is_empty (answer) && gst_caps_is_subset (caps, answer);
  g_autofree gchar *text = gst_caps_to_string (caps);
  GstVideoInfo info;

  if (gst_video_info_from_caps (&info, caps) && has_too_many_views (&info))
    ck_assert_msg (!promised && !accepted, "%s pad: too many views: %s", GST_PAD_NAME (pad), text);
  /* Fixed and complete caps are offered as a whole or not at all. */
  if (is_alone && gst_video_info_from_caps (&info, caps))
    ck_assert_msg (promised || gst_caps_is_empty (answer), "%s: half promised", text);
  ck_assert_msg (!promised || accepted, "%s pad: promised and refused: %s", GST_PAD_NAME (pad), text);
  ck_assert_msg (!is_alone || promised == accepted, "%s pad: accepted, but not promised: %s", GST_PAD_NAME (pad), text);
  /* Without a filter the answer may have to be ANY, since caps cannot express "all but these", and any size, interlace mode and
   * number of views. But if it is less, all of it is accepted. */
  if (!gst_caps_is_any (unfiltered) && gst_caps_is_subset (caps, unfiltered) && gst_video_info_from_caps (&info, caps)
      && !has_too_many_views (&info))
    ck_assert_msg (accepted, "%s pad: promised without a filter, and refused: %s", GST_PAD_NAME (pad), text);
}

static void
check_pad (GstElement *element, const gchar *name, const gchar *before, const gchar *after, GPtrArray *all)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (element, name);
  g_autoptr (GstPad) sinkpad = gst_element_get_static_pad (element, "sink"),
                     srcpad = gst_element_get_static_pad (element, "src");
  GstPad *first = link_neighbour (sinkpad, before), *last = link_neighbour (srcpad, after);
  g_autoptr (GstCaps) unfiltered = gst_pad_query_caps (pad, NULL);
  gboolean is_alone = before == NULL && after == NULL;

  for (guint i = 0; i < all->len; i++)
    check_caps (pad, g_ptr_array_index (all, i), unfiltered, is_alone);
  if (!gst_caps_is_any (unfiltered) && !gst_caps_is_empty (unfiltered)) {
    g_autoptr (GstCaps) fixed = gst_caps_fixate (gst_caps_copy (unfiltered));

    ck_assert_msg (gst_pad_query_accept_caps (pad, fixed), "the first choice of the %s pad is refused", name);
  }
  unlink_neighbour (sinkpad, first);
  unlink_neighbour (srcpad, last);
}

static const GstState states[] = { GST_STATE_NULL, GST_STATE_READY, GST_STATE_PLAYING };

TEST (test_promises)
{
  static const gchar *const backends[] = { "", "backend=auto", "backend=cpu" };
  static const gchar *const filters[] = {
    NULL,
    "video/x-raw",
    "video/x-raw(ANY)",
    "video/x-raw,format={ FUTURE, NV12, I420 },width=[ 1, 100 ],interlace-mode={ alternate, fields }",
    "video/x-raw(memory:CUDAMemory); video/x-raw(memory:GLMemory); audio/x-raw; video/x-raw(format:Interlaced)",
    "video/x-raw,format=FUTURE",
    "application/x-test",
  };
  g_autoptr (GPtrArray) all = make_all_caps ();

  for (guint b = 0; b < G_N_ELEMENTS (backends); b++) {
    g_autoptr (GstElement) element = make_element (backends[b]);

    for (guint s = 0; s < G_N_ELEMENTS (states); s++) {
      ck_assert_int_eq (gst_element_set_state (element, states[s]), GST_STATE_CHANGE_SUCCESS);
      for (guint w = 0; w < G_N_ELEMENTS (filters); w++) {
        check_pad (element, "sink", NULL, filters[w], all);
        check_pad (element, "src", filters[w], NULL, all);
      }
      check_pad (element, "sink", "video/x-raw,format=NV12", "video/x-raw(ANY),format={ NV12, FUTURE }", all);
      check_pad (element, "src", "video/x-raw,format=NV12", "video/x-raw(ANY),format={ NV12, FUTURE }", all);
    }
    gst_element_set_state (element, GST_STATE_NULL);
  }
}

/* A real GPU takes part of a second to open, and does not affect the accepted caps. */
static gboolean
has_real_gpu (void)
{
  return g_strcmp0 (get_test_backend (), "cuda") == 0 && fakecuda_find () == NULL;
}

/* Offered caps are also accepted as events, without an error. Each opens the engine: on a real GPU some of each kind
 * suffice. */
TEST (test_promised_caps_come)
{
  g_autoptr (GPtrArray) all = make_all_caps ();
  const guint step = has_real_gpu () ? 17 : 1; /* divides neither the number of formats nor that of fields */

  for (guint i = 0; i < all->len; i += step) {
    GstCaps *caps = g_ptr_array_index (all, i), *answer, *arrived;
    gboolean promised;

    if (!gst_caps_features_is_equal (gst_caps_get_features (caps, 0), GST_CAPS_FEATURES_MEMORY_SYSTEM_MEMORY))
      continue; /* frames on the GPU need one */
    g_auto (Rig) rig = open_rig ("message-arrays=none");
    g_autoptr (GstPad) pad = gst_element_get_static_pad (rig.element, "sink");
    answer = gst_pad_query_caps (pad, caps);
    promised = gst_caps_is_subset (caps, answer) && !gst_caps_is_empty (answer);
    ck_assert (gst_harness_push_event (rig.harness, gst_event_new_stream_start ("promised")));
    gst_harness_push_event (rig.harness, gst_event_new_caps (caps)); /* always TRUE: a pad keeps refused caps */
    arrived = gst_pad_get_current_caps (rig.harness->sinkpad);
    ck_assert_int_eq (arrived != NULL, promised);
    gst_clear_caps (&arrived);
    if (promised)
      check_bus_empty (rig.bus);
    else
      check_error (rig.bus, GST_MESSAGE_ERROR, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, NULL);
    gst_caps_unref (answer);
  }
}

/* ---- raw video that is refused --------------------------------------------------------------------------------------- */

#define REFUSED_FORMAT "Cannot count frames of format FUTURE. Put videoconvert in front."
#define FUTURE_SOURCE(formats) \
  "futuresrc num-buffers=2 offer=\"video/x-raw,format=" formats ",width=[1,4],height=[1,4],framerate=[0/1,25/1]\" ! "
#define ANY_SOURCE "fakesrc num-buffers=2 sizetype=fixed sizemax=64 ! "
#define SMALL_NV12 "format=NV12,width=4,height=4,framerate=25/1 ! "

/* Takes messages off the bus until the pipeline ends. Returns the first error or warning, or NULL. */
static GstMessage *
take_first_message (GstBus *bus, const gchar *line)
{
  const GstMessageType types = GST_MESSAGE_ERROR | GST_MESSAGE_WARNING;
  GstMessage *message = gst_bus_timed_pop_filtered (bus, RIG_PATIENCE, types | GST_MESSAGE_EOS);

  ck_assert_msg (message != NULL, "%s: neither a message nor an end", line);
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS)
    gst_clear_message (&message);
  return message;
}

static GError *
parse_message (GstMessage *message, gchar **details)
{
  GError *error;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    gst_message_parse_error (message, &error, details);
  else
    gst_message_parse_warning (message, &error, details);
  return error;
}

/* Runs it to its end. Returns the text of the first error or warning, which is an error, or NULL. The element posts only
 * that. */
static gchar *
get_first_error (const gchar *line, gchar **details)
{
  GError *error = NULL;
  g_autoptr (GstElement) pipeline = gst_parse_launch_full (line, NULL, GST_PARSE_FLAG_FATAL_ERRORS, &error);
  gchar *text = NULL;
  guint own_errors = 0, own_warnings = 0;
  GstMessage *message;

  ck_assert_msg (error == NULL, "%s: %s", line, error != NULL ? error->message : "");
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = take_first_message (bus, line);
  ck_assert_msg (message == NULL || GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR, "%s: a warning first", line);
  if (message != NULL) {
    error = parse_message (message, details);
    text = g_strdup (error->message);
    g_clear_error (&error);
  }
  gst_element_set_state (pipeline, GST_STATE_READY);
  for (; message != NULL; message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR | GST_MESSAGE_WARNING)) {
    error = parse_message (message, NULL);
    if (g_str_has_prefix (GST_MESSAGE_SRC_NAME (message), "cudahisto")) {
      ck_assert (g_error_matches (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT));
      if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
        own_errors++;
      else
        own_warnings++;
    }
    g_clear_error (&error);
    gst_message_unref (message);
  }
  ck_assert_msg (own_errors <= 1 && own_warnings == 0, "%s: %u errors, %u warnings", line, own_errors, own_warnings);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  return text;
}

/* The first message is the element's and names the refused caps, whatever its neighbours are. It is an error although the
 * source only queries: gst-launch-1.0 reports errors at once and warnings later, so that a warning may not be shown. */
TEST (test_refusals)
{
  static const struct {
    const gchar *line, *text;
  } cases[] = {
    { FUTURE_SOURCE ("FUTURE") "cudahisto ! fakesink", REFUSED_FORMAT },
    { FUTURE_SOURCE ("FUTURE") "queue ! cudahisto ! queue ! fakesink", REFUSED_FORMAT },
    { FUTURE_SOURCE ("FUTURE") "identity ! cudahisto ! cudahisto ! fakesink", REFUSED_FORMAT },
    { FUTURE_SOURCE ("FUTURE") "tee ! queue ! cudahisto ! fakesink", REFUSED_FORMAT },
    { FUTURE_SOURCE ("{FUTURE,LATER}") "cudahisto ! fakesink",
      "Cannot count frames of format FUTURE, LATER. Put videoconvert in front." },
    { ANY_SOURCE "video/x-raw(memory:GLMemory)," SMALL_NV12 "queue ! cudahisto ! fakesink",
      "Cannot read frames in memory:GLMemory. Put gldownload in front." },
    { ANY_SOURCE "video/x-raw(memory:Nobodys)," SMALL_NV12 "cudahisto ! fakesink",
      "Cannot read frames in memory:Nobodys. Put an element in front that copies them to system memory." },
    { ANY_SOURCE "video/x-raw(memory:CUDAMemory)," SMALL_NV12 "cudahisto backend=cpu ! fakesink",
      "Cannot read frames in memory:CUDAMemory without the CUDA backend. Put cudadownload in front." },
    { ANY_SOURCE "video/x-raw,interlace-mode=alternate," SMALL_NV12 "cudahisto ! fakesink",
      "Invalid raw video caps: interlace-mode=alternate needs the caps feature format:Interlaced. Add it." },
    { ANY_SOURCE "video/x-raw(meta:Nobodys)," SMALL_NV12 "cudahisto ! fakesink",
      "Cannot count frames with the caps feature meta:Nobodys. Put an element in front that converts them." },
    { ANY_SOURCE "video/x-raw,format=NV12,width=65535,height=65535,framerate=25/1 ! cudahisto ! fakesink",
      "Cannot count frames of 65535x65535: GStreamer has none of this size in format NV12. Put videoscale or videocrop in "
      "front." },
    { ANY_SOURCE "video/x-raw,multiview-mode=separated,views=33," SMALL_NV12 "cudahisto ! fakesink",
      "Cannot count 33 views in a buffer: 32 pictures are the most. Have the element in front put fewer views in a buffer." },
    /* If there is a choice, no message is posted. */
    { FUTURE_SOURCE ("{FUTURE,I420}") "cudahisto ! fakesink", NULL },
    { "videotestsrc num-buffers=2 ! cudahisto ! videoconvert ! video/x-raw,format=NV16 ! fakesink", NULL },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree gchar *text = get_first_error (cases[i].line, NULL);

    ck_assert_msg (g_strcmp0 (text, cases[i].text) == 0, "%s: %s", cases[i].line, text != NULL ? text : "no message");
  }
}

/* The details are the sent caps or the whole choice, without invented numbers. */
TEST (test_details_of_refusals)
{
  gchar *text, *details;

  text = get_first_error (FUTURE_SOURCE ("{FUTURE,LATER}") "cudahisto ! fakesink", &details);
  ck_assert_msg (strstr (details, "{ (string)FUTURE, (string)LATER }") != NULL || strstr (details, "{ FUTURE, LATER }") != NULL,
                 "%s", details);
  ck_assert_msg (strstr (details, "width=(int)[ 1, 4 ]") != NULL
                     && strstr (details, "framerate=(fraction)[ 0/1, 25/1 ]") != NULL,
                 "%s", details);
  g_free (text);
  g_free (details);
  text = get_first_error (ANY_SOURCE "video/x-raw,format=FUTURE,width=4,height=4,framerate=25/1 ! cudahisto ! fakesink",
                          &details);
  ck_assert_msg (strstr (details, "framerate=(fraction)25/1") != NULL, "%s", details);
  g_free (text);
  g_free (details);
}

/* A decoder sends its caps whatever the answer to a CAPS query is. Elements between query the element before they accept the
 * event, which then does not arrive. */
TEST (test_refusals_after_other_elements)
{
  static const gchar *const before[] = { "",
                                         "queue ! ",
                                         "queue2 ! ",
                                         "identity ! ",
                                         "capsfilter ! queue ! identity ! ",
                                         "tee ! queue ! ",
                                         "queue ! funnel ! ",
                                         "identity ! concat ! ",
                                         "queue ! input-selector ! ",
                                         "queue ! multiqueue ! ",
                                         "bin.( identity ! queue ) ! bin.( queue ) ! " };

  for (guint i = 0; i < G_N_ELEMENTS (before); i++) {
    g_autofree gchar *line = g_strdup_printf ("%scudahisto ! fakesink async=false", before[i]);
    GstElement *bin = gst_parse_bin_from_description (line, TRUE, NULL);
    g_autoptr (GstElement) pipeline = gst_pipeline_new (NULL);
    g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
    g_autoptr (GstPad) srcpad = gst_pad_new ("src", GST_PAD_SRC), sinkpad = NULL;
    g_autoptr (GstCaps) caps = gst_caps_from_string ("video/x-raw,format=FUTURE,width=4,height=4,framerate=25/1");

    gst_bin_add (GST_BIN (pipeline), bin);
    sinkpad = gst_element_get_static_pad (bin, "sink");
    ck_assert_msg (sinkpad != NULL, "%s: no sink pad", line);
    ck_assert_int_eq (gst_element_set_state (pipeline, GST_STATE_PLAYING), GST_STATE_CHANGE_SUCCESS);
    gst_pad_use_fixed_caps (srcpad);
    gst_pad_set_active (srcpad, TRUE);
    ck_assert_int_eq (gst_pad_link_full (srcpad, sinkpad, GST_PAD_LINK_CHECK_NOTHING), GST_PAD_LINK_OK);
    gst_pad_push_event (srcpad, gst_event_new_stream_start ("decoder"));
    gst_pad_push_event (srcpad, gst_event_new_caps (caps));
    check_error (bus, GST_MESSAGE_ERROR, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, "format FUTURE");

    gst_pad_set_active (srcpad, FALSE);
    gst_element_set_state (pipeline, GST_STATE_NULL);
    gst_pad_unlink (srcpad, sinkpad);
  }
}

/* A source that has sent FUTURE elsewhere is linked to the element, queries it, and sends another format: no error. */
TEST (test_questions_are_no_errors)
{
  g_autoptr (GstCaps) refused = gst_caps_from_string ("video/x-raw,format=FUTURE" SMALL ",framerate=25/1"), allowed = NULL,
                      arrived = NULL;
  g_autoptr (GstCaps) taken = gst_caps_from_string ("video/x-raw,format=I420" SMALL ",framerate=25/1");
  GstPad *srcpad = gst_pad_new ("src", GST_PAD_SRC), *sinkpad, *elsewhere = gst_pad_new ("elsewhere", GST_PAD_SINK);
  GstMessage *message;
  g_auto (Rig) rig = open_rig ("");

  sinkpad = gst_pad_get_peer (rig.harness->srcpad);
  gst_pad_unlink (rig.harness->srcpad, sinkpad);
  gst_pad_set_active (elsewhere, TRUE);
  gst_pad_set_active (srcpad, TRUE);
  gst_pad_link_full (srcpad, elsewhere, GST_PAD_LINK_CHECK_NOTHING);
  gst_pad_use_fixed_caps (srcpad);
  gst_pad_push_event (srcpad, gst_event_new_stream_start ("source"));
  gst_pad_push_event (srcpad, gst_event_new_caps (refused));
  gst_pad_unlink (srcpad, elsewhere);
  gst_pad_link_full (srcpad, sinkpad, GST_PAD_LINK_CHECK_NOTHING);

  allowed = gst_pad_get_allowed_caps (srcpad);
  ck_assert (gst_caps_is_empty (allowed));
  ck_assert (!gst_pad_peer_query_accept_caps (srcpad, refused));
  ck_assert (gst_pad_push_event (srcpad, gst_event_new_caps (taken)));
  arrived = gst_pad_get_current_caps (sinkpad);
  ck_assert (arrived != NULL && gst_caps_is_equal (arrived, taken));
  while ((message = gst_bus_pop_filtered (rig.bus, GST_MESSAGE_ERROR | GST_MESSAGE_WARNING)) != NULL) {
    ck_assert_int_ne (GST_MESSAGE_TYPE (message), GST_MESSAGE_ERROR);
    gst_message_unref (message);
  }
  gst_pad_unlink (srcpad, sinkpad);
  gst_object_unref (sinkpad);
  gst_pad_set_active (srcpad, FALSE);
  gst_object_unref (srcpad);
  gst_pad_set_active (elsewhere, FALSE);
  gst_object_unref (elsewhere);
}

/* After a buffer that the filter has passed, and before the source makes the next one: the filter would refuse a buffer on its
 * way, and might report it first. */
static GstPadProbeReturn
change_filter (GstPad *pad, GstPadProbeInfo *info, gpointer filter)
{
  (void)pad, (void)info;
  gst_util_set_object_arg (G_OBJECT (filter), "caps", "video/x-raw,format=FUTURE");
  return GST_PAD_PROBE_REMOVE;
}

#define LASTING_SOURCE "futuresrc offer=\"video/x-raw,format={I420,FUTURE},width=4,height=4,framerate=25/1\" ! "

/* In mid-stream, by upstream or downstream. Each new reason is a message. */
TEST (test_refusals_in_mid_stream)
{
  static const struct {
    const gchar *line, *error;
  } cases[] = {
    { LASTING_SOURCE "capsfilter name=filter caps=video/x-raw,format=I420 ! queue ! cudahisto ! fakesink", REFUSED_FORMAT },
    { LASTING_SOURCE "cudahisto ! capsfilter name=filter caps=video/x-raw,format=I420 ! fakesink",
      "Cannot count frames of format FUTURE. Put videoconvert after cudahisto." },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GstElement) pipeline = gst_parse_launch (cases[i].line, NULL),
                           filter = gst_bin_get_by_name (GST_BIN (pipeline), "filter");
    g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
    GstMessage *message;

    gst_element_set_state (pipeline, GST_STATE_PLAYING);
    gst_message_unref (gst_bus_timed_pop_filtered (bus, RIG_PATIENCE, GST_MESSAGE_ELEMENT));
    g_autoptr (GstPad) pad = gst_element_get_static_pad (filter, "src");
    gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, change_filter, filter, NULL);
    message = gst_bus_timed_pop_filtered (bus, RIG_PATIENCE, GST_MESSAGE_ERROR | GST_MESSAGE_WARNING);
    ck_assert_msg (message != NULL, "%s: no message", cases[i].line);
    g_autoptr (GError) error = parse_message (message, NULL);
    ck_assert_msg (strcmp (error->message, cases[i].error) == 0, "case %u: %s", i, error->message);
    gst_message_unref (message);
    gst_element_set_state (pipeline, GST_STATE_NULL);
  }
}

/* An application that sends samples: caps arrive without a query. It may continue with others, and gets another message. */
TEST (test_refused_samples)
{
  static const gchar *const sent[] = { "FUTURE", "FUTURE", "LATER", "GRAY8", "LATER" };
  static const guint n_errors[] = { 1, 1, 2, 2, 3 };
  guint errors = 0;
  g_auto (Rig) rig = open_rig ("");

  ck_assert (gst_harness_push_event (rig.harness, gst_event_new_stream_start ("samples")));
  for (guint i = 0; i < G_N_ELEMENTS (sent); i++) {
    g_autofree gchar *text = g_strdup_printf ("video/x-raw,format=%s" SMALL ",framerate=25/1", sent[i]);
    g_autoptr (GstCaps) caps = gst_caps_from_string (text);
    GstMessage *message;

    gst_harness_push_event (rig.harness, gst_event_new_caps (caps)); /* always TRUE: a pad keeps refused caps */
    while ((message = gst_bus_pop_filtered (rig.bus, GST_MESSAGE_ERROR)) != NULL) {
      gst_message_unref (message);
      errors++;
    }
    ck_assert_msg (errors == n_errors[i], "%u: %u errors", i, errors);
  }
}

/* If downstream leaves a choice, the pads do not link. */
TEST (test_links)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GstElement) pipeline = NULL;

  free_results (run_line (NULL, "videotestsrc num-buffers=2 ! cudahisto ! video/x-raw,format=Y410 ! fakesink"));
  pipeline
      = gst_parse_launch (FUTURE_SOURCE ("{FUTURE,I420}") "cudahisto ! video/x-raw,format={FUTURE,LATER} ! fakesink", &error);
  ck_assert (g_error_matches (error, GST_PARSE_ERROR, GST_PARSE_ERROR_LINK));
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  gst_element_register (NULL, "futuresrc", GST_RANK_NONE, future_source_get_type ());
  return run_test_program (argc, argv, test_suite, NULL);
}
