/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cuda/host/plan/alike.h"

#include <string.h>

#include "cuda/host/plan/plan_pass.h"
#include "cuda/host/plan/plan_picture.h"
#include "frame.h"

uint64_t
histo_cuda_find_differing_bits (const struct histo_frame *frame, const struct histo_frame *first, unsigned plane)
{
  uint64_t bits = histo_cuda_device_address (frame->planes[plane].data) ^ histo_cuda_device_address (first->planes[plane].data);

  if (first->operand)
    bits |= histo_cuda_device_address (frame->operand->planes[plane].data)
            ^ histo_cuda_device_address (first->operand->planes[plane].data);
  return bits;
}

static bool
gamuts_are_alike (const struct histo_gamut *a, const struct histo_gamut *b)
{
  return a->r_cr == b->r_cr && a->g_cb == b->g_cb && a->g_cr == b->g_cr && a->b_cb == b->b_cb && a->min == b->min
         && a->max == b->max && a->is_rgb == b->is_rgb;
}

static bool
lights_are_alike (const struct histo_light *a, const struct histo_light *b)
{
  return a->luma == b->luma && a->offset == b->offset && a->r_cr == b->r_cr && a->g_cb == b->g_cb && a->g_cr == b->g_cr
         && a->b_cb == b->b_cb && a->transfer == b->transfer && a->source == b->source && a->is_rgb == b->is_rgb
         && memcmp (a->weights, b->weights, sizeof a->weights) == 0;
}

bool
histo_cuda_frames_are_alike (const struct histo_frame *frames, unsigned count)
{
  const struct histo_frame *first = &frames[0];
  bool deep = histo_cuda_is_deep (first);

  for (unsigned i = 0; i < count; i++) {
    const struct histo_frame *frame = &frames[i];

    if (frame->derived_count > 0 || !histo_frames_match (frame, first) || !frame->operand != !first->operand
        || frame->statistics != first->statistics || memcmp (&frame->chroma, &first->chroma, sizeof frame->chroma) != 0
        || (frame->statistics & HISTO_STATISTIC_WAVEFORM && frame->waveform_columns != first->waveform_columns)
        || (frame->statistics & HISTO_STATISTIC_GAMUT && !gamuts_are_alike (&frame->gamut, &first->gamut))
        || (frame->statistics & HISTO_STATISTIC_LIGHT && !lights_are_alike (&frame->light, &first->light)))
      return false;
    for (unsigned p = 0; p < first->plane_count; p++)
      if (frame->planes[p].stride_bytes != first->planes[p].stride_bytes
          || (first->operand && frame->operand->planes[p].stride_bytes != first->operand->planes[p].stride_bytes)
          || (deep && histo_cuda_find_differing_bits (frame, first, p) % 2 != 0))
        return false;
  }
  return true;
}

/* Whether a launch of unlike frames can take this frame: its statistics have kernels for that, which publish all numbers. */
static bool
may_be_unlike (const struct histo_frame *frame)
{
  return frame->derived_count == 0 && !histo_cuda_has_many_bins (frame)
         && !(frame->statistics
              & (HISTO_STATISTIC_PROJECTION | HISTO_STATISTIC_WAVEFORM | HISTO_STATISTIC_VECTORSCOPE | HISTO_STATISTIC_LIGHT))
         && histo_cuda_count_saturations (frame) <= HISTO_CUDA_PICTURE_SATURATIONS;
}

unsigned
histo_cuda_count_unlike (const struct histo_frame *frames, unsigned count)
{
  unsigned taken = 1;

  if (!may_be_unlike (&frames[0]))
    return taken;
  while (taken < count && taken < HISTO_CUDA_UNLIKE && may_be_unlike (&frames[taken])
         && frames[taken].memory == frames[0].memory && frames[taken].statistics == frames[0].statistics
         && histo_cuda_is_deep (&frames[taken]) == histo_cuda_is_deep (&frames[0]))
    taken++;
  return taken;
}

/* At most 2^51: see histo_component.width. */
static uint64_t
count_sample_bytes (const struct histo_frame *frame)
{
  uint64_t bytes = 0;

  for (unsigned c = 0; c < frame->component_count; c++)
    bytes += histo_frame_count_samples (frame, &frame->components[c]) * frame->components[c].sample_bytes;
  return bytes;
}

void
histo_cuda_share_out (const struct histo_cuda_shape *shape, const struct histo_frame *frames, unsigned count,
                      struct histo_cuda_shape *shares)
{
  const unsigned spare = shape->multiprocessors > count ? shape->multiprocessors - count : 0;
  uint64_t bytes = 0;

  for (unsigned i = 0; i < count; i++)
    bytes += count_sample_bytes (&frames[i]);
  for (unsigned i = 0; i < count; i++) {
    shares[i] = *shape;
    shares[i].multiprocessors = 1;
    if (spare > 0)
      shares[i].multiprocessors += (unsigned)(count_sample_bytes (&frames[i]) / (bytes / spare + 1));
  }
}
