public import ScanCluster
internal import SkyFITS

/// The checksums of the files of a scan, computed by a node that has them. Its bulk bytes are the checksums, which the
/// node computes when it reads what the reference refers to.
package struct ChecksumTask: ScanTask {
    package static let typeName = "sky.checksum/1"

    /// The part of a reference that refers to the checksums of the origin's files.
    static let part: [UInt8] = []

    static let byteCount = 3 * MemoryLayout<UInt64>.size

    package var id = 0
    /// Pixels of the image.
    var pixels: Int
    /// Whether there is a mask.
    var hasMask: Bool
    /// Whether there is a weight map.
    var hasWeights: Bool

    /// In pixels, weighted by the cost relative to extraction.
    package var cost: Double { max(1, Double(pixels) / 100) }

    /// For the files of an image.
    init(of image: ImageSummary) {
        (pixels, hasMask, hasWeights) = (image.area, image.mask != nil, image.weights != nil)
    }

    package func scan(_ context: ScanContext) throws -> InputChecksums {
        let bulk = context.takeBulk()
        guard let bytes = bulk, bytes.count == Self.byteCount else {
            throw ScanSetupError("the checksums came with \(bulk?.count ?? 0) bytes")
        }
        let numbers = bytes.withUnsafeBytes { bytes in
            (0..<3).map { UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8 * $0, as: UInt64.self)) }
        }
        return InputChecksums(
            image: numbers[0], mask: hasMask ? numbers[1] : nil, weights: hasWeights ? numbers[2] : nil)
    }

    package func validate(_ output: InputChecksums) throws {
        guard (output.mask != nil) == hasMask, (output.weights != nil) == hasWeights else {
            throw ScanSetupError("the checksums are those of other files")
        }
    }

    /// The bulk bytes of a task.
    static func bytes(of checksums: InputChecksums) -> BulkBytes {
        BulkBytes(byteCount: byteCount) { bytes in
            for (index, number) in [checksums.image, checksums.mask ?? 0, checksums.weights ?? 0].enumerated() {
                bytes.storeBytes(of: number.littleEndian, toByteOffset: 8 * index, as: UInt64.self)
            }
        }
    }

    /// The source of its bulk bytes for the files of a reader, which computes them unless a node can.
    static func source(_ reader: ImageReader, key: BulkKey? = nil) -> BulkSource {
        BulkSource(key: key, isLastUse: key != nil, reference: reader.checksumReference, byteCount: byteCount) {
            bytes(of: try await reader.checksums())
        }
    }
}

extension ImageReader {
    /// The checksums of the files as of ``checksums(patience:)``, computed by a node that has the same files, or here
    /// if none of those that `coordinator` reaches has them.
    /// - Throws: as ``checksums(patience:)``.
    public nonisolated func checksums(by coordinator: ScanCoordinator) async throws -> InputChecksums {
        let task = ChecksumTask(of: summary)
        let holders = node?.nodes ?? copyNodes.with
        // Nothing is kept. The key only leads the task to a node that has the files.
        let key = holders.isEmpty ? nil : BulkKey(job: .random(in: .min ... .max), index: 0)
        if let key { for node in holders { coordinator.note([key], heldBy: node) } }
        do {
            for try await response in coordinator.responses(
                to: CollectionOfOne(task), bulk: { _ in ChecksumTask.source(self, key: key) })
            {
                if case .success(let checksums) = response.result { return checksums }
            }
        } catch {
            // The scan itself reports that there is no node.
            try Task.checkCancellation()
        }
        return try await checksums()
    }
}
