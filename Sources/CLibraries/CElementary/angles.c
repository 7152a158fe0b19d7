#include "angle_tables.h"
#include "double_double.h"
#include "elementary.h"
#include "wide.h"

#pragma STDC FP_CONTRACT OFF

// Sines and cosines from those of the nearest multiple of pi / 256, by Tang's method; arc tangents from that of the
// nearest multiple of 1 / 128.

// A number as n pi / 256 + rest, where |rest| < 2^-7.3; its error is below 2^-104.
typedef struct {
    pair rest;
    int64_t n;
} turned;

// For |x| < 8192 (Cody and Waite's reduction).
inlined turned turned_of(double x) {
    double shifted = x * STEPS_PER_RADIAN + 0x1.8p52, n = shifted - 0x1.8p52;
    // n has 20 bits, so that its products with the first three parts have no error.
    pair rest = exact_sum(x - n * TURN_STEP_1, -(n * TURN_STEP_2));
    rest = fast_sum(rest.high, (rest.low - n * TURN_STEP_3) - n * TURN_STEP_4);
    return (turned){rest, (int64_t)(bits_of(shifted) << 13) >> 13};
}

// sin(x) - x for |x| < 2^-7.3.
inlined double sine_rest(double x) {
    double s = x * x;
    return x * s * (-0x1.5555555555555p-3 + s * (0x1.1111111111111p-7 - s * 0x1.a01a01a01a01ap-13));
}

// cos(x) - 1 for |x| < 2^-7.3.
inlined double cosine_rest(double x) {
    double s = x * x;
    return s * (-0.5 + s * (0x1.5555555555555p-5 - s * 0x1.6c16c16c16c17p-10));
}

// The sine of the number plus `quarters` times pi / 2. The error is below 2^-65 of the value and 2^-103.
inlined pair sine_of(turned x, int quarters) {
    int64_t n = x.n + 128 * quarters;
    bool is_rising = !(n & 128);
    int index = n & 127;
    pair result;
    double r = x.rest.high;
    if (index == 0 && is_rising) {
        result = (pair){r, x.rest.low + sine_rest(r)};
    } else {
        // sin(a + r) = a' cos(r) + b' sin(r), with a' and b' from the table of one quarter.
        const double *a = sines + 2 * (is_rising ? index : 128 - index);
        const double *b = sines + 2 * (is_rising ? 128 - index : index);
        double b_high = is_rising ? b[0] : -b[0], b_low = is_rising ? b[1] : -b[1];
        // The high half of r is a multiple of 2^-33: its product with the high half of b' has no error.
        double half = (r + 0x1.8p19) - 0x1.8p19;
        pair sum = fast_sum(a[0], b_high * half);
        double others = (a[0] + a[1]) * cosine_rest(r) + (b_high + b_low) * (((r - half) + x.rest.low) + sine_rest(r));
        result = (pair){sum.high, sum.low + ((a[1] + b_low * half) + others)};
    }
    return n & 256 ? negated(result) : result;
}

static __attribute__((noinline)) double wide_turned(double x, int function) {
    if (x - x != 0) return (x - x) / (x - x);
    wide sine, cosine;
    wide_sine_cosine(x, &sine, &cosine);
    return wide_rounded(function == 0 ? sine : function == 1 ? cosine : wide_quotient(sine, cosine));
}

static const uint64_t bits_of_8192 = 0x40c0000000000000, bits_of_tiny = 0x3e40000000000000;  // 2^-27

double skyfarm_sin(double x) {
    uint64_t magnitude = magnitude_bits(x);
    // Below, the sine differs from x by less than a quarter of its last bit.
    if (magnitude < bits_of_tiny) return x;
    if (magnitude >= bits_of_8192) return wide_turned(x, 0);
    double value;
    pair sum = sine_of(turned_of(x), 0);
    return is_rounded(sum, __builtin_fabs(sum.high) * 0x1p-65 + 0x1p-103, &value) ? value : wide_turned(x, 0);
}

double skyfarm_cos(double x) {
    uint64_t magnitude = magnitude_bits(x);
    if (magnitude < bits_of_tiny) return 1;
    if (magnitude >= bits_of_8192) return wide_turned(x, 1);
    double value;
    pair sum = sine_of(turned_of(x), 1);
    return is_rounded(sum, __builtin_fabs(sum.high) * 0x1p-65 + 0x1p-103, &value) ? value : wide_turned(x, 1);
}

double skyfarm_tan(double x) {
    uint64_t magnitude = magnitude_bits(x);
    if (magnitude < bits_of_tiny) return x;
    if (magnitude >= bits_of_8192) return wide_turned(x, 2);
    turned rest = turned_of(x);
    pair s = sine_of(rest, 0), c = sine_of(rest, 1);
    s = fast_sum(s.high, s.low), c = fast_sum(c.high, c.low);
    double quotient = s.high / c.high, value, least = 0x1p-30;
    pair product = exact_product(quotient, c.high);
    pair sum = {quotient, (((s.high - product.high) - product.low) + s.low - quotient * c.low) / c.high};
    // Near a zero of either, the error of the reduction is not small in relation to it.
    if (__builtin_fabs(s.high) > least && __builtin_fabs(c.high) > least
        && is_rounded(sum, __builtin_fabs(quotient) * 0x1p-63, &value))
        return value;
    return wide_turned(x, 2);
}

// The quotient of two sums, with an error below 2^-95 of it.
inlined pair quotient_of(pair a, pair b) {
    double inverse = 1 / b.high, high = a.high * inverse;
    pair product = exact_product(high, b.high);
    return (pair){high, (((a.high - product.high) - product.low) + (a.low - high * b.low)) * inverse};
}

// atan(y / x) for 0 <= y <= x, where x is from 2^-30 to 2^30 and y at least 2^-500. The error is below 2^-66 of the
// value.
inlined pair angle_of(pair y, pair x) {
    double shifted = y.high / x.high + 0x1.8p45, a = shifted - 0x1.8p45;
    int index = (int)(bits_of(shifted) & 255);
    // a has 8 bits, so that its products with halves have no error.
    pair xs = halves(x.high), ys = halves(y.high);
    pair above = exact_sum(y.high - a * xs.high, -(a * xs.low));
    above.low += y.low - a * x.low;
    pair below = fast_sum(x.high, a * ys.high);
    below.low += a * ys.low + (x.low + a * y.low);
    below = fast_sum(below.high, below.low);
    // atan(y / x) = atan(a) + atan((y - a x) / (x + a y)).
    pair q = quotient_of(fast_sum(above.high, above.low), below);
    double s = q.high * q.high;
    double rest = -0x1.2492492492492p-3 + s * 0x1.c71c71c71c71cp-4;
    rest = q.high * s * (-0x1.5555555555555p-2 + s * (0x1.999999999999ap-3 + s * rest));
    pair sum = fast_sum(arc_tangents[2 * index], q.high);
    return (pair){sum.high, sum.low + ((arc_tangents[2 * index + 1] + q.low) + rest)};
}

// A multiple of pi / 2 plus or minus an angle.
inlined pair angle_from(int quarters, pair angle, bool is_less) {
    if (quarters == 0) return angle;
    if (is_less) angle = negated(angle);
    pair sum = fast_sum(quarters == 1 ? HALF_PI_HIGH : PI_HIGH, angle.high);
    return (pair){sum.high, sum.low + (angle.low + (quarters == 1 ? HALF_PI_LOW : PI_LOW))};
}

// As both above, in 256 bits, rounded.
static __attribute__((noinline)) double wide_angle_from(int quarters, wide y, wide x, double estimate, bool is_less) {
    wide angle = wide_angle(y, x, estimate);
    if (is_less) angle = wide_negated(angle);
    return wide_rounded(quarters == 0 ? angle : wide_sum(wide_scaled(wide_half_pi, quarters - 1), angle));
}

// A positive number as a significand of at least 1 times 2^*exponent.
static double divided(double x, int *exponent) {
    int scale = 0;
    if (magnitude_bits(x) < 0x0010000000000000) x *= 0x1p54, scale = -54;
    int power = (int)(bits_of(x) >> 52) - 1023;
    *exponent = power + scale;
    return double_of(bits_of(x) - ((uint64_t)(int64_t)power << 52));
}

// Angles in the first two quadrants of finite numbers, of which neither is 0.
static double angle_above(double y, double x) {
    double width = __builtin_fabs(x), value;
    bool is_steep = y > width, is_left = x < 0;
    double large = is_steep ? y : width, small = is_steep ? width : y;
    int power, other;
    double x1 = divided(large, &power), y1 = divided(small, &other);
    int quarters = is_steep ? 1 : is_left ? 2 : 0;
    bool is_less = is_steep ? !is_left : is_left;
    double estimate = 0;
    if (power - other < 500) {
        y1 = double_of(bits_of(y1) - ((uint64_t)(power - other) << 52));
        pair angle = angle_of((pair){y1, 0}, (pair){x1, 0});
        estimate = angle.high + angle.low;
        pair sum = angle_from(quarters, angle, is_less);
        if (is_rounded(sum, __builtin_fabs(sum.high) * 0x1p-65, &value)) return value;
    }
    return wide_angle_from(quarters, wide_from(small), wide_from(large), estimate, is_less);
}

double skyfarm_atan2(double y, double x) {
    double height = __builtin_fabs(y), width = __builtin_fabs(x), angle;
    bool is_left = __builtin_signbit(x);
    if (x != x || y != y) return x + y;
    if (height == 0) {
        angle = is_left ? PI_HIGH : 0;
    } else if (width == 0 || (height == __builtin_inf() && width != __builtin_inf())) {
        angle = HALF_PI_HIGH;
    } else if (width == __builtin_inf()) {
        bool is_diagonal = height == __builtin_inf();
        angle = is_diagonal ? (is_left ? 3 * (HALF_PI_HIGH / 2) : HALF_PI_HIGH / 2) : is_left ? PI_HIGH : 0;
    } else {
        angle = angle_above(height, x);
    }
    return __builtin_copysign(angle, y);
}

double skyfarm_atan(double x) {
    double height = __builtin_fabs(x), value;
    if (x != x) return x + x;
    if (height < 0x1p-27) return x;
    if (height > 0x1p60) return __builtin_copysign(HALF_PI_HIGH, x);
    bool is_steep = height > 1;
    pair one = {1, 0}, other = {height, 0};
    // The greater one is below 2^30 times the other, or scaled.
    double scale = height > 0x1p30 ? 0x1p-30 : 1;
    if (is_steep) one.high *= scale, other.high *= scale;
    pair angle = is_steep ? angle_of(one, other) : angle_of(other, one);
    pair sum = angle_from(is_steep, angle, is_steep);
    if (is_rounded(sum, __builtin_fabs(sum.high) * 0x1p-65, &value)) return __builtin_copysign(value, x);
    wide w = wide_from(height);
    value = wide_angle_from(
        is_steep, is_steep ? wide_one : w, is_steep ? w : wide_one, angle.high + angle.low, is_steep);
    return __builtin_copysign(value, x);
}

// The square root of 1 - x^2 for |x| < 1.
inlined pair cosine_of_arc(double x) {
    pair squared = exact_product(x, x), rest = fast_sum(1, -squared.high);
    rest = fast_sum(rest.high, rest.low - squared.low);
    double root = __builtin_sqrt(rest.high);
    pair product = exact_product(root, root);
    return fast_sum(root, (((rest.high - product.high) - product.low) + rest.low) * (0.5 / root));
}

// The arc sine or arc cosine for 2^-57 <= |x| < 1.
static double arc(double x, bool is_cosine) {
    double magnitude = __builtin_fabs(x), value;
    pair y = {magnitude, 0}, w = cosine_of_arc(x);
    bool is_steep = magnitude > w.high, is_negative = x < 0;
    pair angle = is_steep ? angle_of(w, y) : angle_of(y, w);
    // The arc cosine is the angle from the x axis to (x, w), the arc sine the one from (w, y) to it.
    int quarters = is_cosine ? (is_steep ? (is_negative ? 2 : 0) : 1) : is_steep;
    bool is_less = is_cosine ? is_steep == is_negative : is_steep;
    pair sum = angle_from(quarters, angle, is_less);
    if (!is_rounded(sum, __builtin_fabs(sum.high) * 0x1p-65, &value)) {
        wide a = wide_from(magnitude), b = wide_square_root(wide_difference(wide_one, wide_product(a, a)));
        value = wide_angle_from(quarters, is_steep ? b : a, is_steep ? a : b, angle.high + angle.low, is_less);
    }
    return !is_cosine && is_negative ? -value : value;
}

double skyfarm_asin(double x) {
    double magnitude = __builtin_fabs(x);
    if (magnitude < 0x1p-27) return x;
    if (magnitude < 1) return arc(x, false);
    return magnitude == 1 ? __builtin_copysign(HALF_PI_HIGH, x) : (x - x) / (x - x);
}

double skyfarm_acos(double x) {
    double magnitude = __builtin_fabs(x);
    if (magnitude < 0x1p-57) return HALF_PI_HIGH;
    if (magnitude < 1) return arc(x, true);
    return magnitude == 1 ? (x > 0 ? 0 : PI_HIGH) : (x - x) / (x - x);
}
