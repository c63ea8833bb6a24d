/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Policy files: the built-in ones, each kind of rule, joined policies, and errors with their lines. */

#include <math.h>

#include "cases.h"
#include "policy/policy.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Policy, policy_free)

static void
write_text (const gchar *path, const gchar *text)
{
  ck_assert (g_file_set_contents (path, text, -1, NULL));
}

static Policy *
load (const gchar *names)
{
  GError *error = NULL;
  Policy *policy = policy_load (names, &error);

  g_assert_no_error (error);
  return policy;
}

static Policy *
load_text (const gchar *text)
{
  const gchar *path = make_path ("house.policy");

  write_text (path, text);
  return load (path);
}

static const Rule *
get_rule (const Policy *policy, guint i)
{
  ck_assert_uint_lt (i, policy->rules->len);
  return g_ptr_array_index (policy->rules, i);
}

static void
assert_needs (const Policy *policy, const gchar *statistics, const gchar *events)
{
  g_autofree gchar *needed_statistics = policy_get_statistics (policy);
  g_autofree gchar *needed_events = policy_get_events (policy);

  ck_assert_str_eq (needed_statistics, statistics);
  ck_assert_str_eq (needed_events, events);
}

/* ---- events -------------------------------------------------------------------------------------------------------- */

static void
assert_settings (const gchar *text, const gchar *settings)
{
  Policy *policy = load_text (text);
  g_auto (GStrv) list = policy_get_settings (policy);
  g_autofree gchar *joined = g_strjoinv (" ", list);

  ck_assert_str_eq (joined, settings);
  policy_free (policy);
}

/* The element finds events of half the duration: one at the end of a film lacks the last frame. */
TEST (test_minimum_durations)
{
  assert_settings ("[a]\nevent=black\nduration=2\n[b]\nevent=black\nduration=0.5\n", "black-min-duration=250000000");
  assert_settings ("[a]\nevent=black\nduration=2\n[b]\nevent=black\n", "black-min-duration=0");
  assert_settings ("[a]\nevent=freeze\nduration=4\n[b]\nevent=clipped\n",
                   "freeze-min-duration=2000000000 clipped-min-duration=0");
  assert_settings ("[a]\nevent=scene-change\n", "");
}

TEST (test_stated_events)
{
  static const gchar *const wrong[] = { "blak", "black:", "black:x", "black:-1", "black:nan", "" };
  Detected detected;
  GstClockTime minimum;

  ck_assert (detected_parse (&detected, "black:0.5+freeze", NULL));
  ck_assert (detected_find (&detected, "black", &minimum) && minimum == GST_SECOND / 2);
  ck_assert (detected_find (&detected, "freeze", &minimum) && minimum == 2 * GST_SECOND);
  ck_assert (!detected_find (&detected, "clipped", &minimum));
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    ck_assert (!detected_parse (&detected, wrong[i], NULL));
}

/* ---- built-in policies --------------------------------------------------------------------------------------------- */

static const struct {
  const gchar *name;
  guint n_rules;
  const gchar *statistics, *events;
} built_in[] = {
  { "archive", 3, "outliers+repeats+saturation", "" },
  { "black", 1, "", "black" },
  { "broadcast-range", 1, "broadcast-range", "" },
  { "declared", 6, "histogram+used-bits+luma", "damaged" },
  { "freeze", 1, "", "freeze" },
  { "hdr10", 3, "active-picture+hdr", "" },
  { "letterbox", 1, "active-picture", "" },
  { "r103", 1, "gamut", "" },
};

TEST (test_list)
{
  const gchar *const *names = policy_list ();

  ck_assert_uint_eq (g_strv_length ((gchar **)names), G_N_ELEMENTS (built_in));
  for (guint i = 0; i < G_N_ELEMENTS (built_in); i++)
    ck_assert_str_eq (names[i], built_in[i].name);
}

TEST_LOOP (test_built_in, 0, G_N_ELEMENTS (built_in))
{
  const gchar *name = built_in[__i__].name;
  g_autoptr (Policy) policy = load (name);

  ck_assert_str_eq (policy->name, name);
  ck_assert_str_ne (policy->title, name);
  ck_assert_str_ne (policy->source, "");
  ck_assert_uint_gt (g_strv_length (policy->not_covered), 0);
  ck_assert_uint_eq (policy->rules->len, built_in[__i__].n_rules);
  for (guint i = 0; i < policy->rules->len; i++)
    ck_assert (!g_str_has_suffix (get_rule (policy, i)->name, get_rule (policy, i)->about));
  assert_needs (policy, built_in[__i__].statistics, built_in[__i__].events);
}

/* Its text is a start for one's own. */
TEST_LOOP (test_text, 0, G_N_ELEMENTS (built_in))
{
  g_autofree gchar *text = policy_get_text (built_in[__i__].name);
  g_autoptr (Policy) policy = load_text (text);

  ck_assert_str_eq (policy->name, "house");
  ck_assert_uint_eq (policy->rules->len, built_in[__i__].n_rules);
}

TEST (test_no_text)
{
  ck_assert (policy_get_text ("none") == NULL);
}

TEST (test_r103)
{
  g_autoptr (Policy) policy = load ("r103");
  const Rule *rule = get_rule (policy, 0);

  ck_assert_str_eq (policy->url, "https://tech.ebu.ch/publications/r103");
  ck_assert_str_eq (policy->not_covered[2], "Y of RGB video is not checked");
  ck_assert_str_eq (rule->reference, "EBU R 103, EBU QC 0051B");
  ck_assert_int_eq (rule->subject, RULE_SUBJECT_FIELD);
  ck_assert_int_eq (rule->field->id, FIELD_ID_OUT_OF_GAMUT);
  assert_equals_float (rule->max, 0.01);
  ck_assert (isinf (rule->min) && rule->min < 0);
}

/* ---- rules --------------------------------------------------------------------------------------------------------- */

TEST (test_field)
{
  g_autoptr (Policy) policy = load_text ("\xef\xbb\xbf[levels]\r\nfield=max\r\ncomponent=luma\r\nmin=16\r\nmax = 235 \r\n"
                                         "scale=8\r\nduration=1.5\r\nshare=0.05\r\nseverity=warning\r\ntransfer=pq+hlg\r\n");
  const Rule *rule = get_rule (policy, 0);

  ck_assert_str_eq (policy->title, "house");
  ck_assert_str_eq (policy->source, "");
  ck_assert_str_eq (policy->url, "");
  ck_assert_uint_eq (g_strv_length (policy->not_covered), 0);
  ck_assert_str_eq (rule->name, "house/levels");
  ck_assert_str_eq (rule->about, "levels");
  ck_assert_str_eq (rule->reference, "");
  ck_assert_int_eq (rule->severity, RULE_SEVERITY_WARNING);
  ck_assert_int_eq (rule->field->id, FIELD_ID_MAX);
  ck_assert_str_eq (rule->component, "luma");
  assert_equals_float (rule->min, 16);
  assert_equals_float (rule->max, 235);
  ck_assert_uint_eq (rule->scale, 8);
  ck_assert_uint_eq (rule->duration, 1500 * GST_MSECOND);
  assert_equals_float (rule->share, 0.05);
  ck_assert (rule->needs_pq && rule->needs_hlg);
  assert_needs (policy, "histogram+luma", "");
}

TEST (test_event)
{
  g_autoptr (Policy) policy = load_text ("[cuts]\nevent=scene-change\nmax-count=18446744073709551615\nshare=0.25\n");
  const Rule *rule = get_rule (policy, 0);

  ck_assert_int_eq (rule->severity, RULE_SEVERITY_ERROR);
  ck_assert_int_eq (rule->subject, RULE_SUBJECT_EVENT);
  ck_assert_str_eq (rule->event, "scene-change");
  ck_assert_uint_eq (rule->max_count, G_MAXUINT64);
  assert_equals_float (rule->share, 0.25);
  ck_assert_uint_eq (rule->duration, 0);
  ck_assert (!rule->needs_pq && !rule->needs_hlg);
  assert_needs (policy, "", "scene-change");
}

TEST (test_constant)
{
  g_autoptr (Policy) policy = load_text ("[picture]\nconstant=active-picture\ntolerance=2\nduration=1\nshare=0.1\n");
  const Rule *rule = get_rule (policy, 0);

  ck_assert_int_eq (rule->subject, RULE_SUBJECT_CONSTANT);
  assert_equals_float (rule->tolerance, 2);
  ck_assert_uint_eq (rule->duration, GST_SECOND);
  assert_equals_float (rule->share, 0.1);
}

static const struct {
  const gchar *name;
  Declared declared;
  const gchar *statistics, *events;
} declared[] = {
  { "duration", DECLARED_DURATION, "", "" },    { "frames", DECLARED_FRAMES, "", "" },
  { "framerate", DECLARED_FRAMERATE, "", "" },  { "range", DECLARED_RANGE, "histogram+luma", "" },
  { "depth", DECLARED_DEPTH, "used-bits", "" }, { "damage", DECLARED_DAMAGE, "", "damaged" },
  { "max-cll", DECLARED_MAX_CLL, "hdr", "" },   { "max-fall", DECLARED_MAX_FALL, "active-picture+hdr", "" },
};

TEST_LOOP (test_declared, 0, G_N_ELEMENTS (declared))
{
  g_autofree gchar *text = g_strdup_printf ("[film]\ndeclared=%s\n", declared[__i__].name);
  g_autoptr (Policy) policy = load_text (text);

  ck_assert_int_eq (get_rule (policy, 0)->subject, RULE_SUBJECT_DECLARED);
  ck_assert_int_eq (get_rule (policy, 0)->declared, declared[__i__].declared);
  assert_needs (policy, declared[__i__].statistics, declared[__i__].events);
}

/* Of several statistics with a field, the cheapest is measured. */
TEST (test_needs)
{
  g_autoptr (Policy) policy = load_text ("[a]\nfield=difference\ncomponent=Y\nmax=9\n"
                                         "[b]\nfield=light-max-fall-active\nmax=400\n"
                                         "[c]\nfield=missing\nmax=0\n"
                                         "[d]\nfield=height\nmin=1080\n"
                                         "[e]\nfield=reference-offset\nmin=-5\n"
                                         "[f]\nevent=black\n");

  assert_needs (policy, "difference+active-picture+hdr", "black+damaged");
  assert_equals_float (get_rule (policy, 4)->min, -5);
}

/* ---- joined policies ----------------------------------------------------------------------------------------------- */

TEST (test_join)
{
  g_autoptr (Policy) policy = load ("r103+black");

  ck_assert_str_eq (policy->name, "r103+black");
  ck_assert_str_eq (policy->title, "EBU R 103: video levels + Black frames");
  ck_assert_uint_eq (g_strv_length (policy->not_covered), 5);
  ck_assert_str_eq (policy->not_covered[2], "r103: Y of RGB video is not checked");
  ck_assert_str_eq (policy->url, "");
  ck_assert_uint_eq (policy->rules->len, 2);
  ck_assert_str_eq (get_rule (policy, 0)->name, "r103/levels");
  ck_assert_str_eq (get_rule (policy, 1)->name, "black/black");
  assert_needs (policy, "gamut", "black");
}

TEST (test_join_file)
{
  const gchar *path = make_path ("a+b.policy");
  g_autofree gchar *names = g_strdup_printf ("freeze+%s+black", path);

  write_text (path, "[cuts]\nevent=scene-change\n");
  g_autoptr (Policy) policy = load (names);
  ck_assert_str_eq (policy->name, "freeze+a+b+black");
  ck_assert_str_eq (policy->source, "FFmpeg, filter freezedetect, with its default duration; FFmpeg, filter blackdetect, with "
                                    "its default duration");
  ck_assert_str_eq (get_rule (policy, 1)->name, "a+b/cuts");
}

static const struct {
  const gchar *names, *message;
} wrong_names[] = {
  { "", "the name of a policy is empty. Use a file or one of archive, black" },
  { "r103+", "the name of a policy is empty" },
  { "+r103", "the name of a policy is empty" },
  { "blak", "unknown policy `blak`. Use one of archive, black, broadcast-range, declared, freeze, hdr10, letterbox, r103, or a "
            "file that ends in .policy" },
  { "r103+blak+black", "unknown policy `blak`" },
  { "black+r103+black", "two policies are named `black`: remove or rename one" },
  { "none.policy", "cannot read the policy `none.policy`: No such file or directory" },
  { "./none", "cannot read the policy `./none`: No such file or directory" },
  { "r103+/", "cannot read the policy `/`: Is a directory" },
  { "/dev/zero", "/dev/zero: the file is larger than 1 MiB" },
};

TEST_LOOP (test_wrong_names, 0, G_N_ELEMENTS (wrong_names))
{
  g_autoptr (GError) error = NULL;

  ck_assert (policy_load (wrong_names[__i__].names, &error) == NULL);
  ck_assert (g_error_matches (error, POLICY_ERROR, 0));
  ck_assert_msg (g_str_has_prefix (error->message, wrong_names[__i__].message), "%s", error->message);
}

TEST (test_same_file_name)
{
  const gchar *path = make_path ("black.policy");
  g_autofree gchar *names = g_strdup_printf ("black+%s", path);
  g_autoptr (GError) error = NULL;

  write_text (path, "[cuts]\nevent=scene-change\n");
  ck_assert (policy_load (names, &error) == NULL);
  ck_assert_str_eq (error->message, "two policies are named `black`: remove or rename one");
}

/* ---- errors in files ----------------------------------------------------------------------------------------------- */

#define FIELD "[a]\nfield=out-of-gamut\n"
#define LUMA "[a]\nfield=max\ncomponent=luma\n"

static const struct {
  const gchar *text, *message; /* after the name of the file */
} errors[] = {
  /* The file */
  { "", ": the file has no rule" },
  { "# nothing\n\n", ": the file has no rule" },
  { "[policy]\ntitle=House\n", ": the file has no rule" },
  { "[a]\n\nabout=\xff\n", ":3: the text is not UTF-8" },
  { "[a]\nblack\n", ":2: a line is a section such as [black], a key such as max=1, or a comment (#)" },
  { "[a]\n=1\n", ":2: a line is a section such as [black], a key such as max=1, or a comment (#)" },
  { "# house\nevent=black\n[a]\n", ":2: key `event` is before the first section" },
  { "[a\nevent=black\n", ":1: the name of a section is text in brackets, such as [black]" },
  { "[]\nevent=black\n", ":1: the name of a section is text in brackets, such as [black]" },
  { "[\nevent=black\n", ":1: the name of a section is text in brackets, such as [black]" },
  { "[a]b]\nevent=black\n", ":1: the name of a section is text in brackets, such as [black]" },
  { "[a] b\nevent=black\n", ":1: the name of a section is text in brackets, such as [black]" },
  { "[a\x01]\nevent=black\n", ":1: the name of a section is text in brackets, such as [black]" },
  { "[a]\nevent=black\n\n[b]\nevent=freeze\n[a]\nevent=clipped\n", ":6: section [a] is also on line 1" },
  { "[a]\nevent=black\n  event = freeze\n", ":3: key `event` is also on line 2" },
  { "[policy]\ntitle=House\ntitel=House\n[a]\nevent=black\n", ":3: unknown key `titel` of section [policy]" },
  /* Keys and subjects */
  { "[a]\nevent=black\nmaxx=1\n", ":3: unknown key `maxx`" },
  { "[a]\nevents=black\n", ":2: unknown key `events`" },
  { "[a]\nevent=black\nabout[de]=schwarz\n", ":3: unknown key `about[de]`" },
  { "[b]\nevent=black\n[a]\nabout=x\n", ":3: rule [a] has no subject. Set `field`, `event`, `constant` or `declared`" },
  { "[a]\n", ":1: rule [a] has no subject. Set `field`, `event`, `constant` or `declared`" },
  { "[a]\nevent=black\nfield=mean\n", ":3: rule [a] has two subjects, `event` and `field`: make two rules" },
  { "[a]\nevent=black\nmax=1\n", ":3: `max` does not fit a rule with `event`" },
  { FIELD "max-count=1\n", ":3: `max-count` does not fit a rule with `field`" },
  { FIELD "tolerance=1\n", ":3: `tolerance` does not fit a rule with `field`" },
  { "[a]\nconstant=active-picture\nmin=1\n", ":3: `min` does not fit a rule with `constant`" },
  { "[a]\ndeclared=frames\nduration=1\n", ":3: `duration` does not fit a rule with `declared`" },
  { "[a]\ndeclared=frames\nshare=0.1\n", ":3: `share` does not fit declared=frames" },
  { "[a]\ndeclared=range\ntolerance=1\n", ":3: `tolerance` does not fit declared=range" },
  /* Names */
  { "[a]\nfield=brightness\nmax=1\n", ":2: unknown field `brightness`" },
  { "[a]\nfield=\nmax=1\n", ":2: unknown field ``" },
  { "[a]\nfield=Y-mean\nmax=1\n", ":2: unknown field `Y-mean`. Set field=mean and component=Y" },
  { "[a]\nfield=size\nmax=1\n", ":2: unknown field `size`" },
  { "[a]\nfield=format\nmax=1\n", ":2: field `format` is not a number" },
  { "[a]\nfield=histogram\ncomponent=Y\nmax=1\n", ":2: field `histogram` is not a number" },
  { "[a]\nevent=flash\n", ":2: unknown event `flash`. Use one of black, freeze, scene-change, clipped, damaged" },
  { "[a]\nconstant=mean\n", ":2: unknown constant `mean`. Use one of active-picture" },
  { "[a]\ndeclared=codec\n",
    ":2: unknown declared `codec`. Use one of duration, frames, framerate, range, depth, damage, max-cll, max-fall" },
  { "[a]\nfield=max\ncomponent=W\nmax=1\n",
    ":3: unknown component `W`. Use one of luma, chroma, rgb, all, Y, U, V, R, G, B, A, GRAY, index" },
  { "[a]\nfield=max\nmax=1\n", ":2: field `max` needs `component`, such as luma" },
  { FIELD "component=luma\nmax=1\n", ":3: field `out-of-gamut` belongs to the picture: remove `component`" },
  { FIELD "max=1\nseverity=fatal\n", ":4: unknown severity `fatal`. Use one of error, warning" },
  { FIELD "max=1\ntransfer=sdr\n", ":4: unknown transfer `sdr`. Use one of pq, hlg, pq+hlg, hlg+pq" },
  { LUMA "max=1\nscale=9\n", ":5: unknown scale `9`. Use one of 8, 10, 12, 16" },
  { FIELD "max=1\nscale=8\n", ":4: field `out-of-gamut` is not in sample values: remove `scale`" },
  /* Limits */
  { FIELD, ":1: rule [a] has no limit. Set `min` or `max`" },
  { FIELD "max=\n", ":3: `max` is not a number: " },
  { FIELD "max=0,01\n", ":3: `max` is not a number: 0,01" },
  { FIELD "max=1 %\n", ":3: `max` is not a number: 1 %" },
  { FIELD "max=nan\n", ":3: `max` is not a number: nan" },
  { FIELD "max=inf\n", ":3: `max` is not a number: inf" },
  { FIELD "max=1.01\n", ":3: `max` is not from 0 to 1: 1.01" },
  { FIELD "min=-0.1\n", ":3: `min` is not from 0 to 1: -0.1" },
  { FIELD "min=0.5\nmax=0.4\n", ":3: `min` (0.5) is more than `max` (0.4)" },
  { "[a]\nfield=outliers-count\nmax=-1\n", ":3: `max` is less than 0: -1" },
  { "[a]\nfield=hue-mean\nmax=361\n", ":3: `max` is not from 0 to 360: 361" },
  { "[a]\nfield=depth\nmin=17\n", ":3: `min` is not from 0 to 16: 17" },
  { "[a]\nfield=light-max-nits\nmax=10001\n", ":3: `max` is not from 0 to 10000: 10001" },
  { LUMA "max=256\nscale=8\n", ":4: `max` is not from 0 to 255: 256" },
  { LUMA "max=65536\n", ":4: `max` is not from 0 to 65535: 65536" },
  { FIELD "max=1\nshare=1.5\n", ":4: `share` is not from 0 to 1: 1.5" },
  { FIELD "max=1\nshare=-1\n", ":4: `share` is not from 0 to 1: -1" },
  { FIELD "max=1\nduration=-1\n", ":4: `duration` is not from 0 to 1e+09: -1" },
  { FIELD "max=1\nduration=2s\n", ":4: `duration` is not a number: 2s" },
  { "[a]\nevent=black\nduration=1e30\n", ":3: `duration` is not from 0 to 1e+09: 1e30" },
  { "[a]\nevent=black\nmax-count=-1\n", ":3: `max-count` is not a whole number of events: -1" },
  { "[a]\nevent=black\nmax-count=1.5\n", ":3: `max-count` is not a whole number of events: 1.5" },
  { "[a]\nconstant=active-picture\ntolerance=-1\n", ":3: `tolerance` is less than 0: -1" },
  { "[a]\ndeclared=duration\ntolerance=x\n", ":3: `tolerance` is not a number: x" },
};

TEST_LOOP (test_errors, 0, G_N_ELEMENTS (errors))
{
  const gchar *path = make_path ("house.policy");
  g_autofree gchar *message = g_strconcat (path, errors[__i__].message, NULL);
  g_autoptr (GError) error = NULL;

  write_text (path, errors[__i__].text);
  ck_assert (policy_load (path, &error) == NULL);
  ck_assert (g_error_matches (error, POLICY_ERROR, 0));
  ck_assert_str_eq (error->message, message);
}

/* A file of another kind. */
TEST (test_zero_bytes)
{
  const gchar *path = make_path ("house.policy");
  g_autoptr (GError) error = NULL;

  ck_assert (g_file_set_contents (path, "[a]\nevent=black\n\0", 17, NULL));
  ck_assert (policy_load (path, &error) == NULL);
  ck_assert_msg (g_str_has_suffix (error->message, "house.policy:3: the text is not UTF-8"), "%s", error->message);
}

TEST_MAIN
