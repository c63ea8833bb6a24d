/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Crops, directions and samples of raw video. */

#pragma once

#include <gst/video/video.h>

typedef struct {
  guint x, y, width, height; /* pixels */
} Area;

static inline void
crop_buffer (GstBuffer *buffer, guint x, guint y, guint width, guint height)
{
  GstVideoCropMeta *crop = gst_buffer_add_video_crop_meta (buffer);

  crop->x = x;
  crop->y = y;
  crop->width = width;
  crop->height = height;
}

/* Adds a GstVideoMeta with the offsets and strides of `info`. In planes of the mask `bottom_up`, the last row comes first. */
static inline GstVideoMeta *
add_video_meta (GstBuffer *buffer, const GstVideoInfo *info, guint bottom_up)
{
  GstVideoInfo turned = *info;

  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (info); p++) {
    const guint rows = (guint)GST_VIDEO_INFO_COMP_HEIGHT (info, p); /* component p has the height of plane p */

    if ((bottom_up & 1u << p) == 0)
      continue;
    turned.offset[p] += (gsize)info->stride[p] * (rows - 1);
    turned.stride[p] = -info->stride[p];
  }
  return gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_INFO_FORMAT (info), (guint)info->width,
                                         (guint)info->height, GST_VIDEO_INFO_N_PLANES (info), turned.offset, turned.stride);
}

/* Returns the address of a sample of 8 bits or in two bytes. */
static inline guint8 *
find_sample (const GstVideoFrame *frame, guint c, guint x, guint y)
{
  guint8 *sample = (guint8 *)GST_VIDEO_FRAME_COMP_DATA (frame, c) + (gssize)y * GST_VIDEO_FRAME_COMP_STRIDE (frame, c)
                   + (gssize)x * GST_VIDEO_FRAME_COMP_PSTRIDE (frame, c);

  /* For V of P010 and similar formats, the offset in GStreamer's table is in samples. */
  return sample + (GST_VIDEO_FRAME_COMP_DEPTH (frame, c) > 8 ? GST_VIDEO_FRAME_COMP_POFFSET (frame, c) % 2 : 0);
}

static inline guint
read_sample (const GstVideoFrame *frame, guint c, guint x, guint y)
{
  const guint8 *sample = find_sample (frame, c, x, y);

  if (GST_VIDEO_FRAME_COMP_DEPTH (frame, c) == 8)
    return *sample;
  return ((guint)(GST_VIDEO_FORMAT_INFO_IS_LE (frame->info.finfo) ? GST_READ_UINT16_LE (sample) : GST_READ_UINT16_BE (sample))
          >> GST_VIDEO_FORMAT_INFO_SHIFT (frame->info.finfo, c))
         & ((1u << GST_VIDEO_FRAME_COMP_DEPTH (frame, c)) - 1);
}

/* Little-endian. */
static inline void
write_sample (GstVideoFrame *frame, guint c, guint x, guint y, guint value)
{
  guint8 *sample = find_sample (frame, c, x, y);

  if (GST_VIDEO_FRAME_COMP_DEPTH (frame, c) == 8)
    *sample = (guint8)value;
  else
    GST_WRITE_UINT16_LE (sample, value << GST_VIDEO_FORMAT_INFO_SHIFT (frame->info.finfo, c));
}
