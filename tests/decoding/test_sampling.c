/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Chroma and bits of packets and of frames: by their caps, and by the headers of JPEG. */

#include "cases.h"
#include "decoding/sampling.h"

#include <string.h>

static void
check_sampling (const DecodingSampling *sampling, gint chroma_x, gint chroma_y, guint depth, const gchar *what)
{
  ck_assert_msg (sampling->chroma_x == chroma_x && sampling->chroma_y == chroma_y && sampling->depth == depth,
                 "%s: %d, %d, %u bits, not %d, %d, %u bits", what, sampling->chroma_x, sampling->chroma_y, sampling->depth,
                 chroma_x, chroma_y, depth);
}

static DecodingSampling
sample_packet (const gchar *text, gconstpointer data, gsize size)
{
  g_autoptr (GstBuffer) packet = size > 0 ? gst_buffer_new_memdup (data, size) : gst_buffer_new ();
  g_autoptr (GstCaps) caps = gst_caps_from_string (text);

  return decoding_sampling_of_packet (caps, packet);
}

TEST (test_packets)
{
  static const struct {
    const gchar *caps;
    gint chroma_x, chroma_y;
    guint depth;
  } cases[] = {
    { "video/x-h264", 0, 0, 0 },
    { "video/x-h264,chroma-format=(string)4:2:0,bit-depth-luma=(uint)8", 2, 2, 8 },
    { "video/x-h264,chroma-format=(string)4:2:2,bit-depth-luma=(uint)10", 2, 1, 10 },
    { "video/x-h265,chroma-format=(string)4:4:4", 1, 1, 0 },
    { "video/x-h265,chroma-format=(string)4:0:0,bit-depth-luma=(uint)12", 0, 0, 12 },
    { "image/x-jpc,sampling=(string)YCbCr-4:1:1", 4, 1, 0 },
    { "image/x-jpc,sampling=(string)YCbCr-4:1:0", 4, 4, 0 },
    { "image/x-jpc,sampling=(string)RGB", 0, 0, 0 },
    { "video/x-prores,variant=(string)hq", 2, 1, 10 },
    { "video/x-prores,variant=(string)4444", 1, 1, 12 },
    { "video/x-prores,variant=(string)4444xq", 1, 1, 12 },
    { "video/x-prores", 2, 1, 10 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    const DecodingSampling sampling = sample_packet (cases[i].caps, "", 0);

    check_sampling (&sampling, cases[i].chroma_x, cases[i].chroma_y, cases[i].depth, cases[i].caps);
  }
}

/* ---- JPEG ------------------------------------------------------------------------------------------------------------- */

#define START "\xff\xd8"
#define COMMENT "\xff\xfe\x00\x05xyz"
#define TABLE "\xff\xc4\x00\x04\x11\x22" /* C4: no frame, though it lies among them */
#define FRAME(kind, precision, luma) \
  "\xff" kind "\x00\x11" precision "\x00\x10\x00\x10\x03\x01" luma "\x00\x02\x11\x01\x03\x11\x01"

static const struct {
  const gchar *what, *data;
  gsize size;
  gint chroma_x, chroma_y;
  guint depth;
} jpegs[] = {
#define JPEG(what, data, chroma_x, chroma_y, depth)        \
  {                                                        \
    what, data, sizeof data - 1, chroma_x, chroma_y, depth \
  }
  JPEG ("4:2:0", START FRAME ("\xc0", "\x08", "\x22"), 2, 2, 8),
  JPEG ("4:2:2 after others", START COMMENT TABLE FRAME ("\xc0", "\x08", "\x21"), 2, 1, 8),
  JPEG ("4:4:4, progressive", START FRAME ("\xc2", "\x08", "\x11"), 1, 1, 8),
  JPEG ("4:1:1 of 12 bits", START FRAME ("\xc1", "\x0c", "\x41"), 4, 1, 12),
  JPEG ("filled", START "\xff\xff" FRAME ("\xc0", "\x08", "\x22"), 2, 2, 8),
  JPEG ("grey", START "\xff\xc0\x00\x0b\x08\x00\x10\x00\x10\x01\x01\x11\x00", 0, 0, 0),
  JPEG ("four components", START "\xff\xc0\x00\x14\x08\x00\x10\x00\x10\x04\x01\x22\x00\x02\x11\x01\x03\x11\x01\x04\x22\x00", 0,
        0, 0),
  JPEG ("factors of 0", START "\xff\xc0\x00\x11\x08\x00\x10\x00\x10\x03\x01\x22\x00\x02\x00\x01\x03\x00\x01", 0, 0, 0),
  JPEG ("no segment", START "nothing of JPEG", 0, 0, 0),
  JPEG ("empty", "", 0, 0, 0),
};

TEST (test_jpeg)
{
  for (guint i = 0; i < G_N_ELEMENTS (jpegs); i++) {
    const DecodingSampling sampling = sample_packet ("image/jpeg", jpegs[i].data, jpegs[i].size);

    check_sampling (&sampling, jpegs[i].chroma_x, jpegs[i].chroma_y, jpegs[i].depth, jpegs[i].what);
  }
}

/* A header that ends anywhere is unknown, and nothing past it is read. */
TEST (test_cut_jpeg)
{
  for (guint i = 0; i < G_N_ELEMENTS (jpegs); i++)
    for (gsize size = 0; size < jpegs[i].size; size++) {
      gpointer data = g_memdup2 (jpegs[i].data, size); /* the sanitizers know its end */
      const DecodingSampling sampling = sample_packet ("image/jpeg", data, size);

      if (sampling.depth != 0)
        check_sampling (&sampling, jpegs[i].chroma_x, jpegs[i].chroma_y, jpegs[i].depth, jpegs[i].what);
      g_free (data);
    }
}

/* ---- frames ----------------------------------------------------------------------------------------------------------- */

TEST (test_frames)
{
  static const struct {
    const gchar *format;
    gint chroma_x, chroma_y;
    guint depth;
  } cases[] = {
    { "I420", 2, 2, 8 },       { "Y42B", 2, 1, 8 }, { "Y444", 1, 1, 8 }, { "Y41B", 4, 1, 8 },       { "YUV9", 4, 4, 8 },
    { "I422_10LE", 2, 1, 10 }, { "NV12", 2, 2, 8 }, { "RGB", 1, 1, 8 },  { "GBR_12LE", 1, 1, 12 },  { "GRAY8", 0, 0, 8 },
    { "GRAY16_LE", 0, 0, 16 }, { "ARGB", 1, 1, 8 }, { "UYVY", 2, 1, 8 }, { "Y444_16LE", 1, 1, 16 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GstCaps) caps = gst_caps_new_simple ("video/x-raw", "format", G_TYPE_STRING, cases[i].format, "width",
                                                    G_TYPE_INT, 16, "height", G_TYPE_INT, 16, NULL);
    const DecodingSampling sampling = decoding_sampling_of_frames (caps);

    check_sampling (&sampling, cases[i].chroma_x, cases[i].chroma_y, cases[i].depth, cases[i].format);
  }
}

TEST (test_frames_of_no_format)
{
  static const gchar *const texts[] = { "video/x-raw,format=nonsense,width=16,height=16", "video/x-h264", "audio/x-raw" };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    g_autoptr (GstCaps) caps = gst_caps_from_string (texts[i]);
    const DecodingSampling sampling = decoding_sampling_of_frames (caps);

    check_sampling (&sampling, 0, 0, 0, texts[i]);
  }
}

TEST (test_coarser)
{
  static const struct {
    DecodingSampling frames, stream;
    gboolean is_coarser;
  } cases[] = {
    { { 2, 2, 8 }, { 2, 2, 8 }, FALSE },  { { 2, 2, 8 }, { 2, 1, 8 }, TRUE },   { { 2, 1, 8 }, { 1, 1, 8 }, TRUE },
    { { 2, 2, 8 }, { 2, 2, 10 }, TRUE },  { { 2, 2, 10 }, { 2, 2, 8 }, FALSE }, { { 1, 1, 8 }, { 2, 2, 8 }, FALSE },
    { { 2, 1, 8 }, { 4, 1, 8 }, FALSE },  { { 2, 2, 8 }, { 4, 1, 8 }, TRUE }, /* lacks chroma down alone */
    { { 2, 2, 8 }, { 0, 0, 0 }, FALSE },  { { 2, 2, 8 }, { 0, 0, 10 }, TRUE },  { { 0, 0, 8 }, { 2, 2, 8 }, FALSE },
    { { 0, 0, 0 }, { 2, 2, 10 }, FALSE }, { { 2, 2, 0 }, { 2, 1, 0 }, TRUE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    ck_assert_msg (decoding_sampling_is_coarser (&cases[i].frames, &cases[i].stream) == cases[i].is_coarser, "case %u", i);
}

TEST (test_descriptions)
{
  static const struct {
    DecodingSampling sampling;
    const gchar *text;
  } cases[] = {
    { { 2, 1, 8 }, "4:2:2, 8 bits" }, { { 1, 1, 12 }, "4:4:4, 12 bits" }, { { 2, 2, 0 }, "4:2:0" },
    { { 4, 1, 8 }, "4:1:1, 8 bits" }, { { 4, 4, 8 }, "4:1:0, 8 bits" },   { { 1, 2, 8 }, "other chroma, 8 bits" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree gchar *text = decoding_sampling_describe (&cases[i].sampling);

    ck_assert_str_eq (text, cases[i].text);
  }
}

TEST_MAIN
