internal import CFITSIO
package import SkyExtraction
package import SkyFITS

/// An image in memory.
package struct TestImage {
    package var width: Int
    package var height: Int
    package var pixels: [Float]
    package var mask: [UInt8]?
    package var weights: [Float]?

    package var rect: PixelRect { PixelRect(x: 0..<width, y: 0..<height) }

    package func withView<Result>(_ body: (PixelView) throws -> Result) throws -> Result {
        try pixels.withUnsafeBufferPointer { pixels in
            try (mask ?? []).withUnsafeBufferPointer { mask in
                try (weights ?? []).withUnsafeBufferPointer { weights in
                    try body(
                        PixelView(
                            rect: rect, pixels: pixels, mask: self.mask == nil ? nil : mask,
                            weights: self.weights == nil ? nil : weights))
                }
            }
        }
    }

    /// Calls `body` with a view of pixels that a scan may overwrite, once `body` marks the view as overwritable.
    package mutating func withMutableView<Result>(_ body: (PixelView) throws -> Result) throws -> Result {
        let (rect, mask) = (rect, mask)
        return try pixels.withUnsafeMutableBufferPointer { pixels in
            try (mask ?? []).withUnsafeBufferPointer { bytes in
                try body(
                    PixelView(rect: rect, pixels: UnsafeBufferPointer(pixels), mask: mask == nil ? nil : bytes))
            }
        }
    }

    /// Reads the first two-dimensional image of a FITS file as single precision.
    package init(contentsOf path: String) throws {
        var file: UnsafeMutablePointer<fitsfile>?
        var status: Int32 = 0
        ffiopn(&file, path, READONLY, &status)
        defer {
            var ignored: Int32 = 0
            ffclos(file, &ignored)
        }
        var sides: [Int] = [0, 0]
        ffgisz(file, 2, &sides, &status)
        width = sides[0]
        height = sides[1]
        var scale: Float = 1
        var zero: Float = 0
        var absent: Int32 = 0
        ffgky(file, TFLOAT, "BSCALE", &scale, nil, &absent)
        absent = 0
        ffgky(file, TFLOAT, "BZERO", &zero, nil, &absent)
        ffpscl(file, 1, 0, &status)
        pixels = Array(repeating: 0, count: max(0, width * height))
        var anyNull: Int32 = 0
        ffgpv(file, TFLOAT, 1, LONGLONG(pixels.count), nil, &pixels, &anyNull, &status)
        // In single precision, as astropy did for the reference catalogues.
        if scale != 1 || zero != 0 { for index in pixels.indices { pixels[index] = pixels[index] * scale + zero } }
        if status != 0 { throw ScanSetupError("cfitsio: status \(status) for \(path)") }
    }

    package init(width: Int, height: Int, pixels: [Float], mask: [UInt8]? = nil) {
        self.width = width
        self.height = height
        self.pixels = pixels
        self.mask = mask
    }
}
