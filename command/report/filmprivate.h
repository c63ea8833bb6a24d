/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Shared by the files film*.c. */

#pragma once

#include "report/active.h"
#include "report/curve.h"
#include "report/film.h"
#include "report/heat.h"
#include "lines/event.h"
#include "lines/runs.h"
#include "lines/sampled.h"
#include "report/series.h"

#define FILM_MAX_REGIONS 16
#define FILM_MAX_PARTS 1000
#define FILM_NONE G_MAXUINT

/* A part of the film with one format. */
typedef struct {
  guint64 result;
  gchar *format, *range, *framerate;
  guint width, height, depth;
  gboolean is_of_fields; /* the frame rate is that of fields */
} Part;

struct _Film {
  gchar *file, *last_input; /* names of the file, and of the input of the last line; "": unknown */
  GString *inputs;          /* all inputs in the file, and where each begins; NULL: there was no line */
  guint n_inputs;
  GPtrArray *warnings, *notes;
  Series *series;
  guint time, end, frame, frame_end, offset, offset_end; /* columns; FILM_NONE for offsets if there are none */
  Heat *heat;
  Active *active;
  GPtrArray *curves;      /* Curve, in order of appearance */
  GHashTable *curve_keys; /* "region\ncomponent": Curve */
  GHashTable *regions;    /* their names, including omitted ones */
  guint n_regions, n_omitted_regions;
  GPtrArray *parts;    /* Part */
  GPtrArray *events;   /* Event */
  GHashTable *open;    /* key: Event that has begun */
  GHashTable *omitted; /* keys of omitted events that have begun */
  guint64 n_results, n_events, n_damaged, n_frames, n_bytes, n_omitted_parts;
  guint64 n_of_fields; /* results of fields, whose frames are fields */
  gchar *backend, *utc_time;
  Sampled sampled;

  Place last;
  gdouble last_frame_end;
  RunsEnd run_end;
  gdouble run_first;    /* the first result of the last run */
  gchar *last_utc_time; /* of the last result, or NULL */
  guint last_depth;
  gboolean has_times, has_frames, has_offsets; /* all results have them, in ascending order */
  gint64 times_lost_at, frames_lost_at;        /* the first result that had none or went back; -1: none */
  gboolean is_time_unknown;
  gboolean has_folded_histograms;
};

/* Returns the time in ns, NaN if it is unknown. */
gdouble film_read_time (GstClockTime time);

/* Returns whether all results have offsets, in order. */
gboolean film_is_of_bytes (const Film *film);

gboolean film_has_histograms (const Film *film);

/* Adds the notes that follow from its contents and its time resolution (filmnotes.c). */
void film_add_notes (Film *film);
