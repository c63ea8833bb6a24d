/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Messages of the element whose text the caller has allocated. */

#ifndef GST_CUDA_HISTO_POST_H
#define GST_CUDA_HISTO_POST_H

#include <gst/gst.h>

/* Posts an error, a warning or an info message. Takes `text` and `detail`, which may be NULL. */
#define gst_cuda_histo_post(element, type, domain, code, text, detail) \
  gst_element_message_full (GST_ELEMENT (element), type, domain, code, text, detail, __FILE__, GST_FUNCTION, __LINE__)

#endif
