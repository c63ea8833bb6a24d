/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The thread sanitizer does not see the locks of GLib and GStreamer, which are not pthread's, and would report a race for all
 * data that they protect. In a test program, the functions below replace those of the libraries: they call the original and
 * report the synchronization to the sanitizer. The libraries also call them: a program's definition precedes a library's. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <glib.h>
#include <gst/gst.h>
#include <sanitizer/tsan_interface.h>

#define EXPORTED __attribute__ ((visibility ("default")))

/* Finds the library's function of that name. Several threads may do so at once: all find the same one. */
#define NEXT(function)                                   \
  static __typeof__ (function) *next;                    \
  if (__atomic_load_n (&next, __ATOMIC_ACQUIRE) == NULL) \
  __atomic_store_n (&next, (__typeof__ (function) *)(guintptr)dlsym (RTLD_NEXT, #function), __ATOMIC_RELEASE)

/* ---- locks ---------------------------------------------------------------------------------------------------------- */

#undef g_mutex_lock
#undef g_mutex_trylock
#undef g_mutex_unlock
#undef g_rec_mutex_lock
#undef g_rec_mutex_trylock
#undef g_rec_mutex_unlock
#undef g_cond_wait
#undef g_cond_wait_until

EXPORTED void
g_mutex_lock (GMutex *mutex)
{
  NEXT (g_mutex_lock);
  next (mutex);
  __tsan_acquire (mutex);
}

EXPORTED gboolean
g_mutex_trylock (GMutex *mutex)
{
  NEXT (g_mutex_trylock);
  gboolean locked = next (mutex);

  if (locked)
    __tsan_acquire (mutex);
  return locked;
}

EXPORTED void
g_mutex_unlock (GMutex *mutex)
{
  NEXT (g_mutex_unlock);
  __tsan_release (mutex);
  next (mutex);
}

EXPORTED void
g_rec_mutex_lock (GRecMutex *mutex)
{
  NEXT (g_rec_mutex_lock);
  next (mutex);
  __tsan_acquire (mutex);
}

EXPORTED gboolean
g_rec_mutex_trylock (GRecMutex *mutex)
{
  NEXT (g_rec_mutex_trylock);
  gboolean locked = next (mutex);

  if (locked)
    __tsan_acquire (mutex);
  return locked;
}

EXPORTED void
g_rec_mutex_unlock (GRecMutex *mutex)
{
  NEXT (g_rec_mutex_unlock);
  __tsan_release (mutex);
  next (mutex);
}

EXPORTED void
g_cond_wait (GCond *cond, GMutex *mutex)
{
  NEXT (g_cond_wait);
  __tsan_release (mutex);
  next (cond, mutex);
  __tsan_acquire (mutex);
}

EXPORTED gboolean
g_cond_wait_until (GCond *cond, GMutex *mutex, gint64 end_time)
{
  NEXT (g_cond_wait_until);
  gboolean signalled;

  __tsan_release (mutex);
  signalled = next (cond, mutex, end_time);
  __tsan_acquire (mutex);
  return signalled;
}

/* ---- objects passed between threads --------------------------------------------------------------------------------- */

/* The thread that frees an object comes after all threads that released a reference. */
EXPORTED void
gst_mini_object_unref (GstMiniObject *object)
{
  NEXT (gst_mini_object_unref);
  __tsan_release (object);
  __tsan_acquire (object);
  next (object);
}

#undef g_atomic_ref_count_dec

EXPORTED gboolean
g_atomic_ref_count_dec (gatomicrefcount *count)
{
  NEXT (g_atomic_ref_count_dec);
  gboolean is_last;

  __tsan_release ((void *)count);
  is_last = next (count);
  if (is_last)
    __tsan_acquire ((void *)count);
  return is_last;
}

/* Taking a message off a bus comes after posting it. */
EXPORTED gboolean
gst_bus_post (GstBus *bus, GstMessage *message)
{
  NEXT (gst_bus_post);
  __tsan_release (bus);
  return next (bus, message);
}

EXPORTED GstMessage *
gst_bus_timed_pop_filtered (GstBus *bus, GstClockTime timeout, GstMessageType types)
{
  NEXT (gst_bus_timed_pop_filtered);
  GstMessage *message = next (bus, timeout, types);

  __tsan_acquire (bus);
  return message;
}

EXPORTED GstMessage *
gst_bus_pop_filtered (GstBus *bus, GstMessageType types)
{
  NEXT (gst_bus_pop_filtered);
  GstMessage *message = next (bus, types);

  __tsan_acquire (bus);
  return message;
}

/* Popping an item from a queue comes after pushing it. */
EXPORTED void
g_async_queue_push (GAsyncQueue *queue, gpointer data)
{
  NEXT (g_async_queue_push);
  __tsan_release (queue);
  next (queue, data);
}

EXPORTED gpointer
g_async_queue_pop (GAsyncQueue *queue)
{
  NEXT (g_async_queue_pop);
  gpointer data = next (queue);

  __tsan_acquire (queue);
  return data;
}

/* ---- one-time initialization ----------------------------------------------------------------------------------------- */

#undef g_once_init_enter
#undef g_once_init_leave

EXPORTED gboolean
g_once_init_enter (volatile void *location)
{
  NEXT (g_once_init_enter);
  gboolean is_first = next (location);

  if (!is_first)
    __tsan_acquire ((void *)(guintptr)location);
  return is_first;
}

/* Later threads do not call g_once_init_enter(): its macro reads the location with an atomic load. */
EXPORTED void
g_once_init_leave (volatile void *location, gsize result)
{
  NEXT (g_once_init_leave);
  __tsan_release ((void *)(guintptr)location);
  next (location, result);
}
