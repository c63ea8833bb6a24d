/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "report/packing.h"

#include <gio/gio.h>
#include <math.h>
#include <string.h>

#define LEVEL 6 /* for zlib; higher levels take twice the time and save a few percent */
#define UNKNOWN G_MAXUINT32
#define MOST_VALUE (UNKNOWN - 1)
#define CHUNK 4096 /* numbers per write, so that they stay in the cache */

struct _Packing {
  GOutputStream *memory, *stream;
  GString *layout;
};

Packing *
packing_new (void)
{
  Packing *packing = g_new0 (Packing, 1);
  g_autoptr (GConverter) compressor = G_CONVERTER (g_zlib_compressor_new (G_ZLIB_COMPRESSOR_FORMAT_ZLIB, LEVEL));

  packing->memory = g_memory_output_stream_new_resizable ();
  packing->stream = g_converter_output_stream_new (packing->memory, compressor);
  packing->layout = g_string_new ("[");
  return packing;
}

void
packing_free (Packing *packing)
{
  if (packing == NULL)
    return;
  g_object_unref (packing->stream);
  g_object_unref (packing->memory);
  g_string_free (packing->layout, TRUE);
  g_free (packing);
}

static void
packing_describe (Packing *packing, const gchar *name, const gchar *type, gsize length, gsize delta, gboolean is_optional)
{
  g_string_append_printf (packing->layout,
                          "%s{\"name\":\"%s\",\"type\":\"%s\",\"length\":%" G_GSIZE_FORMAT ",\"delta\":%" G_GSIZE_FORMAT
                          ",\"optional\":%s}",
                          packing->layout->len > 1 ? "," : "", name, type, length, delta, is_optional ? "true" : "false");
}

/* Writes the planes of `size` bytes of each word. */
static void
packing_write_planes (Packing *packing, const guint64 *words, gsize n_words, guint size)
{
  guint8 plane[CHUNK];

  for (guint byte = 0; byte < size; byte++) {
    for (gsize begin = 0; begin < n_words; begin += CHUNK) {
      const gsize count = MIN (CHUNK, n_words - begin);

      for (gsize i = 0; i < count; i++)
        plane[i] = (guint8)(words[begin + i] >> (8 * byte));
      /* Fails only if memory runs out. */
      g_output_stream_write_all (packing->stream, plane, count, NULL, NULL, NULL);
    }
  }
}

static void
packing_add_plain_doubles (Packing *packing, const gdouble *values, gsize n_values, gsize delta)
{
  g_autofree guint64 *words = g_new (guint64, MAX (1, n_values));

  for (gsize i = 0; i < n_values; i++) {
    const gdouble number = delta > 0 && i >= delta ? values[i] - values[i - delta] : values[i];

    memcpy (&words[i], &number, sizeof number);
  }
  packing_write_planes (packing, words, n_values, sizeof (gdouble));
}

void
packing_add_doubles (Packing *packing, const gchar *name, const gdouble *values, gsize n_values, gboolean is_stepping)
{
  gsize delta = is_stepping ? 1 : 0;

  /* A difference from NaN would be NaN too. */
  for (gsize i = 0; i < n_values; i++) {
    if (!isfinite (values[i]))
      delta = 0;
  }
  packing_describe (packing, name, "f64", n_values, delta, FALSE);
  packing_add_plain_doubles (packing, values, n_values, delta);
}

static void
packing_add_words (Packing *packing, const gchar *name, guint64 *words, gsize n_words, gsize delta, gboolean is_optional)
{
  for (gsize i = n_words; i-- > delta;)
    words[i] = (guint32)(words[i] - words[i - delta]);
  packing_describe (packing, name, "u32", n_words, delta, is_optional);
  packing_write_planes (packing, words, n_words, sizeof (guint32));
}

void
packing_add_values (Packing *packing, const gchar *name, const gdouble *values, gsize n_values)
{
  g_autofree guint64 *words = g_new (guint64, MAX (1, n_values));

  for (gsize i = 0; i < n_values; i++)
    words[i] = values[i] >= 0 && values[i] <= MOST_VALUE ? (guint32)values[i] : UNKNOWN; /* also NaN */
  packing_add_words (packing, name, words, n_values, 1, TRUE);
}

void
packing_add_counters (Packing *packing, const gchar *name, const guint64 *counters, gsize n_counters, gsize stride)
{
  guint64 greatest = 0;

  for (gsize i = 0; i < n_counters; i++)
    greatest = MAX (greatest, counters[i]);
  if (greatest <= G_MAXUINT32) {
    g_autofree guint64 *words = g_memdup2 (counters, n_counters * sizeof *counters);

    packing_add_words (packing, name, words, n_counters, stride, FALSE);
  } else {
    g_autofree gdouble *values = g_new (gdouble, n_counters);

    for (gsize i = 0; i < n_counters; i++)
      values[i] = (gdouble)counters[i];
    packing_describe (packing, name, "f64", n_counters, stride, FALSE);
    packing_add_plain_doubles (packing, values, n_counters, stride);
  }
}

const gchar *
packing_get_layout (Packing *packing)
{
  if (packing->layout->str[packing->layout->len - 1] != ']')
    g_string_append_c (packing->layout, ']');
  return packing->layout->str;
}

gchar *
packing_finish (Packing *packing, gsize *length)
{
  GMemoryOutputStream *memory = G_MEMORY_OUTPUT_STREAM (packing->memory);
  gchar *text;

  g_output_stream_close (packing->stream, NULL, NULL);
  text = g_base64_encode (g_memory_output_stream_get_data (memory), g_memory_output_stream_get_data_size (memory));
  *length = strlen (text);
  return text;
}
