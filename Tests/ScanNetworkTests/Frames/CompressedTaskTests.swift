import ScanCluster
import Testing

import ScanNetwork

@Suite("A task with compressed bulk bytes")
struct CompressedTaskTests {
    private static let compressed = BulkBytes(compressedCount: 3, unpackedCount: 9) { $0.copyBytes(from: [1, 2, 3]) }

    private static func frame() -> [UInt8] {
        var writer = ByteWriter()
        ([8, 9] as [UInt8]).withUnsafeBytes { task in
            writer.putTask(
                request: 5, attempt: 2, typeName: "t/1", task: task, key: BulkKey(job: 7, index: 3), bulk: compressed)
        }
        compressed.withUnsafeBytes { writer.put(raw: $0) }
        return Array(writer.bytes)
    }

    private static func decode(_ bytes: [UInt8], piece: Int = 1000) throws -> BulkBytes? {
        var decoder = FrameDecoder(limit: 1000)
        var offset = 0
        while offset < bytes.count {
            let space = decoder.space()
            let count = min(piece, space.count, bytes.count - offset)
            bytes[offset..<offset + count].withUnsafeBytes { space.copyMemory(from: $0) }
            decoder.received(count)
            offset += count
            if case .task(let task)? = try decoder.next() { return task.bulk }
        }
        return nil
    }

    @Test("is read in pieces of any size", arguments: [1, 7, 64, 1000])
    func pieces(size: Int) throws {
        let bulk = try #require(try Self.decode(Self.frame(), piece: size))
        #expect(bulk.isCompressed && bulk.unpackedCount == 9 && bulk.withUnsafeBytes { Array($0) } == [1, 2, 3])
        #expect(ByteWriter.taskSize(typeName: "t/1", task: 2, bulk: Self.compressed) == Self.frame().count)
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
            ("cannot be compressed", changed { $0[5] |= 16 }),
            ("cannot be compressed", changed { $0[5] = 1 | 64 }),
            ("cannot be compressed", changed { $0[5] = 1 | 4 | 64 }),
            ("do not add up", changed { $0[5] &= ~64 }),
        ]
        for (words, bytes) in cases {
            let error = #expect(throws: ProtocolError.self, "\(words)") { try Self.decode(bytes) }
            #expect(error?.message.contains(words) == true, "\(words): \(error?.message ?? "")")
        }
    }
}
