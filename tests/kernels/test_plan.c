/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* histo_cuda_plan without a device: frames of any size, most of them too large for any memory. Each sample is counted once, no
 * launch exceeds the driver's limits, and no bin or sum can overflow. */

#include "cuda/host/launch/derive_count.h"
#include "cuda/host/plan/alike.h"
#include "cuda/host/plan/plan.h"
#include "cuda/project.h"

#include <string.h>

#include "frames.h"
#include "runner.h"

#define LARGEST_GRID_X INT32_MAX /* CUDA C++ Programming Guide, technical specifications per compute capability */
#define LARGEST_GRID_Y 65535

static const struct histo_cuda_shape shapes[] = {
  { 132, HISTO_CUDA_WIDE, HISTO_CUDA_TABLE_BYTES (HISTO_CUDA_BINS, HISTO_CUDA_WIDE) * HISTO_CUDA_COMPONENTS,
    &histo_cuda_tunings[0] },
  { 1, HISTO_CUDA_NARROW, HISTO_CUDA_TABLE_BYTES (HISTO_CUDA_BINS, HISTO_CUDA_NARROW) * HISTO_CUDA_COMPONENTS,
    &histo_cuda_tunings[0] },
  { 65535, HISTO_CUDA_WIDE, HISTO_CUDA_TABLE_BYTES (HISTO_CUDA_BINS, HISTO_CUDA_WIDE) * HISTO_CUDA_COMPONENTS,
    &histo_cuda_tunings[0] },
};

/* ---- what holds for every plan -------------------------------------------------------------------------------------- */

/* The maximum number of `count` units that one of `takers` threads or warps gets. */
static uint64_t
busiest (uint64_t count, uint64_t takers)
{
  return count / takers + (count % takers > 0);
}

/* The maximum number of samples that a block of the pass can count in one bin. */
static uint64_t
most_in_a_block (const struct histo_cuda_pass *pass)
{
  const uint64_t warps = HISTO_CUDA_THREADS / 32;
  /* A warp counts the ends of a row, up to 15 bytes on each side, and 1024 samples at a time of those outside the pattern. */
  uint64_t most = (pass->rounds + UINT64_C (1)) * HISTO_CUDA_THREADS * 16
                  + busiest (pass->height, warps * pass->block_count) * warps * (pass->length < 30 ? pass->length : 30);

  for (unsigned c = 0; c < pass->component_count; c++) {
    const uint64_t edge = pass->components[c].head + pass->components[c].tail;

    most += busiest ((edge + 1023) / 1024 * pass->height, warps * pass->block_count) * warps * (edge < 1024 ? edge : 1024);
  }
  return most;
}

/* Samples of component `t` in a row of the pass. */
static uint64_t
samples_in_row (const struct histo_cuda_pass *pass, unsigned t, unsigned sample_bytes)
{
  uint64_t in_period = 0;

  for (unsigned i = 0; i < pass->period && pass->length > 0; i++)
    in_period += (pass->table_at >> (8 * i) & 0xff) == t;
  return in_period * (pass->length / sample_bytes / (pass->period > 0 ? pass->period : 1)) + pass->components[t].head
         + pass->components[t].tail;
}

static void
check_pass (const struct histo_cuda_pass *pass, const struct histo_pass *planned, const char *name)
{
  const uint64_t step = (uint64_t)pass->block_count * HISTO_CUDA_THREADS,
                 vectors = (uint64_t)pass->vectors_per_row * pass->height;

  TEST_REQUIRE (pass->block_count >= 1, "%s: a pass without a block", name);
  TEST_REQUIRE (pass->rounds * step + pass->last_round == vectors && pass->last_round < step,
                "%s: not all vectors have a thread, or some have two", name);
  TEST_REQUIRE (vectors == 0 || (uint64_t)pass->step_rows * pass->vectors_per_row + pass->step_vectors == step,
                "%s: a thread's steps miss vectors", name);
  TEST_REQUIRE (pass->vectors_per_row * UINT64_C (16) <= pass->length
                    && pass->length - pass->vectors_per_row * UINT64_C (16) < 31,
                "%s: vectors of %u of %llu bytes", name, pass->vectors_per_row, (unsigned long long)pass->length);
  TEST_REQUIRE (most_in_a_block (pass) <= UINT32_MAX, "%s: a block of %u counts up to %llu samples", name, pass->block_count,
                (unsigned long long)most_in_a_block (pass));
  for (unsigned c = 0; c < pass->component_count; c++)
    TEST_REQUIRE (samples_in_row (pass, c, planned->sample_bytes) == planned->components[c].width,
                  "%s: %llu of %llu samples of a row are counted", name,
                  (unsigned long long)samples_in_row (pass, c, planned->sample_bytes),
                  (unsigned long long)planned->components[c].width);
}

static void
check_plan (const struct histo_cuda_shape *shape, const struct histo_frame *frames, unsigned count,
            const struct histo_cuda_plan *plan, const char *name)
{
  const struct histo_frame *frame = &frames[0];
  uint64_t samples[HISTO_MAX_COMPONENTS] = { 0 };
  uint32_t blocks = 0;

  TEST_REQUIRE (plan->blocks <= HISTO_CUDA_MAX_BLOCKS && plan->blocks <= LARGEST_GRID_X && count <= LARGEST_GRID_Y,
                "%s: a launch of %ux%u blocks", name, plan->blocks, count);
  TEST_REQUIRE (!plan->words.carries || plan->blocks <= histo_cuda_most_carrying_blocks (shape->multiprocessors),
                "%s: %u blocks with tables", name, plan->blocks);
  TEST_REQUIRE (plan->shared_bytes <= shape->shared_bytes, "%s: %u bytes of shared memory", name, plan->shared_bytes);
  TEST_REQUIRE (plan->count.frame_count == count && plan->count.pass_count <= HISTO_CUDA_PASSES, "%s: %u frames, %u passes",
                name, plan->count.frame_count, plan->count.pass_count);
  for (unsigned p = 0; p < plan->count.pass_count; p++) {
    const struct histo_cuda_pass *pass = &plan->count.passes[p];

    TEST_REQUIRE (pass->first_block == blocks && plan->count.first_block[p] == blocks, "%s: pass %u begins at block %u", name,
                  p, pass->first_block);
    blocks += pass->block_count;
    check_pass (pass, &plan->passes[p], name);
    for (unsigned c = 0; c < pass->component_count; c++)
      samples[plan->passes[p].components[c].index] += plan->passes[p].components[c].width * pass->height;
  }
  TEST_REQUIRE (blocks == plan->blocks, "%s: %u blocks have work, %u are launched", name, blocks, plan->blocks);
  for (unsigned c = 0; c < frame->component_count; c++) {
    const uint64_t expected = frame->components[c].width * frame->planes[frame->components[c].plane].height;

    TEST_REQUIRE (samples[c] == expected && plan->words.publishes[c] == (expected > 0),
                  "%s: component %u has %llu samples, not %llu", name, c, (unsigned long long)samples[c],
                  (unsigned long long)expected);
  }
}

/* ---- frames that are too large for memory --------------------------------------------------------------------------- */

static struct histo_frame
frame_of_planes (unsigned count, const uint64_t *widths, const uint32_t *heights)
{
  struct histo_frame frame
      = { .memory = HISTO_MEMORY_DEVICE, .plane_count = count, .component_count = count, .statistics = HISTO_STATISTIC_DOT };

  for (unsigned p = 0; p < count; p++) {
    frame.planes[p] = (struct histo_plane){ (const void *)(uintptr_t)((p + 1) << 20), widths[p] + 16, heights[p] };
    frame.components[p] = (struct histo_component){
      .plane = p, .step_bytes = 1, .width = widths[p], .sample_bytes = 1, .depth = 8, .bins = 256
    };
  }
  return frame;
}

/* Planes of very different sizes: none gets fewer blocks than its bins need, however small its share. */
TEST (a_share_fits_its_counters)
{
  static const struct {
    uint64_t widths[4];
    uint32_t heights[4];
  } cases[] = {
    { { 1 << 14, 1 << 14, 1 << 14, 29 << 14 }, { 1 << 14, 1 << 14, 1 << 14, 1 << 14 } }, /* 0.25 GiB thrice, and 7.25 GiB */
    { { 29 << 14, 1 << 14, 1 << 14, 1 << 14 }, { 1 << 14, 1 << 14, 1 << 14, 1 << 14 } },
    { { 1 << 16, 1 << 16, 1 << 16, 1 << 16 }, { 1 << 15, 1 << 15, 1 << 15, 3 << 15 } },
    { { 1, 1, 1, 1 << 20 }, { 1, 1, 1, 1 << 20 } },
    { { 1, UINT64_C (1) << 35, 1, 1 }, { UINT32_MAX, 1, UINT32_MAX, 1 } },
  };

  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
    for (unsigned s = 0; s < sizeof shapes / sizeof *shapes; s++)
      for (unsigned count = 1; count <= 2; count++) {
        struct histo_frame frames[2];
        struct histo_cuda_plan plan;

        frames[0] = frames[1] = frame_of_planes (4, cases[i].widths, cases[i].heights);
        ck_assert_int_eq (histo_cuda_plan (&shapes[s], frames, count, &plan), HISTO_OK);
        check_plan (&shapes[s], frames, count, &plan, "a frame of four planes");
      }
}

/* Frames that 65,535 blocks cannot count are refused, whatever overflows in the calculation. */
TEST (too_large_frames_are_refused)
{
  static const struct {
    unsigned planes;
    uint64_t width;
    uint32_t height;
  } cases[] = {
    { 1, UINT64_C (1) << 36, 1 }, /* a row of 2^32 vectors */
    { 1, UINT64_C (1) << 30, (1 << 17) + 1 },
    { 4, UINT64_C (1) << 20, 1 << 28 },
    { 1, UINT64_C (1) << 24, 1 << 24 },
    { 4, UINT64_C (1) << 30, 1 << 18 },
  };

  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
    const uint64_t widths[4] = { cases[i].width, cases[i].width, cases[i].width, cases[i].width };
    const uint32_t heights[4] = { cases[i].height, cases[i].height, cases[i].height, cases[i].height };
    struct histo_frame frame = frame_of_planes (cases[i].planes, widths, heights);
    struct histo_cuda_plan plan;

    ck_assert_msg (histo_cuda_plan (&shapes[0], &frame, 1, &plan) == HISTO_ERROR_UNSUPPORTED, "case %u was planned", i);
    for (unsigned c = 0; c < frame.component_count; c++)
      ck_assert (!plan.words.publishes[c]);
  }
}

/* Pictures too high for the cells' kernel, which multiplies tiles by blocks in 32 bits, use another kernel. */
TEST (high_pictures_have_bands)
{
  static const uint32_t rows[] = { 65536, 65538, 1500000, 8000000 };

  for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
    for (unsigned s = 0; s < sizeof shapes / sizeof *shapes; s++) {
      const uint64_t widths[] = { 8, 4, 4 };
      const uint32_t heights[] = { rows[i], rows[i] / 2, rows[i] / 2 };
      struct histo_frame frame = frame_of_planes (3, widths, heights), operand = frame;
      struct histo_cuda_plan plan;

      frame.statistics = HISTO_STATISTIC_DIFFERENCE;
      frame.chroma.shift_x = frame.chroma.shift_y = 1;
      frame.operand = &operand;
      ck_assert_int_eq (histo_cuda_plan (&shapes[s], &frame, 1, &plan), HISTO_OK);
      ck_assert_int_eq (plan.has_cells, rows[i] <= 65536);
      ck_assert_uint_le (plan.picture_blocks, 65535);
      ck_assert_uint_le ((uint64_t)plan.picture_blocks * plan.picture.tiles, UINT32_MAX);
    }
}

/* ---- random frames -------------------------------------------------------------------------------------------------- */

/* Below 2^bits; small numbers are as frequent as large ones. */
static uint64_t
random_size (struct test_random *random, unsigned bits)
{
  return 1 + test_random_below (random, UINT64_C (1) << (1 + test_random_below (random, bits)));
}

static const void *
random_address (struct test_random *random, unsigned alignment)
{
  return (const void *)(uintptr_t)(test_random_below (random, UINT64_C (1) << 46) / alignment * alignment + 4096);
}

/* False if histo_submit would refuse it. `multiple`: of strides and addresses. */
static bool
make_frame (struct histo_frame *frame, const struct test_layout *layout, uint64_t width, uint64_t height, unsigned multiple,
            struct test_random *random)
{
  *frame = (struct histo_frame){ .statistics = HISTO_STATISTIC_DOT,
                                 .memory = HISTO_MEMORY_DEVICE,
                                 .plane_count = layout->plane_count,
                                 .component_count = layout->component_count };
  for (unsigned p = 0; p < layout->plane_count; p++) {
    uint64_t row_bytes = 0, gap = test_random_once_in (random, 2) ? 0 : random_size (random, 12);
    const uint64_t rows = (height + (UINT64_C (1) << layout->height_shift[p]) - 1) >> layout->height_shift[p];

    for (unsigned c = 0; c < layout->component_count; c++) {
      struct histo_component *component = &frame->components[c];

      if (layout->components[c].plane != p)
        continue;
      *component = (struct histo_component){
        .plane = p,
        .offset_bytes = layout->components[c].offset_bytes,
        .step_bytes = layout->components[c].step_bytes,
        .width = (width + (UINT64_C (1) << layout->components[c].width_shift) - 1) >> layout->components[c].width_shift,
        .sample_bytes = layout->samples[c].sample_bytes > 0 ? layout->samples[c].sample_bytes : 1,
        .depth = layout->samples[c].depth > 0 ? layout->samples[c].depth : 8,
        .shift = layout->samples[c].shift,
        .big_endian = layout->samples[c].big_endian,
        .bins = layout->samples[c].bins > 0 ? layout->samples[c].bins : HISTO_BINS,
      };
      if (component->width > (UINT64_C (1) << (component->sample_bytes == 2 ? 32 : 48)) / rows)
        return false;
      if (row_bytes < component->offset_bytes + component->width * component->step_bytes)
        row_bytes = component->offset_bytes + component->width * component->step_bytes;
    }
    row_bytes = (row_bytes + gap + multiple - 1) / multiple * multiple;
    frame->planes[p] = (struct histo_plane){ random_address (random, multiple), row_bytes, (uint32_t)rows };
    if (row_bytes > (uint64_t)PTRDIFF_MAX / rows)
      return false;
  }
  return true;
}

/* There is a plan for every frame whose planes are shorter than 2^36 bytes: its rows may be joined, and their vectors numbered
 * with 32 bits. */
static bool
must_be_planned (const struct histo_frame *frame)
{
  for (unsigned p = 0; p < frame->plane_count; p++)
    if (frame->planes[p].stride_bytes * frame->planes[p].height >= UINT64_C (15) << 32)
      return false;
  return true;
}

TEST (any_frame)
{
  enum { ROUNDS = 40000, MOST = 3 };
  static const unsigned multiples[] = { 1, 2, 16, 256 };
  unsigned planned = 0, refused = 0;
  struct test_random random = test_random_start (90);

  for (unsigned round = 0; round < ROUNDS; round++) {
    const struct test_layout *layout = &test_layouts[test_random_below (&random, test_layout_count)];
    const struct histo_cuda_shape *shape = &shapes[test_random_below (&random, sizeof shapes / sizeof *shapes)];
    const unsigned count = 1 + (unsigned)test_random_below (&random, MOST);
    const unsigned multiple = multiples[test_random_below (&random, sizeof multiples / sizeof *multiples)];
    const bool with_operand = test_random_once_in (&random, 3), with_pitch = test_random_once_in (&random, 2);
    struct histo_frame frames[MOST], operands[MOST];
    struct histo_cuda_plan plan;
    uint64_t addresses[MOST * HISTO_CUDA_ADDRESSES];
    enum histo_status status;

    if (!make_frame (&frames[0], layout, random_size (&random, 37), random_size (&random, 31), multiple, &random))
      continue;
    for (unsigned i = 0; i < count; i++) {
      frames[i] = frames[0];
      operands[i] = frames[0];
      for (unsigned p = 0; p < frames[i].plane_count; p++) {
        frames[i].planes[p].data = with_pitch ? (const uint8_t *)frames[0].planes[p].data + (uint64_t)i * (4096 + multiple)
                                              : random_address (&random, multiple);
        operands[i].planes[p].data = random_address (&random, multiple);
      }
    }
    for (unsigned i = 0; with_operand && i < count; i++)
      frames[i].operand = &operands[i];
    if (!histo_cuda_frames_are_alike (frames, count)) /* deep samples at odd addresses */
      continue;
    status = histo_cuda_plan (shape, frames, count, &plan);
    if (status == HISTO_OK) {
      planned++;
      check_plan (shape, frames, count, &plan, layout->name);
      histo_cuda_list_addresses (&plan, frames, addresses);
      for (unsigned p = 0; p < plan.count.pass_count; p++)
        TEST_REQUIRE (addresses[p * count] == plan.count.passes[p].data, "%s: pass %u is elsewhere in the list", layout->name,
                      p);
    } else {
      refused++;
      TEST_REQUIRE (status == HISTO_ERROR_UNSUPPORTED && !must_be_planned (&frames[0]), "%s was refused: %s", layout->name,
                    histo_status_text (status));
    }
  }
  ck_assert_uint_gt (planned, ROUNDS / 4);
  ck_assert_uint_gt (refused, 0);
}

/* ---- many frames ---------------------------------------------------------------------------------------------------- */

/* Frames that differ only in addresses go in one launch, but not if only some have an operand or are projected. */
TEST (frames_that_differ_are_not_alike)
{
  enum { COUNT = 3 };
  const uint64_t widths[] = { 64, 32 };
  const uint32_t heights[] = { 16, 16 };

  for (unsigned which = 0; which < COUNT; which++) {
    struct histo_frame frames[COUNT], operand = frame_of_planes (2, widths, heights), other;

    for (unsigned i = 0; i < COUNT; i++)
      frames[i] = frame_of_planes (2, widths, heights);
    ck_assert (histo_cuda_frames_are_alike (frames, COUNT));
    frames[which].operand = &operand;
    ck_assert_msg (!histo_cuda_frames_are_alike (frames, COUNT), "frame %u alone has an operand", which);
    for (unsigned i = 0; i < COUNT; i++)
      frames[i].operand = i == which ? NULL : &operand;
    ck_assert_msg (!histo_cuda_frames_are_alike (frames, COUNT), "frame %u alone has no operand", which);
    for (unsigned i = 0; i < COUNT; i++)
      frames[i].operand = &operand;
    ck_assert (histo_cuda_frames_are_alike (frames, COUNT));
    other = operand;
    other.planes[1].stride_bytes++;
    frames[which].operand = &other;
    ck_assert_msg (!histo_cuda_frames_are_alike (frames, COUNT), "the operand of frame %u has another stride", which);
    for (unsigned i = 0; i < COUNT; i++) {
      frames[i].operand = NULL;
      test_frame_ask (&frames[i], HISTO_STATISTIC_PROJECTION, i == which);
    }
    ck_assert_msg (!histo_cuda_frames_are_alike (frames, COUNT), "frame %u alone is projected", which);
    frames[which] = frame_of_planes (2, widths, heights);
    frames[which].planes[1].stride_bytes++;
    ck_assert_msg (!histo_cuda_frames_are_alike (frames, COUNT), "frame %u has another stride", which);
    frames[which] = frame_of_planes (2, widths, heights);
    frames[which].components[1].width--;
    ck_assert_msg (!histo_cuda_frames_are_alike (frames, COUNT), "frame %u is narrower", which);
  }
}

/* Unlike frames may have any sizes. A frame that has no such kernel, or needs another one, ends a launch, and so does the
 * maximum number. */
TEST (frames_that_differ_go_together)
{
  enum { COUNT = 5, MOST = HISTO_CUDA_UNLIKE + 2 };
  struct histo_frame frames[MOST], operand;

  for (unsigned which = 0; which < COUNT; which++)
    for (unsigned difference = 0; difference < 9; difference++) {
      const uint64_t widths[] = { 64, 32 };
      const uint32_t heights[] = { 16, 16 };
      const unsigned end = difference == 0 ? MOST : COUNT;
      const unsigned together = difference < 2 ? (end < HISTO_CUDA_UNLIKE ? end : HISTO_CUDA_UNLIKE) : which > 0 ? which : 1;
      unsigned found;

      for (unsigned i = 0; i < end; i++) {
        frames[i] = frame_of_planes (2, widths, heights);
        frames[i].components[0].width -= i % 7;
        frames[i].planes[1].height -= i % 3;
        frames[i].planes[1].stride_bytes += i;
        frames[i].statistics = HISTO_STATISTIC_OUTLIERS;
      }
      switch (difference) {
      case 0:
        break;
      case 1:
        frames[which].chroma.phase_x = 1;
        frames[which].gamut.max = 1;
        break;
      case 2:
        operand = frames[which];
        frames[which].operand = &operand;
        frames[which].statistics |= HISTO_STATISTIC_DIFFERENCE;
        break;
      case 3:
        frames[which].statistics |= HISTO_STATISTIC_PROJECTION;
        break;
      case 4:
        frames[which].statistics |= HISTO_STATISTIC_WAVEFORM;
        break;
      case 5:
        frames[which].memory = HISTO_MEMORY_HOST;
        break;
      case 8:
        frames[which].statistics |= HISTO_STATISTIC_LIGHT;
        break;
      case 6: /* deep */
      case 7: /* with too many bins */
        frames[which].components[1] = (struct histo_component){
          .plane = 1, .step_bytes = 2, .width = 8, .sample_bytes = 2, .depth = 16, .bins = difference == 6 ? 256 : 65536
        };
        break;
      }
      found = histo_cuda_count_unlike (frames, end);
      TEST_REQUIRE (found == together, "difference %u in frame %u: %u go together", difference, which, found);
    }
}

/* Each gets a share of the device, all together at most the whole; a large frame gets nearly all. */
TEST (unlike_frames_share_a_device)
{
  enum { COUNT = 16 };

  for (unsigned s = 0; s < sizeof shapes / sizeof *shapes; s++)
    for (unsigned large = 0; large < COUNT; large++) {
      struct histo_cuda_shape shares[COUNT];
      struct histo_frame frames[COUNT];
      unsigned sum = 0;

      for (unsigned i = 0; i < COUNT; i++)
        frames[i] = frame_of_planes (1, (const uint64_t[]){ i == large ? UINT64_C (1) << 32 : i },
                                     (const uint32_t[]){ i == large ? 1 << 16 : i });
      histo_cuda_share_out (&shapes[s], frames, COUNT, shares);
      for (unsigned i = 0; i < COUNT; i++) {
        ck_assert_uint_ge (shares[i].multiprocessors, 1);
        ck_assert_uint_eq (shares[i].shared_bytes, shapes[s].shared_bytes);
        ck_assert_uint_eq (shares[i].columns, shapes[s].columns);
        sum += shares[i].multiprocessors;
      }
      ck_assert_uint_le (sum, shapes[s].multiprocessors > COUNT ? shapes[s].multiprocessors : COUNT);
      ck_assert_uint_ge (shares[large].multiprocessors + COUNT + 1, shapes[s].multiprocessors);
    }
}

/* A bin of more than 4096 has 32 bits in the result. */
TEST (too_many_samples_for_narrow_results)
{
  for (unsigned rows = 65535; rows <= 65536; rows++)
    for (unsigned bins = HISTO_BINS; bins <= HISTO_MAX_BINS; bins *= HISTO_MAX_BINS / HISTO_BINS) {
      struct histo_frame frame = {
        .memory = HISTO_MEMORY_DEVICE,
        .plane_count = 1,
        .component_count = 1,
        .planes = { { (const void *)(uintptr_t)4096, 131072, rows } },
        .components = { { .step_bytes = 2, .width = 65536, .sample_bytes = 2, .depth = 16, .bins = bins } },
      };
      struct histo_cuda_plan plan;

      ck_assert_int_eq (histo_cuda_plan (&shapes[0], &frame, 1, &plan),
                        bins > HISTO_BINS && rows == 65536 ? HISTO_ERROR_UNSUPPORTED : HISTO_OK);
    }
}

/* Whatever the number of a plane's bins, it is read once, and they fit into shared memory. */
TEST (counters_for_each_value_in_one_pass)
{
  static const char *const names[] = { "GRAY16_LE by value",         "14 bits of P016_BE by value", "RGBA64_LE by value",
                                       "15 bits of RGBx64 by value", "13 bits of RGB48 by value",   "Y216_LE, U by value" };
  struct test_random random = test_random_start (93);

  for (unsigned n = 0; n < sizeof names / sizeof *names; n++)
    for (unsigned s = 0; s < sizeof shapes / sizeof *shapes; s++) {
      struct histo_cuda_plan plan;
      TEST_AT_END (test_frame_clear) struct test_frame frame = { 0 };

      test_frame_init (&frame, test_layout_find (names[n]), &(struct test_geometry){ .width = 64, .height = 4 }, TEST_FILL_ZERO,
                       &random);
      ck_assert_int_eq (histo_cuda_plan (&shapes[s], &frame.frame, 1, &plan), HISTO_OK);
      ck_assert_uint_eq (plan.count.pass_count, frame.frame.plane_count);
      ck_assert_uint_le (plan.shared_bytes, shapes[s].shared_bytes);
      for (unsigned p = 0; p < plan.count.pass_count; p++) {
        const struct histo_cuda_pass *pass = &plan.count.passes[p];
        const uint64_t bits = UINT64_C (1) << pass->bits_log2;

        /* The widest bins that fit. */
        ck_assert_uint_eq (pass->bins * bits / 8, pass->table_bytes);
        ck_assert (bits == 32 || 2 * pass->table_bytes * pass->tables > shapes[s].shared_bytes);
        ck_assert_uint_eq (UINT64_C (4) << pass->words_log2, pass->table_bytes);
        ck_assert_uint_eq (pass->counter_mask, (UINT64_C (1) << bits) - 1);
      }
    }
}

/* The sum of a thread's samples fits into 32 bits, whatever the number of blocks. Larger frames are derived first and counted
 * by other kernels. */
TEST (sums_of_derived_samples_fit)
{
  enum { DEPTH = 16, LARGEST = (1 << DEPTH) - 1 };
  static const struct {
    unsigned multiprocessors;
    uint32_t height; /* of 65,536 samples each */
    bool is_counted;
  } cases[] = {
    { 1, 1023, true }, { 1, 1025, false }, { 3, 3071, true }, { 3, 3073, false }, { 132, 5400, true }, { 132, 5500, false },
  };
  static const struct histo_cuda_words words
      = { .with_sums = true, .component_count = 4, .bins = { HISTO_BINS, HISTO_BINS, HISTO_BINS, HISTO_BINS } };

  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct histo_cuda_shape shape = shapes[0];
    struct histo_cuda_derive derive = { .width = 65536, .height = cases[i].height, .row_groups = 16384, .count = 1 };
    struct histo_cuda_derive_count count;
    unsigned blocks;

    for (unsigned c = 0; c < 3; c++)
      derive.sources[c] = (struct histo_cuda_picture_component){
        .data = (c + 1) * (UINT64_C (1) << 40),
        .stride_bytes = 2 * derive.width,
        .step_bytes = 2,
        .width = derive.width,
        .height = derive.height,
        .mask = LARGEST,
        .sample_bytes = 2,
        .depth = DEPTH,
      };
    shape.multiprocessors = cases[i].multiprocessors;
    blocks = histo_cuda_describe_derive_count (&shape, &words, &derive, NULL, &count);
    ck_assert_msg ((blocks > 0) == cases[i].is_counted, "case %u: %u blocks", i, blocks);
    if (blocks == 0)
      continue;
    ck_assert_uint_le (blocks, shape.multiprocessors);
    ck_assert_uint_le (histo_cuda_find_derive_tables (&count), shape.shared_bytes);
    ck_assert_uint_le (busiest ((uint64_t)derive.row_groups * derive.height, blocks * HISTO_CUDA_THREADS)
                           * HISTO_CUDA_DERIVE_SAMPLES * LARGEST,
                       UINT32_MAX);
  }
}

/* Each device has a row of measured constants, and the code can divide by them. */
TEST (each_device_has_a_tuning)
{
  for (unsigned i = 1; i < HISTO_CUDA_TUNINGS; i++)
    ck_assert_uint_lt (histo_cuda_tunings[i - 1].capability, histo_cuda_tunings[i].capability);
  for (unsigned i = 0; i < HISTO_CUDA_TUNINGS; i++) {
    const struct histo_cuda_tuning *tuning = &histo_cuda_tunings[i];

    ck_assert_ptr_eq (histo_cuda_find_tuning (tuning->capability), tuning);
    ck_assert_ptr_eq (histo_cuda_find_tuning (tuning->capability - 1), &histo_cuda_tunings[i > 0 ? i - 1 : 0]);
    ck_assert_uint_le (tuning->zero_copy_busy_bytes, tuning->zero_copy_idle_bytes);
    ck_assert_uint_gt (tuning->bounce_bytes, 0);
    ck_assert_uint_gt (tuning->block_bytes, 0);
    ck_assert_uint_gt (tuning->project_rows, 0);
    ck_assert_uint_gt (tuning->project_blocks, 0);
    ck_assert_uint_gt (tuning->picture_rows, 0);
    ck_assert_uint_gt (tuning->picture_blocks, 0);
    ck_assert_uint_gt (tuning->waveform_rows, 0);
    ck_assert_uint_gt (tuning->waveform_blocks, 0);
  }
  ck_assert_ptr_eq (histo_cuda_find_tuning (999), &histo_cuda_tunings[HISTO_CUDA_TUNINGS - 1]);
}

TEST_MAIN
