// A learning switch in user space that can delay, drop and throttle frames and cut links, for kernels without netem.
//
//     switch PIPE INTERFACE...      ports are numbered from 1 in the order given
//
// Commands, one per line on PIPE; they act on frames that enter at port P, 0 for all ports:
//     delay P MILLISECONDS [JITTER]   loss P PERCENT   rate P BITS_PER_SECOND (0: no limit)
//     down P   up P                   black hole: the link has carrier, but drops everything in both directions
//     cut A B   join A B              the same between two ports only
//     seed N                          seeds the generator of losses and jitter
//
// Frames are read and written with the kernel's offload header, so that large segments and missing checksums pass
// unchanged.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/virtio_net.h>
#include <net/if.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { MAX_PORTS = 64, MAX_HOSTS = 512, FRAME_SIZE = 1 << 17, HEADER = sizeof(struct virtio_net_hdr) };

static const int64_t SECOND = 1000000000;
// Frames that would be queued longer than this for a throttled port are dropped, as by a full queue.
static const int64_t LONGEST_QUEUE = 500000000;

struct port {
    int descriptor;
    int64_t delay, jitter;  // nanoseconds
    double loss;            // 0 to 1
    double rate;            // bits per second; 0: no limit
    int64_t free_at;        // when the throttled port has sent its queue
    bool down;
};

struct frame {
    int64_t due;
    uint64_t number;  // keeps the order of frames due at the same time
    int from;
    size_t length;
    uint8_t *bytes;
};

struct host {
    uint8_t address[ETH_ALEN];
    int port;
};

static struct port ports[MAX_PORTS];
static bool cuts[MAX_PORTS][MAX_PORTS];
static int port_count;
static struct host hosts[MAX_HOSTS];
static int host_count;
static struct frame *heap;
static size_t heap_count, heap_capacity;
static uint64_t frame_count;
static uint64_t random_state = 1;

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * SECOND + time.tv_nsec;
}

// SplitMix64, as a number in [0, 1).
static double draw(void) {
    uint64_t word = random_state += 0x9e3779b97f4a7c15u;
    word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9u;
    word = (word ^ (word >> 27)) * 0x94d049bb133111ebu;
    return (double)((word ^ (word >> 31)) >> 11) / 9007199254740992.0;
}

static bool is_earlier(const struct frame *a, const struct frame *b) {
    return a->due != b->due ? a->due < b->due : a->number < b->number;
}

static void swap(size_t a, size_t b) {
    struct frame other = heap[a];
    heap[a] = heap[b];
    heap[b] = other;
}

static void push(struct frame frame) {
    if (heap_count == heap_capacity) {
        heap_capacity = heap_capacity ? 2 * heap_capacity : 1024;
        heap = realloc(heap, heap_capacity * sizeof *heap);
        if (!heap) abort();
    }
    size_t place = heap_count++;
    heap[place] = frame;
    for (; place > 0 && is_earlier(&heap[place], &heap[(place - 1) / 2]); place = (place - 1) / 2) {
        swap(place, (place - 1) / 2);
    }
}

static struct frame pop(void) {
    struct frame first = heap[0];
    heap[0] = heap[--heap_count];
    for (size_t place = 0;;) {
        size_t child = 2 * place + 1;
        if (child + 1 < heap_count && is_earlier(&heap[child + 1], &heap[child])) child++;
        if (child >= heap_count || !is_earlier(&heap[child], &heap[place])) return first;
        swap(place, child);
        place = child;
    }
}

static struct host *find(const uint8_t *address) {
    for (int i = 0; i < host_count; i++) {
        if (memcmp(hosts[i].address, address, ETH_ALEN) == 0) return &hosts[i];
    }
    return NULL;
}

static void learn(const uint8_t *address, int port) {
    struct host *host = find(address);
    if (!host && host_count < MAX_HOSTS) host = memcpy(&hosts[host_count++], address, ETH_ALEN);
    if (host) host->port = port;
}

static void send_to(int port, int from, const uint8_t *bytes, size_t length) {
    if (port == from || ports[port].down || cuts[from][port]) return;
    // A full socket drops the frame, as a switch would.
    if (write(ports[port].descriptor, bytes, length) < 0 && errno != EAGAIN && errno != ENOBUFS && errno != ENETDOWN) {
        perror("switch: write");
    }
}

static void deliver(int from, const uint8_t *bytes, size_t length) {
    const uint8_t *destination = bytes + HEADER;
    const struct host *host = destination[0] & 1 ? NULL : find(destination);
    if (host) {
        send_to(host->port, from, bytes, length);
    } else {
        for (int port = 0; port < port_count; port++) send_to(port, from, bytes, length);
    }
}

static void take_in(int from, const uint8_t *bytes, size_t length) {
    struct port *port = &ports[from];
    if (port->down || length < HEADER + ETH_HLEN) return;
    learn(bytes + HEADER + ETH_ALEN, from);
    if (port->loss > 0 && draw() < port->loss) return;
    int64_t time = now(), due = time;
    if (port->rate > 0) {
        int64_t start = port->free_at > time ? port->free_at : time;
        if (start - time > LONGEST_QUEUE) return;
        due = port->free_at = start + (int64_t)((double)(length - HEADER) * 8 / port->rate * (double)SECOND);
    }
    due += port->delay + (int64_t)((2 * draw() - 1) * (double)port->jitter);
    if (due <= time && heap_count == 0) {
        deliver(from, bytes, length);
        return;
    }
    uint8_t *copy = malloc(length);
    if (!copy) abort();
    push((struct frame){due, frame_count++, from, length, memcpy(copy, bytes, length)});
}

static void obey(const char *line) {
    char verb[16];
    double first = 0, second = 0, third = 0;
    if (sscanf(line, "%15s %lf %lf %lf", verb, &first, &second, &third) < 1) return;
    int low = first ? (int)first - 1 : 0, high = first ? (int)first - 1 : port_count - 1, other = (int)second - 1;
    if (strcmp(verb, "seed") == 0) {
        random_state = (uint64_t)first;
        return;
    }
    if (low < 0 || high >= port_count) {
        fprintf(stderr, "switch: no such port: %s\n", line);
        return;
    }
    for (int i = low; i <= high; i++) {
        struct port *port = &ports[i];
        if (strcmp(verb, "delay") == 0) {
            port->delay = (int64_t)(second * 1e6);
            port->jitter = (int64_t)(third * 1e6);
        } else if (strcmp(verb, "loss") == 0) {
            port->loss = second / 100;
        } else if (strcmp(verb, "rate") == 0) {
            port->rate = second;
        } else if (strcmp(verb, "down") == 0 || strcmp(verb, "up") == 0) {
            port->down = verb[0] == 'd';
        } else if ((strcmp(verb, "cut") == 0 || strcmp(verb, "join") == 0) && other >= 0 && other < port_count) {
            cuts[i][other] = cuts[other][i] = verb[0] == 'c';
        } else {
            fprintf(stderr, "switch: what is: %s\n", line);
        }
    }
}

static void read_commands(int pipe) {
    static char line[256];
    static size_t length = 0;
    char byte;
    while (read(pipe, &byte, 1) == 1) {
        if (byte == '\n') {
            line[length] = 0;
            obey(line);
            length = 0;
        } else if (length < sizeof line - 1) {
            line[length++] = byte;
        }
    }
}

static int open_port(const char *interface) {
    int descriptor = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK, 0), on = 1, size = 8 << 20;
    if (descriptor < 0) return -1;
    struct sockaddr_ll address = {
        .sll_family = AF_PACKET,
        .sll_protocol = htons(ETH_P_ALL),
        .sll_ifindex = (int)if_nametoindex(interface),
    };
    struct packet_mreq all = {.mr_ifindex = address.sll_ifindex, .mr_type = PACKET_MR_PROMISC};
    setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
    setsockopt(descriptor, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size);
    setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
    if (!address.sll_ifindex || setsockopt(descriptor, SOL_PACKET, PACKET_VNET_HDR, &on, sizeof on) < 0 ||
        setsockopt(descriptor, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof on) < 0 ||
        bind(descriptor, (struct sockaddr *)&address, sizeof address) < 0 ||
        setsockopt(descriptor, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &all, sizeof all) < 0) {
        return -1;
    }
    return descriptor;
}

static void forward(void) {
    static uint8_t bytes[FRAME_SIZE];
    for (int i = 0; i < port_count; i++) {
        // Bounded, so that no port starves the others.
        for (int turn = 0; turn < 64; turn++) {
            ssize_t length = read(ports[i].descriptor, bytes, sizeof bytes);
            if (length <= 0) break;
            take_in(i, bytes, (size_t)length);
        }
    }
}

int main(int count, char **arguments) {
    if (count < 3 || count - 2 > MAX_PORTS) {
        fprintf(stderr, "usage: switch PIPE INTERFACE... (at most %d)\n", MAX_PORTS);
        return 2;
    }
    // Opened for writing as well, so that the pipe does not end when a writer closes it.
    int pipe = open(arguments[1], O_RDWR | O_NONBLOCK);
    if (pipe < 0) {
        perror(arguments[1]);
        return 1;
    }
    struct pollfd polled[MAX_PORTS + 1] = {{.fd = pipe, .events = POLLIN}};
    for (; port_count < count - 2; port_count++) {
        ports[port_count].descriptor = open_port(arguments[port_count + 2]);
        if (ports[port_count].descriptor < 0) {
            perror(arguments[port_count + 2]);
            return 1;
        }
        polled[port_count + 1] = (struct pollfd){.fd = ports[port_count].descriptor, .events = POLLIN};
    }
    for (;;) {
        struct timespec wait = {0, 0};
        if (heap_count) {
            int64_t left = heap[0].due - now();
            if (left > 0) wait = (struct timespec){left / SECOND, left % SECOND};
        }
        if (ppoll(polled, (nfds_t)port_count + 1, heap_count ? &wait : NULL, NULL) < 0 && errno != EINTR) {
            perror("switch: poll");
            return 1;
        }
        while (heap_count && heap[0].due <= now()) {
            struct frame frame = pop();
            deliver(frame.from, frame.bytes, frame.length);
            free(frame.bytes);
        }
        read_commands(pipe);
        forward();
    }
}
