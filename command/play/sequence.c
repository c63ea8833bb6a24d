/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "play/sequence.h"

#include <gio/gio.h>
#include <string.h>

#include "decoding/location.h"
#include "common/location.h"

#define MOST_GAPS 10   /* gaps that are listed */
#define MOST_DIGITS 18 /* digits of a number */

static const struct {
  const gchar *suffix, *media_type, *type;
} types[] = {
  { ".png", "image/png", "PNG" },   { ".tif", "image/tiff", "TIFF" },  { ".tiff", "image/tiff", "TIFF" },
  { ".jpg", "image/jpeg", "JPEG" }, { ".jpeg", "image/jpeg", "JPEG" }, { ".exr", "image/x-exr", "EXR" },
  { ".dpx", "image/x-dpx", "DPX" }, { ".bmp", "image/bmp", "BMP" },
};

typedef struct {
  gchar *name;
  guint64 number;
  guint type;
} Picture;

/* A file name with a number. */
typedef struct {
  gchar *before, *after;
  guint digits; /* minimum number of digits */
} Pattern;

static void
sequence_free_picture (gpointer data)
{
  Picture *picture = data;

  g_free (picture->name);
  g_free (picture);
}

static void
sequence_clear_pattern (Pattern *pattern)
{
  g_clear_pointer (&pattern->before, g_free);
  g_clear_pointer (&pattern->after, g_free);
}

/* ---- patterns ------------------------------------------------------------------------------------------------------ */

/* "%%" is a percent sign. FALSE: the name has no number, or more than one. */
static gboolean
sequence_parse_pattern (const gchar *name, Pattern *pattern)
{
  g_autoptr (GString) text = g_string_new (NULL);

  *pattern = (Pattern){ .digits = 0 };
  while (*name != '\0') {
    const gchar *end = name + 1;

    if (*name != '%' || *end == '%') {
      g_string_append_c (text, *name);
      name = *name == '%' ? end + 1 : end;
      continue;
    }
    while (g_ascii_isdigit (*end))
      end++;
    if (*end != 'd' || (end > name + 1 && name[1] != '0') || pattern->before != NULL) {
      sequence_clear_pattern (pattern);
      return FALSE;
    }
    pattern->before = g_strdup (text->str);
    pattern->digits = (guint)CLAMP (g_ascii_strtoull (name + 1, NULL, 10), 1, MOST_DIGITS);
    g_string_truncate (text, 0);
    name = end + 1;
  }
  pattern->after = g_strdup (text->str);
  if (pattern->before != NULL)
    return TRUE;
  sequence_clear_pattern (pattern);
  return FALSE;
}

/* Matches names as printf() makes them: numbers above the width have no leading zeros. */
static gboolean
sequence_match (const Pattern *pattern, const gchar *name, guint64 *number)
{
  const gsize before = strlen (pattern->before), after = strlen (pattern->after), length = strlen (name);
  gsize digits;

  if (length <= before + after || !g_str_has_prefix (name, pattern->before) || !g_str_has_suffix (name, pattern->after))
    return FALSE;
  digits = length - before - after;
  if (digits < pattern->digits || digits > MOST_DIGITS || (digits > pattern->digits && name[before] == '0'))
    return FALSE;
  for (gsize i = 0; i < digits; i++)
    if (!g_ascii_isdigit (name[before + i]))
      return FALSE;
  *number = g_ascii_strtoull (name + before, NULL, 10);
  return TRUE;
}

gboolean
sequence_is_location (const gchar *where)
{
  g_autofree gchar *name = NULL;
  gboolean is_pattern;
  Pattern pattern;

  if (g_str_equal (where, "-") || decoding_location_is_uri (where))
    return FALSE;
  if (g_file_test (where, G_FILE_TEST_EXISTS))
    return g_file_test (where, G_FILE_TEST_IS_DIR);
  name = g_path_get_basename (where);
  is_pattern = sequence_parse_pattern (name, &pattern);
  sequence_clear_pattern (&pattern);
  return is_pattern;
}

/* Returns the name before the number, without its separator: "shot" for "shot.%04d.png". */
static gchar *
sequence_get_pattern_stem (const gchar *where)
{
  g_autofree gchar *name = g_path_get_basename (where);
  Pattern pattern;
  gchar *stem;

  if (!sequence_parse_pattern (name, &pattern))
    return NULL;
  stem = g_steal_pointer (&pattern.before);
  sequence_clear_pattern (&pattern);
  for (gsize length = strlen (stem); length > 0 && strchr ("._- ", stem[length - 1]) != NULL; length--)
    stem[length - 1] = '\0';
  return stem;
}

gchar *
sequence_get_stem (const gchar *where)
{
  const gboolean is_folder = g_file_test (where, G_FILE_TEST_IS_DIR);
  g_autofree gchar *stem = is_folder ? NULL : sequence_get_pattern_stem (where), *folder = NULL, *path = NULL, *name = NULL;

  if (stem != NULL && *stem != '\0')
    return g_steal_pointer (&stem);
  folder = is_folder ? g_strdup (where) : g_path_get_dirname (where);
  path = g_canonicalize_filename (folder, NULL);
  name = g_path_get_basename (path);
  return g_str_equal (name, G_DIR_SEPARATOR_S) ? NULL : g_steal_pointer (&name);
}

/* ---- folders ------------------------------------------------------------------------------------------------------- */

/* Compares digits by their value, everything else by bytes. */
static gint
sequence_compare_names (const gchar *one, const gchar *other)
{
  const gchar *a = one, *b = other;

  while (*a != '\0' && *b != '\0') {
    gsize length_a, length_b;
    gint order;

    if (!g_ascii_isdigit (*a) || !g_ascii_isdigit (*b)) {
      if (*a != *b)
        return (guchar)*a < (guchar)*b ? -1 : 1;
      a++;
      b++;
      continue;
    }
    a += strspn (a, "0");
    b += strspn (b, "0");
    length_a = strspn (a, "0123456789");
    length_b = strspn (b, "0123456789");
    if (length_a != length_b)
      return length_a < length_b ? -1 : 1;
    order = strncmp (a, b, length_a);
    if (order != 0)
      return order;
    a += length_a;
    b += length_b;
  }
  if (*a != *b)
    return *a == '\0' ? -1 : 1;
  return strcmp (one, other);
}

static gint
sequence_compare_by_name (gconstpointer one, gconstpointer other)
{
  return sequence_compare_names ((*(Picture *const *)one)->name, (*(Picture *const *)other)->name);
}

static gint
sequence_compare_by_number (gconstpointer one, gconstpointer other)
{
  const guint64 a = (*(Picture *const *)one)->number, b = (*(Picture *const *)other)->number;

  return a < b ? -1 : a > b;
}

static gboolean
sequence_find_type (const gchar *name, guint *type)
{
  g_autofree gchar *lower = g_ascii_strdown (name, -1);

  for (*type = 0; *type < G_N_ELEMENTS (types); ++*type)
    if (g_str_has_suffix (lower, types[*type].suffix))
      return TRUE;
  return FALSE;
}

/* Uses the last number in a name before its extension. */
static gboolean
sequence_derive_pattern (const Picture *picture, Pattern *pattern)
{
  const gchar *name = picture->name;
  gsize end = strlen (name), begin;

  while (end > 0 && name[end - 1] != '.')
    end--;
  while (end > 0 && !g_ascii_isdigit (name[end - 1]))
    end--;
  for (begin = end; begin > 0 && g_ascii_isdigit (name[begin - 1]); begin--)
    ;
  if (begin == end || end - begin > MOST_DIGITS)
    return FALSE;
  *pattern = (Pattern){ .before = g_strndup (name, begin),
                        .after = g_strdup (name + end),
                        .digits = name[begin] == '0' ? (guint)(end - begin) : 1 };
  return TRUE;
}

/* Numbers the pictures if their names differ only in one number. Gaps are then missing pictures. */
static gboolean
sequence_number (GPtrArray *pictures)
{
  Pattern pattern;
  gboolean are_numbered = sequence_derive_pattern (g_ptr_array_index (pictures, 0), &pattern);

  if (!are_numbered)
    return FALSE;
  for (guint i = 0; i < pictures->len && are_numbered; i++) {
    Picture *picture = g_ptr_array_index (pictures, i);

    are_numbered = sequence_match (&pattern, picture->name, &picture->number);
  }
  sequence_clear_pattern (&pattern);
  return are_numbered;
}

/* Lists the files that match the pattern; NULL: all pictures. */
static GPtrArray *
sequence_list (const gchar *folder, const Pattern *pattern, guint *n_others, GError **error)
{
  g_autoptr (GDir) entries = g_dir_open (folder, 0, error);
  GPtrArray *pictures;
  const gchar *name;

  if (entries == NULL)
    return NULL;
  pictures = g_ptr_array_new_with_free_func (sequence_free_picture);
  while ((name = g_dir_read_name (entries)) != NULL) {
    g_autofree gchar *path = g_build_filename (folder, name, NULL);
    Picture found = { .number = 0 };

    if ((pattern == NULL && *name == '.') || g_file_test (path, G_FILE_TEST_IS_DIR))
      continue;
    if (pattern != NULL ? sequence_match (pattern, name, &found.number) : sequence_find_type (name, &found.type)) {
      sequence_find_type (name, &found.type);
      found.name = g_strdup (name);
      g_ptr_array_add (pictures, g_memdup2 (&found, sizeof found));
    } else {
      ++*n_others;
    }
  }
  return pictures;
}

/* ---- a sequence ---------------------------------------------------------------------------------------------------- */

static void
sequence_note_gap (Sequence *sequence, GString *text, guint *n_gaps, guint64 first, guint64 last)
{
  sequence->n_missing += last - first + 1;
  if (++*n_gaps > MOST_GAPS)
    return;
  g_string_append_printf (text, "%s%" G_GUINT64_FORMAT, text->len > 0 ? ", " : "", first);
  if (last > first)
    g_string_append_printf (text, "-%" G_GUINT64_FORMAT, last);
}

static void
sequence_place (Sequence *sequence, const GPtrArray *pictures, gboolean are_numbered)
{
  g_autoptr (GString) text = g_string_new (NULL);
  const guint64 first = ((Picture *)g_ptr_array_index (pictures, 0))->number;
  guint n_gaps = 0;

  for (guint64 i = 0; i < pictures->len; i++) {
    const Picture *picture = g_ptr_array_index (pictures, i);
    const guint64 place = are_numbered ? picture->number - first : i;

    if (are_numbered && i > 0 && place > g_array_index (sequence->places, guint64, i - 1) + 1)
      sequence_note_gap (sequence, text, &n_gaps, first + g_array_index (sequence->places, guint64, i - 1) + 1,
                         picture->number - 1);
    g_array_append_val (sequence->places, place);
  }
  if (n_gaps > MOST_GAPS)
    g_string_append (text, " ...");
  if (n_gaps > 0)
    sequence->missing = g_strdup (text->str);
}

static gboolean
sequence_check_types (const gchar *shown, const GPtrArray *pictures, GError **error)
{
  const Picture *first = g_ptr_array_index (pictures, 0);

  for (guint i = 0; i < pictures->len; i++) {
    const Picture *picture = g_ptr_array_index (pictures, i);

    if (picture->type >= G_N_ELEMENTS (types)) {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
                   "\"%s\": unknown picture type. Known types: png, tif, jpg, exr, bmp.", shown);
      return FALSE;
    }
    if (!g_str_equal (types[picture->type].type, types[first->type].type)) {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
                   "\"%s\" has pictures of several types, %s and %s: choose those of one film by a pattern.", shown,
                   types[first->type].type, types[picture->type].type);
      return FALSE;
    }
  }
  return TRUE;
}

static Sequence *
sequence_make (const gchar *folder, const gchar *shown, GPtrArray *pictures, gboolean is_pattern, GError **error)
{
  gboolean are_numbered = is_pattern;
  Sequence *sequence;

  g_ptr_array_sort (pictures, is_pattern ? sequence_compare_by_number : sequence_compare_by_name);
  if (!sequence_check_types (shown, pictures, error))
    return NULL;
  if (!is_pattern)
    are_numbered = sequence_number (pictures);
  sequence = g_new0 (Sequence, 1);
  sequence->paths = g_ptr_array_new_with_free_func (g_free);
  sequence->places = g_array_new (FALSE, FALSE, sizeof (guint64));
  sequence->media_type = types[((Picture *)g_ptr_array_index (pictures, 0))->type].media_type;
  sequence->type = types[((Picture *)g_ptr_array_index (pictures, 0))->type].type;
  for (guint i = 0; i < pictures->len; i++)
    g_ptr_array_add (sequence->paths, g_build_filename (folder, ((Picture *)g_ptr_array_index (pictures, i))->name, NULL));
  sequence_place (sequence, pictures, are_numbered);
  return sequence;
}

Sequence *
sequence_find (const gchar *where, GError **error)
{
  const gboolean is_pattern = !g_file_test (where, G_FILE_TEST_IS_DIR);
  g_autofree gchar *folder = is_pattern ? g_path_get_dirname (where) : g_strdup (where), *name = g_path_get_basename (where);
  g_autofree gchar *shown = location_name (where);
  g_autoptr (GPtrArray) pictures = NULL;
  g_autoptr (GError) reason = NULL;
  Pattern pattern = { .digits = 0 };
  Sequence *sequence = NULL;
  guint n_others = 0;

  if (is_pattern)
    sequence_parse_pattern (name, &pattern);
  pictures = sequence_list (folder, is_pattern ? &pattern : NULL, &n_others, &reason);
  sequence_clear_pattern (&pattern);
  if (pictures == NULL)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "\"%s\" cannot be read: %s.", shown, reason->message);
  else if (pictures->len == 0 && is_pattern)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND, "there is no file that matches \"%s\".", shown);
  else if (pictures->len == 0)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND, "\"%s\" is a folder without pictures: name the films in it.", shown);
  else
    sequence = sequence_make (folder, shown, pictures, is_pattern, error);
  if (sequence != NULL && !is_pattern)
    sequence->n_others = n_others;
  return sequence;
}

void
sequence_free (Sequence *sequence)
{
  if (sequence == NULL)
    return;
  g_ptr_array_unref (sequence->paths);
  g_array_unref (sequence->places);
  g_free (sequence->missing);
  g_free (sequence);
}
