internal import Foundation
internal import ScanCluster
internal import ScanNetwork
internal import SkyFITS

/// The packed form of a window's bulk bytes: the samples of the image and its maps as they are stored in their files.
///
/// The bytes begin with the length of this value's coding (4 bytes, little-endian) and the coding. The pieces follow, one
/// after the other: image, weights, mask.
struct PackedWindow: Codable, Equatable, Sendable {
    /// A ``StoredPiece``, and the place of the window in it.
    struct Piece: Codable, Equatable, Sendable {
        var byteCount: Int
        /// Column and row of the window's first pixel in the piece's image.
        var column: Int
        var row: Int

        init(_ piece: StoredPiece) { (byteCount, column, row) = (piece.byteCount, piece.column, piece.row) }

        /// Takes its bytes from the front of `rest`.
        /// - Throws: ``ScanSetupError`` if there are fewer.
        func take(from rest: inout UnsafeRawBufferPointer) throws(ScanSetupError) -> UnsafeRawBufferPointer {
            guard (0...rest.count).contains(byteCount) else {
                throw ScanSetupError("a piece of \(byteCount) bytes is not in the packed pixels")
            }
            defer { rest = UnsafeRawBufferPointer(rebasing: rest[byteCount...]) }
            return UnsafeRawBufferPointer(rebasing: rest[..<byteCount])
        }
    }

    var window: WindowPixels
    var image: Piece
    var weights: Piece?
    var mask: Piece?

    private static let lengthSize = 4
    /// Longest coding that is accepted.
    private static let codingLimit = 4096

    /// Bytes of `pieces`, which are image, weights and mask, packed: their coding, and their number.
    static func coding(
        of window: WindowPixels, _ image: StoredPiece, weights: StoredPiece?, mask: StoredPiece?
    ) throws -> [UInt8] {
        let packed = PackedWindow(
            window: window, image: Piece(image), weights: weights.map(Piece.init), mask: mask.map(Piece.init))
        let coding = try WireEncoder().encode(packed)
        return withUnsafeBytes(of: UInt32(coding.count).littleEndian) { Array($0) } + coding
    }

    /// Reads the coding at the start of `bytes`.
    /// - Returns: the value, and the bytes of its pieces; weights and mask are nil if the window has none.
    /// - Throws: ``ScanSetupError`` if the bytes are not those of a packed window; what decoding throws.
    static func read(
        _ bytes: UnsafeRawBufferPointer
    ) throws -> (packed: PackedWindow, image: UnsafeRawBufferPointer, maps: [UnsafeRawBufferPointer?]) {
        guard bytes.count >= lengthSize else { throw ScanSetupError("the packed pixels have \(bytes.count) bytes") }
        let length = Int(UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self)))
        guard length <= min(codingLimit, bytes.count - lengthSize) else {
            throw ScanSetupError("the packed pixels begin with \(length) of \(bytes.count) bytes")
        }
        let end = lengthSize + length
        let packed = try WireDecoder().decode(
            PackedWindow.self, from: UnsafeRawBufferPointer(rebasing: bytes[lengthSize..<end]))
        try packed.window.rect.validate()
        guard packed.window.hasWeights == (packed.weights != nil), packed.window.hasMask == (packed.mask != nil),
            !packed.window.rect.isEmpty
        else { throw ScanSetupError("the packed pixels lack a map of the window \(packed.window.rect)") }
        var rest = UnsafeRawBufferPointer(rebasing: bytes[end...])
        let image = try packed.image.take(from: &rest)
        let maps = [try packed.weights?.take(from: &rest), try packed.mask?.take(from: &rest)]
        guard rest.isEmpty else { throw ScanSetupError("\(rest.count) bytes follow the packed pixels") }
        return (packed, image, maps)
    }
}
