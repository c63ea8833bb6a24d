/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "countbuffer.h"

#include "counting.h"
#include "frame/allocator.h"
#include "gstcudahistoprivate.h"
#include "input/bytes.h"

#define MAX_MEMORIES 16 /* limit of memories that are read separately; more are merged */

static void
gst_cuda_histo_fail_for_memory (GstCudaHisto *self)
{
  gst_cuda_histo_fail (&self->host, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT,
                       g_strdup ("Cannot copy bytes for counting: memory is exhausted."), NULL);
}

/* Copies a piece into the block. FALSE after a failure. */
static gboolean
gst_cuda_histo_copy_piece (GstCudaHisto *self, const guint8 *data, gsize size)
{
  while (size > 0) {
    gsize part = MIN (size, gst_cuda_histo_gather_get_remaining (self->gather));
    GstCudaHistoFrame *gathered;

    if (part == 0) {
      gst_cuda_histo_fail_for_memory (self);
      return FALSE;
    }
    gathered = gst_cuda_histo_gather_add (self->gather, data, part);
    data += part;
    size -= part;
    if (!gst_cuda_histo_count_gathered (self, gathered))
      return FALSE;
  }
  return TRUE;
}

/* Counts bytes [offset, offset + size), at least one. FALSE after a failure. */
static gboolean
gst_cuda_histo_count_piece (GstCudaHisto *self, GstCudaHistoBytes *bytes, gsize offset, gsize size)
{
  /* If each buffer is a window, there are no other bytes to gather with. */
  if (self->windows.window.mode != GST_CUDA_HISTO_WINDOW_BUFFER || gst_cuda_histo_bytes_are_borrowed (bytes)) {
    if (!gst_cuda_histo_gather_can_extend (self->gather, bytes, offset)
        && !gst_cuda_histo_count_gathered (self, gst_cuda_histo_gather_end_run (self->gather)))
      return FALSE;
    if (gst_cuda_histo_gather_can_extend (self->gather, bytes, offset))
      return gst_cuda_histo_count_gathered (self, gst_cuda_histo_gather_extend (self->gather, bytes, offset, size));
    if (size <= GST_CUDA_HISTO_GATHER_LIMIT)
      return gst_cuda_histo_copy_piece (self, bytes->data + offset, size);
  }
  return gst_cuda_histo_flush_gathered (self)
         && gst_cuda_histo_count_picture (self, gst_cuda_histo_bytes_get_frame (bytes, offset, size), 0);
}

/* Counts the mapped memories of a buffer of `total` bytes. FALSE after a failure. */
static gboolean
gst_cuda_histo_count_memories (GstCudaHisto *self, GstCudaHistoBytes *const *memories, guint count, guint64 total,
                               const GstCudaHistoPosition *position, gboolean *closed)
{
  GstCudaHistoPosition piece = *position;
  const gint breaks = g_atomic_int_get (&self->host.breaks);
  guint64 done = 0;
  gboolean succeeded;

  for (guint i = 0; i < count; i++) {
    for (gsize offset = 0; offset < memories[i]->size;) {
      gsize size = (gsize)gst_cuda_histo_window_take (&self->windows.window, memories[i]->size - offset);
      gboolean starts_buffer = done == 0;
      gboolean ends_buffer = done + size == total;
      gboolean had_partial_buffer = self->windows.has_partial_buffer;

      piece.offset = position->offset + done;
      /* While the window lacks the bytes: a handler of a message may stop the element, which closes the window. */
      self->windows.has_partial_buffer |= self->windows.window.is_open;
      succeeded = gst_cuda_histo_count_piece (self, memories[i], offset, size);
      if (gst_cuda_histo_was_interrupted (self, breaks))
        return TRUE;
      if (succeeded) {
        self->windows.has_partial_buffer = had_partial_buffer;
        succeeded = gst_cuda_histo_add_to_window (self, &piece, size, starts_buffer, ends_buffer, closed);
        if (gst_cuda_histo_was_interrupted (self, breaks))
          return TRUE;
      }
      if (!succeeded) {
        self->windows.has_partial_buffer = self->buffer.is_unaccounted && self->windows.window.is_open;
        return FALSE;
      }
      done += size;
      offset += size;
    }
  }
  if (total > 0)
    return TRUE;

  gst_cuda_histo_operands_forget (&self->operands);
  return gst_cuda_histo_add_to_window (self, &piece, 0, TRUE, TRUE, closed);
}

/* Whether a buffer is copied into the block and not kept. Most small ones are: keeping them costs as much as counting. */
static gboolean
gst_cuda_histo_copies_buffer (GstCudaHisto *self, GstBuffer *buffer)
{
  GstMemory *memory;

  if (self->chosen.has_previous || gst_buffer_n_memory (buffer) != 1)
    return FALSE;
  memory = gst_buffer_peek_memory (buffer, 0);
  if (memory->size > GST_CUDA_HISTO_GATHER_LIMIT)
    return FALSE;
  return (self->windows.window.mode != GST_CUDA_HISTO_WINDOW_BUFFER && !gst_cuda_histo_memory_is_ours (memory))
         || !self->buffer.holds_buffers;
}

gboolean
gst_cuda_histo_count_bytes (GstCudaHisto *self, GstBuffer *buffer, gboolean *closed)
{
  const gboolean copies = gst_cuda_histo_copies_buffer (self, buffer);
  const gboolean hold = !copies && self->buffer.holds_buffers;
  GstCudaHistoBytes borrowed, *memories[MAX_MEMORIES];
  GstMemory *merged = NULL;
  guint count = gst_buffer_n_memory (buffer);
  guint mapped = 0;
  guint64 total = 0;
  gboolean succeeded = TRUE;
  GstCudaHistoPosition position;

  gst_cuda_histo_begin_frame (self, &position);
  /* A buffer with an operand is one piece, since the operand's pieces may differ. */
  if (count > (self->chosen.has_previous ? 1 : MAX_MEMORIES)) {
    merged = gst_buffer_get_all_memory (buffer);
    count = merged != NULL ? 1 : 0;
  }
  /* Maps all before counting any: a buffer is counted as a whole or not at all. */
  if (copies && gst_cuda_histo_bytes_borrow (&borrowed, gst_buffer_peek_memory (buffer, 0))) {
    memories[mapped++] = &borrowed;
    total = borrowed.size;
  }
  while (!copies && mapped < count) {
    memories[mapped]
        = gst_cuda_histo_bytes_new (buffer, merged != NULL ? merged : gst_buffer_peek_memory (buffer, mapped), hold);
    if (memories[mapped] == NULL)
      break;
    total += memories[mapped++]->size;
  }

  if (GST_BASE_TRANSFORM_CAST (self)->segment.format == GST_FORMAT_BYTES && GST_BUFFER_OFFSET_IS_VALID (buffer))
    self->stream.next_offset = GST_BUFFER_OFFSET (buffer);
  position.offset = self->stream.next_offset;
  self->stream.next_offset += gst_buffer_get_size (buffer);

  if (mapped == count && (count > 0 || gst_buffer_n_memory (buffer) == 0))
    succeeded = gst_cuda_histo_count_memories (self, memories, count, total, &position, closed);
  else
    gst_cuda_histo_skip (self, g_error_new (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_READ,
                                            "cannot read a buffer of %" G_GSIZE_FORMAT " bytes", gst_buffer_get_size (buffer)));

  if (copies && mapped > 0)
    gst_cuda_histo_bytes_give_back (memories[--mapped]);
  while (mapped > 0)
    gst_cuda_histo_bytes_unref (memories[--mapped]);
  if (merged != NULL)
    gst_memory_unref (merged);
  return succeeded;
}
