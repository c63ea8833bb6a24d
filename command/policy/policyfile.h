/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The sections and keys of a policy file, with their lines for messages, which GKeyFile does not have. */

#pragma once

#include <glib.h>

typedef struct _PolicyFile PolicyFile;

/* `name` is for messages. NULL: `text` is not UTF-8, has a line that cannot be parsed, or has a section or a key twice. */
PolicyFile *policy_file_new (const gchar *name, const gchar *text, gsize length, GError **error);
void policy_file_free (PolicyFile *file);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PolicyFile, policy_file_free)

/* Return names, NULL-terminated and in the order of the file. Free with g_strfreev(). */
gchar **policy_file_list_sections (const PolicyFile *file);
gchar **policy_file_list_keys (const PolicyFile *file, const gchar *section);

/* Sets `error` to "NAME:LINE: message", with the line of the key; of the section if `key` is NULL. "NAME: message" if `section`
 * is NULL. */
void policy_file_fail (const PolicyFile *file, const gchar *section, const gchar *key, GError **error, const gchar *format, ...)
    G_GNUC_PRINTF (5, 6);

/* Returns the value without spaces around it. NULL: there is none. Free with g_free(). */
gchar *policy_file_get (const PolicyFile *file, const gchar *section, const gchar *key);

/* Sets *number, unless the file lacks the key. FALSE: it is not a number from `least` to `greatest`. */
gboolean policy_file_get_number (const PolicyFile *file, const gchar *section, const gchar *key, gdouble least,
                                 gdouble greatest, gdouble *number, GError **error);
