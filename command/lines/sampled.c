/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lines/sampled.h"

#include <string.h>

#include "common/terminal.h"
#include "fields/fields.h"
#include "lines/values.h"

static const gchar *
sampled_get_text (const GstStructure *line)
{
  return values_get_string (line, NULL, field_describe (FIELD_ID_SAMPLING)->name);
}

void
sampled_take (Sampled *sampled, const GstStructure *line)
{
  const gchar *text = sampled_get_text (line);
  g_autofree gchar *clean = text != NULL ? terminal_clean (text) : NULL;

  if (sampled->has_line && g_strcmp0 (sampled->text, clean) == 0)
    return;
  g_free (sampled->text);
  sampled->text = sampled->has_line ? g_strdup ("mixed") : g_steal_pointer (&clean);
  sampled->has_line = TRUE;
}

void
sampled_clear (Sampled *sampled)
{
  g_clear_pointer (&sampled->text, g_free);
}

/* Returns whether one of the options, which + joins, begins so. */
static gboolean
sampled_has_option (const gchar *text, const gchar *beginning)
{
  g_auto (GStrv) options = text != NULL ? g_strsplit (text, "+", -1) : NULL;

  for (guint i = 0; options != NULL && options[i] != NULL; i++)
    if (g_str_has_prefix (options[i], beginning))
      return TRUE;
  return FALSE;
}

gboolean
sampled_has_gaps (const Sampled *sampled)
{
  return sampled_has_option (sampled->text, "every=") || sampled_has_option (sampled->text, "keyframes")
         || g_strcmp0 (sampled->text, "mixed") == 0;
}

gboolean
sampled_lacks_beginning (const GstStructure *line)
{
  return sampled_has_option (sampled_get_text (line), "from=");
}
