/// When, how long and through which filter an image was exposed, as far as its header or the primary header says.
package struct Observation: Hashable, Sendable {
    /// DATE-OBS: the begin of the exposure.
    package var date: String?
    /// The begin of the exposure as a modified Julian date in days, in the header's time scale: MJD-OBS, or else DATE-OBS
    /// as WCSLIB converts it. Nil if DATE-OBS has no time of day, and there is none in TIME-OBS or UT.
    package var modifiedJulianDate: Double?
    /// FILTER.
    package var filter: String?
    /// EXPTIME, or else EXPOSURE, in seconds.
    package var exposure: Double?

    private static let names = ["DATE-OBS", "TIME-OBS", "UT", "MJD-OBS", "FILTER", "EXPTIME", "EXPOSURE"].map {
        CardName($0.utf8)
    }

    /// What the cards of an image say.
    package init(_ cards: ImageCards) {
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
        date = text("DATE-OBS")
        if case .number(_, let word) = values["FILTER"] { filter = word } else { filter = text("FILTER") }
        exposure = number("EXPTIME") ?? number("EXPOSURE")
        let begin = date.map { $0.hasSuffix("Z") ? String($0.dropLast()) : $0 }
        modifiedJulianDate =
            number("MJD-OBS")
            ?? begin.flatMap { ObservationDate.modifiedJulianDate($0, time: text("TIME-OBS") ?? text("UT")) }
    }
}
