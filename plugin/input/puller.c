/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "input/puller.h"

#include "common/debug.h"

#define PULL_UNIT ((gsize)1024 * 1024) /* bytes; the last block of a stream is a multiple of this */

struct _GstCudaHistoPuller {
  GstElement *element;
  GstPad *sinkpad, *srcpad;
  void (*report) (GstElement *element);
  GstAllocator *allocator; /* from start to stop */

  gint is_started; /* atomic. Until it is set, only the starting thread uses the fields below, except `is_seeking` */
  gint stops;      /* atomic: number of stops */
  GThread *worker; /* atomic: the thread in the thread's function, or NULL */

  /* Under the sink pad's stream lock, which the thread holds while it works. */
  gboolean is_seeking;
  gboolean sends_stream_start, sends_segment, is_discont;
  guint32 seqnum;

  /* Changed under both locks, read under either. */
  GMutex lock;
  GstSegment segment; /* in bytes; `position`: the next byte to pull */
  gint seeks;         /* atomic: number of seeks */
};

/* ---- whether to pull --------------------------------------------------------------------------------------------- */

/* Returns the pad of the element that `own` is linked to, through ghost pads. The caller owns it. NULL: none. */
static GstPad *
gst_cuda_histo_puller_find_neighbour (GstPad *own)
{
  GstPad *pad = gst_pad_get_peer (own);

  while (pad != NULL && GST_IS_PROXY_PAD (pad)) {
    GstPad *next = NULL;

    if (GST_IS_GHOST_PAD (pad)) {
      next = gst_ghost_pad_get_target (GST_GHOST_PAD (pad));
    } else {
      GstProxyPad *outside = gst_proxy_pad_get_internal (GST_PROXY_PAD (pad));

      if (outside != NULL) {
        next = gst_pad_get_peer (GST_PAD (outside));
        gst_object_unref (outside);
      }
    }
    gst_object_unref (pad);
    pad = next;
  }
  return pad;
}

/* Whether the property exists and differs from its default. No query returns a user's settings, so properties are read by name:
 * those of GstBaseSrc, filesrc and appsrc. */
static gboolean
gst_cuda_histo_puller_is_set (GObject *object, const gchar *property)
{
  GParamSpec *pspec = g_object_class_find_property (G_OBJECT_GET_CLASS (object), property);
  GValue value = G_VALUE_INIT;
  gboolean is_default;

  if (pspec == NULL || (pspec->flags & G_PARAM_READABLE) == 0)
    return FALSE;
  g_value_init (&value, pspec->value_type);
  g_object_get_property (object, property, &value);
  is_default = g_param_value_defaults (pspec, &value);
  g_value_unset (&value);
  return !is_default;
}

/* FALSE if the source's location is not a regular file. The function then does not ask the source whether it is seekable: that
 * opens and closes the location, which the writer of a pipe notices, costs a server a request, and reports a missing file
 * twice. */
static gboolean
gst_cuda_histo_puller_may_read_plain_file (GObject *source)
{
  GParamSpec *pspec = g_object_class_find_property (G_OBJECT_GET_CLASS (source), "location");
  g_autofree gchar *location = NULL;

  if (pspec == NULL || pspec->value_type != G_TYPE_STRING || (pspec->flags & G_PARAM_READABLE) == 0)
    return TRUE;
  g_object_get (source, "location", &location, NULL);
  return location == NULL || g_file_test (location, G_FILE_TEST_IS_REGULAR);
}

/* Whether the source has caps. In pull mode it would send them at its first read, after the segment, but they belong before it.
 * For raw video, a buffer is a frame. */
static gboolean
gst_cuda_histo_puller_source_has_caps (GstPad *sinkpad)
{
  g_autoptr (GstCaps) caps = gst_pad_peer_query_caps (sinkpad, NULL);

  return caps != NULL && !gst_caps_is_any (caps);
}

static gboolean
gst_cuda_histo_puller_can_be_pulled_from (GstPad *sinkpad)
{
  g_autoptr (GstQuery) query = gst_query_new_scheduling ();
  GstSchedulingFlags flags = 0;
  gboolean can_be = FALSE;

  if (gst_pad_peer_query (sinkpad, query)) {
    gst_query_parse_scheduling (query, &flags, NULL, NULL, NULL);
    can_be = gst_query_has_scheduling_mode_with_flags (query, GST_PAD_MODE_PULL, GST_SCHEDULING_FLAG_SEEKABLE)
             && (flags & (GST_SCHEDULING_FLAG_SEQUENTIAL | GST_SCHEDULING_FLAG_BANDWIDTH_LIMITED)) == 0;
  }
  return can_be;
}

gboolean
gst_cuda_histo_puller_can_pull (GstPad *sinkpad)
{
  /* If any is set, the user wants other buffers than plain bytes of any size. */
  static const gchar *const stream_properties[] = { "num-buffers", "do-timestamp", "typefind", "caps", "blocksize" };
  g_autoptr (GstPad) pad = gst_cuda_histo_puller_find_neighbour (sinkpad);
  g_autoptr (GstElement) source = pad != NULL ? gst_pad_get_parent_element (pad) : NULL;
  gboolean can_pull;

  can_pull = source != NULL && GST_OBJECT_FLAG_IS_SET (source, GST_ELEMENT_FLAG_SOURCE) && source->numsinkpads == 0
             && gst_cuda_histo_puller_may_read_plain_file (G_OBJECT (source));
  for (guint i = 0; i < G_N_ELEMENTS (stream_properties) && can_pull; i++)
    can_pull = !gst_cuda_histo_puller_is_set (G_OBJECT (source), stream_properties[i]);
  can_pull = can_pull && !gst_cuda_histo_puller_source_has_caps (sinkpad) && gst_cuda_histo_puller_can_be_pulled_from (sinkpad);
  return can_pull;
}

gboolean
gst_cuda_histo_puller_is_before_fakesink (GstPad *srcpad)
{
  /* If any is set, a fakesink reports or counts its buffers. */
  static const gchar *const reporting_properties[] = { "signal-handoffs", "dump", "silent", "num-buffers" };
  g_autoptr (GstPad) pad = gst_cuda_histo_puller_find_neighbour (srcpad);
  g_autoptr (GstElement) sink = pad != NULL ? gst_pad_get_parent_element (pad) : NULL;
  GstElementFactory *factory = sink != NULL ? gst_element_get_factory (sink) : NULL;
  gboolean is_before_fakesink = factory != NULL && g_strcmp0 (GST_OBJECT_NAME (factory), "fakesink") == 0;

  for (guint i = 0; i < G_N_ELEMENTS (reporting_properties) && is_before_fakesink; i++)
    is_before_fakesink = !gst_cuda_histo_puller_is_set (G_OBJECT (sink), reporting_properties[i]);
  return is_before_fakesink;
}

/* ---- the thread ------------------------------------------------------------------------------------------------------ */

/* Passes an event to the pad's event function, as if it came from upstream. Takes the event. */
static gboolean
gst_cuda_histo_puller_send_event (GstCudaHistoPuller *puller, GstEvent *event)
{
  if (GST_EVENT_IS_STICKY (event) && GST_EVENT_TYPE (event) != GST_EVENT_EOS)
    gst_pad_store_sticky_event (puller->sinkpad, event);
  return GST_PAD_EVENTFUNC (puller->sinkpad) (puller->sinkpad, GST_OBJECT (puller->element), event);
}

typedef struct {
  GstCudaHistoPuller *puller;
  gboolean has_stream_start;
} Upstream;

/* gst_pad_sticky_events_foreach() callback. */
static gboolean
gst_cuda_histo_puller_keep_event (GstPad *pad G_GNUC_UNUSED, GstEvent **event, gpointer user_data)
{
  Upstream *upstream = user_data;

  switch (GST_EVENT_TYPE (*event)) {
  case GST_EVENT_SEGMENT:
  case GST_EVENT_EOS: /* the puller sends its own */
    break;
  case GST_EVENT_STREAM_START:
    upstream->has_stream_start = TRUE;
    gst_pad_store_sticky_event (upstream->puller->sinkpad, *event);
    break;
  default:
    gst_pad_store_sticky_event (upstream->puller->sinkpad, *event);
    break;
  }
  return TRUE;
}

/* gst_pad_sticky_events_foreach() callback. */
static gboolean
gst_cuda_histo_puller_collect_event (GstPad *pad G_GNUC_UNUSED, GstEvent **event, gpointer user_data)
{
  g_queue_push_tail (user_data, gst_event_ref (*event));
  return TRUE;
}

/* Sends upstream's sticky events and, if it has no STREAM_START, one in its place. */
static void
gst_cuda_histo_puller_send_stream_start (GstCudaHistoPuller *puller)
{
  Upstream upstream = { .puller = puller };
  GstPad *peer = gst_cuda_histo_puller_find_neighbour (puller->sinkpad);
  const gint stops = g_atomic_int_get (&puller->stops);
  GQueue events = G_QUEUE_INIT;
  GstEvent *event;

  if (peer != NULL)
    gst_pad_sticky_events_foreach (peer, gst_cuda_histo_puller_keep_event, &upstream);
  if (!upstream.has_stream_start) {
    g_autoptr (GstElement) source = peer != NULL ? gst_pad_get_parent_element (peer) : NULL;
    g_autofree gchar *id = source != NULL ? gst_pad_create_stream_id (peer, source, NULL)
                                          : gst_pad_create_stream_id (puller->srcpad, puller->element, NULL);

    event = gst_event_new_stream_start (id);
    gst_event_set_group_id (event, gst_util_group_id_next ());
    gst_pad_store_sticky_event (puller->sinkpad, event);
    gst_event_unref (event);
  }
  gst_clear_object (&peer);

  /* The pad stores them in the order of sending. */
  gst_pad_sticky_events_foreach (puller->sinkpad, gst_cuda_histo_puller_collect_event, &events);
  while (stops == g_atomic_int_get (&puller->stops) && (event = g_queue_pop_head (&events)) != NULL)
    gst_cuda_histo_puller_send_event (puller, event);
  g_queue_clear_full (&events, (GDestroyNotify)gst_event_unref);
}

static guint64
gst_cuda_histo_puller_get_size (GstCudaHistoPuller *puller)
{
  gint64 size;

  return gst_pad_peer_query_duration (puller->sinkpad, GST_FORMAT_BYTES, &size) && size >= 0 ? (guint64)size : G_MAXUINT64;
}

static void
gst_cuda_histo_puller_send_segment (GstCudaHistoPuller *puller)
{
  guint64 size = gst_cuda_histo_puller_get_size (puller);
  GstSegment segment;
  GstEvent *event;

  g_mutex_lock (&puller->lock);
  puller->segment.duration = size;
  segment = puller->segment;
  g_mutex_unlock (&puller->lock);
  event = gst_event_new_segment (&segment);
  gst_event_set_seqnum (event, puller->seqnum);
  gst_cuda_histo_puller_send_event (puller, event);
}

/* Returns the number of bytes to pull: not beyond the end, because some sources do not report a short read. At the end a whole
 * block, since the file may have grown. */
static guint
gst_cuda_histo_puller_choose_length (GstCudaHistoPuller *puller, guint64 position, guint64 stop)
{
  guint64 size = gst_cuda_histo_puller_get_size (puller);
  guint64 length = GST_CUDA_HISTO_PULL_BYTES;

  if (size > position)
    length = MIN (length, size - position);
  return (guint)MIN (length, stop - position);
}

/* Pulls a block from `position` on. */
static GstFlowReturn
gst_cuda_histo_puller_pull (GstCudaHistoPuller *puller, guint64 position, guint length, GstBuffer **buffer)
{
  GstMemory *memory = gst_allocator_alloc (puller->allocator, (length + PULL_UNIT - 1) / PULL_UNIT * PULL_UNIT, NULL);
  GstBuffer *block, *pulled;
  GstFlowReturn flow;
  gsize size;

  if (memory == NULL) {
    GST_ELEMENT_ERROR (puller->element, RESOURCE, NO_SPACE_LEFT, ("Not enough memory to read the source."), (NULL));
    return GST_FLOW_ERROR;
  }
  gst_memory_resize (memory, 0, length);
  pulled = block = gst_buffer_new ();
  gst_buffer_append_memory (block, memory);
  flow = gst_pad_pull_range (puller->sinkpad, position, length, &pulled);
  if (flow != GST_FLOW_OK) {
    gst_buffer_unref (block);
    return flow;
  }
  if (pulled != block) /* upstream did not fill the given buffer */
    gst_buffer_unref (block);

  size = gst_buffer_get_size (pulled);
  if (GST_BUFFER_OFFSET (pulled) == position && GST_BUFFER_OFFSET_END_IS_VALID (pulled)
      && GST_BUFFER_OFFSET_END (pulled) >= position)
    size = MIN (size, GST_BUFFER_OFFSET_END (pulled) - position);
  size = MIN (size, length);
  if (size == 0) {
    gst_buffer_unref (pulled);
    return GST_FLOW_EOS;
  }
  pulled = gst_buffer_make_writable (pulled);
  gst_buffer_set_size (pulled, (gssize)size);
  GST_BUFFER_OFFSET (pulled) = position;
  GST_BUFFER_OFFSET_END (pulled) = position + size;
  *buffer = pulled;
  return GST_FLOW_OK;
}

static void
gst_cuda_histo_puller_send_end (GstCudaHistoPuller *puller)
{
  const gint stops = g_atomic_int_get (&puller->stops);
  GstSegment segment;
  GstEvent *event;

  g_mutex_lock (&puller->lock);
  segment = puller->segment;
  g_mutex_unlock (&puller->lock);
  if ((segment.flags & GST_SEGMENT_FLAG_SEGMENT) != 0) {
    GstMessage *message
        = gst_message_new_segment_done (GST_OBJECT (puller->element), GST_FORMAT_BYTES, (gint64)segment.position);

    gst_message_set_seqnum (message, puller->seqnum);
    puller->report (puller->element);
    gst_element_post_message (puller->element, message);
    if (stops != g_atomic_int_get (&puller->stops)) /* stopped by a handler of a message */
      return;
    event = gst_event_new_segment_done (GST_FORMAT_BYTES, (gint64)segment.position);
  } else {
    event = gst_event_new_eos ();
  }
  gst_event_set_seqnum (event, puller->seqnum);
  gst_cuda_histo_puller_send_event (puller, event);
}

static void
gst_cuda_histo_puller_pull_and_push (GstCudaHistoPuller *puller)
{
  const gint stops = g_atomic_int_get (&puller->stops), seeks = g_atomic_int_get (&puller->seeks);
  GstBuffer *buffer = NULL;
  GstFlowReturn flow = GST_FLOW_EOS;
  guint64 position, stop;
  guint length;

  if (puller->sends_stream_start) {
    puller->sends_stream_start = FALSE;
    gst_cuda_histo_puller_send_stream_start (puller);
  }
  if (puller->sends_segment && stops == g_atomic_int_get (&puller->stops)) {
    puller->sends_segment = FALSE;
    gst_cuda_histo_puller_send_segment (puller);
  }
  if (stops != g_atomic_int_get (&puller->stops)) /* stopped by a handler of a message */
    return;

  g_mutex_lock (&puller->lock);
  position = puller->segment.position;
  stop = puller->segment.stop; /* GST_CLOCK_TIME_NONE is the largest value */
  g_mutex_unlock (&puller->lock);
  length = position < stop ? gst_cuda_histo_puller_choose_length (puller, position, stop) : 0;
  if (length > 0)
    flow = gst_cuda_histo_puller_pull (puller, position, length, &buffer);
  if (stops != g_atomic_int_get (&puller->stops)) {
    gst_clear_buffer (&buffer);
    return;
  }
  if (flow == GST_FLOW_OK) {
    if (puller->is_discont)
      GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
    else
      GST_BUFFER_FLAG_UNSET (buffer, GST_BUFFER_FLAG_DISCONT);
    puller->is_discont = FALSE;
    g_mutex_lock (&puller->lock);
    puller->segment.position = GST_BUFFER_OFFSET_END (buffer);
    g_mutex_unlock (&puller->lock);
    flow = GST_PAD_CHAINFUNC (puller->sinkpad) (puller->sinkpad, GST_OBJECT (puller->element), buffer);
  }
  /* If downstream has sought while it had the buffer, its flow return is obsolete. */
  if (flow == GST_FLOW_OK || g_atomic_int_get (&puller->seeks) != seeks || g_atomic_int_get (&puller->stops) != stops)
    return;

  GST_DEBUG_OBJECT (puller->element, "pausing at byte %" G_GUINT64_FORMAT ": %s", position, gst_flow_get_name (flow));
  gst_pad_pause_task (puller->sinkpad);
  if (flow == GST_FLOW_EOS) {
    gst_cuda_histo_puller_send_end (puller);
  } else if (flow == GST_FLOW_NOT_LINKED || flow < GST_FLOW_EOS) {
    GstEvent *event = gst_event_new_eos ();

    gst_event_set_seqnum (event, puller->seqnum);
    GST_ELEMENT_FLOW_ERROR (puller->element, flow); /* before EOS, so that the stream does not seem complete */
    if (stops == g_atomic_int_get (&puller->stops))
      gst_cuda_histo_puller_send_event (puller, event);
    else
      gst_event_unref (event);
  }
}

/* The task function. Called repeatedly with the stream lock. */
static void
gst_cuda_histo_puller_work (gpointer user_data)
{
  GstCudaHistoPuller *puller = user_data;

  g_atomic_pointer_set (&puller->worker, g_thread_self ());
  gst_cuda_histo_puller_pull_and_push (puller);
  g_atomic_pointer_set (&puller->worker, NULL);
}

/* ---- start and stop -------------------------------------------------------------------------------------------------- */

GstCudaHistoPuller *
gst_cuda_histo_puller_new (GstElement *element, GstPad *sinkpad, GstPad *srcpad, void (*report) (GstElement *element))
{
  GstCudaHistoPuller *puller = g_new0 (GstCudaHistoPuller, 1);

  puller->element = element;
  puller->sinkpad = sinkpad;
  puller->srcpad = srcpad;
  puller->report = report;
  g_mutex_init (&puller->lock);
  gst_segment_init (&puller->segment, GST_FORMAT_BYTES);
  return puller;
}

void
gst_cuda_histo_puller_free (GstCudaHistoPuller *puller)
{
  if (puller == NULL)
    return;
  g_mutex_clear (&puller->lock);
  g_free (puller);
}

gboolean
gst_cuda_histo_puller_start (GstCudaHistoPuller *puller, GstAllocator *allocator)
{
  /* Without the stream lock: an event that arrived as soon as the pad accepted events may hold it and wait in a sink for
   * PLAYING. */
  puller->allocator = gst_object_ref (allocator);
  puller->sends_stream_start = puller->sends_segment = puller->is_discont = TRUE;
  puller->seqnum = gst_util_seqnum_next ();
  g_mutex_lock (&puller->lock);
  gst_segment_init (&puller->segment, GST_FORMAT_BYTES);
  g_mutex_unlock (&puller->lock);
  g_atomic_int_set (&puller->is_started, TRUE);
  if (gst_pad_start_task (puller->sinkpad, gst_cuda_histo_puller_work, puller, NULL))
    return TRUE;
  g_atomic_int_set (&puller->is_started, FALSE);
  gst_clear_object (&puller->allocator);
  return FALSE;
}

/* Lets the calling thread, which is the task's own, leave the task: gst_pad_stop_task() would wait for the thread. The pad's
 * lock is needed until then. */
static void
gst_cuda_histo_puller_leave_task (GstCudaHistoPuller *puller)
{
  GstTask *task;

  GST_OBJECT_LOCK (puller->sinkpad);
  task = g_steal_pointer (&GST_PAD_TASK (puller->sinkpad));
  GST_OBJECT_UNLOCK (puller->sinkpad);
  if (task == NULL)
    return;
  g_object_set_data_full (G_OBJECT (task), "cudahisto-owner", gst_object_ref (puller->element), gst_object_unref);
  gst_task_stop (task);
  gst_object_unref (task);
}

void
gst_cuda_histo_puller_stop (GstCudaHistoPuller *puller)
{
  /* Before the thread ends, so that no seek starts another. */
  GST_PAD_STREAM_LOCK (puller->sinkpad);
  g_atomic_int_set (&puller->is_started, FALSE);
  g_atomic_int_inc (&puller->stops);
  GST_PAD_STREAM_UNLOCK (puller->sinkpad);
  if (g_atomic_pointer_get (&puller->worker) == g_thread_self ())
    gst_cuda_histo_puller_leave_task (puller);
  else
    gst_pad_stop_task (puller->sinkpad);
  gst_clear_object (&puller->allocator);
}

/* ---- seeks ----------------------------------------------------------------------------------------------------------- */

/* Sends an event downstream and upstream: FLUSH_START ends a read, FLUSH_STOP lets the next begin. */
static void
gst_cuda_histo_puller_send_flush (GstCudaHistoPuller *puller, GstEvent *event, guint32 seqnum)
{
  gst_event_set_seqnum (event, seqnum);
  gst_pad_push_event (puller->sinkpad, gst_event_ref (event));
  gst_cuda_histo_puller_send_event (puller, event);
}

/* Returns the target of a seek in bytes. -1: the end, whose position is unknown. */
static gint64
gst_cuda_histo_puller_find_place (GstSeekType type, gint64 value, guint64 present, guint64 size)
{
  if (type == GST_SEEK_TYPE_NONE)
    return (gint64)present;
  if (type == GST_SEEK_TYPE_END && value != -1)
    return (gint64)size + value;
  return value;
}

/* With the stream lock, while the thread is paused. */
static gboolean
gst_cuda_histo_puller_move (GstCudaHistoPuller *puller, const GstSegment *segment, guint32 seqnum)
{
  g_mutex_lock (&puller->lock);
  puller->segment = *segment;
  g_mutex_unlock (&puller->lock);
  puller->seqnum = seqnum;
  puller->sends_segment = puller->is_discont = TRUE;
  if ((segment->flags & GST_SEGMENT_FLAG_SEGMENT) != 0) {
    GstMessage *message
        = gst_message_new_segment_start (GST_OBJECT (puller->element), GST_FORMAT_BYTES, (gint64)segment->position);

    gst_message_set_seqnum (message, seqnum);
    gst_element_post_message (puller->element, message);
  }
  return TRUE;
}

gboolean
gst_cuda_histo_puller_seek (GstCudaHistoPuller *puller, GstEvent *event)
{
  guint32 seqnum = gst_event_get_seqnum (event);
  GstSegment segment;
  GstSeekFlags flags;
  GstSeekType start_type, stop_type;
  GstFormat format;
  gdouble rate;
  gint64 start, stop, from, to;
  gboolean flush, moved = FALSE;

  gst_event_parse_seek (event, &rate, &format, &flags, &start_type, &start, &stop_type, &stop);
  if (format != GST_FORMAT_BYTES || rate <= 0 || (flags & GST_SEEK_FLAG_INSTANT_RATE_CHANGE) != 0)
    return FALSE;
  flush = (flags & GST_SEEK_FLAG_FLUSH) != 0;

  if (flush)
    gst_cuda_histo_puller_send_flush (puller, gst_event_new_flush_start (), seqnum);
  gst_pad_pause_task (puller->sinkpad);

  /* The caller may be the thread itself, with a buffer on its way downstream. */
  GST_PAD_STREAM_LOCK (puller->sinkpad);
  g_atomic_int_inc (&puller->seeks);
  if (flush) {
    puller->is_seeking = TRUE;
    gst_cuda_histo_puller_send_flush (puller, gst_event_new_flush_stop (TRUE), seqnum);
    puller->is_seeking = FALSE;
  }
  if (g_atomic_int_get (&puller->is_started)) {
    if (flush) /* even if the position stays: downstream has dropped its segment */
      puller->sends_segment = puller->is_discont = TRUE;
    segment = puller->segment;
    segment.duration = gst_cuda_histo_puller_get_size (puller);
    from = gst_cuda_histo_puller_find_place (start_type, start, segment.start, segment.duration);
    to = gst_cuda_histo_puller_find_place (stop_type, stop, segment.stop, segment.duration);
    moved = (to < 0 || from <= to)
            && gst_segment_do_seek (&segment, rate, format, flags, start_type, (guint64)start, stop_type, (guint64)stop, NULL)
            && gst_cuda_histo_puller_move (puller, &segment, seqnum);
    if (g_atomic_int_get (&puller->is_started)) /* a handler of the segment's message may have stopped it */
      gst_pad_start_task (puller->sinkpad, gst_cuda_histo_puller_work, puller, NULL);
  }
  GST_PAD_STREAM_UNLOCK (puller->sinkpad);
  return moved;
}

void
gst_cuda_histo_puller_flushed (GstCudaHistoPuller *puller)
{
  if (!g_atomic_int_get (&puller->is_started) || puller->is_seeking)
    return;
  puller->sends_segment = puller->is_discont = TRUE;
  gst_pad_start_task (puller->sinkpad, gst_cuda_histo_puller_work, puller, NULL);
}

/* ---- queries --------------------------------------------------------------------------------------------------------- */

gboolean
gst_cuda_histo_puller_query (GstCudaHistoPuller *puller, GstQuery *query)
{
  GstFormat format;
  GstSegment segment;

  g_mutex_lock (&puller->lock);
  segment = puller->segment;
  g_mutex_unlock (&puller->lock);

  switch (GST_QUERY_TYPE (query)) {
  case GST_QUERY_POSITION:
    gst_query_parse_position (query, &format, NULL);
    if (format != GST_FORMAT_BYTES)
      return FALSE;
    gst_query_set_position (query, format, (gint64)segment.position);
    return TRUE;
  case GST_QUERY_SEEKING:
    gst_query_parse_seeking (query, &format, NULL, NULL, NULL);
    if (format == GST_FORMAT_BYTES)
      gst_query_set_seeking (query, format, TRUE, 0, (gint64)gst_cuda_histo_puller_get_size (puller));
    else
      gst_query_set_seeking (query, format, FALSE, 0, -1);
    return TRUE;
  case GST_QUERY_SEGMENT:
    gst_query_set_segment (query, segment.rate, segment.format, (gint64)segment.start, (gint64)segment.stop);
    return TRUE;
  default:
    return FALSE;
  }
}
