/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The fields of a result. fields.h describes the members of an entry. Define FIELD, then include this file.
 *
 * To add a field, add an entry here and, if it has no formula, a row in plugin/result/getters.c. Messages, lines, totals,
 * tables, reports and docs/messages.md follow the order of this list. */

/* clang-format off */

/* ---- Provenance ---- */

FIELD (ELEMENT, .name = "element", .scope = FIELD_SCOPE_RESULT, .type = FIELD_TYPE_STRING,
       .meaning = "Name of the element", .addition = FIELD_ADDITION_KEPT_FIRST)

FIELD (INPUT, .name = "input", .scope = FIELD_SCOPE_RESULT, .type = FIELD_TYPE_STRING,
       .condition = "`input-name` is set",
       .meaning = "Name of the film or stream; from `cudahisto measure` its file name",
       .addition = FIELD_ADDITION_KEPT_FIRST)

FIELD (BACKEND, .name = "backend", .scope = FIELD_SCOPE_RESULT, .type = FIELD_TYPE_STRING,
       .meaning = "Backend that counted the window's last frame: `cuda`, `cpu` or `reference`",
       .addition = FIELD_ADDITION_KEPT_LAST)

FIELD (FRAME, .name = "frame", .scope = FIELD_SCOPE_RESULT, .type = FIELD_TYPE_UINT64,
       .meaning = "Index of the first frame (bytes: buffer) since the start, from 0", .addition = FIELD_ADDITION_KEPT_FIRST)

FIELD (FRAMES, .name = "frames", .scope = FIELD_SCOPE_RESULT, .type = FIELD_TYPE_UINT64,
       .meaning = "Frames in the window (bytes: buffers or parts of them)", .addition = FIELD_ADDITION_SPANNED)

FIELD (DAMAGED, .name = "damaged", .scope = FIELD_SCOPE_VIDEO, .type = FIELD_TYPE_UINT64,
       .condition = "`events=damaged`; not 0", .meaning = "Damaged frames in the window",
       .addition = FIELD_ADDITION_SUM_IF_ANY)

FIELD (MISSING, .name = "missing", .scope = FIELD_SCOPE_VIDEO, .type = FIELD_TYPE_UINT64,
       .condition = "`events=damaged`; not 0", .meaning = "Frames missing in the window or directly before it",
       .addition = FIELD_ADDITION_SUM_IF_ANY)

FIELD (OFFSET, .name = "offset", .scope = FIELD_SCOPE_BYTES, .type = FIELD_TYPE_UINT64, .unit = "bytes",
       .meaning = "Position of the window's first byte in the stream", .addition = FIELD_ADDITION_KEPT_FIRST)

FIELD (SIZE, .name = "size", .scope = FIELD_SCOPE_BYTES, .type = FIELD_TYPE_UINT64, .unit = "bytes",
       .meaning = "Length of the window", .addition = FIELD_ADDITION_SPANNED)

FIELD (FORMAT, .name = "format", .scope = FIELD_SCOPE_RESULT, .type = FIELD_TYPE_STRING,
       .meaning = "Video format as in the caps, or `bytes`", .addition = FIELD_ADDITION_SAME_SOURCE)

FIELD (WIDTH, .name = "width", .scope = FIELD_SCOPE_VIDEO, .type = FIELD_TYPE_UINT, .unit = "pixels",
       .meaning = "Visible width, after cropping", .addition = FIELD_ADDITION_SAME_SOURCE)

FIELD (HEIGHT, .name = "height", .scope = FIELD_SCOPE_VIDEO, .type = FIELD_TYPE_UINT, .unit = "pixels",
       .meaning = "Visible height, after cropping. Of a field, its rows", .addition = FIELD_ADDITION_SAME_SOURCE)

FIELD (FIELD, .name = "field", .scope = FIELD_SCOPE_VIDEO, .type = FIELD_TYPE_STRING,
       .condition = "result of fields", .meaning = "Fields that were counted: `top`, `bottom` or `both`",
       .addition = FIELD_ADDITION_UNITED)

FIELD (CROP, .name = "crop", .scope = FIELD_SCOPE_VIDEO, .type = FIELD_TYPE_RECTANGLE, .unit = "pixels",
       .condition = "GstVideoCropMeta", .meaning = "Crop rectangle in the decoded frame",
       .addition = FIELD_ADDITION_KEPT_FIRST)

FIELD (DEPTH, .name = "depth", .scope = FIELD_SCOPE_RESULT, .type = FIELD_TYPE_UINT, .unit = "bits",
       .meaning = "Significant bits of a sample", .addition = FIELD_ADDITION_SAME_SOURCE)

FIELD (RANGE, .name = "range", .scope = FIELD_SCOPE_RESULT, .type = FIELD_TYPE_STRING,
       .meaning = "Nominal range as in the caps: `full`, `limited` or `unknown`", .addition = FIELD_ADDITION_SAME_SOURCE)

FIELD (COLORIMETRY, .name = "colorimetry", .scope = FIELD_SCOPE_VIDEO, .type = FIELD_TYPE_STRING,
       .condition = "known",
       .meaning = "Range, matrix, transfer function and primaries as in the caps, or defaults if YUV has no matrix "
                  "there; 0: unknown",
       .addition = FIELD_ADDITION_SAME_SOURCE)

FIELD (FRAMERATE, .name = "framerate", .scope = FIELD_SCOPE_VIDEO, .type = FIELD_TYPE_FRACTION,
       .unit = "frames/s", .condition = "fixed in the caps",
       .meaning = "Frames or fields per second",
       .addition = FIELD_ADDITION_KEPT_IF_SAME)

FIELD (TIMESTAMP, .name = "timestamp", .scope = FIELD_SCOPE_RESULT, .type = FIELD_TYPE_TIME,
       .meaning = "Timestamp of the window's first buffer", .addition = FIELD_ADDITION_KEPT_FIRST)

FIELD (STREAM_TIME, .name = "stream-time", .scope = FIELD_SCOPE_RESULT, .type = FIELD_TYPE_TIME,
       .meaning = "`timestamp` in stream time", .addition = FIELD_ADDITION_KEPT_FIRST)

FIELD (RUNNING_TIME, .name = "running-time", .scope = FIELD_SCOPE_RESULT, .type = FIELD_TYPE_TIME,
       .meaning = "`timestamp` in running time", .addition = FIELD_ADDITION_KEPT_FIRST)

FIELD (DURATION, .name = "duration", .scope = FIELD_SCOPE_RESULT, .type = FIELD_TYPE_TIME,
       .meaning = "From `timestamp` to the end of the window's last buffer. Unknown if time goes back",
       .addition = FIELD_ADDITION_SPANNED)

FIELD (UTC_TIME, .name = "utc-time", .scope = FIELD_SCOPE_RESULT, .type = FIELD_TYPE_STRING,
       .meaning = "Arrival of the window's first buffer (RFC 3339, UTC), by the pipeline clock if it is a wall clock, "
         "otherwise the system's", .addition = FIELD_ADDITION_KEPT_FIRST)

FIELD (TIMECODE, .name = "timecode", .scope = FIELD_SCOPE_VIDEO, .type = FIELD_TYPE_STRING,
       .condition = "GstVideoTimeCodeMeta",
       .meaning = "Time code of the window's first frame: `hh:mm:ss:ff`, or `hh:mm:ss;ff` if drop-frame",
       .addition = FIELD_ADDITION_KEPT_FIRST)

FIELD (REFERENCE_TIME, .name = "reference-time", .scope = FIELD_SCOPE_RESULT, .type = FIELD_TYPE_UINT64,
       .unit = "ns", .condition = "GstReferenceTimestampMeta",
       .meaning = "Capture time of the window's first buffer, by another clock", .addition = FIELD_ADDITION_KEPT_FIRST)

FIELD (REFERENCE_CLOCK, .name = "reference-clock", .scope = FIELD_SCOPE_RESULT, .type = FIELD_TYPE_STRING,
       .condition = "GstReferenceTimestampMeta", .meaning = "That clock, for example `timestamp/x-ntp` (epoch 1900)",
       .addition = FIELD_ADDITION_KEPT_FIRST)

FIELD (REFERENCE_OFFSET, .name = "reference-offset", .scope = FIELD_SCOPE_VIDEO, .type = FIELD_TYPE_INT64,
       .unit = "ns", .condition = "reference; `reference-mode=in-step`",
       .meaning = "Stream time of a frame minus that of its counterpart in the reference",
       .addition = FIELD_ADDITION_KEPT_FIRST)

FIELD (ENDED_BY, .name = "ended-by", .scope = FIELD_SCOPE_RESULT, .type = FIELD_TYPE_STRING,
       .meaning = "[Why the window ended](#why-a-window-ended)", .addition = FIELD_ADDITION_KEPT_LAST)

/* ---- Pictures and regions ---- */

FIELD (SATURATION_MIN, .name = "saturation-min", .scope = FIELD_SCOPE_SATURATION, .type = FIELD_TYPE_UINT,
       .statistics = STATISTIC_SATURATION,
       .meaning = "Smallest saturation: distance from grey in the UV plane", .addition = FIELD_ADDITION_DERIVED,
       .is_printed = TRUE, .ffmpeg = "SATMIN", .ffmpeg_place = 21)

FIELD (SATURATION_LOW, .name = "saturation-low", .scope = FIELD_SCOPE_SATURATION, .type = FIELD_TYPE_UINT,
       .statistics = STATISTIC_SATURATION, .meaning = "10th percentile",
       .addition = FIELD_ADDITION_DERIVED, .is_printed = TRUE, .ffmpeg = "SATLOW", .ffmpeg_place = 22)

FIELD (SATURATION_MEAN, .name = "saturation-mean", .scope = FIELD_SCOPE_SATURATION, .type = FIELD_TYPE_DOUBLE,
       .statistics = STATISTIC_SATURATION, .meaning = "Mean",
       .addition = FIELD_ADDITION_DERIVED, .is_printed = TRUE, .ffmpeg = "SATAVG", .ffmpeg_place = 23, .chart_order = 3,
       .title = "saturation, mean", .chart_unit = "saturation",
       .about = "Mean distance of the colours from grey in the plane of U and V. Grey is 0.",
       .extremes = FIELD_EXTREMES_GREATEST)

FIELD (SATURATION_HIGH, .name = "saturation-high", .scope = FIELD_SCOPE_SATURATION, .type = FIELD_TYPE_UINT,
       .statistics = STATISTIC_SATURATION, .meaning = "90th percentile",
       .addition = FIELD_ADDITION_DERIVED, .is_printed = TRUE, .ffmpeg = "SATHIGH", .ffmpeg_place = 24)

FIELD (SATURATION_MAX, .name = "saturation-max", .scope = FIELD_SCOPE_SATURATION, .type = FIELD_TYPE_UINT,
       .statistics = STATISTIC_SATURATION, .meaning = "Largest saturation",
       .addition = FIELD_ADDITION_DERIVED, .is_printed = TRUE, .ffmpeg = "SATMAX", .ffmpeg_place = 25)

FIELD (SATURATION_HISTOGRAM, .name = "saturation-histogram", .scope = FIELD_SCOPE_SATURATION, .type = FIELD_TYPE_COUNTERS,
       .statistics = STATISTIC_SATURATION, .condition = "[arrays](#arrays)",
       .meaning = "Samples of each saturation: a bin for each possible value", .addition = FIELD_ADDITION_SUM_BY_ELEMENT)

FIELD (HUE_MEDIAN, .name = "hue-median", .scope = FIELD_SCOPE_HUE, .type = FIELD_TYPE_UINT,
       .unit = "degrees", .statistics = STATISTIC_HUE,
       .meaning = "Median hue, 0 to 359: angle in the UV plane", .addition = FIELD_ADDITION_DERIVED, .is_printed = TRUE,
       .ffmpeg = "HUEMED", .ffmpeg_place = 31, .chart_order = 3, .title = "hue, median", .chart_unit = "°",
       .about = "Median angle of the colours in the plane of U and V, 0 to 359 degrees. Grey counts as 180.")

FIELD (HUE_MEAN, .name = "hue-mean", .scope = FIELD_SCOPE_HUE, .type = FIELD_TYPE_DOUBLE,
       .unit = "degrees", .statistics = STATISTIC_HUE,
       .meaning = "Arithmetic mean, although hue is circular", .addition = FIELD_ADDITION_DERIVED,
       .is_printed = TRUE, .ffmpeg = "HUEAVG", .ffmpeg_place = 32)

FIELD (HUE_HISTOGRAM, .name = "hue-histogram", .scope = FIELD_SCOPE_HUE, .type = FIELD_TYPE_COUNTERS,
       .statistics = STATISTIC_HUE, .condition = "[arrays](#arrays)", .meaning = "Samples of each hue: 360 bins",
       .addition = FIELD_ADDITION_SUM_BY_ELEMENT)

FIELD (LIGHT_TRANSFER, .name = "light-transfer", .scope = FIELD_SCOPE_LIGHT, .type = FIELD_TYPE_STRING,
       .statistics = STATISTIC_LIGHT | STATISTIC_HDR,
       .meaning = "Transfer function: `pq`, or `hlg-1000`: HLG on a display of 1000 nits",
       .addition = FIELD_ADDITION_KEPT_IF_SAME)

FIELD (LIGHT_SOURCE, .name = "light-source", .scope = FIELD_SCOPE_LIGHT, .type = FIELD_TYPE_STRING,
       .statistics = STATISTIC_LIGHT | STATISTIC_HDR,
       .meaning = "Light of a pixel: `max-rgb` or `luminance`", .addition = FIELD_ADDITION_KEPT_IF_SAME)

FIELD (LIGHT_MAX_NITS, .name = "light-max-nits", .scope = FIELD_SCOPE_LIGHT, .type = FIELD_TYPE_DOUBLE,
       .unit = "nits", .statistics = STATISTIC_LIGHT | STATISTIC_HDR,
       .meaning = "Largest light of a pixel",
       .addition = FIELD_ADDITION_GREATEST, .is_printed = TRUE, .chart_order = 1,
       .title = "light, largest", .chart_unit = "nits",
       .about = "Luminance of the largest of R, G and B in any pixel. The largest over a film is MaxCLL.",
       .extremes = FIELD_EXTREMES_GREATEST)

FIELD (LIGHT_AVERAGE_NITS, .name = "light-average-nits", .scope = FIELD_SCOPE_LIGHT, .type = FIELD_TYPE_DOUBLE,
       .unit = "nits", .statistics = STATISTIC_LIGHT | STATISTIC_HDR,
       .meaning = "Mean over all pixels: `sum` / 10000 / `count` of luma",
       .addition = FIELD_ADDITION_DERIVED,
       .dividend = FIELD_ID_LIGHT_SUM, .divisor = FIELD_ID_COUNT, .formula = formula_nits, .is_printed = TRUE, .chart_order = 1,
       .title = "light, mean", .chart_unit = "nits",
       .about = "Mean over all pixels of the luminance of the largest of R, G and B. The largest of any frame is MaxFALL.",
       .extremes = FIELD_EXTREMES_GREATEST)

FIELD (LIGHT_PERCENTILE_50, .name = "light-percentile-50", .scope = FIELD_SCOPE_LIGHT, .type = FIELD_TYPE_DOUBLE,
       .unit = "nits", .statistics = STATISTIC_LIGHT | STATISTIC_HDR,
       .meaning = "50th percentile",
       .addition = FIELD_ADDITION_DERIVED, .is_printed = TRUE)

FIELD (LIGHT_PERCENTILE_90, .name = "light-percentile-90", .scope = FIELD_SCOPE_LIGHT, .type = FIELD_TYPE_DOUBLE,
       .unit = "nits", .statistics = STATISTIC_LIGHT | STATISTIC_HDR,
       .meaning = "90th percentile",
       .addition = FIELD_ADDITION_DERIVED, .is_printed = TRUE)

FIELD (LIGHT_PERCENTILE_99, .name = "light-percentile-99", .scope = FIELD_SCOPE_LIGHT, .type = FIELD_TYPE_DOUBLE,
       .unit = "nits", .statistics = STATISTIC_LIGHT | STATISTIC_HDR,
       .meaning = "99th percentile",
       .addition = FIELD_ADDITION_DERIVED, .is_printed = TRUE)

FIELD (LIGHT_PERCENTILE_99_9, .name = "light-percentile-99-9", .scope = FIELD_SCOPE_LIGHT, .type = FIELD_TYPE_DOUBLE,
       .unit = "nits", .statistics = STATISTIC_LIGHT | STATISTIC_HDR,
       .meaning = "99.9th percentile",
       .addition = FIELD_ADDITION_DERIVED, .is_printed = TRUE)

FIELD (LIGHT_PERCENTILE_99_99, .name = "light-percentile-99-99", .scope = FIELD_SCOPE_LIGHT, .type = FIELD_TYPE_DOUBLE,
       .unit = "nits", .statistics = STATISTIC_LIGHT | STATISTIC_HDR,
       .meaning = "99.99th percentile",
       .addition = FIELD_ADDITION_DERIVED, .is_printed = TRUE)

FIELD (LIGHT_MIN_PQ, .name = "light-min-pq", .scope = FIELD_SCOPE_LIGHT, .type = FIELD_TYPE_UINT,
       .statistics = STATISTIC_LIGHT | STATISTIC_HDR,
       .meaning = "Smallest 12-bit PQ code",
       .addition = FIELD_ADDITION_LEAST, .is_printed = TRUE)

FIELD (LIGHT_MAX_PQ, .name = "light-max-pq", .scope = FIELD_SCOPE_LIGHT, .type = FIELD_TYPE_UINT,
       .statistics = STATISTIC_LIGHT | STATISTIC_HDR,
       .meaning = "Largest 12-bit PQ code",
       .addition = FIELD_ADDITION_GREATEST, .is_printed = TRUE)

FIELD (LIGHT_AVERAGE_PQ, .name = "light-average-pq", .scope = FIELD_SCOPE_LIGHT, .type = FIELD_TYPE_DOUBLE,
       .statistics = STATISTIC_LIGHT | STATISTIC_HDR,
       .meaning = "Mean of the codes: `pq-sum` / `count` of luma",
       .addition = FIELD_ADDITION_DERIVED,
       .dividend = FIELD_ID_LIGHT_PQ_SUM, .divisor = FIELD_ID_COUNT, .formula = formula_quotient, .is_printed = TRUE)

FIELD (LIGHT_SUM, .name = "light-sum", .scope = FIELD_SCOPE_LIGHT, .type = FIELD_TYPE_WIDE,
       .unit = "0.0001 nit", .statistics = STATISTIC_LIGHT | STATISTIC_HDR,
       .meaning = "Sum of the light of all pixels",
       .addition = FIELD_ADDITION_SUM)

FIELD (LIGHT_PQ_SUM, .name = "light-pq-sum", .scope = FIELD_SCOPE_LIGHT, .type = FIELD_TYPE_UINT64,
       .statistics = STATISTIC_LIGHT | STATISTIC_HDR,
       .meaning = "Sum of the codes of all pixels",
       .addition = FIELD_ADDITION_SUM)

FIELD (LIGHT_MAX_CLL, .name = "light-max-cll", .scope = FIELD_SCOPE_LIGHT, .type = FIELD_TYPE_DOUBLE,
       .unit = "nits", .statistics = STATISTIC_LIGHT | STATISTIC_HDR,
       .meaning = "MaxCLL: largest `max-nits` of a frame",
       .addition = FIELD_ADDITION_GREATEST, .is_printed = TRUE)

FIELD (LIGHT_MAX_FALL, .name = "light-max-fall", .scope = FIELD_SCOPE_LIGHT, .type = FIELD_TYPE_DOUBLE,
       .unit = "nits", .statistics = STATISTIC_LIGHT | STATISTIC_HDR,
       .meaning = "MaxFALL: largest `average-nits` of a frame",
       .addition = FIELD_ADDITION_GREATEST, .is_printed = TRUE)

FIELD (LIGHT_MAX_CLL_99_99, .name = "light-max-cll-99-99", .scope = FIELD_SCOPE_LIGHT, .type = FIELD_TYPE_DOUBLE,
       .unit = "nits", .statistics = STATISTIC_LIGHT | STATISTIC_HDR,
       .meaning = "Largest `percentile-99-99` of a frame",
       .addition = FIELD_ADDITION_GREATEST, .is_printed = TRUE)

FIELD (LIGHT_MAX_FALL_99_99, .name = "light-max-fall-99-99", .scope = FIELD_SCOPE_LIGHT, .type = FIELD_TYPE_DOUBLE,
       .unit = "nits", .statistics = STATISTIC_LIGHT | STATISTIC_HDR,
       .meaning = "Largest mean of a frame in which light above its `percentile-99-99` counts as that",
       .addition = FIELD_ADDITION_GREATEST, .is_printed = TRUE)

FIELD (LIGHT_MAX_FALL_ACTIVE, .name = "light-max-fall-active", .scope = FIELD_SCOPE_LIGHT, .type = FIELD_TYPE_DOUBLE,
       .unit = "nits", .statistics = STATISTIC_LIGHT | STATISTIC_HDR, .condition = "`active-picture`",
       .meaning = "`max-fall` of the active picture",
       .addition = FIELD_ADDITION_DERIVED, .is_printed = TRUE)

FIELD (LIGHT_MAX_FALL_99_99_ACTIVE, .name = "light-max-fall-99-99-active", .scope = FIELD_SCOPE_LIGHT,
       .type = FIELD_TYPE_DOUBLE,
       .unit = "nits", .statistics = STATISTIC_LIGHT | STATISTIC_HDR, .condition = "`active-picture`",
       .meaning = "`max-fall-99-99` of the active picture",
       .addition = FIELD_ADDITION_DERIVED, .is_printed = TRUE)

FIELD (LIGHT_HISTOGRAM, .name = "light-histogram", .scope = FIELD_SCOPE_LIGHT, .type = FIELD_TYPE_COUNTERS,
       .statistics = STATISTIC_LIGHT | STATISTIC_HDR, .condition = "[arrays](#arrays)",
       .meaning = "Pixels of each 12-bit PQ code: 4096 bins",
       .addition = FIELD_ADDITION_SUM_BY_ELEMENT)

FIELD (OUTLIERS, .name = "outliers", .scope = FIELD_SCOPE_PICTURE, .type = FIELD_TYPE_DOUBLE,
       .unit = "fraction", .statistics = STATISTIC_OUTLIERS,
       .meaning = "Luma samples that differ from those above and below", .addition = FIELD_ADDITION_DERIVED,
       .dividend = FIELD_ID_OUTLIERS_COUNT, .divisor = FIELD_ID_COUNT, .formula = formula_quotient, .is_printed = TRUE,
       .ffmpeg = "TOUT", .ffmpeg_place = 61, .chart_order = 2, .title = "outliers (TOUT)", .chart_unit = "%",
       .about = "TOUT, temporal outliers: luma samples that stand out from those above and below them, as dropouts of a "
         "tape do.", .extremes = FIELD_EXTREMES_GREATEST)

FIELD (OUTLIERS_COUNT, .name = "outliers-count", .scope = FIELD_SCOPE_PICTURE, .type = FIELD_TYPE_UINT64,
       .statistics = STATISTIC_OUTLIERS, .meaning = "Number of these samples",
       .addition = FIELD_ADDITION_SUM)

FIELD (REPEATS, .name = "repeats", .scope = FIELD_SCOPE_PICTURE, .type = FIELD_TYPE_DOUBLE,
       .unit = "fraction", .statistics = STATISTIC_REPEATS,
       .meaning = "Luma samples of rows that repeat the fourth row above", .addition = FIELD_ADDITION_DERIVED,
       .dividend = FIELD_ID_REPEATS_COUNT, .divisor = FIELD_ID_COUNT, .formula = formula_quotient, .is_printed = TRUE,
       .ffmpeg = "VREP", .ffmpeg_place = 62, .chart_order = 2, .title = "repeated rows (VREP)", .chart_unit = "%",
       .about = "VREP, vertical repetitions: luma samples in rows that repeat the fourth row above, as a failing time base "
         "corrector makes them.", .extremes = FIELD_EXTREMES_GREATEST)

FIELD (REPEATS_COUNT, .name = "repeats-count", .scope = FIELD_SCOPE_PICTURE, .type = FIELD_TYPE_UINT64,
       .statistics = STATISTIC_REPEATS, .meaning = "Number of these samples",
       .addition = FIELD_ADDITION_SUM)

FIELD (OUT_OF_RANGE, .name = "out-of-range", .scope = FIELD_SCOPE_PICTURE, .type = FIELD_TYPE_DOUBLE,
       .unit = "fraction", .statistics = STATISTIC_BROADCAST_RANGE,
       .meaning = "Luma samples outside the broadcast range, or with chroma outside it", .addition = FIELD_ADDITION_DERIVED,
       .dividend = FIELD_ID_OUT_OF_RANGE_COUNT, .divisor = FIELD_ID_COUNT, .formula = formula_quotient, .is_printed = TRUE,
       .ffmpeg = "BRNG", .ffmpeg_place = 63, .chart_order = 1, .title = "out of broadcast range (BRNG)", .chart_unit = "%",
       .about = "BRNG, broadcast range: samples with luma below 16 or above 235, or chroma below 16 or above 240, on the "
         "scale of 8 bits.", .extremes = FIELD_EXTREMES_GREATEST)

FIELD (OUT_OF_RANGE_COUNT, .name = "out-of-range-count", .scope = FIELD_SCOPE_PICTURE, .type = FIELD_TYPE_UINT64,
       .statistics = STATISTIC_BROADCAST_RANGE, .meaning = "Number of these samples",
       .addition = FIELD_ADDITION_SUM)

FIELD (OUT_OF_GAMUT, .name = "out-of-gamut", .scope = FIELD_SCOPE_PICTURE, .type = FIELD_TYPE_DOUBLE,
       .unit = "fraction", .statistics = STATISTIC_GAMUT,
       .meaning = "Luma samples outside the preferred range of EBU R103, or with R, G or B outside it",
       .addition = FIELD_ADDITION_DERIVED, .dividend = FIELD_ID_OUT_OF_GAMUT_COUNT, .divisor = FIELD_ID_COUNT,
       .formula = formula_quotient, .is_printed = TRUE, .chart_order = 1, .title = "out of gamut (EBU R103)",
       .chart_unit = "%",
       .about = "EBU R103: samples whose luma, or whose R, G or B, is below 5 or above 246 on the scale of 8 bits. R103 "
         "calls more than 1 % an error.", .extremes = FIELD_EXTREMES_GREATEST)

FIELD (OUT_OF_GAMUT_COUNT, .name = "out-of-gamut-count", .scope = FIELD_SCOPE_PICTURE, .type = FIELD_TYPE_UINT64,
       .statistics = STATISTIC_GAMUT, .meaning = "Number of these samples",
       .addition = FIELD_ADDITION_SUM)

FIELD (METERED_LUMA, .name = "metered-luma", .scope = FIELD_SCOPE_PICTURE, .type = FIELD_TYPE_DOUBLE,
       .condition = "`metering`",
       .meaning = "Weighted mean of luma: `metered-luma-sum` / `metered-luma-weights`", .addition = FIELD_ADDITION_DERIVED,
       .dividend = FIELD_ID_METERED_LUMA_SUM, .divisor = FIELD_ID_METERED_LUMA_WEIGHTS, .formula = formula_quotient,
       .is_printed = TRUE, .chart_order = 4, .title = "metered luma", .chart_unit = "level",
       .about = "Mean of luma in which each sample has the weight of its place in the picture.",
       .extremes = FIELD_EXTREMES_LEAST | FIELD_EXTREMES_GREATEST)

FIELD (METERED_LUMA_SUM, .name = "metered-luma-sum", .scope = FIELD_SCOPE_PICTURE, .type = FIELD_TYPE_WIDE,
       .condition = "`metering`", .meaning = "Sum of the luma samples, each times its weight",
       .addition = FIELD_ADDITION_SUM)

FIELD (METERED_LUMA_WEIGHTS, .name = "metered-luma-weights", .scope = FIELD_SCOPE_PICTURE, .type = FIELD_TYPE_UINT64,
       .condition = "`metering`", .meaning = "Sum of the weights",
       .addition = FIELD_ADDITION_SUM)

FIELD (ACTIVE_PICTURE, .name = "active-picture", .scope = FIELD_SCOPE_PICTURE, .type = FIELD_TYPE_RECTANGLE,
       .unit = "pixels", .statistics = STATISTIC_ACTIVE_PICTURE | STATISTIC_HDR, .condition = "no row or column weights",
       .meaning = "Smallest rectangle with only black rows and columns outside, in all frames. All 0 if there is none",
       .addition = FIELD_ADDITION_DERIVED, .is_printed = TRUE)

FIELD (ACTIVE_EXTENT, .name = "active-extent", .scope = FIELD_SCOPE_PICTURE, .type = FIELD_TYPE_RECTANGLE,
       .unit = "pixels", .statistics = STATISTIC_ACTIVE_PICTURE | STATISTIC_HDR, .condition = "no row or column weights",
       .meaning = "As `active-picture`, but with columns (`x`, `width`) and rows (`y`, `height`) found separately",
       .addition = FIELD_ADDITION_BOUNDING_BOX)

FIELD (VECTORSCOPE, .name = "vectorscope", .scope = FIELD_SCOPE_PICTURE, .type = FIELD_TYPE_TABLE,
       .statistics = STATISTIC_VECTORSCOPE, .condition = "[arrays](#arrays)",
       .meaning = "Row V, column U: samples with these upper 8 bits", .addition = FIELD_ADDITION_SUM_BY_ELEMENT,
       .is_printed = TRUE)

/* ---- Regions ---- */

FIELD (REGION_X, .name = "x", .scope = FIELD_SCOPE_REGION, .type = FIELD_TYPE_UINT, .unit = "pixels",
       .meaning = "Left edge in the visible picture", .addition = FIELD_ADDITION_KEPT_FIRST)

FIELD (REGION_Y, .name = "y", .scope = FIELD_SCOPE_REGION, .type = FIELD_TYPE_UINT, .unit = "pixels",
       .meaning = "Top edge", .addition = FIELD_ADDITION_KEPT_FIRST)

FIELD (REGION_WIDTH, .name = "width", .scope = FIELD_SCOPE_REGION, .type = FIELD_TYPE_UINT,
       .unit = "pixels", .meaning = "Width of the part inside the picture", .addition = FIELD_ADDITION_KEPT_FIRST)

FIELD (REGION_HEIGHT, .name = "height", .scope = FIELD_SCOPE_REGION, .type = FIELD_TYPE_UINT,
       .unit = "pixels", .meaning = "Height of the part inside the picture", .addition = FIELD_ADDITION_KEPT_FIRST)

FIELD (REGION_ID, .name = "id", .scope = FIELD_SCOPE_REGION, .type = FIELD_TYPE_INT,
       .condition = "ROI or OD", .meaning = "Id of the meta", .addition = FIELD_ADDITION_KEPT_FIRST)

FIELD (REGION_PARENT_ID, .name = "parent-id", .scope = FIELD_SCOPE_REGION, .type = FIELD_TYPE_INT,
       .condition = "ROI; OD that is part of another", .meaning = "Its parent's id", .addition = FIELD_ADDITION_KEPT_FIRST)

FIELD (REGION_TYPE, .name = "type", .scope = FIELD_SCOPE_REGION, .type = FIELD_TYPE_STRING,
       .condition = "ROI or OD with a type", .meaning = "Object type", .addition = FIELD_ADDITION_KEPT_FIRST)

FIELD (REGION_CONFIDENCE, .name = "confidence", .scope = FIELD_SCOPE_REGION, .type = FIELD_TYPE_DOUBLE,
       .condition = "OD", .meaning = "Confidence of the detector, 0 to 1, in the window's first frame",
       .addition = FIELD_ADDITION_KEPT_FIRST)

/* ---- Components and their comparison with a reference ---- */

FIELD (COUNT, .name = "count", .scope = FIELD_SCOPE_COMPONENT, .type = FIELD_TYPE_UINT64,
       .meaning = "Number of samples", .addition = FIELD_ADDITION_SUM)

FIELD (SUM, .name = "sum", .scope = FIELD_SCOPE_COMPONENT, .type = FIELD_TYPE_UINT64,
       .statistics = STATISTIC_HISTOGRAM, .meaning = "Sum of the samples", .addition = FIELD_ADDITION_SUM)

FIELD (SUM_OF_SQUARES, .name = "sum-of-squares", .scope = FIELD_SCOPE_COMPONENT, .type = FIELD_TYPE_WIDE,
       .statistics = STATISTIC_HISTOGRAM, .meaning = "Sum of the squared samples", .addition = FIELD_ADDITION_SUM)

FIELD (MEAN, .name = "mean", .scope = FIELD_SCOPE_COMPONENT, .type = FIELD_TYPE_DOUBLE,
       .statistics = STATISTIC_HISTOGRAM, .meaning = "`sum` / `count`", .addition = FIELD_ADDITION_DERIVED, .ffmpeg = "AVG",
       .ffmpeg_place = 13)

FIELD (VARIANCE, .name = "variance", .scope = FIELD_SCOPE_COMPONENT, .type = FIELD_TYPE_DOUBLE,
       .statistics = STATISTIC_HISTOGRAM, .meaning = "Population variance", .addition = FIELD_ADDITION_DERIVED)

FIELD (STDDEV, .name = "stddev", .scope = FIELD_SCOPE_COMPONENT, .type = FIELD_TYPE_DOUBLE,
       .statistics = STATISTIC_HISTOGRAM, .meaning = "Square root of `variance`", .addition = FIELD_ADDITION_DERIVED,
       .chart_order = 6, .title = "standard deviation", .chart_unit = "level",
       .about = "Typical distance of the samples from their mean: the square root of the variance.")

FIELD (MIN, .name = "min", .scope = FIELD_SCOPE_COMPONENT, .type = FIELD_TYPE_UINT,
       .statistics = STATISTIC_HISTOGRAM, .meaning = "Smallest value", .addition = FIELD_ADDITION_LEAST, .ffmpeg = "MIN",
       .ffmpeg_place = 11)

FIELD (MAX, .name = "max", .scope = FIELD_SCOPE_COMPONENT, .type = FIELD_TYPE_UINT,
       .statistics = STATISTIC_HISTOGRAM, .meaning = "Largest value", .addition = FIELD_ADDITION_GREATEST, .ffmpeg = "MAX",
       .ffmpeg_place = 15)

FIELD (LOW, .name = "low", .scope = FIELD_SCOPE_COMPONENT, .type = FIELD_TYPE_UINT,
       .statistics = STATISTIC_HISTOGRAM, .meaning = "10th percentile", .addition = FIELD_ADDITION_DERIVED, .ffmpeg = "LOW",
       .ffmpeg_place = 12)

FIELD (MEDIAN, .name = "median", .scope = FIELD_SCOPE_COMPONENT, .type = FIELD_TYPE_UINT,
       .statistics = STATISTIC_HISTOGRAM, .meaning = "50th percentile", .addition = FIELD_ADDITION_DERIVED)

FIELD (HIGH, .name = "high", .scope = FIELD_SCOPE_COMPONENT, .type = FIELD_TYPE_UINT,
       .statistics = STATISTIC_HISTOGRAM, .meaning = "90th percentile", .addition = FIELD_ADDITION_DERIVED,
       .ffmpeg = "HIGH", .ffmpeg_place = 14)

FIELD (DOT, .name = "dot", .scope = FIELD_SCOPE_COMPONENT, .type = FIELD_TYPE_WIDE,
       .condition = "`dot=previous`; previous",
       .meaning = "Sum of the products with the same samples of the previous frame",
       .addition = FIELD_ADDITION_SUM_WITH_PAIR, .pair = FIELD_ID_DOT_COUNT, .is_printed = TRUE)

FIELD (DOT_COUNT, .name = "dot-count", .scope = FIELD_SCOPE_COMPONENT, .type = FIELD_TYPE_UINT64,
       .condition = "`dot=previous`; previous", .meaning = "Samples with a previous frame",
       .addition = FIELD_ADDITION_SUM_IF_ANY)

FIELD (DIFFERENCE, .name = "difference", .scope = FIELD_SCOPE_COMPONENT, .type = FIELD_TYPE_DOUBLE,
       .statistics = STATISTIC_DIFFERENCE | STATISTIC_COMPARISON, .condition = "previous",
       .meaning = "Mean absolute difference from the previous frame: `sad` / `difference-count`",
       .addition = FIELD_ADDITION_DERIVED, .dividend = FIELD_ID_SAD, .divisor = FIELD_ID_DIFFERENCE_COUNT,
       .formula = formula_quotient, .is_printed = TRUE, .ffmpeg = "DIF", .ffmpeg_place = 41, .chart_order = 1,
       .title = "difference from the previous frame", .chart_unit = "level",
       .about = "Mean absolute difference of each sample from the same sample of the previous frame.",
       .extremes = FIELD_EXTREMES_GREATEST)

FIELD (DIFFERENCE_COUNT, .name = "difference-count", .scope = FIELD_SCOPE_COMPONENT, .type = FIELD_TYPE_UINT64,
       .statistics = STATISTIC_DIFFERENCE | STATISTIC_COMPARISON, .condition = "previous",
       .meaning = "Samples compared: `count`, or fewer if a frame has no previous frame",
       .addition = FIELD_ADDITION_SUM_IF_ANY)

FIELD (SAD, .name = "sad", .scope = FIELD_SCOPE_COMPONENT, .type = FIELD_TYPE_UINT64,
       .statistics = STATISTIC_DIFFERENCE | STATISTIC_COMPARISON, .condition = "previous",
       .meaning = "Sum of the absolute differences", .addition = FIELD_ADDITION_SUM_WITH_PAIR,
       .pair = FIELD_ID_DIFFERENCE_COUNT, .is_printed = TRUE)

FIELD (SSD, .name = "ssd", .scope = FIELD_SCOPE_COMPONENT, .type = FIELD_TYPE_WIDE,
       .statistics = STATISTIC_COMPARISON, .condition = "previous", .meaning = "Sum of the squared differences",
       .addition = FIELD_ADDITION_SUM_WITH_PAIR, .pair = FIELD_ID_DIFFERENCE_COUNT, .is_printed = TRUE)

FIELD (MSE, .name = "mse", .scope = FIELD_SCOPE_COMPONENT, .type = FIELD_TYPE_DOUBLE,
       .statistics = STATISTIC_COMPARISON, .condition = "previous",
       .meaning = "Mean squared error: `ssd` / `difference-count`", .addition = FIELD_ADDITION_DERIVED,
       .dividend = FIELD_ID_SSD, .divisor = FIELD_ID_DIFFERENCE_COUNT, .formula = formula_quotient, .is_printed = TRUE,
       .chart_order = 3, .title = "mean squared error from the previous frame", .chart_unit = "levels²",
       .about = "Mean of the squared differences from the previous frame.", .extremes = FIELD_EXTREMES_GREATEST)

FIELD (PSNR, .name = "psnr", .scope = FIELD_SCOPE_COMPONENT, .type = FIELD_TYPE_DOUBLE, .unit = "dB",
       .statistics = STATISTIC_COMPARISON, .condition = "previous",
       .meaning = "Peak signal-to-noise ratio: 10 log10 ((2^depth - 1)² / `mse`). Infinite (JSON: null) if nothing differs",
       .addition = FIELD_ADDITION_DERIVED, .dividend = FIELD_ID_SSD, .divisor = FIELD_ID_DIFFERENCE_COUNT,
       .formula = formula_psnr, .is_null_infinite = TRUE, .is_printed = TRUE, .chart_order = 2,
       .title = "PSNR with the previous frame", .chart_unit = "dB",
       .about = "Peak signal-to-noise ratio with the previous frame. Infinite: both are equal.",
       .extremes = FIELD_EXTREMES_LEAST)

FIELD (HISTOGRAM_DISTANCE, .name = "histogram-distance", .scope = FIELD_SCOPE_COMPONENT, .type = FIELD_TYPE_DOUBLE,
       .unit = "fraction", .statistics = STATISTIC_COMPARISON, .condition = "previous",
       .meaning = "Samples that must change to turn the previous histogram into this one: 0 if equal, 1 if no value is "
         "common", .addition = FIELD_ADDITION_DERIVED, .dividend = FIELD_ID_HISTOGRAM_DISTANCE_MOVED,
       .divisor = FIELD_ID_HISTOGRAM_DISTANCE_COUNT, .formula = formula_quotient, .is_printed = TRUE, .chart_order = 3,
       .title = "distance of histograms", .chart_unit = "%",
       .about = "Share of samples that need another value for the previous frame's histogram to become this one's.",
       .extremes = FIELD_EXTREMES_GREATEST)

FIELD (HISTOGRAM_DISTANCE_MOVED, .name = "histogram-distance-moved", .scope = FIELD_SCOPE_COMPONENT,
       .type = FIELD_TYPE_UINT64, .statistics = STATISTIC_COMPARISON, .condition = "previous",
       .meaning = "Number of these samples", .addition = FIELD_ADDITION_SUM_WITH_PAIR,
       .pair = FIELD_ID_HISTOGRAM_DISTANCE_COUNT)

FIELD (HISTOGRAM_DISTANCE_COUNT, .name = "histogram-distance-count", .scope = FIELD_SCOPE_COMPONENT,
       .type = FIELD_TYPE_UINT64, .statistics = STATISTIC_COMPARISON, .condition = "previous",
       .meaning = "Samples compared", .addition = FIELD_ADDITION_SUM_IF_ANY)

FIELD (REFERENCE_DIFFERENCE, .name = "reference-difference", .scope = FIELD_SCOPE_REFERENCE, .type = FIELD_TYPE_DOUBLE,
       .condition = "reference", .meaning = "As `difference`",
       .addition = FIELD_ADDITION_DERIVED, .dividend = FIELD_ID_REFERENCE_SAD,
       .divisor = FIELD_ID_REFERENCE_DIFFERENCE_COUNT, .formula = formula_quotient, .is_printed = TRUE)

FIELD (REFERENCE_DIFFERENCE_COUNT, .name = "reference-difference-count", .scope = FIELD_SCOPE_REFERENCE,
       .type = FIELD_TYPE_UINT64, .condition = "reference",
       .meaning = "As `difference-count`",
       .addition = FIELD_ADDITION_SUM_IF_ANY)

FIELD (REFERENCE_SAD, .name = "reference-sad", .scope = FIELD_SCOPE_REFERENCE, .type = FIELD_TYPE_UINT64,
       .condition = "reference", .meaning = "As `sad`",
       .addition = FIELD_ADDITION_SUM_WITH_PAIR, .pair = FIELD_ID_REFERENCE_DIFFERENCE_COUNT, .is_printed = TRUE)

FIELD (REFERENCE_SSD, .name = "reference-ssd", .scope = FIELD_SCOPE_REFERENCE, .type = FIELD_TYPE_WIDE,
       .condition = "reference", .meaning = "As `ssd`",
       .addition = FIELD_ADDITION_SUM_WITH_PAIR, .pair = FIELD_ID_REFERENCE_DIFFERENCE_COUNT, .is_printed = TRUE)

FIELD (REFERENCE_MSE, .name = "reference-mse", .scope = FIELD_SCOPE_REFERENCE, .type = FIELD_TYPE_DOUBLE,
       .condition = "reference", .meaning = "As `mse`", .addition = FIELD_ADDITION_DERIVED,
       .dividend = FIELD_ID_REFERENCE_SSD, .divisor = FIELD_ID_REFERENCE_DIFFERENCE_COUNT, .formula = formula_quotient,
       .is_printed = TRUE, .chart_order = 5, .title = "mean squared error from the reference", .chart_unit = "levels²",
       .about = "Mean of the squared differences from the reference.", .extremes = FIELD_EXTREMES_GREATEST)

FIELD (REFERENCE_PSNR, .name = "reference-psnr", .scope = FIELD_SCOPE_REFERENCE, .type = FIELD_TYPE_DOUBLE,
       .unit = "dB", .condition = "reference", .meaning = "As `psnr`",
       .addition = FIELD_ADDITION_DERIVED, .dividend = FIELD_ID_REFERENCE_SSD,
       .divisor = FIELD_ID_REFERENCE_DIFFERENCE_COUNT, .formula = formula_psnr, .is_null_infinite = TRUE,
       .is_printed = TRUE, .chart_order = 4, .title = "PSNR with the reference", .chart_unit = "dB",
       .about = "Peak signal-to-noise ratio with the reference. Infinite: both are equal.",
       .extremes = FIELD_EXTREMES_LEAST)

FIELD (REFERENCE_HISTOGRAM_DISTANCE, .name = "reference-histogram-distance", .scope = FIELD_SCOPE_REFERENCE,
       .type = FIELD_TYPE_DOUBLE, .unit = "fraction", .condition = "reference",
       .meaning = "As `histogram-distance`", .addition = FIELD_ADDITION_DERIVED,
       .dividend = FIELD_ID_REFERENCE_HISTOGRAM_DISTANCE_MOVED, .divisor = FIELD_ID_REFERENCE_HISTOGRAM_DISTANCE_COUNT,
       .formula = formula_quotient, .is_printed = TRUE, .chart_order = 5,
       .title = "distance of histograms from the reference", .chart_unit = "%",
       .about = "Share of samples that need another value for the reference's histogram to become this one's.",
       .extremes = FIELD_EXTREMES_GREATEST)

FIELD (REFERENCE_HISTOGRAM_DISTANCE_MOVED, .name = "reference-histogram-distance-moved", .scope = FIELD_SCOPE_REFERENCE,
       .type = FIELD_TYPE_UINT64, .condition = "reference",
       .meaning = "As `histogram-distance-moved`", .addition = FIELD_ADDITION_SUM_WITH_PAIR,
       .pair = FIELD_ID_REFERENCE_HISTOGRAM_DISTANCE_COUNT)

FIELD (REFERENCE_HISTOGRAM_DISTANCE_COUNT, .name = "reference-histogram-distance-count", .scope = FIELD_SCOPE_REFERENCE,
       .type = FIELD_TYPE_UINT64, .condition = "reference",
       .meaning = "As `histogram-distance-count`", .addition = FIELD_ADDITION_SUM_IF_ANY)

FIELD (USED_BITS, .name = "used-bits", .scope = FIELD_SCOPE_COMPONENT, .type = FIELD_TYPE_UINT,
       .unit = "bits", .statistics = STATISTIC_USED_BITS, .meaning = "Number of bits that are 1 in any sample",
       .addition = FIELD_ADDITION_DERIVED, .is_printed = TRUE, .ffmpeg = "BITDEPTH", .ffmpeg_place = 51)

FIELD (USED_MASK, .name = "used-mask", .scope = FIELD_SCOPE_COMPONENT, .type = FIELD_TYPE_UINT,
       .statistics = STATISTIC_USED_BITS, .meaning = "These bits: bitwise OR of all samples",
       .addition = FIELD_ADDITION_COMBINED_BITS)

FIELD (HISTOGRAM, .name = "histogram", .scope = FIELD_SCOPE_COMPONENT, .type = FIELD_TYPE_HISTOGRAM,
       .statistics = STATISTIC_HISTOGRAM, .condition = "[arrays](#arrays)",
       .meaning = "Samples of each value, from 0. Above 8 bits: of each value of the upper 8 bits, unless `bins=native`",
       .addition = FIELD_ADDITION_SUM_BY_ELEMENT)

FIELD (ROW_SUMS, .name = "row-sums", .scope = FIELD_SCOPE_COMPONENT, .type = FIELD_TYPE_SUMS,
       .statistics = STATISTIC_ROW_SUMS, .condition = "[arrays](#arrays)",
       .meaning = "For each row, from the top: sum of its samples, each times the weight of its column",
       .addition = FIELD_ADDITION_SUM_BY_ELEMENT, .is_printed = TRUE)

FIELD (COLUMN_SUMS, .name = "column-sums", .scope = FIELD_SCOPE_COMPONENT, .type = FIELD_TYPE_SUMS,
       .statistics = STATISTIC_COLUMN_SUMS, .condition = "[arrays](#arrays)",
       .meaning = "For each column, from the left: sum of its samples, each times the weight of its row",
       .addition = FIELD_ADDITION_SUM_BY_ELEMENT, .is_printed = TRUE)

FIELD (WAVEFORM, .name = "waveform", .scope = FIELD_SCOPE_COMPONENT, .type = FIELD_TYPE_TABLE,
       .statistics = STATISTIC_WAVEFORM, .condition = "[arrays](#arrays)",
       .meaning = "For each column of the waveform, from the left: 256 bins of the samples' upper 8 bits",
       .addition = FIELD_ADDITION_SUM_BY_ELEMENT, .is_printed = TRUE)

/* clang-format on */
