#ifndef SKYFARM_DETACHED_PROCESS_H
#define SKYFARM_DETACHED_PROCESS_H

#include <stddef.h>
#include <sys/types.h>

/// Starts `words[0]` in `folder` and in a session of its own, with output and errors appended to the file `log`, without
/// other descriptors of this process. Both lists end with NULL.
/// - Returns: 0, or the number of an error.
int skyfarm_spawn_detached(
    char *const *words, char *const *variables, const char *folder, const char *log, pid_t *process);

/// Sets `user` to that of the process at the other end of a Unix socket.
/// - Returns: 0 if the system does not tell, otherwise 1.
int skyfarm_peer_user(int descriptor, uid_t *user);

/// Writes the paths of the shared libraries of this process, a line each. In C for dl_iterate_phdr.
/// - Returns: the number of bytes; 0 if `capacity` is too small, and on other systems than Linux.
size_t skyfarm_loaded_libraries(char *paths, size_t capacity);

#endif
