/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A field of a total, and its addition. */

#pragma once

#include <gst/gst.h>

#include "fields/fields.h"
#include "lines/number.h"

#define PICTURE -1 /* the scope of a picture's own fields */

/* Why a field is omitted. */
typedef enum {
  WHY_NOT,     /* it is present */
  WHY_LINES,   /* not all results have it, or its sources */
  WHY_DEPTH,   /* 256 bins do not resolve samples of this depth */
  WHY_LENGTH,  /* the arrays have different lengths */
  WHY_DIFFERS, /* the results differ */
  WHY_SIZE,    /* it is too large */
  WHY_TIMES,   /* by times or offsets, the results are not consecutive */
  WHY_UNKNOWN, /* this version does not know it */
  N_WHY
} Why;

/* A field of the total. */
typedef struct {
  const FieldDescription *field; /* for an unknown field, one with FIELD_ADDITION_UNKNOWN and no name */
  gint scope;                    /* PICTURE, or the index of a component */
  guint64 added;                 /* results that had it */
  guint64 last;                  /* the number of the last one, from 1 */
  Why why;
  Wide sum;       /* additions of integers: sums, FIELD_ADDITION_LEAST, _GREATEST, _COMBINED_BITS */
  guint64 *array; /* FIELD_ADDITION_SUM_BY_ELEMENT */
  gsize length;
  gint64 extent[4];    /* FIELD_ADDITION_BOUNDING_BOX: first and last column, first and last row; first beyond last: none */
  GValue value;        /* all other additions */
  const gchar *member; /* the name without its component, with "reference-" */
  gchar name[];
} Entry;

/* Creates a field of `scope`. Its name without its component begins at `prefix_length`. */
Entry *total_entry_new (const gchar *name, gint scope, gsize prefix_length);
void total_entry_free (gpointer entry);

/* Returns whether the total omits the entry if a result with samples lacks it. */
gboolean total_entry_needs_all (const Entry *entry);

/* Omits it from now on. The first reason stays. */
void total_entry_omit (Entry *entry, Why why);

/* Adds a value as the field's description says. `is_first`: the value is of the first result. The caller updates `added` and
 * `last`. */
void total_entry_add (Entry *entry, const GValue *value, gboolean is_first);

/* Set the value of a derived field. */
void total_entry_set_double (Entry *entry, gdouble number);
void total_entry_set_uint (Entry *entry, guint number);

/* Sets x, y, width and height from an extent, whose columns and rows may each be empty. `is_picture`: if so, sets all
 * to zero. */
void total_entry_set_rectangle (Entry *entry, const gint64 extent[4], gboolean is_picture);
