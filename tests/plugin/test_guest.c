/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What neighbours see of the element, compared with `identity` in its place: buffers, their memory and whether it is writable,
 * pools, the order of events, answers to queries, events that go upstream. */

#include <gst/video/video.h>
#include <stdio.h>
#include <string.h>

#include "rig.h"

#define FRAMES 150
#define HD "video/x-raw,format=I420,width=1280,height=720,framerate=30/1"
#define SMALL "video/x-raw,format=GRAY8,width=16,height=16,framerate=25/1"

static const gchar *const modes[]
    = { "", "dot=previous", "window=stream dot=previous", "interval=1000000000", "add-meta=true" };

/* "identity", or the element in one of its modes. The caller owns it. */
static GstElement *
make_guest (gint mode)
{
  GstElement *element;

  if (mode >= 0)
    return make_element (modes[mode]);
  element = gst_element_factory_make ("identity", NULL);
  return gst_object_ref_sink (element);
}

/* ---- a filter that works in place -------------------------------------------------------------------------------- */

typedef struct {
  GQueue inputs; /* addresses of memory in front of the filter */
  guint frames, copies;
} Copies;

static gpointer
get_address (GstPadProbeInfo *info)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  GstMapInfo map;
  gpointer address;

  gst_memory_map (gst_buffer_peek_memory (buffer, 0), &map, GST_MAP_READ);
  address = map.data;
  gst_memory_unmap (gst_buffer_peek_memory (buffer, 0), &map);
  return address;
}

static GstPadProbeReturn
note_input (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info, gpointer data)
{
  g_queue_push_tail (&((Copies *)data)->inputs, get_address (info));
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
note_output (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info, gpointer data)
{
  Copies *copies = data;

  copies->frames++;
  copies->copies += get_address (info) != g_queue_pop_head (&copies->inputs);
  return GST_PAD_PROBE_OK;
}

static void
add_probe (GstElement *element, const gchar *name, GstPadProbeCallback callback, gpointer data)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (element, name);

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, callback, data, NULL);
}

/* Returns how many frames of 150 videobalance has to copy. */
static guint
count_copies (const gchar *guest)
{
  Copies copies = { .inputs = G_QUEUE_INIT };
  g_autoptr (GstElement) pipeline
      = parse_line ("videotestsrc num-buffers=%u ! " HD " ! %s ! videobalance name=filter brightness=0.1 ! fakesink sync=false",
                    FRAMES, guest);
  g_autoptr (GstElement) filter = NULL;

  filter = gst_bin_get_by_name (GST_BIN (pipeline), "filter");
  add_probe (filter, "sink", note_input, &copies);
  add_probe (filter, "src", note_output, &copies);
  run_to_eos (pipeline);
  ck_assert_uint_eq (copies.frames, FRAMES);
  g_queue_clear (&copies.inputs);
  return copies.copies;
}

/* If the CPU counts: a GPU holds a frame until it has read it. */
TEST_LOOP (test_copies, 0, G_N_ELEMENTS (modes) - 1)
{
  guint expected = count_copies ("identity");
  g_autofree gchar *guest = g_strdup_printf ("cudahisto post-messages=false %s %s", modes[__i__], get_backend_words ());
  guint copies = count_copies (guest);

  printf ("%s: %u of %u frames were copied, %u after identity\n", modes[__i__], copies, FRAMES, expected);
  fflush (stdout);
  if (g_strcmp0 (get_test_backend (), "cuda") != 0)
    ck_assert_uint_eq (copies, expected);
}

/* ---- a pool of one ----------------------------------------------------------------------------------------------- */

static gboolean
refuse_allocation (GstPad *pad, GstObject *parent, GstQuery *query)
{
  return GST_QUERY_TYPE (query) == GST_QUERY_ALLOCATION ? FALSE : gst_pad_query_default (pad, parent, query);
}

/* A source with a single buffer waits for it, whether or not downstream answers the ALLOCATION query. */
TEST_LOOP (test_pool_of_one, 0, G_N_ELEMENTS (modes))
{
  for (guint answers = 0; answers < 2; answers++) {
    g_autoptr (GstBufferPool) pool = gst_buffer_pool_new ();
    GstStructure *config = gst_buffer_pool_get_config (pool);
    g_autoptr (GstCaps) caps = gst_caps_from_string (SMALL);
    GstBufferPoolAcquireParams at_once = { .flags = GST_BUFFER_POOL_ACQUIRE_FLAG_DONTWAIT };

    gst_buffer_pool_config_set_params (config, caps, 256, 1, 1);
    ck_assert (gst_buffer_pool_set_config (pool, config) && gst_buffer_pool_set_active (pool, TRUE));
    g_auto (Rig) rig = open_rig (modes[__i__]);
    if (answers == 0)
      gst_pad_set_query_function (rig.harness->sinkpad, refuse_allocation);
    start_video (&rig, SMALL);
    gst_harness_set_drop_buffers (rig.harness, TRUE);
    for (guint frame = 0; frame < 50; frame++) {
      gint64 end = g_get_monotonic_time () + (gint64)(RIG_PATIENCE / GST_USECOND);
      GstBuffer *buffer;

      while (gst_buffer_pool_acquire_buffer (pool, &buffer, &at_once) != GST_FLOW_OK) {
        ck_assert_msg (g_get_monotonic_time () < end, "%s: frame %u has no buffer", modes[__i__], frame);
        g_usleep (100);
      }
      gst_buffer_memset (buffer, 0, (guint8)frame, 256);
      ck_assert_int_eq (gst_harness_push (rig.harness, buffer), GST_FLOW_OK);
    }
    push_eos (&rig);
    ck_assert_uint_eq (get_stat (rig.element, "frames-reported"), 50);
    drop_results (rig.bus);
    close_rig (&rig);
    gst_buffer_pool_set_active (pool, FALSE);
  }
}

/* ---- buffers and events, side by side ---------------------------------------------------------------------------- */

static GstBuffer *
make_frame (guint number)
{
  GstBuffer *buffer = gst_buffer_new ();

  /* In one memory or in two. */
  for (guint part = 0; part <= number % 2; part++)
    gst_buffer_append_memory (buffer, gst_allocator_alloc (NULL, number % 2 == 0 ? 256 : 128, NULL));
  gst_buffer_memset (buffer, 0, (guint8)number, 256);
  GST_BUFFER_PTS (buffer) = number % 5 == 4 ? GST_CLOCK_TIME_NONE : number * 40 * GST_MSECOND;
  GST_BUFFER_DTS (buffer) = number * 39 * GST_MSECOND;
  GST_BUFFER_DURATION (buffer) = 40 * GST_MSECOND;
  GST_BUFFER_OFFSET (buffer) = number;
  GST_BUFFER_OFFSET_END (buffer) = number + 1;
  GST_BUFFER_FLAG_UNSET (buffer, GST_BUFFER_FLAG_TAG_MEMORY);
  if (number % 3 == 0)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT | GST_BUFFER_FLAG_MARKER);
  if (number % 4 == 0)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_GAP | GST_BUFFER_FLAG_DROPPABLE);
  gst_buffer_add_reference_timestamp_meta (buffer, gst_static_caps_get (&(GstStaticCaps)GST_STATIC_CAPS ("timestamp/x-unix")),
                                           number, 1);
  return buffer;
}

static guint
count_metas (GstBuffer *buffer)
{
  gpointer state = NULL;
  guint count = 0;

  while (gst_buffer_iterate_meta (buffer, &state) != NULL)
    count++;
  return count;
}

static void
append_buffer (GString *log, GstBuffer *buffer)
{
  gboolean is_writable = gst_buffer_is_writable (buffer);

  g_string_append_printf (
      log,
      "buffer pts %" G_GUINT64_FORMAT " dts %" G_GUINT64_FORMAT " duration %" G_GUINT64_FORMAT " offset %" G_GUINT64_FORMAT
      "-%" G_GUINT64_FORMAT " flags 0x%x size %" G_GSIZE_FORMAT " in %u memories, %u metas, %s, memory %s\n",
      GST_BUFFER_PTS (buffer), GST_BUFFER_DTS (buffer), GST_BUFFER_DURATION (buffer), GST_BUFFER_OFFSET (buffer),
      GST_BUFFER_OFFSET_END (buffer), GST_BUFFER_FLAGS (buffer), gst_buffer_get_size (buffer), gst_buffer_n_memory (buffer),
      count_metas (buffer), is_writable ? "writable" : "shared",
      gst_buffer_is_all_memory_writable (buffer) ? "writable" : "shared");
}

static GstPadProbeReturn
log_downstream (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info, gpointer data)
{
  GString *log = data;

  if ((info->type & GST_PAD_PROBE_TYPE_BUFFER) != 0)
    append_buffer (log, GST_PAD_PROBE_INFO_BUFFER (info));
  else
    g_string_append_printf (log, "event %s\n", GST_EVENT_TYPE_NAME (GST_PAD_PROBE_INFO_EVENT (info)));
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
log_upstream (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info, gpointer data)
{
  g_string_append_printf (data, "upstream %s\n", GST_EVENT_TYPE_NAME (GST_PAD_PROBE_INFO_EVENT (info)));
  return GST_PAD_PROBE_OK;
}

static void
append_answers (GString *log, GstHarness *harness)
{
  g_autoptr (GstQuery) latency = gst_query_new_latency ();
  g_autoptr (GstQuery) caps = gst_query_new_caps (NULL);
  GstCaps *answer;
  GstClockTime min, max;
  gboolean is_live;

  ck_assert (gst_pad_peer_query (harness->sinkpad, latency));
  gst_query_parse_latency (latency, &is_live, &min, &max);
  g_string_append_printf (log, "latency live %d from %" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT "\n", is_live, min, max);
  ck_assert (gst_pad_peer_query (harness->srcpad, caps));
  gst_query_parse_caps_result (caps, &answer);
  g_string_append_printf (log, "caps %s\n", gst_caps_is_fixed (answer) ? "fixed" : "open");
}

/* All that is visible upstream and downstream of the element, as text. */
static gchar *
run_side (gint mode)
{
  g_autoptr (GstElement) element = make_guest (mode);
  GString *log = g_string_new (NULL);
  g_autoptr (GstBus) bus = attach_bus (element);
  GstHarness *harness;

  gst_bus_set_flushing (bus, TRUE);
  harness = gst_harness_new_with_element (element, "sink", "src");
  gst_pad_add_probe (harness->sinkpad,
                     GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM | GST_PAD_PROBE_TYPE_EVENT_FLUSH,
                     log_downstream, log, NULL);
  gst_pad_add_probe (harness->srcpad, GST_PAD_PROBE_TYPE_EVENT_UPSTREAM, log_upstream, log, NULL);
  gst_harness_play (harness);
  gst_harness_set_src_caps_str (harness, SMALL);
  gst_harness_set_drop_buffers (harness, TRUE);
  for (guint number = 0; number < 30; number++) {
    ck_assert_int_eq (gst_harness_push (harness, make_frame (number)), GST_FLOW_OK);
    if (number == 5)
      gst_harness_push_event (harness, gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM, gst_structure_new_empty ("guest")));
    if (number == 7)
      gst_harness_push_event (harness, gst_event_new_gap (0, GST_SECOND));
    if (number == 9)
      gst_harness_push_upstream_event (harness, gst_event_new_qos (GST_QOS_TYPE_UNDERFLOW, 1.5, 1000, 40 * GST_MSECOND));
    if (number == 11)
      push_flush (&(Rig){ .harness = harness }, GST_FORMAT_TIME);
    if (number == 13)
      gst_harness_set_src_caps_str (harness, "video/x-raw,format=GRAY8,width=8,height=32,framerate=25/1");
    if (number == 15)
      gst_harness_push_upstream_event (harness,
                                       gst_event_new_navigation (gst_structure_new_empty ("application/x-gst-navigation")));
    if (number == 17)
      append_answers (log, harness);
  }
  ck_assert (gst_harness_push_event (harness, gst_event_new_eos ()));
  gst_element_set_state (element, GST_STATE_NULL);
  gst_element_set_bus (element, NULL);
  gst_harness_teardown (harness);
  return g_string_free (log, FALSE);
}

/* In the modes that add nothing to buffers. A GPU may still be reading a buffer that has passed. */
TEST_LOOP (test_beside_identity, 0, G_N_ELEMENTS (modes) - 1)
{
  g_autofree gchar *expected = run_side (-1), *seen = run_side (__i__);
  g_auto (GStrv) expected_lines = g_strsplit (expected, "\n", -1);
  g_auto (GStrv) seen_lines = g_strsplit (seen, "\n", -1);

  ck_assert_uint_eq (g_strv_length (expected_lines), g_strv_length (seen_lines));
  for (guint i = 0; expected_lines[i] != NULL; i++) {
    if (g_strcmp0 (get_test_backend (), "cuda") != 0)
      ck_assert_msg (strcmp (seen_lines[i], expected_lines[i]) == 0, "%s: %s\nafter identity: %s", modes[__i__], seen_lines[i],
                     expected_lines[i]);
    else
      ck_assert_msg (strncmp (seen_lines[i], expected_lines[i], strcspn (expected_lines[i], ",")) == 0,
                     "%s: %s\nafter identity: %s", modes[__i__], seen_lines[i], expected_lines[i]);
  }
}

/* ---- another link downstream ----------------------------------------------------------------------------------------- */

typedef struct {
  GstElement *pipeline, *guest, *first;
  /* Buffers: that left the element, that reached the new elements, and that were not writable. */
  guint passed, after, shared;
} Relink;

static GstPadProbeReturn
note_shared (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info, gpointer data)
{
  Relink *relink = data;

  relink->after++;
  relink->shared += !gst_buffer_is_writable (GST_PAD_PROBE_INFO_BUFFER (info));
  return GST_PAD_PROBE_OK;
}

/* Before the twentieth buffer leaves, a filter and a sink replace the fakesink. */
static GstPadProbeReturn
relink_downstream (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info G_GNUC_UNUSED, gpointer data)
{
  Relink *relink = data;
  GstElement *filter, *sink;

  if (++relink->passed < 20)
    return GST_PAD_PROBE_PASS;
  gst_element_unlink (relink->guest, relink->first);
  gst_element_set_state (relink->first, GST_STATE_NULL);
  gst_bin_remove (GST_BIN (relink->pipeline), relink->first);
  filter = gst_element_factory_make ("identity", NULL);
  sink = gst_element_factory_make ("fakesink", NULL);
  g_object_set (sink, "async", FALSE, NULL);
  add_probe (filter, "sink", note_shared, relink);
  gst_bin_add_many (GST_BIN (relink->pipeline), filter, sink, NULL);
  ck_assert (gst_element_link_many (relink->guest, filter, sink, NULL));
  ck_assert (gst_element_sync_state_with_parent (sink) && gst_element_sync_state_with_parent (filter));
  return GST_PAD_PROBE_REMOVE;
}

/* A fakesink does not write to buffers, and may get one that is being counted. Its replacement may not. */
TEST (test_another_link)
{
  g_autoptr (GstElement) pipeline = parse_line ("fakesrc num-buffers=120 sizetype=fixed sizemax=400000 ! cudahisto name=guest "
                                                "window=stream %s ! fakesink name=first async=false",
                                                get_backend_words ());
  Relink relink = { .pipeline = pipeline };
  GstPad *pad;

  relink.guest = gst_bin_get_by_name (GST_BIN (pipeline), "guest");
  relink.first = gst_bin_get_by_name (GST_BIN (pipeline), "first");
  pad = gst_element_get_static_pad (relink.guest, "src");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BLOCK | GST_PAD_PROBE_TYPE_BUFFER, relink_downstream, &relink, NULL);
  gst_object_unref (pad);
  run_to_eos (pipeline);
  ck_assert_uint_ge (relink.after, 100);
  if (g_strcmp0 (get_test_backend (), "cuda") != 0)
    ck_assert_uint_le (relink.shared, 1); /* the one that was on its way */
  gst_object_unref (relink.guest);
  gst_object_unref (relink.first);
}

RIG_MAIN (NULL)
