import CSEP
import CSkyKernel
import ScanBasics
import Testing

import SkyExtraction
import SkyTestSupport

/// Every number must have the bits that libsep gives.
@Suite("photometry in apertures")
struct PhotometerTests {
    /// A peak over noise, in part masked, with or without a noise map.
    private struct Field {
        let width, height: Int
        var pixels: [Float] = []
        var mask: [UInt8] = []
        var noise: [Float] = []
        let hasMask, hasNoise: Bool
        let gain: Double
        let globalNoise: Float

        init(_ random: inout SplitMix64) {
            (width, height) = (Int.random(in: 1...60, using: &random), Int.random(in: 1...60, using: &random))
            (hasMask, hasNoise) = (Bool.random(using: &random), Bool.random(using: &random))
            gain = Bool.random(using: &random) ? 0 : Double.random(in: 0.1...5, using: &random)
            globalNoise = Float.random(in: 0.1...10, using: &random)
            let masked = Double.random(in: 0...1, using: &random) * Double.random(in: 0...1, using: &random)
            for index in 0..<width * height {
                let (dx, dy) = (Float(index % width - width / 2), Float(index / width - height / 2))
                let sky = Float.random(in: -1...1, using: &random)
                let isLost = Double.random(in: 0...1, using: &random) < 0.002
                pixels.append(isLost ? -2e30 : 900 / (1 + dx * dx + dy * dy) + sky)
                let isMasked = Double.random(in: 0..<1, using: &random) < masked
                mask.append(isMasked ? 1 : 0)
                noise.append(isMasked ? 1e30 : Float.random(in: 0...9, using: &random))
            }
        }

        /// Calls `body` with the kernel's photometer, whose origin is at `x`, `y`, and libsep's image.
        func with(x: Int32, y: Int32, _ body: (Photometer, inout sep_image) throws -> Void) rethrows {
            try pixels.withUnsafeBufferPointer { pixels in
                try mask.withUnsafeBufferPointer { mask in
                    try noise.withUnsafeBufferPointer { noise in
                        var image = sep_image()
                        (image.data, image.dtype, image.gain) = (UnsafeRawPointer(pixels.baseAddress), SEP_TFLOAT, gain)
                        (image.w, image.h) = (Int32(width), Int32(height))
                        (image.mask, image.mdtype) = (hasMask ? UnsafeRawPointer(mask.baseAddress) : nil, SEP_TBYTE)
                        (image.noise, image.ndtype) = (hasNoise ? UnsafeRawPointer(noise.baseAddress) : nil, SEP_TFLOAT)
                        (image.noiseval, image.noise_type) = (Double(globalNoise), Int16(SEP_NOISE_STDDEV))
                        let field = skyfarm_field(
                            pixels: pixels.baseAddress, noise: hasNoise ? noise.baseAddress : nil,
                            global_noise: globalNoise, global_variance: globalNoise * globalNoise, width: image.w,
                            height: image.h, x: x, y: y, gain: gain)
                        try body(Photometer(field, mask: hasMask ? mask.baseAddress : nil), &image)
                    }
                }
            }
        }
    }

    /// A number, or rarely one that no scan of a real image has.
    private static func unusual(_ value: Double, _ random: inout SplitMix64) -> Double {
        switch Int.random(in: 0..<200, using: &random) {
        case 0: .nan
        case 1: .infinity
        case 2: -.infinity
        case 3: value * 1e10
        case 4: -value * 1e9
        default: value
        }
    }

    /// A place in the field or beside it.
    private static func place(_ field: Field, _ random: inout SplitMix64) -> (x: Double, y: Double) {
        let (x, y) = (
            Double.random(in: -10...Double(field.width + 10), using: &random),
            Double.random(in: -10...Double(field.height + 10), using: &random)
        )
        return (unusual(x, &random), unusual(y, &random))
    }

    private static func areSame(_ mine: [Double], _ theirs: [Double]) -> Bool {
        zip(mine, theirs).allSatisfy { $0.bitPattern == $1.bitPattern || $0.isNaN && $1.isNaN }
    }

    @Test("circles are libsep's", arguments: UInt64(0)..<40)
    func circles(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let field = Field(&random)
        field.with(x: 0, y: 0) { photometer, image in
            for _ in 0..<50 {
                let (x, y) = Self.place(field, &random)
                let radius = Self.unusual(
                    Double.random(in: 0...(Bool.random(using: &random) ? 1 : 30), using: &random), &random)
                var (flux, error, noise, area, flag) = (Double.nan, Double.nan, Double.nan, 0.0, Int16(0))
                if sep_sum_circle(&image, x, y, radius, 0, 5, 0, &flux, &error, &area, &flag) != 0 {
                    flag = Photometry.notMeasured
                } else {
                    image.gain = 0
                    sep_sum_circle(&image, x, y, radius, 0, 5, 0, &flux, &noise, &area, &flag)
                    image.gain = field.gain
                }
                let found = photometer.circle(x: x, y: y, radius: radius)
                #expect(
                    Self.areSame([found.flux, found.error, found.noise], [flux, error, noise]),
                    "\(found) at \(x), \(y) within \(radius)")
                #expect(found.flag == flag && (found.flag >= 0x100 || found.isEmpty == !(area > 0)))
            }
        }
    }

    @Test("coefficients of ellipses, fluxes in them and Kron radii are libsep's", arguments: UInt64(0)..<40)
    func ellipses(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let field = Field(&random)
        field.with(x: 0, y: 0) { photometer, image in
            for _ in 0..<50 {
                let (x, y) = Self.place(field, &random)
                let a = Float(Self.unusual(Double.random(in: 0...8, using: &random), &random))
                let b = Float(Self.unusual(Double(a) * Double.random(in: 0...1.05, using: &random), &random))
                let theta = Float(Self.unusual(Double.random(in: -1.6...1.6, using: &random), &random))
                let radius = Self.unusual(Double.random(in: 0...6, using: &random), &random)
                let shape = EllipseShape(ApertureTarget(x: x, y: y, a: a, b: b, theta: theta))
                let angle = min(max(Double(theta), -Double.pi / 2), Double.pi / 2)
                var (cxx, cyy, cxy) = (0.0, 0.0, 0.0)
                sep_ellipse_coeffs(Double(a), Double(b), angle, &cxx, &cyy, &cxy)
                #expect(Self.areSame([shape.cxx, shape.cyy, shape.cxy], [cxx, cyy, cxy]), "\(a), \(b), \(theta)")
                var (kron, kronFlag) = (0.0, Int16(0))
                #expect(sep_kron_radius(&image, x, y, cxx, cyy, cxy, 6, 0, &kron, &kronFlag) == 0)
                let own = photometer.kronRadius(x: x, y: y, shape)
                #expect(Self.areSame([own.radius], [kron]) && own.flag == kronFlag, "\(own) at \(x), \(y)")
                var (flux, error, area, flag) = (Double.nan, Double.nan, 0.0, Int16(0))
                // libsep measures nothing in an ellipse without area, and says that this is the flux.
                let isEllipse = b > 0 && radius > 0
                if !isEllipse
                    || sep_sum_ellipse(
                        &image, x, y, Double(a), Double(b), angle, radius, 0, 1, 0, &flux, &error, &area, &flag) != 0
                {
                    flag = Photometry.notMeasured
                }
                let found = photometer.ellipse(x: x, y: y, shape, radius: radius)
                #expect(
                    Self.areSame([found.flux, found.error], [flux, error]) && found.flag == flag,
                    "\(found) at \(x), \(y) within \(radius) of \(a), \(b), \(theta)")
            }
        }
    }

    @Test("radii by all rings are libsep's, near masked pixels, too", arguments: UInt64(0)..<40)
    func rings(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let field = Field(&random)
        field.with(x: 0, y: 0) { photometer, image in
            for _ in 0..<25 {
                let (x, y) = Self.place(field, &random)
                let limit = Double.random(in: 1e-3...(Bool.random(using: &random) ? 2 : 40), using: &random)
                var (half, share, flux) = (0.5, Double.random(in: 0.1...1, using: &random), 0.0)
                flux = Double.random(in: 0...3000, using: &random)
                var (own, given, flag) = (0.0, 0.0, Int16(0))
                #expect(sep_flux_radius(&image, x, y, limit, 0, 5, 0, nil, &half, 1, &own, &flag) == 0)
                #expect(sep_flux_radius(&image, x, y, limit, 0, 5, 0, &flux, &share, 1, &given, &flag) == 0)
                var target = share * flux
                var window = skyfarm_field()
                (window.pixels, window.width, window.height) = (
                    image.data?.assumingMemoryBound(to: Float.self), image.w, image.h
                )
                let mask = image.mask?.assumingMemoryBound(to: UInt8.self)
                let radii = [nil, target].map { wanted -> Double in
                    if wanted == nil { return skyfarm_ring_radius(&window, mask, x, y, limit, nil) }
                    return skyfarm_ring_radius(&window, mask, x, y, limit, &target)
                }
                #expect(Self.areSame(radii, [own, given]), "\(radii) at \(x), \(y) within \(limit)")
                // In the fast way the last bits may be others.
                let quick = [
                    photometer.halfFluxRadius(x: x, y: y, limit: limit),
                    photometer.fluxRadius(x: x, y: y, limit: limit, flux: target),
                ]
                for (mine, theirs) in zip(quick, [own, given]) {
                    #expect(mine.isNaN && theirs.isNaN || isClose(mine, theirs), "\(mine) at \(x), \(y)")
                }
            }
        }
    }

    @Test("positions are those of the field's origin", arguments: UInt64(0)..<20)
    func origin(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let field = Field(&random)
        let (x, y) = (Double.random(in: 0...60, using: &random), Double.random(in: 0...60, using: &random))
        // Sums of these positions and the origin are exact.
        let place = (x: (x * 1024).rounded() / 1024, y: (y * 1024).rounded() / 1024)
        let shape = EllipseShape(ApertureTarget(x: 0, y: 0, a: 3, b: 2, theta: 0.4))
        var results: [[Double]] = []
        for (left, top) in [(Int32(0), Int32(0)), (100, 7000)] {
            field.with(x: left, y: top) { photometer, _ in
                let (x, y) = (place.x + Double(left), place.y + Double(top))
                let circle = photometer.circle(x: x, y: y, radius: 4)
                let ellipse = photometer.ellipse(x: x, y: y, shape, radius: 2.5)
                let kron = photometer.kronRadius(x: x, y: y, shape)
                results.append([
                    circle.flux, circle.error, ellipse.flux, ellipse.error, kron.radius,
                    photometer.halfFluxRadius(x: x, y: y, limit: 12),
                    photometer.fluxRadius(x: x, y: y, limit: 12, flux: 500),
                ])
            }
        }
        #expect(Self.areSame(results[0], results[1]), "\(results)")
    }
}
