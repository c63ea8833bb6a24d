/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The library for applications, with messages and metas from the element: every field that docs/messages.md lists, in every
 * form of arrays. Another test checks that the page lists all fields. */

#include "pictures.h"
#include "plugin/support/rig.h"

#include <cudahisto/gstcudahisto.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the fields of docs/messages.md --------------------------------------------------------------------------------- */

typedef enum { OF_RESULT, OF_COMPONENT, OF_REGION, OF_EVENT, COMPONENT } Kind;

typedef struct {
  gchar *name; /* without the "<C>-" of a component's field */
  Kind kind;
  gboolean is_seen;
} Listed;

static GArray *listed;

static Listed *
find_listed (Kind kind, const gchar *name)
{
  for (guint i = 0; i < listed->len; i++) {
    Listed *field = &g_array_index (listed, Listed, i);

    if (field->kind == kind && strcmp (field->name, name) == 0)
      return field;
  }
  return NULL;
}

/* Records that a result has the field. Fails if the list lacks it. */
static void
see (Kind kind, const gchar *name)
{
  Listed *field = find_listed (kind, name);

  ck_assert_msg (field != NULL, "docs/messages.md does not list %s (%d)", name, (int)kind);
  field->is_seen = TRUE;
}

/* Lists the components of a line of the sentence that names them in backquotes. */
static void
list_components (const gchar *line)
{
  g_auto (GStrv) words = g_strsplit (line, "`", -1);

  for (guint i = 1; words[i] != NULL && words[i + 1] != NULL; i += 2) {
    Listed field = { .name = g_strdup (words[i]), .kind = COMPONENT };

    g_array_append_val (listed, field);
  }
}

/* Rows of a table begin with | `name` |. */
static void
list_rows (const gchar *page, const gchar *begin, const gchar *end, Kind kind)
{
  const gchar *from = strstr (page, begin), *to = strstr (page, end);
  gboolean is_sentence = FALSE;

  ck_assert (from != NULL && to != NULL && from < to);
  g_autofree gchar *text = g_strndup (from, (gsize)(to - from));
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (gchar **line = lines; *line != NULL; line++) {
    Listed field = { .kind = kind };
    const gchar *name, *close;

    if (g_str_has_prefix (*line, "### Regions"))
      kind = OF_REGION;
    else if (g_str_has_prefix (*line, "`<C>` is"))
      is_sentence = TRUE;
    else if (**line == '\0')
      is_sentence = FALSE;
    else if (is_sentence)
      list_components (*line);
    else if (g_str_has_prefix (*line, "### Pictures"))
      kind = OF_RESULT;
    field.kind = kind;
    if (!g_str_has_prefix (*line, "| `"))
      continue;
    name = *line + 3;
    close = strchr (name, '`');
    if (g_str_has_prefix (name, "<C>-")) {
      name += 4;
      field.kind = OF_COMPONENT;
    }
    field.name = g_strndup (name, (gsize)(close - name));
    g_array_append_val (listed, field);
  }
}

static void
free_listed (gpointer field)
{
  g_free (((Listed *)field)->name);
}

static void
read_list (void)
{
  const gchar *path = g_getenv ("CUDAHISTO_MESSAGES_DOC");
  g_autofree gchar *page = NULL;

  ck_assert_msg (path != NULL, "CUDAHISTO_MESSAGES_DOC is not set");
  ck_assert (g_file_get_contents (path, &page, NULL, NULL));
  listed = g_array_new (FALSE, FALSE, sizeof (Listed));
  g_array_set_clear_func (listed, free_listed);
  list_rows (page, "<!-- schema begin -->", "<!-- schema end -->", OF_RESULT);
  list_rows (page, "<!-- events begin -->", "<!-- events end -->", OF_EVENT);
  ck_assert (find_listed (OF_RESULT, "element") != NULL && find_listed (OF_RESULT, "vectorscope") != NULL
             && find_listed (OF_COMPONENT, "mean") != NULL && find_listed (OF_REGION, "parent-id") != NULL
             && find_listed (COMPONENT, "byte") != NULL && find_listed (OF_EVENT, "ended-by") != NULL);
}

static void
forget_list (void)
{
  g_array_unref (listed);
}

/* ---- a structure, and what the library says of it ------------------------------------------------------------------- */

/* The members that are fields, and their names. An absent string is "". */
typedef enum { STRING, UINT, UINT64, TIME, DOUBLE } Type;

typedef struct {
  const gchar *name;
  Type type;
  gsize offset;
} Member;

#define RESULT(member) G_STRUCT_OFFSET (GstCudaHistoResult, member)
#define REGION(member) RESULT (member)
#define COMPONENT_OF(member) G_STRUCT_OFFSET (GstCudaHistoComponent, member)
#define EVENT(member) G_STRUCT_OFFSET (GstCudaHistoEvent, member)

static const Member result_members[] = {
  { "element", STRING, RESULT (element) },
  { "backend", STRING, RESULT (backend) },
  { "format", STRING, RESULT (format) },
  { "range", STRING, RESULT (range) },
  { "ended-by", STRING, RESULT (ended_by) },
  { "width", UINT, RESULT (width) },
  { "height", UINT, RESULT (height) },
  { "depth", UINT, RESULT (depth) },
  { "frame", UINT64, RESULT (frame) },
  { "frames", UINT64, RESULT (frames) },
  { "timestamp", TIME, RESULT (timestamp) },
  { "stream-time", TIME, RESULT (stream_time) },
  { "running-time", TIME, RESULT (running_time) },
  { "duration", TIME, RESULT (duration) },
};

static const Member region_members[] = {
  { "x", UINT, REGION (x) },
  { "y", UINT, REGION (y) },
  { "width", UINT, REGION (width) },
  { "height", UINT, REGION (height) },
};

static const Member component_members[] = {
  { "count", UINT64, COMPONENT_OF (count) },   { "sum", UINT64, COMPONENT_OF (sum) },
  { "mean", DOUBLE, COMPONENT_OF (mean) },     { "variance", DOUBLE, COMPONENT_OF (variance) },
  { "stddev", DOUBLE, COMPONENT_OF (stddev) }, { "min", UINT, COMPONENT_OF (min) },
  { "low", UINT, COMPONENT_OF (low) },         { "median", UINT, COMPONENT_OF (median) },
  { "high", UINT, COMPONENT_OF (high) },       { "max", UINT, COMPONENT_OF (max) },
};

static const Member event_members[] = {
  { "event", STRING, EVENT (kind) },
  { "element", STRING, EVENT (element) },
  { "start", TIME, EVENT (start) },
  { "end", TIME, EVENT (end) },
  { "running-time", TIME, EVENT (running_time) },
  { "end-running-time", TIME, EVENT (end_running_time) },
  { "duration", TIME, EVENT (duration) },
  { "value", DOUBLE, EVENT (value) },
  { "threshold", DOUBLE, EVENT (threshold) },
  { "frame", UINT64, EVENT (frame) },
  { "frames", UINT64, EVENT (frames) },
};

static gboolean
is_same_double (gdouble left, gdouble right)
{
  return left == right || (isnan (left) && isnan (right));
}

/* The member equals the field, whose type is exactly this one. */
static void
check_member (gconstpointer instance, const Member *member, const GValue *value)
{
  switch (member->type) {
  case STRING:
    ck_assert_str_eq (G_STRUCT_MEMBER (const gchar *, instance, member->offset),
                      value != NULL ? g_value_get_string (value) : "");
    break;
  case UINT:
    ck_assert_uint_eq (G_STRUCT_MEMBER (guint, instance, member->offset), value != NULL ? g_value_get_uint (value) : 0);
    break;
  case UINT64:
    ck_assert_uint_eq (G_STRUCT_MEMBER (guint64, instance, member->offset), value != NULL ? g_value_get_uint64 (value) : 0);
    break;
  case TIME:
    ck_assert_uint_eq (G_STRUCT_MEMBER (guint64, instance, member->offset),
                       value != NULL ? g_value_get_uint64 (value) : GST_CLOCK_TIME_NONE);
    break;
  default:
    ck_assert (is_same_double (G_STRUCT_MEMBER (gdouble, instance, member->offset),
                               value != NULL ? g_value_get_double (value) : (gdouble)NAN));
    break;
  }
}

/* The 64-bit integers of a value as the message or meta stores them: packed, an array, or an array of arrays. NULL if it has
 * none. */
static GArray *
read_numbers (const GValue *value)
{
  GArray *numbers = g_array_new (FALSE, FALSE, sizeof (guint64));

  if (G_VALUE_HOLDS (value, G_TYPE_BYTES)) {
    gsize size;
    const guint8 *data = g_bytes_get_data (g_value_get_boxed (value), &size);

    for (gsize i = 0; i + 8 <= size; i += 8) {
      const guint64 number = GST_READ_UINT64_LE (data + i);

      g_array_append_val (numbers, number);
    }
    return numbers;
  }
  for (guint i = 0; GST_VALUE_HOLDS_ARRAY (value) && i < gst_value_array_get_size (value); i++) {
    const GValue *item = gst_value_array_get_value (value, i);

    if (GST_VALUE_HOLDS_ARRAY (item)) {
      g_autoptr (GArray) row = read_numbers (item);

      ck_assert (row != NULL);
      g_array_append_vals (numbers, row->data, row->len);
    } else if (G_VALUE_HOLDS_UINT64 (item)) {
      const guint64 number = g_value_get_uint64 (item);

      g_array_append_val (numbers, number);
    } else if (G_VALUE_HOLDS_INT64 (item)) {
      const gint64 number = g_value_get_int64 (item);

      g_array_append_val (numbers, number);
    }
  }
  if (numbers->len > 0)
    return numbers;
  g_array_unref (numbers);
  return NULL;
}

/* The library returns the same numbers as the message or meta. */
static void
check_value (const GValue *kept, const GValue *carried)
{
  GArray *numbers = read_numbers (carried);

  ck_assert (kept != NULL);
  if (numbers != NULL) {
    gsize size;
    gconstpointer data;

    ck_assert (G_VALUE_HOLDS (kept, G_TYPE_BYTES));
    data = g_bytes_get_data (g_value_get_boxed (kept), &size);
    ck_assert_uint_eq (size, numbers->len * sizeof (guint64));
    ck_assert (memcmp (data, numbers->data, size) == 0);
    ck_assert_uint_eq ((guintptr)data % sizeof (guint64), 0);
    if (G_VALUE_HOLDS (carried, G_TYPE_BYTES) && G_BYTE_ORDER == G_LITTLE_ENDIAN)
      ck_assert_msg (data == g_bytes_get_data (g_value_get_boxed (carried), NULL), "it was copied");
    g_array_unref (numbers);
  } else if (G_VALUE_HOLDS_DOUBLE (carried)) {
    ck_assert (G_VALUE_HOLDS_DOUBLE (kept) && is_same_double (g_value_get_double (kept), g_value_get_double (carried)));
  } else {
    ck_assert (G_VALUE_TYPE (kept) == G_VALUE_TYPE (carried) && gst_value_compare (kept, carried) == GST_VALUE_EQUAL);
  }
}

/* Takes ownership of `bytes`, the numbers, and of the value. */
static void
check_numbers (gconstpointer numbers, gsize n_numbers, GBytes *bytes, const GValue *value)
{
  gsize size = 0;
  gconstpointer data = value != NULL ? g_bytes_get_data (g_value_get_boxed (value), &size) : NULL;

  ck_assert (numbers == data);
  ck_assert_uint_eq (n_numbers * sizeof (guint64), size);
  ck_assert_int_eq (bytes != NULL, value != NULL);
  if (bytes == NULL)
    return;
  ck_assert (g_bytes_get_data (bytes, NULL) == data);
  ck_assert_uint_eq (g_bytes_get_size (bytes), size);
  g_bytes_unref (bytes);
}

static gboolean
is_number (const GValue *value)
{
  return G_VALUE_HOLDS_UINT (value) || G_VALUE_HOLDS_INT (value) || G_VALUE_HOLDS_UINT64 (value) || G_VALUE_HOLDS_INT64 (value)
         || G_VALUE_HOLDS_DOUBLE (value) || GST_VALUE_HOLDS_FRACTION (value);
}

static void
check_number (gdouble number, const GValue *value)
{
  GValue expected = G_VALUE_INIT;

  g_value_init (&expected, G_TYPE_DOUBLE);
  if (!is_number (value) || !g_value_transform (value, &expected))
    g_value_set_double (&expected, (gdouble)NAN);
  ck_assert (is_same_double (number, g_value_get_double (&expected)));
}

static void
check_component_of (const GstCudaHistoComponent *component)
{
  gconstpointer numbers;
  gsize n;

  for (guint i = 0; i < G_N_ELEMENTS (component_members); i++)
    check_member (component, &component_members[i], gst_cuda_histo_component_get_field (component, component_members[i].name));
  numbers = gst_cuda_histo_component_get_histogram (component, &n);
  check_numbers (numbers, n, gst_cuda_histo_component_get_histogram_bytes (component),
                 gst_cuda_histo_component_get_field (component, "histogram"));
  numbers = gst_cuda_histo_component_get_waveform (component, &n);
  check_numbers (numbers, n, gst_cuda_histo_component_get_waveform_bytes (component),
                 gst_cuda_histo_component_get_field (component, "waveform"));
  numbers = gst_cuda_histo_component_get_row_sums (component, &n);
  check_numbers (numbers, n, gst_cuda_histo_component_get_row_sums_bytes (component),
                 gst_cuda_histo_component_get_field (component, "row-sums"));
  numbers = gst_cuda_histo_component_get_column_sums (component, &n);
  check_numbers (numbers, n, gst_cuda_histo_component_get_column_sums_bytes (component),
                 gst_cuda_histo_component_get_field (component, "column-sums"));
  ck_assert (gst_cuda_histo_component_get_histogram (component, NULL)
             == gst_cuda_histo_component_get_histogram (component, &n));
}

/* "Y" for "Y-mean", if it is in the list; NULL if it is not a component's field. Free with g_free(). */
static gchar *
find_component_of (const gchar *field)
{
  const gchar *dash = strchr (field, '-');
  g_autofree gchar *name = dash != NULL ? g_strndup (field, (gsize)(dash - field)) : NULL;

  if (name != NULL && find_listed (COMPONENT, name) != NULL)
    return g_steal_pointer (&name);
  return NULL;
}

/* One field of a result or of a region. */
static void
check_field (const GstCudaHistoResult *result, const gchar *name, const GValue *value, gboolean is_region)
{
  g_autofree gchar *component_name = find_component_of (name);
  const GValue *kept = gst_cuda_histo_result_get_field (result, name);

  check_value (kept, value);
  check_number (gst_cuda_histo_result_get_number (result, name), value);
  if (component_name != NULL) {
    const GstCudaHistoComponent *component = gst_cuda_histo_result_find_component (result, component_name);
    const gchar *rest = name + strlen (component_name) + 1;

    ck_assert_msg (component != NULL, "no component %s", component_name);
    ck_assert (gst_cuda_histo_component_get_field (component, rest) == kept);
    check_number (gst_cuda_histo_component_get_number (component, rest), value);
    see (COMPONENT, component_name);
    see (OF_COMPONENT, rest);
  } else {
    see (is_region && find_listed (OF_REGION, name) != NULL ? OF_REGION : OF_RESULT, name);
  }
}

static void
check_rectangle (const GstCudaHistoResult *result, const gchar *name, const GValue *value)
{
  guint r[4] = { 9, 9, 9, 9 };

  ck_assert_int_eq (gst_cuda_histo_result_get_rectangle (result, name, &r[0], &r[1], &r[2], &r[3]), value != NULL);
  for (guint i = 0; i < 4; i++)
    ck_assert_uint_eq (r[i], value != NULL ? g_value_get_uint (gst_value_array_get_value (value, i)) : 0);
}

static void check_regions (const GstCudaHistoResult *result, const GValue *regions);
static void check_printed (const GstStructure *structure);

/* The library returns everything in the structure, and nothing else. */
static void
check_numbers_of (const GstCudaHistoResult *result, const GstStructure *structure, gboolean is_region)
{
  guint n_components = 0;
  gconstpointer numbers;
  gsize n;

  for (gint i = 0; i < gst_structure_n_fields (structure); i++) {
    const gchar *name = gst_structure_nth_field_name (structure, (guint)i);
    g_autofree gchar *component = g_str_has_suffix (name, "-count") ? find_component_of (name) : NULL;

    if (component != NULL && strlen (name) == strlen (component) + strlen ("-count")) {
      const GstCudaHistoComponent *found = gst_cuda_histo_result_get_component (result, n_components++);

      ck_assert (found != NULL);
      ck_assert_str_eq (found->name, component);
      ck_assert (found == g_list_nth_data (result->components, n_components - 1));
      ck_assert (found == gst_cuda_histo_result_find_component (result, component));
      check_component_of (found);
    }
    if (strcmp (name, "regions") != 0)
      check_field (result, name, gst_structure_get_value (structure, name), is_region);
  }
  ck_assert_uint_eq (g_list_length (result->components), n_components);
  ck_assert (gst_cuda_histo_result_get_component (result, n_components) == NULL);
  ck_assert (gst_cuda_histo_result_find_component (result, "Z") == NULL);
  ck_assert (gst_cuda_histo_result_get_field (result, "regions") == NULL);
  ck_assert (gst_cuda_histo_result_get_field (result, "no such field") == NULL);
  ck_assert (isnan (gst_cuda_histo_result_get_number (result, "no such field")));
  numbers = gst_cuda_histo_result_get_vectorscope (result, &n);
  check_numbers (numbers, n, gst_cuda_histo_result_get_vectorscope_bytes (result),
                 gst_cuda_histo_result_get_field (result, "vectorscope"));
  ck_assert (n == 0 || n == 256 * 256);
  numbers = gst_cuda_histo_result_get_saturation_histogram (result, &n);
  check_numbers (numbers, n, gst_cuda_histo_result_get_saturation_histogram_bytes (result),
                 gst_cuda_histo_result_get_field (result, "saturation-histogram"));
  numbers = gst_cuda_histo_result_get_hue_histogram (result, &n);
  check_numbers (numbers, n, gst_cuda_histo_result_get_hue_histogram_bytes (result),
                 gst_cuda_histo_result_get_field (result, "hue-histogram"));
  ck_assert (n == 0 || n == 360);
  numbers = gst_cuda_histo_result_get_light_histogram (result, &n);
  check_numbers (numbers, n, gst_cuda_histo_result_get_light_histogram_bytes (result),
                 gst_cuda_histo_result_get_field (result, "light-histogram"));
  ck_assert (n == 0 || n == 4096);
  check_rectangle (result, "active-picture", gst_structure_get_value (structure, "active-picture"));
  check_rectangle (result, "crop", gst_structure_get_value (structure, "crop"));
}

static void
check_read (const GstCudaHistoResult *result, const GstStructure *structure)
{
  gint framerate_n = 0, framerate_d = 1;

  ck_assert (result != NULL);
  for (guint i = 0; i < G_N_ELEMENTS (result_members); i++) {
    ck_assert_msg (find_listed (OF_RESULT, result_members[i].name) != NULL, "%s", result_members[i].name);
    check_member (result, &result_members[i], gst_structure_get_value (structure, result_members[i].name));
  }
  gst_structure_get_fraction (structure, "framerate", &framerate_n, &framerate_d);
  ck_assert (result->framerate_n == framerate_n && result->framerate_d == framerate_d);
  ck_assert (result->x == 0 && result->y == 0);
  check_numbers_of (result, structure, FALSE);
  check_regions (result, gst_structure_get_value (structure, "regions"));
}

static void
check_result (const GstCudaHistoResult *result, const GstStructure *structure)
{
  check_read (result, structure);
  check_printed (structure);
}

static void
check_regions (const GstCudaHistoResult *result, const GValue *regions)
{
  const guint n_regions = regions != NULL ? gst_value_array_get_size (regions) : 0;

  ck_assert_uint_eq (g_list_length (result->regions), n_regions);
  for (guint i = 0; i < n_regions; i++) {
    const GstCudaHistoResult *region = g_list_nth_data (result->regions, i);
    const GstStructure *structure = gst_value_get_structure (gst_value_array_get_value (regions, i));

    for (guint m = 0; m < G_N_ELEMENTS (region_members); m++)
      check_member (region, &region_members[m], gst_structure_get_value (structure, region_members[m].name));
    /* Members that a region lacks are those of the whole result. */
    for (guint m = 0; m < G_N_ELEMENTS (result_members); m++)
      if (find_listed (OF_REGION, result_members[m].name) == NULL)
        check_member (region, &result_members[m], gst_cuda_histo_result_get_field (result, result_members[m].name));
    ck_assert (region->framerate_n == result->framerate_n && region->framerate_d == result->framerate_d);
    ck_assert (region->regions == NULL);
    check_numbers_of (region, structure, TRUE);
  }
}

static void check_same_structures (const GstStructure *left, const GstStructure *right);

static void
check_same_regions (const GValue *left, const GValue *right)
{
  const guint n_regions = gst_value_array_get_size (left);

  ck_assert_uint_eq (gst_value_array_get_size (right), n_regions);
  for (guint i = 0; i < n_regions; i++)
    check_same_structures (gst_value_get_structure (gst_value_array_get_value (left, i)),
                           gst_value_get_structure (gst_value_array_get_value (right, i)));
}

static void
check_same_structures (const GstStructure *left, const GstStructure *right)
{
  const GValue *regions = gst_structure_get_value (left, "regions");
  g_autoptr (GstStructure) a = gst_structure_copy (left), b = gst_structure_copy (right);

  ck_assert_str_eq (gst_structure_get_name (left), gst_structure_get_name (right));
  ck_assert (g_strcmp0 (gst_structure_get_string (left, "utc-time"), gst_structure_get_string (right, "utc-time")) == 0);
  ck_assert_int_eq (gst_structure_has_field (right, "regions"), regions != NULL);
  if (regions != NULL)
    check_same_regions (regions, gst_structure_get_value (right, "regions"));
  gst_structure_remove_field (a, "regions");
  gst_structure_remove_field (b, "regions");
  check_same_fields (a, b);
}

/* A printed structure, as sent to another process, parses to the same fields, and the library reads them as before. */
static void
check_printed (const GstStructure *structure)
{
  g_autofree gchar *text = gst_structure_to_string (structure);
  g_autoptr (GstStructure) parsed = gst_structure_from_string (text, NULL);
  g_autoptr (GstCudaHistoResult) result = NULL;

  ck_assert_msg (parsed != NULL, "not parsed: %.200s", text);
  check_same_structures (structure, parsed);
  result = gst_cuda_histo_result_from_structure (parsed);
  check_read (result, parsed);
}

static void
check_event (const GstCudaHistoEvent *event, const GstStructure *structure)
{
  const gchar *ended_by = gst_structure_get_string (structure, "ended-by");

  ck_assert (event != NULL);
  for (guint i = 0; i < G_N_ELEMENTS (event_members); i++) {
    ck_assert_msg (find_listed (OF_EVENT, event_members[i].name) != NULL, "%s", event_members[i].name);
    check_member (event, &event_members[i], gst_structure_get_value (structure, event_members[i].name));
  }
  ck_assert (g_strcmp0 (event->ended_by, ended_by) == 0);
  for (gint i = 0; i < gst_structure_n_fields (structure); i++) {
    const gchar *name = gst_structure_nth_field_name (structure, (guint)i);

    check_value (gst_cuda_histo_event_get_field (event, name), gst_structure_get_value (structure, name));
    see (OF_EVENT, name);
  }
  ck_assert (gst_cuda_histo_event_get_field (event, "no such field") == NULL);
}

/* ---- what the element writes ---------------------------------------------------------------------------------------- */

/* Warnings name the parts of EVERYTHING that a format lacks. */
static GstMessage *
pop_written (GstBus *bus)
{
  GstMessage *message;

  while (GST_MESSAGE_TYPE (message = pop_message (bus)) == GST_MESSAGE_WARNING)
    gst_message_unref (message);
  return message;
}

/* Takes the next message: a result, or an event (FALSE). */
static gboolean
check_message (GstBus *bus)
{
  GstMessage *message = pop_written (bus);
  g_autoptr (GstCudaHistoResult) result = gst_cuda_histo_result_from_message (message);
  GstCudaHistoEvent *event = gst_cuda_histo_event_from_message (message);

  ck_assert ((result == NULL) != (event == NULL));
  if (result != NULL)
    check_result (result, gst_message_get_structure (message));
  else
    check_event (event, gst_message_get_structure (message));
  gst_message_unref (message);
  if (event != NULL) {
    gst_cuda_histo_event_unref (event);
    return FALSE;
  }
  return TRUE;
}

/* The next output buffer has a result. */
static void
check_buffer (Rig *rig)
{
  g_autoptr (GstBuffer) buffer = gst_harness_pull (rig->harness);
  g_autoptr (GstCudaHistoResult) result = gst_cuda_histo_result_from_buffer (buffer);

  check_result (result, get_meta (buffer));
  ck_assert (GST_MINI_OBJECT_REFCOUNT_VALUE (buffer) == 1);
}

static GstBuffer *
make_picture (const GstVideoInfo *info, guint index)
{
  g_autofree guint8 *data = g_malloc (info->size);

  fill_random (data, info->size);
  return make_buffer (data, info->size, index * GST_SECOND / 25, GST_SECOND / 25);
}

/* All fields for a buffer. */
static void
add_metas (GstBuffer *buffer)
{
  g_autoptr (GstCaps) clock = gst_caps_new_empty_simple ("timestamp/x-ntp");
  GstVideoRegionOfInterestMeta *face = gst_buffer_add_video_region_of_interest_meta (buffer, "face", 4, 4, 8, 8);

  crop_buffer (buffer, 2, 2, 36, 20);
  face->id = 7;
  face->parent_id = 3;
  gst_buffer_add_reference_timestamp_meta (buffer, clock, 3900000000000000001, GST_CLOCK_TIME_NONE);
  gst_buffer_add_video_time_code_meta_full (buffer, 25, 1, NULL, GST_VIDEO_TIME_CODE_FLAGS_NONE, 10, 59, 58, 7, 0);
}

#define EVERYTHING                                                                                                        \
  "input-name=film input-sampling=head dot=previous metering=center waveform-columns=4 regions=0,0,8,4;8,4,16,16 "        \
  "region-metas=true events=black statistics="                                                                            \
  "histogram+saturation+hue+difference+outliers+repeats+broadcast-range+used-bits+gamut+comparison+row-sums+column-sums+" \
  "active-picture+waveform+vectorscope "

static void
run_pictures (const gchar *format, const gchar *properties, gboolean has_metas)
{
  g_autofree gchar *line = g_strdup_printf (EVERYTHING "add-meta=true %s", properties);
  g_autofree gchar *caps = g_strdup_printf ("video/x-raw,format=%s,width=40,height=24,framerate=25/1", format);
  g_autoptr (GstCaps) parsed = gst_caps_from_string (caps);
  GstVideoInfo info;

  ck_assert (gst_video_info_from_caps (&info, parsed));
  g_auto (Rig) rig = open_video (line, caps);
  for (guint i = 0; i < 3; i++) {
    GstBuffer *buffer = make_picture (&info, i);

    if (has_metas)
      add_metas (buffer);
    ck_assert_int_eq (gst_harness_push (rig.harness, buffer), GST_FLOW_OK);
    ck_assert (check_message (rig.bus));
    check_buffer (&rig);
  }
}

static const gchar *const carriers[] = {
  "message-arrays=all",
  "message-arrays=packed",
  "message-arrays=histograms",
  "message-arrays=none",
  "message-arrays=packed bins=native",
  "message-arrays=all bins=native",
};

static void
run_bytes (const gchar *properties)
{
  g_autofree gchar *line = g_strdup_printf ("window=buffer add-meta=true %s", properties);
  guint8 data[1000];
  g_auto (Rig) rig = open_bytes (line, NULL);

  for (guint i = 0; i < 3; i++) {
    fill_random (data, sizeof data);
    push_bytes (&rig, data, sizeof data);
    ck_assert (check_message (rig.bus));
    check_buffer (&rig);
  }
}

/* The fields of damage: a frame, and a missing frame before it. */
static void
run_damaged (const gchar *properties)
{
  g_autofree gchar *line = g_strdup_printf ("input-name=film input-sampling=head events=damaged add-meta=true %s", properties);
  GstVideoInfo info;
  GstBuffer *buffer;

  ck_assert (gst_video_info_set_format (&info, GST_VIDEO_FORMAT_GRAY8, 40, 24));
  g_auto (Rig) rig = open_video (line, "video/x-raw,format=GRAY8,width=40,height=24,framerate=25/1");
  ck_assert (gst_harness_push_event (
      rig.harness, gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM,
                                         gst_structure_new ("cudahisto-damage", "cause", G_TYPE_STRING, "gap", "missing",
                                                            G_TYPE_UINT64, G_GUINT64_CONSTANT (1), NULL))));
  buffer = make_picture (&info, 1);
  GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_CORRUPTED);
  ck_assert_int_eq (gst_harness_push (rig.harness, buffer), GST_FLOW_OK);
  ck_assert (check_message (rig.bus));
  check_buffer (&rig);
  push_eos (&rig);
  ck_assert (!check_message (rig.bus));
}

/* The fields of a result of a field: both, in messages, and the last in metas. */
static void
run_fields (const gchar *properties)
{
  g_autofree gchar *line = g_strdup_printf ("fields=apart add-meta=true %s", properties);
  GstVideoInfo info;

  ck_assert (gst_video_info_set_format (&info, GST_VIDEO_FORMAT_GRAY8, 40, 24));
  g_auto (Rig) rig = open_video (line, "video/x-raw,format=GRAY8,width=40,height=24,framerate=25/1,interlace-mode=interleaved");
  ck_assert_int_eq (gst_harness_push (rig.harness, make_picture (&info, 0)), GST_FLOW_OK);
  for (guint i = 0; i < 2; i++)
    ck_assert (check_message (rig.bus));
  g_autoptr (GstBuffer) buffer = gst_harness_pull (rig.harness);
  g_autoptr (GstCudaHistoResult) result = gst_cuda_histo_result_from_buffer (buffer);
  ck_assert_uint_eq (result->frame, 1);
  ck_assert_uint_eq (result->height, 12);
}

/* The fields of a comparison with a reference. */
static void
run_compared (const gchar *properties)
{
  const gchar *path = make_path ("reference.mkv");
  g_autofree gchar *line = g_strdup_printf ("reference-location=%s %s", path, properties);

  free_results (run_line (NULL,
                          "videotestsrc num-buffers=3 pattern=ball ! video/x-raw,format=I420,width=40,height=24,framerate=25/1 "
                          "! matroskamux ! filesink location=%s",
                          path));
  run_pictures ("I420", line, FALSE);
}

static void
run_events (void)
{
  guint8 black[40 * 24 * 3 / 2];

  memset (black, 16, 40 * 24);
  memset (black + 40 * 24, 128, sizeof black - 40 * 24);
  g_auto (Rig) rig
      = open_video ("events=black+freeze black-min-duration=40000000 freeze-min-duration=40000000 post-messages=false",
                    "video/x-raw,format=I420,width=40,height=24,framerate=25/1");
  for (guint i = 0; i < 5; i++)
    push_timed (&rig, black, sizeof black, i * GST_SECOND / 25, GST_SECOND / 25);
  push_eos (&rig);
  for (guint i = 0; i < 4; i++) /* each begins and ends */
    ck_assert (!check_message (rig.bus));
  check_bus_empty (rig.bus);
}

/* A field of GStreamer 1.24: made by hand, since the element only writes it with that version. */
static void
run_detection (void)
{
  g_autoptr (GstStructure) structure = gst_structure_from_string (
      "cudahisto, element=eye, regions=< (GstStructure)\"region, x=(uint)1, y=(uint)2, width=(uint)3, height=(uint)4, "
      "id=(int)5, type=(string)cat, confidence=(double)0.5\" >;",
      NULL);
  g_autoptr (GstCudaHistoResult) result = gst_cuda_histo_result_from_structure (structure);

  check_result (result, structure);
  ck_assert (gst_cuda_histo_result_get_number (result->regions->data, "confidence") == 0.5);
}

/* Every field of the tables occurs, in each form. */
TEST (test_every_field)
{
  static const gchar *const formats[] = { "I420", "GRAY8", "RGB", "BGRA", "RGB8P", "I420_10LE", "GBR_12LE" };

  read_list ();
  for (guint c = 0; c < G_N_ELEMENTS (carriers); c++) {
    for (guint f = 0; f < G_N_ELEMENTS (formats); f++)
      run_pictures (formats[f], carriers[c], c % 2 == 0);
    run_bytes (carriers[c]);
    run_damaged (carriers[c]);
    run_fields (carriers[c]);
    run_compared (carriers[c]);
  }
  run_pictures ("P010_10LE,colorimetry=bt2100-pq", "statistics=basic+light+active-picture message-arrays=all", FALSE);
  run_pictures ("RGB", "statistics=basic+luma message-arrays=all", FALSE);
  run_events ();
  run_detection ();
  for (guint i = 0; i < listed->len; i++) {
    const Listed *field = &g_array_index (listed, Listed, i);

    ck_assert_msg (field->is_seen, "%s (%d) is in docs/messages.md, and was in no result", field->name, (int)field->kind);
  }
  forget_list ();
}

TEST (test_main_component)
{
  static const struct {
    const gchar *format, *name;
  } formats[] = { { "I420", "Y" }, { "GRAY8", "GRAY" }, { "BGRx", "G" }, { "VUYA", "Y" } };
  g_autoptr (GstStructure) bytes = gst_structure_new ("cudahisto", "byte-count", G_TYPE_UINT64, (guint64)3, NULL);
  g_autoptr (GstStructure) none = gst_structure_new ("cudahisto", "ABC-count", G_TYPE_UINT64, (guint64)3, NULL);
  GstCudaHistoResult *result;

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    g_autolist (GstStructure) results
        = run_line (NULL, "videotestsrc num-buffers=1 ! video/x-raw,format=%s ! cudahisto %s ! fakesink", formats[i].format,
                    get_backend_words ());

    result = gst_cuda_histo_result_from_structure (results->data);
    ck_assert_str_eq (gst_cuda_histo_result_get_main_component (result)->name, formats[i].name);
    gst_cuda_histo_result_unref (result);
  }
  result = gst_cuda_histo_result_from_structure (bytes);
  ck_assert_str_eq (gst_cuda_histo_result_get_main_component (result)->name, "byte");
  gst_cuda_histo_result_unref (result);
  result = gst_cuda_histo_result_from_structure (none);
  ck_assert (gst_cuda_histo_result_get_main_component (result) == NULL);
  gst_cuda_histo_result_unref (result);
}

/* ---- several results on a buffer ------------------------------------------------------------------------------------ */

static void
add_result (GstBuffer *buffer, const gchar *element, guint64 frame)
{
  GstCustomMeta *meta = gst_buffer_add_custom_meta (buffer, "GstCudaHistoMeta");

  gst_structure_set (gst_custom_meta_get_structure (meta), "element", G_TYPE_STRING, element, "frame", G_TYPE_UINT64, frame,
                     NULL);
}

static void
check_taken (GstCudaHistoResult *result, guint64 frame)
{
  ck_assert (result != NULL);
  ck_assert_uint_eq (result->frame, frame);
  gst_cuda_histo_result_unref (result);
}

TEST (test_several)
{
  static const gchar *tags[] = { "video", NULL };
  g_autoptr (GstElement) element G_GNUC_UNUSED = make_element (""); /* it registers its meta */
  g_autoptr (GstBuffer) buffer = gst_buffer_new (), copy = NULL;
  GstVideoCropMeta *crop;
  GList *results;

  gst_meta_register_custom ("GstOtherMeta", tags, NULL, NULL, NULL);
  ck_assert (gst_cuda_histo_result_from_buffer (buffer) == NULL);
  ck_assert (gst_cuda_histo_buffer_get_results (buffer) == NULL);
  gst_buffer_add_custom_meta (buffer, "GstOtherMeta");
  ck_assert (gst_cuda_histo_result_from_buffer (buffer) == NULL);

  add_result (buffer, "front", 1);
  crop = gst_buffer_add_video_crop_meta (buffer);
  crop->x = 1;
  add_result (buffer, "middle", 2);
  add_result (buffer, "front", 3); /* from another bin's element */
  add_result (buffer, "back", 4);
  gst_buffer_add_custom_meta (buffer, "GstOtherMeta");
  copy = gst_buffer_copy (buffer);
  for (guint i = 0; i < 2; i++) {
    GstBuffer *read = i == 0 ? buffer : copy;

    check_taken (gst_cuda_histo_result_from_buffer (read), 4);
    check_taken (gst_cuda_histo_buffer_find_result (read, "middle"), 2);
    check_taken (gst_cuda_histo_buffer_find_result (read, "front"), 3);
    ck_assert (gst_cuda_histo_buffer_find_result (read, "nobody") == NULL);
    results = gst_cuda_histo_buffer_get_results (read);
    ck_assert_uint_eq (g_list_length (results), 4);
    for (GList *item = results; item != NULL; item = item->next)
      ck_assert_uint_eq (((GstCudaHistoResult *)item->data)->frame, 1 + (guint64)g_list_position (results, item));
    g_list_free_full (results, (GDestroyNotify)gst_cuda_histo_result_unref);
  }
}

/* ---- references ----------------------------------------------------------------------------------------------------- */

static GstCudaHistoResult *
make_result (void)
{
  guint64 *counters = g_new0 (guint64, 256);
  GValue regions = G_VALUE_INIT, region = G_VALUE_INIT;
  g_autoptr (GstStructure) structure = NULL;
  g_autoptr (GBytes) bytes = NULL;

  counters[0] = GUINT64_TO_LE (11);
  bytes = g_bytes_new_take (counters, 256 * sizeof *counters);
  structure
      = gst_structure_new ("cudahisto", "element", G_TYPE_STRING, "here", "Y-count", G_TYPE_UINT64, (guint64)5, "Y-mean",
                           G_TYPE_DOUBLE, 2.5, "Y-histogram", G_TYPE_BYTES, bytes, "U-count", G_TYPE_UINT64, (guint64)6, NULL);
  g_value_init (&region, GST_TYPE_STRUCTURE);
  g_value_take_boxed (&region, gst_structure_new ("region", "x", G_TYPE_UINT, 3, "V-count", G_TYPE_UINT64, (guint64)7,
                                                  "V-histogram", G_TYPE_BYTES, bytes, NULL));
  gst_value_array_init (&regions, 1);
  gst_value_array_append_and_take_value (&regions, &region);
  gst_structure_take_value (structure, "regions", &regions);
  return gst_cuda_histo_result_from_structure (structure);
}

static void
check_counters (const GstCudaHistoComponent *component)
{
  gsize n_bins;
  const guint64 *counters = gst_cuda_histo_component_get_histogram (component, &n_bins);

  ck_assert_uint_eq (n_bins, 256);
  ck_assert_uint_eq (counters[0], 11);
}

/* A component and a region keep the whole result alive, also as values and as boxed copies. valgrind and the address sanitizer
 * detect memory that is freed too early or never. */
TEST (test_references)
{
  GstCudaHistoResult *result = make_result (), *region;
  GstCudaHistoComponent *component, *boxed;
  GValue value = G_VALUE_INIT;

  component = gst_cuda_histo_component_ref (gst_cuda_histo_result_find_component (result, "Y"));
  gst_cuda_histo_result_unref (result);
  check_counters (component);
  boxed = g_boxed_copy (GST_TYPE_CUDA_HISTO_COMPONENT, component);
  gst_cuda_histo_component_unref (component);
  check_counters (boxed);
  g_boxed_free (GST_TYPE_CUDA_HISTO_COMPONENT, boxed);

  result = make_result ();
  region = gst_cuda_histo_result_ref (result->regions->data);
  g_value_init (&value, GST_TYPE_CUDA_HISTO_RESULT);
  g_value_set_boxed (&value, region);
  gst_cuda_histo_result_unref (result);
  component = gst_cuda_histo_component_ref (gst_cuda_histo_result_get_component (region, 0));
  gst_cuda_histo_result_unref (region);
  ck_assert_uint_eq (((GstCudaHistoResult *)g_value_get_boxed (&value))->x, 3);
  ck_assert_str_eq (((GstCudaHistoResult *)g_value_get_boxed (&value))->element, "here");
  g_value_unset (&value);
  check_counters (component);
  gst_cuda_histo_component_unref (component);
}

enum { N_THREADS = 4, N_TURNS = 2000 };

static gpointer
read_result (gpointer data)
{
  for (guint i = 0; i < N_TURNS; i++) {
    GstCudaHistoResult *result = gst_cuda_histo_result_ref (data);
    g_autoptr (GstCudaHistoComponent) component
        = gst_cuda_histo_component_ref (gst_cuda_histo_result_get_main_component (result));

    gst_cuda_histo_result_unref (result);
    check_counters (component);
    ck_assert (gst_cuda_histo_component_get_number (component, "mean") == 2.5 && component->mean == 2.5);
    ck_assert (gst_cuda_histo_component_get_field (component, "psnr") == NULL);
  }
  gst_cuda_histo_result_unref (data);
  return NULL;
}

/* Threads read one result. The last one frees it. */
TEST (test_threads)
{
  for (guint turn = 0; turn < 5; turn++) {
    GstCudaHistoResult *result = make_result ();
    GThread *threads[N_THREADS];

    for (guint i = 0; i < N_THREADS; i++)
      threads[i] = g_thread_new ("reader", read_result, gst_cuda_histo_result_ref (result));
    gst_cuda_histo_result_unref (result);
    for (guint i = 0; i < N_THREADS; i++)
      g_thread_join (threads[i]);
  }
}

/* Objects that bindings make for a type: they are empty, and can be copied and freed. */
TEST (test_new)
{
  GstCudaHistoResult *result = gst_cuda_histo_result_new ();
  GstCudaHistoComponent *component = gst_cuda_histo_component_new ();
  GstCudaHistoEvent *event = gst_cuda_histo_event_new ();
  const struct {
    GType type;
    gpointer boxed;
  } objects[] = { { GST_TYPE_CUDA_HISTO_RESULT, result },
                  { GST_TYPE_CUDA_HISTO_COMPONENT, component },
                  { GST_TYPE_CUDA_HISTO_EVENT, event } };
  guint r[4];
  gsize n = 9;

  ck_assert (result->components == NULL && result->regions == NULL && result->framerate_d == 1);
  ck_assert (result->timestamp == GST_CLOCK_TIME_NONE && result->frame == 0);
  ck_assert_str_eq (result->element, "");
  ck_assert (gst_cuda_histo_result_get_main_component (result) == NULL);
  ck_assert (gst_cuda_histo_result_get_field (result, "element") == NULL);
  ck_assert (!gst_cuda_histo_result_get_rectangle (result, "crop", &r[0], &r[1], &r[2], &r[3]));
  ck_assert (gst_cuda_histo_result_get_vectorscope (result, &n) == NULL && n == 0);
  ck_assert_str_eq (component->name, "");
  ck_assert (component->count == 0 && isnan (component->mean));
  ck_assert (gst_cuda_histo_component_get_field (component, "count") == NULL);
  ck_assert (gst_cuda_histo_component_get_histogram_bytes (component) == NULL);
  ck_assert_str_eq (event->kind, "");
  ck_assert (event->start == GST_CLOCK_TIME_NONE && event->ended_by == NULL && isnan (event->value));
  ck_assert (gst_cuda_histo_event_get_field (event, "start") == NULL);
  for (guint i = 0; i < G_N_ELEMENTS (objects); i++) {
    gpointer copy = g_boxed_copy (objects[i].type, objects[i].boxed);

    g_boxed_free (objects[i].type, objects[i].boxed);
    g_boxed_free (objects[i].type, copy);
  }
}

/* ---- what no element writes ----------------------------------------------------------------------------------------- */

static GstCudaHistoResult *
parse_result (const gchar *text)
{
  g_autoptr (GstStructure) structure = gst_structure_from_string (text, NULL);

  ck_assert_msg (structure != NULL, "%s", text);
  return gst_cuda_histo_result_from_structure (structure);
}

/* Arrays of versions before 0.2 have no padding. An array with other padding than the element's is not read. */
TEST (test_padding)
{
  static const gchar text[] = "ABCDEFGHIJKLMNOPxxxxxxx";

  for (gsize size = 16; size < 24; size++) {
    GBytes *bytes = g_bytes_new (text, size), *read;
    g_autoptr (GstStructure) structure = gst_structure_new ("cudahisto", "Y-count", G_TYPE_UINT64, (guint64)1, "Y-histogram",
                                                            G_TYPE_BYTES, bytes, "hue-histogram", G_TYPE_BYTES, bytes, NULL);
    GstCudaHistoResult *result = gst_cuda_histo_result_from_structure (structure);
    const GstCudaHistoComponent *luma = gst_cuda_histo_result_get_component (result, 0);
    gsize n;
    const guint64 *counters = gst_cuda_histo_component_get_histogram (luma, &n);

    ck_assert_uint_eq (n, size <= 18 ? 2 : 0);
    ck_assert (gst_cuda_histo_result_get_hue_histogram (result, NULL) == counters);
    read = gst_cuda_histo_component_get_histogram_bytes (luma);
    gst_cuda_histo_result_unref (result);
    g_bytes_unref (bytes);
    if (size <= 18) {
      ck_assert (counters[0] == GST_READ_UINT64_LE (text) && counters[1] == GST_READ_UINT64_LE (text + 8));
      ck_assert (g_bytes_get_size (read) == 16 && g_bytes_get_data (read, NULL) == counters);
      g_bytes_unref (read);
    } else {
      ck_assert (counters == NULL && read == NULL);
    }
  }
}

/* Fields of other types and sizes are absent. */
TEST (test_strange_structures)
{
  GstCudaHistoResult *result = parse_result ("cudahisto;");
  const GstCudaHistoComponent *component;
  g_autoptr (GstStructure) structure = NULL;
  guint r[4];
  g_autoptr (GBytes) bytes = NULL, part = NULL;
  gsize n;

  ck_assert (result->components == NULL && result->regions == NULL && result->timestamp == GST_CLOCK_TIME_NONE);
  ck_assert_str_eq (result->element, "");
  ck_assert (result->framerate_n == 0 && result->framerate_d == 1);
  gst_cuda_histo_result_unref (result);

  result
      = parse_result ("cudahisto, element=(int)3, width=(string)wide, height=(int)-1, depth=(guint64)4294967297, frame=(int)7,"
                      "frames=(gint64)-2, duration=(double)1.5, regions=(int)1, active-picture=(uint)< 1, 2, 3 >,"
                      "crop=(int)< 1, 2, 3, 4 >, vectorscope=(guint64)< 1, 2 >, Y-count=(string)many, Y-mean=(int)2,"
                      "Y-min=(int)5, Y-histogram=(string)none, Y-waveform=(guint64)< 1, 2, 3 >, Y-row-sums=(gint64)< -1, 2 >,"
                      "Y-column-sums=(guint64)< >, U-mean=(double)1, count=(guint64)3, is-so=(boolean)true;");
  ck_assert_str_eq (result->element, "");
  ck_assert (result->width == 0 && result->height == 0 && result->depth == 0 && result->frame == 7 && result->frames == 0);
  ck_assert (result->duration == GST_CLOCK_TIME_NONE && result->regions == NULL && g_list_length (result->components) == 1);
  ck_assert (!gst_cuda_histo_result_get_rectangle (result, "active-picture", &r[0], &r[1], &r[2], &r[3]) && r[0] == 0);
  ck_assert (!gst_cuda_histo_result_get_rectangle (result, "crop", &r[0], &r[1], &r[2], &r[3]) && r[3] == 0);
  ck_assert (gst_cuda_histo_result_get_vectorscope (result, &n) == NULL && n == 0);
  ck_assert (isnan (gst_cuda_histo_result_get_number (result, "is-so")));
  component = gst_cuda_histo_result_get_component (result, 0);
  ck_assert (component->count == 0 && component->mean == 2 && component->min == 5 && isnan (component->variance));
  ck_assert (gst_cuda_histo_component_get_histogram (component, &n) == NULL && n == 0);
  ck_assert (gst_cuda_histo_component_get_waveform (component, &n) == NULL && n == 0);
  ck_assert (gst_cuda_histo_component_get_row_sums (component, &n)[0] == -1 && n == 2);
  ck_assert (gst_cuda_histo_component_get_column_sums (component, &n) == NULL && n == 0);
  ck_assert (isnan (gst_cuda_histo_component_get_number (component, "histogram")));
  gst_cuda_histo_result_unref (result);

  /* Rows of other lengths, and rows mixed with numbers. */
  result = parse_result (
      "cudahisto, Y-count=(guint64)1, Y-waveform=< (guint64)< 1, 2 >, (guint64)< 3 > >, Y-histogram=< (guint64)1,"
      "(guint64)< 2 > >, regions=< (int)1, (int)2 >;");
  component = gst_cuda_histo_result_get_component (result, 0);
  ck_assert (gst_cuda_histo_component_get_waveform (component, &n) == NULL && n == 0);
  ck_assert (gst_cuda_histo_component_get_histogram (component, &n) == NULL && n == 0);
  ck_assert (result->regions == NULL);
  gst_cuda_histo_result_unref (result);

  /* A GBytes that is part of another one begins at any address, and may not contain whole numbers. */
  bytes = g_bytes_new_static ("xABCDEFGHIJKLMNOPxxx", 20);
  part = g_bytes_new_from_bytes (bytes, 1, 16);
  structure = gst_structure_new ("GstCudaHistoMeta", "Y-count", G_TYPE_UINT64, (guint64)1, "Y-histogram", G_TYPE_BYTES, part,
                                 "Y-row-sums", G_TYPE_BYTES, bytes, "Y-column-sums", G_TYPE_BYTES, NULL, NULL);
  result = gst_cuda_histo_result_from_structure (structure);
  component = gst_cuda_histo_result_get_component (result, 0);
  ck_assert (gst_cuda_histo_component_get_histogram (component, &n)[1] == GST_READ_UINT64_LE ("IJKLMNOP") && n == 2);
  ck_assert_uint_eq ((guintptr)gst_cuda_histo_component_get_histogram (component, NULL) % sizeof (guint64), 0);
  ck_assert (gst_cuda_histo_component_get_row_sums (component, &n) == NULL && n == 0);
  ck_assert (gst_cuda_histo_component_get_column_sums (component, &n) == NULL && n == 0);
  gst_cuda_histo_result_unref (result);
}

/* Messages and structures of other kinds contain neither a result nor an event. */
TEST (test_other_messages)
{
  GstMessage *messages[] = {
    gst_message_new_eos (NULL),
    gst_message_new_element (NULL, gst_structure_new_empty ("level")),
    gst_message_new_element (NULL, gst_structure_new_empty ("cudahisto-stats")),
    gst_message_new_application (NULL, gst_structure_new_empty ("cudahisto")),
    gst_message_new_application (NULL, gst_structure_new_empty ("cudahisto-event")),
  };
  g_autoptr (GstStructure) structure = gst_structure_new_empty ("cudahisto-event");
  GstCudaHistoEvent *event;

  for (guint i = 0; i < G_N_ELEMENTS (messages); i++) {
    ck_assert (gst_cuda_histo_result_from_message (messages[i]) == NULL);
    ck_assert (gst_cuda_histo_event_from_message (messages[i]) == NULL);
    gst_message_unref (messages[i]);
  }
  ck_assert (gst_cuda_histo_result_from_structure (structure) == NULL);
  event = gst_cuda_histo_event_from_structure (structure);
  ck_assert (event->ended_by == NULL && event->start == GST_CLOCK_TIME_NONE && isnan (event->value));
  ck_assert_str_eq (event->kind, "");
  gst_cuda_histo_event_unref (gst_cuda_histo_event_ref (event));
  g_boxed_free (GST_TYPE_CUDA_HISTO_EVENT, event);
}

RIG_MAIN (NULL)
