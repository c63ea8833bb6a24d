/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The arguments with which a scan runs `measure`, `check` and `report` for each film. */

#pragma once

#include <glib.h>

/* As the user gives them, as options of `measure` and `check`; NULL: not set. */
typedef struct {
  gchar *statistics, *events, *interval, *backend, *bins, *fields, *timeout, *policy;
  gchar **assignments;
  gboolean has_no_pages;
} ScanSettings;

typedef struct {
  gchar **measure; /* with the statistics and events that the policy needs */
  gchar **judge;   /* of `check` and `report`; empty: there is no policy */
  gboolean has_policy, judges_damage, has_pages;
  gchar *text; /* all of them, and a digest of the policy's files. Results with the same text need not be measured again */
} ScanArguments;

/* Checks the settings, so that a typing error does not fail film by film. Needs GStreamer's plugins. NULL, with an error: a
 * setting is invalid, or the policy needs declarations of the film, which results do not have. */
ScanArguments *scan_arguments_new (const ScanSettings *settings, GError **error);
void scan_arguments_free (ScanArguments *arguments);
