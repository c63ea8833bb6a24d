/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "policy/policyrule.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define FIELD_RULE (1 << RULE_SUBJECT_FIELD)
#define EVENT_RULE (1 << RULE_SUBJECT_EVENT)
#define CONSTANT_RULE (1 << RULE_SUBJECT_CONSTANT)
#define DECLARED_RULE (1 << RULE_SUBJECT_DECLARED)
#define ANY_RULE (FIELD_RULE | EVENT_RULE | CONSTANT_RULE | DECLARED_RULE)

#define LONGEST_DURATION 1e9 /* s */
#define MOST_BITS 16
#define N_SUBJECTS 4

/* Keys, and the subjects that they fit. The first N_SUBJECTS are the subjects, in the order of RuleSubject. */
static const struct {
  const gchar *name;
  guint subjects;
} keys[] = {
  { "field", FIELD_RULE },
  { "event", EVENT_RULE },
  { "constant", CONSTANT_RULE },
  { "declared", DECLARED_RULE },
  { "about", ANY_RULE },
  { "reference", ANY_RULE },
  { "severity", ANY_RULE },
  { "transfer", ANY_RULE },
  { "component", FIELD_RULE },
  { "min", FIELD_RULE },
  { "max", FIELD_RULE },
  { "scale", FIELD_RULE },
  { "duration", FIELD_RULE | EVENT_RULE | CONSTANT_RULE },
  { "share", ANY_RULE },
  { "max-count", EVENT_RULE },
  { "tolerance", CONSTANT_RULE | DECLARED_RULE },
  { "required", DECLARED_RULE },
};

static const gchar *const declared_names[]
    = { "duration", "frames", "framerate", "range", "depth", "damage", "max-cll", "max-fall", NULL };
static const gchar *const components[]
    = { "luma", "chroma", "rgb", "all", "Y", "U", "V", "R", "G", "B", "A", "GRAY", "index", NULL };
static const gchar *const severities[] = { "error", "warning", NULL };
static const gchar *const scales[] = { "8", "10", "12", "16", NULL };
static const gchar *const transfers[] = { "pq", "hlg", "pq+hlg", "hlg+pq", NULL };
static const gchar *const answers[] = { "no", "yes", NULL };
static const gchar *const constants[] = { "active-picture", NULL };

G_STATIC_ASSERT (G_N_ELEMENTS (declared_names) == N_DECLARED + 1);

typedef struct {
  const PolicyFile *file;
  const gchar *section;
  Rule *rule;
  GError **error;
} RuleReader;

void
policy_rule_free (Rule *rule)
{
  if (rule == NULL)
    return;
  g_free (rule->name);
  g_free (rule->about);
  g_free (rule->reference);
  g_free (rule->component);
  g_free (rule->event);
  g_free (rule);
}

/* ---- values -------------------------------------------------------------------------------------------------------- */

/* Sets *index to the position of the value in `names`, unless the file lacks the key. FALSE: `names` lacks the value. */
static gboolean
reader_get_name (const RuleReader *reader, const gchar *key, const gchar *const *names, gint *index)
{
  g_autofree gchar *text = policy_file_get (reader->file, reader->section, key);
  g_autofree gchar *list = NULL;

  if (text == NULL)
    return TRUE;
  for (gint i = 0; names[i] != NULL; i++) {
    if (g_str_equal (names[i], text)) {
      *index = i;
      return TRUE;
    }
  }
  list = g_strjoinv (", ", (gchar **)names);
  policy_file_fail (reader->file, reader->section, key, reader->error, "unknown %s `%s`. Use one of %s", key, text, list);
  return FALSE;
}

static gboolean
reader_get_number (const RuleReader *reader, const gchar *key, gdouble least, gdouble greatest, gdouble *number)
{
  return policy_file_get_number (reader->file, reader->section, key, least, greatest, number, reader->error);
}

static gboolean
reader_get_duration (const RuleReader *reader)
{
  gdouble seconds = 0;

  if (!reader_get_number (reader, "duration", 0, LONGEST_DURATION, &seconds))
    return FALSE;
  reader->rule->duration = (GstClockTime)llround (seconds * GST_SECOND);
  return TRUE;
}

static gboolean
reader_get_count (const RuleReader *reader)
{
  g_autofree gchar *text = policy_file_get (reader->file, reader->section, "max-count");

  if (text == NULL || g_ascii_string_to_unsigned (text, 10, 0, G_MAXUINT64, &reader->rule->max_count, NULL))
    return TRUE;
  policy_file_fail (reader->file, reader->section, "max-count", reader->error,
                    "`max-count` is not a whole number of events: %s", text);
  return FALSE;
}

/* Reads the keys that any rule may have. */
static gboolean
reader_get_common (const RuleReader *reader)
{
  Rule *rule = reader->rule;
  gint severity = RULE_SEVERITY_ERROR, transfer = -1;

  rule->name = g_strdup (reader->section);
  rule->about = policy_file_get (reader->file, reader->section, "about");
  if (rule->about == NULL)
    rule->about = g_strdup (rule->name);
  rule->reference = policy_file_get (reader->file, reader->section, "reference");
  if (rule->reference == NULL)
    rule->reference = g_strdup ("");
  rule->min = -INFINITY;
  rule->max = INFINITY;
  if (!reader_get_name (reader, "severity", severities, &severity)
      || !reader_get_name (reader, "transfer", transfers, &transfer))
    return FALSE;
  rule->severity = (RuleSeverity)severity;
  rule->needs_pq = transfer >= 0 && strstr (transfers[transfer], "pq") != NULL;
  rule->needs_hlg = transfer >= 0 && strstr (transfers[transfer], "hlg") != NULL;
  return TRUE;
}

/* ---- fields -------------------------------------------------------------------------------------------------------- */

static const FieldDescription *
find_field (const gchar *name)
{
  for (FieldId id = FIELD_ID_NONE + 1; id < N_FIELDS; id++) {
    const FieldDescription *field = field_describe (id);

    if (field->scope != FIELD_SCOPE_REGION && field->scope != FIELD_SCOPE_BYTES && g_str_equal (field->name, name))
      return field;
  }
  return NULL;
}

static gboolean
field_is_number (const FieldDescription *field)
{
  switch (field->type) {
  case FIELD_TYPE_INT:
  case FIELD_TYPE_INT64:
  case FIELD_TYPE_UINT:
  case FIELD_TYPE_UINT64:
  case FIELD_TYPE_WIDE:
  case FIELD_TYPE_DOUBLE:
    return TRUE;
  default:
    return FALSE;
  }
}

/* Returns whether its values are sample values, or distances between them, which grow with the depth. */
static gboolean
field_is_level (const FieldDescription *field)
{
  switch (field->id) {
  case FIELD_ID_SATURATION_MIN:
  case FIELD_ID_SATURATION_LOW:
  case FIELD_ID_SATURATION_MEAN:
  case FIELD_ID_SATURATION_HIGH:
  case FIELD_ID_SATURATION_MAX:
  case FIELD_ID_METERED_LUMA:
  case FIELD_ID_MEAN:
  case FIELD_ID_STDDEV:
  case FIELD_ID_MIN:
  case FIELD_ID_MAX:
  case FIELD_ID_LOW:
  case FIELD_ID_MEDIAN:
  case FIELD_ID_HIGH:
  case FIELD_ID_DIFFERENCE:
  case FIELD_ID_REFERENCE_DIFFERENCE:
    return TRUE;
  default:
    return FALSE;
  }
}

static gdouble
field_get_greatest (const FieldDescription *field, guint scale)
{
  static const struct {
    const gchar *unit;
    gdouble greatest;
  } units[] = { { "fraction", 1 }, { "degrees", 360 }, { "bits", MOST_BITS }, { "nits", 10000 } };

  for (guint i = 0; i < G_N_ELEMENTS (units); i++) {
    if (g_strcmp0 (field->unit, units[i].unit) == 0)
      return units[i].greatest;
  }
  return field_is_level (field) ? ldexp (1, (int)(scale != 0 ? scale : MOST_BITS)) - 1 : DBL_MAX;
}

static gboolean
reader_find_field (const RuleReader *reader)
{
  g_autofree gchar *name = policy_file_get (reader->file, reader->section, "field");
  const FieldDescription *of_component = field_find_in_message (name);
  const FieldDescription *field = reader->rule->field = find_field (name);

  if (field != NULL && field_is_number (field))
    return TRUE;
  if (field != NULL) {
    policy_file_fail (reader->file, reader->section, "field", reader->error, "field `%s` is not a number", name);
  } else if (of_component != NULL && field_is_of_component (of_component)) {
    policy_file_fail (reader->file, reader->section, "field", reader->error,
                      "unknown field `%s`. Set field=%s and component=%.*s", name, of_component->name,
                      (int)(strlen (name) - strlen (of_component->name) - 1), name);
  } else {
    policy_file_fail (reader->file, reader->section, "field", reader->error, "unknown field `%s`", name);
  }
  return FALSE;
}

static gboolean
reader_get_component (const RuleReader *reader)
{
  const gboolean has_components = field_is_of_component (reader->rule->field);
  gint component = -1;

  if (!reader_get_name (reader, "component", components, &component))
    return FALSE;
  if (component >= 0 && !has_components) {
    policy_file_fail (reader->file, reader->section, "component", reader->error,
                      "field `%s` belongs to the picture: remove `component`", reader->rule->field->name);
    return FALSE;
  }
  if (component < 0 && has_components) {
    policy_file_fail (reader->file, reader->section, "field", reader->error, "field `%s` needs `component`, such as luma",
                      reader->rule->field->name);
    return FALSE;
  }
  reader->rule->component = component >= 0 ? g_strdup (components[component]) : NULL;
  return TRUE;
}

static gboolean
reader_get_scale (const RuleReader *reader)
{
  gint scale = -1;

  if (!reader_get_name (reader, "scale", scales, &scale))
    return FALSE;
  if (scale >= 0 && !field_is_level (reader->rule->field)) {
    policy_file_fail (reader->file, reader->section, "scale", reader->error,
                      "field `%s` is not in sample values: remove `scale`", reader->rule->field->name);
    return FALSE;
  }
  reader->rule->scale = scale >= 0 ? (guint)g_ascii_strtoull (scales[scale], NULL, 10) : 0;
  return TRUE;
}

static gboolean
reader_get_limits (const RuleReader *reader)
{
  Rule *rule = reader->rule;
  const gdouble least = rule->field->type == FIELD_TYPE_INT64 ? -DBL_MAX : 0;
  const gdouble greatest = field_get_greatest (rule->field, rule->scale);

  if (!reader_get_number (reader, "min", least, greatest, &rule->min)
      || !reader_get_number (reader, "max", least, greatest, &rule->max))
    return FALSE;
  if (isinf (rule->min) && isinf (rule->max))
    policy_file_fail (reader->file, reader->section, NULL, reader->error, "rule [%s] has no limit. Set `min` or `max`",
                      reader->section);
  else if (rule->min > rule->max)
    policy_file_fail (reader->file, reader->section, "min", reader->error, "`min` (%g) is more than `max` (%g)", rule->min,
                      rule->max);
  else
    return TRUE;
  return FALSE;
}

/* ---- subjects ------------------------------------------------------------------------------------------------------ */

static gboolean
reader_read_field (const RuleReader *reader)
{
  return reader_find_field (reader) && reader_get_component (reader) && reader_get_scale (reader) && reader_get_limits (reader)
         && reader_get_duration (reader) && reader_get_number (reader, "share", 0, 1, &reader->rule->share);
}

static gboolean
reader_read_event (const RuleReader *reader)
{
  gint event = 0;

  if (!reader_get_name (reader, "event", detected_kinds, &event))
    return FALSE;
  reader->rule->event = g_strdup (detected_kinds[event]);
  return reader_get_duration (reader) && reader_get_count (reader)
         && reader_get_number (reader, "share", 0, 1, &reader->rule->share);
}

static gboolean
reader_read_constant (const RuleReader *reader)
{
  gint constant = 0;

  return reader_get_name (reader, "constant", constants, &constant) && reader_get_duration (reader)
         && reader_get_number (reader, "share", 0, 1, &reader->rule->share)
         && reader_get_number (reader, "tolerance", 0, DBL_MAX, &reader->rule->tolerance);
}

static gboolean
reader_read_declared (const RuleReader *reader)
{
  gint declared = 0, is_required = 0;

  if (!reader_get_name (reader, "declared", declared_names, &declared)
      || !reader_get_name (reader, "required", answers, &is_required))
    return FALSE;
  reader->rule->declared = (Declared)declared;
  reader->rule->is_required = is_required;
  const gchar *unfit = declared == DECLARED_RANGE ? "tolerance" : "share";
  g_autofree gchar *value = policy_file_get (reader->file, reader->section, unfit);
  if (value != NULL) {
    policy_file_fail (reader->file, reader->section, unfit, reader->error, "`%s` does not fit declared=%s", unfit,
                      declared_names[declared]);
    return FALSE;
  }
  return reader_get_number (reader, "share", 0, 1, &reader->rule->share)
         && reader_get_number (reader, "tolerance", 0, DBL_MAX, &reader->rule->tolerance);
}

static guint
find_key (const gchar *name)
{
  guint i = 0;

  while (i < G_N_ELEMENTS (keys) && !g_str_equal (keys[i].name, name))
    i++;
  return i;
}

static gboolean
reader_check_keys (const RuleReader *reader, const gchar *const *names)
{
  for (guint i = 0; names[i] != NULL; i++) {
    if (find_key (names[i]) == G_N_ELEMENTS (keys)) {
      policy_file_fail (reader->file, reader->section, names[i], reader->error, "unknown key `%s`", names[i]);
      return FALSE;
    }
  }
  return TRUE;
}

/* Sets the subject. FALSE: the section has none, or two. */
static gboolean
reader_find_subject (const RuleReader *reader, const gchar *const *names)
{
  guint found = N_SUBJECTS;

  for (guint i = 0; names[i] != NULL; i++) {
    const guint key = find_key (names[i]);

    if (key < N_SUBJECTS && found < N_SUBJECTS) {
      policy_file_fail (reader->file, reader->section, names[i], reader->error,
                        "rule [%s] has two subjects, `%s` and `%s`: make two rules", reader->section, keys[found].name,
                        names[i]);
      return FALSE;
    }
    found = MIN (found, key);
  }
  reader->rule->subject = (RuleSubject)found;
  if (found == N_SUBJECTS)
    policy_file_fail (reader->file, reader->section, NULL, reader->error,
                      "rule [%s] has no subject. Set `field`, `event`, `constant` or `declared`", reader->section);
  return found < N_SUBJECTS;
}

/* Checks whether the keys fit the subject. */
static gboolean
reader_check_fit (const RuleReader *reader, const gchar *const *names)
{
  const RuleSubject subject = reader->rule->subject;

  for (guint i = 0; names[i] != NULL; i++) {
    if ((keys[find_key (names[i])].subjects & 1u << subject) == 0) {
      policy_file_fail (reader->file, reader->section, names[i], reader->error, "`%s` does not fit a rule with `%s`", names[i],
                        keys[subject].name);
      return FALSE;
    }
  }
  return TRUE;
}

Rule *
policy_rule_new (const PolicyFile *file, const gchar *section, GError **error)
{
  static gboolean (*const read[]) (const RuleReader *reader)
      = { reader_read_field, reader_read_event, reader_read_constant, reader_read_declared };
  g_autoptr (Rule) rule = g_new0 (Rule, 1);
  const RuleReader reader = { file, section, rule, error };
  g_auto (GStrv) list = policy_file_list_keys (file, section);
  const gchar *const *names = (const gchar *const *)list;

  if (!reader_check_keys (&reader, names) || !reader_find_subject (&reader, names) || !reader_check_fit (&reader, names)
      || !reader_get_common (&reader) || !read[rule->subject](&reader))
    return NULL;
  return g_steal_pointer (&rule);
}

/* ---- what to measure ----------------------------------------------------------------------------------------------- */

static guint32
field_get_statistics (const FieldDescription *field, const gchar *component)
{
  guint32 bits = field->statistics & -field->statistics; /* the first one is the cheapest */

  if (field->id == FIELD_ID_LIGHT_MAX_FALL_ACTIVE || field->id == FIELD_ID_LIGHT_MAX_FALL_99_99_ACTIVE)
    bits |= STATISTIC_ACTIVE_PICTURE;
  if (g_strcmp0 (component, "luma") == 0)
    bits |= STATISTIC_LUMA;
  return bits;
}

guint32
policy_rule_get_statistics (const Rule *rule)
{
  static const guint32 of_declared[N_DECLARED] = {
    [DECLARED_RANGE] = STATISTIC_HISTOGRAM | STATISTIC_LUMA,
    [DECLARED_DEPTH] = STATISTIC_USED_BITS,
    [DECLARED_MAX_CLL] = STATISTIC_LIGHT,
    [DECLARED_MAX_FALL] = STATISTIC_LIGHT | STATISTIC_ACTIVE_PICTURE,
  };

  switch (rule->subject) {
  case RULE_SUBJECT_FIELD:
    return field_get_statistics (rule->field, rule->component);
  case RULE_SUBJECT_CONSTANT:
    return STATISTIC_ACTIVE_PICTURE;
  case RULE_SUBJECT_DECLARED:
    return of_declared[rule->declared];
  case RULE_SUBJECT_EVENT:
  default:
    return 0;
  }
}

const gchar *
policy_rule_get_event (const Rule *rule)
{
  const gboolean is_of_damage = rule->subject == RULE_SUBJECT_DECLARED ? rule->declared == DECLARED_DAMAGE
                                : rule->subject == RULE_SUBJECT_FIELD
                                    ? rule->field->id == FIELD_ID_DAMAGED || rule->field->id == FIELD_ID_MISSING
                                    : FALSE;

  return is_of_damage ? "damaged" : rule->event;
}
