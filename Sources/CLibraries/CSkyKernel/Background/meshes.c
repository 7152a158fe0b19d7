#include "background.h"

#include "for_each_processor.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#pragma STDC FP_CONTRACT OFF

#define inlined static inline __attribute__((always_inline))

// Sums must be taken pixel by pixel to have SEP's last bits. Several meshes side by side give the processor as many
// independent sums.
enum { abreast = 8, most_levels = 4096 };

static const float no_value = -1e30f;

// Meshes side by side: the first one's first pixel, and their size.
typedef struct {
    const float *pixels;
    const uint8_t *mask;
    size_t stride;
    int count, width, height;
} mesh_row;

typedef struct {
    double sum[abreast], squares[abreast];
    int pixels[abreast];
} moments;

// Sums over the usable pixels between two cuts. Other pixels add 0, which changes no sum.
inlined moments sums(const mesh_row *m, const float *low, const float *high, bool has_cuts, bool all_usable, int count) {
    moments result = {0};
    double sum[abreast] = {0}, squares[abreast] = {0};
    int pixels[abreast] = {0};
    for (int y = 0; y < m->height; y++) {
        const float *line = m->pixels + (size_t)y * m->stride;
        const uint8_t *mask = m->mask ? m->mask + (size_t)y * m->stride : NULL;
        for (int x = 0; x < m->width; x++)
            for (int mesh = 0; mesh < count; mesh++) {
                float value = line[mesh * m->width + x];
                bool counts = all_usable || ((!mask || mask[mesh * m->width + x] == 0) && (has_cuts || value > no_value));
                if (has_cuts) counts = counts & (value <= high[mesh]) & (value >= low[mesh]);
                double pixel = counts ? value : 0;
                sum[mesh] += pixel;
                squares[mesh] += pixel * pixel;
                pixels[mesh] += counts;
            }
    }
    memcpy(result.sum, sum, sizeof sum);
    memcpy(result.squares, squares, sizeof squares);
    memcpy(result.pixels, pixels, sizeof pixels);
    return result;
}

// Constant numbers of meshes let the compiler keep the sums in registers.
inlined moments sums_of(const mesh_row *m, const float *low, const float *high, bool has_cuts, bool all_usable) {
    if (m->count == abreast)
        return all_usable ? sums(m, low, high, has_cuts, true, abreast) : sums(m, low, high, has_cuts, false, abreast);
    return sums(m, low, high, has_cuts, all_usable, m->count);
}

// The histogram of a mesh, its cumulative sums and the bins of a row of pixels.
typedef struct {
    uint32_t counts[most_levels + 1];
    uint64_t below[most_levels + 1];
    int levels;
    float zero, scale, mean, sigma;
    int bins[];
} histogram;

inlined void fill(histogram *h, const mesh_row *m, int mesh) {
    memset(h->counts, 0, sizeof(uint32_t) * (size_t)h->levels);
    float scale = h->scale, offset = (float)(0.499999 - h->zero / h->scale);
    for (int y = 0; y < m->height; y++) {
        const float *line = m->pixels + (size_t)y * m->stride + (size_t)mesh * m->width;
        const uint8_t *mask = m->mask ? m->mask + (size_t)y * m->stride + (size_t)mesh * m->width : NULL;
        for (int x = 0; x < m->width; x++) {
            float place = line[x] / scale + offset;
            // Not an integer beyond these limits, nor if it is NaN.
            h->bins[x] = place > -1.0f && place < (float)h->levels ? (int)place : h->levels;
        }
        if (mask)
            for (int x = 0; x < m->width; x++) h->bins[x] = mask[x] ? h->levels : h->bins[x];
        for (int x = 0; x < m->width; x++) h->counts[h->bins[x]]++;
    }
    uint64_t below = 0;
    for (int bin = 0; bin < h->levels; bin++) {
        h->below[bin] = below;
        below += h->counts[bin];
    }
    h->below[h->levels] = below;
}

// Sums over a range of bins: of the bins' numbers and of their squares. They are integers below 2^53, so that the order
// does not matter.
typedef struct {
    int first, last;
    int64_t numbers, squares;
} range_sums;

static void add_bins(const histogram *h, range_sums *s, int first, int end, int sign) {
    int64_t numbers = 0, squares = 0;
    for (int64_t bin = first; bin < end; bin++) {
        int64_t product = h->counts[bin] * bin;
        numbers += product;
        squares += product * bin;
    }
    s->numbers += sign * numbers;
    s->squares += sign * squares;
}

// Moves the range's ends; most of it usually stays.
static void move_to(const histogram *h, range_sums *s, int first, int last) {
    if (first > s->last || last < s->first) {
        *s = (range_sums){.first = first, .last = first - 1};
    }
    if (first < s->first) add_bins(h, s, first, s->first, 1);
    if (first > s->first) add_bins(h, s, s->first, first, -1);
    s->first = first;
    if (last > s->last) add_bins(h, s, s->last + 1, last + 1, 1);
    if (last < s->last) add_bins(h, s, last + 1, s->last + 1, -1);
    s->last = last;
}

// The median of a range of bins. SEP adds bins from both ends, always on the side with the smaller sum, until they meet.
// They meet at the first bin up to which the lower sum is not less than the sum of the bins above it.
static double median(const histogram *h, int first, int last) {
    uint64_t ends = h->below[first] + h->below[last + 1];
    int low = first, high = last;
    while (low < high) {
        int middle = (low + high) / 2;
        if (h->below[middle] + h->below[middle + 1] >= ends)
            high = middle;
        else
            low = middle + 1;
    }
    if (low < 1) return 0;
    uint64_t below = h->below[low] - h->below[first], above = h->below[last + 1] - h->below[low];
    int one = (int)h->counts[low], other = (int)h->counts[low - 1];
    return (low - 1) + 0.5 + ((double)above - (double)below) / (2.0 * (one > other ? one : other));
}

static int rounded(double value) { return (int)(value > 0.0 ? value + 0.5 : value - 0.5); }

// SExtractor's estimate: the histogram is clipped at 3 sigma around its median until sigma converges; then the mode, or
// the median in a crowded mesh.
static void estimate(const histogram *h, float *level, float *noise) {
    int last = h->levels - 1, low = 0, high = last;
    double sigma = 10.0 * last, before = 1.0, mean = h->mean, middle = mean;
    range_sums s = {.first = 0, .last = -1};
    for (int round = 100; round > 0 && sigma >= 0.1 && fabs(sigma / before - 1.0) > 1e-4; round--) {
        before = sigma;
        mean = sigma = 0.0;
        uint64_t count = 0;
        if (low <= high) {
            move_to(h, &s, low, high);
            count = h->below[high + 1] - h->below[low];
            mean = (double)s.numbers;
            sigma = (double)s.squares;
            middle = median(h, low, high);
        } else {
            // SEP reads the bins beyond the ends of the empty range.
            int one = (int)h->counts[low], other = (int)h->counts[high];
            middle = high + 0.5 + 0.0 / (2.0 * (one > other ? one : other));
        }
        if (count > 0) {
            mean /= (double)count;
            sigma = sigma / (double)count - mean * mean;
        }
        sigma = sigma > 0.0 ? sqrt(sigma) : 0.0;
        double bound = middle - 3.0 * sigma;
        low = bound > 0.0 ? rounded(bound) : 0;
        bound = middle + 3.0 * sigma;
        high = bound < last ? rounded(bound) : last;
    }
    double place = mean;
    if (fabs(sigma) > 0.0) place = fabs((mean - middle) / sigma) < 0.3 ? 2.5 * middle - 1.5 * mean : middle;
    *level = (float)(h->zero + place * h->scale);
    *noise = (float)(sigma * h->scale);
}

// Measures up to `abreast` meshes.
for_each_processor
static void measure(const mesh_row *m, bool all_usable, histogram *h, float *levels, float *noises) {
    float low[abreast], high[abreast];
    moments all = sums_of(m, low, high, false, all_usable);
    for (int mesh = 0; mesh < m->count; mesh++) {
        double mean = all.sum[mesh] / all.pixels[mesh], variance = all.squares[mesh] / all.pixels[mesh] - mean * mean;
        double sigma = variance > 0.0 ? sqrt(variance) : 0.0;
        low[mesh] = (float)(mean - 2.0 * sigma);
        high[mesh] = (float)(mean + 2.0 * sigma);
    }
    moments clipped = sums_of(m, low, high, true, all_usable);
    for (int mesh = 0; mesh < m->count; mesh++) {
        if ((float)all.pixels[mesh] < (float)(m->width * m->height * 0.5)) {
            levels[mesh] = noises[mesh] = no_value;
            continue;
        }
        int pixels = clipped.pixels[mesh];
        double mean = clipped.sum[mesh] / pixels, variance = clipped.squares[mesh] / pixels - mean * mean;
        double sigma = variance > 0.0 ? sqrt(variance) : 0.0;
        // 5 sigma on either side, and on average 4 pixels in the highest bin of a normal distribution.
        double wanted = sqrt(2 / M_PI) * 5 / 4 * pixels + 1;
        h->levels = wanted < most_levels ? (int)wanted : most_levels;
        h->scale = sigma > 0.0 ? (float)(10 * sigma / h->levels) : 1;
        h->zero = (float)(mean - 5 * sigma);
        h->mean = (float)mean;
        fill(h, m, mesh);
        estimate(h, &levels[mesh], &noises[mesh]);
    }
}

int skyfarm_measure_meshes(
    const float *pixels, const uint8_t *mask, int all_usable, int width, int height, int mesh_width, int mesh_height,
    float *levels, float *noises
) {
    histogram *h = malloc(sizeof *h + sizeof *h->bins * (size_t)(width < mesh_width ? width : mesh_width));
    if (!h) return 0;
    for (int y = 0; y < height; y += mesh_height)
        for (int x = 0; x < width;) {
            int full = (width - x) / mesh_width;
            size_t first = (size_t)y * width + x;
            mesh_row m = {
                .pixels = pixels + first, .mask = mask ? mask + first : NULL, .stride = (size_t)width,
                .count = full > abreast ? abreast : full > 0 ? full : 1, .width = full > 0 ? mesh_width : width - x,
                .height = height - y < mesh_height ? height - y : mesh_height};
            measure(&m, all_usable, h, levels, noises);
            levels += m.count, noises += m.count;
            x += m.count * m.width;
        }
    free(h);
    return 1;
}
