/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "fields/statistics.h"

const StatisticDescription statistic_descriptions[] = {
#define STATISTIC(id, bits, nick, blurb) { STATISTIC_##id, nick, blurb },
#include "fields/statisticlist.h"
#undef STATISTIC
  { 0, NULL, NULL },
};

const gchar *
statistic_get_nick (guint32 bit)
{
  for (const StatisticDescription *one = statistic_descriptions; one->nick != NULL; one++) {
    if (one->bits == bit)
      return one->nick;
  }
  return NULL;
}
