internal import CSkyKernel

/// A median-filtered grid of meshes with the second derivatives of its splines along y.
package struct SmoothedMesh: Equatable, Sendable {
    package let columns: Int
    /// Filtered values, row by row.
    package let values: [Float]
    /// Second derivatives along y.
    package let derivatives: [Float]
    /// Median of the filtered values.
    package let median: Float

    /// Filters a grid, which must have no bad meshes, as SEP does.
    /// - Throws: ``MemoryError``.
    package init(filtering grid: MeshGrid, parameters: ScanParameters) throws(MemoryError) {
        var filter = skyfarm_mesh_filter(
            columns: Int32(grid.columns), rows: Int32(grid.rows), width: Int32(parameters.meshFilterWidth),
            height: Int32(parameters.meshFilterHeight))
        var values = grid.values
        var derivatives = grid.values
        var median: Float = 0
        guard skyfarm_smooth_meshes(&filter, grid.values, &values, &derivatives, &median) != 0 else {
            throw MemoryError(for: "a mesh of \(grid.columns) by \(grid.rows)")
        }
        (columns, self.values, self.derivatives, self.median) = (grid.columns, values, derivatives, median)
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
