/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "result/event.h"

#include <math.h>

#include "result/json.h"
#include "result/origin.h"
#include "result/schema.h"

typedef enum { TYPE_STRING, TYPE_TIME, TYPE_DATE, TYPE_DOUBLE, TYPE_UINT64, TYPE_MISSING } Type;

typedef struct {
  const gchar *name;
  Type type;
  gsize offset; /* in GstCudaHistoFinding. NULL strings, NaN and unknown dates are absent */
  const gchar *condition, *meaning;
} Field;

#define EVENT(member) G_STRUCT_OFFSET (GstCudaHistoFinding, member)

static const Field fields[] = {
  { "event", TYPE_STRING, EVENT (kind), "always", "`black`, `freeze`, `scene-change`, `clipped` or `damaged`" },
  { "start", TYPE_TIME, EVENT (start), "always", "Stream time of the first frame of the event" },
  { "end", TYPE_TIME, EVENT (end), "always",
    "Stream time of the first frame after the event, or of the last frame if the stream ends. Unknown while the event lasts" },
  { "running-time", TYPE_TIME, EVENT (running_time), "always", "`start` in running time" },
  { "end-running-time", TYPE_TIME, EVENT (end_running_time), "always", "`end` in running time" },
  { "duration", TYPE_TIME, EVENT (duration), "always", "From `start` to `end`. Unknown while the event lasts" },
  { "utc-time", TYPE_DATE, EVENT (utc_time), "always", "Arrival of the first frame, as `utc-time` of a result" },
  { "value", TYPE_DOUBLE, EVENT (value), "not `damaged`", "Measured value at the beginning" },
  { "threshold", TYPE_DOUBLE, EVENT (threshold), "not `damaged`", "Threshold of `value`: the property" },
  { "ended-by", TYPE_STRING, EVENT (ended_by), "the event is over",
    "`complete`: by a frame outside the event. Otherwise by `eos`, `stop`, `caps`, `crop`, `segment`, `segment-done`, "
    "`stream-start`, `flush` or `gap`" },
  { "frame", TYPE_UINT64, EVENT (frame), "always", "Index of the first frame since the start, from 0" },
  { "frames", TYPE_UINT64, EVENT (frames), "always", "Frames in the event so far" },
  { "missing", TYPE_MISSING, EVENT (missing), "`damaged`",
    "Missing frames, which are not in `frames`. 0: none, or their number is unknown" },
  { "cause", TYPE_STRING, EVENT (cause), "`damaged`", "Cause of the [damage](#damage)" },
  { "element", TYPE_STRING, EVENT (element), "always", "Name of the element" },
  { "input", TYPE_STRING, EVENT (input), "`input-name` is set", "Name of the film or stream" },
  { "sampling", TYPE_STRING, EVENT (sampling), "as in results", "Part of the input that was measured" },
};

const gchar *
gst_cuda_histo_event_get_kind_name (GstCudaHistoEvents kind)
{
  switch (kind) {
  case GST_CUDA_HISTO_EVENTS_BLACK:
    return "black";
  case GST_CUDA_HISTO_EVENTS_FREEZE:
    return "freeze";
  case GST_CUDA_HISTO_EVENTS_SCENE_CHANGE:
    return "scene-change";
  case GST_CUDA_HISTO_EVENTS_CLIPPED:
    return "clipped";
  case GST_CUDA_HISTO_EVENTS_DAMAGED:
    return "damaged";
  }
  g_return_val_if_reached ("");
}

/* FALSE: absent; *value is unset. */
static gboolean
gst_cuda_histo_event_get_value (const GstCudaHistoFinding *event, const Field *field, GValue *value)
{
  const gchar *text;

  switch (field->type) {
  case TYPE_STRING:
    text = G_STRUCT_MEMBER (const gchar *, event, field->offset);
    if (text == NULL)
      return FALSE;
    g_value_init (value, G_TYPE_STRING);
    g_value_take_string (value, g_utf8_make_valid (text, -1));
    return TRUE;
  case TYPE_DATE: {
    gchar *date = gst_cuda_histo_origin_format_utc_time (G_STRUCT_MEMBER (guint64, event, field->offset));

    if (date == NULL)
      return FALSE;
    g_value_init (value, G_TYPE_STRING);
    g_value_take_string (value, date);
    return TRUE;
  }
  case TYPE_DOUBLE:
    if (isnan (G_STRUCT_MEMBER (gdouble, event, field->offset)))
      return FALSE;
    g_value_init (value, G_TYPE_DOUBLE);
    g_value_set_double (value, G_STRUCT_MEMBER (gdouble, event, field->offset));
    return TRUE;
  case TYPE_MISSING:
    if (event->cause == NULL)
      return FALSE;
    /* FALLTHROUGH */
  default:
    g_value_init (value, G_TYPE_UINT64);
    g_value_set_uint64 (value, G_STRUCT_MEMBER (guint64, event, field->offset));
    return TRUE;
  }
}

GstStructure *
gst_cuda_histo_event_to_structure (const GstCudaHistoFinding *event)
{
  GstStructure *structure = gst_structure_new_empty (GST_CUDA_HISTO_EVENT_MESSAGE_NAME);

  for (guint f = 0; f < G_N_ELEMENTS (fields); f++) {
    GValue value = G_VALUE_INIT;

    if (gst_cuda_histo_event_get_value (event, &fields[f], &value))
      gst_structure_take_value (structure, fields[f].name, &value);
  }
  return structure;
}

gchar *
gst_cuda_histo_event_to_json (const GstCudaHistoFinding *event)
{
  GstCudaHistoJson json = { .text = g_string_sized_new (256) };

  gst_cuda_histo_json_begin_object (&json);
  gst_cuda_histo_json_add_name (&json, GST_CUDA_HISTO_MESSAGE_NAME);
  gst_cuda_histo_json_add_uint64 (&json, GST_CUDA_HISTO_JSON_VERSION);
  for (guint f = 0; f < G_N_ELEMENTS (fields); f++) {
    GValue value = G_VALUE_INIT;

    if (!gst_cuda_histo_event_get_value (event, &fields[f], &value))
      continue;
    gst_cuda_histo_json_add_name (&json, fields[f].name);
    if (G_VALUE_HOLDS_STRING (&value))
      gst_cuda_histo_json_add_string (&json, g_value_get_string (&value));
    else if (fields[f].type == TYPE_DOUBLE)
      gst_cuda_histo_json_add_double (&json, g_value_get_double (&value));
    else if (fields[f].type == TYPE_TIME && !GST_CLOCK_TIME_IS_VALID (g_value_get_uint64 (&value)))
      gst_cuda_histo_json_add_null (&json);
    else
      gst_cuda_histo_json_add_uint64 (&json, g_value_get_uint64 (&value));
    g_value_unset (&value);
  }
  gst_cuda_histo_json_end_object (&json);
  return g_string_free (json.text, FALSE);
}

gchar *
gst_cuda_histo_event_to_markdown (void)
{
  static const gchar *const types[] = {
    [TYPE_STRING] = "string", [TYPE_TIME] = "time",     [TYPE_DATE] = "string",
    [TYPE_DOUBLE] = "double", [TYPE_UINT64] = "uint64", [TYPE_MISSING] = "uint64",
  };
  GString *text = g_string_new ("| field | type | present | meaning |\n| --- | --- | --- | --- |\n");

  for (guint f = 0; f < G_N_ELEMENTS (fields); f++)
    g_string_append_printf (text, "| `%s` | %s | %s | %s |\n", fields[f].name, types[fields[f].type], fields[f].condition,
                            fields[f].meaning);
  return g_string_free (text, FALSE);
}
