/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "result/sidecar.h"

#include <gio/gio.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/debug.h"
#include "common/ratelimit.h"
#include "common/thread.h"
#include "result/schema.h"
#include "result/sidecarfile.h"

#define QUEUE_BYTES ((gsize)4 * 1024 * 1024)   /* of waiting lines; the last line, and those of a flush, may exceed it */
#define CLOSE_TIME (G_TIME_SPAN_SECOND / 2)    /* part of the stop time that is reserved for closing */
#define LOOK_INTERVAL (G_TIME_SPAN_SECOND / 4) /* between checks of a reader's progress */

typedef enum {
  GST_CUDA_HISTO_SIDECAR_LINE,   /* a line with its newline */
  GST_CUDA_HISTO_SIDECAR_END,    /* the stream has ended, with or without a line */
  GST_CUDA_HISTO_SIDECAR_REOPEN, /* open the location again */
} GstCudaHistoSidecarTask;

/* An entry of the queue. */
typedef struct {
  GstCudaHistoSidecarTask task;
  gchar *text; /* of a line */
  gsize size;
} GstCudaHistoSidecarEntry;

struct _GstCudaHistoSidecar {
  GstCudaHistoSidecarCallbacks callbacks;
  GstElement *owner;

  /* from open to close; for the thread only, once it runs */
  GstCudaHistoSidecarFile *file;
  guint64 cut;           /* bytes of a torn line, to be reported by `cut` after the entry */
  gint wake_fd;          /* eventfd that ends the thread's wait for a reader */
  gint ends_within_line; /* atomic: the last write ended within a line */

  GMutex lock;
  GCond changed;   /* signals each change below */
  gchar *location; /* NULL: closed. Unchanged while the thread runs */
  GstCudaHistoSidecarMode mode;
  GstCudaHistoSidecarSlow slow;
  dev_t device; /* of the open file */
  ino_t inode;
  gboolean is_regular;
  gboolean drops; /* drop lines that do not fit into the queue */
  GThread *thread;
  gboolean is_started; /* lines are accepted */
  gboolean has_failed;
  gboolean is_flushing; /* no call waits */
  GQueue queue;         /* owned GstCudaHistoSidecarEntry */
  gsize queued_bytes;
  gboolean is_writing; /* an entry was removed from the queue and is being handled */
  gboolean is_waiting; /* for a reader to take bytes */
  gboolean is_at_end;  /* a caller waits as long as the reader takes lines */
  gint64 taken_time;   /* monotonic; when the reader last took a part of a line */
  guint64 unwritten;   /* lines in the queue, or being written */
  gboolean is_torn;    /* `dropped` is being called within a line */
  gint64 stop_time;    /* monotonic; start of the stop; 0: not stopping */
  gint64 end_time;     /* monotonic; when the thread ends, whatever is queued; G_MAXINT64: never */
  guint64 written, dropped;
  GstCudaHistoRateLimit unreported; /* for `dropped` */
  guint64 requests, reopened;       /* to open the location again: made, and answered */
  gboolean is_reopened;             /* the last answer */
};

static void
gst_cuda_histo_sidecar_entry_free (gpointer entry)
{
  g_free (((GstCudaHistoSidecarEntry *)entry)->text);
  g_free (entry);
}

/* Calls `dropped` if there are dropped lines to report. With the lock held, which it drops meanwhile. */
static void
gst_cuda_histo_sidecar_report_dropped (GstCudaHistoSidecar *sidecar, guint64 lines)
{
  g_autofree gchar *location = NULL;

  if (lines == 0)
    return;
  location = g_strdup (sidecar->location);
  g_mutex_unlock (&sidecar->lock);
  sidecar->callbacks.dropped (sidecar->owner, location, lines);
  g_mutex_lock (&sidecar->lock);
}

/* With the lock held. */
static void
gst_cuda_histo_sidecar_count_dropped (GstCudaHistoSidecar *sidecar, guint64 lines)
{
  sidecar->dropped += lines;
  gst_cuda_histo_rate_limit_add (&sidecar->unreported, lines);
}

/* Makes the thread check again, whatever it waits for. With the lock held. */
static void
gst_cuda_histo_sidecar_wake (GstCudaHistoSidecar *sidecar)
{
  const guint64 one = 1;

  g_cond_broadcast (&sidecar->changed);
  if (write (sidecar->wake_fd, &one, sizeof one) < 0)
    GST_WARNING_OBJECT (sidecar->owner, "the thread cannot be woken");
}

/* Empties the queue and drops its lines. With the lock held. */
static void
gst_cuda_histo_sidecar_drop_queue (GstCudaHistoSidecar *sidecar)
{
  GstCudaHistoSidecarEntry *entry;

  while ((entry = g_queue_pop_head (&sidecar->queue)) != NULL) {
    if (entry->task == GST_CUDA_HISTO_SIDECAR_LINE) {
      gst_cuda_histo_sidecar_count_dropped (sidecar, 1);
      sidecar->unwritten--;
    } else if (entry->task == GST_CUDA_HISTO_SIDECAR_REOPEN) {
      sidecar->reopened++;
    }
    sidecar->is_reopened = FALSE;
    gst_cuda_histo_sidecar_entry_free (entry);
  }
  sidecar->queued_bytes = 0;
  g_cond_broadcast (&sidecar->changed);
}

/* Stores the identity of the open file. With the lock held. */
static void
gst_cuda_histo_sidecar_note_file (GstCudaHistoSidecar *sidecar)
{
  const struct stat status = gst_cuda_histo_sidecar_file_get_status (sidecar->file);

  sidecar->device = status.st_dev;
  sidecar->inode = status.st_ino;
  sidecar->is_regular = S_ISREG (status.st_mode);
  sidecar->drops = sidecar->slow == GST_CUDA_HISTO_SIDECAR_SLOW_DROP
                   || (sidecar->slow == GST_CUDA_HISTO_SIDECAR_SLOW_AUTO && !sidecar->is_regular);
}

/* ---- the thread ----------------------------------------------------------------------------------------------------- */

/* On the thread, after a callback: whether the callback closed the sidecar, and perhaps opened it again. The thread may then no
 * longer use its fields. With the lock held. */
static gboolean
gst_cuda_histo_sidecar_is_abandoned (const GstCudaHistoSidecar *sidecar)
{
  return sidecar->thread != g_thread_self ();
}

/* Waits until more fits into a pipe, socket or terminal. FALSE if the thread has to end first. *untaken: bytes that the reader
 * had not taken at the last call; G_MAXINT after a write. A pipe accepts data again only after 4096 bytes were read, and a
 * socket after many more. The number of bytes shows whether a slow reader is alive. */
static gboolean
gst_cuda_histo_sidecar_wait_for_reader (GstCudaHistoSidecar *sidecar, gint *untaken)
{
  const gint still_untaken = gst_cuda_histo_sidecar_file_count_untaken (sidecar->file);
  struct pollfd fds[2] = {
    { .fd = gst_cuda_histo_sidecar_file_get_fd (sidecar->file), .events = POLLOUT },
    { .fd = sidecar->wake_fd, .events = POLLIN },
  };
  gint64 until, now;
  guint64 wakes;

  g_mutex_lock (&sidecar->lock);
  sidecar->is_torn = TRUE;
  gst_cuda_histo_sidecar_report_dropped (sidecar, gst_cuda_histo_rate_limit_take (&sidecar->unreported));
  if (gst_cuda_histo_sidecar_is_abandoned (sidecar)) {
    g_mutex_unlock (&sidecar->lock);
    return FALSE;
  }
  sidecar->is_torn = FALSE;
  now = g_get_monotonic_time ();
  until = MIN (sidecar->end_time, gst_cuda_histo_rate_limit_get_time (&sidecar->unreported));
  if (still_untaken < *untaken)
    sidecar->taken_time = now;
  *untaken = still_untaken;
  if (sidecar->is_at_end)
    until = MIN (until, now + LOOK_INTERVAL);
  sidecar->is_waiting = TRUE;
  g_cond_broadcast (&sidecar->changed);
  g_mutex_unlock (&sidecar->lock);

  until = CLAMP (until - now, 0, G_TIME_SPAN_HOUR);
  if (poll (fds, 2, (gint)(until / 1000 + 1)) > 0 && fds[1].revents != 0 && read (sidecar->wake_fd, &wakes, sizeof wakes) < 0)
    GST_WARNING_OBJECT (sidecar->owner, "the wake-up cannot be read");

  g_mutex_lock (&sidecar->lock);
  until = sidecar->end_time;
  sidecar->is_waiting = FALSE;
  g_mutex_unlock (&sidecar->lock);
  return g_get_monotonic_time () < until;
}

/* FALSE if the line is not written: with @error after a failure, without if the thread has to end. */
static gboolean
gst_cuda_histo_sidecar_write_line (GstCudaHistoSidecar *sidecar, const GstCudaHistoSidecarEntry *entry, GError **error)
{
  gsize done = 0;
  gint untaken = 0; /* the reader cannot have taken any of this line */

  while (done < entry->size) {
    gssize part = gst_cuda_histo_sidecar_file_write (sidecar->file, entry->text + done, entry->size - done, error);

    if (part < 0) {
      g_atomic_int_set (&sidecar->ends_within_line, !gst_cuda_histo_sidecar_file_take_back (sidecar->file, done));
      return FALSE;
    }
    done += (gsize)part;
    if (part > 0)
      g_atomic_int_set (&sidecar->ends_within_line, done < entry->size);
    if (part > 0)
      untaken = G_MAXINT;
    else if (!gst_cuda_histo_sidecar_wait_for_reader (sidecar, &untaken))
      return FALSE;
  }
  return TRUE;
}

/* Before the first line: calls gst_cuda_histo_sidecar_file_prepare(). */
static gboolean
gst_cuda_histo_sidecar_prepare (GstCudaHistoSidecar *sidecar, GstCudaHistoSidecarFile *file, gboolean empties, GError **error)
{
  guint64 cut;
  const gboolean is_done = gst_cuda_histo_sidecar_file_prepare (file, sidecar->location, empties, &cut, error);

  sidecar->cut += cut;
  return is_done;
}

/* Opens the file that is now at the location, unless it is in use. NULL with @error. */
static GstCudaHistoSidecarFile *
gst_cuda_histo_sidecar_open_other (GstCudaHistoSidecar *sidecar, GError **error)
{
  GstCudaHistoSidecarFile *file = gst_cuda_histo_sidecar_file_open (sidecar->location, FALSE, FALSE, error);
  const gchar *conflict;
  struct stat status;

  if (file == NULL)
    return NULL;
  status = gst_cuda_histo_sidecar_file_get_status (file);
  conflict = sidecar->callbacks.find_conflict (sidecar->owner, &status);
  if (conflict == NULL)
    return file;
  gst_cuda_histo_sidecar_file_close (file);
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_BUSY,
               "The sidecar file \"%s\" is the file that %s. Choose another sidecar-location.", sidecar->location, conflict);
  return NULL;
}

/* Replaces the open file by the one that is now at the location. Never empties it. */
static gboolean
gst_cuda_histo_sidecar_open_again (GstCudaHistoSidecar *sidecar)
{
  const gboolean is_open = gst_cuda_histo_sidecar_file_is_at (sidecar->file, sidecar->location);
  g_autoptr (GError) error = NULL;
  GstCudaHistoSidecarFile *file = is_open ? sidecar->file : gst_cuda_histo_sidecar_open_other (sidecar, &error);

  if (file != NULL && gst_cuda_histo_sidecar_prepare (sidecar, file, FALSE, &error)) {
    if (is_open)
      return TRUE;
    gst_cuda_histo_sidecar_file_close (sidecar->file);
    g_mutex_lock (&sidecar->lock);
    sidecar->file = file;
    gst_cuda_histo_sidecar_note_file (sidecar);
    g_mutex_unlock (&sidecar->lock);
    return TRUE;
  }
  if (file != NULL && !is_open)
    gst_cuda_histo_sidecar_file_close (file);
  sidecar->callbacks.not_reopened (sidecar->owner, sidecar->location, error);
  return FALSE;
}

/* Handles the entry. With the lock held, which it drops meanwhile. */
static void
gst_cuda_histo_sidecar_finish_entry (GstCudaHistoSidecar *sidecar, const GstCudaHistoSidecarEntry *entry)
{
  g_autoptr (GError) error = NULL;
  gboolean is_done;
  guint64 cut;

  sidecar->is_writing = TRUE;
  g_mutex_unlock (&sidecar->lock);
  if (entry->task == GST_CUDA_HISTO_SIDECAR_REOPEN)
    is_done = gst_cuda_histo_sidecar_open_again (sidecar);
  else
    is_done = gst_cuda_histo_sidecar_prepare (sidecar, sidecar->file, sidecar->mode != GST_CUDA_HISTO_SIDECAR_APPEND, &error);
  if (is_done && entry->task == GST_CUDA_HISTO_SIDECAR_LINE)
    is_done = gst_cuda_histo_sidecar_write_line (sidecar, entry, &error);
  g_mutex_lock (&sidecar->lock);
  if (gst_cuda_histo_sidecar_is_abandoned (sidecar))
    return;

  sidecar->taken_time = g_get_monotonic_time ();
  if (entry->task == GST_CUDA_HISTO_SIDECAR_LINE)
    sidecar->unwritten--;
  if (entry->task == GST_CUDA_HISTO_SIDECAR_REOPEN) {
    sidecar->reopened++;
    sidecar->is_reopened = is_done;
  } else if (entry->task == GST_CUDA_HISTO_SIDECAR_LINE && is_done) {
    sidecar->written++;
  } else if (entry->task == GST_CUDA_HISTO_SIDECAR_LINE) {
    gst_cuda_histo_sidecar_count_dropped (sidecar, 1);
  }
  cut = sidecar->cut;
  sidecar->cut = 0;
  if (error != NULL) {
    sidecar->has_failed = TRUE;
    gst_cuda_histo_sidecar_drop_queue (sidecar);
    gst_cuda_histo_rate_limit_finish (&sidecar->unreported); /* the error covers it */
  }
  if (cut > 0) {
    g_mutex_unlock (&sidecar->lock);
    sidecar->callbacks.cut (sidecar->owner, sidecar->location, cut);
    g_mutex_lock (&sidecar->lock);
  }
  if (error != NULL && !gst_cuda_histo_sidecar_is_abandoned (sidecar)) {
    g_mutex_unlock (&sidecar->lock);
    sidecar->callbacks.failed (sidecar->owner, sidecar->location, error);
    g_mutex_lock (&sidecar->lock);
  }
  if (gst_cuda_histo_sidecar_is_abandoned (sidecar))
    return;
  sidecar->is_writing = FALSE;
  g_cond_broadcast (&sidecar->changed);
}

/* Writes the queue and waits for more until the sidecar is closed. With the lock held, which it drops meanwhile. */
static void
gst_cuda_histo_sidecar_write_queue (GstCudaHistoSidecar *sidecar)
{
  for (;;) {
    GstCudaHistoSidecarEntry *entry;

    gst_cuda_histo_sidecar_report_dropped (sidecar, gst_cuda_histo_rate_limit_take (&sidecar->unreported));
    if (gst_cuda_histo_sidecar_is_abandoned (sidecar) || g_get_monotonic_time () >= sidecar->end_time)
      return;
    entry = g_queue_pop_head (&sidecar->queue);
    if (entry != NULL) {
      sidecar->queued_bytes -= entry->size;
      gst_cuda_histo_sidecar_finish_entry (sidecar, entry);
      gst_cuda_histo_sidecar_entry_free (entry);
    } else if (sidecar->end_time != G_MAXINT64) {
      return;
    } else {
      gint64 report_time = gst_cuda_histo_rate_limit_get_time (&sidecar->unreported);

      if (report_time == G_MAXINT64)
        g_cond_wait (&sidecar->changed, &sidecar->lock);
      else
        g_cond_wait_until (&sidecar->changed, &sidecar->lock, report_time);
    }
  }
}

static gpointer
gst_cuda_histo_sidecar_run (gpointer data)
{
  GstCudaHistoSidecar *sidecar = data;
  sigset_t signals;

  /* With SIGPIPE and SIGXFSZ blocked, a missing reader and the limit of a file's size are ordinary errors. */
  sigemptyset (&signals);
  sigaddset (&signals, SIGPIPE);
  sigaddset (&signals, SIGXFSZ);
  pthread_sigmask (SIG_BLOCK, &signals, NULL);

  g_mutex_lock (&sidecar->lock);
  while (sidecar->thread == NULL && sidecar->end_time == G_MAXINT64) /* until the starting thread has stored it */
    g_cond_wait (&sidecar->changed, &sidecar->lock);
  gst_cuda_histo_sidecar_write_queue (sidecar);
  g_mutex_unlock (&sidecar->lock);
  return NULL;
}

/* ---- open, start, close --------------------------------------------------------------------------------------------- */

GstCudaHistoSidecar *
gst_cuda_histo_sidecar_new (const GstCudaHistoSidecarCallbacks *callbacks, GstElement *owner)
{
  GstCudaHistoSidecar *sidecar = g_new0 (GstCudaHistoSidecar, 1);

  sidecar->callbacks = *callbacks;
  sidecar->owner = owner;
  sidecar->wake_fd = -1;
  g_mutex_init (&sidecar->lock);
  g_cond_init (&sidecar->changed);
  g_queue_init (&sidecar->queue);
  return sidecar;
}

void
gst_cuda_histo_sidecar_free (GstCudaHistoSidecar *sidecar)
{
  g_mutex_clear (&sidecar->lock);
  g_cond_clear (&sidecar->changed);
  g_free (sidecar);
}

void
gst_cuda_histo_sidecar_reset_counts (GstCudaHistoSidecar *sidecar)
{
  g_mutex_lock (&sidecar->lock);
  sidecar->written = sidecar->dropped = 0;
  sidecar->unreported = (GstCudaHistoRateLimit){ 0 };
  g_mutex_unlock (&sidecar->lock);
  g_atomic_int_set (&sidecar->ends_within_line, FALSE);
}

gboolean
gst_cuda_histo_sidecar_open (GstCudaHistoSidecar *sidecar, const gchar *location, GstCudaHistoSidecarMode mode,
                             GstCudaHistoSidecarSlow slow, GError **error)
{
  gst_cuda_histo_sidecar_reset_counts (sidecar);
  g_mutex_lock (&sidecar->lock);
  sidecar->stop_time = 0;
  sidecar->end_time = G_MAXINT64;
  sidecar->has_failed = sidecar->is_flushing = FALSE;
  g_mutex_unlock (&sidecar->lock);

  sidecar->file = gst_cuda_histo_sidecar_file_open (location, mode != GST_CUDA_HISTO_SIDECAR_APPEND,
                                                    mode == GST_CUDA_HISTO_SIDECAR_OVERWRITE, error);
  if (sidecar->file == NULL)
    return FALSE;
  g_mutex_lock (&sidecar->lock);
  sidecar->location = g_strdup (location);
  sidecar->mode = mode;
  sidecar->slow = slow;
  gst_cuda_histo_sidecar_note_file (sidecar);
  g_mutex_unlock (&sidecar->lock);
  return TRUE;
}

gboolean
gst_cuda_histo_sidecar_start (GstCudaHistoSidecar *sidecar, GError **error)
{
  GThread *thread;

  if (sidecar->file == NULL)
    return TRUE;
  sidecar->wake_fd = eventfd (0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (sidecar->wake_fd < 0) {
    g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_TOO_MANY_OPEN_FILES, "No descriptor for an eventfd");
    return FALSE;
  }
  thread = gst_cuda_histo_thread_new (sidecar->owner, "histo-sidecar", gst_cuda_histo_sidecar_run, sidecar, error);
  if (thread == NULL)
    return FALSE;
  g_mutex_lock (&sidecar->lock);
  sidecar->thread = thread;
  sidecar->is_started = TRUE;
  g_cond_broadcast (&sidecar->changed);
  g_mutex_unlock (&sidecar->lock);
  return TRUE;
}

void
gst_cuda_histo_sidecar_stop (GstCudaHistoSidecar *sidecar)
{
  g_mutex_lock (&sidecar->lock);
  if (sidecar->location != NULL && sidecar->stop_time == 0)
    sidecar->stop_time = g_get_monotonic_time ();
  g_cond_broadcast (&sidecar->changed);
  g_mutex_unlock (&sidecar->lock);
}

/* Does the thread's remaining work before closing. On the thread itself, in a callback. */
static void
gst_cuda_histo_sidecar_finish (GstCudaHistoSidecar *sidecar)
{
  g_mutex_lock (&sidecar->lock);
  if (sidecar->is_torn) {
    gst_cuda_histo_sidecar_count_dropped (sidecar, 1);
    sidecar->unwritten--;
  } else {
    gst_cuda_histo_sidecar_write_queue (sidecar);
  }
  sidecar->is_torn = sidecar->is_writing = FALSE;
  sidecar->reopened = sidecar->requests;
  g_mutex_unlock (&sidecar->lock);
}

gboolean
gst_cuda_histo_sidecar_is_own_thread (GstCudaHistoSidecar *sidecar)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&sidecar->lock);

  return sidecar->thread == g_thread_self ();
}

guint64
gst_cuda_histo_sidecar_close (GstCudaHistoSidecar *sidecar)
{
  GThread *thread;
  guint64 lost;

  if (sidecar->file == NULL)
    return 0;
  gst_cuda_histo_sidecar_stop (sidecar);
  g_mutex_lock (&sidecar->lock);
  thread = sidecar->thread;
  if (thread != NULL) {
    /* Lines that were added during the stop are written too, even late. */
    sidecar->end_time = MAX (sidecar->stop_time + GST_CUDA_HISTO_SIDECAR_STOP_TIME, g_get_monotonic_time () + CLOSE_TIME);
    gst_cuda_histo_sidecar_wake (sidecar);
  }
  g_mutex_unlock (&sidecar->lock);
  if (thread == g_thread_self ())
    gst_cuda_histo_sidecar_finish (sidecar);
  if (thread != NULL)
    gst_cuda_histo_thread_end (thread, sidecar->owner);
  g_mutex_lock (&sidecar->lock);
  sidecar->thread = NULL;
  g_mutex_unlock (&sidecar->lock);
  if (sidecar->wake_fd >= 0)
    close (sidecar->wake_fd);
  sidecar->wake_fd = -1;
  gst_cuda_histo_sidecar_file_close (sidecar->file);
  sidecar->file = NULL;

  g_mutex_lock (&sidecar->lock);
  gst_cuda_histo_sidecar_drop_queue (sidecar);
  lost = gst_cuda_histo_rate_limit_finish (&sidecar->unreported);
  sidecar->is_started = FALSE;
  g_clear_pointer (&sidecar->location, g_free);
  g_mutex_unlock (&sidecar->lock);
  return lost;
}

/* ---- lines ---------------------------------------------------------------------------------------------------------- */

/* Whether a line of any size may be queued now. With the lock held. */
static gboolean
gst_cuda_histo_sidecar_can_queue (const GstCudaHistoSidecar *sidecar)
{
  return sidecar->queued_bytes < QUEUE_BYTES || (sidecar->is_flushing && !sidecar->drops);
}

/* Waits until a line can be queued. FALSE: it is dropped, or no thread writes it. With the lock held. */
static gboolean
gst_cuda_histo_sidecar_wait_to_queue (GstCudaHistoSidecar *sidecar)
{
  while (sidecar->is_started && !sidecar->has_failed && !sidecar->drops && !gst_cuda_histo_sidecar_can_queue (sidecar)) {
    if (sidecar->stop_time == 0)
      g_cond_wait (&sidecar->changed, &sidecar->lock);
    else if (!g_cond_wait_until (&sidecar->changed, &sidecar->lock,
                                 sidecar->stop_time + GST_CUDA_HISTO_SIDECAR_STOP_TIME - CLOSE_TIME))
      break;
  }
  if (!sidecar->is_started)
    return FALSE;
  if (!sidecar->has_failed && gst_cuda_histo_sidecar_can_queue (sidecar))
    return TRUE;
  gst_cuda_histo_sidecar_count_dropped (sidecar, 1);
  if (sidecar->has_failed)
    gst_cuda_histo_rate_limit_finish (&sidecar->unreported);
  return FALSE;
}

/* Waits, if necessary, until a line may be queued. FALSE: it is dropped. */
static gboolean
gst_cuda_histo_sidecar_begin_line (GstCudaHistoSidecar *sidecar)
{
  gboolean may_queue;

  g_mutex_lock (&sidecar->lock);
  may_queue = gst_cuda_histo_sidecar_wait_to_queue (sidecar);
  if (!may_queue) {
    /* The thread calls `dropped`, now or later. A handler of that warning may stop the element, and the caller still has to
     * report this result elsewhere. */
    if (sidecar->unreported.count == 1 || gst_cuda_histo_rate_limit_get_time (&sidecar->unreported) <= g_get_monotonic_time ())
      gst_cuda_histo_sidecar_wake (sidecar);
  }
  g_mutex_unlock (&sidecar->lock);
  return may_queue;
}

/* Takes `text`. */
static void
gst_cuda_histo_sidecar_queue_line (GstCudaHistoSidecar *sidecar, gchar *text)
{
  GstCudaHistoSidecarEntry *entry = g_new0 (GstCudaHistoSidecarEntry, 1);

  entry->text = text;
  entry->size = strlen (entry->text);
  entry->text[entry->size++] = '\n'; /* replaces the terminator, so that one write covers the line */

  g_mutex_lock (&sidecar->lock);
  if (sidecar->has_failed) {
    sidecar->dropped++;
    gst_cuda_histo_sidecar_entry_free (entry);
  } else {
    g_queue_push_tail (&sidecar->queue, entry);
    sidecar->queued_bytes += entry->size;
    sidecar->unwritten++;
    g_cond_broadcast (&sidecar->changed);
  }
  g_mutex_unlock (&sidecar->lock);
}

void
gst_cuda_histo_sidecar_write (GstCudaHistoSidecar *sidecar, const GstCudaHistoWindowResult *result,
                              GstCudaHistoSidecarArrays arrays)
{
  if (gst_cuda_histo_sidecar_begin_line (sidecar))
    gst_cuda_histo_sidecar_queue_line (sidecar,
                                       gst_cuda_histo_schema_to_json (result, arrays != GST_CUDA_HISTO_SIDECAR_ARRAYS_NONE,
                                                                      arrays == GST_CUDA_HISTO_SIDECAR_ARRAYS_ALL));
}

void
gst_cuda_histo_sidecar_write_event (GstCudaHistoSidecar *sidecar, const GstCudaHistoFinding *event)
{
  if (gst_cuda_histo_sidecar_begin_line (sidecar))
    gst_cuda_histo_sidecar_queue_line (sidecar, gst_cuda_histo_event_to_json (event));
}

/* Adds an entry that is not a line. With the lock held. */
static void
gst_cuda_histo_sidecar_push_task (GstCudaHistoSidecar *sidecar, GstCudaHistoSidecarTask task)
{
  GstCudaHistoSidecarEntry *entry = g_new0 (GstCudaHistoSidecarEntry, 1);

  entry->task = task;
  g_queue_push_tail (&sidecar->queue, entry);
  g_cond_broadcast (&sidecar->changed);
}

void
gst_cuda_histo_sidecar_end_stream (GstCudaHistoSidecar *sidecar)
{
  g_mutex_lock (&sidecar->lock);
  if (sidecar->is_started && !sidecar->has_failed)
    gst_cuda_histo_sidecar_push_task (sidecar, GST_CUDA_HISTO_SIDECAR_END);
  g_mutex_unlock (&sidecar->lock);
}

/* Whether there is queued or unfinished work that a caller may wait for. With the lock held. */
static gboolean
gst_cuda_histo_sidecar_can_drain (GstCudaHistoSidecar *sidecar)
{
  return sidecar->is_started && sidecar->stop_time == 0 && !sidecar->is_flushing
         && (sidecar->is_writing || !g_queue_is_empty (&sidecar->queue));
}

void
gst_cuda_histo_sidecar_drain (GstCudaHistoSidecar *sidecar)
{
  g_mutex_lock (&sidecar->lock);
  while (gst_cuda_histo_sidecar_can_drain (sidecar) && !(sidecar->drops && (sidecar->is_regular || sidecar->is_waiting)))
    g_cond_wait (&sidecar->changed, &sidecar->lock);
  gst_cuda_histo_sidecar_report_dropped (sidecar, gst_cuda_histo_rate_limit_finish (&sidecar->unreported));
  g_mutex_unlock (&sidecar->lock);
}

void
gst_cuda_histo_sidecar_drain_at_end (GstCudaHistoSidecar *sidecar)
{
  gint64 now = g_get_monotonic_time (), until;
  g_autofree gchar *location = NULL;
  guint64 lines;

  g_mutex_lock (&sidecar->lock);
  sidecar->taken_time = now;
  sidecar->is_at_end = TRUE;
  if (gst_cuda_histo_sidecar_can_drain (sidecar))
    gst_cuda_histo_sidecar_wake (sidecar);
  while (gst_cuda_histo_sidecar_can_drain (sidecar)) {
    now = g_get_monotonic_time ();
    until = sidecar->drops ? sidecar->taken_time + GST_CUDA_HISTO_SIDECAR_STOP_TIME : now + G_TIME_SPAN_HOUR;
    if (now >= until)
      break;
    g_cond_wait_until (&sidecar->changed, &sidecar->lock, until);
  }
  sidecar->is_at_end = FALSE;
  lines = gst_cuda_histo_sidecar_can_drain (sidecar) ? sidecar->unwritten : 0;
  gst_cuda_histo_sidecar_report_dropped (sidecar, gst_cuda_histo_rate_limit_finish (&sidecar->unreported));
  location = g_strdup (sidecar->location);
  g_mutex_unlock (&sidecar->lock);
  if (lines > 0 && location != NULL) /* NULL if a handler has stopped the element */
    sidecar->callbacks.stuck (sidecar->owner, location, lines);
}

void
gst_cuda_histo_sidecar_set_flushing (GstCudaHistoSidecar *sidecar, gboolean is_flushing)
{
  g_mutex_lock (&sidecar->lock);
  sidecar->is_flushing = is_flushing;
  g_cond_broadcast (&sidecar->changed);
  g_mutex_unlock (&sidecar->lock);
}

gboolean
gst_cuda_histo_sidecar_reopen (GstCudaHistoSidecar *sidecar)
{
  const gint64 until = g_get_monotonic_time () + GST_CUDA_HISTO_SIDECAR_STOP_TIME;
  gboolean is_done = FALSE, waits = TRUE;
  guint64 request;

  g_mutex_lock (&sidecar->lock);
  if (sidecar->is_started && !sidecar->has_failed) {
    gst_cuda_histo_sidecar_push_task (sidecar, GST_CUDA_HISTO_SIDECAR_REOPEN);
    request = ++sidecar->requests;
    while (sidecar->reopened < request && waits && g_thread_self () != sidecar->thread)
      waits = g_cond_wait_until (&sidecar->changed, &sidecar->lock, until);
    is_done = sidecar->reopened >= request && sidecar->is_reopened;
  }
  g_mutex_unlock (&sidecar->lock);
  return is_done;
}

gboolean
gst_cuda_histo_sidecar_is_file (GstCudaHistoSidecar *sidecar, const struct stat *file)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&sidecar->lock);

  return sidecar->location != NULL && sidecar->device == file->st_dev && sidecar->inode == file->st_ino;
}

void
gst_cuda_histo_sidecar_get_counts (GstCudaHistoSidecar *sidecar, guint64 *written, guint64 *dropped)
{
  g_mutex_lock (&sidecar->lock);
  *written = sidecar->written;
  *dropped = sidecar->dropped;
  g_mutex_unlock (&sidecar->lock);
}

gboolean
gst_cuda_histo_sidecar_ends_within_line (GstCudaHistoSidecar *sidecar)
{
  return g_atomic_int_get (&sidecar->ends_within_line);
}
