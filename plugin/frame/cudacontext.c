/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#define GST_USE_UNSTABLE_API /* its headers require this word */

#include "frame/cudacontext.h"

#include "common/debug.h"

#include <dlfcn.h>
#include <gst/cuda/gstcudabufferpool.h>
#include <gst/cuda/gstcudaloader.h>
#include <gst/cuda/gstcudamemory.h>
#include <gst/cuda/gstcudautils.h>
#include <string.h>

#define LIBRARY "libgstcuda-1.0.so.0" /* of GStreamer 1.22 and all later versions so far */

G_STATIC_ASSERT (GST_CUDA_HISTO_MAP_CUDA == GST_MAP_CUDA);

/* The library's functions in use, all available since 1.22. */
#define FUNCTIONS(X)                  \
  X (gst_cuda_load_library)           \
  X (gst_cuda_memory_init_once)       \
  X (gst_is_cuda_memory)              \
  X (gst_cuda_context_get_handle)     \
  X (gst_cuda_ensure_element_context) \
  X (gst_cuda_handle_set_context)     \
  X (gst_cuda_handle_context_query)   \
  X (gst_cuda_buffer_pool_new)

#define DECLARE(name) __typeof__ (&name) name;
static struct {
  FUNCTIONS (DECLARE)

  /* Since 1.24, where memory has a stream and may be incomplete when it is mapped. The first returns a GstCudaStream, or NULL
   * for the default stream, with which the library synchronises itself; the second a CUstream. NULL in 1.22, which always
   * synchronises. Declared here, because a plugin built with 1.22 has to work with 1.24. */
  gpointer (*gst_cuda_memory_get_stream) (GstCudaMemory *memory);
  struct CUstream_st *(*gst_cuda_stream_get_handle) (gpointer stream);
} library;

gboolean
gst_cuda_histo_cuda_is_built (void)
{
  return TRUE;
}

/* Stores the result of dlsym() in a function pointer. */
static gboolean
gst_cuda_histo_cuda_find_function (gpointer handle, const gchar *name, gpointer function)
{
  gpointer address = dlsym (handle, name);

  memcpy (function, &address, sizeof address);
  return address != NULL;
}

static gboolean
gst_cuda_histo_cuda_load_library (gpointer handle)
{
  gboolean found = TRUE;

#define FIND(name) found = found && gst_cuda_histo_cuda_find_function (handle, #name, &library.name);
  FUNCTIONS (FIND)
  if (!found) {
    GST_WARNING ("%s lacks a function; frames on the GPU are not accepted", LIBRARY);
    return FALSE;
  }
  if (gst_cuda_histo_cuda_find_function (handle, "gst_cuda_memory_get_stream", &library.gst_cuda_memory_get_stream)
      && !gst_cuda_histo_cuda_find_function (handle, "gst_cuda_stream_get_handle", &library.gst_cuda_stream_get_handle)) {
    GST_WARNING ("%s has unknown CUDA streams; frames on the GPU are not accepted", LIBRARY);
    return FALSE;
  }
  if (!library.gst_cuda_load_library ())
    return FALSE;
  library.gst_cuda_memory_init_once ();
  return TRUE;
}

gboolean
gst_cuda_histo_cuda_load (void)
{
  static gsize loaded; /* 1: unavailable, 2: available */

  if (g_once_init_enter (&loaded)) {
    gpointer handle = dlopen (LIBRARY, RTLD_NOW | RTLD_LOCAL); /* never closed: it registers GTypes */

    if (handle == NULL)
      GST_INFO ("no frames on the GPU: %s", dlerror ());
    g_once_init_leave (&loaded, handle != NULL && gst_cuda_histo_cuda_load_library (handle) ? 2 : 1);
  }
  return loaded == 2;
}

gboolean
gst_cuda_histo_cuda_is_in_use (void)
{
  gpointer handle = dlopen (LIBRARY, RTLD_LAZY | RTLD_NOLOAD);

  if (handle == NULL)
    return FALSE;
  dlclose (handle);
  return gst_cuda_histo_cuda_load ();
}

gboolean
gst_cuda_histo_cuda_ensure_context (GstElement *element, gint device_id, GstObject **context)
{
  return gst_cuda_histo_cuda_load ()
         && library.gst_cuda_ensure_element_context (element, device_id, (GstCudaContext **)context);
}

void
gst_cuda_histo_cuda_take_context (GstElement *element, GstContext *shared, gint device_id, GstObject **context)
{
  if (shared != NULL && gst_context_has_context_type (shared, GST_CUDA_CONTEXT_TYPE) && gst_cuda_histo_cuda_load ())
    library.gst_cuda_handle_set_context (element, shared, device_id, (GstCudaContext **)context);
}

gboolean
gst_cuda_histo_cuda_answer_query (GstElement *element, GstQuery *query, GstObject *context)
{
  return context != NULL && library.gst_cuda_handle_context_query (element, query, (GstCudaContext *)context);
}

struct CUctx_st *
gst_cuda_histo_cuda_get_handle (GstObject *context)
{
  return library.gst_cuda_context_get_handle ((GstCudaContext *)context);
}

gint
gst_cuda_histo_cuda_get_device (GstObject *context)
{
  guint device = 0;

  g_object_get (context, "cuda-device-id", &device, NULL);
  return (gint)device;
}

gboolean
gst_cuda_histo_cuda_inspect (GstBuffer *buffer, GstCudaHistoCudaMemory *memory)
{
  GstMemory *first;
  GstCudaMemory *cuda;
  gpointer stream;

  if (gst_buffer_n_memory (buffer) != 1 || !gst_cuda_histo_cuda_load ())
    return FALSE;
  first = gst_buffer_peek_memory (buffer, 0);
  if (!library.gst_is_cuda_memory (first))
    return FALSE;

  cuda = GST_CUDA_MEMORY_CAST (first);
  *memory = (GstCudaHistoCudaMemory){ .context = GST_OBJECT_CAST (cuda->context), .layout = &cuda->info };
  stream = library.gst_cuda_memory_get_stream != NULL ? library.gst_cuda_memory_get_stream (cuda) : NULL;
  if (stream != NULL)
    memory->stream = library.gst_cuda_stream_get_handle (stream);
  return TRUE;
}

/* Whether each row of chroma belongs to two rows of luma, and the last row of luma is alone. */
static gboolean
gst_cuda_histo_cuda_has_odd_rows (const GstVideoInfo *info)
{
  for (guint c = 0; c < GST_VIDEO_INFO_N_COMPONENTS (info); c++) {
    if (GST_VIDEO_FORMAT_INFO_H_SUB (info->finfo, c) > 0)
      return GST_VIDEO_INFO_HEIGHT (info) % 2 == 1;
  }
  return FALSE;
}

GstBufferPool *
gst_cuda_histo_cuda_new_pool (GstObject *context, const GstVideoInfo *info)
{
  g_autoptr (GstCaps) caps = NULL;
  GstStructure *config;
  GstBufferPool *pool;

  if (gst_cuda_histo_cuda_has_odd_rows (info) || !gst_cuda_histo_cuda_load ())
    return NULL;
  caps = gst_video_info_to_caps (info);
  gst_caps_set_features_simple (caps, gst_caps_features_new (GST_CUDA_HISTO_CUDA_FEATURE, NULL));
  pool = library.gst_cuda_buffer_pool_new ((GstCudaContext *)context);
  config = gst_buffer_pool_get_config (pool);
  gst_buffer_pool_config_set_params (config, caps, (guint)GST_VIDEO_INFO_SIZE (info), 0, 0);
  gst_buffer_pool_config_add_option (config, GST_BUFFER_POOL_OPTION_VIDEO_META);
  if (gst_buffer_pool_set_config (pool, config) && gst_buffer_pool_set_active (pool, TRUE))
    return pool;
  gst_object_unref (pool);
  return NULL;
}

void
gst_cuda_histo_cuda_free_pool (GstBufferPool *pool)
{
  gst_buffer_pool_set_active (pool, FALSE);
  gst_object_unref (pool);
}

/* Copies the crop, which the samples do not contain. */
static void
gst_cuda_histo_cuda_copy_crop (GstBuffer *copy, GstBuffer *buffer)
{
  const GstVideoCropMeta *crop = gst_buffer_get_video_crop_meta (buffer);
  GstVideoCropMeta *added;

  if (crop == NULL)
    return;
  added = gst_buffer_add_video_crop_meta (copy);
  added->x = crop->x;
  added->y = crop->y;
  added->width = crop->width;
  added->height = crop->height;
}

GstBuffer *
gst_cuda_histo_cuda_upload (GstBufferPool *pool, const GstVideoInfo *info, GstBuffer *buffer)
{
  GstVideoFrame from, to;
  GstBuffer *copy = NULL;
  gboolean is_copied = FALSE;

  if (gst_buffer_pool_acquire_buffer (pool, &copy, NULL) != GST_FLOW_OK)
    return NULL;
  if (gst_video_frame_map (&from, info, buffer, GST_MAP_READ)) {
    if (gst_video_frame_map (&to, info, copy, GST_MAP_WRITE)) {
      is_copied = gst_video_frame_copy (&to, &from);
      gst_video_frame_unmap (&to);
    }
    gst_video_frame_unmap (&from);
  }
  if (is_copied)
    gst_cuda_histo_cuda_copy_crop (copy, buffer);
  else
    gst_clear_buffer (&copy);
  return copy;
}
