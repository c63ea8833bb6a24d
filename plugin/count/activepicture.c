/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "count/activepicture.h"

/* cropdetect's `limit`, as a fraction of the largest value. It rounds to even, as lrint() does; no depth has a tie. */
#define LIMIT(depth) ((24 * ((1u << (depth)) - 1) + 127) / 255)

/* The lines, rows or columns, whose sums are compared with the limit. */
typedef struct {
  const struct histo_component_stats *components;
  guint count;         /* components in the mean */
  gboolean is_of_rows; /* FALSE: of columns */
} Lines;

/* Whether the mean of a line's samples, rounded down, exceeds the limit. */
static gboolean
gst_cuda_histo_active_picture_is_line_active (const Lines *lines, guint64 line)
{
  const struct histo_component_stats *first = &lines->components[0];
  const guint64 samples = (lines->is_of_rows ? first->columns : first->rows) * lines->count;
  gint64 sum = 0;

  for (guint c = 0; c < lines->count; c++)
    sum += lines->is_of_rows ? lines->components[c].row_sums[line] : lines->components[c].column_sums[line];
  return (guint64)sum / samples > LIMIT (first->depth);
}

/* Extends [*begin, *end) to the first and last active line of `length`. Each line stands for `step` lines of the frame. */
static void
gst_cuda_histo_active_picture_extend (const Lines *lines, guint64 length, guint step, guint *begin, guint *end)
{
  guint64 first = 0, last = length;

  while (first < length && !gst_cuda_histo_active_picture_is_line_active (lines, first))
    first++;
  if (first == length)
    return;
  while (!gst_cuda_histo_active_picture_is_line_active (lines, last - 1))
    last--;
  *begin = *end > 0 ? MIN (*begin, (guint)first * step) : (guint)first * step;
  *end = MAX (*end, (guint)last * step);
}

void
gst_cuda_histo_active_picture_add (GstCudaHistoActivePicture *active, const GstCudaHistoCounted *counted)
{
  const struct histo_stats *stats = counted->stats;
  Lines lines = { .components = stats->components, .count = counted->light_components };

  if (lines.count == 0 || stats->component_count < lines.count || stats->components[0].row_sums == NULL)
    return;
  active->is_known = TRUE;
  gst_cuda_histo_active_picture_extend (&lines, stats->components[0].columns, 1, &active->x1, &active->x2);
  lines.is_of_rows = TRUE;
  gst_cuda_histo_active_picture_extend (&lines, stats->components[0].rows, counted->rows_each, &active->y1, &active->y2);
}

gboolean
gst_cuda_histo_active_pictures_take (GstCudaHistoActivePicture *active, GstCudaHistoRegion *pictures)
{
  const gboolean is_known = active[GST_CUDA_HISTO_PART_PICTURE].is_known;

  for (guint part = 0; part < GST_CUDA_HISTO_MAX_PARTS; part++) {
    const GstCudaHistoActivePicture found = active[part];

    if (pictures != NULL)
      pictures[part]
          = (GstCudaHistoRegion){ .x = found.x1, .y = found.y1, .width = found.x2 - found.x1, .height = found.y2 - found.y1 };
    active[part] = (GstCudaHistoActivePicture){ 0 };
  }
  return is_known;
}
