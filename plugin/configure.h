/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The choice of what is counted, from caps to caps. On the streaming thread. */

#pragma once

#include "element.h"

/* Decides on the data to count and the windows, for `caps` (NULL: bytes). No window is open. FALSE with an element error if
 * impossible; nothing has changed. FALSE also if a handler of a message has stopped the element. */
gboolean gst_cuda_histo_configure (GstCudaHisto *self, GstCaps *caps);
