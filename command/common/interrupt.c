/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "common/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <glib-unix.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#define INTERRUPT_LIMIT 10      /* seconds for an orderly end */
#define INTERRUPT_WAITS 9       /* seconds of these for the steps that may hang */
#define INTERRUPT_READER_MS 300 /* for a reader to take the remaining output */

static const struct {
  int number;
  const gchar *name;
} signals[] = { { SIGINT, "SIGINT" }, { SIGTERM, "SIGTERM" }, { SIGHUP, "SIGHUP" } };

static volatile sig_atomic_t caught;
static gint64 caught_us; /* monotonic time of the signal; valid if `caught` is not 0 */
static int wake_up[2] = { -1, -1 };
static void (*interrupt_call) (gpointer data);
static gpointer interrupt_data;

/* A source or decoder that does not stop, such as libav's of NUT, blocks its pipeline. */
static void
interrupt_give_up (int number G_GNUC_UNUSED)
{
  static const char sentence[] = "cudahisto: the input did not stop in time: giving up.\n";
  struct pollfd place = { .fd = STDERR_FILENO, .events = POLLOUT };

  if (poll (&place, 1, 0) > 0 && write (STDERR_FILENO, sentence, sizeof sentence - 1) < 0)
    _exit (2);
  signal (caught, SIG_DFL);
  raise (caught);
}

/* g_unix_signal_add() would leave the second signal to a main loop that may hang. */
static void
interrupt_handle (int number)
{
  const int was = errno;

  if (caught != 0) {
    signal (number, SIG_DFL);
    raise (number);
  }
  caught_us = g_get_monotonic_time (); /* clock_gettime(), which a handler may call */
  __atomic_store_n (&caught, number, __ATOMIC_RELEASE);
  signal (SIGALRM, interrupt_give_up);
  alarm (INTERRUPT_LIMIT);
  while (write (wake_up[1], "", 1) < 0 && errno == EINTR)
    ;
  errno = was;
}

static gboolean
interrupt_dispatch (gint fd, GIOCondition condition G_GNUC_UNUSED, gpointer data G_GNUC_UNUSED)
{
  gchar byte;

  if (read (fd, &byte, 1) == 1 && interrupt_call != NULL)
    interrupt_call (interrupt_data);
  return G_SOURCE_CONTINUE;
}

static void
interrupt_install (void)
{
  /* No SA_RESTART: a blocking call, such as the opening of a FIFO without a writer, must return. */
  struct sigaction was, action = { .sa_handler = interrupt_handle };

  if (wake_up[0] >= 0 || !g_unix_open_pipe (wake_up, FD_CLOEXEC, NULL))
    return;
  fcntl (wake_up[1], F_SETFL, O_NONBLOCK);
  g_unix_fd_add (wake_up[0], G_IO_IN, interrupt_dispatch, NULL);
  sigemptyset (&action.sa_mask);
  for (guint i = 0; i < G_N_ELEMENTS (signals); i++)
    if (sigaction (signals[i].number, NULL, &was) == 0 && was.sa_handler != SIG_IGN)
      sigaction (signals[i].number, &action, NULL);
}

void
interrupt_catch (void (*call) (gpointer data), gpointer data)
{
  interrupt_call = call;
  interrupt_data = data;
  interrupt_install ();
}

int
interrupt_get (void)
{
  return caught;
}

const gchar *
interrupt_get_name (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (signals); i++)
    if (signals[i].number == caught)
      return signals[i].name;
  return NULL;
}

guint
interrupt_limit (guint ms)
{
  if (__atomic_load_n (&caught, __ATOMIC_ACQUIRE) == 0)
    return ms;
  return (guint)CLAMP (INTERRUPT_WAITS * 1000 - (g_get_monotonic_time () - caught_us) / 1000, 0, (gint64)ms);
}

gboolean
interrupt_await_output (int fd)
{
  static gboolean is_stuck = FALSE;
  struct pollfd places[] = { { .fd = fd, .events = POLLOUT }, { .fd = wake_up[0], .events = POLLIN } };

  while (!is_stuck && caught == 0) {
    if (poll (places, G_N_ELEMENTS (places), -1) < 0 && errno != EINTR)
      return TRUE;
    if (places[0].revents != 0)
      return TRUE;
  }
  is_stuck = is_stuck || poll (places, 1, INTERRUPT_READER_MS) == 0;
  return !is_stuck;
}

void
interrupt_pass_on (void)
{
  if (caught == 0)
    return;
  signal (caught, SIG_DFL);
  raise (caught);
}
