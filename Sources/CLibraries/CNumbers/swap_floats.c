#include "cnumbers.h"
#include "for_each_processor.h"

#include <stdint.h>
#include <string.h>

#pragma STDC FP_CONTRACT OFF

for_each_processor void skyfarm_swap_floats(float *numbers, ptrdiff_t count) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    for (ptrdiff_t index = 0; index < count; index++) {
        // Integer registers only, since loading a signalling NaN into a float register may change its bits.
        uint32_t bits;
        memcpy(&bits, numbers + index, sizeof bits);
        bits = __builtin_bswap32(bits);
        memcpy(numbers + index, &bits, sizeof bits);
    }
#else
    (void)numbers, (void)count;
#endif
}
