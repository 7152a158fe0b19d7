#define SCAN_OPENSSL_LOADER
#include "openssl.h"

#ifdef __linux__

#include "CLoader.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static struct scan_openssl library;

// Functions whose names do not begin with SSL or TLS are in libcrypto. They are found through libssl, which depends on
// it.
static const char library_name[] = "libssl.so.3";

static void *find(void *handle, const char *name) {
    void *function = skyfarm_find_function(handle, name);
    if (function) return function;
    fprintf(stderr, "skyfarm: OpenSSL's library %s is missing or lacks %s\n", library_name, name);
    // Exit code of the dynamic linker if a library is missing at program start.
    _Exit(127);
}

static void load(void) {
    // The library is never closed, since sessions may be freed until the program ends.
    void *handle = skyfarm_load_library(library_name, "SSL_new");
#define FIND(name) library.name = find(handle, #name);
    SCAN_OPENSSL_FUNCTIONS(FIND)
}

const struct scan_openssl *scan_openssl(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return &library;
}

#endif
