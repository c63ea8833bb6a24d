/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include <string.h>

#include "boundsprivate.h"

#define PAGE_HEAD 27
#define MOST_LACING 255
#define IDENTITY_BYTES 8
#define WINDOW_BYTES 65536
#define MOST_STREAMS 64

enum { PAGE_BEGINS = 2, PAGE_ENDS = 4 };

/* A logical stream of one link of the chain that a file of Ogg is. */
typedef struct {
  guint32 serial;
  guint headers; /* packets before the first frame; 0: it is no video whose frames are known */
  guint64 packets;
  gboolean has_ended;
} Stream;

typedef struct {
  guint64 at, size;
  guint8 flags, lacings;
  guint32 serial;
  guint8 lacing[MOST_LACING];
  guint8 identity[IDENTITY_BYTES];
} Page;

/* FALSE: there is none. */
static gboolean
ogg_get_page (const BoundsFile *file, guint64 at, Page *page)
{
  guint8 head[PAGE_HEAD];

  if (!bounds_get (file, at, head, sizeof head) || memcmp (head, "OggS", 5) != 0)
    return FALSE;
  *page = (Page){ .at = at, .flags = head[5], .serial = bounds_get_little (head + 14), .lacings = head[26] };
  if (!bounds_get (file, at + PAGE_HEAD, page->lacing, page->lacings))
    return FALSE;
  page->size = PAGE_HEAD + page->lacings;
  bounds_get (file, at + page->size, page->identity, sizeof page->identity);
  for (guint i = 0; i < page->lacings; i++)
    page->size += page->lacing[i];
  return TRUE;
}

static gboolean
ogg_is_page (const BoundsFile *file, guint64 at)
{
  guint8 head[PAGE_HEAD];

  return bounds_get (file, at, head, sizeof head) && memcmp (head, "OggS", 5) == 0; /* and version 0 */
}

/* The next page behind damage; the size of the file: there is none. */
static guint64
ogg_find_page (const BoundsFile *file, guint64 at)
{
  guint8 *window = g_malloc (WINDOW_BYTES);
  guint64 found = file->size;

  for (; found == file->size && at + PAGE_HEAD <= file->size; at += WINDOW_BYTES - PAGE_HEAD) {
    const gsize length = (gsize)MIN (WINDOW_BYTES, file->size - at);

    if (!bounds_get (file, at, window, length))
      break;
    for (gsize i = 0; i + PAGE_HEAD <= length && found == file->size; i++)
      if (memcmp (window + i, "OggS", 5) == 0)
        found = at + i;
  }
  g_free (window);
  return found;
}

/* Packets before the first frame: Theora has three, VP8 two. */
static guint
ogg_count_headers (const Page *page)
{
  if (memcmp (page->identity, "\x80theora", 7) == 0)
    return BOUNDS_HEADERS;
  return memcmp (page->identity, "OVP80", 5) == 0 ? 2 : 0;
}

static void
ogg_add_page (GArray *streams, const Page *page)
{
  Stream *stream = NULL;

  for (guint i = 0; i < streams->len && stream == NULL; i++)
    if (g_array_index (streams, Stream, i).serial == page->serial)
      stream = &g_array_index (streams, Stream, i);
  if (stream == NULL && (page->flags & PAGE_BEGINS) != 0 && streams->len < MOST_STREAMS) {
    const Stream begun = { page->serial, ogg_count_headers (page), 0, FALSE };

    g_array_append_val (streams, begun);
    stream = &g_array_index (streams, Stream, streams->len - 1);
  }
  if (stream == NULL)
    return;
  for (guint i = 0; i < page->lacings; i++)
    stream->packets += page->lacing[i] < MOST_LACING ? 1 : 0;
  stream->has_ended |= (page->flags & PAGE_ENDS) != 0;
}

/* The link that begins at `start` has ended. */
static void
ogg_add_link (BoundsFile *file, const GArray *streams, guint64 start, GArray *links)
{
  BoundsLink link = { start, 0 };

  for (guint i = 0; i < streams->len; i++) {
    const Stream *stream = &g_array_index (streams, Stream, i);

    if (stream->headers == 0)
      continue;
    link.frames = MAX (link.frames, stream->packets - MIN (stream->packets, stream->headers));
    file->bounds.is_cut |= !stream->has_ended;
  }
  g_array_append_val (links, link);
}

/* Each page has a head: of a film of 1 GB some 100,000 heads are read. */
void
bounds_read_ogg (BoundsFile *file)
{
  GArray *streams = g_array_new (FALSE, FALSE, sizeof (Stream)), *links = g_array_new (FALSE, FALSE, sizeof (BoundsLink));
  gboolean has_data = FALSE; /* a page behind those that begin the link's streams */
  guint64 at = 0, next, start = 0;
  Page page;

  while (at < file->size) {
    if (!ogg_get_page (file, at, &page))
      break;
    if (has_data && (page.flags & PAGE_BEGINS) != 0) {
      ogg_add_link (file, streams, start, links);
      g_array_set_size (streams, 0);
      start = at;
      has_data = FALSE;
    }
    has_data |= (page.flags & PAGE_BEGINS) == 0;
    next = at + page.size;
    if (!ogg_is_page (file, next))
      next = ogg_find_page (file, at + PAGE_HEAD);
    if (at + page.size <= next) /* all of it is there */
      ogg_add_page (streams, &page);
    at = next;
  }
  ogg_add_link (file, streams, start, links);
  g_array_unref (streams);
  file->bounds.links = links;
}
