/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Comparisons of frames with the previous one and with a reference: the fields of results, compared with plain loops over the
 * samples. test_psnr.py compares them with FFmpeg's psnr. */

#include "elementwatch.h"
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

static void
clear_clip (Clip *of)
{
  for (guint f = 0; f < N_FRAMES; f++)
    g_clear_pointer (&of->frames[f], g_free);
}

/* Each frame differs from the previous one in some samples; the last two are equal. Replaces the frames of before. */
static void
init_clip (Clip *of, const gchar *format, guint width, guint height)
{
  clear_clip (of);
  ck_assert (gst_video_info_set_format (&of->info, gst_video_format_from_string (format), width, height));
  for (guint f = 0; f < N_FRAMES; f++) {
    of->frames[f] = g_malloc (of->info.size);
    if (f == 0)
      fill_random (of->frames[0], of->info.size);
    else
      memcpy (of->frames[f], of->frames[f - 1], of->info.size);
    for (gsize i = 0; f > 0 && f + 1 < N_FRAMES && i < of->info.size; i += 1 + draw_random (7))
      of->frames[f][i] = (guint8)draw_random (256);
  }
}

static Rig rig;
static Clip clip, other; /* of I420, 32x16 */

static void
set_up (void)
{
  init_clip (&clip, "I420", 32, 16);
  init_clip (&other, "I420", 32, 16);
}

static void
tear_down (void)
{
  clear_clip (&clip);
  clear_clip (&other);
}

TEST_FIXTURE (set_up, tear_down)

static guint
get_sample (const Clip *of, guint frame, guint c, guint x, guint y)
{
  const guint8 *row = of->frames[frame] + GST_VIDEO_INFO_COMP_OFFSET (&of->info, c)
                      + (gsize)y * (gsize)GST_VIDEO_INFO_COMP_STRIDE (&of->info, c);
  const guint depth = GST_VIDEO_INFO_COMP_DEPTH (&of->info, c);

  return depth > 8 ? GST_READ_UINT16_LE (row + 2 * x) & ((1u << depth) - 1) : row[x];
}

typedef struct {
  guint64 count, sad, ssd, moved;
} Sums;

/* Adds the difference of component `c` between a frame and one of a clip. */
static void
add_sums (Sums *sums, const Clip *of, guint frame, const Clip *others, guint other_frame, guint c)
{
  g_autofree gint *histogram = g_new0 (gint, 65536);

  for (guint y = 0; y < (guint)GST_VIDEO_INFO_COMP_HEIGHT (&of->info, c); y++)
    for (guint x = 0; x < (guint)GST_VIDEO_INFO_COMP_WIDTH (&of->info, c); x++) {
      const gint a = (gint)get_sample (of, frame, c, x, y), b = (gint)get_sample (others, other_frame, c, x, y);

      sums->count++;
      sums->sad += (guint64)ABS (a - b);
      sums->ssd += (guint64)((gint64)(a - b) * (a - b));
      histogram[a]++;
      histogram[b]--;
    }
  for (guint v = 0; v < 65536; v++)
    sums->moved += (guint64)MAX (histogram[v], 0);
}

static gdouble
get_component_double (const GstStructure *result, const gchar *component, const gchar *field)
{
  g_autofree gchar *name = g_strdup_printf ("%s-%s", component, field);

  return get_field_double (result, name);
}

static guint64
get_component_u64 (const GstStructure *result, const gchar *component, const gchar *field)
{
  g_autofree gchar *name = g_strdup_printf ("%s-%s", component, field);

  return get_field_u64 (result, name);
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
push_frame (const Clip *of, guint frame)
{
  push_timed (&rig, of->frames[frame], of->info.size, frame * GST_SECOND / 25, GST_SECOND / 25);
}

static void
start_clip (const Clip *of)
{
  g_autofree gchar *caps = g_strdup_printf ("video/x-raw,format=%s,width=%d,height=%d,framerate=25/1", of->info.finfo->name,
                                            GST_VIDEO_INFO_WIDTH (&of->info), GST_VIDEO_INFO_HEIGHT (&of->info));

  start_video (&rig, caps);
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

      init_clip (&clip, formats[i].format, 37, 23);
      rig = open_rig (is_whole ? "statistics=comparison window=stream" : "statistics=comparison");
      start_clip (&clip);
      for (guint f = 0; f < N_FRAMES; f++) {
        push_frame (&clip, f);
        if (!is_whole)
          memset (sums, 0, sizeof sums);
        for (guint c = 0; f > 0 && c < formats[i].n_components; c++)
          add_sums (&sums[c], &clip, f, &clip, f - 1, find_component (i, c));
        if (is_whole && f + 1 < N_FRAMES)
          continue;
        if (is_whole)
          push_eos (&rig);
        g_autoptr (GstStructure) result = pop_result (rig.bus);
        for (guint c = 0; c < formats[i].n_components; c++) {
          g_autofree gchar *name = g_strdup_printf ("%s-mse", formats[i].components[c]);

          ck_assert_int_eq (gst_structure_has_field (result, name), f > 0);
          if (f > 0)
            check_sums (result, formats[i].components[c], &sums[c],
                        GST_VIDEO_INFO_COMP_DEPTH (&clip.info, find_component (i, c)));
        }
      }
      close_rig (&rig);
    }
}

/* After a gap nothing is compared, and a flush discards the totals. */
TEST (test_begins_again)
{
  GstBuffer *buffer;
  Sums sums = { 0 };

  init_clip (&clip, "GRAY8", 16, 16);
  rig = open_rig ("statistics=comparison");
  start_clip (&clip);
  for (guint f = 0; f < 3; f++) {
    buffer = make_buffer (clip.frames[f], clip.info.size, f * GST_SECOND / 25, GST_SECOND / 25);
    if (f == 1)
      GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
    ck_assert_int_eq (gst_harness_push (rig.harness, buffer), GST_FLOW_OK);
    g_autoptr (GstStructure) result = pop_result (rig.bus);
    ck_assert_int_eq (gst_structure_has_field (result, "GRAY-histogram-distance"), f == 2);
  }
  close_rig (&rig);

  rig = open_rig ("statistics=comparison window=stream");
  start_clip (&clip);
  push_frame (&clip, 0);
  push_frame (&clip, 1);
  push_flush (&rig, GST_FORMAT_TIME);
  start_clip (&clip);
  push_frame (&clip, 2);
  push_frame (&clip, 3);
  push_eos (&rig);
  g_autoptr (GstStructure) result = pop_result (rig.bus);
  add_sums (&sums, &clip, 3, &clip, 2, 0);
  check_sums (result, "GRAY", &sums, 8);
  close_rig (&rig);
}

/* ---- with a reference ------------------------------------------------------------------------------------------------ */

/* Writes the first frames of a clip of I420, without padding, to a file that a decoder reads. */
static const gchar *
write_reference_in (const Clip *of, guint n_frames, const gchar *colorimetry)
{
  const gchar *path = make_path ("reference.mkv"), *raw;
  g_autoptr (GByteArray) bytes = g_byte_array_new ();

  for (guint f = 0; f < n_frames; f++)
    g_byte_array_append (bytes, of->frames[f], (guint)of->info.size);
  raw = make_file ("reference.raw", bytes->data, bytes->len);
  free_results (run_line (
      NULL,
      "filesrc location=%s ! rawvideoparse format=i420 width=%d height=%d framerate=25/1 colorimetry=%s ! matroskamux ! "
      "filesink location=%s",
      raw, GST_VIDEO_INFO_WIDTH (&of->info), GST_VIDEO_INFO_HEIGHT (&of->info), colorimetry, path));
  return path;
}

static const gchar *
write_reference (const Clip *of, guint n_frames)
{
  return write_reference_in (of, n_frames, "bt601");
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
pop_equal (void)
{
  g_autoptr (GstStructure) result = pop_result (rig.bus);

  ck_assert_uint_eq (get_field_u64 (result, "Y-reference-ssd"), 0);
}

/* Opens the element with this reference, after it has closed the last one. */
static void
open_compared (const gchar *path, const gchar *properties)
{
  g_autofree gchar *line = g_strdup_printf ("reference-location=%s %s", path, properties);

  close_rig (&rig);
  rig = open_rig (line);
}

/* The same, and starts the clip. */
static void
compare (const gchar *path, const gchar *properties)
{
  open_compared (path, properties);
  start_clip (&clip);
}

/* Between RGB and full range greys do not change, though the caps give only the range. */
TEST (test_range)
{
  const gchar *picture_path = make_path ("picture.png");
  guint8 grey[32 * 16 * 3];

  memset (clip.frames[0], 200, 32 * 16);
  memset (clip.frames[0] + 32 * 16, 128, 32 * 16 / 2);
  const gchar *clip_path = write_reference_in (&clip, 1, "1:0:0:0");
  open_compared (clip_path, "");
  start_video (&rig, "video/x-raw,format=RGB,width=32,height=16,framerate=25/1");
  memset (grey, 200, sizeof grey);
  push_timed (&rig, grey, sizeof grey, 0, GST_SECOND / 25);
  g_autoptr (GstStructure) result = pop_result (rig.bus);
  ck_assert_uint_eq (get_field_u64 (result, "G-reference-ssd"), 0);

  free_results (run_line (NULL,
                          "videotestsrc num-buffers=1 pattern=solid-color foreground-color=0xffc8c8c8 ! "
                          "video/x-raw,format=RGB,width=32,height=16 ! pngenc ! filesink location=%s",
                          picture_path));
  open_compared (picture_path, "");
  start_video (&rig, "video/x-raw,format=I420,width=32,height=16,framerate=25/1,colorimetry=(string)1:0:0:0");
  push_timed (&rig, clip.frames[0], clip.info.size, 0, GST_SECOND / 25);
  pop_equal ();
  close_rig (&rig);
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
  const gchar *path = make_path ("white.mkv");
  guint8 data[32 * 16 * 3];
  GstVideoInfo info;

  for (guint r = 0; r < G_N_ELEMENTS (sides); r++) {
    const gchar *raw;

    fill_level (&info, sides[r].format, sides[r].white, data, sizeof data);
    raw = make_file ("white.raw", data, info.size);
    free_results (run_line (NULL,
                            "filesrc location=%s ! rawvideoparse format=%s width=32 height=16 framerate=25/1 colorimetry=%s ! "
                            "matroskamux ! filesink location=%s",
                            raw, sides[r].name, sides[r].colorimetry, path));
    for (guint s = 0; s < G_N_ELEMENTS (sides); s++) {
      g_autofree gchar *caps
          = g_strdup_printf ("video/x-raw,format=%s,width=32,height=16,framerate=25/1,colorimetry=(string)%s", sides[s].format,
                             sides[s].colorimetry);
      const gboolean is_converted = (sides[s].name[0] == 'r') != (sides[r].name[0] == 'r');

      fill_level (&info, sides[s].format, sides[s].white, data, sizeof data);
      open_compared (path, "");
      start_video (&rig, caps);
      push_timed (&rig, data, info.size, 0, GST_SECOND / 25);
      g_autoptr (GstStructure) result = pop_result (rig.bus);
      for (guint c = 0; c < GST_VIDEO_INFO_N_COMPONENTS (&info); c++) {
        const gchar *component = GST_VIDEO_INFO_IS_RGB (&info) ? rgb[c] : GST_VIDEO_INFO_IS_GRAY (&info) ? "GRAY" : yuv[c];
        g_autofree gchar *field = g_strdup_printf ("%s-reference-sad", component);

        ck_assert_msg (get_field_u64 (result, field) <= (is_converted ? 4 : 0) * 32 * 16,
                       "%s %s with %s %s: %s %" G_GUINT64_FORMAT, sides[s].format, sides[s].colorimetry, sides[r].format,
                       sides[r].colorimetry, field, get_field_u64 (result, field));
      }
    }
  }
  close_rig (&rig);
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

  for (guint i = 0; i < 4; i++) {
    const gboolean was_full = i % 2 == 1, is_full = i / 2 == 1;
    const gchar *path = write_reference_in (&clip, 1, colorimetries[was_full]);
    g_autofree gchar *caps = g_strdup_printf (
        "video/x-raw,format=I420_10LE,width=32,height=16,framerate=25/1,colorimetry=(string)%s", colorimetries[is_full]);
    guint16 data[32 * 16 * 3 / 2];

    for (guint s = 0; s < G_N_ELEMENTS (data); s++)
      data[s] = GUINT16_TO_LE (widen (clip.frames[0][s], s >= 32 * 16, was_full, is_full));
    open_compared (path, "");
    start_video (&rig, caps);
    push_timed (&rig, data, sizeof data, 0, GST_SECOND / 25);
    g_autoptr (GstStructure) result = pop_result (rig.bus);
    for (guint c = 0; c < 3; c++) {
      g_autofree gchar *component = g_strdup_printf ("%s-reference", yuv[c]);

      ck_assert_uint_eq (get_component_u64 (result, component, "sad"), 0);
    }
  }
  close_rig (&rig);
}

/* Each frame with its own, all with the first, and all in one window, while they are also compared with the previous one. */
TEST (test_reference)
{
  const gchar *path = write_reference (&other, N_FRAMES);

  for (guint is_fixed = 0; is_fixed < 2; is_fixed++)
    for (guint is_whole = 0; is_whole < 2; is_whole++)
      for (guint has_previous = 0; has_previous < 2; has_previous++) {
        Sums sums[3] = { { 0 } }, from_previous[3] = { { 0 } };
        g_autofree gchar *properties
            = g_strdup_printf ("reference-mode=%s window=%s statistics=%s", is_fixed ? "fixed" : "in-step",
                               is_whole ? "stream" : "buffer", has_previous ? "comparison" : "0");

        compare (path, properties);
        for (guint f = 0; f < N_FRAMES; f++) {
          push_frame (&clip, f);
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
          g_autoptr (GstStructure) result = pop_result (rig.bus);
          check_reference (result, sums);
          for (guint c = 0; has_previous && f > 0 && c < 3; c++)
            check_sums (result, yuv[c], &from_previous[c], 8);
          ck_assert_int_eq (gst_structure_has_field (result, "Y-mse"), has_previous && f > 0);
        }
        check_bus_empty (rig.bus);
      }
  close_rig (&rig);
}

/* The location is read at the start. */
TEST (test_reference_location_changes)
{
  const gchar *path = write_reference (&clip, 1);

  open_compared (path, "");
  g_object_set (rig.element, "reference-location", NULL, NULL);
  start_clip (&clip);
  push_frame (&clip, 0);
  g_autoptr (GstStructure) result = pop_result (rig.bus);
  ck_assert (gst_structure_has_field (result, "Y-reference-mse"));
  close_rig (&rig);
}

/* Regions have their own numbers. Those of the reference are the picture's only. */
TEST (test_reference_and_regions)
{
  const GstStructure *region;
  Sums sums[3] = { { 0 } };
  const gchar *path = write_reference (&other, 1);

  compare (path, "statistics=basic+comparison regions=4,4,8,6");
  push_frame (&clip, 0);
  g_autoptr (GstStructure) result = pop_result (rig.bus);
  for (guint c = 0; c < 3; c++)
    add_sums (&sums[c], &clip, 0, &other, 0, c);
  check_reference (result, sums);
  region = gst_value_get_structure (gst_value_array_get_value (gst_structure_get_value (result, "regions"), 0));
  ck_assert_uint_eq (get_field_u64 (region, "Y-count"), 8 * 6);
  ck_assert (!gst_structure_has_field (region, "Y-reference-mse"));
  ck_assert (!gst_structure_has_field (region, "Y-reference-histogram-distance"));
  close_rig (&rig);
}

/* In step after a flush that seeks back, and if the stream has dropped frames. */
TEST (test_reference_after_seek)
{
  static const guint frames[] = { 0, 1, 4, 2, 3 }; /* the flush is before the fourth */
  const gchar *path = write_reference (&other, N_FRAMES);

  compare (path, "");
  for (guint i = 0; i < G_N_ELEMENTS (frames); i++) {
    Sums sums[3] = { { 0 } };

    if (i == 3) {
      push_flush (&rig, GST_FORMAT_TIME);
    }
    push_frame (&clip, frames[i]);
    g_autoptr (GstStructure) result = pop_result (rig.bus);
    for (guint c = 0; c < 3; c++)
      add_sums (&sums[c], &clip, frames[i], &other, frames[i], c);
    check_reference (result, sums);
  }
  close_rig (&rig);
}

/* At a negative rate, frames are counted and not compared, with one warning. The stream may then go on forwards. */
TEST (test_negative_rate)
{
  const gchar *path = write_reference (&clip, N_FRAMES);

  compare (path, "");
  push_segment (&rig, -1, 0, N_FRAMES * GST_SECOND / 25, 0, 0);
  for (guint f = N_FRAMES; f-- > 0;)
    push_frame (&clip, f);
  check_error (rig.bus, GST_MESSAGE_WARNING, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, "the stream plays backwards");
  for (guint f = 0; f < N_FRAMES; f++) {
    g_autoptr (GstStructure) result = pop_result (rig.bus);
    ck_assert (!gst_structure_has_field (result, "Y-reference-mse") && gst_structure_has_field (result, "Y-count"));
  }
  push_segment (&rig, 1, 0, GST_CLOCK_TIME_NONE, 0, 0);
  push_frame (&clip, 1);
  g_autoptr (GstStructure) result = pop_result (rig.bus);
  ck_assert_uint_eq (get_field_u64 (result, "Y-reference-ssd"), 0);
  check_bus_empty (rig.bus);
  ck_assert_uint_eq (get_stat (rig.element, "frames-in"), N_FRAMES + 1);
  ck_assert_uint_eq (get_stat (rig.element, "frames-reported"), N_FRAMES + 1);
  close_rig (&rig);
}

/* After the reference's end, frames are counted, and one warning says that they are not compared. */
TEST (test_short_reference)
{
  const gchar *path = write_reference (&clip, 2);

  compare (path, "");
  for (guint f = 0; f < N_FRAMES; f++) {
    push_frame (&clip, f);
    if (f == 2)
      check_error (rig.bus, GST_MESSAGE_WARNING, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, "frames after its last one");
    g_autoptr (GstStructure) result = pop_result (rig.bus);
    ck_assert_int_eq (gst_structure_has_field (result, "Y-reference-mse"), f < 2);
    ck_assert (gst_structure_has_field (result, "Y-count"));
  }

  /* One window covers those that were compared. */
  compare (path, "window=stream");
  for (guint f = 0; f < N_FRAMES; f++)
    push_frame (&clip, f);
  push_eos (&rig);
  check_error (rig.bus, GST_MESSAGE_WARNING, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, "frames after its last one");
  g_autoptr (GstStructure) result = pop_result (rig.bus);
  ck_assert_uint_eq (get_field_u64 (result, "Y-reference-difference-count"), 2 * 32 * 16);
  ck_assert_uint_eq (get_field_u64 (result, "Y-count"), N_FRAMES * 32 * 16);
  ck_assert_uint_eq (get_field_u64 (result, "Y-reference-ssd"), 0);
  close_rig (&rig);
}

/* A stream without its first frames is compared by its times. One warning states the alternative, and how to set it. */
TEST (test_reference_lost_start)
{
  const gchar *path = write_reference (&other, N_FRAMES);

  for (guint is_set = 0; is_set < 2; is_set++) {
    compare (path, is_set ? "reference-offset=40000000" : "");
    for (guint f = 1; f < N_FRAMES; f++) {
      Sums sums[3] = { { 0 } };

      push_frame (&clip, f);
      if (f == 1 && !is_set)
        check_error (rig.bus, GST_MESSAGE_WARNING, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, "set reference-offset=40000000");
      g_autoptr (GstStructure) result = pop_result (rig.bus);
      for (guint c = 0; c < 3; c++)
        add_sums (&sums[c], &clip, f, &other, f - is_set, c);
      check_reference (result, sums);
    }
    check_bus_empty (rig.bus);
  }
  close_rig (&rig);
}

/* An element that is restarted in the middle of a stream does not report a first frame. In another stream it does. */
TEST (test_started_in_mid_stream)
{
  const gchar *path = write_reference (&clip, N_FRAMES);

  compare (path, "");
  for (guint f = 0; f < 4; f++) {
    if (f > 1) {
      gst_element_set_state (rig.element, GST_STATE_NULL);
      gst_element_set_state (rig.element, GST_STATE_PLAYING);
    }
    if (f == 3)
      ck_assert (gst_harness_push_event (rig.harness, gst_event_new_stream_start ("another")));
    push_frame (&clip, f);
    if (f == 3)
      check_error (rig.bus, GST_MESSAGE_WARNING, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, "set reference-offset=120000000");
    pop_equal ();
  }
  check_bus_empty (rig.bus);
  close_rig (&rig);
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
  const gchar *path = write_reference (&clip, N_FRAMES);

  compare (path, "");
  for (guint i = 0; i < G_N_ELEMENTS (pushed); i++) {
    if (pushed[i].begins) {
      ck_assert (gst_harness_push_event (rig.harness, gst_event_new_stream_start ("another")));
      start_clip (&clip);
    }
    push_frame (&clip, pushed[i].frame);
    if (pushed[i].warning != NULL)
      check_error (rig.bus, GST_MESSAGE_WARNING, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, pushed[i].warning);
    pop_equal ();
  }
  check_bus_empty (rig.bus);
  close_rig (&rig);
}

/* Only the first frame has another stream time, as matroskademux gives it, and all are compared by it, also with other caps.
 * The next stream has its own times. */
TEST (test_first_segment)
{
  const GstClockTime start = 50 * GST_MSECOND;
  GstCaps *caps;
  const gchar *path = write_reference (&clip, N_FRAMES);

  compare (path, "");
  for (guint i = 0; i < 2 * N_FRAMES; i++) {
    const guint f = i % N_FRAMES;
    if (i < 2)
      push_segment (&rig, 1, i == 0 ? start : 0, GST_CLOCK_TIME_NONE, 0, 0);
    if (i == 2) { /* which need another reading of the reference */
      caps = gst_caps_from_string ("video/x-raw,format=I420,width=32,height=16,framerate=25/1,colorimetry=bt709");
      ck_assert (gst_harness_push_event (rig.harness, gst_event_new_caps (caps)));
      gst_caps_unref (caps);
    }
    if (i == N_FRAMES) {
      ck_assert (gst_harness_push_event (rig.harness, gst_event_new_stream_start ("another")));
      start_clip (&clip);
    }
    push_timed (&rig, clip.frames[f], clip.info.size, (i < N_FRAMES ? start : 0) + f * GST_SECOND / 25, GST_SECOND / 25);
    pop_equal ();
  }
  close_rig (&rig);
}

/* A frame with the timestamp of the two before, or without one where others have one, is not identified: it is not compared. */
TEST (test_unknown_times)
{
  static const guint frames[] = { 0, 1, 1, 1, 4 };
  const gchar *path = write_reference (&clip, N_FRAMES);

  for (guint have_times = 0; have_times < 2; have_times++) {
    compare (path, "");
    for (guint i = 0; i < G_N_ELEMENTS (frames); i++) {
      const gboolean is_unknown = i == 2 || i == 3;
      const GstClockTime time = is_unknown && !have_times ? GST_CLOCK_TIME_NONE : frames[i] * GST_SECOND / 25;

      push_timed (&rig, clip.frames[frames[i]], clip.info.size, time, GST_SECOND / 25);
      if (i == 2)
        check_error (rig.bus, GST_MESSAGE_WARNING, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, "is missing, stands still");
      g_autoptr (GstStructure) result = pop_result (rig.bus);
      ck_assert_int_eq (gst_structure_has_field (result, "Y-reference-mse"), !is_unknown);
    }
  }
  close_rig (&rig);
}

/* Of two frames of the reference with the same time, after a loss or a frame without a time, either may be meant. */
TEST (test_shared_times)
{
  const gchar *raw = make_path ("reference.raw");
  const gchar *path = write_reference (&clip, N_FRAMES);

  free_results (run_line (NULL,
                          "filesrc location=%s ! rawvideoparse format=i420 width=32 height=16 framerate=2000/1 ! matroskamux ! "
                          "filesink location=%s",
                          raw, path));
  for (guint is_lost = 0; is_lost < 2; is_lost++) {
    compare (path, "");
    for (guint f = 0; f < N_FRAMES; f++) {
      const gboolean is_unknown = f == 1 || f == 2;
      const GstClockTime time = f == 1 ? GST_CLOCK_TIME_NONE : (f + 1) / 2 * GST_MSECOND; /* as in the file */
      GstBuffer *buffer = make_buffer (clip.frames[f], clip.info.size, time, GST_SECOND / 25);

      if (is_lost && f == 1) {
        gst_buffer_unref (buffer);
        continue;
      }
      if (is_lost && f == 2)
        GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
      ck_assert_int_eq (gst_harness_push (rig.harness, buffer), GST_FLOW_OK);
      if (f == (is_lost ? 2 : 1))
        check_error (rig.bus, GST_MESSAGE_WARNING, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, "stands still or is shared");
      g_autoptr (GstStructure) result = pop_result (rig.bus);
      ck_assert_int_eq (gst_structure_has_field (result, "Y-reference-mse"), !is_unknown);
      if (!is_unknown)
        ck_assert_uint_eq (get_field_u64 (result, "Y-reference-ssd"), 0);
    }
  }
  close_rig (&rig);
}

/* Frames that the reference lacks are counted. A warning comes at once, and at the end one with their number. */
TEST (test_holed_reference)
{
  const gchar *path = make_path ("reference.mkv");

  /* A frame at 0 and one at 160 ms. */
  free_results (run_line (NULL,
                          "videotestsrc num-buffers=2 ! video/x-raw,format=I420,width=32,height=16,framerate=25/4 ! "
                          "capssetter caps=video/x-raw,framerate=25/1 ! matroskamux ! filesink location=%s",
                          path));
  compare (path, "");
  for (guint f = 0; f < N_FRAMES; f++) {
    push_frame (&clip, f);
    if (f == 1)
      check_error (rig.bus, GST_MESSAGE_WARNING, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
                   "1 frame was not compared since the last such warning; the latest is frame 1");
    g_autoptr (GstStructure) result = pop_result (rig.bus);
    ck_assert_int_eq (gst_structure_has_field (result, "Y-reference-mse"), f == 0 || f == 4);
    ck_assert (gst_structure_has_field (result, "Y-count"));
  }
  push_eos (&rig);
  check_error (rig.bus, GST_MESSAGE_WARNING, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
               "2 frames were not compared since the last such warning; the latest is frame 3");

  /* The first frame of a stream is really short: no seek has cut it. */
  compare (path, "reference-offset=-30000000");
  push_timed (&rig, clip.frames[0], clip.info.size, 0, GST_SECOND / 50);
  check_error (rig.bus, GST_MESSAGE_WARNING, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, "for which it has none");

  /* An edit list may have cut it. But many clips with a variable frame rate begin like this, and no warning is posted. */
  compare (path, "");
  push_timed (&rig, clip.frames[0], clip.info.size, 0, GST_SECOND / 50);
  gst_structure_free (pop_result (rig.bus));
  check_bus_empty (rig.bus);
  close_rig (&rig);
}

/* If the size changes, the stream continues, and frames that match again are compared again. */
TEST (test_reference_of_another_size)
{
  Clip large = { 0 };

  init_clip (&large, "I420", 48, 16);
  const gchar *path = write_reference (&clip, N_FRAMES);
  open_compared (path, "");
  for (guint f = 0; f < N_FRAMES; f++) {
    const gboolean fits = f % 2 == 0;

    start_clip (fits ? &clip : &large);
    push_frame (fits ? &clip : &large, f);
    if (f == 1)
      check_error (rig.bus, GST_MESSAGE_WARNING, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
                   "it has 32x16 pixels, and the frames have 48x16");
    g_autoptr (GstStructure) result = pop_result (rig.bus);
    ck_assert_uint_eq (get_field_u64 (result, "Y-count"), fits ? 32 * 16 : 48 * 16);
    ck_assert_int_eq (gst_structure_has_field (result, "Y-reference-ssd"), fits);
    if (fits)
      ck_assert_uint_eq (get_field_u64 (result, "Y-reference-ssd"), 0);
  }
  check_bus_empty (rig.bus);
  clear_clip (&large);
  close_rig (&rig);
}

/* An unusable reference is an error with a clear text. A stream of another kind is a warning. */
TEST (test_useless_reference)
{
  Clip large = { 0 };

  init_clip (&large, "I420", 48, 16);
  const gchar *path = write_reference (&large, 1);
  compare (path, "");
  ck_assert_int_eq (gst_harness_push (rig.harness, make_buffer (clip.frames[0], clip.info.size, 0, GST_SECOND)),
                    GST_FLOW_ERROR);
  check_error (rig.bus, GST_MESSAGE_ERROR, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
               "it has 48x16 pixels and the stream 32x16");

  compare ("/nowhere/at/all.mkv", "");
  ck_assert_int_eq (gst_harness_push (rig.harness, make_buffer (clip.frames[0], clip.info.size, 0, GST_SECOND)),
                    GST_FLOW_ERROR);
  check_error (rig.bus, GST_MESSAGE_ERROR, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND, "does not exist");

  open_compared (path, "");
  start_bytes (&rig, NULL);
  push_bytes (&rig, clip.frames[0], clip.info.size);
  push_eos (&rig);
  check_error (rig.bus, GST_MESSAGE_WARNING, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, "the stream is not raw video");
  g_autoptr (GstStructure) result = pop_result (rig.bus);
  check_bytes (result, clip.frames[0], clip.info.size, 0, 1, 0);
  clear_clip (&large);
  close_rig (&rig);
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
static void
feed_source (GstElement *source, gpointer of)
{
  g_autoptr (GstCaps) caps = NULL;
  GstFlowReturn flow;

  if (!GST_IS_APP_SRC (source))
    return;
  caps = gst_caps_from_string ("video/x-raw,format=I420,width=32,height=16,framerate=25/1");
  g_object_set (source, "caps", caps, "format", GST_FORMAT_TIME, NULL);
  for (guint f = 0; f < 6; f += f == 2 ? 3 : 1) {
    const Clip *frames = of;
    g_autoptr (GstBuffer) buffer
        = make_buffer (frames->frames[f % N_FRAMES], frames->info.size, f * GST_SECOND / 25, GST_SECOND / 25);

    if (f == 1 || f == 2)
      GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_CORRUPTED);
    g_signal_emit_by_name (source, "push-buffer", buffer, &flow);
  }
  g_signal_emit_by_name (source, "end-of-stream", &flow);
  GST_ELEMENT_WARNING (source, STREAM, DECODE, ("A page is torn."), (NULL));
  post_missing (source, "meta/x-klv");
  for (guint i = 0; i < G_N_ELEMENTS (missing_types); i++)
    post_missing (source, missing_types[i]);
  g_atomic_int_set (&is_fed, TRUE);
}

/* Warnings of the reference's decoder are posted, except those of other tracks. Frames that it reports as damaged are not
 * compared; these and missing ones are counted separately. */
TEST (test_damaged_reference)
{

  element_watch_start (feed_source, &clip);
  compare ("appsrc://", "");
  while (!g_atomic_int_get (&is_fed))
    g_usleep (1000);
  for (guint f = 0; f < N_FRAMES; f++) {
    push_frame (&clip, f);
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
    g_autoptr (GstStructure) result = pop_result (rig.bus);
    ck_assert (gst_structure_has_field (result, "Y-count"));
    ck_assert_int_eq (gst_structure_has_field (result, "Y-reference-mse"), f == 0);
  }
  push_eos (&rig);
  for (guint f = 4; f > 0; f -= 2) {
    g_autofree gchar *words
        = g_strdup_printf ("1 frame was not compared since the last such warning; the latest is frame %u", f);

    check_error (rig.bus, GST_MESSAGE_WARNING, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, words);
  }
  close_rig (&rig);
  element_watch_end ();
}

/* Makes the source of a reference request a context, and announce one. */
static void
ask_for_context (GstElement *source, gpointer is_answered)
{
  GstContext *answer;

  if (!GST_IS_APP_SRC (source))
    return;
  gst_element_post_message (source, gst_message_new_need_context (GST_OBJECT (source), "session"));
  answer = gst_element_get_context (source, "session");
  g_atomic_int_set ((gint *)is_answered, answer != NULL);
  if (answer != NULL)
    gst_context_unref (answer);
  gst_element_post_message (source, gst_message_new_have_context (GST_OBJECT (source), gst_context_new ("told", FALSE)));
}

/* The element or the application provides a context that its source needs. */
TEST (test_context_of_reference)
{
  g_autoptr (GstContext) context = gst_context_new ("session", FALSE);
  gint is_answered = FALSE;
  element_watch_start (ask_for_context, &is_answered);

  for (gint has_context = 0; has_context < 2; has_context++) {
    GstMessage *message;
    const gchar *type;

    open_compared ("appsrc://", "");
    if (has_context)
      gst_element_set_context (rig.element, context);
    start_clip (&clip);
    for (gint is_told = has_context; is_told < 2; is_told++) {
      message = gst_bus_timed_pop_filtered (rig.bus, RIG_PATIENCE, GST_MESSAGE_NEED_CONTEXT | GST_MESSAGE_HAVE_CONTEXT);
      ck_assert (message != NULL && GST_IS_APP_SRC (GST_MESSAGE_SRC (message)));
      ck_assert_int_eq (GST_MESSAGE_TYPE (message), is_told ? GST_MESSAGE_HAVE_CONTEXT : GST_MESSAGE_NEED_CONTEXT);
      ck_assert (is_told || (gst_message_parse_context_type (message, &type) && g_str_equal (type, "session")));
      gst_message_unref (message);
    }
    ck_assert_int_eq (g_atomic_int_get (&is_answered), has_context);
  }
  element_watch_end ();
  close_rig (&rig);
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
  const gchar *path = make_path ("pipe");
  gint64 begin = g_get_monotonic_time ();
  GstElement *pipeline;
  GThread *thread;

  ck_assert_int_eq (mkfifo (path, 0600), 0);
  compare (path, "");
  thread = g_thread_new ("flush", flush_soon, rig.harness);
  ck_assert_int_eq (gst_harness_push (rig.harness, make_buffer (clip.frames[0], clip.info.size, 0, GST_SECOND)),
                    GST_FLOW_FLUSHING);
  g_thread_join (thread);
  check_bus_empty (rig.bus);
  close_rig (&rig);

  g_autofree gchar *line
      = g_strdup_printf ("videotestsrc ! video/x-raw,format=I420,width=32,height=16 ! cudahisto %s reference-location=%s ! "
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
}

/* With when-busy=skip no frame waits for a reference: it is counted and not compared, with a warning. */
TEST (test_reference_that_is_too_late)
{
  const gchar *path = make_path ("pipe");
  gint64 begin = g_get_monotonic_time ();
  gboolean is_compared = FALSE;

  ck_assert_int_eq (mkfifo (path, 0600), 0);
  compare (path, "when-busy=skip");
  push_frame (&clip, 0);
  check_error (rig.bus, GST_MESSAGE_WARNING, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, "frames for which it is too late");
  g_autoptr (GstStructure) result = pop_result (rig.bus);
  ck_assert (gst_structure_has_field (result, "Y-count") && !gst_structure_has_field (result, "Y-reference-mse"));
  push_frame (&clip, 1);
  gst_structure_free (pop_result (rig.bus));
  push_eos (&rig);
  ck_assert_uint_eq (get_stat (rig.element, "frames-skipped"), 0);
  close_rig (&rig);
  ck_assert (g_get_monotonic_time () - begin < (gint64)(RIG_PATIENCE / GST_USECOND));

  /* Once the reference is decoded, frames are compared. */
  path = write_reference (&clip, 1);
  compare (path, "when-busy=skip reference-mode=fixed");
  while (!is_compared) {
    GstMessage *message;

    push_frame (&clip, 0);
    while ((message = pop_message (rig.bus)) != NULL && GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING)
      gst_message_unref (message);
    is_compared = gst_structure_has_field (gst_message_get_structure (message), "Y-reference-mse");
    gst_message_unref (message);
    g_usleep (10 * 1000);
  }
  close_rig (&rig);
}

RIG_MAIN (NULL)
