#ifndef CECHO_H
#define CECHO_H

#include <stdint.h>

/// Listens on the loopback interface; returns the listening socket and its port, or -1.
int cecho_listen(uint16_t *port);

/// Accepts one connection and echoes everything it receives, until the peer closes it.
int cecho_serve(int listener);

/// Connects to the echo at this port; returns the socket, or -1.
int cecho_connect(uint16_t port);

/// Sends a message of `size` bytes and waits for its echo, `count` times; `nanoseconds` gets each round trip.
int cecho_round_trips(int socket, int size, int count, int64_t *nanoseconds);

/// Sends `count` messages of `size` bytes with at most `window` in flight, and waits for all echoes.
int cecho_stream(int socket, int size, long count, int window);

/// Starts the program at `path` and waits for its end, `count` times. Returns 0, or -1 on failure.
int cecho_spawn_loop(const char *path, long count);

#endif
