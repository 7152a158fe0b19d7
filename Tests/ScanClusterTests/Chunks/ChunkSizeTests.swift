import ScanCluster
import Testing

@Suite struct ChunkSizeTests {
    @Test("the first chunk has one task; then the shorter they are, the more go together")
    func size() {
        var size = ChunkSize(limit: 64)
        #expect(size.count == 1)
        size.measure(1e-6)
        #expect(size.count == 64)
        var long = ChunkSize(limit: 64)
        long.measure(1)
        #expect(long.count == 1)
        var middling = ChunkSize(limit: 64)
        middling.measure(1e-4)
        #expect(middling.count == 20)
    }

    @Test("tasks that become longer go alone again after a while")
    func follows() {
        var size = ChunkSize(limit: 64)
        size.measure(1e-6)
        for _ in 0..<20 { size.measure(0.1) }
        #expect(size.count == 1)
    }

    @Test("invalid times change nothing", arguments: [.nan, .infinity, -1.0])
    func nonsense(seconds: Double) {
        var size = ChunkSize(limit: 8)
        size.measure(1e-6)
        let before = size
        size.measure(seconds)
        #expect(size == before)
    }
}
