/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The lock of a state, and the log lines written while it is held. */

#include "cuda/host/state.h"

#include <stdio.h>

#include "log.h"

/* Its address identifies the thread. */
static _Thread_local char thread_mark;

void
histo_cuda_log (void *user_data, enum histo_log_level level, const char *message)
{
  struct histo_cuda_state *state = user_data;

  if (state->is_optional && level == HISTO_LOG_ERROR)
    level = HISTO_LOG_INFO;
  if (atomic_load (&state->holder) == (uintptr_t)&thread_mark) {
    if (state->line_count < HISTO_CUDA_MAX_LINES) {
      struct histo_cuda_line *line = &state->lines[state->line_count++];

      line->level = level;
      snprintf (line->text, sizeof line->text, "%s", message);
    }
    return;
  }
  histo_log (state->engine_config, level, "%s", message);
}

void
histo_cuda_lock (struct histo_cuda_state *state)
{
  pthread_mutex_lock (&state->lock);
  atomic_store (&state->holder, (uintptr_t)&thread_mark);
}

void
histo_cuda_flush_log (struct histo_cuda_state *state)
{
  const unsigned line_count = state->line_count;
  struct histo_cuda_line lines[HISTO_CUDA_MAX_LINES];

  if (line_count == 0)
    return;
  for (unsigned i = 0; i < line_count; i++)
    lines[i] = state->lines[i];
  state->line_count = 0;
  atomic_store (&state->holder, 0);
  pthread_mutex_unlock (&state->lock);
  for (unsigned i = 0; i < line_count; i++)
    histo_log (state->engine_config, lines[i].level, "%s", lines[i].text);
  histo_cuda_lock (state);
}

void
histo_cuda_unlock (struct histo_cuda_state *state)
{
  histo_cuda_flush_log (state);
  atomic_store (&state->holder, 0);
  pthread_mutex_unlock (&state->lock);
}
