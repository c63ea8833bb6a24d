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

/* Returns the numbers of differences from the previous frames, or from the reference's; NULL: none. */
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

/* Infinite if the frames are equal. */
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

/* Returns the distance from the histograms of the previous frames, or of the reference's; NULL: none. */
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

/* Whether saturation, or hue, was counted. */
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

/* Whether luma samples were counted for the field. */
static gboolean
gst_cuda_histo_schema_has_luma_count (const GstCudaHistoField *field, const GstCudaHistoReading *reading)
{
  const struct histo_picture_stats *picture = reading->picture;

  /* The bits equal those of the engine's statistics. */
  return picture != NULL && (picture->statistics & field->statistics) != 0 && picture->luma_count > 0;
}

/* A fraction of the luma samples. */
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
  static uint64_t nothing[65536]; /* never written, so that it needs no space in the file */

  if (reading->result->bins == GST_CUDA_HISTO_BINS_NATIVE) {
    *bins = reading->stats->bins > 0 ? reading->stats->bins : 1u << reading->result->source->depth;
    return reading->stats->bins > 0 ? reading->stats->histogram : nothing;
  }
  *bins = HISTO_BINS;
  return reading->stats->bins == HISTO_BINS ? reading->stats->histogram : reading->folded;
}

/* GStreamer (1.22 to 1.28) serializes a GBytes as base64 and cannot parse the `=` at its end. Only a multiple of this number of
 * bytes has none. docs/internals/upstream/gbytes.md has the details. */
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

/* Copies nothing. */
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

/* Omits values that are not finite, which JSON cannot represent. */
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

/* Returns the active picture; NULL: not measured. */
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

/* docs/messages.md explains these above its tables. */
#define OPERAND "previous frame"
#define COUNTERPART "reference frame"
#define KNOWN "known"
#define LUMA "Y or GRAY"
#define OF_META "ROI or OD"
#define CHROMA "YUV"
#define COLOURED "YUV or RGB"
#define METERED "`metering`; " LUMA
#define ARRAYS "[arrays](#arrays)"

G_STATIC_ASSERT (STATS (sum_of_squares_high) == STATS (sum_of_squares) + sizeof (uint64_t));
G_STATIC_ASSERT (STATS (dot_high) == STATS (dot) + sizeof (uint64_t));
G_STATIC_ASSERT (STATS (squared_difference_high) == STATS (squared_difference) + sizeof (uint64_t));
G_STATIC_ASSERT (G_STRUCT_OFFSET (GstCudaHistoMeteredLuma, sum_high) == sizeof (guint64));

const GstCudaHistoField gst_cuda_histo_schema_fields[] = {
  { "element", SCOPE_ANY, TYPE_STRING, gst_cuda_histo_schema_get_result_string, RESULT (element), "", 0, ALWAYS,
    "Name of the element" },
  { "input", SCOPE_ANY, TYPE_STRING, gst_cuda_histo_schema_get_input, RESULT (input), "", 0, "`input-name` is set",
    "Name of the film or stream. `cudahisto measure` sets the file name without its directory" },
  { "backend", SCOPE_ANY, TYPE_STRING, gst_cuda_histo_schema_get_result_string, RESULT (backend), "", 0, ALWAYS,
    "Backend that counted the window's last frame: `cuda`, `cpu` or `reference`" },
  { "frame", SCOPE_ANY, TYPE_UINT64, gst_cuda_histo_schema_get_span_uint64, SPAN (frame), "", 0, ALWAYS,
    "Index of the first frame (bytes: buffer) since the start, from 0" },
  { "frames", SCOPE_ANY, TYPE_UINT64, gst_cuda_histo_schema_get_span_uint64, SPAN (frames), "", 0, ALWAYS,
    "Frames in the window (bytes: buffers, whole or in part)" },
  { "damaged", SCOPE_VIDEO, TYPE_UINT64, gst_cuda_histo_schema_get_span_damage, SPAN (damaged), "", 0,
    "`events=damaged`; not 0", "Damaged frames in the window" },
  { "missing", SCOPE_VIDEO, TYPE_UINT64, gst_cuda_histo_schema_get_span_damage, SPAN (missing), "", 0,
    "`events=damaged`; not 0", "Frames missing in the window or directly before it" },
  { "offset", SCOPE_BYTES, TYPE_UINT64, gst_cuda_histo_schema_get_span_uint64, SPAN (offset), "bytes", 0, ALWAYS,
    "Position of the window's first byte in the stream" },
  { "size", SCOPE_BYTES, TYPE_UINT64, gst_cuda_histo_schema_get_span_uint64, SPAN (size), "bytes", 0, ALWAYS,
    "Length of the window" },
  { "format", SCOPE_ANY, TYPE_STRING, gst_cuda_histo_schema_get_source_string, SOURCE (format), "", 0, ALWAYS,
    "Video format as in the caps, or `bytes`" },
  { "width", SCOPE_VIDEO, TYPE_UINT, gst_cuda_histo_schema_get_source_uint, SOURCE (width), "pixels", 0, ALWAYS,
    "Visible width, after cropping" },
  { "height", SCOPE_VIDEO, TYPE_UINT, gst_cuda_histo_schema_get_source_uint, SOURCE (height), "pixels", 0, ALWAYS,
    "Visible height, after cropping" },
  { "crop", SCOPE_VIDEO, TYPE_RECTANGLE, gst_cuda_histo_schema_get_origin_crop, 0, "pixels", 0, "GstVideoCropMeta",
    "Crop rectangle in the decoded frame" },
  { "depth", SCOPE_ANY, TYPE_UINT, gst_cuda_histo_schema_get_source_uint, SOURCE (depth), "bits", 0, ALWAYS,
    "Significant bits of a sample" },
  { "range", SCOPE_ANY, TYPE_STRING, gst_cuda_histo_schema_get_source_string, SOURCE (range), "", 0, ALWAYS,
    "Nominal range as in the caps: `full`, `limited` or `unknown`" },
  { "colorimetry", SCOPE_VIDEO, TYPE_STRING, gst_cuda_histo_schema_get_source_colorimetry, SOURCE (colorimetry), "", 0, KNOWN,
    "Range, matrix, transfer function and primaries as in the caps, or GStreamer's defaults; 0: unknown" },
  { "framerate", SCOPE_VIDEO, TYPE_FRACTION, gst_cuda_histo_schema_get_source_framerate, 0, "frames/s", 0, "fixed in the caps",
    "Frames per second as in the caps" },
  { "timestamp", SCOPE_ANY, TYPE_TIME, gst_cuda_histo_schema_get_span_uint64, SPAN (timestamp), "", 0, ALWAYS,
    "Timestamp of the window's first buffer" },
  { "stream-time", SCOPE_ANY, TYPE_TIME, gst_cuda_histo_schema_get_span_uint64, SPAN (stream_time), "", 0, ALWAYS,
    "`timestamp` in stream time" },
  { "running-time", SCOPE_ANY, TYPE_TIME, gst_cuda_histo_schema_get_span_uint64, SPAN (running_time), "", 0, ALWAYS,
    "`timestamp` in running time" },
  { "duration", SCOPE_ANY, TYPE_TIME, gst_cuda_histo_schema_get_span_uint64, SPAN (duration), "", 0, ALWAYS,
    "From `timestamp` to the end of the window's last buffer. Unknown if time goes back, as at a negative rate" },
  { "utc-time", SCOPE_ANY, TYPE_STRING, gst_cuda_histo_schema_get_origin_utc_time, 0, "", 0, ALWAYS,
    "Arrival of the window's first buffer (RFC 3339, UTC), by the pipeline clock if it is a wall clock, otherwise by the "
    "system clock" },
  { "timecode", SCOPE_VIDEO, TYPE_STRING, gst_cuda_histo_schema_get_origin_timecode, 0, "", 0, "GstVideoTimeCodeMeta",
    "Time code of the window's first frame: `hh:mm:ss:ff`, or `hh:mm:ss;ff` if drop-frame" },
  { "reference-time", SCOPE_ANY, TYPE_UINT64, gst_cuda_histo_schema_get_origin_reference_time, 0, "ns", 0,
    "GstReferenceTimestampMeta", "Capture time of the window's first buffer, by another clock" },
  { "reference-clock", SCOPE_ANY, TYPE_STRING, gst_cuda_histo_schema_get_origin_reference_clock, 0, "", 0,
    "GstReferenceTimestampMeta", "That clock, for example `timestamp/x-ntp` (epoch 1900)" },
  { "reference-offset", SCOPE_VIDEO, TYPE_INT64, gst_cuda_histo_schema_get_reference_offset, 0, "ns", 0,
    COUNTERPART "; `reference-mode=in-step`", "Stream time of a frame minus that of its counterpart in the reference" },
  { "ended-by", SCOPE_ANY, TYPE_STRING, gst_cuda_histo_schema_get_span_ended_by, 0, "", 0, ALWAYS,
    "[Why the window ended](#why-a-window-ended)" },

  { "saturation-min", SCOPE_SATURATION, TYPE_UINT, gst_cuda_histo_schema_get_colour_uint, COLOURS (saturation_min), "",
    GST_CUDA_HISTO_STATISTICS_SATURATION, CHROMA, "Smallest saturation: distance from grey in the UV plane" },
  { "saturation-low", SCOPE_SATURATION, TYPE_UINT, gst_cuda_histo_schema_get_colour_uint, COLOURS (saturation_low), "",
    GST_CUDA_HISTO_STATISTICS_SATURATION, CHROMA, "10th percentile" },
  { "saturation-mean", SCOPE_SATURATION, TYPE_DOUBLE, gst_cuda_histo_schema_get_colour_double, COLOURS (saturation_mean), "",
    GST_CUDA_HISTO_STATISTICS_SATURATION, CHROMA, "Mean" },
  { "saturation-high", SCOPE_SATURATION, TYPE_UINT, gst_cuda_histo_schema_get_colour_uint, COLOURS (saturation_high), "",
    GST_CUDA_HISTO_STATISTICS_SATURATION, CHROMA, "90th percentile" },
  { "saturation-max", SCOPE_SATURATION, TYPE_UINT, gst_cuda_histo_schema_get_colour_uint, COLOURS (saturation_max), "",
    GST_CUDA_HISTO_STATISTICS_SATURATION, CHROMA, "Largest saturation" },
  { "saturation-histogram", SCOPE_SATURATION, TYPE_COUNTERS, gst_cuda_histo_schema_get_colour_counters, 0, "",
    GST_CUDA_HISTO_STATISTICS_SATURATION, CHROMA "; " ARRAYS, "Samples of each saturation: a bin for each possible value" },
  { "hue-median", SCOPE_HUE, TYPE_UINT, gst_cuda_histo_schema_get_colour_uint, COLOURS (hue_median), "degrees",
    GST_CUDA_HISTO_STATISTICS_HUE, CHROMA, "Median hue, 0 to 359: angle in the UV plane" },
  { "hue-mean", SCOPE_HUE, TYPE_DOUBLE, gst_cuda_histo_schema_get_colour_double, COLOURS (hue_mean), "degrees",
    GST_CUDA_HISTO_STATISTICS_HUE, CHROMA, "Arithmetic mean of the hues, although hue is circular" },
  { "hue-histogram", SCOPE_HUE, TYPE_COUNTERS, gst_cuda_histo_schema_get_colour_counters, 0, "", GST_CUDA_HISTO_STATISTICS_HUE,
    CHROMA "; " ARRAYS, "Samples of each hue: 360 bins" },
  { "outliers", SCOPE_PICTURE, TYPE_DOUBLE, gst_cuda_histo_schema_get_picture_fraction, PICTURE (outliers), "fraction",
    GST_CUDA_HISTO_STATISTICS_OUTLIERS, LUMA, "Luma samples that differ from those above and below" },
  { "outliers-count", SCOPE_PICTURE, TYPE_UINT64, gst_cuda_histo_schema_get_picture_uint64, PICTURE (outliers), "",
    GST_CUDA_HISTO_STATISTICS_OUTLIERS, LUMA, "Number of these samples" },
  { "repeats", SCOPE_PICTURE, TYPE_DOUBLE, gst_cuda_histo_schema_get_picture_fraction, PICTURE (repeats), "fraction",
    GST_CUDA_HISTO_STATISTICS_REPEATS, LUMA, "Luma samples of rows that repeat the fourth row above" },
  { "repeats-count", SCOPE_PICTURE, TYPE_UINT64, gst_cuda_histo_schema_get_picture_uint64, PICTURE (repeats), "",
    GST_CUDA_HISTO_STATISTICS_REPEATS, LUMA, "Number of these samples" },
  { "out-of-range", SCOPE_PICTURE, TYPE_DOUBLE, gst_cuda_histo_schema_get_picture_fraction, PICTURE (out_of_range), "fraction",
    GST_CUDA_HISTO_STATISTICS_BROADCAST_RANGE, CHROMA, "Luma samples outside the broadcast range, or with chroma outside it" },
  { "out-of-range-count", SCOPE_PICTURE, TYPE_UINT64, gst_cuda_histo_schema_get_picture_uint64, PICTURE (out_of_range), "",
    GST_CUDA_HISTO_STATISTICS_BROADCAST_RANGE, CHROMA, "Number of these samples" },
  { "out-of-gamut", SCOPE_PICTURE, TYPE_DOUBLE, gst_cuda_histo_schema_get_picture_fraction, PICTURE (gamut_errors), "fraction",
    GST_CUDA_HISTO_STATISTICS_GAMUT, COLOURED,
    "Luma samples outside the preferred range of EBU R103, or with R, G or B outside it" },
  { "out-of-gamut-count", SCOPE_PICTURE, TYPE_UINT64, gst_cuda_histo_schema_get_picture_uint64, PICTURE (gamut_errors), "",
    GST_CUDA_HISTO_STATISTICS_GAMUT, COLOURED, "Number of these samples" },
  { "metered-luma", SCOPE_PICTURE, TYPE_DOUBLE, gst_cuda_histo_schema_get_metered_luma, 0, "", 0, METERED,
    "Weighted mean of luma: `metered-luma-sum` / `metered-luma-weights`" },
  { "metered-luma-sum", SCOPE_PICTURE, TYPE_WIDE, gst_cuda_histo_schema_get_metered_sum, 0, "", 0, METERED,
    "Sum of the luma samples, each times its weight" },
  { "metered-luma-weights", SCOPE_PICTURE, TYPE_UINT64, gst_cuda_histo_schema_get_metered_weights, 0, "", 0, METERED,
    "Sum of the weights" },
  { "active-picture", SCOPE_PICTURE, TYPE_RECTANGLE, gst_cuda_histo_schema_get_active_picture, 0, "pixels",
    GST_CUDA_HISTO_STATISTICS_ACTIVE_PICTURE, "no row or column weights",
    "Smallest rectangle with only black rows and columns outside, in all frames. All 0 if there is none" },
  { "active-extent", SCOPE_PICTURE, TYPE_RECTANGLE, gst_cuda_histo_schema_get_active_extent, 0, "pixels",
    GST_CUDA_HISTO_STATISTICS_ACTIVE_PICTURE, "no row or column weights",
    "Columns (`x`, `width`) and rows (`y`, `height`) that are not black. Differs from `active-picture` if all rows or all "
    "columns are black but not both, as with a single white row" },
  { "vectorscope", SCOPE_PICTURE, TYPE_TABLE, gst_cuda_histo_schema_get_vectorscope, 0, "",
    GST_CUDA_HISTO_STATISTICS_VECTORSCOPE, CHROMA "; " ARRAYS, "Row V, column U: samples with these upper 8 bits" },

  { "x", SCOPE_REGION, TYPE_UINT, gst_cuda_histo_schema_get_region_uint, REGION (x), "pixels", 0, ALWAYS,
    "Left edge in the visible picture" },
  { "y", SCOPE_REGION, TYPE_UINT, gst_cuda_histo_schema_get_region_uint, REGION (y), "pixels", 0, ALWAYS, "Top edge" },
  { "width", SCOPE_REGION, TYPE_UINT, gst_cuda_histo_schema_get_region_uint, REGION (width), "pixels", 0, ALWAYS,
    "Width of the part inside the picture" },
  { "height", SCOPE_REGION, TYPE_UINT, gst_cuda_histo_schema_get_region_uint, REGION (height), "pixels", 0, ALWAYS,
    "Height of the part inside the picture" },
  { "id", SCOPE_REGION, TYPE_INT, gst_cuda_histo_schema_get_region_id, REGION (id), "", 0, OF_META, "Id of the meta" },
  { "parent-id", SCOPE_REGION, TYPE_INT, gst_cuda_histo_schema_get_region_parent, REGION (parent_id), "", 0,
    "ROI; OD that is part of another", "Its parent's id" },
  { "type", SCOPE_REGION, TYPE_STRING, gst_cuda_histo_schema_get_region_type, 0, "", 0, OF_META " with a type", "Object type" },
  { "confidence", SCOPE_REGION, TYPE_DOUBLE, gst_cuda_histo_schema_get_region_confidence, 0, "", 0, "OD",
    "Confidence of the detector, 0 to 1, in the window's first frame" },

  { "count", SCOPE_COMPONENT, TYPE_UINT64, gst_cuda_histo_schema_get_stats_uint64, STATS (count), "", 0, ALWAYS,
    "Number of samples" },
  { "sum", SCOPE_COMPONENT, TYPE_UINT64, gst_cuda_histo_schema_get_stats_uint64, STATS (sum), "", BASIC, ALWAYS,
    "Sum of the samples" },
  { "sum-of-squares", SCOPE_COMPONENT, TYPE_WIDE, gst_cuda_histo_schema_get_stats_wide, STATS (sum_of_squares), "", BASIC,
    ALWAYS, "Sum of the squared samples" },
  { "mean", SCOPE_COMPONENT, TYPE_DOUBLE, gst_cuda_histo_schema_get_summary_double, SUMMARY (mean), "", BASIC, ALWAYS,
    "`sum` / `count`" },
  { "variance", SCOPE_COMPONENT, TYPE_DOUBLE, gst_cuda_histo_schema_get_summary_double, SUMMARY (variance), "", BASIC, ALWAYS,
    "Population variance" },
  { "stddev", SCOPE_COMPONENT, TYPE_DOUBLE, gst_cuda_histo_schema_get_summary_double, SUMMARY (stddev), "", BASIC, ALWAYS,
    "Square root of `variance`" },
  { "min", SCOPE_COMPONENT, TYPE_UINT, gst_cuda_histo_schema_get_summary_uint, SUMMARY (min), "", BASIC, ALWAYS,
    "Smallest value" },
  { "max", SCOPE_COMPONENT, TYPE_UINT, gst_cuda_histo_schema_get_summary_uint, SUMMARY (max), "", BASIC, ALWAYS,
    "Largest value" },
  { "low", SCOPE_COMPONENT, TYPE_UINT, gst_cuda_histo_schema_get_summary_uint, SUMMARY (low), "", BASIC, ALWAYS,
    "10th percentile" },
  { "median", SCOPE_COMPONENT, TYPE_UINT, gst_cuda_histo_schema_get_summary_uint, SUMMARY (median), "", BASIC, ALWAYS,
    "50th percentile" },
  { "high", SCOPE_COMPONENT, TYPE_UINT, gst_cuda_histo_schema_get_summary_uint, SUMMARY (high), "", BASIC, ALWAYS,
    "90th percentile" },
  { "dot", SCOPE_COMPONENT, TYPE_WIDE, gst_cuda_histo_schema_get_dot, STATS (dot), "", 0, "`dot=previous`; " OPERAND,
    "Sum of products of the samples at the same place in the frame and the previous one" },
  { "dot-count", SCOPE_COMPONENT, TYPE_UINT64, gst_cuda_histo_schema_get_dot_uint64, STATS (dot_count), "", 0,
    "`dot=previous`; " OPERAND, "Samples with a previous frame" },
  { "difference", SCOPE_COMPONENT, TYPE_DOUBLE, gst_cuda_histo_schema_get_difference, 0, "",
    GST_CUDA_HISTO_DIFFERENCE_STATISTICS, OPERAND,
    "Mean absolute difference from the previous frame: `sad` / `difference-count`" },
  { "difference-count", SCOPE_COMPONENT, TYPE_UINT64, gst_cuda_histo_schema_get_difference_uint64, STATS (difference_count), "",
    GST_CUDA_HISTO_DIFFERENCE_STATISTICS, OPERAND, "Samples compared: `count`, or fewer if a frame has no previous frame" },
  { "sad", SCOPE_COMPONENT, TYPE_UINT64, gst_cuda_histo_schema_get_difference_uint64, STATS (absolute_difference), "",
    GST_CUDA_HISTO_DIFFERENCE_STATISTICS, OPERAND, "Sum of the absolute differences" },
  { "ssd", SCOPE_COMPONENT, TYPE_WIDE, gst_cuda_histo_schema_get_ssd, 0, "", COMPARISON, OPERAND,
    "Sum of the squared differences" },
  { "mse", SCOPE_COMPONENT, TYPE_DOUBLE, gst_cuda_histo_schema_get_mse, 0, "", COMPARISON, OPERAND,
    "Mean squared error: `ssd` / `difference-count`" },
  { "psnr", SCOPE_COMPONENT, TYPE_DOUBLE, gst_cuda_histo_schema_get_psnr, 0, "dB", COMPARISON, OPERAND,
    "Peak signal-to-noise ratio: 10 log10 ((2^depth - 1)² / `mse`). Infinite (JSON: null) if nothing differs" },
  { "histogram-distance", SCOPE_COMPONENT, TYPE_DOUBLE, gst_cuda_histo_schema_get_distance, 0, "fraction", COMPARISON, OPERAND,
    "Samples that must change to turn the previous histogram into this one: 0 if equal, 1 if no value is common" },
  { "histogram-distance-moved", SCOPE_COMPONENT, TYPE_UINT64, gst_cuda_histo_schema_get_distance_uint64, DISTANCE (moved), "",
    COMPARISON, OPERAND, "Number of these samples" },
  { "histogram-distance-count", SCOPE_COMPONENT, TYPE_UINT64, gst_cuda_histo_schema_get_distance_uint64, DISTANCE (count), "",
    COMPARISON, OPERAND, "Samples compared" },
  { "reference-difference", SCOPE_REFERENCE, TYPE_DOUBLE, gst_cuda_histo_schema_get_difference, 0, "", 0, COUNTERPART,
    "Mean absolute difference from the reference" },
  { "reference-difference-count", SCOPE_REFERENCE, TYPE_UINT64, gst_cuda_histo_schema_get_difference_uint64,
    STATS (difference_count), "", 0, COUNTERPART, "Samples compared: `count`, or fewer if the reference lacks a frame" },
  { "reference-sad", SCOPE_REFERENCE, TYPE_UINT64, gst_cuda_histo_schema_get_difference_uint64, STATS (absolute_difference), "",
    0, COUNTERPART, "Sum of the absolute differences" },
  { "reference-ssd", SCOPE_REFERENCE, TYPE_WIDE, gst_cuda_histo_schema_get_ssd, 0, "", 0, COUNTERPART,
    "Sum of the squared differences" },
  { "reference-mse", SCOPE_REFERENCE, TYPE_DOUBLE, gst_cuda_histo_schema_get_mse, 0, "", 0, COUNTERPART, "Mean squared error" },
  { "reference-psnr", SCOPE_REFERENCE, TYPE_DOUBLE, gst_cuda_histo_schema_get_psnr, 0, "dB", 0, COUNTERPART, "As `psnr`" },
  { "reference-histogram-distance", SCOPE_REFERENCE, TYPE_DOUBLE, gst_cuda_histo_schema_get_distance, 0, "fraction", 0,
    COUNTERPART, "As `histogram-distance`" },
  { "reference-histogram-distance-moved", SCOPE_REFERENCE, TYPE_UINT64, gst_cuda_histo_schema_get_distance_uint64,
    DISTANCE (moved), "", 0, COUNTERPART, "As `histogram-distance-moved`" },
  { "reference-histogram-distance-count", SCOPE_REFERENCE, TYPE_UINT64, gst_cuda_histo_schema_get_distance_uint64,
    DISTANCE (count), "", 0, COUNTERPART, "As `histogram-distance-count`" },
  { "used-bits", SCOPE_COMPONENT, TYPE_UINT, gst_cuda_histo_schema_get_summary_uint, SUMMARY (used_bits), "bits",
    GST_CUDA_HISTO_STATISTICS_USED_BITS, ALWAYS, "Number of bits that are 1 in any sample" },
  { "used-mask", SCOPE_COMPONENT, TYPE_UINT, gst_cuda_histo_schema_get_used_mask, 0, "", GST_CUDA_HISTO_STATISTICS_USED_BITS,
    ALWAYS, "These bits: bitwise OR of all samples" },
  { "histogram", SCOPE_COMPONENT, TYPE_HISTOGRAM, gst_cuda_histo_schema_get_histogram, 0, "", BASIC, ARRAYS,
    "Samples of each value, from 0. Above 8 bits: of each value of the upper 8 bits, unless `bins=native`" },
  { "row-sums", SCOPE_COMPONENT, TYPE_SUMS, gst_cuda_histo_schema_get_row_sums, 0, "", GST_CUDA_HISTO_STATISTICS_ROW_SUMS,
    ARRAYS, "For each row, from the top: sum of its samples, each times the weight of its column" },
  { "column-sums", SCOPE_COMPONENT, TYPE_SUMS, gst_cuda_histo_schema_get_column_sums, 0, "",
    GST_CUDA_HISTO_STATISTICS_COLUMN_SUMS, ARRAYS,
    "For each column, from the left: sum of its samples, each times the weight of its row" },
  { "waveform", SCOPE_COMPONENT, TYPE_TABLE, gst_cuda_histo_schema_get_waveform, 0, "", GST_CUDA_HISTO_STATISTICS_WAVEFORM,
    ARRAYS, "For each column of the waveform, from the left: 256 bins of the samples' upper 8 bits" },
};

#define N_FIELDS G_N_ELEMENTS (gst_cuda_histo_schema_fields)

const guint gst_cuda_histo_schema_n_fields = N_FIELDS;

const GstCudaHistoSchemaComponent gst_cuda_histo_schema_components[] = {
  { "Y", "luma" },
  { "U", "blue difference (Cb)" },
  { "V", "red difference (Cr)" },
  { "R", "red" },
  { "G", "green" },
  { "B", "blue" },
  { "A", "alpha" },
  { "GRAY", "grey (GRAY8)" },
  { "byte", "bytes of any other stream" },
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

/* Whether the carrier has fields of this type. The getter of a histogram decides itself. */
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

/* Adds up bins into HISTO_BINS ranges of values. All zeros if there are none. */
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

/* The histograms of sixteen regions are as large as an array, and carried as arrays are. */
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

/* Returns the numbers of component `index` compared with the reference; NULL: none. */
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

/* Made once: a result has about fifty names, and there may be hundreds of results a second. */
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
