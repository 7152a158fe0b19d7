import CZlib
import ScanBasics
import Testing

@testable import SkyReport

@Suite struct RunDeflateTests {
    /// What zlib makes of compressed bytes; nil if it refuses them, or if bytes are left over.
    private func expanded(_ compressed: [UInt8], count: Int) -> [UInt8]? {
        var (size, taken) = (UInt(count), UInt(compressed.count))
        var bytes = [UInt8](repeating: 0, count: max(1, count))
        let status = uncompress2(&bytes, &size, compressed, &taken)
        return status == Z_OK && taken == compressed.count ? Array(bytes.prefix(Int(size))) : nil
    }

    @Test("zlib expands runs of every length", arguments: [0, 7])
    func runs(noise: Int) {
        for length in Array(0...600) + [5000, 100_000] {
            let around = (0..<noise).map { UInt8($0) }
            let bytes = around + Array(repeating: 9, count: length) + around
            #expect(expanded(RunDeflate.compress(bytes), count: bytes.count) == bytes, "\(length)")
        }
    }

    @Test("zlib expands noise of any spread, with runs in it")
    func noise() {
        var random = SplitMix64(seed: 5)
        for round in 0..<200 {
            let spread = UInt8(1 << (round % 8))
            var bytes: [UInt8] = []
            while bytes.count < 3000 {
                bytes += (0..<random.next() % 100).map { _ in UInt8(truncatingIfNeeded: random.next()) % spread }
                bytes += Array(repeating: UInt8(truncatingIfNeeded: random.next()), count: Int(random.next() % 40))
            }
            #expect(expanded(RunDeflate.compress(bytes), count: bytes.count) == bytes, "\(round)")
        }
    }

    @Test("no code is longer than the format allows, however rare the byte")
    func rareBytes() {
        // Counts like Fibonacci's numbers give Huffman's longest codes.
        var counts = [1, 1]
        while counts.count < 24 { counts.append(counts[counts.count - 1] + counts[counts.count - 2]) }
        let lengths = RunDeflate.codeLengths(counts)
        #expect(lengths.allSatisfy { (1...RunDeflate.longestCode).contains($0) })
        // Kraft's sum: the code is complete.
        #expect(lengths.reduce(0) { $0 + 1 << (RunDeflate.longestCode - $1) } == 1 << RunDeflate.longestCode)
        let bytes = counts.enumerated().flatMap { Array(repeating: UInt8($0.offset), count: $0.element) }
            .enumerated().sorted { ($0.offset &* 7919) % 75_025 < ($1.offset &* 7919) % 75_025 }.map(\.element)
        #expect(expanded(RunDeflate.compress(bytes), count: bytes.count) == bytes)
    }

    @Test("runs take next to nothing, and noise no more than itself")
    func sizes() {
        var random = SplitMix64(seed: 1)
        let noise = (0..<100_000).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        #expect(RunDeflate.compress(noise).count < 101_000)
        #expect(RunDeflate.compress(noise.map { $0 % 16 }).count < 51_000)
        #expect(RunDeflate.compress(Array(repeating: 0, count: 600_000)).count < 1000)
    }
}
