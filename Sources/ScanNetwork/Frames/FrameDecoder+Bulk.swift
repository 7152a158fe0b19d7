import ScanCluster
internal import ScanBasics

extension FrameDecoder {
    /// A task whose bulk bytes are received in part frames.
    struct PartedTask {
        let request: UInt64
        let head: IncomingMemory
        var bulk: IncomingBulk
        /// Bytes of the current part that are not received.
        var left = 0

        init(request: UInt64, head: IncomingMemory, bulk: IncomingBulk) {
            (self.request, self.head, self.bulk) = (request, head, bulk)
        }

        /// Bulk bytes that are not received.
        var missing: Int { bulk.space.count }

        /// Memory for the rest of the current part.
        var space: UnsafeMutableRawBufferPointer { UnsafeMutableRawBufferPointer(rebasing: bulk.space[..<left]) }

        mutating func received(_ count: Int) {
            bulk.received(count)
            left -= count
        }
    }

    /// Bulk bytes that are being received.
    struct IncomingBulk {
        private let memory: IncomingMemory
        private var filled = 0
        private let unpackedCount: Int?
        private let isCompressed: Bool
        /// Length of the frame's part before the bulk bytes, which waits in the buffer.
        let headSize: Int
        /// Bulk bytes that were received together with the head.
        var early = 0

        init(byteCount: Int, unpackedCount: Int?, isCompressed: Bool, headSize: Int) {
            memory = IncomingMemory(byteCount: byteCount)
            self.unpackedCount = unpackedCount
            self.isCompressed = isCompressed
            self.headSize = headSize
        }

        var isComplete: Bool { filled == memory.bytes.count }

        var space: UnsafeMutableRawBufferPointer { UnsafeMutableRawBufferPointer(rebasing: memory.bytes[filled...]) }

        mutating func received(_ count: Int) { filled += count }

        /// The bytes, once they are complete.
        func take() -> BulkBytes { memory.take(unpackedCount: unpackedCount, isCompressed: isCompressed) }
    }

    /// Frees the memory of bulk bytes that never became complete.
    final class IncomingMemory {
        private(set) var bytes: UnsafeMutableRawBufferPointer
        private var isTaken = false

        init(byteCount: Int) { bytes = LargeMemory.allocate(byteCount: byteCount) }

        deinit { if !isTaken { LargeMemory.deallocate(bytes) } }

        func take(unpackedCount: Int?, isCompressed: Bool) -> BulkBytes {
            isTaken = true
            return BulkBytes(taking: bytes, unpackedCount: unpackedCount, isCompressed: isCompressed)
        }
    }
}
