/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "common/command.h"

#include <errno.h>
#include <gst/gst.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "decoding/location.h"
#include "common/terminal.h"

#define ELEMENT "cudahisto"

/* GLib's messages differ in their first letter and full stop. */
static CommandStatus
command_fail_to_parse (const Command *command, const GError *error)
{
  g_autofree gchar *text = g_strdup (error->message);
  const gsize length = strlen (text);

  if (g_str_has_prefix (text, "Unknown option"))
    text[0] = 'u';
  if (length > 0 && text[length - 1] == '.')
    text[length - 1] = '\0';
  return command_fail ("%s: %s. Run `cudahisto %s --help`.", command->name, text, command->name);
}

gboolean
command_parse (const Command *command, const GOptionEntry *entries, const gchar *description, int *argc, char ***argv,
               CommandStatus *status)
{
  g_autofree gchar *program = g_strdup_printf ("cudahisto %s", command->name);
  g_autofree gchar *summary = g_strdup_printf ("%s.\n\n%s", command->summary, description);
  GOptionContext *context = g_option_context_new (command->usage);
  g_autoptr (GError) error = NULL;
  gboolean wants_help = FALSE;
  const GOptionEntry help[]
      = { { "help", 'h', 0, G_OPTION_ARG_NONE, &wants_help, "Print this help", NULL }, G_OPTION_ENTRY_NULL };
  gboolean goes_on;

  g_set_prgname (program); /* the name in the help */
  g_option_context_set_help_enabled (context, FALSE);
  g_option_context_set_summary (context, summary);
  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_add_main_entries (context, help, NULL);
  goes_on = g_option_context_parse (context, argc, argv, &error);
  *status = COMMAND_OK;
  if (!goes_on) {
    *status = command_fail_to_parse (command, error);
  } else if (wants_help) {
    g_autofree gchar *text = g_option_context_get_help (context, TRUE, NULL);

    g_print ("%s", text); /* in the locale's encoding */
    *status = command_finish_output (COMMAND_OK);
    goes_on = FALSE;
  }
  g_set_prgname ("cudahisto");
  g_option_context_free (context);
  /* GLib does not remove "--" if an argument after it looks like an option. */
  if (*argc > 1 && strcmp ((*argv)[1], "--") == 0) {
    memmove (*argv + 1, *argv + 2, (gsize)(*argc - 1) * sizeof **argv);
    (*argc)--;
  }
  return goes_on;
}

/* ---- GStreamer ----------------------------------------------------------------------------------------------------- */

void
command_init_structures (void)
{
  g_setenv ("GST_REGISTRY_DISABLE", "yes", TRUE);
  gst_init (NULL, NULL);
}

static gboolean
command_has_element (gboolean is_ours)
{
  g_autoptr (GstElementFactory) factory = gst_element_factory_find (ELEMENT);
  g_autoptr (GstPlugin) plugin = factory != NULL ? gst_plugin_feature_get_plugin (GST_PLUGIN_FEATURE (factory)) : NULL;

  return plugin != NULL && (!is_ours || g_str_equal (gst_plugin_get_version (plugin), COMMAND_VERSION));
}

/* Returns the plugin built or installed with this command, relative to it; both may have been moved. NULL: there is none. */
static gchar *
command_find_plugin (void)
{
  g_autofree gchar *program = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree gchar *folder = program != NULL ? g_path_get_dirname (program) : NULL;
  const gchar *const places[] = { COMMAND_INSTALLED_PLUGIN, COMMAND_BUILT_PLUGIN };

  for (guint i = 0; folder != NULL && i < G_N_ELEMENTS (places); i++) {
    g_autofree gchar *path = g_canonicalize_filename (places[i], folder);

    if (g_file_test (path, G_FILE_TEST_EXISTS))
      return g_steal_pointer (&path);
  }
  return NULL;
}

gboolean
command_init_plugins (void)
{
  g_autofree gchar *path = NULL;
  g_autoptr (GstPlugin) plugin = NULL;
  g_autoptr (GError) error = NULL;

  gst_init (NULL, NULL);
  if (command_has_element (TRUE))
    return TRUE;
  path = command_find_plugin ();
  plugin = path != NULL ? gst_plugin_load_file (path, &error) : NULL;
  if (plugin != NULL || command_has_element (FALSE))
    return TRUE;
  if (error != NULL)
    command_fail ("the GStreamer plugin %s cannot be loaded: %s", path, error->message);
  else
    command_fail (
        "GStreamer has no element " ELEMENT
        ": no plugin folder has its plugin. Install the Debian package gstreamer1.0-cudahisto, or set GST_PLUGIN_PATH.");
  return FALSE;
}

/* ---- messages and exit status -------------------------------------------------------------------------------------- */

static GString *collected; /* NULL: none */

void
command_collect_messages (GString *text)
{
  collected = text;
}

static void G_GNUC_PRINTF (1, 0) command_print_message (const gchar *format, va_list arguments)
{
  g_autofree gchar *text = g_strdup_vprintf (format, arguments);
  g_autofree gchar *hidden = decoding_location_hide_secrets_in (text, NULL);
  g_autofree gchar *clean = terminal_clean (hidden);

  terminal_clear_line (STDERR_FILENO);
  terminal_clear_line (STDOUT_FILENO);
  fprintf (stderr, "cudahisto: %s\n", clean);
  if (collected != NULL)
    g_string_append_printf (collected, "%s%s", collected->len > 0 ? " " : "", clean);
}

CommandStatus
command_fail (const gchar *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  command_print_message (format, arguments);
  va_end (arguments);
  return COMMAND_ERROR;
}

void
command_warn (const gchar *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  command_print_message (format, arguments);
  va_end (arguments);
}

/* poll() reports it for a pipe and a socket without writing. */
static gboolean
command_is_reader_gone (void)
{
  struct pollfd output = { .fd = STDOUT_FILENO, .events = POLLOUT };

  return poll (&output, 1, 0) > 0 && (output.revents & (POLLERR | POLLHUP)) != 0;
}

CommandStatus
command_finish_output (CommandStatus status)
{
  static gboolean is_over = FALSE;
  const gboolean had_failed = ferror (stdout) != 0;

  errno = 0;
  if ((fflush (stdout) == 0 && !had_failed) || is_over)
    return status;
  is_over = TRUE;
  if (errno == EPIPE || command_is_reader_gone ())
    return status;
  return command_fail ("standard output cannot be written: %s.",
                       errno != 0 ? g_strerror (errno) : "some of it was not written, the disk may be full");
}
