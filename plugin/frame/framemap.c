/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "frame/framemap.h"

#include "frame/cudacontext.h"
#include "frame/unpack.h"

typedef struct {
  GstCudaHistoFrame self;
  GstVideoFrame video; /* mapped if video.buffer is set; otherwise `whole` is mapped */
  GstBuffer *buffer;
  GstMapInfo whole;
  GstVideoInfo info;          /* this and the next: for memory on the GPU only */
  guint index;                /* index of the picture */
  GstCudaHistoPinner *pinner; /* NULL: samples are read where they are */
  struct histo_block block;   /* unpacked samples */
} MappedVideo;

static void
gst_cuda_histo_frame_unmap_video (gpointer mapping)
{
  MappedVideo *mapped = mapping;

  if (mapped->video.buffer != NULL) {
    gst_video_frame_unmap (&mapped->video);
  } else if (mapped->buffer != NULL) {
    gst_buffer_unmap (mapped->buffer, &mapped->whole);
    gst_buffer_unref (mapped->buffer);
  } else if (mapped->pinner != NULL) {
    gst_cuda_histo_pinner_give_back (mapped->pinner, &mapped->block);
    gst_cuda_histo_pinner_unref (mapped->pinner);
  }
}

/* Sets a plane's address. FALSE unless its samples lie between `start` and `start` + `size`, which are mapped. */
static gboolean
gst_cuda_histo_frame_place_plane (MappedVideo *mapped, guint index, const GstCudaHistoExtent *extent, const guint8 *data,
                                  gint stride_bytes, const guint8 *start, gsize size)
{
  struct histo_plane *plane = &mapped->self.frame.planes[index];
  gint64 offset = data - start;
  gint64 begin, end;

  gst_cuda_histo_extent_find_bytes (extent, stride_bytes, &begin, &end);
  if (offset + begin < 0 || offset + end > (gint64)size)
    return FALSE;

  /* The engine's strides are not negative. It reads such a plane from its last row to its first. */
  if (stride_bytes < 0)
    mapped->self.bottom_up |= 1u << index;
  plane->data = data + begin;
  plane->stride_bytes = (gsize)ABS ((gint64)stride_bytes);
  return TRUE;
}

static gboolean
gst_cuda_histo_frame_place_planes (MappedVideo *mapped, const GstCudaHistoPicture *picture)
{
  const GstVideoFrame *video = &mapped->video;

  for (guint p = 0; p < mapped->self.frame.plane_count; p++) {
    const GstMapInfo *map = &video->map[video->meta != NULL ? p : 0];

    if (!gst_cuda_histo_frame_place_plane (mapped, p, &picture->extents[p], video->data[p],
                                           GST_VIDEO_FRAME_PLANE_STRIDE (video, p), map->data, map->size))
      return FALSE;
  }
  return TRUE;
}

/* Maps the picture's memory, or the whole buffer, and sets the addresses in it. FALSE if impossible. */
static gboolean
gst_cuda_histo_frame_map_whole (MappedVideo *mapped, GstBuffer *buffer, const GstCudaHistoPicture *picture, GstMapFlags flags)
{
  const guint first = picture->memory < 0 ? 0 : (guint)picture->memory;

  mapped->self.bottom_up = 0;
  if (!gst_buffer_map_range (buffer, first, picture->memory < 0 ? -1 : 1, &mapped->whole, flags))
    return FALSE;
  mapped->buffer = gst_buffer_ref (buffer);

  for (guint p = 0; p < mapped->self.frame.plane_count; p++) {
    if (!gst_cuda_histo_frame_place_plane (mapped, p, &picture->extents[p], mapped->whole.data + picture->offsets[p],
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
               "cannot read a buffer of %" G_GSIZE_FORMAT " bytes with a %dx%d %s frame", gst_buffer_get_size (buffer),
               GST_VIDEO_INFO_WIDTH (info), GST_VIDEO_INFO_HEIGHT (info), info->finfo->name);
}

/* Maps the planes separately and sets their addresses. FALSE if impossible. */
static gboolean
gst_cuda_histo_frame_map_planes (MappedVideo *mapped, const GstVideoInfo *info, GstBuffer *buffer,
                                 const GstCudaHistoPicture *picture)
{
  GstVideoInfo mapped_info = *info;

  /* GStreamer would read a field's meta as that of a whole frame. */
  if (picture->meta != NULL && (gst_cuda_histo_picture_is_field (info) || gst_cuda_histo_picture_is_alternate (info)))
    mapped_info.height = (gint)picture->meta->height;
  if (picture->memory < 0
      && gst_video_frame_map_id (&mapped->video, &mapped_info, buffer, picture->meta != NULL ? picture->meta->id : -1,
                                 GST_MAP_READ)) {
    if (gst_cuda_histo_frame_place_planes (mapped, picture))
      return TRUE;
    gst_video_frame_unmap (&mapped->video);
    mapped->video.buffer = NULL;
  }
  /* A plane that begins in one memory and ends in another: GStreamer merges them. */
  return (picture->memory >= 0 || (picture->meta != NULL && gst_buffer_n_memory (buffer) > 1))
         && gst_cuda_histo_frame_map_whole (mapped, buffer, picture, GST_MAP_READ);
}

/* Unpacks a picture to a block. FALSE with @error if impossible. */
static gboolean
gst_cuda_histo_frame_unpack (MappedVideo *mapped, const GstVideoInfo *info, GstBuffer *buffer,
                             const GstCudaHistoPicture *picture, GstCudaHistoPinner *pinner, GError **error)
{
  struct histo_frame *frame = &mapped->self.frame;
  GstMapInfo map;

  if (!gst_cuda_histo_unpack_check (info, picture, error))
    return FALSE;
  mapped->pinner = pinner != NULL ? gst_cuda_histo_pinner_ref (pinner) : gst_cuda_histo_pinner_new (NULL, 0);
  if (!gst_cuda_histo_pinner_take (mapped->pinner, gst_cuda_histo_unpack_place (frame, picture, NULL), &mapped->block)
      || !gst_buffer_map_range (buffer, picture->memory < 0 ? 0 : (guint)picture->memory, picture->memory < 0 ? -1 : 1, &map,
                                GST_MAP_READ)) {
    gst_cuda_histo_frame_set_unreadable (info, buffer, error);
    return FALSE;
  }
  gst_cuda_histo_unpack_place (frame, picture, mapped->block.data);
  gst_cuda_histo_unpack (info, picture, map.data, frame);
  gst_buffer_unmap (buffer, &map);
  return TRUE;
}

GstCudaHistoFrame *
gst_cuda_histo_frame_map_video (const GstVideoInfo *info, GstBuffer *buffer, guint index, GstCudaHistoPinner *pinner,
                                GError **error)
{
  MappedVideo *mapped = gst_cuda_histo_frame_new_mapped_video ();
  GstCudaHistoPicture picture;
  gboolean is_mapped;

  if (!gst_cuda_histo_picture_find (&picture, info, info, buffer, index, &mapped->self.frame, error)
      || !gst_cuda_histo_picture_check_size (&picture, info, error)
      || (!picture.layout.is_unpacked && !gst_cuda_histo_picture_check_layout (&picture, info, error)))
    goto failed;

  /* To map several memories, GStreamer merges them. With a single reference it would replace them in the buffer. */
  gst_buffer_ref (buffer);
  is_mapped = picture.layout.is_unpacked ? gst_cuda_histo_frame_unpack (mapped, info, buffer, &picture, pinner, error)
                                         : gst_cuda_histo_frame_map_planes (mapped, info, buffer, &picture);
  gst_buffer_unref (buffer);
  if (is_mapped) {
    gst_cuda_histo_frame_turn_chroma (&mapped->self);
    return &mapped->self;
  }
  if (!picture.layout.is_unpacked)
    gst_cuda_histo_frame_set_unreadable (info, buffer, error);

failed:
  gst_cuda_histo_frame_unref (&mapped->self);
  return NULL;
}

/* `where`: HISTO_MEMORY_HOST for a copy in system memory. */
static GstCudaHistoFrame *
gst_cuda_histo_frame_map_cuda_memory (const GstVideoInfo *info, GstBuffer *buffer, guint index, enum histo_memory where,
                                      GstCudaHistoPinner *pinner, GError **error)
{
  GstMapFlags flags = where == HISTO_MEMORY_DEVICE ? GST_MAP_READ | GST_CUDA_HISTO_MAP_CUDA : GST_MAP_READ;
  GstCudaHistoCudaMemory memory;
  GstCudaHistoPicture picture;
  MappedVideo *mapped;

  if (!gst_cuda_histo_cuda_inspect (buffer, &memory)) {
    gst_cuda_histo_frame_set_unreadable (info, buffer, error);
    return NULL;
  }
  mapped = gst_cuda_histo_frame_new_mapped_video ();
  mapped->info = *info;
  mapped->index = index;
  mapped->self.frame.memory = where;
  if (where == HISTO_MEMORY_DEVICE)
    mapped->self.frame.stream = memory.stream;
  if (!gst_cuda_histo_picture_find (&picture, info, memory.layout, buffer, index, &mapped->self.frame, error))
    goto failed;
  if (picture.layout.is_unpacked) {
    mapped->self.frame.memory = HISTO_MEMORY_HOST;
    mapped->self.frame.stream = NULL;
    if (gst_cuda_histo_frame_unpack (mapped, info, buffer, &picture, pinner, error)) {
      gst_cuda_histo_frame_turn_chroma (&mapped->self);
      return &mapped->self;
    }
  } else if (gst_cuda_histo_picture_check_layout (&picture, info, error)) {
    if (gst_cuda_histo_frame_map_whole (mapped, buffer, &picture, flags)) {
      gst_cuda_histo_frame_turn_chroma (&mapped->self);
      return &mapped->self;
    }
    gst_cuda_histo_frame_set_unreadable (info, buffer, error);
  }
failed:
  gst_cuda_histo_frame_unref (&mapped->self);
  return NULL;
}

static GstCudaHistoFrame *
gst_cuda_histo_frame_download_video (const GstCudaHistoFrame *frame, GError **error)
{
  const MappedVideo *mapped = frame->mapping;

  return gst_cuda_histo_frame_map_cuda_memory (&mapped->info, mapped->buffer, mapped->index, HISTO_MEMORY_HOST, NULL, error);
}

GstCudaHistoFrame *
gst_cuda_histo_frame_map_cuda (const GstVideoInfo *info, GstBuffer *buffer, guint index, GstCudaHistoPinner *pinner,
                               GError **error)
{
  GstCudaHistoFrame *frame = gst_cuda_histo_frame_map_cuda_memory (info, buffer, index, HISTO_MEMORY_DEVICE, pinner, error);

  if (frame != NULL)
    frame->download = gst_cuda_histo_frame_download_video;
  return frame;
}
