/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Frames: what submit refuses and with which status, its limits, and frames without samples. */

#include "frame.h"
#include "rig.h"
#include "runner.h"

TEST_FIXTURE (begin_test, end_test)

#define REFUSED(expected, change)                             \
  do {                                                        \
    struct histo_frame frame = good_frame ();                 \
    frame.change;                                             \
    assert_refused (&frame, HISTO_ERROR_##expected, #change); \
  } while (0)

TEST (submit_refuses_nonsense)
{
  struct histo_frame good = good_frame ();
  histo_ticket ticket = 0;

  ck_assert_int_eq (histo_submit (NULL, &good, &ticket), HISTO_ERROR_INVALID);
  ck_assert_int_eq (histo_submit (engine, NULL, &ticket), HISTO_ERROR_INVALID);
  ck_assert_int_eq (histo_submit (engine, &good, NULL), HISTO_ERROR_INVALID);

  REFUSED (INVALID, memory = (enum histo_memory)7);
  if (test_backend () != HISTO_BACKEND_CUDA)
    REFUSED (INVALID, memory = HISTO_MEMORY_DEVICE);
  REFUSED (INVALID, plane_count = 0);
  REFUSED (INVALID, plane_count = HISTO_MAX_PLANES + 1);
  REFUSED (INVALID, plane_count = UINT32_MAX);
  REFUSED (INVALID, component_count = 0);
  REFUSED (INVALID, component_count = HISTO_MAX_COMPONENTS + 1);
  REFUSED (INVALID, component_count = UINT32_MAX);

  REFUSED (INVALID, planes[0].data = NULL);
  REFUSED (INVALID, planes[1].data = NULL);
  REFUSED (INVALID, planes[0].stride_bytes = 15);
  REFUSED (INVALID, planes[0].stride_bytes = 0);
  REFUSED (INVALID, planes[1].stride_bytes = 15);
  REFUSED (INVALID, planes[0].stride_bytes = SIZE_MAX);
  REFUSED (INVALID, planes[0].stride_bytes = SIZE_MAX / 2);

  REFUSED (INVALID, components[0].plane = 2);
  REFUSED (INVALID, components[2].plane = UINT32_MAX);
  REFUSED (INVALID, components[0].step_bytes = 0);
  REFUSED (INVALID, components[2].step_bytes = 0);
  REFUSED (INVALID, components[0].step_bytes = 5);
  REFUSED (INVALID, components[0].step_bytes = SIZE_MAX);
  REFUSED (INVALID, components[0].offset_bytes = 49);
  REFUSED (INVALID, components[2].offset_bytes = 50);
  REFUSED (INVALID, components[0].offset_bytes = SIZE_MAX);
  REFUSED (INVALID, components[0].offset_bytes = SIZE_MAX - 15);
  REFUSED (INVALID, components[0].width = 65);
  REFUSED (INVALID, components[0].width = UINT64_MAX);
  REFUSED (INVALID, components[0].width = UINT64_C (1) << 63);
  REFUSED (INVALID, components[2].width = (UINT64_C (1) << 63) + 8);
  REFUSED (INVALID, components[0].sample_bytes = 0);
  REFUSED (INVALID, components[0].depth = 0);
  REFUSED (INVALID, components[0].depth = 9);
  REFUSED (INVALID, components[0].depth = UINT32_MAX);
  REFUSED (INVALID, components[0].shift = 1);
  REFUSED (INVALID, components[0].shift = UINT32_MAX);
}

#define DEEP_REFUSED(expected, change)                        \
  do {                                                        \
    struct histo_frame frame = deep_frame ();                 \
    frame.change;                                             \
    assert_refused (&frame, HISTO_ERROR_##expected, #change); \
  } while (0)

TEST (submit_refuses_nonsense_in_two_bytes)
{
  DEEP_REFUSED (INVALID, components[2].step_bytes = 1);
  DEEP_REFUSED (INVALID, components[2].step_bytes = 0);
  DEEP_REFUSED (INVALID, components[2].offset_bytes = 35);
  DEEP_REFUSED (INVALID, components[2].depth = 8);
  DEEP_REFUSED (INVALID, components[2].depth = 17);
  DEEP_REFUSED (INVALID, components[2].depth = UINT32_MAX);
  DEEP_REFUSED (INVALID, components[2].shift = 7);
  DEEP_REFUSED (INVALID, components[2].shift = UINT32_MAX);
  DEEP_REFUSED (INVALID, components[2].bins = 1);
  DEEP_REFUSED (INVALID, components[2].bins = 255);
  DEEP_REFUSED (INVALID, components[2].bins = 512);
  DEEP_REFUSED (INVALID, components[2].bins = 4096);
  DEEP_REFUSED (INVALID, components[2].bins = UINT32_MAX);
  DEEP_REFUSED (INVALID, components[2].sample_bytes = 3);
  DEEP_REFUSED (INVALID, components[2].sample_bytes = UINT32_MAX);
  REFUSED (INVALID, components[0].depth = 7);
  REFUSED (INVALID, components[0].bins = 255);
  REFUSED (INVALID, components[0].bins = 512);
}

TEST (every_depth_may_have_a_counter_for_each_value)
{
  for (unsigned depth = 9; depth <= 16; depth++) {
    struct histo_frame frame = deep_frame ();

    frame.components[2].depth = depth;
    frame.components[2].shift = 0;
    frame.components[2].bins = 1u << depth;
    ck_assert_int_eq (test_engine_count (engine, &frame, &stats), HISTO_OK);
    ck_assert_uint_eq (stats.components[2].bins, 1u << depth);
    frame.components[2].bins = 1u << (depth - 1);
    if (frame.components[2].bins != HISTO_BINS)
      assert_refused (&frame, HISTO_ERROR_INVALID, "bins for half of the values");
    frame.components[2].bins = 1u << depth;
    frame.components[2].step_bytes = 1;
    assert_refused (&frame, HISTO_ERROR_INVALID, "a step below the sample's bytes");
  }
}

/* One row more than the sums hold. There is no memory: a refused frame is not read. */
TEST (submit_refuses_too_many_samples)
{
  static const uint8_t byte;
  struct histo_frame frame = {
    .plane_count = 1,
    .component_count = 1,
    .planes = { { &byte, 1u << 17, (1u << 16) + 1 } },
    .components = { { .step_bytes = 2, .width = 1u << 16, .sample_bytes = 2, .depth = 16 } },
  };

  assert_refused (&frame, HISTO_ERROR_INVALID, "2^32 + 2^16 samples of two bytes");
  frame.components[0] = (struct histo_component){ .step_bytes = 1, .width = 1u << 16, .sample_bytes = 1, .depth = 8 };
  frame.statistics |= HISTO_STATISTIC_PROJECTION;
  assert_refused (&frame, HISTO_ERROR_INVALID, "2^32 + 2^16 samples to project");
  frame.statistics &= ~(uint32_t)HISTO_STATISTIC_PROJECTION;
  frame.planes[0] = (struct histo_plane){ &byte, (size_t)1 << 31, (1u << 17) + 1 };
  frame.components[0].width = UINT64_C (1) << 31;
  assert_refused (&frame, HISTO_ERROR_INVALID, "2^48 + 2^31 samples");
}

/* As above. A frame without an operand is also refused: validity does not depend on other frames. */
TEST (submit_refuses_too_many_differences)
{
  static const uint8_t byte;

  for (unsigned c = 0; c < 3; c++) {
    struct histo_frame operand = {
      .plane_count = 2,
      .component_count = 3,
      .planes = { { &byte, (size_t)1 << 17, 1u << 15 }, { &byte, (size_t)1 << 17, (1u << 15) + 1 } },
    };
    struct histo_frame frame;

    for (unsigned i = 0; i < 3; i++)
      operand.components[i] = (struct histo_component){
        .plane = i == c, .step_bytes = 1 + c % 2, .width = 1u << 16, .sample_bytes = 1 + c % 2, .depth = c % 2 ? 10 : 8
      };
    frame = operand;
    frame.statistics = HISTO_STATISTIC_DIFFERENCE;
    assert_refused (&frame, HISTO_ERROR_INVALID, "2^31 + 2^16 samples, and no operand to differ from");
    frame.operand = &operand;
    assert_refused (&frame, HISTO_ERROR_INVALID, "2^31 + 2^16 samples that may differ");
  }
}

/* Frames at the limits, without counting them. */
TEST (maximum_number_of_samples)
{
  static const uint8_t byte;
  static const struct histo_own_weights no_weights[HISTO_MAX_COUNTED];
  static const struct {
    uint32_t statistics;
    unsigned sample_bytes, width_log2, height_log2;
  } cases[] = {
    { 0, 1, 31, 17 },
    { 0, 2, 16, 16 },
    { HISTO_STATISTIC_DIFFERENCE, 1, 16, 15 },
    { HISTO_STATISTIC_DIFFERENCE, 2, 16, 15 },
    { HISTO_STATISTIC_WAVEFORM, 1, 16, 15 },
    { HISTO_STATISTIC_WAVEFORM, 2, 16, 15 },
  };

  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const uint64_t width = UINT64_C (1) << cases[i].width_log2;
    struct histo_frame frame = {
      .statistics = cases[i].statistics,
      .waveform_columns = 1,
      .plane_count = 1,
      .component_count = 1,
      .planes = { { &byte, cases[i].sample_bytes * width, 1u << cases[i].height_log2 } },
      .components = { { .step_bytes = cases[i].sample_bytes, .width = width, .sample_bytes = cases[i].sample_bytes } },
    };

    frame.components[0].depth = 8 * cases[i].sample_bytes;
    ck_assert_msg (histo_frame_is_valid (&frame, false, no_weights), "case %zu", i);
    frame.planes[0].height++;
    ck_assert_msg (!histo_frame_is_valid (&frame, false, no_weights), "case %zu, and a row", i);
  }
}

TEST (limits_are_accepted)
{
  struct histo_frame frame, operand;

  /* The last row ends with the stride. */
  frame = good_frame ();
  frame.components[0].offset_bytes = 48;
  ck_assert_int_eq (test_engine_count (engine, &frame, &stats), HISTO_OK);
  ck_assert_uint_eq (stats.components[0].count, 64);
  /* The default number of bins can be written in two ways. */
  frame = good_frame ();
  frame.components[0].bins = HISTO_BINS;
  operand = good_frame ();
  frame.operand = &operand;
  ck_assert_int_eq (test_engine_count (engine, &frame, &stats), HISTO_OK);
  ck_assert_uint_eq (stats.components[0].bins, HISTO_BINS);
  ck_assert_uint_eq (stats.components[1].bins, HISTO_BINS);
  ck_assert_uint_eq (stats.components[0].depth, 8);
  /* Byte order is ignored for one-byte samples. */
  frame = good_frame ();
  frame.components[0].big_endian = true;
  ck_assert_int_eq (test_engine_count (engine, &frame, &stats), HISTO_OK);
  /* The frame's stream is ignored except in device memory. */
  frame = good_frame ();
  frame.stream = (struct CUstream_st *)(uintptr_t)64;
  ck_assert_int_eq (test_engine_count (engine, &frame, &stats), HISTO_OK);
  /* The operand's statistics and chroma are ignored. */
  frame = good_frame ();
  frame.statistics |= HISTO_STATISTIC_DIFFERENCE | HISTO_STATISTIC_OUTLIERS;
  operand.statistics = UINT32_MAX;
  operand.chroma = (struct histo_chroma){ 255, 255, 255, 255 };
  operand.waveform_columns = UINT32_MAX;
  operand.operand = (const struct histo_frame *)(uintptr_t)16;
  frame.operand = &operand;
  ck_assert_int_eq (test_engine_count (engine, &frame, &stats), HISTO_OK);
  ck_assert_uint_eq (stats.components[0].difference_count, 64);
  ck_assert_uint_eq (stats.picture->statistics, HISTO_STATISTIC_OUTLIERS);
}

TEST (submit_refuses_a_foreign_operand)
{
  const struct histo_frame good = good_frame ();
  struct histo_frame frame = good_frame (), operand;

#define OPERAND_REFUSED(change)                                        \
  do {                                                                 \
    operand = good;                                                    \
    operand.change;                                                    \
    frame.operand = &operand;                                          \
    assert_refused (&frame, HISTO_ERROR_INVALID, "operand: " #change); \
  } while (0)

  OPERAND_REFUSED (memory = HISTO_MEMORY_DEVICE);
  OPERAND_REFUSED (plane_count = 1);
  OPERAND_REFUSED (plane_count = 3);
  OPERAND_REFUSED (component_count = 2);
  OPERAND_REFUSED (component_count = 0);
  OPERAND_REFUSED (planes[0].height = 3);
  OPERAND_REFUSED (planes[0].height = 5);
  OPERAND_REFUSED (planes[0].data = NULL);
  OPERAND_REFUSED (planes[0].stride_bytes = 15);
  OPERAND_REFUSED (components[0].plane = 1);
  OPERAND_REFUSED (components[0].width = 15);
  OPERAND_REFUSED (components[0].width = 17);
  OPERAND_REFUSED (components[0].offset_bytes = 1);
  OPERAND_REFUSED (components[1].step_bytes = 3);
  OPERAND_REFUSED (components[1].sample_bytes = 0);
  OPERAND_REFUSED (components[1].depth = 9);
  {
    const struct histo_frame deep = deep_frame ();

#define DEEP_OPERAND_REFUSED(change)                                   \
  do {                                                                 \
    operand = deep;                                                    \
    operand.change;                                                    \
    frame = deep;                                                      \
    frame.operand = &operand;                                          \
    assert_refused (&frame, HISTO_ERROR_INVALID, "operand: " #change); \
  } while (0)

    DEEP_OPERAND_REFUSED (components[2].bins = 256);
    DEEP_OPERAND_REFUSED (components[2].bins = 0);
    DEEP_OPERAND_REFUSED (components[2].big_endian = true);
    DEEP_OPERAND_REFUSED (components[2].shift = 0);
  }
}

/* ---- pictures ------------------------------------------------------------------------------------------------------- */

#define OF_COLOURS (uint32_t) HISTO_STATISTICS_COLOURS
#define OF_LUMA (HISTO_STATISTICS_PICTURE & ~OF_COLOURS) /* alone */
#define MAX_SIDE 65536

/* 16x4 luma with 8x2 chroma samples. */
static struct histo_frame
good_picture (uint32_t statistics)
{
  struct histo_frame frame = good_frame ();

  frame.statistics = statistics;
  frame.chroma = (struct histo_chroma){ .shift_x = 1, .shift_y = 1 };
  ck_assert (histo_find_gamut (&frame.gamut, 0.2126, 0.0722, false, 8));
  ck_assert (histo_find_light (&frame.light, 0.2627, 0.0593, false, 8));
  return frame;
}

static void
assert_counted (const struct histo_frame *frame, const char *what)
{
  ck_assert_msg (test_engine_count (engine, frame, &stats) == HISTO_OK, "%s: %s", what, test_log.text);
  ck_assert_msg ((stats.picture != NULL) == ((frame->statistics & (OF_LUMA | OF_COLOURS)) != 0), "%s", what);
  if (stats.picture != NULL) {
    const bool has_saturation = frame->statistics & HISTO_STATISTIC_SATURATION,
               has_hue = frame->statistics & HISTO_STATISTIC_HUE;

    ck_assert_uint_eq (stats.picture->statistics, frame->statistics & (OF_LUMA | OF_COLOURS));
    ck_assert_uint_eq (stats.picture->luma_count, stats.components[0].count);
    ck_assert_uint_eq (stats.picture->chroma_count, frame->statistics & OF_COLOURS ? stats.components[1].count : 0);
    ck_assert_int_eq (stats.picture->saturation != NULL, has_saturation);
    ck_assert_uint_eq (stats.picture->saturation_count, has_saturation ? 182 : 0);
    ck_assert_int_eq (stats.picture->hue != NULL, has_hue);
  }
}

/* A change of the good picture: refused with any statistic of colours, accepted without. */
#define COLOURS_REFUSED(...)                                      \
  do {                                                            \
    struct histo_frame frame = good_picture (0);                  \
                                                                  \
    frame.__VA_ARGS__;                                            \
    for (uint32_t bit = 1; bit != 0; bit <<= 1) {                 \
      frame.statistics = bit & OF_COLOURS;                        \
      if (frame.statistics == 0)                                  \
        continue;                                                 \
      assert_refused (&frame, HISTO_ERROR_INVALID, #__VA_ARGS__); \
    }                                                             \
    frame.statistics = OF_LUMA;                                   \
    assert_counted (&frame, #__VA_ARGS__);                        \
  } while (0)
#define COLOURS_COUNTED(...)                                        \
  do {                                                              \
    struct histo_frame frame = good_picture (OF_LUMA | OF_COLOURS); \
                                                                    \
    frame.__VA_ARGS__;                                              \
    assert_counted (&frame, #__VA_ARGS__);                          \
  } while (0)

TEST (submit_refuses_colours_that_are_not_there)
{
  COLOURS_COUNTED (statistics = OF_COLOURS);
  COLOURS_REFUSED (component_count = 2);
  COLOURS_REFUSED (component_count = 1);
  /* Cb and Cr are equal in size, with a sample for each sample of luma. */
  COLOURS_REFUSED (components[1].width = 7);
  COLOURS_REFUSED (components[2].width = 7);
  COLOURS_REFUSED (components[1].width = 9);
  COLOURS_REFUSED (components[1].width = 0);
  COLOURS_REFUSED (components[1].width = 7, frame.components[2].width = 7);
  COLOURS_REFUSED (components[1].width = 0, frame.components[2].width = 0);
  COLOURS_COUNTED (components[1].width = 9, frame.components[2].width = 9);
  COLOURS_REFUSED (components[0].width = 17);
  COLOURS_COUNTED (components[0].width = 15);
  COLOURS_REFUSED (planes[1].height = 1);
  COLOURS_REFUSED (planes[1].height = 0);
  COLOURS_COUNTED (planes[1].height = 3);
  COLOURS_REFUSED (planes[0].height = 5);
  COLOURS_COUNTED (planes[0].height = 3);
  /* Shifts and phases. */
  COLOURS_REFUSED (chroma.shift_x = 0);
  COLOURS_REFUSED (chroma.shift_y = 0);
  COLOURS_COUNTED (chroma.shift_x = 2);
  COLOURS_COUNTED (chroma.shift_y = 2);
  COLOURS_REFUSED (chroma.shift_x = 3);
  COLOURS_REFUSED (chroma.shift_y = 3);
  COLOURS_REFUSED (chroma.shift_x = 255);
  COLOURS_REFUSED (chroma.shift_y = 255);
  COLOURS_REFUSED (chroma.phase_x = 1);
  COLOURS_REFUSED (chroma.phase_y = 1);
  COLOURS_COUNTED (chroma.phase_x = 1, frame.components[0].width = 15);
  COLOURS_COUNTED (chroma.phase_y = 1, frame.planes[0].height = 3);
  COLOURS_REFUSED (chroma.phase_x = 2, frame.components[0].width = 1);
  COLOURS_REFUSED (chroma.phase_y = 2, frame.planes[0].height = 1);
  COLOURS_REFUSED (chroma = ((struct histo_chroma){ 2, 1, 0, 2 }), frame.planes[0].height = 1);
  COLOURS_REFUSED (chroma = ((struct histo_chroma){ 1, 2, 2, 0 }), frame.components[0].width = 1);
  COLOURS_COUNTED (chroma = ((struct histo_chroma){ 2, 2, 3, 3 }));
  COLOURS_REFUSED (chroma = ((struct histo_chroma){ 2, 2, 4, 3 }));
  COLOURS_REFUSED (chroma = ((struct histo_chroma){ 2, 2, 3, 4 }));
  COLOURS_REFUSED (chroma = ((struct histo_chroma){ 0, 1, 1, 0 }));
  COLOURS_REFUSED (chroma = ((struct histo_chroma){ 1, 0, 0, 1 }));
  /* Separate planes of the same height. */
  COLOURS_COUNTED (planes[2] = frame.planes[1], frame.plane_count = 3, frame.components[2].plane = 2);
  {
    struct histo_frame frame = good_picture (OF_COLOURS);

    frame.planes[2] = frame.planes[1];
    frame.plane_count = 3;
    frame.components[2].plane = 2;
    frame.planes[2].height = 3;
    assert_refused (&frame, HISTO_ERROR_INVALID, "Cr is higher than Cb");
    frame.planes[1].height = 4;
    assert_refused (&frame, HISTO_ERROR_INVALID, "Cb is higher than Cr");
    frame.planes[2].height = 4;
    assert_counted (&frame, "both are higher than they need be");
  }
}

TEST (submit_refuses_colours_of_other_depths)
{
  for (unsigned c = 0; c < 3; c++) {
    struct histo_frame frame = good_picture (OF_COLOURS);

    for (unsigned i = 0; i < 3; i++)
      frame.components[i] = (struct histo_component){
        .plane = i > 0, .step_bytes = 2, .width = 16, .sample_bytes = 2, .depth = i == c ? 12 : 10
      };
    frame.chroma.shift_x = 0;
    assert_refused (&frame, HISTO_ERROR_INVALID, "one component is deeper");
    frame.components[c].depth = 9;
    assert_refused (&frame, HISTO_ERROR_INVALID, "one component is less deep");
    frame.statistics = OF_LUMA;
    assert_counted (&frame, "no colours requested");
  }
}

/* A change of the good picture's gamut: refused if the gamut is requested, accepted otherwise. */
#define GAMUT_REFUSED(...)                                                        \
  do {                                                                            \
    struct histo_frame frame = good_picture (HISTO_STATISTIC_GAMUT);              \
                                                                                  \
    frame.gamut.__VA_ARGS__;                                                      \
    assert_refused (&frame, HISTO_ERROR_INVALID, #__VA_ARGS__);                   \
    frame.statistics = (OF_LUMA | OF_COLOURS) & ~(uint32_t)HISTO_STATISTIC_GAMUT; \
    assert_counted (&frame, #__VA_ARGS__);                                        \
  } while (0)
#define GAMUT_COUNTED(...)                                           \
  do {                                                               \
    struct histo_frame frame = good_picture (HISTO_STATISTIC_GAMUT); \
                                                                     \
    frame.gamut.__VA_ARGS__;                                         \
    assert_counted (&frame, #__VA_ARGS__);                           \
  } while (0)

TEST (submit_refuses_a_gamut_that_overflows)
{
  const int32_t limit = 1 << 30, one = HISTO_GAMUT_ONE;

  GAMUT_REFUSED (min = frame.gamut.max);
  GAMUT_REFUSED (max = frame.gamut.min - 1);
  GAMUT_COUNTED (max = frame.gamut.min + 1);
  GAMUT_REFUSED (min = -limit - 1);
  GAMUT_COUNTED (min = -limit);
  GAMUT_COUNTED (min = -limit, frame.gamut.max = -limit + 1);
  GAMUT_REFUSED (min = limit - one + 1, frame.gamut.max = INT32_MAX);
  GAMUT_COUNTED (min = limit - one, frame.gamut.max = INT32_MAX);
  GAMUT_REFUSED (min = INT32_MIN, frame.gamut.max = INT32_MAX);
  GAMUT_COUNTED (r_cr = INT16_MIN, frame.gamut.b_cb = INT16_MAX);
  GAMUT_COUNTED (r_cr = INT16_MAX, frame.gamut.b_cb = INT16_MIN);
  GAMUT_COUNTED (g_cb = -16384, frame.gamut.g_cr = 16383);
  GAMUT_REFUSED (g_cb = -16384, frame.gamut.g_cr = 16384);
  GAMUT_REFUSED (g_cb = INT16_MIN, frame.gamut.g_cr = 0);
  GAMUT_COUNTED (g_cb = 0, frame.gamut.g_cr = INT16_MAX);
  /* R', G' and B' have the same size. */
  GAMUT_REFUSED (is_rgb = true);
  {
    struct histo_frame frame = good_picture (HISTO_STATISTIC_GAMUT);

    for (unsigned c = 0; c < 3; c++)
      frame.components[c] = (struct histo_component){ .step_bytes = 1, .width = 16, .sample_bytes = 1, .depth = 8 };
    frame.gamut.is_rgb = true;
    frame.gamut.g_cb = INT16_MIN; /* ignored */
    frame.chroma = (struct histo_chroma){ .shift_x = 1 };
    assert_refused (&frame, HISTO_ERROR_INVALID, "G' and B' of every second R'");
    frame.chroma = (struct histo_chroma){ .shift_y = 1 };
    assert_refused (&frame, HISTO_ERROR_INVALID, "G' and B' of every second row of R'");
    frame.chroma = (struct histo_chroma){ 0 };
    assert_counted (&frame, "R', G' and B'");
  }
  {
    struct histo_frame frame = good_picture (HISTO_STATISTIC_GAMUT);

    frame.gamut = (struct histo_gamut){ 0 };
    assert_refused (&frame, HISTO_ERROR_INVALID, "no gamut");
  }
}

/* The same for light. */
#define LIGHT_REFUSED(...)                                                        \
  do {                                                                            \
    struct histo_frame frame = good_picture (HISTO_STATISTIC_LIGHT);              \
                                                                                  \
    frame.light = (struct histo_light){ __VA_ARGS__ };                            \
    assert_refused (&frame, HISTO_ERROR_INVALID, #__VA_ARGS__);                   \
    frame.statistics = (OF_LUMA | OF_COLOURS) & ~(uint32_t)HISTO_STATISTIC_LIGHT; \
    assert_counted (&frame, #__VA_ARGS__);                                        \
  } while (0)
#define LIGHT_COUNTED(...)                                           \
  do {                                                               \
    struct histo_frame frame = good_picture (HISTO_STATISTIC_LIGHT); \
                                                                     \
    frame.light = (struct histo_light){ __VA_ARGS__ };               \
    assert_counted (&frame, #__VA_ARGS__);                           \
  } while (0)

/* The samples have 8 bits: luma is at most 255, Cb and Cr are -128 to 127. */
TEST (submit_refuses_light_that_overflows)
{
  LIGHT_REFUSED (.luma = 0);
  LIGHT_REFUSED (.luma = -1);
  LIGHT_COUNTED (.luma = 1);
  LIGHT_COUNTED (.luma = INT32_MAX / 255);
  LIGHT_REFUSED (.luma = INT32_MAX / 255 + 1);
  LIGHT_REFUSED (.luma = INT32_MAX / 255 + 1, .offset = INT32_MIN);
  LIGHT_COUNTED (.luma = 1, .offset = INT32_MAX - 255);
  LIGHT_REFUSED (.luma = 1, .offset = INT32_MAX - 254);
  LIGHT_COUNTED (.luma = 1, .offset = INT32_MIN);
  LIGHT_REFUSED (.luma = 1, .offset = INT32_MIN, .r_cr = 1);
  LIGHT_COUNTED (.luma = 1, .offset = INT32_MIN + 128, .r_cr = 1);
  LIGHT_COUNTED (.luma = 1, .offset = INT32_MIN + 127, .r_cr = -1);
  LIGHT_REFUSED (.luma = 1, .offset = INT32_MIN + 126, .r_cr = -1);
  LIGHT_COUNTED (.luma = 1, .offset = INT32_MIN + 128 * 3, .g_cb = 1, .g_cr = 2);
  LIGHT_REFUSED (.luma = 1, .offset = INT32_MIN + 128 * 3 - 1, .g_cb = 1, .g_cr = 2);
  LIGHT_COUNTED (.luma = 1, .offset = INT32_MAX - 255 - 127 * 5, .b_cb = 5);
  LIGHT_REFUSED (.luma = 1, .offset = INT32_MAX - 255 - 127 * 5 + 1, .b_cb = 5);
  LIGHT_REFUSED (.luma = 1, .offset = -100, .g_cb = INT32_MAX, .g_cr = INT32_MIN);
  LIGHT_REFUSED (.luma = 1, .is_rgb = true);
  LIGHT_REFUSED (.luma = 1, .transfer = HISTO_TRANSFER_HLG + 1);
  LIGHT_REFUSED (.luma = 1, .source = HISTO_LIGHT_LUMINANCE + 1);
  LIGHT_COUNTED (.luma = 1, .weights = { UINT32_MAX, UINT32_MAX, UINT32_MAX });
  LIGHT_COUNTED (.luma = 1, .weights = { 65535, 0, 1 }, .transfer = HISTO_TRANSFER_HLG);
  LIGHT_REFUSED (.luma = 1, .weights = { 65535, 1, 1 }, .transfer = HISTO_TRANSFER_HLG);
  LIGHT_COUNTED (.luma = 1, .weights = { 0, 0, 0 }, .source = HISTO_LIGHT_LUMINANCE);
  LIGHT_REFUSED (.luma = 1, .weights = { UINT32_MAX, UINT32_MAX, 2 }, .source = HISTO_LIGHT_LUMINANCE);
  {
    struct histo_frame frame = good_picture (HISTO_STATISTIC_LIGHT);

    for (unsigned c = 0; c < 3; c++)
      frame.components[c] = (struct histo_component){ .step_bytes = 1, .width = 16, .sample_bytes = 1, .depth = 8 };
    frame.light.is_rgb = true;
    frame.light.g_cb = INT32_MIN; /* ignored */
    frame.chroma = (struct histo_chroma){ .shift_x = 1 };
    assert_refused (&frame, HISTO_ERROR_INVALID, "G' and B' of every second R'");
    frame.chroma = (struct histo_chroma){ 0 };
    assert_counted (&frame, "R', G' and B'");
  }
}

TEST (submit_refuses_unknown_statistics)
{
  for (unsigned bit = 0; bit < 32; bit++) {
    struct histo_frame frame = good_picture (UINT32_C (1) << bit);

    if (frame.statistics & HISTO_STATISTICS_ALL)
      continue;
    assert_refused (&frame, HISTO_ERROR_INVALID, "an undefined bit");
    frame.statistics |= OF_LUMA;
    assert_refused (&frame, HISTO_ERROR_INVALID, "the same among others");
  }
}

/* Waveforms have 1 to 16384 columns, for components with at most 65536 samples in a row. */
TEST (columns_of_a_waveform)
{
  static const uint8_t bytes[MAX_SIDE + 1];
  struct histo_frame frame = good_picture (HISTO_STATISTIC_WAVEFORM);

  assert_refused (&frame, HISTO_ERROR_INVALID, "a waveform without columns");
  frame.waveform_columns = HISTO_MAX_WAVEFORM_COLUMNS + 1;
  assert_refused (&frame, HISTO_ERROR_INVALID, "one column too many");
  frame.waveform_columns = UINT32_MAX;
  assert_refused (&frame, HISTO_ERROR_INVALID, "the largest number of columns");
  frame.statistics = 0;
  assert_counted (&frame, "any number of columns, no waveform requested");
  frame.statistics = HISTO_STATISTIC_WAVEFORM;
  frame.waveform_columns = HISTO_MAX_WAVEFORM_COLUMNS;
  assert_counted (&frame, "the maximum number of columns");
  for (unsigned c = 0; c < 3; c++) {
    frame = good_picture (HISTO_STATISTIC_WAVEFORM);
    frame.waveform_columns = 1;
    for (unsigned p = 0; p < 2; p++)
      frame.planes[p] = (struct histo_plane){ bytes, 0, 1 };
    frame.components[c].width = MAX_SIDE;
    frame.components[c].offset_bytes = 0;
    frame.components[c].step_bytes = 1;
    assert_counted (&frame, "the longest row");
    frame.components[c].width++;
    assert_refused (&frame, HISTO_ERROR_INVALID, "one sample more than the longest row");
  }
}

/* A picture has at most 65536 rows, and samples in a row: luma, and chroma if colours are requested. */
TEST (sides_of_a_picture)
{
  static const uint8_t bytes[2 * (MAX_SIDE + 1)];

  for (uint32_t side = MAX_SIDE; side <= MAX_SIDE + 1; side++)
    for (unsigned is_wide = 0; is_wide < 2; is_wide++) {
      struct histo_frame frame = good_picture (0), small;

      for (unsigned p = 0; p < 2; p++)
        frame.planes[p] = (struct histo_plane){ bytes, is_wide ? 0 : 2, is_wide ? 1 : side };
      for (unsigned c = 0; c < 3; c++) {
        frame.components[c].width = is_wide ? side : 1;
        frame.components[c].offset_bytes = 0;
        frame.components[c].step_bytes = 1;
      }
      frame.chroma = (struct histo_chroma){ 0 };
      assert_counted (&frame, "any size, no statistic of the picture requested");
      for (uint32_t bit = 1; bit != 0; bit <<= 1) {
        frame.statistics = bit & OF_LUMA;
        if (frame.statistics == 0)
          continue;
        if (side == MAX_SIDE)
          assert_counted (&frame, "the largest side");
        else
          assert_refused (&frame, HISTO_ERROR_INVALID, "one more than the largest side");
      }
      /* Small luma with large chroma. */
      small = frame;
      small.planes[0].height = 1;
      small.components[0].width = 1;
      small.statistics = OF_LUMA;
      assert_counted (&small, "chroma of any size, no colours requested");
      small.statistics = OF_COLOURS;
      if (side == MAX_SIDE)
        assert_counted (&small, "the largest side of chroma");
      else
        assert_refused (&small, HISTO_ERROR_INVALID, "one more than the largest side of chroma");
      /* No samples, but too wide or too high. */
      frame.statistics = OF_LUMA;
      if (is_wide)
        frame.planes[0].height = 0;
      else
        frame.components[0].width = 0;
      if (side == MAX_SIDE)
        assert_counted (&frame, "an empty picture with the largest side");
      else
        assert_refused (&frame, HISTO_ERROR_INVALID, "an empty picture with a larger side");
    }
}

/* Zeros, in arrays of the usual length. */
TEST (empty_pictures_have_zeros)
{
  struct histo_colour_summary summary;
  struct histo_frame frame = good_picture (OF_LUMA | OF_COLOURS);

  for (unsigned i = 0; i < 4; i++) {
    /* No luma in a row; none at all; no chroma either; no rows. */
    if (i > 0)
      frame.planes[0] = (struct histo_plane){ NULL, 0, 0 };
    frame.components[0].width = i == 0 ? 0 : 16;
    if (i == 2)
      frame.components[1].width = frame.components[2].width = 0;
    if (i == 3)
      frame.planes[1] = frame.planes[0];
    ck_assert_msg (test_engine_count (engine, &frame, &stats) == HISTO_OK, "%s", test_log.text);
    ck_assert_ptr_nonnull (stats.picture);
    ck_assert_uint_eq (stats.picture->luma_count, 0);
#define PICTURE_NUMBER(id, name, ...) ck_assert_uint_eq (stats.picture->name, 0);
#include "statistic_list.h"
    ck_assert_uint_eq (stats.picture->chroma_count, i < 2 ? 16 : 0);
    ck_assert_uint_eq (stats.picture->saturation_count, 182);
    for (unsigned v = 0; v < 182; v++) /* all samples are 0, which is -128 twice */
      ck_assert_uint_eq (stats.picture->saturation[v], v == 181 && i < 2 ? 16 : 0);
    for (unsigned v = 0; v < HISTO_HUES; v++)
      ck_assert_uint_eq (stats.picture->hue[v], v == 45 && i < 2 ? 16 : 0);
    for (unsigned v = 0; v < HISTO_VECTORSCOPE; v++)
      TEST_REQUIRE (stats.picture->vectorscope[v] == (v == 0 && i < 2 ? 16 : 0), "vectorscope[%u]", v);
    ck_assert (histo_summarize_colours (stats.picture, &summary) == (i < 2));
  }
}

TEST (empty_frames_count_nothing)
{
  struct histo_frame frame, operand;
  struct histo_summary summary;

  /* No rows, and no memory. */
  frame = good_frame ();
  frame.planes[0] = (struct histo_plane){ NULL, 0, 0 };
  ck_assert_int_eq (test_engine_count (engine, &frame, &stats), HISTO_OK);
  ck_assert_uint_eq (stats.component_count, 3);
  ck_assert_uint_eq (stats.components[0].count, 0);
  ck_assert_uint_eq (stats.components[0].bins, HISTO_BINS);
  ck_assert_uint_eq (stats.components[1].count, 16);
  ck_assert (!histo_summarize (&stats.components[0], &summary));

  /* No samples in a row: the other component of the plane is counted. */
  frame = good_frame ();
  frame.components[1].width = 0;
  frame.components[1].offset_bytes = 12345678;
  ck_assert_int_eq (test_engine_count (engine, &frame, &stats), HISTO_OK);
  ck_assert_uint_eq (stats.components[1].count, 0);
  ck_assert_uint_eq (stats.components[2].count, 16);

  /* No samples at all, twice. */
  for (unsigned c = 0; c < 3; c++)
    frame.components[c].width = 0;
  frame.planes[0].data = frame.planes[1].data = NULL;
  operand = frame;
  frame.operand = &operand;
  ck_assert_int_eq (test_engine_count (engine, &frame, &stats), HISTO_OK);
  for (unsigned c = 0; c < 3; c++) {
    ck_assert_uint_eq (stats.components[c].count, 0);
    ck_assert_uint_eq (stats.components[c].dot_count, 0);
    ck_assert_uint_eq (stats.components[c].sum, 0);
  }
}
