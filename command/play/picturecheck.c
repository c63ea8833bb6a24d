/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "play/picturecheck.h"

#include <gst/gst.h>
#include <string.h>

#include "decoding/numbers.h"

#define CUT "is cut off"
#define DAMAGED "has a wrong checksum"
#define PNG_HEAD 8 /* bytes of its signature, and of a chunk's length and type */
#define PNG_SUM 4  /* bytes of a chunk's checksum */
#define CRC_POLYNOMIAL 0xedb88320u

static gpointer
picture_make_crc_table (gpointer data G_GNUC_UNUSED)
{
  static guint32 table[256];

  for (guint32 i = 0; i < G_N_ELEMENTS (table); i++) {
    table[i] = i;
    for (guint bit = 0; bit < 8; bit++)
      table[i] = table[i] >> 1 ^ ((table[i] & 1) != 0 ? CRC_POLYNOMIAL : 0);
  }
  return table;
}

static guint32
picture_compute_crc (const guint8 *bytes, gsize size)
{
  static GOnce once = G_ONCE_INIT;
  const guint32 *table = g_once (&once, picture_make_crc_table, NULL);
  guint32 crc = G_MAXUINT32;

  for (gsize i = 0; i < size; i++)
    crc = crc >> 8 ^ table[(crc ^ bytes[i]) & 0xff];
  return ~crc;
}

/* A PNG has chunks up to IEND, each with length, type, content, and a checksum of type and content. A wrong checksum in an
 * ancillary chunk (lower-case first letter) is harmless. */
static const gchar *
picture_check_png (const guint8 *bytes, gsize size)
{
  static const guint8 signature[PNG_HEAD] = { 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n' };
  gsize at = sizeof signature;

  if (memcmp (bytes, signature, MIN (size, sizeof signature)) != 0)
    return "is not a PNG file";
  while (at + PNG_HEAD + PNG_SUM <= size) {
    const guint8 *type = bytes + at + 4;
    const gsize length = decoding_read_uint32_be (bytes + at);

    if (length > size - at - PNG_HEAD - PNG_SUM)
      return CUT;
    if (g_ascii_isupper (type[0]) && picture_compute_crc (type, 4 + length) != decoding_read_uint32_be (type + 4 + length))
      return DAMAGED;
    if (memcmp (type, "IEND", 4) == 0)
      return NULL;
    at += PNG_HEAD + length + PNG_SUM;
  }
  return CUT;
}

/* The file size follows the signature, or 0. */
static const gchar *
picture_check_bmp (const guint8 *bytes, gsize size)
{
  if (memcmp (bytes, "BM", MIN (size, 2)) != 0)
    return "is not a BMP file";
  if (size < 6 || decoding_read_uint32_le (bytes + 2) > size)
    return CUT;
  return NULL;
}

/* Decoders fill in the missing part of a JPEG that is cut off. */
static const gchar *
picture_check_jpeg (const guint8 *bytes, gsize size)
{
  static const guint8 begin[] = { 0xff, 0xd8 };

  if (memcmp (bytes, begin, MIN (size, sizeof begin)) != 0)
    return "is not a JPEG file";
  for (gsize i = size; i >= 4; i--)
    if (bytes[i - 2] == 0xff && bytes[i - 1] == 0xd9)
      return NULL;
  return CUT;
}

const gchar *
picture_check (const gchar *media_type, const guint8 *bytes, gsize size)
{
  if (size == 0)
    return "is empty";
  if (g_str_equal (media_type, "image/png"))
    return picture_check_png (bytes, size);
  if (g_str_equal (media_type, "image/bmp"))
    return picture_check_bmp (bytes, size);
  if (g_str_equal (media_type, "image/jpeg"))
    return picture_check_jpeg (bytes, size);
  return NULL;
}
