/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "frame/region.h"

#include "frame/box.h"

#include <gst/video/video.h>

/* ---- which regions --------------------------------------------------------------------------------------------------- */

/* Reads a decimal number and the spaces around it. */
static gboolean
gst_cuda_histo_region_parse_number (const gchar **text, guint *number)
{
  guint64 value = 0;

  while (g_ascii_isspace (**text))
    (*text)++;
  if (!g_ascii_isdigit (**text))
    return FALSE;
  for (; g_ascii_isdigit (**text) && value <= G_MAXINT; (*text)++)
    value = 10 * value + (guint64)(**text - '0');
  while (g_ascii_isspace (**text))
    (*text)++;
  *number = (guint)value;
  return value <= G_MAXINT;
}

static gboolean
gst_cuda_histo_region_parse (const gchar **text, GstCudaHistoRegion *region)
{
  guint *const numbers[] = { &region->x, &region->y, &region->width, &region->height };

  *region = (GstCudaHistoRegion){ 0 };
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++) {
    if (i > 0 && *(*text)++ != ',')
      return FALSE;
    if (!gst_cuda_histo_region_parse_number (text, numbers[i]))
      return FALSE;
  }
  return region->width > 0 && region->height > 0;
}

gboolean
gst_cuda_histo_regions_parse (GstCudaHistoRegions *regions, const gchar *text)
{
  GstCudaHistoRegions parsed = { 0 };

  while (text != NULL) {
    while (g_ascii_isspace (*text))
      text++;
    if (*text == '\0')
      break;
    if (parsed.count == GST_CUDA_HISTO_MAX_REGIONS || !gst_cuda_histo_region_parse (&text, &parsed.regions[parsed.count]))
      return FALSE;
    parsed.count++;
    if (*text != '\0' && *text++ != ';')
      return FALSE;
  }
  *regions = parsed;
  return TRUE;
}

/* Returns how many of `length` pixels from `start` on are below `limit`. */
static guint
gst_cuda_histo_region_clip (guint start, guint length, guint limit)
{
  return start < limit ? MIN (length, limit - start) : 0;
}

/* Moves pixels `start` to `start` + `length` of a buffer to the coordinates of a picture that begins at `origin`. Returns
 * whether some are before it. */
static gboolean
gst_cuda_histo_region_shift (gint64 start, gint64 length, guint origin, guint *shifted, guint *remaining)
{
  const gint64 first = start - origin, end = first + MAX (length, 0);

  *shifted = (guint)CLAMP (first, 0, G_MAXUINT);
  *remaining = (guint)(CLAMP (end, 0, G_MAXUINT) - *shifted);
  return first < 0 && end > 0;
}

/* `reaches_out`: it is the remainder of a larger one. */
static void
gst_cuda_histo_regions_add (GstCudaHistoRegions *regions, GstCudaHistoRegion region, gboolean reaches_out, guint width,
                            guint height, GstCudaHistoRegionLoss *loss)
{
  const guint inside_width = gst_cuda_histo_region_clip (region.x, region.width, width);
  const guint inside_height = gst_cuda_histo_region_clip (region.y, region.height, height);

  if (inside_width == 0 || inside_height == 0) {
    loss->outside++;
    return;
  }
  if (regions->count == GST_CUDA_HISTO_MAX_REGIONS) {
    loss->too_many++;
    return;
  }
  if (reaches_out || inside_width < region.width || inside_height < region.height)
    loss->clipped++;
  region.width = inside_width;
  region.height = inside_height;
  regions->regions[regions->count++] = region;
}

static gboolean
gst_cuda_histo_region_is_at (const GstCudaHistoRegion *left, const GstCudaHistoRegion *right)
{
  return left->x == right->x && left->y == right->y && left->width == right->width && left->height == right->height;
}

/* The regions collected from a buffer, and the picture's place in it. */
typedef struct {
  GstCudaHistoRegions *regions;
  GstCudaHistoRegionLoss *loss;
  guint x, y, width, height; /* of the picture in the buffer */
} Collection;

/* Converts a rectangle from pixels of the whole buffer to those of the picture. Returns whether it begins outside the
 * picture. */
static gboolean
gst_cuda_histo_region_place (GstCudaHistoRegion *region, const Collection *collection, const gint64 rectangle[4])
{
  gboolean reaches_out = gst_cuda_histo_region_shift (rectangle[0], rectangle[2], collection->x, &region->x, &region->width);

  reaches_out |= gst_cuda_histo_region_shift (rectangle[1], rectangle[3], collection->y, &region->y, &region->height);
  return reaches_out;
}

static void
gst_cuda_histo_regions_add_meta (const GstVideoRegionOfInterestMeta *meta, const Collection *collection)
{
  GstCudaHistoRegion region = {
    .is_meta = TRUE,
    .has_parent = TRUE,
    .id = meta->id,
    .parent_id = meta->parent_id,
    .type = g_quark_to_string (meta->roi_type),
  };
  const gboolean reaches_out
      = gst_cuda_histo_region_place (&region, collection, (const gint64[]){ meta->x, meta->y, meta->w, meta->h });

  gst_cuda_histo_regions_add (collection->regions, region, reaches_out, collection->width, collection->height,
                              collection->loss);
}

/* Returns the region of a meta with the same detection. NULL: none. */
static GstCudaHistoRegion *
gst_cuda_histo_regions_find_duplicate (GstCudaHistoRegions *regions, const GstCudaHistoRegion *region)
{
  for (guint i = 0; i < regions->count; i++) {
    GstCudaHistoRegion *twin = &regions->regions[i];

    if (twin->is_meta && !twin->has_confidence && twin->id == region->id && twin->type == region->type
        && gst_cuda_histo_region_is_at (twin, region))
      return twin;
  }
  return NULL;
}

/* GstCudaHistoBoxFunc: adds the region of a box, unless a meta has added it. */
static void
gst_cuda_histo_regions_add_box (const GstCudaHistoBox *box, gpointer user_data)
{
  const Collection *collection = user_data;
  GstCudaHistoRegion region = {
    .is_meta = TRUE,
    .has_parent = box->has_parent,
    .has_confidence = TRUE,
    .id = box->id,
    .parent_id = box->parent_id,
    .type = box->type,
    .confidence = box->confidence,
  }, clipped, *twin;
  const gboolean reaches_out
      = gst_cuda_histo_region_place (&region, collection, (const gint64[]){ box->x, box->y, box->width, box->height });

  clipped = region;
  clipped.width = gst_cuda_histo_region_clip (region.x, region.width, collection->width);
  clipped.height = gst_cuda_histo_region_clip (region.y, region.height, collection->height);
  twin = gst_cuda_histo_regions_find_duplicate (collection->regions, &clipped);
  if (twin == NULL) {
    gst_cuda_histo_regions_add (collection->regions, region, reaches_out, collection->width, collection->height,
                                collection->loss);
    return;
  }
  twin->has_confidence = TRUE;
  twin->confidence = region.confidence;
}

void
gst_cuda_histo_regions_collect (GstCudaHistoRegions *regions, const GstCudaHistoRegions *asked, GstBuffer *buffer, guint width,
                                guint height, GstCudaHistoRegionLoss *loss)
{
  const GstVideoCropMeta *crop = buffer != NULL ? gst_buffer_get_video_crop_meta (buffer) : NULL;
  Collection collection = { .regions = regions, .loss = loss, .width = width, .height = height };
  gpointer state = NULL;
  GstMeta *meta;

  regions->count = 0;
  *loss = (GstCudaHistoRegionLoss){ 0 };
  for (guint i = 0; i < asked->count; i++)
    gst_cuda_histo_regions_add (regions, asked->regions[i], FALSE, width, height, loss);
  if (buffer == NULL)
    return;
  if (crop != NULL) {
    collection.x = crop->x;
    collection.y = crop->y;
  }
  while ((meta = gst_buffer_iterate_meta_filtered (buffer, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE)) != NULL)
    gst_cuda_histo_regions_add_meta ((const GstVideoRegionOfInterestMeta *)meta, &collection);
  gst_cuda_histo_box_foreach (buffer, gst_cuda_histo_regions_add_box, &collection);
}

gboolean
gst_cuda_histo_region_find_in_field (GstCudaHistoRegion *region, guint rows)
{
  const guint end = (region->y + region->height + 1) / 2;

  region->y /= 2;
  region->height = MIN (end, rows) - MIN (region->y, rows);
  return region->height > 0;
}

guint
gst_cuda_histo_regions_omit (GstCudaHistoRegions *regions, guint rows)
{
  const guint before = regions->count;
  guint count = 0;

  for (guint i = 0; i < before; i++) {
    GstCudaHistoRegion region = regions->regions[i];

    if (gst_cuda_histo_region_find_in_field (&region, rows))
      regions->regions[count++] = regions->regions[i];
  }
  regions->count = count;
  return before - count;
}

void
gst_cuda_histo_regions_divide (GstCudaHistoRegions *regions, guint rows)
{
  for (guint i = 0; i < regions->count; i++)
    gst_cuda_histo_region_find_in_field (&regions->regions[i], rows);
}

gboolean
gst_cuda_histo_regions_are_equal (const GstCudaHistoRegions *left, const GstCudaHistoRegions *right)
{
  if (left->count != right->count)
    return FALSE;
  for (guint i = 0; i < left->count; i++) {
    if (!gst_cuda_histo_region_is_at (&left->regions[i], &right->regions[i])
        || left->regions[i].is_meta != right->regions[i].is_meta || left->regions[i].id != right->regions[i].id
        || left->regions[i].has_parent != right->regions[i].has_parent
        || left->regions[i].parent_id != right->regions[i].parent_id
        || left->regions[i].type != right->regions[i].type) /* both are interned */
      return FALSE;
  }
  return TRUE;
}

gboolean
gst_cuda_histo_regions_have (const GstCudaHistoRegions *regions, const GstCudaHistoRegion *region)
{
  for (guint i = 0; i < regions->count; i++) {
    if (gst_cuda_histo_region_is_at (&regions->regions[i], region))
      return TRUE;
  }
  return FALSE;
}

/* ---- their samples --------------------------------------------------------------------------------------------------- */

typedef struct {
  GstCudaHistoFrame *picture;
  GstCudaHistoRegion region;
} CutOut;

static void
gst_cuda_histo_frame_free_cut_out (gpointer mapping)
{
  CutOut *cut_out = mapping;

  gst_cuda_histo_frame_unref (cut_out->picture);
  g_free (cut_out);
}

static GstCudaHistoFrame *
gst_cuda_histo_frame_download_cut_out (const GstCudaHistoFrame *frame, GError **error)
{
  const CutOut *cut_out = frame->mapping;
  g_autoptr (GstCudaHistoFrame) picture = gst_cuda_histo_frame_download (cut_out->picture, error);

  return picture != NULL ? gst_cuda_histo_frame_cut_out (picture, &cut_out->region) : NULL;
}

/* Samples [*first, *first + returned count) of a component, whose sample (x + phase) >> shift belongs to pixel x, touch pixels
 * [start, start + length). */
static guint
gst_cuda_histo_region_subsample (guint start, guint length, guint phase, guint shift, guint *first)
{
  *first = (start + phase) >> shift;
  return ((start + length - 1 + phase) >> shift) - *first + 1;
}

GstCudaHistoFrame *
gst_cuda_histo_frame_cut_out (GstCudaHistoFrame *picture, const GstCudaHistoRegion *region)
{
  GstCudaHistoFrame *self = g_new0 (GstCudaHistoFrame, 1);
  struct histo_chroma *chroma = &self->frame.chroma;
  CutOut *cut_out = g_new (CutOut, 1);
  guint8 has_moved = 0; /* bit p: plane p */

  *cut_out = (CutOut){ .picture = gst_cuda_histo_frame_ref (picture), .region = *region };
  g_atomic_ref_count_init (&self->ref_count);
  self->frame = picture->frame; /* and its id: the memory is the same */
  self->bottom_up = picture->bottom_up;
  self->unmap = gst_cuda_histo_frame_free_cut_out;
  self->download = gst_cuda_histo_frame_download_cut_out;
  self->mapping = cut_out;

  for (guint c = 0; c < self->frame.component_count; c++) {
    struct histo_component *component = &self->frame.components[c];
    struct histo_plane *plane = &self->frame.planes[component->plane];
    const gboolean is_chroma = c == 1 || c == 2;
    guint first, first_row, rows;

    component->width = gst_cuda_histo_region_subsample (region->x, region->width, is_chroma ? chroma->phase_x : 0,
                                                        is_chroma ? chroma->shift_x : 0, &first);
    component->offset_bytes += first * component->step_bytes;
    if ((has_moved & 1u << component->plane) != 0)
      continue;
    rows = gst_cuda_histo_region_subsample (region->y, region->height, is_chroma ? picture->phase_y : 0,
                                            is_chroma ? chroma->shift_y : 0, &first_row);
    /* The bottom field of a frame of 4k + 2 rows lacks a row of 4:2:0 chroma. */
    first_row = MIN (first_row, plane->height);
    rows = MIN (rows, plane->height - first_row);
    if ((self->bottom_up & 1u << component->plane) != 0)
      first_row = plane->height - first_row - rows;
    plane->data = (const guint8 *)plane->data + first_row * plane->stride_bytes;
    plane->height = rows;
    has_moved |= (guint8)(1u << component->plane);
  }
  chroma->phase_x = (guint8)((region->x + chroma->phase_x) % (1u << chroma->shift_x));
  chroma->phase_y = (guint8)((region->y + picture->phase_y) % (1u << chroma->shift_y));
  gst_cuda_histo_frame_turn_chroma (self);
  return self;
}
