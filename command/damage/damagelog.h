/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Errors of decoders, and warnings of demuxers, counted: GStreamer writes them to its debug log, and nowhere else. */

#ifndef CUDAHISTO_DAMAGELOG_H
#define CUDAHISTO_DAMAGELOG_H

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _DamageLog DamageLog;

/* The log of the process is read from the first call on. What GST_DEBUG asks for is printed as usual. */
DamageLog *damage_log_new (void);
void damage_log_free (DamageLog *log);

/* Counts what this element reports. libav does not report which of its decoders has an error: its own messages count only while
 * no other log watches one of them. */
void damage_log_watch_decoder (DamageLog *log, GstElement *decoder);
void damage_log_watch_demuxer (DamageLog *log, GstElement *demuxer);

/* Others decode as well, and no log watches them: libav's own messages do not count. */
void damage_log_expect_foreign (DamageLog *log);

/* The calling thread is the demuxer's: what libav reports on it is not of a decoder, but of its own demuxers. */
void damage_log_enter_demuxer (DamageLog *log);

/* How many there were so far. Any thread. */
gint damage_log_get_errors (DamageLog *log);
gint damage_log_get_warnings (DamageLog *log);

G_END_DECLS

#endif
