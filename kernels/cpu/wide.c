/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include <stdlib.h>

#include "wide.h"

enum histo_status
histo_cpu_wide_reserve (struct histo_cpu_wide *wide, unsigned workers)
{
  if (wide->free_tables)
    return HISTO_OK;
  wide->tables = calloc (workers, sizeof *wide->tables);
  if (wide->tables)
    wide->free_tables = malloc (workers * sizeof *wide->free_tables);
  if (!wide->free_tables) {
    free (wide->tables);
    wide->tables = NULL;
    return HISTO_ERROR_NO_MEMORY;
  }
  for (unsigned w = 0; w < workers; w++)
    wide->free_tables[wide->free_count++] = &wide->tables[w];
  return HISTO_OK;
}

struct histo_wide_tables *
histo_cpu_wide_take (struct histo_cpu_wide *wide)
{
  struct histo_wide_tables *tables;

  pthread_mutex_lock (&wide->lock);
  tables = wide->free_tables[--wide->free_count];
  pthread_mutex_unlock (&wide->lock);
  return tables;
}

void
histo_cpu_wide_return (struct histo_cpu_wide *wide, struct histo_wide_tables *tables)
{
  pthread_mutex_lock (&wide->lock);
  wide->free_tables[wide->free_count++] = tables;
  pthread_mutex_unlock (&wide->lock);
}

void
histo_cpu_wide_clear (struct histo_cpu_wide *wide)
{
  pthread_mutex_destroy (&wide->lock);
  free (wide->tables);
  free (wide->free_tables);
}
