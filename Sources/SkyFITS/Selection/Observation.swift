/// When and how an image was exposed, as far as its header or the primary header says.
public struct Observation: Hashable, Sendable {
    /// OBJECT: the name of the target.
    public let object: String?
    /// DATE-OBS: the begin of the exposure.
    public let date: String?
    /// The begin of the exposure as a modified Julian date in days, in the header's time scale: MJD-OBS, or else DATE-OBS
    /// as WCSLIB converts it. Nil if DATE-OBS has no time of day, and there is none in a card of its own.
    public let modifiedJulianDate: Double?
    /// FILTER, or else a card with which some instruments name their filter.
    public let filter: String?
    /// EXPTIME, or else EXPOSURE, in seconds; not negative.
    public let exposure: Double?
    /// AIRMASS; positive.
    public let airmass: Double?

    private static let names =
        ([
            "OBJECT", "DATE-OBS", "MJD-OBS", "EXPTIME", "EXPOSURE", "AIRMASS",
        ] + filterNames + timeNames).map { CardName($0.utf8) }
    private static let filterNames = ["FILTER", "FILTER1", "FILTNAM", "FILTNAM1"]
    /// Cards of the time of day, if DATE-OBS has none.
    private static let timeNames = ["TIME-OBS", "UTC-OBS", "UT", "UTC"]
    /// Modified Julian dates of the years with four digits.
    private static let possibleDates = -678_941.0..<2_973_484
    /// Modified Julian date of 1970-01-01.
    private static let unixEpoch = 40_587.0

    /// Reads the cards of an image's header, and those that it inherits from the primary header.
    public init(_ cards: ImageCards) {
        let selected = SelectedCards(Self.names, in: cards.header, primary: cards.primary)
        let values = Dictionary(uniqueKeysWithValues: Self.names.map { ($0.words, selected[$0]) })
        func text(_ name: String) -> String? {
            guard case .text(let text) = values[name] else { return nil }
            let trimmed = text.drop { $0 == " " }
            return trimmed.isEmpty ? nil : String(trimmed)
        }
        func number(_ name: String) -> Double? {
            if case .number(let number, _) = values[name] { return number }
            return text(name).flatMap { HeaderCard.number($0) }
        }
        func words(_ name: String) -> String? {
            if case .number(_, let word) = values[name] { word } else { text(name) }
        }
        object = words("OBJECT")
        filter = Self.filterNames.lazy.compactMap(words).first
        exposure = (number("EXPTIME") ?? number("EXPOSURE")).flatMap { $0 >= 0 ? $0 : nil }
        airmass = number("AIRMASS").flatMap { $0 > 0 ? $0 : nil }
        date = text("DATE-OBS")
        let begin = date.map { $0.hasSuffix("Z") ? String($0.dropLast()) : $0 }
        let days =
            number("MJD-OBS")
            ?? begin.flatMap {
                ObservationDate.modifiedJulianDate($0, time: Self.timeNames.lazy.compactMap(text).first)
            }
        modifiedJulianDate = days.flatMap { Self.possibleDates.contains($0) ? $0 : nil }
    }

    /// The begin of the exposure in seconds since 1970-01-01 00:00, to the millisecond; nil if
    /// ``modifiedJulianDate`` is.
    public var time: Double? {
        modifiedJulianDate.map { (($0 - Self.unixEpoch) * 86_400_000).rounded() / 1000 }
    }

    /// Whether the headers have none of the values.
    package var isEmpty: Bool {
        object == nil && filter == nil && exposure == nil && airmass == nil && date == nil
            && modifiedJulianDate == nil
    }
}

extension Observation: Encodable {
    private enum Key: String, CodingKey { case object, filter, exposure, date, time, airmass }

    /// Writes the values that are known, with ``time`` in place of the modified Julian date.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encodeIfPresent(object, forKey: .object)
        try container.encodeIfPresent(filter, forKey: .filter)
        try container.encodeIfPresent(exposure, forKey: .exposure)
        try container.encodeIfPresent(date, forKey: .date)
        try container.encodeIfPresent(time, forKey: .time)
        try container.encodeIfPresent(airmass, forKey: .airmass)
    }
}
