/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Columns of numbers of a page, unpacked as by its script. */

#include <gio/gio.h>
#include <math.h>

#include "cases.h"
#include "report/packing.h"

#define UNKNOWN G_MAXUINT32 /* page/data.js reads it as NaN */

/* Returns the bytes of all columns, in planes. Ends the packing. */
static GBytes *
unpack (Packing *packing)
{
  g_autoptr (GConverter) inflater = G_CONVERTER (g_zlib_decompressor_new (G_ZLIB_COMPRESSOR_FORMAT_ZLIB));
  g_autoptr (GOutputStream) memory = g_memory_output_stream_new_resizable ();
  g_autoptr (GOutputStream) stream = g_converter_output_stream_new (memory, inflater);
  gsize length, n_packed;

  g_autofree gchar *text = packing_finish (packing, &length);
  ck_assert_uint_eq (length, strlen (text));
  g_autofree guchar *packed = g_base64_decode (text, &n_packed);
  ck_assert (g_output_stream_write_all (stream, packed, n_packed, NULL, NULL, NULL));
  ck_assert (g_output_stream_close (stream, NULL, NULL));
  packing_free (packing);
  return g_memory_output_stream_steal_as_bytes (G_MEMORY_OUTPUT_STREAM (memory));
}

/* Word `i` of n, each of `size` bytes, of the column whose planes begin at *planes. */
static guint64
get_word (const guint8 *planes, gsize n, gsize i, guint size)
{
  guint64 word = 0;

  for (guint byte = 0; byte < size; byte++)
    word |= (guint64)planes[byte * n + i] << (8 * byte);
  return word;
}

TEST (test_values)
{
  static const gdouble values[]
      = { 0, 1, 4294967293., 4294967294., 4294967295., 4294967296., 1e300, INFINITY, -1, NAN, 7, -0. };
  static const guint32 expected[]
      = { 0, 1, 4294967293u, 4294967294u, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, 7, 0 };
  Packing *packing = packing_new ();
  const guint8 *planes;
  guint32 sum = 0;
  gsize size;

  packing_add_values (packing, "Y-max", values, G_N_ELEMENTS (values));
  ck_assert_str_eq (packing_get_layout (packing),
                    "[{\"name\":\"Y-max\",\"type\":\"u32\",\"length\":12,\"delta\":1,\"optional\":true}]");
  g_autoptr (GBytes) bytes = unpack (packing);
  planes = g_bytes_get_data (bytes, &size);
  ck_assert_uint_eq (size, sizeof expected);
  for (gsize i = 0; i < G_N_ELEMENTS (values); i++) {
    sum += (guint32)get_word (planes, G_N_ELEMENTS (values), i, 4);
    ck_assert_uint_eq (sum, expected[i]);
  }
}

/* Differences of whole numbers, unless one is unknown. */
TEST (test_doubles)
{
  gdouble values[] = { 5, 8, 9007199254740991., 0.5 };

  for (guint round = 0; round < 3; round++) {
    Packing *packing = packing_new ();
    const gboolean has_deltas = round == 0;
    gsize size;

    values[3] = round == 2 ? NAN : 0;
    packing_add_doubles (packing, "time", values, G_N_ELEMENTS (values), round != 1);
    ck_assert (strstr (packing_get_layout (packing), has_deltas ? "\"delta\":1," : "\"delta\":0,") != NULL);
    g_autoptr (GBytes) bytes = unpack (packing);
    ck_assert_uint_eq (g_bytes_get_size (bytes), sizeof values);
    for (gsize i = 0; i < G_N_ELEMENTS (values); i++) {
      const guint64 word = get_word (g_bytes_get_data (bytes, &size), G_N_ELEMENTS (values), i, 8);
      const gdouble expected = has_deltas && i > 0 ? values[i] - values[i - 1] : values[i];
      gdouble number;

      memcpy (&number, &word, sizeof number);
      ck_assert (number == expected || (isnan (number) && isnan (expected)));
    }
  }
}

/* Rows of two, in 32 bits if all fit. */
TEST (test_counters)
{
  for (guint round = 0; round < 2; round++) {
    const guint64 counters[] = { 1, 4294967295u, 3, round == 0 ? 4294967295u : 4294967296u, 0, 7 };
    const guint size_of_one = round == 0 ? 4 : 8;
    Packing *packing = packing_new ();
    gsize size;

    packing_add_counters (packing, "Y", counters, G_N_ELEMENTS (counters), 2);
    ck_assert (strstr (packing_get_layout (packing), round == 0 ? "\"type\":\"u32\",\"length\":6,\"delta\":2,\"optional\":false"
                                                                : "\"type\":\"f64\",\"length\":6,\"delta\":2,")
               != NULL);
    g_autoptr (GBytes) bytes = unpack (packing);
    ck_assert_uint_eq (g_bytes_get_size (bytes), G_N_ELEMENTS (counters) * size_of_one);
    for (gsize i = 0; i < G_N_ELEMENTS (counters); i++) {
      const guint64 word = get_word (g_bytes_get_data (bytes, &size), G_N_ELEMENTS (counters), i, size_of_one);
      const guint64 before = i < 2 ? 0 : counters[i - 2];
      gdouble number;

      memcpy (&number, &word, sizeof number);
      if (round == 0)
        ck_assert_uint_eq (word, (guint32)(counters[i] - before));
      else
        ck_assert (number == (gdouble)counters[i] - (gdouble)before);
    }
  }
}

TEST_MAIN
