/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* memmem() */
#endif

#include <gst/gst.h>
#include <string.h>

#include "damage/boundsformats.h"
#include "decoding/numbers.h"

#define PAGE_HEAD 27
#define MOST_LACING 255
#define IDENTITY_BYTES 8
#define WINDOW_BYTES 65536
#define MOST_STREAMS 64
#define MOST_DAMAGE ((guint64)256 * 1024 * 1024) /* bytes that are searched for the next page */

enum { PAGE_BEGINS = 2, PAGE_ENDS = 4 };

/* A logical stream in a link of the file's chain. */
typedef struct {
  guint32 serial;
  guint headers; /* packets before the first frame; 0: not a video with a known frame count */
  guint64 packets;
  gboolean is_open; /* its last packet continues on a later page */
  gboolean has_ended;
} Stream;

typedef struct {
  guint64 at, size;
  guint8 flags, lacings;
  guint32 serial, number; /* of the stream, and of the page in the stream */
  guint8 lacing[MOST_LACING];
  guint8 identity[IDENTITY_BYTES];
} Page;

/* A window of the file, to search for pages after damage. */
typedef struct {
  BoundsFile *file;
  guint64 at;
  gsize length;
  guint8 bytes[WINDOW_BYTES];
} Window;

/* The current film, and those before it. */
typedef struct {
  GArray *streams;     /* Stream: of the current film */
  GArray *links;       /* BoundsLink: films that have ended */
  GHashTable *serials; /* of all streams so far */
  BoundsLink link;
  gboolean has_data; /* a page came after the streams' first pages */
  gboolean is_torn;  /* the last page is incomplete, or followed by other data */
} Chain;

/* FALSE: the file does not have that many bytes there. */
static gboolean
window_get (const Window *window, guint64 at, gpointer bytes, gsize count)
{
  if (at < window->at || at - window->at > window->length || count > window->length - (at - window->at))
    return bounds_get (window->file, at, bytes, count);
  memcpy (bytes, window->bytes + (at - window->at), count);
  return TRUE;
}

/* FALSE: there is no page. */
static gboolean
window_get_page (const Window *window, guint64 at, Page *page)
{
  guint8 head[PAGE_HEAD];

  if (!window_get (window, at, head, sizeof head) || memcmp (head, "OggS", 5) != 0)
    return FALSE;
  *page = (Page){ .at = at,
                  .flags = head[5],
                  .serial = decoding_read_uint32_le (head + 14),
                  .number = decoding_read_uint32_le (head + 18),
                  .lacings = head[26] };
  if (!window_get (window, at + PAGE_HEAD, page->lacing, page->lacings))
    return FALSE;
  page->size = PAGE_HEAD + page->lacings;
  window_get (window, at + page->size, page->identity, sizeof page->identity);
  for (guint i = 0; i < page->lacings; i++)
    page->size += page->lacing[i];
  return TRUE;
}

static gboolean
window_has_page (const Window *window, guint64 at)
{
  guint8 head[PAGE_HEAD];

  return window_get (window, at, head, sizeof head) && memcmp (head, "OggS", 5) == 0; /* and version 0 */
}

/* Returns the offset of the next page after damage; the file size if there is none nearby. */
static guint64
window_find_page (Window *window, guint64 at)
{
  const guint64 size = window->file->size, end = at + MIN (size - at, MOST_DAMAGE);

  while (at + PAGE_HEAD <= end) {
    const guint8 *found;
    gsize skipped;

    if (at < window->at || at + PAGE_HEAD > window->at + window->length) {
      window->at = at;
      window->length = (gsize)MIN (WINDOW_BYTES, size - at);
      if (!bounds_get (window->file, at, window->bytes, window->length)) {
        window->length = 0;
        return size;
      }
    }
    skipped = (gsize)(at - window->at);
    found = memmem (window->bytes + skipped, window->length - skipped, "OggS", 5);
    if (found != NULL && window->at + (gsize)(found - window->bytes) + PAGE_HEAD <= size)
      return window->at + (gsize)(found - window->bytes);
    if (found != NULL)
      return size;
    at = window->at + window->length - 4; /* a page header may begin in the last bytes */
  }
  return size;
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
chain_begin_stream (Chain *chain, const Page *page)
{
  const Stream stream = { page->serial, ogg_count_headers (page), 0, FALSE, FALSE };

  /* A damaged page may have the flag of a first page. */
  if (!g_hash_table_add (chain->serials, GUINT_TO_POINTER (page->serial)) && page->number == 0)
    chain->link.recurs = TRUE;
  g_array_append_val (chain->streams, stream);
}

static void
chain_count_packets (Chain *chain, const Page *page)
{
  Stream *stream = NULL;

  for (guint i = 0; i < chain->streams->len && stream == NULL; i++)
    if (g_array_index (chain->streams, Stream, i).serial == page->serial)
      stream = &g_array_index (chain->streams, Stream, i);
  if (stream == NULL && (page->flags & PAGE_BEGINS) != 0 && chain->streams->len < MOST_STREAMS) {
    chain_begin_stream (chain, page);
    stream = &g_array_index (chain->streams, Stream, chain->streams->len - 1);
  }
  if (stream == NULL)
    return;
  for (guint i = 0; i < page->lacings; i++)
    stream->packets += page->lacing[i] < MOST_LACING ? 1 : 0;
  if (page->lacings > 0)
    stream->is_open = page->lacing[page->lacings - 1] == MOST_LACING;
  stream->has_ended |= (page->flags & PAGE_ENDS) != 0;
}

/* The film has ended. */
static void
chain_add_link (Chain *chain, BoundsFile *file)
{
  for (guint i = 0; i < chain->streams->len; i++) {
    const Stream *stream = &g_array_index (chain->streams, Stream, i);

    if (stream->headers == 0)
      continue;
    chain->link.frames = MAX (chain->link.frames, stream->packets - MIN (stream->packets, stream->headers));
    file->bounds.is_cut |= !stream->has_ended && (chain->is_torn || stream->is_open);
    file->bounds.is_unmarked |= !stream->has_ended;
  }
  g_array_append_val (chain->links, chain->link);
}

static void
chain_begin_link (Chain *chain, guint64 start)
{
  g_array_set_size (chain->streams, 0);
  chain->link = (BoundsLink){ .start = start };
  chain->has_data = FALSE;
}

static void
chain_add_page (Chain *chain, const Page *page, BoundsFile *file)
{
  const gboolean begins = (page->flags & PAGE_BEGINS) != 0;

  if (chain->has_data && begins) {
    chain_add_link (chain, file);
    chain_begin_link (chain, page->at);
  }
  chain->has_data |= !begins;
  chain_count_packets (chain, page);
}

/* Reads the header of each page, some 100,000 for a film of 1 GB. */
void
bounds_read_ogg (BoundsFile *file)
{
  Chain chain = { .streams = g_array_new (FALSE, FALSE, sizeof (Stream)),
                  .links = g_array_new (FALSE, FALSE, sizeof (BoundsLink)),
                  .serials = g_hash_table_new (NULL, NULL) };
  g_autofree Window *window = g_new0 (Window, 1);
  guint64 at = 0, next;
  Page page;

  window->file = file;
  while (at < file->size && window_get_page (window, at, &page)) {
    next = at + page.size;
    if (!window_has_page (window, next))
      next = window_find_page (window, at + 4);
    if (at + page.size <= next) /* the page is complete */
      chain_add_page (&chain, &page, file);
    chain.is_torn = at + page.size != next;
    at = next;
  }
  chain.is_torn |= at < file->size;
  chain_add_link (&chain, file);
  file->bounds.links = chain.links;
  file->bounds.headers = BOUNDS_HEADERS;
  g_array_unref (chain.streams);
  g_hash_table_unref (chain.serials);
}
