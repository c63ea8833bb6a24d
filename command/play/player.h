/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A pipeline that decodes a file, a URI, standard input or a device with whatever GStreamer has for it, and measures it. */

#ifndef CUDAHISTO_PLAYER_H
#define CUDAHISTO_PLAYER_H

#include <gst/gst.h>

#include "common/command.h"

G_BEGIN_DECLS

typedef struct _Player Player;

typedef enum {
  PLAYER_EOS,         /* all of it was measured */
  PLAYER_INTERRUPTED, /* by player_interrupt(): what was measured so far has been reported, as a stop does it */
  PLAYER_ERROR        /* `error` is a sentence in the user's words, with a remedy: which package has the decoder */
} PlayerEnd;

typedef struct {
  gboolean is_bytes; /* not decoded: whatever it is, as bytes */
  gboolean is_live;  /* at the pace of its times */
  /* In ns: the end, with an error, after so long without a byte or a frame, and once all has been read; 0: never. */
  guint64 timeout, end_timeout;
  gint framerate_numerator, framerate_denominator; /* of pictures; 0: not set */
  gboolean (*is_held_up) (gpointer data);          /* whether the wait is for a reader of the results; may be NULL */
  /* Both on the thread of player_run(), in GLib's main context; either may be NULL. `message` is one of the element, a result
   * or an event. `progress` comes some ten times a second, and once more before the pipeline stops, with the element still
   * counting: how far it is, and how far it is to go, in ns of stream time, or in bytes; GST_CLOCK_TIME_NONE: not known. */
  void (*message) (GstMessage *message, gpointer data);
  void (*progress) (guint64 position, guint64 duration, gpointer data);
  gpointer data;
} PlayerOptions;

/* `where` is a path, a URI, "-" (standard input), a device such as /dev/video0, or a sequence of pictures (sequence.h);
 * `histo` is the element, configured, which the player takes. `options` are copied. NULL: `error` is a sentence. */
Player *player_new (const gchar *where, GstElement *histo, const PlayerOptions *options, GError **error);
void player_free (Player *player);

/* Plays until the end, once. Warnings are printed. When it returns the element has stopped: its file is complete. A pipeline
 * that cannot be stopped is left behind after some seconds, with a warning: see player_leave(). */
PlayerEnd player_run (Player *player, GError **error);

/* Stream time of the first frame, in ns; GST_CLOCK_TIME_NONE: it has none, or there is none yet. MPEG-TS need not begin at
 * 0. */
GstClockTime player_get_start (Player *player);

/* Stream time, in ns, of the end of the first `frames` that came to the element; GST_CLOCK_TIME_NONE: not known. */
GstClockTime player_get_end (Player *player, guint64 frames);

/* Whether numbers of a sequence of pictures have no picture, which has been said. */
gboolean player_has_gaps (Player *player);

/* Whether a film that has ended did so before the end that its header promises. */
gboolean player_is_cut (Player *player);

/* Ends player_run() soon; on its thread, or before it. */
void player_interrupt (Player *player);

/* To be called last, before a subcommand returns. Where a pipeline was left behind, its threads still use what would be freed:
 * the process ends here, with that status, or by the signal that has come. */
CommandStatus player_leave (CommandStatus status);

G_END_DECLS

#endif
