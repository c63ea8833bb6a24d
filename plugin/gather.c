/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gather.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What is in flight comes back at once. Memory that is given back to the system has to be cleared again. */
#define MAX_IDLE_BLOCKS 16

/* What a block and the gatherer share: blocks outlive the gatherer while their frames are in use. */
typedef struct {
  gint ref_count;
  GMutex mutex;
  guint idle_count; /* with `idle`, under the mutex */
  guint8 *idle[MAX_IDLE_BLOCKS];
} Pool;

typedef struct {
  Pool *pool;
  guint8 *data;
} Loan;

struct _GstCudaHistoGather {
  Pool *pool;
  guint8 *data; /* the block that is being filled; NULL: none yet */
  gsize used;   /* bytes in it, less than a block */
};

static Pool *
pool_ref (Pool *pool)
{
  g_atomic_int_inc (&pool->ref_count);
  return pool;
}

static void
pool_unref (Pool *pool)
{
  if (!g_atomic_int_dec_and_test (&pool->ref_count))
    return;
  while (pool->idle_count > 0)
    free (pool->idle[--pool->idle_count]);
  g_mutex_clear (&pool->mutex);
  g_free (pool);
}

/* NULL where there is no memory. */
static guint8 *
pool_take_block (Pool *pool)
{
  void *data = NULL;

  g_mutex_lock (&pool->mutex);
  if (pool->idle_count > 0)
    data = pool->idle[--pool->idle_count];
  g_mutex_unlock (&pool->mutex);

  if (data == NULL && posix_memalign (&data, (size_t)sysconf (_SC_PAGESIZE), GST_CUDA_HISTO_GATHER_BLOCK) != 0)
    return NULL;
  return data;
}

static void
pool_return_block (Pool *pool, guint8 *data)
{
  g_mutex_lock (&pool->mutex);
  if (pool->idle_count < MAX_IDLE_BLOCKS) {
    pool->idle[pool->idle_count++] = data;
    data = NULL;
  }
  g_mutex_unlock (&pool->mutex);
  free (data);
}

static void
return_loan (gpointer user_data)
{
  Loan *loan = user_data;

  pool_return_block (loan->pool, loan->data);
  pool_unref (loan->pool);
  g_free (loan);
}

GstCudaHistoGather *
gst_cuda_histo_gather_new (void)
{
  GstCudaHistoGather *gather = g_new0 (GstCudaHistoGather, 1);

  gather->pool = g_new0 (Pool, 1);
  gather->pool->ref_count = 1;
  g_mutex_init (&gather->pool->mutex);
  return gather;
}

void
gst_cuda_histo_gather_free (GstCudaHistoGather *gather)
{
  if (gather == NULL)
    return;
  free (gather->data);
  pool_unref (gather->pool);
  g_free (gather);
}

gsize
gst_cuda_histo_gather_room (GstCudaHistoGather *gather)
{
  if (gather->data == NULL)
    gather->data = pool_take_block (gather->pool);
  return gather->data != NULL ? GST_CUDA_HISTO_GATHER_BLOCK - gather->used : 0;
}

GstCudaHistoFrame *
gst_cuda_histo_gather_add (GstCudaHistoGather *gather, gconstpointer data, gsize size)
{
  gsize room = gst_cuda_histo_gather_room (gather);

  g_return_val_if_fail (size <= room, NULL);

  if (size == 0)
    return NULL;
  memcpy (gather->data + gather->used, data, size);
  gather->used += size;
  return gather->used == GST_CUDA_HISTO_GATHER_BLOCK ? gst_cuda_histo_gather_take (gather) : NULL;
}

GstCudaHistoFrame *
gst_cuda_histo_gather_take (GstCudaHistoGather *gather)
{
  Loan *loan;
  gsize size = gather->used;

  if (size == 0)
    return NULL;
  loan = g_new (Loan, 1);
  loan->pool = pool_ref (gather->pool);
  loan->data = gather->data;
  gather->data = NULL;
  gather->used = 0;
  return gst_cuda_histo_frame_wrap_bytes (loan->data, size, return_loan, loan);
}

void
gst_cuda_histo_gather_discard (GstCudaHistoGather *gather)
{
  gather->used = 0;
}
