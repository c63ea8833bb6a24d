/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "frame/framemap.h"

#include <stdatomic.h>
#include <string.h>

#include "frame/cudacontext.h"

#define COPY_ALIGNMENT 256 /* bytes: what a GPU's copies and loads may depend on */

/* ---- reference counting ---------------------------------------------------------------------------------------------- */

/* Initializes a frame of zeros. */
static void
gst_cuda_histo_frame_init (GstCudaHistoFrame *self)
{
  static _Atomic guint64 last_id;

  g_atomic_ref_count_init (&self->ref_count);
  self->frame.memory = HISTO_MEMORY_HOST;
  self->frame.id = atomic_fetch_add_explicit (&last_id, 1, memory_order_relaxed) + 1;
}

GstCudaHistoFrame *
gst_cuda_histo_frame_ref (GstCudaHistoFrame *frame)
{
  g_atomic_ref_count_inc (&frame->ref_count);
  return frame;
}

void
gst_cuda_histo_frame_unref (GstCudaHistoFrame *frame)
{
  if (!g_atomic_ref_count_dec (&frame->ref_count))
    return;
  if (frame->unmap != NULL)
    frame->unmap (frame->mapping);
  g_free (frame);
}

/* ---- bytes ----------------------------------------------------------------------------------------------------------- */

static void
gst_cuda_histo_frame_describe_bytes (GstCudaHistoFrame *self, gconstpointer data, gsize size)
{
  struct histo_frame *frame = &self->frame;

  self->size = size;
  frame->plane_count = 1;
  frame->planes[0] = (struct histo_plane){ .data = data, .stride_bytes = size, .height = 1 };
  frame->component_count = 1;
  frame->components[0] = (struct histo_component){ .step_bytes = 1, .width = size, .sample_bytes = 1, .depth = 8 };
}

GstCudaHistoFrame *
gst_cuda_histo_frame_wrap_bytes (gconstpointer data, gsize size, GDestroyNotify release, gpointer owner)
{
  GstCudaHistoFrame *self = g_new0 (GstCudaHistoFrame, 1);

  gst_cuda_histo_frame_init (self);
  gst_cuda_histo_frame_describe_bytes (self, data, size);
  self->unmap = release;
  self->mapping = owner;
  return self;
}

/* ---- video ----------------------------------------------------------------------------------------------------------- */

typedef struct {
  guint x, y, width, height;
} Rectangle;

/* The visible part of a plane, in bytes and rows, before anything is known about addresses. */
typedef struct {
  guint first_row, rows;
  gsize first_byte; /* in each row */
  gsize row_bytes;  /* from the first byte to the end of the last sample; 0: no component lies in the plane */
} Extent;

typedef struct {
  GstCudaHistoFrame self;
  GstVideoFrame video; /* mapped where video.buffer is set; else `whole` is */
  GstBuffer *buffer;
  GstMapInfo whole;
  GstVideoInfo info; /* of memory on the GPU only, with the next */
  guint picture;
} MappedVideo;

/* Where one picture of a buffer lies. */
typedef struct {
  const GstVideoMeta *meta; /* which says so, or NULL */
  gint memory;              /* the memory that it has for itself, or -1: it lies anywhere in the buffer */
  gsize size;               /* bytes of that, or of the buffer */
  const gsize *offsets;     /* from there */
  const gint *strides;      /* bytes */
} Picture;

static gboolean
gst_cuda_histo_frame_has_fields (const GstVideoInfo *info)
{
  return GST_VIDEO_INFO_INTERLACE_MODE (info) == GST_VIDEO_INTERLACE_MODE_FIELDS;
}

guint
gst_cuda_histo_count_pictures (const GstVideoInfo *info)
{
  gint views = 1;

  if (GST_VIDEO_INFO_MULTIVIEW_MODE (info) == GST_VIDEO_MULTIVIEW_MODE_SEPARATED)
    views = CLAMP (GST_VIDEO_INFO_VIEWS (info), 1, GST_CUDA_HISTO_MAX_PICTURES + 1);
  return (guint)views * (gst_cuda_histo_frame_has_fields (info) ? 2 : 1);
}

/* How many pictures the buffer's metas describe: those with the same id describe the same. Counts to `limit`. */
static guint
gst_cuda_histo_frame_count_described (GstBuffer *buffer, guint limit)
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

/* Whether each picture of a buffer without metas has a memory for itself. */
static gboolean
gst_cuda_histo_frame_has_memory_for_each (const GstVideoInfo *info, GstBuffer *buffer, guint pictures)
{
  if (gst_cuda_histo_frame_has_fields (info) || gst_buffer_n_memory (buffer) != pictures)
    return FALSE;
  for (guint i = 0; i < pictures; i++) {
    if (gst_buffer_peek_memory (buffer, i)->size < GST_VIDEO_INFO_SIZE (info))
      return FALSE;
  }
  return TRUE;
}

/* `fallback` is what holds for all of its kind where the buffer has no GstVideoMeta. FALSE with @error where the buffer does
 * not hold what its caps promise: none may be left out. */
static gboolean
gst_cuda_histo_frame_find_picture (const GstVideoInfo *info, const GstVideoInfo *fallback, GstBuffer *buffer, guint index,
                                   Picture *picture, GError **error)
{
  const guint pictures = gst_cuda_histo_count_pictures (info);
  guint described;

  if (pictures > GST_CUDA_HISTO_MAX_PICTURES) {
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_NOT_IMPLEMENTED, "buffer has more than %u pictures",
                 GST_CUDA_HISTO_MAX_PICTURES);
    return FALSE;
  }
  *picture = (Picture){
    .memory = -1, .size = gst_buffer_get_size (buffer), .offsets = fallback->offset, .strides = fallback->stride
  };
  described = gst_cuda_histo_frame_count_described (buffer, pictures + 1);
  if (described == 0 && pictures > 1 && gst_cuda_histo_frame_has_memory_for_each (info, buffer, pictures)) {
    picture->memory = (gint)index;
    picture->size = gst_buffer_peek_memory (buffer, index)->size;
    return TRUE;
  }
  if (described == 0 && pictures == 1 && gst_buffer_n_memory (buffer) > 1
      && gst_cuda_histo_frame_has_memory_for_each (info, buffer, gst_buffer_n_memory (buffer))) {
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE,
                 "buffer has %u memories of a whole frame each, but its caps "
                 "promise one frame",
                 gst_buffer_n_memory (buffer));
    return FALSE;
  }
  if (described == 0 && pictures == 1)
    return TRUE;

  /* A single picture may be one of many, each in a buffer of its own, and say so with its id. */
  picture->meta = pictures == 1 ? gst_buffer_get_video_meta (buffer) : gst_buffer_get_video_meta_id (buffer, (gint)index);
  if (described != pictures || picture->meta == NULL) {
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE,
                 "buffer says where %s%u of its pictures are, but its caps promise %u", described > pictures ? "at least " : "",
                 described, pictures);
    return FALSE;
  }
  picture->offsets = picture->meta->offset;
  picture->strides = picture->meta->stride;
  return TRUE;
}

static void
gst_cuda_histo_frame_unmap_video (gpointer mapping)
{
  MappedVideo *mapped = mapping;

  if (mapped->video.buffer != NULL) {
    gst_video_frame_unmap (&mapped->video);
  } else if (mapped->buffer != NULL) {
    gst_buffer_unmap (mapped->buffer, &mapped->whole);
    gst_buffer_unref (mapped->buffer);
  }
}

/* Which pixels are visible. FALSE with @error where the metas contradict the caps, or each other. */
static gboolean
gst_cuda_histo_frame_find_visible_pixels (const GstVideoInfo *info, GstBuffer *buffer, const GstVideoMeta *meta,
                                          Rectangle *visible, GError **error)
{
  const GstVideoCropMeta *crop = gst_buffer_get_video_crop_meta (buffer);
  guint width = (guint)GST_VIDEO_INFO_WIDTH (info);
  guint height = (guint)GST_VIDEO_INFO_HEIGHT (info);

  if (gst_cuda_histo_frame_has_fields (info)) {
    /* The field that has the first of an odd number of rows has one more. */
    height = meta->height <= height / 2 ? height / 2 : (height + 1) / 2;
    if (crop != NULL) {
      g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_NOT_IMPLEMENTED, "buffer of fields is cropped");
      return FALSE;
    }
  }
  *visible = (Rectangle){ 0, 0, width, height };
  if (meta != NULL) {
    if (meta->format != GST_VIDEO_INFO_FORMAT (info) || meta->width < width || meta->height < height) {
      g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE,
                   "buffer says it is a %ux%u %s frame, but its caps promise %ux%u %s", meta->width, meta->height,
                   gst_video_format_to_string (meta->format), width, height, info->finfo->name);
      return FALSE;
    }
    if (meta->n_planes != GST_VIDEO_INFO_N_PLANES (info)) {
      g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE, "buffer says it has %u planes, but %s has %u",
                   meta->n_planes, info->finfo->name, GST_VIDEO_INFO_N_PLANES (info));
      return FALSE;
    }
    width = meta->width;
    height = meta->height;
  }
  if (crop != NULL) {
    /* The caps of a cropped buffer give the size after the crop, the video meta that before it. */
    if (crop->x > width || crop->width > width - crop->x || crop->y > height || crop->height > height - crop->y) {
      g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE,
                   "buffer is cropped to %ux%u at (%u,%u), which is not inside its %ux%u frame", crop->width, crop->height,
                   crop->x, crop->y, width, height);
      return FALSE;
    }
    *visible = (Rectangle){ crop->x, crop->y, crop->width, crop->height };
  }
  if (visible->width == 0 || visible->height == 0) {
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE,
                 "nothing is visible of a frame of %ux%u pixels cropped to %ux%u", width, height, visible->width,
                 visible->height);
    return FALSE;
  }
  return TRUE;
}

/* Samples [*first, *first + returned count) of a component that is subsampled by
 * 2^shift touch pixels [start, start + count). */
static guint
gst_cuda_histo_frame_subsample (guint start, guint count, guint shift, guint *first)
{
  guint64 end = (((guint64)start + count) + (1u << shift) - 1) >> shift;

  *first = start >> shift;
  return (guint)end - *first;
}

/* Where the first sample of a component is in its row. */
static gsize
gst_cuda_histo_frame_get_offset (const GstVideoFormatInfo *finfo, guint c)
{
  gsize offset = (gsize)GST_VIDEO_FORMAT_INFO_POFFSET (finfo, c);

  /* GStreamer's table counts in samples for V of P010, P012 and P016: 1 where bytes would be 2. */
  if (GST_VIDEO_FORMAT_INFO_DEPTH (finfo, c) > 8 && offset % 2 == 1)
    offset *= 2;
  return offset;
}

/* Fills in the components and the planes' heights. */
static void
gst_cuda_histo_frame_describe_video (struct histo_frame *frame, const GstVideoFormatInfo *finfo, const Rectangle *visible,
                                     Extent extents[GST_VIDEO_MAX_PLANES])
{
  gsize starts[GST_VIDEO_MAX_COMPONENTS];

  frame->plane_count = GST_VIDEO_FORMAT_INFO_N_PLANES (finfo);
  frame->component_count = GST_VIDEO_FORMAT_INFO_N_COMPONENTS (finfo);
  for (guint p = 0; p < frame->plane_count; p++)
    extents[p] = (Extent){ .first_byte = G_MAXSIZE };

  for (guint c = 0; c < frame->component_count; c++) {
    struct histo_component *component = &frame->components[c];
    Extent *extent;
    guint first;

    component->plane = GST_VIDEO_FORMAT_INFO_PLANE (finfo, c);
    component->step_bytes = (gsize)GST_VIDEO_FORMAT_INFO_PSTRIDE (finfo, c);
    component->width
        = gst_cuda_histo_frame_subsample (visible->x, visible->width, GST_VIDEO_FORMAT_INFO_W_SUB (finfo, c), &first);
    component->depth = GST_VIDEO_FORMAT_INFO_DEPTH (finfo, c);
    component->bins = 1u << component->depth; /* whatever is handed out: a value's own counter is what makes a result exact */
    component->sample_bytes = component->depth > 8 ? 2 : 1;
    component->shift = GST_VIDEO_FORMAT_INFO_SHIFT (finfo, c);
    component->big_endian = component->sample_bytes == 2 && !GST_VIDEO_FORMAT_INFO_IS_LE (finfo);

    extent = &extents[component->plane];
    starts[c] = first * component->step_bytes;
    extent->first_byte = MIN (extent->first_byte, starts[c]);
    extent->rows = gst_cuda_histo_frame_subsample (visible->y, visible->height, GST_VIDEO_FORMAT_INFO_H_SUB (finfo, c),
                                                   &extent->first_row);
  }

  /* Offsets count from the visible part, so that two frames of one size match wherever they are cropped. */
  for (guint c = 0; c < frame->component_count; c++) {
    struct histo_component *component = &frame->components[c];
    Extent *extent = &extents[component->plane];
    gsize end;

    component->offset_bytes = starts[c] - extent->first_byte + gst_cuda_histo_frame_get_offset (finfo, c);
    end = component->offset_bytes + (component->width - 1) * component->step_bytes + component->sample_bytes;
    extent->row_bytes = MAX (extent->row_bytes, end);
  }
  for (guint p = 0; p < frame->plane_count; p++)
    frame->planes[p].height = extents[p].rows;
}

/* The bytes from *begin to *end of a plane, counted from its first row, that hold samples. Either may be negative. */
static void
gst_cuda_histo_frame_find_bytes (const Extent *extent, gint stride_bytes, gint64 *begin, gint64 *end)
{
  gint64 first = (gint64)extent->first_row * stride_bytes + (gint64)extent->first_byte;
  gint64 last = first + (gint64)(extent->rows - 1) * stride_bytes;

  *begin = MIN (first, last);
  *end = MAX (first, last) + (gint64)extent->row_bytes;
}

/* FALSE with @error where the buffer cannot hold what its strides and offsets claim. */
static gboolean
gst_cuda_histo_frame_check_layout (const GstVideoInfo *info, const Picture *picture, const Extent *extents, GError **error)
{
  gsize size = picture->size;

  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (info); p++) {
    gint stride_bytes = picture->strides[p];
    gsize offset = picture->offsets[p];
    gint64 begin, end;

    if (extents[p].rows > 1 && (guint64)ABS ((gint64)stride_bytes) < extents[p].row_bytes) {
      g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE,
                   "rows of plane %u of a %s frame lie %d bytes apart, but have %" G_GSIZE_FORMAT " bytes", p,
                   info->finfo->name, stride_bytes, extents[p].row_bytes);
      return FALSE;
    }
    gst_cuda_histo_frame_find_bytes (&extents[p], stride_bytes, &begin, &end);
    if (offset > size || begin < -(gint64)offset || end > (gint64)(size - offset)) {
      g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE,
                   "buffer of %" G_GSIZE_FORMAT " bytes is too small for its %s frame: plane %u has %u rows of %" G_GSIZE_FORMAT
                   " bytes, %d bytes apart, from byte %" G_GSIZE_FORMAT " on",
                   size, info->finfo->name, p, extents[p].rows, extents[p].row_bytes, stride_bytes, offset);
      return FALSE;
    }
  }
  return TRUE;
}

/* FALSE with @error where the buffer is smaller than its caps say. */
static gboolean
gst_cuda_histo_frame_check_size (const GstVideoInfo *info, const Picture *picture, GError **error)
{
  gsize size = picture->size;

  if (picture->meta != NULL || size >= GST_VIDEO_INFO_SIZE (info))
    return TRUE;
  g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE,
               "buffer of %" G_GSIZE_FORMAT " bytes is too small for a %dx%d %s frame of %" G_GSIZE_FORMAT " bytes", size,
               GST_VIDEO_INFO_WIDTH (info), GST_VIDEO_INFO_HEIGHT (info), info->finfo->name, GST_VIDEO_INFO_SIZE (info));
  return FALSE;
}

/* Sets a plane's address, where the samples lie between `start` and `start` + `size`, which are mapped. */
static gboolean
gst_cuda_histo_frame_place_plane (MappedVideo *mapped, guint index, const Extent *extent, const guint8 *data, gint stride_bytes,
                                  const guint8 *start, gsize size)
{
  struct histo_plane *plane = &mapped->self.frame.planes[index];
  gint64 offset = data - start;
  gint64 begin, end;

  gst_cuda_histo_frame_find_bytes (extent, stride_bytes, &begin, &end);
  if (offset + begin < 0 || offset + end > (gint64)size)
    return FALSE;

  /* The engine's strides are not negative: it reads such a plane from its last row to its first. */
  if (stride_bytes < 0)
    mapped->self.bottom_up |= 1u << index;
  plane->data = data + begin;
  plane->stride_bytes = (gsize)ABS ((gint64)stride_bytes);
  return TRUE;
}

static gboolean
gst_cuda_histo_frame_place_planes (MappedVideo *mapped, const Extent *extents)
{
  const GstVideoFrame *video = &mapped->video;

  for (guint p = 0; p < mapped->self.frame.plane_count; p++) {
    const GstMapInfo *map = &video->map[video->meta != NULL ? p : 0];

    if (!gst_cuda_histo_frame_place_plane (mapped, p, &extents[p], video->data[p], GST_VIDEO_FRAME_PLANE_STRIDE (video, p),
                                           map->data, map->size))
      return FALSE;
  }
  return TRUE;
}

/* Maps the picture's memory, or all of the buffer at once, and sets the addresses in it. FALSE where that cannot be. */
static gboolean
gst_cuda_histo_frame_map_whole (MappedVideo *mapped, GstBuffer *buffer, const Picture *picture, const Extent *extents,
                                GstMapFlags flags)
{
  const guint first = picture->memory < 0 ? 0 : (guint)picture->memory;

  mapped->self.bottom_up = 0;
  if (!gst_buffer_map_range (buffer, first, picture->memory < 0 ? -1 : 1, &mapped->whole, flags))
    return FALSE;
  mapped->buffer = gst_buffer_ref (buffer);

  for (guint p = 0; p < mapped->self.frame.plane_count; p++) {
    if (!gst_cuda_histo_frame_place_plane (mapped, p, &extents[p], mapped->whole.data + picture->offsets[p],
                                           picture->strides[p], mapped->whole.data, mapped->whole.size))
      return FALSE;
  }
  return TRUE;
}

static MappedVideo *
gst_cuda_histo_frame_new_mapped_video (void)
{
  MappedVideo *mapped = g_new0 (MappedVideo, 1);

  gst_cuda_histo_frame_init (&mapped->self);
  mapped->self.unmap = gst_cuda_histo_frame_unmap_video;
  mapped->self.mapping = mapped;
  return mapped;
}

static void
gst_cuda_histo_frame_set_unreadable (const GstVideoInfo *info, GstBuffer *buffer, GError **error)
{
  g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_READ,
               "buffer of %" G_GSIZE_FORMAT " bytes with a %dx%d %s frame cannot be read", gst_buffer_get_size (buffer),
               GST_VIDEO_INFO_WIDTH (info), GST_VIDEO_INFO_HEIGHT (info), info->finfo->name);
}

/* Maps the planes where they are, and sets their addresses. FALSE where that cannot be. */
static gboolean
gst_cuda_histo_frame_map_planes (MappedVideo *mapped, const GstVideoInfo *info, GstBuffer *buffer, const Picture *picture,
                                 const Extent *extents)
{
  GstVideoInfo shown = *info;

  if (gst_cuda_histo_frame_has_fields (info)) /* GStreamer takes what a meta describes for a whole frame */
    shown.height = (gint)picture->meta->height;
  if (picture->memory < 0
      && gst_video_frame_map_id (&mapped->video, &shown, buffer, picture->meta != NULL ? picture->meta->id : -1,
                                 GST_MAP_READ)) {
    if (gst_cuda_histo_frame_place_planes (mapped, extents))
      return TRUE;
    gst_video_frame_unmap (&mapped->video);
    mapped->video.buffer = NULL;
  }
  /* A plane that begins in one memory and ends in another: GStreamer merges them. */
  return (picture->memory >= 0 || (picture->meta != NULL && gst_buffer_n_memory (buffer) > 1))
         && gst_cuda_histo_frame_map_whole (mapped, buffer, picture, extents, GST_MAP_READ);
}

GstCudaHistoFrame *
gst_cuda_histo_frame_map_video (const GstVideoInfo *info, GstBuffer *buffer, guint index, GError **error)
{
  Extent extents[GST_VIDEO_MAX_PLANES];
  Rectangle visible;
  Picture picture;
  MappedVideo *mapped;
  gboolean is_mapped;

  if (!gst_cuda_histo_frame_find_picture (info, info, buffer, index, &picture, error)
      || !gst_cuda_histo_frame_find_visible_pixels (info, buffer, picture.meta, &visible, error))
    return NULL;

  mapped = gst_cuda_histo_frame_new_mapped_video ();
  gst_cuda_histo_frame_describe_video (&mapped->self.frame, info->finfo, &visible, extents);
  if (!gst_cuda_histo_frame_check_size (info, &picture, error)
      || !gst_cuda_histo_frame_check_layout (info, &picture, extents, error))
    goto failed;

  /* GStreamer merges several memories to map them, and replaces them with the merged one in a buffer that nobody else has. */
  gst_buffer_ref (buffer);
  is_mapped = gst_cuda_histo_frame_map_planes (mapped, info, buffer, &picture, extents);
  gst_buffer_unref (buffer);
  if (is_mapped)
    return &mapped->self;
  gst_cuda_histo_frame_set_unreadable (info, buffer, error);

failed:
  gst_cuda_histo_frame_unref (&mapped->self);
  return NULL;
}

/* `where`: HISTO_MEMORY_HOST for a copy in system memory. */
static GstCudaHistoFrame *
gst_cuda_histo_frame_map_cuda_memory (const GstVideoInfo *info, GstBuffer *buffer, guint index, enum histo_memory where,
                                      GError **error)
{
  GstMapFlags flags = where == HISTO_MEMORY_DEVICE ? GST_MAP_READ | GST_CUDA_HISTO_MAP_CUDA : GST_MAP_READ;
  GstCudaHistoCudaMemory memory;
  Extent extents[GST_VIDEO_MAX_PLANES];
  Rectangle visible;
  Picture picture;
  MappedVideo *mapped;

  if (!gst_cuda_histo_cuda_inspect (buffer, &memory)) {
    gst_cuda_histo_frame_set_unreadable (info, buffer, error);
    return NULL;
  }
  if (!gst_cuda_histo_frame_find_picture (info, memory.layout, buffer, index, &picture, error)
      || !gst_cuda_histo_frame_find_visible_pixels (info, buffer, picture.meta, &visible, error))
    return NULL;

  mapped = gst_cuda_histo_frame_new_mapped_video ();
  mapped->info = *info;
  mapped->picture = index;
  gst_cuda_histo_frame_describe_video (&mapped->self.frame, info->finfo, &visible, extents);
  mapped->self.frame.memory = where;
  if (where == HISTO_MEMORY_DEVICE)
    mapped->self.frame.stream = memory.stream;
  if (gst_cuda_histo_frame_check_layout (info, &picture, extents, error)) {
    if (gst_cuda_histo_frame_map_whole (mapped, buffer, &picture, extents, flags))
      return &mapped->self;
    gst_cuda_histo_frame_set_unreadable (info, buffer, error);
  }
  gst_cuda_histo_frame_unref (&mapped->self);
  return NULL;
}

GstCudaHistoFrame *
gst_cuda_histo_frame_map_cuda (const GstVideoInfo *info, GstBuffer *buffer, guint index, GError **error)
{
  return gst_cuda_histo_frame_map_cuda_memory (info, buffer, index, HISTO_MEMORY_DEVICE, error);
}

GstCudaHistoFrame *
gst_cuda_histo_frame_download (const GstCudaHistoFrame *frame, GError **error)
{
  const MappedVideo *mapped = frame->mapping;

  g_return_val_if_fail (frame->frame.memory == HISTO_MEMORY_DEVICE, NULL);
  return gst_cuda_histo_frame_map_cuda_memory (&mapped->info, mapped->buffer, mapped->picture, HISTO_MEMORY_HOST, error);
}

/* ---- copies ---------------------------------------------------------------------------------------------------------- */

typedef struct {
  GstCudaHistoPinner *pinner;
  struct histo_block block;
} Copy;

static void
gst_cuda_histo_frame_free_copy (gpointer mapping)
{
  Copy *copy = mapping;

  gst_cuda_histo_pinner_give_back (copy->pinner, &copy->block);
  gst_cuda_histo_pinner_unref (copy->pinner);
  g_free (copy);
}

/* From the first to the last sample of a plane, with what lies between its rows. */
static gsize
gst_cuda_histo_frame_get_plane_bytes (const struct histo_frame *frame, guint index)
{
  const struct histo_plane *plane = &frame->planes[index];
  gsize row_bytes = 0;

  for (guint c = 0; c < frame->component_count; c++) {
    const struct histo_component *component = &frame->components[c];

    if (component->plane == index && component->width > 0)
      row_bytes
          = MAX (row_bytes, component->offset_bytes + (component->width - 1) * component->step_bytes + component->sample_bytes);
  }
  return plane->height > 0 && row_bytes > 0 ? (plane->height - 1) * plane->stride_bytes + row_bytes : 0;
}

/* Where a copy of what lies at `source` begins, at or after `at`: aligned as the source is, so that it is read in the same
 * way. */
static guint8 *
gst_cuda_histo_frame_place_copy (guint8 *at, gconstpointer source)
{
  return at + ((gsize)source - (gsize)at) % COPY_ALIGNMENT;
}

GstCudaHistoFrame *
gst_cuda_histo_frame_copy (const GstCudaHistoFrame *frame, GstCudaHistoPinner *pinner)
{
  GstCudaHistoFrame *self;
  struct histo_block block;
  gsize size = 0;
  guint8 *at;
  Copy *copy;

  g_return_val_if_fail (frame->frame.memory == HISTO_MEMORY_HOST, NULL);
  for (guint p = 0; p < frame->frame.plane_count; p++)
    size += gst_cuda_histo_frame_get_plane_bytes (&frame->frame, p) + COPY_ALIGNMENT;
  if (!gst_cuda_histo_pinner_take (pinner, size, &block))
    return NULL;

  copy = g_new (Copy, 1);
  *copy = (Copy){ .pinner = gst_cuda_histo_pinner_ref (pinner), .block = block };
  self = g_new (GstCudaHistoFrame, 1);
  *self = *frame;
  g_atomic_ref_count_init (&self->ref_count);
  self->unmap = gst_cuda_histo_frame_free_copy;
  self->mapping = copy;
  at = block.data;
  for (guint p = 0; p < frame->frame.plane_count; p++) {
    gsize bytes = gst_cuda_histo_frame_get_plane_bytes (&frame->frame, p);

    if (bytes == 0)
      continue;
    at = gst_cuda_histo_frame_place_copy (at, frame->frame.planes[p].data);
    memcpy (at, frame->frame.planes[p].data, bytes);
    self->frame.planes[p].data = at;
    at += bytes;
  }
  return self;
}

gboolean
gst_cuda_histo_frame_matches (const GstCudaHistoFrame *frame, const GstCudaHistoFrame *operand)
{
  const struct histo_frame *x = &frame->frame;
  const struct histo_frame *y = &operand->frame;

  if (x->memory != y->memory || x->plane_count != y->plane_count || x->component_count != y->component_count
      || frame->bottom_up != operand->bottom_up)
    return FALSE;
  for (guint p = 0; p < x->plane_count; p++) {
    if (x->planes[p].height != y->planes[p].height)
      return FALSE;
  }
  for (guint c = 0; c < x->component_count; c++) {
    const struct histo_component *a = &x->components[c];
    const struct histo_component *b = &y->components[c];

    if (a->plane != b->plane || a->offset_bytes != b->offset_bytes || a->step_bytes != b->step_bytes || a->width != b->width
        || a->sample_bytes != b->sample_bytes || a->depth != b->depth || a->shift != b->shift || a->big_endian != b->big_endian)
      return FALSE;
  }
  return TRUE;
}

/* ---- description ----------------------------------------------------------------------------------------------------- */

gboolean
gst_cuda_histo_source_set_frame (GstCudaHistoSource *source, const GstVideoInfo *info, const GstCudaHistoFrame *frame)
{
  /* The first component is never subsampled. */
  const guint width = (guint)frame->frame.components[0].width;
  guint height = frame->frame.planes[frame->frame.components[0].plane].height;
  gboolean changes;

  if (gst_cuda_histo_frame_has_fields (info))
    height = MIN (2 * height, (guint)GST_VIDEO_INFO_HEIGHT (info));
  changes = width != source->width || height != source->height;

  source->width = width;
  source->height = height;
  return changes;
}

void
gst_cuda_histo_source_init_video (GstCudaHistoSource *source, const GstVideoInfo *info, const GstCudaHistoFrame *frame)
{
  static const gchar *const yuv[] = { "Y", "U", "V", "A" };
  static const gchar *const rgb[] = { "R", "G", "B", "A" };
  static const gchar *const gray[] = { "GRAY", "A" };
  const gchar *const *names = yuv;
  gchar *colorimetry;

  if (GST_VIDEO_INFO_IS_RGB (info))
    names = rgb;
  else if (GST_VIDEO_INFO_IS_GRAY (info))
    names = gray;

  *source = (GstCudaHistoSource){
    .is_video = TRUE,
    .format = info->finfo->name,
    .width = (guint)GST_VIDEO_INFO_WIDTH (info),
    .height = (guint)GST_VIDEO_INFO_HEIGHT (info),
    .depth = GST_VIDEO_INFO_COMP_DEPTH (info, 0),
    .range = "unknown",
    .framerate_n = GST_VIDEO_INFO_FPS_N (info),
    .framerate_d = GST_VIDEO_INFO_FPS_D (info),
    .n_components = GST_VIDEO_INFO_N_COMPONENTS (info),
  };
  colorimetry = gst_video_colorimetry_to_string (&info->colorimetry);
  source->colorimetry = colorimetry != NULL ? g_intern_string (colorimetry) : NULL;
  g_free (colorimetry);
  if (frame != NULL)
    gst_cuda_histo_source_set_frame (source, info, frame);
  if (info->colorimetry.range == GST_VIDEO_COLOR_RANGE_0_255)
    source->range = "full";
  else if (info->colorimetry.range == GST_VIDEO_COLOR_RANGE_16_235)
    source->range = "limited";
  for (guint c = 0; c < source->n_components; c++)
    source->components[c] = names[c];
}

void
gst_cuda_histo_source_init_bytes (GstCudaHistoSource *source)
{
  *source = (GstCudaHistoSource){
    .format = "bytes",
    .depth = 8,
    .range = "full",
    .n_components = 1,
    .components = { "byte" },
  };
}
