#include "CDNSSD.h"

#ifdef __linux__

#include <avahi-common/malloc.h>
#include <pthread.h>
#include <stdlib.h>

// Avahi 0.8's compatibility library leaves the callbacks of a DNSServiceRef uninitialised and calls them when the
// daemon exits. An allocator that returns zeroed memory makes them null, which the library handles.
static void *zeroed(size_t size) { return calloc(1, size); }

static const AvahiAllocator zeroing_allocator = {zeroed, free, realloc, calloc};

// Before `main`: the allocator must not change after the library's first allocation.
__attribute__((constructor)) static void prepare(void) { avahi_set_allocator(&zeroing_allocator); }

static void set_variable(void) { setenv("AVAHI_COMPAT_NOWARN", "1", 0); }

// Not before `main`: `setenv` moves the environment, next to which a statically linked Swift runtime looks for the
// program's arguments. The first `setenv` of a process is safe beside `getenv` on other threads: the array that it
// replaces stays allocated and unchanged.
void skyfarm_dnssd_silence(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, set_variable);
}

#else

void skyfarm_dnssd_silence(void) {}

#endif
