/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Shared by the files player*.c. */

#pragma once

#include "play/animation.h"
#include "play/backlog.h"
#include "play/declaration.h"
#include "damage/damage.h"
#include "play/editlist.h"
#include "play/keyframes.h"
#include "damage/extent.h"
#include "play/detached.h"
#include "play/duration.h"
#include "play/player.h"
#include "play/sequence.h"
#include "play/watchdog.h"

struct _Player {
  gchar *name;
  gchar *where; /* the same with the secrets that `name` hides */
  PlayerOptions options;
  int fd;                                               /* of a FIFO, or -1 */
  GstElement *pipeline, *source, *queue, *histo, *sink; /* owned by the pipeline, except itself */
  GstBus *bus;
  GMainLoop *loop;
  gboolean is_interrupted, has_ended;
  gboolean is_stopping; /* other elements' warnings now come from that alone */
  gint is_part_over;    /* atomic: the part ended before the film */
  gboolean is_cut;      /* it ended before its header says */
  GError *error;        /* the first one */
  gboolean is_vague;    /* that error does not name a cause */
  gchar *missing;       /* missing plugins, or NULL */
  gchar *advice;        /* about a codec that no plugin can decode, or NULL */
  guint warnings;       /* number of warnings */
  Extent *extent;
  Sequence *sequence;   /* NULL: a film */
  GstElement *pictures; /* source of the sequence, owned by the pipeline */
  Damage *damage;       /* NULL: no decoding */
  Watchdog *watchdog;
  Duration *duration;
  Animation *animation;
  EditList *edits;
  DeclarationWatch *declaration; /* NULL: not collected */
  Part *part;                    /* NULL: all is measured */
  KeyFrames *keys;               /* NULL: all frames are decoded */
  Detached *start, *seek;
  gboolean is_end_forced; /* demuxers received EOS */
  gboolean is_abandoned;  /* it could not be stopped, and is not freed */
  Backlog *backlog;       /* of forwarded messages; NULL: none are forwarded */
  gint64 drops_reported;  /* monotonic time, in us */
  GMutex lock;            /* for the members below, which the pipeline's threads set */
  guint videos;           /* number of video streams */
  gchar *container;       /* media type of the film as a whole; NULL: unknown */
  gboolean awaits_video;  /* the file begins without video, and a later part may have some */
  gboolean has_hidden;    /* there are streams whose buffers are not seen */
  gchar *other_media;     /* type of a stream without video; NULL: there is none */
};

/* Sets the error. The first one stays, unless it was vague. */
void player_fail (Player *player, gboolean is_vague, const gchar *format, ...) G_GNUC_PRINTF (3, 4);

/* Returns whether the film is Ogg, which may have several films joined. */
gboolean player_is_ogg (const Player *player);

/* Convert messages of the pipeline to errors and warnings (playererrors.c). */
void player_take_error (Player *player, GstMessage *message);
void player_take_warning (Player *player, GstMessage *message);
void player_take_missing (Player *player, GstMessage *message);
void player_take_notice (Player *player, const GstStructure *message); /* of decoding/times.h and decoding/choice.h */

/* Reports that --keyframes cannot be used. */
void player_fail_untimed (Player *player);

/* Warns if all streams ended long before `duration`, in ns; -1: unknown. The remaining part of a film that was cut off may
 * decode without an error. */
void player_check_end (Player *player, gint64 duration);

/* Finds the pictures and creates their source. FALSE: `error` has the message. */
gboolean player_open_sequence (Player *player, const gchar *where, GError **error);

/* Returns where the longest stream ends, on the time scale of the film's duration; GST_CLOCK_TIME_NONE: unknown. */
GstClockTime player_find_end (Player *player);

/* Reports an error if GStreamer did not decode each picture of a sequence. */
void player_check_pictures_end (Player *player);

/* Reports a timeout: no data came, or (`is_read`) no end after all data was read. */
void player_fail_quiet (Player *player, gboolean is_read);

/* Reports an error if GStreamer ended the film too early although it is not cut off. */
void player_check_edits (Player *player);

/* Reports an error if the picture is animated. */
void player_check_animation (Player *player);

/* Combines errors: a missing plugin explains the others. */
void player_explain (Player *player);
