/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Reading the first frames of a film ends although the decoder hangs. This file's decoder decodes as many frames as the film
 * specifies, and then waits until it is stopped. */

#include "cases.h"
#include "align/signature.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/interrupt.h"

#define MAGIC "STUCK "
#define FILM_SIZE 20000 /* bytes */
#define SIDE 16         /* pixels */
#define FRAME_TIME (40 * GST_MSECOND)
#define PATIENCE_S 20 /* the limit of signature_read() without a time-out */

static gint n_polls = -1; /* polls until a signal comes; -1: no signal */

int
interrupt_get (void)
{
  if (n_polls > 0)
    n_polls--;
  return n_polls == 0 ? 2 : 0;
}

/* ---- the decoder ------------------------------------------------------------------------------------------------------ */

typedef struct {
  GstElement parent;
  GMutex lock;
  GCond woken;
  gboolean is_stopped;
  gint frames;
} StuckDecoder;

typedef GstElementClass StuckDecoderClass;

GType stuck_decoder_get_type (void);
G_DEFINE_TYPE (StuckDecoder, stuck_decoder, GST_TYPE_ELEMENT)

static GstStaticPadTemplate sink_template
    = GST_STATIC_PAD_TEMPLATE ("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS ("video/x-stuck"));
static GstStaticPadTemplate src_template
    = GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS ("video/x-raw"));

static void
stuck_decoder_push_frames (GstPad *src, gint frames)
{
  g_autoptr (GstCaps) caps = gst_caps_new_simple ("video/x-raw", "format", G_TYPE_STRING, "GRAY8", "width", G_TYPE_INT, SIDE,
                                                  "height", G_TYPE_INT, SIDE, "framerate", GST_TYPE_FRACTION, 25, 1, NULL);
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (src, gst_event_new_caps (caps));
  gst_pad_push_event (src, gst_event_new_segment (&segment));
  for (gint i = 0; i < frames; i++) {
    GstBuffer *frame = gst_buffer_new_allocate (NULL, SIDE * SIDE, NULL);

    gst_buffer_memset (frame, 0, (guint8)(10 + i), SIDE * SIDE);
    GST_BUFFER_PTS (frame) = (GstClockTime)i * FRAME_TIME;
    gst_pad_push (src, frame);
  }
}

static GstFlowReturn
stuck_decoder_chain (GstPad *pad G_GNUC_UNUSED, GstObject *parent, GstBuffer *packet)
{
  StuckDecoder *decoder = (StuckDecoder *)parent;

  gst_buffer_unref (packet);
  if (decoder->frames > 0)
    stuck_decoder_push_frames (GST_PAD (GST_ELEMENT (decoder)->srcpads->data), decoder->frames);
  g_mutex_lock (&decoder->lock);
  while (!decoder->is_stopped)
    g_cond_wait (&decoder->woken, &decoder->lock);
  g_mutex_unlock (&decoder->lock);
  return GST_FLOW_FLUSHING;
}

static gboolean
stuck_decoder_take_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstCaps *caps;

  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS) {
    gst_event_parse_caps (event, &caps);
    gst_structure_get_int (gst_caps_get_structure (caps, 0), "frames", &((StuckDecoder *)parent)->frames);
  }
  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS || GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT) { /* the decoder sends its own */
    gst_event_unref (event);
    return TRUE;
  }
  return gst_pad_event_default (pad, parent, event);
}

static GstStateChangeReturn
stuck_decoder_change_state (GstElement *element, GstStateChange change)
{
  StuckDecoder *decoder = (StuckDecoder *)element;

  g_mutex_lock (&decoder->lock);
  decoder->is_stopped = change == GST_STATE_CHANGE_PAUSED_TO_READY;
  g_cond_broadcast (&decoder->woken);
  g_mutex_unlock (&decoder->lock);
  return GST_ELEMENT_CLASS (stuck_decoder_parent_class)->change_state (element, change);
}

static void
stuck_decoder_finalize (GObject *object)
{
  StuckDecoder *decoder = (StuckDecoder *)object;

  g_mutex_clear (&decoder->lock);
  g_cond_clear (&decoder->woken);
  G_OBJECT_CLASS (stuck_decoder_parent_class)->finalize (object);
}

static void
stuck_decoder_class_init (StuckDecoderClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = stuck_decoder_finalize;
  klass->change_state = stuck_decoder_change_state;
  gst_element_class_add_static_pad_template (klass, &sink_template);
  gst_element_class_add_static_pad_template (klass, &src_template);
  gst_element_class_set_static_metadata (klass, "Stuck", "Codec/Decoder/Video", "Decodes some frames", "cudahisto");
}

static void
stuck_decoder_init (StuckDecoder *decoder)
{
  GstPad *sink = gst_pad_new_from_static_template (&sink_template, "sink");

  g_mutex_init (&decoder->lock);
  g_cond_init (&decoder->woken);
  gst_pad_set_chain_function (sink, stuck_decoder_chain);
  gst_pad_set_event_function (sink, stuck_decoder_take_event);
  gst_element_add_pad (GST_ELEMENT (decoder), sink);
  gst_element_add_pad (GST_ELEMENT (decoder), gst_pad_new_from_static_template (&src_template, "src"));
}

static void
find_type (GstTypeFind *find, gpointer user_data G_GNUC_UNUSED)
{
  const guint8 *data = gst_type_find_peek (find, 0, 16);

  if (data != NULL && memcmp (data, MAGIC, strlen (MAGIC)) == 0)
    gst_type_find_suggest_simple (find, GST_TYPE_FIND_MAXIMUM, "video/x-stuck", "frames", G_TYPE_INT,
                                  atoi ((const gchar *)data + strlen (MAGIC)), NULL);
}

/* ---- tests ------------------------------------------------------------------------------------------------------------ */

/* Returns the number of frames read from a film with `n_frames`; *seconds: the time that takes. */
static GArray *
read_film (gint frames, guint n_frames, GstClockTime span, GstClockTime timeout, gdouble *seconds)
{
  g_autofree gchar *content = g_strdup_printf (MAGIC "%d\n%*d", frames, FILM_SIZE, 0), *path = NULL;
  const gint64 begin = g_get_monotonic_time ();
  gint file = g_file_open_tmp ("stuck-XXXXXX", &path, NULL);
  GArray *signatures;

  ck_assert_int_ge (file, 0);
  close (file);
  ck_assert (g_file_set_contents (path, content, -1, NULL));
  signatures = signature_read (path, n_frames, span, timeout);
  *seconds = (gdouble)(g_get_monotonic_time () - begin) / G_USEC_PER_SEC;
  unlink (path);
  return signatures;
}

/* The time-out ends it before the default limit, and the frames so far are enough. */
TEST (test_time_out)
{
  for (gint frames = 0; frames <= 3; frames += 3) {
    gdouble seconds;
    GArray *signatures = read_film (frames, 100, GST_SECOND, GST_SECOND, &seconds);

    ck_assert_msg (seconds >= 1 && seconds < PATIENCE_S - 2, "%g s", seconds);
    ck_assert_uint_eq (signatures != NULL ? signatures->len : 0, (guint)frames);
    for (gint i = 0; i < frames; i++) {
      ck_assert_uint_eq (g_array_index (signatures, Signature, i).time, (GstClockTime)i * FRAME_TIME);
      ck_assert (g_array_index (signatures, Signature, i).blocks[0] == (gfloat)(10 + i));
    }
    if (signatures != NULL)
      g_array_unref (signatures);
  }
}

/* Without a time-out from the user, it also ends. */
TEST (test_patience)
{
  gdouble seconds;

  ck_assert (read_film (0, 100, GST_SECOND, 0, &seconds) == NULL);
  ck_assert_msg (seconds >= PATIENCE_S, "%g s", seconds);
}

/* Ends with the requested number of frames, or duration, without waiting for a time-out. */
TEST (test_enough)
{
  static const struct {
    guint n_frames;
    GstClockTime span;
    guint expected;
  } cases[] = { { 2, GST_SECOND, 2 }, { 100, FRAME_TIME, 2 }, { 100, 2 * FRAME_TIME, 3 }, { 1, GST_SECOND, 1 } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    gdouble seconds;
    g_autoptr (GArray) signatures = read_film (5, cases[i].n_frames, cases[i].span, 0, &seconds);

    ck_assert_msg (signatures != NULL && signatures->len == cases[i].expected, "case %u", i);
    ck_assert_msg (seconds < PATIENCE_S - 2, "case %u: %g s", i, seconds);
  }
}

/* Frames so far do not count. */
TEST (test_interrupt)
{
  gdouble seconds;

  n_polls = 10; /* half a second; the frames have come by then */
  ck_assert (read_film (3, 100, GST_SECOND, 0, &seconds) == NULL);
  ck_assert_msg (seconds < PATIENCE_S - 2, "%g s", seconds);
  n_polls = -1;
}

int
main (int argc, char **argv)
{
  gst_check_init (&argc, &argv);
  g_autoptr (GstCaps) caps = gst_caps_from_string ("video/x-stuck");
  gst_element_register (NULL, "stuckdecoder", GST_RANK_PRIMARY + 100, stuck_decoder_get_type ());
  gst_type_find_register (NULL, "stuck", GST_RANK_PRIMARY, find_type, "stuck", caps, NULL, NULL);
  return TEST_RUN ();
}
