/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Numbers in files and streams, at any address. GStreamer's macros for them, such as GST_READ_UINT32_BE, are undefined
 * behaviour at an address that is not a multiple of the size. */

#pragma once

#include <glib.h>
#include <string.h>

G_BEGIN_DECLS

static inline guint16
decoding_read_uint16_be (gconstpointer bytes)
{
  guint16 number;

  memcpy (&number, bytes, sizeof number);
  return GUINT16_FROM_BE (number);
}

static inline guint16
decoding_read_uint16_le (gconstpointer bytes)
{
  return GUINT16_SWAP_LE_BE (decoding_read_uint16_be (bytes));
}

static inline guint32
decoding_read_uint32_be (gconstpointer bytes)
{
  guint32 number;

  memcpy (&number, bytes, sizeof number);
  return GUINT32_FROM_BE (number);
}

static inline guint32
decoding_read_uint32_le (gconstpointer bytes)
{
  return GUINT32_SWAP_LE_BE (decoding_read_uint32_be (bytes));
}

static inline guint64
decoding_read_uint64_be (gconstpointer bytes)
{
  guint64 number;

  memcpy (&number, bytes, sizeof number);
  return GUINT64_FROM_BE (number);
}

static inline guint64
decoding_read_uint64_le (gconstpointer bytes)
{
  return GUINT64_SWAP_LE_BE (decoding_read_uint64_be (bytes));
}

static inline void
decoding_write_uint32_be (gpointer bytes, guint32 number)
{
  number = GUINT32_TO_BE (number);
  memcpy (bytes, &number, sizeof number);
}

static inline void
decoding_write_uint64_be (gpointer bytes, guint64 number)
{
  number = GUINT64_TO_BE (number);
  memcpy (bytes, &number, sizeof number);
}

G_END_DECLS
