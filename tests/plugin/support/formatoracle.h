/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Random pictures of any format of raw video, and their samples by the definitions of the formats. Samples of formats that the
 * engine reads in place, and of tiles in another order than from left to right, are those that GStreamer unpacks. */

#pragma once

#include <gst/video/video.h>

#include "random.h"

/* A buffer with a GstVideoMeta and perhaps a GstVideoCropMeta. */
typedef struct {
  GstBuffer *buffer;
  GstVideoInfo info;         /* with the offsets and strides of this picture */
  GstVideoRectangle visible; /* in pixels */
  GstMapInfo map;
} OracleFrame;

/* Makes a picture of 1x1 to 40x20 pixels with random samples, strides, offsets and crop. */
void oracle_init (OracleFrame *frame, GstVideoFormat format, struct test_random *random);
/* Makes a picture of the same size and crop, with other samples, strides and offsets. */
void oracle_init_next (OracleFrame *frame, const OracleFrame *previous, struct test_random *random);
void oracle_clear (OracleFrame *frame);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (OracleFrame, oracle_clear)

/* Returns the number of components that are counted: of a palette's picture, the index. */
guint oracle_get_n_components (const GstVideoFormatInfo *finfo);

/* Returns the name of a component in results. */
const gchar *oracle_get_name (const GstVideoFormatInfo *finfo, guint component);

/* Returns the bits of samples as counted. */
guint oracle_get_depth (const GstVideoFormatInfo *finfo);

/* Finds the visible samples of a component: *first_x, *first_y, and their number in each direction. */
void oracle_find_samples (const OracleFrame *frame, guint component, guint *first_x, guint *first_y, guint *columns,
                          guint *rows);

/* Returns a sample, counted from the first of the whole picture. */
guint oracle_get_sample (const OracleFrame *frame, guint component, guint x, guint y);

/* Whether the engine cannot read samples of the format in place. */
gboolean oracle_is_unpacked (const gchar *format);

/* The n-th format of these that GStreamer may have; NULL after the last. */
const gchar *oracle_get_unpacked (guint n);

/* Returns the bytes of a plane, without padding after its last row. */
gsize oracle_get_plane_bytes (const GstVideoInfo *info, guint plane);

/* Returns the bytes of the groups of samples in a row; 0: the format has none. */
gsize oracle_get_group_bytes (const GstVideoInfo *info, guint plane);

/* Sets strides, offsets and size of planes without padding, and without space between them. */
void oracle_tighten (GstVideoInfo *info);
