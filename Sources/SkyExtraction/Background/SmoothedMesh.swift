internal import CSEP

/// A median-filtered grid of meshes with the second derivatives of its splines along y, all computed by libsep.
package struct SmoothedMesh: Equatable, Sendable {
    package let columns: Int
    /// Filtered values, row by row.
    package let values: [Float]
    /// Second derivatives along y.
    package let derivatives: [Float]
    /// Median of the filtered values.
    package let median: Float

    /// Filters a grid, which must have no bad meshes, with libsep.
    ///
    /// libsep receives the grid as an image whose meshes are single pixels. The background of a one-pixel mesh is twice
    /// its pixel, so the pixels are halved.
    package init(filtering grid: MeshGrid, parameters: ScanParameters) throws {
        let halves = grid.values.map { $0 / 2 }
        columns = grid.columns
        (values, derivatives, median) = try halves.withUnsafeBytes { bytes in
            var image = sep_image()
            image.data = bytes.baseAddress
            image.dtype = SEP_TFLOAT
            image.w = Int32(grid.columns)
            image.h = Int32(grid.rows)
            var result: UnsafeMutablePointer<sep_bkg>?
            try SEPError.check(
                sep_background(
                    &image, 1, 1, Int32(parameters.meshFilterWidth), Int32(parameters.meshFilterHeight), 0, &result))
            defer { sep_bkg_free(result) }
            guard let background = result?.pointee else { throw SEPError(status: 1) }
            let count = Int(background.n)
            return (
                Array(UnsafeBufferPointer(start: background.back, count: count)),
                Array(UnsafeBufferPointer(start: background.dback, count: count)), background.global
            )
        }
    }

    /// A grid of one value, with the shape of another.
    init(constant value: Float, like other: SmoothedMesh) {
        columns = other.columns
        values = Array(repeating: value, count: other.values.count)
        derivatives = Array(repeating: 0, count: other.derivatives.count)
        median = value
    }

    /// The median; if it is not positive, the median of the positive values; 1 if there are none.
    package var positiveMedian: Float {
        if median > 0 { return median }
        let positive = values.filter { $0 > 0 }.sorted()
        if positive.isEmpty { return 1 }
        let middle = positive.count / 2
        return positive.count % 2 == 1 ? positive[middle] : Float(Double(positive[middle - 1] + positive[middle]) / 2)
    }
}
