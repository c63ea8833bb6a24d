/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The fields of a result, each declared once, in list.h. */

#pragma once

#include <glib.h>

#include "fields/statistics.h"

typedef enum {
  FIELD_ID_NONE,
#define FIELD(id, ...) FIELD_ID_##id,
#include "fields/list.h"
#undef FIELD
  N_FIELDS /* ids are 1 to N_FIELDS - 1 */
} FieldId;

/* The part of a result to which the field belongs. */
typedef enum {
  FIELD_SCOPE_RESULT,     /* the result of any source */
  FIELD_SCOPE_VIDEO,      /* the result of video */
  FIELD_SCOPE_BYTES,      /* the result of a byte stream */
  FIELD_SCOPE_PICTURE,    /* the picture and each region */
  FIELD_SCOPE_SATURATION, /* the same, in the JSON object "saturation" */
  FIELD_SCOPE_HUE,        /* the same, in the JSON object "hue" */
  FIELD_SCOPE_LIGHT,      /* the same, in the JSON object "light" */
  FIELD_SCOPE_REGION,     /* each region: its position and origin */
  FIELD_SCOPE_COMPONENT,  /* each component */
  FIELD_SCOPE_REFERENCE   /* each component's comparison with a reference, in the JSON object "reference" */
} FieldScope;

typedef enum {
  FIELD_TYPE_STRING,
  FIELD_TYPE_INT,
  FIELD_TYPE_INT64,
  FIELD_TYPE_UINT,
  FIELD_TYPE_UINT64,
  FIELD_TYPE_WIDE, /* unsigned, 128 bits. Messages omit it if it exceeds 64 bits */
  FIELD_TYPE_TIME, /* unsigned, in ns. JSON null: unknown */
  FIELD_TYPE_DOUBLE,
  FIELD_TYPE_FRACTION,
  FIELD_TYPE_RECTANGLE, /* x, y, width, height */
  FIELD_TYPE_HISTOGRAM, /* unsigned, 64 bits: 256 bins or one for each value */
  FIELD_TYPE_TABLE,     /* unsigned, 64 bits: rows of 256 bins */
  FIELD_TYPE_SUMS,      /* signed, 64 bits */
  FIELD_TYPE_COUNTERS   /* unsigned, 64 bits. Lines include them with histograms, messages with arrays */
} FieldType;

/* How `cudahisto merge` computes the field of a total. See docs/statistics.md, "Adding results up". */
typedef enum {
  FIELD_ADDITION_UNKNOWN,        /* of a later version: omitted */
  FIELD_ADDITION_SUM,            /* sum. Omitted if a result with samples lacks it */
  FIELD_ADDITION_SUM_IF_ANY,     /* sum of the results that have it */
  FIELD_ADDITION_SUM_WITH_PAIR,  /* sum. Omitted if a result has only one of the field and its `pair` */
  FIELD_ADDITION_SUM_BY_ELEMENT, /* array of sums. Omitted if a result with samples lacks it */
  FIELD_ADDITION_LEAST,          /* minimum. Omitted if a result with samples lacks it */
  FIELD_ADDITION_GREATEST,       /* maximum. Omitted if a result with samples lacks it */
  FIELD_ADDITION_COMBINED_BITS,  /* bitwise OR. Omitted if a result with samples lacks it */
  FIELD_ADDITION_BOUNDING_BOX,   /* smallest rectangle that contains all. Omitted if a result with samples lacks it */
  FIELD_ADDITION_SAME_SOURCE,    /* must be equal: otherwise the results have different sources */
  FIELD_ADDITION_KEPT_IF_SAME,   /* omitted unless equal */
  FIELD_ADDITION_UNITED,         /* `both` unless equal. Omitted if a result lacks it */
  FIELD_ADDITION_MIXED,          /* `mixed` unless equal, or if some results lack it */
  FIELD_ADDITION_KEPT_FIRST,     /* from the first result */
  FIELD_ADDITION_KEPT_LAST,      /* from the last result */
  FIELD_ADDITION_DERIVED,        /* computed from other fields of the total */
  FIELD_ADDITION_SPANNED         /* position in the stream, see command/merging/totalspan.h */
} FieldAddition;

/* The extremes of the field that a report lists. */
typedef enum { FIELD_EXTREMES_LEAST = 1 << 0, FIELD_EXTREMES_GREATEST = 1 << 1 } FieldExtremes;

typedef struct {
  FieldId id;
  const gchar *name; /* in a message without the component: "mean" for "Y-mean" */
  FieldScope scope;
  FieldType type;
  guint32 statistics;   /* any of these (STATISTIC_HUE and so on) enables it. 0: always enabled */
  const gchar *version; /* the release that introduced it; NULL: 0.2, the first */

  /* For docs/messages.md, in Markdown */
  const gchar *unit;      /* NULL: none */
  const gchar *condition; /* NULL: always present in its scope */
  const gchar *meaning;

  FieldAddition addition;
  FieldId pair; /* FIELD_ADDITION_SUM_WITH_PAIR */

  /* Computes the field from `dividend` / `divisor` and the bit depth. Returns NaN if it needs a depth that is 0 or too large.
   * NULL: the field is no quotient. In a picture, the divisor FIELD_ID_COUNT means the count of the first component. */
  gdouble (*formula) (gdouble quotient, guint depth);
  FieldId dividend, divisor;
  gboolean is_null_infinite; /* JSON null: infinite */

  gboolean is_printed; /* `cudahisto show` prints it below the table of levels */

  /* Key in FFmpeg's signalstats, without the component: "AVG" for "YAVG". NULL: none. Keys are ordered by `ffmpeg_place`, whose
   * tens are a group: FFmpeg prints a group of components' fields for Y, then for U, then for V. */
  const gchar *ffmpeg;
  guint ffmpeg_place;

  /* For its chart in a report */
  guint chart_order;       /* position among the charts; equal positions keep the order of the list. 0: no chart */
  const gchar *title;      /* name in a report */
  const gchar *chart_unit; /* "%": the value is a fraction; "level": a sample value; "saturation"; otherwise any unit */
  const gchar *about;      /* sentences that explain it */
  FieldExtremes extremes;
} FieldDescription;

/* Indexed by FieldId. */
extern const FieldDescription field_descriptions[N_FIELDS];

/* Returns the description of a field; NULL for FIELD_ID_NONE. */
const FieldDescription *field_describe (FieldId id);

/* Returns the first field with this name and scope, or NULL. */
const FieldDescription *field_find (const gchar *name, FieldScope scope);

/* Returns the field of this name in a message, with its component's name if it has one ("Y-mean"), or NULL. */
const FieldDescription *field_find_in_message (const gchar *name);

/* Returns the name of the JSON object that contains the fields of this scope, or NULL. */
const gchar *field_scope_get_group (FieldScope scope);

/* Returns the field's name in JSON, which lacks the name of its object. */
const gchar *field_get_member (const FieldDescription *field);

/* Return whether each component, or each picture and region, has the field. */
gboolean field_is_of_component (const FieldDescription *field);
gboolean field_is_of_picture (const FieldDescription *field);

/* Returns whether its formula is the quotient itself. */
gboolean field_is_quotient (const FieldDescription *field);

/* Computes a field that has a formula. `divisor` must not be 0. */
gdouble field_compute (const FieldDescription *field, gdouble dividend, gdouble divisor, guint depth);

/* Returns the fields of components, or of pictures, that have charts, in chart order. NULL-terminated, static. */
const FieldDescription *const *field_list_charts (gboolean are_of_components);

/* Returns the fields with a key in FFmpeg's signalstats, by their places. NULL-terminated, static. */
const FieldDescription *const *field_list_ffmpeg (void);
