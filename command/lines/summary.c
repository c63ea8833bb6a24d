/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lines/summary.h"

typedef struct {
  FieldId field;
  gsize offset;
} Member;

#define MEMBER(id, member)                                        \
  {                                                               \
    FIELD_ID_##id, G_STRUCT_OFFSET (struct histo_summary, member) \
  }
#define COLOUR(id, member)                                               \
  {                                                                      \
    FIELD_ID_##id, G_STRUCT_OFFSET (struct histo_colour_summary, member) \
  }

#define LIGHT(id, member)                                                     \
  {                                                                           \
    FIELD_ID_LIGHT_##id, G_STRUCT_OFFSET (struct histo_light_summary, member) \
  }

static const Member members[] = {
  MEMBER (MEAN, mean),     MEMBER (VARIANCE, variance), MEMBER (STDDEV, stddev),
  MEMBER (MIN, min),       MEMBER (MAX, max),           MEMBER (LOW, low),
  MEMBER (MEDIAN, median), MEMBER (HIGH, high),         MEMBER (USED_BITS, used_bits),
};

static const Member colours[] = {
  COLOUR (SATURATION_MIN, saturation_min),
  COLOUR (SATURATION_LOW, saturation_low),
  COLOUR (SATURATION_MEAN, saturation_mean),
  COLOUR (SATURATION_HIGH, saturation_high),
  COLOUR (SATURATION_MAX, saturation_max),
  COLOUR (HUE_MEDIAN, hue_median),
  COLOUR (HUE_MEAN, hue_mean),
};

static const Member light[] = {
  LIGHT (MAX_NITS, max_nits),
  LIGHT (PERCENTILE_50, percentile_50),
  LIGHT (PERCENTILE_90, percentile_90),
  LIGHT (PERCENTILE_99, percentile_99),
  LIGHT (PERCENTILE_99_9, percentile_99_9),
  LIGHT (PERCENTILE_99_99, percentile_99_99),
  LIGHT (MIN_PQ, min_code),
  LIGHT (MAX_PQ, max_code),
};

static gconstpointer
summary_find_member (const Member *table, guint n_members, gconstpointer summary, FieldId field)
{
  for (guint i = 0; i < n_members; i++) {
    if (table[i].field == field)
      return (const guint8 *)summary + table[i].offset;
  }
  return NULL;
}

gconstpointer
summary_find (const struct histo_summary *summary, FieldId field)
{
  return summary_find_member (members, G_N_ELEMENTS (members), summary, field);
}

gconstpointer
summary_find_colour (const struct histo_colour_summary *summary, FieldId field)
{
  return summary_find_member (colours, G_N_ELEMENTS (colours), summary, field);
}

gconstpointer
summary_find_light (const struct histo_light_summary *summary, FieldId field)
{
  return summary_find_member (light, G_N_ELEMENTS (light), summary, field);
}
