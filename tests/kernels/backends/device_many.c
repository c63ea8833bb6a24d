/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Many frames in one submission, in device memory. */

#include <string.h>

#include "device_frames.h"
#include "fakecuda.h"
#include "rig.h"
#include "runner.h"

TEST_FIXTURE (begin_on_device, end_on_device)

#define MANY 6

/* Frames of one layout and size in device memory: `count` in one submission, or a single one. */
struct many {
  const struct test_layout *layout;
  struct test_geometry geometry;
  unsigned count;
  unsigned offset, operand_offset; /* bytes after the start of an allocation; MAX_OFFSET: each frame has its own */
  bool has_operand, project;
};

#define MAX_OFFSET 16

static unsigned
choose_offset (unsigned offset, struct test_random *random)
{
  return offset < MAX_OFFSET ? offset : (unsigned)test_random_below (random, MAX_OFFSET);
}

static void
check_many_on_device (struct histo_engine *engine, const struct test_variant *variant, const struct many *many,
                      struct test_random *random)
{
  CUdeviceptr memory[MANY][HISTO_MAX_PLANES] = { 0 }, operand_memory[MANY][HISTO_MAX_PLANES] = { 0 };
  struct test_frame frames[MANY], operands[MANY];
  struct histo_frame on_device[MANY], operands_on_device[MANY];

  for (unsigned f = 0; f < many->count; f++) {
    CUstream stream = f % 3 == 0 ? device->stream : f % 3 == 1 ? device->other_stream : NULL;

    test_frame_init (&frames[f], many->layout, &many->geometry, choose_fill (random), random);
    test_frame_init (&operands[f], many->layout, &many->geometry, TEST_FILL_RANDOM, random);
    test_frame_ask (&frames[f].frame, HISTO_STATISTIC_PROJECTION, many->project);
    upload_frame (&frames[f], choose_offset (many->offset, random), stream, &on_device[f], memory[f]);
    if (many->has_operand) { /* otherwise nothing waits for it */
      upload_frame (&operands[f], choose_offset (many->operand_offset, random), device->other_stream, &operands_on_device[f],
                    operand_memory[f]);
      frames[f].frame.operand = &operands[f].frame;
      on_device[f].operand = &operands_on_device[f];
    }
  }
  check_submission (engine, variant, on_device, many->count, frames, NULL);
  for (unsigned f = 0; f < many->count; f++) {
    free_planes (memory[f]);
    free_planes (operand_memory[f]);
    test_frame_clear (&frames[f]);
    test_frame_clear (&operands[f]);
  }
}

TEST_TAGGED (many_in_device_memory, "device")
{
  struct test_random random = test_random_start (61);

  for (unsigned v = 0; v < all.count; v++) {
    TEST_AT_END (histo_close)
    struct histo_engine *engine = open_variant (&all.variants[v], 2 * MANY + 1); /* submissions wrap around */

    for (unsigned l = 0; l < test_layout_count; l++) {
      for (unsigned repeat = l % test_stride (1); repeat < 3 && test_layouts[l].components[0].step_bytes <= 8;
           repeat += test_stride (1)) {
        const uint32_t *size = sizes[test_random_below (&random, SIZE_COUNT)];
        unsigned offset = (unsigned)test_random_below (&random, 2 * MAX_OFFSET);
        const struct many many = {
          .layout = &test_layouts[l],
          .geometry = test_geometry_random (size[0], size[1], &random),
          .count = 2 + (unsigned)test_random_below (&random, MANY - 1),
          .offset = offset,
          .operand_offset = offset,
          .has_operand = test_random_below (&random, 2) == 0,
          .project = test_random_below (&random, 3) == 0,
        };

        check_many_on_device (engine, &all.variants[v], &many, &random);
      }
    }
  }
}

/* Views of one picture. If they and their operands have a constant distance, the kernel needs no list of addresses. */
TEST_TAGGED (views_in_device_memory, "device")
{
  enum { VIEWS = 5, HEIGHT = 9, ROWS = 2 * (HEIGHT + 20) };
  static const char *const layouts[] = { "GRAY8", "NV12", "P010_10LE" };
  static const struct {
    unsigned rows[VIEWS], chroma_rows[VIEWS], operand_rows[VIEWS];
  } cases[] = {
    { { 0, 3, 6, 9, 12 }, { 0, 3, 6, 9, 12 }, { 1, 4, 7, 10, 13 } },    /* one distance */
    { { 12, 9, 6, 3, 0 }, { 16, 13, 10, 7, 4 }, { 13, 10, 7, 4, 1 } },  /* back */
    { { 5, 5, 5, 5, 5 }, { 5, 5, 5, 5, 5 }, { 5, 5, 5, 5, 5 } },        /* none */
    { { 0, 3, 6, 9, 13 }, { 0, 3, 6, 9, 13 }, { 1, 4, 7, 10, 14 } },    /* except the last */
    { { 0, 3, 6, 9, 12 }, { 0, 3, 6, 10, 13 }, { 1, 4, 7, 10, 13 } },   /* except in a plane */
    { { 0, 3, 6, 9, 12 }, { 0, 3, 6, 9, 12 }, { 12, 12, 12, 12, 12 } }, /* except the operand */
  };
  struct test_random random = test_random_start (67);

  for (unsigned l = 0; l < sizeof layouts / sizeof *layouts; l++) {
    const struct test_geometry geometry = { .width = 80, .height = ROWS };
    TEST_AT_END (test_frame_clear) struct test_frame picture = { 0 };
    struct histo_frame on_device;
    CUdeviceptr memory[HISTO_MAX_PLANES] = { 0 };

    test_frame_init (&picture, test_layout_find (layouts[l]), &geometry, TEST_FILL_RANDOM, &random);
    upload_frame (&picture, 0, NULL, &on_device, memory);
    for (unsigned v = 0; v < all.count; v++) {
      TEST_AT_END (histo_close) struct histo_engine *engine = open_variant (&all.variants[v], VIEWS);

      for (unsigned i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        const unsigned c = i / 2;
        struct histo_frame views[VIEWS], operands[VIEWS], on_host[VIEWS], operands_on_host[VIEWS];

        for (unsigned f = 0; f < VIEWS; f++) {
          views[f] = view_rows (&on_device, cases[c].rows[f], cases[c].chroma_rows[f], HEIGHT);
          operands[f] = view_rows (&on_device, cases[c].operand_rows[f], cases[c].operand_rows[f], HEIGHT);
          views[f].operand = i % 2 ? &operands[f] : NULL;
          on_host[f] = view_rows (&picture.frame, cases[c].rows[f], cases[c].chroma_rows[f], HEIGHT);
          operands_on_host[f] = view_rows (&picture.frame, cases[c].operand_rows[f], cases[c].operand_rows[f], HEIGHT);
          on_host[f].operand = i % 2 ? &operands_on_host[f] : NULL;
        }
        check_submission (engine, &all.variants[v], views, VIEWS, &picture, on_host);
      }
    }
    free_planes (memory);
  }
}

/* One component in rows of whole vectors, for which there is a kernel, and frames that only resemble that. */
TEST_TAGGED (planes_in_device_memory, "device")
{
  static const struct {
    uint32_t width, height;
    size_t extra_stride;
    unsigned counts[2];
  } cases[] = {
    { 64, 3, 0, { 1, 4 } },        { 64, 3, 8, { 1, 4 } },     { 64, 3, 64, { 1, 4 } },   { 1000, 3, 0, { 1, 4 } },
    { 1000, 3, 8, { 1, 4 } },      { 1920, 30, 64, { 1, 4 } }, { 1920, 30, 8, { 1, 4 } }, { 8, 1, 0, { 1, 4 } },
    { 1920, 1080, 128, { 1, 1 } }, /* more vectors than a thread has in flight, in one frame or many */
    { 3840, 2160, 256, { 4, 4 } },
  };
  static const unsigned offsets[] = { 0, 8 };
  const bool is_real = fakecuda_find () == NULL;
  struct test_random random = test_random_start (64);

  for (unsigned v = 0; v < all.count; v++) {
    TEST_AT_END (histo_close) struct histo_engine *engine = open_variant (&all.variants[v], MANY);

    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
      for (unsigned k = 0; k < 2 * 2 * 3; k++) {
        const bool is_large = cases[i].height > 1000; /* a GPU then counts it differently */
        const struct many many = {
          .layout = test_layout_find ("GRAY8"),
          .geometry = { .width = cases[i].width, .height = cases[i].height, .extra_stride_bytes = cases[i].extra_stride },
          .count = cases[i].counts[k % 2],
          .offset = offsets[k / 2 % 2],
          .operand_offset = offsets[k / 4 % 2],
          .has_operand = k / 4 < 2,
        };

        if (!is_large || (is_real && (k == 0 || k == 8))) /* aligned alike; without an operand */
          check_many_on_device (engine, &all.variants[v], &many, &random);
      }
    }
  }
}

/* Many such frames, packed or in rows with gaps, from fewer vectors than a thread has in flight to many rounds of a block.
 * Their distance is constant or, with every second pair exchanged, not. */
TEST_TAGGED (planes_of_any_length, "device large")
{
  static const struct {
    unsigned count;
    uint32_t width, height, gap; /* gap: bytes between rows */
    bool has_operand;
  } cases[] = {
    { 2, 2000000, 1, 0, false }, { 3, 16, 1, 0, false },     { 64, 50000, 1, 0, false }, { 64, 16, 701, 32, false },
    { 63, 16400, 3, 16, false }, { 511, 4096, 1, 0, false }, { 40, 160, 37, 16, false }, { 300, 16384, 1, 0, false },
    { 5, 524288, 1, 0, true },   { 130, 16, 129, 16, true }, { 70, 32768, 1, 0, true },  { 2, 16384, 1, 0, true },
    { 7, 1040, 200, 48, true },
  };
  enum { MOST = 511, DISTANCE = 48 };
  static struct histo_frame frames[MOST], operands[MOST];
  static struct test_count expected;
  struct test_random random = test_random_start (68);

  for (unsigned i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
    const unsigned c = i / 2, frame_count = cases[c].count;
    const bool is_listed = i % 2 && !cases[c].has_operand;
    const uint64_t stride = cases[c].width + cases[c].gap, size = stride * cases[c].height, pitch = size + DISTANCE;
    TEST_AT_END (test_frame_clear) struct test_frame bytes = { 0 };
    CUdeviceptr memory;

    test_frame_init_bytes (&bytes, pitch * (frame_count + 1), 0, TEST_GUARD_NONE, TEST_FILL_RANDOM, &random);
    memory = test_device_store (device, bytes.memory[0].bytes, bytes.memory[0].size, pitch * (frame_count + 1));
    for (unsigned v = 0; v < all.count; v++) {
      TEST_AT_END (histo_close) struct histo_engine *engine = open_variant (&all.variants[v], frame_count);

      for (unsigned f = 0; f < frame_count; f++) {
        const uint64_t at = is_listed && (f ^ 1) < frame_count ? f ^ 1 : f;

        frames[f] = describe_bytes (&bytes, memory + at * pitch, cases[c].width);
        frames[f].planes[0].height = cases[c].height;
        frames[f].planes[0].stride_bytes = stride;
        operands[f] = frames[f];
        operands[f].planes[0].data = (const uint8_t *)operands[f].planes[0].data + pitch;
        frames[f].operand = cases[c].has_operand ? &operands[f] : NULL;
      }
      for (unsigned again = 0; again < 2; again++) {
        const histo_ticket first = submit_frames (engine, frames, frame_count);

        for (unsigned f = 0; f < frame_count; f++) {
          struct histo_frame frame = frames[f], operand = operands[f];
          const uint8_t *base = bytes.memory[0].bytes;

          frame.memory = operand.memory = HISTO_MEMORY_HOST;
          frame.planes[0].data = base + ((uintptr_t)frames[f].planes[0].data - memory);
          operand.planes[0].data = base + ((uintptr_t)operands[f].planes[0].data - memory);
          frame.operand = cases[c].has_operand ? &operand : NULL;
          test_frame_count (&frame, &expected);
          collect_equal (engine, first + f, &expected.stats, &all.variants[v], &bytes);
        }
      }
    }
    test_device_free (device, memory);
  }
  test_count_clear (&expected);
}

/* The number of frames whose addresses fit into the launch parameter, and one more; several launches at once. */
TEST_TAGGED (planes_with_listed_addresses, "device")
{
  enum { LAUNCHES = 6, MOST = 67, STEP = 16, LENGTH = 4096 };
  static const unsigned counts[LAUNCHES] = { 2, 64, 65, 63, 64, 67 };
  static const bool projects[LAUNCHES] = { false, false, false, false, true, true };
  static struct histo_frame frames[MOST];
  static struct test_count expected;
  struct test_random random = test_random_start (66);
  TEST_AT_END (test_frame_clear) struct test_frame bytes = { 0 };
  CUdeviceptr memory;

  test_frame_init_bytes (&bytes, LENGTH + STEP * MOST, 0, TEST_GUARD_NONE, TEST_FILL_RANDOM, &random);
  memory = test_device_store (device, bytes.memory[0].bytes, bytes.memory[0].size, LENGTH + STEP * MOST);
  for (unsigned v = 0; v < all.count; v++) {
    TEST_AT_END (histo_close) struct histo_engine *engine = open_variant (&all.variants[v], LAUNCHES * MOST);
    histo_ticket first[LAUNCHES];

    for (unsigned i = 0; i < LAUNCHES; i++) {
      for (unsigned f = 0; f < counts[i]; f++) {
        /* All different, in no order. */
        frames[f] = describe_bytes (&bytes, memory + STEP * ((7 * f + i) % MOST), LENGTH);
        test_frame_ask (&frames[f], HISTO_STATISTIC_PROJECTION, projects[i]);
      }
      first[i] = submit_frames (engine, frames, counts[i]);
    }
    for (unsigned i = 0; i < LAUNCHES; i++)
      for (unsigned f = 0; f < counts[i]; f++) {
        struct histo_frame frame = bytes.frame;

        frame.components[0].width = LENGTH;
        test_frame_ask (&frame, HISTO_STATISTIC_PROJECTION, projects[i]);
        frame.planes[0].data = bytes.memory[0].bytes + STEP * ((7 * f + i) % MOST);
        test_frame_count (&frame, &expected);
        collect_equal (engine, first[i] + f, &expected.stats, &all.variants[v], &bytes);
        test_count_clear (&expected);
      }
  }
  test_device_free (device, memory);
}

/* A component without samples before the counted one: the words of the counted one are not the frame's first. */
TEST_TAGGED (empty_component_first, "device")
{
  enum { FRAMES = 601 };
  static struct histo_frame frames[FRAMES];
  static struct test_count expected;
  struct test_random random = test_random_start (65);
  TEST_AT_END (test_frame_clear) struct test_frame bytes = { 0 };
  CUdeviceptr memory[HISTO_MAX_PLANES];

  test_frame_init_bytes (&bytes, 4096, 0, TEST_GUARD_NONE, TEST_FILL_RANDOM, &random);
  bytes.frame.component_count = 2;
  bytes.frame.components[1] = bytes.frame.components[0];
  bytes.frame.components[0].width = 0;
  test_frame_count (&bytes.frame, &expected);
  upload_frame (&bytes, 0, NULL, &frames[0], memory);
  for (unsigned f = 1; f < FRAMES; f++)
    frames[f] = frames[0];
  for (unsigned v = 0; v < all.count; v++) {
    TEST_AT_END (histo_close) struct histo_engine *engine = open_variant (&all.variants[v], FRAMES);

    for (unsigned many = 1; many <= FRAMES; many += FRAMES - 1) {
      const histo_ticket first = submit_frames (engine, frames, many);

      for (unsigned f = 0; f < many; f++)
        collect_equal (engine, first + f, &expected.stats, &all.variants[v], &bytes);
    }
  }
  test_device_free (device, memory[0]);
}

/* Enough frames for the kernel for small frames, two a block, at all lengths and addresses, in consecutive launches: in
 * ascending, descending and no order. */
TEST_TAGGED (many_small_in_device_memory, "device")
{
  enum { FRAMES = 601, ROUNDS = 7, MOST = 5000 };
  static struct histo_frame frames[ROUNDS][FRAMES];
  static struct test_count expected;
  struct test_random random = test_random_start (62);
  TEST_AT_END (test_frame_clear) struct test_frame bytes = { 0 };
  CUdeviceptr memory;

  test_frame_init_bytes (&bytes, MOST + FRAMES, 0, TEST_GUARD_NONE, TEST_FILL_RANDOM, &random);
  memory = test_device_store (device, bytes.memory[0].bytes, bytes.memory[0].size, MOST + FRAMES);
  for (unsigned v = 0; v < all.count; v++) {
    TEST_AT_END (histo_close) struct histo_engine *engine = open_variant (&all.variants[v], 2 * FRAMES);
    uint64_t sizes_of_rounds[ROUNDS]
        = { 4096, 1, 15, 17, 1 + test_random_below (&random, 64), 1 + test_random_below (&random, MOST), 4096 };
    unsigned places[ROUNDS][FRAMES];
    histo_ticket first[ROUNDS];

    for (unsigned round = 0; round <= ROUNDS; round++) {
      for (unsigned f = 0; round < ROUNDS && f < FRAMES; f++) {
        places[round][f] = round % 3 == 0 ? f : round % 3 == 1 ? FRAMES - 1 - f : 7 * f % FRAMES;
        if (round == ROUNDS - 1 && f == FRAMES - 1)
          places[round][f] = 0; /* except the last */
        frames[round][f] = describe_bytes (&bytes, memory + places[round][f], sizes_of_rounds[round]);
      }
      if (round < ROUNDS)
        first[round] = submit_frames (engine, frames[round], FRAMES);
      for (unsigned f = 0; round > 0 && f < FRAMES; f++) { /* those before */
        struct histo_frame frame = frames[round - 1][f];

        frame.memory = HISTO_MEMORY_HOST;
        frame.planes[0].data = bytes.memory[0].bytes + places[round - 1][f];
        test_frame_count (&frame, &expected);
        collect_equal (engine, first[round - 1] + f, &expected.stats, &all.variants[v], &bytes);
      }
    }
  }
  test_device_free (device, memory);
}
