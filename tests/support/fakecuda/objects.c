/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Objects that must be released: contexts, modules, streams, events and memory. */

#include "fake.h"

#include <stdlib.h>

const char *const kind_names[] = { "context", "module", "stream", "event", "device memory", "pinned memory" };

CUcontext
current_context (void)
{
  return thread.depth > 0 ? thread.contexts[thread.depth - 1] : NULL;
}

static struct object **
find_bucket (const void *pointer)
{
  return &fake.buckets[(uintptr_t)pointer / 16 % OBJECT_BUCKETS];
}

static bool
is_alive (enum kind kind, const void *pointer)
{
  for (const struct object *object = *find_bucket (pointer); object != NULL; object = object->next_there)
    if (object == pointer && object->kind == kind)
      return true;
  return false;
}

CUresult
require_context (const char *function)
{
  CUcontext context = current_context ();

  if (context == NULL) {
    blame ("%s without a current context", function);
    return CUDA_ERROR_INVALID_CONTEXT;
  }
  if (!is_alive (KIND_CONTEXT, context)) {
    blame ("%s in a context that is gone", function);
    return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  }
  return CUDA_SUCCESS;
}

CUresult
require_object (const char *function, enum kind kind, const void *pointer)
{
  if (!is_alive (kind, pointer)) {
    blame ("%s: a handle that is no %s", function, kind_names[kind]);
    return CUDA_ERROR_INVALID_HANDLE;
  }
  /* After a failure of the script, the caller may be unable to make the context current. */
  if (kind != KIND_CONTEXT && !fake.has_failed && ((const struct object *)pointer)->context != current_context ()) {
    blame ("%s: a %s of another context", function, kind_names[kind]);
    return CUDA_ERROR_INVALID_CONTEXT;
  }
  return CUDA_SUCCESS;
}

void *
add_object (enum kind kind, size_t size)
{
  struct object *object = calloc (1, size);

  if (object == NULL)
    return NULL;
  object->kind = kind;
  object->context = current_context ();
  object->next = fake.objects[kind];
  object->link = &fake.objects[kind];
  if (object->next != NULL)
    object->next->link = &object->next;
  *object->link = object;
  object->next_there = *find_bucket (object);
  *find_bucket (object) = object;
  return object;
}

void
forget_object (struct object *object)
{
  struct object **link = find_bucket (object);

  *object->link = object->next;
  if (object->next != NULL)
    object->next->link = object->link;
  while (*link != object)
    link = &(*link)->next_there;
  *link = object->next_there;
}

void
remove_object (void *pointer)
{
  forget_object (pointer);
  free (pointer);
}

CUresult
release_object (enum function function, enum kind kind, void *pointer)
{
  CUresult scripted = enter (function), result = require_object (function_names[function], kind, pointer);

  if (result == CUDA_SUCCESS && kind == KIND_MODULE && is_in_use (0, 0, pointer)) {
    if (!fake.has_failed)
      blame ("%s: a kernel of it is still to run", function_names[function]);
    wait_idle ();
  }
  if (result == CUDA_SUCCESS && kind == KIND_STREAM)
    remove_stream (pointer);
  else if (result == CUDA_SUCCESS && kind == KIND_CONTEXT)
    remove_context (pointer);
  else if (result == CUDA_SUCCESS)
    remove_object (pointer);
  return leave (scripted != CUDA_SUCCESS ? scripted : result);
}
