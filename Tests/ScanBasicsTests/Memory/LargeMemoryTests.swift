import Foundation
import Testing

import ScanBasics

@Suite("large memory", .serialized)
struct LargeMemoryTests {
    @Test(
        "is writable to the last byte, and aligned",
        arguments: [0, 1, 100, (8 << 20) - 1, 8 << 20, (8 << 20) + 1, 40 << 20, (40 << 20) + 1])
    func usable(byteCount: Int) {
        let memory = LargeMemory.allocate(byteCount: byteCount)
        defer { LargeMemory.deallocate(memory) }
        #expect(memory.count == byteCount && UInt(bitPattern: memory.baseAddress) % 64 == 0)
        memory.initializeMemory(as: UInt8.self, repeating: 7)
        #expect(memory.allSatisfy { $0 == 7 })
    }

    @Test(
        "a freed buffer is reused for a request of nearly its size, until it is returned to the system",
        arguments: [8, 15, 40])
    func isUsedAgain(mebibytes: Int) {
        LargeMemory.keep(64 << 20)
        defer { LargeMemory.keep(0) }
        let byteCount = mebibytes << 20
        let first: UnsafeMutablePointer<Float> = LargeMemory.allocate(byteCount / 4 + 100)
        LargeMemory.deallocate(first, byteCount / 4 + 100)
        let second = LargeMemory.allocate(byteCount: byteCount + 500)
        #expect(second.baseAddress == UnsafeMutableRawPointer(first) && second.count == byteCount + 500)
        // A buffer in use is not handed out again.
        let third = LargeMemory.allocate(byteCount: byteCount + 500)
        #expect(third.baseAddress != second.baseAddress)
        LargeMemory.deallocate(third)
        LargeMemory.deallocate(second)
        LargeMemory.giveBack()
        #expect(LargeMemory.keptByteCount == 0)
    }

    @Test("a buffer below 8 MiB is not kept")
    func small() {
        LargeMemory.keep(64 << 20)
        defer { LargeMemory.keep(0) }
        LargeMemory.deallocate(LargeMemory.allocate(byteCount: (8 << 20) - 1))
        #expect(LargeMemory.keptByteCount == 0)
        LargeMemory.deallocate(LargeMemory.allocate(byteCount: 8 << 20))
        #expect(LargeMemory.keptByteCount == 8 << 20)
    }

    #if os(Linux)
        @Test("the system can reclaim the pages of a kept buffer until it is written again")
        func isOffered() throws {
            LargeMemory.keep(64 << 20)
            defer { LargeMemory.keep(0) }
            let first = LargeMemory.allocate(byteCount: 40 << 20)
            first.initializeMemory(as: UInt8.self, repeating: 7)
            #expect(try kibibytesOffered(around: first) == 0)
            LargeMemory.deallocate(first)
            // Huge pages that the buffer shares at its ends are not offered.
            #expect(try kibibytesOffered(around: first) >= 36 << 10)
            let second = LargeMemory.allocate(byteCount: 40 << 20)
            #expect(second.baseAddress == first.baseAddress)
            second.initializeMemory(as: UInt8.self, repeating: 8)
            #expect(try kibibytesOffered(around: second) == 0)
            #expect(second.allSatisfy { $0 == 8 })
            LargeMemory.deallocate(second)
        }

        /// LazyFree of the mapping that contains the middle of `memory`.
        private func kibibytesOffered(around memory: UnsafeMutableRawBufferPointer) throws -> Int {
            let middle = UInt(bitPattern: memory.baseAddress) + UInt(memory.count / 2)
            var isInside = false
            let mappings = try #require(try FileHandle(forReadingAtPath: "/proc/self/smaps")?.readToEnd())
            for line in String(decoding: mappings, as: UTF8.self).split(separator: "\n") {
                let words = line.split(separator: " ")
                let bounds = words[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
                if bounds.count == 2 { isInside = bounds[0] <= middle && middle < bounds[1] }
                if isInside, words[0] == "LazyFree:" { return try #require(Int(words[1])) }
            }
            throw CocoaError(.fileReadCorruptFile)
        }
    #endif

    @Test("keeps nothing by default")
    func keepsNothing() {
        LargeMemory.deallocate(LargeMemory.allocate(byteCount: 40 << 20))
        #expect(LargeMemory.keptByteCount == 0)
    }
}
