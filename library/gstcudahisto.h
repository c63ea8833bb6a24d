/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/**
 * SECTION:gstcudahisto
 * @title: cudahisto for applications
 * @short_description: typed access to the results of the element `cudahisto`
 *
 * A result, the numbers of one window, travels as a message on the bus and as a meta on a buffer. Both are read into a
 * #GstCudaHistoResult, whose structs can be looked into:
 *
 * |[<!-- language="C" -->
 *   GstCudaHistoResult *result = gst_cuda_histo_result_new_from_message (message);
 *
 *   if (result != NULL) {
 *     const GstCudaHistoComponent *luma = gst_cuda_histo_result_find_component (result, "Y");
 *
 *     if (luma != NULL)
 *       g_print ("frame %" G_GUINT64_FORMAT ": mean %f\n", result->frame, luma->mean);
 *     gst_cuda_histo_result_unref (result);
 *   }
 * ]|
 *
 * The same in Python: `GstCudaHisto.Result.new_from_message (message).components[0].mean`.
 *
 * What each number means is defined in docs/statistics.md, and each field listed in docs/messages.md. The usual ones are
 * members of the structs; all of them are found by their names, those that a later version of the element adds too.
 *
 * Nothing here needs the engine, or a GPU. All functions may be called on any thread; a result does not change.
 */

#ifndef GST_CUDA_HISTO_LIBRARY_H
#define GST_CUDA_HISTO_LIBRARY_H

#include <gst/gst.h>

G_BEGIN_DECLS

#ifndef GST_CUDA_HISTO_API
#ifdef __GNUC__
#define GST_CUDA_HISTO_API __attribute__ ((visibility ("default"))) extern
#else
#define GST_CUDA_HISTO_API extern
#endif
#endif

typedef struct _GstCudaHistoResult GstCudaHistoResult;
typedef struct _GstCudaHistoComponent GstCudaHistoComponent;
typedef struct _GstCudaHistoEvent GstCudaHistoEvent;

/**
 * GstCudaHistoComponent:
 * @name: "Y", "U", "V", "R", "G", "B", "A", "GRAY" or "byte"
 * @count: samples counted
 * @sum: sum of the samples
 * @mean: arithmetic mean; as the next, NaN where nothing was counted, or no histogram asked for
 * @variance: mean squared distance from the mean (population form)
 * @stddev: its square root
 * @min: smallest value that occurs; as the next four, 0 where nothing was counted
 * @low: smallest value that a tenth of the samples do not exceed
 * @median: smallest value that half of the samples do not exceed
 * @high: smallest value that nine tenths of the samples do not exceed
 * @max: largest value that occurs
 *
 * The numbers of one component, at the samples' own depth. It belongs to its result, and lives as long.
 *
 * Since: 0.2
 */
struct _GstCudaHistoComponent {
  const gchar *name;
  guint64 count;
  guint64 sum;
  gdouble mean;
  gdouble variance;
  gdouble stddev;
  guint min;
  guint low;
  guint median;
  guint high;
  guint max;

  /*< private >*/
  gpointer priv;
  gpointer _gst_reserved[GST_PADDING_LARGE];
};

/**
 * GstCudaHistoResult:
 * @element: name of the element that measured
 * @backend: what counted: "cuda", "cpu" or "reference"
 * @format: video format as in the caps, or "bytes"
 * @range: nominal range of the samples as in the caps: "full", "limited" or "unknown"
 * @width: visible width in pixels; 0 for bytes
 * @height: visible height in pixels; 0 for bytes
 * @depth: significant bits of a sample
 * @frame: index of the window's first frame since the start, from 0
 * @frames: frames in the window
 * @timestamp: timestamp of the buffer in which the window began, in ns; as the next three, #GST_CLOCK_TIME_NONE where unknown
 * @stream_time: the same in stream time
 * @running_time: the same in running time
 * @duration: from @timestamp to the end of the window's last buffer, in ns
 * @components: (element-type GstCudaHistoComponent): the numbers of each component, in the order of the format
 * @regions: (element-type GstCudaHistoResult): the numbers of each region, if any are counted. What says where in the stream
 *     is as in the whole result, and @width and @height are the region's; its place is in the fields `x` and `y`
 *
 * The numbers of one window: one frame of video, or one byte stream, unless the element's properties say otherwise.
 *
 * Since: 0.2
 */
struct _GstCudaHistoResult {
  const gchar *element;
  const gchar *backend;
  const gchar *format;
  const gchar *range;
  guint width;
  guint height;
  guint depth;
  guint64 frame;
  guint64 frames;
  GstClockTime timestamp;
  GstClockTime stream_time;
  GstClockTime running_time;
  GstClockTime duration;
  GPtrArray *components;
  GPtrArray *regions;

  /*< private >*/
  gpointer priv;
  gpointer _gst_reserved[GST_PADDING_LARGE];
};

/**
 * GstCudaHistoEvent:
 * @kind: "black", "freeze", "scene-change" or "clipped"
 * @element: name of the element that detected it
 * @start: stream time of its first frame, in ns; as the other times, #GST_CLOCK_TIME_NONE where unknown
 * @end: stream time of the first frame that is not part of it; unknown while it lasts
 * @duration: from @start to @end, in ns
 * @value: the number by which it began
 * @threshold: what that was compared with
 * @ended_by: (nullable): why it ended; %NULL while it lasts
 * @frame: index of its first frame since the start, from 0
 * @frames: frames in it; while it lasts, those so far
 *
 * Something that was detected has begun, or has ended.
 *
 * Since: 0.2
 */
struct _GstCudaHistoEvent {
  const gchar *kind;
  const gchar *element;
  GstClockTime start;
  GstClockTime end;
  GstClockTime duration;
  gdouble value;
  gdouble threshold;
  const gchar *ended_by;
  guint64 frame;
  guint64 frames;

  /*< private >*/
  gpointer priv;
  gpointer _gst_reserved[GST_PADDING_LARGE];
};

#define GST_TYPE_CUDA_HISTO_RESULT (gst_cuda_histo_result_get_type ())
#define GST_TYPE_CUDA_HISTO_COMPONENT (gst_cuda_histo_component_get_type ())
#define GST_TYPE_CUDA_HISTO_EVENT (gst_cuda_histo_event_get_type ())

GST_CUDA_HISTO_API GType gst_cuda_histo_result_get_type (void);
GST_CUDA_HISTO_API GType gst_cuda_histo_component_get_type (void);
GST_CUDA_HISTO_API GType gst_cuda_histo_event_get_type (void);

/* NULL where the message, buffer or structure has no result. Of a buffer with several, that of the last element that measured
 * it. A structure is that of a message or of a meta; it is copied as far as needed, packed histograms are shared. */
GST_CUDA_HISTO_API GstCudaHistoResult *gst_cuda_histo_result_new_from_message (GstMessage *message);
GST_CUDA_HISTO_API GstCudaHistoResult *gst_cuda_histo_result_new_from_buffer (GstBuffer *buffer);
GST_CUDA_HISTO_API GstCudaHistoResult *gst_cuda_histo_result_new_from_structure (const GstStructure *structure);
GST_CUDA_HISTO_API GstCudaHistoResult *gst_cuda_histo_result_ref (GstCudaHistoResult *result);
GST_CUDA_HISTO_API void gst_cuda_histo_result_unref (GstCudaHistoResult *result);

/* By index, and by name. NULL: the result has none such. */
GST_CUDA_HISTO_API const GstCudaHistoComponent *gst_cuda_histo_result_get_component (const GstCudaHistoResult *result,
                                                                                     guint index);
GST_CUDA_HISTO_API const GstCudaHistoComponent *gst_cuda_histo_result_find_component (const GstCudaHistoResult *result,
                                                                                      const gchar *name);
/* "Y", "GRAY": what brightness is measured by; of RGB "G"; else the first component. NULL: the result has none. */
GST_CUDA_HISTO_API const GstCudaHistoComponent *gst_cuda_histo_result_get_main_component (const GstCudaHistoResult *result);

/* Any field by its name in docs/messages.md, without the component's name where it is a component's: "utc-time",
 * "saturation-mean", "psnr". NULL: it is not there. */
GST_CUDA_HISTO_API const GValue *gst_cuda_histo_result_get_field (const GstCudaHistoResult *result, const gchar *name);
GST_CUDA_HISTO_API const GValue *gst_cuda_histo_component_get_field (const GstCudaHistoComponent *component, const gchar *name);

/* The histogram: how often each value occurs, `*n_bins` of them. NULL where the carrier has none. Counters of 256 for deeper
 * samples are of their upper 8 bits. It belongs to the result. */
GST_CUDA_HISTO_API const guint64 *gst_cuda_histo_component_get_histogram (const GstCudaHistoComponent *component,
                                                                          gsize *n_bins);
/* A waveform: `*n_columns` rows of 256 counters each. NULL where the carrier has none. */
GST_CUDA_HISTO_API const guint64 *gst_cuda_histo_component_get_waveform (const GstCudaHistoComponent *component,
                                                                         gsize *n_columns);
/* A vectorscope: 256 rows, one for each V, of 256 counters, one for each U. NULL where the carrier has none. */
GST_CUDA_HISTO_API const guint64 *gst_cuda_histo_result_get_vectorscope (const GstCudaHistoResult *result, gsize *n_counters);

GST_CUDA_HISTO_API GstCudaHistoEvent *gst_cuda_histo_event_new_from_message (GstMessage *message);
GST_CUDA_HISTO_API GstCudaHistoEvent *gst_cuda_histo_event_new_from_structure (const GstStructure *structure);
GST_CUDA_HISTO_API GstCudaHistoEvent *gst_cuda_histo_event_ref (GstCudaHistoEvent *event);
GST_CUDA_HISTO_API void gst_cuda_histo_event_unref (GstCudaHistoEvent *event);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstCudaHistoResult, gst_cuda_histo_result_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstCudaHistoEvent, gst_cuda_histo_event_unref)

G_END_DECLS

#endif
