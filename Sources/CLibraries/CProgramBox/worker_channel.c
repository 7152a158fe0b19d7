// Required for memfd_create, SOCK_CLOEXEC and F_GET_SEALS.
#define _GNU_SOURCE
#include "program_box.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#pragma clang diagnostic ignored "-Wc23-extensions"

static const char worker_text[] = {
#embed "../../../packaging/python/skyfarm/_values.py"
    ,
#embed "worker.py"
    , 0,
};

const char *skyfarm_worker_text(void) { return worker_text; }

#ifdef __linux__

int skyfarm_make_channel(int ends[2]) {
    return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0 ? 0 : errno;
}

int skyfarm_make_memory_file(const void *bytes, size_t count) {
    int file = memfd_create("skyfarm-value", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file < 0) return -errno;
    for (size_t done = 0; done < count;) {
        ssize_t written = write(file, (const char *)bytes + done, count - done);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) {
            int error = written < 0 ? errno : EIO;
            close(file);
            return -error;
        }
        done += (size_t)written;
    }
    return file;
}

int64_t skyfarm_memory_file_size(int descriptor) {
    struct stat status;
    // Only files in memory have seals; a file of a file system in user space might never answer.
    if (fcntl(descriptor, F_GET_SEALS) < 0 || fstat(descriptor, &status) != 0) return -1;
    return S_ISREG(status.st_mode) ? (int64_t)status.st_size : -1;
}

#else

int skyfarm_make_channel(int ends[2]) { return ENOTSUP; }
int skyfarm_make_memory_file(const void *bytes, size_t count) { return -ENOTSUP; }
int64_t skyfarm_memory_file_size(int descriptor) { return -1; }

#endif

/// The place for one descriptor beside a message.
union one_descriptor {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int))];
};

int skyfarm_send_call(int channel, const void *bytes, size_t count, int file) {
    union one_descriptor control;
    memset(&control, 0, sizeof control);
    struct iovec part = {.iov_base = (void *)bytes, .iov_len = count};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (file >= 0) {
        message.msg_control = control.bytes;
        message.msg_controllen = sizeof control.bytes;
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(header), &file, sizeof file);
    }
    ssize_t sent;
    // A worker that does not read has room for one message, and gets no second one before it has answered.
    do sent = sendmsg(channel, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    while (sent < 0 && errno == EINTR);
    return sent == (ssize_t)count ? 0 : sent < 0 ? errno : EIO;
}

/// Receives a message of a worker. Returns 1, 0 if there is none, or -1 if it is longer than `room` or has several files.
static int receive_reply(int channel, void *bytes, size_t room, struct skyfarm_reply *reply) {
    union one_descriptor control;
    struct iovec part = {.iov_base = bytes, .iov_len = room};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
#ifdef __linux__
    ssize_t count = recvmsg(channel, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
#else
    ssize_t count = recvmsg(channel, &message, MSG_DONTWAIT);
#endif
    if (count <= 0) return 0;
    reply->count = (size_t)count;
    reply->file = -1;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (header && header->cmsg_type == SCM_RIGHTS && header->cmsg_len == CMSG_LEN(sizeof(int)))
        memcpy(&reply->file, CMSG_DATA(header), sizeof reply->file);
    if (!(message.msg_flags & (MSG_TRUNC | MSG_CTRUNC))) return 1;
    if (reply->file >= 0) close(reply->file);
    return -1;
}

int skyfarm_await_reply(
    int supervisor, int channel, int milliseconds, void *bytes, size_t room, struct skyfarm_reply *reply,
    struct skyfarm_program_result *result) {
    struct pollfd entries[2] = {{.fd = channel, .events = POLLIN}, {.fd = supervisor, .events = POLLIN}};
    int ready = poll(entries, 2, milliseconds);
    if (ready <= 0) return ready == 0 || errno == EINTR ? 0 : -1;
    int received = entries[0].revents & POLLIN ? receive_reply(channel, bytes, room, reply) : 0;
    if (received) return received > 0 ? 1 : 3;
    if (!entries[1].revents) {
        // The channel is closed: its end follows at once, or the process goes on without one.
        struct pollfd end = entries[1];
        if (poll(&end, 1, milliseconds) <= 0) return 0;
    }
    return skyfarm_await_program(supervisor, 0, result) == 1 ? 2 : -1;
}
