// Loops over the objects of an image, for skyfarm.sep: one call from Python measures many objects with SEP, and other
// threads run meanwhile. Built by scripts/package --wheel, and by the tests.
#include "aperture_box.h"
#include "photometry.h"

#include <math.h>
#include <stddef.h>

#include <sep.h>
#include <stdlib.h>
#include <string.h>

// An image as SEP takes it. Free it with `free`.
sep_image *skyfarm_image(const void *data, int dtype, const void *noise, int ndtype, short noise_type, double noiseval,
                         const void *mask, int mdtype, double maskthresh, const void *segmap, int w, int h,
                         double gain) {
    sep_image *image = calloc(1, sizeof *image);
    if (!image) return NULL;
    image->data = data;
    image->dtype = dtype;
    image->noise = noise;
    image->ndtype = ndtype;
    image->noise_type = noise_type;
    image->noiseval = noiseval;
    image->mask = mask;
    image->mdtype = mdtype;
    image->maskthresh = maskthresh;
    image->segmap = segmap;
    image->sdtype = SEP_TINT;
    image->w = w;
    image->h = h;
    image->gain = gain;
    return image;
}

// What every loop takes: parameters of the objects, columns of `n` values, and columns of results.
typedef struct {
    long n;
    const double *in[7];
    const int *id;
    double *out[3];
    short *flag;
} skyfarm_objects;

// SEP's status of an aperture with an impossible size.
enum { illegal_aperture = 6 };

enum { CIRCLE, CIRCULAR_ANNULUS, ELLIPSE, ELLIPTICAL_ANNULUS };

static int sum(const sep_image *image, int shape, const double *v, int id, int subpix, short inflag, double *flux,
               double *error, double *area, short *flag) {
    switch (shape) {
    case CIRCLE: return sep_sum_circle(image, v[0], v[1], v[2], id, subpix, inflag, flux, error, area, flag);
    case CIRCULAR_ANNULUS:
        return sep_sum_circann(image, v[0], v[1], v[2], v[3], id, subpix, inflag, flux, error, area, flag);
    case ELLIPSE:
        return sep_sum_ellipse(image, v[0], v[1], v[2], v[3], v[4], v[5], id, subpix, inflag, flux, error, area, flag);
    default:
        return sep_sum_ellipann(image, v[0], v[1], v[2], v[3], v[4], v[5], v[6], id, subpix, inflag, flux, error, area,
                                flag);
    }
}

static void gather(const skyfarm_objects *objects, long index, int count, double *values) {
    for (int column = 0; column < count; column++) values[column] = objects->in[column][index];
}

// Fluxes, errors and areas in apertures. Returns SEP's status.
int skyfarm_sums(const sep_image *image, const skyfarm_objects *objects, int shape, int columns, int subpix,
                 short inflag) {
    double values[7];
    for (long i = 0; i < objects->n; i++) {
        gather(objects, i, columns, values);
        int status = sum(image, shape, values, objects->id ? objects->id[i] : 0, subpix, inflag, objects->out[0] + i,
                         objects->out[1] + i, objects->out[2] + i, objects->flag + i);
        if (status) return status;
    }
    return 0;
}

// Kron radii. Columns: x, y, a, b, theta, r.
int skyfarm_kron_radii(const sep_image *image, const skyfarm_objects *objects) {
    double v[6], cxx, cyy, cxy;
    for (long i = 0; i < objects->n; i++) {
        gather(objects, i, 6, v);
        sep_ellipse_coeffs(v[2], v[3], v[4], &cxx, &cyy, &cxy);
        int status = sep_kron_radius(image, v[0], v[1], cxx, cyy, cxy, v[5], objects->id ? objects->id[i] : 0,
                                     objects->out[0] + i, objects->flag + i);
        if (status) return status;
    }
    return 0;
}

// The radius that contains half of the flux, or of `total` if that is not NULL, by Skyfarm's kernel: within the
// rounding of sums that of SEP, in a fraction of the time. NaN where the kernel leaves the answer to SEP.
static double half_flux_radius(const sep_image *image, const float *pixels, const double *v, const double *total,
                               short *flag) {
    double x = v[0], y = v[1], limit = v[2];
    if (!(limit > 0 && limit < 1e6 && fabs(x) < 1e9 && fabs(y) < 1e9)) return NAN;
    skyfarm_field field = {.width = image->w, .height = image->h};
    int16_t edges = 0;
    // SEP reads pixels up to this distance beyond the limit, and flags what the edges cut of them.
    const double beyond = 1.5;
    find_box(&field, x, y, limit + beyond, limit + beyond, &edges);
    *flag = edges;
    if (total) return skyfarm_flux_radius(pixels, 0, 0, image->w, image->h, x, y, limit, 0.5 * *total);
    return skyfarm_half_flux_radius(pixels, 0, 0, image->w, image->h, x, y, limit);
}

// Radii that contain `count` shares of the flux. Columns: x, y, rmax, and the total flux or NULL. `pixels` has the
// image's samples if neither a mask nor segments count, and the only share is 1/2; otherwise it is NULL.
int skyfarm_flux_radii(const sep_image *image, const skyfarm_objects *objects, const double *shares, int count,
                       int subpix, const float *pixels) {
    double v[3];
    for (long i = 0; i < objects->n; i++) {
        gather(objects, i, 3, v);
        const double *total = objects->in[3] ? objects->in[3] + i : NULL;
        if (!(v[2] > 0)) {
            // SEP crashes.
            if (v[2] != 0) return illegal_aperture;
            for (int share = 0; share < count; share++) objects->out[0][(size_t)i * count + share] = 0;
            objects->flag[i] = 0;
            continue;
        }
        if (pixels) {
            objects->out[0][i] = half_flux_radius(image, pixels, v, total, objects->flag + i);
            if (!isnan(objects->out[0][i])) continue;
        }
        int status = sep_flux_radius(image, v[0], v[1], v[2], objects->id ? objects->id[i] : 0, subpix, 0, total,
                                     shares, count, objects->out[0] + (size_t)i * count, objects->flag + i);
        if (status) return status;
    }
    return 0;
}

// Windowed positions. Columns: x, y, sigma.
int skyfarm_windowed(const sep_image *image, const skyfarm_objects *objects, int subpix) {
    double v[3];
    int iterations;
    for (long i = 0; i < objects->n; i++) {
        gather(objects, i, 3, v);
        int status = sep_windowed(image, v[0], v[1], v[2], subpix, 0, objects->out[0] + i, objects->out[1] + i,
                                  &iterations, objects->flag + i);
        if (status) return status;
    }
    return 0;
}

// Sets the elements in ellipses to 1. Columns: x, y, cxx, cyy, cxy, r.
void skyfarm_set_ellipses(unsigned char *array, int w, int h, const skyfarm_objects *objects) {
    double v[6];
    for (long i = 0; i < objects->n; i++) {
        gather(objects, i, 6, v);
        sep_set_ellipse(array, w, h, v[0], v[1], v[2], v[3], v[4], v[5], 1);
    }
}
