package import ScanCluster

#if canImport(Glibc)
    package import Glibc
#else
    package import Darwin
#endif

/// Bytes that wait to be sent: frames, gathered in one buffer, and bulk bytes, sent without a copy.
package struct OutQueue: ~Copyable {
    /// Bulk bytes that follow the first `after` bytes of the frames.
    private struct Segment {
        var after: Int
        var bulk: BulkBytes
        var sent = 0
    }

    private var frames = ByteWriter(capacity: 1 << 14)
    private var sent = 0
    private var segments: [Segment] = []
    private var firstSegment = 0
    private var bulkWaiting = 0

    package init() {}

    /// Number of bytes that wait.
    package var waiting: Int { frames.count - sent + bulkWaiting }

    /// Number of bulk bytes' owners, some of whose bytes wait.
    package var bulkCount: Int { segments.count - firstSegment }

    /// Memory for frames, in bytes.
    package var capacity: Int { frames.capacity }

    /// Appends frames.
    package mutating func append(_ body: (inout ByteWriter) -> Void) { body(&frames) }

    /// Appends bulk bytes, which are kept until they are sent.
    package mutating func append(_ bulk: BulkBytes) {
        guard bulk.count > 0 else { return }
        segments.append(Segment(after: frames.count, bulk: bulk))
        bulkWaiting += bulk.count
    }

    /// Calls `body` with the next pieces to be sent, at most 16.
    package func withPieces<Result>(_ body: (UnsafeBufferPointer<iovec>) -> Result) -> Result {
        withUnsafeTemporaryAllocation(of: iovec.self, capacity: 16) { pieces in
            var count = 0
            func add(_ bytes: UnsafeRawBufferPointer) {
                guard bytes.count > 0 else { return }
                pieces.initializeElement(
                    at: count,
                    to: iovec(iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress), iov_len: bytes.count))
                count += 1
            }
            var position = sent
            var index = firstSegment
            // Two pieces for a segment, and one for the frames after the last.
            while index < segments.count, count + 3 <= 16 {
                let segment = segments[index]
                add(UnsafeRawBufferPointer(rebasing: frames.bytes[position..<segment.after]))
                position = segment.after
                // The queue retains the object, whose memory never moves.
                segment.bulk.withUnsafeBytes { add(UnsafeRawBufferPointer(rebasing: $0[segment.sent...])) }
                index += 1
            }
            if index == segments.count {
                add(UnsafeRawBufferPointer(rebasing: frames.bytes[position...]))
            }
            return body(UnsafeBufferPointer(rebasing: pieces[..<count]))
        }
    }

    /// The first `count` waiting bytes were sent.
    package mutating func advance(by count: Int) {
        var rest = count
        while rest > 0 {
            let limit = firstSegment < segments.count ? segments[firstSegment].after : frames.count
            let fromFrames = min(rest, limit - sent)
            sent += fromFrames
            rest -= fromFrames
            guard rest > 0 else { break }
            let fromBulk = min(rest, segments[firstSegment].bulk.count - segments[firstSegment].sent)
            segments[firstSegment].sent += fromBulk
            bulkWaiting -= fromBulk
            rest -= fromBulk
            if segments[firstSegment].sent == segments[firstSegment].bulk.count {
                // Bulk bytes are released as soon as they are sent.
                segments[firstSegment].bulk = Self.nothing
                firstSegment += 1
            }
        }
        if waiting == 0 {
            frames.clear()
            sent = 0
            segments.removeAll(keepingCapacity: true)
            firstSegment = 0
        } else if sent >= Self.idleLimit, sent * 2 > frames.count {
            compact()
        }
    }

    /// Removes sent bytes: on a link that is the bottleneck the queue is never empty.
    private mutating func compact() {
        frames.removeFirst(sent)
        segments.removeFirst(firstSegment)
        for index in segments.indices { segments[index].after -= sent }
        firstSegment = 0
        sent = 0
    }

    /// Number of sent bytes that may stay in memory.
    private static let idleLimit = 1 << 20
    private static let nothing = BulkBytes(byteCount: 0) { _ in }
}
