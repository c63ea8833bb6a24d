/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "log.h"

#include <stdarg.h>
#include <stdio.h>

const char *
histo_status_text (enum histo_status status)
{
  switch (status) {
  case HISTO_OK:
    return "no error";
  case HISTO_ERROR_INVALID:
    return "an argument is out of range";
  case HISTO_ERROR_UNSUPPORTED:
    return "this kind of frame cannot be counted";
  case HISTO_ERROR_BUSY:
    return "too many frames are in flight";
  case HISTO_ERROR_NO_MEMORY:
    return "out of memory";
  case HISTO_ERROR_NO_DRIVER:
    return "the CUDA driver cannot be used";
  case HISTO_ERROR_NO_DEVICE:
    return "no usable CUDA device";
  case HISTO_ERROR_DEVICE:
    return "the CUDA device failed";
  case HISTO_ERROR_FORKED:
    return "the parent process opened the engine; open another one in the child";
  }
  return "unknown status";
}

void
histo_log (const struct histo_config *config, enum histo_log_level level, const char *format, ...)
{
  char line[512];
  va_list arguments;

  if (!config->log)
    return;
  va_start (arguments, format);
  vsnprintf (line, sizeof line, format, arguments);
  va_end (arguments);
  config->log (config->log_data, level, line);
}
