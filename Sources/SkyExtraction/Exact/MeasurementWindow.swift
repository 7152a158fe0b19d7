package import SkyFITS

/// A window in which sources are measured on request: the sources, and which pixels belong to which; struct of arrays.
package struct MeasurementWindow: Codable, Equatable, Sendable {
    /// The pixels that the scan reads.
    package var rect: PixelRect
    /// The sources, by index in the catalogue.
    package var index: [Int32] = []
    /// Barycentres, in image coordinates.
    package var x: [Double] = [], y: [Double] = []
    package var a: [Float] = [], b: [Float] = [], theta: [Float] = []
    /// Thresholds of the detection, and highest pixels.
    package var thresh: [Float] = [], peak: [Float] = []
    /// Background-subtracted levels from which samples are saturated; infinity: none.
    package var ceiling: [Float] = []
    /// Kron radii and their flags, if they were measured in another image; empty otherwise.
    package var kronRadius: [Double] = [], kronFlag: [Double] = []
    /// Runs of pixels of all sources that reach into the window: the source's index in the catalogue, -1 for detections
    /// in another image; row, first column and number of pixels, in image coordinates.
    package var owner: [Int32] = [], row: [Int32] = [], column: [Int32] = [], length: [Int32] = []
    /// Whether a run was that of a source that cleaning removed in favour of its owner.
    package var isAbsorbed: [Bool] = []
    /// Whether a run is in no aperture, see ``CatalogAssembly/hidden``.
    package var isHidden: [Bool] = []

    /// The window of the sources at `indices`.
    package init(
        rect: PixelRect, of indices: [Int], _ sources: SourceTable, ceilings: [Float], _ segments: SegmentRows,
        isOfOtherImage: Bool
    ) {
        self.rect = rect
        index = indices.map(Int32.init)
        x = sources.x.selecting(indices)
        y = sources.y.selecting(indices)
        a = sources.a.selecting(indices)
        b = sources.b.selecting(indices)
        theta = sources.theta.selecting(indices)
        thresh = sources.thresh.selecting(indices)
        peak = sources.peak.selecting(indices)
        ceiling = ceilings.selecting(indices)
        if isOfOtherImage {
            kronRadius = sources.photometry.kronRadius.selecting(indices)
            kronFlag = sources.photometry.kronFlag.selecting(indices).map(Double.init)
        }
        let columns = Int32(rect.x.lowerBound)..<Int32(rect.x.upperBound)
        for y in rect.y {
            for segment in segments[y] {
                let part = (segment.column..<segment.column + segment.length).clamped(to: columns)
                if part.isEmpty { continue }
                owner.append(segment.source)
                row.append(Int32(y))
                column.append(part.lowerBound)
                length.append(Int32(part.count))
                isAbsorbed.append(segment.isAbsorbed)
                isHidden.append(segment.isHidden)
            }
        }
    }

    /// Refuses columns of different lengths and runs outside of the window.
    /// - Throws: ``ScanSetupError``.
    package func validate() throws(ScanSetupError) {
        try rect.validate()
        let lengths = [x.count, y.count, a.count, b.count, theta.count, thresh.count, peak.count, ceiling.count]
        let given = [kronRadius.count, kronFlag.count]
        let runs = [row.count, column.count, length.count, isAbsorbed.count, isHidden.count]
        guard lengths.allSatisfy({ $0 == index.count }), runs.allSatisfy({ $0 == owner.count }),
            given == [0, 0] || given == [index.count, index.count], owner.allSatisfy({ $0 >= -1 && $0 < .max }),
            index.allSatisfy({ $0 >= 0 && $0 < .max }), Set(index).count == index.count,
            row.indices.allSatisfy({ place in
                length[place] > 0 && rect.contains(x: Int(column[place]), y: Int(row[place]))
                    && Int(length[place]) <= rect.x.upperBound - Int(column[place])
            })
        else { throw ScanSetupError("the sources of a window of measurements are inconsistent") }
    }
}
