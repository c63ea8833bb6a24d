/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lines/parser.h"

#include <math.h>
#include <string.h>

#include <yajl/yajl_parse.h>

#include "lines/line.h"
#include "lines/number.h"
#include "lines/schema.h"
#include "lines/values.h"

#define MAX_LEVELS 16 /* a valid line has at most 8: a waveform's column in a component in a region */
#define MAX_REGIONS 4096

typedef enum {
  LEVEL_RESULT,     /* the line's object */
  LEVEL_COMPONENTS, /* its `components`, or a region's, whose members are objects */
  LEVEL_OBJECT,     /* any other object; its name is a prefix of its members' names */
  LEVEL_RECTANGLE,  /* an object whose members belong to one field */
  LEVEL_REGIONS,    /* an array of objects */
  LEVEL_REGION,     /* an element of that array */
  LEVEL_NUMBERS,    /* an array of numbers, or of such arrays */
  LEVEL_OTHER       /* ignored */
} LevelKind;

typedef struct {
  LevelKind kind;
  gsize prefix_length; /* length of the prefix of its members' names */
} Level;

struct _Parser {
  Line line;
  Schema *schema;
  GPtrArray *components; /* names, owned by fields; NULL-terminated when the line is complete */
  Level levels[MAX_LEVELS];
  guint n_levels;
  GString *key;           /* the level's prefix and the current member's name */
  gsize component_length; /* length of the component's name in `key`; 0: no component */
  guint64 version;
  gboolean has_version, has_components;
};

GQuark
parser_fault_quark (void)
{
  return g_quark_from_static_string ("cudahisto-parser-fault");
}

/* ---- yajl's callbacks ------------------------------------------------------------------------------------------------- */

static Level *
parser_get_level (Parser *parser)
{
  return &parser->levels[parser->n_levels - 1];
}

/* Returns whether the level's members are fields. */
static gboolean
parser_has_fields (const Level *level)
{
  return level->kind == LEVEL_RESULT || level->kind == LEVEL_OBJECT || level->kind == LEVEL_REGION;
}

static gboolean
parser_is_version (Parser *parser)
{
  return parser->n_levels == 1 && strcmp (parser->key->str, "cudahisto") == 0;
}

/* Begins a scalar value other than a number. FALSE: ignore it. */
static gboolean
parser_begin_value (Parser *parser, const gchar *what)
{
  Level *level;

  if (parser->n_levels == 0) {
    line_refuse (&parser->line, "it is %s, not an object", what);
    return FALSE;
  }
  level = parser_get_level (parser);
  if (parser->line.fault != NULL || level->kind == LEVEL_OTHER)
    return FALSE;
  if (parser_is_version (parser)) {
    line_refuse (&parser->line, "`cudahisto` should be the version of the format");
    return FALSE;
  }
  if (parser_has_fields (level))
    return TRUE;
  line_refuse (&parser->line, "it has %s in the wrong place", what);
  return FALSE;
}

static int
parser_on_null (void *data)
{
  Parser *parser = data;

  if (!parser_begin_value (parser, "null"))
    return 1;
  if (parser->line.field->type == TYPE_TIME)
    line_take_uint64 (&parser->line, GST_CLOCK_TIME_NONE);
  else if (parser->line.field->type == TYPE_PSNR)
    line_take_double (&parser->line, INFINITY);
  else if (parser->line.field->type != TYPE_ANY)
    line_refuse (&parser->line, "`%s` should not be null", parser->line.field->name);
  return 1;
}

static int
parser_on_boolean (void *data, int boolean)
{
  Parser *parser = data;
  GValue value = G_VALUE_INIT;

  if (!parser_begin_value (parser, "a boolean"))
    return 1;
  if (parser->line.field->type != TYPE_ANY) {
    line_refuse (&parser->line, "`%s` should not be a boolean", parser->line.field->name);
    return 1;
  }
  g_value_init (&value, G_TYPE_BOOLEAN);
  g_value_set_boolean (&value, boolean != 0);
  line_take_value (&parser->line, &value);
  return 1;
}

static int
parser_on_string (void *data, const unsigned char *text, size_t length)
{
  Parser *parser = data;

  if (!parser_begin_value (parser, "a text"))
    return 1;
  if (memchr (text, '\0', length) != NULL)
    line_refuse (&parser->line, "`%s` has a character U+0000", parser->line.field->name);
  else if (parser->line.field->type == TYPE_FRACTION)
    line_take_fraction (&parser->line, (const gchar *)text, length);
  else if (parser->line.field->type == TYPE_STRING || parser->line.field->type == TYPE_ANY)
    line_take_string (&parser->line, (const gchar *)text, length);
  else
    line_refuse (&parser->line, "`%s` should not be a text", parser->line.field->name);
  return 1;
}

static int
parser_on_number (void *data, const char *text, size_t length)
{
  Parser *parser = data;
  Level *level;

  if (parser->n_levels == 0) {
    line_refuse (&parser->line, "it is a number, not an object");
    return 1;
  }
  if (parser_is_version (parser)) {
    if (parser->has_version || !number_parse_uint64 (text, length, &parser->version))
      line_refuse (&parser->line, "`cudahisto` should be the version of the format");
    parser->has_version = TRUE;
    return 1;
  }
  level = parser_get_level (parser);
  if (parser->line.fault != NULL || level->kind == LEVEL_OTHER)
    return 1;
  if (length > NUMBER_MAX_DIGITS)
    line_refuse (&parser->line, "it has a number of %" G_GSIZE_FORMAT " digits", length);
  else if (level->kind == LEVEL_NUMBERS)
    line_append_number (&parser->line, text, length);
  else if (level->kind == LEVEL_RECTANGLE)
    line_set_rectangle_member (&parser->line, schema_find_place (parser->key->str + level->prefix_length), text, length);
  else if (parser_has_fields (level))
    line_take_number (&parser->line, text, length);
  else
    line_refuse (&parser->line, "it has a number in the wrong place");
  return 1;
}

/* Returns 0, which ends the parsing: the line is nested too deeply. */
static int
parser_push (Parser *parser, LevelKind kind, gsize prefix_length)
{
  if (parser->n_levels == MAX_LEVELS) {
    line_refuse (&parser->line, "it is nested too deeply");
    return 0;
  }
  parser->levels[parser->n_levels++] = (Level){ kind, prefix_length };
  return 1;
}

static int
parser_begin_region (Parser *parser)
{
  if (parser->line.regions->len == MAX_REGIONS) {
    line_refuse (&parser->line, "it has more than %d regions", MAX_REGIONS);
    return parser_push (parser, LEVEL_OTHER, 0);
  }
  line_begin_region (&parser->line);
  return parser_push (parser, LEVEL_REGION, 0);
}

static int
parser_begin_components (Parser *parser)
{
  if (parser->line.region == NULL) {
    if (parser->has_components)
      line_refuse (&parser->line, "it has `components` twice");
    parser->has_components = TRUE;
  }
  return parser_push (parser, LEVEL_COMPONENTS, 0);
}

static int
parser_on_start_map (void *data)
{
  Parser *parser = data;
  Level *level;

  if (parser->n_levels == 0)
    return parser_push (parser, LEVEL_RESULT, 0);
  level = parser_get_level (parser);
  if (parser->line.fault != NULL || level->kind == LEVEL_OTHER)
    return parser_push (parser, LEVEL_OTHER, 0);
  if (level->kind == LEVEL_REGIONS)
    return parser_begin_region (parser);
  if (level->kind == LEVEL_NUMBERS || level->kind == LEVEL_RECTANGLE || parser_is_version (parser)
      || (level->kind != LEVEL_COMPONENTS && parser->line.field->type != TYPE_ANY && parser->line.field->type != TYPE_GROUP
          && parser->line.field->type != TYPE_RECTANGLE)) {
    line_refuse (&parser->line, "it has an object in the wrong place");
    return parser_push (parser, LEVEL_OTHER, 0);
  }
  if ((level->kind == LEVEL_RESULT || level->kind == LEVEL_REGION) && strcmp (parser->key->str, "components") == 0)
    return parser_begin_components (parser);
  if (level->kind != LEVEL_COMPONENTS && parser->line.field->type == TYPE_RECTANGLE) {
    parser->line.rectangle_members = 0;
    return parser_push (parser, LEVEL_RECTANGLE, parser->key->len);
  }
  g_string_append_c (parser->key, '-');
  if (level->kind == LEVEL_COMPONENTS) {
    line_begin_component (&parser->line);
    parser->component_length = parser->key->len;
  }
  return parser_push (parser, LEVEL_OBJECT, parser->key->len);
}

static int
parser_on_map_key (void *data, const unsigned char *text, size_t length)
{
  Parser *parser = data;
  const Level *level = parser_get_level (parser);

  if (level->kind == LEVEL_OTHER)
    return 1;
  if (length > 256 || memchr (text, '\0', length) != NULL) {
    line_refuse (&parser->line, "it has a member with an invalid name");
    length = 0;
  }
  g_string_truncate (parser->key, level->prefix_length);
  g_string_append_len (parser->key, (const gchar *)text, (gssize)length);
  if (parser->line.fault != NULL || level->kind == LEVEL_RECTANGLE)
    return 1;
  parser->line.field = schema_find_field (parser->schema, parser->key, level->prefix_length, parser->component_length);
  if (parser->line.field == NULL)
    line_refuse (&parser->line, "the file has more than %d names of fields", SCHEMA_MAX_NAMES);
  else if (level->kind == LEVEL_COMPONENTS && parser->line.region == NULL)
    g_ptr_array_add (parser->components, (gpointer)parser->line.field->name);
  return 1;
}

static int
parser_on_end_map (void *data)
{
  Parser *parser = data;
  const Level *level = parser_get_level (parser);

  if (level->kind == LEVEL_RECTANGLE && parser->line.fault == NULL)
    line_take_rectangle (&parser->line);
  if (level->kind == LEVEL_REGION)
    line_end_region (&parser->line);
  parser->n_levels--;
  if (level->kind == LEVEL_OBJECT && parser->n_levels > 0 && parser_get_level (parser)->kind == LEVEL_COMPONENTS) {
    line_end_component (&parser->line);
    parser->component_length = 0;
  }
  return 1;
}

static int
parser_on_start_array (void *data)
{
  Parser *parser = data;
  Level *level;

  if (parser->n_levels == 0) {
    line_refuse (&parser->line, "it is an array, not an object");
    return parser_push (parser, LEVEL_OTHER, 0);
  }
  level = parser_get_level (parser);
  if (parser->line.fault != NULL || level->kind == LEVEL_OTHER)
    return parser_push (parser, LEVEL_OTHER, 0);
  if (level->kind == LEVEL_NUMBERS)
    return parser_push (parser, LEVEL_NUMBERS, 0);
  if (level->kind == LEVEL_RESULT && strcmp (parser->key->str, VALUES_REGIONS) == 0) {
    if (parser->line.regions->len > 0)
      line_refuse (&parser->line, "it has `regions` twice");
    return parser_push (parser, LEVEL_REGIONS, 0);
  }
  if (!parser_has_fields (level) || parser_is_version (parser)
      || (parser->line.field->type != TYPE_ANY && parser->line.field->type != TYPE_ARRAY
          && parser->line.field->type != TYPE_SUMS)) {
    line_refuse (&parser->line, "it has an array in the wrong place");
    return parser_push (parser, LEVEL_OTHER, 0);
  }
  parser->line.n_numbers = 0;
  return parser_push (parser, LEVEL_NUMBERS, 0);
}

static int
parser_on_end_array (void *data)
{
  Parser *parser = data;

  parser->n_levels--;
  if (parser->line.fault == NULL && parser->levels[parser->n_levels].kind == LEVEL_NUMBERS && parser->n_levels > 0
      && parser_get_level (parser)->kind != LEVEL_NUMBERS)
    line_take_array (&parser->line);
  return 1;
}

static const yajl_callbacks callbacks = {
  .yajl_null = parser_on_null,
  .yajl_boolean = parser_on_boolean,
  .yajl_number = parser_on_number,
  .yajl_string = parser_on_string,
  .yajl_start_map = parser_on_start_map,
  .yajl_map_key = parser_on_map_key,
  .yajl_end_map = parser_on_end_map,
  .yajl_start_array = parser_on_start_array,
  .yajl_end_array = parser_on_end_array,
};

/* ---- a line ----------------------------------------------------------------------------------------------------------- */

Parser *
parser_new (void)
{
  Parser *parser = g_new0 (Parser, 1);

  line_init (&parser->line);
  parser->schema = schema_new ();
  parser->components = g_ptr_array_new ();
  parser->key = g_string_new (NULL);
  return parser;
}

void
parser_free (Parser *parser)
{
  line_clear (&parser->line);
  schema_free (parser->schema);
  g_ptr_array_unref (parser->components);
  g_string_free (parser->key, TRUE);
  g_free (parser);
}

static void
parser_begin_line (Parser *parser)
{
  line_begin (&parser->line);
  g_ptr_array_set_size (parser->components, 0);
  parser->n_levels = 0;
  parser->component_length = 0;
  parser->has_version = parser->has_components = FALSE;
  parser->version = SCHEMA_VERSION;
  g_string_truncate (parser->key, 0);
}

/* Returns yajl's message without its full stop and newline. */
static gchar *
parser_describe_error (yajl_handle handle)
{
  unsigned char *text = yajl_get_error (handle, 0, NULL, 0);
  gchar *words = g_strdup (text != NULL ? (const gchar *)text : "");
  gsize length;

  yajl_free_error (handle, text);
  g_strstrip (words);
  length = strlen (words);
  if (length > 0 && words[length - 1] == '.')
    words[length - 1] = '\0';
  return words;
}

/* Checks the parsed line. FALSE: *error is set. */
static gboolean
parser_judge (Parser *parser, GError **error)
{
  Line *line = &parser->line;

  if (parser->version != SCHEMA_VERSION) {
    g_set_error (error, PARSER_FAULT, PARSER_FAULT_VERSION,
                 "is of version %" G_GUINT64_FORMAT " of the format, and this cudahisto reads version %d: use a later one",
                 parser->version, SCHEMA_VERSION);
    return FALSE;
  }
  if (gst_structure_has_field (line->result, "event")) {
    line_check_event (line);
  } else if (line->fault == NULL) {
    if (!parser->has_components)
      line_refuse (line, "it has neither `components` nor `event`");
    else if (!gst_structure_has_field (line->result, "frame"))
      line_refuse (line, "it has no `frame`"); /* a sum may lack `frames` */
    else
      line_check (line);
  }
  if (line->fault == NULL)
    return TRUE;
  g_set_error (error, PARSER_FAULT, PARSER_FAULT_LINE, "%s: %s",
               line->is_impossible ? "contradicts itself" : "is not one of a sidecar of cudahisto", line->fault);
  return FALSE;
}

/* Returns the structure of a valid line. */
static GstStructure *
parser_finish_line (Parser *parser)
{
  Line *line = &parser->line;

  if (gst_structure_has_field (line->result, "event")) {
    gst_structure_set_name (line->result, "cudahisto-event");
  } else {
    if (line->regions->len > 0)
      line_take_regions (line);
    g_ptr_array_add (parser->components, NULL);
  }
  return g_steal_pointer (&line->result);
}

GstStructure *
parser_parse (Parser *parser, const gchar *text, gsize length, GError **error)
{
  GstStructure *structure = NULL;
  ParserFault fault = PARSER_FAULT_LINE;
  yajl_handle handle;
  yajl_status status;

  parser_begin_line (parser);
  handle = yajl_alloc (&callbacks, NULL, parser);
  status = yajl_parse (handle, (const unsigned char *)text, length);
  if (status == yajl_status_ok) {
    const gboolean is_sound = parser->line.fault == NULL;

    status = yajl_complete_parse (handle);
    if (status != yajl_status_ok && is_sound)
      fault = PARSER_FAULT_TORN;
  }
  if (status == yajl_status_error) {
    g_autofree gchar *words = parser_describe_error (handle);

    g_set_error (error, PARSER_FAULT, fault, "is not JSON: %s", words);
  } else if (parser_judge (parser, error)) {
    structure = parser_finish_line (parser);
  }
  yajl_free (handle);
  return structure;
}

const gchar *const *
parser_get_components (const Parser *parser)
{
  return (const gchar *const *)parser->components->pdata;
}
