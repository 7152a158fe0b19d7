package import ScanCluster

#if canImport(Glibc)
    package import Glibc
#else
    package import Darwin
#endif

extension Connection {
    /// Bytes that wait to be sent: frames, gathered in one buffer, and bulk bytes, sent without a copy.
    package struct OutQueue: ~Copyable {
        /// Bulk bytes that follow the first `after` bytes of the frames.
        private struct Segment {
            var after: Int
            var bulk: BulkBytes
            /// The first byte that is not sent.
            var sent = 0
            /// The byte behind the last of the segment.
            let end: Int
            /// The request of which the segment is a part; nil if it has all bulk bytes of a task.
            var request: UInt64?
        }

        private var frames = ByteWriter(capacity: 1 << 14)
        private var sent = 0
        private var segments: [Segment] = []
        private var firstSegment = 0
        private var bulkWaiting = 0
        /// Number of bulk bytes' owners, some of whose bytes wait.
        package private(set) var bulkCount = 0

        package init() {}

        /// Number of bytes that wait.
        package var waiting: Int { frames.count - sent + bulkWaiting }

        /// Memory for frames, in bytes.
        package var capacity: Int { frames.capacity }

        package mutating func append(_ body: (inout ByteWriter) -> Void) { body(&frames) }

        /// Appends bulk bytes, which are kept until they are sent.
        package mutating func append(_ bulk: BulkBytes) {
            guard bulk.count > 0 else { return }
            segments.append(Segment(after: frames.count, bulk: bulk, end: bulk.count))
            bulkWaiting += bulk.count
            bulkCount += 1
        }

        /// Appends bulk bytes of a request in part frames.
        package mutating func append(_ bulk: BulkBytes, inPartsOf request: UInt64) {
            for start in stride(from: 0, to: bulk.count, by: FrameFormat.partSize) {
                let end = min(start + FrameFormat.partSize, bulk.count)
                frames.putPart(request: request, count: end - start)
                segments.append(Segment(after: frames.count, bulk: bulk, sent: start, end: end, request: request))
            }
            bulkWaiting += bulk.count
            if bulk.count > 0 { bulkCount += 1 }
        }

        /// The request whose part frames are sent next, and the number of its bulk bytes that wait; nil if none waits.
        package var frontParts: (request: UInt64, left: Int)? {
            let front = segments[firstSegment...].first { $0.request != nil }
            return front.flatMap { segment in segment.request.map { ($0, segment.bulk.count - segment.sent) } }
        }

        /// Removes the part frames of a request of which nothing was sent.
        package mutating func removeParts(of request: UInt64) {
            let header = FrameFormat.requestHeaderSize
            let first = segments[firstSegment...].firstIndex { $0.request == request && $0.after - header >= sent }
            guard let first else { return }
            let end = segments[first...].firstIndex { $0.request != request } ?? segments.count
            let headers = segments[first].after - header..<segments[end - 1].after
            for segment in segments[first..<end] { bulkWaiting -= segment.end - segment.sent }
            let isBegun = first > firstSegment && segments[first - 1].request == request
            if !isBegun { bulkCount -= 1 }
            frames.remove(headers)
            segments.removeSubrange(first..<end)
            for index in segments.indices.dropFirst(first) { segments[index].after -= headers.count }
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
                    segment.bulk.withUnsafeBytes {
                        add(UnsafeRawBufferPointer(rebasing: $0[segment.sent..<segment.end]))
                    }
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
                let fromBulk = min(rest, segments[firstSegment].end - segments[firstSegment].sent)
                segments[firstSegment].sent += fromBulk
                bulkWaiting -= fromBulk
                rest -= fromBulk
                guard segments[firstSegment].sent == segments[firstSegment].end else { continue }
                // Bulk bytes are released as soon as they are sent.
                let request = segments[firstSegment].request
                let isLast =
                    request == nil || !segments[(firstSegment + 1)...].prefix(1).contains { $0.request == request }
                if isLast { bulkCount -= 1 }
                segments[firstSegment].bulk = Self.nothing
                firstSegment += 1
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
}
