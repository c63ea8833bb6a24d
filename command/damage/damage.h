/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Damage to a film: what its decoder reports, and what its container promised and did not yield. GStreamer reports little of
 * that itself. The packets that enter the decoder are compared with the frames that leave it:
 *
 * - a frame is damaged if its decoder reported an error while it had the frame's packet. A decoder of several threads has
 *   several packets at a time, and all of them are damaged then: it does not report which one it was.
 * - a frame is missing if timestamps leave room for it, and its packet was there, or demuxer or decoder reported an error since
 *   the frame before; and, at the end, if the container promised it.
 *
 * Both are passed on to the element cudahisto: by GST_BUFFER_FLAG_CORRUPTED, and by its event "cudahisto-damage". */

#ifndef CUDAHISTO_DAMAGE_H
#define CUDAHISTO_DAMAGE_H

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _Damage Damage;

/* `path`: the file, or NULL if it is none. `is_alone`: nothing else in the process decodes but what a Damage watches. The
 * pipeline's elements are watched as they come; `pad`, where the frames are measured, gets an event before the end. From the
 * first call on libav's log is read, in the whole process. */
Damage *damage_new (GstElement *pipeline, GstPad *pad, const gchar *path, gboolean is_alone);

/* The film is of pictures, whose source reports those that are missing: see picturesource.h. Before it plays. */
void damage_set_pictures (Damage *damage);

/* The pipeline must have come to rest before. */
void damage_free (Damage *damage);

/* The event "cudahisto-damage", of `missing` frames between two timestamps; GST_CLOCK_TIME_NONE: unknown. */
GstEvent *damage_make_event (const gchar *cause, guint64 missing, GstClockTime start, GstClockTime end);

/* The latest end in any stream that left the demuxer, in ns as the duration of the film counts; GST_CLOCK_TIME_NONE:
 * unknown. */
GstClockTime damage_get_end (Damage *damage);

/* Sentences about the end of a film that has ended, or NULL: that it is cut off, or that another one follows. The damage's. */
const gchar *damage_get_cut (Damage *damage);
const gchar *damage_get_joined (Damage *damage);

/* Offset of a joined film in a file of Ogg that GStreamer cannot decode because joined films have a serial number in common; 0:
 * that is not the cause. */
guint64 damage_find_mixed (const Damage *damage);

/* Whether it has ended without the mark that ends it, and all that is there is whole, or, of NUT, may be. That is no damage. */
gboolean damage_is_unmarked (Damage *damage);

G_END_DECLS

#endif
