import ScanBasics
import SkyTestSupport
import Testing

import SkyExtraction
import SkyMeasurement
import SkySynthetic

@Suite("errors of photometry")
struct PhotometryErrorTests {
    private static let side = 1024

    /// Expected light of a field of stars, without noise.
    private static func light(of sky: SyntheticSky) -> [Double] {
        var light = [Double](repeating: 0, count: side * side)
        light.withUnsafeMutableBufferPointer { buffer in
            sky.addSky(to: buffer, rows: 0..<side)
            for source in sky.sources { sky.add(source, to: buffer, rows: 0..<side) }
        }
        return light
    }

    /// One exposure of `light`.
    private static func expose(_ light: [Double], _ sky: SyntheticSky, seed: UInt64) -> TestImage {
        var noise = SkyNoise(generator: SplitMix64(seed: seed))
        let (gain, read) = (sky.parameters.gain, sky.parameters.readNoise)
        let pixels = light.map { Float((noise.poisson(mean: $0 * gain) + read * noise.normal()) / gain) }
        return TestImage(width: side, height: side, pixels: pixels)
    }

    @Test("fluxes of two exposures differ by as much as their errors say, with the gain and not without")
    func pull() throws {
        var parameters = SyntheticSky.Parameters(width: Self.side, height: Self.side, seed: 5)
        (parameters.density, parameters.galaxyShare) = (400, 0)
        (parameters.brightStarDensity, parameters.bigGalaxyDensity) = (0, 0)
        parameters.magnitudes = 17...19
        let sky = SyntheticSky(parameters)
        let light = Self.light(of: sky)
        let exposures = [11, 12].map { Self.expose(light, sky, seed: $0) }
        func deviation(gain: Double) throws -> (aper: Double, auto: Double, count: Int) {
            var settings = ScanParameters()
            settings.gain = gain
            let tables = try exposures.map { image in
                try image.withView(
                    SerialScan(width: Self.side, height: Self.side, parameters: settings, requestedRows: 1 << 20).run
                ).sources
            }
            var (aper, auto): ([Double], [Double]) = ([], [])
            for source in sky.sources {
                let isAlone = sky.sources.allSatisfy {
                    $0.number == source.number || max(abs($0.x - source.x), abs($0.y - source.y)) > 30
                }
                let found = tables.map { table in
                    (0..<table.count).first { max(abs(table.x[$0] - source.x), abs(table.y[$0] - source.y)) < 0.5 }
                }
                guard isAlone, let first = found[0], let second = found[1] else { continue }
                let (a, b) = (tables[0].photometry, tables[1].photometry)
                guard a.flagAper[first] == 0, b.flagAper[second] == 0 else { continue }
                func pull(_ flux: KeyPath<Photometry, [Double]>, _ error: KeyPath<Photometry, [Double]>) -> Double {
                    let (e, f) = (a[keyPath: error][first], b[keyPath: error][second])
                    return (a[keyPath: flux][first] - b[keyPath: flux][second]) / (e * e + f * f).squareRoot()
                }
                aper.append(pull(\.fluxAper, \.fluxErrAper))
                auto.append(pull(\.fluxAuto, \.fluxErrAuto))
            }
            func spread(_ values: [Double]) -> Double {
                (values.reduce(0) { $0 + $1 * $1 } / Double(values.count)).squareRoot()
            }
            return (spread(aper), spread(auto), aper.count)
        }
        guard case .real(let gain) = sky.header.first(where: { $0.key == "GAIN" })?.value else {
            Issue.record("no gain in the header")
            return
        }
        let known = try deviation(gain: gain)
        #expect(known.count > 100)
        #expect((0.9...1.1).contains(known.aper), "\(known)")
        #expect((0.85...1.15).contains(known.auto), "\(known)")
        let unknown = try deviation(gain: 0)
        #expect(unknown.aper > 1.5, "\(unknown)")
    }

    @Test("a source without a Kron radius is measured in the smallest ellipse")
    func smallestEllipse() throws {
        let sky = SyntheticSky(.init(width: 512, height: 512, seed: 3))
        let image = TestImage(width: 512, height: 512, pixels: sky.render(rows: 0..<512))
        var parameters = ScanParameters()
        parameters.threshold = 1
        func photometry() throws -> Photometry {
            let scan = try SerialScan(width: 512, height: 512, parameters: parameters, requestedRows: 64)
            return try image.withView(scan.run).sources.photometry
        }
        let measured = try photometry()
        #expect(measured.kronRadius.contains { 2.5 * $0 < 3.5 })
        #expect(measured.fluxAuto.allSatisfy { $0.isFinite })
        // Without a smallest ellipse, what has no Kron radius has no flux, and a flag says so.
        parameters.kronMinimum = 0
        parameters.threshold = 0.7
        let bare = try photometry()
        for (flux, flag) in zip(bare.fluxAuto, bare.flagAuto) {
            #expect(flux.isNaN == (flag & Photometry.notMeasured != 0))
        }
    }
}
