/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Derived numbers of a total (means, percentiles, differences), and required ones. */

#ifndef CUDAHISTO_TOTALDERIVE_H
#define CUDAHISTO_TOTALDERIVE_H

#include <glib.h>

#include "merging/totalnumbers.h"

G_BEGIN_DECLS

/* Gives each derived field its value, or the reason why it is omitted. `depth`: of samples, in bits. */
void total_derive (Numbers *numbers, guint64 depth);

G_END_DECLS

#endif
