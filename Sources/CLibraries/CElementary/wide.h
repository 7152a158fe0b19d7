#ifndef SKYFARM_WIDE_H
#define SKYFARM_WIDE_H

#include <stdbool.h>
#include <stdint.h>

#pragma STDC FP_CONTRACT OFF

// Floating-point numbers with 256 bits, in integers. They decide how a value is rounded if double-double arithmetic
// cannot. Products and sums are truncated: their relative error is below 2^-253.

enum { wide_limbs = 4 };

// The number 0.m * 2^exponent. Limbs begin with the least significant one; the highest bit of the last is set unless
// the number is 0.
typedef struct {
    uint64_t limbs[wide_limbs];
    int exponent;
    bool is_negative;
} wide;

wide wide_from(double value);  // finite
wide wide_product(wide a, wide b);
wide wide_sum(wide a, wide b);
wide wide_quotient(wide a, wide b);
wide wide_square_root(wide a);  // not negative

// Number with the limbs of an integer, times 2^exponent.
wide wide_from_limbs(const uint64_t limbs[wide_limbs], int exponent);

static inline wide wide_negated(wide a) {
    a.is_negative = !a.is_negative;
    return a;
}

static inline wide wide_difference(wide a, wide b) { return wide_sum(a, wide_negated(b)); }

static inline bool wide_is_zero(wide a) { return a.limbs[wide_limbs - 1] == 0; }

static inline wide wide_scaled(wide a, int power_of_two) {
    a.exponent += power_of_two;
    return a;
}

// The nearest double, or the nearest float as a double; ties to even. A number within 2^-190 of a tie or of a number
// without error, in relation to its magnitude, is taken as that.
double wide_rounded(wide a);
double wide_rounded_to_float(wide a);

// The functions. Arguments are finite, and not those for which the C standard prescribes a value.
wide wide_exp(wide x);
wide wide_log(double x, double estimate);              // x > 0
wide wide_exp10(double x);
wide wide_power(double x, double y, double estimate);  // estimate of the logarithm of x, which is positive
void wide_sine_cosine(double x, wide *sine, wide *cosine);
wide wide_angle(wide y, wide x, double estimate);      // atan2 for 0 <= y <= x and x > 0

extern const wide wide_half_pi, wide_one, wide_per_ln10;

#endif
