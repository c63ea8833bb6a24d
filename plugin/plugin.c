/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "element.h"
#include "result/schema.h"

#ifdef HAVE_SCOPE
GST_ELEMENT_REGISTER_DECLARE (cudahistoscope)
#endif

/* TRUE on any machine, without opening a driver: GStreamer blacklists a plugin that fails here in the user's registry. */
static gboolean
gst_cuda_histo_plugin_init (GstPlugin *plugin)
{
  gst_cuda_histo_schema_register_meta ();
  GST_ELEMENT_REGISTER (cudahisto, plugin);
#ifdef HAVE_SCOPE
  GST_ELEMENT_REGISTER (cudahistoscope, plugin);
#endif
  return TRUE;
}

GST_PLUGIN_DEFINE (GST_VERSION_MAJOR, GST_VERSION_MINOR, cudahisto,
                   "Exact histogram and reductions of raw bytes and raw video, on an NVIDIA GPU or on the CPU",
                   gst_cuda_histo_plugin_init, VERSION, "LGPL", GST_PACKAGE_NAME, GST_PACKAGE_ORIGIN)
