import SkyTestSupport
import Testing

import SkyFITS

@Suite("what a header says of an exposure") struct ObservationTests {
    private func observation(_ cards: [String], primary: [String] = []) -> Observation {
        Observation(ImageCards(header: FITSHeader(cards: cards), primary: FITSHeader(cards: primary)))
    }

    @Test("comes from the image's header, or else from the primary header")
    func cards() {
        let all = observation(
            ["DATE-OBS= '2000-01-01T12:00:00'", "EXPTIME = '30.0 '"], primary: ["FILTER  = 'V   '", "EXPTIME = 5"])
        #expect(all.date == "2000-01-01T12:00:00" && all.modifiedJulianDate == 51544.5)
        #expect(all.filter == "V" && all.exposure == 30)
        let none = observation(["FILTER  =", "EXPTIME = 'long'", "DATE-OBS= ''"])
        #expect(none.date == nil && none.modifiedJulianDate == nil && none.filter == nil && none.exposure == nil)
        #expect(observation(["EXPOSURE= 1.5", "FILTER  = 3"]) == observation(["EXPTIME = 1.5", "FILTER  = '3'"]))
        #expect(observation(["INHERIT = F"], primary: ["FILTER  = 'V'"]).filter == nil)
    }

    @Test(
        "has the begin as a modified Julian date, unless the time of day is not known",
        arguments: [
            (["MJD-OBS = 60000.25", "DATE-OBS= '2000-01-01T12:00:00'"], 60000.25),
            (["DATE-OBS= '2000-01-01'"], nil), (["DATE-OBS= '2000-01-01'", "TIME-OBS= '12:00:00'"], 51544.5),
            (["DATE-OBS= '2000-01-01'", "UT      = '18:00:00.0'"], 51544.75),
            (["DATE-OBS= '2000-01-01T12:00:00Z'"], 51544.5),
            (["DATE-OBS= '01/01/99'", "UT      = '12:00:00'"], 51179.5), (["DATE-OBS= '01/01/99'"], nil),
            (["DATE-OBS= '2000-13-01T12:00:00'"], nil), (["DATE-OBS= '2000-02-30T12:00:00'"], nil),
            (["DATE-OBS= 'yesterday'"], nil), (["DATE-OBS= '\(String(repeating: "2000-01-01T", count: 6))'"], nil),
            (["DATE-OBS= '2000-01-01'", "UT      = 12.5"], nil),
            (["MJD-OBS = 'x'", "DATE-OBS= '2000-01-01T12:00:00'"], 51544.5),
        ] as [([String], Double?)])
    func begin(cards: [String], date: Double?) { #expect(observation(cards).modifiedJulianDate == date) }

    @Test(
        "has astropy's modified Julian dates",
        .enabled(if: AstropyPython.isPresent, Comment(rawValue: AstropyPython.absent)))
    func astropy() throws {
        var random = SystemRandomNumberGenerator()
        func two(_ range: ClosedRange<Int>) -> String {
            let number = Int.random(in: range, using: &random)
            return number < 10 ? "0\(number)" : "\(number)"
        }
        let dates = (0..<200).map { _ in
            "\(Int.random(in: 1900...2100, using: &random))-\(two(1...12))-\(two(1...28))T\(two(0...23)):\(two(0...59)):"
                + "\(two(0...59)).\(two(0...99))"
        }
        let script = """
            import sys, warnings
            warnings.simplefilter("ignore")
            from astropy.time import Time
            # In a scale without leap seconds, as the days of a header are counted.
            for date in sys.stdin.read().split(): print(repr(float(Time(date, scale="tt").mjd)))
            """
        let wanted = try AstropyPython.run(["-c", script], input: dates.joined(separator: "\n")).split(separator: "\n")
        #expect(wanted.count == dates.count)
        for (date, wanted) in zip(dates, wanted) {
            let found = try #require(observation(["DATE-OBS= '\(date)'"]).modifiedJulianDate)
            // A microsecond.
            #expect(abs(found - (Double(wanted) ?? 0)) < 1.2e-11 * 10, "\(date): \(found), \(wanted)")
        }
    }
}
