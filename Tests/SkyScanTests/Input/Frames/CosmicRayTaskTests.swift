import Foundation
import ScanCluster
import SkyFITS
import SkyTestSupport
import Testing

@testable import SkyCalibration
@testable import SkyScan

@Suite("the search for cosmic rays in bands of a frame", .timeLimit(.minutes(5)))
struct CosmicRayTaskTests {
    private let files: SkyFile
    private let width = 190
    private let height = 230

    init() throws { files = try SkyFile() }

    /// A calibrated image with overscan, bad pixels, a saturated star, rays of many pixels, and one at each edge.
    private func recipe(isSeparable: Bool, iterations: Int) throws -> (raw: ImageLocation, CalibrationRecipe) {
        func file(_ name: String, _ value: (Int, Int) -> Int16) throws -> ImageLocation {
            try ImageLocation(try files.integers(name, width: width, height: height, value))
        }
        let raw = try file("raw.fits") { x, y in
            let noise = Int16((x * 7919 + y * 104_729) % 29)
            let star = max(0, 9000 - 300 * ((x - 60) * (x - 60) + (y - 100) * (y - 100)))
            let ray = (x * 31 + y * 17) % 307 == 0 || (40...46).contains(x) && y % 41 < 7 ? 4000 : 0
            return 900 + noise + Int16(min(20_000, star * 4) + ray)
        }
        var recipe = CalibrationRecipe()
        (recipe.overscan, recipe.trim) = (.section("[175:190,1:230]"), .section("[3:174,2:229]"))
        recipe.flat = try file("flat.fits") { x, y in y == 90 && x > 30 ? 0 : Int16(1 + x % 2) }
        recipe.badPixels = try file("bad.fits") { x, y in (20...26).contains(x) && (112...119).contains(y) ? 1 : 0 }
        recipe.saturation = .number(15_000)
        recipe.cosmicRays = CosmicRayParameters()
        recipe.cosmicRays?.sepmed = isSeparable
        recipe.cosmicRays?.niter = iterations
        return (raw, recipe)
    }

    private func reader(_ raw: ImageLocation, _ recipe: CalibrationRecipe, leavesRays: Bool) throws -> ImageReader {
        let calibration = try FrameCalibration(recipe)
        return try ImageReader(
            image: raw.path, mask: nil, weights: nil, slots: 0,
            .init {
                try CalibratedImage($0, calibration, at: ImagePlace(index: 0, inFile: 0), leavesRays: leavesRays)
            })
    }

    private func bits(_ pixels: [Float]) -> [UInt32] { pixels.map(\.bitPattern) }

    private func pixels(_ window: WindowPixels, _ bytes: BulkBytes) throws -> [Float] {
        try window.withView(of: bytes) { Array(UnsafeBufferPointer(start: $0.pixels, count: window.rect.area)) }
    }

    @Test(
        "finds the pixels of the whole image, for any height of bands", arguments: [true, false], [1, 2, 4])
    func bands(isSeparable: Bool, iterations: Int) async throws {
        let (raw, recipe) = try recipe(isSeparable: isSeparable, iterations: iterations)
        let whole = try reader(raw, recipe, leavesRays: false)
        let all = whole.contents(of: PixelRect(x: 0..<whole.summary.width, y: 0..<whole.summary.height))
        let expected = try pixels(all, try await whole.read(all))
        let open = try reader(raw, recipe, leavesRays: true)
        let parameters = try #require(recipe.cosmicRays)
        let image = try #require(try calibratedParameters(raw, recipe))
        #expect(image.satlevel == 15_000 && image.niter == parameters.niter)
        let plain = try pixels(all, try await open.read(all))
        #expect(bits(plain) != bits(expected))
        for rows in [3, 17, 64, 100, 228, nil] {
            let bands = RayBands(
                width: all.rect.width, height: all.rect.height, image, rows: rows, slots: 1, images: 1)
            #expect(bands.count == rows.map { (228 + $0 - 1) / $0 } ?? 1)
            let levels = bands.needLevels ? try await open.rayLevels(image) : nil
            var outputs: [CosmicRayTask.Output] = []
            for task in bands.tasks(levels) {
                let bulk = try await open.read(task.window)
                let output = try task.scan(ScanContext(bulk: bulk))
                try task.validate(output)
                outputs.append(output)
            }
            let found = bands.merged(outputs)
            var clean = plain
            for (pixel, value) in zip(found.pixels, found.values) { clean[pixel] = value }
            #expect(bits(clean) == bits(expected) && found.pixels.count > 100, "bands of \(rows ?? 0) rows")
        }
    }

    private func calibratedParameters(
        _ raw: ImageLocation, _ recipe: CalibrationRecipe
    ) throws -> CosmicRayParameters? {
        try CalibratedImage(
            FITSImage(raw), FrameCalibration(recipe), at: ImagePlace(index: 0, inFile: 0), leavesRays: true
        ).openSearch
    }

    @Test("are cut so that all slots have work, and no further")
    func cut() {
        func count(_ height: Int, slots: Int, images: Int, rows: Int? = nil, width: Int = 2048) -> Int {
            RayBands(width: width, height: height, CosmicRayParameters(), rows: rows, slots: slots, images: images)
                .count
        }
        #expect(count(2048, slots: 1, images: 1) == 1 && count(2048, slots: 4, images: 4) == 1)
        #expect(count(2048, slots: 4, images: 9) == 1 && count(2048, slots: 4, images: 1) == 4)
        #expect(count(2048, slots: 4, images: 2) == 2 && count(2048, slots: 100, images: 1) == 11)
        #expect(count(300, slots: 4, images: 1, rows: 100) == 3 && count(90, slots: 4, images: 1) == 1)
        // A band is not larger than the image of one task.
        #expect(count(20_000, slots: 1, images: 1, width: 20_000) == 27)
        #expect(count(3, slots: 1, images: 1, width: 1 << 24) == 3)
    }

    @Test("refuses bands and outputs that do not fit")
    func invalid() throws {
        let window = WindowPixels(rect: PixelRect(x: 0..<10, y: 5..<15), hasWeights: false, hasMask: true)
        func task(_ rows: Range<Int>, _ window: WindowPixels) -> CosmicRayTask {
            CosmicRayTask(id: 0, window: window, rows: rows, parameters: CosmicRayParameters(), levels: nil)
        }
        let bytes = BulkBytes(byteCount: window.byteCount) { $0.initializeMemory(as: UInt8.self, repeating: 0) }
        #expect(try task(5..<15, window).scan(ScanContext(bulk: bytes)).pixels == [])
        for rows in [4..<15, 5..<16, 7..<7] {
            #expect(throws: ScanSetupError.self) { try task(rows, window).scan(ScanContext(bulk: bytes)) }
        }
        let bare = WindowPixels(rect: window.rect, hasWeights: false, hasMask: false)
        #expect(throws: ScanSetupError.self) { try task(5..<15, bare).scan(ScanContext(bulk: bytes)) }
        let whole = task(5..<15, window)
        for output in [
            CosmicRayTask.Output(pixels: [100], values: [1]), .init(pixels: [5, 5], values: [1, 1]),
            .init(pixels: [5], values: []),
        ] {
            #expect(throws: ScanSetupError.self) { try whole.validate(output) }
        }
        try whole.validate(.init(pixels: [0, 99], values: [1, 2]))
    }
}
