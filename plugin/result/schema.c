/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "result/schema.h"

#include <string.h>

#include "result/json.h"

/* ---- the table ------------------------------------------------------------------------------------------------------- */

typedef enum {
  SCOPE_ANY,      /* provenance of every result */
  SCOPE_VIDEO,    /* provenance of frames */
  SCOPE_BYTES,    /* provenance of a byte stream */
  SCOPE_COMPONENT /* once for each component */
} Scope;

typedef enum {
  TYPE_STRING,
  TYPE_UINT,
  TYPE_UINT64,
  TYPE_TIME,
  TYPE_DOUBLE,
  TYPE_FRACTION,
  TYPE_RECTANGLE,
  TYPE_HISTOGRAM
} Type;

/* What a getter may look at. */
typedef struct {
  const GstCudaHistoResult *result;
  const struct histo_component_stats *stats; /* SCOPE_COMPONENT alone */
  const struct histo_summary *summary;       /* SCOPE_COMPONENT alone; NULL: nothing was counted */
  GstCudaHistoBins bins;
  uint64_t folded[HISTO_BINS]; /* SCOPE_COMPONENT alone: of a histogram with more counters */
} Reading;

typedef struct _Field Field;
struct _Field {
  const gchar *name;
  Scope scope;
  Type type;
  gboolean (*get) (const Field *field, const Reading *reading, GValue *value); /* FALSE, and *value unset: absent */
  gsize offset; /* where the getter reads, in the structure that it is named after */
  const gchar *unit, *condition, *meaning;
};

static gboolean
gst_cuda_histo_schema_get_result_string (const Field *field, const Reading *reading, GValue *value)
{
  const gchar *text = G_STRUCT_MEMBER (const gchar *, reading->result, field->offset);

  g_value_init (value, G_TYPE_STRING);
  if (text == NULL)
    text = "";
  if (g_utf8_validate (text, -1, NULL))
    g_value_set_string (value, text);
  else
    g_value_take_string (value, g_utf8_make_valid (text, -1));
  return TRUE;
}

static gboolean
gst_cuda_histo_schema_get_source_string (const Field *field, const Reading *reading, GValue *value)
{
  g_value_init (value, G_TYPE_STRING);
  g_value_set_static_string (value, G_STRUCT_MEMBER (const gchar *, reading->result->source, field->offset));
  return TRUE;
}

static gboolean
gst_cuda_histo_schema_get_source_colorimetry (const Field *field, const Reading *reading, GValue *value)
{
  return reading->result->source->colorimetry != NULL && gst_cuda_histo_schema_get_source_string (field, reading, value);
}

static gboolean
gst_cuda_histo_schema_get_source_framerate (const Field *field, const Reading *reading, GValue *value)
{
  const GstCudaHistoSource *source = reading->result->source;

  (void)field;
  if (source->framerate_n <= 0 || source->framerate_d <= 0)
    return FALSE;
  g_value_init (value, GST_TYPE_FRACTION);
  gst_value_set_fraction (value, source->framerate_n, source->framerate_d);
  return TRUE;
}

static gboolean
gst_cuda_histo_schema_get_source_uint (const Field *field, const Reading *reading, GValue *value)
{
  g_value_init (value, G_TYPE_UINT);
  g_value_set_uint (value, G_STRUCT_MEMBER (guint, reading->result->source, field->offset));
  return TRUE;
}

static gboolean
gst_cuda_histo_schema_get_span_uint64 (const Field *field, const Reading *reading, GValue *value)
{
  g_value_init (value, G_TYPE_UINT64);
  g_value_set_uint64 (value, G_STRUCT_MEMBER (guint64, reading->result->span, field->offset));
  return TRUE;
}

static gboolean
gst_cuda_histo_schema_get_span_ended_by (const Field *field, const Reading *reading, GValue *value)
{
  static const gchar *const names[] = {
    [GST_CUDA_HISTO_ENDED_BY_COMPLETE] = "complete",
    [GST_CUDA_HISTO_ENDED_BY_EOS] = "eos",
    [GST_CUDA_HISTO_ENDED_BY_STOP] = "stop",
    [GST_CUDA_HISTO_ENDED_BY_CAPS] = "caps",
    [GST_CUDA_HISTO_ENDED_BY_CROP] = "crop",
    [GST_CUDA_HISTO_ENDED_BY_SEGMENT] = "segment",
    [GST_CUDA_HISTO_ENDED_BY_SEGMENT_DONE] = "segment-done",
    [GST_CUDA_HISTO_ENDED_BY_STREAM_START] = "stream-start",
  };

  (void)field;
  g_value_init (value, G_TYPE_STRING);
  g_value_set_static_string (value, names[reading->result->span->ended_by]);
  return TRUE;
}

/* RFC 3339, with microseconds: more is not known of the system's clock, and less would be lost on those that know it. */
static gboolean
gst_cuda_histo_schema_get_origin_utc_time (const Field *field, const Reading *reading, GValue *value)
{
  const GstClockTime time = reading->result->span->origin.utc_time;
  GDateTime *date = GST_CLOCK_TIME_IS_VALID (time) ? g_date_time_new_from_unix_utc ((gint64)(time / GST_SECOND)) : NULL;
  gchar *seconds;

  (void)field;
  if (date == NULL)
    return FALSE;
  seconds = g_date_time_format (date, "%Y-%m-%dT%H:%M:%S");
  g_value_init (value, G_TYPE_STRING);
  g_value_take_string (value, g_strdup_printf ("%s.%06uZ", seconds, (guint)(time % GST_SECOND / GST_USECOND)));
  g_free (seconds);
  g_date_time_unref (date);
  return TRUE;
}

static gboolean
gst_cuda_histo_schema_get_origin_timecode (const Field *field, const Reading *reading, GValue *value)
{
  (void)field;
  if (reading->result->span->origin.timecode[0] == '\0')
    return FALSE;
  g_value_init (value, G_TYPE_STRING);
  g_value_set_string (value, reading->result->span->origin.timecode);
  return TRUE;
}

static gboolean
gst_cuda_histo_schema_get_origin_reference_time (const Field *field, const Reading *reading, GValue *value)
{
  const GstCudaHistoOrigin *origin = &reading->result->span->origin;

  (void)field;
  if (origin->reference_clock == NULL || !GST_CLOCK_TIME_IS_VALID (origin->reference_time))
    return FALSE;
  g_value_init (value, G_TYPE_UINT64);
  g_value_set_uint64 (value, origin->reference_time);
  return TRUE;
}

static gboolean
gst_cuda_histo_schema_get_origin_reference_clock (const Field *field, const Reading *reading, GValue *value)
{
  (void)field;
  if (reading->result->span->origin.reference_clock == NULL)
    return FALSE;
  g_value_init (value, G_TYPE_STRING);
  g_value_set_static_string (value, reading->result->span->origin.reference_clock);
  return TRUE;
}

static gboolean
gst_cuda_histo_schema_get_origin_crop (const Field *field, const Reading *reading, GValue *value)
{
  const GstCudaHistoOrigin *origin = &reading->result->span->origin;

  (void)field;
  if (!origin->has_crop)
    return FALSE;
  gst_value_array_init (value, G_N_ELEMENTS (origin->crop));
  for (guint i = 0; i < G_N_ELEMENTS (origin->crop); i++) {
    GValue number = G_VALUE_INIT;

    g_value_init (&number, G_TYPE_UINT);
    g_value_set_uint (&number, origin->crop[i]);
    gst_value_array_append_and_take_value (value, &number);
  }
  return TRUE;
}

static gboolean
gst_cuda_histo_schema_get_stats_uint64 (const Field *field, const Reading *reading, GValue *value)
{
  g_value_init (value, G_TYPE_UINT64);
  g_value_set_uint64 (value, G_STRUCT_MEMBER (uint64_t, reading->stats, field->offset));
  return TRUE;
}

/* The low one of two words, of which the high one follows in the struct. Left out where the high one is not 0:
 * no number is better than a wrong one. */
static gboolean
gst_cuda_histo_schema_get_wide_uint64 (const Field *field, const Reading *reading, GValue *value)
{
  return (&G_STRUCT_MEMBER (uint64_t, reading->stats, field->offset))[1] == 0
         && gst_cuda_histo_schema_get_stats_uint64 (field, reading, value);
}

static gboolean
gst_cuda_histo_schema_get_wide_dot (const Field *field, const Reading *reading, GValue *value)
{
  return reading->stats->dot_count > 0 && gst_cuda_histo_schema_get_wide_uint64 (field, reading, value);
}

static gboolean
gst_cuda_histo_schema_get_dot_uint64 (const Field *field, const Reading *reading, GValue *value)
{
  return reading->stats->dot_count > 0 && gst_cuda_histo_schema_get_stats_uint64 (field, reading, value);
}

static gboolean
gst_cuda_histo_schema_get_summary_double (const Field *field, const Reading *reading, GValue *value)
{
  if (reading->summary == NULL)
    return FALSE;
  g_value_init (value, G_TYPE_DOUBLE);
  g_value_set_double (value, G_STRUCT_MEMBER (double, reading->summary, field->offset));
  return TRUE;
}

static gboolean
gst_cuda_histo_schema_get_summary_uint (const Field *field, const Reading *reading, GValue *value)
{
  if (reading->summary == NULL)
    return FALSE;
  g_value_init (value, G_TYPE_UINT);
  g_value_set_uint (value, G_STRUCT_MEMBER (uint32_t, reading->summary, field->offset));
  return TRUE;
}

/* The counters that are handed out. */
static const uint64_t *
gst_cuda_histo_schema_get_counters (const Reading *reading, guint *bins)
{
  static uint64_t nothing[65536]; /* never written, so that it takes up no bytes in the file */

  if (reading->result->bins == GST_CUDA_HISTO_RESOLUTION_NATIVE) {
    *bins = reading->stats->bins > 0 ? reading->stats->bins : 1u << reading->result->source->depth;
    return reading->stats->bins > 0 ? reading->stats->histogram : nothing;
  }
  *bins = HISTO_BINS;
  return reading->stats->bins == HISTO_BINS ? reading->stats->histogram : reading->folded;
}

static gboolean
gst_cuda_histo_schema_get_histogram (const Field *field, const Reading *reading, GValue *value)
{
  guint bins;
  const uint64_t *histogram = gst_cuda_histo_schema_get_counters (reading, &bins);

  (void)field;
  if (reading->bins == GST_CUDA_HISTO_BINS_NONE)
    return FALSE;

  if (reading->bins == GST_CUDA_HISTO_BINS_PACKED) {
    guint64 *packed = g_new (guint64, bins);

    for (guint i = 0; i < bins; i++)
      packed[i] = GUINT64_TO_LE (histogram[i]);
    g_value_init (value, G_TYPE_BYTES);
    g_value_take_boxed (value, g_bytes_new_take (packed, bins * sizeof *packed));
    return TRUE;
  }

  gst_value_array_init (value, bins);
  for (guint i = 0; i < bins; i++) {
    GValue counter = G_VALUE_INIT;

    g_value_init (&counter, G_TYPE_UINT64);
    g_value_set_uint64 (&counter, histogram[i]);
    gst_value_array_append_and_take_value (value, &counter);
  }
  return TRUE;
}

#define RESULT(member) G_STRUCT_OFFSET (GstCudaHistoResult, member)
#define SOURCE(member) G_STRUCT_OFFSET (GstCudaHistoSource, member)
#define SPAN(member) G_STRUCT_OFFSET (GstCudaHistoSpan, member)
#define STATS(member) G_STRUCT_OFFSET (struct histo_component_stats, member)
#define SUMMARY(member) G_STRUCT_OFFSET (struct histo_summary, member)

#define ALWAYS "always"
#define COUNTED "count > 0"
#define OPERAND "a sample had an operand"
#define KNOWN "known"
#define FITS "it is less than 2^64"

G_STATIC_ASSERT (STATS (sum_of_squares_high) == STATS (sum_of_squares) + sizeof (uint64_t));
G_STATIC_ASSERT (STATS (dot_high) == STATS (dot) + sizeof (uint64_t));

static const Field fields[] = {
  { "element", SCOPE_ANY, TYPE_STRING, gst_cuda_histo_schema_get_result_string, RESULT (element), "", ALWAYS,
    "Name of the element that measured" },
  { "backend", SCOPE_ANY, TYPE_STRING, gst_cuda_histo_schema_get_result_string, RESULT (backend), "", ALWAYS,
    "What counted the end of the window: `cuda`, `cpu` or `reference`" },
  { "frame", SCOPE_ANY, TYPE_UINT64, gst_cuda_histo_schema_get_span_uint64, SPAN (frame), "", ALWAYS,
    "Index of the window's first frame (of a byte stream: buffer) since the start, from 0" },
  { "frames", SCOPE_ANY, TYPE_UINT64, gst_cuda_histo_schema_get_span_uint64, SPAN (frames), "", ALWAYS,
    "Frames (of a byte stream: buffers, whole or in part) in the window" },
  { "offset", SCOPE_BYTES, TYPE_UINT64, gst_cuda_histo_schema_get_span_uint64, SPAN (offset), "bytes", ALWAYS,
    "Position of the window's first byte in the stream" },
  { "size", SCOPE_BYTES, TYPE_UINT64, gst_cuda_histo_schema_get_span_uint64, SPAN (size), "bytes", ALWAYS,
    "Length of the window" },
  { "format", SCOPE_ANY, TYPE_STRING, gst_cuda_histo_schema_get_source_string, SOURCE (format), "", ALWAYS,
    "Video format as in the caps, or `bytes`" },
  { "width", SCOPE_VIDEO, TYPE_UINT, gst_cuda_histo_schema_get_source_uint, SOURCE (width), "pixels", ALWAYS,
    "Visible width, after the crop" },
  { "height", SCOPE_VIDEO, TYPE_UINT, gst_cuda_histo_schema_get_source_uint, SOURCE (height), "pixels", ALWAYS,
    "Visible height, after the crop" },
  { "crop", SCOPE_VIDEO, TYPE_RECTANGLE, gst_cuda_histo_schema_get_origin_crop, 0, "pixels",
    "the window's first buffer has a GstVideoCropMeta", "Its rectangle: x, y, width and height in the frame that was decoded" },
  { "depth", SCOPE_ANY, TYPE_UINT, gst_cuda_histo_schema_get_source_uint, SOURCE (depth), "bits", ALWAYS,
    "Significant bits of a sample" },
  { "range", SCOPE_ANY, TYPE_STRING, gst_cuda_histo_schema_get_source_string, SOURCE (range), "", ALWAYS,
    "Nominal range of the samples as in the caps: `full`, `limited` or `unknown`" },
  { "colorimetry", SCOPE_VIDEO, TYPE_STRING, gst_cuda_histo_schema_get_source_colorimetry, SOURCE (colorimetry), "", KNOWN,
    "How to read the samples, as in the caps; where they do not say, as GStreamer takes them" },
  { "framerate", SCOPE_VIDEO, TYPE_FRACTION, gst_cuda_histo_schema_get_source_framerate, 0, "frames/s",
    "the caps have one that is fixed", "Frames a second, as in the caps" },
  { "timestamp", SCOPE_ANY, TYPE_TIME, gst_cuda_histo_schema_get_span_uint64, SPAN (timestamp), "ns", ALWAYS,
    "Timestamp of the buffer in which the window began" },
  { "stream-time", SCOPE_ANY, TYPE_TIME, gst_cuda_histo_schema_get_span_uint64, SPAN (stream_time), "ns", ALWAYS,
    "The same in stream time" },
  { "running-time", SCOPE_ANY, TYPE_TIME, gst_cuda_histo_schema_get_span_uint64, SPAN (running_time), "ns", ALWAYS,
    "The same in running time" },
  { "duration", SCOPE_ANY, TYPE_TIME, gst_cuda_histo_schema_get_span_uint64, SPAN (duration), "ns", ALWAYS,
    "From `timestamp` to the end of the window's last buffer; unknown where time went back, as it does at a negative rate" },
  { "utc-time", SCOPE_ANY, TYPE_STRING, gst_cuda_histo_schema_get_origin_utc_time, 0, "", ALWAYS,
    "When the window's first buffer came, as a time of day (RFC 3339, UTC): by the pipeline's clock where that is a wall "
    "clock (real time, NTP, PTP, TAI), else by the system's" },
  { "timecode", SCOPE_VIDEO, TYPE_STRING, gst_cuda_histo_schema_get_origin_timecode, 0, "",
    "the window's first buffer has a GstVideoTimeCodeMeta",
    "Its time code, `hh:mm:ss:ff`, or `hh:mm:ss;ff` where some numbers are dropped" },
  { "reference-time", SCOPE_ANY, TYPE_UINT64, gst_cuda_histo_schema_get_origin_reference_time, 0, "ns",
    "the window's first buffer has a GstReferenceTimestampMeta",
    "Its timestamp: when the buffer was captured, by another clock" },
  { "reference-clock", SCOPE_ANY, TYPE_STRING, gst_cuda_histo_schema_get_origin_reference_clock, 0, "", "with `reference-time`",
    "Which clock that is, for example `timestamp/x-ntp`, whose time begins in 1900" },
  { "ended-by", SCOPE_ANY, TYPE_STRING, gst_cuda_histo_schema_get_span_ended_by, 0, "", ALWAYS,
    "Why the window ended: `complete`, or early, by `eos`, `stop` (of the element), `caps`, `crop` (the visible size "
    "changed), `segment`, `segment-done` or `stream-start`" },

  { "count", SCOPE_COMPONENT, TYPE_UINT64, gst_cuda_histo_schema_get_stats_uint64, STATS (count), "samples", ALWAYS,
    "Samples counted" },
  { "sum", SCOPE_COMPONENT, TYPE_UINT64, gst_cuda_histo_schema_get_stats_uint64, STATS (sum), "", ALWAYS,
    "Sum of the samples" },
  { "sum-of-squares", SCOPE_COMPONENT, TYPE_UINT64, gst_cuda_histo_schema_get_wide_uint64, STATS (sum_of_squares), "", FITS,
    "Sum of the squared samples" },
  { "mean", SCOPE_COMPONENT, TYPE_DOUBLE, gst_cuda_histo_schema_get_summary_double, SUMMARY (mean), "", COUNTED,
    "`sum` / `count`" },
  { "variance", SCOPE_COMPONENT, TYPE_DOUBLE, gst_cuda_histo_schema_get_summary_double, SUMMARY (variance), "", COUNTED,
    "Mean squared distance from the mean (population form)" },
  { "stddev", SCOPE_COMPONENT, TYPE_DOUBLE, gst_cuda_histo_schema_get_summary_double, SUMMARY (stddev), "", COUNTED,
    "Square root of the variance" },
  { "min", SCOPE_COMPONENT, TYPE_UINT, gst_cuda_histo_schema_get_summary_uint, SUMMARY (min), "", COUNTED,
    "Smallest value that occurs" },
  { "max", SCOPE_COMPONENT, TYPE_UINT, gst_cuda_histo_schema_get_summary_uint, SUMMARY (max), "", COUNTED,
    "Largest value that occurs" },
  { "low", SCOPE_COMPONENT, TYPE_UINT, gst_cuda_histo_schema_get_summary_uint, SUMMARY (low), "", COUNTED,
    "Smallest value that a tenth of the samples do not exceed" },
  { "median", SCOPE_COMPONENT, TYPE_UINT, gst_cuda_histo_schema_get_summary_uint, SUMMARY (median), "", COUNTED,
    "Smallest value that half of the samples do not exceed" },
  { "high", SCOPE_COMPONENT, TYPE_UINT, gst_cuda_histo_schema_get_summary_uint, SUMMARY (high), "", COUNTED,
    "Smallest value that nine tenths of the samples do not exceed" },
  { "dot", SCOPE_COMPONENT, TYPE_UINT64, gst_cuda_histo_schema_get_wide_dot, STATS (dot), "", OPERAND ", and " FITS,
    "Sum of each sample times its operand, the sample in the same place of the previous frame" },
  { "dot-count", SCOPE_COMPONENT, TYPE_UINT64, gst_cuda_histo_schema_get_dot_uint64, STATS (dot_count), "samples", OPERAND,
    "Samples that had an operand: `count`, or fewer where a frame of the window had none" },
  { "histogram", SCOPE_COMPONENT, TYPE_HISTOGRAM, gst_cuda_histo_schema_get_histogram, 0, "samples",
    "`message-bins`, or `sidecar-bins`, is not `none`",
    "How often each value occurs, from 0 on; deeper than 8 bits, how often its upper 8 bits do, or with `bins=native` each "
    "value. The "
    "counters add up to `count`" },
};

#define N_FIELDS G_N_ELEMENTS (fields)

/* Every component that a source can have. */
static const struct {
  const gchar *name, *meaning;
} components[] = {
  { "Y", "luma" },
  { "U", "blue difference (Cb)" },
  { "V", "red difference (Cr)" },
  { "R", "red, wherever it lies in memory" },
  { "G", "green" },
  { "B", "blue" },
  { "A", "alpha" },
  { "GRAY", "the one component of GRAY8" },
  { "byte", "the bytes of a stream that is not raw video" },
};

#define N_COMPONENTS G_N_ELEMENTS (components)

/* ---- walking the table ----------------------------------------------------------------------------------------------- */

static gboolean
gst_cuda_histo_schema_is_provenance_of (const Field *field, const GstCudaHistoSource *source)
{
  return field->scope == SCOPE_ANY || field->scope == (source->is_video ? SCOPE_VIDEO : SCOPE_BYTES);
}

/* Adds up the counters of each of HISTO_BINS ranges of values: all zeros where there are none. */
static void
gst_cuda_histo_schema_fold_histogram (const struct histo_component_stats *stats, uint64_t folded[HISTO_BINS])
{
  const guint values = stats->bins / HISTO_BINS;

  for (guint i = 0; i < HISTO_BINS; i++) {
    uint64_t sum = 0;

    for (guint v = 0; v < values; v++)
      sum += stats->histogram[i * values + v];
    folded[i] = sum;
  }
}

/* What the getters of component `index` read. The reading points to `summary`, which is the caller's. */
static void
gst_cuda_histo_schema_init_component_reading (Reading *reading, guint index, struct histo_summary *summary)
{
  static const struct histo_component_stats nothing;
  const struct histo_stats *stats = reading->result->stats;

  reading->stats = index < stats->component_count ? &stats->components[index] : &nothing;
  reading->summary = histo_summarize (reading->stats, summary) ? summary : NULL;
  if (reading->stats->bins != HISTO_BINS && reading->result->bins == GST_CUDA_HISTO_RESOLUTION_256)
    gst_cuda_histo_schema_fold_histogram (reading->stats, reading->folded);
}

/* ---- message and meta ------------------------------------------------------------------------------------------------ */

static const gchar *
gst_cuda_histo_schema_make_component_field_name (const gchar *component, const Field *field)
{
  gchar *name = g_strconcat (component, "-", field->name, NULL);
  const gchar *interned = g_intern_string (name);

  g_free (name);
  return interned;
}

/* "Y-mean" and the like, made once: a result has some fifty of them, and there may be hundreds a second. */
static const gchar *const *
gst_cuda_histo_schema_get_component_field_names (const gchar *component)
{
  static const gchar *names[N_COMPONENTS][N_FIELDS];
  static gsize is_initialized;

  if (g_once_init_enter (&is_initialized)) {
    for (guint c = 0; c < N_COMPONENTS; c++)
      for (guint f = 0; f < N_FIELDS; f++)
        names[c][f] = gst_cuda_histo_schema_make_component_field_name (components[c].name, &fields[f]);
    g_once_init_leave (&is_initialized, 1);
  }
  for (guint c = 0; c < N_COMPONENTS; c++) {
    if (strcmp (components[c].name, component) == 0)
      return names[c];
  }
  g_return_val_if_reached (names[0]);
}

static void
gst_cuda_histo_schema_take_field (GstStructure *structure, const gchar *name, const Field *field, const Reading *reading)
{
  GValue value = G_VALUE_INIT;

  if (field->get (field, reading, &value))
    gst_structure_take_value (structure, name, &value);
}

GstStructure *
gst_cuda_histo_schema_to_structure (const GstCudaHistoResult *result, GstCudaHistoBins bins)
{
  const GstCudaHistoSource *source = result->source;
  GstStructure *structure = gst_structure_new_empty (GST_CUDA_HISTO_MESSAGE_NAME);
  struct histo_summary summaries[HISTO_MAX_COMPONENTS];
  Reading readings[HISTO_MAX_COMPONENTS];
  const gchar *const *component_names[HISTO_MAX_COMPONENTS];
  Reading reading = { .result = result, .bins = bins };

  for (guint f = 0; f < N_FIELDS; f++) {
    if (gst_cuda_histo_schema_is_provenance_of (&fields[f], source))
      gst_cuda_histo_schema_take_field (structure, fields[f].name, &fields[f], &reading);
  }
  for (guint c = 0; c < source->n_components; c++) {
    readings[c] = reading;
    gst_cuda_histo_schema_init_component_reading (&readings[c], c, &summaries[c]);
    component_names[c] = gst_cuda_histo_schema_get_component_field_names (source->components[c]);
    for (guint f = 0; f < N_FIELDS; f++) {
      if (fields[f].scope == SCOPE_COMPONENT && fields[f].type != TYPE_HISTOGRAM)
        gst_cuda_histo_schema_take_field (structure, component_names[c][f], &fields[f], &readings[c]);
    }
  }
  for (guint c = 0; c < source->n_components; c++) {
    for (guint f = 0; f < N_FIELDS; f++) {
      if (fields[f].scope == SCOPE_COMPONENT && fields[f].type == TYPE_HISTOGRAM)
        gst_cuda_histo_schema_take_field (structure, component_names[c][f], &fields[f], &readings[c]);
    }
  }
  return structure;
}

void
gst_cuda_histo_schema_register_meta (void)
{
  static gsize is_registered;

  if (g_once_init_enter (&is_registered)) {
    static const gchar *tags[] = { "video", NULL };

    /* Another copy of this code in the process may have been first. */
    if (gst_meta_get_info (GST_CUDA_HISTO_META_NAME) == NULL)
      gst_meta_register_custom (GST_CUDA_HISTO_META_NAME, tags, NULL, NULL, NULL);
    g_once_init_leave (&is_registered, 1);
  }
}

/* ---- JSON ------------------------------------------------------------------------------------------------------------ */

static void
gst_cuda_histo_schema_add_json_counters (GstCudaHistoJson *json, const Reading *reading)
{
  guint bins;
  const uint64_t *counters = gst_cuda_histo_schema_get_counters (reading, &bins);

  gst_cuda_histo_json_begin_array (json);
  for (guint i = 0; i < bins; i++)
    gst_cuda_histo_json_add_uint64 (json, counters[i]);
  gst_cuda_histo_json_end_array (json);
}

static void
gst_cuda_histo_schema_add_json_fraction (GstCudaHistoJson *json, const GValue *value)
{
  gchar *text = g_strdup_printf ("%d/%d", gst_value_get_fraction_numerator (value), gst_value_get_fraction_denominator (value));

  gst_cuda_histo_json_add_string (json, text);
  g_free (text);
}

static void
gst_cuda_histo_schema_add_json_rectangle (GstCudaHistoJson *json, const GValue *value)
{
  static const gchar *const names[] = { "x", "y", "width", "height" };

  gst_cuda_histo_json_begin_object (json);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    gst_cuda_histo_json_add_name (json, names[i]);
    gst_cuda_histo_json_add_uint64 (json, g_value_get_uint (gst_value_array_get_value (value, i)));
  }
  gst_cuda_histo_json_end_object (json);
}

static void
gst_cuda_histo_schema_add_json_value (GstCudaHistoJson *json, const Field *field, const GValue *value)
{
  switch (field->type) {
  case TYPE_STRING:
    gst_cuda_histo_json_add_string (json, g_value_get_string (value));
    break;
  case TYPE_UINT:
    gst_cuda_histo_json_add_uint64 (json, g_value_get_uint (value));
    break;
  case TYPE_TIME:
    if (GST_CLOCK_TIME_IS_VALID (g_value_get_uint64 (value)))
      gst_cuda_histo_json_add_uint64 (json, g_value_get_uint64 (value));
    else
      gst_cuda_histo_json_add_null (json);
    break;
  case TYPE_DOUBLE:
    gst_cuda_histo_json_add_double (json, g_value_get_double (value));
    break;
  case TYPE_FRACTION:
    gst_cuda_histo_schema_add_json_fraction (json, value);
    break;
  case TYPE_RECTANGLE:
    gst_cuda_histo_schema_add_json_rectangle (json, value);
    break;
  default:
    gst_cuda_histo_json_add_uint64 (json, g_value_get_uint64 (value));
    break;
  }
}

static void
gst_cuda_histo_schema_add_json_member (GstCudaHistoJson *json, const Field *field, const Reading *reading)
{
  GValue value = G_VALUE_INIT;

  /* Not by way of a value: that would be one for each counter. */
  if (field->type == TYPE_HISTOGRAM) {
    if (reading->bins == GST_CUDA_HISTO_BINS_NONE)
      return;
    gst_cuda_histo_json_add_name (json, field->name);
    gst_cuda_histo_schema_add_json_counters (json, reading);
    return;
  }
  if (!field->get (field, reading, &value))
    return;
  gst_cuda_histo_json_add_name (json, field->name);
  gst_cuda_histo_schema_add_json_value (json, field, &value);
  g_value_unset (&value);
}

gchar *
gst_cuda_histo_schema_to_json (const GstCudaHistoResult *result, gboolean has_histograms)
{
  const GstCudaHistoSource *source = result->source;
  Reading reading = { .result = result, .bins = has_histograms ? GST_CUDA_HISTO_BINS_ARRAY : GST_CUDA_HISTO_BINS_NONE };
  GstCudaHistoJson json = { .text = g_string_sized_new (1024) };

  gst_cuda_histo_json_begin_object (&json);
  gst_cuda_histo_json_add_name (&json, GST_CUDA_HISTO_MESSAGE_NAME);
  gst_cuda_histo_json_add_uint64 (&json, GST_CUDA_HISTO_JSON_VERSION);
  for (guint f = 0; f < N_FIELDS; f++) {
    if (gst_cuda_histo_schema_is_provenance_of (&fields[f], source))
      gst_cuda_histo_schema_add_json_member (&json, &fields[f], &reading);
  }
  gst_cuda_histo_json_add_name (&json, "components");
  gst_cuda_histo_json_begin_object (&json);
  for (guint c = 0; c < source->n_components; c++) {
    struct histo_summary summary;

    gst_cuda_histo_schema_init_component_reading (&reading, c, &summary);
    gst_cuda_histo_json_add_name (&json, source->components[c]);
    gst_cuda_histo_json_begin_object (&json);
    for (guint f = 0; f < N_FIELDS; f++) {
      if (fields[f].scope == SCOPE_COMPONENT)
        gst_cuda_histo_schema_add_json_member (&json, &fields[f], &reading);
    }
    gst_cuda_histo_json_end_object (&json);
  }
  gst_cuda_histo_json_end_object (&json);
  gst_cuda_histo_json_end_object (&json);
  return g_string_free (json.text, FALSE);
}

/* ---- documentation --------------------------------------------------------------------------------------------------- */

static const gchar *
gst_cuda_histo_schema_describe_type (Type type)
{
  switch (type) {
  case TYPE_STRING:
    return "string";
  case TYPE_UINT:
    return "uint";
  case TYPE_UINT64:
  case TYPE_TIME:
    return "uint64";
  case TYPE_DOUBLE:
    return "double";
  case TYPE_FRACTION:
    return "fraction; JSON: string";
  case TYPE_RECTANGLE:
    return "array of 4 uint; JSON: object";
  default:
    return "array of uint64";
  }
}

static const gchar *
gst_cuda_histo_schema_describe_scope (const Field *field)
{
  if (strcmp (field->condition, ALWAYS) != 0)
    return field->condition;
  switch (field->scope) {
  case SCOPE_VIDEO:
    return "video only";
  case SCOPE_BYTES:
    return "bytes only";
  default:
    return "always";
  }
}

static void
gst_cuda_histo_schema_append_rows (GString *text, gboolean are_components)
{
  for (guint f = 0; f < N_FIELDS; f++) {
    const Field *field = &fields[f];
    gboolean is_component = field->scope == SCOPE_COMPONENT;

    if (is_component != are_components)
      continue;
    g_string_append_printf (text, "| `%s%s` | %s | %s | %s | %s |\n", is_component ? "<C>-" : "", field->name,
                            gst_cuda_histo_schema_describe_type (field->type), field->unit,
                            is_component ? field->condition : gst_cuda_histo_schema_describe_scope (field), field->meaning);
  }
}

gchar *
gst_cuda_histo_schema_to_markdown (void)
{
  static const gchar head[] = "| field | type | unit | present | meaning |\n| --- | --- | --- | --- | --- |\n";
  GString *text = g_string_new ("Where the numbers come from:\n\n");

  g_string_append (text, head);
  gst_cuda_histo_schema_append_rows (text, FALSE);
  g_string_append (text, "\nThe numbers of component `<C>`, in JSON `components.<C>`:\n\n");
  g_string_append (text, head);
  gst_cuda_histo_schema_append_rows (text, TRUE);
  g_string_append (text, "\nComponents:\n\n| `<C>` | samples |\n| --- | --- |\n");
  for (guint c = 0; c < N_COMPONENTS; c++)
    g_string_append_printf (text, "| `%s` | %s |\n", components[c].name, components[c].meaning);
  return g_string_free (text, FALSE);
}

/* Since 1.26 a field's name is a GstIdStr, and what takes a GQuark is deprecated. What takes a string is in all versions, but
 * cannot move a value: to copy one takes as long as to make it. */
#if GST_CHECK_VERSION(1, 26, 0)
typedef const GstIdStr *FieldName;
#define TAKE_VALUE gst_structure_id_str_take_value
#define FILTER_AND_MAP_IN_PLACE gst_structure_filter_and_map_in_place_id_str
#else
typedef GQuark FieldName;
#define TAKE_VALUE gst_structure_id_take_value
#define FILTER_AND_MAP_IN_PLACE gst_structure_filter_and_map_in_place
#endif

/* FILTER_AND_MAP_IN_PLACE callback: moves the field to another structure. */
static gboolean
gst_cuda_histo_schema_move_field (FieldName field, GValue *value, gpointer user_data)
{
  TAKE_VALUE (user_data, field, value);
  return FALSE;
}

gboolean
gst_cuda_histo_schema_attach (GstStructure *structure, GstBuffer *buffer)
{
  GstCustomMeta *meta = gst_buffer_add_custom_meta (buffer, GST_CUDA_HISTO_META_NAME);

  if (meta != NULL)
    FILTER_AND_MAP_IN_PLACE (structure, gst_cuda_histo_schema_move_field, gst_custom_meta_get_structure (meta));
  gst_structure_free (structure);
  return meta != NULL;
}
