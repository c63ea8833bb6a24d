/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The command `cudahisto`: its subcommands, each in a file of its name, and how they end. */

#ifndef CUDAHISTO_COMMAND_H
#define CUDAHISTO_COMMAND_H

#include <glib.h>

G_BEGIN_DECLS

/* Exit statuses. */
typedef enum {
  COMMAND_OK = 0,      /* the job is done */
  COMMAND_FINDING = 1, /* it is done, and something was found: an event, a part that could not be merged exactly */
  COMMAND_ERROR = 2    /* it is not done, or not all of it, and a sentence on standard error says why */
} CommandStatus;

typedef struct {
  const gchar *name;    /* "measure" */
  const gchar *usage;   /* what follows the name and "[OPTION...]": "FILE|URI|-..." */
  const gchar *summary; /* what it does, for `cudahisto --help`: at most 60 columns, a capital at the start, no full stop */
  /* argv[0] is the name. Parses its options itself, with command_parse(). */
  CommandStatus (*run) (int argc, char **argv);
} Command;

/* A new one goes into the table of main.c, too. */
extern const Command command_measure, command_show, command_watch, command_csv, command_events, command_report, command_merge;

/* Parses the options of a subcommand: `entries` ends with G_OPTION_ENTRY_NULL; `description` is what --help says above the
 * options, examples first, in lines of at most 79 columns; `*argv` may be changed, and what is left in it, from 1 on, are the
 * arguments. FALSE: *status is how to end; the reason, or the help, has been printed. */
gboolean command_parse (const Command *command, const GOptionEntry *entries, const gchar *description, int *argc, char ***argv,
                        CommandStatus *status);

/* Starts GStreamer, for structures and values alone: no plugin is looked for. */
void command_init_structures (void);

/* Starts GStreamer with its plugins. The one of this project is found beside the command, too, where GStreamer does not look by
 * itself: in the build folder, and in a prefix. FALSE: there is no such plugin, which has been said. */
gboolean command_init_plugins (void);

/* Prints "cudahisto: " and the sentence to standard error, control characters replaced, and returns COMMAND_ERROR. A line of
 * progress that is on the terminal is cleared first. */
CommandStatus command_fail (const gchar *format, ...) G_GNUC_PRINTF (1, 2);

/* The same without an end: something that the user should know, and that nothing fails by. */
void command_warn (const gchar *format, ...) G_GNUC_PRINTF (1, 2);

/* Standard output is flushed and checked: a full disk or a reader that failed is an error, said once; a pipe that its reader
 * has closed ends the command quietly, as `head` would have it. To be called at the end with the status so far. */
CommandStatus command_finish_output (CommandStatus status);

G_END_DECLS

#endif
