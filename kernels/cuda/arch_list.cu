/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Preprocessed by the build, to know for which GPUs nvcc compiles: its last line. */
__CUDA_ARCH_LIST__
