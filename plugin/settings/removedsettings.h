/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Properties and values that were removed before 1.0. They can still be written: a property as any text or number, but with
 * g_object_set() as the number of its old type. Each later start then fails, with an error that names the property and the
 * remedy. */

#pragma once

#include <gst/gst.h>

/* The value of an enum's removed name, below all others. */
#define GST_CUDA_HISTO_REMOVED_VALUE (-1)

/* Installs removed properties, as deprecated properties that cannot be read. */
void gst_cuda_histo_removed_install (GObjectClass *object_class);

/* For set_property(): adds the property to `removed`, a set of bits. FALSE: the id is not that of a removed property. */
gboolean gst_cuda_histo_removed_set (guint *removed, guint id);

/* For set_property() of an enum with a removed value. Returns whether `value` is that one. If so, adds it to `removed`;
 * otherwise clears it there. */
gboolean gst_cuda_histo_removed_set_value (guint *removed, const gchar *property, const GValue *value);

/* Returns a sentence that names a property or value of the set, and the remedy. Free with g_free(). NULL: the set is empty. */
gchar *gst_cuda_histo_removed_explain (guint removed);
