/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* engine PICTURE: prints the numbers of a picture. Uses only the engine, without GStreamer. It reads PGM and PPM (binary, 8
 * bits). ffmpeg, ImageMagick and Netpbm convert other formats: ffmpeg -i picture.jpg picture.ppm */

#include <cudahisto/histo.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
  unsigned channels, width, height;
  uint8_t *samples; /* row after row, without padding; channels interleaved */
} Picture;

/* The next number of the header, after white space and comments. 0 if there is none, or it is too large for a picture. */
static unsigned
read_number (FILE *file)
{
  unsigned number = 0;
  int c = getc (file);

  while (c == '#' || c == ' ' || (c >= '\t' && c <= '\r')) {
    for (int is_comment = c == '#'; is_comment && c != '\n' && c != EOF;)
      c = getc (file);
    c = getc (file);
  }
  for (; c >= '0' && c <= '9' && number < 100000; c = getc (file))
    number = 10 * number + (unsigned)(c - '0');
  return number < 100000 ? number : 0; /* the format has one character after the number, also read */
}

/* NULL, or the error. */
static const char *
read_picture (const char *path, Picture *picture)
{
  FILE *file = fopen (path, "rb");
  int kind, peak;
  size_t size;

  if (!file)
    return "cannot open the file";
  kind = getc (file) == 'P' ? getc (file) : EOF;
  picture->channels = kind == '5' ? 1 : 3;
  picture->width = read_number (file);
  picture->height = read_number (file);
  peak = (int)read_number (file);
  if ((kind != '5' && kind != '6') || picture->width == 0 || picture->height == 0 || peak != 255) {
    fclose (file);
    return "not a binary PGM or PPM of 8 bits; convert it: ffmpeg -i FILE picture.ppm";
  }
  size = (size_t)picture->channels * picture->width * picture->height;
  picture->samples = malloc (size);
  size -= picture->samples ? fread (picture->samples, 1, size, file) : 0;
  fclose (file);
  return size == 0 ? NULL : "the file is truncated or too large";
}

int
main (int argc, char **argv)
{
  static const char *const names[] = { "red", "green", "blue" };
  struct histo_frame frame = { .plane_count = 1 };
  struct histo_engine *engine = NULL;
  struct histo_stats stats = { 0 };
  struct histo_summary numbers;
  Picture picture = { 0 };
  const char *path = argc == 2 ? argv[1] : "usage", *fault = argc == 2 ? read_picture (path, &picture) : "engine PICTURE";
  histo_ticket ticket;
  enum histo_status status = HISTO_OK;

  if (!fault) {
    frame.component_count = picture.channels;
    frame.planes[0] = (struct histo_plane){ .data = picture.samples,
                                            .stride_bytes = (size_t)picture.channels * picture.width,
                                            .height = picture.height };
    for (unsigned c = 0; c < picture.channels; c++)
      frame.components[c] = (struct histo_component){
        .offset_bytes = c, .step_bytes = picture.channels, .width = picture.width, .sample_bytes = 1, .depth = 8
      };
    status = histo_open (NULL, &engine); /* uses a GPU if there is one */
  }
  if (!fault && status == HISTO_OK)
    status = histo_submit (engine, &frame, &ticket);
  if (!fault && status == HISTO_OK)
    status = histo_collect (engine, ticket, &stats);
  for (unsigned c = 0; !fault && status == HISTO_OK && c < picture.channels; c++)
    if (histo_summarize (&stats.components[c], &numbers))
      printf ("%-5s %" PRIu64 " samples, mean %.3f, deviation %.3f, from %u to %u, median %u\n",
              picture.channels == 3 ? names[c] : "grey", stats.components[c].count, numbers.mean, numbers.stddev, numbers.min,
              numbers.max, numbers.median);
  if (fault || status != HISTO_OK)
    fprintf (stderr, "%s: %s\n", path, fault ? fault : histo_status_text (status));
  histo_stats_clear (&stats);
  histo_close (&engine);
  free (picture.samples);
  return fault || status != HISTO_OK;
}
