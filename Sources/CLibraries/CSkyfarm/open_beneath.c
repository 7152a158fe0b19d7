// For O_PATH.
#define _GNU_SOURCE
#include "cskyfarm.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __linux__
#include <linux/magic.h>
#include <sys/vfs.h>
#endif

// Flag to examine a file without opening it: opening has side effects on devices and pipes.
#ifdef O_PATH
#define LOOK O_PATH
#else
#define LOOK O_RDONLY
#endif

static int refuse(int descriptor) {
    if (descriptor >= 0) close(descriptor);
    errno = EACCES;
    return -1;
}

/// Opens the regular file `name` in the folder `folder`.
static int open_regular(int folder, const char *name) {
    struct stat status;
#ifdef O_PATH
    int seen = openat(folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (seen < 0) return -1;
    struct statfs system;
    if (fstat(seen, &status) != 0 || !S_ISREG(status.st_mode)) return refuse(seen);
    // Files of procfs and sysfs claim to be regular.
    if (fstatfs(seen, &system) != 0 || system.f_type == PROC_SUPER_MAGIC || system.f_type == SYSFS_MAGIC)
        return refuse(seen);
    // Opens the file that was examined, even if its name refers to another one by now.
    char same[32];
    snprintf(same, sizeof same, "/proc/self/fd/%d", seen);
    int file = open(same, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    int cause = errno;
    close(seen);
    errno = cause;
#else
    if (fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0) return -1;
    if (!S_ISREG(status.st_mode)) return refuse(-1);
    int file = openat(folder, name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC);
#endif
    if (file < 0) return -1;
    if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) return refuse(file);
    return file;
}

int skyfarm_open_folder(const char *path) { return open(path, LOOK | O_DIRECTORY | O_CLOEXEC); }

int skyfarm_open_beneath(int folder, const char *path) {
    int current = folder;
    for (;;) {
        char name[NAME_MAX + 1];
        size_t length = strcspn(path, "/");
        int is_known = length > 0 && length <= NAME_MAX;
        memcpy(name, path, is_known ? length : 0);
        name[is_known ? length : 0] = 0;
        int next = -1;
        errno = EACCES;
        if (is_known && strcmp(name, ".") != 0 && strcmp(name, "..") != 0) {
            next = path[length] == 0 ? open_regular(current, name)
                                     : openat(current, name, LOOK | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        }
        int cause = errno;
        if (current != folder) close(current);
        errno = cause;
        if (next < 0 || path[length] == 0) return next;
        current = next;
        path += length + 1;
    }
}
