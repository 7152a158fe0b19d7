#include "wide.h"

#include <string.h>

#pragma STDC FP_CONTRACT OFF

typedef unsigned __int128 uint128_t;

enum { top = wide_limbs - 1 };

static inline uint64_t bits_of(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

// Shifts by fewer than 64 bits.
static void shift_left(uint64_t *limbs, int count, int bits) {
    if (bits == 0) return;
    for (int index = count - 1; index > 0; index--)
        limbs[index] = limbs[index] << bits | limbs[index - 1] >> (64 - bits);
    limbs[0] <<= bits;
}

// Moves the highest bit of an integer of `count` limbs to the top and keeps the highest limbs.
static wide normalised(uint64_t *limbs, int count, int exponent, bool is_negative) {
    wide result = {.exponent = 0, .is_negative = is_negative};
    int high = count - 1;
    while (high >= 0 && limbs[high] == 0) high--;
    if (high < 0) return result;
    int zeros = __builtin_clzll(limbs[high]);
    shift_left(limbs, high + 1, zeros);
    for (int index = 0; index < wide_limbs; index++) {
        int source = high - top + index;
        result.limbs[index] = source >= 0 ? limbs[source] : 0;
    }
    result.exponent = exponent - 64 * (count - 1 - high) - zeros;
    return result;
}

wide wide_from_limbs(const uint64_t limbs[wide_limbs], int exponent) {
    uint64_t copy[wide_limbs];
    memcpy(copy, limbs, sizeof copy);
    return normalised(copy, wide_limbs, exponent + 64 * wide_limbs, false);
}

wide wide_from(double value) {
    uint64_t bits = bits_of(value), limbs[wide_limbs] = {0};
    int exponent = bits >> 52 & 0x7ff;
    limbs[top] = (bits & 0xfffffffffffff) | (uint64_t)(exponent > 0) << 52;
    // The fraction is an integer times 2^-1074 or more, and the top limb an integer times 2^-64.
    return normalised(limbs, wide_limbs, (exponent > 0 ? exponent : 1) - 1075 + 64, bits >> 63);
}

wide wide_product(wide a, wide b) {
    uint64_t limbs[2 * wide_limbs] = {0};
    for (int i = 0; i < wide_limbs; i++) {
        uint64_t carry = 0;
        for (int j = 0; j < wide_limbs; j++) {
            uint128_t sum = (uint128_t)a.limbs[i] * b.limbs[j] + limbs[i + j] + carry;
            limbs[i + j] = (uint64_t)sum;
            carry = (uint64_t)(sum >> 64);
        }
        limbs[i + wide_limbs] = carry;
    }
    return normalised(limbs, 2 * wide_limbs, a.exponent + b.exponent, a.is_negative != b.is_negative);
}

// Limbs of a number, shifted right, with one limb more below.
static void aligned(uint64_t result[wide_limbs + 1], wide a, int shift) {
    int limbs = shift / 64, bits = shift % 64;
    for (int index = 0; index <= wide_limbs; index++) {
        // The limb of `a` at this place, which is one below the number's.
        int source = index + limbs - 1;
        uint64_t low = source >= 0 && source < wide_limbs ? a.limbs[source] : 0;
        uint64_t high = source + 1 < wide_limbs ? a.limbs[source + 1] : 0;
        result[index] = bits == 0 ? low : low >> bits | high << (64 - bits);
    }
}

static bool has_smaller_magnitude(wide a, wide b) {
    if (a.exponent != b.exponent) return a.exponent < b.exponent;
    for (int index = top; index >= 0; index--)
        if (a.limbs[index] != b.limbs[index]) return a.limbs[index] < b.limbs[index];
    return false;
}

wide wide_sum(wide a, wide b) {
    if (wide_is_zero(a)) return b;
    if (wide_is_zero(b)) return a;
    if (has_smaller_magnitude(a, b)) {
        wide other = a;
        a = b, b = other;
    }
    int64_t shift = (int64_t)a.exponent - b.exponent;
    if (shift > 64 * wide_limbs + 63) return a;
    uint64_t high[wide_limbs + 1], low[wide_limbs + 1], sum[wide_limbs + 2];
    aligned(high, a, 0);
    aligned(low, b, (int)shift);
    uint64_t carry = 0;
    bool differ = a.is_negative != b.is_negative;
    for (int index = 0; index <= wide_limbs; index++) {
        uint128_t total = differ ? (uint128_t)high[index] - low[index] - carry
                                 : (uint128_t)high[index] + low[index] + carry;
        sum[index] = (uint64_t)total;
        carry = (uint64_t)(total >> 64) & 1;
    }
    sum[wide_limbs + 1] = differ ? 0 : carry;
    return normalised(sum, wide_limbs + 2, a.exponent + 64, a.is_negative);
}

// The quotient by Newton's iteration for the reciprocal, which doubles the number of correct bits.
wide wide_quotient(wide a, wide b) {
    int exponent = b.exponent;
    b.exponent = 0;
    wide inverse = wide_from(1 / wide_rounded(b));
    for (int step = 0; step < 3; step++)
        inverse = wide_sum(inverse, wide_product(inverse, wide_difference(wide_one, wide_product(b, inverse))));
    return wide_scaled(wide_product(a, inverse), -exponent);
}

// The root by Newton's iteration for its reciprocal.
wide wide_square_root(wide a) {
    if (wide_is_zero(a)) return a;
    int half = (a.exponent - (a.exponent & 1)) / 2;
    a.exponent -= 2 * half;
    wide inverse = wide_from(1 / __builtin_sqrt(wide_rounded(a)));
    for (int step = 0; step < 3; step++) {
        wide rest = wide_difference(wide_one, wide_product(a, wide_product(inverse, inverse)));
        inverse = wide_sum(inverse, wide_scaled(wide_product(inverse, rest), -1));
    }
    return wide_scaled(wide_product(a, inverse), half);
}

// Rounds to an integer of at most `precision` bits, and fewer below 2^(least - 1); the integer is times 2^*scale.
static uint64_t rounded(wide a, int precision, int least, int *scale) {
    int count = a.exponent >= least ? precision : precision - (least - a.exponent);
    *scale = a.exponent - count;
    if (wide_is_zero(a) || count < 0) return 0;
    // Numbers just below a tie become those just above it.
    uint64_t before = a.limbs[1];
    a.limbs[1] += 1;
    if (a.limbs[1] < before && ++a.limbs[2] == 0 && ++a.limbs[3] == 0) {
        a.limbs[3] = 1ull << 63, a.exponent++;
        return rounded(a, precision, least, scale);
    }
    uint64_t integer = count == 0 ? 0 : a.limbs[top] >> (64 - count), rest = a.limbs[top] << count;
    const uint64_t half = 1ull << 63;
    bool is_tie = rest == half && a.limbs[2] == 0 && a.limbs[1] <= 2;
    return integer + (is_tie ? integer & 1 : rest >= half);
}

double wide_rounded(wide a) {
    int scale;
    uint64_t integer = rounded(a, 53, -1021, &scale);
    // An integer of 53 bits has the implicit bit of a normal number.
    bool is_normal = integer >> 52;
    uint64_t bits = is_normal ? ((uint64_t)(scale + 1074) << 52) + integer : integer;
    if (scale + 1074 > 2045) bits = 0x7ffull << 52;
    bits |= (uint64_t)a.is_negative << 63;
    double result;
    memcpy(&result, &bits, sizeof result);
    return result;
}

double wide_rounded_to_float(wide a) {
    int scale;
    uint64_t integer = rounded(a, 24, -125, &scale);
    wide result = wide_scaled(wide_from((double)integer), scale);
    double value = scale > 104 ? __builtin_inf() : wide_rounded(result);
    return a.is_negative ? -value : value;
}
