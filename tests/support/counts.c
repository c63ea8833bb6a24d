/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Numbers counted by separate loops, from the definitions, and the comparison of two results. See frames.h. */

#include "frames.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../kernels/picture.h"
#include "watch.h"

static TEST_UNWATCHED uint32_t
sample_at (const struct histo_frame *frame, const struct histo_component *component, uint64_t row, uint64_t i)
{
  const struct histo_plane *plane = &frame->planes[component->plane];
  const uint8_t *bytes
      = (const uint8_t *)plane->data + row * plane->stride_bytes + component->offset_bytes + i * component->step_bytes;
  const unsigned first = component->big_endian ? 0 : 1;

  if (component->sample_bytes == 1)
    return bytes[0];
  return (bytes[first] * 256u + bytes[1 - first]) >> component->shift & ((UINT32_C (1) << component->depth) - 1);
}

/* Counts the samples of one component. */
static TEST_UNWATCHED void
count_component (const struct histo_frame *frame, const struct histo_component *component, unsigned dropped,
                 struct histo_component_stats *stats)
{
  const struct histo_plane *plane = &frame->planes[component->plane];
  const bool has_dot = frame->operand != NULL && frame->statistics & HISTO_STATISTIC_DOT;
  const bool has_difference = frame->operand != NULL && frame->statistics & HISTO_STATISTIC_DIFFERENCE;
  uint64_t sum = 0, sum_of_squares = 0, dot = 0, absolute_difference = 0, squared_difference = 0;

  for (uint32_t row = 0; row < plane->height; row++) {
    for (uint64_t i = 0; i < component->width; i++) {
      const uint64_t x = sample_at (frame, component, row, i);

      sum += x;
      sum_of_squares += x * x;
      stats->histogram[x >> dropped]++;
      if (has_dot)
        dot += x * sample_at (frame->operand, component, row, i);
      if (has_difference) {
        const uint64_t y = sample_at (frame->operand, component, row, i), apart = x > y ? x - y : y - x;

        absolute_difference += apart;
        squared_difference += apart * apart;
      }
    }
  }
  stats->count = component->width > 0 ? component->width * plane->height : 0;
  stats->sum = sum;
  stats->sum_of_squares = sum_of_squares;
  if (has_dot) {
    stats->dot = dot;
    stats->dot_count = stats->count;
  }
  if (has_difference) {
    stats->absolute_difference = absolute_difference;
    stats->squared_difference = squared_difference;
    stats->difference_count = stats->count;
  }
}

/* The samples of a component, row after row without gaps. */
struct samples {
  int64_t width, height;
  int32_t *values; /* owned */
};

static TEST_UNWATCHED struct samples
take_samples (const struct histo_frame *frame, unsigned index)
{
  const struct histo_component *component = &frame->components[index];
  struct samples samples = { (int64_t)component->width, frame->planes[component->plane].height, NULL };

  samples.values = malloc ((size_t)(samples.width * samples.height + 1) * sizeof *samples.values);
  if (samples.values == NULL) {
    perror ("malloc");
    exit (EXIT_FAILURE);
  }
  for (int64_t y = 0; y < samples.height; y++)
    for (int64_t x = 0; x < samples.width; x++)
      samples.values[y * samples.width + x] = (int32_t)sample_at (frame, component, (uint64_t)y, (uint64_t)x);
  return samples;
}

/* The samples of a picture. Without colours, Cb and Cr have no values. */
struct picture {
  const struct histo_frame *frame;
  struct samples luma, cb, cr;
  struct samples tested[3]; /* by the gamut */
  struct samples lit[3];    /* of the light */
};

/* Returns how much a sample stands out from one above and one below: half the sum of the distances from both, rounded down,
 * minus the distance between them. */
static TEST_UNWATCHED int
stand_out (int above, int sample, int below)
{
  const int to_above = above > sample ? above - sample : sample - above;
  const int to_below = below > sample ? below - sample : sample - below;
  const int apart = below > above ? below - above : above - below;

  return (to_above + to_below) / 2 - apart;
}

/* Counts each group of three adjacent samples that stand out: the middle one is an outlier. Uses the lowest 8 bits of
 * samples. */
static TEST_UNWATCHED uint64_t
count_outliers (const struct picture *picture)
{
  const struct samples *luma = &picture->luma;
  uint64_t outliers = 0;

  for (int64_t y = 1; y + 1 < luma->height; y++) {
    const bool has_far_rows = y >= 2 && y + 2 < luma->height;
    unsigned in_a_row = 0;

    for (int64_t x = 0; x < luma->width; x++) {
      const int32_t *sample = &luma->values[y * luma->width + x];
      bool stands_out = stand_out (sample[-luma->width] % 256, *sample % 256, sample[luma->width] % 256) >= 5;

      if (has_far_rows)
        stands_out &= stand_out (sample[-2 * luma->width] % 256, *sample % 256, sample[2 * luma->width] % 256) >= 5;
      in_a_row = stands_out ? in_a_row + 1 : 0;
      outliers += in_a_row >= 3;
    }
  }
  return outliers;
}

/* Counts the samples of rows that differ from the fourth row above by less than 1 on average. */
static TEST_UNWATCHED uint64_t
count_repeats (const struct picture *picture)
{
  const struct samples *luma = &picture->luma;
  uint64_t repeats = 0;

  for (int64_t above = 0, y = 4; y < luma->height; above++, y++) {
    int64_t apart = 0;

    for (int64_t x = 0; x < luma->width; x++) {
      const int32_t distance = luma->values[y * luma->width + x] - luma->values[above * luma->width + x];

      apart += distance > 0 ? distance : -distance;
    }
    repeats += apart < luma->width ? (uint64_t)luma->width : 0;
  }
  return repeats;
}

/* Checks each luma sample together with its Cb and Cr. */
static TEST_UNWATCHED uint64_t
count_out_of_range (const struct picture *picture)
{
  const struct samples *luma = &picture->luma, *cb = &picture->cb, *cr = &picture->cr;
  const struct histo_chroma *chroma = &picture->frame->chroma;
  const int32_t unit = 1 << (picture->frame->components[0].depth - 8);
  uint64_t out_of_range = 0;

  for (int64_t y = 0; y < luma->height; y++) {
    const int64_t chroma_row = (y + chroma->phase_y) / (1 << chroma->shift_y) * cb->width;

    for (int64_t x = 0; x < luma->width; x++) {
      const int64_t place = chroma_row + (x + chroma->phase_x) / (1 << chroma->shift_x);
      const int32_t colours[] = { cb->values[place], cr->values[place] };
      const int32_t brightness = luma->values[y * luma->width + x];
      bool is_legal = brightness >= 16 * unit && brightness <= 235 * unit;

      for (unsigned c = 0; c < 2; c++)
        is_legal &= colours[c] >= 16 * unit && colours[c] <= 240 * unit;
      out_of_range += !is_legal;
    }
  }
  return out_of_range;
}

/* Sets the levels that are compared: Y', R', G' and B' of a luma sample with its Cb and Cr, or the samples R', G' and B'.
 * Doubles hold them exactly. Returns their number. */
static unsigned
mix_primaries (const struct histo_gamut *gamut, double luma, double second, double third, double middle, double *mixed)
{
  const double one = HISTO_GAMUT_ONE, cb = second - middle, cr = third - middle;

  mixed[0] = luma;
  if (gamut->is_rgb) {
    mixed[1] = second;
    mixed[2] = third;
    return 3;
  }
  mixed[1] = luma + gamut->r_cr / one * cr;
  mixed[2] = luma + gamut->g_cr / one * cr + gamut->g_cb / one * cb;
  mixed[3] = luma + gamut->b_cb / one * cb;
  return 4;
}

static TEST_UNWATCHED uint64_t
count_gamut_errors (const struct picture *picture)
{
  const struct histo_frame *frame = picture->frame;
  const struct samples *luma = &picture->tested[0], *cb = &picture->tested[1], *cr = &picture->tested[2];
  const struct histo_chroma *chroma = &frame->chroma;
  const double least = frame->gamut.min / (double)HISTO_GAMUT_ONE, most = frame->gamut.max / (double)HISTO_GAMUT_ONE;
  uint64_t errors = 0;

  for (int64_t y = 0; y < luma->height; y++) {
    const int64_t chroma_row = (y + chroma->phase_y) / (1 << chroma->shift_y) * cb->width;

    for (int64_t x = 0; x < luma->width; x++) {
      const int64_t place = chroma_row + (x + chroma->phase_x) / (1 << chroma->shift_x);
      double mixed[4];
      const unsigned count = mix_primaries (&frame->gamut, luma->values[y * luma->width + x], cb->values[place],
                                            cr->values[place], 1 << (frame->components[0].depth - 1), mixed);
      bool is_legal = true;

      for (unsigned i = 0; i < count; i++)
        is_legal &= mixed[i] >= least && mixed[i] <= most;
      errors += !is_legal;
    }
  }
  return errors;
}

/* Finds the direction at which hue `hue` begins, times 2^30. At two of them, signalstats rounds up, in single precision. */
static void
find_direction (unsigned hue, int64_t *sine, int64_t *cosine)
{
  const long double angle = ((long double)hue - 180) * 3.14159265358979323846264338327950288L / 180;

  *sine = llroundl (sinl (angle) * 0x1p30L);
  *cosine = llroundl (cosl (angle) * 0x1p30L);
  if (hue == 272) {
    *sine = 315;
    *cosine = -11;
  } else if (hue == 317) {
    *sine = 152;
    *cosine = -163;
  }
}

unsigned
test_hue (int32_t cb, int32_t cr)
{
  static _Thread_local struct {
    bool is_there;
    int64_t sine, cosine;
  } directions[HISTO_HUES];
  unsigned hue, near;

  if (cb == 0 && cr == 0)
    return 180;
  /* The angle determines the hue, except directly at its beginning. There, the direction decides. */
  near = (unsigned)floor (atan2 (cb, cr) * (180 / M_PI) + 180.5) % HISTO_HUES;
  if (!directions[near].is_there)
    find_direction (near, &directions[near].sine, &directions[near].cosine);
  directions[near].is_there = true;
  hue = cb * directions[near].cosine - cr * directions[near].sine >= 0 ? near : near + HISTO_HUES - 1;
  return hue % HISTO_HUES;
}

unsigned
test_saturation (int32_t cb, int32_t cr)
{
  return (unsigned)floorl (sqrtl ((long double)cb * cb + (long double)cr * cr));
}

static TEST_UNWATCHED void
count_hue (const struct picture *picture, uint64_t *hue)
{
  const int32_t middle = 1 << (picture->frame->components[0].depth - 1);

  for (int64_t i = 0; i < picture->cb.width * picture->cb.height; i++)
    hue[test_hue (picture->cb.values[i] - middle, picture->cr.values[i] - middle)]++;
}

static TEST_UNWATCHED void
count_saturation (const struct picture *picture, uint64_t *saturation)
{
  const int32_t middle = 1 << (picture->frame->components[0].depth - 1);

  for (int64_t i = 0; i < picture->cb.width * picture->cb.height; i++)
    saturation[test_saturation (picture->cb.values[i] - middle, picture->cr.values[i] - middle)]++;
}

/* Counts each pair of the upper 8 bits of Cb and Cr. */
static TEST_UNWATCHED void
count_vectorscope (const struct picture *picture, uint64_t *vectorscope)
{
  const unsigned dropped = picture->frame->components[0].depth - 8;

  for (int64_t i = 0; i < picture->cb.width * picture->cb.height; i++)
    vectorscope[(picture->cr.values[i] >> dropped) * 256 + (picture->cb.values[i] >> dropped)]++;
}

/* Returns the code of a signal, which doubles hold exactly. */
static unsigned
find_code (double signal)
{
  const double code = floor (signal / (1 << HISTO_LIGHT_ONE_LOG2));

  return code < 0 ? 0 : code > HISTO_LIGHT_CODES - 1 ? HISTO_LIGHT_CODES - 1 : (unsigned)code;
}

/* Returns 4096 times the logarithm of a number, by way of its mantissa. */
static unsigned
find_logarithm (const struct histo_light_curve *curve, uint32_t number)
{
  int exponent;
  const double mantissa = frexp (number, &exponent);

  return (unsigned)(exponent - 1) * 4096 + curve->mantissas[(unsigned)((mantissa * 2 - 1) * HISTO_LIGHT_MANTISSAS)];
}

/* Returns the code by way of linear light. */
static unsigned
find_linear_code (const struct histo_light *light, const double signals[3])
{
  const struct histo_light_curve *curve = histo_find_light_curve (light->transfer);
  const double level = (1 << HISTO_LIGHT_ONE_LOG2) / 4, last = 4 * (HISTO_LIGHT_CODES - 1);
  double sum = 0, most = 0;
  uint32_t luminance, number;

  for (unsigned c = 0; c < 3; c++) {
    const double place = fmin (fmax (floor (signals[c] / level - 1.5), 0), last);
    const double linear = curve->linear[(unsigned)place];

    sum += light->weights[c] * linear; /* below 2^53 */
    most = fmax (most, linear);
  }
  luminance = (uint32_t)floor (sum / HISTO_LIGHT_WEIGHTS);
  number = light->source == HISTO_LIGHT_LUMINANCE ? luminance : (uint32_t)most;
  if (number == 0 || luminance == 0)
    return 0;
  return curve->codes[(5 * find_logarithm (curve, number)
                       + (light->transfer == HISTO_TRANSFER_HLG ? find_logarithm (curve, luminance) : 0))
                      / 16];
}

/* Codes R', G' and B' separately. The light is the largest code. */
static TEST_UNWATCHED void
count_light (const struct picture *picture, uint64_t *codes)
{
  const struct histo_frame *frame = picture->frame;
  const struct histo_light *light = &frame->light;
  const struct samples *luma = &picture->lit[0], *cb = &picture->lit[1], *cr = &picture->lit[2];
  const struct histo_chroma *chroma = &frame->chroma;
  const double middle = 1 << (frame->components[0].depth - 1), factor = light->luma;

  for (int64_t y = 0; y < luma->height; y++) {
    const int64_t chroma_row = (y + chroma->phase_y) / (1 << chroma->shift_y) * cb->width;

    for (int64_t x = 0; x < luma->width; x++) {
      const int64_t place = chroma_row + (x + chroma->phase_x) / (1 << chroma->shift_x);
      const double first = luma->values[y * luma->width + x], second = cb->values[place], third = cr->values[place];
      const double brightness = factor * first + light->offset, u = second - middle, v = third - middle;
      const double yuv[]
          = { brightness + light->r_cr * v, brightness + light->g_cb * u + light->g_cr * v, brightness + light->b_cb * u };
      const double rgb[] = { brightness, factor * second + light->offset, factor * third + light->offset };
      unsigned code = 0;

      if (light->transfer != HISTO_TRANSFER_PQ || light->source != HISTO_LIGHT_MAX_RGB) {
        codes[find_linear_code (light, light->is_rgb ? rgb : yuv)]++;
        continue;
      }
      for (unsigned c = 0; c < 3; c++) {
        const unsigned other = find_code (light->is_rgb ? rgb[c] : yuv[c]);

        code = other > code ? other : code;
      }
      codes[code]++;
    }
  }
}

/* Derives a sample, as histo.h defines it, in wider arithmetic. */
static uint32_t
derive_sample (const struct histo_matrix *matrix, unsigned depth, unsigned derived, const uint32_t rgb[3])
{
  const int32_t *weights = derived == 0 ? matrix->y : derived == 1 ? matrix->cb : matrix->cr;
  const long double one = (long double)(UINT64_C (1) << matrix->shift), most = (long double)((1u << depth) - 1);
  long double sum = 0, value;

  for (unsigned i = 0; i < 3; i++)
    sum += (long double)weights[i] * rgb[i];
  value = floorl (sum / one + 0.5L) + (derived > 0 ? 1u << (depth - 1) : 0);
  return (uint32_t)(value < 0 ? 0 : value > most ? most : value);
}

/* Adds the derived components to a frame, in planes in `memory`. */
static TEST_UNWATCHED void
add_derived (struct histo_frame *frame, const struct histo_matrix *matrix, uint16_t *memory)
{
  const unsigned count = frame->derived_count;
  const struct histo_frame stored = *frame;
  const struct histo_component *red = &stored.components[0];
  const uint32_t height = stored.planes[red->plane].height;

  for (unsigned c = 0; c < stored.component_count; c++)
    frame->components[count + c] = stored.components[c];
  for (unsigned d = 0; d < count; d++) {
    uint8_t *plane = (uint8_t *)(memory + d * red->width * height);

    frame->planes[frame->plane_count] = (struct histo_plane){ plane, red->width * red->sample_bytes, height };
    frame->components[d] = (struct histo_component){ .plane = frame->plane_count++,
                                                     .step_bytes = red->sample_bytes,
                                                     .width = red->width,
                                                     .sample_bytes = red->sample_bytes,
                                                     .depth = red->depth,
                                                     .bins = red->bins };
    for (uint32_t row = 0; row < height; row++)
      for (uint64_t i = 0; i < red->width; i++) {
        uint32_t rgb[3], value;

        for (unsigned c = 0; c < 3; c++)
          rgb[c] = sample_at (&stored, &stored.components[c], row, i);
        value = derive_sample (matrix, red->depth, d, rgb);
        *plane++ = (uint8_t)value;
        if (red->sample_bytes == 2)
          *plane++ = (uint8_t)(value >> 8);
      }
  }
  frame->component_count += count;
}

/* Counts the statistics of the list that the frame requests: a function count_NAME each. */
static TEST_UNWATCHED void
count_picture (const struct histo_frame *frame, struct test_count *count)
{
  const uint32_t statistics = frame->statistics;
  const unsigned depth = frame->components[0].depth;
  const bool has_colours = statistics & HISTO_STATISTICS_COLOURS;
  struct histo_picture_stats *stats = &count->picture;
  struct picture picture = { .frame = frame, .luma = take_samples (frame, 0) };

  if (has_colours) {
    picture.cb = take_samples (frame, 1);
    picture.cr = take_samples (frame, 2);
  }
  for (unsigned c = 0; c < 3 && has_colours; c++) {
    picture.tested[c] = take_samples (frame, c + (frame->gamut.is_rgb ? frame->derived_count : 0));
    picture.lit[c] = take_samples (frame, c + (frame->light.is_rgb ? frame->derived_count : 0));
  }
  *stats = (struct histo_picture_stats){ .statistics = statistics & HISTO_STATISTICS_PICTURE };
  stats->luma_count = (uint64_t)(picture.luma.width * picture.luma.height);
  stats->chroma_count = (uint64_t)(picture.cb.width * picture.cb.height);
  if (statistics & HISTO_STATISTIC_SATURATION)
    stats->saturation_count = test_saturation (1 << (depth - 1), 1 << (depth - 1)) + 1;
#define PICTURE_NUMBER(id, name, ...)    \
  if (statistics & HISTO_STATISTIC_##id) \
    stats->name = count_##name (&picture);
#define PICTURE_HISTOGRAM(id, name, ...)                   \
  if (statistics & HISTO_STATISTIC_##id) {                 \
    stats->name = count->bins.name;                        \
    memset (count->bins.name, 0, sizeof count->bins.name); \
    count_##name (&picture, count->bins.name);             \
  }
#include "../../kernels/statistic_list.h"
  free (picture.luma.values);
  free (picture.cb.values);
  free (picture.cr.values);
  for (unsigned c = 0; c < 3; c++) {
    free (picture.tested[c].values);
    free (picture.lit[c].values);
  }
  count->stats.picture = stats;
}

/* Counts column by column of the waveform. Each begins where the previous one ends. */
static TEST_UNWATCHED void
count_waveforms (const struct histo_frame *frame, struct test_count *count)
{
  uint64_t columns = 0, *next;

  for (unsigned c = 0; c < frame->component_count; c++) {
    const struct histo_component *component = &frame->components[c];
    struct histo_component_stats *stats = &count->stats.components[c];

    if (frame->planes[component->plane].height > 0)
      stats->waveform_columns
          = component->width < frame->waveform_columns ? (uint32_t)component->width : frame->waveform_columns;
    columns += stats->waveform_columns;
  }
  free (count->waveforms);
  next = count->waveforms = calloc (columns + 1, 256 * sizeof *next);
  if (next == NULL) {
    perror ("calloc");
    exit (EXIT_FAILURE);
  }
  for (unsigned c = 0; c < frame->component_count; c++) {
    const struct histo_component *component = &frame->components[c];
    struct histo_component_stats *stats = &count->stats.components[c];
    uint64_t x = 0;

    stats->waveform = stats->waveform_columns > 0 ? next : NULL;
    for (uint64_t column = 0; column < stats->waveform_columns; column++, next += 256)
      for (; x < component->width && x * stats->waveform_columns < (column + 1) * component->width; x++)
        for (uint32_t row = 0; row < frame->planes[component->plane].height; row++)
          next[sample_at (frame, component, row, x) >> (component->depth - 8)]++;
  }
}

static TEST_UNWATCHED void
project_frame (const struct histo_frame *frame, const struct histo_weights *weights, struct test_count *count)
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

static TEST_UNWATCHED void
count_frame (const struct histo_frame *frame, const struct histo_weights *weights, struct test_count *count)
{

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
    project_frame (frame, weights, count);
  if (frame->statistics & HISTO_STATISTIC_WAVEFORM)
    count_waveforms (frame, count);
  if (frame->statistics & HISTO_STATISTICS_PICTURE)
    count_picture (frame, count);
}

/* Calls count_frame() or project_frame() with the frame's derived components. */
static TEST_UNWATCHED void
call_with_derived (void (*function) (const struct histo_frame *frame, const struct histo_weights *weights,
                                     struct test_count *count),
                   const struct histo_frame *frame, const struct histo_weights *weights, struct test_count *count)
{
  const struct histo_component *red = &frame->components[0];
  const size_t samples = red->width * frame->planes[red->plane].height * frame->derived_count;
  struct histo_frame whole = *frame, operand;
  uint16_t *memory = calloc (2 * samples + 1, sizeof *memory);

  if (memory == NULL) {
    perror ("calloc");
    exit (EXIT_FAILURE);
  }
  add_derived (&whole, &frame->matrix, memory);
  if (frame->operand != NULL) {
    operand = *frame->operand;
    add_derived (&operand, &frame->matrix, memory + samples);
    whole.operand = &operand;
  }
  function (&whole, weights, count);
  free (memory);
}

void
test_frame_count (const struct histo_frame *frame, struct test_count *count)
{
  const struct histo_weights ones[HISTO_MAX_COUNTED] = { { 0 } };

  if (frame->derived_count > 0)
    call_with_derived (count_frame, frame, ones, count);
  else
    count_frame (frame, ones, count);
}

void
test_frame_project (const struct histo_frame *frame, const struct histo_weights weights[HISTO_MAX_COUNTED],
                    struct test_count *count)
{
  if (frame->derived_count > 0)
    call_with_derived (project_frame, frame, weights, count);
  else
    project_frame (frame, weights, count);
}

void
test_count_clear (struct test_count *count)
{
  free (count->sums);
  free (count->waveforms);
  count->sums = NULL;
  count->waveforms = NULL;
  memset (&count->stats, 0, sizeof count->stats);
}

/* The description of the first difference between two structs or arrays of numbers. */
static _Thread_local char difference_text[160];

struct field {
  const char *name;
  uint64_t want, have;
};

/* Returns whether any of the `count` fields differs, and describes the first one. `of`: "component 1". */
static bool
fields_differ (const char *of, const struct field *fields, unsigned count)
{
  for (unsigned f = 0; f < count; f++)
    if (fields[f].want != fields[f].have) {
      snprintf (difference_text, sizeof difference_text, "%s: %s is %" PRIu64 " instead of %" PRIu64, of, fields[f].name,
                fields[f].have, fields[f].want);
      return true;
    }
  return false;
}

static bool
counters_differ (const char *of, const char *name, const uint64_t *want, const uint64_t *have, uint64_t count)
{
  if (count == 0 || memcmp (want, have, count * sizeof *want) == 0)
    return false;
  for (uint64_t v = 0; v < count; v++)
    if (want[v] != have[v]) {
      snprintf (difference_text, sizeof difference_text, "%s: %s[%" PRIu64 "] is %" PRIu64 " instead of %" PRIu64, of, name, v,
                have[v], want[v]);
      return true;
    }
  return false;
}

static bool
sums_differ (const char *of, const char *name, const int64_t *want, const int64_t *have, uint64_t count)
{
  for (uint64_t i = 0; i < count; i++)
    if (want[i] != have[i]) {
      snprintf (difference_text, sizeof difference_text, "%s: %s[%" PRIu64 "] is %" PRId64 " instead of %" PRId64, of, name, i,
                have[i], want[i]);
      return true;
    }
  return false;
}

static bool
components_differ (unsigned index, const struct histo_component_stats *want, const struct histo_component_stats *have)
{
  const struct field fields[] = {
    { "count", want->count, have->count },
    { "sum", want->sum, have->sum },
    { "sum of squares", want->sum_of_squares, have->sum_of_squares },
    { "upper half of the sum of squares", want->sum_of_squares_high, have->sum_of_squares_high },
    { "dot", want->dot, have->dot },
    { "upper half of dot", want->dot_high, have->dot_high },
    { "dot count", want->dot_count, have->dot_count },
    { "absolute difference", want->absolute_difference, have->absolute_difference },
    { "squared difference", want->squared_difference, have->squared_difference },
    { "upper half of the squared difference", want->squared_difference_high, have->squared_difference_high },
    { "difference count", want->difference_count, have->difference_count },
    { "depth", want->depth, have->depth },
    { "bins", want->bins, have->bins },
    { "rows", want->rows, have->rows },
    { "columns", want->columns, have->columns },
    { "presence of row sums", want->row_sums != NULL, have->row_sums != NULL },
    { "presence of column sums", want->column_sums != NULL, have->column_sums != NULL },
    { "columns of the waveform", want->waveform_columns, have->waveform_columns },
    { "presence of a waveform", want->waveform != NULL, have->waveform != NULL },
  };
  char name[24];

  snprintf (name, sizeof name, "component %u", index);
  return fields_differ (name, fields, sizeof fields / sizeof *fields)
         || counters_differ (name, "histogram", want->histogram, have->histogram, want->bins)
         || sums_differ (name, "row_sums", want->row_sums, have->row_sums, want->rows)
         || sums_differ (name, "column_sums", want->column_sums, have->column_sums, want->columns)
         || counters_differ (name, "waveform", want->waveform, have->waveform, want->waveform_columns * UINT64_C (256));
}

static bool
pictures_differ (const struct histo_picture_stats *want, const struct histo_picture_stats *have)
{
  const struct field fields[] = {
    { "statistics", want->statistics, have->statistics },
    { "luma count", want->luma_count, have->luma_count },
    { "chroma count", want->chroma_count, have->chroma_count },
    { "count of saturations", want->saturation_count, have->saturation_count },
#define PICTURE_NUMBER(id, name, ...) { #name, want->name, have->name },
#define PICTURE_HISTOGRAM(id, name, ...) { "presence of " #name, want->name != NULL, have->name != NULL },
#include "../../kernels/statistic_list.h"
  };

  if (fields_differ ("picture", fields, sizeof fields / sizeof *fields))
    return true;
#define PICTURE_HISTOGRAM(id, name, needs, most, bins, ...)                                                        \
  if (want->name != NULL                                                                                           \
      && counters_differ ("picture", #name, want->name, have->name, (bins) > 0 ? (bins) : want->saturation_count)) \
    return true;
#include "../../kernels/statistic_list.h"
  return false;
}

const char *
test_stats_difference (const struct histo_stats *expected, const struct histo_stats *actual)
{
  const struct field fields[] = {
    { "count of components", expected->component_count, actual->component_count },
    { "presence of a picture", expected->picture != NULL, actual->picture != NULL },
  };

  if (fields_differ ("statistics", fields, sizeof fields / sizeof *fields))
    return difference_text;
  for (unsigned c = 0; c < expected->component_count; c++)
    if (components_differ (c, &expected->components[c], &actual->components[c]))
      return difference_text;
  if (expected->picture != NULL && pictures_differ (expected->picture, actual->picture))
    return difference_text;
  return NULL;
}
