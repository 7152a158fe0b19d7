#include "wide.h"

#include "wide_tables.h"

#include <string.h>

#pragma STDC FP_CONTRACT OFF

typedef unsigned __int128 uint128_t;

static const wide ln2 = WIDE_LN2, ln10 = WIDE_LN10, per_ln2 = WIDE_PER_LN2;
const wide wide_half_pi = WIDE_HALF_PI, wide_one = WIDE_ONE, wide_per_ln10 = WIDE_PER_LN10;

// The sum of x^n / n! for every `step`-th n from `first` to `last`, which are added from the last to the first.
static wide series(wide power, int first, int last, int step) {
    wide sum = inverse_factorials[last];
    for (int n = last - step; n >= first; n -= step) sum = wide_sum(wide_product(sum, power), inverse_factorials[n]);
    return sum;
}

wide wide_exp(wide x) {
    double multiple = wide_rounded(wide_product(x, per_ln2));
    // Rounds to an integer; an argument beyond all exponents gives infinity or 0.
    if (multiple > 5000) multiple = 5000;
    if (multiple < -5000) multiple = -5000;
    multiple = (multiple + 0x1.8p52) - 0x1.8p52;
    wide rest = wide_difference(x, wide_product(wide_from(multiple), ln2));
    return wide_scaled(series(rest, 0, 48, 1), (int)multiple);
}

// One step of the iteration y + log(x exp(-y)).
wide wide_log(double x, double estimate) {
    wide y = wide_from(estimate);
    wide rest = wide_difference(wide_product(wide_from(x), wide_exp(wide_negated(y))), wide_one);
    wide sum = inverse_integers[5];
    for (int n = 4; n >= 1; n--) sum = wide_difference(inverse_integers[n], wide_product(sum, rest));
    return wide_sum(y, wide_product(rest, sum));
}

wide wide_exp10(double x) { return wide_exp(wide_product(wide_from(x), ln10)); }

wide wide_power(double x, double y, double estimate) {
    return wide_exp(wide_product(wide_from(y), wide_log(x, estimate)));
}

// 64 bits of 2 / pi: those from bit `place`, where the bit 0 has the weight 1/2. Those before are 0.
static uint64_t bits_of_two_over_pi(int place) {
    // The table begins with two limbs of 0.
    int limb = (place + 128) / 64, bit = (place + 128) % 64;
    uint64_t high = two_over_pi[limb], low = two_over_pi[limb + 1];
    return bit == 0 ? high : high << bit | low >> (64 - bit);
}

// Payne and Hanek's reduction: x * 2 / pi modulo 4, from as many bits as change it. Returns the nearest integer and
// gives the rest, times pi / 2.
static int quarter_turns(double x, wide *rest) {
    enum { limbs = 6 };
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int biased = bits >> 52 & 0x7ff, exponent = (biased > 0 ? biased : 1) - 1075;
    uint64_t fraction = (bits & 0xfffffffffffff) | (uint64_t)(biased > 0) << 52;
    // The product of the fraction and 384 bits; those of higher weight give multiples of 4. Its unit is 2^-382.
    uint64_t product[limbs], carry = 0;
    for (int index = 0; index < limbs; index++) {
        uint128_t sum = (uint128_t)fraction * bits_of_two_over_pi(exponent - 2 + 64 * (limbs - 1 - index)) + carry;
        product[index] = (uint64_t)sum;
        carry = (uint64_t)(sum >> 64);
    }
    int turns = (int)(product[limbs - 1] >> 62);
    bool is_negative = product[limbs - 1] >> 61 & 1;
    product[limbs - 1] &= 0x3fffffffffffffff;
    if (is_negative) {
        // The rest less one turn: the complement.
        turns++;
        carry = 1;
        for (int index = 0; index < limbs; index++) {
            product[index] = ~product[index] + carry;
            carry = carry && product[index] == 0;
        }
        product[limbs - 1] &= 0x3fffffffffffffff;
    }
    wide high = wide_from_limbs(product + 2, 128 - 382);
    uint64_t last[wide_limbs] = {product[0], product[1]};
    wide sum = wide_sum(high, wide_from_limbs(last, -382));
    sum.is_negative = is_negative;
    *rest = wide_product(sum, wide_half_pi);
    return turns;
}

static void sine_cosine_of(wide x, wide *sine, wide *cosine) {
    wide squared = wide_negated(wide_product(x, x));
    // The factorials of every other n, with signs that alternate by the negative square.
    *sine = wide_product(x, series(squared, 1, 57, 2));
    *cosine = series(squared, 0, 56, 2);
}

void wide_sine_cosine(double x, wide *sine, wide *cosine) {
    wide rest, s, c;
    int turns = quarter_turns(x, &rest) & 3;
    sine_cosine_of(rest, &s, &c);
    *sine = turns & 1 ? c : s;
    *cosine = turns & 1 ? s : c;
    if (turns & 2) *sine = wide_negated(*sine);
    if (turns == 1 || turns == 2) *cosine = wide_negated(*cosine);
    if (__builtin_signbit(x)) *sine = wide_negated(*sine);
}

// The estimate and the arc tangent of what it lacks.
wide wide_angle(wide y, wide x, double estimate) {
    wide angle = wide_from(estimate), sine, cosine;
    sine_cosine_of(angle, &sine, &cosine);
    wide rest = wide_quotient(
        wide_difference(wide_product(y, cosine), wide_product(x, sine)),
        wide_sum(wide_product(x, cosine), wide_product(y, sine)));
    wide squared = wide_product(rest, rest);
    wide sum = wide_difference(inverse_integers[3], wide_product(inverse_integers[5], squared));
    return wide_sum(angle, wide_difference(rest, wide_product(rest, wide_product(squared, sum))));
}
