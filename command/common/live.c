/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "common/live.h"

#include <math.h>
#include <string.h>

#include "common/terminal.h"

#define NARROW 40 /* columns; a narrower line has only time, mean and bar */
#define LEAST_BAR 3
#define MOST_BAR 64

#define DIM "\033[2m"
#define BOLD "\033[1m"
#define RED "\033[31m"
#define CYAN "\033[36m"
#define PLAIN "\033[0m"

/* Width of each column; 0: omitted. */
typedef struct {
  guint time, mean, range, percentiles, bar;
} LiveColumns;

gboolean
live_read (LiveNumbers *numbers, const GstCudaHistoResult *result, const gchar *name)
{
  const GstCudaHistoComponent *component
      = name != NULL ? gst_cuda_histo_result_find_component (result, name) : gst_cuda_histo_result_get_main_component (result);
  const guint depth = CLAMP (result->depth, 8, 16);

  if (component == NULL)
    return FALSE;
  *numbers = (LiveNumbers){
    .time = result->stream_time,
    .frame = result->frame,
    .component = component->name,
    .mean = component->mean,
    .min = component->min,
    .low = component->low,
    .median = component->median,
    .high = component->high,
    .max = component->max,
    .top = (1u << depth) - 1,
    .legal_max = (1u << depth) - 1,
  };
  if (g_strcmp0 (result->range, "limited") == 0) {
    const gboolean is_chroma = g_str_equal (component->name, "U") || g_str_equal (component->name, "V");

    numbers->legal_min = 16u << (depth - 8);
    numbers->legal_max = (is_chroma ? 240u : 235u) << (depth - 8);
  }
  numbers->counters = gst_cuda_histo_component_get_histogram (component, &numbers->n_counters);
  return TRUE;
}

/* ---- columns ------------------------------------------------------------------------------------------------------- */

static gchar *
live_format_time (GstClockTime time, guint decimals)
{
  const gdouble scale = decimals == 1 ? 1e8 : 1e7;
  const guint64 units = (guint64)((gdouble)time / scale + 0.5);
  const guint64 seconds = units / (decimals == 1 ? 10 : 100), fraction = units % (decimals == 1 ? 10 : 100);

  if (seconds < 3600)
    return g_strdup_printf ("%" G_GUINT64_FORMAT ":%02u.%0*u", seconds / 60, (guint)(seconds % 60), (gint)decimals,
                            (guint)fraction);
  return g_strdup_printf ("%" G_GUINT64_FORMAT ":%02u:%02u.%0*u", seconds / 3600, (guint)(seconds / 60 % 60),
                          (guint)(seconds % 60), (gint)decimals, (guint)fraction);
}

static gchar *
live_describe_time (const LiveNumbers *numbers, guint decimals)
{
  if (GST_CLOCK_TIME_IS_VALID (numbers->time))
    return live_format_time (numbers->time, decimals);
  return g_strdup_printf ("#%" G_GUINT64_FORMAT, numbers->frame);
}

static guint
live_count_digits (guint value)
{
  guint digits = 1;

  while (value >= 10) {
    value /= 10;
    digits++;
  }
  return digits;
}

static LiveColumns
live_plan (const LiveNumbers *numbers, guint width)
{
  const guint digits = live_count_digits (numbers->top);
  const gboolean is_narrow = width < NARROW;
  g_autofree gchar *time = live_describe_time (numbers, is_narrow ? 1 : 2);
  LiveColumns columns = { .time = MAX (terminal_measure (time), is_narrow ? 6 : 8), .mean = digits + (is_narrow ? 2 : 3) };
  guint used = columns.time + 1 + columns.mean;

  if (!is_narrow) {
    columns.range = 2 * digits + 1;
    used += 1 + columns.range;
    if (used + 1 + 3 * digits + 2 + 2 + LEAST_BAR <= width) {
      columns.percentiles = MAX (3 * digits + 2, 12);
      used += 1 + columns.percentiles;
    }
  }
  if (used + 1 + LEAST_BAR <= width)
    columns.bar = MIN (width - used - (is_narrow ? 1 : 2), MOST_BAR);
  return columns;
}

/* ---- the bar ------------------------------------------------------------------------------------------------------- */

/* The height of each column in eighths, relative to the highest; at least 1 if it is not empty. */
static void
live_draw_counters (const LiveNumbers *numbers, guint width, guint *heights)
{
  g_autofree gdouble *sums = g_new0 (gdouble, width);
  gdouble highest = 0;

  for (gsize i = 0; i < numbers->n_counters; i++)
    sums[i * width / numbers->n_counters] += (gdouble)numbers->counters[i];
  for (guint i = 0; i < width; i++)
    highest = MAX (highest, sums[i]);
  for (guint i = 0; i < width; i++)
    heights[i] = sums[i] > 0 ? MAX ((guint)(8 * sums[i] / highest + 0.5), 1) : 0;
}

/* Without a histogram: draws low to high as a block, and the rest of the range as a line. */
static void
live_draw_range (const LiveNumbers *numbers, guint width, guint *heights)
{
  for (guint i = 0; i < width; i++) {
    const guint first = i * (numbers->top + 1) / width, last = (i + 1) * (numbers->top + 1) / width - 1;

    heights[i] = last < numbers->min || first > numbers->max ? 0 : last < numbers->low || first > numbers->high ? 1 : 4;
  }
}

static void
live_append_bar (GString *line, const LiveNumbers *numbers, guint width, gboolean has_colours)
{
  static const gchar *const blocks[] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
  static const gchar letters[] = " ..::==##";
  const gboolean is_utf8 = terminal_is_utf8 ();
  g_autofree guint *heights = g_new0 (guint, width);
  const gchar *colour = PLAIN;

  if (isnan (numbers->mean))
    return;
  if (numbers->counters != NULL && numbers->n_counters > 0)
    live_draw_counters (numbers, width, heights);
  else
    live_draw_range (numbers, width, heights);
  for (guint i = 0; i < width; i++) {
    const guint first = i * (numbers->top + 1) / width, last = (i + 1) * (numbers->top + 1) / width - 1;
    const gchar *wanted = last < numbers->low || first > numbers->high          ? DIM
                          : first <= numbers->median && numbers->median <= last ? CYAN
                                                                                : PLAIN;

    if (has_colours && !g_str_equal (wanted, colour)) {
      g_string_append_printf (line, "%s%s", g_str_equal (colour, PLAIN) ? "" : PLAIN,
                              g_str_equal (wanted, PLAIN) ? "" : wanted);
      colour = wanted;
    }
    if (is_utf8)
      g_string_append (line, blocks[heights[i]]);
    else
      g_string_append_c (line, letters[heights[i]]);
  }
  if (!g_str_equal (colour, PLAIN))
    g_string_append (line, PLAIN);
}

/* ---- the line ------------------------------------------------------------------------------------------------------ */

static void
live_append (GString *line, guint width, gboolean is_left, gboolean has_colours, const gchar *colour, const gchar *text)
{
  const guint measured = terminal_measure (text);
  const guint blanks = width > measured ? width - measured : 0;

  g_string_append_printf (line, "%*s%s%s%s%*s", is_left ? 0 : (gint)blanks, "", has_colours ? colour : "", text,
                          has_colours && *colour != '\0' ? PLAIN : "", is_left ? (gint)blanks : 0, "");
}

gchar *
live_format (const LiveNumbers *numbers, guint width, gboolean has_colours)
{
  const LiveColumns columns = live_plan (numbers, width);
  const guint decimals = columns.range > 0 ? 2 : 1;
  const gboolean is_illegal = numbers->min < numbers->legal_min || numbers->max > numbers->legal_max;
  g_autofree gchar *time = live_describe_time (numbers, decimals);
  g_autofree gchar *mean = isnan (numbers->mean) ? g_strdup ("-") : g_strdup_printf ("%.*f", (gint)decimals, numbers->mean);
  g_autofree gchar *range = g_strdup_printf ("%u-%u", numbers->min, numbers->max);
  g_autofree gchar *percentiles = g_strdup_printf ("%u %u %u", numbers->low, numbers->median, numbers->high);
  g_autoptr (GString) line = g_string_new (NULL);

  live_append (line, columns.time, FALSE, has_colours, DIM, time);
  g_string_append_c (line, ' ');
  live_append (line, columns.mean, FALSE, has_colours, BOLD, mean);
  if (columns.range > 0) {
    g_string_append_c (line, ' ');
    live_append (line, columns.range, FALSE, has_colours, is_illegal ? RED : "", isnan (numbers->mean) ? "-" : range);
  }
  if (columns.percentiles > 0) {
    g_string_append_c (line, ' ');
    live_append (line, columns.percentiles, FALSE, has_colours, "", isnan (numbers->mean) ? "-" : percentiles);
  }
  if (columns.bar > 0) {
    g_string_append (line, columns.range > 0 ? "  " : " ");
    live_append_bar (line, numbers, columns.bar, has_colours);
  }
  return terminal_cut (line->str, width);
}

gchar *
live_format_header (const LiveNumbers *numbers, guint width)
{
  const LiveColumns columns = live_plan (numbers, width);
  g_autofree gchar *mean = g_strdup_printf ("%s mean", numbers->component);
  g_autofree gchar *top = g_strdup_printf ("%u", numbers->top);
  g_autoptr (GString) line = g_string_new (NULL);

  live_append (line, columns.time, FALSE, FALSE, "", GST_CLOCK_TIME_IS_VALID (numbers->time) ? "time" : "frame");
  g_string_append_c (line, ' ');
  live_append (line, columns.mean, FALSE, FALSE, "", columns.mean >= terminal_measure (mean) ? mean : numbers->component);
  if (columns.range > 0) {
    g_string_append_c (line, ' ');
    live_append (line, columns.range, FALSE, FALSE, "", "min-max");
  }
  if (columns.percentiles > 0) {
    g_string_append_c (line, ' ');
    live_append (line, columns.percentiles, FALSE, FALSE, "", "low med high");
  }
  if (columns.bar > 1 + strlen (top)) {
    g_string_append (line, columns.range > 0 ? "  0" : " 0");
    live_append (line, columns.bar - 1, FALSE, FALSE, "", top);
  }
  return terminal_cut (line->str, width);
}

gchar *
live_format_event (const GstCudaHistoEvent *event)
{
  g_autofree gchar *kind = terminal_clean (event->kind);
  g_autofree gchar *start = GST_CLOCK_TIME_IS_VALID (event->start) ? live_format_time (event->start, 2)
                                                                   : g_strdup_printf ("#%" G_GUINT64_FORMAT, event->frame);
  g_autofree gchar *end = GST_CLOCK_TIME_IS_VALID (event->end) ? live_format_time (event->end, 2) : NULL;

  if (event->ended_by == NULL)
    return g_strdup_printf ("%s from %s", kind, start);
  if (end == NULL || event->end == event->start)
    return g_strdup_printf ("%s at %s", kind, start);
  return g_strdup_printf ("%s from %s to %s", kind, start, end);
}
