// Required for dl_iterate_phdr.
#define _GNU_SOURCE
#include "detached_process.h"

#include <string.h>

#ifdef __linux__
#include <link.h>

struct names {
    char *bytes;
    size_t count;
    size_t capacity;
};

static int append_name(struct dl_phdr_info *object, size_t size, void *context) {
    (void)size;
    struct names *names = context;
    size_t count = strlen(object->dlpi_name);
    // The entry of the program has an empty name, and objects provided by the kernel have no path.
    if (object->dlpi_name[0] != '/') return 0;
    if (count + 1 > names->capacity - names->count) return 1;
    memcpy(names->bytes + names->count, object->dlpi_name, count);
    names->bytes[names->count + count] = '\n';
    names->count += count + 1;
    return 0;
}

size_t skyfarm_loaded_libraries(char *paths, size_t capacity) {
    struct names names = {paths, 0, capacity};
    return dl_iterate_phdr(append_name, &names) ? 0 : names.count;
}

#else

size_t skyfarm_loaded_libraries(char *paths, size_t capacity) {
    (void)paths;
    (void)capacity;
    return 0;
}

#endif
