/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A policy: rules that a film must satisfy. A text file (GKeyFile) has a section for each rule; docs/policies.md describes its
 * keys. */

#pragma once

#include <gst/gst.h>

#include "fields/fields.h"
#include "policy/detected.h"

typedef enum {
  RULE_SUBJECT_FIELD,    /* a number of each result */
  RULE_SUBJECT_EVENT,    /* events of a kind */
  RULE_SUBJECT_CONSTANT, /* the active picture: the same throughout */
  RULE_SUBJECT_DECLARED  /* what the file declares, compared with the decoded film */
} RuleSubject;

typedef enum { RULE_SEVERITY_ERROR, RULE_SEVERITY_WARNING } RuleSeverity;

/* What a file may declare. */
typedef enum {
  DECLARED_DURATION,  /* s */
  DECLARED_FRAMES,    /* that the container counts */
  DECLARED_FRAMERATE, /* frames/s */
  DECLARED_RANGE,     /* limited: `share` is the fraction of the luma samples that may be beyond it */
  DECLARED_DEPTH,     /* bits that are used */
  DECLARED_DAMAGE,    /* missing and damaged frames */
  DECLARED_MAX_CLL,   /* nits */
  DECLARED_MAX_FALL,
  N_DECLARED
} Declared;

typedef struct {
  gchar *name;      /* of the policy and of its section: "house/black" */
  gchar *about;     /* a sentence for people; the name if the file has none */
  gchar *reference; /* the document, or "" */
  RuleSeverity severity;
  RuleSubject subject;

  const FieldDescription *field; /* RULE_SUBJECT_FIELD */
  gchar *component;              /* of a field of components: "luma", "chroma", "rgb", "all" or a name; otherwise NULL */
  gchar *event;                  /* RULE_SUBJECT_EVENT: "black" */
  Declared declared;             /* RULE_SUBJECT_DECLARED */

  gdouble min, max;      /* a value at the limit passes; -INFINITY, INFINITY: no limit */
  guint scale;           /* bits of the sample values in `min` and `max`, which are scaled to the film's depth; 0: not scaled */
  GstClockTime duration; /* shorter runs of frames, and shorter events, pass */
  gdouble share;         /* fraction of the film's frames that may be beyond the limit */
  guint64 max_count;     /* events that pass */
  gdouble tolerance;     /* pixels of each side, or the unit of `declared` */
  gboolean is_required;  /* RULE_SUBJECT_DECLARED: fails if the file declares nothing */
  gboolean needs_pq, needs_hlg; /* only films of these transfer functions; neither: any film */
} Rule;

typedef struct {
  gchar *name; /* "r103", or the file's name without its suffix */
  gchar *title, *source, *url;
  gchar **files;       /* paths of those that are not built in; NULL-terminated */
  gchar **not_covered; /* parts of the document that no rule checks */
  GPtrArray *rules;    /* Rule, in the order of the file */
} Policy;

#define POLICY_ERROR (policy_error_quark ())
GQuark policy_error_quark (void);

/* Loads built-in policies and files, which `+` joins; a path has a `/` or ends in ".policy". If there are several, their titles
 * and sources are joined. NULL: `error` names the file, the line and the reason. */
Policy *policy_load (const gchar *names, GError **error);
void policy_free (Policy *policy);

/* Names of the built-in policies, NULL-terminated. Static. */
const gchar *const *policy_list (void);

/* The text of a built-in policy, as a start for one's own. NULL: there is none. Free with g_free(). */
gchar *policy_get_text (const gchar *name);

/* What cudahisto has to measure for these rules: values of `statistics` and `events`, joined by `+`; "": none. Free with
 * g_free(). */
gchar *policy_get_statistics (const Policy *policy);
gchar *policy_get_events (const Policy *policy);

/* The events that cudahisto detects for these rules, some of them shorter than the rules require. */
Detected policy_get_detected (const Policy *policy);

/* Properties of the element that a measurement for a policy sets; NULL-terminated. */
extern const gchar *const policy_properties[];

/* The minimum durations of these events as settings of the element: "black-min-duration=500000000". Free with g_strfreev(). */
gchar **policy_get_settings (const Policy *policy);
