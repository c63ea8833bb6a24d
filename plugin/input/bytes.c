/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "input/bytes.h"

#include "frame/allocator.h"

gboolean
gst_cuda_histo_bytes_borrow (GstCudaHistoBytes *bytes, GstMemory *memory)
{
  if (!gst_memory_map (memory, &bytes->map, GST_MAP_READ))
    return FALSE;
  bytes->data = bytes->map.data;
  bytes->size = bytes->map.size;
  bytes->block = NULL;
  bytes->is_ours = FALSE;
  bytes->is_borrowed = TRUE;
  bytes->buffer = NULL;
  bytes->memory = memory;
  return TRUE;
}

void
gst_cuda_histo_bytes_give_back (GstCudaHistoBytes *bytes)
{
  gst_memory_unmap (bytes->memory, &bytes->map);
}

gboolean
gst_cuda_histo_bytes_are_borrowed (const GstCudaHistoBytes *bytes)
{
  return bytes->is_borrowed;
}

GstCudaHistoBytes *
gst_cuda_histo_bytes_new (GstBuffer *buffer, GstMemory *memory, gboolean hold)
{
  GstCudaHistoBytes *bytes = g_new (GstCudaHistoBytes, 1);

  if (gst_cuda_histo_memory_is_ours (memory)) { /* same data as a mapping, without its cost */
    if (!gst_memory_lock (memory, GST_LOCK_FLAG_READ)) {
      g_free (bytes);
      return NULL;
    }
    bytes->is_ours = TRUE;
    bytes->data = gst_cuda_histo_memory_get_data (memory);
    bytes->size = memory->size;
    bytes->block = hold && buffer->pool == NULL ? gst_cuda_histo_memory_get_block (memory) : NULL;
  } else if (!gst_cuda_histo_bytes_borrow (bytes, memory)) {
    g_free (bytes);
    return NULL;
  }
  g_atomic_ref_count_init (&bytes->ref_count);
  bytes->is_borrowed = FALSE;
  bytes->buffer = bytes->block == NULL ? gst_buffer_ref (buffer) : NULL;
  bytes->memory = gst_memory_ref (memory);
  return bytes;
}

GstCudaHistoBytes *
gst_cuda_histo_bytes_ref (GstCudaHistoBytes *bytes)
{
  g_atomic_ref_count_inc (&bytes->ref_count);
  return bytes;
}

void
gst_cuda_histo_bytes_unref (gpointer data)
{
  GstCudaHistoBytes *bytes = data;

  if (!g_atomic_ref_count_dec (&bytes->ref_count))
    return;
  if (bytes->is_ours)
    gst_memory_unlock (bytes->memory, GST_LOCK_FLAG_READ);
  else
    gst_memory_unmap (bytes->memory, &bytes->map);
  gst_memory_unref (bytes->memory);
  gst_clear_buffer (&bytes->buffer);
  g_free (bytes);
}

GstCudaHistoFrame *
gst_cuda_histo_bytes_get_frame (GstCudaHistoBytes *bytes, gsize offset, gsize size)
{
  g_return_val_if_fail (offset <= bytes->size && size <= bytes->size - offset, NULL);

  return gst_cuda_histo_frame_wrap_bytes (bytes->data + offset, size, gst_cuda_histo_bytes_unref,
                                          gst_cuda_histo_bytes_ref (bytes));
}
