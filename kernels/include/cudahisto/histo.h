/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* cudahisto, the engine. It counts the histogram, the sum and the sum of squares of each component of a frame. On request (enum
 * histo_statistic) it also counts dot products with and differences from another frame, row and column sums, and statistics of
 * the picture. It runs on an NVIDIA GPU or on the CPU; the results are exact and equal.
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
 * Threads: one thread at a time may submit, and one thread at a time, the same or another, may collect. Both may run at once,
 * and both may call histo_ready at any time. During any other call on an engine, no other thread may use that engine. Engines
 * are independent of each other. The library never prints and never aborts. All engines of the process share its threads,
 * `histo-worker` and `histo-staging`. They start with the first frame that needs them and end with the last engine. They block
 * all signals except those that a fault raises.
 *
 * fork(): the child can only close the engines and pinners of its parent. For these, histo_ready returns true, so that the
 * caller does not wait, and other calls return HISTO_ERROR_FORKED at once. Closing uses neither threads nor the driver, and
 * frees no memory: its pages stay shared with the parent until either process writes to them. Engines that the child opens
 * itself work as usual, except with CUDA: the driver does not support a process that was forked after its first use.
 * HISTO_BACKEND_CUDA then fails with HISTO_ERROR_NO_DRIVER, and AUTO chooses the CPU. The fork does not affect the parent.
 *
 * ABI: until 1.0 the layout of the structs may change with a minor version only. The soname contains the minor version
 * (libcudahisto.so.0.2), so that a program always runs with the layout that it was built for. */

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
#define HISTO_MAX_COMPONENTS 4 /* of a frame */
#define HISTO_MAX_DERIVED 3    /* components derived from these, see struct histo_matrix */
#define HISTO_MAX_COUNTED (HISTO_MAX_DERIVED + HISTO_MAX_COMPONENTS)
#define HISTO_MAX_IN_FLIGHT 8192
#define HISTO_BINS 256       /* bins of an 8-bit histogram, and the default of deeper ones */
#define HISTO_MAX_BINS 65536 /* bins of a histogram of 16-bit samples, the largest */
#define HISTO_MAX_WAVEFORM_COLUMNS 16384

struct CUctx_st;    /* what a CUcontext points to */
struct CUstream_st; /* what a CUstream points to */

/* ---- outcomes ------------------------------------------------------------------------------------------------------- */

enum histo_status {
  HISTO_OK = 0,
  HISTO_ERROR_INVALID,     /* an argument is outside the range that this header gives */
  HISTO_ERROR_UNSUPPORTED, /* the frame is valid, but this version cannot count it */
  HISTO_ERROR_BUSY,        /* max_in_flight frames are waiting to be collected: collect one, then submit again */
  HISTO_ERROR_NO_MEMORY,   /* host memory is exhausted, or device memory if a frame or weights need it */
  HISTO_ERROR_NO_DRIVER,   /* libcuda is absent, lacks a function that the engine needs, or was in use before a fork */
  HISTO_ERROR_NO_DEVICE,   /* the driver works, but has no usable device with that number */
  HISTO_ERROR_DEVICE,      /* a driver call failed: device lost, kernel fault. Close the engine */
  HISTO_ERROR_FORKED       /* a parent of this process opened the engine or pinner: close it, and open another */
};

/* One sentence in English for a status, without a full stop. Never NULL. The text is static. */
HISTO_API const char *histo_status_text (enum histo_status status);

enum histo_log_level {
  /* Details of a failure that the call also returns. */
  HISTO_LOG_ERROR,
  /* The call succeeds, but the user should know, for example that a GPU or its driver cannot be used and the CPU counts. One
   * whole sentence, with the remedy. */
  HISTO_LOG_WARNING,
  /* Which backend was chosen, and why. A missing driver or device causes no warning. */
  HISTO_LOG_INFO
};

/* `message` is one line without a newline, valid during the call. Called on the calling thread or on one of the library's
 * threads. Several threads may call it at once, except during histo_open. The library holds no lock meanwhile: the callback may
 * call any function that takes no engine and, after histo_open has returned, histo_ready and histo_engine_info. It must not
 * call functions that wait for an engine, such as histo_collect and histo_close: it may run on the thread that counts. */
typedef void (*histo_log_function) (void *user_data, enum histo_log_level level, const char *message);

/* ---- engine --------------------------------------------------------------------------------------------------------- */

enum histo_backend {
  HISTO_BACKEND_AUTO = 0,  /* CUDA if a device opens, otherwise CPU */
  HISTO_BACKEND_REFERENCE, /* plain loops: the definition of every number; slow, works inside submit */
  HISTO_BACKEND_CPU,       /* threads and vector instructions */
  HISTO_BACKEND_CUDA       /* an NVIDIA GPU through libcuda */
};

/* Instruction sets beyond the compiler's baseline for which the CPU backend has code: bits of histo_config.cpu_isa_disable. */
enum histo_isa { HISTO_ISA_AVX2 = 1 << 0 };

/* All zeros except cuda_device = -1 is a good configuration. */
struct histo_config {
  enum histo_backend backend;
  int cuda_device;               /* the driver's device number, from 0; -1: the first that opens. Ignored with a context */
  struct CUctx_st *cuda_context; /* borrowed, must outlive the engine; NULL: the engine retains the device's primary context */
  /* CPU backend: the maximum number of workers that count for the engine at once. 0: one for each core that the process may use
   * by its affinity and the quota of its cgroups, rounded up. */
  unsigned threads;
  /* Frames submitted and not yet collected, 1 .. HISTO_MAX_IN_FLIGHT; 0: 8. On a GPU each takes 33 KiB of pinned memory and 33
   * KiB of device memory for its numbers. The first launch of frames of different sizes adds 2 KiB of pinned memory to each.
   * For frames with more bins see histo_component.bins. */
  unsigned max_in_flight;
  uint32_t cpu_isa_disable; /* enum histo_isa bits: instruction sets not to use */
  histo_log_function log;   /* may be NULL */
  void *log_data;           /* passed to `log` */
};

struct histo_engine; /* opaque */

/* Opens the backend that `config` selects (NULL: AUTO, device -1). On success the caller owns *engine and closes it. On failure
 * *engine is NULL and the log has the cause in words that help the user ("libcuda.so.1: cannot open shared object file"). AUTO
 * fails only if the CPU backend fails. */
HISTO_API enum histo_status histo_open (const struct histo_config *config, struct histo_engine **engine);

/* Waits for the frames in flight, discards their numbers, frees everything and sets *engine to NULL. Accepts NULL and a pointer
 * to NULL. */
HISTO_API void histo_close (struct histo_engine **engine);

struct histo_info {
  enum histo_backend backend; /* in use, never AUTO */
  char backend_name[16];      /* "reference", "cpu" or "cuda" */
  char device_name[112];      /* for logs: "NVIDIA H200", "8 threads, avx2" */
  unsigned threads;           /* maximum number of workers that count at once; 0: the engine has no workers */
  unsigned max_in_flight;     /* as configured, or the default */
};

/* Describes the open engine. Lives as long as the engine. */
HISTO_API const struct histo_info *histo_engine_info (const struct histo_engine *engine);

/* ---- frame ---------------------------------------------------------------------------------------------------------- */

enum histo_memory {
  HISTO_MEMORY_HOST = 0, /* pageable or pinned memory of the process */
  HISTO_MEMORY_DEVICE    /* memory of the engine's CUDA device; CUDA backend only */
};

/* Rows of bytes. Row y begins at (const uint8_t *) data + y * stride_bytes. */
struct histo_plane {
  const void *data;    /* any alignment; owned by the caller; may be NULL if the components have no byte in it */
  size_t stride_bytes; /* from one row to the next; at least the bytes of a row that components use; ignored for one row */
  uint32_t height;     /* rows; 0 is an empty plane */
};

/* The samples of one component. Each row of its plane has `width` samples, the i-th at offset_bytes + i * step_bytes. Y of YUY2
 * is { .offset_bytes = 0, .step_bytes = 2 }, its V { .offset_bytes = 3, .step_bytes = 4 }. */
struct histo_component {
  unsigned plane;        /* index into histo_frame.planes */
  size_t offset_bytes;   /* of the first sample of a row */
  size_t step_bytes;     /* from one sample to the next, at least sample_bytes; 1 for planar 8-bit data */
  uint64_t width;        /* samples in a row; 0 is an empty component. At most 2^48 samples in all rows, 2^32 of two bytes */
  unsigned sample_bytes; /* bytes of one sample: 1 or 2 */
  unsigned depth;        /* significant bits: 8 in one byte, 9 .. 16 in two */
  unsigned shift;        /* position of the lowest significant bit: 0 in one byte, 0 .. 16 - depth in two. Y of P010 has depth
                          * 10, shift 6. The other bits are ignored */
  bool big_endian;       /* byte order of two bytes */

  /* Bins of the histogram. HISTO_BINS, or 0 for the same: a value is counted in bin value >> (depth - 8). 1 << depth: one bin
   * for each value, which histo_summarize needs for exact values of deep samples.
   *
   * On a GPU, a frame with more than about 3000 bins in all takes 8 bytes of pinned memory and 8 bytes of device memory for
   * each bin, or 4 if a component has more than 4096 bins: three components of 65536 bins take 0.75 MiB of both. Each of the
   * histo_config.max_in_flight slots allocates that with its first such frame, and keeps it until the engine is closed: 256
   * slots take 192 MiB of both. A component with more than 4096 bins must have fewer than 2^32 samples there; otherwise the
   * frame is UNSUPPORTED. The first such frame of an engine also takes device memory for the tables of all blocks: up to 256
   * KiB for each multiprocessor and 8 MiB, 41 MiB on an NVIDIA H200. */
  unsigned bins;
};

/* Statistics that a frame may request. The histogram, the sum and the sum of squares of each component are always counted. A
 * statistic that is not requested costs nothing. Definitions: docs/statistics.md.
 *
 * Statistics of the picture use component 0 as luma (Y'). Statistics of its colours use component 1 as Cb and component 2 as
 * Cr, or the derived components, if there are any. Luma then has at most 65536 rows and 65536 samples in a row. Cb and Cr have
 * the depth of luma. They are equal in size, within the same limits, and have a sample for each of luma: see struct
 * histo_chroma. INVALID otherwise. */
enum histo_statistic {
  HISTO_STATISTIC_DOT = 1 << 0,        /* of each component with the operand's. Ignored without an operand */
  HISTO_STATISTIC_PROJECTION = 1 << 1, /* row and column sums, see histo_weights. At most 2^32 samples a component */
  /* Of each component from the operand's. Ignored without an operand. At most 2^31 samples a component. */
  HISTO_STATISTIC_DIFFERENCE = 1 << 2,
  HISTO_STATISTIC_OUTLIERS = 1 << 3,     /* picture: luma samples unlike those above and below (signalstats: TOUT) */
  HISTO_STATISTIC_REPEATS = 1 << 4,      /* picture: rows of luma like the fourth above (VREP) */
  HISTO_STATISTIC_SATURATION = 1 << 5,   /* colours: the distance from grey (SAT) */
  HISTO_STATISTIC_HUE = 1 << 6,          /* colours: the angle in degrees (HUE) */
  HISTO_STATISTIC_OUT_OF_RANGE = 1 << 7, /* picture and colours: samples outside the broadcast range (BRNG) */
  HISTO_STATISTIC_GAMUT = 1 << 8,        /* picture and colours: samples outside the gamut, see struct histo_gamut */
  /* Of each component: how often each value occurs in each column, see histo_frame.waveform_columns. At most 2^31 samples a
   * component, and 65536 in a row. */
  HISTO_STATISTIC_WAVEFORM = 1 << 9,
  /* Colours: how often each Cb occurs with each Cr. At most 2^31 samples a component. */
  HISTO_STATISTIC_VECTORSCOPE = 1 << 10,
  /* Picture and colours: the light of each luma sample, see struct histo_light. At most 2^31 samples a component. */
  HISTO_STATISTIC_LIGHT = 1 << 11
};

/* The chroma sample of each luma sample: sample x of row y has chroma sample (x + phase_x) >> shift_x of row (y + phase_y) >>
 * shift_y. I420 has shifts 1 and 1. A phase is 1 if the picture was cropped in the middle of a chroma sample. */
struct histo_chroma {
  uint8_t shift_x, shift_y; /* 0 .. 2 */
  uint8_t phase_x, phase_y; /* below 1 << shift */
};

#define HISTO_GAMUT_ONE 16384 /* 1.0 in struct histo_gamut */

/* Defines the luma samples outside the gamut. cb and cr are the chroma samples of a luma sample, minus 2^(depth - 1). The luma
 * sample is outside if any of
 *
 *   Y'  ONE * Y                  G'  ONE * Y + g_cb * cb + g_cr * cr
 *   R'  ONE * Y + r_cr * cr      B'  ONE * Y + b_cb * cb
 *
 * is below `min` or above `max`; ONE is HISTO_GAMUT_ONE. For a frame of R', G' and B' (is_rgb) each is ONE times its sample.
 *
 * INVALID if min is below -2^30, above 2^30 - ONE, or not below max, or if |g_cb| + |g_cr| is above 32767. */
struct histo_gamut {
  int16_t r_cr, g_cb, g_cr, b_cb;
  int32_t min, max;
  /* Components 0, 1 and 2 of the frame are R', G' and B'; then r_cr ... b_cb are ignored, and chroma is not subsampled. */
  bool is_rgb;
};

/* Fills *gamut with the gamut of EBU R103 v3 for samples of 8 .. 16 bits: Y', R', G' and B' of 5 .. 246, times 2^(depth - 8),
 * on the scale on which black is 16 and white 235. R', G' and B' are rounded to integers on that scale, halves up. The
 * coefficients are rounded to the nearest. `kr` and `kb`: the weights of red and blue in luma, 0.2126 and 0.0722 in BT.709.
 * `is_full`: the samples have the full range, in which black is 0. For R', G' and B' use any kr and kb, and set is_rgb.
 *
 * Returns false and zeroes *gamut for any other depth, if kr, kb or 1 - kr - kb is not positive, or if a coefficient would be
 * 2. */
HISTO_API bool histo_find_gamut (struct histo_gamut *gamut, double kr, double kb, bool is_full, unsigned depth);

#define HISTO_LIGHT_CODES 4096    /* 12-bit codes of SMPTE ST 2084 (PQ): code c is the signal c / 4095 */
#define HISTO_LIGHT_ONE_LOG2 17   /* 1 code in struct histo_light is 1 << 17 */
#define HISTO_LIGHT_WEIGHTS 65536 /* sum of the weights of R, G and B */

/* Transfer functions of ITU-R BT.2100. */
enum histo_transfer {
  HISTO_TRANSFER_PQ = 0, /* SMPTE ST 2084 */
  HISTO_TRANSFER_HLG     /* for a display with a peak of 1000 nits, whose system gamma is 1.2 */
};

enum histo_light_source {
  HISTO_LIGHT_MAX_RGB = 0, /* the largest of R, G and B (CTA-861.3) */
  HISTO_LIGHT_LUMINANCE    /* their weighted sum */
};

/* Defines the light of the luma samples of an HDR picture. cb and cr are the chroma samples of a luma sample Y, minus 2^(depth
 * - 1). The signals, in codes times 1 << HISTO_LIGHT_ONE_LOG2, are
 *
 *   R'  luma * Y + offset + r_cr * cr      G'  luma * Y + offset + g_cb * cb + g_cr * cr
 *   B'  luma * Y + offset + b_cb * cb
 *
 * `offset` contains half a code. For a frame of R', G' and B' (is_rgb) each is luma * sample + offset. The light of PQ with
 * HISTO_LIGHT_MAX_RGB is the largest signal, shifted by HISTO_LIGHT_ONE_LOG2, which rounds half up, and limited to 0 ..
 * HISTO_LIGHT_CODES - 1. docs/statistics.md defines the others, which use the tables of docs/internals/exactness.md.
 *
 * On a GPU, a frame in flight takes 16 KiB of pinned memory and 16 KiB of device memory for the histogram of codes. Each of the
 * histo_config.max_in_flight slots takes 32 KiB of ordinary memory, on the CPU too. HLG, and PQ with HISTO_LIGHT_LUMINANCE, use
 * tables of 162 KiB: on a GPU once an engine and transfer function, in ordinary memory 324 KiB once a process. The engine keeps
 * its memory until it is closed.
 *
 * INVALID if luma is not positive, if any sum for samples of the depth does not fit into an int32_t, if the weights exceed
 * HISTO_LIGHT_WEIGHTS, or if transfer or source has no name above. */
struct histo_light {
  int32_t luma, offset;
  int32_t r_cr, g_cb, g_cr, b_cb;
  uint32_t weights[3]; /* of R, G and B in luminance, in units of 1 / HISTO_LIGHT_WEIGHTS; ignored for PQ with MAX_RGB */
  enum histo_transfer transfer;
  enum histo_light_source source;
  bool is_rgb; /* components 0, 1 and 2 are R', G' and B'; then r_cr ... b_cb are ignored, and chroma is not subsampled */
};

/* Fills *light for samples of 8 .. 16 bits, with coefficients rounded to the nearest: black has code 0, and white 4095. `kr`,
 * `kb` and `is_full` as for histo_find_gamut; for R', G' and B' use any kr and kb, and set is_rgb. Codes are at most 1 from
 * those of exact arithmetic. Sets PQ and MAX_RGB: set transfer and source for others.
 *
 * Returns false and zeroes *light for any other depth, if kr, kb or 1 - kr - kb is not positive, or if a frame with *light
 * would be INVALID. */
HISTO_API bool histo_find_light (struct histo_light *light, double kr, double kb, bool is_full, unsigned depth);

#define HISTO_NIT 10000 /* 1 nit (cd/m2) in the unit of histo_find_nits */

/* The luminance of a code by SMPTE ST 2084, in units of 0.0001 nit, rounded to the nearest: 0 for code 0, 10000 nits for 4095
 * and above. */
HISTO_API uint32_t histo_find_nits (unsigned code);

/* Defines luma and chroma of samples R', G' and B' of `depth` bits:
 *
 *   Y'  = (y[0] * R' + y[1] * G' + y[2] * B' + half) >> shift
 *   Cb  = (cb[0] * R' + cb[1] * G' + cb[2] * B' + half) >> shift, plus 2^(depth - 1)
 *   Cr  = the same with cr
 *
 * with half = 2^(shift - 1) and an arithmetic shift. Cb and Cr are limited to 0 .. 2^depth - 1. Luma and chroma have the range
 * of R', G' and B'. Each result differs from the exact one by at most half a sample, and 0.04 for the rounded coefficients.
 *
 * INVALID unless shift is that of histo_find_matrix, no coefficient of Y' is negative and their sum is 2^shift, and the
 * coefficients of Cb, and of Cr, are at most 2^shift, one of them positive, with a sum of 0. */
struct histo_matrix {
  int32_t y[3], cb[3], cr[3]; /* of R', G', B' */
  uint32_t shift;             /* 30 - depth for up to 12 bits, otherwise 30 */
};

/* Fills *matrix. `kr` and `kb`: the weights of red and blue in luma, 0.2126 and 0.0722 in BT.709. `is_full`: R', G' and B' have
 * the full range; otherwise black is 16 and white 235, times 2^(depth - 8). `depth`: 8 .. 16. Coefficients are rounded to the
 * nearest, and that of green makes the sum exact: Y' of grey is R', and its Cb and Cr are 2^(depth - 1).
 *
 * Returns false and zeroes *matrix for any other depth, or if kr, kb or 1 - kr - kb is not positive. */
HISTO_API bool histo_find_matrix (struct histo_matrix *matrix, double kr, double kb, bool is_full, unsigned depth);

/* The samples to count. The engine reads only the samples of the components, never the bytes around them. One pass over a plane
 * counts all components in it. */
struct histo_frame {
  enum histo_memory memory;
  unsigned plane_count;                                            /* 1 .. HISTO_MAX_PLANES */
  unsigned component_count;                                        /* 1 .. HISTO_MAX_COMPONENTS */
  struct histo_plane planes[HISTO_MAX_PLANES + HISTO_MAX_DERIVED]; /* those beyond HISTO_MAX_PLANES are the engine's own */
  struct histo_component components[HISTO_MAX_COUNTED];            /* likewise those beyond HISTO_MAX_COMPONENTS */

  /* The number of components that the engine derives from components 0, 1 and 2, which are R', G' and B', equal in size and
   * depth, without subsampling, with at most 65536 rows and 65536 samples in a row: 0, 1 (Y') or 3 (Y', Cb and Cr). They have
   * the depth and the bins of R'. The results have them first, before those of `components`, and all statistics include
   * them. INVALID otherwise, and for statistics of colours with a single derived component, except the gamut and the light
   * with is_rgb.
   *
   * On a GPU, luma and chroma of a frame in flight, and of its operand, take device memory: a sample for each pixel and derived
   * component. Such frames are launched one by one. On the CPU, each worker takes memory for some rows. The engine keeps that
   * memory until it is closed. */
  unsigned derived_count;
  struct histo_matrix matrix; /* ignored without derived components */

  uint32_t statistics;        /* bits of enum histo_statistic, besides the histogram and the sums */
  struct histo_chroma chroma; /* all zeros if chroma is not subsampled or not used */
  struct histo_gamut gamut;   /* for HISTO_STATISTIC_GAMUT; ignored otherwise */
  struct histo_light light;   /* for HISTO_STATISTIC_LIGHT; ignored otherwise */

  /* 1 .. HISTO_MAX_WAVEFORM_COLUMNS for a waveform; ignored otherwise. On a GPU, a frame in flight takes 1 KiB of pinned memory
   * and 1 KiB of device memory for each column of each component, and 256 KiB of both for a vectorscope. On the CPU, each
   * worker takes the same amount of ordinary memory, and each of the histo_config.max_in_flight slots twice the amount, 8 bytes
   * a bin. The engine keeps that memory until it is closed. */
  uint32_t waveform_columns;

  /* The other frame of dot products and differences, or NULL. It must have the same memory, plane heights and components.
   * Addresses and strides may differ. It has the same derived_count, and the frame's matrix applies. Its own `operand`,
   * `statistics`, `chroma`, `matrix`, `waveform_columns`, `gamut` and `light` are ignored. Submit copies the struct; the
   * samples must live as long as the frame's. */
  const struct histo_frame *operand;

  /* Identifies the contents of the memory of the planes: frames with equal ids other than 0 must find the same contents there.
   * An engine that copies frames to the device may then reuse a copy of the same rows, or of more rows, at the same address:
   * for an operand, and for a part of the previous frame. 0: never. */
  uint64_t id;

  /* Device memory: the stream that completes the samples; NULL: they are complete. */
  struct CUstream_st *stream;
};

/* ---- results -------------------------------------------------------------------------------------------------------- */

/* The exact numbers of one component. x is a sample of the component, y the operand's sample. The histo_stats owns the arrays.
 * They are valid until it is next filled, reset or cleared. */
struct histo_component_stats {
  uint64_t count;               /* samples counted */
  uint64_t sum;                 /* of x */
  uint64_t sum_of_squares;      /* of x * x: bits 0 to 63 */
  uint64_t sum_of_squares_high; /* bits 64 to 127: 0 except after histo_stats_add of many frames of deep samples */
  uint64_t dot;                 /* of x * y, as sum_of_squares; 0 without an operand */
  uint64_t dot_high;
  uint64_t dot_count;           /* samples that had an operand: count or, after histo_stats_add, less */
  uint64_t absolute_difference; /* of |x - y|; 0 without an operand */
  uint64_t squared_difference;  /* of (x - y) * (x - y), as sum_of_squares; 0 without an operand */
  uint64_t squared_difference_high;
  uint64_t difference_count; /* samples in both differences: count or, after histo_stats_add, less */
  uint32_t depth;            /* bits of a sample */
  uint32_t bins;             /* length of `histogram` */
  uint64_t *histogram;       /* adds up to `count`; see histo_component.bins */

  /* The waveform, if the frame requested it and the component has samples, otherwise NULL and 0. A value whose upper 8 bits are
   * v, in column x of the component, is counted in waveform[c * HISTO_BINS + v] with c = floor (x * waveform_columns / width):
   * each column of the waveform is the histogram of one or more adjacent columns. The bins add up to `count`. */
  uint32_t waveform_columns; /* histo_frame.waveform_columns or the component's width, whichever is less */
  uint64_t *waveform;

  /* Projections, if the frame requested them and the component has samples, otherwise NULL and 0. See histo_weights. */
  uint32_t rows;        /* of the component's plane */
  uint64_t columns;     /* samples in a row */
  int64_t *row_sums;    /* row_sums[y]: of the samples of row y times their columns' weights */
  int64_t *column_sums; /* column_sums[i]: of the i-th samples of all rows times their rows' weights */
};

#define HISTO_HUES 360          /* degrees */
#define HISTO_VECTORSCOPE 65536 /* bins of a vectorscope: 256 rows of 256 */

/* The exact numbers of a picture. Statistics that were not requested are 0 or NULL. The histo_stats owns the arrays. */
struct histo_picture_stats {
  uint32_t statistics;       /* requested statistics: bits of enum histo_statistic */
  uint64_t luma_count;       /* luma samples; the next four are parts of this number */
  uint64_t outliers;         /* samples */
  uint64_t repeats;          /* samples in rows that repeat the fourth above */
  uint64_t out_of_range;     /* samples out of range, or whose chroma is */
  uint64_t gamut_errors;     /* samples outside the gamut, with their chroma */
  uint64_t chroma_count;     /* chroma samples: the sum of each array below */
  uint32_t saturation_count; /* length of `saturation`: one bin for each saturation that the depth allows */
  uint64_t *saturation;
  uint64_t *hue;         /* HISTO_HUES bins */
  uint64_t *vectorscope; /* HISTO_VECTORSCOPE bins: Cb and Cr with upper 8 bits u and v are counted in [256 * v + u] */
  uint64_t *light;       /* HISTO_LIGHT_CODES bins, which add up to luma_count: see struct histo_light */
};

/* The numbers of one frame or, after histo_stats_add, of many. All zeros is valid and empty. A program may also fill one with
 * its own numbers, as `part` of histo_stats_add. It then owns the components, picture and arrays, and `storage` is NULL. */
struct histo_stats {
  unsigned component_count;
  struct histo_component_stats
      *components; /* component_count: derived ones, then those of histo_frame.components; owned, like their arrays */
  struct histo_picture_stats *picture; /* owned; NULL if no statistic of the picture was requested */
  uint64_t *storage;                   /* private */
  size_t storage_count;                /* private */
};

/* Adds `part` to `total`. An empty total becomes a copy. Otherwise both must have the same components, depths, bins,
 * projections, waveforms and statistics of the picture (INVALID). Only an empty total allocates memory (NO_MEMORY). Sums
 * overflow after 2^48 samples, a row or column sum after 2^32. */
HISTO_API enum histo_status histo_stats_add (struct histo_stats *total, const struct histo_stats *part);

/* Empties `stats` and keeps its memory for the next use. */
HISTO_API void histo_stats_reset (struct histo_stats *stats);

/* Frees the memory of `stats` and empties it. Accepts NULL. */
HISTO_API void histo_stats_clear (struct histo_stats *stats);

/* Statistics derived from the exact numbers. Definitions: docs/statistics.md. */
struct histo_summary {
  double mean;     /* sum / count */
  double variance; /* population form, (count * sum_of_squares - sum^2) / count^2, the numerator exact */
  double stddev;   /* square root of the variance */

  /* The number of values that share a bin. 1: the values below are exact. More, for deep samples in a histogram of HISTO_BINS:
   * each value is the lowest of its bin, and the exact one is at most resolution - 1 above. For exact values request 1 << depth
   * bins. */
  uint32_t resolution;

  uint32_t min, max; /* smallest and largest value that occurs */
  /* The smallest value whose cumulative count is at least 1 and at least lrint (count * 0.10), 0.50 and 0.90, as in FFmpeg's
   * signalstats. */
  uint32_t low, median, high;

  uint32_t used_bits; /* bits that are 1 in any value that occurs, to within `resolution` (signalstats: YBITDEPTH) */
};

/* Fills *summary. Returns false and zeroes *summary if no sample was counted. Returns false for NULL. */
HISTO_API bool histo_summarize (const struct histo_component_stats *stats, struct histo_summary *summary);

/* The summary of a picture's colours. Statistics that were not requested are 0. */
struct histo_colour_summary {
  double saturation_mean;
  uint32_t saturation_min, saturation_max;
  uint32_t saturation_low, saturation_high; /* as histo_summary.low and high */
  double hue_mean;                          /* degrees: the arithmetic mean, although hues lie on a circle (HUEAVG) */
  uint32_t hue_median;                      /* the smallest with a cumulative count above chroma_count / 2 (HUEMED) */
};

/* Fills *summary. Returns false and zeroes *summary if no colours were counted. Returns false for NULL. */
HISTO_API bool histo_summarize_colours (const struct histo_picture_stats *stats, struct histo_colour_summary *summary);

/* The summary of a picture's light. */
struct histo_light_summary {
  uint64_t sum;                  /* of the luminance of all luma samples, in units of 0.0001 nit: bits 0 to 63 */
  uint64_t sum_high;             /* bits 64 to 127 */
  uint64_t code_sum;             /* of the codes of all luma samples */
  uint32_t min_code, max_code;   /* smallest and largest that occurs */
  double average_code;           /* code_sum / luma_count */
  double max_nits, average_nits; /* of max_code; sum / luma_count / HISTO_NIT */
  double percentile_50;          /* nits of the code of this rank, as histo_summary.median */
  double percentile_90, percentile_99;
  double percentile_99_9, percentile_99_99;
  double limited_average_nits; /* as average_nits, with luminance above percentile_99_99 counted as that */
};

/* Fills *summary. Returns false and zeroes *summary if no light was counted. Returns false for NULL. */
HISTO_API bool histo_summarize_light (const struct histo_picture_stats *stats, struct histo_light_summary *summary);

/* ---- weights -------------------------------------------------------------------------------------------------------- */

/* The vectors for row and column sums: row sum y is the dot product of row y and `row`, column sum i that of column i and
 * `column`. NULL is a vector of ones. */
struct histo_weights {
  const int16_t *row;    /* a weight for each sample of a row */
  uint64_t row_count;    /* at least the longest row of a projected frame (INVALID) */
  const int16_t *column; /* a weight for each row */
  uint64_t column_count; /* at least the highest plane of a projected frame (INVALID) */
};

/* Sets the weights of component `component` of the results (0 .. HISTO_MAX_COUNTED - 1) for frames submitted from now on.
 * Initially all weights are 1. The vectors are copied. BUSY if any frame is in flight. BUSY and NO_MEMORY leave the weights
 * unchanged. */
HISTO_API enum histo_status histo_set_weights (struct histo_engine *engine, unsigned component,
                                               const struct histo_weights *weights);

/* ---- counting ------------------------------------------------------------------------------------------------------- */

typedef uint64_t histo_ticket; /* 1, 2, 3 ... in the order of submission */

/* Begins to count `frame` and returns a ticket for its numbers. It may return before counting starts. `frame` is copied. The
 * samples, and the operand's, must stay alive and unchanged until the ticket is collected or the engine closed. INVALID,
 * UNSUPPORTED, BUSY and NO_MEMORY leave the engine unchanged. After DEVICE the engine accepts no more frames. */
HISTO_API enum histo_status histo_submit (struct histo_engine *engine, const struct histo_frame *frame, histo_ticket *ticket);

/* Begins to count `count` frames and returns the ticket of the first; the others follow: first_ticket + 1 ... It accepts all
 * frames or none. BUSY if the free slots do not suffice.
 *
 * On a GPU, one launch counts frames in device memory that differ only in addresses; their numbers are ready together. This is
 * the fast way to count many small frames. Frames that wrap around the end of the max_in_flight slots take two launches: make
 * max_in_flight a multiple of `count` to avoid that.
 *
 * One launch of each kernel also counts up to 64 consecutive frames in device memory that differ in size, address or layout,
 * such as regions of a picture. They must request the same statistics, without HISTO_STATISTIC_PROJECTION, _WAVEFORM,
 * _VECTORSCOPE and _LIGHT. Either all have only samples of one byte, or each has some of two bytes. No component has more than
 * 4096 bins, and no saturation more than 12 bits. The same holds for frames in host memory if the engine has copies of them and
 * of their operands on the device: see histo_frame.id. Other frames are counted as if submitted separately. */
HISTO_API enum histo_status histo_submit_many (struct histo_engine *engine, const struct histo_frame *frames, unsigned count,
                                               histo_ticket *first_ticket);

/* True if histo_collect would not wait: the numbers are ready, or the engine failed. Never waits. False for a ticket that is
 * not in flight. The submitting and the collecting thread may call it at any time; a third thread may not. */
HISTO_API bool histo_ready (struct histo_engine *engine, histo_ticket ticket);

/* Waits for the numbers of `ticket`, which must be the oldest not yet collected (INVALID otherwise), and replaces the contents
 * of *stats. *stats keeps its memory from call to call. After DEVICE the ticket counts as collected, without numbers; later
 * tickets can be collected and also return DEVICE. NO_MEMORY leaves the ticket in flight. The thread sleeps while it waits. For
 * a GPU it first polls for at most 200 microseconds. */
HISTO_API enum histo_status histo_collect (struct histo_engine *engine, histo_ticket ticket, struct histo_stats *stats);

/* ---- memory --------------------------------------------------------------------------------------------------------- */

/* Allocates the memory that the engine reads fastest. For a GPU it is pinned, and the GPU reads frames from it without a copy
 * by the processor. Otherwise it is ordinary memory. */
struct histo_pinner; /* opaque */

struct histo_block {
  void *data; /* aligned to 256 bytes, not zeroed */
  size_t size_bytes;
  bool is_pinned; /* false: ordinary memory, because there is no GPU or no more pinned memory */
};

/* Opens a pinner for `engine`. It outlives the engine, even one that failed, but not a cuda_context that the engine borrowed.
 * NO_MEMORY, DEVICE. The caller owns it; any thread may use it. */
HISTO_API enum histo_status histo_pinner_open (const struct histo_engine *engine, struct histo_pinner **pinner);

/* Allocates a block of at least `size_bytes`. Pinning some MiB takes a millisecond, so reuse blocks. NO_MEMORY. */
HISTO_API enum histo_status histo_pinner_alloc (struct histo_pinner *pinner, size_t size_bytes, struct histo_block *block);

/* Frees a block and zeroes *block. The GPU must not be reading the block. */
HISTO_API void histo_pinner_free (struct histo_pinner *pinner, struct histo_block *block);

/* Closes a pinner whose blocks are all freed. Sets *pinner to NULL. Accepts NULL and a pointer to NULL. */
HISTO_API void histo_pinner_close (struct histo_pinner **pinner);

#ifdef __cplusplus
}
#endif

#endif
