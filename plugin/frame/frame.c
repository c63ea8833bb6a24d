/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "frame/frame.h"

#include <stdatomic.h>
#include <string.h>

#define COPY_ALIGNMENT 256 /* bytes; alignment that affects copies and loads of a GPU */

void
gst_cuda_histo_frame_init (GstCudaHistoFrame *frame)
{
  static _Atomic guint64 last_id;

  g_atomic_ref_count_init (&frame->ref_count);
  frame->frame.memory = HISTO_MEMORY_HOST;
  frame->frame.id = atomic_fetch_add_explicit (&last_id, 1, memory_order_relaxed) + 1;
}

GstCudaHistoFrame *
gst_cuda_histo_frame_ref (GstCudaHistoFrame *frame)
{
  g_atomic_ref_count_inc (&frame->ref_count);
  return frame;
}

void
gst_cuda_histo_frame_unref (GstCudaHistoFrame *frame)
{
  if (!g_atomic_ref_count_dec (&frame->ref_count))
    return;
  if (frame->unmap != NULL)
    frame->unmap (frame->mapping);
  g_free (frame);
}

/* All that a frame's mapping does not decide. */
static void
gst_cuda_histo_frame_copy_request (GstCudaHistoFrame *to, const GstCudaHistoFrame *from)
{
  to->frame.statistics = from->frame.statistics;
  to->frame.waveform_columns = from->frame.waveform_columns;
  to->frame.derived_count = from->frame.derived_count;
  to->frame.matrix = from->frame.matrix;
  to->frame.gamut = from->frame.gamut;
  to->frame.light = from->frame.light;
}

GstCudaHistoFrame *
gst_cuda_histo_frame_download (const GstCudaHistoFrame *frame, GError **error)
{
  GstCudaHistoFrame *copy;

  g_return_val_if_fail (frame->frame.memory == HISTO_MEMORY_DEVICE, NULL);
  copy = frame->download (frame, error);
  if (copy != NULL)
    gst_cuda_histo_frame_copy_request (copy, frame);
  return copy;
}

/* In a frame that is read from its last row to its first, chroma is paired with luma from there. In picture order, row y has
 * chroma row (y + phase) >> shift. In the other order it is row (y + new phase) >> shift. */
void
gst_cuda_histo_frame_turn_chroma (GstCudaHistoFrame *self)
{
  struct histo_frame *frame = &self->frame;
  struct histo_chroma *chroma = &frame->chroma;
  const guint rows = frame->planes[frame->components[0].plane].height;

  self->phase_y = chroma->phase_y;
  if (self->bottom_up != 0)
    chroma->phase_y = (guint8)(-(rows + self->phase_y) % (1u << chroma->shift_y));
}

/* ---- shares ---------------------------------------------------------------------------------------------------------- */

static void
gst_cuda_histo_frame_free_share (gpointer mapping)
{
  gst_cuda_histo_frame_unref (mapping);
}

static GstCudaHistoFrame *
gst_cuda_histo_frame_download_share (const GstCudaHistoFrame *frame, GError **error)
{
  return gst_cuda_histo_frame_download (frame->mapping, error);
}

GstCudaHistoFrame *
gst_cuda_histo_frame_share (GstCudaHistoFrame *frame)
{
  GstCudaHistoFrame *self = g_new (GstCudaHistoFrame, 1);

  *self = *frame;
  g_atomic_ref_count_init (&self->ref_count);
  self->download = gst_cuda_histo_frame_download_share;
  self->unmap = gst_cuda_histo_frame_free_share;
  self->mapping = gst_cuda_histo_frame_ref (frame);
  return self;
}

/* ---- bytes ----------------------------------------------------------------------------------------------------------- */

static void
gst_cuda_histo_frame_describe_bytes (GstCudaHistoFrame *self, gconstpointer data, gsize size)
{
  struct histo_frame *frame = &self->frame;

  self->size = size;
  frame->plane_count = 1;
  frame->planes[0] = (struct histo_plane){ .data = data, .stride_bytes = size, .height = 1 };
  frame->component_count = 1;
  frame->components[0] = (struct histo_component){ .step_bytes = 1, .width = size, .sample_bytes = 1, .depth = 8 };
}

GstCudaHistoFrame *
gst_cuda_histo_frame_wrap_bytes (gconstpointer data, gsize size, GDestroyNotify release, gpointer owner)
{
  GstCudaHistoFrame *self = g_new0 (GstCudaHistoFrame, 1);

  gst_cuda_histo_frame_init (self);
  gst_cuda_histo_frame_describe_bytes (self, data, size);
  self->unmap = release;
  self->mapping = owner;
  return self;
}

/* ---- copies ---------------------------------------------------------------------------------------------------------- */

typedef struct {
  GstCudaHistoPinner *pinner;
  struct histo_block block;
} Copy;

static void
gst_cuda_histo_frame_free_copy (gpointer mapping)
{
  Copy *copy = mapping;

  gst_cuda_histo_pinner_give_back (copy->pinner, &copy->block);
  gst_cuda_histo_pinner_unref (copy->pinner);
  g_free (copy);
}

/* Returns the bytes from the first to the last sample of a plane, with the gaps between its rows. */
static gsize
gst_cuda_histo_frame_get_plane_bytes (const struct histo_frame *frame, guint index)
{
  const struct histo_plane *plane = &frame->planes[index];
  gsize row_bytes = 0;

  for (guint c = 0; c < frame->component_count; c++) {
    const struct histo_component *component = &frame->components[c];

    if (component->plane == index && component->width > 0)
      row_bytes
          = MAX (row_bytes, component->offset_bytes + (component->width - 1) * component->step_bytes + component->sample_bytes);
  }
  return plane->height > 0 && row_bytes > 0 ? (plane->height - 1) * plane->stride_bytes + row_bytes : 0;
}

/* Returns the start of the copy of `source`, at or after `at`: with the alignment of the source, so that it is read in the same
 * way. */
static guint8 *
gst_cuda_histo_frame_place_copy (guint8 *at, gconstpointer source)
{
  return at + ((gsize)source - (gsize)at) % COPY_ALIGNMENT;
}

GstCudaHistoFrame *
gst_cuda_histo_frame_copy (const GstCudaHistoFrame *frame, GstCudaHistoPinner *pinner)
{
  GstCudaHistoFrame *self;
  struct histo_block block;
  gsize size = 0;
  guint8 *at;
  Copy *copy;

  g_return_val_if_fail (frame->frame.memory == HISTO_MEMORY_HOST, NULL);
  for (guint p = 0; p < frame->frame.plane_count; p++)
    size += gst_cuda_histo_frame_get_plane_bytes (&frame->frame, p) + COPY_ALIGNMENT;
  if (!gst_cuda_histo_pinner_take (pinner, size, &block))
    return NULL;

  copy = g_new (Copy, 1);
  *copy = (Copy){ .pinner = gst_cuda_histo_pinner_ref (pinner), .block = block };
  self = g_new (GstCudaHistoFrame, 1);
  *self = *frame;
  g_atomic_ref_count_init (&self->ref_count);
  self->unmap = gst_cuda_histo_frame_free_copy;
  self->mapping = copy;
  at = block.data;
  for (guint p = 0; p < frame->frame.plane_count; p++) {
    gsize bytes = gst_cuda_histo_frame_get_plane_bytes (&frame->frame, p);

    if (bytes == 0)
      continue;
    at = gst_cuda_histo_frame_place_copy (at, frame->frame.planes[p].data);
    memcpy (at, frame->frame.planes[p].data, bytes);
    self->frame.planes[p].data = at;
    at += bytes;
  }
  return self;
}

gboolean
gst_cuda_histo_frame_has_one_direction (const GstCudaHistoFrame *frame)
{
  return frame->bottom_up == 0 || frame->bottom_up == (1u << frame->frame.plane_count) - 1;
}

gboolean
gst_cuda_histo_frame_matches (const GstCudaHistoFrame *frame, const GstCudaHistoFrame *operand)
{
  const struct histo_frame *x = &frame->frame;
  const struct histo_frame *y = &operand->frame;

  if (x->memory != y->memory || x->plane_count != y->plane_count || x->component_count != y->component_count
      || frame->bottom_up != operand->bottom_up || x->chroma.phase_x != y->chroma.phase_x || frame->phase_y != operand->phase_y)
    return FALSE;
  for (guint p = 0; p < x->plane_count; p++) {
    if (x->planes[p].height != y->planes[p].height)
      return FALSE;
  }
  for (guint c = 0; c < x->component_count; c++) {
    const struct histo_component *a = &x->components[c];
    const struct histo_component *b = &y->components[c];

    if (a->plane != b->plane || a->offset_bytes != b->offset_bytes || a->step_bytes != b->step_bytes || a->width != b->width
        || a->sample_bytes != b->sample_bytes || a->depth != b->depth || a->shift != b->shift || a->big_endian != b->big_endian)
      return FALSE;
  }
  return TRUE;
}
