import Testing

@testable import ScanMemory

@Suite("large memory", .serialized)
struct LargeMemoryTests {
    @Test("is there to the last byte, aligned", arguments: [0, 1, 100, 4 << 20, 40 << 20, (40 << 20) + 1])
    func usable(byteCount: Int) {
        let memory = LargeMemory.allocate(byteCount: byteCount)
        defer { LargeMemory.deallocate(memory) }
        #expect(memory.count == byteCount && UInt(bitPattern: memory.baseAddress) % 64 == 0)
        memory.initializeMemory(as: UInt8.self, repeating: 7)
        #expect(memory.allSatisfy { $0 == 7 })
    }

    @Test("a freed buffer serves a request of nearly its size, until it is given back")
    func isUsedAgain() {
        LargeMemory.keep(64 << 20)
        defer { LargeMemory.keep(0) }
        let first: UnsafeMutablePointer<Float> = LargeMemory.allocate(10 << 20)
        LargeMemory.deallocate(first, 10 << 20)
        let second = LargeMemory.allocate(byteCount: (40 << 20) - 100)
        #expect(second.baseAddress == UnsafeMutableRawPointer(first) && second.count == (40 << 20) - 100)
        // While it is in use, nobody else gets it.
        let third = LargeMemory.allocate(byteCount: 40 << 20)
        #expect(third.baseAddress != second.baseAddress)
        LargeMemory.deallocate(third)
        LargeMemory.deallocate(second)
        LargeMemory.giveBack()
        #expect(LargeMemory.keptByteCount == 0)
    }

    @Test("keeps nothing unless it is told to")
    func keepsNothing() {
        LargeMemory.deallocate(LargeMemory.allocate(byteCount: 40 << 20))
        #expect(LargeMemory.keptByteCount == 0)
    }
}
