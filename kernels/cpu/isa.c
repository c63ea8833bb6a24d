/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "isa.h"

/* Best first, plain C last. */
static const struct histo_cpu_isa isas[] = {
#if defined(__x86_64__)
  {
      .name = "avx2",
      .isa = HISTO_ISA_AVX2,
      .dot = histo_dot_avx2,
      .deep_dot = histo_deep_dot_avx2,
      .deep_sums = histo_deep_sums_avx2,
      .project = histo_project_avx2,
      .difference = histo_difference_avx2,
      .deep_difference = histo_deep_difference_avx2,
      .bytes = histo_bytes_avx2,
      .words = histo_words_avx2,
      .outliers = histo_outliers_avx2,
      .mark_bytes = histo_mark_bytes_avx2,
      .mark_words = histo_mark_words_avx2,
      .outside_bytes = histo_outside_bytes_avx2,
      .outside_words = histo_outside_words_avx2,
      .bound_bytes = histo_bound_bytes_avx2,
      .bound_words = histo_bound_words_avx2,
      .beyond_bytes = histo_beyond_bytes_avx2,
      .beyond_words = histo_beyond_words_avx2,
      .colours = histo_colours_avx2,
      .light_parts = histo_light_parts_avx2,
      .light_codes = histo_light_codes_avx2,
      .linear_codes = histo_linear_codes_avx2,
      .derive_bytes = histo_derive_bytes_avx2,
      .derive_words = histo_derive_words_avx2,
  },
#endif
  {
      .name = "c",
      .isa = 0,
      .dot = histo_dot_c,
      .deep_dot = histo_deep_dot_c,
      .deep_sums = histo_deep_sums_c,
      .project = histo_project_c,
      .difference = histo_difference_c,
      .deep_difference = histo_deep_difference_c,
      .bytes = histo_bytes_c,
      .words = histo_words_c,
      .outliers = histo_outliers_c,
      .mark_bytes = histo_mark_bytes_c,
      .mark_words = histo_mark_words_c,
      .outside_bytes = histo_outside_bytes_c,
      .outside_words = histo_outside_words_c,
      .bound_bytes = histo_bound_bytes_c,
      .bound_words = histo_bound_words_c,
      .beyond_bytes = histo_beyond_bytes_c,
      .beyond_words = histo_beyond_words_c,
      .colours = histo_colours_c,
      .light_parts = histo_light_parts_c,
      .light_codes = histo_light_codes_c,
      .linear_codes = histo_linear_codes_c,
      .derive_bytes = histo_derive_bytes_c,
      .derive_words = histo_derive_words_c,
  },
};

static bool
has_isa (uint32_t isa)
{
#if defined(__x86_64__)
  if (isa == HISTO_ISA_AVX2)
    return __builtin_cpu_supports ("avx2");
#endif
  return isa == 0;
}

const struct histo_cpu_isa *
histo_cpu_choose_isa (uint32_t isa_disable)
{
  const struct histo_cpu_isa *isa = isas;

  while ((isa->isa & isa_disable) != 0 || !has_isa (isa->isa))
    isa++;
  return isa;
}
