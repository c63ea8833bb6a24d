/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Comparisons of frames with the previous one and with a reference: the fields of results, compared with plain loops over the
 * samples. test_psnr.py compares them with FFmpeg's psnr. */

#include "rig.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <gst/app/gstappsrc.h>
#include <gst/video/video.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- planar pictures, and plain loops over them ---------------------------------------------------------------------- */

enum { N_FRAMES = 5 };

typedef struct {
  GstVideoInfo info;
  guint8 *frames[N_FRAMES]; /* in the order of buffers */
} Clip;

/* Each frame differs from the previous one in some samples; the last two are equal. */
static void
init_clip (Clip *clip, const gchar *format, guint width, guint height)
{
  ck_assert (gst_video_info_set_format (&clip->info, gst_video_format_from_string (format), width, height));
  for (guint f = 0; f < N_FRAMES; f++) {
    clip->frames[f] = g_malloc (clip->info.size);
    if (f == 0)
      fill_random (clip->frames[0], clip->info.size);
    else
      memcpy (clip->frames[f], clip->frames[f - 1], clip->info.size);
    for (gsize i = 0; f > 0 && f + 1 < N_FRAMES && i < clip->info.size; i += 1 + draw_random (7))
      clip->frames[f][i] = (guint8)draw_random (256);
  }
}

static void
clear_clip (Clip *clip)
{
  for (guint f = 0; f < N_FRAMES; f++)
    g_free (clip->frames[f]);
}

static guint
get_sample (const Clip *clip, guint frame, guint c, guint x, guint y)
{
  const guint8 *row = clip->frames[frame] + GST_VIDEO_INFO_COMP_OFFSET (&clip->info, c)
                      + (gsize)y * (gsize)GST_VIDEO_INFO_COMP_STRIDE (&clip->info, c);
  const guint depth = GST_VIDEO_INFO_COMP_DEPTH (&clip->info, c);

  return depth > 8 ? GST_READ_UINT16_LE (row + 2 * x) & ((1u << depth) - 1) : row[x];
}

typedef struct {
  guint64 count, sad, ssd, moved;
} Sums;

/* Adds the difference of component `c` between a frame and one of a clip. */
static void
add_sums (Sums *sums, const Clip *clip, guint frame, const Clip *other_clip, guint other, guint c)
{
  gint *histogram = g_new0 (gint, 65536);

  for (guint y = 0; y < (guint)GST_VIDEO_INFO_COMP_HEIGHT (&clip->info, c); y++)
    for (guint x = 0; x < (guint)GST_VIDEO_INFO_COMP_WIDTH (&clip->info, c); x++) {
      const gint a = (gint)get_sample (clip, frame, c, x, y), b = (gint)get_sample (other_clip, other, c, x, y);

      sums->count++;
      sums->sad += (guint64)ABS (a - b);
      sums->ssd += (guint64)((gint64)(a - b) * (a - b));
      histogram[a]++;
      histogram[b]--;
    }
  for (guint v = 0; v < 65536; v++)
    sums->moved += (guint64)MAX (histogram[v], 0);
  g_free (histogram);
}

static gdouble
get_component_double (const GstStructure *result, const gchar *component, const gchar *field)
{
  g_autofree gchar *name = g_strdup_printf ("%s-%s", component, field);
  gdouble value = get_field_double (result, name);

  return value;
}

static guint64
get_component_u64 (const GstStructure *result, const gchar *component, const gchar *field)
{
  g_autofree gchar *name = g_strdup_printf ("%s-%s", component, field);
  guint64 value = get_field_u64 (result, name);

  return value;
}

static void
check_sums (const GstStructure *result, const gchar *component, const Sums *sums, guint depth)
{
  const gdouble mse = (gdouble)sums->ssd / (gdouble)sums->count, peak = (gdouble)((1u << depth) - 1);
  gdouble psnr = get_component_double (result, component, "psnr");

  ck_assert_uint_eq (get_component_u64 (result, component, "difference-count"), sums->count);
  ck_assert_uint_eq (get_component_u64 (result, component, "sad"), sums->sad);
  ck_assert_uint_eq (get_component_u64 (result, component, "ssd"), sums->ssd);
  ck_assert (get_component_double (result, component, "difference") == (gdouble)sums->sad / (gdouble)sums->count);
  ck_assert (get_component_double (result, component, "mse") == mse);
  if (sums->ssd == 0)
    ck_assert (isinf (psnr) && psnr > 0);
  else
    ck_assert (fabs (psnr - 10 * log10 (peak * peak / mse)) < 1e-9);
  ck_assert (get_component_double (result, component, "histogram-distance") == (gdouble)sums->moved / (gdouble)sums->count);
}

static void
push_frame (Rig *rig, const Clip *clip, guint frame)
{
  push_timed (rig, clip->frames[frame], clip->info.size, frame * GST_SECOND / 25, GST_SECOND / 25);
}

static void
start_clip (Rig *rig, const Clip *clip)
{
  g_autofree gchar *caps = g_strdup_printf ("video/x-raw,format=%s,width=%d,height=%d,framerate=25/1", clip->info.finfo->name,
                                            GST_VIDEO_INFO_WIDTH (&clip->info), GST_VIDEO_INFO_HEIGHT (&clip->info));

  start_video (rig, caps);
}

static const struct {
  const gchar *format, *components[3];
  guint n_components;
} formats[] = {
  { "GRAY8", { "GRAY" }, 1 },           { "I420", { "Y", "U", "V" }, 3 },      { "I422_10LE", { "Y", "U", "V" }, 3 },
  { "GBR_12LE", { "G", "B", "R" }, 3 }, { "Y444_16LE", { "Y", "U", "V" }, 3 },
};

/* GstVideoInfo's component for the first, second and third of the list above. */
static guint
find_component (guint format, guint c)
{
  return strcmp (formats[format].format, "GBR_12LE") == 0 ? (c + 1) % 3 : c;
}

/* ---- with the previous frame ----------------------------------------------------------------------------------------- */

/* Frame by frame, and in one window, whose first frame has no operand. */
TEST (test_previous)
{
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    for (guint is_whole = 0; is_whole < 2; is_whole++) {
      Sums sums[3] = { { 0 } };
      GstStructure *result;
      Clip clip;
      Rig rig;

      reset_random ();
      init_clip (&clip, formats[i].format, 37, 23);
      rig = open_rig (is_whole ? "statistics=comparison window=stream" : "statistics=comparison");
      start_clip (&rig, &clip);
      for (guint f = 0; f < N_FRAMES; f++) {
        push_frame (&rig, &clip, f);
        if (!is_whole)
          memset (sums, 0, sizeof sums);
        for (guint c = 0; f > 0 && c < formats[i].n_components; c++)
          add_sums (&sums[c], &clip, f, &clip, f - 1, find_component (i, c));
        if (is_whole && f + 1 < N_FRAMES)
          continue;
        if (is_whole)
          push_eos (&rig);
        result = pop_result (rig.bus);
        for (guint c = 0; c < formats[i].n_components; c++) {
          g_autofree gchar *name = g_strdup_printf ("%s-mse", formats[i].components[c]);

          ck_assert_int_eq (gst_structure_has_field (result, name), f > 0);
          if (f > 0)
            check_sums (result, formats[i].components[c], &sums[c],
                        GST_VIDEO_INFO_COMP_DEPTH (&clip.info, find_component (i, c)));
        }
        gst_structure_free (result);
      }
      close_rig (&rig);
      clear_clip (&clip);
    }
}

/* After a gap nothing is compared, and a flush discards the totals. */
TEST (test_begins_again)
{
  GstStructure *result;
  GstBuffer *buffer;
  Sums sums = { 0 };
  Clip clip;
  Rig rig;

  reset_random ();
  init_clip (&clip, "GRAY8", 16, 16);
  rig = open_rig ("statistics=comparison");
  start_clip (&rig, &clip);
  for (guint f = 0; f < 3; f++) {
    buffer = make_buffer (clip.frames[f], clip.info.size, f * GST_SECOND / 25, GST_SECOND / 25);
    if (f == 1)
      GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
    ck_assert_int_eq (gst_harness_push (rig.harness, buffer), GST_FLOW_OK);
    result = pop_result (rig.bus);
    ck_assert_int_eq (gst_structure_has_field (result, "GRAY-histogram-distance"), f == 2);
    gst_structure_free (result);
  }
  close_rig (&rig);

  rig = open_rig ("statistics=comparison window=stream");
  start_clip (&rig, &clip);
  push_frame (&rig, &clip, 0);
  push_frame (&rig, &clip, 1);
  ck_assert (gst_harness_push_event (rig.harness, gst_event_new_flush_start ()));
  ck_assert (gst_harness_push_event (rig.harness, gst_event_new_flush_stop (TRUE)));
  start_clip (&rig, &clip);
  push_frame (&rig, &clip, 2);
  push_frame (&rig, &clip, 3);
  push_eos (&rig);
  result = pop_result (rig.bus);
  add_sums (&sums, &clip, 3, &clip, 2, 0);
  check_sums (result, "GRAY", &sums, 8);
  gst_structure_free (result);
  close_rig (&rig);
  clear_clip (&clip);
}

/* ---- with a reference ------------------------------------------------------------------------------------------------ */

/* Writes the first frames of a clip of I420, without padding, to a file that a decoder reads. */
static gchar *
write_reference_in (const gchar *directory, const Clip *clip, guint n_frames, const gchar *colorimetry)
{
  gchar *raw, *path = g_build_filename (directory, "reference.mkv", NULL);
  GByteArray *bytes = g_byte_array_new ();

  for (guint f = 0; f < n_frames; f++)
    g_byte_array_append (bytes, clip->frames[f], (guint)clip->info.size);
  raw = make_file (directory, "reference.raw", bytes->data, bytes->len);
  free_results (run_line (
      NULL,
      "filesrc location=%s ! rawvideoparse format=i420 width=%d height=%d framerate=25/1 colorimetry=%s ! matroskamux ! "
      "filesink location=%s",
      raw, GST_VIDEO_INFO_WIDTH (&clip->info), GST_VIDEO_INFO_HEIGHT (&clip->info), colorimetry, path));
  g_byte_array_unref (bytes);
  g_free (raw);
  return path;
}

static gchar *
write_reference (const gchar *directory, const Clip *clip, guint n_frames)
{
  return write_reference_in (directory, clip, n_frames, "bt601");
}

static const gchar *const yuv[] = { "Y", "U", "V" }, *const rgb[] = { "R", "G", "B" };

static void
check_reference (const GstStructure *result, const Sums *sums)
{
  for (guint c = 0; c < 3; c++) {
    g_autofree gchar *component = g_strdup_printf ("%s-reference", yuv[c]);

    check_sums (result, component, &sums[c], 8);
  }
}

/* The next result is of a frame that equals the reference's. */
static void
pop_equal (Rig *rig)
{
  g_autoptr (GstStructure) result = pop_result (rig->bus);

  ck_assert_uint_eq (get_field_u64 (result, "Y-reference-ssd"), 0);
}

static void
open_compared (Rig *rig, const gchar *path, const gchar *properties)
{
  g_autofree gchar *line = g_strdup_printf ("reference-location=%s %s", path, properties);

  *rig = open_rig (line);
}

/* Between RGB and full range greys do not change, though the caps give only the range. */
TEST (test_range)
{
  gchar *directory = make_directory ();
  g_autofree gchar *clip_path = NULL, *picture_path = g_build_filename (directory, "picture.png", NULL);
  guint8 grey[32 * 16 * 3];
  GstStructure *result;
  Clip clip;
  Rig rig;

  init_clip (&clip, "I420", 32, 16);
  memset (clip.frames[0], 200, 32 * 16);
  memset (clip.frames[0] + 32 * 16, 128, 32 * 16 / 2);
  clip_path = write_reference_in (directory, &clip, 1, "1:0:0:0");
  open_compared (&rig, clip_path, "");
  start_video (&rig, "video/x-raw,format=RGB,width=32,height=16,framerate=25/1");
  memset (grey, 200, sizeof grey);
  push_timed (&rig, grey, sizeof grey, 0, GST_SECOND / 25);
  result = pop_result (rig.bus);
  ck_assert_uint_eq (get_field_u64 (result, "G-reference-ssd"), 0);
  gst_structure_free (result);
  close_rig (&rig);

  free_results (run_line (NULL,
                          "videotestsrc num-buffers=1 pattern=solid-color foreground-color=0xffc8c8c8 ! "
                          "video/x-raw,format=RGB,width=32,height=16 ! pngenc ! filesink location=%s",
                          picture_path));
  open_compared (&rig, picture_path, "");
  start_video (&rig, "video/x-raw,format=I420,width=32,height=16,framerate=25/1,colorimetry=(string)1:0:0:0");
  push_timed (&rig, clip.frames[0], clip.info.size, 0, GST_SECOND / 25);
  pop_equal (&rig);
  close_rig (&rig);

  clear_clip (&clip);
  remove_directory (directory);
}

/* A frame of `byte`, without colour. */
static void
fill_level (GstVideoInfo *info, const gchar *format, guint8 byte, guint8 *data, gsize size)
{
  ck_assert (gst_video_info_set_format (info, gst_video_format_from_string (format), 32, 16));
  ck_assert_uint_le (info->size, size);
  memset (data, byte, info->size);
  if (GST_VIDEO_INFO_IS_YUV (info))
    memset (data + 32 * 16, 128, info->size - 32 * 16);
}

/* White stays white, in every format and range, with and without a matrix in the caps. Between RGB and the others videoconvert
 * calculates with eight bits, and may differ by some steps. A wrong range differs by 20. */
TEST (test_white)
{
  static const struct {
    const gchar *format, *name, *colorimetry;
    guint8 white;
  } sides[] = {
    { "RGB", "rgb", "1:1:7:1", 255 },     { "RGB", "rgb", "2:1:5:1", 235 },     { "I420", "i420", "2:3:5:1", 235 },
    { "I420", "i420", "1:3:5:1", 255 },   { "I420", "i420", "2:4:0:0", 235 },   { "I420", "i420", "1:0:0:0", 255 },
    { "GRAY8", "gray8", "1:0:0:0", 255 }, { "GRAY8", "gray8", "2:0:0:0", 235 }, { "GRAY8", "gray8", "2:3:5:1", 235 },
    { "GRAY8", "gray8", "1:4:0:0", 255 },
  };
  gchar *directory = make_directory (), *path = g_build_filename (directory, "white.mkv", NULL);
  guint8 data[32 * 16 * 3];
  GstVideoInfo info;
  Rig rig;

  for (guint r = 0; r < G_N_ELEMENTS (sides); r++) {
    g_autofree gchar *raw = NULL;

    fill_level (&info, sides[r].format, sides[r].white, data, sizeof data);
    raw = make_file (directory, "white.raw", data, info.size);
    free_results (run_line (NULL,
                            "filesrc location=%s ! rawvideoparse format=%s width=32 height=16 framerate=25/1 colorimetry=%s ! "
                            "matroskamux ! filesink location=%s",
                            raw, sides[r].name, sides[r].colorimetry, path));
    for (guint s = 0; s < G_N_ELEMENTS (sides); s++) {
      g_autofree gchar *caps
          = g_strdup_printf ("video/x-raw,format=%s,width=32,height=16,framerate=25/1,colorimetry=(string)%s", sides[s].format,
                             sides[s].colorimetry);
      const gboolean is_converted = (sides[s].name[0] == 'r') != (sides[r].name[0] == 'r');
      g_autoptr (GstStructure) result = NULL;

      fill_level (&info, sides[s].format, sides[s].white, data, sizeof data);
      open_compared (&rig, path, "");
      start_video (&rig, caps);
      push_timed (&rig, data, info.size, 0, GST_SECOND / 25);
      result = pop_result (rig.bus);
      for (guint c = 0; c < GST_VIDEO_INFO_N_COMPONENTS (&info); c++) {
        const gchar *component = GST_VIDEO_INFO_IS_RGB (&info) ? rgb[c] : GST_VIDEO_INFO_IS_GRAY (&info) ? "GRAY" : yuv[c];
        g_autofree gchar *field = g_strdup_printf ("%s-reference-sad", component);

        ck_assert_msg (get_field_u64 (result, field) <= (is_converted ? 4 : 0) * 32 * 16,
                       "%s %s with %s %s: %s %" G_GUINT64_FORMAT, sides[s].format, sides[s].colorimetry, sides[r].format,
                       sides[r].colorimetry, field, get_field_u64 (result, field));
      }
      close_rig (&rig);
    }
  }
  g_free (path);
  remove_directory (directory);
}

/* Returns a level of 8 bits as one of 10, by the definition of both ranges. */
static guint16
widen (guint8 level, gboolean is_chroma, gboolean was_full, gboolean is_full)
{
  const gdouble zero = is_chroma ? 128 : was_full ? 0 : 16, steps = was_full ? 255 : is_chroma ? 224 : 219;
  const gdouble new_zero = is_chroma ? 512 : is_full ? 0 : 64, new_steps = is_full ? 1023 : is_chroma ? 896 : 876;

  return (guint16)CLAMP (floor ((level - zero) * new_steps / steps + new_zero + 0.5), 0, 1023);
}

/* A reference of 8 bits equals a stream of 10 bits with the same meaning, in either range. */
TEST (test_wider_stream)
{
  static const gchar *const colorimetries[] = { "2:3:5:1", "1:3:5:1" };
  gchar *directory = make_directory ();
  Clip clip;

  reset_random ();
  init_clip (&clip, "I420", 32, 16);
  for (guint i = 0; i < 4; i++) {
    const gboolean was_full = i % 2 == 1, is_full = i / 2 == 1;
    g_autofree gchar *path = write_reference_in (directory, &clip, 1, colorimetries[was_full]);
    g_autofree gchar *caps = g_strdup_printf (
        "video/x-raw,format=I420_10LE,width=32,height=16,framerate=25/1,colorimetry=(string)%s", colorimetries[is_full]);
    guint16 data[32 * 16 * 3 / 2];
    g_autoptr (GstStructure) result = NULL;
    Rig rig;

    for (guint s = 0; s < G_N_ELEMENTS (data); s++)
      data[s] = GUINT16_TO_LE (widen (clip.frames[0][s], s >= 32 * 16, was_full, is_full));
    open_compared (&rig, path, "");
    start_video (&rig, caps);
    push_timed (&rig, data, sizeof data, 0, GST_SECOND / 25);
    result = pop_result (rig.bus);
    for (guint c = 0; c < 3; c++) {
      g_autofree gchar *component = g_strdup_printf ("%s-reference", yuv[c]);

      ck_assert_uint_eq (get_component_u64 (result, component, "sad"), 0);
    }
    close_rig (&rig);
  }
  clear_clip (&clip);
  remove_directory (directory);
}

/* Each frame with its own, all with the first, and all in one window, while they are also compared with the previous one. */
TEST (test_reference)
{
  gchar *directory = make_directory (), *path;
  Clip clip, other;

  reset_random ();
  init_clip (&clip, "I420", 32, 16);
  init_clip (&other, "I420", 32, 16);
  path = write_reference (directory, &other, N_FRAMES);
  for (guint is_fixed = 0; is_fixed < 2; is_fixed++)
    for (guint is_whole = 0; is_whole < 2; is_whole++)
      for (guint has_previous = 0; has_previous < 2; has_previous++) {
        Sums sums[3] = { { 0 } }, from_previous[3] = { { 0 } };
        g_autofree gchar *properties
            = g_strdup_printf ("reference-mode=%s window=%s statistics=%s", is_fixed ? "fixed" : "in-step",
                               is_whole ? "stream" : "buffer", has_previous ? "comparison" : "0");
        Rig rig;

        open_compared (&rig, path, properties);
        start_clip (&rig, &clip);
        for (guint f = 0; f < N_FRAMES; f++) {
          g_autoptr (GstStructure) result = NULL;

          push_frame (&rig, &clip, f);
          if (!is_whole) {
            memset (sums, 0, sizeof sums);
            memset (from_previous, 0, sizeof from_previous);
          }
          for (guint c = 0; c < 3; c++) {
            add_sums (&sums[c], &clip, f, &other, is_fixed ? 0 : f, c);
            if (f > 0)
              add_sums (&from_previous[c], &clip, f, &clip, f - 1, c);
          }
          if (is_whole && f + 1 < N_FRAMES)
            continue;
          if (is_whole)
            push_eos (&rig);
          result = pop_result (rig.bus);
          check_reference (result, sums);
          for (guint c = 0; has_previous && f > 0 && c < 3; c++)
            check_sums (result, yuv[c], &from_previous[c], 8);
          ck_assert_int_eq (gst_structure_has_field (result, "Y-mse"), has_previous && f > 0);
        }
        check_bus_empty (rig.bus);
        close_rig (&rig);
      }
  clear_clip (&clip);
  clear_clip (&other);
  g_free (path);
  remove_directory (directory);
}

/* The location is read at the start. */
TEST (test_reference_location_changes)
{
  gchar *directory = make_directory (), *path;
  GstStructure *result;
  Clip clip;
  Rig rig;

  reset_random ();
  init_clip (&clip, "I420", 32, 16);
  path = write_reference (directory, &clip, 1);
  open_compared (&rig, path, "");
  g_object_set (rig.element, "reference-location", NULL, NULL);
  start_clip (&rig, &clip);
  push_frame (&rig, &clip, 0);
  result = pop_result (rig.bus);
  ck_assert (gst_structure_has_field (result, "Y-reference-mse"));
  gst_structure_free (result);
  close_rig (&rig);
  clear_clip (&clip);
  g_free (path);
  remove_directory (directory);
}

/* Regions have their own numbers. Those of the reference are the picture's only. */
TEST (test_reference_and_regions)
{
  gchar *directory = make_directory (), *path;
  const GstStructure *region;
  Sums sums[3] = { { 0 } };
  GstStructure *result;
  Clip clip, other;
  Rig rig;

  reset_random ();
  init_clip (&clip, "I420", 32, 16);
  init_clip (&other, "I420", 32, 16);
  path = write_reference (directory, &other, 1);
  open_compared (&rig, path, "statistics=basic+comparison regions=4,4,8,6");
  start_clip (&rig, &clip);
  push_frame (&rig, &clip, 0);
  result = pop_result (rig.bus);
  for (guint c = 0; c < 3; c++)
    add_sums (&sums[c], &clip, 0, &other, 0, c);
  check_reference (result, sums);
  region = gst_value_get_structure (gst_value_array_get_value (gst_structure_get_value (result, "regions"), 0));
  ck_assert_uint_eq (get_field_u64 (region, "Y-count"), 8 * 6);
  ck_assert (!gst_structure_has_field (region, "Y-reference-mse"));
  ck_assert (!gst_structure_has_field (region, "Y-reference-histogram-distance"));
  gst_structure_free (result);
  close_rig (&rig);
  clear_clip (&clip);
  clear_clip (&other);
  g_free (path);
  remove_directory (directory);
}

/* In step after a flush that seeks back, and if the stream has dropped frames. */
TEST (test_reference_after_seek)
{
  static const guint frames[] = { 0, 1, 4, 2, 3 }; /* the flush is before the fourth */
  gchar *directory = make_directory (), *path;
  Clip clip, other;
  Rig rig;

  reset_random ();
  init_clip (&clip, "I420", 32, 16);
  init_clip (&other, "I420", 32, 16);
  path = write_reference (directory, &other, N_FRAMES);
  open_compared (&rig, path, "");
  start_clip (&rig, &clip);
  for (guint i = 0; i < G_N_ELEMENTS (frames); i++) {
    Sums sums[3] = { { 0 } };
    g_autoptr (GstStructure) result = NULL;

    if (i == 3) {
      ck_assert (gst_harness_push_event (rig.harness, gst_event_new_flush_start ()));
      ck_assert (gst_harness_push_event (rig.harness, gst_event_new_flush_stop (TRUE)));
      start_clip (&rig, &clip);
    }
    push_frame (&rig, &clip, frames[i]);
    result = pop_result (rig.bus);
    for (guint c = 0; c < 3; c++)
      add_sums (&sums[c], &clip, frames[i], &other, frames[i], c);
    check_reference (result, sums);
  }
  close_rig (&rig);
  clear_clip (&clip);
  clear_clip (&other);
  g_free (path);
  remove_directory (directory);
}

/* At a negative rate, frames are counted and not compared, with one warning. The stream may then go on forwards. */
TEST (test_negative_rate)
{
  gchar *directory = make_directory (), *path;
  GstStructure *result;
  GstSegment segment;
  Clip clip;
  Rig rig;

  reset_random ();
  init_clip (&clip, "I420", 32, 16);
  path = write_reference (directory, &clip, N_FRAMES);
  open_compared (&rig, path, "");
  start_clip (&rig, &clip);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.rate = -1;
  segment.stop = N_FRAMES * GST_SECOND / 25;
  ck_assert (gst_harness_push_event (rig.harness, gst_event_new_segment (&segment)));
  for (guint f = N_FRAMES; f-- > 0;)
    push_frame (&rig, &clip, f);
  check_error (rig.bus, GST_MESSAGE_WARNING, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, "the stream plays backwards");
  for (guint f = 0; f < N_FRAMES; f++) {
    result = pop_result (rig.bus);
    ck_assert (!gst_structure_has_field (result, "Y-reference-mse") && gst_structure_has_field (result, "Y-count"));
    gst_structure_free (result);
  }
  gst_segment_init (&segment, GST_FORMAT_TIME);
  ck_assert (gst_harness_push_event (rig.harness, gst_event_new_segment (&segment)));
  push_frame (&rig, &clip, 1);
  result = pop_result (rig.bus);
  ck_assert_uint_eq (get_field_u64 (result, "Y-reference-ssd"), 0);
  gst_structure_free (result);
  check_bus_empty (rig.bus);
  ck_assert_uint_eq (get_stat (rig.element, "frames-in"), N_FRAMES + 1);
  ck_assert_uint_eq (get_stat (rig.element, "frames-reported"), N_FRAMES + 1);
  close_rig (&rig);
  clear_clip (&clip);
  g_free (path);
  remove_directory (directory);
}

/* After the reference's end, frames are counted, and one warning says that they are not compared. */
TEST (test_short_reference)
{
  gchar *directory = make_directory (), *path;
  GstStructure *result;
  Clip clip;
  Rig rig;

  reset_random ();
  init_clip (&clip, "I420", 32, 16);
  path = write_reference (directory, &clip, 2);
  open_compared (&rig, path, "");
  start_clip (&rig, &clip);
  for (guint f = 0; f < N_FRAMES; f++) {
    push_frame (&rig, &clip, f);
    if (f == 2)
      check_error (rig.bus, GST_MESSAGE_WARNING, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, "frames after its last one");
    result = pop_result (rig.bus);
    ck_assert_int_eq (gst_structure_has_field (result, "Y-reference-mse"), f < 2);
    ck_assert (gst_structure_has_field (result, "Y-count"));
    gst_structure_free (result);
  }
  close_rig (&rig);

  /* One window covers those that were compared. */
  open_compared (&rig, path, "window=stream");
  start_clip (&rig, &clip);
  for (guint f = 0; f < N_FRAMES; f++)
    push_frame (&rig, &clip, f);
  push_eos (&rig);
  check_error (rig.bus, GST_MESSAGE_WARNING, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, "frames after its last one");
  result = pop_result (rig.bus);
  ck_assert_uint_eq (get_field_u64 (result, "Y-reference-difference-count"), 2 * 32 * 16);
  ck_assert_uint_eq (get_field_u64 (result, "Y-count"), N_FRAMES * 32 * 16);
  ck_assert_uint_eq (get_field_u64 (result, "Y-reference-ssd"), 0);
  gst_structure_free (result);
  close_rig (&rig);
  clear_clip (&clip);
  g_free (path);
  remove_directory (directory);
}

/* A stream without its first frames is compared by its times. One warning states the alternative, and how to set it. */
TEST (test_reference_lost_start)
{
  gchar *directory = make_directory (), *path;
  Clip clip, other;
  Rig rig;

  reset_random ();
  init_clip (&clip, "I420", 32, 16);
  init_clip (&other, "I420", 32, 16);
  path = write_reference (directory, &other, N_FRAMES);
  for (guint is_set = 0; is_set < 2; is_set++) {
    open_compared (&rig, path, is_set ? "reference-offset=40000000" : "");
    start_clip (&rig, &clip);
    for (guint f = 1; f < N_FRAMES; f++) {
      Sums sums[3] = { { 0 } };
      g_autoptr (GstStructure) result = NULL;

      push_frame (&rig, &clip, f);
      if (f == 1 && !is_set)
        check_error (rig.bus, GST_MESSAGE_WARNING, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, "set reference-offset=40000000");
      result = pop_result (rig.bus);
      for (guint c = 0; c < 3; c++)
        add_sums (&sums[c], &clip, f, &other, f - is_set, c);
      check_reference (result, sums);
    }
    check_bus_empty (rig.bus);
    close_rig (&rig);
  }
  clear_clip (&clip);
  clear_clip (&other);
  g_free (path);
  remove_directory (directory);
}

/* An element that is restarted in the middle of a stream does not report a first frame. In another stream it does. */
TEST (test_started_in_mid_stream)
{
  gchar *directory = make_directory (), *path;
  Clip clip;
  Rig rig;

  reset_random ();
  init_clip (&clip, "I420", 32, 16);
  path = write_reference (directory, &clip, N_FRAMES);
  open_compared (&rig, path, "");
  start_clip (&rig, &clip);
  for (guint f = 0; f < 4; f++) {
    if (f > 1) {
      gst_element_set_state (rig.element, GST_STATE_NULL);
      gst_element_set_state (rig.element, GST_STATE_PLAYING);
    }
    if (f == 3)
      ck_assert (gst_harness_push_event (rig.harness, gst_event_new_stream_start ("another")));
    push_frame (&rig, &clip, f);
    if (f == 3)
      check_error (rig.bus, GST_MESSAGE_WARNING, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, "set reference-offset=120000000");
    pop_equal (&rig);
  }
  check_bus_empty (rig.bus);
  close_rig (&rig);
  clear_clip (&clip);
  g_free (path);
  remove_directory (directory);
}

/* Each of several streams is reported, except one that continues the stream before. */
TEST (test_streams_in_a_row)
{
  static const struct {
    guint frame;
    gboolean begins;
    const gchar *warning;
  } pushed[] = {
    { 0, FALSE, NULL }, { 1, FALSE, NULL }, { 2, FALSE, NULL }, { 2, TRUE, "set reference-offset=80000000" },
    { 3, TRUE, NULL },  { 0, TRUE, NULL },  { 1, FALSE, NULL }, { 1, TRUE, "set reference-offset=40000000" },
    { 2, FALSE, NULL },
  };
  gchar *directory = make_directory (), *path;
  Clip clip;
  Rig rig;

  reset_random ();
  init_clip (&clip, "I420", 32, 16);
  path = write_reference (directory, &clip, N_FRAMES);
  open_compared (&rig, path, "");
  start_clip (&rig, &clip);
  for (guint i = 0; i < G_N_ELEMENTS (pushed); i++) {
    if (pushed[i].begins) {
      ck_assert (gst_harness_push_event (rig.harness, gst_event_new_stream_start ("another")));
      start_clip (&rig, &clip);
    }
    push_frame (&rig, &clip, pushed[i].frame);
    if (pushed[i].warning != NULL)
      check_error (rig.bus, GST_MESSAGE_WARNING, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, pushed[i].warning);
    pop_equal (&rig);
  }
  check_bus_empty (rig.bus);
  close_rig (&rig);
  clear_clip (&clip);
  g_free (path);
  remove_directory (directory);
}

/* Only the first frame has another stream time, as matroskademux gives it, and all are compared by it, also with other caps.
 * The next stream has its own times. */
TEST (test_first_segment)
{
  const GstClockTime start = 50 * GST_MSECOND;
  gchar *directory = make_directory (), *path;
  GstSegment segment;
  GstCaps *caps;
  Clip clip;
  Rig rig;

  reset_random ();
  init_clip (&clip, "I420", 32, 16);
  path = write_reference (directory, &clip, N_FRAMES);
  open_compared (&rig, path, "");
  start_clip (&rig, &clip);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  for (guint i = 0; i < 2 * N_FRAMES; i++) {
    const guint f = i % N_FRAMES;
    if (i < 2) {
      segment.start = i == 0 ? start : 0;
      ck_assert (gst_harness_push_event (rig.harness, gst_event_new_segment (&segment)));
    }
    if (i == 2) { /* which need another reading of the reference */
      caps = gst_caps_from_string ("video/x-raw,format=I420,width=32,height=16,framerate=25/1,colorimetry=bt709");
      ck_assert (gst_harness_push_event (rig.harness, gst_event_new_caps (caps)));
      gst_caps_unref (caps);
    }
    if (i == N_FRAMES) {
      ck_assert (gst_harness_push_event (rig.harness, gst_event_new_stream_start ("another")));
      start_clip (&rig, &clip);
    }
    push_timed (&rig, clip.frames[f], clip.info.size, (i < N_FRAMES ? start : 0) + f * GST_SECOND / 25, GST_SECOND / 25);
    pop_equal (&rig);
  }
  close_rig (&rig);
  clear_clip (&clip);
  g_free (path);
  remove_directory (directory);
}

/* A frame with the timestamp of the two before, or without one where others have one, is not identified: it is not compared. */
TEST (test_unknown_times)
{
  static const guint frames[] = { 0, 1, 1, 1, 4 };
  gchar *directory = make_directory (), *path;
  Clip clip;
  Rig rig;

  reset_random ();
  init_clip (&clip, "I420", 32, 16);
  path = write_reference (directory, &clip, N_FRAMES);
  for (guint have_times = 0; have_times < 2; have_times++) {
    open_compared (&rig, path, "");
    start_clip (&rig, &clip);
    for (guint i = 0; i < G_N_ELEMENTS (frames); i++) {
      const gboolean is_unknown = i == 2 || i == 3;
      const GstClockTime time = is_unknown && !have_times ? GST_CLOCK_TIME_NONE : frames[i] * GST_SECOND / 25;
      g_autoptr (GstStructure) result = NULL;

      push_timed (&rig, clip.frames[frames[i]], clip.info.size, time, GST_SECOND / 25);
      if (i == 2)
        check_error (rig.bus, GST_MESSAGE_WARNING, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, "is missing, stands still");
      result = pop_result (rig.bus);
      ck_assert_int_eq (gst_structure_has_field (result, "Y-reference-mse"), !is_unknown);
    }
    close_rig (&rig);
  }
  clear_clip (&clip);
  g_free (path);
  remove_directory (directory);
}

/* Of two frames of the reference with the same time, after a loss or a frame without a time, either may be meant. */
TEST (test_shared_times)
{
  gchar *directory = make_directory ();
  g_autofree gchar *path = NULL, *raw = g_build_filename (directory, "reference.raw", NULL);
  Clip clip;
  Rig rig;

  reset_random ();
  init_clip (&clip, "I420", 32, 16);
  path = write_reference (directory, &clip, N_FRAMES);
  free_results (run_line (NULL,
                          "filesrc location=%s ! rawvideoparse format=i420 width=32 height=16 framerate=2000/1 ! matroskamux ! "
                          "filesink location=%s",
                          raw, path));
  for (guint is_lost = 0; is_lost < 2; is_lost++) {
    open_compared (&rig, path, "");
    start_clip (&rig, &clip);
    for (guint f = 0; f < N_FRAMES; f++) {
      const gboolean is_unknown = f == 1 || f == 2;
      const GstClockTime time = f == 1 ? GST_CLOCK_TIME_NONE : (f + 1) / 2 * GST_MSECOND; /* as in the file */
      GstBuffer *buffer = make_buffer (clip.frames[f], clip.info.size, time, GST_SECOND / 25);
      g_autoptr (GstStructure) result = NULL;

      if (is_lost && f == 1) {
        gst_buffer_unref (buffer);
        continue;
      }
      if (is_lost && f == 2)
        GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
      ck_assert_int_eq (gst_harness_push (rig.harness, buffer), GST_FLOW_OK);
      if (f == (is_lost ? 2 : 1))
        check_error (rig.bus, GST_MESSAGE_WARNING, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, "stands still or is shared");
      result = pop_result (rig.bus);
      ck_assert_int_eq (gst_structure_has_field (result, "Y-reference-mse"), !is_unknown);
      if (!is_unknown)
        ck_assert_uint_eq (get_field_u64 (result, "Y-reference-ssd"), 0);
    }
    close_rig (&rig);
  }
  clear_clip (&clip);
  remove_directory (directory);
}

/* Frames that the reference lacks are counted. A warning comes at once, and at the end one with their number. */
TEST (test_holed_reference)
{
  gchar *directory = make_directory (), *path = g_build_filename (directory, "reference.mkv", NULL);
  GstStructure *result;
  Clip clip;
  Rig rig;

  reset_random ();
  init_clip (&clip, "I420", 32, 16);
  /* A frame at 0 and one at 160 ms. */
  free_results (run_line (NULL,
                          "videotestsrc num-buffers=2 ! video/x-raw,format=I420,width=32,height=16,framerate=25/4 ! "
                          "capssetter caps=video/x-raw,framerate=25/1 ! matroskamux ! filesink location=%s",
                          path));
  open_compared (&rig, path, "");
  start_clip (&rig, &clip);
  for (guint f = 0; f < N_FRAMES; f++) {
    push_frame (&rig, &clip, f);
    if (f == 1)
      check_error (rig.bus, GST_MESSAGE_WARNING, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
                   "1 frame was not compared since the last such warning; the latest is frame 1");
    result = pop_result (rig.bus);
    ck_assert_int_eq (gst_structure_has_field (result, "Y-reference-mse"), f == 0 || f == 4);
    ck_assert (gst_structure_has_field (result, "Y-count"));
    gst_structure_free (result);
  }
  push_eos (&rig);
  check_error (rig.bus, GST_MESSAGE_WARNING, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
               "2 frames were not compared since the last such warning; the latest is frame 3");
  close_rig (&rig);

  /* The first frame of a stream is really short: no seek has cut it. */
  open_compared (&rig, path, "reference-offset=-30000000");
  start_clip (&rig, &clip);
  push_timed (&rig, clip.frames[0], clip.info.size, 0, GST_SECOND / 50);
  check_error (rig.bus, GST_MESSAGE_WARNING, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, "for which it has none");
  close_rig (&rig);

  /* An edit list may have cut it. But many clips with a variable frame rate begin like this, and no warning is posted. */
  open_compared (&rig, path, "");
  start_clip (&rig, &clip);
  push_timed (&rig, clip.frames[0], clip.info.size, 0, GST_SECOND / 50);
  gst_structure_free (pop_result (rig.bus));
  check_bus_empty (rig.bus);
  close_rig (&rig);
  clear_clip (&clip);
  g_free (path);
  remove_directory (directory);
}

/* If the size changes, the stream continues, and frames that match again are compared again. */
TEST (test_reference_of_another_size)
{
  gchar *directory = make_directory (), *path;
  GstStructure *result;
  Clip clip, large;
  Rig rig;

  reset_random ();
  init_clip (&clip, "I420", 32, 16);
  init_clip (&large, "I420", 48, 16);
  path = write_reference (directory, &clip, N_FRAMES);
  open_compared (&rig, path, "");
  for (guint f = 0; f < N_FRAMES; f++) {
    const gboolean fits = f % 2 == 0;

    start_clip (&rig, fits ? &clip : &large);
    push_frame (&rig, fits ? &clip : &large, f);
    if (f == 1)
      check_error (rig.bus, GST_MESSAGE_WARNING, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
                   "it has 32x16 pixels, and the frames have 48x16");
    result = pop_result (rig.bus);
    ck_assert_uint_eq (get_field_u64 (result, "Y-count"), fits ? 32 * 16 : 48 * 16);
    ck_assert_int_eq (gst_structure_has_field (result, "Y-reference-ssd"), fits);
    if (fits)
      ck_assert_uint_eq (get_field_u64 (result, "Y-reference-ssd"), 0);
    gst_structure_free (result);
  }
  check_bus_empty (rig.bus);
  close_rig (&rig);
  clear_clip (&clip);
  clear_clip (&large);
  g_free (path);
  remove_directory (directory);
}

/* An unusable reference is an error with a clear text. A stream of another kind is a warning. */
TEST (test_useless_reference)
{
  gchar *directory = make_directory (), *path;
  GstStructure *result;
  Clip clip, large;
  Rig rig;

  reset_random ();
  init_clip (&clip, "I420", 32, 16);
  init_clip (&large, "I420", 48, 16);
  path = write_reference (directory, &large, 1);
  open_compared (&rig, path, "");
  start_clip (&rig, &clip);
  ck_assert_int_eq (gst_harness_push (rig.harness, make_buffer (clip.frames[0], clip.info.size, 0, GST_SECOND)),
                    GST_FLOW_ERROR);
  check_error (rig.bus, GST_MESSAGE_ERROR, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
               "it has 48x16 pixels and the stream 32x16");
  close_rig (&rig);

  open_compared (&rig, "/nowhere/at/all.mkv", "");
  start_clip (&rig, &clip);
  ck_assert_int_eq (gst_harness_push (rig.harness, make_buffer (clip.frames[0], clip.info.size, 0, GST_SECOND)),
                    GST_FLOW_ERROR);
  check_error (rig.bus, GST_MESSAGE_ERROR, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND, "does not exist");
  close_rig (&rig);

  open_compared (&rig, path, "");
  start_bytes (&rig, NULL);
  push_bytes (&rig, clip.frames[0], clip.info.size);
  push_eos (&rig);
  check_error (rig.bus, GST_MESSAGE_WARNING, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, "the stream is not raw video");
  result = pop_result (rig.bus);
  check_bytes (result, clip.frames[0], clip.info.size, 0, 1, 0);
  gst_structure_free (result);
  close_rig (&rig);
  clear_clip (&clip);
  clear_clip (&large);
  g_free (path);
  remove_directory (directory);
}

static gint is_fed;

/* Missing parts of the reference's video. */
static const gchar *const missing_types[] = { "video/x-unheard-of", "application/x-unheard-of" };

static void
post_missing (GstElement *source, const gchar *media_type)
{
  g_autoptr (GstCaps) caps = gst_caps_new_empty_simple (media_type);

  gst_element_post_message (
      source,
      gst_message_new_element (GST_OBJECT (source), gst_structure_new ("missing-plugin", "type", G_TYPE_STRING, "decoder",
                                                                       "detail", GST_TYPE_CAPS, caps, NULL)));
  GST_ELEMENT_WARNING (source, STREAM, CODEC_NOT_FOUND, ("No decoder available for %s.", media_type), (NULL));
}

/* Input of the reference's source: frames, two of them marked as damaged and two missing, and messages. */
static gboolean
feed_source (GSignalInvocationHint *hint, guint n_values, const GValue *values, gpointer clip)
{
  GstElement *source = g_value_get_object (&values[1]);
  GstCaps *caps;
  GstFlowReturn flow;

  (void)hint;
  (void)n_values;
  if (!GST_IS_APP_SRC (source))
    return TRUE;
  caps = gst_caps_from_string ("video/x-raw,format=I420,width=32,height=16,framerate=25/1");
  g_object_set (source, "caps", caps, "format", GST_FORMAT_TIME, NULL);
  gst_caps_unref (caps);
  for (guint f = 0; f < 6; f += f == 2 ? 3 : 1) {
    const Clip *frames = clip;
    GstBuffer *buffer = make_buffer (frames->frames[f % N_FRAMES], frames->info.size, f * GST_SECOND / 25, GST_SECOND / 25);

    if (f == 1 || f == 2)
      GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_CORRUPTED);
    g_signal_emit_by_name (source, "push-buffer", buffer, &flow);
    gst_buffer_unref (buffer);
  }
  g_signal_emit_by_name (source, "end-of-stream", &flow);
  GST_ELEMENT_WARNING (source, STREAM, DECODE, ("A page is torn."), (NULL));
  post_missing (source, "meta/x-klv");
  for (guint i = 0; i < G_N_ELEMENTS (missing_types); i++)
    post_missing (source, missing_types[i]);
  g_atomic_int_set (&is_fed, TRUE);
  return TRUE;
}

/* Warnings of the reference's decoder are posted, except those of other tracks. Frames that it reports as damaged are not
 * compared; these and missing ones are counted separately. */
TEST (test_damaged_reference)
{
  const guint signal = g_signal_lookup ("element-added", GST_TYPE_BIN);
  GstStructure *result;
  gulong hook;
  Clip clip;
  Rig rig;

  reset_random ();
  init_clip (&clip, "I420", 32, 16);
  hook = g_signal_add_emission_hook (signal, 0, feed_source, &clip, NULL);
  open_compared (&rig, "appsrc://", "");
  start_clip (&rig, &clip);
  while (!g_atomic_int_get (&is_fed))
    g_usleep (1000);
  for (guint f = 0; f < N_FRAMES; f++) {
    push_frame (&rig, &clip, f);
    for (guint i = 0; f == 0 && i < G_N_ELEMENTS (missing_types); i++) {
      g_autoptr (GstMessage) missing = gst_bus_pop_filtered (rig.bus, GST_MESSAGE_ELEMENT);
      const GValue *detail = gst_structure_get_value (gst_message_get_structure (missing), "detail");

      ck_assert_str_eq (gst_structure_get_name (gst_message_get_structure (missing)), "missing-plugin");
      ck_assert (GST_MESSAGE_SRC (missing) == GST_OBJECT (rig.element));
      ck_assert (gst_structure_has_name (gst_caps_get_structure (gst_value_get_caps (detail), 0), missing_types[i]));
    }
    if (f == 0)
      check_error (rig.bus, GST_MESSAGE_WARNING, GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE, "A page is torn");
    if (f == 1)
      check_error (rig.bus, GST_MESSAGE_WARNING, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, "counterpart is damaged");
    if (f == 3)
      check_error (rig.bus, GST_MESSAGE_WARNING, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, "frames for which it has none");
    result = pop_result (rig.bus);
    ck_assert (gst_structure_has_field (result, "Y-count"));
    ck_assert_int_eq (gst_structure_has_field (result, "Y-reference-mse"), f == 0);
    gst_structure_free (result);
  }
  push_eos (&rig);
  for (guint f = 4; f > 0; f -= 2) {
    gchar *words = g_strdup_printf ("1 frame was not compared since the last such warning; the latest is frame %u", f);

    check_error (rig.bus, GST_MESSAGE_WARNING, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, words);
    g_free (words);
  }
  close_rig (&rig);
  g_signal_remove_emission_hook (signal, hook);
  clear_clip (&clip);
}

/* Makes the source of a reference request a context, and announce one. */
static gboolean
ask_for_context (GSignalInvocationHint *hint, guint n_values, const GValue *values, gpointer is_answered)
{
  GstElement *source = g_value_get_object (&values[1]);
  GstContext *answer;

  (void)hint;
  (void)n_values;
  if (!GST_IS_APP_SRC (source))
    return TRUE;
  gst_element_post_message (source, gst_message_new_need_context (GST_OBJECT (source), "session"));
  answer = gst_element_get_context (source, "session");
  g_atomic_int_set ((gint *)is_answered, answer != NULL);
  if (answer != NULL)
    gst_context_unref (answer);
  gst_element_post_message (source, gst_message_new_have_context (GST_OBJECT (source), gst_context_new ("told", FALSE)));
  return TRUE;
}

/* The element or the application provides a context that its source needs. */
TEST (test_context_of_reference)
{
  const guint signal = g_signal_lookup ("element-added", GST_TYPE_BIN);
  GstContext *context = gst_context_new ("session", FALSE);
  gint is_answered = FALSE;
  const gulong hook = g_signal_add_emission_hook (signal, 0, ask_for_context, &is_answered, NULL);
  Clip clip;
  Rig rig;

  reset_random ();
  init_clip (&clip, "I420", 32, 16);
  for (gint has_context = 0; has_context < 2; has_context++) {
    GstMessage *message;
    const gchar *type;

    open_compared (&rig, "appsrc://", "");
    if (has_context)
      gst_element_set_context (rig.element, context);
    start_clip (&rig, &clip);
    for (gint is_told = has_context; is_told < 2; is_told++) {
      message = gst_bus_timed_pop_filtered (rig.bus, RIG_PATIENCE, GST_MESSAGE_NEED_CONTEXT | GST_MESSAGE_HAVE_CONTEXT);
      ck_assert (message != NULL && GST_IS_APP_SRC (GST_MESSAGE_SRC (message)));
      ck_assert_int_eq (GST_MESSAGE_TYPE (message), is_told ? GST_MESSAGE_HAVE_CONTEXT : GST_MESSAGE_NEED_CONTEXT);
      ck_assert (is_told || (gst_message_parse_context_type (message, &type) && g_str_equal (type, "session")));
      gst_message_unref (message);
    }
    ck_assert_int_eq (g_atomic_int_get (&is_answered), has_context);
    close_rig (&rig);
  }
  g_signal_remove_emission_hook (signal, hook);
  gst_context_unref (context);
  clear_clip (&clip);
}

static gpointer
flush_soon (gpointer harness)
{
  g_usleep (200 * 1000);
  gst_harness_push_event (harness, gst_event_new_flush_start ());
  return NULL;
}

/* A reference without frames: a flush releases the waiting frame, and so does a stop, which reports the rest. */
TEST (test_stuck_reference)
{
  gchar *directory = make_directory (), *path = g_build_filename (directory, "pipe", NULL);
  gint64 begin = g_get_monotonic_time ();
  GstElement *pipeline;
  GThread *thread;
  g_autofree gchar *line = NULL;
  Clip clip;
  Rig rig;

  ck_assert_int_eq (mkfifo (path, 0600), 0);
  reset_random ();
  init_clip (&clip, "I420", 32, 16);
  open_compared (&rig, path, "");
  start_clip (&rig, &clip);
  thread = g_thread_new ("flush", flush_soon, rig.harness);
  ck_assert_int_eq (gst_harness_push (rig.harness, make_buffer (clip.frames[0], clip.info.size, 0, GST_SECOND)),
                    GST_FLOW_FLUSHING);
  g_thread_join (thread);
  check_bus_empty (rig.bus);
  close_rig (&rig);

  line = g_strdup_printf ("videotestsrc ! video/x-raw,format=I420,width=32,height=16 ! cudahisto %s reference-location=%s ! "
                          "fakesink",
                          get_backend_words (), path);
  pipeline = gst_parse_launch (line, NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  g_usleep (200 * 1000);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  ck_assert_ptr_eq (gst_bus_pop_filtered (GST_ELEMENT_BUS (pipeline), GST_MESSAGE_ERROR), NULL);
  gst_object_unref (pipeline);
  ck_assert (g_get_monotonic_time () - begin < (gint64)(RIG_PATIENCE / GST_USECOND));

  ck_assert_int_eq (open (path, O_WRONLY | O_NONBLOCK), -1); /* the reader has gone */
  clear_clip (&clip);
  g_free (path);
  remove_directory (directory);
}

/* With when-busy=skip no frame waits for a reference: it is counted and not compared, with a warning. */
TEST (test_reference_that_is_too_late)
{
  gchar *directory = make_directory (), *path = g_build_filename (directory, "pipe", NULL);
  gint64 begin = g_get_monotonic_time ();
  gboolean is_compared = FALSE;
  GstStructure *result;
  Clip clip;
  Rig rig;

  ck_assert_int_eq (mkfifo (path, 0600), 0);
  reset_random ();
  init_clip (&clip, "I420", 32, 16);
  open_compared (&rig, path, "when-busy=skip");
  start_clip (&rig, &clip);
  push_frame (&rig, &clip, 0);
  check_error (rig.bus, GST_MESSAGE_WARNING, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, "frames for which it is too late");
  result = pop_result (rig.bus);
  ck_assert (gst_structure_has_field (result, "Y-count") && !gst_structure_has_field (result, "Y-reference-mse"));
  gst_structure_free (result);
  push_frame (&rig, &clip, 1);
  gst_structure_free (pop_result (rig.bus));
  push_eos (&rig);
  ck_assert_uint_eq (get_stat (rig.element, "frames-skipped"), 0);
  close_rig (&rig);
  ck_assert (g_get_monotonic_time () - begin < (gint64)(RIG_PATIENCE / GST_USECOND));
  g_free (path);

  /* Once the reference is decoded, frames are compared. */
  path = write_reference (directory, &clip, 1);
  open_compared (&rig, path, "when-busy=skip reference-mode=fixed");
  start_clip (&rig, &clip);
  while (!is_compared) {
    GstMessage *message;

    push_frame (&rig, &clip, 0);
    while ((message = pop_message (rig.bus)) != NULL && GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING)
      gst_message_unref (message);
    is_compared = gst_structure_has_field (gst_message_get_structure (message), "Y-reference-mse");
    gst_message_unref (message);
    g_usleep (10 * 1000);
  }
  close_rig (&rig);
  clear_clip (&clip);
  g_free (path);
  remove_directory (directory);
}

RIG_MAIN (NULL)
