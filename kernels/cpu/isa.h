/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The loops that exist for several instruction sets, as a table, best first. */

#ifndef HISTO_CPU_ISA_H
#define HISTO_CPU_ISA_H

#include "project.h"
#include "reduce.h"

struct histo_cpu_isa {
  const char *name; /* as in histo_info.device_name */
  uint32_t isa;     /* enum histo_isa, 0 for plain C */
  histo_dot_function dot;
  histo_deep_dot_function deep_dot;
  histo_deep_sums_function deep_sums;
  histo_project_function project;
};

/* The best that this processor has and `isa_disable` (enum histo_isa bits) allows. Never NULL. */
const struct histo_cpu_isa *histo_cpu_choose_isa (uint32_t isa_disable);

#endif
