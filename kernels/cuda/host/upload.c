/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cuda/host/upload.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "cuda/host/cuda.h"
#include "pass.h"

#define PITCH_ALIGNMENT 256
/* The largest frame in pinned memory that the kernel reads in place. Measured: on an idle device, counting up to half a
 * megabyte in place is faster than after a copy. On a busy device, copies beside the kernels give frames of more than 32 KiB a
 * higher throughput. */
#define ZERO_COPY_IDLE_BYTES ((size_t)512 << 10)
#define ZERO_COPY_BUSY_BYTES ((size_t)32 << 10)
#define BOUNCE_BYTES ((size_t)64 << 10)          /* a slot's pinned bounce buffer for small pageable frames: always faster */
#define BOUNCES_BYTES ((size_t)16 << 20)         /* maximum of all slots together */
#define MAX_COPY_BYTES ((size_t)UINT32_MAX * 16) /* rows of a launch must be shorter than this */
#define MAX_PITCH_BYTES ((size_t)INT32_MAX)      /* CU_DEVICE_ATTRIBUTE_MAX_PITCH of every device */
#define LATEST 4                                 /* copies that can be found again: see find_frame */

size_t histo_cuda_zero_copy_bytes = HISTO_CUDA_ZERO_COPY_MEASURED;

/* The bytes of a plane's rows that hold samples, and their position in a copy of the frame. */
struct copied_plane {
  size_t first_byte, row_bytes; /* in each row of the source; row_bytes is 0 if there is nothing to copy */
  size_t offset, pitch;         /* in the copy */
};

/* Memory that the device can read, with a copy of a frame. */
struct copy {
  CUdeviceptr memory;
  size_t capacity;
  uint64_t id; /* histo_frame.id of the copied frame; 0: cannot be found again */
  unsigned plane_count;
  struct histo_plane sources[HISTO_MAX_PLANES]; /* the frame's planes */
  struct copied_plane planes[HISTO_MAX_PLANES];
  atomic_uint reader_count; /* number of references in `slots` */
};

/* The source from which a frame or an operand is read. */
struct reading {
  struct copy *copy; /* NULL: read in place, or none */
  bool is_new;       /* the copy was made for it */
  uint64_t id;       /* of the copy, once the frame is accepted */
};

struct histo_cuda_uploader {
  struct histo_cuda_target target;
  CUstream count_stream;
  unsigned slot_count;
  size_t zero_copy_bytes;

  struct histo_cuda_staging *staging;                   /* opened for the first frame that needs it */
  struct histo_cuda_rows rows[HISTO_CUDA_STAGING_ROWS]; /* of the last frame, for the staging */
  unsigned row_count;

  struct copy *copies; /* the first unused one is taken, so that no more of them have memory than were in use at once */
  unsigned copy_count;
  struct copy *latest[2][LATEST]; /* of frames and of operands, the latest first; NULL after the last */
  struct reading readings[2];     /* of the frame uploaded last, and of its operand */
  struct copy *(*slots)[2];       /* the copies that a slot's frame and operand use, until it is released */

  uint8_t *bounces; /* pinned, bounce_bytes a slot; NULL until a frame needs it */
  CUdeviceptr bounces_device;
  size_t bounce_bytes;
};

/* ---- opening and closing -------------------------------------------------------------------------------------------- */

static void
free_copy (struct histo_cuda_uploader *uploader, struct copy *copy)
{
  if (copy->memory)
    uploader->target.driver->cuMemFree (copy->memory);
  copy->memory = 0;
  copy->capacity = 0;
  copy->id = 0;
}

void
histo_cuda_uploader_stop (struct histo_cuda_uploader *uploader)
{
  if (uploader && uploader->staging)
    histo_cuda_staging_stop (uploader->staging);
}

void
histo_cuda_uploader_close (struct histo_cuda_uploader *uploader)
{
  if (!uploader)
    return;
  histo_cuda_staging_close (uploader->staging);
  for (unsigned i = 0; uploader->copies && i < uploader->copy_count; i++)
    free_copy (uploader, &uploader->copies[i]);
  if (uploader->bounces)
    uploader->target.driver->cuMemFreeHost (uploader->bounces);
  free (uploader->slots);
  free (uploader->copies);
  free (uploader);
}

enum histo_status
histo_cuda_uploader_open (const struct histo_cuda_target *target, CUstream count_stream, unsigned slots,
                          struct histo_cuda_uploader **uploader_out)
{
  struct histo_cuda_uploader *uploader = calloc (1, sizeof *uploader);

  *uploader_out = NULL;
  if (uploader) {
    uploader->target = *target;
    uploader->count_stream = count_stream;
    uploader->slot_count = slots;
    uploader->zero_copy_bytes = histo_cuda_zero_copy_bytes;
    uploader->bounce_bytes = BOUNCE_BYTES < BOUNCES_BYTES / slots ? BOUNCE_BYTES : BOUNCES_BYTES / slots;
    uploader->bounce_bytes = uploader->bounce_bytes / PITCH_ALIGNMENT * PITCH_ALIGNMENT;
    uploader->copy_count = 2 * (slots + LATEST); /* more than all slots can read, and the latest */
    uploader->slots = calloc (slots, sizeof *uploader->slots);
    uploader->copies = calloc (uploader->copy_count, sizeof *uploader->copies);
  }
  if (!uploader || !uploader->slots || !uploader->copies) {
    histo_cuda_uploader_close (uploader);
    return histo_cuda_lack_memory (target->config);
  }
  *uploader_out = uploader;
  return HISTO_OK;
}

/* ---- planning ------------------------------------------------------------------------------------------------------- */

/* Returns the size of the copy; SIZE_MAX if it is too large. */
static size_t
plan_copy (const struct histo_frame *frame, struct copied_plane planes[HISTO_MAX_PLANES])
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
    planes[p] = (struct copied_plane){ 0 };
    if (end == 0 || frame->planes[p].height == 0)
      continue;
    planes[p].first_byte = first;
    planes[p].row_bytes = end - first;
    planes[p].offset = size;
    /* Rows without a gap stay without one: one long row to copy and to count. Other rows keep a gap wider than a pixel, so that
     * they are never joined. The gap itself is not copied. */
    planes[p].pitch = end - first;
    if (frame->planes[p].stride_bytes != planes[p].pitch)
      planes[p].pitch = (planes[p].pitch + HISTO_MAX_PERIOD + PITCH_ALIGNMENT - 1) / PITCH_ALIGNMENT * PITCH_ALIGNMENT;
    if (__builtin_mul_overflow (planes[p].pitch, (size_t)frame->planes[p].height, &bytes) || bytes >= MAX_COPY_BYTES)
      return SIZE_MAX;
    size += bytes;
    size = (size + PITCH_ALIGNMENT - 1) / PITCH_ALIGNMENT * PITCH_ALIGNMENT;
  }
  return size;
}

/* The rows of a plane and their position in the copy. Rows without gaps are one row. */
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

/* The device address of pinned memory; 0 if it is not pinned, or the device cannot read it. */
static CUdeviceptr
find_address (const struct histo_cuda_uploader *uploader, const void *memory)
{
  CUpointer_attribute attributes[] = { CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_DEVICE_POINTER };
  CUmemorytype type = 0;
  CUdeviceptr address = 0;
  void *data[] = { &type, &address };
  CUresult result = uploader->target.driver->cuPointerGetAttributes (2, attributes, data, (CUdeviceptr)(uintptr_t)memory);

  return result == CUDA_SUCCESS && type == CU_MEMORYTYPE_HOST ? address : 0;
}

/* The device address of a plane's first byte to copy; 0 if the device cannot read the whole plane itself. */
static CUdeviceptr
find_plane (const struct histo_cuda_uploader *uploader, const struct histo_plane *plane, const struct copied_plane *copied)
{
  size_t last = (plane->height > 1 ? plane->stride_bytes * (plane->height - 1) : 0) + copied->row_bytes - 1;
  const uint8_t *memory = (const uint8_t *)plane->data + copied->first_byte;
  CUdeviceptr begin = find_address (uploader, memory);

  return begin && find_address (uploader, memory + last) == begin + last ? begin : 0;
}

/* Makes the planes begin with the first byte to copy, mapped or copied, since frame and operand share their offsets. */
static void
drop_first_bytes (struct histo_frame *frame, const struct copied_plane planes[HISTO_MAX_PLANES])
{
  for (unsigned c = 0; c < frame->component_count; c++)
    if (frame->components[c].width > 0)
      frame->components[c].offset_bytes -= planes[frame->components[c].plane].first_byte;
}

/* ---- small frames --------------------------------------------------------------------------------------------------- */

static enum histo_status
open_bounces (struct histo_cuda_uploader *uploader)
{
  const struct histo_cuda_driver *driver = uploader->target.driver;
  size_t size = uploader->bounce_bytes * uploader->slot_count;
  enum histo_status status = histo_cuda_check_memory (
      uploader->target.driver,
      driver->cuMemHostAlloc ((void **)&uploader->bounces, size, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP),
      "allocating pinned memory");

  if (status != HISTO_OK) {
    uploader->bounces = NULL;
    return status;
  }
  return histo_cuda_check (uploader->target.driver,
                           driver->cuMemHostGetDevicePointer (&uploader->bounces_device, uploader->bounces, 0),
                           "finding pinned memory on the device");
}

/* Shared by a frame and its operand. */
struct place {
  unsigned slot;
  bool is_idle;        /* no other frame is in flight */
  size_t bounce_bytes; /* used in the slot's bounce buffer */
};

/* Describes `frame` for a kernel that reads it in host memory: in place or, if it is pageable, in the slot's bounce buffer. If
 * the frame is too large, *is_mapped is false and nothing changes. */
static enum histo_status
map_frame (struct histo_cuda_uploader *uploader, struct place *place, const struct histo_frame *frame,
           struct histo_frame *device, bool *is_mapped)
{
  struct copied_plane planes[HISTO_MAX_PLANES] = { 0 };
  CUdeviceptr addresses[HISTO_MAX_PLANES] = { 0 };
  size_t bounce = place->slot * uploader->bounce_bytes + place->bounce_bytes, size = plan_copy (frame, planes);
  size_t limit = uploader->zero_copy_bytes;
  enum histo_status status = HISTO_OK;
  bool needs_bounce = false;

  *is_mapped = false;
  if (size == SIZE_MAX || size > uploader->zero_copy_bytes)
    return HISTO_OK;
  if (uploader->zero_copy_bytes == HISTO_CUDA_ZERO_COPY_MEASURED)
    limit = place->is_idle ? ZERO_COPY_IDLE_BYTES : ZERO_COPY_BUSY_BYTES;
  if (size > limit && size > uploader->bounce_bytes - place->bounce_bytes)
    return HISTO_OK;
  for (unsigned p = 0; p < frame->plane_count; p++) {
    if (planes[p].row_bytes > 0)
      addresses[p] = find_plane (uploader, &frame->planes[p], &planes[p]);
    needs_bounce = needs_bounce || (planes[p].row_bytes > 0 && !addresses[p]);
  }
  if (size > (needs_bounce ? uploader->bounce_bytes - place->bounce_bytes : limit))
    return HISTO_OK;
  if (needs_bounce && !uploader->bounces)
    status = open_bounces (uploader);
  if (status != HISTO_OK)
    return status;

  *device = *frame;
  device->operand = NULL;
  for (unsigned p = 0; p < frame->plane_count; p++) {
    if (planes[p].row_bytes == 0)
      continue;
    if (!addresses[p]) {
      struct histo_cuda_rows rows = describe_rows (&frame->planes[p], &planes[p], 0);

      histo_cuda_gather (&rows, 0, histo_cuda_copy_bytes (&rows), uploader->bounces + bounce + planes[p].offset);
      addresses[p] = uploader->bounces_device + bounce + planes[p].offset;
      device->planes[p].stride_bytes = planes[p].pitch;
    }
    device->planes[p].data = (const void *)(uintptr_t)addresses[p];
  }
  drop_first_bytes (device, planes);
  if (needs_bounce)
    place->bounce_bytes += size;
  *is_mapped = true;
  return HISTO_OK;
}

/* ---- copying -------------------------------------------------------------------------------------------------------- */

/* Whether a copy is in use, or still among the latest after `latest[list]` gets one more. */
static bool
is_needed (const struct histo_cuda_uploader *uploader, const struct copy *copy, unsigned list)
{
  for (unsigned i = 0; i < 2; i++) {
    if (copy == uploader->readings[i].copy)
      return true;
    for (unsigned k = 0; k < (i == list ? LATEST - 1 : LATEST); k++)
      if (copy == uploader->latest[i][k])
        return true;
  }
  return atomic_load (&copy->reader_count) > 0;
}

/* Takes a copy for `latest[list]`. */
static struct copy *
take_copy (const struct histo_cuda_uploader *uploader, unsigned list)
{
  struct copy *copy = uploader->copies;

  while (is_needed (uploader, copy, list))
    copy++;
  return copy;
}

/* Finds the needed bytes of plane `plane` (`copied`) of a frame among the rows of `from`, of which `copy` holds those in
 * `there`. NULL if any is missing. */
static const void *
find_rows (const struct histo_plane *plane, const struct copied_plane *copied, const struct histo_plane *from,
           const struct copied_plane *there, const struct copy *copy)
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

/* Whether a copy has the samples of `frame`: its source had the same id, and rows that contain all of the frame's. *device: the
 * frame as it is in the copy. */
static bool
find_in_copy (const struct copy *copy, const struct histo_frame *frame, struct histo_frame *device)
{
  struct copied_plane planes[HISTO_MAX_PLANES] = { 0 };

  if (frame->id == 0 || copy->id != frame->id || copy->plane_count < frame->plane_count
      || plan_copy (frame, planes) == SIZE_MAX)
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
  drop_first_bytes (device, planes);
  return true;
}

/* Searches the last four copies (the picture, its reference, the previous picture, its reference) and the last four copies of
 * operands, which are used again (weights, the first frame of a freeze). NULL if none has the samples of `frame`. */
static struct copy *
find_frame (const struct histo_cuda_uploader *uploader, const struct histo_frame *frame, struct histo_frame *device)
{
  for (unsigned i = 0; i < 2; i++)
    for (unsigned k = 0; k < LATEST && uploader->latest[i][k]; k++)
      if (find_in_copy (uploader->latest[i][k], frame, device))
        return uploader->latest[i][k];
  return NULL;
}

static enum histo_status
reserve_copy (struct histo_cuda_uploader *uploader, struct copy *copy, size_t size)
{
  enum histo_status status = HISTO_OK;

  copy->id = 0;
  if (copy->capacity >= size)
    return HISTO_OK;
  /* A kernel whose numbers were seen has read the copy, but may still be running. cuMemFree is not documented to wait for
   * it. */
  if (copy->memory)
    status = histo_cuda_check (uploader->target.driver, uploader->target.driver->cuStreamSynchronize (uploader->count_stream),
                               "waiting for the device");
  if (status != HISTO_OK)
    return status;
  free_copy (uploader, copy);
  status = histo_cuda_check_memory (uploader->target.driver, uploader->target.driver->cuMemAlloc (&copy->memory, size),
                                    "allocating device memory for a frame");
  if (status != HISTO_OK)
    copy->memory = 0;
  else
    copy->capacity = size;
  return status;
}

static enum histo_status
copy_pinned (struct histo_cuda_uploader *uploader, const struct histo_cuda_rows *rows)
{
  CUDA_MEMCPY2D copy = { 0 };

  if (rows->height == 1)
    return histo_cuda_check (
        uploader->target.driver,
        uploader->target.driver->cuMemcpyHtoDAsync (rows->to, rows->from, rows->row_bytes, uploader->target.stream),
        "copying a frame to the device");
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = rows->from;
  copy.srcPitch = rows->from_stride_bytes;
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.dstDevice = rows->to;
  copy.dstPitch = rows->to_stride_bytes;
  copy.WidthInBytes = rows->row_bytes;
  copy.Height = rows->height;
  return histo_cuda_check (uploader->target.driver, uploader->target.driver->cuMemcpy2DAsync (&copy, uploader->target.stream),
                           "copying a frame to the device");
}

/* Begins to copy `frame` from host memory into `copy`. Pageable memory is left to the staging. The copy gets its id when the
 * frame is accepted: staged rows are not copied before. */
static enum histo_status
copy_frame (struct histo_cuda_uploader *uploader, const struct histo_frame *frame, struct copy *copy)
{
  struct copied_plane planes[HISTO_MAX_PLANES] = { 0 };
  size_t size = plan_copy (frame, planes);
  enum histo_status status;

  if (size >= MAX_COPY_BYTES) {
    histo_log (uploader->target.config, HISTO_LOG_ERROR, "a frame is too large to be copied to the device: %s",
               histo_status_text (HISTO_ERROR_UNSUPPORTED));
    return HISTO_ERROR_UNSUPPORTED;
  }
  status = reserve_copy (uploader, copy, size);
  memcpy (copy->planes, planes, sizeof planes);
  memcpy (copy->sources, frame->planes, sizeof copy->sources);
  copy->plane_count = frame->plane_count;
  for (unsigned p = 0; status == HISTO_OK && p < frame->plane_count; p++) {
    struct histo_cuda_rows rows;

    if (planes[p].row_bytes == 0)
      continue;
    rows = describe_rows (&frame->planes[p], &planes[p], copy->memory);
    if ((rows.height == 1 || (rows.from_stride_bytes <= MAX_PITCH_BYTES && rows.to_stride_bytes <= MAX_PITCH_BYTES))
        && find_plane (uploader, &frame->planes[p], &planes[p]))
      status = copy_pinned (uploader, &rows);
    else
      uploader->rows[uploader->row_count++] = rows;
  }
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
  drop_first_bytes (&device, copy->planes);
  return device;
}

/* Maps `frame`, or copies it into `copy`. */
static enum histo_status
place_frame (struct histo_cuda_uploader *uploader, struct place *place, const struct histo_frame *frame, struct copy *copy,
             struct histo_frame *device, bool *is_copied)
{
  bool is_mapped;
  enum histo_status status = map_frame (uploader, place, frame, device, &is_mapped);

  *is_copied = status == HISTO_OK && !is_mapped;
  if (!*is_copied)
    return status;
  status = copy_frame (uploader, frame, copy);
  *device = describe_copy (frame, copy);
  return status;
}

enum histo_status
histo_cuda_upload (struct histo_cuda_uploader *uploader, unsigned slot, const struct histo_frame *frame, bool is_idle,
                   struct histo_cuda_upload *upload)
{
  const struct histo_frame *frames[2] = { frame, frame->operand };
  struct histo_frame *devices[2] = { &upload->frame, &upload->operand };
  struct reading *readings = uploader->readings;
  struct place place = { .slot = slot, .is_idle = is_idle };
  enum histo_status status = HISTO_OK;

  uploader->row_count = 0;
  upload->is_staged = false;
  /* Finds both before it takes a copy, so that it takes neither of theirs. */
  for (unsigned i = 0; i < 2; i++)
    readings[i] = (struct reading){ .copy = frames[i] ? find_frame (uploader, frames[i], devices[i]) : NULL };
  for (unsigned i = 0; status == HISTO_OK && i < 2; i++) {
    struct copy *copy;

    if (!frames[i] || readings[i].copy)
      continue;
    copy = take_copy (uploader, i);
    status = place_frame (uploader, &place, frames[i], copy, devices[i], &readings[i].is_new);
    readings[i].copy = readings[i].is_new ? copy : NULL;
    readings[i].id = frames[i]->id;
  }
  if (status == HISTO_OK && uploader->row_count > 0) {
    upload->is_staged = true;
    if (!uploader->staging)
      status = histo_cuda_staging_open (&uploader->target, uploader->slot_count, &uploader->staging);
  }
  upload->is_copied = readings[0].is_new || readings[1].is_new;
  upload->frame.operand = frame->operand ? &upload->operand : NULL;
  return status;
}

/* Keeps the copy that a frame (0) or its operand (1) uses until the slot is released. */
static void
keep_copy (struct histo_cuda_uploader *uploader, unsigned slot, unsigned i, struct copy *copy)
{
  uploader->slots[slot][i] = copy;
  if (copy)
    atomic_fetch_add (&copy->reader_count, 1);
}

bool
histo_cuda_uploader_find (struct histo_cuda_uploader *uploader, unsigned slot, const struct histo_frame *frame,
                          struct histo_cuda_upload *upload)
{
  struct copy *copy = find_frame (uploader, frame, &upload->frame), *operand_copy = NULL;

  if (copy && frame->operand)
    operand_copy = find_frame (uploader, frame->operand, &upload->operand);
  if (!copy || (frame->operand && !operand_copy))
    return false;
  upload->frame.operand = frame->operand ? &upload->operand : NULL;
  upload->is_copied = upload->is_staged = false;
  keep_copy (uploader, slot, 0, copy);
  keep_copy (uploader, slot, 1, operand_copy);
  return true;
}

void
histo_cuda_uploader_commit (struct histo_cuda_uploader *uploader, unsigned slot)
{
  for (unsigned i = 0; i < 2; i++) {
    const struct reading *reading = &uploader->readings[i];
    struct copy **latest = uploader->latest[i];

    keep_copy (uploader, slot, i, reading->copy);
    if (!reading->is_new || reading->id == 0)
      continue;
    reading->copy->id = reading->id;
    memmove (&latest[1], &latest[0], (LATEST - 1) * sizeof latest[0]);
    latest[0] = reading->copy;
  }
  if (uploader->row_count > 0)
    histo_cuda_staging_begin (uploader->staging, slot, uploader->rows, uploader->row_count);
}

void
histo_cuda_uploader_release (struct histo_cuda_uploader *uploader, unsigned slot)
{
  for (unsigned i = 0; i < 2; i++) {
    struct copy *copy = uploader->slots[slot][i];

    uploader->slots[slot][i] = NULL;
    if (copy)
      atomic_fetch_sub (&copy->reader_count, 1);
  }
}

void
histo_cuda_uploader_wait (struct histo_cuda_uploader *uploader, unsigned slot)
{
  histo_cuda_staging_wait (uploader->staging, slot);
}
