#include "scaled_integers.h"

#include "for_each_processor.h"

#include <stdbool.h>
#include <string.h>

// Contraction is off, since a fused operation rounds only once, so that results would depend on the processor.
#pragma STDC FP_CONTRACT OFF

#define inlined static inline __attribute__((always_inline))

enum {
    lanes = 8, rows = 16, group = lanes * rows,
    most_bits = 16, equal = 254, plain = 255,
};

// Range of the integers of a group.
typedef struct {
    int32_t least, most;
    bool is_exact;
} range;

inlined float number_of(int32_t integer, skyfarm_scale scale) { return (float)(scale.step * integer + scale.offset); }

// Returns the integer that is nearest to a float on the scale. Floats out of range and NaN give an integer out of
// range.
inlined int32_t integer_of(float number, double inverse, double offset) {
    double place = (number - offset) * inverse;
    place = place > -2e9 ? place : -2e9;
    place = place < 2e9 ? place : 2e9;
    return (int32_t)(place + (place < 0 ? -0.5 : 0.5));
}

inlined uint32_t bits_of(float number) {
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

inlined range integers_of(const float *numbers, int count, skyfarm_scale scale, int32_t *integers) {
    double inverse = 1 / scale.step;
    int32_t least = INT32_MAX, most = INT32_MIN;
    uint32_t wrong = 0;
    for (int i = 0; i < count; i++) {
        int32_t integer = integer_of(numbers[i], inverse, scale.offset);
        integers[i] = integer;
        least = integer < least ? integer : least;
        most = integer > most ? integer : most;
        wrong |= bits_of(number_of(integer, scale)) ^ bits_of(numbers[i]);
    }
    return (range){.least = least, .most = most, .is_exact = !wrong};
}

// `width` is a constant, so that the compiler can unroll the loops.
inlined void put_bits(const int32_t *integers, int32_t least, int width, uint8_t *packed) {
    for (int row = 0; row < rows; row++) {
        int shift = row * width % 16;
        uint8_t *words = packed + row * width / 16 * lanes * 2;
        uint16_t values[lanes], word[lanes];
        for (int l = 0; l < lanes; l++)
            values[l] = (uint16_t)((uint32_t)integers[row * lanes + l] - (uint32_t)least);
        if (shift == 0) {
            memcpy(words, values, sizeof values);
            continue;
        }
        memcpy(word, words, sizeof word);
        for (int l = 0; l < lanes; l++) word[l] |= (uint16_t)(values[l] << shift);
        memcpy(words, word, sizeof word);
        if (shift + width <= 16) continue;
        for (int l = 0; l < lanes; l++) word[l] = (uint16_t)(values[l] >> (16 - shift));
        memcpy(words + lanes * 2, word, sizeof word);
    }
}

inlined void get_bits(const uint8_t *packed, int32_t least, int width, int32_t *integers) {
    uint16_t mask = (uint16_t)((1u << width) - 1);
    for (int row = 0; row < rows; row++) {
        int shift = row * width % 16;
        const uint8_t *words = packed + row * width / 16 * lanes * 2;
        uint16_t values[lanes], word[lanes];
        memcpy(values, words, sizeof values);
        for (int l = 0; l < lanes; l++) values[l] = (uint16_t)(values[l] >> shift);
        if (shift + width > 16) {
            memcpy(word, words + lanes * 2, sizeof word);
            for (int l = 0; l < lanes; l++) values[l] |= (uint16_t)(word[l] << (16 - shift));
        }
        for (int l = 0; l < lanes; l++)
            integers[row * lanes + l] = (int32_t)((uint32_t)least + (values[l] & mask));
    }
}

#define for_each_width(f) f(1) f(2) f(3) f(4) f(5) f(6) f(7) f(8) f(9) f(10) f(11) f(12) f(13) f(14) f(15) f(16)

// Packs a group that cannot be packed as integers, or would not be shorter.
inlined uint8_t *pack_plain(const float *numbers, int count, uint8_t *packed) {
    uint32_t other = 0;
    for (int i = 0; i < count; i++) other |= bits_of(numbers[i]) ^ bits_of(numbers[0]);
    size_t size = (other ? (size_t)count : 1) * sizeof *numbers;
    *packed = other ? plain : equal;
    memcpy(packed + 1, numbers, size);
    return packed + 1 + size;
}

for_each_processor ptrdiff_t skyfarm_pack_scaled(
    const float *numbers, ptrdiff_t count, skyfarm_scale scale, uint8_t *packed, ptrdiff_t room) {
    uint8_t *out = packed;
    for (ptrdiff_t first = 0; first < count; first += group) {
        int taken = count - first < group ? (int)(count - first) : group;
        const float *from = numbers + first;
        float last[group];
        if (taken < group) {
            for (int i = 0; i < group; i++) last[i] = from[i < taken ? i : 0];
            from = last;
        }
        int32_t integers[group];
        range found = integers_of(from, group, scale, integers);
        uint32_t span = (uint32_t)found.most - (uint32_t)found.least;
        int width = span ? 32 - __builtin_clz(span) : 0;
        bool is_packed = found.is_exact && width <= most_bits;
        if (room - (out - packed) < (is_packed ? 5 + width * group / 8 : 1 + group * 4)) return -1;
        if (!is_packed) {
            out = pack_plain(from, taken, out);
            continue;
        }
        *out = (uint8_t)width;
        memcpy(out + 1, &found.least, sizeof found.least);
        out += 5;
#define put(n) case n: put_bits(integers, found.least, n, out); break;
        switch (width) { for_each_width(put) }
        out += width * group / 8;
    }
    return out - packed;
}

// Returns the number of bytes of the group, or -1 if it is malformed.
inlined ptrdiff_t unpack_group(
    const uint8_t *packed, ptrdiff_t size, skyfarm_scale scale, float *numbers, int count) {
    if (size < 5) return -1;
    int width = packed[0];
    if (width == equal || width == plain) {
        ptrdiff_t length = 1 + (width == equal ? 1 : count) * (ptrdiff_t)sizeof *numbers;
        if (size < length) return -1;
        for (int i = 0; i < count; i++) memcpy(numbers + i, packed + 1 + (width == equal ? 0 : i * 4), 4);
        return length;
    }
    if (width > most_bits || size < 5 + width * group / 8) return -1;
    int32_t least, integers[group];
    memcpy(&least, packed + 1, sizeof least);
#define get(n) case n: get_bits(packed + 5, least, n, integers); break;
    switch (width) {
    case 0:
        for (int i = 0; i < group; i++) integers[i] = least;
        break;
    for_each_width(get)
    }
    float values[group];
    for (int i = 0; i < group; i++) values[i] = number_of(integers[i], scale);
    memcpy(numbers, values, (size_t)count * sizeof *numbers);
    return 5 + width * group / 8;
}

for_each_processor ptrdiff_t skyfarm_unpack_scaled(
    const uint8_t *packed, ptrdiff_t size, skyfarm_scale scale, float *numbers, ptrdiff_t count) {
    ptrdiff_t taken = 0;
    for (ptrdiff_t first = 0; first < count; first += group) {
        int rest = count - first < group ? (int)(count - first) : group;
        ptrdiff_t length = unpack_group(packed + taken, size - taken, scale, numbers + first, rest);
        if (length < 0) return -1;
        taken += length;
    }
    return taken;
}

for_each_processor ptrdiff_t skyfarm_integers_of_numbers(
    const float *numbers, ptrdiff_t count, skyfarm_scale scale, uint32_t *integers, int32_t *least, int32_t *places,
    ptrdiff_t limit) {
    ptrdiff_t wrong = 0;
    int32_t lowest = INT32_MAX;
    for (ptrdiff_t first = 0; first < count; first += group) {
        int taken = count - first < group ? (int)(count - first) : group;
        int32_t *found = (int32_t *)integers + first;
        range all = integers_of(numbers + first, taken, scale, found);
        if (all.is_exact) {
            lowest = all.least < lowest ? all.least : lowest;
            continue;
        }
        for (int i = 0; i < taken; i++) {
            if (bits_of(number_of(found[i], scale)) == bits_of(numbers[first + i])) {
                lowest = found[i] < lowest ? found[i] : lowest;
                continue;
            }
            if (wrong == limit) return limit + 1;
            places[wrong++] = (int32_t)(first + i);
        }
    }
    for (ptrdiff_t i = 0; i < wrong; i++) integers[places[i]] = (uint32_t)lowest;
    for (ptrdiff_t i = 0; i < count; i++) integers[i] -= (uint32_t)lowest;
    *least = lowest;
    return wrong;
}

for_each_processor void skyfarm_numbers_of_integers(
    void *numbers, ptrdiff_t count, skyfarm_scale scale, int32_t least) {
    uint8_t *bytes = numbers;
    for (ptrdiff_t i = 0; i < count; i++) {
        uint32_t integer;
        memcpy(&integer, bytes + 4 * i, sizeof integer);
        float number = number_of((int32_t)(integer + (uint32_t)least), scale);
        memcpy(bytes + 4 * i, &number, sizeof number);
    }
}
