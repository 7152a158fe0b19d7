// Null tasks through a bare ZeroMQ pipeline. usage: zmq_null ventilate|work|sink ARGUMENTS; see zmq_c_null.py.
//
// Tasks are not tracked: a lost one would not be detected. ZeroMQ batches messages itself.

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zmq.h>

static int fail(const char *what) {
    fprintf(stderr, "zmq_null: %s: %s\n", what, zmq_strerror(errno));
    return 1;
}

static uint32_t value(uint32_t number) { return 3 * number + 1; }

/// Sends the numbers of WARM-UP tasks, then, after a byte on standard input, those of TASKS others.
static int ventilate(void *context, const char *address, uint32_t warm_up, uint32_t tasks) {
    void *out = zmq_socket(context, ZMQ_PUSH);
    if (zmq_bind(out, address) != 0) return fail("bind");
    for (uint32_t number = 0; number < warm_up; number++) zmq_send(out, &number, sizeof number, 0);
    if (getchar() == EOF) return 1;
    for (uint32_t number = 0; number < tasks; number++) zmq_send(out, &number, sizeof number, 0);
    // Until all is sent.
    zmq_close(out);
    return zmq_ctx_term(context) == 0 ? 0 : fail("end");
}

static int work(void *context, const char *from, const char *to) {
    void *tasks = zmq_socket(context, ZMQ_PULL), *results = zmq_socket(context, ZMQ_PUSH);
    if (zmq_connect(tasks, from) != 0 || zmq_connect(results, to) != 0) return fail("connect");
    uint32_t number;
    while (zmq_recv(tasks, &number, sizeof number, 0) == sizeof number) {
        number = value(number);
        zmq_send(results, &number, sizeof number, 0);
    }
    return fail("worker");
}

/// Receives and checks results; 0 if one is wrong.
static int receive(void *results, uint32_t count) {
    for (uint32_t number = 0, result; number < count; number++)
        if (zmq_recv(results, &result, sizeof result, 0) != sizeof result || result != value(number)) return 0;
    return 1;
}

/// Prints "ready" after the warm-up, and then the seconds of TASKS tasks from a byte on standard input on.
static int collect(void *context, const char *address, uint32_t warm_up, uint32_t tasks) {
    void *results = zmq_socket(context, ZMQ_PULL);
    if (zmq_bind(results, address) != 0) return fail("bind");
    if (!receive(results, warm_up)) return fail("warm-up");
    puts("ready");
    fflush(stdout);
    if (getchar() == EOF) return 1;
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    if (!receive(results, tasks)) return fail("a result is wrong");
    clock_gettime(CLOCK_MONOTONIC, &end);
    printf("%.6f\n", (end.tv_sec - start.tv_sec) + (end.tv_nsec - start.tv_nsec) / 1e9);
    return 0;
}

int main(int count, char **words) {
    void *context = zmq_ctx_new();
    if (count == 5 && strcmp(words[1], "ventilate") == 0)
        return ventilate(context, words[2], strtoul(words[3], NULL, 10), strtoul(words[4], NULL, 10));
    if (count == 4 && strcmp(words[1], "work") == 0) return work(context, words[2], words[3]);
    if (count == 5 && strcmp(words[1], "sink") == 0)
        return collect(context, words[2], strtoul(words[3], NULL, 10), strtoul(words[4], NULL, 10));
    if (count == 2 && strcmp(words[1], "version") == 0) {
        int major, minor, patch;
        zmq_version(&major, &minor, &patch);
        return printf("%d.%d.%d\n", major, minor, patch) < 0;
    }
    fputs("usage: zmq_null ventilate ADDRESS WARM-UP TASKS | work FROM TO | sink ADDRESS WARM-UP TASKS\n", stderr);
    return 2;
}
