/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "policy/policyfile.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "policy/policy.h"

/* Of policy.h: this file is below all others that report errors. */
G_DEFINE_QUARK (cudahisto - policy - error, policy_error)

#define BYTE_ORDER_MARK "\xef\xbb\xbf"

struct _PolicyFile {
  gchar *name;
  GKeyFile *keys;
  GHashTable *lines; /* "section" and "section\nkey": the line, from 1 */
  gchar *section;    /* while lines are scanned: the current one */
};

void
policy_file_free (PolicyFile *file)
{
  if (file == NULL)
    return;
  g_free (file->name);
  g_free (file->section);
  g_key_file_unref (file->keys);
  g_hash_table_unref (file->lines);
  g_free (file);
}

static void G_GNUC_PRINTF (4, 5)
    policy_file_fail_at (const PolicyFile *file, guint line, GError **error, const gchar *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  g_autofree gchar *message = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  if (line > 0)
    g_set_error (error, POLICY_ERROR, 0, "%s:%u: %s", file->name, line, message);
  else
    g_set_error (error, POLICY_ERROR, 0, "%s: %s", file->name, message);
}

static gchar *
policy_file_make_place (const gchar *section, const gchar *key)
{
  return key != NULL ? g_strconcat (section, "\n", key, NULL) : g_strdup (section);
}

static guint
policy_file_get_line (const PolicyFile *file, const gchar *section, const gchar *key)
{
  g_autofree gchar *place = policy_file_make_place (section, key);

  return GPOINTER_TO_UINT (g_hash_table_lookup (file->lines, place));
}

void
policy_file_fail (const PolicyFile *file, const gchar *section, const gchar *key, GError **error, const gchar *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  g_autofree gchar *message = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  policy_file_fail_at (file, section != NULL ? policy_file_get_line (file, section, key) : 0, error, "%s", message);
}

/* ---- lines --------------------------------------------------------------------------------------------------------- */

/* GKeyFile refuses other names. */
static gboolean
is_section_name (const gchar *name)
{
  for (const gchar *c = name; *c != '\0'; c++) {
    if (strchr ("[]", *c) != NULL || g_ascii_iscntrl (*c))
      return FALSE;
  }
  return *name != '\0';
}

static gboolean
policy_file_take_section (PolicyFile *file, const gchar *text, guint line, GError **error)
{
  const gsize length = strlen (text);

  g_free (file->section);
  file->section = g_strndup (text + 1, MAX (length, 2) - 2);
  if (length < 2 || text[length - 1] != ']' || !is_section_name (file->section)) {
    policy_file_fail_at (file, line, error, "the name of a section is text in brackets, such as [black]");
    return FALSE;
  }
  if (policy_file_get_line (file, file->section, NULL) != 0) {
    policy_file_fail_at (file, line, error, "section [%s] is also on line %u", file->section,
                         policy_file_get_line (file, file->section, NULL));
    return FALSE;
  }
  g_hash_table_insert (file->lines, g_strdup (file->section), GUINT_TO_POINTER (line));
  return TRUE;
}

static gboolean
policy_file_take_key (PolicyFile *file, gchar *text, guint line, GError **error)
{
  gchar *equals = strchr (text, '=');

  if (equals != NULL)
    *equals = '\0';
  g_strchomp (text);
  if (equals == NULL || *text == '\0')
    policy_file_fail_at (file, line, error, "a line is a section such as [black], a key such as max=1, or a comment (#)");
  else if (file->section == NULL)
    policy_file_fail_at (file, line, error, "key `%s` is before the first section", text);
  else if (strspn (text, G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "-_") != strlen (text))
    policy_file_fail_at (file, line, error, "unknown key `%s`", text);
  else if (policy_file_get_line (file, file->section, text) != 0)
    policy_file_fail_at (file, line, error, "key `%s` is also on line %u", text,
                         policy_file_get_line (file, file->section, text));
  else
    return g_hash_table_insert (file->lines, policy_file_make_place (file->section, text), GUINT_TO_POINTER (line));
  return FALSE;
}

/* GKeyFile joins sections and keys that appear twice, and its errors have no line. */
static gboolean
policy_file_scan (PolicyFile *file, const gchar *text, GError **error)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);

  for (guint i = 0; lines[i] != NULL; i++) {
    gchar *line = g_strstrip (lines[i]);

    if (*line == '\0' || *line == '#')
      continue;
    if (*line == '[' ? !policy_file_take_section (file, line, i + 1, error) : !policy_file_take_key (file, line, i + 1, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
policy_file_check_text (const PolicyFile *file, const gchar *text, gsize length, GError **error)
{
  const gchar *end;
  guint line = 1;

  if (g_utf8_validate_len (text, length, &end))
    return TRUE;
  for (const gchar *c = text; c < end; c++)
    line += *c == '\n';
  policy_file_fail_at (file, line, error, "the text is not UTF-8");
  return FALSE;
}

PolicyFile *
policy_file_new (const gchar *name, const gchar *text, gsize length, GError **error)
{
  g_autoptr (PolicyFile) file = g_new0 (PolicyFile, 1);
  g_autoptr (GError) reason = NULL;

  file->name = g_strdup (name);
  file->keys = g_key_file_new ();
  file->lines = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  if (length >= strlen (BYTE_ORDER_MARK) && memcmp (text, BYTE_ORDER_MARK, strlen (BYTE_ORDER_MARK)) == 0) {
    text += strlen (BYTE_ORDER_MARK);
    length -= strlen (BYTE_ORDER_MARK);
  }
  if (!policy_file_check_text (file, text, length, error))
    return NULL;
  g_autofree gchar *copy = g_strndup (text, length);
  if (!policy_file_scan (file, copy, error))
    return NULL;
  if (*copy != '\0' && !g_key_file_load_from_data (file->keys, copy, length, G_KEY_FILE_NONE, &reason)) {
    policy_file_fail_at (file, 0, error, "%s", reason->message);
    return NULL;
  }
  return g_steal_pointer (&file);
}

/* ---- values -------------------------------------------------------------------------------------------------------- */

gchar **
policy_file_list_sections (const PolicyFile *file)
{
  return g_key_file_get_groups (file->keys, NULL);
}

gchar **
policy_file_list_keys (const PolicyFile *file, const gchar *section)
{
  return g_key_file_get_keys (file->keys, section, NULL, NULL);
}

gchar *
policy_file_get (const PolicyFile *file, const gchar *section, const gchar *key)
{
  gchar *value = g_key_file_get_value (file->keys, section, key, NULL);

  return value != NULL ? g_strstrip (value) : NULL;
}

gboolean
policy_file_get_number (const PolicyFile *file, const gchar *section, const gchar *key, gdouble least, gdouble greatest,
                        gdouble *number, GError **error)
{
  g_autofree gchar *text = policy_file_get (file, section, key);
  gchar *end;
  gdouble value;

  if (text == NULL)
    return TRUE;
  value = g_ascii_strtod (text, &end);
  if (*text == '\0' || *end != '\0' || !isfinite (value))
    policy_file_fail (file, section, key, error, "`%s` is not a number: %s", key, text);
  else if (value < least && greatest == DBL_MAX)
    policy_file_fail (file, section, key, error, "`%s` is less than %g: %s", key, least, text);
  else if (value < least || value > greatest)
    policy_file_fail (file, section, key, error, "`%s` is not from %g to %g: %s", key, least, greatest, text);
  else {
    *number = value;
    return TRUE;
  }
  return FALSE;
}
