#ifndef SKYFARM_ELEMENTARY_H
#define SKYFARM_ELEMENTARY_H

#include <stddef.h>

#ifdef __clang__
#define SKYFARM_SWIFT_NAME(name) __attribute__((swift_name(name)))
#else
#define SKYFARM_SWIFT_NAME(name)
#endif

/// Elementary functions with the same bits on every processor and with every C library: they consist of additions,
/// subtractions, multiplications, divisions and square roots, which IEEE 754 rounds correctly, and of integers.
///
/// The values are correctly rounded: the nearest double, ties to even. Each function computes its value as a
/// double-double with an error below 2^-60 and, if that does not decide how it is rounded (Ziv 1991), in 256 bits.
/// No value of a function of one argument is known to need more than 120 bits. Special values are those of C99,
/// Annex F. `errno` and the exception flags are not set.
typedef struct {
    char unused;
} skyfarm_elementary SKYFARM_SWIFT_NAME("Elementary");

#define SKYFARM_ELEMENTARY(name) __attribute__((const)) SKYFARM_SWIFT_NAME("Elementary." name)

double skyfarm_exp(double x) SKYFARM_ELEMENTARY("exp(_:)");
double skyfarm_exp10(double x) SKYFARM_ELEMENTARY("exp10(_:)");
double skyfarm_log(double x) SKYFARM_ELEMENTARY("log(_:)");
double skyfarm_log10(double x) SKYFARM_ELEMENTARY("log10(_:)");
double skyfarm_pow(double x, double y) SKYFARM_ELEMENTARY("pow(_:_:)");

double skyfarm_sin(double x) SKYFARM_ELEMENTARY("sin(_:)");
double skyfarm_cos(double x) SKYFARM_ELEMENTARY("cos(_:)");
double skyfarm_tan(double x) SKYFARM_ELEMENTARY("tan(_:)");
double skyfarm_asin(double x) SKYFARM_ELEMENTARY("asin(_:)");
double skyfarm_acos(double x) SKYFARM_ELEMENTARY("acos(_:)");
double skyfarm_atan(double x) SKYFARM_ELEMENTARY("atan(_:)");
double skyfarm_atan2(double y, double x) SKYFARM_ELEMENTARY("atan2(_:_:)");

/// The nearest float to the exponential of a float.
float skyfarm_expf(float x) SKYFARM_ELEMENTARY("exp(_:)");

/// The exponentials of `count` numbers, in vectors where the processor has them: the bits of those one by one.
void skyfarm_exps(const double *x, double *values, ptrdiff_t count) SKYFARM_SWIFT_NAME("Elementary.exps(of:into:count:)");

/// The powers of one number with `count` exponents, likewise.
void skyfarm_powers(double x, const double *exponents, double *values, ptrdiff_t count)
    SKYFARM_SWIFT_NAME("Elementary.powers(of:exponents:into:count:)");

#pragma STDC FP_CONTRACT OFF

/// The number, or one and the same NaN for every NaN: that of 0 / 0 is negative on x86 and positive on ARM.
static inline double skyfarm_number(double x) { return x == x ? x : __builtin_nan(""); }

#endif
