/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The command `cudahisto`: its subcommands, each in a file of its name, and their exit statuses. */

#pragma once

#include <glib.h>

/* Exit statuses. */
typedef enum {
  COMMAND_OK = 0,      /* success */
  COMMAND_FINDING = 1, /* success, with a finding: an event, or a part that could not be merged exactly */
  COMMAND_ERROR = 2    /* failure, or partial failure; the reason is on standard error */
} CommandStatus;

typedef struct {
  const gchar *name;    /* "measure" */
  const gchar *usage;   /* the arguments after the name and "[OPTION...]": "FILE|URI|-..." */
  const gchar *summary; /* the description in `cudahisto --help`: at most 60 columns, a capital at the start, no full stop */
  /* argv[0] is the name. Calls command_parse() for its options. */
  CommandStatus (*run) (int argc, char **argv);
} Command;

/* Add a new one to the table in main.c. */
extern const Command command_measure, command_show, command_watch, command_csv, command_events, command_light, command_check,
    command_report, command_merge, command_scan;

/* Parses the options of a subcommand. `entries` ends with G_OPTION_ENTRY_NULL. `description` is the text above the options in
 * --help: examples first, lines of at most 79 columns. May change `*argv`; it then holds the arguments from index 1 on. Returns
 * FALSE if the subcommand must return *status; the reason or the help has been printed. */
gboolean command_parse (const Command *command, const GOptionEntry *entries, const gchar *description, int *argc, char ***argv,
                        CommandStatus *status);

/* Starts GStreamer without looking for plugins, for structures and values only. */
void command_init_structures (void);

/* Starts GStreamer with its plugins. Also looks for this project's plugin near the command: in the build directory, and in a
 * prefix. Returns FALSE, after reporting an error, if it is not found. */
gboolean command_init_plugins (void);

/* Prints "cudahisto: " and the message to standard error, and returns COMMAND_ERROR. Replaces control characters, and first
 * clears a progress line on the terminal. */
CommandStatus command_fail (const gchar *format, ...) G_GNUC_PRINTF (1, 2);

/* Prints a warning in the same way. */
void command_warn (const gchar *format, ...) G_GNUC_PRINTF (1, 2);

/* Appends errors and warnings also to this text, separated by spaces. NULL: ends that. */
void command_collect_messages (GString *text);

/* Flushes and checks standard output. Reports an error, once, if the disk is full or the reader failed. If the reader closed
 * the pipe, the command ends without a message, as before `head`. Call it at the end with the status so far. */
CommandStatus command_finish_output (CommandStatus status);
