#ifndef SKYFARM_BYTE_PLANES_H
#define SKYFARM_BYTE_PLANES_H

#include <stddef.h>
#include <stdint.h>

/// Groups the bytes of `count` numbers of `width` bytes by their position in the number: first the first byte of each
/// number, then the second byte of each, and so on. `planes` has room for `count` times `width` bytes and does not
/// overlap `numbers`. Written in C for vector instructions.
void skyfarm_split_planes(const uint8_t *numbers, uint8_t *planes, ptrdiff_t count, int width);

/// Reverses skyfarm_split_planes.
void skyfarm_join_planes(const uint8_t *planes, uint8_t *numbers, ptrdiff_t count, int width);

#endif
