/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* bench_formats: the time on one core to unpack a frame of 1920x1080, for each format that the engine cannot read in place.
 * docs/internals/performance.md has these figures. */

#include <gst/video/video.h>

#include "frame/framemap.h"
#include "frame/layout.h"
#include "timing.h"

enum { WIDTH = 1920, HEIGHT = 1080, RUNS = 15 };

static gdouble
measure_ms (const GstVideoInfo *info, GstBuffer *buffer, GstCudaHistoPinner *pinner)
{
  gdouble seconds[RUNS];

  for (guint i = 0; i < RUNS; i++) {
    const gdouble start = cpu_seconds_now ();

    gst_cuda_histo_frame_unref (gst_cuda_histo_frame_map_video (info, buffer, 0, pinner, NULL));
    seconds[i] = cpu_seconds_now () - start;
  }
  return median (seconds, RUNS) * 1e3;
}

int
main (int argc, char **argv)
{
  g_autoptr (GstCudaHistoPinner) pinner = NULL;
  guint n_formats;
  const GstVideoFormat *formats;

  gst_init (&argc, &argv);
  formats = gst_video_formats_raw (&n_formats);
  pinner = gst_cuda_histo_pinner_new (NULL, 0);
  g_print ("%-16s %s\n", "format", "ms per frame");
  for (guint i = 0; i < n_formats; i++) {
    g_autoptr (GstBuffer) buffer = NULL;
    GstCudaHistoLayout layout;
    GstVideoInfo info;

    if (!gst_cuda_histo_layout_find (&layout, gst_video_format_get_info (formats[i])) || !layout.is_unpacked)
      continue;
    gst_video_info_set_format (&info, formats[i], WIDTH, HEIGHT);
    buffer = gst_buffer_new_allocate (NULL, info.size, NULL);
    gst_buffer_memset (buffer, 0, 0x5a, info.size);
    g_print ("%-16s %.1f\n", gst_video_format_to_string (formats[i]), measure_ms (&info, buffer, pinner));
  }
  return 0;
}
