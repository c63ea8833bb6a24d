/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "frame/picture.h"

/* Counts the pictures that the buffer's metas describe, up to `limit`. Metas with the same id describe the same picture. */
static guint
gst_cuda_histo_picture_count_described (GstBuffer *buffer, guint limit)
{
  guint ids[GST_CUDA_HISTO_MAX_PICTURES + 1], count = 0;
  gpointer state = NULL;
  GstMeta *meta;

  while (count < limit && (meta = gst_buffer_iterate_meta_filtered (buffer, &state, GST_VIDEO_META_API_TYPE)) != NULL) {
    guint id = (guint)((GstVideoMeta *)meta)->id, seen = 0;

    while (seen < count && ids[seen] != id)
      seen++;
    if (seen == count)
      ids[count++] = id;
  }
  return count;
}

/* Whether each picture of a buffer without metas has its own memory. */
static gboolean
gst_cuda_histo_picture_has_own_memory (const GstVideoInfo *info, GstBuffer *buffer, guint pictures)
{
  if (gst_cuda_histo_picture_is_field (info) || gst_buffer_n_memory (buffer) != pictures)
    return FALSE;
  for (guint i = 0; i < pictures; i++) {
    if (gst_buffer_peek_memory (buffer, i)->size < GST_VIDEO_INFO_SIZE (info))
      return FALSE;
  }
  return TRUE;
}

/* Finds the picture, without its crop. */
static gboolean
gst_cuda_histo_picture_find_whole (GstCudaHistoPicture *picture, const GstVideoInfo *info, const GstVideoInfo *fallback,
                                   GstBuffer *buffer, guint index, GError **error)
{
  const guint pictures = gst_cuda_histo_picture_get_count (info);
  guint described;

  if (pictures > GST_CUDA_HISTO_MAX_PICTURES) {
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_NOT_IMPLEMENTED, "buffer has more than %u pictures",
                 GST_CUDA_HISTO_MAX_PICTURES);
    return FALSE;
  }
  *picture = (GstCudaHistoPicture){
    .memory = -1, .size = gst_buffer_get_size (buffer), .offsets = fallback->offset, .strides = fallback->stride
  };
  described = gst_cuda_histo_picture_count_described (buffer, pictures + 1);
  if (described == 0 && pictures > 1 && gst_cuda_histo_picture_has_own_memory (info, buffer, pictures)) {
    picture->memory = (gint)index;
    picture->size = gst_buffer_peek_memory (buffer, index)->size;
    return TRUE;
  }
  if (described == 0 && pictures == 1 && gst_buffer_n_memory (buffer) > 1
      && gst_cuda_histo_picture_has_own_memory (info, buffer, gst_buffer_n_memory (buffer))) {
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE,
                 "buffer has %u memories with a frame each, but its caps describe one frame", gst_buffer_n_memory (buffer));
    return FALSE;
  }
  if (described == 0 && pictures == 1)
    return TRUE;

  /* The id of a single picture may tell it from pictures in other buffers. */
  picture->meta = pictures == 1 ? gst_buffer_get_video_meta (buffer) : gst_buffer_get_video_meta_id (buffer, (gint)index);
  if (described != pictures || picture->meta == NULL) {
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE,
                 "buffer has video metas for %s%u of its pictures, but its caps describe %u",
                 described > pictures ? "at least " : "", described, pictures);
    return FALSE;
  }
  picture->offsets = picture->meta->offset;
  picture->strides = picture->meta->stride;
  return TRUE;
}

/* Finds the visible pixels. FALSE with @error if the metas contradict the caps or each other. */
static gboolean
gst_cuda_histo_picture_find_visible (const GstVideoInfo *info, GstBuffer *buffer, const GstVideoMeta *meta,
                                     GstCudaHistoVisible *visible, GError **error)
{
  const GstVideoCropMeta *crop = gst_buffer_get_video_crop_meta (buffer);
  guint width = (guint)GST_VIDEO_INFO_WIDTH (info);
  guint height = (guint)GST_VIDEO_INFO_HEIGHT (info);

  if (gst_cuda_histo_picture_is_field (info)) /* in a frame with an odd number of rows, the first field has one more */
    height = meta->height <= height / 2 ? height / 2 : (height + 1) / 2;
  else
    height = (guint)GST_VIDEO_INFO_FIELD_HEIGHT (info);
  if (crop != NULL && (gst_cuda_histo_picture_is_field (info) || gst_cuda_histo_picture_is_alternate (info))) {
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_NOT_IMPLEMENTED, "buffer of fields is cropped");
    return FALSE;
  }
  *visible = (GstCudaHistoVisible){ 0, 0, width, height };
  if (meta != NULL) {
    if (meta->format != GST_VIDEO_INFO_FORMAT (info) || meta->width < width || meta->height < height) {
      g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE,
                   "buffer has a video meta of a %ux%u %s frame, but its caps describe %ux%u %s", meta->width, meta->height,
                   gst_video_format_to_string (meta->format), width, height, info->finfo->name);
      return FALSE;
    }
    if (meta->n_planes != GST_VIDEO_INFO_N_PLANES (info)) {
      g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE, "buffer has a video meta with %u planes, but %s has %u",
                   meta->n_planes, info->finfo->name, GST_VIDEO_INFO_N_PLANES (info));
      return FALSE;
    }
    width = meta->width;
    height = meta->height;
  }
  if (crop != NULL) {
    /* The caps of a cropped buffer have the size after the crop, the video meta has the size before it. */
    if (crop->x > width || crop->width > width - crop->x || crop->y > height || crop->height > height - crop->y) {
      g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE,
                   "buffer is cropped to %ux%u at (%u,%u), which is not inside its %ux%u frame", crop->width, crop->height,
                   crop->x, crop->y, width, height);
      return FALSE;
    }
    *visible = (GstCudaHistoVisible){ crop->x, crop->y, crop->width, crop->height };
  }
  if (visible->width == 0 || visible->height == 0) {
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE,
                 "a frame of %ux%u pixels is cropped to %ux%u, so that no pixel is visible", width, height, visible->width,
                 visible->height);
    return FALSE;
  }
  return TRUE;
}

gboolean
gst_cuda_histo_picture_find (GstCudaHistoPicture *picture, const GstVideoInfo *info, const GstVideoInfo *fallback,
                             GstBuffer *buffer, guint index, struct histo_frame *frame, GError **error)
{
  GstCudaHistoVisible visible;

  if (!gst_cuda_histo_picture_find_whole (picture, info, fallback, buffer, index, error)
      || !gst_cuda_histo_picture_find_visible (info, buffer, picture->meta, &visible, error))
    return FALSE;
  gst_cuda_histo_layout_find (&picture->layout, info->finfo);
  gst_cuda_histo_picture_describe (frame, &picture->layout, &visible, picture->extents);
  frame->gamut = gst_cuda_histo_picture_get_gamut (info);
  frame->light = gst_cuda_histo_picture_get_light (info);
  return TRUE;
}

void
gst_cuda_histo_extent_find_bytes (const GstCudaHistoExtent *extent, gint stride_bytes, gint64 *begin, gint64 *end)
{
  gint64 first = (gint64)extent->first_row * stride_bytes + (gint64)extent->first_byte;
  gint64 last = first + (gint64)(extent->rows - 1) * stride_bytes;

  *begin = MIN (first, last);
  *end = MAX (first, last) + (gint64)extent->row_bytes;
}

gboolean
gst_cuda_histo_picture_check_layout (const GstCudaHistoPicture *picture, const GstVideoInfo *info, GError **error)
{
  const GstCudaHistoExtent *extents = picture->extents;
  gsize size = picture->size;

  for (guint p = 0; p < picture->layout.n_planes; p++) {
    gint stride_bytes = picture->strides[p];
    gsize offset = picture->offsets[p];
    gint64 begin, end;

    if (extents[p].rows > 1 && (guint64)ABS ((gint64)stride_bytes) < extents[p].row_bytes) {
      g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE,
                   "rows of plane %u of a %s frame have a stride of %d bytes, but %" G_GSIZE_FORMAT " bytes", p,
                   info->finfo->name, stride_bytes, extents[p].row_bytes);
      return FALSE;
    }
    gst_cuda_histo_extent_find_bytes (&extents[p], stride_bytes, &begin, &end);
    if (offset > size || begin < -(gint64)offset || end > (gint64)(size - offset)) {
      g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE,
                   "buffer of %" G_GSIZE_FORMAT " bytes is too small for its %s frame: plane %u has %u rows of %" G_GSIZE_FORMAT
                   " bytes with a stride of %d bytes, from byte %" G_GSIZE_FORMAT " on",
                   size, info->finfo->name, p, extents[p].rows, extents[p].row_bytes, stride_bytes, offset);
      return FALSE;
    }
  }
  return TRUE;
}

gboolean
gst_cuda_histo_picture_check_size (const GstCudaHistoPicture *picture, const GstVideoInfo *info, GError **error)
{
  gsize size = picture->size;

  if (picture->meta != NULL || size >= GST_VIDEO_INFO_SIZE (info))
    return TRUE;
  g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE,
               "buffer of %" G_GSIZE_FORMAT " bytes is too small for a %dx%d %s frame of %" G_GSIZE_FORMAT " bytes", size,
               GST_VIDEO_INFO_WIDTH (info), GST_VIDEO_INFO_HEIGHT (info), info->finfo->name, GST_VIDEO_INFO_SIZE (info));
  return FALSE;
}
