#ifndef SKYFARM_STORED_SHORTS_H
#define SKYFARM_STORED_SHORTS_H

#include <stddef.h>
#include <stdint.h>

/// How an integer of 16 bits becomes a float: it is multiplied by `scale`, and `zero` is added, both in single
/// precision; `blank` becomes NaN. No integer is blank if `blank` does not have 16 bits.
typedef struct {
    float scale, zero;
    int32_t blank;
} skyfarm_short_scale;

/// Converts `count` big-endian integers of 16 bits to floats. `shorts` may be the last half of the memory of `numbers`.
/// Written in C for vector instructions.
void skyfarm_floats_of_shorts(const void *shorts, ptrdiff_t count, skyfarm_short_scale scale, float *numbers);

enum { skyfarm_threshold_count = 8 };

/// Counts, for each threshold, those of `count` big-endian integers of 16 bits that are not above it.
void skyfarm_count_shorts(const void *shorts, ptrdiff_t count, const int16_t *thresholds, int64_t *counts);

#endif
