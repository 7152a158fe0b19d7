#include "CDNSSD.h"

#include <stdlib.h>

#ifdef __linux__

#include <avahi-common/malloc.h>

// Avahi 0.8's compatibility library leaves the callbacks of a reference uninitialised and jumps through them when the
// daemon goes away. An allocator that returns zeroed memory makes it take the branch meant for "no callback".
static void *zeroed(size_t size) { return calloc(1, size); }

static const AvahiAllocator zeroing_allocator = {zeroed, free, realloc, calloc};

static int prepared = 0;

// Before `main`, so that no other thread exists yet: `setenv` is not safe beside `getenv`, and the allocator must not
// change once the library has allocated.
__attribute__((constructor)) static void prepare(void) {
    setenv("AVAHI_COMPAT_NOWARN", "1", 0);
    avahi_set_allocator(&zeroing_allocator);
    prepared = 1;
}

int skyfarm_dnssd_is_prepared(void) { return prepared; }

#else

int skyfarm_dnssd_is_prepared(void) { return 1; }

#endif
