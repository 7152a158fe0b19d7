#ifndef SKYFARM_PROCESS_TREE_H
#define SKYFARM_PROCESS_TREE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// A process as /proc shows it: its start in ticks since the machine started, and its resident memory.
struct process {
    pid_t id, parent, group;
    unsigned long long start;
    uint64_t bytes;
    int is_below;
};

/// Lists the processes that descend from this one. Returns their number; the caller frees `list`.
size_t skyfarm_list_descendants(struct process **list);

/// Kills a process unless its identifier belongs to another one by now. Returns 0 if it has ended.
int skyfarm_kill_process(const struct process *process);

#endif
