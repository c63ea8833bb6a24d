/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* `cudahisto show`: prints a sidecar as a table and a histogram. */

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/command.h"
#include "fields/fields.h"
#include "lines/values.h"
#include "lines/follow.h"
#include "output/output.h"
#include "lines/reader.h"
#include "lines/schema.h"
#include "formats/table.h"
#include "common/terminal.h"

#define USUAL_ROWS 12

typedef struct {
  Reader *reader;
  guint64 most;                   /* limit of printed results, and of printed events */
  guint64 results, events, shown; /* number of each, and of those printed */
  const gchar *wanted;            /* the component whose histogram is drawn; NULL: the first of the first result */
  gchar *component;
  gboolean has_component; /* a result has that component */
  guint64 *counters;      /* sum of its bins over all results with the same number of bins */
  gsize n_counters;
  guint max;
  GHashTable *backends; /* names */
} Show;

static void
show_add_histogram (Show *show, const GstStructure *result, const gchar *const *components)
{
  gsize n_counters;
  const guint64 *counters;
  guint64 depth = 0;

  if (show->component == NULL) {
    const gchar *component = show->wanted != NULL ? show->wanted : components[0];

    if (component == NULL)
      return;
    show->component = g_strdup (component);
  }
  show->has_component |= g_strv_contains (components, show->component);
  counters = values_get_array (result, show->component, field_describe (FIELD_ID_HISTOGRAM)->name, &n_counters);
  if (counters == NULL || n_counters == 0 || (show->counters != NULL && n_counters != show->n_counters))
    return;
  if (show->counters == NULL) {
    show->counters = g_new0 (guint64, n_counters);
    show->n_counters = n_counters;
    values_get_uint64 (result, NULL, "depth", &depth);
    show->max = depth >= 8 && depth <= 16 ? (1u << depth) - 1 : (guint)n_counters - 1;
  }
  for (gsize i = 0; i < n_counters; i++) {
    const guint64 sum = GUINT64_FROM_LE (show->counters[i]) + GUINT64_FROM_LE (counters[i]);

    show->counters[i] = GUINT64_TO_LE (sum < GUINT64_FROM_LE (counters[i]) ? G_MAXUINT64 : sum);
  }
}

static void
show_take_line (Show *show, LinesKind kind, const GstStructure *structure)
{
  const gchar *const *components = lines_get_components (reader_get_lines (show->reader));
  guint64 *count = kind == LINES_EVENT ? &show->events : &show->results;
  const gchar *backend = values_get_string (structure, NULL, "backend");

  if (++*count <= show->most) {
    if (show->shown++ == 0)
      table_print_header ();
    if (kind == LINES_EVENT)
      table_print_event (structure);
    else
      table_print_result (structure, components);
  }
  if (kind == LINES_EVENT)
    return;
  show_add_histogram (show, structure, components);
  if (backend != NULL)
    g_hash_table_add (show->backends, g_strdup (backend));
}

static void
show_print_backends (Show *show)
{
  g_autoptr (GList) names = g_list_sort (g_hash_table_get_keys (show->backends), (GCompareFunc)strcmp);
  g_autoptr (GString) text = g_string_new (NULL);

  for (const GList *name = names; name != NULL; name = name->next)
    g_string_append_printf (text, "%s%s", text->len > 0 ? ", " : "", (const gchar *)name->data);
  if (names != NULL) {
    putchar ('\n');
    table_print ("counted by: %s", text->str);
  }
}

/* Prints what follows the lines: notes, and the histogram of all results. */
static CommandStatus
show_print_end (Show *show)
{
  const guint64 others = reader_count_of_other_versions (show->reader);
  const guint64 more = show->results + show->events - show->shown;
  const gboolean is_torn = lines_ends_within_line (reader_get_lines (show->reader));
  CommandStatus status = reader_finish (show->reader);

  if (more > 0)
    table_print ("... and %" G_GUINT64_FORMAT " more", more);
  if (others > 0)
    table_print ("... and %" G_GUINT64_FORMAT " of a version other than %d, which cannot be read", others, SCHEMA_VERSION);
  if (is_torn)
    table_print ("... and an incomplete line: it is being written, or was cut off");
  if (show->shown + more == 0 && status == COMMAND_OK && !is_torn)
    table_print ("no results: the stream was empty");
  if (show->results == 0)
    return status;
  if (show->counters != NULL)
    table_draw_histogram (show->component, show->counters, show->n_counters, show->max);
  show_print_backends (show);
  if (show->wanted != NULL && !show->has_component)
    status = command_fail ("no result has a component \"%s\"", show->wanted);
  else if (show->wanted != NULL && show->counters == NULL)
    command_warn ("the results have no histogram of %s: measure with sidecar-arrays=histograms", show->wanted);
  return status;
}

static CommandStatus
show_file (Show *show)
{
  GstStructure *structure;
  LinesKind kind;

  if (terminal_is_there (STDOUT_FILENO))
    table_set_width (terminal_get_width (STDOUT_FILENO));
  while ((kind = reader_next (show->reader, &structure)) != LINES_END) {
    show_take_line (show, kind, structure);
    gst_structure_free (structure);
    if (ferror (stdout) != 0)
      return COMMAND_OK; /* the flush at the end reports the failure */
  }
  return show_print_end (show);
}

static const gchar description[] = "Prints one row per component of each result and region, then other numbers and\n"
                                   "one line per event. Draws one component's histogram over all results.\n"
                                   "\n"
                                   "  cudahisto show film.jsonl\n"
                                   "  cudahisto show --component=U --rows=3 film.jsonl\n"
                                   "  cudahisto show --follow film.jsonl      while it is written, until Ctrl-C\n"
                                   "  zcat film.jsonl.gz | cudahisto show -";

static CommandStatus
show_run (int argc, char **argv)
{
  Show show = { .most = USUAL_ROWS };
  gboolean is_followed = FALSE;
  gint rows = USUAL_ROWS;
  g_autofree gchar *component = NULL;
  const GOptionEntry entries[] = {
    { "component", 'c', 0, G_OPTION_ARG_STRING, &component, "Histogram to draw: Y, U, R ... (default: the first)", "NAME" },
    { "rows", 'n', 0, G_OPTION_ARG_INT, &rows, "Maximum results, and events, to print (default: 12)", "NUMBER" },
    { "follow", 'f', 0, G_OPTION_ARG_NONE, &is_followed, "Print each result as it is written, until Ctrl-C", NULL },
    G_OPTION_ENTRY_NULL,
  };
  CommandStatus status;
  const gchar *path;

  if (!command_parse (&command_show, entries, description, &argc, &argv, &status))
    return status;
  path = reader_get_path (&command_show, argc, argv);
  if (rows < 0)
    status = command_fail ("--rows=%d: must be 0 or more", rows);
  else if (path == NULL)
    status = COMMAND_ERROR;
  else {
    const gchar *const inputs[] = { path, NULL };

    command_init_structures ();
    show.most = (guint64)rows;
    show.wanted = component;
    show.reader = output_check_standard (inputs) ? reader_open (path) : NULL;
    show.backends = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    if (show.reader == NULL)
      status = COMMAND_ERROR;
    else
      status = is_followed ? follow_file (show.reader, path, component) : show_file (&show);
    reader_close (show.reader);
    g_hash_table_unref (show.backends);
    g_free (show.counters);
    g_free (show.component);
  }
  return status;
}

const Command command_show = {
  .name = "show",
  .usage = "[FILE|-]",
  .summary = "Print a file's results as a table and a histogram",
  .run = show_run,
};
