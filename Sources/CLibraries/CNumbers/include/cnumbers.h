#ifndef SKYFARM_CNUMBERS_H
#define SKYFARM_CNUMBERS_H

#include "byte_planes.h"
#include "scaled_integers.h"
#include "stored_shorts.h"

#include <stddef.h>

/// Returns the greatest magnitude of `count` numbers, or NaN if one of them is NaN. Written in C for vector
/// instructions, since every pixel of an image passes through it twice.
float skyfarm_greatest_magnitude(const float *numbers, ptrdiff_t count);

/// Converts `count` floats in place from big-endian, the byte order of FITS, to the byte order of the processor.
/// Written in C for vector instructions, since every pixel passes through it twice.
void skyfarm_swap_floats(float *numbers, ptrdiff_t count);

#endif
