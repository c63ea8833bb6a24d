/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "input/offer.h"

#include <gst/video/video.h>

#include "common/debug.h"
#include "frame/videoinfo.h"
#include "input/caps.h"

/* Whether downstream proposes memory of its own. */
static gboolean
gst_cuda_histo_offer_is_made_downstream (GstQuery *query)
{
  gboolean has_memory = FALSE;

  for (guint i = 0; i < gst_query_get_n_allocation_pools (query) && !has_memory; i++) {
    g_autoptr (GstBufferPool) pool = NULL;

    gst_query_parse_nth_allocation_pool (query, i, &pool, NULL, NULL, NULL);
    has_memory = pool != NULL;
  }
  for (guint i = 0; i < gst_query_get_n_allocation_params (query) && !has_memory; i++) {
    g_autoptr (GstAllocator) allocator = NULL;

    gst_query_parse_nth_allocation_param (query, i, &allocator, NULL);
    has_memory = allocator != NULL;
  }
  return has_memory;
}

static void
gst_cuda_histo_offer_set_allocator (GstQuery *query, GstAllocator *allocator, GstAllocationParams *params)
{
  gst_allocation_params_init (params);
  if (gst_query_get_n_allocation_params (query) > 0) {
    gst_query_parse_nth_allocation_param (query, 0, NULL, params);
    gst_query_set_nth_allocation_param (query, 0, allocator, params);
  } else {
    gst_query_add_allocation_param (query, allocator, params);
  }
}

/* Sets the number of buffers to downstream's, or to any. Only downstream, which receives the buffers, can promise metas. */
static void
gst_cuda_histo_offer_set_pool (GstElement *element, GstQuery *query, GstCaps *caps, const GstVideoInfo *info,
                               GstAllocator *allocator, const GstAllocationParams *params)
{
  g_autoptr (GstBufferPool) pool = gst_video_buffer_pool_new ();
  GstStructure *config = gst_buffer_pool_get_config (pool);
  guint size = 0, min = 0, max = 0;

  if (gst_query_get_n_allocation_pools (query) > 0)
    gst_query_parse_nth_allocation_pool (query, 0, NULL, &size, &min, &max);
  size = MAX (size, (guint)GST_VIDEO_INFO_SIZE (info));
  gst_buffer_pool_config_set_params (config, caps, size, min, max);
  gst_buffer_pool_config_set_allocator (config, allocator, params);
  if (gst_query_find_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL))
    gst_buffer_pool_config_add_option (config, GST_BUFFER_POOL_OPTION_VIDEO_META);
  if (!gst_buffer_pool_set_config (pool, config))
    GST_WARNING_OBJECT (element, "no pool for %" GST_PTR_FORMAT, (gpointer)caps);
  else if (gst_query_get_n_allocation_pools (query) > 0)
    gst_query_set_nth_allocation_pool (query, 0, pool, size, min, max);
  else
    gst_query_add_allocation_pool (query, pool, size, min, max);
}

gboolean
gst_cuda_histo_offer_memory (GstElement *element, GstQuery *query, GstAllocator *frame_allocator, GstAllocator *byte_allocator)
{
  GstAllocationParams params;
  GstVideoInfo info;
  GstCaps *caps;
  gboolean needs_pool;

  gst_query_parse_allocation (query, &caps, &needs_pool);
  if (gst_cuda_histo_caps_are_cuda (caps) || gst_cuda_histo_offer_is_made_downstream (query))
    return FALSE;
  if (!gst_cuda_histo_caps_are_video (caps)) {
    if (byte_allocator == NULL)
      return FALSE;
    gst_cuda_histo_offer_set_allocator (query, byte_allocator, &params);
    return TRUE;
  }
  if (frame_allocator == NULL || !gst_cuda_histo_video_info_from_caps (&info, caps))
    return FALSE;
  gst_cuda_histo_offer_set_allocator (query, frame_allocator, &params);
  if (needs_pool)
    gst_cuda_histo_offer_set_pool (element, query, caps, &info, frame_allocator, &params);
  return TRUE;
}

gboolean
gst_cuda_histo_offer_more_buffers (GstQuery *query, guint held)
{
  const guint count = gst_query_get_n_allocation_pools (query);
  GstVideoInfo info;
  GstCaps *caps;

  for (guint i = 0; i < count; i++) {
    g_autoptr (GstBufferPool) pool = NULL;
    guint size, min, max;

    gst_query_parse_nth_allocation_pool (query, i, &pool, &size, &min, &max);
    gst_query_set_nth_allocation_pool (query, i, pool, size, min + held, max > 0 ? max + held : 0);
  }
  if (count > 0)
    return TRUE;

  /* Downstream offers no pool: one buffer moves downstream while the others are held. */
  gst_query_parse_allocation (query, &caps, NULL);
  if (!gst_cuda_histo_caps_are_video (caps) || !gst_cuda_histo_video_info_from_caps (&info, caps))
    return FALSE;
  gst_query_add_allocation_pool (query, NULL, (guint)GST_VIDEO_INFO_SIZE (&info), 1 + held, 0);
  return TRUE;
}
