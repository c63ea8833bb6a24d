/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Times of decoded frames, after a decoder whose packets and frames are those of a table. */

#include <string.h>

#include "cases.h"
#include "decoding/times.h"

/* ---- the decoder: takes what comes, and pushes nothing itself --------------------------------------------------------- */

typedef GstElement TableDecoder;
typedef GstElementClass TableDecoderClass;

GType table_decoder_get_type (void);
G_DEFINE_TYPE (TableDecoder, table_decoder, GST_TYPE_ELEMENT)

static GstStaticPadTemplate sink_template
    = GST_STATIC_PAD_TEMPLATE ("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS ("video/x-table"));
static GstStaticPadTemplate src_template
    = GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS ("video/x-raw"));

static GstFlowReturn
table_decoder_chain (GstPad *pad G_GNUC_UNUSED, GstObject *parent G_GNUC_UNUSED, GstBuffer *buffer)
{
  gst_buffer_unref (buffer);
  return GST_FLOW_OK;
}

static gboolean
table_decoder_take_event (GstPad *pad G_GNUC_UNUSED, GstObject *parent G_GNUC_UNUSED, GstEvent *event)
{
  gst_event_unref (event);
  return TRUE;
}

static void
table_decoder_class_init (TableDecoderClass *klass)
{
  gst_element_class_add_static_pad_template (klass, &sink_template);
  gst_element_class_add_static_pad_template (klass, &src_template);
  gst_element_class_set_static_metadata (klass, "Table", "Codec/Decoder/Video", "Decodes a table", "cudahisto");
}

static void
table_decoder_init (TableDecoder *decoder)
{
  GstPad *sink = gst_pad_new_from_static_template (&sink_template, "sink");

  gst_pad_set_chain_function (sink, table_decoder_chain);
  gst_pad_set_event_function (sink, table_decoder_take_event);
  gst_element_add_pad (decoder, sink);
  gst_element_add_pad (decoder, gst_pad_new_from_static_template (&src_template, "src"));
}

/* ---- the table ------------------------------------------------------------------------------------------------------- */

/* Steps: pN, a packet whose time is N ms; dN, one that has a decode time alone; kN, one that has it as
 * both; rN, one that has it for presentation and N - 40 for decoding; eN, one without data; fN, a frame; "-" for N,
 * no time; s, a segment that begins at 0 and has no end; SN, one that ends at N ms; t, u: a segment in front of the decoder,
 * after it; x, a flush. */
static const struct {
  const gchar *name;
  gint rate; /* frames/s; 0: not constant */
  const gchar *steps;
  const gchar *times; /* of the frames, in ms; after "|", those that are derived */
} cases[] = {
  { "times of all packets", 25, "s p0 f0 p40 f40 p80 f80", "0 40 80" },
  { "times that are rounded, and shared", 0, "s p0 f0 p40 f40 p40 p80 f40 f80 p80 f80", "0 40 40 80 80" },
  { "AVI whose dropped frames have no packets", 15, "s p0 f0 d733 f733 d1133 f1133", "0 733 1133" },
  { "AVI that counts two ticks a frame", 50, "s k0 f0 d40 d80 f40 d120 f80 d160 k200 d240 f120 f160 f200 f240",
    "0 40 80 120 160 200 240" },
  { "AVI that counts two ticks a frame, with B-frames", 50,
    "s k0 d40 d80 d120 f0 f40 f80 k160 d200 d240 d280 f80 f120 f160 f200 f240", "0 40 80|120 160 200 240 280" },
  { "AVI with B-frames and dropped frames", 25, "s k0 d40 d80 f0 f40 k400 d440 d480 f40 f80 f400 f440", "0 40|80 400 440 480" },
  { "AVI with packed B-frames", 25, "s k0 k40 d80 f0 d120 f40 d120 f80 d160 d200 f120 d240 f120 f200 f240",
    "0 40 80 120|160 200 240" },
  { "AVI with B-frames, a packet of which becomes no frame", 25, "s k0 d40 d80 f0 f0 d120 d160 f120 f160", "0|40 120 160" },
  { "AVI with B-frames, more frames than packets", 25, "s k0 d40 f0 f0 f0 f0", "0|40 80 120" },
  { "MPEG-PS whose packets have decode times", 25, "s r240 f240 r280 f280 d280 f320 d320 f360 d360 f360 f360",
    "240 280 320 360|400 440" },
  { "a gap, all packets have times", 25, "s p0 f0 p40 f40 p400 f400 p440 f440", "0 40 400 440" },
  { "a gap that a packet confirms", 25, "s p0 f0 p- f40 p400 f400 p- f440 p480 f480", "0 40 400 440 480" },
  { "times go on after a gap that is confirmed", 25, "s p0 f0 p- f40 p400 f400 p- f400 p- f400", "0 40 400|440 480" },
  { "a hole after derived times", 25, "s p0 f0 p- f0 p- f0 p10000 f10000 p- f10000 p10080 f10040",
    "0|40 80 10000 10040 10080" },
  { "derived times after a hole", 25, "s p0 f0 p40 f40 p10000 f10000 p- f10000 p10080 f10000", "0 40 10000|10040 10080" },
  { "a guess that skips a packet", 25, "s p0 p120 f0 p40 f40 p- f120 p160 f120", "0 40|80 120" },
  /* MPEG-PS with B-frames, as FFmpeg writes it: 1220 and 1260 are those of packets that have no time. */
  { "a guess between no packets", 25, "s p1060 f1060 p1100 f1100 p- f1140 p1180 f1180 p- f1300 p- f1340 p1300 f1340 p- f1380",
    "1060 1100 1140 1180|1220 1260 1300 1340" },
  { "a guess that is the next reference frame's time", 25,
    "s p0 p120 f0 p- f120 p80 f120 p- f120 p160 f160 p200 f200 p360 f240", "0|40 80 120 160 200 240" },
  { "a hole, and packets after it in the decoder", 25, "s p0 p- p10000 p- p- f0 f40 f10000", "0 40 10000" },
  { "a guess as the second frame", 25, "s p0 f0 p- f120 p- f160 p- f160", "0|40 80 120" },
  { "AVI with B-frames", 25, "s p0 f0 p- p- f40 p- f40 p- f80 p400 f120", "0 40|80 120 160" },
  { "AVI with B-frames and an empty packet", 25, "s p0 f0 p- f40 e- p- f40 p- f80", "0 40|120 160" },
  { "an empty packet explains a gap", 25, "s p0 f0 p- f40 e- p- f120 p- f160", "0 40 120 160" },
  { "the decoder makes frames of empty packets", 25, "s p- p0 f0 e40 f40 e80 f80 p120 f120 p0 f120 p40 f120",
    "0 40 80 120|160 200" },
  { "frames with times of other packets", 25, "s p0 f0 p40 f0 p80 f0 p120 f40", "0 40 80 120" },
  { "a nanosecond is no advance", 25, "s p0 f0 p40 f0.000001 p80 f40", "0 40 80" },
  { "no constant rate", 0, "s p0 f0 p- f40 p- f40", "0 40|40" },
  { "a film that begins late", 25, "s p5000 f5000 p- f5000 p- f5000", "5000|5040 5080" },
  { "a seek", 25, "s p0 f0 p- f0 p- f0 x s p2000 f2000 p2040 f2040", "0|40 80 2000 2040" },
  { "a segment whose times begin anew", 25, "s p0 f0 p40 f40 p80 f80 s p0 f0 p40 f40 p80 f80", "0 40 80 0 40 80" },
  { "a segment after derived times", 25, "s p0 f0 p- f0 p- f0 s p0 f0 p40 f40", "0|40 80 0 40" },
  { "a segment that comes while frames are in the decoder", 25, "s p0 p40 f0 t p0 f40 u f0 p40 f40", "0 40 0 40" },
  { "a segment that continues", 25, "s p0 f0 s p40 f40 p80 f80 p120 f80", "0 40 80 120" },
  { "a time beyond the segment", 25, "S100 p0 f0 p40 f40 p80 f80 p0 f80 p40 f80", "0 40 80|120 160" },
};

#define SEQNUM 123456789 /* of all segments of the decoder */

typedef struct {
  GstSegment segment;
  guint n_outside;     /* frames outside of their segment */
  gboolean is_derived; /* the last frame */
  guint n_foreign;     /* segments without the number of the decoder's */
  GString *text;
} Result;

static GstFlowReturn
result_take_frame (GstPad *pad, GstObject *parent G_GNUC_UNUSED, GstBuffer *frame)
{
  static GstStaticCaps derived = GST_STATIC_CAPS (DECODING_TIMES_DERIVED),
                       unreliable = GST_STATIC_CAPS (DECODING_TIMES_UNRELIABLE);
  Result *result = gst_pad_get_element_private (pad);
  GstCaps *clocks[] = { gst_static_caps_get (&derived), gst_static_caps_get (&unreliable) };
  gboolean is_marked = FALSE;

  for (guint i = 0; i < G_N_ELEMENTS (clocks); i++) {
    is_marked = is_marked || gst_buffer_get_reference_timestamp_meta (frame, clocks[i]) != NULL;
    gst_caps_unref (clocks[i]);
  }
  if (result->text->len > 0)
    g_string_append_c (result->text, is_marked && !result->is_derived ? '|' : ' ');
  g_string_append_printf (result->text, "%" G_GUINT64_FORMAT, (GST_BUFFER_PTS (frame) + GST_MSECOND / 2) / GST_MSECOND);
  result->is_derived = is_marked;
  if (!GST_CLOCK_TIME_IS_VALID (gst_segment_to_stream_time (&result->segment, GST_FORMAT_TIME, GST_BUFFER_PTS (frame))))
    result->n_outside++;
  gst_buffer_unref (frame);
  return GST_FLOW_OK;
}

static gboolean
result_take_event (GstPad *pad, GstObject *parent G_GNUC_UNUSED, GstEvent *event)
{
  Result *result = gst_pad_get_element_private (pad);

  if (GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT) {
    gst_event_copy_segment (event, &result->segment);
    result->n_foreign += gst_event_get_seqnum (event) != SEQNUM;
  }
  gst_event_unref (event);
  return TRUE;
}

static void
push_segment (GstPad *pad, const gchar *end)
{
  GstSegment segment;
  GstEvent *event;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  if (*end != '\0')
    segment.stop = g_ascii_strtoull (end, NULL, 10) * GST_MSECOND;
  event = gst_event_new_segment (&segment);
  gst_event_set_seqnum (event, SEQNUM);
  ck_assert (gst_pad_push_event (pad, event));
}

static void
push_buffer (GstPad *pad, gchar kind, const gchar *text)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, kind != 'e', NULL);
  const GstClockTime time = (GstClockTime)(g_ascii_strtod (text, NULL) * GST_MSECOND + 0.5);

  if (kind == 'd' || kind == 'k')
    GST_BUFFER_DTS (buffer) = time;
  if (kind == 'r')
    GST_BUFFER_DTS (buffer) = time - 40 * GST_MSECOND;
  if (kind != 'd' && *text != '-')
    GST_BUFFER_PTS (buffer) = time;
  ck_assert_int_eq (gst_pad_push (pad, buffer), GST_FLOW_OK);
}

static void
push_flush (GstPad *pad)
{
  gst_pad_push_event (pad, gst_event_new_flush_start ());
  gst_pad_push_event (pad, gst_event_new_flush_stop (TRUE));
}

static void
take_step (GstPad *before, GstPad *src, const gchar *step)
{
  const gchar *rest = step + 1;

  switch (*step) {
  case 'p':
  case 'd':
  case 'k':
  case 'r':
  case 'e':
    push_buffer (before, *step, rest);
    break;
  case 'f':
    push_buffer (src, *step, rest);
    break;
  case 'x':
    push_flush (before);
    push_flush (src);
    break;
  default:
    if (*step != 'u') /* in front of the decoder */
      push_segment (before, rest);
    if (*step != 't') /* after it */
      push_segment (src, rest);
  }
}

static void
start_stream (GstPad *pad, const gchar *media_type, gint rate)
{
  g_autoptr (GstCaps) caps = gst_caps_new_simple (media_type, "framerate", GST_TYPE_FRACTION, rate, 1, NULL);

  gst_pad_push_event (pad, gst_event_new_stream_start ("table"));
  gst_pad_push_event (pad, gst_event_new_caps (caps));
}

TEST_LOOP (test_table, 0, G_N_ELEMENTS (cases))
{
  g_autoptr (GstElement) decoder = gst_element_factory_make ("tabledecoder", NULL);
  g_autoptr (GstPad) before = gst_pad_new ("before", GST_PAD_SRC), after = gst_pad_new ("after", GST_PAD_SINK);
  g_autoptr (GstPad) sink = gst_element_get_static_pad (decoder, "sink"), src = gst_element_get_static_pad (decoder, "src");
  Result result = { .text = g_string_new (NULL) };
  g_auto (GStrv) steps = g_strsplit (cases[__i__].steps, " ", -1);

  gst_object_ref_sink (decoder);
  decoding_times_watch (decoder);
  gst_pad_set_element_private (after, &result);
  gst_pad_set_chain_function (after, result_take_frame);
  gst_pad_set_event_function (after, result_take_event);
  gst_pad_set_active (before, TRUE);
  gst_pad_set_active (after, TRUE);
  ck_assert_int_eq (gst_pad_link (before, sink), GST_PAD_LINK_OK);
  ck_assert_int_eq (gst_pad_link (src, after), GST_PAD_LINK_OK);
  gst_element_set_state (decoder, GST_STATE_PLAYING);
  start_stream (before, "video/x-table", 25);
  start_stream (src, "video/x-raw", cases[__i__].rate);
  for (guint i = 0; steps[i] != NULL; i++)
    take_step (before, src, steps[i]);
  ck_assert_msg (g_str_equal (result.text->str, cases[__i__].times), "%s: times are %s, not %s", cases[__i__].name,
                 result.text->str, cases[__i__].times);
  ck_assert_msg (result.n_outside == 0, "%s: frames outside of their segment: %u", cases[__i__].name, result.n_outside);
  ck_assert_msg (result.n_foreign == 0, "%s: segments with another seqnum: %u", cases[__i__].name, result.n_foreign);
  gst_element_set_state (decoder, GST_STATE_NULL);
  gst_pad_set_active (before, FALSE);
  gst_pad_set_active (after, FALSE);
  g_string_free (result.text, TRUE);
}

int
main (int argc, char **argv)
{
  gst_check_init (&argc, &argv);
  gst_element_register (NULL, "tabledecoder", GST_RANK_NONE, table_decoder_get_type ());
  return TEST_RUN ();
}
