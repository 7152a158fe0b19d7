#ifndef CSKYFARM_H
#define CSKYFARM_H

#include <stddef.h>

/// True when `rand_r`, as every library of this process sees it, is the fixed draw of this target.
int skyfarm_draw_is_fixed(void);

/// The radius that holds half of the flux within `limit` pixels of a place, as `sep_flux_radius` defines it.
///
/// libsep sums 64 rings of equal width, each pixel in 5 x 5 parts, and interpolates in their running sum. Here the
/// running sum is computed at a few rings only, between which half of the flux is sought, and parts are counted only at
/// those rings' edges. Sums differ from libsep's in the last bits only; where those decide, as when the sum stays at
/// half of the flux over many rings, or where pixels below 0 could have the sum reach it more than once, the result is
/// NaN. No pixel within reach may be masked. In C, because it is a twentieth of a scan's time and an unoptimised Swift
/// build would spend most of its tests here.
double skyfarm_half_flux_radius(
    const float *pixels, int width, int height, double x, double y, double limit);

/// The greatest magnitude of `count` numbers; not a number if one of them is none. In C for the processor's vectors: all
/// pixels of an image are looked at twice.
float skyfarm_greatest_magnitude(const float *numbers, ptrdiff_t count);

/// Swaps the bytes of `count` floats from the order of FITS files, the most significant first, into the processor's, unless
/// that is the same. In C for the processor's vectors, as every pixel is read twice.
void skyfarm_swap_floats(float *numbers, ptrdiff_t count);

/// Has malloc keep freed memory, up to `total` bytes at the end of each thread's heap, and take buffers of up to
/// `buffer` bytes from it. Does nothing where malloc cannot be told so. In C, because Swift does not see mallopt.
void skyfarm_keep_freed_memory(int buffer, int total);

/// Has malloc give back to the system what was freed, if it can be told so.
void skyfarm_give_back_freed_memory(void);

/// A descriptor of the folder `path`, for skyfarm_open_beneath; -1 and errno if it is none.
int skyfarm_open_folder(const char *path);

/// Opens a regular file for reading by its relative `path` below `folder`, and follows no symbolic link on the way.
///
/// `path` may come from a stranger: with an empty, `.` or `..` component, and for anything but a regular file, which is
/// then not opened, the result is -1 and errno EACCES. In C for O_PATH, which Swift does not see.
int skyfarm_open_beneath(int folder, const char *path);

#endif
