/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "frame/pinner.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct _GstCudaHistoPinner {
  gatomicrefcount ref_count;
  struct histo_pinner *pinner; /* NULL: ordinary memory */
  gsize block_size;
  gpointer context;
  GDestroyNotify release_context; /* NULL: none */
  GMutex mutex;
  gsize pinned; /* bytes; this and the next under the mutex */
  gboolean is_retired;
  guint idle_count; /* the last returned block is last: its bytes are still in a cache */
  struct histo_block idle[GST_CUDA_HISTO_PINNER_IDLE];
};

static void
gst_cuda_histo_pinner_note_pinned (GstCudaHistoPinner *pinner, const struct histo_block *block, gboolean is_new)
{
  if (!block->is_pinned)
    return;
  g_mutex_lock (&pinner->mutex);
  if (is_new)
    pinner->pinned += block->size_bytes;
  else
    pinner->pinned -= block->size_bytes;
  g_mutex_unlock (&pinner->mutex);
}

static gboolean
gst_cuda_histo_pinner_allocate (GstCudaHistoPinner *pinner, gsize size, gboolean pins, struct histo_block *block)
{
  void *data = NULL;

  if (pinner->pinner != NULL && pins) {
    if (histo_pinner_alloc (pinner->pinner, size, block) != HISTO_OK)
      return FALSE;
    gst_cuda_histo_pinner_note_pinned (pinner, block, TRUE);
    return TRUE;
  }
  if (posix_memalign (&data, (size_t)sysconf (_SC_PAGESIZE), size) != 0)
    return FALSE;
  *block = (struct histo_block){ .data = data, .size_bytes = size };
  return TRUE;
}

static void
gst_cuda_histo_pinner_release (GstCudaHistoPinner *pinner, struct histo_block *block)
{
  gst_cuda_histo_pinner_note_pinned (pinner, block, FALSE);
  if (pinner->pinner != NULL)
    histo_pinner_free (pinner->pinner, block); /* also frees ordinary blocks */
  else
    free (block->data);
  *block = (struct histo_block){ 0 };
}

GstCudaHistoPinner *
gst_cuda_histo_pinner_new (struct histo_pinner *pinner, gsize block_size)
{
  GstCudaHistoPinner *self = g_new0 (GstCudaHistoPinner, 1);

  g_atomic_ref_count_init (&self->ref_count);
  g_mutex_init (&self->mutex);
  self->pinner = pinner;
  self->block_size = block_size;
  return self;
}

void
gst_cuda_histo_pinner_hold_context (GstCudaHistoPinner *pinner, gpointer context, GDestroyNotify release_context)
{
  pinner->context = context;
  pinner->release_context = release_context;
}

GstCudaHistoPinner *
gst_cuda_histo_pinner_ref (GstCudaHistoPinner *pinner)
{
  g_atomic_ref_count_inc (&pinner->ref_count);
  return pinner;
}

void
gst_cuda_histo_pinner_unref (GstCudaHistoPinner *pinner)
{
  if (!g_atomic_ref_count_dec (&pinner->ref_count))
    return;
  while (pinner->idle_count > 0)
    gst_cuda_histo_pinner_release (pinner, &pinner->idle[--pinner->idle_count]);
  histo_pinner_close (&pinner->pinner);
  if (pinner->release_context != NULL)
    pinner->release_context (pinner->context);
  g_mutex_clear (&pinner->mutex);
  g_free (pinner);
}

gsize
gst_cuda_histo_pinner_get_block_size (const GstCudaHistoPinner *pinner)
{
  return pinner->block_size;
}

void
gst_cuda_histo_pinner_retire (GstCudaHistoPinner *pinner)
{
  struct histo_block idle[GST_CUDA_HISTO_PINNER_IDLE];
  guint count;

  g_mutex_lock (&pinner->mutex);
  pinner->is_retired = TRUE;
  count = pinner->idle_count;
  pinner->idle_count = 0;
  memcpy (idle, pinner->idle, count * sizeof idle[0]);
  g_mutex_unlock (&pinner->mutex);
  while (count > 0)
    gst_cuda_histo_pinner_release (pinner, &idle[--count]);
}

gboolean
gst_cuda_histo_pinner_take (GstCudaHistoPinner *pinner, gsize size, struct histo_block *block)
{
  gboolean found = FALSE, pins;

  *block = (struct histo_block){ 0 };
  g_mutex_lock (&pinner->mutex);
  for (guint i = pinner->idle_count; i-- > 0 && !found;) {
    if (pinner->idle[i].size_bytes != size)
      continue;
    found = TRUE;
    *block = pinner->idle[i];
    pinner->idle_count--;
    memmove (&pinner->idle[i], &pinner->idle[i + 1], (pinner->idle_count - i) * sizeof pinner->idle[0]);
  }
  pins = pinner->pinned < GST_CUDA_HISTO_PINNER_LIMIT;
  g_mutex_unlock (&pinner->mutex);
  return found || gst_cuda_histo_pinner_allocate (pinner, size, pins, block);
}

void
gst_cuda_histo_pinner_give_back (GstCudaHistoPinner *pinner, struct histo_block *block)
{
  struct histo_block dropped = { 0 };

  if (block->data == NULL)
    return;
  g_mutex_lock (&pinner->mutex);
  if (pinner->is_retired) {
    dropped = *block;
  } else {
    if (pinner->idle_count == GST_CUDA_HISTO_PINNER_IDLE) {
      dropped = pinner->idle[0]; /* perhaps of a size that is no longer used */
      pinner->idle_count--;
      memmove (&pinner->idle[0], &pinner->idle[1], pinner->idle_count * sizeof pinner->idle[0]);
    }
    pinner->idle[pinner->idle_count++] = *block;
  }
  g_mutex_unlock (&pinner->mutex);
  *block = (struct histo_block){ 0 };
  if (dropped.data != NULL)
    gst_cuda_histo_pinner_release (pinner, &dropped);
}
