internal import Foundation
public import ScanCluster
internal import SkyFITS

/// Converts the stored samples of a window to its pixels, with the code by which ``ImageReader`` reads them from a file.
public struct WindowUnpacker: BulkUnpacker {
    /// The packed form and CFITSIO's version: other versions might convert or decompress differently.
    public let form: String

    /// The unpacker of this process.
    public init() { form = "sky.stored/1 CFITSIO \(StoredSamples.libraryVersion)" }

    /// The pixels of a packed window.
    /// - Throws: ``ImageError`` or ``ScanSetupError`` if the bytes are not a packed window of `unpackedCount` bytes; what
    ///   decoding throws.
    public func unpack(_ packed: BulkBytes, to unpackedCount: Int) throws -> BulkBytes {
        try packed.withUnsafeBytes { bytes in
            if PackedFrame.isMarked(bytes) { return try PackedFrame.unpack(bytes, to: unpackedCount) }
            let (head, image, maps) = try PackedWindow.read(bytes)
            let window = head.window
            guard window.byteCount == unpackedCount else {
                throw ScanSetupError("the window \(window.rect) does not have \(unpackedCount) bytes")
            }
            func read(
                _ bytes: UnsafeRawBufferPointer, _ piece: PackedWindow.Piece,
                _ target: UnsafeMutableBufferPointer<Float>
            ) throws {
                try FITSImage.read(
                    piece: bytes, column: piece.column, row: piece.row,
                    size: (window.rect.width, window.rect.height), into: target)
            }
            return try BulkBytes(byteCount: unpackedCount) { bytes in
                let parts = window.split(bytes)
                try read(image, head.image, parts.samples)
                if let target = parts.weights, let piece = head.weights, let bytes = maps[0] {
                    try read(bytes, piece, target)
                }
                if let target = parts.mask, let piece = head.mask, let bytes = maps[1] {
                    try window.readMask(into: target) { try read(bytes, piece, $0) }
                }
            }
        }
    }
}
