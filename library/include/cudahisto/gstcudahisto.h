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
 *   GstCudaHistoResult *result = gst_cuda_histo_result_from_message (message);
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
 * The same in Python: `GstCudaHisto.Result.from_message (message).components[0].mean`.
 *
 * What each number means is defined in docs/statistics.md, and each field listed in docs/messages.md. The usual ones are
 * members of the structs; all of them are found by their names, those that a later version of the element adds too.
 * How a carrier has its arrays (`message-bins`, `message-arrays`) makes no difference here: histograms, waveforms,
 * vectorscopes, row and column sums are 64-bit integers in the machine's byte order. Those that are packed are not copied. In
 * Python the functions that return an array make a list of integers; those whose names end with `_bytes` copy nothing.
 *
 * Nothing here needs the engine, or a GPU. All functions may be called on any thread; a result, its components, and an event do
 * not change.
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
 * @mean: arithmetic mean; as the next two, NaN where nothing was counted, or no histogram asked for
 * @variance: mean squared distance from the mean (population form)
 * @stddev: its square root
 * @min: smallest value that occurs; as the next four, 0 where nothing was counted
 * @low: smallest value that a tenth of the samples do not exceed
 * @median: smallest value that half of the samples do not exceed
 * @high: smallest value that nine tenths of the samples do not exceed
 * @max: largest value that occurs
 *
 * The numbers of one component, at the samples' own depth. It is part of its result; a reference to it is one to that.
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
 * @ended_by: why the window ended: "complete", or "eos", "stop" and so on, and it may be a partial one
 * @x: left edge of a region in the visible picture, in pixels; 0 for a whole picture, and for bytes
 * @y: its top edge
 * @width: visible width in pixels; 0 for bytes
 * @height: visible height in pixels; 0 for bytes
 * @depth: significant bits of a sample
 * @framerate_n: frames per second as in the caps, numerator; 0: unknown, or variable, or bytes
 * @framerate_d: its denominator, at least 1
 * @frame: index of the window's first frame since the start, from 0
 * @frames: frames in the window
 * @timestamp: timestamp of the buffer in which the window began, in ns; as the next three, #GST_CLOCK_TIME_NONE where unknown
 * @stream_time: the same in stream time
 * @running_time: the same in running time
 * @duration: from @timestamp to the end of the window's last buffer, in ns
 * @components: (element-type GstCudaHistoComponent): the numbers of each component, in the order of the format
 * @regions: (element-type GstCudaHistoResult): the numbers of each region, empty where none are counted. What says where in the
 *     stream, and by which element, is as in the whole result; @x, @y, @width and @height are the region's
 *
 * The numbers of one window: one frame of video, or one byte stream, unless the element's properties say otherwise. A region is
 * part of the whole result; a reference to it is one to that.
 *
 * Since: 0.2
 */
struct _GstCudaHistoResult {
  const gchar *element;
  const gchar *backend;
  const gchar *format;
  const gchar *range;
  const gchar *ended_by;
  guint x;
  guint y;
  guint width;
  guint height;
  guint depth;
  gint framerate_n;
  gint framerate_d;
  guint64 frame;
  guint64 frames;
  GstClockTime timestamp;
  GstClockTime stream_time;
  GstClockTime running_time;
  GstClockTime duration;
  GList *components;
  GList *regions;

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
 * @running_time: @start in running time
 * @end_running_time: @end in running time
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
  GstClockTime running_time;
  GstClockTime end_running_time;
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

/* ---- results: from a message, a buffer, a structure -------------------------------------------------------------------- */

/**
 * gst_cuda_histo_register_meta:
 *
 * Registers the meta that carries results, for a process that receives buffers from another one (`unixfdsrc`) and has no
 * element `cudahisto` or `cudahistoscope`: GStreamer drops metas that are not registered when a buffer arrives. Call it after
 * gst_init(), before the pipeline starts. Calling it again has no effect.
 *
 * Since: 0.2
 */
GST_CUDA_HISTO_API void gst_cuda_histo_register_meta (void);

/**
 * gst_cuda_histo_result_new: (constructor)
 *
 * Makes an empty result: it has no field, no component and no region. Bindings call it for `GstCudaHisto.Result ()`. Results
 * with numbers come from gst_cuda_histo_result_from_message() and the like.
 *
 * Returns: (transfer full): an empty result
 *
 * Since: 0.2
 */
GST_CUDA_HISTO_API GstCudaHistoResult *gst_cuda_histo_result_new (void);

/**
 * gst_cuda_histo_result_from_message:
 * @message: any message
 *
 * Reads the result that @message has. The message may be changed or freed afterwards.
 *
 * Returns: (transfer full) (nullable): the result; %NULL where the message is another one
 *
 * Since: 0.2
 */
GST_CUDA_HISTO_API GstCudaHistoResult *gst_cuda_histo_result_from_message (GstMessage *message);

/**
 * gst_cuda_histo_result_from_buffer:
 * @buffer: any buffer
 *
 * Reads the result on @buffer (`add-meta` of the element); where several elements have measured it, that of the last one. It
 * keeps no reference to the buffer.
 *
 * Returns: (transfer full) (nullable): the result; %NULL where the buffer has none
 *
 * Since: 0.2
 */
GST_CUDA_HISTO_API GstCudaHistoResult *gst_cuda_histo_result_from_buffer (GstBuffer *buffer);

/**
 * gst_cuda_histo_result_from_structure:
 * @structure: any structure
 *
 * Reads the result that @structure has, which is that of a message or of a meta.
 *
 * Returns: (transfer full) (nullable): the result; %NULL where the structure is of something else
 *
 * Since: 0.2
 */
GST_CUDA_HISTO_API GstCudaHistoResult *gst_cuda_histo_result_from_structure (const GstStructure *structure);

/**
 * gst_cuda_histo_buffer_get_results:
 * @buffer: any buffer
 *
 * Reads all results on @buffer.
 *
 * Returns: (transfer full) (element-type GstCudaHistoResult): the results in the order in which the elements have measured it;
 *     %NULL, which is an empty list, where it has none
 *
 * Since: 0.2
 */
GST_CUDA_HISTO_API GList *gst_cuda_histo_buffer_get_results (GstBuffer *buffer);

/**
 * gst_cuda_histo_buffer_find_result:
 * @buffer: any buffer
 * @element: name of an element
 *
 * Reads the result on @buffer of the element that has the name.
 *
 * Returns: (transfer full) (nullable): the result, the last of that name; %NULL where the buffer has none
 *
 * Since: 0.2
 */
GST_CUDA_HISTO_API GstCudaHistoResult *gst_cuda_histo_buffer_find_result (GstBuffer *buffer, const gchar *element);

/**
 * gst_cuda_histo_result_ref: (skip)
 * @result: a result
 *
 * Takes a reference: the result, its components and regions live until it is given back.
 *
 * Returns: (transfer full): @result
 *
 * Since: 0.2
 */
GST_CUDA_HISTO_API GstCudaHistoResult *gst_cuda_histo_result_ref (GstCudaHistoResult *result);

/**
 * gst_cuda_histo_result_unref: (skip)
 * @result: (transfer full): a result
 *
 * Gives a reference back, and frees the result with the last one.
 *
 * Since: 0.2
 */
GST_CUDA_HISTO_API void gst_cuda_histo_result_unref (GstCudaHistoResult *result);

/* ---- results: components, fields, arrays ------------------------------------------------------------------------------- */

/**
 * gst_cuda_histo_result_get_component:
 * @result: a result
 * @index: which, from 0
 *
 * Gets a component, in the order of the format.
 *
 * Returns: (transfer none) (nullable): the component; %NULL where there are not as many
 *
 * Since: 0.2
 */
GST_CUDA_HISTO_API const GstCudaHistoComponent *gst_cuda_histo_result_get_component (const GstCudaHistoResult *result,
                                                                                     guint index);

/**
 * gst_cuda_histo_result_find_component:
 * @result: a result
 * @name: "Y", "GRAY", "byte" and so on
 *
 * Finds a component by its name.
 *
 * Returns: (transfer none) (nullable): the component; %NULL where there is none such
 *
 * Since: 0.2
 */
GST_CUDA_HISTO_API const GstCudaHistoComponent *gst_cuda_histo_result_find_component (const GstCudaHistoResult *result,
                                                                                      const gchar *name);

/**
 * gst_cuda_histo_result_get_main_component:
 * @result: a result
 *
 * Gets the component by which brightness is told: "Y" or "GRAY"; of RGB "G"; else the first.
 *
 * Returns: (transfer none) (nullable): the component; %NULL where there is none
 *
 * Since: 0.2
 */
GST_CUDA_HISTO_API const GstCudaHistoComponent *gst_cuda_histo_result_get_main_component (const GstCudaHistoResult *result);

/**
 * gst_cuda_histo_result_get_field:
 * @result: a result
 * @name: the field's name in docs/messages.md: "utc-time", "saturation-mean", "Y-psnr"
 *
 * Gets any field but the array `regions`, which is a member. A region has its own fields and not those of the whole result.
 * Arrays of 64-bit integers are a #GBytes of them in the machine's byte order, whatever the carrier had.
 *
 * Returns: (transfer none) (nullable): its value, which belongs to the result; %NULL where that has no such field
 *
 * Since: 0.2
 */
GST_CUDA_HISTO_API const GValue *gst_cuda_histo_result_get_field (const GstCudaHistoResult *result, const gchar *name);

/**
 * gst_cuda_histo_result_get_number:
 * @result: a result
 * @name: the field's name in docs/messages.md, as "saturation-mean"
 *
 * Gets a field that is a number, of whatever type.
 *
 * Returns: the number, an integer above 2^53 rounded; NaN where the result has no such field, or it is no number
 *
 * Since: 0.2
 */
GST_CUDA_HISTO_API gdouble gst_cuda_histo_result_get_number (const GstCudaHistoResult *result, const gchar *name);

/**
 * gst_cuda_histo_result_get_rectangle:
 * @result: a result
 * @name: the field's name in docs/messages.md: "active-picture", "crop"
 * @x: (out): its left edge in pixels
 * @y: (out): its top edge
 * @width: (out): its width
 * @height: (out): its height
 *
 * Gets a field that is a rectangle.
 *
 * Returns: %TRUE; %FALSE, and all four 0, where the result has no such field, or it is no rectangle
 *
 * Since: 0.2
 */
GST_CUDA_HISTO_API gboolean gst_cuda_histo_result_get_rectangle (const GstCudaHistoResult *result, const gchar *name, guint *x,
                                                                 guint *y, guint *width, guint *height);

/**
 * gst_cuda_histo_result_get_vectorscope:
 * @result: a result
 * @n_counters: (out) (optional): how many counters there are: 256 * 256, or 0
 *
 * Gets the vectorscope: how often each U occurs with each V, of both the upper 8 bits: 256 rows, one for each V, of a counter
 * for each U.
 *
 * Returns: (transfer none) (nullable) (array length=n_counters): the counters, which belong to the result; %NULL where the
 *     carrier has none
 *
 * Since: 0.2
 */
GST_CUDA_HISTO_API const guint64 *gst_cuda_histo_result_get_vectorscope (const GstCudaHistoResult *result, gsize *n_counters);

/**
 * gst_cuda_histo_result_get_vectorscope_bytes:
 * @result: a result
 *
 * Gets the array of gst_cuda_histo_result_get_vectorscope(), 8 bytes for each counter in the machine's byte order.
 * Nothing is copied.
 *
 * Returns: (transfer full) (nullable): the array, which outlives the result; %NULL if the carrier has none
 *
 * Since: 0.2
 */
GST_CUDA_HISTO_API GBytes *gst_cuda_histo_result_get_vectorscope_bytes (const GstCudaHistoResult *result);

/**
 * gst_cuda_histo_result_get_saturation_histogram:
 * @result: a result
 * @n_bins: (out) (optional): the number of counters
 *
 * Gets the histogram of saturation: how often each saturation occurs, from 0 on, rounded as `saturation-min` is.
 *
 * Returns: (transfer none) (nullable) (array length=n_bins): the counters, which belong to the result; %NULL if the carrier has
 *     none
 *
 * Since: 0.2
 */
GST_CUDA_HISTO_API const guint64 *gst_cuda_histo_result_get_saturation_histogram (const GstCudaHistoResult *result,
                                                                                  gsize *n_bins);

/**
 * gst_cuda_histo_result_get_saturation_histogram_bytes:
 * @result: a result
 *
 * Gets the array of gst_cuda_histo_result_get_saturation_histogram(), 8 bytes for each counter in the machine's byte order.
 * Nothing is copied.
 *
 * Returns: (transfer full) (nullable): the array, which outlives the result; %NULL if the carrier has none
 *
 * Since: 0.2
 */
GST_CUDA_HISTO_API GBytes *gst_cuda_histo_result_get_saturation_histogram_bytes (const GstCudaHistoResult *result);

/**
 * gst_cuda_histo_result_get_hue_histogram:
 * @result: a result
 * @n_bins: (out) (optional): the number of counters
 *
 * Gets the histogram of hue: how often each of the 360 degrees occurs, from 0 on.
 *
 * Returns: (transfer none) (nullable) (array length=n_bins): the counters, which belong to the result; %NULL if the carrier has
 *     none
 *
 * Since: 0.2
 */
GST_CUDA_HISTO_API const guint64 *gst_cuda_histo_result_get_hue_histogram (const GstCudaHistoResult *result, gsize *n_bins);

/**
 * gst_cuda_histo_result_get_hue_histogram_bytes:
 * @result: a result
 *
 * Gets the array of gst_cuda_histo_result_get_hue_histogram(), 8 bytes for each counter in the machine's byte order.
 * Nothing is copied.
 *
 * Returns: (transfer full) (nullable): the array, which outlives the result; %NULL if the carrier has none
 *
 * Since: 0.2
 */
GST_CUDA_HISTO_API GBytes *gst_cuda_histo_result_get_hue_histogram_bytes (const GstCudaHistoResult *result);

/* ---- components ---------------------------------------------------------------------------------------------------------- */

/**
 * gst_cuda_histo_component_new: (constructor)
 *
 * Makes an empty component, whose name is "", of an empty result. Bindings call it for `GstCudaHisto.Component ()`.
 *
 * Returns: (transfer full): an empty component
 *
 * Since: 0.2
 */
GST_CUDA_HISTO_API GstCudaHistoComponent *gst_cuda_histo_component_new (void);

/**
 * gst_cuda_histo_component_ref: (skip)
 * @component: a component
 *
 * Takes a reference to the component's result, so that both live until it is given back.
 *
 * Returns: (transfer full): @component
 *
 * Since: 0.2
 */
GST_CUDA_HISTO_API GstCudaHistoComponent *gst_cuda_histo_component_ref (const GstCudaHistoComponent *component);

/**
 * gst_cuda_histo_component_unref: (skip)
 * @component: (transfer full): a component
 *
 * Gives a reference to the component's result back.
 *
 * Since: 0.2
 */
GST_CUDA_HISTO_API void gst_cuda_histo_component_unref (GstCudaHistoComponent *component);

/**
 * gst_cuda_histo_component_get_field:
 * @component: a component
 * @name: the field's name in docs/messages.md, without the component's: "dot", "psnr", "used-bits"
 *
 * Gets any field of a component. Arrays of 64-bit integers are a #GBytes of them in the machine's byte order, whatever the
 * carrier had.
 *
 * Returns: (transfer none) (nullable): its value, which belongs to the result; %NULL where that has no such field
 *
 * Since: 0.2
 */
GST_CUDA_HISTO_API const GValue *gst_cuda_histo_component_get_field (const GstCudaHistoComponent *component, const gchar *name);

/**
 * gst_cuda_histo_component_get_number:
 * @component: a component
 * @name: the field's name in docs/messages.md, without the component's, as "psnr"
 *
 * Gets a field that is a number, of whatever type.
 *
 * Returns: the number, an integer above 2^53 rounded; NaN where the component has no such field, or it is no number
 *
 * Since: 0.2
 */
GST_CUDA_HISTO_API gdouble gst_cuda_histo_component_get_number (const GstCudaHistoComponent *component, const gchar *name);

/**
 * gst_cuda_histo_component_get_histogram:
 * @component: a component
 * @n_bins: (out) (optional): how many counters there are: 256, or with `bins=native` one for each value; 0 where there are none
 *
 * Gets the histogram: how often each value occurs, from 0 on. 256 counters of deeper samples are of their upper 8 bits.
 *
 * Returns: (transfer none) (nullable) (array length=n_bins): the counters, which belong to the result; %NULL where the carrier
 *     has none
 *
 * Since: 0.2
 */
GST_CUDA_HISTO_API const guint64 *gst_cuda_histo_component_get_histogram (const GstCudaHistoComponent *component,
                                                                          gsize *n_bins);

/**
 * gst_cuda_histo_component_get_histogram_bytes:
 * @component: a component
 *
 * Gets the array of gst_cuda_histo_component_get_histogram(), 8 bytes for each counter in the machine's byte order.
 * Nothing is copied.
 *
 * Returns: (transfer full) (nullable): the array, which outlives the result; %NULL if the carrier has none
 *
 * Since: 0.2
 */
GST_CUDA_HISTO_API GBytes *gst_cuda_histo_component_get_histogram_bytes (const GstCudaHistoComponent *component);

/**
 * gst_cuda_histo_component_get_waveform:
 * @component: a component
 * @n_counters: (out) (optional): how many counters there are: 256 for each column of the waveform
 *
 * Gets the waveform: for each of its columns, from the left, how often each value of the samples' upper 8 bits occurs in its
 * part of the picture: 256 counters for the first column, and so on.
 *
 * Returns: (transfer none) (nullable) (array length=n_counters): the counters, which belong to the result; %NULL where the
 *     carrier has none
 *
 * Since: 0.2
 */
GST_CUDA_HISTO_API const guint64 *gst_cuda_histo_component_get_waveform (const GstCudaHistoComponent *component,
                                                                         gsize *n_counters);

/**
 * gst_cuda_histo_component_get_waveform_bytes:
 * @component: a component
 *
 * Gets the array of gst_cuda_histo_component_get_waveform(), 8 bytes for each counter in the machine's byte order.
 * Nothing is copied.
 *
 * Returns: (transfer full) (nullable): the array, which outlives the result; %NULL if the carrier has none
 *
 * Since: 0.2
 */
GST_CUDA_HISTO_API GBytes *gst_cuda_histo_component_get_waveform_bytes (const GstCudaHistoComponent *component);

/**
 * gst_cuda_histo_component_get_row_sums:
 * @component: a component
 * @n_rows: (out) (optional): how many sums there are
 *
 * Gets the sum of each row, from the top, each sample times its column's weight.
 *
 * Returns: (transfer none) (nullable) (array length=n_rows): the sums, which belong to the result; %NULL where the carrier has
 *     none
 *
 * Since: 0.2
 */
GST_CUDA_HISTO_API const gint64 *gst_cuda_histo_component_get_row_sums (const GstCudaHistoComponent *component, gsize *n_rows);

/**
 * gst_cuda_histo_component_get_row_sums_bytes:
 * @component: a component
 *
 * Gets the array of gst_cuda_histo_component_get_row_sums(), 8 bytes for each sum in the machine's byte order.
 * Nothing is copied.
 *
 * Returns: (transfer full) (nullable): the array, which outlives the result; %NULL if the carrier has none
 *
 * Since: 0.2
 */
GST_CUDA_HISTO_API GBytes *gst_cuda_histo_component_get_row_sums_bytes (const GstCudaHistoComponent *component);

/**
 * gst_cuda_histo_component_get_column_sums:
 * @component: a component
 * @n_columns: (out) (optional): how many sums there are
 *
 * Gets the sum of each column, from the left, each sample times its row's weight.
 *
 * Returns: (transfer none) (nullable) (array length=n_columns): the sums, which belong to the result; %NULL where the carrier
 *     has none
 *
 * Since: 0.2
 */
GST_CUDA_HISTO_API const gint64 *gst_cuda_histo_component_get_column_sums (const GstCudaHistoComponent *component,
                                                                           gsize *n_columns);

/**
 * gst_cuda_histo_component_get_column_sums_bytes:
 * @component: a component
 *
 * Gets the array of gst_cuda_histo_component_get_column_sums(), 8 bytes for each sum in the machine's byte order.
 * Nothing is copied.
 *
 * Returns: (transfer full) (nullable): the array, which outlives the result; %NULL if the carrier has none
 *
 * Since: 0.2
 */
GST_CUDA_HISTO_API GBytes *gst_cuda_histo_component_get_column_sums_bytes (const GstCudaHistoComponent *component);

/* ---- events -------------------------------------------------------------------------------------------------------------- */

/**
 * gst_cuda_histo_event_new: (constructor)
 *
 * Makes an empty event: it has no field. Bindings call it for `GstCudaHisto.Event ()`.
 *
 * Returns: (transfer full): an empty event
 *
 * Since: 0.2
 */
GST_CUDA_HISTO_API GstCudaHistoEvent *gst_cuda_histo_event_new (void);

/**
 * gst_cuda_histo_event_from_message:
 * @message: any message
 *
 * Reads the event that @message has. The message may be changed or freed afterwards.
 *
 * Returns: (transfer full) (nullable): the event; %NULL where the message is another one
 *
 * Since: 0.2
 */
GST_CUDA_HISTO_API GstCudaHistoEvent *gst_cuda_histo_event_from_message (GstMessage *message);

/**
 * gst_cuda_histo_event_from_structure:
 * @structure: any structure
 *
 * Reads the event that @structure has, which is that of a message.
 *
 * Returns: (transfer full) (nullable): the event; %NULL where the structure is of something else
 *
 * Since: 0.2
 */
GST_CUDA_HISTO_API GstCudaHistoEvent *gst_cuda_histo_event_from_structure (const GstStructure *structure);

/**
 * gst_cuda_histo_event_ref: (skip)
 * @event: an event
 *
 * Takes a reference.
 *
 * Returns: (transfer full): @event
 *
 * Since: 0.2
 */
GST_CUDA_HISTO_API GstCudaHistoEvent *gst_cuda_histo_event_ref (GstCudaHistoEvent *event);

/**
 * gst_cuda_histo_event_unref: (skip)
 * @event: (transfer full): an event
 *
 * Gives a reference back, and frees the event with the last one.
 *
 * Since: 0.2
 */
GST_CUDA_HISTO_API void gst_cuda_histo_event_unref (GstCudaHistoEvent *event);

/**
 * gst_cuda_histo_event_get_field:
 * @event: an event
 * @name: the field's name in docs/messages.md
 *
 * Gets any field, one that a later version of the element adds too: "utc-time", a string (RFC 3339), is the time of day at
 * which its first frame came.
 *
 * Returns: (transfer none) (nullable): its value, which belongs to the event; %NULL where that has no such field
 *
 * Since: 0.2
 */
GST_CUDA_HISTO_API const GValue *gst_cuda_histo_event_get_field (const GstCudaHistoEvent *event, const gchar *name);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstCudaHistoResult, gst_cuda_histo_result_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstCudaHistoComponent, gst_cuda_histo_component_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstCudaHistoEvent, gst_cuda_histo_event_unref)

G_END_DECLS

#endif
