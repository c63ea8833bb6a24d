/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Adding results, as docs/statistics.md describes: the lines of parts of a stream give that of one window over all of it, to
 * the last bit, by plain loops. The rules are repeated here, so that a mistake in fields/list.h is found. */

#include "rig.h"

#include <gst/video/video.h>
#include <json-glib/json-glib.h>
#include <math.h>
#include <string.h>

enum { N_FRAMES = 6, WIDTH = 40, HEIGHT = 36, FRAME_MS = 40 };

__extension__ typedef unsigned __int128 Wide;

/* ---- sums -------------------------------------------------------------------------------------------------------------- */

/* An object of the whole's line, and the corresponding ones in the parts' lines. */
typedef struct {
  JsonObject *whole;
  JsonObject *parts[N_FRAMES * 4]; /* NULL: the part has none */
  guint n_parts;
  guint depth;         /* bits of a sample */
  guint64 luma;        /* samples of the first component, of the picture or the region */
  JsonObject *picture; /* the whole's picture or region */
  guint64 pixels;      /* of a frame of it */
} Sum;

typedef void (*Check) (const Sum *sum, const gchar *name);

static guint64
get_integer (JsonObject *object, const gchar *name)
{
  ck_assert_msg (json_object_has_member (object, name), "no %s", name);
  ck_assert_msg (json_node_get_value_type (json_object_get_member (object, name)) == G_TYPE_INT64, "%s", name);
  return (guint64)json_object_get_int_member (object, name);
}

static void
check_double (const Sum *sum, const gchar *name, gdouble expected)
{
  const gdouble value = json_object_get_double_member (sum->whole, name);

  ck_assert_msg (value == expected, "%s: %.17g is not %.17g", name, value, expected);
}

static void
check_integer (const Sum *sum, const gchar *name, guint64 expected)
{
  const guint64 value = get_integer (sum->whole, name);

  ck_assert_msg (value == expected, "%s: %" G_GUINT64_FORMAT " is not %" G_GUINT64_FORMAT, name, value, expected);
}

static gboolean
has_member (const Sum *sum, guint part, const gchar *name)
{
  return sum->parts[part] != NULL && json_object_has_member (sum->parts[part], name);
}

/* ---- rules ------------------------------------------------------------------------------------------------------------- */

static void
check_nothing (const Sum *sum, const gchar *name)
{
  (void)sum, (void)name;
}

static void
check_sum (const Sum *sum, const gchar *name)
{
  guint64 total = 0;

  for (guint i = 0; i < sum->n_parts; i++)
    total += has_member (sum, i, name) ? get_integer (sum->parts[i], name) : 0;
  check_integer (sum, name, total);
}

static void
check_least (const Sum *sum, const gchar *name)
{
  guint64 least = G_MAXUINT64;

  for (guint i = 0; i < sum->n_parts; i++)
    least = MIN (least, get_integer (sum->parts[i], name));
  check_integer (sum, name, least);
}

static void
check_most (const Sum *sum, const gchar *name)
{
  guint64 most = 0;

  for (guint i = 0; i < sum->n_parts; i++)
    most = MAX (most, get_integer (sum->parts[i], name));
  check_integer (sum, name, most);
}

static void
check_bits (const Sum *sum, const gchar *name)
{
  guint64 bits = 0;

  for (guint i = 0; i < sum->n_parts; i++)
    bits |= get_integer (sum->parts[i], name);
  check_integer (sum, name, bits);
}

static void
check_bit_count (const Sum *sum, const gchar *name)
{
  guint count = 0;

  for (guint64 mask = get_integer (sum->whole, "used-mask"); mask > 0; mask >>= 1)
    count += mask & 1;
  check_integer (sum, name, count);
}

static void
check_same_node (const Sum *sum, const gchar *name, guint part)
{
  ck_assert_msg (json_node_equal (json_object_get_member (sum->whole, name), json_object_get_member (sum->parts[part], name)),
                 "%s", name);
}

static void
check_first (const Sum *sum, const gchar *name)
{
  check_same_node (sum, name, 0);
}

static void
check_last (const Sum *sum, const gchar *name)
{
  check_same_node (sum, name, sum->n_parts - 1);
}

static void
check_same (const Sum *sum, const gchar *name)
{
  for (guint i = 0; i < sum->n_parts; i++)
    check_same_node (sum, name, i);
}

/* Arrays of numbers, or of such arrays. */
static void
check_arrays (JsonArray *whole, JsonArray *const *parts, guint n_parts, const gchar *name)
{
  for (guint i = 0; i < n_parts; i++)
    ck_assert_uint_eq (json_array_get_length (parts[i]), json_array_get_length (whole));
  for (guint at = 0; at < json_array_get_length (whole); at++) {
    gint64 total = 0;

    if (JSON_NODE_HOLDS_ARRAY (json_array_get_element (whole, at))) {
      JsonArray *rows[N_FRAMES * 4];

      for (guint i = 0; i < n_parts; i++)
        rows[i] = json_array_get_array_element (parts[i], at);
      check_arrays (json_array_get_array_element (whole, at), rows, n_parts, name);
      continue;
    }
    for (guint i = 0; i < n_parts; i++)
      total += json_array_get_int_element (parts[i], at);
    ck_assert_msg (json_array_get_int_element (whole, at) == total, "%s[%u]", name, at);
  }
}

static void
check_numbers (const Sum *sum, const gchar *name)
{
  JsonArray *parts[N_FRAMES * 4];

  for (guint i = 0; i < sum->n_parts; i++)
    parts[i] = json_object_get_array_member (sum->parts[i], name);
  check_arrays (json_object_get_array_member (sum->whole, name), parts, sum->n_parts, name);
}

static guint64
get_counter (const Sum *sum, guint value)
{
  return (guint64)json_array_get_int_element (json_object_get_array_member (sum->whole, "histogram"), value);
}

static guint
get_bins (const Sum *sum)
{
  return json_array_get_length (json_object_get_array_member (sum->whole, "histogram"));
}

static guint64
add_up_counters (const Sum *sum)
{
  guint64 count = 0;

  for (guint value = 0; value < get_bins (sum); value++)
    count += get_counter (sum, value);
  return count;
}

static void
check_rank (const Sum *sum, const gchar *name, guint64 rank)
{
  guint64 below = 0;
  guint value = 0;

  while ((below += get_counter (sum, value)) < rank)
    value++;
  check_integer (sum, name, value);
}

static void
check_percentile (const Sum *sum, const gchar *name)
{
  const gdouble share = g_str_equal (name, "low") ? 0.10 : g_str_equal (name, "high") ? 0.90 : 0.50;
  const glong rank = lrint ((gdouble)add_up_counters (sum) * share);

  if (get_bins (sum) == 256 && sum->depth > 8) /* and of colours */
    return;
  check_rank (sum, name, rank < 1 ? 1 : (guint64)rank);
}

static void
check_hue_median (const Sum *sum, const gchar *name)
{
  check_rank (sum, name, add_up_counters (sum) / 2 + 1);
}

static void
check_mean_of_counters (const Sum *sum, const gchar *name)
{
  guint64 total = 0;

  for (guint value = 0; value < get_bins (sum); value++)
    total += value * get_counter (sum, value);
  check_double (sum, name, (gdouble)total / (gdouble)add_up_counters (sum));
}

static void
check_quotient (const Sum *sum, const gchar *name, const gchar *numerator, const gchar *denominator)
{
  check_double (sum, name, (gdouble)get_integer (sum->whole, numerator) / (gdouble)get_integer (sum->whole, denominator));
}

static void
check_mean (const Sum *sum, const gchar *name)
{
  check_quotient (sum, name, "sum", "count");
}

static gdouble
compute_variance (const Sum *sum)
{
  const Wide count = get_integer (sum->whole, "count"), total = get_integer (sum->whole, "sum");

  return (gdouble)(count * get_integer (sum->whole, "sum-of-squares") - total * total) / (gdouble)(count * count);
}

static void
check_variance (const Sum *sum, const gchar *name)
{
  check_double (sum, name, compute_variance (sum));
}

static void
check_deviation (const Sum *sum, const gchar *name)
{
  check_double (sum, name, sqrt (compute_variance (sum)));
}

static void
check_difference (const Sum *sum, const gchar *name)
{
  check_quotient (sum, name, "sad", "difference-count");
}

static void
check_mse (const Sum *sum, const gchar *name)
{
  check_quotient (sum, name, "ssd", "difference-count");
}

static void
check_psnr (const Sum *sum, const gchar *name)
{
  const gdouble peak = (gdouble)((1u << sum->depth) - 1);
  const guint64 squares = get_integer (sum->whole, "ssd");
  const gdouble error = (gdouble)squares / (gdouble)get_integer (sum->whole, "difference-count");

  if (squares > 0)
    check_double (sum, name, 10 * log10 (peak * peak / error));
  else
    ck_assert (json_object_get_null_member (sum->whole, name));
}

static void
check_distance (const Sum *sum, const gchar *name)
{
  check_quotient (sum, name, "histogram-distance-moved", "histogram-distance-count");
}

static void
check_metered (const Sum *sum, const gchar *name)
{
  check_quotient (sum, name, "metered-luma-sum", "metered-luma-weights");
}

static void
check_fraction (const Sum *sum, const gchar *name)
{
  g_autofree gchar *count = g_strconcat (name, "-count", NULL);

  check_double (sum, name, (gdouble)get_integer (sum->whole, count) / (gdouble)sum->luma);
}

static void
check_most_real (const Sum *sum, const gchar *name)
{
  gdouble most = -1;

  for (guint i = 0; i < sum->n_parts; i++)
    most = MAX (most, json_object_get_double_member (sum->parts[i], name));
  check_double (sum, name, most);
}

static void
check_average_pq (const Sum *sum, const gchar *name)
{
  check_double (sum, name, (gdouble)get_integer (sum->whole, "pq-sum") / (gdouble)sum->luma);
}

static void
check_average_nits (const Sum *sum, const gchar *name)
{
  check_double (sum, name, (gdouble)get_integer (sum->whole, "sum") / (gdouble)sum->luma / 10000);
}

static void
check_active_light (const Sum *sum, const gchar *name)
{
  JsonObject *active = json_object_get_object_member (sum->picture, "active-picture");
  g_autofree gchar *whole = g_strndup (name, strlen (name) - strlen ("-active"));

  check_double (sum, name,
                json_object_get_double_member (sum->whole, whole) * (gdouble)sum->pixels
                    / (gdouble)(get_integer (active, "width") * get_integer (active, "height")));
}

static void
check_percentile_of_light (const Sum *sum, const gchar *name)
{
  static const struct {
    const gchar *name;
    gdouble percent;
  } ranks[] = { { "percentile-50", 50 },
                { "percentile-90", 90 },
                { "percentile-99", 99 },
                { "percentile-99-9", 99.9 },
                { "percentile-99-99", 99.99 } };
  guint64 below = 0;
  glong rank = 0;
  guint code = 0;

  for (guint i = 0; i < G_N_ELEMENTS (ranks); i++)
    if (g_str_equal (ranks[i].name, name))
      rank = lrint ((gdouble)sum->luma * (ranks[i].percent / 100));
  ck_assert_uint_eq (add_up_counters (sum), sum->luma);
  while ((below += get_counter (sum, code)) < (guint64)rank)
    code++;
  check_double (sum, name, find_nits (code));
}

static void
check_extent (const Sum *sum, const gchar *name)
{
  static const gchar *const axes[][2] = { { "x", "width" }, { "y", "height" } };
  JsonObject *whole = json_object_get_object_member (sum->whole, name);

  for (guint axis = 0; axis < 2; axis++) {
    guint64 begin = G_MAXUINT64, end = 0;

    for (guint i = 0; i < sum->n_parts; i++) {
      JsonObject *part = json_object_get_object_member (sum->parts[i], name);
      const guint64 first = get_integer (part, axes[axis][0]), length = get_integer (part, axes[axis][1]);

      if (length == 0)
        continue;
      begin = MIN (begin, first);
      end = MAX (end, first + length);
    }
    if (end == 0)
      begin = 0;
    ck_assert_uint_eq (get_integer (whole, axes[axis][0]), begin);
    ck_assert_uint_eq (get_integer (whole, axes[axis][1]), end - begin);
  }
}

static void
check_active_picture (const Sum *sum, const gchar *name)
{
  JsonObject *picture = json_object_get_object_member (sum->whole, name);
  JsonObject *extent = json_object_get_object_member (sum->whole, "active-extent");
  const gboolean is_empty = get_integer (extent, "width") == 0 || get_integer (extent, "height") == 0;
  static const gchar *const names[] = { "x", "y", "width", "height" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    ck_assert_uint_eq (get_integer (picture, names[i]), is_empty ? 0 : get_integer (extent, names[i]));
}

/* Whether a part begins in the last buffer of the part before. */
static gboolean
shares_buffer (const Sum *sum, guint part)
{
  JsonObject *before = sum->parts[part - 1], *after = sum->parts[part];

  if (!json_object_has_member (after, "offset"))
    return FALSE;
  ck_assert_uint_eq (get_integer (before, "offset") + get_integer (before, "size"), get_integer (after, "offset"));
  return get_integer (after, "frame") == get_integer (before, "frame") + get_integer (before, "frames") - 1;
}

static void
check_frames (const Sum *sum, const gchar *name)
{
  guint64 frames = get_integer (sum->parts[0], name);

  for (guint i = 1; i < sum->n_parts; i++)
    frames += get_integer (sum->parts[i], name) - (shares_buffer (sum, i) ? 1 : 0);
  check_integer (sum, name, frames);
}

static void
check_duration (const Sum *sum, const gchar *name)
{
  JsonObject *last = sum->parts[sum->n_parts - 1];

  if (json_object_get_null_member (sum->parts[0], "timestamp")) {
    ck_assert (json_object_get_null_member (sum->whole, name));
    return;
  }
  for (guint i = 1; i < sum->n_parts; i++)
    ck_assert_uint_ge (get_integer (sum->parts[i], "timestamp"),
                       get_integer (sum->parts[i - 1], "timestamp") + get_integer (sum->parts[i - 1], "duration"));
  check_integer (sum, name,
                 get_integer (last, "timestamp") + get_integer (last, "duration") - get_integer (sum->parts[0], "timestamp"));
}

static const struct {
  const gchar *group; /* "": of pictures and regions, and the origin of results */
  const gchar *name;
  Check check;
} rules[] = {
  { "", "cudahisto", check_same },
  { "", "element", check_nothing },
  { "", "backend", check_last },
  { "", "frame", check_first },
  { "", "frames", check_frames },
  { "", "offset", check_first },
  { "", "size", check_sum },
  { "", "format", check_same },
  { "", "width", check_same },
  { "", "height", check_same },
  { "", "depth", check_same },
  { "", "range", check_same },
  { "", "colorimetry", check_same },
  { "", "framerate", check_same },
  { "", "timestamp", check_first },
  { "", "stream-time", check_first },
  { "", "running-time", check_first },
  { "", "duration", check_duration },
  { "", "utc-time", check_nothing },
  { "", "ended-by", check_last },
  { "", "reference-offset", check_first },
  { "", "x", check_same },
  { "", "y", check_same },
  { "", "outliers", check_fraction },
  { "", "outliers-count", check_sum },
  { "", "repeats", check_fraction },
  { "", "repeats-count", check_sum },
  { "", "out-of-range", check_fraction },
  { "", "out-of-range-count", check_sum },
  { "", "out-of-gamut", check_fraction },
  { "", "out-of-gamut-count", check_sum },
  { "", "metered-luma", check_metered },
  { "", "metered-luma-sum", check_sum },
  { "", "metered-luma-weights", check_sum },
  { "", "active-picture", check_active_picture },
  { "", "active-extent", check_extent },
  { "", "vectorscope", check_numbers },
  { "saturation", "min", check_least },
  { "saturation", "low", check_percentile },
  { "saturation", "mean", check_mean_of_counters },
  { "saturation", "high", check_percentile },
  { "saturation", "max", check_most },
  { "saturation", "histogram", check_numbers },
  { "hue", "median", check_hue_median },
  { "hue", "mean", check_mean_of_counters },
  { "hue", "histogram", check_numbers },
  { "light", "transfer", check_same },
  { "light", "source", check_same },
  { "light", "max-nits", check_most_real },
  { "light", "average-nits", check_average_nits },
  { "light", "percentile-50", check_percentile_of_light },
  { "light", "percentile-90", check_percentile_of_light },
  { "light", "percentile-99", check_percentile_of_light },
  { "light", "percentile-99-9", check_percentile_of_light },
  { "light", "percentile-99-99", check_percentile_of_light },
  { "light", "min-pq", check_least },
  { "light", "max-pq", check_most },
  { "light", "average-pq", check_average_pq },
  { "light", "sum", check_sum },
  { "light", "pq-sum", check_sum },
  { "light", "max-cll", check_most_real },
  { "light", "max-fall", check_most_real },
  { "light", "max-cll-99-99", check_most_real },
  { "light", "max-fall-99-99", check_most_real },
  { "light", "max-fall-active", check_active_light },
  { "light", "max-fall-99-99-active", check_active_light },
  { "light", "histogram", check_numbers },
  { "component", "count", check_sum },
  { "component", "sum", check_sum },
  { "component", "sum-of-squares", check_sum },
  { "component", "mean", check_mean },
  { "component", "variance", check_variance },
  { "component", "stddev", check_deviation },
  { "component", "min", check_least },
  { "component", "max", check_most },
  { "component", "low", check_percentile },
  { "component", "median", check_percentile },
  { "component", "high", check_percentile },
  { "component", "dot", check_sum },
  { "component", "dot-count", check_sum },
  { "component", "difference", check_difference },
  { "component", "difference-count", check_sum },
  { "component", "sad", check_sum },
  { "component", "ssd", check_sum },
  { "component", "mse", check_mse },
  { "component", "psnr", check_psnr },
  { "component", "histogram-distance", check_distance },
  { "component", "histogram-distance-moved", check_sum },
  { "component", "histogram-distance-count", check_sum },
  { "component", "used-bits", check_bit_count },
  { "component", "used-mask", check_bits },
  { "component", "histogram", check_numbers },
  { "component", "row-sums", check_numbers },
  { "component", "column-sums", check_numbers },
  { "component", "waveform", check_numbers },
};

static gboolean was_checked[G_N_ELEMENTS (rules)];

static void
check_member (const Sum *sum, const gchar *group, const gchar *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (rules); i++) {
    if (g_str_equal (rules[i].group, group) && g_str_equal (rules[i].name, name)) {
      rules[i].check (sum, name);
      was_checked[i] = TRUE;
      return;
    }
  }
  ck_abort_msg ("the table of rules lacks %s %s", group, name);
}

/* The objects of that name in all lines. */
static void
init_inner (Sum *inner, const Sum *sum, const gchar *name)
{
  *inner = *sum;
  inner->whole = json_object_get_object_member (sum->whole, name);
  for (guint i = 0; i < sum->n_parts; i++)
    inner->parts[i] = has_member (sum, i, name) ? json_object_get_object_member (sum->parts[i], name) : NULL;
}

static void check_group (const Sum *sum, const gchar *group);

static void
check_components (const Sum *sum)
{
  Sum components, component;
  GList *names;

  init_inner (&components, sum, "components");
  names = json_object_get_members (components.whole);
  for (GList *name = names; name != NULL; name = name->next) {
    init_inner (&component, &components, name->data);
    check_group (&component, "component");
  }
  g_list_free (names);
}

static void
check_regions (const Sum *sum)
{
  JsonArray *regions = json_object_get_array_member (sum->whole, "regions");

  for (guint r = 0; r < json_array_get_length (regions); r++) {
    Sum region = *sum;

    region.whole = json_array_get_object_element (regions, r);
    for (guint i = 0; i < sum->n_parts; i++)
      region.parts[i] = json_array_get_object_element (json_object_get_array_member (sum->parts[i], "regions"), r);
    check_group (&region, "");
  }
}

static void
check_group (const Sum *sum, const gchar *group)
{
  GList *names = json_object_get_members (sum->whole);
  Sum picture = *sum, inner;

  if (g_str_equal (group, "")) {
    JsonObject *components = json_object_get_object_member (sum->whole, "components");
    g_autoptr (GList) first = json_object_get_members (components);

    picture.picture = sum->whole;
    if (json_object_has_member (sum->whole, "width"))
      picture.pixels = get_integer (sum->whole, "width") * get_integer (sum->whole, "height");
    picture.luma = get_integer (json_object_get_object_member (components, first->data), "count");
  }
  for (GList *name = names; name != NULL; name = name->next) {
    if (g_str_equal (name->data, "components")) {
      check_components (&picture);
    } else if (g_str_equal (name->data, "regions")) {
      check_regions (&picture);
    } else if (g_str_equal (name->data, "reference")) {
      init_inner (&inner, &picture, name->data);
      check_group (&inner, "component");
    } else if (g_str_equal (name->data, "saturation") || g_str_equal (name->data, "hue") || g_str_equal (name->data, "light")) {
      init_inner (&inner, &picture, name->data);
      check_group (&inner, name->data);
    } else {
      check_member (&picture, group, name->data);
    }
  }
  g_list_free (names);
  /* The whole has every field of a part. */
  for (guint i = 0; i < sum->n_parts; i++) {
    names = sum->parts[i] != NULL ? json_object_get_members (sum->parts[i]) : NULL;
    for (GList *name = names; name != NULL; name = name->next)
      ck_assert_msg (json_object_has_member (sum->whole, name->data), "%s", (const gchar *)name->data);
    g_list_free (names);
  }
}

/* ---- lines ------------------------------------------------------------------------------------------------------------- */

/* The lines of a sidecar: JsonParsers. */
static GPtrArray *
read_lines (const gchar *path)
{
  GPtrArray *lines = g_ptr_array_new_with_free_func (g_object_unref);
  g_autofree gchar *text = NULL;

  ck_assert (g_file_get_contents (path, &text, NULL, NULL));
  g_auto (GStrv) texts = g_strsplit (text, "\n", -1);
  for (guint i = 0; texts[i][0] != '\0'; i++) {
    JsonParser *parser = json_parser_new ();

    ck_assert (json_parser_load_from_data (parser, texts[i], -1, NULL));
    g_ptr_array_add (lines, parser);
  }
  return lines;
}

static JsonObject *
get_line (GPtrArray *lines, guint index)
{
  return json_node_get_object (json_parser_get_root (lines->pdata[index]));
}

/* Fails unless the lines of one file add up to the only line of the other. */
static void
check_files (const gchar *parts_path, const gchar *whole_path, guint n_parts)
{
  g_autoptr (GPtrArray) parts = read_lines (parts_path), whole = read_lines (whole_path);
  Sum sum = { .n_parts = n_parts };

  ck_assert_uint_eq (whole->len, 1);
  ck_assert_uint_eq (parts->len, n_parts);
  sum.whole = get_line (whole, 0);
  for (guint i = 0; i < n_parts; i++)
    sum.parts[i] = get_line (parts, i);
  sum.depth = (guint)get_integer (sum.whole, "depth");
  check_group (&sum, "");
}

/* ---- frames ------------------------------------------------------------------------------------------------------------ */

static void
set_sample (guint8 *data, const GstVideoInfo *info, guint c, guint x, guint y, guint value)
{
  const guint depth = GST_VIDEO_INFO_COMP_DEPTH (info, c);
  guint8 *at = data + GST_VIDEO_INFO_COMP_OFFSET (info, c) + y * (guint)GST_VIDEO_INFO_COMP_STRIDE (info, c)
               + x * (guint)GST_VIDEO_INFO_COMP_PSTRIDE (info, c);
  guint16 sample;

  if (depth == 8) {
    *at = (guint8)value;
  } else {
    sample = GUINT16_TO_LE (
        (guint16)(((value << (depth - 8)) + draw_random (1u << (depth - 8))) << GST_VIDEO_FORMAT_INFO_SHIFT (info->finfo, c)));
    memcpy (at, &sample, sizeof sample); /* it may lie at an odd address */
  }
}

/* Whether the pixel at x, y is not black: a single row, which leaves each column black; a block; nothing; a column, which
 * leaves each row black; and pixels outside that row and column. */
static gboolean
is_lit (guint frame, guint x, guint y, guint width, guint height)
{
  switch (frame) {
  case 0:
    return y == height / 6;
  case 1:
    return x >= width / 4 && x < width / 2 && y >= height / 3 && y < height / 2;
  case 3:
    return FALSE;
  case 4:
    return x == width - 2;
  default:
    return x < width - 4 && y > height / 4;
  }
}

/* Rows of the latter half of each eight repeat those above. */
static GstBuffer *
make_frame (const GstVideoInfo *info, guint frame)
{
  const guint black = GST_VIDEO_INFO_IS_RGB (info) ? 0 : 16;
  g_autofree guint8 *data = g_malloc0 (info->size);

  for (guint c = 0; c < GST_VIDEO_INFO_N_COMPONENTS (info); c++) {
    const guint width = (guint)GST_VIDEO_INFO_COMP_WIDTH (info, c), height = (guint)GST_VIDEO_INFO_COMP_HEIGHT (info, c);
    const gboolean is_chroma = GST_VIDEO_INFO_IS_YUV (info) && (c == 1 || c == 2);
    guint8 rows[4][WIDTH];

    for (guint y = 0; y < height; y++)
      for (guint x = 0; x < width; x++) {
        guint8 *value = &rows[y % 4][x];

        if (y % 8 < 4 || is_chroma)
          *value = (guint8)draw_random (256);
        if (frame == 0 || frame == 4)
          *value = 250;
        set_sample (data, info, c, x, y, is_lit (frame, x, y, width, height) ? *value : is_chroma ? 128 : black);
      }
  }
  return make_buffer (data, info->size, frame * FRAME_MS * GST_MSECOND, FRAME_MS * GST_MSECOND);
}

static void
init_info (GstVideoInfo *info, const gchar *format)
{
  ck_assert (gst_video_info_set_format (info, gst_video_format_from_string (format), WIDTH, HEIGHT));
  info->fps_n = 1000 / FRAME_MS;
  info->fps_d = 1;
}

/* The sidecar of all frames, in windows of `frames_each`. */
static const gchar *
count_frames (const GstVideoInfo *info, GstBuffer *const *frames, const gchar *properties, guint frames_each)
{
  const gchar *path = make_path ("%u.jsonl", frames_each);
  g_autofree gchar *line = g_strdup_printf ("%s interval=%" G_GUINT64_FORMAT " post-messages=false sidecar-location=%s",
                                            properties, (guint64)frames_each * FRAME_MS * GST_MSECOND, path);
  g_autoptr (GstCaps) caps = gst_video_info_to_caps ((GstVideoInfo *)info);
  g_autofree gchar *text = gst_caps_to_string (caps);
  g_auto (Rig) rig = open_video (line, text);

  for (guint f = 0; f < N_FRAMES; f++)
    ck_assert_int_eq (gst_harness_push (rig.harness, gst_buffer_ref (frames[f])), GST_FLOW_OK);
  push_eos (&rig);
  check_bus_empty (rig.bus);
  return path;
}

static void
check_format (const gchar *format, const gchar *properties)
{
  GstBuffer *frames[N_FRAMES];
  GstVideoInfo info;
  const gchar *whole, *parts;

  reset_random ();
  init_info (&info, format);
  if (strstr (properties, "light") != NULL) {
    ck_assert (gst_video_colorimetry_from_string (&info.colorimetry, GST_VIDEO_INFO_IS_RGB (&info) ? "1:1:14:7" : "bt2100-pq"));
  }
  for (guint f = 0; f < N_FRAMES; f++)
    frames[f] = make_frame (&info, f);
  whole = count_frames (&info, frames, properties, N_FRAMES);
  for (guint each = 1; each < N_FRAMES; each++) {
    if (N_FRAMES % each != 0)
      continue;
    parts = count_frames (&info, frames, properties, each);
    check_files (parts, whole, N_FRAMES / each);
  }
  for (guint f = 0; f < N_FRAMES; f++)
    gst_buffer_unref (frames[f]);
}

/* ---- streams ----------------------------------------------------------------------------------------------------------- */

#define LUMA "outliers+repeats+"
#define COLOURS "saturation+hue+broadcast-range+gamut+"
#define COMPONENTS                                                                                           \
  "basic+used-bits+comparison+row-sums+column-sums+waveform+active-picture waveform-columns=3 dot=previous " \
  "sidecar-arrays=all "
#define MORE COMPONENTS "regions=\"1,2,13,9;0,0,40,36\" "

static void
check_video (void)
{
  static const struct {
    const gchar *format, *properties;
  } cases[] = {
    { "I420", "statistics=vectorscope+" LUMA COLOURS MORE "metering=center" },
    { "NV12", "statistics=" LUMA COLOURS MORE "metering=average" },
    { "GRAY8", "statistics=" LUMA MORE "metering=spot" },
    { "P010_10LE", "statistics=" LUMA COLOURS MORE "metering=center bins=native" },
    { "I420_10LE", "statistics=" LUMA COLOURS MORE "metering=average" }, /* of which percentiles cannot be added */
    { "Y444_16LE", "statistics=" COLOURS COMPONENTS },
    { "RGB", "statistics=gamut+" MORE },
    { "P010_10LE", "statistics=light+" COLOURS MORE },
    { "RGB", "statistics=light+" MORE },
    { "I420_10LE", "statistics=light light-source=luminance" },
    { "GBRA", "statistics=gamut+" COMPONENTS },
    { "I420", "statistics=difference" },
    { "I420", "statistics=signalstats" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    check_format (cases[i].format, cases[i].properties);
}

static void
check_reference (void)
{
  const gchar *path = make_path ("reference.mkv");

  free_results (
      run_line (NULL,
                "videotestsrc num-buffers=%d pattern=smpte ! video/x-raw,format=I420,width=%d,height=%d,framerate=25/1 "
                "! matroskamux ! filesink location=%s",
                N_FRAMES, WIDTH, HEIGHT, path));
  g_autofree gchar *properties = g_strdup_printf ("statistics=basic+comparison reference-location=%s", path);
  check_format ("I420", properties);
}

/* Windows that begin and end within buffers. */
static void
check_bytes_in_windows (void)
{
  static const guint sizes[] = { 1000, 250, 100 };
  const gchar *paths[G_N_ELEMENTS (sizes)];
  guint8 data[1000];

  reset_random ();
  fill_random (data, sizeof data);
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    paths[i] = make_path ("%u.jsonl", sizes[i]);
    g_autofree gchar *line = g_strdup_printf (
        "window=bytes window-size=%u statistics=basic+used-bits post-messages=false sidecar-location=%s", sizes[i], paths[i]);
    g_auto (Rig) rig = open_bytes (line, NULL);
    for (guint at = 0, size; at < sizeof data; at += size) {
      size = MIN (at % 3 == 0 ? 50 : 71, (guint)sizeof data - at);
      push_bytes (&rig, data + at, size);
    }
    push_eos (&rig);
    check_bus_empty (rig.bus);
    close_rig (&rig);
    if (i > 0)
      check_files (paths[i], paths[0], sizes[0] / sizes[i]);
  }
}

/* In one process: at the end each rule was used. */
TEST (test_addition)
{
  check_video ();
  check_reference ();
  check_bytes_in_windows ();
  for (guint i = 0; i < G_N_ELEMENTS (rules); i++)
    ck_assert_msg (was_checked[i], "no result has %s %s", rules[i].group, rules[i].name);
}

RIG_MAIN (NULL)
