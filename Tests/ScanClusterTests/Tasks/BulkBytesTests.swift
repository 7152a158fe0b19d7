import Testing

import ScanCluster

@Suite("bulk bytes")
struct BulkBytesTests {
    private func bytes() -> BulkBytes { BulkBytes(byteCount: 4) { $0.copyBytes(from: [1, 2, 3, 4]) } }

    @Test("the holder of the only reference may change them")
    func onlyReference() {
        var mine = bytes()
        BulkBytes.withBytes(of: &mine) { bytes, isOnlyReference in
            #expect(isOnlyReference)
            bytes[0] = 9
        }
        #expect(mine.withUnsafeBytes { Array($0) } == [9, 2, 3, 4])
    }

    @Test("a holder of shared, lent or borrowed bytes may not change them")
    func shared() {
        func isOnlyReference(_ bytes: inout BulkBytes) -> Bool { BulkBytes.withBytes(of: &bytes) { $1 } }
        var mine = bytes()
        var other = mine
        #expect(!isOnlyReference(&mine) && !isOnlyReference(&other))
        other = BulkBytes(lending: mine) {}
        #expect(!isOnlyReference(&mine) && !isOnlyReference(&other))
        other = bytes()
        #expect(isOnlyReference(&mine) && isOnlyReference(&other))
    }

    @Test("a context releases bytes that its task takes, in all its copies")
    func taken() throws {
        let context = ScanContext(bulk: bytes())
        let copy = context
        #expect(copy.bulk?.count == 4)
        var taken = try #require(context.takeBulk())
        #expect(context.bulk == nil && copy.takeBulk() == nil)
        #expect(BulkBytes.withBytes(of: &taken) { $1 })
        #expect(ScanContext().takeBulk() == nil)
    }
}
