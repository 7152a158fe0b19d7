package import CSEP
internal import CSkyKernel
package import SkyFITS

/// The objects of one window, before cleaning, in SEP's order and the window's coordinates.
package struct ExtractedCatalog: ~Copyable {
    /// What holds the arrays.
    private enum Owner {
        case sep(UnsafeMutablePointer<sep_catalog>?)
        case own(UnsafeMutablePointer<skyfarm_sources>)
    }
    private let owner: Owner
    private let arrays: sep_catalog
    /// Offset of each object's first pixel in the list of all objects' pixels, followed by the list's length.
    package let pixelOffsets: [Int]

    /// Extracts the first `rows` rows of the window, with cleaning off. Islands outside of `selection` may each be one
    /// object, of which only the box and the pixels are valid.
    /// - Throws: ``SEPError``; ``ScanSetupError`` for more pixels than libsep can count.
    package init(
        _ window: borrowing ScanWindow, rows: Int, parameters: ScanParameters, selection: IslandSelection? = nil,
        kernel: ScanKernel = .current
    ) throws {
        let pixelCount = rows * window.rect.width
        guard pixelCount <= SEPLimits.mostPixels else {
            throw ScanSetupError(
                "a window of \(window.rect.width) by \(rows) pixels is too large for SEP; choose fewer rows")
        }
        switch kernel {
        case .sep:
            let catalog = try Self.sepCatalog(window, rows: rows, parameters: parameters)
            owner = .sep(catalog)
            arrays = catalog?.pointee ?? sep_catalog()
        case .own:
            let sources = try Self.ownSources(window, rows: rows, parameters: parameters, selection)
            owner = .own(sources)
            arrays = sep_catalog(sources.pointee)
        }
        var offsets = [0]
        offsets.reserveCapacity(Int(arrays.nobj) + 1)
        for index in 0..<Int(arrays.nobj) { offsets.append(offsets[index] + Int(arrays.npix[index])) }
        pixelOffsets = offsets
    }

    private static func sepCatalog(
        _ window: borrowing ScanWindow, rows: Int, parameters: ScanParameters
    ) throws -> UnsafeMutablePointer<sep_catalog>? {
        var image = window.sepImage(gain: parameters.gain)
        image.h = Int32(rows)
        var result: UnsafeMutablePointer<sep_catalog>?
        let kernel = parameters.activeKernel
        guard kernel?.isNormalized ?? true else {
            throw ScanSetupError("libsep normalises kernels: leave SKYFARM_ENGINE=sep out for one of CONV NONORM")
        }
        try (kernel?.values ?? []).withUnsafeBufferPointer { values in
            try SEPLimits.withRoom(pixelCount: rows * window.rect.width) {
                sep_extract(
                    &image, Float(parameters.threshold), SEP_THRESH_REL, Int32(parameters.minArea),
                    kernel == nil ? nil : values.baseAddress, Int32(kernel?.width ?? 0), Int32(kernel?.height ?? 0),
                    parameters.filter == .matched ? SEP_FILTER_MATCHED : SEP_FILTER_CONV,
                    Int32(parameters.deblendLevels), parameters.deblendContrast, 0, 1, &result)
            }
        }
        return result
    }

    private static func ownSources(
        _ window: borrowing ScanWindow, rows: Int, parameters: ScanParameters, _ selection: IslandSelection?
    ) throws -> UnsafeMutablePointer<skyfarm_sources> {
        var field = window.field(gain: parameters.gain)
        field.height = Int32(rows)
        let kernel = parameters.activeKernel
        let sources = (kernel?.factors ?? []).withUnsafeBufferPointer { values in
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
        guard let sources else { throw SEPError(status: 1) }
        return sources
    }

    deinit {
        switch owner {
        case .sep(let catalog): sep_catalog_free(catalog)
        case .own(let sources): skyfarm_release_sources(sources)
        }
    }

    package var count: Int { Int(arrays.nobj) }

    /// Calls `body` with the arrays, unless there are no objects.
    package borrowing func withArrays(_ body: (sep_catalog) throws -> Void) rethrows {
        if arrays.nobj > 0 { try body(arrays) }
    }

    /// The ends of the islands' objects; nil if they are not known.
    var islandEnds: UnsafeBufferPointer<Int32>? {
        guard case .own(let sources) = owner else { return nil }
        return UnsafeBufferPointer(start: sources.pointee.island_end, count: Int(sources.pointee.island_count))
    }

    /// The inputs of the cleaning of an object; nil if they are not known.
    borrowing func cleanInputs(_ index: Int) -> CleanInputs? {
        guard case .own(let sources) = owner else { return nil }
        return CleanInputs(abcor: sources.pointee.abcor[index], mthresh: sources.pointee.mthresh[index])
    }

    /// Whether barycentres are in image coordinates.
    private var hasImagePositions: Bool {
        if case .own = owner { return true }
        return false
    }

    /// The objects of `ranges`, in image coordinates.
    package borrowing func table(of ranges: [Range<Int>], in rect: PixelRect) -> SourceTable {
        var table = SourceTable()
        let dx = Int32(rect.x.lowerBound)
        let dy = Int32(rect.y.lowerBound)
        withArrays { arrays in
            func copy<Value>(_ source: UnsafeMutablePointer<Value>, _ offset: Value) -> [Value] where Value: Numeric {
                offset == 0
                    ? ranges.flatMap { UnsafeBufferPointer(start: source + $0.lowerBound, count: $0.count) }
                    : ranges.flatMap { $0.map { source[$0] + offset } }
            }
            table.thresh = copy(arrays.thresh, 0)
            table.npix = copy(arrays.npix, 0)
            table.tnpix = copy(arrays.tnpix, 0)
            table.xmin = copy(arrays.xmin, dx)
            table.xmax = copy(arrays.xmax, dx)
            table.ymin = copy(arrays.ymin, dy)
            table.ymax = copy(arrays.ymax, dy)
            table.x = copy(arrays.x, hasImagePositions ? 0 : Double(dx))
            table.y = copy(arrays.y, hasImagePositions ? 0 : Double(dy))
            table.x2 = copy(arrays.x2, 0)
            table.y2 = copy(arrays.y2, 0)
            table.xy = copy(arrays.xy, 0)
            table.errx2 = copy(arrays.errx2, 0)
            table.erry2 = copy(arrays.erry2, 0)
            table.errxy = copy(arrays.errxy, 0)
            table.a = copy(arrays.a, 0)
            table.b = copy(arrays.b, 0)
            table.theta = copy(arrays.theta, 0)
            table.cxx = copy(arrays.cxx, 0)
            table.cyy = copy(arrays.cyy, 0)
            table.cxy = copy(arrays.cxy, 0)
            table.cflux = copy(arrays.cflux, 0)
            table.flux = copy(arrays.flux, 0)
            table.cpeak = copy(arrays.cpeak, 0)
            table.peak = copy(arrays.peak, 0)
            table.xcpeak = copy(arrays.xcpeak, dx)
            table.ycpeak = copy(arrays.ycpeak, dy)
            table.xpeak = copy(arrays.xpeak, dx)
            table.ypeak = copy(arrays.ypeak, dy)
            table.flag = copy(arrays.flag, 0)
        }
        return table
    }
}

extension sep_catalog {
    /// The same arrays, as far as libsep's structure has them; without pointers to each object's pixels.
    fileprivate init(_ sources: skyfarm_sources) {
        self.init(
            nobj: sources.count, thresh: sources.thresh, npix: sources.npix, tnpix: sources.tnpix, xmin: sources.xmin,
            xmax: sources.xmax, ymin: sources.ymin, ymax: sources.ymax, x: sources.x, y: sources.y, x2: sources.x2,
            y2: sources.y2, xy: sources.xy, errx2: sources.errx2, erry2: sources.erry2, errxy: sources.errxy,
            a: sources.a, b: sources.b, theta: sources.theta, cxx: sources.cxx, cyy: sources.cyy, cxy: sources.cxy,
            cflux: sources.cflux, flux: sources.flux, cpeak: sources.cpeak, peak: sources.peak,
            xcpeak: sources.xcpeak, ycpeak: sources.ycpeak, xpeak: sources.xpeak, ypeak: sources.ypeak,
            flag: sources.flag, pix: nil, objectspix: sources.pixels)
    }
}

extension ScanParameters {
    /// Where the threshold of an island is read under a noise map: with SExtractor's columns as in SExtractor.
    fileprivate var thresholdRule: Int {
        if ScanKernel.keepsFaults { return skyfarm_threshold_with_faults }
        return measurements == nil ? skyfarm_threshold_behind : skyfarm_threshold_lowest
    }
}
