#ifndef SKYFARM_BACKGROUND_H
#define SKYFARM_BACKGROUND_H

#include <stddef.h>
#include <stdint.h>

/// Measures the background level and the noise of each mesh of an image, as SEP's sep_background does before its median
/// filter: bit-identical. A mesh of which less than half is usable gets -1e30 for both.
///
/// A pixel is usable if its byte of `mask` is 0 and its value above -1e30. `mask` may be NULL; `all_usable` promises that
/// every pixel is. Meshes at the right and upper edge may be smaller.
/// - Returns: 0 if memory is exhausted, otherwise 1.
int skyfarm_measure_meshes(
    const float *pixels, const uint8_t *mask, int all_usable, int width, int height, int mesh_width, int mesh_height,
    float *levels, float *noises);

/// A grid of meshes, and the size of its median filter, in meshes.
typedef struct {
    int columns, rows, width, height;
} skyfarm_mesh_filter;

/// Replaces each mesh by the median of the meshes around it, as sep_background does without a threshold: bit-identical.
/// The window is as wide and as high as `filter` says; near an edge it ends there, and equally far on the other side.
/// Writes the filtered values, the second derivatives of their splines along y, and their median. No value is NaN.
/// - Returns: 0 if memory is exhausted, otherwise 1.
int skyfarm_smooth_meshes(
    const skyfarm_mesh_filter *filter, const float *values, float *smoothed, float *bends, float *median);

/// Rows of meshes and the second derivatives of their splines along y, as SEP computes them.
typedef struct {
    const float *values, *derivatives;
    /// Columns of the mesh, and rows of the whole image's mesh.
    int columns, rows;
    /// The rows that `values` holds.
    int first_row, row_count;
    /// Rows of a mesh, in pixels.
    int mesh_height;
} skyfarm_spline;

/// Evaluates splines in some columns of an image.
typedef struct skyfarm_spline_line skyfarm_spline_line;

/// Prepares the evaluation in the columns `first` to `first` + `count` of an image with `columns` meshes of `mesh_width`
/// pixels per row. NULL if memory is exhausted. Must be released by skyfarm_spline_line_close.
skyfarm_spline_line *skyfarm_spline_line_open(int columns, int mesh_width, int first, int count);
/// Releases it; NULL is allowed.
void skyfarm_spline_line_close(skyfarm_spline_line *line);

/// Writes the splines' values in row `y` of the image to `out`, or subtracts them from `pixels` if that is not NULL. As
/// SEP's sep_bkg_line and sep_bkg_subline: bit-identical.
/// - Returns: 0 if the mesh rows that row `y` needs are missing, otherwise 1.
int skyfarm_spline_row(
    skyfarm_spline_line *line, const skyfarm_spline *spline, int y, const float *pixels, float *out);

#endif
