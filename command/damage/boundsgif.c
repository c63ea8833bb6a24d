/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include <string.h>

#include "damage/boundsformats.h"

#define WINDOW_BYTES 65536

enum { LABEL_EXTENSION = 0x21, LABEL_PICTURE = 0x2c, LABEL_END = 0x3b };

/* Reads blocks through a window, since they have at most 255 bytes. */
typedef struct {
  BoundsFile *file;
  guint64 at, start; /* offset of the next byte, and of the window */
  gsize length;      /* length of the window */
  gboolean is_torn;  /* the file ended within data */
  guint8 window[WINDOW_BYTES];
} Blocks;

/* -1: the file has ended. */
static gint
blocks_get_byte (Blocks *blocks)
{
  if (blocks->at >= blocks->file->size)
    return -1;
  if (blocks->at < blocks->start || blocks->at - blocks->start >= blocks->length) {
    blocks->start = blocks->at;
    blocks->length = (gsize)MIN (WINDOW_BYTES, blocks->file->size - blocks->at);
    if (!bounds_get (blocks->file, blocks->start, blocks->window, blocks->length)) {
      blocks->length = 0;
      return -1;
    }
  }
  return blocks->window[blocks->at++ - blocks->start];
}

/* Each block of data is followed by the length of the next one. */
static void
blocks_skip_data (Blocks *blocks)
{
  gint length;

  while ((length = blocks_get_byte (blocks)) > 0)
    blocks->at += (guint64)length;
  blocks->is_torn |= length < 0;
}

/* Skips the colour table of a header with these flags. */
static void
blocks_skip_colours (Blocks *blocks, gint flags)
{
  if (flags >= 0 && (flags & 0x80) != 0)
    blocks->at += 3u << ((flags & 7) + 1);
}

static gint
blocks_get_byte_after (Blocks *blocks, guint64 skipped)
{
  blocks->at += skipped;
  return blocks_get_byte (blocks);
}

static void
blocks_skip_head (Blocks *blocks)
{
  const gint flags = blocks_get_byte_after (blocks, 10);

  blocks->at += 2;
  blocks_skip_colours (blocks, flags);
}

static void
blocks_skip_picture (Blocks *blocks)
{
  blocks_skip_colours (blocks, blocks_get_byte_after (blocks, 8));
  blocks->at++;
  blocks_skip_data (blocks);
}

static void
blocks_skip_extension (Blocks *blocks)
{
  blocks->at++;
  blocks_skip_data (blocks);
}

/* Returns the label after the film: LABEL_END; -1 at the end of the file; otherwise an unexpected byte. */
static gint
blocks_skip_film (Blocks *blocks, BoundsLink *link)
{
  gint label;

  link->start = blocks->at;
  blocks_skip_head (blocks);
  while ((label = blocks_get_byte (blocks)) == LABEL_EXTENSION || label == LABEL_PICTURE) {
    if (label == LABEL_PICTURE) {
      blocks_skip_picture (blocks);
      link->frames++;
    } else {
      blocks_skip_extension (blocks);
    }
  }
  return label;
}

static gboolean
blocks_find_film (const Blocks *blocks)
{
  guint8 head[4];

  return bounds_get (blocks->file, blocks->at, head, sizeof head) && memcmp (head, "GIF8", 4) == 0;
}

void
bounds_read_gif (BoundsFile *file)
{
  g_autofree Blocks *blocks = g_new0 (Blocks, 1);
  GArray *links = g_array_new (FALSE, FALSE, sizeof (BoundsLink));
  gint label;

  blocks->file = file;
  do {
    BoundsLink link = { .frames = 0 };

    label = blocks_skip_film (blocks, &link);
    g_array_append_val (links, link);
  } while (label == LABEL_END && blocks_find_film (blocks));
  if (label >= 0 && label != LABEL_END)
    file->bounds.broken = blocks->at - 1;
  file->bounds.is_unmarked = label < 0 && blocks->at == file->size && !blocks->is_torn;
  file->bounds.is_cut = label < 0 && !file->bounds.is_unmarked;
  file->bounds.links = links;
}
