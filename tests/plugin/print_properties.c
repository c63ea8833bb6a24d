/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Makes the tables of properties, and the lists of flags, in docs/reference.md from the built elements:
 *   print_properties --check FILE   fails if FILE is stale
 *   print_properties --update FILE  updates FILE
 * Each is between two comments:
 *   <!-- properties of ELEMENT -->  or  <!-- flags of ELEMENT PROPERTY -->
 *   <!-- end -->
 * The rows of a table in FILE determine its properties. Each property of an element must be in one table: to add one, write the
 * row "| `name` |" where it belongs, then run --update. */

#include <gst/gst.h>
#include <string.h>

#define PART "(<!-- (properties|flags) of ([a-z]+)(?: ([a-z-]+))? -->\\n)(.*?)(<!-- end -->\\n)"

typedef struct {
  GHashTable *elements; /* the elements of the page, by name */
  GHashTable *rows;     /* "element property" of each row of a table of properties */
  guint parts;
  gboolean is_good;
} Page;

G_GNUC_PRINTF (2, 3)
static void
complain (Page *page, const gchar *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  g_autofree gchar *text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_printerr ("%s\n", text);
  page->is_good = FALSE;
}

/* Returns the element, or NULL if it is not built. */
static GstElement *
find_element (Page *page, const gchar *name)
{
  GstElement *element = g_hash_table_lookup (page->elements, name);

  if (element == NULL && (element = gst_element_factory_make (name, NULL)) != NULL)
    g_hash_table_insert (page->elements, g_strdup (name), gst_object_ref_sink (element));
  return element;
}

/* ---- cells ---------------------------------------------------------------------------------------------------------- */

/* Formats a number independently of the locale. Free with g_free(). */
static gchar *
write_double (gdouble number)
{
  gchar text[G_ASCII_DTOSTR_BUF_SIZE];

  return g_strdup (g_ascii_formatd (text, sizeof text, "%g", number));
}

/* Returns the default in gst-launch's syntax. Free with g_free(). */
static gchar *
write_default (GParamSpec *spec)
{
  const GValue *value = g_param_spec_get_default_value (spec);

  if (G_IS_PARAM_SPEC_DOUBLE (spec))
    return write_double (g_value_get_double (value));
  if (g_str_has_suffix (spec->name, "color"))
    return g_strdup_printf ("0x%08X", g_value_get_uint (value));
  return gst_value_serialize (value);
}

static void
append_value (GString *cell, const gchar *nick, gboolean is_default)
{
  const gchar *mark = is_default ? "**" : "";

  g_string_append_printf (cell, "%s%s`%s`%s", cell->len > 0 ? ", " : "", mark, nick, mark);
}

/* Appends "`auto`, `cpu`, `cuda`", with the default in bold. */
static void
append_enum (GString *cell, const GEnumClass *class, gint default_value)
{
  for (guint i = 0; i < class->n_values; i++) {
    if (class->values[i].value >= 0) /* negative: removed */
      append_value (cell, class->values[i].value_nick, class->values[i].value == default_value);
  }
}

/* If the flags are many, the page has a separate list of them. */
static void
append_flags (GString *cell, const GFlagsClass *class, guint default_value)
{
  if (class->n_values > 8)
    g_string_append (cell, "flags");
  for (guint i = 0; i < class->n_values; i++) {
    const gboolean is_default = class->values[i].value == default_value;

    if (class->n_values <= 8 || is_default)
      append_value (cell, class->values[i].value_nick, is_default);
    if (is_default)
      default_value = 0; /* only one is bold: a set may have the same flags */
  }
}

/* Appends the type, the limits and the default. A maximum that is the type's largest value is no limit. */
static void
append_type (GString *cell, GParamSpec *spec)
{
  const GValue *value = g_param_spec_get_default_value (spec);
  const gchar *type = g_type_name (spec->value_type);

  if (G_IS_PARAM_SPEC_ENUM (spec)) {
    append_enum (cell, G_PARAM_SPEC_ENUM (spec)->enum_class, g_value_get_enum (value));
    return;
  }
  if (G_IS_PARAM_SPEC_FLAGS (spec)) {
    append_flags (cell, G_PARAM_SPEC_FLAGS (spec)->flags_class, g_value_get_flags (value));
    return;
  }
  if ((spec->flags & G_PARAM_WRITABLE) == 0)
    g_string_append (cell, "read-only ");
  if (G_IS_PARAM_SPEC_STRING (spec) || G_IS_PARAM_SPEC_BOXED (spec)) {
    g_string_append (cell, G_IS_PARAM_SPEC_STRING (spec) ? "string" : type);
    return;
  }
  g_string_append (cell, type + strlen ("g")); /* gboolean, guint64 */
  if (G_IS_PARAM_SPEC_DOUBLE (spec)) {
    g_autofree gchar *minimum = write_double (G_PARAM_SPEC_DOUBLE (spec)->minimum);
    g_autofree gchar *maximum = write_double (G_PARAM_SPEC_DOUBLE (spec)->maximum);

    g_string_append_printf (cell, " %s–%s", minimum, maximum);
  } else if (G_IS_PARAM_SPEC_UINT (spec) && G_PARAM_SPEC_UINT (spec)->maximum < G_MAXUINT) {
    g_string_append_printf (cell, " %u–%u", G_PARAM_SPEC_UINT (spec)->minimum, G_PARAM_SPEC_UINT (spec)->maximum);
  }
  g_autofree gchar *text = write_default (spec);
  g_string_append_printf (cell, ", **%s**", text);
}

/* ---- tables --------------------------------------------------------------------------------------------------------- */

static void
append_row (Page *page, GString *table, GstElement *element, const gchar *element_name, const gchar *name)
{
  GParamSpec *spec = g_object_class_find_property (G_OBJECT_GET_CLASS (element), name);
  g_autoptr (GString) type = g_string_new (NULL);

  if (spec == NULL) {
    complain (page, "%s has no property %s", element_name, name);
  } else if (!g_hash_table_add (page->rows, g_strdup_printf ("%s %s", element_name, name))) {
    complain (page, "%s of %s is in two rows", name, element_name);
  } else if (strlen (g_param_spec_get_blurb (spec)) >= 100) {
    complain (page, "the blurb of %s of %s has 100 characters or more", name, element_name);
  } else {
    append_type (type, spec);
    g_string_append_printf (table, "| `%s`%s | %s | %s |\n", name, (spec->flags & GST_PARAM_MUTABLE_PLAYING) != 0 ? "\\*" : "",
                            type->str, g_param_spec_get_blurb (spec));
  }
}

/* Appends the rows of `old`, updated. */
static void
append_table (Page *page, GString *table, GstElement *element, const gchar *element_name, const gchar *old)
{
  g_auto (GStrv) lines = g_strsplit (old, "\n", -1);

  g_string_append (table, "| property | values, **default** | |\n| --- | --- | --- |\n");
  for (guint i = 0; lines[i] != NULL; i++) {
    g_auto (GStrv) parts = g_strsplit (lines[i], "`", 3);

    if (g_str_has_prefix (lines[i], "| `") && g_strv_length (parts) == 3)
      append_row (page, table, element, element_name, parts[1]);
  }
}

static void
append_list (Page *page, GString *list, GstElement *element, const gchar *element_name, const gchar *name)
{
  GParamSpec *spec = g_object_class_find_property (G_OBJECT_GET_CLASS (element), name);

  if (spec != NULL && G_IS_PARAM_SPEC_FLAGS (spec)) {
    const GFlagsClass *class = G_PARAM_SPEC_FLAGS (spec)->flags_class;

    for (guint i = 0; i < class->n_values; i++)
      g_string_append_printf (list, "- `%s`: %s\n", class->values[i].value_nick, class->values[i].value_name);
  } else {
    complain (page, "%s has no flags %s", element_name, name);
  }
}

/* Replaces one table or list. Those of an element that is not built stay. */
static gboolean
replace_part (const GMatchInfo *match, GString *result, gpointer user_data)
{
  Page *page = user_data;
  g_autofree gchar *begin = g_match_info_fetch (match, 1), *kind = g_match_info_fetch (match, 2),
                   *name = g_match_info_fetch (match, 3);
  g_autofree gchar *property = g_match_info_fetch (match, 4), *old = g_match_info_fetch (match, 5),
                   *end = g_match_info_fetch (match, 6);
  GstElement *element = find_element (page, name);

  page->parts++;
  g_string_append (result, begin);
  if (element == NULL) {
    g_print ("%s is not built: its properties are not checked\n", name);
    g_string_append (result, old);
  } else {
    g_string_append_c (result, '\n');
    if (strcmp (kind, "properties") == 0)
      append_table (page, result, element, name, old);
    else
      append_list (page, result, element, name, property);
    g_string_append_c (result, '\n');
  }
  g_string_append (result, end);
  return FALSE;
}

/* Inherited properties need no row, and removed ones have none. */
static void
check_rows (Page *page)
{
  GHashTableIter iter;
  gpointer name, element;

  g_hash_table_iter_init (&iter, page->elements);
  while (g_hash_table_iter_next (&iter, &name, &element)) {
    guint n_specs;
    GParamSpec **specs = g_object_class_list_properties (G_OBJECT_GET_CLASS (element), &n_specs);

    for (guint i = 0; i < n_specs; i++) {
      g_autofree gchar *row = g_strdup_printf ("%s %s", (const gchar *)name, specs[i]->name);

      if (specs[i]->owner_type == G_OBJECT_TYPE (element) && (specs[i]->flags & G_PARAM_DEPRECATED) == 0
          && !g_hash_table_contains (page->rows, row))
        complain (page, "%s of %s is in no table", specs[i]->name, (const gchar *)name);
    }
    g_free (specs);
  }
}

static void
process_file (Page *page, const gchar *path, gboolean must_update)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GRegex) regex = g_regex_new (PART, G_REGEX_DOTALL, 0, &error);
  g_autofree gchar *text = NULL, *wanted = NULL;

  g_assert_no_error (error);
  if (!g_file_get_contents (path, &text, NULL, &error)) {
    complain (page, "%s", error->message);
  } else if ((wanted = g_regex_replace_eval (regex, text, -1, 0, 0, replace_part, page, &error)) == NULL) {
    complain (page, "%s: %s", path, error->message);
  } else if (page->parts == 0) {
    complain (page, "%s has no tables of properties", path);
  } else {
    check_rows (page);
    if (page->is_good && strcmp (text, wanted) != 0) {
      if (!must_update)
        complain (page, "The tables in %s are stale. Run `ninja update-reference-doc` in the build folder.", path);
      else if (!g_file_set_contents (path, wanted, -1, &error))
        complain (page, "%s", error->message);
    }
  }
}

int
main (int argc, char **argv)
{
  Page page = { .is_good = TRUE };

  gst_init (&argc, &argv);
  if (argc != 3 || (strcmp (argv[1], "--check") != 0 && strcmp (argv[1], "--update") != 0)) {
    g_printerr ("usage: %s --check FILE | --update FILE\n", argv[0]);
    return 1;
  }
  page.elements = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, gst_object_unref);
  page.rows = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  process_file (&page, argv[2], strcmp (argv[1], "--update") == 0);
  g_hash_table_unref (page.rows);
  g_hash_table_unref (page.elements);
  return page.is_good ? 0 : 1;
}
