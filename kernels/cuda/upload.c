/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cuda/upload.h"

#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "cuda/staging.h"
#include "pass.h"

#define PITCH_ALIGNMENT 256

/* The bytes of a plane's rows that hold samples, and where they are in a copy of the frame. */
struct copied_plane {
  size_t first_byte, row_bytes; /* in each row of the source; row_bytes 0: nothing to copy */
  size_t offset, pitch;         /* in the copy */
};

/* Device memory that holds a copy of a frame. */
struct copy {
  CUdeviceptr memory;
  size_t capacity;
  uint64_t id; /* of the frame, 0: no claim */
  struct copied_plane planes[HISTO_MAX_PLANES];
};

struct histo_cuda_uploader {
  const struct histo_config *config;
  const struct histo_cuda_driver *driver;
  CUcontext context;
  CUstream stream;
  struct histo_cuda_staging *staging; /* opened with the first frame that needs it */

  unsigned slot_count;
  struct copy *operands; /* a slot's, of an operand of which there is no other copy */
  /* Copies of the last frames, used in turn. One more than slots: the frame before the oldest in flight may be its operand. */
  struct copy *copies;
  uint64_t uploads;
};

static enum histo_status
check (const struct histo_cuda_uploader *uploader, CUresult result, const char *what)
{
  return histo_cuda_check (uploader->config, uploader->driver, result, what);
}

/* ---- opening and closing -------------------------------------------------------------------------------------------- */

static void
free_copy (struct histo_cuda_uploader *uploader, struct copy *copy)
{
  if (copy->memory)
    uploader->driver->cuMemFree (copy->memory);
  *copy = (struct copy){ 0 };
}

void
histo_cuda_uploader_close (struct histo_cuda_uploader *uploader)
{
  if (!uploader)
    return;
  histo_cuda_staging_close (uploader->staging);
  for (unsigned i = 0; uploader->operands && i < uploader->slot_count; i++)
    free_copy (uploader, &uploader->operands[i]);
  for (unsigned i = 0; uploader->copies && i < uploader->slot_count + 1; i++)
    free_copy (uploader, &uploader->copies[i]);
  free (uploader->operands);
  free (uploader->copies);
  free (uploader);
}

enum histo_status
histo_cuda_uploader_open (const struct histo_config *config, const struct histo_cuda_driver *driver, CUcontext context,
                          CUstream stream, unsigned slots, struct histo_cuda_uploader **uploader_out)
{
  struct histo_cuda_uploader *uploader = calloc (1, sizeof *uploader);

  *uploader_out = NULL;
  if (uploader) {
    uploader->config = config;
    uploader->driver = driver;
    uploader->context = context;
    uploader->stream = stream;
    uploader->slot_count = slots;
    uploader->operands = calloc (slots, sizeof *uploader->operands);
    uploader->copies = calloc ((size_t)slots + 1, sizeof *uploader->copies);
  }
  if (!uploader || !uploader->operands || !uploader->copies) {
    histo_cuda_uploader_close (uploader);
    histo_log (config, HISTO_LOG_ERROR, "%s", histo_status_text (HISTO_ERROR_NO_MEMORY));
    return HISTO_ERROR_NO_MEMORY;
  }
  *uploader_out = uploader;
  return HISTO_OK;
}

/* ---- copying -------------------------------------------------------------------------------------------------------- */

/* Returns the size of the copy. */
static size_t
plan_copy (const struct histo_frame *frame, struct copied_plane planes[HISTO_MAX_PLANES])
{
  size_t size = 0;

  for (unsigned p = 0; p < frame->plane_count; p++) {
    size_t first = SIZE_MAX, end = 0;

    for (unsigned c = 0; c < frame->component_count; c++) {
      const struct histo_component *component = &frame->components[c];
      size_t component_end = component->offset_bytes + (size_t)(component->width - 1) * component->step_bytes + 1;

      if (component->plane != p || component->width == 0)
        continue;
      first = component->offset_bytes < first ? component->offset_bytes : first;
      end = component_end > end ? component_end : end;
    }
    planes[p] = (struct copied_plane){ 0 };
    if (end == 0 || frame->planes[p].height == 0)
      continue;
    planes[p].first_byte = first;
    planes[p].row_bytes = end - first;
    planes[p].offset = size;
    /* Rows without a gap stay without a gap: one long row to copy and to count. Others keep a gap wider than a pixel, so that
     * they are never joined: what lies in the gap is not copied. */
    planes[p].pitch = end - first;
    if (frame->planes[p].stride_bytes != planes[p].pitch)
      planes[p].pitch = (planes[p].pitch + HISTO_MAX_PERIOD + PITCH_ALIGNMENT - 1) / PITCH_ALIGNMENT * PITCH_ALIGNMENT;
    size += planes[p].pitch * frame->planes[p].height;
    size = (size + PITCH_ALIGNMENT - 1) / PITCH_ALIGNMENT * PITCH_ALIGNMENT;
  }
  return size;
}

static enum histo_status
reserve_copy (struct histo_cuda_uploader *uploader, struct copy *copy, size_t size)
{
  enum histo_status status;

  copy->id = 0;
  if (copy->capacity >= size)
    return HISTO_OK;
  free_copy (uploader, copy);
  status = check (uploader, uploader->driver->cuMemAlloc (&copy->memory, size), "allocating device memory for a frame");
  if (status != HISTO_OK)
    copy->memory = 0;
  else
    copy->capacity = size;
  return status;
}

/* Whether the device itself can read `memory`: only then may a copy go on while its caller does. */
static bool
is_pinned (const struct histo_cuda_uploader *uploader, const void *memory)
{
  CUpointer_attribute attribute = CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
  CUmemorytype type = 0;
  void *data = &type;

  return uploader->driver->cuPointerGetAttributes (1, &attribute, &data, (CUdeviceptr)(uintptr_t)memory) == CUDA_SUCCESS
         && type == CU_MEMORYTYPE_HOST;
}

static enum histo_status
copy_pinned (struct histo_cuda_uploader *uploader, const struct histo_cuda_rows *rows)
{
  CUDA_MEMCPY2D copy = { 0 };

  if (rows->height == 1)
    return check (uploader, uploader->driver->cuMemcpyHtoDAsync (rows->to, rows->from, rows->row_bytes, uploader->stream),
                  "copying a frame to the device");
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = rows->from;
  copy.srcPitch = rows->from_stride_bytes;
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.dstDevice = rows->to;
  copy.dstPitch = rows->to_stride_bytes;
  copy.WidthInBytes = rows->row_bytes;
  copy.Height = rows->height;
  return check (uploader, uploader->driver->cuMemcpy2DAsync (&copy, uploader->stream), "copying a frame to the device");
}

static enum histo_status
copy_pageable (struct histo_cuda_uploader *uploader, const struct histo_cuda_rows *planes, unsigned count)
{
  enum histo_status status = HISTO_OK;

  if (!uploader->staging)
    status
        = histo_cuda_staging_open (uploader->config, uploader->driver, uploader->context, uploader->stream, &uploader->staging);
  if (status == HISTO_OK)
    status = histo_cuda_staging_copy (uploader->staging, planes, count);
  return status;
}

/* The rows of a plane and their place in the copy; without gaps they are one. */
static struct histo_cuda_rows
describe_rows (const struct histo_plane *plane, const struct copied_plane *copied, CUdeviceptr memory)
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

/* Begins to copy `frame` from host memory into `copy`. */
static enum histo_status
upload_frame (struct histo_cuda_uploader *uploader, const struct histo_frame *frame, struct copy *copy)
{
  struct copied_plane planes[HISTO_MAX_PLANES] = { 0 };
  struct histo_cuda_rows pageable[HISTO_MAX_PLANES];
  unsigned pageable_count = 0;
  enum histo_status status = reserve_copy (uploader, copy, plan_copy (frame, planes));

  memcpy (copy->planes, planes, sizeof planes);
  for (unsigned p = 0; status == HISTO_OK && p < frame->plane_count; p++) {
    struct histo_cuda_rows rows;

    if (planes[p].row_bytes == 0)
      continue;
    rows = describe_rows (&frame->planes[p], &planes[p], copy->memory);
    if (is_pinned (uploader, rows.from))
      status = copy_pinned (uploader, &rows);
    else
      pageable[pageable_count++] = rows;
  }
  if (status == HISTO_OK && pageable_count > 0)
    status = copy_pageable (uploader, pageable, pageable_count);
  if (status == HISTO_OK)
    copy->id = frame->id;
  return status;
}

/* `frame` as it is in `copy`. */
static struct histo_frame
describe_copy (const struct histo_frame *frame, const struct copy *copy)
{
  struct histo_frame device = *frame;

  device.operand = NULL;
  for (unsigned p = 0; p < frame->plane_count; p++) {
    device.planes[p].data = (const void *)(uintptr_t)(copy->memory + copy->planes[p].offset);
    device.planes[p].stride_bytes = copy->planes[p].pitch;
  }
  for (unsigned c = 0; c < frame->component_count; c++)
    if (device.components[c].width > 0)
      device.components[c].offset_bytes -= copy->planes[device.components[c].plane].first_byte;
  return device;
}

enum histo_status
histo_cuda_upload (struct histo_cuda_uploader *uploader, unsigned slot, const struct histo_frame *frame,
                   struct histo_frame *device, struct histo_frame *operand)
{
  struct copy *copy = &uploader->copies[uploader->uploads % (uploader->slot_count + 1)];
  struct copy *operand_copy = &uploader->copies[(uploader->uploads + uploader->slot_count) % (uploader->slot_count + 1)];
  enum histo_status status = HISTO_OK;

  uploader->uploads++;
  if (frame->operand && (frame->operand->id == 0 || frame->operand->id != operand_copy->id)) {
    operand_copy = &uploader->operands[slot];
    status = upload_frame (uploader, frame->operand, operand_copy);
  }
  if (status == HISTO_OK)
    status = upload_frame (uploader, frame, copy);
  if (status != HISTO_OK)
    return status;
  *device = describe_copy (frame, copy);
  if (frame->operand) {
    *operand = describe_copy (frame->operand, operand_copy);
    device->operand = operand;
  }
  return HISTO_OK;
}
