/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cuda/host/upload/zero_copy.h"

#include "cuda/host/cuda.h"

#define BOUNCES_BYTES ((size_t)16 << 20) /* maximum of the bounce buffers of all slots together */

size_t histo_cuda_zero_copy_bytes = HISTO_CUDA_ZERO_COPY_MEASURED;

void
histo_cuda_zero_copy_open (struct histo_cuda_zero_copy *zero_copy, const struct histo_cuda_driver *driver,
                           const struct histo_cuda_tuning *tuning, unsigned slots)
{
  const size_t bytes = tuning->bounce_bytes < BOUNCES_BYTES / slots ? tuning->bounce_bytes : BOUNCES_BYTES / slots;

  *zero_copy = (struct histo_cuda_zero_copy){
    .driver = driver,
    .tuning = tuning,
    .most_bytes = histo_cuda_zero_copy_bytes,
    .slot_count = slots,
    .bounce_bytes = bytes / HISTO_CUDA_PITCH_ALIGNMENT * HISTO_CUDA_PITCH_ALIGNMENT,
  };
}

void
histo_cuda_zero_copy_close (struct histo_cuda_zero_copy *zero_copy)
{
  histo_cuda_mapped_free (&zero_copy->bounces, zero_copy->driver);
}

/* The device address of pinned memory; 0 if it is not pinned, or the device cannot read it. */
static CUdeviceptr
find_address (const struct histo_cuda_driver *driver, const void *memory)
{
  CUpointer_attribute attributes[] = { CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_DEVICE_POINTER };
  CUmemorytype type = 0;
  CUdeviceptr address = 0;
  void *data[] = { &type, &address };
  CUresult result = driver->cuPointerGetAttributes (2, attributes, data, (CUdeviceptr)(uintptr_t)memory);

  return result == CUDA_SUCCESS && type == CU_MEMORYTYPE_HOST ? address : 0;
}

CUdeviceptr
histo_cuda_find_pinned (const struct histo_cuda_driver *driver, const struct histo_plane *plane,
                        const struct histo_cuda_copied_plane *copied)
{
  size_t last = (plane->height > 1 ? plane->stride_bytes * (plane->height - 1) : 0) + copied->row_bytes - 1;
  const uint8_t *memory = (const uint8_t *)plane->data + copied->first_byte;
  CUdeviceptr begin = find_address (driver, memory);

  return begin && find_address (driver, memory + last) == begin + last ? begin : 0;
}

enum histo_status
histo_cuda_map_frame (struct histo_cuda_zero_copy *zero_copy, struct histo_cuda_place *place, const struct histo_frame *frame,
                      struct histo_frame *device, bool *is_mapped)
{
  struct histo_cuda_copied_plane planes[HISTO_MAX_PLANES] = { 0 };
  CUdeviceptr addresses[HISTO_MAX_PLANES] = { 0 };
  size_t bounce = place->slot * zero_copy->bounce_bytes + place->bounce_bytes, size = histo_cuda_lay_out_copy (frame, planes);
  size_t limit = zero_copy->most_bytes;
  enum histo_status status = HISTO_OK;
  bool needs_bounce = false;

  *is_mapped = false;
  if (size == SIZE_MAX || size > zero_copy->most_bytes)
    return HISTO_OK;
  if (zero_copy->most_bytes == HISTO_CUDA_ZERO_COPY_MEASURED)
    limit = place->is_idle ? zero_copy->tuning->zero_copy_idle_bytes : zero_copy->tuning->zero_copy_busy_bytes;
  if (size > limit && size > zero_copy->bounce_bytes - place->bounce_bytes)
    return HISTO_OK;
  for (unsigned p = 0; p < frame->plane_count; p++) {
    if (planes[p].row_bytes > 0)
      addresses[p] = histo_cuda_find_pinned (zero_copy->driver, &frame->planes[p], &planes[p]);
    needs_bounce = needs_bounce || (planes[p].row_bytes > 0 && !addresses[p]);
  }
  if (size > (needs_bounce ? zero_copy->bounce_bytes - place->bounce_bytes : limit))
    return HISTO_OK;
  if (needs_bounce)
    status
        = histo_cuda_mapped_reserve (&zero_copy->bounces, zero_copy->driver, zero_copy->bounce_bytes * zero_copy->slot_count);
  if (status != HISTO_OK)
    return status;

  *device = *frame;
  device->operand = NULL;
  for (unsigned p = 0; p < frame->plane_count; p++) {
    if (planes[p].row_bytes == 0)
      continue;
    if (!addresses[p]) {
      struct histo_cuda_rows rows = histo_cuda_find_rows (&frame->planes[p], &planes[p], 0);

      histo_cuda_gather (&rows, 0, histo_cuda_copy_bytes (&rows),
                         (uint8_t *)zero_copy->bounces.host + bounce + planes[p].offset);
      addresses[p] = zero_copy->bounces.device + bounce + planes[p].offset;
      device->planes[p].stride_bytes = planes[p].pitch;
    }
    device->planes[p].data = (const void *)(uintptr_t)addresses[p];
  }
  histo_cuda_drop_first_bytes (device, planes);
  if (needs_bounce)
    place->bounce_bytes += size;
  *is_mapped = true;
  return HISTO_OK;
}
