import ScanBasics
import ScanCluster
import ScanNetwork
import ScanTestSupport
import Testing

@Suite("The frame decoder")
struct FrameDecoderTests {
    /// A frame without views, to compare.
    enum Copy: Equatable {
        case task(UInt64, UInt32, String, [UInt8], BulkKey?, [UInt8]?)
        case response(UInt64, Bool, Bool, Double, [UInt8])
        case refusal(UInt64, RefusalReason, String)
        case cancel(UInt64)
        case ping(UInt64)
        case pong(UInt64)
        case goodbye(Bool, String)
        case call(UInt64, [UInt8])
        case reply(UInt64, [UInt8])
        case weight(Double)
        case report(UInt64, TaskReport)

        init(_ frame: Frame) {
            switch frame {
            case .task(let task):
                self = .task(
                    task.request, task.identity.attempt, String(decoding: task.typeName, as: UTF8.self),
                    [UInt8](task.task),
                    task.key, task.bulk.map { $0.withUnsafeBytes { [UInt8]($0) } })
            case .response(let response):
                self = .response(
                    response.request, response.succeeded, response.keptBulk, response.seconds, [UInt8](response.body))
            case .refusal(let request, let reason, let message): self = .refusal(request, reason, message)
            case .cancel(let request): self = .cancel(request)
            case .ping(let token): self = .ping(token)
            case .pong(let token): self = .pong(token)
            case .goodbye(let draining, let message): self = .goodbye(draining, message)
            case .call(let call): self = .call(call.number, [UInt8](call.body))
            case .reply(let reply): self = .reply(reply.number, [UInt8](reply.body))
            case .weight(let weight): self = .weight(weight)
            case .report(let request, let report): self = .report(request, report)
            }
        }
    }

    /// Feeds bytes in pieces of the given sizes and returns the frames.
    static func decode(
        _ bytes: [UInt8], limit: Int = 1 << 24, pieces: () -> Int
    ) throws -> [Copy] {
        var decoder = FrameDecoder(limit: limit)
        var frames: [Copy] = []
        var offset = 0
        while offset < bytes.count {
            let space = decoder.space()
            let count = min(pieces(), space.count, bytes.count - offset)
            bytes[offset..<offset + count].withUnsafeBytes { space.copyMemory(from: $0) }
            decoder.received(count)
            offset += count
            while let frame = try decoder.next() { frames.append(Copy(frame)) }
        }
        return frames
    }

    static func append(_ frame: Copy, to out: inout [UInt8]) {
        var writer = ByteWriter()
        switch frame {
        case .task(let request, let attempt, let typeName, let task, let key, let bulk):
            let bytes = bulk.map { bulk in BulkBytes(byteCount: bulk.count) { $0.copyBytes(from: bulk) } }
            task.withUnsafeBytes { task in
                writer.putTask(
                    request: request, attempt: attempt, typeName: typeName, task: task, key: key, bulk: bytes)
            }
            bytes?.withUnsafeBytes { writer.put(raw: $0) }
        case .response(let request, let succeeded, let kept, let seconds, let body):
            body.withUnsafeBytes { body in
                writer.putResponse(
                    ResponseFrame(
                        request: request, identity: .init(task: request ^ 1, attempt: 7), succeeded: succeeded,
                        keptBulk: kept, seconds: seconds, body: body))
            }
        case .refusal(let request, let reason, let message):
            writer.putRefusal(request: request, reason: reason, message: message)
        case .cancel(let request): writer.putCancel(request: request)
        case .ping(let token): writer.putPing(token)
        case .pong(let token): writer.putPong(token)
        case .goodbye(let draining, let message): writer.putGoodbye(draining: draining, message: message)
        case .call(let number, let body): writer.putCall(number, body: body)
        case .reply(let number, let body): writer.putReply(number, body: body)
        case .weight(let weight): writer.putWeight(weight)
        case .report(let request, let report): writer.putReport(request: request, report)
        }
        out += writer.bytes
    }

    static let samples: [Copy] = [
        .call(1, [1, 2]), .reply(.max, []), .ping(1), .pong(.max), .cancel(5), .weight(0.5),
        .report(7, .progress(0.25, "a quarter")), .report(8, .line("read 5 files")), .goodbye(true, "draining"),
        .goodbye(false, ""),
        .refusal(9, .queueFull, "full"), .refusal(10, .bulkMissing, ""),
        .response(3, true, true, 0.25, [1, 2, 3]), .response(4, false, false, 0, []),
        .task(1, 1, "a/1", [9, 8], nil, nil), .task(2, 3, "b/2", [], BulkKey(job: 5, index: 6), nil),
        .task(3, 1, "", [1], BulkKey(job: .max, index: 0), [7, 7, 7, 7]), .task(4, 1, "c", [], nil, []),
        .task(5, 2, "big", [UInt8](repeating: 3, count: 500), nil, [UInt8](repeating: 4, count: 200_000)), .ping(2),
    ]

    static var sampleBytes: [UInt8] {
        var bytes: [UInt8] = []
        for sample in samples { append(sample, to: &bytes) }
        return bytes
    }

    @Test("finds the same frames however the bytes are split", arguments: [1, 7, 64, 1000, 1 << 20])
    func fixedSplits(size: Int) throws {
        #expect(try Self.decode(Self.sampleBytes) { size } == Self.samples)
    }

    @Test("finds the same frames in random splits", arguments: 0..<20)
    func randomSplits(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let frames = (0..<60).map { _ in Self.samples.randomElement(using: &generator) ?? .ping(0) }
        var bytes: [UInt8] = []
        for frame in frames { Self.append(frame, to: &bytes) }
        let decoded = try Self.decode(bytes) { 1 + Int(generator.next() >> (48 + generator.next() % 16)) }
        #expect(decoded == frames)
    }

    @Test("reports the last use of a bulk key", arguments: [false, true])
    func lastUse(isLastUse: Bool) throws {
        var writer = ByteWriter()
        for key in [BulkKey(job: 1, index: 2), nil] {
            ([7] as [UInt8]).withUnsafeBytes {
                writer.putTask(
                    request: 1, attempt: 1, typeName: "a", task: $0, key: key, isLastUse: isLastUse, bulk: nil)
            }
        }
        var decoder = FrameDecoder(limit: 4096)
        Array(writer.bytes).withUnsafeBytes { decoder.space().copyMemory(from: $0) }
        decoder.received(writer.bytes.count)
        for expected in [isLastUse, false] {
            guard case .task(let task) = try decoder.next() else { throw ProtocolError("no task") }
            #expect(task.isLastUse == expected)
        }
    }

    @Test("refuses a frame beyond the limit before it comes")
    func limit() {
        let head: [UInt8] = [0xff, 0xff, 0xff, 0x7f, 6, 0, 0, 0]
        #expect(throws: ProtocolError.self) { try Self.decode(head, limit: 4096) { 8 } }
        #expect(throws: ProtocolError.self) { try Self.decode([0xff, 0xff, 0xff, 0xff, 1, 0, 0, 0]) { 8 } }
    }

    /// A valid frame, and the byte that is changed in it.
    static let damages: [(Copy, at: Int, UInt8)] = [
        (.ping(1), at: 0, 3),  // shorter than a prefix
        (.ping(1), at: 0, 13),  // longer than a ping
        (.ping(1), at: 4, 0), (.ping(1), at: 4, 8), (.ping(1), at: 4, 255),  // unknown type
        (.ping(1), at: 5, 1), (.ping(1), at: 6, 1), (.ping(1), at: 7, 1),  // flags, detail, reserved
        (.refusal(1, .draining, ""), at: 6, 0), (.refusal(1, .draining, ""), at: 6, 99),
        (.response(1, true, false, 1, [1, 2]), at: 5, 4), (.response(1, true, false, 1, [1, 2]), at: 33, 9),
        (.response(1, true, false, 1, []), at: 23, 0xff),  // negative seconds
        (.response(1, true, false, 1, []), at: 0, 20),
        (.goodbye(false, "x"), at: 5, 2),
        (.task(1, 1, "a", [1, 2], nil, nil), at: 0, 50), (.task(1, 1, "a", [1, 2], nil, nil), at: 5, 4),
        (.task(1, 1, "a", [1, 2], nil, nil), at: 5, 8),  // last use of no key
        (.task(1, 1, "a", [1, 2], BulkKey(job: 1, index: 2), nil), at: 5, 17),
        (.task(1, 1, "a", [1, 2], nil, nil), at: 6, 2), (.task(1, 1, "a", [1, 2], nil, nil), at: 20, 9),
        (.task(1, 1, "a", [1, 2], nil, nil), at: 66, 9), (.task(1, 1, "a", [1, 2], nil, [1]), at: 5, 0),
        (.task(1, 1, "a", [1, 2], nil, [1]), at: 31, 0xff), (.task(1, 1, "a", [1, 2], nil, [1]), at: 67, 9),
    ]

    @Test("refuses damaged frames", arguments: damages)
    func damaged(frame: Copy, at: Int, byte: UInt8) {
        var bytes: [UInt8] = []
        Self.append(frame, to: &bytes)
        bytes[at] = byte
        bytes += [UInt8](repeating: 0, count: 64)
        #expect(throws: ProtocolError.self) { try Self.decode(bytes) { 1000 } }
    }

    @Test("never traps on changed bytes", arguments: 0..<8)
    func mutated(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        let original = Self.sampleBytes
        for _ in 0..<200 {
            var bytes = original
            let start = Int.random(in: 0..<900, using: &generator)
            bytes[start] = UInt8.random(in: 0...255, using: &generator)
            _ = try? Self.decode(bytes, limit: 1 << 20) { 1 << 16 }
        }
    }

    @Test("releases bulk bytes that never become complete")
    func incompleteBulk() throws {
        var bytes: [UInt8] = []
        Self.append(.task(1, 1, "a", [], nil, [UInt8](repeating: 1, count: 10_000)), to: &bytes)
        #expect(try Self.decode(Array(bytes.dropLast())) { 100 }.isEmpty)
    }

    @Test("skips a hello before the first frame")
    func skip() throws {
        var decoder = FrameDecoder(limit: 4096)
        var bytes: [UInt8] = [1, 2, 3]
        Self.append(.ping(4), to: &bytes)
        decoder.space().copyBytes(from: bytes)
        decoder.received(bytes.count)
        #expect(decoder.waiting.count == bytes.count)
        decoder.skip(3)
        guard case .ping(4) = try decoder.next() else {
            Issue.record("no ping")
            return
        }
        if let another = try decoder.next() { Issue.record("\(another)") }
    }
}
