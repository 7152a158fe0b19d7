#ifndef CSTOPWATCH_H
#define CSTOPWATCH_H

/// Nanoseconds spent by all threads in each group of library calls since the last reset.
typedef struct {
    long long background;
    long long extract;
    long long measure;
    long long read;
} stopwatch_times;

void stopwatch_reset(void);
stopwatch_times stopwatch_read(void);

#endif
