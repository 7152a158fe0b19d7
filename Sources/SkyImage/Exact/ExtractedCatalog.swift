internal import CSEP

/// SEP's objects of one window, before cleaning, in SEP's order and the window's coordinates.
struct ExtractedCatalog: ~Copyable {
    private let catalog: UnsafeMutablePointer<sep_catalog>?

    /// Runs SEP on the first `rows` rows of the window, with cleaning off.
    /// - Throws: ``SEPError``; ``ScanSetupError`` for more pixels than libsep can count.
    init(_ window: borrowing ScanWindow, rows: Int, parameters: ScanParameters) throws {
        let pixelCount = rows * window.rect.width
        guard pixelCount <= SEPLimits.mostPixels else {
            throw ScanSetupError(
                "a window of \(window.rect.width) by \(rows) pixels is too large for SEP; choose fewer rows")
        }
        var image = window.sepImage(gain: parameters.gain)
        image.h = Int32(rows)
        var result: UnsafeMutablePointer<sep_catalog>?
        let kernel = parameters.activeKernel
        try (kernel?.values ?? []).withUnsafeBufferPointer { values in
            try SEPLimits.withRoom(pixelCount: pixelCount) {
                sep_extract(
                    &image, Float(parameters.threshold), SEP_THRESH_REL, Int32(parameters.minArea),
                    kernel == nil ? nil : values.baseAddress, Int32(kernel?.width ?? 0), Int32(kernel?.height ?? 0),
                    parameters.filter == .matched ? SEP_FILTER_MATCHED : SEP_FILTER_CONV,
                    Int32(parameters.deblendLevels), parameters.deblendContrast, 0, 1, &result)
            }
        }
        catalog = result
    }

    deinit { sep_catalog_free(catalog) }

    var count: Int { catalog.map { Int($0.pointee.nobj) } ?? 0 }

    /// Calls `body` with libsep's arrays, unless there are no objects.
    borrowing func withArrays(_ body: (sep_catalog) throws -> Void) rethrows {
        if let catalog, catalog.pointee.nobj > 0 { try body(catalog.pointee) }
    }

    /// Offset of each object's first pixel in the list of all objects' pixels, followed by the list's length.
    var pixelOffsets: [Int] {
        var offsets = [0]
        offsets.reserveCapacity(count + 1)
        withArrays { arrays in
            var sum = 0
            for index in 0..<count {
                sum += Int(arrays.npix[index])
                offsets.append(sum)
            }
        }
        return offsets
    }

    /// The objects of `ranges`, in image coordinates.
    borrowing func table(of ranges: [Range<Int>], in rect: PixelRect) -> SourceTable {
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
            table.x = copy(arrays.x, Double(dx))
            table.y = copy(arrays.y, Double(dy))
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
