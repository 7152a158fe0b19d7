internal import CFITSIO
internal import CWCS

/// The date of a header, which CFITSIO checks and WCSLIB converts.
enum ObservationDate {
    /// Returns the modified Julian date, in days, of a date in the forms of FITS, `yyyy-mm-ddThh:mm:ss`, or without the
    /// time of day, which is then `time`, also in the older form `dd/mm/yy`; nil if it is not valid, or has no time of
    /// day.
    static func modifiedJulianDate(_ date: String, time: String?) -> Double? {
        guard let day = calendarTime(date), day.year > 0 else { return nil }
        if date.contains("T") { return modifiedJulianDate(date) }
        guard let time, time.contains(":"), !time.contains("T"), calendarTime(time) != nil else { return nil }
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let year = String(repeating: "0", count: max(0, 4 - "\(day.year)".count)) + "\(day.year)"
        return modifiedJulianDate("\(year)-\(two(day.month))-\(two(day.day))T\(time)")
    }

    /// The date of a text with a date, a time of day or both, as CFITSIO reads it; year 0 if it has none. Nil if it is
    /// not valid: no calendar has the day.
    private static func calendarTime(_ text: String) -> (year: Int32, month: Int32, day: Int32)? {
        if text.utf8.count >= 72 { return nil }
        var bytes = Array(text.utf8CString)
        var (year, month, day, hour, minute, status): (Int32, Int32, Int32, Int32, Int32, Int32) = (0, 0, 0, 0, 0, 0)
        var second = 0.0
        // CFITSIO's messages about errors are shared by all threads.
        FITSLibrary.run {
            _ = ffs2tm(&bytes, &year, &month, &day, &hour, &minute, &second, &status)
            if status != 0 { ffcmsg() }
        }
        return status == 0 ? (year, month, day) : nil
    }

    private static func modifiedJulianDate(_ date: String) -> Double? {
        var system = wcsprm()
        system.flag = -1
        guard wcsini(1, 1, &system) == 0 else { return nil }
        defer { wcsfree(&system) }
        let isWhole = withUnsafeMutableBytes(of: &system.dateobs) { bytes in
            guard date.utf8.count < bytes.count else { return false }
            bytes.copyBytes(from: date.utf8)
            return true
        }
        guard isWhole else { return nil }
        let undefined = system.mjdobs
        // 0: translated; -1: nothing to do.
        guard datfix(&system) <= 0, system.mjdobs != undefined, system.mjdobs.isFinite else { return nil }
        return system.mjdobs
    }
}
