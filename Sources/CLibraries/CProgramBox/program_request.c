// Required for SOCK_CLOEXEC and POSIX_SPAWN_SETSID.
#define _GNU_SOURCE
#include "program_box.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

extern char **environ;

int skyfarm_start_supervisor(char *const *words, int *socket, pid_t *process) {
#ifdef __linux__
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return errno;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int error = posix_spawn_file_actions_init(&actions);
    if (!error && (error = posix_spawnattr_init(&attributes))) posix_spawn_file_actions_destroy(&actions);
    if (error) {
        close(ends[0]);
        close(ends[1]);
        return error;
    }
    sigset_t none;
    sigemptyset(&none);
    error = posix_spawn_file_actions_adddup2(&actions, ends[1], 0);
    if (!error) error = posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    if (!error) error = posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    if (!error) error = posix_spawn_file_actions_addclosefrom_np(&actions, 3);
    if (!error) error = posix_spawnattr_setsigmask(&attributes, &none);
    if (!error) error = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSID);
    if (!error) error = posix_spawn(process, words[0], &actions, &attributes, words, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (error)
        close(ends[0]);
    else
        *socket = ends[0];
    return error;
#else
    return ENOTSUP;
#endif
}

int skyfarm_send_program(
    int socket, const void *bytes, size_t count, const int *descriptors, size_t descriptor_count) {
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int) * skyfarm_worker_descriptors)];
    } control;
    if (descriptor_count > skyfarm_worker_descriptors) return EINVAL;
    memset(&control, 0, sizeof control);
    struct iovec part = {.iov_base = (void *)bytes, .iov_len = count};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes,
        .msg_controllen = CMSG_SPACE(sizeof(int) * descriptor_count)};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int) * descriptor_count);
    memcpy(CMSG_DATA(header), descriptors, sizeof(int) * descriptor_count);
    ssize_t sent;
    do sent = sendmsg(socket, &message, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent == (ssize_t)count ? 0 : sent < 0 ? errno : EIO;
}

void skyfarm_cancel_program(int socket) { (void)!send(socket, "c", 1, MSG_NOSIGNAL | MSG_DONTWAIT); }

int skyfarm_await_program(int socket, int milliseconds, struct skyfarm_program_result *result) {
    struct pollfd entry = {.fd = socket, .events = POLLIN};
    int ready = poll(&entry, 1, milliseconds);
    if (ready == 0 || (ready < 0 && errno == EINTR)) return 0;
    ssize_t got = recv(socket, result, sizeof *result, 0);
    if (got < 0 && errno == EINTR) return 0;
    return got == sizeof *result ? 1 : -1;
}
