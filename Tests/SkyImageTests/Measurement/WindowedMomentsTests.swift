import Foundation
import Testing

import SkyExtraction
@testable import SkyMeasurement

@Suite("moments under a window") struct WindowedMomentsTests {
    private static let side = 41

    /// Integrates around the middle of a square with a window of 2 pixels.
    private static func moments(
        foreign: [UInt8]? = nil, _ value: (_ dx: Double, _ dy: Double) -> Double
    ) -> WindowedMoments {
        let middle = Double(side / 2)
        let pixels = (0..<side * side).map { Float(value(Double($0 % side) - middle, Double($0 / side) - middle)) }
        func integrate(_ pixels: UnsafePointer<Float>, _ foreign: UnsafePointer<UInt8>?) -> WindowedMoments {
            let grid = WindowedMoments.PixelGrid(
                pixels: pixels, foreign: foreign, noise: nil, globalNoise: 1, gain: 0, width: side, height: side)
            return WindowedMoments(grid, x: middle, y: middle, sigma: 2)
        }
        return foreign.map { integrate(pixels, $0) } ?? integrate(pixels, nil)
    }

    private static func star(_ dx: Double, _ dy: Double) -> Double { exp(-(dx * dx + dy * dy) / 4.5) }

    @Test("a star has all of them")
    func star() {
        let moments = Self.moments { 100 * Self.star($0 - 0.3, $1 + 0.2) }
        #expect(moments.flags == [] && moments.iterations < 10)
        #expect(abs(moments.x - 20.3) < 1e-3 && abs(moments.y - 19.8) < 1e-3)
    }

    @Test("a hole has no flux; a ring of holes around a peak has negative moments; a saddle has no ellipse")
    func flags() {
        #expect(Self.moments { -100 * Self.star($0, $1) }.flags == [.noFlux])
        #expect(Self.moments { 100 * Self.star($0, $1) * (1.7 - ($0 * $0 + $1 * $1) / 2) }.flags == [.negativeMoment])
        let saddle = Self.moments { dx, dy in Self.star(dx, dy) + 0.8 * (dx * dx - dy * dy) * Self.star(dx, dy) }
        #expect(saddle.flags == [.negativeMoment, .noEllipse])
        #expect(Self.moments { (1 + 0.8 * $0 * $1) * Self.star($0, $1) }.flags == [.noEllipse])
        #expect(Self.moments { _, _ in 0 }.flags == [.noFlux])
    }

    @Test("a window that moves until the end has integrated its centre once more than it may")
    func slope() {
        let moments = Self.moments { dx, _ in 100 + dx }
        #expect(moments.iterations == 17 && moments.x > 21)
    }

    @Test(
        "a window strays if it leaves the ellipse along both axes",
        arguments: [
            (3.0, 2.0, true), (-3, 2, true), (30, 0.9, false), (0.9, -30, false), (1.1, 1.1, false),
        ])
    func strayed(x: Double, y: Double, isStrayed: Bool) {
        let shape = EllipseShape(ApertureTarget(x: 50, y: 60, a: 2, b: 2, theta: 0))
        #expect(shape.hasStrayed(x: x, y: y) == isStrayed)
    }
}
