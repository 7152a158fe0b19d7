import ScanCluster
import ScanNetwork
import Testing

@Suite("A task that refers to its bulk bytes")
struct ReferringTaskTests {
    private static let reference = BulkReference(origin: Array("here".utf8), part: [1, 2, 3])
    private static let bulk = BulkBytes(byteCount: 4) { $0.copyBytes(from: [1, 2, 3, 4]) }
    /// Where the reference begins, after the head, the name of its type and the task.
    private static let place = 64 + 3 + 2

    private static func frame(reference: BulkReference = reference) -> [UInt8] {
        var writer = ByteWriter()
        ([8, 9] as [UInt8]).withUnsafeBytes { task in
            writer.putTask(
                request: 5, attempt: 2, typeName: "t/1", task: task, key: BulkKey(job: 7, index: 3), bulk: bulk,
                reference: reference)
        }
        return Array(writer.bytes)
    }

    /// The frames decoded from the bytes, received in pieces of this size, and from a ping after them.
    private static func decode(_ bytes: [UInt8], limit: Int = 1 << 20, piece: Int = 7) throws -> [String] {
        var writer = ByteWriter()
        writer.putPing(11)
        let bytes = bytes + writer.bytes
        var decoder = FrameDecoder(limit: limit)
        var seen: [String] = []
        var offset = 0
        while offset < bytes.count {
            let space = decoder.space()
            let count = min(piece, space.count, bytes.count - offset)
            bytes[offset..<offset + count].withUnsafeBytes { space.copyMemory(from: $0) }
            decoder.received(count)
            offset += count
            while let frame = try decoder.next() {
                switch frame {
                case .task(let task):
                    let referred = try #require(task.referred)
                    #expect(task.bulk == nil && task.request == 5 && task.identity.attempt == 2)
                    #expect(task.key == BulkKey(job: 7, index: 3) && Array(task.task) == [8, 9])
                    #expect(referred.byteCount == 4)
                    seen.append(String(decoding: referred.reference.origin, as: UTF8.self))
                    seen.append("\(referred.reference.part)")
                case .ping(let token): seen.append("ping \(token)")
                default: seen.append("\(frame)")
                }
            }
        }
        return seen
    }

    @Test("is read in pieces of any size, and what follows it too", arguments: [1, 2, 7, 64, 1000])
    func pieces(size: Int) throws {
        #expect(try Self.decode(Self.frame(), piece: size) == ["here", "[1, 2, 3]", "ping 11"])
        let bare = Self.frame(reference: BulkReference(origin: [], part: []))
        #expect(try Self.decode(bare, piece: size) == ["", "[]", "ping 11"])
    }

    @Test("may identify the bytes, whose checksum comes back with the response")
    func identified() throws {
        var writer = ByteWriter()
        let reference = BulkReference(origin: [1], part: [2], identifiesBytes: true)
        ([8, 9] as [UInt8]).withUnsafeBytes { task in
            writer.putTask(
                request: 5, attempt: 2, typeName: "t/1", task: task, key: nil, bulk: nil, reference: reference,
                referredCount: 400)
        }
        for checksum in [nil, 77] as [UInt64?] {
            ([3, 4] as [UInt8]).withUnsafeBytes { body in
                var response = ResponseFrame(
                    request: 5, identity: .init(task: 6, attempt: 7), succeeded: true, keptBulk: false, seconds: 1,
                    body: body)
                response.bulkChecksum = checksum
                writer.putResponse(response)
            }
        }
        var decoder = FrameDecoder(limit: 1 << 20)
        let bytes = Array(writer.bytes)
        decoder.space().copyBytes(from: bytes)
        decoder.received(bytes.count)
        guard case .task(let task) = try decoder.next() else { throw ProtocolError("no task") }
        let referred = try #require(task.referred)
        #expect(referred.byteCount == 400 && referred.checksum == nil && referred.reference.part == [2])
        for checksum in [nil, 77] as [UInt64?] {
            guard case .response(let response) = try decoder.next() else { throw ProtocolError("no response") }
            #expect(response.bulkChecksum == checksum && Array(response.body) == [3, 4])
            #expect(response.identity == .init(task: 6, attempt: 7) && response.seconds == 1)
        }
    }

    @Test("is much smaller than its bytes")
    func size() {
        #expect(Self.frame().count == Self.place + 12 + 7)
    }

    @Test("ends the connection if it makes no sense")
    func malformed() throws {
        /// The frame with other bytes at some places.
        func changed(_ change: (inout [UInt8]) -> Void) -> [UInt8] {
            var bytes = Self.frame()
            change(&bytes)
            return bytes
        }
        let cases: [(String, [UInt8])] = [
            ("reference with a wrong checksum", changed { $0[Self.place] ^= 1 }),
            ("reference with a wrong checksum", changed { $0[Self.place + 12] ^= 1 }),
            ("reference with a wrong checksum", changed { $0[Self.place + 8] = 8 }),
            ("reference with a wrong checksum", changed { $0[Self.place + 11] = 0xff }),
            ("bulk bytes and a reference to others", changed { $0[5] |= 2 }),
            ("and a reference to others", changed { $0[5] |= 128 }),
            ("bulk bytes cannot be compressed", changed { $0[5] |= 64 }),
            ("a task frame whose reference cannot identify", changed { $0[5] |= 32 }),
            ("a task frame whose reference cannot identify", changed { $0[5] = $0[5] & ~4 | 34 }),
            ("a task frame with \(1 << 40) bulk bytes", changed { ($0[24], $0[29]) = (0, 1) }),
            ("a reference of 11 bytes", changed { $0[0] -= 8 }),
            (
                "a reference of 65548 bytes",
                Self.frame(reference: BulkReference(origin: [UInt8](repeating: 0, count: 1 << 16), part: []))
            ),
        ]
        for (words, bytes) in cases {
            let error = #expect(throws: ProtocolError.self, "\(words)") { try Self.decode(bytes) }
            #expect(error?.message.contains(words) == true, "\(words): \(error?.message ?? "")")
        }
    }
}
