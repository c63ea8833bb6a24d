/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* See device_frames.h. */

#include <string.h>

#include "device_frames.h"
#include "rig.h"

struct test_device *device;

void
begin_on_device (void)
{
  all.variants = test_variants (&all.count);
  device = test_device_open (false);
}

void
end_on_device (void)
{
  end_test ();
  test_device_close (device);
}

void
upload_frame (const struct test_frame *frame, unsigned offset, CUstream stream, struct histo_frame *on_device,
              CUdeviceptr memory[HISTO_MAX_PLANES])
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
free_planes (const CUdeviceptr memory[HISTO_MAX_PLANES])
{
  for (unsigned p = 0; p < HISTO_MAX_PLANES; p++)
    test_device_free (device, memory[p]);
}

void
pin_frame (const struct test_frame *frame, unsigned offset, struct pinned_frame *pinned)
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
unpin_frame (struct pinned_frame *pinned)
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

histo_ticket
submit_frames (struct histo_engine *engine, const struct histo_frame *frames, unsigned count)
{
  histo_ticket first = 0;
  enum histo_status status
      = count > 1 ? histo_submit_many (engine, frames, count, &first) : histo_submit (engine, frames, &first);

  ck_assert_msg (status == HISTO_OK, "%u frames: %s", count, test_log.text);
  return first;
}

void
check_submission (struct histo_engine *engine, const struct test_variant *variant, const struct histo_frame *on_device,
                  unsigned count, const struct test_frame *frames, const struct histo_frame *views)
{
  static struct test_count expected;
  const histo_ticket first = submit_frames (engine, on_device, count);

  for (unsigned f = 0; f < count; f++) {
    test_frame_count (views != NULL ? &views[f] : &frames[f].frame, &expected);
    collect_equal (engine, first + f, &expected.stats, variant, views != NULL ? frames : &frames[f]);
    test_count_clear (&expected);
  }
}
