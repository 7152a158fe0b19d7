import ScanCluster

@testable import ScanNetwork
import ScanCompression

extension FuzzTarget {
    /// The frame decoder of both sides. The first byte says how long the pieces are in which the bytes come, and whether
    /// checksums are put right first, so that what is behind them is reached.
    static let frames = FuzzTarget(name: "frames") { bytes in
        var input = FuzzInput(bytes)
        let choice = input.byte()
        var stream = [UInt8](input.rest)
        if choice & 1 == 0 { mendChecksums(&stream) }
        let piece = [1, 7, 64, 1000, 1 << 16][Int(choice >> 1) % 5]
        var decoder = FrameDecoder(limit: 1 << 20)
        var offset = 0
        do throws(ProtocolError) {
            while offset < stream.count {
                let space = decoder.space()
                let count = min(piece, space.count, stream.count - offset)
                stream[offset..<offset + count].withUnsafeBytes { space.copyMemory(from: $0) }
                decoder.received(count)
                offset += count
                while let frame = try decoder.next() { touch(frame) }
            }
        } catch {
            precondition(!error.message.isEmpty)
        }
    } seeds: {
        var seeds: [String: [UInt8]] = [:]
        func add(_ name: String, _ choice: UInt8, _ body: (inout ByteWriter) -> Void) {
            var writer = ByteWriter()
            body(&writer)
            seeds[name] = Array(writer.bytes).chosen(choice)
        }
        let bulk = BulkBytes(byteCount: 24) { $0.initializeMemory(as: UInt8.self, repeating: 7) }
        let key = BulkKey(job: 5, index: 6)
        add("coordinator", 4) { writer in
            [1, 2, 3].withUnsafeBytes {
                writer.putTask(request: 1, attempt: 1, typeName: "sky.band/1", task: $0, key: key, bulk: bulk)
            }
            bulk.withUnsafeBytes { writer.put(raw: $0) }
            [4].withUnsafeBytes {
                writer.putTask(
                    request: 2, attempt: 3, typeName: "sky.mesh/1", task: $0, key: key, isLastUse: true, bulk: nil)
            }
            writer.putCancel(request: 1)
            writer.putPing(9)
            writer.putCall(3, body: [5, 6, 7])
        }
        add("compressed", 4) { writer in
            let numbers = BulkBytes(byteCount: 400) { $0.initializeMemory(as: UInt8.self, repeating: 9) }
            guard let bulk = BulkCompression.compress(numbers, width: 4) else { return }
            [1, 2].withUnsafeBytes {
                writer.putTask(request: 1, attempt: 1, typeName: "sky.band/1", task: $0, key: key, bulk: bulk)
            }
            bulk.withUnsafeBytes { writer.put(raw: $0) }
        }
        add("node", 2) { writer in
            [1, 2, 3, 4, 5].withUnsafeBytes {
                writer.putResponse(
                    ResponseFrame(
                        request: 1, identity: .init(task: 2, attempt: 1), succeeded: true, keptBulk: true,
                        seconds: 0.25, body: $0))
            }
            Array("no".utf8).withUnsafeBytes {
                writer.putResponse(
                    ResponseFrame(
                        request: 2, identity: .init(task: 2, attempt: 1), succeeded: false, keptBulk: false,
                        seconds: 0, body: $0))
            }
            writer.putRefusal(request: 3, reason: .queueFull, message: "full")
            writer.putPong(9)
            writer.putWeight(2.5)
            writer.putReply(3, body: [8])
            writer.putGoodbye(draining: true, message: "the node is draining")
        }
        add("small", 1) { $0.putPing(1) }
        return seeds
    }

    /// Reads every byte that a frame lends.
    private static func touch(_ frame: Frame) {
        switch frame {
        case .task(let task):
            _ = checksum(task.typeName) ^ checksum(task.task)
            _ = task.bulk.map { $0.withUnsafeBytes(checksum) }
            _ = TaskTypes.sky.find(task.typeName)
        case .response(let response): _ = checksum(response.body)
        case .refusal(_, _, let message), .goodbye(_, let message): precondition(message.utf8.count <= 1 << 22)
        case .call(let call), .reply(let call): _ = checksum(call.body)
        case .cancel, .ping, .pong, .weight: break
        }
    }

    /// Writes the right checksums into all frames that have their full length.
    private static func mendChecksums(_ stream: inout [UInt8]) {
        var start = 0
        func put(_ value: UInt64, at offset: Int) {
            for byte in 0..<8 { stream[start + offset + byte] = UInt8(truncatingIfNeeded: value >> (8 * byte)) }
        }
        func sum(_ range: Range<Int>) -> UInt64 { stream[range].withUnsafeBytes(checksum) }
        while start + FrameFormat.prefixSize <= stream.count {
            let (size, headSize, taskStart) = stream.withUnsafeBytes { bytes in
                let frame = bytes.from(start)
                guard frame.count >= FrameFormat.taskHeaderSize else { return (Int(frame.u32(0)) + 4, 0, 0) }
                let hasCount = frame[5] & FrameFormat.TaskFlag.hasUnpackedCount != 0
                let taskStart =
                    FrameFormat.taskHeaderSize + (hasCount ? FrameFormat.unpackedCountSize : 0) + Int(frame[6])
                return (Int(frame.u32(0)) + 4, taskStart + Int(frame.u32(20)), taskStart)
            }
            guard size <= stream.count - start else { return }
            switch FrameFormat.Kind(rawValue: stream[start + 4]) {
            case .task where size >= FrameFormat.taskHeaderSize && headSize <= size:
                put(sum(start + taskStart..<start + headSize), at: 32)
                let body = start + headSize + FrameFormat.referenceHeaderSize
                if stream[start + 5] & FrameFormat.TaskFlag.hasReference == 0 {
                    put(sum(start + headSize..<start + size), at: 40)
                } else if body <= start + size {
                    put(sum(body..<start + size), at: headSize)
                }
            case .response where size >= FrameFormat.responseHeaderSize:
                put(sum(start + FrameFormat.responseHeaderSize..<start + size), at: 24)
            case .call where size >= FrameFormat.callHeaderSize, .reply where size >= FrameFormat.callHeaderSize:
                put(sum(start + FrameFormat.callHeaderSize..<start + size), at: 16)
            default: break
            }
            start += size
        }
    }
}
