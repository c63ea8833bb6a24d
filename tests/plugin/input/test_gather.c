/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Gathering: each byte once and in order; blocks return, on any thread. */

#include <errno.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cases.h"
#include "frame/allocator.h"
#include "input/gather.h"

#define BLOCK GST_CUDA_HISTO_GPU_BLOCK
#define SMALLEST (GST_CUDA_HISTO_GATHER_COPIED + 1) /* of the allocator's own memories */

static gboolean no_memory;
static guint allocations;

/* Replaces the C library's function, so that allocation of a block can fail. */
int
posix_memalign (void **memory, size_t alignment, size_t size)
{
  size_t rounded = (size + alignment - 1) / alignment * alignment; /* as the address sanitizer requires */
  void *data = size == BLOCK && no_memory ? NULL : aligned_alloc (alignment, rounded);

  if (data == NULL)
    return ENOMEM;
  g_atomic_int_inc (&allocations);
  *memory = data;
  return 0;
}

static void
check_run (const GstCudaHistoFrame *frame, gsize size)
{
  fail_unless (frame != NULL);
  fail_unless_equals_uint64 (frame->size, size);
  fail_unless_equals_uint64 (frame->frame.components[0].width, size);
}

static GstCudaHistoGather *
new_gather (void)
{
  g_autoptr (GstCudaHistoPinner) pinner = gst_cuda_histo_pinner_new (NULL, BLOCK);

  return gst_cuda_histo_gather_new (pinner);
}

static const guint8 *
get_data (const GstCudaHistoFrame *frame)
{
  return frame->frame.planes[0].data;
}

static void
check_frame (const GstCudaHistoFrame *frame, gsize size)
{
  fail_unless (frame != NULL);
  fail_unless_equals_uint64 (frame->size, size);
  fail_unless_equals_int (frame->frame.plane_count, 1);
  fail_unless_equals_int (frame->frame.planes[0].height, 1);
  fail_unless_equals_int (frame->frame.component_count, 1);
  fail_unless_equals_uint64 (frame->frame.components[0].width, size);
  fail_unless_equals_uint64 ((gsize)get_data (frame) % (gsize)sysconf (_SC_PAGESIZE), 0);
}

TEST (test_empty)
{
  g_autoptr (GstCudaHistoGather) gather = new_gather ();

  fail_unless_equals_uint64 (gst_cuda_histo_gather_get_remaining (gather), BLOCK);
  fail_unless (gst_cuda_histo_gather_take (gather) == NULL);
  fail_unless (gst_cuda_histo_gather_add (gather, "", 0) == NULL);
  fail_unless (gst_cuda_histo_gather_take (gather) == NULL);
  gst_cuda_histo_gather_discard (gather);
  gst_cuda_histo_gather_free (NULL);
}

TEST (test_take_and_discard)
{
  GstCudaHistoGather *gather = new_gather ();
  g_autoptr (GstCudaHistoFrame) frame = NULL;

  fail_unless (gst_cuda_histo_gather_add (gather, "abc", 3) == NULL);
  fail_unless (gst_cuda_histo_gather_add (gather, "defgh", 5) == NULL);
  fail_unless_equals_uint64 (gst_cuda_histo_gather_get_remaining (gather), BLOCK - 8);
  frame = gst_cuda_histo_gather_take (gather);
  check_frame (frame, 8);
  fail_unless (memcmp (get_data (frame), "abcdefgh", 8) == 0);
  fail_unless (gst_cuda_histo_gather_take (gather) == NULL);
  fail_unless_equals_uint64 (gst_cuda_histo_gather_get_remaining (gather), BLOCK);

  gst_cuda_histo_gather_add (gather, "lost", 4);
  gst_cuda_histo_gather_discard (gather);
  fail_unless_equals_uint64 (gst_cuda_histo_gather_get_remaining (gather), BLOCK);
  fail_unless (gst_cuda_histo_gather_take (gather) == NULL);
  gst_cuda_histo_gather_add (gather, "ij", 2);

  /* The frame does not depend on later data or on the gatherer's lifetime. */
  fail_unless (memcmp (get_data (frame), "abcdefgh", 8) == 0);
  gst_cuda_histo_gather_free (gather);
  fail_unless (memcmp (get_data (frame), "abcdefgh", 8) == 0);
}

TEST (test_full_block)
{
  g_autoptr (GstCudaHistoGather) gather = new_gather ();
  g_autofree guint8 *piece = g_malloc (BLOCK);
  GstCudaHistoFrame *frame = NULL;
  guint pieces = 0;

  memset (piece, 'x', BLOCK);
  for (; frame == NULL; pieces++) {
    piece[0] = (guint8)pieces;
    frame = gst_cuda_histo_gather_add (gather, piece, 4096);
  }
  fail_unless_equals_int (pieces, BLOCK / 4096);
  check_frame (frame, BLOCK);
  for (guint i = 0; i < pieces; i++) {
    fail_unless_equals_int (get_data (frame)[i * 4096], i % 256);
    fail_unless_equals_int (get_data (frame)[i * 4096 + 4095], 'x');
  }
  fail_unless_equals_uint64 (gst_cuda_histo_gather_get_remaining (gather), BLOCK);
  gst_cuda_histo_frame_unref (frame);

  frame = gst_cuda_histo_gather_add (gather, piece, BLOCK);
  check_frame (frame, BLOCK);
  gst_cuda_histo_frame_unref (frame);
}

TEST (test_no_memory)
{
  g_autoptr (GstCudaHistoGather) gather = new_gather ();
  GstCudaHistoFrame *frame;

  no_memory = TRUE;
  fail_unless_equals_uint64 (gst_cuda_histo_gather_get_remaining (gather), 0);
  fail_unless (gst_cuda_histo_gather_take (gather) == NULL);
  no_memory = FALSE;
  fail_unless_equals_uint64 (gst_cuda_histo_gather_get_remaining (gather), BLOCK);
  fail_unless (gst_cuda_histo_gather_add (gather, "abc", 3) == NULL);

  /* Gathered bytes are not lost. */
  no_memory = TRUE;
  fail_unless (gst_cuda_histo_gather_add (gather, "de", 2) == NULL);
  frame = gst_cuda_histo_gather_take (gather);
  check_frame (frame, 5);
  fail_unless (memcmp (get_data (frame), "abcde", 5) == 0);
  fail_unless_equals_uint64 (gst_cuda_histo_gather_get_remaining (gather), 0);
  gst_cuda_histo_frame_unref (frame);
  fail_unless_equals_uint64 (gst_cuda_histo_gather_get_remaining (gather), BLOCK); /* the same again */
  no_memory = FALSE;
}

static GstCudaHistoFrame *
take_one (GstCudaHistoGather *gather)
{
  gst_cuda_histo_gather_add (gather, "x", 1);
  return gst_cuda_histo_gather_take (gather);
}

TEST (test_blocks_come_back)
{
  g_autoptr (GstCudaHistoGather) gather = new_gather ();
  GstCudaHistoFrame *frames[3];
  const guint8 *blocks[3];

  for (guint i = 0; i < 3; i++) {
    frames[i] = take_one (gather);
    blocks[i] = get_data (frames[i]);
  }
  fail_unless (blocks[0] != blocks[1] && blocks[1] != blocks[2] && blocks[0] != blocks[2]);

  /* Only the last reference returns a block. */
  gst_cuda_histo_frame_ref (frames[1]);
  gst_cuda_histo_frame_unref (frames[1]);
  fail_unless_equals_int (get_data (frames[1])[0], 'x');
  gst_cuda_histo_frame_unref (frames[1]);
  frames[1] = take_one (gather);
  fail_unless (get_data (frames[1]) == blocks[1]);

  for (guint round = 0; round < 1000; round++) {
    GstCudaHistoFrame *next;

    gst_cuda_histo_frame_unref (frames[round % 3]);
    next = take_one (gather);
    frames[round % 3] = next;
    fail_unless (get_data (next) == blocks[0] || get_data (next) == blocks[1] || get_data (next) == blocks[2]);
  }
  for (guint i = 0; i < 3; i++)
    gst_cuda_histo_frame_unref (frames[i]);
}

/* A returned block keeps its bytes; new memory is all 0. */
TEST (test_blocks_are_not_allocated_anew)
{
  g_autoptr (GstCudaHistoGather) gather = new_gather ();
  g_autofree guint8 *piece = g_malloc (BLOCK);
  g_autoptr (GstCudaHistoFrame) frame = NULL;

#ifdef __GLIBC__
  mallopt (M_MMAP_THRESHOLD, BLOCK / 2); /* free() gives blocks back to the system at once */
#endif
  memset (piece, 'x', BLOCK);
  gst_cuda_histo_frame_unref (gst_cuda_histo_gather_add (gather, piece, BLOCK));
  frame = take_one (gather);
  fail_unless_equals_int (get_data (frame)[BLOCK - 1], 'x');
}

static guint64
get_resident_bytes (void)
{
  guint64 pages = 0;
  g_autofree gchar *text = NULL;

  if (g_file_get_contents ("/proc/self/statm", &text, NULL, NULL))
    sscanf (text, "%*u %" G_GUINT64_FORMAT, &pages);
  return pages * (guint64)sysconf (_SC_PAGESIZE);
}

TEST (test_idle_blocks_are_few)
{
  g_autoptr (GstCudaHistoGather) gather = new_gather ();
  g_autofree guint8 *piece = g_malloc0 (BLOCK);
  GstCudaHistoFrame *frames[200];
  guint64 before = get_resident_bytes ();
  guint64 during, after;

  for (guint i = 0; i < G_N_ELEMENTS (frames); i++)
    frames[i] = gst_cuda_histo_gather_add (gather, piece, BLOCK);
  during = get_resident_bytes ();
  for (guint i = 0; i < G_N_ELEMENTS (frames); i++)
    gst_cuda_histo_frame_unref (frames[i]);
  after = get_resident_bytes ();

  if (before == 0 || during < before + 150 * (guint64)BLOCK || TEST_IS_SANITIZED)
    g_print ("Memory in use cannot be measured here: not checked\n");
  else
    fail_unless (after < before + 20 * (guint64)BLOCK, "%" G_GUINT64_FORMAT " bytes were kept", after - before);
}

/* Takes frames from a queue, checks their bytes and frees them. */
static gpointer
consume (gpointer user_data)
{
  GAsyncQueue *queue = user_data;
  GstCudaHistoFrame *frame;
  guint wrong = 0;

  while ((frame = g_async_queue_pop (queue))->size > 1) {
    const guint8 *data = get_data (frame);

    for (guint64 i = 0; i < frame->size; i++)
      wrong += data[i] != data[0];
    gst_cuda_histo_frame_unref (frame);
  }
  gst_cuda_histo_frame_unref (frame);
  return GUINT_TO_POINTER (wrong);
}

/* A retired pinner keeps no returned block. */
TEST (test_retired)
{
  g_autoptr (GstCudaHistoPinner) pinner = gst_cuda_histo_pinner_new (NULL, BLOCK);
  struct histo_block blocks[2], again;
  gconstpointer first;
  guint count;

  for (guint i = 0; i < 2; i++)
    ck_assert (gst_cuda_histo_pinner_take (pinner, BLOCK, &blocks[i]));
  first = blocks[0].data;
  gst_cuda_histo_pinner_give_back (pinner, &blocks[0]);
  ck_assert (gst_cuda_histo_pinner_take (pinner, BLOCK, &again) && again.data == first);
  gst_cuda_histo_pinner_give_back (pinner, &again);
  gst_cuda_histo_pinner_retire (pinner);
  memset (blocks[1].data, 7, BLOCK); /* still there */
  gst_cuda_histo_pinner_give_back (pinner, &blocks[1]);
  ck_assert (blocks[1].data == NULL);
  count = allocations;
  ck_assert (gst_cuda_histo_pinner_take (pinner, BLOCK, &again));
  ck_assert_uint_eq (allocations, count + 1);
  gst_cuda_histo_pinner_give_back (pinner, &again);
}

TEST (test_threads)
{
  GstCudaHistoGather *gather = new_gather ();
  g_autoptr (GAsyncQueue) queue = g_async_queue_new ();
  GThread *threads[3];
  guint8 piece[1000];

  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("consume", consume, queue);
  for (guint i = 0; i < 2000; i++) {
    memset (piece, (gint)(i % 256), sizeof piece);
    for (guint n = 0; n < 4; n++)
      gst_cuda_histo_gather_add (gather, piece, sizeof piece);
    g_async_queue_push (queue, gst_cuda_histo_gather_take (gather));
  }
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_async_queue_push (queue, take_one (gather));
  gst_cuda_histo_gather_free (gather);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    fail_unless_equals_int (GPOINTER_TO_UINT (g_thread_join (threads[i])), 0);
}

/* ---- memory that is used in place ------------------------------------------------------------------------------------- */

static GstAllocator *
new_allocator (void)
{
  g_autoptr (GstCudaHistoPinner) pinner = gst_cuda_histo_pinner_new (NULL, BLOCK);

  return gst_cuda_histo_allocator_new (pinner, GST_CUDA_HISTO_GATHER_COPIED);
}

/* A memory of `size` bytes, all `value`. */
static GstMemory *
new_memory (GstAllocator *allocator, gsize size, gint value)
{
  GstMemory *memory = gst_allocator_alloc (allocator, size, NULL);
  GstMapInfo map;

  fail_unless (memory != NULL && gst_memory_map (memory, &map, GST_MAP_WRITE));
  memset (map.data, value, size);
  gst_memory_unmap (memory, &map);
  fail_unless (gst_cuda_histo_memory_is_ours (memory));
  return memory;
}

/* In a buffer without a pool, which has only this memory. */
static GstCudaHistoBytes *
new_bytes (GstMemory *memory)
{
  g_autoptr (GstBuffer) buffer = gst_buffer_new ();
  GstCudaHistoBytes *bytes;

  gst_buffer_append_memory (buffer, gst_memory_ref (memory));
  bytes = gst_cuda_histo_bytes_new (buffer, memory, TRUE);
  fail_unless (bytes != NULL);
  return bytes;
}

static gboolean
can_extend (GstCudaHistoGather *gather, GstMemory *memory)
{
  GstCudaHistoBytes *bytes = new_bytes (memory);
  gboolean can = gst_cuda_histo_gather_can_extend (gather, bytes, 0);

  gst_cuda_histo_bytes_unref (bytes);
  return can;
}

static GstCudaHistoFrame *
extend (GstCudaHistoGather *gather, GstMemory *memory)
{
  GstCudaHistoBytes *bytes = new_bytes (memory);
  GstCudaHistoFrame *frame;

  fail_unless (gst_cuda_histo_gather_can_extend (gather, bytes, 0));
  frame = gst_cuda_histo_gather_extend (gather, bytes, 0, memory->size);
  gst_cuda_histo_bytes_unref (bytes);
  return frame;
}

/* Consecutive allocations are one piece until the block is full. */
TEST (test_runs)
{
  g_autoptr (GstAllocator) allocator = new_allocator ();
  g_autoptr (GstCudaHistoGather) gather = new_gather ();

  for (guint round = 0; round < 40; round++) {
    g_autoptr (GstCudaHistoFrame) frame = NULL;
    guint count = 0;

    for (; frame == NULL; count++) {
      g_autoptr (GstMemory) memory = new_memory (allocator, 65536, (gint)count);

      frame = extend (gather, memory);
    }
    fail_unless_equals_int (count, BLOCK / 65536);
    check_frame (frame, BLOCK);
    for (guint i = 0; i < count; i++)
      fail_unless (get_data (frame)[i * 65536] == i && get_data (frame)[i * 65536 + 65535] == i);
  }
  fail_unless (gst_cuda_histo_gather_take (gather) == NULL);
}

TEST (test_runs_end)
{
  g_autoptr (GstAllocator) allocator = new_allocator ();
  g_autoptr (GstCudaHistoGather) gather = new_gather ();
  GstMemory *memories[4];
  GstCudaHistoFrame *frame;

  for (guint i = 0; i < 4; i++)
    memories[i] = new_memory (allocator, i == 2 ? BLOCK : 20008 + 8 * (i % 2), (gint)i);
  /* Two neighbours with a gap: the first's size is not a multiple of 16. */
  fail_unless (extend (gather, memories[0]) == NULL);
  fail_unless (!can_extend (gather, memories[1]));
  frame = gst_cuda_histo_gather_take (gather);
  check_run (frame, 20008);
  gst_cuda_histo_frame_unref (frame);
  /* And two that are. */
  fail_unless (extend (gather, memories[1]) == NULL);
  fail_unless (extend (gather, memories[3]) == NULL);
  frame = gst_cuda_histo_gather_take (gather);
  check_run (frame, 2 * 20016);
  fail_unless (get_data (frame)[20015] == 1 && get_data (frame)[20016] == 3);
  gst_cuda_histo_frame_unref (frame);
  /* A large memory has its own block. */
  fail_unless (extend (gather, memories[3]) == NULL);
  fail_unless (!can_extend (gather, memories[2]));
  gst_cuda_histo_gather_discard (gather);
  frame = extend (gather, memories[2]);
  check_run (frame, BLOCK);
  gst_cuda_histo_frame_unref (frame);
  /* Copied bytes and bytes in place are not mixed. */
  gst_cuda_histo_gather_add (gather, "abc", 3);
  fail_unless (!can_extend (gather, memories[0]));
  gst_cuda_histo_gather_discard (gather);
  fail_unless (can_extend (gather, memories[0]));

  for (guint i = 0; i < 4; i++)
    gst_memory_unref (memories[i]);
}

/* While a memory is in a frame, or waits for one, it cannot be written to. It outlives all its users. */
TEST (test_runs_are_locked)
{
  GstAllocator *allocator = new_allocator ();
  GstCudaHistoGather *gather = new_gather ();
  GstMemory *memory = new_memory (allocator, 20000, 7);
  g_autoptr (GstMemory) again = gst_memory_ref (memory);
  GstCudaHistoFrame *frame;
  GstMapInfo map;

  extend (gather, memory);
  fail_unless (!gst_memory_map (memory, &map, GST_MAP_WRITE));
  frame = gst_cuda_histo_gather_take (gather);
  fail_unless (!gst_memory_map (memory, &map, GST_MAP_WRITE));
  fail_unless (gst_memory_map (memory, &map, GST_MAP_READ));
  gst_memory_unmap (memory, &map);
  gst_memory_unref (memory);
  gst_object_unref (allocator);
  gst_cuda_histo_gather_free (gather);
  fail_unless (get_data (frame)[19999] == 7);
  gst_cuda_histo_frame_unref (frame);
  fail_unless (gst_memory_map (again, &map, GST_MAP_WRITE));
  gst_memory_unmap (again, &map);
}

/* A short run is copied at its end, with all bytes until the block is taken. A long run is a frame. */
TEST (test_ends_of_runs)
{
  g_autoptr (GstAllocator) allocator = new_allocator ();
  GstCudaHistoGather *gather = new_gather ();
  g_autoptr (GstMemory) first = new_memory (allocator, 20000, 1), apart = new_memory (allocator, 20000, 2);
  g_autoptr (GstMemory) large = new_memory (allocator, GST_CUDA_HISTO_GATHER_LIMIT + 1, 3);
  GstCudaHistoFrame *frame;

  fail_unless (gst_cuda_histo_gather_end_run (gather) == NULL);
  extend (gather, first);
  fail_unless (gst_cuda_histo_gather_end_run (gather) == NULL);
  fail_unless (!can_extend (gather, apart));
  fail_unless_equals_uint64 (gst_cuda_histo_gather_get_remaining (gather), BLOCK - 20000);
  gst_cuda_histo_gather_add (gather, gst_cuda_histo_memory_get_data (apart), 20000);
  frame = gst_cuda_histo_gather_take (gather);
  check_frame (frame, 40000);
  fail_unless (get_data (frame)[0] == 1 && get_data (frame)[19999] == 1 && get_data (frame)[20000] == 2);
  gst_cuda_histo_frame_unref (frame);
  /* With the next block, runs are held again. */
  fail_unless (can_extend (gather, apart));

  extend (gather, large);
  frame = gst_cuda_histo_gather_end_run (gather);
  check_run (frame, GST_CUDA_HISTO_GATHER_LIMIT + 1);
  fail_unless (get_data (frame) == gst_cuda_histo_memory_get_data (large));
  gst_cuda_histo_frame_unref (frame);
  fail_unless (can_extend (gather, first));

  /* Discarded bytes do not return. */
  extend (gather, first);
  gst_cuda_histo_gather_end_run (gather);
  gst_cuda_histo_gather_discard (gather);
  fail_unless (gst_cuda_histo_gather_take (gather) == NULL && can_extend (gather, first));

  /* Without memory for a block the run is a frame, however short. */
  gst_cuda_histo_gather_free (gather);
  gather = new_gather ();
  no_memory = TRUE;
  extend (gather, first);
  frame = gst_cuda_histo_gather_end_run (gather);
  no_memory = FALSE;
  check_run (frame, 20000);
  gst_cuda_histo_frame_unref (frame);
  gst_cuda_histo_gather_free (gather);
}

/* A buffer of a pool is not held until others arrive, and does not return to the pool while it is counted. */
TEST (test_pools)
{
  GstAllocator *allocators[] = { new_allocator (), gst_allocator_find (NULL) };

  for (guint i = 0; i < G_N_ELEMENTS (allocators); i++) {
    GstCudaHistoGather *gather = new_gather ();
    GstBufferPool *pool = gst_buffer_pool_new ();
    GstStructure *config = gst_buffer_pool_get_config (pool);
    GstBufferPoolAcquireParams at_once = { .flags = GST_BUFFER_POOL_ACQUIRE_FLAG_DONTWAIT };
    GstCudaHistoBytes *bytes;
    GstCudaHistoFrame *frame;
    GstBuffer *buffer;

    gst_buffer_pool_config_set_params (config, NULL, 4096, 1, 1);
    gst_buffer_pool_config_set_allocator (config, allocators[i], NULL);
    fail_unless (gst_buffer_pool_set_config (pool, config) && gst_buffer_pool_set_active (pool, TRUE));
    fail_unless (gst_buffer_pool_acquire_buffer (pool, &buffer, &at_once) == GST_FLOW_OK);
    bytes = gst_cuda_histo_bytes_new (buffer, gst_buffer_peek_memory (buffer, 0), TRUE);
    gst_buffer_unref (buffer);
    fail_unless (!gst_cuda_histo_gather_can_extend (gather, bytes, 0));
    frame = gst_cuda_histo_bytes_get_frame (bytes, 96, 4000);
    check_run (frame, 4000);
    fail_unless (get_data (frame) == bytes->data + 96);
    gst_cuda_histo_bytes_unref (bytes);
    fail_unless (gst_buffer_pool_acquire_buffer (pool, &buffer, &at_once) == GST_FLOW_EOS);
    gst_cuda_histo_frame_unref (frame);
    fail_unless (gst_buffer_pool_acquire_buffer (pool, &buffer, &at_once) == GST_FLOW_OK);
    gst_buffer_unref (buffer);
    gst_buffer_pool_set_active (pool, FALSE);
    gst_object_unref (pool);
    gst_cuda_histo_gather_free (gather);
    gst_object_unref (allocators[i]);
  }
}

/* A memory can be in more frames and pieces than its lock count allows. */
TEST (test_many_pieces)
{
  GstAllocator *allocators[] = { new_allocator (), gst_allocator_find (NULL) };

  for (guint i = 0; i < G_N_ELEMENTS (allocators); i++) {
    GstCudaHistoGather *gather = new_gather ();
    g_autoptr (GstMemory) memory = gst_allocator_alloc (allocators[i], 20000, NULL);
    GstCudaHistoBytes *bytes = new_bytes (memory);
    GstCudaHistoFrame *frames[1000];
    GstMapInfo map;

    for (guint at = 0; at < 1000; at++) {
      frames[at] = gst_cuda_histo_bytes_get_frame (bytes, at, 1);
      if (i == 0)
        gst_cuda_histo_gather_extend (gather, bytes, at, 1);
    }
    gst_cuda_histo_bytes_unref (bytes);
    fail_unless (!gst_memory_map (memory, &map, GST_MAP_WRITE));
    for (guint at = 0; at < 1000; at++)
      gst_cuda_histo_frame_unref (frames[at]);
    gst_cuda_histo_gather_free (gather);
    fail_unless (gst_memory_map (memory, &map, GST_MAP_WRITE));
    gst_memory_unmap (memory, &map);
    gst_object_unref (allocators[i]);
  }
}

/* Bytes that are copied anyway get ordinary memory with the required alignment. */
TEST (test_small_memories)
{
  GstAllocationParams params = { 0, 255, 8, 16, { NULL } };
  g_autoptr (GstAllocator) allocator = new_allocator ();
  g_autoptr (GstCudaHistoGather) gather = new_gather ();

  for (guint i = 0; i < 3; i++) {
    const gsize sizes[] = { 1, GST_CUDA_HISTO_GATHER_COPIED - 24, GST_CUDA_HISTO_GATHER_COPIED - 23 };
    g_autoptr (GstMemory) memory = gst_allocator_alloc (allocator, sizes[i], &params);
    GstMapInfo map;

    fail_unless (memory != NULL && gst_memory_map (memory, &map, GST_MAP_READWRITE));
    fail_unless_equals_uint64 (map.size, sizes[i]);
    fail_unless_equals_uint64 (((gsize)map.data - params.prefix) % 256, 0);
    gst_memory_unmap (memory, &map);
    fail_unless (gst_cuda_histo_memory_is_ours (memory) == (i == 2));
    fail_unless (can_extend (gather, memory) == (i == 2));
  }
}

TEST (test_no_memory_to_cut)
{
  g_autoptr (GstAllocator) allocator = new_allocator ();
  GstMemory *memory;

  no_memory = TRUE;
  fail_unless (gst_allocator_alloc (allocator, SMALLEST, NULL) == NULL);
  fail_unless (gst_allocator_alloc (allocator, BLOCK, NULL) == NULL);
  no_memory = FALSE;
  memory = new_memory (allocator, SMALLEST, 1);
  gst_memory_unref (memory);
  fail_unless (gst_allocator_alloc (allocator, G_MAXSIZE - 8, NULL) == NULL);
}

/* All memory is held and none returned: none is overwritten or lost. */
TEST (test_hoarder)
{
  g_autoptr (GstAllocator) allocator = new_allocator ();
  GstMemory *memories[500];
  guint wrong = 0;

  for (guint i = 0; i < G_N_ELEMENTS (memories); i++)
    memories[i] = new_memory (allocator, SMALLEST + i * 97 % 20000, (gint)(i % 251));
  for (guint i = 0; i < G_N_ELEMENTS (memories); i++) {
    const guint8 *data = gst_cuda_histo_memory_get_data (memories[i]);

    fail_unless_equals_uint64 ((gsize)data % 16, 0);
    for (gsize at = 0; at < memories[i]->size; at++)
      wrong += data[at] != i % 251;
    gst_memory_unref (memories[i]);
  }
  fail_unless_equals_int (wrong, 0);
}

TEST_MAIN
