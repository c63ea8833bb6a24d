/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The statistics that a user can request, and sets of them, each declared once, in statisticlist.h. */

#ifndef CUDAHISTO_FIELDS_STATISTICS_H
#define CUDAHISTO_FIELDS_STATISTICS_H

#include <glib.h>

G_BEGIN_DECLS

/* STATISTIC_HUE and so on: their bits. */
typedef enum {
#define STATISTIC(id, bits, nick, blurb) STATISTIC_##id = (bits),
#include "fields/statisticlist.h"
#undef STATISTIC
} Statistic;

typedef struct {
  guint32 bits;       /* one bit; of a set, several or that of a statistic before it */
  const gchar *nick;  /* the name that users write */
  const gchar *blurb; /* what it measures */
} StatisticDescription;

/* In the order of the list, ended by an entry without a nick. */
extern const StatisticDescription statistic_descriptions[];

/* Returns the nick of the first statistic with this bit; NULL: there is none. */
const gchar *statistic_get_nick (guint32 bit);

G_END_DECLS

#endif
