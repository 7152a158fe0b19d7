package import ScanCluster
internal import ScanNetwork
internal import SkyFITS

/// Brings all pixels of a master to a node, which keeps them under their key until the connection ends, if it has room,
/// and finds them by their checksum when it calibrates frames.
package struct MasterTask: ScanTask {
    package static let typeName = "sky.master/1"

    package var id = 0
    /// Number of its pixels.
    package var pixelCount: Int

    package var cost: Double { max(1, Double(pixelCount) / 20) }

    package func scan(_ context: ScanContext) throws -> UInt64 {
        let bytes = try context.requireBulk()
        guard bytes.count.isMultiple(of: MemoryLayout<Float>.size), bytes.count / MemoryLayout<Float>.size == pixelCount
        else {
            throw ScanSetupError("a master of \(pixelCount) pixels came with \(bytes.count) bytes")
        }
        return HeldMasters.shared.add(bytes)
    }
}

/// The pixels of masters that this process keeps for coordinators, as long as one of their connections keeps them.
package final class HeldMasters: Sendable {
    package static let shared = HeldMasters()

    private struct Entry: @unchecked Sendable {
        // Sendable: a weak reference, which is read and written under the lock only.
        weak var bytes: BulkBytes?
    }
    // Several connections may bring the same pixels: those of one stay when another ends.
    private let entries = Locked<[UInt64: [Entry]]>([:])

    /// Adds pixels.
    /// - Returns: their checksum.
    func add(_ bytes: BulkBytes) -> UInt64 {
        let sum = bytes.checksum(checksum)
        entries.withLock { entries in
            entries = entries.mapValues { $0.filter { $0.bytes != nil } }.filter { !$0.value.isEmpty }
            entries[sum, default: []].append(Entry(bytes: bytes))
        }
        return sum
    }

    /// The pixels with a checksum; nil if they are not here any more.
    func find(_ checksum: UInt64) -> BulkBytes? {
        entries.withLock { entries in entries[checksum]?.lazy.compactMap(\.bytes).first }
    }
}
