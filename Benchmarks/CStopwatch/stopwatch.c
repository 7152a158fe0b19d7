// For RTLD_NEXT.
#define _GNU_SOURCE
#include "CStopwatch.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>

#include <sep.h>

// These definitions interpose those of libsep, because symbol look-up begins with the executable. Each
// calls the library's function and adds its duration, so that the product needs no timers.

static _Atomic long long background_time, extract_time, measure_time, read_time;

static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

#define TIMED(total, result, name, declaration, arguments)                                                       \
    result name declaration {                                                                                    \
        static _Atomic(result(*) declaration) cached;                                                            \
        result(*next) declaration = atomic_load_explicit(&cached, memory_order_acquire);                         \
        if (next == NULL) {                                                                                      \
            next = (result(*) declaration)dlsym(RTLD_NEXT, #name);                                               \
            atomic_store_explicit(&cached, next, memory_order_release);                                          \
        }                                                                                                        \
        long long start = now();                                                                                 \
        result value = next arguments;                                                                           \
        atomic_fetch_add_explicit(&total, now() - start, memory_order_relaxed);                                  \
        return value;                                                                                            \
    }

TIMED(background_time, int, sep_background,
      (const sep_image *image, int bw, int bh, int fw, int fh, double threshold, sep_bkg **background),
      (image, bw, bh, fw, fh, threshold, background))
TIMED(background_time, int, sep_bkg_subline, (const sep_bkg *background, int y, void *line, int type),
      (background, y, line, type))
TIMED(background_time, int, sep_bkg_rmsline, (const sep_bkg *background, int y, void *line, int type),
      (background, y, line, type))
TIMED(extract_time, int, sep_extract,
      (const sep_image *image, float threshold, int type, int area, const float *kernel, int kw, int kh, int filter,
       int levels, double contrast, int clean, double parameter, sep_catalog **catalog),
      (image, threshold, type, area, kernel, kw, kh, filter, levels, contrast, clean, parameter, catalog))
TIMED(measure_time, int, sep_kron_radius,
      (const sep_image *image, double x, double y, double cxx, double cyy, double cxy, double r, int id, double *radius,
       short *flag),
      (image, x, y, cxx, cyy, cxy, r, id, radius, flag))
TIMED(measure_time, int, sep_sum_ellipse,
      (const sep_image *image, double x, double y, double a, double b, double theta, double r, int id, int subpixels,
       short flags, double *sum, double *error, double *area, short *flag),
      (image, x, y, a, b, theta, r, id, subpixels, flags, sum, error, area, flag))
TIMED(measure_time, int, sep_sum_circle,
      (const sep_image *image, double x, double y, double r, int id, int subpixels, short flags, double *sum,
       double *error, double *area, short *flag),
      (image, x, y, r, id, subpixels, flags, sum, error, area, flag))
TIMED(measure_time, int, sep_flux_radius,
      (const sep_image *image, double x, double y, double limit, int id, int subpixels, short flags,
       const double *total, const double *shares, int count, double *radii, short *flag),
      (image, x, y, limit, id, subpixels, flags, total, shares, count, radii, flag))
// CFITSIO's reading of 32-bit floats from a plain image; their bytes are swapped elsewhere. The linker (--wrap) directs
// calls from everywhere to this function, also if the library is linked statically.
int __real_ffgtbb(void *file, long long row, long long byte, long long count, unsigned char *bytes, int *status);

int __wrap_ffgtbb(void *file, long long row, long long byte, long long count, unsigned char *bytes, int *status) {
    long long start = now();
    int value = __real_ffgtbb(file, row, byte, count, bytes, status);
    atomic_fetch_add_explicit(&read_time, now() - start, memory_order_relaxed);
    return value;
}

void stopwatch_reset(void) {
    background_time = extract_time = measure_time = read_time = 0;
}

stopwatch_times stopwatch_read(void) {
    return (stopwatch_times){background_time, extract_time, measure_time, read_time};
}
