/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Getters, which read the fields that have no formula from a result. */

#ifndef GST_CUDA_HISTO_GETTERS_H
#define GST_CUDA_HISTO_GETTERS_H

#include "result/schemaprivate.h"

G_BEGIN_DECLS

typedef struct _GstCudaHistoGetter GstCudaHistoGetter;
struct _GstCudaHistoGetter {
  const FieldDescription *field;
  /* Returns FALSE, with *value unset, if the field is absent. A FIELD_TYPE_WIDE is a G_TYPE_POINTER to two words of the
   * result, low word first. An array is a GBytes of numbers in machine byte order, which the result owns. */
  gboolean (*get) (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading, GValue *value);
  gsize offset; /* of the value, in the structure after which the getter is named */
};

/* Indexed by FieldId. `get` is NULL if the field has a formula. */
extern const GstCudaHistoGetter gst_cuda_histo_schema_getters[N_FIELDS];

/* Gets the field's value even if it was not requested. Returns FALSE, with *value unset, if the field is absent. */
gboolean gst_cuda_histo_schema_call_getter (const FieldDescription *field, const GstCudaHistoReading *reading, GValue *value);

/* Set the value of a getter. `numbers` of a rectangle: x, y, width, height. The last two copy nothing. The last one returns
 * FALSE, with *value unset, if `numbers` is NULL. */
void gst_cuda_histo_schema_set_rectangle (const guint numbers[4], GValue *value);
void gst_cuda_histo_schema_lend_wide (const uint64_t *low, GValue *value);
gboolean gst_cuda_histo_schema_lend_numbers (gconstpointer numbers, gsize size, GValue *value);

/* getresult.c */
gboolean gst_cuda_histo_schema_get_result_string (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading,
                                                  GValue *value);
gboolean gst_cuda_histo_schema_get_input (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading, GValue *value);
gboolean gst_cuda_histo_schema_get_source_string (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading,
                                                  GValue *value);
gboolean gst_cuda_histo_schema_get_source_colorimetry (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading,
                                                       GValue *value);
gboolean gst_cuda_histo_schema_get_source_framerate (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading,
                                                     GValue *value);
gboolean gst_cuda_histo_schema_get_source_uint (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading,
                                                GValue *value);
gboolean gst_cuda_histo_schema_get_span_uint64 (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading,
                                                GValue *value);
gboolean gst_cuda_histo_schema_get_span_damage (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading,
                                                GValue *value);
gboolean gst_cuda_histo_schema_get_span_field (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading,
                                               GValue *value);
gboolean gst_cuda_histo_schema_get_span_ended_by (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading,
                                                  GValue *value);
gboolean gst_cuda_histo_schema_get_reference_offset (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading,
                                                     GValue *value);
gboolean gst_cuda_histo_schema_get_origin_utc_time (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading,
                                                    GValue *value);
gboolean gst_cuda_histo_schema_get_origin_timecode (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading,
                                                    GValue *value);
gboolean gst_cuda_histo_schema_get_origin_reference_time (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading,
                                                          GValue *value);
gboolean gst_cuda_histo_schema_get_origin_reference_clock (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading,
                                                           GValue *value);
gboolean gst_cuda_histo_schema_get_origin_crop (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading,
                                                GValue *value);

/* getcomponent.c */
gboolean gst_cuda_histo_schema_get_stats_uint64 (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading,
                                                 GValue *value);
gboolean gst_cuda_histo_schema_get_stats_wide (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading,
                                               GValue *value);
gboolean gst_cuda_histo_schema_get_dot (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading, GValue *value);
gboolean gst_cuda_histo_schema_get_dot_uint64 (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading,
                                               GValue *value);
gboolean gst_cuda_histo_schema_get_summary_double (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading,
                                                   GValue *value);
gboolean gst_cuda_histo_schema_get_summary_uint (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading,
                                                 GValue *value);
gboolean gst_cuda_histo_schema_get_used_mask (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading,
                                              GValue *value);
gboolean gst_cuda_histo_schema_get_difference_uint64 (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading,
                                                      GValue *value);
gboolean gst_cuda_histo_schema_get_ssd (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading, GValue *value);
gboolean gst_cuda_histo_schema_get_distance_uint64 (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading,
                                                    GValue *value);
gboolean gst_cuda_histo_schema_get_histogram (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading,
                                              GValue *value);
gboolean gst_cuda_histo_schema_get_waveform (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading,
                                             GValue *value);
gboolean gst_cuda_histo_schema_get_row_sums (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading,
                                             GValue *value);
gboolean gst_cuda_histo_schema_get_column_sums (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading,
                                                GValue *value);

/* getpicture.c */
gboolean gst_cuda_histo_schema_get_colour_double (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading,
                                                  GValue *value);
gboolean gst_cuda_histo_schema_get_colour_uint (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading,
                                                GValue *value);
gboolean gst_cuda_histo_schema_get_picture_uint64 (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading,
                                                   GValue *value);
gboolean gst_cuda_histo_schema_get_colour_counters (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading,
                                                    GValue *value);
gboolean gst_cuda_histo_schema_get_light_double (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading,
                                                 GValue *value);
gboolean gst_cuda_histo_schema_get_light_uint (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading,
                                               GValue *value);
gboolean gst_cuda_histo_schema_get_light_uint64 (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading,
                                                 GValue *value);
gboolean gst_cuda_histo_schema_get_light_wide (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading,
                                               GValue *value);
gboolean gst_cuda_histo_schema_get_light_peak (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading,
                                               GValue *value);
gboolean gst_cuda_histo_schema_get_light_active (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading,
                                                 GValue *value);
gboolean gst_cuda_histo_schema_get_light_counters (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading,
                                                   GValue *value);
gboolean gst_cuda_histo_schema_get_vectorscope (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading,
                                                GValue *value);
gboolean gst_cuda_histo_schema_get_region_uint (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading,
                                                GValue *value);
gboolean gst_cuda_histo_schema_get_region_id (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading,
                                              GValue *value);
gboolean gst_cuda_histo_schema_get_region_parent (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading,
                                                  GValue *value);
gboolean gst_cuda_histo_schema_get_region_confidence (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading,
                                                      GValue *value);
gboolean gst_cuda_histo_schema_get_region_type (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading,
                                                GValue *value);
gboolean gst_cuda_histo_schema_get_metered_sum (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading,
                                                GValue *value);
gboolean gst_cuda_histo_schema_get_metered_weights (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading,
                                                    GValue *value);
gboolean gst_cuda_histo_schema_get_active_picture (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading,
                                                   GValue *value);
gboolean gst_cuda_histo_schema_get_active_extent (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading,
                                                  GValue *value);

G_END_DECLS

#endif
