#ifndef SKYFARM_APERTURE_BOX_H
#define SKYFARM_APERTURE_BOX_H

#include "apertures.h"

#include <limits.h>

#pragma STDC FP_CONTRACT OFF

// Flags of apertures, as in SEP.
enum { truncated = 0x10, has_masked = 0x20, all_masked = 0x40, not_positive = 0x80 };

// The pixels that an aperture can touch.
typedef struct {
    int left, right, top, bottom;
} aperture_box;

// What x86-64 makes of a number without an integer. libsep does not look, and finds no pixels there.
static inline int converted(double value) {
    return value > -2147483649.0 && value < 2147483648.0 ? (int)value : INT_MIN;
}

/// The box with these half sides, cut by the field's edges; sets the flag of an aperture that they truncate.
static inline aperture_box
find_box(const skyfarm_field *field, double x, double y, double half_width, double half_height, int16_t *flag) {
    aperture_box box = {
        converted(x - half_width + 0.5), converted(x + half_width + 1.4999999), converted(y - half_height + 0.5),
        converted(y + half_height + 1.4999999)};
    if (box.left < 0 || box.top < 0 || box.right > field->width || box.bottom > field->height) *flag |= truncated;
    if (box.left < 0) box.left = 0;
    if (box.top < 0) box.top = 0;
    if (box.right > field->width) box.right = field->width;
    if (box.bottom > field->height) box.bottom = field->height;
    return box;
}

#endif
