/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Counts errors of decoders and warnings of demuxers. GStreamer writes them only to its debug log. */

#pragma once

#include <gst/gst.h>

typedef struct _DamageLog DamageLog;

/* Reads the log of the process from the first call on. GST_DEBUG prints as usual. */
DamageLog *damage_log_new (void);
void damage_log_free (DamageLog *log);

/* Count the reports of this element. libav does not report which of its decoders failed, so its own messages count only if no
 * other log watches one of them. */
void damage_log_watch_decoder (DamageLog *log, GstElement *decoder);
void damage_log_watch_demuxer (DamageLog *log, GstElement *demuxer);

/* Other decoders run that no log watches: libav's own messages do not count. */
void damage_log_expect_foreign (DamageLog *log);

/* The calling thread is the demuxer's. libav's messages on it come from libav's demuxers, not from a decoder. */
void damage_log_enter_demuxer (DamageLog *log);

/* Return the number of errors and warnings so far. Any thread may call them. */
gint damage_log_get_errors (DamageLog *log);
gint damage_log_get_warnings (DamageLog *log);
