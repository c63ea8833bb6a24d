/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/**
 * SECTION:element-cudahisto
 * @title: cudahisto
 * @short_description: measures histograms and other statistics of video and bytes
 * @see_also: level, videoanalyse
 *
 * cudahisto measures raw video or raw bytes: the 256-bin histogram, the sum and the sum of squares and, on request, the dot
 * product with the previous frame, the statistics of FFmpeg's signalstats and others (#GstCudaHisto:statistics). It uses an
 * NVIDIA GPU or the CPU. Counts and sums are exact, and both backends return the same numbers. Buffers pass through unchanged;
 * with #GstCudaHisto:add-meta they carry the results.
 *
 * The kinds of data:
 *
 * * `video/x-raw`, in every format with up to 16 bits, is measured frame by frame, each component separately, over the visible
 *   pixels. Most formats are read in place. Those with several samples in a word, such as v210, and tiles are unpacked first.
 *   Samples of fewer than 8 bits count as 8 bits. Sums, minimum, maximum and percentiles use all bits. Histograms have 256
 *   bins, for the upper 8 bits, or one for each value (#GstCudaHisto:bins). Other raw video, for example in memory of another
 *   kind, is refused with an error that states the reason. The views of a buffer are counted together. So are its
 *   fields, unless #GstCudaHisto:fields is `apart` (Since: 0.2): then each field is counted as a frame.
 * * `video/x-raw(memory:CUDAMemory)`, in the same formats, is counted in GPU memory without a copy. The other elements
 *   negotiate memory as if this one were absent. Such memory is accepted if a GPU counts (#GstCudaHisto:active-backend), in the
 *   CUDA context that the element shares with its neighbours (`gst.cuda.context`).
 * * Everything else (no caps, encoded data, raw audio) is a stream of bytes.
 *
 * If the CPU counts, the element pushes a buffer when it is counted, so that no element downstream has to copy it. If a GPU
 * counts, it pushes the buffer at once, and holds a reference until it is counted. While 8 frames are being counted, the
 * streaming thread waits, unless #GstCudaHisto:when-busy is `skip`. The element reports no latency: no buffer waits for a later
 * one. Waiting for a count is processing time, for which sinks have a `processing-deadline`.
 *
 * Directly between a source with random access and a `fakesink`, as in `filesrc ! cudahisto ! fakesink`, the element reads the
 * file itself, in blocks of 8 MiB. This is the fastest way to count a file. A pad probe downstream sees these blocks. The
 * source pushes its own buffers with #GstCudaHisto:add-meta, #GstCudaHisto:dot or `window=buffer`. It also does so if
 * `signal-handoffs`, `dump`, `silent` or `num-buffers` of the `fakesink` is changed, or `num-buffers`, `do-timestamp`,
 * `typefind`, `caps` or `blocksize` of the source. The element decides when its pads are activated.
 *
 * If a GPU counts, the element offers upstream memory that the GPU reads without a copy by the CPU. `videotestsrc`, decoders
 * that accept a pool, and applications that send an ALLOCATION query use it.
 *
 * A result covers a window: each frame or field, the whole stream, or #GstCudaHisto:window-size bytes, see
 * #GstCudaHisto:window and #GstCudaHisto:interval. A window also ends at EOS and SEGMENT_DONE, when the caps or the visible
 * size change, at the start of another stream, at a SEGMENT that changes the meaning of timestamps, and when the element stops.
 * The field `ended-by` has the reason. A flush discards the open window. At EOS and SEGMENT_DONE all results are reported
 * before the event goes downstream. #GstCudaHisto:stats accounts for every frame.
 *
 * A result is reported as
 *
 * * an element message named `cudahisto`, unless #GstCudaHisto:post-messages is %FALSE,
 * * a #GstCustomMeta named `GstCudaHistoMeta` on the buffer that completes the window, with #GstCudaHisto:add-meta. Elements
 *   downstream keep it, even if they change the picture that it describes,
 * * a line of JSON in the file or pipe at #GstCudaHisto:sidecar-location,
 *
 * all with the same fields, which docs/messages.md lists.
 *
 * With #GstCudaHisto:events the element reports the beginning and end of black frames, freezes, scene changes, clipping and
 * damage, each as a message named `cudahisto-event` and a line of the sidecar (Since: 0.2).
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 -m filesrc location=any.bin ! cudahisto ! fakesink
 * ]|
 * Posts one message with the byte histogram of a file.
 * |[
 * gst-launch-1.0 -m videotestsrc num-buffers=3 ! video/x-raw,format=I420 ! cudahisto message-arrays=none ! fakesink
 * ]|
 * Posts the mean, the variance and other numbers of Y, U and V of each frame, without the histograms.
 * |[
 * gst-launch-1.0 filesrc location=clip.mp4 ! decodebin ! cudahisto interval=1000000000 sidecar-location=clip.jsonl ! fakesink
 * ]|
 * Writes a line of JSON for each second of a clip.
 * |[
 * gst-launch-1.0 -q videotestsrc num-buffers=90 ! video/x-raw,format=I420 ! cudahisto interval=1000000000 post-messages=false \
 *   sidecar-arrays=none sidecar-slow=block sidecar-location=- ! fakesink | jq .components.Y.mean
 * ]|
 * Writes lines to standard output for another program, and waits for it instead of dropping lines (Since: 0.2).
 * |[
 * gst-launch-1.0 filesrc location=clip.mp4 ! decodebin ! cudahisto statistics=signalstats sidecar-arrays=none \
 *   sidecar-location=clip.jsonl ! fakesink
 * ]|
 * Writes the statistics of FFmpeg's signalstats, a line for each frame (Since: 0.2).
 * |[
 * gst-launch-1.0 -m filesrc location=clip.mp4 ! decodebin ! cudahisto reference-location=clip.mp4 window=stream ! fakesink
 * ]|
 * Posts one message with the mean squared error and the PSNR of a clip against another one, here itself (Since: 0.2).
 * |[
 * gst-launch-1.0 -m filesrc location=clip.mp4 ! qtdemux ! h264parse ! nvh264dec ! cudahisto message-arrays=none ! fakesink
 * ]|
 * Counts the frames of a clip on the GPU that decodes them, without a copy.
 */

#include "events.h"
#include "gstcudahistoprivate.h"

GST_DEBUG_CATEGORY (gst_cuda_histo_debug);

enum {
  PROP_SIDECAR_LOCATION = GST_CUDA_HISTO_SETTINGS_END,
  PROP_REGIONS,
  PROP_REFERENCE_LOCATION,
  PROP_ROW_WEIGHTS_LOCATION,
  PROP_COLUMN_WEIGHTS_LOCATION,
  PROP_WEIGHTS_LOCATION,
  PROP_INPUT_NAME,
  PROP_INPUT_SAMPLING,
  PROP_ACTIVE_BACKEND,
  PROP_ACTIVE_DEVICE,
  PROP_STATS,
  N_PROPERTIES
};

static GParamSpec *properties[N_PROPERTIES];

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);

#define gst_cuda_histo_parent_class parent_class
G_DEFINE_TYPE (GstCudaHisto, gst_cuda_histo, GST_TYPE_BASE_TRANSFORM)
GST_ELEMENT_REGISTER_DEFINE_WITH_CODE (cudahisto, "cudahisto", GST_RANK_NONE, GST_TYPE_CUDA_HISTO,
                                       GST_DEBUG_CATEGORY_INIT (gst_cuda_histo_debug, "cudahisto", 0,
                                                                "histogram and sums, CUDA or CPU"))

/* Returns the place of a property that is a text; NULL: it is none, or is read-only. With the object lock. */
static gchar **
gst_cuda_histo_find_text (GstCudaHisto *self, guint id)
{
  switch (id) {
  case PROP_SIDECAR_LOCATION:
    return &self->sidecar_use.location;
  case PROP_REGIONS:
    return &self->regions.text;
  case PROP_REFERENCE_LOCATION:
    return &self->reference_location;
  case PROP_ROW_WEIGHTS_LOCATION:
    return &self->row_weights_location;
  case PROP_COLUMN_WEIGHTS_LOCATION:
    return &self->column_weights_location;
  case PROP_WEIGHTS_LOCATION:
    return &self->weights_location;
  case PROP_INPUT_NAME:
    return &self->reports.input_name;
  case PROP_INPUT_SAMPLING:
    return &self->reports.input_sampling;
  default:
    return NULL;
  }
}

static void
gst_cuda_histo_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstCudaHisto *self = GST_CUDA_HISTO (object);
  gchar **text;

  GST_OBJECT_LOCK (self);
  text = gst_cuda_histo_find_text (self, id);
  if (text != NULL) {
    g_free (*text);
    *text = g_value_dup_string (value);
  } else if (!gst_cuda_histo_settings_set (&self->settings, id, value)) {
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
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

  gst_cuda_histo_sidecar_get_counts (self->sidecar_use.sidecar, &lines, &dropped);
  return gst_structure_new (
      "cudahisto-stats", "frames-in", G_TYPE_UINT64, counts.in, "frames-reported", G_TYPE_UINT64, counts.reported,
      "frames-discarded", G_TYPE_UINT64, counts.discarded, "frames-skipped", G_TYPE_UINT64, counts.skipped, "frames-pending",
      G_TYPE_UINT64, counts.pending, "bytes-counted", G_TYPE_UINT64, counts.bytes, "results", G_TYPE_UINT64, counts.results,
      "fallbacks", G_TYPE_UINT64, counts.fallbacks, "backend", G_TYPE_STRING, self->use.backend, "device", G_TYPE_STRING,
      self->use.device, "sidecar-lines", G_TYPE_UINT64, lines, "sidecar-dropped", G_TYPE_UINT64, dropped, "sidecar-torn",
      G_TYPE_BOOLEAN, gst_cuda_histo_sidecar_ends_within_line (self->sidecar_use.sidecar), "references-stuck", G_TYPE_UINT,
      gst_cuda_histo_reference_count_stuck (), "references-awaited", G_TYPE_UINT, gst_cuda_histo_reference_count_awaited (),
      "damages", G_TYPE_UINT64, counts.damages, "frames-damaged", G_TYPE_UINT64, counts.damaged, "frames-missing",
      G_TYPE_UINT64, counts.missing, NULL);
}

static void
gst_cuda_histo_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstCudaHisto *self = GST_CUDA_HISTO (object);
  gchar **text;

  GST_OBJECT_LOCK (self);
  switch (id) {
  case PROP_ACTIVE_BACKEND:
    g_value_set_static_string (value, self->use.backend);
    break;
  case PROP_ACTIVE_DEVICE:
    g_value_set_static_string (value, self->use.device);
    break;
  case PROP_STATS:
    g_value_take_boxed (value, gst_cuda_histo_make_stats (self));
    break;
  default:
    text = gst_cuda_histo_find_text (self, id);
    if (text != NULL)
      g_value_set_string (value, *text);
    else if (!gst_cuda_histo_settings_get (&self->settings, id, value))
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    break;
  }
  GST_OBJECT_UNLOCK (self);
}

static void
gst_cuda_histo_finalize (GObject *object)
{
  GstCudaHisto *self = GST_CUDA_HISTO (object);

  g_free (self->sidecar_use.location);
  g_free (self->regions.text);
  g_free (self->regions.valid_text);
  g_free (self->reference_location);
  g_free (self->comparison.location);
  g_free (self->row_weights_location);
  g_free (self->column_weights_location);
  g_free (self->weights_location);
  g_free (self->reports.input_name);
  g_free (self->reports.input_sampling);
  g_free (self->refused.text);
  gst_cuda_histo_sums_clear (&self->sums);
  gst_cuda_histo_meter_clear (&self->meter);
  gst_cuda_histo_ledger_clear (&self->ledger);
  gst_cuda_histo_sidecar_free (self->sidecar_use.sidecar);
  gst_cuda_histo_shared_context_clear (&self->context.shared);
  gst_cuda_histo_puller_free (self->pads.puller);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
gst_cuda_histo_install_properties (GObjectClass *object_class)
{
  const GParamFlags ready = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY;
  const GParamFlags readable = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;

  gst_cuda_histo_settings_install (object_class);
  /**
   * GstCudaHisto:sidecar-location:
   *
   * A file that receives a line of JSON for each result, and for the beginning and end of each of #GstCudaHisto:events (JSON
   * Lines); `-` is standard output. It is emptied (#GstCudaHisto:sidecar-mode) with the first line, or at the EOS of a stream
   * that has frames and no result. A failed start, or an earlier stop, leaves it unchanged. It is an error if the file is not
   * empty and does not begin like a sidecar, or if another element writes to it, the source reads it or the sink writes it. A
   * named pipe needs a reader before the start. At EOS every line is in a regular file before the event goes downstream. A stop
   * waits at most two seconds, and a warning states the number of lines that were lost.
   */
  properties[PROP_SIDECAR_LOCATION] = g_param_spec_string (
      "sidecar-location", "Sidecar location",
      "File that receives each result as a line of JSON (NULL = none, - = standard output)", NULL, ready);
  /**
   * GstCudaHisto:regions:
   *
   * Rectangles of the visible picture that are also measured separately: `x,y,width,height` in pixels, separated by semicolons,
   * 16 at most. Results have them in `regions`, with all numbers except those that only the whole picture has: waveforms,
   * vectorscope, `metered-luma`, `histogram-distance` and the comparison with a reference. A region that reaches beyond the
   * picture is clipped, and one outside the picture is omitted, with one warning. All samples of a subsampled component
   * that a region touches are counted.
   *
   * A change takes effect at the next buffer and ends the open window. An invalid value is an error at the start. While playing
   * it causes a warning, and the property keeps its last value. A byte stream has no regions, and the element warns.
   *
   * Since: 0.2
   */
  properties[PROP_REGIONS] = g_param_spec_string (
      "regions", "Regions", "Rectangles to measure separately, in pixels: \"x,y,width,height; ...\" (NULL = none)", NULL,
      G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING);
  /**
   * GstCudaHisto:reference-location:
   *
   * A picture or film with which each frame is compared (#GstCudaHisto:reference-mode): a path or a URI of anything that
   * GStreamer can decode. Results then also have the fields of `statistics=comparison` as `Y-reference-psnr` and so on. The
   * element decodes it in a separate pipeline, to the stream's format; samples of the same format are compared as stored. If
   * its size differs from that of the first frames, if it cannot be decoded, or if it gives no frame for 20 seconds, that is an
   * error. The stream waits for the reference, unless #GstCudaHisto:when-busy is `skip`. For frames on the GPU the reference is
   * uploaded. Buffers of several pictures are not compared, nor are frames whose size differs after a change of the stream's
   * size; the element warns of both.
   *
   * Since: 0.2
   */
  properties[PROP_REFERENCE_LOCATION]
      = g_param_spec_string ("reference-location", "Reference location",
                             "Path or URI of a picture or film to compare each frame with (NULL = none)", NULL, ready);
  /**
   * GstCudaHisto:row-weights-location:
   *
   * A text file with one weight for each column of the picture, from the left, for `statistics=row-sums`. Without that
   * statistic it has no effect, and the element warns at the start. Each line is an integer from -32768 to 32767. The file is a
   * regular file of at most 1 MiB: 65536 lines of 16 characters. In the sum of a row (`statistics=row-sums`), each sample is
   * multiplied by the weight of its column. A sample of a subsampled component has the weight of its first column. Another
   * number of weights than columns is an error. With weights there are no row and column sums of regions, which begin
   * elsewhere, and no `active-picture`.
   *
   * Since: 0.2
   */
  properties[PROP_ROW_WEIGHTS_LOCATION]
      = g_param_spec_string ("row-weights-location", "Row weights location",
                             "Text file with an integer weight for each column, for row sums (NULL = all 1)", NULL, ready);
  /**
   * GstCudaHisto:column-weights-location:
   *
   * The same for `statistics=column-sums`: one weight for each row of the picture, from the top.
   *
   * Since: 0.2
   */
  properties[PROP_COLUMN_WEIGHTS_LOCATION]
      = g_param_spec_string ("column-weights-location", "Column weights location",
                             "Text file with an integer weight for each row, for column sums (NULL = all 1)", NULL, ready);
  /**
   * GstCudaHisto:weights-location:
   *
   * A PGM picture (P2 or P5) whose samples are the weights of the pixels, for `metering=weights`. Otherwise it has no effect,
   * and the element warns at the start. Weights are whole numbers up to the largest value of luma (255 for 8 bits), and not all
   * 0. The map is scaled to the visible picture: each pixel has the weight of the nearest sample. The file is a regular file of
   * at most 256 MiB, which is enough for 7680 x 4320 samples in any form.
   *
   * Since: 0.2
   */
  properties[PROP_WEIGHTS_LOCATION]
      = g_param_spec_string ("weights-location", "Weights location",
                             "PGM picture with the weights of the pixels, for metering=weights (NULL = none)", NULL, ready);
  /**
   * GstCudaHisto:input-name:
   *
   * The name of the measured film, camera or file. Results have it as `input`, for readers of many files. `cudahisto measure`
   * sets it to the file name of the film, without its folder.
   *
   * Since: 0.2
   */
  properties[PROP_INPUT_NAME] = g_param_spec_string (
      "input-name", "Input name", "Name of the measured film or camera, reported as the field input (NULL = none)", NULL,
      G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING);
  /**
   * GstCudaHisto:input-sampling:
   *
   * The part of the film that upstream sends, for readers of the results, which have it in the field `sampling`: for example
   * `keyframes`, or `from=60s+to=120s`. `cudahisto measure` sets it.
   *
   * Since: 0.2
   */
  properties[PROP_INPUT_SAMPLING] = g_param_spec_string (
      "input-sampling", "Input sampling", "Part of the input that arrives, reported in the field sampling (NULL = all of it)",
      NULL, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING);
  /**
   * GstCudaHisto:active-backend:
   *
   * The backend in use: "cuda", "cpu" or "reference"; %NULL while stopped.
   */
  properties[PROP_ACTIVE_BACKEND] = g_param_spec_string (
      "active-backend", "Active backend", "Backend in use: cuda, cpu or reference (NULL = stopped)", NULL, readable);
  /**
   * GstCudaHisto:active-device:
   *
   * The name of the device in use, for example "NVIDIA H200"; %NULL while stopped.
   */
  properties[PROP_ACTIVE_DEVICE]
      = g_param_spec_string ("active-device", "Active device",
                             "Name of the GPU, or threads and instruction set of the CPU (NULL = stopped)", NULL, readable);
  /**
   * GstCudaHisto:stats:
   *
   * Totals since the element started; after a stop, until the next start. A #GstStructure named `cudahisto-stats` with
   *
   * * `frames-in`, `frames-reported`, `frames-discarded`, `frames-skipped`, `frames-pending` (guint64): frames (of byte
   *   streams: buffers) received; in results; discarded by a flush or a failure; unreadable, or passed on because the element
   *   was busy (#GstCudaHisto:when-busy) or counts fewer (#GstCudaHisto:every); and not yet one of these. At any instant the
   *   first is the sum of the others.
   * * `damages`, `frames-damaged`, `frames-missing` (guint64): events of `damaged`, and the damaged and missing frames in them
   * * `bytes-counted` (guint64): bytes of samples counted
   * * `results` (guint64): results reported
   * * `fallbacks` (guint64): number of times that the CPU replaced a failed GPU
   * * `sidecar-lines`, `sidecar-dropped` (guint64): lines written to the sidecar, and lines dropped
   *   (#GstCudaHisto:sidecar-slow). Other lines wait.
   * * `sidecar-torn` (gboolean): the last write ended within a line; after a stop, within a dropped one
   * * `references-stuck` (guint): stopped references still blocked in a read, process-wide
   * * `references-awaited` (guint): references whose next frame is awaited at this instant, process-wide
   * * `backend`, `device` (string): as #GstCudaHisto:active-backend and #GstCudaHisto:active-device
   *
   * Since: 0.2
   */
  properties[PROP_STATS] = g_param_spec_boxed (
      "stats", "Statistics", "Totals since the start: frames received, reported, discarded, skipped, pending; and more",
      GST_TYPE_STRUCTURE, readable);

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
   * For log rotation, after the sidecar file was renamed: writes the waiting lines to it, closes it, and creates a new file at
   * #GstCudaHisto:sidecar-location. No line is lost or duplicated. No effect if the file was not renamed. If the location
   * cannot be opened, the element warns, and lines continue in the old file.
   *
   * Returns: whether the sidecar is now the file at that location. %FALSE also if the old file or a pipe took longer than two
   * seconds to accept the waiting lines; the file is then reopened when they are written
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
      element_class, "Picture statistics: histogram, events, regions, reference, scopes, metering", "Filter/Analyzer/Video",
      "Measures video frames or fields, and bytes, on an NVIDIA GPU or the CPU: histograms, statistics, differences, events",
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
}

static void
gst_cuda_histo_init (GstCudaHisto *self)
{
  GstBaseTransform *base = GST_BASE_TRANSFORM (self);

  self->host.element = GST_ELEMENT (self);
  gst_cuda_histo_settings_init (&self->settings);
  gst_cuda_histo_ledger_init (&self->ledger);
  g_queue_init (&self->reports.structures);
  gst_cuda_histo_init_sidecar (self);
  gst_cuda_histo_shared_context_init (&self->context.shared, GST_ELEMENT (self));
  gst_cuda_histo_init_pads (self, gst_cuda_histo_receive_event, gst_cuda_histo_report_segment);
  gst_base_transform_set_gap_aware (base, TRUE);
  gst_base_transform_set_in_place (base, TRUE);
  gst_base_transform_set_passthrough (base, TRUE);
  gst_base_transform_set_qos_enabled (base, FALSE);
}
