/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The CUDA backend of a build without the CUDA toolkit: open fails and logs the cause. */

#include "backend.h"
#include "log.h"

static enum histo_status
open_stub (const struct histo_config *config, struct histo_info *info, void **state)
{
  (void)info;
  *state = NULL;
  histo_log (config, HISTO_LOG_ERROR, "this build of cudahisto has no CUDA backend: it was built without the CUDA toolkit");
  return HISTO_ERROR_NO_DRIVER;
}

const struct histo_backend_ops histo_backend_cuda = { .name = "cuda", .open = open_stub };
