import ScanBasics
import ScanCluster
import ScanTestSupport
import Testing

@Suite struct MemberPoolTests {
    @Test("what was put in and not taken out is in the pool, once", arguments: 0..<20 as Range<UInt64>)
    func random(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        var pool = MemberPool()
        var expected: Set<Int> = []
        for _ in 0..<500 {
            let index = Int.random(in: 0..<30, using: &generator)
            let isIn = Bool.random(using: &generator)
            pool.put(index, isIn: isIn)
            if isIn { expected.insert(index) } else { expected.remove(index) }
            #expect(pool.indices.sorted() == expected.sorted())
        }
    }
}
