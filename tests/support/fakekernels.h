/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The engine's kernels as the fake GPU runs them: plain loops, after checks of the launch and of its parameter. */

#pragma once

#include "cuda/count.h"
#include "cuda/derive.h"
#include "cuda/move.h"
#include "cuda/picture.h"
#include "cuda/project.h"
#include "cuda/scope.h"

#include <stdbool.h>

enum fakekernel_kind {
  FAKEKERNEL_COUNT,
  FAKEKERNEL_PLANE,
  FAKEKERNEL_LISTED,
  FAKEKERNEL_DEEP,
  FAKEKERNEL_CARRY,
  FAKEKERNEL_SMALL,
  FAKEKERNEL_PROJECT,
  FAKEKERNEL_PROJECT_ANY,
  FAKEKERNEL_PICTURE,
  FAKEKERNEL_WAVEFORM,
  FAKEKERNEL_VECTORSCOPE,
  FAKEKERNEL_LIGHT,
  FAKEKERNEL_DERIVE,
  FAKEKERNEL_DERIVE_COUNT,
  FAKEKERNEL_MOVE,
  FAKEKERNEL_ADD_TABLES,
  FAKEKERNEL_FILL /* takes no parameter; no other kernel here needs its result */
};

struct fakekernel {
  const char *name;
  enum fakekernel_kind kind;
  unsigned threads, columns; /* in a block; in a table (0: the launch has their number) */
  bool with_dot;
  bool packed;      /* only for frames of one row */
  bool takes_cells; /* only for pictures that consist of cells */
  bool with_gamut;
  bool is_deep; /* a derivation of samples of two bytes */
};

extern const struct fakekernel fakekernels[];
#define FAKEKERNELS 42

struct fakekernel_launch {
  const struct fakekernel *kernel;
  unsigned blocks_x, blocks_y, shared_bytes;
  union {
    struct histo_cuda_count count;
    struct histo_cuda_project project;
    struct histo_cuda_picture picture;
    struct histo_cuda_scope scope;
    struct histo_cuda_derive derive; /* also the beginning of derive_count */
    struct histo_cuda_derive_count derive_count;
    struct histo_cuda_move move;
    struct histo_cuda_add_tables add_tables;
  } parameter;
  uint64_t listed[HISTO_CUDA_LISTED]; /* histo_cuda_listed_count.data */

  /* For frames of different sizes: a separate launch for each frame that has blocks; otherwise NULL. */
  struct fakekernel_launch *frames;
  unsigned frame_count;
  struct histo_cuda_unlike unlike;
};

/* The functions of the fake driver that the kernels call. They run with its lock held. */
struct fakekernel_driver {
  void *(*find) (uint64_t address, uint64_t size,
                 bool is_device); /* returns the host's address of memory; NULL: there is none */
  void (*blame) (const char *format, ...) __attribute__ ((format (printf, 1, 2)));
  void (*unlock) (void); /* while a kernel counts */
  void (*lock) (void);
};

/* Copies the parameter of a launch, and those of frames of different sizes. Returns false, after blame(), if one is not
 * valid. */
bool fakekernel_set_parameter (struct fakekernel_launch *launch, const void *parameter, const struct fakekernel_driver *driver);

/* Frees these copies. Accepts all zeros. */
void fakekernel_clear (struct fakekernel_launch *launch);

/* Runs a launch until its numbers are visible. Holds the lock from the moment when the last number is. Returns false, after
 * blame(), if the kernel would fault or write wrong numbers. */
bool fakekernel_run (const struct fakekernel_launch *launch, const struct fakekernel_driver *driver);

/* Ends a launch that ran. Its workspace is zero again after this at the latest. */
void fakekernel_end (const struct fakekernel_launch *launch, const struct fakekernel_driver *driver);

/* Returns whether the parameter of a launch refers to memory in [begin, begin + size). Ignores the samples of many frames,
 * which belong to the caller. */
bool fakekernel_uses (const struct fakekernel_launch *launch, uint64_t begin, uint64_t size);

/* Returns whether the end of a launch that ran still writes to [begin, begin + size), such as its workspace. It reads no
 * samples. */
bool fakekernel_clears (const struct fakekernel_launch *launch, uint64_t begin, uint64_t size);
