// Required for O_PATH and O_NOFOLLOW.
#define _GNU_SOURCE
#include "program_box.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#ifdef __linux__
#include <sys/xattr.h>
#endif
#include <unistd.h>

/// Folders below each other that are visited; deeper ones are not counted, and are removed in several rounds.
enum { deepest = 256 };

static int is_dots(const char *name) { return strcmp(name, ".") == 0 || strcmp(name, "..") == 0; }

/// Opens the folder `name` for reading its names; its owner gets the permissions to do so.
static DIR *open_folder(int folder, const char *name) {
    int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    int descriptor = openat(folder, name, flags);
    if (descriptor < 0) {
        struct stat status;
        if (fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISDIR(status.st_mode)) return NULL;
        fchmodat(folder, name, 0700, 0);
        descriptor = openat(folder, name, flags);
    }
    if (descriptor < 0) return NULL;
    fchmod(descriptor, 0700);
    DIR *stream = fdopendir(descriptor);
    if (!stream) close(descriptor);
    return stream;
}

static void remove_below(int folder, const char *name, int depth) {
    if (unlinkat(folder, name, 0) == 0) return;
    if (unlinkat(folder, name, AT_REMOVEDIR) == 0 || depth == 0) return;
    DIR *stream = open_folder(folder, name);
    if (!stream) return;
    struct dirent *entry;
    while ((entry = readdir(stream)))
        if (!is_dots(entry->d_name)) remove_below(dirfd(stream), entry->d_name, depth - 1);
    closedir(stream);
    unlinkat(folder, name, AT_REMOVEDIR);
}

/// Moves the deepest folder that is visited to `folder`, so that what is below it can be reached.
static int lift(int folder, const char *name) {
    int current = dup(folder);
    char inner[256];
    snprintf(inner, sizeof inner, "%s", name);
    for (int depth = 0; current >= 0; depth++) {
        DIR *stream = open_folder(current, inner);
        if (!stream) break;
        struct dirent *entry;
        char next[256] = "";
        while (!*next && (entry = readdir(stream)))
            if (!is_dots(entry->d_name)) memcpy(next, entry->d_name, strlen(entry->d_name) + 1);
        if (depth == deepest / 2 && *next) {
            char lifted[32] = ".skyfarm-lifted";
            int moved = renameat(dirfd(stream), next, folder, lifted) == 0;
            closedir(stream);
            close(current);
            if (moved) remove_below(folder, lifted, deepest);
            return moved;
        }
        int below = dup(dirfd(stream));
        closedir(stream);
        close(current);
        current = below;
        if (!*next) break;
        memcpy(inner, next, sizeof inner);
    }
    if (current >= 0) close(current);
    return 0;
}

void skyfarm_remove_tree(int folder, const char *name) {
    struct stat status;
    for (int round = 0; round < 1000; round++) {
        remove_below(folder, name, deepest);
        if (fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0) return;
        if (!lift(folder, name)) break;
    }
    remove_below(folder, name, deepest);
}

int skyfarm_empty_folder(int folder, const char *name, int opened) {
    struct stat named, same;
    if (fstat(opened, &same) != 0 || fstatat(folder, name, &named, AT_SYMLINK_NOFOLLOW) != 0) return 0;
    if (named.st_ino != same.st_ino || named.st_dev != same.st_dev || fchmod(opened, 0700) != 0) return 0;
    // A program that left nothing is the usual case, and then two calls of the system are enough.
    int copy = openat(opened, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = copy < 0 ? NULL : fdopendir(copy);
    if (!stream) {
        if (copy >= 0) close(copy);
        return 0;
    }
    struct dirent *entry;
    while ((entry = readdir(stream)))
        if (!is_dots(entry->d_name)) skyfarm_remove_tree(opened, entry->d_name);
    rewinddir(stream);
    int left = 0;
    while ((entry = readdir(stream))) left |= !is_dots(entry->d_name);
    closedir(stream);
    return !left;
}

static void add_bytes(DIR *stream, uint32_t *rest, uint64_t *bytes, int depth) {
    struct dirent *entry;
    while (*rest && (entry = readdir(stream))) {
        struct stat status;
        if (is_dots(entry->d_name)) continue;
        --*rest;
        if (fstatat(dirfd(stream), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
        *bytes += (uint64_t)status.st_blocks * 512;
        if (!S_ISDIR(status.st_mode) || depth == 0) continue;
        int below = openat(dirfd(stream), entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        DIR *next = below < 0 ? NULL : fdopendir(below);
        if (!next) {
            if (below >= 0) close(below);
            continue;
        }
        add_bytes(next, rest, bytes, depth - 1);
        closedir(next);
    }
}

uint64_t skyfarm_tree_bytes(int folder, uint32_t most) {
    int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = copy < 0 ? NULL : fdopendir(copy);
    if (!stream) {
        if (copy >= 0) close(copy);
        return 0;
    }
    uint64_t bytes = 0;
    uint32_t rest = most;
    add_bytes(stream, &rest, &bytes, deepest);
    closedir(stream);
    return rest ? bytes : UINT64_MAX;
}

int skyfarm_is_delegated(const char *path) {
#ifdef __linux__
    char value = 0;
    if (getxattr(path, "user.delegate", &value, 1) == 1 && value == '1') return 1;
    return getxattr(path, "trusted.delegate", &value, 1) == 1 && value == '1';
#else
    return 0;
#endif
}
