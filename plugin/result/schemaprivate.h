/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The schema's table, and declarations shared by the files that write a carrier each. */

#ifndef GST_CUDA_HISTO_SCHEMAPRIVATE_H
#define GST_CUDA_HISTO_SCHEMAPRIVATE_H

#include "result/schema.h"

G_BEGIN_DECLS

typedef enum {
  SCOPE_ANY,        /* provenance of every result */
  SCOPE_VIDEO,      /* provenance of frames */
  SCOPE_BYTES,      /* provenance of a byte stream */
  SCOPE_PICTURE,    /* the numbers of pictures */
  SCOPE_SATURATION, /* numbers of saturation: a separate object in JSON */
  SCOPE_HUE,        /* numbers of hue: likewise */
  SCOPE_REGION,     /* position of a region: once for each */
  SCOPE_COMPONENT,  /* once for each component */
  SCOPE_REFERENCE   /* once for each component, compared with a reference: a separate object in JSON */
} GstCudaHistoScope;

typedef enum {
  TYPE_STRING,
  TYPE_INT,
  TYPE_INT64,
  TYPE_UINT,
  TYPE_UINT64,
  /* An integer of 128 bits. JSON has all of it, a structure only if it fits in a guint64. The getter's value is a
   * G_TYPE_POINTER to two words of the result, the low one first. */
  TYPE_WIDE,
  TYPE_TIME,
  TYPE_DOUBLE,
  TYPE_FRACTION,
  TYPE_RECTANGLE,
  TYPE_HISTOGRAM,
  /* Optional arrays. The getter's value is a GBytes of the numbers in the machine's byte order. They belong to the result. */
  TYPE_TABLE,   /* guint64, in rows of HISTO_BINS */
  TYPE_SUMS,    /* gint64 */
  TYPE_COUNTERS /* guint64. Lines have them if they have histograms, structures if they have arrays */
} GstCudaHistoFieldType;

/* Input of the fields' getters. */
typedef struct {
  const GstCudaHistoWindowResult *result;
  const GstCudaHistoRegion *region;           /* region of the numbers below; NULL: the picture */
  const struct histo_picture_stats *picture;  /* NULL: no numbers of pictures */
  const struct histo_colour_summary *colours; /* NULL: no numbers of colours */
  const struct histo_component_stats *stats;  /* only in SCOPE_COMPONENT */
  const struct histo_summary *summary;        /* only in SCOPE_COMPONENT; NULL: nothing was counted */
  const GstCudaHistoDistance *distance;       /* only in SCOPE_COMPONENT; NULL: no histograms were compared */
  /* Only in SCOPE_REFERENCE; NULL: not compared with a reference. */
  const struct histo_component_stats *reference;
  const GstCudaHistoDistance *reference_distance;
  GstCudaHistoMessageBins bins;     /* form of histograms in the carrier */
  GstCudaHistoMessageArrays arrays; /* form of arrays in the carrier */
  gboolean has_counters;            /* the carrier has TYPE_COUNTERS */
  uint64_t folded[HISTO_BINS];      /* only in SCOPE_COMPONENT: a histogram reduced to HISTO_BINS */
} GstCudaHistoReading;

typedef struct _GstCudaHistoField GstCudaHistoField;
struct _GstCudaHistoField {
  const gchar *name;
  GstCudaHistoScope scope;
  GstCudaHistoFieldType type;
  /* FALSE: absent; *value is unset. */
  gboolean (*get) (const GstCudaHistoField *field, const GstCudaHistoReading *reading, GValue *value);
  gsize offset; /* of the getter's input, in the structure that the getter is named after */
  const gchar *unit;
  guint32 statistics; /* the GstCudaHistoStatistics that enable it; 0: always present */
  const gchar *condition, *meaning;
};

/* Condition of a field that each result in its scope has. */
#define ALWAYS "always"

/* Components of all sources. */
typedef struct {
  const gchar *name, *meaning;
} GstCudaHistoSchemaComponent;

extern const GstCudaHistoField gst_cuda_histo_schema_fields[];
extern const guint gst_cuda_histo_schema_n_fields;
extern const GstCudaHistoSchemaComponent gst_cuda_histo_schema_components[];
extern const guint gst_cuda_histo_schema_n_components;

/* Gets the field's value. FALSE: the result does not have it; *value is unset. */
gboolean gst_cuda_histo_schema_get_value (const GstCudaHistoField *field, const GstCudaHistoReading *reading, GValue *value);

/* Whether the field is an optional array; its numbers. */
gboolean gst_cuda_histo_schema_is_array (const GstCudaHistoField *field);
gconstpointer gst_cuda_histo_schema_get_numbers (const GValue *value, gsize *n_numbers);

/* Whether the requested statistics include the field. */
gboolean gst_cuda_histo_schema_is_asked_for (const GstCudaHistoField *field, const GstCudaHistoReading *reading);

/* Whether results of this source have the field, once and not for each component. */
gboolean gst_cuda_histo_schema_is_provenance_of (const GstCudaHistoField *field, const GstCudaHistoSource *source);

/* Whether the field is a number of pictures. */
gboolean gst_cuda_histo_schema_is_of_pictures (const GstCudaHistoField *field);

/* Whether there is a field for each component. */
gboolean gst_cuda_histo_schema_is_of_components (const GstCudaHistoField *field);

/* Returns the getters' input for a result, without components. It points to `colours`, which the caller owns. */
GstCudaHistoReading gst_cuda_histo_schema_make_reading (const GstCudaHistoWindowResult *result, GstCudaHistoMessageBins bins,
                                                        GstCudaHistoMessageArrays arrays, gboolean has_counters,
                                                        struct histo_colour_summary *colours);

/* Returns the number of regions in the result. */
guint gst_cuda_histo_schema_get_region_count (const GstCudaHistoWindowResult *result);

/* Returns the getters' input for region `index`, without components. It points to `region` and `colours`, which the caller
 * owns. `reading` is that of the whole result. */
GstCudaHistoReading gst_cuda_histo_schema_make_region_reading (const GstCudaHistoReading *reading, guint index,
                                                               GstCudaHistoWindowResult *region,
                                                               struct histo_colour_summary *colours);

/* Sets the getters' input for component `index`. It points to `summary`, which the caller owns. */
void gst_cuda_histo_schema_init_component_reading (GstCudaHistoReading *reading, guint index, struct histo_summary *summary);

/* Returns the bins to report, *bins of them. */
const uint64_t *gst_cuda_histo_schema_get_counters (const GstCudaHistoReading *reading, guint *bins);

/* Packs 64-bit integers, signed or unsigned, into `value`: a GBytes in little-endian order, padded with up to two zeros to a
 * multiple of 3 bytes. */
void gst_cuda_histo_schema_pack_numbers (gconstpointer data, gsize n_numbers, GValue *value);

/* Returns "Y-mean" and the like for each field, in the table's order. Static. */
const gchar *const *gst_cuda_histo_schema_get_component_field_names (const gchar *component);

G_END_DECLS

#endif
