import ScanCluster
import ScanNetwork
import Testing

@Suite("A task with packed bulk bytes")
struct PackedTaskTests {
    private static let packed = BulkBytes(byteCount: 3, unpackedCount: 9) { $0.copyBytes(from: [1, 2, 3]) }

    private static func frame(reference: BulkReference? = nil) -> [UInt8] {
        var writer = ByteWriter()
        ([8, 9] as [UInt8]).withUnsafeBytes { task in
            writer.putTask(
                request: 5, attempt: 2, typeName: "t/1", task: task, key: BulkKey(job: 7, index: 3), bulk: packed,
                reference: reference)
        }
        if reference == nil { packed.withUnsafeBytes { writer.put(raw: $0) } }
        return Array(writer.bytes)
    }

    /// The task decoded from the bytes, received in pieces of this size: its bulk bytes, their number unpacked, and that
    /// of bytes that it refers to.
    private static func decode(_ bytes: [UInt8], piece: Int = 7) throws -> ([UInt8]?, Int?, Int?)? {
        var decoder = FrameDecoder(limit: 1000)
        var offset = 0
        while offset < bytes.count {
            let space = decoder.space()
            let count = min(piece, space.count, bytes.count - offset)
            bytes[offset..<offset + count].withUnsafeBytes { space.copyMemory(from: $0) }
            decoder.received(count)
            offset += count
            guard let frame = try decoder.next() else { continue }
            guard case .task(let task) = frame else { return nil }
            #expect(task.typeName.elementsEqual(Array("t/1".utf8)) && Array(task.task) == [8, 9])
            return (
                task.bulk.map { $0.withUnsafeBytes { Array($0) } }, task.bulk?.unpackedCount,
                task.referred?.unpackedCount
            )
        }
        return nil
    }

    @Test("is read in pieces of any size", arguments: [1, 2, 7, 64, 1000])
    func pieces(size: Int) throws {
        let sent = try #require(try Self.decode(Self.frame(), piece: size))
        #expect(sent.0 == [1, 2, 3] && sent.1 == 9 && sent.2 == nil)
        let reference = BulkReference(origin: [1], part: [2])
        let referring = try #require(try Self.decode(Self.frame(reference: reference), piece: size))
        #expect(referring.0 == nil && referring.2 == 9)
        #expect(ByteWriter.taskSize(typeName: "t/1", task: 2, bulk: Self.packed) == Self.frame().count)
    }

    @Test("ends the connection if it makes no sense")
    func malformed() throws {
        func changed(_ change: (inout [UInt8]) -> Void) -> [UInt8] {
            var bytes = Self.frame()
            change(&bytes)
            return bytes
        }
        let cases: [(String, [UInt8])] = [
            ("1001 packed bulk bytes", changed { ($0[64], $0[65]) = (0xe9, 3) }),
            ("\(UInt64.max) packed bulk bytes", changed { for index in 64..<72 { $0[index] = 0xff } }),
            ("packed bulk bytes but without bulk bytes", changed { $0[5] = 1 | 16 }),
            ("do not add up", changed { $0[5] &= ~16 }),
            ("a task frame of 64 bytes", changed { $0[0] = 60 }),
        ]
        for (words, bytes) in cases {
            let error = #expect(throws: ProtocolError.self, "\(words)") { try Self.decode(bytes) }
            #expect(error?.message.contains(words) == true, "\(words): \(error?.message ?? "")")
        }
    }
}
