/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Modules, their kernels, and launches. */

#include "fake.h"

#include <string.h>

CUresult CUDAAPI
cuModuleLoadData (CUmodule *module, const void *image)
{
  static const uint8_t fatbin_magic[] = { 0x50, 0xed, 0x55, 0xba };
  CUresult result = enter (FUNCTION_cuModuleLoadData);

  if (result == CUDA_SUCCESS)
    result = require_context ("cuModuleLoadData");
  if (result == CUDA_SUCCESS && (image == NULL || memcmp (image, fatbin_magic, sizeof fatbin_magic) != 0)) {
    blame ("cuModuleLoadData: the image is no fatbin");
    result = CUDA_ERROR_INVALID_IMAGE;
  }
  if (result == CUDA_SUCCESS) {
    *module = add_object (KIND_MODULE, sizeof **module);
    if (*module != NULL) {
      for (unsigned k = 0; k < FAKEKERNELS; k++)
        (*module)->functions[k] = (struct CUfunc_st){ .module = *module, .kernel = &fakekernels[k] };
    } else
      result = CUDA_ERROR_OUT_OF_MEMORY;
  }
  return leave (result);
}

CUresult CUDAAPI
cuModuleUnload (CUmodule module)
{
  return release_object (FUNCTION_cuModuleUnload, KIND_MODULE, module);
}

CUresult CUDAAPI
cuModuleGetFunction (CUfunction *function, CUmodule module, const char *name)
{
  CUresult result = enter (FUNCTION_cuModuleGetFunction);

  if (result == CUDA_SUCCESS)
    result = require_object ("cuModuleGetFunction", KIND_MODULE, module);
  if (result == CUDA_SUCCESS) {
    result = CUDA_ERROR_NOT_FOUND;
    for (unsigned k = 0; k < FAKEKERNELS; k++)
      if (strcmp (name, fakekernels[k].name) == 0) {
        *function = &module->functions[k];
        result = CUDA_SUCCESS;
      }
  }
  return leave (result);
}

/* Returns the function's module in the current context. NULL: it is not a function of this driver. */
static const struct CUmod_st *
find_module (CUfunction function)
{
  for (const struct object *object = fake.objects[KIND_MODULE]; object != NULL; object = object->next) {
    const struct CUmod_st *module = (const struct CUmod_st *)object;

    if (object->context == current_context () && function >= module->functions && function < module->functions + FAKEKERNELS)
      return module;
  }
  return NULL;
}

CUresult CUDAAPI
cuFuncSetAttribute (CUfunction function, CUfunction_attribute attribute, int value)
{
  CUresult result = enter (FUNCTION_cuFuncSetAttribute);

  if (result == CUDA_SUCCESS && find_module (function) == NULL)
    result = CUDA_ERROR_INVALID_HANDLE;
  if (result == CUDA_SUCCESS && attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
    result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS)
    function->shared_bytes = (unsigned)value;
  return leave (result);
}

/* Returns the threads of a block, in a launch of `frames` frames. */
static unsigned
find_threads (const struct fakekernel *kernel, unsigned frames)
{
  return kernel->takes_cells && frames > 1 ? HISTO_CUDA_CELL_THREADS_OF_MANY : kernel->threads;
}

static void *
find_for_launch (uint64_t address, uint64_t size, bool is_device)
{
  return find_memory (current_context (), address, size, is_device);
}

CUresult CUDAAPI
cuLaunchKernel (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
                unsigned block_z, unsigned shared_bytes, CUstream stream, void **parameters, void **extra)
{
  static const struct fakekernel_driver driver = { .find = find_for_launch, .blame = blame };
  CUresult result = enter (FUNCTION_cuLaunchKernel);

  if (result == CUDA_SUCCESS) {
    const struct CUmod_st *module = find_module (function);
    unsigned shared_limit = module != NULL && function->shared_bytes > 0 ? function->shared_bytes : 48 * 1024;

    if (module == NULL || grid_x < 1 || grid_x > INT32_MAX || grid_y < 1 || grid_y > UINT16_MAX || grid_z != 1
        || block_x != find_threads (function->kernel, grid_y) || block_y != 1 || block_z != 1 || shared_bytes > shared_limit
        || (parameters == NULL && function->kernel->kind != FAKEKERNEL_FILL) || extra != NULL) {
      blame ("cuLaunchKernel: no such function here, or a launch of %ux%ux%u blocks of %ux%ux%u threads", grid_x, grid_y,
             grid_z, block_x, block_y, block_z);
      result = CUDA_ERROR_INVALID_VALUE;
    }
  }
  if (result == CUDA_SUCCESS) {
    struct operation operation = { .kind = OPERATION_KERNEL, .module = function->module };

    operation.launch.kernel = function->kernel;
    operation.launch.blocks_x = grid_x;
    operation.launch.blocks_y = grid_y;
    operation.launch.shared_bytes = shared_bytes;
    if (fakekernel_set_parameter (&operation.launch, parameters != NULL ? parameters[0] : NULL, &driver)) {
      fake.launches[function->kernel - fakekernels]++;
      result = add_operation ("cuLaunchKernel", stream, &operation);
    } else {
      result = CUDA_ERROR_INVALID_VALUE;
    }
    if (result != CUDA_SUCCESS)
      fakekernel_clear (&operation.launch);
  }
  return leave (result);
}
