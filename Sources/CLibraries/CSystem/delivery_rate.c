// The struct tcp_info of glibc ends before tcpi_delivery_rate, which the kernel's header has.
#include "csystem.h"

#ifdef __linux__
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <sys/socket.h>

#pragma STDC FP_CONTRACT OFF

double skyfarm_delivery_rate(int socket) {
    struct tcp_info info = {0};
    socklen_t size = sizeof info;
    if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return 0;
    if (size < offsetof(struct tcp_info, tcpi_delivery_rate) + sizeof info.tcpi_delivery_rate) return 0;
    return (double)info.tcpi_delivery_rate;
}
#else
double skyfarm_delivery_rate(int socket) {
    (void)socket;
    return 0;
}
#endif
