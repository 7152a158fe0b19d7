#ifndef SKYFARM_COARSE_H
#define SKYFARM_COARSE_H

#include <stdint.h>

/// Rounds the sums of pairs of samples of a row, times `scale`, to integers of at most 2^20, and counts the samples of each
/// pair. Those that are masked, or whose pair has no finite sum, do not count: a byte of `mask`, which may be NULL, is then
/// not 0. The last pair of an odd width is one sample. Without `samples` all are 0. In C for vector instructions: it is done
/// for each pixel of an image.
void skyfarm_pair_sums(
    const float *samples, const uint8_t *mask, int width, float scale, int32_t *sums, int32_t *counts);

/// Adds the sums, or the counts, of pairs in two rows.
void skyfarm_add_pairs(const int32_t *upper, const int32_t *lower, int count, int32_t *sums);

/// Cells of 2 x 2 pixels in a row: their sums, and those of the rows above and below.
typedef struct {
    const int32_t *above, *row, *below;
    int count;
} skyfarm_cell_row;

/// Adds `values`, and their `numbers`, of the cells to the sums and counts of blocks of `block` cells, 2, 4 or 8. A cell is
/// left out if its sum or that of one of its four neighbours is above `bound`. `scratch` has room for twice the cells.
void skyfarm_add_cells(
    const skyfarm_cell_row *cells, const int32_t *values, const int32_t *numbers, int32_t bound, int block,
    int32_t *scratch, int32_t *sums, uint16_t *counts);

#endif
