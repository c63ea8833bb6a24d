/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "isa.h"

/* Best first, plain C last. */
static const struct histo_cpu_isa isas[] = {
#if defined(__x86_64__)
  { "avx2", HISTO_ISA_AVX2, histo_dot_avx2, histo_deep_dot_avx2, histo_deep_sums_avx2, histo_project_avx2 },
#endif
  { "c", 0, histo_dot_c, histo_deep_dot_c, histo_deep_sums_c, histo_project_c },
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
