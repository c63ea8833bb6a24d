/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What lies between two scene changes, or one and an end of the film, as editors and ffmpeg read it. */

#ifndef CUDAHISTO_EVENT_SCENES_H
#define CUDAHISTO_EVENT_SCENES_H

#include "formats/eventlist.h"
#include "output/output.h"

G_BEGIN_DECLS

/* What begins either. */
#define EVENT_SCENES_CHAPTERS ";FFMETADATA1\n"
#define EVENT_SCENES_CHAPTER "\n[CHAPTER]\nTIMEBASE=1/1000000000\n"
#define EVENT_SCENES_EDIT "  AX       V     C        "

/* Chapters, in the form of FFmpeg's metadata. */
void event_scenes_print_chapters (Output *output, const EventRun *run);

/* An edit decision list (CMX 3600) with a marker for every other event; `clip` names the film in it. FALSE: there is no time
 * code for this film, and nothing was printed. */
gboolean event_scenes_print_edits (Output *output, const EventRun *run, const gchar *clip);

G_END_DECLS

#endif
