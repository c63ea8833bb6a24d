/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Lines for the log. log.c also has histo_status_text. */

#pragma once

#include <cudahisto/histo.h>

/* Formats one line and passes it to config->log, if set. */
void histo_log (const struct histo_config *config, enum histo_log_level level, const char *format, ...)
    __attribute__ ((format (printf, 3, 4)));
