/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the tests of the element share: an element with a bus and a harness around it, plain counts to compare with, and the
 * checks of a result against them. Nothing here includes a header of the plugin or the engine: names and numbers are written
 * down a second time, so that a mistake there is seen here. */

#ifndef CUDAHISTO_TEST_RIG_H
#define CUDAHISTO_TEST_RIG_H

#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>

G_BEGIN_DECLS

/* How long a test waits for what must come: only a failure takes that long, and a loaded machine takes its time. */
#define RIG_PATIENCE (120 * GST_SECOND)

/* ---- program -------------------------------------------------------------------------------------------------------- */

/* main() of a test program: starts GStreamer and runs the suite. With CUDAHISTO_TEST_BACKEND=cuda in the environment every
 * element gets backend=cuda, and where that does not start the program says why and returns 77. Also 77 where the environment
 * must have a variable `needs` (NULL: none) and has not. */
int run_test_program (int argc, char **argv, Suite *suite, const gchar *needs);

/* CUDAHISTO_TEST_BACKEND, or NULL where tests use the default. */
const gchar *get_test_backend (void);

/* Random bytes from the printed seed; the same in each test that begins with reset_random(). */
void reset_random (void);
guint32 draw_random (guint32 limit); /* 0 .. limit - 1 */
void fill_random (guint8 *data, gsize size);

/* A new directory, and the path of a new file in it with these contents (NULL: not created). Free with g_free(); the directory
 * is removed by remove_directory(). */
gchar *make_directory (void);
gchar *make_file (const gchar *directory, const gchar *name, gconstpointer contents, gsize size);
void remove_directory (gchar *directory);

/* What the loader says when it is asked for the CUDA driver, or what the element says in a build without CUDA; NULL where the
 * driver is there. Free with g_free(). */
gchar *get_driver_problem (void);

/* ---- rig ------------------------------------------------------------------------------------------------------------ */

typedef struct {
  GstElement *element; /* borrowed from the harness */
  GstBus *bus;         /* nobody else reads it */
  GstHarness *harness; /* both pads; plays */
} Rig;

/* "cudahisto" and properties as gst-launch takes them,
 * with the test's backend unless they name one. In state NULL, with a bus. */
GstElement *make_element (const gchar *properties);
GstBus *attach_bus (GstElement *element);

void open_rig (Rig *rig, const gchar *properties);
void close_rig (Rig *rig);

/* Begins a byte stream: stream-start, caps (NULL: none) and a segment in bytes. */
void start_bytes (Rig *rig, const gchar *caps);
/* Begins video: stream-start, caps and a segment in time. */
void start_video (Rig *rig, const gchar *caps);

/* A buffer with a copy of the bytes and, where it is not NONE, a time. */
GstBuffer *make_buffer (gconstpointer data, gsize size, GstClockTime pts, GstClockTime duration);
/* Pushes such a buffer; fails the test unless the element takes it. */
void push_bytes (Rig *rig, gconstpointer data, gsize size);
void push_timed (Rig *rig, gconstpointer data, gsize size, GstClockTime pts, GstClockTime duration);
void push_eos (Rig *rig);

/* The next result of the element on its bus; waits. Fails the test where an error or a warning comes instead. Free with
 * gst_structure_free(). */
GstStructure *pop_result (GstBus *bus);
/* The next result, event, error or warning; waits. */
GstMessage *pop_message (GstBus *bus);
/* Fails the test where a result, an event, an error or a warning is on the bus. Call it when the element cannot have more to
 * say: after EOS, or stopped. */
void check_bus_empty (GstBus *bus);
/* Waits for an error (or a warning) with this domain and code (-1: any) and some words in its text or debug text (NULL:
 * any). Results before it are dropped. */
void check_error (GstBus *bus, GstMessageType type, GQuark domain, gint code, const gchar *words);
/* Whether it is the warning that results are in no meta. The calls above pass over it:
 * with add-meta a window that ends early posts it. */
gboolean is_lost_meta (GstMessage *message);
/* Results on the bus now, taken off; errors and warnings fail the test. */
guint drop_results (GstBus *bus);

/* Runs a pipeline, built from a line in gst-launch's language, to its end and back to NULL. The results that it posted, in
 * order, in a list of GstStructure; fails the test on an error or a warning, unless `ending` is given: it is then the message
 * that ended the pipeline, EOS or an error, and warnings are in the list too. Free with free_results(). */
GList *run_line (GstMessage **ending, const gchar *format, ...) G_GNUC_PRINTF (2, 3);
void free_results (GList *results);

/* "backend=cuda" or the like where the environment names a backend, else "". */
const gchar *get_backend_words (void);

guint64 get_u64 (GstElement *element, const gchar *property);
guint64 get_stat (GstElement *element, const gchar *field); /* of the property `stats` */

/* ---- counts --------------------------------------------------------------------------------------------------------- */

typedef struct {
  guint64 count, sum, sum_of_squares, dot, dot_count;
  guint64 histogram[256];
} Tally;

void tally_sample (Tally *tally, guint8 sample);
void tally_bytes (Tally *tally, const guint8 *data, gsize size);
void tally_dot (Tally *tally, const guint8 *data, const guint8 *operand, gsize size);

/* A field of a result, which must be there. */
guint64 get_field_u64 (const GstStructure *result, const gchar *field);
guint get_field_uint (const GstStructure *result, const gchar *field);
gdouble get_field_double (const GstStructure *result, const gchar *field);

typedef enum { BINS_ARRAY, BINS_PACKED, BINS_NONE } Bins;

/* Every field of one component: there, of its type, with the number that the tally gives; absent where undefined. */
void check_component (const GstStructure *result, const gchar *component, const Tally *tally, Bins bins);

/* A result of a byte stream over exactly these bytes; `frame`, `frames` and `offset` too. */
void check_bytes (const GstStructure *result, const guint8 *data, gsize size, guint64 frame, guint64 frames, guint64 offset);

/* Every field of one is a field of the other with an equal value, doubles to the last bit; the names of the structures, and the
 * time of day, may differ. */
void check_same_fields (const GstStructure *left, const GstStructure *right);

/* The structure of the buffer's GstCudaHistoMeta, owned by the buffer, or NULL. */
const GstStructure *get_meta (GstBuffer *buffer);

/* Expected value GST_CLOCK_TIME_NONE means that the field holds just that. */
void check_times (const GstStructure *result, GstClockTime timestamp, GstClockTime stream_time, GstClockTime running_time,
                  GstClockTime duration);

G_END_DECLS

#endif
