#include "CEcho.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

// Measures the upper limit of one loopback connection: fixed messages, epoll, batched reads and writes.

enum { capacity = 1 << 20 };

static struct sockaddr_in loopback(uint16_t port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

static int without_delay(int socket) {
    int yes = 1;
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    return socket;
}

static int watch(int socket) {
    int poll = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN};
    epoll_ctl(poll, EPOLL_CTL_ADD, socket, &event);
    return poll;
}

static int send_all(int socket, const char *bytes, long count) {
    while (count > 0) {
        ssize_t sent = send(socket, bytes, count, MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR) return -1;
        if (sent > 0) bytes += sent, count -= sent;
    }
    return 0;
}

/// Waits for bytes; returns their number, or -1 at the end.
static long receive(int poll, int socket, char *buffer) {
    struct epoll_event event;
    while (epoll_wait(poll, &event, 1, -1) < 0)
        if (errno != EINTR) return -1;
    ssize_t count = recv(socket, buffer, capacity, 0);
    return count > 0 ? count : -1;
}

int cecho_listen(uint16_t *port) {
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = loopback(0);
    socklen_t length = sizeof address;
    if (bind(listener, (struct sockaddr *)&address, length) != 0 || listen(listener, 1) != 0) return -1;
    getsockname(listener, (struct sockaddr *)&address, &length);
    *port = ntohs(address.sin_port);
    return listener;
}

int cecho_serve(int listener) {
    int connection = without_delay(accept(listener, NULL, NULL));
    int poll = watch(connection);
    char *buffer = malloc(capacity);
    long count;
    while ((count = receive(poll, connection, buffer)) > 0)
        if (send_all(connection, buffer, count) != 0) break;
    free(buffer);
    close(poll);
    return close(connection);
}

int cecho_connect(uint16_t port) {
    int connection = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = loopback(port);
    if (connect(connection, (struct sockaddr *)&address, sizeof address) != 0) return -1;
    return without_delay(connection);
}

int cecho_round_trips(int socket, int size, int count, int64_t *nanoseconds) {
    int poll = watch(socket);
    char *buffer = calloc(1, capacity);
    int failed = 0;
    for (int trip = 0; trip < count && !failed; trip++) {
        struct timespec start, end;
        clock_gettime(CLOCK_MONOTONIC, &start);
        failed = send_all(socket, buffer, size);
        for (long rest = size; rest > 0 && !failed;) {
            long received = receive(poll, socket, buffer);
            if (received < 0) failed = -1;
            else rest -= received;
        }
        clock_gettime(CLOCK_MONOTONIC, &end);
        nanoseconds[trip] = (end.tv_sec - start.tv_sec) * 1000000000LL + (end.tv_nsec - start.tv_nsec);
    }
    free(buffer);
    close(poll);
    return failed;
}

int cecho_stream(int socket, int size, long count, int window) {
    int poll = watch(socket);
    char *buffer = malloc(capacity);
    char *messages = calloc(window, size);
    long sent = 0, echoed = 0;
    int failed = 0;
    while (echoed < count * size && !failed) {
        long room = window - (sent - echoed / size);
        long next = room < count - sent ? room : count - sent;
        // As much as the window allows, in one write.
        if (next > 0) failed = send_all(socket, messages, next * size), sent += next;
        long received = failed ? -1 : receive(poll, socket, buffer);
        if (received < 0) failed = -1;
        else echoed += received;
    }
    free(messages);
    free(buffer);
    close(poll);
    return failed;
}
