/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Constants of the host's code that were measured on a GPU: a table with one row for each generation of GPUs. They change the
 * speed, never the numbers. Each group names the program in tests/bench that measures it.
 *
 * Kernels are compiled with other measured constants. Those are in the headers that host and kernels share: the threads of a
 * block (HISTO_CUDA_THREADS, ..._SMALL_THREADS, ..._PICTURE_THREADS, ..._CELL_THREADS, ..._CELL_THREADS_OF_MANY,
 * ..._PROJECT_THREADS, ..._PROJECT_ANY_THREADS, ..._WAVEFORM_THREADS, ..._VECTORSCOPE_THREADS), and the size of its tables
 * (HISTO_CUDA_WIDE, ..._NARROW, ..._PICTURE_COLUMNS_LOG2, ..._PICTURE_SHARED_BYTES, ..._PROJECT_COLUMNS). */

#pragma once

#include "cuda/host/driver.h"

struct histo_cuda_tuning {
  unsigned capability; /* for devices from this compute capability on, times ten, up to the next row's */

  /* Frames in host memory, by the bytes of their copy. Program: bench_cuda, table "when to copy". */
  size_t zero_copy_idle_bytes; /* largest pinned frame that a kernel reads in place if none is in flight: by time per frame */
  size_t zero_copy_busy_bytes; /* the same if others are in flight, whose kernels run beside copies: by frames per second */
  size_t bounce_bytes;         /* largest pageable frame that the calling thread copies to pinned memory for a kernel */

  /* Time that collect polls for the numbers before it sleeps. A pinned frame of 1080p crosses the bus in 40 to 60 us, one of 4K
   * in 160 to 180. A sleeping thread gets the numbers 50 us later. Program: bench_cuda. */
  uint64_t spin_ns;

  /* Histograms. Program: ladder.cu. A large frame gets one block on each multiprocessor, which is enough to read at the speed
   * of the memory. */
  uint32_t block_bytes;  /* of a frame for each block: more blocks do not speed up a small frame */
  uint32_t small_frames; /* number of frames in a launch from which on `histo_count_small` is faster */

  /* Row and column sums. Program: ladder.cu. */
  uint32_t project_rows;   /* minimum of a block: with fewer, starting and ending cost more than summing */
  uint32_t project_blocks; /* for each multiprocessor */

  /* Statistics of a picture. Program: bench_picture. */
  uint32_t picture_rows;   /* of a block, for one frame: few, so that all multiprocessors have work */
  uint32_t picture_blocks; /* maximum for each multiprocessor: with more, many frames spend longer in adding up tables */

  /* Waveforms. Program: bench_picture. A block clears its bins and adds them up. */
  uint32_t waveform_rows;   /* minimum of a block: with fewer, that costs more than counting */
  uint32_t waveform_blocks; /* for each multiprocessor */
};

#define HISTO_CUDA_TUNINGS 1
extern const struct histo_cuda_tuning histo_cuda_tunings[HISTO_CUDA_TUNINGS]; /* by compute capability, the lowest first */

/* The row for a compute capability, times ten. The first row also stands for earlier devices. */
const struct histo_cuda_tuning *histo_cuda_find_tuning (unsigned capability);

/* The row for a device. DEVICE: the log has the cause. */
enum histo_status histo_cuda_read_tuning (const struct histo_cuda_driver *driver, CUdevice device,
                                          const struct histo_cuda_tuning **tuning);
