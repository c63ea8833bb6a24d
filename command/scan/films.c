/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "scan/films.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <gio/gio.h>
#include <gst/base/base.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/command.h"
#include "common/location.h"

#define HEAD_BYTES (256 << 10) /* read to find the type of a file */

typedef struct {
  GPtrArray *films;
  GHashTable *names;     /* of the films found so far: name to film */
  GHashTable *locations; /* the same */
  const gchar *output;   /* absolute path */
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

/* Returns the name of the results of a film that an argument or a list names. */
static gchar *
scan_name_film (const gchar *location)
{
  g_autofree gchar *current = g_get_current_dir (), *path = NULL;
  const gchar *after = strstr (location, "://");

  if (after != NULL)
    return g_strdup (after + strlen ("://"));
  path = g_canonicalize_filename (location, NULL);
  if (g_str_has_prefix (path, current) && path[strlen (current)] == G_DIR_SEPARATOR)
    return g_strdup (path + strlen (current) + 1);
  return g_strdup (path + 1);
}

/* Adds a film; it takes `name`. Does nothing if it was found before. FALSE: another film has the name. */
static gboolean
scan_add_film (Search *search, const gchar *location, gchar *name, GError **error)
{
  g_autofree gchar *owned = name;
  const gboolean is_uri = strstr (location, "://") != NULL;
  g_autofree gchar *path = is_uri ? g_strdup (location) : g_canonicalize_filename (location, NULL);
  const ScanFilm *before = g_hash_table_lookup (search->names, name);
  struct stat status;
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
  film->name = g_steal_pointer (&owned);
  if (!is_uri && stat (film->location, &status) == 0) {
    film->size = (guint64)status.st_size;
    film->modified_us = (gint64)status.st_mtim.tv_sec * G_USEC_PER_SEC + status.st_mtim.tv_nsec / 1000;
  }
  g_ptr_array_add (search->films, film);
  g_hash_table_insert (search->names, film->name, film);
  g_hash_table_add (search->locations, film->location);
  return TRUE;
}

/* ---- folders ---------------------------------------------------------------------------------------------------------- */

static int
scan_compare_entries (const FTSENT **first, const FTSENT **second)
{
  return strcmp ((*first)->fts_name, (*second)->fts_name);
}

static void
scan_warn_of (Search *search, const FTSENT *entry)
{
  g_autofree gchar *name = location_name (entry->fts_path);

  search->n_unread++;
  command_warn ("\"%s\" cannot be searched: %s", name, g_strerror (entry->fts_errno));
}

/* Adds the films of a folder and its folders. Follows links, but no circle of links. */
static gboolean
scan_search_folder (Search *search, const gchar *folder, GError **error)
{
  g_autofree gchar *path = g_canonicalize_filename (folder, NULL), *base = g_path_get_basename (path);
  char *const roots[] = { path, NULL };
  FTS *tree = fts_open (roots, FTS_LOGICAL | FTS_NOCHDIR, scan_compare_entries);
  gboolean is_good = tree != NULL;
  FTSENT *entry;

  if (tree == NULL)
    g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno), "\"%s\" cannot be searched: %s", path, g_strerror (errno));
  while (is_good && (entry = fts_read (tree)) != NULL) {
    if (entry->fts_info == FTS_D && g_str_equal (entry->fts_path, search->output)) {
      fts_set (tree, entry, FTS_SKIP);
    } else if (entry->fts_info == FTS_DNR || entry->fts_info == FTS_ERR) {
      scan_warn_of (search, entry);
    } else if (entry->fts_info == FTS_F) {
      g_autoptr (GBytes) head = scan_read_head (entry->fts_path);

      if (head != NULL && scan_is_video (head))
        is_good = scan_add_film (search, entry->fts_path, g_build_filename (base, entry->fts_path + strlen (path) + 1, NULL),
                                 error);
      else if (head == NULL)
        scan_warn_of (search, entry);
    }
  }
  if (tree != NULL)
    fts_close (tree);
  return is_good;
}

/* ---- lists ------------------------------------------------------------------------------------------------------------ */

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
  return length < 0 ? NULL : g_byte_array_free_to_bytes (g_steal_pointer (&text));
}

/* Adds the films that a list names. A film that does not exist is added too, so that its measurement states the reason. */
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
                                                   : !scan_add_film (search, location, scan_name_film (location), error))
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
scan_take_input (Search *search, const gchar *input, GError **error)
{
  g_autofree gchar *name = location_name (input);
  g_autoptr (GBytes) head = NULL, list = NULL;

  if (!g_str_equal (input, "-")) {
    if (g_file_test (input, G_FILE_TEST_IS_DIR))
      return scan_search_folder (search, input, error);
    if (strstr (input, "://") != NULL)
      return scan_add_film (search, input, scan_name_film (input), error);
    head = scan_read_head (input);
    if (head == NULL) {
      g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno), "\"%s\" cannot be read: %s", name, g_strerror (errno));
      return FALSE;
    }
    if (scan_is_video (head))
      return scan_add_film (search, input, scan_name_film (input), error);
    if (!scan_is_list (head)) {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT, "\"%s\" is neither a film, a folder nor a list of films",
                   name);
      return FALSE;
    }
  }
  list = scan_read_list (input, error);
  return list != NULL && scan_read_films (search, list, error);
}

GPtrArray *
scan_find_films (gchar *const *inputs, const gchar *output, guint *n_unread, GError **error)
{
  g_autofree gchar *path = g_canonicalize_filename (output, NULL);
  Search search = {
    .films = g_ptr_array_new_with_free_func (scan_film_free),
    .names = g_hash_table_new (g_str_hash, g_str_equal),
    .locations = g_hash_table_new (g_str_hash, g_str_equal),
    .output = path,
  };
  gboolean is_good = TRUE;

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
