/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* All kernels, in the one module that the engine loads. */

#include "count.cu"
#include "derive.cu"
#include "derive_count.cu"
#include "light.cu"
#include "move.cu"
#include "picture.cu"
#include "project.cu"
#include "scope.cu"
