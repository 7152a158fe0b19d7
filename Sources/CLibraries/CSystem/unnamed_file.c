// Required for O_TMPFILE.
#define _GNU_SOURCE
#include "csystem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
#ifdef __linux__
#include <linux/magic.h>
#include <sys/vfs.h>
#else
#include <sys/mount.h>
#include <sys/param.h>
#endif

#ifdef O_TMPFILE
static void name_of(int file, char name[32]) { snprintf(name, 32, "/proc/self/fd/%d", file); }
#endif

int skyfarm_open_unnamed(const char *folder) {
#ifdef O_TMPFILE
    int file = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
    if (file < 0) return -1;
    char name[32];
    name_of(file, name);
    if (access(name, F_OK) == 0 && skyfarm_is_on_local_disk(file)) return file;
    close(file);
#endif
    errno = ENOTSUP;
    return -1;
}

int skyfarm_name_file(int file, const char *path) {
#ifdef O_TMPFILE
    char name[32];
    name_of(file, name);
    return linkat(AT_FDCWD, name, AT_FDCWD, path, AT_SYMLINK_FOLLOW);
#else
    errno = ENOTSUP;
    return -1;
#endif
}

int skyfarm_is_on_local_disk(int file) {
    struct statfs system;
    if (fstatfs(file, &system) != 0) return 0;
#ifdef __linux__
    switch ((unsigned)system.f_type) {
    case EXT4_SUPER_MAGIC:
    case XFS_SUPER_MAGIC:
    case BTRFS_SUPER_MAGIC:
    case F2FS_SUPER_MAGIC:
    case TMPFS_MAGIC:
    case OVERLAYFS_SUPER_MAGIC:
    case 0x2fc12fc1: // ZFS
        return 1;
    default: return 0;
    }
#else
    return (system.f_flags & MNT_LOCAL) != 0;
#endif
}
