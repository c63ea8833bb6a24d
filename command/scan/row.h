/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A film's row in the index. */

#pragma once

#include <gst/gst.h>

#include "scan/films.h"
#include "scan/folder.h"
#include "scan/record.h"

#define ROW_EVENT_KINDS 5

typedef enum {
  COLUMN_FILM,
  COLUMN_STATUS,
  COLUMN_VERDICT,
  COLUMN_FRAMES,
  COLUMN_FORMAT,
  COLUMN_WIDTH,
  COLUMN_HEIGHT,
  COLUMN_FRAMERATE,
  COLUMN_COLORIMETRY,
  COLUMN_COMPONENT,
  COLUMN_MIN,
  COLUMN_MEAN,
  COLUMN_MAX,
  COLUMN_EVENTS, /* one for each kind */
  COLUMN_SECONDS = COLUMN_EVENTS + ROW_EVENT_KINDS,
  COLUMN_RESULTS,
  COLUMN_PAGE,
  COLUMN_MESSAGE,
  COLUMNS
} Column;

/* Names of the columns. */
extern const gchar *const row_names[COLUMNS];

typedef struct {
  gchar *cells[COLUMNS]; /* NULL: empty */
} Row;

/* Called for the sum of a film. */
typedef void (*RowSum) (const GstStructure *sum, const gchar *const *components, gpointer data);

/* Fills an empty row from the files of a film. `record`: NULL: it is missing. */
void row_fill (Row *row, const ScanFilm *film, const ScanRecord *record, const ScanPaths *paths, RowSum take_sum,
               gpointer data);
void row_clear (Row *row);
