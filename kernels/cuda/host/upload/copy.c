/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cuda/host/upload/copy.h"

#include <string.h>

#include "cuda/host/upload/zero_copy.h"
#include "log.h"

#define MAX_PITCH_BYTES ((size_t)INT32_MAX) /* CU_DEVICE_ATTRIBUTE_MAX_PITCH of every device */

void
histo_cuda_copy_free (struct histo_cuda_copy *copy, const struct histo_cuda_driver *driver)
{
  if (copy->memory)
    driver->cuMemFree (copy->memory);
  copy->memory = 0;
  copy->capacity = 0;
  copy->id = 0;
}

/* Finds the needed bytes of plane `plane` (`copied`) of a frame among the rows of `from`, of which `copy` holds those in
 * `there`. NULL if any is missing. */
static const void *
find_rows (const struct histo_plane *plane, const struct histo_cuda_copied_plane *copied, const struct histo_plane *from,
           const struct histo_cuda_copied_plane *there, const struct histo_cuda_copy *copy)
{
  size_t distance = (size_t)((uintptr_t)plane->data + copied->first_byte - (uintptr_t)from->data);
  size_t row = from->stride_bytes > 0 && from->height > 1 ? distance / from->stride_bytes : 0,
         byte = distance - row * from->stride_bytes;

  if ((uintptr_t)plane->data + copied->first_byte < (uintptr_t)from->data || there->row_bytes == 0
      || (plane->height > 1 && plane->stride_bytes != from->stride_bytes) || row >= from->height
      || plane->height > from->height - row || byte < there->first_byte
      || byte + copied->row_bytes > there->first_byte + there->row_bytes)
    return NULL;
  return (const void *)(uintptr_t)(copy->memory + there->offset + row * there->pitch + (byte - there->first_byte));
}

bool
histo_cuda_copy_has (const struct histo_cuda_copy *copy, const struct histo_frame *frame, struct histo_frame *device)
{
  struct histo_cuda_copied_plane planes[HISTO_MAX_PLANES] = { 0 };

  if (frame->id == 0 || copy->id != frame->id || copy->plane_count < frame->plane_count
      || histo_cuda_lay_out_copy (frame, planes) == SIZE_MAX)
    return false;
  *device = *frame;
  device->operand = NULL;
  for (unsigned p = 0; p < frame->plane_count; p++) {
    if (planes[p].row_bytes == 0)
      continue;
    device->planes[p].data = find_rows (&frame->planes[p], &planes[p], &copy->sources[p], &copy->planes[p], copy);
    device->planes[p].stride_bytes = copy->planes[p].pitch;
    if (!device->planes[p].data)
      return false;
  }
  histo_cuda_drop_first_bytes (device, planes);
  return true;
}

static enum histo_status
reserve (const struct histo_cuda_target *target, CUstream count_stream, struct histo_cuda_copy *copy, size_t size)
{
  enum histo_status status = HISTO_OK;

  copy->id = 0;
  if (copy->capacity >= size)
    return HISTO_OK;
  /* A kernel whose numbers were seen has read the copy, but may still be running. cuMemFree is not documented to wait for
   * it. */
  if (copy->memory)
    status = histo_cuda_check (target->driver, target->driver->cuStreamSynchronize (count_stream), "waiting for the device");
  if (status != HISTO_OK)
    return status;
  histo_cuda_copy_free (copy, target->driver);
  status = histo_cuda_check_memory (target->driver, target->driver->cuMemAlloc (&copy->memory, size),
                                    "allocating device memory for a frame");
  if (status != HISTO_OK)
    copy->memory = 0;
  else
    copy->capacity = size;
  return status;
}

static enum histo_status
copy_pinned (const struct histo_cuda_target *target, const struct histo_cuda_rows *rows)
{
  CUDA_MEMCPY2D copy = { 0 };

  if (rows->height == 1)
    return histo_cuda_check (target->driver,
                             target->driver->cuMemcpyHtoDAsync (rows->to, rows->from, rows->row_bytes, target->stream),
                             "copying a frame to the device");
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = rows->from;
  copy.srcPitch = rows->from_stride_bytes;
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.dstDevice = rows->to;
  copy.dstPitch = rows->to_stride_bytes;
  copy.WidthInBytes = rows->row_bytes;
  copy.Height = rows->height;
  return histo_cuda_check (target->driver, target->driver->cuMemcpy2DAsync (&copy, target->stream),
                           "copying a frame to the device");
}

/* `frame` as it is in `copy`. */
static struct histo_frame
describe_copy (const struct histo_frame *frame, const struct histo_cuda_copy *copy)
{
  struct histo_frame device = *frame;

  device.operand = NULL;
  for (unsigned p = 0; p < frame->plane_count; p++) {
    device.planes[p].data = (const void *)(uintptr_t)(copy->memory + copy->planes[p].offset);
    device.planes[p].stride_bytes = copy->planes[p].pitch;
  }
  histo_cuda_drop_first_bytes (&device, copy->planes);
  return device;
}

enum histo_status
histo_cuda_copy_frame (const struct histo_cuda_target *target, CUstream count_stream, const struct histo_frame *frame,
                       struct histo_cuda_copy *copy, struct histo_cuda_staged_rows *staged, struct histo_frame *device)
{
  struct histo_cuda_copied_plane planes[HISTO_MAX_PLANES] = { 0 };
  size_t size = histo_cuda_lay_out_copy (frame, planes);
  enum histo_status status;

  if (size >= HISTO_CUDA_MAX_COPY_BYTES) {
    histo_log (target->config, HISTO_LOG_ERROR, "a frame is too large to be copied to the device: %s",
               histo_status_text (HISTO_ERROR_UNSUPPORTED));
    return HISTO_ERROR_UNSUPPORTED;
  }
  status = reserve (target, count_stream, copy, size);
  memcpy (copy->planes, planes, sizeof planes);
  memcpy (copy->sources, frame->planes, sizeof copy->sources);
  copy->plane_count = frame->plane_count;
  for (unsigned p = 0; status == HISTO_OK && p < frame->plane_count; p++) {
    struct histo_cuda_rows rows;

    if (planes[p].row_bytes == 0)
      continue;
    rows = histo_cuda_find_rows (&frame->planes[p], &planes[p], copy->memory);
    if ((rows.height == 1 || (rows.from_stride_bytes <= MAX_PITCH_BYTES && rows.to_stride_bytes <= MAX_PITCH_BYTES))
        && histo_cuda_find_pinned (target->driver, &frame->planes[p], &planes[p]))
      status = copy_pinned (target, &rows);
    else
      staged->rows[staged->count++] = rows;
  }
  *device = describe_copy (frame, copy);
  return status;
}
