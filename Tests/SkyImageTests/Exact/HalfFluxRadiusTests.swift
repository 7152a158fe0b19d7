import CSEP
import CSkyKernel
import ScanBasics
import Testing

import SkyTestSupport

@Suite("half-flux radius")
struct HalfFluxRadiusTests {
    /// A peak over noise, in part negative.
    private func peak(_ width: Int32, _ height: Int32, _ random: inout SplitMix64) -> [Float] {
        (0..<width * height).map { index in
            let (dx, dy) = (Float(index % width - width / 2), Float(index / width - height / 2))
            return 900 / (1 + dx * dx + dy * dy) + Float.random(in: -1...1, using: &random)
        }
    }

    @Test("the radius is libsep's, for places within and beside the image", arguments: UInt64(0)..<60)
    func equalsSEP(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let (width, height) = (Int32.random(in: 1...90, using: &random), Int32.random(in: 1...90, using: &random))
        let pixels = peak(width, height, &random)
        var image = sep_image()
        (image.dtype, image.w, image.h) = (SEP_TFLOAT, width, height)
        pixels.withUnsafeBufferPointer { pixels in
            image.data = UnsafeRawPointer(pixels.baseAddress)
            var undecided = 0
            for _ in 0..<20 {
                let x = Double.random(in: -5...Double(width + 5), using: &random)
                let y = (seed % 3 == 0 ? 7 : Double.random(in: -5...Double(height + 5), using: &random))
                let limit = Double.random(in: 0.6...(seed % 2 == 0 ? 15 : 150), using: &random)
                var (radius, half) = (0.0, 0.5)
                var flag: Int16 = 0
                sep_flux_radius(&image, x, y, limit, 0, 5, 0, nil, &half, 1, &radius, &flag)
                let mine = skyfarm_half_flux_radius(pixels.baseAddress, 0, 0, width, height, x, y, limit)
                if mine.isNaN { undecided += 1 }
                #expect(mine.isNaN || isClose(mine, radius), "at \(x), \(y) within \(limit)")
            }
            #expect(undecided < 8)
        }
    }

    @Test("the radius of another flux is libsep's, wherever the window lies", arguments: UInt64(0)..<30)
    func targetEqualsSEP(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let (width, height) = (Int32(61), Int32(47))
        let pixels = peak(width, height, &random)
        var image = sep_image()
        (image.dtype, image.w, image.h) = (SEP_TFLOAT, width, height)
        pixels.withUnsafeBufferPointer { pixels in
            image.data = UnsafeRawPointer(pixels.baseAddress)
            var decided = 0
            for share in [0.2, 0.5, 0.8] {
                let (x, y) = (Double.random(in: 28...33, using: &random), Double.random(in: 20...26, using: &random))
                var (flux, share, radius, flag) = (2000.0, share, 0.0, Int16(0))
                sep_flux_radius(&image, x, y, 18, 0, 5, 0, &flux, &share, 1, &radius, &flag)
                let target = share * flux
                for (left, top) in [(Int32(0), Int32(0)), (400, 1000)] {
                    let mine = skyfarm_flux_radius(
                        pixels.baseAddress, left, top, width, height, x + Double(left), y + Double(top), 18, target)
                    if !mine.isNaN { decided += 1 }
                    #expect(mine.isNaN || isClose(mine, radius), "at \(x), \(y) for \(target)")
                }
            }
            #expect(decided >= 4)
        }
    }

    @Test("half of the flux that may be reached twice is left to sums over all rings")
    func twice() {
        var pixels = [Float](repeating: 0, count: 41 * 41)
        pixels[20 * 41 + 20] = 100
        pixels[20 * 41 + 32] = 80
        #expect(skyfarm_half_flux_radius(pixels, 0, 0, 41, 41, 20, 20, 18) < 1)
        pixels[20 * 41 + 23] = -80
        #expect(skyfarm_half_flux_radius(pixels, 0, 0, 41, 41, 20, 20, 18).isNaN)
        pixels[20 * 41 + 23] = .infinity
        #expect(skyfarm_half_flux_radius(pixels, 0, 0, 41, 41, 20, 20, 18).isNaN)
    }

    @Test("where the flux stays at one half over many rings, the answer is left to sums over all rings")
    func plateau() {
        var pixels = [Float](repeating: 0, count: 41 * 41)
        pixels[20 * 41 + 20] = 100
        pixels[20 * 41 + 35] = 100
        #expect(skyfarm_half_flux_radius(pixels, 0, 0, 41, 41, 20, 20, 18).isNaN)
        pixels[20 * 41 + 20] = 101
        #expect(skyfarm_half_flux_radius(pixels, 0, 0, 41, 41, 20, 20, 18) < 1)
        pixels[20 * 41 + 20] = 99
        #expect(skyfarm_half_flux_radius(pixels, 0, 0, 41, 41, 20, 20, 18) > 14)
        #expect(skyfarm_half_flux_radius([Float](repeating: 0, count: 9), 0, 0, 3, 3, 1, 1, 5) == 0)
    }

    @Test("no bit depends on the window", arguments: UInt64(0)..<20)
    func isIndependentOfWindow(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let (width, height) = (200, 160)
        let pixels = (0..<width * height).map { index -> Float in
            let (dx, dy) = (Float(index % width - 100), Float(index / width - 80))
            return 900 / (1 + dx * dx + dy * dy) + Float.random(in: -1...1, using: &random)
        }
        let (left, top) = (Int.random(in: 0...50, using: &random), Int.random(in: 0...40, using: &random))
        let (columns, rows) = (left..<width - 30, top..<height - 20)
        let window = rows.flatMap { row in columns.map { column in pixels[row * width + column] } }
        for _ in 0..<20 {
            // Places on the centres and corners of pixels, too.
            let step = Double.random(in: 0...1, using: &random) < 0.5 ? 0.5 : 1e-9
            let x = (Double.random(in: 95...105, using: &random) / step).rounded() * step
            let y = (Double.random(in: 75...85, using: &random) / step).rounded() * step
            let limit = Double.random(in: 0.6...32, using: &random)
            let whole = skyfarm_half_flux_radius(pixels, 0, 0, Int32(width), Int32(height), x, y, limit)
            let part = skyfarm_half_flux_radius(
                window, Int32(left), Int32(top), Int32(columns.count), Int32(rows.count), x, y, limit)
            #expect(part.bitPattern == whole.bitPattern, "at \(x), \(y) within \(limit)")
        }
    }
}
