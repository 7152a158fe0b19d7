import Foundation
import ScanCluster
import SkyCalibration
import SkyFITS
import SkyTestSupport
import Testing

@testable import SkyScan

/// One after the other, since the process holds one set of the same masters.
@Suite("raw frames that nodes calibrate", .serialized, .timeLimit(.minutes(10)))
struct PackedFrameTests {
    private let files: SkyFile
    private let width = 200
    private let height = 150

    init() throws { files = try SkyFile() }

    private func reader(rays: Bool) throws -> ImageReader {
        func file(_ name: String, _ value: (Int, Int) -> Int16) throws -> ImageLocation {
            try ImageLocation(try files.integers(name, width: width, height: height, value))
        }
        let raw = try file("raw.fits") { x, y in
            Int16(900 + (x * 7919 + y * 104_729) % 17 + ((x * 31 + y * 17) % 1009 == 0 ? 3000 : 0))
        }
        var recipe = CalibrationRecipe()
        (recipe.overscan, recipe.trim) = (.section("[185:200,1:150]"), .section("[3:184,2:149]"))
        recipe.bias = try file("bias.fits") { x, y in Int16((x + y) % 5) }
        recipe.flat = try file("flat.fits") { x, _ in x == 30 ? 0 : Int16(1 + x % 2) }
        if rays { recipe.cosmicRays = CosmicRayParameters() }
        let calibration = try FrameCalibration(recipe)
        return try ImageReader(
            image: raw.path, mask: nil, weights: nil, slots: 0,
            .init { try CalibratedImage($0, calibration, at: ImagePlace(index: 0, inFile: 0)) })
    }

    private func bits(_ bytes: BulkBytes) -> [UInt32] {
        bytes.withUnsafeBytes { $0.bindMemory(to: UInt32.self).map(\.self) }
    }

    /// Brings the masters to this process, which holds them as long as the result lives.
    private func bringMasters(of reader: ImageReader) throws -> [BulkBytes] {
        try #require(reader.frame).masters.map { master in
            let bytes = BulkBytes(byteCount: master.image.byteCount) {
                $0.copyMemory(from: UnsafeRawBufferPointer(master.image.pixels))
            }
            let task = MasterTask(pixelCount: master.image.pixels.count)
            let sum = try task.scan(ScanContext(bulk: bytes))
            #expect(sum == master.key.job)
            return bytes
        }
    }

    private func windows(_ reader: ImageReader, rays: Bool) -> [WindowPixels] {
        let whole = PixelRect(x: 0..<182, y: 0..<148)
        let parts = [PixelRect(x: 0..<182, y: 20..<90), PixelRect(x: 9..<170, y: 5..<90)]
        return ([whole] + (rays ? [] : parts)).map(reader.contents)
    }

    @Test("become the pixels that the coordinator would calibrate", arguments: [false, true])
    func same(rays: Bool) async throws {
        let reader = try reader(rays: rays)
        for window in windows(reader, rays: rays) {
            let packed = try await reader.read(window, packing: .stored)
            #expect(packed.count < window.byteCount && packed.unpackedCount == window.byteCount)
            // Without the masters they cannot be unpacked, and calibrated pixels are sent.
            #expect(throws: ScanSetupError.self) { try WindowUnpacker().unpack(packed, to: window.byteCount) }
            let plain = try await reader.read(window, packing: .light)
            #expect(plain.unpackedCount == nil)
            let masters = try bringMasters(of: reader)
            let unpacked = try WindowUnpacker().unpack(packed, to: window.byteCount)
            #expect(bits(unpacked) == bits(plain))
            #expect(throws: (any Error).self) { try WindowUnpacker().unpack(packed, to: window.byteCount - 4) }
            withExtendedLifetime(masters) {}
        }
    }

    @Test("come with the bits of their mask, which the node makes")
    func maskBits() async throws {
        let reader = try reader(rays: false)
        let window = WindowPixels(rect: PixelRect(x: 9..<170, y: 5..<90), hasWeights: false, hasMask: true)
        let packed = try await reader.read(window, packing: .stored)
        #expect(packed.unpackedCount == window.byteCount)
        let masters = try bringMasters(of: reader)
        let unpacked = try WindowUnpacker().unpack(packed, to: window.byteCount).withUnsafeBytes { Array($0) }
        for packing in [BulkPacking.light, .none] {
            #expect(try await reader.read(window, packing: packing).withUnsafeBytes { Array($0) } == unpacked)
        }
        // The flat is 0 in a column.
        #expect(unpacked.suffix(window.rect.area).count { $0 == 8 } == 85)
        withExtendedLifetime(masters) {}
    }

    @Test("are calibrated here if cosmic rays are searched in more than a window")
    func parts() async throws {
        let reader = try reader(rays: true)
        let window = reader.contents(of: PixelRect(x: 0..<182, y: 20..<90))
        #expect(try await reader.read(window, packing: .stored).unpackedCount == nil)
    }

    @Test("give an error, and no crash, if any of their bytes is damaged", arguments: [false, true])
    func damaged(rays: Bool) async throws {
        let reader = try reader(rays: rays)
        let window = windows(reader, rays: rays)[0]
        let sound = try await reader.read(window, packing: .stored).withUnsafeBytes { [UInt8]($0) }
        let masters = try bringMasters(of: reader)
        func unpack(_ bytes: [UInt8]) throws {
            let packed = BulkBytes(byteCount: bytes.count, unpackedCount: window.byteCount) {
                $0.copyBytes(from: bytes)
            }
            _ = try WindowUnpacker().unpack(packed, to: window.byteCount)
        }
        try unpack(sound)
        for count in [0, 3, 4, 8, 100, 3000, sound.count - 1] {
            #expect(throws: (any Error).self, "\(count) bytes") { try unpack(Array(sound.prefix(count))) }
        }
        #expect(throws: (any Error).self) { try unpack(sound + [0]) }
        for place in 0..<900 {
            var changed = sound
            changed[place] ^= 0x11
            do { try unpack(changed) } catch {}
        }
        withExtendedLifetime(masters) {}
    }

    @Test("a master of another size than it is said to have is refused")
    func master() throws {
        let bytes = BulkBytes(byteCount: 40) { $0.initializeMemory(as: UInt8.self, repeating: 0) }
        #expect(throws: ScanSetupError.self) { try MasterTask(pixelCount: 11).scan(ScanContext(bulk: bytes)) }
        #expect(throws: (any Error).self) { try MasterTask(pixelCount: 10).scan(ScanContext()) }
    }

    @Test("masters are sent if they save more than they take")
    func worth() {
        func isWorthwhile(_ images: Int?, nodes: Int, rays: Bool = false, sampleSize: Int = 2) -> Bool {
            MasterDelivery.isWorthwhile(
                images: images, nodes: nodes, pixels: 1000, sampleSize: sampleSize, masterBytes: 12_000,
                searchesRays: rays)
        }
        #expect(!isWorthwhile(1, nodes: 1) && !isWorthwhile(12, nodes: 1) && isWorthwhile(14, nodes: 1))
        #expect(!isWorthwhile(14, nodes: 3) && isWorthwhile(nil, nodes: 3))
        #expect(isWorthwhile(4, nodes: 1, rays: true) && !isWorthwhile(1, nodes: 1, rays: true))
        #expect(!isWorthwhile(1000, nodes: 1, sampleSize: 4) && isWorthwhile(1000, nodes: 1, rays: true, sampleSize: 4))
    }

    @Test("raw samples go to a node that holds all masters, and calibrated pixels to others")
    func packing() {
        let keys = [BulkKey(job: 1, index: 4), BulkKey(job: 2, index: 4)]
        let source = BulkSource(byteCount: 4, needs: keys) { _ in BulkBytes(byteCount: 4) { _ in } }
        #expect(source.packing(.stored) { $0 == keys[0] } == .light)
        #expect(source.packing(.light) { _ in true } == .stored && source.packing(.none) { _ in true } == .none)
        let plain = BulkSource(byteCount: 4) { BulkBytes(byteCount: 4) { _ in } }
        #expect(plain.packing(.light) { _ in true } == .light && plain.packing(.stored) { _ in false } == .stored)
    }
}
