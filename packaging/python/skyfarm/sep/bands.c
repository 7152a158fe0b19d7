// For an image in bands of rows: the objects and islands of a window, which Skyfarm's kernel extracts, and the cleaning
// of the objects of all bands.
#include "cleaning.h"
#include "extraction.h"
#include "objects.h"

#include <stddef.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// An island: objects whose pixels touch. Its key is its last pixel, the place of its objects in SEP's order.
typedef struct {
    int key_y, key_x, top, bottom;
} skyfarm_island;

int skyfarm_source_count(const skyfarm_sources *s) { return s->count; }

// The objects of a window of `width` columns, what their cleaning needs, and the island of each. Rows are those of the
// image, in which the window begins at `top`.
void skyfarm_source_columns(const skyfarm_sources *s, int width, int top, skyfarm_object *objects, float *abcor,
                            float *mthresh, skyfarm_island *islands) {
    size_t place = 0;
    for (int island = 0, i = 0; island < s->island_count; island++) {
        skyfarm_island found = {-1, -1, s->ymin[i], s->ymax[i]};
        int first = i, last = -1;
        for (; i < s->island_end[island]; i++) {
            if (s->ymin[i] < found.top) found.top = s->ymin[i];
            if (s->ymax[i] > found.bottom) found.bottom = s->ymax[i];
            for (int k = 0; k < s->npix[i]; k++, place++)
                if (s->pixels[place] > last) last = s->pixels[place];
        }
        found = (skyfarm_island){last / width + top, last % width, found.top + top, found.bottom + top};
        for (int object = first; object < i; object++) islands[object] = found;
    }
    for (int i = 0; i < s->count; i++) {
#define PUT(column) objects[i].column = s->column[i];
        SKYFARM_COLUMNS(PUT)
        objects[i].ymin += top, objects[i].ymax += top, objects[i].ycpeak += top, objects[i].ypeak += top;
        abcor[i] = s->abcor[i], mthresh[i] = s->mthresh[i];
    }
}

// The `count` pixels of all objects of a window, one object after another, as offsets in the image.
void skyfarm_source_pixels(const skyfarm_sources *s, size_t count, long long offset, long long *pixels) {
    for (size_t k = 0; k < count; k++) pixels[k] = s->pixels[k] + offset;
}

typedef struct {
    double amplitude, alpha;
} profile;

static int swallows(const skyfarm_columns *s, const profile *profiles, double power, long i, float dx, float dy,
                    float limit) {
    double value = 1 + profiles[i].alpha * (double)(s->cxx[i] * dx * dx + s->cyy[i] * dy * dy + s->cxy[i] * dx * dy);
    return value > 1 && (float)(value < 1e10 ? profiles[i].amplitude * pow(value, -power) : 0) > limit;
}

enum { CELL = 64 };
// SEP's reach, in units of the sum of two semi-major axes.
static const double zone = 10;

// SEP compares all pairs; here an object is compared with those of the cells within reach.
int skyfarm_clean(const skyfarm_columns *s, double power, int w, int h, unsigned char *survives) {
    int columns = w / CELL + 1, rows = h / CELL + 1, result = 1;
    size_t cells = (size_t)columns * rows;
    long *starts = calloc(cells + 2, sizeof *starts), *members = malloc((size_t)(s->n + 1) * sizeof *members);
    float *largest = calloc(cells, sizeof *largest), most = 0;
    profile *profiles = malloc((size_t)(s->n + 1) * sizeof *profiles);
    if (!starts || !members || !largest || !profiles) goto end;
    #define COLUMN(i) ((int)fmin(fmax(s->x[i] / CELL, 0), columns - 1))
    #define ROW(i) ((int)fmin(fmax(s->y[i] / CELL, 0), rows - 1))
    for (long i = 0; i < s->n; i++) {
        size_t cell = (size_t)ROW(i) * columns + COLUMN(i);
        starts[cell + 2]++;
        if (s->a[i] > largest[cell]) largest[cell] = s->a[i];
        if (s->a[i] > most) most = s->a[i];
        double area = M_PI * (double)s->a[i] * (double)s->b[i];
        profiles[i].amplitude = s->cflux[i] / (2 * area * s->abcor[i]);
        profiles[i].alpha = (pow(profiles[i].amplitude / s->thresh[i], 1 / power) - 1) * area / s->npix[i];
        survives[i] = 1;
    }
    for (size_t cell = 2; cell < cells + 2; cell++) starts[cell] += starts[cell - 1];
    for (long i = 0; i < s->n; i++) members[starts[(size_t)ROW(i) * columns + COLUMN(i) + 1]++] = i;
    for (long i = 0; i < s->n; i++) {
        if (!survives[i]) continue;
        int span = (int)(zone * (s->a[i] + most) / CELL) + 1, column = COLUMN(i), row = ROW(i);
        for (int cy = row - span < 0 ? 0 : row - span; cy <= row + span && cy < rows; cy++) {
            for (int cx = column - span < 0 ? 0 : column - span; cx <= column + span && cx < columns; cx++) {
                size_t cell = (size_t)cy * columns + cx;
                double gap = CELL * (fmax(abs(cx - column), abs(cy - row)) - 1);
                if (starts[cell] == starts[cell + 1] || gap > zone * (s->a[i] + largest[cell]) * 1.01) continue;
                for (long k = starts[cell]; k < starts[cell + 1]; k++) {
                    long j = members[k];
                    if (j <= i || !survives[j]) continue;
                    float dx = (float)(s->x[i] - s->x[j]), dy = (float)(s->y[i] - s->y[j]);
                    float reach = s->a[i] + s->a[j];
                    reach *= reach;
                    if ((double)(dx * dx + dy * dy) > (double)reach * zone * zone) continue;
                    if (s->cflux[j] < s->cflux[i]) {
                        if (swallows(s, profiles, power, i, dx, dy, s->mthresh[j])) survives[j] = 0;
                    } else if (swallows(s, profiles, power, j, dx, dy, s->mthresh[i])) {
                        // As in SEP, an object that is removed here is still compared with its other neighbours.
                        survives[i] = 0;
                    }
                }
            }
        }
    }
    result = 0;
end:
    free(starts);
    free(members);
    free(largest);
    free(profiles);
    return result;
}
