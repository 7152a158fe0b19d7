import Foundation
import ScanCluster
import ScanNetwork
import Testing

@testable import SkyExtraction
import SkyFITS
@testable import SkyScan

@Suite("tasks that came over the wire")
struct UntrustedTaskTests {
    let plan: BandPlan
    let background: BackgroundModel
    let bulk: BulkBytes

    init() throws {
        plan = try BandPlan(width: 64, height: 64, meshHeight: 64)
        var accumulator = BackgroundAccumulator(plan: plan, parameters: ScanParameters())
        try accumulator.add(MeshStatistics(firstRow: 0, columns: 1, back: [1], sigma: [1], maskedPixels: 0))
        background = try accumulator.reduce()
        bulk = BulkBytes(byteCount: 64 * 64 * 4) { $0.initializeMemory(as: UInt8.self, repeating: 0) }
    }

    private func window(_ rect: PixelRect? = nil) -> WindowPixels {
        WindowPixels(rect: rect ?? plan.image, hasWeights: false, hasMask: false)
    }

    private func meshTask(_ plan: BandPlan, _ window: WindowPixels) -> MeshTask {
        MeshTask(id: 0, scan: MeshMeasurement(plan: plan, band: 0, parameters: ScanParameters()), window: window)
    }

    private func bandTask(_ window: WindowPixels) -> BandTask {
        let scan = BandExtraction(plan: plan, band: 0, parameters: ScanParameters(), background: background)
        return BandTask(id: 0, scan: scan, window: window)
    }

    private func cutIslandTask(_ plan: BandPlan, _ window: WindowPixels) -> CutIslandTask {
        let rescan = CutIslandWindow(id: 0, rect: self.plan.image, pixelX: [1], pixelY: [1])
        var scan = CutIslandExtraction(
            plan: self.plan, rescan: rescan, parameters: ScanParameters(), background: background)
        (scan.plan, scan.rescan.rect) = (plan, window.rect)
        return CutIslandTask(id: 0, scan: scan, window: window)
    }

    private func apertureTask(_ window: WindowPixels) -> ApertureTask {
        var scan = WindowPhotometry(
            window: ApertureWindow(rect: plan.image), parameters: ScanParameters(), background: background)
        scan.window.rect = window.rect
        return ApertureTask(id: 0, scan: scan, window: window)
    }

    /// Runs a task as a node does: after it was coded.
    private func run<Work: ScanTask>(_ task: Work, _ bulk: BulkBytes? = nil) throws {
        let context = ScanContext(bulk: bulk ?? self.bulk)
        let coded = try WireEncoder().encode(task)
        _ = try coded.withUnsafeBytes { try WireDecoder().decode(Work.self, from: $0) }.scan(context)
    }

    @Test("sound ones run")
    func sound() throws {
        try run(meshTask(plan, window()))
        try run(bandTask(window()))
        try run(cutIslandTask(plan, window()))
        try run(apertureTask(window()))
    }

    static let plans: [@Sendable (inout BandPlan) -> Void] = [
        { $0.rows = 0 }, { $0.rows = -1 }, { $0.rows = .max }, { $0.rows = .min }, { $0.width = -1 },
        { $0.width = .max }, { $0.height = .max }, { $0.height = .min }, { $0.halo = .max }, { $0.halo = .min },
        { $0.lowRows = 0 }, { $0.lowRows = -64 }, { $0.lowRows = .max }, { $0.lowCount = -1 }, { $0.lowCount = .max },
        { ($0.lowCount, $0.lowRows) = (1, 64) },
    ]

    @Test("a plan that no coordinator makes is refused", arguments: plans.indices)
    func impossiblePlan(index: Int) {
        var wrong = plan
        Self.plans[index](&wrong)
        var scan = bandTask(window()).scan
        scan.plan = wrong
        let band = BandTask(id: 0, scan: scan, window: window())
        #expect(throws: ScanSetupError.self) { try run(meshTask(wrong, window())) }
        #expect(throws: ScanSetupError.self) { try run(band) }
        #expect(throws: ScanSetupError.self) { try run(cutIslandTask(wrong, window())) }
    }

    @Test(
        "a window that no image has is refused",
        arguments: [
            PixelRect(x: 0..<1 << 40, y: 0..<1 << 40), PixelRect(x: .min ..< .max, y: 0..<1),
            PixelRect(x: 0..<1, y: .min ..< .max), PixelRect(x: -64..<0, y: 0..<64), PixelRect(x: 0..<0, y: 0..<64),
            PixelRect(x: 0..<1 << 31, y: 0..<1), PixelRect(x: 0..<1 << 30, y: 0..<1 << 30),
        ])
    func impossibleWindow(rect: PixelRect) {
        #expect(throws: ScanSetupError.self) { try run(meshTask(plan, window(rect))) }
        #expect(throws: ScanSetupError.self) { try run(bandTask(window(rect))) }
        #expect(throws: ScanSetupError.self) { try run(cutIslandTask(plan, window(rect))) }
        #expect(throws: ScanSetupError.self) { try run(apertureTask(window(rect))) }
    }

    @Test("a scan that came with the pixels of another window is refused")
    func otherWindow() {
        let part = PixelRect(x: 0..<64, y: 0..<32)
        let pixels = BulkBytes(byteCount: part.area * 4) { $0.initializeMemory(as: UInt8.self, repeating: 0) }
        var aperture = apertureTask(window()).scan
        var island = cutIslandTask(plan, window()).scan
        (aperture.window.rect, island.rescan.rect) = (part, part)
        // More pixels than the scan reads, and fewer.
        #expect(throws: ScanSetupError.self) { try run(ApertureTask(id: 0, scan: aperture, window: window())) }
        #expect(throws: ScanSetupError.self) { try run(CutIslandTask(id: 0, scan: island, window: window())) }
        #expect(throws: ScanSetupError.self) { try run(bandTask(window(part)), pixels) }
        #expect(throws: ScanSetupError.self) { try run(meshTask(plan, window(part)), pixels) }
    }

    @Test("a band that is not in its plan is refused", arguments: [-1, 1, .max, .min])
    func impossibleBand(band: Int) {
        var scan = bandTask(window()).scan
        scan.band = band
        let mesh = MeshMeasurement(plan: plan, band: band, parameters: ScanParameters())
        #expect(throws: ScanSetupError.self) { try run(BandTask(id: 0, scan: scan, window: window())) }
        #expect(throws: ScanSetupError.self) { try run(MeshTask(id: 0, scan: mesh, window: window())) }
    }

    @Test("an aperture scan with parameters that make no sense is refused")
    func impossibleApertures() {
        var scan = apertureTask(window()).scan
        scan.parameters.apertureRadius = -1
        #expect(throws: ScanSetupError.self) { try run(ApertureTask(id: 0, scan: scan, window: window())) }
    }

    @Test(
        "a noise that no coordinator computes is refused",
        arguments: [-1, 0, -1e30, -3e38, .nan, .infinity])
    func impossibleNoise(noise: Float) {
        var band = bandTask(window()).scan
        band.background.globalNoise = noise
        var island = cutIslandTask(plan, window()).scan
        island.background.globalNoise = noise
        var aperture = apertureTask(window()).scan
        aperture.background.globalNoise = noise
        #expect(throws: ScanSetupError.self) { try run(BandTask(id: 0, scan: band, window: window())) }
        #expect(throws: ScanSetupError.self) { try run(CutIslandTask(id: 0, scan: island, window: window())) }
        #expect(throws: ScanSetupError.self) { try run(ApertureTask(id: 0, scan: aperture, window: window())) }
    }

    @Test("a source without extent has no radius of half its flux")
    func pointSources() throws {
        var scan = apertureTask(window()).scan
        scan.window.a = [0, .leastNonzeroMagnitude, 1e-9, -1, .nan, .infinity, 1]
        scan.window.index = scan.window.a.indices.map(Int32.init)
        (scan.window.b, scan.window.theta) = (scan.window.a, scan.window.a.map { _ in 0 })
        scan.window.x = scan.window.a.map { _ in 31.25 }
        scan.window.y = scan.window.x
        let result = try ApertureTask(id: 0, scan: scan, window: window()).scan(ScanContext(bulk: bulk))
        #expect(result.photometry.fluxRadius.map(\.isNaN) == [true, true, true, true, false, false, false])
    }

    @Test("pixels that no coordinator sends without a mask are refused", arguments: [.nan, -Float.infinity, 3.4e38])
    func impossiblePixels(value: Float) {
        let bulk = BulkBytes(byteCount: 64 * 64 * 4) { bytes in
            bytes.withMemoryRebound(to: Float.self) { pixels in
                pixels.initialize(repeating: 0)
                pixels[2000] = value
            }
        }
        #expect(throws: ScanSetupError.self) { try run(bandTask(window()), bulk) }
        #expect(throws: ScanSetupError.self) { try run(cutIslandTask(plan, window()), bulk) }
        #expect(throws: ScanSetupError.self) { try run(apertureTask(window()), bulk) }
    }
}
