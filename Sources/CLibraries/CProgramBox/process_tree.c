// The C library declares `syscall` with it.
#define _GNU_SOURCE
#include "process_tree.h"

#ifdef __linux__

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/// Reads parent, start and memory of a process. Returns 0 if it has ended.
static int read_process(pid_t id, struct process *process) {
    char path[32], text[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)id);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    ssize_t count = read(file, text, sizeof text - 1);
    close(file);
    if (count <= 0) return 0;
    text[count] = 0;
    // The name is in parentheses and may contain any character.
    char *rest = strrchr(text, ')');
    int parent, group;
    long pages;
    if (!rest
        || sscanf(
               rest + 1,
               " %*c %d %d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu %*u %ld", &parent,
               &group, &process->start, &pages)
            != 4)
        return 0;
    process->id = id;
    process->parent = parent;
    process->group = group;
    process->bytes = pages > 0 ? (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
    process->is_below = 0;
    return 1;
}

/// Lists all processes of the machine. Returns their number; the caller frees `list`.
static size_t list_processes(struct process **list) {
    size_t count = 0, room = 0;
    *list = NULL;
    DIR *stream = opendir("/proc");
    if (!stream) return 0;
    struct dirent *entry;
    while ((entry = readdir(stream))) {
        long id = strtol(entry->d_name, NULL, 10);
        struct process process;
        if (id <= 0 || !read_process((pid_t)id, &process)) continue;
        if (count == room) {
            struct process *larger = realloc(*list, (room = room ? room * 2 : 256) * sizeof **list);
            if (!larger) break;
            *list = larger;
        }
        (*list)[count++] = process;
    }
    closedir(stream);
    return count;
}

size_t skyfarm_list_descendants(struct process **list) {
    size_t count = list_processes(list), below = 0, found;
    pid_t self = getpid();
    do {
        found = 0;
        for (size_t index = 0; index < count; index++) {
            struct process *process = *list + index;
            if (process->is_below) continue;
            int is_below = process->parent == self;
            for (size_t other = 0; !is_below && other < count; other++)
                is_below = (*list)[other].is_below && (*list)[other].id == process->parent;
            process->is_below = is_below;
            found += (size_t)is_below;
        }
        below += found;
    } while (found);
    size_t next = 0;
    for (size_t index = 0; index < count; index++)
        if ((*list)[index].is_below) (*list)[next++] = (*list)[index];
    return below;
}

int skyfarm_kill_process(const struct process *process) {
#if defined(SYS_pidfd_open) && defined(SYS_pidfd_send_signal)
    int handle = (int)syscall(SYS_pidfd_open, process->id, 0);
    if (handle >= 0) {
        struct process present;
        int is_same = read_process(process->id, &present) && present.start == process->start;
        int failed = !is_same || syscall(SYS_pidfd_send_signal, handle, SIGKILL, NULL, 0) != 0;
        close(handle);
        return !failed;
    }
    if (errno != ENOSYS) return 0;
#endif
    return kill(process->id, SIGKILL) == 0;
}

#endif
