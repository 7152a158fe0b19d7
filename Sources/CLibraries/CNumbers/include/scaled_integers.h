#ifndef SKYFARM_SCALED_INTEGERS_H
#define SKYFARM_SCALED_INTEGERS_H

#include <stddef.h>
#include <stdint.h>

/// Scale of floats that represent integers: a float is `step` times an integer, plus `offset`. Both operations are in
/// double precision, and the sum is rounded to a float. Written in C for vector instructions.
typedef struct {
    double step, offset;
} skyfarm_scale;

/// Packs floats that represent scaled integers, in groups of 128, with as many bits as the range of a group's integers
/// requires. A group with a float that is not a scaled integer is stored unchanged. Returns the number of bytes, or -1
/// if it exceeds `room`.
///
/// A group begins with one byte. Values from 0 to 16 are the number of bits w of each integer; the least integer (4
/// bytes, little-endian) and 16 w bytes follow. The difference of integer number 8 r + l from the least one is in bits
/// r w to r w + w - 1 of the sequence of the 16-bit words l, l + 8, l + 16 and so on, which are little-endian, lowest
/// bit first. Value 254: all floats are bitwise equal to the one float that follows. Value 255: the floats follow. The
/// last group may have fewer floats; it is padded with arbitrary integers.
ptrdiff_t skyfarm_pack_scaled(
    const float *numbers, ptrdiff_t count, skyfarm_scale scale, uint8_t *packed, ptrdiff_t room);

/// Unpacks `count` floats from the beginning of `size` bytes, which may come from a peer. Returns the number of bytes
/// that were read, or -1 if they are malformed.
ptrdiff_t skyfarm_unpack_scaled(
    const uint8_t *packed, ptrdiff_t size, skyfarm_scale scale, float *numbers, ptrdiff_t count);

/// Writes the differences of the integers of `count` floats from the least integer, which is stored in `least`. The
/// indices of floats that are not scaled integers are written to `places`, and these floats count as the least integer.
/// Returns the number of such floats; if it exceeds `limit`, only the first `limit` indices are valid.
ptrdiff_t skyfarm_integers_of_numbers(
    const float *numbers, ptrdiff_t count, skyfarm_scale scale, uint32_t *integers, int32_t *least, int32_t *places,
    ptrdiff_t limit);

/// Reverses skyfarm_integers_of_numbers in place, except for floats that are not scaled integers.
void skyfarm_numbers_of_integers(void *numbers, ptrdiff_t count, skyfarm_scale scale, int32_t least);

#endif
