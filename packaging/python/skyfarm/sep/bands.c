// What an image in bands of rows needs besides SEP: the islands to which objects belong, the cleaning of the objects of
// all bands, and a background of the meshes of all bands.
#include "cleaning.h"

#include <stddef.h>
#include <math.h>
#include <sep.h>
#include <stdlib.h>
#include <string.h>

// An island: objects whose pixels touch. Its key is its last pixel, the place of its objects in SEP's order.
typedef struct {
    int key_y, key_x, top, bottom;
} skyfarm_island;

static int root(int *parents, int object) {
    while (parents[object] != object) object = parents[object] = parents[parents[object]];
    return object;
}

static void join(int *parents, int object, int owner) {
    if (owner == 0 || owner == object + 1) return;
    int first = root(parents, object), second = root(parents, owner - 1);
    if (first < second) parents[second] = first;
    else parents[first] = second;
}

// The island of each object of a window of `w` x `h` pixels. Returns 1 if memory is exhausted.
int skyfarm_islands(const sep_catalog *c, int w, int h, skyfarm_island *islands) {
    int *map = calloc((size_t)w * h, sizeof *map), *parents = malloc((size_t)(c->nobj + 1) * sizeof *parents);
    if (!map || !parents) {
        free(map);
        free(parents);
        return 1;
    }
    for (int i = 0; i < c->nobj; i++) {
        parents[i] = i;
        islands[i] = (skyfarm_island){-1, -1, h, -1};
        for (int k = 0; k < c->npix[i]; k++) map[c->pix[i][k]] = i + 1;
    }
    for (int i = 0; i < c->nobj; i++) {
        for (int k = 0; k < c->npix[i]; k++) {
            int x = c->pix[i][k] % w, y = c->pix[i][k] / w;
            const int *here = map + c->pix[i][k];
            if (x + 1 < w) join(parents, i, here[1]);
            if (y + 1 < h) {
                if (x > 0) join(parents, i, here[w - 1]);
                join(parents, i, here[w]);
                if (x + 1 < w) join(parents, i, here[w + 1]);
            }
        }
    }
    for (int i = 0; i < c->nobj; i++) {
        skyfarm_island *island = islands + root(parents, i);
        for (int k = 0; k < c->npix[i]; k++) {
            int x = c->pix[i][k] % w, y = c->pix[i][k] / w;
            if (y > island->key_y || (y == island->key_y && x > island->key_x)) {
                island->key_y = y;
                island->key_x = x;
            }
            if (y < island->top) island->top = y;
            if (y > island->bottom) island->bottom = y;
        }
    }
    for (int i = 0; i < c->nobj; i++) islands[i] = islands[root(parents, i)];
    free(map);
    free(parents);
    return 0;
}

float skyfarm_filtered(const float *data, int w, int h, int pixel, const float *kernel, int kw, int kh) {
    if (!kernel) return data[pixel];
    int left = pixel % w - kw / 2, top = pixel / w - kh / 2;
    float sum = 0;
    for (int y = top < 0 ? -top : 0; y < kh && top + y < h; y++) {
        const float *line = data + (size_t)(top + y) * w;
        for (int x = left < 0 ? -left : 0; x < kw && left + x < w; x++) sum += kernel[y * kw + x] * line[left + x];
    }
    return sum;
}

static int ascending(const void *a, const void *b) {
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

// SEP's heap of the `count` highest values, with its peculiarity of sifting down one place too far.
static void replace_lowest(float *heap, int count, float value) {
    heap[0] = value;
    for (int place = 0; 2 * (place + 1) <= count;) {
        int next = 2 * (place + 1), child = next - 1;
        if (next != count && heap[next - 1] > heap[next]) child = next++;
        if (heap[place] <= heap[child]) return;
        float kept = heap[place];
        heap[place] = heap[child];
        heap[child] = kept;
        place = next;
    }
}

// What SEP's cleaning needs of each object and does not return: the correction `abcor` of its profile's width, and
// `mthresh`, the excess over the threshold that `minarea` of its pixels reach. `kernel` is normalized, or NULL.
// Returns 1 if memory is exhausted.
int skyfarm_clean_inputs(const sep_catalog *c, const float *data, int w, int h, const float *kernel, int kw, int kh,
                         float threshold, int minarea, float *abcor, float *mthresh) {
    float *heap = malloc((size_t)minarea * sizeof *heap);
    if (!heap) return 1;
    for (int i = 0; i < c->nobj; i++) {
        double low = c->thresh[i], half = (low + c->peak[i]) / 2, ratio = low / half;
        long above = 0, above_half = 0;
        mthresh[i] = 0;
        for (int k = 0; k < c->npix[i]; k++) {
            int pixel = c->pix[i][k];
            above += data[pixel] > low;
            above_half += data[pixel] > half;
            if (c->npix[i] < minarea) continue;
            float excess = skyfarm_filtered(data, w, h, pixel, kernel, kw, kh) - threshold;
            if (k < minarea) heap[k] = excess;
            else if (k == minarea) qsort(heap, (size_t)minarea, sizeof *heap, ascending);
            else if (excess > heap[0]) replace_lowest(heap, minarea, excess);
        }
        if (c->npix[i] >= minarea) mthresh[i] = heap[0];
        abcor[i] = 1;
        if (ratio > 0) {
            double difference = (double)above_half - (double)above;
            double area = 2 * M_PI * log(ratio < 1 ? ratio : 0.99) * c->a[i] * c->b[i];
            float value = (float)((difference < 0 ? difference : -1) / area);
            abcor[i] = value > 1 ? 1 : value;
        }
    }
    free(heap);
    return 0;
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

// The pixels of all objects of a window, one object after another, as offsets in the image.
void skyfarm_pixels(const sep_catalog *c, long long offset, long long *pixels) {
    for (int i = 0; i < c->nobj; i++)
        for (int k = 0; k < c->npix[i]; k++) *pixels++ = c->pix[i][k] + offset;
}

// The meshes of a background, before the filter if that is of one mesh.
void skyfarm_meshes(const sep_bkg *background, float *back, float *sigma) {
    memcpy(back, background->back, (size_t)background->n * sizeof *back);
    memcpy(sigma, background->sigma, (size_t)background->n * sizeof *sigma);
}

static float *copied(const float *values, int count) {
    float *copy = malloc((size_t)count * sizeof *copy);
    if (copy) memcpy(copy, values, (size_t)count * sizeof *copy);
    return copy;
}

// The background of an image of `w` x `h` pixels whose filtered meshes are the levels of two backgrounds, of level and
// of noise. Free it with sep_bkg_free. Returns NULL if memory is exhausted.
sep_bkg *skyfarm_background(int w, int h, int bw, int bh, const sep_bkg *level, const sep_bkg *noise) {
    sep_bkg *result = calloc(1, sizeof *result);
    if (!result) return NULL;
    *result = (sep_bkg){w, h, bw, bh, level->nx, level->ny, level->n, level->global, noise->global,
                        copied(level->back, level->n), copied(level->dback, level->n),
                        copied(noise->back, level->n), copied(noise->dback, level->n)};
    if (result->back && result->dback && result->sigma && result->dsigma) return result;
    sep_bkg_free(result);
    return NULL;
}
