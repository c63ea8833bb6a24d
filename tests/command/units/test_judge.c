/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Verdicts on films of synthetic results, and their text, JSON and JUnit XML. */

#include <math.h>
#include <string.h>

#include "cases.h"
#include "policy/judge.h"
#include "policy/verdictjson.h"
#include "policy/verdictjunit.h"
#include "policy/verdicttext.h"

#define FRAME (40 * GST_MSECOND)

static const gchar *const yuv[] = { "Y", "U", "V", NULL }, *const rgb[] = { "R", "G", "B", NULL },
                          *const luma_and_rgb[] = { "R", "G", "B", "luma", NULL }, *const bytes[] = { "byte", NULL };

/* ---- a film and a policy ---------------------------------------------------------------------------------------------- */

static Policy policy;
static Judge *judge;
static Verdict *verdict;
static Declaration declaration;
static const gchar *const *components;
static guint depth;

static void
begin_test (void)
{
  static gchar name[] = "house", title[] = "House", none[] = "";

  policy = (Policy){ .name = name, .title = title, .source = none, .url = none, .rules = g_ptr_array_new () };
  declaration = (Declaration){ .duration = GST_CLOCK_TIME_NONE, .end = GST_CLOCK_TIME_NONE, .has_own_times = TRUE };
  components = yuv;
  depth = 8;
}

static void
end_test (void)
{
  g_clear_pointer (&judge, judge_free);
  g_clear_pointer (&verdict, verdict_free);
  g_ptr_array_unref (policy.rules);
}

TEST_FIXTURE (begin_test, end_test)

static Rule
make_rule (RuleSubject subject)
{
  static gchar name[] = "house/rule", none[] = "";

  return (Rule){ .name = name, .about = none, .reference = none, .subject = subject, .min = -INFINITY, .max = INFINITY };
}

static Rule
make_field_rule (const gchar *field, gdouble min, gdouble max)
{
  Rule rule = make_rule (RULE_SUBJECT_FIELD);

  for (FieldId id = 1; id < N_FIELDS && rule.field == NULL; id++)
    if (strcmp (field_describe (id)->name, field) == 0)
      rule.field = field_describe (id);
  ck_assert (rule.field != NULL);
  rule.min = min;
  rule.max = max;
  return rule;
}

static Rule
make_component_rule (const gchar *field, const gchar *component, gdouble min, gdouble max)
{
  Rule rule = make_field_rule (field, min, max);

  rule.component = (gchar *)component;
  return rule;
}

static Rule
make_event_rule (const gchar *kind, GstClockTime duration)
{
  Rule rule = make_rule (RULE_SUBJECT_EVENT);

  rule.event = (gchar *)kind;
  rule.duration = duration;
  return rule;
}

static Rule
make_declared_rule (Declared declared, gdouble tolerance)
{
  Rule rule = make_rule (RULE_SUBJECT_DECLARED);

  rule.declared = declared;
  rule.tolerance = tolerance;
  return rule;
}

static void
begin (Rule *rule)
{
  g_ptr_array_add (policy.rules, rule);
  judge = judge_new (&policy, 0);
}

/* A result of these frames at 25 frames/s. */
static GstStructure *
make_result (guint64 frame, guint64 frames)
{
  return gst_structure_new ("cudahisto", "frame", G_TYPE_UINT64, frame, "frames", G_TYPE_UINT64, frames, "format",
                            G_TYPE_STRING, "I420", "width", G_TYPE_UINT, 64, "height", G_TYPE_UINT, 48, "depth", G_TYPE_UINT,
                            depth, "framerate", GST_TYPE_FRACTION, 25, 1, "timestamp", G_TYPE_UINT64, frame * FRAME,
                            "stream-time", G_TYPE_UINT64, frame * FRAME, "duration", G_TYPE_UINT64, frames * FRAME, NULL);
}

/* Takes the result, and frees it. */
static void
take (GstStructure *result)
{
  judge_take_result (judge, result, components);
  gst_structure_free (result);
}

static void
take_frames (guint n_frames)
{
  for (guint frame = 0; frame < n_frames; frame++)
    take (make_result (frame, 1));
}

static void
take_number (guint64 frame, const gchar *field, gdouble number)
{
  GstStructure *result = make_result (frame, 1);

  gst_structure_set (result, field, G_TYPE_DOUBLE, number, NULL);
  take (result);
}

static void
take_numbers (const gchar *field, const gdouble *numbers, guint n_numbers)
{
  for (guint i = 0; i < n_numbers; i++)
    take_number (i, field, numbers[i]);
}

#define TAKE_NUMBERS(field, ...) \
  take_numbers (field, (const gdouble[]){ __VA_ARGS__ }, sizeof ((const gdouble[]){ __VA_ARGS__ }) / sizeof (gdouble))

static void
take_whole (guint64 frame, const gchar *field, guint number)
{
  GstStructure *result = make_result (frame, 1);

  gst_structure_set (result, field, G_TYPE_UINT, number, NULL);
  take (result);
}

/* `end`: index of the frame after the event; 0: it lasts. */
static void
take_event (const gchar *kind, guint64 frame, guint64 end, const gchar *ended_by)
{
  GstStructure *event
      = gst_structure_new ("cudahisto-event", "event", G_TYPE_STRING, kind, "start", G_TYPE_UINT64, frame * FRAME, "frame",
                           G_TYPE_UINT64, frame, "frames", G_TYPE_UINT64, end > 0 ? end - frame : 1, NULL);

  if (ended_by != NULL)
    gst_structure_set (event, "end", G_TYPE_UINT64, end * FRAME, "duration", G_TYPE_UINT64, (end - frame) * FRAME, "ended-by",
                       G_TYPE_STRING, ended_by, NULL);
  judge_take_event (judge, event);
  gst_structure_free (event);
}

static const RuleVerdict *
finish (gboolean has_declaration)
{
  GError *error = NULL;

  verdict = judge_finish (judge, "film.jsonl", has_declaration ? &declaration : NULL, &error);
  ck_assert_msg (verdict != NULL, "%s", error != NULL ? error->message : "");
  return g_ptr_array_index (verdict->rules, 0);
}

static void
state_events (const gchar *list)
{
  Detected detected;

  ck_assert (detected_parse (&detected, list, NULL));
  judge_set_detected (judge, &detected);
}

static void
check (VerdictOutcome outcome, gdouble value)
{
  const RuleVerdict *rule = finish (TRUE);

  ck_assert_msg (rule->outcome == outcome, "%s, %s", verdict_outcome_get_name (rule->outcome),
                 rule->reason != NULL ? rule->reason : "");
  ck_assert_msg (isnan (value) ? isnan (rule->value) : rule->value == value, "%g", rule->value);
}

static void
check_reason (VerdictOutcome outcome, const gchar *reason)
{
  check (outcome, NAN);
  ck_assert_str_eq (((const RuleVerdict *)g_ptr_array_index (verdict->rules, 0))->reason, reason);
}

static const VerdictPlace *
get_place (guint index)
{
  const RuleVerdict *rule = g_ptr_array_index (verdict->rules, 0);

  ck_assert_uint_lt (index, rule->places->len);
  return g_ptr_array_index (rule->places, index);
}

static void
check_place (guint index, guint64 frame, guint64 frames, gdouble value)
{
  const VerdictPlace *place = get_place (index);

  ck_assert_uint_eq (place->frame, frame);
  ck_assert_uint_eq (place->frames, frames);
  ck_assert (place->value == value);
}

static void
check_count (guint64 n_places, guint64 frames)
{
  const RuleVerdict *rule = g_ptr_array_index (verdict->rules, 0);

  ck_assert_uint_eq (rule->n_places, n_places);
  ck_assert_uint_eq (rule->frames, frames);
}

/* ---- fields ----------------------------------------------------------------------------------------------------------- */

TEST (test_value_at_limit_passes)
{
  Rule rule = make_field_rule ("outliers", 0.001, 0.01);

  begin (&rule);
  TAKE_NUMBERS ("outliers", 0.01, 0.001, 0.005);
  check (VERDICT_PASS, 0.01);
  check_count (0, 0);
}

TEST (test_places)
{
  Rule rule = make_field_rule ("outliers", -INFINITY, 0.01);

  begin (&rule);
  TAKE_NUMBERS ("outliers", 0.02, 0.03, 0, 0, 0.5, 0.01, 0.011, 0.012, 0.011);
  check (VERDICT_FAIL, 0.5);
  check_count (3, 6);
  check_place (0, 0, 2, 0.03);
  check_place (1, 4, 1, 0.5);
  check_place (2, 6, 3, 0.012);
  ck_assert_str_eq (get_place (1)->timecode, "00:00:00:04");
  ck_assert_uint_eq (get_place (2)->start, 6 * FRAME);
  ck_assert_uint_eq (get_place (2)->end, 9 * FRAME);
  ck_assert (verdict_text_is_longest (g_ptr_array_index (verdict->rules, 0), get_place (2)));
  ck_assert (!verdict_text_is_longest (g_ptr_array_index (verdict->rules, 0), get_place (0)));
}

/* The place has the component with the worst value; both limits count. */
TEST (test_components)
{
  Rule rule = make_component_rule ("mean", "chroma", 16, 240);

  begin (&rule);
  for (guint frame = 0; frame < 2; frame++) {
    GstStructure *result = make_result (frame, 1);

    gst_structure_set (result, "Y-mean", G_TYPE_DOUBLE, 255., "U-mean", G_TYPE_DOUBLE, 243., "V-mean", G_TYPE_DOUBLE,
                       10. + frame, NULL);
    take (result);
  }
  check (VERDICT_FAIL, 10);
  check_count (1, 2);
  ck_assert_str_eq (get_place (0)->component, "V");
}

TEST (test_choice_of_components)
{
  static const struct {
    const gchar *choice;
    const gchar *const *components;
    const gchar *field;
  } cases[] = {
    { "luma", yuv, "Y-max" },      { "luma", luma_and_rgb, "luma-max" }, { "chroma", yuv, "V-max" },
    { "rgb", rgb, "B-max" },       { "all", luma_and_rgb, "R-max" },     { "U", yuv, "U-max" },
    { "byte", bytes, "byte-max" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    Rule rule = make_component_rule ("max", cases[i].choice, -INFINITY, 99);
    GstStructure *result = make_result (0, 1);

    components = cases[i].components;
    for (guint j = 0; components[j] != NULL; j++) {
      g_autofree gchar *name = g_strdup_printf ("%s-max", components[j]);

      gst_structure_set (result, name, G_TYPE_UINT, strcmp (name, cases[i].field) == 0 ? 100 : 50, NULL);
    }
    begin (&rule);
    take (result);
    check (VERDICT_FAIL, 100);
    end_test ();
    begin_test ();
  }
}

TEST (test_scaled_limits)
{
  for (depth = 8; depth <= 12; depth += 2) {
    Rule rule = make_component_rule ("max", "luma", 5, 246);
    const guint limit = 246u << (depth - 8);
    const RuleVerdict *judged;

    rule.scale = 8;
    begin (&rule);
    take_whole (0, "Y-max", limit);
    take_whole (1, "Y-max", limit + 1);
    judged = finish (FALSE);
    ck_assert_int_eq (judged->outcome, VERDICT_FAIL);
    ck_assert (judged->min == 5 << (depth - 8) && judged->max == limit && judged->value == limit + 1);
    check_count (1, 1);
    check_place (0, 1, 1, limit + 1);
    g_clear_pointer (&judge, judge_free);
    g_clear_pointer (&verdict, verdict_free);
    g_ptr_array_set_size (policy.rules, 0);
  }
}

/* One frame less than two seconds passes, unless the times are rounded. */
TEST (test_duration)
{
  Rule rule = make_field_rule ("outliers", -INFINITY, 0.01);

  rule.duration = 2 * GST_SECOND;
  begin (&rule);
  for (guint frame = 0; frame < 200; frame++)
    take_number (frame, "outliers", (frame >= 10 && frame < 59) || (frame >= 100 && frame < 150) ? 0.02 : 0);
  check (VERDICT_FAIL, 0.02);
  check_count (1, 50);
  check_place (0, 100, 50, 0.02);
}

TEST (test_duration_of_rounded_times)
{
  Rule rule = make_field_rule ("outliers", -INFINITY, 0.01);

  rule.duration = 2 * GST_SECOND;
  begin (&rule);
  for (guint frame = 0; frame < 60; frame++) {
    GstStructure *result = make_result (frame, 1);

    gst_structure_set (result, "stream-time", G_TYPE_UINT64, frame * 1000 / 30 * GST_MSECOND, "duration", G_TYPE_UINT64,
                       33 * GST_MSECOND, "outliers", G_TYPE_DOUBLE, 0.02, NULL);
    take (result);
  }
  check (VERDICT_FAIL, 0.02);
}

/* Without times, the frame rate gives the length; without a rate, a run counts as long. */
TEST_LOOP (test_duration_without_times, 0, 2)
{
  Rule rule = make_field_rule ("outliers", -INFINITY, 0.01);

  rule.duration = 2 * GST_SECOND;
  begin (&rule);
  for (guint frame = 0; frame < 49; frame++) {
    GstStructure *result = make_result (frame, 1);

    gst_structure_set (result, "stream-time", G_TYPE_UINT64, GST_CLOCK_TIME_NONE, "duration", G_TYPE_UINT64,
                       GST_CLOCK_TIME_NONE, "outliers", G_TYPE_DOUBLE, 0.02, NULL);
    if (__i__ == 1)
      gst_structure_remove_field (result, "framerate");
    take (result);
  }
  check (__i__ == 0 ? VERDICT_PASS : VERDICT_FAIL, 0.02);
}

TEST_LOOP (test_share, 0, 2)
{
  Rule rule = make_field_rule ("outliers", -INFINITY, 0.01);

  rule.share = 0.29;
  begin (&rule);
  for (guint frame = 0; frame < 100; frame++)
    take_number (frame, "outliers", frame < 29u + (guint)__i__ ? 0.02 : 0);
  check (__i__ == 0 ? VERDICT_PASS : VERDICT_FAIL, 0.02);
  check_count (1, 29 + (guint)__i__);
}

/* A window counts with its frames, and runs of adjacent windows are one. */
TEST (test_windows)
{
  Rule rule = make_field_rule ("outliers", -INFINITY, 0.01);

  rule.duration = 2 * GST_SECOND;
  begin (&rule);
  for (guint frame = 0; frame < 100; frame += 25) {
    GstStructure *result = make_result (frame, 25);

    gst_structure_set (result, "outliers", G_TYPE_DOUBLE, frame == 0 ? 0. : 0.02, NULL);
    take (result);
  }
  check (VERDICT_FAIL, 0.02);
  check_count (1, 75);
  check_place (0, 25, 75, 0.02);
  ck_assert_uint_eq (verdict->frames, 100);
  ck_assert (!verdict->is_sample);
}

TEST (test_gap_divides_runs)
{
  Rule rule = make_field_rule ("outliers", -INFINITY, 0.01);

  begin (&rule);
  take_number (0, "outliers", 0.02);
  take_number (1, "outliers", 0.02);
  take_number (4, "outliers", 0.02);
  check (VERDICT_FAIL, 0.02);
  check_count (2, 3);
  ck_assert (verdict->is_sample);
}

TEST (test_sample_has_no_durations)
{
  Rule rule = make_field_rule ("outliers", -INFINITY, 0.01);

  rule.duration = 2 * GST_SECOND;
  begin (&rule);
  for (guint frame = 0; frame < 100; frame += 10)
    take_number (frame, "outliers", 0.02);
  check_reason (VERDICT_NOT_MEASURED, "the lines do not have all frames: durations are unknown");
}

TEST (test_many_places)
{
  Rule rule = make_field_rule ("outliers", -INFINITY, 0.01);
  const RuleVerdict *judged;

  begin (&rule);
  for (guint frame = 0; frame < 600; frame++)
    take_number (frame, "outliers", frame % 2 == 0 || frame == 401 ? 0.02 : 0);
  check (VERDICT_FAIL, 0.02);
  check_count (299, 301);
  judged = g_ptr_array_index (verdict->rules, 0);
  ck_assert_uint_eq (judged->places->len, VERDICT_MOST_PLACES);
  ck_assert_uint_eq (judged->longest->frame, 400);
  ck_assert_uint_eq (judged->longest->frames, 3);
  ck_assert_str_eq (judged->longest->timecode, "00:00:16:00");
}

TEST (test_infinite_psnr)
{
  Rule rule = make_component_rule ("psnr", "luma", 40, INFINITY);

  begin (&rule);
  take (make_result (0, 1));
  for (guint frame = 1; frame < 4; frame++)
    take_number (frame, "Y-psnr", frame == 2 ? 41. : INFINITY);
  check (VERDICT_PASS, 41);
}

TEST (test_infinite_psnr_beyond)
{
  Rule rule = make_component_rule ("psnr", "luma", -INFINITY, 60);

  begin (&rule);
  take (make_result (0, 1));
  take_number (1, "Y-psnr", INFINITY);
  check (VERDICT_FAIL, INFINITY);
}

TEST (test_nan_is_not_measured)
{
  Rule rule = make_field_rule ("outliers", -INFINITY, 0.01);

  begin (&rule);
  TAKE_NUMBERS ("outliers", 0, NAN);
  check_reason (VERDICT_NOT_MEASURED, "1 of 2 frames lack outliers: measure with --statistics=outliers");
}

TEST (test_missing_field)
{
  Rule rule = make_component_rule ("psnr", "luma", 40, INFINITY);

  begin (&rule);
  take (make_result (0, 1));
  take (make_result (1, 1));
  check_reason (VERDICT_NOT_MEASURED, "no result has psnr: measure with --statistics=comparison");
}

TEST (test_failure_is_certain_if_frames_lack_the_field)
{
  Rule rule = make_field_rule ("outliers", -INFINITY, 0.01);

  begin (&rule);
  take_number (0, "outliers", 0.02);
  take (make_result (1, 1));
  check (VERDICT_FAIL, 0.02);
}

TEST (test_one_frame_has_no_previous_one)
{
  Rule rule = make_component_rule ("difference", "luma", 0, INFINITY);

  begin (&rule);
  take (make_result (0, 1));
  check_reason (VERDICT_NOT_APPLICABLE, "the film has one frame");
}

TEST (test_missing_luma)
{
  Rule rule = make_component_rule ("max", "luma", 0, 255);

  begin (&rule);
  components = rgb;
  take (make_result (0, 1));
  check_reason (VERDICT_NOT_MEASURED, "luma of R, G and B is missing: measure with --statistics=luma");
}

TEST (test_luma_of_bytes)
{
  Rule rule = make_component_rule ("max", "luma", 0, 255);

  begin (&rule);
  components = bytes;
  take (gst_structure_new ("cudahisto", "frame", G_TYPE_UINT64, (guint64)0, "frames", G_TYPE_UINT64, (guint64)1, "offset",
                           G_TYPE_UINT64, (guint64)0, "size", G_TYPE_UINT64, (guint64)10, NULL));
  check_reason (VERDICT_NOT_APPLICABLE, "the format has no luma");
}

TEST_LOOP (test_hdr_rule, 0, 4)
{
  static const struct {
    const gchar *colorimetry;
    gboolean needs_hlg;
    VerdictOutcome outcome;
  } cases[] = {
    { "bt709", FALSE, VERDICT_NOT_APPLICABLE },
    { "bt2100-pq", FALSE, VERDICT_FAIL },
    { "bt2100-hlg", FALSE, VERDICT_NOT_APPLICABLE },
    { "bt2100-hlg", TRUE, VERDICT_FAIL },
  };
  Rule rule = make_field_rule ("light-max-nits", -INFINITY, 1000);
  GstStructure *result = make_result (0, 1);

  rule.needs_pq = TRUE;
  rule.needs_hlg = cases[__i__].needs_hlg;
  gst_structure_set (result, "colorimetry", G_TYPE_STRING, cases[__i__].colorimetry, "light-max-nits", G_TYPE_DOUBLE, 1200.,
                     NULL);
  begin (&rule);
  take (result);
  check (cases[__i__].outcome, cases[__i__].outcome == VERDICT_FAIL ? 1200 : NAN);
}

/* ---- events ----------------------------------------------------------------------------------------------------------- */

/* The first two lines of an event are one event; short ones pass. */
TEST_LOOP (test_events, 0, 2)
{
  Rule rule = make_event_rule ("black", 2 * GST_SECOND);

  rule.max_count = (guint64)__i__;
  begin (&rule);
  take_event ("black", 0, 0, NULL);
  for (guint frame = 0; frame < 300; frame++) {
    if (frame == 50)
      take_event ("black", 0, 50, "complete");
    if (frame == 149)
      take_event ("black", 100, 149, "complete");
    if (frame == 160)
      take_event ("freeze", 100, 160, "complete");
    take (make_result (frame, 1));
  }
  check (__i__ == 0 ? VERDICT_FAIL : VERDICT_PASS, 1);
  check_count (1, 50);
  ck_assert_uint_eq (get_place (0)->frame, 0);
}

/* 50 of 100 frames are black, in two events. */
TEST_LOOP (test_events_with_share, 0, 4)
{
  static const struct {
    gdouble share;
    guint64 max_count;
    VerdictOutcome outcome;
    const gchar *text;
  } cases[] = {
    { 0.5, 0, VERDICT_PASS, "2 events: 50 frames in 2 places; allowed: 50 % of the frames" },
    { 0.4, 0, VERDICT_FAIL, "2 events: 50 frames in 2 places; allowed: 40 % of the frames" },
    { 0.5, 1, VERDICT_FAIL, "2 events (limit 1): 50 frames in 2 places; allowed: 50 % of the frames" },
    { 0.4, 2, VERDICT_FAIL, "2 events (limit 2): 50 frames in 2 places; allowed: 40 % of the frames" },
  };
  Rule rule = make_event_rule ("black", 0);
  g_autofree gchar *text = NULL;

  rule.share = cases[__i__].share;
  rule.max_count = cases[__i__].max_count;
  begin (&rule);
  state_events ("black:0");
  for (guint frame = 0; frame < 100; frame++) {
    if (frame == 30 || frame == 60)
      take_event ("black", frame - 25, frame, "complete");
    take (make_result (frame, 1));
  }
  check (cases[__i__].outcome, 2);
  text = verdict_text_describe_rule (g_ptr_array_index (verdict->rules, 0));
  ck_assert_str_eq (text, cases[__i__].text);
}

/* The end of an event that ends with the stream is the time of the last frame. */
TEST_LOOP (test_event_at_the_end, 0, 2)
{
  Rule rule = make_event_rule ("black", 2 * GST_SECOND);
  GstStructure *event = gst_structure_new ("cudahisto-event", "event", G_TYPE_STRING, "black", "start", G_TYPE_UINT64,
                                           50 * FRAME, "end", G_TYPE_UINT64, 99 * FRAME, "duration", G_TYPE_UINT64, 49 * FRAME,
                                           "frame", G_TYPE_UINT64, (guint64)50, "frames", G_TYPE_UINT64,
                                           (guint64)(__i__ == 0 ? 50 : 49), "ended-by", G_TYPE_STRING, "eos", NULL);

  begin (&rule);
  for (guint frame = 0; frame < 100; frame++)
    take (make_result (frame, 1));
  judge_take_event (judge, event);
  gst_structure_free (event);
  check (__i__ == 0 ? VERDICT_FAIL : VERDICT_PASS, __i__ == 0 ? 1 : 0);
}

/* An event that lasts ends with the results. */
TEST (test_event_that_lasts)
{
  Rule rule = make_event_rule ("black", 2 * GST_SECOND);

  begin (&rule);
  take_event ("black", 0, 0, NULL);
  for (guint frame = 0; frame < 50; frame++)
    take (make_result (frame, 1));
  check (VERDICT_FAIL, 1);
}

TEST_LOOP (test_events_that_may_not_be_known, 0, 2)
{
  Rule rule = make_event_rule ("black", 0);

  begin (&rule);
  if (__i__ == 1)
    state_events ("freeze+black:0");
  take (make_result (0, 1));
  if (__i__ == 1)
    check (VERDICT_PASS, 0);
  else
    check_reason (VERDICT_NOT_MEASURED, "the lines do not tell whether black was detected: measure with --events=black");
}

/* The results do not tell the minimum duration; a short event shows it. */
TEST_LOOP (test_minimum_duration, 0, 6)
{
  static const struct {
    const gchar *stated;
    guint frames; /* of an event */
    VerdictOutcome outcome;
  } cases[] = {
    { "black", 0, VERDICT_NOT_MEASURED },      { "black:0.5", 0, VERDICT_PASS },   { "black:0.4", 10, VERDICT_PASS },
    { "black:0.6", 10, VERDICT_NOT_MEASURED }, { NULL, 20, VERDICT_NOT_MEASURED }, { NULL, 10, VERDICT_PASS },
  };
  Rule rule = make_event_rule ("black", GST_SECOND / 2);

  rule.max_count = 1;
  begin (&rule);
  if (cases[__i__].stated != NULL)
    state_events (cases[__i__].stated);
  take_frames (100);
  if (cases[__i__].frames > 0)
    take_event ("black", 40, 40 + cases[__i__].frames, "complete");
  ck_assert_int_eq (finish (FALSE)->outcome, cases[__i__].outcome);
}

/* Without a duration, a rule limits events of any length. */
TEST (test_event_of_any_length)
{
  Rule rule = make_event_rule ("black", 0);

  begin (&rule);
  take_frames (100);
  take_event ("black", 40, 41, "complete");
  check (VERDICT_FAIL, 1);
}

TEST (test_events_of_sample)
{
  Rule rule = make_event_rule ("black", 0);

  begin (&rule);
  state_events ("black:0");
  take (make_result (0, 1));
  take (make_result (2, 1));
  check_reason (VERDICT_NOT_MEASURED, "events need all frames, and the results lack some");
}

/* Key frames are numbered without gaps. */
TEST (test_events_of_key_frames)
{
  Rule rule = make_event_rule ("black", 0);

  begin (&rule);
  state_events ("black:0");
  for (guint frame = 0; frame < 2; frame++) {
    GstStructure *result = make_result (frame, 1);

    gst_structure_set (result, "sampling", G_TYPE_STRING, "keyframes", NULL);
    take (result);
  }
  check_reason (VERDICT_NOT_MEASURED, "events need all frames, and the results lack some");
}

/* ---- the active picture ----------------------------------------------------------------------------------------------- */

static void
take_rectangle (guint64 frame, guint x, guint y, guint width, guint height)
{
  GstStructure *result = make_result (frame, 1);
  const guint sides[4] = { x, y, width, height };
  GValue array = G_VALUE_INIT, value = G_VALUE_INIT;

  gst_value_array_init (&array, 4);
  g_value_init (&value, G_TYPE_UINT);
  for (guint i = 0; i < 4; i++) {
    g_value_set_uint (&value, sides[i]);
    gst_value_array_append_value (&array, &value);
  }
  gst_structure_take_value (result, "active-picture", &array);
  take (result);
}

static void
check_picture (guint place, const gchar *expected)
{
  const RuleVerdict *rule = g_ptr_array_index (verdict->rules, 0);
  g_autofree gchar *text = verdict_text_describe_place (rule, get_place (place)), *all = verdict_text_describe_rule (rule);
  g_autofree gchar *limit = verdict_text_describe_limit (rule);

  ck_assert_str_eq (text, expected);
  ck_assert (g_str_has_suffix (all, "; usually 64x36 at 0,6"));
  ck_assert_str_eq (limit, "at most 2 pixels beyond 64x36 at 0,6");
}

/* Only a picture outside the usual one counts: the smaller ones of frames 15 and 16 pass. */
TEST (test_constant_picture)
{
  Rule rule = make_rule (RULE_SUBJECT_CONSTANT);

  rule.tolerance = 2;
  begin (&rule);
  for (guint frame = 0; frame < 4; frame++)
    take_rectangle (frame, 0, 0, 64, 48);
  take_rectangle (4, 0, 0, 0, 0);
  for (guint frame = 5; frame < 15; frame++)
    take_rectangle (frame, 0, 6, 64, 36);
  take_rectangle (15, 2, 8, 60, 34);
  take_rectangle (16, 0, 9, 64, 33);
  take_rectangle (17, 0, 6, 64, 46);
  check (VERDICT_FAIL, 10);
  check_count (2, 5);
  check_place (0, 0, 4, 6);
  check_place (1, 17, 1, 10);
  check_picture (0, "00:00:00:00  frames 0-3  6  64x48 at 0,0 (top, bottom)");
  check_picture (1, "00:00:00:17  frame 17  10  64x46 at 0,6 (bottom)");
}

TEST (test_black_film_has_no_picture)
{
  Rule rule = make_rule (RULE_SUBJECT_CONSTANT);

  begin (&rule);
  take_rectangle (0, 0, 0, 0, 0);
  check_reason (VERDICT_NOT_APPLICABLE, "every frame is black");
}

/* A dark film without bars has no usual picture, from which others could differ. */
TEST (test_no_usual_picture)
{
  Rule rule = make_rule (RULE_SUBJECT_CONSTANT);

  begin (&rule);
  for (guint frame = 0; frame < 30; frame++)
    take_rectangle (frame, frame, 0, 30, 48);
  check_reason (VERDICT_NOT_APPLICABLE, "no active picture is usual: it changes all the time");
}

TEST (test_unmeasured_picture)
{
  Rule rule = make_rule (RULE_SUBJECT_CONSTANT);

  begin (&rule);
  take (make_result (0, 1));
  check_reason (VERDICT_NOT_MEASURED, "no result has active-picture: measure with --statistics=active-picture");
}

/* ---- declarations ----------------------------------------------------------------------------------------------------- */

/* The first loop is at the limit. */
TEST_LOOP (test_declared_frames, 0, 2)
{
  Rule rule = make_declared_rule (DECLARED_FRAMES, 1);

  declaration.frames = 51 + (guint)__i__;
  begin (&rule);
  take_frames (50);
  check (__i__ == 0 ? VERDICT_PASS : VERDICT_FAIL, 50);
}

TEST_LOOP (test_declared_duration, 0, 2)
{
  Rule rule = make_declared_rule (DECLARED_DURATION, 0.5);

  declaration.duration = 2500 * GST_MSECOND + (guint)__i__ * 100 * GST_MSECOND;
  begin (&rule);
  take_frames (50);
  check (__i__ == 0 ? VERDICT_PASS : VERDICT_FAIL, 2);
}

TEST_LOOP (test_declared_rate, 0, 2)
{
  Rule rule = make_declared_rule (DECLARED_FRAMERATE, 0);

  declaration.rate_n = __i__ == 0 ? 25 : 30;
  declaration.rate_d = 1;
  begin (&rule);
  take_frames (50);
  check (__i__ == 0 ? VERDICT_PASS : VERDICT_FAIL, 25);
}

/* The times of the frames tell nothing of the rate, or the rate is variable: every second or third frame lasts longer, or half
 * of the film is slower. One missing frame does not make it so. */
TEST_LOOP (test_unknown_rate, 0, 4)
{
  static const VerdictOutcome outcomes[]
      = { VERDICT_NOT_APPLICABLE, VERDICT_NOT_APPLICABLE, VERDICT_NOT_APPLICABLE, VERDICT_FAIL };
  static const guint period[] = { 1000, 3, 1000, 60 };
  Rule rule = make_declared_rule (DECLARED_FRAMERATE, 0);
  GstClockTime time = 0;

  declaration.has_own_times = __i__ > 0;
  declaration.rate_n = 30;
  declaration.rate_d = 1;
  begin (&rule);
  for (guint frame = 0; frame < 100;
       frame++, time += frame % period[__i__] == 0 || (__i__ == 2 && frame > 50) ? 2 * FRAME : FRAME) {
    GstStructure *result = make_result (frame, 1);

    gst_structure_set (result, "stream-time", G_TYPE_UINT64, time, NULL);
    take (result);
  }
  finish (TRUE);
  ck_assert_int_eq (((const RuleVerdict *)g_ptr_array_index (verdict->rules, 0))->outcome, outcomes[__i__]);
}

/* Results of several frames do not show whether the rate is variable. */
TEST (test_rate_of_windows)
{
  Rule rule = make_declared_rule (DECLARED_FRAMERATE, 0);

  declaration.rate_n = 25;
  declaration.rate_d = 1;
  begin (&rule);
  take (make_result (0, 25));
  take (make_result (25, 25));
  finish (TRUE);
  ck_assert_str_eq (((const RuleVerdict *)g_ptr_array_index (verdict->rules, 0))->reason,
                    "the rate needs a result for each frame, with its time");
}

/* The declared duration of a film with sound is that of the longest stream. */
TEST_LOOP (test_declared_longest, 0, 2)
{
  Rule rule = make_declared_rule (DECLARED_DURATION, 0.1);

  declaration.duration = 3 * GST_SECOND;
  declaration.end = __i__ == 0 ? 3 * GST_SECOND : GST_CLOCK_TIME_NONE;
  begin (&rule);
  take_frames (50);
  finish (TRUE);
  ck_assert_int_eq (((const RuleVerdict *)g_ptr_array_index (verdict->rules, 0))->outcome,
                    __i__ == 0 ? VERDICT_PASS : VERDICT_FAIL);
}

/* The declared value is in the sentence and in JSON. A value that only rounding distinguishes from it is printed like it. */
TEST (test_text_of_declared)
{
  Rule rule = make_declared_rule (DECLARED_FRAMERATE, 0);
  g_autofree gchar *text = NULL, *json = NULL, *limit = NULL;
  RuleVerdict *one;

  declaration.rate_n = 25;
  declaration.rate_d = 1;
  begin (&rule);
  take_frames (50);
  finish (TRUE);
  one = g_ptr_array_index (verdict->rules, 0);
  one->value = 24.999999999999996;
  text = verdict_text_describe_rule (one);
  ck_assert_str_eq (text, "25 frames/s (declared: 25)");
  limit = verdict_text_describe_limit (one);
  ck_assert_str_eq (limit, "declared: 25 frames/s");
  json = verdict_json_make_for_page (verdict);
  ck_assert (strstr (json, "\"declared\":25,") != NULL);
}

TEST (test_sample_has_no_number_of_frames)
{
  Rule rule = make_declared_rule (DECLARED_FRAMES, 1);

  declaration.frames = 50;
  begin (&rule);
  take (make_result (0, 1));
  take (make_result (25, 1));
  check_reason (VERDICT_NOT_MEASURED, "the lines do not have all frames");
}

/* Samples of 8 bits: `low` of value 15, 1 of 16 and of 235, and `high` of value 236. */
static void
take_histogram (guint64 frame, guint low, guint high)
{
  GstStructure *result = make_result (frame, 1);
  guint64 *bins = g_new0 (guint64, 256);

  bins[15] = GUINT64_TO_LE (low);
  bins[16] = bins[235] = GUINT64_TO_LE (1);
  bins[236] = GUINT64_TO_LE (high);
  g_autoptr (GBytes) packed = g_bytes_new_take (bins, 256 * sizeof *bins);
  gst_structure_set (result, "range", G_TYPE_STRING, "limited", "Y-count", G_TYPE_UINT64, (guint64)2 + low + high,
                     "Y-histogram", G_TYPE_BYTES, packed, NULL);
  take (result);
}

TEST_LOOP (test_declared_range, 0, 4)
{
  static const VerdictOutcome outcomes[] = { VERDICT_FAIL, VERDICT_PASS, VERDICT_NOT_APPLICABLE, VERDICT_NOT_APPLICABLE };
  Rule rule = make_declared_rule (DECLARED_RANGE, 0);

  rule.share = __i__ == 0 ? 0.2 : 0.25;
  declaration.range = __i__ == 2 ? "full" : __i__ == 3 ? NULL : "limited";
  begin (&rule);
  take_histogram (0, 0, 0);
  take_histogram (1, 1, 1);
  take_histogram (2, 0, 0);
  check (outcomes[__i__], __i__ >= 2 ? NAN : 0.25);
  if (__i__ == 0)
    check_place (0, 1, 1, 0.5);
}

TEST_LOOP (test_declared_range_without_histogram, 0, 2)
{
  Rule rule = make_declared_rule (DECLARED_RANGE, 0);
  GstStructure *result;

  depth = 10;
  result = make_result (0, 1);
  declaration.range = "limited";
  gst_structure_set (result, "Y-count", G_TYPE_UINT64, (guint64)10, "Y-min", G_TYPE_UINT, 64, "Y-max", G_TYPE_UINT,
                     __i__ == 0 ? 940 : 941, NULL);
  begin (&rule);
  take (result);
  check (__i__ == 0 ? VERDICT_PASS : VERDICT_NOT_MEASURED, __i__ == 0 ? 0 : NAN);
}

TEST (test_declared_range_of_rgb)
{
  Rule rule = make_declared_rule (DECLARED_RANGE, 0);

  declaration.range = "limited";
  components = rgb;
  begin (&rule);
  take_frames (1);
  check_reason (VERDICT_NOT_MEASURED, "luma of R, G and B is missing: measure with --statistics=luma");
}

TEST_LOOP (test_damaged_frames, 0, 2)
{
  Rule rule = make_field_rule ("damaged", -INFINITY, 0);

  begin (&rule);
  if (__i__ == 0)
    state_events ("damaged");
  take_frames (2);
  check (__i__ == 0 ? VERDICT_PASS : VERDICT_NOT_MEASURED, __i__ == 0 ? 0 : NAN);
}

/* 8 bits in 10. */
TEST_LOOP (test_declared_depth, 0, 3)
{
  static const VerdictOutcome outcomes[] = { VERDICT_FAIL, VERDICT_PASS, VERDICT_NOT_MEASURED };
  Rule rule = make_declared_rule (DECLARED_DEPTH, 0);

  depth = 10;
  begin (&rule);
  if (__i__ < 2) {
    take_whole (0, "Y-used-mask", 0x3c0);
    take_whole (1, "U-used-mask", __i__ == 0 ? 0x3c : 0x3f);
  } else {
    take_frames (2);
  }
  check (outcomes[__i__], __i__ == 2 ? NAN : 8 + 2 * __i__);
}

TEST_LOOP (test_declared_damage, 0, 3)
{
  static const VerdictOutcome outcomes[] = { VERDICT_FAIL, VERDICT_PASS, VERDICT_NOT_MEASURED };
  Rule rule = make_declared_rule (DECLARED_DAMAGE, 0);

  begin (&rule);
  if (__i__ == 1)
    state_events ("damaged");
  take_frames (10);
  if (__i__ == 0)
    take_event ("damaged", 3, 5, "complete");
  check (outcomes[__i__], __i__ == 0 ? 2 : __i__ == 1 ? 0 : NAN);
  if (__i__ == 0)
    check_place (0, 3, 2, 2);
}

TEST_LOOP (test_declared_light, 0, 4)
{
  static const struct {
    guint declared;
    const gchar *colorimetry;
    VerdictOutcome outcome;
  } cases[] = {
    { 1000, "bt2100-pq", VERDICT_PASS },
    { 900, "bt2100-pq", VERDICT_FAIL },
    { 0, "bt2100-pq", VERDICT_NOT_APPLICABLE },
    { 900, "bt709", VERDICT_NOT_APPLICABLE },
  };
  Rule rule = make_declared_rule (DECLARED_MAX_CLL, 1);

  rule.needs_pq = TRUE;
  declaration.max_cll = cases[__i__].declared;
  begin (&rule);
  for (guint frame = 0; frame < 3; frame++) {
    GstStructure *result = make_result (frame, 1);

    gst_structure_set (result, "colorimetry", G_TYPE_STRING, cases[__i__].colorimetry, "light-max-cll", G_TYPE_DOUBLE,
                       frame == 1 ? 999. : 100., NULL);
    take (result);
  }
  check (cases[__i__].outcome, cases[__i__].outcome == VERDICT_NOT_APPLICABLE ? NAN : 999);
  if (cases[__i__].outcome == VERDICT_FAIL)
    check_place (0, 1, 1, 999);
}

/* The metadata must be there. */
TEST (test_required_declaration)
{
  Rule rule = make_declared_rule (DECLARED_MAX_FALL, 1);

  rule.is_required = TRUE;
  begin (&rule);
  take_number (0, "light-max-fall-active", 100);
  check (VERDICT_FAIL, 100);
  ck_assert_str_eq (((const RuleVerdict *)g_ptr_array_index (verdict->rules, 0))->reason, "the film declares no MaxFALL");
}

/* MaxFALL is of the active picture, without black bars. */
TEST (test_declared_fall)
{
  Rule rule = make_declared_rule (DECLARED_MAX_FALL, 1);
  GstStructure *result = make_result (0, 1);

  declaration.max_fall = 100;
  gst_structure_set (result, "light-max-fall", G_TYPE_DOUBLE, 80., "light-max-fall-active", G_TYPE_DOUBLE, 100., NULL);
  begin (&rule);
  take (result);
  check (VERDICT_PASS, 100);
}

TEST (test_broadcast_range_of_rgb)
{
  Rule rule = make_field_rule ("out-of-range", -INFINITY, 0.01);

  components = rgb;
  begin (&rule);
  take_number (0, "out-of-range", 0.5);
  check_reason (VERDICT_NOT_APPLICABLE, "the format has no Y, U and V");
}

TEST_LOOP (test_unknown_declaration, 0, N_DECLARED)
{
  Rule rule = make_declared_rule ((Declared)__i__, 1);
  const RuleVerdict *judged;

  begin (&rule);
  take_frames (10);
  judged = finish (FALSE);
  ck_assert_int_eq (judged->outcome, VERDICT_NOT_MEASURED);
  ck_assert (judged->reason != NULL);
}

/* ---- runs, samples and fields ----------------------------------------------------------------------------------------- */

TEST_LOOP (test_runs, 0, 4)
{
  static const gchar *const errors[] = { "film.jsonl has 2 runs: choose one, --run=1 to --run=2", NULL, NULL,
                                         "--run=3 does not exist: film.jsonl has 2 runs" };
  Rule rule = make_field_rule ("outliers", -INFINITY, 0.01);
  g_autoptr (GError) error = NULL;

  g_ptr_array_add (policy.rules, &rule);
  judge = judge_new (&policy, (guint)__i__);
  for (guint frame = 0; frame < 10; frame++)
    take_number (frame, "outliers", 0);
  for (guint frame = 0; frame < 5; frame++)
    take_number (frame, "outliers", 0.02);
  verdict = judge_finish (judge, "film.jsonl", NULL, &error);
  if (errors[__i__] != NULL) {
    ck_assert (verdict == NULL);
    ck_assert_str_eq (error->message, errors[__i__]);
  } else {
    ck_assert_uint_eq (verdict->frames, __i__ == 1 ? 10 : 5);
    ck_assert_int_eq (verdict_get_outcome (verdict), __i__ == 1 ? VERDICT_PASS : VERDICT_FAIL);
    ck_assert (!verdict->is_sample);
  }
}

TEST (test_no_results)
{
  Rule rule = make_field_rule ("outliers", -INFINITY, 0.01);
  g_autoptr (GError) error = NULL;

  begin (&rule);
  ck_assert (judge_finish (judge, "a\nb", NULL, &error) == NULL);
  ck_assert (g_error_matches (error, JUDGE_ERROR, JUDGE_ERROR_NO_RESULTS));
  ck_assert (strchr (error->message, '\n') == NULL);
}

TEST (test_incomplete_film_is_a_sample)
{
  Rule rule = make_field_rule ("outliers", -INFINITY, 0.01);

  begin (&rule);
  take_number (0, "outliers", 0);
  take_event ("incomplete", 1, 0, NULL);
  check (VERDICT_PASS, 0);
  ck_assert (verdict->is_sample);
}

TEST (test_cut_lines_are_a_sample)
{
  Rule rule = make_field_rule ("outliers", -INFINITY, 0.01);

  begin (&rule);
  take_number (0, "outliers", 0);
  judge_set_cut (judge);
  check (VERDICT_PASS, 0);
  ck_assert (verdict->is_sample);
  ck_assert_int_eq (verdict_get_outcome (verdict), VERDICT_NOT_MEASURED);
}

/* A film with damage does not pass, unless a rule allows it. */
TEST_LOOP (test_damaged_film, 0, 4)
{
  static const VerdictOutcome outcomes[] = { VERDICT_NOT_MEASURED, VERDICT_FAIL, VERDICT_PASS, VERDICT_NOT_MEASURED };
  Rule levels = make_field_rule ("outliers", -INFINITY, 0.01);
  Rule missing = make_field_rule ("missing", -INFINITY, __i__ == 1 ? 2 : 3);
  GstStructure *event = gst_structure_new ("cudahisto-event", "event", G_TYPE_STRING, "damaged", "start", G_TYPE_UINT64,
                                           2 * FRAME, "frame", G_TYPE_UINT64, (guint64)2, "frames", G_TYPE_UINT64, (guint64)0,
                                           "missing", G_TYPE_UINT64, (guint64)3, "ended-by", G_TYPE_STRING, "eos", NULL);

  if (__i__ > 0)
    g_ptr_array_add (policy.rules, &missing);
  begin (&levels);
  TAKE_NUMBERS ("outliers", 0, 0);
  judge_take_event (judge, event);
  gst_structure_free (event);
  if (__i__ == 3)
    judge_set_cut (judge);
  finish (FALSE);
  ck_assert_int_eq (verdict_get_outcome (verdict), outcomes[__i__]);
  ck_assert_str_eq (verdict->finding,
                    __i__ < 3 ? "0 frames are damaged, 3 missing" : "the results end within a line: results are missing");
}

TEST (test_failed_film)
{
  Rule rule = make_field_rule ("outliers", -INFINITY, 0.01);
  g_autoptr (GString) xml = g_string_new (NULL);

  begin (&rule);
  verdict = verdict_new_failed ("film.mkv", &policy, "there is no file");
  ck_assert_int_eq (verdict_get_outcome (verdict), VERDICT_NOT_MEASURED);
  verdict_junit_append (xml, verdict);
  ck_assert (strstr (xml->str, " errors=\"2\"") != NULL);
  ck_assert (strstr (xml->str, "message=\"there is no file\"") != NULL);
}

/* Fields are judged one by one, and reported as frames. */
TEST (test_fields)
{
  Rule rule = make_field_rule ("outliers", -INFINITY, 0.01);

  begin (&rule);
  for (guint field = 0; field < 8; field++) {
    GstStructure *result = make_result (field, 1);

    gst_structure_set (result, "field", G_TYPE_STRING, field % 2 == 0 ? "top" : "bottom", "framerate", GST_TYPE_FRACTION, 50, 1,
                       "stream-time", G_TYPE_UINT64, field * FRAME / 2, "duration", G_TYPE_UINT64, FRAME / 2, "outliers",
                       G_TYPE_DOUBLE, field == 4 || field == 5 ? 0.02 : 0., NULL);
    take (result);
  }
  check (VERDICT_FAIL, 0.02);
  ck_assert_uint_eq (verdict->frames, 4);
  check_count (1, 1);
  check_place (0, 2, 1, 0.02);
  ck_assert_str_eq (get_place (0)->timecode, "00:00:00:02");
}

TEST (test_own_time_codes)
{
  g_autoptr (GString) text = g_string_new (NULL);
  Rule rule = make_field_rule ("outliers", -INFINITY, 0.01);

  begin (&rule);
  for (guint frame = 0; frame < 3; frame++) {
    GstStructure *result = make_result (frame, 1);
    g_autofree gchar *timecode = g_strdup_printf ("10:00:00:%02u", frame);

    gst_structure_set (result, "timecode", G_TYPE_STRING, timecode, "outliers", G_TYPE_DOUBLE, frame == 2 ? 1. : 0., NULL);
    take (result);
  }
  check (VERDICT_FAIL, 1);
  ck_assert_str_eq (get_place (0)->timecode, "10:00:00:02");
  verdict_text_append (text, verdict);
  ck_assert (strstr (text->str, "\nTime codes are those of the film.\n") != NULL);
}

/* Times are from the first frame; the page also has those of the results. */
TEST (test_times_from_the_first_frame)
{
  Rule rule = make_field_rule ("outliers", -INFINITY, 0.01);
  g_autofree gchar *json = NULL;

  begin (&rule);
  for (guint frame = 0; frame < 3; frame++) {
    GstStructure *result = make_result (frame, 1);

    gst_structure_set (result, "stream-time", G_TYPE_UINT64, 1400 * GST_MSECOND + frame * FRAME, "outliers", G_TYPE_DOUBLE,
                       frame == 2 ? 1. : 0., NULL);
    take (result);
  }
  check (VERDICT_FAIL, 1);
  json = verdict_json_make_for_page (verdict);
  ck_assert (strstr (json, "\"start\":80000000,\"end\":120000000,") != NULL);
  ck_assert (strstr (json, "\"stream-time\":1480000000,\"stream-end\":1520000000,") != NULL);
}

/* ---- writers ---------------------------------------------------------------------------------------------------------- */

/* A rule of each outcome, and a warning. */
static void
judge_film (void)
{
  static Rule rules[5];

  rules[0] = make_field_rule ("out-of-gamut", -INFINITY, 0.01);
  rules[0].name = (gchar *)"house/rgb-and-luma";
  rules[1] = make_component_rule ("max", "all", -INFINITY, 246);
  rules[1].name = (gchar *)"house/levels";
  rules[1].about = (gchar *)"No sample is above <246> & \"white\", in any component, in any frame of the whole film.";
  rules[1].reference = (gchar *)"EBU R 103";
  rules[2] = make_field_rule ("light-max-nits", -INFINITY, 1000);
  rules[2].name = (gchar *)"house/light";
  rules[3] = make_field_rule ("repeats", -INFINITY, 0.04);
  rules[3].name = (gchar *)"house/repeats";
  rules[4] = make_field_rule ("outliers", -INFINITY, 0.00001);
  rules[4].name = (gchar *)"house/outliers";
  rules[4].severity = RULE_SEVERITY_WARNING;
  for (guint i = 0; i < G_N_ELEMENTS (rules); i++)
    g_ptr_array_add (policy.rules, &rules[i]);
  judge = judge_new (&policy, 0);
  for (guint frame = 0; frame < 100; frame++) {
    GstStructure *result = make_result (frame, 1);

    gst_structure_set (result, "out-of-gamut", G_TYPE_DOUBLE, 0.0031, "Y-max", G_TYPE_UINT, frame % 4 == 0 ? 250 : 200, "U-max",
                       G_TYPE_UINT, frame == 97 || frame == 98 ? 255 : 200, "V-max", G_TYPE_UINT, 200, "outliers",
                       G_TYPE_DOUBLE, frame == 7 ? 0.0000100001 : 0, NULL);
    take (result);
  }
}

TEST (test_text)
{
  static const gchar expected[] = "film.jsonl\n"
                                  "pass            house/rgb-and-luma  0.0031 (limit 0.01)\n"
                                  "fail            house/levels        255 (limit 246): 27 frames in 25 places\n"
                                  "                No sample is above <246> & \"white\", in any component, in any\n"
                                  "                frame of the whole film. (EBU R 103)\n"
                                  "                00:00:00:00  frame 0  250  Y\n"
                                  "                00:00:00:04  frame 4  250  Y\n"
                                  "                00:00:00:08  frame 8  250  Y\n"
                                  "                00:00:00:12  frame 12  250  Y\n"
                                  "                00:00:00:16  frame 16  250  Y\n"
                                  "                00:00:00:20  frame 20  250  Y\n"
                                  "                00:00:00:24  frame 24  250  Y\n"
                                  "                00:00:01:03  frame 28  250  Y\n"
                                  "                00:00:01:07  frame 32  250  Y\n"
                                  "                00:00:01:11  frame 36  250  Y\n"
                                  "                00:00:03:21  frames 96-98  255  U  longest\n"
                                  "                and 14 more\n"
                                  "not applicable  house/light         the film is neither PQ nor HLG\n"
                                  "not measured    house/repeats       no result has repeats: measure with\n"
                                  "                                    --statistics=repeats\n"
                                  "warning         house/outliers      1.00001e-05 (limit 1e-05): 1 frame in 1\n"
                                  "                                    place\n"
                                  "                00:00:00:07  frame 7  1.00001e-05\n"
                                  "fail: 1 of 5 rules fails, 1 warning, 1 not measured, 1 not applicable\n";
  g_autoptr (GString) text = g_string_new (NULL);

  judge_film ();
  finish (FALSE);
  verdict_text_append (text, verdict);
  ck_assert_str_eq (text->str, expected);
}

/* A line that is broken before its last word does not end with a space. */
TEST (test_text_of_long_place)
{
  Rule light = make_field_rule ("light-max-nits", -INFINITY, 1000), rule = make_rule (RULE_SUBJECT_CONSTANT);
  g_autoptr (GString) text = g_string_new (NULL);

  g_ptr_array_add (policy.rules, &light);
  begin (&rule);
  for (guint frame = 10000; frame < 10030; frame++)
    take_rectangle (frame, 0, frame % 10 < 2 ? 0 : 6, 64, frame % 10 < 2 ? 48 : 36);
  finish (FALSE);
  verdict_text_append (text, verdict);
  ck_assert (strstr (text->str, "64x48 at 0,0 (top, bottom)\n                  longest\n") != NULL);
}

TEST (test_text_of_sample)
{
  Rule rule = make_field_rule ("outliers", -INFINITY, 0.01);
  g_autoptr (GString) text = g_string_new (NULL);

  begin (&rule);
  take_number (3, "outliers", 0);
  finish (FALSE);
  verdict_text_append (text, verdict);
  ck_assert_str_eq (text->str, "film.jsonl\n"
                               "pass  house/rule  0 (limit 0.01)\n"
                               "a sample: the lines do not have all frames of the film\n"
                               "pass: 1 rule\n");
}

TEST (test_text_of_windows)
{
  Rule rule = make_field_rule ("outliers", -INFINITY, 0.01);
  g_autoptr (GString) text = g_string_new (NULL), junit = g_string_new (NULL);

  begin (&rule);
  for (guint frame = 0; frame < 50; frame += 25) {
    GstStructure *result = make_result (frame, 25);

    gst_structure_set (result, "outliers", G_TYPE_DOUBLE, 0., NULL);
    take (result);
  }
  finish (FALSE);
  verdict_text_append (text, verdict);
  ck_assert_str_eq (text->str, "film.jsonl\n"
                               "pass  house/rule  0 (limit 0.01)\n"
                               "a line covers up to 25 frames: limits apply to its values, not to those of each\n"
                               "frame\n"
                               "pass: 1 rule\n");
  verdict_junit_append (junit, verdict);
  ck_assert (strstr (junit->str, "<properties><property name=\"frames-per-result\" value=\"25\"/></properties>") != NULL);
}

static const struct {
  RuleSubject subject;
  gdouble min, max;
  GstClockTime duration;
  gdouble share, value;
  const gchar *limit, *text;
} limits[] = {
  { RULE_SUBJECT_FIELD, -INFINITY, 117.999, 0, 0, 118, "at most 117.999", "118" },
  { RULE_SUBJECT_FIELD, 30000. / 1001, 50, 0, 0, 1, "29.97 to 50", "1" },
  { RULE_SUBJECT_FIELD, 16, INFINITY, GST_SECOND / 2, 0.05, 8,
    "at least 16, except for less than 0.5 s or in 5 % of the frames", "8" },
  { RULE_SUBJECT_FIELD, 16, 16, 0, 0.05, 8, "16, except in 5 % of the frames", "8" },
  { RULE_SUBJECT_EVENT, -INFINITY, 0, 2 * GST_SECOND, 0, 1, "at most 0 events of 2 s or longer", "1 event" },
  { RULE_SUBJECT_EVENT, -INFINITY, 1, 0, 0.05, 2, "at most 1 event in at most 5 % of the frames", "2 events" },
  { RULE_SUBJECT_EVENT, -INFINITY, INFINITY, 2 * GST_SECOND, 0.05, 2, "events of 2 s or longer in at most 5 % of the frames",
    "2 events" },
  { RULE_SUBJECT_CONSTANT, -INFINITY, 1, 0, 0, NAN, "at most 1 pixel", "" },
};

TEST_LOOP (test_limits, 0, G_N_ELEMENTS (limits))
{
  Rule rule
      = limits[__i__].subject == RULE_SUBJECT_FIELD ? make_field_rule ("outliers", 0, 0) : make_rule (limits[__i__].subject);
  const RuleVerdict one
      = { .rule = &rule, .declared = NAN, .min = limits[__i__].min, .max = limits[__i__].max, .value = limits[__i__].value };
  g_autofree gchar *limit = NULL, *text = NULL;

  rule.duration = limits[__i__].duration;
  rule.share = limits[__i__].share;
  limit = verdict_text_describe_limit (&one);
  text = verdict_text_describe_value (&one);
  ck_assert_str_eq (limit, limits[__i__].limit);
  ck_assert_str_eq (text, limits[__i__].text);
}

/* A page has no text that could end its script. */
TEST (test_json_of_page)
{
  g_autofree gchar *json = NULL;

  judge_film ();
  finish (FALSE);
  json = verdict_json_make_for_page (verdict);
  ck_assert (strchr (json, '<') == NULL);
  ck_assert (strstr (json, "above \\u003c246>") != NULL);
  ck_assert (strstr (json, "\"value-text\":\"255\",\"limit-text\":\"at most 246\"") != NULL);
  ck_assert (strstr (json, "\"notes\":[],") != NULL);
}

TEST (test_outcome)
{
  judge_film ();
  finish (FALSE);
  ck_assert_int_eq (verdict_get_outcome (verdict), VERDICT_FAIL);
  g_ptr_array_remove_index (verdict->rules, 1);
  ck_assert_int_eq (verdict_get_outcome (verdict), VERDICT_NOT_MEASURED);
  g_ptr_array_remove_index (verdict->rules, 2);
  ck_assert_int_eq (verdict_get_outcome (verdict), VERDICT_PASS); /* with a warning */
  g_ptr_array_remove_index (verdict->rules, 2);
  g_ptr_array_remove_index (verdict->rules, 0);
  ck_assert_int_eq (verdict_get_outcome (verdict), VERDICT_NOT_APPLICABLE);
}

TEST (test_json)
{
  static const gchar expected[]
      = "[\n{\"film\":\"a\xef\xbf\xbd\\\"\",\"outcome\":\"fail\",\"finding\":null,\"sample\":false,\"frames\":2,\"frames-per-"
        "result\":1,\"has-timecodes\":false,"
        "\"policy\":\"house\","
        "\"title\":\"House\",\"source\":\"\",\"url\":\"\",\"not-covered\":[\"Sound.\",\"Text.\"],\"rules\":[\n"
        "{\"rule\":\"house/"
        "rule\",\"outcome\":\"fail\",\"severity\":\"error\",\"about\":\"\",\"reference\":\"\",\"reason\":null,"
        "\"value\":0.02,\"min\":null,\"max\":0.01,\"declared\":null,\"share\":0,\"duration\":0,\"frames\":1,\"places-count\":1,"
        "\"places\":["
        "{\"frame\":1,\"frames\":1,\"start\":40000000,\"end\":80000000,\"timecode\":\"00:00:00:01\",\"value\":0.02,"
        "\"component\":null}],\"longest\":{\"frame\":1,\"frames\":1,\"start\":40000000,\"end\":80000000,"
        "\"timecode\":\"00:00:00:01\",\"value\":0.02,\"component\":null}}]}\n]\n";
  static const gchar *const not_covered[] = { "Sound.", "Text.", NULL };
  Rule rule = make_field_rule ("outliers", -INFINITY, 0.01);
  g_autoptr (GString) json = g_string_new (NULL);

  policy.not_covered = (gchar **)not_covered;
  begin (&rule);
  TAKE_NUMBERS ("outliers", 0, 0.02);
  verdict = judge_finish (judge, "a\x01\"", NULL, NULL);
  verdict_json_begin (json);
  verdict_json_append (json, verdict, TRUE);
  verdict_json_end (json);
  ck_assert_str_eq (json->str, expected);
}

TEST (test_junit)
{
  static const gchar *const expected[] = {
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n",
    "  <testsuite name=\"film.jsonl\" tests=\"5\" failures=\"1\" errors=\"1\" skipped=\"1\">\n",
    "    <testcase classname=\"house\" name=\"house/rgb-and-luma\"><system-out>0.0031 (limit 0.01)</system-out></testcase>\n",
    "<failure type=\"error\" message=\"255 (limit 246): 27 frames in 25 places\">No sample is above &#60;246&#62; &#38; ",
    "00:00:03:21  frames 96-98  255  U  longest\n</failure></testcase>\n",
    "name=\"house/light\"><skipped message=\"the film is neither PQ nor HLG\"/></testcase>\n",
    "<error type=\"not measured\" message=\"no result has repeats: measure with --statistics=repeats\"/>",
    "name=\"house/outliers\"><system-out>warning: 1.00001e-05 (limit 1e-05): 1 frame in 1 place\n",
    "  </testsuite>\n</testsuites>\n",
  };
  g_autoptr (GString) xml = g_string_new (NULL);
  const gchar *at;

  judge_film ();
  finish (FALSE);
  verdict_junit_begin (xml);
  verdict_junit_append (xml, verdict);
  verdict_junit_end (xml);
  at = xml->str;
  for (guint i = 0; i < G_N_ELEMENTS (expected); i++) {
    at = strstr (at, expected[i]);
    ck_assert_msg (at != NULL, "%s is not in %s", expected[i], xml->str);
    at += strlen (expected[i]);
  }
}

TEST_MAIN
