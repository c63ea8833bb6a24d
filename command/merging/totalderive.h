/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Derived numbers of a total (means, percentiles, differences), and required ones. */

#pragma once

#include <glib.h>

#include "merging/totalnumbers.h"

/* Gives each derived field its value, or the reason why it is omitted. `depth`: of samples, in bits. */
void total_derive (Numbers *numbers, guint64 depth);
