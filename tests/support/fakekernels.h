/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The engine's kernels as the fake GPU runs them: plain loops, after checking that what the host asks for makes sense. */

#ifndef TEST_FAKEKERNELS_H
#define TEST_FAKEKERNELS_H

#include "cuda/count.h"
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
  FAKEKERNEL_FILL /* takes no parameter, and leaves nothing that others here need */
};

struct fakekernel {
  const char *name;
  enum fakekernel_kind kind;
  unsigned threads, columns; /* of a block; of a table, 0: as the launch says */
  bool with_dot;
  bool packed;      /* frames of one row alone */
  bool takes_cells; /* pictures that have cells alone */
  bool with_gamut;
};

extern const struct fakekernel fakekernels[];
#define FAKEKERNELS 33

struct fakekernel_launch {
  const struct fakekernel *kernel;
  unsigned blocks_x, blocks_y, shared_bytes;
  union {
    struct histo_cuda_count count;
    struct histo_cuda_project project;
    struct histo_cuda_picture picture;
    struct histo_cuda_scope scope;
  } parameter;
  uint64_t listed[HISTO_CUDA_LISTED]; /* histo_cuda_listed_count.data */

  /* Of unlike frames, else NULL: a launch for each that has blocks, as if it went by itself. */
  struct fakekernel_launch *frames;
  unsigned frame_count;
  struct histo_cuda_unlike unlike;
};

/* What the kernels need of the fake driver, whose lock is held. */
struct fakekernel_driver {
  void *(*find) (uint64_t address, uint64_t size, bool is_device); /* the host's address of memory; NULL: none */
  void (*blame) (const char *format, ...) __attribute__ ((format (printf, 1, 2)));
  void (*unlock) (void); /* while it counts */
  void (*lock) (void);
};

/* Takes over the parameter of a launch, and those of unlike frames. False, after blame, where these are not what they should
 * be. */
bool fakekernel_set_parameter (struct fakekernel_launch *launch, const void *parameter, const struct fakekernel_driver *driver);

/* Frees what that has made. Accepts all zeros. */
void fakekernel_clear (struct fakekernel_launch *launch);

/* Runs a launch, to where its numbers can be seen; with the lock held from when the last of them can. False, after blame, where
 * the kernel would fault or leave wrong numbers. */
bool fakekernel_run (const struct fakekernel_launch *launch, const struct fakekernel_driver *driver);

/* Ends a launch that ran: no later than here its workspace is zero again. */
void fakekernel_end (const struct fakekernel_launch *launch, const struct fakekernel_driver *driver);

/* Whether the parameter of a launch leads to [begin, begin + size), but for the samples of many frames: those are the
 * caller's. */
bool fakekernel_uses (const struct fakekernel_launch *launch, uint64_t begin, uint64_t size);

/* Whether the end of a launch that ran still writes to [begin, begin + size), as to its workspace. Samples have been read. */
bool fakekernel_clears (const struct fakekernel_launch *launch, uint64_t begin, uint64_t size);

#endif
