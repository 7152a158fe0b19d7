import Foundation
import SkyFITS
import Testing

import SkyReport

@Suite("how an image was taken") struct ObservationTests {
    private func observation(_ cards: [String], primary: [String] = []) -> Observation {
        Observation(ImageCards(header: FITSHeader(cards: cards), primary: FITSHeader(cards: primary)))
    }

    @Test("values come from the image's header, or else from the primary header")
    func values() {
        let primary = ["OBJECT  = 'M 31    '", "FILTER  = 'r'", "EXPTIME =   90.0", "AIRMASS = 1.25"]
        let found = observation(["FILTER  = 'g   '", "DATE-OBS= '2026-11-26T23:59:30.5'"], primary: primary)
        #expect(found.object == "M 31" && found.filter == "g" && found.exposure == 90 && found.airmass == 1.25)
        #expect(found.date == "2026-11-26T23:59:30.5" && found.time == 1_795_737_570.5)
        let own = observation(["INHERIT =                    F", "EXPOSURE= 5"], primary: primary)
        #expect(own.object == nil && own.filter == nil && own.exposure == 5)
    }

    @Test("without its cards nothing is known")
    func empty() {
        #expect(observation([]).isEmpty)
        #expect(observation(["OBJECT  = '        '", "EXPTIME = -1", "AIRMASS = 0", "FILTER  ="]).isEmpty)
    }

    @Test(
        "dates and times in the forms of many years",
        arguments: [
            (["DATE-OBS= '1970-01-01T00:00:00'"], 0), (["DATE-OBS= '2024-02-29T12:00:00Z'"], 1_709_208_000),
            (["DATE-OBS= '2000-12-31'", "TIME-OBS= '23:59'"], 978_307_140),
            (["DATE-OBS= '31/12/99'", "UT      = '06:00:00.25'"], 946_620_000.25),
            (["MJD-OBS = 60000.5"], 1_677_326_400), (["DATE-OBS= 'yesterday'", "MJD-OBS = 40588"], 86_400),
            (["DATE-OBS= '1969-12-31T23:59:59'"], -1),
        ] as [([String], Double)])
    func dates(cards: [String], seconds: Double) {
        #expect(observation(cards).time == seconds)
    }

    @Test(
        "a date that cannot be understood is kept as text only",
        arguments: [
            "2026-11-26", "2026-13-01T00:00:00", "2026-11-26T25:00:00", "2026-11-26T", "T10:00:00", "-1-1T00:00",
            "x/y/z",
            "99999999999999999999-01-01T00:00:00", "2026-11-26T10", "2026-11-26T1:2:3:4",
        ])
    func faults(date: String) {
        let found = observation(["DATE-OBS= '\(date)'"])
        #expect(found.time == nil && found.date == date)
        // A browser has no such date.
        #expect(observation(["MJD-OBS = 1.0E+300"]).isEmpty)
    }
}
