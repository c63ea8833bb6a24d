/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "decoding/choice.h"

#include <gst/video/video.h>
#include <string.h>

#include "decoding/sampling.h"

#define KEY "cudahisto-decoding-choice"

/* Attached to a source. */
typedef struct {
  GMutex lock;
  GHashTable *excluded;   /* names of factories */
  gboolean is_restarting; /* its elements are stopping: ignore their errors */
} DecodingChoice;

/* Attached to a decoder in a source. */
typedef struct {
  GstElement *source;
  gint has_packet; /* atomic: `stream` is set */
  gboolean is_excluded;
  gboolean is_colour_guessed; /* by a parser: the film does not specify it */
  DecodingSampling stream;
} DecodingCandidate;

static void
decoding_choice_free (gpointer data)
{
  DecodingChoice *choice = data;

  g_hash_table_unref (choice->excluded);
  g_mutex_clear (&choice->lock);
  g_free (choice);
}

/* Returns the source that contains the element, or NULL. */
static GstElement *
decoding_choice_find_source (GstElement *element)
{
  GstObject *object = gst_object_ref (GST_OBJECT (element));

  while (object != NULL && g_object_get_data (G_OBJECT (object), KEY) == NULL) {
    GstObject *parent = gst_object_get_parent (object);

    gst_object_unref (object);
    object = parent;
  }
  return (GstElement *)object;
}

static gboolean
decoding_choice_is_restarting (GstElement *source)
{
  DecodingChoice *choice = g_object_get_data (G_OBJECT (source), KEY);
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&choice->lock);

  return choice->is_restarting;
}

static gboolean
decoding_choice_is_excluded (DecodingChoice *choice, GstElementFactory *factory)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&choice->lock);

  return g_hash_table_contains (choice->excluded, GST_OBJECT_NAME (factory));
}

/* ---- decodebin's candidates ----------------------------------------------------------------------------------------- */

/* Lists the parsers of these caps, including those that GStreamer does not use automatically: some decoders need their fields.
 * A container has its own parsers, such as matroskaparse, which must not come before its demuxer. */
static GList *
decoding_choice_list_parsers (const GstCaps *caps)
{
  GList *all = gst_element_factory_list_get_elements (GST_ELEMENT_FACTORY_TYPE_PARSER | GST_ELEMENT_FACTORY_TYPE_MEDIA_VIDEO
                                                          | GST_ELEMENT_FACTORY_TYPE_MEDIA_IMAGE,
                                                      GST_RANK_NONE);
  GList *parsers = gst_element_factory_list_filter (all, caps, GST_PAD_SINK, TRUE);

  gst_plugin_feature_list_free (all);
  return parsers;
}

static gboolean
decoding_choice_is_hardware (GstElementFactory *factory)
{
  return strstr (gst_element_factory_get_metadata (factory, GST_ELEMENT_METADATA_KLASS), "Hardware") != NULL;
}

static gboolean
decoding_choice_is_parsed (const GstCaps *caps)
{
  gboolean is_parsed = FALSE;

  return gst_structure_get_boolean (gst_caps_get_structure (caps, 0), "parsed", &is_parsed) && is_parsed;
}

/* GStreamer's order: parsers first, then by rank. */
static gint
decoding_choice_compare (gconstpointer one, gconstpointer other)
{
  GstElementFactory *first = GST_ELEMENT_FACTORY (one), *second = GST_ELEMENT_FACTORY (other);
  const gint is_parser = gst_element_factory_list_is_type (first, GST_ELEMENT_FACTORY_TYPE_PARSER);
  const gint other_is_parser = gst_element_factory_list_is_type (second, GST_ELEMENT_FACTORY_TYPE_PARSER);

  return is_parser != other_is_parser ? other_is_parser - is_parser : gst_plugin_feature_rank_compare_func (one, other);
}

/* Connected once a decoder is excluded: returns GStreamer's own list, and the parsers that it does not use automatically. */
static GValueArray *
decoding_choice_list_factories (GstElement *source, GstPad *pad G_GNUC_UNUSED, GstCaps *caps, gpointer user_data G_GNUC_UNUSED)
{
  GList *all = gst_element_factory_list_get_elements (GST_ELEMENT_FACTORY_TYPE_DECODABLE, GST_RANK_MARGINAL), *fitting;
  gboolean is_in_software = FALSE;
  GValueArray *array;

  g_object_get (source, "force-sw-decoders", &is_in_software, NULL);
  fitting = gst_element_factory_list_filter (all, caps, GST_PAD_SINK, gst_caps_is_fixed (caps));
  gst_plugin_feature_list_free (all);
  if (gst_caps_is_fixed (caps) && !decoding_choice_is_parsed (caps))
    fitting = g_list_concat (decoding_choice_list_parsers (caps), fitting);
  fitting = g_list_sort (fitting, decoding_choice_compare);
  G_GNUC_BEGIN_IGNORE_DEPRECATIONS
  array = g_value_array_new (g_list_length (fitting));
  for (const GList *link = fitting; link != NULL; link = link->next) {
    GValue value = G_VALUE_INIT;

    if (is_in_software && decoding_choice_is_hardware (link->data))
      continue;
    g_value_init (&value, G_TYPE_OBJECT);
    g_value_set_object (&value, link->data);
    g_value_array_append (array, &value);
    g_value_unset (&value);
  }
  G_GNUC_END_IGNORE_DEPRECATIONS
  gst_plugin_feature_list_free (fitting);
  return array;
}

/* GstAutoplugSelectResult, which has no public header. */
static gint
decoding_choice_select (GstElement *source G_GNUC_UNUSED, GstPad *pad G_GNUC_UNUSED, GstCaps *caps G_GNUC_UNUSED,
                        GstElementFactory *factory, gpointer user_data)
{
  enum { TRY, EXPOSE, SKIP };

  return decoding_choice_is_excluded (user_data, factory) ? SKIP : TRY;
}

/* Returns whether a decoder other than `factory` and the excluded ones accepts the stream, directly or after a parser. */
static gboolean
decoding_choice_has_other (DecodingChoice *choice, GstElementFactory *factory, GstCaps *caps)
{
  g_autoptr (GstCaps) parsed = gst_caps_copy (caps);
  GList *parsers = decoding_choice_list_parsers (caps), *decoders;
  gboolean has_other = FALSE;

  decoders = gst_element_factory_list_get_elements (GST_ELEMENT_FACTORY_TYPE_DECODER, GST_RANK_MARGINAL);
  gst_caps_set_simple (parsed, "parsed", G_TYPE_BOOLEAN, TRUE, NULL);
  for (const GList *link = decoders; link != NULL && !has_other; link = link->next) {
    GstElementFactory *other = link->data;

    has_other = other != factory && !decoding_choice_is_excluded (choice, other) && !decoding_choice_is_hardware (other)
                && (gst_element_factory_can_sink_all_caps (other, caps)
                    || (parsers != NULL && gst_element_factory_can_sink_all_caps (other, parsed)));
  }
  gst_plugin_feature_list_free (parsers);
  gst_plugin_feature_list_free (decoders);
  return has_other;
}

/* ---- another decoder ------------------------------------------------------------------------------------------------ */

static gboolean
decoding_choice_is_wanted (GstElement *source)
{
  g_autoptr (GstElement) parent = GST_ELEMENT_CAST (gst_object_get_parent (GST_OBJECT (source)));

  return parent != NULL && GST_STATE_TARGET (parent) > GST_STATE_READY;
}

static void
decoding_choice_restart (GstElement *source, gpointer user_data)
{
  DecodingChoice *choice = user_data;

  gst_element_set_state (source, GST_STATE_READY);
  g_mutex_lock (&choice->lock);
  choice->is_restarting = FALSE;
  g_mutex_unlock (&choice->lock);
  /* Its parent may have been stopped meanwhile. */
  if (!gst_element_sync_state_with_parent (source) || !decoding_choice_is_wanted (source))
    gst_element_set_state (source, GST_STATE_NULL);
}

/* A pipe or a camera cannot be read twice. */
static gboolean
decoding_choice_can_restart (GstElement *source)
{
  g_autofree gchar *uri = NULL;

  if (g_object_class_find_property (G_OBJECT_GET_CLASS (source), "uri") == NULL)
    return FALSE;
  g_object_get (source, "uri", &uri, NULL);
  return uri != NULL && gst_uri_has_protocol (uri, "file");
}

/* TRUE: the source restarts without this decoder. *has_other: another one accepts the stream. */
static gboolean
decoding_choice_exclude (GstElement *source, GstElement *decoder, gboolean *has_other)
{
  DecodingChoice *choice = g_object_get_data (G_OBJECT (source), KEY);
  GstElementFactory *factory = gst_element_get_factory (decoder);
  g_autoptr (GstPad) sink = gst_element_get_static_pad (decoder, "sink");
  g_autoptr (GstCaps) caps = sink != NULL ? gst_pad_get_current_caps (sink) : NULL;
  gboolean is_first, has_restart;

  *has_other = caps != NULL && decoding_choice_has_other (choice, factory, caps);
  if (!*has_other || !decoding_choice_can_restart (source))
    return FALSE;
  g_mutex_lock (&choice->lock);
  has_restart = choice->is_restarting; /* requested by another stream; excludes both decoders */
  choice->is_restarting = TRUE;
  is_first = g_hash_table_size (choice->excluded) == 0;
  g_hash_table_add (choice->excluded, g_strdup (GST_OBJECT_NAME (factory)));
  g_mutex_unlock (&choice->lock);
  if (is_first)
    g_signal_connect (source, "autoplug-factories", G_CALLBACK (decoding_choice_list_factories), NULL);
  GST_INFO_OBJECT (source, "starts again without %s", GST_OBJECT_NAME (factory));
  if (!has_restart)
    gst_element_call_async (source, decoding_choice_restart, choice, NULL);
  return TRUE;
}

static gboolean
decoding_choice_is_decoder (GstElement *element)
{
  GstElementFactory *factory = gst_element_get_factory (element);

  return factory != NULL && !GST_IS_BIN (element)
         && gst_element_factory_list_is_type (factory, GST_ELEMENT_FACTORY_TYPE_DECODER | GST_ELEMENT_FACTORY_TYPE_MEDIA_VIDEO
                                                           | GST_ELEMENT_FACTORY_TYPE_MEDIA_IMAGE);
}

gboolean
decoding_choice_take_error (GstElement *element)
{
  g_autoptr (GstElement) source = decoding_choice_find_source (element);
  DecodingChoice *choice = source != NULL ? g_object_get_data (G_OBJECT (source), KEY) : NULL;
  g_autoptr (GstPad) src = NULL;
  gboolean is_restarting, has_other;

  if (choice == NULL)
    return FALSE;
  is_restarting = decoding_choice_is_restarting (source);
  if (is_restarting || !decoding_choice_is_decoder (element))
    return is_restarting;
  src = gst_element_get_static_pad (element, "src");
  if (src == NULL || gst_pad_has_current_caps (src))
    return FALSE;
  return decoding_choice_exclude (source, element, &has_other);
}

static void
decoding_choice_post (GstElement *decoder, const gchar *from, const gchar *to, gboolean has_other)
{
  GstStructure *message = gst_structure_new (DECODING_CHOICE_MESSAGE, "decoder", G_TYPE_STRING,
                                             GST_OBJECT_NAME (gst_element_get_factory (decoder)), "from", G_TYPE_STRING, from,
                                             "to", G_TYPE_STRING, to, "has-other", G_TYPE_BOOLEAN, has_other, NULL);

  gst_element_post_message (decoder, gst_message_new_element (GST_OBJECT (decoder), message));
}

static void
decoding_choice_post_sampling (GstElement *decoder, const DecodingSampling *stream, const DecodingSampling *frames,
                               gboolean has_other)
{
  g_autofree gchar *from = decoding_sampling_describe (stream), *to = decoding_sampling_describe (frames);

  decoding_choice_post (decoder, from, to, has_other);
}

static gboolean
decoding_choice_is_rgb (const GstCaps *caps)
{
  GstVideoInfo info;

  return gst_video_info_from_caps (&info, caps) && GST_VIDEO_INFO_IS_RGB (&info);
}

/* Checks caps of JPEG 2000 before its parser, which assumes RGB if they have no colour space. */
static gboolean
decoding_choice_is_colour_guessed (GstPad *pad)
{
  g_autoptr (GstPad) peer = gst_pad_get_peer (pad);
  g_autoptr (GstElement) before = peer != NULL ? gst_pad_get_parent_element (peer) : NULL;
  g_autoptr (GstPad) sink = before != NULL ? gst_element_get_static_pad (before, "sink") : NULL;
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);
  const GstStructure *structure = caps != NULL ? gst_caps_get_structure (caps, 0) : NULL;

  if (structure == NULL
      || !(gst_structure_has_name (structure, "image/x-jpc") || gst_structure_has_name (structure, "image/x-j2c")))
    return FALSE;
  return !gst_structure_has_field (structure, "colorspace") || (sink != NULL && decoding_choice_is_colour_guessed (sink));
}

static GstPadProbeReturn
decoding_choice_take_packet (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);
  DecodingCandidate *candidate = user_data;

  if (caps == NULL)
    return GST_PAD_PROBE_OK;
  candidate->stream = decoding_sampling_of_packet (caps, GST_PAD_PROBE_INFO_BUFFER (info));
  candidate->is_colour_guessed = decoding_choice_is_colour_guessed (pad);
  g_atomic_int_set (&candidate->has_packet, TRUE);
  return GST_PAD_PROBE_REMOVE;
}

/* Handles events until the first frame. Caps come before it, and are dropped if another decoder takes the stream. So is the EOS
 * of a stream whose decoder failed, since it would end the film. */
static GstPadProbeReturn
decoding_choice_take_frame (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  g_autoptr (GstElement) decoder = gst_pad_get_parent_element (pad);
  DecodingCandidate *candidate = user_data;
  GstPadProbeReturn passed;
  DecodingSampling frames;
  gboolean has_other;
  GstCaps *caps;

  if (candidate->is_excluded)
    return GST_PAD_PROBE_DROP;
  passed = decoding_choice_is_restarting (candidate->source) ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK;
  if (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER)
    return passed == GST_PAD_PROBE_OK ? GST_PAD_PROBE_REMOVE : GST_PAD_PROBE_DROP;
  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) != GST_EVENT_CAPS || !g_atomic_int_get (&candidate->has_packet)
      || decoder == NULL)
    return passed;
  gst_event_parse_caps (GST_PAD_PROBE_INFO_EVENT (info), &caps);
  frames = decoding_sampling_of_frames (caps);
  if (candidate->is_colour_guessed && decoding_choice_is_rgb (caps))
    decoding_choice_post (decoder, "an unknown colour space", "RGB", FALSE);
  if (!decoding_sampling_is_coarser (&frames, &candidate->stream))
    return passed;
  candidate->is_excluded = decoding_choice_exclude (candidate->source, decoder, &has_other);
  if (!candidate->is_excluded)
    decoding_choice_post_sampling (decoder, &candidate->stream, &frames, has_other);
  return candidate->is_excluded ? GST_PAD_PROBE_DROP : passed;
}

static void
decoding_candidate_release (gpointer data)
{
  gst_object_unref (((DecodingCandidate *)data)->source);
}

static void
decoding_candidate_unref (gpointer data)
{
  g_atomic_rc_box_release_full (data, decoding_candidate_release);
}

void
decoding_choice_watch (GstElement *element)
{
  g_autoptr (GstElement) source = decoding_choice_find_source (element);
  g_autoptr (GstPad) sink = gst_element_get_static_pad (element, "sink"), src = gst_element_get_static_pad (element, "src");
  DecodingCandidate *candidate;

  if (source == NULL || sink == NULL || src == NULL || !decoding_choice_is_decoder (element))
    return;
  candidate = g_atomic_rc_box_new0 (DecodingCandidate);
  candidate->source = g_steal_pointer (&source);
  gst_pad_add_probe (sink, GST_PAD_PROBE_TYPE_BUFFER, decoding_choice_take_packet, candidate, decoding_candidate_unref);
  gst_pad_add_probe (src, GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, decoding_choice_take_frame,
                     g_atomic_rc_box_acquire (candidate), decoding_candidate_unref);
}

gchar *
decoding_choice_explain (const GstStructure *message)
{
  gboolean has_other = FALSE;

  gst_structure_get_boolean (message, "has-other", &has_other);
  return g_strdup_printf ("has frames of %s, which GStreamer's %s decodes to %s%s.", gst_structure_get_string (message, "from"),
                          gst_structure_get_string (message, "decoder"), gst_structure_get_string (message, "to"),
                          has_other ? "; in a file, another decoder would keep them" : "");
}

void
decoding_choice_make (GstElement *source)
{
  DecodingChoice *choice = g_new0 (DecodingChoice, 1);

  g_mutex_init (&choice->lock);
  choice->excluded = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_object_set_data_full (G_OBJECT (source), KEY, choice, decoding_choice_free);
  g_signal_connect (source, "autoplug-select", G_CALLBACK (decoding_choice_select), choice);
}
