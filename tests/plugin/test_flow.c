/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the element holds, for how long, and what it reports to its neighbours: pools, ALLOCATION and SCHEDULING queries, frames
 * in flight while their number changes, a visible size that changes without new caps, events during a flush. */

#include "pictures.h"
#include "rig.h"

#define SIDE 240 /* pixels of a square GRAY8 frame */
#define SQUARE "video/x-raw,format=GRAY8,width=240,height=240,framerate=25/1"

static GstBufferPool *
make_pool (const gchar *caps_text, guint size, guint most)
{
  GstBufferPool *pool = gst_buffer_pool_new ();
  GstStructure *config = gst_buffer_pool_get_config (pool);
  g_autoptr (GstCaps) caps = gst_caps_from_string (caps_text);

  gst_buffer_pool_config_set_params (config, caps, size, 0, most);
  ck_assert (gst_buffer_pool_set_config (pool, config));
  ck_assert (gst_buffer_pool_set_active (pool, TRUE));
  return pool;
}

/* A camera has a few buffers, and waits for one to return before it makes the next. */
TEST (test_two_buffers_are_enough)
{
  static const gchar *const lines[] = { "", "dot=previous", "window=stream", "add-meta=true", "add-meta=true dot=previous" };

  for (guint i = 0; i < G_N_ELEMENTS (lines); i++) {
    g_autoptr (GstBufferPool) pool = make_pool (SQUARE, SIDE * SIDE, 2);
    g_auto (Rig) rig = open_video (lines[i], SQUARE);

    gst_harness_set_drop_buffers (rig.harness, TRUE);
    for (guint frame = 0; frame < 100; frame++) {
      GstBuffer *buffer;

      ck_assert_int_eq (gst_buffer_pool_acquire_buffer (pool, &buffer, NULL), GST_FLOW_OK);
      gst_buffer_memset (buffer, 0, 7, SIDE * SIDE);
      ck_assert_int_eq (gst_harness_push (rig.harness, buffer), GST_FLOW_OK);
    }
    push_eos (&rig);
    ck_assert_uint_eq (get_stat (rig.element, "frames-reported"), 100);
    gst_bus_set_flushing (rig.bus, TRUE);
    close_rig (&rig);
    gst_buffer_pool_set_active (pool, FALSE);
  }
}

/* A pooled buffer that is not writable: its replacement has its memory, and keeps it out of the pool. */
TEST (test_meta_on_a_shared_pool_buffer)
{
  g_autoptr (GstBufferPool) pool = make_pool (SQUARE, SIDE * SIDE, 2);
  g_auto (Rig) rig = open_video ("add-meta=true", SQUARE);

  for (guint frame = 0; frame < 10; frame++) {
    GstBuffer *buffer;
    g_autoptr (GstBuffer) kept = NULL, out = NULL;
    GstMemory *memory;

    ck_assert_int_eq (gst_buffer_pool_acquire_buffer (pool, &buffer, NULL), GST_FLOW_OK);
    gst_buffer_memset (buffer, 0, 7, SIDE * SIDE);
    memory = gst_buffer_peek_memory (buffer, 0);
    kept = gst_buffer_ref (buffer);
    out = gst_harness_push_and_pull (rig.harness, buffer);
    ck_assert (out != kept);
    ck_assert (gst_buffer_peek_memory (out, 0) == memory);
    ck_assert (get_meta (out) != NULL && get_meta (kept) == NULL);
    ck_assert (gst_buffer_is_writable (out));
    gst_structure_free (pop_result (rig.bus));
  }
  close_rig (&rig);
  gst_buffer_pool_set_active (pool, FALSE);
}

/* The previous frame is kept, but the buffer with the meta is writable and has the samples of the original. */
TEST (test_meta_with_the_previous_frame)
{
  g_auto (Rig) rig = open_video ("add-meta=true dot=previous", "video/x-raw,format=GRAY8,width=4,height=4,framerate=25/1");

  for (guint frame = 1; frame <= 4; frame++) {
    g_autoptr (GstBuffer) buffer = gst_buffer_new_allocate (NULL, 16, NULL);
    GstMemory *memory = gst_buffer_peek_memory (buffer, 0);

    gst_buffer_memset (buffer, 0, (guint8)frame, 16);
    buffer = gst_harness_push_and_pull (rig.harness, buffer);
    ck_assert (gst_buffer_peek_memory (buffer, 0) == memory);
    ck_assert (gst_buffer_is_writable (buffer));
    ck_assert (get_meta (buffer) != NULL);
    if (frame == 1)
      ck_assert (!gst_structure_has_field (get_meta (buffer), "GRAY-dot"));
    else
      ck_assert_uint_eq (get_field_u64 (get_meta (buffer), "GRAY-dot"), 16 * frame * (frame - 1));
    gst_structure_free (pop_result (rig.bus));
  }
}

/* ---- queries -------------------------------------------------------------------------------------------------------- */

static GstBufferPool *offered_pool;

static gboolean
answer_allocation (GstPad *pad, GstObject *parent, GstQuery *query)
{
  if (GST_QUERY_TYPE (query) != GST_QUERY_ALLOCATION)
    return gst_pad_query_default (pad, parent, query);
  gst_query_add_allocation_pool (query, offered_pool, 16, 3, 5);
  gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);
  return TRUE;
}

/* Downstream's offer reaches upstream in every mode. A frame that is kept, for the dot product or for a freeze, needs another
 * buffer. */
TEST (test_allocation)
{
  static const struct {
    const gchar *line;
    guint min, max;
  } cases[] = { { "", 3, 5 },
                { "add-meta=true", 3, 5 },
                { "dot=previous", 4, 6 },
                { "statistics=difference", 4, 6 },
                { "events=black", 3, 5 },
                { "events=scene-change", 4, 6 },
                { "events=freeze", 5, 7 },
                { "add-meta=true dot=previous", 4, 6 } };

  offered_pool = gst_buffer_pool_new ();
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GstCaps) caps = gst_caps_from_string ("video/x-raw,format=GRAY8,width=4,height=4,framerate=25/1");
    g_autoptr (GstQuery) query = gst_query_new_allocation (caps, TRUE);
    g_autoptr (GstBufferPool) pool = NULL;
    guint size, min, max;
    g_auto (Rig) rig = open_rig (cases[i].line);

    gst_pad_set_query_function (rig.harness->sinkpad, answer_allocation);
    start_video (&rig, "video/x-raw,format=GRAY8,width=4,height=4,framerate=25/1");
    ck_assert (gst_pad_peer_query (rig.harness->srcpad, query));
    ck_assert_uint_eq (gst_query_get_n_allocation_pools (query), 1);
    gst_query_parse_nth_allocation_pool (query, 0, &pool, &size, &min, &max);
    ck_assert (pool == offered_pool);
    ck_assert_uint_eq (size, 16);
    ck_assert_msg (min == cases[i].min && max == cases[i].max, "%s: %u to %u", cases[i].line, min, max);
    ck_assert (gst_query_find_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL));
  }
  gst_object_unref (offered_pool);
}

/* Upstream requests its buffers (DRAIN): none is held, not even for the dot product. */
TEST (test_drain)
{
  static const gchar *const lines[]
      = { "", "dot=previous", "window=stream dot=previous", "window=stream statistics=signalstats", "events=freeze" };

  for (guint i = 0; i < G_N_ELEMENTS (lines); i++) {
    g_autoptr (GstBufferPool) pool = make_pool (SQUARE, SIDE * SIDE, 2);
    GstBufferPoolAcquireParams at_once = { .flags = GST_BUFFER_POOL_ACQUIRE_FLAG_DONTWAIT };
    GstQuery *query = gst_query_new_drain ();
    GstBuffer *pooled[2];
    g_auto (Rig) rig = open_video (lines[i], SQUARE);

    gst_harness_set_drop_buffers (rig.harness, TRUE);
    for (guint frame = 0; frame < 2; frame++) {
      ck_assert_int_eq (gst_buffer_pool_acquire_buffer (pool, &pooled[0], NULL), GST_FLOW_OK);
      gst_buffer_memset (pooled[0], 0, 7, SIDE * SIDE);
      ck_assert_int_eq (gst_harness_push (rig.harness, pooled[0]), GST_FLOW_OK);
    }
    gst_pad_peer_query (rig.harness->srcpad, query);
    for (guint frame = 0; frame < 2; frame++)
      ck_assert_msg (gst_buffer_pool_acquire_buffer (pool, &pooled[frame], &at_once) == GST_FLOW_OK, "%s: a frame is kept",
                     lines[i]);
    gst_buffer_unref (pooled[0]);
    gst_buffer_unref (pooled[1]);
    gst_query_unref (query);
    push_eos (&rig);
    ck_assert_uint_eq (get_stat (rig.element, "frames-reported"), 2);
    drop_results (rig.bus);
    close_rig (&rig);
    gst_buffer_pool_set_active (pool, FALSE);
  }
}

static void
note_free (gpointer data, GstMiniObject *buffer G_GNUC_UNUSED)
{
  *(gboolean *)data = TRUE;
}

/* Bytes in offered memory. The element waits for contiguous ones. */
TEST (test_drain_of_bytes)
{
  GstQuery *query = gst_query_new_allocation (NULL, FALSE);
  g_autoptr (GstAllocator) allocator = NULL;
  GstBuffer *buffer;
  gboolean is_free = FALSE;

  g_auto (Rig) rig = open_rig ("when-busy=skip"); /* which holds buffers */
  gst_harness_set_drop_buffers (rig.harness, TRUE);
  start_bytes (&rig, NULL);
  if (gst_pad_peer_query (rig.harness->srcpad, query) && gst_query_get_n_allocation_params (query) > 0)
    gst_query_parse_nth_allocation_param (query, 0, &allocator, NULL);
  gst_query_unref (query);
  buffer = gst_buffer_new_allocate (allocator, 65536, NULL);
  gst_buffer_memset (buffer, 0, 1, 65536);
  gst_mini_object_weak_ref (GST_MINI_OBJECT_CAST (buffer), note_free, &is_free);
  ck_assert_int_eq (gst_harness_push (rig.harness, buffer), GST_FLOW_OK);
  query = gst_query_new_drain ();
  gst_pad_peer_query (rig.harness->srcpad, query);
  gst_query_unref (query);
  ck_assert_msg (is_free, "the buffer is kept after DRAIN");
  push_bytes (&rig, "2", 1);
  push_eos (&rig);
  {
    g_autoptr (GstStructure) result = pop_result (rig.bus);

    ck_assert_uint_eq (get_field_u64 (result, "byte-sum"), 65536 + '2');
  }
}

static gboolean
answer_scheduling (GstPad *pad, GstObject *parent, GstQuery *query)
{
  if (GST_QUERY_TYPE (query) != GST_QUERY_SCHEDULING)
    return gst_pad_query_default (pad, parent, query);
  gst_query_set_scheduling (query, GST_SCHEDULING_FLAG_SEEKABLE, 1, -1, 0);
  gst_query_add_scheduling_mode (query, GST_PAD_MODE_PUSH);
  gst_query_add_scheduling_mode (query, GST_PAD_MODE_PULL);
  return TRUE;
}

/* A demuxer downstream must not read a file at random through the element: the stream would have no end. */
TEST (test_push_only)
{
  g_autoptr (GstQuery) query = gst_query_new_scheduling ();
  GstSchedulingFlags flags;
  g_auto (Rig) rig = open_rig ("");

  gst_pad_set_query_function (rig.harness->srcpad, answer_scheduling);
  ck_assert (gst_pad_peer_query (rig.harness->sinkpad, query));
  ck_assert (gst_query_has_scheduling_mode (query, GST_PAD_MODE_PUSH));
  ck_assert (!gst_query_has_scheduling_mode (query, GST_PAD_MODE_PULL));
  gst_query_parse_scheduling (query, &flags, NULL, NULL, NULL);
  ck_assert_int_eq (flags, GST_SCHEDULING_FLAG_SEEKABLE);
}

/* ---- what changes in mid-stream ------------------------------------------------------------------------------------- */

/* A crop that begins in mid-stream: no window covers two sizes. */
TEST (test_visible_size_changes)
{
  GstStructure *result;
  guint width;

  g_auto (Rig) rig = open_video ("window=stream dot=previous", "video/x-raw,format=GRAY8,width=16,height=4,framerate=25/1");
  for (guint frame = 0; frame < 4; frame++) {
    GstBuffer *buffer = gst_buffer_new_allocate (NULL, 64, NULL);

    gst_buffer_memset (buffer, 0, (guint8)(frame + 1), 64);
    gst_buffer_add_video_meta (buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_GRAY8, 16, 4);
    if (frame >= 2)
      crop_buffer (buffer, 1, 1, 5, 2);
    ck_assert_int_eq (gst_harness_push (rig.harness, buffer), GST_FLOW_OK);
  }
  push_eos (&rig);

  result = pop_result (rig.bus);
  ck_assert (gst_structure_get_uint (result, "width", &width) && width == 16);
  ck_assert_uint_eq (get_field_u64 (result, "frames"), 2);
  ck_assert_uint_eq (get_field_u64 (result, "GRAY-sum"), 64 * (1 + 2));
  ck_assert_uint_eq (get_field_u64 (result, "GRAY-dot"), 64 * 1 * 2);
  gst_structure_free (result);
  result = pop_result (rig.bus);
  ck_assert (gst_structure_get_uint (result, "width", &width) && width == 5);
  ck_assert_uint_eq (get_field_u64 (result, "frame"), 2);
  ck_assert_uint_eq (get_field_u64 (result, "GRAY-sum"), 10 * (3 + 4));
  ck_assert_uint_eq (get_field_u64 (result, "GRAY-dot"), 10 * 3 * 4);
  gst_structure_free (result);
  check_bus_empty (rig.bus);
}

/* From bytes to video and back; totals continue. */
TEST (test_bytes_and_video_in_turn)
{
  guint8 data[16] = { 0 };
  GstStructure *result;
  g_auto (Rig) rig = open_bytes ("", "application/octet-stream");

  push_bytes (&rig, data, 10);
  start_video (&rig, "video/x-raw,format=GRAY8,width=4,height=4,framerate=25/1");
  result = pop_result (rig.bus);
  check_bytes (result, data, 10, 0, 1, 0);
  gst_structure_free (result);
  push_timed (&rig, data, 16, 0, GST_SECOND);
  result = pop_result (rig.bus);
  ck_assert_uint_eq (get_field_u64 (result, "GRAY-count"), 16);
  ck_assert_uint_eq (get_field_u64 (result, "frame"), 1);
  gst_structure_free (result);
  start_bytes (&rig, "application/octet-stream");
  push_bytes (&rig, data, 7);
  push_eos (&rig);
  result = pop_result (rig.bus);
  check_bytes (result, data, 7, 2, 1, 0);
  gst_structure_free (result);
  ck_assert_uint_eq (get_stat (rig.element, "frames-reported"), 3);
  ck_assert_uint_eq (get_stat (rig.element, "bytes-counted"), 33);
}

static gboolean
flush_at_result (GstBus *bus G_GNUC_UNUSED, GstMessage *message, gpointer data)
{
  Rig *rig = data;

  if (gst_message_has_name (message, "cudahisto")) {
    gst_harness_push_event (rig->harness, gst_event_new_flush_start ());
    gst_harness_push_event (rig->harness, gst_event_new_flush_stop (TRUE));
  }
  return TRUE;
}

static GstBusSyncReply
flush_at_warning (GstBus *bus G_GNUC_UNUSED, GstMessage *message, gpointer data)
{
  Rig *rig = data;

  if (GST_MESSAGE_TYPE (message) != GST_MESSAGE_WARNING)
    return GST_BUS_PASS;
  gst_harness_push_event (rig->harness, gst_event_new_flush_start ());
  gst_harness_push_event (rig->harness, gst_event_new_flush_stop (TRUE));
  gst_message_unref (message);
  return GST_BUS_DROP;
}

/* A handler of a warning flushes while the buffer that caused it is being counted: the next window has no part of it. */
TEST (test_flush_at_a_warning)
{
  guint8 ones[100];
  GstSegment segment;

  memset (ones, 1, sizeof ones);
  g_auto (Rig) rig = open_bytes ("window=buffer interval=1000000000000 dot=previous", NULL);
  push_bytes (&rig, ones, 100);
  gst_bus_set_sync_handler (rig.bus, flush_at_warning, &rig, NULL);
  gst_harness_push (rig.harness, make_buffer (ones, 50, GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE));
  gst_segment_init (&segment, GST_FORMAT_BYTES);
  gst_harness_push_event (rig.harness, gst_event_new_segment (&segment));
  push_bytes (&rig, ones, 7);
  push_eos (&rig);
  gst_bus_set_sync_handler (rig.bus, NULL, NULL, NULL);
  g_autoptr (GstStructure) result = pop_result (rig.bus);
  ck_assert_uint_eq (get_field_u64 (result, "byte-sum"), 7);
  ck_assert_uint_eq (get_field_u64 (result, "frames"), 1);
  ck_assert_uint_eq (get_stat (rig.element, "frames-discarded"), 2);
  ck_assert_uint_eq (get_stat (rig.element, "frames-reported"), 1);
}

/* A picture of another size ends the window, and a handler of that result flushes: the picture belongs to the old stream. */
TEST (test_flush_at_a_crop)
{
  g_auto (Rig) rig = open_video (get_test_backend () != NULL ? "window=stream add-meta=true" : "window=stream",
                                 "video/x-raw,format=GRAY8,width=16,height=4,framerate=25/1");

  gst_bus_set_sync_handler (rig.bus, (GstBusSyncHandler)flush_at_result, &rig, NULL);
  for (guint frame = 0; frame < 2; frame++) {
    GstBuffer *buffer = gst_buffer_new_allocate (NULL, 64, NULL);

    gst_buffer_memset (buffer, 0, 1, 64);
    gst_buffer_add_video_meta (buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_GRAY8, 16, 4);
    crop_buffer (buffer, 0, 0, 5 + frame, 2);
    gst_harness_push (rig.harness, buffer);
  }
  ck_assert_uint_eq (get_stat (rig.element, "frames-reported"), 1);
  ck_assert_uint_eq (get_stat (rig.element, "frames-discarded"), 1);
  gst_bus_set_sync_handler (rig.bus, NULL, NULL, NULL);
  ck_assert_uint_eq (drop_results (rig.bus), 1);
}

/* ---- events that meet a flush or a stop ------------------------------------------------------------------------------ */

static GstEvent *
make_sticky_event (GstEventType type)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string ("video/x-raw,format=GRAY8,width=8,height=8,framerate=25/1");
  GstSegment segment;
  GstEvent *event;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.base = GST_SECOND;
  if (type == GST_EVENT_STREAM_START)
    event = gst_event_new_stream_start ("another");
  else
    event = type == GST_EVENT_CAPS ? gst_event_new_caps (caps) : gst_event_new_segment (&segment);
  return event;
}

/* Returns the text of such an event. */
static gchar *
describe_sticky_event (GstEvent *event)
{
  const GstSegment *segment;
  const gchar *stream;
  GstCaps *caps;

  switch (GST_EVENT_TYPE (event)) {
  case GST_EVENT_STREAM_START:
    gst_event_parse_stream_start (event, &stream);
    return g_strdup (stream);
  case GST_EVENT_CAPS:
    gst_event_parse_caps (event, &caps);
    return gst_caps_to_string (caps);
  default:
    gst_event_parse_segment (event, &segment);
    return g_strdup_printf ("%" G_GUINT64_FORMAT, segment->base);
  }
}

/* Pushes a buffer, and the event before it. */
static GstFlowReturn
push_after (Rig *rig, GstEventType type)
{
  static const guint8 zeros[64];
  g_autoptr (GstEvent) event = make_sticky_event (type);

  gst_pad_store_sticky_event (rig->harness->srcpad, event);
  return gst_harness_push (rig->harness, make_buffer (zeros, sizeof zeros, GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE));
}

/* A flush begins while the event is in the element. */
static GstPadProbeReturn
begin_flush (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) != *(const GstEventType *)data)
    return GST_PAD_PROBE_OK;
  gst_pad_send_event (pad, gst_event_new_flush_start ());
  return GST_PAD_PROBE_REMOVE;
}

static GstPadProbeReturn
restart_element (GstPad *pad, GstPadProbeInfo *info G_GNUC_UNUSED, gpointer data G_GNUC_UNUSED)
{
  g_autoptr (GstElement) element = gst_pad_get_parent_element (pad);

  ck_assert_int_eq (gst_element_set_state (element, GST_STATE_READY), GST_STATE_CHANGE_SUCCESS);
  ck_assert_int_ne (gst_element_set_state (element, GST_STATE_PLAYING), GST_STATE_CHANGE_FAILURE);
  return GST_PAD_PROBE_REMOVE;
}

/* The element is stopped and restarted while a buffer is on its way: the buffer is discarded at once. */
TEST (test_restart_in_a_buffer)
{
  g_auto (Rig) rig = open_video ("", "video/x-raw,format=GRAY8,width=8,height=4,framerate=25/1");
  g_autoptr (GstPad) sinkpad = gst_element_get_static_pad (rig.element, "sink");

  gst_pad_add_probe (sinkpad, GST_PAD_PROBE_TYPE_BUFFER, restart_element, NULL, NULL);
  ck_assert_int_eq (push_after (&rig, GST_EVENT_SEGMENT), GST_FLOW_OK);
  ck_assert_uint_eq (get_stat (rig.element, "frames-in"), 1);
  ck_assert_uint_eq (get_stat (rig.element, "frames-discarded"), 1);
  ck_assert_uint_eq (get_stat (rig.element, "frames-pending"), 0);
  check_bus_empty (rig.bus);
}

static const GstEventType sticky_types[] = { GST_EVENT_STREAM_START, GST_EVENT_CAPS, GST_EVENT_SEGMENT };

/* That is no error, and nothing is lost: the event passes after the flush. */
TEST_LOOP (test_flush_in_an_event, 0, G_N_ELEMENTS (sticky_types))
{
  GstEventType type = sticky_types[__i__];
  GstEvent *expected = make_sticky_event (type), *event;
  g_autofree gchar *expected_text = describe_sticky_event (expected), *text = NULL;
  g_auto (Rig) rig = open_video ("", "video/x-raw,format=GRAY8,width=8,height=4,framerate=25/1");
  GstPad *sinkpad = gst_element_get_static_pad (rig.element, "sink");

  gst_pad_add_probe (sinkpad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, begin_flush, &type, NULL);
  ck_assert_int_eq (push_after (&rig, type), GST_FLOW_FLUSHING);
  gst_pad_send_event (sinkpad, gst_event_new_flush_stop (TRUE));
  ck_assert_int_eq (push_after (&rig, GST_EVENT_SEGMENT), GST_FLOW_OK);
  event = gst_pad_get_sticky_event (rig.harness->sinkpad, type, 0);
  text = describe_sticky_event (event);
  ck_assert_str_eq (text, expected_text);
  gst_event_unref (event);
  gst_event_unref (expected);
  gst_object_unref (sinkpad);
  drop_results (rig.bus);
}

/* Stopping first stops the source pad, and events may arrive until the sink pad is stopped. */
TEST_LOOP (test_event_in_a_stop, 0, G_N_ELEMENTS (sticky_types))
{
  g_auto (Rig) rig = open_video ("", "video/x-raw,format=GRAY8,width=8,height=4,framerate=25/1");
  GstPad *srcpad = gst_element_get_static_pad (rig.element, "src");

  ck_assert (gst_pad_set_active (srcpad, FALSE));
  ck_assert_int_eq (push_after (&rig, sticky_types[__i__]), GST_FLOW_FLUSHING);
  gst_object_unref (srcpad);
  drop_results (rig.bus);
}

/* A segment ends the window, and a handler of its result flushes. */
TEST (test_flush_at_a_segment)
{
  guint8 ones[64] = { 1 };
  g_auto (Rig) rig = open_video ("window=stream add-meta=true", "video/x-raw,format=GRAY8,width=8,height=8,framerate=25/1");

  push_timed (&rig, ones, sizeof ones, 0, GST_SECOND / 25);
  gst_bus_set_sync_handler (rig.bus, (GstBusSyncHandler)flush_at_result, &rig, NULL);
  ck_assert_int_eq (push_after (&rig, GST_EVENT_SEGMENT), GST_FLOW_FLUSHING);
  gst_bus_set_sync_handler (rig.bus, NULL, NULL, NULL);
  ck_assert_uint_eq (drop_results (rig.bus), 1);
  ck_assert_int_eq (push_after (&rig, GST_EVENT_SEGMENT), GST_FLOW_OK);
}

/* A real refusal is still an error. */
TEST (test_refused_caps)
{
  g_auto (Rig) rig = open_bytes ("window=bytes window-size=10", "application/x-test");

  ck_assert_int_eq (push_after (&rig, GST_EVENT_CAPS), GST_FLOW_NOT_NEGOTIATED);
  check_error (rig.bus, GST_MESSAGE_ERROR, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, "window=bytes");
}

/* ---- metas that have no buffer ------------------------------------------------------------------------------------------ */

static guint
count_lost_metas (GstBus *bus)
{
  guint count = 0;
  GstMessage *message;

  while ((message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING)) != NULL) {
    count += is_lost_meta (message);
    gst_message_unref (message);
  }
  return count;
}

/* Windows that end within a buffer, and buffers that two windows share: each result is on the buffer that completes its
 * window. */
TEST (test_meta_of_windows_within_buffers)
{
  static const gsize sizes[] = { 65536, 65536, 4096, 300000, 1, 65536, 20000 };
  g_autofree guint8 *data = g_malloc0 (300000);
  guint metas = 0;
  gsize total = 0;
  g_auto (Rig) rig = open_bytes ("add-meta=true window=bytes window-size=50000 message-arrays=none", NULL);

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    GstBuffer *buffer
        = gst_harness_push_and_pull (rig.harness, make_buffer (data, sizes[i], GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE));
    gpointer state = NULL;
    GstMeta *meta;

    while ((meta = gst_buffer_iterate_meta (buffer, &state)) != NULL)
      metas += gst_meta_info_is_custom (meta->info);
    gst_buffer_unref (buffer);
    total += sizes[i];
    ck_assert_uint_eq (metas, total / 50000);
  }
  ck_assert_uint_eq (count_lost_metas (rig.bus), 0);
  push_eos (&rig);
  ck_assert_uint_eq (count_lost_metas (rig.bus), 1); /* of the rest */
}

typedef struct {
  guint metas, results;
} Metas;

static GstPadProbeReturn
note_metas (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info, gpointer data)
{
  gpointer state = NULL;
  GstMeta *meta;

  while ((meta = gst_buffer_iterate_meta (GST_PAD_PROBE_INFO_BUFFER (info), &state)) != NULL)
    ((Metas *)data)->metas += gst_meta_info_is_custom (meta->info);
  return GST_PAD_PROBE_OK;
}

/* Metas of a pushed file, in any memory, before any element. */
TEST (test_meta_of_pushed_files)
{
  enum { SIZE = 200000 };
  static const guint sizes[] = { 4096, 50000, 65536, 200000 };
  static const gchar *const sinks[] = { "fakesink name=sink", "queue name=sink ! fakesink", "identity name=sink ! fakesink" };
  static const gchar *const holds[] = { "wait", "skip" };
  g_autofree guint8 *data = g_malloc0 (SIZE);
  const gchar *path = make_file ("zeros.bin", data, SIZE);

  for (guint i = 0; i < G_N_ELEMENTS (sizes) * G_N_ELEMENTS (sinks) * G_N_ELEMENTS (holds); i++) {
    g_autofree gchar *line = g_strdup_printf (
        "filesrc location=%s blocksize=%u ! cudahisto add-meta=true window=bytes window-size=50000 when-busy=%s %s ! %s", path,
        sizes[i % G_N_ELEMENTS (sizes)], holds[i / G_N_ELEMENTS (sizes) / G_N_ELEMENTS (sinks)], get_backend_words (),
        sinks[i / G_N_ELEMENTS (sizes) % G_N_ELEMENTS (sinks)]);
    g_autoptr (GstElement) pipeline = gst_parse_launch (line, NULL);
    g_autoptr (GstElement) sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
    g_autoptr (GstPad) pad = gst_element_get_static_pad (sink, "sink");
    g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
    Metas metas = { 0 };
    GstMessage *message;

    gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, note_metas, &metas, NULL);
    gst_element_set_state (pipeline, GST_STATE_PLAYING);
    while ((message = gst_bus_timed_pop (bus, RIG_PATIENCE)) != NULL && GST_MESSAGE_TYPE (message) != GST_MESSAGE_EOS) {
      ck_assert_msg (GST_MESSAGE_TYPE (message) != GST_MESSAGE_ERROR && GST_MESSAGE_TYPE (message) != GST_MESSAGE_WARNING, "%s",
                     line);
      metas.results += gst_message_has_name (message, "cudahisto");
      gst_message_unref (message);
    }
    ck_assert (message != NULL);
    gst_message_unref (message);
    gst_element_set_state (pipeline, GST_STATE_NULL);
    ck_assert_uint_eq (metas.results, 4);
    ck_assert_msg (metas.metas == 4, "%u metas: %s", metas.metas, line);
  }
}

/* An unreadable buffer passes unchanged, with a warning, even if it had to carry a meta. */
TEST (test_meta_of_unreadable_buffer)
{
  for (guint shares = 0; shares < 2; shares++) {
    g_autoptr (GstMemory) memory = gst_allocator_alloc (NULL, 16, NULL);
    GstBuffer *buffer = gst_buffer_new ();
    GstBuffer *out;

    GST_MINI_OBJECT_FLAG_SET (memory, GST_MEMORY_FLAG_NOT_MAPPABLE);
    if (!shares)
      GST_MINI_OBJECT_FLAG_SET (memory, GST_MEMORY_FLAG_NO_SHARE);
    gst_buffer_append_memory (buffer, gst_memory_ref (memory));
    ck_assert (gst_memory_lock (memory, GST_LOCK_FLAG_WRITE));
    gst_buffer_ref (buffer);
    g_auto (Rig) rig = open_bytes ("add-meta=true window=buffer", NULL);
    out = gst_harness_push_and_pull (rig.harness, buffer);
    ck_assert (out != NULL && get_meta (out) == NULL);
    check_error (rig.bus, GST_MESSAGE_WARNING, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_READ, NULL);
    ck_assert_uint_eq (get_stat (rig.element, "frames-skipped"), 1);
    gst_buffer_unref (out);
    gst_buffer_unref (buffer);
    close_rig (&rig);
    gst_memory_unlock (memory, GST_LOCK_FLAG_WRITE);
  }
}

/* ---- who waits ---------------------------------------------------------------------------------------------------------- */

static gboolean
has_only_reference (GstBuffer *buffer)
{
  return gst_buffer_is_writable (buffer) && gst_buffer_is_all_memory_writable (buffer);
}

static GstPadProbeReturn
look_at_buffer (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info, gpointer data)
{
  guint *free_buffers = data;

  *free_buffers += has_only_reference (GST_PAD_PROBE_INFO_BUFFER (info));
  return GST_PAD_PROBE_OK;
}

/* If the CPU counts, a buffer that goes on has no other reference. */
TEST (test_buffers_are_released_on_the_cpu)
{
  static const gchar *const lines[]
      = { "", "dot=previous", "add-meta=true", "add-meta=true dot=previous", "window=stream", "statistics=difference" };

  if (get_test_backend () != NULL)
    return;

  for (guint i = 0; i < G_N_ELEMENTS (lines); i++) {
    guint free_buffers = 0;
    g_auto (Rig) rig = open_video (lines[i], SQUARE);

    gst_harness_set_drop_buffers (rig.harness, TRUE);
    g_autoptr (GstPad) srcpad = gst_element_get_static_pad (rig.element, "src");
    gst_pad_add_probe (srcpad, GST_PAD_PROBE_TYPE_BUFFER, look_at_buffer, &free_buffers, NULL);
    for (guint frame = 0; frame < 50; frame++) {
      GstBuffer *buffer = gst_buffer_new_allocate (NULL, SIDE * SIDE, NULL);

      gst_buffer_memset (buffer, 0, (guint8)frame, SIDE * SIDE);
      ck_assert_int_eq (gst_harness_push (rig.harness, buffer), GST_FLOW_OK);
    }
    ck_assert_msg (free_buffers == 50, "%s: %u of 50", lines[i], free_buffers);
    push_eos (&rig);
  }
}

/* Frames pass instead of waiting. Those not counted are in frames-skipped, with a warning. */
TEST (test_skip_when_busy)
{
  const gsize size = 4096 * 4096;
  g_autoptr (GstBuffer) buffer = gst_buffer_new_allocate (NULL, size, NULL);
  guint64 reported = 0, skipped;

  gst_buffer_memset (buffer, 0, 3, size);
  g_auto (Rig) rig
      = open_video ("when-busy=skip message-arrays=none", "video/x-raw,format=GRAY8,width=4096,height=4096,framerate=25/1");
  gst_harness_set_drop_buffers (rig.harness, TRUE);
  for (guint frame = 0; frame < 100; frame++)
    ck_assert_int_eq (gst_harness_push (rig.harness, gst_buffer_copy (buffer)), GST_FLOW_OK);
  push_eos (&rig);
  ck_assert_uint_eq (gst_harness_buffers_received (rig.harness), 100);
  skipped = get_stat (rig.element, "frames-skipped");
  ck_assert_msg (skipped > 0 && skipped < 100, "%" G_GUINT64_FORMAT " of 100 frames skipped", skipped);
  check_error (rig.bus, GST_MESSAGE_WARNING, GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED, "8 frames are already being counted");
  reported = get_stat (rig.element, "frames-reported");
  ck_assert_uint_eq (reported + skipped, 100);
  ck_assert_uint_eq (get_stat (rig.element, "results"), reported);
}

/* Windows without samples wait too if their results are not taken. */
static gboolean
block_results (GstBus *bus G_GNUC_UNUSED, GstMessage *message, gpointer data)
{
  GMutex *gate = data;

  if (gst_message_has_name (message, "cudahisto")) {
    g_mutex_lock (gate);
    g_mutex_unlock (gate);
  }
  return TRUE;
}

static gpointer
push_empty (gpointer data)
{
  Rig *rig = data;

  for (guint i = 0; i < 5000; i++)
    push_bytes (rig, NULL, 0);
  push_eos (rig);
  return NULL;
}

TEST (test_empty_windows_wait)
{
  GMutex gate;
  GThread *thread;
  guint64 pending = 0;

  g_mutex_init (&gate);
  g_auto (Rig) rig = open_rig ("window=buffer message-arrays=none when-busy=skip");
  gst_harness_set_drop_buffers (rig.harness, TRUE);
  start_bytes (&rig, NULL);
  gst_bus_set_sync_handler (rig.bus, (GstBusSyncHandler)block_results, &gate, NULL);
  g_mutex_lock (&gate);
  thread = g_thread_new ("pushes", push_empty, &rig);
  for (guint64 before = G_MAXUINT64; pending != before;) {
    before = pending;
    g_usleep (200 * 1000);
    pending = get_stat (rig.element, "frames-pending");
  }
  ck_assert_msg (pending > 0 && pending < 1000, "%" G_GUINT64_FORMAT " windows wait", pending);
  g_mutex_unlock (&gate);
  g_thread_join (thread);
  ck_assert_uint_eq (get_stat (rig.element, "frames-reported"), 5000);
  gst_bus_set_sync_handler (rig.bus, NULL, NULL, NULL);
  close_rig (&rig);
  g_mutex_clear (&gate);
}

typedef struct {
  GMutex gate;
  gint entered; /* results that came to the gate. Atomic */
  gint pushed;  /* buffers that were taken. Atomic */
  GstHarness *harness;
} Gate;

static GstBusSyncReply
hold_results (GstBus *bus G_GNUC_UNUSED, GstMessage *message, gpointer data)
{
  Gate *gate = data;

  if (gst_message_has_name (message, "cudahisto")) {
    g_atomic_int_inc (&gate->entered);
    g_mutex_lock (&gate->gate);
    g_mutex_unlock (&gate->gate);
  }
  return GST_BUS_PASS;
}

static gpointer
push_one (gpointer data)
{
  Gate *gate = data;
  GstFlowReturn flow = gst_harness_push (gate->harness, gst_buffer_new_allocate (NULL, SIDE * SIDE, NULL));

  return GINT_TO_POINTER (flow);
}

/* From results on the element's own thread to results on the streaming thread, while the former is reporting one. */
TEST (test_hold_changes)
{
  Gate gate = { .entered = 0 };
  GThread *thread;

  if (get_test_backend () != NULL) /* buffers for a GPU are always held */
    return;
  g_auto (Rig) rig = open_video ("when-busy=skip message-arrays=none", SQUARE);
  gst_harness_set_drop_buffers (rig.harness, TRUE);
  gate.harness = rig.harness;
  g_mutex_init (&gate.gate);
  g_mutex_lock (&gate.gate);
  gst_bus_set_sync_handler (rig.bus, hold_results, &gate, NULL);
  push_one (&gate);
  while (g_atomic_int_get (&gate.entered) == 0)
    g_usleep (1000);

  gst_util_set_object_arg (G_OBJECT (rig.element), "when-busy", "wait");
  thread = g_thread_new ("pushes", push_one, &gate);
  g_usleep (100 * 1000);
  ck_assert_int_eq (g_atomic_int_get (&gate.entered), 1);
  g_mutex_unlock (&gate.gate);
  ck_assert_int_eq (GPOINTER_TO_INT (g_thread_join (thread)), GST_FLOW_OK);
  ck_assert_int_eq (g_atomic_int_get (&gate.entered), 2);

  gst_bus_set_sync_handler (rig.bus, NULL, NULL, NULL);
  for (guint64 frame = 0; frame < 2; frame++) {
    g_autoptr (GstStructure) result = pop_result (rig.bus);

    ck_assert_uint_eq (get_field_u64 (result, "frame"), frame);
  }
  g_mutex_clear (&gate.gate);
}

static gpointer
push_until_refused (gpointer data)
{
  Gate *gate = data;
  GstFlowReturn flow = GST_FLOW_OK;

  for (guint i = 0; i < 100 && flow == GST_FLOW_OK; i++)
    flow = GPOINTER_TO_INT (push_one (gate));
  return GINT_TO_POINTER (flow);
}

/* A flush ends every wait for the queue, whatever delays the results. */
TEST (test_flush_while_waiting)
{
  Gate gate = { .entered = 0 };
  GThread *thread;

  g_auto (Rig) rig = open_rig ("when-busy=skip window=buffer message-arrays=none"); /* holds bytes, and waits at the limit */
  start_bytes (&rig, NULL);
  gst_harness_set_drop_buffers (rig.harness, TRUE);
  gate.harness = rig.harness;
  g_mutex_init (&gate.gate);
  g_mutex_lock (&gate.gate);
  gst_bus_set_sync_handler (rig.bus, hold_results, &gate, NULL);
  thread = g_thread_new ("pushes", push_until_refused, &gate);
  while (g_atomic_int_get (&gate.entered) == 0)
    g_usleep (1000);
  g_usleep (100 * 1000);

  gst_harness_push_event (rig.harness, gst_event_new_flush_start ());
  ck_assert_int_eq (GPOINTER_TO_INT (g_thread_join (thread)), GST_FLOW_FLUSHING);
  ck_assert_int_eq (g_atomic_int_get (&gate.entered), 1);
  g_mutex_unlock (&gate.gate);
  gst_bus_set_sync_handler (rig.bus, NULL, NULL, NULL);
  gst_harness_push_event (rig.harness, gst_event_new_flush_stop (TRUE));
  push_eos (&rig);
  ck_assert_uint_eq (get_stat (rig.element, "frames-pending"), 0);
  ck_assert_uint_eq (get_stat (rig.element, "frames-reported") + get_stat (rig.element, "frames-discarded"),
                     get_stat (rig.element, "frames-in"));
  g_mutex_clear (&gate.gate);
}

enum { PUSHED_AT_ONCE = 40 };

static gpointer
push_many (gpointer data)
{
  Gate *gate = data;

  for (guint i = 0; i < PUSHED_AT_ONCE; i++) {
    ck_assert_int_eq (GPOINTER_TO_INT (push_one (gate)), GST_FLOW_OK);
    g_atomic_int_inc (&gate->pushed);
  }
  return NULL;
}

/* While a result is held up, 8 frames are accepted besides the frame of that result. */
TEST (test_in_flight_limit)
{
  enum { LIMIT = 8 };
  Gate gate = { .entered = 0 };
  GThread *thread;

  g_auto (Rig) rig = open_rig ("when-busy=skip window=buffer message-arrays=none"); /* holds bytes, and waits at the limit */
  start_bytes (&rig, NULL);
  gst_harness_set_drop_buffers (rig.harness, TRUE);
  gate.harness = rig.harness;
  g_mutex_init (&gate.gate);
  gst_bus_set_sync_handler (rig.bus, hold_results, &gate, NULL);
  g_mutex_lock (&gate.gate);
  thread = g_thread_new ("pushes", push_many, &gate);
  while (g_atomic_int_get (&gate.pushed) < LIMIT + 1)
    g_usleep (1000);
  g_usleep (20 * 1000);
  ck_assert_int_eq (g_atomic_int_get (&gate.pushed), LIMIT + 1);
  g_mutex_unlock (&gate.gate);
  g_thread_join (thread);
  for (guint frame = 0; frame < PUSHED_AT_ONCE; frame++)
    gst_structure_free (pop_result (rig.bus));
  gst_bus_set_sync_handler (rig.bus, NULL, NULL, NULL);
  g_mutex_clear (&gate.gate);
}

RIG_MAIN (NULL)
