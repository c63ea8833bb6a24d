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
#define SEMIPLANAR(label, u, v, w, h)                                                \
  {                                                                                  \
    .name = label, .plane_count = 2, .component_count = 3, .height_shift = { 0, h }, \
    .components = { { 0, 0, 1, 0 }, { 1, u, 2, w }, { 1, v, 2, w } },                \
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
  SEMIPLANAR ("NV12", 0, 1, 1, 1),
  SEMIPLANAR ("NV21", 1, 0, 1, 1),
  SEMIPLANAR ("NV16", 0, 1, 1, 0),
  SEMIPLANAR ("NV24", 0, 1, 0, 0),
  PLANAR ("Y42B", 1, 0),
  PLANAR ("Y41B", 2, 0),
  PLANAR ("YUV9", 2, 2),
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
  /* Each sample belongs to two components. */
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
  /* In the order of the structure: name, planes, components, height shifts, each component, each component's samples. */
  { "GRAY16_LE", 1, 1, { 0 }, { { 0, 0, 2, 0 } }, { DEEP (16, 0, false, 0) } },
  { "GRAY16_BE", 1, 1, { 0 }, { { 0, 0, 2, 0 } }, { DEEP (16, 0, true, 256) } },
  { "GRAY10_LE", 1, 1, { 0 }, { { 0, 0, 2, 0 } }, { DEEP (10, 0, false, 1024) } },
  { "I420_10LE", 3, 3, { 0, 1, 1 }, { { 0, 0, 2, 0 }, { 1, 0, 2, 1 }, { 2, 0, 2, 1 } }, ALL_DEEP (10, 0, false, 256) },
  { "GBR_10LE", 3, 3, { 0 }, { { 2, 0, 2, 0 }, { 0, 0, 2, 0 }, { 1, 0, 2, 0 } }, ALL_DEEP (10, 0, false, 1024) },
  { .name = "GBRA_12BE",
    .plane_count = 4,
    .component_count = 4,
    .components = { { 2, 0, 2, 0 }, { 0, 0, 2, 0 }, { 1, 0, 2, 0 }, { 3, 0, 2, 0 } },
    .samples = ALL_DEEP (12, 0, true, 256) },
  { .name = "GBRA, upper 12 bits by value",
    .plane_count = 4,
    .component_count = 4,
    .components = { { 2, 0, 2, 0 }, { 0, 0, 2, 0 }, { 1, 0, 2, 0 }, { 3, 0, 2, 0 } },
    .samples = ALL_DEEP (12, 4, false, 4096) },
  { "I422_12BE", 3, 3, { 0 }, { { 0, 0, 2, 0 }, { 1, 0, 2, 1 }, { 2, 0, 2, 1 } }, ALL_DEEP (12, 0, true, 4096) },
  { "P010_10LE", 2, 3, { 0, 1 }, { { 0, 0, 2, 0 }, { 1, 0, 4, 1 }, { 1, 2, 4, 1 } }, ALL_DEEP (10, 6, false, 1024) },
  { "P012_LE", 2, 3, { 0, 1 }, { { 0, 0, 2, 0 }, { 1, 0, 4, 1 }, { 1, 2, 4, 1 } }, ALL_DEEP (12, 4, false, 4096) },
  { "P016_BE", 2, 3, { 0, 1 }, { { 0, 0, 2, 0 }, { 1, 0, 4, 1 }, { 1, 2, 4, 1 } }, ALL_DEEP (16, 0, true, 256) },
  { .name = "RGBA64_LE",
    .plane_count = 1,
    .component_count = 4,
    .components = { { 0, 0, 8, 0 }, { 0, 2, 8, 0 }, { 0, 4, 8, 0 }, { 0, 6, 8, 0 } },
    .samples = ALL_DEEP (16, 0, false, 256) },
  { "ARGB64_BE", 1, 4, { 0 }, { { 0, 2, 8, 0 }, { 0, 4, 8, 0 }, { 0, 6, 8, 0 }, { 0, 0, 8, 0 } }, ALL_DEEP (16, 0, true, 256) },
  { .name = "12 bits of RGBA64",
    .plane_count = 1,
    .component_count = 4,
    .components = { { 0, 0, 8, 0 }, { 0, 2, 8, 0 }, { 0, 4, 8, 0 }, { 0, 6, 8, 0 } },
    .samples = ALL_DEEP (12, 3, false, 4096) },
  { "12 bits of RGBx64", 1, 3, { 0 }, { { 0, 0, 8, 0 }, { 0, 2, 8, 0 }, { 0, 6, 8, 0 } }, ALL_DEEP (12, 4, false, 256) },
  { "Y210", 1, 3, { 0 }, { { 0, 0, 4, 0 }, { 0, 2, 8, 1 }, { 0, 6, 8, 1 } }, ALL_DEEP (10, 6, false, 256) },
  { "Y212_LE", 1, 3, { 0 }, { { 0, 0, 4, 0 }, { 0, 2, 8, 1 }, { 0, 6, 8, 1 } }, ALL_DEEP (12, 4, false, 4096) },
  { "RGB48", 1, 3, { 0 }, { { 0, 0, 6, 0 }, { 0, 2, 6, 0 }, { 0, 4, 6, 0 } }, ALL_DEEP (14, 1, false, 256) },
  { .name = "11 bits of BGR48, big-endian",
    .plane_count = 1,
    .component_count = 3,
    .components = { { 0, 4, 6, 0 }, { 0, 2, 6, 0 }, { 0, 0, 6, 0 } },
    .samples = ALL_DEEP (11, 2, true, 2048) },
  { "every second of 15 bits", 1, 1, { 0 }, { { 0, 2, 4, 0 } }, { DEEP (15, 1, true, 256) } },
  { "every fourth of 9 bits", 1, 1, { 0 }, { { 0, 4, 8, 0 } }, { DEEP (9, 7, false, 512) } },
  { "13 bits from odd places", 1, 2, { 0 }, { { 0, 1, 4, 0 }, { 0, 3, 4, 0 } }, ALL_DEEP (13, 3, false, 256) },
  { "14 bits every third byte", 1, 1, { 0 }, { { 0, 1, 3, 0 } }, { DEEP (14, 0, false, 256) } },
  { "12 bits every fifth byte", 1, 1, { 0 }, { { 0, 1, 5, 0 } }, { DEEP (12, 4, true, 4096) } },
  /* A bin for each value: more than a GPU's shared memory or a processor's cache can hold. */
  { "GRAY16_LE by value", 1, 1, { 0 }, { { 0, 0, 2, 0 } }, { DEEP (16, 0, false, 65536) } },
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
  { "16 bits every third byte by value", 1, 1, { 0 }, { { 0, 1, 3, 0 } }, { DEEP (16, 0, true, 65536) } },
  { .name = "256 and 65536 counters side by side",
    .plane_count = 1,
    .component_count = 2,
    .components = { { 0, 0, 4, 0 }, { 0, 2, 4, 0 } },
    .samples = { DEEP (16, 0, false, 256), DEEP (16, 0, false, 65536) } },
  { .name = "Y216_LE, U by value", /* for odd widths, some samples lie outside of whole pixels */
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
  { "a 16-bit sample at each byte", 1, 2, { 0 }, { { 0, 0, 2, 0 }, { 0, 1, 2, 0 } }, ALL_DEEP (16, 0, true, 256) },
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

/* Returns a value whose lowest bits are the sample. */
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

/* Returns the two bytes of a sample as a number. */
static TEST_UNWATCHED uint32_t
load_word (const uint8_t *bytes, bool big_endian)
{
  return big_endian ? bytes[0] * 256u + bytes[1] : bytes[1] * 256u + bytes[0];
}

/* Sets the significant bits of a sample, and keeps the others. */
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
test_frame_paint (struct test_frame *frame, unsigned component, test_painter painter, void *data)
{
  const struct histo_component *painted = &frame->frame.components[component];
  const struct histo_plane *plane = &frame->frame.planes[painted->plane];

  protect (frame, PROT_READ | PROT_WRITE);
  for (uint32_t y = 0; y < plane->height; y++) {
    uint8_t *row = (uint8_t *)(uintptr_t)plane->data + y * plane->stride_bytes + painted->offset_bytes;

    if (painted->width > 0)
      test_watch_write (row, (painted->width - 1) * painted->step_bytes + painted->sample_bytes);
    for (uint64_t x = 0; x < painted->width; x++)
      store_sample (row + x * painted->step_bytes, painted, painter (data, x, y));
  }
  protect (frame, PROT_READ);
}

/* Returns whether the second and the third component can be Cb and Cr of the first. */
static bool
has_colours (const struct test_frame *frame)
{
  const struct test_layout *layout = frame->layout;
  const struct histo_component *luma = &frame->frame.components[0];

  return layout->component_count >= 3 && luma[1].depth == luma->depth && luma[2].depth == luma->depth
         && layout->components[0].width_shift == 0 && layout->height_shift[layout->components[0].plane] == 0
         && layout->components[1].width_shift == layout->components[2].width_shift
         && layout->height_shift[layout->components[1].plane] == layout->height_shift[layout->components[2].plane];
}

static struct histo_chroma
find_chroma (const struct test_frame *frame)
{
  const struct test_layout *layout = frame->layout;
  struct histo_chroma chroma = { 0 };

  if (has_colours (frame)) {
    chroma.shift_x = (uint8_t)layout->components[1].width_shift;
    chroma.shift_y = (uint8_t)layout->height_shift[layout->components[1].plane];
    chroma.phase_x = (uint8_t)(frame->geometry.left % (1u << chroma.shift_x));
    chroma.phase_y = (uint8_t)(frame->geometry.top % (1u << chroma.shift_y));
  }
  return chroma;
}

void
test_frame_set_gamut (struct test_frame *frame, unsigned choice)
{
  static const double matrices[][2] = { { 0.2126, 0.0722 }, { 0.299, 0.114 }, { 0.2627, 0.0593 }, { 0.212, 0.087 } };
  const struct histo_chroma *chroma = &frame->frame.chroma;
  const unsigned depth = frame->frame.components[0].depth, matrix = choice / 8 % 4;
  struct histo_gamut *gamut = &frame->frame.gamut;

  *gamut = (struct histo_gamut){ 0 };
  if (!has_colours (frame) || choice % 8 < 2)
    return;
  if (!histo_find_gamut (gamut, matrices[matrix][0], matrices[matrix][1], choice % 8 == 3, depth))
    abort ();
  switch (choice % 8) {
  case 4: /* samples are R', G' and B', if the sizes are equal */
    gamut->is_rgb = chroma->shift_x == 0 && chroma->shift_y == 0;
    break;
  case 5: /* the largest coefficients and limits */
    *gamut = (struct histo_gamut){ INT16_MIN, 16384, -16383, INT16_MAX, 40 << (depth + 6), INT32_MAX, false };
    break;
  case 6:
    *gamut = (struct histo_gamut){ INT16_MAX, -16384, -16383, INT16_MIN, -(1 << 30), 200 << (depth + 6), false };
    break;
  case 7: /* few values are inside the limits, or none */
    gamut->min = (choice / 8 * 5 % 250 << (depth + 6)) + 1;
    gamut->max = gamut->min + (choice % 3 << (depth + 7)) + 1;
    break;
  default:
    break;
  }
}

void
test_frame_set_light (struct test_frame *frame, unsigned choice)
{
  static const double matrices[][2] = { { 0.2627, 0.0593 }, { 0.2126, 0.0722 }, { 0.299, 0.114 }, { 0.212, 0.087 } };
  const struct histo_chroma *chroma = &frame->frame.chroma;
  const unsigned depth = frame->frame.components[0].depth, matrix = choice / 8 % 4;
  struct histo_light *light = &frame->frame.light;

  *light = (struct histo_light){ 0 };
  if (!has_colours (frame) || choice % 8 < 2)
    return;
  if (!histo_find_light (light, matrices[matrix][0], matrices[matrix][1], choice % 8 == 3, depth))
    abort ();
  light->transfer = choice / 3 % 2 == 0 ? HISTO_TRANSFER_PQ : HISTO_TRANSFER_HLG;
  light->source = choice / 6 % 2 == 0 ? HISTO_LIGHT_MAX_RGB : HISTO_LIGHT_LUMINANCE;
  switch (choice % 8) {
  case 4: /* samples are R', G' and B', if the sizes are equal */
  case 5:
    light->is_rgb = chroma->shift_x == 0 && chroma->shift_y == 0;
    break;
  case 6: /* the largest sums: all codes */
    light->luma = 1 << (29 - depth);
    light->offset = -(1 << 29);
    light->r_cr = 1 << (31 - depth);
    light->g_cb = 1 << (30 - depth);
    light->g_cr = -(1 << (30 - depth));
    light->b_cb = -(1 << (31 - depth));
    break;
  case 7: /* most samples have the largest code */
    light->luma = light->g_cb = light->g_cr = light->b_cb = 1;
    light->r_cr = -1;
    light->offset = (4095 << HISTO_LIGHT_ONE_LOG2) - (int32_t)(choice % 50);
    break;
  default:
    break;
  }
}

bool
test_frame_can_derive (const struct test_frame *frame)
{
  const struct histo_frame *stored = &frame->frame;
  const struct histo_component *red = &stored->components[0];

  if (stored->component_count < 3 || stored->chroma.shift_x > 0 || stored->chroma.shift_y > 0 || red->width > 65536
      || stored->planes[red->plane].height > 65536)
    return false;
  for (unsigned c = 1; c < 3; c++) {
    const struct histo_component *component = &stored->components[c];

    if (component->width != red->width || component->depth != red->depth
        || stored->planes[component->plane].height != stored->planes[red->plane].height)
      return false;
  }
  return true;
}

void
test_frame_derive (struct test_frame *frame, unsigned choice)
{
  static const double matrices[][2]
      = { { 0.299, 0.114 }, { 0.2126, 0.0722 }, { 0.2627, 0.0593 }, { 0.212, 0.087 }, { 0.3, 0.11 }, { 0.9, 0.05 } };
  const unsigned matrix = choice / 8 % (sizeof matrices / sizeof *matrices);

  frame->frame.derived_count = choice % 4 == 0 ? 0 : choice % 4 == 1 ? 1 : 3;
  if (frame->frame.derived_count > 0
      && !histo_find_matrix (&frame->frame.matrix, matrices[matrix][0], matrices[matrix][1], choice % 8 < 4,
                             frame->frame.components[0].depth))
    abort ();
}

uint32_t
test_frame_statistics (const struct test_frame *frame)
{
  const bool lacks_chroma = frame->frame.derived_count == 1;
  uint32_t statistics = HISTO_STATISTICS_ALL;

  if (frame->geometry.width > 65536 || frame->geometry.height > 65536)
    statistics &= ~(uint32_t)(HISTO_STATISTICS_PICTURE | HISTO_STATISTIC_WAVEFORM);
  if (!has_colours (frame))
    statistics &= ~(uint32_t)HISTO_STATISTICS_COLOURS;
  if (lacks_chroma)
    statistics &= ~(uint32_t)HISTO_STATISTICS_COLOURS | (frame->frame.gamut.is_rgb ? HISTO_STATISTIC_GAMUT : 0)
                  | (frame->frame.light.is_rgb ? HISTO_STATISTIC_LIGHT : 0);
  if (frame->frame.gamut.min >= frame->frame.gamut.max)
    statistics &= ~(uint32_t)HISTO_STATISTIC_GAMUT;
  if (frame->frame.light.luma <= 0)
    statistics &= ~(uint32_t)HISTO_STATISTIC_LIGHT;
  return statistics;
}

uint32_t
test_frame_choose_statistics (const struct test_frame *frame, struct test_random *random)
{
  const uint32_t statistics = test_frame_statistics (frame);

  return test_random_once_in (random, 4) ? statistics
                                         : statistics & ~(uint32_t)(HISTO_STATISTIC_WAVEFORM | HISTO_STATISTIC_VECTORSCOPE);
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
  frame->frame.waveform_columns = 1 + (geometry->width * 7 + geometry->height) % 300;
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

    /* The memory ends with the last sample. */
    reserve_plane (frame, p, stored > 0 ? (stored - 1) * stride + row_bytes[p] : 0);
    plane->data = frame->memory[p].bytes + first * stride;
    plane->stride_bytes = stride;
    plane->height = geometry->height > 0 ? shift_up (geometry->top + geometry->height, shift) - first : 0;
  }
  frame->frame.chroma = find_chroma (frame);
  test_frame_set_gamut (frame, geometry->width * 3 + geometry->height * 5 + geometry->left * 7 + geometry->top * 11);
  test_frame_set_light (frame, geometry->width * 7 + geometry->height * 3 + geometry->left * 11 + geometry->top * 5);
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
  /* Half of the frames have no gap between rows: these are counted as one long row. */
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
            ", stride +%zu, guard %s, fill %s, statistics %#" PRIx32 ", %u derived, seed %" PRIu64,
            frame->layout->name, geometry->width, geometry->height,
            (unsigned)((uintptr_t)frame->frame.planes[0].data % BASE_ALIGNMENT), geometry->left, geometry->top, geometry->right,
            geometry->bottom, geometry->extra_stride_bytes, guards[geometry->guard], test_fill_name (frame->fill),
            frame->frame.statistics, frame->frame.derived_count, test_seed ());
}
