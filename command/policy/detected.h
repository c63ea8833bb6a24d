/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The kinds of events that a measurement detects, and their minimum durations. Results do not state either. */

#pragma once

#include <gst/gst.h>

#define DETECTED_KINDS 5

/* "black", "freeze", "scene-change", "clipped", "damaged", NULL. */
extern const gchar *const detected_kinds[DETECTED_KINDS + 1];

/* All zeros: no kind. */
typedef struct {
  gboolean has_kind[DETECTED_KINDS];
  GstClockTime minima[DETECTED_KINDS]; /* shorter events are not detected */
} Detected;

/* Parses a list such as "black:0.5+freeze+damaged". The numbers are seconds; without one, the element's default applies. FALSE:
 * `error` names the wrong item. */
gboolean detected_parse (Detected *detected, const gchar *list, GError **error);

void detected_add (Detected *detected, const gchar *kind, GstClockTime minimum);

/* Returns whether events of this kind are detected, and sets *minimum. */
gboolean detected_find (const Detected *detected, const gchar *kind, GstClockTime *minimum);
