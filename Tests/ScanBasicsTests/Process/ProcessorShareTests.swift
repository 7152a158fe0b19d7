import ScanBasics
import Testing

@Suite struct ProcessorShareTests {
    @Test("the number of processors is that of its bits, and unknown without")
    func count() {
        #expect(ProcessorShare(kernel: "a", processors: [0b101, 0b1]).count == 3)
        #expect(ProcessorShare(kernel: "a").count == nil)
    }

    @Test("processes share processors on one kernel, unless each has its own")
    func overlap() {
        func share(_ kernel: String, _ processors: UInt64...) -> ProcessorShare {
            ProcessorShare(kernel: kernel, processors: processors)
        }
        #expect(!share("a").overlaps(share("b")))
        #expect(share("a").overlaps(share("a")))
        #expect(share("a", 0b1).overlaps(share("a")) && share("a").overlaps(share("a", 0b10)))
        #expect(!share("a", 0b01).overlaps(share("a", 0b10)))
        #expect(share("a", 0b11).overlaps(share("a", 0b10)))
        // Of different lengths, as from different systems.
        #expect(!share("a", 0b1).overlaps(share("a", 0b10, 0b1)))
        #expect(!share("a", 0b1, 0b1).overlaps(share("b", 0b1, 0b1)))
    }

    @Test("the mask of Linux is read")
    func mask() {
        #expect(ProcessorShare.processors(mask: "3") == [3])
        let words: [UInt64] = [0x8000_0000_0000_000f, 1 << 32]
        #expect(ProcessorShare.processors(mask: "00000001,00000000,80000000,0000000f") == words)
        for wrong in ["", "x", "1,2x", "100000000"] { #expect(ProcessorShare.processors(mask: wrong) == nil) }
    }

    @Test("that of this process is known")
    func own() throws {
        let own = try #require(ProcessorShare.own)
        #expect(own.kernel.count == 36 && own.overlaps(own))
        #if os(Linux)
            #expect(own.processors.contains { $0 != 0 })
        #endif
    }
}
