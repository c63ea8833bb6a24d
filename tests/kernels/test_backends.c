/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Every number of a backend, over layouts, sizes, addresses and contents, compared with plain loops of the tests (on small
 * frames) and with the reference backend. argv[1]: the backend. The tests are in backends/, one subject a file. */

#include <string.h>

#include "backends/rig.h"
#include "engines.h"
#include "runner.h"

#ifdef HAVE_CUDA
#include "cuda/host/cuda.h"
#endif

int
main (int argc, char **argv)
{
#ifdef HAVE_CUDA
  /* "cuda narrow": with the kernels for devices of less shared memory.
   * "cuda copied": without frames that stay in host memory. */
  if (argc > 2 && strcmp (argv[2], "narrow") == 0)
    histo_cuda_shared_limit = 48 * 1024;
  if (argc > 2 && strcmp (argv[2], "copied") == 0)
    histo_cuda_zero_copy_bytes = 0;
#endif
  test_engines_init (argc, argv);
  return test_run (NULL, test_backend () == HISTO_BACKEND_CUDA ? "" : "device");
}
