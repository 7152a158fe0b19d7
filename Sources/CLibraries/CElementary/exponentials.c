#include "double_double.h"
#include "elementary.h"
#include "exponential_tables.h"
#include "for_each_processor.h"
#include "wide.h"

#pragma STDC FP_CONTRACT OFF

// Exponentials by Tang's method: exp(x) = 2^(n / 128) exp(r) with the nearest n, and a table of the powers. Logarithms
// likewise: log(x) = e log 2 - log c + log(1 + r) with r = c m - 1, where c is near the reciprocal of the significand
// m. The leading terms are sums and products without error; the rest is a polynomial in doubles.

static const double shift = 0x1.8p52;

// exp(x) - 1 - x for |x| < 2^-8.4, with an error below 2^-70.
inlined double exp_rest(double x) {
    double high = (0x1.5555555555555p-5 + x * 0x1.1111111111111p-7) + x * x * 0x1.6c16c16c16c17p-10;
    return x * x * ((0.5 + x * 0x1.5555555555555p-3) + x * x * high);
}

// The exponential of a sum for |x.high| < 709, divided by 2^(n / 128), where n is the integer in the low bits of
// *shifted. It is from 0.99 to 2.01, and its error is below 2^-68.
inlined pair exp_sum(pair x, uint64_t *shifted_bits) {
    double shifted = x.high * STEPS_PER_UNIT + shift, n = shifted - shift;
    uint64_t index = *shifted_bits = bits_of(shifted);
    double first = x.high - n * EXP_STEP_1, second = n * EXP_STEP_2;
    double r = first - second, rest = ((first - r) - second) + (x.low - n * EXP_STEP_3);
    // The high half of r is a multiple of 2^-34: its product with the high half of the power has 53 bits.
    double half = (r + 0x1.8p18) - 0x1.8p18;
    double high = powers_of_two[2 * (index & 127)], low = powers_of_two[2 * (index & 127) + 1];
    pair sum = fast_sum(high, high * half);
    double others = (low + low * half) + (high + low) * ((r - half) + exp_rest(r));
    return (pair){sum.high, sum.low + (others + rest * (sum.high + others))};
}

// The value times 2^(n / 128) without the fraction, where n is the integer in the low bits: as a negative one has the
// same last bits, no sign is needed.
inlined double scaled(double value, uint64_t shifted_bits) {
    return double_of(bits_of(value) + (shifted_bits >> 7 << 52));
}

static __attribute__((noinline)) double exp_at_limits(double x) {
    if (x != x) return x + x;
    if (x > 710) return __builtin_inf();
    if (x < -746) return 0;
    return x == 0 ? 1 : wide_rounded(wide_exp(wide_from(x)));
}

double skyfarm_exp(double x) {
    if (magnitude_bits(x) > 0x4086200000000000) return exp_at_limits(x);  // 708
    uint64_t shifted;
    double value;
    pair sum = exp_sum((pair){x, 0}, &shifted);
    return is_rounded(sum, 0x1p-67, &value) ? scaled(value, shifted) : exp_at_limits(x);
}

static __attribute__((noinline)) double exp10_at_limits(double x) {
    if (x != x) return x + x;
    if (x > 309) return __builtin_inf();
    if (x < -325) return 0;
    return x == 0 ? 1 : wide_rounded(wide_exp10(x));
}

double skyfarm_exp10(double x) {
    if (magnitude_bits(x) > 0x4073300000000000) return exp10_at_limits(x);  // 307
    uint64_t shifted;
    double value;
    pair product = exact_product(x, LN10_HIGH);
    product.low += x * LN10_LOW;
    pair sum = exp_sum(product, &shifted);
    return is_rounded(sum, 0x1p-67, &value) ? scaled(value, shifted) : exp10_at_limits(x);
}

// Values of which the sum does not decide how they are rounded become NaN; the caller computes these one by one.
for_each_processor static void exps(const double *restrict x, double *restrict values, ptrdiff_t count) {
    for (ptrdiff_t index = 0; index < count; index++) {
        uint64_t shifted;
        double value, nan = __builtin_nan("");
        pair sum = exp_sum((pair){x[index], 0}, &shifted);
        bool is_decided = is_rounded(sum, 0x1p-67, &value) & (__builtin_fabs(x[index]) <= 708);
        values[index] = is_decided ? scaled(value, shifted) : nan;
    }
}

void skyfarm_exps(const double *x, double *values, ptrdiff_t count) {
    exps(x, values, count);
    for (ptrdiff_t index = 0; index < count; index++)
        if (values[index] != values[index]) values[index] = skyfarm_exp(x[index]);
}

static __attribute__((noinline)) float expf_at_limits(float x) {
    if (x != x) return x + x;
    if (x > 89) return __builtin_inff();
    if (x < -104) return 0;
    return x == 0 ? 1 : (float)wide_rounded_to_float(wide_exp(wide_from(x)));
}

float skyfarm_expf(float x) {
    // Also false for a NaN. Beyond, values are subnormal or infinite.
    if (!(x > -87 && x < 88)) return expf_at_limits(x);
    double shifted = x * STEPS_PER_UNIT + shift, n = shifted - shift;
    uint64_t index = bits_of(shifted);
    double r = (x - n * EXP_STEP_1) - n * EXP_STEP_2;
    double power = powers_of_two[2 * (index & 127)] + powers_of_two[2 * (index & 127) + 1];
    double value = scaled(power + power * (r + exp_rest(r)), index), error = value * 0x1p-50;
    float rounded = (float)(value + error);
    return rounded == (float)(value - error) ? rounded : expf_at_limits(x);
}

// log(1 + x) - x + x^2 / 2 for |x| < 2^-7.8.
inlined double log_rest(double x) {
    double s = x * x;
    double low = (0x1.5555555555555p-2 - x * 0.25) + s * (0x1.999999999999ap-3 - x * 0x1.5555555555555p-3);
    double high = (0x1.2492492492492p-3 - x * 0.125) + s * 0x1.c71c71c71c71cp-4;
    return x * s * (low + s * s * high);
}

// The logarithm of a positive normal number times 2^`exponent`. The error is below 2^-75, and below 2^-67 of the value.
inlined pair log_of(double x, int64_t exponent) {
    uint64_t bits = bits_of(x), place = bits - 0x3fe6b00000000000;
    int64_t power = (int64_t)place >> 52;
    double e = (double)(power + exponent);
    const double *row = reciprocals + 3 * (place >> 45 & 127);
    uint64_t significand = bits - ((uint64_t)power << 52);
    // The reciprocal has 10 bits, so that its products with 32 and with 21 bits have no error.
    double high = double_of(significand & 0xffffffffffe00000), low = double_of(significand) - high;
    double first = high * row[0] - 1, second = low * row[0];
    double r = first + second, rest = (first - r) + second;
    // The high half of r is a multiple of 2^-33: its square has no error.
    double half = (r + 0x1.8p19) - 0x1.8p19;
    pair near = fast_sum(r, -0.5 * half * half);
    double others = ((rest - r * rest) - 0.5 * (r - half) * (r + half)) + log_rest(r);
    // Multiples of 2^-42 below 2^10.
    pair sum = fast_sum(e * LN2_HIGH + row[1], near.high);
    return (pair){sum.high, sum.low + ((near.low + others) + (e * LN2_LOW + row[2]))};
}

// Numbers that are not positive, not finite or subnormal. `scale` is 1 / log 10, or 1.
static __attribute__((noinline)) double log_at_limits(double x, double estimate, bool is_decimal) {
    if (x == 0) return -1 / (x * x);
    if (x != x || x == __builtin_inf()) return x + x;
    if (x < 0) return (x - x) / (x - x);
    wide value = wide_log(x, estimate);
    return wide_rounded(is_decimal ? wide_product(value, wide_per_ln10) : value);
}

// Whether x is positive and finite; if so, a subnormal number is made normal.
inlined bool make_normal(double *x, int64_t *exponent) {
    uint64_t bits = bits_of(*x);
    *exponent = 0;
    if (bits - 0x0010000000000000 < 0x7fe0000000000000) return true;
    if (bits - 1 >= 0x000fffffffffffff) return false;
    *x *= 0x1p54;
    *exponent = -54;
    return true;
}

double skyfarm_log(double x) {
    double normal = x, value;
    int64_t exponent;
    if (!make_normal(&normal, &exponent)) return log_at_limits(x, 0, false);
    pair sum = log_of(normal, exponent);
    if (is_rounded(sum, __builtin_fabs(sum.high) * 0x1p-66, &value)) return value;
    return log_at_limits(x, value, false);
}

double skyfarm_log10(double x) {
    double normal = x, value;
    int64_t exponent;
    if (!make_normal(&normal, &exponent)) return log_at_limits(x, 0, true);
    pair sum = log_of(normal, exponent);
    pair product = exact_product(sum.high, PER_LN10_HIGH);
    product.low += sum.low * PER_LN10_HIGH + sum.high * PER_LN10_LOW;
    if (is_rounded(product, __builtin_fabs(product.high) * 0x1p-65, &value)) return value;
    return log_at_limits(x, sum.high + sum.low, true);
}

// 0 for a number that is no integer, 1 for an odd one, 2 for an even one.
static int parity(double y) {
    double magnitude = __builtin_fabs(y);
    if (magnitude >= 0x1p53) return 2;
    double rounded = (magnitude + 0x1p52) - 0x1p52;
    if (magnitude < 0x1p52 && rounded != magnitude) return 0;
    return (uint64_t)magnitude & 1 ? 1 : 2;
}

// Powers of 0, 1, infinity and NaN, and infinite or NaN exponents.
static double power_of_special(double x, double y) {
    if (y == 0 || x == 1) return 1;
    if (x != x || y != y) return x + y;
    if (__builtin_isinf(y)) {
        double magnitude = __builtin_fabs(x);
        if (magnitude == 1) return 1;
        return (magnitude > 1) == (y > 0) ? __builtin_inf() : 0;
    }
    double result = (x == 0) == (y > 0) ? 0 : __builtin_inf();
    return __builtin_signbit(x) && parity(y) == 1 ? -result : result;
}

static __attribute__((noinline)) double power_at_limits(double x, double y, pair logarithm) {
    double estimate = logarithm.high + logarithm.low, product = estimate * y;
    if (product > 710) return __builtin_inf();
    if (product < -746) return 0;
    return wide_rounded(wide_power(x, y, estimate));
}

// The power of a number with this logarithm. Returns false if it cannot be told, or is beyond normal numbers.
inlined bool power_of(pair logarithm, double y, double *value) {
    double product = logarithm.high * y, magnitude = __builtin_fabs(y), result;
    pair scaled_log = exact_product(logarithm.high, y);
    scaled_log.low += logarithm.low * y;
    uint64_t shifted;
    pair sum = exp_sum(scaled_log, &shifted);
    bool is_decided = is_rounded(sum, 0x1p-67 + magnitude * 0x1p-74, &result);
    *value = scaled(result, shifted);
    // Also false where the product overflows.
    return is_decided & (__builtin_fabs(product) < 708) & (magnitude < 0x1p64);
}

double skyfarm_pow(double x, double y) {
    double normal = __builtin_fabs(x), value, sign = 1;
    int64_t exponent;
    if (y == 0 || x == 1 || y - y != 0 || !make_normal(&normal, &exponent)) return power_of_special(x, y);
    if (x < 0) {
        int kind = parity(y);
        if (kind == 0) return (x - x) / (x - x);
        if (kind == 1) sign = -1;
    }
    pair logarithm = log_of(normal, exponent);
    logarithm = fast_sum(logarithm.high, logarithm.low);
    return power_of(logarithm, y, &value) ? sign * value : sign * power_at_limits(__builtin_fabs(x), y, logarithm);
}

// See exps.
for_each_processor static void powers(
    pair logarithm, const double *restrict exponents, double *restrict values, ptrdiff_t count) {
    for (ptrdiff_t index = 0; index < count; index++) {
        double value, nan = __builtin_nan("");
        bool is_decided = power_of(logarithm, exponents[index], &value);
        values[index] = is_decided ? value : nan;
    }
}

void skyfarm_powers(double x, const double *exponents, double *values, ptrdiff_t count) {
    double normal = x, nan = __builtin_nan("");
    int64_t exponent;
    if (make_normal(&normal, &exponent)) {
        pair logarithm = log_of(normal, exponent);
        powers(fast_sum(logarithm.high, logarithm.low), exponents, values, count);
    } else {
        for (ptrdiff_t index = 0; index < count; index++) values[index] = nan;
    }
    for (ptrdiff_t index = 0; index < count; index++)
        if (values[index] != values[index]) values[index] = skyfarm_pow(x, exponents[index]);
}
