#ifndef SKYFARM_SEP_CLEANING_H
#define SKYFARM_SEP_CLEANING_H

// Columns of the objects of an image, in SEP's order.
typedef struct {
    long n;
    const double *x, *y;
    const float *a, *b, *cxx, *cyy, *cxy, *cflux, *thresh, *abcor, *mthresh;
    const int *npix;
} skyfarm_columns;

// SEP's cleaning: clears `survives` of objects that a neighbour's wing explains. Returns 1 if memory is exhausted.
int skyfarm_clean(const skyfarm_columns *s, double power, int w, int h, unsigned char *survives);

#endif
