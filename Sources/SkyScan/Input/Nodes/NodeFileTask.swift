internal import ScanCluster
internal import ScanNetwork
internal import SkyFITS

/// A question about the files of a node. Its bulk bytes are the answer, which the node makes when it reads what the
/// reference refers to.
struct NodeFileTask: ScanTask {
    static let typeName = "sky.files/2"

    /// The part of a reference whose origin is a ``NodeFileRequest``.
    static let part = Array("files".utf8)

    /// Bytes of an answer: its length in four bytes, its coding, zeros.
    static let byteCount = 4 << 20

    private static let lengthSize = 4

    var id = 0

    func scan(_ context: ScanContext) throws -> NodeFileAnswer {
        guard let bytes = context.takeBulk(), bytes.count == Self.byteCount else {
            throw ScanSetupError("the answer has another length")
        }
        return try bytes.withUnsafeBytes { bytes in
            let length = Int(UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self)))
            guard length <= Self.byteCount - Self.lengthSize else { throw ScanSetupError("the answer has no length") }
            return try WireDecoder().decode(
                NodeFileAnswer.self,
                from: UnsafeRawBufferPointer(rebasing: bytes[Self.lengthSize..<Self.lengthSize + length]))
        }
    }

    /// The bulk bytes of a task.
    /// - Throws: `EncodingError`.
    static func bytes(of answer: NodeFileAnswer) throws -> BulkBytes {
        var coded = try WireEncoder().encode(answer)
        if coded.count > byteCount - lengthSize {
            let message = "the answer would have \(coded.count) bytes; ask for fewer files"
            coded = try WireEncoder().encode(
                NodeFileAnswer(problem: .init(code: ImageErrorCode.tooLarge.rawValue, message: message)))
        }
        return BulkBytes(byteCount: byteCount) { bytes in
            bytes.initializeMemory(as: UInt8.self, repeating: 0)
            bytes.storeBytes(of: UInt32(coded.count).littleEndian, as: UInt32.self)
            UnsafeMutableRawBufferPointer(rebasing: bytes[lengthSize...]).copyBytes(from: coded)
        }
    }
}

/// The pixels of a window of an image on a node, for systems that cannot read it themselves.
struct PixelsTask: WindowTask {
    static let typeName = "sky.pixels/1"

    var id = 0
    let window: WindowPixels

    /// In pixels, weighted by the cost relative to extraction.
    var cost: Double { max(1, Double(window.rect.area) / 100) }

    func scan(_ context: ScanContext) throws -> [UInt8] {
        try window.rect.validate()
        guard let bytes = context.takeBulk(), bytes.count == window.byteCount else {
            throw ScanSetupError("the window \(window.rect) came with other pixels")
        }
        return bytes.withUnsafeBytes { Array($0) }
    }

    func validate(_ output: [UInt8]) throws {
        guard output.count == window.byteCount else {
            throw ScanSetupError("the window \(window.rect) came with \(output.count) bytes")
        }
    }
}
