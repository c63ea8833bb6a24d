/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/**
 * SECTION:element-cudahisto
 * @title: cudahisto
 * @short_description: counts the histogram and the sums of what flows through it
 * @see_also: level, videoanalyse
 *
 * cudahisto counts the 256-bin histogram, the sum and the sum of squares of raw bytes or raw video, and on request the dot
 * product with the previous frame, on an NVIDIA GPU or on the CPU. All numbers are exact, and the same on both. It changes no
 * sample, and buffers go on as they came; with #GstCudaHisto:add-meta they carry the numbers.
 *
 * What counts as what:
 *
 * * `video/x-raw` is counted frame by frame, each component by itself, over the visible pixels. The formats are GRAY8, I420,
 *   YV12, NV12, NV21, Y42B, Y444, YUY2, UYVY, VUYA, RGB, BGR, RGBx, BGRx, xRGB, xBGR, RGBA, BGRA, ARGB, ABGR, RGBP, BGRP, GBR
 *   and GBRA of 8 bits, and P010_10LE, P012_LE, P016_LE, I420_10LE, I420_12LE, I422_10LE, I422_12LE, Y444_10LE, Y444_12LE,
 *   Y444_16LE, GBR_10LE, GBR_12LE and GBR_16LE. Sums, minimum, maximum and percentiles of these are of the samples as they
 *   are; their histograms have 256 counters, for the upper 8 bits, or one for each value (#GstCudaHisto:bins). All other raw
 *   video is refused; put `videoconvert` in front. Where a buffer holds several pictures, views or fields, all are counted
 *   together.
 * * `video/x-raw(memory:CUDAMemory)`, in the same formats, is counted on the GPU where it lies: nothing is copied, and
 *   neighbours agree on memory as if the element were not there. It is taken where a GPU counts
 *   (#GstCudaHisto:active-backend), and counted in the CUDA context of the elements around, which the element shares as they
 *   do (`gst.cuda.context`).
 * * Everything else (no caps, encoded data, raw audio) is a stream of bytes.
 *
 * Where the CPU counts, a buffer goes on when it is counted, so that nobody behind has to copy it; where a GPU counts, it goes
 * on at once, see #GstCudaHisto:hold-buffers. While #GstCudaHisto:max-in-flight frames are being counted the streaming thread
 * waits, unless #GstCudaHisto:when-busy says otherwise. The element adds no latency, and says so: no buffer is kept until
 * another one comes. What waits for a count is processing, of which sinks allow their `processing-deadline`.
 *
 * Directly between a source that can be read anywhere and a `fakesink`, as in `filesrc ! cudahisto ! fakesink`, the element
 * reads the file itself, in blocks of 8 MiB: that is the fastest way. It is pushed to, and buffers leave with the sizes with
 * which they came, where somebody would see that: see #GstCudaHisto:pull.
 *
 * Where a GPU counts, upstream is offered memory that it reads without a copy by the processor. `videotestsrc`, decoders that
 * write where they are told, and applications that ask for it (an ALLOCATION query) fill it.
 *
 * The numbers cover a window: each frame, the whole stream, or #GstCudaHisto:window-size bytes, see #GstCudaHisto:window and
 * #GstCudaHisto:interval. A window also ends at EOS and SEGMENT_DONE, when the caps or the visible size change, at the start
 * of another stream, at a SEGMENT after which a timestamp means another time, and when the element stops, which reports it,
 * too. The field `ended-by` says why. A flush discards the window that is open. At EOS and SEGMENT_DONE every result is out
 * before the event goes downstream. #GstCudaHisto:stats says what became of every frame.
 *
 * A window's numbers are carried by
 *
 * * an element message named `cudahisto`, unless #GstCudaHisto:post-messages is %FALSE,
 * * a #GstCustomMeta named `GstCudaHistoMeta` on the buffer that completes the window, with #GstCudaHisto:add-meta. Elements
 *   behind keep it where they change the picture, and then it speaks of what it was,
 * * a line of JSON in the file, or the pipe, that #GstCudaHisto:sidecar-location names,
 *
 * all with the same fields:
 *
 * * `element` (string), `backend` (string): the element's name and what counted, "cuda", "cpu" or "reference"
 * * `frame`, `frames` (guint64): index of the window's first buffer, and how many buffers it covers, whole or in part
 * * `offset`, `size` (guint64), bytes only: position of the first byte in the stream, and how many bytes
 * * `format` (string), `width`, `height` (guint, pixels; video only), `depth` (guint, bits), `range` (string)
 * * `timestamp`, `stream-time`, `running-time`, `duration` (guint64, nanoseconds, #GST_CLOCK_TIME_NONE where unknown)
 * * `colorimetry` (string), `framerate` (fraction; both video only), and of the window's first buffer `crop` (array of x, y,
 *   width and height, of a #GstVideoCropMeta), `utc-time` (string, RFC 3339), `timecode` (string, of a #GstVideoTimeCodeMeta),
 *   `reference-time` (guint64, nanoseconds, of a #GstReferenceTimestampMeta) and `reference-clock` (string); all where they
 *   are known (Since: 0.2)
 * * `ended-by` (string): why the window ended, "complete" where it is a whole one; else "eos", "stop", "caps", "crop",
 *   "segment", "segment-done" or "stream-start" (Since: 0.2)
 * * for each component (Y, U, V, R, G, B, A, GRAY or byte), for example `Y-mean`: `count`, `sum`, `sum-of-squares` (guint64),
 *   `mean`, `variance`, `stddev` (gdouble), `min`, `max`, `low`, `median`, `high` (guint), `dot`, `dot-count` (guint64), and
 *   `histogram`
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 -m filesrc location=any.bin ! cudahisto ! fakesink
 * ]|
 * Posts one message with the byte histogram of a file.
 * |[
 * gst-launch-1.0 -m videotestsrc num-buffers=3 ! video/x-raw,format=I420 ! cudahisto message-bins=none ! fakesink
 * ]|
 * Posts the mean, the variance and so on of Y, U and V of each frame, without the histograms.
 * |[
 * gst-launch-1.0 filesrc location=clip.mp4 ! decodebin ! cudahisto interval=1000000000 sidecar-location=clip.jsonl ! fakesink
 * ]|
 * Writes a line of JSON for each second of a clip.
 * |[
 * gst-launch-1.0 -q videotestsrc num-buffers=90 ! video/x-raw,format=I420 ! cudahisto interval=1000000000 post-messages=false \
 *   sidecar-bins=none sidecar-slow=block sidecar-location=- ! fakesink | jq .components.Y.mean
 * ]|
 * Writes lines to standard output, for another program, and waits for it rather than drop lines (Since: 0.2).
 * |[
 * gst-launch-1.0 -m filesrc location=clip.mp4 ! qtdemux ! h264parse ! nvh264dec ! cudahisto message-bins=none ! fakesink
 * ]|
 * Counts the frames of a clip on the GPU that decodes them; they never leave it.
 */

#include "gstcudahisto.h"

#include <gio/gio.h>
#include <glib/gstdio.h>
#include <gst/video/video.h>
#include <string.h>
#include <sys/stat.h>

#include "common/debug.h"
#include "common/teller.h"
#include "count/counter.h"
#include "count/ledger.h"
#include "count/window.h"
#include "frame/allocator.h"
#include "frame/cudacontext.h"
#include "frame/framemap.h"
#include "frame/sharedcontext.h"
#include "input/caps.h"
#include "input/gather.h"
#include "input/offer.h"
#include "input/puller.h"
#include "result/schema.h"
#include "result/sidecar.h"
#include "settings.h"

GST_DEBUG_CATEGORY (gst_cuda_histo_debug);

#define MAX_PIECES 16 /* memories of a buffer that are read one by one; more are merged */

enum { PROP_SIDECAR_LOCATION = GST_CUDA_HISTO_SETTINGS_END, PROP_ACTIVE_BACKEND, PROP_ACTIVE_DEVICE, PROP_STATS, N_PROPERTIES };

static GParamSpec *properties[N_PROPERTIES];

/* Whether the sidecar's file is a neighbour's, too. */
typedef enum {
  GST_CUDA_HISTO_SIDECAR_USE_UNKNOWN,
  GST_CUDA_HISTO_SIDECAR_USE_OURS,
  GST_CUDA_HISTO_SIDECAR_USE_THEIRS
} GstCudaHistoSidecarUse;

struct _GstCudaHisto {
  GstBaseTransform parent;

  /* under the object lock */
  GstCudaHistoSettings settings;
  gchar *sidecar_location;
  const gchar *active_backend, *active_device; /* static strings */

  GstCudaHistoSharedContext shared;

  GstCudaHistoLedger ledger;

  gint takes_cuda;       /* atomic, while started: frames on the GPU are taken */
  gint is_started;       /* atomic; changes under the sink pad's stream lock, which serialized queries and events have */
  gint settings_changed; /* atomic: the streaming thread has not seen `settings` */
  gint has_failed;       /* atomic: an element error was posted, buffers are refused */

  GstCudaHistoSidecar *sidecar; /* open from start to stop */
  gint sidecar_use;             /* atomic: a GstCudaHistoSidecarUse */

  /* From start to stop, for the streaming thread. Others take a reference to the counter under the object lock. */
  GstCudaHistoCounter *counter;
  GstAllocator *frame_allocator, *byte_allocator; /* of memory that the counter likes best */

  GstCudaHistoPuller *puller;
  gint is_pulling;                                  /* atomic: from its start to its stop */
  gint is_unseen;                                   /* atomic, gboolean: nobody behind sees buffers */
  GstPadActivateModeFunction activate_sink_in_base; /* the base class's */

  /* The streaming thread's. `active` is `settings` as they were at start, with what may change while playing kept up. */
  GstCudaHistoSettings active;
  gboolean is_configured; /* the next four are valid */
  GstCaps *caps;          /* NULL: bytes without caps */
  GstVideoInfo info;      /* video only */
  gboolean is_cuda;       /* the caps are of frames on the GPU */
  GstCudaHistoSource source;
  gboolean use_dot;
  GstCudaHistoWindow window;
  GstCudaHistoOrigin origin; /* of the open window */
  GstCudaHistoGather *gather;
  GstCudaHistoFrame *previous; /* the operand of the next frame, or NULL */
  guint64 next_frame;          /* index of the next buffer */
  guint64 next_offset;         /* bytes: position of the next buffer, where it does not say so itself */
  gboolean is_open;            /* the buffer that is being counted is not accounted for yet */
  gboolean is_torn;            /* the open window has a part of a buffer of which the rest was refused */
  gboolean holds_buffers;      /* the buffer that is being counted may be kept when it goes on */
  gboolean awaits_release;     /* the counter holds what it may not hold when the buffer goes on */
  guint flushes;               /* that came to their end: one may, while a message is posted */
  GstCudaHistoTeller skips, lost_metas;
  GError *skip_error;    /* of the last frame that was skipped and not told, */
  guint64 skipped_frame; /* and its index */
  gboolean has_warned_of_dot;
  GstBuffer *input; /* borrowed: the buffer that came in, while it is transformed */
  GQueue
      structures; /* of the windows closed since the last drain: owned GstStructure for the meta. Whoever does the counter's work adds,
                      * the streaming thread takes while that is idle */
};

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);

#define gst_cuda_histo_parent_class parent_class
G_DEFINE_TYPE (GstCudaHisto, gst_cuda_histo, GST_TYPE_BASE_TRANSFORM)
GST_ELEMENT_REGISTER_DEFINE_WITH_CODE (cudahisto, "cudahisto", GST_RANK_NONE, GST_TYPE_CUDA_HISTO,
                                       GST_DEBUG_CATEGORY_INIT (gst_cuda_histo_debug, "cudahisto", 0,
                                                                "histogram and sums, CUDA or CPU"))

/* ---- what the counter calls, on the thread of whoever does its work --------------------------------------------------- */

/* Takes `text` and `detail`, which may be NULL. */
#define gst_cuda_histo_post(self, type, domain, code, text, detail) \
  gst_element_message_full (GST_ELEMENT (self), type, domain, code, text, detail, __FILE__, GST_FUNCTION, __LINE__)

/* Posts an element error and refuses buffers from now on: not before, since upstream then posts an error that says less. Takes
 * `text` and `detail`. */
#define gst_cuda_histo_fail(self, domain, code, text, detail)                  \
  G_STMT_START                                                                 \
  {                                                                            \
    gst_cuda_histo_post (self, GST_MESSAGE_ERROR, domain, code, text, detail); \
    g_atomic_int_set (&(self)->has_failed, TRUE);                              \
  }                                                                            \
  G_STMT_END

static gboolean gst_cuda_histo_check_sidecar (GstCudaHisto *self);

static void
gst_cuda_histo_window_closed (gpointer owner, const GstCudaHistoSource *source, const GstCudaHistoSpan *span,
                              const struct histo_stats *stats, const gchar *backend)
{
  GstCudaHisto *self = owner;
  g_autofree gchar *name = gst_object_get_name (GST_OBJECT (self));
  GstCudaHistoResult result = { .element = name, .backend = backend, .source = source, .span = span, .stats = stats };
  gboolean post_messages, add_meta;
  GstCudaHistoBins bins;
  GstCudaHistoSidecarBins sidecar_bins;

  gst_cuda_histo_ledger_add_result (&self->ledger, span->ended_frames);
  GST_LOG_OBJECT (self, "window of %" G_GUINT64_FORMAT " buffers from %" G_GUINT64_FORMAT, span->frames, span->frame);
  GST_OBJECT_LOCK (self);
  post_messages = self->settings.post_messages;
  bins = self->settings.message_bins;
  result.bins = self->settings.bins;
  sidecar_bins = self->settings.sidecar_bins;
  GST_OBJECT_UNLOCK (self);
  add_meta = self->active.add_meta;

  if (gst_cuda_histo_check_sidecar (self))
    gst_cuda_histo_sidecar_write (self->sidecar, &result, sidecar_bins);
  if (post_messages || add_meta) {
    GstStructure *structure = gst_cuda_histo_schema_to_structure (&result, bins);

    if (add_meta)
      g_queue_push_tail (&self->structures, post_messages ? gst_structure_copy (structure) : structure);
    if (post_messages)
      gst_element_post_message (GST_ELEMENT (self), gst_message_new_element (GST_OBJECT (self), structure));
  }
}

static void
gst_cuda_histo_window_discarded (gpointer owner, guint64 frames)
{
  GstCudaHisto *self = owner;

  gst_cuda_histo_ledger_add_discarded (&self->ledger, frames);
}

static void
gst_cuda_histo_frame_counted (gpointer owner, guint64 bytes)
{
  GstCudaHisto *self = owner;

  gst_cuda_histo_ledger_add_bytes (&self->ledger, bytes);
}

/* Any thread. `counter`: NULL where nothing counts. */
static void
gst_cuda_histo_show_backend (GstCudaHisto *self, GstCudaHistoCounter *counter)
{
  const gchar *backend = counter != NULL ? gst_cuda_histo_counter_get_backend (counter) : NULL;
  const gchar *device = counter != NULL ? gst_cuda_histo_counter_get_device (counter) : NULL;

  GST_OBJECT_LOCK (self);
  self->active_backend = backend;
  self->active_device = device;
  GST_OBJECT_UNLOCK (self);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_ACTIVE_BACKEND]);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_ACTIVE_DEVICE]);
}

static void
gst_cuda_histo_moved_to_cpu (gpointer owner, const gchar *reason)
{
  GstCudaHisto *self = owner;

  gst_cuda_histo_ledger_add_fallback (&self->ledger);
  gst_cuda_histo_show_backend (self, self->counter);
  gst_cuda_histo_post (self, GST_MESSAGE_WARNING, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_FAILED,
                       g_strdup ("The GPU failed; the CPU goes on counting, and nothing is lost."), g_strdup (reason));
}

static void
gst_cuda_histo_counting_failed (gpointer owner, enum histo_status status, const gchar *reason)
{
  GstCudaHisto *self = owner;

  gst_cuda_histo_fail (self, GST_RESOURCE_ERROR,
                       status == HISTO_ERROR_NO_MEMORY ? GST_RESOURCE_ERROR_NO_SPACE_LEFT : GST_RESOURCE_ERROR_FAILED,
                       g_strdup_printf ("Counting failed: %s.", histo_status_text (status)), g_strdup (reason));
}

/* ---- the sidecar ---------------------------------------------------------------------------------------------------- */

static void
gst_cuda_histo_sidecar_failed (GstElement *element, const gchar *location, const GError *error)
{
  GstCudaHisto *self = GST_CUDA_HISTO (element);
  GstResourceError code
      = g_error_matches (error, G_IO_ERROR, G_IO_ERROR_NO_SPACE) ? GST_RESOURCE_ERROR_NO_SPACE_LEFT : GST_RESOURCE_ERROR_WRITE;

  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_EXISTS))
    gst_cuda_histo_fail (self, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS, g_strdup (error->message),
                         g_strdup ("somebody else has written to it since the start"));
  else
    gst_cuda_histo_fail (self, GST_RESOURCE_ERROR, code,
                         g_strdup_printf ("The results could not be written to the sidecar file \"%s\".", location),
                         g_strdup (error->message));
}

static void
gst_cuda_histo_sidecar_dropped (GstElement *element, const gchar *location, guint64 lines)
{
  gst_cuda_histo_post (
      element, GST_MESSAGE_WARNING, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_WRITE,
      g_strdup_printf ("%" G_GUINT64_FORMAT " results were not written to the sidecar \"%s\", which takes them too slowly.",
                       lines, location),
      g_strdup ("sidecar-slow=block waits instead, sidecar-bins=none and a longer interval make less to write"));
}

static void
gst_cuda_histo_sidecar_not_reopened (GstElement *element, const gchar *location, const GError *error)
{
  gst_cuda_histo_post (
      element, GST_MESSAGE_WARNING, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_OPEN_WRITE,
      g_strdup_printf ("The sidecar file \"%s\" could not be opened again; the one that is open is written to.", location),
      g_strdup (error->message));
}

static gboolean
gst_cuda_histo_reopen_sidecar (GstCudaHisto *self)
{
  return gst_cuda_histo_sidecar_reopen (self->sidecar);
}

/* ---- start ----------------------------------------------------------------------------------------------------------- */

static void
gst_cuda_histo_clear_structures (GstCudaHisto *self)
{
  g_queue_clear_full (&self->structures, (GDestroyNotify)gst_structure_free);
}

/* Forgets the frame that the next one would be multiplied with. */
static void
gst_cuda_histo_forget_previous (GstCudaHisto *self)
{
  g_clear_pointer (&self->previous, gst_cuda_histo_frame_unref);
}

/* What a URI names on this machine, as far as that is one file. */
static gboolean
gst_cuda_histo_stat_uri (const gchar *uri, struct stat *status)
{
  g_autofree gchar *path = NULL;
  guint64 fd;

  if (g_str_has_prefix (uri, "fd://"))
    return g_ascii_string_to_unsigned (uri + strlen ("fd://"), 10, 0, G_MAXINT, &fd, NULL) && fstat ((gint)fd, status) == 0;
  path = g_filename_from_uri (uri, NULL, NULL);
  return path != NULL && stat (path, status) == 0;
}

/* The file that an element's property "location" names: multifilesrc and multifilesink say it in no query, or not as a file. */
static gboolean
gst_cuda_histo_stat_location (GstObject *element, struct stat *status)
{
  GParamSpec *pspec = g_object_class_find_property (G_OBJECT_GET_CLASS (element), "location");
  g_autofree gchar *location = NULL;

  if (pspec != NULL && G_IS_PARAM_SPEC_STRING (pspec) && (pspec->flags & G_PARAM_READABLE) != 0)
    g_object_get (element, "location", &location, NULL);
  return location != NULL && stat (location, status) == 0;
}

/* What is at the other end of the pad's link, or behind it, reads or writes, as far as that can be known now. */
static gboolean
gst_cuda_histo_stat_peer (GstPad *pad, struct stat *status)
{
  GstQuery *query = gst_query_new_uri ();
  g_autofree gchar *uri = NULL;
  gboolean is_known = FALSE;
  GstPad *peer;

  if (gst_pad_peer_query (pad, query))
    gst_query_parse_uri (query, &uri);
  gst_query_unref (query);
  if (uri != NULL && gst_cuda_histo_stat_uri (uri, status))
    return TRUE;
  peer = gst_pad_get_peer (pad);
  if (peer != NULL) {
    GstElement *element = gst_pad_get_parent_element (peer);

    is_known = element != NULL && gst_cuda_histo_stat_location (GST_OBJECT (element), status);
    g_clear_pointer (&element, gst_object_unref);
    gst_object_unref (peer);
  }
  return is_known;
}

/* What a neighbour does with the sidecar's file, in words, or NULL. `status`: of the file, where the sidecar could not be opened. Terminals
 * and /dev/null are for all; a socket may be standard input and output. */
static const gchar *
gst_cuda_histo_find_conflict (GstCudaHisto *self, const struct stat *status)
{
  GstBaseTransform *base = GST_BASE_TRANSFORM (self);
  struct stat theirs;

#define IS_OURS()                                                                      \
  (status != NULL ? status->st_dev == theirs.st_dev && status->st_ino == theirs.st_ino \
                  : gst_cuda_histo_sidecar_is_file (self->sidecar, &theirs))
  if (gst_cuda_histo_stat_peer (GST_BASE_TRANSFORM_SINK_PAD (base), &theirs) && S_ISREG (theirs.st_mode) && IS_OURS ())
    return "is read";
  if (gst_cuda_histo_stat_peer (GST_BASE_TRANSFORM_SRC_PAD (base), &theirs) && !S_ISCHR (theirs.st_mode) && IS_OURS ())
    return "the stream is written to";
#undef IS_OURS
  return NULL;
}

/* Before the first line, and before the file is emptied: by now the neighbours have opened their files, and may be others than they were
 * at the start. FALSE: the sidecar is to be left alone. */
static gboolean
gst_cuda_histo_check_sidecar (GstCudaHisto *self)
{
  const gchar *conflict;

  if (g_atomic_int_get (&self->sidecar_use) == GST_CUDA_HISTO_SIDECAR_USE_UNKNOWN) {
    conflict = gst_cuda_histo_find_conflict (self, NULL);
    g_atomic_int_set (&self->sidecar_use,
                      conflict != NULL ? GST_CUDA_HISTO_SIDECAR_USE_THEIRS : GST_CUDA_HISTO_SIDECAR_USE_OURS);
    if (conflict != NULL) {
      g_autofree gchar *location = NULL;

      GST_OBJECT_LOCK (self);
      location = g_strdup (self->sidecar_location);
      GST_OBJECT_UNLOCK (self);
      gst_cuda_histo_fail (self, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
                           g_strdup_printf ("The sidecar file \"%s\" is the file that %s.", location, conflict), NULL);
    }
  }
  return g_atomic_int_get (&self->sidecar_use) == GST_CUDA_HISTO_SIDECAR_USE_OURS;
}

static void
gst_cuda_histo_refuse_sidecar (GstCudaHisto *self, const gchar *location, const GError *error)
{
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_EXISTS))
    GST_ELEMENT_ERROR (self, LIBRARY, SETTINGS, ("%s", error->message), (NULL));
  else if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_BUSY))
    GST_ELEMENT_ERROR (self, RESOURCE, BUSY, ("%s", error->message), (NULL));
  else
    GST_ELEMENT_ERROR (self, RESOURCE, OPEN_WRITE, ("The sidecar file \"%s\" could not be opened for writing.", location),
                       ("%s", error->message));
}

static void
gst_cuda_histo_close_sidecar (GstCudaHisto *self)
{
  guint64 lost = gst_cuda_histo_sidecar_close (self->sidecar);

  if (lost > 0)
    gst_cuda_histo_post (self, GST_MESSAGE_WARNING, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_WRITE,
                         g_strdup_printf ("%" G_GUINT64_FORMAT " results were not written to the sidecar.", lost),
                         g_strdup ("nobody took them within two seconds after the stop"));
}

/* Nothing that is there changes yet. */
static gboolean
gst_cuda_histo_open_sidecar (GstCudaHisto *self)
{
  g_autofree gchar *location = NULL;
  g_autoptr (GError) error = NULL;
  const gchar *conflict = NULL;
  struct stat status;
  gboolean is_open;

  GST_OBJECT_LOCK (self);
  location = g_strdup (self->sidecar_location);
  GST_OBJECT_UNLOCK (self);
  if (location == NULL)
    return TRUE;

  is_open = gst_cuda_histo_sidecar_open (self->sidecar, location, self->active.sidecar_mode, self->active.sidecar_slow, &error);
  /* What was opened is compared, not what its name says: "-" has none. Where it was refused, this says why better than its contents. */
  if (is_open || stat (location, &status) == 0)
    conflict = gst_cuda_histo_find_conflict (self, is_open ? NULL : &status);
  if (conflict != NULL)
    GST_ELEMENT_ERROR (self, LIBRARY, SETTINGS, ("The sidecar file \"%s\" is the file that %s.", location, conflict), (NULL));
  else if (!is_open)
    gst_cuda_histo_refuse_sidecar (self, location, error);
  if (conflict != NULL)
    gst_cuda_histo_close_sidecar (self);
  g_atomic_int_set (&self->sidecar_use, GST_CUDA_HISTO_SIDECAR_USE_UNKNOWN);
  return is_open && conflict == NULL;
}

/* Counting can begin. */
static gboolean
gst_cuda_histo_start_sidecar (GstCudaHisto *self)
{
  g_autoptr (GError) error = NULL;

  if (gst_cuda_histo_sidecar_start (self->sidecar, &error))
    return TRUE;
  GST_ELEMENT_ERROR (self, RESOURCE, OPEN_WRITE, ("The sidecar file could not be written to."), ("%s", error->message));
  return FALSE;
}

static gboolean
gst_cuda_histo_open_counter (GstCudaHisto *self)
{
  static const GstCudaHistoCounterCallbacks callbacks = {
    .window_closed = gst_cuda_histo_window_closed,
    .window_discarded = gst_cuda_histo_window_discarded,
    .frame_counted = gst_cuda_histo_frame_counted,
    .moved_to_cpu = gst_cuda_histo_moved_to_cpu,
    .failed = gst_cuda_histo_counting_failed,
  };
  const struct histo_config config = {
    .backend = (enum histo_backend)self->active.backend,
    .cuda_device = self->active.cuda_device_id,
    .threads = self->active.threads,
    .max_in_flight = self->active.max_in_flight,
  };
  g_autoptr (GError) error = NULL;
  g_autofree gchar *warning = NULL;
  GstCudaHistoCounter *counter;

  counter = gst_cuda_histo_counter_new (&config, self->shared.context, &callbacks, GST_ELEMENT (self), GST_CAT_DEFAULT, &error);
  GST_OBJECT_LOCK (self);
  self->counter = counter;
  GST_OBJECT_UNLOCK (self);
  if (counter == NULL) {
    if (self->active.backend == GST_CUDA_HISTO_BACKEND_CUDA)
      gst_cuda_histo_post (self, GST_MESSAGE_ERROR, error->domain, error->code,
                           g_strdup_printf ("CUDA cannot be used: %s.", error->message),
                           g_strdup ("backend=auto or backend=cpu counts on the CPU"));
    else
      gst_cuda_histo_post (self, GST_MESSAGE_ERROR, error->domain, error->code,
                           g_strdup_printf ("Counting cannot begin: %s.", error->message), NULL);
    return FALSE;
  }
  gst_cuda_histo_show_backend (self, self->counter);
  /* Who names a device wants that one, and who has one wants to know why it is not used. */
  warning = gst_cuda_histo_counter_take_warning (counter);
  if (self->active.backend == GST_CUDA_HISTO_BACKEND_AUTO && self->active.cuda_device_id >= 0
      && !gst_cuda_histo_counter_is_on_gpu (counter))
    gst_cuda_histo_post (self, GST_MESSAGE_WARNING, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND,
                         g_strdup_printf ("CUDA device %d cannot be used; the CPU counts.", self->active.cuda_device_id),
                         warning != NULL
                             ? g_steal_pointer (&warning)
                             : g_strdup ("GST_DEBUG=cudahisto:4 shows why; cuda-device-id=-1 takes any device, or the CPU"));
  else if (warning != NULL)
    gst_cuda_histo_post (self, GST_MESSAGE_WARNING, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND,
                         g_steal_pointer (&warning), g_strdup_printf ("%s counts", self->active_backend));
  return TRUE;
}

/* ---- the shared CUDA context ---------------------------------------------------------------------------------------- */

/* Where an element that shares contexts may be around, its context is the one to count in: then there is one from the start, also for
 * those that start later and ask here. Elsewhere the engine opens the device's own, and no library is loaded for nothing. */
static void
gst_cuda_histo_look_for_context (GstCudaHisto *self)
{
  GstElement *element = GST_ELEMENT (self);
  gint device = self->active.cuda_device_id;
  GstContext *shared;

  if (self->active.backend != GST_CUDA_HISTO_BACKEND_AUTO && self->active.backend != GST_CUDA_HISTO_BACKEND_CUDA)
    return;
  if (!gst_cuda_histo_cuda_is_in_use ())
    return;
  if (self->shared.context != NULL && device >= 0 && gst_cuda_histo_cuda_get_device (self->shared.context) != device)
    gst_cuda_histo_shared_context_replace (&self->shared, NULL);
  /* As it was set while stopped, or before an earlier stop. */
  shared = gst_element_get_context (element, "gst.cuda.context");
  gst_cuda_histo_shared_context_take (&self->shared, shared, device);
  g_clear_pointer (&shared, gst_context_unref);
  if (!gst_cuda_histo_shared_context_ensure (&self->shared, device))
    GST_INFO_OBJECT (self, "no CUDA context to share");
}

static void
gst_cuda_histo_set_context (GstElement *element, GstContext *context)
{
  GstCudaHisto *self = GST_CUDA_HISTO (element);
  gint device;

  GST_OBJECT_LOCK (self);
  device = self->settings.cuda_device_id;
  GST_OBJECT_UNLOCK (self);
  gst_cuda_histo_shared_context_take (&self->shared, context, device);
  GST_ELEMENT_CLASS (parent_class)->set_context (element, context);
}

/* Goes on in `context`, of a neighbour. FALSE after a failure. */
static gboolean
gst_cuda_histo_switch_context (GstCudaHisto *self, GstObject *context)
{
  gint wanted = self->active.cuda_device_id;
  gint device = gst_cuda_histo_cuda_get_device (context);

  if (wanted >= 0 && wanted != device) {
    gst_cuda_histo_fail (self, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
                         g_strdup_printf ("cuda-device-id=%d cannot count frames that are on CUDA device %d.", wanted, device),
                         g_strdup ("give the elements in front the same device, or leave the choice to them (-1)"));
    return FALSE;
  }
  GST_INFO_OBJECT (self, "going on in another context, %" GST_PTR_FORMAT ", on device %d", (gpointer)context, device);
  gst_cuda_histo_forget_previous (self); /* it is in the old one */
  if (!gst_cuda_histo_counter_use_context (self->counter, context))
    return FALSE;
  gst_cuda_histo_shared_context_replace (&self->shared, gst_object_ref (context));
  gst_cuda_histo_show_backend (self, self->counter);
  return TRUE;
}

/* Before the first frame on the GPU. FALSE after a failure. */
static gboolean
gst_cuda_histo_prepare_for_cuda (GstCudaHisto *self)
{
  if (!gst_cuda_histo_shared_context_ensure (&self->shared, self->active.cuda_device_id)) {
    gst_cuda_histo_fail (self, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND,
                         g_strdup ("There is no CUDA context for the frames on the GPU."), NULL);
    return FALSE;
  }
  /* Where it came after the start, the engine has opened one of its own. */
  return gst_cuda_histo_counter_use_context (self->counter, self->shared.context);
}

/* Queries and events come at any time, on any thread, and are for the counter while it is there: those that are serialized leave it before
 * this returns. At the start they need not: one that is inside has found nothing, and may be waiting behind the element for PLAYING. */
static void
gst_cuda_histo_clear_started (GstCudaHisto *self)
{
  GstPad *sinkpad = GST_BASE_TRANSFORM_SINK_PAD (self);

  GST_PAD_STREAM_LOCK (sinkpad);
  g_atomic_int_set (&self->is_started, FALSE);
  GST_PAD_STREAM_UNLOCK (sinkpad);
}

/* Gives it away when it has been stopped. */
static void
gst_cuda_histo_release_counter (GstCudaHisto *self)
{
  GstCudaHistoCounter *counter = self->counter;

  GST_OBJECT_LOCK (self);
  self->counter = NULL; /* not before: what was in flight may still move to the CPU */
  GST_OBJECT_UNLOCK (self);
  gst_cuda_histo_counter_unref (counter);
}

static gboolean
gst_cuda_histo_start (GstBaseTransform *base)
{
  GstCudaHisto *self = GST_CUDA_HISTO (base);
  g_autoptr (GstCudaHistoPinner) pinner = NULL;

  g_atomic_int_set (&self->settings_changed, FALSE); /* before they are read: what changes now is seen at the first buffer */
  GST_OBJECT_LOCK (self);
  self->active = self->settings;
  GST_OBJECT_UNLOCK (self);
  gst_cuda_histo_ledger_reset (&self->ledger);
  gst_cuda_histo_sidecar_reset_counts (self->sidecar);
  g_atomic_int_set (&self->sidecar_use, GST_CUDA_HISTO_SIDECAR_USE_OURS); /* where there is none, there is nothing to ask */
  g_atomic_int_set (&self->has_failed, FALSE);
  self->next_frame = self->next_offset = 0;
  self->is_configured = self->has_warned_of_dot = self->is_open = self->is_torn = self->awaits_release = FALSE;
  self->skips = self->lost_metas = (GstCudaHistoTeller){ 0 };
  gst_cuda_histo_window_init (&self->window, GST_CUDA_HISTO_WINDOW_STREAM, 0, 0);

  if (self->active.window == GST_CUDA_HISTO_WINDOW_BYTES && self->active.window_size == 0) {
    GST_ELEMENT_ERROR (self, LIBRARY, SETTINGS, ("window=bytes needs a window-size of at least 1 byte."), (NULL));
    return FALSE;
  }
  if (!gst_cuda_histo_open_sidecar (self))
    return FALSE;
  gst_cuda_histo_look_for_context (self);
  if (!gst_cuda_histo_open_counter (self)) {
    gst_cuda_histo_close_sidecar (self);
    gst_cuda_histo_shared_context_replace (&self->shared, NULL);
    return FALSE;
  }
  if (!gst_cuda_histo_start_sidecar (self)) {
    gst_cuda_histo_counter_stop (self->counter);
    gst_cuda_histo_release_counter (self);
    gst_cuda_histo_show_backend (self, NULL);
    gst_cuda_histo_close_sidecar (self);
    gst_cuda_histo_shared_context_replace (&self->shared, NULL);
    return FALSE;
  }
  g_atomic_int_set (&self->takes_cuda, gst_cuda_histo_cuda_is_built () && gst_cuda_histo_counter_is_on_gpu (self->counter));
  pinner = gst_cuda_histo_counter_get_pinner (self->counter);
  self->gather = gst_cuda_histo_gather_new (pinner);
  self->frame_allocator = gst_cuda_histo_allocator_new (pinner, 0);
  self->byte_allocator = gst_cuda_histo_allocator_new (pinner, GST_CUDA_HISTO_GATHER_COPIED);
  gst_base_transform_set_passthrough (base, !self->active.add_meta);
  g_atomic_int_set (&self->is_started, TRUE); /* last */
  return TRUE;
}

static GstStateChangeReturn
gst_cuda_histo_change_state (GstElement *element, GstStateChange transition)
{
  /* Before the pads are deactivated, for which they wait for the streaming thread: it may wait for the sidecar. */
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    gst_cuda_histo_sidecar_stop (GST_CUDA_HISTO (element)->sidecar);
  return GST_ELEMENT_CLASS (parent_class)->change_state (element, transition);
}

/* Whether to pull from what is in front. `is_unseen`: nobody sees of which size buffers are. */
static gboolean
gst_cuda_histo_wants_to_pull (GstCudaHisto *self, GstPad *sinkpad, gboolean is_unseen)
{
  GstCudaHistoPull pull;
  gboolean takes_any;

  GST_OBJECT_LOCK (self);
  pull = self->settings.pull;
  /* Not where each is a window, or carries what was counted by then. */
  takes_any = self->settings.window != GST_CUDA_HISTO_WINDOW_BUFFER && self->settings.dot == GST_CUDA_HISTO_DOT_NONE
              && !self->settings.add_meta;
  GST_OBJECT_UNLOCK (self);
  switch (pull) {
  case GST_CUDA_HISTO_PULL_AUTO:
    return takes_any && is_unseen && gst_cuda_histo_puller_can_pull (sinkpad, TRUE);
  case GST_CUDA_HISTO_PULL_ALWAYS:
    return gst_cuda_histo_puller_can_pull (sinkpad, FALSE);
  case GST_CUDA_HISTO_PULL_NEVER:
  default:
    return FALSE;
  }
}

/* A source that said that it can be pulled from, and does not begin: not every one says so itself. */
static void
gst_cuda_histo_tell_refusal (GstCudaHisto *self, GstPad *sinkpad)
{
  GstPad *peer = gst_pad_get_peer (sinkpad);

  if (peer != NULL && !gst_pad_is_active (peer)) /* else it was the element that could not start, and said why */
    gst_cuda_histo_post (self, GST_MESSAGE_ERROR, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_OPEN_READ,
                         g_strdup ("The source cannot be read from."),
                         g_strdup_printf ("%s:%s said that it can be pulled from and refuses to be; with pull=never it pushes",
                                          GST_DEBUG_PAD_NAME (peer)));
  gst_clear_object (&peer);
}

/* Looks who is behind. What that means for pulling is decided once, when the pads are activated; for who may write to a buffer it is
 * asked again whenever something else is linked there. */
static gboolean
gst_cuda_histo_look_behind (GstCudaHisto *self)
{
  const gboolean is_unseen = gst_cuda_histo_puller_is_unseen (GST_BASE_TRANSFORM_SRC_PAD (GST_BASE_TRANSFORM_CAST (self)));

  g_atomic_int_set (&self->is_unseen, is_unseen);
  return is_unseen;
}

static gboolean
gst_cuda_histo_activate_sink (GstPad *pad, GstObject *parent)
{
  GstCudaHisto *self = GST_CUDA_HISTO (parent);
  gboolean is_activated;
  GstPadMode mode;

  mode = gst_cuda_histo_wants_to_pull (self, pad, gst_cuda_histo_look_behind (self)) ? GST_PAD_MODE_PULL : GST_PAD_MODE_PUSH;
  GST_DEBUG_OBJECT (parent, "activating in %s mode", gst_pad_mode_get_name (mode));
  is_activated = gst_pad_activate_mode (pad, mode, TRUE);
  if (!is_activated && mode == GST_PAD_MODE_PULL)
    gst_cuda_histo_tell_refusal (self, pad);
  return is_activated;
}

/* The base class is to think that it is pushed to. */
static gboolean
gst_cuda_histo_activate_sink_mode (GstPad *pad, GstObject *parent, GstPadMode mode, gboolean active)
{
  GstCudaHisto *self = GST_CUDA_HISTO (parent);

  if (mode != GST_PAD_MODE_PULL)
    return self->activate_sink_in_base (pad, parent, mode, active);

  if (!active) {
    g_atomic_int_set (&self->is_pulling, FALSE);
    gst_cuda_histo_puller_stop (self->puller);
    return self->activate_sink_in_base (pad, parent, GST_PAD_MODE_PUSH, FALSE);
  }
  if (!self->activate_sink_in_base (pad, parent, GST_PAD_MODE_PUSH, TRUE))
    return FALSE;
  g_atomic_int_set (&self->is_pulling, TRUE);
  if (gst_cuda_histo_puller_start (self->puller, self->byte_allocator))
    return TRUE;
  g_atomic_int_set (&self->is_pulling, FALSE);
  self->activate_sink_in_base (pad, parent, GST_PAD_MODE_PUSH, FALSE);
  GST_ELEMENT_ERROR (self, RESOURCE, FAILED, ("No thread can be started to read with."), (NULL));
  return FALSE;
}

/* ---- caps ----------------------------------------------------------------------------------------------------------- */

/* Whether frames on the GPU are taken: while stopped, whether they may be. */
static gboolean
gst_cuda_histo_takes_cuda (GstCudaHisto *self)
{
  GstCudaHistoBackend backend;

  if (g_atomic_int_get (&self->is_started))
    return g_atomic_int_get (&self->takes_cuda);
  GST_OBJECT_LOCK (self);
  backend = self->settings.backend;
  GST_OBJECT_UNLOCK (self);
  return gst_cuda_histo_cuda_is_built () && (backend == GST_CUDA_HISTO_BACKEND_AUTO || backend == GST_CUDA_HISTO_BACKEND_CUDA);
}

static GstCaps *
gst_cuda_histo_transform_caps (GstBaseTransform *base, GstPadDirection direction G_GNUC_UNUSED, GstCaps *caps, GstCaps *filter)
{
  GstCaps *narrowed = gst_cuda_histo_caps_narrow (caps, gst_cuda_histo_takes_cuda (GST_CUDA_HISTO (base)));
  GstCaps *result;

  if (filter == NULL)
    return narrowed;
  result = gst_caps_intersect_full (filter, narrowed, GST_CAPS_INTERSECT_FIRST);
  gst_caps_unref (narrowed);
  return result;
}

/* What a CAPS query promises is kept: both ask caps.c alone, and neither loads GStreamer's CUDA library. Who has frames on the GPU has
 * loaded it. */
static gboolean
gst_cuda_histo_accept_caps (GstBaseTransform *base, GstPadDirection direction, GstCaps *caps)
{
  gboolean accepted;

  if (gst_cuda_histo_caps_are_video (caps))
    accepted = gst_cuda_histo_caps_are_taken (caps, gst_cuda_histo_takes_cuda (GST_CUDA_HISTO (base)));
  else
    accepted = GST_BASE_TRANSFORM_CLASS (parent_class)->accept_caps (base, direction, caps);
  if (!accepted)
    GST_INFO_OBJECT (base, "refusing %" GST_PTR_FORMAT "; videoconvert in front makes what is counted", (gpointer)caps);
  return accepted;
}

/* Says downstream that the element pushes. When it is pulled from, data comes in any order and more than once, and nothing says
 * when it ends: no window would make sense. */
static void
gst_cuda_histo_answer_scheduling (GstBaseTransform *base, GstQuery *query)
{
  GstQuery *upstream = gst_query_new_scheduling ();
  GstSchedulingFlags flags = 0;
  gint min_bytes = 1, max_bytes = -1, align = 0;

  if (gst_pad_peer_query (GST_BASE_TRANSFORM_SINK_PAD (base), upstream))
    gst_query_parse_scheduling (upstream, &flags, &min_bytes, &max_bytes, &align);
  gst_query_unref (upstream);
  gst_query_set_scheduling (query, flags, min_bytes, max_bytes, align);
  gst_query_add_scheduling_mode (query, GST_PAD_MODE_PUSH);
}

/* Hands gathered bytes to the counter, if there are any. Takes `block`. FALSE after a failure. */
static gboolean
gst_cuda_histo_count_gathered (GstCudaHisto *self, GstCudaHistoFrame *block)
{
  return block == NULL || gst_cuda_histo_counter_add (self->counter, block, NULL);
}

/* The same with all that is gathered. */
static gboolean
gst_cuda_histo_flush_gathered (GstCudaHisto *self)
{
  return gst_cuda_histo_count_gathered (self, gst_cuda_histo_gather_take (self->gather));
}

/* Gives upstream's buffers back. On the streaming thread, or with its lock. */
static void
gst_cuda_histo_release_buffers (GstCudaHisto *self)
{
  gst_cuda_histo_forget_previous (self);
  self->is_torn |= !gst_cuda_histo_flush_gathered (self);
  gst_cuda_histo_counter_drain (self->counter);
}

static gboolean
gst_cuda_histo_query (GstBaseTransform *base, GstPadDirection direction, GstQuery *query)
{
  GstCudaHisto *self = GST_CUDA_HISTO (base);
  gboolean answered;

  if (GST_QUERY_TYPE (query) == GST_QUERY_SCHEDULING && direction == GST_PAD_SRC) {
    gst_cuda_histo_answer_scheduling (base, query);
    return TRUE;
  }
  if (direction == GST_PAD_SRC && g_atomic_int_get (&self->is_pulling) && gst_cuda_histo_puller_query (self->puller, query))
    return TRUE;
  if (GST_QUERY_TYPE (query) == GST_QUERY_CONTEXT && gst_cuda_histo_shared_context_answer (&self->shared, query))
    return TRUE;
  if (GST_QUERY_TYPE (query) == GST_QUERY_DRAIN && direction == GST_PAD_SINK && g_atomic_int_get (&self->is_started))
    gst_cuda_histo_release_buffers (self);

  answered = GST_BASE_TRANSFORM_CLASS (parent_class)->query (base, direction, query);
  /* Without a peer on the other side the base class answers from the templates alone. */
  if (answered && GST_QUERY_TYPE (query) == GST_QUERY_CAPS) {
    GstCaps *caps, *narrowed;

    gst_query_parse_caps_result (query, &caps);
    narrowed = gst_cuda_histo_caps_narrow (caps, gst_cuda_histo_takes_cuda (self));
    gst_query_set_caps_result (query, narrowed);
    gst_caps_unref (narrowed);
  }
  return answered;
}

/* Memory is offered where a GPU counts: it takes frames and bytes from there without a copy by the processor. Bytes that may be kept
 * until others come are not copied on the CPU either, where they lie one behind the other.
 *
 * Where the operand of `dot` is upstream's own buffer, as it may be (hold-buffers may change), a pool that was just large enough needs
 * room for one more. What is in flight needs none, since it comes back without waiting for another frame. */
static gboolean
gst_cuda_histo_propose_allocation (GstBaseTransform *base, GstQuery *decide_query, GstQuery *query)
{
  GstCudaHisto *self = GST_CUDA_HISTO (base);
  gboolean answered = GST_BASE_TRANSFORM_CLASS (parent_class)->propose_allocation (base, decide_query, query);

  if (!g_atomic_int_get (&self->is_started))
    return answered;
  if (gst_cuda_histo_counter_is_on_gpu (self->counter))
    answered |= gst_cuda_histo_offer_memory (GST_ELEMENT (self), query, self->frame_allocator, self->byte_allocator);
  else if (g_atomic_int_get (&self->is_unseen))
    answered |= gst_cuda_histo_offer_memory (GST_ELEMENT (self), query, NULL, self->byte_allocator);
  if (self->active.dot != GST_CUDA_HISTO_DOT_NONE)
    answered |= gst_cuda_histo_offer_one_more (query);
  return answered;
}

/* ---- windows -------------------------------------------------------------------------------------------------------- */

/* Closes the window, if one is open. FALSE after a failure: what is not all there is not reported. */
static gboolean
gst_cuda_histo_close_window (GstCudaHisto *self, GstCudaHistoEndedBy ended_by)
{
  GstCudaHistoSpan span;
  gboolean succeeded = gst_cuda_histo_flush_gathered (self) && !self->is_torn;

  self->is_torn = FALSE;
  if (!gst_cuda_histo_window_close (&self->window, ended_by, &span))
    return succeeded;
  span.origin = self->origin;
  if (succeeded)
    gst_cuda_histo_counter_close_window (self->counter, &self->source, &span);
  else
    gst_cuda_histo_counter_discard_window (self->counter, span.ended_frames);
  return succeeded;
}

/* Says of how many results that are in no meta, though that is asked for, nothing was said yet. */
static void
gst_cuda_histo_tell_lost_metas (GstCudaHisto *self, guint64 untold)
{
  if (untold > 0)
    gst_cuda_histo_post (
        self, GST_MESSAGE_WARNING, GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED,
        g_strdup_printf ("%" G_GUINT64_FORMAT " %s on no buffer.", untold, untold == 1 ? "result is" : "results are"),
        g_strdup ("no buffer that can be written to completes its window, as where one ends early; messages and the sidecar "
                  "have it"));
}

static void
gst_cuda_histo_lose_metas (GstCudaHisto *self, guint64 results)
{
  if (results > 0)
    gst_cuda_histo_tell_lost_metas (self, gst_cuda_histo_teller_add (&self->lost_metas, results));
}

/* Closes the window before its time. FALSE after a failure. */
static gboolean
gst_cuda_histo_end_window_early (GstCudaHisto *self, GstCudaHistoEndedBy ended_by)
{
  gboolean succeeded;

  if (!self->is_configured)
    return TRUE;
  succeeded = gst_cuda_histo_close_window (self, ended_by);
  gst_cuda_histo_forget_previous (self);
  if (self->active.add_meta) {
    /* The window's last buffer has gone: there is none to carry a meta. */
    succeeded &= gst_cuda_histo_counter_drain (self->counter);
    gst_cuda_histo_lose_metas (self, g_queue_get_length (&self->structures));
    gst_cuda_histo_clear_structures (self);
  }
  return succeeded;
}

/* Forgets what came since the last closed window: what a flush asks for. */
static void
gst_cuda_histo_discard_window (GstCudaHisto *self)
{
  GstCudaHistoSpan span = { 0 };

  gst_cuda_histo_gather_discard (self->gather);
  self->is_torn = FALSE;
  gst_cuda_histo_window_close (&self->window, GST_CUDA_HISTO_ENDED_BY_COMPLETE, &span); /* and nobody is told */
  gst_cuda_histo_counter_discard_window (self->counter, span.ended_frames);
  gst_cuda_histo_forget_previous (self);
}

static void
gst_cuda_histo_warn_of_dot (GstCudaHisto *self, const gchar *text)
{
  if (self->has_warned_of_dot)
    return;
  self->has_warned_of_dot = TRUE;
  GST_ELEMENT_WARNING (self, STREAM, FORMAT, ("%s", text), (NULL));
}

/* Says of how many buffers that were not counted nothing was said yet. */
static void
gst_cuda_histo_tell_skipped (GstCudaHisto *self, guint64 untold)
{
  g_autoptr (GError) error = NULL;

  if (untold == 0)
    return;
  error = g_steal_pointer (&self->skip_error);
  gst_cuda_histo_post (
      self, GST_MESSAGE_WARNING, error->domain, error->code, g_strdup_printf ("Not counted: %s.", error->message),
      g_strdup_printf ("%" G_GUINT64_FORMAT " %s not counted since this was last said; the last is buffer %" G_GUINT64_FORMAT,
                       untold, untold == 1 ? "buffer was" : "buffers were", self->skipped_frame));
}

/* Settles what is counted, and in which windows, for `caps` (NULL: bytes). No window is open. FALSE with an element error where
 * that is impossible; nothing has changed then. */
static gboolean
gst_cuda_histo_configure (GstCudaHisto *self, GstCaps *caps)
{
  GstCudaHistoWindowMode mode = self->active.window;
  gboolean is_video = gst_cuda_histo_caps_are_video (caps);
  GstVideoInfo info;

  if (g_atomic_int_get (&self->has_failed)) /* and said so: caps are sent again before the next buffer */
    return FALSE;
  if (is_video && !gst_video_info_from_caps (&info, caps)) {
    gst_cuda_histo_fail (self, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, g_strdup ("The video format is not understood."),
                         gst_caps_to_string (caps));
    return FALSE;
  }
  if (is_video && mode == GST_CUDA_HISTO_WINDOW_BYTES) {
    gst_cuda_histo_fail (self, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
                         g_strdup ("window=bytes cannot be used on raw video: choose window=buffer or window=stream."), NULL);
    return FALSE;
  }
  if (gst_cuda_histo_caps_are_cuda (caps) && !gst_cuda_histo_prepare_for_cuda (self))
    return FALSE;
  if (mode == GST_CUDA_HISTO_WINDOW_AUTO)
    mode = is_video ? GST_CUDA_HISTO_WINDOW_BUFFER : GST_CUDA_HISTO_WINDOW_STREAM;

  gst_caps_replace (&self->caps, caps);
  self->is_cuda = gst_cuda_histo_caps_are_cuda (caps);
  if (is_video) {
    self->info = info;
    gst_cuda_histo_source_init_video (&self->source, &self->info, NULL);
  } else {
    gst_cuda_histo_source_init_bytes (&self->source);
  }
  gst_cuda_histo_window_init (&self->window, mode, self->active.window_size, self->active.interval);
  self->window.divides_stream = self->active.window == GST_CUDA_HISTO_WINDOW_AUTO;
  gst_cuda_histo_forget_previous (self);
  self->use_dot = self->active.dot == GST_CUDA_HISTO_DOT_PREVIOUS;
  if (self->use_dot && is_video && gst_cuda_histo_count_pictures (&info) > 1) {
    self->use_dot = FALSE;
    gst_cuda_histo_warn_of_dot (self,
                                "dot=previous needs buffers of one picture: of views or fields no dot product is counted.");
  }
  if (self->use_dot && !is_video && mode != GST_CUDA_HISTO_WINDOW_BUFFER) {
    self->use_dot = FALSE;
    gst_cuda_histo_warn_of_dot (self, "dot=previous needs window=buffer on a byte stream: no dot product is counted.");
  }
  self->is_configured = TRUE;
  GST_INFO_OBJECT (self, "counting %s, window %d", self->source.format, mode);
  return TRUE;
}

/* ---- events --------------------------------------------------------------------------------------------------------- */

static gboolean
gst_cuda_histo_caps_event (GstBaseTransform *base, GstEvent *event)
{
  GstCudaHisto *self = GST_CUDA_HISTO (base);
  GstCaps *caps;

  gst_event_parse_caps (event, &caps);
  if (self->is_configured && self->caps != NULL && gst_caps_is_equal (self->caps, caps))
    return GST_BASE_TRANSFORM_CLASS (parent_class)->sink_event (base, event);

  gst_cuda_histo_end_window_early (self, GST_CUDA_HISTO_ENDED_BY_CAPS);
  if (!gst_cuda_histo_configure (self, caps)) {
    gst_event_unref (event);
    return FALSE;
  }
  return GST_BASE_TRANSFORM_CLASS (parent_class)->sink_event (base, event);
}

/* Whether a timestamp means the same time in both. They may begin and stop elsewhere; in bytes, where the next buffer would have. */
static gboolean
gst_cuda_histo_segments_agree (const GstSegment *left, const GstSegment *right, guint64 next_offset)
{
  guint64 running_times[2] = { 0 }, stream_times[2] = { 0 }, timestamp = right->start;
  GstSegment moved = *left;

  moved.position = right->position; /* where its sender is: it says nothing about what follows */
  if (left->format != GST_FORMAT_TIME || right->format != GST_FORMAT_TIME)
    return left->format == right->format
           && (right->format != GST_FORMAT_BYTES || right->start == next_offset || gst_segment_is_equal (&moved, right));
  /* Both are straight lines. */
  return left->rate == right->rate && left->applied_rate == right->applied_rate
         && gst_segment_to_running_time_full (left, GST_FORMAT_TIME, timestamp, &running_times[0])
                == gst_segment_to_running_time_full (right, GST_FORMAT_TIME, timestamp, &running_times[1])
         && gst_segment_to_stream_time_full (left, GST_FORMAT_TIME, timestamp, &stream_times[0])
                == gst_segment_to_stream_time_full (right, GST_FORMAT_TIME, timestamp, &stream_times[1])
         && running_times[0] == running_times[1] && stream_times[0] == stream_times[1];
}

/* Reports what came so far. On the streaming thread. */
static void
gst_cuda_histo_settle (GstCudaHisto *self, GstCudaHistoEndedBy ended_by)
{
  gst_cuda_histo_end_window_early (self, ended_by);
  gst_cuda_histo_counter_drain (self->counter);
  gst_cuda_histo_tell_skipped (self, gst_cuda_histo_teller_finish (&self->skips));
  gst_cuda_histo_tell_lost_metas (self, gst_cuda_histo_teller_finish (&self->lost_metas));
  /* After a failure, and without a frame, which a source that fails brings as well as an empty one, the lines of before stay. */
  if (ended_by == GST_CUDA_HISTO_ENDED_BY_EOS && gst_cuda_histo_ledger_get (&self->ledger).in > 0
      && !g_atomic_int_get (&self->has_failed) && gst_cuda_histo_check_sidecar (self))
    gst_cuda_histo_sidecar_end_stream (self->sidecar);
  gst_cuda_histo_sidecar_drain (self->sidecar);
}

/* The streaming thread may be waiting for the counter or the sidecar, and whoever flushes for the streaming thread: be it the
 * counter's own thread, in a handler of a message. Not serialized: any thread, at any time. */
static void
gst_cuda_histo_start_flushing (GstCudaHisto *self)
{
  g_autoptr (GstCudaHistoCounter) counter = NULL;

  GST_OBJECT_LOCK (self);
  if (self->counter != NULL) {
    counter = gst_cuda_histo_counter_ref (self->counter);
    gst_cuda_histo_sidecar_set_flushing (self->sidecar, TRUE); /* under the lock: not once a stop has given the counter away */
  }
  GST_OBJECT_UNLOCK (self);
  if (counter != NULL)
    gst_cuda_histo_counter_set_flushing (counter, TRUE);
}

static void
gst_cuda_histo_settle_segment (GstElement *element)
{
  gst_cuda_histo_settle (GST_CUDA_HISTO (element), GST_CUDA_HISTO_ENDED_BY_SEGMENT_DONE);
}

/* Reports what has to be known before a SEGMENT, a SEGMENT_DONE or EOS goes on. FALSE where a handler of a message flushed meanwhile: the
 * event is of a stream that is no more. */
static gboolean
gst_cuda_histo_report_before (GstCudaHisto *self, GstEvent *event)
{
  const guint flushes = self->flushes;
  const GstSegment *segment;

  switch (GST_EVENT_TYPE (event)) {
  case GST_EVENT_SEGMENT_DONE:
    gst_cuda_histo_settle (self, GST_CUDA_HISTO_ENDED_BY_SEGMENT_DONE);
    break;
  case GST_EVENT_EOS:
    gst_cuda_histo_settle (self, GST_CUDA_HISTO_ENDED_BY_EOS);
    break;
  default:
    gst_event_parse_segment (event, &segment);
    if (!gst_cuda_histo_segments_agree (&GST_BASE_TRANSFORM_CAST (self)->segment, segment, self->next_offset))
      gst_cuda_histo_end_window_early (self, GST_CUDA_HISTO_ENDED_BY_SEGMENT);
    break;
  }
  return flushes == self->flushes;
}

static gboolean
gst_cuda_histo_sink_event (GstBaseTransform *base, GstEvent *event)
{
  GstCudaHisto *self = GST_CUDA_HISTO (base);
  gboolean is_flushing, is_flushed = FALSE, succeeded;

  if (g_atomic_int_get (&self->is_started)) {
    switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_CAPS:
      return gst_cuda_histo_caps_event (base, event);
    case GST_EVENT_STREAM_START:
      gst_cuda_histo_end_window_early (self, GST_CUDA_HISTO_ENDED_BY_STREAM_START);
      self->next_offset = 0;
      break;
    case GST_EVENT_FLUSH_STOP:
      self->flushes++;
      gst_cuda_histo_discard_window (self);
      gst_cuda_histo_counter_set_flushing (self->counter, FALSE);
      gst_cuda_histo_sidecar_set_flushing (self->sidecar, FALSE);
      self->next_offset = 0;
      is_flushed = g_atomic_int_get (&self->is_pulling);
      break;
    case GST_EVENT_SEGMENT:
    case GST_EVENT_SEGMENT_DONE:
    case GST_EVENT_EOS:
      if (!gst_cuda_histo_report_before (self, event)) {
        gst_event_unref (event);
        return FALSE; /* else the pad would keep it, and be at EOS for good */
      }
      break;
    default:
      break;
    }
  }
  is_flushing = GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_START;
  succeeded = GST_BASE_TRANSFORM_CLASS (parent_class)->sink_event (base, event);
  if (is_flushing) /* not before downstream knows: the streaming thread goes on there */
    gst_cuda_histo_start_flushing (self);
  if (is_flushed)
    gst_cuda_histo_puller_flushed (self->puller);
  return succeeded;
}

/* Where the puller is the source, seeks are for it. */
static gboolean
gst_cuda_histo_src_event (GstBaseTransform *base, GstEvent *event)
{
  GstCudaHisto *self = GST_CUDA_HISTO (base);
  gboolean done;

  if (GST_EVENT_TYPE (event) == GST_EVENT_RECONFIGURE) /* as a new link sends it, through the walls of bins too */
    gst_cuda_histo_look_behind (self);
  if (GST_EVENT_TYPE (event) != GST_EVENT_SEEK || !g_atomic_int_get (&self->is_pulling))
    return GST_BASE_TRANSFORM_CLASS (parent_class)->src_event (base, event);
  done = gst_cuda_histo_puller_seek (self->puller, event);
  gst_event_unref (event);
  return done;
}

/* An event for the element itself: the base class sends seeks upstream at once. */
static gboolean
gst_cuda_histo_send_event (GstElement *element, GstEvent *event)
{
  if (GST_EVENT_TYPE (event) == GST_EVENT_SEEK)
    return gst_cuda_histo_src_event (GST_BASE_TRANSFORM (element), event);
  return GST_ELEMENT_CLASS (parent_class)->send_event (element, event);
}

/* ---- buffers -------------------------------------------------------------------------------------------------------- */

static void
gst_cuda_histo_take_settings (GstCudaHisto *self)
{
  if (!g_atomic_int_get (&self->settings_changed) /* the usual case, at the price of a load */
      || !g_atomic_int_compare_and_exchange (&self->settings_changed, TRUE, FALSE))
    return;
  GST_OBJECT_LOCK (self);
  self->active.interval = self->settings.interval;
  self->active.max_in_flight = self->settings.max_in_flight;
  self->active.when_busy = self->settings.when_busy;
  self->active.hold_buffers = self->settings.hold_buffers;
  GST_OBJECT_UNLOCK (self);
  self->window.interval = self->active.interval;
  gst_cuda_histo_counter_set_max_in_flight (self->counter, self->active.max_in_flight);
}

/* The times of a buffer, as `level` gives them, and its index. */
static void
gst_cuda_histo_locate (GstCudaHisto *self, GstBuffer *buffer, GstCudaHistoPosition *position)
{
  const GstSegment *segment = &GST_BASE_TRANSFORM_CAST (self)->segment;

  position->frame = self->next_frame++;
  position->offset = 0;
  position->arrival = 0;
  position->timestamp = GST_BUFFER_PTS (buffer);
  position->duration = GST_BUFFER_DURATION (buffer);
  position->stream_time = position->running_time = position->running_duration = GST_CLOCK_TIME_NONE;
  if (segment->format == GST_FORMAT_TIME && GST_CLOCK_TIME_IS_VALID (position->timestamp)) {
    position->stream_time = gst_segment_to_stream_time (segment, GST_FORMAT_TIME, position->timestamp);
    position->running_time = gst_segment_to_running_time (segment, GST_FORMAT_TIME, position->timestamp);
    if (GST_CLOCK_TIME_IS_VALID (position->duration))
      position->running_duration = (GstClockTime)((gdouble)position->duration / ABS (segment->rate));
  }
}

/* The buffer is not counted. It passes, and is told of: at once, and then at most once a second. Takes `error`. */
static void
gst_cuda_histo_skip (GstCudaHisto *self, GError *error)
{
  guint64 untold = gst_cuda_histo_teller_add (&self->skips, 1);

  gst_cuda_histo_ledger_add_skipped (&self->ledger);
  self->is_open = FALSE;
  gst_cuda_histo_forget_previous (self);
  g_clear_error (&self->skip_error);
  self->skip_error = error;
  self->skipped_frame = self->next_frame - 1;
  gst_cuda_histo_tell_skipped (self, untold);
}

/* Whether the counter may still have a buffer when that goes on. Else a filter behind that works in place need not copy it. Held
 * without harm: bytes directly before a fakesink, which copies nothing; frames on the GPU, which nobody copies; frames on their way to a
 * GPU, which come back soon. */
static gboolean
gst_cuda_histo_decide_to_hold (GstCudaHisto *self)
{
  switch (self->active.hold_buffers) {
  case GST_CUDA_HISTO_HOLD_TRUE:
    return TRUE;
  case GST_CUDA_HISTO_HOLD_FALSE:
    return FALSE;
  default:
    return (g_atomic_int_get (&self->is_unseen) && !self->source.is_video) || self->is_cuda
           || self->active.when_busy == GST_CUDA_HISTO_BUSY_SKIP || gst_cuda_histo_counter_is_on_gpu (self->counter);
  }
}

/* The frame, or a copy of it where the next one needs it too: its buffer may be written to by then, or be missed by a pool. Takes
 * `frame`. */
static GstCudaHistoFrame *
gst_cuda_histo_make_operand (GstCudaHisto *self, GstCudaHistoFrame *frame)
{
  g_autoptr (GstCudaHistoPinner) pinner = NULL;
  GstCudaHistoFrame *copy;

  if (frame->frame.memory == HISTO_MEMORY_DEVICE || self->active.hold_buffers == GST_CUDA_HISTO_HOLD_TRUE)
    return frame;
  pinner = gst_cuda_histo_counter_get_pinner (self->counter);
  copy = gst_cuda_histo_frame_copy (frame, pinner);
  if (copy == NULL) /* there is no memory: it is held instead */
    return frame;
  gst_cuda_histo_frame_unref (frame);
  return copy;
}

/* Whether a flush has begun and ended since there were `flushes`, sent by the handler of a message that was posted meanwhile. What was
 * added since then is of a stream that is no more, and forgotten. */
static gboolean
gst_cuda_histo_was_flushed (GstCudaHisto *self, guint flushes)
{
  if (flushes == self->flushes)
    return FALSE;
  gst_cuda_histo_forget_previous (self);
  gst_cuda_histo_gather_discard (self->gather);
  gst_cuda_histo_counter_discard_window (self->counter, 0);
  return TRUE;
}

/* Hands a frame to the counter together with its operand. Takes `frame`. FALSE after a failure. */
static gboolean
gst_cuda_histo_count_frame (GstCudaHisto *self, GstCudaHistoFrame *frame)
{
  g_autoptr (GstCudaHistoFrame) operand = g_steal_pointer (&self->previous);

  self->awaits_release |= !self->holds_buffers;
  if (!self->use_dot)
    return gst_cuda_histo_counter_add (self->counter, frame, NULL);

  /* It is the copy that is counted: a GPU then has it when it is the operand. */
  frame = gst_cuda_histo_make_operand (self, frame);
  self->previous = gst_cuda_histo_frame_ref (frame);
  if (operand != NULL && !gst_cuda_histo_frame_matches (frame, operand)) {
    if (!self->source.is_video)
      gst_cuda_histo_warn_of_dot (self, "dot=previous needs buffers of equal size: some have no dot product.");
    g_clear_pointer (&operand, gst_cuda_histo_frame_unref);
  }
  return gst_cuda_histo_counter_add (self->counter, frame, operand);
}

/* Adds the buffer, or the part of it that ends at `offset` + `size`, to the window, and closes that where it is complete. FALSE after
 * a failure. */
static gboolean
gst_cuda_histo_add_to_window (GstCudaHisto *self, GstCudaHistoPosition *position, guint64 size, gboolean starts_buffer,
                              gboolean ends_buffer, gboolean *closed)
{
  gboolean is_complete;

  if (position->arrival == 0 && gst_cuda_histo_window_wants_arrival (&self->window))
    position->arrival = (GstClockTime)g_get_monotonic_time () * GST_USECOND;
  if (!self->window.is_open)
    gst_cuda_histo_origin_read (&self->origin, GST_ELEMENT (self), self->input, position->arrival);
  is_complete = gst_cuda_histo_window_add (&self->window, position, size, starts_buffer, ends_buffer);
  if (ends_buffer)
    self->is_open = FALSE;
  if (!is_complete)
    return TRUE;
  *closed = TRUE;
  return gst_cuda_histo_close_window (self, GST_CUDA_HISTO_ENDED_BY_COMPLETE);
}

/* Maps a picture of a video buffer where it is. FALSE after a failure; *frame is NULL, with *error, where it can only be skipped. */
static gboolean
gst_cuda_histo_map_video (GstCudaHisto *self, GstBuffer *buffer, guint index, GstCudaHistoFrame **frame, GError **error)
{
  GstCudaHistoCudaMemory memory;

  *frame = NULL;
  if (!self->is_cuda || !gst_cuda_histo_cuda_inspect (buffer, &memory)) {
    *frame = gst_cuda_histo_frame_map_video (&self->info, buffer, index, error);
    return TRUE;
  }
  if (memory.context != self->shared.context && !gst_cuda_histo_switch_context (self, memory.context))
    return FALSE;
  *frame = gst_cuda_histo_frame_map_cuda (&self->info, buffer, index, error);
  return TRUE;
}

static void
gst_cuda_histo_unref_frames (GstCudaHistoFrame **frames, guint count)
{
  for (guint i = 0; i < count; i++)
    gst_cuda_histo_frame_unref (frames[i]);
}

/* All before any is counted: a buffer is counted whole or not at all. FALSE after a failure; *count is 0, with *error, where the buffer
 * can only be skipped. */
static gboolean
gst_cuda_histo_map_pictures (GstCudaHisto *self, GstBuffer *buffer, GstCudaHistoFrame **frames, guint *count, GError **error)
{
  guint pictures = MIN (gst_cuda_histo_count_pictures (&self->info), GST_CUDA_HISTO_MAX_PICTURES), mapped;
  gboolean succeeded = TRUE;

  for (mapped = 0; mapped < pictures; mapped++) {
    succeeded = gst_cuda_histo_map_video (self, buffer, mapped, &frames[mapped], error);
    if (!succeeded || frames[mapped] == NULL)
      break;
  }
  *count = mapped == pictures ? pictures : 0;
  gst_cuda_histo_unref_frames (frames, mapped - *count);
  return succeeded;
}

/* FALSE after a failure. *closed: whether the buffer completed a window. */
static gboolean
gst_cuda_histo_count_video (GstCudaHisto *self, GstBuffer *buffer, GstCudaHistoPosition *position, gboolean *closed)
{
  g_autoptr (GError) error = NULL;
  GstCudaHistoFrame *frames[GST_CUDA_HISTO_MAX_PICTURES];
  GstCudaHistoSource source = self->source;
  const guint flushes = self->flushes;
  guint count;

  if (self->active.when_busy == GST_CUDA_HISTO_BUSY_SKIP && gst_cuda_histo_counter_is_busy (self->counter)) {
    gst_cuda_histo_skip (self, g_error_new (GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED,
                                            "as many frames as max-in-flight allows, %u, "
                                            "are being counted",
                                            self->active.max_in_flight));
    return TRUE;
  }
  if (!gst_cuda_histo_map_pictures (self, buffer, frames, &count, &error))
    return FALSE;
  if (count == 0) {
    gst_cuda_histo_skip (self, g_steal_pointer (&error));
    return TRUE;
  }

  if (gst_cuda_histo_source_set_frame (&source, &self->info, frames[0])) {
    gst_cuda_histo_end_window_early (self, GST_CUDA_HISTO_ENDED_BY_CROP);
    self->source = source;
    if (gst_cuda_histo_was_flushed (self, flushes)) {
      gst_cuda_histo_unref_frames (frames, count);
      return TRUE;
    }
  }

  for (guint i = 0; i < count; i++) {
    if (!gst_cuda_histo_count_frame (self, frames[i])) {
      gst_cuda_histo_unref_frames (frames + i + 1, count - i - 1);
      self->is_torn = i > 0 && self->window.is_open;
      return FALSE;
    }
    if (gst_cuda_histo_was_flushed (self, flushes)) {
      gst_cuda_histo_unref_frames (frames + i + 1, count - i - 1);
      return TRUE;
    }
  }
  return gst_cuda_histo_add_to_window (self, position, 0, TRUE, TRUE, closed);
}

static void
gst_cuda_histo_fail_for_memory (GstCudaHisto *self)
{
  gst_cuda_histo_fail (self, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT,
                       g_strdup ("There is no memory to copy the bytes that are to be counted."), NULL);
}

/* Copies a piece to the others. FALSE after a failure. */
static gboolean
gst_cuda_histo_copy_piece (GstCudaHisto *self, const guint8 *data, gsize size)
{
  while (size > 0) {
    gsize part = MIN (size, gst_cuda_histo_gather_room (self->gather));
    GstCudaHistoFrame *block;

    if (part == 0) {
      gst_cuda_histo_fail_for_memory (self);
      return FALSE;
    }
    block = gst_cuda_histo_gather_add (self->gather, data, part);
    data += part;
    size -= part;
    if (!gst_cuda_histo_count_gathered (self, block))
      return FALSE;
  }
  return TRUE;
}

/* Counts bytes [offset, offset + size), not none. FALSE after a failure. */
static gboolean
gst_cuda_histo_count_piece (GstCudaHisto *self, GstCudaHistoBytes *bytes, gsize offset, gsize size)
{
  /* Where a window is a buffer nothing would be gathered but this. */
  if (self->window.mode != GST_CUDA_HISTO_WINDOW_BUFFER || gst_cuda_histo_bytes_are_borrowed (bytes)) {
    if (!gst_cuda_histo_gather_can_extend (self->gather, bytes, offset)
        && !gst_cuda_histo_count_gathered (self, gst_cuda_histo_gather_end_run (self->gather)))
      return FALSE;
    if (gst_cuda_histo_gather_can_extend (self->gather, bytes, offset))
      return gst_cuda_histo_count_gathered (self, gst_cuda_histo_gather_extend (self->gather, bytes, offset, size));
    if (size <= GST_CUDA_HISTO_GATHER_LIMIT)
      return gst_cuda_histo_copy_piece (self, bytes->data + offset, size);
  }
  return gst_cuda_histo_flush_gathered (self)
         && gst_cuda_histo_count_frame (self, gst_cuda_histo_bytes_get_frame (bytes, offset, size));
}

/* Counts the mapped memories of a buffer of `total` bytes. FALSE after a failure. */
static gboolean
gst_cuda_histo_count_memories (GstCudaHisto *self, GstCudaHistoBytes *const *memories, guint count, guint64 total,
                               const GstCudaHistoPosition *position, gboolean *closed)
{
  GstCudaHistoPosition piece = *position;
  const guint flushes = self->flushes;
  guint64 done = 0;
  gboolean succeeded;

  for (guint i = 0; i < count; i++) {
    for (gsize offset = 0; offset < memories[i]->size;) {
      gsize size = (gsize)gst_cuda_histo_window_take (&self->window, memories[i]->size - offset);
      gboolean starts_buffer = done == 0;
      gboolean ends_buffer = done + size == total;

      piece.offset = position->offset + done;
      succeeded = gst_cuda_histo_count_piece (self, memories[i], offset, size);
      if (succeeded && gst_cuda_histo_was_flushed (self, flushes))
        return TRUE;
      if (!succeeded || !gst_cuda_histo_add_to_window (self, &piece, size, starts_buffer, ends_buffer, closed)) {
        self->is_torn = self->is_open && self->window.is_open;
        return FALSE;
      }
      if (gst_cuda_histo_was_flushed (self, flushes))
        return TRUE;
      done += size;
      offset += size;
    }
  }
  if (total > 0)
    return TRUE;

  gst_cuda_histo_forget_previous (self);
  return gst_cuda_histo_add_to_window (self, &piece, 0, TRUE, TRUE, closed);
}

/* Whether a buffer is copied to others and nothing of it kept: most small ones, for which keeping would cost as much as counting. */
static gboolean
gst_cuda_histo_copies_buffer (GstCudaHisto *self, GstBuffer *buffer)
{
  GstMemory *memory;

  if (self->use_dot || gst_buffer_n_memory (buffer) != 1)
    return FALSE;
  memory = gst_buffer_peek_memory (buffer, 0);
  if (memory->size > GST_CUDA_HISTO_GATHER_LIMIT)
    return FALSE;
  return (self->window.mode != GST_CUDA_HISTO_WINDOW_BUFFER && !gst_cuda_histo_memory_is_ours (memory)) || !self->holds_buffers;
}

/* FALSE after a failure. *closed: whether the buffer completed a window. */
static gboolean
gst_cuda_histo_count_bytes (GstCudaHisto *self, GstBuffer *buffer, GstCudaHistoPosition *position, gboolean *closed)
{
  const gboolean copies = gst_cuda_histo_copies_buffer (self, buffer);
  const gboolean hold = !copies && self->holds_buffers;
  GstCudaHistoBytes borrowed, *memories[MAX_PIECES];
  GstMemory *merged = NULL;
  guint count = gst_buffer_n_memory (buffer);
  guint mapped = 0;
  guint64 total = 0;
  gboolean succeeded = TRUE;

  /* The dot product takes a buffer as one piece: its operand may be cut elsewhere. */
  if (count > (self->use_dot ? 1 : MAX_PIECES)) {
    merged = gst_buffer_get_all_memory (buffer);
    count = merged != NULL ? 1 : 0;
  }
  /* All before any is counted: a buffer is counted whole or not at all. */
  if (copies && gst_cuda_histo_bytes_borrow (&borrowed, gst_buffer_peek_memory (buffer, 0))) {
    memories[mapped++] = &borrowed;
    total = borrowed.size;
  }
  while (!copies && mapped < count) {
    memories[mapped]
        = gst_cuda_histo_bytes_new (buffer, merged != NULL ? merged : gst_buffer_peek_memory (buffer, mapped), hold);
    if (memories[mapped] == NULL)
      break;
    total += memories[mapped++]->size;
  }

  if (GST_BASE_TRANSFORM_CAST (self)->segment.format == GST_FORMAT_BYTES && GST_BUFFER_OFFSET_IS_VALID (buffer))
    self->next_offset = GST_BUFFER_OFFSET (buffer);
  position->offset = self->next_offset;
  self->next_offset += gst_buffer_get_size (buffer);

  if (mapped == count && (count > 0 || gst_buffer_n_memory (buffer) == 0))
    succeeded = gst_cuda_histo_count_memories (self, memories, count, total, position, closed);
  else
    gst_cuda_histo_skip (self,
                         g_error_new (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_READ,
                                      "a buffer of %" G_GSIZE_FORMAT " bytes cannot be read", gst_buffer_get_size (buffer)));

  if (copies && mapped > 0)
    gst_cuda_histo_bytes_give_back (memories[--mapped]);
  while (mapped > 0)
    gst_cuda_histo_bytes_unref (memories[--mapped]);
  if (merged != NULL)
    gst_memory_unref (merged);
  return succeeded;
}

/* Waits for the numbers of the windows that `buffer` completed, and attaches them. FALSE after a failure. */
static gboolean
gst_cuda_histo_attach_results (GstCudaHisto *self, GstBuffer *buffer)
{
  gboolean succeeded = gst_cuda_histo_counter_drain (self->counter);
  guint64 lost = 0;
  GstStructure *structure;

  while (succeeded && (structure = g_queue_pop_head (&self->structures)) != NULL) {
    if (!gst_buffer_is_writable (buffer)) {
      gst_structure_free (structure);
      lost++;
    } else if (!gst_cuda_histo_schema_attach (structure, buffer)) {
      lost++;
    }
  }
  gst_cuda_histo_lose_metas (self, lost);
  return succeeded;
}

/* Whether the next frame needs the buffer of this one. */
static gboolean
gst_cuda_histo_keeps_reference (GstCudaHisto *self)
{
  return self->active.dot != GST_CUDA_HISTO_DOT_NONE
         && (self->is_cuda || self->active.hold_buffers == GST_CUDA_HISTO_HOLD_TRUE);
}

/* With add-meta: the same buffer where it is writable, else another buffer with the same memories. No sample is copied, but for
 * memories with GST_MEMORY_FLAG_NO_SHARE, which no two buffers may hold. What cannot even be copied cannot be counted either, and
 * goes on as it is. */
static GstFlowReturn
gst_cuda_histo_prepare_output_buffer (GstBaseTransform *base, GstBuffer *input, GstBuffer **output)
{
  GstCudaHisto *self = GST_CUDA_HISTO (base);
  GstBuffer *copy = NULL;

  self->input = input;
  gst_cuda_histo_take_settings (self); /* once a buffer: what is decided here holds when it is counted */
  if (self->active.add_meta && (!gst_buffer_is_writable (input) || gst_cuda_histo_keeps_reference (self)))
    copy = gst_buffer_copy (input);
  *output = copy != NULL ? copy : input;
  return GST_FLOW_OK;
}

/* What the buffer is to the stream, after it was counted or not. */
static GstFlowReturn
gst_cuda_histo_get_flow (GstCudaHisto *self, gboolean succeeded)
{
  if (g_atomic_int_get (&self->has_failed))
    return GST_FLOW_ERROR;
  if (succeeded)
    return GST_FLOW_OK;
  return gst_cuda_histo_counter_is_flushing (self->counter) ? GST_FLOW_FLUSHING : GST_FLOW_ERROR;
}

static GstFlowReturn
gst_cuda_histo_transform_ip (GstBaseTransform *base, GstBuffer *output)
{
  GstCudaHisto *self = GST_CUDA_HISTO (base);
  GstBuffer *input = self->input;
  const guint flushes = self->flushes;
  GstCudaHistoPosition position;
  gboolean closed = FALSE;
  gboolean succeeded;

  if (g_atomic_int_get (&self->has_failed))
    return GST_FLOW_ERROR;
  if (!self->is_configured && !gst_cuda_histo_configure (self, NULL))
    return GST_FLOW_ERROR;
  self->holds_buffers = gst_cuda_histo_decide_to_hold (self);
  gst_cuda_histo_counter_set_synchronous (self->counter, self->active.add_meta || !self->holds_buffers);
  if (GST_BUFFER_IS_DISCONT (input))
    gst_cuda_histo_forget_previous (self);

  gst_cuda_histo_ledger_add_in (&self->ledger);
  self->is_open = TRUE;
  gst_cuda_histo_locate (self, input, &position);
  if (self->source.is_video)
    succeeded = gst_cuda_histo_count_video (self, input, &position, &closed);
  else
    succeeded = gst_cuda_histo_count_bytes (self, input, &position, &closed);
  if (self->is_open) /* refused, because of a flush or a failure */
    gst_cuda_histo_ledger_add_discarded (&self->ledger, 1);

  if (succeeded && closed && self->active.add_meta)
    succeeded = gst_cuda_histo_attach_results (self, output);
  if (succeeded && self->awaits_release)
    succeeded = gst_cuda_histo_counter_release_frames (self->counter);
  self->awaits_release = FALSE;
  if (flushes != self->flushes) /* a handler of a message flushed: the buffer is of a stream that is no more */
    return GST_BASE_TRANSFORM_FLOW_DROPPED;
  return gst_cuda_histo_get_flow (self, succeeded);
}

/* ---- stop ------------------------------------------------------------------------------------------------------------ */

/* Reports the window that is open, and ends the counter. The stream has ended. */
static void
gst_cuda_histo_close_counter (GstCudaHisto *self)
{
  GstCudaHistoCounter *counter = self->counter;
  guint64 pending;

  gst_cuda_histo_counter_set_flushing (counter, FALSE);
  gst_cuda_histo_end_window_early (self, GST_CUDA_HISTO_ENDED_BY_STOP);
  gst_cuda_histo_counter_stop (counter);
  pending = gst_cuda_histo_ledger_discard_pending (&self->ledger);
  if (pending > 0)
    GST_WARNING_OBJECT (self, "%" G_GUINT64_FORMAT " frames are in no result", pending);
  gst_cuda_histo_release_counter (self);
}

static gboolean
gst_cuda_histo_stop (GstBaseTransform *base)
{
  GstCudaHisto *self = GST_CUDA_HISTO (base);

  gst_cuda_histo_clear_started (self);
  if (self->counter != NULL)
    gst_cuda_histo_close_counter (self);
  gst_cuda_histo_tell_skipped (self, gst_cuda_histo_teller_finish (&self->skips));
  gst_cuda_histo_tell_lost_metas (self, gst_cuda_histo_teller_finish (&self->lost_metas));
  g_clear_pointer (&self->gather, gst_cuda_histo_gather_free);
  gst_clear_object (&self->frame_allocator);
  gst_clear_object (&self->byte_allocator);
  gst_cuda_histo_close_sidecar (self);
  gst_cuda_histo_shared_context_replace (&self->shared, NULL);
  gst_caps_replace (&self->caps, NULL);
  self->is_configured = FALSE;
  gst_cuda_histo_show_backend (self, NULL);
  return TRUE;
}

/* ---- properties ----------------------------------------------------------------------------------------------------- */

static void
gst_cuda_histo_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstCudaHisto *self = GST_CUDA_HISTO (object);

  GST_OBJECT_LOCK (self);
  switch (id) {
  case PROP_SIDECAR_LOCATION:
    g_free (self->sidecar_location);
    self->sidecar_location = g_value_dup_string (value);
    break;
  default:
    if (!gst_cuda_histo_settings_set (&self->settings, id, value))
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    break;
  }
  GST_OBJECT_UNLOCK (self);
  g_atomic_int_set (&self->settings_changed, TRUE);
}

/* With the object lock. */
static GstStructure *
gst_cuda_histo_make_stats (GstCudaHisto *self)
{
  const GstCudaHistoCounts counts = gst_cuda_histo_ledger_get (&self->ledger);
  guint64 lines, dropped;

  gst_cuda_histo_sidecar_get_counts (self->sidecar, &lines, &dropped);
  return gst_structure_new (
      "cudahisto-stats", "frames-in", G_TYPE_UINT64, counts.in, "frames-reported", G_TYPE_UINT64, counts.reported,
      "frames-discarded", G_TYPE_UINT64, counts.discarded, "frames-skipped", G_TYPE_UINT64, counts.skipped, "frames-pending",
      G_TYPE_UINT64, counts.pending, "bytes-counted", G_TYPE_UINT64, counts.bytes, "results", G_TYPE_UINT64, counts.results,
      "fallbacks", G_TYPE_UINT64, counts.fallbacks, "backend", G_TYPE_STRING, self->active_backend, "device", G_TYPE_STRING,
      self->active_device, "sidecar-lines", G_TYPE_UINT64, lines, "sidecar-dropped", G_TYPE_UINT64, dropped, NULL);
}

static void
gst_cuda_histo_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstCudaHisto *self = GST_CUDA_HISTO (object);

  GST_OBJECT_LOCK (self);
  switch (id) {
  case PROP_SIDECAR_LOCATION:
    g_value_set_string (value, self->sidecar_location);
    break;
  case PROP_ACTIVE_BACKEND:
    g_value_set_static_string (value, self->active_backend);
    break;
  case PROP_ACTIVE_DEVICE:
    g_value_set_static_string (value, self->active_device);
    break;
  case PROP_STATS:
    g_value_take_boxed (value, gst_cuda_histo_make_stats (self));
    break;
  default:
    if (!gst_cuda_histo_settings_get (&self->settings, id, value))
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    break;
  }
  GST_OBJECT_UNLOCK (self);
}

static void
gst_cuda_histo_finalize (GObject *object)
{
  GstCudaHisto *self = GST_CUDA_HISTO (object);

  g_free (self->sidecar_location);
  gst_cuda_histo_ledger_clear (&self->ledger);
  gst_cuda_histo_sidecar_free (self->sidecar);
  gst_cuda_histo_shared_context_clear (&self->shared);
  gst_cuda_histo_puller_free (self->puller);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

/* ---- the class ------------------------------------------------------------------------------------------------------ */

static void
gst_cuda_histo_install_properties (GObjectClass *object_class)
{
  const GParamFlags ready = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY;
  const GParamFlags readable = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;

  gst_cuda_histo_settings_install (object_class);
  /**
   * GstCudaHisto:sidecar-location:
   *
   * A file that gets one line of JSON for each result (JSON Lines); `-` is standard output. It is emptied
   * (#GstCudaHisto:sidecar-mode) with the first line, or at the EOS of a stream that has frames and no result; a start that fails and a
   * stop before leave it as it was. A file that is there, is not empty and does not begin as a sidecar does is an error, and so is one
   * that another element writes to, and one that the source reads or the sink writes. A named pipe needs a reader before the start. At EOS every line is in a
   * regular file before the event goes downstream; a stop waits for two seconds at most, and a warning says how many lines nobody
   * took.
   */
  properties[PROP_SIDECAR_LOCATION]
      = g_param_spec_string ("sidecar-location", "Sidecar location",
                             "File that gets a line of JSON for each result (NULL = none, - = standard output)", NULL, ready);
  /**
   * GstCudaHisto:active-backend:
   *
   * What counts now: "cuda", "cpu" or "reference"; %NULL while stopped.
   */
  properties[PROP_ACTIVE_BACKEND]
      = g_param_spec_string ("active-backend", "Active backend", "What counts now (NULL = stopped)", NULL, readable);
  /**
   * GstCudaHisto:active-device:
   *
   * The name of what counts now, for example "NVIDIA H200"; %NULL while stopped.
   */
  properties[PROP_ACTIVE_DEVICE]
      = g_param_spec_string ("active-device", "Active device", "Name of what counts now (NULL = stopped)", NULL, readable);
  /**
   * GstCudaHisto:stats:
   *
   * What became of every frame (of byte streams: buffer) since the element started; after a stop, until the next start. A
   * #GstStructure named `cudahisto-stats` with
   *
   * * `frames-in`, `frames-reported`, `frames-discarded`, `frames-skipped`, `frames-pending` (guint64): those that came; those in
   *   results; those that a flush or a failure made void; those that could not be read, or came while the element was busy
   *   (#GstCudaHisto:when-busy); and those that will be one of these. At any instant the first is the sum of the others.
   * * `bytes-counted` (guint64): bytes of samples counted
   * * `results` (guint64): results handed out
   * * `fallbacks` (guint64): times that a GPU failed and the CPU went on
   * * `sidecar-lines`, `sidecar-dropped` (guint64): results that are in the sidecar, and those that will not be
   *   (#GstCudaHisto:sidecar-slow); what is in neither waits to be written
   * * `backend`, `device` (string): what counts now, as #GstCudaHisto:active-backend and #GstCudaHisto:active-device
   *
   * Since: 0.2
   */
  properties[PROP_STATS]
      = g_param_spec_boxed ("stats", "Statistics", "What became of every frame since the start", GST_TYPE_STRUCTURE, readable);

  for (guint id = PROP_SIDECAR_LOCATION; id < N_PROPERTIES; id++)
    g_object_class_install_property (object_class, id, properties[id]);
}

static void
gst_cuda_histo_install_signals (GstCudaHistoClass *klass)
{
  /**
   * GstCudaHisto::reopen-sidecar:
   * @self: the element
   *
   * For log rotation, after the sidecar file has been renamed: what is queued is written to it, it is closed, and a new one is created
   * at #GstCudaHisto:sidecar-location. No line is lost, and none is in both. Nothing happens where the file was not renamed. Where the
   * location cannot be opened, a warning says so, and the lines go on into the old file.
   *
   * Returns: whether the sidecar is the file at that location now. %FALSE also where the old file, or a pipe, took longer than two
   *   seconds to take what was queued; it is done then when that has been written
   *
   * Since: 0.2
   */
  g_signal_new_class_handler ("reopen-sidecar", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION,
                              G_CALLBACK (gst_cuda_histo_reopen_sidecar), NULL, NULL, NULL, G_TYPE_BOOLEAN, 0);
}

static void
gst_cuda_histo_class_init (GstCudaHistoClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseTransformClass *base_class = GST_BASE_TRANSFORM_CLASS (klass);

  object_class->set_property = gst_cuda_histo_set_property;
  object_class->get_property = gst_cuda_histo_get_property;
  object_class->finalize = gst_cuda_histo_finalize;
  gst_cuda_histo_install_properties (object_class);
  gst_cuda_histo_install_signals (klass);

  element_class->change_state = gst_cuda_histo_change_state;
  element_class->send_event = gst_cuda_histo_send_event;
  element_class->set_context = gst_cuda_histo_set_context;
  gst_element_class_set_static_metadata (
      element_class, "Histogram and sums, CUDA or CPU", "Filter/Analyzer/Video",
      "Counts the histogram, the sums and the dot product of raw bytes or raw video, on an NVIDIA "
      "GPU or on the CPU",
      "the cudahisto authors");
  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);

  /* No set_caps: with one, the base class refuses buffers without caps unless it is in passthrough. */
  base_class->start = gst_cuda_histo_start;
  base_class->stop = gst_cuda_histo_stop;
  base_class->transform_caps = gst_cuda_histo_transform_caps;
  base_class->accept_caps = gst_cuda_histo_accept_caps;
  base_class->query = gst_cuda_histo_query;
  base_class->propose_allocation = gst_cuda_histo_propose_allocation;
  base_class->sink_event = gst_cuda_histo_sink_event;
  base_class->src_event = gst_cuda_histo_src_event;
  base_class->prepare_output_buffer = gst_cuda_histo_prepare_output_buffer;
  base_class->transform_ip = gst_cuda_histo_transform_ip;
  base_class->transform_ip_on_passthrough = TRUE;

  gst_type_mark_as_plugin_api (GST_TYPE_CUDA_HISTO_BACKEND, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_CUDA_HISTO_WINDOW_MODE, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_CUDA_HISTO_BINS, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_CUDA_HISTO_RESOLUTION, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_CUDA_HISTO_DOT, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_CUDA_HISTO_PULL, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_CUDA_HISTO_HOLD, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_CUDA_HISTO_BUSY, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_CUDA_HISTO_SIDECAR_MODE, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_CUDA_HISTO_SIDECAR_SLOW, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_CUDA_HISTO_SIDECAR_BINS, 0);
}

static void
gst_cuda_histo_init (GstCudaHisto *self)
{
  static const GstCudaHistoSidecarCallbacks sidecar_callbacks = {
    .failed = gst_cuda_histo_sidecar_failed,
    .dropped = gst_cuda_histo_sidecar_dropped,
    .not_reopened = gst_cuda_histo_sidecar_not_reopened,
  };
  GstBaseTransform *base = GST_BASE_TRANSFORM (self);
  GstPad *sinkpad = GST_BASE_TRANSFORM_SINK_PAD (base);

  gst_cuda_histo_settings_init (&self->settings);
  gst_cuda_histo_ledger_init (&self->ledger);
  g_queue_init (&self->structures);
  self->sidecar = gst_cuda_histo_sidecar_new (&sidecar_callbacks, GST_ELEMENT (self));
  self->puller = gst_cuda_histo_puller_new (GST_ELEMENT (self), sinkpad, GST_BASE_TRANSFORM_SRC_PAD (base),
                                            gst_cuda_histo_settle_segment);
  gst_cuda_histo_shared_context_init (&self->shared, GST_ELEMENT (self));
  self->activate_sink_in_base = GST_PAD_ACTIVATEMODEFUNC (sinkpad);
  gst_pad_set_activate_function (sinkpad, gst_cuda_histo_activate_sink);
  gst_pad_set_activatemode_function (sinkpad, gst_cuda_histo_activate_sink_mode);
  gst_base_transform_set_gap_aware (base, TRUE);
  gst_base_transform_set_in_place (base, TRUE);
  gst_base_transform_set_passthrough (base, TRUE);
  gst_base_transform_set_qos_enabled (base, FALSE);
}
