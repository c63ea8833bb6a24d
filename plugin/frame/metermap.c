/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "frame/metermap.h"

#include <string.h>

#include "frame/cudacontext.h"
#include "frame/framemap.h"
#include "frame/weights.h"

#define MAX_SIDE 65536
#define MAX_BYTES ((gsize)256 << 20) /* 7680 x 4320 samples in decimal: up to five digits and a space each */
#define CENTER_STEPS 4096            /* steps from the centre to an edge: the resolution of distances */
#define CENTER_MOST 254              /* largest weight, less 1 */
#define SPOT_SHARE 8

/* ---- PGM ------------------------------------------------------------------------------------------------------------- */

typedef struct {
  const guint8 *at, *end;
} Text;

/* Reads the next decimal number after spaces and comments. */
static gboolean
gst_cuda_histo_meter_map_read_number (Text *text, guint *number)
{
  guint value = 0;

  while (text->at < text->end && (g_ascii_isspace (*text->at) || *text->at == '#')) {
    if (*text->at++ == '#')
      while (text->at < text->end && *text->at != '\n')
        text->at++;
  }
  if (text->at == text->end || !g_ascii_isdigit (*text->at))
    return FALSE;
  for (; text->at < text->end && g_ascii_isdigit (*text->at) && value <= MAX_SIDE; text->at++)
    value = 10 * value + (guint)(*text->at - '0');
  *number = value;
  return value <= MAX_SIDE;
}

/* Reads the samples after the header: decimal numbers, or one or two bytes each. Returns NULL, or the error. */
static const gchar *
gst_cuda_histo_meter_map_read_samples (GstCudaHistoMeterMap *map, Text *text, gboolean is_plain, guint most)
{
  const gsize count = (gsize)map->width * map->height, size = most > 255 ? 2 : 1;
  guint largest = 0;

  if (!is_plain) {
    text->at++; /* one space */
    if (text->at > text->end || (gsize)(text->end - text->at) / size < count)
      return "it ends before its last sample";
  }
  if (is_plain && (gsize)(text->end - text->at) / 2 < count)
    return "it ends before its last sample";
  map->weights = g_try_new (guint16, count);
  if (map->weights == NULL)
    return "there is not enough memory for it";
  for (gsize i = 0; i < count; i++) {
    guint value;

    if (is_plain && !gst_cuda_histo_meter_map_read_number (text, &value))
      return text->at == text->end ? "it ends before its last sample" : "a sample is not a whole number from 0 to 65535";
    if (!is_plain) {
      value = size == 2 ? (guint)text->at[0] << 8 | text->at[1] : text->at[0];
      text->at += size;
    }
    if (value > most)
      return "a sample exceeds the largest value in its header";
    map->weights[i] = (guint16)value;
    largest = MAX (largest, value);
  }
  return largest > 0 ? NULL : "all its weights are 0";
}

/* Returns NULL, or the error. */
static const gchar *
gst_cuda_histo_meter_map_parse (GstCudaHistoMeterMap *map, Text *text)
{
  guint most;
  gboolean is_plain;

  if (text->end - text->at < 2 || text->at[0] != 'P' || !g_ascii_isdigit (text->at[1]))
    return "it is not a PGM picture, which begins with P2 or P5";
  if (text->at[1] != '2' && text->at[1] != '5')
    return "it is a PNM picture other than PGM, which begins with P2 or P5";
  is_plain = text->at[1] == '2';
  text->at += 2;
  if (!gst_cuda_histo_meter_map_read_number (text, &map->width) || !gst_cuda_histo_meter_map_read_number (text, &map->height)
      || map->width == 0 || map->height == 0)
    return "its header has no width and height from 1 to 65536";
  if (!gst_cuda_histo_meter_map_read_number (text, &most) || most == 0 || most > G_MAXUINT16)
    return "its header has no largest value from 1 to 65535";
  return gst_cuda_histo_meter_map_read_samples (map, text, is_plain, most);
}

GstCudaHistoMeterMap *
gst_cuda_histo_meter_map_read (const gchar *location, GError **error)
{
  GstCudaHistoMeterMap *map = g_new0 (GstCudaHistoMeterMap, 1);
  const gchar *fault;
  gsize size;
  Text text;
  g_autofree gchar *contents = gst_cuda_histo_weights_load (location, MAX_BYTES, &size, error);

  if (contents == NULL) {
    gst_cuda_histo_meter_map_free (map);
    return NULL;
  }
  text = (Text){ .at = (const guint8 *)contents, .end = (const guint8 *)contents + size };
  fault = gst_cuda_histo_meter_map_parse (map, &text);
  if (fault != NULL) {
    g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS, "\"%s\" is not a map of weights: %s.", location, fault);
    gst_cuda_histo_meter_map_free (map);
    return NULL;
  }
  return map;
}

void
gst_cuda_histo_meter_map_free (GstCudaHistoMeterMap *map)
{
  g_free (map->weights);
  g_free (map);
}

/* ---- frames ---------------------------------------------------------------------------------------------------------- */

static GstCudaHistoFrame *
gst_cuda_histo_meter_frame_download_luma (const GstCudaHistoFrame *frame, GError **error)
{
  g_autoptr (GstCudaHistoFrame) picture = gst_cuda_histo_frame_download (frame->mapping, error);

  return picture != NULL ? gst_cuda_histo_meter_frame_of_luma (picture, &frame->frame.matrix) : NULL;
}

GstCudaHistoFrame *
gst_cuda_histo_meter_frame_of_luma (GstCudaHistoFrame *picture, const struct histo_matrix *matrix)
{
  GstCudaHistoFrame *luma = gst_cuda_histo_frame_share (picture);
  const gboolean is_derived = matrix->shift > 0;

  luma->download = gst_cuda_histo_meter_frame_download_luma;
  luma->frame.statistics = HISTO_STATISTIC_DOT;
  luma->frame.derived_count = is_derived ? 1 : 0;
  luma->frame.matrix = *matrix;
  luma->frame.component_count = is_derived ? 3 : 1; /* luma comes first in all formats with luma */
  if (!is_derived)
    luma->frame.plane_count = 1;
  for (guint c = 0; c < luma->frame.component_count; c++)
    luma->frame.components[c].bins = HISTO_BINS;
  luma->frame.chroma = (struct histo_chroma){ 0 };
  luma->phase_y = 0;
  return luma;
}

/* Returns the distance of pixel `at` of `length` from the middle, where the edge is at CENTER_STEPS. */
static guint64
gst_cuda_histo_meter_frame_get_distance (guint at, guint length)
{
  const gint64 doubled = 2 * (gint64)at + 1 - length;

  return (guint64)ABS (doubled) * CENTER_STEPS / length;
}

static gboolean
gst_cuda_histo_meter_frame_is_in_middle (guint at, guint length)
{
  const gint64 doubled = 2 * (gint64)at + 1 - length;

  return SPOT_SHARE * ABS (doubled) <= MAX (length, SPOT_SHARE);
}

static guint
gst_cuda_histo_meter_frame_get_weight (GstCudaHistoMetering metering, const GstCudaHistoMeterMap *map, guint x, guint y,
                                       guint width, guint height)
{
  const guint64 farthest = 2 * CENTER_STEPS * CENTER_STEPS;
  guint64 across, down;

  switch (metering) {
  case GST_CUDA_HISTO_METERING_CENTER:
    across = gst_cuda_histo_meter_frame_get_distance (x, width);
    down = gst_cuda_histo_meter_frame_get_distance (y, height);
    return (guint)(1 + CENTER_MOST * (farthest - across * across - down * down) / farthest);
  case GST_CUDA_HISTO_METERING_SPOT:
    return gst_cuda_histo_meter_frame_is_in_middle (x, width) && gst_cuda_histo_meter_frame_is_in_middle (y, height);
  default: /* the map's nearest sample */
    across = (2 * (guint64)x + 1) * map->width / (2 * (guint64)width);
    down = (2 * (guint64)y + 1) * map->height / (2 * (guint64)height);
    return map->weights[down * map->width + across];
  }
}

/* Returns the bytes of a row of a plane, to the end of the last sample; 0 without samples. */
static gsize
gst_cuda_histo_meter_frame_count_row_bytes (const struct histo_frame *frame, guint plane)
{
  gsize bytes = 0;

  for (guint c = 0; c < frame->component_count; c++) {
    const struct histo_component *component = &frame->components[c];

    if (component->plane == plane)
      bytes = MAX (bytes, component->offset_bytes + (component->width - 1) * component->step_bytes + component->sample_bytes);
  }
  return bytes;
}

/* Stores a weight as the sample of pixel (x, y), rows from top to bottom, of each component. */
static void
gst_cuda_histo_meter_frame_store (const GstCudaHistoFrame *self, guint x, guint y, guint weight)
{
  for (guint c = 0; c < self->frame.component_count; c++) {
    const struct histo_component *component = &self->frame.components[c];
    const struct histo_plane *plane = &self->frame.planes[component->plane];
    const guint row = (self->bottom_up & 1u << component->plane) != 0 ? plane->height - 1 - y : y;
    guint8 *at = (guint8 *)plane->data + row * plane->stride_bytes + component->offset_bytes + x * component->step_bytes;
    const guint shifted = weight << component->shift;

    at[0] = (guint8)(component->big_endian ? shifted >> 8 : shifted);
    if (component->sample_bytes == 2)
      at[1] = (guint8)(component->big_endian ? shifted : shifted >> 8);
  }
}

/* Returns a frame of zeros in the element's own memory, with the layout of `luma`. */
static GstCudaHistoFrame *
gst_cuda_histo_meter_frame_new (const GstCudaHistoFrame *luma)
{
  gsize offsets[HISTO_MAX_PLANES] = { 0 }, size = 0;
  GstCudaHistoFrame *self;
  guint8 *data;
  guint64 id;

  for (guint p = 0; p < luma->frame.plane_count; p++) {
    offsets[p] = size;
    size += gst_cuda_histo_meter_frame_count_row_bytes (&luma->frame, p) * luma->frame.planes[p].height;
  }
  data = g_malloc0 (size);
  self = gst_cuda_histo_frame_wrap_bytes (data, size, g_free, data);
  id = self->frame.id;
  self->frame = luma->frame;
  self->frame.id = id;
  self->frame.memory = HISTO_MEMORY_HOST;
  self->frame.stream = NULL;
  for (guint p = 0; p < luma->frame.plane_count; p++) {
    self->frame.planes[p].data = data + offsets[p];
    self->frame.planes[p].stride_bytes = gst_cuda_histo_meter_frame_count_row_bytes (&luma->frame, p);
  }
  self->bottom_up = luma->bottom_up;
  return self;
}

GstCudaHistoFrame *
gst_cuda_histo_meter_frame_of_weights (const GstCudaHistoFrame *luma, GstCudaHistoMetering metering,
                                       const GstCudaHistoMeterMap *map, guint64 *sum, guint *largest)
{
  const struct histo_component *component = &luma->frame.components[0];
  const guint width = (guint)component->width, height = luma->frame.planes[component->plane].height;
  GstCudaHistoFrame *self = gst_cuda_histo_meter_frame_new (luma);

  *sum = *largest = 0;
  for (guint y = 0; y < height; y++)
    for (guint x = 0; x < width; x++) {
      const guint weight = gst_cuda_histo_meter_frame_get_weight (metering, map, x, y, width, height);

      *largest = MAX (*largest, weight);
      *sum += weight;
      gst_cuda_histo_meter_frame_store (self, x, y, weight);
    }
  if (*largest < 1u << component->depth)
    return self;
  gst_cuda_histo_frame_unref (self);
  return NULL;
}

/* Writes weights to the luma of a picture in the element's own memory. */
static void
gst_cuda_histo_meter_frame_copy_luma (const GstCudaHistoFrame *weights, const GstCudaHistoFrame *luma)
{
  for (guint p = 0; p < weights->frame.plane_count; p++) {
    const struct histo_plane *from = &weights->frame.planes[p], *to = &luma->frame.planes[p];

    for (guint y = 0; y < from->height && from->stride_bytes > 0; y++)
      memcpy ((guint8 *)to->data + y * to->stride_bytes, (const guint8 *)from->data + y * from->stride_bytes,
              from->stride_bytes);
  }
}

GstCudaHistoFrame *
gst_cuda_histo_meter_frame_upload (const GstCudaHistoFrame *weights, const GstVideoInfo *info, GstObject *context)
{
  GstBuffer *buffer, *uploaded = NULL;
  g_autoptr (GstCudaHistoFrame) picture = NULL;
  GstCudaHistoFrame *luma = NULL;
  GstBufferPool *pool;
  GstVideoInfo field;

  /* A field has fewer rows than the caps. */
  if (weights->frame.planes[0].height < (guint)GST_VIDEO_INFO_HEIGHT (info)
      && gst_video_info_set_format (&field, GST_VIDEO_INFO_FORMAT (info), (guint)GST_VIDEO_INFO_WIDTH (info),
                                    weights->frame.planes[0].height))
    info = &field;
  pool = gst_cuda_histo_cuda_new_pool (context, info);

  if (pool == NULL)
    return NULL;
  buffer = gst_buffer_new_allocate (NULL, GST_VIDEO_INFO_SIZE (info), NULL);
  gst_buffer_memset (buffer, 0, 0, GST_VIDEO_INFO_SIZE (info));
  picture = gst_cuda_histo_frame_map_video (info, buffer, 0, NULL, NULL);
  if (picture != NULL && picture->frame.components[0].width == weights->frame.components[0].width
      && picture->frame.planes[0].height == weights->frame.planes[0].height) { /* the planes of R, G and B are equal in size */
    gst_cuda_histo_meter_frame_copy_luma (weights, picture);
    g_clear_pointer (&picture, gst_cuda_histo_frame_unref);
    uploaded = gst_cuda_histo_cuda_upload (pool, info, buffer);
  }
  if (uploaded != NULL) {
    picture = gst_cuda_histo_frame_map_cuda (info, uploaded, 0, NULL, NULL);
    if (picture != NULL)
      luma = gst_cuda_histo_meter_frame_of_luma (picture, &weights->frame.matrix);
    gst_buffer_unref (uploaded);
  }
  gst_buffer_unref (buffer);
  gst_cuda_histo_cuda_free_pool (pool);
  return luma;
}
