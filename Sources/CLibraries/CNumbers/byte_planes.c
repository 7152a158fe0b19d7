#include "byte_planes.h"
#include "for_each_processor.h"

// The width is a constant, so that the compiler can use vector instructions.
#define split(width)                                                                                                  \
    for (ptrdiff_t index = 0; index < count; index++)                                                                 \
        for (int byte = 0; byte < (width); byte++) planes[byte * count + index] = numbers[index * (width) + byte]

#define join(width)                                                                                                   \
    for (ptrdiff_t index = 0; index < count; index++)                                                                 \
        for (int byte = 0; byte < (width); byte++) numbers[index * (width) + byte] = planes[byte * count + index]

for_each_processor void skyfarm_split_planes(
    const uint8_t *restrict numbers, uint8_t *restrict planes, ptrdiff_t count, int width) {
    if (width == 4)
        split(4);
    else
        split(width);
}

for_each_processor void skyfarm_join_planes(
    const uint8_t *restrict planes, uint8_t *restrict numbers, ptrdiff_t count, int width) {
    if (width == 4)
        join(4);
    else
        join(width);
}
