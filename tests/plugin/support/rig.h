/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Shared by the element's tests: an element with a bus and a harness, plain reference counts, and checks of results against
 * them. This file includes no header of the plugin or the engine: it declares names and numbers a second time, so that tests
 * detect mistakes there. */

#pragma once

#define TEST_BEGIN reset_random
void reset_random (void);
#include "cases.h"

#include <gst/check/gstharness.h>

/* Time limit for an expected message. Only failures take that long, even on a loaded machine. */
#define RIG_PATIENCE (120 * GST_SECOND)

/* ---- program -------------------------------------------------------------------------------------------------------- */

/* main() of a test program: starts GStreamer and runs the suite. With CUDAHISTO_TEST_BACKEND=cuda in the environment every
 * element gets backend=cuda. If that does not start, the program prints the reason and returns 77. Also returns 77 if the
 * environment variable `needs` (NULL: none) is missing. */
int run_test_program (int argc, char **argv, Suite *suite, const gchar *needs);
#define RIG_MAIN(needs)                                      \
  int main (int argc, char **argv)                           \
  {                                                          \
    return run_test_program (argc, argv, test_suite, needs); \
  }

/* CUDAHISTO_TEST_BACKEND, or NULL if tests use the default. */
const gchar *get_test_backend (void);

/* Random bytes from the printed seed. Each test begins with the same bytes, and so does what follows reset_random(). */
guint32 draw_random (guint32 limit); /* 0 .. limit - 1 */
void fill_random (guint8 *data, gsize size);

/* Returns the loader's error for the CUDA driver, or the element's in a build without CUDA. NULL if the driver is available.
 * Free with g_free(). */
gchar *get_driver_problem (void);

/* ---- rig ------------------------------------------------------------------------------------------------------------ */

typedef struct {
  GstElement *element; /* borrowed from the harness */
  GstBus *bus;         /* read only by the test */
  GstHarness *harness; /* both pads; playing */
} Rig;

/* Opens "cudahisto" with properties in gst-launch's syntax, and the test's backend unless they name one. In state NULL, with a
 * bus. */
GstElement *make_element (const gchar *properties);
GstBus *attach_bus (GstElement *element);

Rig open_rig (const gchar *properties);
/* The same, with a sidecar. It is not in the line, since a temporary path may contain blanks. */
Rig open_rig_with_sidecar (const gchar *properties, const gchar *path);
/* open_rig() and start_bytes() or start_video(). */
Rig open_bytes (const gchar *properties, const gchar *caps);
Rig open_video (const gchar *properties, const gchar *caps);
/* Accepts a closed rig. `g_auto (Rig) rig = open_rig ("")` closes it at the end of the block. */
void close_rig (Rig *rig);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Rig, close_rig)

/* Starts a byte stream: stream-start, caps (NULL: none) and a segment in bytes. */
void start_bytes (Rig *rig, const gchar *caps);
/* Starts video: stream-start, caps and a segment in time. */
void start_video (Rig *rig, const gchar *caps);

/* Makes a buffer with a copy of the bytes and a timestamp (NONE: without). */
GstBuffer *make_buffer (gconstpointer data, gsize size, GstClockTime pts, GstClockTime duration);
/* Pushes such a buffer. Fails the test unless the element accepts it. */
void push_bytes (Rig *rig, gconstpointer data, gsize size);
void push_timed (Rig *rig, gconstpointer data, gsize size, GstClockTime pts, GstClockTime duration);
void push_eos (Rig *rig);
/* Starts a segment in time. */
void push_segment (Rig *rig, gdouble rate, GstClockTime start, GstClockTime stop, GstClockTime time, GstClockTime base);
/* Flushes the stream, and starts a segment from 0 in this format. */
void push_flush (Rig *rig, GstFormat format);

/* Waits for the element's next result on the bus. An error or a warning fails the test. Free with gst_structure_free(). */
GstStructure *pop_result (GstBus *bus);
/* Waits for the next result, event, error or warning. */
GstMessage *pop_message (GstBus *bus);
/* Fails the test if a result, an event, an error or a warning is on the bus. Call it when the element posts no more: after EOS,
 * or stopped. */
void check_bus_empty (GstBus *bus);
/* Waits for an error (or a warning) with this domain, code (-1: any) and text or debug text (NULL: any). Drops earlier
 * results. */
void check_error (GstBus *bus, GstMessageType type, GQuark domain, gint code, const gchar *words);
/* Whether it is the warning about results without a meta. The functions above skip it: with add-meta a window that ends early
 * posts it. */
gboolean is_lost_meta (GstMessage *message);
/* Removes the results on the bus. Errors and warnings fail the test. */
guint drop_results (GstBus *bus);

/* Makes a pipeline, given in gst-launch's syntax, or fails the test. */
GstElement *parse_line (const gchar *format, ...) G_GNUC_PRINTF (1, 2);
/* Plays a pipeline to EOS, and stops it. An error fails the test. */
void run_to_eos (GstElement *pipeline);

/* Runs a pipeline, given in gst-launch's syntax, to its end and back to NULL. Returns its results in order, as a list of
 * GstStructure. An error or a warning fails the test, unless `ending` is given: it is then the message that ended the pipeline,
 * EOS or an error, and the list includes warnings. Free with free_results(). */
GList *run_line (GstMessage **ending, const gchar *format, ...) G_GNUC_PRINTF (2, 3);
void free_results (GList *results);

/* Returns the properties of run `index` of a test that is repeated with each backend; NULL: no more. With a backend in the
 * environment there is one run. */
const gchar *get_backend_line (guint index);

/* "backend=cuda" or the like if the environment selects a backend, otherwise "". */
const gchar *get_backend_words (void);

guint64 get_u64 (GstElement *element, const gchar *property);
guint64 get_stat (GstElement *element, const gchar *field); /* of the property `stats` */

/* ---- counts --------------------------------------------------------------------------------------------------------- */

typedef struct {
  guint depth; /* bits of a sample; 0: 8 */
  guint64 count, sum, sum_of_squares, dot, dot_count;
  guint64 histogram[65536]; /* of all values: half a MiB */
} Tally;

void tally_sample (Tally *tally, guint sample);
void tally_bytes (Tally *tally, const guint8 *data, gsize size);
void tally_dot (Tally *tally, const guint8 *data, const guint8 *operand, gsize size);

/* Returns a field of a result. A missing field fails the test. */
guint64 get_field_u64 (const GstStructure *result, const gchar *field);
guint get_field_uint (const GstStructure *result, const gchar *field);
gdouble get_field_double (const GstStructure *result, const gchar *field);

/* Returns the luminance of a 12-bit PQ code by SMPTE ST 2084, in nits, rounded to 0.0001. */
gdouble find_nits (guint code);

typedef enum { BINS_ARRAY, BINS_PACKED, BINS_NONE } Bins;

/* Checks every field of one component: its type, and the tally's number; undefined fields are absent. The histogram has 256
 * bins. */
void check_component (const GstStructure *result, const gchar *component, const Tally *tally, Bins bins);

/* Checks a result of a byte stream of exactly these bytes, with `frame`, `frames` and `offset`. */
void check_bytes (const GstStructure *result, const guint8 *data, gsize size, guint64 frame, guint64 frames, guint64 offset);

/* Checks that both have the same fields with equal values, doubles to the last bit. The structures' names and the time of day
 * may differ. */
void check_same_fields (const GstStructure *left, const GstStructure *right);

/* Returns the structure of the buffer's GstCudaHistoMeta, owned by the buffer, or NULL. */
const GstStructure *get_meta (GstBuffer *buffer);

/* The expected value GST_CLOCK_TIME_NONE means that the field has this value. */
void check_times (const GstStructure *result, GstClockTime timestamp, GstClockTime stream_time, GstClockTime running_time,
                  GstClockTime duration);
