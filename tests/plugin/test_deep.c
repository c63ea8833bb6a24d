/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Samples of 10 to 16 bits, from the pixels to the message: numbers that a reader can verify, windows and native bins. */

#include "rig.h"

#include <string.h>

#define CAPS(format, width, height) "video/x-raw,format=" format ",width=" #width ",height=" #height ",framerate=25/1"

static guint64
get_counter (const GstStructure *result, const gchar *field, guint index)
{
  const GValue *histogram = gst_structure_get_value (result, field);

  ck_assert (histogram != NULL && gst_value_array_get_size (histogram) > index);
  return g_value_get_uint64 (gst_value_array_get_value (histogram, index));
}

/* Counts one frame of little-endian samples. */
static GstStructure *
count_samples (const gchar *properties, const gchar *caps, const guint16 *samples, guint count)
{
  GstStructure *result;
  guint8 bytes[256];

  ck_assert (2 * count <= sizeof bytes);
  for (guint i = 0; i < count; i++)
    GST_WRITE_UINT16_LE (bytes + 2 * i, samples[i]);
  g_auto (Rig) rig = open_video (properties, caps);
  push_timed (&rig, bytes, 2 * count, 0, GST_SECOND / 25);
  result = pop_result (rig.bus);
  ck_assert_uint_eq (get_stat (rig.element, "bytes-counted"), 2 * count);
  return result;
}

/* Ten bits in the upper ten of sixteen. The lower bits are not part of the sample. */
TEST (test_p010)
{
#define P(value) ((guint16)((value) << 6 | 0x2a))
  static const guint16 samples[] = { P (0),   P (1), P (2), P (1023), /* Y */
                                     P (512), P (4) };                /* U, V */

  for (guint run = 0; get_backend_line (run) != NULL; run++) {
    g_autoptr (GstStructure) result
        = count_samples (get_backend_line (run), CAPS ("P010_10LE", 2, 2), samples, G_N_ELEMENTS (samples));

    ck_assert_str_eq (gst_structure_get_string (result, "format"), "P010_10LE");
    ck_assert_uint_eq (get_field_uint (result, "depth"), 10);
    ck_assert_uint_eq (get_field_u64 (result, "Y-count"), 4);
    ck_assert_uint_eq (get_field_u64 (result, "Y-sum"), 1026);
    ck_assert_uint_eq (get_field_u64 (result, "Y-sum-of-squares"), 0 + 1 + 4 + 1046529);
    ck_assert (get_field_double (result, "Y-mean") == 256.5);
    /* A bin covers four values; the samples' own numbers do not change. */
    ck_assert_uint_eq (get_counter (result, "Y-histogram", 0), 3);
    ck_assert_uint_eq (get_counter (result, "Y-histogram", 255), 1);
    ck_assert_uint_eq (get_field_uint (result, "Y-min"), 0);
    ck_assert_uint_eq (get_field_uint (result, "Y-max"), 1023);
    ck_assert_uint_eq (get_field_uint (result, "Y-median"), 1);
    ck_assert_uint_eq (get_field_uint (result, "Y-high"), 1023);
    ck_assert_uint_eq (get_field_u64 (result, "U-sum"), 512);
    ck_assert_uint_eq (get_counter (result, "U-histogram", 128), 1);
    ck_assert_uint_eq (get_field_uint (result, "U-min"), 512);
    ck_assert_uint_eq (get_field_u64 (result, "V-sum"), 4);
    ck_assert_uint_eq (get_counter (result, "V-histogram", 1), 1);
    ck_assert_uint_eq (get_field_uint (result, "V-max"), 4);
  }
#undef P
}

/* Twelve bits in the lower twelve. The upper four are not part of the sample. */
TEST (test_y444_12)
{
  static const guint16 samples[] = { 4095 | 0xa000, 15, 16 | 0x5000, 2048, 100, 100 };

  for (guint run = 0; get_backend_line (run) != NULL; run++) {
    g_autoptr (GstStructure) result
        = count_samples (get_backend_line (run), CAPS ("Y444_12LE", 2, 1), samples, G_N_ELEMENTS (samples));

    ck_assert_uint_eq (get_field_uint (result, "depth"), 12);
    ck_assert_uint_eq (get_field_u64 (result, "Y-sum"), 4110);
    ck_assert_uint_eq (get_field_u64 (result, "Y-sum-of-squares"), 16769025 + 225);
    ck_assert_uint_eq (get_field_uint (result, "Y-min"), 15);
    ck_assert_uint_eq (get_field_uint (result, "Y-max"), 4095);
    ck_assert_uint_eq (get_field_u64 (result, "U-sum"), 2064);
    ck_assert_uint_eq (get_field_uint (result, "U-min"), 16);
    ck_assert_uint_eq (get_field_uint (result, "U-max"), 2048);
    ck_assert_uint_eq (get_field_u64 (result, "V-sum"), 200);
    ck_assert (get_field_double (result, "V-variance") == 0);
  }
}

TEST (test_y444_16)
{
  static const guint16 samples[] = { 65535, 65535, 0, 256, 1, 2 };

  for (guint run = 0; get_backend_line (run) != NULL; run++) {
    g_autoptr (GstStructure) result
        = count_samples (get_backend_line (run), CAPS ("Y444_16LE", 2, 1), samples, G_N_ELEMENTS (samples));

    ck_assert_uint_eq (get_field_uint (result, "depth"), 16);
    ck_assert_uint_eq (get_field_u64 (result, "Y-sum"), 131070);
    ck_assert_uint_eq (get_field_u64 (result, "Y-sum-of-squares"), G_GUINT64_CONSTANT (8589672450));
    ck_assert (get_field_double (result, "Y-mean") == 65535);
    ck_assert (get_field_double (result, "Y-stddev") == 0);
    ck_assert_uint_eq (get_counter (result, "Y-histogram", 255), 2);
    ck_assert_uint_eq (get_counter (result, "U-histogram", 0), 1);
    ck_assert_uint_eq (get_counter (result, "U-histogram", 1), 1);
    ck_assert_uint_eq (get_field_uint (result, "Y-min"), 65535);
    ck_assert_uint_eq (get_field_uint (result, "Y-max"), 65535);
    ck_assert_uint_eq (get_field_uint (result, "U-max"), 256);
    ck_assert_uint_eq (get_field_u64 (result, "V-sum"), 3);
    ck_assert_uint_eq (get_field_uint (result, "V-min"), 1);
    ck_assert_uint_eq (get_field_uint (result, "V-max"), 2);
  }
}

/* In a window of several frames the numbers are those of all samples together. */
TEST (test_values_of_a_window)
{
  enum { FRAME_SAMPLES = 4 * 2, WINDOW_FRAMES = 5 };
  static const struct {
    const gchar *format, *names[3];
    guint depth;
  } formats[] = { { "Y444_10LE", { "Y", "U", "V" }, 10 },
                  { "Y444_12LE", { "Y", "U", "V" }, 12 },
                  { "Y444_16LE", { "Y", "U", "V" }, 16 },
                  { "GBR_10LE", { "G", "B", "R" }, 10 } };

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    for (guint run = 0; get_backend_line (run) != NULL; run++)
      for (guint content = 0; content < 3; content++) {
        const guint last = (1u << formats[i].depth) - 1;
        g_autofree gchar *caps = g_strdup_printf ("video/x-raw,format=%s,width=4,height=2,framerate=25/1", formats[i].format);
        g_autofree gchar *properties = g_strdup_printf ("interval=200000000 %s", get_backend_line (run));
        Tally tallies[3] = { 0 };
        g_auto (Rig) rig = open_video (properties, caps);

        for (guint f = 0; f < WINDOW_FRAMES; f++) {
          guint8 bytes[3 * FRAME_SAMPLES * 2];

          for (guint s = 0; s < 3 * FRAME_SAMPLES; s++) {
            const guint random = g_random_int ();
            const guint value = content == 0 ? last * 943 / 1023 : content == 1 ? random & last : (random & 1) * last;

            tally_sample (&tallies[s / FRAME_SAMPLES], value);
            GST_WRITE_UINT16_LE (bytes + 2 * s, value);
          }
          push_timed (&rig, bytes, sizeof bytes, f * GST_SECOND / 25, GST_SECOND / 25);
        }
        g_autoptr (GstStructure) result = pop_result (rig.bus);
        ck_assert_uint_eq (get_field_u64 (result, "frames"), WINDOW_FRAMES);
        for (guint c = 0; c < 3; c++) {
          tallies[c].depth = formats[i].depth;
          check_component (result, formats[i].names[c], &tallies[c], BINS_ARRAY);
        }
      }
}

/* A bin for each value, in a message and in the sidecar. Other numbers stay the same. */
TEST (test_native_bins)
{
  static const struct {
    const gchar *format;
    guint depth, bins;
  } cases[] = { { "GRAY8", 8, 256 }, { "Y444_10LE", 10, 1024 }, { "Y444_12LE", 12, 4096 }, { "Y444_16LE", 16, 65536 } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    const gchar *component = i == 0 ? "GRAY" : "Y";
    gchar *at;
    const gchar *path = make_path ("sidecar");
    g_autofree gchar *field = NULL, *text = NULL, *caps = NULL;
    const guint sample_bytes = i == 0 ? 1 : 2, size = 4 * sample_bytes * (i == 0 ? 1 : 3);
    guint16 values[2] = { 0, (guint16)(cases[i].bins - 2) };
    guint8 data[24] = { 0 };
    g_autoptr (GstStructure) native = NULL, folded = NULL;
    guint64 counter;

    for (guint s = 0; s < 4; s++) {
      if (sample_bytes == 1)
        data[s] = (guint8)values[s == 3];
      else
        GST_WRITE_UINT16_LE (data + 2 * s, values[s == 3]);
    }
    caps = g_strdup_printf ("video/x-raw,format=%s,width=4,height=1,framerate=25/1", cases[i].format);
    field = g_strconcat (component, "-histogram", NULL);
    g_auto (Rig) rig = open_rig_with_sidecar ("bins=native", path);
    start_video (&rig, caps);
    push_timed (&rig, data, size, 0, GST_SECOND);
    native = pop_result (rig.bus);
    gst_util_set_object_arg (G_OBJECT (rig.element), "bins", "256"); /* while it plays */
    push_timed (&rig, data, size, GST_SECOND, GST_SECOND);
    push_eos (&rig);
    folded = pop_result (rig.bus);

    ck_assert_uint_eq (gst_value_array_get_size (gst_structure_get_value (native, field)), cases[i].bins);
    ck_assert_uint_eq (gst_value_array_get_size (gst_structure_get_value (folded, field)), 256);
    /* Without an assertion: each successful one writes to a pipe. */
    for (guint value = 0; value < cases[i].bins; value++) {
      counter = g_value_get_uint64 (gst_value_array_get_value (gst_structure_get_value (native, field), value));
      if (counter != (value == 0 ? 3 : value == values[1] ? 1 : 0))
        ck_abort_msg ("%s: counter %u of %s", cases[i].format, value, field);
    }
    for (guint value = 0; value < 256; value++) {
      counter = get_counter (folded, field, value);
      ck_assert_uint_eq (counter, value == 0 ? 3 : value == (guint)values[1] >> (cases[i].depth - 8) ? 1 : 0);
    }
    for (gint k = 0; k < gst_structure_n_fields (native); k++) {
      const gchar *name = gst_structure_nth_field_name (native, (guint)k);

      if (g_str_has_prefix (name, component) && !g_str_has_suffix (name, "-histogram"))
        ck_assert_int_eq (gst_value_compare (gst_structure_get_value (native, name), gst_structure_get_value (folded, name)),
                          GST_VALUE_EQUAL);
    }
    /* The first line has all bins, the second 256. Both end with the fields after them. */
    ck_assert (g_file_get_contents (path, &text, NULL, NULL));
    at = strstr (text, "\"histogram\":[3,");
    for (guint line = 0; line < 2; line++) {
      guint commas = 0;

      ck_assert (at != NULL);
      for (at = strchr (at, '['); *at != ']'; at++)
        commas += *at == ',' ? 1 : 0;
      ck_assert_uint_eq (commas + 1, line == 0 ? cases[i].bins : 256);
      at = strstr (at, "\"histogram\":[3,");
    }
  }
}

RIG_MAIN (NULL)
