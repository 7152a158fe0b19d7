#include "CDNSSD.h"

#ifdef __linux__

#include <avahi-common/malloc.h>
#include <pthread.h>
#include <stdlib.h>

// Avahi 0.8's compatibility library leaves the callbacks of a reference uninitialised and jumps through them when the
// daemon goes away. An allocator that returns zeroed memory makes it take the branch meant for "no callback".
static void *zeroed(size_t size) { return calloc(1, size); }

static const AvahiAllocator zeroing_allocator = {zeroed, free, realloc, calloc};

// Before `main`: the allocator must not change once the library has allocated.
__attribute__((constructor)) static void prepare(void) { avahi_set_allocator(&zeroing_allocator); }

static void set_variable(void) { setenv("AVAHI_COMPAT_NOWARN", "1", 0); }

// Not before `main`: `setenv` moves the environment, from where a Swift runtime that is linked statically looks for the
// program's arguments. Beside `getenv` on other threads the first `setenv` of a process does no harm: the array that
// it replaces stays as it was.
void skyfarm_dnssd_silence(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, set_variable);
}

#else

void skyfarm_dnssd_silence(void) {}

#endif
