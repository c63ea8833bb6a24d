/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The choice among several decoders, all of them made here, and the messages about it. The film is a file whose first line is
 * the caps of its stream. */

#include "cases.h"
#include "decoding/choice.h"

#include <fcntl.h>
#include <gst/video/video.h>
#include <string.h>
#include <unistd.h>

#include "decoding/guard.h"

#define MAGIC "CHOICE "
#define FILM_SIZE 20000 /* bytes: several packets */
#define SIDE 16         /* pixels */

/* ---- decoders --------------------------------------------------------------------------------------------------------- */

typedef struct {
  const gchar *name, *format, *klass;
  guint fails_at; /* the packet, from 1; 0: none */
} Kind;

static const Kind kinds[] = {
  { "choicecoarse", "I420", "Codec/Decoder/Video", 0 }, { "choicerough", "NV12", "Codec/Decoder/Video", 0 },
  { "choicefine", "Y42B", "Codec/Decoder/Video", 0 },   { "choicehardware", "Y42B", "Codec/Decoder/Video/Hardware", 0 },
  { "choicefails", "Y42B", "Codec/Decoder/Video", 1 },  { "choicestops", "Y42B", "Codec/Decoder/Video", 2 },
  { "choicergb", "RGB", "Codec/Decoder/Video", 0 },
};

typedef struct {
  GstElement parent;
  guint packets;
} ChoiceDecoder;

typedef struct {
  GstElementClass parent_class;
  const Kind *kind;
} ChoiceDecoderClass;

static GstStaticPadTemplate sink_template
    = GST_STATIC_PAD_TEMPLATE ("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS ("video/x-choice"));
static GstStaticPadTemplate src_template
    = GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS ("video/x-raw"));

static void
choice_decoder_start (GstPad *src, const Kind *kind)
{
  g_autoptr (GstCaps) caps
      = gst_caps_new_simple ("video/x-raw", "format", G_TYPE_STRING, kind->format, "width", G_TYPE_INT, SIDE, "height",
                             G_TYPE_INT, SIDE, "framerate", GST_TYPE_FRACTION, 25, 1, NULL);
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (src, gst_event_new_caps (caps));
  gst_pad_push_event (src, gst_event_new_segment (&segment));
}

/* A frame for each packet. */
static GstFlowReturn
choice_decoder_chain (GstPad *pad G_GNUC_UNUSED, GstObject *parent, GstBuffer *packet)
{
  ChoiceDecoder *decoder = (ChoiceDecoder *)parent;
  const Kind *kind = G_TYPE_INSTANCE_GET_CLASS (decoder, GST_TYPE_ELEMENT, ChoiceDecoderClass)->kind;
  GstPad *src = GST_PAD (GST_ELEMENT (decoder)->srcpads->data);
  GstBuffer *frame;

  gst_buffer_unref (packet);
  if (++decoder->packets == kind->fails_at) {
    GST_ELEMENT_ERROR (decoder, STREAM, DECODE, ("%s fails", kind->name), (NULL));
    gst_pad_push_event (src, gst_event_new_eos ()); /* as one from the element in front, which ends the stream */
    return GST_FLOW_ERROR;
  }
  if (decoder->packets == 1)
    choice_decoder_start (src, kind);
  frame = gst_buffer_new_allocate (NULL, 3 * SIDE * SIDE, NULL);
  GST_BUFFER_PTS (frame) = (decoder->packets - 1) * 40 * GST_MSECOND;
  return gst_pad_push (src, frame);
}

static gboolean
choice_decoder_take_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS || GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT) { /* it has its own */
    gst_event_unref (event);
    return TRUE;
  }
  return gst_pad_event_default (pad, parent, event);
}

static void
choice_decoder_class_init (gpointer class_data, gpointer kind)
{
  gst_element_class_add_static_pad_template (class_data, &sink_template);
  gst_element_class_add_static_pad_template (class_data, &src_template);
  gst_element_class_set_static_metadata (class_data, "Choice", ((const Kind *)kind)->klass, "Decodes nothing", "cudahisto");
  ((ChoiceDecoderClass *)class_data)->kind = kind;
}

static void
choice_decoder_init (GTypeInstance *instance, gpointer class_data G_GNUC_UNUSED)
{
  GstElement *decoder = GST_ELEMENT (instance);
  GstPad *sink = gst_pad_new_from_static_template (&sink_template, "sink");

  gst_pad_set_chain_function (sink, choice_decoder_chain);
  gst_pad_set_event_function (sink, choice_decoder_take_event);
  gst_element_add_pad (decoder, sink);
  gst_element_add_pad (decoder, gst_pad_new_from_static_template (&src_template, "src"));
}

static void
find_type (GstTypeFind *find, gpointer user_data G_GNUC_UNUSED)
{
  const guint8 *data = gst_type_find_peek (find, 0, 256);

  if (data == NULL || memcmp (data, MAGIC, strlen (MAGIC)) != 0)
    return;
  g_autofree gchar *line
      = g_strndup ((const gchar *)data + strlen (MAGIC), strcspn ((const gchar *)data, "\n") - strlen (MAGIC));
  g_autoptr (GstCaps) caps = gst_caps_from_string (line);
  gst_type_find_suggest (find, GST_TYPE_FIND_MAXIMUM, caps);
}

static void
register_all (void)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string ("video/x-choice");

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
    const GTypeInfo info = { .class_size = sizeof (ChoiceDecoderClass),
                             .class_init = choice_decoder_class_init,
                             .class_data = &kinds[i],
                             .instance_size = sizeof (ChoiceDecoder),
                             .instance_init = choice_decoder_init };

    gst_element_register (NULL, kinds[i].name, GST_RANK_NONE,
                          g_type_register_static (GST_TYPE_ELEMENT, kinds[i].name, &info, 0));
  }
  gst_type_find_register (NULL, "choice", GST_RANK_PRIMARY, find_type, "choice", caps, NULL, NULL);
}

/* The first in the list is the one that GStreamer takes; those that are not in it do not exist. */
static void
rank_decoders (const gchar *const *names)
{
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
    g_autoptr (GstPluginFeature) feature = gst_registry_lookup_feature (gst_registry_get (), kinds[i].name);
    guint rank = GST_RANK_NONE;

    for (guint n = 0; names[n] != NULL; n++)
      if (g_str_equal (names[n], kinds[i].name))
        rank = GST_RANK_PRIMARY + 100 - n;
    gst_plugin_feature_set_rank (feature, rank);
  }
}

/* ---- a film ----------------------------------------------------------------------------------------------------------- */

/* The output of the source, "I420 *" for caps and frames in I420, then the messages. */
typedef struct {
  GMutex lock;
  GString *text;
} Outcome;

static GstPadProbeReturn
take_output (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info, gpointer user_data)
{
  Outcome *outcome = user_data;
  GstCaps *caps;

  g_mutex_lock (&outcome->lock);
  if (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER) {
    if (!g_str_has_suffix (outcome->text->str, "*"))
      g_string_append (outcome->text, " *");
  } else if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_CAPS) {
    gst_event_parse_caps (GST_PAD_PROBE_INFO_EVENT (info), &caps);
    g_string_append_printf (outcome->text, "%s%s", outcome->text->len > 0 ? " " : "",
                            gst_structure_get_string (gst_caps_get_structure (caps, 0), "format"));
  }
  g_mutex_unlock (&outcome->lock);
  return GST_PAD_PROBE_OK;
}

static void
link_pad (GstElement *source G_GNUC_UNUSED, GstPad *pad, gpointer sink)
{
  g_autoptr (GstPad) input = gst_element_get_static_pad (sink, "sink");

  ck_assert_int_eq (gst_pad_link (pad, input), GST_PAD_LINK_OK);
}

/* Takes messages up to the end. */
static void
take_messages (GstBus *bus, GString *text)
{
  const GstMessageType types = GST_MESSAGE_ERROR | GST_MESSAGE_EOS | GST_MESSAGE_ELEMENT;
  gboolean has_ended = FALSE;

  while (!has_ended) {
    g_autoptr (GstMessage) message = gst_bus_timed_pop_filtered (bus, 120 * GST_SECOND, types);
    GError *error = NULL;

    ck_assert_msg (message != NULL, "neither an end nor an error");
    has_ended = GST_MESSAGE_TYPE (message) != GST_MESSAGE_ELEMENT;
    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
      gst_message_parse_error (message, &error, NULL);
      g_string_append_printf (text, "; error: %s", error->message);
      g_error_free (error);
    } else if (gst_message_has_name (message, DECODING_CHOICE_MESSAGE)) {
      g_autofree gchar *said = decoding_choice_explain (gst_message_get_structure (message));

      g_string_append_printf (text, "; %s", said);
    }
  }
}

/* Free with g_free(). */
static gchar *
play (const gchar *uri)
{
  GstElement *pipeline = gst_pipeline_new (NULL), *source = gst_element_factory_make ("uridecodebin", NULL);
  GstElement *sink = gst_element_factory_make ("fakesink", NULL);
  g_autoptr (GstPad) pad = gst_element_get_static_pad (sink, "sink");
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  Outcome outcome = { .text = g_string_new (NULL) };
  g_autoptr (GString) said = g_string_new (NULL);

  g_mutex_init (&outcome.lock);
  decoding_choice_make (source);
  decoding_guard (pipeline);
  g_object_set (source, "uri", uri, NULL);
  g_signal_connect (source, "pad-added", G_CALLBACK (link_pad), sink);
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, take_output, &outcome, NULL);
  gst_bin_add_many (GST_BIN (pipeline), source, sink, NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  take_messages (bus, said);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  g_string_append (outcome.text, said->str);
  g_mutex_clear (&outcome.lock);
  gst_object_unref (pipeline);
  return g_string_free (outcome.text, FALSE);
}

/* ---- cases ------------------------------------------------------------------------------------------------------------ */

#define FILM_422 "video/x-choice,chroma-format=(string)4:2:2,bit-depth-luma=(uint)8"
#define FILM_420 "video/x-choice,chroma-format=(string)4:2:0,bit-depth-luma=(uint)8"
#define COARSE(decoder) "has frames of 4:2:2, 8 bits, which GStreamer's " decoder " decodes to 4:2:0, 8 bits"
#define OTHER "; in a file, another decoder would keep them."

static const struct {
  const gchar *name, *caps, *decoders;
  gboolean is_file; /* a source that cannot start again otherwise */
  const gchar *outcome;
} cases[] = {
  { "the best one keeps what the stream has", FILM_420, "choicecoarse choicefine", TRUE, "I420 *" },
  { "it has more than the stream", FILM_420, "choicefine choicecoarse", TRUE, "Y42B *" },
  { "nothing is known of the stream", "video/x-choice", "choicecoarse choicefine", TRUE, "I420 *" },
  { "the best one has less, another one does not", FILM_422, "choicecoarse choicefine", TRUE, "Y42B *" },
  { "two have less", FILM_422, "choicecoarse choicerough choicefine", TRUE, "Y42B *" },
  { "all have less", FILM_422, "choicecoarse choicerough", TRUE, "NV12 *; " COARSE ("choicerough") "." },
  { "there is one alone", FILM_422, "choicecoarse", TRUE, "I420 *; " COARSE ("choicecoarse") "." },
  { "the other one needs a device", FILM_422, "choicecoarse choicehardware", TRUE, "I420 *; " COARSE ("choicecoarse") "." },
  { "a pipe", FILM_422, "choicecoarse choicefine", FALSE, "I420 *; " COARSE ("choicecoarse") OTHER },
  { "RGB has all chroma", FILM_422, "choicergb choicefine", TRUE, "RGB *" },
  { "the best one fails", FILM_420, "choicefails choicecoarse", TRUE, "I420 *" },
  { "the best one fails, the next one has less", FILM_422, "choicefails choicecoarse choicefine", TRUE, "Y42B *" },
  { "all fail", FILM_420, "choicefails", TRUE, "; error: choicefails fails" },
  { "it fails after its first frame", FILM_422, "choicestops choicefine", TRUE, "Y42B *; error: choicestops fails" },
  { "it fails in a pipe", FILM_422, "choicefails choicefine", FALSE, "; error: choicefails fails" },
};

TEST_LOOP (test_table, 0, G_N_ELEMENTS (cases))
{
  g_autofree gchar *content = g_strdup_printf (MAGIC "%s\n%*d", cases[__i__].caps, FILM_SIZE, 0), *path = NULL, *uri = NULL,
                   *outcome = NULL;
  g_auto (GStrv) decoders = g_strsplit (cases[__i__].decoders, " ", -1);
  gint file = g_file_open_tmp ("choice-XXXXXX", &path, NULL);

  ck_assert_int_ge (file, 0);
  ck_assert (g_file_set_contents (path, content, -1, NULL));
  close (file);
  file = open (path, O_RDONLY); /* the file has been replaced */
  uri = cases[__i__].is_file ? g_filename_to_uri (path, NULL, NULL) : g_strdup_printf ("fd://%d", file);
  rank_decoders ((const gchar *const *)decoders);
  outcome = play (uri);
  ck_assert_msg (g_str_equal (outcome, cases[__i__].outcome), "%s: %s", cases[__i__].name, outcome);
  close (file);
  unlink (path);
}

/* A decoder that is in no source of this kind is left alone, with its errors. */
TEST (test_decoders_elsewhere)
{
  GstElement *bin = gst_element_factory_make ("uridecodebin", NULL), *decoder = gst_element_factory_make ("choicecoarse", NULL);

  gst_bin_add (GST_BIN (bin), decoder);
  decoding_choice_watch (decoder);
  ck_assert (!decoding_choice_take_error (decoder));
  decoding_choice_make (bin);
  ck_assert (!decoding_choice_take_error (bin));
  ck_assert (!decoding_choice_take_error (decoder)); /* there is no stream yet: nothing would be better without it */
  gst_object_unref (bin);
}

int
main (int argc, char **argv)
{
  gst_check_init (&argc, &argv);
  register_all ();
  return TEST_RUN ();
}
