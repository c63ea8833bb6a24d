/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Frames of different sizes in one submission: regions of a picture in device memory, or of its copy there. The reference
 * counts the same regions in host memory. */

#include <time.h>

#include "cuda/count.h"
#include "device_frames.h"
#include "rig.h"
#include "runner.h"

TEST_FIXTURE (begin_on_device, end_on_device)

#define MOST 17 /* in a submission */

/* Statistics that the kernels for unlike frames support. */
#define TOGETHER \
  ~(uint32_t)(HISTO_STATISTIC_PROJECTION | HISTO_STATISTIC_WAVEFORM | HISTO_STATISTIC_VECTORSCOPE | HISTO_STATISTIC_LIGHT)

struct area {
  uint32_t x, y, width, height; /* pixels */
};

/* A picture and the previous one, on the device and in host memory. */
struct pictures {
  struct test_frame host[2];
  struct histo_frame device[2];
  CUdeviceptr memory[2][HISTO_MAX_PLANES];
};

static void
open_pictures (struct pictures *pictures, const char *layout, const struct test_geometry *geometry, unsigned offset,
               struct test_random *random)
{
  static uint64_t last_id;

  *pictures = (struct pictures){ 0 };
  for (unsigned i = 0; i < 2; i++) {
    test_frame_init (&pictures->host[i], test_layout_find (layout), geometry, TEST_FILL_SKEWED, random);
    test_frame_set_gamut (&pictures->host[i], 2);
    pictures->host[i].frame.id = ++last_id;
    upload_frame (&pictures->host[i], offset, i == 0 ? device->stream : device->other_stream, &pictures->device[i],
                  pictures->memory[i]);
  }
}

static void
close_pictures (struct pictures *pictures)
{
  for (unsigned i = 0; i < 2; i++) {
    free_planes (pictures->memory[i]);
    test_frame_clear (&pictures->host[i]);
  }
}

static struct area
choose_area (const struct test_geometry *picture, struct test_random *random)
{
  struct area area
      = { (uint32_t)test_random_below (random, picture->width), (uint32_t)test_random_below (random, picture->height), 1, 1 };

  if (test_random_once_in (random, 2)) { /* for cells of a 4:2:0 picture */
    area.x -= area.x % 16;
    area.y -= area.y % 2;
  }
  if (!test_random_once_in (random, 8)) {
    area.width += (uint32_t)test_random_below (random, picture->width - area.x);
    area.height += (uint32_t)test_random_below (random, picture->height - area.y);
  }
  if (area.x % 16 == 0 && area.width > 16)
    area.width -= area.width % 16;
  return area;
}

/* Finds the samples of `pixels` pixels from `first` on, if 1 << shift pixels share a sample and the picture is cropped by
 * `crop` pixels. Returns the first sample; *count is their number. */
static uint32_t
find_samples (uint32_t crop, uint32_t first, uint32_t pixels, unsigned shift, uint32_t *count)
{
  const uint32_t begin = ((crop + first) >> shift) - (crop >> shift);

  *count = ((crop + first + pixels - 1) >> shift) - (crop >> shift) - begin + 1;
  return begin;
}

/* A region of a picture, on the device or in host memory. */
static struct histo_frame
cut_out (const struct histo_frame *picture, const struct test_frame *described, const struct area *area)
{
  const struct test_layout *layout = described->layout;
  const struct test_geometry *geometry = &described->geometry;
  struct histo_frame part = *picture;
  uint32_t begin, count;

  for (unsigned p = 0; p < layout->plane_count; p++) {
    begin = find_samples (geometry->top, area->y, area->height, layout->height_shift[p], &count);
    part.planes[p].data = (const uint8_t *)part.planes[p].data + begin * part.planes[p].stride_bytes;
    part.planes[p].height = count;
  }
  for (unsigned c = 0; c < layout->component_count; c++) {
    begin = find_samples (geometry->left, area->x, area->width, layout->components[c].width_shift, &count);
    part.components[c].offset_bytes += begin * part.components[c].step_bytes;
    part.components[c].width = count;
  }
  part.chroma.phase_x = (uint8_t)((part.chroma.phase_x + area->x) % (1u << part.chroma.shift_x));
  part.chroma.phase_y = (uint8_t)((part.chroma.phase_y + area->y) % (1u << part.chroma.shift_y));
  return part;
}

/* A submitted region, and the reference's result. */
struct part {
  struct histo_frame frame, operand;
  struct histo_stats expected;
};

static void
make_part (struct part *part, const struct pictures *pictures, const struct area *area, uint32_t statistics, bool has_operand,
           struct histo_engine *reference)
{
  const struct test_frame *described = &pictures->host[0];
  struct histo_frame host = cut_out (&pictures->host[0].frame, described, area),
                     host_operand = cut_out (&pictures->host[1].frame, described, area);

  part->frame = cut_out (&pictures->device[0], described, area);
  part->operand = cut_out (&pictures->device[1], described, area);
  host.statistics = part->frame.statistics = statistics;
  host.operand = has_operand ? &host_operand : NULL;
  part->frame.operand = has_operand ? &part->operand : NULL;
  ck_assert_int_eq (test_engine_count (reference, &host, &part->expected), HISTO_OK);
}

/* The same region in host memory. */
static void
move_to_host (struct part *part, const struct pictures *pictures, const struct area *area)
{
  const struct histo_frame on_device = part->frame;

  part->frame = cut_out (&pictures->host[0].frame, &pictures->host[0], area);
  part->operand = cut_out (&pictures->host[1].frame, &pictures->host[0], area);
  part->frame.statistics = on_device.statistics;
  part->frame.operand = on_device.operand;
}

/* Counts the whole picture in host memory, so that the engine copies both, unless they are so small that it reads them in
 * place. */
static void
count_whole (struct histo_engine *engine, const struct pictures *pictures)
{
  struct histo_frame frame = pictures->host[0].frame;

  frame.operand = &pictures->host[1].frame;
  frame.statistics = HISTO_STATISTIC_DOT;
  ck_assert_msg (test_engine_count (engine, &frame, &stats) == HISTO_OK, "%s", test_log.text);
}

static void
submit_parts (struct histo_engine *engine, const struct part *const *parts, unsigned count, histo_ticket *first)
{
  struct histo_frame frames[MOST];

  for (unsigned i = 0; i < count; i++)
    frames[i] = parts[i]->frame;
  ck_assert_msg (histo_submit_many (engine, frames, count, first) == HISTO_OK, "%s", test_log.text);
}

static void
collect_part (struct histo_engine *engine, const struct test_variant *variant, const struct pictures *pictures,
              const struct part *part, histo_ticket ticket)
{
  collect_equal (engine, ticket, &part->expected, variant, &pictures->host[0]);
}

/* Regions of pictures of every kind, two or more, in submissions that wrap around the slots; and regions that one launch cannot
 * count together, which separate kernels count. */
TEST_TAGGED (regions_of_pictures, "device")
{
  static const char *const layouts[] = { "GRAY8",
                                         "I420",
                                         "NV12",
                                         "NV21",
                                         "YUV9",
                                         "Y444",
                                         "YUY2",
                                         "RGB",
                                         "RGBA",
                                         "P010_10LE",
                                         "I420_10LE",
                                         "Y210",
                                         "P016_BE",
                                         "GRAY10_LE",
                                         "GRAY16_LE by value",
                                         "a plane without components" };
  static const unsigned modes[] = { 0, 1, 2, 3, 4, 5, 2, 3, 5 }; /* the last three in host memory */
  static struct part parts[MOST];
  const struct part *submitted[MOST];
  TEST_AT_END (histo_close) struct histo_engine *reference = open_reference ();
  struct test_random random = test_random_start (280);

  for (unsigned i = 0; i < MOST; i++)
    submitted[i] = &parts[i];
  for (unsigned v = 0; v < all.count; v++) {
    TEST_AT_END (histo_close) struct histo_engine *engine = open_variant (&all.variants[v], 2 * MOST + 1);

    for (unsigned n = 0; n < sizeof layouts / sizeof *layouts; n += test_stride (1)) {
      const struct test_geometry any = test_geometry_random (150, 45, &random), even = { .width = 192, .height = 40 };
      struct pictures pictures;

      open_pictures (&pictures, layouts[n], n % 2 == 0 ? &even : &any, (n / 2 % 2) * (unsigned)test_random_below (&random, 16),
                     &random);
      for (unsigned m = 0; m < sizeof modes / sizeof *modes; m++) {
        const bool in_host = m >= 6;
        const unsigned mode = modes[m];
        const unsigned together = mode < 2 ? MOST - mode : 2 + (unsigned)test_random_below (&random, MOST - 1);
        const uint32_t every = test_frame_statistics (&pictures.host[0]), some = (uint32_t)test_random_next (&random);
        histo_ticket first;

        for (unsigned i = 0; i < together; i++) {
          const struct area area = choose_area (&pictures.host[0].geometry, &random);
          const uint32_t statistics = mode < 2   ? HISTO_STATISTIC_DOT
                                      : mode < 4 ? every & TOGETHER
                                      : mode < 5 ? every & TOGETHER & some
                                                 : every & (i % 5 < 3 ? some : ~some); /* two kinds, together all statistics */

          make_part (&parts[i], &pictures, &area, statistics, mode % 2 == 1, reference);
          if (in_host)
            move_to_host (&parts[i], &pictures, &area);
        }
        if (in_host)
          count_whole (engine, &pictures);
        submit_parts (engine, submitted, together, &first);
        for (unsigned i = 0; i < together; i++)
          collect_part (engine, &all.variants[v], &pictures, &parts[i], first + i);
      }
      close_pictures (&pictures);
    }
  }
  for (unsigned i = 0; i < MOST; i++)
    histo_stats_clear (&parts[i].expected);
}

/* With single frames and with many frames that are alike, in the same slots and in flight at the same time: a launch leaves
 * nothing in another one's words and parameters. */
TEST_TAGGED (regions_alternate, "device")
{
  enum { SLOTS = 2 * MOST + 3, PARTS = 24, ROUNDS = 150 };
  static const struct test_geometry geometry = { .width = 96, .height = 30 };
  static struct part parts[PARTS];
  TEST_AT_END (histo_close) struct histo_engine *reference = open_reference ();
  struct pictures pictures;
  struct test_random random = test_random_start (281);

  open_pictures (&pictures, "NV12", &geometry, 0, &random);
  for (unsigned i = 0; i < PARTS; i++) { /* four kinds in turn */
    const struct area area = choose_area (&geometry, &random);
    const uint32_t every = test_frame_statistics (&pictures.host[0]) & TOGETHER;

    make_part (&parts[i], &pictures, &area, i % 4 < 2 ? HISTO_STATISTIC_DOT : every, i % 2 == 1, reference);
  }
  for (unsigned v = 0; v < all.count; v++) {
    TEST_AT_END (histo_close) struct histo_engine *engine = open_variant (&all.variants[v], SLOTS);
    const struct part *in_flight[SLOTS];
    histo_ticket next = 1, collected = 0;

    for (unsigned round = 0; round < ROUNDS; round++) {
      const unsigned kind = (unsigned)test_random_below (&random, 4), choice = (unsigned)test_random_below (&random, 4);
      const unsigned wanted = choice == 0 ? 1 : 2 + (unsigned)test_random_below (&random, MOST - 1);
      const struct part *submitted[MOST];
      histo_ticket first;

      for (unsigned i = 0; i < wanted; i++)
        submitted[i] = choice == 1 && i > 0 ? submitted[0] : &parts[kind + 4 * test_random_below (&random, PARTS / 4)];
      while (next - 1 - collected + wanted > SLOTS) {
        collected++;
        /* Collect polls for the numbers only briefly, and then waits for the end of the kernel. */
        for (unsigned i = 0; i < 50 && !histo_ready (engine, collected); i++)
          nanosleep (&(struct timespec){ .tv_nsec = 20000 }, NULL);
        collect_part (engine, &all.variants[v], &pictures, in_flight[(collected - 1) % SLOTS], collected);
      }
      submit_parts (engine, submitted, wanted, &first);
      ck_assert_uint_eq (first, next);
      for (unsigned i = 0; i < wanted; i++, next++)
        in_flight[(next - 1) % SLOTS] = submitted[i];
    }
    while (++collected < next)
      collect_part (engine, &all.variants[v], &pictures, in_flight[(collected - 1) % SLOTS], collected);
  }
  for (unsigned i = 0; i < PARTS; i++)
    histo_stats_clear (&parts[i].expected);
  close_pictures (&pictures);
}

/* More frames than one launch takes, and some empty ones. */
TEST_TAGGED (more_than_go_in_a_launch, "device")
{
  enum { FRAMES = 2 * HISTO_CUDA_UNLIKE + 3, LENGTH = 6000 };
  static struct histo_frame on_device[FRAMES], on_host[FRAMES];
  struct test_random random = test_random_start (282);
  TEST_AT_END (test_frame_clear) struct test_frame bytes = { 0 };
  CUdeviceptr memory;

  test_frame_init_bytes (&bytes, LENGTH, 0, TEST_GUARD_NONE, TEST_FILL_RANDOM, &random);
  memory = test_device_store (device, bytes.memory[0].bytes, bytes.memory[0].size, LENGTH);
  for (unsigned f = 0; f < FRAMES; f++) {
    on_device[f] = describe_bytes (&bytes, memory + f, f % 9 == 0 ? 0 : 41 * f);
    on_host[f] = on_device[f];
    on_host[f].memory = HISTO_MEMORY_HOST;
    on_host[f].planes[0].data = bytes.memory[0].bytes + f;
  }
  for (unsigned v = 0; v < all.count; v++) {
    TEST_AT_END (histo_close) struct histo_engine *engine = open_variant (&all.variants[v], FRAMES);

    check_submission (engine, &all.variants[v], on_device, FRAMES, &bytes, on_host);
  }
  test_device_free (device, memory);
}

/* A picture and small parts of it: most of the device's blocks have work in the same frame. */
TEST_TAGGED (regions_of_a_large_picture, "device large")
{
  static const struct test_geometry geometry = { .width = 1920, .height = 1080 };
  static struct part parts[MOST];
  const struct part *submitted[MOST];
  TEST_AT_END (histo_close) struct histo_engine *reference = open_reference ();
  struct test_random random = test_random_start (283);

  for (unsigned deep = 0; deep < 2; deep++) {
    struct pictures pictures;

    open_pictures (&pictures, deep ? "P010_10LE" : "NV12", &geometry, 0, &random);
    for (unsigned v = 0; v < all.count; v++) {
      TEST_AT_END (histo_close) struct histo_engine *engine = open_variant (&all.variants[v], 2 * MOST);

      for (unsigned asked = 0; asked < 2; asked++) {
        const uint32_t every = test_frame_statistics (&pictures.host[0]) & TOGETHER;
        histo_ticket first;

        for (unsigned i = 0; i < MOST; i++) {
          struct area area = { 0, 0, geometry.width, geometry.height };

          if (i % 8 != 3)
            area = (struct area){ 97 * i, 51 * i, 1 + 21 * i, 1 + 11 * i };
          submitted[i] = &parts[i];
          make_part (&parts[i], &pictures, &area, asked ? every : HISTO_STATISTIC_DOT, asked, reference);
        }
        submit_parts (engine, submitted, MOST, &first);
        for (unsigned i = 0; i < MOST; i++)
          collect_part (engine, &all.variants[v], &pictures, &parts[i], first + i);
      }
    }
    close_pictures (&pictures);
  }
  for (unsigned i = 0; i < MOST; i++)
    histo_stats_clear (&parts[i].expected);
}
