/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "journal.h"

#include <gst/video/video.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_COMPONENTS 4
#define DEEP_BINS 65536

/* Events after a frame that may end its window. */
enum {
  MARK_CAPS = 1 << 0,
  MARK_SEGMENT = 1 << 1,
  MARK_EOS = 1 << 2,
  MARK_STREAM_START = 1 << 3,
  MARK_SEGMENT_DONE = 1 << 4,
  MARK_FLUSH = 1 << 5,
  MARK_STOP = 1 << 6,
  MARK_DRAIN = 1 << 7, /* a DRAIN query, with which upstream requests its buffers */
};
#define ENDING_MARKS (MARK_CAPS | MARK_SEGMENT | MARK_EOS | MARK_STREAM_START | MARK_SEGMENT_DONE | MARK_FLUSH | MARK_STOP)

/* The kind of frames; those between two changes of caps share one. */
typedef struct {
  gatomicrefcount ref_count;
  gboolean is_video;
  GstVideoInfo info;
} Kind;

/* Of a frame or a window. */
typedef struct {
  GstClockTime timestamp, stream_time, running_time, duration;
} Times;

typedef struct {
  Kind *kind;
  guint64 index;
  guint8 *data;
  gsize size;
  guint64 offset; /* of bytes, in the stream */
  Times times;
  GstClockTime running_duration;
  gboolean is_short; /* cannot be counted, or was not */
  gboolean is_discont;
  guint marks;
} Entry;

/* A buffer between the two pads. */
typedef struct {
  const GstBuffer *buffer;
  const GstMemory *memory;
  GstClockTime pts, dts, duration;
  guint64 offset;
  guint flags;
  gsize size;
  guint n_memory, checksum;
  gboolean is_writable, is_memory_writable;
} Passage;

/* One component of a result, from any carrier. */
typedef struct {
  gchar name[8];
  guint64 count, sum, sum_of_squares, dot, dot_count;
  gint64 min, max, low, median, high; /* -1: absent */
  gboolean has_dot;
  guint64 *bins; /* NULL: not carried */
  guint n_bins;
} ComponentClaim;

typedef struct {
  guint64 frame, frames, offset, size;
  Times times; /* of a structure */
  gchar *format, *ended_by;
  guint n_components;
  ComponentClaim components[MAX_COMPONENTS];
} Claim;

struct _Journal {
  gatomicrefcount ref_count; /* held by the owner, the probes and the chain function: a probe may still be running */
  GstElement *element;       /* borrowed: its pads have the journal */
  GstPadChainFunction chain;
  GstPadEventFullFunction receive_event;

  /* from a beginning to an end */
  gboolean is_running;
  JournalPromises promises;
  gint window; /* of the property; 1: buffer, 2: stream, 3: bytes, 0: auto */
  guint64 window_size, interval;
  gboolean uses_dot, adds_meta;
  gchar *sidecar;
  GSList *rotated; /* paths, the last first */
  gint is_stopping;

  GMutex lock;
  GQueue entries;  /* Entry: frames that are in no result yet */
  Entry *previous; /* the last one removed from `entries` */
  guint64 next_index, next_offset, n_out, n_on_the_way;
  guint64 n_events_out; /* sticky ones, since the journal was made */
  GQueue passages;      /* Passage */
  gboolean has_flushed; /* since the last buffer */
  GstSegment segment;
  gdouble running_end, stream_end; /* of the last buffer, in ns; the first is negative where they are unknown */
  GstCaps *caps;
  Kind *kind;
  GQueue messages, metas; /* Claim */
  guint n_messages, n_warnings;
  guint64 last_in; /* of `stats` */

  /* the test's own thread */
  gsize claimed_bytes; /* of the first entry */
  guint64 reported, discarded, skipped, n_results, n_metas, n_complete, without_meta;
};

void (*journal_explain) (void);

static JournalTotals totals;
static GMutex totals_lock;
static guint64 *scratch[MAX_COMPONENTS]; /* of the test's own thread: native counters */

void
journal_fail (const gchar *format, ...)
{
  static gint has_failed;
  va_list arguments;

  if (!g_atomic_int_compare_and_exchange (&has_failed, FALSE, TRUE))
    g_usleep (G_MAXULONG); /* another thread is printing its failure */
  if (journal_explain != NULL)
    journal_explain ();
  va_start (arguments, format);
  fputs ("FAILED: ", stdout);
  vprintf (format, arguments);
  putchar ('\n');
  fflush (stdout);
  va_end (arguments);
  abort ();
}

/* ---- small things ------------------------------------------------------------------------------------------------ */

static void
unref_kind (Kind *kind)
{
  if (g_atomic_ref_count_dec (&kind->ref_count))
    g_free (kind);
}

static void
free_entry (Entry *entry)
{
  unref_kind (entry->kind);
  g_free (entry->data);
  g_free (entry);
}

static void
free_claim (Claim *claim)
{
  for (guint c = 0; c < claim->n_components; c++)
    g_free (claim->components[c].bins);
  g_free (claim->format);
  g_free (claim->ended_by);
  g_free (claim);
}

static guint
checksum (const guint8 *data, gsize size)
{
  guint hash = 2166136261u; /* FNV-1a */

  for (gsize i = 0; i < size; i++)
    hash = (hash ^ data[i]) * 16777619u;
  return hash;
}

static guint64
read_count (const GstStructure *stats, const gchar *field)
{
  guint64 value = 0;

  JOURNAL_REQUIRE (gst_structure_get_uint64 (stats, field, &value), "stats has no guint64 %s", field);
  return value;
}

static GstStructure *
get_stats (GstElement *element)
{
  GstStructure *stats = NULL;

  g_object_get (element, "stats", &stats, NULL);
  JOURNAL_REQUIRE (stats != NULL && gst_structure_has_name (stats, "cudahisto-stats"), "no stats");
  return stats;
}

/* ---- carriers ---------------------------------------------------------------------------------------------------- */

static const gchar *const component_names[] = { "Y", "U", "V", "R", "G", "B", "A", "GRAY", "byte" };

static gint64
get_optional_uint (const GstStructure *structure, const gchar *component, const gchar *name)
{
  gchar field[40];
  guint value;

  g_snprintf (field, sizeof field, "%s-%s", component, name);
  return gst_structure_get_uint (structure, field, &value) ? (gint64)value : -1;
}

static gboolean
get_optional_u64 (const GstStructure *structure, const gchar *component, const gchar *name, guint64 *value)
{
  gchar field[40];

  g_snprintf (field, sizeof field, "%s-%s", component, name);
  return gst_structure_get_uint64 (structure, field, value);
}

static void
read_bins (const GstStructure *structure, ComponentClaim *claim)
{
  gchar field[40];
  const GValue *value;

  g_snprintf (field, sizeof field, "%s-histogram", claim->name);
  value = gst_structure_get_value (structure, field);
  if (value == NULL)
    return;
  if (G_VALUE_HOLDS (value, G_TYPE_BYTES)) {
    gsize size;
    const guint8 *packed = g_bytes_get_data (g_value_get_boxed (value), &size);

    claim->n_bins = (guint)(size / 8);
    claim->bins = g_new (guint64, claim->n_bins);
    for (guint i = 0; i < claim->n_bins; i++)
      claim->bins[i] = GST_READ_UINT64_LE (packed + 8 * i);
  } else {
    claim->n_bins = gst_value_array_get_size (value);
    claim->bins = g_new (guint64, claim->n_bins);
    for (guint i = 0; i < claim->n_bins; i++)
      claim->bins[i] = g_value_get_uint64 (gst_value_array_get_value (value, i));
  }
}

static Claim *
read_structure (const GstStructure *structure)
{
  Claim *claim = g_new0 (Claim, 1);

  claim->frame = get_field_u64 (structure, "frame");
  claim->frames = get_field_u64 (structure, "frames");
  gst_structure_get_uint64 (structure, "offset", &claim->offset);
  gst_structure_get_uint64 (structure, "size", &claim->size);
  claim->times = (Times){ get_field_u64 (structure, "timestamp"), get_field_u64 (structure, "stream-time"),
                          get_field_u64 (structure, "running-time"), get_field_u64 (structure, "duration") };
  claim->format = g_strdup (gst_structure_get_string (structure, "format"));
  claim->ended_by = g_strdup (gst_structure_get_string (structure, "ended-by"));
  for (guint i = 0; i < G_N_ELEMENTS (component_names); i++) {
    const gchar *name = component_names[i];
    ComponentClaim *component = &claim->components[claim->n_components];

    if (claim->n_components == MAX_COMPONENTS || !get_optional_u64 (structure, name, "count", &component->count))
      continue;
    g_strlcpy (component->name, name, sizeof component->name);
    get_optional_u64 (structure, name, "sum", &component->sum);
    get_optional_u64 (structure, name, "sum-of-squares", &component->sum_of_squares);
    component->has_dot = get_optional_u64 (structure, name, "dot", &component->dot);
    get_optional_u64 (structure, name, "dot-count", &component->dot_count);
    component->min = get_optional_uint (structure, name, "min");
    component->max = get_optional_uint (structure, name, "max");
    component->low = get_optional_uint (structure, name, "low");
    component->median = get_optional_uint (structure, name, "median");
    component->high = get_optional_uint (structure, name, "high");
    read_bins (structure, component);
    claim->n_components++;
  }
  return claim;
}

/* Returns the text after "key": in [text, end), or NULL. */
static const gchar *
find_key (const gchar *text, const gchar *end, const gchar *key)
{
  gchar quoted[40];
  const gchar *found;

  g_snprintf (quoted, sizeof quoted, "\"%s\":", key);
  found = g_strstr_len (text, end - text, quoted);
  return found != NULL ? found + strlen (quoted) : NULL;
}

static gboolean
find_number (const gchar *text, const gchar *end, const gchar *key, guint64 *value)
{
  const gchar *found = find_key (text, end, key);

  if (found == NULL || !g_ascii_isdigit (*found))
    return FALSE;
  *value = g_ascii_strtoull (found, NULL, 10);
  return TRUE;
}

static gint64
find_optional (const gchar *text, const gchar *end, const gchar *key)
{
  guint64 value;

  return find_number (text, end, key, &value) ? (gint64)value : -1;
}

static gchar *
find_string (const gchar *text, const gchar *end, const gchar *key)
{
  const gchar *found = find_key (text, end, key);

  return found != NULL && *found == '"' ? g_strndup (found + 1, strcspn (found + 1, "\"")) : NULL;
}

/* Reads a line of the sidecar. Not a parser of JSON: it relies on the order and spelling of docs/messages.md. */
static Claim *
read_line (const gchar *line)
{
  Claim *claim = g_new0 (Claim, 1);
  const gchar *components = strstr (line, "\"components\":{");
  const gchar *end = line + strlen (line);

  JOURNAL_REQUIRE (g_str_has_prefix (line, "{\"cudahisto\":1,"), "a line begins otherwise: %.60s", line);
  JOURNAL_REQUIRE (line[0] != '\0' && end[-1] == '}' && components != NULL, "not a whole line: %.200s", line);
  JOURNAL_REQUIRE (find_number (line, components, "frame", &claim->frame)
                       && find_number (line, components, "frames", &claim->frames),
                   "a line without frames: %.200s", line);
  find_number (line, components, "offset", &claim->offset);
  find_number (line, components, "size", &claim->size);
  claim->format = find_string (line, components, "format");
  claim->ended_by = find_string (line, components, "ended-by");
  for (guint i = 0; i < G_N_ELEMENTS (component_names) && claim->n_components < MAX_COMPONENTS; i++) {
    ComponentClaim *component = &claim->components[claim->n_components];
    const gchar *begin = find_key (components, end, component_names[i]);
    const gchar *close = begin != NULL ? strchr (begin, '}') : NULL;
    const gchar *bins;

    if (begin == NULL)
      continue;
    JOURNAL_REQUIRE (close != NULL && find_number (begin, close, "count", &component->count), "no count: %.200s", begin);
    g_strlcpy (component->name, component_names[i], sizeof component->name);
    find_number (begin, close, "sum", &component->sum);
    find_number (begin, close, "sum-of-squares", &component->sum_of_squares);
    component->has_dot = find_number (begin, close, "dot", &component->dot);
    find_number (begin, close, "dot-count", &component->dot_count);
    component->min = find_optional (begin, close, "min");
    component->max = find_optional (begin, close, "max");
    component->low = find_optional (begin, close, "low");
    component->median = find_optional (begin, close, "median");
    component->high = find_optional (begin, close, "high");
    bins = find_key (begin, close, "histogram");
    if (bins != NULL && *bins == '[') {
      GArray *values = g_array_new (FALSE, FALSE, sizeof (guint64));

      for (gchar *next = (gchar *)bins; *next != ']';) {
        guint64 value = g_ascii_strtoull (next + 1, &next, 10);

        g_array_append_val (values, value);
        JOURNAL_REQUIRE (*next == ',' || *next == ']', "a histogram ends in %.20s", next);
      }
      component->n_bins = values->len;
      component->bins = (guint64 *)(gpointer)g_array_free (values, FALSE);
    }
    claim->n_components++;
  }
  return claim;
}

/* Compares two carriers of one result. Both have histograms, or neither. */
static void
compare_claims (const Claim *left, const Claim *right, const gchar *what)
{
  JOURNAL_REQUIRE (left->frame == right->frame && left->frames == right->frames && left->offset == right->offset
                       && left->size == right->size && left->n_components == right->n_components
                       && g_strcmp0 (left->format, right->format) == 0 && g_strcmp0 (left->ended_by, right->ended_by) == 0,
                   "%s says frames %" G_GUINT64_FORMAT " + %" G_GUINT64_FORMAT " of %s, %s; the result %" G_GUINT64_FORMAT
                   " + %" G_GUINT64_FORMAT " of %s, %s",
                   what, left->frame, left->frames, left->format, left->ended_by, right->frame, right->frames, right->format,
                   right->ended_by);
  for (guint c = 0; c < left->n_components; c++) {
    const ComponentClaim *a = &left->components[c], *b = &right->components[c];

    JOURNAL_REQUIRE (strcmp (a->name, b->name) == 0 && a->count == b->count && a->sum == b->sum
                         && a->sum_of_squares == b->sum_of_squares && a->dot == b->dot && a->dot_count == b->dot_count
                         && a->has_dot == b->has_dot && a->min == b->min && a->max == b->max && a->low == b->low
                         && a->median == b->median && a->high == b->high,
                     "%s has other numbers of %s at frame %" G_GUINT64_FORMAT, what, a->name, left->frame);
    if (a->bins != NULL && b->bins != NULL && a->n_bins == b->n_bins)
      JOURNAL_REQUIRE (memcmp (a->bins, b->bins, a->n_bins * sizeof *a->bins) == 0, "%s has another histogram of %s", what,
                       a->name);
  }
}

/* ---- what goes in ------------------------------------------------------------------------------------------------ */

static void
mark (Journal *journal, guint what)
{
  Entry *last = g_queue_peek_tail (&journal->entries);

  if (last == NULL)
    last = journal->previous;
  if (last != NULL)
    last->marks |= what;
}

static gboolean
is_small_jump (gdouble running, gdouble stream)
{
  return running > -1 && running < GST_SECOND / 2 + 1 && stream > -1 && stream < GST_SECOND / 2 + 1;
}

/* Whether the times of buffers continue from `left` to `right`, within half a second: each is a line through the point at which
 * its running time is 0. `running_end` and `stream_end`: of the last buffer, or negative. */
static gboolean
continues (const GstSegment *left, const GstSegment *right, gdouble running_end, gdouble stream_end, guint64 next_offset)
{
  const GstSegment *segments[2] = { left, right };
  gdouble running[2], stream[2], direction, begin;

  if (left->format != right->format)
    return FALSE;
  if (left->format != GST_FORMAT_TIME)
    return right->start == next_offset
           || (left->start == right->start && left->stop == right->stop && left->rate == right->rate);
  for (guint i = 0; i < 2; i++) {
    const GstSegment *segment = segments[i];
    GstClockTime origin = segment->rate > 0 ? segment->start + segment->offset : segment->stop - segment->offset;

    running[i] = (gdouble)segment->base - (gdouble)origin / segment->rate;
    stream[i] = (gdouble)segment->time - (gdouble)segment->start * segment->applied_rate;
  }
  direction = right->rate * right->applied_rate < 0 ? -1 : 1;
  begin = (gdouble)(right->rate < 0 ? right->stop : right->start);
  return left->rate == right->rate && left->applied_rate == right->applied_rate
         && ((is_small_jump (running[1] - running[0], direction * (stream[1] - stream[0]))
              && fabs ((running[1] - running[0]) * right->rate * right->applied_rate - (stream[1] - stream[0]))
                     < GST_MSECOND + 1)
             || (running_end >= 0 && begin < 0x1p63
                 && is_small_jump (running[1] + begin / right->rate - running_end + GST_MSECOND,
                                   direction * (stream[1] + begin * right->applied_rate - stream_end) + GST_MSECOND)));
}

static void
set_kind (Journal *journal, GstCaps *caps)
{
  Kind *kind = g_new0 (Kind, 1);

  g_atomic_ref_count_init (&kind->ref_count);
  kind->is_video = caps != NULL && gst_structure_has_name (gst_caps_get_structure (caps, 0), "video/x-raw");
  if (kind->is_video)
    JOURNAL_REQUIRE (gst_video_info_from_caps (&kind->info, caps), "caps that are not video");
  g_clear_pointer (&journal->kind, unref_kind);
  journal->kind = kind;
}

/* After a flush the element states its number of frames: some of those on their way may not have arrived, as they may not have
 * arrived in `identity`. */
static void
settle_flush (Journal *journal)
{
  g_autoptr (GstStructure) stats = get_stats (journal->element);
  guint64 frames_in = read_count (stats, "frames-in");
  guint on_the_way = g_queue_get_length (&journal->passages);

  JOURNAL_REQUIRE (frames_in <= journal->next_index && journal->next_index - frames_in <= on_the_way,
                   "%" G_GUINT64_FORMAT
                   " frames went in, %u of them on their way at a flush, and frames-in is %" G_GUINT64_FORMAT,
                   journal->next_index, on_the_way, frames_in);
  while (journal->next_index > frames_in) {
    Entry *last = g_queue_pop_tail (&journal->entries);

    mark (journal, last->marks);
    free_entry (last);
    journal->next_index--;
  }
  journal->n_on_the_way += on_the_way;
  g_queue_clear_full (&journal->passages, g_free);
}

static void
take_event (Journal *journal, GstEvent *event)
{
  const GstSegment *segment;
  GstCaps *caps;

  switch (GST_EVENT_TYPE (event)) {
  case GST_EVENT_STREAM_START:
    mark (journal, MARK_STREAM_START);
    journal->next_offset = 0;
    journal->running_end = -1;
    break;
  case GST_EVENT_EOS:
    mark (journal, MARK_EOS);
    break;
  case GST_EVENT_SEGMENT_DONE:
    mark (journal, MARK_SEGMENT_DONE);
    break;
  case GST_EVENT_FLUSH_START:
    journal->has_flushed = TRUE;
    break;
  case GST_EVENT_FLUSH_STOP:
    journal->has_flushed = TRUE;
    settle_flush (journal);
    mark (journal, MARK_FLUSH);
    journal->next_offset = 0;
    gst_segment_init (&journal->segment, GST_FORMAT_UNDEFINED);
    journal->running_end = -1;
    g_mutex_lock (&totals_lock);
    totals.flushes++;
    g_mutex_unlock (&totals_lock);
    break;
  case GST_EVENT_CAPS:
    gst_event_parse_caps (event, &caps);
    if (journal->caps != NULL && gst_caps_is_equal (caps, journal->caps))
      break;
    mark (journal, MARK_CAPS);
    gst_caps_replace (&journal->caps, caps);
    set_kind (journal, caps);
    g_mutex_lock (&totals_lock);
    totals.caps_changes++;
    g_mutex_unlock (&totals_lock);
    break;
  case GST_EVENT_SEGMENT:
    gst_event_parse_segment (event, &segment);
    if (journal->segment.format == GST_FORMAT_UNDEFINED
        || !continues (&journal->segment, segment, journal->running_end, journal->stream_end, journal->next_offset)) {
      mark (journal, MARK_SEGMENT);
      journal->running_end = -1;
    }
    journal->segment = *segment;
    break;
  default:
    break;
  }
}

/* Whether a buffer of video will be in no result: it is smaller than its caps require, or has a frame in each of several
 * memories. The latter occurs if caps were lost in a flush and frames are larger than before. */
static gboolean
is_to_be_skipped (const Kind *kind, GstBuffer *buffer)
{
  guint count = gst_buffer_n_memory (buffer), whole = 0;

  if (!kind->is_video)
    return FALSE;
  for (guint i = 0; i < count; i++)
    whole += gst_buffer_peek_memory (buffer, i)->size >= GST_VIDEO_INFO_SIZE (&kind->info);
  return gst_buffer_get_size (buffer) < GST_VIDEO_INFO_SIZE (&kind->info) || (count > 1 && whole == count);
}

/* Returns the end of the buffer or, if the segment runs back, its beginning. */
static void
note_end (Journal *journal, const Entry *entry)
{
  const GstSegment *segment = &journal->segment;
  const gdouble duration = segment->rate < 0 ? 0 : (gdouble)entry->times.duration;

  journal->running_end = -1;
  if (!GST_CLOCK_TIME_IS_VALID (entry->times.running_time) || !GST_CLOCK_TIME_IS_VALID (entry->running_duration)
      || !GST_CLOCK_TIME_IS_VALID (entry->times.stream_time))
    return;
  journal->running_end = (gdouble)entry->times.running_time + duration / ABS (segment->rate);
  journal->stream_end = (gdouble)entry->times.stream_time + duration * segment->applied_rate;
}

static void
take_buffer (Journal *journal, GstBuffer *buffer)
{
  Entry *entry = g_new0 (Entry, 1);
  Passage *passage = g_new0 (Passage, 1);
  const GstSegment *segment = &journal->segment;
  GstMapInfo map;

  if (!g_queue_is_empty (&journal->passages)) {
    JOURNAL_REQUIRE (journal->has_flushed || g_atomic_int_get (&journal->is_stopping),
                     "buffer %" G_GUINT64_FORMAT " never came out", journal->next_index - 1);
    journal->n_on_the_way += g_queue_get_length (&journal->passages);
  }
  if (journal->kind == NULL)
    set_kind (journal, NULL);

  passage->is_writable = gst_buffer_is_writable (buffer);
  passage->is_memory_writable = gst_buffer_is_all_memory_writable (buffer);
  passage->n_memory = gst_buffer_n_memory (buffer);
  gst_buffer_ref (buffer); /* otherwise mapping several memories would merge them */
  JOURNAL_REQUIRE (gst_buffer_map (buffer, &map, GST_MAP_READ), "a buffer that cannot be read");
  entry->kind = journal->kind;
  g_atomic_ref_count_inc (&entry->kind->ref_count);
  entry->index = journal->next_index++;
  entry->size = map.size;
  entry->data = g_memdup2 (map.data, map.size);
  entry->is_short = is_to_be_skipped (entry->kind, buffer);
  entry->is_discont = GST_BUFFER_IS_DISCONT (buffer);
  entry->times = (Times){ GST_BUFFER_PTS (buffer), GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE, GST_BUFFER_DURATION (buffer) };
  entry->running_duration = GST_CLOCK_TIME_NONE;
  if (segment->format == GST_FORMAT_TIME && GST_BUFFER_PTS_IS_VALID (buffer)) {
    entry->times.stream_time = gst_segment_to_stream_time (segment, GST_FORMAT_TIME, GST_BUFFER_PTS (buffer));
    entry->times.running_time = gst_segment_to_running_time (segment, GST_FORMAT_TIME, GST_BUFFER_PTS (buffer));
    if (GST_BUFFER_DURATION_IS_VALID (buffer))
      entry->running_duration = (GstClockTime)((gdouble)GST_BUFFER_DURATION (buffer) / ABS (segment->rate));
  }
  note_end (journal, entry);
  if (segment->format == GST_FORMAT_BYTES && GST_BUFFER_OFFSET_IS_VALID (buffer))
    journal->next_offset = GST_BUFFER_OFFSET (buffer);
  entry->offset = journal->next_offset;
  journal->next_offset += map.size;

  passage->buffer = buffer;
  passage->memory = gst_buffer_n_memory (buffer) > 0 ? gst_buffer_peek_memory (buffer, 0) : NULL;
  passage->pts = GST_BUFFER_PTS (buffer);
  passage->dts = GST_BUFFER_DTS (buffer);
  passage->duration = GST_BUFFER_DURATION (buffer);
  passage->offset = GST_BUFFER_OFFSET (buffer);
  passage->flags = GST_BUFFER_FLAGS (buffer) & ~(guint)GST_BUFFER_FLAG_TAG_MEMORY;
  passage->size = map.size;
  passage->checksum = checksum (map.data, map.size);
  gst_buffer_unmap (buffer, &map);
  gst_buffer_unref (buffer);

  journal->has_flushed = FALSE;
  g_queue_push_tail (&journal->passages, passage);
  g_queue_push_tail (&journal->entries, entry);
}

static GstPadProbeReturn
watch_input (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info, gpointer data)
{
  Journal *journal = data;

  g_mutex_lock (&journal->lock);
  if ((info->type & GST_PAD_PROBE_TYPE_BUFFER) != 0)
    take_buffer (journal, GST_PAD_PROBE_INFO_BUFFER (info));
  else if ((info->type & GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM) != 0)
    mark (journal, GST_QUERY_TYPE (GST_PAD_PROBE_INFO_QUERY (info)) == GST_QUERY_DRAIN ? MARK_DRAIN : 0);
  else if ((info->type & GST_PAD_PROBE_TYPE_BUFFER_LIST) != 0)
    journal_fail ("a list of buffers");
  else
    take_event (journal, GST_PAD_PROBE_INFO_EVENT (info));
  g_mutex_unlock (&journal->lock);
  return GST_PAD_PROBE_OK;
}

/* ---- what comes out ---------------------------------------------------------------------------------------------- */

/* Whether downstream may find a buffer in use: if the user allows it, or a GPU counts. */
static gboolean
may_be_held (Journal *journal)
{

  if (journal->promises.may_hold)
    return TRUE;
  g_autoptr (GstStructure) stats = get_stats (journal->element);
  return g_strcmp0 (gst_structure_get_string (stats, "backend"), "cuda") == 0;
}

static void
compare_buffer (Journal *journal, const Passage *passage, GstBuffer *buffer)
{
  const GstMemory *memory = gst_buffer_n_memory (buffer) > 0 ? gst_buffer_peek_memory (buffer, 0) : NULL;
  guint flags = GST_BUFFER_FLAGS (buffer) & ~(guint)GST_BUFFER_FLAG_TAG_MEMORY;
  guint64 index = journal->next_index - 1;
  gboolean is_writable, is_memory_writable;
  GstMapInfo map;

  JOURNAL_REQUIRE (journal->adds_meta || buffer == passage->buffer, "frame %" G_GUINT64_FORMAT " came out as another buffer",
                   index);
  JOURNAL_REQUIRE (memory == passage->memory || gst_buffer_n_memory (buffer) != passage->n_memory,
                   "frame %" G_GUINT64_FORMAT " came out in other memory", index);
  JOURNAL_REQUIRE (GST_BUFFER_PTS (buffer) == passage->pts && GST_BUFFER_DTS (buffer) == passage->dts
                       && GST_BUFFER_DURATION (buffer) == passage->duration && GST_BUFFER_OFFSET (buffer) == passage->offset,
                   "frame %" G_GUINT64_FORMAT " came out with other times", index);
  JOURNAL_REQUIRE (flags == passage->flags, "frame %" G_GUINT64_FORMAT " came in with flags 0x%x and out with 0x%x", index,
                   passage->flags, flags);
  JOURNAL_REQUIRE (gst_buffer_n_memory (buffer) == passage->n_memory || (journal->adds_meta && passage->size == 0),
                   "frame %" G_GUINT64_FORMAT " came out in %u memories, not %u", index, gst_buffer_n_memory (buffer),
                   passage->n_memory);
  is_writable = gst_buffer_is_writable (buffer);
  is_memory_writable = gst_buffer_is_all_memory_writable (buffer);
  gst_buffer_ref (buffer);
  JOURNAL_REQUIRE (gst_buffer_map (buffer, &map, GST_MAP_READ), "a buffer that cannot be read came out");
  JOURNAL_REQUIRE (map.size == passage->size && checksum (map.data, map.size) == passage->checksum,
                   "frame %" G_GUINT64_FORMAT " was changed", index);
  gst_buffer_unmap (buffer, &map);
  gst_buffer_unref (buffer);
  JOURNAL_REQUIRE (!passage->is_writable || is_writable || may_be_held (journal),
                   "frame %" G_GUINT64_FORMAT " of %s was writable and is not any more (%u references)", index,
                   GST_OBJECT_NAME (journal->element), GST_MINI_OBJECT_REFCOUNT_VALUE (buffer));
  JOURNAL_REQUIRE (!passage->is_memory_writable || is_memory_writable || may_be_held (journal),
                   "the memory of frame %" G_GUINT64_FORMAT " was writable and is not any more", index);
}

static void
take_metas (Journal *journal, GstBuffer *buffer)
{
  gpointer state = NULL;
  GstMeta *meta;

  while ((meta = gst_buffer_iterate_meta (buffer, &state)) != NULL) {
    const GstStructure *structure;

    if (!gst_meta_info_is_custom (meta->info) || !gst_custom_meta_has_name ((GstCustomMeta *)meta, "GstCudaHistoMeta"))
      continue;
    structure = gst_custom_meta_get_structure ((GstCustomMeta *)meta);
    if (g_strcmp0 (gst_structure_get_string (structure, "element"), GST_OBJECT_NAME (journal->element)) == 0) {
      Claim *claim = read_structure (structure);

      JOURNAL_REQUIRE (claim->frame + claim->frames == journal->next_index || !journal->promises.frames_are_complete,
                       "a meta of frames %" G_GUINT64_FORMAT " + %" G_GUINT64_FORMAT " is on buffer %" G_GUINT64_FORMAT,
                       claim->frame, claim->frames, journal->next_index - 1);
      g_queue_push_tail (&journal->metas, claim);
    }
  }
}

static GstPadProbeReturn
watch_output (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info, gpointer data)
{
  Journal *journal = data;
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  g_autofree Passage *passage = NULL;

  g_mutex_lock (&journal->lock);
  passage = g_queue_pop_head (&journal->passages);
  JOURNAL_REQUIRE (passage != NULL, "a buffer came out that had not gone in");
  compare_buffer (journal, passage, buffer);
  journal->n_out++;
  if (journal->adds_meta)
    take_metas (journal, buffer);
  g_mutex_unlock (&journal->lock);
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
watch_events_out (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info, gpointer data)
{
  Journal *journal = data;

  g_mutex_lock (&journal->lock);
  if (GST_EVENT_IS_STICKY (GST_PAD_PROBE_INFO_EVENT (info)))
    journal->n_events_out++;
  g_mutex_unlock (&journal->lock);
  return GST_PAD_PROBE_OK;
}

/* The element's own chain function, and its return values: an error always has a message, and is never the effect of a flush or
 * a stop.
 *
 * Errors after a buffer has left the element come from downstream. `identity` in its place returns the same:
 *
 * - NOT_NEGOTIATED of a buffer: if input-selector changes its input during a flush, the caps are lost upstream of the element,
 *   and a filter of video gets a frame without caps, or with others.
 * - During a flush or a stop, any error, of a sticky event: in each GstBaseTransform the source pad begins to flush after the
 *   sink pad has accepted an event, or is stopped before it. The event is then refused without a reason, which GStreamer treats
 *   as NOT_NEGOTIATED for CAPS, otherwise as ERROR. */
static GstFlowReturn
watch_chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  Journal *journal = g_object_get_data (G_OBJECT (pad), "journal");
  gboolean has_buffer_left, has_event_left, is_interrupted, is_passed_on;
  guint64 n_out, n_events_out;
  GstFlowReturn flow;

  g_mutex_lock (&journal->lock);
  n_out = journal->n_out;
  n_events_out = journal->n_events_out;
  g_mutex_unlock (&journal->lock);
  flow = journal->chain (pad, parent, buffer);
  g_mutex_lock (&journal->lock);
  has_buffer_left = journal->n_out == n_out + 1;
  has_event_left = journal->n_events_out > n_events_out;
  is_interrupted = journal->has_flushed || g_atomic_int_get (&journal->is_stopping);
  g_mutex_unlock (&journal->lock);
  is_passed_on
      = (has_buffer_left && flow == GST_FLOW_NOT_NEGOTIATED) || ((has_buffer_left || has_event_left) && is_interrupted);
  JOURNAL_REQUIRE (flow >= GST_FLOW_EOS || is_passed_on || journal->promises.may_fail, "%s returned %s",
                   GST_OBJECT_NAME (parent), gst_flow_get_name (flow));
  return flow;
}

/* The element's own event function. It refuses no sticky event, since upstream would make that an error of the stream. Only EOS
 * may be refused, by downstream: a pad reports no other refusal. */
static GstFlowReturn
watch_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  Journal *journal = g_object_get_data (G_OBJECT (pad), "journal");
  const GstEventType type = GST_EVENT_TYPE (event);
  gboolean may_be_refused = (type & GST_EVENT_TYPE_STICKY) == 0 || type == GST_EVENT_EOS;
  GstFlowReturn flow = journal->receive_event (pad, parent, event);

  JOURNAL_REQUIRE (flow >= GST_FLOW_EOS || may_be_refused, "%s returned %s of %s", GST_OBJECT_NAME (parent),
                   gst_flow_get_name (flow), gst_event_type_get_name (type));
  return flow;
}

void
journal_take_message (Journal *journal, GstMessage *message)
{
  g_mutex_lock (&journal->lock);
  if (gst_message_has_name (message, "cudahisto")) {
    g_queue_push_tail (&journal->messages, read_structure (gst_message_get_structure (message)));
    journal->n_messages++;
  }
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING)
    journal->n_warnings++;
  g_mutex_unlock (&journal->lock);
}

/* ---- the numbers, counted again ---------------------------------------------------------------------------------- */

static guint
get_component_count (const Kind *kind)
{
  return kind->is_video ? GST_VIDEO_INFO_N_COMPONENTS (&kind->info) : 1;
}

static const gchar *
get_component_name (const Kind *kind, guint c)
{
  static const gchar *const yuv[] = { "Y", "U", "V", "A" }, *const rgb[] = { "R", "G", "B", "A" };

  if (!kind->is_video)
    return "byte";
  if (GST_VIDEO_INFO_IS_GRAY (&kind->info))
    return "GRAY";
  return GST_VIDEO_INFO_IS_RGB (&kind->info) ? rgb[c] : yuv[c];
}

static guint
get_depth (const Kind *kind, guint c)
{
  return kind->is_video ? (guint)GST_VIDEO_INFO_COMP_DEPTH (&kind->info, c) : 8;
}

typedef struct {
  guint64 count, sum, sum_of_squares, dot, dot_count;
  guint64 first_dot, first_dot_count; /* of them: of the first frame, which may have no operand */
} Recount;

/* Reads a sample of a frame that matches its caps. */
static guint
get_sample (const GstVideoInfo *info, guint c, const guint8 *data, gint x, gint y)
{
  guint depth = (guint)GST_VIDEO_INFO_COMP_DEPTH (info, c);
  gint offset = GST_VIDEO_INFO_COMP_POFFSET (info, c);
  const guint8 *sample;

  if (depth > 8 && offset % 2 == 1) /* GStreamer's table counts V of P010 in samples */
    offset *= 2;
  sample = data + GST_VIDEO_INFO_PLANE_OFFSET (info, GST_VIDEO_INFO_COMP_PLANE (info, c))
           + (gsize)y * GST_VIDEO_INFO_COMP_STRIDE (info, c) + offset + (gsize)x * GST_VIDEO_INFO_COMP_PSTRIDE (info, c);
  if (depth == 8)
    return *sample;
  return (GST_READ_UINT16_LE (sample) >> info->finfo->shift[c]) & ((1u << depth) - 1);
}

static void
recount_sample (Recount *recount, guint64 *bins, guint sample)
{
  recount->count++;
  recount->sum += sample;
  recount->sum_of_squares += (guint64)sample * sample;
  bins[sample]++;
}

/* Adds a frame and, if `operand` is not NULL, its dot product. */
static void
recount_frame (Recount *recounts, const Entry *entry, const Entry *operand, gboolean is_uncertain)
{
  const GstVideoInfo *info = &entry->kind->info;

  for (guint c = 0; c < get_component_count (entry->kind); c++) {
    gint width = entry->kind->is_video ? GST_VIDEO_INFO_COMP_WIDTH (info, c) : (gint)entry->size;
    gint height = entry->kind->is_video ? GST_VIDEO_INFO_COMP_HEIGHT (info, c) : 1;
    guint64 dot = 0;

    for (gint y = 0; y < height; y++)
      for (gint x = 0; x < width; x++) {
        guint sample = entry->kind->is_video ? get_sample (info, c, entry->data, x, y) : entry->data[x];

        recount_sample (&recounts[c], scratch[c], sample);
        if (operand != NULL)
          dot += (guint64)sample * (entry->kind->is_video ? get_sample (info, c, operand->data, x, y) : operand->data[x]);
      }
    if (operand != NULL) {
      recounts[c].dot += dot;
      recounts[c].dot_count += (guint64)width * (guint64)height;
      if (is_uncertain) {
        recounts[c].first_dot = dot;
        recounts[c].first_dot_count = (guint64)width * (guint64)height;
      }
    }
  }
}

/* Returns the smallest value whose cumulative count reaches the rounded fraction of all samples, and at least 1. */
static guint
find_rank (const guint64 *bins, guint64 count, gdouble share)
{
  guint64 wanted = (guint64)MAX (1, llrint ((gdouble)count * share));
  guint64 seen = 0;
  guint value = 0;

  while ((seen += bins[value]) < wanted)
    value++;
  return value;
}

static void
check_claimed_component (const Claim *claim, const ComponentClaim *component, const Recount *recount, const guint64 *bins,
                         guint depth)
{
  const guint n_native = 1u << depth;
  const gchar *name = component->name;
  guint shift, min = 0, max = n_native - 1;

#define MUST_BE(field, expected)                                                                               \
  JOURNAL_REQUIRE ((guint64)component->field == (guint64)(expected),                                           \
                   "frames %" G_GUINT64_FORMAT " + %" G_GUINT64_FORMAT ", %s-" #field " is %" G_GUINT64_FORMAT \
                   ", not %" G_GUINT64_FORMAT,                                                                 \
                   claim->frame, claim->frames, name, (guint64)component->field, (guint64)(expected))
  MUST_BE (count, recount->count);
  MUST_BE (sum, recount->sum);
  MUST_BE (sum_of_squares, recount->sum_of_squares);
  if (recount->count > 0) {
    while (bins[min] == 0)
      min++;
    while (bins[max] == 0)
      max--;
    MUST_BE (min, min);
    MUST_BE (max, max);
    MUST_BE (low, find_rank (bins, recount->count, 0.10));
    MUST_BE (median, find_rank (bins, recount->count, 0.50));
    MUST_BE (high, find_rank (bins, recount->count, 0.90));
  }
  if (component->bins != NULL) {
    JOURNAL_REQUIRE (component->n_bins == 256 || component->n_bins == n_native, "%s has %u counters", name, component->n_bins);
    shift = component->n_bins == n_native ? 0 : depth - 8;
    for (guint bin = 0; bin < component->n_bins; bin++) {
      guint64 expected = 0;

      for (guint value = bin << shift; value < (bin + 1) << shift; value++)
        expected += bins[value];
      JOURNAL_REQUIRE (component->bins[bin] == expected,
                       "frame %" G_GUINT64_FORMAT ": %s-histogram[%u] is %" G_GUINT64_FORMAT ", not %" G_GUINT64_FORMAT,
                       claim->frame, name, bin, component->bins[bin], expected);
    }
  }
  /* The operand may have been dropped: both are right. */
  if (component->dot_count == recount->dot_count - recount->first_dot_count && recount->first_dot_count > 0) {
    MUST_BE (dot, recount->dot - recount->first_dot);
  } else {
    MUST_BE (dot_count, recount->dot_count);
    MUST_BE (dot, recount->dot);
  }
  JOURNAL_REQUIRE (component->has_dot == (component->dot_count > 0), "%s-dot without an operand", name);
  if (component->has_dot) {
    g_mutex_lock (&totals_lock);
    totals.dots++;
    g_mutex_unlock (&totals_lock);
  }
#undef MUST_BE
}

static void
check_claimed_numbers (const Claim *claim, const Kind *kind, const Recount *recounts)
{
  /* The result of an empty window has all components, with counts of 0. */
  JOURNAL_REQUIRE (claim->n_components == get_component_count (kind), "%u components, not %u", claim->n_components,
                   get_component_count (kind));
  for (guint c = 0; c < claim->n_components; c++) {
    const gchar *name = get_component_name (kind, c);
    const ComponentClaim *component = NULL;

    for (guint i = 0; i < claim->n_components; i++)
      if (strcmp (claim->components[i].name, name) == 0)
        component = &claim->components[i];
    JOURNAL_REQUIRE (component != NULL, "no component %s", name);
    check_claimed_component (claim, component, &recounts[c], scratch[c], get_depth (kind, c));
  }
  JOURNAL_REQUIRE (g_strcmp0 (claim->format, kind->is_video ? GST_VIDEO_INFO_NAME (&kind->info) : "bytes") == 0,
                   "a result of %s", claim->format);
}

/* ---- which frames a result claims -------------------------------------------------------------------------------- */

/* Removes the first entry, which is accounted for. */
static void
leave_entry (Journal *journal)
{
  Entry *entry = g_queue_pop_head (&journal->entries);

  if (journal->previous != NULL)
    free_entry (journal->previous);
  journal->previous = entry;
  journal->claimed_bytes = 0;
}

/* Accounts for all frames before `end` that are in no result: short frames are skipped, and others have to be discarded. */
static void
leave_unclaimed (Journal *journal, guint64 end)
{
  guint64 doomed = 0;
  Entry *entry;

  while ((entry = g_queue_peek_head (&journal->entries)) != NULL && entry->index < end) {
    if (entry->is_short)
      journal->skipped++;
    else
      doomed++;
    entry->is_short = TRUE; /* it is no operand */
    if ((entry->marks & MARK_FLUSH) != 0) {
      journal->discarded += doomed;
      doomed = 0;
    }
    leave_entry (journal);
  }
  if (doomed > 0 && end == G_MAXUINT64 && journal->has_flushed) { /* the stop came before the end of the flush */
    journal->discarded += doomed;
    doomed = 0;
  }
  if (doomed > 0 && journal->promises.may_skip) {
    journal->skipped += doomed;
    doomed = 0;
  }
  if (doomed > 0) {
    GstStructure *stats = get_stats (journal->element);

    journal_fail ("%" G_GUINT64_FORMAT " frames before frame %" G_GUINT64_FORMAT " (of %" G_GUINT64_FORMAT
                  ") are in no result of %s: %s",
                  doomed, end, journal->next_index, GST_OBJECT_NAME (journal->element), gst_structure_to_string (stats));
  }
}

/* Returns the operand of an entry after `previous`, or NULL. *is_uncertain: it may have been dropped. */
static const Entry *
find_operand (const Journal *journal, const Entry *entry, const Entry *previous, gboolean *is_uncertain)
{
  *is_uncertain = FALSE;
  if (!journal->uses_dot || previous == NULL || previous->index + 1 != entry->index || previous->is_short || entry->is_discont
      || previous->kind != entry->kind || (previous->marks & (MARK_CAPS | MARK_FLUSH | MARK_DRAIN)) != 0)
    return NULL;
  if (!entry->kind->is_video && (journal->window != 1 || entry->size != previous->size || entry->size == 0))
    return NULL;
  *is_uncertain = (previous->marks & ENDING_MARKS) != 0;
  return previous;
}

/* Returns the allowed reasons for a window's end. `marks`: of the last frame and of the short ones after it. */
static void
check_end (const Journal *journal, const Claim *claim, const Kind *kind G_GNUC_UNUSED, gboolean is_complete, guint marks)
{
  static const struct {
    const gchar *reason;
    guint mark;
  } reasons[] = {
    { "eos", MARK_EOS },
    { "stop", MARK_STOP },
    { "caps", MARK_CAPS },
    { "segment", MARK_SEGMENT },
    { "stream-start", MARK_STREAM_START },
    { "segment-done", MARK_SEGMENT_DONE },
  };
  gboolean is_known = FALSE;

  JOURNAL_REQUIRE (claim->ended_by != NULL, "a result does not say why it ended");
  if (strcmp (claim->ended_by, "complete") == 0) {
    JOURNAL_REQUIRE (is_complete || !journal->promises.windows_are_fixed,
                     "the window of frames %" G_GUINT64_FORMAT " + %" G_GUINT64_FORMAT " is not complete", claim->frame,
                     claim->frames);
    return;
  }
  if (strcmp (claim->ended_by, "regions") == 0 && !journal->promises.windows_are_fixed)
    return;
  for (guint i = 0; i < G_N_ELEMENTS (reasons); i++)
    if (strcmp (claim->ended_by, reasons[i].reason) == 0) {
      is_known = TRUE;
      JOURNAL_REQUIRE ((marks & reasons[i].mark) != 0,
                       "the window of frames %" G_GUINT64_FORMAT " + %" G_GUINT64_FORMAT " ended by %s, and there was none",
                       claim->frame, claim->frames, claim->ended_by);
    }
  JOURNAL_REQUIRE (is_known, "a window ended by %s", claim->ended_by);
}

/* Marks after short frames at the head of the queue are also after the frame before them. */
static guint
gather_marks (const Journal *journal, guint marks)
{
  for (GList *link = journal->entries.head; link != NULL && ((const Entry *)link->data)->is_short; link = link->next)
    marks |= ((const Entry *)link->data)->marks;
  if (g_atomic_int_get (&journal->is_stopping))
    marks |= MARK_STOP;
  return marks;
}

static gboolean
interval_is_over (const Journal *journal, GstClockTime start, const Entry *last)
{
  GstClockTime end = last->times.running_time;

  if (journal->interval == 0)
    return TRUE;
  if (!GST_CLOCK_TIME_IS_VALID (start) || !GST_CLOCK_TIME_IS_VALID (end))
    return TRUE; /* then the interval is unknown */
  if (GST_CLOCK_TIME_IS_VALID (last->running_duration))
    end += last->running_duration;
  return end < start || end - start >= journal->interval - 1;
}

static void
clear_scratch (const Kind *kind)
{
  for (guint c = 0; c < get_component_count (kind); c++)
    memset (scratch[c], 0, sizeof (guint64) << get_depth (kind, c));
}

/* Adds a frame to the times of a window. Its duration is unknown if frames are not in order. */
static void
add_times (Times *window, const Times *frame, GstClockTime *last)
{
  if (!GST_CLOCK_TIME_IS_VALID (*last))
    *window = *frame;
  else if (frame->timestamp >= *last && GST_CLOCK_TIME_IS_VALID (frame->duration) && GST_CLOCK_TIME_IS_VALID (window->duration))
    window->duration = frame->timestamp + frame->duration - window->timestamp;
  else
    window->duration = GST_CLOCK_TIME_NONE;
  *last = frame->timestamp;
}

static void
check_times_of_claim (const Claim *claim, const Times *expected)
{
  const GstClockTime has[]
      = { claim->times.timestamp, claim->times.stream_time, claim->times.running_time, claim->times.duration };
  const GstClockTime wants[] = { expected->timestamp, expected->stream_time, expected->running_time, expected->duration };
  static const gchar *const names[] = { "timestamp", "stream-time", "running-time", "duration" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    JOURNAL_REQUIRE (has[i] == wants[i],
                     "frames %" G_GUINT64_FORMAT " + %" G_GUINT64_FORMAT ", %s is %" G_GUINT64_FORMAT
                     ", not %" G_GUINT64_FORMAT,
                     claim->frame, claim->frames, names[i], has[i], wants[i]);
}

static void
check_video_claim (Journal *journal, const Claim *claim)
{
  Recount recounts[MAX_COMPONENTS] = { { 0 } };
  guint64 taken = 0;
  guint marks = 0;
  gboolean is_complete = FALSE, was_complete = FALSE;
  GstClockTime start = GST_CLOCK_TIME_NONE, last = GST_CLOCK_TIME_NONE;
  Times times = { 0 };
  Kind *kind = NULL;

  while (taken < claim->frames) {
    Entry *entry = g_queue_peek_head (&journal->entries);
    gboolean is_uncertain;
    const Entry *operand;

    JOURNAL_REQUIRE (entry != NULL,
                     "a result claims frames %" G_GUINT64_FORMAT " + %" G_GUINT64_FORMAT ", and there are not as many",
                     claim->frame, claim->frames);
    if (taken == 0)
      JOURNAL_REQUIRE (entry->index == claim->frame && !entry->is_short, "a result begins with frame %" G_GUINT64_FORMAT,
                       claim->frame);
    JOURNAL_REQUIRE ((marks & ENDING_MARKS) == 0,
                     "the window of frames %" G_GUINT64_FORMAT " + %" G_GUINT64_FORMAT " goes over its end (0x%x)",
                     claim->frame, claim->frames, marks);
    if (entry->is_short) {
      marks |= entry->marks;
      journal->skipped++;
      leave_entry (journal);
      continue;
    }
    JOURNAL_REQUIRE (!was_complete || !journal->promises.windows_are_fixed,
                     "a window of %" G_GUINT64_FORMAT " frames is too long", claim->frames);
    if (kind == NULL) {
      kind = entry->kind;
      g_atomic_ref_count_inc (&kind->ref_count);
      clear_scratch (kind);
      start = entry->times.running_time;
    }
    operand = find_operand (journal, entry, journal->previous, &is_uncertain);
    recount_frame (recounts, entry, operand, is_uncertain);
    add_times (&times, &entry->times, &last);
    is_complete = journal->window != 2 && interval_is_over (journal, start, entry);
    was_complete = is_complete
                   && (journal->interval == 0
                       || (GST_CLOCK_TIME_IS_VALID (start) && entry->times.running_time >= start
                           && GST_CLOCK_TIME_IS_VALID (entry->times.running_time)));
    marks |= entry->marks;
    taken++;
    journal->reported++;
    leave_entry (journal);
  }
  marks = gather_marks (journal, marks);
  if (kind == NULL)
    journal_fail ("a result of no frames");
  check_claimed_numbers (claim, kind, recounts);
  if (journal->promises.frames_are_complete)
    check_times_of_claim (claim, &times);
  check_end (journal, claim, kind, is_complete, marks);
  unref_kind (kind);
}

static void
check_byte_claim (Journal *journal, const Claim *claim)
{
  Recount recount = { 0 };
  guint64 size = 0;
  guint marks = 0;
  gboolean ends_buffer = FALSE;
  Kind *kind = NULL;

  for (guint64 taken = 0; taken < claim->frames; taken++) {
    Entry *entry = g_queue_peek_head (&journal->entries);
    gboolean is_uncertain;
    gsize piece;

    JOURNAL_REQUIRE (entry != NULL && !entry->kind->is_video, "a result claims buffers that never came");
    JOURNAL_REQUIRE ((marks & ENDING_MARKS) == 0, "a window goes over its end (0x%x)", marks);
    if (taken == 0) {
      JOURNAL_REQUIRE (entry->index == claim->frame && entry->offset + journal->claimed_bytes == claim->offset,
                       "a result begins with buffer %" G_GUINT64_FORMAT " at %" G_GUINT64_FORMAT ", not %" G_GUINT64_FORMAT
                       " at %" G_GUINT64_FORMAT,
                       claim->frame, claim->offset, entry->index, entry->offset + journal->claimed_bytes);
      kind = entry->kind;
      g_atomic_ref_count_inc (&kind->ref_count);
      clear_scratch (kind);
    }
    piece = (gsize)MIN (entry->size - journal->claimed_bytes, claim->size - size);
    for (gsize i = 0; i < piece; i++)
      recount_sample (&recount, scratch[0], entry->data[journal->claimed_bytes + i]);
    if (piece == entry->size) {
      const Entry *operand = find_operand (journal, entry, journal->previous, &is_uncertain);

      for (gsize i = 0; operand != NULL && i < piece; i++)
        recount.dot += (guint64)entry->data[i] * operand->data[i];
      recount.dot_count += operand != NULL ? piece : 0;
      if (operand != NULL && is_uncertain) {
        recount.first_dot = recount.dot;
        recount.first_dot_count = piece;
      }
    }
    size += piece;
    journal->claimed_bytes += piece;
    ends_buffer = journal->claimed_bytes == entry->size;
    if (ends_buffer) {
      marks |= entry->marks;
      journal->reported++;
      leave_entry (journal);
    } else {
      JOURNAL_REQUIRE (taken + 1 == claim->frames, "a result leaves a part of a buffer out");
    }
  }
  JOURNAL_REQUIRE (kind != NULL && size == claim->size,
                   "a result claims %" G_GUINT64_FORMAT " bytes of %" G_GUINT64_FORMAT
                   " buffers, which have %" G_GUINT64_FORMAT,
                   claim->size, claim->frames, size);
  if (recount.count > 0 || claim->n_components > 0)
    check_claimed_numbers (claim, kind, &recount);
  check_end (journal, claim, kind,
             ((journal->window == 1 || (journal->window == 0 && journal->interval > 0)) && ends_buffer)
                 || (journal->window == 3 && size > 0 && size % journal->window_size == 0),
             gather_marks (journal, marks));
  unref_kind (kind);
}

/* Checks the next result: accounts for everything before it, then for its frames. */
static void
check_claim (Journal *journal, const Claim *claim)
{
  leave_unclaimed (journal, claim->frame);
  if (g_strcmp0 (claim->format, "bytes") == 0) {
    Entry *entry = g_queue_peek_head (&journal->entries);

    /* The rest of a buffer whose beginning is in a window and whose end was flushed. */
    if (entry != NULL && journal->claimed_bytes > 0 && entry->index < claim->frame)
      leave_unclaimed (journal, entry->index + 1);
    check_byte_claim (journal, claim);
  } else {
    check_video_claim (journal, claim);
  }
  journal->n_results++;
  if (strcmp (claim->ended_by, "complete") == 0)
    journal->n_complete++;
}

/* A meta equals a message or a line of the same result. */
static void
check_metas (Journal *journal, GList *claims)
{
  Claim *meta;

  while ((meta = g_queue_peek_head (&journal->metas)) != NULL) {
    while (claims != NULL && ((Claim *)claims->data)->frame < meta->frame) {
      if (strcmp (((Claim *)claims->data)->ended_by, "complete") == 0)
        journal->without_meta = ((Claim *)claims->data)->frame;
      claims = claims->next;
    }
    if (claims == NULL)
      return;
    compare_claims (meta, claims->data, "a meta");
    journal->n_metas++;
    claims = claims->next;
    free_claim (g_queue_pop_head (&journal->metas));
  }
}

/* ---- the sidecar ------------------------------------------------------------------------------------------------- */

/* The journal's mark in a sidecar that it has read. The element empties the file before its first line, unless the file was
 * renamed: then its lines follow the mark. */
#define LINE_READ "{\"cudahisto\":1,\"element\":\"journal\"}\n"

/* Of an event. */
#define EVENT_BEGIN "{\"cudahisto\":1,\"event\":"

/* Adds the lines of results to `claims`. Returns the number of other lines. */
static guint
read_sidecar_file (const gchar *path, gboolean is_renamed, GQueue *claims)
{
  guint events = 0;
  gchar *contents = NULL, *line;
  gsize size = 0;

  if (!g_file_test (path, G_FILE_TEST_EXISTS)) /* without a line no new file is made */
    return 0;
  JOURNAL_REQUIRE (g_file_get_contents (path, &contents, &size, NULL), "no sidecar at %s", path);
  JOURNAL_REQUIRE (size == 0 || contents[size - 1] == '\n', "the sidecar ends within a line");
  line = contents;
  if (strcmp (contents, LINE_READ) == 0 || (is_renamed && g_str_has_prefix (contents, LINE_READ)))
    line += strlen (LINE_READ);
  while (*line != '\0') {
    gchar *end = strchr (line, '\n');

    *end = '\0';
    if (!g_str_has_prefix (line, EVENT_BEGIN)) {
      g_queue_push_tail (claims, read_line (line));
    } else {
      JOURNAL_REQUIRE (end[-1] == '}', "not a whole line: %.200s", line);
      events++;
    }
    line = end + 1;
  }
  g_free (contents);
  return events;
}

/* The same for a run's files. */
static guint
read_sidecar (Journal *journal, GQueue *claims)
{
  guint events = 0;

  journal->rotated = g_slist_reverse (journal->rotated);
  for (GSList *link = journal->rotated; link != NULL; link = link->next)
    events += read_sidecar_file (link->data, TRUE, claims);
  events += read_sidecar_file (journal->sidecar, FALSE, claims);
  JOURNAL_REQUIRE (g_file_set_contents (journal->sidecar, LINE_READ, -1, NULL), "%s cannot be written", journal->sidecar);
  return events;
}

/* Lines and messages are the same results in the same order. If messages were switched off, some lines have none. */
static void
compare_carriers (Journal *journal, const GQueue *lines, const GQueue *messages)
{
  const GList *message = messages->head;

  for (const GList *line = lines->head; line != NULL; line = line->next) {
    const Claim *claim = line->data;

    if (message == NULL || ((const Claim *)message->data)->frame != claim->frame
        || ((const Claim *)message->data)->offset != claim->offset) {
      JOURNAL_REQUIRE (!journal->promises.messages_are_complete, "the sidecar has frame %" G_GUINT64_FORMAT ", no message has",
                       claim->frame);
      continue;
    }
    compare_claims (message->data, claim, "the message");
    message = message->next;
  }
  JOURNAL_REQUIRE (message == NULL, "a message of frame %" G_GUINT64_FORMAT " is not in the sidecar",
                   ((const Claim *)message->data)->frame);
}

/* ---- public ------------------------------------------------------------------------------------------------------ */

static void
clear_run (Journal *journal)
{
  g_queue_clear_full (&journal->entries, (GDestroyNotify)free_entry);
  g_queue_clear_full (&journal->passages, g_free);
  g_queue_clear_full (&journal->messages, (GDestroyNotify)free_claim);
  g_queue_clear_full (&journal->metas, (GDestroyNotify)free_claim);
  g_clear_pointer (&journal->previous, free_entry);
  g_clear_pointer (&journal->kind, unref_kind);
  gst_caps_replace (&journal->caps, NULL);
  gst_segment_init (&journal->segment, GST_FORMAT_UNDEFINED);
  journal->running_end = -1;
  g_clear_pointer (&journal->sidecar, g_free);
  g_slist_free_full (journal->rotated, g_free);
  journal->rotated = NULL;
  journal->next_index = journal->next_offset = journal->n_out = journal->n_on_the_way = journal->last_in = 0;
  journal->reported = journal->discarded = journal->skipped = journal->n_results = journal->n_metas = journal->n_complete = 0;
  journal->n_messages = journal->n_warnings = 0;
  journal->claimed_bytes = 0;
  journal->has_flushed = FALSE;
}

static void
unref_journal (gpointer data)
{
  Journal *journal = data;

  if (!g_atomic_ref_count_dec (&journal->ref_count))
    return;
  clear_run (journal);
  g_mutex_clear (&journal->lock);
  g_free (journal);
}

static void
add_probe (GstElement *element, const gchar *name, GstPadProbeType type, GstPadProbeCallback callback, gpointer data)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (element, name);

  g_atomic_ref_count_inc (&((Journal *)data)->ref_count);
  gst_pad_add_probe (pad, type, callback, data, unref_journal);
}

Journal *
journal_new (GstElement *element)
{
  Journal *journal = g_new0 (Journal, 1);
  GstPad *pad = gst_element_get_static_pad (element, "sink");

  g_atomic_ref_count_init (&journal->ref_count);
  journal->element = element;
  journal->chain = GST_PAD_CHAINFUNC (pad);
  g_atomic_ref_count_inc (&journal->ref_count);
  g_object_set_data_full (G_OBJECT (pad), "journal", journal, unref_journal);
  gst_pad_set_chain_function (pad, watch_chain);
  journal->receive_event = GST_PAD_EVENTFULLFUNC (pad);
  gst_pad_set_event_full_function (pad, watch_event);
  gst_object_unref (pad);
  g_mutex_init (&journal->lock);
  g_queue_init (&journal->entries);
  g_queue_init (&journal->passages);
  g_queue_init (&journal->messages);
  g_queue_init (&journal->metas);
  gst_segment_init (&journal->segment, GST_FORMAT_UNDEFINED);
  journal->running_end = -1;
  for (guint c = 0; c < MAX_COMPONENTS; c++)
    if (scratch[c] == NULL)
      scratch[c] = g_new0 (guint64, DEEP_BINS);
  add_probe (element, "sink",
             GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM
                 | GST_PAD_PROBE_TYPE_EVENT_FLUSH | GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM | GST_PAD_PROBE_TYPE_PUSH,
             watch_input, journal);
  add_probe (element, "src", GST_PAD_PROBE_TYPE_BUFFER, watch_output, journal);
  add_probe (element, "src", GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, watch_events_out, journal);
  return journal;
}

void
journal_free (Journal *journal)
{
  g_assert (!journal->is_running);
  unref_journal (journal);
}

void
journal_begin (Journal *journal, const JournalPromises *promises)
{
  gint dot;

  g_mutex_lock (&journal->lock);
  g_assert (!journal->is_running);
  clear_run (journal);
  g_object_get (journal->element, "window", &journal->window, "window-size", &journal->window_size, "interval",
                &journal->interval, "dot", &dot, "add-meta", &journal->adds_meta, "sidecar-location", &journal->sidecar, NULL);
  journal->uses_dot = dot != 0;
  journal->promises = *promises;
  g_atomic_int_set (&journal->is_stopping, FALSE);
  journal->is_running = TRUE;
  g_mutex_unlock (&journal->lock);
  g_mutex_lock (&totals_lock);
  totals.starts++;
  g_mutex_unlock (&totals_lock);
}

void
journal_sample (Journal *journal)
{
  g_autoptr (GstStructure) stats = get_stats (journal->element);
  guint64 in = read_count (stats, "frames-in");
  guint64 known = read_count (stats, "frames-reported") + read_count (stats, "frames-discarded")
                  + read_count (stats, "frames-skipped") + read_count (stats, "frames-pending");

  JOURNAL_REQUIRE (in == known, "stats do not balance: %s", gst_structure_to_string (stats));
  g_mutex_lock (&totals_lock);
  totals.samples++;
  g_mutex_unlock (&totals_lock);
}

void
journal_rotate (Journal *journal, const gchar *path)
{
  journal->rotated = g_slist_prepend (journal->rotated, g_strdup (path));
}

guint64
journal_digest (Journal *journal)
{
  guint64 frames;

  g_mutex_lock (&journal->lock);
  frames = journal->next_index;
  /* A meta comes later than its message. */
  if (journal->promises.messages_are_complete && journal->sidecar == NULL && !journal->adds_meta) {
    Claim *claim;

    while ((claim = g_queue_pop_head (&journal->messages)) != NULL) {
      check_claim (journal, claim);
      free_claim (claim);
    }
  }
  g_mutex_unlock (&journal->lock);
  return frames;
}

void
journal_stopping (Journal *journal)
{
  g_atomic_int_set (&journal->is_stopping, TRUE);
}

static void
check_final_stats (Journal *journal, guint n_lines)
{
  g_autoptr (GstStructure) stats = get_stats (journal->element);
  guint64 in = read_count (stats, "frames-in"), reported = read_count (stats, "frames-reported");
  guint64 discarded = read_count (stats, "frames-discarded"), skipped = read_count (stats, "frames-skipped");

  JOURNAL_REQUIRE (read_count (stats, "frames-pending") == 0, "after the stop frames are pending: %s",
                   gst_structure_to_string (stats));
  JOURNAL_REQUIRE (in == journal->next_index && in == reported + discarded + skipped,
                   "%" G_GUINT64_FORMAT " frames went in: %s", journal->next_index, gst_structure_to_string (stats));
  /* A flush may have discarded the rest of a buffer whose beginning is in a window, and a short buffer before it was
   * checked. */
  JOURNAL_REQUIRE (journal->window == 3
                       || (reported == journal->reported && skipped + discarded == journal->skipped + journal->discarded
                           && (journal->promises.may_skip || skipped == journal->skipped
                               || (skipped < journal->skipped && journal->discarded > 0))),
                   "reported %" G_GUINT64_FORMAT ", discarded %" G_GUINT64_FORMAT ", skipped %" G_GUINT64_FORMAT ": %s",
                   journal->reported, journal->discarded, journal->skipped, gst_structure_to_string (stats));
  JOURNAL_REQUIRE (read_count (stats, "results") == journal->n_results, "%" G_GUINT64_FORMAT " results: %s", journal->n_results,
                   gst_structure_to_string (stats));
  JOURNAL_REQUIRE (read_count (stats, "sidecar-lines") == n_lines && read_count (stats, "sidecar-dropped") == 0, "%u lines: %s",
                   n_lines, gst_structure_to_string (stats));
  JOURNAL_REQUIRE (journal->skipped == 0 || journal->promises.may_skip || journal->n_warnings > 0,
                   "skipped frames, and no warning");
}

void
journal_end (Journal *journal)
{
  GQueue lines = G_QUEUE_INIT;
  g_autoptr (GstStructure) stats = get_stats (journal->element);
  guint64 in = read_count (stats, "frames-in");
  guint events = 0;
  GQueue *claims;
  Claim *claim;

  g_mutex_lock (&journal->lock);
  /* Buffers that were on their way when the element stopped. */
  JOURNAL_REQUIRE (journal->next_index >= in && journal->next_index - in <= g_queue_get_length (&journal->passages),
                   "%" G_GUINT64_FORMAT " frames went in, and frames-in is %" G_GUINT64_FORMAT, journal->next_index, in);
  while (journal->next_index > in) {
    free_entry (g_queue_pop_tail (&journal->entries));
    journal->next_index--;
  }
  if (journal->sidecar != NULL) {
    events = read_sidecar (journal, &lines);
    compare_carriers (journal, &lines, &journal->messages);
  }
  for (guint i = 0; i < g_queue_get_length (&journal->passages); i++) { /* a stop may have interrupted these */
    Entry *entry = g_queue_peek_nth (&journal->entries, g_queue_get_length (&journal->entries) - 1 - i);

    if (entry != NULL)
      entry->marks |= MARK_FLUSH;
  }
  claims = journal->sidecar != NULL ? &lines : &journal->messages;
  check_metas (journal, claims->head);
  JOURNAL_REQUIRE (g_queue_is_empty (&journal->metas), "a meta of frame %" G_GUINT64_FORMAT " is in no message",
                   ((Claim *)g_queue_peek_head (&journal->metas))->frame);
  if (journal->sidecar != NULL) {
    g_mutex_lock (&totals_lock);
    totals.lines += g_queue_get_length (&lines);
    g_mutex_unlock (&totals_lock);
  }
  for (GList *link = claims->head; link != NULL; link = link->next) {
    claim = link->data;
    check_claim (journal, claim);
  }
  leave_unclaimed (journal, G_MAXUINT64);
  check_final_stats (journal, g_queue_get_length (&lines) + events);
  /* Each window that a buffer completed is on that buffer, if it left the element. */
  if (journal->adds_meta && journal->n_on_the_way == 0 && g_queue_is_empty (&journal->passages))
    JOURNAL_REQUIRE (journal->n_metas == journal->n_complete,
                     "%" G_GUINT64_FORMAT " windows, and %" G_GUINT64_FORMAT " metas: that of frame %" G_GUINT64_FORMAT
                     " is in none, of %" G_GUINT64_FORMAT,
                     journal->n_complete, journal->n_metas, journal->without_meta, journal->next_index);
  g_queue_clear_full (&lines, (GDestroyNotify)free_claim);

  g_mutex_lock (&totals_lock);
  totals.frames += journal->next_index;
  totals.reported += journal->reported;
  totals.discarded += journal->discarded;
  totals.skipped += journal->skipped;
  totals.out += journal->n_out;
  totals.results += journal->n_results;
  totals.metas += journal->n_metas;
  g_mutex_unlock (&totals_lock);
  clear_run (journal);
  journal->is_running = FALSE;
  g_mutex_unlock (&journal->lock);
}

JournalTotals
journal_get_totals (void)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&totals_lock);

  return totals;
}
