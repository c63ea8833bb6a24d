/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The sidecar: whole lines, at once, and errors that say what is wrong. */

#include <fcntl.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <gst/check/gstcheck.h>
#include <json-glib/json-glib.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "framemap.h"
#include "sidecar.h"

static gchar *directory;

static void
set_up (void)
{
  GError *error = NULL;

  directory = g_dir_make_tmp ("cudahisto-sidecar-XXXXXX", &error);
  g_assert_no_error (error);
}

static void
tear_down (void)
{
  GDir *entries = g_dir_open (directory, 0, NULL);
  const gchar *name;

  while ((name = g_dir_read_name (entries)) != NULL) {
    gchar *path = g_build_filename (directory, name, NULL);

    g_remove (path);
    g_free (path);
  }
  g_dir_close (entries);
  g_rmdir (directory);
  g_clear_pointer (&directory, g_free);
}

/* A window of the two bytes 3 and 4, number `frame`. */
static gboolean
write_result (GstCudaHistoSidecar *sidecar, guint64 frame, GError **error)
{
  uint64_t histogram[HISTO_BINS] = { [3] = 1, [4] = 1 };
  const struct histo_stats stats = {
    .component_count = 1,
    .components[0] = { .count = 2, .sum = 7, .sum_of_squares = 25, .bins = HISTO_BINS, .histogram = histogram },
  };
  const GstCudaHistoSpan span = { .frame = frame, .frames = 1, .size = 2, .timestamp = GST_CLOCK_TIME_NONE };
  GstCudaHistoSource source;
  const GstCudaHistoResult result = { "histo", "cpu", &source, &span, &stats };

  gst_cuda_histo_source_init_bytes (&source);
  return gst_cuda_histo_sidecar_write (sidecar, &result, error);
}

/* Fails unless the file has just the lines of windows 0, 1 ... count - 1. */
static void
check_lines (const gchar *path, guint count)
{
  gchar *text = NULL, **lines;
  gsize size;

  fail_unless (g_file_get_contents (path, &text, &size, NULL));
  fail_unless (size == strlen (text));
  fail_unless (count == 0 || g_str_has_suffix (text, "}\n"));
  lines = g_strsplit (text, "\n", -1);
  fail_unless_equals_int (g_strv_length (lines), count > 0 ? count + 1 : 0);
  for (guint i = 0; i < count; i++) {
    JsonParser *parser = json_parser_new ();
    JsonObject *object;

    fail_unless (json_parser_load_from_data (parser, lines[i], -1, NULL), "line %u: %s", i, lines[i]);
    object = json_node_get_object (json_parser_get_root (parser));
    fail_unless_equals_int64 (json_object_get_int_member (object, "frame"), i);
    object = json_object_get_object_member (json_object_get_object_member (object, "components"), "byte");
    fail_unless_equals_int64 (json_object_get_int_member (object, "sum"), 7);
    g_object_unref (parser);
  }
  g_strfreev (lines);
  g_free (text);
}

GST_START_TEST (test_lines)
{
  gchar *path = g_build_filename (directory, "täst me.jsonl", NULL);
  GError *error = NULL;
  GstCudaHistoSidecar *sidecar = gst_cuda_histo_sidecar_open (path, &error);

  g_assert_no_error (error);
  check_lines (path, 0);
  for (guint i = 0; i < 3; i++) {
    fail_unless (write_result (sidecar, i, &error));
    check_lines (path, i + 1); /* before it is closed */
  }
  fail_unless (gst_cuda_histo_sidecar_close (sidecar, &error));
  g_assert_no_error (error);
  check_lines (path, 3);

  /* Opened again, it begins again. */
  sidecar = gst_cuda_histo_sidecar_open (path, &error);
  check_lines (path, 0);
  fail_unless (write_result (sidecar, 0, &error));
  fail_unless (gst_cuda_histo_sidecar_close (sidecar, &error));
  check_lines (path, 1);
  g_free (path);
}
GST_END_TEST

static void
check_refused (const gchar *location, gint code)
{
  GError *error = NULL;

  fail_unless (gst_cuda_histo_sidecar_open (location, &error) == NULL);
  g_assert_error (error, G_IO_ERROR, code);
  fail_unless (strlen (error->message) > 10);
  g_error_free (error);
  fail_unless (gst_cuda_histo_sidecar_open (location, NULL) == NULL);
}

GST_START_TEST (test_refused)
{
  gchar *path = g_build_filename (directory, "absent", "file", NULL);

  check_refused ("", G_IO_ERROR_INVALID_FILENAME);
  check_refused (NULL, G_IO_ERROR_INVALID_FILENAME);
  check_refused (directory, G_IO_ERROR_IS_DIRECTORY);
  check_refused (path, G_IO_ERROR_NOT_FOUND);
  check_refused ("/dev/null/file", G_IO_ERROR_NOT_DIRECTORY);
  g_free (path);

  if (geteuid () != 0) {
    path = g_build_filename (directory, "read-only", NULL);
    fail_unless (g_file_set_contents (path, "", 0, NULL));
    g_chmod (path, 0444);
    check_refused (path, G_IO_ERROR_PERMISSION_DENIED);
    g_free (path);
  } else {
    g_print ("Running as root, who may write everywhere: a read-only file was not tried\n");
  }
}
GST_END_TEST

GST_START_TEST (test_full_device)
{
  GError *error = NULL;
  GstCudaHistoSidecar *sidecar = gst_cuda_histo_sidecar_open ("/dev/full", &error);

  g_assert_no_error (error);
  for (guint i = 0; i < 2; i++) {
    fail_if (write_result (sidecar, i, &error));
    g_assert_error (error, G_IO_ERROR, G_IO_ERROR_NO_SPACE);
    g_clear_error (&error);
  }
  fail_unless (gst_cuda_histo_sidecar_close (sidecar, &error));
  fail_unless (gst_cuda_histo_sidecar_close (NULL, &error));
}
GST_END_TEST

/* A file that may not grow fails in the middle of a line, as a full disk does. */
GST_START_TEST (test_half_a_line_is_taken_back)
{
  gchar *path = g_build_filename (directory, "file.jsonl", NULL);
  GError *error = NULL;
  GstCudaHistoSidecar *sidecar = gst_cuda_histo_sidecar_open (path, &error);
  struct rlimit old_limit, limit;
  GStatBuf status;

  fail_unless (write_result (sidecar, 0, &error));
  g_stat (path, &status);
  getrlimit (RLIMIT_FSIZE, &old_limit);
  limit = old_limit;
  limit.rlim_cur = (rlim_t)status.st_size * 5 / 2;
  signal (SIGXFSZ, SIG_IGN);
  setrlimit (RLIMIT_FSIZE, &limit);

  fail_unless (write_result (sidecar, 1, &error));
  fail_if (write_result (sidecar, 2, &error));
  fail_unless (error != NULL && error->domain == G_IO_ERROR);
  g_clear_error (&error);
  check_lines (path, 2);

  setrlimit (RLIMIT_FSIZE, &old_limit);
  signal (SIGXFSZ, SIG_DFL);
  fail_unless (write_result (sidecar, 2, &error));
  check_lines (path, 3);
  fail_unless (gst_cuda_histo_sidecar_close (sidecar, &error));
  g_free (path);
}
GST_END_TEST

GST_START_TEST (test_pipe)
{
  gint ends[2];
  gchar line[8192] = "";
  gchar *path;
  GError *error = NULL;
  GstCudaHistoSidecar *sidecar;

  fail_unless (pipe (ends) == 0);
  path = g_strdup_printf ("/dev/fd/%d", ends[1]);
  if (!g_file_test (path, G_FILE_TEST_EXISTS)) {
    g_print ("No /dev/fd, as without /proc: not checked\n");
    close (ends[0]);
    close (ends[1]);
    g_free (path);
    return;
  }
  sidecar = gst_cuda_histo_sidecar_open (path, &error);
  g_assert_no_error (error);
  fail_unless (write_result (sidecar, 0, &error));
  fail_unless (read (ends[0], line, sizeof line - 1) > 0);
  fail_unless (g_str_has_prefix (line, "{\"cudahisto\":1,\"element\":\"histo\",") && g_str_has_suffix (line, "}\n"));

  /* The reader goes away: an error, and no signal that would end the process. */
  close (ends[0]);
  for (guint i = 0; i < 2; i++) {
    fail_if (write_result (sidecar, 1, &error));
    g_assert_error (error, G_IO_ERROR, G_IO_ERROR_BROKEN_PIPE);
    g_clear_error (&error);
  }
  fail_unless (gst_cuda_histo_sidecar_close (sidecar, &error));
  close (ends[1]);
  g_free (path);
}
GST_END_TEST

/* Without a reader, opening would wait for one. */
GST_START_TEST (test_named_pipe)
{
  gchar *path = g_build_filename (directory, "pipe", NULL);
  gchar line[8192] = "";
  GError *error = NULL;
  GstCudaHistoSidecar *sidecar;
  gint reader;

  fail_unless (mkfifo (path, 0600) == 0);
  fail_unless (gst_cuda_histo_sidecar_open (path, &error) == NULL);
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_BROKEN_PIPE);
  fail_unless (strstr (error->message, path) != NULL);
  g_clear_error (&error);

  reader = g_open (path, O_RDONLY | O_NONBLOCK, 0);
  fail_unless (reader >= 0);
  sidecar = gst_cuda_histo_sidecar_open (path, &error);
  g_assert_no_error (error);
  fail_unless (write_result (sidecar, 0, &error));
  fail_unless (gst_cuda_histo_sidecar_close (sidecar, &error));
  fail_unless (read (reader, line, sizeof line - 1) > 0);
  fail_unless (g_str_has_prefix (line, "{\"cudahisto\":1,\"element\":\"histo\",") && g_str_has_suffix (line, "}\n"));
  fail_unless_equals_int (read (reader, line, sizeof line), 0); /* nothing keeps it open */
  close (reader);
  g_free (path);
}
GST_END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("sidecar");
  TCase *tcase = tcase_create ("sidecar");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, set_up, tear_down);
  tcase_add_test (tcase, test_lines);
  tcase_add_test (tcase, test_refused);
  tcase_add_test (tcase, test_full_device);
  tcase_add_test (tcase, test_half_a_line_is_taken_back);
  tcase_add_test (tcase, test_pipe);
  tcase_add_test (tcase, test_named_pipe);
  return suite;
}

GST_CHECK_MAIN (make)
