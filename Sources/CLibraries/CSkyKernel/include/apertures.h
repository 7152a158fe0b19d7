#ifndef SKYFARM_APERTURES_H
#define SKYFARM_APERTURES_H

#include "extraction.h"

#include <stdint.h>

// Apertures over a window, by libsep's operations in libsep's order: the same bits. `mask` has a byte per pixel, and is
// null if no pixel of the image is masked. (`x`, `y`) is relative to the window's first pixel. The results are 0 where
// nothing was measured and libsep must be asked: for positions and sizes beyond a thousand million pixels.

/// The flux in the circle of radius `r` and its error, with parts of 1/5 pixel at the edge; as sep_sum_circle.
int skyfarm_sum_circle(
    const skyfarm_field *field, const uint8_t *mask, double x, double y, double r, double *flux, double *error,
    int16_t *flag);

/// An ellipse cxx x² + cyy y² + cxy x y = r², in units of its semi-axes if those of radius 1 are `a` and `b`.
typedef struct {
    double cxx, cyy, cxy, b, r;
} skyfarm_ellipse;

/// The flux in the ellipse and its error, of whole pixels; as sep_sum_ellipse. `b` and `r` are positive.
int skyfarm_sum_ellipse(
    const skyfarm_field *field, const uint8_t *mask, double x, double y, const skyfarm_ellipse *ellipse, double *flux,
    double *error, int16_t *flag);

/// The Kron radius of the pixels in the ellipse; as sep_kron_radius.
int skyfarm_kron_radius(
    const skyfarm_field *field, const uint8_t *mask, double x, double y, const skyfarm_ellipse *ellipse,
    double *radius, int16_t *flag);

#endif
