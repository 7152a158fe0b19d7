#ifndef SKYFARM_DOUBLE_DOUBLE_H
#define SKYFARM_DOUBLE_DOUBLE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#pragma STDC FP_CONTRACT OFF

// Sums of two doubles, from operations that every processor rounds alike (Dekker 1971, Knuth). Nothing here may be
// contracted or reordered.

#define inlined static inline __attribute__((always_inline))

// The sum of both, where `low` is small in relation to `high`.
typedef struct {
    double high, low;
} pair;

inlined uint64_t bits_of(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

inlined double double_of(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

inlined uint64_t magnitude_bits(double value) { return bits_of(value) & 0x7fffffffffffffff; }

// The sum without error if the magnitude of `a` is not less than that of `b`.
inlined pair fast_sum(double a, double b) {
    double high = a + b;
    return (pair){high, (a - high) + b};
}

// The sum without error.
inlined pair exact_sum(double a, double b) {
    double high = a + b, part = high - a;
    return (pair){high, (a - (high - part)) + (b - part)};
}

// The halves of a number, of 26 bits each (Veltkamp).
inlined pair halves(double a) {
    double scaled = 0x1.0000002p27 * a, high = scaled - (scaled - a);
    return (pair){high, a - high};
}

// The product without error, unless it overflows or its last bits underflow.
inlined pair exact_product(double a, double b) {
    pair s = halves(a), t = halves(b);
    double high = a * b;
    return (pair){high, ((s.high * t.high - high) + s.high * t.low + s.low * t.high) + s.low * t.low};
}

inlined pair negated(pair a) { return (pair){-a.high, -a.low}; }

// Ziv's test: whether all numbers within `error` of the sum are rounded to the same double, which is then the value.
inlined bool is_rounded(pair sum, double error, double *value) {
    *value = sum.high + (sum.low + error);
    return *value == sum.high + (sum.low - error);
}

#endif
