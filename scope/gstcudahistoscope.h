/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The element cudahistoscope. */

#ifndef GST_CUDA_HISTO_SCOPE_H
#define GST_CUDA_HISTO_SCOPE_H

#include <gst/video/video.h>

#include "canvas.h"

G_BEGIN_DECLS

#define GST_TYPE_CUDA_HISTO_SCOPE (gst_cuda_histo_scope_get_type ())
G_DECLARE_FINAL_TYPE (GstCudaHistoScope, gst_cuda_histo_scope, GST, CUDA_HISTO_SCOPE, GstElement)

GST_ELEMENT_REGISTER_DECLARE (cudahistoscope)

GST_DEBUG_CATEGORY_EXTERN (gst_cuda_histo_scope_debug);
#define GST_CAT_DEFAULT gst_cuda_histo_scope_debug

/* Warnings that are given once. The first ones are those of the modes, by their bits. */
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

  /* With the object lock. */
  GstCudaHistoScopeSettings settings;
  gboolean is_started;
  GstCudaHistoScopeOutput output; /* where it is started: what it was then */
  gint buffers_n;                 /* a second, of what comes in; 0 / 1: it varies, or is unknown */
  gint buffers_d;                 /* 0: no caps yet */

  /* Of the streaming thread. */
  GstSegment segment;
  GstCaps *caps;     /* of what comes in; NULL: none yet */
  GstVideoInfo info; /* the same */
  gboolean is_in_system_memory;
  gboolean is_attached;       /* whoever is behind blends the scope, and here it is only attached */
  GstCudaHistoResult *result; /* the last one; NULL: none yet */
  guint64 frames_without_result;
  GstClockTime first_without_result; /* stream time of the first of them; NONE: unknown */
  guint notices;                     /* those that were given */

  GstCudaHistoScopeCanvas *canvas;
  GstCudaHistoScopeSettings drawn_settings; /* of the picture that follows */
  gboolean is_drawn;                        /* it is of the last result */
  GstVideoRectangle drawn_crop;

  /* As an overlay. */
  GstVideoOverlayComposition *composition; /* NULL: nothing is drawn */

  /* As a picture. */
  GstVideoInfo picture_info;
  GstBuffer *picture;  /* NULL: none yet */
  GstBufferPool *pool; /* of the pixels of either; NULL: none yet */
};

/* caps.c: what is taken and made, and who blends. */

/* What leaves the element: the property, and from the start to the stop what it was at the start. */
GstCudaHistoScopeOutput gst_cuda_histo_scope_get_output (GstCudaHistoScope *self);
GstCaps *gst_cuda_histo_scope_get_sink_caps (GstCudaHistoScope *self, GstCaps *filter);
GstCaps *gst_cuda_histo_scope_get_src_caps (GstCudaHistoScope *self, GstCaps *filter);
/* Other caps have come. */
gboolean gst_cuda_histo_scope_set_caps (GstCudaHistoScope *self, GstCaps *caps);
/* Agrees with who is behind; FALSE where that fails, and then the next buffer tries again. */
gboolean gst_cuda_histo_scope_negotiate (GstCudaHistoScope *self);

/* overlay.c, picture.c: takes the buffer, and returns what goes on; of pictures NULL: there is no memory. */
GstBuffer *gst_cuda_histo_scope_draw_over (GstCudaHistoScope *self, const GstCudaHistoScopeSettings *settings,
                                           GstBuffer *buffer);
GstBuffer *gst_cuda_histo_scope_draw_picture (GstCudaHistoScope *self, const GstCudaHistoScopeSettings *settings,
                                              GstBuffer *buffer);

/* pixels.c: a buffer for pixels as cairo has them, whose GstVideoMeta calls them `format`, of a pool that is kept as long as
 * format and size are the same, or until it is dropped; NULL: no memory. */
GstBuffer *gst_cuda_histo_scope_take_pixels (GstCudaHistoScope *self, GstVideoFormat format, guint width, guint height);
void gst_cuda_histo_scope_drop_pool (GstCudaHistoScope *self);

/* notices.c */

/* Warns of what the signal lacks for the modes, once for each. */
void gst_cuda_histo_scope_warn_of_lacks (GstCudaHistoScope *self, const GstCudaHistoScopeSettings *settings,
                                         const GstCudaHistoScopeSignal *signal);
/* Warns once that the scope could not be drawn in this size. */
void gst_cuda_histo_scope_warn_of_not_drawn (GstCudaHistoScope *self, gint width, gint height);
/* Warns once that frames come without a result. */
void gst_cuda_histo_scope_warn_of_no_result (GstCudaHistoScope *self);
/* Whether a warning of this kind has not been given since the start; from now on it has. */
gboolean gst_cuda_histo_scope_take_notice (GstCudaHistoScope *self, guint notice);

G_END_DECLS

#endif
