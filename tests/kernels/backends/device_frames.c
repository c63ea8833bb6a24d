/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* See device_frames.h. */

#include <string.h>

#include "device_frames.h"
#include "rig.h"

void
upload_frame (const struct test_device *device, const struct test_frame *frame, unsigned offset, CUstream stream,
              struct histo_frame *on_device, CUdeviceptr memory[HISTO_MAX_PLANES])
{
  *on_device = frame->frame;
  on_device->memory = HISTO_MEMORY_DEVICE;
  on_device->stream = stream;
  on_device->operand = NULL;
  for (unsigned p = 0; p < frame->layout->plane_count; p++) {
    size_t size = frame->memory[p].size;
    size_t begin = (size_t)((const uint8_t *)frame->frame.planes[p].data - frame->memory[p].bytes);

    memory[p] = test_device_alloc (device, size + offset);
    test_device_upload (device, memory[p] + offset, frame->memory[p].bytes, size, stream);
    on_device->planes[p].data = (const void *)(uintptr_t)(memory[p] + offset + begin);
  }
}

void
free_planes (const struct test_device *device, const CUdeviceptr memory[HISTO_MAX_PLANES])
{
  for (unsigned p = 0; p < HISTO_MAX_PLANES; p++)
    test_device_free (device, memory[p]);
}

void
pin_frame (const struct test_device *device, const struct test_frame *frame, unsigned offset, struct pinned_frame *pinned)
{
  *pinned = (struct pinned_frame){ .frame = frame->frame };
  for (unsigned p = 0; p < frame->layout->plane_count; p++) {
    uint8_t *bytes = pinned->memory[p] = test_device_alloc_pinned (device, frame->memory[p].size + offset);
    const uint8_t *data = frame->frame.planes[p].data;

    memcpy (bytes + offset, frame->memory[p].bytes, frame->memory[p].size);
    pinned->frame.planes[p].data = bytes + offset + (data - frame->memory[p].bytes);
  }
}

void
unpin_frame (const struct test_device *device, struct pinned_frame *pinned)
{
  for (unsigned p = 0; p < HISTO_MAX_PLANES; p++)
    test_device_free_pinned (device, pinned->memory[p]);
}

struct histo_frame
describe_bytes (const struct test_frame *bytes, CUdeviceptr data, uint64_t width)
{
  struct histo_frame frame = bytes->frame;

  frame.memory = HISTO_MEMORY_DEVICE;
  frame.planes[0].data = (const void *)(uintptr_t)data;
  frame.components[0].width = width;
  return frame;
}

struct histo_frame
view_rows (const struct histo_frame *picture, unsigned row, unsigned chroma_row, uint32_t height)
{
  struct histo_frame view = *picture;

  for (unsigned p = 0; p < picture->plane_count; p++) {
    view.planes[p].data
        = (const uint8_t *)picture->planes[p].data + (p == 0 ? row : chroma_row) * picture->planes[p].stride_bytes;
    view.planes[p].height = height;
  }
  return view;
}

void
check_submission (struct histo_engine *engine, const struct test_variant *variant, const struct histo_frame *on_device,
                  unsigned count, const struct test_frame *frames, const struct histo_frame *views)
{
  static struct test_count expected;
  struct histo_stats stats = { 0 };
  histo_ticket first;
  enum histo_status status
      = count > 1 ? histo_submit_many (engine, on_device, count, &first) : histo_submit (engine, on_device, &first);

  ck_assert_msg (status == HISTO_OK, "%s: %s", variant->name, test_log.text);
  for (unsigned f = 0; f < count; f++) {
    test_frame_count (views != NULL ? &views[f] : &frames[f].frame, &expected);
    ck_assert_msg (histo_collect (engine, first + f, &stats) == HISTO_OK, "%s: %s", variant->name, test_log.text);
    assert_equal (&expected.stats, &stats, variant, views != NULL ? frames : &frames[f]);
    test_count_clear (&expected);
  }
  histo_stats_clear (&stats);
}
