import ScanCluster
import ScanNetwork
import SkyCatalogue
import SkyExtraction
import SkyFITS
import SkyMeasurement
import SkyScan
import SkySynthetic
import SkyTestSupport
import Testing

@Suite("a distributed scan with a mask and a weight map", .timeLimit(.minutes(10)))
struct MapScanTests {
    let folder: Folder
    let image: TestImage

    init() throws {
        folder = try Folder()
        var parameters = SyntheticSky.Parameters(width: 400, height: 500, seed: 5)
        parameters.bigGalaxyDensity = 10
        let sky = SyntheticSky(parameters)
        var pixels: [Float] = []
        sky.forEachStrip { _, samples in pixels += samples }
        image = TestImage(width: 400, height: 500, pixels: pixels)
    }

    /// The distributed scan on two nodes, equal to the serial one or the test fails.
    private func scan(
        _ image: TestImage, path: String, mask: String?, weights: String?, filter: ScanParameters.Filter = .conv
    ) async throws -> (SkyScanResult, CatalogueTable) {
        var parameters = ScanParameters()
        (parameters.noise, parameters.filter) = (weights == nil ? .map : .weights, filter)
        let cluster = try await LoopbackCluster(nodes: 2)
        defer { cluster.close() }
        let reader = try ImageReader(image: path, mask: mask, weights: weights)
        let job = try SkyScan(
            reader: reader, parameters: parameters, bandRows: 64, coordinator: cluster.coordinator, job: 7)
        let result = try await job.run()
        let serial = try SerialScan(
            width: image.width, height: image.height, parameters: parameters, requestedRows: 64)
        #expect(try result.sources.differences(to: image.withView(serial.run).sources) == [])
        #expect(result.missing.isEmpty && result.sources.count > 50)
        let table = result.table(
            image: reader.summary, parameters: parameters, checksums: try await reader.checksums(),
            software: "test")
        return (result, table)
    }

    @Test("equals the serial scan, which equals whole-image SEP; the header names maps and checksums")
    func equalsSerial() async throws {
        var image = image
        let mask = image.pixels.indices.map { ($0 / 400) % 170 < 20 && $0 % 400 > 250 ? UInt8(1) : 0 }
        let weights = image.pixels.indices.map { $0 % 97 == 0 ? 0 : Float(2 + $0 % 400) }
        (image.mask, image.weights) = (mask, weights)
        let maskPath = try folder.write("mask.fits", width: 400, mask.map { Float($0) })
        let weightPath = try folder.write("weight.fits", width: 400, weights)
        let (result, table) = try await scan(
            image, path: folder.write("image.fits", width: 400, image.pixels), mask: maskPath, weights: weightPath,
            filter: .matched)
        #expect(result.maskedPixels == zip(mask, weights).count { $0 == 1 || $1 == 0 })
        let header = Dictionary(uniqueKeysWithValues: table.header.map { ($0.key, $0.value) })
        #expect(header["MASKFILE"] == .text(maskPath) && header["WGHTFILE"] == .text(weightPath))
        #expect(header["NOISE"] == .text("weights") && header["SEPVERIF"] == .logical(true))
        // That of the library with which the tests compare the kernel; otherwise the card would not be true.
        #expect(header["SEPVERS"] == .text(SEPLibrary.version))
        #expect(header["WGHTVAR"] == result.varianceScale.map { .real($0) } && result.varianceScale ?? 0 > 0)
        let sums = ["IMGXXH3", "MASKXXH3", "WGHTXXH3"].compactMap { header[$0] }
        #expect(Set(sums).count == 3)
    }

    @Test("without maps the header names none")
    func withoutMaps() async throws {
        let path = try folder.write("image.fits", width: 400, image.pixels)
        let (result, table) = try await scan(image, path: path, mask: nil, weights: nil)
        #expect(result.varianceScale == nil)
        #expect(
            !table.header.contains { ["MASKFILE", "WGHTFILE", "MASKXXH3", "WGHTXXH3", "WGHTVAR"].contains($0.key) })
    }

    @Test(
        "a real image with its weight map equals the serial scan",
        .enabled(if: !RealImages.weighted.isEmpty, Comment(rawValue: RealImages.missing)),
        arguments: RealImages.weighted)
    func realImage(real: RealImage) async throws {
        let map = try #require(real.weights)
        var image = try TestImage(contentsOf: real.path)
        image.weights = try TestImage(contentsOf: map).pixels
        _ = try await scan(image, path: real.path, mask: nil, weights: map)
    }

    @Test("a map of another size is refused with both sizes")
    func otherSize() throws {
        let path = try folder.write("image.fits", width: 400, image.pixels)
        let small = try folder.write("small.fits", width: 400, Array(image.pixels.prefix(400 * 499)))
        let weight = #expect(throws: ScanSetupError.self) { try ImageReader(image: path, weights: small) }
        #expect(weight?.description.contains("the weight map is 400 by 499 pixels, the image 400 by 500") == true)
        let mask = #expect(throws: ScanSetupError.self) { try ImageReader(image: path, mask: small) }
        #expect(mask?.description.contains("the mask is 400 by 499 pixels") == true)
    }

    @Test("a weight map and the noise from weights go together")
    func noiseWithoutMap() throws {
        let path = try folder.write("image.fits", width: 400, image.pixels)
        let coordinator = ScanCoordinator(systems: Systems(clock: EventLoop.shared), clock: EventLoop.shared)
        for (weights, noise) in [(nil, .weights), (path, .map)] as [(String?, ScanParameters.Noise)] {
            var parameters = ScanParameters()
            parameters.noise = noise
            let reader = try ImageReader(image: path, weights: weights)
            #expect(throws: ScanSetupError.self) {
                try SkyScan(reader: reader, parameters: parameters, coordinator: coordinator, job: 1)
            }
        }
    }
}
