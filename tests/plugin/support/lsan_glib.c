/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Memory that GLib and GStreamer keep on purpose until the process ends is not a leak. Recognizing it by its callers would need
 * a full backtrace of each allocation, since the libraries have no frame pointers, and programs would take ten times as long.
 * Instead, the leak checker is disabled while such memory is allocated: before main(), while GStreamer starts, and while a
 * module is loaded. Of this project, only the registration of the plugin runs then, if there is no registry yet. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <gmodule.h>
#include <gst/check/gstcheck.h>
#include <gst/gst.h>
#include <sanitizer/lsan_interface.h>

#define EXPORTED __attribute__ ((visibility ("default")))

/* GLib grows its table of quarks by this number. It never frees the old table, since readers take no lock. */
#define QUARKS_OF_A_STEP 2048

/* Adds quarks until the table has just grown. Tests add fewer than the next step needs. */
static void
grow_quarks (void)
{
  gchar name[32];

  for (guint i = 0; i < QUARKS_OF_A_STEP; i++) {
    g_snprintf (name, sizeof name, "no test's %u", i);
    if (g_quark_from_string (name) % QUARKS_OF_A_STEP == 0)
      break;
  }
}

/* Runs before the constructors of all libraries. */
static void
look_away (void)
{
  __lsan_disable ();
}

__attribute__ ((section (".preinit_array"), used)) static void (*const first) (void) = look_away;

/* Runs after them. */
__attribute__ ((constructor)) static void
look_again (void)
{
  __lsan_enable ();
}

#undef gst_init

EXPORTED void
gst_init (int *argc, char **argv[])
{
  __typeof__ (gst_init) *next = (__typeof__ (gst_init) *)(guintptr)dlsym (RTLD_NEXT, "gst_init");

  __lsan_disable ();
  next (argc, argv);
  grow_quarks ();
  __lsan_enable ();
}

/* Starts GStreamer without gst_init(). */
EXPORTED void
gst_check_init (int *argc, char **argv[])
{
  __typeof__ (gst_check_init) *next = (__typeof__ (gst_check_init) *)(guintptr)dlsym (RTLD_NEXT, "gst_check_init");

  __lsan_disable ();
  next (argc, argv);
  grow_quarks ();
  __lsan_enable ();
}

EXPORTED GModule *
g_module_open (const gchar *file_name, GModuleFlags flags)
{
  __typeof__ (g_module_open) *next = (__typeof__ (g_module_open) *)(guintptr)dlsym (RTLD_NEXT, "g_module_open");
  GModule *module;

  __lsan_disable ();
  module = next (file_name, flags);
  __lsan_enable ();
  return module;
}
