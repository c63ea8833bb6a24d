/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The statistics that a user can request, and sets of them. statisticlist.h declares each once. */

#pragma once

#include <glib.h>

/* The bits of each: STATISTIC_HUE and so on. */
typedef enum {
#define STATISTIC(id, bits, nick, blurb) STATISTIC_##id = (bits),
#include "fields/statisticlist.h"
#undef STATISTIC
} Statistic;

typedef struct {
  guint32 bits;       /* one bit; of a set, the bits of its statistics */
  const gchar *nick;  /* the name that users write */
  const gchar *blurb; /* what it measures */
} StatisticDescription;

/* In list order. The last entry has no nick. */
extern const StatisticDescription statistic_descriptions[];

/* Returns the nick of the first statistic with this bit, or NULL. */
const gchar *statistic_get_nick (guint32 bit);
