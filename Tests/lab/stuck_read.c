/* Preloaded into a node, fread never returns once STUCK_AFTER large parts of files have been read: a file server that
   has gone. Heartbeats go on, since other threads do not read. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

size_t fread(void *bytes, size_t size, size_t count, FILE *file) {
    static atomic_int parts;
    const char *limit = getenv("STUCK_AFTER");
    if (limit && size * count > 100000 && atomic_fetch_add(&parts, 1) >= atoi(limit))
        for (;;) pause();
    size_t (*real)(void *, size_t, size_t, FILE *);
    *(void **)&real = dlsym(RTLD_NEXT, "fread");
    return real(bytes, size, count, file);
}
