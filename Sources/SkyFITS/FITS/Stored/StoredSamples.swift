internal import CFITSIO
import Foundation
package import ScanBasics

/// Reads samples of an image as stored in its file, without converting or decompressing them.
///
/// ``piece(of:)`` describes the stored samples of a window as a ``StoredPiece``, a small FITS file, and
/// ``read(_:into:)`` reads its bytes. ``FITSImage/read(piece:column:row:size:into:)`` converts these bytes to pixels,
/// also on another machine; ``readPixels(_:into:pieceLength:)`` does both at once. The file is read without CFITSIO, by
/// any number of threads at a time.
package final class StoredSamples: @unchecked Sendable {
    // Sendable: only constant properties of the image are used.
    package let image: FITSImage
    package let descriptor: OpenDescriptor
    /// The cards of the HDU that affect the values of samples.
    package let cards: [ArraySlice<UInt8>]
    /// The table that holds the tiles; nil if the image is not tile-compressed.
    package let table: TileTable?

    /// The version of CFITSIO, which converts stored samples.
    package static var libraryVersion: String {
        var version: Float = 0
        ffvers(&version)
        return Double(version).fixed(4)
    }

    /// Gives access to the stored samples of `image`, whose file is open as `bytes`; nil if its windows have no stored
    /// form, for example because the file is compressed as a whole.
    package init?(_ image: FITSImage, in bytes: StoredBytes) {
        guard !image.stored.isCompressedFile, let cards = FITSLibrary.run({ Self.cards(image.file) })
        else { return nil }
        if image.isTileCompressed {
            guard image.incompleteBlock == nil, let check = image.tileCheck,
                let table = FITSLibrary.run({ TileTable(image.file, check.layout, data: image.data) })
            else { return nil }
            self.table = table
        } else {
            guard image.data.count == image.width * image.height * abs(image.bitpix) / 8 else { return nil }
            table = nil
        }
        self.image = image
        descriptor = bytes.file
        self.cards = cards
    }

    /// Number of stored bytes per pixel of the image.
    package var bytesPerPixel: Double { Double(image.data.count) / (Double(image.width) * Double(image.height)) }

    /// Returns the piece with the samples of a window, or nil if there is none, for example if tiles are damaged or too
    /// large for the window.
    package func piece(of window: PixelRect) -> StoredPiece? {
        guard !window.isEmpty else { return nil }
        return table == nil ? plainPiece(of: window) : tilePiece(of: window)
    }

    private func plainPiece(of window: PixelRect) -> StoredPiece {
        let size = abs(image.bitpix) / 8
        let head = Self.blocks(
            [
                Self.card("SIMPLE", "T"), Self.card("BITPIX", "\(image.bitpix)"), Self.card("NAXIS", "2"),
                Self.card("NAXIS1", "\(window.width)"), Self.card("NAXIS2", "\(window.height)"),
            ] + cards)
        // Full-width rows are contiguous.
        let rows = window.width == image.width ? [window.y] : window.y.map { $0..<$0 + 1 }
        let ranges = rows.map { rows in
            let start = image.data.lowerBound + (rows.lowerBound * image.width + window.x.lowerBound) * size
            return start..<start + rows.count * window.width * size
        }
        return StoredPiece(head: head, ranges: ranges)
    }

    /// Reads a piece into `target`, which must have its size.
    /// - Throws: ``ImageError`` with `unreadable`.
    package func read(_ piece: StoredPiece, into target: UnsafeMutableRawBufferPointer) throws(ImageError) {
        precondition(target.count == piece.byteCount, "no room for the piece")
        target.copyBytes(from: piece.head)
        var end = piece.head.count
        for range in piece.ranges {
            try read(range, into: UnsafeMutableRawBufferPointer(rebasing: target[end..<end + range.count]))
            end += range.count
        }
        for index in end..<target.count { target[index] = 0 }
    }

    /// Reads a range of bytes of the file.
    /// - Throws: ``ImageError`` with `unreadable`.
    package func read(_ range: Range<Int>, into target: UnsafeMutableRawBufferPointer) throws(ImageError) {
        var done = 0
        while done < range.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: target[done..<range.count])
            let count = pread(descriptor.number, rest.baseAddress, rest.count, off_t(range.lowerBound + done))
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else {
                throw ImageError(.unreadable, "\(image.location): cannot be read any more; was the file changed?")
            }
            done += count
        }
    }
}
