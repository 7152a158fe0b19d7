import SkyReport
import Testing

@Suite struct ImageSampleTests {
    private func sample(_ pixels: [Float], width: Int, limit: Int) -> ImageSample {
        var sample = ImageSample(width: width, height: pixels.count / width, limit: limit)
        for start in stride(from: 0, to: pixels.count, by: width) {
            pixels[start..<start + width].withUnsafeBufferPointer { sample.add($0) }
        }
        sample.finish()
        return sample
    }

    @Test("all values of a small image count, but those that are no number")
    func small() {
        let sample = sample([5, 1, .nan, 3, 4, .infinity, 2, 6], width: 4, limit: 100)
        #expect(sample.missing == 2 && sample.count == 8 && sample.sum == 21)
        #expect(sample.value(at: 0) == 1 && sample.value(at: 0.5) == 3 && sample.value(at: 1) == 6)
        #expect(sample.share(below: 3) == 2.0 / 6 && sample.share(below: 100) == 1 && sample.share(below: 0) == 0)
        let none = self.sample([.nan, .nan], width: 2, limit: 100)
        #expect(none.value(at: 0.5) == nil && none.share(below: 1) == 0 && none.missing == 2)
    }

    @Test("the values of a large one are of all its columns", arguments: [100, 128, 90, 105])
    func large(width: Int) {
        // A third of the columns is dark.
        let pixels = (0..<width * 200).map { Float($0 % width % 3 == 0 ? 0 : 1) }
        let sample = sample(pixels, width: width, limit: 1000)
        #expect(abs(sample.share(below: 0.5) - 0.34) < 0.03)
    }
}
