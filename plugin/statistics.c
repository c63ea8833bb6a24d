/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "statistics.h"

#include "frame/source.h"
#include "frame/videoinfo.h"
#include "gstcudahistoprivate.h"

/* fields/statisticlist.h repeats the bits of the engine. */
G_STATIC_ASSERT (STATISTIC_DIFFERENCE == (guint)HISTO_STATISTIC_DIFFERENCE);
G_STATIC_ASSERT (STATISTIC_OUTLIERS == (guint)HISTO_STATISTIC_OUTLIERS);
G_STATIC_ASSERT (STATISTIC_REPEATS == (guint)HISTO_STATISTIC_REPEATS);
G_STATIC_ASSERT (STATISTIC_SATURATION == (guint)HISTO_STATISTIC_SATURATION);
G_STATIC_ASSERT (STATISTIC_HUE == (guint)HISTO_STATISTIC_HUE);
G_STATIC_ASSERT (STATISTIC_BROADCAST_RANGE == (guint)HISTO_STATISTIC_OUT_OF_RANGE);
G_STATIC_ASSERT (STATISTIC_GAMUT == (guint)HISTO_STATISTIC_GAMUT);
G_STATIC_ASSERT (STATISTIC_WAVEFORM == (guint)HISTO_STATISTIC_WAVEFORM);
G_STATIC_ASSERT (STATISTIC_VECTORSCOPE == (guint)HISTO_STATISTIC_VECTORSCOPE);
G_STATIC_ASSERT (STATISTIC_LIGHT == (guint)HISTO_STATISTIC_LIGHT);

/* See gst_cuda_histo_format_has_unequal_fields(). */
#define EQUAL_FIELDS "fields of equal size"

#define PICTURE_STATISTICS                                                                                               \
  (GST_CUDA_HISTO_COLOUR_STATISTICS | GST_CUDA_HISTO_HDR_STATISTICS | HISTO_STATISTIC_OUTLIERS | HISTO_STATISTIC_REPEATS \
   | HISTO_STATISTIC_WAVEFORM)

/* Returns the missing part of `statistics` that the user requested by name. The set signalstats suits any stream, and parts of
 * it may be missing. But if anything else is missing, the warning names all missing statistics. */
static guint32
gst_cuda_histo_find_missed (GstCudaHisto *self, guint32 statistics)
{
  guint32 asked = (guint32)self->active.statistics;

  if ((asked & GST_CUDA_HISTO_STATISTICS_SIGNALSTATS) == GST_CUDA_HISTO_STATISTICS_SIGNALSTATS)
    asked &= ~(guint32)GST_CUDA_HISTO_STATISTICS_SIGNALSTATS;
  return asked & statistics;
}

gchar *
gst_cuda_histo_name_statistics (guint32 statistics)
{
  GFlagsClass *flags = g_type_class_ref (g_type_from_name ("GstCudaHistoStatistics"));
  GString *names = g_string_new (NULL);

  /* Single values: the sets come after them. */
  for (guint i = 0; i < flags->n_values && statistics != 0; i++) {
    if ((statistics & flags->values[i].value) == 0)
      continue;
    g_string_append_printf (names, "%s%s", names->len > 0 ? ", " : "", flags->values[i].value_nick);
    statistics &= ~flags->values[i].value;
  }
  g_type_class_unref (flags);
  return g_string_free (names, FALSE);
}

/* Requirements of statistics. */
static const struct {
  guint32 statistics;
  const gchar *need;
} needs[] = {
  { HISTO_STATISTIC_WAVEFORM, "video" },
  { HISTO_STATISTIC_OUTLIERS | HISTO_STATISTIC_REPEATS, "video with Y or GRAY, or with R, G and B" },
  { GST_CUDA_HISTO_COLOUR_STATISTICS, "video with Y, U and V, or with R, G and B" },
  { GST_CUDA_HISTO_HDR_STATISTICS,
    "video with Y, U and V, or with R, G and B, whose caps have the transfer function PQ or HLG" },
};

/* Returns "needs" for one statistic, "need" for several. */
static const gchar *
gst_cuda_histo_conjugate_need (guint32 statistics)
{
  return (statistics & (statistics - 1)) != 0 ? "need" : "needs";
}

/* Appends the requirement of some statistics, if any. */
static void
gst_cuda_histo_add_need (GString *words, guint32 statistics, const gchar *need, const gchar *more)
{
  g_autofree gchar *names = gst_cuda_histo_name_statistics (statistics);

  if (statistics != 0)
    g_string_append_printf (words, "%s%s %s %s%s", words->len > 0 ? "; " : "", names,
                            gst_cuda_histo_conjugate_need (statistics), need, more);
}

/* Returns "hue needs video with Y, U and V, or with R, G and B". If the picture is too large,
 * statistics that suit its format only need a smaller one. Free with g_free(). */
static gchar *
gst_cuda_histo_describe_needs (GstCudaHisto *self, guint32 missing)
{
  const GstCudaHistoSource *source = &self->format.source;
  const gboolean is_large = source->width > GST_CUDA_HISTO_MAX_SIDE || source->height > GST_CUDA_HISTO_MAX_SIDE;
  const guint32 possible = source->is_video ? gst_cuda_histo_picture_get_statistics (&self->format.info, 1, 1) : 0;
  g_autofree gchar *most = g_strdup_printf ("at most %u x %u pixels", GST_CUDA_HISTO_MAX_SIDE, GST_CUDA_HISTO_MAX_SIDE);
  g_autofree gchar *more = is_large ? g_strdup_printf (", of %s", most) : g_strdup ("");
  GString *words = g_string_new (NULL);

  gst_cuda_histo_add_need (words, missing & possible, is_large ? most : EQUAL_FIELDS, "");
  for (guint i = 0; i < G_N_ELEMENTS (needs); i++)
    gst_cuda_histo_add_need (words, missing & ~possible & needs[i].statistics, needs[i].need, more);
  return g_string_free (words, FALSE);
}

static void
gst_cuda_histo_warn_of_missing_statistics (GstCudaHisto *self, guint32 missing)
{
  g_autofree gchar *names = gst_cuda_histo_name_statistics (missing), *words = gst_cuda_histo_describe_needs (self, missing);

  gst_cuda_histo_notices_warn_once (&self->host.notices, GST_ELEMENT (self), GST_CUDA_HISTO_NOTICE_NO_STATISTICS,
                                    g_strdup_printf ("Cannot measure %s of %s: %s.", names, self->format.source.format, words));
}

/* Warns that dot=previous, statistics=difference and statistics=comparison, if requested by name, need something. `whose`: the
 * frames that lack it, or "". */
static void
gst_cuda_histo_warn_of_missing_operand (GstCudaHisto *self, const gchar *need, const gchar *whose)
{
  if (self->active.dot == GST_CUDA_HISTO_DOT_PREVIOUS)
    gst_cuda_histo_notices_warn_once (&self->host.notices, GST_ELEMENT (self), GST_CUDA_HISTO_NOTICE_NO_DOT,
                                      g_strdup_printf ("dot=previous needs %s: no dot product is computed%s.", need, whose));
  if (gst_cuda_histo_find_missed (self, HISTO_STATISTIC_DIFFERENCE) != 0)
    gst_cuda_histo_notices_warn_once (
        &self->host.notices, GST_ELEMENT (self), GST_CUDA_HISTO_NOTICE_NO_DIFFERENCE,
        g_strdup_printf ("statistics=difference needs %s: no difference is computed%s.", need, whose));
  if (gst_cuda_histo_find_missed (self, GST_CUDA_HISTO_STATISTICS_COMPARISON) != 0)
    gst_cuda_histo_notices_warn_once (&self->host.notices, GST_ELEMENT (self), GST_CUDA_HISTO_NOTICE_NO_COMPARISON,
                                      g_strdup_printf ("statistics=comparison needs %s: nothing is compared%s.", need, whose));
}

void
gst_cuda_histo_warn_of_unequal_sizes (GstCudaHisto *self)
{
  gst_cuda_histo_warn_of_missing_operand (self, "buffers of equal size", " for others");
}

guint
gst_cuda_histo_get_waveform_columns (GstCudaHisto *self)
{
  const guint columns = self->active.waveform_columns;

  return columns > 0 ? columns : CLAMP (self->format.source.width, 1, HISTO_MAX_WAVEFORM_COLUMNS);
}

/* Whether all pictures have the same number of rows, so that the sums of rows can be added. */
static gboolean
gst_cuda_histo_has_sums (GstCudaHisto *self)
{
  return self->format.source.is_video && !gst_cuda_histo_format_has_unequal_fields (&self->format);
}

static void
gst_cuda_histo_warn_of_missing_sums (GstCudaHisto *self, guint32 missing)
{
  g_autofree gchar *names = gst_cuda_histo_name_statistics (missing);
  const gchar *need = "raw video";

  if (gst_cuda_histo_has_sums (self))
    need = "unweighted row and column sums";
  else if (self->format.source.is_video)
    need = EQUAL_FIELDS;
  gst_cuda_histo_notices_warn_once (&self->host.notices, GST_ELEMENT (self), GST_CUDA_HISTO_NOTICE_NO_SUMS,
                                    g_strdup_printf ("Cannot measure %s of %s: %s %s %s.", names, self->format.source.format,
                                                     names, gst_cuda_histo_conjugate_need (missing), need));
}

/* Returns the requested statistics, with those that `hdr` means for the present caps. */
static guint32
gst_cuda_histo_find_requested (GstCudaHisto *self)
{
  const guint32 requested = (guint32)self->active.statistics;

  if ((requested & GST_CUDA_HISTO_STATISTICS_HDR) == 0 || !self->format.source.is_video
      || (gst_cuda_histo_picture_get_statistics (&self->format.info, 1, 1) & GST_CUDA_HISTO_HDR_STATISTICS) == 0)
    return requested;
  return requested | GST_CUDA_HISTO_STATISTICS_LIGHT | GST_CUDA_HISTO_STATISTICS_ACTIVE_PICTURE;
}

/* Returns the number of components to derive from R, G and B: luma, with chroma if a statistic or an event needs it. */
static guint
gst_cuda_histo_count_derived (GstCudaHisto *self)
{
  const GstCudaHistoSource *source = &self->format.source;
  const guint32 chosen = self->chosen.statistics;
  const GstCudaHistoEvents events = self->active.detection.events;

  if (!source->is_video || !gst_cuda_histo_picture_can_derive (&self->format.info, source->width, source->height))
    return 0;
  if ((chosen & GST_CUDA_HISTO_COLOUR_STATISTICS & ~(guint32)GST_CUDA_HISTO_RGB_STATISTICS) != 0
      || (events & GST_CUDA_HISTO_EVENTS_FREEZE) != 0)
    return 3;
  return (chosen & (HISTO_STATISTIC_OUTLIERS | HISTO_STATISTIC_REPEATS)) != 0
         || (gst_cuda_histo_find_requested (self) & (GST_CUDA_HISTO_STATISTICS_LUMA | GST_CUDA_HISTO_STATISTICS_ACTIVE_PICTURE))
                != 0
         || self->meter.metering == GST_CUDA_HISTO_METERING_AVERAGE
         || (events & (GST_CUDA_HISTO_EVENTS_BLACK | GST_CUDA_HISTO_EVENTS_SCENE_CHANGE)) != 0;
}

void
gst_cuda_histo_choose_statistics (GstCudaHisto *self)
{
  const GstCudaHistoSource *source = &self->format.source;
  const guint32 requested = gst_cuda_histo_find_requested (self), asked = requested & PICTURE_STATISTICS;
  const gint stops = g_atomic_int_get (&self->host.stops);
  guint32 missed;

  self->chosen.statistics = asked & gst_cuda_histo_format_get_statistics (&self->format);
  missed = gst_cuda_histo_find_missed (self, asked & ~self->chosen.statistics);
  if (missed != 0)
    gst_cuda_histo_warn_of_missing_statistics (self, asked & ~self->chosen.statistics);

  missed = requested & GST_CUDA_HISTO_SUM_STATISTICS;
  if (missed != 0 && gst_cuda_histo_has_sums (self)) {
    self->chosen.statistics |= HISTO_STATISTIC_PROJECTION;
    missed &= self->sums.has_weights ? GST_CUDA_HISTO_STATISTICS_ACTIVE_PICTURE : 0;
  }
  missed &= (guint32)self->active.statistics;
  if (missed != 0)
    gst_cuda_histo_warn_of_missing_sums (self, missed);
  gst_cuda_histo_meter_choose (&self->meter, &self->format, &self->host);

  self->chosen.has_previous = gst_cuda_histo_settings_need_previous (&self->active);
  if (self->chosen.has_previous && !source->is_video && self->windows.window.mode != GST_CUDA_HISTO_WINDOW_BUFFER) {
    self->chosen.has_previous = FALSE;
    gst_cuda_histo_warn_of_missing_operand (self, "window=buffer on a byte stream", "");
  }
  if (self->chosen.has_previous && !gst_cuda_histo_format_has_equal_frames (&self->format)) {
    self->chosen.has_previous = FALSE;
    gst_cuda_histo_warn_of_missing_operand (self, EQUAL_FIELDS, "");
  }
  if (self->chosen.has_previous) {
    if (self->active.dot == GST_CUDA_HISTO_DOT_PREVIOUS)
      self->chosen.statistics |= HISTO_STATISTIC_DOT;
    if ((self->active.statistics & GST_CUDA_HISTO_DIFFERENCE_STATISTICS) != 0)
      self->chosen.statistics |= HISTO_STATISTIC_DIFFERENCE;
  }
  self->chosen.n_derived = gst_cuda_histo_count_derived (self);
  self->chosen.matrix = (struct histo_matrix){ .shift = 0 };
  if (source->is_video && gst_cuda_histo_picture_can_derive (&self->format.info, source->width, source->height))
    self->chosen.matrix = gst_cuda_histo_picture_get_matrix (
        &self->format.info, gst_cuda_histo_video_info_get_luma_matrix (&self->format.info, self->format.caps));
  gst_cuda_histo_source_set_derived (&self->format.source, self->chosen.n_derived,
                                     (self->active.statistics & GST_CUDA_HISTO_STATISTICS_LUMA) != 0);
  if (stops == g_atomic_int_get (&self->host.stops))
    gst_cuda_histo_choose_events (self);
}
