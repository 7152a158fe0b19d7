internal import Foundation
internal import ScanCluster
internal import ScanNetwork
internal import SkyCalibration
internal import SkyFITS

/// The packed form of a window of a frame that is calibrated where it is scanned: raw samples as they are stored in their
/// file, and what is done to them.
///
/// The bytes begin with ``mark``, by which no ``PackedWindow`` begins. The length of this value's coding (4 bytes,
/// little-endian), the coding and the pieces follow: image, weights, mask. If a window has a mask and there is no piece
/// for it, the node makes it: the bits of the calibration's mask.
struct PackedFrame: Codable, Equatable, Sendable {
    /// A master, of which the system that unpacks has all pixels.
    struct Master: Codable, Equatable, Sendable {
        var role: String
        /// The XXH3-64 of its pixels, as 32-bit floats.
        var checksum: UInt64
        var rowLength: Int
        /// Number of the pixel that belongs to the first one of the calibrated image.
        var origin: Int
    }

    /// Number of the definition of the calibrated pixels, which changes with it.
    private var version = Self.version
    var window: WindowPixels
    /// The raw samples of the piece, in the raw image.
    var raw: PixelRect
    var steps: ReductionSteps
    var masters: [Master]
    var image: PackedWindow.Piece
    var weights: PackedWindow.Piece?
    var mask: PackedWindow.Piece?

    /// A window of a calibrated image; nil if it cannot be calibrated without the rest of the image.
    init?(
        _ window: WindowPixels, _ calibration: CalibratedImage, _ image: StoredPiece, _ weights: StoredPiece?,
        _ mask: StoredPiece?
    ) {
        let steps = calibration.reduction.steps
        guard calibration.isPortable, Self.mayBeSearched(window.rect, steps) else { return nil }
        (self.window, self.steps, raw) = (window, steps, steps.rawWindow(of: window.rect))
        masters = MasterImages.Role.allCases.compactMap { role in
            guard let master = calibration.master(role), let pixels = calibration.reduction.masters[role] else {
                return nil
            }
            return Master(
                role: role.rawValue, checksum: ImageReader.Frame.checksum(of: master), rowLength: pixels.rowLength,
                origin: pixels.origin)
        }
        self.image = PackedWindow.Piece(image)
        (self.weights, self.mask) = (weights.map(PackedWindow.Piece.init), mask.map(PackedWindow.Piece.init))
    }

    private static let version = 1
    /// Above the limit of a coding, so that it is not taken for the length of one.
    private static let mark: UInt32 = .max
    private static let headSize = 8
    /// Longest coding that is accepted: an image may have a level for each column.
    private static let codingLimit = 64 << 20

    /// Most pixels of a window.
    private static let largestArea = 1 << 28
    /// Most pixels of an image in which a node searches cosmic rays: memory for them is several times that of the image.
    private static let largestSearch = 1 << 24

    /// Whether no cosmic rays are searched, or all of the image is at hand for it.
    private static func mayBeSearched(_ window: PixelRect, _ steps: ReductionSteps) -> Bool {
        steps.rays == nil || window == steps.whole && window.area <= largestSearch
    }

    /// The first bytes of the packed form.
    func head() throws -> [UInt8] {
        let coding = try WireEncoder().encode(self)
        return [Self.mark, UInt32(coding.count)].flatMap { number in
            withUnsafeBytes(of: number.littleEndian) { Array($0) }
        } + coding
    }

    /// Whether `bytes` are of this form.
    static func isMarked(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.count >= headSize && UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self)) == mark
    }

    /// Makes the `count` bytes that `bytes` were packed from, with the masters that this process holds.
    /// - Throws: ``ScanSetupError`` or ``ImageError`` if they are no such window, or a master is missing; what decoding
    ///   throws.
    static func unpack(_ bytes: UnsafeRawBufferPointer, to count: Int) throws -> BulkBytes {
        let length = Int(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self)))
        guard length <= min(codingLimit, bytes.count - headSize) else {
            throw ScanSetupError("the packed frame begins with \(length) of \(bytes.count) bytes")
        }
        let end = headSize + length
        let frame = try WireDecoder().decode(
            PackedFrame.self, from: UnsafeRawBufferPointer(rebasing: bytes[headSize..<end]))
        try frame.validate()
        guard frame.window.byteCount == count else {
            throw ScanSetupError("the window \(frame.window.rect) does not have \(count) bytes")
        }
        let masters = try frame.heldMasters()
        let reduction = FrameReduction(frame.steps, masters.mapValues(\.pixels), of: "the packed frame")
        return try BulkBytes(byteCount: count) { target in
            let parts = frame.window.split(target)
            var rest = UnsafeRawBufferPointer(rebasing: bytes[end...])
            let piece = try frame.image.take(from: &rest)
            try frame.calibrate(piece, reduction, into: parts)
            let size = (frame.window.rect.width, frame.window.rect.height)
            func read(_ piece: PackedWindow.Piece, _ target: UnsafeMutableBufferPointer<Float>) throws {
                try FITSImage.read(
                    piece: try piece.take(from: &rest), column: piece.column, row: piece.row, size: size, into: target)
            }
            if let target = parts.weights, let piece = frame.weights { try read(piece, target) }
            if let target = parts.mask, let piece = frame.mask {
                try frame.window.readMask(into: target) { try read(piece, $0) }
            }
            guard rest.isEmpty else { throw ScanSetupError("\(rest.count) bytes follow the packed frame") }
        }
    }

    /// Checks what another process says about the pixels.
    private func validate() throws {
        try window.rect.validate()
        try raw.validate()
        guard version == Self.version, window.hasWeights == (weights != nil), window.hasMask || mask == nil,
            mask != nil || !window.hasMask || steps.rays == nil, !window.rect.isEmpty,
            steps.isValid, steps.whole.contains(window.rect), raw.contains(steps.rawWindow(of: window.rect)),
            raw.area <= Self.largestArea, Self.mayBeSearched(window.rect, steps)
        else { throw ScanSetupError("the packed frame cannot be calibrated") }
    }

    private func heldMasters() throws -> [MasterImages.Role: (pixels: MasterPixels, bytes: BulkBytes)] {
        var held: [MasterImages.Role: (pixels: MasterPixels, bytes: BulkBytes)] = [:]
        for master in masters {
            guard let role = MasterImages.Role(rawValue: master.role),
                let bytes = HeldMasters.shared.find(master.checksum)
            else { throw ScanSetupError("the \(master.role) of a packed frame is not here") }
            let pixels = bytes.withUnsafeBytes { memory in
                MasterPixels(
                    memory.bindMemory(to: Float.self), of: bytes, rowLength: master.rowLength, origin: master.origin,
                    covering: steps.whole)
            }
            guard let pixels else { throw ScanSetupError("the \(master.role) of a packed frame has another size") }
            held[role] = (pixels, bytes)
        }
        return held
    }

    private func calibrate(
        _ piece: UnsafeRawBufferPointer, _ reduction: FrameReduction, into parts: WindowPixels.Parts
    ) throws {
        var samples = [Float](repeating: 0, count: raw.area)
        try samples.withUnsafeMutableBufferPointer {
            try FITSImage.read(
                piece: piece, column: image.column, row: image.row, size: (raw.width, raw.height), into: $0)
        }
        try samples.withUnsafeBufferPointer { samples in
            try reduction.calibrate(
                window.rect, RawWindow(raw, samples), into: parts.samples, bits: mask == nil ? parts.bits : nil)
        }
    }
}
