#ifndef SKYFARM_EXTRACTION_H
#define SKYFARM_EXTRACTION_H

/// The pixels in which sources are searched: background subtracted, masked ones 0.
typedef struct {
    /// Samples, row by row.
    const float *pixels;
    /// Noise of each pixel, very large for masked ones; NULL if it is `global_noise` everywhere.
    const float *noise;
    /// Noise of every pixel without a map, and the variance from which errors are computed: its square in a scan.
    float global_noise, global_variance;
    /// Columns and rows.
    int width, height;
    /// Position of the first pixel in the image. Barycentres are computed, and rounded, in image coordinates, so that
    /// they do not depend on the window.
    int x, y;
    /// Photoelectrons per unit of the samples; 0 to leave out photon noise.
    double gain;
} skyfarm_field;

/// What counts as a source, as in SEP.
typedef struct {
    /// Detection threshold in units of the noise.
    float threshold;
    /// Fewest pixels of an island.
    int least_area;
    /// The kernel, row by row, as SEP has it after division by the sum of its absolute values; NULL for none. Its sides are
    /// odd.
    const float *kernel;
    int kernel_width, kernel_height;
    /// Whether pixels are weighted by their noise before smoothing; needs a noise map.
    int is_matched;
    /// Number of deblending thresholds, and the share of an island's flux that a branch needs.
    int levels;
    double contrast;
    /// Whether the sources of an island with this bounding box are wanted, in image coordinates; NULL: of all islands. An
    /// island that is not wanted is one source, of which only the box and the pixels are valid.
    int (*is_wanted)(const void *context, int xmin, int xmax, int ymin, int ymax);
    const void *context;
    /// Where the threshold of an island is read under a noise map.
    int threshold_of;
} skyfarm_detection;

/// Values of skyfarm_detection.threshold_of.
enum {
    /// The lowest threshold of the island's pixels, as in SExtractor.
    skyfarm_threshold_lowest,
    /// That of the pixel behind the island, at which it is known to be complete, as in SEP; the lowest one where that pixel is
    /// masked or lies beyond the edges.
    skyfarm_threshold_behind,
    /// That of the pixel behind the island, masked or not, and 0 beyond the edges: SEP 1.2.1 with its faults.
    skyfarm_threshold_with_faults
};

/// Sources as a struct of arrays with SEP's names and meanings, before cleaning, in SEP's order. Positions are relative
/// to the field, except the barycentres `x` and `y`, which are in image coordinates.
typedef struct {
    int count;
    float *thresh;
    int *npix, *tnpix, *xmin, *xmax, *ymin, *ymax;
    double *x, *y, *x2, *y2, *xy, *errx2, *erry2, *errxy;
    float *a, *b, *theta, *cxx, *cyy, *cxy, *cflux, *flux, *cpeak, *peak;
    int *xcpeak, *ycpeak, *xpeak, *ypeak;
    short *flag;
    /// SExtractor's inputs of cleaning.
    float *abcor, *mthresh;
    /// All sources' pixels, source by source, as offsets in the field.
    int *pixels;
    /// Islands: the end of each one's sources.
    int island_count;
    int *island_end;
} skyfarm_sources;

/// Finds and deblends the sources of a field as SEP's sep_extract does with cleaning off: every value is bit-identical,
/// with a draw that always takes the middle of the range, but barycentres are those of a run in which the field is part of the whole image, and
/// the thresholds of islands under a noise map are those of `threshold_of`.
///
/// Faster than SEP because it skips pixels below the threshold, has no stack of pixels that must be initialised, and
/// deblends an island by one pass over its pixels instead of one per level. The result must be released by
/// skyfarm_release_sources; NULL if memory is exhausted.
skyfarm_sources *skyfarm_extract(const skyfarm_field *field, const skyfarm_detection *detection);

/// Frees sources; NULL is allowed.
void skyfarm_release_sources(skyfarm_sources *sources);

#endif
