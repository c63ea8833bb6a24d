/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Hours of a stream, as fast as they are counted: nothing is lost, and host memory, GPU memory, files and threads do not grow.
 * CUDAHISTO_SOAK_FRAMES is the number of frames. The default is more than two hours at 60 a second. */

#include <dlfcn.h>
#include <gst/video/video.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rig.h"

#define FRAMES (TEST_IS_SANITIZED ? 8000 : 500000)
#define RESTARTS 100
#define IDLE_THREADS 4                          /* of GLib's pools, which come and go */
#define MAX_UNREAD 128                          /* messages: more of them on the bus also take memory */
#define GROWTH_LIMIT ((gint64)6 * 1024 * 1024)  /* bytes: twelve a frame, less than the least leak; a heap has ups and downs */
#define BLOCKS_LIMIT ((gint64)18 * 1024 * 1024) /* bytes: blocks of gathered buffers, all in flight only if the counter waits */
#define DEVICE_LIMIT ((gint64)4 * 1024 * 1024)  /* bytes: two of the driver's pages */

static guint
get_frame_count (void)
{
  const gchar *wanted = g_getenv ("CUDAHISTO_SOAK_FRAMES");

  return wanted != NULL && atoi (wanted) > 0 ? (guint)atoi (wanted) : FRAMES;
}

/* ---- what may not grow ------------------------------------------------------------------------------------------- */

typedef struct {
  gint64 resident, on_device; /* bytes; 0 where unknown */
  guint files, threads;
} Usage;

static guint
count_entries (const gchar *path)
{
  GDir *directory = g_dir_open (path, 0, NULL);
  guint count = 0;

  ck_assert_msg (directory != NULL, "no %s", path);
  while (g_dir_read_name (directory) != NULL)
    count++;
  g_dir_close (directory);
  return count;
}

static gint64
get_resident (void)
{
  gchar *status = NULL, *line;
  gint64 kib = 0;

#ifdef __GLIBC__
  malloc_trim (0); /* free memory is no leak: which thread frees into which heap differs from run to run */
#endif
  ck_assert (g_file_get_contents ("/proc/self/status", &status, NULL, NULL));
  line = strstr (status, "VmRSS:");
  if (line != NULL)
    kib = g_ascii_strtoll (line + strlen ("VmRSS:"), NULL, 10);
  g_free (status);
  return kib * 1024;
}

/* Returns the used memory of the GPU, by all processes. */
static gint64
get_on_device (void)
{
  static struct {
    int (*init) (unsigned flags);
    int (*retain) (void **context, int device);
    int (*push) (void *context);
    int (*pop) (void **context);
    int (*get_info) (size_t *available, size_t *total);
  } driver;
  static const struct {
    const gchar *name;
    gpointer function;
  } functions[] = {
    { "cuInit", &driver.init },
    { "cuDevicePrimaryCtxRetain", &driver.retain },
    { "cuCtxPushCurrent_v2", &driver.push },
    { "cuCtxPopCurrent_v2", &driver.pop },
    { "cuMemGetInfo_v2", &driver.get_info },
  };
  static void *context;
  size_t available, total;
  void *library, *popped;

  if (g_strcmp0 (get_test_backend (), "cuda") != 0)
    return 0;
  if (context == NULL) { /* for as long as the program runs */
    library = dlopen ("libcuda.so.1", RTLD_NOW);
    ck_assert_msg (library != NULL, "%s", dlerror ());
    for (guint i = 0; i < G_N_ELEMENTS (functions); i++) {
      void *symbol = dlsym (library, functions[i].name);

      if (symbol == NULL) { /* the fake driver has no memory */
        dlclose (library);
        return 0;
      }
      memcpy (functions[i].function, &symbol, sizeof symbol);
    }
    ck_assert_int_eq (driver.init (0), 0);
    ck_assert_int_eq (driver.retain (&context, 0), 0);
  }
  ck_assert_int_eq (driver.push (context), 0);
  ck_assert_int_eq (driver.get_info (&available, &total), 0);
  ck_assert_int_eq (driver.pop (&popped), 0);
  return (gint64)(total - available);
}

static Usage
get_usage (void)
{
  return (Usage){
    .resident = get_resident (),
    .on_device = get_on_device (),
    .files = count_entries ("/proc/self/fd"),
    .threads = count_entries ("/proc/self/task"),
  };
}

/* The largest or smallest of several measurements: variation is not growth. */
static void
keep_most (Usage *kept, Usage usage)
{
  kept->resident = MAX (kept->resident, usage.resident);
  kept->on_device = MAX (kept->on_device, usage.on_device);
  kept->files = MAX (kept->files, usage.files);
  kept->threads = MAX (kept->threads, usage.threads);
}

static void
keep_least (Usage *kept, Usage usage)
{
  if (kept->files == 0)
    *kept = usage;
  kept->resident = MIN (kept->resident, usage.resident);
  kept->on_device = MIN (kept->on_device, usage.on_device);
  kept->files = MIN (kept->files, usage.files);
  kept->threads = MIN (kept->threads, usage.threads);
}

static void
check_usage (const gchar *what, guint64 count, gint64 began, Usage before, Usage after, gint64 growth_limit)
{
  printf ("%s: %" G_GUINT64_FORMAT
          " in %.1f s; resident %.2f MiB, then %.2f; on the device %.1f MiB, then %.1f; files %u, then %u; "
          "threads %u, then %u\n",
          what, count, (gdouble)(g_get_monotonic_time () - began) / G_USEC_PER_SEC, (gdouble)before.resident / (1 << 20),
          (gdouble)after.resident / (1 << 20), (gdouble)before.on_device / (1 << 20), (gdouble)after.on_device / (1 << 20),
          before.files, after.files, before.threads, after.threads);
  fflush (stdout);
  ck_assert_uint_le (after.files, before.files);
  ck_assert_uint_le (after.threads, before.threads + IDLE_THREADS);
  ck_assert_msg (after.on_device - before.on_device <= DEVICE_LIMIT, "the GPU's memory grows");
  if (!TEST_IS_SANITIZED) /* a sanitizer keeps what is freed */
    ck_assert_msg (after.resident - before.resident <= growth_limit, "resident memory grows");
}

/* ---- a stream that is read as fast as it comes ------------------------------------------------------------------- */

typedef struct {
  GstElement *pipeline;
  GstBus *bus;
  guint64 read;    /* frames in the results of the element "messages" */
  guint64 samples; /* and their sum */
  guint64 sum;
  gboolean is_over; /* EOS was read */

  GMutex lock;
  GCond changed;
  guint unread;     /* what came to the sink since the bus was read */
  guint64 received; /* frames at the sink */
  guint64 in_metas; /* frames in the metas of the element "metas" */
} Soak;

/* Counts a buffer, and waits if the bus fills faster than it is read. */
static GstPadProbeReturn
receive (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info, gpointer data)
{
  const GstStructure *meta = get_meta (GST_PAD_PROBE_INFO_BUFFER (info));
  Soak *soak = data;
  guint64 frames = 0;

  if (meta != NULL)
    gst_structure_get_uint64 (meta, "frames", &frames);
  g_mutex_lock (&soak->lock);
  soak->in_metas += frames;
  soak->received++;
  if (++soak->unread == MAX_UNREAD)
    g_cond_broadcast (&soak->changed);
  while (soak->unread >= MAX_UNREAD)
    g_cond_wait (&soak->changed, &soak->lock);
  g_mutex_unlock (&soak->lock);
  return GST_PAD_PROBE_OK;
}

/* `line` has elements named "messages", whose results are read, and "sink". */
static void
open_soak (Soak *soak, const gchar *line)
{
  GError *error = NULL;
  GstElement *sink;
  GstPad *pad;

  *soak = (Soak){ .pipeline = gst_parse_launch (line, &error) };
  ck_assert_msg (error == NULL, "%s: %s", line, error != NULL ? error->message : "");
  g_mutex_init (&soak->lock);
  g_cond_init (&soak->changed);
  soak->bus = gst_element_get_bus (soak->pipeline);
  sink = gst_bin_get_by_name (GST_BIN (soak->pipeline), "sink");
  pad = gst_element_get_static_pad (sink, "sink");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, receive, soak, NULL);
  gst_object_unref (pad);
  gst_object_unref (sink);
  ck_assert_int_ne (gst_element_set_state (soak->pipeline, GST_STATE_PLAYING), GST_STATE_CHANGE_FAILURE);
}

static void
close_soak (Soak *soak)
{
  ck_assert_int_eq (gst_element_set_state (soak->pipeline, GST_STATE_NULL), GST_STATE_CHANGE_SUCCESS);
  gst_clear_object (&soak->bus);
  gst_clear_object (&soak->pipeline);
  g_mutex_clear (&soak->lock);
  g_cond_clear (&soak->changed);
}

static void
read_message (Soak *soak, GstMessage *message)
{
  const GstStructure *structure = gst_message_get_structure (message);

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR
      || (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING && !is_lost_meta (message)))
    ck_abort_msg ("%s", gst_structure_to_string (structure));
  soak->is_over |= GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS;
  if (gst_message_has_name (message, "cudahisto")) {
    const gchar *format = gst_structure_get_string (structure, "format");
    gboolean is_gray = strcmp (format, "GRAY8") == 0;
    gboolean is_bytes = strcmp (format, "bytes") == 0;

    soak->read += get_field_u64 (structure, "frames");
    soak->samples += get_field_u64 (structure, is_bytes ? "byte-count" : is_gray ? "GRAY-count" : "Y-count");
    soak->sum += get_field_u64 (structure, is_bytes ? "byte-sum" : is_gray ? "GRAY-sum" : "Y-sum");
  }
}

/* Reads the bus when it is full: waiting for each message takes longer than counting a frame. So it is equally full from the
 * beginning. */
static void
read_bus (Soak *soak)
{
  gint64 end = g_get_monotonic_time () + G_USEC_PER_SEC / 10;
  GstMessage *message;

  g_mutex_lock (&soak->lock);
  while (soak->unread < MAX_UNREAD && g_cond_wait_until (&soak->changed, &soak->lock, end))
    ;
  g_mutex_unlock (&soak->lock);
  while ((message = gst_bus_pop (soak->bus)) != NULL) {
    read_message (soak, message);
    gst_message_unref (message);
  }
  g_mutex_lock (&soak->lock);
  soak->unread = 0;
  g_cond_broadcast (&soak->changed);
  g_mutex_unlock (&soak->lock);
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */

/* A message for each frame, a dot product, a meta and a line of the sidecar for each second. Every 5000 frames the caps change,
 * and the sidecar is emptied, as log rotation does. */
TEST (test_stream)
{
  static const gchar *const formats[] = {
    "format=GRAY8,width=16,height=16",
    "format=I420,width=16,height=8",
    "format=NV12,width=32,height=8",
    "format=GRAY8,width=8,height=8",
  };
  guint frames = get_frame_count ();
  const gchar *path = make_file ("sidecar", "", 0);
  gint64 began = g_get_monotonic_time ();
  Usage before = { 0 }, after = { 0 };
  guint next_change = 0, next_look = frames / 20;
  GstElement *filter, *element;
  g_autofree gchar *line = NULL, *escaped = NULL;
  Soak soak;

  escaped = g_strescape (path, NULL);
  line = g_strdup_printf (
      "videotestsrc num-buffers=%u pattern=black ! capsfilter name=filter caps=video/x-raw,format=GRAY8 ! "
      "cudahisto name=messages message-arrays=packed dot=previous threads=1 %s ! "
      "cudahisto name=metas threads=1 add-meta=true post-messages=false interval=1000000000 sidecar-location=\"%s\" %s ! "
      "fakesink name=sink sync=false",
      frames, get_backend_words (), escaped, get_backend_words ());
  open_soak (&soak, line);
  filter = gst_bin_get_by_name (GST_BIN (soak.pipeline), "filter");
  while (!soak.is_over) {
    read_bus (&soak);
    if (soak.read >= next_change) {
      g_autofree gchar *caps
          = g_strdup_printf ("video/x-raw,%s,framerate=60/1", formats[next_change / 5000 % G_N_ELEMENTS (formats)]);

      gst_util_set_object_arg (G_OBJECT (filter), "caps", caps);
      if (truncate (path, 0) != 0)
        ck_abort_msg ("%s cannot be emptied", path);
      next_change += 5000;
    }
    /* From a fifth on it is warm. */
    if (soak.read >= next_look && soak.read < frames) {
      if (next_look >= frames / 5 && next_look < frames / 5 * 2)
        keep_most (&before, get_usage ());
      else if (next_look >= frames / 10 * 9)
        keep_least (&after, get_usage ());
      next_look += frames / 100;
    }
  }
  ck_assert_uint_eq (soak.read, frames);
  ck_assert_uint_eq (soak.received, frames);
  ck_assert_uint_eq (soak.sum, 16 * soak.samples); /* black */
  element = gst_bin_get_by_name (GST_BIN (soak.pipeline), "metas");
  ck_assert_uint_eq (get_stat (element, "frames-reported"), frames);
  ck_assert_uint_eq (get_stat (element, "frames-skipped"), 0);
  /* The window that a change of caps ends has no meta. */
  ck_assert_uint_le (soak.in_metas, frames);
  ck_assert_uint_ge (soak.in_metas, frames - (next_change / 5000 + 1) * 60);
  check_usage ("frames", frames, began, before, after, GROWTH_LIMIT);
  gst_object_unref (element);
  gst_object_unref (filter);
  close_soak (&soak);
}

/* Small buffers, which are copied together, in windows across them. Short runs have many too. On a busy machine all blocks that
 * can be in flight may first be in use near the end. */
TEST (test_bytes)
{
  guint count = MAX (get_frame_count (), FRAMES) / 128 * 128;
  gint64 began = g_get_monotonic_time ();
  Usage before = { 0 }, after = { 0 };
  guint next_look = count / 20;
  Soak soak;

  g_autofree gchar *line = g_strdup_printf ("fakesrc num-buffers=%u sizetype=fixed sizemax=512 filltype=zero ! "
                                            "cudahisto name=messages window=bytes window-size=65536 %s ! fakesink name=sink",
                                            count, get_backend_words ());
  open_soak (&soak, line);
  while (!soak.is_over) {
    read_bus (&soak);
    if (soak.read >= next_look && soak.read < count) {
      if (next_look >= count / 5 && next_look < count / 5 * 2)
        keep_most (&before, get_usage ());
      else if (next_look >= count / 10 * 9)
        keep_least (&after, get_usage ());
      next_look += count / 100;
    }
  }
  ck_assert_uint_eq (soak.read, count);
  ck_assert_uint_eq (soak.received, count);
  ck_assert_uint_eq (soak.samples, (guint64)512 * count);
  check_usage ("buffers", count, began, before, after, GROWTH_LIMIT + BLOCKS_LIMIT); /* 50 bytes a buffer */
  close_soak (&soak);
}

/* Resources of a run end with it. */
TEST (test_restarts)
{
  static const gchar *const lines[] = { "", "add-meta=true dot=previous", "window=stream sidecar-location=/dev/null" };
  gint64 began = g_get_monotonic_time ();
  Usage before = { 0 }, after = { 0 };

  for (guint run = 0; run < RESTARTS; run++) {
    free_results (run_line (NULL, "videotestsrc num-buffers=10 ! video/x-raw,width=320,height=240 ! cudahisto %s %s ! fakesink",
                            lines[run % G_N_ELEMENTS (lines)], get_backend_words ()));
    if (run >= RESTARTS / 5 && run < RESTARTS / 5 * 2)
      keep_most (&before, get_usage ());
    else if (run >= RESTARTS / 10 * 9)
      keep_least (&after, get_usage ());
  }
  check_usage ("restarts", RESTARTS, began, before, after, GROWTH_LIMIT);
}

RIG_MAIN (NULL)
