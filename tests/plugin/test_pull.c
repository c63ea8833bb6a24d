/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Pull mode: when the element uses it, its output, seeks and queries, the end, and failures. */

#include <fcntl.h>
#include <gst/base/gstbasesrc.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fakecuda.h"
#include "rig.h"
#include "short.h"

#define BLOCK ((guint64)8 * 1024 * 1024) /* GST_CUDA_HISTO_PULL_BYTES */
enum { SIZE = 5 * 8 * 1024 * 1024 + 12345 };

static guint8 *data;
static const gchar *path;

/* Once for all tests: no test writes there. */
static void
set_up (void)
{
  path = make_file ("any.bin", data, SIZE);
}

/* ---- a source that is not filesrc --------------------------------------------------------------------------------------- */

/* Bytes of `data`, by random access. `location` has the usual name of that property. */
typedef struct {
  GstBaseSrc parent;
  guint64 size;
  guint64 fails_at;       /* reads beyond this byte fail */
  gboolean makes_buffers; /* and does not fill those that it is given */
  gboolean has_caps;
} TestSrc;
typedef GstBaseSrcClass TestSrcClass;

static GstStaticPadTemplate test_src_template
    = GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);

GType test_src_get_type (void);
G_DEFINE_TYPE (TestSrc, test_src, GST_TYPE_BASE_SRC)

static gboolean
test_src_is_seekable (GstBaseSrc *base G_GNUC_UNUSED)
{
  return TRUE;
}

static gboolean
test_src_get_size (GstBaseSrc *base, guint64 *size)
{
  *size = ((TestSrc *)base)->size;
  return TRUE;
}

static GstFlowReturn
test_src_create (GstBaseSrc *base, guint64 offset, guint size, GstBuffer **buffer)
{
  TestSrc *self = (TestSrc *)base;

  if (offset + size > self->fails_at) {
    GST_ELEMENT_ERROR (base, RESOURCE, READ, ("The disk is broken."), (NULL));
    return GST_FLOW_ERROR;
  }
  if (*buffer == NULL || self->makes_buffers)
    *buffer = gst_buffer_new_allocate (NULL, size, NULL);
  gst_buffer_fill (*buffer, 0, data + offset, size); /* and neither its size nor its offset is set */
  return GST_FLOW_OK;
}

static void
test_src_class_init (TestSrcClass *klass)
{
  gst_element_class_add_static_pad_template (GST_ELEMENT_CLASS (klass), &test_src_template);
  gst_element_class_set_static_metadata (GST_ELEMENT_CLASS (klass), "Test", "Source", "Test", "nobody");
  klass->is_seekable = test_src_is_seekable;
  klass->get_size = test_src_get_size;
  klass->create = test_src_create;
}

static void
test_src_init (TestSrc *self)
{
  self->size = SIZE;
  self->fails_at = G_MAXUINT64;
  gst_base_src_set_format (GST_BASE_SRC (self), GST_FORMAT_BYTES);
}

/* ---- a pipeline --------------------------------------------------------------------------------------------------------- */

typedef struct {
  GstElement *pipeline, *element, *sink;
  GstBus *bus;
  GMutex lock;
  GByteArray *bytes; /* input of the sink since the last flush */
  guint buffers, disconts, segments, stream_starts, ends, flushes;
  guint64 next;     /* offset of the next buffer, according to the last one */
  GstFormat format; /* of the last segment */
  gchar *stream_id;
  guint seek_at; /* the sink seeks to byte `seek_to` at this buffer, from 1; 0: never */
  guint64 seek_to;
  GstSeekFlags seek_flags;
  gboolean has_sought;
  gulong delay_us;    /* of each buffer at the sink */
  guint end_at;       /* the sink returns `flow` for this buffer, from 1, and for later ones; 0: never */
  GstFlowReturn flow; /* for them */
  GPtrArray *kept;    /* buffers that the sink keeps, or NULL: it keeps none */
} Line;

static Line line;

static GstPadProbeReturn
look (GstPad *pad, GstPadProbeInfo *info, G_GNUC_UNUSED gpointer user_data)
{
  gboolean seeks = FALSE, ends = FALSE;

  if (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER)
    g_usleep (line.delay_us);
  g_mutex_lock (&line.lock);
  if (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER) {
    GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
    GstMapInfo map;

    if (GST_BUFFER_IS_DISCONT (buffer))
      line.disconts++;
    else
      ck_assert_uint_eq (GST_BUFFER_OFFSET (buffer), line.next);
    ck_assert (gst_buffer_map (buffer, &map, GST_MAP_READ));
    ck_assert_uint_eq (GST_BUFFER_OFFSET_END (buffer), GST_BUFFER_OFFSET (buffer) + map.size);
    line.next = GST_BUFFER_OFFSET_END (buffer);
    ck_assert (line.segments > 0 && line.stream_starts > 0);
    g_byte_array_append (line.bytes, map.data, (guint)map.size);
    gst_buffer_unmap (buffer, &map);
    if (line.kept != NULL)
      g_ptr_array_add (line.kept, gst_buffer_ref (buffer));
    seeks = ++line.buffers == line.seek_at;
    ends = line.end_at != 0 && line.buffers >= line.end_at;
  } else {
    GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info);
    const GstSegment *segment;
    const gchar *stream_id;

    switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_STREAM_START:
      gst_event_parse_stream_start (event, &stream_id);
      g_free (line.stream_id);
      line.stream_id = g_strdup (stream_id);
      line.stream_starts++;
      break;
    case GST_EVENT_SEGMENT:
      gst_event_parse_segment (event, &segment);
      line.format = segment->format;
      line.segments++;
      break;
    case GST_EVENT_EOS:
      line.ends++;
      break;
    case GST_EVENT_FLUSH_STOP:
      g_byte_array_set_size (line.bytes, 0);
      line.flushes++;
      break;
    default:
      break;
    }
  }
  g_mutex_unlock (&line.lock);
  if (seeks)
    line.has_sought = gst_pad_push_event (pad, gst_event_new_seek (1, GST_FORMAT_BYTES, line.seek_flags, GST_SEEK_TYPE_SET,
                                                                   (gint64)line.seek_to, GST_SEEK_TYPE_NONE, -1));
  if (!ends)
    return GST_PAD_PROBE_OK;
  gst_clear_buffer ((GstBuffer **)&info->data);
  GST_PAD_PROBE_INFO_FLOW_RETURN (info) = line.flow;
  return GST_PAD_PROBE_HANDLED;
}

static void
close_line (void)
{
  if (line.pipeline == NULL)
    return;
  gst_element_set_state (line.pipeline, GST_STATE_NULL);
  gst_object_unref (line.element);
  gst_object_unref (line.sink);
  gst_object_unref (line.bus);
  gst_object_unref (line.pipeline);
  g_byte_array_unref (line.bytes);
  g_mutex_clear (&line.lock);
  g_free (line.stream_id);
  line = (Line){ 0 };
}

/* Opens a pipeline with elements named `element` and `sink`, in state NULL, after it has closed the last one. */
static void open_line (const gchar *format, ...) G_GNUC_PRINTF (1, 2);

static void
open_line (const gchar *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  g_autofree gchar *text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  close_line ();
  line.pipeline = parse_line ("%s", text);
  line.element = gst_bin_get_by_name (GST_BIN (line.pipeline), "element");
  line.sink = gst_bin_get_by_name (GST_BIN (line.pipeline), "sink");
  line.bus = gst_element_get_bus (line.pipeline);
  line.bytes = g_byte_array_new ();
  g_mutex_init (&line.lock);
  g_autoptr (GstPad) pad = gst_element_get_static_pad (line.sink, "sink");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM | GST_PAD_PROBE_TYPE_EVENT_FLUSH,
                     look, NULL, NULL);
}

static void
open_file_line (const gchar *properties)
{
  open_line ("filesrc name=source location=%s ! cudahisto name=element %s %s ! fakesink name=sink", path, get_backend_words (),
             properties);
}

static void
preroll (void)
{
  gst_element_set_state (line.pipeline, GST_STATE_PAUSED);
  ck_assert_int_eq (gst_element_get_state (line.pipeline, NULL, NULL, RIG_PATIENCE), GST_STATE_CHANGE_SUCCESS);
}

static gboolean
is_pulling (void)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (line.element, "sink");
  GstPadMode mode = GST_PAD_MODE (pad);

  return mode == GST_PAD_MODE_PULL;
}

static void
wait_for (GstMessageType type)
{
  g_autoptr (GstMessage) message = gst_bus_timed_pop_filtered (line.bus, RIG_PATIENCE, type | GST_MESSAGE_ERROR);

  ck_assert_msg (message != NULL && GST_MESSAGE_TYPE (message) == type, "%s came instead of %s",
                 message != NULL ? GST_MESSAGE_TYPE_NAME (message) : "nothing", gst_message_type_get_name (type));
}

/* Checks the bytes of the only window, [offset, offset + size), and the EOS after it. */
static void
check_one_result (guint64 offset, guint64 size, guint64 frame, guint64 frames)
{
  g_autoptr (GstStructure) result = pop_result (line.bus);

  check_bytes (result, data + offset, size, frame, frames, offset);
  wait_for (GST_MESSAGE_EOS);
  check_bus_empty (line.bus);
}

/* The sink receives EOS, and does not post it after an error. */
static void
wait_for_end (void)
{
  guint ends = 0;

  for (guint patience = 0; patience < 6000 && ends == 0; patience++) {
    g_usleep (5000);
    g_mutex_lock (&line.lock);
    ends = line.ends;
    g_mutex_unlock (&line.lock);
  }
  ck_assert_uint_eq (ends, 1);
}

/* The sink has received [offset, offset + size). */
static void
check_sink (guint64 offset, guint64 size)
{
  g_mutex_lock (&line.lock);
  ck_assert_uint_eq (line.bytes->len, size);
  ck_assert (size == 0 || memcmp (line.bytes->data, data + offset, size) == 0);
  g_mutex_unlock (&line.lock);
}

/* ---- when --------------------------------------------------------------------------------------------------------------- */

static const struct {
  const gchar *source, *between, *properties, *sink; /* NULL: fakesink */
  gboolean pulls;
} arrangements[] = {
  { "filesrc", "", "", NULL, TRUE },
  { "filesrc", "", "window=bytes window-size=1000", NULL, TRUE },
  { "filesrc", "", "window=stream", NULL, TRUE },
  { "filesrc blocksize=4096", "", "", NULL, TRUE },
  /* Requested sizes and contents. */
  { "filesrc blocksize=8192", "", "", NULL, FALSE },
  { "filesrc num-buffers=100", "", "", NULL, FALSE },
  { "filesrc do-timestamp=true", "", "", NULL, FALSE },
  { "filesrc typefind=true", "", "", NULL, FALSE },
  { "filesrc", "", "window=buffer", NULL, FALSE },
  { "filesrc", "", "dot=previous", NULL, FALSE },
  { "filesrc", "", "add-meta=true", NULL, FALSE },
  /* Elements upstream. */
  { "filesrc", "identity !", "", NULL, FALSE },
  { "filesrc", "queue !", "", NULL, FALSE },
  /* Elements downstream that see or count buffers. */
  { "filesrc", "", "", "fakesink sync=true async=false enable-last-sample=false", TRUE },
  { "filesrc", "", "", "fakesink signal-handoffs=true", FALSE },
  { "filesrc", "", "", "fakesink silent=false", FALSE },
  { "filesrc", "", "", "fakesink num-buffers=2000", FALSE },
  { "filesrc", "", "", "identity ! fakesink", FALSE },
  { "filesrc", "", "", "queue ! fakesink", FALSE },
  { "filesrc", "", "", "capsfilter ! fakesink", FALSE },
  { "filesrc", "", "", "tee ! fakesink", FALSE },
  { "filesrc", "", "", "filesink location=/dev/null", FALSE },
  { "filesrc", "", "", "appsink max-buffers=1", FALSE },
};

TEST_FIXTURE (set_up, NULL)

TEST (test_when_it_pulls)
{
  for (guint i = 0; i < G_N_ELEMENTS (arrangements); i++) {
    g_autofree gchar *words = g_strdup_printf ("%s location=%s ! %s cudahisto name=element %s %s ! %s", arrangements[i].source,
                                               path, arrangements[i].between, get_backend_words (), arrangements[i].properties,
                                               arrangements[i].sink != NULL ? arrangements[i].sink : "fakesink");
    GError *error = NULL;
    g_autoptr (GstElement) pipeline = gst_parse_launch (words, &error), element = NULL;
    g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);

    ck_assert_msg (error == NULL, "%s", words);
    gst_bus_set_flushing (bus, TRUE);
    ck_assert_int_ne (gst_element_set_state (pipeline, GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
    element = gst_bin_get_by_name (GST_BIN (pipeline), "element");
    g_autoptr (GstPad) pad = gst_element_get_static_pad (element, "sink");
    ck_assert_msg ((GST_PAD_MODE (pad) == GST_PAD_MODE_PULL) == arrangements[i].pulls, "%s", words);
    gst_element_set_state (pipeline, GST_STATE_NULL);
  }
}

/* The downstream link is checked at each start. */
TEST (test_asked_at_each_start)
{
  open_file_line ("");
  for (guint i = 0; i < 4; i++) {
    g_object_set (line.sink, "signal-handoffs", i % 2 == 1, NULL);
    line.next = 0;
    preroll ();
    ck_assert_int_eq (is_pulling (), i % 2 == 0);
    gst_element_set_state (line.pipeline, GST_STATE_READY);
  }
  close_line ();
}

/* ---- sizes -------------------------------------------------------------------------------------------------------------- */

static GstPadProbeReturn
write_size (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info, gpointer user_data)
{
  g_string_append_printf (user_data, "%" G_GSIZE_FORMAT " ", gst_buffer_get_size (GST_PAD_PROBE_INFO_BUFFER (info)));
  return GST_PAD_PROBE_OK;
}

/* The sizes of all buffers that come to `sink`. Free with g_free(). */
static gchar *
list_sizes (const gchar *source, const gchar *element, const gchar *sink)
{
  g_autoptr (GstElement) pipeline = parse_line ("%s location=%s ! %s ! %s name=sink", source, path, element, sink), last = NULL;
  GString *sizes = g_string_new (NULL);

  last = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (last, "sink");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, write_size, sizes, NULL);
  run_to_eos (pipeline);
  return g_string_free (sizes, FALSE);
}

/* As with identity in the element's place. */
TEST (test_sizes_downstream)
{
  static const gchar *const sources[] = { "filesrc", "filesrc blocksize=1000", "filesrc blocksize=100000" };
  static const gchar *const sinks[] = { "filesink location=/dev/null", "fakesink signal-handoffs=true", "identity ! fakesink" };
  static const gchar *const properties[]
      = { "", "window=bytes window-size=777", "window=buffer message-arrays=none", "add-meta=true" };

  ck_assert_int_eq (truncate (path, 234567), 0);
  for (guint i = 0; i < G_N_ELEMENTS (sources); i++) {
    for (guint j = 0; j < G_N_ELEMENTS (sinks); j++) {
      g_autofree gchar *expected = list_sizes (sources[i], "identity", sinks[j]);

      for (guint k = 0; k < G_N_ELEMENTS (properties); k++) {
        g_autofree gchar *element = g_strdup_printf ("cudahisto %s %s", get_backend_words (), properties[k]);
        g_autofree gchar *sizes = list_sizes (sources[i], element, sinks[j]);

        ck_assert_str_eq (sizes, expected);
      }
    }
  }
}

/* Packets: blocks of megabytes could not be sent. The receiver's queue in the system holds all. */
TEST (test_datagrams)
{
  gint receiver = socket (AF_INET, SOCK_DGRAM, 0), buffer_bytes = 1 << 20;
  struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr = { htonl (INADDR_LOOPBACK) } };
  socklen_t length = sizeof address;
  guint64 received = 0;
  guint8 packet[65536];
  gssize size;

  if (!gst_registry_check_feature_version (gst_registry_get (), "udpsink", 1, 0, 0)) {
    g_print ("skipped: there is no udpsink\n");
    close (receiver);
    return;
  }
  ck_assert_int_eq (truncate (path, 200000), 0);
  ck_assert_int_eq (setsockopt (receiver, SOL_SOCKET, SO_RCVBUF, &buffer_bytes, sizeof buffer_bytes), 0);
  ck_assert_int_eq (bind (receiver, (struct sockaddr *)&address, sizeof address), 0);
  ck_assert_int_eq (getsockname (receiver, (struct sockaddr *)&address, &length), 0);
  open_line ("filesrc location=%s ! cudahisto name=element %s ! udpsink name=sink host=127.0.0.1 port=%u", path,
             get_backend_words (), ntohs (address.sin_port));
  gst_element_set_state (line.pipeline, GST_STATE_PLAYING);
  check_one_result (0, 200000, 0, (200000 + 4095) / 4096);
  while ((size = recv (receiver, packet, sizeof packet, MSG_DONTWAIT)) > 0) {
    ck_assert (memcmp (packet, data + received, (gsize)size) == 0);
    received += (guint64)size;
  }
  ck_assert_uint_eq (received, 200000);
  close (receiver);
  close_line ();
}

/* A query of the source must not close the pipe of its writer. */
TEST (test_named_pipe)
{
  const gchar *pipe_path = make_path ("pipe");
  int fd;

  ck_assert_int_eq (mkfifo (pipe_path, 0600), 0);
  fd = open (pipe_path, O_RDWR);
  ck_assert_int_eq (write (fd, data, 1000), 1000);
  open_line ("filesrc location=%s ! cudahisto name=element %s ! fakesink name=sink", pipe_path, get_backend_words ());
  gst_element_set_state (line.pipeline, GST_STATE_PLAYING);
  ck_assert (!is_pulling ());
  close (fd);
  check_one_result (0, 1000, 0, 1);
  close_line ();
}

/* Through the walls of bins. */
TEST (test_in_bins)
{
  open_line ("bin. ( filesrc location=%s ) ! bin. ( cudahisto name=element %s ) ! fakesink name=sink", path,
             get_backend_words ());
  gst_element_set_state (line.pipeline, GST_STATE_PLAYING);
  check_one_result (0, SIZE, 0, 6);
  check_sink (0, SIZE);
  close_line ();
}

/* ---- what comes out ------------------------------------------------------------------------------------------------------ */

TEST (test_stream)
{
  open_file_line ("");
  gst_element_set_state (line.pipeline, GST_STATE_PLAYING);
  check_one_result (0, SIZE, 0, 6);
  ck_assert (is_pulling ());
  check_sink (0, SIZE);
  ck_assert_uint_eq (line.buffers, 6);
  ck_assert_int_eq (line.format, GST_FORMAT_BYTES);
  ck_assert_uint_eq (line.disconts, 1);
  ck_assert_uint_eq (line.stream_starts, 1);
  ck_assert_uint_eq (line.segments, 1);
  ck_assert_uint_eq (line.ends, 1);
  ck_assert_uint_eq (get_stat (line.element, "bytes-counted"), SIZE);
  g_autofree gchar *pushed_id = g_strdup (line.stream_id);
  close_line ();

  /* The same stream as in push mode. */
  open_line ("filesrc location=%s ! identity ! cudahisto name=element %s ! fakesink name=sink", path, get_backend_words ());
  gst_element_set_state (line.pipeline, GST_STATE_PLAYING);
  check_one_result (0, SIZE, 0, (SIZE + 4095) / 4096);
  ck_assert_str_eq (line.stream_id, pushed_id);
  ck_assert_uint_eq (line.disconts, 1);
  close_line ();
}

TEST (test_sizes)
{
  static const gsize sizes[] = { 0, 1, 2, 4095, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK, 3 * BLOCK - 17 };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    ck_assert_int_eq (truncate (path, (off_t)sizes[i]), 0);
    g_file_set_contents (path, (const gchar *)data, (gssize)sizes[i], NULL);
    open_file_line ("");
    gst_element_set_state (line.pipeline, GST_STATE_PLAYING);
    if (sizes[i] > 0)
      check_one_result (0, sizes[i], 0, (sizes[i] + BLOCK - 1) / BLOCK);
    else
      wait_for (GST_MESSAGE_EOS);
    check_sink (0, sizes[i]);
    check_bus_empty (line.bus);
    close_line ();
  }
}

TEST (test_windows)
{
  static const gsize windows[] = { 1000003, BLOCK, BLOCK + 1, 300000, SIZE, SIZE + 1 };

  for (guint i = 0; i < G_N_ELEMENTS (windows); i += test_stride (2)) {
    g_autofree gchar *properties = g_strdup_printf ("window=bytes window-size=%" G_GSIZE_FORMAT, windows[i]);

    open_file_line (properties);
    gst_element_set_state (line.pipeline, GST_STATE_PLAYING);
    for (gsize at = 0; at < SIZE; at += windows[i]) {
      gsize size = MIN (windows[i], SIZE - at);
      g_autoptr (GstStructure) result = pop_result (line.bus);

      check_bytes (result, data + at, size, at / BLOCK, (at + size - 1) / BLOCK - at / BLOCK + 1, at);
    }
    wait_for (GST_MESSAGE_EOS);
    check_bus_empty (line.bus);
    close_line ();
  }
}

/* The sink keeps every buffer: none is overwritten. */
TEST (test_kept_buffers)
{
  gsize at = 0;

  open_file_line ("");
  line.kept = g_ptr_array_new_with_free_func ((GDestroyNotify)gst_buffer_unref);
  gst_element_set_state (line.pipeline, GST_STATE_PLAYING);
  check_one_result (0, SIZE, 0, 6);
  for (guint i = 0; i < line.kept->len; i++) {
    GstBuffer *buffer = g_ptr_array_index (line.kept, i);
    const gsize size = gst_buffer_get_size (buffer);

    ck_assert_int_eq (gst_buffer_memcmp (buffer, 0, data + at, size), 0);
    at += size;
  }
  ck_assert_uint_eq (at, SIZE);
  g_ptr_array_unref (line.kept);
  close_line ();
}

TEST (test_states_twice_over)
{
  open_file_line ("");
  for (guint round = 0; round < 3; round++) {
    line.next = 0;
    g_byte_array_set_size (line.bytes, 0);
    gst_element_set_state (line.pipeline, GST_STATE_PLAYING);
    check_one_result (0, SIZE, 0, 6);
    check_sink (0, SIZE);
    ck_assert_int_eq (gst_element_set_state (line.pipeline, round == 1 ? GST_STATE_NULL : GST_STATE_READY),
                      GST_STATE_CHANGE_SUCCESS);
    ck_assert_uint_eq (line.ends, round + 1);
    ck_assert_uint_eq (line.stream_starts, round + 1);
  }
  close_line ();
}

TEST (test_stop_in_the_middle)
{
  ck_assert_int_eq (truncate (path, (off_t)BLOCK * 125), 0);
  for (guint i = 0; i < 12; i += test_is_short ("sizes") ? 5 : 1) {
    open_file_line ("");
    if (i % 3 == 0)
      preroll ();
    gst_element_set_state (line.pipeline, GST_STATE_PLAYING);
    g_usleep (2000 * i);
    ck_assert_int_eq (gst_element_set_state (line.pipeline, i % 4 ? GST_STATE_NULL : GST_STATE_READY),
                      GST_STATE_CHANGE_SUCCESS);
    close_line ();
  }
}

/* ---- seeks ------------------------------------------------------------------------------------------------------- */

TEST (test_flushing_seeks)
{
  static const guint64 places[] = { 0, 1, BLOCK, 3 * BLOCK + 5, SIZE - 1 };

  for (guint i = 0; i < G_N_ELEMENTS (places); i += test_stride (2)) {
    GstStructure *result;
    guint64 frame;

    open_file_line ("");
    preroll ();
    ck_assert (gst_element_seek_simple (line.pipeline, GST_FORMAT_BYTES, GST_SEEK_FLAG_FLUSH, (gint64)places[i]));
    gst_element_set_state (line.pipeline, GST_STATE_PLAYING);
    result = pop_result (line.bus);
    frame = get_field_u64 (result, "frame");
    check_bytes (result, data + places[i], SIZE - places[i], frame, (SIZE - places[i] + BLOCK - 1) / BLOCK, places[i]);
    gst_structure_free (result);
    wait_for (GST_MESSAGE_EOS);
    check_sink (places[i], SIZE - places[i]);
    ck_assert_uint_eq (line.flushes, 1);
    /* And from the end back into it. */
    ck_assert (gst_element_seek_simple (line.pipeline, GST_FORMAT_BYTES, GST_SEEK_FLAG_FLUSH, SIZE - 100));
    result = pop_result (line.bus);
    check_bytes (result, data + SIZE - 100, 100, get_field_u64 (result, "frame"), 1, SIZE - 100);
    gst_structure_free (result);
    wait_for (GST_MESSAGE_EOS);
    check_bus_empty (line.bus);
    close_line ();
  }
}

/* Part of the file, and nothing past its end. */
TEST (test_seek_with_a_stop)
{
  open_file_line ("");
  preroll ();
  ck_assert (gst_element_seek (line.pipeline, 1, GST_FORMAT_BYTES, GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, 1000,
                               GST_SEEK_TYPE_SET, BLOCK + 3000));
  gst_element_set_state (line.pipeline, GST_STATE_PLAYING);
  g_autoptr (GstStructure) result = pop_result (line.bus);
  check_bytes (result, data + 1000, BLOCK + 2000, get_field_u64 (result, "frame"), 2, 1000);
  wait_for (GST_MESSAGE_EOS);
  check_sink (1000, BLOCK + 2000);

  ck_assert (gst_element_seek (line.pipeline, 1, GST_FORMAT_BYTES, GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, SIZE + 5,
                               GST_SEEK_TYPE_SET, -1));
  wait_for (GST_MESSAGE_EOS);
  check_sink (0, 0);
  check_bus_empty (line.bus);
  close_line ();
}

/* A seek without a flush ends the window, which is reported: the new segment does not continue at the end of the last
 * buffer. */
TEST (test_seek_without_a_flush)
{
  GstStructure *result;
  guint64 done;

  open_file_line ("");
  line.delay_us = 5000;
  gst_element_set_state (line.pipeline, GST_STATE_PLAYING);
  ck_assert_int_eq (gst_element_get_state (line.pipeline, NULL, NULL, RIG_PATIENCE), GST_STATE_CHANGE_SUCCESS);
  ck_assert (gst_element_seek_simple (line.pipeline, GST_FORMAT_BYTES, GST_SEEK_FLAG_NONE, 1234));
  result = pop_result (line.bus);
  done = get_field_u64 (result, "size");
  check_bytes (result, data, done, 0, (done + BLOCK - 1) / BLOCK, 0);
  gst_structure_free (result);
  result = pop_result (line.bus);
  check_bytes (result, data + 1234, SIZE - 1234, get_field_u64 (result, "frame"), 6, 1234);
  gst_structure_free (result);
  wait_for (GST_MESSAGE_EOS);
  ck_assert_uint_eq (line.segments, 2);
  ck_assert_uint_eq (line.disconts, 2);
  ck_assert_uint_eq (line.flushes, 0);
  close_line ();
}

/* From the streaming thread, as a demuxer downstream does that looks for its index. */
TEST (test_seek_from_downstream)
{
  static const GstSeekFlags flags[] = { GST_SEEK_FLAG_NONE, GST_SEEK_FLAG_FLUSH };

  for (guint i = 0; i < G_N_ELEMENTS (flags); i++) {
    guint64 counted = 0;
    GstMessage *message;

    open_file_line ("");
    line.seek_at = 3;
    line.seek_to = 4 * BLOCK;
    line.seek_flags = flags[i];
    gst_element_set_state (line.pipeline, GST_STATE_PLAYING);
    while ((message
            = gst_bus_timed_pop_filtered (line.bus, RIG_PATIENCE, GST_MESSAGE_ELEMENT | GST_MESSAGE_EOS | GST_MESSAGE_ERROR))
           != NULL) {
      gboolean is_over = GST_MESSAGE_TYPE (message) != GST_MESSAGE_ELEMENT;

      ck_assert_int_ne (GST_MESSAGE_TYPE (message), GST_MESSAGE_ERROR);
      if (!is_over)
        counted += get_field_u64 (gst_message_get_structure (message), "size");
      gst_message_unref (message);
      if (is_over)
        break;
    }
    ck_assert_msg (message != NULL, "it hangs");
    ck_assert (line.has_sought);
    ck_assert_uint_eq (counted, flags[i] == GST_SEEK_FLAG_NONE ? 3 * BLOCK + SIZE - 4 * BLOCK : SIZE - 4 * BLOCK);
    close_line ();
  }
}

TEST (test_segment_seek)
{
  GstMessage *message;
  GstFormat format;
  gint64 position;
  GstStructure *result;

  open_file_line ("");
  preroll ();
  ck_assert (gst_element_seek (line.pipeline, 1, GST_FORMAT_BYTES, GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_SEGMENT,
                               GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_SET, 1000));
  gst_element_set_state (line.pipeline, GST_STATE_PLAYING);
  /* The segment's data is reported before SEGMENT_DONE. */
  result = pop_result (line.bus);
  check_bytes (result, data, 1000, get_field_u64 (result, "frame"), 1, 0);
  gst_structure_free (result);
  message = gst_bus_timed_pop_filtered (line.bus, RIG_PATIENCE, GST_MESSAGE_SEGMENT_DONE | GST_MESSAGE_ERROR | GST_MESSAGE_EOS);
  ck_assert (message != NULL && GST_MESSAGE_TYPE (message) == GST_MESSAGE_SEGMENT_DONE);
  gst_message_parse_segment_done (message, &format, &position);
  ck_assert (format == GST_FORMAT_BYTES && position == 1000);
  gst_message_unref (message);
  ck_assert_uint_eq (line.ends, 0);
  /* On to the end. */
  ck_assert (gst_element_seek (line.pipeline, 1, GST_FORMAT_BYTES, GST_SEEK_FLAG_NONE, GST_SEEK_TYPE_SET, 1000,
                               GST_SEEK_TYPE_SET, 1500));
  result = pop_result (line.bus);
  check_bytes (result, data + 1000, 500, get_field_u64 (result, "frame"), 1, 1000);
  gst_structure_free (result);
  wait_for (GST_MESSAGE_EOS);
  close_line ();
}

TEST (test_refused_seeks)
{
  open_file_line ("");
  preroll ();
  ck_assert (!gst_element_seek_simple (line.pipeline, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, 0));
  ck_assert (!gst_element_seek (line.pipeline, -1, GST_FORMAT_BYTES, GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, 0,
                                GST_SEEK_TYPE_SET, 1000));
  ck_assert (!gst_element_seek (line.pipeline, 1, GST_FORMAT_BYTES, GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, 1000,
                                GST_SEEK_TYPE_SET, 500));
  gst_element_set_state (line.pipeline, GST_STATE_PLAYING);
  wait_for (GST_MESSAGE_EOS);
  close_line ();
}

static gpointer
seek_about (G_GNUC_UNUSED gpointer user_data)
{
  for (guint i = 0; i < 30; i++)
    gst_element_seek_simple (line.pipeline, GST_FORMAT_BYTES, GST_SEEK_FLAG_FLUSH, i * 70000);
  return NULL;
}

/* From two threads, until the stop. No thread remains, and none waits for another. */
TEST (test_many_seeks)
{
  for (guint i = 0; i < 4; i++) {
    GThread *threads[2];

    open_file_line ("message-arrays=none");
    line.seek_at = 2;
    line.seek_flags = GST_SEEK_FLAG_FLUSH;
    gst_bus_set_flushing (line.bus, TRUE);
    gst_element_set_state (line.pipeline, GST_STATE_PLAYING);
    ck_assert_int_eq (gst_element_get_state (line.pipeline, NULL, NULL, RIG_PATIENCE), GST_STATE_CHANGE_SUCCESS);
    for (guint t = 0; t < 2; t++)
      threads[t] = g_thread_new ("seek", seek_about, NULL);
    if (i % 2 == 0)
      gst_element_set_state (line.pipeline, GST_STATE_NULL);
    for (guint t = 0; t < 2; t++)
      g_thread_join (threads[t]);
    close_line ();
  }
}

/* ---- queries ----------------------------------------------------------------------------------------------------- */

TEST (test_queries)
{
  GstQuery *query = gst_query_new_seeking (GST_FORMAT_BYTES);
  GstFormat format;
  gint64 value, start, end;
  gboolean seekable;

  open_file_line ("");
  preroll ();
  ck_assert (gst_element_query_duration (line.element, GST_FORMAT_BYTES, &value) && value == SIZE);
  ck_assert (gst_element_query_position (line.element, GST_FORMAT_BYTES, &value) && value == BLOCK);
  ck_assert (gst_element_query (line.element, query));
  gst_query_parse_seeking (query, &format, &seekable, &start, &end);
  ck_assert (format == GST_FORMAT_BYTES && seekable && start == 0 && end == SIZE);
  gst_query_unref (query);
  query = gst_query_new_seeking (GST_FORMAT_TIME);
  ck_assert (gst_element_query (line.element, query));
  gst_query_parse_seeking (query, NULL, &seekable, NULL, NULL);
  ck_assert (!seekable);
  gst_query_unref (query);
  ck_assert (gst_element_seek_simple (line.pipeline, GST_FORMAT_BYTES, GST_SEEK_FLAG_FLUSH, SIZE - 1000));
  ck_assert_int_eq (gst_element_get_state (line.pipeline, NULL, NULL, RIG_PATIENCE), GST_STATE_CHANGE_SUCCESS);
  ck_assert (gst_element_query_position (line.element, GST_FORMAT_BYTES, &value) && value == SIZE);
  close_line ();
}

/* ---- ends and errors --------------------------------------------------------------------------------------------- */

/* As `gst-launch-1.0 -e` does: what was read until then is counted, and the stream ends. */
TEST (test_eos_from_the_application)
{
  guint64 size;

  open_file_line ("");
  line.delay_us = 20000;
  gst_element_set_state (line.pipeline, GST_STATE_PLAYING);
  ck_assert_int_eq (gst_element_get_state (line.pipeline, NULL, NULL, RIG_PATIENCE), GST_STATE_CHANGE_SUCCESS);
  ck_assert (gst_element_send_event (line.pipeline, gst_event_new_eos ()));
  g_autoptr (GstStructure) result = pop_result (line.bus);
  size = get_field_u64 (result, "size");
  ck_assert_uint_lt (size, SIZE);
  check_bytes (result, data, size, 0, size / BLOCK, 0);
  wait_for (GST_MESSAGE_EOS);
  check_sink (0, size);
  check_bus_empty (line.bus);
  close_line ();
}

TEST (test_eos_from_downstream)
{
  open_file_line ("");
  line.end_at = 3;
  line.flow = GST_FLOW_EOS;
  gst_element_set_state (line.pipeline, GST_STATE_PLAYING);
  check_one_result (0, 3 * BLOCK, 0, 3);
  ck_assert_uint_eq (line.ends, 1);
  close_line ();
}

TEST (test_error_from_downstream)
{
  static const struct {
    GstFlowReturn flow;
    const gchar *text;
  } errors[] = { { GST_FLOW_ERROR, "error" }, { GST_FLOW_NOT_LINKED, "not-linked" } };

  for (guint i = 0; i < G_N_ELEMENTS (errors); i++) {
    open_file_line ("");
    line.end_at = 3;
    line.flow = errors[i].flow;
    gst_element_set_state (line.pipeline, GST_STATE_PLAYING);
    check_error (line.bus, GST_MESSAGE_ERROR, GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED, errors[i].text);
    close_line ();
  }
}

/* A pipeline with the source above in front. */
static TestSrc *
open_test_line (void)
{
  TestSrc *source = g_object_new (test_src_get_type (), NULL);

  open_line ("cudahisto name=element %s ! fakesink name=sink", get_backend_words ());
  gst_bin_add (GST_BIN (line.pipeline), GST_ELEMENT (source));
  ck_assert (gst_element_link (GST_ELEMENT (source), line.element));
  return source;
}

TEST (test_other_sources)
{
  for (guint makes_buffers = 0; makes_buffers < 2; makes_buffers++) {
    open_test_line ()->makes_buffers = makes_buffers != 0;
    gst_element_set_state (line.pipeline, GST_STATE_PLAYING);
    check_one_result (0, SIZE, 0, 6);
    ck_assert (is_pulling ());
    check_sink (0, SIZE);
    close_line ();
  }
}

/* A flush from upstream, not a seek, ends the earlier data and not the stream. */
TEST (test_flush_of_the_source)
{
  GstElement *source;

  open_file_line ("");
  preroll ();
  source = gst_bin_get_by_name (GST_BIN (line.pipeline), "source");
  ck_assert (gst_element_send_event (source, gst_event_new_flush_start ()));
  ck_assert (gst_element_send_event (source, gst_event_new_flush_stop (FALSE)));
  gst_object_unref (source);
  gst_element_set_state (line.pipeline, GST_STATE_PLAYING);
  wait_for (GST_MESSAGE_EOS);
  close_line ();
}

static gboolean
allow_seek (GstElement *source G_GNUC_UNUSED, guint64 offset G_GNUC_UNUSED, gpointer user_data G_GNUC_UNUSED)
{
  return TRUE;
}

/* A source with caps would send them when it is read, after the segment. */
TEST (test_source_with_caps)
{
  GError *error = NULL;
  g_autofree gchar *words
      = g_strdup_printf ("appsrc stream-type=random-access format=bytes size=10 caps=application/x-test name=source ! "
                         "cudahisto name=element %s ! fakesink",
                         get_backend_words ());
  g_autoptr (GstElement) pipeline = gst_parse_launch (words, &error);
  g_autoptr (GstElement) element = gst_bin_get_by_name (GST_BIN (pipeline), "element");
  g_autoptr (GstElement) source = gst_bin_get_by_name (GST_BIN (pipeline), "source");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (element, "sink");

  ck_assert (error == NULL);
  g_signal_connect (source, "seek-data", G_CALLBACK (allow_seek), NULL);
  ck_assert_int_ne (gst_element_set_state (pipeline, GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
  ck_assert_int_eq (GST_PAD_MODE (pad), GST_PAD_MODE_PUSH);
  gst_element_set_state (pipeline, GST_STATE_NULL);
}

/* A sidecar does not overwrite what is read. */
TEST (test_sidecar_is_the_file)
{
  const gchar *link = make_path ("link");
  g_autofree gchar *properties = g_strdup_printf ("sidecar-location=%s", link);
  g_autofree gchar *read = NULL;
  gsize size;

  ck_assert_int_eq (symlink (path, link), 0);
  open_file_line (properties);
  gst_element_set_state (line.pipeline, GST_STATE_PLAYING);
  check_error (line.bus, GST_MESSAGE_ERROR, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS, "is the file that the source reads");
  close_line ();
  ck_assert (g_file_get_contents (path, &read, &size, NULL) && size == SIZE && memcmp (read, data, SIZE) == 0);
}

TEST (test_read_error)
{
  static const guint64 places[] = { 0, 2 * BLOCK };

  for (guint i = 0; i < G_N_ELEMENTS (places); i++) {
    TestSrc *source = open_test_line ();

    source->fails_at = places[i];
    gst_element_set_state (line.pipeline, GST_STATE_PLAYING);
    check_error (line.bus, GST_MESSAGE_ERROR, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_READ, "broken");
    check_error (line.bus, GST_MESSAGE_ERROR, GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED, "error");
    /* The data before the failure is counted, and the stream ends. */
    if (places[i] > 0) {
      g_autoptr (GstStructure) result = pop_result (line.bus);

      check_bytes (result, data, places[i], 0, places[i] / BLOCK, 0);
    }
    wait_for_end ();
    close_line ();
  }
}

TEST (test_missing_file)
{
  open_line ("filesrc location=%s/missing ! cudahisto name=element %s ! fakesink name=sink", get_directory (),
             get_backend_words ());
  ck_assert_int_eq (gst_element_set_state (line.pipeline, GST_STATE_PLAYING), GST_STATE_CHANGE_FAILURE);
  check_error (line.bus, GST_MESSAGE_ERROR, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND, "missing");
  check_error (line.bus, GST_MESSAGE_ERROR, GST_CORE_ERROR, GST_CORE_ERROR_STATE_CHANGE, NULL); /* filesrc's, of its start */
  check_bus_empty (line.bus);                                                                   /* and no other */
  close_line ();
}

/* The file changes while it is read. */
TEST (test_growing_file)
{
  ck_assert_int_eq (truncate (path, 1000), 0);
  open_file_line ("");
  preroll ();
  ck_assert (g_file_set_contents_full (path, (const gchar *)data, SIZE, G_FILE_SET_CONTENTS_NONE, 0600, NULL));
  gst_element_set_state (line.pipeline, GST_STATE_PLAYING);
  check_one_result (0, SIZE, 0, (SIZE - 1000 + BLOCK - 1) / BLOCK + 1);
  check_sink (0, SIZE);
  close_line ();
}

TEST (test_shrinking_file)
{
  open_file_line ("");
  preroll ();
  ck_assert_int_eq (truncate (path, BLOCK + 777), 0);
  gst_element_set_state (line.pipeline, GST_STATE_PLAYING);
  check_one_result (0, BLOCK + 777, 0, 2);
  check_sink (0, BLOCK + 777);
  close_line ();
}

/* The element does not start: an error, without a second attempt. */
TEST (test_start_fails)
{
  open_file_line ("window=bytes window-size=0");
  ck_assert_int_eq (gst_element_set_state (line.pipeline, GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
  check_error (line.bus, GST_MESSAGE_ERROR, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS, "window-size");
  gst_element_set_state (line.pipeline, GST_STATE_NULL);
  check_bus_empty (line.bus);
  g_object_set (line.element, "window-size", (guint64)SIZE, NULL);
  gst_element_set_state (line.pipeline, GST_STATE_PLAYING);
  check_one_result (0, SIZE, 0, 6);
  close_line ();
}

/* The source offers pull mode, refuses it, and posts no error: the element has to. */
static gboolean
refuse_pulling (GstPad *pad G_GNUC_UNUSED, GstObject *parent G_GNUC_UNUSED, GstPadMode mode, gboolean active)
{
  return !(active && mode == GST_PAD_MODE_PULL);
}

TEST (test_source_refuses)
{
  GstElement *source;
  GstPad *pad;

  open_file_line ("");
  source = gst_bin_get_by_name (GST_BIN (line.pipeline), "source");
  pad = gst_element_get_static_pad (source, "src");
  gst_pad_set_activatemode_function (pad, refuse_pulling);
  ck_assert_int_eq (gst_element_set_state (line.pipeline, GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
  check_error (line.bus, GST_MESSAGE_ERROR, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_OPEN_READ, "Put a queue after it.");
  gst_element_set_state (line.pipeline, GST_STATE_NULL);
  check_bus_empty (line.bus);
  gst_object_unref (pad);
  gst_object_unref (source);
  close_line ();
}

/* Another event arrives as soon as the pad accepts events, and waits in the sink for PLAYING, with the stream lock. */
typedef struct {
  GThread *thread;
  gint is_waiting; /* atomic */
} Intruder;

static GstPadProbeReturn
see_gap (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info, gpointer user_data)
{
  Intruder *intruder = user_data;

  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_GAP)
    g_atomic_int_set (&intruder->is_waiting, TRUE);
  return GST_PAD_PROBE_OK;
}

static gpointer
send_gap (gpointer user_data)
{
  g_autoptr (GstPad) pad = user_data;
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_BYTES);
  gst_pad_send_event (pad, gst_event_new_stream_start ("intruder"));
  gst_pad_send_event (pad, gst_event_new_segment (&segment));
  gst_pad_send_event (pad, gst_event_new_gap (0, GST_SECOND));
  return NULL;
}

/* On the thread that starts the element, before it pulls. */
static void
intrude (GstElement *element, GParamSpec *pspec G_GNUC_UNUSED, gpointer user_data)
{
  Intruder *intruder = user_data;

  if (intruder->thread != NULL)
    return;
  intruder->thread = g_thread_new ("intruder", send_gap, gst_element_get_static_pad (element, "sink"));
  for (guint patience = 0; patience < 2000 && !g_atomic_int_get (&intruder->is_waiting); patience++)
    g_usleep (5000);
}

TEST (test_event_before_the_start)
{
  Intruder intruder = { 0 };
  GstPad *pad;

  open_file_line ("");
  pad = gst_element_get_static_pad (line.sink, "sink");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, see_gap, &intruder, NULL);
  g_signal_connect (line.element, "notify::active-backend", G_CALLBACK (intrude), &intruder);
  preroll (); /* hung */
  ck_assert (intruder.is_waiting && is_pulling ());
  gst_element_set_state (line.pipeline, GST_STATE_PLAYING);
  wait_for (GST_MESSAGE_EOS);
  check_sink (0, SIZE);
  g_thread_join (intruder.thread);
  gst_object_unref (pad);
  close_line ();
}

/* The GPU fails with `auto`: the CPU counts the blocks in flight again, in memory pinned for the GPU. */
TEST (test_failed_device)
{
  const struct fakecuda *fake = get_test_backend () != NULL ? fakecuda_find () : NULL;
  guint live = fake != NULL ? fake->live () : 0; /* in one process with others an element is kept alive */

  for (guint kernel = 1; kernel <= 6 && fake != NULL; kernel++) {
    fake->reset ();
    open_line ("filesrc location=%s ! cudahisto name=element backend=auto ! fakesink name=sink", path);
    fake->fault_kernel (kernel);
    gst_element_set_state (line.pipeline, GST_STATE_PLAYING);
    check_error (line.bus, GST_MESSAGE_WARNING, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_FAILED, "GPU");
    g_autoptr (GstStructure) result = pop_result (line.bus);
    check_bytes (result, data, SIZE, 0, 6, 0);
    ck_assert_str_eq (gst_structure_get_string (result, "backend"), "cpu");
    wait_for (GST_MESSAGE_EOS);
    check_sink (0, SIZE);
    close_line ();
    ck_assert_msg (fake->live () == live, "%u objects of the driver are still alive", fake->live () - live);
    ck_assert_msg (fake->faults () == 0, "%s", fake->fault_text ());
    fake->reset ();
  }
}

int
main (int argc, char **argv)
{
  int status;

  data = g_malloc (SIZE);
  reset_random ();
  fill_random (data, SIZE);
  status = run_test_program (argc, argv, test_suite, NULL);
  g_free (data);
  return status;
}
