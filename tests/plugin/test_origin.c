/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The origin in a result: time of day, time code, reference timestamp, crop, frame rate, colorimetry. */

#include "pictures.h"
#include "rig.h"

#include <string.h>

#define CAPS "video/x-raw,format=GRAY8,width=8,height=4,framerate=30000/1001,colorimetry=bt709"
#define FRAME_TIME (GST_SECOND * 1001 / 30000)
#define DAY_1900 ((GstClockTime)2208988800 * GST_SECOND) /* from 1900 to 1970, RFC 5905 */

static GstBuffer *
make_frame (guint index)
{
  guint8 data[32] = { 1, 2, 3 };

  return make_buffer (data, sizeof data, index * FRAME_TIME, FRAME_TIME);
}

static void
check_string (const GstStructure *result, const gchar *field, const gchar *expected)
{
  const gchar *text = gst_structure_get_string (result, field);

  ck_assert_msg (g_strcmp0 (text, expected) == 0, "%s is %s, not %s", field, text, expected);
}

/* Returns the result's utc-time in ns since 1970. Fails unless its format is RFC 3339. */
static GstClockTime
get_utc_time (const GstStructure *result)
{
  const gchar *text = gst_structure_get_string (result, "utc-time");
  GDateTime *date;
  GstClockTime time;

  ck_assert_msg (text != NULL && g_regex_match_simple ("^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{6}Z$", text, 0, 0),
                 "%s", text);
  date = g_date_time_new_from_iso8601 (text, NULL);
  ck_assert (date != NULL);
  time = (GstClockTime)g_date_time_to_unix (date) * GST_SECOND + (GstClockTime)g_date_time_get_microsecond (date) * GST_USECOND;
  g_date_time_unref (date);
  return time;
}

static GstClockTime
get_now (void)
{
  return (GstClockTime)g_get_real_time () * GST_USECOND;
}

/* ---- metas ------------------------------------------------------------------------------------------------------------ */

TEST (test_metas)
{
  g_autoptr (GstCaps) ntp = gst_caps_from_string ("timestamp/x-ntp,host=here");
  GstStructure *result;
  GstBuffer *buffer;
  const GValue *value;
  gint n, d;

  g_auto (Rig) rig = open_rig ("interval=50000000"); /* two frames */
  start_video (&rig, CAPS);

  /* The first frame's values hold for both. */
  for (guint i = 0; i < 2; i++) {
    buffer = make_frame (i);
    gst_buffer_add_video_time_code_meta_full (buffer, 30000, 1001, NULL, GST_VIDEO_TIME_CODE_FLAGS_DROP_FRAME, 10, 59, 58,
                                              27 + i, 0);
    gst_buffer_add_reference_timestamp_meta (buffer, ntp, 3900000000000000001 + i, GST_CLOCK_TIME_NONE);
    crop_buffer (buffer, 1 + i, 2, 6, 1);
    ck_assert_int_eq (gst_harness_push (rig.harness, buffer), GST_FLOW_OK);
  }
  result = pop_result (rig.bus);
  ck_assert_uint_eq (get_field_u64 (result, "frames"), 2);
  check_string (result, "timecode", "10:59:58;27");
  ck_assert_uint_eq (get_field_u64 (result, "reference-time"), 3900000000000000001);
  check_string (result, "reference-clock", "timestamp/x-ntp");
  value = gst_structure_get_value (result, "crop");
  ck_assert (GST_VALUE_HOLDS_ARRAY (value) && gst_value_array_get_size (value) == 4);
  for (guint i = 0; i < 4; i++)
    ck_assert_uint_eq (g_value_get_uint (gst_value_array_get_value (value, i)), ((const guint[]){ 1, 2, 6, 1 })[i]);
  check_string (result, "colorimetry", "bt709");
  ck_assert (gst_structure_get_fraction (result, "framerate", &n, &d) && n == 30000 && d == 1001);
  gst_structure_free (result);

  /* Nothing of it remains for frames without an origin; other caps have other values. */
  start_video (&rig, "video/x-raw,format=I420,width=4,height=4,framerate=0/1,colorimetry=bt601");
  ck_assert_int_eq (gst_harness_push (rig.harness, make_frame (2)), GST_FLOW_OK);
  push_eos (&rig);
  result = pop_result (rig.bus);
  ck_assert (!gst_structure_has_field (result, "timecode") && !gst_structure_has_field (result, "reference-time")
             && !gst_structure_has_field (result, "reference-clock") && !gst_structure_has_field (result, "crop")
             && !gst_structure_has_field (result, "framerate"));
  check_string (result, "colorimetry", "bt601");
  gst_structure_free (result);
  check_bus_empty (rig.bus);
}

/* A change of the crop keeps what the caps say. */
TEST (test_crop_changes)
{
  gint n, d;
  g_auto (Rig) rig = open_video ("", CAPS);

  for (guint i = 0; i < 3; i++) {
    GstBuffer *buffer = make_frame (i);

    crop_buffer (buffer, 0, 0, 1 + i, 3);
    ck_assert_int_eq (gst_harness_push (rig.harness, buffer), GST_FLOW_OK);
    g_autoptr (GstStructure) result = pop_result (rig.bus);
    ck_assert_uint_eq (g_value_get_uint (gst_value_array_get_value (gst_structure_get_value (result, "crop"), 2)), 1 + i);
    ck_assert (gst_structure_get_fraction (result, "framerate", &n, &d) && n == 30000 && d == 1001);
    check_string (result, "colorimetry", "bt709");
  }
}

/* A byte stream with an origin, such as encoded video. */
TEST (test_bytes)
{
  g_autoptr (GstCaps) unix_clock = gst_caps_from_string ("timestamp/x-unix");
  GstBuffer *buffer = make_buffer ("abcdef", 6, 0, GST_SECOND);

  gst_buffer_add_reference_timestamp_meta (buffer, unix_clock, 7, GST_CLOCK_TIME_NONE);
  g_auto (Rig) rig = open_bytes ("window=bytes window-size=4", "video/x-h264");
  ck_assert_int_eq (gst_harness_push (rig.harness, buffer), GST_FLOW_OK);
  push_bytes (&rig, "ghij", 4);
  push_eos (&rig);
  for (guint i = 0; i < 3; i++) {
    g_autoptr (GstStructure) result = pop_result (rig.bus);
    /* Two windows begin in the first buffer, the third in the second. */
    ck_assert_int_eq (gst_structure_has_field (result, "reference-time"), i < 2);
    ck_assert (!gst_structure_has_field (result, "framerate") && !gst_structure_has_field (result, "colorimetry"));
    get_utc_time (result);
  }
  check_bus_empty (rig.bus);
}

TEST (test_timecodestamper)
{
  g_autolist (GstStructure) results = NULL;
  guint count = 0;

  if (!gst_registry_check_feature_version (gst_registry_get (), "timecodestamper", 1, 0, 0)) {
    g_print ("timecodestamper is not here: not checked\n");
    return;
  }
  results = run_line (
      NULL,
      "videotestsrc num-buffers=3 ! video/x-raw,framerate=25/1,width=16,height=16 ! timecodestamper ! cudahisto %s ! fakesink",
      get_backend_words ());
  for (GList *item = results; item != NULL; item = item->next, count++) {
    g_autofree gchar *text = g_strdup_printf ("00:00:00:%02u", count);

    check_string (item->data, "timecode", text);
  }
  ck_assert_uint_eq (count, 3);
}

/* ---- the time of day -------------------------------------------------------------------------------------------------- */

/* A clock with a time that the test sets, or with the system clock's seconds since 1900, `ahead` of it. */
typedef struct {
  GstClock parent;
  GstClockTime ahead;
} TestClock;
typedef GstClockClass TestClockClass;

static GType test_clock_get_type (void);
G_DEFINE_TYPE (TestClock, test_clock, GST_TYPE_CLOCK)

static GstClockTime
test_clock_get_time (GstClock *clock)
{
  return get_now () + ((TestClock *)clock)->ahead;
}

static void
test_clock_class_init (TestClockClass *klass)
{
  klass->get_internal_time = test_clock_get_time;
}

static void
test_clock_init (TestClock *clock G_GNUC_UNUSED)
{
}

/* Its type's name shows that it is a wall clock. */
typedef TestClock GstNtpClock;
typedef TestClockClass GstNtpClockClass;

static GType gst_ntp_clock_get_type (void);
G_DEFINE_TYPE (GstNtpClock, gst_ntp_clock, test_clock_get_type ())

static void
gst_ntp_clock_class_init (GstNtpClockClass *klass G_GNUC_UNUSED)
{
}

static void
gst_ntp_clock_init (GstNtpClock *clock G_GNUC_UNUSED)
{
}

/* Returns utc-time of a frame at `running_time` if the element has the clock, and the clock's times before and after. */
static GstClockTime
measure (GstClock *clock, GstClockTime running_time, GstClockTime shown[2])
{
  guint8 data[32] = { 0 };
  g_auto (Rig) rig = open_video ("", CAPS);

  gst_element_set_clock (rig.element, clock);
  gst_element_set_base_time (rig.element, 5 * GST_SECOND);
  shown[0] = clock != NULL ? gst_clock_get_time (clock) : get_now ();
  push_timed (&rig, data, sizeof data, running_time, FRAME_TIME);
  g_autoptr (GstStructure) result = pop_result (rig.bus);
  shown[1] = clock != NULL ? gst_clock_get_time (clock) : get_now ();
  return get_utc_time (result);
}

static void
check_between (GstClockTime time, GstClockTime from, GstClockTime to)
{
  ck_assert_msg (time + GST_USECOND >= from && time <= to + GST_USECOND,
                 "%" GST_TIME_FORMAT " is not from %" GST_TIME_FORMAT " to %" GST_TIME_FORMAT, GST_TIME_ARGS (time),
                 GST_TIME_ARGS (from), GST_TIME_ARGS (to));
}

/* utc-time is the arrival of the buffer, whatever its timestamp is, and whatever a clock shows that is not a wall clock. */
TEST (test_arrival)
{
  static const GstClockTime running_times[] = { 0, 100 * GST_SECOND, 123456789012345, GST_CLOCK_TIME_NONE };
  TestClock *clock = g_object_new (test_clock_get_type (), NULL);
  GstClockTime shown[2];

  gst_object_ref_sink (clock);
  clock->ahead = 1000000 * GST_SECOND + 300 * GST_MSECOND;
  for (guint i = 0; i < 2 * G_N_ELEMENTS (running_times); i++) {
    GstClockTime before = get_now ();
    GstClockTime utc_time = measure (i % 2 ? GST_CLOCK (clock) : NULL, running_times[i / 2], shown);

    check_between (utc_time, before, get_now ());
  }
  gst_object_unref (clock);
}

/* Windows that a buffer opens after it has closed another, early (a crop that changes) or in its middle (window=bytes). */
TEST (test_later_windows)
{
  static const gchar *const settings[] = { "window=stream", "window=stream interval=50000000", "window=bytes window-size=5" };

  for (guint s = 0; s < G_N_ELEMENTS (settings); s++) {
    const GstClockTime before = get_now ();
    guint64 results;
    g_auto (Rig) rig = open_rig (settings[s]);

    if (s == 1)
      check_error (rig.bus, GST_MESSAGE_WARNING, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS, "interval");
    if (s < 2)
      start_video (&rig, CAPS);
    else
      start_bytes (&rig, NULL);
    for (guint i = 0; i < 6; i++) {
      GstBuffer *buffer = make_frame (i);

      if (s < 2)
        crop_buffer (buffer, 0, 0, 1 + i / 2, 3);
      ck_assert_int_eq (gst_harness_push (rig.harness, buffer), GST_FLOW_OK);
    }
    push_eos (&rig);
    results = get_stat (rig.element, "results");
    ck_assert_uint_ge (results, 3);
    for (guint i = 0; i < results; i++) {
      g_autoptr (GstStructure) result = pop_result (rig.bus);

      check_between (get_utc_time (result), before, get_now ());
    }
  }
}

/* The fraction of the second is the wall clock's, though the system's clock differs. */
TEST (test_wall_clocks)
{
  const GstClockTime running_time = 3 * GST_SECOND + 7 * GST_USECOND;
  g_autoptr (GstClock) realtime = g_object_new (GST_TYPE_SYSTEM_CLOCK, "clock-type", GST_CLOCK_TYPE_REALTIME, NULL);
  TestClock *ntp = g_object_new (gst_ntp_clock_get_type (), NULL);
  GstClockTime shown[2], utc_time;

  gst_object_ref_sink (realtime);
  gst_object_ref_sink (ntp);
  utc_time = measure (realtime, running_time, shown);
  check_between (utc_time, shown[0], shown[1]);

  ntp->ahead = DAY_1900 + 200 * GST_MSECOND;
  utc_time = measure (GST_CLOCK (ntp), running_time, shown);
  check_between (utc_time, shown[0] - DAY_1900, shown[1] - DAY_1900);
  gst_object_unref (ntp); /* a new one, since a clock's time never goes back */
  ntp = gst_object_ref_sink (g_object_new (gst_ntp_clock_get_type (), NULL));
  ntp->ahead = DAY_1900 - 200 * GST_MSECOND;
  utc_time = measure (GST_CLOCK (ntp), running_time, shown);
  check_between (utc_time, shown[0] - DAY_1900, shown[1] - DAY_1900);
  gst_object_unref (ntp);
}

TEST (test_live_pipeline)
{
  GstClockTime before = get_now (), last = 0;
  g_autolist (GstStructure) results = run_line (
      NULL,
      "videotestsrc is-live=true num-buffers=10 ! video/x-raw,framerate=50/1,width=16,height=16 ! cudahisto %s ! fakesink",
      get_backend_words ());

  ck_assert_uint_eq (g_list_length (results), 10);
  for (GList *item = results; item != NULL; item = item->next) {
    GstClockTime utc_time = get_utc_time (item->data);

    check_between (utc_time, before, get_now ());
    ck_assert_uint_gt (utc_time, last);
    last = utc_time;
  }
}

RIG_MAIN (NULL)
