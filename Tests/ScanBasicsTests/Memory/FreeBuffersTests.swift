import Testing

import ScanBasics

@Suite("list of freed buffers")
struct FreeBuffersTests {
    private typealias Buffer = FreeBuffers.Buffer

    @Test("returns buffers of exactly the size, most recent first, each once")
    func takes() {
        var free = FreeBuffers(limit: 100)
        for (address, size) in [(1, 10), (2, 20), (3, 10)] {
            #expect(free.add(Buffer(address: UInt(address), byteCount: size)) == [])
        }
        #expect(free.byteCount == 40)
        #expect(free.take(15) == nil)
        #expect([free.take(10), free.take(10), free.take(10)] == [3, 1, nil])
        #expect(free.byteCount == 20)
    }

    @Test("drops the oldest buffers above the limit, and refuses one larger than the limit")
    func limits() {
        var free = FreeBuffers(limit: 30)
        let buffers = [Buffer(address: 1, byteCount: 10), Buffer(address: 2, byteCount: 20)]
        for buffer in buffers { #expect(free.add(buffer) == []) }
        #expect(free.add(Buffer(address: 3, byteCount: 5)) == [buffers[0]])
        let large = Buffer(address: 4, byteCount: 31)
        #expect(free.add(large) == [large])
        #expect(free.byteCount == 25)
    }

    @Test("a lower limit and removeAll return the buffers to deallocate")
    func shrinks() {
        var free = FreeBuffers(limit: 30)
        let buffers = [Buffer(address: 1, byteCount: 10), Buffer(address: 2, byteCount: 20)]
        for buffer in buffers { _ = free.add(buffer) }
        #expect(free.setLimit(20) == [buffers[0]])
        #expect(free.removeAll() == [buffers[1]])
        #expect(free.removeAll() == [] && free.take(20) == nil)
    }
}
