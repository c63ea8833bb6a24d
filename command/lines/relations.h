/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What holds between the numbers of a line, as docs/statistics.md defines them: a mean is the quotient of two others, a
 * histogram adds up to the count. A line in which it does not hold was written by no cudahisto. */

#ifndef CUDAHISTO_RELATIONS_H
#define CUDAHISTO_RELATIONS_H

#include "lines/facts.h"

G_BEGIN_DECLS

/* Components of a picture; lines have fewer. */
#define RELATIONS_MAX_COMPONENTS 64

/* Checks a line. `facts` begins with those of the result; those of a component follow the facts of its picture, those of a
 * region without others between, and those of its comparison with a reference follow its own. Each picture has at most
 * RELATIONS_MAX_COMPONENTS components. Completes facts with those that they have from others. NULL: all relations hold. Else
 * what does not, in words; free with g_free(). */
gchar *relations_check (Facts *facts, guint n_facts);

G_END_DECLS

#endif
