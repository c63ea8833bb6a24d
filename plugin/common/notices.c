/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "common/notices.h"

#include "common/post.h"

#include <string.h>

/* Warns of `count` skipped buffers since the last such warning. */
static void
gst_cuda_histo_notices_warn_of_skipped (GstCudaHistoNotices *notices, GstElement *element, guint64 count)
{
  g_autoptr (GError) error = NULL;

  if (count == 0)
    return;
  error = g_steal_pointer (&notices->skip_error);
  gst_cuda_histo_post (element, GST_MESSAGE_WARNING, error->domain, error->code,
                       g_strdup_printf ("Not counted: %s.", error->message),
                       g_strdup_printf ("%" G_GUINT64_FORMAT
                                        " %s not counted since the last such warning; the latest is buffer %" G_GUINT64_FORMAT,
                                        count, count == 1 ? "buffer was" : "buffers were", notices->skipped_frame));
}

/* Warns of `count` results since the last such warning that no buffer carries, though add-meta is set. */
static void
gst_cuda_histo_notices_warn_of_lost_metas (GstElement *element, guint64 count)
{
  if (count > 0)
    gst_cuda_histo_post (
        element, GST_MESSAGE_WARNING, GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED,
        g_strdup_printf ("%" G_GUINT64_FORMAT " %s on no buffer.", count, count == 1 ? "result is" : "results are"),
        g_strdup ("a window that ends early has no buffer, and buffers that are not writable carry no result; messages and the "
                  "sidecar have all results"));
}

/* Warns of `count` frames since the last such warning that had no counterpart for this reason. */
static void
gst_cuda_histo_notices_warn_of_uncompared (GstCudaHistoNotices *notices, GstElement *element, GstCudaHistoUncompared why,
                                           guint64 count)
{
  static const gchar *const which[] = {
    [GST_CUDA_HISTO_UNCOMPARED_MISSING] = "frames for which it has none",
    [GST_CUDA_HISTO_UNCOMPARED_UNTIMED]
    = "frames whose time, or the time of its frame, is missing, stands still or is shared (after a gap any time may be wrong)",
    [GST_CUDA_HISTO_UNCOMPARED_TOO_LATE] = "frames for which it is too late (when-busy=wait waits for it)",
    [GST_CUDA_HISTO_UNCOMPARED_DAMAGED] = "frames whose counterpart is damaged, as its decoder reports",
  };

  if (count > 0)
    gst_cuda_histo_post (
        element, GST_MESSAGE_WARNING, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        g_strdup_printf ("Not compared with the reference: %s.", which[why]),
        g_strdup_printf ("%" G_GUINT64_FORMAT
                         " %s not compared since the last such warning; the latest is frame %" G_GUINT64_FORMAT,
                         count, count == 1 ? "frame was" : "frames were", notices->uncompared_frames[why]));
}

void
gst_cuda_histo_notices_reset (GstCudaHistoNotices *notices)
{
  notices->skips = notices->lost_metas = (GstCudaHistoRateLimit){ 0 };
  memset (notices->uncompared, 0, sizeof notices->uncompared);
  notices->given = 0;
}

void
gst_cuda_histo_notices_add_skipped (GstCudaHistoNotices *notices, GstElement *element, guint64 frame, GError *error)
{
  g_clear_error (&notices->skip_error);
  notices->skip_error = error;
  notices->skipped_frame = frame;
  gst_cuda_histo_rate_limit_add (&notices->skips, 1);
  gst_cuda_histo_notices_warn_of_skipped (notices, element, gst_cuda_histo_rate_limit_take (&notices->skips));
}

void
gst_cuda_histo_notices_add_lost_metas (GstCudaHistoNotices *notices, GstElement *element, guint64 results)
{
  gst_cuda_histo_rate_limit_add (&notices->lost_metas, results);
  gst_cuda_histo_notices_warn_of_lost_metas (element, gst_cuda_histo_rate_limit_take (&notices->lost_metas));
}

void
gst_cuda_histo_notices_add_uncompared (GstCudaHistoNotices *notices, GstElement *element, guint64 frame,
                                       GstCudaHistoUncompared why)
{
  notices->uncompared_frames[why] = frame;
  gst_cuda_histo_rate_limit_add (&notices->uncompared[why], 1);
  gst_cuda_histo_notices_warn_of_uncompared (notices, element, why, gst_cuda_histo_rate_limit_take (&notices->uncompared[why]));
}

void
gst_cuda_histo_notices_warn_once (GstCudaHistoNotices *notices, GstElement *element, GstCudaHistoNotice kind, gchar *text)
{
  if ((notices->given & kind) == 0)
    GST_ELEMENT_WARNING (element, STREAM, FORMAT, ("%s", text), (NULL));
  notices->given |= kind;
  g_free (text);
}

void
gst_cuda_histo_notices_renew (GstCudaHistoNotices *notices, GstCudaHistoNotice kind)
{
  notices->given &= ~(guint)kind;
}

void
gst_cuda_histo_notices_finish (GstCudaHistoNotices *notices, GstElement *element)
{
  gst_cuda_histo_notices_warn_of_skipped (notices, element, gst_cuda_histo_rate_limit_finish (&notices->skips));
  gst_cuda_histo_notices_warn_of_lost_metas (element, gst_cuda_histo_rate_limit_finish (&notices->lost_metas));
  for (guint why = 0; why < GST_CUDA_HISTO_N_UNCOMPARED; why++)
    gst_cuda_histo_notices_warn_of_uncompared (notices, element, why,
                                               gst_cuda_histo_rate_limit_finish (&notices->uncompared[why]));
}
