/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "decoding/sampling.h"

#include <gst/video/video.h>

#include "decoding/numbers.h"

#define JPEG_COMPONENT 3 /* bytes: its name, its factors, its table */

static const struct {
  const gchar *name;
  gint x, y;
} chroma_formats[] = { { "4:4:4", 1, 1 }, { "4:2:2", 2, 1 }, { "4:2:0", 2, 2 }, { "4:1:1", 4, 1 }, { "4:1:0", 4, 4 } };

/* Also parses the end of "YCbCr-4:2:2". */
static void
decoding_sampling_take_name (DecodingSampling *sampling, const gchar *name)
{
  for (guint i = 0; name != NULL && i < G_N_ELEMENTS (chroma_formats); i++)
    if (g_str_has_suffix (name, chroma_formats[i].name)) {
      sampling->chroma_x = chroma_formats[i].x;
      sampling->chroma_y = chroma_formats[i].y;
    }
}

/* Reads a frame header, after its marker: length, precision, height, width, and the components with their factors. */
static void
decoding_sampling_take_frame (DecodingSampling *sampling, const guint8 *header, gsize size)
{
  if (size < 8 + 3 * JPEG_COMPONENT || header[7] != 3)
    return;
  if ((header[12] >> 4) == 0 || (header[12] & 15) == 0)
    return;
  sampling->depth = header[2];
  sampling->chroma_x = (header[9] >> 4) / (header[12] >> 4);
  sampling->chroma_y = (header[9] & 15) / (header[12] & 15);
}

/* Finds the frame header among JPEG's segments, each of which begins with FF, its kind, and its length. */
static void
decoding_sampling_take_jpeg (DecodingSampling *sampling, const guint8 *data, gsize size)
{
  gsize at = 2;

  while (at + 4 <= size && data[at] == 0xff) {
    const guint8 kind = data[at + 1];

    if (kind >= 0xc0 && kind <= 0xcf && kind != 0xc4 && kind != 0xc8 && kind != 0xcc) {
      decoding_sampling_take_frame (sampling, data + at + 2, size - at - 2);
      return;
    }
    at += kind == 0xff ? 1 : 2 + decoding_read_uint16_be (data + at + 2);
  }
}

static void
decoding_sampling_take_prores (DecodingSampling *sampling, const gchar *variant)
{
  const gboolean is_4444 = variant != NULL && g_str_has_prefix (variant, "4444");

  decoding_sampling_take_name (sampling, is_4444 ? "4:4:4" : "4:2:2");
  sampling->depth = is_4444 ? 12 : 10;
}

DecodingSampling
decoding_sampling_of_packet (const GstCaps *caps, GstBuffer *packet)
{
  const GstStructure *structure = gst_caps_get_structure (caps, 0);
  DecodingSampling sampling = { 0 };
  GstMapInfo map;

  decoding_sampling_take_name (&sampling, gst_structure_get_string (structure, "chroma-format"));
  decoding_sampling_take_name (&sampling, gst_structure_get_string (structure, "sampling"));
  gst_structure_get_uint (structure, "bit-depth-luma", &sampling.depth);
  if (gst_structure_has_name (structure, "video/x-prores"))
    decoding_sampling_take_prores (&sampling, gst_structure_get_string (structure, "variant"));
  if (gst_structure_has_name (structure, "image/jpeg") && gst_buffer_map (packet, &map, GST_MAP_READ)) {
    decoding_sampling_take_jpeg (&sampling, map.data, map.size);
    gst_buffer_unmap (packet, &map);
  }
  return sampling;
}

DecodingSampling
decoding_sampling_of_frames (const GstCaps *caps)
{
  DecodingSampling sampling = { 0 };
  GstVideoInfo info;

  if (!gst_structure_has_name (gst_caps_get_structure (caps, 0), "video/x-raw") || !gst_video_info_from_caps (&info, caps))
    return sampling;
  sampling.depth = GST_VIDEO_INFO_COMP_DEPTH (&info, 0);
  if (GST_VIDEO_INFO_N_COMPONENTS (&info) >= 3) {
    sampling.chroma_x = 1 << GST_VIDEO_FORMAT_INFO_W_SUB (info.finfo, 1);
    sampling.chroma_y = 1 << GST_VIDEO_FORMAT_INFO_H_SUB (info.finfo, 1);
  }
  return sampling;
}

gboolean
decoding_sampling_is_coarser (const DecodingSampling *frames, const DecodingSampling *stream)
{
  return (stream->depth > 0 && frames->depth > 0 && frames->depth < stream->depth)
         || (stream->chroma_x > 0 && frames->chroma_x > stream->chroma_x)
         || (stream->chroma_y > 0 && frames->chroma_y > stream->chroma_y);
}

gchar *
decoding_sampling_describe (const DecodingSampling *sampling)
{
  const gchar *name = "other chroma";

  for (guint i = 0; i < G_N_ELEMENTS (chroma_formats); i++)
    if (chroma_formats[i].x == sampling->chroma_x && chroma_formats[i].y == sampling->chroma_y)
      name = chroma_formats[i].name;
  return sampling->depth > 0 ? g_strdup_printf ("%s, %u bits", name, sampling->depth) : g_strdup (name);
}
