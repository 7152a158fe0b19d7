package import CSkyKernel
package import SkyFITS

/// The objects of one window, before cleaning, in SEP's order. Positions are relative to the window, but barycentres are in
/// image coordinates.
package struct ExtractedCatalog: ~Copyable {
    private let sources: UnsafeMutablePointer<skyfarm_sources>
    /// Offset of each object's first pixel in the list of all objects' pixels, followed by the list's length.
    package let pixelOffsets: [Int]

    /// Extracts the first `rows` rows of the window, with cleaning off. Islands outside of `selection` may each be one
    /// object, of which only the box and the pixels are valid.
    /// - Throws: ``MemoryError``.
    package init(
        _ window: borrowing ScanWindow, rows: Int, parameters: ScanParameters, selection: IslandSelection? = nil
    ) throws(MemoryError) {
        guard let sources = Self.extract(window, rows: rows, parameters: parameters, selection) else {
            throw MemoryError(for: "the sources of a window of \(window.rect.width) by \(rows) pixels")
        }
        self.sources = sources
        var offsets = [0]
        offsets.reserveCapacity(Int(sources.pointee.count) + 1)
        for index in 0..<Int(sources.pointee.count) {
            offsets.append(offsets[index] + Int(sources.pointee.npix[index]))
        }
        pixelOffsets = offsets
    }

    private static func extract(
        _ window: borrowing ScanWindow, rows: Int, parameters: ScanParameters, _ selection: IslandSelection?
    ) -> UnsafeMutablePointer<skyfarm_sources>? {
        var field = window.field(gain: parameters.gain)
        field.height = Int32(rows)
        let kernel = parameters.activeKernel
        return (kernel?.factors ?? []).withUnsafeBufferPointer { values in
            var detection = skyfarm_detection(
                threshold: Float(parameters.threshold), least_area: Int32(parameters.minArea),
                kernel: kernel == nil ? nil : values.baseAddress, kernel_width: Int32(kernel?.width ?? 0),
                kernel_height: Int32(kernel?.height ?? 0), is_matched: parameters.filter == .matched ? 1 : 0,
                levels: Int32(parameters.deblendLevels), contrast: parameters.deblendContrast, is_wanted: nil,
                context: nil, threshold_of: Int32(parameters.thresholdRule))
            guard let selection else { return skyfarm_extract(&field, &detection) }
            detection.is_wanted = { context, xmin, xmax, ymin, ymax in
                let box = PixelRect(x: Int(xmin)..<Int(xmax) + 1, y: Int(ymin)..<Int(ymax) + 1)
                let selection = context?.assumingMemoryBound(to: IslandSelection.self).pointee
                return selection?.contains(box) ?? true ? 1 : 0
            }
            return withUnsafePointer(to: selection) { context in
                detection.context = UnsafeRawPointer(context)
                return skyfarm_extract(&field, &detection)
            }
        }
    }

    deinit { skyfarm_release_sources(sources) }

    package var count: Int { Int(sources.pointee.count) }

    /// Calls `body` with the arrays, which are those of no object if there are none.
    package borrowing func withArrays<Result>(_ body: (skyfarm_sources) throws -> Result) rethrows -> Result {
        try body(sources.pointee)
    }

    /// The objects of `ranges`, in image coordinates.
    package borrowing func table(of ranges: [Range<Int>], in rect: PixelRect) -> SourceTable {
        var table = SourceTable()
        let dx = Int32(rect.x.lowerBound)
        let dy = Int32(rect.y.lowerBound)
        if count == 0 { return table }
        withArrays { arrays in
            func copy<Value: Numeric>(_ source: UnsafeMutablePointer<Value>, _ offset: Value = 0) -> [Value] {
                offset == 0
                    ? ranges.flatMap { UnsafeBufferPointer(start: source + $0.lowerBound, count: $0.count) }
                    : ranges.flatMap { $0.map { source[$0] + offset } }
            }
            table.thresh = copy(arrays.thresh)
            (table.npix, table.tnpix) = (copy(arrays.npix), copy(arrays.tnpix))
            (table.xmin, table.xmax) = (copy(arrays.xmin, dx), copy(arrays.xmax, dx))
            (table.ymin, table.ymax) = (copy(arrays.ymin, dy), copy(arrays.ymax, dy))
            (table.x, table.y) = (copy(arrays.x), copy(arrays.y))
            (table.x2, table.y2, table.xy) = (copy(arrays.x2), copy(arrays.y2), copy(arrays.xy))
            (table.errx2, table.erry2, table.errxy) = (copy(arrays.errx2), copy(arrays.erry2), copy(arrays.errxy))
            (table.a, table.b, table.theta) = (copy(arrays.a), copy(arrays.b), copy(arrays.theta))
            (table.cxx, table.cyy, table.cxy) = (copy(arrays.cxx), copy(arrays.cyy), copy(arrays.cxy))
            (table.cflux, table.flux) = (copy(arrays.cflux), copy(arrays.flux))
            (table.cpeak, table.peak) = (copy(arrays.cpeak), copy(arrays.peak))
            (table.xcpeak, table.ycpeak) = (copy(arrays.xcpeak, dx), copy(arrays.ycpeak, dy))
            (table.xpeak, table.ypeak) = (copy(arrays.xpeak, dx), copy(arrays.ypeak, dy))
            table.flag = copy(arrays.flag)
        }
        return table
    }
}

extension ScanParameters {
    /// Where the threshold of an island is read under a noise map: with SExtractor's columns as in SExtractor.
    fileprivate var thresholdRule: Int {
        if FaultsOfSEP.areKept { return skyfarm_threshold_with_faults }
        return measurements == nil ? skyfarm_threshold_behind : skyfarm_threshold_lowest
    }
}
