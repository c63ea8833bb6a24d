/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The sidecar: a file, a pipe or a terminal that gets a line of JSON for each window, and for each event (JSON Lines). A thread
 * of its own writes them, so that who reports a window waits for nothing but a queue that is full, and not
 * even for that where lines may be dropped.
 *
 * There is one for the life of an element: opened, started and closed each time that the element is. */

#ifndef GST_CUDA_HISTO_SIDECAR_H
#define GST_CUDA_HISTO_SIDECAR_H

#include <sys/stat.h>

#include "result/event.h"
#include "result/result.h"

G_BEGIN_DECLS

/* How long others may have to wait for a sidecar, in total, once it is being stopped. */
#define GST_CUDA_HISTO_SIDECAR_STOP_TIME (2 * G_TIME_SPAN_SECOND)

/**
 * GstCudaHistoSidecarMode:
 * @GST_CUDA_HISTO_SIDECAR_TRUNCATE: the file begins anew
 * @GST_CUDA_HISTO_SIDECAR_APPEND: the lines are added to those that are there
 * @GST_CUDA_HISTO_SIDECAR_OVERWRITE: the file begins anew, even if it is not a sidecar
 *
 * What becomes of the lines that are in the sidecar file at the start.
 *
 * Since: 0.2
 */
typedef enum {
  GST_CUDA_HISTO_SIDECAR_TRUNCATE,
  GST_CUDA_HISTO_SIDECAR_APPEND,
  GST_CUDA_HISTO_SIDECAR_OVERWRITE
} GstCudaHistoSidecarMode;

/**
 * GstCudaHistoSidecarSlow:
 * @GST_CUDA_HISTO_SIDECAR_SLOW_AUTO: block for regular files, drop for pipes, sockets, terminals and devices
 * @GST_CUDA_HISTO_SIDECAR_SLOW_BLOCK: the stream waits
 * @GST_CUDA_HISTO_SIDECAR_SLOW_DROP: lines are dropped, with a warning
 *
 * What happens where the sidecar takes lines more slowly than they come.
 *
 * Since: 0.2
 */
typedef enum {
  GST_CUDA_HISTO_SIDECAR_SLOW_AUTO,
  GST_CUDA_HISTO_SIDECAR_SLOW_BLOCK,
  GST_CUDA_HISTO_SIDECAR_SLOW_DROP
} GstCudaHistoSidecarSlow;

/**
 * GstCudaHistoSidecarBins:
 * @GST_CUDA_HISTO_SIDECAR_BINS_ARRAY: an array of integers
 * @GST_CUDA_HISTO_SIDECAR_BINS_NONE: no histogram in the lines
 *
 * How a sidecar line carries the histograms.
 *
 * Since: 0.2
 */
typedef enum { GST_CUDA_HISTO_SIDECAR_BINS_ARRAY, GST_CUDA_HISTO_SIDECAR_BINS_NONE } GstCudaHistoSidecarBins;

/**
 * GstCudaHistoSidecarArrays:
 * @GST_CUDA_HISTO_SIDECAR_ARRAYS_NONE: none in the lines
 * @GST_CUDA_HISTO_SIDECAR_ARRAYS_ARRAY: arrays of integers, or of such arrays
 *
 * How a sidecar line carries the arrays that are larger than histograms: waveforms, vectorscopes.
 *
 * Since: 0.2
 */
typedef enum { GST_CUDA_HISTO_SIDECAR_ARRAYS_NONE, GST_CUDA_HISTO_SIDECAR_ARRAYS_ARRAY } GstCudaHistoSidecarArrays;

typedef struct _GstCudaHistoSidecar GstCudaHistoSidecar;

/* Called from any thread, without a lock. `location` as it was opened. */
typedef struct {
  /* A line could not be written (domain G_IO_ERROR; NO_SPACE on a full disk, BROKEN_PIPE where nobody reads any more), and
   * none will be until the sidecar is opened again. A regular file keeps nothing of the line; a pipe, the part that went.
   * Called once. */
  void (*failed) (GstElement *owner, const gchar *location, const GError *error);
  /* `lines` were dropped since the last call: at once, then at most once a second, and when the sidecar is drained. */
  void (*dropped) (GstElement *owner, const gchar *location, guint64 lines);
  /* The stream has ended, `lines` still wait, and nothing was taken for GST_CUDA_HISTO_SIDECAR_STOP_TIME. Those that the
   * close still finds are dropped. */
  void (*stuck) (GstElement *owner, const gchar *location, guint64 lines);
  /* What gst_cuda_histo_sidecar_reopen() asked for could not be done; the lines go on into the file that is open. */
  void (*not_reopened) (GstElement *owner, const gchar *location, const GError *error);
  /* What a neighbour does with a file that was opened again ("is read"), which is not written to then; NULL: nothing. */
  const gchar *(*find_conflict) (GstElement *owner, const struct stat *file);
  /* The last line of the file was torn, and its `bytes` bytes were cut off. */
  void (*cut) (GstElement *owner, const gchar *location, guint64 bytes);
} GstCudaHistoSidecarCallbacks;

/* Closed. `owner`, which outlives it, posts STREAM_STATUS for its thread; NULL: nobody does. */
GstCudaHistoSidecar *gst_cuda_histo_sidecar_new (const GstCudaHistoSidecarCallbacks *callbacks, GstElement *owner);
void gst_cuda_histo_sidecar_free (GstCudaHistoSidecar *sidecar); /* closed */

/* Opens and locks, and changes nothing that is there; starts no thread. `location` is a path in GLib's file name encoding. A
 * file that is not there is created. A named pipe needs a reader. "-", "/dev/stdout", "/dev/stderr" and "/dev/fd/N" are what
 * the process has open there: such a file is never emptied, whatever it holds.
 *
 * FALSE with @error, domain G_IO_ERROR: EXISTS where a file is not empty and does not begin as a sidecar does, BUSY where
 * another sidecar, of this process or another, writes there, both with a whole sentence that has the remedy; BROKEN_PIPE where
 * nobody reads; and what the system says. */
gboolean gst_cuda_histo_sidecar_open (GstCudaHistoSidecar *sidecar, const gchar *location, GstCudaHistoSidecarMode mode,
                                      GstCudaHistoSidecarSlow slow, GError **error);

/* Starts the thread. Still nothing that is there changes: a regular file is emptied before the first line, and in mode append
 * its end is mended then. Where the last line there is torn, because the disk was full or the system died, it is cut off, and
 * `cut` says so; where it lacks no more than its newline, that is added. Where that fails, or the file is not a sidecar any
 * more (EXISTS), `failed` says so. Closed is fine: nothing happens. FALSE with @error (G_IO_ERROR or G_THREAD_ERROR); to be
 * closed then. */
gboolean gst_cuda_histo_sidecar_start (GstCudaHistoSidecar *sidecar, GError **error);

/* Adds a line for a result. If the sidecar blocks, waits while the queue is full, unless it is flushing or being stopped.
 * Nothing happens where it is closed or has failed. Called by one thread at a time. */
void gst_cuda_histo_sidecar_write (GstCudaHistoSidecar *sidecar, const GstCudaHistoWindowResult *result,
                                   GstCudaHistoSidecarBins bins, GstCudaHistoSidecarArrays arrays);

/* The same for what begins or ends between results. */
void gst_cuda_histo_sidecar_write_event (GstCudaHistoSidecar *sidecar, const GstCudaHistoFinding *event);

/* The stream has ended. If no line has come, the file is emptied, or its end mended, now instead of before the first line. */
void gst_cuda_histo_sidecar_end_stream (GstCudaHistoSidecar *sidecar);

/* Waits until all lines are written, and calls `dropped` for those that were until then. Where lines may be dropped, it waits
 * for no reader and for no file; and for nothing where the sidecar is being stopped or is flushing. */
void gst_cuda_histo_sidecar_drain (GstCudaHistoSidecar *sidecar);

/* The same at the end of the stream, where nothing that comes after it is held up: where lines may be dropped, it waits as long
 * as they are being taken, and calls `stuck` where none was for GST_CUDA_HISTO_SIDECAR_STOP_TIME. */
void gst_cuda_histo_sidecar_drain_at_end (GstCudaHistoSidecar *sidecar);

/* While the sidecar is flushing nobody waits for the queue or until lines are written, and who waits already goes on. Where the
 * sidecar blocks, lines are queued beyond its limit too: no more of them come than were being reported when the flush began,
 * and none is lost. Opening ends it. Any thread, at any time. */
void gst_cuda_histo_sidecar_set_flushing (GstCudaHistoSidecar *sidecar, gboolean is_flushing);

/* For log rotation: writes what is queued, closes the file, and opens the location again, with the same checks, and unless
 * `find_conflict` objects; creates it, and never empties it. Waits for that, two seconds at most, unless it is called from a
 * callback. Nothing happens where the file at the location is the one that is open. Any thread. FALSE where it is closed, or
 * where that has not been done by then. */
gboolean gst_cuda_histo_sidecar_reopen (GstCudaHistoSidecar *sidecar);

/* The sidecar is about to be closed: from now on nothing waits for it longer than GST_CUDA_HISTO_SIDECAR_STOP_TIME in total. A
 * regular file alone may take longer, where the system does not return from writing a line. Any thread; may be called again. */
void gst_cuda_histo_sidecar_stop (GstCudaHistoSidecar *sidecar);

/* Writes what is queued as long as that time allows, ends the thread and closes. A file that was created, and got
 * neither a line nor the end of a stream, is removed. Returns how many lines were not written since the last call
 * of `dropped`. Closed already is fine. */
guint64 gst_cuda_histo_sidecar_close (GstCudaHistoSidecar *sidecar);

/* Whether the caller is on the sidecar's thread, in a callback. There too it may be closed, and opened again: that writes what
 * is queued itself, but for what waits behind a line of which a part is written. Any thread. */
gboolean gst_cuda_histo_sidecar_is_own_thread (GstCudaHistoSidecar *sidecar);

/* Whether this is the file that is open. Any thread. */
gboolean gst_cuda_histo_sidecar_is_file (GstCudaHistoSidecar *sidecar, const struct stat *file);

/* Lines written, and lines that were not and never will be, since it was last opened, or the counts were reset. Any thread, at
 * any time; they are reset while it is closed. */
void gst_cuda_histo_sidecar_reset_counts (GstCudaHistoSidecar *sidecar);
void gst_cuda_histo_sidecar_get_counts (GstCudaHistoSidecar *sidecar, guint64 *written, guint64 *dropped);

/* Whether a part of a line is the last that was written, as where a pipe's reader took no more: of one that is being written,
 * or, when it is closed, of one that was dropped. Any thread. */
gboolean gst_cuda_histo_sidecar_ends_within_line (GstCudaHistoSidecar *sidecar);

G_END_DECLS

#endif
