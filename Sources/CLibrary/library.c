#define _GNU_SOURCE
#include "library.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

const char *library_load(struct library *library) {
    if (atomic_load(&library->handle)) return NULL;
    // Two threads can be here at the same time. Both get the same handle.
    void *handle = dlopen(library->file, RTLD_NOW | RTLD_LOCAL);
    if (!handle) return dlerror();
    atomic_store(&library->handle, handle);
    return NULL;
}

void *library_function(struct library *library, const char *name) {
    const char *reason = library_load(library);
    void *function = reason ? NULL : dlsym(atomic_load(&library->handle), name);
    if (function) return function;
    fprintf(stderr, "%s: %s; install its package\n", program_invocation_short_name, reason ? reason : dlerror());
    _exit(1);
}
