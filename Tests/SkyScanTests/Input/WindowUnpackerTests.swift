import Foundation
import ScanCluster
import ScanNetwork
import SkyExtraction
import SkyFITS
import SkyTestSupport
import Testing

import SkyScan

@Suite("windows that are sent as they are stored", .timeLimit(.minutes(10)))
struct WindowUnpackerTests {
    private let files: SkyFile

    init() throws { files = try SkyFile() }

    private func bytes(_ bulk: BulkBytes) -> [UInt8] { bulk.withUnsafeBytes { [UInt8]($0) } }

    /// A reader of an image of 16-bit integers, with maps of the same type unless they are floats.
    private func reader(mask: Bool, weights: Bool) throws -> ImageReader {
        func file(_ name: String, _ value: (Int, Int) -> Int16) throws -> String {
            try files.integers(name, width: 190, height: 170, value)
        }
        let image = try file("image.fits") { x, y in Int16(100 * y + x) }
        return try ImageReader(
            image: image, mask: mask ? try file("mask.fits") { x, y in x == y ? 3 : 0 } : nil,
            weights: weights ? try file("weights.fits") { x, y in Int16(x + y) } : nil)
    }

    @Test("have the pixels that the coordinator reads: samples, weights and mask")
    func same() async throws {
        for (mask, weights) in [(false, false), (true, false), (false, true), (true, true)] {
            let reader = try reader(mask: mask, weights: weights)
            for rect in [PixelRect(x: 0..<190, y: 0..<170), PixelRect(x: 3..<188, y: 1..<169)] {
                let window = reader.contents(of: rect)
                let packed = try await reader.read(window, packing: .stored)
                #expect(packed.count < window.byteCount && packed.unpackedCount == window.byteCount)
                let unpacked = try WindowUnpacker().unpack(packed, to: window.byteCount)
                #expect(try await bytes(reader.read(window)) == bytes(unpacked))
                #expect(throws: (any Error).self) { try WindowUnpacker().unpack(packed, to: window.byteCount - 4) }
            }
            // A header would make this one longer.
            let small = reader.contents(of: PixelRect(x: 4..<9, y: 5..<9))
            #expect(try await reader.read(small, packing: .stored).unpackedCount == nil)
        }
    }

    @Test("give an error, and no crash, if any of their bytes is damaged")
    func damaged() async throws {
        let reader = try reader(mask: true, weights: true)
        let window = reader.contents(of: PixelRect(x: 0..<190, y: 0..<170))
        let sound = bytes(try await reader.read(window, packing: .stored))
        func unpack(_ bytes: [UInt8]) throws {
            let packed = BulkBytes(byteCount: bytes.count, unpackedCount: window.byteCount) {
                $0.copyBytes(from: bytes)
            }
            _ = try WindowUnpacker().unpack(packed, to: window.byteCount)
        }
        try unpack(sound)
        for count in [0, 3, 4, 100, 3000, sound.count - 1] {
            #expect(throws: (any Error).self, "\(count) bytes") { try unpack(Array(sound.prefix(count))) }
        }
        #expect(throws: (any Error).self) { try unpack(sound + [0]) }
        for place in 0..<700 {
            var changed = sound
            changed[place] ^= 0x11
            do { try unpack(changed) } catch {}
        }
    }

    @Test("scanned by a node, give the same catalogue in fewer bytes")
    func catalogue() async throws {
        let image = try files.integers("field.fits", width: 256, height: 300) { x, y in
            let star = (x - 20) % 37 * ((x - 20) % 37) + (y - 15) % 41 * ((y - 15) % 41)
            return Int16(100 + (x * 7919 + y * 104_729) % 13 + 3000 / (star + 1))
        }
        var found: [SkyScanResult] = []
        var sent: [Int] = []
        for packed in [nil, TaskTypes.sky.unpacker?.form] {
            // With one node, no window is sent a second time to another.
            let cluster = try await LoopbackCluster(nodes: 1, packed: packed)
            defer { cluster.close() }
            let scan = try SkyScan(
                reader: try ImageReader(image: image), parameters: ScanParameters(), bandRows: 64,
                coordinator: cluster.coordinator, job: 1)
            found.append(try await scan.run())
            sent.append(cluster.nodes.traffic.sent.bytes)
        }
        #expect(found[0].sources.count > 20 && found[0].missing.isEmpty && found[1].missing.isEmpty)
        #expect(found[1].sources.differences(to: found[0].sources).isEmpty)
        #expect(Double(sent[1]) < 0.6 * Double(sent[0]))
    }
}
