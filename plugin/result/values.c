/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The values that getters return. */

#include "result/getters.h"

#include <string.h>

void
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

void
gst_cuda_histo_schema_lend_wide (const uint64_t *low, GValue *value)
{
  g_value_init (value, G_TYPE_POINTER);
  g_value_set_pointer (value, (gpointer)low);
}

gboolean
gst_cuda_histo_schema_lend_numbers (gconstpointer numbers, gsize size, GValue *value)
{
  if (numbers == NULL)
    return FALSE;
  g_value_init (value, G_TYPE_BYTES);
  g_value_take_boxed (value, g_bytes_new_static (numbers, size));
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
