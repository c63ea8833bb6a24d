/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "scan/record.h"

#define VERSION 1 /* of this file, and of the lines in the sum */
#define SCAN "scan"
#define FILM "film"
#define RESULT "result"

ScanRecord *
scan_record_read (const gchar *path)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autoptr (GError) error = NULL;
  ScanRecord *record;

  if (!g_key_file_load_from_file (file, path, G_KEY_FILE_NONE, NULL))
    return NULL;
  record = g_new0 (ScanRecord, 1);
  record->size = g_key_file_get_uint64 (file, FILM, "size", &error);
  if (error == NULL)
    record->modified_us = g_key_file_get_int64 (file, FILM, "modified-us", &error);
  if (error == NULL)
    record->options = g_key_file_get_string (file, RESULT, "options", &error);
  if (error == NULL)
    record->status = (CommandStatus)g_key_file_get_integer (file, RESULT, "status", &error);
  if (error == NULL)
    record->message = g_key_file_get_string (file, RESULT, "message", &error);
  if (error == NULL)
    record->seconds = g_key_file_get_double (file, RESULT, "seconds", &error);
  if (error == NULL)
    record->verdict = g_key_file_get_string (file, RESULT, "verdict", &error);
  if (error == NULL && (guint)record->status <= COMMAND_ERROR
      && g_key_file_get_integer (file, SCAN, "version", NULL) == VERSION)
    return record;
  scan_record_free (record);
  return NULL;
}

gboolean
scan_record_write (const ScanRecord *record, const gchar *path, GError **error)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();

  g_key_file_set_integer (file, SCAN, "version", VERSION);
  g_key_file_set_uint64 (file, FILM, "size", record->size);
  g_key_file_set_int64 (file, FILM, "modified-us", record->modified_us);
  g_key_file_set_string (file, RESULT, "options", record->options);
  g_key_file_set_integer (file, RESULT, "status", (gint)record->status);
  g_key_file_set_string (file, RESULT, "message", record->message);
  g_key_file_set_string (file, RESULT, "verdict", record->verdict);
  g_key_file_set_double (file, RESULT, "seconds", record->seconds);
  return g_key_file_save_to_file (file, path, error);
}

void
scan_record_free (ScanRecord *record)
{
  if (record == NULL)
    return;
  g_free (record->options);
  g_free (record->message);
  g_free (record->verdict);
  g_free (record);
}

gboolean
scan_record_is_of (const ScanRecord *record, const ScanFilm *film, const gchar *options, const gchar *results)
{
  return record->size == film->size && record->modified_us == film->modified_us && g_str_equal (record->options, options)
         && (record->status == COMMAND_ERROR || g_file_test (results, G_FILE_TEST_EXISTS));
}
