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
        let target = observation(["OBJECT  = 'M 31    '", "AIRMASS = 1.25", "FILTER1 = 'r'"])
        #expect(target.object == "M 31" && target.airmass == 1.25 && target.filter == "r")
    }

    @Test("is empty without its cards")
    func empty() {
        #expect(observation([]).isEmpty)
        #expect(observation(["OBJECT  = '        '", "EXPTIME = -1", "AIRMASS = 0", "FILTER  ="]).isEmpty)
        // No calendar has such a date.
        #expect(observation(["MJD-OBS = 1.0E+300"]).isEmpty)
    }

    @Test(
        "has the begin in seconds since 1970",
        arguments: [
            (["DATE-OBS= '1970-01-01T00:00:00'"], 0), (["DATE-OBS= '2024-02-29T12:00:00Z'"], 1_709_208_000),
            (["DATE-OBS= '2000-12-31'", "TIME-OBS= '23:59:00'"], 978_307_140),
            (["DATE-OBS= '31/12/99'", "UT      = '06:00:00.25'"], 946_620_000.25),
            (["MJD-OBS = 60000.5"], 1_677_326_400), (["DATE-OBS= 'yesterday'", "MJD-OBS = 40588"], 86_400),
            (["DATE-OBS= '2026-11-26T23:59:30.5'"], 1_795_737_570.5), (["DATE-OBS= '1969-12-31T23:59:59'"], -1),
        ] as [([String], Double)])
    func seconds(cards: [String], seconds: Double) { #expect(observation(cards).time == seconds) }

    @Test(
        "keeps a date that is not valid as text only",
        arguments: [
            "2026-11-26", "2026-13-01T00:00:00", "2026-11-26T25:00:00", "2026-11-26T", "T10:00:00", "-1-1T00:00",
            "x/y/z", "99999999999999999999-01-01T00:00:00", "2026-11-26T10", "2026-11-26T1:2:3:4",
        ])
    func faults(date: String) {
        let found = observation(["DATE-OBS= '\(date)'"])
        #expect(found.time == nil && found.date == date)
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
            // The tolerance is ten microseconds.
            #expect(abs(found - (Double(wanted) ?? 0)) < 1.2e-11 * 10, "\(date): \(found), \(wanted)")
        }
    }
}
