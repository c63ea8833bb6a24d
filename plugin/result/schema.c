/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "result/schemaprivate.h"

#include <math.h>
#include <string.h>

/* ---- the getters ----------------------------------------------------------------------------------------------------- */

static gboolean
gst_cuda_histo_schema_get_result_string (const GstCudaHistoField *field, const GstCudaHistoReading *reading, GValue *value)
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
gst_cuda_histo_schema_get_input (const GstCudaHistoField *field, const GstCudaHistoReading *reading, GValue *value)
{
  return reading->result->input != NULL && gst_cuda_histo_schema_get_result_string (field, reading, value);
}

static gboolean
gst_cuda_histo_schema_get_source_string (const GstCudaHistoField *field, const GstCudaHistoReading *reading, GValue *value)
{
  g_value_init (value, G_TYPE_STRING);
  g_value_set_static_string (value, G_STRUCT_MEMBER (const gchar *, reading->result->source, field->offset));
  return TRUE;
}

static gboolean
gst_cuda_histo_schema_get_source_colorimetry (const GstCudaHistoField *field, const GstCudaHistoReading *reading, GValue *value)
{
  return reading->result->source->colorimetry != NULL && gst_cuda_histo_schema_get_source_string (field, reading, value);
}

static gboolean
gst_cuda_histo_schema_get_source_framerate (const GstCudaHistoField *field, const GstCudaHistoReading *reading, GValue *value)
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
gst_cuda_histo_schema_get_source_uint (const GstCudaHistoField *field, const GstCudaHistoReading *reading, GValue *value)
{
  g_value_init (value, G_TYPE_UINT);
  g_value_set_uint (value, G_STRUCT_MEMBER (guint, reading->result->source, field->offset));
  return TRUE;
}

static gboolean
gst_cuda_histo_schema_get_span_uint64 (const GstCudaHistoField *field, const GstCudaHistoReading *reading, GValue *value)
{
  g_value_init (value, G_TYPE_UINT64);
  g_value_set_uint64 (value, G_STRUCT_MEMBER (guint64, reading->result->span, field->offset));
  return TRUE;
}

static gboolean
gst_cuda_histo_schema_get_span_damage (const GstCudaHistoField *field, const GstCudaHistoReading *reading, GValue *value)
{
  return G_STRUCT_MEMBER (guint64, reading->result->span, field->offset) > 0
         && gst_cuda_histo_schema_get_span_uint64 (field, reading, value);
}

const gchar *
gst_cuda_histo_ended_by_get_name (GstCudaHistoEndedBy ended_by)
{
  static const gchar *const names[] = {
    [GST_CUDA_HISTO_ENDED_BY_COMPLETE] = "complete",
    [GST_CUDA_HISTO_ENDED_BY_EOS] = "eos",
    [GST_CUDA_HISTO_ENDED_BY_STOP] = "stop",
    [GST_CUDA_HISTO_ENDED_BY_CAPS] = "caps",
    [GST_CUDA_HISTO_ENDED_BY_CROP] = "crop",
    [GST_CUDA_HISTO_ENDED_BY_REGIONS] = "regions",
    [GST_CUDA_HISTO_ENDED_BY_SEGMENT] = "segment",
    [GST_CUDA_HISTO_ENDED_BY_SEGMENT_DONE] = "segment-done",
    [GST_CUDA_HISTO_ENDED_BY_STREAM_START] = "stream-start",
    [GST_CUDA_HISTO_ENDED_BY_FLUSH] = "flush",
    [GST_CUDA_HISTO_ENDED_BY_GAP] = "gap",
  };

  return names[ended_by];
}

static gboolean
gst_cuda_histo_schema_get_span_ended_by (const GstCudaHistoField *field, const GstCudaHistoReading *reading, GValue *value)
{
  (void)field;
  g_value_init (value, G_TYPE_STRING);
  g_value_set_static_string (value, gst_cuda_histo_ended_by_get_name (reading->result->span->ended_by));
  return TRUE;
}

static gboolean
gst_cuda_histo_schema_get_reference_offset (const GstCudaHistoField *field, const GstCudaHistoReading *reading, GValue *value)
{
  const GstCudaHistoWindowResult *result = reading->result;
  const struct histo_stats *stats = result->parts != NULL ? &result->parts[GST_CUDA_HISTO_PART_REFERENCE] : NULL;

  (void)field;
  if (!result->has_reference_offset || stats == NULL || stats->component_count == 0
      || stats->components[0].difference_count == 0)
    return FALSE;
  g_value_init (value, G_TYPE_INT64);
  g_value_set_int64 (value, result->reference_offset);
  return TRUE;
}

static gboolean
gst_cuda_histo_schema_get_origin_utc_time (const GstCudaHistoField *field, const GstCudaHistoReading *reading, GValue *value)
{
  gchar *text = gst_cuda_histo_origin_format_utc_time (reading->result->span->origin.utc_time);

  (void)field;
  if (text == NULL)
    return FALSE;
  g_value_init (value, G_TYPE_STRING);
  g_value_take_string (value, text);
  return TRUE;
}

static gboolean
gst_cuda_histo_schema_get_origin_timecode (const GstCudaHistoField *field, const GstCudaHistoReading *reading, GValue *value)
{
  (void)field;
  if (reading->result->span->origin.timecode[0] == '\0')
    return FALSE;
  g_value_init (value, G_TYPE_STRING);
  g_value_set_string (value, reading->result->span->origin.timecode);
  return TRUE;
}

static gboolean
gst_cuda_histo_schema_get_origin_reference_time (const GstCudaHistoField *field, const GstCudaHistoReading *reading,
                                                 GValue *value)
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
gst_cuda_histo_schema_get_origin_reference_clock (const GstCudaHistoField *field, const GstCudaHistoReading *reading,
                                                  GValue *value)
{
  (void)field;
  if (reading->result->span->origin.reference_clock == NULL)
    return FALSE;
  g_value_init (value, G_TYPE_STRING);
  g_value_set_static_string (value, reading->result->span->origin.reference_clock);
  return TRUE;
}

/* x, y, width and height. */
static void
gst_cuda_histo_schema_set_rectangle (const guint numbers[4], GValue *value)
{
  gst_value_array_init (value, 4);
  for (guint i = 0; i < 4; i++) {
    GValue number = G_VALUE_INIT;

    g_value_init (&number, G_TYPE_UINT);
    g_value_set_uint (&number, numbers[i]);
    gst_value_array_append_and_take_value (value, &number);
  }
}

static gboolean
gst_cuda_histo_schema_get_origin_crop (const GstCudaHistoField *field, const GstCudaHistoReading *reading, GValue *value)
{
  const GstCudaHistoOrigin *origin = &reading->result->span->origin;

  (void)field;
  if (!origin->has_crop)
    return FALSE;
  G_STATIC_ASSERT (G_N_ELEMENTS (origin->crop) == 4);
  gst_cuda_histo_schema_set_rectangle (origin->crop, value);
  return TRUE;
}

static gboolean
gst_cuda_histo_schema_get_stats_uint64 (const GstCudaHistoField *field, const GstCudaHistoReading *reading, GValue *value)
{
  g_value_init (value, G_TYPE_UINT64);
  g_value_set_uint64 (value, G_STRUCT_MEMBER (uint64_t, reading->stats, field->offset));
  return TRUE;
}

static void
gst_cuda_histo_schema_lend_wide (const uint64_t *low, GValue *value)
{
  g_value_init (value, G_TYPE_POINTER);
  g_value_set_pointer (value, (gpointer)low);
}

static gboolean
gst_cuda_histo_schema_get_stats_wide (const GstCudaHistoField *field, const GstCudaHistoReading *reading, GValue *value)
{
  gst_cuda_histo_schema_lend_wide (&G_STRUCT_MEMBER (uint64_t, reading->stats, field->offset), value);
  return TRUE;
}

static gboolean
gst_cuda_histo_schema_get_dot (const GstCudaHistoField *field, const GstCudaHistoReading *reading, GValue *value)
{
  return reading->stats->dot_count > 0 && gst_cuda_histo_schema_get_stats_wide (field, reading, value);
}

static gboolean
gst_cuda_histo_schema_get_dot_uint64 (const GstCudaHistoField *field, const GstCudaHistoReading *reading, GValue *value)
{
  return reading->stats->dot_count > 0 && gst_cuda_histo_schema_get_stats_uint64 (field, reading, value);
}

static gboolean
gst_cuda_histo_schema_get_summary_double (const GstCudaHistoField *field, const GstCudaHistoReading *reading, GValue *value)
{
  if (reading->summary == NULL)
    return FALSE;
  g_value_init (value, G_TYPE_DOUBLE);
  g_value_set_double (value, G_STRUCT_MEMBER (double, reading->summary, field->offset));
  return TRUE;
}

static gboolean
gst_cuda_histo_schema_get_summary_uint (const GstCudaHistoField *field, const GstCudaHistoReading *reading, GValue *value)
{
  if (reading->summary == NULL)
    return FALSE;
  g_value_init (value, G_TYPE_UINT);
  g_value_set_uint (value, G_STRUCT_MEMBER (uint32_t, reading->summary, field->offset));
  return TRUE;
}

static gboolean
gst_cuda_histo_schema_get_used_mask (const GstCudaHistoField *field, const GstCudaHistoReading *reading, GValue *value)
{
  guint mask = 0;

  (void)field;
  if (reading->summary == NULL)
    return FALSE;
  for (guint i = 0; i < reading->stats->bins; i++)
    mask |= reading->stats->histogram[i] > 0 ? i * reading->summary->resolution : 0;
  g_value_init (value, G_TYPE_UINT);
  g_value_set_uint (value, mask);
  return TRUE;
}

/* What was counted of differences from the previous frames, or from the reference's; NULL: nothing. */
static const struct histo_component_stats *
gst_cuda_histo_schema_get_compared (const GstCudaHistoField *field, const GstCudaHistoReading *reading)
{
  const struct histo_component_stats *stats = field->scope == SCOPE_REFERENCE ? reading->reference : reading->stats;

  return stats != NULL && stats->difference_count > 0 ? stats : NULL;
}

static gboolean
gst_cuda_histo_schema_get_difference (const GstCudaHistoField *field, const GstCudaHistoReading *reading, GValue *value)
{
  const struct histo_component_stats *stats = gst_cuda_histo_schema_get_compared (field, reading);

  if (stats == NULL)
    return FALSE;
  g_value_init (value, G_TYPE_DOUBLE);
  g_value_set_double (value, (gdouble)stats->absolute_difference / (gdouble)stats->difference_count);
  return TRUE;
}

static gboolean
gst_cuda_histo_schema_get_difference_uint64 (const GstCudaHistoField *field, const GstCudaHistoReading *reading, GValue *value)
{
  const struct histo_component_stats *stats = gst_cuda_histo_schema_get_compared (field, reading);

  if (stats == NULL)
    return FALSE;
  g_value_init (value, G_TYPE_UINT64);
  g_value_set_uint64 (value, G_STRUCT_MEMBER (uint64_t, stats, field->offset));
  return TRUE;
}

static gboolean
gst_cuda_histo_schema_get_ssd (const GstCudaHistoField *field, const GstCudaHistoReading *reading, GValue *value)
{
  const struct histo_component_stats *stats = gst_cuda_histo_schema_get_compared (field, reading);

  if (stats == NULL)
    return FALSE;
  gst_cuda_histo_schema_lend_wide (&stats->squared_difference, value);
  return TRUE;
}

static gdouble
gst_cuda_histo_schema_compute_mse (const struct histo_component_stats *stats)
{
  const gdouble squared = ldexp ((gdouble)stats->squared_difference_high, 64) + (gdouble)stats->squared_difference;

  return squared / (gdouble)stats->difference_count;
}

static gboolean
gst_cuda_histo_schema_get_mse (const GstCudaHistoField *field, const GstCudaHistoReading *reading, GValue *value)
{
  const struct histo_component_stats *stats = gst_cuda_histo_schema_get_compared (field, reading);

  if (stats == NULL)
    return FALSE;
  g_value_init (value, G_TYPE_DOUBLE);
  g_value_set_double (value, gst_cuda_histo_schema_compute_mse (stats));
  return TRUE;
}

/* Infinite where nothing differs. */
static gboolean
gst_cuda_histo_schema_get_psnr (const GstCudaHistoField *field, const GstCudaHistoReading *reading, GValue *value)
{
  const struct histo_component_stats *stats = gst_cuda_histo_schema_get_compared (field, reading);
  gdouble peak;

  if (stats == NULL)
    return FALSE;
  peak = (gdouble)((1u << stats->depth) - 1);
  g_value_init (value, G_TYPE_DOUBLE);
  g_value_set_double (value, 10 * log10 (peak * peak / gst_cuda_histo_schema_compute_mse (stats)));
  return TRUE;
}

/* How far the histograms are from those of the previous frames, or of the reference's; NULL: none were compared. */
static const GstCudaHistoDistance *
gst_cuda_histo_schema_get_compared_histograms (const GstCudaHistoField *field, const GstCudaHistoReading *reading)
{
  const GstCudaHistoDistance *distance = field->scope == SCOPE_REFERENCE ? reading->reference_distance : reading->distance;

  return distance != NULL && distance->count > 0 ? distance : NULL;
}

static gboolean
gst_cuda_histo_schema_get_distance (const GstCudaHistoField *field, const GstCudaHistoReading *reading, GValue *value)
{
  const GstCudaHistoDistance *distance = gst_cuda_histo_schema_get_compared_histograms (field, reading);

  if (distance == NULL)
    return FALSE;
  g_value_init (value, G_TYPE_DOUBLE);
  g_value_set_double (value, (gdouble)distance->moved / (gdouble)distance->count);
  return TRUE;
}

static gboolean
gst_cuda_histo_schema_get_distance_uint64 (const GstCudaHistoField *field, const GstCudaHistoReading *reading, GValue *value)
{
  const GstCudaHistoDistance *distance = gst_cuda_histo_schema_get_compared_histograms (field, reading);

  if (distance == NULL)
    return FALSE;
  g_value_init (value, G_TYPE_UINT64);
  g_value_set_uint64 (value, G_STRUCT_MEMBER (guint64, distance, field->offset));
  return TRUE;
}

/* Whether the colours' saturation, or their hue, was counted. */
static gboolean
gst_cuda_histo_schema_has_colours (const GstCudaHistoField *field, const GstCudaHistoReading *reading)
{
  return reading->colours != NULL && (field->scope == SCOPE_HUE ? reading->picture->hue : reading->picture->saturation) != NULL;
}

static gboolean
gst_cuda_histo_schema_get_colour_double (const GstCudaHistoField *field, const GstCudaHistoReading *reading, GValue *value)
{
  if (!gst_cuda_histo_schema_has_colours (field, reading))
    return FALSE;
  g_value_init (value, G_TYPE_DOUBLE);
  g_value_set_double (value, G_STRUCT_MEMBER (double, reading->colours, field->offset));
  return TRUE;
}

static gboolean
gst_cuda_histo_schema_get_colour_uint (const GstCudaHistoField *field, const GstCudaHistoReading *reading, GValue *value)
{
  if (!gst_cuda_histo_schema_has_colours (field, reading))
    return FALSE;
  g_value_init (value, G_TYPE_UINT);
  g_value_set_uint (value, G_STRUCT_MEMBER (uint32_t, reading->colours, field->offset));
  return TRUE;
}

/* Whether luma samples were looked at for the field. */
static gboolean
gst_cuda_histo_schema_has_luma_count (const GstCudaHistoField *field, const GstCudaHistoReading *reading)
{
  const struct histo_picture_stats *picture = reading->picture;

  /* The engine's statistics have the same bits. */
  return picture != NULL && (picture->statistics & field->statistics) != 0 && picture->luma_count > 0;
}

/* Of the luma samples. */
static gboolean
gst_cuda_histo_schema_get_picture_fraction (const GstCudaHistoField *field, const GstCudaHistoReading *reading, GValue *value)
{
  const struct histo_picture_stats *picture = reading->picture;

  if (!gst_cuda_histo_schema_has_luma_count (field, reading))
    return FALSE;
  g_value_init (value, G_TYPE_DOUBLE);
  g_value_set_double (value, (gdouble)G_STRUCT_MEMBER (uint64_t, picture, field->offset) / (gdouble)picture->luma_count);
  return TRUE;
}

static gboolean
gst_cuda_histo_schema_get_picture_uint64 (const GstCudaHistoField *field, const GstCudaHistoReading *reading, GValue *value)
{
  if (!gst_cuda_histo_schema_has_luma_count (field, reading))
    return FALSE;
  g_value_init (value, G_TYPE_UINT64);
  g_value_set_uint64 (value, G_STRUCT_MEMBER (uint64_t, reading->picture, field->offset));
  return TRUE;
}

const uint64_t *
gst_cuda_histo_schema_get_counters (const GstCudaHistoReading *reading, guint *bins)
{
  static uint64_t nothing[65536]; /* never written, so that it takes up no bytes in the file */

  if (reading->result->bins == GST_CUDA_HISTO_BINS_NATIVE) {
    *bins = reading->stats->bins > 0 ? reading->stats->bins : 1u << reading->result->source->depth;
    return reading->stats->bins > 0 ? reading->stats->histogram : nothing;
  }
  *bins = HISTO_BINS;
  return reading->stats->bins == HISTO_BINS ? reading->stats->histogram : reading->folded;
}

/* GStreamer (1.22 to 1.28) serializes a GBytes as base64 and cannot parse the `=` that base64 ends with, unless the number of
 * bytes is a multiple of this. docs/internals/upstream/gbytes.md has the details. */
#define BASE64_GROUP_BYTES 3

void
gst_cuda_histo_schema_pack_numbers (gconstpointer data, gsize n_numbers, GValue *value)
{
  const guint64 *numbers = data;
  const gsize size = n_numbers * sizeof *numbers;
  const gsize padded = (size + BASE64_GROUP_BYTES - 1) / BASE64_GROUP_BYTES * BASE64_GROUP_BYTES;
  guint64 *packed = g_malloc (padded);

  for (gsize i = 0; i < n_numbers; i++)
    packed[i] = GUINT64_TO_LE (numbers[i]);
  memset (packed + n_numbers, 0, padded - size);
  g_value_init (value, G_TYPE_BYTES);
  g_value_take_boxed (value, g_bytes_new_take (packed, padded));
}

static gboolean
gst_cuda_histo_schema_get_histogram (const GstCudaHistoField *field, const GstCudaHistoReading *reading, GValue *value)
{
  guint bins;
  const uint64_t *histogram = gst_cuda_histo_schema_get_counters (reading, &bins);

  (void)field;
  if (reading->bins == GST_CUDA_HISTO_MESSAGE_BINS_NONE)
    return FALSE;

  if (reading->bins == GST_CUDA_HISTO_MESSAGE_BINS_PACKED) {
    gst_cuda_histo_schema_pack_numbers (histogram, bins, value);
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

/* Nothing is copied. */
static gboolean
gst_cuda_histo_schema_lend_numbers (gconstpointer numbers, gsize size, GValue *value)
{
  if (numbers == NULL)
    return FALSE;
  g_value_init (value, G_TYPE_BYTES);
  g_value_take_boxed (value, g_bytes_new_static (numbers, size));
  return TRUE;
}

static gboolean
gst_cuda_histo_schema_get_waveform (const GstCudaHistoField *field, const GstCudaHistoReading *reading, GValue *value)
{
  const struct histo_component_stats *stats = reading->stats;

  (void)field;
  return gst_cuda_histo_schema_lend_numbers (stats->waveform, stats->waveform_columns * HISTO_BINS * sizeof *stats->waveform,
                                             value);
}

static gboolean
gst_cuda_histo_schema_get_colour_counters (const GstCudaHistoField *field, const GstCudaHistoReading *reading, GValue *value)
{
  const struct histo_picture_stats *picture = reading->picture;

  if (!gst_cuda_histo_schema_has_colours (field, reading))
    return FALSE;
  if (field->scope == SCOPE_HUE)
    return gst_cuda_histo_schema_lend_numbers (picture->hue, HISTO_HUES * sizeof *picture->hue, value);
  return gst_cuda_histo_schema_lend_numbers (picture->saturation, picture->saturation_count * sizeof *picture->saturation,
                                             value);
}

static gboolean
gst_cuda_histo_schema_get_vectorscope (const GstCudaHistoField *field, const GstCudaHistoReading *reading, GValue *value)
{
  const struct histo_picture_stats *picture = reading->picture;

  (void)field;
  return picture != NULL
         && gst_cuda_histo_schema_lend_numbers (picture->vectorscope, HISTO_VECTORSCOPE * sizeof *picture->vectorscope, value);
}

static gboolean
gst_cuda_histo_schema_get_region_uint (const GstCudaHistoField *field, const GstCudaHistoReading *reading, GValue *value)
{
  g_value_init (value, G_TYPE_UINT);
  g_value_set_uint (value, G_STRUCT_MEMBER (guint, reading->region, field->offset));
  return TRUE;
}

static gboolean
gst_cuda_histo_schema_get_region_id (const GstCudaHistoField *field, const GstCudaHistoReading *reading, GValue *value)
{
  if (!reading->region->is_meta)
    return FALSE;
  g_value_init (value, G_TYPE_INT);
  g_value_set_int (value, G_STRUCT_MEMBER (gint, reading->region, field->offset));
  return TRUE;
}

static gboolean
gst_cuda_histo_schema_get_region_parent (const GstCudaHistoField *field, const GstCudaHistoReading *reading, GValue *value)
{
  return reading->region->has_parent && gst_cuda_histo_schema_get_region_id (field, reading, value);
}

/* What is no number is no field: JSON cannot say it. */
static gboolean
gst_cuda_histo_schema_get_region_confidence (const GstCudaHistoField *field, const GstCudaHistoReading *reading, GValue *value)
{
  (void)field;
  if (!reading->region->has_confidence || !isfinite (reading->region->confidence))
    return FALSE;
  g_value_init (value, G_TYPE_DOUBLE);
  g_value_set_double (value, reading->region->confidence);
  return TRUE;
}

static gboolean
gst_cuda_histo_schema_get_region_type (const GstCudaHistoField *field, const GstCudaHistoReading *reading, GValue *value)
{
  (void)field;
  if (reading->region->type == NULL)
    return FALSE;
  g_value_init (value, G_TYPE_STRING);
  if (g_utf8_validate (reading->region->type, -1, NULL))
    g_value_set_static_string (value, reading->region->type);
  else
    g_value_take_string (value, g_utf8_make_valid (reading->region->type, -1));
  return TRUE;
}

static gboolean
gst_cuda_histo_schema_get_row_sums (const GstCudaHistoField *field, const GstCudaHistoReading *reading, GValue *value)
{
  const struct histo_component_stats *stats = reading->stats;

  (void)field;
  return gst_cuda_histo_schema_lend_numbers (stats->row_sums, stats->rows * sizeof *stats->row_sums, value);
}

static gboolean
gst_cuda_histo_schema_get_column_sums (const GstCudaHistoField *field, const GstCudaHistoReading *reading, GValue *value)
{
  const struct histo_component_stats *stats = reading->stats;

  (void)field;
  return gst_cuda_histo_schema_lend_numbers (stats->column_sums, stats->columns * sizeof *stats->column_sums, value);
}

static gboolean
gst_cuda_histo_schema_get_metered_luma (const GstCudaHistoField *field, const GstCudaHistoReading *reading, GValue *value)
{
  const GstCudaHistoMeteredLuma *luma = reading->result->metered_luma;

  (void)field;
  if (luma == NULL)
    return FALSE;
  g_value_init (value, G_TYPE_DOUBLE);
  g_value_set_double (value, (ldexp ((gdouble)luma->sum_high, 64) + (gdouble)luma->sum) / (gdouble)luma->weights);
  return TRUE;
}

static gboolean
gst_cuda_histo_schema_get_metered_sum (const GstCudaHistoField *field, const GstCudaHistoReading *reading, GValue *value)
{
  (void)field;
  if (reading->result->metered_luma == NULL)
    return FALSE;
  gst_cuda_histo_schema_lend_wide (&reading->result->metered_luma->sum, value);
  return TRUE;
}

static gboolean
gst_cuda_histo_schema_get_metered_weights (const GstCudaHistoField *field, const GstCudaHistoReading *reading, GValue *value)
{
  (void)field;
  if (reading->result->metered_luma == NULL)
    return FALSE;
  g_value_init (value, G_TYPE_UINT64);
  g_value_set_uint64 (value, reading->result->metered_luma->weights);
  return TRUE;
}

/* Which rows and columns are not black; NULL: nobody looked. */
static const GstCudaHistoRegion *
gst_cuda_histo_schema_get_active (const GstCudaHistoReading *reading)
{
  return reading->result->stats->component_count > 0 ? reading->result->active_pictures : NULL;
}

static gboolean
gst_cuda_histo_schema_get_active_picture (const GstCudaHistoField *field, const GstCudaHistoReading *reading, GValue *value)
{
  const GstCudaHistoRegion *active = gst_cuda_histo_schema_get_active (reading);
  static const GstCudaHistoRegion nothing;

  (void)field;
  if (active == NULL)
    return FALSE;
  if (active->width == 0 || active->height == 0)
    active = &nothing;
  gst_cuda_histo_schema_set_rectangle ((const guint[]){ active->x, active->y, active->width, active->height }, value);
  return TRUE;
}

static gboolean
gst_cuda_histo_schema_get_active_extent (const GstCudaHistoField *field, const GstCudaHistoReading *reading, GValue *value)
{
  const GstCudaHistoRegion *active = gst_cuda_histo_schema_get_active (reading);

  (void)field;
  if (active == NULL)
    return FALSE;
  gst_cuda_histo_schema_set_rectangle ((const guint[]){ active->x, active->y, active->width, active->height }, value);
  return TRUE;
}

/* ---- the table ------------------------------------------------------------------------------------------------------- */

#define RESULT(member) G_STRUCT_OFFSET (GstCudaHistoWindowResult, member)
#define SOURCE(member) G_STRUCT_OFFSET (GstCudaHistoSource, member)
#define SPAN(member) G_STRUCT_OFFSET (GstCudaHistoSpan, member)
#define REGION(member) G_STRUCT_OFFSET (GstCudaHistoRegion, member)
#define STATS(member) G_STRUCT_OFFSET (struct histo_component_stats, member)
#define SUMMARY(member) G_STRUCT_OFFSET (struct histo_summary, member)
#define PICTURE(member) G_STRUCT_OFFSET (struct histo_picture_stats, member)
#define COLOURS(member) G_STRUCT_OFFSET (struct histo_colour_summary, member)
#define DISTANCE(member) G_STRUCT_OFFSET (GstCudaHistoDistance, member)

#define BASIC GST_CUDA_HISTO_STATISTICS_HISTOGRAM
#define COMPARISON GST_CUDA_HISTO_STATISTICS_COMPARISON

#define COUNTED "count > 0"
#define OPERAND "a sample had an operand"
#define COUNTERPART "`reference-location`, and the reference has a frame to compare with"
#define KNOWN "known"
#define LUMA "video with Y or GRAY"
#define OF_META "it is of a GstVideoRegionOfInterestMeta or a GstAnalyticsODMtd"
#define CHROMA "video with Y, U and V"
#define COLOURED "video with Y, U and V, or with R, G and B"
#define METERED "`metering` is not `none`; video with Y or GRAY"
#define FITS "it is less than 2^64, or in JSON"
#define ARRAYS "`message-arrays`, or `sidecar-arrays`, is not `none`, and in metas"
#define COUNTERS "`message-arrays`, or `sidecar-bins`, is not `none`, and in metas"

G_STATIC_ASSERT (STATS (sum_of_squares_high) == STATS (sum_of_squares) + sizeof (uint64_t));
G_STATIC_ASSERT (STATS (dot_high) == STATS (dot) + sizeof (uint64_t));
G_STATIC_ASSERT (STATS (squared_difference_high) == STATS (squared_difference) + sizeof (uint64_t));
G_STATIC_ASSERT (G_STRUCT_OFFSET (GstCudaHistoMeteredLuma, sum_high) == sizeof (guint64));

const GstCudaHistoField gst_cuda_histo_schema_fields[] = {
  { "element", SCOPE_ANY, TYPE_STRING, gst_cuda_histo_schema_get_result_string, RESULT (element), "", 0, ALWAYS,
    "Name of the element that measured" },
  { "input", SCOPE_ANY, TYPE_STRING, gst_cuda_histo_schema_get_input, RESULT (input), "", 0, "`input-name` is set",
    "Name of what was measured. `cudahisto measure` sets it to the file name of the film, without its directory" },
  { "backend", SCOPE_ANY, TYPE_STRING, gst_cuda_histo_schema_get_result_string, RESULT (backend), "", 0, ALWAYS,
    "What counted the window's last frame: `cuda`, `cpu` or `reference`" },
  { "frame", SCOPE_ANY, TYPE_UINT64, gst_cuda_histo_schema_get_span_uint64, SPAN (frame), "", 0, ALWAYS,
    "Index of the window's first frame (of a byte stream: buffer) since the start, from 0" },
  { "frames", SCOPE_ANY, TYPE_UINT64, gst_cuda_histo_schema_get_span_uint64, SPAN (frames), "", 0, ALWAYS,
    "Frames (of a byte stream: buffers, whole or in part) in the window" },
  { "damaged", SCOPE_VIDEO, TYPE_UINT64, gst_cuda_histo_schema_get_span_damage, SPAN (damaged), "frames", 0,
    "`events=damaged`; there are any", "Frames in the window that are damaged" },
  { "missing", SCOPE_VIDEO, TYPE_UINT64, gst_cuda_histo_schema_get_span_damage, SPAN (missing), "frames", 0,
    "`events=damaged`; there are any", "Frames that should be in the window, or directly before it, and did not come" },
  { "offset", SCOPE_BYTES, TYPE_UINT64, gst_cuda_histo_schema_get_span_uint64, SPAN (offset), "bytes", 0, ALWAYS,
    "Position of the window's first byte in the stream" },
  { "size", SCOPE_BYTES, TYPE_UINT64, gst_cuda_histo_schema_get_span_uint64, SPAN (size), "bytes", 0, ALWAYS,
    "Length of the window" },
  { "format", SCOPE_ANY, TYPE_STRING, gst_cuda_histo_schema_get_source_string, SOURCE (format), "", 0, ALWAYS,
    "Video format as in the caps, or `bytes`" },
  { "width", SCOPE_VIDEO, TYPE_UINT, gst_cuda_histo_schema_get_source_uint, SOURCE (width), "pixels", 0, ALWAYS,
    "Visible width, after the crop" },
  { "height", SCOPE_VIDEO, TYPE_UINT, gst_cuda_histo_schema_get_source_uint, SOURCE (height), "pixels", 0, ALWAYS,
    "Visible height, after the crop" },
  { "crop", SCOPE_VIDEO, TYPE_RECTANGLE, gst_cuda_histo_schema_get_origin_crop, 0, "pixels", 0,
    "the window's first buffer has a GstVideoCropMeta", "Its rectangle: x, y, width and height in the frame that was decoded" },
  { "depth", SCOPE_ANY, TYPE_UINT, gst_cuda_histo_schema_get_source_uint, SOURCE (depth), "bits", 0, ALWAYS,
    "Significant bits of a sample" },
  { "range", SCOPE_ANY, TYPE_STRING, gst_cuda_histo_schema_get_source_string, SOURCE (range), "", 0, ALWAYS,
    "Nominal range of the samples as in the caps: `full`, `limited` or `unknown`" },
  { "colorimetry", SCOPE_VIDEO, TYPE_STRING, gst_cuda_histo_schema_get_source_colorimetry, SOURCE (colorimetry), "", 0, KNOWN,
    "Range, matrix, transfer function and primaries as in the caps, 0 being unknown; of luma to which these give no matrix, "
    "and of RGB to which they give nothing, what they leave open is GStreamer's default" },
  { "framerate", SCOPE_VIDEO, TYPE_FRACTION, gst_cuda_histo_schema_get_source_framerate, 0, "frames/s", 0,
    "the caps have one that is fixed", "Frames a second, as in the caps" },
  { "timestamp", SCOPE_ANY, TYPE_TIME, gst_cuda_histo_schema_get_span_uint64, SPAN (timestamp), "ns", 0, ALWAYS,
    "Timestamp of the buffer in which the window began" },
  { "stream-time", SCOPE_ANY, TYPE_TIME, gst_cuda_histo_schema_get_span_uint64, SPAN (stream_time), "ns", 0, ALWAYS,
    "The same in stream time" },
  { "running-time", SCOPE_ANY, TYPE_TIME, gst_cuda_histo_schema_get_span_uint64, SPAN (running_time), "ns", 0, ALWAYS,
    "The same in running time" },
  { "duration", SCOPE_ANY, TYPE_TIME, gst_cuda_histo_schema_get_span_uint64, SPAN (duration), "ns", 0, ALWAYS,
    "From `timestamp` to the end of the window's last buffer; unknown where time went back, as it does at a negative rate" },
  { "utc-time", SCOPE_ANY, TYPE_STRING, gst_cuda_histo_schema_get_origin_utc_time, 0, "", 0, ALWAYS,
    "When the window's first buffer came, as a time of day (RFC 3339, UTC): by the pipeline's clock where that is a wall "
    "clock (real time, NTP, PTP, TAI), else by the system's" },
  { "timecode", SCOPE_VIDEO, TYPE_STRING, gst_cuda_histo_schema_get_origin_timecode, 0, "", 0,
    "the window's first buffer has a GstVideoTimeCodeMeta",
    "Its time code, `hh:mm:ss:ff`, or `hh:mm:ss;ff` in drop-frame counting" },
  { "reference-time", SCOPE_ANY, TYPE_UINT64, gst_cuda_histo_schema_get_origin_reference_time, 0, "ns", 0,
    "the window's first buffer has a GstReferenceTimestampMeta",
    "Its timestamp: when the buffer was captured, by another clock" },
  { "reference-clock", SCOPE_ANY, TYPE_STRING, gst_cuda_histo_schema_get_origin_reference_clock, 0, "", 0,
    "with `reference-time`", "Which clock that is, for example `timestamp/x-ntp`, whose epoch is 1900" },
  { "reference-offset", SCOPE_VIDEO, TYPE_INT64, gst_cuda_histo_schema_get_reference_offset, 0, "ns", 0,
    COUNTERPART "; `reference-mode=in-step`",
    "How much later in the stream each frame is than its counterpart in the reference: the property, which `cudahisto measure` "
    "sets to what it finds" },
  { "ended-by", SCOPE_ANY, TYPE_STRING, gst_cuda_histo_schema_get_span_ended_by, 0, "", 0, ALWAYS,
    "Why the window ended: `complete`, or early, by `eos`, `stop` (of the element), `caps`, `crop` (the visible size "
    "changed), `regions` (others are counted), `segment`, `segment-done` or `stream-start`" },

  { "saturation-min", SCOPE_SATURATION, TYPE_UINT, gst_cuda_histo_schema_get_colour_uint, COLOURS (saturation_min), "",
    GST_CUDA_HISTO_STATISTICS_SATURATION, CHROMA, "Smallest saturation: the distance from grey in the plane of U and V" },
  { "saturation-low", SCOPE_SATURATION, TYPE_UINT, gst_cuda_histo_schema_get_colour_uint, COLOURS (saturation_low), "",
    GST_CUDA_HISTO_STATISTICS_SATURATION, CHROMA, "Smallest saturation that a tenth of the chroma samples do not exceed" },
  { "saturation-mean", SCOPE_SATURATION, TYPE_DOUBLE, gst_cuda_histo_schema_get_colour_double, COLOURS (saturation_mean), "",
    GST_CUDA_HISTO_STATISTICS_SATURATION, CHROMA, "Mean saturation" },
  { "saturation-high", SCOPE_SATURATION, TYPE_UINT, gst_cuda_histo_schema_get_colour_uint, COLOURS (saturation_high), "",
    GST_CUDA_HISTO_STATISTICS_SATURATION, CHROMA, "Smallest saturation that nine tenths of the chroma samples do not exceed" },
  { "saturation-max", SCOPE_SATURATION, TYPE_UINT, gst_cuda_histo_schema_get_colour_uint, COLOURS (saturation_max), "",
    GST_CUDA_HISTO_STATISTICS_SATURATION, CHROMA, "Largest saturation" },
  { "saturation-histogram", SCOPE_SATURATION, TYPE_COUNTERS, gst_cuda_histo_schema_get_colour_counters, 0, "chroma samples",
    GST_CUDA_HISTO_STATISTICS_SATURATION, CHROMA "; " COUNTERS,
    "How often each saturation occurs, from 0 on: a counter for each that samples of the depth can have" },
  { "hue-median", SCOPE_HUE, TYPE_UINT, gst_cuda_histo_schema_get_colour_uint, COLOURS (hue_median), "degrees",
    GST_CUDA_HISTO_STATISTICS_HUE, CHROMA, "Median hue, 0 to 359: the angle in the plane of U and V" },
  { "hue-mean", SCOPE_HUE, TYPE_DOUBLE, gst_cuda_histo_schema_get_colour_double, COLOURS (hue_mean), "degrees",
    GST_CUDA_HISTO_STATISTICS_HUE, CHROMA, "Arithmetic mean of the hues, though they lie on a circle" },
  { "hue-histogram", SCOPE_HUE, TYPE_COUNTERS, gst_cuda_histo_schema_get_colour_counters, 0, "chroma samples",
    GST_CUDA_HISTO_STATISTICS_HUE, CHROMA "; " COUNTERS, "How often each hue occurs: 360 counters, from 0 on" },
  { "outliers", SCOPE_PICTURE, TYPE_DOUBLE, gst_cuda_histo_schema_get_picture_fraction, PICTURE (outliers), "fraction",
    GST_CUDA_HISTO_STATISTICS_OUTLIERS, LUMA, "Luma samples that are unlike those above and below, of all luma samples" },
  { "outliers-count", SCOPE_PICTURE, TYPE_UINT64, gst_cuda_histo_schema_get_picture_uint64, PICTURE (outliers), "luma samples",
    GST_CUDA_HISTO_STATISTICS_OUTLIERS, LUMA, "How many these are" },
  { "repeats", SCOPE_PICTURE, TYPE_DOUBLE, gst_cuda_histo_schema_get_picture_fraction, PICTURE (repeats), "fraction",
    GST_CUDA_HISTO_STATISTICS_REPEATS, LUMA, "Luma samples of rows that repeat the fourth row above, of all luma samples" },
  { "repeats-count", SCOPE_PICTURE, TYPE_UINT64, gst_cuda_histo_schema_get_picture_uint64, PICTURE (repeats), "luma samples",
    GST_CUDA_HISTO_STATISTICS_REPEATS, LUMA, "How many these are" },
  { "out-of-range", SCOPE_PICTURE, TYPE_DOUBLE, gst_cuda_histo_schema_get_picture_fraction, PICTURE (out_of_range), "fraction",
    GST_CUDA_HISTO_STATISTICS_BROADCAST_RANGE, CHROMA,
    "Luma samples that are outside of the broadcast range, or whose chroma is, of all luma samples" },
  { "out-of-range-count", SCOPE_PICTURE, TYPE_UINT64, gst_cuda_histo_schema_get_picture_uint64, PICTURE (out_of_range),
    "luma samples", GST_CUDA_HISTO_STATISTICS_BROADCAST_RANGE, CHROMA, "How many these are" },
  { "out-of-gamut", SCOPE_PICTURE, TYPE_DOUBLE, gst_cuda_histo_schema_get_picture_fraction, PICTURE (gamut_errors), "fraction",
    GST_CUDA_HISTO_STATISTICS_GAMUT, COLOURED,
    "Luma samples that are outside of the preferred range of EBU R103, or make an R, G or B that is, of all luma samples" },
  { "out-of-gamut-count", SCOPE_PICTURE, TYPE_UINT64, gst_cuda_histo_schema_get_picture_uint64, PICTURE (gamut_errors),
    "luma samples", GST_CUDA_HISTO_STATISTICS_GAMUT, COLOURED, "How many these are" },
  { "metered-luma", SCOPE_PICTURE, TYPE_DOUBLE, gst_cuda_histo_schema_get_metered_luma, 0, "", 0, METERED,
    "Mean of luma, each sample with the weight of its place in the picture" },
  { "metered-luma-sum", SCOPE_PICTURE, TYPE_WIDE, gst_cuda_histo_schema_get_metered_sum, 0, "", 0, METERED "; " FITS,
    "Sum of the luma samples, each times its weight" },
  { "metered-luma-weights", SCOPE_PICTURE, TYPE_UINT64, gst_cuda_histo_schema_get_metered_weights, 0, "", 0, METERED,
    "Sum of the weights of all luma samples: `metered-luma` is `metered-luma-sum` / `metered-luma-weights`" },
  { "active-picture", SCOPE_PICTURE, TYPE_RECTANGLE, gst_cuda_histo_schema_get_active_picture, 0, "pixels",
    GST_CUDA_HISTO_STATISTICS_ACTIVE_PICTURE, "video, without weights of rows and columns",
    "The smallest rectangle outside of which each row and each column is black in all frames: x, y, width and height, the last "
    "two 0 where there is nothing but black" },
  { "active-extent", SCOPE_PICTURE, TYPE_RECTANGLE, gst_cuda_histo_schema_get_active_extent, 0, "pixels",
    GST_CUDA_HISTO_STATISTICS_ACTIVE_PICTURE, "video, without weights of rows and columns",
    "From where to where columns are not black (`x` and `width`), and rows (`y` and `height`): `active-picture`, but where "
    "there are none of the one and some of the other, as of a single white row" },
  { "vectorscope", SCOPE_PICTURE, TYPE_TABLE, gst_cuda_histo_schema_get_vectorscope, 0, "chroma samples",
    GST_CUDA_HISTO_STATISTICS_VECTORSCOPE, CHROMA "; " ARRAYS,
    "How often each U occurs with each V, of both the upper 8 bits: 256 rows, one for each V, of a counter for each U" },

  { "x", SCOPE_REGION, TYPE_UINT, gst_cuda_histo_schema_get_region_uint, REGION (x), "pixels", 0, ALWAYS,
    "Left edge of the region in the visible picture" },
  { "y", SCOPE_REGION, TYPE_UINT, gst_cuda_histo_schema_get_region_uint, REGION (y), "pixels", 0, ALWAYS, "Its top edge" },
  { "width", SCOPE_REGION, TYPE_UINT, gst_cuda_histo_schema_get_region_uint, REGION (width), "pixels", 0, ALWAYS,
    "Its width, as far as it is inside of the picture" },
  { "height", SCOPE_REGION, TYPE_UINT, gst_cuda_histo_schema_get_region_uint, REGION (height), "pixels", 0, ALWAYS,
    "Its height, as far as it is inside of the picture" },
  { "id", SCOPE_REGION, TYPE_INT, gst_cuda_histo_schema_get_region_id, REGION (id), "", 0, OF_META,
    "The meta's number: that of a detection, where a detector gives them numbers" },
  { "parent-id", SCOPE_REGION, TYPE_INT, gst_cuda_histo_schema_get_region_parent, REGION (parent_id), "", 0,
    "it is of a GstVideoRegionOfInterestMeta, or of a GstAnalyticsODMtd that is part of another",
    "The number of the meta that it belongs to" },
  { "type", SCOPE_REGION, TYPE_STRING, gst_cuda_histo_schema_get_region_type, 0, "", 0, OF_META " that has one",
    "Object type" },
  { "confidence", SCOPE_REGION, TYPE_DOUBLE, gst_cuda_histo_schema_get_region_confidence, 0, "", 0,
    "it is of a GstAnalyticsODMtd", "How sure the detector is of the box, from 0 to 1, in the window's first frame" },

  { "count", SCOPE_COMPONENT, TYPE_UINT64, gst_cuda_histo_schema_get_stats_uint64, STATS (count), "samples", 0, ALWAYS,
    "Samples counted" },
  { "sum", SCOPE_COMPONENT, TYPE_UINT64, gst_cuda_histo_schema_get_stats_uint64, STATS (sum), "", BASIC, ALWAYS,
    "Sum of the samples" },
  { "sum-of-squares", SCOPE_COMPONENT, TYPE_WIDE, gst_cuda_histo_schema_get_stats_wide, STATS (sum_of_squares), "", BASIC, FITS,
    "Sum of the squared samples" },
  { "mean", SCOPE_COMPONENT, TYPE_DOUBLE, gst_cuda_histo_schema_get_summary_double, SUMMARY (mean), "", BASIC, COUNTED,
    "`sum` / `count`" },
  { "variance", SCOPE_COMPONENT, TYPE_DOUBLE, gst_cuda_histo_schema_get_summary_double, SUMMARY (variance), "", BASIC, COUNTED,
    "Mean squared distance from the mean (population form)" },
  { "stddev", SCOPE_COMPONENT, TYPE_DOUBLE, gst_cuda_histo_schema_get_summary_double, SUMMARY (stddev), "", BASIC, COUNTED,
    "Square root of the variance" },
  { "min", SCOPE_COMPONENT, TYPE_UINT, gst_cuda_histo_schema_get_summary_uint, SUMMARY (min), "", BASIC, COUNTED,
    "Smallest value that occurs" },
  { "max", SCOPE_COMPONENT, TYPE_UINT, gst_cuda_histo_schema_get_summary_uint, SUMMARY (max), "", BASIC, COUNTED,
    "Largest value that occurs" },
  { "low", SCOPE_COMPONENT, TYPE_UINT, gst_cuda_histo_schema_get_summary_uint, SUMMARY (low), "", BASIC, COUNTED,
    "Smallest value that a tenth of the samples do not exceed" },
  { "median", SCOPE_COMPONENT, TYPE_UINT, gst_cuda_histo_schema_get_summary_uint, SUMMARY (median), "", BASIC, COUNTED,
    "Smallest value that half of the samples do not exceed" },
  { "high", SCOPE_COMPONENT, TYPE_UINT, gst_cuda_histo_schema_get_summary_uint, SUMMARY (high), "", BASIC, COUNTED,
    "Smallest value that nine tenths of the samples do not exceed" },
  { "dot", SCOPE_COMPONENT, TYPE_WIDE, gst_cuda_histo_schema_get_dot, STATS (dot), "", 0, OPERAND "; " FITS,
    "Sum of each sample times its operand, the sample in the same place of the previous frame" },
  { "dot-count", SCOPE_COMPONENT, TYPE_UINT64, gst_cuda_histo_schema_get_dot_uint64, STATS (dot_count), "samples", 0, OPERAND,
    "Samples that had an operand: `count`, or fewer where a frame of the window had none" },
  { "difference", SCOPE_COMPONENT, TYPE_DOUBLE, gst_cuda_histo_schema_get_difference, 0, "",
    GST_CUDA_HISTO_DIFFERENCE_STATISTICS, OPERAND,
    "Mean absolute difference of each sample from its operand. The first frame of a stream has none, nor has the first after "
    "a gap" },
  { "difference-count", SCOPE_COMPONENT, TYPE_UINT64, gst_cuda_histo_schema_get_difference_uint64, STATS (difference_count),
    "samples", GST_CUDA_HISTO_DIFFERENCE_STATISTICS, OPERAND, "Samples that had an operand, as `dot-count`" },
  { "sad", SCOPE_COMPONENT, TYPE_UINT64, gst_cuda_histo_schema_get_difference_uint64, STATS (absolute_difference), "",
    GST_CUDA_HISTO_DIFFERENCE_STATISTICS, OPERAND,
    "Sum of the absolute differences of the samples from their operands: `difference` is `sad` / `difference-count`" },
  { "ssd", SCOPE_COMPONENT, TYPE_WIDE, gst_cuda_histo_schema_get_ssd, 0, "", COMPARISON, OPERAND "; " FITS,
    "Sum of the squared differences of the samples from their operands" },
  { "mse", SCOPE_COMPONENT, TYPE_DOUBLE, gst_cuda_histo_schema_get_mse, 0, "", COMPARISON, OPERAND,
    "Mean squared error: `ssd` / `difference-count`" },
  { "psnr", SCOPE_COMPONENT, TYPE_DOUBLE, gst_cuda_histo_schema_get_psnr, 0, "dB", COMPARISON, OPERAND,
    "Peak signal-to-noise ratio: 10 log10 ((2^depth - 1)^2 / `mse`). Where nothing differs it is infinite, in JSON null" },
  { "histogram-distance", SCOPE_COMPONENT, TYPE_DOUBLE, gst_cuda_histo_schema_get_distance, 0, "fraction", COMPARISON, OPERAND,
    "Samples that would have to take another value, so that the previous frame's histogram becomes that of the frame, of all: "
    "0 where the histograms are equal, 1 where no value occurs in both. In a window of many frames their mean" },
  { "histogram-distance-moved", SCOPE_COMPONENT, TYPE_UINT64, gst_cuda_histo_schema_get_distance_uint64, DISTANCE (moved),
    "samples", COMPARISON, OPERAND, "How many samples these are" },
  { "histogram-distance-count", SCOPE_COMPONENT, TYPE_UINT64, gst_cuda_histo_schema_get_distance_uint64, DISTANCE (count),
    "samples", COMPARISON, OPERAND,
    "Of how many: `histogram-distance` is `histogram-distance-moved` / `histogram-distance-count`" },
  { "reference-difference", SCOPE_REFERENCE, TYPE_DOUBLE, gst_cuda_histo_schema_get_difference, 0, "", 0, COUNTERPART,
    "Mean absolute difference of each sample from the sample in the same place of the reference's frame" },
  { "reference-difference-count", SCOPE_REFERENCE, TYPE_UINT64, gst_cuda_histo_schema_get_difference_uint64,
    STATS (difference_count), "samples", 0, COUNTERPART,
    "Samples of the frames that were compared with the reference: `count`, or fewer where it has none for a frame of the "
    "window" },
  { "reference-sad", SCOPE_REFERENCE, TYPE_UINT64, gst_cuda_histo_schema_get_difference_uint64, STATS (absolute_difference), "",
    0, COUNTERPART, "Sum of the absolute differences from the reference" },
  { "reference-ssd", SCOPE_REFERENCE, TYPE_WIDE, gst_cuda_histo_schema_get_ssd, 0, "", 0, COUNTERPART "; " FITS,
    "Sum of the squared differences from the reference" },
  { "reference-mse", SCOPE_REFERENCE, TYPE_DOUBLE, gst_cuda_histo_schema_get_mse, 0, "", 0, COUNTERPART,
    "Mean squared error: `reference-ssd` / `reference-difference-count`" },
  { "reference-psnr", SCOPE_REFERENCE, TYPE_DOUBLE, gst_cuda_histo_schema_get_psnr, 0, "dB", 0, COUNTERPART,
    "Peak signal-to-noise ratio, of `reference-mse`, as `psnr`" },
  { "reference-histogram-distance", SCOPE_REFERENCE, TYPE_DOUBLE, gst_cuda_histo_schema_get_distance, 0, "fraction", 0,
    COUNTERPART, "How far the histogram is from that of the reference's frame, as `histogram-distance`" },
  { "reference-histogram-distance-moved", SCOPE_REFERENCE, TYPE_UINT64, gst_cuda_histo_schema_get_distance_uint64,
    DISTANCE (moved), "samples", 0, COUNTERPART, "How many samples would have to take another value" },
  { "reference-histogram-distance-count", SCOPE_REFERENCE, TYPE_UINT64, gst_cuda_histo_schema_get_distance_uint64,
    DISTANCE (count), "samples", 0, COUNTERPART, "Of how many" },
  { "used-bits", SCOPE_COMPONENT, TYPE_UINT, gst_cuda_histo_schema_get_summary_uint, SUMMARY (used_bits), "bits",
    GST_CUDA_HISTO_STATISTICS_USED_BITS, COUNTED, "Bits of the samples that are 1 in any of them" },
  { "used-mask", SCOPE_COMPONENT, TYPE_UINT, gst_cuda_histo_schema_get_used_mask, 0, "", GST_CUDA_HISTO_STATISTICS_USED_BITS,
    COUNTED, "Which bits: the bitwise or of all values that occur" },
  { "histogram", SCOPE_COMPONENT, TYPE_HISTOGRAM, gst_cuda_histo_schema_get_histogram, 0, "samples", BASIC,
    "`message-bins`, or `sidecar-bins`, is not `none`",
    "How often each value occurs, from 0 on. Of samples deeper than 8 bits: how often each value of their upper 8 bits does, "
    "or with `bins=native` each value. The counters add up to `count`" },
  { "row-sums", SCOPE_COMPONENT, TYPE_SUMS, gst_cuda_histo_schema_get_row_sums, 0, "", GST_CUDA_HISTO_STATISTICS_ROW_SUMS,
    "video; " ARRAYS, "For each row, from the top, the sum of its samples, each times its column's weight, of all frames" },
  { "column-sums", SCOPE_COMPONENT, TYPE_SUMS, gst_cuda_histo_schema_get_column_sums, 0, "",
    GST_CUDA_HISTO_STATISTICS_COLUMN_SUMS, "video; " ARRAYS,
    "For each column, from the left, the sum of its samples, each times its row's weight, of all frames" },
  { "waveform", SCOPE_COMPONENT, TYPE_TABLE, gst_cuda_histo_schema_get_waveform, 0, "samples",
    GST_CUDA_HISTO_STATISTICS_WAVEFORM, "video; " ARRAYS,
    "For each column of the waveform, from the left, how often each value of the samples' upper 8 bits occurs in its part of "
    "the picture. The counters add up to `count`" },
};

#define N_FIELDS G_N_ELEMENTS (gst_cuda_histo_schema_fields)

const guint gst_cuda_histo_schema_n_fields = N_FIELDS;

const GstCudaHistoSchemaComponent gst_cuda_histo_schema_components[] = {
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

#define N_COMPONENTS G_N_ELEMENTS (gst_cuda_histo_schema_components)

const guint gst_cuda_histo_schema_n_components = N_COMPONENTS;

/* ---- walking the table ----------------------------------------------------------------------------------------------- */

gboolean
gst_cuda_histo_schema_is_asked_for (const GstCudaHistoField *field, const GstCudaHistoReading *reading)
{
  return field->statistics == 0 || ((guint32)reading->result->statistics & field->statistics) != 0;
}

gboolean
gst_cuda_histo_schema_is_array (const GstCudaHistoField *field)
{
  return field->type == TYPE_TABLE || field->type == TYPE_SUMS || field->type == TYPE_COUNTERS;
}

gconstpointer
gst_cuda_histo_schema_get_numbers (const GValue *value, gsize *n_numbers)
{
  gconstpointer numbers = g_bytes_get_data (g_value_get_boxed (value), n_numbers);

  *n_numbers /= sizeof (guint64);
  return numbers;
}

/* Whether the carrier has fields of this type. A histogram's getter knows by itself. */
static gboolean
gst_cuda_histo_schema_has_type (const GstCudaHistoReading *reading, GstCudaHistoFieldType type)
{
  switch (type) {
  case TYPE_TABLE:
  case TYPE_SUMS:
    return reading->arrays != GST_CUDA_HISTO_MESSAGE_ARRAYS_NONE;
  case TYPE_COUNTERS:
    return reading->has_counters;
  default:
    return TRUE;
  }
}

gboolean
gst_cuda_histo_schema_get_value (const GstCudaHistoField *field, const GstCudaHistoReading *reading, GValue *value)
{
  if (!gst_cuda_histo_schema_has_type (reading, field->type))
    return FALSE;
  return gst_cuda_histo_schema_is_asked_for (field, reading) && field->get (field, reading, value);
}

gboolean
gst_cuda_histo_schema_is_provenance_of (const GstCudaHistoField *field, const GstCudaHistoSource *source)
{
  return field->scope == SCOPE_ANY || field->scope == (source->is_video ? SCOPE_VIDEO : SCOPE_BYTES);
}

gboolean
gst_cuda_histo_schema_is_of_components (const GstCudaHistoField *field)
{
  return field->scope == SCOPE_COMPONENT || field->scope == SCOPE_REFERENCE;
}

gboolean
gst_cuda_histo_schema_is_of_pictures (const GstCudaHistoField *field)
{
  return field->scope == SCOPE_PICTURE || field->scope == SCOPE_SATURATION || field->scope == SCOPE_HUE;
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

GstCudaHistoReading
gst_cuda_histo_schema_make_reading (const GstCudaHistoWindowResult *result, GstCudaHistoMessageBins bins,
                                    GstCudaHistoMessageArrays arrays, gboolean has_counters,
                                    struct histo_colour_summary *colours)
{
  GstCudaHistoReading reading
      = { .result = result, .bins = bins, .arrays = arrays, .has_counters = has_counters, .picture = result->stats->picture };

  if (histo_summarize_colours (reading.picture, colours))
    reading.colours = colours;
  return reading;
}

guint
gst_cuda_histo_schema_get_region_count (const GstCudaHistoWindowResult *result)
{
  return result->parts != NULL ? result->span->regions.count : 0;
}

/* The histograms of sixteen regions are as large as an array. */
static GstCudaHistoMessageBins
gst_cuda_histo_schema_get_region_bins (const GstCudaHistoReading *reading)
{
  if (reading->bins == GST_CUDA_HISTO_MESSAGE_BINS_NONE || reading->arrays == GST_CUDA_HISTO_MESSAGE_ARRAYS_NONE)
    return GST_CUDA_HISTO_MESSAGE_BINS_NONE;
  return reading->arrays == GST_CUDA_HISTO_MESSAGE_ARRAYS_PACKED ? GST_CUDA_HISTO_MESSAGE_BINS_PACKED
                                                                 : GST_CUDA_HISTO_MESSAGE_BINS_ARRAY;
}

GstCudaHistoReading
gst_cuda_histo_schema_make_region_reading (const GstCudaHistoReading *reading, guint index, GstCudaHistoWindowResult *region,
                                           struct histo_colour_summary *colours)
{
  const GstCudaHistoMessageBins bins = gst_cuda_histo_schema_get_region_bins (reading);
  GstCudaHistoReading made;

  *region = *reading->result;
  region->stats = &reading->result->parts[GST_CUDA_HISTO_PART_REGION + index];
  region->distances = region->reference_distances = NULL;
  if (region->active_pictures != NULL)
    region->active_pictures += GST_CUDA_HISTO_PART_REGION + index;
  region->metered_luma = NULL;
  made = gst_cuda_histo_schema_make_reading (region, bins, reading->arrays, bins != GST_CUDA_HISTO_MESSAGE_BINS_NONE, colours);
  made.region = &reading->result->span->regions.regions[index];
  return made;
}

/* What was counted of component `index` of the reference; NULL: nothing. */
static const struct histo_component_stats *
gst_cuda_histo_schema_find_reference (const GstCudaHistoWindowResult *result, guint index)
{
  const struct histo_stats *stats = result->parts != NULL ? &result->parts[GST_CUDA_HISTO_PART_REFERENCE] : NULL;

  return stats != NULL && index < stats->component_count ? &stats->components[index] : NULL;
}

void
gst_cuda_histo_schema_init_component_reading (GstCudaHistoReading *reading, guint index, struct histo_summary *summary)
{
  static const struct histo_component_stats nothing;
  const struct histo_stats *stats = reading->result->stats;

  reading->stats = index < stats->component_count ? &stats->components[index] : &nothing;
  reading->summary = histo_summarize (reading->stats, summary) ? summary : NULL;
  reading->distance = reading->result->distances != NULL ? &reading->result->distances[index] : NULL;
  reading->reference = reading->region == NULL ? gst_cuda_histo_schema_find_reference (reading->result, index) : NULL;
  reading->reference_distance
      = reading->result->reference_distances != NULL ? &reading->result->reference_distances[index] : NULL;
  if (reading->stats->bins != HISTO_BINS && reading->result->bins == GST_CUDA_HISTO_BINS_256)
    gst_cuda_histo_schema_fold_histogram (reading->stats, reading->folded);
}

static const gchar *
gst_cuda_histo_schema_make_component_field_name (const gchar *component, const GstCudaHistoField *field)
{
  gchar *name = g_strconcat (component, "-", field->name, NULL);
  const gchar *interned = g_intern_string (name);

  g_free (name);
  return interned;
}

/* Made once: a result has some fifty of them, and there may be hundreds a second. */
const gchar *const *
gst_cuda_histo_schema_get_component_field_names (const gchar *component)
{
  static const gchar *names[N_COMPONENTS][N_FIELDS];
  static gsize is_initialized;

  if (g_once_init_enter (&is_initialized)) {
    for (guint c = 0; c < N_COMPONENTS; c++)
      for (guint f = 0; f < N_FIELDS; f++)
        names[c][f] = gst_cuda_histo_schema_make_component_field_name (gst_cuda_histo_schema_components[c].name,
                                                                       &gst_cuda_histo_schema_fields[f]);
    g_once_init_leave (&is_initialized, 1);
  }
  for (guint c = 0; c < N_COMPONENTS; c++) {
    if (strcmp (gst_cuda_histo_schema_components[c].name, component) == 0)
      return names[c];
  }
  g_return_val_if_reached (names[0]);
}
