/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a film's container and stream headers declare of its measured video, read while it is played. */

#pragma once

#include <gst/gst.h>

typedef struct {
  GstClockTime duration;   /* GST_CLOCK_TIME_NONE: not declared */
  GstClockTime end;        /* if `duration` is that of the longest stream: where that ends; otherwise GST_CLOCK_TIME_NONE */
  gboolean is_unread;      /* that stream may be one that was not read: `duration` is not set */
  guint64 frames;          /* 0: not declared */
  gint rate_n, rate_d;     /* frames per second; rate_n 0: variable or unknown */
  gboolean has_own_times;  /* the times of the frames do not follow from the frame rate */
  const gchar *range;      /* "full", "limited", or NULL */
  guint depth;             /* bits per sample; 0: unknown */
  guint max_cll, max_fall; /* nits; 0: not declared */
} Declaration;

/* From now on, each film that is played fills in *declaration. NULL: ends that. */
void declaration_collect (Declaration *declaration);

typedef struct _DeclarationWatch DeclarationWatch;

/* For the player. Watches the decoders that are added to the pipeline from now on. NULL: declarations are not collected. */
DeclarationWatch *declaration_watch_new (GstElement *pipeline);

/* Stop the pipeline before freeing this. */
void declaration_watch_free (DeclarationWatch *watch);

/* What is known of the film at its end. */
typedef struct {
  GstPad *pad;            /* where it is measured */
  const gchar *container; /* media type; NULL: unknown */
  const gchar *path;      /* NULL: it is not a file */
  GstClockTime duration;  /* of the film, as GStreamer has it; GST_CLOCK_TIME_NONE: unknown */
  GstClockTime end;       /* of the longest stream; GST_CLOCK_TIME_NONE: unknown */
} DeclarationFilm;

/* Fills in the declaration. Call it before the pipeline stops. */
void declaration_watch_finish (DeclarationWatch *watch, const DeclarationFilm *film);
