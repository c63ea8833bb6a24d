/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Damage to a film: errors that its decoder reports, and frames that its container promises but does not have. GStreamer itself
 * reports little of this. Damage compares the packets that enter the decoder with the frames that leave it:
 *
 * - A frame is damaged if its decoder reported an error while it held the frame's packet. A decoder with several threads holds
 *   several packets and does not report which one failed; all of them count as damaged.
 * - A frame is missing if the timestamps have a gap for it, and its packet was there, or the demuxer or decoder reported an
 *   error since the frame before. At the end, a frame is missing if the container promised it.
 *
 * The element cudahisto receives both: by GST_BUFFER_FLAG_CORRUPTED, and by its event DAMAGE_EVENT. */

#pragma once

#include <gst/gst.h>

#define DAMAGE_EVENT "cudahisto-damage"

typedef struct _Damage Damage;

/* Watches the pipeline's elements as they are added. `pad`: where the frames are measured; it gets an event before the end.
 * `path`: the file, or NULL. `is_alone`: a Damage watches all decoding in the process. From the first call on, reads libav's
 * log of the whole process. */
Damage *damage_new (GstElement *pipeline, GstPad *pad, const gchar *path, gboolean is_alone);

/* The film is a sequence of pictures, whose source reports missing ones: see picturesource.h. Call it before playback. */
void damage_set_pictures (Damage *damage);

/* Only a part of the film is measured: from now on, the end is not checked. */
void damage_set_part (Damage *damage);

/* Stop the pipeline before freeing this. */
void damage_free (Damage *damage);

/* Makes a DAMAGE_EVENT of `missing` frames between two timestamps; GST_CLOCK_TIME_NONE: unknown. */
GstEvent *damage_make_event (const gchar *cause, guint64 missing, GstClockTime start, GstClockTime end);

/* Returns the latest end of any stream that left the demuxer, in ns, on the time scale of the film's duration;
 * GST_CLOCK_TIME_NONE: unknown. */
GstClockTime damage_get_end (Damage *damage);

/* For a film that has ended: return a message that it is cut off, or that another film follows; or NULL. Owned by `damage`. */
const gchar *damage_get_cut (Damage *damage);
const gchar *damage_get_joined (Damage *damage);

/* Returns the offset of a joined film in a file of Ogg that GStreamer cannot decode because joined films share a serial number.
 * 0: that is not the cause. */
guint64 damage_find_mixed (const Damage *damage);

/* Returns whether the film ended without its end mark but is whole (NUT: may be whole). That is not damage. */
gboolean damage_is_unmarked (Damage *damage);
