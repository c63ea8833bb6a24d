/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a player has, for the files player*.c. */

#ifndef CUDAHISTO_PLAYERPRIVATE_H
#define CUDAHISTO_PLAYERPRIVATE_H

#include "play/animation.h"
#include "play/backlog.h"
#include "damage/damage.h"
#include "play/editlist.h"
#include "damage/extent.h"
#include "play/detached.h"
#include "play/duration.h"
#include "play/player.h"
#include "play/sequence.h"
#include "play/watchdog.h"

G_BEGIN_DECLS

struct _Player {
  gchar *name;
  gchar *where; /* with what `name` hides */
  PlayerOptions options;
  int fd;                                               /* of a FIFO; -1: it is none */
  GstElement *pipeline, *source, *queue, *histo, *sink; /* the pipeline's, but for itself */
  GstBus *bus;
  GMainLoop *loop;
  gboolean is_interrupted, has_ended, is_conversion_told;
  gboolean is_cut;   /* it ends before it says that it does */
  GError *error;     /* the first, in the user's words */
  gboolean is_vague; /* that one says only that something went wrong */
  gchar *missing;    /* plugins, or NULL */
  gchar *advice;     /* about a codec that no plugin would help with, or NULL */
  guint warnings;    /* those that came */
  Extent *extent;
  Sequence *sequence;   /* NULL: it is a film */
  GstElement *pictures; /* the source of the latter, the pipeline's */
  Damage *damage;       /* NULL: nothing is decoded */
  Watchdog *watchdog;
  Duration *duration;
  Animation *animation;
  EditList *edits;
  Detached *start;
  gboolean is_end_forced; /* demuxers have been told that their data has ended */
  gboolean is_abandoned;  /* it could not be stopped: nothing is freed */
  Backlog *backlog;       /* of messages that are handed on; NULL: none are */
  gint64 left_out_told;   /* monotonic time, in us */
  GMutex lock;            /* what follows is set on threads of the pipeline */
  guint videos;           /* streams of video */
  gchar *container;       /* media type of the film as a whole; NULL: not known */
  gboolean awaits_video;  /* it begins without, and a later part of the file may have some */
  gboolean has_hidden;    /* streams of which no buffer is seen */
  gchar *other_media;     /* the type of one that is none; NULL: there is none */
  GstElement *convert;    /* the pipeline's; NULL: frames are counted as they were decoded */
};

/* An error, in the user's words. The first one is the cause, unless it was a vague one. */
void player_fail (Player *player, gboolean is_vague, const gchar *format, ...) G_GNUC_PRINTF (3, 4);

/* Whether the film is of Ogg, of which several may be joined. */
gboolean player_is_ogg (const Player *player);

/* Messages of the pipeline, as errors and warnings: playererrors.c. */
void player_take_error (Player *player, GstMessage *message);
void player_take_warning (Player *player, GstMessage *message);
void player_take_missing (Player *player, GstMessage *message);
void player_take_notice (Player *player, const GstStructure *message); /* of decoding/times.h and decoding/choice.h */

/* Warns of a film whose streams have all ended long before it says that it ends, `duration` in ns; -1: not known. What is left
 * of a film that was cut off may be all that there is to decode, and no error. */
void player_check_end (Player *player, gint64 duration);

/* Finds the pictures, and makes their source. FALSE: `error` is a sentence. */
gboolean player_open_sequence (Player *player, const gchar *where, GError **error);

/* An error where GStreamer has not decoded each picture of a sequence. */
void player_check_pictures_end (Player *player);

/* Nothing has come for too long; or its end has not, though all of it has been read. */
void player_fail_quiet (Player *player, gboolean is_read);

/* A film that GStreamer has ended too early is not measured whole. */
void player_check_edits (Player *player);

/* A picture that is animated is not measured whole. */
void player_check_animation (Player *player);

/* What GStreamer says when several things were wrong: that a plugin is missing explains the rest. */
void player_explain (Player *player);

G_END_DECLS

#endif
