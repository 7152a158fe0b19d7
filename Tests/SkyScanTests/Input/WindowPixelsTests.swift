import ScanCluster
import SkyFITS
import SkyScan
import Testing

@Suite("pixels of a window")
struct WindowPixelsTests {
    private let rect = PixelRect(x: 3..<7, y: 10..<12)

    private func window(weights: Bool, mask: Bool) -> WindowPixels {
        WindowPixels(rect: rect, hasWeights: weights, hasMask: mask)
    }

    private func zeros(_ count: Int) -> BulkBytes {
        BulkBytes(byteCount: count) { $0.initializeMemory(as: UInt8.self, repeating: 0) }
    }

    @Test(
        "samples come first, then weights, then the mask",
        arguments: [(false, false, 32), (true, false, 64), (false, true, 40), (true, true, 72)])
    func layout(weights: Bool, mask: Bool, byteCount: Int) throws {
        let window = window(weights: weights, mask: mask)
        #expect(window.byteCount == byteCount)
        let bulk = BulkBytes(byteCount: byteCount) { bytes in
            let parts = window.split(bytes)
            #expect(parts.samples.count == 8)
            #expect(parts.weights?.count == (weights ? 8 : nil) && parts.mask?.count == (mask ? 8 : nil))
            for index in 0..<8 {
                parts.samples[index] = Float(index)
                parts.weights?[index] = Float(100 + index)
                parts.mask?[index] = UInt8(200 + index)
            }
        }
        try window.withView(of: bulk) { view in
            #expect(view.rect == rect)
            #expect((0..<8).map { view.pixels[$0] } == (0..<8).map { Float($0) })
            #expect(view.weights.map { $0[7] } == (weights ? 107 : nil))
            #expect(view.mask.map { $0[7] } == (mask ? 207 : nil))
        }
    }

    @Test("no bytes, too few and too many are refused", arguments: [nil, 0, 31, 33, 64])
    func wrongCount(count: Int?) {
        #expect(throws: ScanSetupError.self) {
            try window(weights: false, mask: false).withView(of: count.map(zeros)) { _ in }
        }
    }

    @Test("what is done with the pixels may throw")
    func rethrowing() {
        #expect(throws: CancellationError.self) {
            try window(weights: false, mask: false).withView(of: zeros(32)) { _ in throw CancellationError() }
        }
    }
}
