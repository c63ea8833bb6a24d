/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The schema from within: its table, and what the files that walk it share, one for each carrier. */

#ifndef GST_CUDA_HISTO_SCHEMAPRIVATE_H
#define GST_CUDA_HISTO_SCHEMAPRIVATE_H

#include "result/schema.h"

G_BEGIN_DECLS

typedef enum {
  SCOPE_ANY,        /* provenance of every result */
  SCOPE_VIDEO,      /* provenance of frames */
  SCOPE_BYTES,      /* provenance of a byte stream */
  SCOPE_PICTURE,    /* the numbers of pictures */
  SCOPE_SATURATION, /* those of the colours' saturation: an object of their own in JSON */
  SCOPE_HUE,        /* and of their hue */
  SCOPE_REGION,     /* where a region is: once for each */
  SCOPE_COMPONENT,  /* once for each component */
  SCOPE_REFERENCE   /* once for each component, compared with a reference: an object of their own in JSON */
} GstCudaHistoScope;

typedef enum {
  TYPE_STRING,
  TYPE_INT,
  TYPE_INT64,
  TYPE_UINT,
  TYPE_UINT64,
  /* An integer of 128 bits, which JSON has whole, and a structure where it fits in a guint64. The getter's value is a
   * G_TYPE_POINTER to two words of the result, of which the low one is first. */
  TYPE_WIDE,
  TYPE_TIME,
  TYPE_DOUBLE,
  TYPE_FRACTION,
  TYPE_RECTANGLE,
  TYPE_HISTOGRAM,
  /* Arrays that carriers have on request alone. The getter's value is a GBytes of the numbers in the machine's byte order,
   * which are those of the result and live as long. */
  TYPE_TABLE,   /* guint64, in rows of HISTO_BINS */
  TYPE_SUMS,    /* gint64 */
  TYPE_COUNTERS /* guint64. Lines have them with their histograms, structures with their arrays */
} GstCudaHistoFieldType;

/* What the getters of the fields read. */
typedef struct {
  const GstCudaHistoWindowResult *result;
  const GstCudaHistoRegion *region;           /* whose numbers the others are; NULL: the picture's */
  const struct histo_picture_stats *picture;  /* NULL: nothing was counted of pictures */
  const struct histo_colour_summary *colours; /* NULL: nothing was counted of their colours */
  const struct histo_component_stats *stats;  /* SCOPE_COMPONENT alone */
  const struct histo_summary *summary;        /* SCOPE_COMPONENT alone; NULL: nothing was counted */
  const GstCudaHistoDistance *distance;       /* SCOPE_COMPONENT alone; NULL: no histograms were compared */
  /* SCOPE_REFERENCE alone; NULL: nothing was compared with a reference */
  const struct histo_component_stats *reference;
  const GstCudaHistoDistance *reference_distance;
  GstCudaHistoMessageBins bins;     /* how the carrier has the histograms */
  GstCudaHistoMessageArrays arrays; /* and the arrays */
  gboolean has_counters;            /* whether it has those of TYPE_COUNTERS */
  uint64_t folded[HISTO_BINS];      /* SCOPE_COMPONENT alone: of a histogram with more counters */
} GstCudaHistoReading;

typedef struct _GstCudaHistoField GstCudaHistoField;
struct _GstCudaHistoField {
  const gchar *name;
  GstCudaHistoScope scope;
  GstCudaHistoFieldType type;
  /* FALSE, and *value unset: absent. */
  gboolean (*get) (const GstCudaHistoField *field, const GstCudaHistoReading *reading, GValue *value);
  gsize offset; /* where the getter reads, in the structure that it is named after */
  const gchar *unit;
  guint32 statistics; /* those of GstCudaHistoStatistics that it belongs to; 0: it is there whatever is asked for */
  const gchar *condition, *meaning;
};

/* The condition of a field that every result has, as far as its scope goes. */
#define ALWAYS "always"

/* Every component that a source can have. */
typedef struct {
  const gchar *name, *meaning;
} GstCudaHistoSchemaComponent;

extern const GstCudaHistoField gst_cuda_histo_schema_fields[];
extern const guint gst_cuda_histo_schema_n_fields;
extern const GstCudaHistoSchemaComponent gst_cuda_histo_schema_components[];
extern const guint gst_cuda_histo_schema_n_components;

/* Gets the field's value. FALSE, and *value unset: the result does not have it. */
gboolean gst_cuda_histo_schema_get_value (const GstCudaHistoField *field, const GstCudaHistoReading *reading, GValue *value);

/* Whether the field is an array that carriers have on request alone; and its numbers. */
gboolean gst_cuda_histo_schema_is_array (const GstCudaHistoField *field);
gconstpointer gst_cuda_histo_schema_get_numbers (const GValue *value, gsize *n_numbers);

/* Whether the result is asked to have the field. */
gboolean gst_cuda_histo_schema_is_asked_for (const GstCudaHistoField *field, const GstCudaHistoReading *reading);

/* Whether results of this source have the field, once and not for each component. */
gboolean gst_cuda_histo_schema_is_provenance_of (const GstCudaHistoField *field, const GstCudaHistoSource *source);

/* Whether the field is one of the numbers of pictures. */
gboolean gst_cuda_histo_schema_is_of_pictures (const GstCudaHistoField *field);

/* Whether there is one of the field for each component. */
gboolean gst_cuda_histo_schema_is_of_components (const GstCudaHistoField *field);

/* What the getters read of a result, but for what they read of a component. It points to `colours`, which is the caller's. */
GstCudaHistoReading gst_cuda_histo_schema_make_reading (const GstCudaHistoWindowResult *result, GstCudaHistoMessageBins bins,
                                                        GstCudaHistoMessageArrays arrays, gboolean has_counters,
                                                        struct histo_colour_summary *colours);

/* How many regions the result has. */
guint gst_cuda_histo_schema_get_region_count (const GstCudaHistoWindowResult *result);

/* The result of region `index` alone, as one of a picture, and what the getters read of it but for components. The reading
 * points to `region` and `colours`, which are the caller's. `reading` is the whole result's. */
GstCudaHistoReading gst_cuda_histo_schema_make_region_reading (const GstCudaHistoReading *reading, guint index,
                                                               GstCudaHistoWindowResult *region,
                                                               struct histo_colour_summary *colours);

/* Sets what the getters of component `index` read. The reading points to `summary`, which is the caller's. */
void gst_cuda_histo_schema_init_component_reading (GstCudaHistoReading *reading, guint index, struct histo_summary *summary);

/* The counters that are handed out, *bins of them. */
const uint64_t *gst_cuda_histo_schema_get_counters (const GstCudaHistoReading *reading, guint *bins);

/* Packs 64-bit integers, of whatever sign, into `value`: a GBytes of them in little-endian order, and of up to two zeros that
 * make its size a multiple of 3. */
void gst_cuda_histo_schema_pack_numbers (gconstpointer data, gsize n_numbers, GValue *value);

/* "Y-mean" and the like, one for each field, in the order of the table. Static. */
const gchar *const *gst_cuda_histo_schema_get_component_field_names (const gchar *component);

G_END_DECLS

#endif
