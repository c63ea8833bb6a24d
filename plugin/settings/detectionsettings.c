/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "settings/settings.h"

/* See settings.c. */
#define ID(member) (G_STRUCT_OFFSET (GstCudaHistoSettings, detection.member) + 1)

const GstCudaHistoDetection gst_cuda_histo_detection_defaults = {
  .black_min_duration = 2 * GST_SECOND,
  .black_ratio = 0.98,
  .black_level = 0.1,
  .freeze_min_duration = 2 * GST_SECOND,
  .freeze_noise = 0.001,
  .scene_change_threshold = 10,
  .clipped_ratio = 0.01,
};

static const GFlagsValue events_values[] = {
  { GST_CUDA_HISTO_EVENTS_BLACK, "Black frames, as FFmpeg's blackdetect finds them", "black" },
  { GST_CUDA_HISTO_EVENTS_FREEZE, "A still picture, as FFmpeg's freezedetect finds it", "freeze" },
  { GST_CUDA_HISTO_EVENTS_SCENE_CHANGE, "The first frame of a scene, as FFmpeg's scdet finds it", "scene-change" },
  { GST_CUDA_HISTO_EVENTS_CLIPPED, "Frames with too many pixels outside the preferred range of EBU R103", "clipped" },
  { GST_CUDA_HISTO_EVENTS_DAMAGED, "Frames that upstream reports as damaged or missing", "damaged" },
  { 0, NULL, NULL },
};

void
gst_cuda_histo_detection_install (GObjectClass *object_class)
{
  const GParamFlags ready = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY;
  const GstCudaHistoDetection *defaults = &gst_cuda_histo_detection_defaults;
  const GType events = g_flags_register_static ("GstCudaHistoEvents", events_values);

  gst_type_mark_as_plugin_api (events, 0);
  /**
   * GstCudaHisto:events:
   *
   * The events to detect in raw video, frame by frame, for any window. Definitions and default thresholds are those of
   * FFmpeg's blackdetect, freezedetect and scdet, and of EBU R103. The element posts an element message named `cudahisto-event`
   * when an event begins and when it ends, even if #GstCudaHisto:post-messages is %FALSE, and writes a line to the sidecar.
   * Each frame begins or ends at most one event of a kind. The fields are
   *
   * * `event` (string): the kind, "black", "freeze", "scene-change", "clipped" or "damaged"
   * * `start`, `end`, `duration` (guint64): stream time in nanoseconds; until it ends, the last two are #GST_CLOCK_TIME_NONE
   * * `value`, `threshold` (gdouble): the value at which it began, and its threshold
   * * `ended-by` (string), once it has ended: "complete", or why it ended early
   * * `frame`, `frames` (guint64): index of its first frame, and the number of its frames so far
   * * `element` (string): the element's name
   * * `missing` (guint64), `cause` (string), of "damaged": number of missing frames, and the cause; it has no `value` and
   *   `threshold`
   *
   * `damaged` reports buffers with #GST_BUFFER_FLAG_CORRUPTED, and upstream's custom event `cudahisto-damage`.
   *
   * An event that is known only at its end, such as a scene change, has one message. `black` needs video with Y, with GRAY or
   * with R, G and B, `clipped` video with Y, U and V or with R, G and B. With `freeze` the streaming thread waits for the
   * result of each frame, which decides on the operand of the next.
   *
   * Since: 0.2
   */
  g_object_class_install_property (object_class, ID (events),
                                   g_param_spec_flags ("events", "Events",
                                                       "Events to detect in raw video: one or more values, joined by +", events,
                                                       defaults->events, ready));
  /**
   * GstCudaHisto:black-min-duration:
   *
   * Minimum duration of black frames (FFmpeg: `black_min_duration`).
   *
   * Since: 0.2
   */
  g_object_class_install_property (object_class, ID (black_min_duration),
                                   g_param_spec_uint64 ("black-min-duration", "Black duration",
                                                        "Minimum duration of a black event, in nanoseconds", 0, G_MAXINT64,
                                                        defaults->black_min_duration, ready));
  /**
   * GstCudaHisto:black-ratio:
   *
   * Minimum fraction of black samples in a black frame (FFmpeg: `picture_black_ratio_th`).
   *
   * Since: 0.2
   */
  g_object_class_install_property (object_class, ID (black_ratio),
                                   g_param_spec_double ("black-ratio", "Black ratio",
                                                        "Minimum fraction of black luma samples in a black frame", 0, 1,
                                                        defaults->black_ratio, ready));
  /**
   * GstCudaHisto:black-level:
   *
   * Largest value of a black luma sample (FFmpeg: `pixel_black_th`), from 0, which is black, to 1, which is white. In 8 bits of
   * limited range these are 16 and 235.
   *
   * Since: 0.2
   */
  g_object_class_install_property (object_class, ID (black_level),
                                   g_param_spec_double ("black-level", "Black level",
                                                        "Largest luma value that is black, from 0 (black) to 1 (white)", 0, 1,
                                                        defaults->black_level, ready));
  /**
   * GstCudaHisto:freeze-min-duration:
   *
   * Minimum duration of a still picture (FFmpeg: `duration`).
   *
   * Since: 0.2
   */
  g_object_class_install_property (object_class, ID (freeze_min_duration),
                                   g_param_spec_uint64 ("freeze-min-duration", "Freeze duration",
                                                        "Minimum duration of a freeze event, in nanoseconds", 0, G_MAXINT64,
                                                        defaults->freeze_min_duration, ready));
  /**
   * GstCudaHisto:freeze-noise:
   *
   * Largest difference of a freeze's frames from its first one: the mean absolute difference of all components, as a fraction
   * of the value range (FFmpeg: `noise`). 0.001 is -60 dB.
   *
   * Since: 0.2
   */
  g_object_class_install_property (
      object_class, ID (freeze_noise),
      g_param_spec_double ("freeze-noise", "Freeze noise",
                           "Largest mean difference between frozen frames, as a fraction of the value range", 0, 1,
                           defaults->freeze_noise, ready));
  /**
   * GstCudaHisto:scene-change-threshold:
   *
   * Minimum score of a frame that begins a scene (FFmpeg: `threshold`): the smaller of its mean absolute difference from the
   * previous frame, in percent of the value range, and of the change of that difference since the previous frame.
   *
   * Since: 0.2
   */
  g_object_class_install_property (object_class, ID (scene_change_threshold),
                                   g_param_spec_double ("scene-change-threshold", "Scene change threshold",
                                                        "Minimum score of a scene change, in percent", 0, 100,
                                                        defaults->scene_change_threshold, ready));
  /**
   * GstCudaHisto:clipped-min-duration:
   *
   * Minimum duration of clipped frames.
   *
   * Since: 0.2
   */
  g_object_class_install_property (object_class, ID (clipped_min_duration),
                                   g_param_spec_uint64 ("clipped-min-duration", "Clipped duration",
                                                        "Minimum duration of a clipped event, in nanoseconds", 0, G_MAXINT64,
                                                        defaults->clipped_min_duration, ready));
  /**
   * GstCudaHisto:clipped-ratio:
   *
   * Fraction of pixels outside the preferred range of EBU R103, in Y or in R, G or B, above which a frame is clipped.
   *
   * Since: 0.2
   */
  g_object_class_install_property (object_class, ID (clipped_ratio),
                                   g_param_spec_double ("clipped-ratio", "Clipped ratio",
                                                        "Fraction of pixels outside the gamut above which a frame is clipped",
                                                        0, 1, defaults->clipped_ratio, ready));
}
