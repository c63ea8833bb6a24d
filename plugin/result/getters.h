/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Getters, which read the fields that have no formula from a result. */

#pragma once

#include "result/schemaprivate.h"

typedef struct _GstCudaHistoGetter GstCudaHistoGetter;

/* Returns FALSE, with *value unset, if the field is absent. A FIELD_TYPE_WIDE is a G_TYPE_POINTER to two words of the result,
 * low word first. An array is a GBytes of numbers in machine byte order, which the result owns. */
typedef gboolean GstCudaHistoGet (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading, GValue *value);

/* Returns the structure that has the number, or the pointer to a static string. NULL: the field is absent. */
typedef gconstpointer GstCudaHistoFind (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading);

struct _GstCudaHistoGetter {
  const FieldDescription *field;
  GstCudaHistoGet *get;
  GstCudaHistoFind *find; /* of a number or a static string; otherwise NULL */
  gsize offset;           /* of the value, in that structure, or in the one after which the getter is named */
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
GstCudaHistoFind gst_cuda_histo_schema_find_source;
GstCudaHistoFind gst_cuda_histo_schema_find_span;
GstCudaHistoFind gst_cuda_histo_schema_find_damage;
GstCudaHistoFind gst_cuda_histo_schema_find_offset;
GstCudaHistoFind gst_cuda_histo_schema_find_origin;
GstCudaHistoFind gst_cuda_histo_schema_find_ended_by;
GstCudaHistoFind gst_cuda_histo_schema_find_field;
GstCudaHistoFind gst_cuda_histo_schema_find_reference_time;
GstCudaHistoGet gst_cuda_histo_schema_get_result_string;
GstCudaHistoGet gst_cuda_histo_schema_get_optional_string;
GstCudaHistoGet gst_cuda_histo_schema_get_source_framerate;
GstCudaHistoGet gst_cuda_histo_schema_get_origin_utc_time;
GstCudaHistoGet gst_cuda_histo_schema_get_origin_timecode;
GstCudaHistoGet gst_cuda_histo_schema_get_origin_crop;

/* getcomponent.c */
GstCudaHistoFind gst_cuda_histo_schema_find_stats;
GstCudaHistoFind gst_cuda_histo_schema_find_dot;
GstCudaHistoFind gst_cuda_histo_schema_find_summary;
GstCudaHistoFind gst_cuda_histo_schema_find_compared;
GstCudaHistoFind gst_cuda_histo_schema_find_distance;
GstCudaHistoGet gst_cuda_histo_schema_get_used_mask;
GstCudaHistoGet gst_cuda_histo_schema_get_histogram;
GstCudaHistoGet gst_cuda_histo_schema_get_waveform;
GstCudaHistoGet gst_cuda_histo_schema_get_row_sums;
GstCudaHistoGet gst_cuda_histo_schema_get_column_sums;

/* getpicture.c */
GstCudaHistoFind gst_cuda_histo_schema_find_colours;
GstCudaHistoFind gst_cuda_histo_schema_find_picture;
GstCudaHistoFind gst_cuda_histo_schema_find_light;
GstCudaHistoFind gst_cuda_histo_schema_find_lit_source;
GstCudaHistoFind gst_cuda_histo_schema_find_lit_result;
GstCudaHistoFind gst_cuda_histo_schema_find_peaks;
GstCudaHistoFind gst_cuda_histo_schema_find_region;
GstCudaHistoFind gst_cuda_histo_schema_find_meta;
GstCudaHistoFind gst_cuda_histo_schema_find_parent;
GstCudaHistoFind gst_cuda_histo_schema_find_confidence;
GstCudaHistoFind gst_cuda_histo_schema_find_metered;
GstCudaHistoGet gst_cuda_histo_schema_get_colour_counters;
GstCudaHistoGet gst_cuda_histo_schema_get_light_active;
GstCudaHistoGet gst_cuda_histo_schema_get_light_counters;
GstCudaHistoGet gst_cuda_histo_schema_get_vectorscope;
GstCudaHistoGet gst_cuda_histo_schema_get_active_picture;
GstCudaHistoGet gst_cuda_histo_schema_get_active_extent;
