/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* For LD_PRELOAD: each pipeline warns while it stops, as capsfilter does if decodebin is still connecting it. */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <dlfcn.h>
#include <gst/gst.h>

typedef GstStateChangeReturn (*SetState) (GstElement *element, GstState state);

__attribute__ ((visibility ("default"))) GstStateChangeReturn
gst_element_set_state (GstElement *element, GstState state)
{
  SetState set_state;

  *(void **)&set_state = dlsym (RTLD_NEXT, "gst_element_set_state");
  if (state == GST_STATE_READY && GST_IS_PIPELINE (element))
    GST_ELEMENT_WARNING (element, STREAM, FORMAT, ("not negotiated"), ("not negotiated"));
  return set_state (element, state);
}
