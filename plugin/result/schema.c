/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "result/getters.h"

const GstCudaHistoSchemaComponent gst_cuda_histo_schema_components[] = {
  { "Y", "luma" },
  { "U", "blue difference (Cb)" },
  { "V", "red difference (Cr)" },
  { "R", "red" },
  { "G", "green" },
  { "B", "blue" },
  { "A", "alpha" },
  { "GRAY", "grey" },
  { "luma", "luma of R, G and B" },
  { "index", "index of a palette" },
  { "byte", "bytes of any other stream" },
};

#define N_COMPONENTS G_N_ELEMENTS (gst_cuda_histo_schema_components)

const guint gst_cuda_histo_schema_n_components = N_COMPONENTS;

gboolean
gst_cuda_histo_schema_is_requested (const FieldDescription *field, const GstCudaHistoReading *reading)
{
  const guint32 statistics = (guint32)reading->result->statistics;

  if (reading->is_luma && (statistics & STATISTIC_LUMA) != 0 && (field->statistics & STATISTIC_HISTOGRAM) != 0)
    return TRUE;
  return field->statistics == 0 || (statistics & field->statistics) != 0;
}

gboolean
gst_cuda_histo_schema_is_array (const FieldDescription *field)
{
  return field->type == FIELD_TYPE_TABLE || field->type == FIELD_TYPE_SUMS || field->type == FIELD_TYPE_COUNTERS;
}

gconstpointer
gst_cuda_histo_schema_get_numbers (const GValue *value, gsize *n_numbers)
{
  gconstpointer numbers = g_bytes_get_data (g_value_get_boxed (value), n_numbers);

  *n_numbers /= sizeof (guint64);
  return numbers;
}

/* Whether the carrier has fields of this type. For a histogram its getter decides. */
static gboolean
gst_cuda_histo_schema_has_type (const GstCudaHistoReading *reading, FieldType type)
{
  switch (type) {
  case FIELD_TYPE_TABLE:
  case FIELD_TYPE_SUMS:
    return reading->arrays != GST_CUDA_HISTO_FORM_NONE;
  case FIELD_TYPE_COUNTERS:
    return reading->counters != GST_CUDA_HISTO_FORM_NONE;
  default:
    return TRUE;
  }
}

gboolean
gst_cuda_histo_schema_get_value (const FieldDescription *field, const GstCudaHistoReading *reading, GValue *value)
{
  if (!gst_cuda_histo_schema_has_type (reading, field->type))
    return FALSE;
  return gst_cuda_histo_schema_is_requested (field, reading) && gst_cuda_histo_schema_call_getter (field, reading, value);
}

gboolean
gst_cuda_histo_schema_is_provenance_of (const FieldDescription *field, const GstCudaHistoSource *source)
{
  return field->scope == FIELD_SCOPE_RESULT || field->scope == (source->is_video ? FIELD_SCOPE_VIDEO : FIELD_SCOPE_BYTES);
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
gst_cuda_histo_schema_make_reading (const GstCudaHistoWindowResult *result, GstCudaHistoForm histograms,
                                    GstCudaHistoForm counters, GstCudaHistoForm arrays, GstCudaHistoSummaries *summaries)
{
  GstCudaHistoReading reading = {
    .result = result, .histograms = histograms, .counters = counters, .arrays = arrays, .picture = result->stats->picture
  };

  if (histo_summarize_colours (reading.picture, &summaries->colours))
    reading.colours = &summaries->colours;
  if (histo_summarize_light (reading.picture, &summaries->light))
    reading.light = &summaries->light;
  return reading;
}

guint
gst_cuda_histo_schema_get_region_count (const GstCudaHistoWindowResult *result)
{
  return result->parts != NULL ? result->span->regions.count : 0;
}

/* The histograms of sixteen regions are as large as an array, so they are carried like arrays. */
static GstCudaHistoForm
gst_cuda_histo_schema_get_region_form (const GstCudaHistoReading *reading)
{
  return reading->histograms == GST_CUDA_HISTO_FORM_NONE ? GST_CUDA_HISTO_FORM_NONE : reading->arrays;
}

GstCudaHistoReading
gst_cuda_histo_schema_make_region_reading (const GstCudaHistoReading *reading, guint index, GstCudaHistoWindowResult *region,
                                           GstCudaHistoSummaries *summaries)
{
  const GstCudaHistoForm form = gst_cuda_histo_schema_get_region_form (reading);
  GstCudaHistoReading made;

  *region = *reading->result;
  region->stats = &reading->result->parts[GST_CUDA_HISTO_PART_REGION + index];
  region->distances = region->reference_distances = NULL;
  if (region->active_pictures != NULL)
    region->active_pictures += GST_CUDA_HISTO_PART_REGION + index;
  if (region->light_peaks != NULL)
    region->light_peaks += GST_CUDA_HISTO_PART_REGION + index;
  region->metered_luma = NULL;
  made = gst_cuda_histo_schema_make_reading (region, form, form, reading->arrays, summaries);
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

guint
gst_cuda_histo_schema_list_components (const GstCudaHistoSource *source, guint indices[HISTO_MAX_COUNTED])
{
  guint count = 0;

  for (guint i = 0; i < source->n_components; i++) {
    const guint c = (i + source->n_derived) % source->n_components;

    if (source->components[c] != NULL)
      indices[count++] = c;
  }
  return count;
}

void
gst_cuda_histo_schema_init_component_reading (GstCudaHistoReading *reading, guint index, struct histo_summary *summary)
{
  static const struct histo_component_stats nothing;
  const struct histo_stats *stats = reading->result->stats;

  reading->is_luma = index < reading->result->source->n_derived;
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
gst_cuda_histo_schema_make_component_field_name (const gchar *component, const FieldDescription *field)
{
  g_autofree gchar *name = g_strconcat (component, "-", field->name, NULL);

  return g_intern_string (name);
}

/* Made once: a result has about fifty names, and there may be hundreds of results a second. */
const gchar *const *
gst_cuda_histo_schema_get_component_field_names (const gchar *component)
{
  static const gchar *names[N_COMPONENTS][N_FIELDS];
  static gsize is_initialized;

  if (g_once_init_enter (&is_initialized)) {
    for (guint c = 0; c < N_COMPONENTS; c++)
      for (FieldId id = 1; id < N_FIELDS; id++)
        names[c][id] = gst_cuda_histo_schema_make_component_field_name (gst_cuda_histo_schema_components[c].name,
                                                                        &field_descriptions[id]);
    g_once_init_leave (&is_initialized, 1);
  }
  for (guint c = 0; c < N_COMPONENTS; c++) {
    if (strcmp (gst_cuda_histo_schema_components[c].name, component) == 0)
      return names[c];
  }
  g_return_val_if_reached (names[0]);
}
