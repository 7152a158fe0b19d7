#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "detached_process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

int skyfarm_spawn_detached(
    char *const *words, char *const *variables, const char *folder, const char *log, pid_t *process) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    struct stat status;
    /* Neither a link nor a pipe. */
    int output = open(log, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    if (output < 0) return errno;
    if (fstat(output, &status) != 0 || !S_ISREG(status.st_mode)) {
        close(output);
        return EINVAL;
    }
    int error = posix_spawn_file_actions_init(&actions);
    if (error) {
        close(output);
        return error;
    }
    error = posix_spawnattr_init(&attributes);
    if (error) {
        posix_spawn_file_actions_destroy(&actions);
        close(output);
        return error;
    }
    short flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSID;
    sigset_t none, handled;
    sigemptyset(&none);
    sigemptyset(&handled);
    const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGUSR1, SIGUSR2};
    for (size_t index = 0; index < sizeof signals / sizeof *signals; index++) sigaddset(&handled, signals[index]);
    if (!error) error = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    if (!error) error = posix_spawn_file_actions_adddup2(&actions, output, 1);
    if (!error) error = posix_spawn_file_actions_adddup2(&actions, 1, 2);
    if (!error) error = posix_spawn_file_actions_addchdir_np(&actions, folder);
#ifdef __APPLE__
    flags |= POSIX_SPAWN_CLOEXEC_DEFAULT;
#else
    if (!error) error = posix_spawn_file_actions_addclosefrom_np(&actions, 3);
#endif
    if (!error) error = posix_spawnattr_setsigmask(&attributes, &none);
    if (!error) error = posix_spawnattr_setsigdefault(&attributes, &handled);
    if (!error) error = posix_spawnattr_setflags(&attributes, flags);
    if (!error) error = posix_spawn(process, words[0], &actions, &attributes, words, variables);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    close(output);
    return error;
}

int skyfarm_peer_user(int descriptor, uid_t *user) {
#ifdef __APPLE__
    gid_t group;
    return getpeereid(descriptor, user, &group) == 0;
#else
    struct ucred credentials;
    socklen_t size = sizeof credentials;
    if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) return 0;
    *user = credentials.uid;
    return 1;
#endif
}
