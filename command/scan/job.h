/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The measurement of one film of a scan, by processes of this command: `measure`, `merge`, `check` and `report`. A decoder that
 * crashes then ends one measurement only. They end with this process. */

#pragma once

#include "scan/arguments.h"
#include "scan/films.h"
#include "scan/folder.h"
#include "scan/record.h"

typedef struct _ScanJob ScanJob;

/* Starts it. `lock`: from scan_paths_lock(); the job releases it. `done` is called
 * once, in GLib's main context, with the record, which is valid during the call; NULL: the job was interrupted, or its files
 * cannot be written, which was reported. The job is freed afterwards. `film` and `arguments` must
 * outlive it. */
ScanJob *scan_job_start (const ScanFilm *film, const gchar *folder, const ScanArguments *arguments, int lock,
                         void (*done) (ScanJob *job, const ScanFilm *film, const ScanRecord *record, gpointer data),
                         gpointer data);

/* Ends it in an orderly way, without a record. */
void scan_job_interrupt (ScanJob *job);
