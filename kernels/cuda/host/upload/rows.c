/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cuda/host/upload/rows.h"

#include <string.h>

#include "pass.h"

size_t
histo_cuda_lay_out_copy (const struct histo_frame *frame, struct histo_cuda_copied_plane planes[HISTO_MAX_PLANES])
{
  size_t size = 0, bytes;

  for (unsigned p = 0; p < frame->plane_count; p++) {
    size_t first = SIZE_MAX, end = 0;

    for (unsigned c = 0; c < frame->component_count; c++) {
      const struct histo_component *component = &frame->components[c];
      size_t component_end
          = component->offset_bytes + (size_t)(component->width - 1) * component->step_bytes + component->sample_bytes;

      if (component->plane != p || component->width == 0)
        continue;
      first = component->offset_bytes < first ? component->offset_bytes : first;
      end = component_end > end ? component_end : end;
    }
    planes[p] = (struct histo_cuda_copied_plane){ 0 };
    if (end == 0 || frame->planes[p].height == 0)
      continue;
    planes[p].first_byte = first;
    planes[p].row_bytes = end - first;
    planes[p].offset = size;
    /* Rows without a gap stay without one: one long row to copy and to count. Other rows keep a gap wider than a pixel, so that
     * they are never joined. The gap itself is not copied. */
    planes[p].pitch = end - first;
    if (frame->planes[p].stride_bytes != planes[p].pitch)
      planes[p].pitch = (planes[p].pitch + HISTO_MAX_PERIOD + HISTO_CUDA_PITCH_ALIGNMENT - 1) / HISTO_CUDA_PITCH_ALIGNMENT
                        * HISTO_CUDA_PITCH_ALIGNMENT;
    if (__builtin_mul_overflow (planes[p].pitch, (size_t)frame->planes[p].height, &bytes) || bytes >= HISTO_CUDA_MAX_COPY_BYTES)
      return SIZE_MAX;
    size += bytes;
    size = (size + HISTO_CUDA_PITCH_ALIGNMENT - 1) / HISTO_CUDA_PITCH_ALIGNMENT * HISTO_CUDA_PITCH_ALIGNMENT;
  }
  return size;
}

struct histo_cuda_rows
histo_cuda_find_rows (const struct histo_plane *plane, const struct histo_cuda_copied_plane *copied, CUdeviceptr memory)
{
  struct histo_cuda_rows rows = {
    .from = (const uint8_t *)plane->data + copied->first_byte,
    .to = memory + copied->offset,
    .from_stride_bytes = plane->stride_bytes,
    .to_stride_bytes = copied->pitch,
    .row_bytes = copied->row_bytes,
    .height = plane->height,
  };

  if (plane->height == 1 || copied->pitch == plane->stride_bytes) {
    rows.row_bytes = copied->pitch * (plane->height - 1) + copied->row_bytes;
    rows.from_stride_bytes = rows.to_stride_bytes = rows.row_bytes;
    rows.height = 1;
  }
  return rows;
}

void
histo_cuda_drop_first_bytes (struct histo_frame *frame, const struct histo_cuda_copied_plane planes[HISTO_MAX_PLANES])
{
  for (unsigned c = 0; c < frame->component_count; c++)
    if (frame->components[c].width > 0)
      frame->components[c].offset_bytes -= planes[frame->components[c].plane].first_byte;
}

size_t
histo_cuda_copy_bytes (const struct histo_cuda_rows *rows)
{
  return rows->to_stride_bytes * (rows->height - 1) + rows->row_bytes;
}

void
histo_cuda_gather (const struct histo_cuda_rows *rows, size_t begin, size_t end, uint8_t *memory)
{
  for (size_t row = begin / rows->to_stride_bytes; row * rows->to_stride_bytes < end; row++) {
    size_t row_begin = row * rows->to_stride_bytes, row_end = row_begin + rows->row_bytes;
    size_t first = row_begin > begin ? row_begin : begin, last = row_end < end ? row_end : end;

    if (first < last)
      memcpy (memory + (first - begin), rows->from + row * rows->from_stride_bytes + (first - row_begin), last - first);
  }
}
