/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cuda/host/upload/upload.h"

#include <stdlib.h>
#include <string.h>

#include "cuda/host/upload/copy.h"
#include "cuda/host/upload/zero_copy.h"

#define LATEST 4 /* copies that can be found again: see find_frame */

/* The source from which a frame or an operand is read. */
struct reading {
  struct histo_cuda_copy *copy; /* NULL: read in place, or none */
  bool is_new;                  /* the copy was made for it */
  uint64_t id;                  /* of the copy, once the frame is accepted */
};

struct histo_cuda_uploader {
  struct histo_cuda_target target;
  CUstream count_stream;
  unsigned slot_count;

  struct histo_cuda_staging *staging;   /* opened for the first frame that needs it */
  struct histo_cuda_staged_rows staged; /* of the last frame */

  /* The first unused one is taken, so that no more of them have memory than were in use at once. */
  struct histo_cuda_copy *copies;
  unsigned copy_count;
  struct histo_cuda_copy *latest[2][LATEST]; /* of frames and of operands, the latest first; NULL after the last */
  struct reading readings[2];                /* of the frame uploaded last, and of its operand */
  struct histo_cuda_copy *(*slots)[2];       /* the copies that a slot's frame and operand use, until it is released */

  struct histo_cuda_zero_copy zero_copy;
};

/* ---- opening and closing -------------------------------------------------------------------------------------------- */

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
    histo_cuda_copy_free (&uploader->copies[i], uploader->target.driver);
  histo_cuda_zero_copy_close (&uploader->zero_copy);
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
    histo_cuda_zero_copy_open (&uploader->zero_copy, target->driver, target->tuning, slots);
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

/* ---- copies --------------------------------------------------------------------------------------------------------- */

/* Whether a copy is in use, or still among the latest after `latest[list]` gets one more. */
static bool
is_needed (const struct histo_cuda_uploader *uploader, const struct histo_cuda_copy *copy, unsigned list)
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
static struct histo_cuda_copy *
take_copy (const struct histo_cuda_uploader *uploader, unsigned list)
{
  struct histo_cuda_copy *copy = uploader->copies;

  while (is_needed (uploader, copy, list))
    copy++;
  return copy;
}

/* Searches the last four copies (the picture, its reference, the previous picture, its reference) and the last four copies of
 * operands, which are used again (weights, the first frame of a freeze). NULL if none has the samples of `frame`. */
static struct histo_cuda_copy *
find_frame (const struct histo_cuda_uploader *uploader, const struct histo_frame *frame, struct histo_frame *device)
{
  for (unsigned i = 0; i < 2; i++)
    for (unsigned k = 0; k < LATEST && uploader->latest[i][k]; k++)
      if (histo_cuda_copy_has (uploader->latest[i][k], frame, device))
        return uploader->latest[i][k];
  return NULL;
}

/* Maps `frame`, or copies it into `copy`. */
static enum histo_status
place_frame (struct histo_cuda_uploader *uploader, struct histo_cuda_place *place, const struct histo_frame *frame,
             struct histo_cuda_copy *copy, struct histo_frame *device, bool *is_copied)
{
  bool is_mapped;
  enum histo_status status = histo_cuda_map_frame (&uploader->zero_copy, place, frame, device, &is_mapped);

  *is_copied = status == HISTO_OK && !is_mapped;
  if (!*is_copied)
    return status;
  return histo_cuda_copy_frame (&uploader->target, uploader->count_stream, frame, copy, &uploader->staged, device);
}

enum histo_status
histo_cuda_upload (struct histo_cuda_uploader *uploader, unsigned slot, const struct histo_frame *frame, bool is_idle,
                   struct histo_cuda_upload *upload)
{
  const struct histo_frame *frames[2] = { frame, frame->operand };
  struct histo_frame *devices[2] = { &upload->frame, &upload->operand };
  struct reading *readings = uploader->readings;
  struct histo_cuda_place place = { .slot = slot, .is_idle = is_idle };
  enum histo_status status = HISTO_OK;

  uploader->staged.count = 0;
  upload->is_staged = false;
  /* Finds both before it takes a copy, so that it takes neither of theirs. */
  for (unsigned i = 0; i < 2; i++)
    readings[i] = (struct reading){ .copy = frames[i] ? find_frame (uploader, frames[i], devices[i]) : NULL };
  for (unsigned i = 0; status == HISTO_OK && i < 2; i++) {
    struct histo_cuda_copy *copy;

    if (!frames[i] || readings[i].copy)
      continue;
    copy = take_copy (uploader, i);
    status = place_frame (uploader, &place, frames[i], copy, devices[i], &readings[i].is_new);
    readings[i].copy = readings[i].is_new ? copy : NULL;
    readings[i].id = frames[i]->id;
  }
  if (status == HISTO_OK && uploader->staged.count > 0) {
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
keep_copy (struct histo_cuda_uploader *uploader, unsigned slot, unsigned i, struct histo_cuda_copy *copy)
{
  uploader->slots[slot][i] = copy;
  if (copy)
    atomic_fetch_add (&copy->reader_count, 1);
}

bool
histo_cuda_uploader_find (struct histo_cuda_uploader *uploader, unsigned slot, const struct histo_frame *frame,
                          struct histo_cuda_upload *upload)
{
  struct histo_cuda_copy *copy = find_frame (uploader, frame, &upload->frame), *operand_copy = NULL;

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
    struct histo_cuda_copy **latest = uploader->latest[i];

    keep_copy (uploader, slot, i, reading->copy);
    if (!reading->is_new || reading->id == 0)
      continue;
    reading->copy->id = reading->id;
    memmove (&latest[1], &latest[0], (LATEST - 1) * sizeof latest[0]);
    latest[0] = reading->copy;
  }
  if (uploader->staged.count > 0)
    histo_cuda_staging_begin (uploader->staging, slot, uploader->staged.rows, uploader->staged.count);
}

void
histo_cuda_uploader_release (struct histo_cuda_uploader *uploader, unsigned slot)
{
  for (unsigned i = 0; i < 2; i++) {
    struct histo_cuda_copy *copy = uploader->slots[slot][i];

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
