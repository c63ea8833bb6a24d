/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The writer of JSON: a library reads its output back unchanged. */

#include <float.h>
#include <json-glib/json-glib.h>
#include <locale.h>
#include <math.h>
#include <string.h>

#include "cases.h"
#include "random.h"
#include "result/json.h"

#define DRAWS 20000

static struct test_random generator;

static gchar *
write_double (gdouble value)
{
  GstCudaHistoJson json = { .text = g_string_new (NULL) };

  gst_cuda_histo_json_add_double (&json, value);
  return g_string_free (json.text, FALSE);
}

static JsonParser *
parse (const gchar *text)
{
  JsonParser *parser = json_parser_new ();

  fail_unless (json_parser_load_from_data (parser, text, -1, NULL), "%s", text);
  return parser;
}

static gboolean
are_same_bits (gdouble left, gdouble right)
{
  return memcmp (&left, &right, sizeof left) == 0;
}

/* Fails unless the number is valid by RFC 8259, with a point or an exponent: without either, some readers return an integer. */
static void
check_double (gdouble value)
{
  g_autofree gchar *text = write_double (value);

  fail_unless (g_regex_match_simple ("^-?(0|[1-9][0-9]*)(\\.[0-9]+)?(e[-+][0-9]+)?$", text, 0, 0), "%s", text);
  fail_unless (strpbrk (text, ".e") != NULL, "%s", text);
  fail_unless (are_same_bits (g_ascii_strtod (text, NULL), value), "%s is not %.17g", text, value);
}

static const gdouble doubles[] = {
  0.0,     -0.0,     1.0,         235.0,    0.1,    1.0 / 3.0, 1e-8, 1e21, 1e22,   1e23,   123456789012345678.0,    DBL_MIN,
  DBL_MAX, -DBL_MAX, DBL_EPSILON, 4.9e-324, 1e-310, 1e15,      1e16, 1e17, 5e-324, 9.5e-7, 2.2250738585072011e-308,
};

static void
check_doubles (void)
{
  generator = test_random_start (1);
  for (guint i = 0; i < G_N_ELEMENTS (doubles); i++)
    check_double (doubles[i]);
  for (guint i = 0; i < DRAWS; i++) {
    guint64 bits = test_random_next (&generator);
    gdouble value;

    memcpy (&value, &bits, sizeof value);
    if (isfinite (value))
      check_double (value);
    check_double ((gdouble)(bits >> 40) / (gdouble)(1 + (bits & 0xffffff))); /* a typical mean */
  }
}

TEST (test_doubles)
{
  static const struct {
    gdouble value;
    const gchar *text;
  } cases[] = { { 235, "235.0" },
                { 0.1, "0.1" },
                { 1e-8, "1e-08" },
                { 0, "0.0" },
                { 1.5e300, "1.5e+300" },
                { 2.0 / 3, "0.6666666666666666" },
                { 0.1 + 0.2, "0.30000000000000004" } };

  check_doubles ();
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree gchar *text = write_double (cases[i].value);

    fail_unless_equals_string (text, cases[i].text);
  }
  for (guint i = 0; i < 3; i++) {
    g_autofree gchar *text = write_double ((gdouble[]){ NAN, INFINITY, -INFINITY }[i]);

    fail_unless_equals_string (text, "null");
  }
}

/* A locale in which 1.5 is written 1,5. */
TEST (test_other_locale)
{
  static const gchar *const names[] = { "de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE", "fr_FR" };
  gboolean is_set = FALSE;
  gchar text[8];

  for (guint i = 0; i < G_N_ELEMENTS (names) && !is_set; i++)
    is_set = setlocale (LC_NUMERIC, names[i]) != NULL;
  if (is_set) {
    g_snprintf (text, sizeof text, "%.1f", 1.5);
    fail_unless_equals_string (text, "1,5");
    check_doubles ();
  } else {
    g_print ("No locale with a decimal comma is here: not checked\n");
  }
  setlocale (LC_NUMERIC, "C");
}

TEST (test_integers)
{
  guint64 values[DRAWS];
  GstCudaHistoJson json = { .text = g_string_new (NULL) };
  const gchar *at;

  generator = test_random_start (2);
  for (guint i = 0; i < DRAWS; i++)
    values[i] = test_random_next (&generator) >> test_random_below (&generator, 64);
  for (guint i = 0; i < 64; i++) {
    values[2 * i] = (G_GUINT64_CONSTANT (1) << i) - 1;
    values[2 * i + 1] = G_GUINT64_CONSTANT (1) << i;
  }
  values[128] = G_MAXUINT64;
  values[129] = 10000000000000000000u;
  gst_cuda_histo_json_begin_array (&json);
  for (guint i = 0; i < DRAWS; i++)
    gst_cuda_histo_json_add_uint64 (&json, values[i]);
  gst_cuda_histo_json_end_array (&json);

  at = json.text->str + 1;
  for (guint i = 0; i < DRAWS; i++) {
    gchar *end;

    fail_unless (g_ascii_isdigit (*at) && (*at != '0' || !g_ascii_isdigit (at[1])), "%.30s", at);
    fail_unless_equals_uint64 (g_ascii_strtoull (at, &end, 10), values[i]);
    fail_unless_equals_int (*end, i + 1 < DRAWS ? ',' : ']');
    at = end + 1;
  }
  fail_unless_equals_int (*at, '\0');
  g_autoptr (JsonParser) parser = parse (json.text->str);
  fail_unless_equals_int (json_array_get_length (json_node_get_array (json_parser_get_root (parser))), DRAWS);
  g_string_free (json.text, TRUE);
}

/* Reads decimal digits by long arithmetic: ten times the value, plus the digit. */
static const gchar *
read_wide (const gchar *at, guint64 *high, guint64 *low)
{
  guint32 words[4] = { 0 }; /* the lowest first */

  for (; g_ascii_isdigit (*at); at++) {
    guint64 carry = (guint64)g_ascii_digit_value (*at);

    for (guint i = 0; i < G_N_ELEMENTS (words); i++) {
      carry += (guint64)words[i] * 10;
      words[i] = (guint32)carry;
      carry >>= 32;
    }
    fail_unless_equals_uint64 (carry, 0);
  }
  *low = (guint64)words[1] << 32 | words[0];
  *high = (guint64)words[3] << 32 | words[2];
  return at;
}

TEST (test_wide_integers)
{
  static const struct {
    guint64 high, low;
    const gchar *text;
  } cases[] = {
    { 0, 0, "0" },
    { 0, G_MAXUINT64, "18446744073709551615" },
    { 1, 0, "18446744073709551616" },
    { 0, 9999999999999999999u, "9999999999999999999" },
    { 0, 10000000000000000000u, "10000000000000000000" },
    { 5, 7766279631452241920u, "100000000000000000000" },
    { 5421010862427522170u, 687399551400673280u, "100000000000000000000000000000000000000" }, /* two groups of zeros */
    { G_MAXUINT64, G_MAXUINT64, "340282366920938463463374607431768211455" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GstCudaHistoJson json = { .text = g_string_new (NULL) };

    gst_cuda_histo_json_add_uint128 (&json, cases[i].high, cases[i].low);
    fail_unless_equals_string (json.text->str, cases[i].text);
    g_string_free (json.text, TRUE);
  }
  generator = test_random_start (3);
  for (guint i = 0; i < DRAWS; i++) {
    const guint bits = (guint)test_random_below (&generator, 128);
    const guint64 high = bits < 64 ? test_random_next (&generator) >> bits : 0;
    const guint64 low = bits < 64 ? test_random_next (&generator) : test_random_next (&generator) >> (bits - 64);
    GstCudaHistoJson json = { .text = g_string_new (NULL) };
    guint64 high_read, low_read;

    gst_cuda_histo_json_begin_array (&json);
    gst_cuda_histo_json_add_uint128 (&json, high, low);
    gst_cuda_histo_json_add_uint128 (&json, 0, 7);
    gst_cuda_histo_json_end_array (&json);
    fail_if (json.text->str[1] == '0' && json.text->str[2] != ',', "%s", json.text->str);
    fail_unless_equals_string (read_wide (json.text->str + 1, &high_read, &low_read), ",7]");
    fail_unless_equals_uint64 (high_read, high);
    fail_unless_equals_uint64 (low_read, low);
    g_string_free (json.text, TRUE);
  }
}

TEST (test_signed_integers)
{
  GstCudaHistoJson json = { .text = g_string_new (NULL) };

  gst_cuda_histo_json_begin_array (&json);
  gst_cuda_histo_json_add_int64 (&json, 0);
  gst_cuda_histo_json_add_int64 (&json, -1);
  gst_cuda_histo_json_add_int64 (&json, 10);
  gst_cuda_histo_json_add_int64 (&json, G_MAXINT64);
  gst_cuda_histo_json_add_int64 (&json, G_MININT64);
  gst_cuda_histo_json_end_array (&json);
  fail_unless_equals_string (json.text->str, "[0,-1,10,9223372036854775807,-9223372036854775808]");
  g_string_free (json.text, TRUE);
}

static void
check_string (const gchar *value)
{
  g_autofree gchar *expected = g_utf8_make_valid (value, -1);
  GstCudaHistoJson json = { .text = g_string_new (NULL) };
  JsonObject *object;

  gst_cuda_histo_json_begin_object (&json);
  gst_cuda_histo_json_add_name (&json, "key");
  gst_cuda_histo_json_add_string (&json, value);
  gst_cuda_histo_json_end_object (&json);
  fail_unless (g_utf8_validate (json.text->str, -1, NULL));
  for (const gchar *at = json.text->str; *at != '\0'; at++)
    fail_if ((guchar)*at < 0x20, "%s", json.text->str); /* no newline breaks the line */
  g_autoptr (JsonParser) parser = parse (json.text->str);
  object = json_node_get_object (json_parser_get_root (parser));
  fail_unless_equals_string (json_object_get_string_member (object, "key"), expected);
  g_string_free (json.text, TRUE);
}

TEST (test_strings)
{
  gchar text[20];

  generator = test_random_start (3);
  for (guint c = 1; c < 256; c++)
    check_string ((gchar[]){ 'a', (gchar)c, 'b', '\0' });
  check_string ("");
  check_string ("\\\"/\b\f\n\r\t\x7f\xe2\x80\xa8\xf0\x9f\x8e\xac");
  check_string ("\xed\xa0\x80 half of a pair");
  for (guint i = 0; i < DRAWS; i++) {
    gsize length = test_random_below (&generator, sizeof text);

    for (gsize k = 0; k < length; k++)
      text[k] = (gchar)(1 + test_random_below (&generator, 255));
    text[length] = '\0';
    check_string (text);
  }
}

TEST (test_nesting)
{
  GstCudaHistoJson json = { .text = g_string_new (NULL) };

  gst_cuda_histo_json_begin_object (&json);
  gst_cuda_histo_json_add_name (&json, "a");
  gst_cuda_histo_json_begin_array (&json);
  gst_cuda_histo_json_end_array (&json);
  gst_cuda_histo_json_add_name (&json, "b");
  gst_cuda_histo_json_begin_object (&json);
  gst_cuda_histo_json_end_object (&json);
  gst_cuda_histo_json_add_name (&json, "c");
  gst_cuda_histo_json_begin_array (&json);
  gst_cuda_histo_json_add_null (&json);
  gst_cuda_histo_json_begin_array (&json);
  gst_cuda_histo_json_add_uint64 (&json, 1);
  gst_cuda_histo_json_add_double (&json, 2);
  gst_cuda_histo_json_end_array (&json);
  gst_cuda_histo_json_add_string (&json, "x");
  gst_cuda_histo_json_end_array (&json);
  gst_cuda_histo_json_end_object (&json);
  fail_unless_equals_string (json.text->str, "{\"a\":[],\"b\":{},\"c\":[null,[1,2.0],\"x\"]}");
  g_string_free (json.text, TRUE);
}

TEST_MAIN
