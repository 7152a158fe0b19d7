// A CFITSIO driver, whose functions return CFITSIO's status codes. It is written in C, since CFITSIO calls them.
#include "descriptor_driver.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { not_created = 105, write_error = 106, end_of_file = 107, read_error = 108, seek_error = 116 };

int skyfarm_driver_create(char *name, int *handle) {
    char *end;
    errno = 0;
    long number = strtol(name, &end, 10);
    if (errno != 0 || end == name || *end != 0 || number < 0 || number > 0x7fffffff) return not_created;
    *handle = (int)number;
    return 0;
}

int skyfarm_driver_truncate(int handle, long long size) { return ftruncate(handle, size) == 0 ? 0 : write_error; }

int skyfarm_driver_close(int handle) {
    (void)handle;
    return 0;
}

int skyfarm_driver_size(int handle, long long *size) {
    struct stat status;
    if (fstat(handle, &status) != 0) return read_error;
    *size = status.st_size;
    return 0;
}

int skyfarm_driver_flush(int handle) {
    (void)handle;
    return 0;
}

int skyfarm_driver_seek(int handle, long long offset) {
    return lseek(handle, offset, SEEK_SET) == offset ? 0 : seek_error;
}

int skyfarm_driver_read(int handle, void *buffer, long count) {
    for (char *rest = buffer; count > 0;) {
        ssize_t part = read(handle, rest, (size_t)count);
        if (part < 0 && errno == EINTR) continue;
        if (part <= 0) return part == 0 ? end_of_file : read_error;
        rest += part;
        count -= part;
    }
    return 0;
}

int skyfarm_driver_write(int handle, void *buffer, long count) {
    for (const char *rest = buffer; count > 0;) {
        ssize_t part = write(handle, rest, (size_t)count);
        if (part < 0 && errno == EINTR) continue;
        if (part < 0) return write_error;
        rest += part;
        count -= part;
    }
    return 0;
}
