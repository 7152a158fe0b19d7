#ifndef SKYFARM_APERTURES_H
#define SKYFARM_APERTURES_H

#include "extraction.h"

#include <stdbool.h>
#include <stdint.h>

// Apertures over a window, by libsep's operations in libsep's order: the same bits. `mask` has a byte per pixel, and is
// null if no pixel of the image is masked. (`x`, `y`) is relative to the window's first pixel. A position or size that is
// no number, or beyond 2^31, holds no pixel, as in libsep on x86-64.

/// The flux in an aperture.
typedef struct {
    /// With a mask, that of the pixels that are not masked, scaled to the aperture's area; NaN if there are none.
    double flux;
    /// Its error, and that without the photons of the source.
    double error, noise;
    /// SEP's flags.
    int16_t flag;
    /// Whether the aperture holds no part of a pixel.
    bool is_empty;
} skyfarm_flux;

/// The flux in the circle of radius `r`, not below 0, with parts of 1/5 pixel at the edge; as sep_sum_circle.
skyfarm_flux skyfarm_sum_circle(const skyfarm_field *field, const uint8_t *mask, double x, double y, double r);

/// An ellipse cxx x² + cyy y² + cxy x y = r², in units of its semi-axes. That of radius 1 has the minor semi-axis `b`.
typedef struct {
    double cxx, cyy, cxy, b;
} skyfarm_ellipse;

/// The ellipse with these semi-axes in pixels, whose major axis is at `theta` radians from the x axis; as
/// sep_ellipse_coeffs.
skyfarm_ellipse skyfarm_ellipse_of(double a, double b, double theta);

/// The flux in the ellipse of whole pixels; as sep_sum_ellipse. `b` and `r` are positive.
skyfarm_flux skyfarm_sum_ellipse(
    const skyfarm_field *field, const uint8_t *mask, double x, double y, const skyfarm_ellipse *ellipse, double r);

/// A Kron radius in units of the semi-axes, 0 if there is none, and SEP's flags.
typedef struct {
    double radius;
    int16_t flag;
} skyfarm_kron;

/// The Kron radius of the pixels in the ellipse of radius `r`; as sep_kron_radius.
skyfarm_kron skyfarm_kron_radius(
    const skyfarm_field *field, const uint8_t *mask, double x, double y, const skyfarm_ellipse *ellipse, double r);

#endif
