import ScanBasics
import ScanCluster
import ScanNetwork
import Testing

@Suite("A task whose bulk bytes come in parts")
struct PartedTaskTests {
    private static let bytes = (0..<700_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    private static let bulk = BulkBytes(byteCount: bytes.count) { $0.copyBytes(from: bytes) }

    private static func putHead(_ request: UInt64, into queue: inout Connection.OutQueue) {
        queue.append { writer in
            ([8, 9] as [UInt8]).withUnsafeBytes { task in
                writer.putTask(
                    request: request, attempt: 1, typeName: "t/1", task: task, key: nil, bulk: bulk, isParted: true)
            }
        }
    }

    /// Takes at most `count` bytes, as a socket does.
    private static func take(_ count: Int, _ queue: inout Connection.OutQueue) -> [UInt8] {
        var bytes: [UInt8] = []
        queue.withPieces { pieces in
            for piece in pieces { bytes += UnsafeRawBufferPointer(start: piece.iov_base, count: piece.iov_len) }
        }
        bytes = Array(bytes.prefix(count))
        queue.advance(by: bytes.count)
        return bytes
    }

    private static func feed(
        _ bytes: [UInt8], _ decoder: inout FrameDecoder, piece: Int, take: (Frame) -> Void
    ) throws {
        var offset = 0
        while offset < bytes.count {
            let space = decoder.space()
            let count = min(piece, space.count, bytes.count - offset)
            bytes[offset..<offset + count].withUnsafeBytes { space.copyMemory(from: $0) }
            decoder.received(count)
            offset += count
            while let frame = try decoder.next() { take(frame) }
        }
    }

    @Test(
        "without its last byte never comes out, and the next one is whole, whether or not it was cancelled",
        arguments: [true, false])
    func probe(isCancelled: Bool) throws {
        var queue = Connection.OutQueue()
        Self.putHead(.max, into: &queue)
        let all = Self.bytes.count - 1
        queue.append(BulkBytes(byteCount: all) { $0.copyBytes(from: Self.bytes[..<all]) }, inPartsOf: .max)
        if isCancelled { queue.append { $0.putCancel(request: .max) } }
        Self.putHead(6, into: &queue)
        queue.append(Self.bulk, inPartsOf: 6)
        var decoder = FrameDecoder(limit: 1 << 20)
        var (tasks, cancels): ([UInt64], Int) = ([], 0)
        while queue.waiting > 0 {
            try Self.feed(Self.take(100_000, &queue), &decoder, piece: 70_000) { frame in
                switch frame {
                case .task(let task): tasks.append(task.request)
                case .cancel: cancels += 1
                default: Issue.record("\(frame)")
                }
            }
        }
        #expect(tasks == [6] && cancels == (isCancelled ? 1 : 0))
    }

    @Test("arrives whole, whatever is sent and received at a time", arguments: [1_000, 16_384, 262_160, 1 << 20])
    func whole(piece: Int) throws {
        var queue = Connection.OutQueue()
        Self.putHead(5, into: &queue)
        queue.append(Self.bulk, inPartsOf: 5)
        queue.append { $0.putPing(9) }
        #expect(queue.bulkCount == 1)
        var decoder = FrameDecoder(limit: 1 << 20)
        var (tasks, pings) = (0, 0)
        while queue.waiting > 0 {
            try Self.feed(Self.take(piece, &queue), &decoder, piece: 70_000) { frame in
                switch frame {
                case .task(let task):
                    tasks += 1
                    #expect(task.request == 5 && Array(task.task) == [8, 9])
                    #expect(task.bulk?.withUnsafeBytes { Array($0) == Self.bytes } == true)
                case .ping: pings += 1
                default: Issue.record("an unexpected frame")
                }
            }
        }
        #expect(tasks == 1 && pings == 1 && queue.bulkCount == 0)
    }

    @Test("that is cancelled stops being sent at the end of a part, and the frames behind it arrive", arguments: 0..<20)
    func cancelled(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var queue = Connection.OutQueue()
        Self.putHead(5, into: &queue)
        queue.append(Self.bulk, inPartsOf: 5)
        Self.putHead(6, into: &queue)
        queue.append(Self.bulk, inPartsOf: 6)
        var decoder = FrameDecoder(limit: 1 << 20)
        var (requests, pings) = ([UInt64](), 0)
        func take(_ count: Int) throws {
            try Self.feed(Self.take(count, &queue), &decoder, piece: 70_000) { frame in
                if case .task(let task) = frame { requests.append(task.request) }
                if case .ping = frame { pings += 1 }
            }
        }
        // Before the last part begins, with which the task would be complete.
        let first = Int.random(in: 0...500_000, using: &random)
        try take(first)
        let before = queue.waiting
        queue.removeParts(of: 5)
        // What is left of the part that has begun is sent.
        #expect(queue.waiting <= before && before - queue.waiting >= Self.bytes.count - first - (256 << 10))
        queue.append { $0.putCancel(request: 5) }
        queue.append { $0.putPing(1) }
        while queue.waiting > 0 { try take(50_000) }
        #expect(requests == [6] && pings == 1 && queue.bulkCount == 0)
    }

    @Test("ends the connection if a part belongs to no task, is too long or comes twice")
    func malformed() throws {
        func part(_ request: UInt64, _ count: Int) -> [UInt8] {
            var writer = ByteWriter()
            writer.putPart(request: request, count: count)
            return Array(writer.bytes) + [UInt8](repeating: 0, count: count)
        }
        var queue = Connection.OutQueue()
        Self.putHead(5, into: &queue)
        let head = Self.take(1 << 20, &queue)
        for bytes in [part(5, 10), head + part(6, 10), head + part(5, 700_001), head + part(5, 0)] {
            var decoder = FrameDecoder(limit: 1 << 20)
            #expect(throws: ProtocolError.self) { try Self.feed(bytes, &decoder, piece: 1 << 20) { _ in } }
        }
    }
}
