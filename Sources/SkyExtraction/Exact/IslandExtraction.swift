package import CSkyKernel
internal import SkyFITS

/// The objects that are extracted from a window, before cleaning, in SEP's order, and their islands: the part common to
/// both scans of pass 2.
package struct IslandExtraction: ~Copyable {
    let window: PreparedPixels
    let parameters: ScanParameters
    private let sources: UnsafeMutablePointer<skyfarm_sources>
    /// Offset of each object's first pixel in the list of all objects' pixels, followed by the list's length.
    package let pixelOffsets: [Int]
    /// The islands, in SEP's order.
    package let islands: [Island]

    /// Extracts the first `rows` rows of the window, all if nil, with cleaning off. Islands outside of `selection` may each
    /// be one object, of which only the box and the pixels are valid.
    /// - Throws: ``MemoryError``.
    package init(
        _ window: consuming PreparedPixels, rows: Int? = nil, parameters: ScanParameters,
        selection: IslandSelection? = nil
    ) throws(MemoryError) {
        let rows = rows ?? window.rect.height
        guard let sources = Self.extract(window, rows: rows, parameters: parameters, selection) else {
            throw MemoryError(for: "the sources of a window of \(window.rect.width) by \(rows) pixels")
        }
        let arrays = sources.pointee
        var offsets = [0]
        offsets.reserveCapacity(Int(arrays.count) + 1)
        for index in 0..<Int(arrays.count) { offsets.append(offsets[index] + Int(arrays.npix[index])) }
        let rect = window.rect
        var first = 0
        islands = UnsafeBufferPointer(start: arrays.island_end, count: Int(arrays.island_count)).map { end in
            let objects = first..<Int(end)
            first = objects.upperBound
            let pixels = offsets[objects.lowerBound]..<offsets[objects.upperBound]
            return Island(arrays, objects: objects, pixels: pixels, in: rect)
        }
        (self.sources, self.parameters, pixelOffsets) = (sources, parameters, offsets)
        self.window = window
    }

    /// Extracts the sources of the first `rows` rows of `view`; of all rows if nil. Sources are wanted of the islands of
    /// `selection` alone.
    /// - Throws: ``ScanSetupError``, ``MemoryError``; `CancellationError` as ``PixelView/isCancelled`` says.
    init(
        _ view: PixelView, extracting rows: Int? = nil, background: BackgroundSlice, parameters: ScanParameters,
        selection: IslandSelection
    ) throws {
        try parameters.validate()
        try background.validate(for: parameters)
        let window = try PreparedPixels.subtracting(background, from: view)
        window.hideMaskedPixels(from: FaultsOfSEP.areKept ? (parameters.activeKernel?.height ?? 1) / 2 : 0)
        // The extraction takes most of the time.
        try window.checkCancellation()
        try self.init(window, rows: rows, parameters: parameters, selection: selection)
    }

    private static func extract(
        _ window: borrowing PreparedPixels, rows: Int, parameters: ScanParameters, _ selection: IslandSelection?
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

    /// Calls `body` with the arrays, which are those of no object if there are none.
    package borrowing func withArrays<Result>(_ body: (skyfarm_sources) throws -> Result) rethrows -> Result {
        try body(sources.pointee)
    }

    /// The objects of `ranges`, in image coordinates.
    package borrowing func table(of ranges: [Range<Int>]) -> SourceTable {
        var table = SourceTable()
        let dx = Int32(window.rect.x.lowerBound)
        let dy = Int32(window.rect.y.lowerBound)
        if sources.pointee.count == 0 { return table }
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
