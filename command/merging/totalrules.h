/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The rule for adding up each field, as in docs/statistics.md ("Adding results up"). */

#ifndef CUDAHISTO_TOTALRULES_H
#define CUDAHISTO_TOTALRULES_H

#include <glib.h>

G_BEGIN_DECLS

typedef enum {
  RULE_SUM,     /* integers of 128 bits */
  RULE_ARRAY,   /* number by number */
  RULE_MIN,     /* the smaller one */
  RULE_MAX,     /* the larger one */
  RULE_OR,      /* bit by bit */
  RULE_EXTENT,  /* the bounding box of both */
  RULE_SOURCE,  /* must be the same; otherwise it is another source */
  RULE_SAME,    /* must be the same; otherwise it is omitted */
  RULE_FIRST,   /* that of the first result */
  RULE_LAST,    /* that of the last one */
  RULE_DERIVED, /* follows from the others */
  RULE_SPAN,    /* the position in the stream, see totalspan.h */
  RULE_UNKNOWN  /* of a later version: omitted */
} Rule;

/* Which results must have a field, so that the total has it. */
typedef enum {
  NEED_ALL, /* all with samples in its scope */
  NEED_ANY, /* any */
  NEED_PAIR /* all with the field `pair` */
} Need;

typedef struct {
  const gchar *name; /* without its component and "reference-" */
  Rule rule;
  Need need;
  const gchar *pair;
} FieldRule;

/* Returns the rule of a field; RULE_UNKNOWN if the tables do not have it. */
const FieldRule *total_rules_find (const gchar *name, gboolean is_of_component);

/* Returns the rules of all fields that belong to no component. */
const FieldRule *total_rules_of_pictures (guint *n_rules);

G_END_DECLS

#endif
