// Required for O_PATH.
#define _GNU_SOURCE
#include "csystem.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __linux__
#include <linux/magic.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#if defined(SYS_openat2) && __has_include(<linux/openat2.h>)
#include <linux/openat2.h>
#define HAS_OPENAT2
#endif
#endif

// Flag to examine a file without opening it, since opening devices and pipes has side effects.
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

/// Returns whether every component of `path` names an entry of its folder.
static int is_plain(const char *path) {
    for (;;) {
        size_t length = strcspn(path, "/");
        if (length == 0 || length > NAME_MAX) return 0;
        if (length <= 2 && strncmp(path, "..", length) == 0) return 0;
        if (path[length] == 0) return 1;
        path += length + 1;
    }
}

/// Closes `descriptor` and returns `result`, preserving errno.
static int closing(int descriptor, int result) {
    int cause = errno;
    close(descriptor);
    errno = cause;
    return result;
}

/// Opens the parent folder of the plain `path`, and stores the last component in `last`.
static int open_parent(int folder, const char *path, const char **last) {
    int current = fcntl(folder, F_DUPFD_CLOEXEC, 3);
    const char *rest = path;
    while (current >= 0 && strchr(rest, '/')) {
        char name[NAME_MAX + 1];
        size_t length = strcspn(rest, "/");
        memcpy(name, rest, length);
        name[length] = 0;
        int next = openat(current, name, LOOK | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        current = closing(current, next);
        rest += length + 1;
    }
    *last = rest;
    return current;
}

/// Opens the plain `path`, by a single system call if the kernel has one, otherwise component by component.
static int open_at(int folder, const char *path, int flags) {
    flags |= O_NOFOLLOW | O_CLOEXEC;
#ifdef HAS_OPENAT2
    struct open_how how = {
        .flags = (unsigned)flags, .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS};
    // EAGAIN: a concurrent rename prevents the kernel from deciding whether the path leads out of the folder.
    for (int attempt = 0; attempt < 16; attempt++) {
        long result = syscall(SYS_openat2, folder, path, &how, sizeof how);
        if (result >= 0) return (int)result;
        if (errno == ELOOP || errno == EXDEV) return refuse(-1);
        // EPERM: a system call filter does not know openat2.
        if (errno == ENOSYS || errno == EPERM || errno == EINVAL) break;
        if (errno != EAGAIN) return -1;
    }
#endif
    const char *last;
    int parent = open_parent(folder, path, &last);
    if (parent < 0) return errno == ELOOP || errno == ENOTDIR ? refuse(-1) : -1;
    int result = openat(parent, last, flags);
    if (result < 0 && errno == ELOOP) errno = EACCES;
    return closing(parent, result);
}

int skyfarm_open_folder(const char *path) { return open(path, LOOK | O_DIRECTORY | O_CLOEXEC); }

int skyfarm_open_folder_beneath(int folder, const char *path) {
    if (!*path) return fcntl(folder, F_DUPFD_CLOEXEC, 3);
    return is_plain(path) ? open_at(folder, path, LOOK | O_DIRECTORY) : refuse(-1);
}

int skyfarm_look_beneath(int folder, const char *path, struct stat *status) {
    if (!*path) return fstat(folder, status);
    if (!is_plain(path)) return refuse(-1);
#ifdef O_PATH
    int seen = open_at(folder, path, O_PATH);
    return seen < 0 ? -1 : closing(seen, fstat(seen, status));
#else
    const char *last;
    int parent = open_parent(folder, path, &last);
    return parent < 0 ? -1 : closing(parent, fstatat(parent, last, status, AT_SYMLINK_NOFOLLOW));
#endif
}

int skyfarm_open_beneath(int folder, const char *path) {
    if (!is_plain(path)) return refuse(-1);
    struct stat status;
#ifdef O_PATH
    int seen = open_at(folder, path, O_PATH);
    if (seen < 0) return -1;
    struct statfs system;
    if (fstat(seen, &status) != 0 || !S_ISREG(status.st_mode)) return refuse(seen);
    // Files of procfs and sysfs are reported as regular files.
    if (fstatfs(seen, &system) != 0 || system.f_type == PROC_SUPER_MAGIC || system.f_type == SYSFS_MAGIC)
        return refuse(seen);
    // Opens the file that was examined, even if its name refers to another file by now.
    char same[32];
    snprintf(same, sizeof same, "/proc/self/fd/%d", seen);
    int file = closing(seen, open(same, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
#else
    if (skyfarm_look_beneath(folder, path, &status) != 0) return -1;
    if (!S_ISREG(status.st_mode)) return refuse(-1);
    int file = open_at(folder, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
#endif
    if (file < 0) return -1;
    if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) return refuse(file);
    return file;
}

int skyfarm_rename_new(int folder, const char *name, int new_folder, const char *new_name) {
#if defined(__linux__) && defined(SYS_renameat2)
    // The flag 1 is RENAME_NOREPLACE, which older headers lack.
    if (syscall(SYS_renameat2, folder, name, new_folder, new_name, 1u) == 0) return 0;
    // These errors come from kernels, system call filters and file systems that do not support the call.
    if (errno != ENOSYS && errno != EINVAL && errno != EPERM) return -1;
#elif defined(__APPLE__)
    if (renameatx_np(folder, name, new_folder, new_name, RENAME_EXCL) == 0) return 0;
    if (errno != ENOTSUP && errno != EINVAL) return -1;
#endif
    if (linkat(folder, name, new_folder, new_name, 0) == 0) {
        unlinkat(folder, name, 0);
        return 0;
    }
    if (errno == EPERM || errno == EMLINK) errno = ENOTSUP;
    return -1;
}
