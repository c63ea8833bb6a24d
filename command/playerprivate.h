/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a player has, for the files player*.c. */

#ifndef CUDAHISTO_PLAYERPRIVATE_H
#define CUDAHISTO_PLAYERPRIVATE_H

#include "player.h"

G_BEGIN_DECLS

struct _Player {
  gchar *name;
  PlayerOptions options;
  int fd;                                               /* of a FIFO; -1: it is none */
  GstElement *pipeline, *source, *queue, *histo, *sink; /* the pipeline's, but for itself */
  GstBus *bus;
  GMainLoop *loop;
  gboolean is_interrupted, has_ended, is_conversion_told;
  GError *error;       /* the first, in the user's words */
  gboolean is_vague;   /* that one says only that something went wrong */
  gchar *missing;      /* plugins, or NULL */
  guint warnings;      /* those that came */
  GMutex lock;         /* what follows is set on threads of the pipeline */
  guint videos;        /* streams of video */
  gchar *other_media;  /* the type of one that is none; NULL: there is none */
  GstClockTime start;  /* stream time of the first frame */
  GstElement *convert; /* the pipeline's; NULL: frames are counted as they were decoded */
};

/* An error, in the user's words. The first one is the cause, unless it was a vague one. */
void player_fail (Player *player, gboolean is_vague, const gchar *format, ...) G_GNUC_PRINTF (3, 4);

/* Messages of the pipeline, as errors and warnings: playererrors.c. */
void player_take_error (Player *player, GstMessage *message);
void player_take_warning (Player *player, GstMessage *message);
void player_take_missing (Player *player, GstMessage *message);

/* Warns of a film that has ended long before it says that it ends; both in ns. What is left of a film that was cut off may be
 * all that there is to decode, and no error. */
void player_check_end (Player *player, gint64 position, gint64 duration);

/* What GStreamer says when several things were wrong: that a plugin is missing explains the rest. */
void player_explain (Player *player);

G_END_DECLS

#endif
