/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The sidecar writes whole lines, overwrites no other files, waits for readers only if asked to, and reports clear errors. */

#include <fcntl.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <json-glib/json-glib.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cases.h"
#include "frame/source.h"
#include "result/sidecar.h"

/* A line in the format of version 0.1, without its end. */
#define OLD "{\"element\":\"a\",\"backend\":\"cpu\",\"frame\":0"

/* A line in the current format. */
#define NEW "{\"cudahisto\":1,\"element\":\"{\",\"components\":{\"GRAY\":{\"histogram\":[1,2]}}"

static const gchar *element_name;

static void
set_up (void)
{
  element_name = "histo";
}

/* ---- a sidecar under test -------------------------------------------------------------------------------------------- */

/* Calls of the callbacks. */
typedef struct {
  GMutex lock;
  guint failures, notices, not_reopened;
  guint64 dropped, stuck, cut;
  const gchar *conflict; /* the result of find_conflict */
  GError *error;
} Calls;

static Calls calls;

static void
say_failed (GstElement *owner, const gchar *location, const GError *error)
{
  fail_unless (owner == NULL && location != NULL);
  g_mutex_lock (&calls.lock);
  calls.failures++;
  if (calls.error == NULL)
    calls.error = g_error_copy (error);
  g_mutex_unlock (&calls.lock);
}

static void
say_dropped (GstElement *owner, const gchar *location, guint64 lines)
{
  fail_unless (owner == NULL && location != NULL && lines > 0);
  g_mutex_lock (&calls.lock);
  calls.notices++;
  calls.dropped += lines;
  g_mutex_unlock (&calls.lock);
}

static void
say_stuck (GstElement *owner, const gchar *location, guint64 lines)
{
  fail_unless (owner == NULL && location != NULL && lines > 0);
  g_mutex_lock (&calls.lock);
  fail_unless (calls.stuck == 0);
  calls.stuck = lines;
  g_mutex_unlock (&calls.lock);
}

static void
say_not_reopened (GstElement *owner, const gchar *location, const GError *error)
{
  fail_unless (owner == NULL && location != NULL && strlen (error->message) > 10);
  g_mutex_lock (&calls.lock);
  calls.not_reopened++;
  g_mutex_unlock (&calls.lock);
}

static const gchar *
say_conflict (GstElement *owner, const struct stat *file)
{
  fail_unless (owner == NULL && file->st_ino != 0);
  return calls.conflict;
}

static void
say_cut (GstElement *owner, const gchar *location, guint64 bytes)
{
  fail_unless (owner == NULL && location != NULL && bytes > 0);
  g_mutex_lock (&calls.lock);
  fail_unless (calls.cut == 0); /* only once */
  calls.cut = bytes;
  g_mutex_unlock (&calls.lock);
}

static GstCudaHistoSidecar *
make_sidecar (void)
{
  static const GstCudaHistoSidecarCallbacks callbacks
      = { say_failed, say_dropped, say_stuck, say_not_reopened, say_conflict, say_cut };

  return gst_cuda_histo_sidecar_new (&callbacks, NULL);
}

static GstCudaHistoSidecar *
open_sidecar_slowly (const gchar *location, GstCudaHistoSidecarMode mode, GstCudaHistoSidecarSlow slow)
{
  GstCudaHistoSidecar *sidecar = make_sidecar ();
  GError *error = NULL;

  g_clear_error (&calls.error);
  memset (&calls, 0, sizeof calls);
  gst_cuda_histo_sidecar_open (sidecar, location, mode, slow, &error);
  g_assert_no_error (error);
  gst_cuda_histo_sidecar_start (sidecar, &error);
  g_assert_no_error (error);
  return sidecar;
}

static GstCudaHistoSidecar *
open_sidecar (const gchar *location, GstCudaHistoSidecarMode mode)
{
  return open_sidecar_slowly (location, mode, GST_CUDA_HISTO_SIDECAR_SLOW_AUTO);
}

/* Fails unless `expected` lines were written, and all others were reported as dropped. Returns the number of dropped lines. */
static guint64
close_sidecar (GstCudaHistoSidecar *sidecar, guint64 expected)
{
  guint64 lost = gst_cuda_histo_sidecar_close (sidecar), written, dropped;

  gst_cuda_histo_sidecar_get_counts (sidecar, &written, &dropped);
  fail_unless_equals_uint64 (written, expected);
  if (calls.failures == 0)
    fail_unless_equals_uint64 (dropped, lost + calls.dropped);
  fail_unless_equals_uint64 (gst_cuda_histo_sidecar_close (sidecar), 0);
  gst_cuda_histo_sidecar_free (sidecar);
  return dropped;
}

/* Sets a limit of the process. Returns the one before. */
static rlim_t
set_limit (int resource, rlim_t value)
{
  struct rlimit limit;
  rlim_t before;

  getrlimit (resource, &limit);
  before = limit.rlim_cur;
  limit.rlim_cur = value;
  setrlimit (resource, &limit);
  return before;
}

#define FLOOD 1000 /* lines, more than a queue and a pipe hold */

/* Makes lines of about 6 KB, which soon fill the queue. */
static void
use_long_lines (void)
{
  static gchar name[5000];

  memset (name, 'x', sizeof name - 1);
  element_name = name;
}

/* A window of the two bytes 3 and 4, number `frame`. */
static void
write_result (GstCudaHistoSidecar *sidecar, guint64 frame)
{
  uint64_t histogram[HISTO_BINS] = { [3] = 1, [4] = 1 };
  struct histo_component_stats component
      = { .count = 2, .sum = 7, .sum_of_squares = 25, .bins = HISTO_BINS, .histogram = histogram };
  const struct histo_stats stats = { .component_count = 1, .components = &component };
  const GstCudaHistoSpan span = { .frame = frame, .frames = 1, .size = 2, .timestamp = GST_CLOCK_TIME_NONE };
  GstCudaHistoSource source;
  const GstCudaHistoWindowResult result = {
    .element = element_name,
    .backend = "cpu",
    .source = &source,
    .span = &span,
    .stats = &stats,
    .statistics = GST_CUDA_HISTO_STATISTICS_BASIC,
  };

  gst_cuda_histo_source_init_bytes (&source);
  gst_cuda_histo_sidecar_write (sidecar, &result, GST_CUDA_HISTO_SIDECAR_ARRAYS_HISTOGRAMS);
}

static void
write_results (GstCudaHistoSidecar *sidecar, guint64 first, guint64 count)
{
  for (guint64 i = 0; i < count; i++)
    write_result (sidecar, first + i);
}

/* Time limit of an expected event. Only failures take that long, even on a loaded machine. */
#define PATIENCE (120 * G_TIME_SPAN_SECOND)

/* Waits until the sidecar's thread has made the condition true. */
#define wait_until(condition)                                                           \
  G_STMT_START                                                                          \
  {                                                                                     \
    gint64 until = g_get_monotonic_time () + PATIENCE;                                  \
                                                                                        \
    while (!(condition)) {                                                              \
      fail_unless (g_get_monotonic_time () < until, "it does not happen: " #condition); \
      g_usleep (1000);                                                                  \
    }                                                                                   \
  }                                                                                     \
  G_STMT_END

static gboolean
has_failed (void)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&calls.lock);

  return calls.failures > 0;
}

static guint64
count_written (GstCudaHistoSidecar *sidecar)
{
  guint64 written, dropped;

  gst_cuda_histo_sidecar_get_counts (sidecar, &written, &dropped);
  return written;
}

static void
check_contents (const gchar *path, const gchar *expected)
{
  g_autofree gchar *text = NULL;

  fail_unless (g_file_get_contents (path, &text, NULL, NULL));
  fail_unless_equals_string (text, expected);
}

/* Fails unless the file has exactly the lines of windows 0, 1 ... count - 1. */
static void
check_lines (const gchar *path, guint count)
{
  g_autofree gchar *text = NULL;
  gsize size;

  fail_unless (g_file_get_contents (path, &text, &size, NULL));
  fail_unless (size == strlen (text));
  fail_unless (count == 0 || g_str_has_suffix (text, "}\n"));
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  fail_unless_equals_int (g_strv_length (lines), count > 0 ? count + 1 : 0);
  for (guint i = 0; i < count; i++) {
    g_autoptr (JsonParser) parser = json_parser_new ();
    JsonObject *object;

    fail_unless (json_parser_load_from_data (parser, lines[i], -1, NULL), "line %u: %s", i, lines[i]);
    object = json_node_get_object (json_parser_get_root (parser));
    fail_unless_equals_int64 (json_object_get_int_member (object, "frame"), i);
    object = json_object_get_object_member (json_object_get_object_member (object, "components"), "byte");
    fail_unless_equals_int64 (json_object_get_int_member (object, "sum"), 7);
  }
}

/* ---- files ------------------------------------------------------------------------------------------------------------ */

TEST_FIXTURE (set_up, NULL)

TEST (test_lines)
{
  const gchar *path = make_path ("täst me.jsonl");
  GstCudaHistoSidecar *sidecar = open_sidecar (path, GST_CUDA_HISTO_SIDECAR_TRUNCATE);

  check_lines (path, 0);
  gst_cuda_histo_sidecar_drain (sidecar);
  for (guint i = 0; i < 3; i++) {
    write_result (sidecar, i);
    gst_cuda_histo_sidecar_drain (sidecar);
    check_lines (path, i + 1); /* before it is closed */
  }
  fail_unless_equals_uint64 (close_sidecar (sidecar, 3), 0);
  check_lines (path, 3);

  /* After it is opened again, the first line empties the file. */
  sidecar = open_sidecar (path, GST_CUDA_HISTO_SIDECAR_TRUNCATE);
  gst_cuda_histo_sidecar_drain (sidecar);
  check_lines (path, 3);
  write_result (sidecar, 0);
  fail_unless_equals_uint64 (close_sidecar (sidecar, 1), 0);
  check_lines (path, 1);

  /* Or it appends. A sidecar can start several times, and its counts are those of the last start. */
  sidecar = make_sidecar ();
  for (guint i = 1; i < 4; i++) {
    fail_unless (
        gst_cuda_histo_sidecar_open (sidecar, path, GST_CUDA_HISTO_SIDECAR_APPEND, GST_CUDA_HISTO_SIDECAR_SLOW_AUTO, NULL));
    fail_unless (gst_cuda_histo_sidecar_start (sidecar, NULL));
    write_result (sidecar, i);
    fail_unless_equals_uint64 (gst_cuda_histo_sidecar_close (sidecar), 0);
    fail_unless_equals_uint64 (count_written (sidecar), 1);
    check_lines (path, i + 1);
    write_result (sidecar, 99); /* ignored: it is closed */
  }
  fail_if (gst_cuda_histo_sidecar_reopen (sidecar));
  gst_cuda_histo_sidecar_drain (sidecar);
  gst_cuda_histo_sidecar_free (sidecar);
  check_lines (path, 4);
}

/* Many more lines than the queue holds. */
TEST (test_many_lines)
{
  const gchar *path = make_path ("file.jsonl");
  GstCudaHistoSidecar *sidecar = open_sidecar (path, GST_CUDA_HISTO_SIDECAR_TRUNCATE);

  use_long_lines ();
  write_results (sidecar, 0, FLOOD);
  fail_unless_equals_uint64 (close_sidecar (sidecar, FLOOD), 0);
  fail_unless_equals_int (calls.notices, 0);
  check_lines (path, FLOOD);
}

static void
check_refused (const gchar *location, gint code)
{
  GstCudaHistoSidecar *sidecar = make_sidecar ();
  GError *error = NULL;

  for (guint mode = 0; mode < 2; mode++) {
    fail_if (gst_cuda_histo_sidecar_open (sidecar, location, mode, GST_CUDA_HISTO_SIDECAR_SLOW_AUTO, &error));
    g_assert_error (error, G_IO_ERROR, code);
    fail_unless (strlen (error->message) > 10);
    if (code == G_IO_ERROR_EXISTS || code == G_IO_ERROR_BUSY)
      fail_unless (strstr (error->message, location) != NULL, "%s", error->message);
    g_clear_error (&error);
    fail_if (gst_cuda_histo_sidecar_open (sidecar, location, mode, GST_CUDA_HISTO_SIDECAR_SLOW_AUTO, NULL));
  }
  gst_cuda_histo_sidecar_close (sidecar);
  gst_cuda_histo_sidecar_free (sidecar);
}

TEST (test_refused)
{
  const gchar *path;

  check_refused ("", G_IO_ERROR_INVALID_FILENAME);
  check_refused (NULL, G_IO_ERROR_INVALID_FILENAME);
  check_refused (get_directory (), G_IO_ERROR_IS_DIRECTORY);
  check_refused (make_path ("absent/file"), G_IO_ERROR_NOT_FOUND);
  check_refused ("/dev/null/file", G_IO_ERROR_NOT_DIRECTORY);
  if (geteuid () != 0) {
    path = make_file ("read-only", "", -1);
    g_chmod (path, 0444);
    check_refused (path, G_IO_ERROR_PERMISSION_DENIED);
  } else {
    g_print ("Running as root, who may write everywhere: a read-only file was not tried\n");
  }
}

/* A file that is not a sidecar stays unchanged, under any name. */
TEST (test_other_files)
{
  static const gchar *const films[] = {
    "film",
    "\n",
    "{\n",
    "{}",
    "{\"cud\n",
    "{\"cudb",
    "{\"cudahisto\":1\n",
    "{\"cudahisto\":1 ",
    "[]",
    " " OLD "}\n",
    "{\"cudahisto\":,\"element\":\"a\"}\n",
    "{\"cudahisto\":\"1,2\"}\n",
    "{\"cudahisto\":1}\n",
    "{\"cudahisto\":-1,\"element\":\"a\"}\n",
    "{\"cudahisto\":1.5,\"element\":\"a\"}\n",
    "{\"element\":1,\"backend\":\"cpu\",\"frame\":0}\n",
    "{\"element\":\"button\",\"colour\":\"red\"}\n",
    "{\"element\":\"button\\\",\\\"backend\\\":\\\"cpu\\\",\\\"frame\\\":0\"}\n",
    "{\"element\":\"button\\",
    "{\"element\":\"button",
    "{\"element\":\"button\",\"backend\":\"sqlite\",\"frame\":0}\n",
    "{\"element\":\"button\",\"backend\":\"cpu\",\"frames\":0}\n",
    "{\"element\":\"button\",\"backend\":\"cpu\"}\n",
  };
  const gchar *hard_link = make_path ("link"), *symlink_path = make_path ("symlink");

  for (guint i = 0; i < G_N_ELEMENTS (films); i++) {
    const gchar *path = make_file ("film.mp4", films[i], -1);

    fail_unless (link (path, hard_link) == 0 && symlink (path, symlink_path) == 0);
    check_refused (path, G_IO_ERROR_EXISTS);
    check_refused (hard_link, G_IO_ERROR_EXISTS);
    check_refused (symlink_path, G_IO_ERROR_EXISTS);
    check_contents (path, films[i]);
    g_remove (hard_link);
    g_remove (symlink_path);
  }
}

TEST (test_own_files)
{
  static const gchar *const sidecars[] = {
    "",
    "{\"cudahisto\":1,\"element\":\"a\"}\n",
    "{\"cudahisto\":1,",
    "{",
    "{\"cudahis",
    "{\"cudahisto\":1",
    "{\"element\":",
    "{\"cudahisto\":27,\"event\":\"black\"}\n",
    OLD "}\n",
    OLD,
    "{\"element\":\"\",\"backend\":\"cuda\",\"frame\":1}\n",
    "{\"element\":\"\\\\\",\"backend\":\"reference\",\"frame\":1}\n",
    "{\"element\":\"a\\\"b\\u0001\",\"backend\":\"cpu\",\"frame\":1}\n",
  };

  for (guint i = 0; i < G_N_ELEMENTS (sidecars); i++) {
    const gchar *path = make_file ("sidecar", sidecars[i], -1);
    GstCudaHistoSidecar *sidecar = open_sidecar (path, GST_CUDA_HISTO_SIDECAR_TRUNCATE);

    write_result (sidecar, 0);
    close_sidecar (sidecar, 1);
    check_lines (path, 1);
  }
}

/* A sidecar that is opened but not started changes no file. */
TEST (test_not_started)
{
  static const gchar line[] = OLD "}\n{\"el";
  const gchar *path = make_file ("sidecar", line, -1), *absent = make_path ("absent"), *hard_link = make_path ("link");
  GstCudaHistoSidecar *sidecar = make_sidecar ();
  const gchar *names[] = { path, absent, hard_link };

  fail_unless (symlink (absent, hard_link) == 0);
  for (guint mode = 0; mode < 2; mode++) {
    for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
      fail_unless (gst_cuda_histo_sidecar_open (sidecar, names[i], mode, GST_CUDA_HISTO_SIDECAR_SLOW_AUTO, NULL));
      fail_unless (g_file_test (names[i], G_FILE_TEST_EXISTS)); /* created for now, as a check */
      gst_cuda_histo_sidecar_close (sidecar);
      fail_if (g_file_test (absent, G_FILE_TEST_EXISTS));
      fail_unless (g_file_test (hard_link, G_FILE_TEST_IS_SYMLINK));
      check_contents (path, line);
    }
  }
  gst_cuda_histo_sidecar_free (sidecar);
}

TEST (test_one_at_a_time)
{
  const gchar *path = make_path ("sidecar"), *hard_link = make_path ("link"), *symlink_path = make_path ("symlink"),
              *pipe_path = make_path ("pipe");
  GstCudaHistoSidecar *sidecar = open_sidecar (path, GST_CUDA_HISTO_SIDECAR_TRUNCATE), *other;
  gint status, reader, ends[2];
  pid_t child;

  fail_unless (link (path, hard_link) == 0 && symlink (path, symlink_path) == 0);
  check_refused (path, G_IO_ERROR_BUSY);
  check_refused (hard_link, G_IO_ERROR_BUSY);
  check_refused (symlink_path, G_IO_ERROR_BUSY);
  write_result (sidecar, 0);
  close_sidecar (sidecar, 1);
  check_lines (path, 1);
  sidecar = open_sidecar (hard_link, GST_CUDA_HISTO_SIDECAR_TRUNCATE);
  close_sidecar (sidecar, 0);

  /* Another process opens it, and waits to be killed. */
  fail_unless (pipe (ends) == 0);
  child = fork ();
  if (child == 0) {
    sidecar = make_sidecar ();
    if (gst_cuda_histo_sidecar_open (sidecar, path, GST_CUDA_HISTO_SIDECAR_APPEND, GST_CUDA_HISTO_SIDECAR_SLOW_AUTO, NULL)
        && write (ends[1], "x", 1) == 1)
      pause ();
    _exit (1);
  }
  fail_unless (read (ends[0], &status, 1) == 1);
  check_refused (path, G_IO_ERROR_BUSY);
  kill (child, SIGKILL);
  waitpid (child, &status, 0);
  close (ends[0]);
  close (ends[1]);
  sidecar = open_sidecar (path, GST_CUDA_HISTO_SIDECAR_TRUNCATE);
  close_sidecar (sidecar, 0);

  /* Pipes too: the lines of two sidecars would mix. */
  fail_unless (mkfifo (pipe_path, 0600) == 0);
  reader = g_open (pipe_path, O_RDONLY | O_NONBLOCK, 0);
  sidecar = open_sidecar (pipe_path, GST_CUDA_HISTO_SIDECAR_TRUNCATE);
  check_refused (pipe_path, G_IO_ERROR_BUSY);
  close_sidecar (sidecar, 0);
  close (reader);

  /* Any number of sidecars may write to /dev/null. */
  sidecar = open_sidecar ("/dev/null", GST_CUDA_HISTO_SIDECAR_TRUNCATE);
  other = open_sidecar ("/dev/null", GST_CUDA_HISTO_SIDECAR_TRUNCATE);
  write_result (sidecar, 0);
  write_result (other, 0);
  close_sidecar (sidecar, 1);
  close_sidecar (other, 1);
}

/* An incomplete last line, as after a crash, is removed. A complete line, or other text, stays and gets a newline. */
TEST (test_append)
{
  g_autofree gchar *long_start = g_strdup_printf (OLD ",\"format\":\"%0*d\"", 200000, 7),
                   *long_line = g_strconcat (long_start, "}", NULL);
  g_autofree gchar *no_newlines = g_strconcat (long_line, NEW "}", long_line, NULL),
                   *torn_last = g_strconcat (no_newlines, NEW, NULL);
  g_autofree gchar *filler = g_strnfill (65536 - 7, 'x'),
                   *across = g_strconcat (OLD "}\n{\"", filler, NEW "}", NULL); /* in two blocks */
  const struct {
    const gchar *there;
    gsize kept;    /* bytes */
    gboolean ends; /* a newline follows them */
  } cases[] = {
    { "", 0, FALSE },
    { OLD "}\n", strlen (OLD "}\n"), FALSE },
    { OLD "}", strlen (OLD "}"), TRUE },
    { OLD "}\n{\"element\":2}\n{\"elem", strlen (OLD "}\n{\"element\":2}\n"), FALSE },
    { OLD "}\n{\"element\":{\"a\":[1,2]}", strlen (OLD "}\n"), FALSE },
    { OLD "}\n{\"element\":\"}", strlen (OLD "}\n"), FALSE },
    { OLD "}\n{\"element\":\"{\\\"\"}", strlen (OLD "}\n{\"element\":\"{\\\"\"}"), TRUE },
    { OLD ",\"format\":\"{", 0, FALSE },
    { "{", 0, FALSE },
    { "{\"cud", 0, FALSE },
    { "{\"cudahisto\":", 0, FALSE },
    { "{\"cudahisto\":1", 0, FALSE },
    { "{\"cudahisto\":12", 0, FALSE },
    { "{\"cudahisto\":1,", 0, FALSE },
    { "{\"el", 0, FALSE },
    { "{\"element\":\"", 0, FALSE },
    { OLD "}\n{", strlen (OLD "}\n"), FALSE },
    { OLD "}\n{\"a\":\"\\\\\"}", strlen (OLD "}\n{\"a\":\"\\\\\"}"), TRUE },
    { OLD "}\nrubbish", strlen (OLD "}\nrubbish"), TRUE },
    { OLD "}\n# rotated {12:00", strlen (OLD "}\n# rotated {12:00"), TRUE },
    { OLD "}\n# rotated 12\" {\"cudah", strlen (OLD "}\n# rotated 12\" "), TRUE },
    { OLD "}\n\"rubbish\"", strlen (OLD "}\n\"rubbish\""), TRUE },
    { OLD "}\n\"cudahisto\":", strlen (OLD "}\n\"cudahisto\":"), TRUE },
    { OLD "}\n ", strlen (OLD "}\n "), TRUE },
    { OLD "}\r", strlen (OLD "}\r"), TRUE },
    { OLD "}\r\n", strlen (OLD "}\r\n"), FALSE },
    { OLD "}\n{} ", strlen (OLD "}\n{} "), TRUE },
    { OLD "}\n{}{}", strlen (OLD "}\n{}{}"), TRUE },
    { OLD "}\n[{}]", strlen (OLD "}\n[{}]"), TRUE },
    { OLD "}\n}{}", strlen (OLD "}\n}{}"), TRUE },
    { OLD "}" NEW "}" NEW "}", strlen (OLD "}" NEW "}" NEW "}"), TRUE },
    { OLD "}" NEW "}" NEW, strlen (OLD "}" NEW "}"), TRUE },
    { OLD "}\n{\"cudahis" NEW "}" NEW "}", strlen (OLD "}\n{\"cudahis" NEW "}" NEW "}"), TRUE }, /* torn earlier */
    { OLD "}\n{\"cudahis" NEW "}" NEW, strlen (OLD "}\n{\"cudahis" NEW "}"), TRUE },
    { long_start, 0, FALSE },
    { long_line, strlen (long_line), TRUE },
    { no_newlines, strlen (no_newlines), TRUE },
    { torn_last, strlen (no_newlines), TRUE },
    { across, strlen (across), TRUE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    const gchar *there = cases[i].there;
    const gsize kept = cases[i].kept;
    const gchar *path = make_file ("sidecar", there, -1);
    g_autofree gchar *text = NULL;
    GstCudaHistoSidecar *sidecar = open_sidecar (path, GST_CUDA_HISTO_SIDECAR_APPEND);

    check_contents (path, there); /* unchanged before the first line */
    write_result (sidecar, 0);
    close_sidecar (sidecar, 1);
    fail_unless (g_file_get_contents (path, &text, NULL, NULL));
    fail_unless (strncmp (text, there, kept) == 0 && (!cases[i].ends || text[kept] == '\n'), "case %u: %s", i, text);
    fail_unless_equals_uint64 (calls.cut, strlen (there) - kept);
    fail_unless (g_file_set_contents (path, text + kept + (cases[i].ends ? 1 : 0), -1, NULL));
    check_lines (path, 1);
  }
}

/* NULs at the end, as some file systems leave after a system crash. */
TEST (test_append_to_nothing)
{
  static const gchar text[] = OLD "}\n\0\0\0";
  const gchar *path = make_path ("sidecar");
  g_autofree gchar *contents = NULL;
  GstCudaHistoSidecar *sidecar;

  fail_unless (g_file_set_contents (path, text, sizeof text, NULL));
  sidecar = open_sidecar (path, GST_CUDA_HISTO_SIDECAR_APPEND);
  write_result (sidecar, 0);
  close_sidecar (sidecar, 1);
  fail_unless (g_file_get_contents (path, &contents, NULL, NULL));
  fail_unless (g_str_has_prefix (contents, OLD "}\n{\"cudahisto\":1,"), "%s", contents);
  fail_unless_equals_uint64 (calls.cut, 4);
}

/* The time is linear in the text after the last newline. Too much such text is an error. */
TEST (test_append_to_much)
{
  for (guint is_too_much = 0; is_too_much < 2; is_too_much++) {
    const gchar *path = make_file ("sidecar", OLD "}\n{", -1);
    const off_t size = 60 * 1000 * 1000 + (is_too_much ? 10 * 1000 * 1000 : 0);
    GstCudaHistoSidecar *sidecar = open_sidecar (path, GST_CUDA_HISTO_SIDECAR_APPEND);
    const gint64 start = g_get_monotonic_time ();
    GStatBuf status;

    fail_unless (truncate (path, size) == 0);
    write_result (sidecar, 0);
    close_sidecar (sidecar, is_too_much ? 0 : 1);
    fail_unless (g_get_monotonic_time () - start < PATIENCE);
    fail_unless (g_stat (path, &status) == 0);
    fail_unless_equals_int (calls.failures, is_too_much);
    if (is_too_much) {
      fail_unless (strstr (calls.error->message, "64 MiB") != NULL && strstr (calls.error->message, path) != NULL);
      fail_unless_equals_int64 (status.st_size, size);
    } else {
      fail_unless (status.st_size < 100000);
    }
  }
}

/* A start without lines changes no file, and neither does a start that fails because the thread gets no descriptor. */
TEST (test_no_lines)
{
  static const gchar line[] = OLD "}\n{\"el";
  const gchar *path = make_file ("sidecar", line, -1), *absent = make_path ("absent");
  const gchar *names[] = { path, absent };

  for (guint i = 0; i < 2 * 2 * G_N_ELEMENTS (names); i++) {
    const gchar *name = names[i / 4];
    const gboolean starts = i % 2 == 0;
    GstCudaHistoSidecar *sidecar = make_sidecar ();
    g_autoptr (GError) error = NULL;
    gboolean is_started;
    rlim_t before;
    gint fd;

    fail_unless (gst_cuda_histo_sidecar_open (sidecar, name, i / 2 % 2, GST_CUDA_HISTO_SIDECAR_SLOW_AUTO, NULL));
    fd = dup (0);
    close (fd);
    before = set_limit (RLIMIT_NOFILE, (rlim_t)fd);
    if (starts)
      set_limit (RLIMIT_NOFILE, before);
    is_started = gst_cuda_histo_sidecar_start (sidecar, &error);
    set_limit (RLIMIT_NOFILE, before);
    fail_unless (is_started == starts && (error == NULL) == starts);
    gst_cuda_histo_sidecar_drain (sidecar);
    close_sidecar (sidecar, 0);
    check_contents (path, line);
    fail_if (g_file_test (absent, G_FILE_TEST_EXISTS));
  }
}

/* At the end of a stream without results, the file is prepared as before a first line. */
TEST (test_end_without_lines)
{
  const gchar *path = make_file ("sidecar", OLD "}\n{\"el", -1), *absent = make_path ("absent");
  GstCudaHistoSidecar *sidecar = open_sidecar (path, GST_CUDA_HISTO_SIDECAR_APPEND);

  gst_cuda_histo_sidecar_end_stream (sidecar);
  gst_cuda_histo_sidecar_drain (sidecar);
  check_contents (path, OLD "}\n");
  fail_unless_equals_uint64 (close_sidecar (sidecar, 0), 0);

  for (guint i = 0; i < 2; i++) {
    const gchar *name = i == 0 ? path : absent;

    sidecar = open_sidecar (name, GST_CUDA_HISTO_SIDECAR_TRUNCATE);
    gst_cuda_histo_sidecar_end_stream (sidecar);
    gst_cuda_histo_sidecar_drain (sidecar);
    check_contents (name, "");
    write_result (sidecar, 0); /* of the next stream */
    gst_cuda_histo_sidecar_end_stream (sidecar);
    gst_cuda_histo_sidecar_drain (sidecar);
    check_lines (name, 1);
    fail_unless_equals_uint64 (close_sidecar (sidecar, 1), 0);
    check_lines (name, 1);
  }
}

/* The file changes between the start and the first line. */
TEST (test_late_first_line)
{
  const gchar *path = make_file ("sidecar", OLD "}\n", -1), *rotated = make_path ("rotated");
  GstCudaHistoSidecar *sidecar = open_sidecar (path, GST_CUDA_HISTO_SIDECAR_TRUNCATE);

  g_autofree gchar *text = NULL;

  /* A renamed file gets the lines, after those that it has. */
  fail_unless (g_rename (path, rotated) == 0);
  write_result (sidecar, 0);
  close_sidecar (sidecar, 1);
  fail_unless (g_file_get_contents (rotated, &text, NULL, NULL));
  fail_unless (g_str_has_prefix (text, OLD "}\n{\"cudahisto\"") && g_str_has_suffix (text, "}\n"), "%s", text);
  fail_if (g_file_test (path, G_FILE_TEST_EXISTS));

  /* A file that another program has written stays unchanged. */
  for (guint mode = 0; mode < 2; mode++) {
    GstCudaHistoSidecar *late = open_sidecar (path, mode);
    gint fd = g_open (path, O_WRONLY, 0);

    fail_unless (write (fd, "film", 4) == 4);
    close (fd);
    write_result (late, 0);
    fail_unless_equals_uint64 (close_sidecar (late, 0), 1);
    fail_unless_equals_int (calls.failures, 1);
    g_assert_error (calls.error, G_IO_ERROR, G_IO_ERROR_EXISTS);
    check_contents (path, "film");
    g_remove (path);
  }
}

/* A file that may not grow at all is an error, and its signal does not end the process. */
TEST (test_no_room_for_a_newline)
{
  const gchar *path = make_file ("sidecar", OLD "}", -1);
  GstCudaHistoSidecar *sidecar = open_sidecar (path, GST_CUDA_HISTO_SIDECAR_APPEND);
  const rlim_t before = set_limit (RLIMIT_FSIZE, strlen (OLD "}")); /* also limits Check's files: no assertions meanwhile */
  write_result (sidecar, 0);
  gst_cuda_histo_sidecar_drain (sidecar);
  set_limit (RLIMIT_FSIZE, before);
  fail_unless_equals_int (calls.failures, 1);
  fail_unless_equals_uint64 (close_sidecar (sidecar, 0), 1);
  check_contents (path, OLD "}");
}

/* A sidecar that cannot be read is not reported as another file. */
TEST (test_no_descriptors)
{
  const gchar *path = make_file ("sidecar", OLD "}\n", -1);
  GstCudaHistoSidecar *sidecar = make_sidecar ();
  const gint fd = dup (0);
  g_autoptr (GError) error = NULL;
  gboolean is_open;
  rlim_t before;

  close (fd);
  before = set_limit (RLIMIT_NOFILE, (rlim_t)fd + 1); /* one, enough to open the file only */
  is_open
      = gst_cuda_histo_sidecar_open (sidecar, path, GST_CUDA_HISTO_SIDECAR_TRUNCATE, GST_CUDA_HISTO_SIDECAR_SLOW_AUTO, &error);
  set_limit (RLIMIT_NOFILE, before);
  fail_if (is_open);
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_TOO_MANY_OPEN_FILES);
  gst_cuda_histo_sidecar_free (sidecar);
  check_contents (path, OLD "}\n");
}

TEST (test_full_device)
{
  GstCudaHistoSidecar *sidecar = open_sidecar ("/dev/full", GST_CUDA_HISTO_SIDECAR_TRUNCATE);

  write_results (sidecar, 0, 5);
  wait_until (has_failed ());
  write_results (sidecar, 5, 5);
  fail_unless_equals_uint64 (close_sidecar (sidecar, 0), 10);
  fail_unless_equals_int (calls.failures, 1);
  fail_unless_equals_int (calls.notices, 0);
  g_assert_error (calls.error, G_IO_ERROR, G_IO_ERROR_NO_SPACE);
}

/* If the file may not grow, a write fails in the middle of a line, as on a full disk. */
TEST (test_half_a_line_is_taken_back)
{
  const gchar *path = make_path ("file.jsonl");
  GstCudaHistoSidecar *sidecar = open_sidecar (path, GST_CUDA_HISTO_SIDECAR_TRUNCATE);
  GStatBuf status;
  rlim_t before;

  write_result (sidecar, 0);
  gst_cuda_histo_sidecar_drain (sidecar);
  g_stat (path, &status);
  before = set_limit (RLIMIT_FSIZE, (rlim_t)status.st_size * 5 / 2); /* its signal does not end the process */

  write_results (sidecar, 1, 3);
  wait_until (has_failed ());
  set_limit (RLIMIT_FSIZE, before);
  fail_unless (calls.error->domain == G_IO_ERROR);
  check_lines (path, 2);
  write_result (sidecar, 4); /* dropped: it would follow lost lines */
  fail_unless_equals_uint64 (close_sidecar (sidecar, 2), 3);
  check_lines (path, 2);
}

/* ---- open files of the process ---------------------------------------------------------------------------------------- */

static gchar *
make_fd_path (gint fd)
{
  g_autofree gchar *path = g_strdup_printf ("/dev/fd/%d", fd);

  if (g_file_test (path, G_FILE_TEST_EXISTS))
    return g_steal_pointer (&path);
  g_print ("No /dev/fd, as without /proc: not checked\n");
  return NULL;
}

TEST (test_pipe)
{
  gint ends[2];
  gchar line[8192] = "";
  GstCudaHistoSidecar *sidecar;

  fail_unless (pipe (ends) == 0);
  g_autofree gchar *path = make_fd_path (ends[1]);
  if (path == NULL) {
    close (ends[0]);
    close (ends[1]);
    return;
  }
  sidecar = open_sidecar (path, GST_CUDA_HISTO_SIDECAR_TRUNCATE);
  fail_unless_equals_int (fcntl (ends[1], F_GETFL) & O_NONBLOCK, 0); /* other processes share it */
  check_refused (path, G_IO_ERROR_BUSY); /* only the process's list of open files refuses the second */
  write_result (sidecar, 0);
  fail_unless (read (ends[0], line, sizeof line - 1) > 0);
  fail_unless (g_str_has_prefix (line, "{\"cudahisto\":1,\"element\":\"histo\",") && g_str_has_suffix (line, "}\n"));

  /* A reader that closes the pipe is an error, and its signal does not end the process. */
  close (ends[0]);
  write_results (sidecar, 1, 2);
  wait_until (has_failed ());
  g_assert_error (calls.error, G_IO_ERROR, G_IO_ERROR_BROKEN_PIPE);
  fail_unless_equals_uint64 (close_sidecar (sidecar, 1), 2);
  fail_unless_equals_int (calls.failures, 1);
  close (ends[1]);
}

/* A descriptor as of a shell's > and >>. */
TEST (test_given_file)
{
  for (guint appends = 0; appends < 2; appends++) {
    const gchar *path = make_file ("log", "a log\n", -1);
    g_autofree gchar *text = NULL, *fd_path = NULL;
    gchar *at;
    const gint fd = g_open (path, O_WRONLY | (appends ? O_APPEND : 0), 0);
    GstCudaHistoSidecar *sidecar;

    fd_path = make_fd_path (fd);
    if (!appends)
      fail_unless (lseek (fd, 2, SEEK_SET) == 2);
    if (fd_path != NULL) {
      sidecar = open_sidecar (fd_path, GST_CUDA_HISTO_SIDECAR_TRUNCATE);
      write_result (sidecar, 0);
      gst_cuda_histo_sidecar_drain (sidecar);
      fail_unless (write (fd, "between\n", 8) == 8);
      write_result (sidecar, 1);
      close_sidecar (sidecar, 2);
      fail_unless (write (fd, "after\n", 6) == 6);

      fail_unless (g_file_get_contents (path, &text, NULL, NULL));
      fail_unless (g_str_has_prefix (text, appends ? "a log\n{\"cudahisto\":1," : "a {\"cudahisto\":1,"), "%s", text);
      at = strstr (text, "}\nbetween\n{\"cudahisto\":1,");
      fail_unless (at != NULL, "%s", text);
      fail_unless (g_str_has_suffix (at, "}\nafter\n"), "%s", text);
    }
    close (fd);
  }
}

/* A descriptor that is not writable. */
TEST (test_given_to_read)
{
  const gint fd = g_open ("/dev/null", O_RDONLY, 0);
  g_autofree gchar *path = make_fd_path (fd);

  if (path != NULL)
    check_refused (path, G_IO_ERROR_PERMISSION_DENIED);
  check_refused ("/dev/fd/99999", G_IO_ERROR_FAILED);
  close (fd);
}

/* Standard output was closed at the start of the process. Its descriptor is now closed, or is something else. */
TEST (test_closed_output)
{
  static const gchar *const names[] = { "-", "/dev/stdout", "/dev/stderr" };
  gint kept[2], pair[2], counter = eventfd (0, 0);

  fail_unless (socketpair (AF_UNIX, SOCK_STREAM, 0, pair) == 0);
  for (gint fd = 1; fd <= 2; fd++)
    kept[fd - 1] = dup (fd);
  for (guint what = 0; what < 3; what++) {
    for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
      const gint fd = i < 2 ? 1 : 2;
      GstCudaHistoSidecar *sidecar = make_sidecar ();
      g_autoptr (GError) error = NULL;
      gboolean is_open;

      if (what == 0)
        close (fd);
      else
        dup2 (what == 1 ? pair[0] : counter, fd);
      is_open = gst_cuda_histo_sidecar_open (sidecar, names[i], 0, GST_CUDA_HISTO_SIDECAR_SLOW_AUTO, &error);
      gst_cuda_histo_sidecar_close (sidecar);
      gst_cuda_histo_sidecar_free (sidecar);
      dup2 (kept[fd - 1], fd);
      fail_if (is_open, "%s is open", names[i]);
      fail_unless (strstr (error->message, fd == 1 ? "Descriptor 1" : "Descriptor 2") != NULL, "%s", error->message);
    }
  }
  for (guint i = 0; i < 2; i++) {
    close (kept[i]);
    close (pair[i]);
  }
  close (counter);
}

/* ---- slow readers ----------------------------------------------------------------------------------------------------- */

/* A pipe without a reader is refused, since opening it would wait for one. */
TEST (test_named_pipe)
{
  const gchar *path = make_path ("pipe");
  gchar line[8192] = "";
  GstCudaHistoSidecar *sidecar;
  gint reader;

  fail_unless (mkfifo (path, 0600) == 0);
  check_refused (path, G_IO_ERROR_BROKEN_PIPE);

  reader = g_open (path, O_RDONLY | O_NONBLOCK, 0);
  fail_unless (reader >= 0);
  sidecar = open_sidecar (path, GST_CUDA_HISTO_SIDECAR_TRUNCATE);
  write_result (sidecar, 0);
  close_sidecar (sidecar, 1);
  fail_unless (read (reader, line, sizeof line - 1) > 0);
  fail_unless (g_str_has_prefix (line, "{\"cudahisto\":1,\"element\":\"histo\",") && g_str_has_suffix (line, "}\n"));
  fail_unless_equals_int (read (reader, line, sizeof line), 0); /* the sidecar has closed it */
  close (reader);
}

/* Attempts to meet a time limit, since a loaded machine may delay a test. */
#define ATTEMPTS 5

/* The pipe stays open and is never read: the writer continues, lines are reported as dropped, and close returns. Returns the
 * time from the stop to the end. */
static gint64
write_to_dead_reader (void)
{
  gint reader;
  const gchar *path = make_pipe ("pipe", &reader);
  GstCudaHistoSidecar *sidecar = open_sidecar (path, GST_CUDA_HISTO_SIDECAR_TRUNCATE);
  gint64 start = g_get_monotonic_time ();
  const gint64 opened = start;
  guint64 written, dropped, before_close;
  guint drained;

  use_long_lines ();
  write_results (sidecar, 0, FLOOD);
  gst_cuda_histo_sidecar_drain (sidecar); /* does not wait */
  fail_unless (g_get_monotonic_time () - start < PATIENCE);
  g_mutex_lock (&calls.lock);
  dropped = calls.dropped;
  drained = calls.notices;
  g_mutex_unlock (&calls.lock);
  gst_cuda_histo_sidecar_get_counts (sidecar, &written, &before_close);
  fail_unless (before_close > 0 && written < FLOOD);
  fail_unless (drained >= 1); /* at once, and at the drain; a late thread reports both together */
  fail_unless (drained <= 3 + (guint)((g_get_monotonic_time () - start) / G_TIME_SPAN_SECOND));
  fail_unless_equals_uint64 (dropped, before_close);

  /* Later drops are reported a second later, even if no line follows. */
  write_results (sidecar, FLOOD, 10);
  gst_cuda_histo_sidecar_get_counts (sidecar, &written, &before_close);
  wait_until ((g_mutex_lock (&calls.lock), dropped = calls.dropped, g_mutex_unlock (&calls.lock), dropped == before_close));
  /* At most one notice a second, and that of the drain, which comes at once. */
  fail_unless (calls.notices <= 3 + (guint)((g_get_monotonic_time () - opened) / G_TIME_SPAN_SECOND));

  start = g_get_monotonic_time ();
  gst_cuda_histo_sidecar_stop (sidecar);
  g_usleep (G_TIME_SPAN_SECOND);
  dropped = close_sidecar (sidecar, written);
  fail_unless_equals_uint64 (dropped, FLOOD + 10 - written);
  start = g_get_monotonic_time () - start;
  close (reader);
  g_remove (path);
  return start;
}

TEST (test_dead_reader)
{
  gint64 time = G_MAXINT64;

  for (guint i = 0; i < ATTEMPTS && time >= 5 * G_TIME_SPAN_SECOND / 2; i++) {
    time = write_to_dead_reader ();
    fail_unless (time >= 19 * G_TIME_SPAN_SECOND / 10); /* the end waits two seconds for a slow reader */
  }
  fail_unless (time < 5 * G_TIME_SPAN_SECOND / 2, "%d us", (gint)time);
}

/* Fails unless the text consists of whole lines with increasing frames. Returns their number. */
static guint
check_growing_lines (const gchar *text)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  guint count = MAX (g_strv_length (lines), 1) - 1; /* an empty text has no pieces */
  gint64 last = -1;

  fail_unless (count == 0 || lines[count][0] == '\0');
  for (guint i = 0; i < count; i++) {
    g_autoptr (JsonParser) parser = json_parser_new ();
    gint64 frame;

    fail_unless (json_parser_load_from_data (parser, lines[i], -1, NULL), "line %u: %s", i, lines[i]);
    frame = json_object_get_int_member (json_node_get_object (json_parser_get_root (parser)), "frame");
    fail_unless (frame > last);
    last = frame;
  }
  return count;
}

/* A reader that starts late gets whole lines. */
TEST (test_late_reader)
{
  gint reader;
  const gchar *path = make_pipe ("pipe", &reader);
  GstCudaHistoSidecar *sidecar = open_sidecar (path, GST_CUDA_HISTO_SIDECAR_TRUNCATE);
  guint64 written, dropped;
  GThread *thread;

  use_long_lines ();
  write_results (sidecar, 0, FLOOD);
  thread = g_thread_new ("reader", read_pipe, GINT_TO_POINTER (reader));
  gst_cuda_histo_sidecar_get_counts (sidecar, &written, &dropped);
  fail_unless (dropped > 0 && dropped < FLOOD);
  wait_until (count_written (sidecar) == FLOOD - dropped);
  write_results (sidecar, FLOOD, 10); /* now they fit again */
  written = FLOOD - dropped + 10;
  fail_unless_equals_uint64 (close_sidecar (sidecar, written), dropped);
  g_autofree gchar *text = g_thread_join (thread);
  fail_unless_equals_uint64 (check_growing_lines (text), written);
  close (reader);
}

/* Reads little for a while, and then everything. */
typedef struct {
  gint fd;
  gsize portion; /* bytes, twice a second */
} SlowReader;

static gpointer
read_slowly (gpointer data)
{
  const SlowReader *reader = data;
  GString *text = g_string_new (NULL);
  gchar block[8192];
  gssize size;

  fcntl (reader->fd, F_SETFL, 0);
  for (guint i = 0; i < 5; i++) {
    g_usleep (G_TIME_SPAN_SECOND / 2);
    size = read (reader->fd, block, reader->portion);
    fail_unless (size > 0);
    g_string_append_len (text, block, size);
  }
  while ((size = read (reader->fd, block, sizeof block)) > 0)
    g_string_append_len (text, block, size);
  return g_string_free (text, FALSE);
}

/* The end waits while a reader still reads from a pipe or a socket, even if too little for another line to fit. */
TEST (test_slow_reader_at_end)
{
  static const gsize portions[] = { 200, 8000 };

  for (guint i = 0; i < G_N_ELEMENTS (portions); i++) {
    SlowReader reader = { .portion = portions[i] };
    gint ends[2];
    gchar *path, *text;
    GstCudaHistoSidecar *sidecar;
    GThread *thread;

    fail_unless (i == 0 ? pipe (ends) == 0 : socketpair (AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    reader.fd = ends[0];
    path = make_fd_path (ends[1]);
    if (path != NULL) {
      use_long_lines ();
      sidecar = open_sidecar (path, GST_CUDA_HISTO_SIDECAR_TRUNCATE);
      write_results (sidecar, 0, 100);
      thread = g_thread_new ("reader", read_slowly, &reader);
      gst_cuda_histo_sidecar_drain_at_end (sidecar);
      fail_unless_equals_uint64 (count_written (sidecar), 100);
      fail_unless_equals_uint64 (calls.stuck, 0);
      close_sidecar (sidecar, 100);
      close (ends[1]);
      text = g_thread_join (thread);
      fail_unless_equals_int (check_growing_lines (text), 100);
      g_free (text);
      g_free (path);
    }
    close (ends[0]);
  }
}

static gpointer
flush_soon (gpointer sidecar)
{
  g_usleep (G_TIME_SPAN_SECOND / 2);
  gst_cuda_histo_sidecar_set_flushing (sidecar, TRUE);
  return NULL;
}

static gpointer
stop_soon (gpointer sidecar)
{
  g_usleep (G_TIME_SPAN_SECOND / 2);
  gst_cuda_histo_sidecar_stop (sidecar);
  return NULL;
}

/* The end waits two seconds for a dead reader. A flush or a stop ends the wait. Returns whether each wait was short enough. */
static gboolean
end_with_dead_reader (void)
{
  gboolean is_in_time = TRUE;
  gint reader;
  const gchar *path = make_pipe ("pipe", &reader);
  GstCudaHistoSidecar *sidecar = open_sidecar (path, GST_CUDA_HISTO_SIDECAR_TRUNCATE);
  guint64 written;

  use_long_lines ();
  write_results (sidecar, 0, 50);
  for (guint way = 0; way < 3; way++) {
    const gint64 start = g_get_monotonic_time ();
    GThread *thread = way == 0 ? NULL : g_thread_new ("end", way == 1 ? flush_soon : stop_soon, sidecar);
    gint64 time;

    calls.stuck = 0;
    gst_cuda_histo_sidecar_drain_at_end (sidecar);
    time = g_get_monotonic_time () - start;
    written = count_written (sidecar);
    fail_unless_equals_uint64 (calls.stuck, way == 0 ? 50 - written : 0);
    fail_unless (time >= (way == 0 ? 19 : 4) * G_TIME_SPAN_SECOND / 10, "%u: %d us", way, (gint)time);
    is_in_time &= time < (way == 0 ? 4 : 2) * G_TIME_SPAN_SECOND;
    if (thread != NULL)
      g_thread_join (thread);
    gst_cuda_histo_sidecar_set_flushing (sidecar, FALSE);
  }
  fail_unless_equals_uint64 (close_sidecar (sidecar, written), 50 - written);
  close (reader);
  g_remove (path);
  return is_in_time;
}

TEST (test_dead_reader_at_end)
{
  gboolean is_in_time = FALSE;

  for (guint i = 0; i < ATTEMPTS && !is_in_time; i++)
    is_in_time = end_with_dead_reader ();
  fail_unless (is_in_time);
}

/* With `block` the writer waits for the reader, or until the sidecar is stopped. */
TEST (test_block)
{
  for (guint is_read = 0; is_read < 2; is_read++) {
    gint reader;
    const gchar *path = make_pipe ("pipe", &reader);
    g_autofree gchar *text = NULL;
    GstCudaHistoSidecar *sidecar
        = open_sidecar_slowly (path, GST_CUDA_HISTO_SIDECAR_TRUNCATE, GST_CUDA_HISTO_SIDECAR_SLOW_BLOCK);
    gint64 start = g_get_monotonic_time ();
    guint64 written;
    GThread *thread;

    use_long_lines ();
    if (is_read) {
      thread = g_thread_new ("reader", read_pipe, GINT_TO_POINTER (reader));
      write_results (sidecar, 0, FLOOD);
      gst_cuda_histo_sidecar_drain (sidecar);
      fail_unless_equals_uint64 (count_written (sidecar), FLOOD);
      fail_unless_equals_uint64 (close_sidecar (sidecar, FLOOD), 0);
      text = g_thread_join (thread);
      fail_unless_equals_uint64 (check_growing_lines (text), FLOOD);
    } else {
      thread = g_thread_new ("stop", stop_soon, sidecar);
      write_results (sidecar, 0, FLOOD);
      fail_unless (g_get_monotonic_time () - start >= G_TIME_SPAN_SECOND / 2);
      gst_cuda_histo_sidecar_drain (sidecar);
      written = count_written (sidecar);
      fail_unless_equals_uint64 (close_sidecar (sidecar, written), FLOOD - written);
      fail_unless (g_get_monotonic_time () - start < PATIENCE);
      g_thread_join (thread);
    }
    close (reader);
    g_remove (path);
  }
}

/* A thread that writes `count` lines or, if that is 0, waits until the queued lines are written. */
typedef struct {
  GstCudaHistoSidecar *sidecar;
  guint64 first, count;
  GThread *thread;
  gint is_done; /* atomic */
} Waiter;

static gpointer
wait_in_sidecar (gpointer data)
{
  Waiter *waiter = data;

  write_results (waiter->sidecar, waiter->first, waiter->count);
  if (waiter->count == 0)
    gst_cuda_histo_sidecar_drain (waiter->sidecar);
  g_atomic_int_set (&waiter->is_done, TRUE);
  return NULL;
}

/* Starts it, and fails unless it waits. */
static void
start_waiter (Waiter *waiter, GstCudaHistoSidecar *sidecar, guint64 first, guint64 count)
{
  *waiter = (Waiter){ .sidecar = sidecar, .first = first, .count = count };
  waiter->thread = g_thread_new ("waiter", wait_in_sidecar, waiter);
  g_usleep (G_TIME_SPAN_SECOND / 4);
  fail_if (g_atomic_int_get (&waiter->is_done));
}

static void
flush_waiter (Waiter *waiter)
{
  gst_cuda_histo_sidecar_set_flushing (waiter->sidecar, TRUE);
  wait_until (g_atomic_int_get (&waiter->is_done));
  g_thread_join (waiter->thread);
  gst_cuda_histo_sidecar_set_flushing (waiter->sidecar, FALSE);
}

/* A flush ends all waits for a reader, and no line is lost. After the flush, threads wait as before. */
TEST (test_flush)
{
  static gchar name[400000]; /* a dozen such lines fill the queue */
  gint reader;
  const gchar *path = make_pipe ("pipe", &reader);
  GstCudaHistoSidecar *sidecar = open_sidecar_slowly (path, GST_CUDA_HISTO_SIDECAR_TRUNCATE, GST_CUDA_HISTO_SIDECAR_SLOW_BLOCK);
  guint64 written, dropped;
  Waiter waiter;
  GThread *thread;

  memset (name, 'x', sizeof name - 1);
  element_name = name;
  write_results (sidecar, 0, 3);
  start_waiter (&waiter, sidecar, 0, 0);
  flush_waiter (&waiter);

  for (guint64 i = 0; i < 2; i++) { /* the second time the queue is full from the beginning */
    start_waiter (&waiter, sidecar, 3 + i * 20, 20);
    flush_waiter (&waiter);
  }
  gst_cuda_histo_sidecar_set_flushing (sidecar, TRUE);
  write_result (sidecar, 43);
  gst_cuda_histo_sidecar_drain (sidecar);
  gst_cuda_histo_sidecar_set_flushing (sidecar, FALSE);
  gst_cuda_histo_sidecar_get_counts (sidecar, &written, &dropped);
  fail_unless_equals_uint64 (written, 0);
  fail_unless_equals_uint64 (dropped, 0);

  start_waiter (&waiter, sidecar, 44, 1);
  thread = g_thread_new ("reader", read_pipe, GINT_TO_POINTER (reader));
  g_thread_join (waiter.thread);
  gst_cuda_histo_sidecar_drain (sidecar);
  fail_unless_equals_uint64 (close_sidecar (sidecar, 45), 0);
  g_autofree gchar *text = g_thread_join (thread);
  fail_unless_equals_int (check_growing_lines (text), 45);
  close (reader);
}

/* Opening the sidecar again ends a flush. If lines are dropped, a flush does not enlarge the queue. */
TEST (test_flush_is_no_more)
{
  static gchar name[400000];
  gint reader;
  const gchar *path = make_pipe ("pipe", &reader);
  GstCudaHistoSidecar *sidecar = make_sidecar ();
  guint64 written, dropped;
  Waiter waiter;

  memset (name, 'x', sizeof name - 1);
  element_name = name;
  gst_cuda_histo_sidecar_set_flushing (sidecar, TRUE);
  for (guint i = 0; i < 2; i++) {
    fail_unless (gst_cuda_histo_sidecar_open (sidecar, path, GST_CUDA_HISTO_SIDECAR_TRUNCATE,
                                              i == 0 ? GST_CUDA_HISTO_SIDECAR_SLOW_BLOCK : GST_CUDA_HISTO_SIDECAR_SLOW_DROP,
                                              NULL));
    fail_unless (gst_cuda_histo_sidecar_start (sidecar, NULL));
    if (i == 0) {
      start_waiter (&waiter, sidecar, 0, 20);
      flush_waiter (&waiter);
    } else {
      gst_cuda_histo_sidecar_set_flushing (sidecar, TRUE);
      write_results (sidecar, 0, 20);
      gst_cuda_histo_sidecar_get_counts (sidecar, &written, &dropped);
      fail_unless (dropped > 0 && dropped < 20);
    }
    close (reader); /* so that closing need not wait */
    gst_cuda_histo_sidecar_close (sidecar);
    reader = g_open (path, O_RDONLY | O_NONBLOCK, 0);
  }
  gst_cuda_histo_sidecar_free (sidecar);
  close (reader);
}

/* A file gets all lines, even long after the stop. */
TEST (test_late_lines)
{
  const gchar *path = make_path ("file.jsonl");
  GstCudaHistoSidecar *sidecar = open_sidecar (path, GST_CUDA_HISTO_SIDECAR_TRUNCATE);

  gst_cuda_histo_sidecar_stop (sidecar);
  g_usleep (GST_CUDA_HISTO_SIDECAR_STOP_TIME + G_TIME_SPAN_SECOND / 10);
  write_results (sidecar, 0, 100);
  fail_unless_equals_uint64 (close_sidecar (sidecar, 100), 0);
  check_lines (path, 100);
}

/* ---- log rotation ----------------------------------------------------------------------------------------------------- */

typedef struct {
  GstCudaHistoSidecar *sidecar;
  guint count;
} Writer;

static gpointer
write_all (gpointer data)
{
  Writer *writer = data;

  write_results (writer->sidecar, 0, writer->count);
  return NULL;
}

/* Rotation while lines are being written: each line is in one of the files, in order. */
TEST (test_rotation)
{
  const gchar *path = make_path ("file.jsonl");
  Writer writer = { open_sidecar (path, GST_CUDA_HISTO_SIDECAR_TRUNCATE), 2000 };
  GThread *thread = g_thread_new ("writer", write_all, &writer);
  GstCudaHistoSidecar *other = make_sidecar ();
  g_autoptr (GString) all = g_string_new (NULL);
  gchar *text;

  for (guint i = 0; i < 5; i++) {
    const gchar *rotated = make_path ("file.jsonl.%u", i);

    g_usleep (5000);
    fail_unless (g_rename (path, rotated) == 0);
    fail_unless (gst_cuda_histo_sidecar_reopen (writer.sidecar));
    fail_unless (g_file_test (path, G_FILE_TEST_EXISTS));
    fail_unless (gst_cuda_histo_sidecar_reopen (writer.sidecar)); /* nothing was renamed: nothing happens */
    fail_unless (g_file_get_contents (rotated, &text, NULL, NULL));
    check_growing_lines (text);
    g_string_append (all, text);
    /* Another sidecar may open the old file. */
    fail_unless (
        gst_cuda_histo_sidecar_open (other, rotated, GST_CUDA_HISTO_SIDECAR_APPEND, GST_CUDA_HISTO_SIDECAR_SLOW_AUTO, NULL));
    gst_cuda_histo_sidecar_close (other);
    g_free (text);
  }
  g_thread_join (thread);
  fail_unless_equals_uint64 (close_sidecar (writer.sidecar, writer.count), 0);
  fail_unless (g_file_get_contents (path, &text, NULL, NULL));
  g_string_append (all, text);
  fail_unless_equals_int (check_growing_lines (all->str), writer.count);
  gst_cuda_histo_sidecar_free (other);
  g_free (text);
}

/* A pipe takes the place of the file: the sidecar does not wait for a dead reader. */
TEST (test_rotation_to_a_pipe)
{
  const gchar *file_path = make_path ("pipe"), *rotated = make_path ("rotated");
  GstCudaHistoSidecar *sidecar = open_sidecar (file_path, GST_CUDA_HISTO_SIDECAR_TRUNCATE);
  guint64 written;
  gint reader;

  write_result (sidecar, 0);
  gst_cuda_histo_sidecar_drain (sidecar);
  fail_unless (g_rename (file_path, rotated) == 0);
  make_pipe ("pipe", &reader);
  fail_unless (gst_cuda_histo_sidecar_reopen (sidecar));
  use_long_lines ();
  write_results (sidecar, 1, FLOOD);
  gst_cuda_histo_sidecar_drain (sidecar);
  written = count_written (sidecar);
  fail_unless (written < FLOOD);
  close_sidecar (sidecar, written);
  fail_unless (calls.notices >= 1);
  close (reader);
}

/* If another file has the name by then, it stays unchanged, and lines continue in the old file. */
TEST (test_failed_rotation)
{
  const gchar *path = make_path ("file.jsonl"), *rotated = make_path ("rotated");
  GstCudaHistoSidecar *sidecar = open_sidecar (path, GST_CUDA_HISTO_SIDECAR_TRUNCATE);

  write_result (sidecar, 0);
  fail_unless (g_rename (path, rotated) == 0);
  make_file ("file.jsonl", "film", -1);
  fail_if (gst_cuda_histo_sidecar_reopen (sidecar));
  fail_unless_equals_int (calls.not_reopened, 1);
  write_result (sidecar, 1);
  gst_cuda_histo_sidecar_drain (sidecar);
  check_contents (path, "film");
  check_lines (rotated, 2);

  /* No file has the name, but another element would read it: none is created. */
  g_remove (path);
  calls.conflict = "the source reads";
  fail_if (gst_cuda_histo_sidecar_reopen (sidecar));
  fail_unless_equals_int (calls.not_reopened, 2);
  fail_if (g_file_test (path, G_FILE_TEST_EXISTS));
  calls.conflict = NULL;

  /* An existing sidecar is appended to. */
  fail_unless (g_file_set_contents (path, OLD "}\n", -1, NULL));
  fail_unless (gst_cuda_histo_sidecar_reopen (sidecar));
  write_result (sidecar, 2);
  close_sidecar (sidecar, 3);
  fail_unless_equals_int (calls.not_reopened, 2);
  fail_unless_equals_int (calls.failures, 0);
  check_lines (rotated, 2);
}

/* Rotation by copying: another program empties the file. */
TEST (test_shortened_file)
{
  const gchar *path = make_path ("file.jsonl");
  GstCudaHistoSidecar *sidecar = open_sidecar (path, GST_CUDA_HISTO_SIDECAR_TRUNCATE);

  write_results (sidecar, 7, 3);
  gst_cuda_histo_sidecar_drain (sidecar);
  fail_unless (truncate (path, 0) == 0);
  write_results (sidecar, 0, 3);
  close_sidecar (sidecar, 6);
  check_lines (path, 3);
}

TEST_MAIN
