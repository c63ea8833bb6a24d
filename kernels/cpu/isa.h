/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The table of loops that exist for several instruction sets, best first. */

#pragma once

#include "chroma.h"
#include "derive.h"
#include "difference.h"
#include "gamut.h"
#include "light.h"
#include "neighbours.h"
#include "project.h"
#include "range.h"
#include "reduce.h"
#include "values.h"

struct histo_cpu_isa {
  const char *name; /* as in histo_info.device_name */
  uint32_t isa;     /* enum histo_isa, 0 for plain C */
  histo_dot_function dot;
  histo_deep_dot_function deep_dot;
  histo_deep_sums_function deep_sums;
  histo_project_function project;
  histo_difference_function difference;
  histo_deep_difference_function deep_difference;
  histo_bytes_function bytes;
  histo_words_function words;
  histo_outliers_function outliers;
  histo_mark_bytes_function mark_bytes;
  histo_mark_words_function mark_words;
  histo_outside_bytes_function outside_bytes;
  histo_outside_words_function outside_words;
  histo_bound_bytes_function bound_bytes;
  histo_bound_words_function bound_words;
  histo_beyond_bytes_function beyond_bytes;
  histo_beyond_words_function beyond_words;
  histo_colours_function colours;
  histo_light_parts_function light_parts;
  histo_light_codes_function light_codes;
  histo_linear_codes_function linear_codes;
  histo_derive_bytes_function derive_bytes;
  histo_derive_words_function derive_words;
};

/* The best instruction set that the processor has and `isa_disable` (enum histo_isa bits) allows. Never NULL. */
const struct histo_cpu_isa *histo_cpu_choose_isa (uint32_t isa_disable);
