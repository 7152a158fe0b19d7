#include "csystem.h"

#include <stdlib.h>

#if defined(__GLIBC__)
#include <malloc.h>

void skyfarm_keep_freed_memory(int buffer, int total) {
    mallopt(M_MMAP_THRESHOLD, buffer);
    mallopt(M_TRIM_THRESHOLD, total);
}

void skyfarm_use_one_arena(void) { mallopt(M_ARENA_MAX, 1); }

void skyfarm_give_back_freed_memory(void) { malloc_trim(0); }
#else
void skyfarm_keep_freed_memory(int buffer, int total) { (void)buffer, (void)total; }

void skyfarm_use_one_arena(void) {}

void skyfarm_give_back_freed_memory(void) {}
#endif
