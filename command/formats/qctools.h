/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A report for QCTools (.qctools.xml, .qctools.xml.gz): XML as `ffprobe -show_frames -of xml` writes it, with the tags of
 * signalstats and cropdetect. */

#pragma once

#include <gst/gst.h>

#include "output/output.h"

/* Attributes of the stream are those of the first result. */
void qctools_begin (Output *output);
/* `are_in_others`: for each key of signalstats.h, whether any result has it. */
void qctools_add_frame (Output *output, const GstStructure *result, const gboolean *are_in_others);
void qctools_end (Output *output, const GstStructure *first, const gchar *filename);
