import Foundation
import ScanNetwork
import SkyExtraction
import SkyMeasurement
import Testing

import SkyScan

@Suite("The arithmetic fingerprint", .timeLimit(.minutes(10)))
struct ArithmeticFingerprintTests {
    @Test("is the same each time and on each thread")
    func repeats() async {
        let expected = ArithmeticFingerprint.current
        await withTaskGroup { group in
            for _ in 0..<4 { group.addTask { ArithmeticFingerprint(of: BuiltInPatch()) } }
            for await fingerprint in group { #expect(fingerprint == expected) }
        }
        #expect(expected.description.count == 16)
    }

    @Test("changes with the last bit of one pixel")
    func sensitive() throws {
        var seen: Set<String> = ["\(ArithmeticFingerprint.current)"]
        var patch = BuiltInPatch()
        // A pixel of a blend, and one of the sky.
        for place in [40 * BuiltInPatch.width + 30, 3 * BuiltInPatch.width + 1] {
            patch.nudge(place)
            #expect(seen.insert("\(ArithmeticFingerprint(of: patch))").inserted)
        }
    }

    @Test("rests on every step of a scan: blends, cut islands, open apertures, cleaning, masks and weights")
    func coverage() throws {
        let patch = BuiltInPatch()
        var outputs = 0
        let results = try ArithmeticFingerprint.modes.map { mode in
            try mode.scan(patch) { _ in outputs += 1 }
        }
        for result in results {
            // SEP's flag of a deblended source.
            #expect(result.sources.flag.count { $0 & 1 != 0 } >= 10)
            #expect(result.rescans > 0)
            // Where measurements are requested, apertures are measured with them.
            #expect((result.apertureWindows > 0) == (result.measurements == MeasurementTable()))
        }
        #expect(results[1].removed > 0)
        #expect(results[0].background.maskedPixels == 0)
        #expect(results[1].background.maskedPixels > 256 && results[2].background.maskedPixels > 0)
        #expect(results[2].background.varianceScale != nil)
        #expect(Set(results.map(\.sources.x)).count == results.count)
        #expect(outputs > 6 * results.count)
    }

    @Test("reads quantized tiles: a sample that is no number, and all others within half a step of what was stored")
    func quantizedTiles() throws {
        let pixels = try QuantizedTiles.pixels()
        for (index, pixel) in pixels.enumerated() {
            let stored = 100 + 3.7 * Double((index * 37 + index / 5) % 61) + 0.013 * Double(index * index)
            #expect(index == 53 ? pixel.isNaN : abs(Double(pixel) - stored) < 2, "\(index): \(pixel), \(stored)")
        }
    }

    @Test("is what nodes report, with the checksums of its parts")
    func reported() throws {
        let arithmetic = Arithmetic.sky
        #expect(arithmetic.fingerprint == "\(ArithmeticFingerprint.current)")
        let words = arithmetic.libraries.split(separator: ", ").map { $0.split(separator: " ") }
        #expect(words.map(\.first) == ["CFITSIO", "functions", "kernel", "reader", "coordinates"])
        #expect(words.dropFirst().allSatisfy { $0.count == 2 && $0[1].wholeMatch(of: #/[0-9a-f]{4}/#) != nil })
        #expect(TaskTypes.sky.arithmetic == arithmetic)
    }

    @Test("of which the kernel's part alone changes with a pixel")
    func parts() {
        var patch = BuiltInPatch()
        patch.nudge(40 * BuiltInPatch.width + 30)
        let (mine, other) = (ArithmeticFingerprint.current.parts, ArithmeticFingerprint(of: patch).parts)
        let pairs = zip(mine.split(separator: ", "), other.split(separator: ", ")).filter { $0 != $1 }
        #expect(pairs.count == 1 && pairs[0].0.hasPrefix("kernel "), "\(mine), \(other)")
    }
}
