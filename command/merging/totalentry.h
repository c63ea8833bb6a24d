/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A field of a total, and how a value is added to it. */

#ifndef CUDAHISTO_TOTALENTRY_H
#define CUDAHISTO_TOTALENTRY_H

#include <gst/gst.h>

#include "lines/number.h"
#include "merging/totalrules.h"

G_BEGIN_DECLS

#define PICTURE -1 /* the scope of what is no component's */

/* Why a field is left out. */
typedef enum {
  WHY_NOT,     /* it is not */
  WHY_LINES,   /* not all results have it, or what it follows from */
  WHY_DEPTH,   /* 256 counters of deeper samples do not tell their values */
  WHY_LENGTH,  /* the arrays are of different lengths */
  WHY_DIFFERS, /* it is not the same in all results */
  WHY_SIZE,    /* it is too large */
  WHY_TIMES,   /* the results do not follow each other, as far as their times or offsets say */
  WHY_UNKNOWN, /* this version does not know how it adds up */
  N_WHY
} Why;

/* A field of the total. */
typedef struct {
  const FieldRule *rule;
  gint scope;    /* PICTURE, or the index of a component */
  guint64 added; /* results that had it */
  guint64 last;  /* the number of the last one, from 1 */
  Why why;
  Wide sum;       /* RULE_SUM, and RULE_OR, RULE_MIN and RULE_MAX */
  guint64 *array; /* RULE_ARRAY */
  gsize length;
  gint64 extent[4];    /* RULE_EXTENT: first and last column, first and last row; first beyond last: none */
  GValue value;        /* the others */
  const gchar *member; /* its name without the component's, with "reference-" */
  gchar name[];
} Entry;

/* A field of `scope`, whose name without the component's begins at `prefix_length`. */
Entry *total_entry_new (const gchar *name, gint scope, gsize prefix_length);
void total_entry_free (gpointer entry);

/* From now on it is left out. The first reason stands. */
void total_entry_leave_out (Entry *entry, Why why);

/* Adds a value by the field's rule; `is_first`: it is of the first result. The caller counts it, in `added` and `last`. */
void total_entry_add (Entry *entry, const GValue *value, gboolean is_first);

/* Gives a field without a value one that follows from others. */
void total_entry_set_double (Entry *entry, gdouble number);
void total_entry_set_uint (Entry *entry, guint number);

/* x, y, width and height of an extent, of which columns and rows may each have none; `is_picture`: then it is all zeros. */
void total_entry_set_rectangle (Entry *entry, const gint64 extent[4], gboolean is_picture);

G_END_DECLS

#endif
