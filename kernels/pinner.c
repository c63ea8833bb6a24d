/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include <stdlib.h>
#include <unistd.h>

#include "backend.h"
#include "pinner.h"
#include "process.h"

struct histo_pinner {
  const struct histo_backend_ops *ops;
  void *pins;          /* the backend's; NULL if it has none */
  unsigned generation; /* of the process that opened the pinner */
  struct histo_pinner *next_orphan;
};

/* Pinners of the parent process that the child closed, with the driver's memory: see histo.c. */
static struct histo_pinner *orphans;

static bool
is_forked (const struct histo_pinner *pinner)
{
  return pinner->generation != histo_process_generation ();
}

enum histo_status
histo_pinner_create (const struct histo_backend_ops *ops, void *state, struct histo_pinner **pinner_out)
{
  struct histo_pinner *pinner = calloc (1, sizeof *pinner);
  enum histo_status status = HISTO_OK;

  *pinner_out = NULL;
  if (!pinner)
    return HISTO_ERROR_NO_MEMORY;
  pinner->ops = ops;
  pinner->generation = histo_process_generation ();
  if (ops->open_pins)
    status = ops->open_pins (state, &pinner->pins);
  if (status == HISTO_OK)
    *pinner_out = pinner;
  else
    free (pinner);
  return status;
}

enum histo_status
histo_pinner_alloc (struct histo_pinner *pinner, size_t size_bytes, struct histo_block *block)
{
  void *data = NULL;

  if (!block)
    return HISTO_ERROR_INVALID;
  *block = (struct histo_block){ 0 };
  if (!pinner || size_bytes == 0)
    return HISTO_ERROR_INVALID;
  if (is_forked (pinner))
    return HISTO_ERROR_FORKED;
  if (pinner->pins && pinner->ops->pin (pinner->pins, size_bytes, &data) == HISTO_OK)
    block->is_pinned = true;
  else if (posix_memalign (&data, (size_t)sysconf (_SC_PAGESIZE), size_bytes) != 0)
    return HISTO_ERROR_NO_MEMORY;
  block->data = data;
  block->size_bytes = size_bytes;
  return HISTO_OK;
}

void
histo_pinner_free (struct histo_pinner *pinner, struct histo_block *block)
{
  if (!pinner || !block)
    return;
  if (!block->is_pinned)
    free (block->data);
  else if (!is_forked (pinner))
    pinner->ops->unpin (pinner->pins, block->data);
  *block = (struct histo_block){ 0 };
}

void
histo_pinner_close (struct histo_pinner **pinner)
{
  if (!pinner || !*pinner)
    return;
  if ((*pinner)->pins && is_forked (*pinner)) {
    histo_process_lock ();
    (*pinner)->next_orphan = orphans;
    orphans = *pinner;
    histo_process_unlock ();
  } else {
    if ((*pinner)->pins)
      (*pinner)->ops->close_pins ((*pinner)->pins);
    free (*pinner);
  }
  *pinner = NULL;
}
