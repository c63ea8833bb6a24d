/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "output/resultfile.h"

#include <gio/gio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/command.h"
#include "common/location.h"
#include "play/sequence.h"

static gboolean
result_file_is_same (const struct stat *one, const struct stat *other)
{
  return one->st_dev == other->st_dev && one->st_ino == other->st_ino;
}

/* Returns whether a path or URI names that file. */
static gboolean
result_file_is (const struct stat *file, const gchar *where)
{
  g_autofree gchar *path = where != NULL ? g_filename_from_uri (where, NULL, NULL) : NULL;
  struct stat other;

  if (where == NULL)
    return FALSE;
  if (g_str_equal (where, "-"))
    return fstat (STDIN_FILENO, &other) == 0 && result_file_is_same (file, &other);
  return stat (path != NULL ? path : where, &other) == 0 && result_file_is_same (file, &other);
}

static gboolean
result_file_is_input (const struct stat *file, const gchar *input)
{
  Sequence *sequence = sequence_is_location (input) ? sequence_find (input, NULL) : NULL;
  gboolean is_input = result_file_is (file, input);

  for (guint i = 0; sequence != NULL && i < sequence->paths->len && !is_input; i++)
    is_input = result_file_is (file, g_ptr_array_index (sequence->paths, i));
  sequence_free (sequence);
  return is_input;
}

/* Returns whether a property of the element other than its output names the file. */
static gboolean
result_file_is_read (const struct stat *file, GstElement *histo)
{
  guint n_properties;
  g_autofree GParamSpec **properties = g_object_class_list_properties (G_OBJECT_GET_CLASS (histo), &n_properties);
  gboolean is_read = FALSE;

  for (guint i = 0; i < n_properties && !is_read; i++) {
    g_autofree gchar *where = NULL;

    if (properties[i]->value_type != G_TYPE_STRING || !g_str_has_suffix (properties[i]->name, "-location")
        || g_str_equal (properties[i]->name, "sidecar-location"))
      continue;
    g_object_get (histo, properties[i]->name, &where, NULL);
    is_read = result_file_is (file, where);
  }
  return is_read;
}

gboolean
result_file_check_inputs (const gchar *location, const gchar *input, GstElement *histo, GError **error)
{
  const gboolean is_standard = g_str_equal (location, "-");
  g_autofree gchar *name = location_name (location);
  struct stat file;

  if ((is_standard ? fstat (STDOUT_FILENO, &file) : stat (location, &file)) != 0 || !S_ISREG (file.st_mode)
      || (!result_file_is_input (&file, input) && !result_file_is_read (&file, histo)))
    return TRUE;
  if (is_standard)
    g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_EXISTS, "standard output is an input: name another file with --output.");
  else
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_EXISTS, "\"%s\" is an input: name another file with --output.", name);
  return FALSE;
}

gboolean
result_file_check (const gchar *location, gint fd)
{
  g_autofree gchar *name = location_name (location);
  struct stat written, there;

  if (g_str_equal (location, "-") || (fd >= 0 && (fstat (fd, &written) != 0 || !S_ISREG (written.st_mode))))
    return TRUE;
  if (stat (location, &there) != 0)
    command_fail ("\"%s\" disappeared while it was written: %s.", name,
                  fd >= 0 && written.st_nlink > 0 ? "its lines are in a file of another name" : "its lines are lost");
  else if (fd >= 0 && !result_file_is_same (&written, &there))
    command_fail ("\"%s\" was replaced while it was written, and is another file now.", name);
  else
    return TRUE;
  return FALSE;
}

gboolean
result_file_is_refused (const GError *error)
{
  return strstr (error->message, "is not a sidecar of cudahisto") != NULL; /* errors from the bus have only a text */
}
