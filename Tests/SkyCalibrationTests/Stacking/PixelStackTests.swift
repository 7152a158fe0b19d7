import CCalibration
import SkyCalibration
import Testing

@Suite struct PixelStackTests {
    struct Pixels: Equatable {
        var values: [UInt32] = []
        var scatter: [UInt32] = []
        var counts: [Int16] = []
    }

    /// Combines frames; if `isIncomplete`, each pixel stands beside one without values.
    private func combined(
        _ frames: [[Float]], _ method: StackMethod, measures: Bool, isIncomplete: Bool = false, step: Int = 4096
    ) -> Pixels {
        let frames = isIncomplete ? frames.map { $0.flatMap { [$0, .nan] } } : frames
        let pointers = frames.map { frame in
            let copy = UnsafeMutableBufferPointer<Float>.allocate(capacity: frame.count)
            _ = copy.initialize(from: frame)
            return copy
        }
        defer { for pointer in pointers { pointer.deallocate() } }
        let corrections = frames.indices.map {
            skyfarm_correction(bias: nil, dark: nil, dark_factor: 0, divisor: 1 + 0.1 * Double($0))
        }
        let samples = pointers.map {
            skyfarm_samples(floats: $0.baseAddress, shorts: nil, scale: skyfarm_short_scale())
        }
        let width = frames[0].count
        var values = [Float](repeating: -1, count: width)
        var scatter = values
        var counts = [Int16](repeating: -1, count: width)
        let stack = PixelStack(method, frameCount: frames.count, measures: measures)
        values.withUnsafeMutableBufferPointer { values in
            scatter.withUnsafeMutableBufferPointer { scatter in
                counts.withUnsafeMutableBufferPointer { counts in
                    let output = PixelStack.Output(
                        pixels: values, scatter: measures ? scatter : nil, counts: measures ? counts : nil)
                    for first in stride(from: 0, to: width, by: step) {
                        stack.combine(samples, corrections, first..<min(width, first + step), into: output)
                    }
                }
            }
        }
        let places = stride(from: 0, to: width, by: isIncomplete ? 2 : 1)
        return Pixels(
            values: places.map { values[$0].bitPattern }, scatter: places.map { scatter[$0].bitPattern },
            counts: places.map { counts[$0] })
    }

    static let methods: [StackMethod] = [
        .median, .mean, .clip(sigma: 3, iterations: nil), .clip(sigma: 1.2, iterations: nil),
        .clip(sigma: 1.2, iterations: 1), .clip(sigma: 1, iterations: 0), .clip(sigma: 0, iterations: nil),
    ]

    @Test(
        "a pixel does not depend on those beside it, on tiles, or on what is measured",
        arguments: [1, 2, 3, 8, 21, 200], methods)
    func independent(count: Int, method: StackMethod) {
        for width in [1, 15, 255, 256, 700] {
            // Some pixels have an outlier, as those hit by a cosmic ray.
            let frames = (0..<count).map { frame in
                (0..<width).map { column -> Float in
                    let mixed = (column &* 7919 &+ frame &* 104_729 &+ column &* frame &* 31) % 1013
                    return Float(mixed + ((column + frame * 3) % 23 == 0 ? 9000 : 300)) * (1 + 0.1 * Float(frame))
                }
            }
            let whole = combined(frames, method, measures: true)
            #expect(combined(frames, method, measures: true, step: 7) == whole)
            #expect(combined(frames, method, measures: false).values == whole.values)
            #expect(combined(frames, method, measures: true, isIncomplete: true) == whole)
            #expect(combined(frames, method, measures: false, isIncomplete: true).values == whole.values)
        }
    }
}
