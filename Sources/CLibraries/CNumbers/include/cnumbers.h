#ifndef SKYFARM_CNUMBERS_H
#define SKYFARM_CNUMBERS_H

#include "byte_planes.h"
#include "scaled_integers.h"

#include <stddef.h>

/// The greatest magnitude of `count` numbers; NaN if one of them is NaN. In C for vector instructions: every pixel of
/// an image passes through it twice.
float skyfarm_greatest_magnitude(const float *numbers, ptrdiff_t count);

/// Converts `count` floats from big-endian, the byte order of FITS, to the processor's, in place. In C for vector
/// instructions: every pixel passes through it twice.
void skyfarm_swap_floats(float *numbers, ptrdiff_t count);

#endif
