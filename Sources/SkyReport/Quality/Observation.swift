import Foundation
public import SkyFITS

/// How an image was taken, according to its header. A value is nil if the header does not have it.
public struct Observation: Equatable, Encodable, Sendable {
    /// Name of the target: OBJECT.
    public private(set) var object: String?
    /// Name of the filter.
    public private(set) var filter: String?
    /// Exposure time in seconds.
    public private(set) var exposure: Double?
    /// Date and time of the beginning, as the header has them.
    public private(set) var date: String?
    /// The same in seconds since 1970-01-01 00:00 UTC; nil if it cannot be understood, or if the time of the day is
    /// missing.
    public private(set) var time: Double?
    /// Airmass.
    public private(set) var airmass: Double?

    /// Keywords of the filter, in the order of search.
    package static let filterKeywords = ["FILTER", "FILTER1", "FILTNAM", "FILTNAM1"]
    /// Keywords of the exposure time, in the order of search.
    package static let exposureKeywords = ["EXPTIME", "EXPOSURE"]
    /// Keywords of the time of the day if DATE-OBS has none, in the order of search.
    package static let timeKeywords = ["TIME-OBS", "UTC-OBS", "UT", "UTC"]
    /// Modified Julian Dates of 1970-01-01 00:00, and of the years that have four digits from 1858 on.
    private static let (epochDay, knownDays) = (40_587.0, 0.0..<2_973_484)

    /// Reads the cards of an image's header, and those that it inherits from the primary header.
    public init(_ cards: ImageCards) {
        func first(of keywords: [String]) -> ImageCards.Value? { keywords.lazy.compactMap(cards.value).first }
        object = cards.value("OBJECT")?.words
        filter = first(of: Self.filterKeywords)?.words
        exposure = first(of: Self.exposureKeywords)?.number.flatMap { $0 >= 0 ? $0 : nil }
        airmass = cards.value("AIRMASS")?.number.flatMap { $0 > 0 ? $0 : nil }
        if let day = cards.value("DATE-OBS")?.words {
            let hour = day.contains("T") ? nil : first(of: Self.timeKeywords)?.words
            date = [day, hour].compactMap(\.self).joined(separator: " ")
            time = Self.seconds(day: day, hour: hour)
        }
        if time == nil, let days = cards.value("MJD-OBS")?.number, Self.knownDays.contains(days) {
            time = (days - Self.epochDay) * 86_400
            date = date ?? "MJD \(days)"
        }
    }

    /// Whether the header has none of the values.
    package var isEmpty: Bool {
        object == nil && filter == nil && exposure == nil && date == nil && airmass == nil
    }

    /// Returns the seconds since 1970 of a day as in `2026-01-31` or `2026-01-31T21:05:59.5`, or `31/01/98` of the years
    /// before 2000, and of an `hour` as in `21:05:59.5` if the day has none.
    private static func seconds(day text: String, hour: String?) -> Double? {
        let halves = text.split(separator: "T", maxSplits: 1)
        guard let first = halves.first, let hour = halves.count > 1 ? halves[1] : hour.map({ $0[...] }) else {
            return nil
        }
        let isOld = first.contains("/")
        let parts = first.split(separator: isOld ? "/" : "-").map { Int($0) }
        guard parts.count == 3, let one = parts[0], let month = parts[1], let three = parts[2] else { return nil }
        let (year, day) = isOld ? (1900 + three, one) : (one, three)
        guard (1800...9999).contains(year), (1...12).contains(month), (1...31).contains(day) else { return nil }
        let clock = hour.trimming { $0 == "Z" || $0 == " " }.split(separator: ":").map { Double($0) }
        guard (2...3).contains(clock.count), let hours = clock[0], let minutes = clock[1],
            let seconds = clock.count == 3 ? clock[2] : 0, (0..<24).contains(hours), (0..<60).contains(minutes),
            (0..<61).contains(seconds)
        else { return nil }
        return Double(days(year: year, month: month, day: day)) * 86_400 + hours * 3600 + minutes * 60 + seconds
    }

    /// Returns the days since 1970-01-01 in the Gregorian calendar (Hinnant's algorithm: years begin in March).
    private static func days(year: Int, month: Int, day: Int) -> Int {
        let year = month <= 2 ? year - 1 : year
        let era = year / 400
        let yearOfEra = year - 400 * era
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return 146_097 * era + 365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}

extension Substring {
    /// The text without the characters at its ends that meet a condition.
    fileprivate func trimming(_ isDropped: (Character) -> Bool) -> Substring {
        var text = self
        while let last = text.last, isDropped(last) { text.removeLast() }
        return text.drop(while: isDropped)
    }
}
