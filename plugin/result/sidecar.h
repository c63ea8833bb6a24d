/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The sidecar: a file, a pipe or a terminal that receives a line of JSON for each window and each event (JSON Lines). Its own
 * thread writes the lines, so that the reporting thread waits only for a full queue, and not even for that if lines may be
 * dropped.
 *
 * An element has one sidecar, which it opens, starts and closes whenever it starts and stops. */

#pragma once

#include <sys/stat.h>

#include "result/event.h"
#include "result/result.h"

/* The longest total wait for a sidecar during a stop. */
#define GST_CUDA_HISTO_SIDECAR_STOP_TIME (2 * G_TIME_SPAN_SECOND)

/* Treatment of the lines in a sidecar file that already exists. */
typedef enum {
  GST_CUDA_HISTO_SIDECAR_TRUNCATE,
  GST_CUDA_HISTO_SIDECAR_APPEND,
  GST_CUDA_HISTO_SIDECAR_OVERWRITE
} GstCudaHistoSidecarMode;

/* Action if the sidecar accepts lines too slowly. */
typedef enum {
  GST_CUDA_HISTO_SIDECAR_SLOW_AUTO,
  GST_CUDA_HISTO_SIDECAR_SLOW_BLOCK,
  GST_CUDA_HISTO_SIDECAR_SLOW_DROP
} GstCudaHistoSidecarSlow;

/* The arrays in a sidecar line. */
typedef enum {
  GST_CUDA_HISTO_SIDECAR_ARRAYS_NONE,
  GST_CUDA_HISTO_SIDECAR_ARRAYS_ALL,
  GST_CUDA_HISTO_SIDECAR_ARRAYS_HISTOGRAMS
} GstCudaHistoSidecarArrays;

typedef struct _GstCudaHistoSidecar GstCudaHistoSidecar;

/* Called on any thread, without a lock. `location` is as it was opened. */
typedef struct {
  /* A line could not be written (domain G_IO_ERROR; NO_SPACE on a full disk, BROKEN_PIPE without a reader). No more lines are
   * written until the sidecar is opened again. A regular file keeps no part of the line, a pipe may. Called once. */
  void (*failed) (GstElement *owner, const gchar *location, const GError *error);
  /* `lines` were dropped since the last call: at once, then at most once a second, and when the sidecar is drained. */
  void (*dropped) (GstElement *owner, const gchar *location, guint64 lines);
  /* The stream has ended, `lines` are waiting, and the reader took nothing for GST_CUDA_HISTO_SIDECAR_STOP_TIME. Lines that
   * still wait when the sidecar is closed are dropped. */
  void (*stuck) (GstElement *owner, const gchar *location, guint64 lines);
  /* gst_cuda_histo_sidecar_reopen() failed. Lines continue in the open file. */
  void (*not_reopened) (GstElement *owner, const gchar *location, const GError *error);
  /* Returns how a neighbour uses the reopened file ("the source reads"), which is then not written to; NULL: it does not. */
  const gchar *(*find_conflict) (GstElement *owner, const struct stat *file);
  /* The last line of the file was torn. Its `bytes` bytes were removed. */
  void (*cut) (GstElement *owner, const gchar *location, guint64 bytes);
} GstCudaHistoSidecarCallbacks;

/* Returns a closed sidecar. `owner` outlives it and posts STREAM_STATUS for its thread; NULL: no messages. */
GstCudaHistoSidecar *gst_cuda_histo_sidecar_new (const GstCudaHistoSidecarCallbacks *callbacks, GstElement *owner);
void gst_cuda_histo_sidecar_free (GstCudaHistoSidecar *sidecar); /* it is closed */

/* Opens and locks the location without changing existing contents. Starts no thread. `location` is a path in GLib's file name
 * encoding. Creates a missing file. A named pipe needs a reader. "-", "/dev/stdout", "/dev/stderr" and "/dev/fd/N" are the
 * process's open files, which are never emptied.
 *
 * FALSE with @error, domain G_IO_ERROR: EXISTS if a file is not empty and does not begin like a sidecar; BUSY if another
 * sidecar, of any process, writes to it (both texts are sentences with the remedy); BROKEN_PIPE without a reader; or the
 * system's error. */
gboolean gst_cuda_histo_sidecar_open (GstCudaHistoSidecar *sidecar, const gchar *location, GstCudaHistoSidecarMode mode,
                                      GstCudaHistoSidecarSlow slow, GError **error);

/* Starts the thread. Existing contents change only before the first line: then a regular file is emptied or, in mode append,
 * its end is repaired. If its last line is torn, because the disk was full or the system failed, it is removed and `cut`
 * reports it. A missing newline is added. If that fails, or the file is no longer a sidecar (EXISTS), `failed` reports it. No
 * effect on a closed sidecar. FALSE with @error (G_IO_ERROR or G_THREAD_ERROR); then close it. */
gboolean gst_cuda_histo_sidecar_start (GstCudaHistoSidecar *sidecar, GError **error);

/* Adds a line for a result. If the sidecar blocks, waits while the queue is full, unless it is flushing or being stopped. No
 * effect if it is closed or has failed. Call it on one thread at a time. */
void gst_cuda_histo_sidecar_write (GstCudaHistoSidecar *sidecar, const GstCudaHistoWindowResult *result,
                                   GstCudaHistoSidecarArrays arrays);

/* Like gst_cuda_histo_sidecar_write(), for the beginning or end of an event. */
void gst_cuda_histo_sidecar_write_event (GstCudaHistoSidecar *sidecar, const GstCudaHistoFinding *event);

/* Marks the end of the stream. Without a line so far, the file is emptied, or its end repaired, now. */
void gst_cuda_histo_sidecar_end_stream (GstCudaHistoSidecar *sidecar);

/* Waits until all lines are written, and calls `dropped` for dropped lines. If lines may be dropped, it does not wait for a
 * reader or a file. If the sidecar is flushing or being stopped, it does not wait at all. */
void gst_cuda_histo_sidecar_drain (GstCudaHistoSidecar *sidecar);

/* Like gst_cuda_histo_sidecar_drain(), at the end of the stream, where waiting delays nothing. If lines may be dropped, it
 * waits as long as the reader takes some, and calls `stuck` after GST_CUDA_HISTO_SIDECAR_STOP_TIME without progress. */
void gst_cuda_histo_sidecar_drain_at_end (GstCudaHistoSidecar *sidecar);

/* While flushing, calls do not wait for the queue or the writing, and waiting calls return. If the sidecar blocks, lines are
 * then queued beyond the limit: only those being reported when the flush began, and none is lost. Opening ends the flush. Any
 * thread. */
void gst_cuda_histo_sidecar_set_flushing (GstCudaHistoSidecar *sidecar, gboolean is_flushing);

/* For log rotation: writes the queue, closes the file, and opens the location again with the same checks and `find_conflict`.
 * Creates the file and never empties it. Waits for that at most two seconds, and not at all in a callback. No effect if the
 * location is still the open file. Any thread. FALSE if the sidecar is closed, or if the file was not reopened in time. */
gboolean gst_cuda_histo_sidecar_reopen (GstCudaHistoSidecar *sidecar);

/* Prepares closing: from now on calls wait at most GST_CUDA_HISTO_SIDECAR_STOP_TIME in total. Only a regular file may take
 * longer, if the system does not return from a write. Any thread; may be called again. */
void gst_cuda_histo_sidecar_stop (GstCudaHistoSidecar *sidecar);

/* Writes the queue within that time, ends the thread and closes. Removes a file that was created and received neither a line
 * nor the end of a stream. Returns the number of unwritten lines since the last call of `dropped`. No effect if it is
 * closed. */
guint64 gst_cuda_histo_sidecar_close (GstCudaHistoSidecar *sidecar);

/* Whether the caller is on the sidecar's thread, in a callback. A callback may close and reopen the sidecar. Closing then
 * writes the queue itself, unless a partly written line comes first. Any thread. */
gboolean gst_cuda_histo_sidecar_is_own_thread (GstCudaHistoSidecar *sidecar);

/* Whether this is the open file. Any thread. */
gboolean gst_cuda_histo_sidecar_is_file (GstCudaHistoSidecar *sidecar, const struct stat *file);

/* Lines that were written, and lines that were dropped, since the last opening or reset. Any thread. Reset them while it is
 * closed. */
void gst_cuda_histo_sidecar_reset_counts (GstCudaHistoSidecar *sidecar);
void gst_cuda_histo_sidecar_get_counts (GstCudaHistoSidecar *sidecar, guint64 *written, guint64 *dropped);

/* Whether the last write ended within a line, as after a pipe's reader stopped: of a line that is being written or, if the
 * sidecar is closed, of a dropped line. Any thread. */
gboolean gst_cuda_histo_sidecar_ends_within_line (GstCudaHistoSidecar *sidecar);
