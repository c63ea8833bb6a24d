/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include <fcntl.h>
#include <gst/gst.h>
#include <locale.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "common/command.h"
#include "common/interrupt.h"
#include "play/player.h"

/* In help order. */
static const Command *const commands[] = {
  &command_measure, &command_show,  &command_watch, &command_csv, &command_events, &command_light, &command_check,
  &command_report,  &command_merge, &command_scan,  NULL,
};

static const gchar examples[] = "  cudahisto measure film.mp4             measure each frame: film.jsonl\n"
                                "  cudahisto show film.jsonl              as a table, and the histogram\n"
                                "  cudahisto report film.jsonl            as charts, for a browser: film.html\n"
                                "  cudahisto csv film.jsonl -o film.csv   for pandas, R and spreadsheets\n"
                                "  cudahisto watch /dev/video0            a camera, live\n"
                                "\n"
                                "  cudahisto measure film.mp4 --events black+freeze+scene-change\n"
                                "  cudahisto events film.jsonl            black, freezes, scene changes\n";

static const gchar remarks[] = "Run `cudahisto COMMAND --help` for options, `man cudahisto` for everything.\n"
                               "Exit status: 0: success; 1: success, with findings; 2: error.\n";

static void
print_help (void)
{
  g_print ("Usage:\n  cudahisto COMMAND [OPTION...] [FILE...]\n\n"
           "Histograms and picture statistics of films, cameras and bytes, exact, on an\n"
           "NVIDIA GPU or the CPU.\n\nExamples:\n%s\nCommands:\n",
           examples);
  for (guint i = 0; commands[i] != NULL; i++)
    g_print ("  %-9s  %s\n", commands[i]->name, commands[i]->summary);
  g_print ("\nOptions:\n  -h, --help  Print this help\n  --version   Print the version\n\n%s", remarks);
}

/* If standard input or output is closed, opens an unusable file in its place, so that the next opened file does not get its
 * descriptor. */
static void
fill_standard_files (void)
{
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
    if (fcntl (fd, F_GETFD) < 0 && open ("/dev/null", fd == STDOUT_FILENO ? O_RDONLY : O_WRONLY) != fd)
      _exit (COMMAND_ERROR);
}

/* Runs a subcommand, which may have been interrupted, or have left a pipeline that does not stop. */
static CommandStatus
run_command (const Command *command, int argc, char **argv)
{
  const CommandStatus status = command_finish_output (command->run (argc, argv));

  interrupt_pass_on ();
  return player_leave (status);
}

int
main (int argc, char **argv)
{
  const gchar *name = argc > 1 ? argv[1] : "--help";

  fill_standard_files ();
  /* Keeps the number format of C and JSON in any locale. */
  setlocale (LC_CTYPE, "");
  /* Writes return an error, which is checked. */
  signal (SIGPIPE, SIG_IGN);
  signal (SIGXFSZ, SIG_IGN);
  g_set_prgname ("cudahisto");
  if (g_str_equal (name, "--help") || g_str_equal (name, "-h") || g_str_equal (name, "help")) {
    print_help ();
    return command_finish_output (argc > 1 ? COMMAND_OK : COMMAND_ERROR);
  }
  if (g_str_equal (name, "--version")) {
    g_print ("cudahisto %s (%s)\n", COMMAND_VERSION, gst_version_string ());
    return command_finish_output (COMMAND_OK);
  }
  for (guint i = 0; commands[i] != NULL; i++)
    if (g_str_equal (name, commands[i]->name))
      return run_command (commands[i], argc - 1, argv + 1);
  return command_fail ("unknown command \"%s\". Run `cudahisto --help`.", name);
}
