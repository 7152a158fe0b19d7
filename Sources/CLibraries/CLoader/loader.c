// Required for RTLD_DEFAULT.
#define _GNU_SOURCE
#include "CLoader.h"

#ifdef __linux__

#include <dlfcn.h>
#include <stddef.h>

void *skyfarm_load_library(const char *name, const char *function) {
    return dlsym(RTLD_DEFAULT, function) ? NULL : dlopen(name, RTLD_NOW | RTLD_LOCAL);
}

void *skyfarm_find_function(void *library, const char *name) {
    void *linked = dlsym(RTLD_DEFAULT, name);
    return linked || !library ? linked : dlsym(library, name);
}

#endif
