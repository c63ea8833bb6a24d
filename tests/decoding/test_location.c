/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What messages and logs call a film: nothing that opens it. */

#include "cases.h"
#include "decoding/location.h"

static const struct {
  const gchar *location, *name;
} cases[] = {
  { "film.mp4", "film.mp4" },
  { "/a/b?c=d#e", "/a/b?c=d#e" },
  { "a@b:c", "a@b:c" },
  { "file:///a/film.mp4", "file:///a/film.mp4" },
  { "http://host/film.mp4", "http://host/film.mp4" },
  { "http://user@host/film.mp4", "http://user@host/film.mp4" },
  { "http://user:secret@host:80/film.mp4", "http://user@host:80/film.mp4" },
  { "rtsp://user:sec@re:t@host/film", "rtsp://user@host/film" },
  { "http://:secret@host", "http://@host" },
  { "http://host/mail@of:someone", "http://host/mail@of:someone" },
  { "https://host/film.mp4?token=secret", "https://host/film.mp4?..." },
  { "https://user:secret@host?X-Amz-Signature=secret&a=b#secret", "https://user@host?..." },
  { "https://host/film.mp4#secret", "https://host/film.mp4#..." },
  { "srt://host:7001?mode=caller&passphrase=secret", "srt://host:7001?..." },
  { "http://user:se<cr et@host/film.mp4", "http://user@host/film.mp4" },
};

TEST (test_names)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree gchar *name = decoding_location_hide_secrets (cases[i].location);

    ck_assert_str_eq (name, cases[i].name);
  }
}

TEST (test_texts)
{
  gchar *text;

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree gchar *said = g_strdup_printf ("Error, URL: %s\nagain: \"%s\"", cases[i].location, cases[i].location);
    g_autofree gchar *expected = g_strdup_printf ("Error, URL: %s\nagain: \"%s\"", cases[i].name, cases[i].name);

    text = decoding_location_hide_secrets_in (said, cases[i].location);
    ck_assert_str_eq (text, expected);
    g_free (text);
  }
  text = decoding_location_hide_secrets_in ("moved to <http://a:secret@b/c>, and http://d/e?f=secret, not to ://g:secret@h",
                                            NULL);
  ck_assert_str_eq (text, "moved to <http://a@b/c>, and http://d/e?... not to ://g@h");
  g_free (text);
  text = decoding_location_hide_secrets_in ("nothing: no URI", "http://a:secret@b");
  ck_assert_str_eq (text, "nothing: no URI");
  g_free (text);
  ck_assert (decoding_location_hide_secrets_in (NULL, "film.mp4") == NULL);
}

TEST_MAIN
