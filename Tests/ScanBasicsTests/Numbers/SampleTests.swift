import Foundation
import ScanBasics
import Testing

@Suite struct SampleTests {
    @Test("the median is the middle value, or between the two in the middle")
    func median() {
        #expect(Sample([3, 1, 2]).median == 2)
        #expect(Sample([4, 1, 2, 3]).median == 2.5)
        #expect(Sample([3, 1, 2]).lowest == 1 && Sample([3, 1, 2]).highest == 3)
        #expect(Sample().median.isNaN && Sample().lowest.isNaN && Sample().highest.isNaN)
    }

    @Test("quantiles are interpolated between the values", arguments: [(0, 10), (0.5, 20), (0.75, 25), (1, 30)])
    func quantiles(share: Double, value: Double) { #expect(Sample([30, 10, 20]).quantile(share) == value) }

    @Test("a quotient compares values of the same round")
    func quotient() {
        // The machine was half as fast in the second round; the ratio is independent of that.
        #expect((Sample([10, 20]) / Sample([5, 10])).values == [2, 2])
        #expect(Sample([1, 2]).map { $0 * 3 }.values == [3, 6])
    }

    @Test("the coded form has the values after what is read first")
    func coding() throws {
        let object = try JSONSerialization.jsonObject(with: JSONEncoder().encode(Sample([1, 5, 3]))) as? [String: Any]
        #expect(object?["median"] as? Double == 3)
        #expect(object?["lowest"] as? Double == 1 && object?["highest"] as? Double == 5)
        #expect(object?["values"] as? [Double] == [1, 5, 3])
    }
}
