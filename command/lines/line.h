/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A line of a sidecar as a structure under construction. Values are added one by one, and each gets the type of its field. */

#pragma once

#include <gst/gst.h>

#include "lines/schema.h"

typedef struct {
  GstStructure *result, *region; /* the target of values: the region, if set */
  GPtrArray *regions;            /* GstStructure: the complete regions */
  const Field *field;            /* the field of the next value */
  guint64 *numbers;              /* of the array being read */
  gsize n_numbers, numbers_size;
  guint rectangle[4], rectangle_members; /* and a bit mask of the members seen */
  Facts *facts;                          /* for relations.h */
  guint n_facts, facts_size;
  guint picture;          /* index of the current result or region in `facts` */
  guint component;        /* index of the current component in `facts`; 0: none */
  guint reference;        /* index of the component's reference in `facts`; 0: none yet */
  guint n_components;     /* of the current picture */
  gchar *fault;           /* why the line is not valid */
  gboolean is_impossible; /* the fault is that its numbers contradict each other */
} Line;

void line_init (Line *line);
void line_clear (Line *line);

/* Begins the next line, and frees the data of the last one. */
void line_begin (Line *line);

/* Sets the reason why the line is not valid: a sentence that begins with the cause. The first reason stays. */
void line_refuse (Line *line, const gchar *format, ...) G_GNUC_PRINTF (2, 3);

/* Begin and end a region, or a component of the result or region. The component's name is the field's. */
void line_begin_region (Line *line);
void line_end_region (Line *line);
void line_begin_component (Line *line);
void line_end_component (Line *line);

/* At the end of the line: refuse it if its numbers contradict each other. */
void line_check (Line *line);
void line_check_event (Line *line);

/* Each converts a value to the type of the current field, or refuses the line. A GValue is empty afterwards. */
void line_take_value (Line *line, GValue *value);
void line_take_string (Line *line, const gchar *text, gsize length);
void line_take_fraction (Line *line, const gchar *text, gsize length); /* "30000/1001" */
void line_take_uint64 (Line *line, guint64 number);
void line_take_double (Line *line, gdouble number);

/* A number of at most NUMBER_MAX_DIGITS characters. */
void line_take_number (Line *line, const gchar *text, gsize length);

/* The members of a rectangle (`place`: see schema_find_place()), and its end. */
void line_set_rectangle_member (Line *line, guint place, const gchar *text, gsize length);
void line_take_rectangle (Line *line);

/* The numbers of an array, and its end; packed as in messages, without padding. */
void line_append_number (Line *line, const gchar *text, gsize length);
void line_take_array (Line *line);

/* Stores the complete regions as a field of the result. */
void line_take_regions (Line *line);
