/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "frames.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "watch.h"

#define BASE_ALIGNMENT 256

/* ---- layouts -------------------------------------------------------------------------------------------------------- */

#define PLANAR(label, w, h)                                                             \
  {                                                                                     \
    .name = label, .plane_count = 3, .component_count = 3, .height_shift = { 0, h, h }, \
    .components = { { 0, 0, 1, 0 }, { 1, 0, 1, w }, { 2, 0, 1, w } },                   \
  }
#define SEMIPLANAR(label, u, v)                                                      \
  {                                                                                  \
    .name = label, .plane_count = 2, .component_count = 3, .height_shift = { 0, 1 }, \
    .components = { { 0, 0, 1, 0 }, { 1, u, 2, 1 }, { 1, v, 2, 1 } },                \
  }
#define PACKED_422(label, y, u, v)                                                                                           \
  {                                                                                                                          \
    .name = label, .plane_count = 1, .component_count = 3, .components = { { 0, y, 2, 0 }, { 0, u, 4, 1 }, { 0, v, 4, 1 } }, \
  }
#define PACKED_3(label, step, r, g, b)                                         \
  {                                                                            \
    .name = label, .plane_count = 1, .component_count = 3,                     \
    .components = { { 0, r, step, 0 }, { 0, g, step, 0 }, { 0, b, step, 0 } }, \
  }
#define PACKED_4(label, step, r, g, b, a)                                                         \
  {                                                                                               \
    .name = label, .plane_count = 1, .component_count = 4,                                        \
    .components = { { 0, r, step, 0 }, { 0, g, step, 0 }, { 0, b, step, 0 }, { 0, a, step, 0 } }, \
  }
#define SINGLE(label, offset, step)                                                                  \
  {                                                                                                  \
    .name = label, .plane_count = 1, .component_count = 1, .components = { { 0, offset, step, 0 } }, \
  }

#define DEEP(depth, shift, big_endian, bins) \
  {                                          \
    2, depth, shift, big_endian, bins        \
  }
#define ALL_DEEP(depth, shift, big_endian, bins)                                                                         \
  {                                                                                                                      \
    DEEP (depth, shift, big_endian, bins), DEEP (depth, shift, big_endian, bins), DEEP (depth, shift, big_endian, bins), \
        DEEP (depth, shift, big_endian, bins)                                                                            \
  }

const struct test_layout test_layouts[] = {
  SINGLE ("GRAY8", 0, 1),
  PLANAR ("I420", 1, 1),
  /* GStreamer's YV12 has its components in the order Y U V and its planes in the order Y V U. */
  { .name = "YV12",
    .plane_count = 3,
    .component_count = 3,
    .height_shift = { 0, 1, 1 },
    .components = { { 0, 0, 1, 0 }, { 2, 0, 1, 1 }, { 1, 0, 1, 1 } } },
  SEMIPLANAR ("NV12", 0, 1),
  SEMIPLANAR ("NV21", 1, 0),
  PLANAR ("Y42B", 1, 0),
  PLANAR ("Y444", 0, 0),
  PACKED_422 ("YUY2", 0, 1, 3),
  PACKED_422 ("UYVY", 1, 0, 2),
  PACKED_3 ("RGB", 3, 0, 1, 2),
  PACKED_3 ("BGR", 3, 2, 1, 0),
  PACKED_3 ("RGBx", 4, 0, 1, 2),
  PACKED_3 ("BGRx", 4, 2, 1, 0),
  PACKED_3 ("xRGB", 4, 1, 2, 3),
  PACKED_3 ("xBGR", 4, 3, 2, 1),
  PACKED_4 ("RGBA", 4, 0, 1, 2, 3),
  PACKED_4 ("BGRA", 4, 2, 1, 0, 3),
  PACKED_4 ("ARGB", 4, 1, 2, 3, 0),
  PACKED_4 ("ABGR", 4, 3, 2, 1, 0),
  { .name = "A420",
    .plane_count = 4,
    .component_count = 4,
    .height_shift = { 0, 1, 1, 0 },
    .components = { { 0, 0, 1, 0 }, { 1, 0, 1, 1 }, { 2, 0, 1, 1 }, { 3, 0, 1, 0 } } },
  SINGLE ("every second byte", 1, 2),
  SINGLE ("every third byte", 2, 3),
  SINGLE ("every fourth byte", 2, 4),
  SINGLE ("every fifth byte", 2, 5),
  SINGLE ("one byte in 4099", 7, 4099),
  PACKED_3 ("three bytes in five", 5, 0, 4, 2),
  PACKED_4 ("high bytes of 16-bit RGBA", 8, 1, 3, 5, 7),
  /* A sample of two components at once. */
  { .name = "the same bytes twice", .plane_count = 1, .component_count = 2, .components = { { 0, 0, 1, 0 }, { 0, 0, 1, 0 } } },
  { .name = "all bytes and every second",
    .plane_count = 1,
    .component_count = 2,
    .components = { { 0, 0, 1, 0 }, { 0, 1, 2, 1 } } },
  { .name = "steps 2 and 3", .plane_count = 1, .component_count = 2, .components = { { 0, 0, 2, 0 }, { 0, 1, 3, 0 } } },
  { .name = "steps 1 and 4, far offset",
    .plane_count = 1,
    .component_count = 2,
    .components = { { 0, 0, 4, 0 }, { 0, 1 + 64, 4, 0 } } },
  { .name = "a plane without components",
    .plane_count = 3,
    .component_count = 2,
    .components = { { 0, 0, 1, 0 }, { 2, 0, 1, 0 } } },
  { .name = "GRAY16_LE",
    .plane_count = 1,
    .component_count = 1,
    .components = { { 0, 0, 2, 0 } },
    .samples = { DEEP (16, 0, false, 0) } },
  { .name = "GRAY16_BE",
    .plane_count = 1,
    .component_count = 1,
    .components = { { 0, 0, 2, 0 } },
    .samples = { DEEP (16, 0, true, 256) } },
  { .name = "GRAY10_LE",
    .plane_count = 1,
    .component_count = 1,
    .components = { { 0, 0, 2, 0 } },
    .samples = { DEEP (10, 0, false, 1024) } },
  { .name = "I420_10LE",
    .plane_count = 3,
    .component_count = 3,
    .height_shift = { 0, 1, 1 },
    .components = { { 0, 0, 2, 0 }, { 1, 0, 2, 1 }, { 2, 0, 2, 1 } },
    .samples = ALL_DEEP (10, 0, false, 256) },
  { .name = "I422_12BE",
    .plane_count = 3,
    .component_count = 3,
    .components = { { 0, 0, 2, 0 }, { 1, 0, 2, 1 }, { 2, 0, 2, 1 } },
    .samples = ALL_DEEP (12, 0, true, 4096) },
  { .name = "P010_10LE",
    .plane_count = 2,
    .component_count = 3,
    .height_shift = { 0, 1 },
    .components = { { 0, 0, 2, 0 }, { 1, 0, 4, 1 }, { 1, 2, 4, 1 } },
    .samples = ALL_DEEP (10, 6, false, 1024) },
  { .name = "P012_LE",
    .plane_count = 2,
    .component_count = 3,
    .height_shift = { 0, 1 },
    .components = { { 0, 0, 2, 0 }, { 1, 0, 4, 1 }, { 1, 2, 4, 1 } },
    .samples = ALL_DEEP (12, 4, false, 4096) },
  { .name = "P016_BE",
    .plane_count = 2,
    .component_count = 3,
    .height_shift = { 0, 1 },
    .components = { { 0, 0, 2, 0 }, { 1, 0, 4, 1 }, { 1, 2, 4, 1 } },
    .samples = ALL_DEEP (16, 0, true, 256) },
  { .name = "RGBA64_LE",
    .plane_count = 1,
    .component_count = 4,
    .components = { { 0, 0, 8, 0 }, { 0, 2, 8, 0 }, { 0, 4, 8, 0 }, { 0, 6, 8, 0 } },
    .samples = ALL_DEEP (16, 0, false, 256) },
  { .name = "ARGB64_BE",
    .plane_count = 1,
    .component_count = 4,
    .components = { { 0, 2, 8, 0 }, { 0, 4, 8, 0 }, { 0, 6, 8, 0 }, { 0, 0, 8, 0 } },
    .samples = ALL_DEEP (16, 0, true, 256) },
  { .name = "12 bits of RGBA64",
    .plane_count = 1,
    .component_count = 4,
    .components = { { 0, 0, 8, 0 }, { 0, 2, 8, 0 }, { 0, 4, 8, 0 }, { 0, 6, 8, 0 } },
    .samples = ALL_DEEP (12, 3, false, 4096) },
  { .name = "12 bits of RGBx64",
    .plane_count = 1,
    .component_count = 3,
    .components = { { 0, 0, 8, 0 }, { 0, 2, 8, 0 }, { 0, 6, 8, 0 } },
    .samples = ALL_DEEP (12, 4, false, 256) },
  { .name = "Y212_LE",
    .plane_count = 1,
    .component_count = 3,
    .components = { { 0, 0, 4, 0 }, { 0, 2, 8, 1 }, { 0, 6, 8, 1 } },
    .samples = ALL_DEEP (12, 4, false, 4096) },
  { .name = "RGB48",
    .plane_count = 1,
    .component_count = 3,
    .components = { { 0, 0, 6, 0 }, { 0, 2, 6, 0 }, { 0, 4, 6, 0 } },
    .samples = ALL_DEEP (14, 1, false, 256) },
  { .name = "11 bits of BGR48, big-endian",
    .plane_count = 1,
    .component_count = 3,
    .components = { { 0, 4, 6, 0 }, { 0, 2, 6, 0 }, { 0, 0, 6, 0 } },
    .samples = ALL_DEEP (11, 2, true, 2048) },
  { .name = "every second of 15 bits",
    .plane_count = 1,
    .component_count = 1,
    .components = { { 0, 2, 4, 0 } },
    .samples = { DEEP (15, 1, true, 256) } },
  { .name = "every fourth of 9 bits",
    .plane_count = 1,
    .component_count = 1,
    .components = { { 0, 4, 8, 0 } },
    .samples = { DEEP (9, 7, false, 512) } },
  { .name = "13 bits from odd places",
    .plane_count = 1,
    .component_count = 2,
    .components = { { 0, 1, 4, 0 }, { 0, 3, 4, 0 } },
    .samples = ALL_DEEP (13, 3, false, 256) },
  { .name = "14 bits every third byte",
    .plane_count = 1,
    .component_count = 1,
    .components = { { 0, 1, 3, 0 } },
    .samples = { DEEP (14, 0, false, 256) } },
  { .name = "12 bits every fifth byte",
    .plane_count = 1,
    .component_count = 1,
    .components = { { 0, 1, 5, 0 } },
    .samples = { DEEP (12, 4, true, 4096) } },
  /* A counter for each value: more than the shared memory of a GPU's block or a cache of a processor can hold. */
  { .name = "GRAY16_LE by value",
    .plane_count = 1,
    .component_count = 1,
    .components = { { 0, 0, 2, 0 } },
    .samples = { DEEP (16, 0, false, 65536) } },
  { .name = "14 bits of P016_BE by value",
    .plane_count = 2,
    .component_count = 3,
    .height_shift = { 0, 1 },
    .components = { { 0, 0, 2, 0 }, { 1, 0, 4, 1 }, { 1, 2, 4, 1 } },
    .samples = ALL_DEEP (14, 2, true, 16384) },
  { .name = "RGBA64_LE by value",
    .plane_count = 1,
    .component_count = 4,
    .components = { { 0, 0, 8, 0 }, { 0, 2, 8, 0 }, { 0, 4, 8, 0 }, { 0, 6, 8, 0 } },
    .samples = ALL_DEEP (16, 0, false, 65536) },
  { .name = "15 bits of RGBx64 by value",
    .plane_count = 1,
    .component_count = 3,
    .components = { { 0, 0, 8, 0 }, { 0, 2, 8, 0 }, { 0, 6, 8, 0 } },
    .samples = ALL_DEEP (15, 1, true, 32768) },
  { .name = "13 bits of RGB48 by value",
    .plane_count = 1,
    .component_count = 3,
    .components = { { 0, 0, 6, 0 }, { 0, 2, 6, 0 }, { 0, 4, 6, 0 } },
    .samples = ALL_DEEP (13, 0, false, 8192) },
  { .name = "16 bits every third byte by value",
    .plane_count = 1,
    .component_count = 1,
    .components = { { 0, 1, 3, 0 } },
    .samples = { DEEP (16, 0, true, 65536) } },
  { .name = "256 and 65536 counters side by side",
    .plane_count = 1,
    .component_count = 2,
    .components = { { 0, 0, 4, 0 }, { 0, 2, 4, 0 } },
    .samples = { DEEP (16, 0, false, 256), DEEP (16, 0, false, 65536) } },
  { .name = "Y216_LE, U by value", /* some samples of an odd width lie outside of whole pixels */
    .plane_count = 1,
    .component_count = 3,
    .components = { { 0, 0, 4, 0 }, { 0, 2, 8, 1 }, { 0, 6, 8, 1 } },
    .samples = { DEEP (16, 0, false, 256), DEEP (16, 0, false, 65536), DEEP (16, 0, false, 0) } },
  { .name = "bytes, 10 and 16 bits by value",
    .plane_count = 2,
    .component_count = 4,
    .components = { { 0, 0, 4, 0 }, { 0, 1, 4, 0 }, { 0, 2, 4, 0 }, { 1, 0, 2, 0 } },
    .samples = { { 1, 8, 0, false, 256 }, { 1, 8, 0, false, 0 }, DEEP (16, 0, false, 65536), DEEP (10, 6, false, 1024) } },
  /* Samples that overlap, and samples that share their bytes. */
  { .name = "a 16-bit sample at each byte",
    .plane_count = 1,
    .component_count = 2,
    .components = { { 0, 0, 2, 0 }, { 0, 1, 2, 0 } },
    .samples = ALL_DEEP (16, 0, true, 256) },
  { .name = "two depths side by side",
    .plane_count = 1,
    .component_count = 4,
    .components = { { 0, 0, 8, 0 }, { 0, 2, 8, 0 }, { 0, 4, 8, 0 }, { 0, 6, 8, 0 } },
    .samples = { DEEP (10, 6, false, 1024), DEEP (12, 0, false, 4096), DEEP (16, 0, true, 256), DEEP (10, 6, false, 256) } },
  { .name = "two counts of bins side by side",
    .plane_count = 1,
    .component_count = 2,
    .components = { { 0, 0, 4, 0 }, { 0, 2, 4, 0 } },
    .samples = { DEEP (10, 6, false, 1024), DEEP (10, 6, false, 256) } },
  { .name = "bytes and 10 bits in one plane",
    .plane_count = 1,
    .component_count = 3,
    .components = { { 0, 0, 4, 0 }, { 0, 1, 4, 0 }, { 0, 2, 4, 0 } },
    .samples = { { 1, 8, 0, false, 256 }, { 1, 8, 0, true, 0 }, DEEP (10, 0, false, 1024) } },
  { .name = "a plane of bytes, one of 16 bits, one of 12",
    .plane_count = 3,
    .component_count = 4,
    .height_shift = { 0, 1, 0 },
    .components = { { 0, 0, 1, 0 }, { 1, 0, 4, 1 }, { 1, 2, 4, 1 }, { 2, 0, 2, 0 } },
    .samples = { { 1, 8, 0, false, 0 }, DEEP (16, 0, false, 0), DEEP (16, 0, false, 0), DEEP (12, 2, false, 4096) } },
};
const unsigned test_layout_count = sizeof test_layouts / sizeof *test_layouts;

static const struct test_layout bytes_layout = SINGLE ("bytes", 0, 1);

const struct test_layout *
test_layout_find (const char *name)
{
  for (unsigned i = 0; i < sizeof test_layouts / sizeof *test_layouts; i++)
    if (strcmp (test_layouts[i].name, name) == 0)
      return &test_layouts[i];
  return NULL;
}

const char *
test_fill_name (enum test_fill fill)
{
  static const char *const names[] = { "random", "zero", "max", "one bin", "two values", "alias", "ramp", "skewed" };
  return names[fill];
}

/* ---- memory --------------------------------------------------------------------------------------------------------- */

static uint64_t
round_up (uint64_t value, uint64_t multiple)
{
  return (value + multiple - 1) / multiple * multiple;
}

/* value / 2^shift, rounded up */
static uint32_t
shift_up (uint32_t value, unsigned shift)
{
  return (uint32_t)(((uint64_t)value + (UINT64_C (1) << shift) - 1) >> shift);
}

static void
reserve_plane (struct test_frame *frame, unsigned plane, size_t size)
{
  const struct test_geometry *geometry = &frame->geometry;
  size_t page = (size_t)sysconf (_SC_PAGESIZE);
  size_t body = round_up (size + geometry->base_offset + 1, page);
  uint8_t *map = mmap (NULL, body + 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  if (map == MAP_FAILED) {
    perror ("mmap");
    exit (EXIT_FAILURE);
  }
  mprotect (map, page, PROT_NONE);
  mprotect (map + page + body, page, PROT_NONE);
  frame->memory[plane].map = map;
  frame->memory[plane].map_bytes = body + 2 * page;
  frame->memory[plane].size = size;
  switch (geometry->guard) {
  case TEST_GUARD_END:
    frame->memory[plane].bytes = map + page + body - size;
    break;
  case TEST_GUARD_START:
    frame->memory[plane].bytes = map + page;
    break;
  case TEST_GUARD_NONE:
    frame->memory[plane].bytes = map + page + geometry->base_offset;
    break;
  }
}

static void
protect (struct test_frame *frame, int protection)
{
  size_t page = (size_t)sysconf (_SC_PAGESIZE);

  for (unsigned p = 0; p < frame->layout->plane_count; p++)
    mprotect (frame->memory[p].map + page, frame->memory[p].map_bytes - 2 * page, protection);
}

/* ---- making frames -------------------------------------------------------------------------------------------------- */

struct filler {
  enum test_fill fill;
  unsigned depth;
  uint32_t value, other;
  unsigned row_shift;
};

/* May have more bits than a sample: its lowest ones count. */
static TEST_UNWATCHED uint32_t
choose_sample (const struct filler *filler, uint64_t column, uint64_t row, uint64_t dice)
{
  switch (filler->fill) {
  case TEST_FILL_ZERO:
    return 0;
  case TEST_FILL_MAX:
    return UINT32_MAX;
  case TEST_FILL_ONE_BIN:
    return filler->value;
  case TEST_FILL_TWO_VALUES:
    return dice & 1 ? filler->value : filler->other;
  case TEST_FILL_ALIAS:
    return (uint32_t)((dice & 7) << (filler->depth - 3)) + filler->value % 32;
  case TEST_FILL_RAMP:
    return (uint32_t)(column + row * filler->row_shift + filler->value);
  case TEST_FILL_SKEWED:
    return (dice & 15) != 0 ? filler->value : (uint32_t)(dice >> 8);
  case TEST_FILL_RANDOM:
  case TEST_FILL_COUNT:
    break;
  }
  return (uint32_t)dice;
}

/* The two bytes of a sample as a number. */
static TEST_UNWATCHED uint32_t
load_word (const uint8_t *bytes, bool big_endian)
{
  return big_endian ? bytes[0] * 256u + bytes[1] : bytes[1] * 256u + bytes[0];
}

/* Sets the significant bits of a sample and leaves the others. */
static TEST_UNWATCHED void
store_sample (uint8_t *bytes, const struct histo_component *component, uint32_t value)
{
  uint32_t mask, word;

  if (component->sample_bytes == 1) {
    bytes[0] = (uint8_t)value;
    return;
  }
  mask = ((UINT32_C (1) << component->depth) - 1) << component->shift;
  word = (load_word (bytes, component->big_endian) & ~mask) | (value << component->shift & mask);
  bytes[component->big_endian ? 0 : 1] = (uint8_t)(word >> 8);
  bytes[component->big_endian ? 1 : 0] = (uint8_t)word;
}

static TEST_UNWATCHED uint32_t
load_sample (const uint8_t *bytes, const struct histo_component *component)
{
  if (component->sample_bytes == 1)
    return bytes[0];
  return load_word (bytes, component->big_endian) >> component->shift & ((UINT32_C (1) << component->depth) - 1);
}

static TEST_UNWATCHED void
fill_component (const struct histo_frame *frame, const struct histo_component *component, enum test_fill fill,
                struct test_random *random)
{
  const struct histo_plane *plane = &frame->planes[component->plane];
  struct filler filler = { fill, component->depth, (uint32_t)test_random_next (random), (uint32_t)test_random_next (random),
                           (unsigned)test_random_below (random, 8) };

  for (uint32_t y = 0; y < plane->height; y++) {
    uint8_t *row = (uint8_t *)(uintptr_t)plane->data + y * plane->stride_bytes + component->offset_bytes;

    if (component->width > 0)
      test_watch_write (row, (component->width - 1) * component->step_bytes + component->sample_bytes);
    for (uint64_t x = 0; x < component->width; x++)
      store_sample (row + x * component->step_bytes, component, choose_sample (&filler, x, y, test_random_next (random)));
  }
}

void
test_frame_refill (struct test_frame *frame, enum test_fill fill, struct test_random *random)
{
  size_t page = (size_t)sysconf (_SC_PAGESIZE);

  frame->fill = fill;
  protect (frame, PROT_READ | PROT_WRITE);
  for (unsigned p = 0; p < frame->layout->plane_count; p++)
    test_random_bytes (random, frame->memory[p].map + page, frame->memory[p].map_bytes - 2 * page);
  if (fill != TEST_FILL_RANDOM)
    for (unsigned c = 0; c < frame->layout->component_count; c++)
      fill_component (&frame->frame, &frame->frame.components[c], fill, random);
  protect (frame, PROT_READ);
}

void
test_frame_init (struct test_frame *frame, const struct test_layout *layout, const struct test_geometry *geometry,
                 enum test_fill fill, struct test_random *random)
{
  uint32_t stored_width = geometry->left + geometry->width + geometry->right;
  uint32_t stored_height = geometry->top + geometry->height + geometry->bottom;
  size_t row_bytes[HISTO_MAX_PLANES] = { 0 };

  *frame = (struct test_frame){ .layout = layout, .geometry = *geometry };
  frame->frame.statistics = HISTO_STATISTIC_DOT;
  frame->frame.plane_count = layout->plane_count;
  frame->frame.component_count = layout->component_count;

  for (unsigned c = 0; c < layout->component_count; c++) {
    unsigned p = layout->components[c].plane, shift = layout->components[c].width_shift;
    size_t offset = layout->components[c].offset_bytes, step = layout->components[c].step_bytes;
    uint32_t first = geometry->left >> shift;
    uint32_t stored = shift_up (stored_width, shift);
    bool is_byte = layout->samples[c].sample_bytes < 2;
    size_t bytes = stored > 0 ? offset + (stored - 1) * step + (is_byte ? 1 : 2) : 0;

    row_bytes[p] = bytes > row_bytes[p] ? bytes : row_bytes[p];
    frame->frame.components[c] = (struct histo_component){
      .plane = p,
      .offset_bytes = offset + first * step,
      .step_bytes = step,
      .width = geometry->width > 0 ? shift_up (geometry->left + geometry->width, shift) - first : 0,
      .sample_bytes = is_byte ? 1 : 2,
      .depth = is_byte ? 8 : layout->samples[c].depth,
      .shift = layout->samples[c].shift,
      .big_endian = layout->samples[c].big_endian,
      .bins = layout->samples[c].bins,
    };
  }

  for (unsigned p = 0; p < layout->plane_count; p++) {
    struct histo_plane *plane = &frame->frame.planes[p];
    unsigned shift = layout->height_shift[p];
    uint32_t first = geometry->top >> shift;
    uint32_t stored = shift_up (stored_height, shift);
    size_t stride = row_bytes[p] + geometry->extra_stride_bytes;

    /* The last row ends where its last sample does. */
    reserve_plane (frame, p, stored > 0 ? (stored - 1) * stride + row_bytes[p] : 0);
    plane->data = frame->memory[p].bytes + first * stride;
    plane->stride_bytes = stride;
    plane->height = geometry->height > 0 ? shift_up (geometry->top + geometry->height, shift) - first : 0;
  }
  test_frame_refill (frame, fill, random);
}

void
test_frame_init_bytes (struct test_frame *frame, size_t size, unsigned base_offset, enum test_guard guard, enum test_fill fill,
                       struct test_random *random)
{
  *frame = (struct test_frame){ .layout = &bytes_layout,
                                .geometry = { (uint32_t)size, 1, .base_offset = base_offset, .guard = guard } };
  reserve_plane (frame, 0, size);
  frame->frame.statistics = HISTO_STATISTIC_DOT;
  frame->frame.plane_count = frame->frame.component_count = 1;
  frame->frame.planes[0] = (struct histo_plane){ frame->memory[0].bytes, size, 1 };
  frame->frame.components[0] = (struct histo_component){ .step_bytes = 1, .width = size, .sample_bytes = 1, .depth = 8 };
  test_frame_refill (frame, fill, random);
}

void
test_frame_clear (struct test_frame *frame)
{
  for (unsigned p = 0; p < HISTO_MAX_PLANES; p++)
    if (frame->memory[p].map != NULL)
      munmap (frame->memory[p].map, frame->memory[p].map_bytes);
  *frame = (struct test_frame){ 0 };
}

struct test_geometry
test_geometry_random (uint32_t width, uint32_t height, struct test_random *random)
{
  struct test_geometry geometry = { .width = width, .height = height };

  geometry.guard = (enum test_guard)test_random_below (random, 3);
  if (geometry.guard == TEST_GUARD_NONE)
    geometry.base_offset = (unsigned)test_random_below (random, 16);
  /* Half of the frames without a gap between rows: these become one long row. */
  if (test_random_once_in (random, 2))
    geometry.extra_stride_bytes = test_random_below (random, 70);
  if (test_random_once_in (random, 2)) {
    geometry.left = (uint32_t)test_random_below (random, 5);
    geometry.top = (uint32_t)test_random_below (random, 4);
    geometry.right = (uint32_t)test_random_below (random, 5);
    geometry.bottom = (uint32_t)test_random_below (random, 4);
  }
  return geometry;
}

void
test_frame_describe (const struct test_frame *frame, char *text, size_t size)
{
  static const char *const guards[] = { "none", "end", "start" };
  const struct test_geometry *geometry = &frame->geometry;

  snprintf (text, size,
            "%s %" PRIu32 "x%" PRIu32 " at +%u, crop %" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32
            ", stride +%zu, guard %s, fill %s, seed %" PRIu64,
            frame->layout->name, geometry->width, geometry->height,
            (unsigned)((uintptr_t)frame->frame.planes[0].data % BASE_ALIGNMENT), geometry->left, geometry->top, geometry->right,
            geometry->bottom, geometry->extra_stride_bytes, guards[geometry->guard], test_fill_name (frame->fill),
            test_seed ());
}

/* ---- counting ------------------------------------------------------------------------------------------------------- */

static TEST_UNWATCHED uint32_t
sample_at (const struct histo_frame *frame, const struct histo_component *component, uint64_t row, uint64_t i)
{
  const struct histo_plane *plane = &frame->planes[component->plane];

  return load_sample ((const uint8_t *)plane->data + row * plane->stride_bytes + component->offset_bytes
                          + i * component->step_bytes,
                      component);
}

/* The samples of one component. */
static TEST_UNWATCHED void
count_component (const struct histo_frame *frame, const struct histo_component *component, unsigned dropped,
                 struct histo_component_stats *stats)
{
  const struct histo_plane *plane = &frame->planes[component->plane];
  const bool has_dot = frame->operand != NULL && frame->statistics & HISTO_STATISTIC_DOT;
  uint64_t sum = 0, sum_of_squares = 0, dot = 0;

  for (uint32_t row = 0; row < plane->height; row++) {
    for (uint64_t i = 0; i < component->width; i++) {
      const uint64_t x = sample_at (frame, component, row, i);

      sum += x;
      sum_of_squares += x * x;
      stats->histogram[x >> dropped]++;
      if (has_dot)
        dot += x * sample_at (frame->operand, component, row, i);
    }
  }
  stats->count = component->width > 0 ? component->width * plane->height : 0;
  stats->sum = sum;
  stats->sum_of_squares = sum_of_squares;
  if (has_dot) {
    stats->dot = dot;
    stats->dot_count = stats->count;
  }
}

TEST_UNWATCHED void
test_frame_count (const struct histo_frame *frame, struct test_count *count)
{
  const struct histo_weights ones[HISTO_MAX_COMPONENTS] = { { 0 } };

  memset (count->components, 0, sizeof count->components);
  count->stats = (struct histo_stats){ .component_count = frame->component_count, .components = count->components };
  for (unsigned c = 0; c < frame->component_count; c++) {
    const struct histo_component *component = &frame->components[c];
    struct histo_component_stats *stats = &count->stats.components[c];
    unsigned dropped = 0;

    stats->depth = component->depth;
    stats->bins = component->bins > 0 ? component->bins : HISTO_BINS;
    while (component->depth - dropped > 8 && stats->bins << dropped < 1u << component->depth)
      dropped++;
    stats->histogram = count->histograms[c];
    memset (stats->histogram, 0, stats->bins * sizeof *stats->histogram);
    count_component (frame, component, dropped, stats);
  }
  if (frame->statistics & HISTO_STATISTIC_PROJECTION)
    test_frame_project (frame, ones, count);
}

TEST_UNWATCHED void
test_frame_project (const struct histo_frame *frame, const struct histo_weights weights[HISTO_MAX_COMPONENTS],
                    struct test_count *count)
{
  size_t sum_count = 0;
  int64_t *next;

  for (unsigned c = 0; c < frame->component_count; c++) {
    const struct histo_component *component = &frame->components[c];
    struct histo_component_stats *stats = &count->stats.components[c];

    stats->rows = component->width > 0 ? frame->planes[component->plane].height : 0;
    stats->columns = stats->rows > 0 ? component->width : 0;
    sum_count += stats->rows + stats->columns;
  }
  free (count->sums);
  next = count->sums = calloc (sum_count + 1, sizeof *count->sums);
  if (count->sums == NULL) {
    perror ("calloc");
    exit (EXIT_FAILURE);
  }
  for (unsigned c = 0; c < frame->component_count; c++) {
    struct histo_component_stats *stats = &count->stats.components[c];

    stats->row_sums = stats->rows > 0 ? next : NULL;
    next += stats->rows;
    stats->column_sums = stats->columns > 0 ? next : NULL;
    next += stats->columns;
    for (uint32_t row = 0; row < stats->rows; row++) {
      for (uint64_t i = 0; i < stats->columns; i++) {
        int64_t x = sample_at (frame, &frame->components[c], row, i);

        stats->row_sums[row] += weights[c].row != NULL ? weights[c].row[i] * x : x;
        stats->column_sums[i] += weights[c].column != NULL ? weights[c].column[row] * x : x;
      }
    }
  }
}

void
test_count_clear (struct test_count *count)
{
  free (count->sums);
  count->sums = NULL;
  memset (&count->stats, 0, sizeof count->stats);
}

/* The first of `count` sums that differ; `count`: none. */
static uint64_t
first_difference (const int64_t *want, const int64_t *have, uint64_t count)
{
  uint64_t i = 0;

  while (i < count && want[i] == have[i])
    i++;
  return i;
}

const char *
test_stats_difference (const struct histo_stats *expected, const struct histo_stats *actual)
{
  static _Thread_local char text[160];

  if (expected->component_count != actual->component_count) {
    snprintf (text, sizeof text, "%u components instead of %u", actual->component_count, expected->component_count);
    return text;
  }
  for (unsigned c = 0; c < expected->component_count; c++) {
    const struct histo_component_stats *want = &expected->components[c], *have = &actual->components[c];
    const struct {
      const char *name;
      uint64_t want, have;
    } fields[] = {
      { "count", want->count, have->count },
      { "sum", want->sum, have->sum },
      { "sum of squares", want->sum_of_squares, have->sum_of_squares },
      { "upper half of the sum of squares", want->sum_of_squares_high, have->sum_of_squares_high },
      { "dot", want->dot, have->dot },
      { "upper half of dot", want->dot_high, have->dot_high },
      { "dot count", want->dot_count, have->dot_count },
      { "depth", want->depth, have->depth },
      { "bins", want->bins, have->bins },
      { "rows", want->rows, have->rows },
      { "columns", want->columns, have->columns },
      { "presence of row sums", want->row_sums != NULL, have->row_sums != NULL },
      { "presence of column sums", want->column_sums != NULL, have->column_sums != NULL },
    };
    uint64_t place;

    for (unsigned f = 0; f < sizeof fields / sizeof *fields; f++) {
      if (fields[f].want != fields[f].have) {
        snprintf (text, sizeof text, "component %u: %s is %" PRIu64 " instead of %" PRIu64, c, fields[f].name, fields[f].have,
                  fields[f].want);
        return text;
      }
    }
    for (uint32_t v = 0; v < want->bins; v++) {
      if (want->histogram[v] != have->histogram[v]) {
        snprintf (text, sizeof text, "component %u: histogram[%" PRIu32 "] is %" PRIu64 " instead of %" PRIu64, c, v,
                  have->histogram[v], want->histogram[v]);
        return text;
      }
    }
    place = first_difference (want->row_sums, have->row_sums, want->rows);
    if (place < want->rows) {
      snprintf (text, sizeof text, "component %u: row_sums[%" PRIu64 "] is %" PRId64 " instead of %" PRId64, c, place,
                have->row_sums[place], want->row_sums[place]);
      return text;
    }
    place = first_difference (want->column_sums, have->column_sums, want->columns);
    if (place < want->columns) {
      snprintf (text, sizeof text, "component %u: column_sums[%" PRIu64 "] is %" PRId64 " instead of %" PRId64, c, place,
                have->column_sums[place], want->column_sums[place]);
      return text;
    }
  }
  return NULL;
}
