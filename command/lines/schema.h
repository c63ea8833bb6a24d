/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The members of a line and their types, as docs/messages.md has them. */

#ifndef CUDAHISTO_SCHEMA_H
#define CUDAHISTO_SCHEMA_H

#include <glib.h>

#include "lines/facts.h"

G_BEGIN_DECLS

/* The version of the format that is read and written. Lines without one, those of 0.1, are taken for such. */
#define SCHEMA_VERSION 1

/* Names of fields in all lines of a file: they are kept for good. */
#define SCHEMA_MAX_NAMES 8192

typedef enum {
  TYPE_ANY, /* as it is written: an unsigned integer, or what it takes */
  TYPE_STRING,
  TYPE_INT,
  TYPE_INT64,
  TYPE_UINT,
  TYPE_UINT64,
  TYPE_TIME, /* null: unknown */
  TYPE_DOUBLE,
  TYPE_PSNR, /* a double; null: infinite */
  TYPE_FRACTION,
  TYPE_RECTANGLE,
  TYPE_WIDE,  /* an unsigned integer of at most 128 bits */
  TYPE_ARRAY, /* of unsigned integers, or of such arrays */
  TYPE_SUMS,  /* of signed integers */
  TYPE_GROUP  /* an object of fields, or an array of such */
} FieldType;

/* A field of the structures. */
typedef struct _Field Field;

struct _Field {
  FieldType type;
  Fact fact; /* N_FACTS: none that relations.h knows */
  gboolean is_of_reference;
  gsize component_length; /* of the part of `name` that is the component's; 0: a field of no component */
  Field *next;            /* which followed it the last time: where the next one is looked for first; NULL: none has */
  gchar name[];
};

/* The fields that the lines of a file have had so far. */
typedef struct _Schema Schema;

Schema *schema_new (void);
void schema_free (Schema *schema);

/* The field of that name, of which the member's own begins at `prefix_length`, and the component's, if it is of one, ends at
 * `component_length`; 0: it is of none. It is the schema's. NULL: the file has had SCHEMA_MAX_NAMES others. */
const Field *schema_find_field (Schema *schema, const GString *name, gsize prefix_length, gsize component_length);

/* The type of a member, by its own name. */
FieldType schema_find_type (const gchar *member);

/* Which of x, y, width and height it is, from 0; 4: none of them. */
guint schema_find_place (const gchar *member);

G_END_DECLS

#endif
