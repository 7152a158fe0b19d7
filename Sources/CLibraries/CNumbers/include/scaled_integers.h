#ifndef SKYFARM_SCALED_INTEGERS_H
#define SKYFARM_SCALED_INTEGERS_H

#include <stddef.h>
#include <stdint.h>

/// Floats that are scaled integers: `step` times an integer, plus `offset`, both operations in double precision, and the
/// sum rounded to a float. In C for vector instructions.
typedef struct {
    double step, offset;
} skyfarm_scale;

/// Packs floats that are scaled integers, in groups of 128, into as many bits as the range of a group's integers needs.
/// A group with a float that is none is stored as it is. Returns the number of bytes; -1 if they need more than `room`.
///
/// A group begins with a byte. 0 to 16: the number of bits; the least integer (4 bytes, little-endian) and 16 bytes for
/// each bit follow. Of the integers, less the least one, number 8 r + l is in bits r w to r w + w - 1, where w is the
/// number of bits, of the 16-bit words l, l + 8, l + 16 and so on, little-endian, the lowest bit first. 254: the one float
/// that all are equal to, to the bit, follows. 255: the floats follow. The last group may have fewer floats; any integers
/// fill it up.
ptrdiff_t skyfarm_pack_scaled(
    const float *numbers, ptrdiff_t count, skyfarm_scale scale, uint8_t *packed, ptrdiff_t room);

/// Unpacks `count` floats from the beginning of `size` bytes, which may come from a peer. Returns the number of bytes that
/// they take; -1 if these are no groups of `count` floats.
ptrdiff_t skyfarm_unpack_scaled(
    const uint8_t *packed, ptrdiff_t size, skyfarm_scale scale, float *numbers, ptrdiff_t count);

/// The integers of `count` floats, less the least one, which is returned by `least`. `places` gets the places of those
/// that are no scaled integers, which count as the least one. Returns their number; if it is above `limit`, nothing
/// but the first `limit` places is of use.
ptrdiff_t skyfarm_integers_of_numbers(
    const float *numbers, ptrdiff_t count, skyfarm_scale scale, uint32_t *integers, int32_t *least, int32_t *places,
    ptrdiff_t limit);

/// The reverse of skyfarm_integers_of_numbers, in place, but for the floats that are no scaled integers.
void skyfarm_numbers_of_integers(void *numbers, ptrdiff_t count, skyfarm_scale scale, int32_t least);

#endif
