#ifndef SKYFARM_PHOTOMETRY_H
#define SKYFARM_PHOTOMETRY_H

#include "apertures.h"

/// The radius in pixels that encloses half of the flux within `limit` pixels of (`x`, `y`), as `sep_flux_radius`
/// defines it. `pixels` are those of a window with its first pixel at (`left`, `top`), and all positions are those of the
/// image: no bit depends on the window.
///
/// libsep sums 64 rings of equal width, each pixel in 5 x 5 parts, and interpolates in their cumulative sum. This
/// function computes the cumulative sum at a few rings only, by bracketing half of the flux, and divides pixels into
/// parts only at the edges of those rings. Sums differ from libsep's in the last bits only. Where those bits decide
/// (the sum stays at half of the flux over many rings, or negative pixels could make it cross more than once) the
/// result is NaN, and skyfarm_ring_radius decides. No pixel within `limit` may be masked. In C, because it takes 5 % of a scan's time, and tests of an
/// unoptimised Swift version would spend most of their time in it.
double skyfarm_half_flux_radius(
    const float *pixels, int left, int top, int width, int height, double x, double y, double limit);

/// The radius in pixels at which the flux first reaches `target`; the other arguments are as above. NaN where
/// skyfarm_ring_radius must compute it: also where the flux is not reached.
double skyfarm_flux_radius(
    const float *pixels, int left, int top, int width, int height, double x, double y, double limit, double target);

/// The radius in pixels at which the flux first reaches `target`, or half of the flux within `limit` if that is NULL; by
/// sums over all 64 rings, as sep_flux_radius has them: the same bits. Masked parts of a ring count like its others.
/// `limit` is positive; `mask` and the position are as those of apertures.
double skyfarm_ring_radius(
    const skyfarm_field *field, const uint8_t *mask, double x, double y, double limit, const double *target);

/// The share of the 11 x 11 parts of a pixel that lie within `limit` of a centre from which the pixel's centre is
/// (`dx`, `dy`) away: those with x² + y² < limit² at x = dx + (i + 0.5) / 11 - 0.5 and y likewise. In C for vector
/// instructions: windowed positions spent most of their time in it.
double skyfarm_disc_share(double dx, double dy, double limit);

#endif
