/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "report/page.h"

#include <gio/gio.h>
#include <string.h>

#include "fields/fields.h"
#include "lines/json.h"

#define FOLDER "/cudahisto/page/"

/* Of films; 30 MB with the page's own text. */
#define MAX_DATA_BYTES (29 * 1000 * 1000)

/* The page's own scripts, joined into one, and its style. */
static const gchar *const scripts[] = { "data.js",   "words.js",  "colours.js", "charts.js",   "view.js",
                                        "events.js", "active.js", "light.js",   "extremes.js", "film.js" };
static const gchar main_script[] = "page.js", verdict_script[] = "verdict.js";
static const gchar main_style[] = "report.css", verdict_style[] = "verdict.css";

struct _Page {
  GString *title; /* names of the films */
  GString *facts; /* JSON, without its closing bracket */
  GString *data;  /* elements */
  gsize budget;   /* bytes for films that may follow */
  gboolean has_verdict;
  guint n_films;
};

Page *
page_new (void)
{
  Page *page = g_new0 (Page, 1);

  page->title = g_string_new (NULL);
  page->facts = g_string_new ("{\"films\":[");
  page->data = g_string_new (NULL);
  page->budget = MAX_DATA_BYTES;
  return page;
}

void
page_free (Page *page)
{
  if (page == NULL)
    return;
  g_string_free (page->title, TRUE);
  g_string_free (page->facts, TRUE);
  g_string_free (page->data, TRUE);
  g_free (page);
}

static void
page_append_data (Page *page, const gchar *type, const gchar *name, const gchar *text)
{
  g_string_append_printf (page->data, "<script type=\"%s\" id=\"%s-%u\">%s</script>\n", type, name, page->n_films, text);
}

void
page_add_film (Page *page, Film *film, guint n_left, const gchar *verdict)
{
  g_autoptr (GString) facts = g_string_new (NULL);
  g_autofree gchar *curves = NULL, *heat = NULL;

  /* The unused part of a film's share goes to the next ones. */
  film_finish (film, page->budget / n_left, facts, &curves, &heat);
  page->budget -= MIN (page->budget, strlen (curves) + strlen (heat) + facts->len);
  g_string_append_printf (page->title, "%s%s", page->n_films > 0 ? ", " : "", film_get_name (film));
  g_string_append_printf (page->facts, "%s%s", page->n_films > 0 ? "," : "", facts->str);
  page_append_data (page, "text/plain", "curves", curves);
  page_append_data (page, "text/plain", "heat", heat);
  if (verdict != NULL)
    page_append_data (page, "application/json", "verdict", verdict);
  page->has_verdict |= verdict != NULL;
  page->n_films++;
}

guint
page_count_films (const Page *page)
{
  return page->n_films;
}

/* Appends a member for each field of components, or of pictures, that has a chart. */
static void
page_append_fields (GString *json, gboolean are_of_components)
{
  for (const FieldDescription *const *field = field_list_charts (are_of_components); *field != NULL; field++) {
    g_string_append_printf (json, "%s\"%s\":{\"title\":", json->str[json->len - 1] == '{' ? "" : ",", (*field)->name);
    json_append_text (json, (*field)->title, TRUE);
    json_append_text_member (json, "unit", (*field)->chart_unit);
    json_append_text_member (json, "about", (*field)->about);
    g_string_append_c (json, '}');
  }
}

static gchar *
page_make_facts (const Page *page)
{
  GString *json = g_string_new (page->facts->str);

  g_string_append (json, "],\"fields\":{");
  page_append_fields (json, FALSE);
  page_append_fields (json, TRUE);
  g_string_append (json, "}}");
  return g_string_free (json, FALSE);
}

/* Returns a file compiled into the program, with a terminating zero. */
static const gchar *
page_get_file (const gchar *name)
{
  g_autofree gchar *path = g_strconcat (FOLDER, name, NULL);
  g_autoptr (GBytes) bytes = g_resources_lookup_data (path, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);

  g_assert (bytes != NULL);
  return g_bytes_get_data (bytes, NULL); /* static memory */
}

/* Appends a source to the Content-Security-Policy: only a script or style with this hash is allowed. */
static void
page_append_hash (GString *policy, const gchar *text)
{
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
  guint8 digest[32];
  gsize length = sizeof digest;
  g_autofree gchar *hash = NULL;

  g_checksum_update (checksum, (const guchar *)text, -1);
  g_checksum_get_digest (checksum, digest, &length);
  hash = g_base64_encode (digest, length);
  g_string_append_printf (policy, " 'sha256-%s'", hash);
}

static gchar *
page_join_style (const Page *page)
{
  return g_strconcat (page_get_file (main_style), page->has_verdict ? page_get_file (verdict_style) : NULL, NULL);
}

static gchar *
page_join_scripts (const Page *page)
{
  GString *script = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (scripts); i++)
    g_string_append (script, page_get_file (scripts[i]));
  if (page->has_verdict)
    g_string_append (script, page_get_file (verdict_script));
  g_string_append (script, page_get_file (main_script));
  return g_string_free (script, FALSE);
}

static gchar *
page_make_policy (const gchar *plot, const gchar *script, const gchar *style)
{
  GString *policy = g_string_new ("default-src 'none'; script-src");

  page_append_hash (policy, plot);
  page_append_hash (policy, script);
  g_string_append (policy, "; style-src");
  page_append_hash (policy, style);
  g_string_append (policy, "; base-uri 'none'; form-action 'none'");
  return g_string_free (policy, FALSE);
}

/* Appends the value of "@NAME@". */
static void
page_append_value (const Page *page, GString *html, const gchar *name, const gchar *script, const gchar *style)
{
  g_autofree gchar *made = NULL;
  const gchar *text;

  if (g_str_equal (name, "POLICY"))
    text = made = page_make_policy (page_get_file ("uPlot.iife.js"), script, style);
  else if (g_str_equal (name, "VERSION"))
    text = COMMAND_VERSION;
  else if (g_str_equal (name, "TITLE"))
    text = made = g_markup_escape_text (page->title->str, -1);
  else if (g_str_equal (name, "STYLE"))
    text = style;
  else if (g_str_equal (name, "PLOT_VERSION"))
    text = COMMAND_PLOT_VERSION;
  else if (g_str_equal (name, "PLOT_LICENCE"))
    text = made = g_markup_escape_text (page_get_file ("uPlot.LICENSE"), -1);
  else if (g_str_equal (name, "VERDICTS"))
    text = page->has_verdict ? "<div id=\"verdicts\"></div>\n" : "";
  else if (g_str_equal (name, "PAGE"))
    text = made = page_make_facts (page);
  else if (g_str_equal (name, "PLOT"))
    text = page_get_file ("uPlot.iife.js");
  else if (g_str_equal (name, "SCRIPT"))
    text = script;
  else {
    g_assert_cmpstr (name, ==, "DATA");
    text = page->data->str;
  }
  g_string_append (html, text);
}

GString *
page_make (const Page *page)
{
  g_autofree gchar *script = page_join_scripts (page), *style = page_join_style (page);
  g_auto (GStrv) pieces = g_strsplit (page_get_file ("report.html"), "@", -1);
  GString *html = g_string_new (NULL);

  /* Every second piece is a name, since the template has no other '@'. */
  for (guint i = 0; pieces[i] != NULL; i++) {
    if (i % 2 == 0)
      g_string_append (html, pieces[i]);
    else
      page_append_value (page, html, pieces[i], script, style);
  }
  return html;
}
