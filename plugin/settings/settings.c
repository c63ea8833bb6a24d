/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "settings/settings.h"

#include "settings/removedsettings.h"

/* The id of a property is the offset of its value, plus 1. The value has the type of the property, or is an enum or flags. */
#define ID(member) (G_STRUCT_OFFSET (GstCudaHistoSettings, member) + 1)

static const GstCudaHistoSettings default_settings = {
  .backend = GST_CUDA_HISTO_BACKEND_AUTO,
  .cuda_device_id = -1,
  .window = GST_CUDA_HISTO_WINDOW_AUTO,
  .post_messages = TRUE,
  .message_arrays = GST_CUDA_HISTO_MESSAGE_ARRAYS_HISTOGRAMS,
  .bins = GST_CUDA_HISTO_BINS_256,
  .dot = GST_CUDA_HISTO_DOT_NONE,
  .statistics = GST_CUDA_HISTO_STATISTICS_BASIC,
  .waveform_columns = 256,
  .sidecar_mode = GST_CUDA_HISTO_SIDECAR_TRUNCATE,
  .sidecar_slow = GST_CUDA_HISTO_SIDECAR_SLOW_AUTO,
  .sidecar_arrays = GST_CUDA_HISTO_SIDECAR_ARRAYS_HISTOGRAMS,
  .when_busy = GST_CUDA_HISTO_BUSY_WAIT,
  .every = 1,
  .fields = GST_CUDA_HISTO_FIELDS_TOGETHER,
  .reference_mode = GST_CUDA_HISTO_REFERENCE_IN_STEP,
};

static const GEnumValue backend_values[] = {
  { GST_CUDA_HISTO_BACKEND_AUTO, "A GPU if one works, otherwise the CPU", "auto" },
  { GST_CUDA_HISTO_BACKEND_REFERENCE, "Plain loops on the CPU, slow: they define every number", "reference" },
  { GST_CUDA_HISTO_BACKEND_CPU, "The CPU, with threads and vector instructions", "cpu" },
  { GST_CUDA_HISTO_BACKEND_CUDA, "An NVIDIA GPU; an error if none works", "cuda" },
  { 0, NULL, NULL },
};

static const GEnumValue window_mode_values[] = {
  { GST_CUDA_HISTO_WINDOW_AUTO, "Each buffer of raw video, the whole stream of other data", "auto" },
  { GST_CUDA_HISTO_WINDOW_BUFFER, "Each buffer", "buffer" },
  { GST_CUDA_HISTO_WINDOW_STREAM, "The whole stream, until EOS", "stream" },
  { GST_CUDA_HISTO_WINDOW_BYTES, "Every window-size bytes, across buffers; not for raw video", "bytes" },
  { 0, NULL, NULL },
};

static const GEnumValue message_arrays_values[] = {
  { GST_CUDA_HISTO_MESSAGE_ARRAYS_NONE, "None", "none" },
  { GST_CUDA_HISTO_MESSAGE_ARRAYS_HISTOGRAMS, "The histograms of the picture's components, each as a GstValueArray",
    "histograms" },
  { GST_CUDA_HISTO_MESSAGE_ARRAYS_ALL, "All, each as a GstValueArray of integers or of such arrays", "all" },
  { GST_CUDA_HISTO_MESSAGE_ARRAYS_PACKED, "All, each as a GBytes of little-endian 64-bit integers and up to 2 zero bytes",
    "packed" },
  { GST_CUDA_HISTO_REMOVED_VALUE, "Removed. Use all", "array" },
  { 0, NULL, NULL },
};

static const GEnumValue bins_values[] = {
  { GST_CUDA_HISTO_BINS_256, "256 bins; of deeper samples, one for each value of the upper 8 bits", "256" },
  { GST_CUDA_HISTO_BINS_NATIVE, "One bin for each value: 1024 for 10 bits, 65536 for 16", "native" },
  { 0, NULL, NULL },
};

static const GEnumValue light_source_values[] = {
  { GST_CUDA_HISTO_LIGHT_SOURCE_MAX_RGB, "The largest of R, G and B (CTA-861.3)", "max-rgb" },
  { GST_CUDA_HISTO_LIGHT_SOURCE_LUMINANCE, "Luminance: the weighted sum of R, G and B", "luminance" },
  { 0, NULL, NULL },
};

static const GEnumValue dot_values[] = {
  { GST_CUDA_HISTO_DOT_NONE, "No dot product", "none" },
  { GST_CUDA_HISTO_DOT_PREVIOUS, "The previous frame, or the previous buffer if it has the same size", "previous" },
  { 0, NULL, NULL },
};

static const GFlagsValue statistics_values[] = {
#define STATISTIC(id, bits, nick, blurb) { STATISTIC_##id, blurb, nick },
#include "fields/statisticlist.h"
#undef STATISTIC
  { 0, NULL, NULL },
};

static const GEnumValue busy_values[] = {
  { GST_CUDA_HISTO_BUSY_WAIT, "The frame waits until it can be counted", "wait" },
  { GST_CUDA_HISTO_BUSY_SKIP, "The frame passes without being counted", "skip" },
  { 0, NULL, NULL },
};

static const GEnumValue reference_mode_values[] = {
  { GST_CUDA_HISTO_REFERENCE_IN_STEP, "The frame with the nearest stream time", "in-step" },
  { GST_CUDA_HISTO_REFERENCE_FIXED, "The first frame", "fixed" },
  { 0, NULL, NULL },
};

static const GEnumValue metering_values[] = {
  { GST_CUDA_HISTO_METERING_NONE, "No weighted mean", "none" },
  { GST_CUDA_HISTO_METERING_AVERAGE, "All pixels have the same weight", "average" },
  { GST_CUDA_HISTO_METERING_CENTER, "Weights fall from 255 in the centre to 1 in the corners", "center" },
  { GST_CUDA_HISTO_METERING_SPOT, "Only the middle eighth of width and height", "spot" },
  { GST_CUDA_HISTO_METERING_WEIGHTS, "The samples of the picture in weights-location, scaled to the frame", "weights" },
  { 0, NULL, NULL },
};

static const GEnumValue fields_values[] = {
  { GST_CUDA_HISTO_FIELDS_TOGETHER, "The fields of a frame have one result", "together" },
  { GST_CUDA_HISTO_FIELDS_APART, "Each field is counted as a frame", "apart" },
  { 0, NULL, NULL },
};

static const GEnumValue sidecar_mode_values[] = {
  { GST_CUDA_HISTO_SIDECAR_TRUNCATE, "Replace it if it is a sidecar, otherwise fail", "truncate" },
  { GST_CUDA_HISTO_SIDECAR_APPEND, "Append to it if it is a sidecar, otherwise fail", "append" },
  { GST_CUDA_HISTO_SIDECAR_OVERWRITE, "Replace it, whatever it is", "overwrite" },
  { 0, NULL, NULL },
};

static const GEnumValue sidecar_slow_values[] = {
  { GST_CUDA_HISTO_SIDECAR_SLOW_AUTO, "block for regular files; drop for pipes, sockets, terminals and devices", "auto" },
  { GST_CUDA_HISTO_SIDECAR_SLOW_BLOCK, "The stream waits", "block" },
  { GST_CUDA_HISTO_SIDECAR_SLOW_DROP, "Lines are dropped, and a warning is posted", "drop" },
  { 0, NULL, NULL },
};

static const GEnumValue sidecar_arrays_values[] = {
  { GST_CUDA_HISTO_SIDECAR_ARRAYS_NONE, "None", "none" },
  { GST_CUDA_HISTO_SIDECAR_ARRAYS_HISTOGRAMS, "Histograms, except those of regions", "histograms" },
  { GST_CUDA_HISTO_SIDECAR_ARRAYS_ALL, "All, each as an array of integers or of such arrays", "all" },
  { GST_CUDA_HISTO_REMOVED_VALUE, "Removed. Use all", "array" },
  { 0, NULL, NULL },
};

/* Registers the type of a property. Properties are installed once. */
static GType
gst_cuda_histo_settings_register_enum (const gchar *name, const GEnumValue *values)
{
  const GType type = g_enum_register_static (name, values);

  gst_type_mark_as_plugin_api (type, 0);
  return type;
}

/* Flags of properties that may be set up to READY, and of those that may be set while playing. */
#define READY (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY)
#define PLAYING (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING)

/* Properties of the backend. */
static void
gst_cuda_histo_settings_install_backend (GObjectClass *object_class)
{
  /**
   * GstCudaHisto:backend:
   *
   * The device that counts. With `auto`, the CPU replaces a GPU that fails while playing, with a warning and without losing a
   * frame: frames on the GPU are copied to system memory. If the GPU's memory is lost, that is an error.
   */
  g_object_class_install_property (
      object_class, ID (backend),
      g_param_spec_enum ("backend", "Backend", "Backend to use (auto = a GPU if one works, otherwise the CPU)",
                         gst_cuda_histo_settings_register_enum ("GstCudaHistoBackend", backend_values),
                         (gint)default_settings.backend, READY));
  /**
   * GstCudaHisto:cuda-device-id:
   *
   * The GPU to use, by the number of the CUDA driver. With -1, frames on a GPU are counted there. With another number than that
   * of their GPU they are an error. If the selected device cannot be used, `backend=cuda` fails to start, and `backend=auto`
   * uses the CPU with a warning.
   */
  g_object_class_install_property (
      object_class, ID (cuda_device_id),
      g_param_spec_int ("cuda-device-id", "CUDA device",
                        "CUDA device to use, from 0 (-1 = that of the frames, otherwise the first that works)", -1, G_MAXINT,
                        default_settings.cuda_device_id, READY));
  /**
   * GstCudaHisto:threads:
   *
   * Worker threads of the CPU backend.
   */
  g_object_class_install_property (
      object_class, ID (threads),
      g_param_spec_uint ("threads", "Threads",
                         "Maximum number of worker threads of the CPU backend (0 = one for each usable core)", 0, 1024,
                         default_settings.threads, READY));
}

/* Properties of windows. */
static void
gst_cuda_histo_settings_install_window (GObjectClass *object_class)
{
  /**
   * GstCudaHisto:window:
   *
   * The part of the stream that one result covers. With `auto`, that is a frame of raw video, and the whole stream of bytes,
   * whose buffers have no meaning (`filesrc` makes 4096-byte ones).
   */
  g_object_class_install_property (
      object_class, ID (window),
      g_param_spec_enum ("window", "Window", "Part of the stream that one result covers",
                         gst_cuda_histo_settings_register_enum ("GstCudaHistoWindowMode", window_mode_values),
                         (gint)default_settings.window, READY));
  /**
   * GstCudaHisto:window-size:
   *
   * Size of a window with `window=bytes`. It is exact: a buffer across the boundary is counted in pieces. The last window may
   * be shorter. With other windows it has no effect, and the element warns at the start.
   */
  g_object_class_install_property (object_class, ID (window_size),
                                   g_param_spec_uint64 ("window-size", "Window size",
                                                        "Size of a window in bytes, at least 1; used only if window=bytes", 0,
                                                        G_MAXUINT64, default_settings.window_size, READY));
  /**
   * GstCudaHisto:interval:
   *
   * A result is reported when this running time has passed since its window opened. Until then the window continues, and all
   * frames are counted. Without timestamps, the time since the arrival of the window's first buffer counts. With `window=auto`,
   * byte streams with timestamps, such as live JPEG, are divided too; others are one window. With `window=stream` it has no
   * effect, and the element warns at the start.
   */
  g_object_class_install_property (
      object_class, ID (interval),
      g_param_spec_uint64 ("interval", "Interval",
                           "Minimum running time of a window, in nanoseconds (0 = none); ignored if window=stream", 0,
                           G_MAXUINT64, default_settings.interval, PLAYING));
}

/* Properties of messages and metas. */
static void
gst_cuda_histo_settings_install_message (GObjectClass *object_class)
{
  /**
   * GstCudaHisto:post-messages:
   *
   * Whether to post each result as an element message named `cudahisto`.
   */
  g_object_class_install_property (object_class, ID (post_messages),
                                   g_param_spec_boolean ("post-messages", "Post messages",
                                                         "Post each result as an element message on the bus",
                                                         default_settings.post_messages, PLAYING));
  /**
   * GstCudaHisto:message-arrays:
   *
   * The arrays in messages. With `histograms` they are the histograms of the picture's components. `all` and `packed` add
   * waveforms, vectorscopes, row and column sums, and the histograms of saturation, hue, light and regions. `packed` is the
   * fastest form. If no message, meta or line can have an array that #GstCudaHisto:statistics enables, the element warns at the
   * start. A meta (#GstCudaHisto:add-meta) has histograms of components as messages have them, and all other arrays packed.
   * #GstCudaHisto:sidecar-arrays is for the sidecar.
   *
   * Since: 0.2
   */
  g_object_class_install_property (
      object_class, ID (message_arrays),
      g_param_spec_enum ("message-arrays", "Message arrays",
                         "Arrays in messages and their format; also the format of histograms in metas",
                         gst_cuda_histo_settings_register_enum ("GstCudaHistoMessageArrays", message_arrays_values),
                         (gint)default_settings.message_arrays, PLAYING));
  /**
   * GstCudaHisto:add-meta:
   *
   * Whether the buffer that completes a window carries the result, as a #GstCustomMeta named `GstCudaHistoMeta`. The streaming
   * thread then waits for the result. A buffer that is not writable is replaced by another one with the same memory. A window
   * that ends without a buffer, such as a whole stream at EOS, has no meta.
   */
  g_object_class_install_property (
      object_class, ID (add_meta),
      g_param_spec_boolean ("add-meta", "Add meta",
                            "Attach each result to the buffer that completes its window; the buffer waits for it",
                            default_settings.add_meta, READY));
}

/* Properties of counting. */
static void
gst_cuda_histo_settings_install_count (GObjectClass *object_class)
{
  const GType statistics = g_flags_register_static ("GstCudaHistoStatistics", statistics_values);

  gst_type_mark_as_plugin_api (statistics, 0);
  /**
   * GstCudaHisto:dot:
   *
   * The other operand of the dot product. `previous` works on raw video, and on byte streams with `window=buffer` and buffers
   * of equal size. The first frame of a stream has no dot product, nor has the first frame after a change of caps, a flush, a
   * discontinuity, a skipped frame, or a DRAIN query, with which upstream requests its buffers.
   */
  g_object_class_install_property (object_class, ID (dot),
                                   g_param_spec_enum ("dot", "Dot product", "Frame to compute the dot product with",
                                                      gst_cuda_histo_settings_register_enum ("GstCudaHistoDot", dot_values),
                                                      (gint)default_settings.dot, READY));
  /**
   * GstCudaHisto:statistics:
   *
   * The statistics in results: single ones and sets of them, as in `statistics=basic+hue`. Others are not computed. `basic` is
   * `histogram`. `signalstats` is everything that FFmpeg's signalstats prints with `stat=tout+vrep+brng`, with equal numbers.
   *
   * `saturation`, `hue`, `broadcast-range`, `vectorscope` and `gamut` need video with Y, U and V, or with R, G and B; `light`
   * needs the same, and the transfer function PQ or HLG in the caps; `outliers` and `repeats` need these or GRAY; `waveform`
   * needs any video. `luma` adds a component to R, G and B. All need at most 65536 x 65536 pixels. Results of other data do not
   * have them, and the element warns of those that were requested by name. `waveform` and `vectorscope` are arrays, see
   * #GstCudaHisto:message-arrays. `difference` and `comparison` are with the previous frame, for the frames that have a dot
   * product with #GstCudaHisto:dot.
   *
   * `row-sums`, `column-sums` (#GstCudaHisto:row-weights-location, #GstCudaHisto:column-weights-location) and `active-picture`
   * need raw video. The sums are arrays, which messages and the sidecar have only on request (#GstCudaHisto:message-arrays,
   * #GstCudaHisto:sidecar-arrays).
   *
   * Since: 0.2
   */
  g_object_class_install_property (object_class, ID (statistics),
                                   g_param_spec_flags ("statistics", "Statistics",
                                                       "Statistics to compute: one or more values, joined by +", statistics,
                                                       (guint)default_settings.statistics, READY));
  /**
   * GstCudaHisto:waveform-columns:
   *
   * Number of columns of a waveform (`statistics=waveform`). Each is the histogram of one or more adjacent columns of the
   * picture. With 0, or if a component has fewer samples in a row, each column of samples has one, up to 16384. 1920 columns of
   * luma need 4 MB, 256 columns half a megabyte. Each frame in flight has its own.
   *
   * Since: 0.2
   */
  g_object_class_install_property (
      object_class, ID (waveform_columns),
      g_param_spec_uint ("waveform-columns", "Waveform columns",
                         "Columns of a waveform (0 = one for each column of the picture, up to 16384)", 0,
                         HISTO_MAX_WAVEFORM_COLUMNS, default_settings.waveform_columns, READY));
  /**
   * GstCudaHisto:light-source:
   *
   * The light of a pixel for `statistics=light`: the largest of R, G and B, of which CTA-861.3 defines MaxCLL and MaxFALL; or
   * the luminance, which some tools use instead. It is smaller for saturated colours.
   *
   * Since: 0.2
   */
  g_object_class_install_property (
      object_class, ID (light_source),
      g_param_spec_enum ("light-source", "Light source", "Light of a pixel: the largest of R, G and B, or their weighted sum",
                         gst_cuda_histo_settings_register_enum ("GstCudaHistoLightSource", light_source_values),
                         (gint)default_settings.light_source, READY));
  /**
   * GstCudaHisto:bins:
   *
   * Number of bins of the histograms in messages, metas and the sidecar. No other number depends on it: all are exact at every
   * depth. With `native` and 16 bits a result has half a megabyte of bins for each component. A message with these bins as an
   * array takes milliseconds to make, as `packed` a fraction of one (#GstCudaHisto:message-arrays).
   *
   * Since: 0.2
   */
  g_object_class_install_property (object_class, ID (bins),
                                   g_param_spec_enum ("bins", "Bins", "Number of bins in reported histograms",
                                                      gst_cuda_histo_settings_register_enum ("GstCudaHistoBins", bins_values),
                                                      (gint)default_settings.bins, PLAYING));
  /**
   * GstCudaHisto:metering:
   *
   * Weights of the pixels in `metered-luma`, the weighted mean of luma for exposure control. It is exact, at the samples'
   * depth. Video with Y or GRAY has it.
   *
   * Since: 0.2
   */
  g_object_class_install_property (
      object_class, ID (metering),
      g_param_spec_enum ("metering", "Metering", "Weights of the pixels in metered-luma, the weighted mean of luma",
                         gst_cuda_histo_settings_register_enum ("GstCudaHistoMetering", metering_values),
                         (gint)default_settings.metering, READY));
  /**
   * GstCudaHisto:region-metas:
   *
   * Whether to measure the region of each #GstVideoRegionOfInterestMeta and GstAnalyticsODMtd (GStreamer 1.24) of a buffer,
   * after those of #GstCudaHisto:regions; 16 at most in total. A meta is in pixels of the whole buffer, even if a
   * #GstVideoCropMeta crops it. Only the visible part of a region is counted. A region has `id`, `parent-id` and `type` of the
   * meta, and the `confidence` of a GstAnalyticsODMtd.
   *
   * A window has one set of regions, and a frame with another set ends it. If metas move or change from frame to frame, each
   * result covers one frame, whatever #GstCudaHisto:window and #GstCudaHisto:interval are. A window that ends early has no meta
   * (#GstCudaHisto:add-meta).
   *
   * Since: 0.2
   */
  g_object_class_install_property (
      object_class, ID (region_metas),
      g_param_spec_boolean ("region-metas", "Region metas",
                            "Measure the regions in the GstVideoRegionOfInterestMetas and GstAnalyticsODMtds of buffers",
                            default_settings.region_metas, PLAYING));
}

/* Properties of the reference. */
static void
gst_cuda_histo_settings_install_comparison (GObjectClass *object_class)
{
  /**
   * GstCudaHisto:reference-mode:
   *
   * The frame of the reference (#GstCudaHisto:reference-location) with which a frame is compared. `in-step` is for a clip of
   * the same frames, such as an encode and its source: the frame with the nearest stream time, of two equally near the earlier.
   * Both stay in step if frames are dropped, times are rounded or the stream seeks. Before the reference's first frame and
   * after its last, beyond half the duration of a frame, and where the reference lacks frames, there is no counterpart, and the
   * element warns. If either has no timestamps, frames are matched by number. `fixed` is for a picture.
   *
   * Since: 0.2
   */
  g_object_class_install_property (
      object_class, ID (reference_mode),
      g_param_spec_enum ("reference-mode", "Reference mode", "Frame of the reference that each frame is compared with",
                         gst_cuda_histo_settings_register_enum ("GstCudaHistoReferenceMode", reference_mode_values),
                         (gint)default_settings.reference_mode, READY));
  /**
   * GstCudaHisto:reference-offset:
   *
   * With `reference-mode=in-step`: stream time of a frame minus that of its counterpart, in nanoseconds. By default both have
   * the same stream times. It is for containers that do not begin at 0, such as MPEG-TS and Matroska that begins with audio,
   * and for encodes of a clip whose edit list has cut its first frame, which FFmpeg drops. If the first frames have different
   * times, a warning states the offset.
   *
   * Since: 0.2
   */
  g_object_class_install_property (
      object_class, ID (reference_offset),
      g_param_spec_int64 ("reference-offset", "Reference offset",
                          "Stream time of a frame minus that of its counterpart in the reference, in nanoseconds", -G_MAXINT64,
                          G_MAXINT64, default_settings.reference_offset, READY));
}

/* Properties of the sidecar. */
static void
gst_cuda_histo_settings_install_sidecar (GObjectClass *object_class)
{
  /**
   * GstCudaHisto:sidecar-mode:
   *
   * Treatment of existing lines in the sidecar file, when the first new line is written. With `append`, an incomplete last
   * line, which a full disk or a failed system leaves, is removed. `overwrite` is `truncate` for any file, even if it is not a
   * sidecar.
   *
   * Since: 0.2
   */
  g_object_class_install_property (
      object_class, ID (sidecar_mode),
      g_param_spec_enum ("sidecar-mode", "Sidecar mode", "Treatment of a sidecar file that already exists",
                         gst_cuda_histo_settings_register_enum ("GstCudaHistoSidecarMode", sidecar_mode_values),
                         (gint)default_settings.sidecar_mode, READY));
  /**
   * GstCudaHisto:sidecar-slow:
   *
   * Action if lines come faster than they can be written, or than a pipe's reader takes them. About 4 MiB of lines may wait.
   * With `drop` the newest ones are then dropped. The element warns at once, and then at most once a second with the number
   * since. At EOS it waits as long as the reader takes lines. After two seconds without progress it warns of the waiting lines,
   * and EOS continues.
   *
   * With `block` the stream waits, and EOS waits until every line is written: forever if a pipe is open and not read. A
   * flushing seek does not wait and loses no line. A stop waits at most two seconds.
   *
   * Since: 0.2
   */
  g_object_class_install_property (
      object_class, ID (sidecar_slow),
      g_param_spec_enum ("sidecar-slow", "Sidecar slow", "Action if results come faster than the sidecar accepts lines",
                         gst_cuda_histo_settings_register_enum ("GstCudaHistoSidecarSlow", sidecar_slow_values),
                         (gint)default_settings.sidecar_slow, READY));
  /**
   * GstCudaHisto:sidecar-arrays:
   *
   * The arrays in sidecar lines. `histograms` are those of components, saturation, hue and light. They are the largest part of
   * a line. `all` also has waveforms, vectorscopes, row and column sums, and the histograms of regions. A waveform of 256
   * columns adds about 150 KB to a line for each component.
   *
   * Since: 0.2
   */
  g_object_class_install_property (
      object_class, ID (sidecar_arrays),
      g_param_spec_enum ("sidecar-arrays", "Sidecar arrays", "Arrays in sidecar lines",
                         gst_cuda_histo_settings_register_enum ("GstCudaHistoSidecarArrays", sidecar_arrays_values),
                         (gint)default_settings.sidecar_arrays, PLAYING));
}

/* Properties that affect the stream. */
static void
gst_cuda_histo_settings_install_stream (GObjectClass *object_class)
{
  /**
   * GstCudaHisto:when-busy:
   *
   * Action if a frame of raw video arrives while 8 frames are being counted. Frames that are not counted are in
   * `frames-skipped` of #GstCudaHisto:stats, and the element warns of them. With `skip`, the element holds buffers on any
   * backend until they are counted, so that the stream never waits. It does not wait for a reference either
   * (#GstCudaHisto:reference-location): a frame whose counterpart is not decoded in time is counted and not compared, with a
   * warning, and a slow reference is no error.
   *
   * Since: 0.2
   */
  g_object_class_install_property (object_class, ID (when_busy),
                                   g_param_spec_enum ("when-busy", "When busy",
                                                      "Action if a frame arrives while 8 frames are being counted",
                                                      gst_cuda_histo_settings_register_enum ("GstCudaHistoBusy", busy_values),
                                                      (gint)default_settings.when_busy, PLAYING));
  /**
   * GstCudaHisto:every:
   *
   * Counts one buffer of this number of raw video: the first since the start, and then each N-th. The others pass. They are in
   * `frames-skipped` of #GstCudaHisto:stats, and in the indices of frames. Results have no differences and dot products, which
   * compare consecutive frames. #GstCudaHisto:events other than `damaged` are an error. Results and events have the number in
   * the field `sampling`.
   *
   * Since: 0.2
   */
  g_object_class_install_property (object_class, ID (every),
                                   g_param_spec_uint ("every", "Every", "Count one frame of this number (1 = each frame)", 1,
                                                      G_MAXUINT, default_settings.every, READY));
  /**
   * GstCudaHisto:fields:
   *
   * How interlaced video is counted. With `apart`, each field of an interlaced frame is counted as a frame: it has its own
   * index, times and result, and all numbers of frames are those of fields. The buffers are the same as before. Progressive
   * frames stay whole. Fields in buffers of their own (`interlace-mode=alternate`) are counted apart with either value.
   *
   * Since: 0.2
   */
  g_object_class_install_property (
      object_class, ID (fields),
      g_param_spec_enum ("fields", "Fields", "How the fields of interlaced video are counted",
                         gst_cuda_histo_settings_register_enum ("GstCudaHistoFields", fields_values),
                         (gint)default_settings.fields, READY));
}

void
gst_cuda_histo_settings_install (GObjectClass *object_class)
{
  gst_cuda_histo_settings_install_backend (object_class);
  gst_cuda_histo_settings_install_window (object_class);
  gst_cuda_histo_settings_install_message (object_class);
  gst_cuda_histo_settings_install_count (object_class);
  gst_cuda_histo_settings_install_comparison (object_class);
  gst_cuda_histo_settings_install_sidecar (object_class);
  gst_cuda_histo_settings_install_stream (object_class);
  gst_cuda_histo_detection_install (object_class);
  gst_cuda_histo_removed_install (object_class);
}

void
gst_cuda_histo_settings_init (GstCudaHistoSettings *settings)
{
  *settings = default_settings;
  settings->detection = gst_cuda_histo_detection_defaults;
}

gboolean
gst_cuda_histo_settings_need_previous (const GstCudaHistoSettings *settings)
{
  return settings->dot == GST_CUDA_HISTO_DOT_PREVIOUS || (settings->statistics & GST_CUDA_HISTO_DIFFERENCE_STATISTICS) != 0;
}

gboolean
gst_cuda_histo_settings_set (GstCudaHistoSettings *settings, guint id, const GValue *value)
{
  gpointer field = (gchar *)settings + id - 1;

  if (id >= GST_CUDA_HISTO_SETTINGS_END)
    return gst_cuda_histo_removed_set (&settings->removed, id);
  if ((id == ID (message_arrays) && gst_cuda_histo_removed_set_value (&settings->removed, "message-arrays", value))
      || (id == ID (sidecar_arrays) && gst_cuda_histo_removed_set_value (&settings->removed, "sidecar-arrays", value)))
    return TRUE;
  switch (G_TYPE_FUNDAMENTAL (G_VALUE_TYPE (value))) {
  case G_TYPE_BOOLEAN:
    *(gboolean *)field = g_value_get_boolean (value);
    break;
  case G_TYPE_INT:
    *(gint *)field = g_value_get_int (value);
    break;
  case G_TYPE_UINT:
    *(guint *)field = g_value_get_uint (value);
    break;
  case G_TYPE_INT64:
    *(gint64 *)field = g_value_get_int64 (value);
    break;
  case G_TYPE_UINT64:
    *(guint64 *)field = g_value_get_uint64 (value);
    break;
  case G_TYPE_DOUBLE:
    *(gdouble *)field = g_value_get_double (value);
    break;
  case G_TYPE_ENUM:
    *(gint *)field = g_value_get_enum (value);
    break;
  case G_TYPE_FLAGS:
    *(guint *)field = g_value_get_flags (value);
    break;
  default:
    g_return_val_if_reached (FALSE);
  }
  return TRUE;
}

gboolean
gst_cuda_histo_settings_get (const GstCudaHistoSettings *settings, guint id, GValue *value)
{
  gconstpointer field = (const gchar *)settings + id - 1;

  if (id >= GST_CUDA_HISTO_SETTINGS_END)
    return FALSE;
  switch (G_TYPE_FUNDAMENTAL (G_VALUE_TYPE (value))) {
  case G_TYPE_BOOLEAN:
    g_value_set_boolean (value, *(const gboolean *)field);
    break;
  case G_TYPE_INT:
    g_value_set_int (value, *(const gint *)field);
    break;
  case G_TYPE_UINT:
    g_value_set_uint (value, *(const guint *)field);
    break;
  case G_TYPE_INT64:
    g_value_set_int64 (value, *(const gint64 *)field);
    break;
  case G_TYPE_UINT64:
    g_value_set_uint64 (value, *(const guint64 *)field);
    break;
  case G_TYPE_DOUBLE:
    g_value_set_double (value, *(const gdouble *)field);
    break;
  case G_TYPE_ENUM:
    g_value_set_enum (value, *(const gint *)field);
    break;
  case G_TYPE_FLAGS:
    g_value_set_flags (value, *(const guint *)field);
    break;
  default:
    g_return_val_if_reached (FALSE);
  }
  return TRUE;
}
