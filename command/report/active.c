/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "report/active.h"

#include <math.h>

#include "fields/fields.h"
#include "lines/values.h"
#include "lines/json.h"

#define MAX_RECTANGLES 4096 /* limit, if the edges move all the time */
#define MAX_SHOWN 8

enum { EDGE_LEFT, EDGE_TOP, EDGE_RIGHT, EDGE_BOTTOM, N_EDGES };

/* The rule for several results gives their bounding box. */
static const struct {
  const gchar *name;
  SeriesRule rule;
} edges[N_EDGES] = {
  [EDGE_LEFT] = { "active.left", SERIES_LEAST },
  [EDGE_TOP] = { "active.top", SERIES_LEAST },
  [EDGE_RIGHT] = { "active.right", SERIES_GREATEST },
  [EDGE_BOTTOM] = { "active.bottom", SERIES_GREATEST },
};

typedef struct {
  guint numbers[4]; /* x, y, width and height */
  guint64 frames;
  Place first;
} Rectangle;

struct _Active {
  guint columns[N_EDGES];
  gboolean is_there;
  guint64 width, height;    /* size of the largest picture */
  guint64 frames, n_others; /* frames with a rectangle, and those beyond MAX_RECTANGLES */
  GHashTable *rectangles;   /* "x y width height": Rectangle */
};

Active *
active_new (void)
{
  Active *active = g_new0 (Active, 1);

  active->rectangles = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  return active;
}

void
active_free (Active *active)
{
  if (active == NULL)
    return;
  g_hash_table_unref (active->rectangles);
  g_free (active);
}

static void
active_count (Active *active, const guint numbers[4], guint64 frames, const Place *place)
{
  g_autofree gchar *key = g_strdup_printf ("%u %u %u %u", numbers[0], numbers[1], numbers[2], numbers[3]);
  Rectangle *rectangle = g_hash_table_lookup (active->rectangles, key);

  active->frames += frames;
  if (rectangle == NULL && g_hash_table_size (active->rectangles) == MAX_RECTANGLES) {
    active->n_others += frames;
    return;
  }
  if (rectangle == NULL) {
    rectangle = g_new0 (Rectangle, 1);
    rectangle->first = *place;
    for (guint i = 0; i < 4; i++)
      rectangle->numbers[i] = numbers[i];
    g_hash_table_insert (active->rectangles, g_steal_pointer (&key), rectangle);
  }
  rectangle->frames += frames;
}

void
active_take (Active *active, Series *series, const GstStructure *result, guint64 frames, const Place *place)
{
  guint64 width = 0, height = 0;
  guint numbers[4];

  if (!values_get_rectangle (result, field_describe (FIELD_ID_ACTIVE_PICTURE)->name, numbers))
    return;
  if (!active->is_there) {
    for (guint i = 0; i < N_EDGES; i++)
      active->columns[i] = series_add_column (series, edges[i].rule);
    active->is_there = TRUE;
  }
  values_get_uint64 (result, NULL, "width", &width);
  values_get_uint64 (result, NULL, "height", &height);
  active->width = MAX (active->width, MAX (width, (guint64)numbers[0] + numbers[2]));
  active->height = MAX (active->height, MAX (height, (guint64)numbers[1] + numbers[3]));
  active_count (active, numbers, MAX (1, frames), place);
  if (numbers[2] == 0 || numbers[3] == 0)
    return; /* the picture is black, and has no edges */
  series_set (series, active->columns[EDGE_LEFT], numbers[0]);
  series_set (series, active->columns[EDGE_TOP], numbers[1]);
  series_set (series, active->columns[EDGE_RIGHT], (gdouble)numbers[0] + numbers[2]);
  series_set (series, active->columns[EDGE_BOTTOM], (gdouble)numbers[1] + numbers[3]);
}

static gint
rectangle_compare (gconstpointer a, gconstpointer b)
{
  const Rectangle *one = a, *other = b;

  if (one->frames != other->frames)
    return one->frames > other->frames ? -1 : 1;
  return one->first.result < other->first.result ? -1 : 1;
}

static void
rectangle_append (const Rectangle *rectangle, GString *json)
{
  g_string_append_printf (json, "{\"x\":%u,\"y\":%u,\"width\":%u,\"height\":%u,\"frames\":%" G_GUINT64_FORMAT,
                          rectangle->numbers[0], rectangle->numbers[1], rectangle->numbers[2], rectangle->numbers[3],
                          rectangle->frames);
  json_append_double_member (json, "time", rectangle->first.time);
  json_append_double_member (json, "frame", rectangle->first.frame);
  json_append_double_member (json, "result", rectangle->first.result);
  g_string_append_c (json, '}');
}

void
active_append (const Active *active, GString *json)
{
  g_autoptr (GList) sorted = g_list_sort (g_hash_table_get_values (active->rectangles), rectangle_compare);
  guint n_shown = 0;

  if (!active->is_there) {
    g_string_append (json, ",\"active\":null");
    return;
  }
  g_string_append_printf (json,
                          ",\"active\":{\"width\":%" G_GUINT64_FORMAT ",\"height\":%" G_GUINT64_FORMAT
                          ",\"frames\":%" G_GUINT64_FORMAT ",\"count\":%u,\"has-others\":%s,\"rectangles\":[",
                          active->width, active->height, active->frames, g_hash_table_size (active->rectangles),
                          active->n_others > 0 ? "true" : "false");
  for (const GList *item = sorted; item != NULL && n_shown < MAX_SHOWN; item = item->next, n_shown++) {
    g_string_append (json, n_shown > 0 ? "," : "");
    rectangle_append (item->data, json);
  }
  g_string_append (json, "]}");
}

void
active_pack (const Active *active, const Series *series, Packing *packing)
{
  for (guint i = 0; i < N_EDGES && active->is_there; i++)
    packing_add_values (packing, edges[i].name, series_get_column (series, active->columns[i]), series_count_rows (series));
}
