/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* How each field of results adds up, as docs/statistics.md says ("Adding results up"). */

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
  RULE_EXTENT,  /* from the first row and column that either has to the last */
  RULE_SOURCE,  /* it has to be the same: else it is another source */
  RULE_SAME,    /* it has to be the same: else it is left out */
  RULE_FIRST,   /* that of the first result */
  RULE_LAST,    /* that of the last one */
  RULE_DERIVED, /* follows from the others */
  RULE_SPAN,    /* of the place in the stream, see totalspan.h */
  RULE_UNKNOWN  /* of a later version: left out */
} Rule;

/* Which results have to have it, so that the total does. */
typedef enum {
  NEED_ALL, /* all that counted something of its scope */
  NEED_ANY, /* any: the others had nothing to say */
  NEED_PAIR /* all that have the field named `pair` */
} Need;

typedef struct {
  const gchar *name; /* a component's without the component's name, and without "reference-" */
  Rule rule;
  Need need;
  const gchar *pair;
} FieldRule;

/* The rule of a field, RULE_UNKNOWN of one that is in no table. */
const FieldRule *total_rules_find (const gchar *name, gboolean is_of_component);

/* Those of all fields that are no component's. */
const FieldRule *total_rules_of_pictures (guint *n_rules);

G_END_DECLS

#endif
