/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/**
 * SECTION:gstcudahisto
 * @title: cudahisto for applications
 * @short_description: typed access to the results of the element `cudahisto`
 *
 * A result holds the numbers of one window. The element sends it as a message on the bus and as a meta on a buffer. This
 * library reads both into a #GstCudaHistoResult:
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
 * docs/statistics.md defines each number, and docs/messages.md lists each field. The usual fields are members of the structs.
 * All fields, including those that later versions of the element add, can be read by name. Histograms, waveforms,
 * vectorscopes, row and column sums are 64-bit integers in the machine's byte order, however the message or meta stores them
 * (`message-arrays`). Packed arrays are not copied. In Python the functions that return an array make a list
 * of integers; functions whose names end with `_bytes` copy nothing.
 *
 * The library needs neither the engine nor a GPU. Any thread may call any function. Results, components and events are
 * immutable.
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
 * @name: "Y", "U", "V", "R", "G", "B", "A", "GRAY", "index", "luma" or "byte"
 * @count: samples counted
 * @sum: sum of the samples
 * @mean: arithmetic mean; like the next two, NaN if no sample was counted or no histogram was requested
 * @variance: mean squared distance from the mean (population form)
 * @stddev: its square root
 * @min: smallest value that occurs; like the next four, 0 if no sample was counted
 * @low: smallest value that a tenth of the samples do not exceed
 * @median: smallest value that half of the samples do not exceed
 * @high: smallest value that nine tenths of the samples do not exceed
 * @max: largest value that occurs
 *
 * The numbers of one component, at the samples' own depth. A component is part of its result: a reference to it keeps the
 * result alive.
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
 * @element: name of the element that counted
 * @backend: backend in use: "cuda", "cpu" or "reference"
 * @format: video format as in the caps, or "bytes"
 * @range: nominal range of the samples as in the caps: "full", "limited" or "unknown"
 * @ended_by: why the window ended: "complete", or for a possibly partial window "eos", "stop" and so on
 * @x: left edge of a region in the visible picture, in pixels; 0 for a whole picture, and for bytes
 * @y: its top edge
 * @width: visible width in pixels; 0 for bytes
 * @height: visible height in pixels; of a field, its rows; 0 for bytes
 * @depth: significant bits of a sample
 * @framerate_n: frames or fields per second, numerator; 0: unknown, variable, or bytes
 * @framerate_d: its denominator, at least 1
 * @frame: index of the window's first frame since the start, from 0
 * @frames: frames in the window
 * @timestamp: timestamp of the buffer in which the window began, in ns; like the next three, #GST_CLOCK_TIME_NONE if unknown
 * @stream_time: the same in stream time
 * @running_time: the same in running time
 * @duration: from @timestamp to the end of the window's last buffer, in ns
 * @components: (element-type GstCudaHistoComponent): the numbers of each component, in the order of the format
 * @regions: (element-type GstCudaHistoResult): the numbers of each region, empty without regions. Its @x, @y, @width and
 *     @height are the region's; its times, frame numbers and element are those of the whole result
 *
 * The numbers of one window: one frame of video, or one byte stream, unless the element's properties say otherwise. A region is
 * part of the whole result: a reference to it keeps the whole result alive.
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
 * @kind: "black", "freeze", "scene-change", "clipped" or "damaged"
 * @element: name of the element that detected it
 * @start: stream time of its first frame, in ns; like the other times, #GST_CLOCK_TIME_NONE if unknown
 * @end: stream time of the first frame after the event; unknown while it lasts
 * @running_time: @start in running time
 * @end_running_time: @end in running time
 * @duration: from @start to @end, in ns
 * @value: the measured value that started it; like @threshold, NaN for "damaged"
 * @threshold: the threshold that @value was compared with
 * @ended_by: (nullable): why it ended; %NULL while it lasts
 * @frame: index of its first frame since the start, from 0
 * @frames: frames in it; so far, while it lasts
 *
 * The beginning or the end of a detected event.
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
 * Registers the meta that carries results. A process needs it if it receives buffers from another process (`unixfdsrc`) and
 * has no element `cudahisto` or `cudahistoscope`: GStreamer drops unregistered metas when a buffer arrives. Call it after
 * gst_init(), before the pipeline starts. Calling it again has no effect.
 *
 * Since: 0.2
 */
GST_CUDA_HISTO_API void gst_cuda_histo_register_meta (void);

/**
 * gst_cuda_histo_result_new: (constructor)
 *
 * Makes an empty result, without fields, components and regions. Bindings call it for `GstCudaHisto.Result ()`. Results
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
 * Reads the result in @message. The caller may change or free the message afterwards.
 *
 * Returns: (transfer full) (nullable): the result; %NULL if @message contains none
 *
 * Since: 0.2
 */
GST_CUDA_HISTO_API GstCudaHistoResult *gst_cuda_histo_result_from_message (GstMessage *message);

/**
 * gst_cuda_histo_result_from_buffer:
 * @buffer: any buffer
 *
 * Reads the result on @buffer (property `add-meta` of the element). If several elements added results, it reads the last. It
 * keeps no reference to the buffer.
 *
 * Returns: (transfer full) (nullable): the result; %NULL if the buffer has none
 *
 * Since: 0.2
 */
GST_CUDA_HISTO_API GstCudaHistoResult *gst_cuda_histo_result_from_buffer (GstBuffer *buffer);

/**
 * gst_cuda_histo_result_from_structure:
 * @structure: any structure
 *
 * Reads the result in @structure, the structure of a message or of a meta.
 *
 * Returns: (transfer full) (nullable): the result; %NULL if @structure contains none
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
 * Returns: (transfer full) (element-type GstCudaHistoResult): the results in the order in which elements added them;
 *     %NULL, the empty list, if the buffer has none
 *
 * Since: 0.2
 */
GST_CUDA_HISTO_API GList *gst_cuda_histo_buffer_get_results (GstBuffer *buffer);

/**
 * gst_cuda_histo_buffer_find_result:
 * @buffer: any buffer
 * @element: name of an element
 *
 * Reads the result that element @element added to @buffer.
 *
 * Returns: (transfer full) (nullable): the last result of that name; %NULL if the buffer has none
 *
 * Since: 0.2
 */
GST_CUDA_HISTO_API GstCudaHistoResult *gst_cuda_histo_buffer_find_result (GstBuffer *buffer, const gchar *element);

/**
 * gst_cuda_histo_result_ref: (skip)
 * @result: a result
 *
 * Takes a reference: the result, its components and regions live until it is released.
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
 * Releases a reference. The last one frees the result.
 *
 * Since: 0.2
 */
GST_CUDA_HISTO_API void gst_cuda_histo_result_unref (GstCudaHistoResult *result);

/* ---- results: components, fields, arrays ------------------------------------------------------------------------------- */

/**
 * gst_cuda_histo_result_get_component:
 * @result: a result
 * @index: index of the component, from 0
 *
 * Gets a component, in the order of the format.
 *
 * Returns: (transfer none) (nullable): the component; %NULL if @index is too large
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
 * Returns: (transfer none) (nullable): the component; %NULL if the result has none of that name
 *
 * Since: 0.2
 */
GST_CUDA_HISTO_API const GstCudaHistoComponent *gst_cuda_histo_result_find_component (const GstCudaHistoResult *result,
                                                                                      const gchar *name);

/**
 * gst_cuda_histo_result_get_main_component:
 * @result: a result
 *
 * Gets the component that represents brightness: "Y", "GRAY" or "luma", for RGB "G", otherwise the first.
 *
 * Returns: (transfer none) (nullable): the component; %NULL if the result has none
 *
 * Since: 0.2
 */
GST_CUDA_HISTO_API const GstCudaHistoComponent *gst_cuda_histo_result_get_main_component (const GstCudaHistoResult *result);

/**
 * gst_cuda_histo_result_get_field:
 * @result: a result
 * @name: the field's name in docs/messages.md: "utc-time", "saturation-mean", "Y-psnr"
 *
 * Gets any field except the array `regions`, which is a member. A region has only its own fields, not those of the whole
 * result. An array of 64-bit integers is a #GBytes in the machine's byte order, however the message or meta stores it.
 *
 * Returns: (transfer none) (nullable): its value, owned by the result; %NULL if there is no such field
 *
 * Since: 0.2
 */
GST_CUDA_HISTO_API const GValue *gst_cuda_histo_result_get_field (const GstCudaHistoResult *result, const gchar *name);

/**
 * gst_cuda_histo_result_get_number:
 * @result: a result
 * @name: the field's name in docs/messages.md, as "saturation-mean"
 *
 * Gets a field that is a number of any type.
 *
 * Returns: the number, rounded if it is an integer above 2^53; NaN if there is no such field or it is not a number
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
 * Returns: %TRUE; %FALSE, and all four 0, if there is no such field or it is not a rectangle
 *
 * Since: 0.2
 */
GST_CUDA_HISTO_API gboolean gst_cuda_histo_result_get_rectangle (const GstCudaHistoResult *result, const gchar *name, guint *x,
                                                                 guint *y, guint *width, guint *height);

/**
 * gst_cuda_histo_result_get_vectorscope:
 * @result: a result
 * @n_bins: (out) (optional): the number of bins: 256 * 256, or 0
 *
 * Gets the vectorscope: how often each U occurs with each V, by their upper 8 bits. It has 256 rows, one for each V, of 256
 * bins, one for each U.
 *
 * Returns: (transfer none) (nullable) (array length=n_bins): the bins, owned by the result; %NULL if the message or
 *     meta has none
 *
 * Since: 0.2
 */
GST_CUDA_HISTO_API const guint64 *gst_cuda_histo_result_get_vectorscope (const GstCudaHistoResult *result, gsize *n_bins);

/**
 * gst_cuda_histo_result_get_vectorscope_bytes:
 * @result: a result
 *
 * Gets the array of gst_cuda_histo_result_get_vectorscope(), 8 bytes a bin in the machine's byte order.
 * Nothing is copied.
 *
 * Returns: (transfer full) (nullable): the array, which outlives the result; %NULL if the message or meta has none
 *
 * Since: 0.2
 */
GST_CUDA_HISTO_API GBytes *gst_cuda_histo_result_get_vectorscope_bytes (const GstCudaHistoResult *result);

/**
 * gst_cuda_histo_result_get_saturation_histogram:
 * @result: a result
 * @n_bins: (out) (optional): the number of bins
 *
 * Gets the histogram of saturation: how often each saturation, rounded down, occurs, from 0.
 *
 * Returns: (transfer none) (nullable) (array length=n_bins): the bins, owned by the result; %NULL if the message or meta has
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
 * Gets the array of gst_cuda_histo_result_get_saturation_histogram(), 8 bytes a bin in the machine's byte order.
 * Nothing is copied.
 *
 * Returns: (transfer full) (nullable): the array, which outlives the result; %NULL if the message or meta has none
 *
 * Since: 0.2
 */
GST_CUDA_HISTO_API GBytes *gst_cuda_histo_result_get_saturation_histogram_bytes (const GstCudaHistoResult *result);

/**
 * gst_cuda_histo_result_get_light_histogram:
 * @result: a result
 * @n_bins: (out) (optional): the number of bins
 *
 * Gets the histogram of light: how often each 12-bit PQ code occurs, from 0.
 *
 * Returns: (transfer none) (nullable) (array length=n_bins): the bins, owned by the result; %NULL if the message or meta has
 *     none
 *
 * Since: 0.2
 */
GST_CUDA_HISTO_API const guint64 *gst_cuda_histo_result_get_light_histogram (const GstCudaHistoResult *result, gsize *n_bins);

/**
 * gst_cuda_histo_result_get_light_histogram_bytes:
 * @result: a result
 *
 * Gets the array of gst_cuda_histo_result_get_light_histogram(), 8 bytes a bin in the machine's byte order.
 * Nothing is copied.
 *
 * Returns: (transfer full) (nullable): the array, which outlives the result; %NULL if the message or meta has none
 *
 * Since: 0.2
 */
GST_CUDA_HISTO_API GBytes *gst_cuda_histo_result_get_light_histogram_bytes (const GstCudaHistoResult *result);

/**
 * gst_cuda_histo_result_get_hue_histogram:
 * @result: a result
 * @n_bins: (out) (optional): the number of bins
 *
 * Gets the histogram of hue: how often each of the 360 degrees occurs, from 0.
 *
 * Returns: (transfer none) (nullable) (array length=n_bins): the bins, owned by the result; %NULL if the message or meta has
 *     none
 *
 * Since: 0.2
 */
GST_CUDA_HISTO_API const guint64 *gst_cuda_histo_result_get_hue_histogram (const GstCudaHistoResult *result, gsize *n_bins);

/**
 * gst_cuda_histo_result_get_hue_histogram_bytes:
 * @result: a result
 *
 * Gets the array of gst_cuda_histo_result_get_hue_histogram(), 8 bytes a bin in the machine's byte order.
 * Nothing is copied.
 *
 * Returns: (transfer full) (nullable): the array, which outlives the result; %NULL if the message or meta has none
 *
 * Since: 0.2
 */
GST_CUDA_HISTO_API GBytes *gst_cuda_histo_result_get_hue_histogram_bytes (const GstCudaHistoResult *result);

/* ---- components ---------------------------------------------------------------------------------------------------------- */

/**
 * gst_cuda_histo_component_new: (constructor)
 *
 * Makes an empty component, named "", of an empty result. Bindings call it for `GstCudaHisto.Component ()`.
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
 * Takes a reference to the component's result: both live until it is released.
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
 * Releases a reference to the component's result.
 *
 * Since: 0.2
 */
GST_CUDA_HISTO_API void gst_cuda_histo_component_unref (GstCudaHistoComponent *component);

/**
 * gst_cuda_histo_component_get_field:
 * @component: a component
 * @name: the field's name in docs/messages.md, without the component's: "dot", "psnr", "used-bits"
 *
 * Gets any field of a component. An array of 64-bit integers is a #GBytes in the machine's byte order, however the message or
 * meta stores it.
 *
 * Returns: (transfer none) (nullable): its value, owned by the result; %NULL if there is no such field
 *
 * Since: 0.2
 */
GST_CUDA_HISTO_API const GValue *gst_cuda_histo_component_get_field (const GstCudaHistoComponent *component, const gchar *name);

/**
 * gst_cuda_histo_component_get_number:
 * @component: a component
 * @name: the field's name in docs/messages.md, without the component's, as "psnr"
 *
 * Gets a field that is a number of any type.
 *
 * Returns: the number, rounded if it is an integer above 2^53; NaN if there is no such field or it is not a number
 *
 * Since: 0.2
 */
GST_CUDA_HISTO_API gdouble gst_cuda_histo_component_get_number (const GstCudaHistoComponent *component, const gchar *name);

/**
 * gst_cuda_histo_component_get_histogram:
 * @component: a component
 * @n_bins: (out) (optional): the number of bins: 256, or with `bins=native` one for each value; 0 without a histogram
 *
 * Gets the histogram: how often each value occurs, from 0. With 256 bins, deeper samples are counted by their upper 8 bits.
 *
 * Returns: (transfer none) (nullable) (array length=n_bins): the bins, owned by the result; %NULL if the message or meta
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
 * Gets the array of gst_cuda_histo_component_get_histogram(), 8 bytes a bin in the machine's byte order.
 * Nothing is copied.
 *
 * Returns: (transfer full) (nullable): the array, which outlives the result; %NULL if the message or meta has none
 *
 * Since: 0.2
 */
GST_CUDA_HISTO_API GBytes *gst_cuda_histo_component_get_histogram_bytes (const GstCudaHistoComponent *component);

/**
 * gst_cuda_histo_component_get_waveform:
 * @component: a component
 * @n_bins: (out) (optional): the number of bins: 256 for each column of the waveform
 *
 * Gets the waveform. Each of its columns, from the left, has 256 bins: how often each value of the samples' upper 8 bits
 * occurs in that part of the picture.
 *
 * Returns: (transfer none) (nullable) (array length=n_bins): the bins, owned by the result; %NULL if the message or
 *     meta has none
 *
 * Since: 0.2
 */
GST_CUDA_HISTO_API const guint64 *gst_cuda_histo_component_get_waveform (const GstCudaHistoComponent *component, gsize *n_bins);

/**
 * gst_cuda_histo_component_get_waveform_bytes:
 * @component: a component
 *
 * Gets the array of gst_cuda_histo_component_get_waveform(), 8 bytes a bin in the machine's byte order.
 * Nothing is copied.
 *
 * Returns: (transfer full) (nullable): the array, which outlives the result; %NULL if the message or meta has none
 *
 * Since: 0.2
 */
GST_CUDA_HISTO_API GBytes *gst_cuda_histo_component_get_waveform_bytes (const GstCudaHistoComponent *component);

/**
 * gst_cuda_histo_component_get_row_sums:
 * @component: a component
 * @n_rows: (out) (optional): the number of sums
 *
 * Gets the sum of each row, from the top: each sample times its column's weight.
 *
 * Returns: (transfer none) (nullable) (array length=n_rows): the sums, owned by the result; %NULL if the message or meta has
 *     none
 *
 * Since: 0.2
 */
GST_CUDA_HISTO_API const gint64 *gst_cuda_histo_component_get_row_sums (const GstCudaHistoComponent *component, gsize *n_rows);

/**
 * gst_cuda_histo_component_get_row_sums_bytes:
 * @component: a component
 *
 * Gets the array of gst_cuda_histo_component_get_row_sums(), 8 bytes a sum in the machine's byte order.
 * Nothing is copied.
 *
 * Returns: (transfer full) (nullable): the array, which outlives the result; %NULL if the message or meta has none
 *
 * Since: 0.2
 */
GST_CUDA_HISTO_API GBytes *gst_cuda_histo_component_get_row_sums_bytes (const GstCudaHistoComponent *component);

/**
 * gst_cuda_histo_component_get_column_sums:
 * @component: a component
 * @n_columns: (out) (optional): the number of sums
 *
 * Gets the sum of each column, from the left: each sample times its row's weight.
 *
 * Returns: (transfer none) (nullable) (array length=n_columns): the sums, owned by the result; %NULL if the message or meta
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
 * Gets the array of gst_cuda_histo_component_get_column_sums(), 8 bytes a sum in the machine's byte order.
 * Nothing is copied.
 *
 * Returns: (transfer full) (nullable): the array, which outlives the result; %NULL if the message or meta has none
 *
 * Since: 0.2
 */
GST_CUDA_HISTO_API GBytes *gst_cuda_histo_component_get_column_sums_bytes (const GstCudaHistoComponent *component);

/* ---- events -------------------------------------------------------------------------------------------------------------- */

/**
 * gst_cuda_histo_event_new: (constructor)
 *
 * Makes an empty event, without fields. Bindings call it for `GstCudaHisto.Event ()`.
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
 * Reads the event in @message. The caller may change or free the message afterwards.
 *
 * Returns: (transfer full) (nullable): the event; %NULL if @message contains none
 *
 * Since: 0.2
 */
GST_CUDA_HISTO_API GstCudaHistoEvent *gst_cuda_histo_event_from_message (GstMessage *message);

/**
 * gst_cuda_histo_event_from_structure:
 * @structure: any structure
 *
 * Reads the event in @structure, the structure of a message.
 *
 * Returns: (transfer full) (nullable): the event; %NULL if @structure contains none
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
 * Releases a reference. The last one frees the event.
 *
 * Since: 0.2
 */
GST_CUDA_HISTO_API void gst_cuda_histo_event_unref (GstCudaHistoEvent *event);

/**
 * gst_cuda_histo_event_get_field:
 * @event: an event
 * @name: the field's name in docs/messages.md
 *
 * Gets any field, including those that later versions of the element add. For example "utc-time", a string (RFC 3339), is the
 * time of day at which the first frame of the event arrived.
 *
 * Returns: (transfer none) (nullable): its value, owned by the event; %NULL if there is no such field
 *
 * Since: 0.2
 */
GST_CUDA_HISTO_API const GValue *gst_cuda_histo_event_get_field (const GstCudaHistoEvent *event, const gchar *name);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstCudaHistoResult, gst_cuda_histo_result_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstCudaHistoComponent, gst_cuda_histo_component_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstCudaHistoEvent, gst_cuda_histo_event_unref)

G_END_DECLS

#endif
