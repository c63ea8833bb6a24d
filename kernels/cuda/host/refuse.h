/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Reports why an existing driver or device cannot be used, and the remedy. */

#pragma once

#include "cuda/host/driver.h"

/* The remedy if the driver is of an earlier major version than the toolkit. Drivers from these versions on run the output of
 * any toolkit of the same major version: NVIDIA's minor version compatibility. */
#if CUDA_VERSION < 12000
#define HISTO_CUDA_UPDATE "update the driver to 450.80.02 or later"
#elif CUDA_VERSION < 13000
#define HISTO_CUDA_UPDATE "update the driver to 525.60.13 or later"
#elif CUDA_VERSION < 14000
#define HISTO_CUDA_UPDATE "update the driver to 580 or later"
#else
#define HISTO_CUDA_UPDATE "update the driver"
#endif

/* Reports in one sentence why an existing driver or device cannot be used, and the remedy. It is a warning if the CPU may count
 * instead (HISTO_BACKEND_AUTO), otherwise the error. `format` begins with a capital and ends without a full stop. */
void histo_cuda_refuse (const struct histo_config *config, const char *format, ...) __attribute__ ((format (printf, 2, 3)));

/* Reports the same for a result from histo_cuda_last_failure. `what`: "NVIDIA's driver", "CUDA device 0 (NVIDIA H200)". */
void histo_cuda_refuse_result (const struct histo_config *config, const struct histo_cuda_driver *driver, CUresult result,
                               const char *what);

/* Reports the same for a device: if this build has no kernels that it can run, the remedy depends on its compute capability and
 * the driver's version. */
void histo_cuda_refuse_device (const struct histo_config *config, const struct histo_cuda_driver *driver, CUdevice device,
                               CUresult result, const char *what);
