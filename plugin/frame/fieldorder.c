/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "frame/fieldorder.h"

/* ---- the fields of a buffer ----------------------------------------------------------------------------------------- */

static gboolean
gst_cuda_histo_field_order_is_interlaced (const GstVideoInfo *info, GstBuffer *buffer)
{
  switch (GST_VIDEO_INFO_INTERLACE_MODE (info)) {
  case GST_VIDEO_INTERLACE_MODE_INTERLEAVED:
  case GST_VIDEO_INTERLACE_MODE_FIELDS:
    return TRUE;
  case GST_VIDEO_INTERLACE_MODE_MIXED:
    return GST_BUFFER_FLAG_IS_SET (buffer, GST_VIDEO_BUFFER_FLAG_INTERLACED);
  default:
    return FALSE;
  }
}

/* The caps' order is that of all frames. Without it, each buffer's flag states its order. Of a single field it states which one
 * it is. */
static gboolean
gst_cuda_histo_field_order_begins_with_top (const GstVideoInfo *info, GstBuffer *buffer)
{
  if (GST_VIDEO_INFO_INTERLACE_MODE (info) != GST_VIDEO_INTERLACE_MODE_MIXED
      && !GST_BUFFER_FLAG_IS_SET (buffer, GST_VIDEO_BUFFER_FLAG_ONEFIELD)
      && GST_VIDEO_INFO_FIELD_ORDER (info) != GST_VIDEO_FIELD_ORDER_UNKNOWN)
    return GST_VIDEO_INFO_FIELD_ORDER (info) == GST_VIDEO_FIELD_ORDER_TOP_FIELD_FIRST;
  return GST_BUFFER_FLAG_IS_SET (buffer, GST_VIDEO_BUFFER_FLAG_TFF);
}

static GstCudaHistoField
gst_cuda_histo_field_order_get_alternate (GstBuffer *buffer)
{
  if (GST_VIDEO_BUFFER_IS_TOP_FIELD (buffer))
    return GST_CUDA_HISTO_FIELD_TOP;
  return GST_VIDEO_BUFFER_IS_BOTTOM_FIELD (buffer) ? GST_CUDA_HISTO_FIELD_BOTTOM : GST_CUDA_HISTO_FIELD_NONE;
}

/* Finds the time of a buffer with a single field. A duration of more than three quarters of a frame is that of the frame. */
static void
gst_cuda_histo_field_order_find_alternate_time (GstCudaHistoFieldOrder *order, const GstVideoInfo *info, gboolean runs_back)
{
  const gint n = GST_VIDEO_INFO_FPS_N (info), d = GST_VIDEO_INFO_FPS_D (info);
  const GstClockTime period = n > 0 && d > 0 ? gst_util_uint64_scale (GST_SECOND, (guint64)d, (guint64)n) : 0;
  const GstClockTime duration = GST_CLOCK_TIME_IS_VALID (order->durations[0]) || period == 0 ? order->durations[0] : period;
  const gboolean is_of_frame = period > 0 && duration > period - period / 4;
  const gboolean is_later = is_of_frame && runs_back ? !order->shares_timestamp : order->shares_timestamp && !runs_back;
  const GstClockTime first = is_of_frame ? duration / 2 : duration;

  if (!GST_CLOCK_TIME_IS_VALID (duration))
    return;
  if (is_of_frame)
    order->durations[0] = is_later ? duration - first : first;
  if (is_later && GST_CLOCK_TIME_IS_VALID (order->timestamps[0]) && first < GST_CLOCK_TIME_NONE - order->timestamps[0])
    order->timestamps[0] += first;
}

/* Divides the buffer's time among its two fields. */
static void
gst_cuda_histo_field_order_divide_time (GstCudaHistoFieldOrder *order, const GstVideoInfo *info, GstBuffer *buffer)
{
  const guint shown = GST_BUFFER_FLAG_IS_SET (buffer, GST_VIDEO_BUFFER_FLAG_RFF) ? 3 : 2;
  const gint n = GST_VIDEO_INFO_FPS_N (info), d = GST_VIDEO_INFO_FPS_D (info);
  GstClockTime duration = GST_BUFFER_DURATION (buffer), first = GST_CLOCK_TIME_NONE;

  if (!GST_CLOCK_TIME_IS_VALID (duration) && n > 0 && d > 0)
    duration = gst_util_uint64_scale (GST_SECOND * shown, (guint64)d, 2 * (guint64)n);
  if (GST_CLOCK_TIME_IS_VALID (duration))
    first = duration / shown;
  order->durations[0] = first;
  order->durations[1] = GST_CLOCK_TIME_IS_VALID (duration) ? duration - first : GST_CLOCK_TIME_NONE;
  order->timestamps[1] = GST_CLOCK_TIME_NONE;
  if (GST_CLOCK_TIME_IS_VALID (order->timestamps[0]) && first < GST_CLOCK_TIME_NONE - order->timestamps[0])
    order->timestamps[1] = order->timestamps[0] + first;
}

static void
gst_cuda_histo_field_order_reverse (GstCudaHistoFieldOrder *order)
{
  const GstCudaHistoFieldOrder shown = *order;

  for (guint i = 0; i < order->count; i++) {
    const guint from = order->count - 1 - i;

    order->fields[i] = shown.fields[from];
    order->timestamps[i] = shown.timestamps[from];
    order->durations[i] = shown.durations[from];
  }
}

void
gst_cuda_histo_field_order_find (GstCudaHistoFieldOrder *order, GstCudaHistoFields fields, const GstVideoInfo *info,
                                 GstBuffer *buffer, guint repeats, gboolean runs_back)
{
  const GstCudaHistoField before = order->fields[0];
  gboolean begins_with_top;

  *order = (GstCudaHistoFieldOrder){
    .count = 1,
    .timestamps = { GST_BUFFER_PTS (buffer) },
    .durations = { GST_BUFFER_DURATION (buffer) },
  };
  if (GST_VIDEO_INFO_INTERLACE_MODE (info) == GST_VIDEO_INTERLACE_MODE_ALTERNATE) {
    order->fields[0] = gst_cuda_histo_field_order_get_alternate (buffer);
    order->shares_timestamp = repeats == 1 && before != GST_CUDA_HISTO_FIELD_NONE
                              && order->fields[0] != GST_CUDA_HISTO_FIELD_NONE && order->fields[0] != before;
    gst_cuda_histo_field_order_find_alternate_time (order, info, runs_back);
  }
  if (fields == GST_CUDA_HISTO_FIELDS_TOGETHER || !gst_cuda_histo_field_order_is_interlaced (info, buffer))
    return;
  order->are_interleaved = GST_VIDEO_INFO_INTERLACE_MODE (info) != GST_VIDEO_INTERLACE_MODE_FIELDS;
  begins_with_top = gst_cuda_histo_field_order_begins_with_top (info, buffer);
  order->fields[0] = begins_with_top ? GST_CUDA_HISTO_FIELD_TOP : GST_CUDA_HISTO_FIELD_BOTTOM;
  order->fields[1] = begins_with_top ? GST_CUDA_HISTO_FIELD_BOTTOM : GST_CUDA_HISTO_FIELD_TOP;
  if (GST_BUFFER_FLAG_IS_SET (buffer, GST_VIDEO_BUFFER_FLAG_ONEFIELD))
    return;
  order->count = 2;
  gst_cuda_histo_field_order_divide_time (order, info, buffer);
  if (runs_back)
    gst_cuda_histo_field_order_reverse (order);
}

gboolean
gst_cuda_histo_fields_are_certain (const GstVideoInfo *info, GstCudaHistoFields fields)
{
  switch (GST_VIDEO_INFO_INTERLACE_MODE (info)) {
  case GST_VIDEO_INTERLACE_MODE_ALTERNATE:
    return TRUE;
  case GST_VIDEO_INTERLACE_MODE_INTERLEAVED:
  case GST_VIDEO_INTERLACE_MODE_FIELDS:
    return fields == GST_CUDA_HISTO_FIELDS_APART;
  default:
    return FALSE;
  }
}

gboolean
gst_cuda_histo_fields_are_unequal (const GstVideoInfo *info, GstCudaHistoFields fields, guint frame_height)
{
  const GstVideoInterlaceMode mode = GST_VIDEO_INFO_INTERLACE_MODE (info);

  if (mode == GST_VIDEO_INTERLACE_MODE_FIELDS)
    return frame_height % 2 == 1;
  if (fields == GST_CUDA_HISTO_FIELDS_TOGETHER
      || (mode != GST_VIDEO_INTERLACE_MODE_INTERLEAVED && mode != GST_VIDEO_INTERLACE_MODE_MIXED))
    return FALSE;
  for (guint c = 0; c < GST_VIDEO_INFO_N_COMPONENTS (info); c++) {
    if (GST_VIDEO_FORMAT_INFO_SCALE_HEIGHT (info->finfo, c, frame_height) % 2 == 1)
      return TRUE;
  }
  return FALSE;
}

/* ---- the samples of a field ----------------------------------------------------------------------------------------- */

gboolean
gst_cuda_histo_fields_check (const GstVideoInfo *info, GstBuffer *buffer, const GstCudaHistoFrame *frame, GError **error)
{
  const GstVideoCropMeta *crop = gst_buffer_get_video_crop_meta (buffer);
  guint unit = 2;

  for (guint c = 0; c < GST_VIDEO_INFO_N_COMPONENTS (info); c++)
    unit = MAX (unit, 2u << GST_VIDEO_FORMAT_INFO_H_SUB (info->finfo, c));
  if (crop != NULL && crop->y % unit != 0) {
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_NOT_IMPLEMENTED,
                 "buffer of interleaved fields is cropped from row %u on, which is not a multiple of %u", crop->y, unit);
    return FALSE;
  }
  for (guint p = 0; p < frame->frame.plane_count; p++) {
    if (frame->frame.planes[p].height < 2) {
      g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_NOT_IMPLEMENTED,
                   "%s frame is too low for two fields: plane %u has a single row", info->finfo->name, p);
      return FALSE;
    }
  }
  return TRUE;
}

typedef struct {
  GstCudaHistoFrame *picture;
  GstCudaHistoField field;
} Field;

static void
gst_cuda_histo_frame_free_field (gpointer mapping)
{
  Field *field = mapping;

  gst_cuda_histo_frame_unref (field->picture);
  g_free (field);
}

static GstCudaHistoFrame *
gst_cuda_histo_frame_download_field (const GstCudaHistoFrame *frame, GError **error)
{
  const Field *field = frame->mapping;
  g_autoptr (GstCudaHistoFrame) picture = gst_cuda_histo_frame_download (field->picture, error);

  return picture != NULL ? gst_cuda_histo_frame_get_field (picture, field->field) : NULL;
}

GstCudaHistoFrame *
gst_cuda_histo_frame_get_field (GstCudaHistoFrame *picture, GstCudaHistoField field)
{
  const guint first = field == GST_CUDA_HISTO_FIELD_BOTTOM ? 1 : 0;
  GstCudaHistoFrame *self = g_new (GstCudaHistoFrame, 1);
  Field *mapping = g_new (Field, 1);

  *mapping = (Field){ .picture = gst_cuda_histo_frame_ref (picture), .field = field };
  *self = *picture;
  gst_cuda_histo_frame_init (self); /* its samples are others: it has its own id */
  self->frame.memory = picture->frame.memory;
  self->download = gst_cuda_histo_frame_download_field;
  self->unmap = gst_cuda_histo_frame_free_field;
  self->mapping = mapping;
  for (guint p = 0; p < self->frame.plane_count; p++) {
    struct histo_plane *plane = &self->frame.planes[p];
    const guint rows = (plane->height + 1 - first) / 2;
    const guint skipped = (self->bottom_up & 1u << p) != 0 ? plane->height - 1 - first - 2 * (rows - 1) : first;

    plane->data = (const guint8 *)plane->data + skipped * plane->stride_bytes;
    plane->stride_bytes *= 2;
    plane->height = rows;
  }
  self->frame.chroma.phase_y = picture->phase_y;
  gst_cuda_histo_frame_turn_chroma (self);
  return self;
}
