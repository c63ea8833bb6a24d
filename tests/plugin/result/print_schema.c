/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Makes the tables of fields of results and events in docs/messages.md:
 *   print_schema               prints them
 *   print_schema --fields      prints a line of JSON for each field
 *   print_schema --check FILE  fails if a table in FILE is stale
 *   print_schema --update FILE updates FILE */

#include <string.h>

#include "fields/fields.h"
#include "result/event.h"
#include "result/schema.h"

typedef struct {
  const gchar *begin, *end; /* the lines around it */
  gchar *(*make) (void);
} Table;

static const Table tables[] = {
  { "<!-- schema begin -->\n", "<!-- schema end -->\n", gst_cuda_histo_schema_to_markdown },
  { "<!-- events begin -->\n", "<!-- events end -->\n", gst_cuda_histo_event_to_markdown },
};

/* Returns the text of the table between its markers, or NULL. */
static gchar *
insert_table (const gchar *text, const Table *table)
{
  const gchar *begin = strstr (text, table->begin);
  const gchar *end = begin != NULL ? strstr (begin, table->end) : NULL;
  g_autofree gchar *head = NULL, *rows = NULL;

  if (end == NULL) {
    g_printerr ("There are no lines \"%.*s\" and \"%.*s\".\n", (gint)strlen (table->begin) - 1, table->begin,
                (gint)strlen (table->end) - 1, table->end);
    return NULL;
  }
  head = g_strndup (text, (gsize)(begin - text));
  rows = table->make ();
  return g_strconcat (head, table->begin, "\n", rows, "\n", end, NULL);
}

/* Returns the text with each table replaced, or NULL. */
static gchar *
insert_tables (const gchar *text)
{
  gchar *result = g_strdup (text);

  for (guint i = 0; i < G_N_ELEMENTS (tables) && result != NULL; i++) {
    gchar *next = insert_table (result, &tables[i]);

    g_free (result);
    result = next;
  }
  return result;
}

static gboolean
process_file (const gchar *path, gboolean must_update)
{
  g_autofree gchar *text = NULL, *wanted = NULL;
  g_autoptr (GError) error = NULL;
  gboolean is_good = FALSE;

  if (!g_file_get_contents (path, &text, NULL, &error)) {
    g_printerr ("%s\n", error->message);
  } else if ((wanted = insert_tables (text)) == NULL) {
    g_printerr ("%s has no place for its tables\n", path);
  } else if (strcmp (text, wanted) == 0) {
    is_good = TRUE;
  } else if (!must_update) {
    g_printerr (
        "The tables in %s are not those of plugin/result/schema.c and event.c. Refresh them with\n  ninja update-messages-doc\n"
        "in the build folder.\n",
        path);
  } else if (g_file_set_contents (path, wanted, -1, &error)) {
    g_print ("%s has the new tables\n", path);
    is_good = TRUE;
  } else {
    g_printerr ("%s\n", error->message);
  }
  return is_good;
}

static void
print_member (const gchar *name, const gchar *text)
{
  if (text != NULL)
    g_print (",\"%s\":\"%s\"", name, text);
}

/* Prints descriptions of all fields, for tests. */
static void
print_fields (void)
{
  for (FieldId id = 1; id < N_FIELDS; id++) {
    const FieldDescription *field = field_describe (id);

    g_print ("{\"name\":\"%s\",\"chart\":%u,\"is-of-component\":%s", field->name, field->chart_order,
             field_is_of_component (field) ? "true" : "false");
    print_member ("group", field_scope_get_group (field->scope));
    print_member ("member", field_get_member (field));
    if (field->formula != NULL) {
      print_member ("dividend", field_describe (field->dividend)->name);
      print_member ("divisor", field_describe (field->divisor)->name);
    }
    g_print ("}\n");
  }
}

int
main (int argc, char **argv)
{
  gboolean is_good = TRUE;

  if (argc == 1) {
    for (guint i = 0; i < G_N_ELEMENTS (tables); i++) {
      g_autofree gchar *rows = tables[i].make ();

      g_print ("%s\n", rows);
    }
  } else if (argc == 2 && strcmp (argv[1], "--fields") == 0) {
    print_fields ();
  } else if (argc == 3 && (strcmp (argv[1], "--check") == 0 || strcmp (argv[1], "--update") == 0)) {
    is_good = process_file (argv[2], strcmp (argv[1], "--update") == 0);
  } else {
    g_printerr ("usage: %s [--fields | --check FILE | --update FILE]\n", argv[0]);
    is_good = FALSE;
  }
  return is_good ? 0 : 1;
}
