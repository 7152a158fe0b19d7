// Rows of a background, and of what remains without it, by Skyfarm's kernel.
#include "background.h"
#include "sample_types.h"

#include <stdlib.h>
#include <string.h>

// A row of `width` samples less a row of the background, or that row if `source` is NULL, as in SEP: integers are
// rounded by adding 0.5 and leaving out what follows the point.
static void put(const float *background, const void *source, void *target, int kind, int width) {
    if (kind == sample_double) {
        const double *from = source;
        double *to = target;
        for (int x = 0; x < width; x++) to[x] = from ? from[x] - background[x] : background[x];
    } else if (kind == sample_int) {
        const int *from = source;
        int *to = target;
        for (int x = 0; x < width; x++) {
            int rounded = (int)(background[x] + 0.5);
            to[x] = from ? from[x] - rounded : rounded;
        }
    }
}

// Writes the rows `first` to `last` of a spline over meshes of `mesh_width` pixels into `target`, row by row, or
// subtracts them from `source` if that is not NULL. Both begin with row `first`, and may be the same memory. Returns 0
// if memory is exhausted, otherwise 1.
int skyfarm_background_rows(const skyfarm_spline *spline, int mesh_width, int width, int first, int last,
                            const void *source, void *target, int kind) {
    size_t bytes = (size_t)width * (kind == sample_double ? sizeof(double) : sizeof(float));
    skyfarm_spline_line *line = skyfarm_spline_line_open(spline->columns, mesh_width, 0, width);
    float *row = malloc(sizeof *row * (size_t)width);
    int result = line && row;
    for (int y = first; result && y < last; y++) {
        size_t offset = (size_t)(y - first) * bytes;
        const char *from = source ? (const char *)source + offset : NULL;
        char *to = (char *)target + offset;
        if (kind == sample_float) {
            result = skyfarm_spline_row(line, spline, y, (const float *)from, (float *)to);
        } else {
            result = skyfarm_spline_row(line, spline, y, NULL, row);
            put(row, from, to, kind, width);
        }
    }
    free(row);
    skyfarm_spline_line_close(line);
    return result;
}
