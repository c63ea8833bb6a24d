/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "output.h"

#include <errno.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define BUFFER_BYTES (256 * 1024)

struct _Output {
  gchar *path; /* NULL: standard output */
  FILE *file;
  GConverter *compressor; /* NULL: it is not compressed */
  int error;              /* of the first write that failed; 0: none has */
};

/* Whether both names are of one file that is there. */
static gboolean
output_is_same_file (const gchar *a, const gchar *b)
{
  GStatBuf about_a, about_b;

  return g_stat (a, &about_a) == 0 && g_stat (b, &about_b) == 0 && S_ISREG (about_a.st_mode) && about_a.st_ino == about_b.st_ino
         && about_a.st_dev == about_b.st_dev;
}

Output *
output_open (const gchar *path, const gchar *const *inputs)
{
  const gboolean is_file = path != NULL && strcmp (path, "-") != 0;
  Output *output;
  FILE *file = stdout;

  for (; is_file && *inputs != NULL; inputs++) {
    if (output_is_same_file (path, *inputs)) {
      command_fail ("%s is what is read: name another file to write", path);
      return NULL;
    }
  }
  if (is_file)
    file = g_fopen (path, "wbe");
  if (file == NULL) {
    command_fail ("%s cannot be written: %s", path, g_strerror (errno));
    return NULL;
  }
  output = g_new0 (Output, 1);
  output->path = is_file ? g_strdup (path) : NULL;
  output->file = file;
  if (is_file)
    setvbuf (file, NULL, _IOFBF, BUFFER_BYTES);
  if (is_file && g_str_has_suffix (path, ".gz"))
    output->compressor = G_CONVERTER (g_zlib_compressor_new (G_ZLIB_COMPRESSOR_FORMAT_GZIP, -1));
  return output;
}

static void
output_put (Output *output, const gchar *data, gsize length)
{
  errno = 0;
  if (output->error == 0 && fwrite (data, 1, length, output->file) < length)
    output->error = errno != 0 ? errno : EIO;
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

void
output_write (Output *output, const gchar *text, gsize length)
{
  if (output->compressor == NULL)
    output_put (output, text, length);
  else if (length > 0)
    output_compress (output, text, length, G_CONVERTER_NO_FLAGS);
}

void
output_print (Output *output, const gchar *format, ...)
{
  va_list arguments;
  gchar *text;

  va_start (arguments, format);
  text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  output_write (output, text, strlen (text));
  g_free (text);
}

gboolean
output_is_good (Output *output)
{
  return output->error == 0;
}

CommandStatus
output_close (Output *output, CommandStatus status)
{
  if (output == NULL)
    return status;
  if (output->compressor != NULL)
    output_compress (output, NULL, 0, G_CONVERTER_INPUT_AT_END);
  if (output->path != NULL) {
    if (fclose (output->file) != 0 && output->error == 0)
      output->error = errno;
    if (output->error != 0)
      status = command_fail ("%s cannot be written: %s", output->path, g_strerror (output->error));
  } /* standard output is looked at by command_finish_output() */
  g_clear_object (&output->compressor);
  g_free (output->path);
  g_free (output);
  return status;
}
