/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "scan/films.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <gst/base/gsttypefindhelper.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/command.h"
#include "common/location.h"
#include "decoding/location.h"

#define HEAD_BYTES (256 << 10) /* read to find the type of a file */

typedef struct {
  GPtrArray *films;
  GHashTable *names;     /* of the films found so far: name to film */
  GHashTable *locations; /* the same */
  GStatBuf output;       /* of the folder of results; st_ino 0: there is none yet */
  guint n_unread;
} Search;

static void
scan_film_free (gpointer data)
{
  ScanFilm *film = data;

  g_free (film->location);
  g_free (film->name);
  g_free (film);
}

/* ---- content ---------------------------------------------------------------------------------------------------------- */

/* Returns the first bytes of a file; NULL: it cannot be read. */
static GBytes *
scan_read_head (const gchar *path)
{
  const int fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  g_autofree guint8 *head = g_malloc (HEAD_BYTES);
  gssize length;

  if (fd < 0)
    return NULL;
  length = read (fd, head, HEAD_BYTES);
  close (fd);
  return length >= 0 ? g_bytes_new (head, (gsize)length) : NULL;
}

/* Whether the content is video, by GStreamer's type finders. */
static gboolean
scan_is_video (GBytes *head)
{
  static const gchar *const containers[] = { "application/mxf", "application/ogg", "application/vnd.rn-realmedia", NULL };
  const GstStructure *type;
  gboolean is_video;
  gsize length;
  const guint8 *data = g_bytes_get_data (head, &length);
  GstCaps *caps = length > 0 ? gst_type_find_helper_for_data (NULL, data, length, NULL) : NULL;

  if (caps == NULL)
    return FALSE;
  type = gst_caps_get_structure (caps, 0);
  is_video = g_str_has_prefix (gst_structure_get_name (type), "video/")
             || g_strv_contains (containers, gst_structure_get_name (type));
  gst_caps_unref (caps);
  return is_video;
}

/* ---- names ------------------------------------------------------------------------------------------------------------ */

/* Host and path, without user and password. A query, which may have a secret, becomes a digest. */
static gchar *
scan_name_uri (const gchar *uri)
{
  const gchar *begin = strchr (uri, ':') + 1;
  const gchar *query = strpbrk (begin, "?#");
  g_autofree gchar *path = query != NULL ? g_strndup (begin, (gsize)(query - begin)) : g_strdup (begin);
  g_auto (GStrv) parts = g_strsplit (path, "/", -1);
  GString *name = g_string_new (NULL);

  for (guint i = 0; parts[i] != NULL; i++) {
    const gchar *user = i == 2 ? strrchr (parts[i], '@') : NULL; /* "", "", "user:password@host" */

    if (*parts[i] != '\0' && !g_str_equal (parts[i], ".") && !g_str_equal (parts[i], ".."))
      g_string_append_printf (name, "%s%s", name->len > 0 ? "/" : "", user != NULL ? user + 1 : parts[i]);
  }
  if (query != NULL) {
    g_autofree gchar *digest = g_compute_checksum_for_string (G_CHECKSUM_SHA256, query, -1);

    g_string_append_printf (name, "-%.16s", digest);
  }
  return g_string_free (name, FALSE);
}

/* Returns the name of the results of a film that an argument or a list names. */
static gchar *
scan_name_film (const gchar *location)
{
  g_autofree gchar *current = g_get_current_dir (), *path = NULL;

  if (decoding_location_is_uri (location))
    return scan_name_uri (location);
  path = g_canonicalize_filename (location, NULL);
  if (g_str_has_prefix (path, current) && path[strlen (current)] == G_DIR_SEPARATOR)
    return g_strdup (path + strlen (current) + 1);
  return g_strdup (path + 1);
}

/* Takes a name, and returns one that no file of the scan itself has. */
static gchar *
scan_avoid_own_names (gchar *name)
{
  g_autofree gchar *owned = name;
  const gboolean is_own
      = *name == '\0' || g_str_equal (name, "index") || g_str_equal (name, "summary") || g_str_has_prefix (name, ".scan/");

  return is_own ? g_strconcat ("_", name, NULL) : g_steal_pointer (&owned);
}

/* Finds the size of a film, and whether it can be opened. */
static void
scan_look_at_film (ScanFilm *film)
{
  struct stat status;
  int fd = -1;

  if (stat (film->location, &status) != 0) {
    film->error = errno;
    return;
  }
  film->size = (guint64)status.st_size;
  film->modified_us = (gint64)status.st_mtim.tv_sec * G_USEC_PER_SEC + status.st_mtim.tv_nsec / 1000;
  if (!S_ISREG (status.st_mode))
    return;
  fd = open (film->location, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    film->error = errno;
  else
    close (fd);
}

/* Adds a film; it takes `given`, a name. Does nothing if it was found before. FALSE: another film has the name. */
static gboolean
scan_add_film (Search *search, const gchar *location, gchar *given, GError **error)
{
  g_autofree gchar *name = scan_avoid_own_names (given);
  const gboolean is_uri = decoding_location_is_uri (location);
  g_autofree gchar *path = is_uri ? g_strdup (location) : g_canonicalize_filename (location, NULL);
  const ScanFilm *before = g_hash_table_lookup (search->names, name);
  ScanFilm *film;

  if (g_hash_table_contains (search->locations, path))
    return TRUE;
  if (before != NULL) {
    g_autofree gchar *first = location_name (before->location), *second = location_name (path);

    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
                 "the results of \"%s\" and \"%s\" would have the same name: scan them into different folders", first, second);
    return FALSE;
  }
  film = g_new0 (ScanFilm, 1);
  film->location = g_steal_pointer (&path);
  film->name = g_steal_pointer (&name);
  film->is_uri = is_uri;
  if (!is_uri)
    scan_look_at_film (film);
  g_ptr_array_add (search->films, film);
  g_hash_table_insert (search->names, film->name, film);
  g_hash_table_add (search->locations, film->location);
  return TRUE;
}

/* Adds a film that an argument or a list names. */
static gboolean
scan_add_named_film (Search *search, const gchar *location, GError **error)
{
  g_autofree gchar *path = gst_uri_has_protocol (location, "file") ? g_filename_from_uri (location, NULL, NULL) : NULL;
  const gchar *film = path != NULL ? path : location;

  return scan_add_film (search, film, scan_name_film (film), error);
}

/* ---- folders ---------------------------------------------------------------------------------------------------------- */

static int
scan_compare_entries (const FTSENT **first, const FTSENT **second)
{
  return strcmp ((*first)->fts_name, (*second)->fts_name);
}

static void
scan_warn_of (Search *search, const FTSENT *entry, int reason)
{
  g_autofree gchar *name = location_name (entry->fts_path);

  search->n_unread++;
  command_warn ("\"%s\" cannot be read: %s", name, g_strerror (reason));
}

/* The name of a film's results, relative to the folder that contains `folder`. */
static gchar *
scan_name_in_folder (const gchar *folder, const gchar *path)
{
  g_autofree gchar *base = g_path_get_basename (folder);
  const gchar *rest = path + strlen (folder);

  while (*rest == G_DIR_SEPARATOR)
    rest++;
  return g_str_equal (folder, G_DIR_SEPARATOR_S) ? g_strdup (rest) : g_build_filename (base, rest, NULL);
}

/* Adds a file of a folder if it is a film. */
static gboolean
scan_take_file (Search *search, const gchar *folder, const FTSENT *entry, GError **error)
{
  g_autoptr (GBytes) head = scan_read_head (entry->fts_path);

  if (head == NULL)
    scan_warn_of (search, entry, errno);
  if (head == NULL || !scan_is_video (head))
    return TRUE;
  return scan_add_film (search, entry->fts_path, scan_name_in_folder (folder, entry->fts_path), error);
}

static gboolean
scan_is_output (const Search *search, const FTSENT *entry)
{
  return search->output.st_ino != 0 && entry->fts_statp->st_dev == search->output.st_dev
         && entry->fts_statp->st_ino == search->output.st_ino;
}

/* Takes an entry of a folder. FALSE, with an error: stop. */
static gboolean
scan_take_entry (Search *search, const gchar *folder, FTS *tree, FTSENT *entry, GError **error)
{
  switch (entry->fts_info) {
  case FTS_D:
    if (!scan_is_output (search, entry))
      return TRUE;
    fts_set (tree, entry, FTS_SKIP);
    if (entry->fts_level > 0)
      return TRUE;
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
                 "\"%s\" is the folder of the results: name another one with --output, such as results/ in it", folder);
    return FALSE;
  case FTS_F:
    return scan_take_file (search, folder, entry, error);
  case FTS_SLNONE:
    scan_warn_of (search, entry, ENOENT);
    return TRUE;
  case FTS_DNR:
  case FTS_ERR:
  case FTS_NS:
    scan_warn_of (search, entry, entry->fts_errno);
    return TRUE;
  default:
    return TRUE;
  }
}

/* Adds the films of a folder and its folders. Follows links, but no circle of links. */
static gboolean
scan_search_folder (Search *search, const gchar *folder, GError **error)
{
  g_autofree gchar *path = g_canonicalize_filename (folder, NULL);
  char *const roots[] = { path, NULL };
  FTS *tree = fts_open (roots, FTS_LOGICAL | FTS_NOCHDIR, scan_compare_entries);
  gboolean is_good = tree != NULL;
  FTSENT *entry;

  if (tree == NULL)
    g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno), "\"%s\" cannot be searched: %s", path, g_strerror (errno));
  while (is_good && (entry = fts_read (tree)) != NULL)
    is_good = scan_take_entry (search, path, tree, entry, error);
  if (tree != NULL)
    fts_close (tree);
  return is_good;
}

/* ---- lists ------------------------------------------------------------------------------------------------------------ */

/* Returns a list without UTF-8's byte order mark, which editors on Windows write. */
static GBytes *
scan_trim_list (GByteArray *text)
{
  static const guint8 mark[] = { 0xef, 0xbb, 0xbf };

  if (text->len >= sizeof mark && memcmp (text->data, mark, sizeof mark) == 0)
    g_byte_array_remove_range (text, 0, sizeof mark);
  return g_byte_array_free_to_bytes (text);
}

static GBytes *
scan_read_list (const gchar *path, GError **error)
{
  g_autoptr (GByteArray) text = g_byte_array_new ();
  const int fd = g_str_equal (path, "-") ? dup (STDIN_FILENO) : open (path, O_RDONLY | O_CLOEXEC);
  guint8 part[4096];
  gssize length = fd < 0 ? -1 : 0;

  while (fd >= 0 && (length = read (fd, part, sizeof part)) > 0)
    g_byte_array_append (text, part, (guint)length);
  if (length < 0)
    g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno), "the list \"%s\" cannot be read: %s", path,
                 g_strerror (errno));
  if (fd >= 0)
    close (fd);
  return length < 0 ? NULL : scan_trim_list (g_steal_pointer (&text));
}

/* Adds the films that a list names, also those that do not exist. */
static gboolean
scan_read_films (Search *search, GBytes *list, GError **error)
{
  gsize length, begin = 0;
  const gchar *text = g_bytes_get_data (list, &length);
  const gchar separator = length > 0 && memchr (text, '\0', length) != NULL ? '\0' : '\n';

  while (begin < length) {
    const gchar *end = memchr (text + begin, separator, length - begin);
    const gsize part = end != NULL ? (gsize)(end - text) - begin : length - begin;
    g_autofree gchar *location = g_strndup (text + begin, part);

    if (separator == '\n' && part > 0 && location[part - 1] == '\r')
      location[part - 1] = '\0';
    begin += part + 1;
    if (*location == '\0')
      continue;
    if (g_file_test (location, G_FILE_TEST_IS_DIR) ? !scan_search_folder (search, location, error)
                                                   : !scan_add_named_film (search, location, error))
      return FALSE;
  }
  return TRUE;
}

/* Whether a file that is not video can be a list: text, as far as it was read. */
static gboolean
scan_is_list (GBytes *head)
{
  gsize length;
  const gchar *text = g_bytes_get_data (head, &length);

  for (gsize i = 0; i < length; i++)
    if ((guchar)text[i] < ' ' && strchr ("\t\r\n", text[i]) == NULL)
      return FALSE; /* also a NUL byte: strchr() finds the end of the string, but only for lists of find -print0 */
  return TRUE;
}

static gboolean
scan_take_list (Search *search, const gchar *input, GError **error)
{
  g_autoptr (GBytes) list = scan_read_list (input, error);

  return list != NULL && scan_read_films (search, list, error);
}

/* Takes a film or a list. */
static gboolean
scan_take_named_file (Search *search, const gchar *input, GError **error)
{
  g_autoptr (GBytes) head = scan_read_head (input);
  g_autofree gchar *name = location_name (input);

  if (head == NULL) {
    g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno), "\"%s\" cannot be read: %s", name, g_strerror (errno));
    return FALSE;
  }
  if (scan_is_video (head))
    return scan_add_named_film (search, input, error);
  if (scan_is_list (head))
    return scan_take_list (search, input, error);
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT, "\"%s\" is neither a film, a folder nor a list of films", name);
  return FALSE;
}

static gboolean
scan_take_input (Search *search, const gchar *input, GError **error)
{
  struct stat status;

  if (g_str_equal (input, "-"))
    return scan_take_list (search, input, error);
  if (decoding_location_is_uri (input))
    return scan_add_named_film (search, input, error);
  if (stat (input, &status) == 0 && S_ISDIR (status.st_mode))
    return scan_search_folder (search, input, error);
  if (stat (input, &status) == 0 && S_ISFIFO (status.st_mode)) /* a shell's <(find ...) */
    return scan_take_list (search, input, error);
  return scan_take_named_file (search, input, error);
}

GPtrArray *
scan_find_films (gchar *const *inputs, const gchar *output, guint *n_unread, GError **error)
{
  Search search = {
    .films = g_ptr_array_new_with_free_func (scan_film_free),
    .names = g_hash_table_new (g_str_hash, g_str_equal),
    .locations = g_hash_table_new (g_str_hash, g_str_equal),
  };
  gboolean is_good = TRUE;

  if (g_stat (output, &search.output) != 0)
    search.output.st_ino = 0;
  for (guint i = 0; is_good && inputs[i] != NULL; i++)
    is_good = scan_take_input (&search, inputs[i], error);
  g_hash_table_unref (search.names);
  g_hash_table_unref (search.locations);
  *n_unread += search.n_unread;
  if (is_good)
    return search.films;
  g_ptr_array_unref (search.films);
  return NULL;
}
