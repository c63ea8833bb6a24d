/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The relations between the numbers of a line, as docs/statistics.md defines them. For example, a mean is the quotient of two
 * others, and a histogram adds up to the count. cudahisto never writes a line that violates one. */

#pragma once

#include "lines/facts.h"

/* Components of a picture; real lines have fewer. */
#define RELATIONS_MAX_COMPONENTS 64

/* Checks a line. `facts` begins with the result's. A component's facts follow those of its picture, a region's are contiguous,
 * and those of a comparison with a reference follow their component's. Each picture has at most RELATIONS_MAX_COMPONENTS
 * components. Completes facts that follow from others. Returns a description of the violated relation, or NULL. Free with
 * g_free(). */
gchar *relations_check (Facts *facts, guint n_facts);
