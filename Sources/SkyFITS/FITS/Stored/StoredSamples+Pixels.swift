import Foundation

// Reading of pixels by several threads at once.
extension StoredSamples {
    /// Number of bytes that are read and converted at a time, while they are in the processor's cache.
    private static let pieceLength = 1 << 20

    /// Reads the pixels of a window, with the same result as ``FITSImage/read(rows:columns:into:)``.
    /// - Parameters:
    ///   - window: pixels inside the image.
    ///   - pixels: room for the pixels.
    ///   - pieceLength: number of bytes that are read and converted at a time; nil for the default.
    /// - Throws: ``ImageError`` whose message is not meant for users: reading the image itself reports a better one.
    package func readPixels(
        _ window: PixelRect, into pixels: UnsafeMutableBufferPointer<Float>, pieceLength: Int? = nil
    ) throws(ImageError) {
        precondition(pixels.count >= window.area, "no room for the window")
        if window.isEmpty { return }
        if hasPlainNumbers {
            return try readNumbers(window, into: pixels, pieceLength ?? Self.pieceLength)
        }
        let rowLength = max(1, window.width * abs(image.bitpix) / 8)
        // Strips of tiles would overlap, so the window is read at once.
        let step = table == nil ? max(1, (pieceLength ?? Self.pieceLength) / rowLength) : window.height
        // One buffer is used for all pieces, because the system would clear the memory of each new one.
        var bytes: [UInt8] = []
        for first in stride(from: window.y.lowerBound, to: window.y.upperBound, by: step) {
            let rows = first..<min(first + step, window.y.upperBound)
            let start = (first - window.y.lowerBound) * window.width
            try convert(
                PixelRect(x: window.x, y: rows), &bytes,
                into: UnsafeMutableBufferPointer(rebasing: pixels[start..<start + rows.count * window.width]))
        }
    }

    /// Reads and converts a window. `bytes` is memory for the stored samples, which grows as needed.
    private func convert(
        _ window: PixelRect, _ bytes: inout [UInt8], into pixels: UnsafeMutableBufferPointer<Float>
    ) throws(ImageError) {
        guard let piece = piece(of: window) else {
            throw ImageError(.unreadable, "\(image.location): the window has no stored samples")
        }
        if bytes.count < piece.byteCount { bytes = [UInt8](repeating: 0, count: piece.byteCount) }
        let result = bytes.withUnsafeMutableBytes { bytes in
            Result { () throws(ImageError) in
                let bytes = UnsafeMutableRawBufferPointer(rebasing: bytes[..<piece.byteCount])
                try read(piece, into: bytes)
                try FITSImage.read(
                    piece: UnsafeRawBufferPointer(bytes), column: piece.column, row: piece.row,
                    size: (window.width, window.height), into: pixels)
            }
        }
        try result.get()
    }

    /// Whether the samples are converted without CFITSIO.
    package var hasPlainNumbers: Bool { table == nil && (image.holdsPlainFloats || image.plainShorts != nil) }

    private func readNumbers(
        _ window: PixelRect, into pixels: UnsafeMutableBufferPointer<Float>, _ pieceLength: Int
    ) throws(ImageError) {
        let size = abs(image.bitpix) / 8
        let most = max(1, pieceLength / MemoryLayout<Float>.size)
        // Full-width rows are contiguous.
        let isFullWidth = window.width == image.width
        let run = isFullWidth ? window.area : window.width
        for (index, row) in (isFullWidth ? window.y.prefix(1) : window.y).enumerated() {
            let place = image.data.lowerBound + (row * image.width + window.x.lowerBound) * size
            for from in stride(from: 0, to: run, by: most) {
                let count = min(run - from, most)
                guard let target = pixels.baseAddress.map({ $0 + index * run + from }) else { return }
                let start = place + from * size
                let bytes = FITSImage.room(for: count * size, at: target, count)
                try read(
                    start..<start + count * size,
                    into: UnsafeMutableRawBufferPointer(start: bytes, count: count * size))
                image.convertNumbers(target, count)
            }
        }
        if image.plainShorts == nil {
            image.scaling?.apply(to: UnsafeMutableBufferPointer(rebasing: pixels.prefix(window.area)))
        }
    }

    /// Reads full-width rows of a plain image as they are stored.
    /// - Throws: ``ImageError`` with `unreadable`.
    package func readStored(rows: Range<Int>, into target: UnsafeMutableRawBufferPointer) throws(ImageError) {
        let length = image.width * abs(image.bitpix) / 8
        let start = image.data.lowerBound + rows.lowerBound * length
        try read(start..<start + rows.count * length, into: target)
    }

    /// Asks the system to read the samples of a window ahead, if they are not in memory. Does not wait.
    package func expect(_ window: PixelRect) {
        #if os(Linux)
            guard table == nil, !window.isEmpty else { return }
            let rowLength = image.width * abs(image.bitpix) / 8
            posix_fadvise(
                descriptor.number, off_t(image.data.lowerBound + window.y.lowerBound * rowLength),
                off_t(window.height * rowLength), POSIX_FADV_WILLNEED)
        #endif
    }
}
