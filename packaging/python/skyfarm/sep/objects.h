#ifndef SKYFARM_SEP_OBJECTS_H
#define SKYFARM_SEP_OBJECTS_H

#include <stddef.h>

#pragma pack(push, 1)
// An object as Python's sep returns it.
typedef struct {
    double thresh;
    long long npix, tnpix, xmin, xmax, ymin, ymax;
    double x, y, x2, y2, xy, errx2, erry2, errxy, a, b, theta, cxx, cyy, cxy, cflux, flux, cpeak, peak;
    long long xcpeak, ycpeak, xpeak, ypeak;
    short flag;
} skyfarm_object;
#pragma pack(pop)

// The columns that SEP's catalogue, the kernel's sources and these objects have in common.
#define SKYFARM_COLUMNS(apply)                                                                                         \
    apply(thresh) apply(npix) apply(tnpix) apply(xmin) apply(xmax) apply(ymin) apply(ymax) apply(x) apply(y) apply(x2) \
    apply(y2) apply(xy) apply(errx2) apply(erry2) apply(errxy) apply(a) apply(b) apply(theta) apply(cxx) apply(cyy)    \
    apply(cxy) apply(cflux) apply(flux) apply(cpeak) apply(peak) apply(xcpeak) apply(ycpeak) apply(xpeak) apply(ypeak) \
    apply(flag)

#endif
