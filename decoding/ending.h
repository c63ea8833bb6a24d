/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Ends libav's demuxers that read on behind the end of their data. GStreamer 1.22 tells them "0 bytes" there, which FFmpeg 5
 * takes for "not yet": those of GIF, NUT and others ask again for ever, and no element behind them gets EOS. */

#ifndef CUDAHISTO_DECODING_ENDING_H
#define CUDAHISTO_DECODING_ENDING_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Watches the demuxers that the pipeline gets from now on. When one that reads a file has asked for data behind the file's end
 * many times without a break, it gets an error for it: it ends, and what it has read by then is decoded. */
void decoding_ending_watch (GstElement *pipeline);

/* One that is pushed its data, as from a pipe, shows nothing while it asks. Sends EOS behind each of them whose data has ended;
 * to be called once the pipeline has been quiet for long. It may block. FALSE: there was none. */
gboolean decoding_ending_force (GstElement *pipeline);

G_END_DECLS

#endif
