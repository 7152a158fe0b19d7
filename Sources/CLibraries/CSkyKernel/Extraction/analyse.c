#include "extraction_steps.h"

#include "elementary.h"

#include <math.h>
#include <stdlib.h>

#pragma STDC FP_CONTRACT OFF

static const double pi = 3.14159265358979323846;

void measure_extent(const pixel_list *list, measures *m) {
    double sum = 0;
    float peak = -1e30f, smooth_peak = -1e30f;
    int best = -1, smooth_best = -1, xmin = list->x[0], xmax = 0, ymin = list->y[0], ymax = 0;
    for (int index = 0; index < list->count; index++) {
        float smooth = list->smooth[index], value = list->value[index];
        if (peak < value) peak = value, best = index;
        if (smooth_peak < smooth) smooth_peak = smooth, smooth_best = index;
        sum += smooth;
        int x = list->x[index], y = list->y[index];
        xmin = x < xmin ? x : xmin, xmax = x > xmax ? x : xmax;
        ymin = y < ymin ? y : ymin, ymax = y > ymax ? y : ymax;
    }
    m->npix = list->count;
    m->cflux = (float)sum;
    m->peak = peak, m->xpeak = best < 0 ? 0 : list->x[best], m->ypeak = best < 0 ? 0 : list->y[best];
    m->cpeak = smooth_peak;
    m->xcpeak = smooth_best < 0 ? 0 : list->x[smooth_best], m->ycpeak = smooth_best < 0 ? 0 : list->y[smooth_best];
    m->xmin = xmin, m->xmax = xmax, m->ymin = ymin, m->ymax = ymax;
}

typedef struct {
    double x, y, x2, y2, xy;
} moments;

// Errors of the barycentre from the variance of the pixels. `centre` is relative to the box.
static void measure_errors(
    const skyfarm_field *field, const pixel_list *list, measures *m, double gain, moments centre, double *variance
) {
    double sum = 0, x2 = 0, y2 = 0, xy = 0;
    for (int index = 0; index < list->count; index++) {
        int x = list->x[index] - m->xmin, y = list->y[index] - m->ymin;
        float own = field->global_variance;
        if (field->noise) {
            float noise = field->noise[(size_t)list->y[index] * field->width + list->x[index]];
            own = noise * noise;
        }
        double pixel = own;
        if (gain > 0.0) {
            float smooth = list->smooth[index];
            if (smooth > 0.0) pixel += smooth / gain;
        }
        sum += pixel;
        x2 += pixel * (x - centre.x) * (x - centre.x);
        y2 += pixel * (y - centre.y) * (y - centre.y);
        xy += pixel * (x - centre.x) * (y - centre.y);
    }
    *variance = sum;
    m->errx2 = x2, m->erry2 = y2, m->errxy = xy;
}

// Sets axes and ellipse from the second moments, whose determinant is given.
static void set_ellipse(measures *m, double determinant) {
    double difference = m->x2 - m->y2;
    double theta = fabs(difference) > 0.0 ? skyfarm_atan2(2.0 * m->xy, difference) / 2.0 : pi / 4.0;
    double root = sqrt(0.25 * difference * difference + m->xy * m->xy), mean = 0.5 * (m->x2 + m->y2);
    m->a = (float)skyfarm_number(sqrt(mean + root));
    m->b = (float)skyfarm_number(sqrt(mean - root));
    m->theta = (float)theta;
    m->cxx = (float)(m->y2 / determinant);
    m->cyy = (float)(m->x2 / determinant);
    m->cxy = (float)(-2 * m->xy / determinant);
}

// SExtractor's correction of a profile's amplitude, from the areas above the threshold and above half of the peak.
static float amplitude_correction(const measures *m, double half, int area_above_half) {
    double difference = (double)area_above_half - m->tnpix, ratio = m->thresh / half;
    if (!(ratio > 0.0)) return 1;
    double area = 2 * pi * skyfarm_log(ratio < 1.0 ? ratio : 0.99) * m->a * m->b;
    float correction = (float)((difference < 0.0 ? difference : -1.0) / area);
    return correction > 1.0f ? 1 : correction;
}

void measure_shape(const skyfarm_field *field, const pixel_list *list, measures *m, bool keeps_centre, double gain) {
    moments sum = {0};
    double flux = 0, threshold = m->thresh, half = (threshold + m->peak) / 2.0;
    int above = 0, above_half = 0;
    for (int index = 0; index < list->count; index++) {
        int x = list->x[index] - m->xmin, y = list->y[index] - m->ymin;
        float smooth = list->smooth[index], value = list->value[index];
        flux += value;
        above += value > threshold;
        above_half += value > half;
        // Products in single precision, sums in double.
        sum.x += smooth * x;
        sum.y += smooth * y;
        sum.x2 += smooth * x * x;
        sum.y2 += smooth * y * y;
        sum.xy += smooth * x * y;
    }
    double total = m->cflux, xm = sum.x / total, ym = sum.y / total;
    // The box's corner in the image, to which barycentres are relative.
    int left = m->xmin + field->x, top = m->ymin + field->y;
    if (keeps_centre && m->flag & flag_merged) {
        double x = m->x - left, y = m->y - top;
        m->x2 = sum.x2 / total + x * x - 2 * xm * x;
        m->y2 = sum.y2 / total + y * y - 2 * ym * y;
        m->xy = sum.xy / total + x * y - xm * y - x * ym;
        xm = x, ym = y;
    } else {
        m->x2 = sum.x2 / total - xm * xm;
        m->y2 = sum.y2 / total - ym * ym;
        m->xy = sum.xy / total - xm * ym;
    }
    double variance, square = total * total;
    measure_errors(field, list, m, gain, (moments){.x = xm, .y = ym}, &variance);
    m->errx2 = skyfarm_number(m->errx2 / square), m->erry2 = skyfarm_number(m->erry2 / square);
    m->errxy = skyfarm_number(m->errxy / square);
    double determinant = m->x2 * m->y2 - m->xy * m->xy;
    if (determinant < 0.00694) {
        // Pixels on a line: the moments of a pixel are added.
        m->x2 += 0.0833333, m->y2 += 0.0833333;
        determinant = m->x2 * m->y2 - m->xy * m->xy;
        m->flag |= flag_singular;
        variance *= 0.08333 / square;
        if (m->errx2 * m->erry2 - m->errxy * m->errxy < variance * variance)
            m->errx2 += variance, m->erry2 += variance;
    }
    set_ellipse(m, determinant);
    m->tnpix = above;
    m->flux = (float)flux;
    m->x = xm + left, m->y = ym + top;
    m->abcor = amplitude_correction(m, half, above_half);
}

static int ascending(const void *left, const void *right) {
    float a = *(const float *)left, b = *(const float *)right;
    return (a > b) - (a < b);
}

// Replaces the lowest element of a heap. SEP's own sequence: after an exchange it goes on one place too far.
static void replace_lowest(float *heap, int count, float value) {
    heap[0] = value;
    for (int place = 0, next; (next = 2 * (place + 1)) <= count; place = next) {
        int child = next - 1;
        if (next != count && heap[next - 1] > heap[next]) child = next++;
        if (heap[place] <= heap[child]) return;
        float swapped = heap[child];
        heap[child] = heap[place];
        heap[place] = swapped;
    }
}

float measure_excess(const row_filter *filter, const pixel_list *list, int least_area, float *heap) {
    if (list->count < least_area) return 0;
    for (int index = 0; index < list->count; index++) {
        float excess = list->smooth[index] - row_filter_threshold(filter, list->x[index], list->y[index]);
        if (index < least_area)
            heap[index] = excess;
        else if (index == least_area)
            // SEP sorts here, and leaves this pixel out.
            qsort(heap, (size_t)least_area, sizeof *heap, ascending);
        else if (excess > heap[0])
            replace_lowest(heap, least_area, excess);
    }
    return heap[0];
}
