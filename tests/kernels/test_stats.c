/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* histo_summarize, histo_summarize_colours and the arithmetic of histo_stats compared with numbers computed by hand and with
 * the definitions. */

#include <cudahisto/histo.h>

#include <math.h>
#include <string.h>

#include "frames.h"
#include "runner.h"

__extension__ typedef unsigned __int128 test_u128;

/* The statistics of a histogram. */
static struct histo_component_stats
stats_of (uint64_t histogram[HISTO_BINS])
{
  struct histo_component_stats stats = { .bins = HISTO_BINS, .histogram = histogram };

  for (uint64_t v = 0; v < HISTO_BINS; v++) {
    stats.count += histogram[v];
    stats.sum += histogram[v] * v;
    stats.sum_of_squares += histogram[v] * v * v;
  }
  return stats;
}

static struct histo_summary
summarize (uint64_t histogram[HISTO_BINS])
{
  struct histo_component_stats stats = stats_of (histogram);
  struct histo_summary summary;

  ck_assert (histo_summarize (&stats, &summary));
  return summary;
}

static void
check_quantiles (const struct histo_summary *summary, uint32_t low, uint32_t median, uint32_t high)
{
  ck_assert_msg (summary->low == low && summary->median == median && summary->high == high, "%u %u %u instead of %u %u %u",
                 summary->low, summary->median, summary->high, low, median, high);
}

static void
check_ranks (const struct histo_summary *summary, uint32_t min, uint32_t low, uint32_t median, uint32_t high, uint32_t max)
{
  check_quantiles (summary, low, median, high);
  ck_assert_msg (summary->min == min && summary->max == max, "%u to %u instead of %u to %u", summary->min, summary->max, min,
                 max);
}

TEST (nothing_has_no_summary)
{
  uint64_t histogram[HISTO_BINS] = { 0 };
  struct histo_component_stats stats = stats_of (histogram);
  struct histo_summary summary;

  memset (&summary, 0xff, sizeof summary);
  ck_assert (!histo_summarize (&stats, &summary));
  ck_assert_double_eq (summary.mean, 0);
  ck_assert_double_eq (summary.variance, 0);
  ck_assert_double_eq (summary.stddev, 0);
  ck_assert_uint_eq (summary.min | summary.max | summary.low | summary.median | summary.high, 0);

  /* A component without a histogram has none either. */
  stats = (struct histo_component_stats){ 0 };
  ck_assert (!histo_summarize (&stats, &summary));
  stats = (struct histo_component_stats){ .count = 1, .bins = HISTO_BINS };
  ck_assert (!histo_summarize (&stats, &summary));
  ck_assert (!histo_summarize (NULL, &summary));
  ck_assert (!histo_summarize (&stats, NULL));
}

TEST (one_sample)
{
  static const uint32_t values[] = { 0, 1, 77, 254, 255 };

  for (unsigned i = 0; i < sizeof values / sizeof *values; i++) {
    uint64_t histogram[HISTO_BINS] = { 0 };
    struct histo_summary summary;

    histogram[values[i]] = 1;
    summary = summarize (histogram);
    ck_assert_double_eq (summary.mean, values[i]);
    ck_assert_double_eq (summary.variance, 0);
    ck_assert_double_eq (summary.stddev, 0);
    check_ranks (&summary, values[i], values[i], values[i], values[i], values[i]);
  }
}

/* 1, 2, 3, 4: mean 2.5, variance (2.25 + 0.25 + 0.25 + 2.25) / 4 = 1.25. Ranks: lrint (0.4) = 0, so 1; lrint (2) = 2;
 * lrint (3.6) = 4. */
TEST (four_samples)
{
  uint64_t histogram[HISTO_BINS] = { [1] = 1, [2] = 1, [3] = 1, [4] = 1 };
  struct histo_summary summary = summarize (histogram);

  ck_assert_double_eq (summary.mean, 2.5);
  ck_assert_double_eq (summary.variance, 1.25);
  ck_assert_double_eq (summary.stddev, sqrt (1.25));
  check_ranks (&summary, 1, 1, 2, 4, 4);
}

/* 5 samples: lrint (2.5) is 2, to even; 15: lrint (1.5) = 2, lrint (7.5) = 8, lrint (13.5) = 14; 25: lrint (2.5) = 2,
 * lrint (12.5) = 12, lrint (22.5) = 22. Sample number i (from 1) has the value i. */
TEST (ranks_round_to_even)
{
  static const struct {
    unsigned count;
    uint32_t low, median, high;
  } cases[] = {
    { 2, 1, 1, 2 }, { 3, 1, 2, 3 }, { 5, 1, 2, 4 }, { 10, 1, 5, 9 }, { 15, 2, 8, 14 }, { 25, 2, 12, 22 }, { 200, 20, 100, 180 },
  };

  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
    uint64_t histogram[HISTO_BINS] = { 0 };
    struct histo_summary summary;

    for (unsigned v = 1; v <= cases[i].count; v++)
      histogram[v] = 1;
    summary = summarize (histogram);
    check_quantiles (&summary, cases[i].low, cases[i].median, cases[i].high);
  }
}

TEST (two_far_values)
{
  uint64_t histogram[HISTO_BINS] = { [0] = 3, [255] = 1 };
  struct histo_summary summary = summarize (histogram);

  ck_assert_double_eq (summary.mean, 63.75);
  /* (4 * 65025 - 65025) / 16 */
  ck_assert_double_eq (summary.variance, 12192.1875);
  ck_assert_uint_eq (summary.min, 0);
  ck_assert_uint_eq (summary.max, 255);
  ck_assert_uint_eq (summary.median, 0);
  ck_assert_uint_eq (summary.high, 255);
}

/* (count * sum_of_squares - sum^2) / count^2, with a numerator of 128 bits. With nearly constant data, doubles would cancel. */
TEST (variance_of_huge_counts)
{
  struct test_random random = test_random_start (30);

  for (unsigned round = 0; round < 200; round++) {
    uint64_t histogram[HISTO_BINS] = { 0 };
    struct histo_component_stats stats;
    struct histo_summary summary;
    test_u128 numerator;
    double expected;

    histogram[250] = UINT64_C (1) << (32 + round % 15);
    histogram[251] = 1 + test_random_below (&random, 1000);
    histogram[test_random_below (&random, HISTO_BINS)] += test_random_below (&random, UINT64_C (1) << (10 + round % 25));
    stats = stats_of (histogram);
    numerator = (test_u128)stats.count * stats.sum_of_squares - (test_u128)stats.sum * stats.sum;
    expected = (double)numerator / ((double)stats.count * (double)stats.count);
    ck_assert (histo_summarize (&stats, &summary));
    ck_assert_double_eq_tol (summary.mean, (double)stats.sum / (double)stats.count, 1e-13);
    ck_assert_msg (fabs (summary.variance - expected) <= 4e-16 * expected, "variance %.17g instead of %.17g", summary.variance,
                   expected);
    ck_assert_double_eq (summary.stddev, sqrt (summary.variance));
  }
}

/* 2^32 + 1 samples: a 32-bit cumulative count would be 1. */
TEST (ranks_of_huge_counts)
{
  uint64_t histogram[HISTO_BINS]
      = { [10] = UINT64_C (1) << 31, [20] = UINT64_C (1) << 32, [30] = UINT64_C (1) << 40, [40] = 7 };
  struct histo_summary summary = summarize (histogram);

  check_ranks (&summary, 10, 30, 30, 30, 40);

  histogram[30] = 0;
  summary = summarize (histogram);
  check_quantiles (&summary, 10, 20, 20);
}

/* The definitions, literally, over random histograms. */
TEST (summaries_follow_the_definitions)
{
  static const double fractions[] = { 0.10, 0.50, 0.90 };
  struct test_random random = test_random_start (31);

  for (unsigned round = 0; round < 500; round++) {
    uint64_t histogram[HISTO_BINS] = { 0 };
    struct histo_component_stats stats;
    struct histo_summary summary;
    uint32_t expected[3] = { 0 };
    unsigned bins = 1 + (unsigned)test_random_below (&random, 30);

    for (unsigned i = 0; i < bins; i++)
      histogram[test_random_below (&random, HISTO_BINS)] += 1 + test_random_below (&random, round % 2 == 0 ? 4 : 100000);
    stats = stats_of (histogram);
    for (unsigned f = 0; f < 3; f++) {
      uint64_t rank = (uint64_t)lrint ((double)stats.count * fractions[f]), cumulative = 0;

      rank = rank > 0 ? rank : 1;
      for (uint32_t v = 0; v < HISTO_BINS; v++) {
        cumulative += histogram[v];
        if (cumulative >= rank) {
          expected[f] = v;
          break;
        }
      }
    }
    ck_assert (histo_summarize (&stats, &summary));
    check_quantiles (&summary, expected[0], expected[1], expected[2]);
    for (uint32_t v = 0; v < summary.min; v++)
      ck_assert_uint_eq (histogram[v], 0);
    ck_assert_uint_ne (histogram[summary.min], 0);
    for (uint32_t v = summary.max + 1; v < HISTO_BINS; v++)
      ck_assert_uint_eq (histogram[v], 0);
    ck_assert_uint_ne (histogram[summary.max], 0);
  }
}

/* Two values, `a` samples of x and `b` of y: the variance is a * b * (x - y)^2 / (a + b)^2. All are powers of two or nearly, so
 * that doubles have the exact result, and count * sum_of_squares needs up to 170 bits. */
TEST (variance_of_deep_samples)
{
  static const struct {
    unsigned a_bits, b_bits;
    uint32_t x, y;
  } cases[] = {
    { 0, 0, 0, 65535 },   { 10, 10, 0, 32768 },     { 46, 46, 0, 65535 }, { 47, 47, 65534, 65535 }, { 47, 40, 65535, 0 },
    { 62, 40, 0, 65535 }, { 62, 47, 0, 65535 },     { 63, 47, 0, 32768 }, { 63, 0, 0, 65535 },      { 63, 47, 1, 0 },
    { 30, 62, 65535, 0 }, { 46, 46, 65535, 65535 }, { 47, 0, 65535, 0 },
  };

  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
    const uint64_t a = UINT64_C (1) << cases[i].a_bits, b = UINT64_C (1) << cases[i].b_bits;
    const uint32_t x = cases[i].x, y = cases[i].y;
    const test_u128 squares = (test_u128)a * x * x + (test_u128)b * y * y;
    const double difference = (double)x - y, share = (double)b / ((double)a + (double)b);
    const double expected = (double)a / ((double)a + (double)b) * share * difference * difference;
    uint64_t histogram[HISTO_BINS] = { 0 };
    struct histo_component_stats stats = {
      .count = a + b,
      .sum = a * x + b * y,
      .sum_of_squares = (uint64_t)squares,
      .sum_of_squares_high = (uint64_t)(squares >> 64),
      .depth = 16,
      .bins = HISTO_BINS,
      .histogram = histogram,
    };
    struct histo_summary summary;

    histogram[x >> 8] += a;
    histogram[y >> 8] += b;
    ck_assert (histo_summarize (&stats, &summary));
    ck_assert_msg (fabs (summary.variance - expected) <= 1e-15 * expected, "case %u: variance %.17g instead of %.17g", i,
                   summary.variance, expected);
    ck_assert_double_eq (summary.stddev, sqrt (summary.variance));
  }
}

/* If each of 256 bins stands for several values, the lowest is reported. With a bin for each value, values are exact. */
TEST (summaries_of_deep_samples_are_values)
{
  static uint64_t histogram[HISTO_MAX_BINS];
  struct histo_component_stats stats = { .count = 10, .sum = 10, .sum_of_squares = 10, .bins = 256, .histogram = histogram };
  struct histo_summary summary;

  histogram[1] = 2;
  histogram[7] = 5;
  histogram[255] = 3;
  for (unsigned depth = 8; depth <= 16; depth++) {
    stats.depth = depth;
    ck_assert (histo_summarize (&stats, &summary));
    check_ranks (&summary, 1u << (depth - 8), 1u << (depth - 8), 7u << (depth - 8), 255u << (depth - 8), 255u << (depth - 8));
    ck_assert_uint_eq (summary.resolution, 1u << (depth - 8));
  }
  for (unsigned depth = 9; depth <= 16; depth++) {
    const uint32_t last = (1u << depth) - 1;

    memset (histogram, 0, sizeof histogram);
    histogram[1] = 2;
    histogram[300] = 5;
    histogram[last] = 3;
    stats.depth = depth;
    stats.bins = 1u << depth;
    ck_assert (histo_summarize (&stats, &summary));
    check_ranks (&summary, 1, 1, 300, last, last);
    ck_assert_uint_eq (summary.resolution, 1);
  }
  stats.depth = 17;
  ck_assert (!histo_summarize (&stats, &summary));
}

/* Ranks of samples in histograms of any size, with few values and many, near and far apart, compared with a sum from the start.
 * In a coarse histogram of the same samples, each rank is the exact one rounded down to the resolution. */
TEST (ranks_at_every_depth)
{
  static const double fractions[] = { 0, 0.10, 0.50, 0.90, 1 };
  static uint64_t histogram[HISTO_MAX_BINS];
  struct test_random random = test_random_start (32);

  for (unsigned round = 0; round < 400; round++) {
    const unsigned depth = 9 + round % 8, kinds = 1 + (unsigned)test_random_below (&random, round % 3 == 0 ? 3 : 3000);
    const uint32_t first = (uint32_t)test_random_below (&random, 1u << depth),
                   span = (round / 8) % 2 == 0 ? (1u << depth) - first : 1 + (uint32_t)test_random_below (&random, 100);
    struct histo_component_stats stats = { .depth = depth, .bins = 1u << depth, .histogram = histogram };
    uint64_t coarse[HISTO_BINS] = { 0 };
    struct histo_component_stats coarse_stats;
    struct histo_summary summary, rough;

    memset (histogram, 0, sizeof histogram);
    for (unsigned i = 0; i < kinds; i++) {
      const uint32_t value = (first + (uint32_t)test_random_below (&random, span)) % (1u << depth);
      const uint64_t count = 1 + test_random_below (&random, round % 2 == 0 ? 3 : UINT64_C (1) << 40);

      histogram[value] += count;
      coarse[value >> (depth - 8)] += count;
      stats.count += count;
      stats.sum += count * value;
    }
    coarse_stats = stats;
    coarse_stats.bins = HISTO_BINS;
    coarse_stats.histogram = coarse;
    ck_assert (histo_summarize (&stats, &summary) && histo_summarize (&coarse_stats, &rough));
    ck_assert_uint_eq (summary.resolution, 1);
    ck_assert_uint_eq (rough.resolution, 1u << (depth - 8));
    for (unsigned f = 0; f < sizeof fractions / sizeof *fractions; f++) {
      const uint32_t exact[] = { summary.min, summary.low, summary.median, summary.high, summary.max },
                     coarsely[] = { rough.min, rough.low, rough.median, rough.high, rough.max };
      const uint64_t wanted = (uint64_t)llrint ((double)stats.count * fractions[f]), rank = wanted > 0 ? wanted : 1;
      uint64_t cumulative = 0;
      uint32_t value = 0;

      while ((cumulative += histogram[value]) < rank)
        value++;
      ck_assert_uint_eq (exact[f], value);
      ck_assert_uint_eq (coarsely[f], value / rough.resolution * rough.resolution);
    }
  }
}

/* Bits that are 1 in any value, at all depths, and the remaining bits in coarse histograms. */
TEST (used_bits)
{
  static const struct {
    unsigned depth;
    uint32_t bins, first, second, used_bits;
  } cases[] = {
    { 8, 256, 0, 0, 0 },        { 8, 256, 1, 1, 1 },      { 8, 256, 255, 0, 8 },       { 8, 256, 128, 64, 2 },
    { 8, 256, 16, 235, 7 },     { 8, 256, 170, 85, 8 },   { 10, 1024, 64, 940, 7 },    { 10, 256, 64, 940, 7 },
    { 10, 1024, 1023, 0, 10 },  { 10, 256, 1023, 0, 8 },  { 10, 1024, 512, 512, 1 },   { 10, 1024, 3, 3, 2 },
    { 10, 256, 3, 3, 0 },       { 12, 4096, 2048, 1, 2 }, { 16, 65536, 65535, 0, 16 }, { 16, 256, 65535, 0, 8 },
    { 16, 65536, 0, 32768, 1 }, { 9, 512, 256, 255, 9 },
  };
  static uint64_t histogram[HISTO_MAX_BINS];

  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
    const unsigned dropped = cases[i].bins == HISTO_BINS ? cases[i].depth - 8 : 0;
    struct histo_component_stats stats
        = { .count = 2, .sum = 1, .depth = cases[i].depth, .bins = cases[i].bins, .histogram = histogram };
    struct histo_summary summary;

    memset (histogram, 0, sizeof histogram);
    histogram[cases[i].first >> dropped]++;
    histogram[cases[i].second >> dropped]++;
    ck_assert (histo_summarize (&stats, &summary));
    ck_assert_msg (summary.used_bits == cases[i].used_bits, "case %u: %u bits", i, (unsigned)summary.used_bits);
  }
}

/* Ten chroma samples. Ranks: 1 and 9. The median of the hues is the first with a cumulative count above five. */
TEST (colours_by_hand)
{
  uint64_t saturation[182] = { [0] = 1, [3] = 5, [10] = 3, [181] = 1 };
  uint64_t hue[HISTO_HUES] = { [5] = 5, [6] = 1, [359] = 4 };
  struct histo_picture_stats stats = { .chroma_count = 10, .saturation_count = 182, .saturation = saturation, .hue = hue };
  struct histo_colour_summary summary;

  ck_assert (histo_summarize_colours (&stats, &summary));
  ck_assert_uint_eq (summary.saturation_min, 0);
  ck_assert_uint_eq (summary.saturation_low, 0);
  ck_assert_uint_eq (summary.saturation_high, 10);
  ck_assert_uint_eq (summary.saturation_max, 181);
  ck_assert_double_eq (summary.saturation_mean, 22.6);
  ck_assert_uint_eq (summary.hue_median, 6);
  ck_assert_double_eq (summary.hue_mean, 146.7);

  hue[5] = 6;
  hue[6] = 0;
  saturation[0] = 0;
  saturation[2] = 1;
  ck_assert (histo_summarize_colours (&stats, &summary));
  ck_assert_uint_eq (summary.hue_median, 5);
  ck_assert_double_eq (summary.hue_mean, 146.6);
  ck_assert_uint_eq (summary.saturation_min, 2);
  ck_assert_uint_eq (summary.saturation_low, 2);

  /* One without the other. */
  stats.hue = NULL;
  ck_assert (histo_summarize_colours (&stats, &summary));
  ck_assert_uint_eq (summary.saturation_max, 181);
  ck_assert_uint_eq (summary.hue_median, 0);
  ck_assert_double_eq (summary.hue_mean, 0);
  stats = (struct histo_picture_stats){ .chroma_count = 10, .hue = hue };
  ck_assert (histo_summarize_colours (&stats, &summary));
  ck_assert_uint_eq (summary.hue_median, 5);
  ck_assert_uint_eq (summary.saturation_max | summary.saturation_high | summary.saturation_low | summary.saturation_min, 0);
  ck_assert_double_eq (summary.saturation_mean, 0);
}

/* Half of an odd count is rounded down: of nine samples, the fifth is the median. */
TEST (the_middle_hue_of_an_odd_count)
{
  uint64_t hue[HISTO_HUES] = { [0] = 4, [100] = 1, [200] = 4 };
  const struct histo_picture_stats stats = { .chroma_count = 9, .hue = hue };
  struct histo_colour_summary summary;

  ck_assert (histo_summarize_colours (&stats, &summary));
  ck_assert_uint_eq (summary.hue_median, 100);
  hue[0] = 5;
  hue[100] = 0;
  ck_assert (histo_summarize_colours (&stats, &summary));
  ck_assert_uint_eq (summary.hue_median, 0);
  hue[0] = 0;
  hue[359] = 5;
  ck_assert (histo_summarize_colours (&stats, &summary));
  ck_assert_uint_eq (summary.hue_median, 359);
}

/* More samples than a signed integer or a double can hold: ranks and means are still correct. */
TEST (counts_of_64_bits)
{
  static const uint64_t most = UINT64_MAX;
  uint64_t histogram[HISTO_BINS] = { [1] = most / 10 + 1, [2] = most / 5 * 2, [3] = most / 5 * 2 - 1, [4] = most / 10 };
  struct histo_component_stats stats = { .depth = 8, .bins = HISTO_BINS, .histogram = histogram };
  uint64_t hue[HISTO_HUES] = { [100] = most };
  const struct histo_picture_stats picture
      = { .chroma_count = most, .saturation_count = HISTO_HUES, .saturation = hue, .hue = hue };
  struct histo_colour_summary colours;
  struct histo_summary summary;

  for (unsigned v = 0; v < HISTO_BINS; v++)
    stats.count += histogram[v];
  ck_assert (stats.count > most - 10);
  ck_assert (histo_summarize (&stats, &summary));
  check_quantiles (&summary, 1, 2, 3);
  histogram[1] -= 2;
  histogram[4] += 2;
  ck_assert (histo_summarize (&stats, &summary));
  ck_assert_uint_eq (summary.low, 2);
  ck_assert_uint_eq (summary.high, 4);

  ck_assert (histo_summarize_colours (&picture, &colours));
  ck_assert_uint_eq (colours.saturation_low, 100);
  ck_assert_uint_eq (colours.saturation_high, 100);
  ck_assert_double_eq (colours.saturation_mean, 100);
  ck_assert_double_eq (colours.hue_mean, 100);
}

/* Ten thousand samples, so that each percentile has its own code. */
TEST (light_by_hand)
{
  static uint64_t light[HISTO_LIGHT_CODES];
  const struct histo_picture_stats stats = { .luma_count = 10000, .light = light };
  struct histo_light_summary summary;

  light[7] = 5000;   /* 0.8 units of 0.0001 nit, rounded to 1 */
  light[614] = 4000; /* 0.9999 nit */
  light[2081] = 900; /* 100.1020 nits */
  light[3079] = 90;  /* 1000.6006 nits */
  light[3696] = 9;   /* 3999.6922 nits */
  light[4095] = 1;   /* 10000 nits */
  ck_assert (histo_summarize_light (&stats, &summary));
  ck_assert_uint_eq (summary.min_code, 7);
  ck_assert_double_eq (summary.percentile_50, 0.0001);
  ck_assert_double_eq (summary.percentile_90, 0.9999);
  ck_assert_double_eq (summary.percentile_99, 100.1020);
  ck_assert_double_eq (summary.percentile_99_9, 1000.6006);
  ck_assert_double_eq (summary.percentile_99_99, 3999.6922);
  ck_assert_uint_eq (summary.max_code, 4095);
  ck_assert_uint_eq (summary.code_sum, 7 * 5000 + 614 * 4000 + UINT64_C (2081) * 900 + UINT64_C (3079) * 90 + 3696 * 9 + 4095);
  ck_assert_uint_eq (summary.sum, UINT64_C (2301431838));
  ck_assert_double_eq (summary.average_nits, 2301431838 / 1e4 / 1e4);
  ck_assert_double_eq (summary.max_nits, 10000);
  ck_assert_double_eq (summary.limited_average_nits, 2241428760 / 1e4 / 1e4);
  ck_assert_uint_eq (summary.sum_high, 0);

  light[7]--; /* less than half of the samples */
  light[614]++;
  ck_assert (histo_summarize_light (&stats, &summary));
  ck_assert_double_eq (summary.percentile_50, 0.9999);
}

/* The sum of nits needs 128 bits. */
TEST (light_of_many_samples)
{
  static uint64_t light[HISTO_LIGHT_CODES];
  const uint64_t most = UINT64_MAX;
  const struct histo_picture_stats stats = { .luma_count = most, .light = light };
  struct histo_light_summary summary;

  light[4095] = most;
  ck_assert (histo_summarize_light (&stats, &summary));
  ck_assert_double_eq (summary.percentile_50, 10000);
  ck_assert_double_eq (summary.percentile_99_99, 10000);
  ck_assert_uint_eq (summary.sum, UINT64_MAX - 99999999); /* 10^8 * (2^64 - 1) */
  ck_assert_uint_eq (summary.sum_high, 99999999);
}

/* The definition, literally, over random light. */
TEST (light_of_random_codes)
{
  static const double percents[] = { 50, 90, 99, 99.9, 99.99 };
  static uint64_t light[HISTO_LIGHT_CODES];
  struct test_random random = test_random_start (37);

  for (unsigned round = 0; round < 300; round++) {
    struct histo_picture_stats stats = { .light = light };
    struct histo_light_summary summary;
    uint64_t below = 0, nits = 0, codes = 0;
    const unsigned every = 1 + (unsigned)test_random_below (&random, 900);
    uint32_t expected[5], least = HISTO_LIGHT_CODES, most = 0, found = 0;

    for (unsigned code = 0; code < HISTO_LIGHT_CODES; code++) {
      light[code] = test_random_below (&random, every) == 0 ? test_random_below (&random, 100000) : 0;
      stats.luma_count += light[code];
      nits += light[code] * histo_find_nits (code);
      codes += light[code] * code;
      least = light[code] > 0 && code < least ? code : least;
      most = light[code] > 0 ? code : most;
    }
    if (stats.luma_count == 0)
      continue;
    for (unsigned code = 0; code < HISTO_LIGHT_CODES; code++) {
      below += light[code];
      while (found < 5 && below >= 1 && below >= (uint64_t)llrint ((double)stats.luma_count * (percents[found] / 100)))
        expected[found++] = code;
    }
    ck_assert (histo_summarize_light (&stats, &summary));
    ck_assert_uint_eq (summary.min_code, least);
    ck_assert_uint_eq (summary.max_code, most);
    ck_assert_uint_eq (summary.sum, nits);
    ck_assert_uint_eq (summary.code_sum, codes);
    ck_assert_double_eq (summary.percentile_50, histo_find_nits (expected[0]) / 1e4);
    ck_assert_double_eq (summary.percentile_90, histo_find_nits (expected[1]) / 1e4);
    ck_assert_double_eq (summary.percentile_99, histo_find_nits (expected[2]) / 1e4);
    ck_assert_double_eq (summary.percentile_99_9, histo_find_nits (expected[3]) / 1e4);
    ck_assert_double_eq (summary.percentile_99_99, histo_find_nits (expected[4]) / 1e4);
  }
}

TEST (no_light_has_no_summary)
{
  static uint64_t light[HISTO_LIGHT_CODES];
  static const struct histo_light_summary nothing;
  const struct histo_picture_stats empty = { .light = light }, other = { .luma_count = 7 };
  struct histo_light_summary summary;

  memset (&summary, 0xff, sizeof summary);
  ck_assert (!histo_summarize_light (&empty, &summary));
  ck_assert_mem_eq (&summary, &nothing, sizeof summary);
  memset (&summary, 0xff, sizeof summary);
  ck_assert (!histo_summarize_light (&other, &summary));
  ck_assert_mem_eq (&summary, &nothing, sizeof summary);
  ck_assert (!histo_summarize_light (NULL, &summary));
  ck_assert (!histo_summarize_light (&empty, NULL));
}

TEST (no_colours_have_no_summary)
{
  uint64_t saturation[182] = { 0 }, hue[HISTO_HUES] = { 0 };
  struct histo_picture_stats stats = { .saturation_count = 182, .saturation = saturation, .hue = hue };
  struct histo_colour_summary summary;
  static const struct histo_colour_summary nothing;

  memset (&summary, 0xff, sizeof summary);
  ck_assert (!histo_summarize_colours (&stats, &summary));
  ck_assert_mem_eq (&summary, &nothing, sizeof summary);
  /* Only samples out of range were requested. */
  stats = (struct histo_picture_stats){ .chroma_count = 7 };
  memset (&summary, 0xff, sizeof summary);
  ck_assert (!histo_summarize_colours (&stats, &summary));
  ck_assert_mem_eq (&summary, &nothing, sizeof summary);
  ck_assert (!histo_summarize_colours (NULL, &summary));
  ck_assert (!histo_summarize_colours (&stats, NULL));
}

/* The definitions, literally, over random colours of all depths. */
TEST (colours_follow_the_definitions)
{
  static uint64_t saturation[TEST_MAX_SATURATIONS];
  struct test_random random = test_random_start (33);

  for (unsigned round = 0; round < 300; round++) {
    const uint32_t saturations = test_saturation (1 << (7 + round % 9), 1 << (7 + round % 9)) + 1;
    const unsigned kinds = 1 + (unsigned)test_random_below (&random, round % 2 == 0 ? 4 : 400);
    uint64_t hue[HISTO_HUES] = { 0 }, saturation_sum = 0, hue_sum = 0, cumulative = 0;
    struct histo_picture_stats stats = { .saturation_count = saturations, .saturation = saturation, .hue = hue };
    struct histo_colour_summary summary;
    uint32_t expected[5] = { 0 }, value;

    memset (saturation, 0, sizeof saturation);
    for (unsigned i = 0; i < kinds; i++) {
      const uint64_t count = 1 + test_random_below (&random, round % 3 == 0 ? 3 : UINT64_C (1) << 33);

      saturation[test_random_below (&random, saturations)] += count;
      hue[test_random_below (&random, HISTO_HUES)] += count;
      stats.chroma_count += count;
    }
    for (unsigned f = 0; f < 4; f++) {
      static const double fractions[] = { 0, 0.10, 0.90, 1 };
      const uint64_t wanted = (uint64_t)llrint ((double)stats.chroma_count * fractions[f]), rank = wanted > 0 ? wanted : 1;

      for (value = 0, cumulative = 0; (cumulative += saturation[value]) < rank;)
        value++;
      expected[f] = value;
    }
    for (value = 0, cumulative = 0; (cumulative += hue[value]) <= stats.chroma_count / 2;)
      value++;
    expected[4] = value;
    for (uint32_t v = 0; v < saturations; v++)
      saturation_sum += v * saturation[v];
    for (uint32_t v = 0; v < HISTO_HUES; v++)
      hue_sum += v * hue[v];
    ck_assert (histo_summarize_colours (&stats, &summary));
    ck_assert_uint_eq (summary.saturation_min, expected[0]);
    ck_assert_uint_eq (summary.saturation_low, expected[1]);
    ck_assert_uint_eq (summary.saturation_high, expected[2]);
    ck_assert_uint_eq (summary.saturation_max, expected[3]);
    ck_assert_uint_eq (summary.hue_median, expected[4]);
    ck_assert_double_eq (summary.saturation_mean, (double)saturation_sum / (double)stats.chroma_count);
    ck_assert_double_eq (summary.hue_mean, (double)hue_sum / (double)stats.chroma_count);
  }
}

/* ---- add, reset, clear ---------------------------------------------------------------------------------------------- */

/* A part with different numbers in all fields and components. */
static void
make_part (struct test_count *part, unsigned components, uint64_t factor)
{
  memset (part, 0, sizeof *part);
  part->stats.component_count = components;
  part->stats.components = part->components;
  for (unsigned c = 0; c < components; c++) {
    for (unsigned v = 0; v < HISTO_BINS; v++)
      part->histograms[c][v] = factor * (v + 1 + c * 1000);
    part->stats.components[c] = (struct histo_component_stats){
      .count = factor * (1 + c),
      .sum = factor * (10 + c),
      .sum_of_squares = factor * (100 + c),
      .dot = factor * (1000 + c),
      .dot_count = factor * (10000 + c),
      .absolute_difference = factor * (100000 + c),
      .squared_difference = factor * (1000000 + c),
      .difference_count = factor * (10000000 + c),
      .bins = HISTO_BINS,
      .histogram = part->histograms[c],
    };
  }
}

static struct histo_stats total; /* cleared after each test */

static void
clear_total (void)
{
  histo_stats_clear (&total);
}

TEST_FIXTURE (NULL, clear_total)

TEST (adding_to_nothing_copies)
{
  static struct test_count part;

  make_part (&part, 3, 1);
  ck_assert_int_eq (histo_stats_add (&total, &part.stats), HISTO_OK);
  ck_assert_pstr_eq (test_stats_difference (&part.stats, &total), NULL);
  /* A copy, not the same memory. */
  for (unsigned c = 0; c < 3; c++)
    ck_assert_ptr_ne (total.components[c].histogram, part.histograms[c]);
}

TEST (adding_adds_every_field)
{
  static struct test_count part, other, expected;

  make_part (&part, 4, 1);
  make_part (&other, 4, 16);
  make_part (&expected, 4, 17);
  ck_assert_int_eq (histo_stats_add (&total, &part.stats), HISTO_OK);
  ck_assert_int_eq (histo_stats_add (&total, &other.stats), HISTO_OK);
  ck_assert_pstr_eq (test_stats_difference (&expected.stats, &total), NULL);
  /* Beyond 32 bits. */
  make_part (&other, 4, UINT64_C (1) << 40);
  make_part (&expected, 4, (UINT64_C (1) << 40) + 17);
  ck_assert_int_eq (histo_stats_add (&total, &other.stats), HISTO_OK);
  ck_assert_pstr_eq (test_stats_difference (&expected.stats, &total), NULL);
}

TEST (adding_refuses_other_components)
{
  static struct test_count part, other;
  struct histo_component_stats nowhere = { .bins = HISTO_BINS };
  struct histo_stats without = { .component_count = 1 };
  struct histo_stats nothing = { 0 };

  make_part (&part, 3, 1);
  make_part (&other, 2, 1);
  ck_assert_int_eq (histo_stats_add (&total, &part.stats), HISTO_OK);
  ck_assert_int_eq (histo_stats_add (&total, &other.stats), HISTO_ERROR_INVALID);
  ck_assert_pstr_eq (test_stats_difference (&part.stats, &total), NULL);
  ck_assert_int_eq (histo_stats_add (NULL, &other.stats), HISTO_ERROR_INVALID);
  ck_assert_int_eq (histo_stats_add (&total, NULL), HISTO_ERROR_INVALID);

  /* Missing components, and missing bins. */
  ck_assert_int_eq (histo_stats_add (&nothing, &without), HISTO_ERROR_INVALID);
  without.components = &nowhere;
  ck_assert_int_eq (histo_stats_add (&nothing, &without), HISTO_ERROR_INVALID);
  ck_assert_uint_eq (nothing.component_count, 0);
  make_part (&part, 1, 1);
  ck_assert_int_eq (histo_stats_add (&without, &part.stats), HISTO_ERROR_INVALID);
  without.components = NULL;
  ck_assert_int_eq (histo_stats_add (&without, &part.stats), HISTO_ERROR_INVALID);
}

/* Sums beyond 64 bits, by carries and by halves. */
TEST (adding_carries_into_the_upper_half)
{
  static struct test_count part, expected;

  make_part (&part, 1, 1);
  part.stats.components[0].sum_of_squares = UINT64_MAX;
  part.stats.components[0].dot = UINT64_C (1) << 63;
  part.stats.components[0].dot_high = 5;
  part.stats.components[0].squared_difference = UINT64_MAX - 1;
  part.stats.components[0].squared_difference_high = 7;
  for (unsigned i = 0; i < 3; i++)
    ck_assert_int_eq (histo_stats_add (&total, &part.stats), HISTO_OK);
  make_part (&expected, 1, 3);
  expected.stats.components[0].sum_of_squares = UINT64_MAX - 2;
  expected.stats.components[0].sum_of_squares_high = 2;
  expected.stats.components[0].dot = UINT64_C (1) << 63;
  expected.stats.components[0].dot_high = 16;
  expected.stats.components[0].squared_difference = UINT64_MAX - 5;
  expected.stats.components[0].squared_difference_high = 23;
  ck_assert_pstr_eq (test_stats_difference (&expected.stats, &total), NULL);

  /* To itself. */
  ck_assert_int_eq (histo_stats_add (&total, &total), HISTO_OK);
  make_part (&expected, 1, 6);
  expected.stats.components[0].sum_of_squares = UINT64_MAX - 5;
  expected.stats.components[0].sum_of_squares_high = 5;
  expected.stats.components[0].dot = 0;
  expected.stats.components[0].dot_high = 33;
  expected.stats.components[0].squared_difference = UINT64_MAX - 11;
  expected.stats.components[0].squared_difference_high = 47;
  ck_assert_pstr_eq (test_stats_difference (&expected.stats, &total), NULL);
}

/* A part of two components with projections; the first has none. */
static void
make_projected_part (struct test_count *part, int64_t rows[3], int64_t columns[5], int64_t factor)
{
  make_part (part, 2, (uint64_t)factor);
  for (int64_t i = 0; i < 3; i++)
    rows[i] = factor * (i - 1);
  for (int64_t i = 0; i < 5; i++)
    columns[i] = factor * (i * i - 7);
  part->stats.components[1].depth = 10;
  part->stats.components[1].rows = 3;
  part->stats.components[1].row_sums = rows;
  part->stats.components[1].columns = 5;
  part->stats.components[1].column_sums = columns;
}

TEST (adding_adds_projections)
{
  static struct test_count part, expected;
  int64_t rows[3], columns[5], expected_rows[3], expected_columns[5];

  make_projected_part (&part, rows, columns, INT64_C (1) << 40);
  for (unsigned i = 0; i < 4; i++)
    ck_assert_int_eq (histo_stats_add (&total, &part.stats), HISTO_OK);
  make_projected_part (&expected, expected_rows, expected_columns, INT64_C (1) << 42);
  ck_assert_pstr_eq (test_stats_difference (&expected.stats, &total), NULL);
  ck_assert_ptr_ne (total.components[1].row_sums, rows);
  ck_assert_ptr_ne (total.components[1].column_sums, columns);
}

TEST (adding_refuses_other_shapes)
{
  static struct test_count part, other;
  int64_t rows[3], columns[5];

  make_projected_part (&part, rows, columns, 1);
  ck_assert_int_eq (histo_stats_add (&total, &part.stats), HISTO_OK);
#define SHAPE_REFUSED(change)                                                       \
  do {                                                                              \
    other = part;                                                                   \
    other.stats.components = other.components;                                      \
    other.stats.components[1].change;                                               \
    ck_assert_int_eq (histo_stats_add (&total, &other.stats), HISTO_ERROR_INVALID); \
    ck_assert_pstr_eq (test_stats_difference (&part.stats, &total), NULL);          \
  } while (0)

  SHAPE_REFUSED (depth = 8);
  SHAPE_REFUSED (bins = 255);
  SHAPE_REFUSED (rows = 2);
  SHAPE_REFUSED (rows = 0);
  SHAPE_REFUSED (columns = 4);
  SHAPE_REFUSED (columns = 0);
  SHAPE_REFUSED (row_sums = NULL);
  SHAPE_REFUSED (column_sums = NULL);
  SHAPE_REFUSED (histogram = NULL);
}

/* A part of two components with waveforms of 5 columns and of 2. */
static void
make_waveform_part (struct test_count *part, uint64_t first[5 * 256], uint64_t second[2 * 256], uint64_t factor)
{
  make_part (part, 2, factor);
  for (uint64_t i = 0; i < 5 * 256; i++)
    first[i] = factor * (i + 3);
  for (uint64_t i = 0; i < 2 * 256; i++)
    second[i] = factor * (i + 5000);
  part->stats.components[0].waveform_columns = 5;
  part->stats.components[0].waveform = first;
  part->stats.components[1].waveform_columns = 2;
  part->stats.components[1].waveform = second;
}

TEST (adding_adds_waveforms)
{
  static struct test_count part, other, expected;
  static uint64_t first[5 * 256], second[2 * 256], expected_first[5 * 256], expected_second[2 * 256];

  make_waveform_part (&part, first, second, UINT64_C (1) << 40);
  for (unsigned i = 0; i < 4; i++)
    ck_assert_int_eq (histo_stats_add (&total, &part.stats), HISTO_OK);
  make_waveform_part (&expected, expected_first, expected_second, UINT64_C (1) << 42);
  ck_assert_pstr_eq (test_stats_difference (&expected.stats, &total), NULL);
  ck_assert_ptr_ne (total.components[0].waveform, first);

  /* Other shapes are refused, and so is a missing waveform. */
  for (unsigned i = 0; i < 3; i++) {
    other = part;
    other.stats.components = other.components;
    other.components[1].waveform_columns = i == 0 ? 1 : i == 1 ? 0 : 2;
    if (i == 2)
      other.components[1].waveform = NULL;
    ck_assert_int_eq (histo_stats_add (&total, &other.stats), HISTO_ERROR_INVALID);
    ck_assert_pstr_eq (test_stats_difference (&expected.stats, &total), NULL);
  }
}

#define SATURATIONS 182

/* A part of a picture with different numbers in all fields. */
static void
make_picture_part (struct test_count *part, uint32_t statistics, uint64_t factor)
{
  make_part (part, 3, factor);
  part->picture = (struct histo_picture_stats){
    .statistics = statistics,
    .luma_count = factor * 2,
    .chroma_count = factor * 3,
#define PICTURE_NUMBER(id, name, ...) .name = factor * (5 + HISTO_NUMBER_##id),
#include "statistic_list.h"
  };
  if (statistics & HISTO_STATISTIC_SATURATION)
    part->picture.saturation_count = SATURATIONS;
#define PICTURE_HISTOGRAM(id, name, ...)                                           \
  part->picture.name = statistics & HISTO_STATISTIC_##id ? part->bins.name : NULL; \
  for (unsigned v = 0; v < sizeof part->bins.name / sizeof *part->bins.name; v++)  \
    part->bins.name[v] = factor * (v + 7 + HISTO_ROW_##id);
#include "statistic_list.h"
  part->stats.picture = &part->picture;
}

TEST (adding_adds_pictures)
{
  static const uint32_t asked[] = {
    HISTO_STATISTIC_VECTORSCOPE | HISTO_STATISTIC_HUE,
    HISTO_STATISTIC_SATURATION | HISTO_STATISTIC_HUE | HISTO_STATISTIC_OUT_OF_RANGE,
    HISTO_STATISTICS_PICTURE,
#define PICTURE_NUMBER(id, ...) HISTO_STATISTIC_##id,
#define PICTURE_HISTOGRAM(id, ...) HISTO_STATISTIC_##id,
#include "statistic_list.h"
  };
  static struct test_count part, expected;

  for (unsigned i = 0; i < sizeof asked / sizeof *asked; i++) {
    histo_stats_reset (&total);
    ck_assert_ptr_null (total.picture);
    make_picture_part (&part, asked[i], UINT64_C (1) << 40);
    ck_assert_int_eq (histo_stats_add (&total, &part.stats), HISTO_OK);
    ck_assert_pstr_eq (test_stats_difference (&part.stats, &total), NULL);
    /* A copy, not the same memory. */
    ck_assert_ptr_ne (total.picture, &part.picture);
#define PICTURE_HISTOGRAM(id, name, ...) \
  if (part.picture.name != NULL)         \
    ck_assert_ptr_ne (total.picture->name, part.picture.name);
#include "statistic_list.h"
    ck_assert_int_eq (histo_stats_add (&total, &part.stats), HISTO_OK);
    make_picture_part (&part, asked[i], 3);
    ck_assert_int_eq (histo_stats_add (&total, &part.stats), HISTO_OK);
    make_picture_part (&expected, asked[i], (UINT64_C (1) << 41) + 3);
    ck_assert_pstr_eq (test_stats_difference (&expected.stats, &total), NULL);
    /* To itself. */
    ck_assert_int_eq (histo_stats_add (&total, &total), HISTO_OK);
    make_picture_part (&expected, asked[i], (UINT64_C (1) << 42) + 6);
    ck_assert_pstr_eq (test_stats_difference (&expected.stats, &total), NULL);
  }
  histo_stats_clear (&total);
  ck_assert_ptr_null (total.picture);
}

TEST (adding_refuses_other_pictures)
{
  enum {
    ALL = 0
#define PICTURE_HISTOGRAM(id, ...) | HISTO_STATISTIC_##id
#include "statistic_list.h"
  };
  static struct test_count part, other;
  struct histo_stats plain = { 0 }, nothing = { 0 };

  make_picture_part (&part, ALL, 1);
  ck_assert_int_eq (histo_stats_add (&total, &part.stats), HISTO_OK);
#define PICTURE_REFUSED(change)                                                     \
  do {                                                                              \
    make_picture_part (&other, ALL, 1);                                             \
    other.change;                                                                   \
    ck_assert_int_eq (histo_stats_add (&total, &other.stats), HISTO_ERROR_INVALID); \
    ck_assert_pstr_eq (test_stats_difference (&part.stats, &total), NULL);          \
  } while (0)

  PICTURE_REFUSED (stats.picture = NULL);
  PICTURE_REFUSED (picture.statistics = HISTO_STATISTIC_SATURATION);
  PICTURE_REFUSED (picture.statistics |= HISTO_STATISTIC_OUTLIERS);
  PICTURE_REFUSED (picture.saturation_count = SATURATIONS - 1);
  PICTURE_REFUSED (picture.saturation_count = 0);
#define PICTURE_HISTOGRAM(id, name, ...) PICTURE_REFUSED (picture.name = NULL);
#include "statistic_list.h"

  /* The reverse: a total without a picture, and one without bins. */
  make_part (&other, 3, 1);
  ck_assert_int_eq (histo_stats_add (&plain, &other.stats), HISTO_OK);
  ck_assert_ptr_null (plain.picture);
  ck_assert_int_eq (histo_stats_add (&plain, &part.stats), HISTO_ERROR_INVALID);
  ck_assert_pstr_eq (test_stats_difference (&other.stats, &plain), NULL);
  make_picture_part (&other, ALL, 1);
  other.picture.hue = NULL;
  ck_assert_int_eq (histo_stats_add (&nothing, &other.stats), HISTO_ERROR_INVALID);
  ck_assert_uint_eq (nothing.component_count, 0);
  ck_assert_int_eq (histo_stats_add (&other.stats, &part.stats), HISTO_ERROR_INVALID);
  other.picture.hue = other.bins.hue;
  other.picture.saturation = NULL;
  ck_assert_int_eq (histo_stats_add (&other.stats, &part.stats), HISTO_ERROR_INVALID);
  histo_stats_clear (&plain);
}

TEST (an_empty_part_adds_nothing)
{
  static struct test_count part;
  const struct histo_stats nothing = { 0 };

  ck_assert_int_eq (histo_stats_add (&total, &nothing), HISTO_OK);
  ck_assert_uint_eq (total.component_count, 0);
  make_part (&part, 1, 5);
  ck_assert_int_eq (histo_stats_add (&total, &part.stats), HISTO_OK);
  ck_assert_int_eq (histo_stats_add (&total, &nothing), HISTO_OK);
  ck_assert_pstr_eq (test_stats_difference (&part.stats, &total), NULL);
}

TEST (adding_a_total_to_itself_doubles)
{
  static struct test_count part, expected;

  make_part (&part, 2, 1);
  make_part (&expected, 2, 2);
  ck_assert_int_eq (histo_stats_add (&total, &part.stats), HISTO_OK);
  ck_assert_int_eq (histo_stats_add (&total, &total), HISTO_OK);
  ck_assert_pstr_eq (test_stats_difference (&expected.stats, &total), NULL);
}

/* Only an empty total allocates memory, and reset keeps it. */
TEST (reset_keeps_memory)
{
  static struct test_count part, small;
  const uint64_t *storage;

  make_part (&part, 4, 3);
  make_part (&small, 1, 9);
  ck_assert_int_eq (histo_stats_add (&total, &part.stats), HISTO_OK);
  storage = total.storage;
  histo_stats_reset (&total);
  ck_assert_uint_eq (total.component_count, 0);
  ck_assert_ptr_null (total.components);
  ck_assert_int_eq (histo_stats_add (&total, &small.stats), HISTO_OK);
  ck_assert_ptr_eq (total.storage, storage);
  ck_assert_pstr_eq (test_stats_difference (&small.stats, &total), NULL);
  ck_assert_int_eq (histo_stats_add (&total, &small.stats), HISTO_OK);
  ck_assert_ptr_eq (total.storage, storage);
  histo_stats_clear (&total);
  ck_assert_ptr_null (total.storage);
  ck_assert_uint_eq (total.component_count, 0);
  histo_stats_clear (&total);
  histo_stats_clear (NULL);
}

/* The same frame two million times: the sum of squares of 16-bit samples passes 2^64. */
TEST (totals_pass_64_bits)
{
  enum { WIDTH = 4096, TIMES = 1u << 21 };
  static uint8_t samples[WIDTH * 2];
  const struct histo_frame frame = {
    .statistics = HISTO_STATISTIC_DOT,
    .plane_count = 1,
    .component_count = 1,
    .planes = { { samples, 0, 1 } },
    .components = { { .step_bytes = 2, .width = WIDTH, .sample_bytes = 2, .depth = 16 } },
    .operand = &frame,
  };
  const test_u128 squares = (test_u128)65535 * 65535 * WIDTH * TIMES;
  TEST_AT_END (histo_close) struct histo_engine *engine = NULL;
  TEST_AT_END (histo_stats_clear) struct histo_stats part = { 0 };
  struct histo_summary summary;
  histo_ticket ticket;

  memset (samples, 0xff, sizeof samples);
  ck_assert_int_eq (histo_open (&(struct histo_config){ .backend = HISTO_BACKEND_REFERENCE }, &engine), HISTO_OK);
  ck_assert_int_eq (histo_submit (engine, &frame, &ticket), HISTO_OK);
  ck_assert_int_eq (histo_collect (engine, ticket, &part), HISTO_OK);
  ck_assert_int_eq (histo_stats_add (&total, &part), HISTO_OK);
  /* Doubled again and again. */
  for (unsigned times = 1; times < TIMES; times *= 2)
    ck_assert_int_eq (histo_stats_add (&total, &total), HISTO_OK);
  ck_assert_uint_eq (total.components[0].count, (uint64_t)WIDTH * TIMES);
  ck_assert_uint_eq (total.components[0].sum_of_squares, (uint64_t)squares);
  ck_assert_uint_eq (total.components[0].sum_of_squares_high, (uint64_t)(squares >> 64));
  ck_assert_uint_ne (total.components[0].sum_of_squares_high, 0);
  ck_assert_uint_eq (total.components[0].dot, (uint64_t)squares);
  ck_assert_uint_eq (total.components[0].dot_high, (uint64_t)(squares >> 64));
  ck_assert (histo_summarize (&total.components[0], &summary));
  ck_assert_double_eq (summary.mean, 65535);
  ck_assert_double_eq (summary.variance, 0);
}

/* A frame counted whole equals its rows counted one by one and added. */
TEST (totals_of_parts_equal_the_whole)
{
  TEST_AT_END (histo_close) struct histo_engine *engine = NULL;
  struct test_random random = test_random_start (32);
  TEST_AT_END (test_frame_clear) struct test_frame frame = { 0 }, operand = { 0 };
  TEST_AT_END (histo_stats_clear) struct histo_stats part = { 0 }, whole = { 0 };
  const struct test_geometry geometry = { .width = 41, .height = 23, .extra_stride_bytes = 7 };
  histo_ticket ticket;

  ck_assert_int_eq (histo_open (&(struct histo_config){ .backend = HISTO_BACKEND_REFERENCE }, &engine), HISTO_OK);
  test_frame_init (&frame, test_layout_find ("ARGB"), &geometry, TEST_FILL_RANDOM, &random);
  test_frame_init (&operand, frame.layout, &geometry, TEST_FILL_RANDOM, &random);
  frame.frame.operand = &operand.frame;
  ck_assert_int_eq (histo_submit (engine, &frame.frame, &ticket), HISTO_OK);
  ck_assert_int_eq (histo_collect (engine, ticket, &whole), HISTO_OK);
  for (unsigned y = 0; y < geometry.height; y++) {
    struct histo_frame row = frame.frame, operand_row = operand.frame;

    row.planes[0].data = (const uint8_t *)row.planes[0].data + y * row.planes[0].stride_bytes;
    operand_row.planes[0].data = (const uint8_t *)operand_row.planes[0].data + y * operand_row.planes[0].stride_bytes;
    row.planes[0].height = operand_row.planes[0].height = 1;
    row.operand = &operand_row;
    ck_assert_int_eq (histo_submit (engine, &row, &ticket), HISTO_OK);
    ck_assert_int_eq (histo_collect (engine, ticket, &part), HISTO_OK);
    ck_assert_int_eq (histo_stats_add (&total, &part), HISTO_OK);
  }
  ck_assert_pstr_eq (test_stats_difference (&whole, &total), NULL);
}

TEST_MAIN
