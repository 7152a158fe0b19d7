import ScanBasics
import ScanCluster
import ScanNetwork
import ScanTestSupport
import Testing

@Suite("The out-queue")
struct OutQueueTests {
    @Test("sends frames and bulk bytes in order, however little is taken at a time", arguments: 0..<20)
    func order(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        var queue = Connection.OutQueue()
        var expected: [UInt8] = []
        var sent: [UInt8] = []
        for _ in 0..<300 {
            let size = Int.random(in: 0...40, using: &generator)
            let bytes = (0..<size).map { _ in UInt8.random(in: 0...255, using: &generator) }
            expected += bytes
            if Bool.random(using: &generator) {
                queue.append(BulkBytes(byteCount: size) { $0.copyBytes(from: bytes) })
            } else {
                queue.append { writer in bytes.withUnsafeBytes { writer.put(raw: $0) } }
            }
            if generator.next() % 4 == 0 { sent += Self.take(Int.random(in: 0...60, using: &generator), &queue) }
            #expect(queue.waiting == expected.count - sent.count)
        }
        while queue.waiting > 0 { sent += Self.take(1000, &queue) }
        #expect(sent == expected)
    }

    @Test("keeps no frames that were sent, though it is never empty, and confuses nothing when it drops them")
    func compact() {
        var queue = Connection.OutQueue()
        var expected: [UInt8] = []
        var sent: [UInt8] = []
        for number in 0..<400 {
            let bytes = [UInt8](repeating: UInt8(number % 251), count: 50_000)
            let bulk = [UInt8](repeating: UInt8(number % 7), count: 3)
            queue.append { writer in bytes.withUnsafeBytes { writer.put(raw: $0) } }
            queue.append(BulkBytes(byteCount: 3) { $0.copyBytes(from: bulk) })
            expected += bytes + bulk
            if number > 2 { sent += Self.take(50_003, &queue) }
            #expect(number < 3 || queue.waiting > 100_000)
        }
        #expect(queue.capacity < 8 << 20)
        while queue.waiting > 0 { sent += Self.take(70_000, &queue) }
        #expect(sent == expected)
    }

    /// Plays the socket.
    static func take(_ limit: Int, _ queue: inout Connection.OutQueue) -> [UInt8] {
        let bytes = queue.withPieces { pieces in
            pieces.flatMap { [UInt8](UnsafeRawBufferPointer(start: $0.iov_base, count: $0.iov_len)) }
        }
        let taken = bytes.prefix(limit)
        queue.advance(by: taken.count)
        return Array(taken)
    }
}
