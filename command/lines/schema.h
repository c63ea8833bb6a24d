/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The members of a line and their types, as in docs/messages.md. */

#pragma once

#include <glib.h>

#include "lines/facts.h"

/* The version of the format that is read and written. Lines without a version, from 0.1, count as this one. */
#define SCHEMA_VERSION 1

/* Limit of field names in a file. They are never freed. */
#define SCHEMA_MAX_NAMES 8192

typedef enum {
  TYPE_ANY, /* as written: an unsigned integer, otherwise a double or string */
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
} MemberType;

/* A field of the structures. */
typedef struct _Field Field;

struct _Field {
  MemberType type;
  Fact fact; /* N_FACTS: relations.h does not use it */
  gboolean is_of_reference;
  gsize component_length; /* length of the component's name in `name`; 0: no component */
  Field *next;            /* the field that followed it the last time, a hint for the next lookup; NULL: none */
  gchar name[];
};

/* All fields seen in the lines of a file. */
typedef struct _Schema Schema;

Schema *schema_new (void);
void schema_free (Schema *schema);

/* Returns the field of that name. The member's own name begins at `prefix_length`, and the component's ends at
 * `component_length` (0: no component). The schema owns the field. NULL: the file has more than SCHEMA_MAX_NAMES names. */
const Field *schema_find_field (Schema *schema, const GString *name, gsize prefix_length, gsize component_length);

/* Returns the type of a member, by its own name. */
MemberType schema_find_type (const gchar *member);

/* Returns the index of x, y, width or height, from 0; 4: none of them. */
guint schema_find_place (const gchar *member);
