/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The element cudahistoscope. */

#pragma once

#include <gst/video/video.h>

#include "canvas.h"

#define GST_TYPE_CUDA_HISTO_SCOPE (gst_cuda_histo_scope_get_type ())
G_DECLARE_FINAL_TYPE (GstCudaHistoScope, gst_cuda_histo_scope, GST, CUDA_HISTO_SCOPE, GstElement)

GST_ELEMENT_REGISTER_DECLARE (cudahistoscope)

GST_DEBUG_CATEGORY_EXTERN (gst_cuda_histo_scope_debug);
#define GST_CAT_DEFAULT gst_cuda_histo_scope_debug

/* Warnings that are posted once. The first ones are those of the modes, by their bits. */
typedef enum {
  GST_CUDA_HISTO_SCOPE_NOTICE_NO_RESULT = 1 << GST_CUDA_HISTO_SCOPE_N_MODES,
  GST_CUDA_HISTO_SCOPE_NOTICE_NOT_BLENDED = 1 << (GST_CUDA_HISTO_SCOPE_N_MODES + 1),
  GST_CUDA_HISTO_SCOPE_NOTICE_NOT_WRITABLE = 1 << (GST_CUDA_HISTO_SCOPE_N_MODES + 2),
  GST_CUDA_HISTO_SCOPE_NOTICE_NOT_DRAWN = 1 << (GST_CUDA_HISTO_SCOPE_N_MODES + 3)
} GstCudaHistoScopeNotice;

struct _GstCudaHistoScope {
  GstElement element;
  GstPad *sink_pad;
  GstPad *src_pad;

  /* Protected by the object lock. */
  GstCudaHistoScopeSettings settings;
  gboolean is_started;
  GstCudaHistoScopeOutput output; /* while started: the value at the start */
  gint buffers_n;                 /* input buffers a second; 0 / 1: variable or unknown */
  gint buffers_d;                 /* 0: no caps yet */

  /* For the streaming thread. */
  GstSegment segment;
  GstCaps *caps;     /* of the input; NULL: none yet */
  GstVideoInfo info; /* of the input */
  gboolean is_in_system_memory;
  gboolean is_attached;       /* a downstream element blends the scope; cudahistoscope only attaches it */
  GstCudaHistoResult *result; /* the last one; NULL: none yet */
  guint64 frames_without_result;
  GstClockTime first_without_result; /* stream time of the first frame without a result; NONE: unknown */
  guint notices;                     /* posted warnings */

  GstCudaHistoScopeCanvas *canvas;
  GstCudaHistoScopeSettings drawn_settings; /* of the picture below */
  gboolean is_drawn;                        /* the picture shows the last result */
  GstVideoRectangle drawn_crop;

  /* As an overlay. */
  GstVideoOverlayComposition *composition; /* NULL: nothing drawn */

  /* As a picture. */
  GstVideoInfo picture_info;
  GstBuffer *picture;  /* NULL: none yet */
  GstBufferPool *pool; /* for the pixels of both; NULL: none yet */
};

/* caps.c: negotiation, and which element blends. */

/* The output in use: the property, or between start and stop its value at the start. */
GstCudaHistoScopeOutput gst_cuda_histo_scope_get_output (GstCudaHistoScope *self);
GstCaps *gst_cuda_histo_scope_get_sink_caps (GstCudaHistoScope *self, GstCaps *filter);
GstCaps *gst_cuda_histo_scope_get_src_caps (GstCudaHistoScope *self, GstCaps *filter);
/* Sets new caps of the input. */
gboolean gst_cuda_histo_scope_set_caps (GstCudaHistoScope *self, GstCaps *caps);
/* Negotiates with downstream. FALSE if that fails; the next buffer then tries again. */
gboolean gst_cuda_histo_scope_negotiate (GstCudaHistoScope *self);

/* overlay.c, picture.c: takes the buffer, and returns the output buffer. The picture is NULL if memory is exhausted. */
GstBuffer *gst_cuda_histo_scope_draw_over (GstCudaHistoScope *self, const GstCudaHistoScopeSettings *settings,
                                           GstBuffer *buffer);
GstBuffer *gst_cuda_histo_scope_draw_picture (GstCudaHistoScope *self, const GstCudaHistoScopeSettings *settings,
                                              GstBuffer *buffer);

/* pixels.c: takes a buffer for pixels in cairo's format, with `format` in its GstVideoMeta. It comes from a pool that is kept
 * while format and size stay the same, or until it is dropped. NULL if memory is exhausted. */
GstBuffer *gst_cuda_histo_scope_take_pixels (GstCudaHistoScope *self, GstVideoFormat format, guint width, guint height);
void gst_cuda_histo_scope_drop_pool (GstCudaHistoScope *self);

/* notices.c */

/* Warns, once for each mode, if the signal lacks data for it. */
void gst_cuda_histo_scope_warn_of_lacks (GstCudaHistoScope *self, const GstCudaHistoScopeSettings *settings,
                                         const GstCudaHistoScopeSignal *signal);
/* Warns once that the scope of this size cannot be drawn. */
void gst_cuda_histo_scope_warn_of_not_drawn (GstCudaHistoScope *self, gint width, gint height);
/* Warns once that frames have no result. */
void gst_cuda_histo_scope_warn_of_no_result (GstCudaHistoScope *self);
/* Whether this is the first warning of its kind since the start. */
gboolean gst_cuda_histo_scope_take_notice (GstCudaHistoScope *self, guint notice);
