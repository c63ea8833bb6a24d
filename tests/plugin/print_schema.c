/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The table of the schema for docs/messages.md:
 *   print_schema               prints it
 *   print_schema --check FILE  fails unless FILE has it between its markers
 *   print_schema --update FILE puts it there */

#include <string.h>

#include "result/schema.h"

#define BEGIN "<!-- schema begin -->\n"
#define END "<!-- schema end -->\n"

/* The text with the table between its markers, or NULL where it has none. */
static gchar *
insert_table (const gchar *text, const gchar *table)
{
  const gchar *begin = strstr (text, BEGIN);
  const gchar *end = begin != NULL ? strstr (begin, END) : NULL;
  gchar *head, *result;

  if (end == NULL)
    return NULL;
  head = g_strndup (text, (gsize)(begin - text));
  result = g_strconcat (head, BEGIN "\n", table, "\n", end, NULL);
  g_free (head);
  return result;
}

static gboolean
process_file (const gchar *path, const gchar *table, gboolean must_update)
{
  gchar *text = NULL, *wanted = NULL;
  GError *error = NULL;
  gboolean is_good = FALSE;

  if (!g_file_get_contents (path, &text, NULL, &error)) {
    g_printerr ("%s\n", error->message);
  } else if ((wanted = insert_table (text, table)) == NULL) {
    g_printerr ("%s has no lines \"%.*s\" and \"%.*s\"\n", path, (gint)strlen (BEGIN) - 1, BEGIN, (gint)strlen (END) - 1, END);
  } else if (strcmp (text, wanted) == 0) {
    is_good = TRUE;
  } else if (!must_update) {
    g_printerr ("The table in %s is not the one of plugin/result/schema.c. Refresh it with\n  ninja update-messages-doc\n"
                "in the build directory.\n",
                path);
  } else if (g_file_set_contents (path, wanted, -1, &error)) {
    g_print ("%s has the new table\n", path);
    is_good = TRUE;
  } else {
    g_printerr ("%s\n", error->message);
  }
  g_clear_error (&error);
  g_free (wanted);
  g_free (text);
  return is_good;
}

int
main (int argc, char **argv)
{
  gchar *table = gst_cuda_histo_schema_to_markdown ();
  gboolean is_good = TRUE;

  if (argc == 1) {
    g_print ("%s", table);
  } else if (argc == 3 && (strcmp (argv[1], "--check") == 0 || strcmp (argv[1], "--update") == 0)) {
    is_good = process_file (argv[2], table, strcmp (argv[1], "--update") == 0);
  } else {
    g_printerr ("usage: %s [--check FILE | --update FILE]\n", argv[0]);
    is_good = FALSE;
  }
  g_free (table);
  return is_good ? 0 : 1;
}
