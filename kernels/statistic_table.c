/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "statistic_table.h"

#include "picture.h"

const struct histo_statistic_row histo_statistics[HISTO_STATISTIC_ROWS] = {
#define COMPONENT_STATISTIC(id, list_name, list_needs, most) \
  { .bit = HISTO_STATISTIC_##id, .name = #list_name, .needs = list_needs, .max_samples = most },
#define PICTURE_NUMBER(id, list_name, list_needs) \
  { .bit = HISTO_STATISTIC_##id,                  \
    .name = #list_name,                           \
    .needs = list_needs,                          \
    .max_samples = UINT64_MAX,                    \
    .number = offsetof (struct histo_picture_stats, list_name) },
#define PICTURE_HISTOGRAM(id, list_name, list_needs, most, list_bins, ...) \
  { .bit = HISTO_STATISTIC_##id,                                           \
    .name = #list_name,                                                    \
    .needs = list_needs,                                                   \
    .max_samples = most,                                                   \
    .histogram = offsetof (struct histo_picture_stats, list_name),         \
    .bins = list_bins,                                                     \
    __VA_ARGS__ },
#include "statistic_list.h"
};

static void *
find_place (size_t offset, const struct histo_picture_stats *picture)
{
  return (void *)((uintptr_t)picture + offset);
}

uint64_t *
histo_find_number (const struct histo_statistic_row *row, struct histo_picture_stats *picture)
{
  return find_place (row->number, picture);
}

uint64_t **
histo_find_histogram (const struct histo_statistic_row *row, struct histo_picture_stats *picture)
{
  return find_place (row->histogram, picture);
}

uint32_t
histo_count_bins (const struct histo_statistic_row *row, const struct histo_picture_stats *picture)
{
  if (row->bin_count > 0)
    return *(const uint32_t *)find_place (row->bin_count, picture);
  return picture->statistics & row->bit ? row->bins : 0;
}

void
histo_set_bin_counts (struct histo_picture_stats *picture, unsigned depth)
{
  for (unsigned s = 0; s < HISTO_STATISTIC_ROWS; s++) {
    const struct histo_statistic_row *row = &histo_statistics[s];

    if (row->bin_count > 0 && picture->statistics & row->bit)
      *(uint32_t *)find_place (row->bin_count, picture) = row->count_bins (depth);
  }
}
