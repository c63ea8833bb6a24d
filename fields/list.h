/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The fields of a result. Define FIELD, then include this file. An entry has the field's id, name, scope, type and addition,
 * and other members of a FieldDescription, which fields.h describes.
 *
 * To add a field, add an entry here and, if it has no formula, a row in plugin/result/getters.c. Messages, lines, totals,
 * tables, reports and docs/messages.md follow the order of this list. */

/* clang-format off */

/* ---- Provenance ---- */

FIELD (ELEMENT, "element", RESULT, STRING, KEPT_FIRST, .meaning = "Name of the element")

FIELD (INPUT, "input", RESULT, STRING, KEPT_FIRST, .condition = "`input-name` is set",
       .meaning = "Name of the film or stream; from `cudahisto measure` its file name")

FIELD (SAMPLING, "sampling", RESULT, STRING, MIXED, .condition = "`every` or `input-sampling` is set",
       .meaning = "Part of the input that was measured: `every=10`, `keyframes`, `from=60s+to=120s`")

FIELD (BACKEND, "backend", RESULT, STRING, KEPT_LAST,
       .meaning = "Backend that counted the window's last frame: `cuda`, `cpu` or `reference`")

FIELD (FRAME, "frame", RESULT, UINT64, KEPT_FIRST,
       .meaning = "Index of the first frame (bytes: buffer) since the start, from 0")

FIELD (FRAMES, "frames", RESULT, UINT64, SPANNED, .meaning = "Frames in the window (bytes: buffers or parts of them)")

FIELD (DAMAGED, "damaged", VIDEO, UINT64, SUM_IF_ANY, .condition = "`events=damaged`; not 0",
       .meaning = "Damaged frames in the window")

FIELD (MISSING, "missing", VIDEO, UINT64, SUM_IF_ANY, .condition = "`events=damaged`; not 0",
       .meaning = "Frames missing in the window or directly before it")

FIELD (OFFSET, "offset", BYTES, UINT64, KEPT_FIRST, .unit = "bytes",
       .meaning = "Position of the window's first byte in the stream")

FIELD (SIZE, "size", BYTES, UINT64, SPANNED, .unit = "bytes", .meaning = "Length of the window")

FIELD (FORMAT, "format", RESULT, STRING, SAME_SOURCE, .meaning = "Video format as in the caps, or `bytes`")

FIELD (WIDTH, "width", VIDEO, UINT, SAME_SOURCE, .unit = "pixels", .meaning = "Visible width, after cropping")

FIELD (HEIGHT, "height", VIDEO, UINT, SAME_SOURCE, .unit = "pixels",
       .meaning = "Visible height, after cropping. Of a field, its rows")

FIELD (FIELD, "field", VIDEO, STRING, UNITED, .condition = "result of fields",
       .meaning = "Fields that were counted: `top`, `bottom` or `both`")

FIELD (CROP, "crop", VIDEO, RECTANGLE, KEPT_FIRST, .unit = "pixels", .condition = "GstVideoCropMeta",
       .meaning = "Crop rectangle in the decoded frame")

FIELD (DEPTH, "depth", RESULT, UINT, SAME_SOURCE, .unit = "bits", .meaning = "Significant bits of a sample")

FIELD (RANGE, "range", RESULT, STRING, SAME_SOURCE, .meaning = "Nominal range as in the caps: `full`, `limited` or `unknown`")

FIELD (COLORIMETRY, "colorimetry", VIDEO, STRING, SAME_SOURCE, .condition = "known",
       .meaning = "Range, matrix, transfer function and primaries as in the caps, or defaults if YUV has no matrix there; 0: "
                  "unknown")

FIELD (FRAMERATE, "framerate", VIDEO, FRACTION, KEPT_IF_SAME, .unit = "frames/s", .condition = "fixed in the caps",
       .meaning = "Frames or fields per second")

FIELD (TIMESTAMP, "timestamp", RESULT, TIME, KEPT_FIRST, .meaning = "Timestamp of the window's first buffer")

FIELD (STREAM_TIME, "stream-time", RESULT, TIME, KEPT_FIRST, .meaning = "`timestamp` in stream time")

FIELD (RUNNING_TIME, "running-time", RESULT, TIME, KEPT_FIRST, .meaning = "`timestamp` in running time")

FIELD (DURATION, "duration", RESULT, TIME, SPANNED,
       .meaning = "From `timestamp` to the end of the window's last buffer. Unknown if time goes back")

FIELD (UTC_TIME, "utc-time", RESULT, STRING, KEPT_FIRST,
       .meaning = "Arrival of the window's first buffer (RFC 3339, UTC), by the pipeline clock if it is a wall clock, "
                  "otherwise the system's")

FIELD (TIMECODE, "timecode", VIDEO, STRING, KEPT_FIRST, .condition = "GstVideoTimeCodeMeta",
       .meaning = "Time code of the window's first frame: `hh:mm:ss:ff`, or `hh:mm:ss;ff` if drop-frame")

FIELD (REFERENCE_TIME, "reference-time", RESULT, UINT64, KEPT_FIRST, .unit = "ns", .condition = "GstReferenceTimestampMeta",
       .meaning = "Capture time of the window's first buffer, by another clock")

FIELD (REFERENCE_CLOCK, "reference-clock", RESULT, STRING, KEPT_FIRST, .condition = "GstReferenceTimestampMeta",
       .meaning = "That clock, for example `timestamp/x-ntp` (epoch 1900)")

FIELD (REFERENCE_OFFSET, "reference-offset", VIDEO, INT64, KEPT_FIRST, .unit = "ns",
       .condition = "reference; `reference-mode=in-step`",
       .meaning = "Stream time of a frame minus that of its counterpart in the reference")

FIELD (ENDED_BY, "ended-by", RESULT, STRING, KEPT_LAST, .meaning = "[Why the window ended](#why-a-window-ended)")

/* ---- Pictures and regions ---- */

FIELD (SATURATION_MIN, "saturation-min", SATURATION, UINT, DERIVED, .statistics = STATISTIC_SATURATION,
       .meaning = "Smallest saturation: distance from grey in the UV plane", .is_printed = TRUE, .ffmpeg = "SATMIN",
       .ffmpeg_place = 21)

FIELD (SATURATION_LOW, "saturation-low", SATURATION, UINT, DERIVED, .statistics = STATISTIC_SATURATION,
       .meaning = "10th percentile", .is_printed = TRUE, .ffmpeg = "SATLOW", .ffmpeg_place = 22)

FIELD (SATURATION_MEAN, "saturation-mean", SATURATION, DOUBLE, DERIVED, .statistics = STATISTIC_SATURATION, .meaning = "Mean",
       .is_printed = TRUE, .ffmpeg = "SATAVG", .ffmpeg_place = 23, .chart_order = 3, .title = "saturation, mean",
       .chart_unit = "saturation", .about = "Mean distance of the colours from grey in the plane of U and V. Grey is 0.",
       .extremes = FIELD_EXTREMES_GREATEST)

FIELD (SATURATION_HIGH, "saturation-high", SATURATION, UINT, DERIVED, .statistics = STATISTIC_SATURATION,
       .meaning = "90th percentile", .is_printed = TRUE, .ffmpeg = "SATHIGH", .ffmpeg_place = 24)

FIELD (SATURATION_MAX, "saturation-max", SATURATION, UINT, DERIVED, .statistics = STATISTIC_SATURATION,
       .meaning = "Largest saturation", .is_printed = TRUE, .ffmpeg = "SATMAX", .ffmpeg_place = 25)

FIELD (SATURATION_HISTOGRAM, "saturation-histogram", SATURATION, COUNTERS, SUM_BY_ELEMENT, .statistics = STATISTIC_SATURATION,
       .condition = "[arrays](#arrays)", .meaning = "Samples of each saturation: a bin for each possible value")

FIELD (HUE_MEDIAN, "hue-median", HUE, UINT, DERIVED, .unit = "degrees", .statistics = STATISTIC_HUE,
       .meaning = "Median hue, 0 to 359: angle in the UV plane", .is_printed = TRUE, .ffmpeg = "HUEMED", .ffmpeg_place = 31,
       .chart_order = 3, .title = "hue, median", .chart_unit = "°",
       .about = "Median angle of the colours in the plane of U and V, 0 to 359 degrees. Grey counts as 180.")

FIELD (HUE_MEAN, "hue-mean", HUE, DOUBLE, DERIVED, .unit = "degrees", .statistics = STATISTIC_HUE,
       .meaning = "Arithmetic mean, although hue is circular", .is_printed = TRUE, .ffmpeg = "HUEAVG", .ffmpeg_place = 32)

FIELD (HUE_HISTOGRAM, "hue-histogram", HUE, COUNTERS, SUM_BY_ELEMENT, .statistics = STATISTIC_HUE,
       .condition = "[arrays](#arrays)", .meaning = "Samples of each hue: 360 bins")

FIELD (LIGHT_TRANSFER, "light-transfer", LIGHT, STRING, KEPT_IF_SAME, .statistics = STATISTIC_LIGHT | STATISTIC_HDR,
       .meaning = "Transfer function: `pq`, or `hlg-1000`: HLG on a display of 1000 nits")

FIELD (LIGHT_SOURCE, "light-source", LIGHT, STRING, KEPT_IF_SAME, .statistics = STATISTIC_LIGHT | STATISTIC_HDR,
       .meaning = "Light of a pixel: `max-rgb` or `luminance`")

FIELD (LIGHT_MAX_NITS, "light-max-nits", LIGHT, DOUBLE, GREATEST, .unit = "nits", .statistics = STATISTIC_LIGHT | STATISTIC_HDR,
       .meaning = "Largest light of a pixel", .is_printed = TRUE, .chart_order = 1, .title = "light, largest",
       .chart_unit = "nits", .about = "Luminance of the largest of R, G and B in any pixel. The largest over a film is MaxCLL.",
       .extremes = FIELD_EXTREMES_GREATEST)

FIELD (LIGHT_AVERAGE_NITS, "light-average-nits", LIGHT, DOUBLE, DERIVED, .unit = "nits",
       .statistics = STATISTIC_LIGHT | STATISTIC_HDR, .meaning = "Mean over all pixels: `sum` / 10000 / `count` of luma",
       .dividend = FIELD_ID_LIGHT_SUM, .divisor = FIELD_ID_COUNT, .formula = formula_nits, .is_printed = TRUE, .chart_order = 1,
       .title = "light, mean", .chart_unit = "nits",
       .about = "Mean over all pixels of the luminance of the largest of R, G and B. The largest of any frame is MaxFALL.",
       .extremes = FIELD_EXTREMES_GREATEST)

FIELD (LIGHT_PERCENTILE_50, "light-percentile-50", LIGHT, DOUBLE, DERIVED, .unit = "nits",
       .statistics = STATISTIC_LIGHT | STATISTIC_HDR, .meaning = "50th percentile", .is_printed = TRUE)

FIELD (LIGHT_PERCENTILE_90, "light-percentile-90", LIGHT, DOUBLE, DERIVED, .unit = "nits",
       .statistics = STATISTIC_LIGHT | STATISTIC_HDR, .meaning = "90th percentile", .is_printed = TRUE)

FIELD (LIGHT_PERCENTILE_99, "light-percentile-99", LIGHT, DOUBLE, DERIVED, .unit = "nits",
       .statistics = STATISTIC_LIGHT | STATISTIC_HDR, .meaning = "99th percentile", .is_printed = TRUE)

FIELD (LIGHT_PERCENTILE_99_9, "light-percentile-99-9", LIGHT, DOUBLE, DERIVED, .unit = "nits",
       .statistics = STATISTIC_LIGHT | STATISTIC_HDR, .meaning = "99.9th percentile", .is_printed = TRUE)

FIELD (LIGHT_PERCENTILE_99_99, "light-percentile-99-99", LIGHT, DOUBLE, DERIVED, .unit = "nits",
       .statistics = STATISTIC_LIGHT | STATISTIC_HDR, .meaning = "99.99th percentile", .is_printed = TRUE)

FIELD (LIGHT_MIN_PQ, "light-min-pq", LIGHT, UINT, LEAST, .statistics = STATISTIC_LIGHT | STATISTIC_HDR,
       .meaning = "Smallest 12-bit PQ code", .is_printed = TRUE)

FIELD (LIGHT_MAX_PQ, "light-max-pq", LIGHT, UINT, GREATEST, .statistics = STATISTIC_LIGHT | STATISTIC_HDR,
       .meaning = "Largest 12-bit PQ code", .is_printed = TRUE)

FIELD (LIGHT_AVERAGE_PQ, "light-average-pq", LIGHT, DOUBLE, DERIVED, .statistics = STATISTIC_LIGHT | STATISTIC_HDR,
       .meaning = "Mean of the codes: `pq-sum` / `count` of luma", .dividend = FIELD_ID_LIGHT_PQ_SUM, .divisor = FIELD_ID_COUNT,
       .formula = formula_quotient, .is_printed = TRUE)

FIELD (LIGHT_SUM, "light-sum", LIGHT, WIDE, SUM, .unit = "0.0001 nit", .statistics = STATISTIC_LIGHT | STATISTIC_HDR,
       .meaning = "Sum of the light of all pixels")

FIELD (LIGHT_PQ_SUM, "light-pq-sum", LIGHT, UINT64, SUM, .statistics = STATISTIC_LIGHT | STATISTIC_HDR,
       .meaning = "Sum of the codes of all pixels")

FIELD (LIGHT_MAX_CLL, "light-max-cll", LIGHT, DOUBLE, GREATEST, .unit = "nits", .statistics = STATISTIC_LIGHT | STATISTIC_HDR,
       .meaning = "MaxCLL: largest `max-nits` of a frame", .is_printed = TRUE)

FIELD (LIGHT_MAX_FALL, "light-max-fall", LIGHT, DOUBLE, GREATEST, .unit = "nits", .statistics = STATISTIC_LIGHT | STATISTIC_HDR,
       .meaning = "MaxFALL: largest `average-nits` of a frame", .is_printed = TRUE)

FIELD (LIGHT_MAX_CLL_99_99, "light-max-cll-99-99", LIGHT, DOUBLE, GREATEST, .unit = "nits",
       .statistics = STATISTIC_LIGHT | STATISTIC_HDR, .meaning = "Largest `percentile-99-99` of a frame", .is_printed = TRUE)

FIELD (LIGHT_MAX_FALL_99_99, "light-max-fall-99-99", LIGHT, DOUBLE, GREATEST, .unit = "nits",
       .statistics = STATISTIC_LIGHT | STATISTIC_HDR,
       .meaning = "Largest mean of a frame in which light above its `percentile-99-99` counts as that", .is_printed = TRUE)

FIELD (LIGHT_MAX_FALL_ACTIVE, "light-max-fall-active", LIGHT, DOUBLE, DERIVED, .unit = "nits",
       .statistics = STATISTIC_LIGHT | STATISTIC_HDR, .condition = "`active-picture`",
       .meaning = "`max-fall` of the active picture", .is_printed = TRUE)

FIELD (LIGHT_MAX_FALL_99_99_ACTIVE, "light-max-fall-99-99-active", LIGHT, DOUBLE, DERIVED, .unit = "nits",
       .statistics = STATISTIC_LIGHT | STATISTIC_HDR, .condition = "`active-picture`",
       .meaning = "`max-fall-99-99` of the active picture", .is_printed = TRUE)

FIELD (LIGHT_HISTOGRAM, "light-histogram", LIGHT, COUNTERS, SUM_BY_ELEMENT, .statistics = STATISTIC_LIGHT | STATISTIC_HDR,
       .condition = "[arrays](#arrays)", .meaning = "Pixels of each 12-bit PQ code: 4096 bins")

FIELD (OUTLIERS, "outliers", PICTURE, DOUBLE, DERIVED, .unit = "fraction", .statistics = STATISTIC_OUTLIERS,
       .meaning = "Luma samples that differ from those above and below", .dividend = FIELD_ID_OUTLIERS_COUNT,
       .divisor = FIELD_ID_COUNT, .formula = formula_quotient, .is_printed = TRUE, .ffmpeg = "TOUT", .ffmpeg_place = 61,
       .chart_order = 2, .title = "outliers (TOUT)", .chart_unit = "%",
       .about = "TOUT, temporal outliers: luma samples that stand out from those above and below them, as dropouts of a tape "
                "do.", .extremes = FIELD_EXTREMES_GREATEST)

FIELD (OUTLIERS_COUNT, "outliers-count", PICTURE, UINT64, SUM, .statistics = STATISTIC_OUTLIERS,
       .meaning = "Number of these samples")

FIELD (REPEATS, "repeats", PICTURE, DOUBLE, DERIVED, .unit = "fraction", .statistics = STATISTIC_REPEATS,
       .meaning = "Luma samples of rows that repeat the fourth row above", .dividend = FIELD_ID_REPEATS_COUNT,
       .divisor = FIELD_ID_COUNT, .formula = formula_quotient, .is_printed = TRUE, .ffmpeg = "VREP", .ffmpeg_place = 62,
       .chart_order = 2, .title = "repeated rows (VREP)", .chart_unit = "%",
       .about = "VREP, vertical repetitions: luma samples in rows that repeat the fourth row above, as a failing time base "
                "corrector makes them.", .extremes = FIELD_EXTREMES_GREATEST)

FIELD (REPEATS_COUNT, "repeats-count", PICTURE, UINT64, SUM, .statistics = STATISTIC_REPEATS,
       .meaning = "Number of these samples")

FIELD (OUT_OF_RANGE, "out-of-range", PICTURE, DOUBLE, DERIVED, .unit = "fraction", .statistics = STATISTIC_BROADCAST_RANGE,
       .meaning = "Luma samples outside the broadcast range, or with chroma outside it",
       .dividend = FIELD_ID_OUT_OF_RANGE_COUNT, .divisor = FIELD_ID_COUNT, .formula = formula_quotient, .is_printed = TRUE,
       .ffmpeg = "BRNG", .ffmpeg_place = 63, .chart_order = 1, .title = "out of broadcast range (BRNG)", .chart_unit = "%",
       .about = "BRNG, broadcast range: samples with luma below 16 or above 235, or chroma below 16 or above 240, on the "
                "scale of 8 bits.", .extremes = FIELD_EXTREMES_GREATEST)

FIELD (OUT_OF_RANGE_COUNT, "out-of-range-count", PICTURE, UINT64, SUM, .statistics = STATISTIC_BROADCAST_RANGE,
       .meaning = "Number of these samples")

FIELD (OUT_OF_GAMUT, "out-of-gamut", PICTURE, DOUBLE, DERIVED, .unit = "fraction", .statistics = STATISTIC_GAMUT,
       .meaning = "Luma samples outside the preferred range of EBU R103, or with R, G or B outside it",
       .dividend = FIELD_ID_OUT_OF_GAMUT_COUNT, .divisor = FIELD_ID_COUNT, .formula = formula_quotient, .is_printed = TRUE,
       .chart_order = 1, .title = "out of gamut (EBU R103)", .chart_unit = "%",
       .about = "EBU R103: samples whose luma, or whose R, G or B, is below 5 or above 246 on the scale of 8 bits. R103 calls "
                "more than 1 % an error.", .extremes = FIELD_EXTREMES_GREATEST)

FIELD (OUT_OF_GAMUT_COUNT, "out-of-gamut-count", PICTURE, UINT64, SUM, .statistics = STATISTIC_GAMUT,
       .meaning = "Number of these samples")

FIELD (METERED_LUMA, "metered-luma", PICTURE, DOUBLE, DERIVED, .condition = "`metering`",
       .meaning = "Weighted mean of luma: `metered-luma-sum` / `metered-luma-weights`", .dividend = FIELD_ID_METERED_LUMA_SUM,
       .divisor = FIELD_ID_METERED_LUMA_WEIGHTS, .formula = formula_quotient, .is_printed = TRUE, .chart_order = 4,
       .title = "metered luma", .chart_unit = "level",
       .about = "Mean of luma in which each sample has the weight of its place in the picture.",
       .extremes = FIELD_EXTREMES_LEAST | FIELD_EXTREMES_GREATEST)

FIELD (METERED_LUMA_SUM, "metered-luma-sum", PICTURE, WIDE, SUM, .condition = "`metering`",
       .meaning = "Sum of the luma samples, each times its weight")

FIELD (METERED_LUMA_WEIGHTS, "metered-luma-weights", PICTURE, UINT64, SUM, .condition = "`metering`",
       .meaning = "Sum of the weights")

FIELD (ACTIVE_PICTURE, "active-picture", PICTURE, RECTANGLE, DERIVED, .unit = "pixels",
       .statistics = STATISTIC_ACTIVE_PICTURE | STATISTIC_HDR, .condition = "no row or column weights",
       .meaning = "Smallest rectangle with only black rows and columns outside, in all frames. All 0 if there is none",
       .is_printed = TRUE)

FIELD (ACTIVE_EXTENT, "active-extent", PICTURE, RECTANGLE, BOUNDING_BOX, .unit = "pixels",
       .statistics = STATISTIC_ACTIVE_PICTURE | STATISTIC_HDR, .condition = "no row or column weights",
       .meaning = "As `active-picture`, but with columns (`x`, `width`) and rows (`y`, `height`) found separately")

FIELD (VECTORSCOPE, "vectorscope", PICTURE, TABLE, SUM_BY_ELEMENT, .statistics = STATISTIC_VECTORSCOPE,
       .condition = "[arrays](#arrays)", .meaning = "Row V, column U: samples with these upper 8 bits", .is_printed = TRUE)

/* ---- Regions ---- */

FIELD (REGION_X, "x", REGION, UINT, KEPT_FIRST, .unit = "pixels", .meaning = "Left edge in the visible picture")

FIELD (REGION_Y, "y", REGION, UINT, KEPT_FIRST, .unit = "pixels", .meaning = "Top edge")

FIELD (REGION_WIDTH, "width", REGION, UINT, KEPT_FIRST, .unit = "pixels", .meaning = "Width of the part inside the picture")

FIELD (REGION_HEIGHT, "height", REGION, UINT, KEPT_FIRST, .unit = "pixels", .meaning = "Height of the part inside the picture")

FIELD (REGION_ID, "id", REGION, INT, KEPT_FIRST, .condition = "ROI or OD", .meaning = "Id of the meta")

FIELD (REGION_PARENT_ID, "parent-id", REGION, INT, KEPT_FIRST, .condition = "ROI; OD that is part of another",
       .meaning = "Its parent's id")

FIELD (REGION_TYPE, "type", REGION, STRING, KEPT_FIRST, .condition = "ROI or OD with a type", .meaning = "Object type")

FIELD (REGION_CONFIDENCE, "confidence", REGION, DOUBLE, KEPT_FIRST, .condition = "OD",
       .meaning = "Confidence of the detector, 0 to 1, in the window's first frame")

/* ---- Components and their comparison with a reference ---- */

FIELD (COUNT, "count", COMPONENT, UINT64, SUM, .meaning = "Number of samples")

FIELD (SUM, "sum", COMPONENT, UINT64, SUM, .statistics = STATISTIC_HISTOGRAM, .meaning = "Sum of the samples")

FIELD (SUM_OF_SQUARES, "sum-of-squares", COMPONENT, WIDE, SUM, .statistics = STATISTIC_HISTOGRAM,
       .meaning = "Sum of the squared samples")

FIELD (MEAN, "mean", COMPONENT, DOUBLE, DERIVED, .statistics = STATISTIC_HISTOGRAM, .meaning = "`sum` / `count`",
       .ffmpeg = "AVG", .ffmpeg_place = 13)

FIELD (VARIANCE, "variance", COMPONENT, DOUBLE, DERIVED, .statistics = STATISTIC_HISTOGRAM, .meaning = "Population variance")

FIELD (STDDEV, "stddev", COMPONENT, DOUBLE, DERIVED, .statistics = STATISTIC_HISTOGRAM, .meaning = "Square root of `variance`",
       .chart_order = 6, .title = "standard deviation", .chart_unit = "level",
       .about = "Typical distance of the samples from their mean: the square root of the variance.")

FIELD (MIN, "min", COMPONENT, UINT, LEAST, .statistics = STATISTIC_HISTOGRAM, .meaning = "Smallest value", .ffmpeg = "MIN",
       .ffmpeg_place = 11)

FIELD (MAX, "max", COMPONENT, UINT, GREATEST, .statistics = STATISTIC_HISTOGRAM, .meaning = "Largest value", .ffmpeg = "MAX",
       .ffmpeg_place = 15)

FIELD (LOW, "low", COMPONENT, UINT, DERIVED, .statistics = STATISTIC_HISTOGRAM, .meaning = "10th percentile", .ffmpeg = "LOW",
       .ffmpeg_place = 12)

FIELD (MEDIAN, "median", COMPONENT, UINT, DERIVED, .statistics = STATISTIC_HISTOGRAM, .meaning = "50th percentile")

FIELD (HIGH, "high", COMPONENT, UINT, DERIVED, .statistics = STATISTIC_HISTOGRAM, .meaning = "90th percentile",
       .ffmpeg = "HIGH", .ffmpeg_place = 14)

FIELD (DOT, "dot", COMPONENT, WIDE, SUM_WITH_PAIR, .condition = "`dot=previous`; previous",
       .meaning = "Sum of the products with the same samples of the previous frame", .pair = FIELD_ID_DOT_COUNT,
       .is_printed = TRUE)

FIELD (DOT_COUNT, "dot-count", COMPONENT, UINT64, SUM_IF_ANY, .condition = "`dot=previous`; previous",
       .meaning = "Samples with a previous frame")

FIELD (DIFFERENCE, "difference", COMPONENT, DOUBLE, DERIVED, .statistics = STATISTIC_DIFFERENCE | STATISTIC_COMPARISON,
       .condition = "previous", .meaning = "Mean absolute difference from the previous frame: `sad` / `difference-count`",
       .dividend = FIELD_ID_SAD, .divisor = FIELD_ID_DIFFERENCE_COUNT, .formula = formula_quotient, .is_printed = TRUE,
       .ffmpeg = "DIF", .ffmpeg_place = 41, .chart_order = 1, .title = "difference from the previous frame",
       .chart_unit = "level", .about = "Mean absolute difference of each sample from the same sample of the previous frame.",
       .extremes = FIELD_EXTREMES_GREATEST)

FIELD (DIFFERENCE_COUNT, "difference-count", COMPONENT, UINT64, SUM_IF_ANY,
       .statistics = STATISTIC_DIFFERENCE | STATISTIC_COMPARISON, .condition = "previous",
       .meaning = "Samples compared: `count`, or fewer if a frame has no previous frame")

FIELD (SAD, "sad", COMPONENT, UINT64, SUM_WITH_PAIR, .statistics = STATISTIC_DIFFERENCE | STATISTIC_COMPARISON,
       .condition = "previous", .meaning = "Sum of the absolute differences", .pair = FIELD_ID_DIFFERENCE_COUNT,
       .is_printed = TRUE)

FIELD (SSD, "ssd", COMPONENT, WIDE, SUM_WITH_PAIR, .statistics = STATISTIC_COMPARISON, .condition = "previous",
       .meaning = "Sum of the squared differences", .pair = FIELD_ID_DIFFERENCE_COUNT, .is_printed = TRUE)

FIELD (MSE, "mse", COMPONENT, DOUBLE, DERIVED, .statistics = STATISTIC_COMPARISON, .condition = "previous",
       .meaning = "Mean squared error: `ssd` / `difference-count`", .dividend = FIELD_ID_SSD,
       .divisor = FIELD_ID_DIFFERENCE_COUNT, .formula = formula_quotient, .is_printed = TRUE, .chart_order = 3,
       .title = "mean squared error from the previous frame", .chart_unit = "levels²",
       .about = "Mean of the squared differences from the previous frame.", .extremes = FIELD_EXTREMES_GREATEST)

FIELD (PSNR, "psnr", COMPONENT, DOUBLE, DERIVED, .unit = "dB", .statistics = STATISTIC_COMPARISON, .condition = "previous",
       .meaning = "Peak signal-to-noise ratio: 10 log10 ((2^depth - 1)² / `mse`). Infinite (JSON: null) if nothing differs",
       .dividend = FIELD_ID_SSD, .divisor = FIELD_ID_DIFFERENCE_COUNT, .formula = formula_psnr, .is_null_infinite = TRUE,
       .is_printed = TRUE, .chart_order = 2, .title = "PSNR with the previous frame", .chart_unit = "dB",
       .about = "Peak signal-to-noise ratio with the previous frame. Infinite: both are equal.",
       .extremes = FIELD_EXTREMES_LEAST)

FIELD (HISTOGRAM_DISTANCE, "histogram-distance", COMPONENT, DOUBLE, DERIVED, .unit = "fraction",
       .statistics = STATISTIC_COMPARISON, .condition = "previous",
       .meaning = "Samples that must change to turn the previous histogram into this one: 0 if equal, 1 if no value is common",
       .dividend = FIELD_ID_HISTOGRAM_DISTANCE_MOVED, .divisor = FIELD_ID_HISTOGRAM_DISTANCE_COUNT, .formula = formula_quotient,
       .is_printed = TRUE, .chart_order = 3, .title = "distance of histograms", .chart_unit = "%",
       .about = "Share of samples that need another value for the previous frame's histogram to become this one's.",
       .extremes = FIELD_EXTREMES_GREATEST)

FIELD (HISTOGRAM_DISTANCE_MOVED, "histogram-distance-moved", COMPONENT, UINT64, SUM_WITH_PAIR,
       .statistics = STATISTIC_COMPARISON, .condition = "previous", .meaning = "Number of these samples",
       .pair = FIELD_ID_HISTOGRAM_DISTANCE_COUNT)

FIELD (HISTOGRAM_DISTANCE_COUNT, "histogram-distance-count", COMPONENT, UINT64, SUM_IF_ANY, .statistics = STATISTIC_COMPARISON,
       .condition = "previous", .meaning = "Samples compared")

FIELD (REFERENCE_DIFFERENCE, "reference-difference", REFERENCE, DOUBLE, DERIVED, .condition = "reference",
       .meaning = "As `difference`", .dividend = FIELD_ID_REFERENCE_SAD, .divisor = FIELD_ID_REFERENCE_DIFFERENCE_COUNT,
       .formula = formula_quotient, .is_printed = TRUE)

FIELD (REFERENCE_DIFFERENCE_COUNT, "reference-difference-count", REFERENCE, UINT64, SUM_IF_ANY, .condition = "reference",
       .meaning = "As `difference-count`")

FIELD (REFERENCE_SAD, "reference-sad", REFERENCE, UINT64, SUM_WITH_PAIR, .condition = "reference", .meaning = "As `sad`",
       .pair = FIELD_ID_REFERENCE_DIFFERENCE_COUNT, .is_printed = TRUE)

FIELD (REFERENCE_SSD, "reference-ssd", REFERENCE, WIDE, SUM_WITH_PAIR, .condition = "reference", .meaning = "As `ssd`",
       .pair = FIELD_ID_REFERENCE_DIFFERENCE_COUNT, .is_printed = TRUE)

FIELD (REFERENCE_MSE, "reference-mse", REFERENCE, DOUBLE, DERIVED, .condition = "reference", .meaning = "As `mse`",
       .dividend = FIELD_ID_REFERENCE_SSD, .divisor = FIELD_ID_REFERENCE_DIFFERENCE_COUNT, .formula = formula_quotient,
       .is_printed = TRUE, .chart_order = 5, .title = "mean squared error from the reference", .chart_unit = "levels²",
       .about = "Mean of the squared differences from the reference.", .extremes = FIELD_EXTREMES_GREATEST)

FIELD (REFERENCE_PSNR, "reference-psnr", REFERENCE, DOUBLE, DERIVED, .unit = "dB", .condition = "reference",
       .meaning = "As `psnr`", .dividend = FIELD_ID_REFERENCE_SSD, .divisor = FIELD_ID_REFERENCE_DIFFERENCE_COUNT,
       .formula = formula_psnr, .is_null_infinite = TRUE, .is_printed = TRUE, .chart_order = 4,
       .title = "PSNR with the reference", .chart_unit = "dB",
       .about = "Peak signal-to-noise ratio with the reference. Infinite: both are equal.", .extremes = FIELD_EXTREMES_LEAST)

FIELD (REFERENCE_HISTOGRAM_DISTANCE, "reference-histogram-distance", REFERENCE, DOUBLE, DERIVED, .unit = "fraction",
       .condition = "reference", .meaning = "As `histogram-distance`", .dividend = FIELD_ID_REFERENCE_HISTOGRAM_DISTANCE_MOVED,
       .divisor = FIELD_ID_REFERENCE_HISTOGRAM_DISTANCE_COUNT, .formula = formula_quotient, .is_printed = TRUE,
       .chart_order = 5, .title = "distance of histograms from the reference", .chart_unit = "%",
       .about = "Share of samples that need another value for the reference's histogram to become this one's.",
       .extremes = FIELD_EXTREMES_GREATEST)

FIELD (REFERENCE_HISTOGRAM_DISTANCE_MOVED, "reference-histogram-distance-moved", REFERENCE, UINT64, SUM_WITH_PAIR,
       .condition = "reference", .meaning = "As `histogram-distance-moved`",
       .pair = FIELD_ID_REFERENCE_HISTOGRAM_DISTANCE_COUNT)

FIELD (REFERENCE_HISTOGRAM_DISTANCE_COUNT, "reference-histogram-distance-count", REFERENCE, UINT64, SUM_IF_ANY,
       .condition = "reference", .meaning = "As `histogram-distance-count`")

FIELD (USED_BITS, "used-bits", COMPONENT, UINT, DERIVED, .unit = "bits", .statistics = STATISTIC_USED_BITS,
       .meaning = "Number of bits that are 1 in any sample", .is_printed = TRUE, .ffmpeg = "BITDEPTH", .ffmpeg_place = 51)

FIELD (USED_MASK, "used-mask", COMPONENT, UINT, COMBINED_BITS, .statistics = STATISTIC_USED_BITS,
       .meaning = "These bits: bitwise OR of all samples")

FIELD (HISTOGRAM, "histogram", COMPONENT, HISTOGRAM, SUM_BY_ELEMENT, .statistics = STATISTIC_HISTOGRAM,
       .condition = "[arrays](#arrays)",
       .meaning = "Samples of each value, from 0. Above 8 bits: of each value of the upper 8 bits, unless `bins=native`")

FIELD (ROW_SUMS, "row-sums", COMPONENT, SUMS, SUM_BY_ELEMENT, .statistics = STATISTIC_ROW_SUMS,
       .condition = "[arrays](#arrays)",
       .meaning = "For each row, from the top: sum of its samples, each times the weight of its column", .is_printed = TRUE)

FIELD (COLUMN_SUMS, "column-sums", COMPONENT, SUMS, SUM_BY_ELEMENT, .statistics = STATISTIC_COLUMN_SUMS,
       .condition = "[arrays](#arrays)",
       .meaning = "For each column, from the left: sum of its samples, each times the weight of its row", .is_printed = TRUE)

FIELD (WAVEFORM, "waveform", COMPONENT, TABLE, SUM_BY_ELEMENT, .statistics = STATISTIC_WAVEFORM,
       .condition = "[arrays](#arrays)",
       .meaning = "For each column of the waveform, from the left: 256 bins of the samples' upper 8 bits", .is_printed = TRUE)

/* clang-format on */
