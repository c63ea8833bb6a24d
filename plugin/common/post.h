/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Element messages with allocated text. */

#pragma once

#include "common/debug.h"

/* Posts an error or a warning and logs it, in case no application reads the bus. Takes `text` and `detail`, which may be
 * NULL. */
#define gst_cuda_histo_post(element, type, domain, code, text, detail)                                                   \
  G_STMT_START                                                                                                           \
  {                                                                                                                      \
    gchar *post_text = text, *post_detail = detail;                                                                      \
    GST_WARNING_OBJECT (element, "%s (%s)", post_text, post_detail != NULL ? post_detail : "no details");                \
    gst_element_message_full (GST_ELEMENT (element), type, domain, code, post_text, post_detail, __FILE__, GST_FUNCTION, \
                              __LINE__);                                                                                 \
  }                                                                                                                      \
  G_STMT_END
