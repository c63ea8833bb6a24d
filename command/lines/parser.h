/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Parses a line of a sidecar, from JSON by yajl's events, into the structures of the messages. */

#pragma once

#include <gst/gst.h>

/* The state kept between lines. */
typedef struct _Parser Parser;

/* Error codes of the domain PARSER_FAULT. */
typedef enum {
  PARSER_FAULT_LINE,    /* it is not JSON, or is other JSON */
  PARSER_FAULT_TORN,    /* its end is missing, and the rest is valid */
  PARSER_FAULT_VERSION, /* it has another version of the format */
} ParserFault;

#define PARSER_FAULT (parser_fault_quark ())
GQuark parser_fault_quark (void);

Parser *parser_new (void);
void parser_free (Parser *parser);

/* Returns the structure of a message "cudahisto" or "cudahisto-event" for a line without its newline. The caller owns it.
 * Histograms, arrays and regions are packed; integers of 2^64 and more are strings of decimal digits under their names. NULL:
 * `error` is a sentence without its subject ("is not JSON: ..."). */
GstStructure *parser_parse (Parser *parser, const gchar *text, gsize length, GError **error);

/* Names of the components of the result that was parsed last, in the order of the line, NULL-terminated. The array is valid
 * until the next line, the names until parser_free(). */
const gchar *const *parser_get_components (const Parser *parser);
