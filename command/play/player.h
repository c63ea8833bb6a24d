/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A pipeline that decodes and measures a file, a URI, standard input or a device, with any decoder of GStreamer. */

#pragma once

#include <gst/gst.h>

#include "common/command.h"
#include "play/part.h"

typedef struct _Player Player;

typedef enum {
  PLAYER_EOS,         /* all of it was measured */
  PLAYER_INTERRUPTED, /* by player_interrupt(): the results so far were reported, as at a stop */
  PLAYER_ERROR        /* `error` has the message with its remedy */
} PlayerEnd;

typedef struct {
  gboolean is_bytes; /* not decoded, but measured as bytes */
  gboolean is_live;  /* at the speed of its timestamps */
  /* Playback fails after this time without a new byte or frame, or after the other time once all bytes have been read. In ns;
   * 0: never. */
  guint64 timeout, end_timeout;
  gboolean is_of_keys;                             /* only key frames are decoded, and damage is not looked for */
  const PartLimits *part;                          /* the measured part; NULL: all */
  gint framerate_numerator, framerate_denominator; /* of pictures; 0: not set */
  gboolean (*is_held_up) (gpointer data);          /* returns whether playback waits for a reader of the results; may be NULL */
  /* Both are called on the thread of player_run(), in GLib's main context; either may be NULL. `message` gets a message of the
   * element, a result or an event. `progress` is called about ten times a second, and once before the pipeline stops, while the
   * element still has its counts: position and duration, in ns of stream time or in bytes; GST_CLOCK_TIME_NONE: unknown. */
  void (*message) (GstMessage *message, gpointer data);
  void (*progress) (guint64 position, guint64 duration, gpointer data);
  gpointer data;
} PlayerOptions;

/* `where` is a path, a URI, "-" (standard input), a device such as /dev/video0, or a sequence of pictures (sequence.h). `histo`
 * is the configured element; the player takes it. Copies `options`. NULL: `error` has the message. */
Player *player_new (const gchar *where, GstElement *histo, const PlayerOptions *options, GError **error);
void player_free (Player *player);

/* Plays until the end, once, and prints warnings. The element has stopped on return, and its file is complete. A pipeline that
 * cannot be stopped is abandoned after some seconds, with a warning: see player_leave(). */
PlayerEnd player_run (Player *player, GError **error);

/* Stream time of the first frame, in ns; GST_CLOCK_TIME_NONE: it has none, or there is no frame yet. MPEG-TS need not begin at
 * 0. */
GstClockTime player_get_start (Player *player);

/* Stream time, in ns, of the end of the element's first `frames` frames; GST_CLOCK_TIME_NONE: unknown. */
GstClockTime player_get_end (Player *player, guint64 frames);

/* Returns whether numbers of a sequence have no picture. They have been reported. */
gboolean player_has_gaps (Player *player);

/* Returns whether a film that has ended did so before the end in its header. */
gboolean player_is_cut (Player *player);

/* Ends player_run() soon. Call it on its thread, or before it. */
void player_interrupt (Player *player);

/* Call it last, before the process ends. If a pipeline was abandoned, its threads still use memory that would be freed, so
 * the process ends here, with that status or by the signal that was caught. */
CommandStatus player_leave (CommandStatus status);
