import Foundation
import ScanBasics
import Testing

import SkyFITS

/// Skyfarm's own coordinates of gnomonic projections beside WCSLIB's.
@Suite("Gnomonic projections") struct GnomonicPlaneTests {
    static let kinds = ["TAN", "TAN-SIP", "TPV"]

    /// A random header of a kind.
    private func cards(_ kind: String, _ generator: inout SplitMix64) -> [String] {
        let reference = (generator.uniform(in: -400...700), generator.uniform(in: -90...90))
        let frames = [("RA---", "DEC--"), ("GLON-", "GLAT-")]
        let frame = frames[Int(generator.next() % 2)]
        var cards = SyntheticHeader.linear(
            frame.0 + kind, frame.1 + kind, [reference.0, reference.1], scale: generator.uniform(in: 1e-5...1e-3))
        if generator.next() % 4 == 0 { cards.append("LONPOLE = \(generator.uniform(in: -180...180))") }
        if kind == "TAN-SIP" {
            cards += ["A_ORDER = 4", "B_ORDER = 3"]
            for name in ["A", "B"] {
                for (p, q) in [(2, 0), (1, 1), (0, 2), (3, 0), (1, 2), (0, 3)] where generator.next() % 4 != 0 {
                    let size = p + q == 2 ? 1e-5 : 1e-8
                    cards.append("\(name)_\(p)_\(q)   = \(generator.uniform(in: -size...size))")
                }
            }
        } else if kind == "TPV" {
            for axis in 1...2 {
                cards.append("PV\(axis)_1   = \(generator.uniform(in: 0.98...1.02))")
                for number in [0, 2, 3, 4, 5, 6, 7, 8, 11, 12, 17, 23, 39] where generator.next() % 2 == 0 {
                    cards.append("PV\(axis)_\(number)   = \(generator.uniform(in: -2e-3...2e-3))")
                }
            }
        }
        return cards
    }

    @Test("have WCSLIB's coordinates within 1e-12 degrees, and positions lead back to their pixels", arguments: kinds)
    func library(kind: String) throws {
        var generator = SplitMix64(seed: 22)
        var greatest = 0.0
        for _ in 0..<300 {
            let header = cards(kind, &generator)
            let system = try CelestialWCS(header: FITSHeader(cards: header))
            try #require(system.isOwn, "\(header)")
            let x = (0..<40).map { _ in generator.uniform(in: -100...1100) }
            let y = (0..<40).map { _ in generator.uniform(in: -100...900) }
            let own = system.coordinates(x: x, y: y)
            let theirs = system.coordinates(x: x, y: y, byLibrary: true)
            let back = system.pixels(rightAscension: own.rightAscension, declination: own.declination)
            for index in x.indices {
                let across =
                    (own.rightAscension[index] - theirs.rightAscension[index]).remainder(dividingBy: 360)
                    * cos(own.declination[index] * .pi / 180)
                greatest = max(greatest, abs(across), abs(own.declination[index] - theirs.declination[index]))
                #expect(abs(back.x[index] - x[index]) < 1e-7 && abs(back.y[index] - y[index]) < 1e-7, "\(header)")
            }
        }
        #expect(greatest < 1e-12)
    }

    @Test("are own arithmetic in no other case", arguments: ["SIN", "TNX", "STG", "ZEA", "CAR"])
    func others(kind: String) throws {
        let cards = SyntheticHeader.linear("RA---" + kind, "DEC--" + kind, [10, 20])
        let system = try? CelestialWCS(header: FITSHeader(cards: cards))
        #expect(system?.isOwn != true)
    }

    @Test("have no pixel for the other half of the sphere, and no position for a pixel that is no number")
    func undefined() throws {
        let cards = SyntheticHeader.linear("RA---TAN", "DEC--TAN", [10, 20])
        let system = try CelestialWCS(header: FITSHeader(cards: cards))
        let pixels = system.pixels(rightAscension: [190], declination: [-20])
        #expect(pixels.x[0].isNaN && pixels.y[0].isNaN)
        let sky = system.coordinates(x: [.infinity, .nan], y: [0, 0])
        #expect(sky.rightAscension.allSatisfy(\.isNaN) && sky.declination.allSatisfy(\.isNaN))
    }
}
