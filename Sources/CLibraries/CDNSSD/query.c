#include "CDNSSD.h"

#include <arpa/inet.h>
#include <arpa/nameser.h>
#include <netdb.h>
#include <netinet/in.h>
#include <resolv.h>
#include <string.h>

int skyfarm_query_srv(const char *name, uint32_t ipv4, uint16_t port, uint8_t *answer, int capacity) {
    // Separate for each call, for thread safety.
    struct __res_state state;
    memset(&state, 0, sizeof state);
    if (res_ninit(&state) < 0) return -NO_RECOVERY;
    if (ipv4 != 0 && port != 0) {
        state.nscount = 1;
        memset(&state.nsaddr_list[0], 0, sizeof state.nsaddr_list[0]);
        state.nsaddr_list[0].sin_family = AF_INET;
        state.nsaddr_list[0].sin_addr.s_addr = htonl(ipv4);
        state.nsaddr_list[0].sin_port = htons(port);
    }
    state.retrans = 2;
    state.retry = 2;
    int length = res_nquery(&state, name, ns_c_in, ns_t_srv, answer, capacity);
    int error = state.res_h_errno;
    res_nclose(&state);
    if (length < 0) return error > 0 ? -error : -NO_RECOVERY;
    return length < capacity ? length : capacity;
}
