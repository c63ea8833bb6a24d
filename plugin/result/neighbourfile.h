/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The file that a neighbour reads or writes, so that the sidecar does not overwrite it. */

#pragma once

#include <gst/gst.h>
#include <sys/stat.h>

/* Gets the status of the file at the other end of the pad's link, or beyond. FALSE: unknown. */
gboolean gst_cuda_histo_neighbour_file_stat (GstPad *pad, struct stat *status);
