import Foundation
import SkyFITS
import SkyTestSupport
import Testing

@testable import SkySynthetic

@Suite struct RawNightTests {
    static func parameters(seed: UInt64 = 1) -> RawNight.Parameters {
        var sky = SyntheticSky.Parameters(width: 200, height: 160, seed: seed)
        sky.density = 2000
        var parameters = RawNight.Parameters(sky: sky)
        (parameters.exposures, parameters.calibrations) = ([60], 2)
        return parameters
    }

    private func raw(_ night: RawNight, _ frame: RawFrame, rows: Range<Int>? = nil) -> [Float] {
        let rows = rows ?? 0..<night.camera.height
        var samples = [Float](repeating: 0, count: rows.count * night.camera.rawWidth)
        samples.withUnsafeMutableBufferPointer { night.render(frame, night.content(of: frame), rows: rows, into: $0) }
        return samples
    }

    private func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

    @Test("the frames of a night are those asked for, in the order of their times")
    func schedule() {
        let night = RawNight(Self.parameters())
        let names = night.frames.map(\.name)
        #expect(
            names == [
                "bias-001", "bias-002", "flat-g-001", "flat-g-002", "flat-r-001", "flat-r-002", "light-g-60s-001",
                "light-r-60s-001", "light-g-60s-002", "light-r-60s-002", "dark-60s-001", "dark-60s-002",
            ])
        #expect(zip(night.frames, night.frames.dropFirst()).allSatisfy { $0.time + $0.exposure < $1.time })
        #expect(night.frames[0].date == "2026-01-10T17:00:00")
        #expect(night.frames.count { night.cleanSky(of: $0) != nil } == 4)
    }

    @Test("rows do not depend on the strip in which they are made, and a seed gives the same bits")
    func strips() {
        let night = RawNight(Self.parameters(seed: 5))
        let frame = night.frames[6]
        let whole = raw(night, frame)
        #expect(whole == [0..<7, 7..<64, 64..<160].flatMap { raw(night, frame, rows: $0) })
        #expect(SyntheticSkyTests.hash(whole) == 764_699_999_473_341_799)
        #expect(raw(RawNight(Self.parameters(seed: 6)), frame) != whole)
    }

    @Test("the card SATURATE holds the largest sample", arguments: [60_000.0, 64_990, 900.5])
    func saturation(level: Double) throws {
        var parameters = Self.parameters()
        parameters.sky.saturation = level
        // Bright stars.
        parameters.sky.zeroPoint += 6
        let night = RawNight(parameters)
        let frame = night.frames[6]
        let card = night.header(of: frame).first { $0.key == "SATURATE" }
        let samples = raw(night, frame)
        #expect(card?.value == .real(min(65_535, (level + 1000).rounded(.down))))
        #expect(card?.value == .real(Double(samples.max() ?? 0)))
        #expect(samples.allSatisfy { $0.rounded() <= 65_535 })
    }

    @Test("a light frame is the clean sky after overscan, bias, dark current and response are taken away")
    func reduction() throws {
        var parameters = Self.parameters()
        (parameters.trails, parameters.camera.rayRate, parameters.camera.pixelResponse) = (0, 0, 0.05)
        parameters.sky.width = 400
        let night = RawNight(parameters)
        let frame = night.frames[6]
        let samples = raw(night, frame)
        let clean = try #require(night.cleanSky(of: frame)).render(rows: 0..<160)
        let camera = night.camera
        var (differences, noise): ([Double], [Double]) = ([], [])
        for y in 0..<160 {
            let row = samples[(y * camera.rawWidth)...].prefix(camera.rawWidth).map(Double.init)
            let overscan = row.suffix(32).reduce(0, +) / 32
            let (response, current) = (camera.response(row: y), camera.darkCurrent(row: y))
            let bias = camera.bias(row: 0, drift: 0).map { $0 - 1000 }
            let bad = camera.badPixels(row: y)
            for x in 0..<400 where bad[x] == 0 {
                let counts = row[x + 16] - overscan - bias[x + 16] - current[x] * 60 / camera.gain
                differences.append(counts / response[x] - Double(clean[y * 400 + x]))
                noise.append(Double(clean[y * 400 + x]))
            }
        }
        let spread = median(differences.map(\.magnitude))
        let sky = median(noise)
        #expect(abs(median(differences)) < 1)
        // The noise is that of the clean sky but for that of the lost light and of the overscan.
        #expect(spread < 0.25 * median(noise.map { ($0 - sky).magnitude }))
    }

    @Test("the response has the median 1, and bad pixels are those that differ")
    func response() {
        var parameters = Self.parameters()
        (parameters.camera.hotShare, parameters.camera.deadShare) = (0.01, 0.01)
        let camera = SyntheticCamera(parameters.camera, for: parameters.sky)
        let rows = (0..<160).map { camera.response(row: $0) }
        #expect(abs(median(rows.flatMap(\.self)) - 1) < 0.01)
        #expect(rows[0][0] < 0.95 && rows[80][100] > 1)
        let bad = (0..<160).flatMap { camera.badPixels(row: $0) }
        #expect(bad.count { $0 != 0 } > 500 && bad.count { $0 != 0 } < 1500)
        for y in 0..<160 {
            let (own, current) = (camera.badPixels(row: y), camera.darkCurrent(row: y))
            #expect(zip(own, current).allSatisfy { ($0.0 >= 2) == ($0.1 > 1) })
        }
    }

    @Test("trails have the length, width and peak of the truth")
    func trail() {
        let trail = SyntheticTrail(
            from: .init(x: 10, y: 20), to: .init(x: 110, y: 95), fwhm: 4, peak: 50)
        var light = [Double](repeating: 0, count: 120 * 120)
        light.withUnsafeMutableBufferPointer { trail.add(to: $0, rows: 0..<120, width: 120) }
        // On the axis, at half the width beside it, and beyond the ends.
        #expect(abs(light[20 * 120 + 10] - 50) < 1e-9 && abs(light[56 * 120 + 58] - 50) < 1)
        let sum = light.reduce(0, +)
        let expected = 50 * 4 / 2.3548 * 2.5066 * (125 + 4 / 2.3548 * 2.5066)
        #expect(abs(sum / expected - 1) < 0.01)
        #expect(light[5 * 120 + 2] == 0)
        let parts = [0..<50, 50..<120].flatMap { rows in
            var part = [Double](repeating: 0, count: 120 * rows.count)
            part.withUnsafeMutableBufferPointer { trail.add(to: $0, rows: rows, width: 120) }
            return part
        }
        #expect(parts == light)
    }

    @Test("trails and cosmic rays lie in the image, in all directions")
    func inside() {
        var parameters = Self.parameters()
        (parameters.trails, parameters.camera.rayRate) = (40, 2000)
        let night = RawNight(parameters)
        let trails = night.trails(in: night.frames[6])
        #expect(trails.count == 40 && night.trails(in: night.frames[0]).isEmpty)
        for point in trails.flatMap({ [$0.start, $0.end] }) {
            #expect((-0.501...199.501).contains(point.x) && (-0.501...159.501).contains(point.y))
        }
        #expect(trails.contains { $0.end.x > $0.start.x } && trails.contains { $0.end.x < $0.start.x })
        let rays = night.rays(in: night.frames[6])
        #expect((20...70).contains(rays.count))
        #expect(rays.flatMap(\.pixels).allSatisfy { (0..<200).contains($0.x) && (0..<160).contains($0.y) })
        #expect(rays.contains { $0.pixels.count > 5 } && rays.contains { $0.pixels.count <= 2 })
    }

    @Test("the files of a night have the cards of a camera, and their truth lies beside them")
    func files() throws {
        let folder = try TemporaryFolder()
        let night = RawNight(Self.parameters())
        let files = RawNight.Files(folder: folder.path("night"))
        var done = 0
        try night.write(to: files, history: "test", overwrite: false) { done += $0 }
        #expect(done == night.work)
        let light = try FITSImage(folder.path("night/light-g-60s-001.fits"))
        #expect((light.width, light.height, light.bitpix) == (248, 160, 16))
        let header = light.header
        #expect(header.text("IMAGETYP") == "Light Frame" && header.text("FILTER") == "g")
        #expect(header.text("DATE-OBS")?.hasPrefix("2026-01-10T17:") == true && header.number("EXPTIME") == 60)
        #expect(header.text("TRIMSEC") == "[17:216,1:160]" && header.text("BIASSEC") == "[217:248,1:160]")
        #expect(header.number("GAIN") == 100 && header.number("EGAIN") == 1.5 && header.number("CRPIX1") == 116.5)
        let clean = try FITSImage(folder.path("night/truth/light-g-60s-001.fits"))
        #expect(clean.width == 200 && clean.header.number("CRPIX1") == 100.5 && clean.header.text("IMAGETYP") == nil)
        let bias = try FITSImage(folder.path("night/bias-001.fits")).header
        #expect(bias.text("IMAGETYP") == "Bias Frame" && bias.words("FILTER") == nil && bias.words("CRPIX1") == nil)
        let trails = try String(contentsOfFile: files.trails, encoding: .utf8).split(separator: "\n")
        #expect(trails.count == 5 && trails[0] == "file,trail,x1,y1,x2,y2,fwhm,peak,sigma")
        #expect(trails[1].hasPrefix("light-g-60s-001.fits,1,"))
        let truth = try String(contentsOfFile: folder.path("night/truth/light-r-60s.csv"), encoding: .utf8)
        #expect(truth.split(separator: "\n").count == 1 + 64)
    }
}
