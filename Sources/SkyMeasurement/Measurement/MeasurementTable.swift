package import SkyExtraction

/// The requested measurements of some sources: a row of numbers per source, and cut-outs.
public struct MeasurementTable: Codable, Equatable, Sendable {
    /// Row by row, as ``MeasurementLayout`` places them.
    package var values: [Double] = []
    /// Cut-outs row by row, ``MeasurementRequest/vignetteArea`` samples per source.
    package var vignettes: [Float] = []

    package init() {}

    /// A table of `count` sources without numbers.
    package init(unmeasured count: Int, _ request: MeasurementRequest) {
        values = Array(repeating: .nan, count: count * MeasurementLayout(request).width)
        vignettes = Array(repeating: VignetteValue.none, count: count * request.vignetteArea)
    }

    /// Whether it has a row, and a cut-out if there are any, for each of `count` sources.
    package func isRectangular(count: Int, _ request: MeasurementRequest) -> Bool {
        values.count == count * MeasurementLayout(request).width && vignettes.count == count * request.vignetteArea
    }

    /// Replaces the source at `index` by that at `position` of `other`.
    package mutating func copy(
        from other: MeasurementTable, _ position: Int, to index: Int, _ request: MeasurementRequest
    ) {
        let (width, area) = (MeasurementLayout(request).width, request.vignetteArea)
        values.replaceSubrange(
            index * width..<(index + 1) * width, with: other.values[position * width..<(position + 1) * width])
        vignettes.replaceSubrange(
            index * area..<(index + 1) * area, with: other.vignettes[position * area..<(position + 1) * area])
    }

    /// The rows at `indices` of a table of `count` rows.
    package func selecting(_ indices: [Int], of count: Int) -> MeasurementTable {
        func rows<Value>(_ values: [Value]) -> [Value] {
            let width = values.count / max(1, count)
            return width == 0 ? [] : indices.flatMap { values[$0 * width..<($0 + 1) * width] }
        }
        var table = MeasurementTable()
        (table.values, table.vignettes) = (rows(values), rows(vignettes))
        return table
    }

    /// The numbers of a quantity, one array per component, one element per source.
    package func components(_ quantity: MeasuredQuantity, _ request: MeasurementRequest) -> [[Double]] {
        let layout = MeasurementLayout(request)
        return layout[quantity].map { place in
            stride(from: place, to: values.count, by: max(1, layout.width)).map { values[$0] }
        }
    }
}

/// Samples of cut-outs that stand for no value.
package enum VignetteValue {
    /// A pixel of another source, a masked one, or one outside of the image: SExtractor's value.
    package static let none: Float = -1e30
}
