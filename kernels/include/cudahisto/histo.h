/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* cudahisto, the engine: the histogram, the sum and the sum of squares of each component of a frame, and, where it is asked for
 * (enum histo_statistic), its products with another frame and the differences from that, its row and column sums, and what it
 * says as a picture. On an NVIDIA GPU or on the CPU, exact to the last bit on both.
 *
 *   struct histo_engine *engine = NULL;
 *   struct histo_stats stats = { 0 };
 *   histo_ticket ticket;
 *
 *   histo_open (&(struct histo_config) { .backend = HISTO_BACKEND_AUTO, .cuda_device = -1 }, &engine);
 *   histo_submit (engine, &frame, &ticket);            // returns at once
 *   histo_collect (engine, ticket, &stats);            // waits
 *   printf ("%" PRIu64 "\n", stats.components[0].sum);
 *   histo_stats_clear (&stats);
 *   histo_close (&engine);
 *
 * Threads: one thread at a time may submit and one, the same or another, may collect; both may run at once, and either may ask
 * histo_ready meanwhile. Every other call on an engine must have the engine to itself; different engines are independent. The
 * library never prints and never aborts. Its own threads, `histo-worker` and `histo-staging`, are shared by all engines of the
 * process, start with the first frame that needs them and end with the last engine. They block all signals except those that a
 * fault raises.
 *
 * fork(): the child can only close the engines and pinners of its parent: histo_ready is true, so that nobody waits, and other
 * calls return HISTO_ERROR_FORKED at once, whatever the parent's threads were doing. Closing touches neither threads nor the
 * driver, and frees no memory: its pages stay shared with the parent until one of the two writes to them. Engines that the
 * child opens itself work as usual, except with CUDA: the driver does not support a process that was forked after its first
 * use, so HISTO_BACKEND_CUDA then fails with HISTO_ERROR_NO_DRIVER, and AUTO chooses the CPU. The parent is not affected.
 *
 * ABI: until 1.0 the layout of the structs may change with a minor version, and with nothing else. The library's soname has
 * that version (libcudahisto.so.0.2), so that a program never runs with structs of another layout than it was built for.
 */

#ifndef CUDAHISTO_HISTO_H
#define CUDAHISTO_HISTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define HISTO_API __attribute__ ((visibility ("default")))
#else
#define HISTO_API
#endif

#define HISTO_MAX_PLANES 4
#define HISTO_MAX_COMPONENTS 4
#define HISTO_MAX_IN_FLIGHT 8192
#define HISTO_BINS 256       /* counters in the histogram of 8-bit samples, and of deeper ones unless more are asked for */
#define HISTO_MAX_BINS 65536 /* counters in any histogram: those of samples of 16 bits */
#define HISTO_MAX_WAVEFORM_COLUMNS 16384

struct CUctx_st;    /* what a CUcontext points to */
struct CUstream_st; /* what a CUstream points to */

/* ---- outcomes ------------------------------------------------------------------------------------------------------- */

enum histo_status {
  HISTO_OK = 0,
  HISTO_ERROR_INVALID,     /* an argument is outside the range that this header gives */
  HISTO_ERROR_UNSUPPORTED, /* a valid frame of a kind that this version does not count */
  HISTO_ERROR_BUSY,        /* max_in_flight frames are waiting to be collected: collect one, then submit again */
  HISTO_ERROR_NO_MEMORY,   /* host memory is exhausted, or that of the device where a frame or weights need some */
  HISTO_ERROR_NO_DRIVER,   /* libcuda is absent, lacks a function that the engine needs, or was in use before a fork */
  HISTO_ERROR_NO_DEVICE,   /* the driver is there, a usable device of that number is not */
  HISTO_ERROR_DEVICE,      /* a driver call failed: device lost, kernel fault. Close the engine */
  HISTO_ERROR_FORKED       /* the engine, or the pinner, was opened by a parent of this process: close it, and open another */
};

/* One sentence in English for a status, without a full stop. Never NULL. The text is static. */
HISTO_API const char *histo_status_text (enum histo_status status);

enum histo_log_level {
  /* The detail of a failure that the call also returns. */
  HISTO_LOG_ERROR,
  /* Something the user should know although the call succeeds: a GPU or its driver is there and cannot be used, and the CPU
   * counts. One whole sentence, with the remedy. */
  HISTO_LOG_WARNING,
  /* Which backend was chosen, and why: a missing driver or device is no cause for a warning. */
  HISTO_LOG_INFO
};

/* `message` is one line without a newline and lives for the duration of the call. Called on the thread that called the library,
 * or on one of the library's own; on several at once, except with what histo_open logs. The library holds no lock meanwhile, so
 * that the callback may call histo_ready and histo_engine_info, once histo_open has returned, and whatever needs no engine. It
 * must not wait for an engine, as histo_collect and histo_close do: it may run on the very thread that is to count. */
typedef void (*histo_log_function) (void *user_data, enum histo_log_level level, const char *message);

/* ---- engine --------------------------------------------------------------------------------------------------------- */

enum histo_backend {
  HISTO_BACKEND_AUTO = 0,  /* CUDA where a device opens, else CPU */
  HISTO_BACKEND_REFERENCE, /* the plainest loops: the definition of every number, slow, works inside submit */
  HISTO_BACKEND_CPU,       /* threads and vector instructions */
  HISTO_BACKEND_CUDA       /* an NVIDIA GPU through libcuda */
};

/* Instruction sets that the CPU backend has code for beyond the compiler's baseline; bits of histo_config.cpu_isa_disable. */
enum histo_isa { HISTO_ISA_AVX2 = 1 << 0 };

/* All zeros but cuda_device = -1 is a good configuration. */
struct histo_config {
  enum histo_backend backend;
  int cuda_device; /* device number as the driver counts, from 0; -1: the first that opens. Ignored with a context */
  struct CUctx_st *cuda_context; /* borrowed, must outlive the engine; NULL: the engine retains the device's primary context */
  /* CPU backend: workers that count for it at once, at most; 0: one for each core that the process may use, by its affinity and
   * by the processor time that its cgroups allow, rounded up. */
  unsigned threads;
  /* Frames submitted and not yet collected, 1 .. HISTO_MAX_IN_FLIGHT; 0: 8. On a GPU each has 18 KiB of pinned memory for its
   * numbers and 18 KiB of the device's, and 2 KiB more of pinned memory from the first launch of frames of different sizes on;
   * for frames with more counters see histo_component.bins. */
  unsigned max_in_flight;
  uint32_t cpu_isa_disable; /* enum histo_isa bits that must not be used although the processor has them */
  histo_log_function log;   /* may be NULL */
  void *log_data;           /* handed to `log` */
};

struct histo_engine; /* opaque */

/* Opens the backend that `config` names (NULL: AUTO, device -1). On success *engine is owned by the caller, who closes it. On
 * failure *engine is NULL and the log has the reason in words a user can act on ("libcuda.so.1: cannot open shared object
 * file"). AUTO fails only where the CPU backend does. */
HISTO_API enum histo_status histo_open (const struct histo_config *config, struct histo_engine **engine);

/* Waits for what is in flight, discards it, frees everything and sets *engine to NULL. Accepts NULL and a pointer to NULL. */
HISTO_API void histo_close (struct histo_engine **engine);

struct histo_info {
  enum histo_backend backend; /* the one in use, never AUTO */
  char backend_name[16];      /* "reference", "cpu" or "cuda" */
  char device_name[112];      /* what counts, for logs: "NVIDIA H200", "8 threads, avx2" */
  unsigned threads;           /* workers that count at once, at most; 0: none, the work is done elsewhere or inside submit */
  unsigned max_in_flight;     /* as configured, the default filled in */
};

/* What was opened. Lives as long as the engine. */
HISTO_API const struct histo_info *histo_engine_info (const struct histo_engine *engine);

/* ---- frame ---------------------------------------------------------------------------------------------------------- */

enum histo_memory {
  HISTO_MEMORY_HOST = 0, /* ordinary or pinned memory of the process */
  HISTO_MEMORY_DEVICE    /* memory of the engine's CUDA device; CUDA backend only */
};

/* Rows of bytes. Row y begins at (const uint8_t *) data + y * stride_bytes. */
struct histo_plane {
  const void *data;    /* any alignment; owned by the caller; may be NULL where no row has a byte to count */
  size_t stride_bytes; /* from one row to the next; at least the bytes of a row that components touch (any value for one row) */
  uint32_t height;     /* rows; 0 is an empty plane */
};

/* The samples of one component: in each row of its plane, `width` samples, the i-th at offset_bytes + i * step_bytes. Y of YUY2
 * is { .offset_bytes = 0, .step_bytes = 2 }, its V { .offset_bytes = 3, .step_bytes = 4 }. */
struct histo_component {
  unsigned plane;        /* index into histo_frame.planes */
  size_t offset_bytes;   /* of the first sample of a row */
  size_t step_bytes;     /* from one sample to the next, at least sample_bytes; 1 for planar 8-bit data */
  uint64_t width;        /* samples in a row; 0 is an empty component. In all rows at most 2^48 samples, 2^32 of two bytes */
  unsigned sample_bytes; /* bytes of one sample: 1 or 2 */
  unsigned depth;        /* significant bits: 8 in one byte, 9 .. 16 in two */
  unsigned shift;        /* position of the lowest significant bit: 0 in one byte, 0 .. 16 - depth in two. Y of P010 has
                          * depth 10, shift 6. Other bits than the significant ones are ignored */
  bool big_endian;       /* byte order of two bytes */

  /* Counters in the histogram. HISTO_BINS, or 0 for the same: a value is counted at value >> (depth - 8). 1 << depth: each
   * value has a counter of its own, which histo_summarize needs for exact values of deep samples.
   *
   * On a GPU a frame whose components have more than about a thousand counters together takes 8 bytes a counter of pinned
   * memory, and as many of the device's: three components of 65536 take 1.5 MiB of both. Each of the histo_config.max_in_flight
   * slots allocates that with its first such frame, and keeps it until the engine is closed: 256 slots take 384 MiB of both. */
  unsigned bins;
};

/* What a frame can be asked for. The histogram, the sum and the sum of squares of each component are always counted; what is
 * not asked for costs nothing. Definitions: docs/statistics.md.
 *
 * Those of a picture take component 0 as luma (Y'), and those of its colours component 1 as Cb and component 2 as Cr. Luma has
 * at most 65536 rows and 65536 samples in a row then. Cb and Cr are as deep as luma, within the same limits,
 * have the same number of rows and samples, and a sample for each of luma: see struct histo_chroma. INVALID otherwise. */
enum histo_statistic {
  HISTO_STATISTIC_DOT = 1 << 0,        /* of each component with the operand's. Nothing where there is no operand */
  HISTO_STATISTIC_PROJECTION = 1 << 1, /* row and column sums, see histo_weights. A component has at most 2^32 samples then */
  /* Of each component from the operand's. Nothing where there is no operand. A component has at most 2^31 samples then. */
  HISTO_STATISTIC_DIFFERENCE = 1 << 2,
  HISTO_STATISTIC_OUTLIERS = 1 << 3,     /* of a picture: luma samples unlike those above and below (signalstats: TOUT) */
  HISTO_STATISTIC_REPEATS = 1 << 4,      /* of a picture: rows of luma like the fourth above (VREP) */
  HISTO_STATISTIC_SATURATION = 1 << 5,   /* of the colours of a picture: their distance from grey (SAT) */
  HISTO_STATISTIC_HUE = 1 << 6,          /* of the colours of a picture: their angle in degrees (HUE) */
  HISTO_STATISTIC_OUT_OF_RANGE = 1 << 7, /* of a picture and its colours: samples outside of the broadcast range (BRNG) */
  HISTO_STATISTIC_GAMUT = 1 << 8, /* of a picture and its colours: samples outside of the gamut, see struct histo_gamut */
  /* Of each component: how often each value occurs in each column, see histo_frame.waveform_columns. A component has at most
   * 2^31 samples then, and 65536 in a row. */
  HISTO_STATISTIC_WAVEFORM = 1 << 9,
  /* Of the colours of a picture: how often each Cb occurs with each Cr. A component has at most 2^31 samples then. */
  HISTO_STATISTIC_VECTORSCOPE = 1 << 10
};

/* Which chroma sample belongs to a sample of luma: to sample x of row y, sample (x + phase_x) >> shift_x of row
 * (y + phase_y) >> shift_y. I420 has shifts 1 and 1; phases are 1 where a picture was cropped in the middle of a chroma
 * sample. */
struct histo_chroma {
  uint8_t shift_x, shift_y; /* 0 .. 2 */
  uint8_t phase_x, phase_y; /* below 1 << shift */
};

#define HISTO_GAMUT_ONE 16384 /* 1.0 in struct histo_gamut */

/* Which luma samples are outside of the gamut. With cb and cr, the chroma samples that belong to one, less 2^(depth - 1), it is
 * outside where any of
 *
 *   Y'  ONE * Y                  G'  ONE * Y + g_cb * cb + g_cr * cr
 *   R'  ONE * Y + r_cr * cr      B'  ONE * Y + b_cb * cb
 *
 * is below `min` or above `max`; ONE is HISTO_GAMUT_ONE. Of a frame of R', G' and B' (is_rgb) each is ONE times its sample.
 *
 * INVALID where min is below -2^30, above 2^30 - ONE, or not below max, and where |g_cb| + |g_cr| is above 32767. */
struct histo_gamut {
  int16_t r_cr, g_cb, g_cr, b_cb;
  int32_t min, max;
  bool is_rgb; /* components 0, 1 and 2 are R', G' and B'; then r_cr ... b_cb are ignored, and chroma is not subsampled */
};

/* The gamut of EBU R103 v3 for samples of 8 .. 16 bits: Y', R', G' and B' of 5 .. 246, times 2^(depth - 8), on the scale on
 * which black is 16 and white 235. R', G' and B' are rounded to integers on that scale, as samples are, a half up. The
 * coefficients are rounded to the nearest. `kr` and `kb`: the shares of red and blue in luma, 0.2126 and 0.0722 in BT.709.
 * `is_full`: the samples have the full range, in which black is 0. For R', G' and B' take any kr and kb, and set is_rgb.
 *
 * False, and *gamut all zeros, for another depth, where kr, kb or 1 - kr - kb is not above 0, or a coefficient would be 2. */
HISTO_API bool histo_find_gamut (struct histo_gamut *gamut, double kr, double kb, bool is_full, unsigned depth);

/* What to count. Only the samples that the components name are read into the numbers, never the bytes around them. Components
 * that share a plane are counted in one pass over it. */
struct histo_frame {
  enum histo_memory memory;
  unsigned plane_count;     /* 1 .. HISTO_MAX_PLANES */
  unsigned component_count; /* 1 .. HISTO_MAX_COMPONENTS */
  struct histo_plane planes[HISTO_MAX_PLANES];
  struct histo_component components[HISTO_MAX_COMPONENTS];

  uint32_t statistics;        /* what to compute besides the histogram and the sums: bits of enum histo_statistic */
  struct histo_chroma chroma; /* all zeros where chroma is not subsampled, or not asked for */
  struct histo_gamut gamut;   /* where HISTO_STATISTIC_GAMUT is asked for, else ignored */

  /* 1 .. HISTO_MAX_WAVEFORM_COLUMNS where a waveform is asked for, else ignored. While it is in flight on a GPU a frame takes
   * 1 KiB of pinned memory, and as much of the device's, for each column of each component, and for a vectorscope 256 KiB. On
   * the CPU each worker takes that much of ordinary memory, and each of the histo_config.max_in_flight slots twice that: 8
   * bytes a counter. It is kept for the next frame, until the engine is closed. */
  uint32_t waveform_columns;

  /* The other frame of the dot product and of differences, or NULL for none: same memory, plane heights and components;
   * addresses and strides may differ. Its own `operand`, `statistics`, `chroma`, `waveform_columns` and `gamut` are ignored.
   * Copied by submit; the samples must live as long as the frame's. */
  const struct histo_frame *operand;

  /* Identifies the contents of the memory that the planes lie in: frames with the same id, other than 0, find the same there.
   * An engine that copies frames to the device may then reuse a copy that it still has of the same rows at the same address, or
   * of more of them: for an operand, and for a part of the frame before. 0: never. */
  uint64_t id;

  /* Device memory: the stream on which the samples become complete; NULL: they are complete. */
  struct CUstream_st *stream;
};

/* ---- results -------------------------------------------------------------------------------------------------------- */

/* The exact numbers of one component. x runs over the component's samples, y over those of the operand. The arrays are owned by
 * the histo_stats, and valid until it is next filled, reset or cleared. */
struct histo_component_stats {
  uint64_t count;               /* samples counted */
  uint64_t sum;                 /* of x */
  uint64_t sum_of_squares;      /* of x * x: bits 0 to 63 */
  uint64_t sum_of_squares_high; /* bits 64 to 127: 0 but after histo_stats_add of many frames of deep samples */
  uint64_t dot;                 /* of x * y, as sum_of_squares; 0 where there was no operand */
  uint64_t dot_high;
  uint64_t dot_count;           /* samples that had an operand: count or, after histo_stats_add, less */
  uint64_t absolute_difference; /* of |x - y|; 0 where there was no operand */
  uint64_t squared_difference;  /* of (x - y) * (x - y), as sum_of_squares; 0 where there was no operand */
  uint64_t squared_difference_high;
  uint64_t difference_count; /* samples that both differences are of: count or, after histo_stats_add, less */
  uint32_t depth;            /* of the samples, in bits */
  uint32_t bins;             /* counters in `histogram` */
  uint64_t *histogram;       /* the counters, which add up to `count`; see histo_component.bins */

  /* The waveform, where the frame asked for it and the component has samples, else NULL and 0. A value whose upper 8 bits are v
   * in column x of the component is counted in waveform[c * HISTO_BINS + v], where c = floor (x * waveform_columns / width):
   * each column of the waveform is the histogram of one or more adjacent columns. They add up to `count`. */
  uint32_t waveform_columns; /* histo_frame.waveform_columns, or the component's width where that is less */
  uint64_t *waveform;

  /* Projections, where the frame asked for them and the component has samples, else NULL and 0. See histo_weights. */
  uint32_t rows;        /* of the component's plane */
  uint64_t columns;     /* samples in a row */
  int64_t *row_sums;    /* row_sums[y]: of the samples of row y, each times its column's weight */
  int64_t *column_sums; /* column_sums[i]: of the i-th samples of all rows, each times its row's weight */
};

#define HISTO_HUES 360          /* degrees */
#define HISTO_VECTORSCOPE 65536 /* counters in a vectorscope: 256 rows of 256 */

/* The exact numbers of a picture, as far as they were asked for; others are 0 or NULL. The arrays are owned by the
 * histo_stats. */
struct histo_picture_stats {
  uint32_t statistics;       /* which were asked for: bits of enum histo_statistic */
  uint64_t luma_count;       /* samples that the next four are a part of */
  uint64_t outliers;         /* samples */
  uint64_t repeats;          /* samples of rows that repeat the fourth above */
  uint64_t out_of_range;     /* samples that are out of range, or whose chroma is */
  uint64_t gamut_errors;     /* samples outside of the gamut, with their chroma */
  uint64_t chroma_count;     /* chroma samples: what the next counters add up to, each */
  uint32_t saturation_count; /* counters in `saturation`: one for each saturation that samples of their depth can have */
  uint64_t *saturation;
  uint64_t *hue;         /* HISTO_HUES counters */
  uint64_t *vectorscope; /* HISTO_VECTORSCOPE: Cb and Cr whose upper 8 bits are u and v are counted in [256 * v + u] */
};

/* The numbers of one frame or, after histo_stats_add, of many. All zeros is a valid, empty one. A program may also fill one
 * with numbers that it has from elsewhere, as a part for histo_stats_add: with components, a picture and arrays of its own,
 * which stay its own, and `storage` NULL. */
struct histo_stats {
  unsigned component_count;
  struct histo_component_stats
      *components;                     /* component_count, in the order of histo_frame.components; owned, as their arrays */
  struct histo_picture_stats *picture; /* owned; NULL where no statistic of a picture was asked for */
  uint64_t *storage;                   /* private */
  size_t storage_count;                /* private */
};

/* Adds `part` to `total`. An empty total becomes a copy; else both must have the same components, depths, bins, projections,
 * waveforms and statistics of the picture (INVALID). Memory is allocated for an empty total alone (NO_MEMORY). Sums hold 2^48
 * samples before they overflow, a row or column sum 2^32. */
HISTO_API enum histo_status histo_stats_add (struct histo_stats *total, const struct histo_stats *part);

/* Makes `stats` empty, and keeps its memory for the next use. */
HISTO_API void histo_stats_reset (struct histo_stats *stats);

/* Frees what `stats` owns and makes it empty. Accepts NULL. */
HISTO_API void histo_stats_clear (struct histo_stats *stats);

/* What follows from the exact numbers. Definitions: docs/statistics.md. */
struct histo_summary {
  double mean;     /* sum / count */
  double variance; /* population form, (count * sum_of_squares - sum^2) / count^2, the numerator exact */
  double stddev;   /* square root of the variance */

  /* How many values a counter of the histogram stands for. 1: the values below are exact. More, of deep samples in a histogram
   * of HISTO_BINS: each is the lowest value of its counter, and the exact one lies from there to resolution - 1 above. Ask for
   * 1 << depth counters to have exact ones. */
  uint32_t resolution;

  uint32_t min, max; /* first and last value that occurs */
  /* The smallest value whose cumulative count is at least lrint (count * 0.10), 0.50 and 0.90 (as FFmpeg's signalstats), and at
   * least 1. */
  uint32_t low, median, high;

  uint32_t used_bits; /* bits of a value that are 1 in any value that occurs, to within `resolution` (signalstats: YBITDEPTH) */
};

/* Fills *summary. False, and *summary all zeros, where nothing was counted: an empty set has no mean. False for NULL. */
HISTO_API bool histo_summarize (const struct histo_component_stats *stats, struct histo_summary *summary);

/* The same for the colours of a picture, of which those that were not asked for are 0. */
struct histo_colour_summary {
  double saturation_mean;
  uint32_t saturation_min, saturation_max;
  uint32_t saturation_low, saturation_high; /* as histo_summary.low and high */
  double hue_mean;                          /* degrees: the arithmetic mean, though hues lie on a circle (HUEAVG) */
  uint32_t hue_median;                      /* the smallest whose cumulative count is more than chroma_count / 2 (HUEMED) */
};

/* Fills *summary. False, and *summary all zeros, where no colours were counted. False for NULL. */
HISTO_API bool histo_summarize_colours (const struct histo_picture_stats *stats, struct histo_colour_summary *summary);

/* ---- weights -------------------------------------------------------------------------------------------------------- */

/* The vectors that rows and columns are multiplied with: row sum y is the dot product of row y and `row`, column sum i that of
 * column i and `column`. NULL is a vector of ones. */
struct histo_weights {
  const int16_t *row;    /* a weight for each sample of a row */
  uint64_t row_count;    /* no row of a frame that is projected may be longer (INVALID) */
  const int16_t *column; /* a weight for each row */
  uint64_t column_count; /* no plane of a frame that is projected may be higher (INVALID) */
};

/* Sets the weights of component `component` (0 .. HISTO_MAX_COMPONENTS - 1) for frames that are submitted from now on; at first
 * all are ones. They are copied. BUSY while anything is in flight; BUSY and NO_MEMORY leave the weights as they were. */
HISTO_API enum histo_status histo_set_weights (struct histo_engine *engine, unsigned component,
                                               const struct histo_weights *weights);

/* ---- counting ------------------------------------------------------------------------------------------------------- */

typedef uint64_t histo_ticket; /* 1, 2, 3 ... in the order of submission */

/* Begins to count `frame` and returns a ticket for its numbers; may return before anything is counted. `frame` itself is
 * copied; the samples (and the operand's) must stay alive and unchanged until the ticket is collected or the engine closed.
 * INVALID, UNSUPPORTED, BUSY and NO_MEMORY leave the engine as it was. After DEVICE it accepts nothing more. */
HISTO_API enum histo_status histo_submit (struct histo_engine *engine, const struct histo_frame *frame, histo_ticket *ticket);

/* Begins to count `count` frames and returns the ticket of the first; the others follow it: first_ticket + 1 ... All are taken
 * or none. BUSY where not all can be in flight. On a GPU, frames in device memory that differ in nothing but addresses are
 * counted by one launch, which is the fast way to count many small frames; their numbers are ready together. (By two, where
 * they come round the end of the max_in_flight slots: a multiple of `count` avoids that.)
 *
 * So are up to 64 frames in device memory that follow each other and differ in their sizes, addresses or layouts, as regions of
 * a picture do, in one launch of each kernel that any of them needs. They are asked for the same, which is neither
 * HISTO_STATISTIC_PROJECTION nor _WAVEFORM nor _VECTORSCOPE; either all have samples of bytes alone, or each has some of two
 * bytes; none has more than 4096 counters for a component, nor saturations of more than 12 bits. And so are frames in host
 * memory where the engine has copies of them, and of their operands, on the device: see histo_frame.id. Other frames are
 * counted as if each had been submitted by itself. */
HISTO_API enum histo_status histo_submit_many (struct histo_engine *engine, const struct histo_frame *frames, unsigned count,
                                               histo_ticket *first_ticket);

/* True where histo_collect would not wait: the numbers are there, or the engine failed. Never waits. False for a ticket that is
 * not in flight. The thread that submits and the one that collects may call it at any time, a third may not. */
HISTO_API bool histo_ready (struct histo_engine *engine, histo_ticket ticket);

/* Waits for the numbers of `ticket`, which must be the oldest not yet collected (INVALID otherwise), and replaces the contents
 * of *stats by them. *stats keeps its memory from call to call. After DEVICE the ticket counts as collected, without numbers;
 * those after it can be collected, with the same outcome. NO_MEMORY leaves the ticket in flight. The thread sleeps while it
 * waits; for a GPU, after it has looked for the numbers for at most 200 microseconds. */
HISTO_API enum histo_status histo_collect (struct histo_engine *engine, histo_ticket ticket, struct histo_stats *stats);

/* ---- memory --------------------------------------------------------------------------------------------------------- */

/* Memory that the engine reads fastest: pinned where it counts on a GPU, which then takes frames from it without a copy by the
 * processor; else ordinary memory. */
struct histo_pinner; /* opaque */

struct histo_block {
  void *data; /* at a multiple of 256 bytes, not cleared */
  size_t size_bytes;
  bool is_pinned; /* false: ordinary memory, because there is no GPU, or no more pinned memory */
};

/* Makes a source of such memory for `engine`. It outlives the engine, even one that failed, but not a cuda_context that the
 * engine borrowed. NO_MEMORY, DEVICE. Owned by the caller; any thread may use it. */
HISTO_API enum histo_status histo_pinner_open (const struct histo_engine *engine, struct histo_pinner **pinner);

/* A block of at least `size_bytes`. Pinning takes a millisecond for some MiB: blocks are for use again and again. NO_MEMORY. */
HISTO_API enum histo_status histo_pinner_alloc (struct histo_pinner *pinner, size_t size_bytes, struct histo_block *block);

/* Gives a block back, which the GPU must not be reading, and makes it all zeros. */
HISTO_API void histo_pinner_free (struct histo_pinner *pinner, struct histo_block *block);

/* After all blocks were given back. Sets *pinner to NULL. Accepts NULL and a pointer to NULL. */
HISTO_API void histo_pinner_close (struct histo_pinner **pinner);

#ifdef __cplusplus
}
#endif

#endif
