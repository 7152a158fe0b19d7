import Foundation
import ScanCluster
import Testing

@Suite("A source of bulk bytes", .timeLimit(.minutes(10)))
struct BulkSourceTests {
    private func bytes(_ source: BulkSource) async throws -> [UInt8] {
        let bytes = try await source.load()
        #expect(bytes.count == source.byteCount)
        return bytes.withUnsafeBytes(Array.init)
    }

    @Test("holds a copy of values as they lie in memory, whatever the collection")
    func copies() async throws {
        let numbers: [Float] = [1, -2.5, .infinity]
        #expect(try await bytes(BulkSource(copying: numbers)) == numbers.withUnsafeBytes(Array.init))
        #expect(try await bytes(BulkSource(copying: numbers[1...])) == numbers[1...].withUnsafeBytes(Array.init))
        var data = Data([9, 8, 7, 6])
        let (all, slice) = (BulkSource(copying: data), BulkSource(copying: data[2...]))
        data[3] = 0
        #expect(try await bytes(all) == [9, 8, 7, 6])
        #expect(try await bytes(slice) == [7, 6])
        #expect(try await bytes(BulkSource(copying: stride(from: UInt8(0), to: 6, by: 2).map(\.self))) == [0, 2, 4])
        // Without storage of its own.
        #expect(try await bytes(BulkSource(copying: (1...3 as ClosedRange<UInt8>).reversed())) == [3, 2, 1])
        #expect(try await bytes(BulkSource(copying: [Double]())).isEmpty)
    }

    @Test("is read again for each attempt, and no reader is the only one")
    func again() async throws {
        let key = BulkKey(job: 1, index: 2)
        let source = BulkSource(copying: [1, 2, 3] as [UInt8], key: key, isLastUse: true)
        #expect(source.key == key && source.isLastUse && source.reference == nil && !source.isPackable)
        for _ in 0..<2 {
            var loaded = try await source.load()
            BulkBytes.withBytes(of: &loaded) { _, isOnlyReference in #expect(!isOnlyReference) }
        }
    }

    @Test("a task that needs bulk bytes says so if there are none")
    func required() throws {
        let bytes = BulkBytes(byteCount: 1) { $0[0] = 7 }
        let context = ScanContext(bulk: bytes)
        #expect(try context.requireBulk() === bytes)
        #expect(context.takeBulk() === bytes)
        #expect(throws: MissingBulk()) { try context.requireBulk() }
        #expect(throws: MissingBulk()) { try ScanContext().requireBulk() }
        #expect("\(MissingBulk())" == "no bulk bytes were sent beside the task: pass them by responses(to:bulk:)")
    }
}
