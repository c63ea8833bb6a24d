/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Declarations shared by the getters and by the files that each write a carrier. */

#pragma once

#include "fields/fields.h"
#include "result/schema.h"

/* Input of the fields' getters. */
typedef struct {
  const GstCudaHistoWindowResult *result;
  const GstCudaHistoRegion *region;           /* region of the numbers below; NULL: the picture */
  const struct histo_picture_stats *picture;  /* NULL: no numbers of pictures */
  const struct histo_colour_summary *colours; /* NULL: no numbers of colours */
  const struct histo_light_summary *light;    /* NULL: no light */
  const struct histo_component_stats *stats;  /* only in FIELD_SCOPE_COMPONENT */
  const struct histo_summary *summary;        /* only in FIELD_SCOPE_COMPONENT; NULL: nothing was counted */
  const GstCudaHistoDistance *distance;       /* only in FIELD_SCOPE_COMPONENT; NULL: no histograms were compared */
  /* Only in FIELD_SCOPE_REFERENCE; NULL: not compared with a reference. */
  const struct histo_component_stats *reference;
  const GstCudaHistoDistance *reference_distance;
  gboolean is_luma;            /* only in FIELD_SCOPE_COMPONENT: the component is derived */
  GstCudaHistoForm histograms; /* of components' histograms in the carrier */
  GstCudaHistoForm counters;   /* of those of saturation, hue and light: FIELD_TYPE_COUNTERS */
  GstCudaHistoForm arrays;     /* of other arrays in the carrier */
  uint64_t folded[HISTO_BINS]; /* only in FIELD_SCOPE_COMPONENT: a histogram reduced to HISTO_BINS */
} GstCudaHistoReading;

/* Summaries of a picture, to which a reading points. */
typedef struct {
  struct histo_colour_summary colours;
  struct histo_light_summary light;
} GstCudaHistoSummaries;

/* Components of all sources. */
typedef struct {
  const gchar *name, *meaning;
} GstCudaHistoSchemaComponent;

extern const GstCudaHistoSchemaComponent gst_cuda_histo_schema_components[];
extern const guint gst_cuda_histo_schema_n_components;

/* Gets the field's value. FALSE: the result does not have it; *value is unset. */
gboolean gst_cuda_histo_schema_get_value (const FieldDescription *field, const GstCudaHistoReading *reading, GValue *value);

/* Return whether the field is an optional array, and the numbers of its value. */
gboolean gst_cuda_histo_schema_is_array (const FieldDescription *field);
gconstpointer gst_cuda_histo_schema_get_numbers (const GValue *value, gsize *n_numbers);

/* Whether the requested statistics include the field. */
gboolean gst_cuda_histo_schema_is_requested (const FieldDescription *field, const GstCudaHistoReading *reading);

/* Whether the field is provenance that results of this source have. */
gboolean gst_cuda_histo_schema_is_provenance_of (const FieldDescription *field, const GstCudaHistoSource *source);

/* Returns the getters' input for a result, without components. It points to `summaries`, which the caller owns. */
GstCudaHistoReading gst_cuda_histo_schema_make_reading (const GstCudaHistoWindowResult *result, GstCudaHistoForm histograms,
                                                        GstCudaHistoForm counters, GstCudaHistoForm arrays,
                                                        GstCudaHistoSummaries *summaries);

/* Returns the number of regions in the result. */
guint gst_cuda_histo_schema_get_region_count (const GstCudaHistoWindowResult *result);

/* Returns the getters' input for region `index`, without components. It points to `region` and `summaries`, which the
 * caller owns. `reading` is that of the whole result. */
GstCudaHistoReading gst_cuda_histo_schema_make_region_reading (const GstCudaHistoReading *reading, guint index,
                                                               GstCudaHistoWindowResult *region,
                                                               GstCudaHistoSummaries *summaries);

/* Lists the components to report: those of the format, then luma. Returns their number. */
guint gst_cuda_histo_schema_list_components (const GstCudaHistoSource *source, guint indices[HISTO_MAX_COUNTED]);

/* Sets the getters' input for component `index`. It points to `summary`, which the caller owns. */
void gst_cuda_histo_schema_init_component_reading (GstCudaHistoReading *reading, guint index, struct histo_summary *summary);

/* Returns the bins to report, and their number in *bins. */
const uint64_t *gst_cuda_histo_schema_get_counters (const GstCudaHistoReading *reading, guint *bins);

/* Packs 64-bit integers, signed or unsigned, into `value`: a GBytes in little-endian order, padded with up to two zeros to a
 * multiple of 3 bytes. */
void gst_cuda_histo_schema_pack_numbers (gconstpointer data, gsize n_numbers, GValue *value);

/* Returns the names of the component's fields ("Y-mean"), indexed by FieldId. Static. */
const gchar *const *gst_cuda_histo_schema_get_component_field_names (const gchar *component);
