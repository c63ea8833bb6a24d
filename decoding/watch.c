/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "decoding/watch.h"

#include "decoding/choice.h"
#include "decoding/ending.h"
#include "decoding/guard.h"
#include "decoding/png.h"

void
decoding_watch (GstElement *pipeline, GstElement *source)
{
  decoding_choice_make (source);
  decoding_guard (pipeline);
  decoding_ending_watch (pipeline);
  decoding_png_watch (pipeline);
}
