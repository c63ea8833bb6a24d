/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "settings.h"

/* The id of a property is the offset of its value, plus 1. The value has the type of the property, or is an enum or flags. */
#define ID(member) (G_STRUCT_OFFSET (GstCudaHistoScopeSettings, member) + 1)

static const GstCudaHistoScopeSettings default_settings = {
  .output = GST_CUDA_HISTO_SCOPE_OUTPUT_OVERLAY,
  .modes = GST_CUDA_HISTO_SCOPE_MODE_HISTOGRAM,
  .scale = GST_CUDA_HISTO_SCOPE_SCALE_LINEAR,
  .waveform_scale = GST_CUDA_HISTO_SCOPE_WAVEFORM_SCALE_CODE,
  .placement = GST_CUDA_HISTO_SCOPE_PLACEMENT_BOTTOM_LEFT,
  .xpos = 0.5,
  .ypos = 0.5,
  .size = 0.35,
  .opacity = 1.0,
  .gain = 1.0,
  .legal_range = TRUE,
  .marks = TRUE,
  .numbers = TRUE,
  .color = 0xffe8eaed,
  .trace_color = 0xffd9e4d2,
  .mark_color = 0xffffc44d,
  .legal_color = 0xffff6a4d,
  .background_color = 0xdc0b0d10,
};

static const GEnumValue output_values[] = {
  { GST_CUDA_HISTO_SCOPE_OUTPUT_OVERLAY, "The pictures of the stream, with the scope over them", "overlay" },
  { GST_CUDA_HISTO_SCOPE_OUTPUT_PICTURE, "Only the scope, as video", "picture" },
  { 0, NULL, NULL },
};

static const GFlagsValue modes_values[] = {
  { GST_CUDA_HISTO_SCOPE_MODE_HISTOGRAM, "Histogram of luma; of G for RGB", "histogram" },
  { GST_CUDA_HISTO_SCOPE_MODE_HISTOGRAM_PARADE, "Histograms of all components, side by side", "histogram-parade" },
  { GST_CUDA_HISTO_SCOPE_MODE_WAVEFORM, "Waveform of luma; of G for RGB", "waveform" },
  { GST_CUDA_HISTO_SCOPE_MODE_WAVEFORM_PARADE, "Waveforms of all components, side by side", "waveform-parade" },
  { GST_CUDA_HISTO_SCOPE_MODE_VECTORSCOPE, "Vectorscope", "vectorscope" },
  { 0, NULL, NULL },
};

static const GEnumValue scale_values[] = {
  { GST_CUDA_HISTO_SCOPE_SCALE_LINEAR, "Height proportional to the number of samples", "linear" },
  { GST_CUDA_HISTO_SCOPE_SCALE_LOGARITHMIC, "Height proportional to the logarithm of the number of samples plus 1",
    "logarithmic" },
  { 0, NULL, NULL },
};

static const GEnumValue waveform_scale_values[] = {
  { GST_CUDA_HISTO_SCOPE_WAVEFORM_SCALE_CODE, "Sample values", "code" },
  { GST_CUDA_HISTO_SCOPE_WAVEFORM_SCALE_NITS, "Luminance in nits for PQ video; for other video sample values", "nits" },
  { 0, NULL, NULL },
};

static const GEnumValue placement_values[] = {
  { GST_CUDA_HISTO_SCOPE_PLACEMENT_TOP_LEFT, "Upper left corner", "top-left" },
  { GST_CUDA_HISTO_SCOPE_PLACEMENT_TOP, "Top, in the middle", "top" },
  { GST_CUDA_HISTO_SCOPE_PLACEMENT_TOP_RIGHT, "Upper right corner", "top-right" },
  { GST_CUDA_HISTO_SCOPE_PLACEMENT_LEFT, "Left, in the middle", "left" },
  { GST_CUDA_HISTO_SCOPE_PLACEMENT_CENTER, "In the middle", "center" },
  { GST_CUDA_HISTO_SCOPE_PLACEMENT_RIGHT, "Right, in the middle", "right" },
  { GST_CUDA_HISTO_SCOPE_PLACEMENT_BOTTOM_LEFT, "Lower left corner", "bottom-left" },
  { GST_CUDA_HISTO_SCOPE_PLACEMENT_BOTTOM, "Bottom, in the middle", "bottom" },
  { GST_CUDA_HISTO_SCOPE_PLACEMENT_BOTTOM_RIGHT, "Lower right corner", "bottom-right" },
  { GST_CUDA_HISTO_SCOPE_PLACEMENT_POSITION, "At xpos and ypos", "position" },
  { 0, NULL, NULL },
};

/* Registers the type of a property. Properties are installed once. */
static GType
gst_cuda_histo_scope_settings_register_enum (const gchar *name, const GEnumValue *values)
{
  const GType type = g_enum_register_static (name, values);

  gst_type_mark_as_plugin_api (type, 0);
  return type;
}

void
gst_cuda_histo_scope_settings_init (GstCudaHistoScopeSettings *settings)
{
  *settings = default_settings;
}

static void
gst_cuda_histo_scope_settings_install_what (GObjectClass *klass)
{
  const GParamFlags ready = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY;
  const GParamFlags playing = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING | GST_PARAM_CONTROLLABLE;
  const GType modes = g_flags_register_static ("GstCudaHistoScopeModes", modes_values);

  gst_type_mark_as_plugin_api (modes, 0);
  /**
   * GstCudaHistoScope:output:
   *
   * The output of the element: the stream's pictures with the scope over them, or only the scope, as opaque BGRA or BGRx
   * video of the width and height that downstream requests (1280 x 720 by default), each from 1 to 32767. There is a
   * progressive picture for each buffer, with its time. In state PAUSED and PLAYING the output does not change: a new value
   * takes effect at the next change from READY, and the element warns.
   *
   * Since: 0.2
   */
  g_object_class_install_property (
      klass, ID (output),
      g_param_spec_enum ("output", "Output", "Output of the element: the picture with the scope over it, or only the scope",
                         gst_cuda_histo_scope_settings_register_enum ("GstCudaHistoScopeOutput", output_values),
                         default_settings.output, ready));
  /**
   * GstCudaHistoScope:element:
   *
   * Name of the cudahisto whose results are drawn, if several are upstream. Without a name it is the nearest: the element that
   * added the last result to a buffer. From then on only its results are drawn. Setting a name removes the scope of another
   * element.
   *
   * Since: 0.2
   */
  g_object_class_install_property (
      klass, ID (element),
      g_param_spec_string ("element", "Element", "Name of the cudahisto whose results are drawn (NULL = the nearest upstream)",
                           default_settings.element, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING));
  /**
   * GstCudaHistoScope:modes:
   *
   * The modes to draw, one panel each. Waveforms need `statistics=waveform` of the upstream cudahisto, the vectorscope
   * `statistics=vectorscope` and video with chroma. If a result lacks the data, the panel shows a message, and the element
   * warns once.
   *
   * Since: 0.2
   */
  g_object_class_install_property (klass, ID (modes),
                                   g_param_spec_flags ("modes", "Modes", "Panels to draw: one or more values, joined by +",
                                                       modes, default_settings.modes, playing));
  /**
   * GstCudaHistoScope:scale:
   *
   * Scale of the height of histogram bars. The highest bar fills the panel.
   *
   * Since: 0.2
   */
  g_object_class_install_property (
      klass, ID (scale),
      g_param_spec_enum ("scale", "Scale", "Scale of the height of histogram bars",
                         gst_cuda_histo_scope_settings_register_enum ("GstCudaHistoScopeScale", scale_values),
                         default_settings.scale, playing));
  /**
   * GstCudaHistoScope:waveform-scale:
   *
   * Values at the lines of waveforms. With `nits`, the lines of PQ video are at 1, 10, 100, 203, 1000 and 4000 nits. They hold
   * for R, G and B, and for Y of grey. Waveforms of other video, of chroma and of alpha have lines at sample values.
   *
   * Since: 0.2
   */
  g_object_class_install_property (
      klass, ID (waveform_scale),
      g_param_spec_enum ("waveform-scale", "Waveform scale",
                         "Values at the lines of waveforms: sample values, or nits of PQ video",
                         gst_cuda_histo_scope_settings_register_enum ("GstCudaHistoScopeWaveformScale", waveform_scale_values),
                         default_settings.waveform_scale, playing));
  /**
   * GstCudaHistoScope:gain:
   *
   * Brightness of the traces of waveforms and of the vectorscope, as a factor. Above 1, single samples are easier to see.
   *
   * Since: 0.2
   */
  g_object_class_install_property (klass, ID (gain),
                                   g_param_spec_double ("gain", "Gain",
                                                        "Brightness of waveforms and of the vectorscope, as a factor", 0.1,
                                                        20.0, default_settings.gain, playing));
  /**
   * GstCudaHistoScope:legal-range:
   *
   * Whether lines show the nominal range (16 and 235 for 8-bit luma, 64 and 940 for 10 bits), and histogram bars outside it
   * have another colour (#GstCudaHistoScope:legal-color). Full range has no such lines.
   *
   * Since: 0.2
   */
  g_object_class_install_property (klass, ID (legal_range),
                                   g_param_spec_boolean ("legal-range", "Legal range", "Show the nominal range of video levels",
                                                         default_settings.legal_range, playing));
  /**
   * GstCudaHistoScope:marks:
   *
   * Whether a histogram has lines at `low`, `median` and `high`, the 10th, 50th and 90th percentiles.
   *
   * Since: 0.2
   */
  g_object_class_install_property (klass, ID (marks),
                                   g_param_spec_boolean ("marks", "Marks", "Draw lines at low, median and high in histograms",
                                                         default_settings.marks, playing));
  /**
   * GstCudaHistoScope:numbers:
   *
   * Whether numbers are shown below the panels, if they fit.
   *
   * Since: 0.2
   */
  g_object_class_install_property (klass, ID (numbers),
                                   g_param_spec_boolean ("numbers", "Numbers",
                                                         "Show mean, minimum, maximum and other numbers below the panels",
                                                         default_settings.numbers, playing));
}

static void
gst_cuda_histo_scope_settings_install_where (GObjectClass *klass)
{
  const GParamFlags playing = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING | GST_PARAM_CONTROLLABLE;

  /**
   * GstCudaHistoScope:placement:
   *
   * Position of the scope in the picture. Ignored with `output=picture`.
   *
   * Since: 0.2
   */
  g_object_class_install_property (
      klass, ID (placement),
      g_param_spec_enum ("placement", "Placement", "Position of the scope in the picture; ignored if output=picture",
                         gst_cuda_histo_scope_settings_register_enum ("GstCudaHistoScopePlacement", placement_values),
                         default_settings.placement, playing));
  /**
   * GstCudaHistoScope:xpos:
   *
   * Horizontal position with `placement=position`, from 0 (left edge) to 1 (right edge).
   *
   * Since: 0.2
   */
  g_object_class_install_property (
      klass, ID (xpos),
      g_param_spec_double ("xpos", "Horizontal position",
                           "Horizontal position if placement=position, from 0 (left edge) to 1 (right edge)", 0.0, 1.0,
                           default_settings.xpos, playing));
  /**
   * GstCudaHistoScope:ypos:
   *
   * Vertical position with `placement=position`, from 0 (top edge) to 1 (bottom edge).
   *
   * Since: 0.2
   */
  g_object_class_install_property (
      klass, ID (ypos),
      g_param_spec_double ("ypos", "Vertical position",
                           "Vertical position if placement=position, from 0 (top edge) to 1 (bottom edge)", 0.0, 1.0,
                           default_settings.ypos, playing));
  /**
   * GstCudaHistoScope:size:
   *
   * Height of the scope, as a fraction of the picture's. It is reduced if the panels would be wider than the picture. Ignored
   * with `output=picture`.
   *
   * Since: 0.2
   */
  g_object_class_install_property (
      klass, ID (size),
      g_param_spec_double ("size", "Size", "Height of the scope, as a fraction of the picture's; ignored if output=picture",
                           0.05, 1.0, default_settings.size, playing));
  /**
   * GstCudaHistoScope:opacity:
   *
   * Opacity of the scope, from 0 (invisible) to 1. The background has its own transparency
   * (#GstCudaHistoScope:background-color). Both are ignored with `output=picture`.
   *
   * Since: 0.2
   */
  g_object_class_install_property (
      klass, ID (opacity),
      g_param_spec_double ("opacity", "Opacity", "Opacity of the scope, from 0 (invisible) to 1; ignored if output=picture",
                           0.0, 1.0, default_settings.opacity, playing));
}

static void
gst_cuda_histo_scope_settings_install_colour (GObjectClass *klass, guint id, const gchar *name, const gchar *nick,
                                              const gchar *blurb, guint32 colour)
{
  g_object_class_install_property (
      klass, id,
      g_param_spec_uint (name, nick, blurb, 0, G_MAXUINT32, colour,
                         G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING | GST_PARAM_CONTROLLABLE));
}

static void
gst_cuda_histo_scope_settings_install_colours (GObjectClass *klass)
{
  /**
   * GstCudaHistoScope:color:
   *
   * Colour of text and of the graticule, as big-endian ARGB.
   *
   * Since: 0.2
   */
  gst_cuda_histo_scope_settings_install_colour (
      klass, ID (color), "color", "Color", "Colour of text and of the graticule (big-endian ARGB)", default_settings.color);
  /**
   * GstCudaHistoScope:trace-color:
   *
   * Colour of the histogram and the waveform of luma, as big-endian ARGB. R, G, B and chroma have their own colours. The
   * vectorscope shows each chroma in its colour.
   *
   * Since: 0.2
   */
  gst_cuda_histo_scope_settings_install_colour (klass, ID (trace_color), "trace-color", "Trace color",
                                                "Colour of the histogram and the waveform of luma (big-endian ARGB)",
                                                default_settings.trace_color);
  /**
   * GstCudaHistoScope:mark-color:
   *
   * Colour of the lines and numbers of low, median and high, as big-endian ARGB.
   *
   * Since: 0.2
   */
  gst_cuda_histo_scope_settings_install_colour (klass, ID (mark_color), "mark-color", "Mark color",
                                                "Colour of the lines and numbers of low, median and high (big-endian ARGB)",
                                                default_settings.mark_color);
  /**
   * GstCudaHistoScope:legal-color:
   *
   * Colour of the limits of the nominal range and of bars outside it, as big-endian ARGB.
   *
   * Since: 0.2
   */
  gst_cuda_histo_scope_settings_install_colour (
      klass, ID (legal_color), "legal-color", "Legal range color",
      "Colour of the limits of the nominal range and of bars outside it (big-endian ARGB)", default_settings.legal_color);
  /**
   * GstCudaHistoScope:background-color:
   *
   * Colour behind the panels, as big-endian ARGB. With `output=picture` it is opaque.
   *
   * Since: 0.2
   */
  gst_cuda_histo_scope_settings_install_colour (klass, ID (background_color), "background-color", "Background color",
                                                "Colour behind the panels (big-endian ARGB)",
                                                default_settings.background_color);
}

void
gst_cuda_histo_scope_settings_install (GObjectClass *klass)
{
  gst_cuda_histo_scope_settings_install_what (klass);
  gst_cuda_histo_scope_settings_install_where (klass);
  gst_cuda_histo_scope_settings_install_colours (klass);
}

void
gst_cuda_histo_scope_settings_set (GstCudaHistoScopeSettings *settings, guint id, const GValue *value)
{
  gpointer field = (gchar *)settings + id - 1;

  switch (G_TYPE_FUNDAMENTAL (G_VALUE_TYPE (value))) {
  case G_TYPE_BOOLEAN:
    *(gboolean *)field = g_value_get_boolean (value);
    break;
  case G_TYPE_UINT:
    *(guint *)field = g_value_get_uint (value);
    break;
  case G_TYPE_DOUBLE:
    *(gdouble *)field = g_value_get_double (value);
    break;
  case G_TYPE_ENUM:
    *(gint *)field = g_value_get_enum (value);
    break;
  case G_TYPE_FLAGS:
    *(guint *)field = g_value_get_flags (value);
    break;
  case G_TYPE_STRING:
    *(const gchar **)field = g_intern_string (g_value_get_string (value));
    break;
  default:
    g_return_if_reached ();
  }
}

void
gst_cuda_histo_scope_settings_get (const GstCudaHistoScopeSettings *settings, guint id, GValue *value)
{
  gconstpointer field = (const gchar *)settings + id - 1;

  switch (G_TYPE_FUNDAMENTAL (G_VALUE_TYPE (value))) {
  case G_TYPE_BOOLEAN:
    g_value_set_boolean (value, *(const gboolean *)field);
    break;
  case G_TYPE_UINT:
    g_value_set_uint (value, *(const guint *)field);
    break;
  case G_TYPE_DOUBLE:
    g_value_set_double (value, *(const gdouble *)field);
    break;
  case G_TYPE_ENUM:
    g_value_set_enum (value, *(const gint *)field);
    break;
  case G_TYPE_FLAGS:
    g_value_set_flags (value, *(const guint *)field);
    break;
  case G_TYPE_STRING:
    g_value_set_static_string (value, *(const gchar *const *)field);
    break;
  default:
    g_return_if_reached ();
  }
}
