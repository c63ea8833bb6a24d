/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Scenes, in the formats of editors and FFmpeg. A scene change, or the beginning or end of the film, limits a scene. */

#pragma once

#include "formats/eventlist.h"
#include "output/output.h"

/* The starts of both formats. */
#define EVENT_SCENES_CHAPTERS ";FFMETADATA1\n"
#define EVENT_SCENES_CHAPTER "\n[CHAPTER]\nTIMEBASE=1/1000000000\n"
#define EVENT_SCENES_EDIT "  AX       V     C        "

/* Prints chapters in FFmpeg's metadata format. */
void event_scenes_print_chapters (Output *output, const EventRun *run);

/* Prints an edit decision list (CMX 3600), with a marker for each other event. `clip`: name of the film in it. FALSE: the film
 * has no time codes, and nothing was printed. */
gboolean event_scenes_print_edits (Output *output, const EventRun *run, const gchar *clip);
