/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A line of a sidecar as a structure, while it is made: value by value, of which each takes the type of its field. */

#ifndef CUDAHISTO_LINE_H
#define CUDAHISTO_LINE_H

#include <gst/gst.h>

#include "lines/schema.h"

G_BEGIN_DECLS

typedef struct {
  GstStructure *result, *region; /* what the values go into: the region, where there is one */
  GPtrArray *regions;            /* of GstStructure: those that are whole */
  const Field *field;            /* whose value comes */
  guint64 *numbers;              /* of the array that is being read */
  gsize n_numbers, numbers_size;
  guint rectangle[4], rectangle_members; /* and which of its members have come, bit by bit */
  Facts *facts;                          /* as relations.h has them */
  guint n_facts, facts_size;
  guint picture;          /* whose fields come: the result's facts, or a region's */
  guint component;        /* of which a component's fields come; 0: of none */
  guint reference;        /* 0: nothing of the component's reference has come */
  guint n_components;     /* of the picture */
  gchar *fault;           /* why it is none of a sidecar */
  gboolean is_impossible; /* the fault is that its numbers contradict each other */
} Line;

void line_init (Line *line);
void line_clear (Line *line);

/* Begins the next line; what the last one had is freed. */
void line_begin (Line *line);

/* Says why it is none of a sidecar: a sentence that begins with what is wrong. The first one stands. */
void line_refuse (Line *line, const gchar *format, ...) G_GNUC_PRINTF (2, 3);

/* Begins and ends a region, and a component, whose name is the field's, of the result or the region. */
void line_begin_region (Line *line);
void line_end_region (Line *line);
void line_begin_component (Line *line);
void line_end_component (Line *line);

/* When all has come: refuses a line whose numbers contradict each other. */
void line_check (Line *line);
void line_check_event (Line *line);

/* Each takes a value as that of the field that comes, or refuses the line. A GValue is empty afterwards. */
void line_take_value (Line *line, GValue *value);
void line_take_string (Line *line, const gchar *text, gsize length);
void line_take_fraction (Line *line, const gchar *text, gsize length); /* "30000/1001" */
void line_take_uint64 (Line *line, guint64 number);
void line_take_double (Line *line, gdouble number);

/* A number of at most NUMBER_MAX_DIGITS characters, of the type of the field. */
void line_take_number (Line *line, const gchar *text, gsize length);

/* Members of a rectangle, of which `place` is that of schema_find_place(), and then all of it. */
void line_set_rectangle_member (Line *line, guint place, const gchar *text, gsize length);
void line_take_rectangle (Line *line);

/* Numbers of an array, and then all of it, packed as in messages, without padding. */
void line_append_number (Line *line, const gchar *text, gsize length);
void line_take_array (Line *line);

/* The regions that are whole, as a field of the result. */
void line_take_regions (Line *line);

G_END_DECLS

#endif
