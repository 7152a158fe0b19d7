#ifndef SKYFARM_DETACHED_PROCESS_H
#define SKYFARM_DETACHED_PROCESS_H

#include <stddef.h>
#include <sys/types.h>

/// Starts `words[0]` in `folder` and in a new session. Output and errors are appended to the file `log`, and no other
/// descriptor of this process is inherited. Both lists end with NULL.
/// - Returns: 0, or an error number.
int skyfarm_spawn_detached(
    char *const *words, char *const *variables, const char *folder, const char *log, pid_t *process);

/// Sets `user` to the user of the process at the other end of a Unix socket.
/// - Returns: 0 if the system does not report the user, otherwise 1.
int skyfarm_peer_user(int descriptor, uid_t *user);

/// Writes the paths of the shared libraries of this process, one per line. Written in C for dl_iterate_phdr.
/// - Returns: The number of bytes, or 0 if `capacity` is too small or on systems other than Linux.
size_t skyfarm_loaded_libraries(char *paths, size_t capacity);

#endif
