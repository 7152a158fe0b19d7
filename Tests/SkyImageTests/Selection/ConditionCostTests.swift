import Foundation
import SkyTestSupport
import Testing

import SkyFITS

@Suite("the cost of a condition", .serialized) struct ConditionCostTests {
    /// Processor time of this thread in seconds.
    private var processorTime: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    @Test("for a file of 100 cards is less than that of reading its headers")
    func cost() throws {
        let folder = try TemporaryFolder()
        let cards =
            [("SIMPLE", "T"), ("BITPIX", "8"), ("NAXIS", "2"), ("NAXIS1", "10"), ("NAXIS2", "10")]
            + (0..<91).map { ("KEY\($0)", "\($0).5") } + [("FILTER", "'r'"), ("EXPTIME", "60.0"), ("OBJECT", "'M 31'")]
        let header = FITSHeader(
            cards: cards.map { name, value in
                let blanks = String(repeating: " ", count: max(0, 20 - value.count))
                return name.padding(toLength: 8, withPad: " ", startingAt: 0)
                    + "= \(value.hasPrefix("'") ? value : blanks + value) / comment"
            })
        #expect(header.count == 100)
        let bytes = header.bytes + [UInt8](repeating: 32, count: 8640 - 8000) + [UInt8](repeating: 0, count: 2880)
        let path = try folder.write(bytes, "image.fits")
        let condition = try HeaderCondition(
            "OBJECT like 'M*' and FILTER in ('g', 'r') and EXPTIME >= 30 and NONE is missing")
        var (plain, extra) = (0.0, 0.0)
        for round in 0..<60 {
            let start = processorTime
            let survey = try FITSSurvey(of: path, planes: .colours, keepsHeaders: false)
            let between = processorTime
            let kept = try FITSSurvey(of: path, planes: .colours, keepsHeaders: true)
            let isSelected = condition.verdict(header: try #require(kept.headers[0]), primary: nil).isTrue
            let end = processorTime
            #expect(isSelected == true && survey.images == kept.images)
            // The first rounds fill caches.
            if round >= 10 { (plain, extra) = (plain + between - start, extra + (end - between) - (between - start)) }
        }
        #expect(extra < plain, "\(extra / 50 * 1e3) ms for each file beyond \(plain / 50 * 1e3) ms")
    }
}
