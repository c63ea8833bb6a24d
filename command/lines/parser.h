/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A line of a sidecar: from JSON, by the events of yajl's parser, to the structures of the messages. */

#ifndef CUDAHISTO_PARSER_H
#define CUDAHISTO_PARSER_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* What is kept from one line to the next. */
typedef struct _Parser Parser;

/* Codes of the errors, of the domain PARSER_FAULT. */
typedef enum {
  PARSER_FAULT_LINE,    /* it is no JSON, or JSON of something else */
  PARSER_FAULT_TORN,    /* its end is missing, and nothing else is wrong with it */
  PARSER_FAULT_VERSION, /* it is of another version of the format */
} ParserFault;

#define PARSER_FAULT (parser_fault_quark ())
GQuark parser_fault_quark (void);

Parser *parser_new (void);
void parser_free (Parser *parser);

/* The structure of a message "cudahisto", or "cudahisto-event", of a line without its newline. It is the caller's. Histograms,
 * arrays and regions are packed; integers of 2^64 and more are strings of decimal digits under their names. NULL: `error` says
 * what the line is, a sentence without its subject ("is not JSON: ..."). */
GstStructure *parser_parse (Parser *parser, const gchar *text, gsize length, GError **error);

/* The names of the components of the result that was parsed last, in the order of the line; the last is NULL. Valid until the
 * next line; the names are, until parser_free(). */
const gchar *const *parser_get_components (const Parser *parser);

G_END_DECLS

#endif
