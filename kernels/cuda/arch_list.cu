/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The build preprocesses this file. Its last line lists the GPUs for which nvcc compiles. */
__CUDA_ARCH_LIST__
