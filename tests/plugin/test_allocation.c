/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Memory that the element offers: to whom, its use, and its lifetime. On the CPU it is not offered for video. */

#include <gst/video/video.h>
#include <string.h>

#include "fakecuda.h"
#include "rig.h"

#define MEMORY_TYPE "CudaHistoMemory"
#define CAPS "video/x-raw,format=GRAY8,width=322,height=240,framerate=25/1"
enum { WIDTH = 322, HEIGHT = 240, STRIDE = 324, FRAMES = 30 };
#define CUDA_ERROR_LAUNCH_FAILED 719

static gboolean
is_on_gpu (void)
{
  return g_strcmp0 (get_test_backend (), "cuda") == 0;
}

/* ---- the query ----------------------------------------------------------------------------------------------------------- */

typedef struct {
  GstBufferPool *pool;
  GstAllocator *allocator;
  GstAllocationParams params;
  guint size, min, max;
} Offer;

/* The offer to upstream for these caps (NULL: none). */
static void
ask (Rig *rig, const gchar *caps_text, Offer *offer)
{
  g_autoptr (GstCaps) caps = caps_text != NULL ? gst_caps_from_string (caps_text) : NULL;
  g_autoptr (GstQuery) query = gst_query_new_allocation (caps, TRUE);

  *offer = (Offer){ 0 };
  if (gst_pad_peer_query (rig->harness->srcpad, query)) {
    if (gst_query_get_n_allocation_pools (query) > 0)
      gst_query_parse_nth_allocation_pool (query, 0, &offer->pool, &offer->size, &offer->min, &offer->max);
    if (gst_query_get_n_allocation_params (query) > 0)
      gst_query_parse_nth_allocation_param (query, 0, &offer->allocator, &offer->params);
  }
}

static void
clear_offer (Offer *offer)
{
  gst_clear_object (&offer->pool);
  gst_clear_object (&offer->allocator);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Offer, clear_offer)

TEST (test_offer)
{
  static const struct {
    const gchar *properties;
    guint min;
  } cases[]
      = { { "", 0 }, { "add-meta=true", 0 }, { "dot=previous", 1 }, { "statistics=signalstats", 1 }, { "window=stream", 0 } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_auto (Offer) offer = { 0 };

    g_auto (Rig) rig = open_video (cases[i].properties, CAPS);
    ask (&rig, CAPS, &offer);
    ck_assert_int_eq (offer.pool != NULL, is_on_gpu ());
    ck_assert_int_eq (offer.allocator != NULL, is_on_gpu ());
    if (is_on_gpu ()) {
      ck_assert_str_eq (offer.allocator->mem_type, MEMORY_TYPE);
      ck_assert_uint_eq (offer.size, STRIDE * HEIGHT);
      ck_assert_uint_eq (offer.min, cases[i].min);
      ck_assert_uint_eq (offer.max, 0);
      ck_assert (gst_buffer_pool_has_option (offer.pool, GST_BUFFER_POOL_OPTION_VIDEO_ALIGNMENT));
    }
  }
}

/* Frames are never copied together, however small. */
TEST (test_small_frames)
{
  static const gchar caps[] = "video/x-raw,format=GRAY8,width=16,height=16,framerate=25/1";
  GstBuffer *buffer = NULL;
  g_auto (Offer) offer = { 0 };

  if (!is_on_gpu ())
    return;
  g_auto (Rig) rig = open_video ("", caps);
  ask (&rig, caps, &offer);
  ck_assert (offer.pool != NULL && gst_buffer_pool_set_active (offer.pool, TRUE));
  ck_assert_int_eq (gst_buffer_pool_acquire_buffer (offer.pool, &buffer, NULL), GST_FLOW_OK);
  ck_assert_str_eq (gst_buffer_peek_memory (buffer, 0)->allocator->mem_type, MEMORY_TYPE);
  gst_buffer_unref (buffer);
  gst_buffer_pool_set_active (offer.pool, FALSE);
}

static GstBufferPool *downstream_pool;
static GstAllocator *downstream_allocator;
static gboolean downstream_wants_few;

static gboolean
answer_allocation (GstPad *pad, GstObject *parent, GstQuery *query)
{
  GstAllocationParams params;

  if (GST_QUERY_TYPE (query) != GST_QUERY_ALLOCATION)
    return gst_pad_query_default (pad, parent, query);
  gst_allocation_params_init (&params);
  params.align = 63;
  params.padding = 16;
  if (downstream_pool != NULL || downstream_wants_few)
    gst_query_add_allocation_pool (query, downstream_pool, 100000, 3, 5);
  if (downstream_allocator != NULL || downstream_wants_few)
    gst_query_add_allocation_param (query, downstream_allocator, &params);
  gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);
  return TRUE;
}

/* Downstream's offer has priority. */
TEST (test_downstream_offers)
{
  Offer offer;

  g_auto (Rig) rig = open_video ("", CAPS);
  gst_pad_set_query_function (rig.harness->sinkpad, answer_allocation);

  downstream_pool = gst_buffer_pool_new ();
  ask (&rig, CAPS, &offer);
  ck_assert (offer.pool == downstream_pool && offer.allocator == NULL);
  clear_offer (&offer);
  gst_clear_object (&downstream_pool);

  downstream_allocator = gst_allocator_find (GST_ALLOCATOR_SYSMEM);
  ask (&rig, CAPS, &offer);
  ck_assert (offer.pool == NULL && offer.allocator == downstream_allocator);
  clear_offer (&offer);
  gst_clear_object (&downstream_allocator);

  /* Downstream proposes a number, a size and an alignment, and no memory. */
  downstream_wants_few = TRUE;
  ask (&rig, CAPS, &offer);
  downstream_wants_few = FALSE;
  ck_assert_uint_eq (offer.size, 100000);
  ck_assert_uint_eq (offer.min, 3);
  ck_assert_uint_eq (offer.max, 5);
  ck_assert_uint_eq (offer.params.align, 63);
  ck_assert_uint_eq (offer.params.padding, 16);
  ck_assert_int_eq (offer.pool != NULL, is_on_gpu ());
  if (offer.pool != NULL) {
    GstBuffer *buffer;
    GstMapInfo map;

    ck_assert (gst_buffer_pool_set_active (offer.pool, TRUE));
    ck_assert_int_eq (gst_buffer_pool_acquire_buffer (offer.pool, &buffer, NULL), GST_FLOW_OK);
    ck_assert (gst_memory_is_type (gst_buffer_peek_memory (buffer, 0), MEMORY_TYPE));
    ck_assert (gst_buffer_map (buffer, &map, GST_MAP_WRITE));
    ck_assert_uint_eq ((gsize)map.data % 64, 0);
    ck_assert_uint_eq (map.size, 100000);
    ck_assert_uint_ge (map.maxsize, 100000 + 16);
    gst_buffer_unmap (buffer, &map);
    gst_buffer_unref (buffer);
    ck_assert (gst_buffer_pool_set_active (offer.pool, FALSE));
  }
  clear_offer (&offer);
}

/* If a GPU counts, memory is offered for bytes, which saves a copy, but no pool. */
TEST (test_bytes)
{
  static const gchar *const caps[] = { NULL, "application/octet-stream", "audio/x-raw,format=S16LE,rate=8000,channels=1" };

  for (guint i = 0; i < G_N_ELEMENTS (caps); i++) {
    g_auto (Offer) offer = { 0 };

    g_auto (Rig) rig = open_bytes ("", caps[i]);
    ask (&rig, caps[i], &offer);
    ck_assert (offer.pool == NULL);
    ck_assert_int_eq (offer.allocator != NULL, is_on_gpu ());
    if (is_on_gpu ())
      ck_assert_str_eq (offer.allocator->mem_type, MEMORY_TYPE);
  }
}

/* If the CPU counts, a filter downstream may write to a buffer of bytes in place, as soon as it receives it. */
TEST (test_bytes_are_released)
{
  static const gsize sizes[] = { 1, 4096, 65536, 262144, 262145, 1000000, 9000000 };
  static const gchar *const properties[]
      = { "", "window=bytes window-size=100000", "window=buffer", "window=buffer add-meta=true" };

  if (is_on_gpu ())
    return;
  for (guint p = 0; p < G_N_ELEMENTS (properties); p++) {
    g_auto (Rig) rig = open_rig (properties[p]);

    gst_util_set_object_arg (G_OBJECT (rig.element), "message-arrays", "none");
    start_bytes (&rig, NULL);
    for (guint i = 0; i < 4 * G_N_ELEMENTS (sizes); i++) {
      g_autoptr (GstBuffer) buffer = gst_buffer_new ();
      GstMapInfo map;
      gpointer data[3];
      guint memories = i % 2 == 0 ? 1 : 3;

      for (guint m = 0; m < memories; m++) {
        GstMemory *memory = gst_allocator_alloc (NULL, sizes[i / 4], NULL);

        ck_assert (gst_memory_map (memory, &map, GST_MAP_WRITE));
        memset (map.data, 0, map.size);
        data[m] = map.data;
        gst_memory_unmap (memory, &map);
        gst_buffer_append_memory (buffer, memory);
      }
      ck_assert_int_eq (gst_harness_push (rig.harness, buffer), GST_FLOW_OK);
      buffer = gst_harness_pull (rig.harness);
      ck_assert_uint_eq (gst_buffer_n_memory (buffer), memories);
      ck_assert (gst_buffer_is_writable (buffer) && gst_buffer_is_all_memory_writable (buffer));
      for (guint m = 0; m < memories; m++) {
        ck_assert (gst_buffer_map_range (buffer, m, 1, &map, GST_MAP_READWRITE));
        ck_assert_msg (map.data == data[m], "%s: memory of %" G_GSIZE_FORMAT " bytes was copied", properties[p], map.size);
        memset (map.data, 255, map.size); /* not counted */
        gst_buffer_unmap (buffer, &map);
      }
    }
    push_eos (&rig);
    for (GstMessage *message; (message = gst_bus_pop_filtered (rig.bus, GST_MESSAGE_ELEMENT)) != NULL;) {
      ck_assert_uint_eq (get_field_u64 (gst_message_get_structure (message), "byte-sum"), 0);
      gst_message_unref (message);
    }
  }
}

/* Contiguous pieces, others, and some of another allocator between them, in every kind of window. */
TEST (test_mixed_bytes)
{
  enum { SIZE = 5000000 };
  static const struct {
    const gchar *properties;
    gsize window; /* 0: each buffer */
  } cases[] = {
    { "", SIZE },
    { "window=bytes window-size=1000003", 1000003 },
    { "window=bytes window-size=77", 77 },
    { "window=buffer", 0 },
  };
  g_autofree guint8 *data = g_malloc (SIZE);

  fill_random (data, SIZE);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    gsize size = cases[i].window == 77 ? 100000 : SIZE;
    GQueue sizes = G_QUEUE_INIT;
    gsize window = cases[i].window;
    g_auto (Offer) offer = { 0 };

    g_auto (Rig) rig = open_bytes (cases[i].properties, NULL);
    gst_harness_set_drop_buffers (rig.harness, TRUE);
    ask (&rig, NULL, &offer);
    for (gsize at = 0; at < size;) {
      static const gsize pieces[] = { 4096, 4096, 4096, 65536, 65536, 100, 13, 700000, 2097152 };
      gsize drawn = pieces[draw_random (G_N_ELEMENTS (pieces))];
      gsize piece = MIN (drawn, size - at);
      GstBuffer *buffer = gst_buffer_new ();
      GstMemory *memory = gst_allocator_alloc (draw_random (5) != 0 ? offer.allocator : NULL, piece, NULL);

      gst_buffer_append_memory (buffer, memory);
      if (draw_random (4) == 0)
        gst_buffer_append_memory (buffer, gst_allocator_alloc (offer.allocator, 0, NULL));
      gst_buffer_fill (buffer, 0, data + at, piece);
      ck_assert_int_eq (gst_harness_push (rig.harness, buffer), GST_FLOW_OK);
      g_queue_push_tail (&sizes, GSIZE_TO_POINTER (piece));
      at += piece;
    }
    push_eos (&rig);
    for (gsize at = 0; at < size;) {
      g_autoptr (GstStructure) result = pop_result (rig.bus);
      gsize piece = window != 0 ? MIN (window, size - at) : GPOINTER_TO_SIZE (g_queue_pop_head (&sizes));

      check_bytes (result, data + at, piece, get_field_u64 (result, "frame"), get_field_u64 (result, "frames"), at);
      at += piece;
    }
    check_bus_empty (rig.bus);
    g_queue_clear (&sizes);
  }
}

static GstPadProbeReturn
note_memory (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info, gpointer data)
{
  GstMemory *memory = gst_buffer_peek_memory (GST_PAD_PROBE_INFO_BUFFER (info), 0);
  guint *counts = data;

  counts[g_strcmp0 (memory->allocator->mem_type, MEMORY_TYPE) == 0]++;
  return GST_PAD_PROBE_OK;
}

/* Bytes directly before a fakesink also use the element's memory if the CPU counts: they may be held until the next bytes
 * arrive, and are not copied. */
TEST (test_bytes_before_fakesink)
{
  enum { SIZE = 20 * 65536 };
  g_autofree guint8 *data = g_malloc0 (SIZE);
  const gchar *path = make_file ("zeros.bin", data, SIZE);
  static const gchar *const sinks[]
      = { "fakesink name=sink", "fakesink name=sink silent=false", "identity name=sink ! fakesink" };

  for (guint i = 0; i < G_N_ELEMENTS (sinks); i++) {
    g_autoptr (GstElement) pipeline = parse_line ("filesrc location=%s blocksize=65536 ! cudahisto name=element %s ! %s", path,
                                                  get_backend_words (), sinks[i]);
    g_autoptr (GstElement) sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
    g_autoptr (GstPad) pad = gst_element_get_static_pad (sink, "sink");
    guint counts[2] = { 0 };

    gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, note_memory, counts, NULL);
    run_to_eos (pipeline);
    ck_assert_uint_eq (counts[is_on_gpu () || i == 0], 20);
  }
}

/* Buffers that reached a sink: addresses and, if `keeps` is set, the buffers. */
typedef struct {
  gboolean keeps;
  GPtrArray *addresses, *buffers;
  gsize size;
} Arrivals;

static GstPadProbeReturn
note_arrival (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info, gpointer data)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  Arrivals *arrivals = data;
  GstMapInfo map;

  ck_assert_uint_eq (gst_buffer_get_size (buffer), arrivals->size);
  ck_assert (gst_buffer_map (buffer, &map, GST_MAP_READ));
  g_ptr_array_add (arrivals->addresses, map.data);
  gst_buffer_unmap (buffer, &map);
  if (arrivals->keeps)
    g_ptr_array_add (arrivals->buffers, gst_buffer_ref (buffer));
  return GST_PAD_PROBE_OK;
}

static guint
count_different (const GPtrArray *addresses)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < addresses->len; i++)
    g_hash_table_add (seen, g_ptr_array_index (addresses, i));
  return g_hash_table_size (seen);
}

/* Makes filesrc push `size` bytes, `piece` at a time, in the element's memory. */
static void
push_file (const guint8 *data, gsize size, gsize piece, Arrivals *arrivals)
{
  const gchar *path = make_file ("any.bin", data, size);
  g_autoptr (GstElement) pipeline
      = parse_line ("filesrc location=%s blocksize=%" G_GSIZE_FORMAT " ! cudahisto %s ! fakesink name=sink", path, piece,
                    get_backend_words ()),
      sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (sink, "sink");
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);

  arrivals->size = piece;
  arrivals->addresses = g_ptr_array_new ();
  arrivals->buffers = g_ptr_array_new_with_free_func ((GDestroyNotify)gst_buffer_unref);
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, note_arrival, arrivals, NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  g_autoptr (GstStructure) result = pop_result (bus);
  check_bytes (result, data, size, 0, size / piece, 0);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  ck_assert_uint_eq (arrivals->addresses->len, size / piece);
}

/* If the CPU counts, a pushed stream reuses few blocks: one that is filled and two that are counted. Pieces in a block are
 * contiguous. */
TEST (test_few_blocks)
{
  enum { SIZE = 24 * 1024 * 1024, PIECE = 65536 };
  const gsize block = is_on_gpu () ? 2 * 1024 * 1024 : 512 * 1024;
  g_autofree guint8 *data = g_malloc (SIZE);
  Arrivals arrivals = { .keeps = FALSE };

  fill_random (data, SIZE);
  push_file (data, SIZE, PIECE, &arrivals);
  for (guint i = 0; i < SIZE / PIECE; i++) {
    const guint place = i % (guint)(block / PIECE);

    ck_assert_ptr_eq (g_ptr_array_index (arrivals.addresses, i),
                      (const guint8 *)g_ptr_array_index (arrivals.addresses, i - place) + place * PIECE);
  }
  if (!is_on_gpu ())
    ck_assert_uint_le (count_different (arrivals.addresses), 3 * block / PIECE);
  g_ptr_array_unref (arrivals.addresses);
  g_ptr_array_unref (arrivals.buffers);
}

/* Downstream keeps every buffer: more memory is allocated, nothing waits for a block, and none is overwritten. */
TEST (test_pushed_buffers_are_kept)
{
  enum { SIZE = 24 * 1024 * 1024, PIECE = 65536 };
  g_autofree guint8 *data = g_malloc (SIZE);
  Arrivals arrivals = { .keeps = TRUE };

  fill_random (data, SIZE);
  push_file (data, SIZE, PIECE, &arrivals);
  ck_assert_uint_eq (count_different (arrivals.addresses), SIZE / PIECE);
  for (guint i = 0; i < SIZE / PIECE; i++)
    ck_assert_int_eq (gst_buffer_memcmp (g_ptr_array_index (arrivals.buffers, i), 0, data + i * PIECE, PIECE), 0);
  g_ptr_array_unref (arrivals.addresses);
  g_ptr_array_unref (arrivals.buffers);
}

static GstFlowReturn
push_filled (GstPad *pad, GstBuffer *buffer, guint8 value)
{
  GstMapInfo map;

  ck_assert (gst_buffer_map (buffer, &map, GST_MAP_WRITE));
  memset (map.data, value, map.size);
  gst_buffer_unmap (buffer, &map);
  return gst_pad_push (pad, gst_buffer_ref (buffer));
}

/* A source with four buffers in the offered memory, which it refills when it holds the only reference. Gathered bytes must not
 * keep the buffers, nor change when the source writes again. */
TEST (test_buffers_that_are_filled_again)
{
  enum { RING = 4, BYTES = 65536, COUNT = 200 };
  g_autoptr (GstElement) pipeline = gst_pipeline_new (NULL), element = make_element ("window=stream");
  GstElement *sink;
  g_autoptr (GstPad) pad = gst_pad_new ("src", GST_PAD_SRC), peer = gst_element_get_static_pad (element, "sink");
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  GstBuffer *ring[RING];
  GstAllocator *allocator = NULL;
  GstAllocationParams params;
  GstSegment segment;
  GstQuery *query = gst_query_new_allocation (NULL, FALSE);
  GstMessage *message;
  g_autoptr (GstStructure) result = NULL;
  guint64 sum = 0;

  sink = gst_element_factory_make ("fakesink", NULL);
  g_object_set (sink, "async", FALSE, NULL);
  gst_bin_add_many (GST_BIN (pipeline), element, sink, NULL);
  ck_assert (gst_element_link (element, sink) && gst_pad_link (pad, peer) == GST_PAD_LINK_OK);
  gst_pad_set_active (pad, TRUE);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  gst_pad_push_event (pad, gst_event_new_stream_start ("ring"));
  gst_segment_init (&segment, GST_FORMAT_BYTES);
  gst_pad_push_event (pad, gst_event_new_segment (&segment));
  ck_assert (gst_pad_peer_query (pad, query) && gst_query_get_n_allocation_params (query) > 0);
  gst_query_parse_nth_allocation_param (query, 0, &allocator, &params);
  ck_assert_str_eq (allocator->mem_type, MEMORY_TYPE);
  for (guint i = 0; i < RING; i++)
    ring[i] = gst_buffer_new_allocate (allocator, BYTES, &params);
  for (guint i = 0; i < COUNT; i++) {
    gint64 end = g_get_monotonic_time () + (gint64)(RIG_PATIENCE / GST_USECOND);

    while (GST_MINI_OBJECT_REFCOUNT_VALUE (ring[i % RING]) > 1) {
      ck_assert_msg (g_get_monotonic_time () < end, "buffer %u does not come back", i);
      g_usleep (100);
    }
    ck_assert_int_eq (push_filled (pad, ring[i % RING], (guint8)i), GST_FLOW_OK);
    sum += (guint64)(guint8)i * BYTES;
  }
  gst_pad_push_event (pad, gst_event_new_eos ());
  message = gst_bus_timed_pop_filtered (bus, RIG_PATIENCE, GST_MESSAGE_ELEMENT | GST_MESSAGE_ERROR);
  ck_assert (message != NULL && gst_message_has_name (message, "cudahisto"));
  result = gst_structure_copy (gst_message_get_structure (message));
  ck_assert_uint_eq (get_field_u64 (result, "byte-sum"), sum);
  gst_message_unref (message);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  for (guint i = 0; i < RING; i++)
    gst_buffer_unref (ring[i]);
  gst_query_unref (query);
  gst_object_unref (allocator);
  gst_pad_unlink (pad, peer);
}

/* filesrc fills it, also through elements that pass buffers on. */
TEST (test_pushed_file)
{
  static const gchar *const lines[] = {
    "filesrc location=%s ! identity ! cudahisto name=element %s ! fakesink",
    "filesrc location=%s blocksize=10000 ! queue ! cudahisto name=element %s ! fakesink",
    "filesrc location=%s blocksize=3000000 ! cudahisto name=element %s ! queue min-threshold-bytes=1000000 ! fakesink",
  };
  enum { SIZE = 5000000 };
  g_autofree guint8 *data = g_malloc (SIZE);
  const gchar *path;

  fill_random (data, SIZE);
  path = make_file ("any.bin", data, SIZE);
  for (guint i = 0; i < G_N_ELEMENTS (lines); i++) {
    g_auto (GStrv) parts = g_strsplit (lines[i], "%s", 3);
    g_autofree gchar *line = g_strconcat (parts[0], path, parts[1], get_backend_words (), parts[2], NULL);
    g_autolist (GstStructure) results = run_line (NULL, "%s", line);

    ck_assert_uint_eq (g_list_length (results), 1);
    check_bytes (results->data, data, SIZE, 0, get_field_u64 (results->data, "frames"), 0);
  }
}

/* A decoder that writes into padded frames: GstVideoAlignment. */
TEST (test_padded_frames)
{
  GstVideoAlignment alignment;
  g_autoptr (GstCaps) caps = gst_caps_from_string (CAPS);
  GstStructure *config;
  GstBuffer *buffer;
  Tally tally = { 0 };
  GstVideoInfo info;
  GstVideoFrame frame;
  g_auto (Offer) offer = { 0 };

  g_auto (Rig) rig = open_video ("", CAPS);
  ask (&rig, CAPS, &offer);
  if (offer.pool != NULL) {
    config = gst_buffer_pool_get_config (offer.pool);
    gst_buffer_pool_config_add_option (config, GST_BUFFER_POOL_OPTION_VIDEO_META);
    gst_buffer_pool_config_add_option (config, GST_BUFFER_POOL_OPTION_VIDEO_ALIGNMENT);
    gst_video_alignment_reset (&alignment);
    alignment.padding_left = alignment.padding_right = 16;
    alignment.padding_top = alignment.padding_bottom = 8;
    alignment.stride_align[0] = 31;
    gst_buffer_pool_config_set_video_alignment (config, &alignment);
    ck_assert (gst_buffer_pool_set_config (offer.pool, config));
    ck_assert (gst_buffer_pool_set_active (offer.pool, TRUE));
    ck_assert_int_eq (gst_buffer_pool_acquire_buffer (offer.pool, &buffer, NULL), GST_FLOW_OK);
    ck_assert (gst_memory_is_type (gst_buffer_peek_memory (buffer, 0), MEMORY_TYPE));
    gst_buffer_memset (buffer, 0, 0xee, (gsize)-1);
    ck_assert (gst_video_info_from_caps (&info, caps));
    ck_assert (gst_video_frame_map (&frame, &info, buffer, GST_MAP_WRITE));
    for (guint y = 0; y < HEIGHT; y++)
      for (guint x = 0; x < WIDTH; x++) {
        guint8 sample = (guint8)draw_random (200);

        ((guint8 *)GST_VIDEO_FRAME_PLANE_DATA (&frame, 0))[y * (guint)GST_VIDEO_FRAME_PLANE_STRIDE (&frame, 0) + x] = sample;
        tally_sample (&tally, sample);
      }
    gst_video_frame_unmap (&frame);
    ck_assert_int_eq (gst_harness_push (rig.harness, buffer), GST_FLOW_OK);
    g_autoptr (GstStructure) result = pop_result (rig.bus);
    check_component (result, "GRAY", &tally, BINS_ARRAY);
    gst_buffer_unref (gst_harness_pull (rig.harness));
    gst_buffer_pool_set_active (offer.pool, FALSE);
  }
}

/* ---- pipelines --------------------------------------------------------------------------------------------------- */

typedef struct {
  GMutex lock;
  guint frames, ours;
  Tally tallies[FRAMES];
} Look;

/* Counts the frames that reach the element, and those in its memory. */
static GstPadProbeReturn
look (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  Look *seen = user_data;
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);
  GstVideoInfo video;
  GstVideoFrame frame;

  g_mutex_lock (&seen->lock);
  ck_assert_uint_lt (seen->frames, FRAMES);
  ck_assert (gst_video_info_from_caps (&video, caps) && gst_video_frame_map (&frame, &video, buffer, GST_MAP_READ));
  for (gint y = 0; y < GST_VIDEO_INFO_HEIGHT (&video); y++)
    tally_bytes (&seen->tallies[seen->frames],
                 (const guint8 *)GST_VIDEO_FRAME_PLANE_DATA (&frame, 0) + y * GST_VIDEO_FRAME_PLANE_STRIDE (&frame, 0),
                 (gsize)GST_VIDEO_INFO_WIDTH (&video));
  gst_video_frame_unmap (&frame);
  seen->ours += gst_memory_is_type (gst_buffer_peek_memory (buffer, 0), MEMORY_TYPE);
  seen->frames++;
  g_mutex_unlock (&seen->lock);
  return GST_PAD_PROBE_OK;
}

/* Plays a line with an element named `element`, and checks every result. Returns the number of frames in its memory. */
static guint
count_ours (const gchar *line)
{
  g_autoptr (GstElement) pipeline = gst_parse_launch (line, NULL);
  g_autoptr (GstElement) element = NULL;
  GstMessage *message;
  g_autofree Look *seen = g_new0 (Look, 1);
  guint results = 0, ours;

  ck_assert_msg (pipeline != NULL, "%s", line);
  element = gst_bin_get_by_name (GST_BIN (pipeline), "element");
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  g_autoptr (GstPad) pad = gst_element_get_static_pad (element, "sink");
  g_mutex_init (&seen->lock);
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, look, seen, NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while ((message = gst_bus_timed_pop_filtered (bus, RIG_PATIENCE, GST_MESSAGE_ELEMENT | GST_MESSAGE_EOS | GST_MESSAGE_ERROR))
         != NULL) {
    gboolean is_over = GST_MESSAGE_TYPE (message) != GST_MESSAGE_ELEMENT;

    ck_assert_msg (GST_MESSAGE_TYPE (message) != GST_MESSAGE_ERROR, "%s", line);
    if (!is_over)
      check_component (gst_message_get_structure (message), "GRAY", &seen->tallies[results++], BINS_ARRAY);
    gst_message_unref (message);
    if (is_over)
      break;
  }
  ck_assert_msg (message != NULL, "it hangs: %s", line);
  ck_assert_uint_eq (seen->frames, FRAMES);
  ck_assert_uint_eq (results, FRAMES);
  ours = seen->ours;
  gst_element_set_state (pipeline, GST_STATE_NULL);
  g_mutex_clear (&seen->lock);
  return ours;
}

TEST (test_neighbours)
{
  static const struct {
    const gchar *line;
    gboolean is_ours; /* otherwise unknown */
  } cases[] = {
    { "%s ! " CAPS " ! %s ! fakesink", TRUE },
    { "%s ! " CAPS " ! %s add-meta=true ! fakesink", TRUE },
    { "%s ! " CAPS " ! identity ! queue max-size-buffers=3 ! %s ! fakesink", TRUE },
    { "%s ! " CAPS " ! %s ! queue min-threshold-buffers=20 ! fakesink", TRUE },
    { "%s ! video/x-raw,format=GRAY8,width=80,height=60 ! videoscale ! " CAPS " ! %s ! fakesink", TRUE },
    { "%s ! " CAPS " ! %s ! videoscale ! video/x-raw,width=80,height=60 ! fakesink", FALSE },
    { "%s ! " CAPS " ! %s ! videoconvert ! video/x-raw,format=I420 ! videobalance brightness=0.3 ! fakesink", FALSE },
    { "%s ! " CAPS " ! tee name=t  t. ! queue ! %s ! fakesink  t. ! queue ! fakesink", FALSE },
    { "%s ! " CAPS " ! %s ! tee name=t  t. ! queue ! videoscale ! video/x-raw,width=80 ! fakesink  t. ! queue ! fakesink",
      FALSE },
  };
  g_autofree gchar *source = g_strdup_printf ("videotestsrc pattern=snow num-buffers=%d", FRAMES);
  g_autofree gchar *element = g_strdup_printf ("cudahisto name=element %s", get_backend_words ());

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_auto (GStrv) parts = g_strsplit (cases[i].line, "%s", 3);
    g_autofree gchar *line = g_strconcat (parts[0], source, parts[1], element, parts[2], NULL);
    guint ours = count_ours (line);

    if (!is_on_gpu ())
      ck_assert_msg (ours == 0, "%s: %u frames", line, ours);
    else if (cases[i].is_ours)
      ck_assert_msg (ours == FRAMES, "%s: %u frames", line, ours);
  }
}

/* The source has a few buffers only. */
TEST (test_few_buffers)
{
  g_auto (Offer) offer = { 0 };

  g_auto (Rig) rig = open_video ("dot=previous message-arrays=none", CAPS);
  gst_harness_set_drop_buffers (rig.harness, TRUE);
  ask (&rig, CAPS, &offer);
  if (offer.pool != NULL) {
    GstStructure *config = gst_buffer_pool_get_config (offer.pool);
    g_autoptr (GstCaps) caps = gst_caps_from_string (CAPS);

    gst_buffer_pool_config_set_params (config, caps, offer.size, 0, 2);
    ck_assert (gst_buffer_pool_set_config (offer.pool, config));
    ck_assert (gst_buffer_pool_set_active (offer.pool, TRUE));
    for (guint i = 0; i < 100; i++) {
      GstBuffer *buffer;

      ck_assert_int_eq (gst_buffer_pool_acquire_buffer (offer.pool, &buffer, NULL), GST_FLOW_OK);
      gst_buffer_memset (buffer, 0, (guint8)i, offer.size);
      ck_assert_int_eq (gst_harness_push (rig.harness, buffer), GST_FLOW_OK);
    }
    push_eos (&rig);
    for (guint i = 0; i < 100; i++) {
      g_autoptr (GstStructure) result = pop_result (rig.bus);

      ck_assert_uint_eq (get_field_u64 (result, "GRAY-sum"), (guint64)WIDTH * HEIGHT * i);
    }
    gst_buffer_pool_set_active (offer.pool, FALSE);
  }
}

/* ---- how long it lives ------------------------------------------------------------------------------------------- */

/* The element, its engine and its GPU's context are gone. The memory and the allocator remain. */
TEST (test_memory_outlives_the_element)
{
  Offer offer;
  GstMemory *memory, *part, *copy, *more;
  GstMapInfo map;

  g_auto (Rig) rig = open_video ("", CAPS);
  ask (&rig, CAPS, &offer);
  if (offer.allocator == NULL) {
    close_rig (&rig);
    return;
  }
  memory = gst_allocator_alloc (offer.allocator, 100000, &offer.params);
  ck_assert (memory != NULL && gst_memory_map (memory, &map, GST_MAP_WRITE));
  memset (map.data, 7, map.size);
  map.data[500] = 1;
  map.data[600] = 2;
  gst_memory_unmap (memory, &map);
  part = gst_memory_share (memory, 500, 101);
  copy = gst_memory_copy (memory, 600, -1);
  close_rig (&rig);

  more = gst_allocator_alloc (offer.allocator, 5000000, NULL);
  ck_assert (more != NULL && gst_memory_map (more, &map, GST_MAP_WRITE));
  memset (map.data, 9, map.size);
  gst_memory_unmap (more, &map);
  gst_memory_unref (more);
  clear_offer (&offer);
  gst_memory_unref (memory);

  ck_assert (gst_memory_map (part, &map, GST_MAP_READ));
  ck_assert (map.size == 101 && map.data[0] == 1 && map.data[1] == 7 && map.data[100] == 2);
  gst_memory_unmap (part, &map);
  ck_assert (!gst_memory_map (part, &map, GST_MAP_WRITE)); /* shared with its parent */
  gst_memory_unref (part);
  ck_assert (gst_memory_map (copy, &map, GST_MAP_READ));
  ck_assert (map.size == 100000 - 600 && map.data[0] == 2 && map.data[1] == 7);
  gst_memory_unmap (copy, &map);
  ck_assert (!gst_memory_is_type (copy, MEMORY_TYPE));
  gst_memory_unref (copy);
}

TEST (test_allocation_params)
{
  static const gsize aligns[] = { 0, 7, 63, 4095, 65535 };
  g_auto (Offer) offer = { 0 };

  g_auto (Rig) rig = open_video ("", CAPS);
  ask (&rig, CAPS, &offer);
  for (guint i = 0; i < G_N_ELEMENTS (aligns) && offer.allocator != NULL; i++) {
    GstAllocationParams params = {
      .flags = GST_MEMORY_FLAG_ZERO_PREFIXED | GST_MEMORY_FLAG_ZERO_PADDED, .align = aligns[i], .prefix = 1024, .padding = 33
    };

    for (gsize size = 0; size < 300000; size = size * 3 + 1) {
      g_autoptr (GstMemory) memory = gst_allocator_alloc (offer.allocator, size, &params);
      gsize offset, max_size;
      GstMapInfo map;

      ck_assert (memory != NULL);
      ck_assert_uint_eq (gst_memory_get_sizes (memory, &offset, &max_size), size);
      ck_assert_uint_eq (offset, 1024);
      ck_assert_uint_ge (max_size, size + 1024 + 33);
      gst_memory_resize (memory, -1024, size + 1024 + 33);
      ck_assert (gst_memory_map (memory, &map, GST_MAP_READWRITE));
      ck_assert_uint_eq ((gsize)map.data & aligns[i], 0);
      for (gsize at = 0; at < 1024; at++)
        ck_assert_uint_eq (map.data[at], 0);
      for (gsize at = 1024 + size; at < map.size; at++)
        ck_assert_uint_eq (map.data[at], 0);
      memset (map.data, 0xff, map.size); /* the next allocation must not have these bytes */
      gst_memory_unmap (memory, &map);
    }
  }
}

/* The GPU fails with `auto`: the CPU counts the frames in flight in their memory, and more frames arrive. */
TEST (test_failed_device)
{
  const struct fakecuda *fake = is_on_gpu () ? fakecuda_find () : NULL;
  guint live = fake != NULL ? fake->live () : 0; /* in one process with others an element is kept alive */
  Offer offer;

  if (fake == NULL)
    return;
  fake->reset ();
  g_auto (Rig) rig = open_video ("backend=auto message-arrays=none", CAPS);
  gst_harness_set_drop_buffers (rig.harness, TRUE);
  ask (&rig, CAPS, &offer);
  ck_assert (offer.pool != NULL && gst_buffer_pool_set_active (offer.pool, TRUE));
  fake->fault_kernel (5);
  for (guint i = 0; i < FRAMES; i++) {
    GstBuffer *buffer;

    ck_assert_int_eq (gst_buffer_pool_acquire_buffer (offer.pool, &buffer, NULL), GST_FLOW_OK);
    gst_buffer_memset (buffer, 0, (guint8)i, offer.size);
    ck_assert_int_eq (gst_harness_push (rig.harness, buffer), GST_FLOW_OK);
  }
  push_eos (&rig);
  for (guint i = 0, warnings = 0; i < FRAMES; i++) {
    g_autoptr (GstMessage) message = pop_message (rig.bus);

    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING) {
      ck_assert_uint_eq (++warnings, 1);
      i--;
    } else {
      ck_assert_uint_eq (get_field_u64 (gst_message_get_structure (message), "frame"), i);
      ck_assert_uint_eq (get_field_u64 (gst_message_get_structure (message), "GRAY-sum"), (guint64)WIDTH * HEIGHT * i);
    }
  }
  gst_buffer_pool_set_active (offer.pool, FALSE);
  clear_offer (&offer);
  ask (&rig, CAPS, &offer);
  ck_assert (offer.pool == NULL); /* the CPU has no use for it */
  close_rig (&rig);
  ck_assert_msg (fake->live () == live, "%u objects of the driver are still alive", fake->live () - live);
  ck_assert_msg (fake->faults () == 0, "%s", fake->fault_text ());
  fake->reset ();
}

RIG_MAIN (NULL)
