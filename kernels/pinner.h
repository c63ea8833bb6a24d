/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Private to the engine: creates pinners. */

#pragma once

#include "backend.h"

/* Makes a pinner with the pinned memory of an open backend. NO_MEMORY or DEVICE. */
enum histo_status histo_pinner_create (const struct histo_backend_ops *ops, void *state, struct histo_pinner **pinner);
