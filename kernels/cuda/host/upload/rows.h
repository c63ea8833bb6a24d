/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The rows of a frame in host memory, and their place in a copy of the frame. Calls no driver. */

#pragma once

#include <cuda.h>

#include <cudahisto/histo.h>

#define HISTO_CUDA_MAX_COPY_BYTES ((size_t)UINT32_MAX * 16) /* rows of a launch must be shorter than this */
#define HISTO_CUDA_PITCH_ALIGNMENT 256                      /* of planes and of rows with gaps, in a copy */

/* Rows to copy from host memory to device memory. */
struct histo_cuda_rows {
  const uint8_t *from;
  CUdeviceptr to;
  size_t from_stride_bytes, to_stride_bytes;
  size_t row_bytes; /* at most to_stride_bytes */
  uint32_t height;  /* at least 1 */
};

/* The bytes of a plane's rows that hold samples, and their position in a copy of the frame. */
struct histo_cuda_copied_plane {
  size_t first_byte, row_bytes; /* in each row of the source; row_bytes is 0 if there is nothing to copy */
  size_t offset, pitch;         /* in the copy */
};

/* Finds the bytes to copy. Returns the size of the copy; SIZE_MAX if that of a plane is too large. */
size_t histo_cuda_lay_out_copy (const struct histo_frame *frame, struct histo_cuda_copied_plane planes[HISTO_MAX_PLANES]);

/* The rows of a plane and their position in the copy, which begins at `memory`. Rows without gaps are one row. */
struct histo_cuda_rows histo_cuda_find_rows (const struct histo_plane *plane, const struct histo_cuda_copied_plane *copied,
                                             CUdeviceptr memory);

/* Makes the planes begin with the first byte to copy, mapped or copied, since frame and operand share their offsets. */
void histo_cuda_drop_first_bytes (struct histo_frame *frame, const struct histo_cuda_copied_plane planes[HISTO_MAX_PLANES]);

/* The size of the copy of rows in device memory, gaps between rows included. */
size_t histo_cuda_copy_bytes (const struct histo_cuda_rows *rows);

/* Fills `memory` with bytes [begin, end) of the copy. Gaps stay unchanged. */
void histo_cuda_gather (const struct histo_cuda_rows *rows, size_t begin, size_t end, uint8_t *memory);
