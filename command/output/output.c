/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "output/outputprivate.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "common/terminal.h"

static void
output_fail_to_open (const gchar *path)
{
  if (errno == ENXIO)
    command_fail ("no program reads the pipe %s: start its reader first", path);
  else
    command_fail ("%s cannot be written: %s", path, g_strerror (errno));
}

Output *
output_open (const gchar *path, const gchar *const *inputs, const OutputPolicy *policy)
{
  Output *output = g_new0 (Output, 1);

  if (!output_check (output, path, inputs, policy)) {
    output_abandon (output);
    return NULL;
  }
  output->file = stdout;
  output->kind = policy->kind;
  if (!output_is_named_standard (path) && !output_open_file (output, path)) {
    output_fail_to_open (path);
    output->file = NULL;
    output_abandon (output);
    return NULL;
  }
  output->is_terminal = terminal_is_there (fileno (output->file));
  if (output->path != NULL)
    setvbuf (output->file, NULL, _IOFBF, OUTPUT_BUFFER_BYTES);
  if (output->real_path != NULL || (output->path != NULL && !output->was_there)) /* also if a link's target does not exist */
    output->checksum = g_checksum_new (G_CHECKSUM_SHA256);
  if (output->path != NULL && g_str_has_suffix (path, ".gz"))
    output->compressor = G_CONVERTER (g_zlib_compressor_new (G_ZLIB_COMPRESSOR_FORMAT_GZIP, -1));
  return output;
}

/* ---- writing ---------------------------------------------------------------------------------------------------------- */

static void
output_put (Output *output, const gchar *data, gsize length)
{
  errno = 0;
  if (output->error == 0 && fwrite (data, 1, length, output->file) < length)
    output->error = errno != 0 ? errno : EIO;
  if (output->checksum != NULL)
    g_checksum_update (output->checksum, (const guchar *)data, (gssize)length);
}

static void
output_compress (Output *output, const gchar *data, gsize length, GConverterFlags flags)
{
  GConverterResult result;

  do {
    gchar packed[4096];
    gsize n_read, n_packed;

    result = g_converter_convert (output->compressor, data, length, packed, sizeof packed, flags, &n_read, &n_packed, NULL);
    if (result == G_CONVERTER_ERROR)
      return;
    output_put (output, packed, n_packed);
    data += n_read;
    length -= n_read;
  } while (length > 0 || (flags != G_CONVERTER_NO_FLAGS && result != G_CONVERTER_FINISHED));
}

/* Replaces control characters for a terminal. */
static void
output_put_clean (Output *output, const gchar *text, gsize length)
{
  while (length > 0) {
    const gchar *end = text;
    g_autofree gchar *part = NULL, *clean = NULL;

    while (end < text + length && *end != '\n' && *end != '\t')
      end++;
    part = g_strndup (text, (gsize)(end - text));
    clean = terminal_clean (part);
    output_put (output, clean, strlen (clean));
    if (end < text + length)
      output_put (output, end++, 1);
    length -= (gsize)(end - text);
    text = end;
  }
}

void
output_write (Output *output, const gchar *text, gsize length)
{
  if (output->is_terminal && output->compressor == NULL)
    output_put_clean (output, text, length);
  else if (output->compressor == NULL)
    output_put (output, text, length);
  else if (length > 0)
    output_compress (output, text, length, G_CONVERTER_NO_FLAGS);
}

void
output_print (Output *output, const gchar *format, ...)
{
  va_list arguments;
  g_autofree gchar *text = NULL;

  va_start (arguments, format);
  text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  output_write (output, text, strlen (text));
}

gboolean
output_is_good (Output *output)
{
  return output->error == 0;
}

void
output_abandon (Output *output)
{
  if (output == NULL)
    return;
  if (output->path != NULL && output->file != NULL)
    fclose (output->file);
  if (output->new_path != NULL)
    g_unlink (output->new_path);
  g_clear_object (&output->compressor);
  g_clear_pointer (&output->checksum, g_checksum_free);
  g_free (output->new_path);
  g_free (output->real_path);
  g_free (output->path);
  g_free (output);
}

CommandStatus
output_close (Output *output, CommandStatus status)
{
  if (output == NULL)
    return status;
  if (output->compressor != NULL)
    output_compress (output, NULL, 0, G_CONVERTER_INPUT_AT_END);
  if (output->path != NULL) {
    if (output->error == 0 && output->real_path != NULL)
      output_replace (output);
    else if (output->error == 0 && output->checksum != NULL && fflush (output->file) == 0)
      output_mark (output, fileno (output->file));
    if (fclose (output->file) != 0 && output->error == 0)
      output->error = errno;
    output->file = NULL;
    if (output->error != 0)
      status = command_fail ("%s cannot be written: %s", output->path, g_strerror (output->error));
    else if (output->change != NULL)
      status = command_fail ("%s %s while cudahisto was running: nothing is written", output->path, output->change);
  } /* command_finish_output() checks standard output */
  output_abandon (output);
  return status;
}
