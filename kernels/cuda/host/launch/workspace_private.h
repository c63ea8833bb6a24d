/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The memory of a workspace: workspace.c reserves it, publish.c uses it around the kernels and for reading. */

#pragma once

#include "cuda/host/launch/launch.h"
#include "cuda/host/launch/workspace.h"
#include "cuda/host/mapped.h"

/* How the words of a launch reach the host. */
enum histo_cuda_path {
  HISTO_CUDA_PUBLISHED,  /* kernels publish them in host memory, with the launch's tag */
  HISTO_CUDA_COPIED,     /* many frames: kernels publish them in device memory, with the tag, and the copy engine copies them */
  HISTO_CUDA_CUMULATIVE, /* kernels add to words of earlier launches in device memory, which are copied; see `seen` */
  HISTO_CUDA_OWN,        /* kernels add to the slot's own workspace, which another kernel moves: see move.h */
};

/* The launch of a slot, and its words. */
struct histo_cuda_workspace_slot {
  uint16_t tag; /* of the launch, see count.h */
  enum histo_cuda_path path;
  struct histo_cuda_words words;
  uint64_t *result; /* as the launch leaves it */

  /* For a frame with more than HISTO_CUDA_SLOT_WORDS words, and for the path HISTO_CUDA_OWN. */
  struct histo_cuda_mapped own_result;
  CUdeviceptr own_workspace;
  size_t own_words;   /* even */
  bool has_new_words; /* the next launch clears own_workspace */
  bool has_bins;      /* own_result has numbers without tags: the next launch that publishes there clears it first */
};

struct histo_cuda_workspace {
  const struct histo_cuda_gpu *gpu;
  const struct histo_cuda_driver *driver;
  CUfunction move, add_tables; /* histo_move, histo_add_tables */
  unsigned slot_count;
  struct histo_cuda_workspace_slot *slots;
  struct histo_cuda_mapped results; /* HISTO_CUDA_SLOT_WORDS a slot */
  CUdeviceptr workspaces;           /* HISTO_CUDA_SLOT_WORDS a slot */

  /* For many frames in one launch, one for each slot: allocated when first needed. */
  struct histo_cuda_mapped addresses; /* HISTO_CUDA_ADDRESSES a slot */
  CUdeviceptr many_results;           /* HISTO_CUDA_SLOT_WORDS a slot, copied to `results`; set last, see publish.c */
  uint64_t *seen;                     /* the words that the host has read: a cumulative launch begins with them */

  struct histo_cuda_mapped parameters; /* of each slot: allocated when first needed */

  /* For the kernels that carry: the tables of a launch's blocks. Launches on one stream use them one after the other. All are
   * allocated when first needed. */
  struct {
    CUstream stream; /* NULL: not used yet */
    CUdeviceptr tables;
  } carriers[HISTO_CUDA_COUNT_STREAMS];
};
